/* epoch.c - the sums of an elimination epoch (epoch.h; Sajed 2019, Algorithms 9 and 10).
 *
 * Sensitivity. The reward of a round is in one arm's sum of one epoch. The sum is released once,
 * with noise l1 / epsilon: this is epsilon-DP for all epochs together. With a gate: the largest
 * difference of two sums moves by at most l1, so the queries of one epoch are sparse vector at
 * epsilon/2, with noise 3 l1 / (epsilon/2) = 6 l1 / epsilon. The sums get the other half, noise 2
 * l1 / epsilon. A round is in the gate and in the sums of one epoch only: epsilon in all.
 */
#include "privacy/release/epoch.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/ratio.h"
#include "privacy/release/sparse.h"

struct lotor_epoch {
    lotor_epoch_kind kind;
    size_t arms;
    double unit;
    uint64_t scale; /* of the noise on a sum, in units */
    lotor_sparse sparse;
    int64_t *sums;        /* of the open epoch; with noise already if `is_noisy` */
    int64_t *noisy;       /* room for the release that is being made */
    bool is_noisy;        /* a release has its noise, and not all of it is on the board yet */
    bool answered, above; /* the gate's result is not on the board yet; the result */
    uint64_t *counts;
    int64_t *totals;   /* LOTOR_EPOCH_ADDED: the public sums of all earlier releases; else NULL */
    uint64_t *covered; /* how many observations `totals` cover */
};

const char *lotor_epoch_name(lotor_epoch_kind kind)
{
    static const char *const names[] = {"exact sums", "batch sums", "sparse vector and batch sums",
                                        "added batch sums"};
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "unknown epochs";
}

lotor_claim lotor_epoch_claim(lotor_epoch_kind kind)
{
    switch (kind) {
    case LOTOR_EPOCH_EXACT:
        return (lotor_claim){.mechanism = LOTOR_MECHANISM_EXACT};
    case LOTOR_EPOCH_BATCH:
    case LOTOR_EPOCH_ADDED:
        return (lotor_claim){LOTOR_MECHANISM_LAPLACE, LOTOR_MODEL_CENTRAL, LOTOR_CLAIM_ONE, NULL};
    case LOTOR_EPOCH_GATED:
        return (lotor_claim){LOTOR_MECHANISM_GATED, LOTOR_MODEL_CENTRAL, LOTOR_CLAIM_ONE, NULL};
    }
    return (lotor_claim){.mechanism = LOTOR_MECHANISM_UNKNOWN};
}

static lotor_status plan(lotor_epoch *epoch, const lotor_release_params *params, lotor_message *why)
{
    lotor_release_params share = *params;
    lotor_status status = LOTOR_OK;
    if (epoch->kind == LOTOR_EPOCH_GATED) {
        status = lotor_ratio_half(params->epsilon, why, &share.epsilon);
        if (status == LOTOR_OK) {
            status = lotor_sparse_make(share.l1, share.epsilon, why, &epoch->sparse);
        }
    }
    if (status == LOTOR_OK && epoch->kind != LOTOR_EPOCH_EXACT) {
        status = lotor_release_scale(&share, LOTOR_LAW_LAPLACE, 1, why, &epoch->scale);
    }
    uint64_t horizon;
    return status != LOTOR_OK ? status : lotor_release_fits(params, epoch->scale, 1, why, &horizon);
}

lotor_status lotor_epoch_new(lotor_epoch_kind kind, size_t arms, const lotor_release_params *params,
                             double unit, lotor_message *why, lotor_epoch **out)
{
    *out = NULL;
    lotor_epoch *epoch = calloc(1, sizeof *epoch);
    if (!epoch) {
        return LOTOR_MEMORY;
    }
    epoch->kind = kind;
    epoch->arms = arms;
    epoch->unit = unit;
    lotor_status status = plan(epoch, params, why);
    if (status == LOTOR_OK) {
        epoch->sums = calloc(arms, sizeof *epoch->sums);
        epoch->noisy = calloc(arms, sizeof *epoch->noisy);
        epoch->counts = calloc(arms, sizeof *epoch->counts);
        status = epoch->sums && epoch->noisy && epoch->counts ? LOTOR_OK : LOTOR_MEMORY;
    }
    if (status == LOTOR_OK && kind == LOTOR_EPOCH_ADDED) {
        epoch->totals = calloc(arms, sizeof *epoch->totals);
        epoch->covered = calloc(arms, sizeof *epoch->covered);
        status = epoch->totals && epoch->covered ? LOTOR_OK : LOTOR_MEMORY;
    }
    if (status != LOTOR_OK) {
        lotor_epoch_free(epoch);
        return status;
    }
    *out = epoch;
    return LOTOR_OK;
}

