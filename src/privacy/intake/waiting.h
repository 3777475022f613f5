/* waiting.h - feedback that waits until its decision is final, by (decision, nonce).
 *
 *      slots    0  3  0  1  2  0  0  0      number of an entry from 1, at its decision's hash or after it
 *                  │     │  │
 *      entries  [ decision, nonce, used, units... ] [ ... ] [ ... ]      dense, in no order
 *
 * A hash table with linear probing. Only the decision is hashed, so that all entries of one decision are found
 * together. The memory follows the number of answers, not that of open decisions. Nothing is allocated
 * between doublings. What is dropped is wiped.
 */
#ifndef LOTOR_PRIVACY_INTAKE_WAITING_H
#define LOTOR_PRIVACY_INTAKE_WAITING_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

typedef struct lotor_waiting {
    size_t width; /* units of an entry, at most */
    int64_t *entries;
    size_t count, room;
    uint32_t *slots; /* 2 x room */
    unsigned bits;   /* 2^bits slots */
    uint64_t below;  /* no entry has a decision below this */
} lotor_waiting;

/* Empty, and without memory of its own. */
static inline lotor_waiting lotor_waiting_of(size_t width)
{
    return (lotor_waiting){.width = width};
}

/* Adds an entry of 1 to `width` units, which the caller writes to *units. If there is one for (decision,
 * nonce), that one stays, and *units is NULL. LOTOR_MEMORY: nothing changed. */
lotor_status lotor_waiting_add(lotor_waiting *waiting, uint64_t decision, uint64_t nonce,
                               size_t used, int64_t **units);

/* NULL: none. Good until the next change. */
const int64_t *lotor_waiting_find(const lotor_waiting *waiting, uint64_t decision, uint64_t nonce,
                                  size_t *used);

void lotor_waiting_drop(lotor_waiting *waiting, uint64_t decision); /* with any nonce */
void lotor_waiting_forget(lotor_waiting *waiting, uint64_t final);  /* all up to `final` */
void lotor_waiting_clear(lotor_waiting *waiting);                   /* all; frees the memory */

#endif
