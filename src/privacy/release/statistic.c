/* statistic.c - one private statistic per arm: see statistic.h.
 *
 * Sensitivity and noise of each kind: statistic_scale.c. Proofs: statistic.md.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "privacy/release/statistic_parts.h"

static lotor_status make_arm(const lotor_statistic *statistic, const lotor_release_params *params,
                             uint64_t horizon, lotor_message *why, lotor_arm_state *arm)
{
    lotor_status status = LOTOR_OK;
    if (statistic->kind == LOTOR_STATISTIC_TREE) {
        status = lotor_tree_new(1, horizon, LOTOR_LAW_LAPLACE, statistic->scale, &arm->tree);
    } else if (lotor_statistic_schedule(statistic->kind)) {
        status = lotor_batch_new(1, LOTOR_LAW_LAPLACE, statistic->scale, &arm->batch);
        if (status == LOTOR_OK) {
            status = lotor_batch_open(arm->batch, 1);
        }
    } else if (statistic->kind == LOTOR_STATISTIC_HYBRID) {
        status = lotor_hybrid_new(params, why, &arm->hybrid);
    }
    return status;
}

static lotor_status make_vector(lotor_statistic *statistic, uint64_t horizon)
{
    statistic->round = calloc(statistic->arms, sizeof *statistic->round);
    return statistic->round ? lotor_tree_new(statistic->arms, horizon, LOTOR_LAW_LAPLACE,
                                             statistic->scale, &statistic->vector)
                            : LOTOR_MEMORY;
}

lotor_status lotor_statistic_new(lotor_statistic_kind kind, size_t arms,
                                 const lotor_release_params *params, double unit,
                                 lotor_message *why, lotor_statistic **out)
{
    *out = NULL;
    uint64_t scale, horizon;
    lotor_status status = lotor_statistic_plan(kind, params, why, &scale, &horizon);
    if (status != LOTOR_OK) {
        return status;
    }
    size_t bytes;
    lotor_statistic *statistic = NULL;
    if (!__builtin_mul_overflow(arms, sizeof(lotor_arm_state), &bytes) &&
        !__builtin_add_overflow(bytes, sizeof *statistic, &bytes)) {
        statistic = calloc(1, bytes);
    }
    if (!statistic) {
        return LOTOR_MEMORY;
    }
    /* a tight tree is a tree of another scale */
    statistic->kind = kind == LOTOR_STATISTIC_TREE_TIGHT ? LOTOR_STATISTIC_TREE : kind;
    statistic->arms = arms;
    statistic->scale = scale;
    statistic->unit = unit;
    if (kind == LOTOR_STATISTIC_VECTOR_TREE) {
        status = make_vector(statistic, horizon);
    } else if (kind == LOTOR_STATISTIC_BITS) {
        statistic->unit = 1.0;
        statistic->least = params->least;
        status = lotor_bit_make(params->epsilon, params->l1, why, &statistic->bit);
    } else if (lotor_statistic_rounds(kind)) {
        status = lotor_rounds_new(lotor_statistic_rounds(kind), arms, params, scale, unit, why,
                                  &statistic->rounds);
    }
    for (size_t i = 0; i < arms && status == LOTOR_OK; i++) {
        status = make_arm(statistic, params, horizon, why, &statistic->states[i]);
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
            lotor_hybrid_free(statistic->states[i].hybrid);
        }
        lotor_tree_free(statistic->vector);
        lotor_rounds_free(statistic->rounds);
        lotor_wipe_free(statistic->round, statistic->arms * sizeof *statistic->round);
        free(statistic);
    }
}

uint64_t lotor_statistic_scale(const lotor_statistic *statistic)
{
    return statistic->scale;
}

double lotor_statistic_noise(const lotor_statistic *statistic)
{
    const lotor_rounds *rounds = statistic->rounds;
    return rounds                                    ? rounds->kind->noise(rounds->state)
           : statistic->kind == LOTOR_STATISTIC_BITS ? statistic->bit.lie
                                                     : (double)statistic->scale * statistic->unit;
}

double lotor_statistic_spread(const lotor_statistic *statistic)
{
    const lotor_rounds *rounds = statistic->rounds;
    return rounds ? rounds->kind->spread(rounds->state) : 1.0;
}

uint64_t lotor_statistic_room(const lotor_statistic *statistic, size_t arm)
{
    if (statistic->rounds) {
        return statistic->rounds->kind->room(statistic->rounds->state, arm);
    }
    if (!lotor_statistic_schedule(statistic->kind)) {
        return 1;
    }
    const lotor_batch *batch = statistic->states[arm].batch;
    return batch->size - batch->filled;
}

