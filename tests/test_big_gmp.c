/* test_big_gmp.c - compares the certified arithmetic of `lotor audit --verify` with GMP and MPFR.
 *
 * Every operation of base/big.h must give GMP's integer, or be lost if its result does not fit.
 * Every operation of base/enclosure.h must give correct bounds, by GMP's exact rational numbers or
 * by MPFR with directed rounding. The bounds must not be wider than the header says. Operands are
 * random (xoshiro256++ with a fixed seed), of all sizes up to the largest, and next to powers of
 * two, where carries propagate. */
#include "support/test.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <gmp.h>
#include <mpfr.h> /* after gmp.h, because it declares more functions then */

#include "base/big.h"
#include "base/enclosure.h"
#include "base/random/generator.h"

enum { TRIALS = 20000, MOST_BITS = 64 * LOTOR_BIG_LIMBS };

static lotor_generator generator;

static uint64_t word_below(uint64_t most)
{
    return lotor_generator_word(&generator) % most;
}

/* --- conversions ------------------------------------------------------------------------------ */

static void to_gmp(mpz_t out, const lotor_big *a)
{
    mpz_import(out, a->used, -1, sizeof *a->limb, 0, 0, a->limb);
    if (a->negative) {
        mpz_neg(out, out);
    }
}

/* Of at most MOST_BITS bits. */
static void from_gmp(lotor_big *out, const mpz_t a)
{
    size_t used = 0;
    memset(out, 0xaa, sizeof *out); /* unused limbs may have any value */
    mpz_export(out->limb, &used, -1, sizeof *out->limb, 0, 0, a);
    out->used = (unsigned)used;
    out->negative = mpz_sgn(a) < 0;
    out->lost = false;
}

static bool is_same(const lotor_big *a, const mpz_t expected)
{
    mpz_t value;
    mpz_init(value);
    to_gmp(value, a);
    const bool same = mpz_cmp(value, expected) == 0;
    mpz_clear(value);
    const bool is_trimmed = a->used == 0 ? !a->negative : a->limb[a->used - 1] != 0;
    return same && is_trimmed && !a->lost;
}

/* An integer of at most this many bits: any integer, one with long runs of ones and zeros, or one
 * next to a power of two. */
static void draw(mpz_t out, unsigned most_bits)
{
    const unsigned bits = (unsigned)word_below(most_bits + 1);
    mpz_set_ui(out, 0);
    switch (word_below(4)) {
    case 0:
        mpz_setbit(out, bits);
        mpz_sub_ui(out, out, 1); /* all ones */
        break;
    case 1:
        if (bits > 0) {
            mpz_setbit(out, bits - 1);
            mpz_add_ui(out, out, bits > 1 ? word_below(2) : 0);
        }
        break;
    case 2:
        for (unsigned done = 0, step; done < bits; done += step) { /* a run of equal bits */
            const bool ones = word_below(2);
            step = 1 + (unsigned)word_below(bits - done);
            for (unsigned i = 0; ones && i < step; i++) {
                mpz_setbit(out, done + i);
            }
        }
        break;
    default:
        for (unsigned i = 0; i < bits; i += 32) {
            mpz_mul_2exp(out, out, 32);
            mpz_add_ui(out, out, word_below(UINT64_C(1) << 32));
        }
        mpz_fdiv_r_2exp(out, out, bits);
    }
    if (word_below(2)) {
        mpz_neg(out, out);
    }
}

/* --- integers ------------------------------------------------------------------------------------- */

typedef void (*big_operation)(lotor_big *out, const lotor_big *a, const lotor_big *b);
typedef void (*gmp_operation)(mpz_t out, const mpz_t a, const mpz_t b);

/* The result must be GMP's, also if it is written over an operand. It may be lost if `may_be_lost`,
 * and must be lost if it has too many bits. */
