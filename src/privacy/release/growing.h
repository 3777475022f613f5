/* growing.h - batches that grow by half: the schedule of batch-klucb.
 *
 * A batch that opens after n displays of its arm has max(1, ceil(n/2)) of them:
 *
 *      sizes    1 1 1 2 3 4  6  9 14 ...
 *      ends at  1 2 3 5 8 12 18 27 41 ...
 *
 * Every arm's batches end at the same numbers, whatever anybody answered. Proof: growing.md.
 */
#ifndef LOTOR_PRIVACY_RELEASE_GROWING_H
#define LOTOR_PRIVACY_RELEASE_GROWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "privacy/release/batch.h"

/* The size of a batch that opens at n. */
static inline uint64_t lotor_growing_size(uint64_t n)
{
    return n < 2 ? 1 : n / 2 + n % 2;
}

/* Where the batch of display number n + 1 ends: the least end above n. n < 2^62. */
uint64_t lotor_growing_end(uint64_t n);

/* Whether a batch opens at n: an end, or 0. */
bool lotor_growing_opens(uint64_t n);

/* How many batches may be open or released within `rounds` displays; 0: within 2^62, more than there
 * will be. */
size_t lotor_growing_count(uint64_t rounds);

/* Whether a loaded series has the schedule's sizes so far, and its next batch is open. */
bool lotor_growing_fits(const lotor_batch *batch);

#endif
