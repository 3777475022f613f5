/* algorithm.h - the catalog: every algorithm, with its paper and its privacy guarantee.
 *
 * `lotor algorithms` prints the same rows. Reading the catalog needs no policy.
 */
#ifndef LOTOR_ALGORITHM_H
#define LOTOR_ALGORITHM_H

#include <stdbool.h>
#include <stddef.h>

#include <lotor/guarantee.h>
#include <lotor/ratio.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Strings are owned by the library and live as long as it is loaded. */
typedef struct lotor_algorithm_info {
    const char *id;      /* for lotor_policy_params.algorithm */
    const char *summary; /* a few words */
    const char *problem; /* "finite", "matroid", "semi-bandit", "cascade", "linear"; or "any" of the
                            first four */
    const char *paper;
    lotor_model model;       /* LOTOR_MODEL_NONE: the algorithm adds no noise */
    bool is_private;         /* the algorithm adds noise, and its guarantee holds */
    const char *not_private; /* why the algorithm is not private; NULL if it is */
    const char *theorem;     /* the proof of privacy, or NULL */
    const char *regret;      /* what is known about the regret */
    lotor_ratio delta;       /* the default; 0/0 if the guarantee has no delta */
    bool needs_horizon;
    bool is_simulation_only; /* there is no exact sampler for the noise: lotor_policy_new fails */
    const char *strength;    /* why to choose this algorithm, as a sentence; or NULL */
    const char *feedback;    /* what is counted of the feedback of a round: "one" (the arm that was
                                shown), "semi" (all arms that were shown), "least-shown" (one of
                                them), "cascade" (the arms up to the click) */
    const char *list_feedback; /* of "any" problem, when policy.cascade is set: "first-slot" (the
                                  first arm of the list); else NULL */
    bool uses_beta;            /* its choices depend on policy.beta */
    bool uses_clip;            /* its paper caps indices, so policy.clip makes sense */
    bool uses_caution;         /* its choices depend on policy.caution, policy.lag and
                                  policy.half_life */
    bool uses_window;          /* it can forget: policy.window, policy.alarm; and policy.variance */
} lotor_algorithm_info;

LOTOR_API size_t lotor_algorithm_count(void);

/* Looks up a row by its place in the catalog, from 0. LOTOR_UNKNOWN: `place` is too large. */
LOTOR_API lotor_status lotor_algorithm_at(size_t place, lotor_message *why,
                                          lotor_algorithm_info *out);

/* Looks up a row by its id. LOTOR_UNKNOWN: no such id; the message suggests a similar one. */
LOTOR_API lotor_status lotor_algorithm_find(const char *id, lotor_message *why,
                                            lotor_algorithm_info *out);

#ifdef __cplusplus
}
#endif
#endif
