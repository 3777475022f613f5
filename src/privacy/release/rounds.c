/* rounds.c - see rounds.h: a round goes in once, and what it released is posted until it is on the
 * board. */
#include "privacy/release/rounds.h"

#include <stdlib.h>

lotor_status lotor_rounds_new(const lotor_rounds_kind *kind, size_t arms,
                              const lotor_release_params *params, uint64_t scale, double unit,
                              lotor_message *why, lotor_rounds **out)
{
    *out = NULL;
    lotor_rounds *rounds = calloc(1, sizeof *rounds);
    if (!rounds) {
        return LOTOR_MEMORY;
    }
    rounds->kind = kind;
    const lotor_status status = kind->make(arms, params, scale, unit, why, &rounds->state);
    if (status != LOTOR_OK) {
        free(rounds);
        return status;
    }
    *out = rounds;
    return LOTOR_OK;
}

void lotor_rounds_free(lotor_rounds *rounds)
{
    if (rounds) {
        rounds->kind->free(rounds->state);
        free(rounds);
    }
}

/* What is on the board already is the same fact once more, which changes nothing there. */
static lotor_status post(const lotor_rounds *rounds, size_t arm, lotor_board *board)
{
    for (size_t s = 0; s < rounds->kind->statistics; s++) {
        const lotor_fact fact = rounds->kind->fact(rounds->state, s, arm);
        const lotor_status status =
            fact.time > 0 ? lotor_board_post(board, s, arm, fact) : LOTOR_OK;
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return LOTOR_OK;
}

/* Posts what the latest round released, if it is not all there yet. */
static lotor_status post_all(lotor_rounds *rounds, const uint32_t *arms, size_t count,
                             lotor_board *board)
{
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < count && rounds->due && status == LOTOR_OK; i++) {
        status = post(rounds, arms[i], board);
    }
    rounds->due = status != LOTOR_OK;
    return status;
}

lotor_status lotor_rounds_take(lotor_rounds *rounds, const uint32_t *arms, const int64_t *report,
                               size_t count, uint64_t time, lotor_board *board)
{
    if (time != rounds->fed) {
        rounds->kind->take(rounds->state, arms, report[0], count, time);
        rounds->fed = time;
        rounds->due = true;
    }
    return post_all(rounds, arms, count, board);
}

lotor_status lotor_rounds_feed(lotor_rounds *rounds, const uint32_t *arms, const int64_t *values,
                               size_t count, uint64_t time, lotor_noise *noise, lotor_board *board)
{
    if (time != rounds->fed) {
        const lotor_status status =
            rounds->kind->insert(rounds->state, arms, values, count, time, noise);
        if (status != LOTOR_OK) {
            return status;
        }
        rounds->fed = time;
        rounds->due = true;
    }
    return post_all(rounds, arms, count, board);
}

void lotor_rounds_save(const lotor_rounds *rounds, lotor_writer *writer)
{
    lotor_write_u64(writer, rounds->fed);
    lotor_write_u64(writer, rounds->due);
    rounds->kind->save(rounds->state, writer);
}

void lotor_rounds_load(lotor_rounds *rounds, lotor_reader *reader)
{
    rounds->fed = lotor_read_u64(reader);
    rounds->due = lotor_read_flag(reader);
    rounds->kind->load(rounds->state, reader);
}
