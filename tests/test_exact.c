/* test_exact.c - the exact samplers have exactly the laws they claim.
 *
 * Chi-square on SAMPLES = 200,000 draws through the tests' byte source, fixed seeds, accepted at
 * p > 1e-6; the same draws must be rejected against a parameter that is 10% off. The digits past
 * the first word, which no statistical test would reach, are tested with scripted words.
 */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "privacy/noise/exact.h"
#include "privacy/noise/noise.h"
#include "support/draw.h"
#include "support/statistics.h"
#include "support/test_source.h"

static test_source source;
static int64_t draws[SAMPLES];

typedef struct parameter {
    double scale;
} parameter;

/* --- the laws, in doubles ------------------------------------------------------------------- */

static double laplace_cdf(int64_t value, const void *law)
{
    const double scale = ((const parameter *)law)->scale;
    const double ratio = exp(-1.0 / scale);
    return value < 0 ? exp((double)value / scale) / (1.0 + ratio)
                     : 1.0 - exp(-((double)value + 1.0) / scale) / (1.0 + ratio);
}

static double gaussian_mass(int64_t value, const void *law)
{
    const double sigma = ((const parameter *)law)->scale;
    double total = 1.0;
    for (int i = 1; i < 40.0 * sigma + 10.0; i++) {
        total += 2.0 * exp(-0.5 * i * i / (sigma * sigma));
    }
    return exp(-0.5 * (double)value * (double)value / (sigma * sigma)) / total;
}

/* For sigma above 1000 the discrete law's sums are the continuous one's areas, up to
 * exp(-2 pi^2 sigma^2) (Poisson summation) and the curvature of a unit cell, below 1e-7. */
static double gaussian_cdf(int64_t value, const void *law)
{
    const double sigma = ((const parameter *)law)->scale;
    return 0.5 * erfc(-((double)value + 0.5) / (sigma * sqrt(2.0)));
}

static double geometric_cdf(int64_t value, const void *law)
{
    return value < 0 ? 0.0 : 1.0 - pow(1.0 - ((const parameter *)law)->scale, (double)value + 1.0);
}

static double coin_cdf(int64_t value, const void *law)
{
    return value < 0 ? 0.0 : value == 0 ? 1.0 - ((const parameter *)law)->scale : 1.0;
}

static double below_cdf(int64_t value, const void *law)
{
    const double bound = ((const parameter *)law)->scale;
    return fmin(1.0, fmax(0.0, ((double)value + 1.0) / bound));
}

static void expect_law(integer_distribution_function *cdf, double right, double wrong)
{
    const parameter claimed = {right}, off = {wrong};
    assert_true(chi_square_test_cdf(draws, SAMPLES, cdf, &claimed) > P_ACCEPT);
    assert_true(chi_square_test_cdf(draws, SAMPLES, cdf, &off) < P_ACCEPT);
}

/* --- tests ---------------------------------------------------------------------------------- */

TEST(laplace_has_its_law)
{
    static const uint64_t scales[][2] = {
        {1, 1}, {3, 1}, {5, 2}, {1, 3}, {1000, 7}, {1 << 20, 1}, {UINT64_C(1) << 40, 1},
    };
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        test_source_seed(&source, 100 + i);
        for (size_t j = 0; j < SAMPLES; j++) {
            draws[j] = lotor_exact_laplace(&source.source, scales[i][0], scales[i][1]);
        }
        const double scale = (double)scales[i][0] / (double)scales[i][1];
        expect_law(laplace_cdf, scale, 1.1 * scale);
        expect_law(laplace_cdf, scale, scale / 1.1);
    }
}

TEST(small_gaussians_have_their_law)
{
    static const uint64_t sigmas[][2] = {{1, 2}, {1, 1}, {27, 10}, {50, 1}};
    for (size_t i = 0; i < sizeof sigmas / sizeof *sigmas; i++) {
        test_source_seed(&source, 200 + i);
        for (size_t j = 0; j < SAMPLES; j++) {
            draws[j] = lotor_exact_gaussian(&source.source, sigmas[i][0], sigmas[i][1]);
        }
        const double sigma = (double)sigmas[i][0] / (double)sigmas[i][1];
        const parameter right = {sigma}, wide = {1.1 * sigma}, narrow = {sigma / 1.1};
        assert_true(chi_square_test(draws, SAMPLES, gaussian_mass, &right) > P_ACCEPT);
        assert_true(chi_square_test(draws, SAMPLES, gaussian_mass, &wide) < P_ACCEPT);
        assert_true(chi_square_test(draws, SAMPLES, gaussian_mass, &narrow) < P_ACCEPT);
    }
}

TEST(large_gaussians_have_their_law)
{
    static const uint64_t sigmas[][2] = {
        {12345, 10},
        {1 << 20, 1},
        {(UINT64_C(1) << 46) + 12345, 1},
        {UINT64_C(1) << 46, 12347},
    };
    for (size_t i = 0; i < sizeof sigmas / sizeof *sigmas; i++) {
        test_source_seed(&source, 300 + i);
        for (size_t j = 0; j < SAMPLES; j++) {
            draws[j] = lotor_exact_gaussian(&source.source, sigmas[i][0], sigmas[i][1]);
        }
        const double sigma = (double)sigmas[i][0] / (double)sigmas[i][1];
        expect_law(gaussian_cdf, sigma, 1.1 * sigma);
    }
}

