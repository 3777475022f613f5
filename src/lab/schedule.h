/* schedule.h - which arms there are in each round, if arms come and go.
 *
 *      "100:+2,500:-0"       arm      0   1   2
 *      rounds 1 to 99                 x   x
 *      rounds 100 to 499              x   x   x
 *      rounds 500 to the end              x   x
 *
 * An arm whose first entry lets it come is not there before. All other arms are there from the start.
 */
#ifndef LOTOR_LAB_SCHEDULE_H
#define LOTOR_LAB_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

enum {
    LOTOR_SCHEDULE_MAX = 1000,         /* entries */
    LOTOR_SCHEDULE_CELLS_MAX = 1 << 26 /* periods x arms */
};

/* A period is a range of rounds with the same arms. All arms are there if there are 0 periods. */
typedef struct lotor_arm_schedule {
    size_t arms, periods;
    uint64_t *first; /* per period: how many rounds are before it; 0 for the first */
    bool *there;     /* periods x arms */
} lotor_arm_schedule;

/* Reads "ROUND:+ARM" (the arm comes at the start of this round) and "ROUND:-ARM" (it goes), with
 * commas between. Rounds count from 1, arms from 0; rounds must not decrease. NULL means no periods.
 * LOTOR_INVALID: the message starts with "schedule" and quotes the text. Clear *out in any case. */
lotor_status lotor_arm_schedule_read(const char *text, size_t arms, lotor_message *why,
                                     lotor_arm_schedule *out);
void lotor_arm_schedule_clear(lotor_arm_schedule *schedule);

/* Refuses a schedule with fewer than `least` arms at once in the first `horizon` rounds. */
lotor_status lotor_arm_schedule_check(const lotor_arm_schedule *schedule, size_t least,
                                      uint64_t horizon, lotor_message *why);

#endif
