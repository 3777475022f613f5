/* test_interval.c - compares Clopper and Pearson's bounds with closed forms, tables and
 * enumeration. */
#include "support/test.h"

#include <math.h>

#include "lab/interval.h"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        print_error("%.17g, not %.17g\n", value, expected);
        fail();
    }
}

/* I_x(1,b) = 1 - (1-x)^b, I_x(a,1) = x^a, I_x(2,3) = 6x^2 - 8x^3 + 3x^4, I_1/2(a,a) = 1/2, and
 * I_x(1/2,1/2) is the arcsine law. */
TEST(the_beta_function_has_its_closed_forms)
{
    for (double x = 0.02; x < 1.0; x += 0.07) {
        for (double a = 0.5; a < 2000.0; a *= 3.0) {
            assert_near(lotor_beta_below(x, 1.0, a), -expm1(a * log1p(-x)), 1e-13);
            assert_near(lotor_beta_below(x, a, 1.0), pow(x, a), 1e-13);
            assert_near(lotor_beta_below(x, a, 7.5) + lotor_beta_below(1.0 - x, 7.5, a), 1.0,
                        1e-13);
        }
        assert_near(lotor_beta_below(x, 2.0, 3.0), x * x * (6.0 + x * (3.0 * x - 8.0)), 1e-14);
        assert_near(lotor_beta_below(x, 0.5, 0.5), 2.0 / acos(-1.0) * asin(sqrt(x)), 1e-13);
    }
    for (double a = 1.0; a < 1e8; a *= 10.0) {
        assert_near(lotor_beta_below(0.5, a, a), 0.5, 1e-10);
    }
    assert_true(lotor_beta_below(0.0, 3.0, 4.0) == 0.0 && lotor_beta_below(1.0, 3.0, 4.0) == 1.0);
}

/* P(X = k), multiplied up from the smaller side: no logarithms, no gamma functions. */
static double binomial(unsigned n, unsigned k, double p)
{
    double value = 1.0;
    for (unsigned i = 0; i < n; i++) {
        value *= i < k ? p * (double)(n - i) / (double)(k - i) : 1.0 - p;
    }
    return value;
}

/* Tails are sums of binomial probabilities; that far out, a relative error of 1e-10. */
TEST(the_beta_function_is_a_binomial_tail)
{
    for (unsigned n = 1; n <= 60; n += 7) {
        for (unsigned k = 1; k <= n; k++) {
            for (double p = 0.03; p < 1.0; p += 0.11) {
                double tail = 0.0;
                for (unsigned i = k; i <= n; i++) {
                    tail += binomial(n, i, p);
                }
                assert_near(lotor_beta_below(p, k, n - k + 1.0), tail, 1e-12 + 1e-10 * tail);
            }
        }
    }
}

/* The classical table (two-sided 95%), and the ends, which are powers. */
TEST(bounds_are_those_of_the_tables)
{
    assert_near(lotor_proportion_low(5, 10, 0.025), 0.18708602844739855, 1e-10);
    assert_near(lotor_proportion_high(5, 10, 0.025), 0.81291397155260145, 1e-10);
    assert_near(lotor_proportion_low(1, 10, 0.025), 0.0025285785444617869, 1e-10);
    assert_near(lotor_proportion_high(1, 10, 0.025), 0.44501611702, 1e-9);
    for (uint64_t n = 1; n <= 1000000; n *= 10) {
        const double power = exp(log(1e-8) / (double)n);
        assert_true(lotor_proportion_low(0, n, 1e-8) == 0.0);
        assert_true(lotor_proportion_high(n, n, 1e-8) == 1.0);
        assert_near(lotor_proportion_low(n, n, 1e-8), power, 1e-10);
        assert_near(lotor_proportion_high(0, n, 1e-8), 1.0 - power, 1e-10);
    }
}

/* The bound is where the tail is exactly `miss`, also far out and for a million trials. */
TEST(bounds_invert_the_tail)
{
    static const uint64_t sizes[] = {3, 100, 50000, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t n = sizes[i];
        for (uint64_t k = 1; k < n; k += 1 + n / 5) {
            for (double miss = 0.3; miss > 1e-12; miss *= 1e-3) {
                const double low = lotor_proportion_low(k, n, miss);
                const double high = lotor_proportion_high(k, n, miss);
                const double a = (double)k, b = (double)(n - k);
                assert_near(lotor_beta_below(low, a, b + 1.0) / miss, 1.0, 1e-6);
                assert_near(lotor_beta_below(1.0 - high, b, a + 1.0) / miss, 1.0, 1e-6);
                assert_true(low < a / (a + b) && a / (a + b) < high);
            }
        }
    }
}

/* For every probability on a grid, all outcomes with a wrong bound have together at most
 * probability `miss`. This is exact, without sampling. The bound is also not too loose: somewhere
 * on the grid more than half of `miss` is used (the grid is too coarse for the smallest). */
TEST(bounds_fail_no_more_often_than_they_say)
{
    static const double misses[] = {0.2, 0.05, 0.001};
    for (size_t m = 0; m < 3; m++) {
        for (unsigned n = 1; n <= 40; n += 3) {
            double low[41], high[41], worst = 0.0;
            for (unsigned k = 0; k <= n; k++) {
                low[k] = lotor_proportion_low(k, n, misses[m]);
                high[k] = lotor_proportion_high(k, n, misses[m]);
            }
            for (double p = 0.0005; p < 1.0; p += 0.001) {
                double too_high = 0.0, too_low = 0.0;
                for (unsigned k = 0; k <= n; k++) {
                    too_high += low[k] > p ? binomial(n, k, p) : 0.0;
                    too_low += high[k] < p ? binomial(n, k, p) : 0.0;
                }
                assert_true(too_high <= misses[m] * (1.0 + 1e-9));
                assert_true(too_low <= misses[m] * (1.0 + 1e-9));
                worst = fmax(worst, fmax(too_high, too_low));
            }
            assert_true(worst > 0.5 * misses[m] || m == 2);
        }
    }
}
