/* board.h - the table of all releases. A learner can read nothing else.
 *
 * The table has a fixed size: one row per statistic, one column per arm. A cell holds the latest
 * fact. Posting the same fact again is allowed, because a crash may cause it. A different fact for
 * the same time, or a fact for an earlier time, is refused. Everything that a learner computes from
 * the board is post-processing, so it costs no privacy.
 *
 * Threads: either one writer, or any number of readers, at a time.
 */
#ifndef LOTOR_BOARD_BOARD_H
#define LOTOR_BOARD_BOARD_H
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#include "base/bytes.h"

typedef struct lotor_fact {
    double value;   /* as released, in the unit of the values */
    uint64_t count; /* the number of observations behind the value */
    uint64_t time;  /* the time of the release, from 1; 0 if nothing was released yet */
} lotor_fact;

/* Called with each new fact before the fact is visible on the board. If the journal returns
 * anything but LOTOR_OK, the fact is not posted, and lotor_board_post returns that status. */
typedef lotor_status lotor_journal(void *context, size_t statistic, size_t arm,
                                   const lotor_fact *fact);

/* Private to the functions below; defined here so that they can be inlined. */
typedef struct lotor_board {
    size_t statistics, arms;
    uint64_t posts; /* how many facts were posted, over all cells and times */
    lotor_journal *journal;
    void *context; /* handed to the journal */
    lotor_fact facts[];
} lotor_board;

/* Makes an empty table. Both sizes must be above 0. The caller frees it with lotor_board_free. */
lotor_status lotor_board_new(size_t statistics, size_t arms, lotor_board **out);
void lotor_board_free(lotor_board *board);

/* The latest fact of an arm; `statistic` and `arm` must be inside the table. */
static inline const lotor_fact *lotor_board_at(const lotor_board *board, size_t statistic,
                                               size_t arm)
{
    assert(statistic < board->statistics && arm < board->arms);
    return &board->facts[statistic * board->arms + arm];
}

/* lotor_board_post with every check. Callers use lotor_board_post, which inlines the common
 * case. */
lotor_status lotor_board_post_checked(lotor_board *board, size_t statistic, size_t arm,
                                      lotor_fact fact);

/* Posts a fact (time > 0). Returns LOTOR_RELEASED if the fact contradicts a posted one,
 * LOTOR_INVALID if it is outside the table. With a journal, the fact is visible only after the
 * journal accepted it. */
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

/* How many facts were posted. While this number is unchanged, learners see the same board. */
static inline uint64_t lotor_board_posts(const lotor_board *board)
{
    return board->posts;
}

/* Sets the journal and the context that the journal is called with; NULL: no journal. */
void lotor_board_set_journal(lotor_board *board, lotor_journal *journal, void *context);

/* The board's section of a saved state. Loading fills a board of the same size; if the section does
 * not fit, loading marks the reader as damaged. */
void lotor_board_save(const lotor_board *board, lotor_writer *writer);
void lotor_board_load(lotor_board *board, lotor_reader *reader);

/* Loads the section of a board with fewer arms: they become the first `arms` arms of this one. The other
 * arms have no facts. */
void lotor_board_load_first(lotor_board *board, size_t arms, lotor_reader *reader);

#endif
