/* test_own_world.c - worlds that the caller brings, through the public headers: numbers by hand,
 * the same numbers as those of built-in worlds, functions that misbehave, unbiased replay, and
 * allocations that fail.
 *
 * A policy that always shows one arm is cucb with an oracle of the test. */
#include "support/test.h"

#include <lotor/experimental/world.h>
#include <lotor/simulate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random/generator.h"
#include "support/worlds.h"

static lotor_simulate_result *run(const lotor_simulate_params *params)
{
    lotor_simulate_result *result;
    lotor_message why = {""};
    if (lotor_simulate_run(params, &why, &result) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return result;
}

static void refuse(const lotor_simulate_params *params, lotor_status status, const char *says)
{
    lotor_simulate_result *result = (lotor_simulate_result *)&status;
    lotor_message why = {""};
    const lotor_status got = lotor_simulate_run(params, &why, &result);
    if (got != status) {
        fail_msg("status %d, not %d, for \"%s\": %s", (int)got, (int)status, says, why.text);
    }
    assert_null(result);
    assert_says(&why, says);
}

static void expect_same(const lotor_simulate_params *a, const lotor_simulate_params *b)
{
    lotor_simulate_result *one = run(a), *two = run(b);
    assert_int_equal(one->point_count, two->point_count);
    assert_int_equal(one->runs, two->runs);
    for (size_t i = 0; i < one->point_count; i++) {
        assert_true(one->points[i].round == two->points[i].round);
        assert_true(one->points[i].regret == two->points[i].regret);
        assert_true(one->points[i].standard_error == two->points[i].standard_error);
    }
    assert_true(one->per_round == two->per_round);
    assert_true(one->best_per_round == two->best_per_round);
    assert_true(one->lower_bound == two->lower_bound ||
                (isnan(one->lower_bound) && isnan(two->lower_bound)));
    lotor_simulate_free(one);
    lotor_simulate_free(two);
}

/* A policy's index of an arm that was never shown is infinite, so this oracle shows one arm for
 * ever. Asked with true means, it finds the best arm: regret is measured against that one. */
static size_t pick_arm(const void *context, const double *index, size_t arms, uint32_t *picked)
{
    picked[0] = 0;
    for (uint32_t arm = 0; arm < arms; arm++) {
        if (isinf(index[arm])) {
            picked[0] = *(const uint32_t *)context;
            return 1;
        }
        picked[0] = index[arm] > index[picked[0]] ? arm : picked[0];
    }
    return 1;
}

/* A policy that always shows *arm. */
static lotor_policy_params always(const uint32_t *arm, uint64_t horizon)
{
    return (lotor_policy_params){.algorithm = "cucb",
                                 .horizon = horizon,
                                 .structure = LOTOR_STRUCTURE_CUSTOM_ORACLE,
                                 .rank = 1,
                                 .pick = pick_arm,
                                 .context = arm,
                                 .alpha = 1.0};
}

static const uint32_t arm_numbers[] = {0, 1, 2};

static double regret_at(const lotor_simulate_result *result, uint64_t round)
{
    for (size_t i = 0; i < result->point_count; i++) {
        if (result->points[i].round == round) {
            return result->points[i].regret;
        }
    }
    fail_msg("there is no point at round %llu", (unsigned long long)round);
    return NAN;
}

static double uniform_of(uint64_t word)
{
    return (double)(word >> 11) * 0x1p-53;
}

/* --- tables, by hand ---------------------------------------------------------------------------- */

static const double four_rows[4 * 2] = {1, 0, 1, 0, 0, 1, 0.25, 0.5};

/* The columns add up to 2.25 and 1.5, so arm 0 is best in hindsight. Arm 1 loses 1, 1, -1 and
 * -0.25. */
TEST(rewards_by_hand)
{
    const lotor_own_world own = {
        .kind = LOTOR_OWN_REWARDS, .arms = 2, .rows = 4, .table = four_rows};
    const lotor_simulate_params params = {
        .policy = always(&arm_numbers[1], 4), .own_world = &own, .runs = 3, .checkpoints = 50};
    lotor_simulate_result *result = run(&params);
    assert_true(regret_at(result, 1) == 1.0 && regret_at(result, 2) == 2.0);
    assert_true(regret_at(result, 3) == 1.0 && regret_at(result, 4) == 0.75);
    assert_true(result->regret == 0.75 && result->regret_error == 0.0);
    assert_true(result->per_round == 1.5 / 4 && result->best_per_round == 2.25 / 4);
    assert_true(isnan(result->lower_bound));
    assert_int_equal(result->arms, 2);
    assert_true(result->context_scale == 1.0 && result->logged_events == 0);
    assert_int_equal(result->favourite[0], 1);
    const double paid[] = {0, 0, 1, 1.5};
    for (size_t i = 0; i < 4; i++) {
        assert_true(result->rewards[4 + i] == paid[i]); /* of the second run */
    }
    assert_int_equal(result->shown[2], 0);
    assert_int_equal(result->shown[3], 4);
    lotor_simulate_free(result);
}

/* With a horizon of 3, arm 0 still pays 2 of 3; rows after the horizon do not matter. */
TEST(rewards_up_to_the_horizon)
{
    double rows[4 * 2];
    memcpy(rows, four_rows, sizeof rows);
    rows[6] = 0.0;
    rows[7] = 1.0; /* with this row, both arms would pay 2 */
    const lotor_own_world own = {.kind = LOTOR_OWN_REWARDS, .arms = 2, .rows = 4, .table = rows};
    lotor_simulate_params params = {.policy = always(&arm_numbers[1], 3), .own_world = &own};
    lotor_simulate_result *result = run(&params);
    assert_true(result->regret == 1.0);
    lotor_simulate_free(result);
    params.policy.horizon = 5;
    refuse(&params, LOTOR_INVALID,
           "the table of rewards has 4 rows, but the horizon is 5: give a row for each round");
}

/* Two arms of three, in hindsight: columns 2, 1.5, 1, so arms 0 and 1. ucb-like learners of sets
 * see the rewards of both. */
TEST(rewards_of_sets)
{
    const double rows[2 * 3] = {1, 0.5, 0, 1, 1, 1};
    const lotor_own_world own = {.kind = LOTOR_OWN_REWARDS, .arms = 3, .rows = 2, .table = rows};
    const lotor_simulate_params params = {
        .policy = {.algorithm = "cucb", .slots = 2, .horizon = 2}, .own_world = &own, .runs = 1};
    lotor_simulate_result *result = run(&params);
    assert_true(result->best_per_round == 1.75);
    assert_true(result->slots == 2);
    lotor_simulate_free(result);
}

/* Regret is against the best of the same round: 1, 1, 1, 0.5. */
TEST(means_by_hand)
{
    const lotor_own_world own = {.kind = LOTOR_OWN_MEANS, .arms = 2, .rows = 4, .table = four_rows};
    lotor_simulate_params params = {
        .policy = always(&arm_numbers[1], 4), .own_world = &own, .runs = 2, .checkpoints = 50};
    lotor_simulate_result *result = run(&params);
    assert_true(regret_at(result, 1) == 1.0 && regret_at(result, 2) == 2.0);
    assert_true(regret_at(result, 3) == 2.0 && regret_at(result, 4) == 2.0);
    assert_true(result->best_per_round == 3.5 / 4 && result->per_round == 1.5 / 4);
    lotor_simulate_free(result);
    params.policy.horizon = 5;
    refuse(&params, LOTOR_INVALID, "a row for each round, or starts");
}

/* --- the same numbers as built-in worlds -------------------------------------------------------- */

static const char *const learners[] = {"ucb", "dp-se", "batch-klucb", "dp-ucb"};

TEST(one_row_is_the_fixed_world)
{
    const double means[] = {0.75, 0.5, 0.25};
    const lotor_own_world own = {.kind = LOTOR_OWN_MEANS, .arms = 3, .rows = 1, .table = means};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        const lotor_simulate_params fixed = {
            .policy = {.algorithm = learners[i], .arms = 3, .horizon = 3000},
            .means = means,
            .runs = 4,
            .seed = 3};
        lotor_simulate_params mine = fixed;
        mine.means = NULL;
        mine.policy.arms = 0;
        mine.own_world = &own;
        expect_same(&fixed, &mine);
    }
}

