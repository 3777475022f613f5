/* play_lazy.c - plays one run in a linear world with a gap, and draws only actions that can be
 * chosen.
 *
 * A round goes like this:
 *
 *  1. Draw the best action, whose mean is known, and compute its index.
 *  2. A cap (ellipsoid.h) bounds the index of all other actions by a function of their means. So
 *     only means in some interval can have an index that is at least as high.
 *  3. Draw how many of the other actions have a mean there (linear_lazy.h); mostly there is none.
 *  4. Draw these, and compute their indices. Show the action with the highest index.
 *
 * The chosen action has the same law as if all actions had been drawn. Where an action is in the
 * list does not matter for its index, so the place of the best action is not drawn.
 *
 * Without noise the sums are kept as doubles, and not rounded to the units of the private matrix.
 * With noise, each round is fed to the policy, and its noisy sums are read from the board.
 */
#include <math.h>

#include "lab/delay.h"
#include "lab/play.h"
#include "learn/ellipsoid.h"
#include "policy/policy.h"
#include "world/linear_lazy.h"

enum { ROUNDS_UNTIL_REPORT = 1 << 14 };

typedef struct player {
    lotor_policy *policy; /* NULL if there is no noise */
    lotor_ellipsoid *ellipsoid;
    lotor_generator *generator;
    lotor_lanes lanes;
    lotor_lazy_world world;
    double shown[LOTOR_LAZY_MOST + 1]; /* the action of a round, and its reward */
    double mean;                       /* of the shown action */
    uint64_t indefinite;
} player;

bool lotor_play_is_lazy(const lotor_play *play, const lotor_policy *policy)
{
    lotor_linear_bounds bounds;
    bool is_plain;
    (void)lotor_linear_params_of(policy->linear, &bounds, &is_plain);
    return is_plain && lotor_lazy_world_fits(play->trial->linear) &&
           !lotor_delay_is_on(&play->trial->delay) && play->trial->lost == 0.0 &&
           !play->trial->exact_rounds;
}

/* V is not positive definite: all actions have the same length, so the first one is shown, which is
 * as likely to be the best as any other. */
static void show_any(player *run)
{
    const lotor_lazy_bins all = {0, LOTOR_LAZY_BINS};
    const double place = lotor_random_uniform(run->generator) * (double)(run->world.others + 1);
    run->mean = LOTOR_LINEAR_BEST_MEAN;
    if (place >= 1) {
        lotor_lazy_world_means(&run->world, run->generator, all, 1, &run->mean);
    }
    lotor_lazy_world_action(&run->world, run->generator, run->mean, run->shown);
    run->indefinite++;
}

/* Draws actions with these means, and shows the one with the highest index above *highest. */
static void compare(player *run, const double *means, size_t count, double *highest)
{
    double columns[LOTOR_LAZY_MOST * LOTOR_LANES], indices[LOTOR_LANES];
    lotor_lazy_world_actions(&run->world, &run->lanes, means, columns);
    lotor_ellipsoid_indices(run->ellipsoid, run->lanes.wide, columns, indices);
    for (size_t k = 0; k < count; k++) {
        if (indices[k] > *highest) {
            *highest = indices[k];
            run->mean = means[k];
            for (size_t i = 0; i < run->world.dimension; i++) {
                run->shown[i] = columns[i * LOTOR_LANES + k];
            }
        }
    }
}

/* Draws the other actions that could have a higher index than the best one, and compares them. */
static void show_highest(player *run)
{
    const lotor_lazy_world *world = &run->world;
    run->mean = LOTOR_LINEAR_BEST_MEAN;
    lotor_lazy_world_action(world, run->generator, run->mean, run->shown);
    double square, low, high;
    double highest = lotor_ellipsoid_index(run->ellipsoid, run->shown, &square);
    lotor_ellipsoid_cap(run->ellipsoid, world->theta, highest, square, LOTOR_LINEAR_LOWEST_MEAN,
                        world->highest, &low, &high);
    const lotor_lazy_bins bins = lotor_lazy_world_bins(world, low, high);
    if (bins.first == bins.last) {
        return;
    }
    uint64_t left = lotor_lazy_world_count(world, run->generator, bins);
    while (left > 0) {
        const size_t now = left < LOTOR_LANES ? (size_t)left : LOTOR_LANES;
        double means[LOTOR_LANES] = {0}; /* the lanes that are not needed draw actions of mean 0 */
        lotor_lazy_world_means(world, run->generator, bins, now, means);
        compare(run, means, now, &highest);
        left -= now;
    }
}

static lotor_status play_round(player *run)
{
    if (run->ellipsoid->definite) {
        show_highest(run);
    } else {
        show_any(run);
    }
    const double reward = lotor_linear_world_reward(run->generator, run->mean);
    if (!run->policy) {
        lotor_ellipsoid_add(run->ellipsoid, run->shown, reward);
        return LOTOR_OK;
    }
    run->shown[run->world.dimension] = reward;
    const lotor_status status = lotor_policy_feed_numbers(run->policy, run->shown);
    lotor_ellipsoid_read(run->ellipsoid, run->policy->board);
    return status;
}

static lotor_status play_rounds(const lotor_play *play, player *run, const lotor_run_curve *curve,
                                double *paid)
{
    const uint64_t horizon = play->params.horizon;
    double regret = 0;
    size_t noted = 0;
    uint64_t reported = 0;
    for (uint64_t t = 1; t <= horizon; t++) {
        const lotor_status status = play_round(run);
        if (status != LOTOR_OK) {
            return status;
        }
        regret += LOTOR_LINEAR_BEST_MEAN - run->mean;
        *paid += run->mean;
        if (t == play->times[noted]) {
            curve->regrets[noted] = regret;
            curve->rewards[noted++] = *paid;
        }
        if (t - reported >= ROUNDS_UNTIL_REPORT || t == horizon) {
            const bool stop = play->report(play->context, t - reported);
            reported = t;
            if (stop && t < horizon) {
                return LOTOR_STOPPED;
            }
        }
    }
    return LOTOR_OK;
}

lotor_status lotor_play_lazy(const lotor_play *play, lotor_policy *policy,
                             lotor_run_randomness *streams, const lotor_run_curve *curve,
                             lotor_run_totals *totals, lotor_message *why)
{
    (void)why;
    lotor_linear_bounds bounds;
    bool is_plain;
    const lotor_linear_params *params = lotor_linear_params_of(policy->linear, &bounds, &is_plain);
    const bool has_noise = params->gaussian > 0 || params->degrees > 0;
    player run = {.policy = has_noise ? policy : NULL, .generator = &streams->world};
    lotor_status status = lotor_ellipsoid_new(policy->linear, &run.ellipsoid);
    if (status == LOTOR_OK) {
        double theta[LOTOR_LAZY_MOST];
        lotor_linear_world_theta(play->trial->linear, run.generator, theta);
        lotor_lazy_world_make(play->trial->linear, theta, &run.world);
        lotor_lanes_seed(&run.lanes, run.generator);
        if (has_noise) {
            lotor_ellipsoid_read(run.ellipsoid, policy->board);
        }
        double paid = 0;
        status = play_rounds(play, &run, curve, &paid);
        *totals = (lotor_run_totals){.paid = paid, .indefinite = run.indefinite};
    }
    lotor_ellipsoid_free(run.ellipsoid);
    return status;
}
