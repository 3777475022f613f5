/* scale.h - how much noise a release needs, in whole units, rounded up.
 *
 * Everything here is public: it depends on the declared ranges and the budget, never on data.
 */
#ifndef LOTOR_PRIVACY_RELEASE_SCALE_H
#define LOTOR_PRIVACY_RELEASE_SCALE_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

#include "privacy/noise/noise.h"

/* What a statistic is made of, and what it may spend. */
typedef struct lotor_release_params {
    size_t dimension;    /* numbers in one value of the stream */
    uint64_t horizon;    /* values at most; 0: no horizon declared */
    lotor_ratio epsilon; /* > 0 or infinity */
    lotor_ratio delta;   /* only the Gaussian ones spend it */
    uint64_t l1;         /* how far replacing one value moves the stream's sum, L1, in units */
    uint64_t l2;         /* the same in L2, rounded up */
    uint64_t magnitude;  /* the largest |coordinate| of one value, in units */
    double noise_scale;  /* the lab's: by how much epsilon was divided to scale noise; 0 means 1 */

    /* What randomizers of a whole round need (statistic.h). */
    size_t slots;  /* arms shown together, at most */
    int64_t least; /* the smallest coordinate of one value, in units, */
    int64_t width; /* and how far the largest is above it */
} lotor_release_params;

/* The noise scale when every value is in `parts` released numbers:
 *   Laplace   l1 * parts / epsilon: the vector of all released numbers moves by at most
 *             l1 * parts in L1, so the Laplace mechanism is epsilon-DP (Dwork et al. 2006);
 *   Gaussian  l2 * sqrt(parts / (2 rho)), rho the largest with which zCDP proves
 *             (epsilon, delta): the vector moves by at most l2 * sqrt(parts) in L2.
 * 0 at epsilon = infinity. LOTOR_INVALID for a budget that makes no sense, LOTOR_OVERFLOW when
 * the samplers can't draw at that scale. */
lotor_status lotor_release_scale(const lotor_release_params *params, lotor_law law, uint64_t parts,
                                 lotor_message *why, uint64_t *scale);

/* The horizon that holds: the declared one, or, without one, the largest for which sums fit.
 * LOTOR_OVERFLOW when the sum of that many values, or the noise of `noises` draws at `scale`,
 * could pass 2^62 (draws beyond 64 scales have probability below e^-64), or when, without a
 * declared horizon, not even 2^24 values fit. */
lotor_status lotor_release_fits(const lotor_release_params *params, uint64_t scale, uint64_t noises,
                                lotor_message *why, uint64_t *horizon);

/* a + b modulo 2^64. Noise can be of any size, however rarely (and so can a forged saved state);
 * reducing modulo 2^64 is post-processing, where an overflow would be undefined. */
static inline int64_t lotor_release_plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

#endif
