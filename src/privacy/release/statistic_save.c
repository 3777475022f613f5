/* statistic_save.c - a statistic as saved bytes, and whether loaded ones fit the board. */
#include "privacy/release/statistic_parts.h"

static void save_arm(const lotor_arm_state *state, lotor_writer *writer)
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

static void load_arm(const lotor_statistic *statistic, lotor_arm_state *state, lotor_reader *reader)
{
    state->fed = lotor_read_u64(reader);
    state->due = lotor_read_flag(reader);
    lotor_read_i64s(reader, &state->sum, 1);
    state->count = lotor_read_u64(reader);
    if (state->tree) {
        load_tree(statistic, state->tree, reader);
    } else if (state->batch) {
        lotor_batch_load(state->batch, reader);
        lotor_read_expect(
            reader, lotor_schedule_fits(lotor_statistic_schedule(statistic->kind), state->batch));
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
static bool fits_batches(lotor_statistic_kind kind, const lotor_arm_state *state,
                         const lotor_board *board, size_t arm, uint64_t shown)
{
    lotor_schedule *size = lotor_statistic_schedule(kind);
    const lotor_batch *batch = state->batch;
    const size_t rows = lotor_statistic_keeps_batches(kind) ? board->statistics : 1;
    if ((state->due && batch->releases == 0) || batch->covered + batch->filled > shown) {
        return false;
    }
    const uint64_t posted = batch->releases - (state->due ? 1 : 0);
    if (lotor_statistic_keeps_batches(kind) && batch->releases > rows) {
        return false;
    }
    for (size_t row = 0; row < rows; row++) {
        const lotor_fact *fact = lotor_board_at(board, row, arm);
        const uint64_t number = !lotor_statistic_keeps_batches(kind) ? posted
                                : row < posted                       ? row + 1
                                                                     : 0;
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
        const lotor_arm_state *state = &statistic->states[i];
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
