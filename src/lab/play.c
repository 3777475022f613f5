/* play.c - one run of a policy in a world: see play.h.
 *
 * A stretch of rounds that repeats one cycle of sets is played at once: Bernoulli rewards are one
 * binomial draw per arm. Other rewards are drawn one by one. Such a stretch is played in parts, so
 * that progress can be reported and a run can be stopped.
 *
 * If feedback is delayed (delay.h), rounds wait in a queue until they are final. An algorithm that
 * records one arm a round still shows a list for many rounds: until the list ends, or until the
 * next release. Other algorithms play every round through the public functions.
 */
#include "lab/play.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "lab/delay.h"
#include "lab/expiry.h"
#include "lab/meter.h"
#include "policy/policy.h"
#include "world/bernoulli.h"

/* The state of one run. */
typedef struct player {
    const lotor_play *play;
    lotor_policy *policy;
    lotor_run_randomness streams;
    lotor_meter meter;
    lotor_delay_queue queue;
    lotor_losses losses;
    const lotor_world *world;   /* of the coming round */
    const uint64_t *thresholds; /* of Bernoulli arms, for the fastest loop; or NULL */
    int64_t one, missing;       /* a reward of 1, and the default reward, in units */
    double *sums;               /* per arm: the rewards from the world */
    int64_t *units;
    int64_t *single; /* per arm: the rewards of one round */
    lotor_message *why;
} player;

/* Looks which world the coming round is in. */
static inline void find_world(player *run)
{
    const lotor_world *world = lotor_meter_world(&run->meter);
    assert(world);
    if (world != run->world) {
        run->world = world;
        run->thresholds = run->losses.share > 0.0 ? NULL : lotor_bernoulli_thresholds(world);
    }
}

/* Draws the rewards of `count` arms that are shown together, in units: their sums over `rounds`
 * rounds, which is 1 unless rewards are binary. In a round without feedback the default counts for all
 * of them. */
static void draw_units(player *run, const uint32_t *arms, size_t count, uint64_t rounds,
                       int64_t *units)
{
    const lotor_world *world = run->world;
    const double per_unit = run->policy->coder.encoding.per_unit;
    const uint64_t lost = lotor_losses_draw(&run->losses, rounds);
    memset(run->sums, 0, count * sizeof *run->sums);
    if (rounds > lost) {
        world->draw(world, &run->streams.world, arms, count, rounds - lost, run->sums);
    }
    for (size_t i = 0; i < count; i++) {
        units[i] = llrint(run->sums[i] * per_unit) + (int64_t)lost * run->missing;
    }
}

/* Draws the rewards of `repeats` cycles, in units, per arm. */
static void draw_rewards(player *run, const lotor_stretch *stretch, uint64_t repeats)
{
    const size_t count = stretch->asked_count;
    for (size_t i = 0; i < stretch->cycle; i++) {
        const uint32_t *arms = stretch->asked + i * count;
        int64_t *units = run->units + i * count;
        if (run->world->is_binary || repeats == 1) {
            draw_units(run, arms, count, repeats, units);
            continue;
        }
        memset(units, 0, count * sizeof *units);
        for (uint64_t k = 0; k < repeats; k++) {
            draw_units(run, arms, count, 1, run->single);
            for (size_t j = 0; j < count; j++) {
                units[j] += run->single[j];
            }
        }
    }
}

static void pay(void *context, const uint32_t *arms, size_t count, int64_t *units)
{
    player *run = context;
    if (run->thresholds) {
        lotor_generator local = run->streams.world; /* a copy, to keep it in registers */
        for (size_t i = 0; i < count; i++) {
            const uint64_t bit = lotor_bernoulli_bit(&local, run->thresholds[arms[i]]);
            units[i] = (int64_t)bit * run->one;
        }
        run->streams.world = local;
        return;
    }
    draw_units(run, arms, count, 1, units);
}

static int64_t pay_sum(void *context, uint32_t arm, uint64_t rounds)
{
    player *run = context;
    const lotor_world *world = run->world;
    world->draw(world, &run->streams.world, &arm, 1, rounds, run->sums);
    return (int64_t)run->sums[0] * run->one;
}

