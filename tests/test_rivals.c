/* test_rivals.c - the rules of rivals.c: numbers from a search in Python, the plain versions of
 * tests/plain/rivals.c, extreme values, and that no cached index is out of date. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "base/random/laws.h"
#include "learn/bounds_kl.h"
#include "learn/index.h"
#include "plain/game.h"
#include "policy/catalog.h"

enum { SETTINGS = 4, ARMS = 6, BATCHES = 40 };

static const struct {
    double epsilon, arms, horizon, log_t;
    lotor_index_sums sums;
} settings[SETTINGS] = {
    {0.5, 20, 1e5, 1.0, {1, 0.0, 0.25}},
    {0.5, 20, 1e5, 6.9, {16, 4.0, 0.5}},
    {2, 5, 1e6, 10.8, {900, 562.5, 0.75}},
    {0.1, 4, 1e4, 9.2, {200, -3.0, 0.02}}, /* noise moved the sum below 0 */
};

/* By bisection and ternary search, to ten digits. */
static const struct {
    const lotor_index_rule *rule;
    double index[SETTINGS];
} golden[] = {
    {&lotor_rule_klucb, {0.6321205588, 0.7006695828, 0.697580009, 0.04495803781}},
    {&lotor_rule_imed, {-0.2876820725, -4.865581297, -41.09099305, -9.33885883}},
    {&lotor_rule_moss, {2.918423066, 0.8491976129, 0.7024860409, 0.09737723622}},
    {&lotor_rule_dp_klucb, {1, 1, 0.697580009, 0.4724339849}},
    {&lotor_rule_dp_imed, {-0.103548087, -4.277711864, -41.09099305, -5.679330391}},
    {&lotor_rule_adap_klucb, {1, 1, 0.7649760106, 1}},
    {&lotor_rule_ldp_ucb_l, {INFINITY, INFINITY, 1.089758002, 12.42091573}},
    {&lotor_rule_ldp_ucb_b, {4.232723156, 3.271159921, 0.8675439624, -3.73722714}},
};
enum { RULES = sizeof golden / sizeof *golden };

static void expect_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) {
        fail_msg("%.12g where %.12g is expected", found, expected);
    }
}

static lotor_rule_params params_of(double arms, double horizon, double epsilon)
{
    return (lotor_rule_params){.arms = arms, .slots = 1, .horizon = horizon, .epsilon = epsilon};
}

TEST(indices_are_the_papers)
{
    for (size_t r = 0; r < RULES; r++) {
        for (size_t s = 0; s < SETTINGS; s++) {
            const lotor_rule_params params =
                params_of(settings[s].arms, settings[s].horizon, settings[s].epsilon);
            const double expected = golden[r].index[s];
            const double found = golden[r].rule->own(&params, &settings[s].sums, settings[s].log_t);
            if (!(found == expected || fabs(found - expected) <= 1e-8 * (1 + fabs(expected)))) {
                fail_msg("%s, setting %zu: %.12g, not %.12g", golden[r].rule->id, s, found,
                         expected);
            }
        }
    }
}

/* The table above has every rule with its own function. */
TEST(every_own_rule_is_in_the_table)
{
    for (size_t i = 0; lotor_index_rules[i]; i++) {
        size_t found = !lotor_index_rules[i]->own;
        for (size_t r = 0; r < RULES; r++) {
            found += golden[r].rule == lotor_index_rules[i];
        }
        assert_int_equal(found, 1);
        assert_int_equal(lotor_index_rules[i]->own != NULL,
                         lotor_index_rules[i]->sampling == LOTOR_SAMPLING_OWN);
    }
}

/* An index without noise by hand: kl(1/2, 4/5) = log 1.25; d_eps at x = 0 is -log(1-y+y e^-eps);
 * d_eps(x, 1) = eps (1-x). */
TEST(by_hand)
{
    lotor_rule_params params = params_of(2, 100, INFINITY);
    const lotor_index_sums half = {10, 5, 0.8}, none = {1, 0, 1.0};
    expect_near(lotor_rule_klucb.own(&params, &half, 10 * log(1.25)), 0.8, 1e-9);
    expect_near(lotor_rule_imed.own(&params, &half, 1), -10 * log(1.25) - log(10), 1e-12);
    expect_near(lotor_rule_dp_imed.own(&params, &half, 1), -10 * log(1.25) - log(10), 1e-12);
    expect_near(lotor_rule_dp_klucb.own(&params, &half, 10 * log(1.25)), 0.8, 1e-9);
    params.epsilon = log(2); /* 1 - y + y/2 = 1 - y/2 */
    expect_near(lotor_rule_dp_klucb.own(&params, &none, -log(0.75)), 0.5, 1e-12);
    expect_near(lotor_rule_dp_imed.own(&params, &none, 1), -log(2), 1e-12);
    expect_near(lotor_rule_moss.own(&params, &half, 1), 0.5 + sqrt(log(5) / 10), 1e-12);
    const lotor_index_sums many = {60, 30, 0.5}; /* more than T/K: no width */
    assert_true(lotor_rule_moss.own(&params, &many, 1) == 0.5);
}

