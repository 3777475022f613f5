/* board.c - the table of all releases; board.h describes it. */
#include "board/board.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

lotor_status lotor_board_new(size_t statistics, size_t arms, lotor_board **out)
{
    *out = NULL;
    size_t cells, bytes;
    if (statistics == 0 || arms == 0) {
        return LOTOR_INVALID;
    }
    if (__builtin_mul_overflow(statistics, arms, &cells) ||
        __builtin_mul_overflow(cells, sizeof(lotor_fact), &bytes) ||
        __builtin_add_overflow(bytes, sizeof(lotor_board), &bytes)) {
        return LOTOR_MEMORY;
    }
    lotor_board *board = calloc(1, bytes);
    if (!board) {
        return LOTOR_MEMORY;
    }
    board->statistics = statistics;
    board->arms = arms;
    *out = board;
    return LOTOR_OK;
}

void lotor_board_free(lotor_board *board)
{
    free(board);
}

static uint64_t bits(double value)
{
    uint64_t copy;
    memcpy(&copy, &value, sizeof copy);
    return copy;
}

/* Compares bit by bit, so that a NaN is equal to itself. */
static int same_fact(const lotor_fact *a, const lotor_fact *b)
{
    return bits(a->value) == bits(b->value) && a->count == b->count && a->time == b->time;
}

lotor_status lotor_board_post_checked(lotor_board *board, size_t statistic, size_t arm,
                                      lotor_fact fact)
{
    if (statistic >= board->statistics || arm >= board->arms || fact.time == 0) {
        return LOTOR_INVALID;
    }
    lotor_fact *cell = &board->facts[statistic * board->arms + arm];
    if (fact.time <= cell->time) { /* a repeated fact is accepted, a different one is not */
        return same_fact(&fact, cell) ? LOTOR_OK : LOTOR_RELEASED;
    }
    if (board->journal) {
        const lotor_status status = board->journal(board->context, statistic, arm, &fact);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    *cell = fact;
    board->posts++;
    return LOTOR_OK;
}

void lotor_board_set_journal(lotor_board *board, lotor_journal *journal, void *context)
{
    board->journal = journal;
    board->context = context;
}

/* The number of cells in the rows up to the last row that holds a fact. */
static size_t used_cells(const lotor_board *board)
{
    size_t cells = board->statistics * board->arms;
    while (board->posts > 0 && cells > 0 && board->facts[cells - 1].time == 0) {
        cells--;
    }
    return board->posts > 0 ? (cells + board->arms - 1) / board->arms * board->arms : 0;
}

void lotor_board_save(const lotor_board *board, lotor_writer *writer)
{
    const size_t cells = used_cells(board);
    lotor_write_u64(writer, board->statistics);
    lotor_write_u64(writer, board->arms);
    lotor_write_u64(writer, board->posts);
    lotor_write_u64(writer, cells / board->arms); /* empty rows at the end are not saved */
    for (size_t i = 0; i < cells; i++) {
        lotor_write_double(writer, board->facts[i].value);
        lotor_write_u64(writer, board->facts[i].count);
        lotor_write_u64(writer, board->facts[i].time);
    }
}

void lotor_board_load(lotor_board *board, lotor_reader *reader)
{
    lotor_board_load_first(board, board->arms, reader);
}

void lotor_board_load_first(lotor_board *board, size_t arms, lotor_reader *reader)
{
    assert(arms > 0 && arms <= board->arms);
    lotor_read_expect(reader, lotor_read_u64(reader) == board->statistics);
    lotor_read_expect(reader, lotor_read_u64(reader) == arms);
    if (board->posts > 0) { /* a new board is all zero: do not touch its memory */
        memset(board->facts, 0, board->statistics * board->arms * sizeof *board->facts);
    }
    board->posts = lotor_read_u64(reader);
    const uint64_t rows = lotor_read_u64(reader);
    lotor_read_expect(reader, rows <= board->statistics);
    const size_t cells = reader->status == LOTOR_OK ? (size_t)rows * board->arms : 0;
    uint64_t filled = 0;
    for (size_t row = 0; row < cells; row += board->arms) {
        for (size_t i = 0; i < arms; i++) {
            lotor_fact *fact = &board->facts[row + i];
            fact->value = lotor_read_double(reader);
            fact->count = lotor_read_u64(reader);
            fact->time = lotor_read_u64(reader);
            lotor_read_expect(reader, fact->time > 0 || (fact->value == 0.0 && fact->count == 0));
            filled += fact->time > 0;
        }
    }
    lotor_read_expect(reader, filled <= board->posts && (filled > 0 || board->posts == 0));
    lotor_read_expect(reader,
                      used_cells(board) == cells); /* a board can be saved in one way only */
    assert(reader->status != LOTOR_OK || filled <= board->posts);
}