/* swaps:3 over 3000 rounds, as rows with starts, and as a row for each round. */
TEST(rows_are_the_world_that_changes)
{
    enum { ROUNDS = 3000, PART = 1000 };
    static double each[ROUNDS * 3];
    static const char *const laws[] = {"bernoulli", "beta", "uniform"};
    const double means[] = {0.75, 0.5, 0.25};
    const double rows[] = {0.75, 0.5, 0.25, 0.25, 0.75, 0.5, 0.5, 0.25, 0.75};
    const uint64_t starts[] = {0, PART, 2 * PART};
    for (size_t t = 0; t < ROUNDS; t++) {
        memcpy(each + t * 3, rows + t / PART * 3, 3 * sizeof *rows);
    }
    const lotor_own_world pieces = {
        .kind = LOTOR_OWN_MEANS, .arms = 3, .rows = 3, .table = rows, .starts = starts};
    const lotor_own_world single = {
        .kind = LOTOR_OWN_MEANS, .arms = 3, .rows = ROUNDS, .table = each};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        const lotor_simulate_params swaps = {
            .policy = {.algorithm = learners[i], .arms = 3, .horizon = ROUNDS},
            .means = means,
            .rewards = laws[i % 3],
            .world = "swaps:3",
            .runs = 3,
            .seed = 9};
        lotor_simulate_params mine = swaps;
        mine.means = NULL;
        mine.world = NULL;
        mine.own_world = &pieces;
        expect_same(&swaps, &mine);
        mine.own_world = &single;
        expect_same(&swaps, &mine);
    }
}

/* Rewards twice as wide cost twice as much: the noise is scaled to the range. */
TEST(a_wider_range_scales_the_regret)
{
    enum { ROUNDS = 2000 };
    static double narrow[ROUNDS * 2], wide[ROUNDS * 2];
    for (size_t i = 0; i < (size_t)ROUNDS * 2; i++) {
        const double u = uniform_of(lotor_mix(i + 1));
        narrow[i] = u < (i % 2 ? 0.7 : 0.3) ? 1.0 : 0.0;
        wide[i] = 4.0 * narrow[i] - 3.0;
    }
    const lotor_own_world small = {
        .kind = LOTOR_OWN_REWARDS, .arms = 2, .rows = ROUNDS, .table = narrow};
    const lotor_own_world large = {.kind = LOTOR_OWN_REWARDS,
                                   .arms = 2,
                                   .rows = ROUNDS,
                                   .table = wide,
                                   .low = -3.0,
                                   .high = 1.0};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        lotor_simulate_params params = {.policy = {.algorithm = learners[i], .horizon = ROUNDS},
                                        .own_world = &small,
                                        .runs = 3};
        lotor_simulate_result *one = run(&params);
        params.own_world = &large;
        lotor_simulate_result *four = run(&params);
        assert_true(one->regret > 0.0);
        assert_true(fabs(four->regret - 4.0 * one->regret) < 1e-6);
        lotor_simulate_free(one);
        lotor_simulate_free(four);
    }
}

/* --- functions ---------------------------------------------------------------------------------- */

/* The calls of the functions, and how they should fail. */
typedef struct asked {
    uint64_t fails_at; /* the round in which something goes wrong; 0: none */
    double wrong;      /* what is written then; 7: nothing, and false is returned */
    uint64_t calls;
    uint64_t run, t, seed; /* of the latest call */
} asked;

static bool pay(void *context, const lotor_own_round *round, const double *actions,
                const uint32_t *arms, size_t count, double *rewards)
{
    asked *saw = context;
    (void)actions;
    if (saw && round->t == saw->fails_at) {
        if (saw->wrong == 7.0) {
            return false;
        }
        if (saw->wrong != 8.0) { /* 8: nothing is written */
            rewards[0] = saw->wrong;
        }
        return true;
    }
    lotor_generator generator;
    lotor_generator_seed(&generator, round->seed);
    for (size_t i = 0; i < count; i++) {
        rewards[i] = uniform_of(lotor_generator_word(&generator)) < 0.3 + 0.2 * arms[i] ? 1.0 : 0.0;
    }
    return true;
}

