/* test_ratio.c - decimal text becomes the exact fraction; digits that do not fit are rounded
 * down. */
#include "support/test.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <lotor/ratio.h>

#include "base/ratio.h"
#include "support/locale.h"

typedef struct reading {
    const char *text;
    uint64_t num, den;
} reading;

TEST(text_is_read_exactly)
{
    /* By hand: the decimal fraction in lowest terms, cut after 18 decimals or at 2^63. */
    static const reading readings[] = {
        {"0", 0, 1},
        {"0.000", 0, 1},
        {"0e999999999999999999999", 0, 1},
        {"0.1", 1, 10},
        {".5", 1, 2},
        {"5.", 5, 1},
        {"2", 2, 1},
        {"007.50", 15, 2},
        {"1e-5", 1, 100000},
        {"1E-05", 1, 100000},
        {"5e7", 50000000, 1},
        {"5e+7", 50000000, 1},
        {"12.5e-1", 5, 4},
        {"0.00012e4", 6, 5},
        {"120000e-5", 6, 5},
        {"1e18", 1000000000000000000u, 1},
        {"1e-18", 1, 1000000000000000000u},
        {"1.9e-18", 1, 1000000000000000000u},
        {"0.9999999999999999999999", 999999999999999999u, 1000000000000000000u},
        /* 333333333333333333 and 10^18 share no factor: the first is odd and ends in 3 */
        {"0.333333333333333333333333", 333333333333333333u, 1000000000000000000u},
        /* 19 significant digits and more: 12345678901234567890 > 2^63, so one digit goes */
        {"1.234567890123456789", 1234567890123456789u, 1000000000000000000u},
        {"1.2345678901234567891", 1234567890123456789u, 1000000000000000000u},
        {"12.345678901234567891", 1234567890123456789u, 100000000000000000u},
        {"100.000000000000000000", 100, 1},
        {"9223372036854775808", 9223372036854775808u, 1},
        {"9223372036854775808.9", 9223372036854775808u, 1},
        {"inf", 1, 0},
        {"INF", 1, 0},
        {"Infinity", 1, 0},
    };
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        lotor_ratio ratio = {7, 7};
        lotor_message why = {"fine"};
        if (lotor_ratio_parse(readings[i].text, &why, &ratio) != LOTOR_OK) {
            fail_msg("%s: %s", readings[i].text, why.text);
        }
        if (ratio.num != readings[i].num || ratio.den != readings[i].den) {
            fail_msg("%s: read as %llu/%llu", readings[i].text, (unsigned long long)ratio.num,
                     (unsigned long long)ratio.den);
        }
    }
}

TEST(bad_text_is_refused)
{
    static const char *const texts[] = {
        "",
        " ",
        " 1",
        "1 ",
        ".",
        "e5",
        "1e",
        "1e+",
        "1e5x",
        "1.2.3",
        "-1",
        "-0",
        "+1",
        "nan",
        "0x10",
        "1,5",
        "infin",
        "inf ",
        "-inf",
        "infinityy",
        "1e-30",
        "9e-19",
        "0.0000000000000000009",
        "1e19",
        "1e999999999999999999999",
        "1e-999999999999999999999",
        "9223372036854775809",
        "9.3e18",
        "\xff",
        "1\xc2\xa0",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lotor_ratio ratio = {7, 7};
        lotor_message why = {""};
        if (lotor_ratio_parse(texts[i], &why, &ratio) != LOTOR_INVALID) {
            fail_msg("'%s' was read as %llu/%llu", texts[i], (unsigned long long)ratio.num,
                     (unsigned long long)ratio.den);
        }
        assert_true(why.text[0] != '\0');
        assert_true(ratio.num == 7 && ratio.den == 7);
        assert_int_equal(lotor_ratio_parse(texts[i], NULL, &ratio), LOTOR_INVALID);
    }
    lotor_ratio ratio;
    assert_int_equal(lotor_ratio_parse(NULL, NULL, &ratio), LOTOR_INVALID);
}

TEST(refusals_say_what_to_do)
{
    lotor_ratio ratio;
    lotor_message why;
    lotor_ratio_parse("1e-30", &why, &ratio);
    assert_non_null(strstr(why.text, "1e-18"));
    lotor_ratio_parse("1e30", &why, &ratio);
    assert_non_null(strstr(why.text, "write inf"));
    lotor_ratio_parse("-3", &why, &ratio);
    assert_non_null(strstr(why.text, "below 0"));
}

