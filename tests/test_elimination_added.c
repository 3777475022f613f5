/* test_elimination_added.c - dp-se-acc, whose released batches add up, compared with its
 * specification.
 *
 * A model in doubles plays the same rounds, and a second source with the same seed predicts the
 * noise. Rewards are chosen so that the noise decides when an arm is dropped.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "policy/policy.h"
#include "support/draw.h"
#include "support/test_source.h"

enum { ARMS = 3, UNIT = 1 << 20, SEEDS = 40 };

static test_source source, twin;

/* --- the rule --------------------------------------------------------------------------------- */

/* Computed in Python: |S|, k, beta, epsilon; ceil(16 * 1.5^(k-1)), and the cut over r pulls. */
static const struct {
    double viable, batch, beta, epsilon;
    uint64_t rounds;
    double cut;
} plans[] = {
    {5, 1, 1e-5, 1, 16, 1.41271937678},
    {5, 1, 1e-5, 0.1, 16, 11.9231699233},
    {3, 4, 1e-5, 1, 54, 0.401718878162},
    {2, 20, 0.01, 0.25, 35470, 0.0107405093692},
    {2, 6, 0.01, 1e5, 122, 0.169569172202},
    {2, 6, 0.01, INFINITY, 122, 0.169569172201}, /* sqrt(q r)/r: the noise part is gone */
};

TEST(plans_are_the_formulas)
{
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        const lotor_rule_params params = {
            .arms = 5, .epsilon = plans[i].epsilon, .beta = plans[i].beta};
        const lotor_elimination_point point = {plans[i].viable, plans[i].batch, 1};
        const lotor_elimination_plan plan = lotor_rule_dp_se_acc.plan(&params, &point);
        assert_false(plan.gated);
        assert_true(plan.rounds == plans[i].rounds);
        assert_true(fabs(plan.cut / plans[i].cut - 1.0) < 1e-10);
    }
}

/* Any batch number, as in a forged state, and extreme budgets give a finite number above 0. */
TEST(plans_are_finite)
{
    static const double epsilons[] = {1e-12, 1e-3, 1.0, 1e6, 1e18, INFINITY};
    for (size_t e = 0; e < 6; e++) {
        for (double batch = 1; batch < 0x1p64; batch = ceil(batch * 1.3)) {
            const lotor_rule_params params = {.arms = 5, .epsilon = epsilons[e], .beta = 1e-9};
            const lotor_elimination_point point = {5, batch, 1};
            const lotor_elimination_plan plan = lotor_rule_dp_se_acc.plan(&params, &point);
            assert_true(plan.rounds > 0 && plan.cut > 0.0 && isfinite(plan.cut));
        }
    }
}

/* --- a policy --------------------------------------------------------------------------------- */

/* The minimum over theta of the specification, by trying many values. */
static double brute_cut(double viable, double k, double r, double epsilon, double beta)
{
    const double q = log(2 * viable * k * k / beta);
    double least = INFINITY;
    for (int i = 1; i < 200000; i++) {
        const double theta = epsilon * i / 200000.0, s = theta / epsilon;
        least = fmin(least, (q + r * theta * theta / 4 - 2 * k * log(1 - s * s)) / theta);
    }
    return least;
}

static double foretell(double width)
{
    lotor_noise noise = lotor_noise_exact(&twin.source);
    int64_t draw;
    assert_int_equal(
        draw_noise(&noise, LOTOR_LAW_LAPLACE, (uint64_t)(width * (double)UNIT / 2), 1, &draw),
        LOTOR_OK); /* epsilon = 2 */
    return (double)draw / (double)UNIT;
}

/* Arm i always pays low + width * share[i]. Plays until one arm is left, and checks every release.
 * Returns the batch in which the first arm was dropped. */
static unsigned play(double low, double width, uint64_t seed)
{
    static const double share[ARMS] = {0.75, 0.5, 0.3125};
    const lotor_policy_params params = {
        .algorithm = "dp-se-acc",
        .arms = ARMS,
        .horizon = 100000,
        .epsilon = lotor_ratio_of(2, 1),
        .beta = 0.05,
        .low = low,
        .high = low + width,
        .default_reward = low,
    };
    lotor_policy *policy;
    lotor_message why = {""};
    test_source_seed(&source, seed);
    test_source_seed(&twin, seed);
    assert_int_equal(lotor_policy_new_on(&params, &source.source, 1, &why, &policy), LOTOR_OK);
    bool viable[ARMS] = {true, true, true};
    double sums[ARMS] = {0.0}, r = 0.0, left = ARMS;
    unsigned fell = 0;
    for (unsigned k = 1; left > 1; k++) {
        const double size = ceil(16 * pow(1.5, k - 1)), before = left;
        for (double pull = 0; pull < size * before; pull++) {
            lotor_decision decision;
            assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
            assert_true(viable[decision.arms[0]]);
            const double reward = low + width * share[decision.arms[0]];
            const lotor_feedback feedback = {.rewards = &reward, .count = 1};
            const uint64_t event = decision.event;
            assert_int_equal(lotor_policy_observe(policy, event, &feedback, NULL), LOTOR_OK);
            assert_int_equal(lotor_policy_expire(policy, event, NULL), LOTOR_OK);
        }
        r += size;
        double top = -INFINITY;
        for (size_t i = 0; i < ARMS; i++) {
            if (viable[i]) {
                sums[i] += size * (low + width * share[i]) + foretell(width);
                top = fmax(top, sums[i]);
                const lotor_fact *fact = lotor_board_at(policy->board, 0, i);
                assert_true(fabs(fact->value - sums[i]) < 1e-6);
                assert_true((double)fact->count == r);
            }
        }
        const double cut = width * brute_cut(before, k, r, 2.0, 0.05);
        for (size_t i = 0; i < ARMS; i++) {
            if (viable[i] && top - sums[i] > cut) {
                viable[i] = false;
                left--;
                fell = fell ? fell : k;
            }
        }
    }
    lotor_decision decision;
    for (int again = 0; again < 5; again++) { /* the last arm is played to the end */
        assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
        assert_int_equal(decision.arms[0], 0);
    }
    assert_int_equal(source.window.left, twin.window.left); /* no more draws than predicted */
    lotor_policy_free(policy);
    return fell;
}

TEST(arms_fall_when_sums_are_apart)
{
    unsigned seen = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        seen |= 1U << play(0.0, 1.0, seed);
    }
    assert_true((seen & (seen - 1)) != 0); /* not always in the same batch */
}

/* With another range, noise and cut scale with its width. */
TEST(other_ranges_are_scaled)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        const unsigned fell = play(0.0, 1.0, seed);
        assert_int_equal(play(-4.0, 1.0, seed), fell);
        (void)play(-1.0, 4.0, seed);
        (void)play(3.0, 2.0, seed);
    }
}
