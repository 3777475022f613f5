/* test_exp3.c - EXP3: the probabilities of its draws, and that a reward is divided by the probability of
 * its own round, whenever the feedback comes (policy/weight.c). The regret is compared with tests/plain in
 * test_agreement_finite.c. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/rows.h"

enum { ARMS = 4, HORIZON = 1000 };

static lotor_message why;

static double gamma_of(double arms, double horizon)
{
    return fmin(1.0, sqrt(arms * log(arms) / ((exp(1.0) - 1.0) * horizon)));
}

/* The probabilities that the paper prints, from sums of reward/p. */
static void find_chances(const double *sums, const bool *eligible, double *chances)
{
    const double gamma = gamma_of(ARMS, HORIZON);
    double all = 0.0, count = 0.0;
    for (size_t i = 0; i < ARMS; i++) {
        all += !eligible || eligible[i] ? exp(gamma * sums[i] / (double)ARMS) : 0.0;
        count += !eligible || eligible[i] ? 1.0 : 0.0;
    }
    for (size_t i = 0; i < ARMS; i++) {
        chances[i] = !eligible || eligible[i]
                         ? (1 - gamma) * exp(gamma * sums[i] / (double)ARMS) / all + gamma / count
                         : 0.0;
    }
}

static lotor_policy *make(double low, double high, lotor_generator *generator)
{
    const lotor_policy_params params = {.algorithm = "exp3",
                                        .arms = ARMS,
                                        .horizon = HORIZON,
                                        .low = low,
                                        .high = high,
                                        .default_reward = low};
    lotor_policy *policy;
    lotor_generator_seed(generator, 9);
    if (lotor_policy_new_simulated(&params, 1.0, generator, 31, &why, &policy) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return policy;
}

static void expect_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) {
        fail_msg("%.12g where %.12g is expected", found, expected);
    }
}

TEST(gamma_is_the_papers)
{
    lotor_rule_params params = {.arms = 10, .horizon = 1e6};
    expect_near(lotor_rule_exp3.mixing(&params), 0.0036606, 1e-7); /* by a calculator */
    params.horizon = 2;
    assert_true(lotor_rule_exp3.mixing(&params) == 1.0);
    params.arms = 1;
    assert_true(lotor_rule_exp3.mixing(&params) == 0.0);
}

/* Feedback comes at once, or up to 7 rounds late and in another order. The board always has the sums of
 * (reward - low)/p with the p of the round in which the arm was drawn. */
static void play(double low, double high, uint64_t most_late, bool masks)
{
    enum { ROUNDS = 300 };
    lotor_generator generator;
    lotor_policy *policy = make(low, high, &generator);
    double sums[ARMS] = {0}, chances[ROUNDS][ARMS], rewards[ROUNDS];
    uint32_t arms[ROUNDS];
    uint64_t done = 0;
    for (uint64_t t = 0; t < ROUNDS; t++) {
        const bool eligible[ARMS] = {t % 3 != 0, true, t % 5 != 0, true};
        lotor_decision decision = {0};
        const lotor_status status =
            masks ? lotor_policy_choose_among(policy, eligible, &why, &decision)
                  : lotor_policy_choose(policy, NULL, &why, &decision);
        assert_int_equal(status, LOTOR_OK);
        assert_int_equal(decision.count, 1);
        assert_int_equal(decision.hold, 1);
        assert_int_equal(decision.event, t + 1);
        find_chances(sums, masks ? eligible : NULL, chances[t]);
        for (size_t i = 0; i < ARMS; i++) {
            expect_near(lotor_index_chance(policy->index, i), chances[t][i], 1e-5);
        }
        arms[t] = decision.arms[0];
        assert_true(chances[t][arms[t]] > 0.0);
        rewards[t] = low + (high - low) * (double)(t * 7 % 11) / 10.0;
        if (t % 13 != 0) { /* otherwise the default counts, which is `low` here */
            const lotor_feedback feedback = {&rewards[t], 1, 0};
            assert_int_equal(lotor_policy_observe(policy, decision.event, &feedback, &why),
                             LOTOR_OK);
        } else {
            rewards[t] = low;
        }
        while (done + most_late <= t) { /* final rounds are fed in the order of display */
            assert_int_equal(lotor_policy_expire(policy, done + 1, &why), LOTOR_OK);
            sums[arms[done]] += (rewards[done] - low) / (high - low) / chances[done][arms[done]];
            done++;
        }
        for (size_t i = 0; i < ARMS; i++) {
            expect_near(lotor_board_at(policy->board, 0, i)->value / (high - low), sums[i],
                        1e-4 * (1.0 + sums[i]));
        }
    }
    lotor_policy_free(policy);
}

