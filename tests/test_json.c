/* test_json.c - the JSON writer: commas, escapes, numbers, and buffers that are too small. */
#include "support/test.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "support/locale.h"

TEST(elements_are_parted)
{
    char buffer[256];
    lotor_json json;
    lotor_json_start(&json, buffer, sizeof buffer);
    lotor_json_open(&json, NULL, '{');
    lotor_json_string(&json, "name", "tree");
    lotor_json_string(&json, "reason", NULL);
    lotor_json_bool(&json, "private", true);
    lotor_json_open(&json, "list", '[');
    lotor_json_whole(&json, NULL, 0);
    lotor_json_whole(&json, NULL, UINT64_MAX);
    lotor_json_open(&json, NULL, '{');
    lotor_json_close(&json, '}');
    lotor_json_close(&json, ']');
    lotor_json_raw(&json, "raw", "[1]");
    lotor_json_bool(&json, "last", false);
    lotor_json_close(&json, '}');
    assert_string_equal(buffer, "{\"name\": \"tree\", \"reason\": null, \"private\": true, "
                                "\"list\": [0, 18446744073709551615, {}], \"raw\": [1], "
                                "\"last\": false}");
    assert_int_equal(json.length, strlen(buffer));
}

static void string_gives(const char *text, const char *expected)
{
    char buffer[256];
    lotor_json json;
    lotor_json_start(&json, buffer, sizeof buffer);
    lotor_json_string(&json, NULL, text);
    assert_string_equal(buffer, expected);
}

TEST(strings_are_escaped)
{
    string_gives("", "\"\"");
    string_gives("say \"hi\" \\ /", "\"say \\\"hi\\\" \\\\ /\"");
    string_gives("a\nb\rc\td", "\"a\\nb\\rc\\td\"");
    string_gives("\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\"");
    /* valid UTF-8 of 2, 3 and 4 bytes is not changed */
    string_gives("\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa6\x9d",
                 "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa6\x9d\"");
    char buffer[64];
    lotor_json json;
    lotor_json_start(&json, buffer, sizeof buffer);
    lotor_json_whole(&json, "k\"\n", 1);
    assert_string_equal(buffer, "\"k\\\"\\n\": 1");
}

TEST(bad_utf8_is_replaced_byte_by_byte)
{
    string_gives("a\x80z", "\"a\\ufffdz\"");        /* stray continuation */
    string_gives("\xff", "\"\\ufffd\"");            /* never a byte of UTF-8 */
    string_gives("\xc3", "\"\\ufffd\"");            /* cut off by the end */
    string_gives("\xe2\x82", "\"\\ufffd\\ufffd\""); /* cut off by the end */
    string_gives("\xf0\x9f\xa6", "\"\\ufffd\\ufffd\\ufffd\"");
    string_gives("\xc0\xaf", "\"\\ufffd\\ufffd\""); /* '/' in a form too long */
    string_gives("\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\"");
    string_gives("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");            /* a surrogate */
    string_gives("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""); /* U+110000 */
    string_gives("\xe2(\x82", "\"\\ufffd(\\ufffd\"");
    string_gives("\xc3\"", "\"\\ufffd\\\"\""); /* a broken character does not swallow the quote */
}

static void double_gives(double value, const char *expected)
{
    char buffer[64];
    lotor_json json;
    lotor_json_start(&json, buffer, sizeof buffer);
    lotor_json_double(&json, NULL, value);
    assert_string_equal(buffer, expected);
}

TEST(numbers_are_short_and_exact)
{
    double_gives(0.0, "0");
    double_gives(-0.0, "-0");
    double_gives(1.0, "1");
    double_gives(0.1, "0.1");
    double_gives(1e-5, "1e-05");
    double_gives(-2.5e300, "-2.5e+300");
    double_gives(0.1 + 0.2, "0.30000000000000004");
    double_gives(0.2689414213699951, "0.2689414213699951");
    double_gives(DBL_MAX, "1.7976931348623157e+308");
    double_gives(NAN, "null");
    double_gives(INFINITY, "null");
    double_gives(-INFINITY, "null");
}

TEST(every_number_reads_back)
{
    /* 20000 doubles over the whole range, by multiplying, and all of their bits differ. */
    double value = 5e-324;
    for (int i = 0; i < 20000 && isfinite(value); i++) {
        char buffer[64];
        lotor_json json;
        lotor_json_start(&json, buffer, sizeof buffer);
        lotor_json_double(&json, NULL, value);
        assert_true(strtod(buffer, NULL) == value);
        value = value < 1e-320 ? value + 5e-324 : value * 1.0777777;
    }
}

TEST(the_locale_has_no_say)
{
    test_use_decimal_comma();
    double_gives(0.25, "0.25");
    double_gives(-1.5e-7, "-1.5e-07");
    setlocale(LC_ALL, "C");
}

static size_t write_sample(char *buffer, size_t capacity)
{
    lotor_json json;
    lotor_json_start(&json, buffer, capacity);
    lotor_json_open(&json, NULL, '{');
    lotor_json_string(&json, "a", "\xc3\xa9\n\xff");
    lotor_json_double(&json, "b", 0.5);
    lotor_json_close(&json, '}');
    return json.length;
}

TEST(small_buffers_are_cut_and_measured)
{
    char whole[128];
    const size_t length = write_sample(whole, sizeof whole);
    assert_int_equal(length, strlen(whole));
    assert_int_equal(write_sample(NULL, 0), length);
    for (size_t capacity = 1; capacity <= length + 1; capacity++) {
        /* a buffer of exactly this size, so that a sanitizer detects an overrun */
        char *cut = malloc(capacity);
        assert_non_null(cut);
        memset(cut, '?', capacity);
        assert_int_equal(write_sample(cut, capacity), length);
        assert_int_equal(strlen(cut), capacity - 1);
        assert_memory_equal(cut, whole, capacity - 1);
        free(cut);
    }
}
