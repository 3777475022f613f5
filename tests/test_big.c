/* test_big.c - large integers and certified bounds: known values, and properties of random ones.
 *
 * There are 2000 random operands for each property, from xoshiro256++ with a fixed seed. They have
 * 0 to 10 limbs; some limbs are all ones or all zeros, so that carries propagate. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "base/big.h"
#include "base/enclosure.h"
#include "base/random/generator.h"

enum { TRIALS = 2000 };

static lotor_big from_hex(const char *digits)
{
    lotor_big out, sixteen, digit;
    lotor_big_set(&out, 0);
    lotor_big_set(&sixteen, 16);
    for (; *digits; digits++) {
        const int value = *digits <= '9' ? *digits - '0' : *digits - 'a' + 10;
        lotor_big_multiply(&out, &out, &sixteen);
        lotor_big_set(&digit, value);
        lotor_big_add(&out, &out, &digit);
    }
    return out;
}

static void assert_same(const lotor_big *a, const lotor_big *b)
{
    assert_false(a->lost);
    assert_false(b->lost);
    assert_int_equal(lotor_big_compare(a, b), 0);
    assert_int_equal(a->used, b->used);
    assert_int_equal(a->negative, b->negative);
}

static lotor_big draw(lotor_generator *generator)
{
    lotor_big out;
    lotor_big_set(&out, 0);
    const unsigned limbs = (unsigned)(lotor_generator_word(generator) % 11);
    for (unsigned i = 0; i < limbs; i++) {
        const uint64_t word = lotor_generator_word(generator);
        lotor_big limb;
        lotor_big_set_natural(&limb, word % 4 == 0 ? UINT64_MAX : word % 4 == 1 ? 0 : word);
        lotor_big_shift_up(&out, &out, 64);
        lotor_big_add(&out, &out, &limb);
    }
    out.negative = out.used > 0 && lotor_generator_word(generator) % 2;
    return out;
}

TEST(products_and_quotients_are_known)
{
    const lotor_big a = from_hex(
                        "a6eb8c9ebd69fe29d76d4330f1446beab0c11fdecb91ce375bc8fbbcbde5c0994164d8"
                        "399f767c45"),
                    b = from_hex("f1c6a5387777330bdbd7210dff076ce2ef87b0b125ec1d7da0");
    const lotor_big product =
        from_hex("9da5454ad6259233887bce68d3b345e52176edbb787d71b2013a28ab74bc12ac30f5e4"
                 "8748933cc135752f4bde11e748c73e2048abf97fb776849f3cd5348c5c20");
    const lotor_big quotient = from_hex("b0bd82a211fc739370a213caa0f7fe");
    lotor_big out;
    lotor_big_multiply(&out, &a, &b);
    assert_same(&out, &product);
    lotor_big_divide(&out, &a, &b);
    assert_same(&out, &quotient);
    lotor_big_divide(&out, &product, &a);
    assert_same(&out, &b);
    assert_int_equal(lotor_big_bits(&a), 320);
}

TEST(small_ones_are_ordinary_integers)
{
    static const int64_t values[] = {0, 1, -1, 2, -2, 7, -7, 1000, -1000, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        for (size_t j = 0; j < sizeof values / sizeof *values; j++) {
            const int64_t x = values[i], y = values[j];
            lotor_big a, b, out, expected;
            lotor_big_set(&a, x);
            lotor_big_set(&b, y);
            lotor_big_add(&out, &a, &b);
            lotor_big_set(&expected, x + y);
            assert_same(&out, &expected);
            lotor_big_subtract(&out, &a, &b);
            lotor_big_set(&expected, x - y);
            assert_same(&out, &expected);
            lotor_big_multiply(&out, &a, &b);
            lotor_big_set(&expected, x * y);
            assert_same(&out, &expected);
            assert_int_equal(lotor_big_compare(&a, &b), x < y ? -1 : x > y);
            lotor_big_shift_down(&out, &a, 3); /* towards minus infinity: -7 gives -1 */
            lotor_big_set(&expected, (int64_t)floor((double)x / 8));
            assert_same(&out, &expected);
            assert_true(lotor_big_double(&a, 3) == (double)x / 8);
        }
    }
    lotor_big least;
    lotor_big_set(&least, INT64_MIN);
    assert_int_equal(lotor_big_bits(&least), 64);
    assert_true(lotor_big_double(&least, 0) == -0x1p63);
}

