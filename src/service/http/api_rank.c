/* api_rank.c - the rank routes: they return the arms to show.
 *
 * This is the service's busiest code. An empty body is accepted without a JSON parser, and the
 * reply is written into one buffer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/json.h"
#include "service/http/api_handlers.h"
#include "service/http/body.h"
#include "service/http/ofrep.h"
#include "service/spec/fields.h"

enum { USER_MOST = 512, RANDOMIZER_ROOM = 384 };

static void start_ranking(lotor_ranking *ranking)
{
    ranking->user = NULL;
    ranking->user_length = 0;
    ranking->context = ranking->eligible = NULL;
    ranking->is_shared = ranking->takes_feedback = ranking->is_local = false;
    ranking->event[0] = '\0';
    ranking->expires = 0;
    ranking->count = 0;
    ranking->arms = NULL;
    ranking->role = NULL;
    ranking->propensity = 0.0;
    ranking->more = NULL;
}

static const json_t *get(const json_t *object, const char *name)
{
    const json_t *const value = json_object_get(object, name);
    return json_is_null(value) ? NULL : value;
}

/* Reads {user?, context?, eligible?}. The engine checks what is inside context and eligible. */
static lotor_code read_ranking(const json_t *object, const char *place, bool is_shared,
                               lotor_refusal *refusal, lotor_ranking *ranking)
{
    static const char *const known[] = {"user", "context", "eligible", NULL};
    char field[LOTOR_FIELD_ROOM];
    start_ranking(ranking);
    ranking->is_shared = is_shared;
    const lotor_code code = lotor_fields_check(object, known, place, LOTOR_FIELDS_PRIVATE, refusal);
    if (code != LOTOR_CODE_NONE) {
        return code;
    }
    const json_t *const user = get(object, "user");
    ranking->context = get(object, "context");
    ranking->eligible = get(object, "eligible");
    if (user && (!json_is_string(user) || json_string_length(user) == 0 ||
                 json_string_length(user) > USER_MOST)) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, lotor_field_join(field, place, "user"),
                            "expected a string of 1 to %d bytes", USER_MOST);
    }
    if (ranking->context && !json_is_object(ranking->context) && !is_shared) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE,
                            lotor_field_join(field, place, "context"),
                            "expected an object from each arm's id to its numbers");
    }
    if (ranking->eligible && !json_is_array(ranking->eligible)) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE,
                            lotor_field_join(field, place, "eligible"),
                            "expected an array of arm ids");
    }
    ranking->user = json_string_value(user);
    ranking->user_length = json_string_length(user);
    return LOTOR_CODE_NONE;
}

lotor_completion lotor_api_rank_one(lotor_request *request)
{
    request->rankings = &request->one;
    request->count = 1;
    start_ranking(&request->one);
    if (request->json && read_ranking(request->json, "", lotor_ofrep_has(request->route),
                                      &request->job.refusal, &request->one) != LOTOR_CODE_NONE) {
        return LOTOR_COMPLETED;
    }
    return lotor_engine_rank(request->engine, request->target, &request->one, 1, &request->job);
}

lotor_completion lotor_api_rank(lotor_request *request)
{
    if (!lotor_body_is_empty(request->body, request->length) && !lotor_api_read(request)) {
        return LOTOR_COMPLETED;
    }
    return lotor_api_rank_one(request);
}

/* Reads {"requests": [...]} or {"count": n}. *list is the array, or NULL for the second form. */
static lotor_code read_batch(lotor_request *request, const json_t **list, uint64_t *count)
{
    static const char *const known[] = {"requests", "count", NULL};
    lotor_refusal *const refusal = &request->job.refusal;
    const lotor_code code =
        lotor_fields_check(request->json, known, "", LOTOR_FIELDS_PRIVATE, refusal);
    if (code != LOTOR_CODE_NONE) {
        return code;
    }
    *list = get(request->json, "requests");
    const json_t *const number = get(request->json, "count");
    if (*list && number) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "count",
                            "expected \"requests\" or \"count\", not both");
    }
    if (number) {
        return lotor_field_whole(number, "count", 1, LOTOR_REQUEST_ITEMS_MAX, refusal, count);
    }
    *count = json_array_size(*list);
    if (!json_is_array(*list) || *count == 0 || *count > LOTOR_REQUEST_ITEMS_MAX) {
        char expected[64];
        snprintf(expected, sizeof expected, "an array of 1 to %d requests, or \"count\"",
                 LOTOR_REQUEST_ITEMS_MAX);
        return lotor_field_refuse(*list, "requests", expected, refusal);
    }
    return LOTOR_CODE_NONE;
}

lotor_completion lotor_api_rank_batch(lotor_request *request)
{
    const json_t *list = NULL;
    uint64_t count = 0;
    if (!lotor_api_read(request) || read_batch(request, &list, &count) != LOTOR_CODE_NONE) {
        return LOTOR_COMPLETED;
    }
    request->is_batch = true;
    request->rankings = calloc((size_t)count, sizeof *request->rankings);
    if (!request->rankings) {
        lotor_refuse_memory(&request->job.refusal);
        return LOTOR_COMPLETED;
    }
    request->count = (size_t)count;
    for (size_t i = 0; i < request->count && list; i++) {
        char place[LOTOR_FIELD_ROOM];
        if (read_ranking(json_array_get(list, i), lotor_field_index(place, "requests", i), false,
                         &request->job.refusal, &request->rankings[i]) != LOTOR_CODE_NONE) {
            return LOTOR_COMPLETED;
        }
    }
    return lotor_engine_rank(request->engine, request->target, request->rankings, request->count,
                             &request->job);
}

