/* fading.h - how much a release counts, by its age: half as much after every half-life h.
 *
 *      age      0    1 h   2 h   3 h  ...  8 h
 *      weight   1    1/2   1/4   1/8  ...  forgotten
 *
 * Ages are in rounds: how many rounds ended since the release. Or they are in seconds; then the
 * caller says from time to time what time it is, and the fading keeps a mark of it:
 *
 *      marks    (round 0, second 100)  (round 70, second 160)  (round 75, second 220)
 *      a release in round 72 was made in second 160
 *
 * Rounds and times are public, so weights cost no privacy. imed.md (rule 14) says what a learner does
 * with weights.
 */
#ifndef LOTOR_LEARN_FADING_H
#define LOTOR_LEARN_FADING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum {
    LOTOR_FADING_SPAN = 8,   /* half-lives after which a release is forgotten */
    LOTOR_FADING_STEPS = 64, /* the learner weighs releases again this often in a half-life */
    LOTOR_FADING_SHARE = 16, /* batches in a half-life, at least */
    LOTOR_FADING_ROWS = LOTOR_FADING_SPAN * LOTOR_FADING_SHARE, /* releases of an arm to keep */
    LOTOR_FADING_MARKS = LOTOR_FADING_SPAN * LOTOR_FADING_STEPS + 1
};

/* After this many rounds had ended, it was this second. */
typedef struct lotor_fading_mark {
    uint64_t round, second;
} lotor_fading_mark;

/* Starts with all bytes 0, except for the first two members. */
typedef struct lotor_fading {
    uint64_t half_life; /* fewer than 2^57 rounds or seconds; 0: nothing fades */
    bool is_by_clock;   /* in seconds */
    size_t mark_count;
    lotor_fading_mark marks[LOTOR_FADING_MARKS]; /* the oldest first; rounds and seconds increase */
} lotor_fading;

/* Says what second it is, after `ended` rounds. A time that goes back is ignored. Returns true if
 * releases must be weighed again: then a 64th of a half-life has passed. */
bool lotor_fading_tick(lotor_fading *fading, uint64_t ended, uint64_t second);

/* When the release of a round was made: a round or a second. */
double lotor_fading_time(const lotor_fading *fading, uint64_t round);

/* The time at which releases are weighed in round `now`. It is the same for some rounds, so that a
 * learner need not look at every arm in every round. */
double lotor_fading_now(const lotor_fading *fading, uint64_t now);

/* The first round after `now` with another such time; UINT64_MAX: it does not depend on rounds. */
uint64_t lotor_fading_next(const lotor_fading *fading, uint64_t now);

/* The weight of a release at a time. It is 1 if nothing fades, and if the release is newer. */
double lotor_fading_weight(const lotor_fading *fading, double release, double now);

/* True if the release is forgotten. */
bool lotor_fading_is_over(const lotor_fading *fading, double release, double now);

/* How many rounds a half-life has; INFINITY if nothing fades, or if this is not known yet. */
double lotor_fading_length(const lotor_fading *fading);

/* The marks of a fading by the clock. Rounds after `ended` are refused. */
void lotor_fading_save(const lotor_fading *fading, lotor_writer *writer);
void lotor_fading_load(lotor_fading *fading, uint64_t ended, lotor_reader *reader);

#endif
