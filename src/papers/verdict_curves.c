/* verdict_curves.c - see verdict_curves.h. verdict.c states the rules. */
#include "papers/verdict_curves.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "papers/verdict_fit.h"
#include "papers/verdict_number.h"
#include "policy/catalog.h"

lotor_figure_finding lotor_finding(lotor_verdict verdict, const char *format, ...)
{
    lotor_figure_finding finding = {.verdict = verdict};
    va_list values;
    va_start(values, format);
    vsnprintf(finding.measured, sizeof finding.measured, format, values);
    va_end(values);
    return finding;
}

/* The remark on a finding from one run, or on one that is open for want of rounds. */
static const char *remark(const lotor_figure_result *played, lotor_verdict verdict,
                          const lotor_reach *one, const lotor_reach *other)
{
    if (lotor_reach_is_single(one) || lotor_reach_is_single(other)) {
        return "; one run has no known error: a factor of 3 decides";
    }
    return verdict == LOTOR_VERDICT_OPEN && lotor_figure_is_shorter(played)
               ? "; too few rounds to decide"
               : "";
}

/* --- two curves ------------------------------------------------------------------------------- */

static lotor_figure_finding compare_ends(const lotor_figure_result *played, double apart,
                                         const lotor_figure_check *check, const lotor_series *first,
                                         const lotor_series *second)
{
    const lotor_reach one = lotor_reach_last(played, first);
    const lotor_reach other = lotor_reach_last(played, second);
    if (one.point.x != other.point.x) {
        return lotor_finding(LOTOR_VERDICT_OPEN, "%.60s ends at %s, %.60s at %s", first->label,
                             lotor_show_number(one.point.x).text, second->label,
                             lotor_show_number(other.point.x).text);
    }
    lotor_verdict verdict;
    switch (check->kind) {
    case LOTOR_CHECK_TIMES_BETTER:
        verdict = lotor_reach_below(apart, &one, check->factor, &other, false);
        break;
    case LOTOR_CHECK_BELOW:
        verdict = lotor_reach_below(apart, &one, 1.0, &other, true);
        break;
    case LOTOR_CHECK_FAR:
        verdict = lotor_reach_below(apart, &other, check->factor, &one, false);
        break;
    default: /* close: neither is more than factor times the other */
        verdict =
            lotor_verdict_worse(lotor_reach_below(apart, &one, 1.0 / check->factor, &other, false),
                                lotor_reach_below(apart, &other, 1.0 / check->factor, &one, false));
        break;
    }
    const bool inverted =
        check->kind == LOTOR_CHECK_TIMES_BETTER || check->kind == LOTOR_CHECK_BELOW;
    const double ratio =
        inverted ? other.point.mean / one.point.mean : one.point.mean / other.point.mean;
    char times[80] = "";
    if (isfinite(ratio) && ratio > 0.0) {
        snprintf(times, sizeof times, ", ratio %s", lotor_show_number(ratio).text);
    }
    return lotor_finding(verdict, "%.50s: %s; %.50s: %s%s%s", first->label,
                         lotor_show_point(&one.point).text, second->label,
                         lotor_show_point(&other.point).text, times,
                         remark(played, verdict, &one, &other));
}

/* The range of the logarithm of other/one. */
static void log_ratio(const lotor_reach *one, const lotor_reach *other, double *low, double *high,
                      double *error)
{
    *low = log(other->low) - log(one->high);
    *high = log(other->high) - log(one->low);
    *error = hypot(one->point.standard_error / one->point.mean,
                   other->point.standard_error / other->point.mean);
}

