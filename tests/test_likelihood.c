/* test_likelihood.c - the likelihood of a mean, against sums in high precision.
 *
 * Up to n = 10,000 MPFR adds up all terms with 160 bits. For larger n there is a table of values
 * with 20 digits, each the sum of its terms in 113 bits. Random points come from xoshiro256++ with a
 * fixed seed, so nothing here depends on chance. */
#include "support/test.h"

#include <math.h>
#include <stdint.h>

#include <mpfr.h>

#include "base/random/generator.h"
#include "base/random/laws.h"
#include "learn/likelihood.h"

enum { BITS = 160 };

static double log_f(double count, double sum, double epsilon, double mean)
{
    const lotor_likelihood at = lotor_likelihood_of(count, sum, epsilon);
    return lotor_likelihood_log(&at, mean, NULL);
}

/* The error that the header allows. */
static double allowed(double value)
{
    return fmax(1e-6, 1e-12 * fabs(value));
}

static void expect(double count, double sum, double epsilon, double mean, double expected)
{
    const double found = log_f(count, sum, epsilon, mean);
    if (!(fabs(found - expected) <= allowed(expected))) {
        fail_msg("n %.0f, S %.17g, epsilon %.17g, mean %.17g: %.17g where %.17g is expected", count,
                 sum, epsilon, mean, found, expected);
    }
}

/* --- references ------------------------------------------------------------------------------- */

/* All terms, added up. pmf(k) is made from pmf(k-1), starting with (1-m)^n. */
static double add_up(double count, double sum, double epsilon, double mean)
{
    mpfr_t odds, term, weight, total, size;
    mpfr_inits2(BITS, odds, term, weight, total, size, (mpfr_ptr)0);
    mpfr_set_d(odds, mean, MPFR_RNDN);
    mpfr_ui_sub(weight, 1, odds, MPFR_RNDN);
    mpfr_div(odds, odds, weight, MPFR_RNDN);
    mpfr_pow_ui(term, weight, (unsigned long)count, MPFR_RNDN);
    mpfr_set_zero(total, 1);
    for (double k = 0.0; k <= count; k++) {
        if (k > 0.0) {
            mpfr_mul(term, term, odds, MPFR_RNDN);
            mpfr_mul_d(term, term, count - k + 1.0, MPFR_RNDN);
            mpfr_div_d(term, term, k, MPFR_RNDN);
        }
        mpfr_set_d(size, sum, MPFR_RNDN);
        mpfr_sub_d(size, size, k, MPFR_RNDN);
        mpfr_abs(size, size, MPFR_RNDN);
        mpfr_mul_d(size, size, -epsilon, MPFR_RNDN);
        mpfr_exp(weight, size, MPFR_RNDN);
        mpfr_fma(total, term, weight, total, MPFR_RNDN);
    }
    mpfr_log(total, total, MPFR_RNDN);
    const double out = mpfr_get_d(total, MPFR_RNDN);
    mpfr_clears(odds, term, weight, total, size, (mpfr_ptr)0);
    return out;
}

typedef struct point {
    double count, sum, epsilon, mean;
} point;

/* A point at random, often where a method hands over to another: next to the mean, or next to one
 * of the two tilted modes. */
static point random_point(lotor_generator *generator, double count_max)
{
    const double u = lotor_random_uniform(generator), v = lotor_random_uniform(generator);
    point at = {.count = floor(exp(u * log(count_max))) + 1.0,
                .epsilon = 1e-4 * exp(v * log(2e5)),
                .mean = lotor_random_uniform(generator)};
    const uint64_t word = lotor_generator_word(generator);
    if (word % 3 != 0) {
        at.mean = pow(10.0, -9.0 * at.mean);
        at.mean = word % 3 == 1 ? at.mean : 1.0 - at.mean;
    }
    at.mean = fmin(fmax(at.mean, 1e-9), 1.0 - 1e-9);
    const uint64_t kind = word >> 8 & 3;
    const double tilt = kind < 2 ? 1.0 : exp(kind == 2 ? at.epsilon : -at.epsilon);
    const double mode = at.mean * tilt / (1.0 - at.mean + at.mean * tilt);
    const double width = 4.0 * sqrt(at.count * mode * (1.0 - mode) + 1.0);
    const double w = lotor_random_uniform(generator);
    at.sum = floor(kind == 0 ? (at.count + 1.0) * w : at.count * mode + (w - 0.5) * width);
    at.sum += word >> 16 & 1 ? lotor_random_uniform(generator) : 0.0;
    return at;
}