static bool tell_means(void *context, const lotor_own_round *round, const double *actions,
                       double *means)
{
    asked *saw = context;
    (void)actions;
    for (size_t i = 0; i < 3; i++) {
        means[i] = 0.3 + 0.2 * (double)i;
    }
    if (saw && round->t == saw->fails_at) {
        means[1] = saw->wrong;
        return saw->wrong != 7.0;
    }
    return true;
}

static const lotor_own_world three_arms = {
    .kind = LOTOR_OWN_FUNCTIONS, .arms = 3, .reward = pay, .means = tell_means};

/* The same for 1 and 3 threads, for all kinds of learners. */
TEST(threads_do_not_matter)
{
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        const lotor_simulate_params one = {.policy = {.algorithm = learners[i], .horizon = 500},
                                           .own_world = &three_arms,
                                           .runs = 7,
                                           .seed = 5,
                                           .threads = 1};
        lotor_simulate_params three = one;
        three.threads = 3;
        expect_same(&one, &three);
    }
}

/* Means from a table: the same as from a function, with one row or a row for each round. */
TEST(means_of_functions_in_a_table)
{
    enum { ROUNDS = 50 };
    double rows[ROUNDS * 3];
    for (size_t i = 0; i < (size_t)ROUNDS * 3; i++) {
        rows[i] = 0.3 + 0.2 * (double)(i % 3);
    }
    lotor_own_world own = {.arms = 3, .reward = pay, .rows = 1, .table = rows};
    const lotor_simulate_params one = {
        .policy = {.algorithm = "ucb", .horizon = ROUNDS}, .own_world = &three_arms, .runs = 3};
    lotor_simulate_params mine = one;
    mine.own_world = &own;
    expect_same(&one, &mine);
    own.rows = ROUNDS;
    expect_same(&one, &mine);
    own.rows = ROUNDS - 1;
    refuse(&mine, LOTOR_INVALID, "the table of means has 49 rows, but the horizon is 50");
    own.means = tell_means;
    refuse(&mine, LOTOR_INVALID, "`means` and a table of means are both given");
    own.means = NULL;
    rows[7] = NAN;
    refuse(&mine, LOTOR_RANGE, "the mean of arm 1 in row 2");
}

/* The law of a Bernoulli world. The difference of the mean regrets of 400 runs each is less than 5
 * standard errors: a false alarm once in 1.7 million. One that is 10% off would be seen. */
TEST(functions_have_the_law_of_the_built_in_world)
{
    const double means[] = {0.3, 0.5, 0.7};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        const lotor_simulate_params built_in = {
            .policy = {.algorithm = learners[i], .arms = 3, .horizon = 2000},
            .means = means,
            .runs = 400,
            .seed = 6};
        lotor_simulate_params mine = built_in;
        mine.means = NULL;
        mine.own_world = &three_arms;
        mine.seed = 7;
        lotor_simulate_result *one = run(&built_in), *two = run(&mine);
        const double error = hypot(one->regret_error, two->regret_error);
        assert_true(fabs(one->regret - two->regret) < 5.0 * error + 1e-9);
        assert_true(fabs(one->regret - 1.1 * two->regret) > 5.0 * error);
        assert_true(two->best_per_round > 0.7 - 1e-9 && two->best_per_round < 0.7 + 1e-9);
        lotor_simulate_free(one);
        lotor_simulate_free(two);
    }
}

static bool watch_seed(void *context, const lotor_own_round *round, const double *actions,
                       const uint32_t *arms, size_t count, double *rewards)
{
    asked *saw = context;
    (void)actions;
    (void)arms;
    saw->calls++;
    assert_true(round->run == (saw->calls - 1) / 5 && round->t == (saw->calls - 1) % 5 + 1);
    assert_true(round->seed != saw->seed);
    saw->seed = round->seed;
    for (size_t i = 0; i < count; i++) {
        rewards[i] = 0.5;
    }
    return true;
}

/* Rounds in order, once each, with a new seed each. Without means there is no regret. */
TEST(rounds_come_in_order_and_unknown_means_give_no_regret)
{
    asked saw = {0};
    const lotor_own_world own = {.arms = 3, .reward = watch_seed, .context = &saw};
    const lotor_simulate_params params = {.policy = {.algorithm = "batch-klucb", .horizon = 5},
                                          .own_world = &own,
                                          .runs = 2,
                                          .threads = 1};
    lotor_simulate_result *result = run(&params);
    assert_int_equal(saw.calls, 10);
    assert_true(isnan(result->regret) && isnan(result->regret_error));
    assert_true(isnan(result->best_per_round) && isnan(result->best_share));
    assert_true(isnan(result->regret_median) && isnan(result->regret_largest));
    assert_true(isnan(result->points[0].regret));
    assert_true(result->per_round == 0.5 && result->round_error == 0.0);
    assert_true(isnan(result->regrets[0]) && result->rewards[0] == 0.5);
    assert_true(result->rewards[2 * result->point_count - 1] == 2.5);
    assert_int_equal(result->shown[0] + result->shown[1] + result->shown[2], 5);
    lotor_simulate_free(result);
}

