/* span.h - which integer vectors lie in the span of those kept so far, modulo primes.
 *
 * For each prime the functionals that vanish on the vectors kept so far are held, at first the
 * coordinates:
 *
 *      kept: none              x, y, z
 *      kept: (1,0,1)           y, z - x              (2,0,2) gives 0, 0: dependent
 *      kept: (1,0,1) (0,1,1)   z - x - y
 *
 * A vector on which all vanish is dependent. Another one is kept: one functional that does not
 * vanish on it leaves, after the rest were cleared with it. That needs no division, and a vector
 * costs only its nonzero entries.
 */
#ifndef LOTOR_CHOICE_SPAN_H
#define LOTOR_CHOICE_SPAN_H

#include <stdbool.h>
#include <string.h>

#include "choice/prime.h"

/* The vectors, all at once; sparse. */
typedef struct lotor_vectors {
    size_t columns;   /* coordinates that are looked at */
    size_t primes;    /* how many it takes */
    size_t entries;   /* nonzero, of all vectors */
    size_t *start;    /* vector i has entries start[i] .. start[i+1]-1 */
    uint32_t *column; /* of each entry */
    uint64_t *value;  /* of each entry modulo the first prime, then modulo the next, ... */
} lotor_vectors;

/* The functionals of one prime. Functional i is that which began as coordinate i: besides its own
 * coordinate it has coefficients only at those of functionals that have left. */
typedef struct lotor_span {
    uint64_t offset;       /* of the prime */
    const uint64_t *value; /* of the entries, modulo it */
    bool alive;            /* the vectors kept are independent modulo this prime too */
    size_t left;
    uint32_t *live;       /* the `left` functionals, then those that have left */
    uint64_t *functional; /* columns x columns */
    uint64_t *image;      /* of the vector looked at, under live[i] */
} lotor_span;

static inline size_t lotor_span_bytes(size_t columns)
{
    return (columns * columns + columns) * sizeof(uint64_t) +
           (columns + columns % 2) * sizeof(uint32_t);
}

static inline void lotor_span_begin(const lotor_vectors *vectors, size_t prime, unsigned char *work,
                                    lotor_span *space)
{
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

/* Does some functional not vanish on the vector? Fills `image`. */
static inline bool lotor_span_misses(const lotor_vectors *vectors, lotor_span *space,
                                     uint32_t vector, uint64_t offset)
{
    const size_t end = vectors->start[vector + 1];
    uint64_t any = 0;
    for (size_t i = 0; i < space->left; i++) {
        const uint64_t *const functional = space->functional + space->live[i] * vectors->columns;
        lotor_u128 sum = 0;
        for (size_t at = vectors->start[vector]; at < end;) {
            const size_t stop =
                end - at < LOTOR_PRIME_TERMS ? end : at + LOTOR_PRIME_TERMS - 1; /* 1 is the sum */
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

/* target := clear * target - image * source, at the places where either may be nonzero. */
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

/* The vector whose `image` was found joins. */
static inline void lotor_span_join(const lotor_vectors *vectors, lotor_span *space, uint64_t offset)
{
    size_t leaving = 0;
    while (space->image[leaving] == 0) {
        leaving++;
    }
    const uint32_t source = space->live[leaving];
    const uint64_t clear = space->image[leaving];
    for (size_t i = leaving + 1; i < space->left; i++) { /* earlier ones vanish already */
        if (space->image[i] != 0) {
            lotor_span_clear(space, vectors->columns, space->live[i], space->image[i], source,
                             clear, offset);
        }
    }
    space->left--;
    space->live[leaving] = space->live[space->left];
    space->live[space->left] = source;
}

/* The common case: one prime, the first, whose offset of 1 the compiler can use. */
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

/* May it join those kept so far? Then it does. `space` has one entry per prime. */
static inline bool lotor_span_joins(const lotor_vectors *vectors, lotor_span *space,
                                    uint32_t vector)
{
    return vectors->primes == 1 ? lotor_span_joins_first(vectors, space, vector)
                                : lotor_span_joins_any(vectors, space, vector);
}

#endif
