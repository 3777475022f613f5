/* test_simulate_api.c - the simulator through its public header: the same numbers as those of the
 * lab, for every kind of problem; numbers by hand; refusals and their messages; threads and
 * progress. */
#include "support/test.h"

#include <lotor/simulate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/bounds.h"
#include "lab/simulate.h"

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

/* Two rounds of ucb show each arm once. Only the arm of mean 0 costs something: 1. */
TEST(two_rounds_by_hand)
{
    const double means[] = {1.0, 0.0};
    const lotor_simulate_params params = {
        .policy = {.algorithm = "ucb", .arms = 2, .horizon = 2}, .means = means, .seed = 5};
    lotor_simulate_result *result = run(&params);
    assert_int_equal(result->runs, 10);
    assert_int_equal(result->horizon, 2);
    assert_int_equal(result->arms, 2);
    assert_true(result->regret == 1.0 && result->regret_error == 0.0);
    assert_true(result->per_round == 0.5 && result->round_error == 0.0);
    assert_true(result->best_per_round == 1.0);
    assert_int_equal(result->point_count, 2);
    assert_int_equal(result->points[0].round, 1);
    assert_int_equal(result->points[1].round, 2);
    assert_true(result->points[1].regret == 1.0 && result->points[1].standard_error == 0.0);
    assert_int_equal(result->guarantee.model, LOTOR_MODEL_NONE);
    assert_int_equal(result->guarantee.noise, LOTOR_NOISE_SIMULATION);
    assert_int_equal(result->favourite_count, 1);
    lotor_simulate_free(result);
}

/* If all arms are equal, nothing costs anything; one run has no standard error. */
TEST(equal_arms_cost_nothing)
{
    const double means[] = {0.25, 0.25, 0.25};
    const lotor_simulate_params params = {
        .policy = {.algorithm = "batch-klucb", .arms = 3, .slots = 2, .horizon = 1000},
        .means = means,
        .runs = 1};
    lotor_simulate_result *result = run(&params);
    assert_true(fabs(result->regret) < 1e-9);
    assert_true(isnan(result->regret_error) && isnan(result->round_error));
    assert_true(isnan(result->points[0].standard_error));
    assert_true(result->best_per_round == 0.5);
    assert_int_equal(result->favourite_count, 2);
    assert_int_equal(result->points[result->point_count - 1].round, 1000);
    lotor_simulate_free(result);
}

/* --- single runs ------------------------------------------------------------------------------- */

enum { RUNS_MOST = 101 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The number at a place from 1, or on the straight line between two places. */
static double between(const double *sorted, double place)
{
    const size_t first = (size_t)place;
    const double part = place - (double)first;
    return part > 0.0 ? (1.0 - part) * sorted[first - 1] + part * sorted[first] : sorted[first - 1];
}

/* The first n runs are the same for every number of runs. So the regret of run n is n times the mean
 * of n runs, less (n-1) times the mean of n-1 runs. Quantiles are those of NumPy: with n
 * runs in order of regret, the places 1 + (n-1)/2 and 1 + 0.99 (n-1), and between two places the
 * straight line. */
TEST(quantiles_of_single_runs)
{
    static const struct {
        uint64_t runs;
        double median, most; /* places, from 1 */
    } cases[] = {{1, 1, 1}, {2, 1.5, 1.99}, {3, 2, 2.98}, {100, 50.5, 99.01}, {101, 51, 100}};
    static const double means[] = {0.9, 0.8171, 0.7313, 0.6127, 0.4039}; /* no two runs are alike */
    lotor_simulate_params params = {
        .policy = {.algorithm = "rr-imed", .arms = 5, .horizon = 1000, .epsilon = {1, 1}},
        .means = means,
        .seed = 3};
    double single[RUNS_MOST], before = 0.0;
    lotor_simulate_result *results[RUNS_MOST + 1] = {NULL};
    for (uint64_t n = 1; n <= RUNS_MOST; n++) {
        params.runs = n;
        results[n] = run(&params);
        const double sum = results[n]->regret * (double)n;
        single[n - 1] = sum - before;
        before = sum;
    }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double sorted[RUNS_MOST];
        const lotor_simulate_result *result = results[cases[c].runs];
        memcpy(sorted, single, cases[c].runs * sizeof *single);
        qsort(sorted, cases[c].runs, sizeof *sorted, compare);
        assert_true(fabs(result->regret_median - between(sorted, cases[c].median)) < 1e-8);
        assert_true(fabs(result->regret_99 - between(sorted, cases[c].most)) < 1e-8);
        assert_true(fabs(result->regret_largest - sorted[cases[c].runs - 1]) < 1e-8);
        for (size_t i = 1; i < cases[c].runs; i++) {
            assert_true(sorted[i - 1] + 1e-6 < sorted[i]);
        }
    }
    assert_true(results[1]->regret_median == results[1]->regret);
    for (uint64_t n = 1; n <= RUNS_MOST; n++) {
        const lotor_simulate_result *result = results[n];
        assert_true(result->regret_median <= result->regret_99 &&
                    result->regret_99 <= result->regret_largest &&
                    result->regret <= result->regret_largest);
        lotor_simulate_free(results[n]);
    }
}

/* --- the same as the lab ---------------------------------------------------------------------- */

static void assert_same(double a, double b)
{
    assert_true(a == b || (isnan(a) && isnan(b)));
}

