/* verdict_fit.h - lines through measured points, and how sure they are. */
#ifndef LOTOR_LAB_VERDICT_FIT_H
#define LOTOR_LAB_VERDICT_FIT_H

#include "lab/reproduce.h"

/* The value at x, between two points on the straight line; false outside. */
bool lotor_series_at(const lotor_series *series, double x, lotor_point *out);

/* log mean = slope log x + ... by least squares over the points where both are above 0. */
typedef struct lotor_fit {
    double slope;
    double slope_error; /* NaN: unknown */
    double from, to;    /* the x that were used */
} lotor_fit;

/* Over the rounds only the last tenfold counts, where the growth shows, and its points are of the
 * same runs: the error is the largest that any dependence between them allows. Else points are
 * trials: of all of them, and where the trials have no errors (of one run each) the error comes from
 * how far the points lie off the line. False with fewer than 3 points. */
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
