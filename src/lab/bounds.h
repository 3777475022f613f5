/* bounds.h - how little regret is possible at all, to be drawn beside what was measured. */
#ifndef LOTOR_LAB_BOUNDS_H
#define LOTOR_LAB_BOUNDS_H

#include <lotor/policy.h>

#include "world/world.h"

/* Any policy that is good in every world of this kind has, in this one, an expected regret of at
 * least (1 - o(1)) per_log_t log T. It holds as T grows: early on a curve may lie below it. */
typedef struct lotor_lower_bound {
    double per_log_t;    /* NaN where nothing is proved */
    const char *theorem; /* what proves it; NULL where nothing is */
} lotor_lower_bound;

/* kl(p, q) between coins: p log(p/q) + (1-p) log((1-p)/(1-q)), with 0 log 0 = 0; INFINITY where q
 * is 0 or 1 and p is not. Both in [0,1]. */
double lotor_kl_bernoulli(double p, double q);

/* The bound for the algorithm's kind of problem in this world; private ones are held to what their
 * epsilon proves, if that is more. Fails only where the parameters do (see lotor_policy_check) and
 * without memory. */
lotor_status lotor_lower_bound_of(const lotor_policy_params *params, const lotor_world *world,
                                  lotor_message *why, lotor_lower_bound *out);

#endif
