/* test_linear_lazy.c - rounds of the world with a gap that are drawn in parts: the law of each part.
 *
 * Laws are tested with fixed seeds by Kolmogorov-Smirnov or chi-square: p > P_ACCEPT against the law
 * itself, p < P_ACCEPT against a slightly different one (support/statistics.h).
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "support/statistics.h"
#include "world/linear_lazy.h"

enum { BINS = LOTOR_LAZY_BINS };

static double samples[SAMPLES];

static double dot(size_t d, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static lotor_lazy_world make(size_t dimension, double gap, uint64_t seed)
{
    lotor_linear_world world;
    lotor_lazy_world lazy;
    lotor_generator generator;
    double theta[LOTOR_LAZY_MOST];
    assert_int_equal(lotor_linear_world_make(dimension, dimension * dimension, gap, NULL, &world),
                     LOTOR_OK);
    assert_true(lotor_lazy_world_fits(&world));
    lotor_generator_seed(&generator, seed);
    lotor_linear_world_theta(&world, &generator, theta);
    lotor_lazy_world_make(&world, theta, &lazy);
    return lazy;
}

TEST(other_worlds_do_not_fit)
{
    lotor_linear_world world;
    assert_int_equal(lotor_linear_world_make(5, 25, (double)NAN, NULL, &world), LOTOR_OK);
    assert_false(lotor_lazy_world_fits(&world));
    assert_int_equal(lotor_linear_world_make(2, 25, 0.1, NULL, &world), LOTOR_OK);
    assert_false(lotor_lazy_world_fits(&world));
    assert_int_equal(lotor_linear_world_make(9, 25, 0.1, NULL, &world), LOTOR_OK);
    assert_false(lotor_lazy_world_fits(&world));
}

/* The law of a mean in some bins: a density proportional to (1 - t^2)^power, by Simpson's rule. */
typedef struct mean_law {
    double low, high, power;
} mean_law;

static double mass(double low, double high, double power, int steps)
{
    const double step = (high - low) / steps;
    double sum = 0;
    for (int i = 0; i < steps; i++) {
        const double t = low + i * step, m = t + step / 2, u = t + step;
        sum += pow(1 - t * t, power) + 4 * pow(1 - m * m, power) + pow(1 - u * u, power);
    }
    return sum * step / 6;
}

static double mean_cdf(double t, const void *context)
{
    const mean_law *law = context;
    if (t <= law->low || t >= law->high) {
        return t >= law->high;
    }
    return mass(law->low, t, law->power, 32) / mass(law->low, law->high, law->power, 32);
}

static const double gaps[] = {0, 0.1, 0.9};

TEST(bins_have_their_probabilities)
{
    for (size_t d = LOTOR_LAZY_LEAST; d <= LOTOR_LAZY_MOST; d++) {
        for (size_t g = 0; g < 3; g++) {
            const lotor_lazy_world lazy = make(d, gaps[g], d);
            const double power = 0.5 * ((double)d - 3),
                         all = mass(-0.75, lazy.highest, power, 2000);
            assert_true(lazy.highest == 0.75 - gaps[g] && lazy.others == d * d - 1);
            for (size_t i = 0; i <= BINS; i += 16) {
                const double t = -0.75 + (double)i * lazy.bin;
                assert_true(fabs(lazy.below[i] - mass(-0.75, t, power, 2000) / all) < 1e-12);
            }
        }
    }
}

TEST(bins_cover_their_bounds)
{
    const lotor_lazy_world lazy = make(5, 0.1, 1);
    lotor_generator generator;
    lotor_generator_seed(&generator, 2);
    for (int i = 0; i < 10000; i++) {
        const double low = 2 * lotor_random_uniform(&generator) - 1;
        const double high = 2 * lotor_random_uniform(&generator) - 1;
        const lotor_lazy_bins bins = lotor_lazy_world_bins(&lazy, low, high);
        if (low > lazy.highest || high < -0.75 || low > high + lazy.bin) {
            assert_true(bins.first == bins.last);
            continue;
        }
        if (low > high) {
            continue; /* in the same bin: any answer is right */
        }
        assert_true(bins.first < bins.last && bins.last <= BINS);
        assert_true(low < -0.75 || -0.75 + (double)bins.first * lazy.bin <= low + 1e-15);
        assert_true(high > lazy.highest || -0.75 + (double)bins.last * lazy.bin >= high - 1e-15);
        assert_true(bins.first == 0 || -0.75 + (double)(bins.first + 1) * lazy.bin > low);
    }
    const lotor_lazy_bins all = lotor_lazy_world_bins(&lazy, (double)NAN, (double)NAN);
    assert_true(all.first == 0 && all.last == BINS);
    const lotor_lazy_bins none = lotor_lazy_world_bins(&lazy, INFINITY, -INFINITY);
    assert_true(none.first == none.last);
}