static void compare_operation(const char *name, big_operation big, gmp_operation gmp, const mpz_t x,
                              const mpz_t y, bool may_be_lost)
{
    lotor_big a, b, out, in_a, in_b;
    mpz_t expected;
    mpz_init(expected);
    gmp(expected, x, y);
    from_gmp(&a, x);
    from_gmp(&b, y);
    in_a = a;
    in_b = b;
    big(&out, &a, &b);
    big(&in_a, &in_a, &b);
    big(&in_b, &a, &in_b);
    const bool has_room = mpz_sizeinbase(expected, 2) <= MOST_BITS;
    const bool is_right =
        is_same(&out, expected) && is_same(&in_a, expected) && is_same(&in_b, expected) && has_room;
    const bool is_lost = out.lost && in_a.lost && in_b.lost;
    if (!is_right && !(is_lost && (may_be_lost || !has_room))) {
        gmp_fprintf(stderr, "%s: %Zd\nand %Zd\nexpected %Zd\n", name, x, y, expected);
        fail();
    }
    mpz_clear(expected);
}

static void compare_all(const mpz_t x, const mpz_t y)
{
    const size_t limbs = mpz_size(x) + mpz_size(y);
    compare_operation("add", lotor_big_add, mpz_add, x, y, false);
    compare_operation("subtract", lotor_big_subtract, mpz_sub, x, y, false);
    compare_operation("multiply", lotor_big_multiply, mpz_mul, x, y, limbs > LOTOR_BIG_LIMBS);
    if (mpz_sgn(x) >= 0 && mpz_sgn(y) > 0) {
        compare_operation("divide", lotor_big_divide, mpz_fdiv_q, x, y, false);
    } else {
        lotor_big a, b;
        from_gmp(&a, x);
        from_gmp(&b, y);
        lotor_big_divide(&a, &a, &b);
        assert_true(a.lost);
    }
    lotor_big a, b;
    from_gmp(&a, x);
    from_gmp(&b, y);
    const int order = mpz_cmp(x, y);
    assert_int_equal(lotor_big_compare(&a, &b), (order > 0) - (order < 0));
    assert_int_equal(lotor_big_sign(&a), mpz_sgn(x));
    assert_int_equal(lotor_big_bits(&a), mpz_sgn(x) ? mpz_sizeinbase(x, 2) : 0);
    lotor_big_copy(&b, &a);
    assert_true(is_same(&b, x));
}

/* x times 2^bits, and divided by it; `bits` may be more than x has. */
static void compare_shifts(const mpz_t x, unsigned bits)
{
    mpz_t expected;
    lotor_big a, out;
    mpz_init(expected);
    from_gmp(&a, x);
    mpz_mul_2exp(expected, x, bits);
    lotor_big_shift_up(&out, &a, bits);
    assert_true(out.lost == (mpz_sizeinbase(expected, 2) > MOST_BITS));
    assert_true(out.lost || is_same(&out, expected));
    mpz_fdiv_q_2exp(expected, x, bits);
    lotor_big_shift_down(&out, &a, bits);
    assert_true(is_same(&out, expected));
    lotor_big_shift_down(&a, &a, bits);
    assert_true(is_same(&a, expected));
    mpz_clear(expected);
}

/* Compares the conversion to a double: MPFR rounds x / 2^bits towards 0, to fewer than 53 bits if it
 * is tiny. */
static void compare_double(const mpz_t x, unsigned bits)
{
    mpfr_t expected;
    lotor_big a;
    mpfr_init2(expected, MOST_BITS);
    mpfr_set_z_2exp(expected, x, -(mpfr_exp_t)bits, MPFR_RNDZ);
    from_gmp(&a, x);
    assert_true(lotor_big_double(&a, bits) == mpfr_get_d(expected, MPFR_RNDZ));
    mpfr_clear(expected);
}

TEST(random_integers_are_those_of_gmp)
{
    mpz_t x, y;
    mpz_inits(x, y, NULL);
    lotor_generator_seed(&generator, 1);
    for (int i = 0; i < TRIALS; i++) {
        /* small numbers are as frequent as large ones */
        const unsigned most = 1 + (unsigned)word_below(MOST_BITS);
        draw(x, most);
        draw(y, i % 2 ? most : 1 + (unsigned)word_below(MOST_BITS));
        compare_all(x, y);
        compare_all(x, x);
        compare_shifts(x, (unsigned)word_below(MOST_BITS + 200));
        compare_double(x, (unsigned)word_below(MOST_BITS));
    }
    mpz_clears(x, y, NULL);
}

