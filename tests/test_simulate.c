/* test_simulate.c - the simulator: shortcuts keep the law, threads change nothing. */
#include "support/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/checkpoints.h"
#include "lab/simulate.h"
#include "policy/catalog.h"

static lotor_trial trial_of(const lotor_world *world, const char *algorithm, uint64_t horizon,
                            uint64_t runs)
{
    lotor_trial trial = {
        .world = world,
        .runs = runs,
        .seed = 3,
        .checkpoints = 12,
        .policy = {.algorithm = algorithm,
                   .arms = world->arms,
                   .horizon = horizon,
                   .epsilon = lotor_ratio_of(2, 1)},
    };
    if (world->vectors) {
        trial.policy.structure = LOTOR_STRUCTURE_LINEAR;
        trial.policy.vectors = world->vectors;
        trial.policy.dimension = world->dimension;
    }
    return trial;
}

static lotor_result simulate(const lotor_trial *trial)
{
    lotor_result result;
    lotor_message why = {""};
    if (lotor_simulate(trial, &why, &result) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return result;
}

static lotor_world *world_of(const char *name, size_t arms)
{
    lotor_world *world;
    assert_int_equal(lotor_world_instance(name, arms, NULL, &world), LOTOR_OK);
    return world;
}

/* With and without shortcuts, for every id: the means of 400 runs agree at every checkpoint within
 * four and a half standard errors (11 ids x 12 checkpoints: a false alarm once in 1,000 seeds), and
 * so do the spreads: the ratio of two standard errors is within 1 +- 5/sqrt(2 * 400). */
static void shortcuts_keep_the_law(void **state)
{
    (void)state;
    enum { RUNS = 400 };
    lotor_world *finite = world_of("c2", 3), *matroid = world_of("table-6.1", 0);
    for (size_t c = 0; c < lotor_catalog_size; c++) {
        const bool is_finite = lotor_catalog[c].problem == LOTOR_PROBLEM_FINITE;
        lotor_trial trial = trial_of(is_finite ? finite : matroid, lotor_catalog[c].id,
                                     is_finite ? 20000 : 1000, RUNS);
        const lotor_result fast = simulate(&trial);
        trial.exact_rounds = true;
        trial.seed = 4;
        const lotor_result slow = simulate(&trial);
        assert_int_equal(fast.checkpoint_count, slow.checkpoint_count);
        for (size_t i = 0; i < fast.checkpoint_count; i++) {
            const lotor_checkpoint *a = &fast.checkpoints[i], *b = &slow.checkpoints[i];
            const double error = hypot(a->standard_error, b->standard_error);
            if (!(fabs(a->mean - b->mean) <= 4.5 * error + 1e-6)) {
                fail_msg("%s at %llu: %.3f +- %.3f, round by round %.3f +- %.3f",
                         lotor_catalog[c].id, (unsigned long long)a->t, a->mean, a->standard_error,
                         b->mean, b->standard_error);
            }
        }
        const double ratio = (fast.regret_stderr + 1e-9) / (slow.regret_stderr + 1e-9);
        assert_true(fabs(ratio - 1.0) < 0.25 || fast.regret_stderr < 0.02 * fast.regret_mean);
        lotor_result results[] = {fast, slow};
        lotor_result_free(&results[0]);
        lotor_result_free(&results[1]);
    }
    lotor_world_free(finite);
    lotor_world_free(matroid);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    lotor_world *world = world_of("table-6.1", 0);
    static const char *const ids[] = {"dpucb-mat", "dpts-mat", "cts-beta"};
    for (size_t c = 0; c < 3; c++) {
        lotor_trial trial = trial_of(world, ids[c], 2000, 7);
        trial.threads = 1;
        lotor_result one = simulate(&trial);
        trial.threads = 5;
        lotor_result five = simulate(&trial);
        assert_int_equal(one.checkpoint_count, five.checkpoint_count);
        assert_memory_equal(one.checkpoints, five.checkpoints,
                            one.checkpoint_count * sizeof *one.checkpoints);
        trial.seed++;
        lotor_result other = simulate(&trial);
        assert_true(other.regret_mean != one.regret_mean);
        lotor_result_free(&one);
        lotor_result_free(&five);
        lotor_result_free(&other);
    }
    lotor_world_free(world);
}

/* Continuous rewards have no binomial shortcut; ucb learns in them too: its regret is below that of
 * showing arms at random, gap 0.25 on average over 3000 rounds. */
static void continuous_worlds_are_played(void **state)
{
    (void)state;
    const double means[] = {0.75, 0.5, 0.25};
    lotor_world *worlds[2];
    assert_int_equal(lotor_world_beta(3, means, 2.0, NULL, &worlds[0]), LOTOR_OK);
    assert_int_equal(lotor_world_uniform(3, means, NULL, &worlds[1]), LOTOR_OK);
    for (size_t i = 0; i < 2; i++) {
        static const char *const ids[] = {"ucb", "se", "omm", "dp-se2-modified"};
        for (size_t c = 0; c < 4; c++) {
            const lotor_trial trial = trial_of(worlds[i], ids[c], 3000, 20);
            lotor_result result = simulate(&trial);
            assert_true(result.regret_mean > 0.0 && result.regret_mean < 0.25 * 3000);
            lotor_result_free(&result);
        }
        lotor_world_free(worlds[i]);
    }
}

static void checkpoints_are_log_spaced(void **state)
{
    (void)state;
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

static bool stop_at_once(void *context, double share)
{
    (void)share;
    ++*(int *)context;
    return true;
}

/* Stopped: the complete runs are reported, here at most a few of very many. */
static void a_stopped_trial_reports_what_is_complete(void **state)
{
    (void)state;
    lotor_world *world = world_of("c1", 5);
    int calls = 0;
    lotor_trial trial = trial_of(world, "dp-ucb", 2000000, 100000);
    trial.progress = stop_at_once;
    trial.context = &calls;
    lotor_result result = simulate(&trial);
    assert_true(calls > 0);
    assert_true(result.runs < 1000);
    lotor_result_free(&result);
    lotor_world_free(world);
}

/* One run has no standard error; regret and return add up to the optimum; scaled noise is no claim. */
static void results_add_up(void **state)
{
    (void)state;
    lotor_world *world = world_of("c2", 5);
    lotor_trial trial = trial_of(world, "dp-se", 100000, 1);
    lotor_result result = simulate(&trial);
    assert_true(isnan(result.regret_stderr) != 0);
    assert_true(fabs(result.return_mean + result.regret_mean / 100000.0 - 0.75) < 1e-12);
    assert_true(result.guarantee.is_private);
    assert_int_equal(result.guarantee.noise, LOTOR_NOISE_SIMULATION);
    const double honest = result.guarantee.scale;
    lotor_result_free(&result);
    trial.noise_scale = 0.01;
    result = simulate(&trial);
    assert_false(result.guarantee.is_private);
    assert_true(fabs(result.guarantee.scale / (0.01 * honest) - 1.0) < 1e-3);
    lotor_result_free(&result);

    lotor_message why;
    trial.policy.horizon = 0;
    assert_int_equal(lotor_simulate(&trial, &why, &result), LOTOR_INVALID);
    trial.policy.horizon = 10;
    trial.noise_scale = NAN;
    assert_int_equal(lotor_simulate(&trial, &why, &result), LOTOR_INVALID);
    lotor_world_free(world);
}

/* Pays the means themselves, so that runs differ by the noise alone. */
static void draw_steadily(const lotor_world *world, lotor_simulation *simulation,
                          const uint32_t *arms, size_t count, uint64_t rounds, double *sums)
{
    (void)simulation;
    assert_true(rounds == 1 || world->is_binary);
    for (size_t i = 0; i < count; i++) {
        sums[i] = (double)rounds * world->means[arms[i]];
    }
}

/* Long stretches are drawn at once in a binary world, and otherwise in parts of at most 2^16: where
 * all rounds pay the same, what comes out is the same too. Means are multiples of 2^-8, hence whole
 * numbers of units; sums of regret differ by rounding alone. */
static void parts_of_a_stretch_are_the_stretch(void **state)
{
    (void)state;
    static const double means[] = {0.5, 0.4921875, 0.25};
    static const char *const ids[] = {"dp-se", "dp-se2-modified", "dpucb-mat"};
    for (size_t c = 0; c < 3; c++) {
        lotor_world world = {.id = "steady", .arms = 3, .means = means, .draw = draw_steadily};
        lotor_trial trial = trial_of(&world, ids[c], 4000000, 2);
        lotor_result parts = simulate(&trial);
        world.is_binary = true;
        lotor_result whole = simulate(&trial);
        assert_int_equal(parts.checkpoint_count, whole.checkpoint_count);
        for (size_t i = 0; i < whole.checkpoint_count; i++) {
            assert_int_equal(parts.checkpoints[i].t, whole.checkpoints[i].t);
            const double mean = whole.checkpoints[i].mean;
            assert_true(fabs(parts.checkpoints[i].mean - mean) <= 1e-9 * (1.0 + mean));
        }
        lotor_result_free(&parts);
        lotor_result_free(&whole);
    }
}

typedef struct watcher {
    int calls;
    double share;
} watcher;

static bool stop_when_it_moves(void *context, double share)
{
    watcher *seen = context;
    seen->calls++;
    seen->share = share;
    return share > 0.0 || seen->calls >= 100;
}

/* Rewards that are drawn one by one, in stretches of up to 10^11 rounds: within a hundred calls, ten
 * seconds, something is heard of a trial that would take days, and it stops. */
static void a_trial_of_long_stretches_can_be_stopped(void **state)
{
    (void)state;
    static const double means[] = {0.5, 0.5001};
    static const char *const ids[] = {"dp-se", "dp-se2", "dpucb-mat", "ucb"};
    lotor_world *world;
    assert_int_equal(lotor_world_beta(2, means, 4.0, NULL, &world), LOTOR_OK);
    for (size_t c = 0; c < 8; c++) {
        watcher seen = {0, 0.0};
        lotor_trial trial = trial_of(world, ids[c % 4], UINT64_C(1000000000000), 2);
        trial.exact_rounds = c >= 4;
        trial.progress = stop_when_it_moves;
        trial.context = &seen;
        lotor_result result = simulate(&trial);
        assert_true(seen.share > 0.0 && seen.share < 1.0);
        assert_int_equal(result.runs, 0);
        lotor_result_free(&result);
    }
    lotor_world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortcuts_keep_the_law),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(continuous_worlds_are_played),
        cmocka_unit_test(checkpoints_are_log_spaced),
        cmocka_unit_test(a_stopped_trial_reports_what_is_complete),
        cmocka_unit_test(results_add_up),
        cmocka_unit_test(parts_of_a_stretch_are_the_stretch),
        cmocka_unit_test(a_trial_of_long_stretches_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
