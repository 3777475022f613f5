/* growing.c - see growing.h.
 *
 * Sensitivity: a round is recorded for one arm, in one batch, by one number that moves by at most one
 * width, and a batch is released once: noise width / epsilon on each sum.
 */
#include "privacy/release/growing.h"

uint64_t lotor_growing_end(uint64_t n)
{
    uint64_t end = 1;
    while (end <= n) {
        end += lotor_growing_size(end);
    }
    return end;
}

bool lotor_growing_opens(uint64_t n)
{
    return n == 0 || lotor_growing_end(n - 1) == n;
}

size_t lotor_growing_count(uint64_t rounds)
{
    const uint64_t most = rounds == 0 || rounds > UINT64_C(1) << 62 ? UINT64_C(1) << 62 : rounds;
    size_t count = 1;
    for (uint64_t end = 1; end < most; end += lotor_growing_size(end)) {
        count++;
    }
    return count;
}

bool lotor_growing_fits(const lotor_batch *batch)
{
    uint64_t end = 0, size = 0;
    for (uint64_t i = 0; i < batch->releases && end < UINT64_C(1) << 62; i++) {
        size = lotor_growing_size(end);
        end += size;
    }
    return batch->releases < 128 && batch->covered == end && batch->latest_size == size &&
           batch->size == lotor_growing_size(end);
}
