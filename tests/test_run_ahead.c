/* test_run_ahead.c - many rounds played in one call equal single rounds; and which arm a round asks if
 * it asks the least shown one.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "policy/policy.h"
#include "support/statistics.h"

enum { ARMS = 8, MOST_SLOTS = 3, ROUNDS = 2000, UNIT = 1 << 20 };

/* --- stretches -------------------------------------------------------------------------------- */

typedef struct world {
    uint64_t rounds;                       /* calls so far */
    uint32_t arms[ROUNDS + 1][MOST_SLOTS]; /* the asked arms of each round */
    int64_t units[ROUNDS + 1][MOST_SLOTS];
} world;

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Rewards of 0 and 1 that depend only on round and arm; means from 0.3 to 0.65. */
static void pay(void *context, const uint32_t *arms, size_t count, int64_t *units)
{
    world *at = context;
    at->rounds++;
    for (size_t i = 0; i < count; i++) {
        const uint64_t word = mix(at->rounds * UINT64_C(0x9e3779b97f4a7c15) + arms[i]) >> 44;
        units[i] = word < (UNIT * (6 + (uint64_t)arms[i])) / 20 ? UNIT : 0;
        at->arms[at->rounds][i] = arms[i];
        at->units[at->rounds][i] = units[i];
    }
}

static lotor_policy *make(const char *id, size_t slots, lotor_ratio epsilon,
                          lotor_generator *generator)
{
    const lotor_algorithm *algorithm = lotor_algorithms_find(id);
    const lotor_policy_params params = {
        .algorithm = id,
        .arms = ARMS,
        .slots = slots,
        .horizon = ROUNDS,
        .epsilon = lotor_algorithm_has_noise(algorithm) ? epsilon : lotor_ratio_of(0, 1),
    };
    lotor_policy *policy;
    lotor_message why;
    lotor_generator_seed(generator, 5);
    assert_int_equal(lotor_policy_new_simulated(&params, 1.0, generator, 77, &why, &policy),
                     LOTOR_OK);
    return policy;
}

/* Plays calls of at most `most` rounds; returns the number of calls. */
static uint64_t ride(const char *id, size_t slots, lotor_ratio epsilon, uint64_t most, world *at)
{
    lotor_generator generator;
    lotor_policy *policy = make(id, slots, epsilon, &generator);
    uint64_t runs_ahead = 0;
    memset(at, 0, sizeof *at);
    while (at->rounds < ROUNDS) {
        const uint64_t left = ROUNDS - at->rounds, before = at->rounds;
        lotor_stretch stretch;
        uint64_t rounds;
        lotor_policy_stretch(policy, &stretch);
        assert_int_equal(lotor_policy_run_ahead(policy, &stretch, most < left ? most : left,
                                                &(lotor_payer){.pay = pay, .context = at}, &rounds),
                         LOTOR_OK);
        assert_int_equal(at->rounds, before + rounds);
        runs_ahead++;
    }
    lotor_policy_free(policy);
    return runs_ahead;
}

/* Plays rounds with one choice, one feedback and one expiry each. */
static void play(const char *id, size_t slots, lotor_ratio epsilon, world *at)
{
    lotor_generator generator;
    lotor_policy *policy = make(id, slots, epsilon, &generator);
    memset(at, 0, sizeof *at);
    while (at->rounds < ROUNDS) {
        lotor_decision decision;
        int64_t units[MOST_SLOTS];
        double rewards[MOST_SLOTS];
        lotor_feedback feedback = {.rewards = rewards};
        assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
        const uint64_t event = decision.event;
        pay(at, decision.asked, decision.asked_count, units);
        feedback.count = decision.asked_count;
        for (size_t i = 0; i < feedback.count; i++) {
            rewards[i] = (double)units[i] / (double)UNIT;
            feedback.click = feedback.click == 0 && units[i] > 0 ? i + 1 : feedback.click;
        }
        assert_int_equal(lotor_policy_observe(policy, event, &feedback, NULL), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(policy, event, NULL), LOTOR_OK);
    }
    lotor_policy_free(policy);
}

/* Every algorithm with a statistic that releases at once, or a vector tree: long calls, calls of
 * one round, and single rounds all ask the same arms in the same order. Without noise, means are
 * often equal. */