static lotor_figure_finding compare_ratios(const lotor_figure_result *played, double apart,
                                           const lotor_series *first, const lotor_series *second)
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
    const lotor_reach one = lotor_reach_last(played, first);
    const lotor_reach other = lotor_reach_last(played, second);
    if (i >= first->count || j >= second->count || one.point.x != other.point.x ||
        first->points[i].x >= one.point.x || !(one.point.mean > 0.0 && other.point.mean > 0.0)) {
        return lotor_finding(LOTOR_VERDICT_OPEN, "%.60s and %.60s have no two places to compare",
                             first->label, second->label);
    }
    const lotor_reach one_before = lotor_reach_of(played, first, i);
    const lotor_reach other_before = lotor_reach_of(played, second, j);
    double before_low, before_high, before_error, low, high, error;
    log_ratio(&one_before, &other_before, &before_low, &before_high, &before_error);
    log_ratio(&one, &other, &low, &high, &error);
    error = hypot(before_error, error);
    lotor_verdict worst, best;
    if (isnan(error)) {
        worst = lotor_verdict_single(exp(low), exp(before_high));
        best = lotor_verdict_single(exp(high), exp(before_low));
    } else {
        worst = lotor_verdict_of_margin(apart, low - before_high, error, true);
        best = lotor_verdict_of_margin(apart, high - before_low, error, true);
    }
    const lotor_verdict verdict = worst == LOTOR_VERDICT_HOLDS  ? LOTOR_VERDICT_HOLDS
                                  : best == LOTOR_VERDICT_FAILS ? LOTOR_VERDICT_FAILS
                                                                : LOTOR_VERDICT_OPEN;
    return lotor_finding(verdict, "%.50s is %s × %.50s at %s, and %s × at %s%s", second->label,
                         lotor_show_number(other_before.point.mean / one_before.point.mean).text,
                         first->label, lotor_show_number(one_before.point.x).text,
                         lotor_show_number(other.point.mean / one.point.mean).text,
                         lotor_show_number(one.point.x).text,
                         remark(played, verdict, &one, &other));
}

/* Compares the curves at every x. For "mostly", it is enough that more than half of the places hold. */
static lotor_figure_finding compare_everywhere(const lotor_figure_result *played, double apart,
                                               const lotor_figure_check *check,
                                               const lotor_series *first,
                                               const lotor_series *second)
{
    const bool most = check->kind == LOTOR_CHECK_MOSTLY_BELOW;
    const bool is_strict = check->kind != LOTOR_CHECK_NEVER_ABOVE;
    const double factor = is_strict ? 1.0 : check->factor;
    lotor_verdict all = LOTOR_VERDICT_HOLDS;
    size_t places = 0, worst = 0, counts[LOTOR_VERDICTS] = {0};
    double least = INFINITY;
    for (size_t i = 0; i < first->count && i < second->count; i++) {
        const lotor_reach one = lotor_reach_of(played, first, i);
        const lotor_reach other = lotor_reach_of(played, second, i);
        if (one.point.x != other.point.x) {
            return lotor_finding(LOTOR_VERDICT_OPEN, "%.60s and %.60s have different places",
                                 first->label, second->label);
        }
        const lotor_verdict here = lotor_reach_below(apart, &one, factor, &other, is_strict);
        all = lotor_verdict_worse(all, here);
        counts[here]++;
        places++;
        const double ratio = other.point.mean / (factor * one.point.mean);
        if (ratio < least) {
            least = ratio;
            worst = i;
        }
    }
    if (most) {
        all = 2 * counts[LOTOR_VERDICT_HOLDS] > places    ? LOTOR_VERDICT_HOLDS
              : 2 * counts[LOTOR_VERDICT_FAILS] >= places ? LOTOR_VERDICT_FAILS
                                                          : LOTOR_VERDICT_OPEN;
    }
    return lotor_finding(
        all, "holds at %zu of %zu places, fails at %zu; closest at %s: %.50s: %s; %.50s: %s",
        counts[LOTOR_VERDICT_HOLDS], places, counts[LOTOR_VERDICT_FAILS],
        lotor_show_number(first->points[worst].x).text, first->label,
        lotor_show_point(&first->points[worst]).text, second->label,
        lotor_show_point(&second->points[worst]).text);
}

/* --- the time at which a curve stops growing -------------------------------------------------- */

/* The two checkpoints between which the mean reaches 99% of its end. False if the curve has not
 * stopped by its last half. */
static bool ends_between(const lotor_series *series, double *from, double *to)
{
    const lotor_curve_point *end = &series->points[series->count - 1];
    size_t i = 0;
    while (series->points[i].mean < 0.99 * end->mean) {
        i++;
    }
    *from = i > 0 ? series->points[i - 1].x : 0.0;
    *to = series->points[i].x;
    return end->mean > 0.0 && *to <= end->x / 2.0;
}

