/* test_favourite.c - the set that a run showed most often: compared with plain counting, and in
 * whole runs where the result is known.
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "lab/favourite.h"
#include "lab/simulate.h"
#include "world/world.h"

static lotor_favourite end(lotor_tally *tally)
{
    lotor_favourite favourite;
    lotor_tally_end(tally, &favourite);
    assert_null(tally->keys);
    return favourite;
}

TEST(the_most_frequent_leads)
{
    lotor_tally tally;
    const uint32_t a[] = {0, 3}, b[] = {1, 2}, c[] = {2, 1};
    assert_int_equal(lotor_tally_start(&tally, 4, 0, 100), LOTOR_OK);
    assert_true(lotor_tally_add(&tally, a, 2, NULL, 5));
    assert_false(lotor_tally_add(&tally, b, 2, NULL, 4));
    assert_false(lotor_tally_add(&tally, b, 2, NULL, 1)); /* 5 : 5, the first leader stays */
    assert_true(lotor_tally_add(&tally, c, 2, NULL, 1));  /* the same set as b: 6 */
    assert_false(lotor_tally_add(&tally, a, 2, NULL, 0));
    lotor_favourite favourite = end(&tally);
    assert_int_equal(favourite.count, 2);
    assert_memory_equal(favourite.arms, c, sizeof c);
    assert_int_equal(favourite.rounds, 6);
    assert_int_equal(favourite.of, 100);
    assert_null(favourite.seeds);
    free(favourite.arms);
}

/* Sets of different sizes are different, and so are the same arms with other seeds. */
TEST(sets_are_told_apart)
{
    lotor_tally tally;
    const uint32_t arms[] = {0, 1, 2};
    assert_int_equal(lotor_tally_start(&tally, 3, 2, 100), LOTOR_OK);
    assert_true(lotor_tally_add(&tally, arms, 3, (const uint32_t[]){0, 1}, 3));
    assert_false(lotor_tally_add(&tally, arms, 3, (const uint32_t[]){0, 2}, 3));
    assert_false(lotor_tally_add(&tally, arms, 2, (const uint32_t[]){0, 1}, 3));
    assert_true(lotor_tally_add(&tally, arms, 3, (const uint32_t[]){2, 0}, 1));
    lotor_favourite favourite = end(&tally);
    assert_int_equal(favourite.rounds, 4);
    assert_int_equal(favourite.seed_count, 2);
    assert_int_equal(favourite.seeds[0], 2);
    assert_int_equal(favourite.seeds[1], 0);
    free(favourite.arms);
}

/* 200,000 different sets are more than the table holds: the leader stays, and no loop is
 * endless. */
TEST(a_full_table_goes_on)
{
    lotor_tally tally;
    const uint32_t leader[] = {7};
    assert_int_equal(lotor_tally_start(&tally, 8, 0, 1000000), LOTOR_OK);
    assert_true(lotor_tally_add(&tally, leader, 1, NULL, 2));
    for (uint32_t i = 0; i < 200000; i++) {
        const uint32_t other[] = {1000 + i, 2000000 + i};
        assert_false(lotor_tally_add(&tally, other, 2, NULL, 1));
    }
    assert_true(tally.used < tally.size);
    assert_true(lotor_tally_add(&tally, leader, 1, NULL, 1));
    lotor_favourite favourite = end(&tally);
    assert_int_equal(favourite.rounds, 3);
    assert_int_equal(favourite.arms[0], 7);
    free(favourite.arms);
}

static lotor_experiment_result simulate(lotor_policy_params params, const lotor_world *world,
                                        bool exact)
{
    lotor_message why;
    lotor_experiment_result result;
    params.arms = world->arms;
    params.epsilon = lotor_ratio_of(1, 1);
    const lotor_experiment trial = {.policy = params,
                                    .world = world,
                                    .runs = 2,
                                    .seed = 1,
                                    .threads = 2,
                                    .checkpoints = 5,
                                    .exact_rounds = exact};
    assert_int_equal(lotor_experiment_run(&trial, &why, &result), LOTOR_OK);
    return result;
}

