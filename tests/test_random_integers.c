/* test_random_integers.c - the fast laws on the integers: geometric, discrete Laplace and Gaussian,
 * binomial; and first the p-values that all tests of samplers use.
 *
 * Every law is tested with SAMPLES draws on a fixed seed, at each of several parameters, by
 * chi-square: p > P_ACCEPT against the law itself, and p < P_ACCEPT against the same law with one
 * parameter 10% too large.
 */
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/random/laws.h"
#include "support/statistics.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

typedef struct parameters {
    double first;
    double second;
} parameters;

static int64_t *new_samples(void)
{
    int64_t *samples = malloc(SAMPLES * sizeof *samples);
    assert_non_null(samples);
    return samples;
}

/* The p-values -------------------------------------------------------------------------------- */

/* For even degrees the tail is a Poisson sum, exp(-x/2) times the sum of (x/2)^j/j! below
 * degrees/2: in Python's decimal module with 60 digits. For one degree, erfc(sqrt(x/2)). */
TEST(chi_square_tail_is_known)
{
    static const struct {
        double statistic;
        double degrees;
        double p;
    } cases[] = {
        {3.84, 1, 0.05004352124870509},
        {0.1, 4, 0.99879089572574975},
        {10, 10, 0.4404932850652124},
        {100, 50, 3.4549313829848641e-05},
        {1300, 6, 1.0832277298711286e-277},
        {1000, 1000, 0.49405285382923964},
        {99000, 1e5, 0.98752168436191723},
        {100000, 1e5, 0.49940529189520672},
        {102000, 1e5, 4.4119392551203065e-06},
        {105000, 1e5, 1.8950787187407722e-28},
        {1e9, 10, DBL_MIN},
    };

    for (size_t i = 0; i < LENGTH(cases); i++) {
        const double p = chi_square_p(cases[i].statistic, cases[i].degrees);
        if (!(fabs(p / cases[i].p - 1) < 1e-10)) {
            fail_msg("chi-square case %zu: %.17g", i, p);
        }
    }
    assert_true(chi_square_p(0, 3) == 1);
    assert_true(isnan(chi_square_p(1, 0)) && isnan(chi_square_p(NAN, 3)));
}

static double die_mass(int64_t face, const void *law)
{
    (void)law;
    return face >= 1 && face <= 6 ? 1.0 / 6 : 0;
}

static double die_cdf(int64_t face, const void *law)
{
    (void)law;
    return fmin(fmax((double)face, 0), 6) / 6;
}

static double unit_cdf(double value, const void *law)
{
    (void)law;
    return fmin(fmax(value, 0), 1);
}

/* 120 throws of a die, 20 of each face expected: statistic (25 + 25 + 0 + 0 + 4 + 4)/20 = 2.9,
 * five degrees: erfc(sqrt(x/2)) + sqrt(2x/pi) exp(-x/2) (1 + x/3) in Python. */
TEST(chi_square_tests_are_known)
{
    static const size_t counts[] = {15, 25, 20, 20, 22, 18};
    const double expected = 0.7153995143435801;
    int64_t throws[120];
    size_t next = 0;

    for (size_t face = 0; face < LENGTH(counts); face++) {
        for (size_t i = 0; i < counts[face]; i++) {
            throws[next++] = (int64_t)face + 1;
        }
    }
    assert_true(next == 120);
    assert_true(fabs(chi_square_test(throws, 120, die_mass, NULL) - expected) < 1e-12);
    assert_true(fabs(chi_square_test_cdf(throws, 120, die_cdf, NULL) - expected) < 1e-12);
    throws[0] = 7; /* impossible */
    assert_true(chi_square_test(throws, 120, die_mass, NULL) == DBL_MIN);
    assert_true(isnan(chi_square_test(throws, 0, die_mass, NULL)));
    throws[0] = INT64_MIN; /* too wide a range */
    assert_true(isnan(chi_square_test(throws, 120, die_mass, NULL)));
}

