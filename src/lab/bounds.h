/* bounds.h - lower bounds on regret, to be drawn together with the measured regret. */
#ifndef LOTOR_LAB_BOUNDS_H
#define LOTOR_LAB_BOUNDS_H

#include <lotor/policy.h>

#include "world/world.h"

/* Any policy that is good in every world of this kind has, in this world, an expected regret of at
 * least (1 - o(1)) per_log_t log T. The bound is for large T: at first a curve may be below it. */
typedef struct lotor_lower_bound {
    double per_log_t;    /* NaN if nothing is proved */
    const char *theorem; /* the proof; NULL if nothing is proved */
} lotor_lower_bound;

/* kl(p, q) between two Bernoulli laws: p log(p/q) + (1-p) log((1-p)/(1-q)), with 0 log 0 = 0.
 * INFINITY if q is 0 or 1 and p is not equal to it. Both are in [0,1]. */
double lotor_kl_bernoulli(double p, double q);

/* The bound for the algorithm's kind of problem in this world. For private algorithms, the bound
 * for their epsilon is used if it is larger. Fails only for invalid parameters (see
 * lotor_policy_check) and out of memory. */
lotor_status lotor_lower_bound_of(const lotor_policy_params *params, const lotor_world *world,
                                  lotor_message *why, lotor_lower_bound *out);

#endif
