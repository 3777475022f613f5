/* position.h - reports the position of a click in a list by randomized response.
 *
 * Places are 1..slots, and slots + 1 for no click. The report is the true place with probability p
 * = e^epsilon / (e^epsilon + slots), and each other place with probability q = 1 / (e^epsilon +
 * slots). The report is a pure function of the place, the law and the random source.
 */
#ifndef LOTOR_PRIVACY_LOCAL_POSITION_H
#define LOTOR_PRIVACY_LOCAL_POSITION_H

#include <stddef.h>

#include <lotor/ratio.h>

#include "privacy/noise/noise.h"

typedef struct lotor_position {
    size_t slots;
    lotor_ratio epsilon; /* infinite: the report is always true */
    double truth;        /* p */
    double spread;       /* 1/(p - q): the weight of a report in an unbiased estimate ... */
    double share;        /* q/(p - q): ... and what is subtracted for each report */
} lotor_position;

/* LOTOR_INVALID if epsilon or slots is 0. */
lotor_status lotor_position_make(size_t slots, lotor_ratio epsilon, lotor_message *why,
                                 lotor_position *out);

/* Draws one person's report of the position of their click. LOTOR_ENTROPY: there is no report. */
lotor_status lotor_position_report(const lotor_position *law, size_t place, lotor_noise *noise,
                                   size_t *report);

#endif
