/* discrete.c - the geometric law and the discrete Gaussian, in doubles.
 *
 * Geometric: the whole part of an exponential draw. Discrete Gaussian: a discrete Laplace draw y of
 * scale t = floor(sigma) + 1, kept with probability exp(-(|y| - sigma^2/t)^2/(2 sigma^2)) (Canonne,
 * Kamath and Steinke 2020, algorithm 3). The exact samplers for releases are in privacy/noise.
 */
#include "base/random/laws.h"

uint64_t lotor_random_geometric(lotor_generator *generator, double p)
{
    const double failures = lotor_random_exponential(generator, 1) / -log1p(-p);

    return failures < 0x1p64 ? (uint64_t)failures : UINT64_MAX;
}

int64_t lotor_random_discrete_gaussian(lotor_generator *generator, double sigma)
{
    const double scale = floor(sigma) + 1;

    for (;;) {
        const int64_t value = lotor_random_discrete_laplace(generator, scale);
        const double distance = fabs((double)value) / sigma - sigma / scale;
        const double exponent = distance * distance / 2;
        const double u = lotor_random_uniform(generator);
        if (u < 1 - exponent) { /* 1 - x <= exp(-x): most draws need no exp() */
            return value;
        }
        if (!(u > exp(-exponent))) { /* this form also ends the loop if sigma is NaN */
            return value;
        }
    }
}
