/* play_linear.c - plays one run in a world with contexts. Every round has new actions, so no rounds
 * can be combined: each goes through the public functions. */
#include <math.h>
#include <stdlib.h>

#include "lab/play.h"
#include "policy/policy.h"

typedef struct player {
    const lotor_play *play;
    lotor_policy *policy;
    lotor_run_randomness streams;
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
    status = lotor_policy_observe(run->policy, decision.event, &feedback, run->why);
    return status == LOTOR_OK ? lotor_policy_expire(run->policy, decision.event, run->why) : status;
}

static lotor_status play_rounds(player *run, double *regrets)
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
            regrets[noted++] = run->regret;
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
                               double *regrets, lotor_run_totals *totals, lotor_message *why)
{
    const lotor_linear_world *world = play->trial->linear;
    player run = {
        .play = play,
        .streams = *streams,
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
    if (status == LOTOR_OK) {
        lotor_linear_world_theta(world, &run.streams.world, run.theta);
        status = play_rounds(&run, regrets);
        *totals = (lotor_run_totals){run.paid, lotor_linear_indefinite(run.policy->linear)};
    }
    lotor_policy_free(run.policy);
    free(run.theta);
    free(run.actions);
    free(run.means);
    return status;
}
