/* api.c - finds the route of a request, runs the route's handler, and makes the reply. */
#include "service/http/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/quote.h"
#include "service/http/api_handlers.h"
#include "service/http/body.h"
#include "service/http/dashboard.h"
#include "service/http/dump.h"
#include "service/http/ofrep.h"
#include "service/spec/fields.h"

/* Busy routes come first, because a path is compared with the routes in this order. */
const lotor_route lotor_routes[] = {
    {"POST",
     "/v1/campaigns/{name}/rank",
     LOTOR_ROLE_RANK,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_rank,
     lotor_api_finish_rank,
     {NULL}},
    {"POST",
     "/v1/events/{event}/reward",
     LOTOR_ROLE_REWARD,
     LOTOR_SCOPE_HANDLER,
     200,
     lotor_api_reward,
     lotor_api_finish_reward,
     {NULL}},
    {"POST",
     "/v1/rewards",
     LOTOR_ROLE_REWARD,
     LOTOR_SCOPE_HANDLER,
     200,
     lotor_api_rewards,
     lotor_api_finish_reward,
     {NULL}},
    {"POST",
     "/v1/campaigns/{name}/rank-batch",
     LOTOR_ROLE_RANK,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_rank_batch,
     lotor_api_finish_rank,
     {NULL}},
    {"POST",
     LOTOR_OFREP_PATH "/{name}",
     LOTOR_ROLE_RANK,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_ofrep,
     lotor_api_finish_ofrep,
     {NULL}},
    /* always refused */
    {"POST",
     LOTOR_OFREP_PATH,
     LOTOR_ROLE_RANK,
     LOTOR_SCOPE_HANDLER,
     400,
     lotor_api_ofrep_all,
     NULL,
     {NULL}},
    {"POST",
     "/v1/campaigns",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_HANDLER,
     201,
     lotor_api_create,
     lotor_api_finish_create,
     {"dry_run"}},
    {"GET",
     "/v1/campaigns",
     LOTOR_ROLE_READ,
     LOTOR_SCOPE_HANDLER,
     200,
     lotor_api_list,
     NULL,
     {"archived"}},
    {"PUT",
     "/v1/campaigns/{name}",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_PATH,
     201,
     lotor_api_put,
     lotor_api_finish_put,
     {NULL}},
    {"GET",
     "/v1/campaigns/{name}",
     LOTOR_ROLE_READ,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_describe,
     lotor_api_finish_change,
     {NULL}},
    {"PATCH",
     "/v1/campaigns/{name}",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_edit,
     lotor_api_finish_change,
     {NULL}},
    {"DELETE",
     "/v1/campaigns/{name}",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_delete,
     lotor_api_finish_change,
     {NULL}},
    {"POST",
     "/v1/campaigns/{name}/close",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_act,
     lotor_api_finish_change,
     {NULL}},
    {"POST",
     "/v1/campaigns/{name}/pause",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_act,
     lotor_api_finish_change,
     {NULL}},
    {"POST",
     "/v1/campaigns/{name}/resume",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_act,
     lotor_api_finish_change,
     {NULL}},
    {"POST",
     "/v1/campaigns/{name}/archive",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_act,
     lotor_api_finish_change,
     {NULL}},
    {"POST",
     "/v1/campaigns/{name}/unarchive",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_act,
     lotor_api_finish_change,
     {NULL}},
    {"POST",
     "/v1/campaigns/{name}/sandbox",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_SERVER,
     201,
     lotor_api_sandbox,
     lotor_api_finish_put,
     {NULL}},
    {"POST",
     "/v1/campaigns/{name}/arms",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_change_arms,
     lotor_api_finish_change,
     {NULL}},
    {"GET",
     "/v1/campaigns/{name}/guarantee",
     LOTOR_ROLE_READ,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_guarantee,
     NULL,
     {NULL}},
    {"GET",
     "/v1/campaigns/{name}/statement",
     LOTOR_ROLE_READ,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_statement,
     lotor_api_finish_statement,
     {"format"}},
    {"GET",
     "/v1/campaigns/{name}/outlook",
     LOTOR_ROLE_READ,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_describe,
     lotor_api_finish_outlook,
     {NULL}},
    {"GET",
     "/v1/campaigns/{name}/releases",
     LOTOR_ROLE_READ,
     LOTOR_SCOPE_PATH,
     200,
     lotor_api_releases,
     lotor_api_finish_releases,
     {"after", "limit", "format"}},
    {"GET",
     "/v1/events/{event}",
     LOTOR_ROLE_READ,
     LOTOR_SCOPE_HANDLER,
     200,
     lotor_api_event,
     NULL,
     {NULL}},
    {"POST",
     "/v1/budgets",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_SERVER,
     201,
     lotor_api_create_budget,
     lotor_api_finish_read,
     {NULL}},
    {"GET",
     "/v1/budgets",
     LOTOR_ROLE_READ,
     LOTOR_SCOPE_SERVER,
     200,
     lotor_api_list_budgets,
     lotor_api_finish_read,
     {NULL}},
    {"GET",
     "/v1/budgets/{budget}",
     LOTOR_ROLE_READ,
     LOTOR_SCOPE_SERVER,
     200,
     lotor_api_budget,
     lotor_api_finish_read,
     {NULL}},
    {"POST",
     "/v1/advise",
     LOTOR_ROLE_READ,
     LOTOR_SCOPE_SERVER,
     200,
     lotor_api_advise,
     lotor_api_finish_read,
     {NULL}},
    {"POST",
     "/v1/simulate",
     LOTOR_ROLE_READ,
     LOTOR_SCOPE_SERVER,
     200,
     lotor_api_simulate,
     lotor_api_finish_read,
     {NULL}},
    {"GET",
     "/v1/audit",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_SERVER,
     200,
     lotor_api_audit,
     lotor_api_finish_read,
     {"after", "limit"}},
    {"GET",
     "/v1/keys",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_SERVER,
     200,
     lotor_api_list_keys,
     NULL,
     {NULL}},
    {"POST",
     "/v1/keys",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_SERVER,
     201,
     lotor_api_make_key,
     lotor_api_finish_make_key,
     {NULL}},
    {"DELETE",
     "/v1/keys/{id}",
     LOTOR_ROLE_ADMIN,
     LOTOR_SCOPE_SERVER,
     200,
     lotor_api_revoke_key,
     lotor_api_finish_revoke_key,
     {"self"}},
    {"GET", "/v1/me", LOTOR_ROLE_ANY, LOTOR_SCOPE_HANDLER, 200, lotor_api_me, NULL, {NULL}},
    {"GET", "/healthz", LOTOR_ROLE_NONE, LOTOR_SCOPE_SERVER, 200, lotor_api_health, NULL, {NULL}},
    {"GET", "/readyz", LOTOR_ROLE_NONE, LOTOR_SCOPE_SERVER, 200, lotor_api_ready, NULL, {NULL}},
    {"GET", "/version", LOTOR_ROLE_NONE, LOTOR_SCOPE_SERVER, 200, lotor_api_version, NULL, {NULL}},
    {"GET",
     LOTOR_OPENAPI_PATH,
     LOTOR_ROLE_NONE,
     LOTOR_SCOPE_SERVER,
     200,
     lotor_api_openapi,
     NULL,
     {NULL}},
    {"GET",
     "/metrics",
     LOTOR_ROLE_METRICS,
     LOTOR_SCOPE_SERVER,
     200,
     lotor_api_metrics,
     NULL,
     {NULL}},
};
const size_t lotor_route_count = sizeof lotor_routes / sizeof *lotor_routes;

