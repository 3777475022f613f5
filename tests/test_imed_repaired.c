/* test_imed_repaired.c - faults that lik-imed had once, found by comparing it with its plain twin. */
#include "support/test.h"

#include <math.h>

#include "learn/imed.h"
#include "support/imed_duel.h"

static const double means[] = {0.75, 0.7, 0.65, 0.5, 0.45};

/* A decision says for how many rounds it stays the same (lotor_decision.hold). With open rounds, a
 * release can come earlier, and then lik-imed chooses again; so `hold` must be 1. */
TEST(a_decision_is_held_as_long_as_it_says)
{
    enum { DELAY = 20 };
    const lotor_policy_params params = {
        .algorithm = "lik-imed", .arms = 5, .epsilon = lotor_ratio_of(1, 1)};
    lotor_generator generator;
    lotor_policy *policy;
    lotor_message why;
    plain_random random = {1};
    lotor_generator_seed(&generator, 1);
    assert_int_equal(lotor_policy_new_simulated(&params, 1.0, &generator, 1, &why, &policy),
                     LOTOR_OK);
    uint64_t left = 0;
    uint32_t shown = 0;
    bool is_kept = true;
    for (uint64_t t = 1; t <= 600; t++) {
        lotor_decision decision;
        assert_int_equal(lotor_policy_choose(policy, NULL, &why, &decision), LOTOR_OK);
        is_kept = is_kept && (left == 0 || decision.arms[0] == shown);
        left = left > 0 ? left - 1 : decision.hold - 1;
        shown = decision.arms[0];
        const double reward = plain_uniform(&random) < means[shown];
        assert_int_equal(lotor_policy_observe(policy, t, &(lotor_feedback){&reward, 1, 0}, &why),
                         LOTOR_OK);
        if (t > DELAY) {
            assert_int_equal(lotor_policy_expire(policy, t - DELAY, &why), LOTOR_OK);
        }
    }
    lotor_policy_free(policy);
    assert_true(is_kept);
}

/* A release makes the choice again, also in rounds in which only some arms are eligible. */
TEST(masked_rounds_forget_the_held_list_after_a_release)
{
    const duel_setting at = {
        .params = {.arms = 5, .epsilon = lotor_ratio_of(1, 1)}, .means = means, .rounds = 600};
    for (uint64_t seed = 1; seed <= 4; seed++) {
        duel game;
        bool eligible[DUEL_ARMS];
        duel_start(&game, &at, seed);
        for (uint64_t t = 1; t <= at.rounds; t++) {
            duel_draw_mask(&game, 1, eligible);
            duel_serve(&game, t, plain_uniform(&game.random) < 0.5 ? NULL : eligible);
        }
        duel_stop(&game);
    }
}

/* Arms 4 to 7 are much better, but arms 0 to 3 may be known first. Then these are worth about 2.
 * Coverage and influence clamp weights to [0,1], so one infinite weight makes the other vertex worth 1
 * only; it must be tried all the same. */
TEST(every_arm_of_a_good_vertex_is_tried)
{
    static const uint32_t from[] = {0, 0, 0, 0, 1, 1, 1, 1}, to[] = {0, 1, 2, 3, 4, 5, 6, 7};
    size_t untried = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        const lotor_policy_params params = {.algorithm = "lik-imed",
                                            .arms = 8,
                                            .epsilon = lotor_ratio_of(1, 1),
                                            .structure = LOTOR_STRUCTURE_COVERAGE,
                                            .from = from,
                                            .to = to,
                                            .vertices = 2,
                                            .seeds = 1};
        lotor_generator generator;
        lotor_policy *policy;
        lotor_message why;
        plain_random random = {seed};
        lotor_generator_seed(&generator, seed);
        assert_int_equal(lotor_policy_new_simulated(&params, 1.0, &generator, seed, &why, &policy),
                         LOTOR_OK);
        for (uint64_t t = 1; t <= 500; t++) {
            lotor_decision decision;
            assert_int_equal(lotor_policy_choose(policy, NULL, &why, &decision), LOTOR_OK);
            const double mean = decision.asked[0] < 4 ? 0.5 : 0.9;
            const double reward = plain_uniform(&random) < mean;
            assert_int_equal(
                lotor_policy_observe(policy, t, &(lotor_feedback){&reward, 1, 0}, &why), LOTOR_OK);
            assert_int_equal(lotor_policy_expire(policy, t, &why), LOTOR_OK);
        }
        for (size_t i = 4; i < params.arms; i++) {
            untried += policy->shown[i] == 0;
        }
        lotor_policy_free(policy);
    }
    assert_int_equal(untried, 0);
}

