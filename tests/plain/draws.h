/* draws.h - random numbers for the plain algorithms: SplitMix64 (Steele, Lea and Flood 2014), and
 * textbook samplers on top of it. They use floating point, so they are not private: only for
 * measuring regret. */
#ifndef LOTOR_TESTS_PLAIN_DRAWS_H
#define LOTOR_TESTS_PLAIN_DRAWS_H

#include <math.h>
#include <stddef.h>
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

/* Uniform on the unit sphere: a Gaussian vector's direction. */
static inline void plain_sphere(plain_random *random, size_t dimension, double *point)
{
    double square = 0;

    for (size_t i = 0; i < dimension; i++) {
        point[i] = plain_gaussian(random);
        square += point[i] * point[i];
    }
    for (size_t i = 0; i < dimension; i++) {
        point[i] /= sqrt(square);
    }
}

/* Uniform in the unit ball: P(length <= r) = r^dimension. */
static inline void plain_ball(plain_random *random, size_t dimension, double *point)
{
    double length = pow(plain_uniform(random), 1 / (double)dimension);

    plain_sphere(random, dimension, point);
    for (size_t i = 0; i < dimension; i++) {
        point[i] *= length;
    }
}

/* Draws W(I, degrees), size x size: the Gram matrix of `degrees` Gaussian vectors. It is A times
 * its transpose, for a lower triangular A with square roots of chi-squares on the diagonal and
 * Gaussians below (Bartlett 1933). Needs at least size + 1 degrees. */
static inline void plain_wishart(plain_random *random, size_t size, double degrees, double *matrix)
{
    for (size_t i = 0; i < size; i++) { /* A itself first */
        for (size_t j = 0; j < i; j++) {
            matrix[i * size + j] = plain_gaussian(random);
        }
        matrix[i * size + i] = sqrt(2 * plain_gamma(random, (degrees - (double)i) / 2));
    }
    for (size_t i = size; i-- > 0;) { /* row i of the product needs only rows up to i of A */
        for (size_t j = i + 1; j-- > 0;) {
            double sum = 0;

            for (size_t k = 0; k <= j; k++) {
                sum += matrix[i * size + k] * matrix[j * size + k];
            }
            matrix[i * size + j] = sum;
        }
    }
    for (size_t i = 0; i < size; i++) {
        for (size_t j = i + 1; j < size; j++) {
            matrix[i * size + j] = matrix[j * size + i];
        }
    }
}

#endif
