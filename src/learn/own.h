/* own.h - the learner that asks a function of the caller: lotor/experimental/catalog.h.
 *
 *      board ──▶ arrays ──▶ the caller's index ──▶ oracle ──▶ arms
 *                       └─▶ the caller's choose ────────────▶ arms
 *
 * Nothing is known about the form of the function. So this learner is not an index learner
 * (index.h), and none of that learner's shortcuts exists here: there are no widths, no windows and
 * no skips. The only shortcut is that indices are kept while the board stays the same, which is what
 * a recipe asks for (unless it has `asks_every_round`).
 */
#ifndef LOTOR_LEARN_OWN_H
#define LOTOR_LEARN_OWN_H

#include <lotor/experimental/catalog.h>

#include "board/board.h"
#include "choice/oracle.h"
#include "learn/index.h"

typedef struct lotor_own_learner lotor_own_learner;

/* How the releases of an arm are stored on the board. */
typedef enum lotor_own_reading {
    LOTOR_OWN_LATEST = 0, /* statistic 0 */
    LOTOR_OWN_ADDED = 1,  /* release number b is statistic b; all are added up */
    LOTOR_OWN_BITS = 2,   /* statistic 0 counts the ones of randomized bits */
    LOTOR_OWN_CLICKS = 3  /* statistic 0: clicks; statistic 1: how often the item was looked at */
} lotor_own_reading;

typedef struct lotor_own_setup {
    const lotor_recipe *recipe; /* borrowed */
    const lotor_oracle *oracle; /* borrowed */
    lotor_own_reading reading;
    size_t rows; /* the number of statistics on the board that are releases of an arm */
    uint64_t horizon;
    double epsilon, delta;
    double low, high; /* the range of a reward */
    double noise;     /* as in lotor_recipe_board */
    bool ranked;      /* the order of a list matters: by decreasing index, otherwise by arm */
    bool clip;        /* indices are capped at `high` */
} lotor_own_setup;

lotor_status lotor_own_new(const lotor_own_setup *setup, lotor_own_learner **out);
void lotor_own_free(lotor_own_learner *learner);

/* The inputs of one round's choice. */
typedef struct lotor_own_moment {
    const lotor_board *board;
    const uint64_t *shown; /* per arm: how many rounds record it */
    uint64_t t, seed;
    const bool *eligible; /* a flag per arm; NULL: all. Not for recipes that choose */
} lotor_own_moment;

/* Picks the arms of a round, and returns how many. 0: the caller's function or the oracle failed,
 * or no set of eligible arms exists. The array *picked is valid until the next call. The number
 * *hold says for how many rounds the pick stays the same while the board does, at most
 * room(context, arm) of each picked arm; it is 1 if `room` is NULL. Ties depend only on (seed, t). */
size_t lotor_own_choose(lotor_own_learner *learner, const lotor_own_moment *now, lotor_room *room,
                        const void *context, const uint32_t **picked, uint64_t *hold);

/* Why the caller's function failed in the latest choice; NULL if it did not. */
const char *lotor_own_failure(const lotor_own_learner *learner);

/* Saves and loads the function's latest answer, if it is still in use. So a policy that was loaded
 * goes on as before. If the bytes do not fit, the reader is marked as damaged. */
void lotor_own_save(const lotor_own_learner *learner, const lotor_board *board,
                    lotor_writer *writer);
void lotor_own_load(lotor_own_learner *learner, const lotor_board *board, lotor_reader *reader);

/* The index of an arm in the latest choice, in the unit of the rewards; 0 if the recipe chooses. */
double lotor_own_at(const lotor_own_learner *learner, size_t arm);

/* The vertices behind the latest pick; the expected reward of a picked set: as in index.h. */
const uint32_t *lotor_own_seeds(const lotor_own_learner *learner);
double lotor_own_value(const lotor_own_learner *learner, const double *means, const uint32_t *set,
                       size_t count);

#endif
