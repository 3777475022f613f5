/* play_log.c - unbiased replay of a log (Li, Chu, Langford and Wang 2011, Algorithm 2).
 *
 * The policy chooses an arm. Events of the log are skipped until one has that arm; this event is
 * accepted, and the policy gets its reward:
 *
 *      log       0:1   2:0   1:1   0:0   2:1       arm:reward
 *      choice     2     2     0     0     1        the policy learns from the second and the fourth
 *      accepted         x           x
 *
 * If every arm was logged with the same probability, whatever happened before, an event is accepted
 * with that probability whichever arm the policy chooses. So the accepted events have the law of
 * events that the policy would have seen itself (the paper's Theorem 1). If the log has propensities
 * p, an event is first kept with probability p_min/p. The kept events are logged uniformly: an arm is
 * logged and kept with probability p * p_min/p = p_min.
 *
 * A choice that meets no event costs nothing: the policy makes it again for the next event. A
 * contextual policy makes it for the context of that event.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/random/laws.h"
#include "lab/play.h"
#include "learn/linear.h"
#include "policy/policy.h"

typedef struct player {
    const lotor_play *play;
    const lotor_own *own;
    const lotor_run_curve *curve;
    size_t noted; /* checkpoints so far */
    lotor_policy *policy;
    lotor_run_randomness streams;
    double smallest;     /* propensity */
    size_t event;        /* the next one */
    uint64_t t;          /* accepted so far */
    double mean, spread; /* of the accepted rewards; the sum of squared differences from the mean */
    double *numbers;     /* an action and, after it, its reward */
    uint64_t reported, looked_at;
    lotor_message *why;
} player;

/* True if an event is kept. Each event draws a number, so that all policies keep the same ones. */
static bool is_kept(player *run, size_t event)
{
    const double *propensities = run->own->log.propensities;
    return !propensities ||
           lotor_random_uniform(&run->streams.world) * propensities[event] < run->smallest;
}

/* Writes the next checkpoint: what the accepted events paid so far. */
static void note_point(player *run, double reward)
{
    const size_t arms = run->play->params.arms;
    run->curve->regrets[run->noted] = NAN;
    run->curve->rewards[run->noted] = reward;
    if (run->curve->shown_at) {
        assert(run->curve->shown);
        memcpy(run->curve->shown_at + run->noted * arms, run->curve->shown,
               arms * sizeof *run->curve->shown);
    }
    run->noted++;
}

static void note_reward(player *run, uint32_t arm, double reward)
{
    run->t++;
    const double off = reward - run->mean;
    run->mean += off / (double)run->t;
    run->spread += off * (reward - run->mean);
    if (run->curve->shown) {
        run->curve->shown[arm]++;
    }
    if (run->t == run->play->times[run->noted]) {
        note_point(run, run->mean * (double)run->t);
    }
}

/* Reports the progress from time to time. True: stop. */
static bool is_stopped(player *run, uint64_t work)
{
    run->looked_at += work;
    if (run->looked_at < LOTOR_WORK_UNTIL_REPORT) {
        return false;
    }
    const uint64_t news = run->t - run->reported;
    run->looked_at = 0;
    run->reported = run->t;
    return run->play->report(run->play->context, news);
}

/* Goes to the next event that is kept and has this arm. False at the end of the log. */
static bool find_event(player *run, uint32_t arm, size_t *found)
{
    const lotor_log *log = &run->own->log;
    while (run->event < log->count) {
        const size_t event = run->event++;
        if (is_kept(run, event) && log->arms[event] == arm) {
            *found = event;
            return true;
        }
    }
    return false;
}

static lotor_status play_arms(player *run)
{
    while (run->t < run->play->params.horizon) {
        lotor_decision decision;
        lotor_status status = lotor_policy_choose(run->policy, NULL, run->why, &decision);
        if (status != LOTOR_OK) {
            return status;
        }
        const size_t before = run->event;
        size_t event;
        if (!find_event(run, decision.arms[0], &event)) {
            return LOTOR_OK;
        }
        const double reward = run->own->log.rewards[event];
        const lotor_feedback feedback = {&reward, 1, 0};
        status = lotor_policy_observe(run->policy, decision.event, &feedback, run->why);
        if (status == LOTOR_OK) {
            status = lotor_policy_expire(run->policy, decision.event, run->why);
        }
        if (status != LOTOR_OK) {
            return status;
        }
        note_reward(run, run->own->log.arms[event], reward);
        if (is_stopped(run, run->play->params.arms + (run->event - before))) {
            return LOTOR_STOPPED;
        }
    }
    return LOTOR_OK;
}

