/* bernoulli.h - Bernoulli arms from the inside: for named instances, and for the hottest loops. */
#ifndef LOTOR_WORLD_BERNOULLI_H
#define LOTOR_WORLD_BERNOULLI_H

#include "world/world.h"

/* As lotor_world_bernoulli, with `vectors` (arms x dimension, copied). */
lotor_status lotor_world_bernoulli_vectors(size_t arms, const double *means, const int64_t *vectors,
                                           size_t dimension, lotor_message *why, lotor_world **out);

/* As lotor_world_bernoulli, with the graph whose edges the arms are (copied). */
typedef struct lotor_edges {
    const uint32_t *from, *to; /* an edge per arm */
    size_t vertices;
    bool is_bipartite;
} lotor_edges;
lotor_status lotor_world_bernoulli_graph(size_t arms, const double *means, const lotor_edges *graph,
                                         lotor_message *why, lotor_world **out);

/* One reward of an arm, for loops that can't afford a call: `threshold` is the arm's mean in units
 * of 2^-63, at most 2^63. The sign of the difference is the reward; compilers make a branch of a
 * comparison, and such a branch is mispredicted as often as the arm surprises. */
static inline uint64_t lotor_bernoulli_bit(lotor_simulation *simulation, uint64_t threshold)
{
    const uint64_t word = lotor_simulation_word(simulation) >> 1;
    return (word - threshold) >> 63;
}

static inline double lotor_bernoulli_reward(lotor_simulation *simulation, uint64_t threshold)
{
    return (double)(int)lotor_bernoulli_bit(simulation, threshold);
}

/* The thresholds of a Bernoulli world's arms; NULL for any other world. draw() with one round gives
 * just these rewards, in the order of the arms. */
const uint64_t *lotor_bernoulli_thresholds(const lotor_world *world);

#endif
