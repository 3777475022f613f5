/* graph.h - what the oracles have in common whose arms are the edges of a graph. */
#ifndef LOTOR_CHOICE_GRAPH_H
#define LOTOR_CHOICE_GRAPH_H

#include "choice/oracle.h"

/* Checks that there are edges, and not too many. */
lotor_status lotor_oracle_check_edges(size_t arms, const uint32_t *from, const uint32_t *to,
                                      lotor_message *why);

/* Checks the edges as above, and that both ends of each edge are below `vertices`. */
lotor_status lotor_oracle_check_graph(size_t arms, const uint32_t *from, const uint32_t *to,
                                      size_t vertices, lotor_message *why);

/* Checks that there is at least one seed, and at most one seed per vertex. */
lotor_status lotor_oracle_check_seeds(size_t seeds, size_t vertices, lotor_message *why);

/* Replaces `count` names by numbers from 0, without gaps and in the same order. So memory is
 * O(count) however large the names are. */
lotor_status lotor_oracle_renumber(uint32_t *names, size_t count, size_t *distinct,
                                   lotor_message *why);

/* Lists the edges by vertex: the edges of v, in increasing order, are edge[start[v]] to
 * edge[start[v + 1] - 1]. `start` has vertices + 1 entries. */
void lotor_oracle_group(size_t arms, const uint32_t *vertex, size_t vertices, uint32_t *start,
                        uint32_t *edge);

/* The sum of the `seeds` largest counts. Sorts `counts`. */
size_t lotor_oracle_largest(uint32_t *counts, size_t vertices, size_t seeds);

/* A weight as a probability: clamped to [0,1], and 0 if it is NaN. */
static inline double lotor_oracle_probability(double weight)
{
    return weight > 0 ? (weight < 1 ? weight : 1) : 0;
}

#endif
