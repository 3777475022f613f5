/* test_ofrep.c - OpenFeature's remote evaluation protocol: an evaluation is a decision, with the
 * rules of rank. clients/js/test/openfeature.test.mjs tries it with OpenFeature's own packages. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "service/running.h"

#define FLAGS "/ofrep/v1/evaluate/flags"

static running server;

static void make(const char *body)
{
    assert_int_equal(running_call(&server, RUNNING_ADMIN, "POST", "/v1/campaigns", body), 201);
}

static int start_all(void **state)
{
    (void)state;
    running_start(&server, 0);
    make("{\"name\":\"home\",\"algorithm\":\"batch-klucb\",\"arms\":[\"tea\",\"coffee\",\"water\"],"
         "\"slots\":2,\"epsilon\":1}");
    make("{\"name\":\"capped\",\"algorithm\":\"batch-klucb\",\"arms\":[\"tea\",\"coffee\"],"
         "\"epsilon\":1,\"rounds_per_user\":1,\"early_release\":true}");
    make("{\"name\":\"contexts\",\"algorithm\":\"jdp-batch\",\"arms\":[\"tea\",\"coffee\"],"
         "\"epsilon\":1,\"dimension\":2,\"horizon\":1000}");
    make("{\"name\":\"local\",\"algorithm\":\"rr-klucb\",\"arms\":[\"tea\",\"coffee\"],"
         "\"epsilon\":1}");
    make("{\"name\":\"closed\",\"algorithm\":\"batch-klucb\",\"arms\":[\"tea\"],\"epsilon\":1}");
    running_fine(&server, "POST", "/v1/campaigns/closed/close", "{}");
    return 0;
}

static int stop_all(void **state)
{
    (void)state;
    running_stop(&server);
    return 0;
}

/* Evaluates with a rank key. Returns the metadata, or NULL after an error. */
static json_t *evaluate(const char *key, const char *body)
{
    char path[128];
    snprintf(path, sizeof path, FLAGS "/%s", key);
    return running_call(&server, RUNNING_RANK, "POST", path, body) == 200
               ? json_object_get(server.body, "metadata")
               : NULL;
}

