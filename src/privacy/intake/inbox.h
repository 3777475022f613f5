/* inbox.h - turns late, unordered and missing feedback into one stream in the order of display.
 *
 *      show 1, 2, 3   feedback 2   expire 2   expire 1   feedback 3   expire 3
 *                                                │                       │
 *      drop:                                     1 (default), 2          3
 *
 * A round is final when it expires, never when its feedback arrives. So neither the existence nor
 * the time of feedback changes the order or the timing of the stream. If a round has no feedback
 * when it expires, the default counts. The mechanisms behind the inbox see only final rounds in the
 * order of display.
 */
#ifndef LOTOR_PRIVACY_INTAKE_INBOX_H
#define LOTOR_PRIVACY_INTAKE_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#include "base/bytes.h"

typedef struct lotor_inbox lotor_inbox;

/* A final round. The pointers are valid until the inbox is used again. Whether the round had
 * feedback is private: no field says it, and nothing may depend on it. */
typedef struct lotor_round {
    uint64_t event;
    const uint32_t *arms; /* the recorded arms */
    size_t arm_count;
    const int64_t *units; /* the encoded feedback, or the default */
} lotor_round;

/* A round has at most `slots` arms. Encoded feedback is `contributions` numbers; `missing` is the
 * default, which is copied. The caller frees the inbox. */
lotor_status lotor_inbox_new(size_t slots, size_t contributions, const int64_t *missing,
                             lotor_inbox **out);
void lotor_inbox_free(lotor_inbox *inbox);

/* Opens a round for the arms just shown. Events are numbered from 1. LOTOR_INVALID: more arms than
 * slots. After LOTOR_INVALID or LOTOR_MEMORY no round was opened. */
lotor_status lotor_inbox_show(lotor_inbox *inbox, const uint32_t *arms, size_t arm_count,
                              uint64_t *event);

/* The same for `rounds` rounds that all show these arms. *event is the first of their events. */
lotor_status lotor_inbox_show_many(lotor_inbox *inbox, const uint32_t *arms, size_t arm_count,
                                   size_t rounds, uint64_t *event);

/* The same for one round with its own default (`contributions` numbers). */
lotor_status lotor_inbox_show_with(lotor_inbox *inbox, const uint32_t *arms, size_t arm_count,
                                   const int64_t *missing, uint64_t *event);

/* Looks at an open round and what it counts as so far. LOTOR_UNKNOWN and LOTOR_LATE as below. */
lotor_status lotor_inbox_find(const lotor_inbox *inbox, uint64_t event, lotor_round *out);

/* Keeps encoded feedback. LOTOR_UNKNOWN: the round was never shown. LOTOR_LATE: the round is final,
 * and the feedback is dropped. LOTOR_DUPLICATE: the first feedback stays. */
lotor_status lotor_inbox_observe(lotor_inbox *inbox, uint64_t event, const int64_t *units);

/* The status that lotor_inbox_observe would return; the function changes nothing. */
lotor_status lotor_inbox_can_observe(const lotor_inbox *inbox, uint64_t event);

/* Makes a round final, and forgets whether it had feedback. Calling it again is allowed.
 * LOTOR_UNKNOWN: the round was never shown. */
lotor_status lotor_inbox_expire(lotor_inbox *inbox, uint64_t event);

/* Looks at the oldest round if it is final; the round stays. */
bool lotor_inbox_peek(const lotor_inbox *inbox, lotor_round *out);

/* Drops the oldest round if it is final, and wipes its feedback. Use lotor_inbox_peek before. */
bool lotor_inbox_drop(lotor_inbox *inbox);

/* Adds 1 to counts[a] for each round in the inbox whose first recorded arm is a. */
void lotor_inbox_count_arms(const lotor_inbox *inbox, uint64_t *counts);

/* The event of the round that is shown next. */
uint64_t lotor_inbox_next(const lotor_inbox *inbox);

/* How many rounds were shown and not dropped yet. */
size_t lotor_inbox_waiting(const lotor_inbox *inbox);

/* The inbox's section of a saved state. Loading fills a new inbox of the same shape and with the same
 * default; if the section does not fit, loading marks the reader as damaged. The caller checks the
 * arms and the feedback of the loaded rounds. LOTOR_MEMORY: there was no memory. */
void lotor_inbox_save(const lotor_inbox *inbox, lotor_writer *writer);
lotor_status lotor_inbox_load(lotor_inbox *inbox, lotor_reader *reader);

#endif