static lotor_figure_finding compare_times(const lotor_figure_check *check,
                                          const lotor_series *first, const lotor_series *second)
{
    double from, to, other_from, other_to;
    if (!ends_between(first, &from, &to) || !ends_between(second, &other_from, &other_to)) {
        return lotor_finding(LOTOR_VERDICT_OPEN,
                             "%.60s or %.60s still loses in the last half of the rounds",
                             first->label, second->label);
    }
    const double least = from / other_to, most = other_from > 0.0 ? to / other_from : INFINITY;
    const lotor_verdict verdict = least >= check->low && most <= check->high ? LOTOR_VERDICT_HOLDS
                                  : most < check->low || least > check->high ? LOTOR_VERDICT_FAILS
                                                                             : LOTOR_VERDICT_OPEN;
    return lotor_finding(
        verdict, "%.50s reaches 99%% of its loss by round %s, %.50s by round %s: %s to %s ×",
        first->label, lotor_show_number(to).text, second->label, lotor_show_number(other_to).text,
        lotor_show_number(least).text, lotor_show_number(most).text);
}

/* --- one curve -------------------------------------------------------------------------------- */

static lotor_figure_finding compare_sides(const lotor_figure_result *played, double apart,
                                          const lotor_series *series, bool rises)
{
    if (series->count < 2) {
        return lotor_finding(LOTOR_VERDICT_OPEN, "%.60s has one point only", series->label);
    }
    const lotor_reach left = lotor_reach_of(played, series, 0);
    const lotor_reach right = lotor_reach_last(played, series);
    const lotor_verdict verdict = rises ? lotor_reach_below(apart, &left, 1.0, &right, true)
                                        : lotor_reach_below(apart, &right, 1.0, &left, true);
    return lotor_finding(verdict, "%.60s: %s at %s, %s at %s%s", series->label,
                         lotor_show_point(&left.point).text, lotor_show_number(left.point.x).text,
                         lotor_show_point(&right.point).text, lotor_show_number(right.point.x).text,
                         remark(played, verdict, &left, &right));
}

/* Both ends are of the same runs, so their errors are strongly correlated. The regret of a run
 * never falls. So the increase in the last half is at least 0 in every run. The standard error of a
 * mean of such numbers is at most the mean itself (in the worst case one run has all of it). */
static lotor_verdict judge_sum(double apart, const lotor_curve_point *half,
                               const lotor_curve_point *end, double factor)
{
    const double added = end->mean - half->mean;
    const double error = fmin(added, hypot(half->standard_error, end->standard_error));
    return lotor_verdict_of_margin(apart, factor * half->mean - added,
                                   factor * half->standard_error + error, false);
}

static lotor_verdict judge_change(double apart, const lotor_curve_point *half,
                                  const lotor_curve_point *end, double factor)
{
    const double size = fabs(half->mean), sign = half->mean < 0.0 ? -1.0 : 1.0;
    const double up = (1.0 + factor) * size - sign * end->mean;
    const double down = sign * end->mean - (1.0 - factor) * size;
    return lotor_verdict_worse(
        lotor_verdict_of_margin(
            apart, up, hypot((1.0 + factor) * half->standard_error, end->standard_error), false),
        lotor_verdict_of_margin(
            apart, down, hypot((1.0 - factor) * half->standard_error, end->standard_error), false));
}

/* With fewer rounds than in the paper, the claim holds if even the largest possible regret at the
 * end is little more than the regret so far. The regret so far is at most that of the paper's half. */
static lotor_verdict judge_shorter(const lotor_figure_result *played, double apart,
                                   const lotor_series *series, double factor)
{
    const lotor_reach end = lotor_reach_last(played, series);
    const lotor_verdict verdict =
        lotor_verdict_of_margin(apart, (1.0 + factor) * end.point.mean - end.high,
                                end.high_error - end.low_error + factor * end.low_error, false);
    return verdict == LOTOR_VERDICT_HOLDS ? verdict : LOTOR_VERDICT_OPEN;
}