TEST(a_reward_is_divided_by_the_probability_of_its_round)
{
    play(0, 1, 0, false);
    play(0, 1, 7, false);
    play(-3, 5, 0, false);
    play(-3, 5, 7, true);
    play(0, 1, 0, true);
}

/* 100,000 seeds: how often each arm is drawn. A share is within 5 standard errors of its probability. */
TEST(arms_are_drawn_with_their_probabilities)
{
    enum { SEEDS = 100000 };
    lotor_generator generator;
    lotor_policy *policy = make(0, 1, &generator);
    static const double sums[ARMS] = {0.0, 40.0, 10.0, 25.0};
    static const bool some[ARMS] = {true, false, true, true};
    for (size_t i = 0; i < ARMS; i++) {
        assert_int_equal(lotor_board_post(policy->board, 0, i, (lotor_fact){sums[i], 10, i + 1}),
                         LOTOR_OK);
    }
    for (int masked = 0; masked < 2; masked++) {
        double chances[ARMS];
        uint64_t drawn[ARMS] = {0};
        find_chances(sums, masked ? some : NULL, chances);
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            const uint32_t *arms;
            uint64_t hold;
            policy->seed = lotor_mix(seed);
            const size_t count =
                lotor_policy_pick_by_index(policy, masked ? some : NULL, NULL, NULL, &arms, &hold);
            assert_int_equal(count, 1);
            drawn[arms[0]]++;
        }
        for (size_t i = 0; i < ARMS; i++) {
            const double error = sqrt(chances[i] * (1.0 - chances[i]) / (double)SEEDS);
            expect_near((double)drawn[i] / (double)SEEDS, chances[i], 5.0 * error);
        }
    }
    lotor_policy_free(policy);
}

/* A policy that is saved while rounds are open feeds them with their own weights. */
TEST(open_rounds_are_saved_with_their_weights)
{
    const lotor_policy_params params = {
        .algorithm = "exp3", .arms = ARMS, .horizon = HORIZON, .default_reward = 0.25};
    test_source source, copy;
    test_source_seed(&source, 4);
    lotor_policy *policy = rows_make(&params, &source);
    for (uint64_t t = 1; t <= 60; t++) {
        lotor_decision decision = {0};
        assert_int_equal(lotor_policy_choose(policy, NULL, &why, &decision), LOTOR_OK);
        assert_int_equal(rows_observe(policy, decision.event, 1), LOTOR_OK);
        if (t > 20) {
            assert_int_equal(lotor_policy_expire(policy, t - 20, &why), LOTOR_OK);
        }
    }
    lotor_policy *again = rows_reload(policy, NULL, &source, &copy);
    for (uint64_t event = 41; event <= 60; event++) {
        assert_int_equal(lotor_policy_expire(policy, event, &why), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(again, event, &why), LOTOR_OK);
        lotor_decision one, other;
        assert_int_equal(lotor_policy_choose(policy, NULL, &why, &one), LOTOR_OK);
        assert_int_equal(lotor_policy_choose(again, NULL, &why, &other), LOTOR_OK);
        rows_expect_same_decision(&one, &other);
    }
    rows_expect_same_state(policy, again);
    lotor_policy_free(policy);
    lotor_policy_free(again);
}

