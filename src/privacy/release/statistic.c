/* statistic.c - one private statistic per arm: see statistic.h.
 *
 * Sensitivity. A round shows up to K arms and moves the fed values by at most l1 in L1, over all
 * arms together. Every value enters `parts` released numbers: 1 (its batch) or the levels of its
 * arm's tree. So all released numbers of all arms together move by at most l1 * parts, and noise of
 * scale l1 * parts / epsilon on each is epsilon-DP: no factor for the number of arms. Proof:
 * statistic.md.
 */
#include "privacy/release/statistic.h"

#include <stdlib.h>

#include "privacy/release/batch.h"
#include "privacy/release/tree.h"

typedef struct arm_state {
    lotor_tree *tree;
    lotor_batch *batch;
    int64_t sum; /* exact */
    uint64_t count;
    uint64_t fed; /* the time of the latest observation */
    bool due;     /* it made a release that is not on the board yet */
} arm_state;

struct lotor_statistic {
    lotor_statistic_kind kind;
    size_t arms;
    uint64_t scale;
    double unit;
    arm_state states[];
};

const char *lotor_statistic_name(lotor_statistic_kind kind)
{
    static const char *const names[] = {"exact", "tree", "doubling batches"};
    return names[kind];
}

/* ceil(log2 horizon) + 1, the number of levels that Sajed 2019, Algorithm 5 calibrates for. The
 * tree has floor(log2 horizon) + 1 levels, which is never more. */
static uint64_t printed_levels(uint64_t horizon)
{
    return lotor_tree_levels(horizon) + ((horizon & (horizon - 1)) != 0 ? 1U : 0U);
}

