/* play.c - one run of a policy in a world: see play.h.
 *
 * Regret is expected regret: the mean reward of the best feasible set, minus that of the shown
 * arms. It depends only on what is shown. So for a stretch of rounds that repeats one cycle of
 * sets, the regret is a product, and Bernoulli rewards are one binomial draw per arm. Other rewards
 * are drawn one by one. Such a stretch is played in parts, so that progress can be reported and a
 * run can be stopped.
 */
#include "lab/play.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "policy/policy.h"
#include "world/bernoulli.h"

/* The state of one run. */
typedef struct player {
    const lotor_play *play;
    lotor_policy *policy;
    lotor_run_randomness streams;
    double *regrets; /* output: the regret at each time */
    size_t noted;    /* number of regrets written so far */
    uint64_t t;
    double regret;
    bool tallies; /* count which sets the last rounds show */
    lotor_tally tally;
    uint64_t reported;          /* rounds already reported as progress */
    uint64_t work;              /* work since the last report */
    const uint64_t *thresholds; /* of Bernoulli arms, for the fastest loop; or NULL */
    int64_t one;                /* a reward of 1, in units */
    double *sums;               /* per arm: the rewards from the world */
    int64_t *units;
    lotor_message *why;
} player;

static double round_regret(const player *run, const uint32_t *arms, size_t count)
{
    const double *means = run->play->trial->world->means;
    return run->play->optimum - lotor_policy_value(run->policy, means, arms, count);
}

/* Records the regret at every checkpoint up to t + rounds. The rounds repeat the cycle of
 * `stretch`. */
static void note_times(player *run, const lotor_stretch *stretch, uint64_t rounds,
                       double cycle_regret)
{
    const lotor_play *play = run->play;
    while (run->noted < play->time_count && play->times[run->noted] <= run->t + rounds) {
        const uint64_t into = play->times[run->noted] - run->t;
        const uint64_t cycles = into / stretch->cycle;
        double regret = run->regret + (double)cycles * cycle_regret;
        for (size_t i = 0; i < into % stretch->cycle; i++) {
            regret += round_regret(run, stretch->arms + i * stretch->count, stretch->count);
        }
        run->regrets[run->noted++] = regret;
    }
}