/* Every pair of 0, and of 2^k - 1, 2^k and 2^k + 1 for k around the ends of limbs, with both signs. */
TEST(integers_next_to_powers_of_two_are_those_of_gmp)
{
    static const unsigned ends[] = {0, 1, 31, 32, 63, 64, 65, 127, 128, 1023, 1024, 1984, 2047};
    enum { ENDS = sizeof ends / sizeof *ends, COUNT = 6 * ENDS + 3 };
    mpz_t all[COUNT];
    size_t count = 0;
    mpz_init_set_ui(all[count++], 0);
    mpz_init(all[count]); /* the largest number that fits, and the smallest */
    mpz_setbit(all[count], MOST_BITS);
    mpz_sub_ui(all[count], all[count], 1);
    count++;
    mpz_init(all[count]);
    mpz_neg(all[count], all[count - 1]);
    count++;
    for (size_t i = 0; i < ENDS; i++) {
        for (int off = -1; off <= 1; off++) {
            mpz_init(all[count]);
            mpz_setbit(all[count], ends[i]);
            if (off < 0) {
                mpz_sub_ui(all[count], all[count], 1);
            } else {
                mpz_add_ui(all[count], all[count], (unsigned long)off);
            }
            mpz_init(all[count + 1]);
            mpz_neg(all[count + 1], all[count]);
            count += 2;
        }
    }
    assert_int_equal(count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < COUNT; j++) {
            compare_all(all[i], all[j]);
        }
        for (unsigned bits = 0; bits <= MOST_BITS + 64; bits += bits % 64 == 1 ? 62 : 1) {
            compare_shifts(all[i], bits);
            compare_double(all[i], bits);
        }
    }
    for (size_t i = 0; i < COUNT; i++) {
        mpz_clear(all[i]);
    }
}

TEST(words_are_those_of_gmp)
{
    static const int64_t values[] = {0, 1, -1, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    mpz_t expected;
    lotor_big a;
    mpz_init(expected);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        mpz_set_si(expected, values[i]);
        lotor_big_set(&a, values[i]);
        assert_true(is_same(&a, expected));
        mpz_set_ui(expected, (uint64_t)values[i]);
        lotor_big_set_natural(&a, (uint64_t)values[i]);
        assert_true(is_same(&a, expected));
    }
    mpz_clear(expected);
}

/* The result of an operation on a lost number is lost. */
TEST(lost_numbers_stay_lost)
{
    static const big_operation operations[] = {lotor_big_add, lotor_big_subtract,
                                               lotor_big_multiply, lotor_big_divide};
    lotor_big lost, one, out;
    lotor_big_set(&one, 1);
    lotor_big_set(&lost, 1);
    lotor_big_shift_up(&lost, &lost, MOST_BITS);
    assert_true(lost.lost);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        operations[i](&out, &lost, &one);
        assert_true(out.lost);
        operations[i](&out, &one, &lost);
        assert_true(out.lost);
    }
    lotor_big_shift_up(&out, &lost, 0);
    assert_true(out.lost);
    lotor_big_shift_down(&out, &lost, MOST_BITS);
    assert_true(out.lost);
    lotor_big_copy(&out, &lost);
    assert_true(out.lost);
}

/* --- enclosures ----------------------------------------------------------------------------------- */

/* Two bounds as integers: the enclosure is [low, high] / 2^bits. */
typedef struct bounds {
    mpz_t low, high;
} bounds;

static void bounds_init(bounds *self)
{
    mpz_inits(self->low, self->high, NULL);
}

static void bounds_clear(bounds *self)
{
    mpz_clears(self->low, self->high, NULL);
}

static void draw_bounds(bounds *out, unsigned most_bits, bool is_positive)
{
    draw(out->low, most_bits);
    draw(out->high, word_below(2) ? most_bits : 3); /* how far apart they are */
    if (is_positive) {
        mpz_abs(out->low, out->low);
        mpz_add_ui(out->low, out->low, 1);
    }
    mpz_abs(out->high, out->high);
    mpz_add(out->high, out->high, out->low);
}

static void enclose(lotor_enclosure *out, const bounds *a)
{
    from_gmp(&out->low, a->low);
    from_gmp(&out->high, a->high);
}

