/* matrix_batch.c - private sums of x x' and x y in batches (matrix_batch.h; matrix_batch.md has the
 * proof).
 *
 * Values are the rows of the lower triangle of x x', then x y: the same order as on the board.
 */
#include "privacy/release/matrix_batch.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "privacy/release/scale.h"

struct lotor_matrix_batch {
    size_t dimension, entries;
    uint64_t horizon;
    bool separate; /* the board has every release by itself */
    lotor_matrix_batch_plan plan;
    int64_t *open;  /* entries: the raw sums of the open batch */
    int64_t *total; /* entries: the sum of the releases; if separate, the latest one */
    int64_t *noisy; /* entries: room for the release that is being made */
    uint64_t count; /* how many rounds were fed */
    uint64_t fed;   /* the time of the latest of them */
    uint64_t date;  /* the time of the latest release; 0: there was none */
    bool due;       /* that release is not on the board yet */
};

lotor_status lotor_matrix_batch_new(const lotor_matrix_params *params, lotor_message *why,
                                    lotor_matrix_batch **out)
{
    *out = NULL;
    lotor_matrix_batch_plan plan;
    const lotor_status status = lotor_matrix_batch_plan_make(params, why, &plan);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_matrix_batch *batch = calloc(1, sizeof *batch);
    if (!batch) {
        return LOTOR_MEMORY;
    }
    const size_t entries = lotor_matrix_entries(params->size) - 1;
    *batch = (lotor_matrix_batch){
        .dimension = params->size - 1,
        .entries = entries,
        .horizon = params->horizon,
        .separate = params->kind == LOTOR_MATRIX_SEPARATE,
        .plan = plan,
        .open = calloc(entries, sizeof *batch->open),
        .total = calloc(entries, sizeof *batch->total),
        .noisy = calloc(entries, sizeof *batch->noisy),
    };
    if (!batch->open || !batch->total || !batch->noisy) {
        lotor_matrix_batch_free(batch);
        return LOTOR_MEMORY;
    }
    *out = batch;
    return LOTOR_OK;
}

void lotor_matrix_batch_free(lotor_matrix_batch *batch)
{
    if (batch) {
        lotor_wipe_free(batch->open, batch->entries * sizeof *batch->open);
        lotor_wipe_free(batch->noisy, batch->entries * sizeof *batch->noisy);
        free(batch->total);
        free(batch);
    }
}

void lotor_matrix_batch_restart(lotor_matrix_batch *batch)
{
    lotor_wipe(batch->open, batch->entries * sizeof *batch->open);
    lotor_wipe(batch->total, batch->entries * sizeof *batch->total);
    lotor_wipe(batch->noisy, batch->entries * sizeof *batch->noisy);
    batch->count = batch->fed = batch->date = 0;
    batch->due = false;
}

lotor_matrix_noise lotor_matrix_batch_noise(const lotor_matrix_batch *batch)
{
    const lotor_matrix_batch_plan *plan = &batch->plan;
    return (lotor_matrix_noise){
        .sigma = (double)plan->off_diagonal * plan->gram_unit,
        .diagonal = (double)plan->diagonal * plan->gram_unit,
        .response = (double)plan->response * plan->response_unit,
        .releases = (double)plan->releases,
        .first = plan->first,
    };
}

size_t lotor_matrix_batch_statistics(const lotor_matrix_batch *batch)
{
    return batch->separate ? batch->plan.releases : 1;
}

/* Releases are at the powers of two from plan->first on; the last is the largest within the
 * horizon. */
static bool is_release(const lotor_matrix_batch_plan *plan, uint64_t count)
{
    return count >= plan->first && (count & (count - 1)) == 0;
}

/* How many rounds the releases cover. */
static uint64_t released_rounds(const lotor_matrix_batch *batch)
{
    return batch->count < batch->plan.first ? 0
                                            : UINT64_C(1) << (63 - __builtin_clzll(batch->count));
}

/* Adds a round to sums. Rounds after the product: the sensitivity counts one rounding per entry. */
static void add(const lotor_matrix_batch *batch, const double *z, int64_t *sums)
{
    const size_t d = batch->dimension;
    const double per_gram = 1.0 / batch->plan.gram_unit;
    const double per_response = 1.0 / batch->plan.response_unit;
    int64_t *sum = sums;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++, sum++) {
            *sum = lotor_release_plus(*sum, llrint(z[i] * z[j] * per_gram));
        }
    }
    for (size_t j = 0; j < d; j++, sum++) {
        *sum = lotor_release_plus(*sum, llrint(z[d] * z[j] * per_response));
    }
}

/* Adds noise to the sums of one batch: to each entry of the triangle once. */
static lotor_status add_noise(const lotor_matrix_batch *batch, lotor_noise *noise, int64_t *sums)
{
    const lotor_matrix_batch_plan *plan = &batch->plan;
    int64_t *row = sums;
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < batch->dimension && status == LOTOR_OK; i++) {
        status = lotor_noise_add(noise, LOTOR_LAW_GAUSSIAN, plan->off_diagonal, i, row);
        if (status == LOTOR_OK) {
            status = lotor_noise_add(noise, LOTOR_LAW_GAUSSIAN, plan->diagonal, 1, row + i);
        }
        row += i + 1;
    }
    if (status == LOTOR_OK) {
        status = lotor_noise_add(noise, LOTOR_LAW_GAUSSIAN, plan->response, batch->dimension, row);
    }
    return status;
}

