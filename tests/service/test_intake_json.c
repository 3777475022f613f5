/* test_intake_json.c - feedback and contexts as JSON: what is accepted, and the text of every
 * refusal. */
#include "support/test.h"

#include <jansson.h>
#include <math.h>
#include <sodium.h>
#include <string.h>

#include "service/spec/spec.h"
#include "support/intake_rig.h"

_Static_assert((int)LOTOR_INTAKE_NAME_MAX == (int)LOTOR_NAME_MAX, "names of arms");

static lotor_intake *intake_of(const char *id, bool cascade)
{
    const lotor_algorithm *row = lotor_algorithms_find(id);
    const lotor_policy_params params =
        cascade ? rows_list_params(row, 1000) : rows_params(row, 1000);
    return intake_new(&params);
}

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, JSON_DECODE_ANY, &error);
    if (!json) {
        fail_msg("%s: %s", text, error.text);
    }
    return json;
}

static void expect_read(const lotor_intake *intake, const char *text)
{
    lotor_feedback_list *batch = lotor_feedback_list_new(1);
    lotor_intake_refusal refusal;
    json_t *json = parse(text);
    if (!lotor_feedback_list_read(batch, intake, json, &refusal)) {
        fail_msg("%s: %s: %s", text, refusal.field, refusal.message.text);
    }
    assert_int_equal(refusal.fault, LOTOR_FAULT_NONE);
    assert_int_equal(lotor_feedback_list_count(batch), 1);
    json_decref(json);
    lotor_feedback_list_free(batch);
}

static void expect_refused(const lotor_intake *intake, const char *text, lotor_intake_fault fault,
                           const char *field, const char *message)
{
    lotor_feedback_list *batch = lotor_feedback_list_new(1);
    lotor_intake_refusal refusal;
    json_t *json = parse(text);
    assert_false(lotor_feedback_list_read(batch, intake, json, &refusal));
    assert_int_equal(refusal.fault, fault);
    assert_string_equal(refusal.field, field);
    assert_string_equal(refusal.message.text, message);
    assert_int_equal(lotor_feedback_list_count(batch), 0);
    json_decref(json);
    lotor_feedback_list_free(batch);
}

TEST(reads_rewards)
{
    static const char expected[] = "expected a number from 0 to 1";
    static const char not_a_list[] = "expected a list of numbers, one for each arm that was shown";
    static const char missing[] = "send `rewards`: one number for each shown arm";
    lotor_intake *intake = intake_of("cucb-dp-lazy", false);
    expect_read(intake, "{\"rewards\": [0, 1]}");
    expect_read(intake, "{\"rewards\": [0.5]}");
    expect_read(intake, "{\"rewards\": []}"); /* the expected number is known only later */
    expect_read(intake, "{\"rewards\": [-0.0, 1e-300, 1]}");
    static const char *const wrong[] = {"-0.1",  "1.0000000001", "1e308", "null", "true",
                                        "\"1\"", "[]",           "{}",    "2",    "-1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[80];
        snprintf(text, sizeof text, "{\"rewards\": [0.5, %s]}", wrong[i]);
        expect_refused(intake, text, LOTOR_FAULT_VALUE, "rewards[1]", expected);
        snprintf(text, sizeof text, "{\"rewards\": [%s, 7]}", wrong[i]);
        expect_refused(intake, text, LOTOR_FAULT_VALUE, "rewards[0]", expected);
    }
    expect_refused(intake, "{\"rewards\": 1}", LOTOR_FAULT_VALUE, "rewards", not_a_list);
    expect_refused(intake, "{\"rewards\": null}", LOTOR_FAULT_VALUE, "rewards", not_a_list);
    expect_refused(intake, "{\"rewards\": {\"a\": 1}}", LOTOR_FAULT_VALUE, "rewards", not_a_list);
    static const char *const other[] = {"{}",
                                        "[]",
                                        "1",
                                        "null",
                                        "\"rewards\"",
                                        "{\"click\": null}",
                                        "{\"report\": 1}",
                                        "{\"Rewards\": [1]}"};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        expect_refused(intake, other[i], LOTOR_FAULT_MISSING_FIELD, "rewards", missing);
    }
    expect_refused(intake, "{\"rewards\": [1], \"click\": null}", LOTOR_FAULT_UNKNOWN_FIELD, "",
                   "send `rewards`: one number for each shown arm, and no other field");
    expect_refused(intake, "{\"rewards\": 1, \"x\": 1}", LOTOR_FAULT_UNKNOWN_FIELD, "",
                   "send `rewards`: one number for each shown arm, and no other field");
    lotor_intake_refusal refusal;
    lotor_feedback_list *batch = lotor_feedback_list_new(1);
    assert_false(lotor_feedback_list_read(batch, intake, NULL, &refusal));
    assert_int_equal(refusal.fault, LOTOR_FAULT_MISSING_FIELD);
    lotor_feedback_list_free(batch);
    lotor_intake_free(intake);
}

