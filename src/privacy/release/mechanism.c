/* mechanism.c - the registry: each mechanism of this folder as a row. */
#include "privacy/release/mechanism.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "privacy/release/batch.h"
#include "privacy/release/hybrid.h"
#include "privacy/release/tree.h"

/* --- tree and gaussian-tree: `levels` nodes above each value ------------------------------- */

static lotor_status make_tree(const lotor_release_params *params, lotor_law law, lotor_message *why,
                              void **state)
{
    *state = NULL;
    const uint64_t levels = lotor_tree_levels(params->horizon);
    uint64_t scale, horizon;
    lotor_status status = lotor_release_scale(params, law, levels, why, &scale);
    if (status == LOTOR_OK) {
        status = lotor_release_fits(params, scale, levels, why, &horizon);
    }
    if (status == LOTOR_OK) {
        lotor_tree *tree;
        status = lotor_tree_new(params->dimension, horizon, law, scale, &tree);
        *state = tree;
    }
    return status;
}

static lotor_status tree_make(const lotor_release_params *params, lotor_message *why, void **state)
{
    return make_tree(params, LOTOR_LAW_LAPLACE, why, state);
}

static lotor_status gaussian_tree_make(const lotor_release_params *params, lotor_message *why,
                                       void **state)
{
    return make_tree(params, LOTOR_LAW_GAUSSIAN, why, state);
}

static void tree_free(void *state)
{
    lotor_tree_free(state);
}

static void tree_describe(const void *state, uint64_t *scale, char *sizes, size_t capacity)
{
    const lotor_tree *tree = state;
    *scale = tree->scale;
    snprintf(sizes, capacity, "%u levels", tree->levels);
}

static lotor_status tree_insert(void *state, const int64_t *value, lotor_noise *noise)
{
    return lotor_tree_insert(state, value, noise);
}

static lotor_released tree_released(const void *state)
{
    const lotor_tree *tree = state;
    return (lotor_released){tree->output, tree->count, tree->count};
}

static void tree_save(const void *state, lotor_writer *writer)
{
    lotor_tree_save(state, writer);
}

static void tree_load(void *state, lotor_reader *reader)
{
    lotor_tree *tree = state;
    const uint64_t horizon = tree->horizon, scale = tree->scale;
    lotor_tree_load(tree, reader);
    lotor_read_expect(reader, tree->horizon == horizon && tree->scale == scale);
}

/* --- hybrid --------------------------------------------------------------------------------- */

static lotor_status hybrid_make(const lotor_release_params *params, lotor_message *why,
                                void **state)
{
    lotor_hybrid *hybrid;
    const lotor_status status = lotor_hybrid_new(params, why, &hybrid);
    *state = hybrid;
    return status;
}

static void hybrid_free(void *state)
{
    lotor_hybrid_free(state);
}

static void hybrid_describe(const void *state, uint64_t *scale, char *sizes, size_t capacity)
{
    *scale = ((const lotor_hybrid *)state)->block_scale;
    snprintf(sizes, capacity, "tree nodes: k times the scale");
}

static lotor_status hybrid_insert(void *state, const int64_t *value, lotor_noise *noise)
{
    return lotor_hybrid_insert(state, value, noise);
}

static lotor_released hybrid_released(const void *state)
{
    const lotor_hybrid *hybrid = state;
    return (lotor_released){hybrid->output, hybrid->count, hybrid->count};
}

static void hybrid_save(const void *state, lotor_writer *writer)
{
    lotor_hybrid_save(state, writer);
}

static void hybrid_load(void *state, lotor_reader *reader)
{
    lotor_hybrid_load(state, reader);
}

/* --- batch: sizes 1, 2, 4, ... -------------------------------------------------------------- */

typedef struct doubling {
    lotor_batch *batch;
    uint64_t horizon;
} doubling;

static void batch_free(void *state)
{
    doubling *batches = state;
    if (batches) {
        lotor_batch_free(batches->batch);
        free(batches);
    }
}

