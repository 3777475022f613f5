/* position.h - where somebody clicked in a list, told with deniability: randomized response.
 *
 * Places are 1..slots, and slots + 1 for no click at all. The report is the true place with
 * probability p = e^epsilon / (e^epsilon + slots), any other one with q = 1 / (e^epsilon + slots).
 * A pure function of the place, the law and the coins: it needs nothing else of the library.
 */
#ifndef LOTOR_PRIVACY_LOCAL_POSITION_H
#define LOTOR_PRIVACY_LOCAL_POSITION_H

#include <stddef.h>

#include <lotor/ratio.h>

#include "privacy/noise/noise.h"

typedef struct lotor_position {
    size_t slots;
    lotor_ratio epsilon; /* infinity: the truth, always */
    double truth;        /* p */
    double spread;       /* 1/(p - q): what a report counts for, to be right on average */
    double share;        /* q/(p - q): and what is taken off it */
} lotor_position;

/* LOTOR_INVALID for epsilon = 0, or no slots. */
lotor_status lotor_position_make(size_t slots, lotor_ratio epsilon, lotor_message *why,
                                 lotor_position *out);

/* One person's report of their place. On LOTOR_ENTROPY there is none. */
lotor_status lotor_position_report(const lotor_position *law, size_t place, lotor_noise *noise,
                                   size_t *report);

#endif
