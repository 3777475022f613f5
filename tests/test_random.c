/* test_random.c - the generator and the fast continuous laws (test_random_integers.c tests the
 * others).
 *
 * Every law is tested with SAMPLES draws on a fixed seed, at each of several parameters, by
 * chi-square or Kolmogorov-Smirnov. The test requires p > P_ACCEPT against the law itself, and
 * p < P_ACCEPT against the same law with one parameter 10% too large.
 */
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/random/laws.h"
#include "support/statistics.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

typedef struct parameters {
    double first;
    double second;
} parameters;

/* The source ---------------------------------------------------------------------------------- */

/* The words come from a separate program in Python with big integers. Its jump does not use the
 * generator's polynomial: it squares the 256 x 256 matrix of one step over GF(2) 128 times. */
TEST(source_gives_known_words)
{
    static const uint64_t from_state[] = {41943041,
                                          58720359,
                                          3588806011781223,
                                          3591011842654386,
                                          UINT64_C(9228616714210784205),
                                          UINT64_C(9973669472204895162)};
    static const uint64_t from_seed[] = {UINT64_C(0xd0764d4f4476689f), UINT64_C(0x519e4174576f3791),
                                         UINT64_C(0xfbe07cfb0c24ed8c),
                                         UINT64_C(0xb37d9f600cd835b8)};
    lotor_generator generator = {{1, 2, 3, 4}};

    for (size_t i = 0; i < LENGTH(from_state); i++) {
        assert_true(lotor_generator_word(&generator) == from_state[i]);
    }
    lotor_generator_seed(&generator, 42);
    for (size_t i = 0; i < LENGTH(from_seed); i++) {
        assert_true(lotor_generator_word(&generator) == from_seed[i]);
    }
}

TEST(source_jumps_to_known_words)
{
    static const uint64_t from_state[] = {
        UINT64_C(0xec879073673df437), UINT64_C(0x20d212a39aca1eaa), UINT64_C(0xc19d712a27e40f57),
        UINT64_C(0x6ff0e08dc71026a1)};
    static const uint64_t from_seed[] = {UINT64_C(0xc0b6f4be293b1ae5), UINT64_C(0x5db3dd9683e7bb33),
                                         UINT64_C(0x08d177efba75b08e),
                                         UINT64_C(0xdd4b9019a605434d)};
    lotor_generator generator = {{1, 2, 3, 4}};
    lotor_generator origin;

    lotor_generator_jump(&generator);
    for (size_t i = 0; i < LENGTH(from_state); i++) {
        assert_true(lotor_generator_word(&generator) == from_state[i]);
    }
    lotor_generator_seed(&generator, 42);
    origin = generator;
    lotor_generator_jump(&generator);
    for (size_t i = 0; i < LENGTH(from_seed); i++) {
        const uint64_t word = lotor_generator_word(&generator);
        assert_true(word == from_seed[i]);
        assert_true(word != lotor_generator_word(&origin));
    }
}

/* A source whose next word is the given one: with s0 = 0, a word is s3 rotated left by 23. */
static lotor_generator source_of(uint64_t word)
{
    return (lotor_generator){{0, 0, 0, (word >> 23) | (word << 41)}};
}

/* Continuous laws ----------------------------------------------------------------------------- */

static double draw_uniform(lotor_generator *generator, parameters law)
{
    (void)law;
    return lotor_random_uniform(generator);
}

static double uniform_cdf(double value, const void *law)
{
    return fmin(value / ((const parameters *)law)->first, 1);
}

static double draw_exponential(lotor_generator *generator, parameters law)
{
    return lotor_random_exponential(generator, law.first);
}

static double exponential_cdf(double value, const void *law)
{
    return -expm1(-value / ((const parameters *)law)->first);
}

static double draw_laplace(lotor_generator *generator, parameters law)
{
    return lotor_random_laplace(generator, law.first);
}

