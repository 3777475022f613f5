/* simulate.h - plays a policy many times in a world, and measures its regret. */
#ifndef LOTOR_LAB_SIMULATE_H
#define LOTOR_LAB_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/guarantee.h>
#include <lotor/policy.h>
#include <lotor/simulate.h>

#include "lab/delay.h"
#include "lab/favourite.h"
#include "lab/schedule.h"
#include "world/change.h"
#include "world/linear.h"
#include "world/own.h"
#include "world/world.h"

typedef struct lotor_experiment {
    lotor_policy_params policy; /* with arms, structure and horizon filled in */
    const lotor_world *world;
    const lotor_linear_world *linear;     /* instead of `world`, for contextual problems */
    const lotor_changing_world *changing; /* what `world` is in each round; NULL: it is fixed */
    const lotor_own *own;                 /* instead of `world` and `linear` */
    uint64_t runs;
    uint64_t seed;
    size_t threads;     /* 0: one per core */
    size_t checkpoints; /* approximate number of checkpoints, log-spaced, the end included */
    const char *checkpoints_at; /* instead: a text as in lotor/simulate.h; or NULL */
    bool shown_at;              /* count the displays of each arm at every checkpoint, too */
    double noise_scale; /* multiplies the noise and the privacy part of the widths; 1: correct */
    bool exact_rounds;  /* no shortcuts: every round through choose, observe and expire */
    lotor_delay delay;  /* of the feedback */
    const lotor_arm_schedule *schedule; /* which arms there are; NULL, or no periods: all, always */
    double lost; /* the probability that a round is final without feedback (expiry.h) */

    /* Called from time to time, from the calling thread, with the finished share. Return true to
     * stop: the result then covers the complete runs. May be NULL. */
    bool (*progress)(void *context, double share);
    void *context;
} lotor_experiment;

/* The reference for regret. With an approximate oracle, it is alpha beta times the optimum. If the
 * optimum can't be searched for, the reference is the value that the oracle finds when it knows the
 * means. That value is at least alpha beta times the optimum. If the world changes, `per_round` is an
 * average over the rounds. */
typedef struct lotor_reference {
    double per_round;
    double share;  /* alpha beta of the oracle; 1 if it is exact */
    bool is_bound; /* the optimum was not found: the true regret is at most the measured one */
} lotor_reference;

typedef struct lotor_checkpoint {
    uint64_t t;
    double mean;           /* of the regret of rounds 1 to t, over the runs */
    double standard_error; /* of that mean; NaN for one run */
} lotor_checkpoint;

/* Every complete run by itself, in the order of the runs: row r is the r-th of them. */
typedef struct lotor_run_table {
    double *regrets;    /* runs x checkpoints */
    double *rewards;    /* runs x checkpoints: the expected reward of all rounds so far */
    uint64_t *shown;    /* runs x arms: how many rounds showed each arm; NULL: see below */
    uint64_t *shown_at; /* runs x checkpoints x arms; NULL unless lotor_experiment.shown_at */
} lotor_run_table;

typedef struct lotor_experiment_result {
    uint64_t runs; /* complete runs */
    double regret_mean, regret_stderr;
    double regret_median, regret_99, regret_largest; /* of the runs: see lotor/simulate.h */
    double return_mean, return_stderr; /* expected reward per round; what was paid if the means are
                                        * not known */
    lotor_reference reference;         /* unused in linear worlds */
    lotor_favourite favourite;         /* of the first run; unused in linear worlds */
    double accepted;                   /* unbiased replay: events per run; else 0 */
    double indefinite; /* linear learners: rounds per run in which V was not positive definite */
    uint64_t late_release; /* if the horizon ends before the first release: its round; else 0 */
    lotor_checkpoint *checkpoints;
    size_t checkpoint_count;
    lotor_run_table table; /* `shown` is NULL in linear worlds, and if there are more than
                            * LOTOR_SIMULATE_NUMBERS_MAX counts */
    lotor_guarantee guarantee;
    double seconds;
    double rounds_per_second; /* horizon x runs / wall seconds */
} lotor_experiment_result;

/* Checks an experiment, except what lotor_policy_check checks about its policy. */
lotor_status lotor_trial_check(const lotor_experiment *trial, lotor_message *why);

/* Runs an experiment. The same seed gives the same numbers for any number of threads. Free the
 * result with lotor_experiment_result_free. */
lotor_status lotor_experiment_run(const lotor_experiment *trial, lotor_message *why,
                                  lotor_experiment_result *out);
void lotor_experiment_result_free(lotor_experiment_result *result);

/* The reference for a policy; in optimum.c. */
lotor_status lotor_reference_of(const lotor_policy_params *params, const lotor_world *world,
                                lotor_message *why, lotor_reference *out);

/* The same among the eligible arms (NULL: all), for a policy that takes masks. */
lotor_status lotor_reference_among(const lotor_policy_params *params, const lotor_world *world,
                                   const bool *eligible, lotor_message *why, lotor_reference *out);

/* The same for many means: one referee measures them one after the other. */
typedef struct lotor_referee lotor_referee;
lotor_status lotor_referee_new(const lotor_policy_params *params, lotor_message *why,
                               lotor_referee **out);
void lotor_referee_free(lotor_referee *referee);
lotor_reference lotor_referee_measure(lotor_referee *referee, const double *means,
                                      const bool *eligible);

/* The set with the largest mean reward, for a policy with an exact oracle. The arms are in the
 * order of their means. The caller frees *arms. */
lotor_status lotor_best_set(const lotor_policy_params *params, const double *means,
                            lotor_message *why, uint32_t **arms, size_t *count);

#endif
