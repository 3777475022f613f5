/* generator.h - the lab's seeded random source: xoshiro256++ (Blackman and Vigna 2021).
 *
 * For experiments only: anyone who knows the seed knows every draw. The source has a type of its
 * own, so it can't be passed where the secure source (base/source.h) is needed, or the reverse.
 */
#ifndef LOTOR_BASE_RANDOM_GENERATOR_H
#define LOTOR_BASE_RANDOM_GENERATOR_H

#include <stdint.h>

typedef struct lotor_generator {
    uint64_t state[4];
} lotor_generator;

/* The last steps of splitmix64 (Steele, Lea and Flood 2014): turns a counter into words that look
 * random. To derive several numbers from one seed, start each from a different constant. */
static inline uint64_t lotor_mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/* Fills the state from any seed with splitmix64, as the authors of xoshiro advise. */
void lotor_generator_seed(lotor_generator *generator, uint64_t seed);

/* Skips 2^128 words. Streams that are a jump apart never overlap in practice. */
void lotor_generator_jump(lotor_generator *generator);

static inline uint64_t lotor_generator_rotate(uint64_t word, int bits)
{
    return (word << bits) | (word >> (64 - bits));
}

/* The next 64 random bits. */
static inline uint64_t lotor_generator_word(lotor_generator *generator)
{
    uint64_t *const s = generator->state;
    const uint64_t result = lotor_generator_rotate(s[0] + s[3], 23) + s[0];
    const uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = lotor_generator_rotate(s[3], 45);
    return result;
}

#endif
