/* test_lifecycle.c - the life of a campaign over HTTP: made once, paused, archived, deleted. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/time.h"
#include "service/running.h"
#include "support/patience.h"

static running server;

static int start_server(void **state)
{
    (void)state;
    running_start(&server, 0);
    return 0;
}

static int stop_server(void **state)
{
    (void)state;
    running_stop(&server);
    return 0;
}

static unsigned call(const char *method, const char *path, const char *body)
{
    return running_call(&server, RUNNING_ADMIN, method, path, body);
}

static const char *error_text(const char *name)
{
    const char *const text =
        json_string_value(json_object_get(json_object_get(server.body, "error"), name));
    return text ? text : "";
}

static void assert_refused(unsigned status, unsigned expected, const char *code, const char *words)
{
    if (status != expected || strcmp(running_error(&server), code) != 0 ||
        !strstr(error_text("message"), words)) {
        fail_msg("%u, expected %u %s with \"%s\": %s", status, expected, code, words, server.text);
    }
}

#define BODY "\"arms\":[\"a\",\"b\"],\"epsilon\":1,\"wait_seconds\":60,\"max_arms\":9"

/* --- making the same campaign again ----------------------------------------------------------- */

TEST(test_putting_a_campaign_twice)
{
    assert_int_equal(call("PUT", "/v1/campaigns/home", "{" BODY "}"), 201);
    assert_string_equal(json_string_value(json_object_get(server.body, "name")), "home");
    assert_int_equal(call("PUT", "/v1/campaigns/home", "{" BODY "}"), 200);
    assert_int_equal(call("PUT", "/v1/campaigns/home", "{\"name\":\"home\"," BODY "}"), 200);
    assert_int_equal(call("PUT", "/v1/campaigns/home", "{\"name\":null," BODY "}"), 200);
    assert_int_equal(call("POST", "/v1/campaigns", "{\"name\":\"home\"," BODY "}"), 201);
    /* Arms that were added, or paused, since then make no difference. */
    running_fine(&server, "POST", "/v1/campaigns/home/arms", "{\"add\":[\"c\"],\"pause\":[\"a\"]}");
    assert_int_equal(call("PUT", "/v1/campaigns/home", "{" BODY "}"), 200);
    assert_int_equal(json_array_size(json_object_get(server.body, "arms")), 3);
}

TEST(test_putting_another_campaign_there)
{
    running_fine(&server, "PUT", "/v1/campaigns/other", "{" BODY "}");
    assert_refused(call("PUT", "/v1/campaigns/other", "{" BODY ",\"slots\":2}"), 409, "exists",
                   "with another value of slots");
    assert_string_equal(error_text("field"), "slots");
    assert_refused(call("PUT", "/v1/campaigns/other", "{\"name\":\"home\"," BODY "}"), 400,
                   "bad_value", "the path names the campaign other");
    assert_string_equal(error_text("field"), "name");
    assert_refused(call("PUT", "/v1/campaigns/other", "{\"name\":7," BODY "}"), 400, "bad_value",
                   "the path names the campaign other");
    assert_refused(call("PUT", "/v1/campaigns/-x", "{" BODY "}"), 400, "bad_value", "expected");
    assert_refused(call("PUT", "/v1/campaigns/other", NULL), 400, "missing_field", "arms");
    assert_int_equal(
        running_call(&server, RUNNING_READ, "PUT", "/v1/campaigns/other", "{" BODY "}"), 403);
}

/* --- pausing and archiving -------------------------------------------------------------------- */

static bool is_set(const char *name)
{
    assert_true(json_is_boolean(json_object_get(server.body, name)));
    return json_is_true(json_object_get(server.body, name));
}

static bool is_listed(const char *path, const char *name)
{
    const json_t *const list =
        json_object_get(running_fine(&server, "GET", path, NULL), "campaigns");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *const one = json_array_get(list, i);
        if (strcmp(json_string_value(json_object_get(one, "name")), name) == 0) {
            return true;
        }
    }
    return false;
}

static void rank_one(const char *name, char path[200])
{
    snprintf(path, 200, "/v1/campaigns/%s/rank", name);
    const json_t *const reply = running_fine(&server, "POST", path, "{}");
    snprintf(path, 200, "/v1/events/%s/reward", json_string_value(json_object_get(reply, "event")));
}

