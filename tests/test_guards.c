/* test_guards.c - invalid calls of a statistic: sizes that do not fit in memory, values beyond a
 * batch or a horizon, the same report twice. They are refused, and nothing changes. */
#include "support/test.h"

#include <string.h>

#include "learn/elimination.h"
#include "privacy/release/batch.h"
#include "privacy/release/statistic.h"
#include "privacy/release/statistic_kind.h"
#include "privacy/release/tree.h"
#include "support/test_source.h"

static test_source source;

/* --- sizes ------------------------------------------------------------------------------------ */

TEST(trees_and_batches_have_numbers)
{
    static const size_t sizes[] = {0, SIZE_MAX, SIZE_MAX / 2};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        lotor_tree *tree = (lotor_tree *)&source;
        lotor_batch *batch = (lotor_batch *)&source;
        assert_int_equal(lotor_tree_new(sizes[i], 8, LOTOR_LAW_LAPLACE, 1, &tree), LOTOR_INVALID);
        assert_int_equal(lotor_batch_new(sizes[i], LOTOR_LAW_LAPLACE, 1, &batch), LOTOR_INVALID);
        assert_null(tree);
        assert_null(batch);
    }
}

/* More arms than the address space holds: LOTOR_MEMORY, before anything is allocated. */
TEST(arms_beyond_memory)
{
    const lotor_release_params params = {.dimension = 1,
                                         .horizon = 16,
                                         .epsilon = lotor_ratio_of(1, 1),
                                         .l1 = 8,
                                         .l2 = 8,
                                         .magnitude = 8,
                                         .slots = 3,
                                         .width = 8};
    static const size_t arms[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4};
    static const lotor_statistic_kind *const kinds[] = {
        &lotor_statistic_tree, &lotor_statistic_click_reports, &lotor_statistic_click_batches,
        &lotor_statistic_cube_reports};
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++) {
        for (size_t k = 0; k < 4; k++) {
            lotor_statistic *statistic = (lotor_statistic *)&source;
            assert_int_equal(
                lotor_statistic_new(kinds[k], arms[i], &params, 0.125, NULL, &statistic),
                LOTOR_MEMORY);
            assert_null(statistic);
        }
        for (size_t k = 1; k < 4; k++) { /* the state that all arms share */
            lotor_statistic whole = {.arms = arms[i], .scale = 8, .unit = 0.125};
            void *made = NULL;
            assert_int_equal(kinds[k]->make(&whole, &params, NULL, &made), LOTOR_MEMORY);
            assert_null(made);
        }
        const lotor_rule_params rule = {.arms = 2.0, .horizon = 100.0, .epsilon = 1.0, .beta = 0.1};
        lotor_elimination *learner = (lotor_elimination *)&source;
        assert_int_equal(lotor_elimination_new(&lotor_rule_dp_se, &rule, arms[i], 1.0, &learner),
                         LOTOR_MEMORY);
        assert_null(learner);
    }
}

/* --- values ----------------------------------------------------------------------------------- */

/* Sums of no values and sums of more values than are allowed are refused. The batch continues as if nothing had
 * happened. */
TEST(blocks_beyond_a_batch)
{
    lotor_batch *batch;
    test_source_seed(&source, 1);
    lotor_noise noise = lotor_noise_exact(&source.source);
    const int64_t three = 3, seven = 7;
    bool released = true;
    assert_int_equal(lotor_batch_new(1, LOTOR_LAW_LAPLACE, 0, &batch), LOTOR_OK);
    assert_int_equal(lotor_batch_insert_sum(batch, &three, 1, &noise, &released), LOTOR_RELEASED);
    assert_int_equal(lotor_batch_open(batch, 0), LOTOR_INVALID);
    assert_int_equal(lotor_batch_open(batch, 4), LOTOR_OK);
    assert_int_equal(lotor_batch_open(batch, 4), LOTOR_UNFINISHED);
    assert_int_equal(lotor_batch_insert_sum(batch, &three, 3, &noise, &released), LOTOR_OK);
    static const uint64_t wrong[] = {0, 2, 4, UINT64_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        released = true;
        assert_int_equal(lotor_batch_insert_sum(batch, &seven, wrong[i], &noise, &released),
                         LOTOR_INVALID);
        assert_false(released);
        assert_int_equal(batch->filled, 3);
    }
    assert_int_equal(lotor_batch_insert_sum(batch, &seven, 1, &noise, &released), LOTOR_OK);
    assert_true(released);
    assert_int_equal(batch->latest[0], 10);
    assert_int_equal(batch->releases, 1);
    lotor_batch_free(batch);
}