TEST(reads_clicks)
{
    static const char expected[] = "expected the id of an arm that was shown, or null for no click";
    lotor_intake *intake = intake_of("batch-klucb", true);
    char longest[LOTOR_NAME_MAX + 1] = "", text[LOTOR_NAME_MAX + 20];
    memset(longest, 'a', LOTOR_NAME_MAX);
    expect_read(intake, "{\"click\": null}");
    expect_read(intake, "{\"click\": \"e\"}");
    /* which arms were shown is known only later */
    expect_read(intake, "{\"click\": \"not shown\"}");
    snprintf(text, sizeof text, "{\"click\": \"%s\"}", longest);
    expect_read(intake, text);
    snprintf(text, sizeof text, "{\"click\": \"%sa\"}", longest);
    expect_refused(intake, text, LOTOR_FAULT_VALUE, "click", expected);
    static const char *const wrong[] = {"\"\"", "1", "0", "true", "false", "[]", "[\"a\"]", "{}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, "{\"click\": %s}", wrong[i]);
        expect_refused(intake, text, LOTOR_FAULT_VALUE, "click", expected);
    }
    expect_refused(intake, "{\"rewards\": [1]}", LOTOR_FAULT_MISSING_FIELD, "click",
                   "send `click`: the id of the clicked arm, or null");
    expect_refused(intake, "{\"click\": null, \"rewards\": [1]}", LOTOR_FAULT_UNKNOWN_FIELD, "",
                   "send `click`: the id of the clicked arm, or null, and no other field");
    lotor_intake_free(intake);
}

TEST(reads_reports)
{
    static const char expected[] =
        "expected an integer, or a list of integers, as the randomizer makes it";
    static const char raw[] =
        "feedback of this campaign is randomized before it is sent: send `report`, as the "
        "ranking's `randomizer` says";
    lotor_intake *intake = intake_of("rr-klucb", false);
    expect_read(intake, "{\"report\": 1}");
    expect_read(intake, "{\"report\": [0]}");
    expect_read(intake, "{\"report\": []}");
    expect_read(intake, "{\"report\": [-9223372036854775808, 9223372036854775807]}");
    static const char *const wrong[] = {"0.5", "1.0",      "\"1\"", "null",  "true",
                                        "{}",  "[1, 0.5]", "[[1]]", "[null]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[80];
        snprintf(text, sizeof text, "{\"report\": %s}", wrong[i]);
        expect_refused(intake, text, LOTOR_FAULT_VALUE, "report", expected);
    }
    expect_refused(intake, "{\"rewards\": [1]}", LOTOR_FAULT_RAW_FEEDBACK, "rewards", raw);
    expect_refused(intake, "{\"rewards\": 7, \"report\": 1}", LOTOR_FAULT_RAW_FEEDBACK, "rewards",
                   raw);
    expect_refused(intake, "{\"click\": null}", LOTOR_FAULT_RAW_FEEDBACK, "click", raw);
    expect_refused(intake, "{\"click\": 1, \"rewards\": 1}", LOTOR_FAULT_RAW_FEEDBACK, "rewards",
                   raw);
    expect_refused(intake, "{}", LOTOR_FAULT_MISSING_FIELD, "report",
                   "send `report`: the output of the randomizer");
    expect_refused(intake, "{\"report\": 1, \"more\": 1}", LOTOR_FAULT_UNKNOWN_FIELD, "",
                   "send `report`: the output of the randomizer, and no other field");
    lotor_intake_free(intake);
}