TEST(test_a_paused_campaign_shows_nothing)
{
    char reward[200];
    running_fine(&server, "PUT", "/v1/campaigns/p", "{" BODY "}");
    rank_one("p", reward);
    assert_int_equal(call("POST", "/v1/campaigns/p/pause", "{}"), 200);
    assert_true(is_set("paused"));
    assert_int_equal(call("POST", "/v1/campaigns/p/pause", NULL), 200); /* again is fine */
    assert_refused(call("POST", "/v1/campaigns/p/rank", "{}"), 409, "paused", "/resume");
    assert_refused(call("POST", "/v1/campaigns/p/rank-batch", "{\"count\":2}"), 409, "paused",
                   "/resume");
    assert_refused(call("POST", "/v1/campaigns/p/rank", "{\"eligible\":[\"a\"]}"), 409, "paused",
                   "/resume");
    assert_int_equal(call("POST", "/ofrep/v1/evaluate/flags/p", "{}"), 400);
    assert_int_equal(call("POST", reward, "{\"rewards\":[1]}"), 200);
    assert_string_equal(json_string_value(json_object_get(server.body, "status")), "acknowledged");
    assert_true(is_listed("/v1/campaigns", "p"));
    assert_int_equal(call("PUT", "/v1/campaigns/p", "{" BODY "}"), 200); /* no difference */
    assert_true(is_set("paused"));
    assert_int_equal(call("POST", "/v1/campaigns/p/arms", "{\"add\":[\"c\"]}"), 200);
    assert_int_equal(call("POST", "/v1/campaigns/p/resume", "{}"), 200);
    assert_false(is_set("paused"));
    rank_one("p", reward);
    assert_refused(call("POST", "/v1/campaigns/p/pause", "{\"for\":1}"), 400, "unknown_field", "");
    assert_refused(call("POST", "/v1/campaigns/nothing/pause", "{}"), 404, "no_such_campaign", "");
}

TEST(test_a_campaign_is_made_paused)
{
    running_fine(&server, "PUT", "/v1/campaigns/later", "{\"paused\":true," BODY "}");
    assert_true(is_set("paused"));
    assert_refused(call("POST", "/v1/campaigns/later/rank", "{}"), 409, "paused", "");
    assert_int_equal(call("PUT", "/v1/campaigns/later", "{" BODY "}"), 200);
    assert_refused(call("PUT", "/v1/campaigns/x1", "{\"archived\":true," BODY "}"), 400,
                   "bad_value", "/archive");
    assert_refused(call("PUT", "/v1/campaigns/x1", "{\"paused\":1," BODY "}"), 400, "bad_value",
                   "");
}

TEST(test_an_archived_campaign_is_read_only)
{
    char reward[200];
    running_fine(&server, "PUT", "/v1/campaigns/old", "{" BODY "}");
    rank_one("old", reward);
    running_fine(&server, "POST", "/v1/campaigns/old/pause", "{}");
    assert_int_equal(call("POST", "/v1/campaigns/old/archive", "{}"), 200);
    assert_true(is_set("archived") && is_set("paused"));
    assert_int_equal(call("POST", "/v1/campaigns/old/archive", "{}"), 200);
    static const char *const refused[] = {"rank", "resume", "pause", "close", "arms"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char path[64];
        snprintf(path, sizeof path, "/v1/campaigns/old/%s", refused[i]);
        assert_refused(call("POST", path, i == 4 ? "{\"pause\":[\"a\"]}" : "{}"), 409, "archived",
                       "/unarchive");
    }
    assert_int_equal(call("POST", reward, "{\"rewards\":[1]}"), 200);
    assert_string_equal(json_string_value(json_object_get(server.body, "status")), "acknowledged");
    assert_false(is_listed("/v1/campaigns", "old"));
    assert_false(is_listed("/v1/campaigns?archived=false", "old"));
    assert_true(is_listed("/v1/campaigns?archived=true", "old"));
    assert_refused(call("GET", "/v1/campaigns?archived=1", NULL), 400, "bad_value",
                   "true or false");
    running_fine(&server, "GET", "/v1/campaigns/old/guarantee", NULL);
    running_fine(&server, "GET", "/v1/campaigns/old/releases", NULL);
    assert_int_equal(call("GET", "/v1/campaigns/old", NULL), 200);
    assert_int_equal(call("POST", "/v1/campaigns/old/unarchive", "{}"), 200);
    assert_true(!is_set("archived") && is_set("paused"));
    running_fine(&server, "POST", "/v1/campaigns/old/resume", "{}");
    rank_one("old", reward);
}

