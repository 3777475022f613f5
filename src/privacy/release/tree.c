/* tree.c - continual counting with a binary tree (Chan, Shi and Song 2010; Dwork et al. 2010; Sajed
 * 2019, Algorithm 5).
 *
 * The sum of the first t values is split along the binary digits of t:
 *
 *      t = 13 = 1101b      [1..8] [9..12] [13]
 *
 * Each value is in at most `levels` nodes. So noise scaled to sensitivity * levels / epsilon on
 * every node makes the whole output sequence epsilon-DP. Memory: one node per level.
 *
 * At step t with lowest set bit i, the nodes 0..i-1 are merged into node i, which gets the only new
 * noise. The output changes by that node minus the merged ones: a constant number of operations on
 * average.
 */
#include "privacy/release/tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "privacy/release/scale.h"

unsigned lotor_tree_levels(uint64_t horizon)
{
    return horizon == 0 ? 0 : 64U - (unsigned)__builtin_clzll(horizon);
}

/* The size of all arrays together: output, draw, sums, noisy. */
static size_t cells(const lotor_tree *tree)
{
    return 2 * tree->dimension * (1 + tree->levels);
}

lotor_status lotor_tree_new(size_t dimension, uint64_t horizon, lotor_law law, uint64_t scale,
                            lotor_tree **out)
{
    *out = NULL;
    if (dimension == 0 || dimension > SIZE_MAX / (sizeof(int64_t) * 256)) {
        return LOTOR_INVALID;
    }
    lotor_tree *tree = calloc(1, sizeof *tree);
    if (!tree) {
        return LOTOR_MEMORY;
    }
    *tree = (lotor_tree){
        .horizon = horizon,
        .scale = scale,
        .law = law,
        .levels = lotor_tree_levels(horizon),
        .dimension = dimension,
    };
    tree->output = calloc(cells(tree), sizeof *tree->output);
    if (!tree->output) {
        free(tree);
        return LOTOR_MEMORY;
    }
    tree->draw = tree->output + dimension;
    tree->sums = tree->draw + dimension;
    tree->noisy = tree->sums + tree->levels * dimension;
    *out = tree;
    return LOTOR_OK;
}

void lotor_tree_free(lotor_tree *tree)
{
    if (tree) {
        lotor_wipe_free(tree->output, cells(tree) * sizeof *tree->output);
        free(tree);
    }
}

void lotor_tree_restart(lotor_tree *tree, uint64_t horizon, uint64_t scale)
{
    assert(lotor_tree_levels(horizon) <= tree->levels);
    tree->count = 0;
    tree->horizon = horizon;
    tree->scale = scale;
    memset(tree->output, 0, cells(tree) * sizeof *tree->output);
}

/* Merges the nodes of one coordinate below `level` into the node at `level`, and updates the
 * output. */
static inline void fold(lotor_tree *tree, unsigned level, size_t i, int64_t value)
{
    const size_t dimension = tree->dimension;
    int64_t sum = value;
    int64_t folded = 0;
    for (unsigned below = 0; below < level; below++) {
        const size_t node = below * dimension + i;
        sum = lotor_release_plus(sum, tree->sums[node]);
        folded = lotor_release_plus(folded, tree->noisy[node]);
        tree->sums[node] = 0;
        tree->noisy[node] = 0;
    }
    const size_t node = level * dimension + i;
    const int64_t noisy = lotor_release_plus(sum, tree->draw[i]);
    tree->sums[node] = sum;
    tree->noisy[node] = noisy;
    tree->output[i] = (int64_t)((uint64_t)tree->output[i] + (uint64_t)noisy - (uint64_t)folded);
}

/* Inserts a value, with the noise in `draw`. */
static inline void add(lotor_tree *tree, const int64_t *value)
{
    tree->count++;
    const unsigned level = (unsigned)__builtin_ctzll(tree->count);
    assert(tree->count <= tree->horizon && level < tree->levels);
    for (size_t i = 0; i < tree->dimension; i++) {
        fold(tree, level, i, value[i]);
    }
}

lotor_status lotor_tree_insert_drawn(lotor_tree *tree, const int64_t *value)
{
    if (tree->count >= tree->horizon) {
        return LOTOR_HORIZON;
    }
    add(tree, value);
    return LOTOR_OK;
}

lotor_status lotor_tree_insert(lotor_tree *tree, const int64_t *value, lotor_noise *noise)
{
    if (tree->count >= tree->horizon) {
        return LOTOR_HORIZON;
    }
    const lotor_status status =
        tree->dimension == 1
            ? lotor_noise_draw_one(noise, tree->law, tree->scale, tree->draw)
            : lotor_noise_draw(noise, tree->law, tree->scale, tree->dimension, tree->draw);
    if (status != LOTOR_OK) {
        return status;
    }
    add(tree, value);
    return LOTOR_OK;
}

void lotor_tree_save(const lotor_tree *tree, lotor_writer *writer)
{
    lotor_write_u64(writer, tree->horizon);
    lotor_write_u64(writer, tree->scale);
    lotor_write_u64(writer, tree->count);
    lotor_write_i64s(writer, tree->output, cells(tree));
}

/* The invariant of a tree: nodes at the zero digits of `count` are empty, and the output is the sum
 * of the noisy nodes. */
static int is_consistent(const lotor_tree *tree)
{
    for (size_t i = 0; i < tree->dimension; i++) {
        int64_t sum = 0;
        for (unsigned level = 0; level < tree->levels; level++) {
            const size_t node = level * tree->dimension + i;
            if (!((tree->count >> level) & 1) && (tree->sums[node] || tree->noisy[node])) {
                return 0;
            }
            sum = lotor_release_plus(sum, tree->noisy[node]);
        }
        if (sum != tree->output[i]) {
            return 0;
        }
    }
    return 1;
}

void lotor_tree_load(lotor_tree *tree, lotor_reader *reader)
{
    const uint64_t horizon = lotor_read_u64(reader);
    lotor_read_expect(reader, lotor_tree_levels(horizon) <= tree->levels);
    tree->scale = lotor_read_u64(reader);
    tree->count = lotor_read_u64(reader);
    lotor_read_expect(reader, tree->count <= horizon);
    tree->horizon = horizon;
    lotor_read_i64s(reader, tree->output, cells(tree));
    lotor_read_expect(reader, reader->status == LOTOR_OK && is_consistent(tree));
}
