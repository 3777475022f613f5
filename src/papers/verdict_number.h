/* verdict_number.h - numbers with errors: what a point says about the paper's horizon, how two
 * numbers compare, and how they are written. */
#ifndef LOTOR_PAPERS_VERDICT_NUMBER_H
#define LOTOR_PAPERS_VERDICT_NUMBER_H

#include "papers/verdict.h"

/* The number of standard errors that a difference must be away from its threshold: Student's t at
 * 95%, two-sided. From 11 runs on it is 2 + 2.6/(runs - 1), which is never less. */
double lotor_errors_apart(uint64_t runs);

/* True if `margin` is at least 0 (if `is_strict`: above 0), given its standard error. */
lotor_verdict lotor_verdict_of_margin(double apart, double margin, double standard_error,
                                      bool is_strict);

/* The verdict of a claim with two parts: fails if one part fails, otherwise open if one is open. */
lotor_verdict lotor_verdict_worse(lotor_verdict one, lotor_verdict other);

/* The range in which the number of a point would lie at the paper's horizon. If that horizon was
 * played, the range is the measured mean.
 *
 * With T' of T rounds played, the regret at T is at least the regret R at T', because regret never
 * falls. We assume that a learner does not lose more per round later than earlier. Then the regret at
 * T is at most R T/T', and at most R + (T - T') times the loss per round in the last half of the
 * T' rounds, if that is known. */
typedef struct lotor_reach {
    double low, high;
    double low_error, high_error; /* standard errors; NaN: one run */
    lotor_curve_point point;      /* as measured */
} lotor_reach;

/* The estimate of a point of a series. */
lotor_reach lotor_reach_of(const lotor_figure_result *played, const lotor_series *series,
                           size_t number);
lotor_reach lotor_reach_last(const lotor_figure_result *played, const lotor_series *series);

/* True if times * small <= large (if `is_strict`: <). One run has no known error: then a factor of
 * LOTOR_ONE_RUN decides. */
enum { LOTOR_ONE_RUN = 3 };
lotor_verdict lotor_reach_below(double apart, const lotor_reach *small, double times,
                                const lotor_reach *large, bool is_strict);

/* True if one of the two is from a single run, so that the factor decides. */
bool lotor_reach_is_single(const lotor_reach *one);
lotor_verdict lotor_verdict_single(double large, double small);

/* A number as text: "22,440 ± 180", "0.0123 (one run)", "7". */
typedef struct lotor_number_text {
    char text[64];
} lotor_number_text;
lotor_number_text lotor_show_point(const lotor_curve_point *point);

/* A number with at most four significant digits, and commas between thousands. */
lotor_number_text lotor_show_number(double value);

/* True if the paper's horizon was not played, so that estimates are ranges. */
bool lotor_figure_is_shorter(const lotor_figure_result *played);

#endif
