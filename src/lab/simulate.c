/* simulate.c - see simulate.h.
 *
 * A run is a policy with simulated noise in a world, both on random streams of their own (2^128
 * words apart, by the number of the run), so a run gives the same numbers whichever thread plays it.
 * Regret is expected regret: what the best feasible set pays on average, less what the shown arms
 * pay on average. It depends on what is shown alone, so inside a stretch that shows the same cycle
 * again and again it is a product, and the rewards are one binomial draw per arm.
 */
#include "lab/simulate.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "base/random/laws.h"
#include "lab/checkpoints.h"
#include "policy/policy.h"
#include "world/bernoulli.h"

typedef struct streams {
    lotor_simulation world, noise;
    uint64_t choices;
} streams;

/* What all runs share. */
typedef struct laboratory {
    const lotor_trial *trial;
    lotor_policy_params params;
    double optimum;
    const uint64_t *times;
    size_t time_count;
    streams *streams;    /* per run */
    double *regrets;     /* runs x time_count */
    unsigned char *done; /* per run */
    atomic_uint_fast64_t next_run;
    atomic_uint_fast64_t rounds; /* played so far, for progress */
    atomic_bool stop;
    atomic_int status; /* the first failure */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t working; /* threads that have not finished */
} laboratory;

/* One run's place. */
typedef struct player {
    laboratory *lab;
    lotor_policy *policy;
    streams streams;
    double *regrets; /* to fill, one per time */
    size_t noted;    /* how many are filled */
    uint64_t t;
    double regret;
    uint64_t reported;          /* rounds already added to lab->rounds */
    const uint64_t *thresholds; /* of Bernoulli arms, for the hottest loop; or NULL */
    double *sums;               /* arms, as the world pays them */
    int64_t *units;
} player;

static double round_regret(const laboratory *lab, const uint32_t *arms, size_t count)
{
    double paid = 0.0;
    for (size_t i = 0; i < count; i++) {
        paid += lab->trial->world->means[arms[i]];
    }
    return lab->optimum - paid;
}

/* Notes the regret at every time up to t + rounds, where `rounds` cycle through `stretch`. */
static void note_times(player *run, const lotor_stretch *stretch, uint64_t rounds,
                       double cycle_regret)
{
    const laboratory *lab = run->lab;
    while (run->noted < lab->time_count && lab->times[run->noted] <= run->t + rounds) {
        const uint64_t into = lab->times[run->noted] - run->t;
        double regret = run->regret + (double)(into / stretch->cycle) * cycle_regret;
        for (size_t i = 0; i < into % stretch->cycle; i++) {
            regret += round_regret(lab, stretch->arms + i * stretch->count, stretch->count);
        }
        run->regrets[run->noted++] = regret;
    }
}