/* --- values ----------------------------------------------------------------------------------- */

/* By hand: n = 1, S = 0 gives 1 - m + m e^-epsilon; S = 1 gives the same with m and 1 - m
 * exchanged; S = 1/2 gives e^(-epsilon/2) for every m. */
TEST(one_reward_by_hand)
{
    expect(1.0, 0.0, log(2.0), 0.5, log(0.75));
    expect(1.0, 1.0, log(2.0), 0.25, log(0.625));
    expect(1.0, 0.5, 3.0, 0.7, -1.5);
    expect(1.0, -2.0, log(2.0), 0.5, log(0.1875));
    expect(1.0, 3.0, log(2.0), 0.5, log(0.1875));
}

/* n = 2, S = 1, m = 1/2: (1/4) e^-epsilon + 1/2 + (1/4) e^-epsilon. */
TEST(two_rewards_by_hand)
{
    expect(2.0, 1.0, log(2.0), 0.5, log(0.75));
    expect(2.0, 1.0, log(4.0), 0.5, log(0.625));
}

TEST(all_terms_added_up)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 1);
    for (int i = 0; i < 3000; i++) {
        const point at = random_point(&generator, i < 2800 ? 300.0 : 10000.0);
        expect(at.count, at.sum, at.epsilon, at.mean,
               add_up(at.count, at.sum, at.epsilon, at.mean));
    }
}

/* n, S, epsilon, mean, log f */
static const double table[][5] = {
    {30000, 0.25, 0.0001, 1e-06, -2.6522235666103399754e-05},
    {30000, 14999.5, 0.0001, 0.5, -0.0068964524940495549228},
    {30000, 0, 0.01, 1e-06, -0.0002985049890100455216},
    {30000, 15173.25, 0.01, 0.5, -1.4214456312653984847},
    {30000, 0.5, 0.5, 1e-06, -0.25017462392908884616},
    {30000, 18673, 0.5, 0.5, -909.29655994731691594},
    {30000, 0.25, 4, 1e-06, -1.0259470611596106121},
    {30000, 539.5, 4, 0.5, -18092.612672428698354},
    {30000, 29938, 20, 1e-06, -413164.23480886299453},
    {30000, 15173.25, 20, 0.5, -12.37547604496266492},
    {1000000, 0.5, 0.0001, 1e-06, -8.6785441928487774019e-05},
    {1000000, 500024, 0.0001, 0.5, -0.039489423458402847812},
    {1000000, 2.25, 0.01, 1e-06, -0.014143530069388413418},
    {1000000, 497500.5, 0.01, 0.5, -13.112855771120114827},
    {1000000, 1, 0.5, 1e-06, -0.31606558251734748848},
    {1000000, 501000.25, 0.5, 0.5, -7.7507911687547555434},
    {1000000, 0.5, 4, 1e-06, -2.3022564034721929837},
    {1000000, 982013, 4, 0.5, -603049.94849683311989},
    {1000000, 2.25, 20, 1e-06, -6.6931315432572456754},
    {1000000, 0.5, 20, 0.5, -693143.36401763558153},
    {10000000, 10, 0.0001, 1e-06, -0.00025020125258489616196},
    {10000000, 5003162.25, 0.0001, 0.5, -0.30737947006416494644},
    {10000000, 9.5, 0.01, 1e-06, -0.025255310161028666097},
    {10000000, 5024999, 0.01, 0.5, -125.65916292959724637},
    {10000000, 16.25, 0.5, 1e-06, -2.1739679587575396223},
    {10000000, 3775406.5, 0.5, 0.5, -302999.4063697303938},
    {10000000, 545, 4, 1e-06, -1644.735798838773808},
    {10000000, 5003162.25, 4, 0.5, -11.139207197501913995},
    {10000000, 0.5, 20, 1e-06, -17.602108808744668015},
    {10000000, 9999999, 20, 0.5, -6931455.6771803336515},
    {100000000, 119.25, 0.0001, 1e-06, -0.0019493264916564390145},
    {100000000, 49997500.5, 0.0001, 0.5, -0.39734664874292462483},
    {100000000, 101, 0.01, 1e-06, -0.078458899102266305502},
    {100000000, 50010000.25, 0.01, 0.5, -6.1367168341463726703},
    {100000000, 60.5, 0.5, 1e-06, -9.6986052187879065717},
    {100000000, 62245933, 0.5, 0.5, -3029986.8309794724729},
    {100000000, 119.25, 4, 1e-06, -5.8814372450626855716},
    {100000000, 1798620.5, 4, 0.5, -60305243.957148316985},
    {100000000, 99794308, 20, 1e-06, -1377231313.460130758},
    {100000000, 50010000.25, 20, 0.5, -16.436086337649472404},
};