static lotor_status plan_scale(lotor_statistic_kind kind, const lotor_release_params *params,
                               lotor_message *why, uint64_t *scale, uint64_t *horizon)
{
    *scale = 0;
    const uint64_t parts = kind == LOTOR_STATISTIC_TREE ? printed_levels(params->horizon) : 1;
    if (kind != LOTOR_STATISTIC_EXACT) {
        const lotor_status status =
            lotor_release_scale(params, LOTOR_LAW_LAPLACE, parts, why, scale);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return lotor_release_fits(params, *scale, parts, why, horizon);
}

static lotor_status make_arm(const lotor_statistic *statistic, uint64_t horizon, arm_state *arm)
{
    lotor_status status = LOTOR_OK;
    if (statistic->kind == LOTOR_STATISTIC_TREE) {
        status = lotor_tree_new(1, horizon, LOTOR_LAW_LAPLACE, statistic->scale, &arm->tree);
    } else if (statistic->kind == LOTOR_STATISTIC_DOUBLING) {
        status = lotor_batch_new(1, LOTOR_LAW_LAPLACE, statistic->scale, &arm->batch);
        if (status == LOTOR_OK) {
            status = lotor_batch_open(arm->batch, 1);
        }
    }
    return status;
}

lotor_status lotor_statistic_new(lotor_statistic_kind kind, size_t arms,
                                 const lotor_release_params *params, double unit,
                                 lotor_message *why, lotor_statistic **out)
{
    *out = NULL;
    uint64_t scale, horizon;
    lotor_status status = plan_scale(kind, params, why, &scale, &horizon);
    if (status != LOTOR_OK) {
        return status;
    }
    size_t bytes;
    lotor_statistic *statistic = NULL;
    if (!__builtin_mul_overflow(arms, sizeof(arm_state), &bytes) &&
        !__builtin_add_overflow(bytes, sizeof *statistic, &bytes)) {
        statistic = calloc(1, bytes);
    }
    if (!statistic) {
        return LOTOR_MEMORY;
    }
    statistic->kind = kind;
    statistic->arms = arms;
    statistic->scale = scale;
    statistic->unit = unit;
    for (size_t i = 0; i < arms && status == LOTOR_OK; i++) {
        status = make_arm(statistic, horizon, &statistic->states[i]);
    }
    if (status != LOTOR_OK) {
        lotor_statistic_free(statistic);
        return status;
    }
    *out = statistic;
    return LOTOR_OK;
}

void lotor_statistic_free(lotor_statistic *statistic)
{
    if (statistic) {
        for (size_t i = 0; i < statistic->arms; i++) {
            lotor_tree_free(statistic->states[i].tree);
            lotor_batch_free(statistic->states[i].batch);
        }
        free(statistic);
    }
}

uint64_t lotor_statistic_scale(const lotor_statistic *statistic)
{
    return statistic->scale;
}

uint64_t lotor_statistic_room(const lotor_statistic *statistic, size_t arm)
{
    if (statistic->kind != LOTOR_STATISTIC_DOUBLING) {
        return 1;
    }
    const lotor_batch *batch = statistic->states[arm].batch;
    return batch->size - batch->filled;
}

/* Puts observations in; says in *due whether that made a release. */
static inline lotor_status insert(lotor_statistic_kind kind, arm_state *state, int64_t sum,
                                  uint64_t rounds, lotor_noise *noise, bool *due)
{
    *due = true;
    lotor_status status;
    switch (kind) {
    case LOTOR_STATISTIC_TREE:
        return lotor_tree_insert(state->tree, &sum, noise);
    case LOTOR_STATISTIC_DOUBLING:
        status = lotor_batch_insert_block(state->batch, &sum, rounds, noise, due);
        return *due ? lotor_batch_open(state->batch, 2 * state->batch->latest_size) : status;
    case LOTOR_STATISTIC_EXACT:
        break;
    }
    state->sum = lotor_release_plus(state->sum, sum);
    state->count += rounds;
    return LOTOR_OK;
}

/* Posts the arm's latest release: the same one each time, until it is on the board. */
static inline lotor_status post(const lotor_statistic *statistic, size_t arm, lotor_board *board)
{
    const arm_state *state = &statistic->states[arm];
    int64_t sum = state->sum;
    uint64_t count = state->count;
    if (statistic->kind == LOTOR_STATISTIC_TREE) {
        sum = state->tree->output[0];
        count = state->tree->count;
    } else if (statistic->kind == LOTOR_STATISTIC_DOUBLING) {
        sum = state->batch->latest[0];
        count = state->batch->latest_size;
    }
    return lotor_board_post(board, 0, arm,
                            (lotor_fact){(double)sum * statistic->unit, count, state->fed});
}

lotor_status lotor_statistic_feed(lotor_statistic *statistic, size_t arm, int64_t sum,
                                  uint64_t rounds, uint64_t time, lotor_noise *noise,
                                  lotor_board *board)
{
    arm_state *state = &statistic->states[arm];
    if (time != state->fed) { /* else it is in already, and only its release could not be posted */
        bool due;
        const lotor_status status = insert(statistic->kind, state, sum, rounds, noise, &due);
        if (status != LOTOR_OK) {
            return status;
        }
        state->fed = time;
        state->due = due;
    }
    if (!state->due) {
        return LOTOR_OK;
    }
    const lotor_status status = post(statistic, arm, board);
    state->due = status != LOTOR_OK;
    return status;
}

void lotor_statistic_save(const lotor_statistic *statistic, lotor_writer *writer)
{
    for (size_t i = 0; i < statistic->arms; i++) {
        const arm_state *state = &statistic->states[i];
        lotor_write_u64(writer, state->fed);
        lotor_write_u64(writer, state->due);
        if (state->tree) {
            lotor_tree_save(state->tree, writer);
        } else if (state->batch) {
            lotor_batch_save(state->batch, writer);
        } else {
            lotor_write_i64s(writer, &state->sum, 1);
            lotor_write_u64(writer, state->count);
        }
    }
}

void lotor_statistic_load(lotor_statistic *statistic, lotor_reader *reader)
{
    for (size_t i = 0; i < statistic->arms; i++) {
        arm_state *state = &statistic->states[i];
        state->fed = lotor_read_u64(reader);
        const uint64_t due = lotor_read_u64(reader);
        lotor_read_expect(reader, due <= 1);
        state->due = due == 1;
        if (state->tree) {
            const uint64_t horizon = state->tree->horizon;
            lotor_tree_load(state->tree, reader);
            lotor_read_expect(reader, state->tree->horizon == horizon &&
                                          state->tree->scale == statistic->scale);
        } else if (state->batch) {
            lotor_batch_load(state->batch, reader);
            lotor_read_expect(reader, lotor_batch_is_doubling(state->batch));
        } else {
            lotor_read_i64s(reader, &state->sum, 1);
            state->count = lotor_read_u64(reader);
        }
    }
}