/* Each campaign has its own range of rewards. */
TEST(reads_other_ranges)
{
    lotor_intake *intake = intake_of("jdp-batch", false);
    expect_read(intake, "{\"rewards\": [-1]}");
    expect_refused(intake, "{\"rewards\": [-1.5]}", LOTOR_FAULT_VALUE, "rewards[0]",
                   "expected a number from -1 to 1");
    lotor_intake_free(intake);
}

/* One list of items for several campaigns. A refusal in the middle does not affect the others. */
TEST(batches_hold_what_was_read)
{
    static const uint32_t arms[] = {1, 3, 0};
    const lotor_display pair = {arms, 2, arms, 2, NULL}, list = {arms, 3, arms, 1, NULL};
    lotor_intake *semi = intake_of("cucb-dp-lazy", false);
    lotor_intake *clicks = intake_of("batch-klucb", true);
    lotor_intake *local = intake_of("rr-klucb", false);
    static const char *const texts[] = {"{\"rewards\": [1, 0.5]}",    "{\"click\": \"d\"}",
                                        "{\"rewards\": [1, 0.5, 7]}", "{\"report\": 1}",
                                        "{\"click\": null}",          "{\"rewards\": [0, 0]}"};
    const lotor_intake *const owners[] = {semi, clicks, semi, local, clicks, semi};
    lotor_feedback_list *batch = lotor_feedback_list_new(2);
    lotor_intake_refusal refusal;
    for (size_t i = 0; i < 6; i++) {
        json_t *json = parse(texts[i]);
        assert_int_equal(lotor_feedback_list_read(batch, owners[i], json, &refusal), i != 2);
        json_decref(json);
    }
    assert_int_equal(lotor_feedback_list_count(batch), 5);
    assert_true(lotor_intake_accept(semi, batch, 0, 1, 1, &pair, intake_ids, &refusal));
    assert_true(lotor_intake_accept(clicks, batch, 1, 1, 1, &list, intake_ids, &refusal));
    assert_true(lotor_intake_accept(local, batch, 2, 1, 1, &list, intake_ids, &refusal));
    assert_true(lotor_intake_accept(clicks, batch, 3, 2, 1, &list, intake_ids, &refusal));
    assert_true(lotor_intake_accept(semi, batch, 4, 2, 1, &pair, intake_ids, &refusal));
    /* An item in the form of another campaign is refused, not misread. */
    assert_false(lotor_intake_accept(semi, batch, 1, 3, 1, &pair, intake_ids, &refusal));
    assert_false(lotor_intake_accept(clicks, batch, 0, 3, 1, &list, intake_ids, &refusal));
    assert_false(lotor_intake_accept(local, batch, 4, 3, 1, &list, intake_ids, &refusal));
    assert_int_equal(lotor_intake_pending(semi), 2);
    assert_int_equal(lotor_intake_pending(clicks), 2);
    assert_int_equal(lotor_intake_pending(local), 1);
    intake_row row = intake_seal(clicks, 1, 1);
    size_t used;
    assert_int_equal(intake_replay(clicks, 0, &row), LOTOR_OK);
    assert_int_equal(lotor_intake_find(clicks, 1, 1, &used)[0], 2);
    assert_int_equal(lotor_intake_find(clicks, 2, 1, &used)[0], 0);
    intake_row_free(&row);
    lotor_feedback_list_free(batch);
    lotor_intake_free(semi);
    lotor_intake_free(clicks);
    lotor_intake_free(local);
}

/* --- contexts --------------------------------------------------------------------------------- */

static const char *const ids[ROWS_ARMS] = {"a", "b", "c", NULL, NULL};

