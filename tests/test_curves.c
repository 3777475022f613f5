/* test_curves.c - every run of a simulation by itself: its regret and reward at each checkpoint, and
 * how often it shows each arm; where the checkpoints are; and what two algorithms with one seed
 * share. */
#include "support/test.h"

#include <lotor/simulate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/checkpoints.h"
#include "policy/catalog.h"
#include "support/experiments.h"

static lotor_simulate_result *run(const lotor_simulate_params *params)
{
    lotor_simulate_result *result;
    lotor_message why = {""};
    if (lotor_simulate_run(params, &why, &result) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return result;
}

/* --- by hand ---------------------------------------------------------------------------------- */

/* Two rounds of ucb show each arm once, in any order. The arm of mean 0 costs 1, the other pays 1. */
TEST(two_rounds_by_hand)
{
    const double means[] = {1.0, 0.0};
    const lotor_simulate_params params = {
        .policy = {.algorithm = "ucb", .arms = 2, .horizon = 2},
        .means = means,
        .runs = 8,
        .seed = 5,
        .checkpoints_at = "linear:2",
        .shown_at_checkpoints = true,
    };
    lotor_simulate_result *result = run(&params);
    assert_int_equal(result->runs, 8);
    assert_int_equal(result->point_count, 2);
    size_t good_first = 0;
    for (size_t r = 0; r < 8; r++) {
        const double *regrets = result->regrets + 2 * r, *rewards = result->rewards + 2 * r;
        const uint64_t *shown = result->shown + 2 * r, *at = result->shown_at + 4 * r;
        assert_true(regrets[0] + rewards[0] == 1.0);
        assert_true(regrets[1] == 1.0 && rewards[1] == 1.0);
        assert_true(shown[0] == 1 && shown[1] == 1);
        assert_true(at[0] == (uint64_t)rewards[0] && at[1] == (uint64_t)regrets[0]);
        assert_true(at[2] == 1 && at[3] == 1);
        good_first += at[0];
    }
    assert_in_range(good_first, 1, 7); /* all alike: with probability 2^-7, and the seed is fixed */
    lotor_simulate_free(result);
}

/* The means 1 and 0 are swapped after round 5. Every round pays 1 or costs 1. */
TEST(a_changing_world_by_hand)
{
    const double means[] = {1.0, 0.0};
    const lotor_simulate_params params = {
        .policy = {.algorithm = "ucb", .arms = 2, .horizon = 10},
        .means = means,
        .world = "swaps:2",
        .runs = 1,
        .checkpoints_at = "1,5,6",
        .shown_at_checkpoints = true,
    };
    lotor_simulate_result *result = run(&params);
    static const uint64_t rounds[] = {1, 5, 6, 10};
    assert_int_equal(result->point_count, 4);
    const uint64_t *middle = result->shown_at + 2;
    for (size_t i = 0; i < 4; i++) {
        const uint64_t *shown = result->shown_at + 2 * i;
        const uint64_t good = i < 2 ? shown[0] : middle[0] + shown[1] - middle[1];
        assert_int_equal(result->points[i].round, rounds[i]);
        assert_true(result->rewards[i] == (double)good);
        assert_true(result->regrets[i] == (double)(rounds[i] - good));
    }
    assert_true(result->regrets[3] > result->regrets[1]); /* the swap costs something */
    lotor_simulate_free(result);
}

/* --- every algorithm -------------------------------------------------------------------------- */

/* The mean by the formula of Welford 1962, as in simulate.c. */
static double mean_of(const double *column, uint64_t runs, size_t stride)
{
    double mean = 0.0;
    for (uint64_t r = 0; r < runs; r++) {
        mean += (column[r * stride] - mean) / (double)(r + 1);
    }
    return mean;
}

static void expect_means(const lotor_experiment_result *result, const lotor_experiment *trial)
{
    const size_t times = result->checkpoint_count;
    for (size_t i = 0; i < times; i++) {
        const double mean = mean_of(result->table.regrets + i, result->runs, times);
        assert_true(mean == result->checkpoints[i].mean);
    }
    double *per_round = calloc(result->runs, sizeof *per_round);
    assert_non_null(per_round);
    for (uint64_t r = 0; r < result->runs; r++) {
        const double paid = result->table.rewards[r * times + times - 1];
        per_round[r] = paid / (double)trial->policy.horizon;
    }
    assert_true(mean_of(per_round, result->runs, 1) == result->return_mean);
    free(per_round);
}

/* With one arm a round, the counts of the arms say what the regret is. */
static void expect_counts(const lotor_experiment_result *result, const lotor_experiment *trial)
{
    const size_t times = result->checkpoint_count, arms = trial->policy.arms;
    const double *means = trial->world->means;
    for (uint64_t r = 0; r < result->runs; r++) {
        for (size_t i = 0; i < times; i++) {
            const uint64_t *row = result->table.shown_at + (r * times + i) * arms;
            const uint64_t t = result->checkpoints[i].t;
            double paid = 0.0;
            uint64_t rounds = 0;
            for (size_t a = 0; a < arms; a++) {
                paid += (double)row[a] * means[a];
                rounds += row[a];
            }
            assert_int_equal(rounds, t * trial->policy.slots);
            if (trial->policy.slots == 1) {
                assert_true(fabs(result->table.rewards[r * times + i] - paid) < 1e-7 * (double)t);
            }
        }
        assert_memory_equal(result->table.shown + r * arms,
                            result->table.shown_at + ((r + 1) * times - 1) * arms,
                            arms * sizeof *result->table.shown);
    }
}

static void expect_same_table(const lotor_experiment_result *a, const lotor_experiment_result *b,
                              const lotor_experiment *trial)
{
    const size_t cells = (size_t)a->runs * a->checkpoint_count;
    assert_int_equal(a->runs, b->runs);
    assert_memory_equal(a->table.regrets, b->table.regrets, cells * sizeof(double));
    assert_memory_equal(a->table.rewards, b->table.rewards, cells * sizeof(double));
    if (a->table.shown) {
        assert_memory_equal(a->table.shown, b->table.shown,
                            a->runs * trial->policy.arms * sizeof(uint64_t));
        assert_memory_equal(a->table.shown_at, b->table.shown_at,
                            cells * trial->policy.arms * sizeof(uint64_t));
    }
}

static void expect_table(lotor_experiment trial)
{
    trial.threads = 1;
    lotor_experiment_result one = simulate(&trial);
    expect_means(&one, &trial);
    if (trial.world) {
        expect_counts(&one, &trial);
    } else {
        assert_null(one.table.shown);
        assert_null(one.table.shown_at);
    }
    for (size_t threads = 2; threads <= 3; threads++) {
        trial.threads = threads;
        lotor_experiment_result more = simulate(&trial);
        expect_same_table(&one, &more, &trial);
        lotor_experiment_result_free(&more);
    }
    /* Other checkpoints are other places of the same runs. */
    trial.checkpoints_at = "linear:5";
    lotor_experiment_result other = simulate(&trial);
    assert_int_equal(other.checkpoint_count, 5);
    for (uint64_t r = 0; r < one.runs; r++) {
        assert_true(one.table.regrets[(r + 1) * one.checkpoint_count - 1] ==
                    other.table.regrets[(r + 1) * 5 - 1]);
    }
    lotor_experiment_result_free(&one);
    lotor_experiment_result_free(&other);
}

TEST(tables_of_every_algorithm)
{
    lotor_world *world = world_of("c2", 5);
    lotor_linear_world linear, gap;
    assert_int_equal(lotor_linear_world_make(3, 6, NAN, NULL, &linear), LOTOR_OK);
    assert_int_equal(lotor_linear_world_make(3, 9, 0.1, NULL, &gap), LOTOR_OK);
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const lotor_algorithm *row = &lotor_algorithms[c];
        if (row->linear) {
            expect_table(linear_experiment(&linear, row->id, 200, 3));
            expect_table(linear_experiment(&gap, row->id, 200, 3));
            continue;
        }
        lotor_experiment trial = experiment_of(world, row->id, 1501, 3);
        trial.shown_at = true;
        trial.policy.slots = row->problem == LOTOR_PROBLEM_CASCADE ? 3 : 1;
        if (row->elimination) {
            trial.policy.epsilon = lotor_ratio_of(100, 1);
            trial.policy.horizon = 60001; /* drops arms, and ends within a cycle */
        }
        expect_table(trial);
        trial.policy.horizon = 501;
        trial.exact_rounds = true;
        expect_table(trial);
        trial.exact_rounds = false;
        trial.delay = (lotor_delay){.law = LOTOR_DELAY_FIXED, .most = 20};
        expect_table(trial);
    }
    lotor_world_free(world);
}

