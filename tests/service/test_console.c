/* test_console.c - the routes that the console needs, over HTTP: the key in use, and the keys of the
 * server. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/time.h"
#include "service/http/keys.h"
#include "service/running.h"

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
    return running_call(&server, RUNNING_WRONG, method, path, body);
}

static const char *text_of(const char *name)
{
    const char *const text = json_string_value(json_object_get(server.body, name));
    return text ? text : "(none)";
}

/* --- the key in use --------------------------------------------------------------------------- */

TEST(test_every_valid_key_can_ask_what_it_may_do)
{
    const uint64_t then = lotor_time_wall_ms() / 1000 + 1000;
    running_use_key(&server, LOTOR_ROLE_RANK | LOTOR_ROLE_METRICS, "web-1", "home", then);
    assert_int_equal(call("GET", "/v1/me", NULL), 200);
    assert_string_equal(text_of("name"), "web-1");
    assert_int_equal(strlen(text_of("id")), LOTOR_KEY_ID_LENGTH);
    assert_string_equal(text_of("campaign"), "home");
    assert_int_equal(json_integer_value(json_object_get(server.body, "expires")), then);
    const json_t *const roles = json_object_get(server.body, "roles");
    assert_int_equal(json_array_size(roles), 2);
    assert_string_equal(json_string_value(json_array_get(roles, 0)), "rank");
    assert_string_equal(json_string_value(json_array_get(roles, 1)), "metrics");
    assert_null(strstr(server.text, server.key[RUNNING_WRONG]));
    static const int all[] = {RUNNING_RANK, RUNNING_REWARD, RUNNING_READ, RUNNING_METRICS,
                              RUNNING_ADMIN};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_int_equal(running_call(&server, all[i], "GET", "/v1/me", NULL), 200);
        assert_int_equal(json_array_size(json_object_get(server.body, "roles")), 1);
        assert_true(json_is_null(json_object_get(server.body, "campaign")));
        assert_true(json_is_null(json_object_get(server.body, "expires")));
    }
    assert_int_equal(running_call(&server, RUNNING_NOBODY, "GET", "/v1/me", NULL), 401);
    running_use_key(&server, LOTOR_ROLE_ADMIN, "old", NULL, 1);
    assert_int_equal(call("GET", "/v1/me", NULL), 401);
}

/* --- the keys of the server ------------------------------------------------------------------- */

/* The key with that id in GET /v1/keys; NULL: there is none. */
static const json_t *listed(const char *id)
{
    const json_t *const keys =
        json_object_get(running_fine(&server, "GET", "/v1/keys", NULL), "keys");
    for (size_t i = 0; i < json_array_size(keys); i++) {
        const json_t *const key = json_array_get(keys, i);
        if (strcmp(json_string_value(json_object_get(key, "id")), id) == 0) {
            return key;
        }
    }
    return NULL;
}

/* The last line of the audit log. */
static const json_t *last_act(void)
{
    const json_t *const acts =
        json_object_get(running_fine(&server, "GET", "/v1/audit?limit=1000", NULL), "acts");
    return json_array_get(acts, json_array_size(acts) - 1);
}

static void expect_act(const char *act, const char *words)
{
    const json_t *const last = last_act();
    assert_string_equal(json_string_value(json_object_get(last, "act")), act);
    assert_non_null(strstr(json_string_value(json_object_get(last, "change")), words));
    assert_true(json_is_null(json_object_get(last, "campaign")));
    assert_string_equal(json_string_value(json_object_get(last, "key")), "test");
}

static void revoke_path(const char *id, const char *query, char path[100])
{
    snprintf(path, 100, "/v1/keys/%s%s", id, query);
}

