/* test_lanes.c - eight generators side by side: their words, their normal draws, and that both
 * builds of a kernel give the same bits.
 *
 * Laws are tested on a fixed seed by Kolmogorov-Smirnov, p > P_ACCEPT against the law itself and p <
 * P_ACCEPT against one of another scale (support/statistics.h: a new seed would raise a false alarm
 * once in a million). Averages and counts may be off by DEVIATIONS = 6 standard deviations, which a
 * new seed would exceed once in 5e8.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "base/random/lanes.h"
#include "support/statistics.h"

#define DEVIATIONS 6

enum { FILL = 1 << 12 };

static lotor_lanes seeded(uint64_t seed)
{
    lotor_generator generator;
    lotor_lanes lanes;
    lotor_generator_seed(&generator, seed);
    lotor_lanes_seed(&lanes, &generator);
    return lanes;
}

TEST(a_lane_is_a_generator)
{
    lotor_lanes lanes = seeded(3);
    lotor_generator generator;
    lotor_generator_seed(&generator, 3);
    for (size_t k = 0; k < LOTOR_LANES; k++) {
        lotor_generator lane;
        lotor_generator_seed(&lane, lotor_generator_word(&generator));
        for (int i = 0; i < 1000; i++) {
            assert_true(lotor_lanes_word(&lanes, k) == lotor_generator_word(&lane));
        }
    }
}

/* On a machine without AVX2 there is only one build, and nothing to compare. */
TEST(both_builds_give_the_same_bits)
{
    static double narrow[FILL], wide[FILL];
    lotor_lanes first = seeded(4), second = first;
    first.wide = false;
    second.wide = lotor_lanes_can_be_wide();
    for (int i = 0; i < 250; i++) {
        lotor_lanes_fill(&first, FILL, narrow);
        lotor_lanes_fill(&second, FILL, wide);
        assert_memory_equal(narrow, wide, sizeof narrow);
    }
    assert_memory_equal(first.state, second.state, sizeof first.state);
}

/* The logarithm is within 4 units in the last place of the C library's. */
TEST(logarithms_are_exact)
{
    const uint64_t end = UINT64_C(1) << 33;
    lotor_generator generator;
    lotor_generator_seed(&generator, 5);
    for (int i = 0; i < 200000; i++) {
        const uint64_t word = lotor_generator_word(&generator);
        const uint64_t k = (word >> (31 + word % 33)) | 1; /* all sizes */
        assert_true(k < end);
        const double expected =
            k > end / 2 ? -log1p(-(double)(end - k) * 0x1p-33) : -log((double)k * 0x1p-33);
        assert_true(fabs(lotor_lanes_minus_log(k) - expected) <= 4 * 0x1p-52 * expected);
    }
    assert_true(fabs(lotor_lanes_minus_log(1) - 33 * M_LN2) < 1e-14);
}

/* The point is on the circle, at the angle that the bits say: part of an eighth of a turn around a
 * quarter turn. */
TEST(circles_are_round)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 6);
    for (int i = 0; i < 200000; i++) {
        const uint64_t word = lotor_generator_word(&generator);
        double x, y;
        lotor_lanes_circle(word, &x, &y);
        const double part = ((double)(word & 0x3fffffff) + 0.5) * 0x1p-30 - 0.5;
        const double angle = (part + (double)(word >> 30 & 3)) * (M_PI / 2);
        assert_true(fabs(x - cos(angle)) < 4e-15 && fabs(y - sin(angle)) < 4e-15);
    }
}

static double normal_cdf(double x, const void *scale)
{
    return 0.5 * erfc(-x / *(const double *)scale * M_SQRT1_2);
}

TEST(normal_draws_are_normal)
{
    static double samples[SAMPLES / 16 * 16];
    lotor_lanes lanes = seeded(7);
    lotor_lanes_fill(&lanes, SAMPLES / 16 * 16, samples);
    const double right = 1, wrong = 1.1;
    assert_true(kolmogorov_test(samples, SAMPLES / 16 * 16, normal_cdf, &right) > P_ACCEPT);
    assert_true(kolmogorov_test(samples, SAMPLES / 16 * 16, normal_cdf, &wrong) < P_ACCEPT);
}

/* The first four moments, with E x^2 = 1, E x^4 = 3, E x^6 = 15, E x^8 = 105; the products of the two
 * draws of a pair and of neighbouring lanes; and the tails beyond 1 to 5. */
TEST(normal_draws_have_their_moments_and_tails)
{
    enum { FILLS = 2000 };
    static double draws[FILL];
    const double n = (double)FILL * (double)FILLS;
    double moments[5] = {0}, pairs = 0, neighbours = 0, beyond[6] = {0};
    lotor_lanes lanes = seeded(8);
    for (int i = 0; i < FILLS; i++) {
        lotor_lanes_fill(&lanes, FILL, draws);
        for (size_t k = 0; k < FILL; k++) {
            const double x = draws[k];
            moments[1] += x;
            moments[2] += x * x;
            moments[3] += x * x * x;
            moments[4] += x * x * x * x;
            pairs += k % 16 < 8 ? x * draws[k + 8] : 0;
            neighbours += k % 8 < 7 ? x * draws[k + 1] : 0;
            for (int size = 1; size <= 5; size++) {
                beyond[size] += fabs(x) > size;
            }
        }
    }
    assert_true(fabs(moments[1]) < DEVIATIONS * sqrt(n));
    assert_true(fabs(moments[2] - n) < DEVIATIONS * sqrt(2 * n));
    assert_true(fabs(moments[3]) < DEVIATIONS * sqrt(15 * n));
    assert_true(fabs(moments[4] - 3 * n) < DEVIATIONS * sqrt(96 * n));
    assert_true(fabs(pairs) < DEVIATIONS * sqrt(n / 2));
    assert_true(fabs(neighbours) < DEVIATIONS * sqrt(7 * n / 8));
    for (int size = 1; size <= 5; size++) {
        const double p = erfc(size * M_SQRT1_2);
        assert_true(fabs(beyond[size] - n * p) < DEVIATIONS * sqrt(n * p * (1 - p)));
        const double wrong = erfc(size / 1.1 * M_SQRT1_2); /* a scale that is 10% off is noticed */
        assert_true(size > 4 || fabs(beyond[size] - n * wrong) > DEVIATIONS * sqrt(n * wrong));
    }
}
