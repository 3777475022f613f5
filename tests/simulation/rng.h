/* rng.h - a small seeded generator (splitmix64): the same seed gives the same numbers. */
#ifndef LOTOR_SIMULATION_RNG_H
#define LOTOR_SIMULATION_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "plain/draws.h"

typedef plain_random rng;

static inline uint64_t rng_word(rng *from)
{
    return plain_word(from);
}

/* Makes a separate generator for each purpose, so that one more draw for one purpose does not
 * change the others. */
static inline rng rng_of(uint64_t seed, uint64_t purpose)
{
    rng mixed = {seed * UINT64_C(0xd1342543de82ef95) + purpose};
    return (rng){rng_word(&mixed) ^ (purpose << 32)};
}

/* From 0 to below - 1. */
static inline uint64_t rng_below(rng *from, uint64_t below)
{
    return below ? (uint64_t)(((unsigned __int128)rng_word(from) * below) >> 64) : 0;
}

/* From low to high, both included. */
static inline uint64_t rng_between(rng *from, uint64_t low, uint64_t high)
{
    return low + rng_below(from, high - low + 1);
}

/* True in one of `of` cases, on average. */
static inline bool rng_one_in(rng *from, uint64_t of)
{
    return rng_below(from, of) == 0;
}

static inline void rng_fill(rng *from, void *bytes, size_t count)
{
    unsigned char *at = bytes;
    while (count > 0) {
        uint64_t word = rng_word(from);
        size_t part = count < sizeof word ? count : sizeof word;
        memcpy(at, &word, part);
        at += part;
        count -= part;
    }
}

#endif