/* Draws the rewards of `repeats` cycles, in units, per arm. */
static void draw_rewards(player *run, const lotor_stretch *stretch, uint64_t repeats)
{
    const lotor_world *world = run->play->trial->world;
    const double per_unit = run->policy->coder.encoding.per_unit;
    const size_t count = stretch->asked_count;
    for (size_t i = 0; i < stretch->cycle; i++) {
        const uint32_t *arms = stretch->asked + i * count;
        int64_t *units = run->units + i * count;
        if (world->is_binary || repeats == 1) {
            world->draw(world, &run->streams.world, arms, count, repeats, run->sums);
            for (size_t j = 0; j < count; j++) {
                units[j] = llrint(run->sums[j] * per_unit);
            }
            continue;
        }
        memset(units, 0, count * sizeof *units);
        for (uint64_t k = 0; k < repeats; k++) {
            world->draw(world, &run->streams.world, arms, count, 1, run->sums);
            for (size_t j = 0; j < count; j++) {
                units[j] += llrint(run->sums[j] * per_unit);
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
    const lotor_world *world = run->play->trial->world;
    world->draw(world, &run->streams.world, arms, count, 1, run->sums);
    for (size_t i = 0; i < count; i++) {
        units[i] = llrint(run->sums[i] * run->policy->coder.encoding.per_unit);
    }
}

/* Reports the progress. Returns true if the run must stop. */
static bool report(player *run)
{
    const uint64_t news = run->t - run->reported;
    run->reported = run->t;
    run->work = 0;
    return run->play->report(run->play->context, news);
}

/* Reports the progress if it is time to do so. Returns true if the run must stop. */
static bool is_stopped(player *run)
{
    return run->work >= LOTOR_WORK_UNTIL_REPORT && report(run);
}

/* How many of the next `rounds` rounds belong to the counted end of the run. */
static uint64_t counted_of(const player *run, uint64_t rounds)
{
    const uint64_t horizon = run->play->params.horizon;
    const uint64_t before = horizon - lotor_last_rounds(horizon);
    const uint64_t end = run->t + rounds;
    if (!run->tallies || end <= before) {
        return 0;
    }
    return end - before < rounds ? end - before : rounds;
}

static void count_shown(player *run, const uint32_t *arms, size_t count, double regret,
                        uint64_t rounds)
{
    const bool has_seeds = run->policy->oracle->seeds > 0;
    const uint32_t *seeds = has_seeds ? lotor_index_seeds(run->policy->index) : NULL;
    if (lotor_tally_add(&run->tally, arms, count, seeds, rounds)) {
        run->tally.leader.value = run->play->optimum - regret;
    }
}

/* Plays the rest of a cycle that the horizon cuts short. Its feedback does not matter any more. */
static void play_last_cycle(player *run, const lotor_stretch *stretch)
{
    const uint64_t left = run->play->params.horizon - run->t;
    const uint64_t counted = counted_of(run, left);
    note_times(run, stretch, left, 0.0);
    for (size_t i = 0; i < left; i++) {
        const uint32_t *arms = stretch->arms + i * stretch->count;
        const double regret = round_regret(run, arms, stretch->count);
        run->regret += regret;
        if (left - i <= counted) {
            count_shown(run, arms, stretch->count, regret, 1);
        }
    }
    run->t += left;
}

/* Accounts for `repeats` cycles of a stretch. Call it before feeding them, which may change the
 * arms. */
static void advance(player *run, const lotor_stretch *stretch, uint64_t repeats)
{
    const size_t cycle = stretch->cycle, count = stretch->count;
    const uint64_t rounds = repeats * cycle;
    const uint64_t counted = counted_of(run, rounds);
    double cycle_regret = 0.0;
    for (size_t i = 0; i < cycle; i++) {
        const uint32_t *arms = stretch->arms + i * count;
        const double regret = round_regret(run, arms, count);
        cycle_regret += regret;
        if (counted > 0) {
            const uint64_t more = i >= cycle - counted % cycle ? 1 : 0; /* the partial cycle */
            count_shown(run, arms, count, regret, counted / cycle + more);
        }
    }
    note_times(run, stretch, rounds, cycle_regret);
    run->regret += (double)repeats * cycle_regret;
    run->t += rounds;
}

/* Plays on with the same arms while they stay the best of an index learner, round by round. */
static lotor_status run_ahead(player *run, const lotor_stretch *stretch, uint64_t left)
{
    const uint64_t most = left < LOTOR_WORK_UNTIL_REPORT ? left : LOTOR_WORK_UNTIL_REPORT;
    uint64_t rounds;
    const lotor_status status =
        lotor_policy_run_ahead(run->policy, stretch, most, pay, run, &rounds);
    advance(run, stretch, rounds);
    run->work += rounds * stretch->count;
    return status;
}

/* How many of the repeats to play now: all of them if one draw is enough, otherwise as many as fit
 * between two reports. The rest comes back as the next stretch. */
static uint64_t part_of(player *run, const lotor_stretch *stretch, uint64_t repeats)
{
    const uint64_t draws = stretch->cycle * stretch->asked_count; /* at most arms */
    if (run->play->trial->world->is_binary || !stretch->matters) {
        run->work += draws;
        return repeats;
    }
    const uint64_t most = draws < LOTOR_WORK_UNTIL_REPORT ? LOTOR_WORK_UNTIL_REPORT / draws : 1;
    const uint64_t part = repeats < most ? repeats : most;
    run->work += part * draws;
    return part;
}

static lotor_status play_stretch(player *run)
{
    lotor_stretch stretch;
    lotor_policy_stretch(run->policy, &stretch);
    if (stretch.count == 0) {
        return lotor_fail(LOTOR_INVALID, run->why,
                          "the oracle found nothing to show, or no set of at most %zu of the %zu "
                          "arms",
                          run->policy->params.slots, run->policy->params.arms);
    }
    run->work += run->play->params.arms;
    const uint64_t rest = run->play->params.horizon - run->t;
    const uint64_t left = stretch.cycle == 1 ? rest : rest / stretch.cycle;
    const uint64_t repeats = stretch.repeats < left ? stretch.repeats : left;
    if (repeats == 0) {
        play_last_cycle(run, &stretch);
        return LOTOR_OK;
    }
    if (stretch.runs_ahead) {
        return run_ahead(run, &stretch, left);
    }
    const uint64_t part = part_of(run, &stretch, repeats);
    advance(run, &stretch, part);
    if (!stretch.matters) {
        return LOTOR_OK;
    }
    draw_rewards(run, &stretch, part);
    return lotor_policy_feed(run->policy, &stretch, part, run->units);
}

static lotor_status play_stretches(player *run)
{
    while (run->t < run->play->params.horizon) {
        const lotor_status status = play_stretch(run);
        if (status != LOTOR_OK) {
            return status;
        }
        if (is_stopped(run)) {
            return LOTOR_STOPPED;
        }
    }
    return LOTOR_OK;
}

/* Draws the feedback of a person: the rewards of the asked arms, or a click. */
static lotor_feedback feedback_of(player *run, const lotor_decision *decision)
{
    const lotor_world *world = run->play->trial->world;
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

/* Plays every round through the public functions, without combining rounds. */
static lotor_status play_rounds(player *run)
{
    const lotor_play *play = run->play;
    while (run->t < play->params.horizon) {
        lotor_decision decision;
        lotor_status status = lotor_policy_choose(run->policy, NULL, run->why, &decision);
        if (status != LOTOR_OK) {
            return status;
        }
        const lotor_stretch stretch = {
            .arms = decision.arms, .count = decision.count, .cycle = 1, .repeats = 1};
        advance(run, &stretch, 1);
        const lotor_feedback feedback = feedback_of(run, &decision);
        status = lotor_policy_observe(run->policy, decision.event, &feedback, run->why);
        if (status == LOTOR_OK) {
            status = lotor_policy_expire(run->policy, decision.event, run->why);
        }
        if (status != LOTOR_OK) {
            return status;
        }
        run->work += play->params.arms;
        if (is_stopped(run)) {
            return LOTOR_STOPPED;
        }
    }
    return LOTOR_OK;
}

/* Makes the policy. Some papers start with one observation of every arm; then the world draws
 * it. */
static lotor_status make_policy(player *run, lotor_message *why)
{
    const lotor_world *world = run->play->trial->world;
    lotor_policy_params params = run->play->params;
    if (lotor_catalog_find(params.algorithm)->starts_exact) {
        for (uint32_t arm = 0; arm < world->arms; arm++) {
            world->draw(world, &run->streams.world, &arm, 1, 1, &run->sums[arm]);
        }
        params.first = run->sums;
    }
    const lotor_status status =
        lotor_policy_new_simulated(&params, run->play->noise_scale, &run->streams.noise,
                                   run->streams.choices, why, &run->policy);
    if (status == LOTOR_OK) {
        run->one = llrint(run->policy->coder.encoding.per_unit);
    }
    return status;
}

lotor_status lotor_play_run(const lotor_play *play, const lotor_run_randomness *streams,
                            double *regrets, lotor_run_totals *totals, lotor_favourite *favourite,
                            lotor_message *why)
{
    if (play->trial->linear) {
        return lotor_play_linear(play, streams, regrets, totals, why);
    }
    const size_t arms = play->params.arms;
    player run = {
        .play = play,
        .streams = *streams,
        .thresholds = lotor_bernoulli_thresholds(play->trial->world),
        .regrets = regrets,
        .tallies = favourite != NULL,
        .sums = calloc(arms, sizeof *run.sums),
        .units = calloc(arms, sizeof *run.units),
        .why = why,
    };
    lotor_status status = run.sums && run.units ? LOTOR_OK : LOTOR_MEMORY;
    if (status == LOTOR_OK) {
        status = make_policy(&run, why);
    }
    if (status == LOTOR_OK && favourite) {
        status = lotor_tally_start(&run.tally, arms, run.policy->oracle->seeds,
                                   lotor_last_rounds(play->params.horizon));
    }
    if (status == LOTOR_OK) {
        status = play->trial->exact_rounds ? play_rounds(&run) : play_stretches(&run);
    }
    if (status == LOTOR_OK) {
        (void)report(&run);
    }
    *totals = (lotor_run_totals){.paid = play->optimum * (double)play->params.horizon - run.regret};
    if (favourite) {
        lotor_tally_end(&run.tally, favourite);
    }
    lotor_policy_free(run.policy);
    free(run.sums);
    free(run.units);
    return status;
}