TEST(arithmetic_keeps_its_laws)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 20);
    for (int i = 0; i < TRIALS; i++) {
        const lotor_big a = draw(&generator), b = draw(&generator), c = draw(&generator);
        lotor_big left, right, part;
        lotor_big_add(&left, &a, &b); /* (a + b) - b = a */
        lotor_big_subtract(&left, &left, &b);
        assert_same(&left, &a);
        lotor_big_add(&left, &a, &b); /* (a + b) c = a c + c b */
        lotor_big_multiply(&left, &left, &c);
        lotor_big_multiply(&right, &a, &c);
        lotor_big_multiply(&part, &c, &b);
        lotor_big_add(&right, &right, &part);
        assert_same(&left, &right);
        lotor_big_subtract(&left, &a, &b); /* the sign of a - b is the comparison */
        assert_int_equal(lotor_big_sign(&left), lotor_big_compare(&a, &b));
        assert_int_equal(lotor_big_compare(&a, &b), -lotor_big_compare(&b, &a));
    }
}

TEST(division_leaves_a_rest_below_the_divisor)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 21);
    for (int i = 0; i < TRIALS; i++) {
        lotor_big a = draw(&generator), b = draw(&generator), quotient, rest;
        a.negative = b.negative = false;
        lotor_big_divide(&quotient, &a, &b);
        if (lotor_big_sign(&b) == 0) {
            assert_true(quotient.lost);
            continue;
        }
        lotor_big_multiply(&rest, &quotient, &b);
        lotor_big_subtract(&rest, &a, &rest);
        assert_false(rest.lost);
        assert_true(lotor_big_sign(&rest) >= 0);
        assert_true(lotor_big_compare(&rest, &b) < 0);
    }
}

TEST(shifts_are_powers_of_two)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 22);
    for (int i = 0; i < TRIALS; i++) {
        const lotor_big a = draw(&generator);
        const unsigned bits = (unsigned)(lotor_generator_word(&generator) % 300);
        lotor_big up, down, rest, one, power;
        lotor_big_shift_up(&up, &a, bits);
        lotor_big_shift_down(&down, &up, bits);
        assert_same(&down, &a);
        lotor_big_set(&one, 1);
        lotor_big_shift_up(&power, &one, bits);
        lotor_big_multiply(&rest, &a, &power);
        assert_same(&rest, &up);
        lotor_big_shift_down(&down, &a, bits); /* 0 <= a - 2^bits floor(a / 2^bits) < 2^bits */
        lotor_big_shift_up(&up, &down, bits);
        lotor_big_subtract(&rest, &a, &up);
        assert_true(lotor_big_sign(&rest) >= 0);
        assert_true(lotor_big_compare(&rest, &power) < 0);
    }
}

TEST(results_may_replace_operands)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 23);
    static void (*const operations[])(lotor_big *, const lotor_big *, const lotor_big *) = {
        lotor_big_add, lotor_big_subtract, lotor_big_multiply};
    for (int i = 0; i < TRIALS; i++) {
        const lotor_big a = draw(&generator), b = draw(&generator);
        for (size_t o = 0; o < 3; o++) {
            lotor_big apart, first = a, second = b;
            operations[o](&apart, &a, &b);
            operations[o](&first, &first, &b);
            operations[o](&second, &a, &second);
            assert_same(&first, &apart);
            assert_same(&second, &apart);
        }
        lotor_big up, same = a;
        lotor_big_shift_up(&up, &a, 77);
        lotor_big_shift_up(&same, &same, 77);
        assert_same(&same, &up);
        lotor_big_shift_down(&up, &a, 77);
        same = a;
        lotor_big_shift_down(&same, &same, 77);
        assert_same(&same, &up);
    }
}