TEST(functions_that_misbehave)
{
    static const struct {
        double wrong;
        lotor_status status;
        const char *says;
    } cases[] = {
        {1.5, LOTOR_RANGE, "in round 17 of run 0, the reward of arm "},
        {1.5, LOTOR_RANGE, " is 1.5; it must lie in [0,1]"},
        {-0.25, LOTOR_RANGE, "is -0.25"},
        {NAN, LOTOR_RANGE, "nan"},
        {INFINITY, LOTOR_RANGE, "inf"},
        {8.0, LOTOR_RANGE, "nan"},
        {7.0, LOTOR_INVALID, "the function `reward` failed in round 17 of run 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        asked saw = {.fails_at = 17, .wrong = cases[i].wrong};
        const lotor_own_world own = {.arms = 3, .reward = pay, .context = &saw};
        const lotor_simulate_params params = {
            .policy = {.algorithm = "ucb", .horizon = 50}, .own_world = &own, .threads = 1};
        refuse(&params, cases[i].status, cases[i].says);
    }
    asked saw = {.fails_at = 3, .wrong = NAN};
    const lotor_own_world own = {
        .arms = 3, .reward = watch_seed, .means = tell_means, .context = &saw};
    lotor_simulate_params params = {
        .policy = {.algorithm = "ucb", .horizon = 5}, .own_world = &own, .runs = 1, .threads = 1};
    refuse(&params, LOTOR_RANGE, "in round 3 of run 0, the mean of arm 1 is nan");
    saw = (asked){.fails_at = 3, .wrong = 7.0};
    refuse(&params, LOTOR_INVALID, "the function `means` failed in round 3");
}

/* Feedback that arrives after the horizon teaches nothing: the policy shows what it showed first. */
TEST(delayed_feedback)
{
    lotor_simulate_params params = {.policy = {.algorithm = "batch-klucb", .horizon = 300},
                                    .own_world = &three_arms,
                                    .runs = 20,
                                    .delay = "300"};
    lotor_simulate_result *never = run(&params);
    params.delay = "3";
    lotor_simulate_result *soon = run(&params);
    assert_true(never->regret > soon->regret);
    params.delay = NULL; /* feedback that never arrives teaches nothing either */
    params.has_expiry = true;
    params.missing = 1.0;
    lotor_simulate_result *missing = run(&params);
    assert_true(missing->regret > soon->regret && missing->lost_share == 1.0);
    lotor_simulate_free(missing);
    lotor_simulate_free(never);
    lotor_simulate_free(soon);
}

/* --- actions ------------------------------------------------------------------------------------ */

enum { DIMENSION = 2 };

/* Arm 0 is a unit vector of the plane, arm 1 its negative; theta is (1, -1)/2. */
static bool show_actions(void *context, const lotor_own_round *round, double *actions)
{
    const asked *saw = context;
    const size_t axis = round->seed >> 63;
    memset(actions, 0, 2 * DIMENSION * sizeof *actions);
    actions[axis] = 1.0;
    actions[DIMENSION + axis] = -1.0;
    if (saw && saw->fails_at == round->t) {
        actions[0] = saw->wrong;
        return saw->wrong != 7.0;
    }
    return true;
}

static bool tell_action_means(void *context, const lotor_own_round *round, const double *actions,
                              double *means)
{
    (void)context;
    (void)round;
    for (size_t i = 0; i < 2; i++) {
        means[i] = 0.5 * (actions[i * DIMENSION] - actions[i * DIMENSION + 1]);
    }
    return true;
}

static bool pay_actions(void *context, const lotor_own_round *round, const double *actions,
                        const uint32_t *arms, size_t count, double *rewards)
{
    double means[2];
    assert_int_equal(count, 1);
    (void)tell_action_means(context, round, actions, means);
    rewards[0] = uniform_of(lotor_mix(round->seed)) < 0.5 * (1.0 + means[arms[0]]) ? 1.0 : -1.0;
    return true;
}

static const lotor_own_world plane = {.arms = 2,
                                      .dimension = DIMENSION,
                                      .reward = pay_actions,
                                      .means = tell_action_means,
                                      .actions = show_actions};

/* A learner that sees the actions learns; one that sees only arms can't: it loses 1/2 a round. */
TEST(actions_can_be_learned)
{
    static const char *const linear[] = {"linucb", "lints", "jdp-linucb", "jdp-batch", "jdp-bayes"};
    for (size_t i = 0; i < sizeof linear / sizeof *linear; i++) {
        const lotor_simulate_params one = {
            .policy = {.algorithm = linear[i], .horizon = 3000, .epsilon = lotor_ratio_of(10, 1)},
            .own_world = &plane,
            .runs = 3,
            .threads = 1};
        lotor_simulate_result *result = run(&one);
        const bool learns = strcmp(linear[i], "jdp-linucb") != 0;
        assert_true(result->regret < (learns ? 750.0 : 1800.0) && result->regret > 0.0);
        assert_true(fabs(result->best_per_round - 0.5) < 1e-12 && result->best_share == 1.0);
        assert_null(result->favourite);
        lotor_simulate_free(result);
        lotor_simulate_params three = one;
        three.threads = 3;
        expect_same(&one, &three);
    }
    const lotor_simulate_params blind = {
        .policy = {.algorithm = "ucb", .horizon = 3000}, .own_world = &plane, .runs = 3};
    lotor_simulate_result *result = run(&blind);
    assert_true(fabs(result->regret - 1500.0) < 5.0 * sqrt(9000.0 * 0.25) / 3.0);
    lotor_simulate_free(result);
}

TEST(actions_that_misbehave)
{
    asked saw = {.fails_at = 9, .wrong = 1.25};
    lotor_own_world own = plane;
    own.context = &saw;
    const lotor_simulate_params params = {
        .policy = {.algorithm = "linucb", .horizon = 20}, .own_world = &own, .threads = 1};
    refuse(&params, LOTOR_RANGE, "in round 9 of run 0, action 0 (counted from 0) is longer than");
    saw.wrong = NAN;
    refuse(&params, LOTOR_RANGE, "in round 9 of run 0");
    saw.wrong = 7.0;
    refuse(&params, LOTOR_INVALID, "the function `actions` failed in round 9");
}

/* --- labelled data ------------------------------------------------------------------------------ */

static const double examples[6 * 2] = {3, 0, 4, 0, 2, 1, 0, 3, 0, 2, -3, -1};
static const uint32_t classes[6] = {0, 0, 0, 1, 1, 2};

static lotor_own_world labelled(lotor_own_order order)
{
    return (lotor_own_world){.kind = LOTOR_OWN_LABELS,
                             .arms = 3,
                             .rows = 6,
                             .features = examples,
                             .feature_count = 2,
                             .labels = classes,
                             .order = order};
}

/* Always class 1: right in 2 of 6 examples. In order it is wrong in rounds 1, 2, 3 and 6. */
TEST(labels_by_hand)
{
    lotor_own_world own = labelled(LOTOR_OWN_IN_ORDER);
    lotor_simulate_params params = {
        .policy = always(&arm_numbers[1], 9), .own_world = &own, .runs = 1, .checkpoints = 1000};
    lotor_simulate_result *result = run(&params);
    assert_true(regret_at(result, 1) == 1.0 && regret_at(result, 3) == 3.0);
    assert_true(regret_at(result, 5) == 3.0 && regret_at(result, 6) == 4.0);
    assert_true(result->regret == 7.0 && result->best_per_round == 1.0);
    assert_true(fabs(result->context_scale - 4.0) < 1e-9); /* the length of the longest example */
    lotor_simulate_free(result);
    own.order = LOTOR_OWN_SHUFFLED; /* each pass has every example once */
    params.policy.horizon = 600;
    params.runs = 5;
    result = run(&params);
    assert_true(result->regret == 400.0 && result->regret_error == 0.0);
    assert_true(fabs(result->per_round - 1.0 / 3.0) < 1e-12);
    lotor_simulate_free(result);
    own.order = LOTOR_OWN_DRAWN; /* 400 +- 11.5, over 5 runs: 5 standard errors are 26 */
    result = run(&params);
    assert_true(fabs(result->regret - 400.0) < 26.0 && result->regret_error > 0.0);
    lotor_simulate_free(result);
}

/* Linear algorithms learn the classes from the features; the others can only show the largest. */
TEST(labels_can_be_learned)
{
    const lotor_own_world own = labelled(LOTOR_OWN_DRAWN);
    lotor_simulate_params params = {.policy = {.algorithm = "linucb", .horizon = 4000},
                                    .own_world = &own,
                                    .runs = 3,
                                    .threads = 1};
    lotor_simulate_result *seeing = run(&params);
    assert_true(seeing->per_round > 0.75 && seeing->regret > 0.0);
    lotor_simulate_free(seeing);
    lotor_simulate_params three = params;
    three.threads = 3;
    expect_same(&params, &three);
    params.policy.algorithm = "ucb";
    lotor_simulate_result *blind = run(&params);
    assert_true(blind->per_round < 0.55 && blind->per_round > 0.3);
    lotor_simulate_free(blind);
    static const char *const private_ones[] = {"lints", "jdp-linucb", "jdp-batch", "jdp-bayes"};
    for (size_t i = 0; i < 4; i++) {
        params.policy.algorithm = private_ones[i];
        params.policy.horizon = 200;
        lotor_simulate_result *result = run(&params);
        assert_true(result->per_round > 0.0);
        lotor_simulate_free(result);
    }
}

/* --- logs --------------------------------------------------------------------------------------- */

static const uint32_t five_arms[5] = {0, 1, 1, 0, 1};
static const double five_rewards[5] = {1, 0.5, 0, 0, 1};

/* Arm 1 has three events: 0.5, 0 and 1. The mean is 0.5, the standard error sqrt(0.25/3). */
TEST(unbiased_replay_by_hand)
{
    const lotor_own_world own = {.kind = LOTOR_OWN_UNBIASED,
                                 .rows = 5,
                                 .logged_arms = five_arms,
                                 .logged_rewards = five_rewards};
    lotor_simulate_params params = {.policy = always(&arm_numbers[1], 100),
                                    .own_world = &own,
                                    .runs = 2,
                                    .checkpoints_at = "2,3,4",
                                    .shown_at_checkpoints = true};
    lotor_simulate_result *result = run(&params);
    assert_true(fabs(result->per_round - 0.5) < 1e-15);
    assert_int_equal(result->point_count, 4);
    assert_true(result->rewards[0] == 0.5 && fabs(result->rewards[1] - 1.5) < 1e-15);
    assert_true(isnan(result->rewards[2]) && isnan(result->rewards[3])); /* after the log */
    assert_true(isnan(result->regrets[0]) && result->rewards[4] == 0.5);
    assert_true(result->shown[0] == 0 && result->shown[1] == 3 && result->shown[3] == 3);
    assert_true(result->shown_at[1] == 2 && result->shown_at[3] == 3 && result->shown_at[7] == 3);
    assert_true(fabs(result->round_error - sqrt(0.25 / 3.0)) < 1e-15);
    assert_true(result->accepted_events == 3.0 && result->logged_events == 5);
    assert_true(isnan(result->regret) && isnan(result->best_per_round));
    assert_int_equal(result->arms, 2);
    lotor_simulate_free(result);
    params.policy.horizon = 2; /* the horizon ends before the log */
    params.checkpoints_at = NULL;
    result = run(&params);
    assert_true(result->accepted_events == 2.0 && result->per_round == 0.25);
    lotor_simulate_free(result);
}

/* The same numbers from a file, with a header. */
TEST(unbiased_replay_of_a_file)
{
    char name[] = "/tmp/lotor-own-XXXXXX", instance[64];
    const int descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fputs("arm,reward\n0,1\n1,0.5\n1,0\n0,0\n1,1\n", file);
    assert_int_equal(fclose(file), 0);
    snprintf(instance, sizeof instance, "unbiased-replay:%s", name);
    lotor_simulate_params params = {.policy = always(&arm_numbers[1], 100), .instance = instance};
    lotor_simulate_result *result = run(&params);
    assert_true(result->accepted_events == 3.0 && fabs(result->per_round - 0.5) < 1e-15);
    lotor_simulate_free(result);
    params.rewards = "beta";
    refuse(&params, LOTOR_INVALID, "rewards");
    params.rewards = NULL;
    params.policy.arms = 3;
    refuse(&params, LOTOR_INVALID, "no reward of arm 2");
    params.policy.arms = 0;
    unlink(name);
    refuse(&params, LOTOR_UNKNOWN, "No such file");
    assert_true(lotor_simulate_is_recorded("unbiased-replay:x"));
}

/* The bootstrap draws 1 and 0 of arm 0 with probability 1/2 each. */
TEST(bootstrap_of_arrays)
{
    const lotor_own_world own = {
        .kind = LOTOR_OWN_LOG, .rows = 5, .logged_arms = five_arms, .logged_rewards = five_rewards};
    const lotor_simulate_params params = {
        .policy = always(&arm_numbers[1], 1000), .own_world = &own, .runs = 2};
    lotor_simulate_result *result = run(&params);
    assert_true(result->regret == 0.0 && result->per_round == 0.5 && result->logged_events == 0);
    lotor_simulate_free(result);
}

enum { EVENTS = 400, LOGS = 500 };

/* A log of people of two kinds, equally many. Arm 1 pays with probability 0.9 to the second kind,
 * and 0.1 to the first: 0.5 on average. Those who logged showed arm 1 to 80% of the second kind and
 * 20% of the first. So the average of the logged rewards of arm 1 is 0.74. */
typedef struct visitors {
    uint32_t arms[EVENTS], kinds[EVENTS];
    double rewards[EVENTS], propensities[EVENTS];
    double actions[EVENTS * 2 * DIMENSION];
} visitors;

static void draw_visitors(visitors *log, uint64_t seed)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, seed);
    for (size_t i = 0; i < EVENTS; i++) {
        const uint32_t kind = (uint32_t)(lotor_generator_word(&generator) >> 63);
        const double chance = kind ? 0.8 : 0.2;
        const bool shows = uniform_of(lotor_generator_word(&generator)) < chance;
        const double mean = shows ? (kind ? 0.9 : 0.1) : 0.6;
        log->kinds[i] = kind;
        log->arms[i] = shows;
        log->propensities[i] = shows ? chance : 1.0 - chance;
        log->rewards[i] = uniform_of(lotor_generator_word(&generator)) < mean ? 1.0 : 0.0;
        double *actions = log->actions + i * 2 * DIMENSION; /* the longest action is arm `kind` */
        memset(actions, 0, 2 * DIMENSION * sizeof *actions);
        actions[0] = kind ? 0.5 : 1.0;
        actions[3] = kind ? 1.0 : 0.5;
    }
}