/* Plays on with the same arms while they stay the best of an index learner. */
static lotor_status run_ahead(player *run, const lotor_stretch *stretch, uint64_t left)
{
    const uint64_t most = left < LOTOR_WORK_UNTIL_REPORT ? left : LOTOR_WORK_UNTIL_REPORT;
    const lotor_payer payer = {
        .pay = pay,
        .pay_sum = run->world->is_binary && run->losses.share == 0.0 ? pay_sum : NULL,
        .means = run->world->means,
        .context = run,
    };
    uint64_t rounds;
    const lotor_status status = lotor_policy_run_ahead(run->policy, stretch, most, &payer, &rounds);
    lotor_meter_add(&run->meter, stretch, rounds);
    run->meter.work += rounds * stretch->count;
    return status;
}

/* How many of the repeats to play now: all of them if one draw is enough, otherwise as many as fit
 * between two reports. The rest comes back as the next stretch. */
static uint64_t part_of(player *run, const lotor_stretch *stretch, uint64_t repeats)
{
    const uint64_t draws = stretch->cycle * stretch->asked_count; /* at most arms */
    if (run->world->is_binary || !stretch->matters) {
        run->meter.work += draws;
        return repeats;
    }
    const lotor_statistic_kind *kind = run->policy->algorithm->statistic;
    if (kind && kind->report == LOTOR_REPORT_BIT) { /* each reward is rounded by itself */
        run->meter.work += draws;
        return 1;
    }
    const uint64_t most = draws < LOTOR_WORK_UNTIL_REPORT ? LOTOR_WORK_UNTIL_REPORT / draws : 1;
    const uint64_t part = repeats < most ? repeats : most;
    run->meter.work += part * draws;
    return part;
}

/* The arms that the policy shows next. */
static lotor_status find_stretch(player *run, lotor_stretch *out)
{
    find_world(run);
    lotor_policy_stretch(run->policy, out);
    run->meter.work += run->play->params.arms;
    return out->count > 0 ? LOTOR_OK : lotor_policy_refuse_pick(run->policy, run->why);
}

static lotor_status play_stretch(player *run)
{
    lotor_stretch stretch;
    const lotor_status status = find_stretch(run, &stretch);
    if (status != LOTOR_OK) {
        return status;
    }
    const uint64_t rest = lotor_meter_left(&run->meter);
    const uint64_t left = stretch.cycle == 1 ? rest : rest / stretch.cycle;
    const uint64_t repeats = stretch.repeats < left ? stretch.repeats : left;
    if (repeats == 0) {
        /* the feedback of the last cycle does not matter any more */
        lotor_meter_add_part(&run->meter, &stretch, rest);
        return LOTOR_OK;
    }
    if (stretch.runs_ahead) {
        return run_ahead(run, &stretch, left);
    }
    const uint64_t part = part_of(run, &stretch, repeats);
    if (stretch.matters) {
        draw_rewards(run, &stretch, part);
    }
    lotor_meter_add(&run->meter, &stretch, part);
    if (!stretch.matters) {
        return LOTOR_OK;
    }
    return lotor_policy_feed(run->policy, &stretch, part, run->units);
}

/* Feeds the rounds that are final by now. */
static lotor_status feed_final(player *run)
{
    lotor_delayed_rounds delayed;
    lotor_status status = LOTOR_OK;
    while (status == LOTOR_OK && lotor_delay_queue_take(&run->queue, run->meter.t, &delayed)) {
        status = lotor_policy_feed_delayed(run->policy, delayed.arm, delayed.rounds, delayed.sum);
    }
    return status;
}

