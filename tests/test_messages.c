/* test_messages.c - no message of the library contains what a person answered.
 *
 * Messages reach logs, and logs are read by people who may not see feedback. Every call that takes
 * feedback, a context or a report gets a value that is not valid and that no message would contain
 * by chance. The message must be there, and the value must not be in it.
 */
#include "support/test.h"

#include <lotor/counter.h>
#include <lotor/randomizer.h>
#include <lotor/stopping.h>
#include <math.h>
#include <string.h>

#include "support/rows.h"
#include "support/served.h"

#define DIGITS "9473"
enum { WHOLE = 9473 };
static const double values[] = {WHOLE, -WHOLE, (double)WHOLE + 0.625, 94.73e6};
enum { VALUES = sizeof values / sizeof *values };

static test_source source;

static void assert_silent(lotor_status status, const lotor_message *why, const char *where)
{
    if (status == LOTOR_OK || strlen(why->text) < 10 || strstr(why->text, DIGITS)) {
        fail_msg("%s: %s: \"%s\"", where, lotor_status_name(status), why->text);
    }
}

/* --- policies ----------------------------------------------------------------------------------- */

static void observe_badly(lotor_policy *policy, const lotor_decision *decision)
{
    const char *id = policy->algorithm->id;
    lotor_message why = {""};
    if (policy->coder.hears_clicks) {
        const lotor_feedback feedback = {.click = WHOLE};
        assert_silent(lotor_policy_observe(policy, decision->event, &feedback, &why), &why, id);
        return;
    }
    for (size_t v = 0; v < VALUES; v++) {
        for (size_t bad = 0; bad < decision->asked_count; bad++) {
            double rewards[ROWS_ARMS];
            for (size_t i = 0; i < decision->asked_count; i++) {
                rewards[i] = i == bad ? values[v] : rows_reward(policy, decision->event, i);
            }
            why.text[0] = '\0';
            const lotor_feedback feedback = {rewards, decision->asked_count, 0};
            assert_silent(lotor_policy_observe(policy, decision->event, &feedback, &why), &why, id);
        }
    }
}

static void choose_badly(lotor_policy *policy)
{
    double room[ROWS_ARMS * ROWS_DIMENSION];
    const double *given = rows_context(policy, 1, room);
    for (size_t v = 0; given && v < VALUES; v++) {
        lotor_message why = {""};
        lotor_decision decision = {.hold = 1};
        memset(room, 0, sizeof room);
        room[4] = values[v];
        assert_silent(lotor_policy_choose(policy, room, &why, &decision), &why,
                      policy->algorithm->id);
    }
}

static void expect_silence(const lotor_policy_params *params)
{
    test_source_seed(&source, 1);
    lotor_policy *policy = rows_make(params, &source);
    lotor_decision decision = {.hold = 1};
    choose_badly(policy);
    assert_int_equal(rows_choose(policy, 1, NULL, &decision), LOTOR_OK);
    observe_badly(policy, &decision);
    assert_int_equal(rows_observe(policy, decision.event, decision.asked_count), LOTOR_OK);
    observe_badly(policy, &decision); /* there is an answer */
    assert_int_equal(lotor_policy_expire(policy, decision.event, NULL), LOTOR_OK);
    observe_badly(policy, &decision); /* it is too late */
    lotor_policy_free(policy);
}

TEST(policies_do_not_repeat_feedback_or_contexts)
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        lotor_policy_params params = rows_params(&lotor_algorithms[c], 300);
        expect_silence(&params);
        if (lotor_algorithms[c].problem == LOTOR_PROBLEM_ANY) {
            params = rows_list_params(&lotor_algorithms[c], 300);
            expect_silence(&params);
        }
    }
}

/* --- the service's way --------------------------------------------------------------------------- */

