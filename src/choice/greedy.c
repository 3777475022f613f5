/* greedy.c - the lazy greedy search for vertices; greedy.h describes it. */
#include "choice/greedy.h"

#include <assert.h>

/* How many uint32_t the search needs; rounded up to an even number, because doubles follow them. */
static size_t numbers(size_t vertices, size_t seeds)
{
    return (seeds + 3 * vertices + 1) / 2 * 2;
}

size_t lotor_greedy_bytes(size_t vertices, size_t seeds)
{
    return numbers(vertices, seeds) * sizeof(uint32_t) + vertices * sizeof(double);
}

void *lotor_greedy_lay(lotor_greedy *greedy, size_t vertices, size_t seeds, void *work)
{
    uint32_t *const first = work;
    *greedy = (lotor_greedy){
        .vertices = vertices,
        .picked = first,
        .heap = first + seeds,
        .place = first + seeds + vertices,
        .round = first + seeds + 2 * vertices,
        .bound = (void *)(first + numbers(vertices, seeds)),
    };
    return greedy->bound + vertices;
}

/* The order of the heap: the larger bound first; ties are broken as greedy.h says. */
static inline bool before(const lotor_greedy *greedy, uint32_t a, uint32_t b)
{
    if (greedy->bound[a] != greedy->bound[b]) {
        return greedy->bound[a] > greedy->bound[b];
    }
    return greedy->place[a] != greedy->place[b] ? greedy->place[a] < greedy->place[b] : a < b;
}

/* Moves the vertex at `at` down to its place in a heap of `count` vertices. */
static void sift(const lotor_greedy *greedy, size_t at, size_t count)
{
    uint32_t *const heap = greedy->heap;
    const uint32_t vertex = heap[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && before(greedy, heap[child + 1], heap[child])) {
            child++;
        }
        if (!before(greedy, heap[child], vertex)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = vertex;
}

/* Computes the gain of each vertex alone, and makes the heap. */
static void start(lotor_greedy *greedy, size_t arms, const uint32_t *owner, const uint32_t *order,
                  lotor_greedy_add *add, void *context)
{
    for (size_t i = 0; i < greedy->vertices; i++) {
        greedy->heap[i] = (uint32_t)i;
        greedy->place[i] = UINT32_MAX; /* stays so if the vertex has no edge */
        greedy->round[i] = 0;
        greedy->bound[i] = add(context, (uint32_t)i, false);
    }
    for (size_t i = arms; i-- > 0;) {
        assert(order[i] < arms && owner[order[i]] < greedy->vertices);
        greedy->place[owner[order[i]]] = (uint32_t)i;
    }
    for (size_t i = greedy->vertices / 2; i-- > 0;) {
        sift(greedy, i, greedy->vertices);
    }
}

void lotor_greedy_pick(lotor_greedy *greedy, size_t seeds, size_t arms, const uint32_t *owner,
                       const uint32_t *order, lotor_greedy_add *add, void *context)
{
    assert(seeds <= greedy->vertices);
    uint32_t *const heap = greedy->heap;
    start(greedy, arms, owner, order, add, context);
    for (uint32_t round = 0; round < seeds; round++) {
        const size_t count = greedy->vertices - round;
        while (greedy->round[heap[0]] != round) {
            greedy->bound[heap[0]] = add(context, heap[0], false);
            greedy->round[heap[0]] = round;
            sift(greedy, 0, count);
        }
        greedy->picked[round] = heap[0];
        (void)add(context, heap[0], true);
        heap[0] = heap[count - 1];
        sift(greedy, 0, count - 1);
    }
}
