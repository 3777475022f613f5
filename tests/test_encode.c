/* test_encode.c - the encoding of values as whole units: which unit, which values are refused, and
 * that one value changes a sum by at most the declared width. */
#include "support/test.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/generator.h"
#include "privacy/encode/encode.h"

static int64_t units_of(const lotor_encoding *encoding, double value)
{
    lotor_message why;
    int64_t units = INT64_MIN;
    assert_int_equal(lotor_encode(encoding, value, &why, &units), LOTOR_OK);
    return units;
}

static lotor_encoding range(double low, double high)
{
    lotor_message why;
    lotor_encoding encoding;
    assert_int_equal(lotor_encoding_make(low, high, &why, &encoding), LOTOR_OK);
    return encoding;
}

/* A number from 0 to 1, both included. */
static double uniform(lotor_generator *generator)
{
    return (double)(lotor_generator_word(generator) >> 11) / (double)((UINT64_C(1) << 53) - 1);
}

/* Computed by hand from the rule in encode.h. 2^20 = 1048576.
 *   [0,1]          2^-20                                      0.3 * 2^20 = 314572.8
 *   [-1,1]         2^-20 (not narrower than 1)
 *   [0,10]         2^-20                                      0.1 * 2^20 = 104857.6
 *   [0,1e6]        1e6 < 2^20 = 2^(11+9), so 2^-20+9 = 2^-11  10^6 * 2^11 = 2048000000
 *   [0,1e-6]       2^-20 <= 1e-6 < 2^-19, so 2^-20-20         1e-6 * 2^40 = 1099511.627776
 *   [1e6,1e6+1]    width 1 needs 2^-20, whatever the distance 10^6 * 2^20 = 1048576000000 */
TEST(units_as_worked_out_by_hand)
{
    static const struct {
        double low, high, unit;
        int64_t least, most;
        double value;
        int64_t units;
    } golden[] = {
        {0.0, 1.0, 0x1p-20, 0, 1048576, 0.3, 314573},
        {-1.0, 1.0, 0x1p-20, -1048576, 1048576, -0.3, -314573},
        {0.0, 10.0, 0x1p-20, 0, 10485760, 0.1, 104858},
        {0.0, 1e6, 0x1p-11, 0, 2048000000, 0.5, 1024},
        {0.0, 1e-6, 0x1p-40, 0, 1099512, 0x1p-21, 524288},
        {1e6, 1e6 + 1.0, 0x1p-20, 1048576000000, 1048577048576, 1e6 + 0.25, 1048576262144},
        /* The borders of the rule: the last range with 2^-20, the first coarser one, the first
         * finer one. */
        {0.0, 0x1.fffffp10, 0x1p-20, 0, 0x7ffffc00, 1.0, 1048576},
        {0.0, 0x1p11, 0x1p-19, 0, 1073741824, 1.0, 524288},
        {0.0, 0.75, 0x1p-21, 0, 1572864, 0.5, 1048576},
        {-0x1p11, 0.0, 0x1p-19, -1073741824, 0, -1.0, -524288},
    };
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        const lotor_encoding encoding = range(golden[i].low, golden[i].high);
        assert_true(encoding.unit == golden[i].unit);
        assert_true(encoding.per_unit == 1.0 / golden[i].unit);
        assert_true(encoding.least == golden[i].least);
        assert_true(encoding.most == golden[i].most);
        assert_true(units_of(&encoding, golden[i].low) == golden[i].least);
        assert_true(units_of(&encoding, golden[i].high) == golden[i].most);
        assert_true(units_of(&encoding, golden[i].value) == golden[i].units);
        assert_true(lotor_encoding_width(&encoding) ==
                    (uint64_t)(golden[i].most - golden[i].least));
        const int64_t below = llabs(golden[i].least), above = llabs(golden[i].most);
        assert_true(lotor_encoding_magnitude(&encoding) ==
                    (uint64_t)(below > above ? below : above));
    }
}

/* The message has the range, and not the value, which may be personal. */
static void refused_value(const lotor_encoding *encoding, double value, const char *message)
{
    lotor_message why = {""};
    int64_t units = 77;
    assert_int_equal(lotor_encode(encoding, value, &why, &units), LOTOR_RANGE);
    assert_int_equal(units, 77);
    assert_string_equal(why.text, message);
    assert_int_equal(lotor_encode(encoding, value, NULL, &units), LOTOR_RANGE);
}

TEST(values_outside_are_refused)
{
    static const double outside[] = {NAN,   INFINITY, -INFINITY,     1.5,
                                     -0.25, DBL_MAX,  -DBL_TRUE_MIN, 1.0000001};
    const lotor_encoding encoding = range(0.0, 1.0);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        refused_value(&encoding, outside[i], "the value is not in the declared range 0 to 1");
    }
    refused_value(&encoding, nextafter(1.0, 2.0), "the value is not in the declared range 0 to 1");

    const lotor_encoding far = range(1e6, 1e6 + 1.0);
    const char *message = "the value is not in the declared range 1000000 to 1000001";
    refused_value(&far, 0.0, message);
    refused_value(&far, nextafter(1e6, 0.0), message);
    assert_true(units_of(&encoding, -0.0) == 0);
}

