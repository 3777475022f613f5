/* simulate.h - play a policy in a world, many times, and measure its regret. */
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

typedef struct lotor_trial {
    lotor_policy_params policy; /* what to play; arms, structure and horizon filled in */
    const lotor_world *world;
    const lotor_linear_world *linear; /* in its place, for contextual problems */
    uint64_t runs;
    uint64_t seed;
    size_t threads;     /* 0: as many as there are cores */
    size_t checkpoints; /* about how many times the regret is noted, log-spaced, the end included */
    double noise_scale; /* multiplies the noise and the privacy part of the widths; 1 is honest */
    bool exact_rounds;  /* no shortcuts: every round through choose, observe and expire */

    /* Called now and then from the calling thread with the share that is done; true stops the
     * trial, which then reports the runs that are complete. NULL: none. */
    bool (*progress)(void *context, double share);
    void *context;
} lotor_trial;

/* What regret is measured against. Where the oracle is approximate that is alpha beta times the
 * optimum; an optimum that is too far to be searched for is bounded by what the oracle finds when it
 * knows the means, which is at least as much. */
typedef struct lotor_reference {
    double per_round;
    double share;  /* alpha beta of the oracle: 1 where it is exact */
    bool is_bound; /* it is such a bound: the true regret is at most the measured one */
} lotor_reference;

typedef struct lotor_checkpoint {
    uint64_t t;
    double mean;           /* of the regret of the first t rounds, over the runs */
    double standard_error; /* of that mean; NaN for one run */
} lotor_checkpoint;

typedef struct lotor_result {
    uint64_t runs; /* complete */
    double regret_mean, regret_stderr;
    double return_mean, return_stderr; /* expected reward per round */
    lotor_reference reference;         /* what regret is measured against; not in linear worlds */
    lotor_favourite favourite;         /* of the first run; not in linear worlds */
    double indefinite; /* linear learners: rounds per run in which V was not positive definite */
    uint64_t late_release; /* the round of the first one, where the horizon ends before; else 0 */
    lotor_checkpoint *checkpoints;
    size_t checkpoint_count;
    lotor_guarantee guarantee;
    double seconds;
    double rounds_per_second; /* horizon x runs / wall seconds */
} lotor_result;

/* What lotor_simulate refuses of a trial, apart from what lotor_policy_check refuses of its policy. */
lotor_status lotor_trial_check(const lotor_trial *trial, lotor_message *why);

/* The same seed gives the same numbers whatever the number of threads. Free the result with
 * lotor_result_free. */
lotor_status lotor_simulate(const lotor_trial *trial, lotor_message *why, lotor_result *out);
void lotor_result_free(lotor_result *result);

/* optimum.c: for a policy that knows all means. */
lotor_status lotor_reference_of(const lotor_policy_params *params, const lotor_world *world,
                                lotor_message *why, lotor_reference *out);

/* The set that pays most in a round, for a policy that knows all means and whose oracle is exact; in
 * the order of its arms' means. The caller frees *arms. */
lotor_status lotor_best_set(const lotor_policy_params *params, const lotor_world *world,
                            lotor_message *why, uint32_t **arms, size_t *count);

#endif
