/* sparse.c - sparse vector that stops at the first yes (Sajed 2019, Algorithm 4 and Theorem 3.2.1).
 *
 * Noise of scale b = 3 * sensitivity / epsilon is added once to the threshold, and drawn again for
 * each query. For a neighbour, shift the threshold's noise by the sensitivity (costs epsilon/3), so
 * that every "no" stays a "no", and the last query's noise by twice that (2 epsilon/3), so that the
 * "yes" stays a "yes". This is epsilon in all, for any number of queries.
 */
#include "privacy/release/sparse.h"

#include "base/wide.h"
#include "privacy/release/scale.h"

lotor_status lotor_sparse_make(uint64_t sensitivity, lotor_ratio epsilon, lotor_message *why,
                               lotor_sparse *out)
{
    const lotor_release_params params = {.l1 = sensitivity, .epsilon = epsilon};
    *out = (lotor_sparse){.running = false};
    return lotor_release_scale(&params, LOTOR_LAW_LAPLACE, 3, why, &out->scale);
}

lotor_status lotor_sparse_begin(lotor_sparse *sparse, lotor_noise *noise)
{
    lotor_i128 moved;
    const lotor_status status =
        lotor_noise_add_wide(noise, LOTOR_USE_THRESHOLD, sparse->scale, 0, &moved);
    if (status == LOTOR_OK) {
        sparse->threshold_noise = (int64_t)moved; /* it fits: 0 plus a draw of 64 bits */
        sparse->running = true;
    }
    return status;
}

lotor_status lotor_sparse_ask(lotor_sparse *sparse, int64_t query, int64_t threshold,
                              lotor_noise *noise, bool *above)
{
    *above = false;
    if (!sparse->running) {
        return LOTOR_RELEASED;
    }
    lotor_i128 noisy;
    const lotor_status status =
        lotor_noise_add_wide(noise, LOTOR_USE_QUERY, sparse->scale, query, &noisy);
    if (status != LOTOR_OK) {
        return status;
    }
    *above = noisy >= (lotor_i128)threshold + sparse->threshold_noise;
    sparse->running = !*above;
    sparse->threshold_noise = *above ? 0 : sparse->threshold_noise; /* no longer needed */
    return LOTOR_OK;
}

void lotor_sparse_save(const lotor_sparse *sparse, lotor_writer *writer)
{
    lotor_write_i64s(writer, &sparse->threshold_noise, 1);
    lotor_write_u64(writer, sparse->running);
}

void lotor_sparse_load(lotor_sparse *sparse, lotor_reader *reader)
{
    lotor_read_i64s(reader, &sparse->threshold_noise, 1);
    const uint64_t running = lotor_read_u64(reader);
    lotor_read_expect(reader, running <= 1);
    sparse->running = running == 1;
}
