/* verdict.c - decides from the points whether a claim holds: see reproduce.h.
 *
 * A claim about means is an inequality between them. The means are known up to their standard
 * errors. A claim is decided only if the difference is more than two standard errors away from the
 * threshold. With few runs the standard error is itself uncertain, and the distance must be larger:
 * Student's t, 95%. Otherwise the claim can't be checked.
 *
 * The errors of different points are treated as independent. Points of different experiments are
 * independent or positively correlated (see reproduce.c), and so are the points of one curve. So
 * the error of a difference is at most overestimated.
 *
 * One run has no known error. Then only a factor of ONE_RUN beyond the threshold decides: both runs
 * would have to be off by the square root of that factor, in opposite directions. We chose the
 * factor ourselves. Every finding that depends on it says so.
 */
#include "papers/reproduce.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "papers/verdict_fit.h"
#include "policy/catalog.h"

/* --- numbers with errors ------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static lotor_figure_finding found(lotor_verdict verdict,
                                                                        const char *format, ...)
{
    lotor_figure_finding finding = {.verdict = verdict};
    va_list values;
    va_start(values, format);
    vsnprintf(finding.measured, sizeof finding.measured, format, values);
    va_end(values);
    return finding;
}

/* The verdict of a claim with two parts: fails if one part fails, else unknown if one part is
 * unknown. */
static lotor_verdict worse(lotor_verdict one, lotor_verdict other)
{
    if (one == LOTOR_VERDICT_FAILS || other == LOTOR_VERDICT_FAILS) {
        return LOTOR_VERDICT_FAILS;
    }
    return one == LOTOR_VERDICT_HOLDS ? other : one;
}

/* The number of standard errors that a difference must be away from the threshold: Student's t at
 * 95%, two-sided. From 11 runs on, it is 2 + 2.6/(runs - 1), which is never less than Student's
 * t. */
static double errors_apart(uint64_t runs)
{
    static const double few[] = {12.71, 4.31, 3.19, 2.78, 2.58, 2.45, 2.37, 2.31, 2.27};
    const size_t known = sizeof few / sizeof *few;
    if (runs < 2) {
        return 2.0; /* no error is known, or it comes from a fit */
    }
    return runs - 2 < known ? few[runs - 2] : 2.0 + 2.6 / ((double)runs - 1.0);
}

/* Whether `margin` is at least 0 (if `is_strict`: above 0), given its standard error. */
static lotor_verdict judge(double apart, double margin, double standard_error, bool is_strict)
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

/* True for a point from a single run, which has no error. Its mean must be above 0 to be
 * compared. */
static bool is_single(const lotor_curve_point *point)
{
    return isnan(point->standard_error) && point->mean > 0.0;
}

static lotor_verdict judge_single(double large, double small)
{
    return large >= ONE_RUN * small   ? LOTOR_VERDICT_HOLDS
           : small >= ONE_RUN * large ? LOTOR_VERDICT_FAILS
                                      : LOTOR_VERDICT_UNKNOWN;
}

/* Whether times * small <= large. */
static lotor_verdict is_below(double apart, const lotor_curve_point *small, double times,
                              const lotor_curve_point *large, bool is_strict)
{
    if ((is_single(small) && large->mean > 0.0) || (is_single(large) && small->mean > 0.0)) {
        return judge_single(large->mean, times * small->mean);
    }
    return judge(apart, large->mean - times * small->mean,
                 hypot(large->standard_error, times * small->standard_error), is_strict);
}

/* "12.5 +- 0.3", or without the error if there is none. */
typedef struct verdict_number {
    char text[48];
} verdict_number;

static verdict_number show(const lotor_curve_point *point)
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

/* The remark that is added to findings from one run. */
static const char *remark_on_one_run(const lotor_curve_point *one, const lotor_curve_point *other)
{
    return is_single(one) || is_single(other)
               ? "; no error is known: a factor of " AS_TEXT(ONE_RUN) " decides"
               : "";
}

const char *lotor_verdict_name(lotor_verdict verdict)
{
    switch (verdict) {
    case LOTOR_VERDICT_HOLDS:
        return "holds";
    case LOTOR_VERDICT_FAILS:
        return "does not hold";
    case LOTOR_VERDICT_UNKNOWN:
        break;
    }
    return "cannot be checked";
}

