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

/* The sensitivities and sizes of a statistic, and its privacy budget. */
typedef struct lotor_release_params {
    size_t dimension;    /* how many numbers one value of the stream has */
    uint64_t horizon;    /* the most values; 0: no horizon is declared */
    lotor_ratio epsilon; /* above 0, or infinite */
    lotor_ratio delta;   /* used only by Gaussian noise */
    uint64_t l1; /* how far replacing one value moves the sum of the stream, in L1, in units */
    uint64_t l2; /* the same in L2, rounded up */
    uint64_t magnitude; /* the largest |coordinate| of one value, in units */
    double noise_scale; /* by how much the lab divided epsilon to scale noise; 0 means 1 */

    /* For randomizers of a whole round (statistic.h). */
    size_t slots;  /* the most arms that are shown together */
    int64_t least; /* the smallest coordinate of one value, in units */
    int64_t width; /* how far the largest coordinate is above it */
} lotor_release_params;

/* The noise scale if every value is in `parts` released numbers:
 *   Laplace   l1 * parts / epsilon: the vector of all released numbers moves by at most
 *             l1 * parts in L1, so the Laplace mechanism is epsilon-DP (Dwork, McSherry, Nissim
 *             and Smith 2006);
 *   Gaussian  l2 * sqrt(parts / (2 rho)), where rho is the largest for which rho-zCDP implies
 *             (epsilon, delta): the vector moves by at most l2 * sqrt(parts) in L2.
 * The scale is 0 if epsilon is infinite. LOTOR_INVALID: the budget makes no sense. LOTOR_OVERFLOW:
 * the samplers cannot draw at that scale. */
lotor_status lotor_release_scale(const lotor_release_params *params, lotor_law law, uint64_t parts,
                                 lotor_message *why, uint64_t *scale);

/* The largest number of values: the declared horizon or, without one, the largest number for which
 * sums fit. LOTOR_OVERFLOW: the sum of that many values, or the noise of `noises` draws at `scale`,
 * could exceed 2^62 (draws beyond 64 scales have probability below e^-64); or there is no declared
 * horizon and not even 2^24 values fit. */
lotor_status lotor_release_fits(const lotor_release_params *params, uint64_t scale, uint64_t noises,
                                lotor_message *why, uint64_t *horizon);

/* a + b modulo 2^64. Noise can have any size, with tiny probability, and so can a forged saved
 * state. Reducing modulo 2^64 is post-processing, whereas a signed overflow would be undefined. */
static inline int64_t lotor_release_plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

#endif
