/* test_simulate.c - the simulator: its shortcuts keep the law. test_simulate_threads.c tests
 * threads. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/checkpoints.h"
#include "lab/simulate.h"
#include "policy/catalog.h"
#include "support/experiments.h"
#include "world/graph.h"

/* With and without shortcuts, the means of 400 runs agree at every checkpoint within four and a
 * half standard errors (45 pairs x 12 checkpoints: a false alarm once in 270 seeds). So do the
 * spreads: the ratio of two standard errors is within 1 +- 5/sqrt(2 * 400). */
static void expect_same_law(lotor_experiment trial)
{
    lotor_experiment_result fast = simulate(&trial);
    trial.exact_rounds = true;
    trial.seed = 4;
    lotor_experiment_result slow = simulate(&trial);
    assert_int_equal(fast.checkpoint_count, slow.checkpoint_count);
    for (size_t i = 0; i < fast.checkpoint_count; i++) {
        const lotor_checkpoint *a = &fast.checkpoints[i], *b = &slow.checkpoints[i];
        const double error = hypot(a->standard_error, b->standard_error);
        if (!(fabs(a->mean - b->mean) <= 4.5 * error + 1e-6)) {
            fail_msg("%s at %llu: %.3f +- %.3f, round by round %.3f +- %.3f",
                     trial.policy.algorithm, (unsigned long long)a->t, a->mean, a->standard_error,
                     b->mean, b->standard_error);
        }
    }
    const double ratio = (fast.regret_stderr + 1e-9) / (slow.regret_stderr + 1e-9);
    if (!(fabs(ratio - 1.0) < 0.25 || fast.regret_stderr < 0.02 * fast.regret_mean)) {
        fail_msg("%s, %zu slots: standard errors %g and %g", trial.policy.algorithm,
                 trial.policy.slots, fast.regret_stderr, slow.regret_stderr);
    }
    lotor_experiment_result_free(&fast);
    lotor_experiment_result_free(&slow);
}

TEST(shortcuts_keep_the_law)
{
    lotor_world *finite = world_of("c2", 3), *matroid = world_of("table-6.1", 0);
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const bool is_finite = lotor_algorithms[c].problem == LOTOR_PROBLEM_FINITE;
        if (lotor_algorithms[c].problem == LOTOR_PROBLEM_ANY) {
            expect_same_law(experiment_of(finite, lotor_algorithms[c].id, 5000, 400));
        }
        if (is_finite || lotor_algorithm_plays(&lotor_algorithms[c], LOTOR_PROBLEM_MATROID)) {
            expect_same_law(experiment_of(is_finite ? finite : matroid, lotor_algorithms[c].id,
                                          is_finite ? 20000 : 1000, 400));
        }
    }
    lotor_world_free(finite);
    lotor_world_free(matroid);
}

/* A semi-bandit on the graph of the world: paths across a grid, or two vertices on the left. A few
 * runs settle on a wrong set and make the spread (of 20,000 runs: 45) heavy-tailed, so there are
 * 2000. */
static void expect_same_law_on(const lotor_world *world, const char *algorithm)
{
    lotor_experiment trial = experiment_of(world, algorithm, 500, 2000);
    trial.policy.structure = world->is_bipartite ? LOTOR_STRUCTURE_COVERAGE : LOTOR_STRUCTURE_PATH;
    trial.policy.from = world->from;
    trial.policy.to = world->to;
    trial.policy.vertices = world->vertices;
    trial.policy.sink = (uint32_t)world->vertices - 1;
    trial.policy.seeds = 2;
    trial.policy.epsilon = lotor_ratio_of(200, 1);
    expect_same_law(trial);
}

/* Semi-bandits and cascades show 2 of six arms at epsilon = 2, where the noise decides, and 3 of
 * them at 2000, where they follow the data. */