/* Below 0, the sum does not matter for the evidence: n log(1 - level (1 - e^-epsilon)). Rounding makes
 * the evidence against equal arms differ by 1e-15. That must not decide, or the same seed would give
 * other numbers with another compiler or mathematical library. */
TEST(rounding_does_not_decide)
{
    size_t other = 0;
    for (int i = 0; i < 50; i++) {
        lotor_oracle *oracle;
        lotor_board *board;
        lotor_imed_learner *learner;
        const lotor_imed_counts counts[3] = {{0, 0}, {0, 0}, {0, 0}};
        assert_int_equal(lotor_oracle_top(3, 1, NULL, &oracle), LOTOR_OK);
        assert_int_equal(lotor_board_new(2, 3, &board), LOTOR_OK);
        const lotor_imed_setup setup = {.oracle = oracle,
                                        .model = {.epsilon = 1.0, .high = 1.0},
                                        .statistics = 2,
                                        .caution = 3.5,
                                        .lag = 1.0};
        assert_int_equal(lotor_imed_new(&setup, &learner), LOTOR_OK);
        const lotor_fact facts[3] = {
            {900.0, 1000, 1}, {-1.0 - 0.1 * i, 8, 2}, {-1.0 - 0.07 * i, 8, 3}};
        for (size_t arm = 0; arm < 3; arm++) {
            assert_int_equal(lotor_board_post(board, 0, arm, facts[arm]), LOTOR_OK);
        }
        const lotor_imed_plan plan = lotor_imed_choose(learner, board, counts, 3, 3, 1, NULL);
        assert_true(plan.recorded == 1 || plan.recorded == 2);
        other += plan.recorded == 2;
        lotor_imed_free(learner);
        lotor_board_free(board);
        lotor_oracle_free(oracle);
    }
    assert_true(other == 0 || other == 50);
}

/* With a window the batches of a leader do not double. While nothing becomes final, more of them would
 * be closed than there is room for; the latest then stays open. */
TEST(many_small_batches_wait)
{
    enum { ROUNDS = 1000 };
    const lotor_policy_params params = {
        .algorithm = "lik-imed", .arms = 2, .epsilon = lotor_ratio_of(100, 1), .window = 16};
    lotor_generator generator;
    lotor_policy *policy;
    lotor_message why;
    lotor_decision decision;
    lotor_generator_seed(&generator, 1);
    assert_int_equal(lotor_policy_new_simulated(&params, 1.0, &generator, 1, &why, &policy),
                     LOTOR_OK);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        assert_int_equal(lotor_policy_choose(policy, NULL, &why, &decision), LOTOR_OK);
        const double reward = decision.arms[0] == 1;
        assert_int_equal(lotor_policy_observe(policy, t, &(lotor_feedback){&reward, 1, 0}, &why),
                         LOTOR_OK);
    }
    for (uint32_t arm = 0; arm < 2; arm++) { /* each of one display */
        assert_int_equal(lotor_statistic_waiting(policy->statistic, arm), 65);
    }
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        assert_int_equal(lotor_policy_expire(policy, t, &why), LOTOR_OK);
    }
    for (uint32_t arm = 0; arm < 2; arm++) {
        assert_int_equal(lotor_statistic_covered(policy->statistic, arm), 65);
        assert_int_equal(lotor_statistic_waiting(policy->statistic, arm), 0);
    }
    for (uint64_t t = ROUNDS + 1; t <= ROUNDS + 20; t++) { /* and the open batches are closed */
        assert_int_equal(lotor_policy_choose(policy, NULL, &why, &decision), LOTOR_OK);
        assert_int_equal(lotor_policy_expire(policy, t, &why), LOTOR_OK);
    }
    const uint64_t covered = lotor_statistic_covered(policy->statistic, 0) +
                             lotor_statistic_covered(policy->statistic, 1);
    assert_int_equal(covered, ROUNDS + 20);
    lotor_policy_free(policy);
}