/* A forged weight is refused: below 1, or above K/gamma. */
TEST(forged_weights_are_refused)
{
    const lotor_policy_params params = {.algorithm = "exp3", .arms = ARMS, .horizon = HORIZON};
    const double largest = (double)ARMS / gamma_of(ARMS, HORIZON);
    const int64_t last = (int64_t)ceil(largest * (double)LOTOR_WEIGHT_UNIT);
    const int64_t weights[] = {INT64_MIN, 0, LOTOR_WEIGHT_UNIT - 1, last + 2, INT64_MAX};
    const int64_t good[] = {LOTOR_WEIGHT_UNIT, last - 1};
    test_source source;
    for (size_t i = 0; i < 7; i++) {
        test_source_seed(&source, 4);
        lotor_policy *policy = rows_make(&params, &source);
        const uint32_t arm = 2;
        const int64_t units[] = {0, i < 5 ? weights[i] : good[i - 5]};
        uint64_t event;
        assert_int_equal(lotor_inbox_show_with(policy->inbox, &arm, 1, units, &event), LOTOR_OK);
        policy->asked = policy->rounds = policy->shown[arm] = 1;
        assert_int_equal(rows_try_reload(policy, &source), i < 5 ? LOTOR_DAMAGED : LOTOR_OK);
        lotor_policy_free(policy);
    }
}

/* A board that only a forged state can have: there is still an arm, and its weight is possible. */
TEST(forged_sums_are_survived)
{
    static const double values[][ARMS] = {
        {NAN, NAN, NAN, NAN},
        {INFINITY, 0, INFINITY, -INFINITY},
        {-INFINITY, -INFINITY, -INFINITY, -INFINITY},
        {NAN, 1e300, -1e300, 5},
    };
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        lotor_generator generator;
        lotor_policy *policy = make(0, 1, &generator);
        for (size_t i = 0; i < ARMS; i++) {
            lotor_fact fact = {values[v][i], 10, i + 1};
            assert_int_equal(lotor_board_post(policy->board, 0, i, fact), LOTOR_OK);
        }
        for (uint64_t t = 0; t < 50; t++) {
            lotor_decision decision = {0};
            assert_int_equal(lotor_policy_choose(policy, NULL, &why, &decision), LOTOR_OK);
            assert_true(decision.arms[0] < ARMS);
            assert_true(
                lotor_policy_weight_fits(policy, lotor_policy_weight(policy, decision.arms[0])));
        }
        lotor_policy_free(policy);
    }
}

/* The sum of the weights is about T. Larger ones stay at the end of the numbers. */
TEST(sums_do_not_wrap)
{
    lotor_generator generator;
    lotor_policy *policy = make(0, 1, &generator);
    for (uint64_t time = 1; time <= 3; time++) {
        assert_int_equal(lotor_statistic_feed(policy->statistic, 1, INT64_MAX / 2 + 5, 1, time,
                                              &policy->noise, policy->board),
                         LOTOR_OK);
    }
    assert_true(lotor_board_at(policy->board, 0, 1)->value ==
                (double)INT64_MAX * policy->coder.encoding.unit);
    lotor_policy_free(policy);
}

/* One arm, no horizon, and weighted rewards that do not fit in 64 bits. */
TEST(extreme_settings)
{
    lotor_policy_params params = {.algorithm = "exp3", .arms = 1, .horizon = 10};
    assert_null(lotor_policy_check(&params, &why));
    params.horizon = 0;
    assert_string_equal(
        lotor_policy_check(&params, &why),
        "exp3 needs a horizon of at least 2 rounds: give one, or use klucb, which needs none");
    /* Only with billions of arms, for which there is no memory here: so the range is forged. */
    lotor_generator generator;
    lotor_policy *policy = make(0, 1, &generator);
    assert_int_equal(lotor_policy_check_weights(policy, &why), LOTOR_OK);
    policy->coder.encoding.most = INT64_C(1) << 60;
    assert_int_equal(lotor_policy_check_weights(policy, &why), LOTOR_OVERFLOW);
    assert_non_null(strstr(why.text, "exp3 divides rewards by probabilities down to 0.01"));
    lotor_policy_free(policy);
}

/* The service does not keep weights, and never has to: it refuses algorithms without noise. */
TEST(it_is_not_served)
{
    lotor_generator generator;
    lotor_policy *policy = make(0, 1, &generator);
    lotor_decision decision = {0};
    assert_int_equal(lotor_policy_draw(policy, NULL, NULL, &why, &decision), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "exp3 on this structure can't be served"));
    assert_string_equal(
        lotor_serving_refusal("exp3", &why),
        "the service does not offer exp3, because it adds no noise: the non-private "
        "baseline; use lik-imed instead");
    lotor_policy_free(policy);
}
