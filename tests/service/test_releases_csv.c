/* test_releases_csv.c - the releases of a campaign as CSV have the same numbers as the JSON. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "service/http/releases_csv.h"
#include "service/running.h"

static running server;

static int start_all(void **state)
{
    (void)state;
    running_start(&server, 0);
    return 0;
}

static int stop_all(void **state)
{
    (void)state;
    running_stop(&server);
    return 0;
}

TEST(test_lines_from_facts)
{
    json_t *const reply =
        json_pack("{s:[{s:i, s:i, s:i, s:[{s:s, s:i, s:f, s:i}, {s:s, s:i, s:f, s:i},"
                  "{s:n, s:s, s:i, s:f, s:i}],"
                  "s:[{s:s, s:{s:f, s:f}, s:f, s:i}, {s:s, s:n, s:n, s:i}]}]}",
                  "releases", "number", 7, "round", 40, "time", 1700000000, "facts", "arm", "tea",
                  "statistic", 0, "value", 0.1, "count", 16, "arm", "a.b-c", "statistic", 1,
                  "value", -2.0, "count", 3, "arm", "value_of", "control", "statistic", 0, "value",
                  5.5, "count", 8, "arms", "id", "tea", "interval", "low", 0.0, "high", 0.25,
                  "mean", 0.125, "count", 16, "id", "a.b-c", "interval", "mean", "count", 3);
    assert_non_null(reply);
    lotor_text text = {0};
    lotor_releases_csv(reply, &text);
    assert_int_equal(lotor_text_status(&text, NULL), LOTOR_OK);
    assert_string_equal(text.bytes,
                        LOTOR_RELEASES_CSV_HEADER "7,40,tea,,0,0.1,16,0.125,0,0.25,1700000000\n"
                                                  "7,40,a.b-c,,1,-2,3,,,,1700000000\n"
                                                  "7,40,,control,0,5.5,8,,,,1700000000\n");
    lotor_text_clear(&text);
    /* a release of an older program */
    json_object_set_new(json_array_get(json_object_get(reply, "releases"), 0), "time", json_null());
    lotor_releases_csv(reply, &text);
    assert_non_null(strstr(text.bytes, "\n7,40,,control,0,5.5,8,,,,\n"));
    lotor_text_clear(&text);
    json_decref(reply);
}

/* Ranks until at least `count` releases are there. */
static void await_releases(size_t count)
{
    const double end = lotor_time_seconds() + test_seconds(30.0);
    size_t made = 0;
    while (made < count && lotor_time_seconds() < end) {
        running_fine(&server, "POST", "/v1/campaigns/soon/rank-batch", "{\"count\":50}");
        made = json_array_size(json_object_get(
            running_fine(&server, "GET", "/v1/campaigns/soon/releases", NULL), "releases"));
    }
    assert_true(made >= count);
}

TEST(test_csv_has_the_numbers_of_the_json)
{
    running_fine(
        &server, "POST", "/v1/campaigns",
        "{\"name\":\"soon\",\"algorithm\":\"batch-klucb\",\"arms\":[\"a\",\"b\"],"
        "\"epsilon\":5,\"wait_seconds\":0.01,\"evaluation\":{\"share\":0.5,\"control\":[\"b\"]}}");
    assert_int_equal(
        running_call(&server, RUNNING_ADMIN, "GET", "/v1/campaigns/soon/releases?format=csv", NULL),
        200);
    assert_string_equal(server.text, LOTOR_RELEASES_CSV_HEADER);
    await_releases(4);
    const json_t *const page = running_fine(
        &server, "GET", "/v1/campaigns/soon/releases?after=1&limit=3&format=json", NULL);
    lotor_text expected = {0};
    lotor_releases_csv(page, &expected);
    assert_int_equal(running_call(&server, RUNNING_ADMIN, "GET",
                                  "/v1/campaigns/soon/releases?format=csv&after=1&limit=3", NULL),
                     200);
    assert_string_equal(server.text, expected.bytes);
    assert_int_equal(strncmp(strchr(server.text, '\n') + 1, "2,", 2), 0);
    lotor_text_clear(&expected);
}

TEST(test_refusals)
{
    running_fine(&server, "POST", "/v1/campaigns",
                 "{\"name\":\"local\",\"algorithm\":\"rr-klucb\",\"arms\":[\"a\",\"b\"],"
                 "\"epsilon\":1}");
    static const struct {
        const char *path, *code;
    } cases[] = {
        {"/v1/campaigns/local/releases?format=csv", "not_offered"},
        {"/v1/campaigns/local/releases?format=xml", "bad_value"},
        {"/v1/campaigns/local/releases?format=", "bad_value"},
        {"/v1/campaigns/local/releases?format=csv&format=csv", "unknown_field"},
        {"/v1/campaigns/local/releases?format=csv&page=1", "unknown_field"},
        {"/v1/campaigns/none/releases?format=csv", "no_such_campaign"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        running_call(&server, RUNNING_ADMIN, "GET", cases[i].path, NULL);
        assert_string_equal(running_error(&server), cases[i].code);
    }
    assert_int_equal(
        running_call(&server, RUNNING_RANK, "GET", "/v1/campaigns/local/releases?format=csv", NULL),
        403);
}

TEST_GROUP(start_all, stop_all);
