/* coin.h - uniform random numbers for randomizers: exact or simulated, as the noise is
 * (privacy/noise/noise.h).
 *
 * If lotor_coin_status returns LOTOR_ENTROPY afterwards, the numbers must not be used.
 */
#ifndef LOTOR_PRIVACY_LOCAL_COIN_H
#define LOTOR_PRIVACY_LOCAL_COIN_H

#include <assert.h>
#include <stdint.h>

#include "base/wide.h"
#include "privacy/noise/exact.h"
#include "privacy/noise/noise.h"

/* Uniform in 0..bound-1; bound > 0. Exact noise has no bias. */
static inline uint64_t lotor_coin_below(lotor_noise *noise, uint64_t bound)
{
    assert(bound > 0);
    return noise->generator
               ? (uint64_t)((lotor_u128)lotor_generator_word(noise->generator) * bound >> 64)
               : lotor_exact_below(noise->exact, bound);
}

static inline lotor_status lotor_coin_status(const lotor_noise *noise)
{
    return noise->generator ? LOTOR_OK : noise->exact->status;
}

#endif
