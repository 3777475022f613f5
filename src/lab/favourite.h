/* favourite.h - finds the set that a run showed most often at its end: what the run has learned.
 * The very last round alone would not do, since it may be one of the few that still explore.
 */
#ifndef LOTOR_LAB_FAVOURITE_H
#define LOTOR_LAB_FAVOURITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

typedef struct lotor_favourite {
    uint32_t *arms;  /* in the order of one of its displays; the caller frees them */
    size_t count;    /* 0: the run was stopped too early */
    uint32_t *seeds; /* coverage, influence: the picked vertices; inside `arms`; or NULL */
    size_t seed_count;
    double value;    /* expected reward of the set */
    uint64_t rounds; /* of the last `of` rounds, this many showed the set */
    uint64_t of;
} lotor_favourite;

/* The number of rounds at the end that are counted: a tenth of all, at least one. */
static inline uint64_t lotor_last_rounds(uint64_t horizon)
{
    return horizon < 10 ? 1 : horizon / 10;
}

/* Counts sets by a 64-bit hash that ignores the order of the arms. After some ten thousand
 * different sets, new ones are not counted. */
typedef struct lotor_tally {
    lotor_favourite leader;
    uint64_t *keys, *counts; /* count 0: unused */
    size_t size, used;       /* size is a power of two */
} lotor_tally;

/* Starts a tally for sets of at most `arms` arms, with `seeds` seeds each, over `rounds` rounds.
 * Call lotor_tally_end even if this fails. */
lotor_status lotor_tally_start(lotor_tally *tally, size_t arms, size_t seeds, uint64_t rounds);

/* Counts a set that was shown in `rounds` more rounds. True: it is the new leader; set
 * leader.value. */
bool lotor_tally_add(lotor_tally *tally, const uint32_t *arms, size_t count, const uint32_t *seeds,
                     uint64_t rounds);

/* Frees everything but the leader's arms, which now belong to the caller. */
void lotor_tally_end(lotor_tally *tally, lotor_favourite *out);

#endif
