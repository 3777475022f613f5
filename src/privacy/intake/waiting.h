/* waiting.h - the table of feedback that waits until its decision is final, by (decision, nonce).
 *
 *      slots    0  3  0  1  2  0  0  0      entry number from 1, at or after the hash
 *                  │     │  │
 *      entries  [ decision, nonce, used, units... ] [ ... ] [ ... ]      dense, in no order
 *
 * It is a hash table with linear probing. Only the decision is hashed, so all entries of one
 * decision are found together. Memory grows with the number of waiting entries, not with the number
 * of open decisions. Nothing is allocated between doublings. Dropped entries are wiped.
 */
#ifndef LOTOR_PRIVACY_INTAKE_WAITING_H
#define LOTOR_PRIVACY_INTAKE_WAITING_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

typedef struct lotor_waiting_table {
    size_t width; /* the most units of an entry */
    int64_t *entries;
    size_t count, room;
    uint32_t *slots; /* 2 * room */
    unsigned bits;   /* 2^bits slots */
    uint64_t below;  /* no entry has a decision below this */
} lotor_waiting_table;

/* An empty table, which has no memory yet. */
static inline lotor_waiting_table lotor_waiting_table_of(size_t width)
{
    return (lotor_waiting_table){.width = width};
}

/* Adds an entry of 1 to `width` units; the caller writes them to *units. If there is an entry for
 * (decision, nonce) already, it stays, and *units is NULL. LOTOR_MEMORY: nothing changed. */
lotor_status lotor_waiting_table_add(lotor_waiting_table *waiting, uint64_t decision,
                                     uint64_t nonce, size_t used, int64_t **units);

/* The units of an entry; NULL if there is none. Valid until the next change. */
const int64_t *lotor_waiting_table_find(const lotor_waiting_table *waiting, uint64_t decision,
                                        uint64_t nonce, size_t *used);

void lotor_waiting_table_drop(lotor_waiting_table *waiting, uint64_t decision); /* for all nonces */
void lotor_waiting_table_forget(lotor_waiting_table *waiting,
                                uint64_t final);              /* all decisions up to `final` */
void lotor_waiting_table_clear(lotor_waiting_table *waiting); /* all; frees the memory */

#endif
