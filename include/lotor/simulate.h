/* simulate.h - plays a policy many times in a simulated world, and measures its regret.
 *
 *     lotor_simulate_params params = {.policy = {.algorithm = "dp-se", .horizon = 1000000,
 *                                                .epsilon = lotor_ratio_of(1, 1)},
 *                                     .instance = "c2", .runs = 10, .seed = 1};
 *     lotor_simulate_result *result;
 *     lotor_simulate_run(&params, &why, &result);
 *     result->points[result->point_count - 1].regret
 *     lotor_simulate_free(result);
 *
 * The noise is fast and seeded: a simulation protects nobody. The same seed gives the same numbers
 * for any number of threads.
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

/* Fields that are 0 take their defaults. There are three kinds of world:
 * - `means`: independent arms;
 * - `instance`: a named world;
 * - neither, for contextual linear algorithms: random actions (policy.arms, policy.dimension).
 *
 * Defaults for fields of `policy`:
 * - epsilon (0/0) is 1.
 * - An instance sets the number of arms. It also sets the usual structure, unless policy.slots or
 *   policy.structure is given: the linear matroid of its vectors, the path from its first to its
 *   last vertex, or coverage. A given structure without arrays takes those of the instance.
 * - A linear world has 5 dimensions and 20 actions; with a gap, dimension x dimension actions.
 *
 * The callbacks of `policy` are called from the simulation's threads, several at once unless
 * `threads` is 1. */
typedef struct lotor_simulate_params {
    lotor_policy_params policy; /* what to play */
    const double *means;        /* policy.arms numbers in [0,1] */
    const char *instance;       /* a name for `lotor run --instance`: "c1" to "c4", "grid:5x5",
                             "graph:FILE", "movielens:DIR", ...; or "replay:FILE" */
    const char *rewards;        /* "bernoulli" (also NULL), "beta", "uniform" */
    double concentration;       /* a + b of the beta law; 0 means 4 */
    bool has_gap;               /* linear: one action is better than all others by `gap` */
    double gap;
    uint64_t runs;      /* 0 means 10 */
    uint64_t seed;      /* of the world, the policy and the noise */
    size_t threads;     /* 0: one per core */
    size_t checkpoints; /* approximate number of points, log-spaced; 0 means 50 */
    double noise_scale; /* multiplies the noise but not the claim; 0 means 1, the correct noise */

    /* Called from time to time, from the calling thread, with the finished share in [0,1]. Return
     * true to stop: the result then covers the complete runs (LOTOR_STOPPED if there is none). May
     * be NULL. */
    bool (*progress)(void *progress_context, double share);
    void *progress_context;
} lotor_simulate_params;

typedef struct lotor_simulate_point {
    uint64_t round;
    double regret;         /* of the rounds 1 to `round`; mean over the runs */
    double standard_error; /* of `regret`; NaN for one run */
} lotor_simulate_point;

typedef struct lotor_simulate_result {
    uint64_t runs; /* complete runs */
    uint64_t horizon;
    size_t arms;
    double regret, regret_error;   /* at the end; standard error */
    double per_round, round_error; /* expected reward per round; standard error */
    double best_per_round;         /* expected reward of the best decision; NaN in linear worlds */
    lotor_simulate_point *points;  /* owned by the result; the last one is at the horizon */
    size_t point_count;
    lotor_guarantee guarantee;
    double seconds;

    /* A lower bound on regret: every algorithm that is good in all worlds of this kind has a
     * long-run expected regret of at least this times log T. NaN: no bound is proved. */
    double lower_bound;

    /* The arms that the first run showed together most often in its last tenth. Owned by the
     * result. NULL in linear worlds. */
    uint32_t *favourite;
    size_t favourite_count; /* 0: the first run was stopped too early */
} lotor_simulate_result;

/* Runs a simulation; the caller frees the result. LOTOR_INVALID: a parameter makes no sense.
 * LOTOR_UNKNOWN: a name or a file does not exist. LOTOR_RANGE: a mean or a gap is out of range.
 * LOTOR_STOPPED: `progress` returned true. */
LOTOR_API lotor_status lotor_simulate_run(const lotor_simulate_params *params, lotor_message *why,
                                          lotor_simulate_result **out);
LOTOR_API void lotor_simulate_free(lotor_simulate_result *result);

#ifdef __cplusplus
}
#endif
#endif
