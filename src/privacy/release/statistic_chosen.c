/* statistic_chosen.c - sums of batches that the learner closes (chosen.md has the proof).
 *
 * An arm's displays go into batches. The learner says when a batch is full, from releases and public
 * counts alone. Feedback becomes final later than its display, so several batches of an arm can be
 * closed and wait:
 *
 *      released ... released | batch that is filling | closed, closed, ... | open to displays
 *                              size known or not       sizes known           size not known
 *
 * Every value is in one batch, and a batch is released once, when its last display is final: noise
 * l1 / epsilon on each sum.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "privacy/release/batch.h"
#include "privacy/release/statistic_kind.h"

/* A leader's batches double, so 62 reach 2^62 displays. With a window they have a largest size. */
enum { CLOSED_MAX = 64 };

#define SIZE_UNKNOWN (UINT64_C(1) << 62)

typedef struct chosen_arm {
    lotor_batch *batch;         /* the one that is filling */
    uint64_t sizes[CLOSED_MAX]; /* of the closed batches after it */
    size_t count;
} chosen_arm;

/* Each batch adds at least a fifth to the displays of its arm that the learner uses (learn/imed.c).
 * A learner with a window forgets releases; then rows are used again, those of the oldest releases
 * first. */
size_t lotor_chosen_rows(uint64_t horizon)
{
    const uint64_t most = horizon > 0 && horizon < SIZE_UNKNOWN ? horizon : SIZE_UNKNOWN;
    size_t rows = 2;
    for (uint64_t n = 1; n<most; n += n / 5> 0 ? n / 5 : 1) {
        rows++;
    }
    return rows;
}

static void free_arm(void *state)
{
    chosen_arm *arm = state;
    lotor_batch_free(arm->batch);
    free(arm);
}

static lotor_status make_arm(const lotor_statistic *statistic, const lotor_release_params *params,
                             lotor_message *why, void **state)
{
    (void)why;
    *state = NULL;
    chosen_arm *arm = calloc(1, sizeof *arm);
    if (!arm) {
        return LOTOR_MEMORY;
    }
    lotor_status status =
        lotor_batch_new(params->dimension, LOTOR_LAW_LAPLACE, statistic->scale, &arm->batch);
    if (status == LOTOR_OK) {
        status = lotor_batch_open(arm->batch, SIZE_UNKNOWN);
    }
    if (status != LOTOR_OK) {
        free_arm(arm);
        return status;
    }
    *state = arm;
    return LOTOR_OK;
}

/* Opens the next batch: the first that waits, or one whose size is not known. */
static lotor_status open_next(chosen_arm *arm)
{
    const uint64_t size = arm->count > 0 ? arm->sizes[0] : SIZE_UNKNOWN;
    for (size_t i = 1; i < arm->count; i++) {
        arm->sizes[i - 1] = arm->sizes[i];
    }
    arm->count -= arm->count > 0;
    return lotor_batch_open(arm->batch, size);
}

static lotor_status insert(const lotor_statistic *statistic, lotor_statistic_part *part,
                           const int64_t *sum, uint64_t rounds, lotor_noise *noise, bool *due)
{
    (void)statistic;
    chosen_arm *arm = part->state;
    const lotor_status status = lotor_batch_insert_sum(arm->batch, sum, rounds, noise, due);
    return *due ? open_next(arm) : status;
}

static lotor_status post(const lotor_statistic *statistic, size_t arm, lotor_board *board)
{
    const lotor_batch *batch = ((const chosen_arm *)statistic->parts[arm].state)->batch;
    assert(batch->releases > 0);
    return lotor_statistic_post(statistic, (batch->releases - 1) % board->statistics, arm,
                                batch->latest[0], batch->latest_size, board);
}

static uint64_t room(const lotor_statistic *statistic, size_t arm)
{
    const lotor_batch *batch = ((const chosen_arm *)statistic->parts[arm].state)->batch;
    return batch->size - batch->filled;
}

uint64_t lotor_statistic_fed_count(const lotor_statistic *statistic, size_t which)
{
    const lotor_statistic_part *part = &statistic->parts[which];
    uint64_t fed = part->count;
    if (statistic->kind->is_closed_outside) {
        const lotor_batch *batch = ((const chosen_arm *)part->state)->batch;
        fed = batch->covered + batch->filled;
    }
    return part->due && fed > 0 ? fed - 1 : fed;
}

void lotor_statistic_close(lotor_statistic *statistic, size_t which, uint64_t size)
{
    assert(statistic->kind->is_closed_outside && which < statistic->arms);
    chosen_arm *arm = statistic->parts[which].state;
    assert(size > 0 && size < SIZE_UNKNOWN);
    if (arm->batch->size == SIZE_UNKNOWN) {
        assert(size > arm->batch->filled);
        arm->batch->size = size;
    } else if (arm->count < CLOSED_MAX) {
        arm->sizes[arm->count++] = size;
    }
}

