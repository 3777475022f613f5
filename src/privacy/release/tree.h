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
    int64_t *draw;  /* the noise of the node that is being filled */
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

/* The same with noise that the caller has put into `draw`. Fails only with LOTOR_HORIZON. */
lotor_status lotor_tree_insert_drawn(lotor_tree *tree, const int64_t *value);

void lotor_tree_save(const lotor_tree *tree, lotor_writer *writer);
void lotor_tree_load(lotor_tree *tree, lotor_reader *reader);

#endif