TEST(shortcuts_keep_the_law_of_sets)
{
    static const double means[] = {0.8, 0.2, 0.6, 0.4, 0.3, 0.7};
    static const char sides[] = "0 0 0.8\n0 1 0.3\n1 1 0.6\n2 0 0.5\n2 2 0.4\n3 3 0.3\n";
    lotor_world *top, *coverage, *grid = world_of("grid:3x3", 0);
    assert_int_equal(lotor_world_bernoulli(6, means, NULL, &top), LOTOR_OK);
    assert_int_equal(
        lotor_world_graph_parse("sides", sides, sizeof sides - 1, true, 0, NULL, &coverage),
        LOTOR_OK);
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const lotor_algorithm *row = &lotor_algorithms[c];
        const bool is_cascade = row->problem == LOTOR_PROBLEM_CASCADE;
        const bool is_semibandit = lotor_algorithm_plays(row, LOTOR_PROBLEM_SEMIBANDIT);
        if (row->problem == LOTOR_PROBLEM_ANY) {
            lotor_experiment trial = experiment_of(top, row->id, 500, 400);
            trial.policy.slots = 3;
            trial.policy.cascade = true;
            expect_same_law(trial);
        }
        for (size_t slots = 2; slots <= 3 && (is_cascade || is_semibandit); slots++) {
            lotor_experiment trial = experiment_of(top, row->id, 500, 400);
            trial.policy.slots = slots;
            trial.policy.epsilon = lotor_ratio_of(slots == 2 ? 2 : 2000, 1);
            trial.policy.clip = slots == 3;
            expect_same_law(trial);
        }
        if (is_semibandit) {
            expect_same_law_on(grid, row->id);
            expect_same_law_on(coverage, row->id);
        }
    }
    lotor_world_free(top);
    lotor_world_free(coverage);
    lotor_world_free(grid);
}

/* Every round in the ball is played singly, and so is every round of a learner of batches. The
 * option for that changes nothing. (test_play_linear.c compares the shortcuts of other learners in
 * worlds with a gap.) */
TEST(some_linear_experiments_have_no_shortcuts)
{
    lotor_linear_world worlds[2];
    assert_int_equal(lotor_linear_world_make(3, 6, NAN, NULL, &worlds[0]), LOTOR_OK);
    assert_int_equal(lotor_linear_world_make(3, 6, 0.2, NULL, &worlds[1]), LOTOR_OK);
    for (size_t c = 0; c < 2 * lotor_algorithms_size; c++) {
        const lotor_algorithm *row = &lotor_algorithms[c / 2];
        if (row->linear && (c % 2 == 0 || row->linear->batched || row->linear->posterior ||
                            row->linear->samples)) {
            lotor_experiment trial = linear_experiment(&worlds[c % 2], row->id, 200, 3);
            lotor_experiment_result fast = simulate(&trial);
            trial.exact_rounds = true;
            lotor_experiment_result slow = simulate(&trial);
            expect_same_checkpoints(&fast, &slow);
            lotor_experiment_result_free(&fast);
            lotor_experiment_result_free(&slow);
        }
    }
}

/* A policy and a world that do not fit together. */
TEST(invalid_experiments_are_refused)
{
    lotor_world *world = world_of("c2", 5), *beta;
    lotor_linear_world linear;
    assert_int_equal(lotor_world_beta(5, world->means, 2.0, NULL, &beta), LOTOR_OK);
    assert_int_equal(lotor_linear_world_make(3, 5, NAN, NULL, &linear), LOTOR_OK);
    lotor_experiment trials[6];
    trials[0] = experiment_of(world, "linucb", 100, 2); /* arms, not actions */
    trials[0].policy.dimension = 3;
    trials[1] = linear_experiment(&linear, "ucb", 100, 2);
    trials[2] = linear_experiment(&linear, "linucb", 100, 2);
    trials[2].world = world; /* both */
    trials[3] = linear_experiment(&linear, "linucb", 100, 2);
    trials[3].policy.dimension = 4;
    trials[4] = experiment_of(beta, "cascade-ucb", 100, 2); /* no clicks */
    trials[5] = experiment_of(world, "cascade-ucb", 100, 2);
    trials[5].policy.arms = 6;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        lotor_experiment_result result;
        lotor_message why = {""};
        assert_int_equal(lotor_experiment_run(&trials[i], &why, &result), LOTOR_INVALID);
        assert_true(why.text[0] != '\0');
    }
    lotor_world_free(world);
    lotor_world_free(beta);
}

/* Continuous rewards have no binomial shortcut; ucb learns in them too: its regret is below that of
 * showing arms at random, gap 0.25 on average over 3000 rounds. */