/* Makes a key over HTTP and uses it as RUNNING_WRONG. */
static void make_key(const char *body, char id[LOTOR_KEY_ID_LENGTH + 1])
{
    const json_t *const made = running_fine(&server, "POST", "/v1/keys", body);
    assert_int_equal(server.status, 201);
    const char *const key = json_string_value(json_object_get(made, "key"));
    assert_int_equal(strlen(key), LOTOR_KEY_LENGTH);
    memcpy(server.key[RUNNING_WRONG], key, LOTOR_KEY_LENGTH + 1);
    snprintf(id, LOTOR_KEY_ID_LENGTH + 1, "%s", text_of("id"));
}

TEST(test_a_key_is_made_listed_and_revoked)
{
    char id[LOTOR_KEY_ID_LENGTH + 1], path[100];
    make_key("{\"roles\":[\"rank\",\"read\"],\"name\":\"web-9\",\"campaign\":\"home\",\"expires\":"
             "\"90d\"}",
             id);
    expect_act("key", "web-9 (");
    expect_act("key", "roles rank,read, campaign home, expires 2");
    assert_null(strstr(server.text, server.key[RUNNING_WRONG]));
    assert_int_equal(call("GET", "/v1/me", NULL), 200); /* it works at once */
    assert_string_equal(text_of("id"), id);
    assert_string_equal(text_of("campaign"), "home");
    const json_t *const key = listed(id);
    assert_non_null(key);
    assert_null(strstr(server.text, server.key[RUNNING_WRONG]));
    assert_string_equal(json_string_value(json_object_get(key, "roles")), "rank,read");
    assert_string_equal(json_string_value(json_object_get(key, "name")), "web-9");
    assert_true(json_is_false(json_object_get(key, "expired")));
    const char *const expires = json_string_value(json_object_get(key, "expires"));
    uint64_t then = 0;
    assert_true(lotor_key_time_read(expires, strlen(expires), &then));
    const uint64_t days = (then - lotor_time_wall_ms() / 1000 + 3600) / 86400;
    assert_int_equal(days, 90);
    revoke_path(id, "", path);
    running_fine(&server, "DELETE", path, NULL);
    assert_string_equal(text_of("name"), "web-9");
    assert_int_equal(call("GET", "/v1/me", NULL), 401); /* it ends at once */
    expect_act("revoke", "web-9 (");
    assert_null(listed(id));
    assert_int_equal(running_call(&server, RUNNING_ADMIN, "DELETE", path, NULL), 404);
    assert_string_equal(running_error(&server), "no_such_key");
}

TEST(test_the_key_in_use_is_revoked_only_on_request)
{
    char id[LOTOR_KEY_ID_LENGTH + 1], path[100];
    make_key("{\"roles\":[\"admin\"]}", id);
    revoke_path(id, "", path);
    assert_int_equal(call("DELETE", path, NULL), 409);
    assert_string_equal(running_error(&server), "in_use");
    assert_non_null(strstr(server.text, "?self=true"));
    revoke_path(id, "?self=yes", path);
    assert_int_equal(call("DELETE", path, NULL), 400);
    revoke_path(id, "?self=false", path);
    assert_int_equal(call("DELETE", path, NULL), 409);
    assert_int_equal(call("GET", "/v1/keys", NULL), 200);
    revoke_path(id, "?self=true", path);
    assert_int_equal(call("DELETE", path, NULL), 200);
    assert_int_equal(call("GET", "/v1/keys", NULL), 401);
}

/* A key for one campaign, or without the role admin, can't look at keys, nor make or revoke them. */
TEST(test_who_may_manage_keys)
{
    char id[LOTOR_KEY_ID_LENGTH + 1], path[100];
    static const char all[] = "{\"roles\":[\"admin\"]}";
    make_key("{\"roles\":[\"admin\"],\"campaign\":\"home\"}", id);
    revoke_path(id, "?self=true", path);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(call("GET", "/v1/keys", NULL), 403);
        assert_int_equal(call("POST", "/v1/keys", all), 403);
        assert_int_equal(call("DELETE", path, NULL), 403);
        make_key("{\"roles\":[\"rank\",\"reward\",\"read\",\"metrics\"]}", id);
        revoke_path(id, "?self=true", path);
    }
    assert_non_null(listed(id));
}