/* Random sums, as noise makes them, against tests/plain/rivals.c. `log_t` need not be on the
 * grid. */
TEST(indices_are_those_of_the_plain_versions)
{
    static const double epsilons[] = {0.02, 0.3, 1, 5, 40, INFINITY};
    lotor_generator generator;
    lotor_generator_seed(&generator, 3);
    for (size_t r = 0; r < RULES; r++) {
        const lotor_index_rule *rule = golden[r].rule;
        for (size_t i = 0; i < 600; i++) {
            const double epsilon = epsilons[i % 6];
            const double n = ceil(exp(9 * lotor_random_uniform(&generator)));
            const double best = lotor_random_uniform(&generator);
            const bool is_noisy = rule->reading != LOTOR_READING_BITS &&
                                  (rule == &lotor_rule_dp_klucb || rule == &lotor_rule_dp_imed ||
                                   rule == &lotor_rule_adap_klucb);
            const double sum =
                floor((n + 1) * lotor_random_uniform(&generator)) +
                (is_noisy ? (lotor_random_uniform(&generator) - 0.5) * 4 / epsilon : 0.0);
            const double t = ceil(exp(1 + 15 * lotor_random_uniform(&generator)));
            const plain_setting setting = {
                .algorithm = rule->id, .arms = 5, .horizon = 100000, .epsilon = epsilon};
            plain_game game = plain_begin(&setting, 1);
            const lotor_rule_params params = params_of(5, 100000, epsilon);
            const lotor_index_sums sums = {n, fmin(sum, n + 4 / epsilon), best};
            double found = rule->own(&params, &sums, log(t));
            const double expected = plain_rival_index(&game, best, n, sums.sum, t);
            if (rule == &lotor_rule_ldp_ucb_b) { /* the plain one is in units of bits */
                found = found * tanh(epsilon / 2) + 1 / (1 + exp(epsilon));
            }
            if (!(found == expected || fabs(found - expected) <= 2e-6 * (1 + fabs(expected)))) {
                fail_msg("%s, epsilon %g, n %g, sum %g, best %g, t %g: %.12g, not %.12g", rule->id,
                         epsilon, n, sums.sum, best, t, found, expected);
            }
        }
    }
}

/* No index is NaN, and finite ones can be scaled, whatever the noise. */
TEST(extreme_values)
{
    static const double epsilons[] = {1e-9, 1e-3, 1, 30, 800, 1e5, 1e12, INFINITY};
    static const double ns[] = {1, 2, 1000, 1e15}, shares[] = {-1e6, -1, 0, 1e-9, 0.5, 1, 2, 1e6};
    static const double bests[] = {0, 1e-12, 0.5, 1}, logs[] = {0, 0.02, 10, 43};
    for (size_t r = 0; r < RULES; r++) {
        for (size_t i = 0; i < (size_t)8 * 4 * 8 * 4 * 4; i++) {
            const double epsilon = epsilons[i % 8], n = ns[i / 8 % 4];
            const lotor_index_sums sums = {n, n * shares[i / 32 % 8], bests[i / 256 % 4]};
            const lotor_rule_params params = params_of(3, 1e9, epsilon);
            const double index = golden[r].rule->own(&params, &sums, logs[i / 1024]);
            assert_true(index <= (double)INFINITY); /* false for a NaN */
            assert_true(index == INFINITY || fabs(index) <= 1e100);
        }
    }
}

/* More noise, less distance: d_eps grows with epsilon up to kl. So dp-klucb falls to klucb, and
 * dp-imed to imed. */
TEST(more_epsilon_is_a_smaller_index)
{
    for (double x = 0; x < 1; x += 0.07) {
        const lotor_index_sums sums = {50, 50 * x, 0.9};
        double bound = 1.0, evidence = 0.0;
        for (double epsilon = 0.01; epsilon < 1e3; epsilon *= 1.5) {
            const lotor_rule_params params = params_of(2, 100, epsilon);
            const double next = lotor_rule_dp_klucb.own(&params, &sums, 5);
            const double less = lotor_rule_dp_imed.own(&params, &sums, 5);
            assert_true(next <= bound + 1e-9 && less <= evidence + 1e-9);
            bound = next;
            evidence = less;
        }
        const lotor_rule_params params = params_of(2, 100, INFINITY);
        expect_near(bound, lotor_rule_klucb.own(&params, &sums, 5), 1e-7);
        expect_near(evidence, lotor_rule_imed.own(&params, &sums, 5), 1e-9);
    }
}

/* log t by hand: log 1000 = 6.9077, log 2 = 0.6931. */
TEST(logarithms_stand_on_a_grid)
{
    assert_true(lotor_kl_log(0) == 0.0 && lotor_kl_log(1) == 0.0);
    expect_near(lotor_kl_log(2), 0.68, 1e-12);
    expect_near(lotor_kl_log(1000), 6.90, 1e-12);
}

