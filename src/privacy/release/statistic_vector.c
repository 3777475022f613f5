/* statistic_vector.c - one binary tree over rounds, whose values have an entry per arm.
 *
 * Every round is in at most `levels` nodes, so the noise is l1 levels / epsilon. Chen et al. 2020
 * print 2 log T in place of the levels, which is more from T = 5 on (statistic.md).
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "privacy/release/statistic_kind.h"
#include "privacy/release/tree.h"

typedef struct vector {
    lotor_tree *tree;
    size_t arms;
    int64_t *round; /* room for one value of the tree */
} vector;

/* l1 times max(2 log T, levels), rounded up to whole units. */
static uint64_t vector_l1(const lotor_release_params *params)
{
    const double levels = (double)lotor_tree_levels(params->horizon);
    const double factor = fmax(2.0 * log((double)params->horizon), levels);
    const double l1 = ceil((double)params->l1 * factor);
    return l1 < 0x1p62 ? (uint64_t)l1 : UINT64_C(1) << 62;
}

static lotor_status plan(const lotor_release_params *params, lotor_message *why, uint64_t *scale,
                         uint64_t *horizon)
{
    lotor_release_params spread = *params;
    spread.l1 = vector_l1(params);
    const lotor_status status = lotor_release_scale(&spread, LOTOR_LAW_LAPLACE, 1, why, scale);
    const uint64_t levels = lotor_tree_levels(params->horizon);
    return status == LOTOR_OK ? lotor_release_fits(params, *scale, levels, why, horizon) : status;
}

static void free_all(void *state)
{
    vector *mine = state;
    lotor_tree_free(mine->tree);
    lotor_wipe_free(mine->round, mine->round ? mine->arms * sizeof *mine->round : 0);
    free(mine);
}

static lotor_status make(lotor_statistic *statistic, const lotor_release_params *params,
                         lotor_message *why, void **state)
{
    (void)params;
    (void)why;
    vector *made = calloc(1, sizeof *made);
    if (!made) {
        return LOTOR_MEMORY;
    }
    *state = made;
    made->arms = statistic->arms;
    made->round = calloc(statistic->arms, sizeof *made->round);
    return made->round ? lotor_tree_new(statistic->arms, statistic->horizon, LOTOR_LAW_LAPLACE,
                                        statistic->scale, &made->tree)
                       : LOTOR_MEMORY;
}

static lotor_status insert_round(lotor_statistic *statistic, const uint32_t *arms,
                                 const int64_t *values, size_t count, uint64_t time,
                                 lotor_noise *noise)
{
    (void)time;
    vector *mine = statistic->whole.state;
    for (size_t i = 0; i < count; i++) {
        assert(arms[i] < mine->arms);
        mine->round[arms[i]] = values[i];
    }
    const lotor_status status = lotor_tree_insert(mine->tree, mine->round, noise);
    for (size_t i = 0; i < count; i++) {
        mine->round[arms[i]] = 0;
        statistic->parts[arms[i]].count += status == LOTOR_OK;
    }
    return status;
}

static lotor_status post(const lotor_statistic *statistic, size_t arm, lotor_board *board)
{
    const vector *mine = statistic->whole.state;
    const double value = (double)mine->tree->output[arm] * statistic->unit;
    return lotor_board_post(board, 0, arm,
                            (lotor_fact){value, statistic->parts[arm].count, statistic->whole.fed});
}

static void save(const lotor_statistic *statistic, lotor_writer *writer)
{
    lotor_tree_save(((const vector *)statistic->whole.state)->tree, writer);
}

static void load(lotor_statistic *statistic, size_t arms, lotor_reader *reader)
{
    assert(arms == statistic->arms);
    (void)arms;
    lotor_tree *tree = ((const vector *)statistic->whole.state)->tree;
    const uint64_t horizon = tree->horizon;
    lotor_tree_load(tree, reader);
    lotor_read_expect(reader, tree->horizon == horizon && tree->scale == statistic->scale);
}

const lotor_statistic_kind lotor_statistic_vector_tree = {
    .name = "vector tree",
    .noise = "discrete Laplace",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_LAPLACE_TREE, LOTOR_MODEL_CENTRAL, LOTOR_CLAIM_REWARDS, NULL},
    .releases_all = true,
    .plan = plan,
    .make = make,
    .free = free_all,
    .insert_round = insert_round,
    .saves_arms = true, /* how often each arm was recorded */
    .save = save,
    .load = load,
    .post = post,
};
