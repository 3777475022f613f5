/* linear.c - draws actions in the unit ball or on the unit sphere, fast. See linear.h.
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
 * Rounding never makes a vector longer than 1: each is shortened first, by a few units in the last
 * place per coordinate.
 */
#include "world/linear.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/digits.h"
#include "base/message.h"
#include "base/wide.h"

enum { MOST_DIMENSION = 1024, MOST_NUMBERS = 1 << 26, MOST_CUTS = 6 };

/* For functions that are compiled once per dimension that lotor_linear_world_round handles
 * specially. */
#define INLINE      inline __attribute__((always_inline))
#define BEST_MEAN   0.75
#define LOWEST_MEAN (-0.75)

lotor_status lotor_linear_world_make(size_t dimension, size_t actions, double gap,
                                     lotor_message *why, lotor_linear_world *out)
{
    const bool has_gap = !isnan(gap);
    const size_t least = has_gap ? 2 : 1;
    *out = (lotor_linear_world){0};
    if (has_gap && !(gap >= 0 && gap < BEST_MEAN - LOWEST_MEAN)) {
        char digits[LOTOR_DIGITS_ROOM];
        return lotor_fail(LOTOR_RANGE, why, "the gap is %s; it lies in [0, 1.5)",
                          lotor_digits(gap, digits));
    }
    if (dimension < least || dimension > MOST_DIMENSION) {
        return lotor_fail(LOTOR_INVALID, why, "actions %s have from %zu to %d dimensions, not %zu",
                          has_gap ? "with a gap" : "in the ball", least, MOST_DIMENSION, dimension);
    }
    if (actions < 2 || actions > MOST_NUMBERS / dimension) {
        return lotor_fail(LOTOR_INVALID, why,
                          "in %zu dimensions a round has from 2 to %zu actions, not %zu", dimension,
                          MOST_NUMBERS / dimension, actions);
    }
    *out = (lotor_linear_world){dimension, actions, has_gap, has_gap ? gap : 0};
    return LOTOR_OK;
}

