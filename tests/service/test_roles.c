/* test_roles.c - keys for one campaign, keys that expire, and the audit log, over HTTP. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "service/http/api.h"
#include "service/running.h"
#include "support/patience.h"

static running server;

static int start_server(void **state)
{
    static const char *const names[] = {"shop", "blog"};
    (void)state;
    running_start(&server, 0);
    for (int i = 0; i < 2; i++) {
        char body[200];
        snprintf(body, sizeof body,
                 "{\"name\":\"%s\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\"],"
                 "\"epsilon\":1,\"max_arms\":40,\"wait_seconds\":60}",
                 names[i]);
        running_fine(&server, "POST", "/v1/campaigns", body);
    }
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

static const char *message(void)
{
    const char *const text =
        json_string_value(json_object_get(json_object_get(server.body, "error"), "message"));
    return text ? text : "";
}

static void assert_forbidden(unsigned status, const char *words)
{
    if (status != 403 || strcmp(running_error(&server), "forbidden") != 0 ||
        !strstr(message(), words)) {
        fail_msg("%u, expected 403 with \"%s\": %s", status, words, server.text);
    }
}

/* --- roles ------------------------------------------------------------------------------------ */

TEST(test_a_refusal_says_which_role_is_needed)
{
    running_use_key(&server, LOTOR_ROLE_RANK | LOTOR_ROLE_REWARD, "web", NULL, 0);
    assert_int_equal(call("POST", "/v1/campaigns/shop/rank", "{}"), 200);
    assert_forbidden(call("GET", "/v1/campaigns/shop", NULL), "with the role read or admin");
    assert_non_null(strstr(message(), "(rank,reward)"));
    assert_forbidden(call("GET", "/metrics", NULL), "with the role metrics or admin");
    assert_forbidden(call("POST", "/v1/campaigns/shop/close", "{}"), "with the role admin");
    assert_forbidden(call("GET", "/v1/audit", NULL), "with the role admin");
    running_use_key(&server, LOTOR_ROLE_READ, "auditor", NULL, 0);
    assert_int_equal(call("GET", "/v1/campaigns/shop/guarantee", NULL), 200);
    assert_forbidden(call("GET", "/metrics", NULL), "with the role metrics or admin");
    assert_forbidden(call("POST", "/v1/campaigns/shop/rank", "{}"), "with the role rank or admin");
    running_use_key(&server, LOTOR_ROLE_METRICS, "prometheus", NULL, 0);
    assert_int_equal(call("GET", "/metrics", NULL), 200);
    assert_forbidden(call("GET", "/v1/campaigns", NULL), "with the role read or admin");
}

/* --- one campaign ----------------------------------------------------------------------------- */

static void path_for(const char *pattern, const char *name, char path[256])
{
    const char *const opens = strchr(pattern, '{');
    snprintf(path, 256, "%.*s%s%s", opens ? (int)(opens - pattern) : (int)strlen(pattern), pattern,
             opens ? name : "", opens ? strchr(pattern, '}') + 1 : "");
}

/* Every route that needs a key, with an admin key for the campaign shop. A campaign that does not
 * exist gets the same reply as another campaign. */
TEST(test_every_route_with_a_key_for_one_campaign)
{
    running_use_key(&server, LOTOR_ROLE_ADMIN, "shop-admin", "shop", 0);
    for (size_t i = 0; i < lotor_route_count; i++) {
        const lotor_route *const route = &lotor_routes[i];
        const char *const body = strcmp(route->method, "GET") == 0 ? NULL : "{}";
        char path[256];
        if (route->role == LOTOR_ROLE_NONE || strstr(route->path, "/close") ||
            strstr(route->path, "/archive") || strcmp(route->method, "DELETE") == 0) {
            continue;
        }
        if (strstr(route->path, "{name}") && route->scope == LOTOR_SCOPE_SERVER) {
            path_for(route->path, "shop", path); /* makes another campaign */
            assert_forbidden(call(route->method, path, body), "for all campaigns");
        } else if (strstr(route->path, "{name}")) {
            path_for(route->path, "blog", path);
            assert_forbidden(call(route->method, path, body), "this key is for the campaign shop");
            path_for(route->path, "nothing", path);
            assert_forbidden(call(route->method, path, body), "this key is for the campaign shop");
            path_for(route->path, "shop", path);
            assert_true(call(route->method, path, body) != 403);
        } else if (route->scope == LOTOR_SCOPE_SERVER) {
            assert_forbidden(call(route->method, route->path, body), "for all campaigns");
        } else {
            path_for(route->path, "x", path);
            assert_true(call(route->method, path, body) != 403); /* the next tests */
        }
    }
}