static lotor_status seal(const lotor_intake *intake, const char *text, const bool *eligible,
                         lotor_intake_refusal *refusal, double *rows, bool *has_row)
{
    json_t *json = text ? parse(text) : NULL;
    unsigned char *bytes;
    size_t length;
    const lotor_status status =
        lotor_intake_seal_context(intake, json, ids, ROWS_ARMS, eligible, refusal, &bytes, &length);
    json_decref(json);
    assert_int_equal(status == LOTOR_OK, refusal->fault == LOTOR_FAULT_NONE);
    assert_int_equal(bytes != NULL, length > 0);
    if (bytes) {
        assert_int_equal(lotor_intake_open_rows(intake, bytes, length, NULL, rows, has_row),
                         LOTOR_OK);
        lotor_bytes_free(bytes, length);
    }
    return status;
}

TEST(reads_contexts)
{
    static const bool some[ROWS_ARMS] = {true, false, true, false, false};
    lotor_intake *intake = intake_of("jdp-batch", false);
    lotor_intake_refusal refusal;
    double rows[ROWS_ARMS * ROWS_DIMENSION];
    bool has_row[ROWS_ARMS];
    assert_int_equal(seal(intake, "{\"c\": [7, 8, 9], \"a\": [1, 2.5, -3], \"b\": [0, 0, 0]}", NULL,
                          &refusal, rows, has_row),
                     LOTOR_OK);
    assert_true(rows[0] == 1.0 && rows[1] == 2.5 && rows[2] == -3.0);
    assert_true(rows[6] == 7.0 && rows[7] == 8.0 && rows[8] == 9.0);
    for (size_t i = 0; i < ROWS_ARMS; i++) {
        assert_int_equal(has_row[i], i < 3);
    }
    assert_int_equal(
        seal(intake, "{\"c\": [7, 8, 9], \"a\": [1, 2, 3]}", some, &refusal, rows, has_row),
        LOTOR_OK);
    assert_memory_equal(has_row, some, sizeof some);
    /* A row of an arm that is not eligible is accepted; drawing leaves it out. */
    assert_int_equal(seal(intake, "{\"c\": [7, 8, 9], \"a\": [1, 2, 3], \"b\": [4, 5, 6]}", some,
                          &refusal, rows, has_row),
                     LOTOR_OK);
    assert_true(has_row[1]);
    lotor_intake_free(intake);
}

TEST(scales_long_contexts_down_on_request)
{
    lotor_intake *intake = intake_of("jdp-batch", false);
    lotor_intake_refusal refusal;
    double rows[ROWS_ARMS * 3];
    bool has_row[ROWS_ARMS];
    lotor_intake_limit(intake, 1.0, true);
    assert_int_equal(seal(intake,
                          "{\"a\": [0.6, 0, 0.8], \"b\": [3, 0, -4], \"c\": [1e308, 1e308, 0]}",
                          NULL, &refusal, rows, has_row),
                     LOTOR_OK);
    const double expected[9] = {0.6, 0, 0.8, 0.6, 0, -0.8, sqrt(0.5), sqrt(0.5), 0};
    for (size_t i = 0; i < 9; i++) {
        assert_true(fabs(rows[i] - expected[i]) < 1e-11);
    }
    for (size_t i = 0; i < 3; i++) {
        const double *row = rows + 3 * i;
        assert_true(row[0] * row[0] + row[1] * row[1] + row[2] * row[2] <= 1.0);
    }
    assert_true(rows[0] == 0.6 && rows[2] == 0.8); /* not longer than 1: not touched */
    lotor_intake_free(intake);
}