static lotor_status batch_make(const lotor_release_params *params, lotor_message *why, void **state)
{
    *state = NULL;
    uint64_t scale, horizon;
    lotor_status status = lotor_release_scale(params, LOTOR_LAW_LAPLACE, 1, why, &scale);
    if (status == LOTOR_OK) {
        status = lotor_release_fits(params, scale, 64, why, &horizon);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    doubling *batches = calloc(1, sizeof *batches);
    if (!batches) {
        return LOTOR_MEMORY;
    }
    batches->horizon = horizon;
    status = lotor_batch_new(params->dimension, LOTOR_LAW_LAPLACE, scale, &batches->batch);
    if (status == LOTOR_OK) {
        status = lotor_batch_open(batches->batch, 1);
    }
    if (status != LOTOR_OK) {
        batch_free(batches);
        return status;
    }
    *state = batches;
    return LOTOR_OK;
}

static void batch_describe(const void *state, uint64_t *scale, char *sizes, size_t capacity)
{
    *scale = ((const doubling *)state)->batch->scale;
    snprintf(sizes, capacity, "sizes 1, 2, 4, ...");
}

static lotor_status batch_insert(void *state, const int64_t *value, lotor_noise *noise)
{
    doubling *batches = state;
    lotor_batch *batch = batches->batch;
    if (batch->covered + batch->filled >= batches->horizon) {
        return LOTOR_HORIZON;
    }
    bool released;
    const lotor_status status = lotor_batch_insert(batch, value, noise, &released);
    return released ? lotor_batch_open(batch, 2 * batch->latest_size) : status;
}

static lotor_released batch_released(const void *state)
{
    const lotor_batch *batch = ((const doubling *)state)->batch;
    return (lotor_released){batch->total, batch->covered, batch->covered + batch->filled};
}

static void batch_save(const void *state, lotor_writer *writer)
{
    lotor_batch_save(((const doubling *)state)->batch, writer);
}

static void batch_load(void *state, lotor_reader *reader)
{
    const doubling *batches = state;
    const lotor_batch *batch = batches->batch;
    lotor_batch_load(batches->batch, reader);
    lotor_read_expect(reader, lotor_batch_is_doubling(batch) &&
                                  batch->covered + batch->filled <= batches->horizon);
}

/* --- the rows ------------------------------------------------------------------------------- */

static const lotor_mechanism tree = {
    .id = "tree",
    .theorem = "binary mechanism (Chan, Shi and Song 2011; Dwork et al. 2010)",
    .law = LOTOR_LAW_LAPLACE,
    .needs_horizon = true,
    .make = tree_make,
    .free = tree_free,
    .describe = tree_describe,
    .insert = tree_insert,
    .released = tree_released,
    .save = tree_save,
    .load = tree_load,
};

static const lotor_mechanism hybrid = {
    .id = "hybrid",
    .theorem = "hybrid mechanism (Chan, Shi and Song 2011)",
    .law = LOTOR_LAW_LAPLACE,
    .make = hybrid_make,
    .free = hybrid_free,
    .describe = hybrid_describe,
    .insert = hybrid_insert,
    .released = hybrid_released,
    .save = hybrid_save,
    .load = hybrid_load,
};

static const lotor_mechanism batch = {
    .id = "batch",
    .theorem = "Laplace mechanism on disjoint batches (Dwork, McSherry, Nissim and Smith 2006)",
    .law = LOTOR_LAW_LAPLACE,
    .make = batch_make,
    .free = batch_free,
    .describe = batch_describe,
    .insert = batch_insert,
    .released = batch_released,
    .save = batch_save,
    .load = batch_load,
};

static const lotor_mechanism gaussian_tree = {
    .id = "gaussian-tree",
    .theorem = "Canonne, Kamath and Steinke 2020, Theorem 4 and Proposition 12, over the tree",
    .law = LOTOR_LAW_GAUSSIAN,
    .needs_horizon = true,
    .make = gaussian_tree_make,
    .free = tree_free,
    .describe = tree_describe,
    .insert = tree_insert,
    .released = tree_released,
    .save = tree_save,
    .load = tree_load,
};

const lotor_mechanism *const lotor_mechanisms[] = {&tree, &hybrid, &batch, &gaussian_tree, NULL};

const lotor_mechanism *lotor_mechanism_find(const char *id)
{
    for (size_t i = 0; lotor_mechanisms[i]; i++) {
        if (strcmp(lotor_mechanisms[i]->id, id) == 0) {
            return lotor_mechanisms[i];
        }
    }
    return NULL;
}
