/* display.h - a decision that the caller stored for a policy, as it is passed back to the
 * policy. */
#ifndef LOTOR_BASE_DISPLAY_H
#define LOTOR_BASE_DISPLAY_H

#include <stddef.h>
#include <stdint.h>

typedef struct lotor_display {
    const uint32_t *arms; /* in the order of display */
    size_t count;
    const uint32_t *asked;
    size_t asked_count;
    const double *action; /* linear: the shown action's `dimension` numbers; else NULL */
} lotor_display;

#endif