static lotor_status check_actions(const player *run, const double *actions, size_t event)
{
    const lotor_policy_params *params = &run->play->params;
    for (size_t arm = 0; arm < params->arms; arm++) {
        if (!lotor_policy_is_short(run->policy, actions + arm * params->dimension)) {
            return lotor_fail(LOTOR_RANGE, run->why,
                              "own world: action %zu of event %zu of the log (both from 0) is "
                              "longer than 1, or not made of numbers: scale the actions down, all "
                              "alike",
                              arm, event);
        }
    }
    return LOTOR_OK;
}

/* The same for a contextual linear policy, which chooses among the actions of each event. */
static lotor_status play_actions(player *run)
{
    const lotor_policy_params *params = &run->play->params;
    const lotor_log *log = &run->own->log;
    lotor_policy *policy = run->policy;
    for (; run->event < log->count && run->t < params->horizon; run->event++) {
        const size_t event = run->event;
        if (!is_kept(run, event)) {
            continue;
        }
        const double *actions =
            run->own->given.logged_actions + event * params->arms * params->dimension;
        lotor_status status = check_actions(run, actions, event);
        if (status != LOTOR_OK) {
            return status;
        }
        lotor_linear_begin(policy->linear, policy->asked + 1, policy->seed);
        const uint32_t arm = lotor_linear_choose(policy->linear, policy->board, actions);
        if (arm == log->arms[event]) {
            memcpy(run->numbers, actions + arm * params->dimension,
                   params->dimension * sizeof *actions);
            run->numbers[params->dimension] = log->rewards[event];
            status = lotor_policy_feed_numbers(policy, run->numbers);
            if (status != LOTOR_OK) {
                return status;
            }
            note_reward(run, arm, log->rewards[event]);
        }
        if (is_stopped(run, params->arms * params->dimension)) {
            return LOTOR_STOPPED;
        }
    }
    return LOTOR_OK;
}

static lotor_status finish(player *run, lotor_run_totals *totals)
{
    if (run->t == 0) {
        return lotor_fail(LOTOR_INVALID, run->why,
                          "unbiased replay accepted none of the %zu events: the log is too short",
                          run->own->log.count);
    }
    while (run->noted < run->play->time_count) { /* the log ended before the horizon */
        note_point(run, NAN);
    }
    const double n = (double)run->t;
    *totals = (lotor_run_totals){
        .paid = run->mean * n,
        .best = NAN,
        .accepted = run->t,
        .paid_error = run->t > 1 ? sqrt(run->spread / (n - 1.0) / n) : (double)NAN,
        .indefinite = run->policy->linear ? lotor_linear_indefinite(run->policy->linear) : 0,
    };
    (void)run->play->report(run->play->context, run->play->params.horizon - run->reported);
    return LOTOR_OK;
}

lotor_status lotor_play_log(const lotor_play *play, const lotor_run_randomness *streams,
                            const lotor_run_curve *curve, lotor_run_totals *totals,
                            lotor_message *why)
{
    player run = {
        .play = play,
        .own = play->trial->own,
        .curve = curve,
        .streams = *streams,
        .smallest = 1.0,
        .numbers = calloc(play->params.dimension + 1, sizeof *run.numbers),
        .why = why,
    };
    for (size_t i = 0; run.own->log.propensities && i < run.own->log.count; i++) {
        run.smallest = fmin(run.smallest, run.own->log.propensities[i]);
    }
    lotor_status status = run.numbers ? LOTOR_OK : LOTOR_MEMORY;
    if (status == LOTOR_OK) {
        status = lotor_policy_new_simulated(&play->params, play->noise_scale, &run.streams.noise,
                                            run.streams.choices, why, &run.policy);
    }
    if (status == LOTOR_OK) {
        status = run.policy->linear ? play_actions(&run) : play_arms(&run);
    }
    if (status == LOTOR_OK) {
        status = finish(&run, totals);
    }
    lotor_policy_free(run.policy);
    free(run.numbers);
    return status;
}