static lotor_own_world world_of(const visitors *log)
{
    return (lotor_own_world){.kind = LOTOR_OWN_UNBIASED,
                             .arms = 2,
                             .rows = EVENTS,
                             .logged_arms = log->arms,
                             .logged_rewards = log->rewards,
                             .propensities = log->propensities};
}

typedef struct estimates {
    double mean, error; /* of the estimates of all logs: their mean, and its standard error */
    double spread,
        reported; /* standard deviation of an estimate, and what the library says of it */
    double accepted;
} estimates;

static estimates estimate(lotor_simulate_params params, bool with_propensities, bool with_actions)
{
    static visitors log;
    estimates out = {0};
    double squares = 0.0;
    for (uint64_t i = 0; i < LOGS; i++) {
        draw_visitors(&log, 100 + i);
        lotor_own_world own = world_of(&log);
        own.propensities = with_propensities ? log.propensities : NULL;
        if (with_actions) {
            own.dimension = DIMENSION;
            own.logged_actions = log.actions;
        }
        params.own_world = &own;
        params.runs = 1;
        params.seed = i;
        lotor_simulate_result *result = run(&params);
        out.mean += result->per_round / (double)LOGS;
        squares += result->per_round * result->per_round / (double)LOGS;
        out.reported += result->round_error / (double)LOGS;
        out.accepted += result->accepted_events / (double)LOGS;
        lotor_simulate_free(result);
    }
    out.spread = sqrt((squares - out.mean * out.mean) * (double)LOGS / ((double)LOGS - 1.0));
    out.error = out.spread / sqrt(LOGS);
    return out;
}