/* --- the learner ------------------------------------------------------------------------------ */

/* Posts a release of the arm: a batch of its own, or a new running sum. */
static void post(lotor_board *board, const lotor_index_rule *rule, size_t arm, size_t batch,
                 uint64_t time, lotor_generator *generator)
{
    const bool adds = rule->reading == LOTOR_READING_ADDED;
    const lotor_fact *last = lotor_board_at(board, 0, arm);
    const uint64_t size = adds ? 1 + batch : last->count + 1;
    const double more = adds ? (double)size * (2 * lotor_random_uniform(generator) - 0.5)
                             : last->value + (lotor_random_uniform(generator) < 0.5);
    assert_int_equal(lotor_board_post(board, adds ? batch : 0, arm, (lotor_fact){more, size, time}),
                     LOTOR_OK);
}

/* A learner that has seen all releases picks what a new learner picks: no cached index is out of
 * date, with and without eligible arms in between. */
TEST(caches_are_up_to_date)
{
    for (size_t r = 0; r < RULES; r++) {
        lotor_oracle *oracle;
        lotor_board *board;
        lotor_index_learner *old, *new;
        lotor_generator generator;
        uint64_t shown[ARMS] = {0};
        assert_int_equal(lotor_oracle_top(ARMS, 1, NULL, &oracle), LOTOR_OK);
        assert_int_equal(lotor_board_new(BATCHES, ARMS, &board), LOTOR_OK);
        lotor_generator_seed(&generator, 10 + r);
        const lotor_index_setup setup = {.rule = golden[r].rule,
                                         .params = params_of(ARMS, 1000, 1.0),
                                         .oracle = oracle,
                                         .low = -1.0,
                                         .high = 2.0};
        assert_int_equal(lotor_index_new(&setup, &old), LOTOR_OK);
        for (uint64_t t = 1; t <= (uint64_t)ARMS * BATCHES; t++) {
            const uint32_t *mine, *theirs;
            uint64_t hold;
            bool eligible[ARMS];
            assert_int_equal(lotor_index_new(&setup, &new), LOTOR_OK);
            for (size_t i = 0; i < ARMS; i++) {
                eligible[i] = i == t % ARMS || lotor_random_uniform(&generator) < 0.5;
            }
            size_t count = lotor_index_choose_among(old, board, shown, t, 5, eligible, &mine);
            const uint32_t among = mine[0];
            assert_int_equal(count, 1);
            count = lotor_index_choose_among(new, board, shown, t, 5, eligible, &theirs);
            assert_int_equal(count, 1);
            assert_int_equal(among, theirs[0]);
            assert_true(eligible[among]);
            lotor_index_choose(old, board, shown, t, 5, NULL, NULL, &mine, &hold);
            lotor_index_choose(new, board, shown, t, 5, NULL, NULL, &theirs, &hold);
            assert_int_equal(mine[0], theirs[0]);
            for (size_t i = 0; i < ARMS; i++) {
                assert_true(lotor_index_at(old, i) == lotor_index_at(new, i));
            }
            const size_t arm = (t - 1) % ARMS; /* every arm gets releases */
            post(board, golden[r].rule, arm, (t - 1) / ARMS, t, &generator);
            shown[arm]++;
            lotor_index_free(new);
        }
        lotor_index_free(old);
        lotor_board_free(board);
        lotor_oracle_free(oracle);
    }
}

/* IMED compares with the best *eligible* arm: if the best arm is paused, the second best is the
 * leader, and is shown most. */
TEST(imed_compares_with_eligible_arms)
{
    static const double sums[] = {90, 60, 10};
    const bool all[] = {true, true, true}, rest[] = {false, true, true};
    lotor_oracle *oracle;
    lotor_board *board;
    lotor_index_learner *learner;
    const uint64_t shown[] = {100, 100, 100};
    const uint32_t *picked;
    assert_int_equal(lotor_oracle_top(3, 1, NULL, &oracle), LOTOR_OK);
    assert_int_equal(lotor_board_new(1, 3, &board), LOTOR_OK);
    const lotor_index_setup setup = {.rule = &lotor_rule_imed,
                                     .params = params_of(3, 1000, INFINITY),
                                     .oracle = oracle,
                                     .high = 1.0};
    assert_int_equal(lotor_index_new(&setup, &learner), LOTOR_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(lotor_board_post(board, 0, i, (lotor_fact){sums[i], 100, i + 1}),
                         LOTOR_OK);
    }
    lotor_index_choose_among(learner, board, shown, 301, 1, all, &picked);
    assert_int_equal(picked[0], 0);
    expect_near(lotor_index_at(learner, 0), -log(100), 1e-12);
    assert_true(lotor_index_at(learner, 1) < -20);
    lotor_index_choose_among(learner, board, shown, 301, 1, rest, &picked);
    assert_int_equal(picked[0], 1);
    expect_near(lotor_index_at(learner, 1), -log(100), 1e-12);
    lotor_index_free(learner);
    lotor_board_free(board);
    lotor_oracle_free(oracle);
}