/* Many dimensions without noise have a player of their own (play_groups.c). */
TEST(tables_of_many_dimensions)
{
    lotor_linear_world gap;
    assert_int_equal(lotor_linear_world_make(40, 50, 0.1, NULL, &gap), LOTOR_OK);
    expect_table(linear_experiment(&gap, "linucb", 60, 3));
}

static bool stop_late(void *context, double share)
{
    (void)context;
    return share > 0.3;
}

/* The rows of a stopped simulation are those of the complete runs. */
TEST(a_stopped_simulation_keeps_complete_runs)
{
    lotor_world *world = world_of("c2", 5);
    lotor_experiment trial = experiment_of(world, "ucb", 20000, 400);
    trial.threads = 3;
    trial.shown_at = true;
    trial.policy.slots = 1;
    trial.progress = stop_late;
    lotor_experiment_result result = simulate(&trial);
    assert_in_range(result.runs, 1, 400); /* the watcher may come too late to stop anything */
    expect_means(&result, &trial);
    expect_counts(&result, &trial);
    lotor_experiment_result_free(&result);
    lotor_world_free(world);
}

/* --- checkpoints ------------------------------------------------------------------------------ */

static void expect_times(const char *text, uint64_t horizon, const uint64_t *wanted, size_t count)
{
    uint64_t *times;
    size_t found;
    lotor_message why = {""};
    assert_int_equal(lotor_checkpoints_read(text, 0, horizon, &why, &times, &found), LOTOR_OK);
    assert_int_equal(found, count);
    assert_memory_equal(times, wanted, count * sizeof *wanted);
    free(times);
}

