/* verdict.c - checks a claim on the points: see reproduce.h; verdict_parts.c has the statistics. */
#include <math.h>
#include <string.h>

#include "papers/verdict_fit.h"
#include "papers/verdict_parts.h"
#include "policy/catalog.h"

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

static const lotor_point *last_of(const lotor_series *series)
{
    return &series->points[series->count - 1];
}

/* --- two curves ------------------------------------------------------------------------------- */

static lotor_finding compare_ends(double apart, const lotor_check *check, const lotor_series *first,
                                  const lotor_series *second)
{
    const lotor_point *one = last_of(first), *other = last_of(second);
    if (one->x != other->x) {
        return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN, "%.60s ends at %.4g, %.60s at %.4g",
                                   first->label, one->x, second->label, other->x);
    }
    lotor_verdict verdict;
    switch (check->kind) {
    case LOTOR_CHECK_TIMES_BETTER:
        verdict = lotor_verdict_is_below(apart, one, check->factor, other, false);
        break;
    case LOTOR_CHECK_BELOW:
        verdict = lotor_verdict_is_below(apart, one, 1.0, other, true);
        break;
    case LOTOR_CHECK_FAR:
        verdict = lotor_verdict_is_below(apart, other, check->factor, one, false);
        break;
    default: /* close: neither is more than factor times the other */
        verdict = lotor_verdict_worse(
            lotor_verdict_is_below(apart, one, 1.0 / check->factor, other, false),
            lotor_verdict_is_below(apart, other, 1.0 / check->factor, one, false));
        break;
    }
    const bool inverted =
        check->kind == LOTOR_CHECK_TIMES_BETTER || check->kind == LOTOR_CHECK_BELOW;
    const double ratio = inverted ? other->mean / one->mean : one->mean / other->mean;
    if (!isfinite(ratio)) {
        return lotor_verdict_found(verdict, "%.50s: %s; %.50s: %s", first->label,
                                   lotor_verdict_show(one).text, second->label,
                                   lotor_verdict_show(other).text);
    }
    return lotor_verdict_found(
        verdict,
        inverted ? "%.50s: %s; %.50s: %s, %.3g times as much%s"
                 : "%.50s: %s; %.50s: %s; the first is %.3g times the second%s",
        first->label, lotor_verdict_show(one).text, second->label, lotor_verdict_show(other).text,
        ratio, lotor_verdict_of_one_run(one, other));
}

/* The relative error of a ratio, to first order. */
static double ratio_error(const lotor_point *one, const lotor_point *other)
{
    return hypot(one->standard_error / one->mean, other->standard_error / other->mean);
}

static lotor_finding compare_ratios(double apart, const lotor_series *first,
                                    const lotor_series *second)
{
    size_t i = 0, j = 0;
    /* Find the first x at which both are above 0. */
    while (i < first->count && j < second->count) {
        const lotor_point *one = &first->points[i], *other = &second->points[j];
        if (one->x == other->x && one->mean > 0.0 && other->mean > 0.0) {
            break;
        }
        i += one->x <= other->x;
        j += other->x <= one->x;
    }
    const lotor_point *one = last_of(first), *other = last_of(second);
    if (i >= first->count || j >= second->count || one->x != other->x ||
        first->points[i].x >= one->x || !(one->mean > 0.0 && other->mean > 0.0)) {
        return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN,
                                   "%.60s and %.60s have no two places to compare", first->label,
                                   second->label);
    }
    const lotor_point *one_before = &first->points[i], *other_before = &second->points[j];
    const double before = other_before->mean / one_before->mean, after = other->mean / one->mean;
    const double error = hypot(ratio_error(one_before, other_before), ratio_error(one, other));
    const lotor_verdict verdict =
        isnan(error) ? lotor_verdict_judge_single(after, before)
                     : lotor_verdict_judge(apart, log(after) - log(before), error, true);
    return lotor_verdict_found(verdict,
                               "%.50s is %.3g times %.50s at %.4g, and %.3g times at %.4g%s",
                               second->label, before, first->label, one_before->x, after, one->x,
                               isnan(error) ? lotor_verdict_of_one_run(one, other) : "");
}

static lotor_finding compare_everywhere(double apart, double factor, const lotor_series *first,
                                        const lotor_series *second)
{
    lotor_verdict verdict = LOTOR_VERDICT_HOLDS;
    size_t places = 0, worst = 0;
    double least = INFINITY;
    for (size_t i = 0; i < first->count && i < second->count; i++) {
        const lotor_point *one = &first->points[i], *other = &second->points[i];
        if (one->x != other->x) {
            return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN,
                                       "%.60s and %.60s have different places", first->label,
                                       second->label);
        }
        verdict =
            lotor_verdict_worse(verdict, lotor_verdict_is_below(apart, one, factor, other, false));
        places++;
        if (other->mean - factor * one->mean < least) {
            least = other->mean - factor * one->mean;
            worst = i;
        }
    }
    return lotor_verdict_found(verdict, "at %zu places; closest at %.4g: %.50s: %s; %.50s: %s",
                               places, first->points[worst].x, first->label,
                               lotor_verdict_show(&first->points[worst]).text, second->label,
                               lotor_verdict_show(&second->points[worst]).text);
}

