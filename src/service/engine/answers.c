/* answers.c - reward: what came back is read and checked in the caller's thread, as far as that needs no
 * policy; the writer does the rest (record.c). */
#include "service/engine/engine_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "service/spec/fields.h"

typedef struct answer_reader {
    lotor_engine *engine;
    lotor_work *work;
    lotor_refusal *refusal;
    char before[40]; /* "rewards[3]." in a batch */
} answer_reader;

static bool refuse(answer_reader *reading, lotor_code code, const char *field, const char *message)
{
    char full[LOTOR_FIELD_ROOM];
    snprintf(full, sizeof full, "%s%s", reading->before, field);
    lotor_refuse(reading->refusal, code, full, "%s", message);
    return false;
}

static bool refuse_memory(answer_reader *reading)
{
    lotor_refuse_memory(reading->refusal);
    return false;
}

static bool keep(answer_reader *reading, const void *number)
{
    int64_t bits;
    memcpy(&bits, number, sizeof bits);
    return lotor_numbers_add(&reading->work->numbers, &bits, 1) || refuse_memory(reading);
}

static bool read_rewards(answer_reader *reading, const json_t *list, lotor_told *told)
{
    if (!json_is_array(list)) {
        return refuse(reading, LOTOR_CODE_BAD_VALUE, "rewards",
                      "expected a list of numbers, one for each arm that was shown");
    }
    told->form = LOTOR_FORM_REWARDS;
    told->at = reading->work->numbers.count;
    told->count = json_array_size(list);
    for (size_t i = 0; i < told->count; i++) {
        const json_t *item = json_array_get(list, i);
        double reward = json_is_number(item) ? json_number_value(item) : NAN;
        if (!(reward >= told->campaign->low && reward <= told->campaign->high)) {
            char field[32], low[LOTOR_DIGITS_ROOM], high[LOTOR_DIGITS_ROOM];
            char expected[120];
            snprintf(field, sizeof field, "rewards[%zu]", i);
            snprintf(expected, sizeof expected, "expected a number from %s to %s",
                     lotor_digits(told->campaign->low, low),
                     lotor_digits(told->campaign->high, high));
            return refuse(reading, LOTOR_CODE_BAD_VALUE, field, expected);
        }
        if (!keep(reading, &reward)) {
            return false;
        }
    }
    return true;
}

/* Which of the shown arms it was is the writer's to find; no click is an empty name. */
static bool read_click(answer_reader *reading, const json_t *click, lotor_told *told)
{
    const char *id = json_string_value(click);
    if (!json_is_null(click) && (!id || !*id || strlen(id) > LOTOR_NAME_MOST)) {
        return refuse(reading, LOTOR_CODE_BAD_VALUE, "click",
                      "expected the id of an arm that was shown, or null for no click");
    }
    lotor_work *work = reading->work;
    if (!work->texts && !(work->texts = calloc(work->count, LOTOR_NAME_MOST + 1))) {
        return refuse_memory(reading);
    }
    told->form = LOTOR_FORM_CLICK;
    told->at = work->text_count++;
    snprintf(work->texts + told->at * (LOTOR_NAME_MOST + 1), LOTOR_NAME_MOST + 1, "%s",
             id ? id : "");
    return true;
}

static bool read_report(answer_reader *reading, const json_t *report, lotor_told *told)
{
    bool is_list = json_is_array(report);
    told->form = LOTOR_FORM_REPORT;
    told->at = reading->work->numbers.count;
    told->count = is_list ? json_array_size(report) : 1;
    for (size_t i = 0; i < told->count; i++) {
        const json_t *item = is_list ? json_array_get(report, i) : report;
        if (!json_is_integer(item)) {
            return refuse(reading, LOTOR_CODE_BAD_VALUE, "report",
                          "expected an integer, or a list of integers, as the randomizer makes it");
        }
        int64_t number = json_integer_value(item);
        if (!keep(reading, &number)) {
            return false;
        }
    }
    return true;
}

static const char *form_of(const lotor_campaign *campaign)
{
    return campaign->is_local ? "report" : campaign->hears_clicks ? "click" : "rewards";
}

static bool read_answer(answer_reader *reading, const json_t *answer, lotor_told *told)
{
    const char *wanted = form_of(told->campaign);
    const json_t *value = json_object_get(answer, wanted);
    if (told->campaign->is_local &&
        (json_object_get(answer, "rewards") || json_object_get(answer, "click"))) {
        return refuse(
            reading, LOTOR_CODE_RAW_FEEDBACK,
            json_object_get(answer, "rewards") ? "rewards" : "click",
            "feedback of this campaign is randomized before it is sent: send `report`, as "
            "the ranking's `randomizer` says");
    }
    if (!json_is_object(answer) || !value) {
        char expected[80];
        snprintf(expected, sizeof expected, "this campaign's answers have the field `%s`", wanted);
        return refuse(reading, LOTOR_CODE_MISSING_FIELD, wanted, expected);
    }
    if (json_object_size(answer) != 1) {
        char expected[80];
        snprintf(expected, sizeof expected, "an answer has the field `%s` and no other", wanted);
        return refuse(reading, LOTOR_CODE_UNKNOWN_FIELD, "", expected);
    }
    return told->campaign->is_local       ? read_report(reading, value, told)
           : told->campaign->hears_clicks ? read_click(reading, value, told)
                                          : read_rewards(reading, value, told);
}

static bool read_one(answer_reader *reading, const lotor_reward *reward, lotor_told *told)
{
    bool is_ours = lotor_vault_read_token(reading->engine->vault, reward->event, &told->event);
    told->campaign = is_ours ? lotor_table_find_id(reading->engine, told->event.campaign) : NULL;
    if (is_ours && !told->campaign && reading->engine->is_shared) {
        return refuse(reading, LOTOR_CODE_STORE, "event",
                      "this campaign was made on another server just now: try again");
    }
    if (!told->campaign) {
        return refuse(reading, LOTOR_CODE_NO_SUCH_EVENT, "event",
                      "this is no event of this server: send what `rank` gave");
    }
    return read_answer(reading, reward->answer, told);
}

lotor_when lotor_engine_reward(lotor_engine *engine, const lotor_reward *rewards, size_t count,
                               bool is_batch, lotor_job *job)
{
    job->refusal.code = LOTOR_CODE_NONE;
    if (count == 0) {
        return LOTOR_NOW;
    }
    lotor_work *work = calloc(1, sizeof *work);
    lotor_told *told = calloc(count, sizeof *told);
    if (!work || !told) {
        free(work);
        free(told);
        return lotor_no_memory(job);
    }
    work->told = told;
    work->count = count;
    work->is_batch = is_batch;
    answer_reader reading = {engine, work, &job->refusal, ""};
    for (size_t i = 0; i < count; i++) {
        if (is_batch) {
            snprintf(reading.before, sizeof reading.before, "rewards[%zu].", i);
        }
        if (!read_one(&reading, &rewards[i], &told[i])) {
            lotor_work_free(work);
            return LOTOR_NOW;
        }
    }
    return lotor_engine_queue(engine, job, LOTOR_KIND_REWARD, work);
}