static void assert_as_the_lab(const lotor_simulate_params *params, const lotor_experiment *trial)
{
    lotor_simulate_result *told = run(params);
    lotor_experiment_result measured;
    lotor_message why = {""};
    if (lotor_experiment_run(trial, &why, &measured) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    assert_int_equal(told->runs, measured.runs);
    assert_int_equal(told->horizon, trial->policy.horizon);
    assert_int_equal(told->arms, trial->policy.arms);
    assert_same(told->regret, measured.regret_mean);
    assert_same(told->regret_error, measured.regret_stderr);
    assert_same(told->regret_median, measured.regret_median);
    assert_same(told->regret_99, measured.regret_99);
    assert_same(told->regret_largest, measured.regret_largest);
    assert_same(told->per_round, measured.return_mean);
    assert_same(told->round_error, measured.return_stderr);
    assert_same(told->best_per_round, trial->world ? measured.reference.per_round : NAN);
    assert_int_equal(told->point_count, measured.checkpoint_count);
    for (size_t i = 0; i < told->point_count; i++) {
        assert_int_equal(told->points[i].round, measured.checkpoints[i].t);
        assert_same(told->points[i].regret, measured.checkpoints[i].mean);
        assert_same(told->points[i].standard_error, measured.checkpoints[i].standard_error);
    }
    assert_int_equal(told->favourite_count, measured.favourite.count);
    for (size_t i = 0; i < told->favourite_count; i++) {
        assert_int_equal(told->favourite[i], measured.favourite.arms[i]);
    }
    assert_string_equal(told->guarantee.mechanism, measured.guarantee.mechanism);
    assert_same(told->guarantee.epsilon, measured.guarantee.epsilon);
    assert_true(told->seconds >= 0.0);
    double bound = NAN, classical = NAN;
    if (trial->world) {
        lotor_lower_bound proved;
        assert_int_equal(lotor_lower_bound_of(&trial->policy, trial->world, NULL, &proved),
                         LOTOR_OK);
        bound = proved.per_log_t;
        classical = proved.classical;
    }
    assert_same(told->lower_bound, bound);
    assert_same(told->classical_bound, classical);
    lotor_experiment_result_free(&measured);
    lotor_simulate_free(told);
}

static lotor_world *instance(const char *name, size_t arms)
{
    lotor_world *world;
    lotor_message why = {""};
    if (lotor_world_instance(name, arms, &why, &world) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return world;
}

static lotor_experiment trial_in(const lotor_world *world, const lotor_policy_params *policy)
{
    lotor_experiment trial = {
        .policy = *policy, .world = world, .runs = 10, .seed = 7, .checkpoints = 50};
    trial.policy.arms = world->arms;
    trial.policy.epsilon = lotor_ratio_of(1, 1);
    return trial;
}

TEST(finite_problems)
{
    const lotor_simulate_params params = {
        .policy = {.algorithm = "dp-se", .horizon = 50000}, .instance = "c2", .seed = 7};
    lotor_world *world = instance("c2", 0);
    lotor_experiment trial = trial_in(world, &params.policy);
    assert_as_the_lab(&params, &trial);

    lotor_simulate_params more = params; /* other arms and numbers: all parameters are passed on */
    more.policy.arms = 8;
    more.policy.epsilon = lotor_ratio_of(1, 4);
    more.policy.beta = 0.01;
    more.runs = 3;
    more.seed = 0;
    more.threads = 2;
    more.checkpoints = 7;
    lotor_world *eight = instance("c2", 8);
    trial = trial_in(eight, &more.policy);
    trial.policy.epsilon = more.policy.epsilon;
    trial.runs = 3;
    trial.seed = 0;
    trial.checkpoints = 7;
    assert_as_the_lab(&more, &trial);
    lotor_world_free(eight);
    lotor_world_free(world);
}

TEST(other_rewards)
{
    static const double means[] = {0.2, 0.5, 0.9};
    lotor_simulate_params params = {
        .policy = {.algorithm = "dp-ucb", .arms = 3, .horizon = 2000}, .means = means, .seed = 7};
    lotor_world *worlds[4];
    assert_int_equal(lotor_world_bernoulli(3, means, NULL, &worlds[0]), LOTOR_OK);
    assert_int_equal(lotor_world_beta(3, means, 4.0, NULL, &worlds[1]), LOTOR_OK);
    assert_int_equal(lotor_world_beta(3, means, 1.5, NULL, &worlds[2]), LOTOR_OK);
    assert_int_equal(lotor_world_uniform(3, means, NULL, &worlds[3]), LOTOR_OK);
    static const char *const names[] = {"bernoulli", "beta", "beta", "uniform"};
    for (size_t i = 0; i < 4; i++) {
        params.rewards = names[i];
        params.concentration = i == 2 ? 1.5 : 0.0;
        const lotor_experiment trial = trial_in(worlds[i], &params.policy);
        assert_as_the_lab(&params, &trial);
        lotor_world_free(worlds[i]);
    }
}

/* The instance's own vectors, and the caller's arrays. */
TEST(matroids)
{
    lotor_simulate_params params = {
        .policy = {.algorithm = "dpucb-mat", .horizon = 5000}, .instance = "table-6.1", .seed = 7};
    lotor_world *table = instance("table-6.1", 0);
    lotor_experiment trial = trial_in(table, &params.policy);
    trial.policy.structure = LOTOR_STRUCTURE_LINEAR;
    trial.policy.vectors = table->vectors;
    trial.policy.dimension = table->dimension;
    assert_as_the_lab(&params, &trial);
    params.policy.structure = LOTOR_STRUCTURE_LINEAR; /* a linear matroid without its vectors */
    assert_as_the_lab(&params, &trial);

    params.policy.structure = LOTOR_STRUCTURE_TOP; /* any three of them */
    params.policy.slots = 3;
    trial = trial_in(table, &params.policy);
    assert_as_the_lab(&params, &trial);

    static const uint32_t group[] = {0, 0, 0, 1, 1, 1, 1}, capacity[] = {1, 2};
    params.policy.slots = 0;
    params.policy.structure = LOTOR_STRUCTURE_PARTITION;
    params.policy.group = group;
    params.policy.capacity = capacity;
    params.policy.groups = 2;
    trial = trial_in(table, &params.policy);
    assert_as_the_lab(&params, &trial);

    static const uint32_t from[] = {0, 1, 2, 3, 0, 1, 2}, to[] = {1, 2, 3, 0, 2, 3, 0};
    params.policy.structure = LOTOR_STRUCTURE_GRAPHIC;
    params.policy.from = from;
    params.policy.to = to;
    params.policy.vertices = 4;
    trial = trial_in(table, &params.policy);
    assert_as_the_lab(&params, &trial);
    lotor_world_free(table);
}

/* On the instance's graph: its path, another one, its spanning tree, and influence. */
TEST(sets_that_oracles_find)
{
    lotor_simulate_params params = {
        .policy = {.algorithm = "cucb-dp2", .horizon = 600}, .instance = "grid:3x3", .seed = 7};
    lotor_world *grid = instance("grid:3x3", 0);
    lotor_experiment trial = trial_in(grid, &params.policy);
    trial.policy.structure = LOTOR_STRUCTURE_PATH;
    trial.policy.from = grid->from;
    trial.policy.to = grid->to;
    trial.policy.vertices = 9;
    trial.policy.seeds = 1;
    trial.policy.sink = 8;
    assert_as_the_lab(&params, &trial);
    params.policy.sink = trial.policy.sink = 4;
    assert_as_the_lab(&params, &trial);

    params.policy.sink = trial.policy.sink = 0;
    params.policy.structure = trial.policy.structure = LOTOR_STRUCTURE_GRAPHIC;
    assert_as_the_lab(&params, &trial);
    params.policy.structure = trial.policy.structure = LOTOR_STRUCTURE_INFLUENCE;
    params.policy.seeds = trial.policy.seeds = 2;
    assert_as_the_lab(&params, &trial);
    lotor_world_free(grid);
}

/* Arrays of the caller's with the caller's means. */
TEST(coverage)
{
    static const uint32_t from[] = {0, 0, 1, 1, 2}, to[] = {0, 1, 1, 2, 2};
    static const double means[] = {0.9, 0.1, 0.4, 0.5, 0.6};
    const lotor_simulate_params params = {.policy = {.algorithm = "cucb-ldp2",
                                                     .arms = 5,
                                                     .horizon = 800,
                                                     .structure = LOTOR_STRUCTURE_COVERAGE,
                                                     .from = from,
                                                     .to = to,
                                                     .vertices = 3,
                                                     .seeds = 2},
                                          .means = means,
                                          .seed = 7};
    lotor_world *world;
    assert_int_equal(lotor_world_bernoulli(5, means, NULL, &world), LOTOR_OK);
    const lotor_experiment trial = trial_in(world, &params.policy);
    assert_as_the_lab(&params, &trial);
    lotor_world_free(world);
}

TEST(cascades)
{
    lotor_simulate_params params = {
        .policy = {.algorithm = "cascade-dp", .slots = 2, .horizon = 500},
        .instance = "c3",
        .seed = 7};
    lotor_world *world = instance("c3", 0);
    lotor_experiment trial = trial_in(world, &params.policy);
    assert_as_the_lab(&params, &trial);

    params.policy.algorithm = "rr-klucb"; /* an algorithm for any problem */
    params.policy.cascade = true;
    params.policy.horizon = 5000;
    trial = trial_in(world, &params.policy);
    assert_as_the_lab(&params, &trial);
    lotor_world_free(world);
}

TEST(linear_problems)
{
    lotor_simulate_params params = {
        .policy = {.algorithm = "jdp-batch", .horizon = 300}, .runs = 3, .seed = 7};
    lotor_linear_world ball, gap;
    assert_int_equal(lotor_linear_world_make(5, 20, NAN, NULL, &ball), LOTOR_OK);
    assert_int_equal(lotor_linear_world_make(3, 9, 0.1, NULL, &gap), LOTOR_OK);
    lotor_experiment trial = {
        .policy = params.policy, .linear = &ball, .runs = 3, .seed = 7, .checkpoints = 50};
    trial.policy.arms = 20;
    trial.policy.dimension = 5;
    trial.policy.epsilon = lotor_ratio_of(1, 1);
    assert_as_the_lab(&params, &trial);

    params.policy.dimension = trial.policy.dimension = 3;
    params.has_gap = true;
    params.gap = 0.1;
    trial.linear = &gap;
    trial.policy.arms = 9;
    assert_as_the_lab(&params, &trial);
}

TEST(recorded_logs)
{
    char path[] = "/tmp/lotor-simulate-XXXXXX", name[64];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    static const char log[] = "0,1\n0,0\n1,1\n1,0.5\n";
    assert_int_equal(write(file, log, sizeof log - 1), sizeof log - 1);
    (void)close(file);
    snprintf(name, sizeof name, "replay:%s", path);
    lotor_simulate_params params = {
        .policy = {.algorithm = "dp-se", .horizon = 1000}, .instance = name, .seed = 7};
    lotor_simulate_result *result = run(&params);
    assert_int_equal(result->arms, 2);
    assert_true(result->best_per_round == 0.75); /* of arm 1 */
    lotor_simulate_free(result);

    lotor_message why = {""};
    params.policy.arms = 3;
    assert_int_equal(lotor_simulate_run(&params, &why, &result), LOTOR_INVALID);
    assert_string_equal(why.text, "the log has 2 arms, not 3: leave their number out");
    params.policy.arms = 2;
    params.rewards = "beta";
    assert_int_equal(lotor_simulate_run(&params, &why, &result), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "has recorded rewards: leave `rewards` out"));
    assert_null(result);
    (void)unlink(path);
}

/* --- noise that is not that of the guarantee -------------------------------------------------- */

TEST(multiplied_noise_voids_the_claim)
{
    lotor_simulate_params params = {
        .policy = {.algorithm = "dp-ucb", .horizon = 2000}, .instance = "c1", .seed = 7};
    lotor_simulate_result *honest = run(&params);
    assert_true(honest->guarantee.is_private);
    assert_true(honest->guarantee.epsilon == 1.0);
    params.noise_scale = 1.0;
    lotor_simulate_result *same = run(&params);
    assert_same(same->regret, honest->regret);
    params.noise_scale = 0.125;
    lotor_simulate_result *less = run(&params);
    assert_false(less->guarantee.is_private);
    assert_true(less->regret < honest->regret);
    lotor_simulate_free(honest);
    lotor_simulate_free(less);

    /* If epsilon decides the bound, scaled noise gets the bound without privacy. */
    params.policy.epsilon = lotor_ratio_of(1, 100000);
    less = run(&params);
    params.noise_scale = 0.0;
    honest = run(&params);
    params.policy.algorithm = "ucb";
    lotor_simulate_result *none = run(&params);
    assert_same(less->lower_bound, none->lower_bound);
    assert_true(honest->lower_bound > honest->classical_bound);
    assert_true(honest->classical_bound > 2.0 * none->classical_bound);
    assert_same(none->lower_bound, none->classical_bound);
    lotor_simulate_free(none);
    lotor_simulate_free(honest);
    lotor_simulate_free(same);
    lotor_simulate_free(less);
}

/* A wider range has wider noise, and the same rewards. */
TEST(a_wider_range_has_wider_noise)
{
    lotor_simulate_params params = {
        .policy = {.algorithm = "dp-ucb", .horizon = 2000, .low = -1.0, .high = 3.0},
        .instance = "c1",
        .seed = 7};
    lotor_simulate_result *wide = run(&params);
    params.policy.low = params.policy.high = 0.0;
    lotor_simulate_result *usual = run(&params);
    assert_same(wide->guarantee.scale, 4.0 * usual->guarantee.scale);
    assert_same(wide->best_per_round, usual->best_per_round);
    lotor_simulate_free(wide);
    lotor_simulate_free(usual);
}

/* --- threads and progress --------------------------------------------------------------------- */

TEST(threads_change_nothing)
{
    lotor_simulate_params params = {.policy = {.algorithm = "batch-klucb", .horizon = 20000},
                                    .instance = "c4",
                                    .runs = 9,
                                    .seed = 3,
                                    .threads = 1};
    lotor_simulate_result *one = run(&params);
    for (size_t threads = 0; threads <= 300; threads += 150) { /* all cores; too many */
        params.threads = threads;
        lotor_simulate_result *more = run(&params);
        assert_same(more->regret, one->regret);
        assert_same(more->regret_error, one->regret_error);
        assert_same(more->points[3].regret, one->points[3].regret);
        lotor_simulate_free(more);
    }
    lotor_simulate_free(one);
}

typedef struct watcher {
    size_t calls;
    double last;
    double until; /* stops at this share */
} watcher;

static bool watch(void *context, double share)
{
    watcher *self = context;
    assert_true(share >= self->last && share <= 1.0);
    self->last = share;
    self->calls++;
    return share >= self->until;
}

/* 60 runs of 2e5 rounds, each round played singly: far more than a second of work. */
static lotor_simulate_params long_trial(watcher *watched)
{
    return (lotor_simulate_params){.policy = {.algorithm = "cts", .slots = 3, .horizon = 200000},
                                   .instance = "c4",
                                   .runs = 60,
                                   .seed = 3,
                                   .threads = 2,
                                   .progress = watch,
                                   .progress_context = watched};
}

TEST(a_stopped_experiment_returns_complete_runs)
{
    watcher watched = {.until = 0.1};
    const lotor_simulate_params params = long_trial(&watched);
    lotor_simulate_result *result = run(&params);
    assert_true(watched.calls >= 1 && watched.last >= 0.1);
    assert_in_range(result->runs, 1, 59);
    lotor_simulate_free(result);
}

TEST(nothing_complete_is_nothing)
{
    watcher watched = {.until = 0.0};
    lotor_simulate_params params = long_trial(&watched);
    params.policy.horizon = 20000000;
    lotor_simulate_result *result = (lotor_simulate_result *)&watched;
    lotor_message why = {""};
    assert_int_equal(lotor_simulate_run(&params, &why, &result), LOTOR_STOPPED);
    assert_string_equal(why.text, "stopped before one run was complete");
    assert_null(result);
    watched.last = 0.0;
    assert_int_equal(lotor_simulate_run(&params, NULL, &result), LOTOR_STOPPED);
}

/* --- custom oracles --------------------------------------------------------------------------- */

static size_t pick_best_two(const void *context, const double *index, size_t arms, uint32_t *picked)
{
    (void)context;
    picked[0] = 0;
    for (uint32_t i = 1; i < arms; i++) {
        picked[0] = index[i] > index[picked[0]] ? i : picked[0];
    }
    picked[1] = picked[0] == 0 ? 1 : 0;
    for (uint32_t i = 0; i < arms; i++) {
        picked[1] = i != picked[0] && index[i] > index[picked[1]] ? i : picked[1];
    }
    return 2;
}

static size_t pick_nothing(const void *context, const double *index, size_t arms, uint32_t *picked)
{
    (void)context;
    (void)index;
    (void)arms;
    picked[0] = 0;
    return 0;
}

TEST(the_callers_own_oracle)
{
    const double means[] = {0.1, 0.9, 0.5, 0.8};
    lotor_simulate_params params = {.policy = {.algorithm = "cucb",
                                               .arms = 4,
                                               .horizon = 20000,
                                               .structure = LOTOR_STRUCTURE_CUSTOM_ORACLE,
                                               .rank = 2,
                                               .pick = pick_best_two},
                                    .means = means,
                                    .seed = 1};
    lotor_simulate_result *result = run(&params);
    assert_true(fabs(result->best_per_round - 1.7) < 1e-12);
    assert_int_equal(result->favourite_count, 2);
    assert_int_equal(result->favourite[0] + result->favourite[1], 1 + 3);
    lotor_simulate_free(result);

    params.policy.pick = pick_nothing;
    lotor_message why = {""};
    assert_int_equal(lotor_simulate_run(&params, &why, &result), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "the oracle found nothing to show"));
    assert_null(result);
}

