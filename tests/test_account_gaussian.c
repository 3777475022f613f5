/* test_account_gaussian.c - zCDP and the Gaussian mechanism: conversions, limits, inverses.
 *
 * Golden values as in test_account.c: computed without the library, with more digits.
 */
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <lotor/account.h>

#define TOLERANCE   3e-9
#define LAST_DIGITS 1e-13

/* Expects the golden value, or a value a little above it. */
static void is_just_above(double value, double golden)
{
    if (!(value >= golden * (1.0 - LAST_DIGITS) && value <= golden * (1.0 + TOLERANCE))) {
        fail_msg("%.17g, expected %.17g or a little above", value, golden);
    }
}

static double zcdp_delta(double rho, double epsilon)
{
    double delta;
    assert_int_equal(lotor_account_zcdp_delta(rho, epsilon, NULL, &delta), LOTOR_OK);
    return delta;
}

static double zcdp_epsilon(double rho, double delta)
{
    double epsilon;
    assert_int_equal(lotor_account_zcdp_epsilon(rho, delta, NULL, &epsilon), LOTOR_OK);
    return epsilon;
}

static double zcdp_rho(double epsilon, double delta)
{
    double rho;
    const lotor_budget budget = {epsilon, delta};
    assert_int_equal(lotor_account_zcdp_rho(budget, NULL, &rho), LOTOR_OK);
    return rho;
}

static double gaussian_delta(double sensitivity, double sigma, double epsilon)
{
    double delta;
    assert_int_equal(lotor_account_gaussian_delta(sensitivity, sigma, epsilon, NULL, &delta),
                     LOTOR_OK);
    return delta;
}

static double gaussian_sigma(double sensitivity, double epsilon, double delta)
{
    double sigma;
    const lotor_budget budget = {epsilon, delta};
    assert_int_equal(lotor_account_gaussian_sigma(sensitivity, budget, NULL, &sigma), LOTOR_OK);
    return sigma;
}

TEST(zcdp_meets_its_formula)
{
    static const double golden[][3] = {
        {0.5, 1.0, 0.24684633078294448},     {0.1, 2.0, 4.3252108690925582e-6},
        {0.01, 1.0, 1.6641139773879945e-13}, {1.0, 10.0, 1.1714172313952303e-10},
        {0.02, 0.0, 0.12090272035791454},
    };
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        is_just_above(zcdp_delta(golden[i][0], golden[i][1]), golden[i][2]);
    }
    assert_true(lotor_account_zcdp_of_gaussian(1.0, 1.0) == 0.5);
    assert_true(lotor_account_zcdp_of_gaussian(3.0, 2.0) == 1.125);
    assert_true(lotor_account_zcdp_of_pure(0.5) == 0.125);
}

TEST(zcdp_is_never_below_the_exact_gaussian)
{
    for (double rho = 1e-9; rho < 1e3; rho *= 3.0) {
        for (double epsilon = 0.0; epsilon < 100.0; epsilon = epsilon * 2.0 + 0.01) {
            const double exact = gaussian_delta(1.0, sqrt(0.5 / rho), epsilon);
            assert_true(zcdp_delta(rho, epsilon) >= exact * (1.0 - 2e-9));
        }
    }
    /* The bound is also close: the sigma at (1, 1e-5) is 8.4% above the analytic one. */
    const double ratio = sqrt(0.5 / zcdp_rho(1.0, 1e-5)) / gaussian_sigma(1.0, 1.0, 1e-5);
    assert_true(ratio > 1.07 && ratio < 1.09);
}

TEST(zcdp_conversions_are_inverse)
{
    for (double epsilon = 1e-3; epsilon < 600.0; epsilon *= 3.0) {
        for (double delta = 1e-30; delta < 0.9; delta *= 1e3) {
            const double rho = zcdp_rho(epsilon, delta);
            assert_true(rho > 0.0);
            assert_true(zcdp_delta(rho, epsilon) <= delta); /* without any tolerance */
            assert_true(zcdp_delta(rho * (1.0 + 1e-7), epsilon) > delta);
            const double back = zcdp_epsilon(rho, delta);
            assert_true(zcdp_delta(rho, back) <= delta);
            assert_true(fabs(back - epsilon) < 1e-9 * (1.0 + epsilon));
            /* the simple bound of Bun and Steinke, Proposition 1.3, is weaker */
            assert_true(back <= rho + 2.0 * sqrt(rho * -log(delta)));
        }
    }
}

