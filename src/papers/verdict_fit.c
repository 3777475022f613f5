/* verdict_fit.c - see verdict_fit.h. */
#include "papers/verdict_fit.h"

#include <math.h>

#include "papers/verdict_number.h"

bool lotor_series_at(const lotor_series *series, double x, lotor_curve_point *out)
{
    for (size_t i = 0; i < series->count; i++) {
        const lotor_curve_point *right = &series->points[i];
        if (right->x == x) {
            *out = *right;
            return true;
        }
        if (right->x > x) {
            if (i == 0) {
                return false;
            }
            const lotor_curve_point *left = right - 1;
            const double share = (x - left->x) / (right->x - left->x);
            *out = (lotor_curve_point){
                .x = x,
                .mean = left->mean + share * (right->mean - left->mean),
                /* As if both errors were fully correlated: the largest possible error. */
                .standard_error =
                    left->standard_error + share * (right->standard_error - left->standard_error),
            };
            return true;
        }
    }
    return false;
}

/* The sums behind a least-squares line; u and v are x and the mean, or their logarithms. */
typedef struct sums {
    size_t count;
    double mean_u, mean_v;
    double uu, uv, vv; /* around the means */
} sums;

typedef struct pair {
    double u, v, error;
} pair;

static bool take(const lotor_curve_point *point, double from, bool in_logs, pair *out)
{
    if (!in_logs) {
        *out = (pair){point->x, point->mean, point->standard_error};
        return isfinite(point->mean);
    }
    if (!(point->x >= from && point->x > 0.0 && point->mean > 0.0)) {
        return false;
    }
    *out = (pair){log(point->x), log(point->mean), point->standard_error / point->mean};
    return true;
}

static sums add_up(const lotor_series *series, double from, bool in_logs)
{
    sums all = {0};
    pair at;
    for (size_t i = 0; i < series->count; i++) {
        if (take(&series->points[i], from, in_logs, &at)) {
            all.count++;
            all.mean_u += (at.u - all.mean_u) / (double)all.count;
            all.mean_v += (at.v - all.mean_v) / (double)all.count;
        }
    }
    for (size_t i = 0; i < series->count; i++) {
        if (take(&series->points[i], from, in_logs, &at)) {
            const double u = at.u - all.mean_u, v = at.v - all.mean_v;
            all.uu += u * u;
            all.uv += u * v;
            all.vv += v * v;
        }
    }
    return all;
}

/* The standard error of the mean slope of the pieces between `from` and `to`. NaN: a piece has no
 * slope. */
static double error_of_pieces(const lotor_series *series, double from, double to)
{
    double mean = 0.0, squares = 0.0;
    const double ratio = pow(to / from, 1.0 / (double)LOTOR_SLOPE_PIECES);
    lotor_curve_point left, right;
    for (int i = 0; i < LOTOR_SLOPE_PIECES; i++) {
        const double start = i > 0 ? from * pow(ratio, i) : from;
        const double end = i + 1 < LOTOR_SLOPE_PIECES ? from * pow(ratio, i + 1) : to;
        if (!lotor_series_at(series, start, &left) || !lotor_series_at(series, end, &right) ||
            !(left.mean > 0.0 && right.mean > 0.0)) {
            return NAN;
        }
        const double slope = log(right.mean / left.mean) / log(end / start);
        const double off = slope - mean;
        mean += off / (i + 1);
        squares += off * (slope - mean);
    }
    return sqrt(squares / (LOTOR_SLOPE_PIECES - 1) / (double)LOTOR_SLOPE_PIECES);
}