static void refused_range(double low, double high)
{
    lotor_message why = {""};
    lotor_encoding encoding;
    assert_int_equal(lotor_encoding_make(low, high, &why, &encoding), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "range"));
    assert_int_equal(lotor_encoding_make(low, high, NULL, &encoding), LOTOR_INVALID);
}

TEST(ranges_that_make_no_sense_are_refused)
{
    refused_range(0.0, 0.0);
    refused_range(-0.0, 0.0);
    refused_range(1.0, 1.0);
    refused_range(1.0, 0.0);
    refused_range(NAN, 1.0);
    refused_range(0.0, NAN);
    refused_range(NAN, NAN);
    refused_range(0.0, INFINITY);
    refused_range(-INFINITY, 0.0);
    refused_range(-INFINITY, INFINITY);
    refused_range(-DBL_MAX, DBL_MAX); /* its width does not fit a double */
    /* Too far from 0: 2^20 steps of the width would need more than 52 bits at that distance. */
    refused_range(0x1p33, 0x1p33 + 1.0);
    refused_range(-0x1p33 - 1.0, -0x1p33);
    refused_range(1e18, 1e18 + 1024.0);
    refused_range(1.0, nextafter(1.0, 2.0));
    (void)range(0x1p32 - 1.0, 0x1p32); /* 2^32 * 2^20 = 2^52: the last one that fits */
}

static void check_properties(double low, double high, uint64_t seed)
{
    const lotor_encoding encoding = range(low, high);
    lotor_generator generator;
    lotor_generator_seed(&generator, seed);
    const uint64_t width = lotor_encoding_width(&encoding);
    assert_true(units_of(&encoding, high) - units_of(&encoding, low) == (int64_t)width);
    assert_true(width >= UINT64_C(1) << 20);

    for (int i = 0; i < 20000; i++) {
        double a = low + (high - low) * uniform(&generator);
        double b = i % 2 ? low + (high - low) * uniform(&generator) : nextafter(a, high);
        a = fmin(fmax(a, low), high);
        b = fmin(fmax(b, low), high);
        const int64_t in_a = units_of(&encoding, a), in_b = units_of(&encoding, b);
        assert_true(a <= b ? in_a <= in_b : in_a >= in_b);
        assert_true((uint64_t)llabs(in_a - in_b) <= width);
        assert_true((uint64_t)llabs(in_a) <= lotor_encoding_magnitude(&encoding));
        /* Both numbers are multiples of one ulp of the farther end and differ by less than a
         * unit, so the difference is exact. */
        assert_true(fabs(lotor_decode(&encoding, in_a) - a) <= encoding.unit / 2.0);
    }
}

TEST(monotone_within_half_a_unit_and_within_the_width)
{
    check_properties(0.0, 1.0, 1);
    check_properties(-1.0, 1.0, 2);
    check_properties(0.0, 10.0, 3);
    check_properties(0.0, 1e6, 4);
    check_properties(0.0, 1e-6, 5);
    check_properties(1e6, 1e6 + 1.0, 6);
    check_properties(-0.3, 0.1, 7);
    check_properties(-5.0, -4.7, 8);
    check_properties(0.1, 0.3, 9);
}

/* Every power of two that a double can hold, down to the subnormal ones: an encoding is refused, or
 * it is correct. */
TEST(every_size_of_range_is_refused_or_right)
{
    for (int exponent = -1074; exponent <= 1023; exponent++) {
        const double end = ldexp(1.0, exponent);
        const struct {
            double low, high;
        } ranges[] = {{0.0, end}, {-end, 0.0}, {-end, end}, {end, 2.0 * end}, {end / 2.0, end}};
        for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
            const double low = ranges[i].low, high = ranges[i].high;
            lotor_encoding encoding;
            if (lotor_encoding_make(low, high, NULL, &encoding) != LOTOR_OK) {
                assert_true(abs(exponent) > 800); /* only at the far ends */
                continue;
            }
            assert_true(isfinite(encoding.unit) && encoding.unit > 0.0);
            assert_true(isfinite(encoding.per_unit) && encoding.unit * encoding.per_unit == 1.0);
            assert_true(units_of(&encoding, low) == encoding.least);
            assert_true(units_of(&encoding, high) == encoding.most);
            const int64_t middle = units_of(&encoding, low / 2.0 + high / 2.0);
            assert_true(encoding.least < middle && middle < encoding.most);
            assert_true(lotor_decode(&encoding, encoding.most) == high);
            assert_true(isfinite(lotor_decode(&encoding, INT64_MAX))); /* any sum is a number */
        }
    }
}

/* A program may change the rounding mode of its thread: a value still changes a sum by at most the
 * width. */
TEST(the_rounding_mode_does_not_widen_the_range)
{
    const lotor_encoding encoding = range(0.1, 0.3); /* both ends lie between two units */
    const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(fesetround(modes[i]), 0);
        int64_t low = 0, high = 0;
        const lotor_status first = lotor_encode(&encoding, 0.1, NULL, &low);
        const lotor_status second = lotor_encode(&encoding, 0.3, NULL, &high);
        assert_int_equal(fesetround(FE_TONEAREST), 0);
        assert_int_equal(first, LOTOR_OK);
        assert_int_equal(second, LOTOR_OK);
        assert_true(low >= encoding.least && high <= encoding.most);
    }
}