static const char *text_in(const json_t *object, const char *name)
{
    const char *const text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

TEST(test_an_evaluation_is_a_decision)
{
    char path[128], event[65], arms[64];
    const json_t *metadata = evaluate("home", "{\"context\":{}}");
    assert_non_null(metadata);
    assert_string_equal(text_in(server.body, "key"), "home");
    assert_string_equal(text_in(server.body, "reason"), "SPLIT");
    const char *const variant = text_in(server.body, "variant");
    assert_string_equal(text_in(server.body, "value"), variant);
    assert_true(strlen(variant) > 0);
    snprintf(arms, sizeof arms, "%s,", variant);
    assert_int_equal(strncmp(text_in(metadata, "arms"), arms, strlen(arms)), 0);
    assert_true(json_is_number(json_object_get(metadata, "expires")));
    assert_null(json_object_get(metadata, "propensity"));
    snprintf(event, sizeof event, "%s", text_in(metadata, "event"));
    assert_int_equal(strlen(event), 64);

    /* The event is that of an ordinary decision, and takes a reward. */
    snprintf(path, sizeof path, "/v1/events/%s", event);
    assert_string_equal(text_in(running_fine(&server, "GET", path, NULL), "campaign"), "home");
    snprintf(path, sizeof path, "/v1/events/%s/reward", event);
    assert_int_equal(running_call(&server, RUNNING_REWARD, "POST", path, "{\"rewards\":[1,0]}"),
                     200);

    /* Another evaluation is another decision. */
    metadata = evaluate("home", NULL);
    assert_non_null(metadata);
    assert_string_not_equal(text_in(metadata, "event"), event);
    const json_t *const counts = running_fine(&server, "GET", "/v1/campaigns/home", NULL);
    assert_int_equal(json_integer_value(json_object_get(counts, "decisions")), 2);
}

TEST(test_attributes_of_the_evaluation_context)
{
    /* A campaign without users takes any targetingKey, and ignores what it does not know. */
    assert_non_null(evaluate("home", "{\"context\":{\"targetingKey\":\"u\",\"email\":\"a@b.c\","
                                     "\"plan\":{\"seats\":[1,2]}},\"more\":1}"));
    assert_non_null(evaluate("home", "{\"context\":{\"targetingKey\":\"\",\"eligible\":null}}"));
    assert_non_null(evaluate("home", "{\"context\":null}"));
    assert_string_equal(
        text_in(evaluate("local", "{\"context\":{\"eligible\":[\"coffee\"]}}"), "arms"), "coffee");
    assert_non_null(
        evaluate("contexts", "{\"context\":{\"context\":{\"tea\":[1,0],\"coffee\":[0,1]}}}"));

    /* targetingKey is the user: with early_release, the second round of the same user wants no feedback. */
    assert_int_equal(
        strlen(text_in(evaluate("capped", "{\"context\":{\"targetingKey\":\"u\"}}"), "event")), 64);
    const json_t *const again = evaluate("capped", "{\"context\":{\"targetingKey\":\"u\"}}");
    assert_non_null(again);
    assert_null(json_object_get(again, "event"));
    assert_null(json_object_get(again, "expires"));
    assert_int_equal(
        strlen(text_in(evaluate("capped", "{\"context\":{\"targetingKey\":\"v\"}}"), "event")), 64);
}

/* An application gives all flags one evaluation context. */
TEST(test_what_is_meant_for_another_flag_is_ignored)
{
    static const struct {
        const char *key, *context;
    } cases[] = {
        {"home", "{\"context\":{\"tea\":[1,0],\"coffee\":[0,1]}}"},
        {"home", "{\"context\":\"homepage\"}"},
        {"home", "{\"eligible\":[\"soup\",\"tea\",\"water\"]}"},
        {"home", "{\"eligible\":[\"soup\"]}"},
        {"contexts", "{\"context\":{\"soup\":[1,0,0],\"tea\":[1,0],\"coffee\":[0,1]}}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[160];
        snprintf(body, sizeof body, "{\"context\":%s}", cases[i].context);
        if (!evaluate(cases[i].key, body)) {
            fail_msg("%s %s: %s", cases[i].key, body, server.text);
        }
    }
    for (size_t i = 0; i < 20; i++) { /* the arms of a list that are of this flag count */
        const char *const arms = text_in(
            evaluate("home", "{\"context\":{\"eligible\":[\"soup\",\"tea\",\"water\"]}}"), "arms");
        assert_null(strstr(arms, "coffee"));
    }
    /* rank is for one campaign, and refuses them. */
    assert_int_equal(running_call(&server, RUNNING_RANK, "POST", "/v1/campaigns/home/rank",
                                  "{\"eligible\":[\"soup\"]}"),
                     400);
    assert_int_equal(running_call(&server, RUNNING_RANK, "POST", "/v1/campaigns/home/rank",
                                  "{\"context\":{\"tea\":[1]}}"),
                     400);
}

/* Metadata has no objects: OpenFeature's SDKs would drop it. */
TEST(test_a_randomizer_is_sent_as_text)
{
    json_t *const metadata = evaluate("local", "{}");
    assert_non_null(metadata);
    json_t *const randomizer = json_loads(text_in(metadata, "randomizer"), 0, NULL);
    assert_string_equal(text_in(randomizer, "mechanism"), "bit");
    json_decref(randomizer);
    const char *name;
    json_t *value;
    json_object_foreach(metadata, name, value)
    {
        assert_true(json_is_string(value) || json_is_number(value) || json_is_boolean(value));
    }
}

TEST(test_errors_have_the_form_of_ofrep)
{
    static const struct {
        const char *key, *body;
        unsigned status;
        const char *code, *error, *details;
    } cases[] = {
        {"nowhere", "{}", 404, "no_such_campaign", "FLAG_NOT_FOUND", ""},
        {"%22%ff%0a", "{}", 404, "no_such_campaign", "FLAG_NOT_FOUND", ""},
        {"home", "{", 400, "bad_json", "PARSE_ERROR", ""},
        {"home", "[]", 400, "bad_json", "PARSE_ERROR", ""},
        {"home", "{\"context\":[]}", 400, "bad_value", "INVALID_CONTEXT", "context: "},
        {"home", "{\"context\":{\"targetingKey\":5}}", 400, "bad_value", "INVALID_CONTEXT",
         "targetingKey: "},
        {"home", "{\"context\":{\"eligible\":\"tea\"}}", 400, "bad_value", "INVALID_CONTEXT",
         "eligible: "},
        {"home", "{\"context\":{\"eligible\":\"\"}}", 400, "bad_value", "INVALID_CONTEXT",
         "eligible: "},
        {"home", "{\"context\":{\"eligible\":[5]}}", 400, "bad_value", "INVALID_CONTEXT",
         "eligible[0]: "},
        {"home", "{\"context\":{\"eligible\":[\"tea\"]}}", 400, "too_few_arms", "GENERAL", ""},
        {"contexts", "{}", 400, "missing_field", "INVALID_CONTEXT", "context: "},
        {"contexts", "{\"context\":{\"context\":\"homepage\"}}", 400, "bad_value",
         "INVALID_CONTEXT", "context: "},
        {"capped", "{\"context\":{}}", 400, "missing_field", "TARGETING_KEY_MISSING",
         "targetingKey: "},
        {"capped", "{\"context\":{\"targetingKey\":\"\"}}", 400, "missing_field",
         "TARGETING_KEY_MISSING", "targetingKey: "},
        {"closed", "{}", 400, "closed", "GENERAL", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(evaluate(cases[i].key, cases[i].body));
        if (server.status != cases[i].status ||
            strcmp(running_error(&server), cases[i].code) != 0 ||
            strcmp(text_in(server.body, "errorCode"), cases[i].error) != 0) {
            fail_msg("%s %s: %u %s", cases[i].key, cases[i].body, server.status, server.text);
        }
        assert_int_equal(strncmp(text_in(server.body, "errorDetails"), cases[i].details,
                                 strlen(cases[i].details)),
                         0);
        assert_true(strlen(text_in(server.body, "key")) > 0);
    }
    /* A message repeats nothing of the person. */
    assert_null(evaluate("home", "{\"context\":{\"targetingKey\":[\"canary\"],\"canary\":1}}"));
    assert_null(strstr(server.text, "canary"));
}

TEST(test_keys_as_for_rank)
{
    assert_int_equal(running_call(&server, RUNNING_REWARD, "POST", FLAGS "/home", "{}"), 403);
    assert_int_equal(running_call(&server, RUNNING_NOBODY, "POST", FLAGS "/home", "{}"), 401);
    assert_string_equal(text_in(server.body, "errorCode"), "GENERAL");
    assert_int_equal(running_call(&server, RUNNING_RANK, "GET", FLAGS "/home", NULL), 405);
}

TEST(test_all_flags_at_once_are_refused)
{
    const json_t *counts = running_fine(&server, "GET", "/v1/campaigns/home", NULL);
    const json_int_t before = json_integer_value(json_object_get(counts, "decisions"));
    assert_int_equal(running_call(&server, RUNNING_RANK, "POST", FLAGS, "{\"context\":{}}"), 400);
    assert_string_equal(running_error(&server), "not_offered");
    assert_string_equal(text_in(server.body, "errorCode"), "GENERAL");
    assert_non_null(strstr(text_in(server.body, "errorDetails"), FLAGS "/{campaign}"));
    assert_null(json_object_get(server.body, "key"));
    counts = running_fine(&server, "GET", "/v1/campaigns/home", NULL);
    assert_int_equal(json_integer_value(json_object_get(counts, "decisions")), before);
}

/* A cached evaluation would be shown without a decision. */
TEST(test_an_evaluation_is_never_cached)
{
    char text[4096], sent[512];
    snprintf(sent, sizeof sent,
             "POST " FLAGS "/home HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
             "If-None-Match: *\r\nContent-Length: 2\r\n\r\n{}",
             server.key[RUNNING_RANK]);
    const int connection = running_connect(&server);
    running_send(connection, sent, strlen(sent));
    running_receive(connection, text, sizeof text, 1, 5);
    assert_non_null(strstr(text, "HTTP/1.1 200 "));
    assert_non_null(strstr(text, "Cache-Control: no-store"));
    assert_null(strcasestr(text, "etag:"));
}

TEST_GROUP(start_all, stop_all);
