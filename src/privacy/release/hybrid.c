/* hybrid.c - continual counting without a horizon (Chan, Shi and Song 2011, the hybrid mechanism).
 *
 *      t        1 │ 2 │ 3  4 │ 5  6  7  8 │ 9 ...
 *      blocks   █ │ █ │ ████ │ ██████████ │        released at t = 1, 2, 4, 8, ... at epsilon/2
 *      trees            ██     ███████              running inside a block, at epsilon/2
 *
 * Each value is in one block, with noise Lap(2/epsilon). It is also in at most k nodes of the tree
 * inside the block after 2^k, with noise Lap(2k/epsilon). (This tree has 2^k - 1 values, because
 * the last value closes the block.) So the released numbers move by at most 1/(2/epsilon) +
 * k/(2k/epsilon) = epsilon in units of their scales: epsilon-DP. The noise variance at t = 2^k + j
 * is (8(k+1) + 8 k^2 popcount(j)) / epsilon^2, times the squared sensitivity.
 */
#include "privacy/release/hybrid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { ARRAYS = 4 }; /* output, total, pending, noisy: one allocation */

static const uint64_t most_levels = 62;

/* The noise scale of a node of the tree inside the block after 2^k. */
static lotor_status tree_scale(const lotor_release_params *params, uint64_t k, lotor_message *why,
                               uint64_t *scale)
{
    return lotor_release_scale(params, LOTOR_LAW_LAPLACE, 2 * k, why, scale);
}

lotor_status lotor_hybrid_plan(const lotor_release_params *params, lotor_message *why,
                               uint64_t *block_scale, uint64_t *horizon)
{
    uint64_t largest_scale;
    lotor_status status = lotor_release_scale(params, LOTOR_LAW_LAPLACE, 2, why, block_scale);
    if (status == LOTOR_OK) {
        status = tree_scale(params, most_levels, why, &largest_scale);
    }
    return status == LOTOR_OK
               ? lotor_release_fits(params, largest_scale, 2 * most_levels, why, horizon)
               : status;
}

lotor_status lotor_hybrid_new(const lotor_release_params *params, lotor_message *why,
                              lotor_hybrid **out)
{
    *out = NULL;
    uint64_t block_scale, horizon;
    lotor_status status = lotor_hybrid_plan(params, why, &block_scale, &horizon);
    if (status != LOTOR_OK) {
        return status;
    }

    lotor_hybrid *hybrid = calloc(1, sizeof *hybrid);
    if (!hybrid) {
        return LOTOR_MEMORY;
    }
    hybrid->params = *params;
    hybrid->horizon = horizon;
    hybrid->block_scale = block_scale;
    const uint64_t longest_block = UINT64_C(1) << (lotor_tree_levels(horizon) - 1);
    status = lotor_tree_new(params->dimension, longest_block, LOTOR_LAW_LAPLACE, 0, &hybrid->tree);
    if (status == LOTOR_OK) {
        hybrid->output = calloc(ARRAYS * params->dimension, sizeof *hybrid->output);
        status = hybrid->output ? LOTOR_OK : LOTOR_MEMORY;
    }
    if (status != LOTOR_OK) {
        lotor_hybrid_free(hybrid);
        return status;
    }
    hybrid->total = hybrid->output + params->dimension;
    hybrid->pending = hybrid->total + params->dimension;
    hybrid->noisy = hybrid->pending + params->dimension;
    lotor_tree_restart(hybrid->tree, 0, 0);
    *out = hybrid;
    return LOTOR_OK;
}

void lotor_hybrid_free(lotor_hybrid *hybrid)
{
    if (hybrid) {
        lotor_tree_free(hybrid->tree);
        lotor_wipe_free(hybrid->output, ARRAYS * hybrid->params.dimension * sizeof *hybrid->output);
        free(hybrid);
    }
}

