/* play.h - plays one run of a policy in a world. */
#ifndef LOTOR_LAB_PLAY_H
#define LOTOR_LAB_PLAY_H

#include "base/random/generator.h"
#include "lab/simulate.h"

/* The random streams of one run. A run gives the same numbers on any thread. */
typedef struct lotor_run_randomness {
    lotor_generator world, noise;
    uint64_t choices; /* seed for ties and Thompson samples */
    uint64_t run;     /* its number, from 0 */
} lotor_run_randomness;

/* The world of some rounds: from round first + 1 to the `first` of the next piece. */
typedef struct lotor_play_piece {
    uint64_t first;
    const lotor_world *world;
    const bool *eligible; /* the arms that there are; NULL: all, in every piece */
    double optimum;       /* reference for the regret of a round */
} lotor_play_piece;

/* The data that all runs of an experiment share. */
typedef struct lotor_play {
    const lotor_experiment *trial;
    lotor_policy_params params;     /* with the noise scale applied */
    double noise_scale;             /* epsilon was divided by this */
    const lotor_play_piece *pieces; /* one, unless the world changes; NULL in linear worlds */
    size_t piece_count;
    struct lotor_dips *dips; /* for skips; NULL if the algorithm has none */
    const uint32_t *best;    /* tables of rewards: the best set in hindsight; else NULL */
    size_t best_count;
    const uint64_t *times; /* checkpoints; the last one is the horizon */
    size_t time_count;
    bool (*report)(void *context, uint64_t rounds); /* `rounds` more were played; true: stop */
    void *context;
} lotor_play;

/* Where a run is recorded: its row of the result. */
typedef struct lotor_run_curve {
    double *regrets;    /* per checkpoint */
    double *rewards;    /* per checkpoint: the expected reward of all rounds so far */
    uint64_t *shown;    /* per arm: how many rounds showed it; NULL if nobody asks */
    uint64_t *shown_at; /* checkpoints x arms: the same at each checkpoint; NULL if nobody asks */
} lotor_run_curve;

/* The totals of a run. */
typedef struct lotor_run_totals {
    double paid;         /* sum of expected rewards */
    uint64_t indefinite; /* rounds in which a linear learner's V was not positive definite */

    /* Own worlds. */
    double best;       /* what the best decisions pay together; NaN if that is not known */
    uint64_t accepted; /* unbiased replay: rounds that were played */
    double paid_error; /* unbiased replay: the standard error of paid / accepted in this run */
} lotor_run_totals;

/* Plays one run and records it at every checkpoint. The counts of `curve` must be 0.
 * LOTOR_STOPPED: `report` returned true. `favourite` may be NULL; the caller frees its arms in any
 * case. */
lotor_status lotor_play_run(const lotor_play *play, const lotor_run_randomness *streams,
                            const lotor_run_curve *curve, lotor_run_totals *totals,
                            lotor_favourite *favourite, lotor_message *why);

/* The same in a linear world, where no arms are counted; in play_linear.c. */
lotor_status lotor_play_linear(const lotor_play *play, const lotor_run_randomness *streams,
                               const lotor_run_curve *curve, lotor_run_totals *totals,
                               lotor_message *why);

/* The same in a world of the caller: play_own.c, and play_log.c for unbiased replay. */
lotor_status lotor_play_own(const lotor_play *play, const lotor_run_randomness *streams,
                            const lotor_run_curve *curve, lotor_run_totals *totals,
                            lotor_favourite *favourite, lotor_message *why);
lotor_status lotor_play_log(const lotor_play *play, const lotor_run_randomness *streams,
                            const lotor_run_curve *curve, lotor_run_totals *totals,
                            lotor_message *why);

/* The first function is true if play_lazy.c can play a linear world. The second function plays it: with
 * the same law, but faster and with different numbers, because it draws only actions that can be
 * chosen. */
bool lotor_play_is_lazy(const lotor_play *play, const lotor_policy *policy);
lotor_status lotor_play_lazy(const lotor_play *play, lotor_policy *policy,
                             lotor_run_randomness *streams, const lotor_run_curve *curve,
                             lotor_run_totals *totals, lotor_message *why);

/* As the two functions above, for play_groups.c, which plays many dimensions without noise. */
bool lotor_play_has_groups(const lotor_play *play, const lotor_policy *policy);
lotor_status lotor_play_groups(const lotor_play *play, lotor_policy *policy,
                               lotor_run_randomness *streams, const lotor_run_curve *curve,
                               lotor_run_totals *totals, lotor_message *why);

/* Work between two reports, in draws and evaluated arms: some milliseconds. */
enum { LOTOR_WORK_UNTIL_REPORT = 1 << 16 };

#endif