static const lotor_curve_point *last_of(const lotor_series *series)
{
    return &series->points[series->count - 1];
}

/* --- two curves ------------------------------------------------------------------------------- */

static lotor_figure_finding compare_ends(double apart, const lotor_figure_check *check,
                                         const lotor_series *first, const lotor_series *second)
{
    const lotor_curve_point *one = last_of(first), *other = last_of(second);
    if (one->x != other->x) {
        return found(LOTOR_VERDICT_UNKNOWN, "%.60s ends at %.4g, %.60s at %.4g", first->label,
                     one->x, second->label, other->x);
    }
    lotor_verdict verdict;
    switch (check->kind) {
    case LOTOR_CHECK_TIMES_BETTER:
        verdict = is_below(apart, one, check->factor, other, false);
        break;
    case LOTOR_CHECK_BELOW:
        verdict = is_below(apart, one, 1.0, other, true);
        break;
    case LOTOR_CHECK_FAR:
        verdict = is_below(apart, other, check->factor, one, false);
        break;
    default: /* close: neither is more than factor times the other */
        verdict = worse(is_below(apart, one, 1.0 / check->factor, other, false),
                        is_below(apart, other, 1.0 / check->factor, one, false));
        break;
    }
    const bool inverted =
        check->kind == LOTOR_CHECK_TIMES_BETTER || check->kind == LOTOR_CHECK_BELOW;
    const double ratio = inverted ? other->mean / one->mean : one->mean / other->mean;
    if (!isfinite(ratio)) {
        return found(verdict, "%.50s: %s; %.50s: %s", first->label, show(one).text, second->label,
                     show(other).text);
    }
    return found(verdict,
                 inverted ? "%.50s: %s; %.50s: %s, %.3g times as much%s"
                          : "%.50s: %s; %.50s: %s; the first is %.3g times the second%s",
                 first->label, show(one).text, second->label, show(other).text, ratio,
                 remark_on_one_run(one, other));
}

/* The relative error of a ratio, to first order. */
static double ratio_error(const lotor_curve_point *one, const lotor_curve_point *other)
{
    return hypot(one->standard_error / one->mean, other->standard_error / other->mean);
}

static lotor_figure_finding compare_ratios(double apart, const lotor_series *first,
                                           const lotor_series *second)
{
    size_t i = 0, j = 0;
    /* Find the first x at which both are above 0. */
    while (i < first->count && j < second->count) {
        const lotor_curve_point *one = &first->points[i], *other = &second->points[j];
        if (one->x == other->x && one->mean > 0.0 && other->mean > 0.0) {
            break;
        }
        i += one->x <= other->x;
        j += other->x <= one->x;
    }
    const lotor_curve_point *one = last_of(first), *other = last_of(second);
    if (i >= first->count || j >= second->count || one->x != other->x ||
        first->points[i].x >= one->x || !(one->mean > 0.0 && other->mean > 0.0)) {
        return found(LOTOR_VERDICT_UNKNOWN, "%.60s and %.60s have no two places to compare",
                     first->label, second->label);
    }
    const lotor_curve_point *one_before = &first->points[i], *other_before = &second->points[j];
    const double before = other_before->mean / one_before->mean, after = other->mean / one->mean;
    const double error = hypot(ratio_error(one_before, other_before), ratio_error(one, other));
    const lotor_verdict verdict = isnan(error)
                                      ? judge_single(after, before)
                                      : judge(apart, log(after) - log(before), error, true);
    return found(verdict, "%.50s is %.3g times %.50s at %.4g, and %.3g times at %.4g%s",
                 second->label, before, first->label, one_before->x, after, one->x,
                 isnan(error) ? remark_on_one_run(one, other) : "");
}

