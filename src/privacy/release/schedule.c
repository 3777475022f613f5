/* schedule.c - the sizes of batches (schedule.h).
 *
 * Sensitivity, for all schedules: an observation is in one batch, and a batch is released once. So
 * noise l1 / epsilon on each sum is enough, where l1 is how far one round moves the sums of all
 * arms.
 */
#include "privacy/release/schedule.h"

#include <assert.h>

uint64_t lotor_schedule_doubling(uint64_t n)
{
    return n + 1;
}

uint64_t lotor_schedule_growing(uint64_t n)
{
    return n < 2 ? 1 : n / 2 + n % 2;
}

uint64_t lotor_schedule_episodes(uint64_t n)
{
    return n == 0 ? 1 : n;
}

uint64_t lotor_schedule_end(lotor_schedule *size, uint64_t n)
{
    assert(n < UINT64_C(1) << 62);
    uint64_t end = size(0);
    while (end <= n) {
        end += size(end);
    }
    assert(end > n);
    return end;
}

bool lotor_schedule_opens(lotor_schedule *size, uint64_t n)
{
    return n == 0 || lotor_schedule_end(size, n - 1) == n;
}

size_t lotor_schedule_count(lotor_schedule *size, uint64_t rounds)
{
    const uint64_t most = rounds == 0 || rounds > UINT64_C(1) << 62 ? UINT64_C(1) << 62 : rounds;
    size_t count = 1;
    for (uint64_t end = size(0); end < most; end += size(end)) {
        count++;
    }
    return count;
}

/* The end and the size of batch `number`; false if that is beyond 2^62. */
static bool find_batch(lotor_schedule *size, uint64_t number, uint64_t *end, uint64_t *own)
{
    *end = *own = 0;
    uint64_t i = 0;
    for (; i < number && *end < UINT64_C(1) << 61; i++) {
        *own = size(*end);
        *end += *own;
    }
    return i == number;
}

uint64_t lotor_schedule_size(lotor_schedule *size, uint64_t number)
{
    uint64_t end, own;
    return find_batch(size, number, &end, &own) ? own : 0;
}

bool lotor_schedule_fits(lotor_schedule *size, const lotor_batch *batch)
{
    uint64_t end, own;
    return find_batch(size, batch->releases, &end, &own) && batch->covered == end &&
           batch->latest_size == own && batch->size == size(end);
}