/* Points
 * ---------------------------------------------------------------------------------------- */

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
        place[i] = squares[i];
    }
    sort(place, cuts);
    place[cuts] = 1; /* on the sphere, the last pair takes only its direction from its disc */
    for (size_t i = 0; i < pairs; i++) {
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

static void draw_by_logarithms(lotor_generator *generator, size_t dimension, bool in_ball,
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
        const double piece = -log(squares[i]);
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
static double shrink_of(size_t dimension)
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

void lotor_linear_world_theta(const lotor_linear_world *world, lotor_generator *generator,
                              double *theta)
{
    if (world->dimension == 1) {
        theta[0] = lotor_random_signed(1, lotor_generator_word(generator) >> 63);
        return;
    }
    draw_points(generator, world->dimension, false, 1, 1, theta);
    const double length = sqrt(dot(world->dimension, theta, theta));
    for (size_t i = 0; i < world->dimension; i++) {
        theta[i] /= length;
    }
}

/* Rounds
 * ---------------------------------------------------------------------------------------- */

static INLINE double ball_round(size_t dimension, size_t count, const double *theta,
                                lotor_generator *generator, double *actions, double *means)
{
    double best = -1;
    draw_points(generator, dimension, true, shrink_of(dimension), count, actions);
    for (size_t i = 0; i < count; i++) {
        means[i] = dot(dimension, theta, actions + i * dimension);
        best = means[i] > best ? means[i] : best;
    }
    return best;
}

static void remove_along(size_t dimension, const double *theta, double *action)
{
    const double along = dot(dimension, theta, action);
    for (size_t i = 0; i < dimension; i++) {
        action[i] -= along * theta[i];
    }
}

/* Draws a uniform point of the sphere among those with this mean: mean theta + sqrt(1 - mean^2) w,
 * with w on the unit sphere orthogonal to theta. */
static __attribute__((noinline)) void draw_at_mean(lotor_generator *generator, size_t dimension,
                                                   const double *theta, double mean, double *action)
{
    double left;
    do { /* w is the direction of a point's part orthogonal to theta; redraws are very rare */
        draw_points(generator, dimension, false, 1, 1, action);
        remove_along(dimension, theta, action);
        left = dot(dimension, action, action);
    } while (left < 0x1p-10);
    remove_along(dimension, theta, action); /* again, for the error that rounding left */
    left = dot(dimension, action, action);
    const double shrink = shrink_of(dimension);
    const double across = shrink * sqrt((1 - mean * mean) / left);
    for (size_t i = 0; i < dimension; i++) {
        action[i] = shrink * mean * theta[i] + across * action[i];
    }
}

/* Draws a mean as on the sphere, but in [LOWEST_MEAN, highest] with highest < 0, where points of
 * the whole sphere would hardly ever fall. It uses rejection. The logarithm of the density is m
 * log(1 - t^2) with m = (d - 3)/2, and lies below its tangent at `highest`. So draws from the
 * tangent are kept with a probability given by the difference. In two dimensions, m = -1/2, a
 * constant replaces the tangent: the value at LOWEST_MEAN. At least 5% are kept; the worst case is
 * 1024 dimensions and a gap just above 0.75. */
static double draw_low_mean(lotor_generator *generator, size_t dimension, double highest)
{
    const double width = highest - LOWEST_MEAN;
    const double power = 0.5 * ((double)dimension - 3);
    const double peak = dimension == 2 ? LOWEST_MEAN : highest;
    const double slope =
        dimension == 2 ? 0 : -2 * power * highest / (1 - highest * highest); /* at least 0 */
    for (;;) {
        const double u = lotor_random_uniform(generator);
        const double depth =
            slope > 0 ? -log1p(u * expm1(-slope * width)) / slope : u * width; /* below highest */
        const double mean = fmax(highest - depth, LOWEST_MEAN);
        const double ratio = (1 - mean * mean) / (1 - peak * peak);
        if (log(lotor_random_uniform(generator)) <= power * log(ratio) + slope * depth) {
            return mean;
        }
    }
}

/* Draws points of the whole sphere, and keeps those with a mean in [LOWEST_MEAN, highest]. For
 * highest >= 0 that is more than a quarter of them. */
static INLINE void draw_as_they_come(size_t dimension, size_t count, double highest,
                                     const double *theta, lotor_generator *generator,
                                     double *actions, double *means)
{
    const double shrink = shrink_of(dimension);
    for (size_t kept = 0; kept < count;) {
        const size_t drawn = count - kept;
        const double *from = actions + kept * dimension;
        draw_points(generator, dimension, false, shrink, drawn, actions + kept * dimension);
        for (size_t i = 0; i < drawn; i++) {
            const double *action = from + i * dimension;
            double *to = actions + kept * dimension; /* not after `action` */
            const double mean = dot(dimension, theta, action);
            for (size_t j = 0; j < dimension; j++) {
                to[j] = action[j];
            }
            means[kept] = mean;
            kept += mean >= LOWEST_MEAN && mean <= highest;
        }
    }
}

static INLINE double gap_round(const lotor_linear_world *world, size_t dimension,
                               const double *theta, lotor_generator *generator, double *actions,
                               double *means)
{
    const size_t last = world->actions - 1;
    const double highest = BEST_MEAN - world->gap;
    if (highest >= 0) {
        draw_as_they_come(dimension, last, highest, theta, generator, actions, means);
    } else {
        for (size_t i = 0; i < last; i++) {
            means[i] = draw_low_mean(generator, dimension, highest);
            draw_at_mean(generator, dimension, theta, means[i], actions + i * dimension);
        }
    }
    /* Put the best action at a random place; the action that was there moves to the end. */
    const lotor_u128 word = lotor_generator_word(generator);
    const size_t place = (size_t)(word * world->actions >> 64);
    double *best = actions + place * dimension;
    if (place != last) {
        memcpy(actions + last * dimension, best, dimension * sizeof *best);
        means[last] = means[place];
    }
    draw_at_mean(generator, dimension, theta, BEST_MEAN, best);
    means[place] = BEST_MEAN;
    return BEST_MEAN;
}

static INLINE double draw_round(const lotor_linear_world *world, size_t dimension,
                                const double *theta, lotor_generator *generator, double *actions,
                                double *means)
{
    if (world->has_gap) {
        return gap_round(world, dimension, theta, generator, actions, means);
    }
    return ball_round(dimension, world->actions, theta, generator, actions, means);
}

/* Handles small dimensions separately: when the compiler knows the length of the short loops, a
 * round is 1.5 times as fast. */
double lotor_linear_world_round(const lotor_linear_world *world, const double *theta,
                                lotor_generator *generator, double *actions, double *means)
{
    switch (world->dimension) {
    case 2:
        return draw_round(world, 2, theta, generator, actions, means);
    case 3:
        return draw_round(world, 3, theta, generator, actions, means);
    case 4:
        return draw_round(world, 4, theta, generator, actions, means);
    case 5:
        return draw_round(world, 5, theta, generator, actions, means);
    default:
        return draw_round(world, world->dimension, theta, generator, actions, means);
    }
}