/* t = 2^k: the block is complete. Releases it, and starts the tree of the next block. */
static lotor_status close_block(lotor_hybrid *hybrid, const int64_t *value, lotor_noise *noise)
{
    const size_t dimension = hybrid->params.dimension;
    const unsigned k = (unsigned)__builtin_ctzll(hybrid->count + 1);
    uint64_t next_scale = 0;
    if (k > 0) { /* cannot fail: lotor_hybrid_new checked a larger scale */
        const lotor_status status = tree_scale(&hybrid->params, k, NULL, &next_scale);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < dimension; i++) {
        hybrid->noisy[i] = lotor_release_plus(hybrid->pending[i], value[i]);
    }
    const lotor_status status =
        lotor_noise_add(noise, LOTOR_LAW_LAPLACE, hybrid->block_scale, dimension, hybrid->noisy);
    for (size_t i = 0; i < dimension && status == LOTOR_OK; i++) {
        hybrid->total[i] = lotor_release_plus(hybrid->total[i], hybrid->noisy[i]);
        hybrid->pending[i] = 0;
    }
    lotor_wipe(hybrid->noisy, dimension * sizeof *hybrid->noisy);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_tree_restart(hybrid->tree, hybrid->count, next_scale); /* 2^k - 1 values */
    return LOTOR_OK;
}

/* Any other t: adds a value to the block and to its tree. */
static lotor_status extend_block(lotor_hybrid *hybrid, const int64_t *value, lotor_noise *noise)
{
    const lotor_status status = lotor_tree_insert(hybrid->tree, value, noise);
    if (status != LOTOR_OK) {
        return status;
    }
    for (size_t i = 0; i < hybrid->params.dimension; i++) {
        hybrid->pending[i] = lotor_release_plus(hybrid->pending[i], value[i]);
    }
    return LOTOR_OK;
}

lotor_status lotor_hybrid_insert(lotor_hybrid *hybrid, const int64_t *value, lotor_noise *noise)
{
    if (hybrid->count >= hybrid->horizon) {
        return LOTOR_HORIZON;
    }
    const uint64_t t = hybrid->count + 1;
    const lotor_status status =
        (t & (t - 1)) == 0 ? close_block(hybrid, value, noise) : extend_block(hybrid, value, noise);
    if (status != LOTOR_OK) {
        return status;
    }
    hybrid->count = t;
    assert(hybrid->count <= hybrid->horizon && hybrid->tree->count <= hybrid->count);
    for (size_t i = 0; i < hybrid->params.dimension; i++) {
        hybrid->output[i] = lotor_release_plus(hybrid->total[i], hybrid->tree->output[i]);
    }
    return LOTOR_OK;
}

void lotor_hybrid_save(const lotor_hybrid *hybrid, lotor_writer *writer)
{
    lotor_write_u64(writer, hybrid->count);
    lotor_write_i64s(writer, hybrid->output, ARRAYS * hybrid->params.dimension);
    lotor_tree_save(hybrid->tree, writer);
}

void lotor_hybrid_load(lotor_hybrid *hybrid, lotor_reader *reader)
{
    hybrid->count = lotor_read_u64(reader);
    lotor_read_expect(reader, hybrid->count <= hybrid->horizon);
    lotor_read_i64s(reader, hybrid->output, ARRAYS * hybrid->params.dimension);
    lotor_wipe(hybrid->noisy, /* version 0.1 kept the latest noise there */
               hybrid->params.dimension * sizeof *hybrid->noisy);
    lotor_tree_load(hybrid->tree, reader);
    if (reader->status != LOTOR_OK) {
        return;
    }
    const unsigned levels = lotor_tree_levels(hybrid->count);
    const uint64_t block = levels ? UINT64_C(1) << (levels - 1) : 0;
    uint64_t scale = 0;
    lotor_read_expect(reader, levels < 2 || tree_scale(&hybrid->params, levels - 1, NULL, &scale) ==
                                                LOTOR_OK);
    lotor_read_expect(reader, hybrid->tree->scale == scale);
    lotor_read_expect(reader, hybrid->tree->count == hybrid->count - block);
    lotor_read_expect(reader, hybrid->tree->horizon == (block ? block - 1 : 0));
    for (size_t i = 0; i < hybrid->params.dimension; i++) {
        lotor_read_expect(reader, hybrid->output[i] == lotor_release_plus(hybrid->total[i],
                                                                          hybrid->tree->output[i]));
    }
}
