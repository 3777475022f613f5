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

/* The size of all arrays together: output, sums, noisy. */
static size_t cells(const lotor_tree *tree)
{
    return tree->dimension * (1 + 2 * (size_t)tree->levels);
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
    tree->sums = tree->output + dimension;
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

/* The level of the node that the next value fills. */
static unsigned next_level(const lotor_tree *tree)
{
    const unsigned level = (unsigned)__builtin_ctzll(tree->count + 1);
    assert(tree->count < tree->horizon && level < tree->levels);
    return level;
}

/* Puts the sum of the node that the next value fills into `sums` and `noisy`. Both are 0 before. */
static inline int64_t *prepare(lotor_tree *tree, const int64_t *value)
{
    const size_t dimension = tree->dimension;
    const unsigned level = next_level(tree);
    int64_t *sums = tree->sums + level * dimension, *noisy = tree->noisy + level * dimension;
    for (size_t i = 0; i < dimension; i++) {
        int64_t sum = value[i];
        for (unsigned below = 0; below < level; below++) {
            sum = lotor_release_plus(sum, tree->sums[below * dimension + i]);
        }
        sums[i] = noisy[i] = sum;
    }
    return noisy;
}

/* Merges the nodes below into the prepared node, which has its noise now, and updates the
 * output. */
static inline void commit(lotor_tree *tree)
{
    const size_t dimension = tree->dimension;
    const unsigned level = next_level(tree);
    for (size_t i = 0; i < dimension; i++) {
        uint64_t output = (uint64_t)tree->output[i] + (uint64_t)tree->noisy[level * dimension + i];
        for (unsigned below = 0; below < level; below++) {
            const size_t node = below * dimension + i;
            output -= (uint64_t)tree->noisy[node];
            tree->sums[node] = 0;
            tree->noisy[node] = 0;
        }
        tree->output[i] = (int64_t)output;
    }
    tree->count++;
    if (tree->horizon - tree->count < UINT64_C(1) << level) { /* this node is never merged */
        lotor_wipe(tree->sums + level * dimension, dimension * sizeof *tree->sums);
    }
}

lotor_status lotor_tree_prepare(lotor_tree *tree, const int64_t *value, int64_t **node)
{
    *node = NULL;
    if (tree->count >= tree->horizon) {
        return LOTOR_HORIZON;
    }
    *node = prepare(tree, value);
    return LOTOR_OK;
}

void lotor_tree_commit(lotor_tree *tree)
{
    commit(tree);
}

void lotor_tree_abandon(lotor_tree *tree)
{
    const size_t node = next_level(tree) * tree->dimension;
    lotor_wipe(tree->sums + node, tree->dimension * sizeof *tree->sums);
    lotor_wipe(tree->noisy + node, tree->dimension * sizeof *tree->noisy);
}

lotor_status lotor_tree_insert(lotor_tree *tree, const int64_t *value, lotor_noise *noise)
{
    if (tree->count >= tree->horizon) {
        return LOTOR_HORIZON;
    }
    int64_t *node = prepare(tree, value);
    const lotor_status status =
        tree->dimension == 1
            ? lotor_noise_add_one(noise, tree->law, tree->scale, node)
            : lotor_noise_add(noise, tree->law, tree->scale, tree->dimension, node);
    if (status != LOTOR_OK) {
        lotor_tree_abandon(tree);
        return status;
    }
    commit(tree);
    return LOTOR_OK;
}

void lotor_tree_insert_block(lotor_tree *tree, unsigned level, int64_t sum, int64_t drawn)
{
    const uint64_t size = UINT64_C(1) << level;
    assert(tree->dimension == 1 && tree->count % size == 0);
    assert(tree->horizon - tree->count >= size);
    const unsigned top = (unsigned)__builtin_ctzll(tree->count + size);
    int64_t output = tree->output[0];
    for (unsigned below = level; below < top; below++) {
        sum = lotor_release_plus(sum, tree->sums[below]);
        output = (int64_t)((uint64_t)output - (uint64_t)tree->noisy[below]);
        tree->sums[below] = tree->noisy[below] = 0;
    }
    tree->sums[top] = sum;
    tree->noisy[top] = lotor_release_plus(sum, drawn);
    tree->output[0] = lotor_release_plus(output, tree->noisy[top]);
    tree->count += size;
    if (tree->horizon - tree->count < UINT64_C(1) << top) { /* this node is never merged */
        tree->sums[top] = 0;
    }
}

void lotor_tree_save(const lotor_tree *tree, lotor_writer *writer)
{
    lotor_write_u64(writer, tree->horizon);
    lotor_write_u64(writer, tree->scale);
    lotor_write_u64(writer, tree->count);
    lotor_write_i64s(writer, tree->output, tree->dimension);
    for (size_t i = 0; i < tree->dimension; i++) {
        lotor_write_u64(writer, 0); /* version 0.1 kept the latest noise here */
    }
    lotor_write_i64s(writer, tree->sums, cells(tree) - tree->dimension);
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
    lotor_read_i64s(reader, tree->output, tree->dimension);
    for (size_t i = 0; i < tree->dimension; i++) {
        (void)lotor_read_u64(reader); /* the latest noise, in states of version 0.1 */
    }
    lotor_read_i64s(reader, tree->sums, cells(tree) - tree->dimension);
    lotor_read_expect(reader, reader->status == LOTOR_OK && is_consistent(tree));
}
