/* test_serving_weights.c - the weights of linear learners: when there are any, how often their intervals
 * contain the truth, and that they tell something. Seeds are fixed. */
#include "support/test.h"

#include <math.h>

#include "policy/policy.h"

enum { DIMENSION = 3, ACTIONS = 6, MOST_ROUNDS = 40000 };
static const double truth[DIMENSION] = {0.6, -0.3, 0.0};

static double uniform(lotor_generator *generator)
{
    return (double)(lotor_generator_word(generator) >> 11) * 0x1p-53;
}

static lotor_policy *make(const char *algorithm, lotor_ratio epsilon, lotor_generator *noise)
{
    const lotor_policy_params params = {.algorithm = algorithm,
                                        .arms = ACTIONS,
                                        .dimension = DIMENSION,
                                        .horizon = MOST_ROUNDS,
                                        .low = -1.0,
                                        .high = 1.0,
                                        .epsilon = epsilon,
                                        .delta = lotor_ratio_of(1, 100000)};
    lotor_message why;
    lotor_policy *policy;
    if (lotor_policy_new_simulated(&params, 1.0, noise, 1, &why, &policy) != LOTOR_OK) {
        fail_msg("%s: %s", algorithm, why.text);
    }
    return policy;
}

/* Rewards are 1 or -1, with the expectation <truth, x>. */
static void play(lotor_policy *policy, lotor_generator *people, size_t rounds)
{
    for (size_t t = 0; t < rounds; t++) {
        double contexts[ACTIONS * DIMENSION];
        for (size_t i = 0; i < ACTIONS * DIMENSION; i++) {
            contexts[i] = (2.0 * uniform(people) - 1.0) / sqrt(DIMENSION);
        }
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, contexts, NULL, &decision), LOTOR_OK);
        double mean = 0.0;
        for (size_t i = 0; i < DIMENSION; i++) {
            mean += truth[i] * contexts[decision.arms[0] * DIMENSION + i];
        }
        const double reward = uniform(people) < (1.0 + mean) / 2.0 ? 1.0 : -1.0;
        const lotor_feedback feedback = {&reward, 1, 0};
        const uint64_t event = decision.event;
        assert_int_equal(lotor_policy_observe(policy, event, &feedback, NULL), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(policy, event, NULL), LOTOR_OK);
    }
}

TEST(nothing_before_the_first_release)
{
    static const char *const ids[] = {"jdp-batch", "jdp-linucb", "jdp-bayes"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        lotor_generator noise, people;
        lotor_estimate weights[DIMENSION];
        lotor_generator_seed(&noise, 7);
        lotor_generator_seed(&people, 8);
        lotor_policy *policy = make(ids[i], lotor_ratio_of(1, 1), &noise);
        assert_false(lotor_policy_weights(policy, weights));
        play(policy, &people, 20000);
        assert_true(lotor_policy_weights(policy, weights));
        lotor_policy_free(policy);
    }
}

TEST(others_have_none)
{
    const lotor_policy_params params = {
        .algorithm = "batch-klucb", .arms = 2, .epsilon = lotor_ratio_of(1, 1)};
    lotor_generator noise;
    lotor_policy *policy;
    lotor_estimate weight;
    lotor_generator_seed(&noise, 7);
    assert_int_equal(lotor_policy_new_simulated(&params, 1.0, &noise, 1, NULL, &policy), LOTOR_OK);
    assert_false(lotor_policy_weights(policy, &weight));
    lotor_policy_free(policy);
}

/* The weights change with releases alone: asking changes nothing, and open rounds neither. */
TEST(they_are_a_function_of_the_board)
{
    lotor_generator noise, people;
    lotor_estimate before[DIMENSION], after[DIMENSION];
    lotor_generator_seed(&noise, 7);
    lotor_generator_seed(&people, 8);
    lotor_policy *policy = make("jdp-batch", lotor_ratio_of(10, 1), &noise);
    play(policy, &people, 20000);
    assert_true(lotor_policy_weights(policy, before));
    const uint64_t posts = lotor_board_posts(policy->board);
    play(policy, &people, 10);
    assert_int_equal(lotor_board_posts(policy->board), posts); /* else take other numbers */
    assert_true(lotor_policy_weights(policy, after));
    for (size_t i = 0; i < DIMENSION; i++) {
        assert_true(before[i].mean == after[i].mean && before[i].low == after[i].low &&
                    before[i].high == after[i].high);
        /* as wide as the learner's own bound for a unit vector */
        const double unit[DIMENSION] = {i == 0, i == 1, i == 2};
        const double width = lotor_linear_width(policy->linear, unit);
        assert_true(before[i].low >= -1.0 && before[i].high <= 1.0);
        assert_true(before[i].low == fmax(-1.0, before[i].mean - width));
        assert_true(before[i].high == fmin(1.0, before[i].mean + width));
    }
    lotor_policy_free(policy);
}

/* 60 runs with two looks each. The intervals hold together with probability at least 1 - 1/40000, so
 * not one of them may miss. A tenth of their width misses. With epsilon 1000 the noise is small, and
 * they become narrow enough to tell the first weight from 0. */
TEST(intervals_contain_the_truth)
{
    static const char *const ids[] = {"jdp-batch", "jdp-linucb"};
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++) {
        size_t held = 0, narrow = 0, telling = 0, count = 0;
        for (uint64_t run = 0; run < 60; run++) {
            lotor_generator noise, people;
            lotor_generator_seed(&noise, 100 + run);
            lotor_generator_seed(&people, 200 + run);
            lotor_policy *policy =
                make(ids[k], run % 2 ? lotor_ratio_of(1000, 1) : lotor_ratio_of(5, 1), &noise);
            for (int look = 0; look < 2; look++) {
                lotor_estimate weights[DIMENSION];
                play(policy, &people, 3000);
                if (!lotor_policy_weights(policy, weights)) {
                    continue;
                }
                for (size_t i = 0; i < DIMENSION; i++) {
                    const lotor_estimate *at = &weights[i];
                    const double tenth = (at->high - at->low) / 20.0;
                    count++;
                    held += at->low <= truth[i] && truth[i] <= at->high;
                    narrow += fabs(at->mean - truth[i]) <= tenth;
                }
                telling += weights[0].low > 0.0;
            }
            lotor_policy_free(policy);
        }
        print_message("%-10s %zu intervals, %zu hold, %zu with a tenth of the width, %zu tell\n",
                      ids[k], count, held, narrow, telling);
        assert_true(count > 90);
        assert_int_equal(held, count);
        assert_true(10 * narrow < 9 * count);
        assert_true(telling > 10);
    }
}

/* linear_bayes.md: a belief is not a confidence set. */
TEST(a_belief_has_no_interval)
{
    lotor_generator noise, people;
    lotor_estimate weights[DIMENSION];
    lotor_generator_seed(&noise, 7);
    lotor_generator_seed(&people, 8);
    lotor_policy *policy = make("jdp-bayes", lotor_ratio_of(100, 1), &noise);
    play(policy, &people, 20000);
    assert_true(lotor_policy_weights(policy, weights));
    for (size_t i = 0; i < DIMENSION; i++) {
        assert_true(isinf(weights[i].low) && isinf(weights[i].high));
        assert_true(fabs(weights[i].mean - truth[i]) < 0.2);
    }
    lotor_policy_free(policy);
}