/* 100 evenly spaced samples, all moved up: the distance is the shift plus half a step. The
 * p-values are Kolmogorov's alternating series at (10 + 0.12 + 0.011) distance, in Python's
 * decimal module. */
TEST(kolmogorov_test_is_known)
{
    static const struct {
        double shift;
        double p;
    } cases[] = {
        {0.015, 0.999999999998899}, {0.095, 0.256221185070104}, {0.195, 0.000543312607393816}};
    double samples[100];

    for (size_t i = 0; i < LENGTH(cases); i++) {
        for (size_t j = 0; j < LENGTH(samples); j++) {
            samples[j] = ((double)j + 0.5) / 100 + cases[i].shift;
        }
        assert_true(fabs(kolmogorov_test(samples, 100, unit_cdf, NULL) - cases[i].p) < 1e-12);
    }
    samples[50] = NAN;
    assert_true(isnan(kolmogorov_test(samples, 100, unit_cdf, NULL)));
}

/* Simple laws --------------------------------------------------------------------------------- */

static int64_t draw_geometric(lotor_generator *generator, parameters law)
{
    return (int64_t)lotor_random_geometric(generator, law.first);
}

static double geometric_cdf(int64_t value, const void *law)
{
    const double p = ((const parameters *)law)->first;
    return value < 0 ? 0 : -expm1(((double)value + 1) * log1p(-p));
}

static int64_t draw_discrete_laplace(lotor_generator *generator, parameters law)
{
    return lotor_random_discrete_laplace(generator, law.first);
}

/* P(X > x) = r^(x+1)/(1+r) for x >= 0, r = exp(-1/scale); and P(X <= -x) = P(X >= x). */
static double discrete_laplace_cdf(int64_t value, const void *law)
{
    const double scale = ((const parameters *)law)->first;
    const double total = 1 + exp(-1 / scale);
    return value < 0 ? exp((double)value / scale) / total
                     : 1 - exp(-((double)value + 1) / scale) / total;
}

static int64_t draw_discrete_gaussian(lotor_generator *generator, parameters law)
{
    return lotor_random_discrete_gaussian(generator, law.first);
}

/* Summed below sigma = 50; above, the normal law at value + 1/2, which is off by at most
 * 1/(24 sigma^2) < 2e-5, where SAMPLES draws can't see less than about 1/sqrt(SAMPLES) = 2e-3. */
static double discrete_gaussian_cdf(int64_t value, const void *law)
{
    const double sigma = ((const parameters *)law)->first;
    if (sigma >= 50) {
        return erfc(-((double)value + 0.5) / sigma / sqrt(2)) / 2;
    }
    const int64_t bound = (int64_t)(40 * sigma) + 1;
    double below = 0;
    double total = 0;
    for (int64_t x = -bound; x <= bound; x++) {
        const double mass = exp(-(double)(x * x) / (2 * sigma * sigma));
        total += mass;
        below += x <= value ? mass : 0;
    }
    return below / total;
}

