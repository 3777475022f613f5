/* arithmetic.h - rounding towards the weaker claim, and bisection.
 *
 * Sums and products are rounded up exactly (base/upward.h). Results of exp and log get a relative
 * slack instead. The slack is far above the error of the formulas here (measured below 1e-11) and
 * too small to be noticed.
 */
#ifndef LOTOR_PRIVACY_ACCOUNT_ARITHMETIC_H
#define LOTOR_PRIVACY_ACCOUNT_ARITHMETIC_H

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/upward.h"

#define LOTOR_ACCOUNT_SLACK 1e-9

/* A condition that is false below some point and true above it. */
typedef bool turning_condition(double at, const void *context);

/* Finds the two neighbouring doubles between which the condition becomes true: it is false at
 * *before and true at *after. (If rounding makes the condition waver, the doubles are nearby.) On
 * entry 0 < *before < *after must hold, with the condition false at *before and true at *after. */
static inline void find_turn(turning_condition *holds, const void *context, double *before,
                             double *after)
{
    assert(*before > 0.0 && *before < *after);
    while (true) {
        /* The geometric mean while they are far apart, so that the size of the result does not
         * matter. */
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