static const char as_json[] = "application/json";

/* --- finding the route ------------------------------------------------------------------------ */

/* True if `path` matches `pattern`. The part in braces matches any text without a slash;
 * `target` gets that text, or so many of its first bytes that nothing has such a long name. */
static bool path_matches(const char *pattern, const char *path, char *target)
{
    const char *const opens = strchr(pattern, '{');
    if (!opens) {
        target[0] = '\0';
        return strcmp(pattern, path) == 0;
    }
    const size_t before = (size_t)(opens - pattern);
    if (strncmp(pattern, path, before) != 0) {
        return false;
    }
    const size_t length = strcspn(path + before, "/");
    if (length == 0 || strcmp(strchr(opens, '}') + 1, path + before + length) != 0) {
        return false;
    }
    snprintf(target, LOTOR_TARGET_MAX + 1, "%.*s", (int)length, path + before);
    return true;
}

const lotor_route *lotor_api_match(const char *method, const char *path, char *target,
                                   lotor_refusal *refusal, char allowed[32])
{
    const char *const wanted = strcmp(method, "HEAD") == 0 ? "GET" : method;
    allowed[0] = '\0';
    for (size_t i = 0; i < lotor_route_count; i++) {
        const lotor_route *const route = &lotor_routes[i];
        if (path_matches(route->path, path, target)) {
            if (strcmp(route->method, wanted) == 0) {
                return route;
            }
            const size_t length = strlen(allowed);
            snprintf(allowed + length, 32 - length, "%s%s", length ? ", " : "",
                     strcmp(route->method, "GET") == 0 ? "GET, HEAD" : route->method);
        }
    }
    if (lotor_dashboard_find(path)) {
        if (strcmp(wanted, "GET") == 0) {
            snprintf(target, LOTOR_TARGET_MAX + 1, "%s", path);
            return &lotor_dashboard_route;
        }
        snprintf(allowed, 32, "GET, HEAD");
    }
    const char *const missing = lotor_dashboard_missing(path);
    if (missing) {
        lotor_refuse(refusal, LOTOR_CODE_NO_SUCH_PATH, "", "%s", missing);
    } else if (allowed[0]) {
        lotor_refuse(refusal, LOTOR_CODE_WRONG_METHOD, "", "%s is not allowed here: use %s",
                     lotor_quote_text(method).text, allowed);
    } else {
        lotor_refuse(refusal, LOTOR_CODE_NO_SUCH_PATH, "",
                     "this path does not exist: " LOTOR_OPENAPI_PATH " lists all paths");
    }
    return NULL;
}