TEST(test_bad_keys_are_refused_and_leave_no_line)
{
    static const struct {
        const char *body, *field;
    } bad[] = {
        {"{}", "roles"},
        {"{\"roles\":[]}", "roles"},
        {"{\"roles\":\"admin\"}", "roles"},
        {"{\"roles\":[\"admin\",\"root\"]}", "roles[1]"},
        {"{\"roles\":[\"rank\"],\"expires\":\"soon\"}", "expires"},
        {"{\"roles\":[\"rank\"],\"expires\":\"2001-01-01\"}", "expires"},
        {"{\"roles\":[\"rank\"],\"expires\":90}", "expires"},
        {"{\"roles\":[\"rank\"],\"name\":7}", "name"},
        {"{\"roles\":[\"rank\"],\"name\":\"a b\"}", NULL},
        {"{\"roles\":[\"rank\"],\"name\":\"\"}", NULL},
        {"{\"roles\":[\"rank\"],\"campaign\":\"a/b\"}", NULL},
        {"{\"roles\":[\"rank\"],\"role\":\"admin\"}", "role"},
    };
    const json_int_t before = json_integer_value(json_object_get(last_act(), "number"));
    const size_t keys = lotor_keys_count(server.keys);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(running_call(&server, RUNNING_ADMIN, "POST", "/v1/keys", bad[i].body),
                         400);
        const char *const field =
            json_string_value(json_object_get(json_object_get(server.body, "error"), "field"));
        assert_int_equal(field != NULL, bad[i].field != NULL);
        assert_string_equal(field ? field : "", bad[i].field ? bad[i].field : "");
    }
    assert_int_equal(json_integer_value(json_object_get(last_act(), "number")), before);
    assert_int_equal(lotor_keys_count(server.keys), keys);
}

/* Another key may have this key's id as its name. */
TEST(test_a_key_is_revoked_by_its_id_alone)
{
    char id[LOTOR_KEY_ID_LENGTH + 1], path[100], other[LOTOR_KEY_ID_LENGTH + 1], body[100];
    make_key("{\"roles\":[\"rank\"],\"name\":\"one\"}", id);
    snprintf(body, sizeof body, "{\"roles\":[\"rank\"],\"name\":\"%s\"}", id);
    make_key(body, other);
    revoke_path("one", "", path);
    assert_int_equal(running_call(&server, RUNNING_ADMIN, "DELETE", path, NULL), 404);
    revoke_path(id, "", path);
    running_fine(&server, "DELETE", path, NULL);
    assert_null(listed(id));
    assert_non_null(listed(other));
}

/* The line comes first: a key that can't be kept is not handed out. */
TEST(test_a_key_file_that_cannot_be_written)
{
    const size_t keys = lotor_keys_count(server.keys);
    char moved[600];
    snprintf(moved, sizeof moved, "%s.moved", server.keys_path);
    assert_int_equal(rename(server.keys_path, moved), 0);
    assert_int_equal(mkdir(server.keys_path, 0700), 0); /* fails for root, too */
    assert_int_equal(
        running_call(&server, RUNNING_ADMIN, "POST", "/v1/keys", "{\"roles\":[\"rank\"]}"), 503);
    assert_null(json_object_get(server.body, "key"));
    assert_int_equal(running_call(&server, RUNNING_ADMIN, "GET", "/v1/keys", NULL), 503);
    assert_int_equal(rmdir(server.keys_path), 0);
    assert_int_equal(rename(moved, server.keys_path), 0);
    lotor_message why;
    assert_int_equal(lotor_keys_reload(server.keys, false, &why), LOTOR_OK);
    assert_int_equal(lotor_keys_count(server.keys), keys);
}

/* --- dry runs --------------------------------------------------------------------------------- */

