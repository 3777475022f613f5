/* feedback.c - reads feedback from JSON and makes the checks that do not need the decision
 * (base/intake.h). */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "privacy/intake/feedback_list.h"
#include "privacy/intake/intake.h"

static bool read_rewards(lotor_feedback_list *batch, const lotor_coder *coder, const json_t *list,
                         lotor_intake_refusal *refusal)
{
    if (!json_is_array(list)) {
        return lotor_intake_refuse(refusal, LOTOR_FAULT_VALUE, "rewards",
                                   "expected a list of numbers, one for each arm that was shown");
    }
    const double least = coder->encoding.low, most = coder->encoding.high;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const double reward = json_is_number(item) ? json_number_value(item) : NAN;
        if (!(reward >= least && reward <= most)) {
            char field[32], low[LOTOR_DIGITS_ROOM], high[LOTOR_DIGITS_ROOM];
            snprintf(field, sizeof field, "rewards[%zu]", i);
            return lotor_intake_refuse(refusal, LOTOR_FAULT_VALUE, field,
                                       "expected a number from %s to %s", lotor_digits(least, low),
                                       lotor_digits(most, high));
        }
        if (!lotor_feedback_list_add_reward(batch, reward)) {
            return lotor_intake_refuse_memory(refusal);
        }
    }
    return true;
}

/* Reads the name of the clicked arm; no click is an empty name. Whether the arm was shown is
 * checked later, in lotor_intake_accept. */
static bool read_click(lotor_feedback_list *batch, const json_t *click,
                       lotor_intake_refusal *refusal)
{
    const char *id = json_string_value(click);
    if (!json_is_null(click) && (!id || !*id || strlen(id) > LOTOR_INTAKE_NAME_MAX)) {
        return lotor_intake_refuse(
            refusal, LOTOR_FAULT_VALUE, "click",
            "expected the id of an arm that was shown, or null for no click");
    }
    return lotor_feedback_list_name(batch, id ? id : "") || lotor_intake_refuse_memory(refusal);
}

static bool read_report(lotor_feedback_list *batch, const json_t *report,
                        lotor_intake_refusal *refusal)
{
    const bool is_list = json_is_array(report);
    const size_t count = is_list ? json_array_size(report) : 1;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = is_list ? json_array_get(report, i) : report;
        if (!json_is_integer(item)) {
            return lotor_intake_refuse(
                refusal, LOTOR_FAULT_VALUE, "report",
                "expected an integer, or a list of integers, as the randomizer makes it");
        }
        if (!lotor_feedback_list_add(batch, json_integer_value(item))) {
            return lotor_intake_refuse_memory(refusal);
        }
    }
    return true;
}

/* The value of the only field, if it is the field that the campaign expects; otherwise NULL. */
static const json_t *find_value(const json_t *feedback, lotor_coder_form form,
                                lotor_intake_refusal *refusal)
{
    static const char *const names[] = {
        [LOTOR_CODER_REWARDS] = "rewards",
        [LOTOR_CODER_CLICK] = "click",
        [LOTOR_CODER_REPORT] = "report",
    };
    static const char *const fields[] = {
        [LOTOR_CODER_REWARDS] = "`rewards`: one number for each shown arm",
        [LOTOR_CODER_CLICK] = "`click`: the id of the clicked arm, or null",
        [LOTOR_CODER_REPORT] = "`report`: the output of the randomizer",
    };
    const char *wanted = names[form];
    const json_t *value = json_object_get(feedback, wanted);
    const json_t *rewards = json_object_get(feedback, "rewards");
    if (form == LOTOR_CODER_REPORT && (rewards || json_object_get(feedback, "click"))) {
        (void)lotor_intake_refuse(
            refusal, LOTOR_FAULT_RAW_FEEDBACK, rewards ? "rewards" : "click",
            "feedback of this campaign is randomized before it is sent: send `report`, as the "
            "ranking's `randomizer` says");
        return NULL;
    }
    if (!value) {
        (void)lotor_intake_refuse(refusal, LOTOR_FAULT_MISSING_FIELD, wanted, "send %s",
                                  fields[form]);
        return NULL;
    }
    if (json_object_size(feedback) != 1) {
        (void)lotor_intake_refuse(refusal, LOTOR_FAULT_UNKNOWN_FIELD, "",
                                  "send %s, and no other field", fields[form]);
        return NULL;
    }
    return value;
}

bool lotor_feedback_list_read(lotor_feedback_list *batch, const lotor_intake *intake,
                              const struct json_t *feedback, lotor_intake_refusal *refusal)
{
    const lotor_coder *coder = lotor_intake_coder(intake);
    const lotor_coder_form form = lotor_coder_form_of(coder);
    lotor_intake_refuse_nothing(refusal);
    const json_t *value = find_value(feedback, form, refusal);
    if (!value) {
        return false;
    }
    if (!lotor_feedback_list_begin(batch, form)) {
        return lotor_intake_refuse_memory(refusal);
    }
    const bool fine = form == LOTOR_CODER_REPORT  ? read_report(batch, value, refusal)
                      : form == LOTOR_CODER_CLICK ? read_click(batch, value, refusal)
                                                  : read_rewards(batch, coder, value, refusal);
    if (!fine) {
        lotor_feedback_list_take_back(batch);
    }
    return fine;
}
