/* served.c - see served.h. */
#include "support/served.h"

#include <string.h>

#include "privacy/local/randomize.h"
#include "support/cmocka_all.h"

lotor_display served_display(const lotor_policy *policy, const served_round *round)
{
    return (lotor_display){round->arms, round->count, round->asked, round->asked_count,
                           policy->linear ? round->action : NULL};
}

void served_copy(const lotor_policy *policy, uint64_t round, const lotor_decision *decision,
                 served_round *out)
{
    assert_true(decision->count > 0 && decision->count <= ROWS_ARMS);
    assert_true(decision->asked_count > 0 && decision->asked_count <= decision->count);
    *out = (served_round){
        .event = decision->event, .count = decision->count, .asked_count = decision->asked_count};
    memcpy(out->arms, decision->arms, decision->count * sizeof *out->arms);
    memcpy(out->asked, decision->asked, decision->asked_count * sizeof *out->asked);
    double room[ROWS_ARMS * ROWS_DIMENSION];
    const double *context = rows_context(policy, round, room);
    if (context) {
        memcpy(out->action, context + out->arms[0] * policy->params.dimension,
               policy->params.dimension * sizeof *context);
    }
}

void served_draw(lotor_policy *policy, uint64_t round, const bool *eligible, served_round *out)
{
    double room[ROWS_ARMS * ROWS_DIMENSION];
    lotor_message why = {""};
    lotor_decision decision;
    if (lotor_policy_draw(policy, rows_context(policy, round, room), eligible, &why, &decision) !=
        LOTOR_OK) {
        fail_msg("%s: %s", policy->algorithm->id, why.text);
    }
    served_copy(policy, round, &decision, out);
}

static lotor_feedback feedback_of(const lotor_policy *policy, const served_round *round,
                                  double rewards[ROWS_ARMS])
{
    if (policy->params.cascade) {
        return (lotor_feedback){.click = rows_click(policy, round->event)};
    }
    for (size_t i = 0; i < round->asked_count; i++) {
        rewards[i] = rows_reward(policy, round->event, i);
    }
    return (lotor_feedback){rewards, round->asked_count, 0};
}

size_t served_encode(const lotor_policy *policy, const served_round *round, lotor_source *source,
                     int64_t units[2 * ROWS_ARMS])
{
    const lotor_display display = served_display(policy, round);
    double rewards[ROWS_ARMS];
    const lotor_feedback feedback = feedback_of(policy, round, rewards);
    lotor_message why = {""};
    lotor_randomizer randomizer;
    size_t used = 0;
    lotor_status status;
    if (lotor_policy_randomizer(policy, &display, &randomizer)) {
        int64_t report[ROWS_ARMS + 1];
        size_t count;
        status = lotor_randomize(&randomizer, &feedback, source, &why, report, &count);
        if (status == LOTOR_OK) {
            status =
                lotor_policy_encode_report(policy, &display, report, count, &why, units, &used);
        }
    } else {
        status = lotor_policy_encode(policy, &display, &feedback, &why, units, &used);
    }
    if (status != LOTOR_OK) {
        fail_msg("%s: %s", policy->algorithm->id, why.text);
    }
    assert_true(used >= 1 && used <= lotor_policy_width(policy));
    return used;
}

void served_enter(lotor_policy *policy, const served_round *round, bool answered,
                  lotor_source *source)
{
    int64_t units[2 * ROWS_ARMS];
    const size_t used = answered ? served_encode(policy, round, source, units) : 0;
    const lotor_display display = served_display(policy, round);
    lotor_message why = {""};
    if (lotor_policy_enter(policy, &display, answered ? units : NULL, used, &why) != LOTOR_OK) {
        fail_msg("%s: %s", policy->algorithm->id, why.text);
    }
}

void served_each(uint64_t horizon, void (*each)(const lotor_policy_params *params))
{
    for (size_t place = 0; lotor_serving_id(place); place++) {
        const lotor_algorithm *algorithm = lotor_algorithms_find(lotor_serving_id(place));
        lotor_policy_params params = rows_params(algorithm, horizon);
        each(&params);
        if (algorithm->problem == LOTOR_PROBLEM_ANY) {
            params = rows_list_params(algorithm, horizon);
            each(&params);
        }
        for (int s = 1; s < rows_structures(algorithm) && s <= LOTOR_STRUCTURE_CUSTOM_MATROID;
             s++) {
            params = rows_params(algorithm, horizon);
            rows_set_structure(&params, (lotor_structure)s);
            each(&params);
        }
    }
}

/* Collects facts, or checks that they are equal to those of another policy. */
typedef struct fact_list {
    const lotor_policy *other;
    size_t count;
} fact_list;

static lotor_status expect_fact(void *context, const lotor_arm_fact *released)
{
    fact_list *list = context;
    const lotor_fact *fact = lotor_board_at(list->other->board, released->statistic, released->arm);
    assert_memory_equal(&fact->value, &released->value, sizeof fact->value);
    assert_int_equal(fact->count, released->count);
    assert_int_equal(fact->time, released->time);
    list->count++;
    return LOTOR_OK;
}

void served_expect_same_facts(const lotor_policy *a, const lotor_policy *b)
{
    fact_list forth = {b, 0}, back = {a, 0};
    assert_int_equal(lotor_policy_each_fact(a, expect_fact, &forth), LOTOR_OK);
    assert_int_equal(lotor_policy_each_fact(b, expect_fact, &back), LOTOR_OK);
    assert_int_equal(forth.count, back.count);
}