/* A dry run replies with the guarantee that the campaign gets, and creates nothing. */
TEST(test_a_dry_run_has_the_guarantee_of_the_campaign)
{
    static const char *const specs[] = {
        "\"epsilon\":1",
        "\"epsilon\":12",
        "\"epsilon\":1,\"rounds_per_user\":7",
        "\"epsilon\":1,\"algorithm\":\"rr-imed\"",
        "\"epsilon\":1,\"dimension\":3,\"horizon\":1000",
        "\"epsilon\":1,\"dimension\":3,\"horizon\":1000,\"delta\":0.05",
        "\"epsilon\":1,\"rounds_per_user\":2,\"budget\":\"dry\"",
        "\"epsilon\":1,\"evaluation\":{\"share\":0.1,\"control\":\"uniform\"}",
    };
    running_fine(&server, "POST", "/v1/budgets", "{\"name\":\"dry\",\"epsilon\":3}");
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        char body[300], path[40];
        snprintf(body, sizeof body, "{\"name\":\"dry-%zu\",\"arms\":[\"a\",\"b\"],%s}", i,
                 specs[i]);
        snprintf(path, sizeof path, "/v1/campaigns/dry-%zu", i);
        const json_int_t before = json_integer_value(json_object_get(last_act(), "number"));
        running_fine(&server, "POST", "/v1/campaigns?dry_run=true", body);
        assert_int_equal(server.status, 200);
        assert_true(json_is_false(json_object_get(server.body, "exists")));
        json_t *const promised = json_incref(json_object_get(server.body, "guarantee"));
        assert_true(json_is_object(promised));
        assert_int_equal(running_call(&server, RUNNING_ADMIN, "GET", path, NULL), 404);
        assert_int_equal(json_integer_value(json_object_get(last_act(), "number")), before);
        running_fine(&server, "POST", "/v1/campaigns?dry_run=false", body);
        assert_int_equal(server.status, 201);
        assert_true(json_equal(json_object_get(server.body, "guarantee"), promised));
        running_fine(&server, "POST", "/v1/campaigns?dry_run=true", body); /* it is there now */
        assert_true(json_is_true(json_object_get(server.body, "exists")));
        assert_true(json_equal(json_object_get(server.body, "guarantee"), promised));
        json_decref(promised);
    }
    const json_t *const budget = running_fine(&server, "GET", "/v1/budgets/dry", NULL);
    assert_int_equal(json_array_size(json_object_get(budget, "campaigns")), 1);
}

/* A dry run is refused as the real request is. */
TEST(test_a_dry_run_is_refused_as_the_real_request)
{
    static const struct {
        const char *rest, *code, *field;
    } bad[] = {
        {"\"name\":\"full\",\"epsilon\":2", "exists", "epsilon"},
        {"\"name\":\"x\",\"epsilon\":1,\"slots\":3", "bad_value", "slots"},
        {"\"name\":\"x\",\"epsilon\":0", "bad_value", "epsilon"},
        {"\"name\":\"x\",\"epsilon\":1,\"budget\":\"none\"", "bad_value", "budget"},
        {"\"name\":\"x\",\"epsilon\":1,\"prior\":\"none\"", "bad_value", "prior"},
        {"\"name\":\"x\",\"epsilon\":1,\"horizn\":5", "unknown_field", "horizn"},
    };
    running_fine(&server, "POST", "/v1/campaigns",
                 "{\"name\":\"full\",\"arms\":[\"a\",\"b\"],\"epsilon\":1}");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char body[200];
        snprintf(body, sizeof body, "{\"arms\":[\"a\",\"b\"],%s}", bad[i].rest);
        const char *const paths[] = {"/v1/campaigns?dry_run=true", "/v1/campaigns"};
        for (size_t j = 0; j < 2; j++) {
            assert_true(running_call(&server, RUNNING_ADMIN, "POST", paths[j], body) >= 400);
            const json_t *const error = json_object_get(server.body, "error");
            assert_string_equal(running_error(&server), bad[i].code);
            assert_string_equal(json_string_value(json_object_get(error, "field")), bad[i].field);
        }
    }
    static const char fine[] = "{\"name\":\"y\",\"arms\":[\"a\",\"b\"],\"epsilon\":1}";
    assert_int_equal(running_call(&server, RUNNING_ADMIN, "POST", "/v1/campaigns?dry_run=1", fine),
                     400);
    assert_int_equal(
        running_call(&server, RUNNING_READ, "POST", "/v1/campaigns?dry_run=true", fine), 403);
}

