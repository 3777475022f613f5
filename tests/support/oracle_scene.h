/* oracle_scene.h - an oracle that picks seeds, on a graph small enough to try all of them.
 *
 * Sets, of vertices or of edges, are the bits of a number. Greedy is compared with a plain one that
 * tries every vertex in every round, and with the best of all sets of seeds.
 */
#ifndef LOTOR_TESTS_ORACLE_SCENE_H
#define LOTOR_TESTS_ORACLE_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random/simulation.h"
#include "choice/oracle.h"

enum { SCENE_ARMS = 14, SCENE_VERTICES = 6 };

/* An oracle with its graph, and what the latest pick gave. */
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

/* The seeds of the latest pick. */
size_t scene_seeds(const oracle_scene *here);

/* The edges that leave the vertices. */
size_t scene_edges(const oracle_scene *here, size_t vertices);

/* Uniform below the bound. */
size_t scene_below(lotor_simulation *simulation, size_t bound);

/* Weights from few values, so that many are equal: quarters, with which doubles are exact, and what
 * is outside [0,1]. And an order for them, ties broken at random. */
void scene_weights(lotor_simulation *simulation, oracle_scene *here);

/* Takes over what making the oracle gave, and checks what is known of it; later frees it. */
void scene_take(oracle_scene *here, lotor_status status, const char *id);
void scene_drop(oracle_scene *here);

/* Picks twice, with the same answer, and checks that it is one. */
void scene_pick(oracle_scene *here);

/* The value of seeds, and the edges that follow from them. */
typedef double scene_value(const oracle_scene *here, size_t seeds);
typedef size_t scene_follow(const oracle_scene *here, size_t seeds);

/* Picks, and compares with all that could be picked. */
void scene_compare(oracle_scene *here, scene_value *value, scene_follow *follow);

#endif
