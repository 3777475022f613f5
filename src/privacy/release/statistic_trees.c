/* statistic_trees.c - running sums through a binary tree per arm (tree.h).
 *
 * A round moves the fed values by at most l1 in L1 and l2 in L2, over all arms together. Every
 * value is in at most `levels` nodes of the tree of its arm.
 *
 *   tree           l1 levels / epsilon, with the levels that Sajed 2019 prints.
 *   tree_tight     the same with the levels that the tree has, floor(log2 T) + 1.
 *   tree_gaussian  Gaussian noise, l2 sqrt(levels / (2 rho)) (scale.h).
 */
#include <assert.h>
#include <stdio.h>

#include "privacy/release/statistic_kind.h"
#include "privacy/release/tree.h"

/* The noise for values that are in `levels` nodes each. */
static lotor_status plan_levels(const lotor_release_params *params, lotor_law law, uint64_t levels,
                                lotor_message *why, uint64_t *scale, uint64_t *horizon)
{
    const lotor_status status = lotor_release_scale(params, law, levels, why, scale);
    return status == LOTOR_OK ? lotor_release_fits(params, *scale, levels, why, horizon) : status;
}

/* ceil(log2 horizon) + 1, the number of levels that Sajed 2019, Algorithm 5 calibrates for. The
 * tree has floor(log2 horizon) + 1 levels, which is never more. */
static uint64_t printed_levels(uint64_t horizon)
{
    return lotor_tree_levels(horizon) + ((horizon & (horizon - 1)) != 0 ? 1U : 0U);
}

static lotor_status plan_printed(const lotor_release_params *params, lotor_message *why,
                                 uint64_t *scale, uint64_t *horizon)
{
    return plan_levels(params, LOTOR_LAW_LAPLACE, printed_levels(params->horizon), why, scale,
                       horizon);
}

static lotor_status plan_tight(const lotor_release_params *params, lotor_message *why,
                               uint64_t *scale, uint64_t *horizon)
{
    const uint64_t levels = lotor_tree_levels(params->horizon);
    return plan_levels(params, LOTOR_LAW_LAPLACE, levels, why, scale, horizon);
}

static lotor_status plan_gaussian(const lotor_release_params *params, lotor_message *why,
                                  uint64_t *scale, uint64_t *horizon)
{
    const uint64_t levels = lotor_tree_levels(params->horizon);
    return plan_levels(params, LOTOR_LAW_GAUSSIAN, levels, why, scale, horizon);
}

static lotor_status make_arm(const lotor_statistic *statistic, const lotor_release_params *params,
                             lotor_message *why, void **state)
{
    (void)why;
    lotor_tree *tree;
    const lotor_status status = lotor_tree_new(params->dimension, statistic->horizon,
                                               statistic->kind->law, statistic->scale, &tree);
    *state = tree;
    return status;
}

static void free_arm(void *state)
{
    lotor_tree_free(state);
}

static lotor_status insert(const lotor_statistic *statistic, lotor_statistic_part *arm,
                           const int64_t *sum, uint64_t rounds, lotor_noise *noise, bool *due)
{
    (void)statistic;
    (void)rounds;
    (void)due;
    assert(rounds == 1);
    return lotor_tree_insert(arm->state, sum, noise);
}

static uint64_t skip(const lotor_statistic *statistic, lotor_statistic_part *arm,
                     const lotor_skip *skip, lotor_noise *noise)
{
    return lotor_tree_skip(arm->state, statistic->unit, skip, noise);
}

static lotor_status post(const lotor_statistic *statistic, size_t arm, lotor_board *board)
{
    const lotor_tree *tree = statistic->parts[arm].state;
    return lotor_statistic_post(statistic, 0, arm, tree->output[0], tree->count, board);
}

static void save_arm(const void *state, lotor_writer *writer)
{
    lotor_tree_save(state, writer);
}

static void load_arm(const lotor_statistic *statistic, void *state, lotor_reader *reader)
{
    lotor_tree *tree = state;
    const uint64_t horizon = tree->horizon;
    lotor_tree_load(tree, reader);
    lotor_read_expect(reader, tree->horizon == horizon && tree->scale == statistic->scale);
}

static void describe(const void *state, char *sizes, size_t capacity)
{
    snprintf(sizes, capacity, "%u levels", ((const lotor_tree *)state)->levels);
}

static lotor_running_sum running(const void *state)
{
    const lotor_tree *tree = state;
    return (lotor_running_sum){tree->output, tree->count, tree->count};
}

const lotor_statistic_kind lotor_statistic_tree = {
    .name = "tree",
    .noise = "discrete Laplace",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_LAPLACE_TREE, LOTOR_MODEL_CENTRAL, LOTOR_CLAIM_REWARDS, NULL},
    .is_at_once = true,
    .plan = plan_printed,
    .make_arm = make_arm,
    .free_arm = free_arm,
    .insert = insert,
    .skip = skip,
    .save_arm = save_arm,
    .load_arm = load_arm,
    .post = post,
};

const lotor_statistic_kind lotor_statistic_tree_tight = {
    .name = "tree",
    .noise = "discrete Laplace",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_LAPLACE_TREE, LOTOR_MODEL_CENTRAL, LOTOR_CLAIM_REWARDS, NULL},
    .is_at_once = true,
    .counter = "tree",
    .theorem = "binary mechanism (Chan, Shi and Song 2011; Dwork et al. 2010)",
    .needs_horizon = true,
    .describe = describe,
    .running = running,
    .plan = plan_tight,
    .make_arm = make_arm,
    .free_arm = free_arm,
    .insert = insert,
    .skip = skip,
    .save_arm = save_arm,
    .load_arm = load_arm,
    .post = post,
};

const lotor_statistic_kind lotor_statistic_tree_gaussian = {
    .name = "tree",
    .noise = "discrete Gaussian",
    .law = LOTOR_LAW_GAUSSIAN,
    .claim = {LOTOR_MECHANISM_GAUSSIAN_TREE, LOTOR_MODEL_CENTRAL, LOTOR_CLAIM_REWARDS, NULL},
    .is_at_once = true,
    .counter = "gaussian-tree",
    .theorem = "Canonne, Kamath and Steinke 2020, Theorem 4 and Proposition 12, over the tree",
    .needs_horizon = true,
    .describe = describe,
    .running = running,
    .plan = plan_gaussian,
    .make_arm = make_arm,
    .free_arm = free_arm,
    .insert = insert,
    .save_arm = save_arm,
    .load_arm = load_arm,
    .post = post,
};