/* --- sandboxes -------------------------------------------------------------------------------- */

/* A sandbox has the settings and the arms of its campaign, and feeds it nothing. */
TEST(test_a_sandbox)
{
    static const char *const same[] = {"algorithm", "epsilon",         "slots",
                                       "feedback",  "wait_seconds",    "reward_range",
                                       "max_arms",  "rounds_per_user", "sticky_seconds"};
    running_fine(&server, "POST", "/v1/budgets", "{\"name\":\"people\",\"epsilon\":3}");
    running_fine(
        &server, "POST", "/v1/campaigns",
        "{\"name\":\"try\",\"arms\":[{\"id\":\"a\",\"title\":\"A\"},\"b\",\"c\"],\"slots\":2,"
        "\"epsilon\":1,\"wait_seconds\":70,\"budget\":\"people\",\"title\":\"T\","
        "\"rounds_per_user\":2,\"sticky_seconds\":60}");
    running_fine(&server, "POST", "/v1/campaigns/try/arms", "{\"add\":[\"d\"],\"remove\":[\"b\"]}");
    json_t *const real =
        json_incref((json_t *)running_fine(&server, "GET", "/v1/campaigns/try", NULL));
    const json_t *sandbox = running_fine(&server, "POST", "/v1/campaigns/try/sandbox", NULL);
    assert_int_equal(server.status, 201);
    assert_string_equal(text_of("name"), "try-sandbox");
    assert_string_equal(text_of("title"), "T");
    assert_non_null(strstr(text_of("description"), "A sandbox of the campaign try"));
    const json_t *const marks = json_object_get(sandbox, "metadata");
    assert_true(json_is_true(json_object_get(marks, "sandbox")));
    assert_string_equal(json_string_value(json_object_get(marks, "sandbox_of")), "try");
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_true(json_equal(json_object_get(sandbox, same[i]), json_object_get(real, same[i])));
    }
    const json_t *const arms = json_object_get(sandbox, "arms");
    assert_int_equal(json_array_size(arms), 3); /* a, c and d */
    /* it is in no budget, so that a try costs nobody anything */
    assert_false(json_is_string(json_object_get(sandbox, "budget")));
    const json_t *const guarantee = json_object_get(sandbox, "guarantee");
    assert_string_equal(json_string_value(json_object_get(guarantee, "sandbox_of")), "try");
    assert_null(json_object_get(guarantee, "budget"));
    assert_non_null(strstr(json_string_value(json_object_get(guarantee, "statement")),
                           "must not be shown to real people"));
    assert_null(json_object_get(json_object_get(real, "guarantee"), "sandbox_of"));
    json_decref(real);
    running_fine(&server, "POST", "/v1/campaigns/try-sandbox/rank", "{\"user\":\"ann\"}");
    const json_t *const now = running_fine(&server, "GET", "/v1/campaigns/try", NULL);
    assert_int_equal(json_integer_value(json_object_get(now, "decisions")), 0);
    /* again: the same one, though the campaign has another arm now */
    running_fine(&server, "POST", "/v1/campaigns/try/arms", "{\"pause\":[\"c\"]}");
    sandbox = running_fine(&server, "POST", "/v1/campaigns/try/sandbox", "{}");
    assert_int_equal(server.status, 200);
    assert_string_equal(text_of("name"), "try-sandbox");
    assert_int_equal(json_integer_value(json_object_get(sandbox, "decisions")), 1);
}