/* The bit that is sent for a value. */
static lotor_status send(const lotor_statistic *statistic, int64_t value, lotor_noise *noise,
                         int64_t *sent)
{
    const uint64_t steps = (uint64_t)value - (uint64_t)statistic->least;
    bool one = false;
    lotor_status status = LOTOR_OK;
    if (noise->simulation) {
        one = lotor_bit_simulate(&statistic->bit, steps, noise->simulation);
    } else {
        status = lotor_bit_send(&statistic->bit, steps, noise->exact, &one);
    }
    *sent = one;
    return status;
}

/* Puts observations in; says in *due whether that made a release. `kind` is the statistic's, told
 * apart so that a loop over arms is compiled for it. */
static inline __attribute__((always_inline)) lotor_status
insert(const lotor_statistic *statistic, lotor_statistic_kind kind, lotor_arm_state *state,
       int64_t sum, uint64_t rounds, lotor_noise *noise, bool *due)
{
    *due = true;
    int64_t drawn = 0;
    lotor_status status = LOTOR_OK;
    switch (kind) {
    case LOTOR_STATISTIC_TREE:
        return lotor_tree_insert(state->tree, &sum, noise);
    case LOTOR_STATISTIC_DOUBLING:
    case LOTOR_STATISTIC_GROWING:
    case LOTOR_STATISTIC_EPISODES:
        status = lotor_batch_insert_block(state->batch, &sum, rounds, noise, due);
        return *due ? lotor_batch_open(state->batch,
                                       lotor_statistic_schedule(kind)(state->batch->covered))
                    : status;
    case LOTOR_STATISTIC_BITS:
        status = send(statistic, sum, noise, &sum);
        break;
    case LOTOR_STATISTIC_HYBRID:
        return lotor_hybrid_insert(state->hybrid, &sum, noise);
    case LOTOR_STATISTIC_REPORTS:
    case LOTOR_STATISTIC_REPORTS_COMPOSED:
        status = lotor_noise_draw_one(noise, LOTOR_LAW_LAPLACE, statistic->scale, &drawn);
        break;
    case LOTOR_STATISTIC_REPORTS_GAUSSIAN:
        status = lotor_noise_draw_one(noise, LOTOR_LAW_GAUSSIAN, statistic->scale, &drawn);
        break;
    default: /* exact; those by round are not fed here */
        break;
    }
    if (status == LOTOR_OK) {
        const int64_t report = lotor_release_plus(sum, drawn);
        state->sum = lotor_release_plus(state->sum, report);
        state->count += rounds;
    }
    return status;
}

/* Posts the arm's latest release: the same one each time, until it is on the board. */
static inline __attribute__((always_inline)) lotor_status
post(const lotor_statistic *statistic, lotor_statistic_kind kind, size_t arm, lotor_board *board)
{
    const lotor_arm_state *state = &statistic->states[arm];
    int64_t sum = state->sum;
    uint64_t count = state->count;
    size_t row = 0;
    if (kind == LOTOR_STATISTIC_TREE) {
        sum = state->tree->output[0];
        count = state->tree->count;
    } else if (lotor_statistic_schedule(kind)) {
        sum = state->batch->latest[0];
        count = state->batch->latest_size;
        row = lotor_statistic_keeps_batches(kind) ? state->batch->releases - 1 : 0;
    } else if (kind == LOTOR_STATISTIC_HYBRID) {
        sum = lotor_release_plus(sum, state->hybrid->output[0]);
        count += state->hybrid->count;
    }
    const uint64_t time = state->fed + statistic->begun;
    return lotor_board_post(board, row, arm,
                            (lotor_fact){(double)sum * statistic->unit, count, time});
}

