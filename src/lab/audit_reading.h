/* audit_reading.h - a transcript as numbers, for the attacks.
 *
 * A series is the sequence of releases of one arm of the replaced round (or of one entry of a
 * matrix). The mechanism decides which function of a series tells the most. So there are several
 * readings, and the attacks try them all:
 *
 *   values      the released values, such as sums of batches
 *   steps       each value minus the one before: for a running sum of reports
 *   nodes       value n minus the value at n without its lowest set bit: the nodes of a binary
 *               tree, which have independent noise
 *
 * A fourth reading is about one moment, the first release that contains the replaced round: the
 * differences of all pairs of numbers that are released with it, also those of other arms. If two
 * numbers share their noise, their difference has none.
 *
 * Missing numbers are NaN.
 */
#ifndef LOTOR_LAB_AUDIT_READING_H
#define LOTOR_LAB_AUDIT_READING_H

#include "lab/audit_layout.h"
#include "lab/audit_play.h"

enum {
    LOTOR_READING_VALUES = 0,
    LOTOR_READING_STEPS = 1,
    LOTOR_READING_NODES = 2,
    LOTOR_READING_DIFFERENCES = 3,
    LOTOR_READINGS = 4,
    LOTOR_READINGS_OF_SERIES = 3, /* all but the differences */

    LOTOR_READING_SIZE = 48,  /* numbers of a reading of series, from the replaced round on */
    LOTOR_READING_SERIES = 6, /* number of series, unless a matrix has more entries */
    LOTOR_READING_LENGTH = LOTOR_READING_SIZE / LOTOR_READING_SERIES,
    LOTOR_READING_ENTRIES = 15, /* entries of a matrix for LOTOR_AUDIT_DIMENSION; also the most
                                   numbers of one round that are compared */
    LOTOR_READING_PAIRS = LOTOR_READING_ENTRIES * (LOTOR_READING_ENTRIES - 1) / 2,
    LOTOR_READING_EXTRAS = 4,
    LOTOR_READING_NUMBERS =
        LOTOR_READINGS_OF_SERIES * LOTOR_READING_SIZE + LOTOR_READING_PAIRS + LOTOR_READING_EXTRAS
};

/* Where the numbers of a reading begin. */
static inline size_t lotor_reading_start(size_t reading)
{
    return reading * LOTOR_READING_SIZE;
}

/* Further numbers about the releases; all of them are public. */
enum {
    LOTOR_EXTRA_POSTS =
        LOTOR_READING_NUMBERS - LOTOR_READING_EXTRAS, /* posts by the replaced round */
    LOTOR_EXTRA_COUNTED, /* observations of its arms that this round added to the board's counts */
    LOTOR_EXTRA_ALL,     /* number of releases in the whole trial */
    LOTOR_EXTRA_WAIT     /* rounds until the first release of one of its arms */
};

extern const lotor_audit_layout lotor_reading_layout;

typedef struct lotor_audit_reading {
    /* For each reading: there are numbers that contain the replaced round, and all are at least
     * 1. */
    bool is_high[LOTOR_READINGS_OF_SERIES];

    /* Of the numbers that are released together with the replaced round. */
    size_t together;   /* how many there are, at most LOTOR_READING_ENTRIES */
    bool is_equal;     /* at least two, all of them equal */
    bool is_one_apart; /* two of them differ by exactly 1 */
    float numbers[LOTOR_READING_NUMBERS];
} lotor_audit_reading;

void lotor_audit_read(const lotor_audit_transcript *transcript, lotor_audit_view view,
                      lotor_audit_reading *out);

#endif