/* A campaign that has the name by chance is not used, and neither is a deleted sandbox. */
TEST(test_the_name_of_a_sandbox)
{
    running_fine(&server, "POST", "/v1/campaigns",
                 "{\"name\":\"n\",\"arms\":[\"a\",\"b\"],\"epsilon\":1}");
    running_fine(&server, "POST", "/v1/campaigns",
                 "{\"name\":\"n-sandbox\",\"arms\":[\"a\",\"b\"],\"epsilon\":1}");
    running_fine(&server, "POST", "/v1/campaigns/n/sandbox", NULL);
    assert_int_equal(server.status, 201);
    assert_string_equal(text_of("name"), "n-sandbox-2");
    running_fine(&server, "DELETE", "/v1/campaigns/n-sandbox-2", NULL);
    running_fine(&server, "POST", "/v1/campaigns/n/sandbox", NULL);
    assert_int_equal(server.status, 201);
    assert_string_equal(text_of("name"), "n-sandbox-3");
    /* 64 letters */
    running_fine(&server, "POST", "/v1/campaigns",
                 "{\"name\":\"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg\","
                 "\"arms\":[\"a\",\"b\"],\"epsilon\":1}");
    running_fine(
        &server, "POST",
        "/v1/campaigns/aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg/sandbox",
        NULL);
    assert_string_equal(text_of("name"),
                        "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeee-sandbox");
}

/* A removed arm that the control names is paused in the sandbox: without it the control would be refused. */
TEST(test_a_sandbox_whose_control_has_a_removed_arm)
{
    running_fine(&server, "POST", "/v1/campaigns",
                 "{\"name\":\"gone\",\"arms\":[\"a\",\"b\",\"c\"],\"epsilon\":1,"
                 "\"evaluation\":{\"share\":0.5,\"control\":[\"a\"]}}");
    running_fine(&server, "POST", "/v1/campaigns/gone/arms", "{\"remove\":[\"a\",\"b\"]}");
    const json_t *const sandbox = running_fine(&server, "POST", "/v1/campaigns/gone/sandbox", NULL);
    const json_t *const arms = json_object_get(sandbox, "arms");
    assert_int_equal(json_array_size(arms), 2); /* a and c */
    const json_t *const first = json_array_get(arms, 0);
    assert_string_equal(json_string_value(json_object_get(first, "id")), "a");
    assert_true(json_is_true(json_object_get(first, "paused")));
    assert_null(json_object_get(first, "removed"));
}

/* Gives feedback until the campaign has released something. */
static void feed_until_released(const char *campaign)
{
    char rank[100], releases[100], reward[200];
    snprintf(rank, sizeof rank, "/v1/campaigns/%s/rank", campaign);
    snprintf(releases, sizeof releases, "/v1/campaigns/%s/releases", campaign);
    for (int i = 0; i < 500; i++) {
        running_fine(&server, "POST", rank, "{}");
        snprintf(reward, sizeof reward, "/v1/events/%s/reward", text_of("event"));
        running_fine(&server, "POST", reward, "{\"rewards\":[1]}");
        const json_t *const told = running_fine(&server, "GET", releases, NULL);
        if (json_array_size(json_object_get(told, "releases")) > 0) {
            return;
        }
    }
    fail_msg("nothing was released");
}

/* The sandbox of a campaign with a prior has the same prior, even if the arms that both have are removed. */
TEST(test_a_sandbox_with_a_prior)
{
    running_fine(&server, "POST", "/v1/campaigns",
                 "{\"name\":\"older\",\"arms\":[\"a\"],\"epsilon\":1,\"early_release\":true}");
    feed_until_released("older");
    running_fine(&server, "POST", "/v1/campaigns",
                 "{\"name\":\"newer\",\"arms\":[\"a\",\"b\"],\"epsilon\":1,"
                 "\"prior\":\"older\"}");
    running_fine(&server, "POST", "/v1/campaigns/newer/arms", "{\"remove\":[\"a\"]}");
    running_fine(&server, "POST", "/v1/campaigns/newer/sandbox", NULL);
    assert_int_equal(server.status, 201);
    assert_string_equal(text_of("prior"), "older");
}

TEST_GROUP(start_server, stop_server);
