/* api_keys.c - the routes about keys: the key of the request, and the keys of the key file.
 *
 *      check ──▶ a line of the audit log, committed ──▶ change the key file ──▶ reply
 *
 * The key file is not in the store, so a key and its line can't be written in one transaction. The
 * line comes first: no key is made or revoked without it. If the file can't be changed afterwards,
 * the request is refused, and the log has a line for an act that did not happen.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/text.h"
#include "service/http/api_handlers.h"
#include "service/spec/fields.h"

/* --- the key of the request ------------------------------------------------------------------- */

/* A list of the names of roles; NULL: no memory. */
static json_t *list_roles(lotor_role roles)
{
    json_t *const list = json_array();
    bool is_fine = list != NULL;
    for (unsigned role = 1; is_fine && role < LOTOR_ROLE_ANY; role *= 2) {
        if ((unsigned)roles & role) {
            is_fine =
                json_array_append_new(list, json_string(lotor_role_name((lotor_role)role))) == 0;
        }
    }
    if (!is_fine) {
        json_decref(list);
        return NULL;
    }
    return list;
}

lotor_completion lotor_api_me(lotor_request *request)
{
    const lotor_key_grant *const grant = &request->grant;
    json_t *const expires =
        grant->expires > 0 ? json_integer((json_int_t)grant->expires) : json_null();
    lotor_api_reply_json(request, json_pack("{s:s, s:s, s:o, s:s?, s:o}", "name", grant->name, "id",
                                            grant->id, "roles", list_roles(grant->roles),
                                            "campaign", grant->campaign[0] ? grant->campaign : NULL,
                                            "expires", expires));
    return LOTOR_COMPLETED;
}

/* --- common parts of the routes --------------------------------------------------------------- */

/* The time that the expiry of keys is compared with. */
static uint64_t now_of(const lotor_request *request)
{
    return lotor_engine_time(request->engine) / 1000;
}

static bool has_key_file(lotor_request *request)
{
    if (!request->keys) {
        lotor_refuse(&request->job.refusal, LOTOR_CODE_STORE, "", "this server has no key file");
    }
    return request->keys != NULL;
}

static void refuse_file(lotor_request *request, lotor_status status, const lotor_message *why)
{
    const bool is_ours = status == LOTOR_MEMORY || status == LOTOR_ENTROPY;
    lotor_refuse(&request->job.refusal, is_ours ? LOTOR_CODE_INTERNAL : LOTOR_CODE_STORE, "", "%s",
                 why->text);
}

/* A key as `lotor key list --json` shows it. Never the key itself. */
static json_t *describe(const lotor_key_grant *grant, uint64_t now)
{
    char roles[LOTOR_ROLES_ROOM], time[LOTOR_KEY_TIME_LENGTH + 1];
    if (grant->expires > 0) {
        lotor_key_time_write(grant->expires, time);
    }
    return json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:b}", "id", grant->id, "roles",
                     lotor_roles_write(grant->roles, roles), "name", grant->name, "campaign",
                     grant->campaign[0] ? grant->campaign : NULL, "expires",
                     grant->expires > 0 ? time : NULL, "expired",
                     grant->expires > 0 && grant->expires <= now);
}

/* Writes the line of the audit log: "web-1 (5f9c0e11), roles rank,reward". */
static lotor_completion note(lotor_request *request, const char *act, const lotor_key_grant *grant)
{
    char roles[LOTOR_ROLES_ROOM], time[LOTOR_KEY_TIME_LENGTH + 1];
    lotor_text text = {0};
    lotor_completion when = LOTOR_COMPLETED;
    lotor_text_print(&text, "%s (%s), roles %s", grant->name, grant->id,
                     lotor_roles_write(grant->roles, roles));
    if (grant->campaign[0]) {
        lotor_text_print(&text, ", campaign %s", grant->campaign);
    }
    if (grant->expires > 0) {
        lotor_key_time_write(grant->expires, time);
        lotor_text_print(&text, ", expires %s", time);
    }
    if (lotor_text_status(&text, NULL) == LOTOR_OK) {
        when = lotor_engine_note(request->engine, act, text.bytes, &request->job);
    } else {
        lotor_refuse_memory(&request->job.refusal);
    }
    lotor_text_clear(&text);
    return when;
}

/* --- listing ---------------------------------------------------------------------------------- */

typedef struct key_list {
    json_t *keys, *bad_lines;
    uint64_t now;
    bool is_out_of_memory;
} key_list;

