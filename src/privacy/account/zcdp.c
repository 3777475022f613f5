/* zcdp.c - zero-concentrated differential privacy (Bun and Steinke 2016) and its conversion to
 * (epsilon, delta).
 *
 * rho-zCDP implies, for every order alpha > 1 (Canonne, Kamath and Steinke 2020),
 *
 *     delta(epsilon) = e^((alpha-1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha / (alpha-1).
 *
 * With t = alpha - 1 its logarithm is
 *
 *     t ((t+1) rho - epsilon) - t log(1 + 1/t) - log(1 + t)
 *
 * The derivative, (2t+1) rho - epsilon - log(1 + 1/t), grows with t, so there is one root and one
 * minimum. Every order gives a valid delta. If the order is a little off, delta is only a little
 * larger than necessary.
 */
#include <assert.h>
#include <float.h>
#include <math.h>

#include <lotor/account.h>

#include "base/message.h"
#include "privacy/account/arithmetic.h"
#include "privacy/account/budget.h"

static const double LEAST = 1e-300, MOST = 1e300; /* the range of orders, rhos and epsilons */

typedef struct point {
    double rho;
    double epsilon;
    double delta;
} point;

static bool is_past_minimum(double t, const void *context)
{
    const point *at = context;
    return (2.0 * t + 1.0) * at->rho - at->epsilon - log1p(1.0 / t) > 0.0;
}

/* delta at the best order, with slack. rho and epsilon must be finite, and rho > 0. If exp
 * underflows, the result is not 0, because 0 is not proved. */
static double proved_delta(double rho, double epsilon)
{
    assert(rho > 0.0 && isfinite(rho) && epsilon >= 0.0 && isfinite(epsilon));
    const point at = {rho, epsilon, 0.0};
    double before = LEAST, t = MOST;
    find_turn(is_past_minimum, &at, &before, &t);
    const double value = t * ((t + 1.0) * rho - epsilon) - t * log1p(1.0 / t) - log1p(t);
    const double rounded = value * (1.0 - LOTOR_ACCOUNT_SLACK * 1e-3) + LOTOR_ACCOUNT_SLACK;
    return isnan(rounded) || rounded > 0.0 ? 1.0 : fmax(exp(rounded), DBL_MIN);
}

double lotor_account_zcdp_of_gaussian(double sensitivity, double sigma)
{
    if (isnan(sensitivity) || isnan(sigma) || sensitivity < 0.0 || sigma < 0.0) {
        return INFINITY;
    }
    if (sensitivity == 0.0) {
        return 0.0;
    }
    if (isinf(sigma)) {
        return isinf(sensitivity) ? INFINITY : 0.0;
    }
    double ratio = sensitivity / sigma; /* rounded up below, and never 0 */
    if (fma(ratio, sigma, -sensitivity) < 0.0 || ratio == 0.0) {
        ratio = nextafter(ratio, INFINITY);
    }
    return isnan(ratio) ? INFINITY : fmax(multiply_up(ratio, ratio) / 2.0, DBL_MIN);
}

double lotor_account_zcdp_of_pure(double epsilon)
{
    return isnan(epsilon) || epsilon < 0.0 ? INFINITY : multiply_up(epsilon, epsilon) / 2.0;
}

lotor_status lotor_account_zcdp_delta(double rho, double epsilon, lotor_message *why, double *delta)
{
    lotor_status status = lotor_account_check_size("rho", rho, why);
    if (status == LOTOR_OK) {
        status = lotor_account_check_size("epsilon", epsilon, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (rho == 0.0 || isinf(epsilon)) {
        *delta = 0.0;
    } else if (isinf(rho)) {
        *delta = 1.0;
    } else {
        *delta = proved_delta(rho, epsilon);
    }
    return LOTOR_OK;
}

static bool is_large_epsilon(double epsilon, const void *context)
{
    const point *at = context;
    return proved_delta(at->rho, epsilon) <= at->delta;
}

lotor_status lotor_account_zcdp_epsilon(double rho, double delta, lotor_message *why,
                                        double *epsilon)
{
    lotor_status status = lotor_account_check_size("rho", rho, why);
    if (status == LOTOR_OK) {
        status = lotor_account_check_share("delta", delta, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const point at = {.rho = rho, .delta = delta};
    double before = LEAST, after = MOST;
    if (rho == 0.0 || delta == 1.0) {
        *epsilon = 0.0;
    } else if (isinf(rho) || !is_large_epsilon(after, &at)) {
        *epsilon = INFINITY; /* also at delta = 0: no finite epsilon is proved */
    } else if (is_large_epsilon(0.0, &at)) {
        *epsilon = 0.0;
    } else {
        find_turn(is_large_epsilon, &at, &before, &after);
        *epsilon = after;
    }
    return LOTOR_OK;
}

static bool is_large_rho(double rho, const void *context)
{
    const point *at = context;
    return proved_delta(rho, at->epsilon) > at->delta;
}

lotor_status lotor_account_zcdp_rho(lotor_budget budget, lotor_message *why, double *rho)
{
    const lotor_status status = lotor_account_check(budget, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (isinf(budget.epsilon) || budget.delta == 1.0) {
        *rho = INFINITY;
        return LOTOR_OK;
    }
    const point at = {.epsilon = budget.epsilon, .delta = budget.delta};
    double before = LEAST, after = MOST;
    if (is_large_rho(before, &at)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "delta is %g: no Gaussian noise reaches that, expected more than 0",
                          budget.delta);
    }
    if (is_large_rho(after, &at)) {
        find_turn(is_large_rho, &at, &before, &after);
        *rho = before;
    } else {
        *rho = after;
    }
    return LOTOR_OK;
}