static lotor_figure_finding compare_everywhere(double apart, double factor,
                                               const lotor_series *first,
                                               const lotor_series *second)
{
    lotor_verdict verdict = LOTOR_VERDICT_HOLDS;
    size_t places = 0, worst = 0;
    double least = INFINITY;
    for (size_t i = 0; i < first->count && i < second->count; i++) {
        const lotor_curve_point *one = &first->points[i], *other = &second->points[i];
        if (one->x != other->x) {
            return found(LOTOR_VERDICT_UNKNOWN, "%.60s and %.60s have different places",
                         first->label, second->label);
        }
        verdict = worse(verdict, is_below(apart, one, factor, other, false));
        places++;
        if (other->mean - factor * one->mean < least) {
            least = other->mean - factor * one->mean;
            worst = i;
        }
    }
    return found(verdict, "at %zu places; closest at %.4g: %.50s: %s; %.50s: %s", places,
                 first->points[worst].x, first->label, show(&first->points[worst]).text,
                 second->label, show(&second->points[worst]).text);
}

/* --- one curve -------------------------------------------------------------------------------- */

static lotor_figure_finding compare_sides(double apart, const lotor_series *series, bool rises)
{
    const lotor_curve_point *left = &series->points[0], *right = last_of(series);
    if (series->count < 2) {
        return found(LOTOR_VERDICT_UNKNOWN, "%.60s has one point only", series->label);
    }
    const lotor_verdict verdict =
        rises ? is_below(apart, left, 1.0, right, true) : is_below(apart, right, 1.0, left, true);
    return found(verdict, "%.60s: %s at %.4g, %s at %.4g%s", series->label, show(left).text,
                 left->x, show(right).text, right->x, remark_on_one_run(left, right));
}

/* Both ends are of the same runs, so their errors are strongly correlated. The regret of a run
 * never falls. So the increase in the last half is at least 0 in every run. The standard error of a
 * mean of such numbers is at most the mean itself (in the worst case one run has all of it). */
static lotor_verdict judge_sum(double apart, const lotor_curve_point *half,
                               const lotor_curve_point *end, double factor)
{
    const double added = end->mean - half->mean;
    const double error = fmin(added, hypot(half->standard_error, end->standard_error));
    return judge(apart, factor * half->mean - added, factor * half->standard_error + error, false);
}

static lotor_figure_finding check_levels(double apart, const lotor_series *series, double factor,
                                         bool is_sum)
{
    lotor_curve_point half;
    const lotor_curve_point *end = last_of(series);
    if (!lotor_series_at(series, end->x / 2.0, &half)) {
        return found(LOTOR_VERDICT_UNKNOWN, "%.60s does not reach back to half its length",
                     series->label);
    }
    const double size = fabs(half.mean), sign = half.mean < 0.0 ? -1.0 : 1.0;
    const double up = (1.0 + factor) * size - sign * end->mean;
    const double down = sign * end->mean - (1.0 - factor) * size;
    lotor_verdict verdict = worse(
        judge(apart, up, hypot((1.0 + factor) * half.standard_error, end->standard_error), false),
        judge(apart, down, hypot((1.0 - factor) * half.standard_error, end->standard_error),
              false));
    if (is_sum && verdict == LOTOR_VERDICT_UNKNOWN && end->mean >= half.mean) {
        verdict = judge_sum(apart, &half, end, factor);
    }
    return found(verdict, "%.60s: %s at %.4g, %s at %.4g, which is %+.2g%%", series->label,
                 show(&half).text, half.x, show(end).text, end->x,
                 100.0 * (end->mean - half.mean) / size);
}

static lotor_figure_finding check_slope(double apart, const lotor_series *series, bool over_rounds,
                                        const lotor_figure_check *check)
{
    lotor_slope_fit fit;
    if (!lotor_fit_powers(series, over_rounds, &fit)) {
        return found(LOTOR_VERDICT_UNKNOWN, "%.60s has too few points above 0 for a slope",
                     series->label);
    }
    if (fit.pieces > 0) {
        apart = errors_apart(fit.pieces);
    }
    lotor_verdict verdict = judge(apart, check->high - fit.slope, fit.slope_error, false);
    if (check->low != -INFINITY) {
        verdict = worse(verdict, judge(apart, fit.slope - check->low, fit.slope_error, false));
    }
    if (isnan(fit.slope_error)) {
        return found(verdict, "%.60s grows like x^%.3g from %.4g to %.4g (one run: no error known)",
                     series->label, fit.slope, fit.from, fit.to);
    }
    const char *remark = "";
    if (fit.pieces > 0) {
        remark = over_rounds ? " (one run; the error from the slopes of 5 pieces)"
                             : " (one run each; the error from the points' distances)";
    }
    return found(verdict, "%.60s grows like x^(%.3g +- %.2g) from %.4g to %.4g%s", series->label,
                 fit.slope, fit.slope_error, fit.from, fit.to, remark);
}

