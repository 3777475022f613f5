/* schedule.h - how long batches are: a schedule is one function of public numbers.
 *
 * It says how many displays a batch has that opens after n of its arm's, at least 1:
 *
 *      doubling   n + 1               sizes 1 2 4 8 16 ...            ends at 1 3 7 15 31 ...
 *      growing    max(1, ceil(n/2))         1 1 1 2 3 4 6 9 14 ...            1 2 3 5 8 12 18 27 41 ...
 *      episodes   max(1, n)                 1 1 2 4 8 ...                     1 2 4 8 16 ...
 *
 * Every arm's batches end at the same numbers, whatever anybody answered: that is what the proofs in
 * statistic.md, growing.md and episodes.md need of it.
 */
#ifndef LOTOR_PRIVACY_RELEASE_SCHEDULE_H
#define LOTOR_PRIVACY_RELEASE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "privacy/release/batch.h"

typedef uint64_t lotor_schedule(uint64_t n);

lotor_schedule lotor_doubling_size; /* dpucb-mat and its kin */
lotor_schedule lotor_growing_size;  /* batch-klucb */
lotor_schedule lotor_episode_size;  /* adap-ucb */

/* Where the batch of display number n + 1 ends: the least end above n. n < 2^62. */
uint64_t lotor_schedule_end(lotor_schedule *size, uint64_t n);

/* Whether a batch opens at n: an end, or 0. */
bool lotor_schedule_opens(lotor_schedule *size, uint64_t n);

/* How many batches may be open or released within `rounds` displays; 0: within 2^62, more than there
 * will be. */
size_t lotor_schedule_count(lotor_schedule *size, uint64_t rounds);

/* The size of batch number `number` (from 1); 0 of number 0. */
uint64_t lotor_schedule_size(lotor_schedule *size, uint64_t number);

/* Whether a loaded series has the schedule's sizes so far, and its next batch is open. */
bool lotor_schedule_fits(lotor_schedule *size, const lotor_batch *batch);

#endif
