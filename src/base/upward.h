/* upward.h - sums and products of doubles, rounded up.
 *
 * The rounding error of a sum or a product is itself a double, so the code can look at its sign.
 * The result is never below the true value.
 */
#ifndef LOTOR_BASE_UPWARD_H
#define LOTOR_BASE_UPWARD_H

#include <math.h>
#include <stdbool.h>

/* The least double that is not below a + b; a, b >= 0. */
static inline double add_up(double a, double b)
{
    const double sum = a + b;
    if (isinf(sum)) {
        return sum;
    }
    const double part = sum - a;
    const double error = (a - (sum - part)) + (b - part);
    return error > 0.0 ? nextafter(sum, INFINITY) : sum;
}

/* A double that is not below a * b, the least one unless the product is tiny; a, b >= 0. */
static inline double multiply_up(double a, double b)
{
    if (a == 0.0 || b == 0.0) {
        return 0.0; /* also if the other factor is infinite */
    }
    const double product = a * b;
    if (isinf(product)) {
        return product;
    }
    /* Below 1e-280 the error itself would be rounded. */
    const bool is_low = product < 1e-280 || fma(a, b, -product) > 0.0;
    return is_low ? nextafter(product, INFINITY) : product;
}

#endif