TEST(means_have_their_law)
{
    static const lotor_lazy_bins parts[] = {{0, BINS}, {0, 40}, {100, 180}, {255, 256}};
    for (size_t d = LOTOR_LAZY_LEAST; d <= LOTOR_LAZY_MOST; d++) {
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            const lotor_lazy_world lazy = make(d, gaps[d % 3], 3);
            mean_law law = {-0.75 + (double)parts[k].first * lazy.bin,
                            -0.75 + (double)parts[k].last * lazy.bin, 0.5 * ((double)d - 3)};
            lotor_generator generator;
            lotor_generator_seed(&generator, 10 * d + k);
            enum { COUNT = SAMPLES / 10 };
            lotor_lazy_world_means(&lazy, &generator, parts[k], COUNT, samples);
            assert_true(kolmogorov_test(samples, COUNT, mean_cdf, &law) > P_ACCEPT);
            law.high += 0.1 * (law.high - law.low);
            assert_true(kolmogorov_test(samples, COUNT, mean_cdf, &law) < P_ACCEPT);
        }
    }
}

typedef struct count_law {
    double n, p;
} count_law;

static double count_mass(int64_t k, const void *context)
{
    const count_law *law = context;
    const double x = (double)k;
    if (k < 0 || x > law->n) {
        return 0;
    }
    return exp(lgamma(law->n + 1) - lgamma(x + 1) - lgamma(law->n - x + 1) + x * log(law->p) +
               (law->n - x) * log1p(-law->p));
}

/* Few expected, many by coins, and many of very many actions, by the general sampler. */
TEST(counts_are_binomial)
{
    static int64_t counts[SAMPLES];
    static const lotor_lazy_bins parts[] = {{250, 252}, {200, 230}, {0, 200}};
    for (size_t k = 0; k < 6; k++) {
        lotor_lazy_world lazy = make(5, 0.1, 4);
        lazy.others = k < 3 ? 24 : 5000;
        const lotor_lazy_bins bins = parts[k % 3];
        count_law law = {(double)lazy.others, lazy.below[bins.last] - lazy.below[bins.first]};
        lotor_generator generator;
        lotor_generator_seed(&generator, k);
        for (size_t i = 0; i < SAMPLES; i++) {
            counts[i] = (int64_t)lotor_lazy_world_count(&lazy, &generator, bins);
        }
        assert_true(chi_square_test(counts, SAMPLES, count_mass, &law) > P_ACCEPT);
        law.p *= 0.9;
        assert_true(chi_square_test(counts, SAMPLES, count_mass, &law) < P_ACCEPT);
    }
    const lotor_lazy_world lazy = make(5, 0.1, 4);
    lotor_generator generator;
    lotor_generator_seed(&generator, 1);
    assert_true(lotor_lazy_world_count(&lazy, &generator, (lotor_lazy_bins){0, BINS}) == 24);
}

/* A coordinate of a point on the sphere of n dimensions: a density proportional to (1 -
 * t^2)^((n-3)/2). With n = 2 it has no bound, but its angle is uniform. */
static double side_cdf(double t, const void *context)
{
    const double n = *(const double *)context;
    if (n < 2.5) {
        return 0.5 + asin(fmin(fmax(t, -1), 1)) / M_PI;
    }
    const mean_law law = {-1, 1, 0.5 * (n - 3)};
    return mean_cdf(t, &law);
}