/* --- refusals --------------------------------------------------------------------------------- */

static void assert_refused(lotor_simulate_params params, lotor_status expected, const char *words)
{
    lotor_simulate_result *result = (lotor_simulate_result *)&params;
    lotor_message why = {""};
    assert_int_equal(lotor_simulate_run(&params, &why, &result), expected);
    if (!strstr(why.text, words)) {
        fail_msg("\"%s\" does not say \"%s\"", why.text, words);
    }
    assert_null(result);
    assert_int_equal(lotor_simulate_run(&params, NULL, &result), expected);
}

static const double some_means[] = {0.5, 0.4};

TEST(worlds_that_make_no_sense_are_refused)
{
    const lotor_policy_params dp_se = {.algorithm = "dp-se", .horizon = 1000};
    assert_refused((lotor_simulate_params){.instance = "c1"}, LOTOR_UNKNOWN,
                   "no algorithm is named");
    assert_refused((lotor_simulate_params){.policy = {.algorithm = "dp-es", .horizon = 9}},
                   LOTOR_UNKNOWN, "there is no algorithm \"dp-es\": did you mean dp-se?");
    assert_refused((lotor_simulate_params){.policy = dp_se}, LOTOR_INVALID,
                   "the world of dp-se is missing: give the means of the arms, or an instance");
    assert_refused((lotor_simulate_params){.policy = dp_se, .means = some_means, .instance = "c1"},
                   LOTOR_INVALID, "means and an instance are both given: keep one");
    assert_refused((lotor_simulate_params){.policy = dp_se, .means = some_means}, LOTOR_INVALID,
                   "the number of arms is missing: give the number of means");
    assert_refused((lotor_simulate_params){.policy = dp_se, .instance = "c9"}, LOTOR_UNKNOWN,
                   "there is no instance \"c9\"");
    assert_refused((lotor_simulate_params){.policy = dp_se, .instance = "graph:/nowhere/at/all"},
                   LOTOR_UNKNOWN, "/nowhere/at/all");
    assert_refused((lotor_simulate_params){.policy = dp_se, .instance = "c1", .rewards = "gold"},
                   LOTOR_INVALID,
                   "rewards \"gold\": choose from bernoulli, beta, uniform, gaussian:S");
    assert_refused(
        (lotor_simulate_params){
            .policy = dp_se, .instance = "c1", .rewards = "beta", .concentration = -1.0},
        LOTOR_RANGE, "concentration");
    assert_refused((lotor_simulate_params){.policy = dp_se, .instance = "c1", .has_gap = true},
                   LOTOR_INVALID, "a gap is for linear worlds, and dp-se plays with arms");
    const double wrong[] = {0.5, 1.5};
    lotor_policy_params two = dp_se;
    two.arms = 2;
    assert_refused((lotor_simulate_params){.policy = two, .means = wrong}, LOTOR_RANGE, "1.5");
    assert_refused((lotor_simulate_params){.policy = dp_se, .instance = "table-6.1"}, LOTOR_INVALID,
                   "dp-se shows one arm a round, but \"table-6.1\" is about sets of arms: use "
                   "lik-imed or dpucb-mat, or give slots for its best arm alone");
    assert_refused((lotor_simulate_params){.policy = {.algorithm = "cascade-dp", .horizon = 100},
                                           .instance = "grid:2x2"},
                   LOTOR_INVALID,
                   "cascade-dp shows a list of any items, but \"grid:2x2\" is about sets of arms: "
                   "use cucb or cucb-dp, or give slots for lists of any K arms");
}

