/* algorithm.h - what there is to choose from: every algorithm, with its paper and its promise.
 *
 * The same rows that `lotor algorithms` prints. Reading them needs no policy and changes nothing.
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
typedef struct lotor_algorithm_facts {
    const char *id;      /* for lotor_policy_params.algorithm */
    const char *summary; /* in a few words */
    const char *problem; /* "finite", "matroid", "semi-bandit", "cascade", "linear", "any" (of the
                            first four) */
    const char *paper;
    lotor_model model;       /* NONE: no noise is added */
    bool is_private;         /* it adds noise, and its promise holds */
    const char *not_private; /* why not; NULL where it is */
    const char *theorem;     /* what proves the privacy, or NULL */
    const char *regret;      /* what is known of it */
    lotor_ratio delta;       /* unless another is given; 0/0 where its promise is pure */
    bool needs_horizon;
    bool is_simulation_only; /* its noise has no exact sampler: lotor_policy_new refuses it */
    const char *strength;    /* why to choose it, as a sentence; or NULL */
    const char *feedback;    /* what is counted of the feedback of a round: "one" (the arm that was
                                shown), "semi" (all arms that were shown), "least-shown" (one of
                                them), "cascade" (the arms up to the click) */
    const char *list_feedback; /* of "any" problem, when policy.cascade is set: "first-slot" (the
                                  first arm of the list); else NULL */
    bool uses_beta;            /* its choices depend on policy.beta */
    bool uses_clip;            /* its paper caps indices, so policy.clip makes sense */
} lotor_algorithm_facts;

LOTOR_API size_t lotor_algorithm_count(void);

/* By place, from 0, in the catalog's order; LOTOR_UNKNOWN: there are not so many. */
LOTOR_API lotor_status lotor_algorithm_at(size_t place, lotor_message *why,
                                          lotor_algorithm_facts *out);

/* By id; LOTOR_UNKNOWN: the message says which id is meant, perhaps. */
LOTOR_API lotor_status lotor_algorithm_named(const char *id, lotor_message *why,
                                             lotor_algorithm_facts *out);

#ifdef __cplusplus
}
#endif
#endif