/* Past the horizon a tree refuses values, with its own noise or the caller's. */
TEST(values_beyond_a_tree)
{
    lotor_tree *tree;
    test_source_seed(&source, 1);
    lotor_noise noise = lotor_noise_exact(&source.source);
    const int64_t two = 2;
    assert_int_equal(lotor_tree_new(1, 3, LOTOR_LAW_LAPLACE, 0, &tree), LOTOR_OK);
    int64_t *node;
    assert_int_equal(lotor_tree_prepare(tree, &two, &node), LOTOR_OK);
    assert_int_equal(*node, 2);
    lotor_tree_commit(tree);
    assert_int_equal(lotor_tree_prepare(tree, &two, &node), LOTOR_OK);
    assert_int_equal(*node, 4); /* it merges the first value */
    lotor_tree_abandon(tree);
    assert_int_equal(tree->count, 1);
    assert_int_equal(tree->output[0], 2);
    assert_int_equal(lotor_tree_insert(tree, &two, &noise), LOTOR_OK);
    assert_int_equal(lotor_tree_prepare(tree, &two, &node), LOTOR_OK);
    lotor_tree_commit(tree);
    assert_int_equal(lotor_tree_prepare(tree, &two, &node), LOTOR_HORIZON);
    assert_null(node);
    assert_int_equal(lotor_tree_insert(tree, &two, &noise), LOTOR_HORIZON);
    assert_int_equal(tree->output[0], 6);
    assert_int_equal(tree->count, 3);
    lotor_tree_free(tree);
}

/* --- reports ---------------------------------------------------------------------------------- */

typedef struct journal {
    size_t calls, refuses;
} journal;

static lotor_status refuse_one(void *context, size_t statistic, size_t arm, const lotor_fact *fact)
{
    (void)statistic, (void)arm, (void)fact;
    journal *self = context;
    return self->calls++ == self->refuses ? LOTOR_MEMORY : LOTOR_OK;
}

enum { ARMS = 4, SHOWN = 3, ROUNDS = 5 };

/* Takes the same reports. The journal refuses one post, and the refused call is repeated. */
static size_t take_all(const lotor_statistic_kind *kind, size_t refuses, lotor_fact facts[2 * ARMS])
{
    static const uint32_t shown[ROUNDS][SHOWN] = {
        {0, 1, 2}, {1, 2, 3}, {2, 3, 0}, {3, 0, 1}, {0, 2, 1}};
    static const int64_t reports[ROUNDS][SHOWN] = {
        {1, 0, 1}, {1, 1, 0}, {1, 0, 0}, {1, 1, 1}, {1, 0, 1}};
    const lotor_release_params params = {.dimension = 1,
                                         .horizon = 16,
                                         .epsilon = lotor_ratio_of(1, 1),
                                         .l1 = 8,
                                         .l2 = 8,
                                         .magnitude = 8,
                                         .slots = SHOWN,
                                         .width = 8};
    lotor_statistic *statistic;
    lotor_board *board;
    journal told = {0, refuses};
    size_t failures = 0;
    assert_int_equal(lotor_statistic_new(kind, ARMS, &params, 0.125, NULL, &statistic), LOTOR_OK);
    assert_int_equal(lotor_board_new(2, ARMS, &board), LOTOR_OK);
    lotor_board_set_journal(board, refuse_one, &told);
    for (size_t t = 0; t < ROUNDS; t++) {
        lotor_status status;
        while ((status = lotor_statistic_feed_report(statistic, shown[t], reports[t], SHOWN, t + 1,
                                                     board)) == LOTOR_MEMORY) {
            failures++;
        }
        assert_int_equal(status, LOTOR_OK);
        /* a repeated call changes nothing: the report is counted, and is on the board */
        const uint64_t posts = lotor_board_posts(board);
        assert_int_equal(
            lotor_statistic_feed_report(statistic, shown[t], reports[t], SHOWN, t + 1, board),
            LOTOR_OK);
        assert_int_equal(lotor_board_posts(board), posts);
    }
    assert_int_equal(failures, refuses < told.calls);
    memcpy(facts, board->facts, 2 * ARMS * sizeof *facts);
    lotor_board_free(board);
    lotor_statistic_free(statistic);
    return told.calls;
}

/* Whichever post the journal refuses, every report counts once. */
TEST(a_report_counts_once)
{
    static const lotor_statistic_kind *const kinds[] = {
        &lotor_statistic_reports, &lotor_statistic_bits, &lotor_statistic_click_reports,
        &lotor_statistic_cube_reports};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        lotor_fact expected[2 * ARMS], facts[2 * ARMS];
        const size_t calls = take_all(kinds[k], SIZE_MAX, expected);
        assert_true(calls >= ROUNDS * SHOWN);
        assert_int_equal(expected[0].count, 4); /* arm 0 was in four lists */
        for (size_t refused = 0; refused < calls; refused++) {
            (void)take_all(kinds[k], refused, facts);
            assert_memory_equal(facts, expected, sizeof facts);
        }
    }
}
