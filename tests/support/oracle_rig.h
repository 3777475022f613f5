/* oracle_rig.h - tests an oracle that picks seeds, on a graph small enough to try all sets.
 *
 * Sets of vertices or edges are bits of a number. The greedy oracle is compared with a plain one
 * that tries every vertex in every step, and with the best of all sets of seeds.
 */
#ifndef LOTOR_TESTS_ORACLE_RIG_H
#define LOTOR_TESTS_ORACLE_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random/generator.h"
#include "choice/oracle.h"

enum { ORACLE_ARMS = 14, ORACLE_VERTICES = 6 };

/* An oracle with its graph, and the result of the last pick. */
typedef struct oracle_rig {
    size_t arms, vertices, seeds;
    uint32_t from[ORACLE_ARMS], to[ORACLE_ARMS];
    double weight[ORACLE_ARMS];
    uint32_t order[ORACLE_ARMS];
    lotor_oracle *oracle;
    void *work;
    uint32_t picked[ORACLE_ARMS + 1];
    size_t count;
} oracle_rig;

static inline bool oracle_has(size_t set, size_t member)
{
    return set >> member & 1;
}

/* The set of these members, which must be different. */
size_t oracle_set(const uint32_t *members, size_t count);

/* The seeds of the last pick. */
size_t oracle_seeds(const oracle_rig *here);

/* The edges that leave the vertices. */
size_t oracle_edges(const oracle_rig *here, size_t vertices);

/* A uniform number below `bound`. */
size_t oracle_below(lotor_generator *generator, size_t bound);

/* Draws weights from few values, so that many are equal: quarters, which are exact in doubles, and
 * values outside [0,1]. Also draws an order of the weights, with ties broken at random. */
void oracle_weights(lotor_generator *generator, oracle_rig *here);

/* oracle_take: checks the properties of a new oracle, and keeps it. oracle_drop frees it. */
void oracle_take(oracle_rig *here, lotor_status status, const char *id);
void oracle_drop(oracle_rig *here);

/* Picks twice, expects the same result, and checks that it is a valid set. */
void oracle_pick(oracle_rig *here);

/* The value of seeds, and the edges that follow from them. */
typedef double oracle_value(const oracle_rig *here, size_t seeds);
typedef size_t oracle_follow(const oracle_rig *here, size_t seeds);

/* Picks, and compares the result with all possible sets. */
void oracle_compare(oracle_rig *here, oracle_value *value, oracle_follow *follow);

#endif