/* The gap is 0.8: after 90% of 30000 rounds, most of the last 3000 rounds show the best arm.
 * Elimination has only one arm left; ucb still explores a little. */
TEST(the_best_arm_is_learnt)
{
    lotor_message why;
    lotor_world *world;
    assert_int_equal(lotor_world_bernoulli(3, (double[]){0.1, 0.9, 0.1}, &why, &world), LOTOR_OK);
    static const char *const ids[] = {"ucb", "se", "dp-se", "cucb", "cascade-ucb"};
    for (size_t i = 0; i < 2 * (sizeof ids / sizeof *ids); i++) {
        lotor_experiment_result result = simulate(
            (lotor_policy_params){.algorithm = ids[i / 2], .horizon = 30000}, world, i % 2 != 0);
        const lotor_favourite *shown = &result.favourite;
        assert_int_equal(shown->count, 1);
        assert_int_equal(shown->arms[0], 1);
        assert_true(shown->value > 0.9 - 1e-9 && shown->value < 0.9 + 1e-9);
        assert_int_equal(shown->of, 3000);
        assert_true(shown->rounds > 1500 && shown->rounds <= 3000);
        lotor_experiment_result_free(&result);
    }
    lotor_world_free(world);
}

/* Horizons that cut a cycle of elimination short, and the shortest possible one. With equal arms
 * nothing is dropped, so every cycle shows each of 7 arms once. The last tenth of T has T/10 rounds
 * (at least 1); the most frequent arm has a seventh of them, rounded up. */
TEST(cycles_are_counted)
{
    lotor_message why;
    lotor_world *world;
    assert_int_equal(lotor_world_bernoulli(7, (double[]){.5, .5, .5, .5, .5, .5, .5}, &why, &world),
                     LOTOR_OK);
    for (uint64_t horizon = 2; horizon <= 500; horizon += 6) {
        lotor_experiment_result result =
            simulate((lotor_policy_params){.algorithm = "dp-se", .horizon = horizon}, world, false);
        const uint64_t last = horizon < 10 ? 1 : horizon / 10;
        assert_int_equal(result.favourite.of, last);
        assert_int_equal(result.favourite.rounds, (last + 6) / 7);
        /* arms are shown one after another: the arm of the first of these rounds leads */
        if (last <= 7) {
            assert_int_equal(result.favourite.arms[0], (horizon - last) % 7);
        }
        lotor_experiment_result_free(&result);
    }
    lotor_world_free(world);
}

/* The cheapest path through the grid, by brute force over the six paths of 3x3. */
TEST(the_cheapest_path_is_learnt)
{
    lotor_message why;
    lotor_world *grid;
    assert_int_equal(lotor_world_instance("grid:3x3", 0, &why, &grid), LOTOR_OK);
    double best = -10.0;
    for (unsigned way = 0; way < 16; way++) { /* four steps, right or down */
        double value = 0.0;
        uint32_t at = 0;
        for (unsigned step = 0; step < 4; step++) {
            const uint32_t next = at + ((way >> step) % 2 == 0 ? 1 : 3);
            double edge = -10.0;
            for (size_t arm = 0; arm < grid->arms; arm++) {
                if (grid->from[arm] == at && grid->to[arm] == next) {
                    edge = grid->means[arm] - 1.0;
                }
            }
            value += edge;
            at = next;
        }
        best = at == 8 && value > best ? value : best;
    }
    lotor_experiment_result result =
        simulate((lotor_policy_params){.algorithm = "cucb",
                                       .horizon = 20000,
                                       .structure = LOTOR_STRUCTURE_PATH,
                                       .from = grid->from,
                                       .to = grid->to,
                                       .vertices = grid->vertices,
                                       .sink = 8},
                 grid, false);
    const lotor_favourite *shown = &result.favourite;
    assert_int_equal(shown->count, 4);
    assert_true(shown->value > best - 1e-9 && shown->value < best + 1e-9);
    assert_int_equal(grid->from[shown->arms[0]], 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(grid->to[shown->arms[i]], grid->from[shown->arms[i + 1]]);
    }
    assert_int_equal(grid->to[shown->arms[3]], 8);
    lotor_experiment_result_free(&result);
    lotor_world_free(grid);
}