void lotor_statistic_reopen(lotor_statistic *statistic, size_t which)
{
    assert(statistic->kind->is_closed_outside && which < statistic->arms);
    chosen_arm *arm = statistic->parts[which].state;
    if (arm->count > 0) {
        arm->count--;
    } else {
        arm->batch->size = SIZE_UNKNOWN;
    }
}

uint64_t lotor_statistic_waiting(const lotor_statistic *statistic, size_t which)
{
    const chosen_arm *arm = statistic->parts[which].state;
    uint64_t sum = arm->batch->size < SIZE_UNKNOWN ? arm->batch->size : 0;
    for (size_t i = 0; i < arm->count; i++) {
        sum += arm->sizes[i];
    }
    return sum;
}

uint64_t lotor_statistic_covered(const lotor_statistic *statistic, size_t which)
{
    return ((const chosen_arm *)statistic->parts[which].state)->batch->covered;
}

static void save_arm(const void *state, lotor_writer *writer)
{
    const chosen_arm *arm = state;
    lotor_batch_save(arm->batch, writer);
    lotor_write_u64(writer, arm->count);
    for (size_t i = 0; i < arm->count; i++) {
        lotor_write_u64(writer, arm->sizes[i]);
    }
}

static void load_arm(const lotor_statistic *statistic, void *state, lotor_reader *reader)
{
    (void)statistic;
    chosen_arm *arm = state;
    lotor_batch_load(arm->batch, reader);
    lotor_read_expect(reader, arm->batch->size > 0 && arm->batch->size <= SIZE_UNKNOWN);
    const uint64_t count = lotor_read_u64(reader);
    lotor_read_expect(reader,
                      count <= CLOSED_MAX && (count == 0 || arm->batch->size < SIZE_UNKNOWN));
    arm->count = reader->status == LOTOR_OK ? (size_t)count : 0;
    for (size_t i = 0; i < arm->count; i++) {
        arm->sizes[i] = lotor_read_u64(reader);
        lotor_read_expect(reader, arm->sizes[i] > 0 && arm->sizes[i] < SIZE_UNKNOWN);
    }
}

/* The releases on the board must have increasing times, in order from the oldest, and cover no more
 * than was released; all of it, if no row was used twice. */
static bool fits_board(const lotor_batch *batch, double unit, size_t arm, const lotor_board *board,
                       uint64_t posted, uint64_t not_posted)
{
    const size_t rows = board->statistics;
    const uint64_t kept = posted < rows ? posted : rows, first = posted - kept;
    uint64_t covered = not_posted, latest = 0;
    for (uint64_t i = first; i < first + rows; i++) {
        const lotor_fact *fact = lotor_board_at(board, (size_t)(i % rows), arm);
        const bool is_fine = i < posted ? fact->time > latest && fact->count > 0 &&
                                              fabs(fact->value) <= 0x1p63 * unit
                                        : fact->time == 0;
        if (!is_fine || __builtin_add_overflow(covered, fact->count, &covered)) {
            return false;
        }
        latest = i < posted ? fact->time : latest;
    }
    return covered <= batch->covered && (posted > rows || covered == batch->covered);
}

/* Closed batches have no more displays than the arm. A release that is due is not on the board. */
static bool fits(const lotor_statistic *statistic, size_t which, const lotor_board *board,
                 uint64_t shown)
{
    const lotor_statistic_part *part = &statistic->parts[which];
    const chosen_arm *arm = part->state;
    const lotor_batch *batch = arm->batch;
    if (part->due && batch->releases == 0) {
        return false;
    }
    const uint64_t filling = batch->size < SIZE_UNKNOWN ? batch->size : batch->filled;
    uint64_t used = batch->covered;
    bool fine =
        fits_board(batch, statistic->unit, which, board, batch->releases - (part->due ? 1 : 0),
                   part->due ? batch->latest_size : 0) &&
        !__builtin_add_overflow(used, filling, &used);
    for (size_t i = 0; i < arm->count; i++) {
        fine = fine && !__builtin_add_overflow(used, arm->sizes[i], &used);
    }
    return fine && used <= shown;
}

const lotor_statistic_kind lotor_statistic_chosen = {
    .name = "chosen batches",
    .noise = "discrete Laplace",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_LAPLACE, LOTOR_MODEL_CENTRAL, LOTOR_CLAIM_RECORDED, NULL},
    .records_one = true,
    .keeps_batches = true,
    .is_closed_outside = true,
    .plan = lotor_statistic_plan_once,
    .make_arm = make_arm,
    .free_arm = free_arm,
    .insert = insert,
    .save_arm = save_arm,
    .load_arm = load_arm,
    .post = post,
    .room = room,
    .fits = fits,
};
