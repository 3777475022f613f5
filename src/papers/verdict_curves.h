/* verdict_curves.h - judges a claim on the curves that it names. */
#ifndef LOTOR_PAPERS_VERDICT_CURVES_H
#define LOTOR_PAPERS_VERDICT_CURVES_H

#include "papers/verdict.h"

/* Judges a claim about `first`, and about `second` if this kind of check compares two curves. */
lotor_figure_finding lotor_verdict_on_curves(const lotor_figure_result *played,
                                             const lotor_figure_check *check,
                                             const lotor_series *first, const lotor_series *second);

/* A finding; the measurement is written like printf. */
lotor_figure_finding lotor_finding(lotor_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
