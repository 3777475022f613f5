/* verdict_fit.h - lines through measured points, and how sure they are. */
#ifndef LOTOR_PAPERS_VERDICT_FIT_H
#define LOTOR_PAPERS_VERDICT_FIT_H

#include "papers/reproduce.h"

/* The value at x, between two points on the straight line; false outside. */
bool lotor_series_at(const lotor_series *series, double x, lotor_point *out);

/* log mean = slope log x + ... by least squares over the points where both are above 0. */
typedef struct lotor_fit {
    double slope;
    double slope_error; /* NaN: unknown */
    double from, to;    /* the x that were used */
    /* The error was not that of the points, which are of one run: it comes from so many slopes, or
     * from points that many more than the line needs. 0: from the points' errors. */
    size_t pieces;
} lotor_fit;

enum { LOTOR_SLOPE_PIECES = 5 };

/* Over the rounds only the last tenfold counts, where the growth shows, and its points are of the
 * same runs: the error is the largest that any dependence between them allows. Of one run, the tenfold
 * is cut into LOTOR_SLOPE_PIECES pieces of equal ratio, each with a slope of its own: the standard
 * error of their mean. What a run loses in one piece says little of what it loses in the next; and
 * where the slope itself changes, that makes the error larger, not smaller.
 *
 * Else points are trials: of all of them, and where the trials have no errors (of one run each) the
 * error comes from how far the points lie off the line. False with fewer than 3 points. */
bool lotor_fit_powers(const lotor_series *series, bool over_rounds, lotor_fit *out);

/* A straight line by least squares. */
typedef struct lotor_line {
    double slope;
    double r_squared;
    double error;         /* of R^2, from the points' errors to first order; NaN: unknown */
    double without_noise; /* R^2 less what the noise alone takes away on average */
} lotor_line;

/* False with fewer than 3 points, and where all are equally high. */
bool lotor_fit_line(const lotor_series *series, lotor_line *out);

#endif