TEST(zcdp_is_monotone)
{
    for (double at = 1e-6; at < 1e3; at *= 1.5) {
        const double more = at * 1.5;
        assert_true(zcdp_delta(more, 1.0) >= zcdp_delta(at, 1.0));
        assert_true(zcdp_delta(0.5, more) <= zcdp_delta(0.5, at));
        assert_true(zcdp_epsilon(more, 1e-6) >= zcdp_epsilon(at, 1e-6));
        assert_true(zcdp_rho(more, 1e-6) > zcdp_rho(at, 1e-6));
        assert_true(zcdp_epsilon(0.1, at / 1e4) >= zcdp_epsilon(0.1, more / 1e4));
        assert_true(zcdp_rho(1.0, at / 1e4) < zcdp_rho(1.0, more / 1e4));
    }
}

TEST(zcdp_has_ends)
{
    assert_true(zcdp_delta(0.0, 1.0) == 0.0);
    assert_true(zcdp_delta(1.0, INFINITY) == 0.0);
    assert_true(zcdp_delta(INFINITY, 1.0) == 1.0);
    assert_true(zcdp_delta(1e-6, 1.0) > 0.0); /* about e^-250000: too small for a double, not 0 */
    assert_true(zcdp_epsilon(0.0, 0.0) == 0.0);
    assert_true(isinf(zcdp_epsilon(1.0, 0.0)));
    assert_true(isinf(zcdp_epsilon(INFINITY, 0.5)));
    assert_true(zcdp_epsilon(1.0, 1.0) == 0.0);
    assert_true(isinf(zcdp_rho(INFINITY, 0.0)));
    assert_true(isinf(zcdp_rho(1.0, 1.0)));
    assert_true(isinf(lotor_account_zcdp_of_gaussian(1.0, 0.0)));
    assert_true(lotor_account_zcdp_of_gaussian(1.0, INFINITY) == 0.0);
    assert_true(lotor_account_zcdp_of_gaussian(0.0, 0.0) == 0.0);
    assert_true(isinf(lotor_account_zcdp_of_gaussian(NAN, 1.0)));
    assert_true(isinf(lotor_account_zcdp_of_gaussian(1.0, -1.0)));
    assert_true(isinf(lotor_account_zcdp_of_pure(-1.0)));
    assert_true(isinf(lotor_account_zcdp_of_pure(INFINITY)));
    assert_true(isinf(lotor_account_zcdp_of_pure(NAN)));
    assert_true(isinf(lotor_account_zcdp_of_gaussian(1.0, NAN)));
    assert_true(isinf(lotor_account_zcdp_of_gaussian(-1.0, 1.0)));
    assert_true(isinf(lotor_account_zcdp_of_gaussian(INFINITY, INFINITY)));
    /* The result is too small for a double, but must not be 0, which would claim too much. */
    assert_true(lotor_account_zcdp_of_gaussian(5e-324, 1e300) > 0.0);
}

/* s^2 / (2 sigma^2) is rounded up: the quotient is rounded up before it is squared. The division
 * rounds down about half of 1000 quotients by whole numbers. The reference is exact arithmetic in
 * long doubles. */
TEST(rho_is_never_below_its_formula)
{
    for (int sigma = 1; sigma <= 1000; sigma++) {
        const long double exact = 0.5L / ((long double)sigma * (long double)sigma);
        const double rho = lotor_account_zcdp_of_gaussian(1.0, (double)sigma);
        assert_true((long double)rho >= exact);
        assert_true((long double)rho <= exact * (1.0L + 1e-15L));
    }
}

