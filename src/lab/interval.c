/* interval.c - see interval.h.
 *
 * I_x(a,b) is the power x^a (1-x)^b / (a B(a,b)) times a continued fraction (NIST DLMF 8.17.22).
 * The power is computed as a binomial density in Loader's form (2000). That form keeps all digits
 * for large a and b, where logarithms of gamma functions cancel.
 */
#include "lab/interval.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { MOST_STEPS = 100000 };

static const double HALF_LOG_TWO_PI = 0.918938533204672741780329736406;

/* log n! - log(sqrt(2 pi n) (n/e)^n), for real n > 0. */
static double stirling_error(double n)
{
    if (n < 16.0) {
        return lgamma(n + 1.0) - (n + 0.5) * log(n) + n - HALF_LOG_TWO_PI;
    }
    const double s = n * n;
    return (1.0 / 12.0 -
            (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / 1188.0 / s) / s) / s) / s) /
           n;
}

/* x log(x/m) + m - x, without cancellation where x is near m. */
static double deviance(double x, double m)
{
    if (fabs(x - m) >= 0.1 * (x + m)) {
        return x * log(x / m) + m - x;
    }
    const double v = (x - m) / (x + m);
    double sum = (x - m) * v, term = 2.0 * x * v;
    for (int j = 1; j < 1000; j++) {
        term *= v * v;
        const double next = sum + term / (2.0 * j + 1.0);
        if (next == sum) {
            break;
        }
        sum = next;
    }
    return sum;
}

/* log of x^a (1-x)^b / B(a,b). */
static double log_power(double x, double a, double b)
{
    const double n = a + b;
    const double density = stirling_error(n) - stirling_error(a) - stirling_error(b) -
                           deviance(a, n * x) - deviance(b, n * (1.0 - x));
    return density + 0.5 * (log(a) + log(b) - log(n)) - HALF_LOG_TWO_PI;
}

/* The continued fraction, by Lentz's method; it converges fast for x < (a+1)/(a+b+2). */
static double fraction(double x, double a, double b)
{
    const double tiny = DBL_MIN / DBL_EPSILON;
    double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
    d = 1.0 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m < MOST_STEPS; m++) {
        double change = 1.0;
        for (int odd = 0; odd < 2; odd++) {
            const double k = (double)m;
            const double step =
                odd ? -(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0))
                    : k * (b - k) * x / ((a + 2.0 * k - 1.0) * (a + 2.0 * k));
            d = 1.0 + step * d;
            d = 1.0 / (fabs(d) < tiny ? tiny : d);
            c = 1.0 + step / c;
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            value *= change;
        }
        if (fabs(change - 1.0) < 4.0 * DBL_EPSILON) {
            break;
        }
    }
    return value;
}

double lotor_beta_below(double x, double a, double b)
{
    if (!(x > 0.0)) {
        return 0.0;
    }
    if (!(x < 1.0)) {
        return 1.0;
    }
    const double power = exp(log_power(x, a, b));
    return x < (a + 1.0) / (a + b + 2.0) ? power * fraction(x, a, b) / a
                                         : 1.0 - power * fraction(1.0 - x, b, a) / b;
}

/* The x with I_x(a,b) = target, by bisection; rounded down or up to within an ulp or two. */
static double beta_quantile(double target, double a, double b, bool up)
{
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
        const double middle = 0.5 * (low + high);
        if (lotor_beta_below(middle, a, b) < target) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return up ? high : low;
}

double lotor_proportion_low(uint64_t k, uint64_t n, double miss)
{
    return k == 0 ? 0.0 : beta_quantile(miss, (double)k, (double)(n - k) + 1.0, false);
}

/* By symmetry with lotor_proportion_low: a lower bound for the failures. */
double lotor_proportion_high(uint64_t k, uint64_t n, double miss)
{
    return k == n ? 1.0 : 1.0 - beta_quantile(miss, (double)(n - k), (double)k + 1.0, false);
}
