/* bounds.h - lower bounds on regret, to be drawn together with the measured regret. */
#ifndef LOTOR_LAB_BOUNDS_H
#define LOTOR_LAB_BOUNDS_H

#include <lotor/policy.h>

#include "lab/divergence.h"
#include "world/world.h"

/* Any policy that has the same privacy guarantee and is good in every world of this kind has, in
 * this world, an expected regret of at least (1 - o(1)) per_log_t log T. The bound is for large T:
 * at first a curve may be below it. `theorem` names the proof, which lives as long as the library.
 * Both bounds are proved. The classical bound is the one that was known before the exact price of
 * privacy was: it is never larger. */
typedef struct lotor_lower_bound {
    double per_log_t;    /* NaN if nothing is proved */
    const char *theorem; /* NULL if nothing is proved */
    double classical;    /* NaN if nothing is proved */
    const char *classical_theorem;
} lotor_lower_bound;

/* The bounds for the algorithm's kind of problem in this world, with the algorithm's kind of
 * privacy. Fails only for invalid parameters (see lotor_policy_check) and out of memory. */
lotor_status lotor_lower_bound_of(const lotor_policy_params *params, const lotor_world *world,
                                  lotor_message *why, lotor_lower_bound *out);

#endif
