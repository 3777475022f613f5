/* coin.h - what randomizers toss: exact or simulated, as the noise is (privacy/noise/noise.h).
 *
 * A draw means nothing when lotor_coin_status says LOTOR_ENTROPY afterwards.
 */
#ifndef LOTOR_PRIVACY_LOCAL_COIN_H
#define LOTOR_PRIVACY_LOCAL_COIN_H

#include <stdint.h>

#include "base/wide.h"
#include "privacy/noise/exact.h"
#include "privacy/noise/noise.h"

/* Uniform in 0..bound-1; bound > 0. Without bias where it is exact. */
static inline uint64_t lotor_coin_below(lotor_noise *noise, uint64_t bound)
{
    return noise->simulation
               ? (uint64_t)((lotor_u128)lotor_simulation_word(noise->simulation) * bound >> 64)
               : lotor_exact_below(noise->exact, bound);
}

static inline lotor_status lotor_coin_status(const lotor_noise *noise)
{
    return noise->simulation ? LOTOR_OK : noise->exact->status;
}

#endif
