/* gaussian.c - the exact delta of the continuous Gaussian mechanism (Balle and Wang 2018).
 *
 * With m = sensitivity/sigma and z = epsilon/m - m/2,
 *
 *     delta = Phi(-z) - e^epsilon Phi(-z - m).
 *
 * If delta is small, the two terms nearly cancel, and e^epsilon overflows. But e^epsilon phi(z+m) =
 * phi(z) for the density phi, and Phi(-z)/phi(z) is the integral of e^(-zt - t^2/2) over t > 0
 * (Mills). So
 *
 *     delta = phi(z) * integral over t > 0 of e^(-zt - t^2/2) (1 - e^(-mt)) dt
 *
 * Here nothing cancels, and phi(z) can stay a logarithm. The integral is computed by the double
 * exponential rule t = e^(v - e^-v), which gives at least 13 digits with about 250 points.
 */
#include <assert.h>
#include <float.h>
#include <math.h>

#include <lotor/account.h>

#include "base/message.h"
#include "privacy/account/arithmetic.h"
#include "privacy/account/budget.h"

#define LOG_SQRT_TWO_PI 0.91893853320467274178032973640562

/* The logarithm of the integral over t > 0 of e^(-zt - t^2/2) (1 - e^(-mt)), for z >= -1 and m > 0;
 * m may be infinite. If z is large, lengths are measured in units of 1/z, because the integrand is
 * negligible beyond. */
static double log_integral(double z, double m)
{
    assert(z >= -1.0 && m > 0.0);
    const double unit = fmax(z, 1.0);
    const double step = 1.0 / 32.0;
    double sum = 0.0;
    for (int i = -128; i <= 128; i++) {
        const double v = i * step;
        const double opposite = exp(-v);
        const double u = exp(v - opposite); /* t times unit */
        const double t = u / unit;
        const double weight = u * (1.0 + opposite);
        sum += weight * exp(-z * t - t * t / 2.0) * -expm1(-m * t);
    }
    return log(sum * step / unit);
}

/* log delta at sigma = sensitivity/m, with slack: z is lowered by more than its rounding error. */
static double log_delta(double m, double epsilon)
{
    const double rounding = 0x1p-50 * (epsilon / m + m / 2.0);
    if (isinf(rounding)) {
        return m > 1.0 ? 0.0 : -INFINITY;
    }
    const double z = epsilon / m - m / 2.0 - rounding;
    if (z < -40.0) {
        return 0.0; /* delta is 1, up to 1e-300 */
    }
    const double log_density = -z * z / 2.0 - LOG_SQRT_TWO_PI;
    double value;
    if (z >= -1.0) {
        value = log_density + log_integral(z, m);
    } else {
        /* Phi(-z) > 0.84, and the second term is much smaller, because m > 2 here */
        const double second = exp(log_density + log_integral(z + m, INFINITY));
        value = log(0.5 * erfc(z * M_SQRT1_2) - second);
    }
    return fmin(0.0, value * (1.0 - LOTOR_ACCOUNT_SLACK * 1e-3) + LOTOR_ACCOUNT_SLACK);
}

lotor_status lotor_account_gaussian_delta(double sensitivity, double sigma, double epsilon,
                                          lotor_message *why, double *delta)
{
    lotor_status status = lotor_account_check_size("sensitivity", sensitivity, why);
    if (status == LOTOR_OK) {
        status = lotor_account_check_size("sigma", sigma, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_account_check_size("epsilon", epsilon, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const double m = sensitivity / sigma;
    if (sensitivity == 0.0 || isinf(epsilon)) {
        *delta = 0.0;
    } else if (isnan(m) || isinf(m)) {
        *delta = 1.0;
    } else if (m == 0.0) {
        *delta = isinf(sigma) ? 0.0 : DBL_MIN;
    } else {
        *delta = fmax(exp(log_delta(m, epsilon)), DBL_MIN); /* the true delta is never 0 */
    }
    assert(*delta >= 0.0 && *delta <= 1.0);
    return LOTOR_OK;
}

static bool is_enough_noise(double relative_sigma, const void *context)
{
    const lotor_budget *budget = context;
    return log_delta(1.0 / relative_sigma, budget->epsilon) <= log(budget->delta);
}

lotor_status lotor_account_gaussian_sigma(double sensitivity, lotor_budget budget,
                                          lotor_message *why, double *sigma)
{
    lotor_status status = lotor_account_check_size("sensitivity", sensitivity, why);
    if (status == LOTOR_OK) {
        status = lotor_account_check(budget, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (sensitivity == 0.0 || isinf(budget.epsilon) || budget.delta == 1.0) {
        *sigma = 0.0;
        return LOTOR_OK;
    }
    double before = 1e-150, after = 1e150;
    if (isinf(sensitivity) || budget.delta == 0.0 || !is_enough_noise(after, &budget)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "no Gaussian noise gives delta %g at sensitivity %g: expected a delta "
                          "above 0 and a finite sensitivity",
                          budget.delta, sensitivity);
    }
    if (is_enough_noise(before, &budget)) {
        after = before;
    } else {
        find_turn(is_enough_noise, &budget, &before, &after);
    }
    *sigma = multiply_up(sensitivity, after);
    return LOTOR_OK;
}
