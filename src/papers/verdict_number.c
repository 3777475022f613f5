/* verdict_number.c - see verdict_number.h. */
#include "papers/verdict_number.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "papers/verdict_fit.h"

/* --- comparing -------------------------------------------------------------------------------- */

lotor_verdict lotor_verdict_worse(lotor_verdict one, lotor_verdict other)
{
    if (one == LOTOR_VERDICT_FAILS || other == LOTOR_VERDICT_FAILS) {
        return LOTOR_VERDICT_FAILS;
    }
    return one == LOTOR_VERDICT_HOLDS ? other : one;
}

double lotor_errors_apart(uint64_t runs)
{
    static const double few[] = {12.71, 4.31, 3.19, 2.78, 2.58, 2.45, 2.37, 2.31, 2.27};
    const size_t known = sizeof few / sizeof *few;
    if (runs < 2) {
        return 2.0; /* no error is known, or it comes from a fit */
    }
    return runs - 2 < known ? few[runs - 2] : 2.0 + 2.6 / ((double)runs - 1.0);
}

lotor_verdict lotor_verdict_of_margin(double apart, double margin, double standard_error,
                                      bool is_strict)
{
    if (!isfinite(margin) || !isfinite(standard_error)) {
        return LOTOR_VERDICT_OPEN;
    }
    const double noise = apart * standard_error;
    if (noise == 0.0) { /* exact numbers */
        return margin > 0.0 || (margin == 0.0 && !is_strict) ? LOTOR_VERDICT_HOLDS
                                                             : LOTOR_VERDICT_FAILS;
    }
    if (margin > noise) {
        return LOTOR_VERDICT_HOLDS;
    }
    return margin < -noise ? LOTOR_VERDICT_FAILS : LOTOR_VERDICT_OPEN;
}

lotor_verdict lotor_verdict_single(double large, double small)
{
    return large >= (double)LOTOR_ONE_RUN * small   ? LOTOR_VERDICT_HOLDS
           : small >= (double)LOTOR_ONE_RUN * large ? LOTOR_VERDICT_FAILS
                                                    : LOTOR_VERDICT_OPEN;
}

/* A point of a single run has no error. Its mean must be above 0 to be compared. */
bool lotor_reach_is_single(const lotor_reach *one)
{
    return isnan(one->point.standard_error) && one->point.mean > 0.0;
}

/* Compares one end of each range. */
static lotor_verdict ends_below(double apart, double small, double small_error, double large,
                                double large_error, bool is_single, bool is_strict)
{
    return is_single ? lotor_verdict_single(large, small)
                     : lotor_verdict_of_margin(apart, large - small,
                                               hypot(large_error, small_error), is_strict);
}

lotor_verdict lotor_reach_below(double apart, const lotor_reach *small, double times,
                                const lotor_reach *large, bool is_strict)
{
    const bool is_single = (lotor_reach_is_single(small) && large->point.mean > 0.0) ||
                           (lotor_reach_is_single(large) && small->point.mean > 0.0);
    /* The claim holds if it holds in the worst case, and fails if it fails in the best case. */
    const lotor_verdict worst = ends_below(apart, times * small->high, times * small->high_error,
                                           large->low, large->low_error, is_single, is_strict);
    const lotor_verdict best = ends_below(apart, times * small->low, times * small->low_error,
                                          large->high, large->high_error, is_single, is_strict);
    if (worst == LOTOR_VERDICT_HOLDS || best == LOTOR_VERDICT_FAILS) {
        return worst == LOTOR_VERDICT_HOLDS ? LOTOR_VERDICT_HOLDS : LOTOR_VERDICT_FAILS;
    }
    return LOTOR_VERDICT_OPEN;
}

/* --- conclusions from fewer rounds than the paper's
 * ------------------------------------------------------- */

bool lotor_figure_is_shorter(const lotor_figure_result *played)
{
    return played->horizon < played->figure->base.horizon;
}

/* The regret after half of the rounds of a curve over the rounds; NaN if it is not known. */
static double at_half(const lotor_figure_result *played, const lotor_series *series, double end)
{
    lotor_curve_point half;
    if (played->figure->axis != LOTOR_AXIS_ROUND || !lotor_series_at(series, end / 2.0, &half)) {
        return NAN;
    }
    return played->figure->measure == LOTOR_MEASURE_REGRET_PER_LOG ? half.mean * log(end / 2.0)
                                                                   : half.mean;
}

/* The range of the regret at the paper's horizon T, from the regret after T' rounds. The regret of
 * a run never falls. So the regret of the second half of the rounds is at least 0 in each run, and
 * the standard error of its mean is at most that mean. */
