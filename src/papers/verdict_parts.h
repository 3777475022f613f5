/* verdict_parts.h - inside verdicts: judging numbers that are known up to their errors. */
#ifndef LOTOR_PAPERS_VERDICT_PARTS_H
#define LOTOR_PAPERS_VERDICT_PARTS_H

#include "papers/reproduce.h"

lotor_finding lotor_verdict_found(lotor_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Of several parts of one claim: one that fails decides, then one that can't be told. */
lotor_verdict lotor_verdict_worse(lotor_verdict one, lotor_verdict other);

/* How many standard errors a difference must be away, for so many runs. */
double lotor_verdict_errors_apart(uint64_t runs);

/* Whether `margin` is at least 0 (or, where it must be, above), given its standard error. */
lotor_verdict lotor_verdict_judge(double apart, double margin, double standard_error,
                                  bool is_strict);

/* Whether small <= large, where no error is known. */
lotor_verdict lotor_verdict_judge_single(double large, double small);

/* Whether times * small <= large. */
lotor_verdict lotor_verdict_is_below(double apart, const lotor_point *small, double times,
                                     const lotor_point *large, bool is_strict);

/* "12.5 +- 0.3", or without the error where there is none. */
typedef struct verdict_number {
    char text[48];
} verdict_number;
verdict_number lotor_verdict_show(const lotor_point *point);

/* What is to be said of findings from one run. */
const char *lotor_verdict_of_one_run(const lotor_point *one, const lotor_point *other);

#endif
