/* api_campaigns.c - the routes that create, change and show campaigns, show events, and report
 * health, version and metrics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "service/http/api_handlers.h"
#include "service/http/dashboard.h"
#include "service/http/traffic.h"
#include "service/spec/fields.h"

/* Hands the specification on to the engine, for a dry run if `is_dry`. If the key is not for the campaign `prior`, it may not read the
 * releases of that campaign, so the request is refused. */
static lotor_completion create(lotor_request *request, lotor_spec *spec, bool is_dry)
{
    if (lotor_api_check_campaign(request, spec->name) != LOTOR_CODE_NONE ||
        (spec->prior[0] && lotor_api_check_campaign(request, spec->prior) != LOTOR_CODE_NONE)) {
        lotor_spec_free(spec);
        return LOTOR_COMPLETED;
    }
    return is_dry ? lotor_engine_dry_run(request->engine, spec, &request->result, &request->job)
                  : lotor_engine_create(request->engine, spec, &request->job);
}

lotor_completion lotor_api_create(lotor_request *request)
{
    lotor_spec *spec = NULL;
    bool is_dry;
    if (!lotor_api_read_flag(request, 0, &is_dry) || !lotor_api_read(request) ||
        lotor_spec_read(request->json, &request->job.refusal, &spec) != LOTOR_CODE_NONE) {
        return LOTOR_COMPLETED;
    }
    memcpy(request->target, spec->name, sizeof spec->name);
    return create(request, spec, is_dry);
}

void lotor_api_finish_create(lotor_request *request)
{
    if (request->result) {
        request->status = 200;
        lotor_api_finish_read(request);
        return;
    }
    lotor_api_finish_change(request);
}

/* Refuses a name in the body that differs from the name in the path. Without one, the body gets the
 * name of the path. */
static bool name_body(lotor_request *request)
{
    const json_t *const name = json_object_get(request->json, "name");
    if (name && !json_is_null(name)) {
        const char *const text = json_string_value(name);
        if (!text || strcmp(text, request->target) != 0) {
            lotor_refuse(&request->job.refusal, LOTOR_CODE_BAD_VALUE, "name",
                         "the path names the campaign %s: expected the same name here, or no name",
                         request->target);
            return false;
        }
        return true;
    }
    if (json_object_set_new(request->json, "name", json_string(request->target)) != 0) {
        lotor_refuse_memory(&request->job.refusal);
        return false;
    }
    return true;
}

lotor_completion lotor_api_put(lotor_request *request)
{
    lotor_spec *spec = NULL;
    if (!lotor_api_read(request) || !name_body(request) ||
        lotor_spec_read(request->json, &request->job.refusal, &spec) != LOTOR_CODE_NONE) {
        return LOTOR_COMPLETED;
    }
    return create(request, spec, false);
}

void lotor_api_finish_put(lotor_request *request)
{
    if (request->job.was_there) {
        request->status = 200;
    }
    lotor_api_finish_change(request);
}

/* The use of a name. */
typedef enum name_use { NAME_IS_FREE, NAME_IS_OTHER, NAME_IS_SANDBOX, NAME_FAILED } name_use;

/* Looks for a campaign `name`, which may be a sandbox of the campaign `of`. */
static name_use look_at_name(lotor_request *request, const char *name, const char *of)
{
    lotor_refusal refusal = {.code = LOTOR_CODE_NONE};
    json_t *const found = lotor_engine_describe(request->engine, name, &refusal);
    if (!found && refusal.code != LOTOR_CODE_NO_SUCH_CAMPAIGN) {
        request->job.refusal = refusal;
        return NAME_FAILED;
    }
    const json_t *const marks = json_object_get(found, "metadata");
    const char *const source = json_string_value(json_object_get(marks, "sandbox_of"));
    const bool is_ours = source && strcmp(source, of) == 0 &&
                         json_is_true(json_object_get(marks, "sandbox")) &&
                         !json_is_true(json_object_get(found, "deleted"));
    const name_use use = !found ? NAME_IS_FREE : is_ours ? NAME_IS_SANDBOX : NAME_IS_OTHER;
    json_decref(found);
    return use;
}

/* Finds the name of the sandbox: NAME-sandbox, or with a number if that is another campaign. A long
 * name is cut. */
