/* favourite.h - what a run showed most often at its end: what it has learnt. (Its very last round may
 * be one of the few that still explore.)
 */
#ifndef LOTOR_LAB_FAVOURITE_H
#define LOTOR_LAB_FAVOURITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

typedef struct lotor_favourite {
    uint32_t *arms; /* in the order in which they were shown once; free them */
    size_t count;   /* 0: the run did not come so far */
    uint32_t
        *seeds; /* coverage, influence: the vertices behind the arms, part of `arms`; or NULL */
    size_t seed_count;
    double value;    /* what showing them pays on average */
    uint64_t rounds; /* of `of` rounds, which are the run's last ones, they were shown in so many */
    uint64_t of;
} lotor_favourite;

/* How many rounds the end has: a tenth, at least one. */
static inline uint64_t lotor_last_rounds(uint64_t horizon)
{
    return horizon < 10 ? 1 : horizon / 10;
}

/* Counts sets, whatever the order of their arms, by a hash of 64 bits. Of more than some ten thousand
 * different ones those that come late are not counted. */
typedef struct lotor_tally {
    lotor_favourite leader;
    uint64_t *keys, *counts; /* count 0: free */
    size_t size, used;       /* size is a power of two */
} lotor_tally;

/* For sets of at most `arms` arms, with `seeds` seeds each, over `rounds` rounds. End it in any
 * case. */
lotor_status lotor_tally_start(lotor_tally *tally, size_t arms, size_t seeds, uint64_t rounds);

/* A set was shown in `rounds` more rounds. Whether it is a new leader: then give its value. */
bool lotor_tally_add(lotor_tally *tally, const uint32_t *arms, size_t count, const uint32_t *seeds,
                     uint64_t rounds);

/* Frees all but the leader's arms, which the caller owns now. */
void lotor_tally_end(lotor_tally *tally, lotor_favourite *out);

#endif
