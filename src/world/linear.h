/* linear.h - a world with contexts: every round has new actions, and a hidden theta sets their
 * rewards.
 *
 * There are two ways to draw the actions of a round (Shariff and Sheffet 2018, published settings):
 *
 *      ball     each uniform in the unit ball; theta uniform on the unit sphere
 *      gap G    on the unit sphere: one action with mean reward 0.75, the others' means drawn as
 *               <theta, x> of a uniform point on the sphere, but within [-0.75, 0.75 - G]
 *
 * A reward is +1 or -1, with mean <theta, x>. A world is read-only. The caller supplies all
 * randomness.
 */
#ifndef LOTOR_WORLD_LINEAR_H
#define LOTOR_WORLD_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

#include <lotor/status.h>

#include "base/random/laws.h"

/* With a gap: the mean of the best action, and the lowest mean of the others. */
#define LOTOR_LINEAR_BEST_MEAN   0.75
#define LOTOR_LINEAR_LOWEST_MEAN (-0.75)

typedef struct lotor_linear_world {
    size_t dimension, actions;
    bool has_gap;
    double gap;
} lotor_linear_world;

/* Makes a world. `gap` is in [0, 1.5); NaN means the ball. There are at least 2 actions; the
 * dimension is from 1 (2 with a gap) to 1024; a round has at most 2^26 numbers in all. */
lotor_status lotor_linear_world_make(size_t dimension, size_t actions, double gap,
                                     lotor_message *why, lotor_linear_world *out);

/* Draws theta, on the unit sphere. Call it once per run. */
void lotor_linear_world_theta(const lotor_linear_world *world, lotor_generator *generator,
                              double *theta);

/* Draws a round: the actions (row by row, none longer than 1) and their mean rewards. Returns the
 * largest mean. */
double lotor_linear_world_round(const lotor_linear_world *world, const double *theta,
                                lotor_generator *generator, double *actions, double *means);

/* Draws a reward, +1 or -1. */
static inline double lotor_linear_world_reward(lotor_generator *generator, double mean)
{
    return lotor_random_uniform(generator) < 0.5 * (1.0 + mean) ? 1.0 : -1.0;
}

#endif