static lotor_figure_finding check_levels(const lotor_figure_result *played, double apart,
                                         const lotor_series *series, double factor)
{
    const bool is_sum =
        played->figure->axis == LOTOR_AXIS_ROUND && played->figure->measure == LOTOR_MEASURE_REGRET;
    lotor_curve_point half;
    const lotor_curve_point *end = &series->points[series->count - 1];
    if (!lotor_series_at(series, end->x / 2.0, &half)) {
        return lotor_finding(LOTOR_VERDICT_OPEN, "%.60s does not reach back to half its length",
                             series->label);
    }
    lotor_verdict verdict = judge_change(apart, &half, end, factor);
    if (is_sum && verdict == LOTOR_VERDICT_OPEN && end->mean >= half.mean) {
        verdict = judge_sum(apart, &half, end, factor);
    }
    if (lotor_figure_is_shorter(played)) {
        verdict = is_sum ? judge_shorter(played, apart, series, factor) : LOTOR_VERDICT_OPEN;
    }
    const lotor_reach last = lotor_reach_last(played, series);
    const double percent = round(1e4 * (end->mean - half.mean) / fabs(half.mean)) / 100.0;
    return lotor_finding(verdict, "%.60s: %s at %s, %s at %s, a change of %s%s%%%s", series->label,
                         lotor_show_point(&half).text, lotor_show_number(half.x).text,
                         lotor_show_point(end).text, lotor_show_number(end->x).text,
                         percent >= 0.0 ? "+" : "", lotor_show_number(percent).text,
                         remark(played, verdict, &last, &last));
}

/* True if a slope in [least, most], with a standard error, is in the range of the claim. */
static lotor_verdict judge_slope(double apart, double least, double most, double error,
                                 const lotor_figure_check *check)
{
    lotor_verdict worst = lotor_verdict_of_margin(apart, check->high - most, error, false);
    lotor_verdict best = lotor_verdict_of_margin(apart, check->high - least, error, false);
    if (check->low != -INFINITY) {
        worst = lotor_verdict_worse(
            worst, lotor_verdict_of_margin(apart, least - check->low, error, false));
        best = lotor_verdict_worse(best,
                                   lotor_verdict_of_margin(apart, most - check->low, error, false));
    }
    return worst == LOTOR_VERDICT_HOLDS  ? LOTOR_VERDICT_HOLDS
           : best == LOTOR_VERDICT_FAILS ? LOTOR_VERDICT_FAILS
                                         : LOTOR_VERDICT_OPEN;
}

static lotor_figure_finding check_slope(const lotor_figure_result *played, double apart,
                                        const lotor_series *series, const lotor_figure_check *check)
{
    const bool over_rounds = played->figure->axis == LOTOR_AXIS_ROUND;
    lotor_slope_fit fit;
    if (!lotor_fit_powers(series, over_rounds, &fit)) {
        return lotor_finding(LOTOR_VERDICT_OPEN, "%.60s has too few points above 0 for a slope",
                             series->label);
    }
    if (fit.pieces > 0) {
        apart = lotor_errors_apart(fit.pieces);
    }
    double least = fit.slope, most = least;
    if (lotor_figure_is_shorter(played)) { /* the last factor of ten of the rounds may be missing */
        const bool is_known = !over_rounds && lotor_slope_range(played, series, &least, &most);
        least = is_known ? least : -INFINITY;
        most = is_known ? most : INFINITY;
    }
    const lotor_verdict verdict = judge_slope(apart, least, most, fit.slope_error, check);
    const lotor_reach last = lotor_reach_last(played, series);
    const char *few = verdict == LOTOR_VERDICT_OPEN && lotor_figure_is_shorter(played)
                          ? remark(played, verdict, &last, &last)
                          : "";
    const lotor_number_text from = lotor_show_number(fit.from), to = lotor_show_number(fit.to);
    if (isnan(fit.slope_error)) {
        return lotor_finding(verdict,
                             "%.60s grows like x^%.3g from %s to %s (one run: no error known)%s",
                             series->label, fit.slope, from.text, to.text, few);
    }
    const char *how = "";
    if (fit.pieces > 0) {
        how = over_rounds ? " (one run; the error from the slopes of 5 pieces)"
                          : " (one run each; the error from the points' distances)";
    }
    const lotor_curve_point slope = {0.0, fit.slope, fit.slope_error};
    return lotor_finding(verdict, "%.60s grows like x^(%s) from %s to %s%s%s", series->label,
                         lotor_show_point(&slope).text, from.text, to.text, how, few);
}

