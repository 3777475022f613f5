/* laws.h - fast random laws, drawn from the seeded generator.
 *
 * They use doubles, and are for worlds and simulated noise. Private releases never use them; see
 * privacy/noise. No function allocates or fails. The caller makes sure that parameters are in
 * range; NaN gives a meaningless result, but never an endless loop.
 *
 * The most frequently used laws are inline. Of a random word, 63 bits give the size and one bit the
 * sign, so that the tails are as fine as doubles are.
 */
#ifndef LOTOR_BASE_RANDOM_LAWS_H
#define LOTOR_BASE_RANDOM_LAWS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/random/generator.h"

/* The upper 63 bits of a word as a number in (0,1]: at least 2^-64, rounded to a double. */
static inline double lotor_random_fraction(uint64_t word)
{
    return ((double)(int64_t)(word >> 1) + 0.5) * 0x1p-63;
}

/* `size` with the sign of the word's lowest bit. Has no branch that could be mispredicted. */
static inline double lotor_random_signed(double size, uint64_t word)
{
    uint64_t bits;

    memcpy(&bits, &size, sizeof bits);
    bits ^= word << 63;
    memcpy(&size, &bits, sizeof bits);
    return size;
}

/* Uniform in the open interval (0,1): the odd multiples of 2^-53. */
static inline double lotor_random_uniform(lotor_generator *generator)
{
    return (double)(int64_t)((lotor_generator_word(generator) >> 11) | 1) * 0x1p-53;
}

/* Density exp(-x/scale)/scale on x >= 0; scale > 0. */
static inline double lotor_random_exponential(lotor_generator *generator, double scale)
{
    return scale * -log(lotor_random_fraction(lotor_generator_word(generator)));
}

/* Density exp(-|x|/scale)/(2 scale); scale > 0. One word and one log(). */
static inline double lotor_random_laplace(lotor_generator *generator, double scale)
{
    const uint64_t word = lotor_generator_word(generator);

    /* Setting the sign of the scale can run in parallel with the logarithm. */
    return lotor_random_signed(scale, word) * -log(lotor_random_fraction(word));
}

/* P(x) proportional to exp(-|x|/scale); scale > 0. Mostly one word and one log().
 *
 * The whole part of an exponential draw is geometric. A random sign makes it discrete Laplace,
 * except that zero would come twice as often: so zero is kept with one of the two signs only.
 * Values from 2^53 on are rounded to doubles, and the size is at most INT64_MAX. */
static inline int64_t lotor_random_discrete_laplace(lotor_generator *generator, double scale)
{
    for (;;) {
        const uint64_t word = lotor_generator_word(generator);
        const double size = scale * -log(lotor_random_fraction(word));
        const int64_t whole = size < 0x1p63 ? (int64_t)size : INT64_MAX;
        if (whole != 0 || (word & 1) == 0) {
            return word & 1 ? -whole : whole;
        }
    }
}

/* P(x) proportional to exp(-x^2/(2 sigma^2)); sigma > 0. */
int64_t lotor_random_discrete_gaussian(lotor_generator *generator, double sigma);

/* Fills `out` with Laplace draws of scale 1. Faster than single draws and of the same law, but
 * gives different numbers. */
void lotor_random_laplace_fill(lotor_generator *generator, size_t count, double *out);

/* A standard normal draw; and many at once: faster, of the same law, but with different numbers. */
double lotor_random_gaussian(lotor_generator *generator);
void lotor_random_gaussian_fill(lotor_generator *generator, size_t count, double *out);

/* Gamma with the given shape > 0 and scale 1. For a tiny shape, a draw too small for a double
 * becomes 0. */
double lotor_random_gamma(lotor_generator *generator, double shape);

/* Beta(a, b), a > 0 and b > 0. Correct also if both are tiny. */
double lotor_random_beta(lotor_generator *generator, double a, double b);

/* The number of failures before the first success; p in (0,1]. At most UINT64_MAX. */
uint64_t lotor_random_geometric(lotor_generator *generator, double p);

/* The number of successes in n independent attempts; any n, p in [0,1]. Takes constant expected
 * time. */
uint64_t lotor_random_binomial(lotor_generator *generator, uint64_t n, double p);

/* A Wishart(I, degrees) matrix by Bartlett's decomposition, into `matrix` (dimension^2, row by
 * row, symmetric); degrees > dimension - 1. `work` has room for dimension^2 doubles. */
void lotor_random_wishart(lotor_generator *generator, size_t dimension, double degrees,
                          double *work, double *matrix);

#endif
