/* audit_reading.h - a transcript as numbers that attacks can weigh.
 *
 * A series is what is released of one arm of the replaced round (or of one entry of a matrix), in
 * order. Which function of a series tells the most depends on the mechanism, so there are three
 * readings of it, and attacks try them all:
 *
 *   values      as they stand: sums of batches
 *   steps       each less the one before: what a running sum of reports got
 *   nodes       the n-th less the one that n without its lowest set bit names: the nodes of a binary
 *               tree, which have independent noise
 *
 * Numbers that are not there are NaN.
 */
#ifndef LOTOR_LAB_AUDIT_READING_H
#define LOTOR_LAB_AUDIT_READING_H

#include "lab/audit_play.h"

enum {
    LOTOR_READING_VALUES = 0,
    LOTOR_READING_STEPS = 1,
    LOTOR_READING_NODES = 2,
    LOTOR_READINGS = 3,

    LOTOR_READING_SERIES = 6, /* that are followed */
    LOTOR_READING_LENGTH = 8, /* of each, from the replaced round on */
    LOTOR_READING_SIZE = LOTOR_READING_SERIES * LOTOR_READING_LENGTH,
    LOTOR_READING_EXTRAS = 4,
    LOTOR_READING_NUMBERS = LOTOR_READINGS * LOTOR_READING_SIZE + LOTOR_READING_EXTRAS
};

/* The extras: numbers about the releases, all of them public. */
enum {
    LOTOR_EXTRA_POSTS = LOTOR_READINGS * LOTOR_READING_SIZE, /* by the replaced round */
    LOTOR_EXTRA_COUNTED, /* observations of its arms that it added to the board's counts */
    LOTOR_EXTRA_ALL,     /* releases of the whole trial */
    LOTOR_EXTRA_WAIT     /* rounds until the first release of one of its arms */
};

typedef struct lotor_audit_reading {
    /* Whether every released number that has the replaced round in it is at or above 1, by each
     * reading, and there is one. */
    bool is_high[LOTOR_READINGS];
    float numbers[LOTOR_READING_NUMBERS];
} lotor_audit_reading;

void lotor_audit_read(const lotor_audit_transcript *transcript, lotor_audit_view view,
                      lotor_audit_reading *out);

#endif