/* --- permissions of a key --------------------------------------------------------------------- */

/* "read or admin": the roles that a route accepts. */
static const char *roles_for(lotor_role needed, char text[48])
{
    snprintf(text, 48, "%s%s", lotor_role_name(needed),
             needed == LOTOR_ROLE_ADMIN ? "" : " or admin");
    return text;
}

static lotor_code refuse_scope(lotor_request *request, const char *expected)
{
    char roles[48];
    return lotor_refuse(&request->job.refusal, LOTOR_CODE_FORBIDDEN, "",
                        "this key is for the campaign %s only: expected a key with the role %s for "
                        "%s",
                        request->grant.campaign, roles_for(request->route->role, roles), expected);
}

lotor_code lotor_api_check_campaign(lotor_request *request, const char *campaign)
{
    return request->grant.campaign[0] && strcmp(request->grant.campaign, campaign) != 0
               ? refuse_scope(request, "that campaign or for all campaigns")
               : LOTOR_CODE_NONE;
}

lotor_code lotor_api_check_grant(lotor_request *request)
{
    const lotor_route *const route = request->route;
    const lotor_key_grant *const grant = &request->grant;
    char has[LOTOR_ROLES_ROOM], roles[48];
    if (!lotor_role_covers(grant->roles, route->role)) {
        return lotor_refuse(&request->job.refusal, LOTOR_CODE_FORBIDDEN, "",
                            "this key has the wrong role (%s): expected a key with the role %s",
                            lotor_roles_write(grant->roles, has), roles_for(route->role, roles));
    }
    request->job.key = grant->name;
    request->job.key_id = grant->id;
    if (!grant->campaign[0]) {
        return LOTOR_CODE_NONE;
    }
    request->job.only = grant->campaign;
    if (route->scope == LOTOR_SCOPE_PATH) {
        return lotor_api_check_campaign(request, request->target);
    }
    return route->scope == LOTOR_SCOPE_HANDLER ? LOTOR_CODE_NONE
                                               : refuse_scope(request, "all campaigns");
}

/* --- start and end of a request --------------------------------------------------------------- */

static void job_done(lotor_job *job)
{
    lotor_request *const request = job->owner;
    request->done(request);
}

void lotor_request_init(lotor_request *request, lotor_engine *engine)
{
    request->engine = engine;
    request->route = NULL;
    request->target[0] = '\0';
    request->body = NULL;
    request->length = 0;
    request->reply = NULL;
    request->reply_length = 0;
    request->policy = NULL;
    request->commit = request->accept = NULL;
    request->status = 0;
    request->type = as_json;
    request->job.done = job_done;
    request->job.owner = request;
    request->job.next = NULL;
    request->job.kind = 0;
    request->job.work = NULL;
    request->job.late = request->job.refused = 0;
    request->job.was_there = false;
    request->job.key = request->job.key_id = request->job.only = NULL;
    request->grant.roles = LOTOR_ROLE_NONE;
    request->grant.campaign[0] = request->grant.name[0] = request->grant.id[0] = '\0';
    request->job.refusal.code = LOTOR_CODE_NONE;
    request->job.refusal.field[0] = '\0';
    request->job.refusal.message.text[0] = '\0';
    request->calculations = NULL;
    request->traffic = NULL;
    request->keys = NULL;
    request->json = NULL;
    request->result = NULL;
    for (size_t i = 0; i < LOTOR_QUERY_MAX; i++) {
        request->query[i] = NULL;
    }
    request->rankings = NULL;
    request->count = 0;
    request->is_batch = false;
    request->refusals = NULL;
    request->draft = NULL;
}

