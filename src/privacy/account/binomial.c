/* binomial.c - binomial probabilities by the saddle-point method (Loader 2000).
 *
 * Computing log C(n,k) from three log-gammas of size 1e7 would lose 9 of 16 digits. Loader's form
 * has no large terms that cancel. Stirling's formula for all three factorials gives
 *
 *   P(k) = sqrt(n / (2 pi k (n-k))) exp(c(n) - c(k) - c(n-k) - D(k, np) - D(n-k, nq))
 *
 * where c(m) is the error of Stirling's formula, and D(x, m) = x log(x/m) + m - x.
 */
#include "privacy/account/binomial.h"

#include <assert.h>
#include <math.h>

#define TWO_PI 6.283185307179586476925286766559

/* log(n!) - log(sqrt(2 pi n) (n/e)^n) for whole n >= 1. */
static double stirling_error(double n)
{
    if (n < 16.0) {
        return lgamma(n + 1.0) - (n + 0.5) * log(n) + n - 0.5 * log(TWO_PI);
    }
    /* the series 1/12n - 1/360n^3 + 1/1260n^5 - 1/1680n^7: the next term is below 2e-14 */
    const double square = n * n;
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / (1680 * square)) / square) / square) / n;
}

/* x log(x/m) + m - x for x, m > 0. Near x = m this is m times the series of (1+u) log(1+u) - u in u
 * = (x-m)/m, that is u^2/2 - u^3/6 + u^4/12 - ... */
static double deviance(double x, double m)
{
    const double u = (x - m) / m;
    if (fabs(u) > 0.1) {
        return x * log(x / m) + m - x;
    }
    double sum = 0.0, power = u * u;
    for (int order = 2; order < 24; order++) {
        sum += power / (order * (order - 1));
        power *= -u;
    }
    return m * sum;
}

double lotor_account_log_binomial(double count, double trials, double p, double q, double log_q)
{
    assert(count >= 0.0 && count < trials && p >= 0.0 && p <= 1.0 && q >= 0.0 && q <= 1.0);
    if (count == 0.0) {
        return trials * log_q;
    }
    const double others = trials - count;
    return stirling_error(trials) - stirling_error(count) - stirling_error(others) -
           deviance(count, trials * p) - deviance(others, trials * q) +
           0.5 * log(trials / (TWO_PI * count * others));
}
