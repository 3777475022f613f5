/* play.h - one run of a policy in a world. */
#ifndef LOTOR_LAB_PLAY_H
#define LOTOR_LAB_PLAY_H

#include "base/random/simulation.h"
#include "lab/simulate.h"

/* A run's own randomness: a run gives the same numbers whichever thread plays it. */
typedef struct lotor_streams {
    lotor_simulation world, noise;
    uint64_t choices; /* the seed of ties and Thompson samples */
} lotor_streams;

/* What all runs of a trial share. */
typedef struct lotor_play {
    const lotor_trial *trial;
    lotor_policy_params params; /* with the noise scale applied */
    double noise_scale;         /* by which epsilon was divided */
    double optimum;             /* what regret is measured against, in a round; not if linear */
    const uint64_t *times;      /* when to note the regret; the last one is the horizon */
    size_t time_count;
    bool (*report)(void *context, uint64_t rounds); /* so many more are played; true: stop */
    void *context;
} lotor_play;

/* What a run adds up to. */
typedef struct lotor_run_totals {
    double paid;         /* expected rewards of what was shown */
    uint64_t indefinite; /* rounds in which a linear learner's V was not positive definite */
} lotor_run_totals;

/* Plays one run and notes its regret at every time. LOTOR_STOPPED when told to stop. `favourite`
 * may be NULL; free its arms in any case. */
lotor_status lotor_play_run(const lotor_play *play, const lotor_streams *streams, double *regrets,
                            lotor_run_totals *totals, lotor_favourite *favourite,
                            lotor_message *why);

/* play_linear.c: the same in a linear world. */
lotor_status lotor_play_linear(const lotor_play *play, const lotor_streams *streams,
                               double *regrets, lotor_run_totals *totals, lotor_message *why);

/* How much is done between two reports, in draws and in arms that were weighed: some milliseconds. */
enum { LOTOR_WORK_UNTIL_REPORT = 1 << 16 };

#endif