/* --- the reply -------------------------------------------------------------------------------- */

static char *put(char *at, const char *text, size_t length)
{
    memcpy(at, text, length);
    return at + length;
}
#define PUT(at, literal) put((at), (literal), sizeof(literal) - 1)

static char *put_whole(char *at, uint64_t value)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (count > 0) {
        *at++ = digits[--count];
    }
    return at;
}

/* Writes milliseconds as seconds: 1700000000.250. */
static char *put_seconds(char *at, uint64_t milliseconds)
{
    const unsigned rest = (unsigned)(milliseconds % 1000);
    at = put_whole(at, milliseconds / 1000);
    *at++ = '.';
    *at++ = (char)('0' + rest / 100);
    *at++ = (char)('0' + rest / 10 % 10);
    *at++ = (char)('0' + rest % 10);
    return at;
}

/* 0: the probability is not known. */
static char *put_propensity(char *at, double propensity)
{
    char digits[LOTOR_DIGITS_ROOM];
    if (!(propensity > 0.0)) {
        return PUT(at, "null");
    }
    const char *text = lotor_digits(propensity, digits);
    return put(at, text, strlen(text));
}

static char *put_randomizer(char *at, const lotor_randomizer *randomizer)
{
    lotor_json json;
    at = PUT(at, ", \"randomizer\": ");
    lotor_json_start(&json, at, RANDOMIZER_ROOM);
    lotor_json_open(&json, NULL, '{');
    lotor_json_string(&json, "mechanism", randomizer->mechanism);
    lotor_json_whole(&json, "slot", randomizer->slot);
    lotor_json_double(&json, "epsilon", lotor_ratio_to_double(randomizer->epsilon));
    lotor_json_whole(&json, "scale", randomizer->scale);
    lotor_json_double(&json, "unit", randomizer->unit);
    lotor_json_double(&json, "low", randomizer->low);
    lotor_json_double(&json, "high", randomizer->high);
    lotor_json_whole(&json, "slots", randomizer->slots);
    lotor_json_close(&json, '}');
    return at + (json.length < RANDOMIZER_ROOM ? json.length : RANDOMIZER_ROOM - 1);
}

/* The most bytes that put_ranking writes. Arm ids are names, so no byte of them is escaped. */
static size_t room_for(const lotor_ranking *ranking)
{
    size_t room = 192 + LOTOR_DIGITS_ROOM + LOTOR_TOKEN_LENGTH +
                  (ranking->is_local ? RANDOMIZER_ROOM + 16 : 0);
    for (size_t i = 0; i < ranking->count; i++) {
        room += strlen(ranking->arms[i]) + 4;
    }
    return room;
}

static char *put_ranking(char *at, const lotor_ranking *ranking)
{
    if (ranking->takes_feedback) {
        at = PUT(at, "{\"event\": \"");
        at = put(at, ranking->event, strlen(ranking->event));
        at = PUT(at, "\", \"arms\": [");
    } else {
        at = PUT(at, "{\"event\": null, \"arms\": [");
    }
    for (size_t i = 0; i < ranking->count; i++) {
        if (i > 0) {
            at = PUT(at, ", ");
        }
        *at++ = '"';
        at = put(at, ranking->arms[i], strlen(ranking->arms[i]));
        *at++ = '"';
    }
    at = PUT(at, "], \"expires\": ");
    at = ranking->takes_feedback ? put_seconds(at, ranking->expires) : PUT(at, "null");
    at = PUT(at, ", \"propensity\": ");
    at = put_propensity(at, ranking->takes_feedback ? ranking->propensity : 0.0);
    if (ranking->role && ranking->takes_feedback) {
        at = PUT(at, ", \"role\": \"");
        at = put(at, ranking->role, strlen(ranking->role));
        *at++ = '"';
    }
    if (ranking->is_local && ranking->takes_feedback) {
        at = put_randomizer(at, &ranking->randomizer);
    }
    *at++ = '}';
    return at;
}

void lotor_api_finish_rank(lotor_request *request)
{
    size_t room = 32;
    for (size_t i = 0; i < request->count; i++) {
        room += room_for(&request->rankings[i]) + 2;
    }
    char *const bytes = malloc(room);
    char *at = bytes;
    if (bytes && !request->is_batch) {
        at = put_ranking(at, &request->one);
    } else if (bytes) {
        at = PUT(at, "{\"decisions\": [");
        for (size_t i = 0; i < request->count; i++) {
            if (i > 0) {
                at = PUT(at, ", ");
            }
            at = put_ranking(at, &request->rankings[i]);
        }
        at = PUT(at, "]}");
    }
    lotor_api_reply_bytes(request, bytes, bytes ? (size_t)(at - bytes) : 0, NULL);
}