/* The estimate for "always arm 1" is 0.5 within 5 standard errors (a false alarm once in 1.7
 * million), and without propensities it is 0.74. 20% of the events are kept and have arm 1. The
 * reported standard error is that of the estimates, within 15%: the relative error of a standard
 * deviation of 500 numbers is 3.2%. */
TEST(unbiased_replay_is_unbiased)
{
    const lotor_simulate_params params = {.policy = always(&arm_numbers[1], EVENTS)};
    const estimates right = estimate(params, true, false);
    assert_true(fabs(right.mean - 0.5) < 5.0 * right.error);
    assert_true(fabs(right.accepted - 0.2 * (double)EVENTS) < 5.0);
    assert_true(fabs(right.reported / right.spread - 1.0) < 0.15);
    const estimates naive = estimate(params, false, false);
    assert_true(fabs(naive.mean - 0.74) < 5.0 * naive.error);
    assert_true(fabs(naive.mean - 0.5) > 5.0 * naive.error);
}

/* jdp-batch shows the longest action before its first release: arm 1 to the second kind, arm 0 to
 * the first. That pays (0.9 + 0.6)/2. */
TEST(unbiased_replay_with_contexts)
{
    const lotor_simulate_params params = {
        .policy = {.algorithm = "jdp-batch", .horizon = EVENTS, .epsilon = lotor_ratio_of(1, 100)}};
    const estimates right = estimate(params, true, true);
    assert_true(fabs(right.mean - 0.75) < 5.0 * right.error);
    assert_true(fabs(right.accepted - 0.2 * (double)EVENTS) < 5.0);
}

/* A learner that is replayed for 20 accepted events has the reward of one that plays 20 rounds in
 * the world of the log, arms of mean 0.6 and 0.5: within 5 standard errors. Every log is long enough
 * for 20 events. */
TEST(unbiased_replay_of_a_learner)
{
    enum { ROUNDS = 20 };
    const double means[] = {0.6, 0.5};
    lotor_simulate_params params = {.policy = {.algorithm = "ucb", .horizon = ROUNDS}};
    const estimates replayed = estimate(params, true, false);
    assert_true(fabs(replayed.accepted - (double)ROUNDS) < 1e-9);
    params.policy.arms = 2;
    params.means = means;
    params.runs = 20000;
    lotor_simulate_result *played = run(&params);
    assert_true(fabs(replayed.mean - played->per_round) <
                5.0 * hypot(replayed.error, played->round_error));
    lotor_simulate_free(played);
}

/* Random acceptance depends on the run alone, not on the threads. */
TEST(replays_on_many_threads)
{
    static visitors log;
    draw_visitors(&log, 3);
    const lotor_own_world own = world_of(&log);
    for (uint64_t threads = 1; threads <= 3; threads += 2) {
        static double first;
        const lotor_simulate_params params = {.policy = {.algorithm = "ucb", .horizon = EVENTS},
                                              .own_world = &own,
                                              .runs = 9,
                                              .threads = threads};
        lotor_simulate_result *result = run(&params);
        first = threads == 1 ? result->per_round : first;
        assert_true(result->per_round == first);
        lotor_simulate_free(result);
    }
}

/* --- refusals ----------------------------------------------------------------------------------- */