TEST(large_counts)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const double *row = table[i];
        expect(row[0], row[1], row[2], row[3], row[4]);
    }
}

/* --- properties ------------------------------------------------------------------------------- */

/* The slope is the derivative: compared with a difference quotient of the sums. */
TEST(slope_is_the_derivative)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 2);
    for (int i = 0; i < 600; i++) {
        const point at = random_point(&generator, 200.0);
        const double step = 1e-5 * at.mean * (1.0 - at.mean);
        const double high = at.mean + step, low = at.mean - step; /* rounded, near 1 by much */
        const double up = add_up(at.count, at.sum, at.epsilon, high);
        const double down = add_up(at.count, at.sum, at.epsilon, low);
        const lotor_likelihood given = lotor_likelihood_of(at.count, at.sum, at.epsilon);
        double slope;
        const double value = lotor_likelihood_log(&given, at.mean, &slope);
        const double quotient = (up - down) / (high - low);
        const double rounding = 1e-15 * (1.0 + fabs(value)) / step;
        if (!(fabs(slope - quotient) <= 1e-4 * fabs(quotient) + rounding + 1e-6 * at.count)) {
            fail_msg("n %.0f, S %.17g, epsilon %.17g, mean %.17g: slope %.12g, not %.12g", at.count,
                     at.sum, at.epsilon, at.mean, slope, quotient);
        }
    }
}

/* log f is concave in the mean (likelihood.md), so the slope never rises. */
TEST(slope_never_rises)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 3);
    for (int i = 0; i < 300; i++) {
        const point at = random_point(&generator, 1e8);
        const lotor_likelihood given = lotor_likelihood_of(at.count, at.sum, at.epsilon);
        double before = INFINITY;
        for (int j = 1; j < 200; j++) {
            double slope;
            lotor_likelihood_log(&given, j / 200.0, &slope);
            if (!(slope <= before + 1e-6 * (fabs(before) + at.count * 1e-3))) {
                fail_msg("n %.0f, S %.17g, epsilon %.17g: the slope rises from %.12g to %.12g at "
                         "mean %g",
                         at.count, at.sum, at.epsilon, before, slope, j / 200.0);
            }
            before = slope;
        }
    }
}

/* One unit more in the release changes every weight by a factor of at most e^epsilon. */
TEST(one_unit_changes_little)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 4);
    for (int i = 0; i < 5000; i++) {
        const point at = random_point(&generator, 1e8);
        const double here = log_f(at.count, at.sum, at.epsilon, at.mean);
        const double next = log_f(at.count, at.sum + 1.0, at.epsilon, at.mean);
        assert_true(fabs(next - here) <= at.epsilon + allowed(here) + allowed(next));
    }
}

/* Exchanging success and failure changes nothing. */
TEST(both_ends_are_alike)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 5);
    for (int i = 0; i < 5000; i++) {
        point at = random_point(&generator, 1e8);
        at.mean = fmin(fmax(at.mean, 1e-3), 1.0 - 1e-3);
        at.sum = floor(at.sum);
        const double here = log_f(at.count, at.sum, at.epsilon, at.mean);
        const double there = log_f(at.count, at.count - at.sum, at.epsilon, 1.0 - at.mean);
        assert_true(fabs(here - there) <= 2.0 * allowed(here) + 1e-15 * at.count);
    }
}