TEST(integer_laws_fit)
{
    static const struct {
        int64_t (*draw)(lotor_generator *, parameters);
        integer_distribution_function *cdf;
        double parameter;
    } cases[] = {
        {draw_geometric, geometric_cdf, 0.9},
        {draw_geometric, geometric_cdf, 0.3},
        {draw_geometric, geometric_cdf, 0.01},
        {draw_geometric, geometric_cdf, 1e-15},
        {draw_discrete_laplace, discrete_laplace_cdf, 0.3},
        {draw_discrete_laplace, discrete_laplace_cdf, 3},
        {draw_discrete_laplace, discrete_laplace_cdf, 1000},
        {draw_discrete_laplace, discrete_laplace_cdf, 0x1p20},
        {draw_discrete_laplace, discrete_laplace_cdf, 0x1p60},
        {draw_discrete_gaussian, discrete_gaussian_cdf, 0.4},
        {draw_discrete_gaussian, discrete_gaussian_cdf, 3},
        {draw_discrete_gaussian, discrete_gaussian_cdf, 20.5},
        {draw_discrete_gaussian, discrete_gaussian_cdf, 1000},
        {draw_discrete_gaussian, discrete_gaussian_cdf, 0x1p20},
        {draw_discrete_gaussian, discrete_gaussian_cdf, 0x1p60},
    };
    int64_t *samples = new_samples();

    for (size_t i = 0; i < LENGTH(cases); i++) {
        const parameters law = {cases[i].parameter, 0};
        const parameters wrong = {cases[i].parameter * 1.1, 0};
        lotor_generator generator;
        lotor_generator_seed(&generator, 200 + i);
        for (size_t j = 0; j < SAMPLES; j++) {
            samples[j] = cases[i].draw(&generator, law);
        }
        const double right_p = chi_square_test_cdf(samples, SAMPLES, cases[i].cdf, &law);
        const double wrong_p = chi_square_test_cdf(samples, SAMPLES, cases[i].cdf, &wrong);
        if (!(right_p > P_ACCEPT && wrong_p < P_ACCEPT)) {
            fail_msg("integer case %zu: p = %g, and %g at 10%% more", i, right_p, wrong_p);
        }
    }
    free(samples);
}

/* Binomial ------------------------------------------------------------------------------------ */

/* In long double: at n = 5e7 the logarithms are below 1e9, so the mass is good to 1e-9. For 2^40
 * lgammal(n + 1) - lgammal(n - k + 1) would lose k's own digits: sum the few factors instead. */
static double binomial_mass(int64_t value, const void *law)
{
    const long double n = ((const parameters *)law)->first;
    const long double p = ((const parameters *)law)->second;
    const long double k = (long double)value;
    if (k < 0 || k > n) {
        return 0;
    }
    long double ways = 0;
    if (k < 100) {
        for (long double j = 0; j < k; j++) {
            ways += logl((n - j) / (j + 1));
        }
    } else {
        ways = lgammal(n + 1) - lgammal(k + 1) - lgammal(n - k + 1);
    }
    return (double)expl(ways + k * logl(p) + (n - k) * log1pl(-p));
}

TEST(binomial_fits_its_mass)
{
    static const struct {
        uint64_t n;
        double p;
    } cases[] = {
        {1, 0.3},
        {10, 0.3},
        {40, 0.9},
        {19, 0.5},
        {21, 0.5},
        {1000, 0.3},
        {1000, 0.85},
        {3000, 0.004},
        {1000000, 0.5},
        {50000000, 0.7},
        {UINT64_C(1) << 40, 1e-12},
        {UINT64_C(1) << 62, 1e-18},
    };
    int64_t *samples = new_samples();

    for (size_t i = 0; i < LENGTH(cases); i++) {
        const parameters law = {(double)cases[i].n, cases[i].p};
        const parameters wrong = {law.first, cases[i].p * 1.1};
        lotor_generator generator;
        lotor_generator_seed(&generator, 300 + i);
        for (size_t j = 0; j < SAMPLES; j++) {
            samples[j] = (int64_t)lotor_random_binomial(&generator, cases[i].n, law.second);
        }
        const double right_p = chi_square_test(samples, SAMPLES, binomial_mass, &law);
        const double wrong_p = chi_square_test(samples, SAMPLES, binomial_mass, &wrong);
        if (!(right_p > P_ACCEPT && wrong_p < P_ACCEPT)) {
            fail_msg("binomial case %zu: p = %g, and %g at 10%% more", i, right_p, wrong_p);
        }
    }
    free(samples);
}

/* For large n the standardized count is normal but for its skewness, which moves the distribution
 * function by at most |1 - 2p|/(6 sqrt(2 pi) deviation) < 2e-5 here: SAMPLES draws see 2e-3. The
 * 10% is on the deviation: on p, it would move the mean by a thousand deviations and more. */