TEST(test_a_list_shows_the_one_campaign)
{
    running_use_key(&server, LOTOR_ROLE_READ, "reader", "blog", 0);
    assert_int_equal(call("GET", "/v1/campaigns", NULL), 200);
    const json_t *const list = json_object_get(server.body, "campaigns");
    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "name")),
                        "blog");
    running_use_key(&server, LOTOR_ROLE_READ, "reader", "not-yet", 0);
    assert_int_equal(call("GET", "/v1/campaigns", NULL), 200);
    assert_int_equal(json_array_size(json_object_get(server.body, "campaigns")), 0);
}

TEST(test_only_the_one_campaign_is_created)
{
    running_use_key(&server, LOTOR_ROLE_ADMIN, "news-admin", "news", 0);
    assert_forbidden(call("POST", "/v1/campaigns",
                          "{\"name\":\"other\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\","
                          "\"b\"],\"epsilon\":1}"),
                     "this key is for the campaign news");
    assert_int_equal(running_call(&server, RUNNING_ADMIN, "GET", "/v1/campaigns/other", NULL), 404);
    /* another campaign's releases can't be a prior, whether there is such a campaign or not */
    assert_forbidden(
        call("POST", "/v1/campaigns",
             "{\"name\":\"news\",\"arms\":[\"a\",\"b\"],\"epsilon\":1,\"prior\":\"shop\"}"),
        "this key is for the campaign news");
    assert_forbidden(call("PUT", "/v1/campaigns/news",
                          "{\"arms\":[\"a\",\"b\"],\"epsilon\":1,\"prior\":\"nobody\"}"),
                     "this key is for the campaign news");
    assert_int_equal(call("POST", "/v1/campaigns",
                          "{\"name\":\"news\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\","
                          "\"b\"],\"epsilon\":1}"),
                     201);
}

static void event_of(const char *name, char event[100])
{
    char path[100];
    snprintf(path, sizeof path, "/v1/campaigns/%s/rank", name);
    const json_t *const reply = running_fine(&server, "POST", path, "{}");
    snprintf(event, 100, "%s", json_string_value(json_object_get(reply, "event")));
}

TEST(test_feedback_for_the_one_campaign)
{
    char ours[100], theirs[100], path[200], body[400];
    event_of("shop", ours);
    event_of("blog", theirs);
    running_use_key(&server, LOTOR_ROLE_REWARD | LOTOR_ROLE_READ, "shop-web", "shop", 0);
    snprintf(path, sizeof path, "/v1/events/%s/reward", theirs);
    assert_forbidden(call("POST", path, "{\"rewards\":[1]}"), "this key is for the campaign shop");
    snprintf(path, sizeof path, "/v1/events/%s", theirs);
    assert_forbidden(call("GET", path, NULL), "this key is for the campaign shop");
    /* In a list, each event of another campaign is refused for itself. */
    snprintf(body, sizeof body,
             "{\"rewards\":[{\"event\":\"%s\",\"rewards\":[1]},{\"event\":\"%s\",\"rewards\":"
             "[1]}]}",
             ours, theirs);
    assert_int_equal(call("POST", "/v1/rewards", body), 200);
    assert_int_equal(json_integer_value(json_object_get(server.body, "acknowledged")), 1);
    const json_t *const refused = json_object_get(server.body, "refused");
    assert_int_equal(json_array_size(refused), 1);
    const json_t *const first = json_array_get(refused, 0);
    assert_string_equal(json_string_value(json_object_get(first, "code")), "forbidden");
    assert_string_equal(json_string_value(json_object_get(first, "field")), "rewards[1].event");
    snprintf(body, sizeof body, "{\"rewards\":[{\"event\":\"%s\",\"rewards\":[1]}]}", theirs);
    assert_forbidden(call("POST", "/v1/rewards", body), "this key is for the campaign shop");
    snprintf(path, sizeof path, "/v1/events/%s/reward", ours);
    assert_int_equal(call("POST", path, "{\"rewards\":[1]}"), 200);
    snprintf(path, sizeof path, "/v1/events/%s", ours);
    assert_int_equal(call("GET", path, NULL), 200);
}

