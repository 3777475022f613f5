/* display.h - a decision that the caller stored for a policy, as it is passed back to the
 * policy. */
#ifndef LOTOR_BASE_DISPLAY_H
#define LOTOR_BASE_DISPLAY_H

#include <stddef.h>
#include <stdint.h>

/* A round that measures value records one of two numbers in place of arms: this one if the policy
 * chose what was shown, and the next one if it was the control (policy/evaluation.h). No policy has as
 * many arms. */
enum { LOTOR_RECORDS_VALUE = 1 << 30 };

typedef enum lotor_round_role {
    LOTOR_ROUND_LEARNS = 0,
    LOTOR_ROUND_MEASURES = 1,
    LOTOR_ROUND_CONTROLS = 2
} lotor_round_role;

typedef struct lotor_display {
    const uint32_t *arms; /* in the order of display */
    size_t count;
    const uint32_t *asked; /* the arms whose rewards are recorded, or a number for value */
    size_t asked_count;
    const double *action; /* linear: the shown action's `dimension` numbers; else NULL */
} lotor_display;

/* The role of the round of a decision that records these arms. */
static inline lotor_round_role lotor_round_role_of(const uint32_t *asked, size_t asked_count)
{
    if (asked_count != 1 || asked[0] < LOTOR_RECORDS_VALUE) {
        return LOTOR_ROUND_LEARNS;
    }
    return asked[0] == LOTOR_RECORDS_VALUE ? LOTOR_ROUND_MEASURES : LOTOR_ROUND_CONTROLS;
}

#endif
