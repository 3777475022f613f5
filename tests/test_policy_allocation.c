/* test_policy_allocation.c - the k-th allocation fails, for every k, in the life of a policy and of a
 * simulation: a status, nothing lost, nothing leaked; the call again works. */
#include "support/cmocka_all.h"

#include <string.h>

#include "lab/simulate.h"
#include "policy/policy.h"
#include "support/failing_memory.h"
#include "support/test_source.h"

enum { ARMS = 4, ROUNDS = 40 };

static test_source source;

/* Calls again after LOTOR_MEMORY (only one allocation fails). */
static bool again(lotor_status status, size_t *failures)
{
    assert_true(status == LOTOR_OK || status == LOTOR_MEMORY);
    *failures += status == LOTOR_MEMORY;
    return status == LOTOR_MEMORY;
}

/* A policy is made, asked ROUNDS times before the first round ends, saved, loaded and freed. Returns
 * a fingerprint of what it showed. */
static uint64_t live(const lotor_algorithm *algorithm, size_t *failures)
{
    static const int64_t vectors[2 * ARMS] = {1, 0, 0, 1, 1, 1, 1, 2};
    lotor_policy_params params = {.algorithm = algorithm->id,
                                  .arms = ARMS,
                                  .horizon = 2 * ROUNDS,
                                  .epsilon = lotor_ratio_of(1, 1)};
    if (algorithm->problem == LOTOR_PROBLEM_MATROID) {
        params.structure = LOTOR_STRUCTURE_LINEAR;
        params.vectors = vectors;
        params.dimension = 2;
    }
    test_source_seed(&source, 1);
    lotor_policy *policy, *loaded;
    lotor_message why;
    uint64_t print = 0;
    while (again(lotor_policy_new_on(&params, &source.source, 7, &why, &policy), failures)) {
        assert_null(policy);
    }
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        lotor_decision decision;
        while (again(lotor_policy_choose(policy, NULL, &why, &decision), failures)) {
        }
        assert_int_equal(decision.event, round);
        for (size_t i = 0; i < decision.count; i++) {
            print = print * 31 + decision.arms[i];
        }
    }
    const double rewards[2] = {1.0, 0.0};
    const lotor_answer answer = {rewards, policy->params.slots, 0};
    for (uint64_t round = ROUNDS; round >= 1; round--) {
        assert_int_equal(lotor_policy_observe(policy, round, &answer, &why), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(policy, round, &why), LOTOR_OK);
    }
    unsigned char *bytes;
    size_t length;
    while (again(lotor_policy_save(policy, &bytes, &length), failures)) {
        assert_null(bytes);
    }
    while (
        again(lotor_policy_load_on(bytes, length, NULL, &source.source, &why, &loaded), failures)) {
        assert_null(loaded);
    }
    lotor_bytes_free(bytes, length);
    lotor_policy_free(policy);
    lotor_policy_free(loaded);
    return print;
}

static void policies_survive(void **state)
{
    (void)state;
    for (size_t c = 0; c < lotor_catalog_size; c++) {
        const size_t before = failing_memory_live();
        size_t failures = 0;
        failing_memory_start(0);
        const uint64_t expected = live(&lotor_catalog[c], &failures);
        const size_t allocations = failing_memory_stop();
        assert_true(allocations > 20);
        assert_int_equal(failures, 0);
        for (size_t fails = 1; fails <= allocations; fails++) {
            failures = 0;
            failing_memory_start(fails);
            assert_int_equal(live(&lotor_catalog[c], &failures), expected);
            (void)failing_memory_stop();
            assert_int_equal(failures, 1);
            assert_int_equal(failing_memory_live(), before);
        }
    }
}

/* One thread of its own allocates too, so the count of allocations is the same every time. */
static void simulations_survive(void **state)
{
    (void)state;
    lotor_world *world;
    assert_int_equal(lotor_world_instance("c2", 3, NULL, &world), LOTOR_OK);
    const lotor_trial trial = {
        .world = world,
        .runs = 2,
        .threads = 1,
        .policy = {
            .algorithm = "dp-se", .arms = 3, .horizon = 1000, .epsilon = lotor_ratio_of(1, 1)}};
    const size_t before = failing_memory_live();
    lotor_result result;
    lotor_message why;
    failing_memory_start(0);
    assert_int_equal(lotor_simulate(&trial, &why, &result), LOTOR_OK);
    lotor_result_free(&result);
    const size_t allocations = failing_memory_stop();
    for (size_t fails = 1; fails <= allocations; fails++) {
        failing_memory_start(fails);
        const lotor_status status = lotor_simulate(&trial, &why, &result);
        (void)failing_memory_stop();
        assert_int_equal(status, LOTOR_MEMORY);
        assert_non_null(strstr(why.text, "memory"));
        assert_int_equal(failing_memory_live(), before);
    }
    lotor_world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_survive),
        cmocka_unit_test(simulations_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
