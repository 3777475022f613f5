/* advise.h - helps to choose an algorithm: simulates all private algorithms that fit a problem.
 *
 * The true means of the arms are not known in advance. So the simulation uses a typical world,
 * which the result describes, or the means that you expect. The noise is simulated: it protects
 * nobody.
 */
#ifndef LOTOR_ADVISE_H
#define LOTOR_ADVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/guarantee.h>
#include <lotor/ratio.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits, and the defaults for fields that are 0. */
#define LOTOR_ADVISE_ARMS_MAX          10000 /* without `means` */
#define LOTOR_ADVISE_SECONDS_MAX       86400
#define LOTOR_ADVISE_DIMENSION_DEFAULT 5
#define LOTOR_ADVISE_SECONDS_DEFAULT   4

typedef struct lotor_advise_params {
    const char *problem; /* "finite", "matroid", "semi-bandit", "cascade" or "linear" */
    /* CENTRAL: the server may see feedback. LOCAL: it may not. JOINT: as CENTRAL, in linear
     * problems. */
    lotor_model trust;
    lotor_ratio epsilon; /* above 0, finite */
    lotor_ratio delta;   /* for algorithms with a delta; 0: the default of each algorithm */
    size_t arms;
    size_t slots;        /* arms shown at once; 0 means 1 */
    size_t dimension;    /* for linear problems */
    uint64_t rounds;     /* expected number of rounds */
    const double *means; /* one expected mean reward per arm; NULL: use a typical world */
    double seconds;      /* approximate duration of the simulation, on all threads */
    uint64_t seed;
    size_t threads; /* 0: one per core */

    /* Called from time to time, from the calling thread, with the finished share in [0,1]. Return
     * true to stop (LOTOR_STOPPED). May be NULL. */
    bool (*progress)(void *progress_context, double share);
    void *progress_context;
} lotor_advise_params;

/* The measurements of one algorithm. */
typedef struct lotor_advise_candidate {
    const char *algorithm; /* id, owned by the library; see lotor_algorithm_find */
    double regret;
    double standard_error; /* NaN after a single run */
    uint64_t runs;
    uint64_t rounds; /* fewer than result.rounds: stopped early, because others were better */
} lotor_advise_candidate;

typedef struct lotor_advise_result {
    lotor_advise_candidate candidates[32]; /* best first; those that were stopped early come last */
    size_t count;
    lotor_advise_candidate baseline; /* an algorithm without noise: shows the cost of privacy */
    double random_regret;            /* regret of random choices; NaN: unknown */
    uint64_t rounds;                 /* rounds played; fewer than asked for if time is short */
    const char *world;               /* the simulated world, in words; owned by the library */

    /* As T grows, no good algorithm with this trust and epsilon has a regret below this times log T
     * in that world: see lotor_simulate_result. NaN and NULL: no bound is proved. */
    double lower_bound;
    const char *lower_bound_theorem; /* owned by the library */
} lotor_advise_result;

/* Runs the simulations. *out is written only on success. LOTOR_INVALID: no algorithm fits, or a
 * number is out of range. LOTOR_BUSY: this machine can't play enough rounds in `seconds`.
 * LOTOR_STOPPED: `progress` returned true. */
LOTOR_API lotor_status lotor_advise_run(const lotor_advise_params *params, lotor_message *why,
                                        lotor_advise_result *out);

/* The mean reward of an arm in the simulated world: from params->means, or from the typical world.
 * NaN for a linear problem, which has new actions in every round, and for an unknown `problem`. */
LOTOR_API double lotor_advise_mean(const lotor_advise_params *params, size_t arm);

#ifdef __cplusplus
}
#endif
#endif
