/* audit_reading.h - a transcript as numbers, for the attacks.
 *
 * A series is the sequence of releases of one arm of the replaced round (or of one entry of a
 * matrix). The mechanism decides which function of a series tells the most. So there are three
 * readings, and the attacks try them all:
 *
 *   values      the released values, such as sums of batches
 *   steps       each value minus the one before: for a running sum of reports
 *   nodes       value n minus the value at n without its lowest set bit: the nodes of a binary
 *               tree, which have independent noise
 *
 * Missing numbers are NaN.
 */
#ifndef LOTOR_LAB_AUDIT_READING_H
#define LOTOR_LAB_AUDIT_READING_H

#include "lab/audit_play.h"

enum {
    LOTOR_READING_VALUES = 0,
    LOTOR_READING_STEPS = 1,
    LOTOR_READING_NODES = 2,
    LOTOR_READINGS = 3,

    LOTOR_READING_SERIES = 6, /* number of series */
    LOTOR_READING_LENGTH = 8, /* numbers per series, from the replaced round on */
    LOTOR_READING_SIZE = LOTOR_READING_SERIES * LOTOR_READING_LENGTH,
    LOTOR_READING_EXTRAS = 4,
    LOTOR_READING_NUMBERS = LOTOR_READINGS * LOTOR_READING_SIZE + LOTOR_READING_EXTRAS
};

/* Further numbers about the releases; all of them are public. */
enum {
    LOTOR_EXTRA_POSTS = LOTOR_READINGS * LOTOR_READING_SIZE, /* posts by the replaced round */
    LOTOR_EXTRA_COUNTED, /* observations of its arms that this round added to the board's counts */
    LOTOR_EXTRA_ALL,     /* number of releases in the whole trial */
    LOTOR_EXTRA_WAIT     /* rounds until the first release of one of its arms */
};

typedef struct lotor_audit_reading {
    /* For each reading: there are numbers that contain the replaced round, and all are at least
     * 1. */
    bool is_high[LOTOR_READINGS];
    float numbers[LOTOR_READING_NUMBERS];
} lotor_audit_reading;

void lotor_audit_read(const lotor_audit_transcript *transcript, lotor_audit_view view,
                      lotor_audit_reading *out);

#endif
