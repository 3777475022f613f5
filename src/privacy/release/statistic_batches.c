/* statistic_batches.c - sums of whole batches of an arm's observations (batch.h, schedule.h).
 *
 * Every value is in one batch, and a batch is released once. So the noise on each sum is l1 /
 * epsilon.
 */
#include <assert.h>
#include <stdio.h>

#include "privacy/release/batch.h"
#include "privacy/release/statistic_kind.h"

static lotor_status make_arm(const lotor_statistic *statistic, const lotor_release_params *params,
                             lotor_message *why, void **state)
{
    (void)why;
    lotor_batch *batch;
    const lotor_status status =
        lotor_batch_new(params->dimension, LOTOR_LAW_LAPLACE, statistic->scale, &batch);
    *state = batch;
    return status == LOTOR_OK ? lotor_batch_open(batch, 1) : status;
}

static void free_arm(void *state)
{
    lotor_batch_free(state);
}

static lotor_status insert(const lotor_statistic *statistic, lotor_statistic_part *arm,
                           const int64_t *sum, uint64_t rounds, lotor_noise *noise, bool *due)
{
    lotor_batch *batch = arm->state;
    const lotor_status status = lotor_batch_insert_sum(batch, sum, rounds, noise, due);
    return *due ? lotor_batch_open(batch, statistic->kind->schedule(batch->covered)) : status;
}

/* Posts the latest batch. If batches stay on the board, its row is its number. */
static lotor_status post(const lotor_statistic *statistic, size_t arm, lotor_board *board)
{
    const lotor_batch *batch = statistic->parts[arm].state;
    assert(batch->releases > 0);
    const size_t row = statistic->kind->keeps_batches ? batch->releases - 1 : 0;
    return lotor_statistic_post(statistic, row, arm, batch->latest[0], batch->latest_size, board);
}

static uint64_t room(const lotor_statistic *statistic, size_t arm)
{
    const lotor_batch *batch = statistic->parts[arm].state;
    return batch->size - batch->filled;
}

static void save_arm(const void *state, lotor_writer *writer)
{
    lotor_batch_save(state, writer);
}

static void load_arm(const lotor_statistic *statistic, void *state, lotor_reader *reader)
{
    lotor_batch_load(state, reader);
    lotor_read_expect(reader, lotor_schedule_fits(statistic->kind->schedule, state));
}

/* If batches stay on the board, each must be in its row; otherwise the latest must be on the board.
 * A release that is due is not on the board. */
static bool fits(const lotor_statistic *statistic, size_t arm, const lotor_board *board,
                 uint64_t shown)
{
    const lotor_statistic_part *part = &statistic->parts[arm];
    const lotor_batch *batch = part->state;
    const bool keeps = statistic->kind->keeps_batches;
    const size_t rows = keeps ? board->statistics : 1;
    if ((part->due && batch->releases == 0) || batch->covered + batch->filled > shown) {
        return false;
    }
    const uint64_t posted = batch->releases - (part->due ? 1 : 0);
    if (keeps && batch->releases > rows) {
        return false;
    }
    for (size_t row = 0; row < rows; row++) {
        const lotor_fact *fact = lotor_board_at(board, row, arm);
        const uint64_t number = !keeps ? posted : row < posted ? row + 1 : 0;
        if ((fact->time > 0) != (number > 0) ||
            fact->count != lotor_schedule_size(statistic->kind->schedule, number)) {
            return false;
        }
        if (number == 0) {
            break; /* all later rows are empty, too: lotor_board_load */
        }
    }
    return true;
}

/* --- batch_total: the sum of all releases so far, up to a horizon ----------------------------- */

/* The sum contains the noise of up to 64 batches. */
static lotor_status plan_total(const lotor_release_params *params, lotor_message *why,
                               uint64_t *scale, uint64_t *horizon)
{
    const lotor_status status = lotor_release_scale(params, LOTOR_LAW_LAPLACE, 1, why, scale);
    return status == LOTOR_OK ? lotor_release_fits(params, *scale, 64, why, horizon) : status;
}

