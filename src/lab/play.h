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
    double optimum;             /* what the best feasible set pays in a round */
    const uint64_t *times;      /* when to note the regret; the last one is the horizon */
    size_t time_count;
    bool (*report)(void *context, uint64_t rounds); /* so many more are played; true: stop */
    void *context;
} lotor_play;

/* Plays one run and notes its regret at every time. LOTOR_UNFINISHED when told to stop. */
lotor_status lotor_play_run(const lotor_play *play, const lotor_streams *streams, double *regrets,
                            lotor_message *why);

#endif
