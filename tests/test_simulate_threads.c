/* test_simulate_threads.c - the number of threads does not change results, and a simulation can be
 * stopped. Small enough for ThreadSanitizer (scripts/threads). */
#include "support/test.h"

#include <math.h>

#include "lab/simulate.h"
#include "policy/catalog.h"
#include "support/experiments.h"

static void expect_threads_change_nothing(lotor_experiment trial)
{
    trial.threads = 1;
    lotor_experiment_result one = simulate(&trial);
    trial.threads = 5;
    lotor_experiment_result five = simulate(&trial);
    expect_same_checkpoints(&one, &five);
    trial.seed++;
    lotor_experiment_result other = simulate(&trial);
    assert_true(other.regret_mean != one.regret_mean);
    lotor_experiment_result_free(&one);
    lotor_experiment_result_free(&five);
    lotor_experiment_result_free(&other);
}

TEST(threads_change_nothing)
{
    lotor_world *world = world_of("table-6.1", 0);
    lotor_linear_world linear;
    assert_int_equal(lotor_linear_world_make(3, 6, NAN, NULL, &linear), LOTOR_OK);
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const lotor_algorithm *row = &lotor_algorithms[c];
        if (row->linear) {
            expect_threads_change_nothing(linear_experiment(&linear, row->id, 300, 7));
            continue;
        }
        lotor_experiment trial = experiment_of(world, row->id, 2000, 7);
        if (row->problem == LOTOR_PROBLEM_FINITE || row->problem == LOTOR_PROBLEM_CASCADE) {
            trial.policy.structure = LOTOR_STRUCTURE_TOP;
            trial.policy.slots = row->problem == LOTOR_PROBLEM_CASCADE ? 3 : 1;
        }
        if (row->elimination) {
            trial.policy.epsilon = lotor_ratio_of(100, 1);
            trial.policy.horizon = 200000; /* long enough to drop arms */
        }
        expect_threads_change_nothing(trial);
    }
    lotor_world_free(world);
}

static bool stop_at_once(void *context, double share)
{
    (void)share;
    ++*(int *)context;
    return true;
}

/* A stopped experiment returns the complete runs: here at most a few of very many. */
TEST(a_stopped_experiment_returns_complete_runs)
{
    lotor_world *world = world_of("c1", 5);
    int calls = 0;
    lotor_experiment trial = experiment_of(world, "dp-ucb", 2000000, 100000);
    trial.progress = stop_at_once;
    trial.context = &calls;
    lotor_experiment_result result = simulate(&trial);
    assert_true(calls > 0);
    assert_true(result.runs < 1000);
    lotor_experiment_result_free(&result);
    lotor_world_free(world);
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
    return share > 0.0 || (double)seen->calls >= test_seconds(100);
}

/* Rewards that are drawn one by one, in stretches of up to 10^11 rounds: an experiment that would
 * take days reports progress and stops within a hundred calls, ten seconds (times the patience). */
TEST(an_experiment_of_long_stretches_can_be_stopped)
{
    static const double means[] = {0.5, 0.5001};
    static const char *const ids[] = {"dp-se", "dp-se2", "dpucb-mat", "ucb"};
    lotor_world *world;
    assert_int_equal(lotor_world_beta(2, means, 4.0, NULL, &world), LOTOR_OK);
    for (size_t c = 0; c < 8; c++) {
        watcher seen = {0, 0.0};
        lotor_experiment trial = experiment_of(world, ids[c % 4], UINT64_C(1000000000000), 2);
        trial.exact_rounds = c >= 4;
        trial.progress = stop_when_it_moves;
        trial.context = &seen;
        lotor_experiment_result result = simulate(&trial);
        assert_true(seen.share > 0.0 && seen.share < 1.0);
        assert_int_equal(result.runs, 0);
        lotor_experiment_result_free(&result);
    }
    lotor_world_free(world);
}