TEST(long_text_is_read_to_its_end)
{
    /* 0.000...01 with 5000 zeros, times 10^5000, is 0.1; and 1000...0 over 10^5000 is 1. */
    char text[6000];
    memset(text, '0', sizeof text);
    text[1] = '.';
    snprintf(text + 5002, sizeof text - 5002, "1e5000");
    lotor_ratio ratio;
    assert_int_equal(lotor_ratio_parse(text, NULL, &ratio), LOTOR_OK);
    assert_true(ratio.num == 1 && ratio.den == 10);
    memset(text, '0', sizeof text);
    text[0] = '1';
    snprintf(text + 5001, sizeof text - 5001, "e-5000");
    assert_int_equal(lotor_ratio_parse(text, NULL, &ratio), LOTOR_OK);
    assert_true(ratio.num == 1 && ratio.den == 1);
}

TEST(the_locale_has_no_say)
{
    lotor_ratio ratio;
    test_use_decimal_comma();
    assert_int_equal(lotor_ratio_parse("0.25", NULL, &ratio), LOTOR_OK);
    assert_true(ratio.num == 1 && ratio.den == 4);
    assert_int_equal(lotor_ratio_parse("0,25", NULL, &ratio), LOTOR_INVALID);
    setlocale(LC_ALL, "C");
}

TEST(fractions_are_reduced)
{
    lotor_ratio ratio = lotor_ratio_of(84, 36);
    assert_true(ratio.num == 7 && ratio.den == 3);
    ratio = lotor_ratio_of(0, 0);
    assert_true(ratio.num == 0 && ratio.den == 1);
    ratio = lotor_ratio_of(0, 9);
    assert_true(ratio.num == 0 && ratio.den == 1);
    ratio = lotor_ratio_of(9, 0);
    assert_true(ratio.num == 1 && ratio.den == 0);
    assert_true(lotor_ratio_is_infinite(ratio));
    assert_false(lotor_ratio_is_infinite((lotor_ratio){0, 0}));
    assert_false(lotor_ratio_is_infinite(lotor_ratio_of(UINT64_MAX, 1)));
}

TEST(doubles_come_back_as_they_were)
{
    /* Every double in [2^-10, 2^63] is a multiple of 2^-63: it must come back unchanged. */
    double value = 0x1p-10;
    for (int i = 0; i < 5000 && value <= 0x1p63; i++) {
        lotor_ratio ratio;
        assert_int_equal(lotor_ratio_from_double(value, NULL, &ratio), LOTOR_OK);
        assert_true(lotor_ratio_to_double(ratio) == value);
        value *= 1.0101;
    }
    lotor_ratio ratio;
    assert_int_equal(lotor_ratio_from_double(0.1, NULL, &ratio), LOTOR_OK);
    /* The double 0.1 is 3602879701896397/2^55. */
    assert_true(ratio.num == 3602879701896397u && ratio.den == 1ull << 55);
    assert_int_equal(lotor_ratio_from_double(2.5, NULL, &ratio), LOTOR_OK);
    assert_true(ratio.num == 5 && ratio.den == 2);
    assert_int_equal(lotor_ratio_from_double(0x1p63, NULL, &ratio), LOTOR_OK);
    assert_true(ratio.num == 1ull << 63 && ratio.den == 1);
    assert_int_equal(lotor_ratio_from_double(0.0, NULL, &ratio), LOTOR_OK);
    assert_true(ratio.num == 0 && ratio.den == 1);
    assert_int_equal(lotor_ratio_from_double(INFINITY, NULL, &ratio), LOTOR_OK);
    assert_true(lotor_ratio_is_infinite(ratio));
    /* Below 2^-10 it rounds down, by less than 2^-63. */
    assert_int_equal(lotor_ratio_from_double(1e-10, NULL, &ratio), LOTOR_OK);
    assert_true(lotor_ratio_to_double(ratio) <= 1e-10);
    assert_true(lotor_ratio_to_double(ratio) > 1e-10 - 0x1p-63);
}

TEST(doubles_that_do_not_fit_are_refused)
{
    const double values[] = {NAN, -1.0, -1e-300, -INFINITY, 0x1.0000000000001p63, 1e300, 1e-20};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        lotor_ratio ratio = {7, 7};
        lotor_message why = {""};
        assert_int_equal(lotor_ratio_from_double(values[i], &why, &ratio), LOTOR_INVALID);
        assert_true(why.text[0] != '\0' && ratio.num == 7);
        assert_int_equal(lotor_ratio_from_double(values[i], NULL, &ratio), LOTOR_INVALID);
    }
}

