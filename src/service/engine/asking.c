/* asking.c - what a ranking was asked with (user, eligible arms, context), read for the writer. */
#include "service/engine/engine_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct asking_reader {
    const lotor_campaign *campaign;
    lotor_refusal *refusal;
    char before[40]; /* "requests[3]." in a batch */
} asking_reader;

static bool refuse(asking_reader *reading, lotor_code code, const char *field, const char *message)
{
    char full[64];
    snprintf(full, sizeof full, "%s%s", reading->before, field);
    lotor_refuse(reading->refusal, code, full, "%s", message);
    return false;
}

static bool refuse_memory(asking_reader *reading)
{
    lotor_refuse(reading->refusal, LOTOR_CODE_INTERNAL, "",
                 "the server has no memory left: try again");
    return false;
}

static bool read_eligible(asking_reader *reading, const json_t *list, lotor_asking *out)
{
    if (!json_is_array(list)) {
        return refuse(reading, LOTOR_CODE_BAD_VALUE, "eligible",
                      "expected a list of arm ids, such as [\"a\", \"b\"]");
    }
    out->eligible = calloc(reading->campaign->arms, sizeof *out->eligible);
    if (!out->eligible) {
        return refuse_memory(reading);
    }
    size_t i;
    json_t *id;
    json_array_foreach(list, i, id)
    {
        const char *text = json_string_value(id);
        size_t arm = text ? lotor_spec_arm(reading->campaign->spec, text) : SIZE_MAX;
        if (arm == SIZE_MAX) {
            char field[40];
            snprintf(field, sizeof field, "eligible[%zu]", i);
            return refuse(
                reading, LOTOR_CODE_BAD_VALUE, field,
                "this is no arm of the campaign: see GET /v1/campaigns/NAME for its arms");
        }
        out->eligible[arm] = true;
    }
    return true;
}

static bool read_row(asking_reader *reading, const json_t *row, double *out)
{
    size_t dimension = reading->campaign->dimension;
    if (json_array_size(row) != dimension) {
        return false;
    }
    for (size_t i = 0; i < dimension; i++) {
        const json_t *number = json_array_get(row, i);
        if (!json_is_number(number)) {
            return false;
        }
        out[i] = json_number_value(number);
    }
    return true;
}

/* Arms without a row can't be shown: they are taken out of the eligible ones, and an arm that must have
 * one is asked for. */
static bool read_context(asking_reader *reading, const json_t *context, lotor_asking *out)
{
    const lotor_campaign *campaign = reading->campaign;
    if (!json_is_object(context)) {
        return refuse(reading, context ? LOTOR_CODE_BAD_VALUE : LOTOR_CODE_MISSING_FIELD, "context",
                      "expected an object with a list of numbers for each arm id");
    }
    bool *has_row = calloc(campaign->arms, sizeof *has_row);
    out->context = calloc(campaign->arms * campaign->dimension, sizeof *out->context);
    if (!has_row || !out->context) {
        free(has_row);
        return refuse_memory(reading);
    }
    bool fine = true;
    const char *id;
    json_t *row;
    json_object_foreach((json_t *)context, id, row)
    {
        size_t arm = lotor_spec_arm(campaign->spec, id);
        if (arm == SIZE_MAX || !read_row(reading, row, out->context + arm * campaign->dimension)) {
            fine = refuse(reading, LOTOR_CODE_BAD_VALUE, "context",
                          arm == SIZE_MAX
                              ? "a key is no arm of the campaign"
                              : "each arm needs a list of as many numbers as the campaign's "
                                "dimension");
            break;
        }
        has_row[arm] = true;
    }
    for (size_t i = 0; fine && i < campaign->spec->arm_count; i++) {
        bool may_show = !campaign->spec->arms[i].paused && (!out->eligible || out->eligible[i]);
        if (may_show && !has_row[i]) {
            fine =
                refuse(reading, LOTOR_CODE_MISSING_FIELD, "context",
                       "an arm that may be shown has no numbers: give a list for each, or name the "
                       "arms that may be shown in `eligible`");
        }
    }
    if (out->eligible) {
        for (size_t i = 0; i < campaign->arms; i++) {
            has_row[i] = has_row[i] && out->eligible[i];
        }
        free(out->eligible);
    }
    out->eligible = has_row;
    return fine;
}

static bool read_one(asking_reader *reading, lotor_engine *engine, const lotor_ranking *ranking,
                     lotor_asking *out)
{
    const lotor_campaign *campaign = reading->campaign;
    if (campaign->spec->rounds_per_user) {
        if (!ranking->user) {
            return refuse(reading, LOTOR_CODE_MISSING_FIELD, "user",
                          "this campaign caps the rounds of a user: say who asks");
        }
        lotor_vault_user(engine->vault, campaign->id, ranking->user, ranking->user_length,
                         out->user);
    }
    if (ranking->eligible && !read_eligible(reading, ranking->eligible, out)) {
        return false;
    }
    if (campaign->dimension) {
        return read_context(reading, ranking->context, out);
    }
    return !ranking->context || refuse(reading, LOTOR_CODE_UNKNOWN_FIELD, "context",
                                       "this campaign's algorithm takes no context");
}

lotor_when lotor_ask_writer(lotor_engine *engine, lotor_campaign *campaign, lotor_ranking *rankings,
                            size_t count, bool is_plain, lotor_job *job)
{
    lotor_work *work = calloc(1, sizeof *work);
    lotor_asking *asking = calloc(count, sizeof *asking);
    if (!work || !asking) {
        free(work);
        free(asking);
        return lotor_no_memory(job);
    }
    *work = (lotor_work){.campaign = campaign,
                         .rankings = rankings,
                         .asking = asking,
                         .count = count,
                         .is_plain = is_plain};
    asking_reader reading = {campaign, &job->refusal, ""};
    pthread_mutex_lock(&campaign->lock);
    bool fine = !campaign->closed;
    if (!fine) {
        lotor_refuse(&job->refusal, LOTOR_CODE_CLOSED, "", "the campaign is closed");
    }
    for (size_t i = 0; fine && i < count; i++) {
        if (count > 1) {
            snprintf(reading.before, sizeof reading.before, "requests[%zu].", i);
        }
        fine = read_one(&reading, engine, &rankings[i], &asking[i]);
    }
    pthread_mutex_unlock(&campaign->lock);
    if (!fine) {
        lotor_work_free(work);
        return LOTOR_NOW;
    }
    return lotor_engine_queue(engine, job, LOTOR_KIND_RANK, work);
}
