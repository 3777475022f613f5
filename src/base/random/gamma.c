/* gamma.c - the gamma law (Marsaglia and Tsang 2000), and the beta law from two of its draws.
 *
 * For shape a >= 1, let d = a - 1/3 and x standard normal: then d (1 + x/sqrt(9 d))^3 is nearly
 * gamma. A rejection step, which seldom rejects, makes it exact. For shape a < 1, a draw of shape a
 * + 1 is multiplied by U^(1/a) = exp(-E/a), E exponential. For tiny a the product is too small for
 * a double, so a beta draw G/(G + H) is computed from the logarithms:
 *
 *      1/(1 + exp(log H - log G))
 */
#include <stdbool.h>

#include "base/random/laws.h"

/* Shape at least 1. */
static double gamma_large(lotor_generator *generator, double shape)
{
    const double d = shape - 1.0 / 3;
    const double c = 1 / sqrt(9 * d);

    for (;;) {
        const double x = lotor_random_gaussian(generator);
        const double root = 1 + c * x;
        if (root <= 0) {
            continue;
        }
        const double v = root * root * root;
        const double u = lotor_random_uniform(generator);
        const bool inside_squeeze = u < 1 - 0.0331 * (x * x) * (x * x);
        if (inside_squeeze || log(u) < x * x / 2 + d * (1 - v + log(v))) {
            return d * v;
        }
    }
}

double lotor_random_gamma(lotor_generator *generator, double shape)
{
    if (!(shape < 1)) {
        return gamma_large(generator, shape);
    }
    const double boosted = gamma_large(generator, shape + 1);
    return boosted * exp(-lotor_random_exponential(generator, 1) / shape);
}

double lotor_random_beta(lotor_generator *generator, double a, double b)
{
    if (a >= 1 && b >= 1) {
        const double first = gamma_large(generator, a);
        return 1 / (1 + gamma_large(generator, b) / first);
    }
    const double first = gamma_large(generator, a < 1 ? a + 1 : a);
    const double second = gamma_large(generator, b < 1 ? b + 1 : b);
    const double first_boost = a < 1 ? lotor_random_exponential(generator, 1) : 0;
    const double second_boost = b < 1 ? lotor_random_exponential(generator, 1) : 0;

    /* first_boost/a - second_boost/b could be inf - inf: divide by the smaller shape last. */
    const double smaller = a < b ? a : b;
    const double boost = first_boost * (smaller / a) - second_boost * (smaller / b);
    return 1 / (1 + exp(log(second / first) + boost / smaller));
}
