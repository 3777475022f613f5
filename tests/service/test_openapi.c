/* test_openapi.c - docs/openapi.json describes what the server does: the same routes, and every
 * reply has exactly the documented properties. */
#include "support/test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/lotor.h>

#include "base/time.h"
#include "service/http/api.h"
#include "service/running.h"
#include "service/schema.h"

static running server;
static json_t *document;

static int start_all(void **state)
{
    (void)state;
    document = json_load_file(OPENAPI_FILE, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(document);
    running_start(&server, 0);
    return 0;
}

static int stop_all(void **state)
{
    (void)state;
    running_stop(&server);
    json_decref(document);
    return 0;
}

static json_t *operation_of(const lotor_route *route)
{
    char method[8];
    size_t length = 0;
    for (; route->method[length] && length + 1 < sizeof method; length++) {
        method[length] = (char)tolower((unsigned char)route->method[length]);
    }
    method[length] = '\0';
    return json_object_get(json_object_get(json_object_get(document, "paths"), route->path),
                           method);
}

TEST(test_every_route_is_documented_and_the_reverse)
{
    size_t documented = 0;
    const char *path, *method;
    json_t *methods, *operation;
    json_object_foreach(json_object_get(document, "paths"), path, methods)
    {
        json_object_foreach(methods, method, operation)
        {
            documented++;
        }
    }
    assert_int_equal(documented, lotor_route_count);
    for (size_t i = 0; i < lotor_route_count; i++) {
        const lotor_route *const route = &lotor_routes[i];
        json_t *const found = operation_of(route);
        char status[8];
        snprintf(status, sizeof status, "%u", route->success);
        if (!found || !json_object_get(json_object_get(found, "responses"), status)) {
            fail_msg("%s %s is not documented, or not its %s", route->method, route->path, status);
        }
        assert_string_equal(json_string_value(json_object_get(found, "x-role")),
                            lotor_role_name(route->role));
    }
}

TEST(test_every_error_code_is_documented)
{
    char problem[512];
    json_t *const schema = json_object_get(
        json_object_get(json_object_get(document, "components"), "schemas"), "Error");
    json_t *const codes = json_object_get(
        json_object_get(
            json_object_get(json_object_get(json_object_get(schema, "properties"), "error"),
                            "properties"),
            "code"),
        "enum");
    assert_int_equal(json_array_size(codes), LOTOR_CODE_COUNT - 1);
    for (int i = LOTOR_CODE_NONE + 1; i < LOTOR_CODE_COUNT; i++) {
        json_t *const error = json_pack("{s:{s:s,s:n,s:s}}", "error", "code",
                                        lotor_code_name((lotor_code)i), "field", "message", "m");
        if (!schema_fits(document, schema, error, problem)) {
            fail_msg("%s: %s", lotor_code_name((lotor_code)i), problem);
        }
        json_decref(error);
    }
}

/* --- real replies ----------------------------------------------------------------------------- */

static json_t *content_schema(json_t *holder)
{
    json_t *const content = json_object_get(holder, "content");
    return json_object_get(json_object_get(content, "application/json"), "schema");
}

/* Calls as admin, and compares request and reply with the documentation. */
static const json_t *call(const char *method, const char *path, const char *body, unsigned expected)
{
    char target[LOTOR_TARGET_MAX + 1], allowed[32], status[8], problem[512];
    lotor_refusal refusal;
    const lotor_route *const route = lotor_api_match(method, path, target, &refusal, allowed);
    assert_non_null(route);
    json_t *const operation = operation_of(route);
    json_t *const request = content_schema(json_object_get(operation, "requestBody"));
    json_t *const sent = body ? json_loads(body, 0, NULL) : NULL;
    if (sent && expected < 300 && request && !schema_fits(document, request, sent, problem)) {
        fail_msg("%s %s takes what is not documented: %s: %s", method, path, body, problem);
    }
    json_decref(sent);
    if (running_call(&server, RUNNING_ADMIN, method, path, body) != expected) {
        fail_msg("%s %s %s: %u, not %u: %s", method, path, body ? body : "", server.status,
                 expected, server.text);
    }
    snprintf(status, sizeof status, "%u", expected);
    json_t *const response = json_object_get(json_object_get(operation, "responses"), status);
    if (!response) {
        fail_msg("%s %s: %s is not documented", method, path, status);
    }
    json_object_set_new(response, "x-seen", json_true());
    json_t *const schema = content_schema(response);
    if (schema && !schema_fits(document, schema, server.body, problem)) {
        fail_msg("%s %s: %s\n%s", method, path, problem, server.text);
    }
    return server.body;
}

static void reward_path(const json_t *decision, char path[160])
{
    snprintf(path, 160, "/v1/events/%s/reward",
             json_string_value(json_object_get(decision, "event")));
}

static void make_campaigns(void)
{
    call("POST", "/v1/budgets", "{\"name\":\"people\",\"epsilon\":3,\"delta\":0}", 201);
    call("POST", "/v1/campaigns",
         "{\"name\":\"paid\",\"arms\":[\"a\",\"b\"],\"epsilon\":1,\"budget\":\"people\",\"sticky_"
         "seconds\":60}",
         201);
    call(
        "POST", "/v1/campaigns",
        "{\"name\":\"shop\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\",\"c\"],\"slots\":2,"
        "\"epsilon\":\"0.123456789012345678\",\"wait_seconds\":0.05,\"max_arms\":4,\"delta\":0}",
        201);
    call("POST", "/v1/campaigns",
         "{\"name\":\"groups\",\"algorithm\":\"batch-klucb\",\"arms\":[{\"id\":\"a\",\"features\":["
         "1]"
         "},{\"id\":\"b\",\"features\":[2],\"paused\":false}],\"epsilon\":1,\"oracle\":{\"kind\":"
         "\"partition\",\"feature\":0,\"capacities\":{\"1\":1,\"2\":1}}}",
         201);
    call("POST", "/v1/campaigns",
         "{\"name\":\"local\",\"algorithm\":\"rr-klucb\",\"arms\":[\"a\",\"b\"],\"epsilon\":1,"
         "\"reward_range\":[0,5],\"default_reward\":1,\"horizon\":1000}",
         201);
    call("POST", "/v1/campaigns",
         "{\"name\":\"lists\",\"algorithm\":\"cascade-dp-lazy\",\"arms\":[\"a\",\"b\",\"c\"],"
         "\"slots\":2,\"epsilon\":1,\"feedback\":\"clicks\",\"early_release\":true}",
         201);
    call("POST", "/v1/campaigns",
         "{\"name\":\"contexts\",\"algorithm\":\"jdp-batch\",\"arms\":[\"a\",\"b\"],\"epsilon\":1,"
         "\"dimension\":2,\"horizon\":1000,\"normalize\":true}",
         201);
    call("POST", "/v1/campaigns",
         "{\"name\":\"capped\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\"],\"epsilon\":1,"
         "\"rounds_per_user\":1,\"early_release\":true}",
         201);
    call("POST", "/v1/campaigns",
         "{\"name\":\"plain\",\"arms\":[\"a\",\"b\"],\"epsilon\":1,"
         "\"half_life\":\"7d\"}",
         201);
}

/* Broken campaigns and stores are not made here, but their replies are documented, too. */
static void check_readiness(void)
{
    static const char *const cases[][2] = {
        {"200", "{\"status\":\"ready\",\"ready\":true,\"reason\":null,\"campaigns\":"
                "[{\"name\":\"shop\",\"reason\":\"damaged\"}]}"},
        {"503", "{\"error\":{\"code\":\"store\",\"field\":null,\"message\":\"full\"},\"ready\":"
                "false,\"reason\":\"full\",\"campaigns\":[]}"},
        {"503", "{\"error\":{\"code\":\"stopping\",\"field\":null,\"message\":\"m\"}}"}};
    json_t *const path = json_object_get(json_object_get(document, "paths"), "/readyz");
    json_t *const responses = json_object_get(json_object_get(path, "get"), "responses");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char problem[512];
        json_t *const body = json_loads(cases[i][1], 0, NULL);
        json_t *const schema = content_schema(json_object_get(responses, cases[i][0]));
        if (!schema_fits(document, schema, body, problem)) {
            fail_msg("%s: %s", cases[i][1], problem);
        }
        json_decref(body);
    }
}