TEST(geometric_has_its_law)
{
    static const uint64_t odds[][2] = {{1, 2}, {3, 7}, {9, 10}, {1, 50}};
    for (size_t i = 0; i < sizeof odds / sizeof *odds; i++) {
        test_source_seed(&source, 400 + i);
        for (size_t j = 0; j < SAMPLES; j++) {
            draws[j] = (int64_t)lotor_exact_geometric(&source.source, odds[i][0], odds[i][1]);
        }
        const double p = (double)odds[i][0] / (double)odds[i][1];
        expect_law(geometric_cdf, p, p / 1.1);
    }
    assert_int_equal(lotor_exact_geometric(&source.source, 5, 5), 0);
}

TEST(coins_have_their_law)
{
    static const uint64_t odds[][2] = {{1, 2}, {1, 3}, {2, 10}, {12345678901, 23456789012}};
    for (size_t i = 0; i < sizeof odds / sizeof *odds; i++) {
        test_source_seed(&source, 500 + i);
        for (size_t j = 0; j < SAMPLES; j++) {
            draws[j] = lotor_exact_bernoulli(&source.source, odds[i][0], odds[i][1]);
        }
        const double p = (double)odds[i][0] / (double)odds[i][1];
        expect_law(coin_cdf, p, p / 1.1);
    }
    for (int i = 0; i < 1000; i++) {
        assert_false(lotor_exact_bernoulli(&source.source, 0, 7));
        assert_true(lotor_exact_bernoulli(&source.source, 7, 7));
        assert_true(lotor_exact_bernoulli(&source.source, UINT64_MAX, UINT64_MAX));
        assert_true(lotor_exact_bernoulli_exp(&source.source, 0, 7));
    }
}

TEST(exponential_coins_have_their_law)
{
    static const uint64_t exponents[][2] = {
        {1, 10}, {1, 2}, {1, 1}, {3, 2}, {5, 2}, {UINT64_MAX / 2, UINT64_MAX - 1},
    };
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        test_source_seed(&source, 600 + i);
        for (size_t j = 0; j < SAMPLES; j++) {
            draws[j] = lotor_exact_bernoulli_exp(&source.source, exponents[i][0], exponents[i][1]);
        }
        const double p = exp(-(double)exponents[i][0] / (double)exponents[i][1]);
        expect_law(coin_cdf, p, p / 1.1);
    }
}

TEST(below_is_uniform)
{
    static const uint64_t bounds[] = {3, 10, 1000, (UINT64_C(1) << 62) + 12345};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        test_source_seed(&source, 700 + i);
        for (size_t j = 0; j < SAMPLES; j++) {
            const uint64_t drawn = lotor_exact_below(&source.source, bounds[i]);
            assert_true(drawn < bounds[i]);
            draws[j] = (int64_t)drawn;
        }
        expect_law(below_cdf, (double)bounds[i], (double)bounds[i] * 1.1);
    }
    assert_int_equal(lotor_exact_below(&source.source, 1), 0);
}

/* With 3 * 2^62 possible results, one word in four would favour some results over others; those
 * are the low words below 2^64 mod bound = 2^62, and they are drawn again. */
TEST(below_draws_uneven_words_again)
{
    const uint64_t bound = UINT64_C(3) << 62;
    const uint64_t words[] = {0, UINT64_C(1) << 63};
    test_source_script(&source, words, 2, 1);
    /* 0 * bound has low word 0 < 2^62: again. 2^63 * bound = 3 * 2^125: low word 0, again too;
     * then seeded words, until one is kept. */
    (void)lotor_exact_below(&source.source, bound);
    assert_true(source.window.left <= LOTOR_SOURCE_WINDOW_BYTES - 3 * sizeof(uint64_t));
}

/* 2^64/3 = 0x5555555555555555.555...: a first word of exactly that decides nothing, and neither
 * does a second; the third digit does. */
