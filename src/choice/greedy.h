/* greedy.h - picking vertices one after the other, each the one that adds most.
 *
 * For a value that is monotone and submodular (what a vertex adds never grows as others join) this
 * finds at least 1 - 1/e of the best (Nemhauser, Wolsey and Fisher 1978). What a vertex added when
 * it was last looked at then bounds what it adds now, so vertices wait in a heap by that bound and
 * only the top is looked at again (Minoux 1978): the same vertices, fewer looks. Equal gains: the
 * vertex with an edge that comes first in the order of the arms; then the one with the lowest
 * number.
 */
#ifndef LOTOR_CHOICE_GREEDY_H
#define LOTOR_CHOICE_GREEDY_H

#include "choice/oracle.h"

typedef struct lotor_greedy {
    size_t vertices;
    uint32_t *picked; /* first in the oracle's work: see lotor_oracle_seeds */
    uint32_t *heap;
    uint32_t *place; /* of the first edge of each vertex in the order of the arms */
    uint32_t *round; /* in which each vertex was looked at last */
    double *bound;   /* what it added then */
} lotor_greedy;

/* Lays its parts out in the oracle's work. The rest, which this returns, is aligned for doubles. */
void *lotor_greedy_lay(lotor_greedy *greedy, size_t vertices, size_t seeds, void *work);

/* What that takes of it. */
size_t lotor_greedy_bytes(size_t vertices, size_t seeds);

/* `add` says what the vertex adds to the value of those that were kept before it, and keeps it when
 * `keep`. owner[arm] is the vertex whose edge the arm is. */
typedef double lotor_greedy_add(void *context, uint32_t vertex, bool keep);
void lotor_greedy_pick(lotor_greedy *greedy, size_t seeds, size_t arms, const uint32_t *owner,
                       const uint32_t *order, lotor_greedy_add *add, void *context);

#endif
