/* known_noise.h - noise whose every draw is known in advance, to see which draws a release contains.
 *
 * Exact noise reads a byte source. The words of this source are arranged so that every draw takes
 * the same number of words and is decided by the first of them:
 *
 *      Laplace   word, NO, NO       uniform offset and sign; accept it; add no further scale
 *      Gaussian  word, NO, NO, NO   the same as a candidate; keep the candidate
 *
 * The words are those of a counter, mixed: no two are equal. So a test can predict draw number k at
 * any scale, and a release that lacks a draw, or shares a draw with another number, is off by far
 * more than rounding. Simulated noise takes its draws from a generator, 64 at a time. A twin of the
 * generator predicts them.
 *
 *      mechanism reads known.noise         test calls known_noise_next for each planned draw
 */
#ifndef LOTOR_TESTS_KNOWN_NOISE_H
#define LOTOR_TESTS_KNOWN_NOISE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random/generator.h"
#include "base/source.h"
#include "privacy/noise/noise.h"

typedef struct known_noise {
    lotor_source source; /* must be first: refills get &known.source */
    lotor_source_window window;
    lotor_noise noise; /* for the mechanism */
    lotor_law law;
    uint64_t (*word_of)(
        uint64_t draw); /* decides a draw; a test may set another one at the start */
    uint64_t handed;    /* words that the source has put into its window so far */
    uint64_t planned;   /* draws that the test has taken with known_noise_next */

    /* Simulated noise only. */
    lotor_generator generator, twin;
    double stock[LOTOR_NOISE_STOCK];
    size_t stocked;
} known_noise;

/* Noise for a mechanism that draws from this law only. Must not be copied or moved. */
void known_noise_start(known_noise *known, lotor_law law, bool is_simulated, uint64_t seed);

/* The number that the next draw of the plan adds to a number, at this scale (2^16 or more). */
int64_t known_noise_next(known_noise *known, uint64_t scale);

/* True if the mechanism has made exactly the planned draws. */
bool known_noise_is_spent(const known_noise *known);

#endif
