/* statistic_hybrid.c - running sums without a horizon: a hybrid counter per arm (hybrid.h).
 *
 * The scale is that of the noise on a block, 2 l1 / epsilon; hybrid.c has the rest.
 */
#include <assert.h>
#include <stdio.h>

#include "privacy/release/hybrid.h"
#include "privacy/release/statistic_kind.h"

static lotor_status make_arm(const lotor_statistic *statistic, const lotor_release_params *params,
                             lotor_message *why, void **state)
{
    (void)statistic;
    lotor_hybrid *hybrid;
    const lotor_status status = lotor_hybrid_new(params, why, &hybrid);
    *state = hybrid;
    return status;
}

static void free_arm(void *state)
{
    lotor_hybrid_free(state);
}

static lotor_status insert(const lotor_statistic *statistic, lotor_statistic_part *arm,
                           const int64_t *sum, uint64_t rounds, lotor_noise *noise, bool *due)
{
    (void)statistic;
    (void)rounds;
    (void)due;
    assert(rounds == 1);
    return lotor_hybrid_insert(arm->state, sum, noise);
}

/* part->sum and part->count are those of the first observation, if the arm began with one;
 * otherwise 0. */
static lotor_status post(const lotor_statistic *statistic, size_t arm, lotor_board *board)
{
    const lotor_statistic_part *part = &statistic->parts[arm];
    const lotor_hybrid *hybrid = part->state;
    return lotor_statistic_post(statistic, 0, arm, lotor_release_plus(part->sum, hybrid->output[0]),
                                part->count + hybrid->count, board);
}

static void save_arm(const void *state, lotor_writer *writer)
{
    lotor_hybrid_save(state, writer);
}

static void load_arm(const lotor_statistic *statistic, void *state, lotor_reader *reader)
{
    (void)statistic;
    lotor_hybrid_load(state, reader);
}

static void describe(const void *state, char *sizes, size_t capacity)
{
    (void)state;
    snprintf(sizes, capacity, "tree nodes: k times the scale");
}

static lotor_running_sum running(const void *state)
{
    const lotor_hybrid *hybrid = state;
    return (lotor_running_sum){hybrid->output, hybrid->count, hybrid->count};
}

const lotor_statistic_kind lotor_statistic_hybrid = {
    .name = "hybrid counter",
    .noise = "discrete Laplace",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_HYBRID, LOTOR_MODEL_CENTRAL, LOTOR_CLAIM_REWARDS, NULL},
    .is_at_once = true,
    .counter = "hybrid",
    .theorem = "hybrid mechanism (Chan, Shi and Song 2011)",
    .describe = describe,
    .running = running,
    .plan = lotor_hybrid_plan,
    .make_arm = make_arm,
    .free_arm = free_arm,
    .insert = insert,
    .save_arm = save_arm,
    .load_arm = load_arm,
    .post = post,
};
