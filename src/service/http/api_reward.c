/* api_reward.c - the reward routes: they accept feedback. This file reads the events; the engine
 * checks the feedback itself. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/http/api_handlers.h"
#include "service/spec/fields.h"

static const char *const feedback_fields[] = {"rewards", "click", "report", NULL};
static const char *const events_and_feedback[] = {"event", "rewards", "click", "report", NULL};

lotor_completion lotor_api_reward(lotor_request *request)
{
    if (!lotor_api_read(request) ||
        lotor_fields_check(request->json, feedback_fields, "", LOTOR_FIELDS_PRIVATE,
                           &request->job.refusal) != LOTOR_CODE_NONE) {
        return LOTOR_COMPLETED;
    }
    const lotor_event_feedback reward = {.event = request->target, .feedback = request->json};
    return lotor_engine_reward(request->engine, &reward, 1, NULL, &request->job);
}

/* Reads one element of "rewards", or refuses it. Moves its event from the element to the array
 * `events`, which keeps the string alive. */
static lotor_code read_one(json_t *element, size_t index, json_t *events, lotor_refusal *refusal,
                           lotor_event_feedback *out)
{
    char place[LOTOR_FIELD_ROOM], field[LOTOR_FIELD_ROOM];
    lotor_field_index(place, "rewards", index);
    const lotor_code code =
        lotor_fields_check(element, events_and_feedback, place, LOTOR_FIELDS_PRIVATE, refusal);
    if (code != LOTOR_CODE_NONE) {
        return code;
    }
    json_t *const event = json_object_get(element, "event");
    if (!json_is_string(event)) {
        return lotor_field_refuse(event, lotor_field_join(field, place, "event"),
                                  "the event that a rank request returned", refusal);
    }
    if (json_array_append(events, event) != 0) {
        return lotor_refuse_memory(refusal);
    }
    json_object_del(element, "event");
    *out = (lotor_event_feedback){.event = json_string_value(event), .feedback = element};
    return LOTOR_CODE_NONE;
}

/* Items that can't be read are refused, each for itself; without memory all are. */
static lotor_code read_many(lotor_request *request, json_t *list, json_t *events,
                            lotor_event_feedback *rewards)
{
    for (size_t i = 0; i < request->count; i++) {
        if (read_one(json_array_get(list, i), i, events, &request->refusals[i], &rewards[i]) ==
            LOTOR_CODE_INTERNAL) {
            return lotor_refuse_memory(&request->job.refusal);
        }
    }
    return LOTOR_CODE_NONE;
}

lotor_completion lotor_api_rewards(lotor_request *request)
{
    static const char *const known[] = {"rewards", NULL};
    lotor_refusal *const refusal = &request->job.refusal;
    if (!lotor_api_read(request) ||
        lotor_fields_check(request->json, known, "", LOTOR_FIELDS_PRIVATE, refusal) !=
            LOTOR_CODE_NONE) {
        return LOTOR_COMPLETED;
    }
    json_t *const list = json_object_get(request->json, "rewards");
    request->is_batch = true;
    request->count = json_array_size(list);
    if (!json_is_array(list) || request->count == 0 || request->count > LOTOR_REQUEST_ITEMS_MAX) {
        char expected[64];
        snprintf(expected, sizeof expected, "an array of 1 to %d rewards, each with its event",
                 LOTOR_REQUEST_ITEMS_MAX);
        lotor_field_refuse(list, "rewards", expected, refusal);
        return LOTOR_COMPLETED;
    }
    json_t *const events = json_array();
    lotor_event_feedback *const rewards = calloc(request->count, sizeof *rewards);
    request->refusals = calloc(request->count, sizeof *request->refusals);
    lotor_completion when = LOTOR_COMPLETED;
    if (!events || !rewards || !request->refusals) {
        lotor_refuse_memory(refusal);
    } else if (read_many(request, list, events, rewards) == LOTOR_CODE_NONE) {
        when = lotor_engine_reward(request->engine, rewards, request->count, request->refusals,
                                   &request->job);
    }
    free(rewards);
    json_decref(events);
    return when;
}

/* --- the reply -------------------------------------------------------------------------------- */

static json_t *error_of(const lotor_refusal *refusal)
{
    return json_pack("{s:s, s:s?, s:s}", "code", lotor_code_name(refusal->code), "field",
                     refusal->field[0] ? refusal->field : NULL, "message", refusal->message.text);
}

/* The items that were refused, each with its index in the request. The event is not repeated: what
 * is not an event may be private. */
static json_t *list_refused(const lotor_request *request)
{
    json_t *const list = json_array();
    for (size_t i = 0; list && request->refusals && i < request->count; i++) {
        json_t *error = NULL;
        if (request->refusals[i].code == LOTOR_CODE_NONE) {
            continue;
        }
        error = error_of(&request->refusals[i]);
        if (!error || json_object_set_new(error, "index", json_integer((json_int_t)i)) != 0 ||
            json_array_append(list, error) != 0) {
            json_decref(error);
            json_decref(list);
            return NULL;
        }
        json_decref(error);
    }
    return list;
}

static const lotor_refusal *first_refusal(const lotor_request *request)
{
    size_t i = 0;
    while (request->refusals[i].code == LOTOR_CODE_NONE) {
        i++;
        assert(i < request->count);
    }
    return &request->refusals[i];
}

/* If nothing of a list was accepted, the reply is an error: that of the first item. */
static void finish_many(lotor_request *request)
{
    const size_t late = request->job.late, refused = request->job.refused;
    json_t *const list = list_refused(request);
    assert(late + refused <= request->count);
    if (refused < request->count) {
        lotor_api_reply_json(request, json_pack("{s:I, s:I, s:o}", "acknowledged",
                                                (json_int_t)(request->count - late - refused),
                                                "late", (json_int_t)late, "refused", list));
        return;
    }
    const lotor_refusal *const first = first_refusal(request);
    lotor_api_reply_json(request,
                         json_pack("{s:o, s:o}", "error", error_of(first), "refused", list));
    if (request->reply) {
        request->status = lotor_code_http(first->code);
        request->job.refusal = *first;
    }
}

/* "late" means that the round is final, so the feedback does not count. It does not tell whether
 * other feedback came before. */
void lotor_api_finish_reward(lotor_request *request)
{
    enum { ROOM = 80 + LOTOR_TARGET_MAX };
    if (request->is_batch) {
        finish_many(request);
        return;
    }
    char *const bytes = malloc(ROOM);
    int length = 0;
    assert(request->job.late <= 1);
    if (bytes) {
        length = snprintf(bytes, ROOM, "{\"event\": \"%s\", \"status\": \"%s\"}", request->target,
                          request->job.late > 0 ? "late" : "acknowledged");
    }
    lotor_api_reply_bytes(request, bytes, (size_t)length, NULL);
}
