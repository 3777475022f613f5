/* test_schedule.c - arms that come and go: texts, regret by hand, and that a simulation plays what the
 * service plays. */
#include "support/test.h"

#include <lotor/simulate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/schedule.h"
#include "policy/catalog.h"
#include "policy/policy.h"
#include "support/experiments.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static lotor_arm_schedule schedule_of(const char *text, size_t arms)
{
    lotor_arm_schedule schedule;
    lotor_message why = {""};
    if (lotor_arm_schedule_read(text, arms, &why, &schedule) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return schedule;
}

TEST(periods_by_hand)
{
    lotor_arm_schedule schedule = schedule_of("100:+2,500:-0,5e2:+1", 4);
    static const bool there[3][4] = {
        {true, false, false, true}, {true, false, true, true}, {false, true, true, true}};
    assert_int_equal(schedule.periods, 3);
    assert_int_equal(schedule.first[0], 0);
    assert_int_equal(schedule.first[1], 99);
    assert_int_equal(schedule.first[2], 499);
    assert_memory_equal(schedule.there, there, sizeof there);
    lotor_arm_schedule_clear(&schedule);
    schedule = schedule_of("1:-0,3:+0,4:-0", 2); /* away from the first round on, back, and away */
    static const bool again[3][2] = {{false, true}, {true, true}, {false, true}};
    assert_int_equal(schedule.periods, 3);
    assert_memory_equal(schedule.there, again, sizeof again);
    lotor_arm_schedule_clear(&schedule);
    schedule = schedule_of(NULL, 2);
    assert_int_equal(schedule.periods, 0);
    lotor_arm_schedule_clear(&schedule);
    lotor_arm_schedule_clear(&schedule);
}

TEST(refusals)
{
    static const struct {
        const char *text, *says;
    } cases[] = {{"", "expected ROUND:+ARM"},
                 {"5", "expected"},
                 {"5:", "expected"},
                 {"5:2", "expected"},
                 {"5:+", "expected"},
                 {"5:+x", "expected"},
                 {"0:+1", "expected"},
                 {"1.5:+1", "expected"},
                 {"1e99:+1", "expected"},
                 {"nan:+1", "expected"},
                 {"9:+1,", "expected"},
                 {"9:+1,8:-1", "expected"},
                 {"9:+1 ", "expected"},
                 {"9:+4294967296", "expected"},
                 {"9:+3", "there is no arm 3; the arms are 0 to 2"},
                 {"9:+1,10:+1", "in round 10 arm 1 is there already"},
                 {"9:-1,10:-1", "in round 10 arm 1 is gone already"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        lotor_arm_schedule schedule;
        lotor_message why = {""};
        assert_int_equal(lotor_arm_schedule_read(cases[i].text, 3, &why, &schedule), LOTOR_INVALID);
        assert_memory_equal(why.text, "schedule \"", 10);
        if (!strstr(why.text, cases[i].says)) {
            fail_msg("%s: %s", cases[i].text, why.text);
        }
        lotor_arm_schedule_clear(&schedule);
    }
    lotor_arm_schedule schedule = schedule_of("5:-0,7:-1", 3);
    lotor_message why = {""};
    assert_int_equal(lotor_arm_schedule_check(&schedule, 1, 10, &why), LOTOR_OK);
    assert_int_equal(lotor_arm_schedule_check(&schedule, 2, 6, &why), LOTOR_OK);
    assert_int_equal(lotor_arm_schedule_check(&schedule, 2, 7, &why), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "in round 7 there are too few arms (1 of at least 2)"));
    lotor_arm_schedule_clear(&schedule);
}

/* --- regret ------------------------------------------------------------------------------------- */

static lotor_simulate_result *run(const lotor_simulate_params *params)
{
    lotor_simulate_result *result;
    lotor_message why = {""};
    if (lotor_simulate_run(params, &why, &result) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return result;
}

/* One arm at a time: there is no choice, so no regret; 10 rounds pay 0.2, 20 pay 0.5, 70 pay 0.8. */
TEST(without_a_choice_there_is_no_regret)
{
    static const double means[] = {0.2, 0.5, 0.8};
    const lotor_simulate_params params = {.policy = {.algorithm = "ucb", .arms = 3, .horizon = 100},
                                          .means = means,
                                          .schedule = "11:-0,11:+1,31:-1,31:+2"};
    lotor_simulate_result *result = run(&params);
    assert_true(fabs(result->regret) < 1e-9);
    assert_true(fabs(result->per_round - 0.68) < 1e-12);
    assert_true(fabs(result->best_per_round - 0.68) < 1e-12);
    assert_true(isnan(result->lower_bound));
    lotor_simulate_free(result);
}

/* Sure rewards, and no exploration that is due: arms of means 1 and 0, and the arm of mean 1 goes after
 * half of the rounds. Before, ucb shows the arm of mean 0 now and then; after, nothing is lost. */
TEST(regret_is_against_the_arms_of_the_round)
{
    static const double means[] = {1, 0};
    lotor_simulate_params params = {.policy = {.algorithm = "ucb", .arms = 2, .horizon = 500},
                                    .means = means};
    lotor_simulate_result *half = run(&params);
    params.policy.horizon = 1000;
    params.schedule = "501:-0";
    lotor_simulate_result *all = run(&params);
    assert_true(half->regret > 0 && fabs(half->regret - all->regret) < 1e-9);
    lotor_simulate_free(half);
    lotor_simulate_free(all);
}

/* Arms that are not there are never shown, by any algorithm that plays with a schedule. Algorithms
 * that eliminate arms are refused. An arm that comes late, and is the best, is found. */
TEST(every_algorithm)
{
    enum { HORIZON = 3000, LATE = 1001 };
    static const double means[] = {0.3, 0.5, 0.9};
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const lotor_algorithm *row = &lotor_algorithms[c];
        if (!lotor_algorithm_plays(row, LOTOR_PROBLEM_FINITE) || row->linear) {
            continue;
        }
        lotor_simulate_params params = {
            .policy = {.algorithm = row->id, .arms = 3, .horizon = HORIZON},
            .means = means,
            .schedule = "1001:+2,2001:-2",
            .checkpoints_at = "1000,2000,3000",
            .shown_at_checkpoints = true,
            .runs = 4,
            .seed = 1};
        if (row->model != LOTOR_MODEL_NONE) {
            params.policy.epsilon = lotor_ratio_of(100, 1);
        }
        lotor_simulate_result *result;
        lotor_message why = {""};
        const lotor_status status = lotor_simulate_run(&params, &why, &result);
        if (row->elimination || row->starts_exact) {
            assert_int_equal(status, LOTOR_INVALID);
            assert_memory_equal(why.text, "schedule: ", 10);
            assert_non_null(strstr(why.text, row->id));
            continue;
        }
        if (status != LOTOR_OK) {
            fail_msg("%s: %s", row->id, why.text);
        }
        for (uint64_t r = 0; r < result->runs; r++) {
            const uint64_t *shown = result->shown_at + r * 9;
            assert_int_equal(shown[0] + shown[1], 1000);
            assert_int_equal(shown[2], 0);
            assert_true(shown[3 + 2] > 0);
            assert_int_equal(shown[3 + 2], shown[6 + 2]);
        }
        lotor_simulate_free(result);
    }
}

/* Sets: two of four arms, a cascade, and a matroid whose group is empty for a time. */
TEST(sets_of_arms)
{
    static const double means[] = {0.9, 0.6, 0.5, 0.1};
    static const char *const ids[] = {"lik-imed", "rr-imed", "cascade-ucb", "cucb", "omm"};
    for (size_t i = 0; i < LENGTH(ids); i++) {
        const lotor_simulate_params params = {
            .policy = {.algorithm = ids[i], .arms = 4, .slots = 2, .horizon = 400},
            .means = means,
            .schedule = "101:-0,301:+0",
            .runs = 3};
        lotor_simulate_result *result = run(&params);
        const double all = i == 2 ? 1 - 0.1 * 0.4 : 1.5, some = i == 2 ? 1 - 0.4 * 0.5 : 1.1;
        assert_true(fabs(result->best_per_round - (all + some) / 2) < 1e-12);
        assert_true(result->regret > -1e-9);
        lotor_simulate_free(result);
    }
    static const uint32_t group[] = {0, 0, 1, 1}, capacity[] = {1, 1};
    const lotor_simulate_params params = {.policy = {.algorithm = "omm",
                                                     .arms = 4,
                                                     .horizon = 400,
                                                     .structure = LOTOR_STRUCTURE_PARTITION,
                                                     .group = group,
                                                     .capacity = capacity,
                                                     .groups = 2},
                                          .means = means,
                                          .schedule = "201:-2,201:-3"};
    lotor_simulate_result *result = run(&params);
    assert_true(fabs(result->best_per_round - (1.4 + 0.9) / 2) < 1e-12);
    lotor_simulate_free(result);
}

/* A policy that the service would draw from, and one that keeps its rounds, show the same arms if both
 * get the same masks, feedback and noise. */
TEST(the_service_plays_the_same)
{
    enum { ARMS = 4, ROUNDS = 600 };
    static const char *const ids[] = {"lik-imed", "batch-klucb", "adap-ucb"};
    lotor_arm_schedule schedule = schedule_of("50:-0,120:+0,200:+3,400:-1", ARMS);
    for (size_t i = 0; i < LENGTH(ids); i++) {
        const lotor_policy_params params = {
            .algorithm = ids[i], .arms = ARMS, .horizon = ROUNDS, .epsilon = lotor_ratio_of(2, 1)};
        lotor_generator one, two, rewards;
        lotor_generator_seed(&one, 5);
        lotor_generator_seed(&two, 5);
        lotor_generator_seed(&rewards, 6);
        lotor_message why = {""};
        lotor_policy *served, *own;
        assert_int_equal(lotor_policy_new_simulated(&params, 1, &one, 9, &why, &served), LOTOR_OK);
        assert_int_equal(lotor_policy_new_simulated(&params, 1, &two, 9, &why, &own), LOTOR_OK);
        for (uint64_t t = 0, p = 0; t < ROUNDS; t++) {
            p += p + 1 < schedule.periods && t == schedule.first[p + 1];
            const bool *eligible = schedule.there + p * ARMS;
            lotor_decision ours, theirs;
            assert_int_equal(lotor_policy_choose_among(own, eligible, &why, &ours), LOTOR_OK);
            assert_int_equal(lotor_policy_draw(served, NULL, eligible, &why, &theirs), LOTOR_OK);
            assert_int_equal(ours.event, t + 1);
            assert_int_equal(ours.arms[0], theirs.arms[0]);
            assert_int_equal(ours.asked[0], theirs.asked[0]);
            assert_true(eligible[ours.arms[0]]);
            const double reward = (lotor_generator_word(&rewards) >> 60) < 4 * ours.arms[0];
            const lotor_feedback feedback = {&reward, 1, 0};
            const uint32_t arm = theirs.asked[0];
            const lotor_display display = {
                .arms = &arm, .count = 1, .asked = &arm, .asked_count = 1};
            int64_t units[4];
            size_t used;
            assert_int_equal(lotor_policy_encode(served, &display, &feedback, &why, units, &used),
                             LOTOR_OK);
            assert_int_equal(lotor_policy_enter(served, &display, units, used, &why), LOTOR_OK);
            assert_int_equal(lotor_policy_observe(own, ours.event, &feedback, &why), LOTOR_OK);
            assert_int_equal(lotor_policy_expire(own, ours.event, &why), LOTOR_OK);
        }
        lotor_policy_free(served);
        lotor_policy_free(own);
    }
    lotor_arm_schedule_clear(&schedule);
}

/* With delays, lost feedback and a world that changes; threads change nothing. */
TEST(together_with_everything_else)
{
    static const double means[] = {0.3, 0.5, 0.9};
    lotor_simulate_params params = {.policy = {.algorithm = "lik-imed", .arms = 3, .horizon = 2000},
                                    .means = means,
                                    .schedule = "500:+2,1500:-0",
                                    .world = "drift:3",
                                    .delay = "geometric:5",
                                    .rewards = "gaussian:0.3",
                                    .has_expiry = true,
                                    .expiry = 20,
                                    .missing = 0.1,
                                    .runs = 5,
                                    .seed = 2,
                                    .threads = 1};
    lotor_simulate_result *one = run(&params);
    params.threads = 3;
    lotor_simulate_result *three = run(&params);
    assert_true(one->regret == three->regret && one->regret > 0);
    lotor_simulate_free(one);
    lotor_simulate_free(three);
}

TEST(problems_that_take_no_schedule)
{
    static const struct {
        lotor_simulate_params params;
        const char *says;
    } cases[] = {
        {{.policy = {.algorithm = "dp-se", .horizon = 100}, .instance = "c1", .schedule = "9:-0"},
         "dp-se shows its arms in turn"},
        {{.policy = {.algorithm = "cucb", .horizon = 100},
          .instance = "grid:3x3",
          .schedule = "9:-0"},
         "not for a path"},
        {{.policy = {.algorithm = "linucb", .horizon = 100}, .schedule = "9:-0"},
         "new actions in every round"},
        {{.policy = {.algorithm = "ucb", .horizon = 100}, .instance = "c1", .schedule = "9:-5"},
         "there is no arm 5"},
        {{.policy = {.algorithm = "cucb", .horizon = 100, .slots = 5},
          .instance = "c1",
          .schedule = "9:-0"},
         "in round 9 there are too few arms (4 of at least 5)"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        lotor_simulate_result *result;
        lotor_message why = {""};
        assert_int_equal(lotor_simulate_run(&cases[i].params, &why, &result), LOTOR_INVALID);
        assert_null(result);
        if (strncmp(why.text, "schedule", 8) != 0 || !strstr(why.text, cases[i].says)) {
            fail_msg("%zu: %s", i, why.text);
        }
    }
}
