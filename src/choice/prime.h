/* prime.h - arithmetic modulo three primes just below 2^61.
 *
 * The primes are 2^61 - c for c = 1, 31 and 45, so 2^61 is congruent to c. A product is reduced by
 * adding c times its high part to its low part.
 */
#ifndef LOTOR_CHOICE_PRIME_H
#define LOTOR_CHOICE_PRIME_H

#include <assert.h>
#include <stddef.h>

#include "base/wide.h"

enum { LOTOR_PRIMES = 3, LOTOR_PRIME_BITS = 60 }; /* each prime is above 2^LOTOR_PRIME_BITS */

/* The c of each prime. */
static const uint64_t lotor_prime_offset[LOTOR_PRIMES] = {1, 31, 45};

/* A sum of this many products stays below 2^128. */
enum { LOTOR_PRIME_TERMS = 64 };

static inline uint64_t lotor_prime(uint64_t offset)
{
    return (UINT64_C(1) << 61) - offset;
}

/* `value` modulo the prime. After the first step the value is below 2^61 + 45 * 2^67, after the
 * second below 2^61 + 45 * 2^12, which is less than twice the prime. */
static inline uint64_t lotor_prime_reduce(lotor_u128 value, uint64_t offset)
{
    const uint64_t low = (UINT64_C(1) << 61) - 1;
    value = ((uint64_t)value & low) + (value >> 61) * offset;
    const uint64_t sum = ((uint64_t)value & low) + (uint64_t)(value >> 61) * offset;
    return sum >= lotor_prime(offset) ? sum - lotor_prime(offset) : sum;
}

static inline uint64_t lotor_prime_negative(uint64_t value, uint64_t offset)
{
    assert(value < lotor_prime(offset));
    return value == 0 ? 0 : lotor_prime(offset) - value;
}

#endif
