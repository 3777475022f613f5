/* matrix.c - private sums of outer products (matrix.h; matrix.md has the proofs).
 *
 * The sums and the noise of filled nodes are in a binary tree (tree.h) whose values are triangles
 * of matrices. Wishart noise needs more: every empty level also carries noise (`idle`). It is drawn
 * again each time the level is emptied, and dropped when the level is filled.
 */
#include "privacy/release/matrix.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random/laws.h"
#include "privacy/release/matrix_batch.h"
#include "privacy/release/matrix_plan.h"
#include "privacy/release/scale.h"
#include "privacy/release/tree.h"

struct lotor_matrix {
    lotor_matrix_kind kind;
    size_t size, entries;   /* rows of the matrix; entries of its lower triangle */
    double bound, per_unit; /* the largest |z|; 1 / plan.unit */
    lotor_matrix_plan plan;
    lotor_tree *tree;
    int64_t *value; /* the triangle of a round, in units */
    uint64_t fed;   /* the time of the latest round that was fed */
    bool due;       /* the release of that round is not on the board yet */

    lotor_matrix_batch *batch; /* for batches, in place of the plan and the tree */

    /* Wishart noise only. */
    bool started;
    int64_t *idle;       /* levels x entries: the noise of empty levels, 0 at filled ones */
    int64_t *idle_total; /* entries: the sum of `idle` over the levels */
    double *work;        /* two size x size matrices */
};

const char *lotor_matrix_name(lotor_matrix_kind kind)
{
    static const char *const names[] = {"matrix sums",         "Gaussian matrix tree",
                                        "Wishart matrix tree", "Gaussian matrix tree",
                                        "matrix batches",      "matrix batches"};
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "unknown matrix";
}

lotor_claim lotor_matrix_claim(lotor_matrix_kind kind)
{
    lotor_mechanism mechanism = LOTOR_MECHANISM_UNKNOWN;
    switch (kind) {
    case LOTOR_MATRIX_EXACT:
        mechanism = LOTOR_MECHANISM_EXACT;
        break;
    case LOTOR_MATRIX_GAUSSIAN:
    case LOTOR_MATRIX_TIGHT:
        mechanism = LOTOR_MECHANISM_MATRIX_TREE;
        break;
    case LOTOR_MATRIX_WISHART:
        mechanism = LOTOR_MECHANISM_WISHART;
        break;
    case LOTOR_MATRIX_BATCH:
    case LOTOR_MATRIX_SEPARATE:
        mechanism = LOTOR_MECHANISM_MATRIX_BATCH;
        break;
    }
    if (mechanism == LOTOR_MECHANISM_UNKNOWN || mechanism == LOTOR_MECHANISM_EXACT) {
        return (lotor_claim){.mechanism = mechanism};
    }
    return (lotor_claim){mechanism, LOTOR_MODEL_JOINT, LOTOR_CLAIM_ONE, NULL};
}

size_t lotor_matrix_entries(size_t size)
{
    return size * (size + 1) / 2;
}

size_t lotor_matrix_statistics(const lotor_matrix *matrix)
{
    return matrix->batch ? lotor_matrix_batch_statistics(matrix->batch) : 1;
}

static bool has_wishart(const lotor_matrix *matrix)
{
    return matrix->plan.degrees > 0.0;
}

static lotor_status allocate(lotor_matrix *matrix, uint64_t horizon)
{
    const size_t entries = matrix->entries;
    matrix->value = calloc(entries, sizeof *matrix->value);
    if (!matrix->value) {
        return LOTOR_MEMORY;
    }
    if (has_wishart(matrix)) {
        matrix->idle = calloc(matrix->plan.levels * entries, sizeof *matrix->idle);
        matrix->idle_total = calloc(entries, sizeof *matrix->idle_total);
        matrix->work = calloc(2 * matrix->size * matrix->size, sizeof *matrix->work);
        if (!matrix->idle || !matrix->idle_total || !matrix->work) {
            return LOTOR_MEMORY;
        }
    }
    return lotor_tree_new(entries, horizon, LOTOR_LAW_GAUSSIAN, matrix->plan.off_diagonal,
                          &matrix->tree);
}