TEST(test_replies_have_the_documented_properties)
{
    char path[160], many[512];
    make_campaigns();
    reward_path(call("POST", "/v1/campaigns/shop/rank", NULL, 200), path);
    call("POST", path, "{\"rewards\":[1,0]}", 200);
    call("POST", path, "{\"rewards\":[1,0]}", 200);
    *strrchr(path, '/') = '\0';
    assert_string_equal(
        json_string_value(json_object_get(call("GET", path, NULL, 200), "campaign")), "shop");
    reward_path(call("POST", "/v1/campaigns/groups/rank", "{}", 200), path);
    call("POST", path, "{\"rewards\":[0.5,0.25]}", 200);
    reward_path(call("POST", "/v1/campaigns/local/rank", "{\"eligible\":[\"a\"]}", 200), path);
    call("POST", path, "{\"report\":1}", 200);
    reward_path(call("POST", "/v1/campaigns/lists/rank", "{}", 200), path);
    call("POST", path, "{\"click\":null}", 200);
    reward_path(call("POST", "/v1/campaigns/contexts/rank",
                     "{\"context\":{\"a\":[0.5,0],\"b\":[0,0.25]}}", 200),
                path);
    call("POST", path, "{\"rewards\":[-1]}", 200);
    const json_t *capped = call("POST", "/v1/campaigns/capped/rank", "{\"user\":\"u\"}", 200);
    assert_true(json_is_string(json_object_get(capped, "event")));
    capped = call("POST", "/v1/campaigns/capped/rank", "{\"user\":\"u\"}", 200);
    assert_true(json_is_null(json_object_get(capped, "event")));
    assert_true(json_is_null(json_object_get(capped, "expires")));

    const json_t *const batch =
        call("POST", "/v1/campaigns/local/rank-batch", "{\"requests\":[{},{}]}", 200);
    const json_t *const first = json_array_get(json_object_get(batch, "decisions"), 0);
    snprintf(many, sizeof many, "{\"rewards\":[{\"event\":\"%s\",\"report\":0}]}",
             json_string_value(json_object_get(first, "event")));
    char half_good[512];
    snprintf(half_good, sizeof half_good,
             "{\"rewards\":[{\"event\":\"%s\",\"report\":0},{\"event\":\"none\",\"report\":1}]}",
             json_string_value(json_object_get(first, "event")));
    call("POST", "/v1/rewards", many, 200);
    const json_t *const half = call("POST", "/v1/rewards", half_good, 200);
    const json_t *const refused = json_object_get(half, "refused");
    assert_int_equal(json_integer_value(json_object_get(half, "acknowledged")), 1);
    assert_int_equal(json_array_size(refused), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(refused, 0), "index")), 1);
    call("POST", "/v1/campaigns/shop/rank-batch", "{\"count\":3}", 200);
    call("POST", "/ofrep/v1/evaluate/flags/local",
         "{\"context\":{\"targetingKey\":\"u\",\"plan\":\"free\",\"eligible\":[\"a\"]}}", 200);
    call("POST", "/ofrep/v1/evaluate/flags", "{\"context\":{}}", 400);

    call("GET", "/v1/campaigns", NULL, 200);
    call("GET", "/v1/campaigns/groups", NULL, 200);
    call("GET", "/v1/campaigns/capped/guarantee", NULL, 200);
    call("GET", "/v1/campaigns/lists/guarantee", NULL, 200);
    call("GET", "/v1/campaigns/capped/statement", NULL, 200);
    call("GET", "/v1/campaigns/contexts/statement", NULL, 200);
    call("GET", "/v1/campaigns/local/releases", NULL, 200);
    call("GET", "/v1/audit", NULL, 200);
    call("GET", "/v1/campaigns/paid/guarantee", NULL, 200);
    call("GET", "/v1/budgets", NULL, 200);
    call("GET", "/v1/budgets/people", NULL, 200);
    call("POST", "/v1/simulate",
         "{\"epsilon\":1,\"means\":[0.2,0.8,0.5],\"rounds\":100,\"slots\":2,\"seed\":3,"
         "\"algorithm\":\"rr-klucb\"}",
         200);
    call("POST", "/v1/advise",
         "{\"problem\":\"cascade\",\"trust\":\"local\",\"epsilon\":1,\"arms\":5,\"slots\":2,"
         "\"dimension\":3,\"rounds\":1000}",
         200);
