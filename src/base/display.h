/* display.h - a decision that the caller stored for a policy, as it is passed back to the
 * policy. */
#ifndef LOTOR_BASE_DISPLAY_H
#define LOTOR_BASE_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A round that measures value records a number in place of arms (policy/evaluation.h): this one if the
 * policy chose what was shown. If it was the control, the number is this one plus 2 c + 1, where c is
 * how many arms the first place of the control was drawn from: 1 if nothing was drawn, 0 if it is not
 * known. No policy has as many arms. */
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
    return asked[0] % 2 == 0 ? LOTOR_ROUND_MEASURES : LOTOR_ROUND_CONTROLS;
}

/* Of a number that a round about value records: how many arms its control was drawn from. */
static inline uint32_t lotor_round_choices(uint32_t recorded)
{
    return (recorded - LOTOR_RECORDS_VALUE) / 2;
}

/* True if a round about value of a policy with so many arms can record this number. */
static inline bool lotor_round_can_record(uint32_t recorded, size_t arms)
{
    return recorded == LOTOR_RECORDS_VALUE ||
           (recorded > LOTOR_RECORDS_VALUE && recorded % 2 == 1 &&
            lotor_round_choices(recorded) <= arms);
}

#endif
