/* verdict_parts.c - how a claim about measured numbers is judged.
 *
 * A claim about means is an inequality between them, and they are known up to their standard errors.
 * It holds, or does not, where the difference is more than two standard errors away from the
 * threshold (more with few runs, whose standard error is itself uncertain: Student's t, 95%); in
 * between it can't be checked. Points of different trials are independent, or lucky
 * together (see reproduce.c); so are those of one curve: to take them for independent makes the error of
 * a difference too large, if anything.
 *
 * Of one run no error is known. Then only a factor of ONE_RUN beyond the threshold decides: both runs
 * would have to be off by its root, in opposite directions. The factor is ours; it is said with every
 * finding that it decides.
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

/* Of several parts of one claim: one that fails decides, then one that can't be told. */
lotor_verdict lotor_verdict_worse(lotor_verdict one, lotor_verdict other)
{
    if (one == LOTOR_VERDICT_FAILS || other == LOTOR_VERDICT_FAILS) {
        return LOTOR_VERDICT_FAILS;
    }
    return one == LOTOR_VERDICT_HOLDS ? other : one;
}

/* How many standard errors a difference must be away: Student's t at 95%, both sides. From 11 runs on
 * 2 + 2.6/(runs - 1), which is never less. */
double lotor_verdict_errors_apart(uint64_t runs)
{
    static const double few[] = {12.71, 4.31, 3.19, 2.78, 2.58, 2.45, 2.37, 2.31, 2.27};
    const size_t known = sizeof few / sizeof *few;
    if (runs < 2) {
        return 2.0; /* no error is known, or it comes from a fit */
    }
    return runs - 2 < known ? few[runs - 2] : 2.0 + 2.6 / ((double)runs - 1.0);
}

/* Whether `margin` is at least 0 (or, where it must be, above), given its standard error. */
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

/* Whether it is known of one run at most; such means must be above 0 to be compared. */
static bool is_single(const lotor_point *point)
{
    return isnan(point->standard_error) && point->mean > 0.0;
}

lotor_verdict lotor_verdict_judge_single(double large, double small)
{
    return large >= ONE_RUN * small   ? LOTOR_VERDICT_HOLDS
           : small >= ONE_RUN * large ? LOTOR_VERDICT_FAILS
                                      : LOTOR_VERDICT_UNKNOWN;
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

/* What is to be said of findings from one run. */
const char *lotor_verdict_of_one_run(const lotor_point *one, const lotor_point *other)
{
    return is_single(one) || is_single(other)
               ? "; no error is known: a factor of " AS_TEXT(ONE_RUN) " decides"
               : "";
}
