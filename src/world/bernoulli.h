/* bernoulli.h - internals of the Bernoulli world, for named instances and for time-critical
 * loops. */
#ifndef LOTOR_WORLD_BERNOULLI_H
#define LOTOR_WORLD_BERNOULLI_H

#include "world/world.h"

/* As lotor_world_bernoulli, with a linear matroid: `vectors` (arms x dimension) is copied. */
lotor_status lotor_world_bernoulli_vectors(size_t arms, const double *means, const int64_t *vectors,
                                           size_t dimension, lotor_message *why, lotor_world **out);

/* As lotor_world_bernoulli, with a graph whose edges are the arms. The graph is copied. */
typedef struct lotor_edges {
    const uint32_t *from, *to; /* an edge per arm */
    size_t vertices;
    bool is_bipartite;
} lotor_edges;
lotor_status lotor_world_bernoulli_graph(size_t arms, const double *means, const lotor_edges *graph,
                                         lotor_message *why, lotor_world **out);

/* Draws one reward of an arm, inline for time-critical loops. `threshold` is the arm's mean in
 * units of 2^-63, at most 2^63. The reward is the sign of a difference, not a comparison: compilers
 * turn a comparison into a branch, which the processor often mispredicts. */
static inline uint64_t lotor_bernoulli_bit(lotor_generator *generator, uint64_t threshold)
{
    const uint64_t word = lotor_generator_word(generator) >> 1;
    return (word - threshold) >> 63;
}

static inline double lotor_bernoulli_reward(lotor_generator *generator, uint64_t threshold)
{
    return (double)(int)lotor_bernoulli_bit(generator, threshold);
}

/* The thresholds of a Bernoulli world's arms; NULL for any other world. draw() with one round gives
 * the same rewards as lotor_bernoulli_bit with these thresholds, in the order of the arms. */
const uint64_t *lotor_bernoulli_thresholds(const lotor_world *world);

#endif