static lotor_reach reach_from(double regret, double error, double half, double played,
                              double wanted)
{
    const double most = regret * wanted / played;
    lotor_reach out = {
        .low = regret, .high = most, .low_error = error, .high_error = error * wanted / played};
    const double added = regret - half;
    if (isnan(half) || !(added >= 0.0)) {
        return out;
    }
    const double halves = (wanted - played) / (played / 2.0);
    const double added_error = isnan(error) ? NAN : fmin(added, sqrt(2.0) * error);
    if (regret + halves * added < most) {
        out.high = regret + halves * added;
        out.high_error = error + halves * added_error;
    }
    return out;
}

lotor_reach lotor_reach_of(const lotor_figure_result *played, const lotor_series *series,
                           size_t number)
{
    assert(number < series->count);
    const lotor_curve_point point = series->points[number];
    const lotor_figure *figure = played->figure;
    lotor_reach out = {point.mean, point.mean, point.standard_error, point.standard_error, point};
    const bool is_sum =
        figure->measure == LOTOR_MEASURE_REGRET || figure->measure == LOTOR_MEASURE_REGRET_PER_LOG;
    /* A point of an earlier round is what it is. */
    const bool is_earlier = figure->axis == LOTOR_AXIS_ROUND && number + 1 < series->count;
    if (!lotor_figure_is_shorter(played) || is_earlier ||
        figure->base.place == LOTOR_FIGURE_WORLD_FORMULA) {
        return out;
    }
    if (!is_sum || !(point.mean >= 0.0)) { /* nothing is known about later rounds */
        out.low = -INFINITY;
        out.high = INFINITY;
        return out;
    }
    const double rounds = (double)played->horizon, wanted = (double)figure->base.horizon;
    const bool per_log = figure->measure == LOTOR_MEASURE_REGRET_PER_LOG;
    const double now = per_log ? log(rounds) : 1.0, later = per_log ? log(wanted) : 1.0;
    const double half = at_half(played, series, rounds);
    out = reach_from(point.mean * now, point.standard_error * now, half, rounds, wanted);
    out.low /= later;
    out.high /= later;
    out.low_error /= later;
    out.high_error /= later;
    out.point = point;
    return out;
}

lotor_reach lotor_reach_last(const lotor_figure_result *played, const lotor_series *series)
{
    return lotor_reach_of(played, series, series->count - 1);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Writes a number with `decimals` digits after the point (negative: rounded to tens, hundreds, ...),
 * and commas between thousands. */
static void put_rounded(double value, int decimals, char *out, size_t room)
{
    char digits[40];
    const double step = decimals < 0 ? pow(10.0, -decimals) : 1.0;
    snprintf(digits, sizeof digits, "%.*f", decimals > 0 ? decimals : 0,
             step > 1.0 ? round(fabs(value) / step) * step : fabs(value));
    const size_t whole = strcspn(digits, ".");
    const bool is_zero = strspn(digits, "0.") == strlen(digits);
    size_t at = 0;
    for (size_t i = 0; digits[i] != '\0' && at + 3 < room; i++) {
        if (i == 0 && value < 0.0 && !is_zero) {
            out[at++] = '-';
        }
        if (i > 0 && i < whole && (whole - i) % 3 == 0) {
            out[at++] = ',';
        }
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

/* The number of decimals that gives `digits` significant digits. */
static int decimals_for(double value, int digits)
{
    return digits - 1 - (int)floor(log10(fabs(value)) + 1e-12);
}

/* True if a number is written with all its digits: not too large, not too small. */
static bool is_plain(double value)
{
    return value == 0.0 || (fabs(value) >= 1e-6 && fabs(value) < 1e15);
}

lotor_number_text lotor_show_number(double value)
{
    lotor_number_text shown = {""};
    if (!isfinite(value) || !is_plain(value)) {
        snprintf(shown.text, sizeof shown.text, "%.3g", value);
        return shown;
    }
    const int decimals = value == 0.0 ? 0 : decimals_for(value, 4);
    put_rounded(value, decimals < 0 ? 0 : decimals, shown.text, sizeof shown.text);
    char *end = shown.text + strlen(shown.text);
    while (strchr(shown.text, '.') && (end[-1] == '0' || end[-1] == '.')) {
        const bool is_point = end[-1] == '.';
        *--end = '\0';
        if (is_point) {
            break;
        }
    }
    return shown;
}

lotor_number_text lotor_show_point(const lotor_curve_point *point)
{
    lotor_number_text shown = lotor_show_number(point->mean), error = {""};
    const size_t used = strlen(shown.text);
    if (isnan(point->standard_error)) {
        snprintf(shown.text + used, sizeof shown.text - used, " (one run)");
        return shown;
    }
    if (!(point->standard_error > 0.0) || !is_plain(point->standard_error) ||
        !is_plain(point->mean)) {
        return shown;
    }
    const int decimals = decimals_for(point->standard_error, 2);
    put_rounded(point->mean, decimals, shown.text, sizeof shown.text);
    put_rounded(point->standard_error, decimals, error.text, sizeof error.text);
    const size_t length = strlen(shown.text);
    snprintf(shown.text + length, sizeof shown.text - length, " ± %.30s", error.text);
    return shown;
}