static double laplace_cdf(double value, const void *law)
{
    const double tail = exp(-fabs(value) / ((const parameters *)law)->first) / 2;
    return value < 0 ? tail : 1 - tail;
}

static double draw_gaussian(lotor_generator *generator, parameters law)
{
    (void)law;
    return lotor_random_gaussian(generator);
}

static double gaussian_cdf(double value, const void *law)
{
    return erfc(-value / ((const parameters *)law)->first / sqrt(2)) / 2;
}

static double draw_gamma(lotor_generator *generator, parameters law)
{
    return lotor_random_gamma(generator, law.first);
}

/* Twice a gamma draw of shape a is chi-square with 2a degrees. */
static double gamma_cdf(double value, const void *law)
{
    return 1 - chi_square_p(2 * value, 2 * ((const parameters *)law)->first);
}

static double draw_beta(lotor_generator *generator, parameters law)
{
    return lotor_random_beta(generator, law.first, law.second);
}

/* The incomplete beta function by its continued fraction (Abramowitz and Stegun 26.5.8), from the
 * innermost of 200 steps outwards; on the side of the mean where it converges quickly. */
static double beta_cdf_below_mean(double x, double a, double b)
{
    double fraction = 1;
    for (int m = 100; m >= 1; m--) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m - 1) * (a + b + m - 1) * x / ((a + 2 * m - 2) * (a + 2 * m - 1));
        fraction = 1 + odd / (1 + even / fraction);
    }
    const double log_factor =
        lgamma(a + b) - lgamma(a + 1) - lgamma(b) + a * log(x) + b * log1p(-x);
    return exp(log_factor) / fraction;
}

static double beta_cdf(double value, const void *law)
{
    const parameters *p = law;
    if (value <= 0 || value >= 1) {
        return value <= 0 ? 0 : 1;
    }
    if (value < (p->first + 1) / (p->first + p->second + 2)) {
        return beta_cdf_below_mean(value, p->first, p->second);
    }
    return 1 - beta_cdf_below_mean(1 - value, p->second, p->first);
}

TEST(continuous_laws_fit)
{
    static const struct {
        double (*draw)(lotor_generator *, parameters);
        distribution_function *cdf;
        parameters law;
    } cases[] = {
        {draw_uniform, uniform_cdf, {1, 0}},
        {draw_exponential, exponential_cdf, {1, 0}},
        {draw_exponential, exponential_cdf, {1e-300, 0}},
        {draw_laplace, laplace_cdf, {1, 0}},
        {draw_laplace, laplace_cdf, {0.01, 0}},
        {draw_laplace, laplace_cdf, {0x1p40, 0}},
        {draw_gaussian, gaussian_cdf, {1, 0}},
        {draw_gamma, gamma_cdf, {0.05, 0}},
        {draw_gamma, gamma_cdf, {0.7, 0}},
        {draw_gamma, gamma_cdf, {1, 0}},
        {draw_gamma, gamma_cdf, {4.5, 0}},
        {draw_gamma, gamma_cdf, {300, 0}},
        {draw_beta, beta_cdf, {0.05, 0.5}},
        {draw_beta, beta_cdf, {0.5, 0.5}},
        {draw_beta, beta_cdf, {0.3, 4}},
        {draw_beta, beta_cdf, {1, 1}},
        {draw_beta, beta_cdf, {3, 7}},
        {draw_beta, beta_cdf, {200, 60}},
    };
    double *samples = malloc(SAMPLES * sizeof *samples);

    assert_non_null(samples);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const parameters law = cases[i].law;
        const parameters wrong = {law.first * 1.1, law.second};
        lotor_generator generator;
        lotor_generator_seed(&generator, 100 + i);
        for (size_t j = 0; j < SAMPLES; j++) {
            samples[j] = cases[i].draw(&generator, law);
        }
        const double right_p = kolmogorov_test(samples, SAMPLES, cases[i].cdf, &law);
        const double wrong_p = kolmogorov_test(samples, SAMPLES, cases[i].cdf, &wrong);
        if (!(right_p > P_ACCEPT && wrong_p < P_ACCEPT)) {
            fail_msg("continuous case %zu: p = %g, and %g at 10%% more", i, right_p, wrong_p);
        }
    }
    free(samples);
}