TEST(what_does_not_fit_is_lost_for_good)
{
    lotor_big one, most, out;
    lotor_big_set(&one, 1);
    lotor_big_shift_up(&most, &one, 2047);
    assert_false(most.lost);
    lotor_big_shift_up(&out, &one, 2048);
    assert_true(out.lost);
    lotor_big_add(&out, &most, &most);
    assert_true(out.lost);
    lotor_big_multiply(&out, &most, &most);
    assert_true(out.lost);
    lotor_big_subtract(&out, &out, &out);
    assert_true(out.lost);
    lotor_big_divide(&out, &one, &out);
    assert_true(out.lost);
    lotor_big_shift_down(&out, &out, 1);
    assert_true(out.lost);
}

/* Expects that floor(value * 10^digits) of both bounds equals the digits of a table of e^-r. */
static void assert_decimal(const lotor_enclosure *value, unsigned bits, const char *digits)
{
    lotor_big expected, ten, low, high, digit;
    lotor_big_set(&expected, 0);
    lotor_big_set(&ten, 10);
    lotor_big_copy(&low, &value->low);
    lotor_big_copy(&high, &value->high);
    for (; *digits; digits++) {
        lotor_big_multiply(&expected, &expected, &ten);
        lotor_big_set(&digit, *digits - '0');
        lotor_big_add(&expected, &expected, &digit);
        lotor_big_multiply(&low, &low, &ten);
        lotor_big_multiply(&high, &high, &ten);
    }
    lotor_big_shift_down(&low, &low, bits);
    lotor_big_shift_down(&high, &high, bits);
    assert_same(&low, &expected);
    assert_same(&high, &expected);
}

TEST(exponentials_are_known)
{
    const unsigned bits = 320;
    lotor_enclosure value;
    lotor_enclosure_exp_minus(&value, lotor_ratio_of(1, 1), bits);
    assert_decimal(&value, bits,
                   "3678794411714423215955237701614608674458111310317678345078368016974614"
                   "9574489980");
    lotor_enclosure_exp_minus(&value, lotor_ratio_of(100, 297), bits);
    assert_decimal(&value, bits,
                   "7141228042383724262102781580977878114753311155636782959587522984820187"
                   "3361358951");
    lotor_enclosure_exp_minus(&value, lotor_ratio_of(7, 1), bits);
    assert_decimal(&value, bits,
                   "0009118819655545162080031360844092826264737245274360538408161334218894"
                   "7988931030");
}

/* The bounds of e^-r e^-s and e^-(r+s) must overlap, and be at most 2^15 units of the last place
 * apart: the series has an error of at most 2^8 (two units per term), and each of up to seven
 * squarings doubles it. */
TEST(exponentials_multiply)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 24);
    const unsigned bits = 256;
    for (int i = 0; i < 300; i++) {
        const uint64_t den = 1 + lotor_generator_word(&generator) % 1000;
        const uint64_t r = lotor_generator_word(&generator) % (50 * den);
        const uint64_t s = lotor_generator_word(&generator) % (50 * den);
        lotor_enclosure first, second, both;
        lotor_enclosure_exp_minus(&first, lotor_ratio_of(r, den), bits);
        lotor_enclosure_exp_minus(&second, lotor_ratio_of(s, den), bits);
        lotor_enclosure_exp_minus(&both, lotor_ratio_of(r + s, den), bits);
        lotor_enclosure_multiply(&first, &first, &second, bits);
        assert_false(lotor_enclosure_is_lost(&first));
        assert_true(lotor_big_compare(&first.low, &both.high) <= 0);
        assert_true(lotor_big_compare(&both.low, &first.high) <= 0);
        lotor_big width;
        lotor_big_subtract(&width, &both.high, &both.low);
        assert_true(lotor_big_sign(&width) >= 0);
        assert_true(lotor_big_bits(&width) <= 8 + 7);
        const double value = exp(-(double)(r + s) / (double)den);
        assert_true(fabs(lotor_big_double(&both.low, bits) - value) <= 1e-13 * value);
    }
}