bool lotor_fit_powers(const lotor_series *series, bool over_rounds, lotor_slope_fit *out)
{
    const double end = series->count > 0 ? series->points[series->count - 1].x : 0.0;
    const double from = over_rounds ? 0.0999999 * end : 0.0;
    const sums all = add_up(series, from, true);
    if (all.count < 3 || !(all.uu > 0.0)) {
        return false;
    }
    *out = (lotor_slope_fit){.slope = all.uv / all.uu, .from = NAN};
    double together = 0.0, apart = 0.0, off = 0.0;
    pair at;
    for (size_t i = 0; i < series->count; i++) {
        if (take(&series->points[i], from, true, &at)) {
            const double u = at.u - all.mean_u;
            const double pull = fabs(u / all.uu) * at.error;
            const double rest = at.v - all.mean_v - out->slope * u;
            together += pull;
            apart += pull * pull;
            off += rest * rest;
            out->from = isnan(out->from) ? series->points[i].x : out->from;
            out->to = series->points[i].x;
        }
    }
    out->slope_error = over_rounds ? together : sqrt(apart);
    if (isnan(out->slope_error)) {
        out->pieces = over_rounds ? LOTOR_SLOPE_PIECES : all.count - 1;
        out->slope_error = over_rounds ? error_of_pieces(series, out->from, out->to)
                                       : sqrt(off / (double)(all.count - 2) / all.uu);
    }
    return true;
}

bool lotor_slope_range(const lotor_figure_result *played, const lotor_series *series, double *least,
                       double *most)
{
    const sums all = add_up(series, 0.0, true);
    if (all.count < 3 || !(all.uu > 0.0)) {
        return false;
    }
    *least = *most = 0.0;
    pair at;
    for (size_t i = 0; i < series->count; i++) {
        if (take(&series->points[i], 0.0, true, &at)) {
            /* The slope is a weighted sum of the logarithms of the points. */
            const lotor_reach range = lotor_reach_of(played, series, i);
            const double weight = (at.u - all.mean_u) / all.uu;
            const double low = weight * log(range.low), high = weight * log(range.high);
            *least += fmin(low, high);
            *most += fmax(low, high);
        }
    }
    return true;
}

/* The share of the variance that a line against t, or against log t, explains from `from` on. */
static double explained(const lotor_series *series, double from, bool by_logarithm)
{
    double count = 0.0, mean_u = 0.0, mean_v = 0.0, uu = 0.0, uv = 0.0, vv = 0.0;
    for (size_t i = 0; i < series->count; i++) {
        const lotor_curve_point *point = &series->points[i];
        if (point->x >= from) {
            const double u = (by_logarithm ? log(point->x) : point->x) - mean_u;
            const double v = point->mean - mean_v;
            count += 1.0;
            mean_u += u / count;
            mean_v += v / count;
            const double share = (count - 1.0) / count;
            uu += share * u * u;
            uv += share * u * v;
            vv += share * v * v;
        }
    }
    return count >= 3.0 && uu > 0.0 && vv > 0.0 ? uv * uv / (uu * vv) : NAN;
}

bool lotor_fit_growth(const lotor_series *series, lotor_growth_fit *out)
{
    const double from = series->count > 0 ? 0.0999999 * series->points[series->count - 1].x : 0.0;
    *out = (lotor_growth_fit){explained(series, from, true), explained(series, from, false)};
    return !isnan(out->against_log) && !isnan(out->against_t);
}

bool lotor_fit_line(const lotor_series *series, lotor_line_fit *out)
{
    const sums all = add_up(series, 0.0, false);
    if (all.count < 3 || all.count < series->count || !(all.uu > 0.0) || !(all.vv > 0.0)) {
        return false;
    }
    const double slope = all.uv / all.uu;
    const double off = fmax(0.0, all.vv - slope * all.uv);
    double error = 0.0, noise = 0.0;
    for (size_t i = 0; i < series->count; i++) {
        const lotor_curve_point *point = &series->points[i];
        const double u = point->x - all.mean_u, v = point->mean - all.mean_v;
        /* R^2 = 1 - off/vv. Its derivative by this point uses d off = 2 rest, d vv = 2 v. */
        const double rest = v - slope * u;
        const double moves = (2.0 * rest - 2.0 * v * off / all.vv) / all.vv * point->standard_error;
        error += moves * moves;
        noise += point->standard_error * point->standard_error *
                 (1.0 - 1.0 / (double)all.count - u * u / all.uu);
    }
    *out = (lotor_line_fit){
        .slope = slope,
        .r_squared = 1.0 - off / all.vv,
        .error = sqrt(error),
        .without_noise = 1.0 - fmax(0.0, off - noise) / all.vv,
    };
    return true;
}
