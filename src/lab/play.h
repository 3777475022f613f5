/* play.h - plays one run of a policy in a world. */
#ifndef LOTOR_LAB_PLAY_H
#define LOTOR_LAB_PLAY_H

#include "base/random/generator.h"
#include "lab/simulate.h"

/* The random streams of one run. A run gives the same numbers on any thread. */
typedef struct lotor_run_randomness {
    lotor_generator world, noise;
    uint64_t choices; /* seed for ties and Thompson samples */
} lotor_run_randomness;

/* What all runs of an experiment share. */
typedef struct lotor_play {
    const lotor_experiment *trial;
    lotor_policy_params params; /* with the noise scale applied */
    double noise_scale;         /* epsilon was divided by this */
    double optimum;             /* reference for the regret of a round; unused in linear worlds */
    const uint64_t *times;      /* checkpoints; the last one is the horizon */
    size_t time_count;
    bool (*report)(void *context, uint64_t rounds); /* `rounds` more were played; true: stop */
    void *context;
} lotor_play;

/* The totals of a run. */
typedef struct lotor_run_totals {
    double paid;         /* sum of expected rewards */
    uint64_t indefinite; /* rounds in which a linear learner's V was not positive definite */
} lotor_run_totals;

/* Plays one run and records its regret at every checkpoint. LOTOR_STOPPED: `report` returned true.
 * `favourite` may be NULL; the caller frees its arms in any case. */
lotor_status lotor_play_run(const lotor_play *play, const lotor_run_randomness *streams,
                            double *regrets, lotor_run_totals *totals, lotor_favourite *favourite,
                            lotor_message *why);

/* The same in a linear world; in play_linear.c. */
lotor_status lotor_play_linear(const lotor_play *play, const lotor_run_randomness *streams,
                               double *regrets, lotor_run_totals *totals, lotor_message *why);

/* Work between two reports, in draws and evaluated arms: some milliseconds. */
enum { LOTOR_WORK_UNTIL_REPORT = 1 << 16 };

#endif