lotor_status lotor_matrix_new(const lotor_matrix_params *params, lotor_message *why,
                              lotor_matrix **out)
{
    *out = NULL;
    const bool batched =
        params->kind == LOTOR_MATRIX_BATCH || params->kind == LOTOR_MATRIX_SEPARATE;
    lotor_matrix_plan plan = {0};
    lotor_status status = batched ? LOTOR_OK : lotor_matrix_plan_make(params, why, &plan);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_matrix *matrix = calloc(1, sizeof *matrix);
    if (!matrix) {
        return LOTOR_MEMORY;
    }
    matrix->kind = params->kind;
    matrix->size = params->size;
    matrix->entries = lotor_matrix_entries(params->size);
    matrix->bound = params->bound;
    matrix->per_unit = batched ? 0.0 : 1.0 / plan.unit;
    matrix->plan = plan;
    status = batched ? lotor_matrix_batch_new(params, why, &matrix->batch)
                     : allocate(matrix, params->horizon);
    if (status != LOTOR_OK) {
        lotor_matrix_free(matrix);
        return status;
    }
    *out = matrix;
    return LOTOR_OK;
}

void lotor_matrix_free(lotor_matrix *matrix)
{
    if (matrix) {
        const size_t idle = matrix->plan.levels * matrix->entries;
        lotor_tree_free(matrix->tree);
        lotor_matrix_batch_free(matrix->batch);
        lotor_wipe_free(matrix->value, matrix->entries * sizeof *matrix->value);
        lotor_wipe_free(matrix->idle, idle * sizeof *matrix->idle);
        lotor_wipe_free(matrix->idle_total, matrix->entries * sizeof *matrix->idle_total);
        lotor_wipe_free(matrix->work, 2 * matrix->size * matrix->size * sizeof *matrix->work);
        free(matrix);
    }
}

void lotor_matrix_restart(lotor_matrix *matrix)
{
    if (matrix->batch) {
        lotor_matrix_batch_restart(matrix->batch);
        return;
    }
    const size_t idle = matrix->plan.levels * matrix->entries;
    lotor_tree_restart(matrix->tree, matrix->tree->horizon, matrix->plan.off_diagonal);
    lotor_wipe(matrix->value, matrix->entries * sizeof *matrix->value);
    if (matrix->idle) {
        lotor_wipe(matrix->idle, idle * sizeof *matrix->idle);
        lotor_wipe(matrix->idle_total, matrix->entries * sizeof *matrix->idle_total);
    }
    matrix->fed = 0;
    matrix->due = matrix->started = false;
}

lotor_matrix_noise lotor_matrix_noise_of(const lotor_matrix *matrix)
{
    if (matrix->batch) {
        return lotor_matrix_batch_noise(matrix->batch);
    }
    return (lotor_matrix_noise){
        .levels = (double)matrix->plan.levels,
        .sigma = (double)matrix->plan.off_diagonal * matrix->plan.unit,
        .diagonal = (double)matrix->plan.diagonal * matrix->plan.unit,
        .degrees = matrix->plan.degrees,
    };
}

/* Computes the triangle of z z' in units. Rounds after the product: the sensitivity counts one
 * rounding per entry. */
static inline void square(lotor_matrix *matrix, const double *z)
{
    int64_t *value = matrix->value;
    for (size_t i = 0; i < matrix->size; i++) {
        for (size_t j = 0; j <= i; j++) {
            *value++ = llrint(z[i] * z[j] * matrix->per_unit);
        }
    }
}

/* Adds a symmetric Gaussian matrix: to each entry of the triangle once. */
static inline lotor_status add_gaussian(const lotor_matrix *matrix, lotor_noise *noise,
                                        int64_t *node)
{
    int64_t *row = node;
    for (size_t i = 0; i < matrix->size; i++) {
        lotor_status status =
            lotor_noise_add(noise, LOTOR_LAW_GAUSSIAN, matrix->plan.off_diagonal, i, row);
        if (status == LOTOR_OK) {
            status = lotor_noise_add(noise, LOTOR_LAW_GAUSSIAN, matrix->plan.diagonal, 1, row + i);
        }
        if (status != LOTOR_OK) {
            return status;
        }
        row += i + 1;
    }
    return LOTOR_OK;
}