TEST(structures_without_arrays_are_refused)
{
    static const lotor_structure structures[] = {
        LOTOR_STRUCTURE_PARTITION,      LOTOR_STRUCTURE_GRAPHIC,       LOTOR_STRUCTURE_LINEAR,
        LOTOR_STRUCTURE_CUSTOM_MATROID, LOTOR_STRUCTURE_PATH,          LOTOR_STRUCTURE_COVERAGE,
        LOTOR_STRUCTURE_INFLUENCE,      LOTOR_STRUCTURE_CUSTOM_ORACLE, (lotor_structure)77};
    for (size_t i = 0; i < sizeof structures / sizeof *structures; i++) {
        for (size_t size = 0; size <= 2;
             size += 2) { /* said how many there are, or not even that */
            assert_refused((lotor_simulate_params){.policy = {.algorithm = "cucb",
                                                              .horizon = 100,
                                                              .structure = structures[i],
                                                              .vertices = size,
                                                              .groups = size,
                                                              .rank = size,
                                                              .dimension = size},
                                                   .instance = "c1"},
                           LOTOR_INVALID, "");
        }
    }
}

TEST(linear_worlds_that_make_no_sense_are_refused)
{
    const lotor_policy_params linear = {.algorithm = "linucb", .horizon = 100};
    assert_refused((lotor_simulate_params){.policy = linear, .instance = "c1"}, LOTOR_INVALID,
                   "linucb plays in a linear world, which has not an instance");
    assert_refused((lotor_simulate_params){.policy = linear, .means = some_means}, LOTOR_INVALID,
                   "which has not means: give a dimension and the number of arms");
    assert_refused((lotor_simulate_params){.policy = linear, .rewards = "beta"}, LOTOR_INVALID,
                   "which has not other rewards");
    assert_refused((lotor_simulate_params){.policy = linear, .has_gap = true, .gap = NAN},
                   LOTOR_INVALID, "the gap must be a number, not");
    assert_refused((lotor_simulate_params){.policy = linear, .has_gap = true, .gap = 2.0},
                   LOTOR_RANGE, "gap");
    lotor_policy_params huge = linear;
    huge.dimension = SIZE_MAX;
    assert_refused((lotor_simulate_params){.policy = huge}, LOTOR_INVALID, "");
    assert_refused((lotor_simulate_params){.policy = huge, .has_gap = true}, LOTOR_INVALID, "");
}

