/* statistic.c - one private statistic per arm: see statistic.h.
 *
 * Sensitivity and noise of each kind: statistic_scale.c. Proofs: statistic.md.
 */
#include "privacy/release/statistic.h"

#include <stdlib.h>

#include "base/memory.h"
#include "privacy/local/bit.h"
#include "privacy/noise/mutant.h"
#include "privacy/release/batch.h"
#include "privacy/release/hybrid.h"
#include "privacy/release/rounds.h"
#include "privacy/release/schedule.h"
#include "privacy/release/tree.h"

typedef struct arm_state {
    lotor_tree *tree;
    lotor_batch *batch;
    lotor_hybrid *hybrid;
    int64_t sum; /* exact, or of reports, or ones; with a hybrid: the first observation */
    uint64_t count;
    uint64_t fed; /* the time of the latest observation */
    bool due;     /* it made a release that is not on the board yet */
} arm_state;

struct lotor_statistic {
    lotor_statistic_kind kind;
    size_t arms;
    uint64_t scale;
    double unit;
    lotor_bit bit;      /* of bits: how one is sent, */
    int64_t least;      /* and the least value */
    uint64_t begun;     /* 1: there was a first observation, and times on the board are one later */
    lotor_tree *vector; /* of the vector tree: an entry per arm */
    int64_t *round;     /* room for one of its values */
    uint64_t fed;       /* and what `fed` and `due` are for an arm */
    bool due;
    lotor_rounds *rounds; /* of those that take whole rounds, but the vector tree */
    arm_state states[];
};

const char *lotor_statistic_name(lotor_statistic_kind kind)
{
    static const char *const names[] = {
        "exact",
        "tree",
        "doubling batches",
        "Laplace reports",
        "Gaussian reports",
        "Laplace reports",
        "vector tree",
        "hybrid counter",
        "tree",
        "click reports",
        "click batches",
        "cube reports",
        "growing batches",
        "bits",
        "episodes",
    };
    return names[kind];
}

/* Of those that release batches of an arm; else NULL. */
static lotor_schedule *schedule_of(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_DOUBLING   ? lotor_doubling_size
           : kind == LOTOR_STATISTIC_GROWING  ? lotor_growing_size
           : kind == LOTOR_STATISTIC_EPISODES ? lotor_episode_size
                                              : NULL;
}

/* Whether its batches stay on the board, each in a row of its own; else the latest alone. */
static bool keeps_batches(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_GROWING;
}

lotor_law lotor_statistic_law(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_REPORTS_GAUSSIAN ? LOTOR_LAW_GAUSSIAN : LOTOR_LAW_LAPLACE;
}

bool lotor_statistic_is_at_once(lotor_statistic_kind kind)
{
    return !schedule_of(kind) && kind != LOTOR_STATISTIC_VECTOR_TREE &&
           !lotor_statistic_hears_lists(kind);
}

bool lotor_statistic_hears_lists(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_CLICK_REPORTS || kind == LOTOR_STATISTIC_CLICK_BATCHES;
}

bool lotor_statistic_is_batched(lotor_statistic_kind kind)
{
    return schedule_of(kind) || kind == LOTOR_STATISTIC_CLICK_BATCHES;
}

bool lotor_statistic_is_reported(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_REPORTS || kind == LOTOR_STATISTIC_BITS ||
           kind == LOTOR_STATISTIC_CLICK_REPORTS || kind == LOTOR_STATISTIC_CUBE_REPORTS;
}

bool lotor_statistic_records_one(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_GROWING || kind == LOTOR_STATISTIC_EPISODES ||
           kind == LOTOR_STATISTIC_BITS;
}

size_t lotor_statistic_rows(lotor_statistic_kind kind, uint64_t horizon)
{
    return keeps_batches(kind)                 ? lotor_schedule_count(schedule_of(kind), horizon)
           : lotor_statistic_hears_lists(kind) ? 2
                                               : 1;
}