static void add_to_list(void *context, size_t line, const lotor_key_grant *grant)
{
    key_list *const list = context;
    const int failed = grant
                           ? json_array_append_new(list->keys, describe(grant, list->now))
                           : json_array_append_new(list->bad_lines, json_integer((json_int_t)line));
    list->is_out_of_memory = list->is_out_of_memory || failed != 0;
}

lotor_completion lotor_api_list_keys(lotor_request *request)
{
    key_list list = {.keys = json_array(), .bad_lines = json_array(), .now = now_of(request)};
    lotor_message why;
    if (has_key_file(request)) {
        const lotor_status status =
            lotor_key_list(lotor_keys_path(request->keys), add_to_list, &list, &why);
        if (status != LOTOR_OK && status != LOTOR_UNKNOWN) {
            refuse_file(request, status, &why);
        } else if (list.is_out_of_memory) {
            lotor_refuse_memory(&request->job.refusal);
        } else {
            lotor_api_reply_json(
                request, json_pack("{s:O, s:O}", "keys", list.keys, "bad_lines", list.bad_lines));
        }
    }
    json_decref(list.keys);
    json_decref(list.bad_lines);
    return LOTOR_COMPLETED;
}

/* --- creating a key --------------------------------------------------------------------------- */

static lotor_code read_roles(const json_t *value, lotor_refusal *refusal, lotor_role *out)
{
    static const char expected[] = "a list with some of rank, reward, read, metrics and admin";
    unsigned roles = LOTOR_ROLE_NONE;
    if (!value) {
        return lotor_field_missing("roles", expected, refusal);
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *const name = json_string_value(json_array_get(value, i));
        lotor_role role = LOTOR_ROLE_NONE;
        char place[LOTOR_FIELD_ROOM];
        if (!name || !lotor_role_find(name, &role)) {
            return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, lotor_field_index(place, "roles", i),
                                "expected rank, reward, read, metrics or admin");
        }
        roles |= (unsigned)role;
    }
    *out = (lotor_role)roles;
    return roles == LOTOR_ROLE_NONE
               ? lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "roles", "expected %s", expected)
               : LOTOR_CODE_NONE;
}

static lotor_code read_expiry(const json_t *value, uint64_t now, lotor_refusal *refusal,
                              uint64_t *out)
{
    const char *const text = json_string_value(value);
    *out = 0;
    if (!value || json_is_null(value)) {
        return LOTOR_CODE_NONE;
    }
    if (!text || !lotor_key_expiry_read(text, now, out)) {
        return lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "expires",
                            "expected a number of minutes, hours or days (\"30m\", \"12h\", "
                            "\"90d\"), a date such as \"2027-01-31\" or "
                            "\"2027-01-31T12:00:00Z\", or null");
    }
    return *out > now ? LOTOR_CODE_NONE
                      : lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, "expires",
                                     "this time is over: expected a time that is to come");
}

/* Reads a text that may be missing or null: *out is then NULL. */
static lotor_code read_text(const json_t *value, const char *field, lotor_refusal *refusal,
                            const char **out)
{
    *out = json_string_value(value);
    return *out || !value || json_is_null(value)
               ? LOTOR_CODE_NONE
               : lotor_refuse(refusal, LOTOR_CODE_BAD_VALUE, field, "expected a text or null");
}

static lotor_code read_setup(lotor_request *request, lotor_key_setup *out)
{
    static const char *const known[] = {"roles", "campaign", "name", "expires", NULL};
    const json_t *const body = request->json;
    lotor_refusal *const refusal = &request->job.refusal;
    *out = (lotor_key_setup){.name = NULL};
    lotor_code code = lotor_fields_check(body, known, "", LOTOR_FIELDS_PUBLIC, refusal);
    if (code == LOTOR_CODE_NONE) {
        code = read_roles(json_object_get(body, "roles"), refusal, &out->roles);
    }
    if (code == LOTOR_CODE_NONE) {
        code = read_text(json_object_get(body, "name"), "name", refusal, &out->name);
    }
    if (code == LOTOR_CODE_NONE) {
        code = read_text(json_object_get(body, "campaign"), "campaign", refusal, &out->campaign);
    }
    if (code == LOTOR_CODE_NONE) {
        code =
            read_expiry(json_object_get(body, "expires"), now_of(request), refusal, &out->expires);
    }
    if (!out->name) {
        out->name = "-";
    }
    return code;
}

/* True if there is room for one more key. The key file is asked again when the key is added. */
static bool has_room(lotor_request *request)
{
    const size_t lines = lotor_keys_count(request->keys) + lotor_keys_bad_lines(request->keys);
    if (lines >= LOTOR_KEYS_MAX) {
        lotor_refuse(&request->job.refusal, LOTOR_CODE_FULL, "",
                     "the key file has %zu lines, and a server reads %d keys at most: revoke some "
                     "first, expired ones too",
                     lines, LOTOR_KEYS_MAX);
    }
    return lines < LOTOR_KEYS_MAX;
}