TEST(the_nearest_double_is_found)
{
    /* The compiler rounds decimal constants right, so they are the expected values. */
    assert_true(lotor_ratio_to_double(lotor_ratio_of(1, 10)) == 0.1);
    assert_true(lotor_ratio_to_double(lotor_ratio_of(1, 3)) == 1.0 / 3.0);
    assert_true(lotor_ratio_to_double(lotor_ratio_of(999999999999999999u, 1000000000000000000u)) ==
                0.999999999999999999);
    assert_true(lotor_ratio_to_double((lotor_ratio){UINT64_MAX, 1}) == 0x1p64);
    assert_true(lotor_ratio_to_double((lotor_ratio){1, UINT64_MAX}) == 0x1p-64);
    /* (2^63 + 2^10 + 1)/2^63 lies just above the middle of two doubles; a second rounding, or
     * none of the last bit, would give 1. */
    assert_true(lotor_ratio_to_double((lotor_ratio){(1ull << 63) + 1025, 1ull << 63}) ==
                0x1.0000000000001p0);
    assert_true(lotor_ratio_to_double((lotor_ratio){(1ull << 63) + 1024, 1ull << 63}) == 1.0);
    /* 2^53 + 1 + 1/2047 lies above the middle by less than the 64 bits of the quotient show. */
    const lotor_ratio close = {((1ull << 53) + 1) * 2047 + 1, 2047};
    assert_true(lotor_ratio_to_double(close) == 0x1p53 + 2.0);
    assert_true(lotor_ratio_to_double((lotor_ratio){(1ull << 53) + 1, 1}) == 0x1p53);
    assert_true(lotor_ratio_to_double((lotor_ratio){0, 0}) == 0.0);
    assert_true(isinf(lotor_ratio_to_double(lotor_ratio_of(1, 0))));
    char text[32];
    for (unsigned i = 1; i < 2000; i++) {
        snprintf(text, sizeof text, "%u.%03ue-6", i, i);
        lotor_ratio ratio;
        assert_int_equal(lotor_ratio_parse(text, NULL, &ratio), LOTOR_OK);
        double expected;
        assert_int_equal(sscanf(text, "%lf", &expected), 1);
        assert_true(lotor_ratio_to_double(ratio) == expected);
    }
}

TEST(products_round_up)
{
    uint64_t out = 99;
    /* 17 levels of 2^20 units at epsilon 1/10: 17 * 2^20 * 10; at 3/7: ceil(17825792 * 7/3). */
    assert_int_equal(lotor_ratio_ceil_product(1 << 20, 17, (lotor_ratio){1, 10}, &out), LOTOR_OK);
    assert_true(out == 178257920);
    assert_int_equal(lotor_ratio_ceil_product(1 << 20, 17, (lotor_ratio){3, 7}, &out), LOTOR_OK);
    assert_true(out == 41593515);
    assert_int_equal(lotor_ratio_ceil_product(1, 1, (lotor_ratio){UINT64_MAX, 1}, &out), LOTOR_OK);
    assert_true(out == 1);
    assert_int_equal(lotor_ratio_ceil_product(0, 5, (lotor_ratio){1, 1}, &out), LOTOR_OK);
    assert_true(out == 0);
    out = 99;
    assert_int_equal(lotor_ratio_ceil_product(5, 5, (lotor_ratio){1, 0}, &out), LOTOR_OK);
    assert_true(out == 0);
}

TEST(products_that_do_not_fit_are_refused)
{
    uint64_t out = 99;
    const uint64_t end = 1ull << 62;
    assert_int_equal(lotor_ratio_ceil_product(end - 1, 1, (lotor_ratio){1, 1}, &out), LOTOR_OK);
    assert_true(out == end - 1);
    out = 99;
    assert_int_equal(lotor_ratio_ceil_product(end, 1, (lotor_ratio){1, 1}, &out), LOTOR_OVERFLOW);
    /* 2^62 * 2^62 * 2^62 / 3 needs 186 bits on the way. */
    assert_int_equal(lotor_ratio_ceil_product(end, end, (lotor_ratio){3, end}, &out),
                     LOTOR_OVERFLOW);
    assert_int_equal(
        lotor_ratio_ceil_product(UINT64_MAX, UINT64_MAX, (lotor_ratio){1, UINT64_MAX}, &out),
        LOTOR_OVERFLOW);
    assert_int_equal(lotor_ratio_ceil_product(1, 1, (lotor_ratio){0, 1}, &out), LOTOR_INVALID);
    assert_int_equal(lotor_ratio_ceil_product(1, 1, (lotor_ratio){0, 0}, &out), LOTOR_INVALID);
    assert_true(out == 99);
    /* 2^62 * 2^62 / 2^63 = 2^61 fits, since the large step has 124 bits. */
    assert_int_equal(
        lotor_ratio_ceil_product(1ull << 62, 1ull << 62, (lotor_ratio){1ull << 63, 1}, &out),
        LOTOR_OK);
    assert_true(out == 1ull << 61);
}