TEST(rides_are_single_rounds)
{
    static world far, near, single;
    uint64_t runs_ahead = 0, ids = 0;
    for (size_t a = 0; a < lotor_algorithms_size; a++) {
        const lotor_algorithm *algorithm = &lotor_algorithms[a];
        if (!algorithm->index || algorithm->statistic == &lotor_statistic_doubling ||
            lotor_policy_records_one(algorithm)) { /* these never run ahead: test_klucb.c */
            continue;
        }
        const size_t slots = algorithm->problem == LOTOR_PROBLEM_FINITE ? 1 : MOST_SLOTS;
        const lotor_ratio epsilons[] = {lotor_ratio_of(2, 1), lotor_ratio_of(50, 1),
                                        lotor_ratio_of(1, 0)};
        for (size_t e = 0; e < 3; e++) {
            runs_ahead += ride(algorithm->id, slots, epsilons[e], ROUNDS, &far);
            assert_int_equal(ride(algorithm->id, slots, epsilons[e], 1, &near), ROUNDS);
            play(algorithm->id, slots, epsilons[e], &single);
            for (uint64_t t = 1; t <= ROUNDS; t++) {
                if (memcmp(far.arms[t], single.arms[t], sizeof far.arms[t]) != 0 ||
                    memcmp(near.arms[t], single.arms[t], sizeof near.arms[t]) != 0) {
                    fail_msg("%s, epsilon %zu: round %d differs", algorithm->id, e, (int)t);
                }
            }
            ids++;
        }
    }
    assert_true(runs_ahead < ids * ROUNDS * 9 / 10); /* some calls play more than one round */
}

/* --- the least shown -------------------------------------------------------------------------- */

enum { LISTED = 4, TRIALS = 100000 };

/* A policy that shows all of its four arms in every round. */
static lotor_policy *make_listed(lotor_generator *generator)
{
    const lotor_policy_params params = {
        .algorithm = "cucb-ldp2",
        .arms = LISTED,
        .slots = LISTED,
        .horizon = 10000000,
        .epsilon = lotor_ratio_of(1, 1),
    };
    lotor_policy *policy;
    lotor_generator_seed(generator, 6);
    assert_int_equal(lotor_policy_new_simulated(&params, 1.0, generator, 9, NULL, &policy),
                     LOTOR_OK);
    return policy;
}

/* The asked arm of round t, after the arms were asked `shown` times. */
static uint32_t asked(lotor_policy *policy, const uint64_t *shown, uint64_t t)
{
    lotor_decision decision;
    memcpy(policy->shown, shown, LISTED * sizeof *shown);
    policy->asked = t - 1;
    assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
    assert_int_equal(decision.count, LISTED);
    assert_int_equal(decision.asked_count, 1);
    const uint32_t arm = decision.asked[0];
    assert_int_equal(policy->shown[arm], shown[arm] + 1);
    assert_int_equal(lotor_policy_expire(policy, decision.event, NULL), LOTOR_OK);
    return arm;
}

TEST(the_least_shown_arm_is_asked)
{
    lotor_generator generator;
    lotor_policy *policy = make_listed(&generator);
    for (uint32_t least = 0; least < LISTED; least++) {
        uint64_t shown[LISTED] = {9, 10, 9, 10};
        shown[least] = 8;
        for (uint64_t t = 1; t <= 1000; t++) {
            assert_int_equal(asked(policy, shown, t), least);
        }
    }
    lotor_policy_free(policy);
}

/* Chi-square over 100,000 rounds, and over 100,000 seeds: all tied arms are equally likely, and so
 * are all pairs in consecutive rounds. */
TEST(ties_are_broken_evenly)
{
    lotor_generator generator;
    lotor_policy *policy = make_listed(&generator);
    for (size_t tied = 2; tied <= LISTED; tied++) {
        uint64_t shown[LISTED] = {0};
        for (size_t i = tied; i < LISTED; i++) {
            shown[LISTED - 1 - i] = 1; /* the last ones are tied */
        }
        double by_time[LISTED] = {0}, by_seed[LISTED] = {0}, pairs[LISTED][LISTED] = {{0}};
        policy->seed = 9;
        uint32_t now = asked(policy, shown, 1);
        for (uint64_t t = 1; t <= TRIALS; t++) {
            const uint32_t next = asked(policy, shown, t + 1);
            by_time[now]++;
            pairs[now][next]++;
            now = next;
        }
        assert_int_equal(now, asked(policy, shown, TRIALS + 1)); /* of (seed, t) alone */
        for (policy->seed = 1; policy->seed <= TRIALS; policy->seed++) {
            by_seed[asked(policy, shown, 12345)]++;
        }
        double time_off = 0.0, seed_off = 0.0, pairs_off = 0.0, total = 0.0;
        const double expected = (double)TRIALS / (double)tied,
                     expected_pairs = expected / (double)tied;
        for (size_t i = LISTED - tied; i < LISTED; i++) {
            total += by_time[i];
            time_off += pow(by_time[i] - expected, 2.0) / expected;
            seed_off += pow(by_seed[i] - expected, 2.0) / expected;
            for (size_t j = LISTED - tied; j < LISTED; j++) {
                pairs_off += pow(pairs[i][j] - expected_pairs, 2.0) / expected_pairs;
            }
        }
        const double free_cells = (double)(tied - 1);
        assert_true(total == (double)TRIALS);
        assert_true(chi_square_p(time_off, free_cells) > P_ACCEPT);
        assert_true(chi_square_p(seed_off, free_cells) > P_ACCEPT);
        assert_true(chi_square_p(pairs_off, (double)(tied * tied - 1)) > P_ACCEPT);
    }
    lotor_policy_free(policy);
}