/* Draws what `repeats` cycles pay, in units, arm by arm. */
static void draw_rewards(player *run, const lotor_stretch *stretch, uint64_t repeats)
{
    const lotor_world *world = run->lab->trial->world;
    const double per_unit = run->policy->encoding.per_unit;
    const size_t count = stretch->count;
    for (size_t i = 0; i < stretch->cycle; i++) {
        const uint32_t *arms = stretch->arms + i * count;
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

static int64_t pay(void *context, uint32_t arm)
{
    player *run = context;
    const lotor_world *world = run->lab->trial->world;
    double reward;
    if (run->thresholds) {
        reward = lotor_bernoulli_reward(&run->streams.world, run->thresholds[arm]);
        return llrint(reward * run->policy->encoding.per_unit);
    }
    world->draw(world, &run->streams.world, &arm, 1, 1, &reward);
    return llrint(reward * run->policy->encoding.per_unit);
}

/* Tells the laboratory how far the run is, and hears whether to stop. */
static bool report(player *run)
{
    atomic_fetch_add(&run->lab->rounds, run->t - run->reported);
    run->reported = run->t;
    return atomic_load(&run->lab->stop);
}

/* Plays the rest of a cycle that the horizon cuts short; nothing of it matters any more. */
static void play_last_cycle(player *run, const lotor_stretch *stretch)
{
    const uint64_t left = run->lab->params.horizon - run->t;
    note_times(run, stretch, left, 0.0);
    for (size_t i = 0; i < left; i++) {
        run->regret += round_regret(run->lab, stretch->arms + i * stretch->count, stretch->count);
    }
    run->t += left;
}

/* Counts `repeats` cycles of a stretch. Before they are fed: feeding may change its arms. */
static void advance(player *run, const lotor_stretch *stretch, uint64_t repeats)
{
    double cycle_regret = 0.0;
    for (size_t i = 0; i < stretch->cycle; i++) {
        cycle_regret += round_regret(run->lab, stretch->arms + i * stretch->count, stretch->count);
    }
    const uint64_t rounds = repeats * stretch->cycle;
    note_times(run, stretch, rounds, cycle_regret);
    run->regret += (double)repeats * cycle_regret;
    run->t += rounds;
}

/* One arm that is heard of at once: on with it while it stays best. */
static lotor_status ride(player *run, const lotor_stretch *stretch, uint64_t left)
{
    const uint64_t until_report = 1U << 16;
    uint64_t rounds;
    const lotor_status status = lotor_policy_ride(
        run->policy, stretch, left < until_report ? left : until_report, pay, run, &rounds);
    advance(run, stretch, rounds);
    return status;
}

static lotor_status play_stretch(player *run)
{
    lotor_stretch stretch;
    lotor_policy_stretch(run->policy, &stretch);
    const uint64_t rest = run->lab->params.horizon - run->t;
    const uint64_t left = stretch.cycle == 1 ? rest : rest / stretch.cycle;
    const uint64_t repeats = stretch.repeats < left ? stretch.repeats : left;
    if (repeats == 0) {
        play_last_cycle(run, &stretch);
        return LOTOR_OK;
    }
    if (stretch.repeats == 1 && stretch.cycle == 1 && stretch.count == 1) {
        return ride(run, &stretch, left);
    }
    advance(run, &stretch, repeats);
    if (!stretch.matters) {
        return LOTOR_OK;
    }
    draw_rewards(run, &stretch, repeats);
    return lotor_policy_feed(run->policy, &stretch, repeats, run->units);
}

static lotor_status play_stretches(player *run)
{
    for (unsigned stretches = 1; run->t < run->lab->params.horizon; stretches++) {
        const lotor_status status = play_stretch(run);
        if (status != LOTOR_OK) {
            return status;
        }
        if (stretches % (1U << 10) == 0 && report(run)) {
            return LOTOR_UNFINISHED;
        }
    }
    return LOTOR_OK;
}

/* Without shortcuts: every round through the public calls. */
static lotor_status play_rounds(player *run)
{
    const laboratory *lab = run->lab;
    const lotor_world *world = lab->trial->world;
    while (run->t < lab->params.horizon) {
        lotor_decision decision;
        lotor_status status = lotor_policy_choose(run->policy, NULL, NULL, &decision);
        if (status != LOTOR_OK) {
            return status;
        }
        const lotor_stretch stretch = {decision.arms, decision.count, 1, 1, true};
        const double regret = round_regret(lab, decision.arms, decision.count);
        note_times(run, &stretch, 1, regret);
        run->regret += regret;
        run->t++;
        world->draw(world, &run->streams.world, decision.arms, decision.count, 1, run->sums);
        const lotor_answer answer = {run->sums, decision.count, 0};
        status = lotor_policy_observe(run->policy, decision.event, &answer, NULL);
        if (status == LOTOR_OK) {
            status = lotor_policy_expire(run->policy, decision.event, NULL);
        }
        if (status != LOTOR_OK) {
            return status;
        }
        if (run->t % (1U << 16) == 0 && report(run)) {
            return LOTOR_UNFINISHED;
        }
    }
    return LOTOR_OK;
}

static lotor_status play_run(laboratory *lab, uint64_t number, lotor_message *why)
{
    const size_t arms = lab->params.arms;
    player run = {
        .lab = lab,
        .streams = lab->streams[number],
        .thresholds = lotor_bernoulli_thresholds(lab->trial->world),
        .regrets = lab->regrets + number * lab->time_count,
        .sums = calloc(arms, sizeof *run.sums),
        .units = calloc(arms, sizeof *run.units),
    };
    lotor_status status = run.sums && run.units ? LOTOR_OK : LOTOR_MEMORY;
    if (status == LOTOR_OK) {
        status = lotor_policy_new_simulated(&lab->params, &run.streams.noise, run.streams.choices,
                                            why, &run.policy);
    }
    if (status == LOTOR_OK) {
        status = lab->trial->exact_rounds ? play_rounds(&run) : play_stretches(&run);
    }
    if (status == LOTOR_OK) {
        lab->done[number] = 1;
        (void)report(&run);
    }
    lotor_policy_free(run.policy);
    free(run.sums);
    free(run.units);
    return status;
}

static void *work(void *argument)
{
    laboratory *lab = argument;
    for (;;) {
        const uint64_t number = atomic_fetch_add(&lab->next_run, 1);
        if (number >= lab->trial->runs || atomic_load(&lab->stop)) {
            break;
        }
        const lotor_status status = play_run(lab, number, NULL);
        if (status != LOTOR_OK && status != LOTOR_UNFINISHED) {
            atomic_store(&lab->status, (int)status);
            atomic_store(&lab->stop, true);
        }
    }
    pthread_mutex_lock(&lab->mutex);
    lab->working--;
    pthread_cond_signal(&lab->changed);
    pthread_mutex_unlock(&lab->mutex);
    return NULL;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Waits for the threads, and tells whoever watches how far they are. */
static void watch(laboratory *lab)
{
    const lotor_trial *trial = lab->trial;
    const double all = (double)lab->params.horizon * (double)trial->runs;
    pthread_mutex_lock(&lab->mutex);
    while (lab->working > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        pthread_cond_timedwait(&lab->changed, &lab->mutex, &until);
        if (trial->progress &&
            trial->progress(trial->context, (double)atomic_load(&lab->rounds) / all)) {
            atomic_store(&lab->stop, true);
        }
    }
    pthread_mutex_unlock(&lab->mutex);
}

/* Starts the threads and waits for them; with one thread, or none to be had, works itself. */
static void play_all(laboratory *lab)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = lab->trial->threads ? lab->trial->threads : (size_t)(cores > 0 ? cores : 1);
    wanted = wanted < lab->trial->runs ? wanted : (size_t)lab->trial->runs;
    wanted = wanted < 256 ? wanted : 256;
    pthread_t threads[256];
    size_t started = 0;
    lab->working = wanted;
    while (started < wanted && pthread_create(&threads[started], NULL, work, lab) == 0) {
        started++;
    }
    pthread_mutex_lock(&lab->mutex);
    lab->working -= wanted - started;
    pthread_mutex_unlock(&lab->mutex);
    if (started == 0) {
        lab->working = 1;
        (void)work(lab);
    }
    watch(lab);
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void summarize(const laboratory *lab, lotor_result *out)
{
    for (size_t i = 0; i < lab->time_count; i++) {
        double mean = 0.0, squares = 0.0;
        uint64_t runs = 0;
        for (uint64_t run = 0; run < lab->trial->runs; run++) { /* Welford, in the runs' order */
            if (lab->done[run]) {
                const double regret = lab->regrets[run * lab->time_count + i];
                runs++;
                const double off = regret - mean;
                mean += off / (double)runs;
                squares += off * (regret - mean);
            }
        }
        const double n = (double)runs;
        out->checkpoints[i] = (lotor_checkpoint){
            .t = lab->times[i],
            .mean = runs > 0 ? mean : NAN,
            .standard_error = runs > 1 ? sqrt(squares / (n - 1.0) / n) : NAN,
        };
        out->runs = runs;
    }
    const lotor_checkpoint *last = &out->checkpoints[lab->time_count - 1];
    const double horizon = (double)lab->params.horizon;
    out->checkpoint_count = lab->time_count;
    out->regret_mean = last->mean;
    out->regret_stderr = last->standard_error;
    out->return_mean = lab->optimum - last->mean / horizon;
    out->return_stderr = last->standard_error / horizon;
}

static lotor_status make_streams(laboratory *lab)
{
    lotor_simulation at;
    lotor_simulation_seed(&at, lab->trial->seed);
    for (uint64_t run = 0; run < lab->trial->runs; run++) {
        streams *mine = &lab->streams[run];
        mine->world = at;
        lotor_simulation_jump(&at);
        mine->noise = at;
        mine->choices = lotor_simulation_word(&mine->noise);
        lotor_simulation_jump(&at);
    }
    return LOTOR_OK;
}

/* The trial's policy with its noise scale applied: noise and the privacy part of every width are
 * functions of epsilon, so multiplying them is dividing epsilon. */
static lotor_status scale_noise(const lotor_trial *trial, lotor_message *why,
                                lotor_policy_params *params)
{
    *params = trial->policy;
    const bool honest = trial->noise_scale == 0.0 || trial->noise_scale == 1.0;
    if (honest || lotor_ratio_is_infinite(params->epsilon) || params->epsilon.num == 0) {
        return LOTOR_OK;
    }
    return lotor_ratio_from_double(lotor_ratio_double(params->epsilon) / trial->noise_scale, why,
                                   &params->epsilon);
}

static lotor_status describe(const laboratory *lab, lotor_message *why, lotor_result *out)
{
    lotor_simulation unused = {{0}};
    lotor_policy *policy;
    const lotor_status status = lotor_policy_new_simulated(&lab->params, &unused, 0, why, &policy);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_policy_guarantee(policy, &out->guarantee);
    lotor_policy_free(policy);
    const double scale = lab->trial->noise_scale;
    if (scale != 0.0 && scale != 1.0 && out->guarantee.is_private) {
        out->guarantee.is_private = false;
        out->guarantee.reason = "the noise was multiplied (--noise-scale): the claim is void";
        out->guarantee.model = LOTOR_MODEL_NONE;
        out->guarantee.epsilon = lotor_ratio_double(lab->trial->policy.epsilon);
    }
    return LOTOR_OK;
}

static lotor_status play_trial(laboratory *lab, lotor_message *why, lotor_result *out)
{
    const lotor_trial *trial = lab->trial;
    size_t cells;
    if (__builtin_mul_overflow(trial->runs, lab->time_count, &cells)) {
        return LOTOR_MEMORY;
    }
    lab->streams = calloc(trial->runs, sizeof *lab->streams);
    lab->regrets = calloc(cells, sizeof *lab->regrets);
    lab->done = calloc(trial->runs, 1);
    out->checkpoints = calloc(lab->time_count, sizeof *out->checkpoints);
    if (!lab->streams || !lab->regrets || !lab->done || !out->checkpoints) {
        return LOTOR_MEMORY;
    }
    lotor_status status = make_streams(lab);
    if (status == LOTOR_OK) {
        status = describe(lab, why, out);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const double start = seconds_now();
    play_all(lab);
    out->seconds = seconds_now() - start;
    summarize(lab, out);
    out->rounds_per_second =
        (double)lab->params.horizon * (double)out->runs / fmax(out->seconds, 1e-9);
    return (lotor_status)atomic_load(&lab->status);
}

static lotor_status check_trial(const lotor_trial *trial, lotor_message *why)
{
    if (trial->policy.horizon == 0 || trial->runs == 0) {
        return lotor_fail(LOTOR_INVALID, why, "a simulation needs a horizon and at least one run");
    }
    if (trial->policy.arms != trial->world->arms) {
        return lotor_fail(LOTOR_INVALID, why, "the policy has %zu arms, the world %zu",
                          trial->policy.arms, trial->world->arms);
    }
    if (!(trial->noise_scale >= 0.0 && isfinite(trial->noise_scale))) {
        return lotor_fail(LOTOR_INVALID, why, "the noise scale must be a number above 0, not %g",
                          trial->noise_scale);
    }
    return LOTOR_OK;
}

lotor_status lotor_simulate(const lotor_trial *trial, lotor_message *why, lotor_result *out)
{
    memset(out, 0, sizeof *out);
    laboratory lab = {.trial = trial};
    lotor_status status = check_trial(trial, why);
    if (status == LOTOR_OK) {
        status = scale_noise(trial, why, &lab.params);
    }
    if (status == LOTOR_OK) {
        status = lotor_optimum(&lab.params, trial->world, why, &lab.optimum);
    }
    uint64_t *times = NULL;
    if (status == LOTOR_OK) {
        status =
            lotor_checkpoint_times(lab.params.horizon, trial->checkpoints, &times, &lab.time_count);
    }
    if (status == LOTOR_OK) {
        lab.times = times;
        pthread_mutex_init(&lab.mutex, NULL);
        pthread_cond_init(&lab.changed, NULL);
        status = play_trial(&lab, why, out);
        pthread_cond_destroy(&lab.changed);
        pthread_mutex_destroy(&lab.mutex);
    }
    if (status != LOTOR_OK) {
        if (status == LOTOR_MEMORY) {
            lotor_explain(why, "no memory for this simulation");
        }
        lotor_result_free(out);
    }
    free(times);
    free(lab.streams);
    free(lab.regrets);
    free(lab.done);
    return status;
}

void lotor_result_free(lotor_result *result)
{
    free(result->checkpoints);
    memset(result, 0, sizeof *result);
}

lotor_status lotor_optimum(const lotor_policy_params *params, const lotor_world *world,
                           lotor_message *why, double *out)
{
    lotor_policy_params complete;
    lotor_oracle *oracle;
    const lotor_status status = lotor_policy_complete(params, why, &complete, &oracle);
    if (status != LOTOR_OK) {
        return status;
    }
    const size_t arms = complete.arms;
    uint32_t *order = calloc(2 * arms, sizeof *order);
    void *scratch = malloc(oracle->work_bytes ? oracle->work_bytes : 1);
    if (order && scratch) {
        *out = 0.0;
        lotor_oracle_order(arms, world->means, NULL, order);
        uint32_t *picked = order + arms;
        const size_t count = oracle->pick(oracle, world->means, order, scratch, picked);
        for (size_t i = 0; i < count; i++) {
            *out += world->means[picked[i]];
        }
    }
    const bool failed = !order || !scratch;
    free(order);
    free(scratch);
    lotor_oracle_free(oracle);
    lotor_policy_params_free(&complete);
    return failed ? lotor_fail(LOTOR_MEMORY, why, "no memory for this simulation") : LOTOR_OK;
}