static lotor_figure_finding check_line(double apart, const lotor_series *series, double factor)
{
    lotor_line_fit line;
    if (!lotor_fit_line(series, &line)) {
        return found(LOTOR_VERDICT_UNKNOWN, "%.60s has too few points for a line", series->label);
    }
    lotor_verdict verdict = LOTOR_VERDICT_UNKNOWN;
    if (isnan(line.error)) { /* the points contain the noise, which can only hide a line */
        verdict = line.r_squared >= factor ? LOTOR_VERDICT_HOLDS : LOTOR_VERDICT_UNKNOWN;
    } else if (line.r_squared - apart * line.error >= factor) {
        verdict = LOTOR_VERDICT_HOLDS;
    } else if (line.without_noise + apart * line.error < factor) {
        verdict = LOTOR_VERDICT_FAILS;
    }
    return found(verdict, "%.60s: R^2 = %.5g over %zu points, slope %.4g", series->label,
                 line.r_squared, series->count, line.slope);
}

/* The count is exact, but the finding says that it is from one run. */
static lotor_figure_finding check_shown(const lotor_figure_result *played,
                                        const lotor_series *series, double factor)
{
    if (series->shown.count == 0 || played->best.count == 0) {
        return found(LOTOR_VERDICT_UNKNOWN, "what %.60s ended with is not known", series->label);
    }
    const size_t both = lotor_set_overlap(&series->shown, &played->best);
    return found((double)both >= factor ? LOTOR_VERDICT_HOLDS : LOTOR_VERDICT_FAILS,
                 "%.60s: %zu of the best %zu are among the %zu that its first run showed most at "
                 "the end",
                 series->label, both, played->best.count, series->shown.count);
}

/* --- a check ---------------------------------------------------------------------------------- */

static bool needs_second(lotor_figure_check_kind kind)
{
    return kind == LOTOR_CHECK_TIMES_BETTER || kind == LOTOR_CHECK_BELOW ||
           kind == LOTOR_CHECK_CLOSE || kind == LOTOR_CHECK_FAR || kind == LOTOR_CHECK_WIDENS ||
           kind == LOTOR_CHECK_NEVER_ABOVE;
}

static const lotor_series *find_series(const lotor_panel *panel, const char *label)
{
    for (size_t i = 0; label && i < panel->count; i++) {
        if (strcmp(panel->series[i].label, label) == 0) {
            return &panel->series[i];
        }
    }
    return NULL;
}

/* Compares the result of the audit with what the catalog says. */
static lotor_figure_finding check_audit(const lotor_figure_result *played,
                                        const lotor_series *series)
{
    const lotor_algorithm *row = NULL;
    for (size_t i = 0; i < played->figure->curve_count; i++) {
        if (strcmp(played->figure->curves[i].label, series->label) == 0) {
            row = lotor_catalog_find(played->figure->curves[i].setting.algorithm);
        }
    }
    const lotor_claim_audit *claim = &series->claim;
    if (!row || !claim->is_known || claim->verdict == LOTOR_AUDIT_UNSEEN) {
        return found(LOTOR_VERDICT_UNKNOWN, "%.60s was not audited", series->label);
    }
    const bool is_leak = lotor_algorithm_has_noise(row) && row->not_private;
    const bool is_broken = claim->verdict == LOTOR_AUDIT_VIOLATED;
    return found(is_broken == is_leak ? LOTOR_VERDICT_HOLDS : LOTOR_VERDICT_FAILS,
                 "%.60s: %s, epsilon at least %.3g%s", series->label,
                 lotor_audit_verdict_name(claim->verdict), claim->found,
                 is_leak ? "; it is a known leak" : "");
}