TEST(checkpoints_by_hand)
{
    expect_times("linear:4", 10, (const uint64_t[]){2, 5, 7, 10}, 4);
    expect_times("linear:50", 3, (const uint64_t[]){1, 2, 3}, 3);
    expect_times("linear:1", 3, (const uint64_t[]){3}, 1);
    expect_times("log:4", 1000, (const uint64_t[]){1, 10, 100, 1000}, 4);
    expect_times("4", 1000, (const uint64_t[]){1, 10, 100, 1000}, 4);
    expect_times("2,1e2,500", 1000, (const uint64_t[]){2, 100, 500, 1000}, 4);
    expect_times("7,1000", 1000, (const uint64_t[]){7, 1000}, 2);
    const uint64_t far = UINT64_C(1) << 53;
    expect_times("linear:2", far, (const uint64_t[]){far / 2, far}, 2);
}

TEST(checkpoints_that_are_refused)
{
    static const struct {
        const char *text, *word;
    } cases[] = {
        {"", "checkpoints \"\""},
        {"0", "log:50"},
        {"linear:0", "linear:0"},
        {"linear:", "linear:"},
        {"linear:-3", "linear:-3"},
        {"log:1e6", "at most 100000"},
        {"linear:99999999999999999999", "at most"},
        {"linear:5,7", "linear:5,7"},
        {"cubic:5", "cubic:5"},
        {"5,", "5,"},
        {",5", ",5"},
        {"5,,6", "5,,6"},
        {"5, 6", "5, 6"},
        {"0,5", "0,5"},
        {"5,nan", "nan"},
        {"5,5", "increasing"},
        {"6,5", "increasing"},
        {"5,101", "past the last round"},
        {"5,1e19", "1e19"},
    };
    const double means[] = {0.5, 0.4};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lotor_simulate_params params = {
            .policy = {.algorithm = "ucb", .arms = 2, .horizon = 100},
            .means = means,
            .checkpoints_at = cases[i].text,
        };
        lotor_simulate_result *result;
        lotor_message why = {""};
        assert_int_equal(lotor_simulate_run(&params, &why, &result), LOTOR_INVALID);
        assert_null(result);
        if (!strstr(why.text, cases[i].word)) {
            fail_msg("%s: %s", cases[i].text, why.text);
        }
    }
}

