/* arithmetic.h - rounding towards the weaker claim, and looking for where a condition turns.
 *
 * Sums and products are rounded up exactly: base/upward.h. Results of exp and log get a relative
 * slack instead, which is far above the error of the formulas here (measured below 1e-11) and far
 * below what anyone can notice.
 */
#ifndef LOTOR_PRIVACY_ACCOUNT_ARITHMETIC_H
#define LOTOR_PRIVACY_ACCOUNT_ARITHMETIC_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/upward.h"

#define LOTOR_ACCOUNT_SLACK 1e-9

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