static lotor_figure_finding check_series(const lotor_figure_result *played,
                                         const lotor_figure_check *check, const lotor_series *first,
                                         const lotor_series *second)
{
    if (first->count == 0 || (second && second->count == 0)) {
        return found(LOTOR_VERDICT_UNKNOWN, "%.60s has no points",
                     first->count == 0 ? first->label : second->label);
    }
    const double apart = errors_apart(played->runs);
    switch (check->kind) {
    case LOTOR_CHECK_TIMES_BETTER:
    case LOTOR_CHECK_BELOW:
    case LOTOR_CHECK_CLOSE:
    case LOTOR_CHECK_FAR:
        return compare_ends(apart, check, first, second);
    case LOTOR_CHECK_WIDENS:
        return compare_ratios(apart, first, second);
    case LOTOR_CHECK_RISES:
        return compare_sides(apart, first, true);
    case LOTOR_CHECK_FALLS:
        return compare_sides(apart, first, false);
    case LOTOR_CHECK_LEVELS:
        return check_levels(apart, first, check->factor,
                            played->figure->axis == LOTOR_AXIS_ROUND &&
                                played->figure->measure == LOTOR_MEASURE_REGRET);
    case LOTOR_CHECK_SLOPE:
        return check_slope(apart, first, played->figure->axis == LOTOR_AXIS_ROUND, check);
    case LOTOR_CHECK_LINEAR:
        return check_line(apart, first, check->factor);
    case LOTOR_CHECK_NEVER_ABOVE:
        return compare_everywhere(apart, check->factor, first, second);
    case LOTOR_CHECK_AUDIT:
        return check_audit(played, first);
    case LOTOR_CHECK_SHOWS:
        return check_shown(played, first, check->factor);
    }
    return found(LOTOR_VERDICT_UNKNOWN, "there is no such check");
}

/* Checks every curve, and reports the first one that decides. */
static lotor_figure_finding check_every(const lotor_figure_result *played,
                                        const lotor_figure_check *check, const lotor_panel *panel,
                                        const lotor_series *second)
{
    lotor_figure_finding finding = found(LOTOR_VERDICT_UNKNOWN, "there is no curve");
    size_t curves = 0, holding = 0;
    for (size_t i = 0; i < panel->count; i++) {
        if (&panel->series[i] == second) {
            continue;
        }
        const lotor_figure_finding one = check_series(played, check, &panel->series[i], second);
        const lotor_verdict both = curves > 0 ? worse(finding.verdict, one.verdict) : one.verdict;
        if (curves == 0 || both != finding.verdict) {
            finding = one;
        }
        curves++;
        holding += one.verdict == LOTOR_VERDICT_HOLDS;
    }
    if (curves < 2) {
        return finding;
    }
    return found(finding.verdict, "%zu of %zu curves; %.200s", holding, curves, finding.measured);
}

lotor_figure_finding lotor_figure_check_judge(const lotor_figure_result *played,
                                              const lotor_figure_check *check)
{
    if (check->panel >= played->count) {
        return found(LOTOR_VERDICT_UNKNOWN, "there is no panel %zu", check->panel);
    }
    const lotor_panel *panel = &played->panels[check->panel];
    const lotor_series *first = find_series(panel, check->first);
    const lotor_series *second = NULL;
    if (check->first && !first) {
        return found(LOTOR_VERDICT_UNKNOWN, "there is no curve %.100s", check->first);
    }
    if (needs_second(check->kind)) {
        second = find_series(panel, check->second);
        if (!second) {
            return found(LOTOR_VERDICT_UNKNOWN, "there is no curve %.100s",
                         check->second ? check->second : "to compare with");
        }
    }
    const lotor_figure_finding finding = first ? check_series(played, check, first, second)
                                               : check_every(played, check, panel, second);
    if (check->needs_length && played->horizon < played->figure->base.horizon) {
        return found(LOTOR_VERDICT_UNKNOWN,
                     "needs the paper's horizon, %llu rounds; of %llu: %.160s",
                     (unsigned long long)played->figure->base.horizon,
                     (unsigned long long)played->horizon, finding.measured);
    }
    return finding;
}

lotor_verdict lotor_figure_verdict(const lotor_figure_result *played)
{
    const lotor_figure *figure = played->figure;
    lotor_verdict verdict = figure->check_count > 0 ? LOTOR_VERDICT_HOLDS : LOTOR_VERDICT_UNKNOWN;
    for (size_t i = 0; i < figure->check_count; i++) {
        verdict = worse(verdict, lotor_figure_check_judge(played, &figure->checks[i]).verdict);
    }
    return verdict;
}