#define LABELS "\"title\":\"T\",\"description\":\"D\",\"metadata\":{\"k\":\"v\",\"n\":1,\"b\":true}"
    call("PUT", "/v1/campaigns/labels",
         "{\"arms\":[{\"id\":\"a\"," LABELS "},\"b\"],\"epsilon\":1," LABELS "}", 201);
    call("PATCH", "/v1/campaigns/labels",
         "{\"purpose\":\"P\",\"controller\":\"C\",\"legal_basis\":\"L\",\"contact\":\"M\"}", 200);
    call("GET", "/v1/campaigns", NULL, 200);
    call("PATCH", "/v1/campaigns/labels", "{\"title\":null,\"arms\":[{\"id\":\"b\"," LABELS "}]}",
         200);
    call("PATCH", "/v1/campaigns/labels", "{\"title\":7}", 400);
    call("PUT", "/v1/campaigns/put", "{\"arms\":[\"a\",\"b\"],\"epsilon\":1}", 201);
    call("PUT", "/v1/campaigns/put", "{\"arms\":[\"a\",\"b\"],\"epsilon\":1}", 200);
    call("POST", "/v1/campaigns/shop/arms",
         "{\"add\":[\"d\"],\"pause\":[\"a\"],\"remove\":[\"a\"]}", 200);
    call("GET", "/v1/campaigns/labels/releases", NULL, 200);
    call("POST", "/v1/campaigns/put/pause", NULL, 200);
    call("POST", "/v1/campaigns/put/rank", "{}", 409);
    assert_string_equal(running_error(&server), "paused");
    call("POST", "/v1/campaigns/put/resume", "{}", 200);
    call("POST", "/v1/campaigns/put/archive", "{}", 200);
    call("POST", "/v1/campaigns/put/resume", "{}", 409);
    assert_string_equal(running_error(&server), "archived");
    call("POST", "/v1/campaigns/put/close", "{}", 409);
    call("POST", "/v1/campaigns/put/unarchive", "{}", 200);
    call("PUT", "/v1/campaigns/later", "{\"arms\":[\"a\"],\"epsilon\":1,\"paused\":true}", 201);
    reward_path(call("POST", "/v1/campaigns/put/rank", "{}", 200), path);
    snprintf(many, sizeof many, "{\"rewards\":[{\"event\":\"%s\",\"rewards\":[1]}]}",
             json_string_value(json_object_get(server.body, "event")));
    call("DELETE", "/v1/campaigns/put", NULL, 200);
    call("POST", path, "{\"rewards\":[1]}", 410);
    call("POST", "/v1/rewards", many, 410);
    static const char *const deleted[] = {"close", "pause",     "resume", "archive",
                                          "rank",  "unarchive", "arms",   "rank-batch"};
    for (size_t i = 0; i < sizeof deleted / sizeof *deleted; i++) {
        snprintf(path, sizeof path, "/v1/campaigns/put/%s", deleted[i]);
        call("POST", path, i == 6 ? "{\"add\":[\"d\"]}" : i == 7 ? "{\"count\":1}" : "{}", 410);
        assert_string_equal(running_error(&server), "deleted");
    }
    call("PUT", "/v1/campaigns/put", "{\"arms\":[\"a\",\"b\"],\"epsilon\":1}", 409);
    call("POST", "/v1/campaigns/shop/close", NULL, 200);
    call("POST", "/v1/campaigns/shop/pause", NULL, 409);
    call("GET", "/v1/campaigns/shop/outlook", NULL, 200);
    static const char *const tried[] = {"paid",   "groups", "local",  "lists", "contexts",
                                        "capped", "plain",  "labels", "shop"};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        snprintf(path, sizeof path, "/v1/campaigns/%s/sandbox", tried[i]);
        call("POST", path, NULL, 201);
        call("POST", path, "{}", 200);
    }
    call("POST", path, "{\"name\":\"x\"}", 400);
    call("GET", "/v1/me", NULL, 200);
    call("GET", "/v1/keys", NULL, 200);
    call("POST", "/v1/keys",
         "{\"roles\":[\"read\"],\"name\":\"k\",\"campaign\":\"shop\",\"expires\":\"9d\"}", 201);
    snprintf(path, sizeof path, "/v1/keys/%s",
             json_string_value(json_object_get(server.body, "id")));
    call("DELETE", path, NULL, 200);
    call("DELETE", path, NULL, 404);
    assert_string_equal(running_error(&server), "no_such_key");
    snprintf(path, sizeof path, "/v1/keys/%s",
             json_string_value(json_object_get(call("GET", "/v1/me", NULL, 200), "id")));
    call("DELETE", path, NULL, 409);
    assert_string_equal(running_error(&server), "in_use");
    call("POST", "/v1/keys", "{\"roles\":[]}", 400);
    call("GET", "/healthz", NULL, 200);
    call("GET", "/readyz", NULL, 200);
    check_readiness();
    call("GET", "/version", NULL, 200);
    call("GET", "/openapi.json", NULL, 200);
    call("GET", "/metrics", NULL, 200);
}