/* Chosen words: the tail probability of a Gaussian draw is known from its word, and erfc() is an
 * independent inverse. Far out it is steep: one rounding of x changes it by x^2 2^-53, at most 81
 * of them. 1e-13 is ten times that. */
TEST(gaussian_inverts_its_distribution)
{

    for (int bits = 0; bits < 63; bits++) {
        for (uint64_t step = 0; step < 8; step++) {
            const uint64_t size = (UINT64_C(1) << bits) | (step << bits >> 3);
            lotor_generator positive = source_of(size << 1);
            lotor_generator negative = source_of(size << 1 | 1);
            const double x = lotor_random_gaussian(&positive);
            const double tail = ldexp((double)size + 0.5, -64);
            assert_true(fabs(erfc(x / sqrt(2)) / 2 / tail - 1) < 1e-13);
            assert_true(lotor_random_gaussian(&negative) == -x);
        }
    }
}

/* 64 log 2 = 44.361419555836499803 (Python's decimal module). */
TEST(extreme_words_stay_finite)
{
    const double largest = 44.361419555836499803;
    lotor_generator lowest = source_of(0);
    lotor_generator next = source_of(1);
    lotor_generator highest = source_of(UINT64_MAX);
    lotor_generator copy = highest;

    assert_true(fabs(lotor_random_laplace(&lowest, 1) - largest) < 1e-13);
    assert_true(fabs(lotor_random_laplace(&next, 2) + 2 * largest) < 1e-13);
    assert_true(fabs(lotor_random_laplace(&highest, 1)) < 1e-15);
    assert_true(fabs(lotor_random_gaussian(&copy)) < 1e-15);
    lowest = source_of(0);
    highest = source_of(UINT64_MAX);
    copy = lowest;
    assert_true(lotor_random_uniform(&lowest) == 0x1p-53);
    assert_true(lotor_random_uniform(&highest) == 1 - 0x1p-53);
    assert_true(lotor_random_gaussian(&copy) > 9 && lotor_random_gaussian(&lowest) < 10);
}

/* Shapes so small that a draw is 0 or 1, and 1 with probability a/(a + b): the number of ones has
 * a standard deviation of sqrt(SAMPLES q (1 - q)), at most 224; the tolerance is five. */
TEST(beta_of_tiny_shapes_is_a_coin)
{
    static const parameters cases[] = {
        {1e-300, 1e-300}, {DBL_TRUE_MIN, DBL_TRUE_MIN}, {3e-308, 1e-308}, {1e-20, 3e-20}};

    for (size_t i = 0; i < LENGTH(cases); i++) {
        const double share = 1 / (1 + cases[i].second / cases[i].first);
        size_t ones = 0;
        lotor_generator generator;
        lotor_generator_seed(&generator, 500 + i);
        for (size_t j = 0; j < SAMPLES; j++) {
            const double value = draw_beta(&generator, cases[i]);
            assert_true(value == 0 || value == 1);
            ones += value == 1;
        }
        const double deviation = sqrt((double)SAMPLES * share * (1 - share));
        assert_true(fabs((double)ones - (double)SAMPLES * share) < 5 * deviation);
    }
}

TEST(unlike_shapes_stay_in_range)
{
    static const double shapes[] = {DBL_TRUE_MIN, 1e-300, 1e-5, 0.999, 1, 1e5, 1e300, DBL_MAX};
    lotor_generator generator;

    lotor_generator_seed(&generator, 600);
    for (size_t i = 0; i < LENGTH(shapes) * LENGTH(shapes) * 100; i++) {
        const double a = shapes[i % LENGTH(shapes)];
        const double b = shapes[i / LENGTH(shapes) % LENGTH(shapes)];
        const double value = lotor_random_beta(&generator, a, b);
        assert_true(value >= 0 && value <= 1);
        assert_true(lotor_random_gamma(&generator, a) >= 0);
    }
}

