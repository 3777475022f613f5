/* span.h - decides whether an integer vector is in the span of the vectors kept so far, modulo
 * primes.
 *
 * For each prime, a span holds the linear functionals that vanish on all vectors kept so far. At
 * first these are the coordinates:
 *
 *      kept: none              x, y, z
 *      kept: (1,0,1)           y, z - x              (2,0,2) gives 0, 0: dependent
 *      kept: (1,0,1) (0,1,1)   z - x - y
 *
 * A vector is dependent if all functionals vanish on it. Any other vector can be kept. Then one
 * functional that does not vanish on the vector is removed, after a multiple of it was added to
 * each of the others to make them vanish. This needs no division, and the cost depends only on the
 * nonzero entries of a vector.
 */
#ifndef LOTOR_CHOICE_SPAN_H
#define LOTOR_CHOICE_SPAN_H

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "choice/prime.h"

/* All vectors, as sparse rows. */
typedef struct lotor_vectors {
    size_t columns;   /* how many coordinates are used */
    size_t primes;    /* how many primes are needed */
    size_t entries;   /* how many entries of all vectors are not 0 */
    size_t *start;    /* vector i has the entries start[i] .. start[i+1]-1 */
    uint32_t *column; /* the coordinate of each entry */
    uint64_t *value; /* the value of each entry modulo the first prime, then modulo the next, ... */
} lotor_vectors;

/* The functionals of one prime. Functional i began as coordinate i. Its coefficients can be nonzero
 * only at its own coordinate and at the coordinates of removed functionals. */
typedef struct lotor_span {
    uint64_t offset;       /* of the prime: see prime.h */
    const uint64_t *value; /* the values of the entries modulo the prime */
    bool alive;            /* the kept vectors are independent modulo this prime, too */
    size_t left;           /* how many functionals are left */
    uint32_t *live;        /* the `left` functionals, then the removed ones */
    uint64_t *functional;  /* columns x columns coefficients */
    uint64_t *image;       /* image[i]: the value of functional live[i] on the current vector */
} lotor_span;

static inline size_t lotor_span_bytes(size_t columns)
{
    return (columns * columns + columns) * sizeof(uint64_t) +
           (columns + columns % 2) * sizeof(uint32_t);
}

/* Starts with no vector kept. `work` has lotor_span_bytes(columns) bytes for each prime. */
static inline void lotor_span_begin(const lotor_vectors *vectors, size_t prime, unsigned char *work,
                                    lotor_span *space)
{
    assert(prime < vectors->primes && vectors->primes <= LOTOR_PRIMES);
    const size_t columns = vectors->columns;
    work += prime * lotor_span_bytes(columns);
    space->offset = lotor_prime_offset[prime];
    space->value = vectors->value + prime * vectors->entries;
    space->alive = true;
    space->left = columns;
    space->functional = (uint64_t *)(void *)work;
    space->image = space->functional + columns * columns;
    space->live = (uint32_t *)(void *)(space->image + columns);
    memset(space->functional, 0, columns * columns * sizeof(uint64_t));
    for (size_t i = 0; i < columns; i++) {
        space->functional[i * columns + i] = 1;
        space->live[i] = (uint32_t)i;
    }
}

/* Is there a functional that does not vanish on the vector? Fills `image`. */
static inline bool lotor_span_misses(const lotor_vectors *vectors, lotor_span *space,
                                     uint32_t vector, uint64_t offset)
{
    const size_t end = vectors->start[vector + 1];
    uint64_t any = 0;
    for (size_t i = 0; i < space->left; i++) {
        const uint64_t *const functional = space->functional + space->live[i] * vectors->columns;
        lotor_u128 sum = 0;
        for (size_t at = vectors->start[vector]; at < end;) {
            const size_t stop = /* one term fewer, because `sum` is a term, too */
                end - at < LOTOR_PRIME_TERMS ? end : at + LOTOR_PRIME_TERMS - 1;
            for (; at < stop; at++) {
                sum += (lotor_u128)functional[vectors->column[at]] * space->value[at];
            }
            sum = lotor_prime_reduce(sum, offset);
        }
        space->image[i] = (uint64_t)sum;
        any |= (uint64_t)sum;
    }
    return any != 0;
}

/* target := clear * target - image * source, for the coefficients that can be nonzero. */
static inline void lotor_span_clear(const lotor_span *space, size_t columns, uint32_t target,
                                    uint64_t image, uint32_t source, uint64_t clear,
                                    uint64_t offset)
{
    uint64_t *const to = space->functional + target * columns;
    const uint64_t *const from = space->functional + source * columns;
    const uint64_t minus = lotor_prime_negative(image, offset);
    for (size_t i = space->left; i < columns; i++) {
        const uint32_t at = space->live[i];
        to[at] =
            lotor_prime_reduce((lotor_u128)to[at] * clear + (lotor_u128)from[at] * minus, offset);
    }
    to[target] = lotor_prime_reduce((lotor_u128)to[target] * clear, offset);
    to[source] = lotor_prime_reduce((lotor_u128)from[source] * minus, offset);
}

/* Keeps the vector that lotor_span_misses was called with. */
static inline void lotor_span_join(const lotor_vectors *vectors, lotor_span *space, uint64_t offset)
{
    assert(space->left > 0);
    size_t leaving = 0;
    while (space->image[leaving] == 0) {
        leaving++;
        assert(leaving < space->left);
    }
    const uint32_t source = space->live[leaving];
    const uint64_t clear = space->image[leaving];
    for (size_t i = leaving + 1; i < space->left; i++) { /* those before `leaving` vanish already */
        if (space->image[i] != 0) {
            lotor_span_clear(space, vectors->columns, space->live[i], space->image[i], source,
                             clear, offset);
        }
    }
    space->left--;
    space->live[leaving] = space->live[space->left];
    space->live[space->left] = source;
}

/* The common case: only the first prime. The compiler can use that its offset is 1. */
static inline bool lotor_span_joins_first(const lotor_vectors *vectors, lotor_span *space,
                                          uint32_t vector)
{
    if (!lotor_span_misses(vectors, space, vector, lotor_prime_offset[0])) {
        return false;
    }
    lotor_span_join(vectors, space, lotor_prime_offset[0]);
    return true;
}

static inline bool lotor_span_joins_any(const lotor_vectors *vectors, lotor_span *space,
                                        uint32_t vector)
{
    bool misses[LOTOR_PRIMES] = {false};
    bool any = false;
    for (size_t i = 0; i < vectors->primes; i++) {
        misses[i] =
            space[i].alive && lotor_span_misses(vectors, &space[i], vector, space[i].offset);
        any |= misses[i];
    }
    for (size_t i = 0; any && i < vectors->primes; i++) {
        space[i].alive = misses[i];
        if (misses[i]) {
            lotor_span_join(vectors, &space[i], space[i].offset);
        }
    }
    return any;
}

/* Keeps the vector if it is independent of the vectors kept so far; otherwise returns false.
 * `space` has one entry per prime. */
static inline bool lotor_span_joins(const lotor_vectors *vectors, lotor_span *space,
                                    uint32_t vector)
{
    return vectors->primes == 1 ? lotor_span_joins_first(vectors, space, vector)
                                : lotor_span_joins_any(vectors, space, vector);
}

#endif
