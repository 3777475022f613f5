/* known_noise.c - see known_noise.h. */
#include "support/known_noise.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"
#include "base/wide.h"

static uint64_t stride(lotor_law law)
{
    return law == LOTOR_LAW_LAPLACE ? 3 : 4;
}

/* Different words for different draws. */
static uint64_t mixed_word(uint64_t draw)
{
    return lotor_mix((draw + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

static void refill(lotor_source *source)
{
    known_noise *known = (known_noise *)source;
    for (size_t at = 0; at < sizeof known->window.bytes; at += sizeof(uint64_t), known->handed++) {
        const uint64_t draw = known->handed / stride(known->law);
        const uint64_t word =
            known->handed % stride(known->law) == 0 ? known->word_of(draw) : UINT64_MAX;
        memcpy(known->window.bytes + at, &word, sizeof word);
    }
    known->window.left = sizeof known->window.bytes;
}

void known_noise_start(known_noise *known, lotor_law law, bool is_simulated, uint64_t seed)
{
    memset(known, 0, sizeof *known);
    known->law = law;
    known->word_of = mixed_word;
    known->source = (lotor_source){.window = &known->window, .refill = refill};
    lotor_generator_seed(&known->generator, seed);
    known->twin = known->generator;
    known->noise =
        is_simulated ? lotor_noise_simulated(&known->generator) : lotor_noise_exact(&known->source);
}

static int64_t next_simulated(known_noise *known, uint64_t scale)
{
    if (known->stocked == 0) {
        if (known->law == LOTOR_LAW_LAPLACE) {
            lotor_random_laplace_fill(&known->twin, LOTOR_NOISE_STOCK, known->stock);
        } else {
            lotor_random_gaussian_fill(&known->twin, LOTOR_NOISE_STOCK, known->stock);
        }
        known->stocked = LOTOR_NOISE_STOCK;
    }
    return lotor_noise_whole(known->stock[--known->stocked] * (double)scale);
}

/* The candidate of a discrete Gaussian is a discrete Laplace draw of scale sigma + 1. */
static int64_t next_exact(known_noise *known, uint64_t scale)
{
    const uint64_t bound = 2 * (known->law == LOTOR_LAW_LAPLACE ? scale : scale + 1);
    const lotor_u128 product = (lotor_u128)known->word_of(known->planned) * bound;
    const uint64_t draw = (uint64_t)(product >> 64);
    if (scale < 1 << 16 || (uint64_t)product < bound || draw == 1) {
        abort(); /* the sampler would draw again: choose another scale */
    }
    const int64_t size = (int64_t)(draw >> 1);
    return draw & 1 ? -size : size;
}

int64_t known_noise_next(known_noise *known, uint64_t scale)
{
    const int64_t draw =
        known->noise.generator ? next_simulated(known, scale) : next_exact(known, scale);
    known->planned++;
    return draw;
}

bool known_noise_is_spent(const known_noise *known)
{
    if (known->noise.generator) {
        return known->noise.stocked[known->law] == known->stocked &&
               memcmp(&known->generator, &known->twin, sizeof known->twin) == 0;
    }
    const uint64_t read = known->handed - known->window.left / sizeof(uint64_t);
    return known->source.status == LOTOR_OK && read == known->planned * stride(known->law);
}