TEST(test_the_server_sends_this_document_and_its_version)
{
    char problem[512];
    json_t *const fresh = json_load_file(OPENAPI_FILE, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(fresh);
    assert_int_equal(running_call(&server, RUNNING_NOBODY, "GET", "/openapi.json", NULL), 200);
    assert_true(json_equal(server.body, fresh));
    json_decref(fresh);
    assert_int_equal(running_call(&server, RUNNING_NOBODY, "GET", "/version", NULL), 200);
    assert_string_equal(json_string_value(json_object_get(server.body, "version")),
                        lotor_version());
    json_t *const schema = json_object_get(
        json_object_get(json_object_get(document, "components"), "schemas"), "Version");
    assert_true(schema_fits(document, schema, server.body, problem));
}

/* A linear campaign has weights after its first release, and null before. */
TEST(test_released_weights)
{
    call("POST", "/v1/campaigns",
         "{\"name\":\"lines\",\"algorithm\":\"jdp-linucb\",\"arms\":[\"a\",\"b\"],\"epsilon\":5,"
         "\"dimension\":2,\"horizon\":100,\"wait_seconds\":0.01}",
         201);
    assert_true(
        json_is_null(json_object_get(call("GET", "/v1/campaigns/lines", NULL, 200), "weights")));
    assert_null(json_object_get(call("GET", "/v1/campaigns/shop", NULL, 200), "weights"));
    const double end = lotor_time_seconds() + test_seconds(20.0);
    const json_t *weights = NULL;
    while (!json_is_array(weights) && lotor_time_seconds() < end) {
        call("POST", "/v1/campaigns/lines/rank", "{\"context\":{\"a\":[0.5,0],\"b\":[0,0.25]}}",
             200);
        weights = json_object_get(call("GET", "/v1/campaigns/lines", NULL, 200), "weights");
    }
    assert_int_equal(json_array_size(weights), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *const weight = json_array_get(weights, i);
        const double mean = json_number_value(json_object_get(weight, "mean"));
        assert_true(json_number_value(json_object_get(weight, "low")) <= mean);
        assert_true(json_number_value(json_object_get(weight, "high")) >= mean);
    }
}

/* When decisions become final they are released, and then an arm has a mean, and the campaign a lift. */
TEST(test_a_released_mean)
{
    call("POST", "/v1/campaigns",
         "{\"name\":\"soon\",\"arms\":[\"a\",\"b\"],\"epsilon\":5,"
         "\"wait_seconds\":0.01,\"evaluation\":{\"share\":0.5,\"control\":[\"b\"]}}",
         201);
    const double end = lotor_time_seconds() + test_seconds(20.0);
    bool has_mean = false, has_lift = false;
    while ((!has_mean || !has_lift) && lotor_time_seconds() < end) {
        call("POST", "/v1/campaigns/soon/rank-batch", "{\"count\":20}", 200);
        const json_t *const soon = call("GET", "/v1/campaigns/soon", NULL, 200);
        const json_t *const arms = json_object_get(soon, "arms");
        has_lift = json_is_object(json_object_get(json_object_get(soon, "lift"), "absolute"));
        for (size_t j = 0; j < json_array_size(arms); j++) {
            has_mean = has_mean || json_is_number(json_object_get(json_array_get(arms, j), "mean"));
        }
    }
    assert_true(has_mean && has_lift);
    double propensity = 0.0; /* of the first control round; its control is fixed */
    for (size_t i = 0; i < 200 && propensity == 0.0; i++) {
        const json_t *const flag = call("POST", "/ofrep/v1/evaluate/flags/soon", "{}", 200);
        const json_t *const metadata = json_object_get(flag, "metadata");
        assert_true(json_is_string(json_object_get(metadata, "role")));
        propensity = json_number_value(json_object_get(metadata, "propensity"));
    }
    assert_true(propensity == 1.0);
    call("GET", "/v1/campaigns/soon/outlook", NULL, 200);
    assert_true(json_array_size(json_object_get(
                    call("GET", "/v1/campaigns/soon/releases", NULL, 200), "releases")) > 0);
    call("POST", "/v1/campaigns",
         "{\"name\":\"warm\",\"arms\":[\"a\",\"b\",\"c\"],\"epsilon\":1,\"prior\":\"soon\"}", 201);
    const json_t *const warm = call("GET", "/v1/campaigns/warm/guarantee", NULL, 200);
    assert_true(json_is_object(json_object_get(warm, "prior")));
    call("GET", "/v1/campaigns", NULL, 200);
}

TEST(test_errors_have_the_documented_properties)
{
    char path[160];
    call("POST", "/v1/campaigns", "{\"name\":\"x\"}", 400);
    call("POST", "/v1/campaigns", "{]", 400);
    call("POST", "/v1/campaigns",
         "{\"name\":\"local\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\"],\"epsilon\":1}", 409);
    assert_string_equal(running_error(&server), "exists");
    call("PUT", "/v1/campaigns/local", "{\"arms\":[\"a\"],\"epsilon\":1}", 409);
    call("PUT", "/v1/campaigns/local", "{\"name\":\"x\",\"arms\":[\"a\"],\"epsilon\":1}", 400);
    call("GET", "/v1/campaigns/none", NULL, 404);
    call("GET", "/v1/campaigns/none/guarantee", NULL, 404);
    call("GET", "/v1/campaigns/none/releases", NULL, 404);
    call("GET", "/v1/campaigns/none/outlook", NULL, 404);
    call("POST", "/v1/campaigns/none/sandbox", NULL, 404);
    call("POST", "/v1/campaigns/put/sandbox", NULL, 410);
    call("GET", "/v1/budgets/none", NULL, 404);
    assert_string_equal(running_error(&server), "no_such_budget");
    call("POST", "/v1/budgets", "{\"name\":\"people\",\"epsilon\":0}", 400);
    call("POST", "/v1/budgets", "{\"name\":\"people\",\"epsilon\":9}", 409);
    call("GET", "/v1/events/none", NULL, 404);
    assert_string_equal(running_error(&server), "no_such_event");
    call("POST", "/v1/simulate", "{}", 400);
    call("POST", "/v1/advise", "{\"epsilon\":0}", 400);
    call("POST", "/v1/campaigns/none/close", NULL, 404);
    call("DELETE", "/v1/campaigns/none", NULL, 404);
    call("PATCH", "/v1/campaigns/none", "{\"title\":\"T\"}", 404);
    call("POST", "/v1/campaigns/none/rank", "{}", 404);
    call("POST", "/v1/campaigns/none/rank-batch", "{\"count\":1}", 404);
    call("POST", "/ofrep/v1/evaluate/flags/none", "{}", 404);
    call("POST", "/ofrep/v1/evaluate/flags/shop", "{}", 400);
    assert_string_equal(running_error(&server), "closed");
    call("POST", "/ofrep/v1/evaluate/flags/capped", "{}", 400);
    call("POST", "/v1/campaigns/none/arms", "{\"add\":[\"d\"]}", 404);
    call("POST", "/v1/campaigns/shop/rank", "{}", 409);
    assert_string_equal(running_error(&server), "closed");
    call("POST", "/v1/campaigns/groups/arms", "{\"add\":[{\"id\":\"c\",\"features\":[1]}]}", 409);
    assert_string_equal(running_error(&server), "full");
    call("POST", "/v1/campaigns/lists/rank", "{\"eligible\":[\"a\"]}", 409);
    assert_string_equal(running_error(&server), "too_few_arms");
    call("POST", "/v1/campaigns/groups/rank", "{\"eligible\":[\"z\"]}", 400);
    call("POST", "/v1/campaigns/groups/rank", "{\"context\":{}}", 400);
    call("POST", "/v1/campaigns/capped/rank", "{}", 400);
    assert_string_equal(running_error(&server), "missing_field");
    call("POST", "/v1/campaigns/contexts/rank", "{}", 400);
    call("POST", "/v1/campaigns/contexts/rank", "{\"context\":{\"a\":[1,0],\"b\":[0]}}", 400);
    call("POST", "/v1/campaigns/local/rank-batch", "{}", 400);
    call("POST", "/v1/campaigns/local/rank-batch", "{\"count\":1001}", 400);
    reward_path(call("POST", "/v1/campaigns/local/rank", "{}", 200), path);
    call("POST", path, "{\"rewards\":[1]}", 400);
    assert_string_equal(running_error(&server), "raw_feedback");
    call("POST", path, "{\"report\":2}", 400);
    call("POST", path, "{}", 400);
    reward_path(call("POST", "/v1/campaigns/lists/rank", "{}", 200), path);
    call("POST", path, "{\"click\":\"z\"}", 400);
    call("POST", path, "{\"clik\":null}", 400);
    call("POST", "/v1/events/none/reward", "{\"rewards\":[1]}", 404);
    assert_string_equal(running_error(&server), "no_such_event");
    call("POST", "/v1/rewards", "{\"rewards\":[{\"event\":\"none\",\"rewards\":[1]}]}", 404);
    call("POST", "/v1/rewards", "{\"rewards\":[{\"rewards\":[1]}]}", 400);
    call("POST", "/v1/rewards", "{\"rewards\":[]}", 400);
}

/* After all other tests: every documented reply was seen. */
TEST(test_every_documented_reply_came)
{
    for (size_t i = 0; i < lotor_route_count; i++) {
        char status[8];
        json_t *const responses = json_object_get(operation_of(&lotor_routes[i]), "responses");
        snprintf(status, sizeof status, "%u", lotor_routes[i].success);
        json_t *const success = json_object_get(responses, status);
        if (!json_object_get(success, "x-seen")) {
            fail_msg("%s was never tried", lotor_routes[i].path);
        }
        json_t *const schema = content_schema(success);
        const char *const unseen = schema ? schema_unseen(document, schema) : NULL;
        if (unseen) {
            fail_msg("%s: the property %s never came", lotor_routes[i].path, unseen);
        }
    }
}

TEST_GROUP(start_all, stop_all);