TEST(descriptions_that_make_no_sense)
{
    const double nan_row[] = {0.5, NAN}, high_row[] = {0.5, 0.25, 1.5, 0.5};
    const double infinite[] = {INFINITY, 1}, tiny[] = {0.5, 0.5, 0.0, 0.5, 0.5};
    const uint64_t late[] = {1, 2}, back[] = {0, 0};
    const uint32_t bad_label[] = {3}, gap[] = {0, 2};
    const lotor_own_world *good = &three_arms;
    const struct {
        lotor_own_world own;
        lotor_status status;
        const char *says;
    } cases[] = {
        {{.kind = (lotor_own_world_kind)9, .arms = 2}, LOTOR_INVALID, "there is no kind 9"},
        {{.arms = 0, .reward = good->reward}, LOTOR_INVALID, "from 1 to"},
        {{.arms = SIZE_MAX, .reward = good->reward}, LOTOR_INVALID, "from 1 to"},
        {{.arms = 2}, LOTOR_INVALID, "the function `reward` is missing"},
        {{.arms = 2, .reward = good->reward, .dimension = 2}, LOTOR_INVALID, "belong together"},
        {{.arms = 2, .reward = good->reward, .actions = show_actions},
         LOTOR_INVALID,
         "belong together"},
        {{.arms = 2, .reward = good->reward, .actions = show_actions, .dimension = SIZE_MAX / 2},
         LOTOR_INVALID,
         "too many"},
        {{.arms = 2, .reward = good->reward, .low = 1.0, .high = 1.0}, LOTOR_INVALID, "is empty"},
        {{.arms = 2, .reward = good->reward, .low = -INFINITY, .high = 1.0},
         LOTOR_INVALID,
         "is empty"},
        {{.arms = 2, .reward = good->reward, .low = 0.0, .high = NAN}, LOTOR_INVALID, "is empty"},
        {{.kind = LOTOR_OWN_REWARDS, .arms = 2}, LOTOR_INVALID, "the table of rewards is empty"},
        {{.kind = LOTOR_OWN_REWARDS, .arms = 2, .rows = 4}, LOTOR_INVALID, "is empty"},
        {{.kind = LOTOR_OWN_REWARDS, .arms = 2, .rows = 1, .table = nan_row},
         LOTOR_RANGE,
         "the reward of arm 1 in row 0 (both from 0) is nan"},
        {{.kind = LOTOR_OWN_REWARDS, .arms = 2, .rows = SIZE_MAX / 8, .table = nan_row},
         LOTOR_INVALID,
         "too many"},
        {{.kind = LOTOR_OWN_MEANS, .arms = 2, .rows = 2, .table = high_row},
         LOTOR_RANGE,
         "the mean of arm 0 in row 1 (both from 0) is 1.5; it must lie in [0,1]"},
        {{.kind = LOTOR_OWN_MEANS, .arms = 2, .rows = 2, .table = four_rows, .high = 2.0},
         LOTOR_INVALID,
         "leave low and high out"},
        {{.kind = LOTOR_OWN_MEANS, .arms = 2, .rows = 2, .table = four_rows, .starts = late},
         LOTOR_INVALID,
         "starts[0] must be 0"},
        {{.kind = LOTOR_OWN_MEANS, .arms = 2, .rows = 2, .table = four_rows, .starts = back},
         LOTOR_INVALID,
         "starts must increase"},
        {{.kind = LOTOR_OWN_LABELS, .arms = 3}, LOTOR_INVALID, "no labelled examples"},
        {{.kind = LOTOR_OWN_LABELS, .arms = 3, .rows = 1, .labels = bad_label},
         LOTOR_RANGE,
         "the label of example 0 (from 0) is 3, but there are 3 classes"},
        {{.kind = LOTOR_OWN_LABELS, .arms = 3, .rows = 6, .labels = classes, .feature_count = 1},
         LOTOR_INVALID,
         "belong together"},
        {{.kind = LOTOR_OWN_LABELS,
          .arms = 3,
          .rows = 1,
          .labels = classes,
          .feature_count = 2,
          .features = infinite},
         LOTOR_RANGE,
         "feature 0 of example 0 (both from 0) is inf"},
        {{.kind = LOTOR_OWN_LABELS,
          .arms = 3,
          .rows = 6,
          .labels = classes,
          .order = (lotor_own_order)3},
         LOTOR_INVALID,
         "there is no order 3"},
        {{.kind = LOTOR_OWN_LABELS,
          .arms = 3,
          .rows = 6,
          .labels = classes,
          .feature_count = SIZE_MAX / 2,
          .features = examples},
         LOTOR_INVALID,
         "too many"},
        {{.kind = LOTOR_OWN_UNBIASED}, LOTOR_INVALID, "no events"},
        {{.kind = LOTOR_OWN_LOG, .rows = 2, .logged_arms = gap, .logged_rewards = five_rewards},
         LOTOR_INVALID,
         "names arm 2, but has only 2 rewards"},
        {{.kind = LOTOR_OWN_LOG,
          .arms = 2,
          .rows = 2,
          .logged_arms = gap,
          .logged_rewards = five_rewards},
         LOTOR_INVALID,
         "names arm 2, but there are 2 arms"},
        {{.kind = LOTOR_OWN_LOG,
          .rows = 5,
          .logged_arms = five_arms,
          .logged_rewards = five_rewards,
          .propensities = five_rewards},
         LOTOR_INVALID,
         "propensities are for unbiased replay"},
        {{.kind = LOTOR_OWN_UNBIASED,
          .rows = 2,
          .logged_arms = five_arms,
          .logged_rewards = nan_row},
         LOTOR_RANGE,
         "the reward of event 1 (counted from 0) is nan"},
        {{.kind = LOTOR_OWN_UNBIASED,
          .rows = 5,
          .logged_arms = five_arms,
          .logged_rewards = five_rewards,
          .propensities = tiny},
         LOTOR_RANGE,
         "the propensity of event 2 (counted from 0) is 0"},
        {{.kind = LOTOR_OWN_UNBIASED,
          .rows = 5,
          .logged_arms = five_arms,
          .logged_rewards = five_rewards,
          .dimension = 2},
         LOTOR_INVALID,
         "belong together"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lotor_simulate_params params = {.policy = {.algorithm = "ucb", .horizon = 2},
                                              .own_world = &cases[i].own};
        refuse(&params, cases[i].status, cases[i].says);
    }
}

TEST(settings_that_contradict_an_own_world)
{
    const double means[] = {0.5, 0.5, 0.5};
    lotor_simulate_params params = {.policy = {.algorithm = "ucb", .horizon = 4},
                                    .own_world = &three_arms};
    params.means = means;
    refuse(&params, LOTOR_INVALID, "own_world and means are both given");
    params.means = NULL;
    params.instance = "c1";
    refuse(&params, LOTOR_INVALID, "own_world and instance");
    params.instance = NULL;
    params.world = "swaps";
    refuse(&params, LOTOR_INVALID, "own_world and world");
    params.world = NULL;
    params.rewards = "beta";
    refuse(&params, LOTOR_INVALID, "own_world and rewards");
    params.rewards = NULL;
    params.has_gap = true;
    refuse(&params, LOTOR_INVALID, "own_world and gap");
    params.has_gap = false;
    params.schedule = "2:-1";
    refuse(&params, LOTOR_INVALID,
           "schedule: arms can be added and removed only in worlds with means");
    params.schedule = NULL;
    params.policy.arms = 4;
    refuse(&params, LOTOR_INVALID, "arms is 4, but the own world has 3");
    params.policy.arms = 0;
    params.policy.low = -1.0;
    params.policy.high = 0.5;
    refuse(&params, LOTOR_INVALID, "leave both out");
    params.policy = (lotor_policy_params){.algorithm = "linucb", .horizon = 4};
    refuse(&params, LOTOR_INVALID, "linucb chooses among actions, and this own world has none");
    params.policy = (lotor_policy_params){.algorithm = "cascade-ucb", .slots = 2, .horizon = 4};
    refuse(&params, LOTOR_INVALID, "clicks");
    const uint32_t from[] = {0, 0, 1}, to[] = {1, 2, 2};
    params.policy = (lotor_policy_params){.algorithm = "cucb",
                                          .horizon = 4,
                                          .structure = LOTOR_STRUCTURE_PATH,
                                          .from = from,
                                          .to = to,
                                          .vertices = 3,
                                          .sink = 2};
    refuse(&params, LOTOR_INVALID, "pays the sum of its arms");
    const lotor_own_world log = {.kind = LOTOR_OWN_UNBIASED,
                                 .rows = 5,
                                 .logged_arms = five_arms,
                                 .logged_rewards = five_rewards};
    params.own_world = &log;
    params.policy = (lotor_policy_params){.algorithm = "cucb", .slots = 2, .horizon = 4};
    refuse(&params, LOTOR_INVALID, "leave slots and structure out");
    params.policy.slots = 1;
    params.delay = "3";
    refuse(&params, LOTOR_INVALID, "leave the delay and the expiry out");
}

/* --- several algorithms in one problem, and progress -------------------------------------------- */

TEST(several_algorithms_in_one_problem)
{
    static const char *const ids[] = {"ucb", "linucb", "dp-se"};
    lotor_simulate_params params = {
        .policy = {.algorithm = "ucb", .horizon = 200}, .own_world = &plane, .runs = 2};
    lotor_simulate_problem *problem;
    lotor_message why = {""};
    assert_int_equal(lotor_simulate_problem_new(&params, &why, &problem), LOTOR_OK);
    lotor_simulate_problem_facts facts;
    lotor_simulate_problem_describe(problem, &facts);
    assert_int_equal(facts.arms, 2);
    assert_string_equal(facts.rewards, "own");
    assert_null(facts.means);
    for (size_t i = 0; i < 3; i++) {
        params.policy.algorithm = ids[i];
        params.own_world = NULL; /* the problem has it */
        lotor_simulate_result *shared;
        assert_int_equal(lotor_simulate_problem_check(problem, &params, &why, NULL), LOTOR_OK);
        assert_int_equal(lotor_simulate_problem_run(problem, &params, &why, &shared), LOTOR_OK);
        params.own_world = &plane;
        lotor_simulate_result *alone = run(&params);
        assert_true(shared->regret == alone->regret);
        lotor_simulate_free(shared);
        lotor_simulate_free(alone);
    }
    lotor_simulate_problem_free(problem);
}

static bool stop_at_once(void *context, double share)
{
    (void)context;
    assert_true(share >= 0.0 && share <= 1.0);
    return true;
}

TEST(progress_stops_an_own_world)
{
    const lotor_simulate_params params = {.policy = {.algorithm = "ucb", .horizon = 1 << 30},
                                          .own_world = &three_arms,
                                          .progress = stop_at_once};
    refuse(&params, LOTOR_STOPPED, "stopped before one run was complete");
}

/* --- allocations -------------------------------------------------------------------------------- */

static const lotor_simulate_params *allocating;

static lotor_status run_once(void)
{
    lotor_simulate_result *result;
    const lotor_status status = lotor_simulate_run(allocating, NULL, &result);
    lotor_simulate_free(result);
    return status;
}

TEST(every_allocation_can_fail)
{
    const lotor_own_world rewards = {
        .kind = LOTOR_OWN_REWARDS, .arms = 2, .rows = 4, .table = four_rows};
    const lotor_own_world means = {
        .kind = LOTOR_OWN_MEANS, .arms = 2, .rows = 4, .table = four_rows};
    const lotor_own_world labels = labelled(LOTOR_OWN_SHUFFLED);
    lotor_own_world log = {.kind = LOTOR_OWN_UNBIASED,
                           .rows = 5,
                           .logged_arms = five_arms,
                           .logged_rewards = five_rewards};
    lotor_own_world bootstrap = log;
    bootstrap.kind = LOTOR_OWN_LOG;
    const struct {
        const lotor_own_world *own;
        const char *algorithm;
        size_t slots;
    } cases[] = {{&three_arms, "ucb", 1}, {&three_arms, "cucb", 2},
                 {&plane, "linucb", 0},   {&rewards, "batch-klucb", 1},
                 {&means, "ucb", 1},      {&labels, "linucb", 0},
                 {&log, "ucb", 1},        {&bootstrap, "ucb", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lotor_simulate_params params = {
            .policy = {.algorithm = cases[i].algorithm, .slots = cases[i].slots, .horizon = 4},
            .own_world = cases[i].own,
            .runs = 1,
            .threads = 1,
            .checkpoints = 3};
        allocating = &params;
        failing_memory_expect_each(run_once, 10);
    }
}
