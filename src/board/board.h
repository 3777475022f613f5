/* board.h - the released facts: all that a learner may read.
 *
 * A fixed table, statistic by arm. A fact is written once: the same one again is fine (a crash
 * may repeat it), another value for the same time, or an older time, is refused. What learners
 * do with the board is post-processing, so it costs no privacy.
 *
 * Threads: one writer or many readers at a time.
 */
#ifndef LOTOR_BOARD_BOARD_H
#define LOTOR_BOARD_BOARD_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#include "base/bytes.h"

typedef struct lotor_fact {
    double value;   /* as released, in the values' own unit */
    uint64_t count; /* how many observations it covers */
    uint64_t time;  /* of the release, from 1; 0: nothing released yet */
} lotor_fact;

/* Called with each new fact before it is visible; anything but LOTOR_OK keeps it off the board
 * and is what lotor_board_post returns. */
typedef lotor_status lotor_journal(void *context, size_t statistic, size_t arm,
                                   const lotor_fact *fact);

/* Read through the functions below; it stands here so that they can be inlined. */
typedef struct lotor_board {
    size_t statistics, arms;
    uint64_t posts;
    lotor_journal *journal;
    void *context;
    lotor_fact facts[];
} lotor_board;

/* A table of statistics x arms, all empty; the caller frees it. Both must be above 0. */
lotor_status lotor_board_new(size_t statistics, size_t arms, lotor_board **out);
void lotor_board_free(lotor_board *board);

/* The current fact; statistic and arm must be within the table. */
static inline const lotor_fact *lotor_board_at(const lotor_board *board, size_t statistic,
                                               size_t arm)
{
    return &board->facts[statistic * board->arms + arm];
}

/* lotor_board_post with every check; the common case is inlined below. */
lotor_status lotor_board_post_checked(lotor_board *board, size_t statistic, size_t arm,
                                      lotor_fact fact);

/* Posts a fact (time > 0): LOTOR_RELEASED when it contradicts what was posted, LOTOR_INVALID
 * outside the table. With a journal the fact is visible only after the journal has taken it. */
static inline lotor_status lotor_board_post(lotor_board *board, size_t statistic, size_t arm,
                                            lotor_fact fact)
{
    if (statistic >= board->statistics || arm >= board->arms || board->journal) {
        return lotor_board_post_checked(board, statistic, arm, fact);
    }
    lotor_fact *cell = &board->facts[statistic * board->arms + arm];
    if (fact.time <= cell->time) {
        return lotor_board_post_checked(board, statistic, arm, fact);
    }
    *cell = fact;
    board->posts++;
    return LOTOR_OK;
}

/* How many facts were posted: unchanged means that nothing a learner sees has changed. */
static inline uint64_t lotor_board_posts(const lotor_board *board)
{
    return board->posts;
}

/* NULL: no journal. */
void lotor_board_set_journal(lotor_board *board, lotor_journal *journal, void *context);

/* The board's section of a saved state. Loading fills a board of the same shape, or marks the
 * reader as damaged. */
void lotor_board_save(const lotor_board *board, lotor_writer *writer);
void lotor_board_load(lotor_board *board, lotor_reader *reader);

#endif
