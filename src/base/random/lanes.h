/* lanes.h - eight seeded generators side by side, and normal draws from them, for vector code.
 *
 * The states are stored word by word, so that one step of all generators is a few vector
 * instructions. A kernel is a function that includes these inline functions. It is compiled twice:
 *
 *      static LOTOR_INLINE void work(...) { for (i = 0; i < LOTOR_LANES; i++) ... }
 *      static void work_narrow(...) { work(...); }
 *      static LOTOR_WIDE void work_wide(...) { work(...); }     uses AVX2
 *
 * and `lanes->wide` says which one to call. The loop over lanes is the outermost one, and the loops
 * inside it have a length that the compiler knows: then it makes vectors of lanes.
 *
 * Both give the same numbers, bit by bit: every lane goes through the same additions, products,
 * quotients and roots, which IEEE 754 defines exactly. The compiler may not fuse them (-ffp-contract=off).
 * tests/test_lanes.c compares the two.
 */
#ifndef LOTOR_BASE_RANDOM_LANES_H
#define LOTOR_BASE_RANDOM_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/random/generator.h"

#define LOTOR_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__) && defined(__GNUC__)
#define LOTOR_WIDE __attribute__((target("avx2")))
static inline bool lotor_lanes_can_be_wide(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
#define LOTOR_WIDE
static inline bool lotor_lanes_can_be_wide(void)
{
    return false;
}
#endif

enum { LOTOR_LANES = 8 };

typedef struct lotor_lanes {
    uint64_t state[4][LOTOR_LANES]; /* of xoshiro256++ */
    bool wide;                      /* kernels use AVX2; the numbers do not depend on it */
} lotor_lanes;

/* Each lane is seeded by a word of the generator. */
void lotor_lanes_seed(lotor_lanes *lanes, lotor_generator *generator);

/* The next word of lane i. */
static LOTOR_INLINE uint64_t lotor_lanes_word(lotor_lanes *lanes, size_t i)
{
    uint64_t a = lanes->state[0][i], b = lanes->state[1][i];
    uint64_t c = lanes->state[2][i], d = lanes->state[3][i];
    const uint64_t sum = a + d, result = ((sum << 23) | (sum >> 41)) + a, shifted = b << 17;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    lanes->state[0][i] = a;
    lanes->state[1][i] = b;
    lanes->state[2][i] = c;
    lanes->state[3][i] = (d << 45) | (d >> 19);
    return result;
}

static LOTOR_INLINE double lotor_lanes_double(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static LOTOR_INLINE uint64_t lotor_lanes_bits(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Uniform in (0,1), from the upper 52 bits of a word. */
static LOTOR_INLINE double lotor_lanes_fraction(uint64_t word)
{
    return lotor_lanes_double((word >> 12) | UINT64_C(0x3ff0000000000000)) - (1 - 0x1p-53);
}

/* A whole number below 2^52 as a double, without an instruction that only newer machines have. */
static LOTOR_INLINE double lotor_lanes_whole(uint64_t number)
{
    return lotor_lanes_double(number | UINT64_C(0x4330000000000000)) - 0x1p52;
}

/* -log(k 2^-33) for an odd k below 2^33. With k = m 2^e, m from sqrt(1/2) to sqrt 2, log m = 2
 * artanh f, f = (m - 1)/(m + 1); ten terms of its series have an error below 2^-54. */
static LOTOR_INLINE double lotor_lanes_minus_log(uint64_t k)
{
    /* Adding this to the bits makes the exponent one more if m is from sqrt 2 on. */
    const uint64_t round = UINT64_C(0x3ff0000000000000) - UINT64_C(0x3fe6a09e667f3bcd);
    const uint64_t bits = lotor_lanes_bits(lotor_lanes_whole(k)) + round;
    const double e = lotor_lanes_whole(bits >> 52) - 1023;
    const double m =
        lotor_lanes_double((bits & UINT64_C(0x000fffffffffffff)) + UINT64_C(0x3fe6a09e667f3bcd));
    const double f = (m - 1) / (m + 1), g = f * f;
    const double low = 1 + g * (1.0 / 3 + g * (1.0 / 5 + g * (1.0 / 7 + g * (1.0 / 9))));
    const double high =
        1.0 / 11 + g * (1.0 / 13 + g * (1.0 / 15 + g * (1.0 / 17 + g * (1.0 / 19))));
    const double g2 = g * g;
    return (33 - e) * 0x1.62e42fefa39efp-1 - 2 * f * (low + g2 * g2 * g * high);
}

/* A uniform point of the unit circle, from 32 bits (higher ones are ignored). The angle is within an
 * eighth of a turn from 0, from 30 bits, plus a number of quarter turns. */
static LOTOR_INLINE void lotor_lanes_circle(uint64_t word, double *first, double *second)
{
    const double part = lotor_lanes_whole(word & 0x3fffffff) + (0.5 - 0x1p29);
    const double x = part * (0x1.921fb54442d18p-1 * 0x1p-29), y = x * x; /* pi/4 2^-29 */
    const double y2 = y * y, y4 = y2 * y2;
    const double cosine = (1 - y * (1.0 / 2)) + y2 * (1.0 / 24 - y * (1.0 / 720)) +
                          y4 * ((1.0 / 40320 - y * (1.0 / 3628800)) +
                                y2 * (1.0 / 479001600 - y * (1.0 / 87178291200)));
    const double sine = x * ((1 - y * (1.0 / 6)) + y2 * (1.0 / 120 - y * (1.0 / 5040)) +
                             y4 * ((1.0 / 362880 - y * (1.0 / 39916800)) +
                                   y2 * (1.0 / 6227020800 - y * (1.0 / 1307674368000))));
    /* Bit 30 turns by a quarter, (c, s) to (-s, c); bit 31 turns by a half. */
    const uint64_t c = lotor_lanes_bits(cosine), s = lotor_lanes_bits(sine);
    const uint64_t quarter = (word >> 30) & 1, swap = (c ^ s) & (0 - quarter);
    const uint64_t half = (word << 32) & UINT64_C(0x8000000000000000);
    *first = lotor_lanes_double(c ^ swap ^ half ^ (quarter << 63));
    *second = lotor_lanes_double(s ^ swap ^ half);
}

/* Two independent standard normal draws of lane i, by Box and Muller's method: a radius whose square
 * is exponential, from the upper half of a word, and an angle from the lower half. No draw is above
 * 6.8 in size, and there are 2^32 radii: fine enough for simulations. */
static LOTOR_INLINE void lotor_lanes_normals(lotor_lanes *lanes, size_t i, double *first,
                                             double *second)
{
    const uint64_t word = lotor_lanes_word(lanes, i);
    const double radius = sqrt(2 * lotor_lanes_minus_log((word >> 31) | 1));
    double cosine, sine;
    lotor_lanes_circle(word, &cosine, &sine);
    *first = radius * cosine;
    *second = radius * sine;
}

/* Fills `out` with standard normal draws; `count` is a multiple of 16. */
void lotor_lanes_fill(lotor_lanes *lanes, size_t count, double *out);

#endif