/* For how many rounds a stretch is shown before anything about it can change. */
static uint64_t delayed_part_of(player *run, const lotor_stretch *stretch)
{
    const uint64_t t = run->meter.t, left = lotor_meter_left(&run->meter);
    const uint64_t most = lotor_policy_releases_each(run->policy) ? 1 : stretch->repeats;
    const uint64_t end = lotor_delay_queue_next_end(&run->queue);
    uint64_t rounds = most < left ? most : left;
    rounds = rounds < end - t ? rounds : end - t;
    if (run->queue.delay->law != LOTOR_DELAY_FIXED) { /* every round draws its delay */
        rounds = rounds < LOTOR_WORK_UNTIL_REPORT ? rounds : LOTOR_WORK_UNTIL_REPORT;
        run->meter.work += rounds;
    }
    return part_of(run, stretch, rounds);
}

/* The same as play_stretch for an algorithm that records one arm a round, if feedback is delayed. */
static lotor_status play_delayed_stretch(player *run)
{
    lotor_stretch stretch;
    lotor_status status = feed_final(run);
    if (status == LOTOR_OK) {
        status = find_stretch(run, &stretch);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    assert(stretch.cycle == 1 && stretch.asked_count == 1 && stretch.matters);
    const uint64_t rounds = delayed_part_of(run, &stretch);
    lotor_delayed_rounds delayed = {.rounds = rounds, .arm = stretch.asked[0]};
    draw_rewards(run, &stretch, rounds);
    lotor_meter_add(&run->meter, &stretch, rounds);
    delayed.sum = run->units[0];
    delayed.ends_a_batch = lotor_policy_display(run->policy, rounds);
    return lotor_delay_queue_add(&run->queue, delayed);
}

static lotor_status play_stretches(player *run)
{
    const bool is_delayed = lotor_delay_is_on(run->queue.delay);
    while (run->meter.t < run->play->params.horizon) {
        const lotor_status status = is_delayed ? play_delayed_stretch(run) : play_stretch(run);
        if (status != LOTOR_OK) {
            return status;
        }
        if (lotor_meter_is_stopped(&run->meter)) {
            return LOTOR_STOPPED;
        }
    }
    return LOTOR_OK;
}

/* Draws the feedback of a person: the rewards of the asked arms, or a click. */
static lotor_feedback feedback_of(player *run, const lotor_decision *decision)
{
    const lotor_world *world = run->world;
    const bool clicks = run->policy->params.cascade;
    const uint32_t *arms = clicks ? decision->arms : decision->asked;
    const size_t count = clicks ? decision->count : decision->asked_count;
    world->draw(world, &run->streams.world, arms, count, 1, run->sums);
    lotor_feedback feedback = {run->sums, count, 0};
    if (clicks) {
        for (size_t i = 0; i < decision->count && feedback.click == 0; i++) {
            feedback.click = run->sums[i] > 0.0 ? i + 1 : 0;
        }
    }
    return feedback;
}

/* The arms that the policy shows next. If arms come and go, among the arms that there are, as the service
 * does it. */
static lotor_status choose(player *run, lotor_decision *out)
{
    const bool *eligible = run->play->pieces[run->meter.piece].eligible;
    return eligible ? lotor_policy_choose_among(run->policy, eligible, run->why, out)
                    : lotor_policy_choose(run->policy, NULL, run->why, out);
}

/* Plays every round through the public functions, without combining rounds. */
static lotor_status play_rounds(player *run)
{
    const lotor_play *play = run->play;
    while (run->meter.t < play->params.horizon) {
        lotor_decision decision;
        find_world(run);
        lotor_status status = choose(run, &decision);
        if (status != LOTOR_OK) {
            return status;
        }
        const lotor_stretch stretch = {
            .arms = decision.arms, .count = decision.count, .cycle = 1, .repeats = 1};
        const lotor_feedback feedback = feedback_of(run, &decision); /* also if it is lost below */
        lotor_meter_add(&run->meter, &stretch, 1);
        if (lotor_losses_draw(&run->losses, 1) == 0) {
            status = lotor_policy_observe(run->policy, decision.event, &feedback, run->why);
        }
        if (status == LOTOR_OK) {
            status = lotor_delay_queue_expire(&run->queue, run->policy, run->why);
        }
        if (status != LOTOR_OK) {
            return status;
        }
        run->meter.work += play->params.arms;
        if (lotor_meter_is_stopped(&run->meter)) {
            return LOTOR_STOPPED;
        }
    }
    return LOTOR_OK;
}

/* Makes the policy. Some papers start with one observation of every arm; then the world draws
 * it. */
static lotor_status make_policy(player *run, lotor_message *why)
{
    const lotor_world *world = run->world;
    lotor_policy_params params = run->play->params;
    if (lotor_policy_row(&params)->starts_exact) {
        for (uint32_t arm = 0; arm < world->arms; arm++) {
            world->draw(world, &run->streams.world, &arm, 1, 1, &run->sums[arm]);
        }
        params.first = run->sums;
    }
    const lotor_status status =
        lotor_policy_new_simulated(&params, run->play->noise_scale, &run->streams.noise,
                                   run->streams.choices, why, &run->policy);
    if (status == LOTOR_OK) {
        const double per_unit = run->policy->coder.encoding.per_unit;
        run->one = llrint(per_unit);
        run->missing = llrint(run->policy->params.default_reward * per_unit);
    }
    return status;
}

/* True if every round is played by itself. If arms come and go, it may not end with a stretch. A
 * change of the world can be inside a cycle of elimination. In a cascade, no feedback is not the
 * same as rewards of 0. */
static bool plays_each(const player *run)
{
    const bool records_one = lotor_policy_records_one(run->policy->algorithm);
    const bool is_delayed = lotor_delay_is_on(run->queue.delay);
    return run->play->trial->exact_rounds || run->play->pieces[0].eligible ||
           (is_delayed && !records_one) ||
           (run->losses.share > 0.0 && run->policy->params.cascade) ||
           (run->policy->elimination && run->play->piece_count > 1);
}

lotor_status lotor_play_run(const lotor_play *play, const lotor_run_randomness *streams,
                            const lotor_run_curve *curve, lotor_run_totals *totals,
                            lotor_favourite *favourite, lotor_message *why)
{
    if (play->trial->linear) {
        return lotor_play_linear(play, streams, curve, totals, why);
    }
    if (play->trial->own) {
        return play->trial->own->given.kind == LOTOR_OWN_UNBIASED
                   ? lotor_play_log(play, streams, curve, totals, why)
                   : lotor_play_own(play, streams, curve, totals, favourite, why);
    }
    const size_t arms = play->params.arms;
    player run = {
        .play = play,
        .streams = *streams,
        .meter = {.play = play, .curve = curve, .tallies = favourite != NULL},
        .queue = lotor_delay_queue_of(&play->trial->delay, play->params.horizon, streams->choices),
        .losses = lotor_losses_of(play->trial->lost, streams->choices),
        .sums = calloc(arms, sizeof *run.sums),
        .units = calloc(arms, sizeof *run.units),
        .single = calloc(arms, sizeof *run.single),
        .why = why,
    };
    lotor_status status = run.sums && run.units && run.single ? LOTOR_OK : LOTOR_MEMORY;
    find_world(&run);
    if (status == LOTOR_OK) {
        status = make_policy(&run, why);
    }
    run.meter.policy = run.policy;
    if (status == LOTOR_OK && favourite) {
        status = lotor_tally_start(&run.meter.tally, arms, run.policy->oracle->seeds,
                                   lotor_last_rounds(play->params.horizon));
    }
    if (status == LOTOR_OK) {
        lotor_policy_allow_skips(run.policy, play->dips);
        status = plays_each(&run) ? play_rounds(&run) : play_stretches(&run);
    }
    if (status == LOTOR_OK) {
        (void)lotor_meter_report(&run.meter);
    }
    *totals = (lotor_run_totals){.paid = lotor_meter_best(play) - run.meter.regret};
    if (favourite) {
        lotor_tally_end(&run.meter.tally, favourite);
    }
    lotor_policy_free(run.policy);
    lotor_delay_queue_free(&run.queue);
    free(run.sums);
    free(run.units);
    free(run.single);
    return status;
}