static lotor_figure_finding check_line(const lotor_figure_result *played, double apart,
                                       const lotor_series *series, double factor)
{
    lotor_line_fit line;
    if (!lotor_fit_line(series, &line)) {
        return lotor_finding(LOTOR_VERDICT_OPEN, "%.60s has too few points for a line",
                             series->label);
    }
    lotor_verdict verdict = LOTOR_VERDICT_OPEN;
    const bool is_shorter = lotor_figure_is_shorter(played); /* then it stays open */
    if (!is_shorter &&
        isnan(line.error)) { /* the points contain the noise, which can only hide a line */
        verdict = line.r_squared >= factor ? LOTOR_VERDICT_HOLDS : LOTOR_VERDICT_OPEN;
    } else if (!is_shorter && line.r_squared - apart * line.error >= factor) {
        verdict = LOTOR_VERDICT_HOLDS;
    } else if (!is_shorter && line.without_noise + apart * line.error < factor) {
        verdict = LOTOR_VERDICT_FAILS;
    }
    return lotor_finding(verdict, "%.60s: R² = %.5g over %zu points, slope %s", series->label,
                         line.r_squared, series->count, lotor_show_number(line.slope).text);
}

/* Growth like log t adds as much in each half of the last factor of ten (by the logarithm of t).
 * Growth like t adds sqrt(10) times as much in the second half. The claim is decided by which of the
 * two the ratio is closer to: the threshold is 10^(1/4). */
static lotor_figure_finding check_logarithm(const lotor_figure_result *played, double apart,
                                            const lotor_series *series)
{
    const lotor_curve_point *end = &series->points[series->count - 1];
    lotor_curve_point middle, start;
    lotor_growth_fit fit;
    if (lotor_figure_is_shorter(played) || !lotor_series_at(series, end->x / sqrt(10.0), &middle) ||
        !lotor_series_at(series, end->x / 10.0, &start) || !lotor_fit_growth(series, &fit)) {
        return lotor_finding(LOTOR_VERDICT_OPEN, "%.60s has too few rounds to fit its growth",
                             series->label);
    }
    const double before = middle.mean - start.mean, after = end->mean - middle.mean;
    const double threshold = pow(10.0, 0.25);
    const double error =
        hypot(hypot(end->standard_error, (1.0 + threshold) * middle.standard_error),
              threshold * start.standard_error);
    const lotor_verdict verdict =
        lotor_verdict_of_margin(apart, threshold * before - after, error, false);
    return lotor_finding(
        verdict,
        "%.60s: R² = %.4g against log t and %.4g against t in the last factor of ten; its "
        "second half adds %s × its first",
        series->label, fit.against_log, fit.against_t, lotor_show_number(after / before).text);
}

/* The count is exact, but the finding says that it is from one run. */
static lotor_figure_finding check_shown(const lotor_figure_result *played,
                                        const lotor_series *series, double factor)
{
    if (series->shown.count == 0 || played->best.count == 0) {
        return lotor_finding(LOTOR_VERDICT_OPEN, "what %.60s ended with is not known",
                             series->label);
    }
    const size_t both = lotor_set_overlap(&series->shown, &played->best);
    return lotor_finding(
        (double)both >= factor ? LOTOR_VERDICT_HOLDS : LOTOR_VERDICT_FAILS,
        "%.60s: %zu of the best %zu are among the %zu that its first run showed most at "
        "the end",
        series->label, both, played->best.count, series->shown.count);
}

/* --- audits ----------------------------------------------------------------------------------- */