static bool is_between(const lotor_enclosure *a, const bounds *least, unsigned slack)
{
    mpz_t low, high, wider;
    mpz_inits(low, high, wider, NULL);
    to_gmp(low, &a->low);
    to_gmp(high, &a->high);
    mpz_add_ui(wider, least->high, slack);
    const bool is_right = mpz_cmp(low, least->low) == 0 && mpz_cmp(high, least->high) >= 0 &&
                          mpz_cmp(high, wider) <= 0;
    mpz_clears(low, high, wider, NULL);
    return is_right && !lotor_enclosure_is_lost(a);
}

/* The tightest bounds of sums, differences, products and quotients. The upper bound of a quotient
 * may be one unit too large. */
TEST(enclosures_have_the_bounds_of_gmp)
{
    enum { MOST = 900 }; /* bits of operands: the product of two operands fits */
    bounds a, b, least;
    bounds_init(&a);
    bounds_init(&b);
    bounds_init(&least);
    lotor_generator_seed(&generator, 2);
    for (int i = 0; i < TRIALS; i++) {
        const unsigned most = 1 + (unsigned)word_below(MOST), bits = (unsigned)word_below(MOST);
        lotor_enclosure x, y, out;
        draw_bounds(&a, most, false);
        draw_bounds(&b, most, true);
        enclose(&x, &a);
        enclose(&y, &b);
        mpz_add(least.low, a.low, b.low);
        mpz_add(least.high, a.high, b.high);
        lotor_enclosure_add(&out, &x, &y);
        assert_true(is_between(&out, &least, 0));
        mpz_sub(least.low, a.low, b.high);
        mpz_sub(least.high, a.high, b.low);
        lotor_enclosure_subtract(&out, &x, &y);
        assert_true(is_between(&out, &least, 0));
        mpz_mul(least.low, a.low, mpz_sgn(a.low) < 0 ? b.high : b.low);
        mpz_mul(least.high, a.high, mpz_sgn(a.high) < 0 ? b.low : b.high);
        mpz_fdiv_q_2exp(least.low, least.low, bits);
        mpz_cdiv_q_2exp(least.high, least.high, bits);
        lotor_enclosure_multiply(&out, &x, &y, bits);
        assert_true(is_between(&out, &least, 0));
        const int sign = mpz_sgn(a.low) > 0 ? 1 : mpz_sgn(a.high) < 0 ? -1 : 0;
        assert_int_equal(lotor_enclosure_sign(&x), sign);
        lotor_enclosure_divide(&out, &x, &y, bits);
        if (mpz_sgn(a.low) < 0) {
            assert_true(lotor_enclosure_is_lost(&out));
        } else {
            mpz_mul_2exp(least.low, a.low, bits);
            mpz_fdiv_q(least.low, least.low, b.high);
            mpz_mul_2exp(least.high, a.high, bits);
            mpz_cdiv_q(least.high, least.high, b.low);
            assert_true(is_between(&out, &least, 1));
        }
        lotor_enclosure_multiply(&y, &y, &x, bits); /* only the first factor may be negative */
        assert_true(lotor_enclosure_is_lost(&y) == (mpz_sgn(a.low) < 0));
    }
    bounds_clear(&a);
    bounds_clear(&b);
    bounds_clear(&least);
}

static lotor_ratio draw_ratio(void)
{
    static const uint64_t special[] = {0, 1, 2, 3, 1000, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX};
    enum { SPECIAL = sizeof special / sizeof *special };
    uint64_t word[2];
    for (int i = 0; i < 2; i++) {
        word[i] = word_below(3) ? lotor_generator_word(&generator) >> word_below(64)
                                : special[word_below(SPECIAL)];
    }
    return (lotor_ratio){.num = word[0], .den = word[1] ? word[1] : 1};
}

