/* verdict_parts.c - the statistics behind verdicts: decides claims about measured means.
 *
 * A claim is an inequality between means, which are known up to their standard errors. It holds, or
 * does not hold, if the difference is more than two standard errors away from the threshold. With
 * few runs more than two are needed, since the standard error itself is uncertain (Student's t,
 * 95%). In between, the claim can't be checked. Points of different trials are independent or
 * positively correlated (see reproduce.c), and so are those of one curve. Treating them as
 * independent makes the error of a difference too large, if anything.
 *
 * A single run has no standard error. Then a claim is decided only beyond the threshold by a factor
 * of ONE_RUN: both runs would have to be wrong by its root, in opposite directions. We chose this
 * factor; every finding that depends on it says so.
 */
#include "papers/verdict_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

lotor_finding lotor_verdict_found(lotor_verdict verdict, const char *format, ...)
{
    lotor_finding finding = {.verdict = verdict};
    va_list values;
    va_start(values, format);
    vsnprintf(finding.measured, sizeof finding.measured, format, values);
    va_end(values);
    return finding;
}

/* Combines parts of one claim: a part that fails decides; otherwise one that can't be checked
 * does. */
lotor_verdict lotor_verdict_worse(lotor_verdict one, lotor_verdict other)
{
    if (one == LOTOR_VERDICT_FAILS || other == LOTOR_VERDICT_FAILS) {
        return LOTOR_VERDICT_FAILS;
    }
    return one == LOTOR_VERDICT_HOLDS ? other : one;
}

/* How many standard errors a difference must be away: Student's t at 95%, two-sided. From 11 runs
 * on this is 2 + 2.6/(runs - 1), which is never less. */
double lotor_verdict_errors_apart(uint64_t runs)
{
    static const double few[] = {12.71, 4.31, 3.19, 2.78, 2.58, 2.45, 2.37, 2.31, 2.27};
    const size_t known = sizeof few / sizeof *few;
    if (runs < 2) {
        return 2.0; /* no error is known, or the error comes from a fit */
    }
    return runs - 2 < known ? few[runs - 2] : 2.0 + 2.6 / ((double)runs - 1.0);
}

/* Whether `margin` is at least 0 (above 0 if is_strict), given its standard error. */
lotor_verdict lotor_verdict_judge(double apart, double margin, double standard_error,
                                  bool is_strict)
{
    if (!isfinite(margin) || !isfinite(standard_error)) {
        return LOTOR_VERDICT_UNKNOWN;
    }
    const double noise = apart * standard_error;
    if (noise == 0.0) { /* exact numbers */
        return margin > 0.0 || (margin == 0.0 && !is_strict) ? LOTOR_VERDICT_HOLDS
                                                             : LOTOR_VERDICT_FAILS;
    }
    if (margin > noise) {
        return LOTOR_VERDICT_HOLDS;
    }
    return margin < -noise ? LOTOR_VERDICT_FAILS : LOTOR_VERDICT_UNKNOWN;
}

#define ONE_RUN         3
#define TEXT_OF(number) #number
#define AS_TEXT(number) TEXT_OF(number)

/* Whether a mean is of one run at most. Such means must be above 0 to be compared. */
static bool is_single(const lotor_point *point)
{
    return isnan(point->standard_error) && point->mean > 0.0;
}

lotor_verdict lotor_verdict_judge_single(double large, double small)
{
    if (large >= ONE_RUN * small) {
        return LOTOR_VERDICT_HOLDS;
    }
    return small >= ONE_RUN * large ? LOTOR_VERDICT_FAILS : LOTOR_VERDICT_UNKNOWN;
}

/* Whether times * small <= large. */
lotor_verdict lotor_verdict_is_below(double apart, const lotor_point *small, double times,
                                     const lotor_point *large, bool is_strict)
{
    if ((is_single(small) && large->mean > 0.0) || (is_single(large) && small->mean > 0.0)) {
        return lotor_verdict_judge_single(large->mean, times * small->mean);
    }
    return lotor_verdict_judge(apart, large->mean - times * small->mean,
                               hypot(large->standard_error, times * small->standard_error),
                               is_strict);
}

verdict_number lotor_verdict_show(const lotor_point *point)
{
    verdict_number shown;
    if (isnan(point->standard_error)) {
        snprintf(shown.text, sizeof shown.text, "%.4g (one run)", point->mean);
    } else if (point->standard_error == 0.0) {
        snprintf(shown.text, sizeof shown.text, "%.4g", point->mean);
    } else {
        snprintf(shown.text, sizeof shown.text, "%.4g +- %.2g", point->mean, point->standard_error);
    }
    return shown;
}

/* The remark for findings from one run. */
const char *lotor_verdict_of_one_run(const lotor_point *one, const lotor_point *other)
{
    return is_single(one) || is_single(other)
               ? "; no error is known: a factor of " AS_TEXT(ONE_RUN) " decides"
               : "";
}