static name_use name_sandbox(lotor_request *request, char name[LOTOR_NAME_MAX + 1])
{
    enum { TRIES = 99, ENDING = 15 /* "-sandbox" and a number of up to 7 characters */ };
    for (int i = 1; i <= TRIES; i++) {
        char number[8] = "";
        if (i > 1) {
            snprintf(number, sizeof number, "-%d", i);
        }
        snprintf(name, LOTOR_NAME_MAX + 1, "%.*s-sandbox%s", LOTOR_NAME_MAX - ENDING,
                 request->target, number);
        const name_use use = look_at_name(request, name, request->target);
        if (use != NAME_IS_OTHER) {
            return use;
        }
    }
    lotor_refuse(&request->job.refusal, LOTOR_CODE_EXISTS, "",
                 "%d other campaigns have the name of a sandbox: expected one that is free", TRIES);
    return NAME_FAILED;
}

lotor_completion lotor_api_sandbox(lotor_request *request)
{
    static const char *const known[] = {NULL};
    char name[LOTOR_NAME_MAX + 1];
    lotor_spec *spec = NULL;
    lotor_refusal *const refusal = &request->job.refusal;
    if (!lotor_api_read(request) ||
        lotor_fields_check(request->json, known, "", LOTOR_FIELDS_PUBLIC, refusal) !=
            LOTOR_CODE_NONE) {
        return LOTOR_COMPLETED;
    }
    request->result = lotor_engine_sandbox(request->engine, request->target, refusal);
    const name_use use = request->result ? name_sandbox(request, name) : NAME_FAILED;
    if (use == NAME_FAILED) {
        return LOTOR_COMPLETED;
    }
    memcpy(request->target, name, sizeof name);
    if (use == NAME_IS_SANDBOX) {
        request->job.was_there = true;
        return LOTOR_COMPLETED; /* the reply is the campaign as it is */
    }
    if (json_object_set_new(request->result, "name", json_string(name)) != 0) {
        lotor_refuse_memory(refusal);
        return LOTOR_COMPLETED;
    }
    if (lotor_spec_read(request->result, refusal, &spec) != LOTOR_CODE_NONE) {
        return LOTOR_COMPLETED;
    }
    return lotor_engine_create(request->engine, spec, &request->job);
}

/* The act of a route whose path ends with the name of the act. */
static lotor_act act_of(const lotor_route *route)
{
    const char *const name = strrchr(route->path, '/') + 1;
    lotor_act act = LOTOR_ACT_CLOSE;
    while (strcmp(name, lotor_act_name(act)) != 0) {
        act++;
    }
    return act;
}

lotor_completion lotor_api_act(lotor_request *request)
{
    static const char *const known[] = {NULL};
    if (!lotor_api_read(request) ||
        lotor_fields_check(request->json, known, "", LOTOR_FIELDS_PUBLIC, &request->job.refusal) !=
            LOTOR_CODE_NONE) {
        return LOTOR_COMPLETED;
    }
    return lotor_engine_act(request->engine, request->target, act_of(request->route),
                            &request->job);
}

lotor_completion lotor_api_delete(lotor_request *request)
{
    return lotor_engine_act(request->engine, request->target, LOTOR_ACT_DELETE, &request->job);
}

lotor_completion lotor_api_change_arms(lotor_request *request)
{
    if (!lotor_api_read(request)) {
        return LOTOR_COMPLETED;
    }
    return lotor_engine_change_arms(request->engine, request->target, request->json, &request->job);
}

lotor_completion lotor_api_edit(lotor_request *request)
{
    if (!lotor_api_read(request)) {
        return LOTOR_COMPLETED;
    }
    return lotor_engine_edit(request->engine, request->target, request->json, &request->job);
}

void lotor_api_finish_change(lotor_request *request)
{
    lotor_api_reply_json(
        request, lotor_engine_describe(request->engine, request->target, &request->job.refusal));
}

/* Leaves out the campaigns that the request's key is not for. */
static void leave_out_others(const lotor_request *request, json_t *reply)
{
    json_t *const list = json_object_get(reply, "campaigns");
    for (size_t i = json_array_size(list); request->grant.campaign[0] && i-- > 0;) {
        const char *const name =
            json_string_value(json_object_get(json_array_get(list, i), "name"));
        if (!name || strcmp(name, request->grant.campaign) != 0) {
            json_array_remove(list, i);
        }
    }
}

lotor_completion lotor_api_list(lotor_request *request)
{
    bool with_archived;
    if (!lotor_api_read_flag(request, 0, &with_archived)) {
        return LOTOR_COMPLETED;
    }
    json_t *const reply = lotor_engine_list(request->engine, with_archived, &request->job.refusal);
    leave_out_others(request, reply);
    lotor_api_reply_json(request, reply);
    return LOTOR_COMPLETED;
}