/* An action has its mean and the length 1, and its direction across theta is uniform. */
TEST(actions_have_their_mean_and_any_direction)
{
    enum { COUNT = SAMPLES / 40 };
    static const double means[] = {0.75, -0.5, 0.0};
    for (size_t d = LOTOR_LAZY_LEAST; d <= LOTOR_LAZY_MOST; d++) {
        for (size_t k = 0; k < 6; k++) { /* one by one, and in lanes */
            const lotor_lazy_world lazy = make(d, 0.1, 20 + d);
            const double mean = means[k % 3];
            double side[LOTOR_LAZY_MOST], square = 0, lanes_means[LOTOR_LANES];
            lotor_generator generator;
            lotor_generator_seed(&generator, 7 * d + k);
            for (size_t i = 0; i < d; i++) { /* a unit vector across theta */
                side[i] = (i == k % d) - lazy.theta[k % d] * lazy.theta[i];
                square += side[i] * side[i];
            }
            for (size_t i = 0; i < LOTOR_LANES; i++) {
                lanes_means[i] = mean;
            }
            lotor_lanes lanes;
            lotor_lanes_seed(&lanes, &generator);
            double columns[LOTOR_LAZY_MOST * LOTOR_LANES], action[LOTOR_LAZY_MOST];
            for (size_t n = 0; n < COUNT; n++) {
                if (k < 3) {
                    lotor_lazy_world_action(&lazy, &generator, mean, action);
                } else if (n % LOTOR_LANES == 0) {
                    lotor_lazy_world_actions(&lazy, &lanes, lanes_means, columns);
                }
                for (size_t i = 0; i < d && k >= 3; i++) {
                    action[i] = columns[i * LOTOR_LANES + n % LOTOR_LANES];
                }
                assert_true(fabs(dot(d, lazy.theta, action) - mean) < 2e-14);
                assert_true(dot(d, action, action) <= 1);
                assert_true(dot(d, action, action) > 1 - 1e-13);
                samples[n] = dot(d, side, action) / sqrt(square * (1 - mean * mean));
            }
            const double right = (double)d - 1, wrong = 1.5 * (double)d;
            assert_true(kolmogorov_test(samples, COUNT, side_cdf, &right) > P_ACCEPT);
            assert_true(kolmogorov_test(samples, COUNT, side_cdf, &wrong) < P_ACCEPT);
        }
    }
}

TEST(both_builds_give_the_same_bits)
{
    for (size_t d = LOTOR_LAZY_LEAST; d <= LOTOR_LAZY_MOST; d++) {
        const lotor_lazy_world lazy = make(d, 0.1, d);
        lotor_generator generator;
        lotor_lanes narrow, wide;
        lotor_generator_seed(&generator, d);
        lotor_lanes_seed(&narrow, &generator);
        wide = narrow;
        narrow.wide = false;
        wide.wide = lotor_lanes_can_be_wide();
        for (int n = 0; n < 10000; n++) {
            double means[LOTOR_LANES], first[LOTOR_LAZY_MOST * LOTOR_LANES],
                second[LOTOR_LAZY_MOST * LOTOR_LANES];
            lotor_lazy_world_means(&lazy, &generator, (lotor_lazy_bins){0, BINS}, LOTOR_LANES,
                                   means);
            lotor_lazy_world_actions(&lazy, &narrow, means, first);
            lotor_lazy_world_actions(&lazy, &wide, means, second);
            assert_memory_equal(first, second, d * LOTOR_LANES * sizeof *first);
        }
    }
}

/* Theta along the first axis has nothing to reflect; near it, the reflection must be exact, too. */
TEST(theta_may_be_an_axis)
{
    lotor_linear_world world;
    assert_int_equal(lotor_linear_world_make(3, 9, 0.1, NULL, &world), LOTOR_OK);
    static const double thetas[][3] = {
        {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {1, 1e-9, 0}, {1, 0, -1e-17}};
    for (size_t k = 0; k < sizeof thetas / sizeof *thetas; k++) {
        lotor_lazy_world lazy;
        lotor_generator generator;
        lotor_generator_seed(&generator, k);
        lotor_lazy_world_make(&world, thetas[k], &lazy);
        for (int n = 0; n < 1000; n++) {
            double action[3];
            lotor_lazy_world_action(&lazy, &generator, 0.75, action);
            assert_true(fabs(dot(3, thetas[k], action) - 0.75) < 1e-14);
            assert_true(dot(3, action, action) <= 1);
        }
    }
}
