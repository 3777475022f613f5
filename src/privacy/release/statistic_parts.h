/* statistic_parts.h - what the files of statistic.h share. Nobody else includes it. */
#ifndef LOTOR_PRIVACY_RELEASE_STATISTIC_PARTS_H
#define LOTOR_PRIVACY_RELEASE_STATISTIC_PARTS_H

#include "privacy/local/bit.h"
#include "privacy/release/batch.h"
#include "privacy/release/hybrid.h"
#include "privacy/release/rounds.h"
#include "privacy/release/schedule.h"
#include "privacy/release/statistic.h"
#include "privacy/release/tree.h"

typedef struct lotor_arm_state {
    lotor_tree *tree;
    lotor_batch *batch;
    lotor_hybrid *hybrid;
    int64_t sum; /* exact, or of reports, or ones; with a hybrid: the first observation */
    uint64_t count;
    uint64_t fed; /* the time of the latest observation */
    bool due;     /* it made a release that is not on the board yet */
} lotor_arm_state;

struct lotor_statistic {
    lotor_statistic_kind kind;
    size_t arms;
    uint64_t scale;
    double unit;
    lotor_bit bit;      /* of bits: how one is sent, */
    int64_t least;      /* and the least value */
    uint64_t begun;     /* 1: there was a first observation, and times on the board are one later */
    lotor_tree *vector; /* of the vector tree: an entry per arm */
    int64_t *round;     /* room for one of its values */
    uint64_t fed;       /* and what `fed` and `due` are for an arm */
    bool due;
    lotor_rounds *rounds; /* of those that take whole rounds, but the vector tree */
    lotor_arm_state states[];
};

/* Of those that release batches of an arm; else NULL. */
static inline lotor_schedule *lotor_statistic_schedule(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_DOUBLING   ? lotor_doubling_size
           : kind == LOTOR_STATISTIC_GROWING  ? lotor_growing_size
           : kind == LOTOR_STATISTIC_EPISODES ? lotor_episode_size
                                              : NULL;
}

/* Whether its batches stay on the board, each in a row of its own; else the latest alone. */
static inline bool lotor_statistic_keeps_batches(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_GROWING;
}

/* statistic_kinds.c: what takes whole rounds of that kind, or NULL. */
const lotor_rounds_kind *lotor_statistic_rounds(lotor_statistic_kind kind);

#endif
