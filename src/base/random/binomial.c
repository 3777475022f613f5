/* binomial.c - the binomial law for any n and p, in constant expected time.
 *
 * p <= 1/2; for larger p the failures are counted. If the mean is below 10, inversion adds up
 * probabilities from 0. Above, Hörmann's transformed rejection with squeeze is used (1993,
 * algorithm BTRS). For n up to 2^64 a double can't hold the count exactly. So a count is stored as
 * an exact integer distance from the mode. The logarithm of a probability follows Loader (2000),
 * who uses only small terms:
 *
 *      k! = k^k exp(-k) exp(rest(k))
 *      log P(k) = rest(n) - rest(k) - rest(n - k) - np phi((k - np)/np) - nq phi((np - k)/nq)
 *      phi(t) = (1 + t) log(1 + t) - t = t^2/2 - t^3/6 + t^4/12 - ...
 */
#include <stdbool.h>

#include "base/random/laws.h"

static const double least_rejection_mean = 10; /* Hörmann's bound */

/* log k! - k log k + k, for whole k >= 0. */
static double factorial_rest(double k)
{
    static const double factorial[] = {
        1,     1,      2,       6,        24,        120,        720,         5040,
        40320, 362880, 3628800, 39916800, 479001600, 6227020800, 87178291200, 1307674368000};
    static const double half_log_two_pi = 0.91893853320467274178;

    if (k < 1) {
        return 0;
    }
    if (k < 16) {
        return log(factorial[(int)k]) - k * log(k) + k;
    }
    const double inverse = 1 / k;
    const double square = inverse * inverse;
    const double series =
        1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680)));
    return half_log_two_pi + log(k) / 2 + inverse * series;
}

/* (1 + t) log(1 + t) - t for t >= -1, without cancellation near 0. */
static double phi(double t)
{
    if (t <= -1) {
        return 1;
    }
    if (fabs(t) > 0.1) {
        return (1 + t) * log1p(t) - t;
    }
    double power = t * t;
    double sum = power / 2;
    for (int j = 3; j < 20; j++) {
        power *= -t;
        const double next = sum + power / (double)(j * (j - 1));
        if (next == sum) {
            break;
        }
        sum = next;
    }
    return sum;
}

typedef struct binomial {
    uint64_t n;
    uint64_t mode;    /* floor((n + 1) p) */
    double above;     /* np - mode, in (-1, 1) */
    double successes; /* np */
    double failures;  /* n(1 - p) */
} binomial;

/* Computes the mode, and the distance of the mean from it, exactly: p = mantissa 2^-shift, and
 * (n + 1) mantissa fits 117 bits. */
static binomial describe(uint64_t n, double p)
{
    int exponent;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(p, &exponent), 53);
    const int shift = 53 - exponent; /* p <= 1/2: at least 53; np >= 10: at most 113 */
    const unsigned __int128 product = ((unsigned __int128)n + 1) * mantissa;
    const unsigned __int128 part = product & (((unsigned __int128)1 << shift) - 1);

    return (binomial){
        .n = n,
        .mode = (uint64_t)(product >> shift),
        .above = ldexp((double)part, -shift) - p,
        .successes = (double)n * p,
        .failures = (double)n * (1 - p),
    };
}

/* log P(mode + distance), up to a constant. */
static double log_mass(const binomial *law, double distance)
{
    const double from_mean = distance - law->above;
    const double k = (double)law->mode + distance;
    const double rest = (double)(law->n - law->mode) - distance;

    return -factorial_rest(k) - factorial_rest(rest) -
           law->successes * phi(from_mean / law->successes) -
           law->failures * phi(-from_mean / law->failures);
}

static bool in_range(const binomial *law, double distance)
{
    if (!(fabs(distance) < 0x1p62)) {
        return false;
    }
    return distance < 0 ? (uint64_t)-distance <= law->mode
                        : (uint64_t)distance <= law->n - law->mode;
}

/* Algorithm BTRS; the variables are named as in the paper. */
static uint64_t by_rejection(lotor_generator *generator, uint64_t n, double p)
{
    const binomial law = describe(n, p);
    const double deviation = sqrt(law.successes * (1 - p));
    const double b = 1.15 + 2.53 * deviation;
    const double a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double v_r = 0.92 - 4.2 / b;
    const double alpha = (2.83 + 5.1 / b) * deviation;

    for (;;) {
        const double u = lotor_random_uniform(generator) - 0.5;
        const double v = lotor_random_uniform(generator);
        const double us = 0.5 - fabs(u);
        const double distance = floor((2 * a / us + b) * u + law.above + 0.5);
        if (!in_range(&law, distance)) {
            continue;
        }
        const bool inside_squeeze = us >= 0.07 && v <= v_r;
        if (inside_squeeze ||
            log(v * alpha / (a / (us * us) + b)) <= log_mass(&law, distance) - log_mass(&law, 0)) {
            return law.mode + (uint64_t)(int64_t)distance; /* unsigned wraparound is intended */
        }
    }
}

/* For a mean below 10. If rounding leaves the sum below u (1 time in 2^50), it starts again. */
static uint64_t by_inversion(lotor_generator *generator, uint64_t n, double p)
{
    enum { MOST = 200 }; /* P(more than 200) < 1e-180 */
    const double none = exp((double)n * log1p(-p));
    const double odds = p / (1 - p);

    for (;;) {
        double u = lotor_random_uniform(generator);
        double mass = none;
        for (uint64_t k = 0; k <= n && k < MOST; k++) {
            if (u <= mass) {
                return k;
            }
            u -= mass;
            mass *= (double)(n - k) * odds / (double)(k + 1);
        }
    }
}

uint64_t lotor_random_binomial(lotor_generator *generator, uint64_t n, double p)
{
    if (n == 0 || !(p > 0)) {
        return 0;
    }
    if (p >= 1) {
        return n;
    }
    const bool flip = p > 0.5;
    const double rarer = flip ? 1 - p : p; /* exact in both cases */
    const uint64_t count = (double)n * rarer < least_rejection_mean
                               ? by_inversion(generator, n, rarer)
                               : by_rejection(generator, n, rarer);
    return flip ? n - count : count;
}
