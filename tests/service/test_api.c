/* test_api.c - requests without sockets: paths, bodies, and every allocation that can fail. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/http/api.h"
#include "service/http/body.h"
#include "service/http/dump.h"
#include "service/scratch.h"
#include "service/server_key/server_key.h"
#include "service/spec/spec.h"
#include "support/failing_memory.h"

/* --- paths ------------------------------------------------------------------------------------ */

TEST(test_paths_find_their_route)
{
    static const struct {
        const char *method, *path, *target; /* target NULL: no such path; "": wrong method */
    } cases[] = {
        {"POST", "/v1/campaigns/shop/rank", "shop"},
        {"POST", "/v1/campaigns/shop/rank-batch", "shop"},
        {"POST", "/v1/campaigns/rank/rank", "rank"},
        {"POST", "/v1/events/abc/reward", "abc"},
        {"GET", "/v1/campaigns/guarantee", "guarantee"},
        {"GET", "/v1/campaigns/shop/releases", "shop"},
        {"GET", "/", "/"},
        {"HEAD", "/plot.js", "/plot.js"},
        {"GET", "/index.html", NULL},
        {"HEAD", "/v1/campaigns/x", "x"},
        {"POST", "/v1/campaigns/shop/rank/", NULL},
        {"POST", "/v1/campaigns//rank", NULL},
        {"POST", "/v1/campaigns/shop/rankx", NULL},
        {"POST", "/v1/campaigns/shop/x/rank", NULL},
        {"POST", "/v1/events//reward", NULL},
        {"POST", "/V1/rewards", NULL},
        {"POST", "", NULL},
        {"GET", "/v1/rewards", ""},
        {"post", "/v1/rewards", ""},
        {"PATCH", "/v1/campaigns", ""},
        {"PUT", "/v1/campaigns/shop", "shop"},
        {"PUT", "/v1/campaigns", ""},
        {"DELETE", "/v1/campaigns/shop", "shop"},
        {"PATCH", "/v1/campaigns/shop", "shop"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char target[LOTOR_TARGET_MAX + 1], allowed[32];
        lotor_refusal refusal = {.code = LOTOR_CODE_NONE};
        const lotor_route *const route =
            lotor_api_match(cases[i].method, cases[i].path, target, &refusal, allowed);
        if (!cases[i].target) {
            assert_null(route);
            assert_int_equal(refusal.code, LOTOR_CODE_NO_SUCH_PATH);
        } else if (!cases[i].target[0]) {
            assert_null(route);
            assert_int_equal(refusal.code, LOTOR_CODE_WRONG_METHOD);
            assert_non_null(strstr(allowed, "POST"));
        } else {
            assert_non_null(route);
            assert_string_equal(target, cases[i].target);
        }
    }
    char path[200], target[LOTOR_TARGET_MAX + 1], allowed[32];
    lotor_refusal refusal;
    memset(path, 'a', sizeof path);
    memcpy(path, "/v1/campaigns/", 14);
    path[14 + LOTOR_TARGET_MAX] = '\0';
    assert_non_null(lotor_api_match("GET", path, target, &refusal, allowed));
    path[14 + LOTOR_TARGET_MAX] = 'a';
    path[15 + LOTOR_TARGET_MAX] = '\0';
    /* A longer text is cut, and is then still too long for a name or an event. */
    assert_non_null(lotor_api_match("GET", path, target, &refusal, allowed));
    assert_int_equal(strlen(target), LOTOR_TARGET_MAX);
    assert_true(strlen(target) > (size_t)LOTOR_NAME_MAX &&
                strlen(target) > (size_t)LOTOR_TOKEN_LENGTH);
    assert_null(lotor_api_match("GET", "/v1/campaigns/a/b", target, &refusal, allowed));
}

/* --- bodies ----------------------------------------------------------------------------------- */

TEST(test_what_is_empty)
{
    static const char *const empty[] = {"", " ", "{}", " { } \n", "\t{\r\n}"};
    static const char *const other[] = {"{", "}", "{}x", "{}{}", "{\"\":1}", "[]", "x"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        assert_true(lotor_body_is_empty(empty[i], strlen(empty[i])));
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        assert_false(lotor_body_is_empty(other[i], strlen(other[i])));
    }
    assert_false(lotor_body_is_empty("{}\0", 3));
}

TEST(test_numbers_in_the_shortest_digits)
{
    json_t *const value = json_pack("{s:f, s:[i,f,b,n,s]}", "a", 0.1, "b", -7, 1e300, 1, "\"\n");
    size_t length = 0;
    char *const text = lotor_dump(value, &length);
    assert_string_equal(text, "{\"a\": 0.1, \"b\": [-7, 1e+300, true, null, \"\\\"\\n\"]}");
    assert_int_equal(length, strlen(text));
    free(text);
    json_decref(value);
}

/* Late rewards are reported as late. The engine says how many there were. */
TEST(test_late_rewards)
{
    static const struct {
        const char *path;
        size_t count, late;
        const char *reply;
    } cases[] = {
        {"/v1/events/abc/reward", 0, 0, "{\"event\": \"abc\", \"status\": \"acknowledged\"}\n"},
        {"/v1/events/abc/reward", 0, 1, "{\"event\": \"abc\", \"status\": \"late\"}\n"},
        {"/v1/rewards", 1000, 0, "{\"acknowledged\": 1000, \"late\": 0, \"refused\": []}\n"},
        {"/v1/rewards", 1000, 3, "{\"acknowledged\": 997, \"late\": 3, \"refused\": []}\n"},
        {"/v1/rewards", 2, 2, "{\"acknowledged\": 0, \"late\": 2, \"refused\": []}\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lotor_request request;
        char allowed[32];
        lotor_request_init(&request, NULL);
        request.route =
            lotor_api_match("POST", cases[i].path, request.target, &request.job.refusal, allowed);
        assert_non_null(request.route);
        request.status = request.route->success;
        request.is_batch = cases[i].count > 0;
        request.count = cases[i].count;
        assert_int_equal(request.job.late, 0);
        request.job.late = cases[i].late;
        lotor_api_finish(&request);
        assert_int_equal(request.status, 200);
        assert_int_equal(request.reply_length, strlen(cases[i].reply));
        assert_memory_equal(request.reply, cases[i].reply, request.reply_length);
        lotor_request_clear(&request);
    }
}

/* --- failing allocations ---------------------------------------------------------------------- */

typedef struct scene {
    scratch files;
    lotor_store *store;
    lotor_server_key *server_key;
    lotor_heads *heads;
    lotor_engine *engine;
    uint64_t now;
    const char *format; /* the third parameter of the query; NULL: none */
    const char *first;  /* the first one */
    unsigned status;    /* of the last reply */
    char text[4096];
} scene;

static scene at;

static uint64_t tell_time(void *context)
{
    return ((scene *)context)->now;
}

static void note_done(lotor_request *request)
{
    *(bool *)request->owner = true;
}

/* Makes one request, with the steps of the writer that it needs. */
static void ask(const char *method, const char *path, const char *body)
{
    static lotor_request request;
    char allowed[32], sent[1024];
    bool is_done = false;
    lotor_message why;
    at.now += 10000; /* past the engine's pause after a failure */
    snprintf(sent, sizeof sent, "%s", body);
    lotor_request_init(&request, at.engine);
    request.done = note_done;
    request.owner = &is_done;
    request.body = sent;
    request.length = strlen(sent);
    request.query[0] = at.first;
    request.query[2] = at.format;
    request.route = lotor_api_match(method, path, request.target, &request.job.refusal, allowed);
    assert_non_null(request.route);
    if (lotor_api_start(&request) == LOTOR_PENDING) {
        for (int i = 0; i < 10 && !is_done; i++) {
            lotor_engine_step(at.engine, &why);
        }
        assert_true(is_done);
        lotor_api_finish(&request);
    }
    at.status = request.status;
    snprintf(at.text, sizeof at.text, "%.*s", (int)request.reply_length,
             request.reply ? request.reply : "");
    lotor_request_clear(&request);
}

static int start_scene(void **state)
{
    (void)state;
    lotor_message why;
    char path[512];
    scratch_start(&at.files);
    at.now = UINT64_C(1700000000000);
    snprintf(path, sizeof path, "%s", scratch_path(&at.files, "s.db"));
    assert_int_equal(lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &at.store), LOTOR_OK);
    assert_int_equal(
        lotor_server_key_open(scratch_path(&at.files, "s.key"), true, &why, &at.server_key),
        LOTOR_OK);
    bool were_lost = false;
    assert_int_equal(
        lotor_heads_open(scratch_path(&at.files, "s.head"), &why, &at.heads, &were_lost), LOTOR_OK);
    const lotor_engine_setup setup = {.allow_weak_epsilon = true,
                                      .store = at.store,
                                      .server_key = at.server_key,
                                      .heads = at.heads,
                                      .heads_were_lost = were_lost,
                                      .boot_clock = tell_time,
                                      .store_clock = tell_time,
                                      .clock_context = &at};
    assert_int_equal(lotor_engine_new(&setup, &why, &at.engine), LOTOR_OK);
    ask("POST", "/v1/campaigns",
        "{\"name\":\"a\",\"algorithm\":\"batch-klucb\",\"arms\":[\"x\",\"y\",\"z\"],\"slots\":2,"
        "\"epsilon\":1,\"wait_seconds\":2592000}");
    assert_int_equal(at.status, 201);
    ask("POST", "/v1/campaigns",
        "{\"name\":\"b\",\"algorithm\":\"jdp-batch\",\"arms\":[\"x\",\"y\"],\"epsilon\":1,"
        "\"dimension\":2,\"horizon\":1000,\"wait_seconds\":2592000}");
    assert_int_equal(at.status, 201);
    return 0;
}

static int stop_scene(void **state)
{
    (void)state;
    lotor_engine_free(at.engine);
    lotor_heads_free(at.heads);
    lotor_server_key_free(at.server_key);
    lotor_store_close(at.store);
    scratch_end(&at.files);
    return 0;
}

/* Makes allocation number 1, 2, ... fail until none fails. The reply is 500 or 503, or could not be
 * made. The same request then succeeds. */
static void fail_every_allocation(const char *method, const char *path, const char *body,
                                  unsigned fine)
{
    size_t failures = 0;
    for (bool failed = true; failed; failures++) {
        lotor_message why;
        at.now += 10000; /* a campaign that failed is taken again */
        lotor_engine_step(at.engine, &why);
        failing_memory_start(failures + 1);
        ask(method, path, body);
        failed = failing_memory_stop() >= failures + 1;
        if (at.status != fine && at.status != 500 && at.status != 503) {
            fail_msg("%s, allocation %zu: %u %s", path, failures + 1, at.status, at.text);
        }
        assert_true(!at.text[0] || (strstr(at.text, "\"error\"") != NULL) == (at.status >= 400));
        assert_true(failures < 2000);
    }
    if (at.status != fine) {
        fail_msg("%s, with memory again: %u %s", path, at.status, at.text);
    }
    assert_true(failures >= 2);
}

TEST_WITH(test_every_allocation_can_fail, start_scene, stop_scene)
{
    char path[160], body[256], mixed[512];
    fail_every_allocation("POST", "/v1/campaigns/a/rank", "{}", 200);
    fail_every_allocation("POST", "/v1/campaigns/a/rank", "{\"eligible\":[\"x\",\"y\"]}", 200);
    fail_every_allocation("POST", "/v1/campaigns/a/rank-batch", "{\"count\":5}", 200);
    fail_every_allocation("POST", "/v1/campaigns/b/rank", "{\"context\":{\"x\":[1,0],\"y\":[0,1]}}",
                          200);
    fail_every_allocation("POST", "/ofrep/v1/evaluate/flags/a",
                          "{\"context\":{\"targetingKey\":\"u\",\"eligible\":[\"x\",\"y\"]}}", 200);
    ask("POST", "/v1/campaigns/a/rank", "{}");
    char *const event = strstr(at.text, "\"event\": \"") + 10;
    *strchr(event, '"') = '\0';
    snprintf(path, sizeof path, "/v1/events/%s/reward", event);
    snprintf(body, sizeof body, "{\"rewards\":[{\"event\":\"%s\",\"rewards\":[1,0]}]}", event);
    snprintf(mixed, sizeof mixed,
             "{\"rewards\":[{\"event\":\"%s\",\"rewards\":[1,0]},{\"event\":\"%s\"},"
             "{\"event\":5},{\"event\":\"no\",\"rewards\":[1]}]}",
             event, event);
    fail_every_allocation("POST", path, "{\"rewards\":[0,1]}", 200);
    fail_every_allocation("POST", "/v1/rewards", body, 200);
    fail_every_allocation("POST", "/v1/rewards", mixed, 200);
    fail_every_allocation("POST", "/v1/rewards", "{\"rewards\":[{},{\"event\":\"no\"}]}", 400);
    *strrchr(path, '/') = '\0';
    fail_every_allocation("GET", path, "", 200);
    fail_every_allocation("GET", "/readyz", "", 200);
    fail_every_allocation("POST", "/v1/campaigns/a/arms", "{\"pause\":[\"z\"]}", 200);
    fail_every_allocation("POST", "/v1/campaigns",
                          "{\"name\":\"c\",\"algorithm\":\"batch-klucb\",\"arms\":[\"x\"],"
                          "\"epsilon\":1}",
                          201);
    at.first = "true"; /* dry runs: of a new campaign, and of one that exists */
    fail_every_allocation("POST", "/v1/campaigns",
                          "{\"name\":\"d\",\"algorithm\":\"batch-klucb\",\"arms\":[\"x\"],"
                          "\"epsilon\":1}",
                          200);
    fail_every_allocation("POST", "/v1/campaigns",
                          "{\"name\":\"c\",\"algorithm\":\"batch-klucb\",\"arms\":[\"x\"],"
                          "\"epsilon\":1}",
                          200);
    at.first = NULL;
    fail_every_allocation("GET", "/v1/campaigns/a", "", 200);
    fail_every_allocation("GET", "/v1/campaigns/a/guarantee", "", 200);
    fail_every_allocation("GET", "/v1/campaigns/a/releases", "", 200);
    at.format = "csv";
    fail_every_allocation("GET", "/v1/campaigns/a/releases", "", 200);
    at.format = NULL;
    fail_every_allocation("GET", "/app.css", "", 200);
    ask("POST", "/v1/advise", "{}"); /* a server without calculations */
    assert_int_equal(at.status, 404);
    ask("POST", "/v1/simulate", "{}");
    assert_int_equal(at.status, 404);
    fail_every_allocation("GET", "/metrics", "", 200);
    fail_every_allocation("POST", "/v1/campaigns/c/close", "", 200);
}