/* --- one curve -------------------------------------------------------------------------------- */

static lotor_finding compare_sides(double apart, const lotor_series *series, bool rises)
{
    const lotor_point *left = &series->points[0], *right = last_of(series);
    if (series->count < 2) {
        return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN, "%.60s has one point only",
                                   series->label);
    }
    const lotor_verdict verdict = rises ? lotor_verdict_is_below(apart, left, 1.0, right, true)
                                        : lotor_verdict_is_below(apart, right, 1.0, left, true);
    return lotor_verdict_found(
        verdict, "%.60s: %s at %.4g, %s at %.4g%s", series->label, lotor_verdict_show(left).text,
        left->x, lotor_verdict_show(right).text, right->x, lotor_verdict_of_one_run(left, right));
}

/* Both ends are of the same runs, so their errors are strongly correlated. The regret of a run
 * never falls. So the increase in the last half is at least 0 in every run. The standard error of a
 * mean of such numbers is at most the mean itself (in the worst case one run has all of it). */
static lotor_verdict judge_sum(double apart, const lotor_point *half, const lotor_point *end,
                               double factor)
{
    const double added = end->mean - half->mean;
    const double error = fmin(added, hypot(half->standard_error, end->standard_error));
    return lotor_verdict_judge(apart, factor * half->mean - added,
                               factor * half->standard_error + error, false);
}

static lotor_finding check_levels(double apart, const lotor_series *series, double factor,
                                  bool is_sum)
{
    lotor_point half;
    const lotor_point *end = last_of(series);
    if (!lotor_series_at(series, end->x / 2.0, &half)) {
        return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN,
                                   "%.60s does not reach back to half its length", series->label);
    }
    const double size = fabs(half.mean), sign = half.mean < 0.0 ? -1.0 : 1.0;
    const double up = (1.0 + factor) * size - sign * end->mean;
    const double down = sign * end->mean - (1.0 - factor) * size;
    lotor_verdict verdict = lotor_verdict_worse(
        lotor_verdict_judge(
            apart, up, hypot((1.0 + factor) * half.standard_error, end->standard_error), false),
        lotor_verdict_judge(
            apart, down, hypot((1.0 - factor) * half.standard_error, end->standard_error), false));
    if (is_sum && verdict == LOTOR_VERDICT_UNKNOWN && end->mean >= half.mean) {
        verdict = judge_sum(apart, &half, end, factor);
    }
    return lotor_verdict_found(verdict, "%.60s: %s at %.4g, %s at %.4g, which is %+.2g%%",
                               series->label, lotor_verdict_show(&half).text, half.x,
                               lotor_verdict_show(end).text, end->x,
                               100.0 * (end->mean - half.mean) / size);
}

static lotor_finding check_slope(double apart, const lotor_series *series, bool over_rounds,
                                 const lotor_check *check)
{
    lotor_fit fit;
    if (!lotor_fit_powers(series, over_rounds, &fit)) {
        return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN,
                                   "%.60s has too few points above 0 for a slope", series->label);
    }
    if (fit.pieces > 0) {
        apart = lotor_verdict_errors_apart(fit.pieces);
    }
    lotor_verdict verdict =
        lotor_verdict_judge(apart, check->high - fit.slope, fit.slope_error, false);
    if (check->low != -INFINITY) {
        verdict = lotor_verdict_worse(
            verdict, lotor_verdict_judge(apart, fit.slope - check->low, fit.slope_error, false));
    }
    if (isnan(fit.slope_error)) {
        return lotor_verdict_found(
            verdict, "%.60s grows like x^%.3g from %.4g to %.4g (one run: no error known)",
            series->label, fit.slope, fit.from, fit.to);
    }
    const char *remark = "";
    if (fit.pieces > 0) {
        remark = over_rounds ? " (one run; the error from the slopes of 5 pieces)"
                             : " (one run each; the error from the points' distances)";
    }
    return lotor_verdict_found(verdict, "%.60s grows like x^(%.3g +- %.2g) from %.4g to %.4g%s",
                               series->label, fit.slope, fit.slope_error, fit.from, fit.to, remark);
}

static lotor_finding check_line(double apart, const lotor_series *series, double factor)
{
    lotor_line line;
    if (!lotor_fit_line(series, &line)) {
        return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN, "%.60s has too few points for a line",
                                   series->label);
    }
    lotor_verdict verdict = LOTOR_VERDICT_UNKNOWN;
    if (isnan(line.error)) { /* the points contain the noise, which can only hide a line */
        verdict = line.r_squared >= factor ? LOTOR_VERDICT_HOLDS : LOTOR_VERDICT_UNKNOWN;
    } else if (line.r_squared - apart * line.error >= factor) {
        verdict = LOTOR_VERDICT_HOLDS;
    } else if (line.without_noise + apart * line.error < factor) {
        verdict = LOTOR_VERDICT_FAILS;
    }
    return lotor_verdict_found(verdict, "%.60s: R^2 = %.5g over %zu points, slope %.4g",
                               series->label, line.r_squared, series->count, line.slope);
}