/* --- expiry ----------------------------------------------------------------------------------- */

static bool is_refused(void *context)
{
    (void)context;
    return call("POST", "/v1/campaigns/shop/rank", "{}") == 401;
}

static bool is_accepted(void *context)
{
    (void)context;
    return call("POST", "/v1/campaigns/shop/rank", "{}") == 200;
}

/* The store's clock decides, not that of this machine. */
TEST(test_a_key_expires)
{
    const uint64_t now = lotor_time_wall_ms() / 1000;
    running_use_key(&server, LOTOR_ROLE_RANK, "brief", NULL, now + 3600);
    assert_int_equal(call("POST", "/v1/campaigns/shop/rank", "{}"), 200);
    atomic_store(&server.ahead, 2 * 3600 * 1000);
    test_await(is_refused, NULL, 20.0);
    assert_int_equal(server.status, 401);
    assert_string_equal(running_error(&server), "unauthorized");
    assert_non_null(strstr(message(), "this key has expired"));
    running_use_key(&server, LOTOR_ROLE_RANK, "later", NULL, now + 3 * 3600);
    test_await(is_accepted, NULL, 20.0);
    assert_int_equal(server.status, 200);
    atomic_store(&server.ahead, 0);
}

/* --- the key file ----------------------------------------------------------------------------- */

static void assert_metric(const char *line)
{
    assert_int_equal(running_call(&server, RUNNING_ADMIN, "GET", "/metrics", NULL), 200);
    if (!strstr(server.text, line)) {
        fail_msg("%s is not in the metrics", line);
    }
}

TEST(test_bad_lines_are_counted)
{
    lotor_message why;
    size_t length;
    unsigned char *const before = scratch_read(server.keys_path, &length);
    unsigned char *const bad = malloc(length + 18);
    assert_non_null(bad);
    assert_metric("\nlotor_key_file_bad_lines 0\n");
    assert_metric("\nlotor_key_file_readable 1\n");
    memcpy(bad, "nonsense\nnonsense\n", 18);
    memcpy(bad + 18, before, length);
    scratch_write(server.keys_path, bad, length + 18);
    assert_int_equal(lotor_keys_reload(server.keys, true, &why), LOTOR_DAMAGED);
    assert_metric("\nlotor_key_file_bad_lines 2\n");
    scratch_write(server.keys_path, before, length);
    assert_int_equal(lotor_keys_reload(server.keys, false, &why), LOTOR_OK);
    assert_metric("\nlotor_key_file_bad_lines 0\n");
    free(bad);
    free(before);
}

/* --- the audit log ---------------------------------------------------------------------------- */

static const char *text_of(const json_t *act, const char *name)
{
    const char *const text = json_string_value(json_object_get(act, name));
    return text ? text : "";
}

static json_int_t last_number(void)
{
    json_int_t last = 0;
    for (const json_t *next = json_true(); !json_is_null(next);) {
        char path[100];
        snprintf(path, sizeof path, "/v1/audit?limit=2&after=%lld", (long long)last);
        const json_t *const reply = running_fine(&server, "GET", path, NULL);
        const json_t *const acts = json_object_get(reply, "acts");
        for (size_t i = 0; i < json_array_size(acts); i++) {
            const json_int_t number =
                json_integer_value(json_object_get(json_array_get(acts, i), "number"));
            assert_int_equal(number, ++last);
        }
        next = json_object_get(reply, "next");
        assert_true(json_is_null(next) || json_integer_value(next) == last);
    }
    return last;
}

