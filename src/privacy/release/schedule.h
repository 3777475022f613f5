/* schedule.h - how long batches are: a schedule is one function of public numbers.
 *
 * If a batch of an arm opens after n displays of that arm, the schedule says how many displays the
 * batch has, at least 1:
 *
 *      doubling   n + 1              sizes 1 2 4 8 16 ...           ends at 1 3 7 15 31 ...
 *      growing    max(1, ceil(n/2))        1 1 1 2 3 4 6 9 14 ...           1 2 3 5 8 12 18 27 41
 *      episodes   max(1, n)                1 1 2 4 8 ...                    1 2 4 8 16 ...
 *
 * The batches of every arm end at the same numbers, whatever the feedback was. The proofs in
 * statistic.md, growing.md and episodes.md rely on this.
 */
#ifndef LOTOR_PRIVACY_RELEASE_SCHEDULE_H
#define LOTOR_PRIVACY_RELEASE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "privacy/release/batch.h"

typedef uint64_t lotor_schedule(uint64_t n);

lotor_schedule lotor_schedule_doubling; /* dpucb-mat and similar algorithms */
lotor_schedule lotor_schedule_growing;  /* batch-klucb */
lotor_schedule lotor_schedule_episodes; /* adap-ucb, adap-klucb, dp-klucb, dp-imed */

/* The end of the batch that contains display number n + 1: the least end above n. n < 2^62. */
uint64_t lotor_schedule_end(lotor_schedule *size, uint64_t n);

/* True if a batch opens at n: n is an end, or 0. */
bool lotor_schedule_opens(lotor_schedule *size, uint64_t n);

/* How many batches can be open or released within `rounds` displays. 0 rounds: within 2^62, which
 * is never reached. */
size_t lotor_schedule_count(lotor_schedule *size, uint64_t rounds);

/* The size of batch number `number` (from 1); 0 for number 0. */
uint64_t lotor_schedule_size(lotor_schedule *size, uint64_t number);

/* True if a loaded batch has the sizes of the schedule so far, and the next batch is open. */
bool lotor_schedule_fits(lotor_schedule *size, const lotor_batch *batch);

#endif