/* Without the request, they are refused with the name of the arm. Rounding is not. */
TEST(refuses_long_contexts_by_the_name_of_the_arm)
{
    lotor_intake *intake = intake_of("jdp-batch", false);
    lotor_intake_refusal refusal;
    double rows[ROWS_ARMS * 3];
    bool has_row[ROWS_ARMS];
    static const bool some[ROWS_ARMS] = {true, false, true};
    static const char long_b[] = "{\"a\": [0.6, 0, 0.8], \"b\": [3, 0, -4], \"c\": [0, 0, 0]}";
    lotor_intake_limit(intake, 1.0, false);
    assert_int_equal(seal(intake, long_b, NULL, &refusal, rows, has_row), LOTOR_INVALID);
    assert_int_equal(refusal.fault, LOTOR_FAULT_VALUE);
    assert_string_equal(refusal.message.text,
                        "the context of the arm \"b\" is longer than 1: scale all contexts down "
                        "alike, or set `normalize` when you create the campaign");
    assert_int_equal(seal(intake, long_b, some, &refusal, rows, has_row), LOTOR_OK);
    lotor_intake_free(intake);
}

static void expect_no_context(const lotor_intake *intake, const char *text, const bool *eligible,
                              lotor_intake_fault fault, const char *message)
{
    lotor_intake_refusal refusal;
    assert_int_equal(seal(intake, text, eligible, &refusal, NULL, NULL), LOTOR_INVALID);
    assert_int_equal(refusal.fault, fault);
    assert_string_equal(refusal.field, "context");
    assert_string_equal(refusal.message.text, message);
}

TEST(says_what_is_wrong_with_contexts)
{
    static const char no_object[] = "expected an object with a list of numbers for each arm id";
    static const char no_context[] =
        "context is missing: expected an object with a list of numbers for each arm id";
    static const char no_arm[] = "a key is not the id of an arm of the campaign";
    static const char no_row[] =
        "each arm needs a list of as many numbers as the campaign's dimension";
    static const char missing[] =
        "an arm that may be shown has no numbers: give a list for each, or name the arms that may "
        "be shown in `eligible`";
    static const bool some[ROWS_ARMS] = {true, false, true, false, false};
    lotor_intake *intake = intake_of("jdp-batch", false);
    expect_no_context(intake, NULL, NULL, LOTOR_FAULT_MISSING_FIELD, no_context);
    expect_no_context(intake, "[]", NULL, LOTOR_FAULT_VALUE, no_object);
    expect_no_context(intake, "null", NULL, LOTOR_FAULT_VALUE, no_object);
    expect_no_context(intake, "3", NULL, LOTOR_FAULT_VALUE, no_object);
    expect_no_context(intake, "{}", NULL, LOTOR_FAULT_MISSING_FIELD, missing);
    expect_no_context(intake, "{\"a\": [1, 2, 3], \"b\": [1, 2, 3]}", NULL,
                      LOTOR_FAULT_MISSING_FIELD, missing);
    expect_no_context(intake, "{\"a\": [1, 2, 3], \"b\": [1, 2, 3]}", some,
                      LOTOR_FAULT_MISSING_FIELD, missing);
    static const char *const wrong[] = {"[1, 2]",       "[1, 2, 3, 4]",  "[]", "null",       "1",
                                        "[1, 2, null]", "[1, 2, \"3\"]", "{}", "[1, 2, [3]]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[80];
        snprintf(text, sizeof text, "{\"a\": [1, 2, 3], \"b\": %s, \"c\": [1, 2, 3]}", wrong[i]);
        expect_no_context(intake, text, NULL, LOTOR_FAULT_VALUE, no_row);
        expect_no_context(intake, text, some, LOTOR_FAULT_VALUE, no_row);
    }
    expect_no_context(intake, "{\"a\": [1, 2, 3], \"c\": [1, 2, 3], \"x\": [1, 2, 3]}", some,
                      LOTOR_FAULT_VALUE, no_arm);
    expect_no_context(intake, "{\"\": 1}", some, LOTOR_FAULT_VALUE, no_arm);
    lotor_intake_free(intake);

    lotor_intake *without = intake_of("batch-klucb", false);
    lotor_intake_refusal refusal;
    expect_no_context(without, "{}", NULL, LOTOR_FAULT_UNKNOWN_FIELD,
                      "this campaign's algorithm takes no context");
    assert_int_equal(seal(without, NULL, NULL, &refusal, NULL, NULL), LOTOR_OK);
    lotor_intake_free(without);
}

TEST_GROUP(test_start_sodium, NULL);