TEST(test_acts_have_a_line_each)
{
    const json_int_t before = last_number();
    char path[200], event[100];
    assert_int_equal(running_call(&server, RUNNING_ADMIN, "GET", "/v1/audit?limit=0", NULL), 400);
    assert_int_equal(running_call(&server, RUNNING_ADMIN, "GET", "/v1/audit?after=x", NULL), 400);
    running_use_key(&server, LOTOR_ROLE_ADMIN, "alice", NULL, 0);
    assert_int_equal(call("POST", "/v1/campaigns",
                          "{\"name\":\"act\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\"],"
                          "\"epsilon\":0.5,\"max_arms\":40}"),
                     201);
    /* The same again changes nothing. */
    assert_int_equal(call("POST", "/v1/campaigns",
                          "{\"name\":\"act\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\"],"
                          "\"epsilon\":0.5,\"max_arms\":40}"),
                     201);
    assert_int_equal(
        call("POST", "/v1/campaigns/act/arms", "{\"add\":[\"c\",\"d\"],\"pause\":[\"a\"]}"), 200);
    assert_int_equal(call("POST", "/v1/campaigns/act/arms", "{\"add\":[\"c\"]}"), 409);
    event_of("act", event); /* neither decisions nor feedback are acts */
    snprintf(path, sizeof path, "/v1/events/%s/reward", event);
    assert_int_equal(call("POST", path, "{\"rewards\":[1]}"), 200);
    assert_int_equal(call("POST", "/v1/campaigns/act/close", "{}"), 200);
    assert_int_equal(call("POST", "/v1/campaigns/act/close", "{}"), 200);
    assert_int_equal(last_number(), before + 3);
    snprintf(path, sizeof path, "/v1/audit?after=%lld", (long long)before);
    static const char *const expected[][2] = {
        {"create", "algorithm batch-klucb, epsilon 0.5, 2 arms, 1 slot; arms a, b; "},
        {"arms", "add c, d; pause a"},
        {"close", ""},
    };
    const json_t *const acts = json_object_get(running_fine(&server, "GET", path, NULL), "acts");
    assert_int_equal(json_array_size(acts), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *const act = json_array_get(acts, i);
        assert_string_equal(text_of(act, "act"), expected[i][0]);
        const char *const change = text_of(act, "change");
        assert_ptr_equal(strstr(change, expected[i][1]), change);
        assert_string_equal(text_of(act, "key"), "alice");
        assert_int_equal(strlen(text_of(act, "key_id")), LOTOR_KEY_ID_LENGTH);
        assert_string_equal(text_of(act, "campaign"), "act");
        assert_true(json_number_value(json_object_get(act, "time")) > 1.7e9);
    }
    assert_null(strstr(server.text, server.key[RUNNING_WRONG] + 6));

    /* The line of a creation has every field of the specification that has a value. */
    static const char *const fields[] = {"; max_arms 40",
                                         "; delta 0",
                                         "; oracle {\"kind\": \"top\"}",
                                         "; max_open 1000000",
                                         "; wait_seconds 3600",
                                         "; feedback \"rewards\"",
                                         "; default_reward 0",
                                         "; early_release false",
                                         "; reward_range [0.0, 1.0]"};
    const char *const created = text_of(json_array_get(acts, 0), "change");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        assert_non_null(strstr(created, fields[i]));
    }
    assert_string_equal(text_of(json_array_get(acts, 1), "change"), expected[1][1]);
    assert_string_equal(text_of(json_array_get(acts, 2), "change"), "");
}

TEST(test_a_long_change_is_cut)
{
    char body[1000] = "{\"add\":[", path[64];
    for (int i = 0; i < 30; i++) {
        sprintf(body + strlen(body), "%s{\"id\":\"n%d\"}", i ? "," : "", i);
    }
    strcat(body, "]}");
    const json_int_t before = last_number();
    running_fine(&server, "POST", "/v1/campaigns/shop/arms", body);
    snprintf(path, sizeof path, "/v1/audit?after=%lld", (long long)before);
    const json_t *const acts = json_object_get(running_fine(&server, "GET", path, NULL), "acts");
    const char *const change = text_of(json_array_get(acts, 0), "change");
    assert_non_null(strstr(change, "add n0, n1, "));
    assert_non_null(strstr(change, "n15 and 14 more"));
    assert_null(strstr(change, "n16"));
}

TEST_GROUP(start_server, stop_server);