/* Adds a Wishart matrix. Only simulations and scripts do. */
static lotor_status add_wishart(lotor_matrix *matrix, lotor_noise *noise, int64_t *node)
{
    const double scale = matrix->bound * matrix->bound * matrix->per_unit;
    if (noise->script) {
        const lotor_noise_request request = {LOTOR_USE_RELEASE, LOTOR_LAW_GAUSSIAN,
                                             (uint64_t)ceil(scale), matrix->entries,
                                             matrix->plan.degrees};
        return noise->script->add(noise->script, &request, node);
    }
    const size_t size = matrix->size;
    double *drawn = matrix->work + size * size;
    lotor_random_wishart(noise->generator, size, matrix->plan.degrees, matrix->work, drawn);
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j <= i; j++, node++) {
            *node = lotor_release_plus(*node, lotor_noise_whole(drawn[i * size + j] * scale));
        }
    }
    return LOTOR_OK;
}

/* Gives an empty level new noise. If `noise` is NULL, the level was filled, and its noise is
 * dropped. */
static lotor_status set_idle(lotor_matrix *matrix, unsigned level, lotor_noise *noise)
{
    assert(level < matrix->plan.levels);
    int64_t *idle = matrix->idle + level * matrix->entries;
    for (size_t i = 0; i < matrix->entries; i++) {
        matrix->idle_total[i] = (int64_t)((uint64_t)matrix->idle_total[i] - (uint64_t)idle[i]);
    }
    memset(idle, 0, matrix->entries * sizeof *idle);
    const lotor_status status = noise ? add_wishart(matrix, noise, idle) : LOTOR_OK;
    for (size_t i = 0; i < matrix->entries; i++) {
        matrix->idle_total[i] = lotor_release_plus(matrix->idle_total[i], idle[i]);
    }
    return status;
}

/* Posts the latest release. Repeated calls post the same release, until all of it is on the
 * board. */