/* The count is exact, but the finding says that it is from one run. */
static lotor_finding check_shown(const lotor_played *played, const lotor_series *series,
                                 double factor)
{
    if (series->shown.count == 0 || played->best.count == 0) {
        return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN, "what %.60s ended with is not known",
                                   series->label);
    }
    const size_t both = lotor_set_overlap(&series->shown, &played->best);
    return lotor_verdict_found(
        (double)both >= factor ? LOTOR_VERDICT_HOLDS : LOTOR_VERDICT_FAILS,
        "%.60s: %zu of the best %zu are among the %zu that its first run showed most at "
        "the end",
        series->label, both, played->best.count, series->shown.count);
}

/* --- a check ---------------------------------------------------------------------------------- */

static bool needs_second(lotor_check_kind kind)
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
static lotor_finding check_audit(const lotor_played *played, const lotor_series *series)
{
    const lotor_algorithm *row = NULL;
    for (size_t i = 0; i < played->figure->curve_count; i++) {
        if (strcmp(played->figure->curves[i].label, series->label) == 0) {
            row = lotor_catalog_find(played->figure->curves[i].setting.algorithm);
        }
    }
    const lotor_claim *claim = &series->claim;
    if (!row || !claim->is_known || claim->verdict == LOTOR_AUDIT_UNSEEN) {
        return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN, "%.60s was not audited", series->label);
    }
    const bool is_leak = lotor_algorithm_has_noise(row) && row->not_private;
    const bool is_broken = claim->verdict == LOTOR_AUDIT_VIOLATED;
    return lotor_verdict_found(is_broken == is_leak ? LOTOR_VERDICT_HOLDS : LOTOR_VERDICT_FAILS,
                               "%.60s: %s, epsilon at least %.3g%s", series->label,
                               lotor_audit_verdict_name(claim->verdict), claim->found,
                               is_leak ? "; it is a known leak" : "");
}

static lotor_finding check_series(const lotor_played *played, const lotor_check *check,
                                  const lotor_series *first, const lotor_series *second)
{
    if (first->count == 0 || (second && second->count == 0)) {
        return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN, "%.60s has no points",
                                   first->count == 0 ? first->label : second->label);
    }
    const double apart = lotor_verdict_errors_apart(played->runs);
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
    return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN, "there is no such check");
}

/* Checks every curve, and reports the first one that decides. */
static lotor_finding check_every(const lotor_played *played, const lotor_check *check,
                                 const lotor_panel *panel, const lotor_series *second)
{
    lotor_finding finding = lotor_verdict_found(LOTOR_VERDICT_UNKNOWN, "there is no curve");
    size_t curves = 0, holding = 0;
    for (size_t i = 0; i < panel->count; i++) {
        if (&panel->series[i] == second) {
            continue;
        }
        const lotor_finding one = check_series(played, check, &panel->series[i], second);
        const lotor_verdict both =
            curves > 0 ? lotor_verdict_worse(finding.verdict, one.verdict) : one.verdict;
        if (curves == 0 || both != finding.verdict) {
            finding = one;
        }
        curves++;
        holding += one.verdict == LOTOR_VERDICT_HOLDS;
    }
    if (curves < 2) {
        return finding;
    }
    return lotor_verdict_found(finding.verdict, "%zu of %zu curves; %.200s", holding, curves,
                               finding.measured);
}

lotor_finding lotor_check_figure(const lotor_played *played, const lotor_check *check)
{
    if (check->panel >= played->count) {
        return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN, "there is no panel %zu", check->panel);
    }
    const lotor_panel *panel = &played->panels[check->panel];
    const lotor_series *first = find_series(panel, check->first);
    const lotor_series *second = NULL;
    if (check->first && !first) {
        return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN, "there is no curve %.100s", check->first);
    }
    if (needs_second(check->kind)) {
        second = find_series(panel, check->second);
        if (!second) {
            return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN, "there is no curve %.100s",
                                       check->second ? check->second : "to compare with");
        }
    }
    const lotor_finding finding = first ? check_series(played, check, first, second)
                                        : check_every(played, check, panel, second);
    if (check->needs_length && played->horizon < played->figure->base.horizon) {
        return lotor_verdict_found(LOTOR_VERDICT_UNKNOWN,
                                   "needs the paper's horizon, %llu rounds; of %llu: %.160s",
                                   (unsigned long long)played->figure->base.horizon,
                                   (unsigned long long)played->horizon, finding.measured);
    }
    return finding;
}

lotor_verdict lotor_figure_verdict(const lotor_played *played)
{
    const lotor_figure *figure = played->figure;
    lotor_verdict verdict = figure->check_count > 0 ? LOTOR_VERDICT_HOLDS : LOTOR_VERDICT_UNKNOWN;
    for (size_t i = 0; i < figure->check_count; i++) {
        verdict =
            lotor_verdict_worse(verdict, lotor_check_figure(played, &figure->checks[i]).verdict);
    }
    return verdict;
}