void lotor_epoch_free(lotor_epoch *epoch)
{
    if (epoch) {
        lotor_wipe_free(epoch->sums, epoch->sums ? epoch->arms * sizeof *epoch->sums : 0);
        lotor_wipe_free(epoch->noisy, epoch->noisy ? epoch->arms * sizeof *epoch->noisy : 0);
        free(epoch->counts);
        free(epoch->totals);
        free(epoch->covered);
        free(epoch);
    }
}

uint64_t lotor_epoch_scale(const lotor_epoch *epoch)
{
    return epoch->scale;
}

uint64_t lotor_epoch_gate_scale(const lotor_epoch *epoch)
{
    return epoch->sparse.scale;
}

uint64_t lotor_epoch_count(const lotor_epoch *epoch, size_t arm)
{
    assert(arm < epoch->arms);
    return epoch->counts[arm];
}

void lotor_epoch_feed(lotor_epoch *epoch, size_t arm, int64_t sum, uint64_t rounds)
{
    assert(arm < epoch->arms);
    epoch->sums[arm] = lotor_release_plus(epoch->sums[arm], sum);
    epoch->counts[arm] += rounds;
}

/* The largest difference of two viable arms' sums. */
static int64_t largest_gap(const lotor_epoch *epoch, const uint32_t *viable, size_t count)
{
    assert(count > 0);
    int64_t least = epoch->sums[viable[0]], most = least;
    for (size_t i = 1; i < count; i++) {
        const int64_t sum = epoch->sums[viable[i]];
        least = sum < least ? sum : least;
        most = sum > most ? sum : most;
    }
    return (int64_t)((uint64_t)most - (uint64_t)least);
}

/* Asks sparse vector. The result is kept until it is on the board. */
static lotor_status answer(lotor_epoch *epoch, const uint32_t *viable, size_t count,
                           double threshold, lotor_noise *noise)
{
    lotor_sparse asked = epoch->sparse; /* a copy, which is kept only on success */
    lotor_status status = asked.running ? LOTOR_OK : lotor_sparse_begin(&asked, noise);
    if (status != LOTOR_OK) {
        return status;
    }
    const double units = ceil(threshold / epoch->unit);
    const int64_t bound = units < 0x1p62 ? (int64_t)units : INT64_MAX;
    bool above;
    status = lotor_sparse_ask(&asked, largest_gap(epoch, viable, count), bound, noise, &above);
    if (status == LOTOR_OK) {
        epoch->sparse = asked;
        epoch->answered = true;
        epoch->above = above;
    }
    return status;
}

