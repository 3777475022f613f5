/* greedy.h - picks vertices one after the other, each time the vertex that adds most to the value.
 *
 * If the value is monotone and submodular (the gain of a vertex never grows when others are
 * picked), the result has at least 1 - 1/e of the best value (Nemhauser, Wolsey and Fisher 1978).
 *
 * The gain that a vertex had when it was last evaluated then bounds its gain now. So vertices are
 * kept in a heap by that bound, and only the top is evaluated again (Minoux 1978). This picks the
 * same vertices with fewer evaluations.
 *
 * Among equal gains, the vertex wins that has the earliest edge in the order of the arms, then the
 * vertex with the lowest number.
 */
#ifndef LOTOR_CHOICE_GREEDY_H
#define LOTOR_CHOICE_GREEDY_H

#include "choice/oracle.h"

typedef struct lotor_greedy {
    size_t vertices;
    uint32_t *picked; /* the result; first in the oracle's work memory, see lotor_oracle_seeds */
    uint32_t *heap;
    uint32_t *place; /* per vertex: the place of its first edge in the order of the arms */
    uint32_t *round; /* per vertex: the round in which it was last evaluated */
    double *bound;   /* per vertex: its gain in that round */
} lotor_greedy;

/* Places the arrays of `greedy` in the oracle's work memory. Returns the rest of the work memory,
 * which is aligned for doubles. */
void *lotor_greedy_lay(lotor_greedy *greedy, size_t vertices, size_t seeds, void *work);

/* How many bytes of the work memory lotor_greedy_lay takes. */
size_t lotor_greedy_bytes(size_t vertices, size_t seeds);

/* Returns what the vertex adds to the value of the vertices kept before. If `keep` is true, keeps
 * it. */
typedef double lotor_greedy_add(void *context, uint32_t vertex, bool keep);

/* Fills greedy->picked with `seeds` vertices. Arm a is an edge of the vertex owner[a]. */
void lotor_greedy_pick(lotor_greedy *greedy, size_t seeds, size_t arms, const uint32_t *owner,
                       const uint32_t *order, lotor_greedy_add *add, void *context);

#endif