TEST(continuous_worlds_are_played)
{
    const double means[] = {0.75, 0.5, 0.25};
    lotor_world *worlds[2];
    assert_int_equal(lotor_world_beta(3, means, 2.0, NULL, &worlds[0]), LOTOR_OK);
    assert_int_equal(lotor_world_uniform(3, means, NULL, &worlds[1]), LOTOR_OK);
    for (size_t i = 0; i < 2; i++) {
        static const char *const ids[] = {"ucb", "se", "omm", "dp-se2-modified"};
        for (size_t c = 0; c < 4; c++) {
            const lotor_experiment trial = experiment_of(worlds[i], ids[c], 3000, 20);
            lotor_experiment_result result = simulate(&trial);
            assert_true(result.regret_mean > 0.0 && result.regret_mean < 0.25 * 3000);
            lotor_experiment_result_free(&result);
        }
        lotor_world_free(worlds[i]);
    }
}

TEST(checkpoints_are_log_spaced)
{
    uint64_t *times;
    size_t count;
    assert_int_equal(lotor_checkpoint_times(1000000, 7, &times, &count), LOTOR_OK);
    assert_int_equal(count, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(times[i], (uint64_t)llround(pow(10.0, (double)i)));
    }
    free(times);
    assert_int_equal(lotor_checkpoint_times(3, 50, &times, &count), LOTOR_OK);
    assert_int_equal(count, 3);
    assert_int_equal(times[2], 3);
    free(times);
    assert_int_equal(lotor_checkpoint_times(99, 1, &times, &count), LOTOR_OK);
    assert_int_equal(count, 1);
    assert_int_equal(times[0], 99);
    free(times);
}

/* One run has no standard error; regret and return add up to the optimum; scaled noise claims
 * nothing. */
TEST(results_add_up)
{
    lotor_world *world = world_of("c2", 5);
    lotor_experiment trial = experiment_of(world, "dp-se", 100000, 1);
    lotor_experiment_result result = simulate(&trial);
    assert_true(isnan(result.regret_stderr) != 0);
    assert_true(fabs(result.return_mean + result.regret_mean / 100000.0 - 0.75) < 1e-12);
    assert_true(result.guarantee.is_private);
    assert_int_equal(result.guarantee.noise, LOTOR_NOISE_SIMULATION);
    const double honest = result.guarantee.scale;
    lotor_experiment_result_free(&result);
    trial.noise_scale = 0.01;
    result = simulate(&trial);
    assert_false(result.guarantee.is_private);
    assert_true(fabs(result.guarantee.scale / (0.01 * honest) - 1.0) < 1e-3);
    lotor_experiment_result_free(&result);

    lotor_message why;
    trial.policy.horizon = 0;
    assert_int_equal(lotor_experiment_run(&trial, &why, &result), LOTOR_INVALID);
    trial.policy.horizon = 10;
    trial.noise_scale = NAN;
    assert_int_equal(lotor_experiment_run(&trial, &why, &result), LOTOR_INVALID);
    lotor_world_free(world);
}

/* Pays the means themselves, so that runs differ only by the noise. */
static void draw_steadily(const lotor_world *world, lotor_generator *generator,
                          const uint32_t *arms, size_t count, uint64_t rounds, double *sums)
{
    (void)generator;
    assert_true(rounds == 1 || world->is_binary);
    for (size_t i = 0; i < count; i++) {
        sums[i] = (double)rounds * world->means[arms[i]];
    }
}

/* Long stretches are drawn at once in a binary world, and otherwise in parts of at most 2^16: if
 * all rounds pay the same, the result is the same, too. Means are multiples of 2^-8, hence whole
 * numbers of units; sums of regret differ by rounding alone. */
TEST(parts_of_a_stretch_are_the_stretch)
{
    static const double means[] = {0.5, 0.4921875, 0.25};
    static const char *const ids[] = {"dp-se", "dp-se2-modified", "dpucb-mat"};
    for (size_t c = 0; c < 3; c++) {
        lotor_world world = {.id = "steady", .arms = 3, .means = means, .draw = draw_steadily};
        lotor_experiment trial = experiment_of(&world, ids[c], 4000000, 2);
        lotor_experiment_result parts = simulate(&trial);
        world.is_binary = true;
        lotor_experiment_result whole = simulate(&trial);
        assert_int_equal(parts.checkpoint_count, whole.checkpoint_count);
        for (size_t i = 0; i < whole.checkpoint_count; i++) {
            assert_int_equal(parts.checkpoints[i].t, whole.checkpoints[i].t);
            const double mean = whole.checkpoints[i].mean;
            assert_true(fabs(parts.checkpoints[i].mean - mean) <= 1e-9 * (1.0 + mean));
        }
        lotor_experiment_result_free(&parts);
        lotor_experiment_result_free(&whole);
    }
}
