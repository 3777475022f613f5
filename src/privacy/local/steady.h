/* steady.h - exact random numbers whose running time does not depend on the result.
 *
 * A device's report must not be visible in the time that it took. Each function here reads a number
 * of random words, and takes a path through its code, that does not depend on its result or on a
 * secret argument. The page steady.md has the proofs and the exceptions, which have a probability
 * below 2^-52. If source->status is not LOTOR_OK afterwards, the result must not be used.
 */
#ifndef LOTOR_PRIVACY_LOCAL_STEADY_H
#define LOTOR_PRIVACY_LOCAL_STEADY_H

#include <stdbool.h>
#include <stdint.h>

#include <lotor/ratio.h>

#include "base/source.h"

/* True with probability num/den. `num` is secret: at most den. den > 0 is public. */
bool lotor_steady_bernoulli(lotor_source *source, uint64_t num, uint64_t den);

/* Uniform in 0..bound-1, without bias. bound > 0 is public. */
uint64_t lotor_steady_below(lotor_source *source, uint64_t bound);

/* Decides whether a proposal is accepted: always if `always`, otherwise with probability
 * 2^doublings e^-epsilon. `always` is secret. Epsilon is public, at least `doublings` and not
 * infinite. A proposal that is accepted takes the same time in both cases. One that is rejected may
 * take less: what is proposed next does not depend on it. */
bool lotor_steady_accepts(lotor_source *source, lotor_ratio epsilon, unsigned doublings,
                          bool always);

/* Returns the condition. The compiler can't see where it comes from, so it can't split it into
 * branches on its parts. */
static inline bool lotor_steady_whole(bool condition)
{
    uint64_t word = condition;
    __asm__ volatile("" : "+r"(word));
    return word != 0;
}

/* `yes` if `choice`, otherwise `no`, without a branch. */
static inline uint64_t lotor_steady_select(bool choice, uint64_t yes, uint64_t no)
{
    uint64_t mask = UINT64_C(0) - (uint64_t)choice;
    __asm__ volatile("" : "+r"(mask));
    return (yes & mask) | (no & ~mask);
}

#endif