TEST(ratios_are_enclosed_as_gmp_says)
{
    bounds least;
    bounds_init(&least);
    lotor_generator_seed(&generator, 3);
    for (int i = 0; i < TRIALS; i++) {
        const unsigned bits = (unsigned)word_below(1900);
        const lotor_ratio ratio = draw_ratio();
        lotor_enclosure out;
        mpz_set_ui(least.low, ratio.num);
        mpz_mul_2exp(least.low, least.low, bits);
        mpz_cdiv_q_ui(least.high, least.low, ratio.den);
        mpz_fdiv_q_ui(least.low, least.low, ratio.den);
        lotor_enclosure_ratio(&out, ratio, bits);
        assert_true(is_between(&out, &least, 1));
        lotor_enclosure_integer(&out, (int64_t)ratio.num, bits);
        mpz_set_si(least.low, (int64_t)ratio.num);
        mpz_mul_2exp(least.low, least.low, bits);
        mpz_set(least.high, least.low);
        assert_true(is_between(&out, &least, 0));
    }
    bounds_clear(&least);
}

/* MPFR's bounds of 2^bits e^-ratio, computed with 256 more bits. */
static void exp_minus(mpfr_t low, mpfr_t high, lotor_ratio ratio, unsigned bits)
{
    const mpfr_prec_t precision = bits + 256;
    mpfr_t least, most;
    mpfr_inits2(precision, least, most, low, high, (mpfr_ptr)NULL);
    mpfr_set_ui(least, ratio.num, MPFR_RNDD);
    mpfr_set_ui(most, ratio.num, MPFR_RNDU);
    mpfr_div_ui(least, least, ratio.den, MPFR_RNDD);
    mpfr_div_ui(most, most, ratio.den, MPFR_RNDU);
    mpfr_neg(least, least, MPFR_RNDN);
    mpfr_neg(most, most, MPFR_RNDN);
    mpfr_exp(low, most, MPFR_RNDD);
    mpfr_exp(high, least, MPFR_RNDU);
    mpfr_mul_2ui(low, low, bits, MPFR_RNDD);
    mpfr_mul_2ui(high, high, bits, MPFR_RNDU);
    mpfr_clears(least, most, (mpfr_ptr)NULL);
}

/* Checks that the number lies between the bounds. For ratios up to 1, the bounds are at most WIDEST
 * units of the last place apart. The series adds a rounding for each of its terms, of which there
 * are fewer than 200 at 900 bits. */
static void compare_exp(lotor_ratio ratio, unsigned bits)
{
    enum { WIDEST = 1000 };
    lotor_enclosure out;
    mpfr_t low, high;
    bounds found;
    bounds_init(&found);
    exp_minus(low, high, ratio, bits);
    lotor_enclosure_exp_minus(&out, ratio, bits);
    assert_false(lotor_enclosure_is_lost(&out));
    to_gmp(found.low, &out.low);
    to_gmp(found.high, &out.high);
    if (mpfr_cmp_z(low, found.low) < 0 || mpfr_cmp_z(high, found.high) > 0) {
        fail_msg("e^-(%llu/%llu) is not between its bounds, of %u bits",
                 (unsigned long long)ratio.num, (unsigned long long)ratio.den, bits);
    }
    mpz_sub(found.high, found.high, found.low);
    if (ratio.num <= ratio.den) {
        assert_true(mpz_cmp_ui(found.high, WIDEST) <= 0);
    }
    mpfr_clears(low, high, (mpfr_ptr)NULL);
    bounds_clear(&found);
}

TEST(exponentials_are_enclosed_as_mpfr_says)
{
    static const unsigned sizes[] = {16, 64, 65, 128, 200, 256, 500, 900};
    enum { SIZES = sizeof sizes / sizeof *sizes, EXPONENTIALS = 4000 };
    lotor_generator_seed(&generator, 4);
    for (int i = 0; i < EXPONENTIALS; i++) {
        compare_exp(draw_ratio(), sizes[i % SIZES]);
    }
    for (uint64_t num = 0; num <= 40; num++) {
        for (uint64_t den = 1; den <= 10; den++) {
            compare_exp((lotor_ratio){num, den}, 300);
        }
    }
    mpfr_free_cache();
}

TEST(a_ratio_without_a_denominator_has_no_exponential)
{
    lotor_enclosure out;
    lotor_enclosure_exp_minus(&out, (lotor_ratio){1, 0}, 100);
    assert_true(lotor_enclosure_is_lost(&out));
}