TEST(the_gaussian_meets_its_formula)
{
    static const double golden[][3] = {
        {1.0, 1.0, 0.12693673750664395},  {4.0, 1.0, 2.9242721048564073e-6},
        {0.5, 0.0, 0.68268949213708590},  {2.0, 0.1, 0.15926050741399167},
        {0.1, 30.0, 0.97060185434685867}, {1.0, 5.0, 5.7937216919194941e-7},
    };
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        is_just_above(gaussian_delta(1.0, golden[i][0], golden[i][1]), golden[i][2]);
        is_just_above(gaussian_delta(8.0, 8.0 * golden[i][0], golden[i][1]), golden[i][2]);
    }
    /* At (1, 1e-5): sigma = 3.7306316 gives delta 1.000000155e-5, so the least is just above. */
    const double sigma = gaussian_sigma(1.0, 1.0, 1e-5);
    assert_true(sigma > 3.7306316 && sigma < 3.7306318);
}

TEST(sigma_gives_the_delta_asked_for)
{
    for (double delta = 1e-290; delta < 0.9; delta *= 1e10) {
        for (double epsilon = 1e-6; epsilon < 700.0; epsilon *= 5.0) {
            const double sigma = gaussian_sigma(2.5, epsilon, delta);
            const double back = gaussian_delta(2.5, sigma, epsilon);
            assert_true(fabs(back / delta - 1.0) < 1e-9);
        }
    }
    is_just_above(gaussian_delta(1.0, gaussian_sigma(1.0, 0.0, 0.01), 0.0), 0.01);
}

TEST(the_gaussian_is_monotone)
{
    for (double at = 1e-3; at < 1e4; at *= 1.4) {
        const double more = at * 1.4;
        assert_true(gaussian_delta(1.0, more, 0.5) <= gaussian_delta(1.0, at, 0.5));
        assert_true(gaussian_delta(more, 1.0, 0.5) >= gaussian_delta(at, 1.0, 0.5));
        assert_true(gaussian_delta(1.0, 0.7, more) <= gaussian_delta(1.0, 0.7, at));
        assert_true(gaussian_sigma(1.0, more, 1e-6) < gaussian_sigma(1.0, at, 1e-6));
        assert_true(gaussian_sigma(more, 1.0, 1e-6) > gaussian_sigma(at, 1.0, 1e-6));
    }
}

TEST(the_gaussian_has_ends)
{
    assert_true(gaussian_delta(0.0, 0.0, 0.0) == 0.0);
    assert_true(gaussian_delta(1.0, 0.0, 1.0) == 1.0);
    assert_true(gaussian_delta(1.0, INFINITY, 1.0) == 0.0);
    assert_true(gaussian_delta(1.0, 1.0, INFINITY) == 0.0);
    assert_true(gaussian_delta(1e300, 1e-300, 1.0) == 1.0);
    /* 1 - 1e-97: the noise gives almost no privacy */
    assert_true(gaussian_delta(1.0, 0.02, 200.0) == 1.0);
    assert_true(gaussian_delta(1.0, 0.013, 200.0) == 1.0);
    assert_true(gaussian_delta(1e-300, 1e300, 1.0) <= DBL_MIN);
    assert_true(gaussian_delta(1e150, 1e-150, 1e300) >= 0.0);
    assert_true(gaussian_delta(1.0, 1.0, 1e300) <= DBL_MIN);
    assert_true(gaussian_sigma(0.0, 1.0, 1e-6) == 0.0);
    assert_true(gaussian_sigma(1.0, INFINITY, 0.0) == 0.0);
    assert_true(gaussian_sigma(1.0, 1.0, 1.0) == 0.0);
}

/* (epsilon, delta)-DP is not "epsilon, except with probability delta" (account.md): with the noise
 * that zCDP needs for (1, 1e-5), the privacy loss, N(m^2/2, m^2) with m = sqrt(2 rho), is above 1
 * with probability 4.4e-5. The exact delta is below 1e-5. */
TEST(delta_is_not_the_probability_of_a_larger_loss)
{
    double rho, exact;
    assert_int_equal(lotor_account_zcdp_rho((lotor_budget){1.0, 1e-5}, NULL, &rho), LOTOR_OK);
    const double m = sqrt(2.0 * rho), above = 0.5 * erfc((1.0 / m - m / 2.0) / sqrt(2.0));
    assert_true(above > 4.3e-5 && above < 4.5e-5);
    assert_int_equal(lotor_account_gaussian_delta(m, 1.0, 1.0, NULL, &exact), LOTOR_OK);
    assert_true(exact < 1e-5);
}