lotor_completion lotor_api_make_key(lotor_request *request)
{
    lotor_key_setup setup;
    lotor_message why;
    if (!has_key_file(request) || !lotor_api_read(request) ||
        read_setup(request, &setup) != LOTOR_CODE_NONE || !has_room(request)) {
        return LOTOR_COMPLETED;
    }
    request->draft = malloc(sizeof *request->draft);
    if (!request->draft) {
        lotor_refuse_memory(&request->job.refusal);
        return LOTOR_COMPLETED;
    }
    const lotor_status status = lotor_key_draft_make(&setup, &why, request->draft);
    if (status == LOTOR_INVALID) {
        lotor_refuse(&request->job.refusal, LOTOR_CODE_BAD_VALUE, "", "%s", why.text);
    } else if (status != LOTOR_OK) {
        refuse_file(request, status, &why);
    }
    return status == LOTOR_OK ? note(request, "key", &request->draft->grant) : LOTOR_COMPLETED;
}

void lotor_api_finish_make_key(lotor_request *request)
{
    const lotor_key_draft *const draft = request->draft;
    lotor_message why;
    json_t *const reply = describe(&draft->grant, now_of(request));
    if (!reply || json_object_set_new(reply, "key", json_string(draft->key)) != 0) {
        json_decref(reply);
        lotor_refuse_memory(&request->job.refusal);
        return;
    }
    const lotor_status status = lotor_key_add(lotor_keys_path(request->keys), draft, &why);
    if (status != LOTOR_OK) {
        json_decref(reply);
        refuse_file(request, status, &why);
        return;
    }
    lotor_keys_reload(request->keys, false, NULL);
    lotor_api_reply_json(request, reply);
}

/* --- revoking --------------------------------------------------------------------------------- */

/* The grant of a key by all its lines. */
typedef struct key_search {
    const char *id;
    lotor_key_grant found; /* no roles: it was not found */
} key_search;

static void look_at_key(void *context, size_t line, const lotor_key_grant *grant)
{
    key_search *const search = context;
    (void)line;
    if (grant && strcmp(grant->id, search->id) == 0) {
        const unsigned roles = (unsigned)search->found.roles | (unsigned)grant->roles;
        search->found = *grant;
        search->found.roles = (lotor_role)roles;
    }
}

lotor_completion lotor_api_revoke_key(lotor_request *request)
{
    key_search search = {.id = request->target};
    lotor_refusal *const refusal = &request->job.refusal;
    lotor_message why;
    bool is_self;
    if (!has_key_file(request) || !lotor_api_read_flag(request, 0, &is_self)) {
        return LOTOR_COMPLETED;
    }
    const lotor_status status =
        lotor_key_list(lotor_keys_path(request->keys), look_at_key, &search, &why);
    if (status != LOTOR_OK && status != LOTOR_UNKNOWN) {
        refuse_file(request, status, &why);
        return LOTOR_COMPLETED;
    }
    if (search.found.roles == LOTOR_ROLE_NONE) {
        lotor_refuse(refusal, LOTOR_CODE_NO_SUCH_KEY, "",
                     "no key has the id %s: GET /v1/keys lists the ids of keys",
                     lotor_quote_text(request->target).text);
        return LOTOR_COMPLETED;
    }
    if (strcmp(request->target, request->grant.id) == 0 && !is_self) {
        lotor_refuse(refusal, LOTOR_CODE_IN_USE, "",
                     "this is the key of this request: without it you may have no access. Use "
                     "another admin key, or add ?self=true if you mean it");
        return LOTOR_COMPLETED;
    }
    request->result = describe(&search.found, now_of(request));
    if (!request->result) {
        lotor_refuse_memory(refusal);
        return LOTOR_COMPLETED;
    }
    return note(request, "revoke", &search.found);
}

void lotor_api_finish_revoke_key(lotor_request *request)
{
    lotor_key_grant gone;
    lotor_message why;
    const lotor_status status =
        lotor_key_revoke_id(lotor_keys_path(request->keys), request->target, &why, &gone);
    /* LOTOR_UNKNOWN: somebody else has just revoked it */
    if (status != LOTOR_OK && status != LOTOR_UNKNOWN) {
        refuse_file(request, status, &why);
        return;
    }
    lotor_keys_reload(request->keys, false, NULL);
    lotor_api_finish_read(request);
}
