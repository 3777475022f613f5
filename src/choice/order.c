/* order.c - sorts the arms by decreasing index. Nothing is allocated.
 *
 * Thompson sampling needs a new order in every round, so the case that matters is few arms with
 * different indices. There, the place of an arm is the number of arms above it. These numbers are
 * counted for several arms at once, without branches (random indices would make branch prediction
 * fail). If the places do not add up to 0 + 1 + 2 + ..., some indices are equal or NaN; then the
 * arms are sorted by insertion with the full rule. More arms are sorted in runs of 16, which are
 * merged. Very many arms are sorted with a heap.
 */
#include <assert.h>
#include <string.h>

#include "choice/oracle.h"

enum { FEW = 32, RUN = 16, MANY = 1024 };

/* Is arm a before arm b? A strict total order: if nothing else decides, the lower arm is first. */
static inline bool before(const double *index, const uint64_t *tie, uint32_t a, uint32_t b)
{
    const double index_a = index[a];
    const double index_b = index[b];
    if (index_a > index_b) {
        return true;
    }
    if (index_a < index_b) {
        return false;
    }
    const bool nan_a = index_a != index_a;
    const bool nan_b = index_b != index_b;
    if (nan_a != nan_b) {
        return nan_b;
    }
    if (tie && tie[a] != tie[b]) {
        return tie[a] > tie[b];
    }
    return a < b;
}

/* Two numbers in one vector register. */
typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_count __attribute__((vector_size(16)));

/* Sorts the arms if all indices differ. Otherwise returns false, and `order` is not usable. */
static bool order_different(size_t arms, const double *index, uint32_t *order)
{
    size_t sum = 0;
    size_t i = 0;
    for (; i + 2 <= arms; i += 2) {
        const pair value = {index[i], index[i + 1]};
        pair_count place = {0, 0};
        for (size_t j = 0; j < arms; j++) {
            const pair other = {index[j], index[j]};
            place -= other > value; /* true is -1 */
        }
        order[place[0]] = (uint32_t)i;
        order[place[1]] = (uint32_t)i + 1;
        sum += (size_t)(place[0] + place[1]);
    }
    if (i < arms) {
        size_t place = 0;
        for (size_t j = 0; j < i; j++) {
            place += index[j] > index[i];
        }
        order[place] = (uint32_t)i;
        sum += place;
    }
    return sum == arms * (arms - 1) / 2; /* a pair with equal indices, or a NaN, is not counted */
}

static void order_by_insertion(size_t arms, const double *index, const uint64_t *tie,
                               uint32_t *order)
{
    for (size_t i = 0; i < arms; i++) {
        const uint32_t arm = (uint32_t)i;
        size_t at = i;
        for (; at > 0 && before(index, tie, arm, order[at - 1]); at--) {
            order[at] = order[at - 1];
        }
        order[at] = arm;
    }
}

static inline void order_few(size_t arms, const double *index, const uint64_t *tie, uint32_t *order)
{
    if (!order_different(arms, index, order)) {
        order_by_insertion(arms, index, tie, order);
    }
}

/* Merges two sorted runs: from[0] to from[half - 1], and from[half] to from[count - 1]. */
static void merge(const double *index, const uint64_t *tie, const uint32_t *from, size_t half,
                  size_t count, uint32_t *to)
{
    size_t left = 0;
    size_t right = half;
    for (size_t i = 0; i < count; i++) {
        const bool take_right =
            left == half || (right < count && before(index, tie, from[right], from[left]));
        to[i] = from[take_right ? right : left];
        right += take_right;
        left += !take_right;
    }
}

static void order_by_merging(size_t arms, const double *index, const uint64_t *tie, uint32_t *order)
{
    assert(arms <= MANY);
    uint32_t other[MANY];
    uint32_t *from = order;
    uint32_t *to = other;
    for (size_t start = 0; start < arms; start += RUN) {
        const size_t count = arms - start < RUN ? arms - start : RUN;
        order_few(count, index + start, tie ? tie + start : NULL, order + start);
        for (size_t i = 0; i < count; i++) {
            order[start + i] += (uint32_t)start;
        }
    }
    for (size_t half = RUN; half < arms; half *= 2) {
        for (size_t start = 0; start < arms; start += 2 * half) {
            const size_t left = arms - start;
            merge(index, tie, from + start, left < half ? left : half,
                  left < 2 * half ? left : 2 * half, to + start);
        }
        uint32_t *const swap = from;
        from = to;
        to = swap;
    }
    if (from != order) {
        memcpy(order, from, arms * sizeof *order);
    }
}

/* Moves the root down to its place. The arm that comes *last* in the order is at the root of the
 * heap. */
static void sift(const double *index, const uint64_t *tie, uint32_t *heap, size_t root,
                 size_t count)
{
    const uint32_t arm = heap[root];
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && before(index, tie, heap[child], heap[child + 1])) {
            child++;
        }
        if (!before(index, tie, arm, heap[child])) {
            break;
        }
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = arm;
}

static void order_by_heap(size_t arms, const double *index, const uint64_t *tie, uint32_t *order)
{
    for (size_t i = 0; i < arms; i++) {
        order[i] = (uint32_t)i;
    }
    for (size_t i = arms / 2; i-- > 0;) {
        sift(index, tie, order, i, arms);
    }
    for (size_t count = arms; count > 1; count--) {
        const uint32_t last = order[0];
        order[0] = order[count - 1];
        order[count - 1] = last;
        sift(index, tie, order, 0, count - 1);
    }
}

void lotor_oracle_order(size_t arms, const double *index, const uint64_t *tie, uint32_t *order)
{
    if (arms <= FEW) {
        order_few(arms, index, tie, order);
    } else if (arms <= MANY) {
        order_by_merging(arms, index, tie, order);
    } else {
        order_by_heap(arms, index, tie, order);
    }
}
