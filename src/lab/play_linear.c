/* play_linear.c - plays one run in a world with contexts. Every round has new actions, so no rounds
 * can be combined: each goes through the public functions. Many settings need not all of this; they
 * are played by play_lazy.c and play_groups.c. */
#include <math.h>
#include <stdlib.h>

#include "lab/delay.h"
#include "lab/expiry.h"
#include "lab/play.h"
#include "policy/policy.h"

typedef struct player {
    const lotor_play *play;
    lotor_policy *policy;
    lotor_run_randomness streams;
    lotor_delay_queue queue;
    lotor_losses losses;
    double *theta, *actions, *means;
    double regret, paid;
    lotor_message *why;
} player;

static lotor_status play_round(player *run)
{
    const lotor_linear_world *world = run->play->trial->linear;
    const double best =
        lotor_linear_world_round(world, run->theta, &run->streams.world, run->actions, run->means);
    lotor_decision decision;
    lotor_status status = lotor_policy_choose(run->policy, run->actions, run->why, &decision);
    if (status != LOTOR_OK) {
        return status;
    }
    const double mean = run->means[decision.arms[0]];
    run->regret += best - mean;
    run->paid += mean;
    const double reward = lotor_linear_world_reward(&run->streams.world, mean);
    const lotor_feedback feedback = {&reward, 1, 0};
    if (lotor_losses_draw(&run->losses, 1) == 0) {
        status = lotor_policy_observe(run->policy, decision.event, &feedback, run->why);
    }
    return status == LOTOR_OK ? lotor_delay_queue_expire(&run->queue, run->policy, run->why)
                              : status;
}

static lotor_status play_rounds(player *run, const lotor_run_curve *curve)
{
    const lotor_play *play = run->play;
    const uint64_t work = play->params.arms * play->params.dimension;
    const uint64_t often = LOTOR_WORK_UNTIL_REPORT / work + 1;
    size_t noted = 0;
    uint64_t reported = 0;
    for (uint64_t t = 1; t <= play->params.horizon; t++) {
        const lotor_status status = play_round(run);
        if (status != LOTOR_OK) {
            return status;
        }
        if (t == play->times[noted]) {
            curve->regrets[noted] = run->regret;
            curve->rewards[noted++] = run->paid;
        }
        if (t - reported >= often || t == play->params.horizon) {
            const bool stop = play->report(play->context, t - reported);
            reported = t;
            if (stop && t < play->params.horizon) {
                return LOTOR_STOPPED;
            }
        }
    }
    return LOTOR_OK;
}

lotor_status lotor_play_linear(const lotor_play *play, const lotor_run_randomness *streams,
                               const lotor_run_curve *curve, lotor_run_totals *totals,
                               lotor_message *why)
{
    const lotor_linear_world *world = play->trial->linear;
    player run = {
        .play = play,
        .streams = *streams,
        .queue = lotor_delay_queue_of(&play->trial->delay, play->params.horizon, streams->choices),
        .losses = lotor_losses_of(play->trial->lost, streams->choices),
        .theta = calloc(world->dimension, sizeof *run.theta),
        .actions = calloc(world->actions * world->dimension, sizeof *run.actions),
        .means = calloc(world->actions, sizeof *run.means),
        .why = why,
    };
    lotor_status status = run.theta && run.actions && run.means ? LOTOR_OK : LOTOR_MEMORY;
    if (status == LOTOR_OK) {
        status = lotor_policy_new_simulated(&play->params, play->noise_scale, &run.streams.noise,
                                            run.streams.choices, why, &run.policy);
    }
    if (status == LOTOR_OK && lotor_play_is_lazy(play, run.policy)) {
        status = lotor_play_lazy(play, run.policy, &run.streams, curve, totals, why);
    } else if (status == LOTOR_OK && lotor_play_has_groups(play, run.policy)) {
        status = lotor_play_groups(play, run.policy, &run.streams, curve, totals, why);
    } else if (status == LOTOR_OK) {
        lotor_linear_world_theta(world, &run.streams.world, run.theta);
        status = play_rounds(&run, curve);
        *totals = (lotor_run_totals){.paid = run.paid,
                                     .indefinite = lotor_linear_indefinite(run.policy->linear)};
    }
    lotor_policy_free(run.policy);
    lotor_delay_queue_free(&run.queue);
    free(run.theta);
    free(run.actions);
    free(run.means);
    return status;
}
