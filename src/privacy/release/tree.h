/* tree.h - a private running sum after every value: continual counting with a binary tree
 * (tree.md). */
#ifndef LOTOR_PRIVACY_RELEASE_TREE_H
#define LOTOR_PRIVACY_RELEASE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "privacy/noise/noise.h"

/* Only `output` is public: the noisy sum of everything so far, per coordinate. */
typedef struct lotor_tree {
    uint64_t count, horizon;
    uint64_t scale;
    lotor_law law;
    unsigned levels;
    size_t dimension;
    int64_t *output;
    int64_t *sums;  /* levels x dimension: exact node sums */
    int64_t *noisy; /* levels x dimension: node sums with their noise, which is drawn once */
} lotor_tree;

/* floor(log2 horizon) + 1: the most nodes that one value can be in. */
unsigned lotor_tree_levels(uint64_t horizon);

/* A tree for up to `horizon` values with node noise of the given law and scale. */
lotor_status lotor_tree_new(size_t dimension, uint64_t horizon, lotor_law law, uint64_t scale,
                            lotor_tree **out);
void lotor_tree_free(lotor_tree *tree);

/* Clears the tree and starts again with another horizon (at most the first one) and scale. */
void lotor_tree_restart(lotor_tree *tree, uint64_t horizon, uint64_t scale);

/* Adds one value. On LOTOR_HORIZON or LOTOR_ENTROPY nothing changed. */
lotor_status lotor_tree_insert(lotor_tree *tree, const int64_t *value, lotor_noise *noise);

/* The parts of it, for noise of another shape. `prepare` gives the exact sums of the node that the
 * value fills, to which the caller adds noise; it fails only with LOTOR_HORIZON. Then either
 * `commit` inserts the value, or `abandon` leaves the tree as it was. */
lotor_status lotor_tree_prepare(lotor_tree *tree, const int64_t *value, int64_t **node);
void lotor_tree_commit(lotor_tree *tree);
void lotor_tree_abandon(lotor_tree *tree);

/* For simulations: inserts 2^level values of one dimension at once, as one node. The count must be a
 * multiple of 2^level, and 2^level values must be left. `sum` is their sum, and `drawn` the noise of
 * the node. The tree is then in a state that single values also lead to; the outputs in between are
 * never known. */
void lotor_tree_insert_block(lotor_tree *tree, unsigned level, int64_t sum, int64_t drawn);

/* For simulations: inserts values at once while the output stays above a line. See lotor_skip in
 * statistic.h. Returns how many values were inserted. 0: the output is too close to the line, and
 * nothing changed. It is in tree_skip.c; dips.md proves that the law is the same. */
struct lotor_skip;
uint64_t lotor_tree_skip(lotor_tree *tree, double unit, const struct lotor_skip *skip,
                         lotor_noise *noise);

void lotor_tree_save(const lotor_tree *tree, lotor_writer *writer);
void lotor_tree_load(lotor_tree *tree, lotor_reader *reader);

#endif
