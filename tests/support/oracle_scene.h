/* oracle_scene.h - tests an oracle that picks seeds, on a graph small enough to try all sets.
 *
 * Sets of vertices or edges are bits of a number. The greedy oracle is compared with a plain one
 * that tries every vertex in every step, and with the best of all sets of seeds.
 */
#ifndef LOTOR_TESTS_ORACLE_SCENE_H
#define LOTOR_TESTS_ORACLE_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random/simulation.h"
#include "choice/oracle.h"

enum { SCENE_ARMS = 14, SCENE_VERTICES = 6 };

/* An oracle with its graph, and the result of the last pick. */
typedef struct oracle_scene {
    size_t arms, vertices, seeds;
    uint32_t from[SCENE_ARMS], to[SCENE_ARMS];
    double weight[SCENE_ARMS];
    uint32_t order[SCENE_ARMS];
    lotor_oracle *oracle;
    void *work;
    uint32_t picked[SCENE_ARMS + 1];
    size_t count;
} oracle_scene;

static inline bool scene_has(size_t set, size_t member)
{
    return set >> member & 1;
}

/* The set of these members, which must be different. */
size_t scene_set(const uint32_t *members, size_t count);

/* The seeds of the last pick. */
size_t scene_seeds(const oracle_scene *here);

/* The edges that leave the vertices. */
size_t scene_edges(const oracle_scene *here, size_t vertices);

/* A uniform number below `bound`. */
size_t scene_below(lotor_simulation *simulation, size_t bound);

/* Draws weights from few values, so that many are equal: quarters, which are exact in doubles, and
 * values outside [0,1]. Also draws an order of the weights, with ties broken at random. */
void scene_weights(lotor_simulation *simulation, oracle_scene *here);

/* scene_take: takes over a new oracle, and checks its properties. scene_drop frees it. */
void scene_take(oracle_scene *here, lotor_status status, const char *id);
void scene_drop(oracle_scene *here);

/* Picks twice, expects the same result, and checks that it is a valid set. */
void scene_pick(oracle_scene *here);

/* The value of seeds, and the edges that follow from them. */
typedef double scene_value(const oracle_scene *here, size_t seeds);
typedef size_t scene_follow(const oracle_scene *here, size_t seeds);

/* Picks, and compares the result with all possible sets. */
void scene_compare(oracle_scene *here, scene_value *value, scene_follow *follow);

#endif