lotor_status lotor_epoch_ask(lotor_epoch *epoch, const uint32_t *viable, size_t count,
                             double threshold, uint64_t time, lotor_noise *noise,
                             lotor_board *board)
{
    /* Ask only once, even if the board's journal refuses and this function is called again. */
    if (!epoch->answered) {
        const lotor_status status = answer(epoch, viable, count, threshold, noise);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    const lotor_status status =
        lotor_board_post(board, 1, 0, (lotor_fact){epoch->above ? 1.0 : 0.0, 1, time});
    epoch->answered = status != LOTOR_OK;
    return status;
}

/* The fact to release for an arm whose sum has its noise: the sum of this epoch and, for
 * LOTOR_EPOCH_ADDED, of all earlier releases. */
static lotor_fact release_of(const lotor_epoch *epoch, size_t arm, uint64_t time)
{
    int64_t sum = epoch->sums[arm];
    uint64_t count = epoch->counts[arm];
    if (epoch->totals) {
        sum = lotor_release_plus(epoch->totals[arm], sum);
        count += epoch->covered[arm];
    }
    return (lotor_fact){(double)sum * epoch->unit, count, time};
}

/* Called when the whole release is on the board: adds it to the released totals. */
static void add_up(lotor_epoch *epoch, const uint32_t *viable, size_t count)
{
    for (size_t i = 0; i < count && epoch->totals; i++) {
        const uint32_t arm = viable[i];
        epoch->totals[arm] = lotor_release_plus(epoch->totals[arm], epoch->sums[arm]);
        epoch->covered[arm] += epoch->counts[arm];
    }
}

/* Adds the noise to the sums of the viable arms, and wipes the others. On failure nothing
 * changed. */
static lotor_status add_noise(lotor_epoch *epoch, const uint32_t *viable, size_t count,
                              lotor_noise *noise)
{
    const size_t bytes = epoch->arms * sizeof *epoch->sums;
    for (size_t i = 0; i < count; i++) {
        epoch->noisy[i] = epoch->sums[viable[i]];
    }
    const lotor_status status =
        lotor_noise_add(noise, LOTOR_LAW_LAPLACE, epoch->scale, count, epoch->noisy);
    if (status == LOTOR_OK && epoch->kind != LOTOR_EPOCH_EXACT) {
        lotor_wipe(epoch->sums, bytes);
        for (size_t i = 0; i < count; i++) {
            epoch->sums[viable[i]] = epoch->noisy[i];
        }
    }
    lotor_wipe(epoch->noisy, bytes);
    epoch->is_noisy = status == LOTOR_OK;
    return status;
}

lotor_status lotor_epoch_release(lotor_epoch *epoch, const uint32_t *viable, size_t count,
                                 uint64_t time, lotor_noise *noise, lotor_board *board)
{
    assert(count <= epoch->arms);
    lotor_status status = LOTOR_OK;
    if (!epoch->is_noisy) { /* only once, even if the journal refuses and this is called again */
        status = add_noise(epoch, viable, count, noise);
    }
    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        const uint32_t arm = viable[i];
        status = lotor_board_post(board, 0, arm, release_of(epoch, arm, time));
    }
    if (status != LOTOR_OK) {
        return status;
    }
    epoch->is_noisy = false;
    add_up(epoch, viable, count);
    if (epoch->kind != LOTOR_EPOCH_EXACT) {
        memset(epoch->sums, 0, epoch->arms * sizeof *epoch->sums);
        memset(epoch->counts, 0, epoch->arms * sizeof *epoch->counts);
    }
    return LOTOR_OK;
}

void lotor_epoch_save(const lotor_epoch *epoch, lotor_writer *writer)
{
    lotor_write_i64s(writer, epoch->sums, epoch->arms);
    lotor_write_i64s(writer, epoch->noisy, epoch->arms); /* zeros; version 0.1 had its noise here */
    lotor_write_u64(writer, epoch->is_noisy);
    lotor_write_u64(writer, epoch->answered);
    lotor_write_u64(writer, epoch->answered && epoch->above);
    for (size_t i = 0; i < epoch->arms; i++) {
        lotor_write_u64(writer, epoch->counts[i]);
    }
    lotor_sparse_save(&epoch->sparse, writer);
    for (size_t i = 0; i < epoch->arms && epoch->totals; i++) {
        lotor_write_i64s(writer, &epoch->totals[i], 1);
        lotor_write_u64(writer, epoch->covered[i]);
    }
}

void lotor_epoch_load(lotor_epoch *epoch, lotor_reader *reader)
{
    lotor_read_i64s(reader, epoch->sums, epoch->arms);
    lotor_read_i64s(reader, epoch->noisy, epoch->arms);
    const uint64_t is_noisy = lotor_read_u64(reader);
    const uint64_t answered = lotor_read_u64(reader);
    const uint64_t above = lotor_read_u64(reader);
    lotor_read_expect(reader, is_noisy <= 1 && answered <= 1 && above <= answered);
    epoch->is_noisy = is_noisy == 1;
    for (size_t i = 0; i < epoch->arms; i++) { /* a release with its noise apart: version 0.1 */
        lotor_read_expect(reader, !epoch->is_noisy || epoch->noisy[i] == 0);
        epoch->noisy[i] = 0;
    }
    epoch->answered = answered == 1;
    epoch->above = above == 1;
    for (size_t i = 0; i < epoch->arms; i++) {
        epoch->counts[i] = lotor_read_u64(reader);
    }
    lotor_sparse_load(&epoch->sparse, reader);
    for (size_t i = 0; i < epoch->arms && epoch->totals; i++) {
        lotor_read_i64s(reader, &epoch->totals[i], 1);
        epoch->covered[i] = lotor_read_u64(reader);
    }
}
