/* simulate.h - plays a policy many times in a world, and measures its regret. */
#ifndef LOTOR_LAB_SIMULATE_H
#define LOTOR_LAB_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/guarantee.h>
#include <lotor/policy.h>

#include "lab/favourite.h"
#include "world/linear.h"
#include "world/world.h"

typedef struct lotor_experiment {
    lotor_policy_params policy; /* with arms, structure and horizon filled in */
    const lotor_world *world;
    const lotor_linear_world *linear; /* instead of `world`, for contextual problems */
    uint64_t runs;
    uint64_t seed;
    size_t threads;     /* 0: one per core */
    size_t checkpoints; /* approximate number of checkpoints, log-spaced, the end included */
    double noise_scale; /* multiplies the noise and the privacy part of the widths; 1: correct */
    bool exact_rounds;  /* no shortcuts: every round through choose, observe and expire */

    /* Called from time to time, from the calling thread, with the finished share. Return true to
     * stop: the result then covers the complete runs. May be NULL. */
    bool (*progress)(void *context, double share);
    void *context;
} lotor_experiment;

/* The reference for regret. With an approximate oracle, it is alpha beta times the optimum. If the
 * optimum can't be searched for, the reference is the value that the oracle finds when it knows the
 * means. That value is at least alpha beta times the optimum. */
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

typedef struct lotor_experiment_result {
    uint64_t runs; /* complete runs */
    double regret_mean, regret_stderr;
    double return_mean, return_stderr; /* expected reward per round */
    lotor_reference reference;         /* unused in linear worlds */
    lotor_favourite favourite;         /* of the first run; unused in linear worlds */
    double indefinite; /* linear learners: rounds per run in which V was not positive definite */
    uint64_t late_release; /* if the horizon ends before the first release: its round; else 0 */
    lotor_checkpoint *checkpoints;
    size_t checkpoint_count;
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

/* The set with the largest mean reward, for a policy with an exact oracle. The arms are in the
 * order of their means. The caller frees *arms. */
lotor_status lotor_best_set(const lotor_policy_params *params, const lotor_world *world,
                            lotor_message *why, uint32_t **arms, size_t *count);

#endif