/* The bounds with few bits must contain the tighter bounds with many bits: products and powers of
 * e^-r, 40 to 128 bits against 320. */
TEST(coarse_bounds_hold_the_fine_ones)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 25);
    const unsigned fine_bits = 320;
    for (int i = 0; i < 1000; i++) {
        const unsigned bits = 40 + (unsigned)(lotor_generator_word(&generator) % 89);
        const uint64_t den = 1 + lotor_generator_word(&generator) % 1000;
        const lotor_ratio r = lotor_ratio_of(lotor_generator_word(&generator) % (9 * den), den);
        lotor_enclosure coarse, fine, other;
        lotor_enclosure_exp_minus(&coarse, r, bits);
        lotor_enclosure_exp_minus(&fine, r, fine_bits);
        if (i % 2) { /* (e^-r - 1) e^-r: a negative factor too */
            lotor_enclosure_integer(&other, 1, bits);
            lotor_enclosure_subtract(&other, &coarse, &other);
            lotor_enclosure_multiply(&coarse, &other, &coarse, bits);
            lotor_enclosure_integer(&other, 1, fine_bits);
            lotor_enclosure_subtract(&other, &fine, &other);
            lotor_enclosure_multiply(&fine, &other, &fine, fine_bits);
        }
        lotor_big_shift_up(&coarse.low, &coarse.low, fine_bits - bits);
        lotor_big_shift_up(&coarse.high, &coarse.high, fine_bits - bits);
        assert_true(lotor_big_compare(&coarse.low, &fine.low) <= 0);
        assert_true(lotor_big_compare(&fine.high, &coarse.high) <= 0);
    }
}

TEST(bounds_enclose_fractions)
{
    const unsigned bits = 128;
    lotor_enclosure third, two, value, negative;
    lotor_enclosure_ratio(&third, lotor_ratio_of(1, 3), bits);
    lotor_enclosure_integer(&value, 3, bits);
    lotor_enclosure_multiply(&value, &value, &third, bits);
    lotor_enclosure_integer(&two, 1, bits);
    lotor_enclosure_subtract(&value, &value, &two); /* 0 lies within */
    assert_int_equal(lotor_enclosure_sign(&value), 0);
    lotor_enclosure_integer(&negative, -3, bits);
    lotor_enclosure_multiply(&negative, &negative, &third, bits);
    assert_int_equal(lotor_enclosure_sign(&negative), -1);
    assert_true(lotor_big_compare(&negative.low, &negative.high) <= 0);
    lotor_enclosure_multiply(&negative, &negative, &third, bits); /* -1/3 */
    lotor_enclosure_add(&negative, &negative, &third);
    assert_int_equal(lotor_enclosure_sign(&negative), 0);
    lotor_enclosure_divide(&value, &third, &two, bits); /* 1/3 again */
    assert_true(lotor_big_compare(&value.low, &third.high) <= 0);
    assert_true(lotor_big_compare(&third.low, &value.high) <= 0);
    lotor_enclosure_exp_minus(&value, lotor_ratio_of(0, 1), bits);
    lotor_enclosure_subtract(&value, &value, &two);
    assert_int_equal(lotor_enclosure_sign(&value), 0);
    lotor_enclosure_exp_minus(&value, lotor_ratio_of(1, 0), bits);
    assert_true(lotor_enclosure_is_lost(&value));
    assert_int_equal(lotor_enclosure_sign(&value), 0);
}
