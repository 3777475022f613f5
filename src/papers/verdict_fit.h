/* verdict_fit.h - fits lines through measured points, with error estimates. */
#ifndef LOTOR_PAPERS_VERDICT_FIT_H
#define LOTOR_PAPERS_VERDICT_FIT_H

#include "papers/reproduce.h"

/* The value at x by linear interpolation; false outside the points. */
bool lotor_series_at(const lotor_series *series, double x, lotor_curve_point *out);

/* log mean = slope log x + ... by least squares over the points where both are above 0. */
typedef struct lotor_slope_fit {
    double slope;
    double slope_error; /* NaN: unknown */
    double from, to;    /* the range of x that was used */
    /* If the points are of one run, they have no errors. Then the slope's error comes from this
     * many slopes of pieces, or from this many points beyond what the line needs. 0: from the
     * points' errors. */
    size_t pieces;
} lotor_slope_fit;

enum { LOTOR_SLOPE_PIECES = 5 };

/* Over the rounds, only the last factor of ten counts, where the growth shows. Its points are of
 * the same runs, so the error is the largest that any dependence between them allows. For a single
 * run, this range is divided into LOTOR_SLOPE_PIECES pieces of equal ratio, each with its own
 * slope. The error is then the standard error of the mean slope. The loss of a run in one piece
 * says little about the next piece. If the slope itself changes, that makes the error larger, not
 * smaller.
 *
 * Over a setting, points are experiments, and all of them count. If the experiments have no errors
 * (one run each), the error comes from the distances of the points from the line. False with fewer
 * than 3 points. */
bool lotor_fit_powers(const lotor_series *series, bool over_rounds, lotor_slope_fit *out);

/* The range of the slope over a setting, if each point lies anywhere in its range at the paper's
 * horizon (verdict_number.h). False if there are too few points. */
bool lotor_slope_range(const lotor_figure_result *played, const lotor_series *series, double *least,
                       double *most);

/* How well straight lines against log t and against t fit the last factor of ten of the rounds: the
 * share of the variance that each explains. False with fewer than 3 points, or without growth. */
typedef struct lotor_growth_fit {
    double against_log, against_t;
} lotor_growth_fit;
bool lotor_fit_growth(const lotor_series *series, lotor_growth_fit *out);

/* A straight line by least squares. */
typedef struct lotor_line_fit {
    double slope;
    double r_squared;
    double error;         /* of R^2, from the points' errors to first order; NaN: unknown */
    double without_noise; /* R^2 corrected for the average effect of noise */
} lotor_line_fit;

/* False with fewer than 3 points, or if all have the same mean. */
bool lotor_fit_line(const lotor_series *series, lotor_line_fit *out);

#endif