TEST(binomial_fits_the_normal)
{
    static const struct {
        uint64_t n;
        double p;
        uint64_t center; /* np to the nearest unit, by integer arithmetic in Python */
    } cases[] = {
        {50000000, 0.7, 35000000},
        {UINT64_C(1) << 40, 0.001, 1099511628},
        {UINT64_C(1) << 62, 0.5, UINT64_C(1) << 61},
        {UINT64_MAX, 0.3, UINT64_C(5534023222112865280)},
        {UINT64_MAX, 0.9, UINT64_C(16602069666338596863)},
    };
    int64_t *samples = new_samples();

    for (size_t i = 0; i < LENGTH(cases); i++) {
        const double p = cases[i].p;
        const parameters law = {sqrt((double)cases[i].n * p * (1 - p)), 0};
        const parameters wrong = {law.first * 1.1, 0};
        lotor_generator generator;
        lotor_generator_seed(&generator, 400 + i);
        for (size_t j = 0; j < SAMPLES; j++) {
            const uint64_t count = lotor_random_binomial(&generator, cases[i].n, p);
            samples[j] = (int64_t)(count - cases[i].center);
        }
        const double right_p = chi_square_test_cdf(samples, SAMPLES, discrete_gaussian_cdf, &law);
        const double wrong_p = chi_square_test_cdf(samples, SAMPLES, discrete_gaussian_cdf, &wrong);
        if (!(right_p > P_ACCEPT && wrong_p < P_ACCEPT)) {
            fail_msg("large binomial case %zu: p = %g, and %g at 10%% more", i, right_p, wrong_p);
        }
    }
    free(samples);
}

TEST(certain_counts_are_exact)
{
    static const uint64_t trials[] = {0, 1, 17, 1000, UINT64_C(1) << 62, UINT64_MAX};
    lotor_generator generator;

    lotor_generator_seed(&generator, 500);
    for (size_t i = 0; i < LENGTH(trials); i++) {
        assert_true(lotor_random_binomial(&generator, trials[i], 0) == 0);
        assert_true(lotor_random_binomial(&generator, trials[i], 1) == trials[i]);
        assert_true(lotor_random_binomial(&generator, trials[i], DBL_TRUE_MIN) == 0);
        for (int j = 0; j < 1000; j++) {
            const double p = lotor_random_uniform(&generator);
            assert_true(lotor_random_binomial(&generator, trials[i], p) <= trials[i]);
            assert_true(lotor_random_binomial(&generator, trials[i], p * 0x1p-60) <= trials[i]);
        }
    }
    assert_true(lotor_random_geometric(&generator, 1) == 0);
    assert_true(lotor_random_geometric(&generator, DBL_TRUE_MIN) == UINT64_MAX);
}

/* Scales beyond int64: a sanitizer would detect an undefined conversion. */
TEST(outsize_scales_saturate)
{
    static const double scales[] = {0x1p62, 0x1p70, 1e300, INFINITY, NAN};
    lotor_generator generator;

    lotor_generator_seed(&generator, 600);
    for (size_t i = 0; i < LENGTH(scales); i++) {
        size_t ends = 0;
        for (int j = 0; j < 1000; j++) {
            const int64_t laplace = lotor_random_discrete_laplace(&generator, scales[i]);
            const int64_t gaussian = lotor_random_discrete_gaussian(&generator, scales[i]);
            ends += laplace == INT64_MAX || laplace == -INT64_MAX;
            ends += gaussian == INT64_MAX || gaussian == -INT64_MAX;
        }
        assert_true(ends > 0);
        (void)lotor_random_geometric(&generator, 1 / scales[i]);
    }
    assert_true(lotor_random_discrete_laplace(&generator, 1e-300) == 0);
    assert_true(lotor_random_discrete_gaussian(&generator, 1e-300) == 0);
}
