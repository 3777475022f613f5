/* play_own.c - plays one run in a world that the caller describes round by round (world/own.h). Any
 * round may differ from the one before, so no rounds can be combined: each goes through the public
 * functions.
 *
 * Regret is measured as in other worlds (meter.h), with a single piece whose means and optimum
 * change in every round. If the means are not known, both are NaN, and the rewards that were paid
 * are reported alone.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "lab/delay.h"
#include "lab/expiry.h"
#include "lab/meter.h"
#include "lab/play.h"
#include "policy/policy.h"

typedef struct player {
    lotor_play play; /* of this run: its piece is the one below */
    lotor_play_piece piece;
    lotor_world world; /* only its means are read: those of the current round */
    lotor_policy *policy;
    lotor_run_randomness streams;
    lotor_own_run own;
    lotor_meter meter;
    lotor_delay_queue queue;
    lotor_losses losses;
    lotor_referee *referee;  /* NULL: one arm is shown, or the best set is known */
    double *rewards, *asked; /* of the shown arms, and of the arms that are fed */
    double best, paid;
    lotor_message *why;
} player;

/* The reward of the best decision of the current round. */
static double find_best(const player *run)
{
    const double *means = run->own.means;
    double best = 0.0;
    if (run->play.best) { /* in hindsight: the same set in every round */
        for (size_t i = 0; i < run->play.best_count; i++) {
            best += means[run->play.best[i]];
        }
        return best;
    }
    if (run->referee) {
        return lotor_referee_measure(run->referee, means, NULL).per_round;
    }
    best = means[0];
    for (size_t arm = 1; arm < run->world.arms; arm++) {
        best = means[arm] > best ? means[arm] : best;
    }
    return best;
}

/* Measures the current round. */
static void measure(player *run, const lotor_decision *decision)
{
    const bool knows_means = run->play.trial->own->knows_means;
    const lotor_stretch stretch = {
        .arms = decision->arms, .count = decision->count, .cycle = 1, .repeats = 1};
    const size_t noted = run->meter.noted;
    run->piece.first = run->meter.t;
    run->piece.optimum = knows_means ? find_best(run) : (double)NAN;
    run->meter.best = run->best; /* of all earlier rounds */
    run->best += run->piece.optimum;
    for (size_t i = 0; i < decision->count; i++) {
        run->paid += run->rewards[i];
    }
    lotor_meter_add(&run->meter, &stretch, 1);
    for (size_t i = noted; i < run->meter.noted && !knows_means; i++) {
        run->meter.curve->rewards[i] = run->paid;
    }
}

/* Feeds the rewards of the asked arms, which are among the shown ones. */
static lotor_status observe(player *run, const lotor_decision *decision)
{
    for (size_t i = 0; i < decision->asked_count; i++) {
        size_t j = 0;
        while (decision->arms[j] != decision->asked[i]) {
            j++;
            assert(j < decision->count);
        }
        run->asked[i] = run->rewards[j];
    }
    const lotor_feedback feedback = {run->asked, decision->asked_count, 0};
    lotor_status status = LOTOR_OK;
    if (lotor_losses_draw(&run->losses, 1) == 0) {
        status = lotor_policy_observe(run->policy, decision->event, &feedback, run->why);
    }
    return status == LOTOR_OK ? lotor_delay_queue_expire(&run->queue, run->policy, run->why)
                              : status;
}

static lotor_status play_round(player *run)
{
    lotor_status status = lotor_own_next(&run->own, run->why);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_decision decision;
    lotor_message reason;
    status = lotor_policy_choose(run->policy, run->policy->linear ? run->own.actions : NULL,
                                 &reason, &decision);
    if (status != LOTOR_OK) {
        return lotor_fail(status, run->why, "own world: in round %llu of run %llu, %.300s",
                          (unsigned long long)run->own.round.t,
                          (unsigned long long)run->own.round.run, reason.text);
    }
    status = lotor_own_pay(&run->own, decision.arms, decision.count, run->rewards, run->why);
    if (status != LOTOR_OK) {
        return status;
    }
    measure(run, &decision);
    return observe(run, &decision);
}

static lotor_status play_rounds(player *run)
{
    const size_t dimension = run->policy->linear ? run->play.params.dimension : 1;
    while (run->meter.t < run->play.params.horizon) {
        const lotor_status status = play_round(run);
        if (status != LOTOR_OK) {
            return status;
        }
        run->meter.work += run->play.params.arms * dimension;
        if (lotor_meter_is_stopped(&run->meter)) {
            return LOTOR_STOPPED;
        }
    }
    (void)lotor_meter_report(&run->meter);
    return LOTOR_OK;
}

static lotor_status prepare(player *run, lotor_favourite *favourite)
{
    const lotor_play *play = &run->play;
    const size_t arms = play->params.arms;
    run->rewards = calloc(arms, sizeof *run->rewards);
    run->asked = calloc(arms, sizeof *run->asked);
    if (!run->rewards || !run->asked) {
        return LOTOR_MEMORY;
    }
    lotor_status status = lotor_own_start(play->trial->own, run->streams.run, &run->streams.world,
                                          run->why, &run->own);
    if (status == LOTOR_OK) {
        run->world = (lotor_world){.id = "own", .arms = arms, .means = run->own.means};
        status = lotor_policy_new_simulated(&play->params, play->noise_scale, &run->streams.noise,
                                            run->streams.choices, run->why, &run->policy);
    }
    const bool shows_one = status == LOTOR_OK &&
                           (run->policy->linear ||
                            (run->policy->oracle->takes_first && run->policy->oracle->slots == 1));
    if (status == LOTOR_OK && !shows_one && !play->best && play->trial->own->knows_means) {
        status = lotor_referee_new(&play->params, run->why, &run->referee);
    }
    if (status == LOTOR_OK && favourite && !run->policy->linear) {
        run->meter.tallies = true;
        status = lotor_tally_start(&run->meter.tally, arms, run->policy->oracle->seeds,
                                   lotor_last_rounds(play->params.horizon));
    }
    return status;
}

lotor_status lotor_play_own(const lotor_play *play, const lotor_run_randomness *streams,
                            const lotor_run_curve *curve, lotor_run_totals *totals,
                            lotor_favourite *favourite, lotor_message *why)
{
    player run = {
        .play = *play,
        .streams = *streams,
        .queue = lotor_delay_queue_of(&play->trial->delay, play->params.horizon, streams->choices),
        .losses = lotor_losses_of(play->trial->lost, streams->choices),
        .why = why,
    };
    run.piece.world = &run.world;
    run.play.pieces = &run.piece;
    run.play.piece_count = 1;
    run.meter = (lotor_meter){.play = &run.play, .curve = curve};
    lotor_status status = prepare(&run, favourite);
    run.meter.policy = run.policy;
    if (status == LOTOR_OK) {
        status = play_rounds(&run);
    }
    const bool knows_means = play->trial->own->knows_means;
    *totals = (lotor_run_totals){
        .paid = knows_means ? run.best - run.meter.regret : run.paid,
        .best = run.best,
        .indefinite =
            run.policy && run.policy->linear ? lotor_linear_indefinite(run.policy->linear) : 0,
    };
    if (favourite) {
        lotor_tally_end(&run.meter.tally, favourite);
    }
    lotor_own_run_clear(&run.own);
    lotor_referee_free(run.referee);
    lotor_policy_free(run.policy);
    lotor_delay_queue_free(&run.queue);
    free(run.rewards);
    free(run.asked);
    return status;
}
