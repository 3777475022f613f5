/* linear.c - draws actions in the unit ball or on the unit sphere, fast. See linear.h.
 *
 * points.h draws uniform points. linear_lazy.h draws the same rounds in parts.
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
#include "world/points.h"

enum { MOST_NUMBERS = 1 << 26 };

#define BEST_MEAN   LOTOR_LINEAR_BEST_MEAN
#define LOWEST_MEAN LOTOR_LINEAR_LOWEST_MEAN

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