static void encode_badly(const lotor_policy *policy, const served_round *round)
{
    const lotor_display display = served_display(policy, round);
    const char *id = policy->algorithm->id;
    int64_t units[2 * ROWS_ARMS];
    size_t used;
    for (size_t v = 0; v < VALUES; v++) {
        double rewards[ROWS_ARMS];
        int64_t report[ROWS_ARMS];
        for (size_t i = 0; i < ROWS_ARMS; i++) {
            rewards[i] = values[v];
            report[i] = (int64_t)values[v] * 10000000000; /* the digits stay */
        }
        lotor_message why = {""};
        const lotor_feedback given = {rewards, round->asked_count, 0}, click = {.click = WHOLE};
        assert_silent(lotor_policy_encode(policy, &display, &given, &why, units, &used), &why, id);
        why.text[0] = '\0';
        assert_silent(lotor_policy_encode(policy, &display, &click, &why, units, &used), &why, id);
        for (size_t count = 1; count <= ROWS_ARMS; count++) {
            why.text[0] = '\0';
            assert_silent(
                lotor_policy_encode_report(policy, &display, report, count, &why, units, &used),
                &why, id);
        }
    }
}

static void expect_silent_service(const lotor_policy_params *params)
{
    test_source_seed(&source, 2);
    lotor_policy *policy = rows_make(params, &source);
    served_round round;
    double room[ROWS_ARMS * ROWS_DIMENSION];
    for (size_t v = 0; rows_context(policy, 1, room) && v < VALUES; v++) {
        lotor_message why = {""};
        lotor_decision decision = {.hold = 1};
        room[4] = values[v];
        assert_silent(lotor_policy_draw(policy, room, NULL, &why, &decision), &why,
                      params->algorithm);
    }
    served_draw(policy, 1, NULL, &round);
    encode_badly(policy, &round);
    lotor_display display = served_display(policy, &round);
    const int64_t units[2 * ROWS_ARMS] = {WHOLE * INT64_C(10000000000),
                                          WHOLE * INT64_C(10000000000)};
    double action[ROWS_DIMENSION] = {WHOLE};
    display.action = display.action ? action : NULL;
    lotor_message why = {""};
    assert_silent(lotor_policy_enter(policy, &display, units, policy->linear ? 1 : 2, &why), &why,
                  params->algorithm);
    lotor_policy_free(policy);
}

TEST(served_policies_do_not_repeat_feedback_or_contexts)
{
    served_each(300, expect_silent_service);
}

/* --- counters, stopping rules, devices ------------------------------------------------------------ */

TEST(counters_and_rules_do_not_repeat_values)
{
    const lotor_counter_params counts = {
        .mechanism = "hybrid", .epsilon = lotor_ratio_of(1, 1), .low = 0.0, .high = 1.0};
    const lotor_stopping_params stops = {
        .rule = "dp-nas", .alpha = 0.1, .beta = 0.1, .epsilon = lotor_ratio_of(1, 1), .range = 1.0};
    lotor_counter *counter;
    lotor_stopping *rule;
    assert_int_equal(lotor_counter_new(&counts, NULL, &counter), LOTOR_OK);
    assert_int_equal(lotor_stopping_new(&stops, NULL, &rule), LOTOR_OK);
    for (size_t v = 0; v < VALUES; v++) {
        lotor_message why = {""};
        bool stopped;
        assert_silent(lotor_counter_add(counter, values[v], &why), &why, "counter");
        why.text[0] = '\0';
        assert_silent(lotor_stopping_add(rule, values[v], &why, &stopped), &why, "stopping rule");
    }
    lotor_counter_free(counter);
    lotor_stopping_free(rule);
}

TEST(devices_do_not_repeat_answers)
{
    static const char *const mechanisms[] = {"bit", "position", "laplace", "cube"};
    for (size_t m = 0; m < 4; m++) {
        const lotor_randomizer asks = {.mechanism = mechanisms[m],
                                       .epsilon = lotor_ratio_of(1, 1),
                                       .low = 0.0,
                                       .high = 1.0,
                                       .unit = 0x1p-20,
                                       .scale = UINT64_C(3) << 20,
                                       .slots = 3};
        for (size_t v = 0; v < VALUES; v++) {
            int64_t report[3];
            size_t count;
            lotor_message why = {""};
            const lotor_feedback reward = {&values[v], 1, 0}, click = {.click = WHOLE};
            assert_silent(lotor_randomizer_report(&asks, &reward, &why, report, &count), &why,
                          mechanisms[m]);
            why.text[0] = '\0';
            assert_silent(lotor_randomizer_report(&asks, &click, &why, report, &count), &why,
                          mechanisms[m]);
        }
    }
}
