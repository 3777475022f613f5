/* bit.h - sends one reward as one bit that may be flipped: randomized response (Warner 1965).
 *
 *      x of width steps ──▶ bit: 1 with probability x/width ──▶ sent as it is with probability
 *                                              e^epsilon / (1 + e^epsilon), otherwise flipped
 *
 * A person's own device runs this code in the local model. It needs only a source of random bytes.
 * bit.md has the proof.
 */
#ifndef LOTOR_PRIVACY_LOCAL_BIT_H
#define LOTOR_PRIVACY_LOCAL_BIT_H

#include <stdbool.h>
#include <stdint.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

#include "base/random/generator.h"
#include "base/source.h"

typedef struct lotor_bit {
    lotor_ratio epsilon; /* INFINITY: every bit is true */
    uint64_t width;      /* steps from the smallest reward to the largest */
    double lie;          /* 1 / (1 + e^epsilon), for simulations and for reports to users */
} lotor_bit;

/* Refuses (LOTOR_INVALID) an epsilon of 0 and a width of 0. */
lotor_status lotor_bit_make(lotor_ratio epsilon, uint64_t width, lotor_message *why,
                            lotor_bit *out);

/* The bit that is sent for a reward of `steps` (at most `width`) above the smallest reward. The law
 * is exact. LOTOR_ENTROPY: *out must not be used. Does not allocate. */
lotor_status lotor_bit_send(const lotor_bit *bit, uint64_t steps, lotor_source *source, bool *out);

/* The same law, up to rounding to doubles, from one random word. For simulations. */
bool lotor_bit_simulate(const lotor_bit *bit, uint64_t steps, lotor_generator *generator);

#endif