/* Wishart ------------------------------------------------------------------------------------- */

enum { DIMENSION = 3, MATRICES = 100000 };

static double determinant(const double *w)
{
    return w[0] * (w[4] * w[8] - w[5] * w[7]) - w[1] * (w[3] * w[8] - w[5] * w[6]) +
           w[2] * (w[3] * w[7] - w[4] * w[6]);
}

/* True if the mean, and the second moment about `mean`, are those of the law, within 5 standard
 * errors each, given the law's variance and the variance of its squared deviation. */
static bool moments_agree(const double *values, double mean, double variance, double variance2)
{
    double sum = 0;
    double squares = 0;

    for (size_t i = 0; i < MATRICES; i++) {
        sum += values[i] - mean;
        squares += (values[i] - mean) * (values[i] - mean);
    }
    return fabs(sum / (double)MATRICES) < 5 * sqrt(variance / (double)MATRICES) &&
           fabs(squares / (double)MATRICES - variance) < 5 * sqrt(variance2 / (double)MATRICES);
}

/* Diagonal entries are chi-square: mean k, variance 2k, fourth central moment 12k(k + 4). The
 * others sum products of normals: mean 0, variance k, fourth cumulant 6k. The determinant is a
 * product of independent chi-squares of k, k - 1 and k - 2 degrees: only its mean is checked. */
static bool wishart_agrees(double *const *entries, double k)
{
    for (size_t i = 0; i < DIMENSION * DIMENSION; i++) {
        const bool diagonal = i % (DIMENSION + 1) == 0;
        if (!(diagonal ? moments_agree(entries[i], k, 2 * k, 8 * k * k + 48 * k)
                       : moments_agree(entries[i], 0, k, 2 * k * k + 6 * k))) {
            return false;
        }
    }
    const double mean = k * (k - 1) * (k - 2);
    const double variance = mean * ((k + 2) * (k + 1) * k - mean);
    return moments_agree(entries[DIMENSION * DIMENSION], mean, variance, INFINITY);
}

TEST(wishart_has_its_moments)
{
    static const double degrees[] = {2.5, 7, 1000};
    double *entries[DIMENSION * DIMENSION + 1];

    for (size_t i = 0; i < LENGTH(entries); i++) {
        entries[i] = malloc(MATRICES * sizeof *entries[i]);
        assert_non_null(entries[i]);
    }
    for (size_t d = 0; d < LENGTH(degrees); d++) {
        lotor_generator generator;
        lotor_generator_seed(&generator, 700 + d);
        for (size_t i = 0; i < MATRICES; i++) {
            double work[DIMENSION * DIMENSION];
            double w[DIMENSION * DIMENSION];
            lotor_random_wishart(&generator, DIMENSION, degrees[d], work, w);
            assert_true(w[1] == w[3] && w[2] == w[6] && w[5] == w[7]);
            assert_true(w[0] > 0 && w[4] > 0 && w[8] > 0);
            assert_true(w[0] * w[4] - w[1] * w[3] > 0);
            for (size_t j = 0; j < DIMENSION * DIMENSION; j++) {
                entries[j][i] = w[j];
            }
            entries[DIMENSION * DIMENSION][i] = determinant(w);
            assert_true(entries[DIMENSION * DIMENSION][i] > -1e-9); /* 0, rounded, when nearly so */
        }
        assert_true(wishart_agrees(entries, degrees[d]));
        assert_false(wishart_agrees(entries, degrees[d] * 1.1));
    }
    for (size_t i = 0; i < LENGTH(entries); i++) {
        free(entries[i]);
    }
}
