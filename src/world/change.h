/* change.h - worlds whose means change with time: by themselves (swaps, drift, walk), or as the
 * caller lists it (steps, lines).
 *
 * With `swaps` and `drift`, the horizon is divided into equal parts. At the end of each part the
 * means move on by one arm: arm i gets the mean that arm i - 1 had, and the first arm that of the
 * last. So another arm is the best one. `swaps` changes the means at once, `drift` in a straight
 * line during the part:
 *
 *      swaps:3     1 1 1 1|2 2 2 2|3 3 3 3       which means hold, with 12 rounds
 *      drift:3     1 . . . 2 . . . 3 . . . 1     with 3 arms, the first means come back
 *
 * `steps` and `lines` have a list of rounds and means. In each listed round the listed means hold.
 * With `steps` they hold until the next listed round; with `lines` they move in a straight line to
 * the next ones. The world's own means are those before the first listed round:
 *
 *      steps:5=B;9=C     A A A A|B B B B|C C C C
 *      lines:5=B;9=C     A . . . B . . . C C C C
 *
 * With `walk`, each mean moves by a random walk that is reflected at 0 and 1.
 *
 * Drift, lines and walk are a staircase of about LOTOR_DRIFT_STEPS steps over the whole horizon, so
 * that the rounds of a step can be played at once. A step has the means of its middle. Changes are
 * the same in every run, and happen at the same rounds.
 */
#ifndef LOTOR_WORLD_CHANGE_H
#define LOTOR_WORLD_CHANGE_H

#include "world/world.h"

enum {
    LOTOR_DRIFT_STEPS = 1000,
    LOTOR_CHANGE_PARTS = 5,
    LOTOR_CHANGE_PARTS_MAX = LOTOR_DRIFT_STEPS
};

typedef enum lotor_change_kind {
    LOTOR_CHANGE_NONE = 0,
    LOTOR_CHANGE_SWAPS = 1,
    LOTOR_CHANGE_DRIFT = 2,
    LOTOR_CHANGE_STEPS = 3,
    LOTOR_CHANGE_LINES = 4,
    LOTOR_CHANGE_WALK = 5
} lotor_change_kind;

typedef struct lotor_change {
    lotor_change_kind kind;
    uint64_t parts;   /* of swaps and drift */
    double deviation; /* of a walk over the whole horizon, before it is reflected */

    /* Steps and lines: a row of means for each listed round. */
    size_t rows, arms;
    uint64_t *rounds; /* per row, increasing, from 1 */
    double *means;    /* rows x arms */
} lotor_change;

/* Reads "fixed"; "swaps", "swaps:N", "drift" or "drift:N", with N from 1 to LOTOR_CHANGE_PARTS_MAX
 * parts (without N: LOTOR_CHANGE_PARTS); "steps:ROUND=MEANS;..." or "lines:ROUND=MEANS;...", with
 * commas between the means of a row; or "walk:S" with the standard deviation S over the whole
 * horizon. NULL means "fixed". LOTOR_INVALID: the message starts with "world" and quotes the text.
 * The caller clears *out. */
lotor_status lotor_change_read(const char *text, lotor_message *why, lotor_change *out);
void lotor_change_clear(lotor_change *change);

/* A world for some rounds: from round first + 1 to the `first` of the next piece. */
typedef struct lotor_world_piece {
    uint64_t first;
    lotor_world *world;
} lotor_world_piece;

typedef struct lotor_changing_world {
    size_t count; /* at least 1 */
    lotor_world_piece *pieces;
} lotor_changing_world;

/* Makes the pieces of a world that changes, for `horizon` rounds. A walk depends on the seed. The
 * rows of steps and lines must have as many means as the world has arms. Each piece has the means
 * and the law of rewards alone, not the graph or the vectors. LOTOR_INVALID: the rewards of this
 * world are recorded, so its means can't change. The caller frees the pieces, but keeps `world`. */
lotor_status lotor_changing_world_make(const lotor_world *world, const lotor_change *change,
                                       uint64_t horizon, uint64_t seed, lotor_message *why,
                                       lotor_changing_world *out);

/* A table of means: row i holds from round starts[i] + 1 on. */
typedef struct lotor_mean_rows {
    size_t count;
    const double *means;    /* count x arms */
    const uint64_t *starts; /* increasing from 0; NULL: row i is round i + 1 */
} lotor_mean_rows;

/* The same for a table. Equal rows that follow each other are one piece, so there may be a single
 * one. The last row holds to the horizon. `world` gives the law of the rewards. */
lotor_status lotor_changing_world_of_rows(const lotor_world *world, const lotor_mean_rows *rows,
                                          uint64_t horizon, lotor_message *why,
                                          lotor_changing_world *out);

void lotor_changing_world_clear(lotor_changing_world *changing);

#endif