/* Without noise, differences of log f are those of the binomial likelihood. */
TEST(huge_epsilons)
{
    static const double epsilons[] = {41.0, 700.0, 1e5, 1e300, INFINITY};
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        const double high = log_f(10.0, 7.0, epsilons[i], 0.6);
        const double low = log_f(10.0, 7.0, epsilons[i], 0.2);
        assert_true(fabs(high - low - (7.0 * log(3.0) + 3.0 * log(0.5))) < 1e-12);
        assert_true(isfinite(log_f(1e8, -5.0, epsilons[i], 1e-9)));
        assert_true(isfinite(log_f(1e8, 1e8 + 7.0, epsilons[i], 1.0 - 1e-9)));
    }
    const double at_forty = log_f(10.0, 7.0, 40.0, 0.6) - log_f(10.0, 7.0, 40.0, 0.2);
    assert_true(fabs(at_forty - (7.0 * log(3.0) + 3.0 * log(0.5))) < 1e-9);
}

/* --- rewards of known variance ---------------------------------------------------------------- */

static double log_normal(double count, double sum, double epsilon, double variance, double mean,
                         double *slope)
{
    const lotor_likelihood at = lotor_likelihood_normal(count, sum, epsilon, variance);
    return lotor_likelihood_log(&at, mean, slope);
}

/* The logarithm of the integral of e^(-x^2/2 - rate (middle - x)) over x < middle, by Simpson's rule.
 * Its maximum is at the lower of `middle` and `rate`; it is compared with that maximum. */
static double log_half(double middle, double rate)
{
    enum { STEPS = 2000 };
    const double peak = fmin(middle, rate), slope = rate - peak;
    const double below = 80.0 / (slope + sqrt(slope * slope + 80.0)); /* e^-40 is left out there */
    const double above = fmin(middle - peak, 9.0);
    const double step = (below + above) / (double)STEPS;
    double sum = 0.0;
    for (int i = 0; i <= STEPS; i++) {
        const double d = i * step - below;
        const double weight = i == 0 || i == STEPS ? 1.0 : 2.0 + 2.0 * (i % 2);
        sum += weight * exp(-0.5 * d * d + slope * d);
    }
    return -0.5 * peak * peak - rate * (middle - peak) + log(sum * step / 3.0);
}

/* The logarithm of the probability of the release, by integration over the sum of the rewards; up to
 * a factor without the mean. */
static double integrate_normal(double count, double sum, double epsilon, double variance,
                               double mean)
{
    const double deviation = sqrt(count * variance), rate = epsilon * deviation;
    const double middle = (sum - count * mean) / deviation;
    const double one = log_half(middle, rate), other = log_half(-middle, rate);
    return fmax(one, other) + log1p(exp(-fabs(one - other)));
}

typedef struct normal_point {
    double count, variance, epsilon, sum;
} normal_point;

/* Releases up to 60 deviations and 60 noises away from n/2. */
static normal_point random_normal_point(lotor_generator *generator)
{
    normal_point at = {.count = floor(exp(lotor_random_uniform(generator) * log(1e6))) + 1.0,
                       .variance = 0.25 * pow(10.0, -6.0 * lotor_random_uniform(generator)),
                       .epsilon = 1e-4 * exp(lotor_random_uniform(generator) * log(2e5))};
    const double width = sqrt(at.count * at.variance) + 1.0 / at.epsilon;
    const double away = pow(lotor_random_uniform(generator), 3.0) * 60.0 * width;
    at.sum = 0.5 * at.count + (lotor_generator_word(generator) % 2 ? away : -away);
    return at;
}

/* Each mean is compared with 1/2. */
TEST(known_variance_against_integration)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 6);
    for (int i = 0; i < 2000; i++) {
        const normal_point at = random_normal_point(&generator);
        const double mean = 0.001 + 0.998 * lotor_random_uniform(&generator);
        const double found = log_normal(at.count, at.sum, at.epsilon, at.variance, mean, NULL) -
                             log_normal(at.count, at.sum, at.epsilon, at.variance, 0.5, NULL);
        const double there = integrate_normal(at.count, at.sum, at.epsilon, at.variance, mean);
        const double here = integrate_normal(at.count, at.sum, at.epsilon, at.variance, 0.5);
        if (!(fabs(found - (there - here)) <= allowed(there) + allowed(here))) {
            fail_msg("n %.0f, v %.17g, S %.17g, epsilon %.17g, mean %.17g: %.12g, not %.12g",
                     at.count, at.variance, at.sum, at.epsilon, mean, found, there - here);
        }
    }
}

