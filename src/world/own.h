/* own.h - worlds that the caller describes round by round: functions, tables of rewards and labelled
 * data (lotor/experimental/world.h).
 *
 *      lotor_own_start ──▶ lotor_own_next ──▶ actions, means ──▶ lotor_own_pay ──▶ rewards
 *                             ▲                                       │
 *                             └─────────────── each round ────────────┘
 *
 * Tables of means are worlds that change (change.h), a log is a world of recorded rewards
 * (replay.h), and unbiased replay has its own player (lab/play_log.c).
 */
#ifndef LOTOR_WORLD_OWN_H
#define LOTOR_WORLD_OWN_H

#include <lotor/experimental/world.h>

#include "base/random/generator.h"
#include "world/log.h"

/* A description that was checked. It is read-only, and threads can share it. */
typedef struct lotor_own {
    lotor_own_world given; /* borrows the arrays; arms, low and high are filled in */
    size_t dimension;      /* of an action; 0: there are none */
    double scale;          /* the features of labelled data are divided by this */
    bool knows_means;
    lotor_log log; /* UNBIASED */
} lotor_own;

/* Checks a description of any kind, except what depends on the horizon. */
lotor_status lotor_own_make(const lotor_own_world *given, lotor_message *why, lotor_own *out);

/* True if a table has a row for each round. */
lotor_status lotor_own_check_horizon(const lotor_own *own, uint64_t horizon, lotor_message *why);

/* The average reward of each arm over the first `horizon` rows of a table of rewards. */
void lotor_own_average(const lotor_own *own, uint64_t horizon, double *means);

/* One run. */
typedef struct lotor_own_run {
    const lotor_own *own;
    lotor_own_round round;     /* the current one */
    uint64_t seed;             /* of the run */
    lotor_generator generator; /* for the order of examples */
    double *actions;           /* of the current round, arms x dimension; NULL: there are none */
    double *means;             /* of the current round, per arm; NaN: not known */
    uint32_t *order;           /* SHUFFLED: the examples of this pass */
    size_t row;                /* LABELS: the example of the current round */
} lotor_own_run;

/* Starts a run, which takes its seed from `stream`. Clear *out in any case. */
lotor_status lotor_own_start(const lotor_own *own, uint64_t number, lotor_generator *stream,
                             lotor_message *why, lotor_own_run *out);
void lotor_own_run_clear(lotor_own_run *run);

/* Goes to the next round: sets its actions and means. */
lotor_status lotor_own_next(lotor_own_run *run, lotor_message *why);

/* The rewards of the current round. */
lotor_status lotor_own_pay(lotor_own_run *run, const uint32_t *arms, size_t count, double *rewards,
                           lotor_message *why);

#endif
