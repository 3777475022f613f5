/* inbox.h - late, unordered and missing answers become one stream in the order of display.
 *
 *      show 1, 2, 3   answer 2   expire 2   expire 1   answer 3   expire 3
 *                                              │                     │
 *      drop:                                   1 (default), 2        3
 *
 * A round is final when it expires, never when it is answered: neither whether nor when a person
 * answered moves the stream. A round without an answer by then counts as the default. The
 * mechanisms behind the inbox see only what `take` gives, so they are synchronous.
 */
#ifndef LOTOR_PRIVACY_INTAKE_INBOX_H
#define LOTOR_PRIVACY_INTAKE_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#include "base/bytes.h"

typedef struct lotor_inbox lotor_inbox;

/* A final round. The pointers are good until the inbox is used again. Whether it was answered is
 * private and not told: nothing may depend on it. */
typedef struct lotor_round {
    uint64_t event;
    const uint32_t *arms; /* what was shown */
    size_t arm_count;
    const int64_t *units; /* the encoded answer, or the default */
} lotor_round;

/* At most `slots` arms a round; an answer is `contributions` numbers, `missing` when there is
 * none (copied). The caller frees the inbox. */
lotor_status lotor_inbox_new(size_t slots, size_t contributions, const int64_t *missing,
                             lotor_inbox **out);
void lotor_inbox_free(lotor_inbox *inbox);

/* Opens a round for the arms just shown; events count up from 1. LOTOR_INVALID for more arms
 * than slots, LOTOR_MEMORY: nothing was opened. */
lotor_status lotor_inbox_show(lotor_inbox *inbox, const uint32_t *arms, size_t arm_count,
                              uint64_t *event);

/* The same for rounds that each have a default of their own (contributions numbers). */
lotor_status lotor_inbox_show_with(lotor_inbox *inbox, const uint32_t *arms, size_t arm_count,
                                   const int64_t *missing, uint64_t *event);

/* Looks at an open round, and what it counts as so far. LOTOR_UNKNOWN, LOTOR_LATE as below. */
lotor_status lotor_inbox_find(const lotor_inbox *inbox, uint64_t event, lotor_round *out);

/* Keeps an encoded answer. LOTOR_UNKNOWN: never shown; LOTOR_LATE: already final, the answer is
 * dropped; LOTOR_DUPLICATE: the first answer stays. */
lotor_status lotor_inbox_answer(lotor_inbox *inbox, uint64_t event, const int64_t *units);

/* Makes a round final. Again is fine. LOTOR_UNKNOWN: never shown. */
lotor_status lotor_inbox_expire(lotor_inbox *inbox, uint64_t event);

/* Looks at the oldest round if it is final, and leaves it there. */
bool lotor_inbox_peek(const lotor_inbox *inbox, lotor_round *out);

/* Drops the oldest round if it is final, and wipes its answer: peek shows it before. */
bool lotor_inbox_drop(lotor_inbox *inbox);

/* Whether every open round shows something, and only arms below `arms`: for whoever loads a saved
 * inbox. */
bool lotor_inbox_arms_below(const lotor_inbox *inbox, size_t arms);

/* Rounds shown and not yet taken. */
size_t lotor_inbox_waiting(const lotor_inbox *inbox);

/* The inbox's section of a saved state; loading fills a new inbox of the same shape
 * (LOTOR_MEMORY), or marks the reader as damaged. */
void lotor_inbox_save(const lotor_inbox *inbox, lotor_writer *writer);
lotor_status lotor_inbox_load(lotor_inbox *inbox, lotor_reader *reader);

#endif