lotor_completion lotor_api_describe(lotor_request *request)
{
    return lotor_engine_look(request->engine, request->target, &request->job);
}

void lotor_api_finish_outlook(lotor_request *request)
{
    lotor_api_reply_json(
        request, lotor_engine_outlook(request->engine, request->target, &request->job.refusal));
}

lotor_completion lotor_api_guarantee(lotor_request *request)
{
    lotor_api_reply_json(
        request, lotor_engine_guarantee(request->engine, request->target, &request->job.refusal));
    return LOTOR_COMPLETED;
}

lotor_completion lotor_api_event(lotor_request *request)
{
    json_t *reply = lotor_engine_event(request->engine, request->target, &request->job.refusal);
    const char *const campaign = json_string_value(json_object_get(reply, "campaign"));
    if (campaign && lotor_api_check_campaign(request, campaign) != LOTOR_CODE_NONE) {
        json_decref(reply);
        reply = NULL;
    }
    lotor_api_reply_json(request, reply);
    return LOTOR_COMPLETED;
}

lotor_completion lotor_api_health(lotor_request *request)
{
    lotor_api_reply_json(request, json_pack("{s:s}", "status", "ok"));
    return LOTOR_COMPLETED;
}

/* Says whether this server accepts requests. Campaigns that it can't serve are listed in the
 * reply, but they do not make the server "not ready". */
lotor_completion lotor_api_ready(lotor_request *request)
{
    json_t *const told = lotor_engine_readiness(request->engine);
    const json_t *const reason = json_object_get(told, "reason");
    json_t *reply = NULL;
    if (json_is_true(json_object_get(told, "ready"))) {
        reply = json_pack("{s:s}", "status", "ready");
    } else if (told) {
        request->status = lotor_code_http(LOTOR_CODE_STORE);
        reply = json_pack("{s:{s:s, s:n, s:O}}", "error", "code", lotor_code_name(LOTOR_CODE_STORE),
                          "field", "message", reason);
    }
    if (reply && json_object_update(reply, told) != 0) {
        json_decref(reply);
        reply = NULL;
    }
    json_decref(told);
    lotor_api_reply_json(request, reply);
    return LOTOR_COMPLETED;
}

static void print_keys(lotor_keys *keys, lotor_text *text)
{
    lotor_text_print(text,
                     "# HELP lotor_keys Lines of the key file that are keys.\n"
                     "# TYPE lotor_keys gauge\n"
                     "lotor_keys %zu\n"
                     "# HELP lotor_key_file_bad_lines Lines of the key file that are not keys and "
                     "count for nothing.\n"
                     "# TYPE lotor_key_file_bad_lines gauge\n"
                     "lotor_key_file_bad_lines %zu\n"
                     "# HELP lotor_key_file_readable 1 if the key file can be read; if 0, no key "
                     "is valid.\n"
                     "# TYPE lotor_key_file_readable gauge\n"
                     "lotor_key_file_readable %d\n",
                     lotor_keys_count(keys), lotor_keys_bad_lines(keys),
                     lotor_keys_are_lost(keys) ? 0 : 1);
}

lotor_completion lotor_api_metrics(lotor_request *request)
{
    lotor_text text = {0};
    char *const numbers = lotor_engine_metrics(request->engine);
    if (numbers) {
        lotor_text_add(&text, numbers);
        if (request->traffic) {
            lotor_traffic_print(request->traffic, &text);
        }
        if (request->keys) {
            print_keys(request->keys, &text);
        }
    }
    free(numbers);
    if (lotor_text_status(&text, NULL) != LOTOR_OK) {
        lotor_text_clear(&text);
    }
    lotor_api_reply_bytes(request, text.bytes, text.length,
                          "text/plain; version=0.0.4; charset=utf-8");
    return LOTOR_COMPLETED;
}

#ifdef LOTOR_POSTGRES
enum { HAS_POSTGRES = 1 };
#else
enum { HAS_POSTGRES = 0 };
#endif

lotor_completion lotor_api_version(lotor_request *request)
{
    lotor_api_reply_json(request, json_pack("{s:s, s:s, s:b, s:b}", "version", lotor_version(),
                                            "api", "v1", "postgres", HAS_POSTGRES, "randomizer",
                                            lotor_dashboard_find(LOTOR_DASHBOARD_WASM) != NULL));
    return LOTOR_COMPLETED;
}