TEST(a_tie_goes_to_the_next_word)
{
    const uint64_t third = UINT64_C(0x5555555555555555);
    const struct {
        uint64_t words[3];
        bool expected;
    } cases[] = {
        {{third - 1, 0, 0}, true},         {{third + 1, 0, 0}, false},
        {{third, third - 1, 0}, true},     {{third, third + 1, 0}, false},
        {{third, third, third - 1}, true}, {{third, third, third + 1}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_source_script(&source, cases[i].words, 3, 1);
        assert_int_equal(lotor_exact_bernoulli(&source.source, 1, 3), cases[i].expected);
    }
}

/* exp(-1) is true for U in [1/3!, 1/2!), [1/5!, 1/4!), ...; 2^64/6 = 0x2AAA...AA.AAA..., so that
 * word is a tie which the next one decides. It is reached as exp(-(1 + 2^-63)): one coin of exp(-1),
 * then one of exp(-2^-63), which a word of all ones makes true. */
TEST(exp_of_one_is_exact_at_its_edges)
{
    const uint64_t half = UINT64_C(1) << 63, sixth = UINT64_C(0x2AAAAAAAAAAAAAAA);
    const uint64_t ones = UINT64_MAX;
    const struct {
        uint64_t words[2];
        bool expected;
    } cases[] = {
        {{ones, ones}, false},
        {{half, ones}, false},
        {{half - 1, ones}, true},
        {{sixth + 1, ones}, true},
        {{sixth, ones}, true},
        {{sixth, 0}, false},
        {{sixth - 1, ones}, false},
        {{ones / 24 + 10, ones}, false},
        {{ones / 24 - 10, ones}, true},
        {{ones / 120 + 10, ones}, true},
        {{ones / 120 - 10, ones}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t words[3] = {cases[i].words[0], cases[i].words[1], ones};
        test_source_script(&source, words, 3, 1);
        assert_int_equal(lotor_exact_bernoulli_exp(&source.source, half + 1, half),
                         cases[i].expected);
    }
}

TEST(limits_are_checked)
{
    lotor_message why;
    assert_int_equal(lotor_exact_check_laplace(1, 1, &why), LOTOR_OK);
    assert_int_equal(lotor_exact_check_laplace(0, 1, &why), LOTOR_INVALID);
    assert_int_equal(lotor_exact_check_laplace(1, 0, &why), LOTOR_INVALID);
    assert_int_equal(lotor_exact_check_laplace(UINT64_C(1) << 62, 1, &why), LOTOR_INVALID);
    assert_int_equal(lotor_exact_check_gaussian((UINT64_C(1) << 47) - 1, 1, &why), LOTOR_OK);
    assert_int_equal(lotor_exact_check_gaussian(UINT64_C(1) << 47, 1, &why), LOTOR_INVALID);
    assert_int_equal(lotor_exact_check_gaussian(1, UINT64_C(1) << 47, &why), LOTOR_INVALID);
    assert_int_equal(lotor_exact_check_gaussian(0, 1, &why), LOTOR_INVALID);
    assert_int_equal(lotor_exact_check_geometric(1, 3, &why), LOTOR_OK);
    assert_int_equal(lotor_exact_check_geometric(4, 3, &why), LOTOR_INVALID);
    assert_int_equal(lotor_exact_check_geometric(0, 3, &why), LOTOR_INVALID);
    assert_int_equal(lotor_exact_check_geometric(1, UINT64_C(1) << 40, &why), LOTOR_INVALID);
}

/* Extremes run, and stay within 64 scales (probability of more below 1e-22 in 1000 draws). */
TEST(extreme_scales_run)
{
    test_source_seed(&source, 9);
    for (int i = 0; i < 1000; i++) {
        (void)lotor_exact_laplace(&source.source, (UINT64_C(1) << 62) - 1, 1);
        const int64_t tiny = lotor_exact_laplace(&source.source, 1, UINT64_MAX);
        assert_int_equal(tiny, 0);
        const int64_t wide = lotor_exact_gaussian(&source.source, (UINT64_C(1) << 47) - 1, 1);
        assert_true(llabs(wide) < INT64_C(64) << 47);
        assert_int_equal(lotor_exact_gaussian(&source.source, 1, (UINT64_C(1) << 47) - 1), 0);
    }
}

TEST(noise_without_entropy_is_refused)
{
    int64_t drawn[4];
    test_source_exhaust(&source, 3, 0);
    lotor_noise noise = lotor_noise_exact(&source.source);
    assert_int_equal(draw_noise(&noise, LOTOR_LAW_LAPLACE, 5, 4, drawn), LOTOR_ENTROPY);
    assert_int_equal(draw_noise(&noise, LOTOR_LAW_GAUSSIAN, 5, 4, drawn), LOTOR_ENTROPY);
    test_source_exhaust(&source, 3, 1);
    assert_int_equal(draw_noise(&noise, LOTOR_LAW_LAPLACE, 5, 4, drawn), LOTOR_OK);
    assert_int_equal(lotor_noise_kind_of(&noise), LOTOR_NOISE_EXACT);
}

/* Simulated noise in units: the fast laws, rounded. At a scale of 1000 units rounding moves the
 * chi-square cells by less than 1e-6 of their mass. */
TEST(simulated_noise_has_its_law)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 11);
    lotor_noise noise = lotor_noise_simulated(&generator);
    assert_int_equal(lotor_noise_kind_of(&noise), LOTOR_NOISE_SIMULATION);
    assert_int_equal(draw_noise(&noise, LOTOR_LAW_LAPLACE, 1000, SAMPLES, draws), LOTOR_OK);
    expect_law(laplace_cdf, 1000.0, 1100.0);
    assert_int_equal(draw_noise(&noise, LOTOR_LAW_GAUSSIAN, 2000, SAMPLES, draws), LOTOR_OK);
    expect_law(gaussian_cdf, 2000.0, 2200.0);
    assert_int_equal(draw_noise(&noise, LOTOR_LAW_GAUSSIAN, 0, 1, draws), LOTOR_OK);
    assert_int_equal(draws[0], 0);
}
