/* laws.h - fast random laws from the simulation source.
 *
 * In doubles, for worlds and simulated noise; private releases never use these (see
 * privacy/noise). None of them allocates or fails. Parameters are the caller's duty, as stated; a
 * NaN gives a meaningless result, never an endless loop.
 *
 * The laws of the hottest loops are inline. A random word gives 63 bits to the size and one to the
 * sign, so that tails are as fine as doubles are.
 */
#ifndef LOTOR_BASE_RANDOM_LAWS_H
#define LOTOR_BASE_RANDOM_LAWS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/random/simulation.h"

/* The upper 63 bits of a word, as a number in (0,1]: at least 2^-64, and rounded to a double. */
static inline double lotor_random_fraction(uint64_t word)
{
    return ((double)(int64_t)(word >> 1) + 0.5) * 0x1p-63;
}

/* `size`, given the sign of the word's lowest bit: no branch, so nothing to mispredict. */
static inline double lotor_random_signed(double size, uint64_t word)
{
    uint64_t bits;

    memcpy(&bits, &size, sizeof bits);
    bits ^= word << 63;
    memcpy(&size, &bits, sizeof bits);
    return size;
}

/* Uniform in the open interval (0,1): the odd multiples of 2^-53. */
static inline double lotor_random_uniform(lotor_simulation *simulation)
{
    return (double)(int64_t)((lotor_simulation_word(simulation) >> 11) | 1) * 0x1p-53;
}

/* Density exp(-x/scale)/scale on x >= 0; scale > 0. */
static inline double lotor_random_exponential(lotor_simulation *simulation, double scale)
{
    return scale * -log(lotor_random_fraction(lotor_simulation_word(simulation)));
}

/* Density exp(-|x|/scale)/(2 scale); scale > 0. One word and one log(). */
static inline double lotor_random_laplace(lotor_simulation *simulation, double scale)
{
    const uint64_t word = lotor_simulation_word(simulation);

    /* the sign goes to the scale, beside the logarithm instead of after it */
    return lotor_random_signed(scale, word) * -log(lotor_random_fraction(word));
}

/* P(x) proportional to exp(-|x|/scale); scale > 0. Mostly one word and one log().
 *
 * The whole part of an exponential draw is geometric, and a random sign makes it discrete Laplace
 * once zero, which would come with both signs, is kept with one of them only. From 2^53 up the
 * value is rounded as a double is, and it stops at INT64_MAX either way. */
static inline int64_t lotor_random_discrete_laplace(lotor_simulation *simulation, double scale)
{
    for (;;) {
        const uint64_t word = lotor_simulation_word(simulation);
        const double size = scale * -log(lotor_random_fraction(word));
        const int64_t whole = size < 0x1p63 ? (int64_t)size : INT64_MAX;
        if (whole != 0 || (word & 1) == 0) {
            return word & 1 ? -whole : whole;
        }
    }
}

/* P(x) proportional to exp(-x^2/(2 sigma^2)); sigma > 0. */
int64_t lotor_random_discrete_gaussian(lotor_simulation *simulation, double sigma);

/* Fills `out` with Laplace draws of scale 1: the same law, faster, and other numbers than so many
 * single draws. */
void lotor_random_laplace_fill(lotor_simulation *simulation, size_t count, double *out);

/* Standard normal; and many at once: the same law, faster, and other numbers. */
double lotor_random_gaussian(lotor_simulation *simulation);
void lotor_random_gaussian_fill(lotor_simulation *simulation, size_t count, double *out);

/* Gamma with the given shape > 0 and scale 1. A tiny shape's draw may be too small for a double,
 * and is then 0. */
double lotor_random_gamma(lotor_simulation *simulation, double shape);

/* Beta(a, b), a > 0 and b > 0, also where both are tiny. */
double lotor_random_beta(lotor_simulation *simulation, double a, double b);

/* Number of failures before the first success, from 0; p in (0,1]. At most UINT64_MAX. */
uint64_t lotor_random_geometric(lotor_simulation *simulation, double p);

/* Successes in n trials; any n, p in [0,1]. Constant expected time. */
uint64_t lotor_random_binomial(lotor_simulation *simulation, uint64_t n, double p);

/* A Wishart(I, degrees) matrix by Bartlett's decomposition, into `matrix` (dimension^2, row by
 * row, symmetric); degrees > dimension - 1. `work` has room for dimension^2 doubles. */
void lotor_random_wishart(lotor_simulation *simulation, size_t dimension, double degrees,
                          double *work, double *matrix);

#endif
