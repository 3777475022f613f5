/* test_policy_allocation.c - the k-th allocation fails, for every k, in all calls of a policy and
 * of a simulation: the call returns a status, nothing is lost or leaked, and a second call
 * works. */
#include "support/test.h"

#include <string.h>

#include "lab/simulate.h"
#include "support/failing_memory.h"
#include "support/rows.h"

enum { ARMS = ROWS_ARMS, ROUNDS = 40 };

static test_source source;

/* Calls again after LOTOR_MEMORY (only one allocation fails). */
static bool again(lotor_status status, size_t *failures)
{
    assert_true(status == LOTOR_OK || status == LOTOR_MEMORY);
    *failures += status == LOTOR_MEMORY;
    return status == LOTOR_MEMORY;
}

/* A hash of everything that was shown. */
static uint64_t fingerprint(uint64_t print, const lotor_decision *decision)
{
    for (size_t i = 0; i < decision->count; i++) {
        print = print * 31 + decision->arms[i];
    }
    return print * 31 + decision->asked[0];
}

/* Saves and, if possible, loads the policy; frees both. */
static void save_and_load(lotor_policy *policy, const lotor_policy_params *params, size_t *failures)
{
    unsigned char *bytes;
    size_t length;
    lotor_message why;
    while (again(lotor_policy_save(policy, &bytes, &length), failures)) {
        assert_null(bytes);
    }
    lotor_policy *loaded = NULL;
    while (!policy->algorithm->is_simulation_only &&
           again(lotor_policy_load_on(bytes, length, params, &source.source, &why, &loaded),
                 failures)) {
        assert_null(loaded);
    }
    lotor_bytes_free(bytes, length);
    lotor_policy_free(policy);
    lotor_policy_free(loaded);
}

/* Makes a policy, asks ROUNDS times before the first round ends, saves, loads and frees it. Returns
 * a hash of everything that it showed. */
static uint64_t live(const lotor_policy_params *params, size_t *failures)
{
    test_source_seed(&source, 1);
    lotor_policy *policy;
    lotor_message why;
    uint64_t print = 0;
    size_t asked[ROUNDS + 1];
    while (again(rows_try_make(params, &source, &why, &policy), failures)) {
        assert_null(policy);
    }
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        lotor_decision decision;
        while (again(rows_choose(policy, round, &why, &decision), failures)) {
        }
        assert_int_equal(decision.event, round);
        asked[round] = decision.asked_count;
        print = fingerprint(print, &decision);
    }
    for (uint64_t round = ROUNDS; round >= 1; round--) {
        assert_int_equal(rows_observe(policy, round, asked[round]), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(policy, round, &why), LOTOR_OK);
    }
    save_and_load(policy, params, failures);
    return print;
}

static void expect_survives(const lotor_policy_params *params)
{
    const size_t before = failing_memory_live();
    size_t failures = 0;
    failing_memory_start(0);
    const uint64_t expected = live(params, &failures);
    const size_t allocations = failing_memory_stop();
    assert_true(allocations > 20);
    assert_int_equal(failures, 0);
    for (size_t fails = 1; fails <= allocations; fails++) {
        failures = 0;
        failing_memory_start(fails);
        assert_int_equal(live(params, &failures), expected);
        (void)failing_memory_stop();
        assert_int_equal(failures, 1);
        assert_int_equal(failing_memory_live(), before);
    }
}

TEST(policies_survive)
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        lotor_policy_params params = rows_params(&lotor_algorithms[c], 2 * (uint64_t)ROUNDS);
        params.epsilon = lotor_ratio_of(1, 1);
        expect_survives(&params);
        for (int i = 1; i < rows_structures(&lotor_algorithms[c]); i++) {
            rows_set_structure(&params, (lotor_structure)i);
            expect_survives(&params);
        }
    }
}

/* Uses one thread, so that the number of allocations is always the same. */
static void expect_trial_survives(const lotor_experiment *trial)
{
    const size_t before = failing_memory_live();
    lotor_experiment_result result;
    lotor_message why;
    failing_memory_start(0);
    assert_int_equal(lotor_experiment_run(trial, &why, &result), LOTOR_OK);
    lotor_experiment_result_free(&result);
    const size_t allocations = failing_memory_stop();
    for (size_t fails = 1; fails <= allocations; fails++) {
        failing_memory_start(fails);
        const lotor_status status = lotor_experiment_run(trial, &why, &result);
        (void)failing_memory_stop();
        assert_int_equal(status, LOTOR_MEMORY);
        assert_non_null(strstr(why.text, "memory"));
        assert_int_equal(failing_memory_live(), before);
    }
}

TEST(simulations_survive)
{
    static const double means[ARMS] = {0.5, 0.4, 0.3, 0.2, 0.1};
    static const char *const ids[] = {"dp-se",     "cucb-dp",  "cascade-dp", "jdp-linucb-wishart",
                                      "jdp-batch", "jdp-bayes"};
    lotor_world *world;
    lotor_linear_world linear;
    assert_int_equal(lotor_world_bernoulli(ARMS, means, NULL, &world), LOTOR_OK);
    assert_int_equal(lotor_linear_world_make(ROWS_DIMENSION, ARMS, 0.1, NULL, &linear), LOTOR_OK);
    for (size_t c = 0; c < sizeof ids / sizeof *ids; c++) {
        const lotor_algorithm *row = lotor_algorithms_find(ids[c]);
        lotor_experiment trial = {.world = row->linear ? NULL : world,
                                  .linear = row->linear ? &linear : NULL,
                                  .runs = 2,
                                  .threads = 1,
                                  .policy = rows_params(row, row->linear ? 100 : 1000)};
        trial.policy.first = NULL; /* the simulation draws it */
        expect_trial_survives(&trial);
        if (row->problem == LOTOR_PROBLEM_SEMIBANDIT) { /* its optimum is searched for */
            rows_set_structure(&trial.policy, LOTOR_STRUCTURE_COVERAGE);
            expect_trial_survives(&trial);
        }
    }
    lotor_world_free(world);
}
