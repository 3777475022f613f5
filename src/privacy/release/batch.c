/* batch.c - sums of whole batches, each released once (Chandak 2023, Algorithm 2, lines 9-13; Sajed
 * 2019, Algorithm 9).
 *
 * A value is in exactly one batch, and a batch is released once, with one draw of noise. So
 * replacing the value moves one released number by at most the sensitivity, and scale = sensitivity
 * / epsilon is epsilon-DP for the whole sequence, however many batches there are. An unfinished
 * batch is never released. Sizes are public: they are set before the first value arrives.
 *
 * Three uses: doubling batches with forgetting open the sizes 1, 2, 4, ... and read `latest`; a
 * single batch is opened once; learners that add batches up read `total`.
 */
#include "privacy/release/batch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "privacy/release/scale.h"

enum { ARRAYS = 4 }; /* latest, total, sum, noisy: one allocation */

lotor_status lotor_batch_new(size_t dimension, lotor_law law, uint64_t scale, lotor_batch **out)
{
    *out = NULL;
    if (dimension == 0 || dimension > SIZE_MAX / (ARRAYS * sizeof(int64_t))) {
        return LOTOR_INVALID;
    }
    lotor_batch *batch = calloc(1, sizeof *batch);
    int64_t *arrays = calloc(ARRAYS * dimension, sizeof *arrays);
    if (!batch || !arrays) {
        free(batch);
        free(arrays);
        return LOTOR_MEMORY;
    }
    *batch = (lotor_batch){
        .scale = scale,
        .law = law,
        .dimension = dimension,
        .latest = arrays,
        .total = arrays + dimension,
        .sum = arrays + 2 * dimension,
        .noisy = arrays + 3 * dimension,
    };
    *out = batch;
    return LOTOR_OK;
}

void lotor_batch_free(lotor_batch *batch)
{
    if (batch) {
        lotor_wipe_free(batch->latest, ARRAYS * batch->dimension * sizeof *batch->latest);
        free(batch);
    }
}

lotor_status lotor_batch_open(lotor_batch *batch, uint64_t size)
{
    if (batch->size > 0) {
        return LOTOR_UNFINISHED;
    }
    if (size == 0) {
        return LOTOR_INVALID;
    }
    batch->size = size;
    batch->filled = 0;
    return LOTOR_OK;
}

lotor_status lotor_batch_insert(lotor_batch *batch, const int64_t *value, lotor_noise *noise,
                                bool *released)
{
    return lotor_batch_insert_sum(batch, value, 1, noise, released);
}

lotor_status lotor_batch_insert_sum(lotor_batch *batch, const int64_t *sum, uint64_t rounds,
                                    lotor_noise *noise, bool *released)
{
    *released = false;
    const lotor_status status = lotor_batch_prepare(batch, sum, rounds, noise);
    return status == LOTOR_OK ? lotor_batch_commit(batch, sum, rounds, released) : status;
}

lotor_status lotor_batch_prepare(lotor_batch *batch, const int64_t *sum, uint64_t rounds,
                                 lotor_noise *noise)
{
    if (batch->size == 0 || rounds != batch->size - batch->filled) {
        return LOTOR_OK; /* these values do not complete a batch */
    }
    for (size_t i = 0; i < batch->dimension; i++) {
        batch->noisy[i] = lotor_release_plus(batch->sum[i], sum[i]);
    }
    const lotor_status status =
        lotor_noise_add(noise, batch->law, batch->scale, batch->dimension, batch->noisy);
    if (status != LOTOR_OK) {
        lotor_wipe(batch->noisy, batch->dimension * sizeof *batch->noisy);
    }
    return status;
}

lotor_status lotor_batch_commit(lotor_batch *batch, const int64_t *sum, uint64_t rounds,
                                bool *released)
{
    *released = false;
    if (batch->size == 0) {
        return LOTOR_RELEASED;
    }
    if (rounds == 0 || rounds > batch->size - batch->filled) {
        return LOTOR_INVALID;
    }
    batch->filled += rounds;
    assert(batch->filled <= batch->size);
    if (batch->filled < batch->size) {
        for (size_t i = 0; i < batch->dimension; i++) {
            batch->sum[i] = lotor_release_plus(batch->sum[i], sum[i]);
        }
        return LOTOR_OK;
    }
    for (size_t i = 0; i < batch->dimension; i++) {
        batch->latest[i] = batch->noisy[i];
        batch->total[i] = lotor_release_plus(batch->total[i], batch->latest[i]);
        batch->sum[i] = 0;
        batch->noisy[i] = 0;
    }
    batch->latest_size = batch->size;
    batch->covered += batch->size;
    batch->releases++;
    batch->size = 0;
    batch->filled = 0;
    *released = true;
    return LOTOR_OK;
}

bool lotor_batch_is_doubling(const lotor_batch *batch)
{
    return batch->releases < 62 && batch->covered == (UINT64_C(1) << batch->releases) - 1 &&
           batch->size == UINT64_C(1) << batch->releases && batch->latest_size == batch->size / 2;
}

void lotor_batch_save(const lotor_batch *batch, lotor_writer *writer)
{
    lotor_write_u64(writer, batch->size);
    lotor_write_u64(writer, batch->filled);
    lotor_write_u64(writer, batch->releases);
    lotor_write_u64(writer, batch->latest_size);
    lotor_write_u64(writer, batch->covered);
    lotor_write_i64s(writer, batch->latest, 3 * batch->dimension);
}

void lotor_batch_load(lotor_batch *batch, lotor_reader *reader)
{
    batch->size = lotor_read_u64(reader);
    batch->filled = lotor_read_u64(reader);
    batch->releases = lotor_read_u64(reader);
    batch->latest_size = lotor_read_u64(reader);
    batch->covered = lotor_read_u64(reader);
    lotor_read_i64s(reader, batch->latest, 3 * batch->dimension);
    lotor_read_expect(reader,
                      batch->filled < batch->size || (batch->size == 0 && batch->filled == 0));
    lotor_read_expect(reader, batch->latest_size <= batch->covered);
    lotor_read_expect(reader, (batch->releases == 0) == (batch->covered == 0));
}