TEST(numbers_that_make_no_sense_are_refused)
{
    const lotor_simulate_params fine = {.policy = {.algorithm = "dp-se", .horizon = 1000},
                                        .instance = "c1"};
    lotor_simulate_params bad = fine;
    bad.policy.horizon = 0;
    assert_refused(bad, LOTOR_INVALID, "the horizon is missing: give the number of rounds");
    bad.policy.horizon = (UINT64_C(1) << 53) + 1;
    assert_refused(bad, LOTOR_INVALID, "9007199254740993 rounds are too many");
    bad = fine;
    bad.runs = 1000001;
    assert_refused(bad, LOTOR_INVALID, "1000001 runs are too many: at most 1000000 are taken");
    bad.runs = 1000000;
    bad.checkpoints = 51;
    assert_refused(bad, LOTOR_INVALID,
                   "1000000 runs x 51 checkpoints: at most 50000000 numbers are kept");
    bad.runs = 1;
    bad.checkpoints = 100001;
    assert_refused(bad, LOTOR_INVALID, "100001 checkpoints are too many");
    bad = fine;
    bad.noise_scale = -1.0;
    assert_refused(bad, LOTOR_INVALID, "the noise scale must be a number above 0, not -1");
    bad.noise_scale = NAN;
    assert_refused(bad, LOTOR_INVALID, "the noise scale must be a number above 0");
    bad = fine;
    bad.policy.epsilon = lotor_ratio_of(0, 1);
    assert_refused(bad, LOTOR_INVALID, "needs an epsilon above 0");
    bad = fine;
    bad.policy.delta = lotor_ratio_of(1, 100);
    assert_refused(bad, LOTOR_INVALID, "delta can't be used with dp-se");
    bad = fine;
    bad.policy.low = 0.25;
    bad.policy.high = 1.0;
    assert_refused(bad, LOTOR_INVALID,
                   "rewards here lie between 0 and 1, but low is 0.25 and high is 1");
    bad.policy.low = 0.0;
    bad.policy.high = NAN;
    assert_refused(bad, LOTOR_INVALID, "rewards here lie between 0 and 1");
    bad = fine;
    bad.policy.slots = 2;
    assert_refused(bad, LOTOR_INVALID, "dp-se shows one arm a round");
    bad = fine;
    bad.policy.algorithm = "cascade-ucb";
    bad.policy.slots = 2;
    bad.rewards = "uniform";
    assert_refused(bad, LOTOR_INVALID, "learns from clicks");
}

TEST(nothing_is_freed_in_peace)
{
    lotor_simulate_free(NULL);
    lotor_simulate_problem_free(NULL);
}

/* --- problems that several algorithms share ----------------------------------------------------- */

