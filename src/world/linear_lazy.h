/* linear_lazy.h - draws a round of the world with a gap in parts: only what can matter.
 *
 * An action of this world is x = m theta + sqrt(1 - m^2) w. Its mean reward m and its direction w
 * are independent; w is uniform on the unit sphere orthogonal to theta. The law of m has a density
 * proportional to (1 - m^2)^((d - 3)/2) on [LOTOR_LINEAR_LOWEST_MEAN, highest]. So if a learner can
 * choose an action only when m is between two bounds, a simulation needs the number of such
 * actions, which is binomial, and the mean and direction of each of them. It never draws the
 * others. The learner's choices have the same law as in lotor_linear_world_round.
 *
 * The bounds are rounded outwards to bins of equal width, for which the probabilities are known.
 */
#ifndef LOTOR_WORLD_LINEAR_LAZY_H
#define LOTOR_WORLD_LINEAR_LAZY_H

#include "base/random/lanes.h"
#include "world/linear.h"

enum { LOTOR_LAZY_LEAST = 3, LOTOR_LAZY_MOST = 8, LOTOR_LAZY_BINS = 256 };

/* Callers read `dimension`, `others`, `highest` and `theta`. */
typedef struct lotor_lazy_world {
    size_t dimension;
    uint64_t others; /* how many actions a round has besides the best one */
    double highest;  /* the highest mean of the others */
    double shrink;   /* shortens an action, so that rounding does not make it longer than 1 */
    double theta[LOTOR_LAZY_MOST];
    /* The reflection x - 2 <mirror, x> mirror maps e_1 to sign theta. */
    double mirror[LOTOR_LAZY_MOST], sign;
    double bin;                        /* the width of a bin of means */
    double below[LOTOR_LAZY_BINS + 1]; /* the probability of a mean below each bin */
} lotor_lazy_world;

/* Some of the bins: from `first` to before `last`; none if they are equal. */
typedef struct lotor_lazy_bins {
    size_t first, last;
} lotor_lazy_bins;

/* True if the world has a gap and from 3 to 8 dimensions: in more, the bins would be too few. */
bool lotor_lazy_world_fits(const lotor_linear_world *world);

/* `theta` has length 1; the world must fit. */
void lotor_lazy_world_make(const lotor_linear_world *world, const double *theta,
                           lotor_lazy_world *out);

/* The bins that cover the means from `low` to `high`: none if no mean is there. NaN counts as no
 * bound. */
lotor_lazy_bins lotor_lazy_world_bins(const lotor_lazy_world *lazy, double low, double high);

/* Draws how many of the others have a mean in these bins. */
uint64_t lotor_lazy_world_count(const lotor_lazy_world *lazy, lotor_generator *generator,
                                lotor_lazy_bins bins);

/* Draws the means of `count` actions, given that they are in these bins (at least one). */
void lotor_lazy_world_means(const lotor_lazy_world *lazy, lotor_generator *generator,
                            lotor_lazy_bins bins, size_t count, double *means);

/* Draws an action with this mean, uniform among all of them and not longer than 1. */
void lotor_lazy_world_action(const lotor_lazy_world *lazy, lotor_generator *generator, double mean,
                             double *action);

/* Draws one action for each of LOTOR_LANES means. Coordinate i of action k is columns[i *
 * LOTOR_LANES + k]. */
void lotor_lazy_world_actions(const lotor_lazy_world *lazy, lotor_lanes *lanes, const double *means,
                              double *columns);

#endif
