/* simulate.h - play a policy in a world, many times, and measure its regret.
 *
 *     lotor_simulate_params params = {.policy = {.algorithm = "dp-se", .horizon = 1000000,
 *                                                .epsilon = lotor_ratio_of(1, 1)},
 *                                     .instance = "c2", .runs = 10, .seed = 1};
 *     lotor_simulate_result *result;
 *     lotor_simulate_run(&params, &why, &result);
 *     result->points[result->point_count - 1].regret
 *     lotor_simulate_free(result);
 *
 * The noise is fast and seeded, so a simulation protects nobody: it says what an algorithm would lose.
 * The same seed gives the same numbers whatever the number of threads.
 */
#ifndef LOTOR_SIMULATE_H
#define LOTOR_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/guarantee.h>
#include <lotor/policy.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed fields take their defaults. The world is one of three: `means`; `instance`; or, where the
 * algorithm is for contextual linear problems, random actions (policy.arms, policy.dimension).
 *
 * What is left out of `policy`: epsilon (0/0) is 1. An instance knows its arms, and what it is usually
 * played with: unless policy.slots or policy.structure says otherwise that is the linear matroid of
 * its vectors, the path from its first to its last vertex, or coverage; and a structure whose arrays
 * are left out takes those of the instance. A linear world has 5 dimensions and 20 actions (with a gap
 * dimension x dimension). A policy's own callbacks are called by the simulation's threads, several at
 * once unless `threads` is 1. */
typedef struct lotor_simulate_params {
    lotor_policy_params policy; /* what to play */
    const double *means;        /* policy.arms numbers in [0,1] */
    const char *instance; /* a name that `lotor run --instance` takes: "c1" to "c4", "grid:5x5",
                                   "graph:FILE", "movielens:DIR", ...; or "replay:FILE" */
    const char *rewards;  /* "bernoulli" (NULL), "beta", "uniform" */
    double concentration; /* of beta: a + b; 0 means 4 */
    bool has_gap;         /* linear: one action is better than all others by `gap` */
    double gap;
    uint64_t runs;      /* 0 means 10 */
    uint64_t seed;      /* of everything */
    size_t threads;     /* 0: as many as there are cores */
    size_t checkpoints; /* about how many points, log-spaced; 0 means 50 */
    double noise_scale; /* multiplies the noise, not the claim; 0 means 1, the honest one */

    /* Called now and then from the calling thread with the share that is done; true stops it, and the
     * runs that are complete are reported (LOTOR_STOPPED when there is none). NULL: none. */
    bool (*progress)(void *progress_context, double share);
    void *progress_context;
} lotor_simulate_params;

typedef struct lotor_simulate_point {
    uint64_t round;
    double regret;         /* of the rounds up to this one, the mean over the runs */
    double standard_error; /* of that mean; NaN for one run */
} lotor_simulate_point;

typedef struct lotor_simulate_result {
    uint64_t runs; /* complete */
    uint64_t horizon;
    size_t arms;
    double regret, regret_error;   /* at the end, and its standard error */
    double per_round, round_error; /* expected reward per round */
    double best_per_round;         /* what regret is measured against; NaN in linear worlds */
    lotor_simulate_point *points;  /* owned by the result; the last is the horizon */
    size_t point_count;
    lotor_guarantee guarantee;
    double seconds;
    double lower_bound;  /* in the long run nothing good in all such worlds has an expected regret
                              below this times log T; NaN where nothing is proved */
    uint32_t *favourite; /* the arms that the first run showed together most often in its last
                              tenth; owned by the result; NULL in linear worlds */
    size_t favourite_count; /* 0: that run did not come so far */
} lotor_simulate_result;

/* The caller frees the result. LOTOR_INVALID, LOTOR_UNKNOWN, LOTOR_RANGE: what makes no sense, or is
 * not there (a file too), or is a mean or a gap outside its range; LOTOR_STOPPED: see `progress`. */
LOTOR_API lotor_status lotor_simulate_run(const lotor_simulate_params *params, lotor_message *why,
                                          lotor_simulate_result **out);
LOTOR_API void lotor_simulate_free(lotor_simulate_result *result);

#ifdef __cplusplus
}
#endif
#endif