TEST(test_a_closed_campaign_can_only_be_archived)
{
    running_fine(&server, "PUT", "/v1/campaigns/ended", "{" BODY "}");
    running_fine(&server, "POST", "/v1/campaigns/ended/close", "{}");
    assert_refused(call("POST", "/v1/campaigns/ended/pause", "{}"), 409, "closed", "");
    assert_refused(call("POST", "/v1/campaigns/ended/resume", "{}"), 409, "closed", "");
    running_fine(&server, "POST", "/v1/campaigns/ended/archive", "{}");
    running_fine(&server, "POST", "/v1/campaigns/ended/unarchive", "{}");
    assert_refused(call("POST", "/v1/campaigns/ended/rank", "{}"), 409, "closed", "");
}

TEST(test_each_act_has_a_line_in_the_audit_log)
{
    static const char *const acts[] = {"create",  "pause",     "resume",
                                       "archive", "unarchive", "delete"};
    running_fine(&server, "PUT", "/v1/campaigns/logged", "{" BODY "}");
    for (size_t i = 1; i + 1 < sizeof acts / sizeof *acts; i++) {
        char path[64];
        snprintf(path, sizeof path, "/v1/campaigns/logged/%s", acts[i]);
        running_fine(&server, "POST", path, "{}");
        running_fine(&server, "POST", path, "{}"); /* changes nothing, and has no line */
    }
    running_fine(&server, "DELETE", "/v1/campaigns/logged", NULL);
    running_fine(&server, "DELETE", "/v1/campaigns/logged", NULL);
    const json_t *const list =
        json_object_get(running_fine(&server, "GET", "/v1/audit?limit=1000", NULL), "acts");
    size_t found = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *const line = json_array_get(list, i);
        const char *const name = json_string_value(json_object_get(line, "campaign"));
        if (name && strcmp(name, "logged") == 0) {
            assert_string_equal(json_string_value(json_object_get(line, "act")), acts[found]);
            found++;
        }
    }
    assert_int_equal(found, sizeof acts / sizeof *acts);
}

/* --- deleting --------------------------------------------------------------------------------- */

typedef struct wrapped_key {
    unsigned char bytes[256];
    size_t length;
} wrapped_key;

static lotor_status keep_key(void *context, const unsigned char *bytes, size_t length)
{
    wrapped_key *const key = context;
    assert_true(length > 32 && length <= sizeof key->bytes);
    memcpy(key->bytes, bytes, length);
    key->length = length;
    return LOTOR_OK;
}

typedef struct id_finder {
    const char *name;
    uint64_t id;
} id_finder;

static lotor_status find_id(void *context, const lotor_campaign_row *row)
{
    id_finder *const at = context;
    at->id = strcmp(row->name, at->name) == 0 ? row->id : at->id;
    return LOTOR_OK;
}