/* Makes the release that ends with the round z. On failure nothing changed. */
static lotor_status prepare(lotor_matrix_batch *batch, const double *z, lotor_noise *noise)
{
    memcpy(batch->noisy, batch->open, batch->entries * sizeof *batch->noisy);
    add(batch, z, batch->noisy);
    const lotor_status status = add_noise(batch, noise, batch->noisy);
    if (status != LOTOR_OK) {
        lotor_wipe(batch->noisy, batch->entries * sizeof *batch->noisy);
    }
    return status;
}

/* Ends the open batch with the prepared release. Wipes its raw sums. */
static void release(lotor_matrix_batch *batch)
{
    assert(is_release(&batch->plan, batch->count));
    for (size_t i = 0; i < batch->entries; i++) {
        batch->total[i] = batch->separate ? batch->noisy[i]
                                          : lotor_release_plus(batch->total[i], batch->noisy[i]);
    }
    lotor_wipe(batch->open, batch->entries * sizeof *batch->open);
    lotor_wipe(batch->noisy, batch->entries * sizeof *batch->noisy);
    batch->date = batch->fed + 1;
    batch->due = true;
}

/* Inserts a round. On failure nothing changed. */
static lotor_status insert(lotor_matrix_batch *batch, const double *z, uint64_t time,
                           lotor_noise *noise)
{
    if (time < batch->fed || time == UINT64_MAX) {
        return LOTOR_INVALID;
    }
    if (batch->count >= batch->horizon) {
        return LOTOR_HORIZON;
    }
    const bool closes = is_release(&batch->plan, batch->count + 1);
    if (closes) {
        const lotor_status status = prepare(batch, z, noise);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    batch->count++;
    batch->fed = time;
    assert(batch->count <= batch->horizon);
    if (closes) {
        release(batch);
    } else if (batch->count <= batch->plan.last) { /* otherwise it would never be released */
        add(batch, z, batch->open);
    }
    return LOTOR_OK;
}

/* Posts the latest release. Repeated calls post the same release, until all of it is on the
 * board. */
static lotor_status post(lotor_matrix_batch *batch, lotor_board *board)
{
    assert(batch->entries < board->arms && batch->date > 0);
    const size_t gram = batch->entries - batch->dimension;
    uint64_t rounds = released_rounds(batch);
    size_t statistic = 0;
    if (batch->separate && rounds > batch->plan.first) { /* half of the rounds are in this batch */
        statistic = (size_t)__builtin_ctzll(rounds / batch->plan.first);
        rounds /= 2;
    }
    for (size_t i = 0; i < batch->entries; i++) {
        const double unit = i < gram ? batch->plan.gram_unit : batch->plan.response_unit;
        const lotor_fact fact = {(double)batch->total[i] * unit, rounds, batch->date};
        const lotor_status status = lotor_board_post(board, statistic, i, fact);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    batch->due = false;
    return LOTOR_OK;
}

lotor_status lotor_matrix_batch_feed(lotor_matrix_batch *batch, const double *z, uint64_t time,
                                     lotor_noise *noise, lotor_board *board)
{
    if (time != batch->fed) { /* equal: the round is in, and only its release has to be posted */
        if (batch->due) {     /* post an earlier release first */
            const lotor_status status = post(batch, board);
            if (status != LOTOR_OK) {
                return status;
            }
        }
        const lotor_status status = insert(batch, z, time, noise);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return batch->due ? post(batch, board) : LOTOR_OK;
}

void lotor_matrix_batch_save(const lotor_matrix_batch *batch, lotor_writer *writer)
{
    lotor_write_u64(writer, batch->count);
    lotor_write_u64(writer, batch->fed);
    lotor_write_u64(writer, batch->date);
    lotor_write_u64(writer, batch->due);
    lotor_write_i64s(writer, batch->open, batch->entries);
    lotor_write_i64s(writer, batch->total, batch->entries);
}

/* True if this number of rounds can have made the raw sums. */
static bool can_be_open(const lotor_matrix_batch *batch, uint64_t rounds)
{
    const uint64_t most = rounds * batch->plan.largest; /* below 2^62 */
    for (size_t i = 0; i < batch->entries; i++) {
        const int64_t sum = batch->open[i];
        if ((sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum) > most) {
            return false;
        }
    }
    for (size_t i = 0; i < batch->dimension; i++) { /* the diagonal: sums of squares */
        if (batch->open[i * (i + 1) / 2 + i] < 0) {
            return false;
        }
    }
    return true;
}

static bool is_consistent(const lotor_matrix_batch *batch)
{
    const uint64_t count = batch->count, fed = batch->fed, released = released_rounds(batch);
    if (count > batch->horizon || fed < count || fed == UINT64_MAX || (count == 0 && fed > 0)) {
        return false;
    }
    if (released == 0 ? batch->date > 0 || batch->due
                      : batch->date <= released || batch->date > fed + 1 - (count - released)) {
        return false;
    }
    if (count == released && released > 0 && batch->date != fed + 1) {
        return false;
    }
    for (size_t i = 0; i < batch->entries && released == 0; i++) {
        if (batch->total[i] != 0) {
            return false;
        }
    }
    return can_be_open(batch, count < batch->plan.last ? count - released : 0);
}

void lotor_matrix_batch_load(lotor_matrix_batch *batch, lotor_reader *reader)
{
    batch->count = lotor_read_u64(reader);
    batch->fed = lotor_read_u64(reader);
    batch->date = lotor_read_u64(reader);
    batch->due = lotor_read_flag(reader);
    lotor_read_i64s(reader, batch->open, batch->entries);
    lotor_read_i64s(reader, batch->total, batch->entries);
    lotor_read_expect(reader, reader->status == LOTOR_OK && is_consistent(batch));
}