static lotor_status insert_total(const lotor_statistic *statistic, lotor_statistic_part *arm,
                                 const int64_t *sum, uint64_t rounds, lotor_noise *noise, bool *due)
{
    const lotor_batch *batch = arm->state;
    if (batch->covered + batch->filled >= statistic->horizon) {
        return LOTOR_HORIZON;
    }
    return insert(statistic, arm, sum, rounds, noise, due);
}

static lotor_status post_total(const lotor_statistic *statistic, size_t arm, lotor_board *board)
{
    const lotor_batch *batch = statistic->parts[arm].state;
    return lotor_statistic_post(statistic, 0, arm, batch->total[0], batch->covered, board);
}

static void load_total(const lotor_statistic *statistic, void *state, lotor_reader *reader)
{
    const lotor_batch *batch = state;
    load_arm(statistic, state, reader);
    lotor_read_expect(reader, batch->covered + batch->filled <= statistic->horizon);
}

static void describe(const void *state, char *sizes, size_t capacity)
{
    (void)state;
    snprintf(sizes, capacity, "sizes 1, 2, 4, ...");
}

static lotor_running_sum running(const void *state)
{
    const lotor_batch *batch = state;
    return (lotor_running_sum){batch->total, batch->covered, batch->covered + batch->filled};
}

/* --- the rows --------------------------------------------------------------------------------- */

const lotor_statistic_kind lotor_statistic_doubling = {
    .name = "doubling batches",
    .noise = "discrete Laplace",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_LAPLACE, LOTOR_MODEL_CENTRAL, LOTOR_CLAIM_REWARDS, NULL},
    .schedule = lotor_schedule_doubling,
    .plan = lotor_statistic_plan_once,
    .make_arm = make_arm,
    .free_arm = free_arm,
    .insert = insert,
    .save_arm = save_arm,
    .load_arm = load_arm,
    .post = post,
    .room = room,
};

const lotor_statistic_kind lotor_statistic_growing = {
    .name = "growing batches",
    .noise = "discrete Laplace",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_LAPLACE, LOTOR_MODEL_CENTRAL, LOTOR_CLAIM_RECORDED, NULL},
    .records_one = true,
    .keeps_batches = true,
    .schedule = lotor_schedule_growing,
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

const lotor_statistic_kind lotor_statistic_episodes = {
    .name = "episodes",
    .noise = "discrete Laplace",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_LAPLACE, LOTOR_MODEL_CENTRAL, LOTOR_CLAIM_RECORDED, NULL},
    .records_one = true,
    .schedule = lotor_schedule_episodes,
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

/* The same batches, of which all stay on the board: to be added up. */
const lotor_statistic_kind lotor_statistic_episodes_kept = {
    .name = "kept episodes",
    .noise = "discrete Laplace",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_LAPLACE, LOTOR_MODEL_CENTRAL, LOTOR_CLAIM_RECORDED, NULL},
    .records_one = true,
    .keeps_batches = true,
    .schedule = lotor_schedule_episodes,
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

const lotor_statistic_kind lotor_statistic_batch_total = {
    .name = "added batches",
    .noise = "discrete Laplace",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_LAPLACE, LOTOR_MODEL_CENTRAL, LOTOR_CLAIM_REWARDS, NULL},
    .schedule = lotor_schedule_doubling,
    .counter = "batch",
    .theorem = "Laplace mechanism on disjoint batches (Dwork, McSherry, Nissim and Smith 2006)",
    .describe = describe,
    .running = running,
    .plan = plan_total,
    .make_arm = make_arm,
    .free_arm = free_arm,
    .insert = insert_total,
    .save_arm = save_arm,
    .load_arm = load_total,
    .post = post_total,
    .room = room,
};