/* Reads the campaign's wrapped key, as an operator with the file could. */
static wrapped_key key_of(const char *name)
{
    lotor_store *store = NULL;
    lotor_message why = {""};
    wrapped_key key = {.length = 0};
    id_finder at = {.name = name};
    if (lotor_store_open(server.store_path, LOTOR_STORE_READ, NULL, &why, &store) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    assert_int_equal(lotor_store_each_campaign(store, 0, find_id, &at, &why), LOTOR_OK);
    assert_int_equal(lotor_store_get_key(store, at.id, keep_key, &key, &why), LOTOR_OK);
    lotor_store_close(store);
    return key;
}

static bool file_has(const char *suffix, const wrapped_key *key)
{
    char path[600];
    struct stat facts;
    snprintf(path, sizeof path, "%s%s", server.store_path, suffix);
    if (stat(path, &facts) != 0 || facts.st_size == 0) {
        return false;
    }
    size_t length;
    unsigned char *const bytes = scratch_read(path, &length);
    bool has = false;
    for (size_t i = 0; !has && i + key->length <= length; i++) {
        has = memcmp(bytes + i, key->bytes, key->length) == 0;
    }
    free(bytes);
    return has;
}

static size_t releases_of_gone(void)
{
    return json_array_size(json_object_get(
        running_fine(&server, "GET", "/v1/campaigns/gone/releases", NULL), "releases"));
}

TEST(test_a_deleted_campaign_leaves_no_key)
{
    static const char body[] = "{\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\"],\"epsilon\":"
                               "5,\"wait_seconds\":0.01}";
    char reward[200];
    running_fine(&server, "PUT", "/v1/campaigns/gone", body);
    const double end = lotor_time_seconds() + test_seconds(20.0);
    while (releases_of_gone() == 0 && lotor_time_seconds() < end) {
        running_fine(&server, "POST", "/v1/campaigns/gone/rank-batch", "{\"count\":20}");
    }
    rank_one("gone", reward);
    const wrapped_key key = key_of("gone");
    assert_true(file_has("", &key) || file_has("-wal", &key));
    running_fine(&server, "POST", "/v1/campaigns/gone/close", "{}");
    assert_int_equal(running_call(&server, RUNNING_READ, "DELETE", "/v1/campaigns/gone", NULL),
                     403);
    assert_int_equal(call("DELETE", "/v1/campaigns/gone", NULL), 200);
    assert_true(is_set("deleted"));
    assert_false(file_has("", &key) || file_has("-wal", &key) || file_has("-shm", &key));
    assert_true(releases_of_gone() > 0);
    assert_int_equal(call("GET", "/v1/campaigns/gone/releases?format=csv", NULL), 200);
    assert_int_equal(call("DELETE", "/v1/campaigns/gone", NULL), 200); /* again is fine */
    assert_int_equal(call("GET", "/v1/campaigns/gone", NULL), 200);
    assert_int_equal(call("GET", "/v1/campaigns/gone/guarantee", NULL), 200);
    assert_non_null(strstr(server.text, "The campaign was deleted"));
    assert_refused(call("POST", "/v1/campaigns/gone/rank", "{}"), 410, "deleted", "was deleted");
    assert_refused(call("POST", reward, "{\"rewards\":[1]}"), 410, "deleted", "was deleted");
    assert_refused(call("POST", "/v1/campaigns/gone/unarchive", "{}"), 410, "deleted",
                   "was deleted");
    assert_refused(call("PUT", "/v1/campaigns/gone", body), 409, "exists", "was deleted");
    assert_int_equal(call("POST", "/ofrep/v1/evaluate/flags/gone", "{}"), 404);
    assert_false(is_listed("/v1/campaigns", "gone"));
    assert_true(is_listed("/v1/campaigns?archived=true", "gone"));
    assert_refused(call("DELETE", "/v1/campaigns/nothing", NULL), 404, "no_such_campaign", "");
    assert_refused(call("PUT", "/v1/campaigns/x2", "{\"deleted\":true," BODY "}"), 400, "bad_value",
                   "DELETE");
}

static lotor_status see_nothing(void *context, const lotor_campaign_row *row)
{
    (void)context;
    (void)row;
    return LOTOR_OK;
}

static bool is_overwritten(void *context)
{
    return !file_has("", context) && !file_has("-wal", context);
}

/* A reader, such as a backup, keeps the log from being emptied. The server does not wait for it, and
 * empties the log when the reader has ended. */
TEST(test_a_reader_delays_the_overwriting)
{
    running_fine(&server, "PUT", "/v1/campaigns/gone2", "{" BODY "}");
    wrapped_key key = key_of("gone2");
    lotor_store *reader = NULL;
    lotor_message why;
    assert_int_equal(lotor_store_open(server.store_path, LOTOR_STORE_READ, NULL, &why, &reader),
                     LOTOR_OK);
    assert_int_equal(lotor_store_begin(reader, &why), LOTOR_OK);
    assert_int_equal(lotor_store_each_campaign(reader, 0, see_nothing, NULL, &why), LOTOR_OK);
    running_fine(&server, "DELETE", "/v1/campaigns/gone2", NULL);
    running_fine(&server, "PUT", "/v1/campaigns/other2", "{" BODY "}"); /* the server goes on */
    assert_false(is_overwritten(&key)); /* the reader's snapshot still needs it */
    lotor_store_rollback(reader);
    lotor_store_close(reader);
    assert_true(test_await(is_overwritten, &key, 10));
}

TEST_GROUP(start_server, stop_server);
