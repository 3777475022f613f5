/* draws.h - random numbers for the plain algorithms: SplitMix64 (Steele, Lea and Flood 2014) and
 * textbook draws from it. In floating point, so not private: only for measuring regret. */
#ifndef LOTOR_TESTS_PLAIN_DRAWS_H
#define LOTOR_TESTS_PLAIN_DRAWS_H

#include <math.h>
#include <stdint.h>

typedef struct plain_random {
    uint64_t state;
} plain_random;

static inline uint64_t plain_word(plain_random *random)
{
    uint64_t word = random->state += UINT64_C(0x9e3779b97f4a7c15);

    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/* In [0,1). */
static inline double plain_uniform(plain_random *random)
{
    return (double)(plain_word(random) >> 11) * 0x1p-53;
}

/* Density exp(-|x|/scale) / (2 scale): an exponential with a random sign. */
static inline double plain_laplace(plain_random *random, double scale)
{
    double size = -log(1 - plain_uniform(random));

    return plain_uniform(random) < 0.5 ? scale * size : -scale * size;
}

/* Mean 0, variance 1: Marsaglia's polar method, one of the pair. */
static inline double plain_gaussian(plain_random *random)
{
    double x, y, square;

    do {
        x = 2 * plain_uniform(random) - 1;
        y = 2 * plain_uniform(random) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    return x * sqrt(-2 * log(square) / square);
}

/* Shape at least 1, scale 1: Marsaglia and Tsang 2000. */
static inline double plain_gamma(plain_random *random, double shape)
{
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);

    for (;;) {
        double x = plain_gaussian(random), cube = 1 + c * x;

        cube = cube * cube * cube;
        if (cube > 0 && log(1 - plain_uniform(random)) < x * x / 2 + d * (1 - cube + log(cube))) {
            return d * cube;
        }
    }
}

/* Both shapes at least 1. */
static inline double plain_beta(plain_random *random, double a, double b)
{
    double first = plain_gamma(random, a);

    return first / (first + plain_gamma(random, b));
}

#endif