static lotor_status post(lotor_matrix *matrix, lotor_board *board)
{
    assert(matrix->entries == board->arms);
    const lotor_tree *tree = matrix->tree;
    for (size_t i = 0; i < matrix->entries; i++) {
        int64_t sum = tree->output[i];
        if (matrix->idle) {
            sum = lotor_release_plus(sum, matrix->idle_total[i]);
        }
        const lotor_fact fact = {(double)sum * matrix->plan.unit, tree->count, matrix->fed + 1};
        const lotor_status status = lotor_board_post(board, 0, i, fact);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    matrix->due = false;
    return LOTOR_OK;
}

lotor_status lotor_matrix_start(lotor_matrix *matrix, lotor_noise *noise, lotor_board *board)
{
    if (!has_wishart(matrix)) {
        return LOTOR_OK;
    }
    if (!noise->generator) {
        return LOTOR_INVALID;
    }
    if (!matrix->started) {
        for (unsigned level = 0; level < matrix->plan.levels; level++) {
            const lotor_status status = set_idle(matrix, level, noise);
            if (status != LOTOR_OK) {
                return status;
            }
        }
        matrix->started = true;
        matrix->due = true;
    }
    return matrix->due ? post(matrix, board) : LOTOR_OK;
}

/* Gives the levels below the node that was filled last new noise, and that node none. */
static lotor_status renew_idle(lotor_matrix *matrix, lotor_noise *noise)
{
    const unsigned filled = (unsigned)__builtin_ctzll(matrix->tree->count);
    lotor_status status = LOTOR_OK;
    for (unsigned level = 0; level < filled && status == LOTOR_OK; level++) {
        status = set_idle(matrix, level, noise);
    }
    return status == LOTOR_OK ? set_idle(matrix, filled, NULL) : status;
}

/* Inserts a round. On failure nothing changed. */
static inline lotor_status insert(lotor_matrix *matrix, const double *z, uint64_t time,
                                  lotor_noise *noise)
{
    if (time < matrix->fed || time == UINT64_MAX ||
        (has_wishart(matrix) && (!matrix->started || !noise->generator))) {
        return LOTOR_INVALID;
    }
    lotor_tree *tree = matrix->tree;
    square(matrix, z);
    int64_t *node;
    lotor_status status = lotor_tree_prepare(tree, matrix->value, &node);
    lotor_wipe(matrix->value, matrix->entries * sizeof *matrix->value);
    if (status != LOTOR_OK) {
        return status;
    }
    status =
        has_wishart(matrix) ? add_wishart(matrix, noise, node) : add_gaussian(matrix, noise, node);
    if (status != LOTOR_OK) {
        lotor_tree_abandon(tree);
        return status;
    }
    lotor_tree_commit(tree);
    assert(tree->count > 0);
    status = matrix->idle ? renew_idle(matrix, noise) : LOTOR_OK; /* simulated noise never fails */
    matrix->fed = time;
    matrix->due = true;
    return status;
}

lotor_status lotor_matrix_feed(lotor_matrix *matrix, const double *z, uint64_t time,
                               lotor_noise *noise, lotor_board *board)
{
    if (time == 0) {
        return LOTOR_INVALID;
    }
    if (matrix->batch) {
        return lotor_matrix_batch_feed(matrix->batch, z, time, noise, board);
    }
    if (time != matrix->fed) { /* equal: the round is in, and only its release has to be posted */
        const lotor_status status = insert(matrix, z, time, noise);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return matrix->due ? post(matrix, board) : LOTOR_OK;
}

void lotor_matrix_save(const lotor_matrix *matrix, lotor_writer *writer)
{
    if (matrix->batch) {
        lotor_matrix_batch_save(matrix->batch, writer);
        return;
    }
    lotor_write_u64(writer, matrix->fed);
    lotor_write_u64(writer, matrix->due);
    lotor_tree_save(matrix->tree, writer);
    if (matrix->idle) {
        lotor_write_u64(writer, matrix->started);
        lotor_write_i64s(writer, matrix->idle, matrix->plan.levels * matrix->entries);
    }
}

/* Filled levels have no noise in `idle`, and before the start no level has any. */
static void load_idle(lotor_matrix *matrix, lotor_reader *reader)
{
    const size_t entries = matrix->entries;
    matrix->started = lotor_read_flag(reader);
    lotor_read_expect(reader, matrix->started || (matrix->tree->count == 0 && !matrix->due));
    lotor_read_i64s(reader, matrix->idle, matrix->plan.levels * entries);
    memset(matrix->idle_total, 0, entries * sizeof *matrix->idle_total);
    for (size_t i = 0; i < matrix->plan.levels * entries; i++) {
        const bool is_filled = (matrix->tree->count >> (i / entries)) & 1;
        lotor_read_expect(reader, matrix->idle[i] == 0 || (matrix->started && !is_filled));
        int64_t *total = &matrix->idle_total[i % entries];
        *total = lotor_release_plus(*total, matrix->idle[i]);
    }
}

void lotor_matrix_load(lotor_matrix *matrix, lotor_reader *reader)
{
    if (matrix->batch) {
        lotor_matrix_batch_load(matrix->batch, reader);
        return;
    }
    const lotor_tree *tree = matrix->tree;
    const uint64_t horizon = tree->horizon;
    matrix->fed = lotor_read_u64(reader);
    matrix->due = lotor_read_flag(reader);
    lotor_tree_load(matrix->tree, reader);
    lotor_read_expect(reader, tree->horizon == horizon && tree->scale == matrix->plan.off_diagonal);
    lotor_read_expect(reader, matrix->fed >= tree->count && matrix->fed < UINT64_MAX);
    lotor_read_expect(reader, tree->count > 0 || matrix->fed == 0);
    if (matrix->idle) {
        load_idle(matrix, reader);
    } else {
        lotor_read_expect(reader, tree->count > 0 || !matrix->due);
    }
}
