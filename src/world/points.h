/* points.h - uniform points of the unit sphere and of the unit ball, fast; for the linear worlds.
 *
 * Consider a uniform point on a sphere two coordinates at a time. Each pair has a squared length
 * and a uniform direction. With an even number of coordinates, the squared lengths are uniform
 * among those that add up to 1, like the pieces of a stick cut at uniform places. A uniform point
 * (u, v) of the disc gives both: a direction, and with s = u^2 + v^2 a uniform place for a cut:
 *
 *      0        s2         s1             1
 *      |--------|----------|--------------|       pair 1: sqrt(piece/s1) (u1, v1), and so on
 *        pair 1    pair 2    pair 3
 *
 * An odd coordinate t is drawn first, with density proportional to (1 - t^2)^cuts; the pairs share
 * the rest, 1 - t^2. A uniform point of the ball is a point on the sphere of two more dimensions,
 * without its last pair (Harman and Lacko 2010). So the code needs no logarithm, no Gaussian and no
 * division by the length. In high dimension, sorting many cuts takes longer than logarithms. There,
 * the pieces are exponential draws, -log s, divided by their sum; the odd coordinate's piece is
 * half the square of a Gaussian.
 *
 * The functions are inline, and compiled once per dimension that a caller handles specially.
 */
#ifndef LOTOR_WORLD_POINTS_H
#define LOTOR_WORLD_POINTS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/random/laws.h"

#define INLINE inline __attribute__((always_inline))

enum { MOST_DIMENSION = 1024, MOST_CUTS = 6 };

/* This many points are drawn at a time, in steps without branches that could be mispredicted. */
enum { BLOCK = MOST_DIMENSION / 2 };

typedef struct block {
    double discs[2 * BLOCK], squares[BLOCK]; /* points (u, v), and u^2 + v^2 */
    double odd[BLOCK];
} block;

/* Uniform in (-1,1), from the upper or the lower half of a word: odd multiples of 2^-32. That is
 * fine enough for simulations, and needs half as many words. */
static inline double upper_half(uint64_t word)
{
    return ((double)(int32_t)(word >> 32) + 0.5) * 0x1p-31;
}

static inline double lower_half(uint64_t word)
{
    return ((double)(int32_t)(uint32_t)word + 0.5) * 0x1p-31;
}

/* 1 for a negative number, else 0, without a comparison, which compilers turn into a branch. */
static inline size_t is_negative(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (size_t)(bits >> 63);
}

/* Uniform points of the unit disc, without its centre. Writes every candidate; the next one
 * overwrites it if it is outside the disc. */
static INLINE void draw_discs(lotor_generator *generator, size_t count, double *discs,
                              double *squares)
{
    lotor_generator local = *generator; /* a copy, so that the loop keeps it in registers */
    for (size_t i = 0; i < count;) {
        const uint64_t word = lotor_generator_word(&local);
        const double u = upper_half(word), v = lower_half(word);
        discs[2 * i] = u;
        discs[2 * i + 1] = v;
        const double square = u * u + v * v;
        squares[i] = square;
        i += is_negative(square - 1);
    }
    *generator = local;
}

/* Odd coordinates: density proportional to (1 - t^2)^cuts on (-1,1). */
static INLINE void draw_odd(lotor_generator *generator, size_t cuts, size_t count, double *odd)
{
    lotor_generator local = *generator;
    for (size_t i = 0; i < count;) {
        const uint64_t word = lotor_generator_word(&local);
        const double t = upper_half(word), chance = 0.5 + 0.5 * lower_half(word);
        double density = 1;
        for (size_t k = 0; k < cuts; k++) {
            density *= 1 - t * t;
        }
        odd[i] = t;
        i += is_negative(chance - density);
    }
    *generator = local;
}

static INLINE void sort(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t j = i; j > 0; j--) {
            const double a = values[j - 1], b = values[j];
            values[j - 1] = a < b ? a : b;
            values[j] = a < b ? b : a;
        }
    }
}

/* Makes a point from the discs of its pairs and its odd coordinate. */
static INLINE void join_by_cuts(size_t dimension, bool in_ball, double shrink, const double *discs,
                                const double *squares, const double *odd, double *point)
{
    const size_t pairs = dimension / 2, cuts = in_ball ? pairs : pairs - 1;
    double place[MOST_CUTS + 1], before = 0, rest = shrink * shrink;
    if (dimension % 2) {
        point[dimension - 1] = shrink * *odd;
        rest *= 1 - *odd * *odd;
    }
    for (size_t i = 0; i < cuts; i++) {
        place[i] = squares[i]; /* NOLINT(clang-analyzer-core.*): draw_discs wrote it */
    }
    sort(place, cuts);
    place[cuts] = 1; /* on the sphere, the last pair takes only its direction from its disc */
    for (size_t i = 0; i < pairs; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.*): draw_discs wrote it */
        const double scale = sqrt(rest * (place[i] - before) / squares[i]);
        before = place[i];
        point[2 * i] = scale * discs[2 * i];
        point[2 * i + 1] = scale * discs[2 * i + 1];
    }
}

static INLINE void draw_by_cuts(lotor_generator *generator, size_t dimension, bool in_ball,
                                double shrink, size_t count, double *points)
{
    const size_t pairs = dimension / 2, cuts = in_ball ? pairs : pairs - 1;
    const size_t most = pairs > 0 ? BLOCK / pairs : BLOCK;
    block drawn;
    while (count > 0) {
        const size_t now = count < most ? count : most;
        draw_discs(generator, now * pairs, drawn.discs, drawn.squares);
        if (dimension % 2) {
            draw_odd(generator, cuts, now, drawn.odd);
        }
        for (size_t i = 0; i < now; i++) {
            join_by_cuts(dimension, in_ball, shrink, drawn.discs + 2 * pairs * i,
                         drawn.squares + pairs * i, drawn.odd + i, points + i * dimension);
        }
        points += now * dimension;
        count -= now;
    }
}

static inline void draw_by_logarithms(lotor_generator *generator, size_t dimension, bool in_ball,
                                      double shrink, double *point)
{
    const size_t pairs = dimension / 2;
    double squares[BLOCK];
    double sum = in_ball ? lotor_random_exponential(generator, 1) : 0; /* the omitted pair */
    if (dimension % 2) {
        const double t = lotor_random_gaussian(generator);
        point[dimension - 1] = t * M_SQRT1_2;
        sum += t * t / 2;
    }
    draw_discs(generator, pairs, point, squares);
    for (size_t i = 0; i < pairs; i++) {
        const double piece = -log(squares[i]); /* NOLINT(clang-analyzer-core.*): the same */
        const double scale = sqrt(piece / squares[i]);
        point[2 * i] *= scale;
        point[2 * i + 1] *= scale;
        sum += piece;
    }
    const double scale = shrink / sqrt(sum);
    for (size_t i = 0; i < dimension; i++) {
        point[i] *= scale;
    }
}

/* Uniform points of the ball, or of the sphere (which needs at least 2 dimensions). */
static INLINE void draw_points(lotor_generator *generator, size_t dimension, bool in_ball,
                               double shrink, size_t count, double *points)
{
    if (dimension <= 2 * MOST_CUTS + 1) {
        draw_by_cuts(generator, dimension, in_ball, shrink, count, points);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        draw_by_logarithms(generator, dimension, in_ball, shrink, points + i * dimension);
    }
}

/* A factor that shortens a vector so that its squares, added in any order, give at most 1. */
static inline double shrink_of(size_t dimension)
{
    return 1 - (double)(dimension + 8) * 0x1p-52;
}

static INLINE double dot(size_t dimension, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < dimension; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

#endif