/* Compares the result of the audit with what the catalog says. */
static lotor_figure_finding check_audit(const lotor_figure_result *played,
                                        const lotor_series *series)
{
    const lotor_algorithm *row = NULL;
    for (size_t i = 0; i < played->figure->curve_count; i++) {
        if (strcmp(played->figure->curves[i].label, series->label) == 0) {
            row = lotor_algorithms_find(played->figure->curves[i].setting.algorithm);
        }
    }
    const lotor_claim_audit *claim = &series->claim;
    if (!row || !claim->is_known || claim->verdict == LOTOR_AUDIT_UNSEEN) {
        return lotor_finding(LOTOR_VERDICT_OPEN, "%.60s was not audited", series->label);
    }
    if (claim->verdict == LOTOR_AUDIT_NOTHING_SEEN) {
        return lotor_finding(LOTOR_VERDICT_OPEN, "%.60s: its audit could see nothing",
                             series->label);
    }
    const bool is_leak = lotor_algorithm_leak(row) != NULL;
    const bool is_broken = claim->verdict == LOTOR_AUDIT_VIOLATED;
    return lotor_finding(is_broken == is_leak ? LOTOR_VERDICT_HOLDS : LOTOR_VERDICT_FAILS,
                         "%.60s: %s, epsilon at least %.3g%s", series->label,
                         lotor_audit_verdict_name(claim->verdict), claim->found,
                         is_leak ? "; it is a known leak" : "");
}

/* --- all kinds -------------------------------------------------------------------------------- */

static lotor_figure_finding judge_two(const lotor_figure_result *played,
                                      const lotor_figure_check *check, double apart,
                                      const lotor_series *first, const lotor_series *second)
{
    switch (check->kind) {
    case LOTOR_CHECK_WIDENS:
        return compare_ratios(played, apart, first, second);
    case LOTOR_CHECK_NEVER_ABOVE:
    case LOTOR_CHECK_BELOW_EVERYWHERE:
    case LOTOR_CHECK_MOSTLY_BELOW:
        return compare_everywhere(played, apart, check, first, second);
    case LOTOR_CHECK_FINISHES:
        return compare_times(check, first, second);
    default:
        return compare_ends(played, apart, check, first, second);
    }
}

static lotor_figure_finding judge_one(const lotor_figure_result *played,
                                      const lotor_figure_check *check, double apart,
                                      const lotor_series *series)
{
    switch (check->kind) {
    case LOTOR_CHECK_RISES:
        return compare_sides(played, apart, series, true);
    case LOTOR_CHECK_FALLS:
        return compare_sides(played, apart, series, false);
    case LOTOR_CHECK_LEVELS:
        return check_levels(played, apart, series, check->factor);
    case LOTOR_CHECK_SLOPE:
        return check_slope(played, apart, series, check);
    case LOTOR_CHECK_LINEAR:
        return check_line(played, apart, series, check->factor);
    case LOTOR_CHECK_LOGARITHM:
        return check_logarithm(played, apart, series);
    case LOTOR_CHECK_AUDIT:
        return check_audit(played, series);
    case LOTOR_CHECK_SHOWS:
        return check_shown(played, series, check->factor);
    default:
        return lotor_finding(LOTOR_VERDICT_OPEN, "there is no such check");
    }
}

/* Some curves have fewer runs than the figure. */
static uint64_t runs_of(const lotor_figure_result *played, const lotor_series *series)
{
    return series->runs > 0 ? series->runs : played->runs;
}

lotor_figure_finding lotor_verdict_on_curves(const lotor_figure_result *played,
                                             const lotor_figure_check *check,
                                             const lotor_series *first, const lotor_series *second)
{
    const bool needs_second = lotor_check_needs_second(check->kind);
    if (first->count == 0 || (needs_second && (!second || second->count == 0))) {
        return lotor_finding(LOTOR_VERDICT_OPEN, "%.60s has no points",
                             first->count > 0 && second ? second->label : first->label);
    }
    const uint64_t runs = runs_of(played, first), others = second ? runs_of(played, second) : runs;
    const double apart = lotor_errors_apart(others < runs ? others : runs);
    return second ? judge_two(played, check, apart, first, second)
                  : judge_one(played, check, apart, first);
}
