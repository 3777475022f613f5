/* advise.h - which algorithm to choose: simulates the private ones that fit, side by side.
 *
 * Nobody knows yet what the arms pay, so they are played in a typical world, which the result
 * describes; or with the means that you expect. The noise is simulated: it protects nobody.
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

/* Limits, and the defaults of fields that are left 0. */
#define LOTOR_ADVISE_MOST_ARMS         10000 /* without `means` */
#define LOTOR_ADVISE_MOST_SECONDS      86400
#define LOTOR_ADVISE_DEFAULT_DIMENSION 5
#define LOTOR_ADVISE_DEFAULT_SECONDS   4

typedef struct lotor_advise_params {
    const char *problem; /* "finite", "matroid", "semi-bandit", "cascade" or "linear" */
    lotor_model
        trust; /* CENTRAL: the server may see feedback; LOCAL: it may not; JOINT: as CENTRAL,
                            in linear problems */
    lotor_ratio epsilon; /* above 0, finite */
    lotor_ratio delta;   /* of algorithms that have one; 0: the default of each */
    size_t arms;
    size_t slots;        /* arms that are shown at once; 0 means 1 */
    size_t dimension;    /* linear problems */
    uint64_t rounds;     /* about how many there will be */
    const double *means; /* arms: what they are expected to pay; NULL: a typical world */
    double seconds;      /* about how long to simulate, on all threads */
    uint64_t seed;
    size_t threads; /* 0: as many as there are cores */

    /* Called now and then from the calling thread with the share that is done; true stops it
     * (LOTOR_STOPPED). NULL: none. */
    bool (*progress)(void *progress_context, double share);
    void *progress_context;
} lotor_advise_params;

/* What was measured of one algorithm. */
typedef struct lotor_advise_candidate {
    const char *algorithm; /* its id, owned by the library: lotor_algorithm_named knows more */
    double regret;
    double standard_error; /* NaN: there was one run */
    uint64_t runs;
    uint64_t
        rounds; /* fewer than the result's: it was far behind by then, and not played further */
} lotor_advise_candidate;

typedef struct lotor_advise_result {
    lotor_advise_candidate candidates[32]; /* the best first; those that were stopped early last */
    size_t count;
    lotor_advise_candidate baseline; /* an algorithm without noise: what privacy costs */
    double random_regret;            /* of choosing at random; NaN: not known */
    uint64_t rounds;                 /* that were played: fewer than asked for if time is short */
    const char *world;               /* what was played in, in words; owned by the library */
} lotor_advise_result;

/* *out is written only on success. LOTOR_INVALID: no algorithm fits, or a number makes no sense;
 * LOTOR_BUSY: this machine can't play enough rounds in `seconds`; LOTOR_STOPPED: see `progress`. */
LOTOR_API lotor_status lotor_advise_run(const lotor_advise_params *params, lotor_message *why,
                                        lotor_advise_result *out);

/* The mean reward of an arm in the world that is played: params->means, or that of the typical world.
 * NaN: a linear problem has new actions in every round, or `problem` is unknown. */
LOTOR_API double lotor_advise_mean(const lotor_advise_params *params, size_t arm);

#ifdef __cplusplus
}
#endif
#endif
