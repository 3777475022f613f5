/* api_ofrep.c - OpenFeature's remote evaluation protocol (OFREP): a campaign is a flag, and its
 * variant is the first arm of a decision.
 *
 *      {"context": {"targetingKey", "context", "eligible", ...}}  ──▶  {"user", "context", "eligible"}
 *      {"key", "reason", "variant", "value", "metadata"}          ◀──  {"event", "arms", ...}
 *
 * An evaluation is translated to the body of a rank request, and the reply of rank is translated
 * back. So an evaluation has the same rules as a rank request, and there is no second way to get a
 * decision. The specification: https://github.com/open-feature/protocol
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "service/http/api_handlers.h"
#include "service/http/dump.h"
#include "service/http/ofrep.h"
#include "service/spec/fields.h"

/* The attributes of an evaluation context that a rank request knows. All others are ignored: an
 * application gives its flags one context with all that any of them needs. */
static const struct {
    const char *attribute, *field;
} attributes[] = {{"targetingKey", "user"}, {"context", "context"}, {"eligible", "eligible"}};

/* --- the request ------------------------------------------------------------------------------ */

/* An empty targetingKey is none: OpenFeature's SDKs differ in how they leave it out. */
static bool is_given(const json_t *value, const char *field)
{
    const bool is_empty = json_is_string(value) && json_string_length(value) == 0;
    return value && !json_is_null(value) && !(is_empty && strcmp(field, "user") == 0);
}

static json_t *ranking_of(json_t *context)
{
    json_t *ranking = json_object();
    for (size_t i = 0; ranking && i < sizeof attributes / sizeof *attributes; i++) {
        json_t *const value = json_object_get(context, attributes[i].attribute);
        if (is_given(value, attributes[i].field) &&
            json_object_set(ranking, attributes[i].field, value) != 0) {
            json_decref(ranking);
            ranking = NULL;
        }
    }
    return ranking;
}

lotor_completion lotor_api_ofrep(lotor_request *request)
{
    if (!lotor_api_read(request)) {
        return LOTOR_COMPLETED;
    }
    json_t *const context = json_object_get(request->json, "context");
    if (context && !json_is_null(context) && !json_is_object(context)) {
        lotor_refuse(&request->job.refusal, LOTOR_CODE_BAD_VALUE, "context",
                     "expected an object: the evaluation context");
        return LOTOR_COMPLETED;
    }
    json_t *const ranking = ranking_of(context);
    if (!ranking) {
        lotor_refuse_memory(&request->job.refusal);
        return LOTOR_COMPLETED;
    }
    json_decref(request->json);
    request->json = ranking;
    return lotor_api_rank_one(request);
}

/* Evaluating all flags would make a decision of every campaign, most of which nobody would show or
 * send feedback for. They would all count as rounds without feedback. */
lotor_completion lotor_api_ofrep_all(lotor_request *request)
{
    lotor_refuse(
        &request->job.refusal, LOTOR_CODE_NOT_OFFERED, "",
        "all flags can't be evaluated at once, because each evaluation is a decision that waits "
        "for feedback: evaluate only the flag that you show, with POST " LOTOR_OFREP_PATH
        "/{campaign}");
    return LOTOR_COMPLETED;
}

/* --- the reply -------------------------------------------------------------------------------- */

static json_t *text_of(const char *bytes)
{
    return bytes ? json_string(bytes) : NULL;
}

/* Arms as one text. Ids have no comma. */
static json_t *joined(const json_t *arms)
{
    lotor_text text = {0};
    size_t i;
    json_t *arm;
    json_array_foreach(arms, i, arm)
    {
        lotor_text_add(&text, i > 0 ? "," : "");
        lotor_text_add(&text, json_string_value(arm));
    }
    json_t *const value = lotor_text_status(&text, NULL) == LOTOR_OK ? text_of(text.bytes) : NULL;
    lotor_text_clear(&text);
    return value;
}

/* A field of a decision as a text, a number or a boolean: OpenFeature's metadata has no others. */
static json_t *flat(const char *name, json_t *value)
{
    if (strcmp(name, "arms") == 0) {
        return joined(value);
    }
    if (json_is_object(value) || json_is_array(value)) {
        size_t length = 0;
        char *const bytes = lotor_dump(value, &length);
        json_t *const text = text_of(bytes);
        free(bytes);
        return text;
    }
    return json_incref(value);
}

static json_t *metadata_of(json_t *decision)
{
    json_t *metadata = json_object();
    const char *name;
    json_t *value;
    json_object_foreach(decision, name, value)
    {
        if (!json_is_null(value) && json_object_set_new(metadata, name, flat(name, value)) != 0) {
            json_decref(metadata);
            return NULL;
        }
    }
    return metadata;
}

/* The reason of every value is SPLIT: arms are shown at random, more often the better they are. */
static json_t *evaluation_of(const char *key, json_t *decision)
{
    json_t *const first = json_array_get(json_object_get(decision, "arms"), 0);
    json_t *const metadata = metadata_of(decision);
    if (!first || !metadata) {
        json_decref(metadata);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:O, s:O, s:o}", "key", key, "reason", "SPLIT", "variant", first,
                     "value", first, "metadata", metadata);
}

void lotor_api_finish_ofrep(lotor_request *request)
{
    lotor_api_finish_rank(request);
    if (!request->reply) {
        return;
    }
    json_t *const decision = json_loadb(request->reply, request->reply_length, 0, NULL);
    free(request->reply);
    request->reply = NULL;
    lotor_api_reply_json(request, decision ? evaluation_of(request->target, decision) : NULL);
    json_decref(decision);
}

/* --- errors ----------------------------------------------------------------------------------- */

bool lotor_ofrep_has(const lotor_route *route)
{
    return route && strncmp(route->path, LOTOR_OFREP_PATH, sizeof LOTOR_OFREP_PATH - 1) == 0;
}

unsigned lotor_ofrep_http(lotor_code code)
{
    const unsigned status = lotor_code_http(code);
    if (code == LOTOR_CODE_DELETED) {
        return 404;
    }
    return status == 409 ? 400 : status;
}

void lotor_ofrep_name_field(lotor_refusal *refusal)
{
    if (strcmp(refusal->field, "user") == 0) {
        snprintf(refusal->field, sizeof refusal->field, "targetingKey");
    }
}

static const char *error_code(const lotor_refusal *refusal)
{
    switch (refusal->code) {
    case LOTOR_CODE_NO_SUCH_CAMPAIGN:
    case LOTOR_CODE_DELETED:
        return "FLAG_NOT_FOUND";
    case LOTOR_CODE_BAD_JSON:
        return "PARSE_ERROR";
    case LOTOR_CODE_MISSING_FIELD:
        return strcmp(refusal->field, "targetingKey") == 0 ? "TARGETING_KEY_MISSING"
                                                           : "INVALID_CONTEXT";
    case LOTOR_CODE_BAD_VALUE:
    case LOTOR_CODE_UNKNOWN_FIELD:
        return "INVALID_CONTEXT";
    default:
        return "GENERAL";
    }
}

void lotor_ofrep_refuse(lotor_json *json, const char *key, const lotor_refusal *refusal)
{
    char details[sizeof refusal->field + sizeof refusal->message.text + 2];
    snprintf(details, sizeof details, "%s%s%s", refusal->field, refusal->field[0] ? ": " : "",
             refusal->message.text);
    if (key[0]) {
        lotor_json_string(json, "key", key);
    }
    lotor_json_string(json, "errorCode", error_code(refusal));
    lotor_json_string(json, "errorDetails", details);
}