/* The same without noise: a normal law. */
static double reference_normal(double count, double sum, double epsilon, double variance,
                               double mean)
{
    const double away = sum - count * mean;
    return isinf(epsilon) ? -0.5 * away * away / (count * variance)
                          : integrate_normal(count, sum, epsilon, variance, mean);
}

/* Within four deviations of the release, where estimates are. One deviation is the unit. */
TEST(known_variance_slope)
{
    static const double counts[] = {1.0, 40.0, 1e4, 1e6, 1e8};
    static const double variances[] = {0.25, 0.01, 1e-4};
    static const double epsilons[] = {1e-4, 0.01, 0.5, 1.0, 4.0, 19.0, 1e3, INFINITY};
    int compared = 0;
    for (size_t i = 0; i < 5 * 3 * 8; i++) {
        const double n = counts[i % 5], v = variances[i / 5 % 3], epsilon = epsilons[i / 15];
        const double unit = (sqrt(n * v) + 1.0 / epsilon) / n, step = 1e-3 * unit;
        for (double away = -4.0; away <= 4.0; away += 0.5) {
            const double mean = 0.5 - away * unit;
            if (!(mean > 0.01 && mean < 0.99)) {
                continue;
            }
            double slope;
            log_normal(n, 0.5 * n, epsilon, v, mean, &slope);
            const double quotient = (reference_normal(n, 0.5 * n, epsilon, v, mean + step) -
                                     reference_normal(n, 0.5 * n, epsilon, v, mean - step)) /
                                    (2.0 * step);
            if (!(fabs(slope - quotient) * unit <= 1e-4)) {
                fail_msg("n %.0f, v %g, epsilon %g, %g deviations: slope %.12g, not %.12g", n, v,
                         epsilon, away, slope * unit, quotient * unit);
            }
            compared++;
        }
    }
    assert_true(compared > 1000);
}

/* By hand: without noise, and with noise so wide that the law of the rewards does not matter. */
TEST(known_variance_by_hand)
{
    double slope;
    const double near = log_normal(100.0, 60.0, INFINITY, 0.04, 0.58, &slope);
    assert_true(fabs(near - log_normal(100.0, 60.0, INFINITY, 0.04, 0.6, NULL) + 0.5) < 1e-12);
    assert_true(fabs(slope - 50.0) < 1e-9);
    const double wide = log_normal(100.0, 1e6, 1e-4, 0.04, 0.7, &slope);
    assert_true(fabs(wide - log_normal(100.0, 1e6, 1e-4, 0.04, 0.2, NULL) - 0.005) < 1e-9);
    assert_true(fabs(slope - 0.01) < 1e-12);
}

/* However far away the release is, the logarithm and its slope are numbers, and the slope points to
 * the release. */
TEST(known_variance_far_away)
{
    static const double sums[] = {-1e15, -1e8, -1e3, -1.0, 1e8 + 1.0, 2e8, 1e15};
    static const double epsilons[] = {1e-4, 0.1, 1.0, 40.0, 1e3, 1e300, INFINITY};
    static const double variances[] = {0.25, 1e-3, 1e-9};
    static const double means[] = {1e-9, 0.5, 1.0 - 1e-9};
    for (size_t i = 0; i < 7 * 7 * 3 * 3; i++) {
        const double sum = sums[i % 7], epsilon = epsilons[i / 7 % 7];
        const double variance = variances[i / 49 % 3], mean = means[i / 147];
        for (double count = 1.0; count <= 1e8; count *= 10.0) {
            double slope;
            assert_true(isfinite(log_normal(count, sum, epsilon, variance, mean, &slope)));
            assert_true(isfinite(slope) && (sum < 0.0 ? slope < 0.0 : sum <= 1e8 || slope > 0.0));
        }
    }
}