uint64_t lotor_statistic_displays(lotor_statistic_kind kind, uint64_t shown)
{
    return schedule_of(kind) ? lotor_schedule_end(schedule_of(kind), shown) - shown : 1;
}

bool lotor_statistic_is_end(lotor_statistic_kind kind, uint64_t shown)
{
    return !schedule_of(kind) || lotor_schedule_opens(schedule_of(kind), shown);
}

static const lotor_rounds_kind *rounds_of(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_CLICK_REPORTS   ? &lotor_click_reports
           : kind == LOTOR_STATISTIC_CLICK_BATCHES ? &lotor_click_batches
           : kind == LOTOR_STATISTIC_CUBE_REPORTS  ? &lotor_cube_reports
                                                   : NULL;
}

bool lotor_statistic_is_by_round(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_VECTOR_TREE || rounds_of(kind);
}

static lotor_status make_arm(const lotor_statistic *statistic, const lotor_release_params *params,
                             uint64_t horizon, lotor_message *why, arm_state *arm)
{
    lotor_status status = LOTOR_OK;
    if (statistic->kind == LOTOR_STATISTIC_TREE) {
        status = lotor_tree_new(1, horizon, LOTOR_LAW_LAPLACE, statistic->scale, &arm->tree);
    } else if (schedule_of(statistic->kind)) {
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
    if (!__builtin_mul_overflow(arms, sizeof(arm_state), &bytes) &&
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
    } else if (rounds_of(kind)) {
        status =
            lotor_rounds_new(rounds_of(kind), arms, params, scale, unit, why, &statistic->rounds);
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
    if (!schedule_of(statistic->kind)) {
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
insert(const lotor_statistic *statistic, lotor_statistic_kind kind, arm_state *state, int64_t sum,
       uint64_t rounds, lotor_noise *noise, bool *due)
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
        return *due ? lotor_batch_open(state->batch, schedule_of(kind)(state->batch->covered))
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
        const int64_t report = lotor_release_plus(sum, LOTOR_MUTANT_REPEAT(drawn, state->count));
        state->sum = lotor_release_plus(state->sum, report);
        state->count += rounds;
    }
    return status;
}

/* Posts the arm's latest release: the same one each time, until it is on the board. */
static inline __attribute__((always_inline)) lotor_status
post(const lotor_statistic *statistic, lotor_statistic_kind kind, size_t arm, lotor_board *board)
{
    const arm_state *state = &statistic->states[arm];
    int64_t sum = state->sum;
    uint64_t count = state->count;
    size_t row = 0;
    if (kind == LOTOR_STATISTIC_TREE) {
        sum = state->tree->output[0];
        count = state->tree->count;
    } else if (schedule_of(kind)) {
        sum = state->batch->latest[0];
        count = state->batch->latest_size;
        row = keeps_batches(kind) ? state->batch->releases - 1 : 0;
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
    arm_state *state = &statistic->states[arm];
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
        arm_state *state = &statistic->states[arms[i]];
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

static void save_arm(const arm_state *state, lotor_writer *writer)
{
    lotor_write_u64(writer, state->fed);
    lotor_write_u64(writer, state->due);
    lotor_write_i64s(writer, &state->sum, 1);
    lotor_write_u64(writer, state->count);
    if (state->tree) {
        lotor_tree_save(state->tree, writer);
    } else if (state->batch) {
        lotor_batch_save(state->batch, writer);
    } else if (state->hybrid) {
        lotor_hybrid_save(state->hybrid, writer);
    }
}

void lotor_statistic_save(const lotor_statistic *statistic, lotor_writer *writer)
{
    lotor_write_u64(writer, statistic->begun);
    if (statistic->rounds) {
        lotor_rounds_save(statistic->rounds, writer);
        return;
    }
    for (size_t i = 0; i < statistic->arms; i++) {
        save_arm(&statistic->states[i], writer);
    }
    if (statistic->vector) {
        lotor_write_u64(writer, statistic->fed);
        lotor_write_u64(writer, statistic->due);
        lotor_tree_save(statistic->vector, writer);
    }
}

/* The tree of an arm, or the vector one: as it was made. */
static void load_tree(const lotor_statistic *statistic, lotor_tree *tree, lotor_reader *reader)
{
    const uint64_t horizon = tree->horizon;
    lotor_tree_load(tree, reader);
    lotor_read_expect(reader, tree->horizon == horizon && tree->scale == statistic->scale);
}

static void load_arm(const lotor_statistic *statistic, arm_state *state, lotor_reader *reader)
{
    const uint64_t fed = lotor_read_u64(reader);
    state->due = lotor_read_flag(reader);
    state->fed = LOTOR_MUTANT_FED(fed, state->due);
    lotor_read_i64s(reader, &state->sum, 1);
    state->count = lotor_read_u64(reader);
    if (state->tree) {
        load_tree(statistic, state->tree, reader);
    } else if (state->batch) {
        lotor_batch_load(state->batch, reader);
        lotor_read_expect(reader, lotor_schedule_fits(schedule_of(statistic->kind), state->batch));
    } else if (state->hybrid) {
        lotor_hybrid_load(state->hybrid, reader);
    }
}

void lotor_statistic_load(lotor_statistic *statistic, lotor_reader *reader)
{
    statistic->begun = lotor_read_flag(reader);
    if (statistic->rounds) {
        lotor_rounds_load(statistic->rounds, reader);
        return;
    }
    for (size_t i = 0; i < statistic->arms; i++) {
        load_arm(statistic, &statistic->states[i], reader);
    }
    if (statistic->vector) {
        statistic->fed = lotor_read_u64(reader);
        statistic->due = lotor_read_flag(reader);
        load_tree(statistic, statistic->vector, reader);
    }
}

/* Of batches that stay: each is in its row. Of others the latest is there. While one is due, it is not. */
static bool fits_batches(lotor_statistic_kind kind, const arm_state *state,
                         const lotor_board *board, size_t arm, uint64_t shown)
{
    lotor_schedule *size = schedule_of(kind);
    const lotor_batch *batch = state->batch;
    const size_t rows = keeps_batches(kind) ? board->statistics : 1;
    if ((state->due && batch->releases == 0) || batch->covered + batch->filled > shown) {
        return false;
    }
    const uint64_t posted = batch->releases - (state->due ? 1 : 0);
    if (keeps_batches(kind) && batch->releases > rows) {
        return false;
    }
    for (size_t row = 0; row < rows; row++) {
        const lotor_fact *fact = lotor_board_at(board, row, arm);
        const uint64_t number = !keeps_batches(kind) ? posted : row < posted ? row + 1 : 0;
        if ((fact->time > 0) != (number > 0) || fact->count != lotor_schedule_size(size, number)) {
            return false;
        }
        if (number == 0) {
            break; /* nothing follows what is not there: lotor_board_load */
        }
    }
    return true;
}

bool lotor_statistic_fits(const lotor_statistic *statistic, const lotor_board *board,
                          const uint64_t *shown)
{
    bool fits = true;
    for (size_t i = 0; i < statistic->arms && fits; i++) {
        const arm_state *state = &statistic->states[i];
        if (state->batch && lotor_statistic_records_one(statistic->kind)) {
            fits = fits_batches(statistic->kind, state, board, i, shown[i]);
        } else if (statistic->kind == LOTOR_STATISTIC_BITS) {
            const lotor_fact *fact = lotor_board_at(board, 0, i);
            fits = state->count <= shown[i] && state->sum >= 0 &&
                   (uint64_t)state->sum <= state->count && fact->count <= state->count &&
                   fact->value >= 0.0 && fact->value <= (double)fact->count &&
                   (fact->time > 0) == (fact->count > 0);
        }
    }
    return fits;
}