TEST(too_many_numbers_are_refused)
{
    const double means[] = {0.5, 0.4};
    lotor_simulate_params params = {
        .policy = {.algorithm = "ucb", .arms = 2, .horizon = 1000000},
        .means = means,
        .runs = 1000,
        .checkpoints_at = "linear:30000",
        .shown_at_checkpoints = true,
    };
    lotor_simulate_result *result;
    lotor_message why = {""};
    assert_int_equal(lotor_simulate_run(&params, &why, &result), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "shown_at_checkpoints"));
    params.runs = 2000;
    assert_int_equal(lotor_simulate_run(&params, &why, &result), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "2000 runs x 30000 checkpoints"));
}

/* --- common random numbers -------------------------------------------------------------------- */

static double variance_of(const double *values, size_t count)
{
    const double mean = mean_of(values, count, 1);
    double squares = 0.0;
    for (size_t i = 0; i < count; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    return squares / (double)(count - 1);
}

/* The variance of the difference of two experiments at the end, divided by the variance that
 * independent runs would have. */
static double paired_share(const lotor_experiment *first, const lotor_experiment *second)
{
    lotor_experiment_result a = simulate(first), b = simulate(second);
    const size_t runs = (size_t)a.runs, times = a.checkpoint_count;
    assert_int_equal(a.runs, b.runs);
    double *ends = calloc(3 * runs, sizeof *ends);
    assert_non_null(ends);
    for (size_t r = 0; r < runs; r++) {
        ends[r] = a.table.regrets[(r + 1) * times - 1];
        ends[runs + r] = b.table.regrets[(r + 1) * times - 1];
        ends[2 * runs + r] = ends[r] - ends[runs + r];
    }
    const double apart = variance_of(ends, runs) + variance_of(ends + runs, runs);
    const double share = variance_of(ends + 2 * runs, runs) / apart;
    free(ends);
    lotor_experiment_result_free(&a);
    lotor_experiment_result_free(&b);
    return share;
}

/* Linear worlds: theta and all actions are the same, and decide how much there is to lose. So both
 * learners lose more in the same runs. The share was 0.15 for the two regularizers, and 0.74 for the
 * learner that sees nothing but noise in so few rounds. Other seeds have nothing in common: the
 * share is 1 then, with a standard deviation of about 0.05 for 400 runs. */
TEST(two_learners_share_a_linear_world)
{
    lotor_linear_world world;
    assert_int_equal(lotor_linear_world_make(3, 6, NAN, NULL, &world), LOTOR_OK);
    const lotor_experiment plain = linear_experiment(&world, "linucb", 10, 400);
    const lotor_experiment noisy = linear_experiment(&world, "jdp-bayes", 10, 400);
    lotor_experiment similar = plain;
    similar.policy.regularizer = 2.0;
    assert_true(paired_share(&plain, &similar) < 0.5);
    assert_true(paired_share(&plain, &noisy) < 0.9);
    similar.seed = 4;
    assert_true(fabs(paired_share(&plain, &similar) - 1.0) < 0.25);
}

/* One algorithm with two epsilons shares its rewards and its noise. The share was 0.02. */
TEST(two_epsilons_share_their_noise)
{
    lotor_world *world = world_of("c2", 5);
    const lotor_experiment one = experiment_of(world, "dp-se", 200000, 200);
    lotor_experiment other = one;
    other.policy.epsilon = lotor_ratio_of(21, 10);
    assert_true(paired_share(&one, &other) < 0.2);
    other.seed = 4;
    assert_true(fabs(paired_share(&one, &other) - 1.0) < 0.4);
    lotor_world_free(world);
}