lotor_status lotor_statistic_begin(lotor_statistic *statistic, const int64_t *first,
                                   lotor_board *board)
{
    statistic->begun = 1;
    for (size_t i = 0; i < statistic->arms; i++) {
        statistic->states[i].sum = first[i];
        statistic->states[i].count = 1;
        const lotor_status status = post(statistic, statistic->kind, i, board);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return LOTOR_OK;
}

static inline __attribute__((always_inline)) lotor_status
feed_arm(lotor_statistic *statistic, lotor_statistic_kind kind, size_t arm, int64_t sum,
         uint64_t rounds, uint64_t time, lotor_noise *noise, lotor_board *board)
{
    lotor_arm_state *state = &statistic->states[arm];
    if (time != state->fed) { /* else it is in already, and only its release could not be posted */
        bool due;
        const lotor_status status = insert(statistic, kind, state, sum, rounds, noise, &due);
        if (status != LOTOR_OK) {
            return status;
        }
        state->fed = time;
        state->due = due;
    }
    if (!state->due) {
        return LOTOR_OK;
    }
    const lotor_status status = post(statistic, kind, arm, board);
    state->due = status != LOTOR_OK;
    return status;
}

lotor_status lotor_statistic_feed(lotor_statistic *statistic, size_t arm, int64_t sum,
                                  uint64_t rounds, uint64_t time, lotor_noise *noise,
                                  lotor_board *board)
{
    switch (statistic->kind) { /* the hot ones, compiled for their kind */
    case LOTOR_STATISTIC_TREE:
        return feed_arm(statistic, LOTOR_STATISTIC_TREE, arm, sum, rounds, time, noise, board);
    case LOTOR_STATISTIC_REPORTS:
        return feed_arm(statistic, LOTOR_STATISTIC_REPORTS, arm, sum, rounds, time, noise, board);
    default:
        return feed_arm(statistic, statistic->kind, arm, sum, rounds, time, noise, board);
    }
}

static lotor_status feed_vector(lotor_statistic *statistic, const uint32_t *arms,
                                const int64_t *values, size_t count, uint64_t time,
                                lotor_noise *noise, lotor_board *board)
{
    if (time != statistic->fed) {
        for (size_t i = 0; i < count; i++) {
            statistic->round[arms[i]] = values[i];
        }
        const lotor_status status = lotor_tree_insert(statistic->vector, statistic->round, noise);
        for (size_t i = 0; i < count; i++) {
            statistic->round[arms[i]] = 0;
            statistic->states[arms[i]].count += status == LOTOR_OK;
        }
        if (status != LOTOR_OK) {
            return status;
        }
        statistic->fed = time;
        statistic->due = true;
    }
    for (size_t i = 0; i < statistic->arms && statistic->due; i++) {
        const double value = (double)statistic->vector->output[i] * statistic->unit;
        const lotor_status status = lotor_board_post(
            board, 0, i, (lotor_fact){value, statistic->states[i].count, statistic->fed});
        if (status != LOTOR_OK) {
            return status;
        }
    }
    statistic->due = false;
    return LOTOR_OK;
}

static inline __attribute__((always_inline)) lotor_status
feed_arms(lotor_statistic *statistic, lotor_statistic_kind kind, const uint32_t *arms,
          const int64_t *values, size_t count, uint64_t time, lotor_noise *noise,
          lotor_board *board)
{
    for (size_t i = 0; i < count; i++) {
        const lotor_status status =
            feed_arm(statistic, kind, arms[i], values[i], 1, time, noise, board);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return LOTOR_OK;
}

lotor_status lotor_statistic_feed_round(lotor_statistic *statistic, const uint32_t *arms,
                                        const int64_t *values, size_t count, uint64_t time,
                                        lotor_noise *noise, lotor_board *board)
{
    switch (statistic->kind) {
    case LOTOR_STATISTIC_VECTOR_TREE:
        return feed_vector(statistic, arms, values, count, time, noise, board);
    case LOTOR_STATISTIC_EXACT:
        return feed_arms(statistic, LOTOR_STATISTIC_EXACT, arms, values, count, time, noise, board);
    case LOTOR_STATISTIC_HYBRID:
        return feed_arms(statistic, LOTOR_STATISTIC_HYBRID, arms, values, count, time, noise,
                         board);
    case LOTOR_STATISTIC_REPORTS:
    case LOTOR_STATISTIC_REPORTS_COMPOSED:
        return feed_arms(statistic, LOTOR_STATISTIC_REPORTS, arms, values, count, time, noise,
                         board);
    case LOTOR_STATISTIC_REPORTS_GAUSSIAN:
        return feed_arms(statistic, LOTOR_STATISTIC_REPORTS_GAUSSIAN, arms, values, count, time,
                         noise, board);
    case LOTOR_STATISTIC_CLICK_REPORTS:
    case LOTOR_STATISTIC_CLICK_BATCHES:
    case LOTOR_STATISTIC_CUBE_REPORTS:
        return lotor_rounds_feed(statistic->rounds, arms, values, count, time, noise, board);
    case LOTOR_STATISTIC_TREE:
    case LOTOR_STATISTIC_TREE_TIGHT:
    case LOTOR_STATISTIC_DOUBLING:
    case LOTOR_STATISTIC_GROWING:
    case LOTOR_STATISTIC_EPISODES:
    case LOTOR_STATISTIC_BITS:
        break;
    }
    return feed_arms(statistic, statistic->kind, arms, values, count, time, noise, board);
}

lotor_status lotor_statistic_take(lotor_statistic *statistic, const uint32_t *arms,
                                  const int64_t *report, size_t count, uint64_t time,
                                  lotor_board *board)
{
    if (statistic->rounds) {
        return lotor_rounds_take(statistic->rounds, arms, report, count, time, board);
    }
    for (size_t i = 0; i < count; i++) {
        lotor_arm_state *state = &statistic->states[arms[i]];
        if (time != state->fed) {
            state->sum = lotor_release_plus(state->sum, report[i]);
            state->count++;
            state->fed = time;
            state->due = true;
        }
        const lotor_status status =
            state->due ? post(statistic, statistic->kind, arms[i], board) : LOTOR_OK;
        if (status != LOTOR_OK) {
            return status;
        }
        state->due = false;
    }
    return LOTOR_OK;
}
