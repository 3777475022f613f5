/* arithmetic.h - rounding towards the weaker claim, and looking for where a condition turns.
 *
 * A sum or a product of doubles is rounded up exactly: its rounding error is itself a double, so
 * its sign can be seen. Results of exp and log get a relative slack instead, which is far above
 * the error of the formulas here (measured below 1e-11) and far below what anyone can notice.
 */
#ifndef LOTOR_PRIVACY_ACCOUNT_ARITHMETIC_H
#define LOTOR_PRIVACY_ACCOUNT_ARITHMETIC_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define LOTOR_ACCOUNT_SLACK 1e-9

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
        return 0.0; /* also when the other one is infinite: nothing, any number of times */
    }
    const double product = a * b;
    if (isinf(product)) {
        return product;
    }
    /* below 1e-280 the error itself would be rounded */
    const bool is_low = product < 1e-280 || fma(a, b, -product) > 0.0;
    return is_low ? nextafter(product, INFINITY) : product;
}

/* A condition that is false up to some point and true after it. */
typedef bool turning_condition(double at, const void *context);

/* The two neighbouring doubles between which it turns (or their neighbours, where rounding makes
 * it waver): false at *before, true at *after. Needs 0 < *before < *after, false and true there. */
static inline void find_turn(turning_condition *holds, const void *context, double *before,
                             double *after)
{
    while (true) {
        /* by ratio while they are far apart, so that the size of the answer does not matter */
        const bool far_apart = *after / 2.0 > *before;
        const double middle =
            far_apart ? sqrt(*before) * sqrt(*after) : *before + (*after - *before) / 2.0;
        if (middle <= *before || middle >= *after) {
            return;
        }
        *(holds(middle, context) ? after : before) = middle;
    }
}

#endif