static lotor_simulate_problem *problem_of(const lotor_simulate_params *params)
{
    lotor_simulate_problem *problem;
    lotor_message why = {""};
    if (lotor_simulate_problem_new(params, &why, &problem) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return problem;
}

static lotor_simulate_result *run_in(const lotor_simulate_problem *problem,
                                     const lotor_simulate_params *params)
{
    lotor_simulate_result *result;
    lotor_message why = {""};
    if (lotor_simulate_problem_run(problem, params, &why, &result) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return result;
}

static void assert_same_results(lotor_simulate_result *one, lotor_simulate_result *other)
{
    assert_same(one->regret, other->regret);
    assert_same(one->regret_error, other->regret_error);
    assert_same(one->best_per_round, other->best_per_round);
    assert_int_equal(one->slots, other->slots);
    assert_int_equal(one->favourite_count, other->favourite_count);
    assert_memory_equal(one->favourite, other->favourite,
                        one->favourite_count * sizeof *one->favourite);
    lotor_simulate_free(one);
    lotor_simulate_free(other);
}

/* A problem that is made once gives the same results as one made for each algorithm. The world
 * comes from the problem, whatever the parameters of a run say. */
TEST(one_problem_for_several_algorithms)
{
    static const char *const ids[] = {"dp-se", "ucb", "batch-klucb"};
    lotor_simulate_params params = {
        .policy = {.algorithm = "dp-se", .horizon = 3000, .arms = 6}, .instance = "c3", .seed = 9};
    lotor_simulate_problem *problem = problem_of(&params);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        params.policy.algorithm = ids[i];
        lotor_simulate_params bare = params;
        bare.instance = NULL;
        bare.policy.arms = 77;
        assert_same_results(run_in(problem, &bare), run(&params));
    }
    lotor_simulate_problem_free(problem);
}

/* The structures of test_simulate_api's other tests, by their names. */
TEST(structures_from_text)
{
    static const uint32_t group[] = {0, 0, 0, 1, 1, 1, 1}, capacity[] = {1, 1};
    static const uint32_t from[] = {0, 1, 2, 3, 0, 1, 2}, to[] = {1, 2, 3, 0, 2, 3, 0};
    const lotor_simulate_params bare = {
        .policy = {.algorithm = "dpucb-mat", .horizon = 2000}, .instance = "table-6.1", .seed = 7};
    lotor_simulate_params said[4] = {bare, bare, bare, bare};
    said[1].policy.slots = 3;
    said[2].policy.structure = LOTOR_STRUCTURE_PARTITION;
    said[2].policy.group = group;
    said[2].policy.capacity = capacity;
    said[2].policy.groups = 2;
    said[3].policy.structure = LOTOR_STRUCTURE_GRAPHIC;
    said[3].policy.from = from;
    said[3].policy.to = to;
    said[3].policy.vertices = 4;
    static const struct {
        const char *text;
        size_t slots;
        const char *name;
        lotor_structure structure;
    } texts[] = {
        {NULL, 0, "linear", LOTOR_STRUCTURE_LINEAR},
        {"top", 3, "top", LOTOR_STRUCTURE_TOP},
        {"partition:0,0,0,1,1,1,1", 0, "partition", LOTOR_STRUCTURE_PARTITION},
        {"graphic:0-1,1-2,2-3,3-0,0-2,1-3,2-0", 0, "graphic", LOTOR_STRUCTURE_GRAPHIC},
    };
    lotor_simulate_problem *problem = problem_of(&bare);
    for (size_t i = 0; i < 4; i++) {
        lotor_message why = {""};
        lotor_simulate_problem_facts facts;
        assert_int_equal(
            lotor_simulate_problem_structure(problem, texts[i].text, texts[i].slots, &why),
            LOTOR_OK);
        lotor_simulate_problem_describe(problem, &facts);
        assert_string_equal(facts.structure_name, texts[i].name);
        assert_int_equal(facts.structure, texts[i].structure);
        assert_int_equal(facts.has_usual_structure, i == 0);
        assert_same_results(run_in(problem, &bare), run(&said[i]));
    }
    lotor_simulate_problem_free(problem);
}

TEST(structures_on_a_graph_from_text)
{
    lotor_simulate_params params = {
        .policy = {.algorithm = "cucb-dp2", .horizon = 400}, .instance = "grid:3x3", .seed = 7};
    lotor_simulate_problem *problem = problem_of(&params);
    lotor_simulate_problem_facts facts;
    lotor_message why = {""};
    assert_int_equal(lotor_simulate_problem_structure(problem, "shortest-path:1-8", 0, &why),
                     LOTOR_OK);
    lotor_simulate_problem_describe(problem, &facts);
    assert_string_equal(facts.structure_name, "shortest-path");
    assert_int_equal(facts.source, 1);
    assert_non_null(facts.from);
    lotor_simulate_params said = params;
    said.policy.structure = LOTOR_STRUCTURE_PATH;
    said.policy.source = 1;
    said.policy.sink = 8;
    assert_same_results(run_in(problem, &params), run(&said));

    assert_int_equal(lotor_simulate_problem_structure(problem, "spanning-tree", 0, &why), LOTOR_OK);
    said.policy.structure = LOTOR_STRUCTURE_GRAPHIC;
    assert_same_results(run_in(problem, &params), run(&said));
    lotor_simulate_problem_describe(problem, &facts);
    assert_string_equal(facts.structure_name, "spanning-tree");

    assert_int_equal(lotor_simulate_problem_structure(problem, "influence", 2, &why), LOTOR_OK);
    lotor_simulate_problem_describe(problem, &facts);
    assert_int_equal(facts.seeds, 2);
    lotor_simulate_result *spread = run_in(problem, &params);
    assert_int_equal(spread->favourite_seed_count, 2);
    assert_true(spread->favourite_seeds[0] < 9 && spread->favourite_seeds[1] < 9);
    assert_true(spread->best_share > 0.6 && spread->best_share < 0.7); /* 1 - 1/e */
    lotor_simulate_free(spread);
    lotor_simulate_problem_free(problem);
}

/* A refused call does not change the structure. The message starts with the wrong parameter. */
TEST(structures_that_make_no_sense_change_nothing)
{
    static const struct {
        const char *text;
        size_t slots;
        lotor_status status;
        const char *message;
    } wrong[] = {
        {"tpo", 0, LOTOR_INVALID, "\"tpo\" is unknown: choose from top, "},
        {"top", 6, LOTOR_RANGE, "slots \"6\": expected 1 to 5"},
        {"linear", 0, LOTOR_INVALID, "\"linear\" needs vectors"},
        {"coverage", 0, LOTOR_INVALID, "\"coverage\" needs a graph"},
        {"shortest-path", 0, LOTOR_INVALID, "\"shortest-path\" needs a graph"},
        {"partition:0,1", 0, LOTOR_INVALID,
         "\"partition:0,1\": expected a group for each of the 5"},
        {"graphic:0-1", 0, LOTOR_INVALID,
         "\"graphic:0-1\": expected an edge A-B for each of the 5"},
        {"", 0, LOTOR_INVALID, "\"\" is unknown"},
    };
    const lotor_simulate_params params = {.policy = {.algorithm = "omm", .horizon = 100},
                                          .instance = "c1"};
    lotor_simulate_problem *problem = problem_of(&params);
    lotor_simulate_problem_facts facts;
    assert_int_equal(lotor_simulate_problem_structure(problem, "partition:0,0,1,1,2", 0, NULL),
                     LOTOR_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lotor_message why = {""};
        assert_int_equal(
            lotor_simulate_problem_structure(problem, wrong[i].text, wrong[i].slots, &why),
            wrong[i].status);
        if (strncmp(why.text, wrong[i].message, strlen(wrong[i].message)) != 0) {
            fail_msg("%s: %s", wrong[i].text, why.text);
        }
        lotor_simulate_problem_describe(problem, &facts);
        assert_string_equal(facts.structure_name, "partition");
    }
    lotor_simulate_result *result = run_in(problem, &params);
    assert_int_equal(result->slots, 3); /* one of each group */
    lotor_simulate_free(result);
    lotor_simulate_problem_free(problem);
}

static void assert_misfit(const lotor_simulate_problem *problem, lotor_policy_params policy,
                          lotor_simulate_misfit expected)
{
    const lotor_simulate_params params = {.policy = policy};
    lotor_message why = {""};
    lotor_simulate_misfit misfit = (lotor_simulate_misfit)77;
    lotor_simulate_result *result;
    const lotor_status status = lotor_simulate_problem_check(problem, &params, &why, &misfit);
    assert_int_equal(misfit, expected);
    assert_int_equal(status, expected == LOTOR_SIMULATE_FITS ? LOTOR_OK : LOTOR_INVALID);
    assert_int_equal(lotor_simulate_problem_check(problem, &params, NULL, NULL), status);
    assert_int_equal(lotor_simulate_problem_run(problem, &params, NULL, &result), status);
    assert_int_equal(status == LOTOR_OK, result != NULL);
    lotor_simulate_free(result);
    if (expected != LOTOR_SIMULATE_FITS) {
        assert_non_null(strstr(why.text, policy.algorithm));
    }
}

TEST(algorithms_that_do_not_fit)
{
    const lotor_policy_params one_arm = {.algorithm = "dp-se", .horizon = 100},
                              sets = {.algorithm = "cucb", .horizon = 100},
                              list = {.algorithm = "cascade-ucb", .horizon = 100},
                              linear = {.algorithm = "linucb", .horizon = 100};
    lotor_simulate_problem *grid =
        problem_of(&(lotor_simulate_params){.policy = sets, .instance = "grid:3x3"});
    assert_misfit(grid, sets, LOTOR_SIMULATE_FITS);
    assert_misfit(grid, one_arm, LOTOR_SIMULATE_MISFIT_ONE_ARM);
    assert_misfit(grid, list, LOTOR_SIMULATE_MISFIT_LIST);
    assert_misfit(grid, linear, LOTOR_SIMULATE_MISFIT_WORLD);
    assert_int_equal(lotor_simulate_problem_structure(grid, "top", 0, NULL), LOTOR_OK);
    assert_misfit(grid, one_arm, LOTOR_SIMULATE_FITS);
    assert_misfit(grid, list, LOTOR_SIMULATE_FITS);
    assert_int_equal(lotor_simulate_problem_structure(grid, "spanning-tree", 0, NULL), LOTOR_OK);
    assert_misfit(grid, list, LOTOR_SIMULATE_MISFIT_LIST);
    lotor_simulate_problem_free(grid);

    lotor_simulate_problem *spread = problem_of(
        &(lotor_simulate_params){.policy = one_arm, .instance = "c1", .rewards = "beta"});
    assert_misfit(spread, one_arm, LOTOR_SIMULATE_FITS);
    assert_misfit(spread, list, LOTOR_SIMULATE_MISFIT_CLICKS);
    lotor_simulate_problem_free(spread);

    lotor_simulate_problem *actions = problem_of(&(lotor_simulate_params){.policy = linear});
    lotor_simulate_problem_facts facts;
    lotor_simulate_problem_describe(actions, &facts);
    assert_true(facts.is_linear && !facts.means && !facts.structure_name);
    assert_int_equal(facts.arms, LOTOR_SIMULATE_ACTIONS_DEFAULT);
    assert_int_equal(facts.dimension, LOTOR_SIMULATE_DIMENSION_DEFAULT);
    assert_misfit(actions, linear, LOTOR_SIMULATE_FITS);
    assert_misfit(actions, one_arm, LOTOR_SIMULATE_MISFIT_WORLD);
    assert_int_equal(lotor_simulate_problem_structure(actions, "top", 0, NULL), LOTOR_INVALID);
    lotor_simulate_problem_free(actions);
}

/* The check also refuses parameters that a run refuses for other reasons than a misfit. */
TEST(the_check_refuses_what_a_run_refuses)
{
    const lotor_simulate_params fine = {
        .policy = {.algorithm = "jdp-linucb-wishart", .horizon = 100}, .runs = 1};
    lotor_simulate_problem *problem = problem_of(&fine);
    lotor_simulate_params bad[4] = {fine, fine, fine, fine};
    bad[0].noise_scale = 0.5; /* Wishart noise can't be multiplied */
    bad[1].policy.horizon = 0;
    bad[2].policy.algorithm = "no-such";
    bad[3].policy.delta = lotor_ratio_of(0, 1);
    assert_int_equal(lotor_simulate_problem_check(problem, &fine, NULL, NULL), LOTOR_OK);
    for (size_t i = 0; i < 4; i++) {
        lotor_message checked = {""}, played = {""};
        lotor_simulate_misfit misfit;
        lotor_simulate_result *result;
        const lotor_status status =
            lotor_simulate_problem_check(problem, &bad[i], &checked, &misfit);
        assert_int_equal(status, i == 2 ? LOTOR_UNKNOWN : LOTOR_INVALID);
        assert_int_equal(misfit, LOTOR_SIMULATE_FITS);
        assert_int_equal(lotor_simulate_problem_run(problem, &bad[i], &played, &result), status);
        assert_string_equal(checked.text, played.text);
    }
    lotor_simulate_problem_free(problem);
}

/* --- the parameters in a result --------------------------------------------------------------- */

TEST(results_say_what_was_played)
{
    lotor_simulate_params params = {
        .policy = {.algorithm = "dp-se", .horizon = 1000}, .instance = "c1", .seed = 1};
    lotor_simulate_result *result = run(&params);
    assert_true(result->epsilon.num == 1 && result->epsilon.den == 1);
    assert_int_equal(result->delta.num, 0);
    assert_true(result->beta == 1e-3); /* 1/T */
    assert_int_equal(result->slots, 1);
    assert_string_equal(result->feedback, "one");
    assert_true(result->best_share == 1.0 && !result->best_is_bound);
    assert_non_null(strstr(result->lower_bound_theorem, "Azize"));
    assert_non_null(strstr(result->classical_bound_theorem, "Lai and Robbins"));
    assert_int_equal(result->last_rounds, 100);
    assert_true(result->favourite_rounds >= 1 && result->favourite_rounds <= 100);
    assert_true(result->favourite_value <= result->best_per_round);
    assert_null(result->favourite_seeds);
    assert_true(result->rounds_per_second > 0.0);
    lotor_simulate_free(result);

    params.policy.algorithm = "ucb";
    result = run(&params);
    assert_int_equal(result->epsilon.num, 0); /* no noise */
    assert_true(isnan(result->beta));
    lotor_simulate_free(result);

    params = (lotor_simulate_params){.policy = {.algorithm = "jdp-batch", .horizon = 100}};
    result = run(&params);
    assert_true(result->delta.num == 1 && result->delta.den == 100000);
    assert_true(result->late_release > 100); /* nothing was released so early */
    assert_true(isnan(result->best_share) && !result->lower_bound_theorem);
    assert_true(isnan(result->classical_bound) && !result->classical_bound_theorem);
    lotor_simulate_free(result);

    params = (lotor_simulate_params){
        .policy = {.algorithm = "rr-klucb", .horizon = 500, .slots = 2, .cascade = true},
        .instance = "c1"};
    result = run(&params);
    assert_string_equal(result->feedback, "first-slot");
    assert_int_equal(result->slots, 2);
    lotor_simulate_free(result);
}

TEST(every_round_can_be_played_singly)
{
    lotor_simulate_params params = {.policy = {.algorithm = "dp-ucb", .horizon = 2000},
                                    .instance = "c2",
                                    .seed = 7,
                                    .exact_rounds = true};
    lotor_world *world = instance("c2", 0);
    lotor_experiment trial = trial_in(world, &params.policy);
    trial.exact_rounds = true;
    assert_as_the_lab(&params, &trial);
    lotor_world_free(world);
}

/* The public fields reach the experiment: with a delay of the whole horizon nothing is learnt; in a
 * world that changes, no lower bound is proved. */
TEST(delayed_feedback_and_worlds_that_change)
{
    lotor_simulate_params params = {.policy = {.algorithm = "batch-klucb", .horizon = 20000},
                                    .instance = "c2",
                                    .runs = 3,
                                    .seed = 1};
    static const char *const delays[] = {NULL, "2000", "1e5"};
    double regret[3];
    lotor_message why = {""};
    lotor_simulate_result *result;
    for (size_t i = 0; i < 3; i++) {
        params.delay = delays[i];
        assert_int_equal(lotor_simulate_run(&params, &why, &result), LOTOR_OK);
        regret[i] = result->regret;
        lotor_simulate_free(result);
    }
    assert_true(regret[0] < regret[1] && regret[1] < regret[2]);
    params.delay = NULL;
    params.world = "swaps:2";
    assert_int_equal(lotor_simulate_run(&params, &why, &result), LOTOR_OK);
    assert_true(isnan(result->lower_bound));
    assert_null(result->lower_bound_theorem);
    assert_true(result->best_per_round == 0.75);
    lotor_simulate_free(result);
    lotor_simulate_problem *problem;
    lotor_simulate_problem_facts facts;
    assert_int_equal(lotor_simulate_problem_new(&params, &why, &problem), LOTOR_OK);
    lotor_simulate_problem_describe(problem, &facts);
    assert_true(facts.changes);
    lotor_simulate_problem_free(problem);
    params.world = "swaps:1"; /* one part: the means never change */
    assert_int_equal(lotor_simulate_run(&params, &why, &result), LOTOR_OK);
    assert_true(result->lower_bound > 0.0 && result->regret == regret[0]);
    lotor_simulate_free(result);
    params.world = "steps:10001=0.1,0.1,0.1,0.1,0.9"; /* half of the rounds: 0.75, then 0.9 */
    assert_int_equal(lotor_simulate_run(&params, &why, &result), LOTOR_OK);
    assert_true(fabs(result->best_per_round - 0.825) < 1e-12 && isnan(result->lower_bound));
    lotor_simulate_free(result);
    params.world = "walk:0.5";
    assert_int_equal(lotor_simulate_run(&params, &why, &result), LOTOR_OK);
    const double walked = result->best_per_round;
    lotor_simulate_free(result);
    params.threads = 1;
    assert_int_equal(lotor_simulate_run(&params, &why, &result), LOTOR_OK);
    assert_true(result->best_per_round == walked);
    lotor_simulate_free(result);
    params.world = "steps:9=0.1,0.2";
    assert_refused(params, LOTOR_INVALID, "each row needs the means of all 5 arms, not 2");
    params.world = "turns";
    assert_refused(params, LOTOR_INVALID, "turns");
    params.world = NULL;
    params.delay = "soon";
    assert_refused(params, LOTOR_INVALID, "soon");
    params.delay = NULL;
    params.world = "drift";
    params.instance = NULL;
    params.policy.algorithm = "linucb";
    assert_refused(params, LOTOR_INVALID, "linear world");
}

TEST(recorded_instances_are_known_by_name)
{
    assert_true(lotor_simulate_is_recorded("replay:log.csv"));
    assert_true(lotor_simulate_is_recorded("movielens:data"));
    assert_false(lotor_simulate_is_recorded("c1"));
    assert_false(lotor_simulate_is_recorded("replay"));
    assert_false(lotor_simulate_is_recorded(NULL));
}