void lotor_request_clear(lotor_request *request)
{
    for (size_t i = 0; request->rankings && i < request->count; i++) {
        lotor_ranking_clear(&request->rankings[i]);
    }
    if (request->rankings != &request->one) {
        free(request->rankings);
    }
    request->rankings = NULL;
    json_decref(request->json);
    json_decref(request->result);
    request->json = request->result = NULL;
    free(request->refusals);
    request->refusals = NULL;
    if (request->draft) {
        lotor_wipe(request->draft, sizeof *request->draft);
    }
    free(request->draft);
    request->draft = NULL;
    free(request->reply);
    request->reply = NULL;
}

lotor_completion lotor_api_start(lotor_request *request)
{
    request->status = request->route->success;
    const lotor_completion when = request->route->start(request);
    if (when == LOTOR_COMPLETED && !request->reply) {
        lotor_api_finish(request);
    }
    return when;
}

void lotor_api_finish(lotor_request *request)
{
    if (request->job.refusal.code == LOTOR_CODE_NONE && request->route->finish) {
        request->route->finish(request);
    }
    if (!request->reply) {
        lotor_api_refuse(request);
    }
}

bool lotor_api_read(lotor_request *request)
{
    request->json =
        lotor_body_read(request->body ? request->body : "", request->length, &request->job.refusal);
    return request->json != NULL;
}

bool lotor_api_read_flag(lotor_request *request, size_t place, bool *out)
{
    const char *const text = request->query[place];
    *out = text && strcmp(text, "true") == 0;
    if (text && !*out && strcmp(text, "false") != 0) {
        lotor_refuse(&request->job.refusal, LOTOR_CODE_BAD_VALUE, request->route->query[place],
                     "expected true or false");
        return false;
    }
    return true;
}

/* --- replies ---------------------------------------------------------------------------------- */

void lotor_api_reply_bytes(lotor_request *request, char *bytes, size_t length, const char *type)
{
    if (!bytes) {
        lotor_refuse_memory(&request->job.refusal);
        return;
    }
    if (!type) {
        bytes[length++] = '\n';
    }
    request->reply = bytes;
    request->reply_length = length;
    request->type = type ? type : as_json;
}

void lotor_api_reply_json(lotor_request *request, json_t *value)
{
    if (!value) {
        if (request->job.refusal.code == LOTOR_CODE_NONE) {
            lotor_refuse_memory(&request->job.refusal);
        }
        return;
    }
    size_t length = 0;
    char *const bytes = lotor_dump(value, &length);
    json_decref(value);
    lotor_api_reply_bytes(request, bytes, length, NULL);
}

void lotor_api_refuse(lotor_request *request)
{
    lotor_refusal *const refusal = &request->job.refusal;
    const lotor_code code = refusal->code == LOTOR_CODE_NONE ? LOTOR_CODE_INTERNAL : refusal->code;
    const bool is_ofrep = lotor_ofrep_has(request->route);
    /* enough for a field and a message, even if every byte is escaped, and twice for OFREP */
    enum { ROOM = 6144 };
    if (is_ofrep) {
        lotor_ofrep_name_field(refusal);
    }
    char *const bytes = malloc(ROOM);
    lotor_json json;
    lotor_json_start(&json, bytes, bytes ? ROOM : 0);
    lotor_json_open(&json, NULL, '{');
    lotor_json_open(&json, "error", '{');
    lotor_json_string(&json, "code", lotor_code_name(code));
    lotor_json_string(&json, "field", refusal->field[0] ? refusal->field : NULL);
    lotor_json_string(&json, "message", refusal->message.text);
    lotor_json_close(&json, '}');
    if (is_ofrep) {
        lotor_ofrep_refuse(&json, request->target, refusal);
    }
    lotor_json_close(&json, '}');
    request->status = is_ofrep ? lotor_ofrep_http(code) : lotor_code_http(code);
    request->type = as_json;
    request->reply = bytes;
    request->reply_length = 0;
    if (bytes) {
        request->reply_length = json.length < ROOM ? json.length : ROOM - 1;
        bytes[request->reply_length++] = '\n';
    }
}
