/* simulate.c - plays many runs on all cores, and averages their results. See simulate.h.
 *
 * Every run has its own random streams, 2^128 words apart by the run's number. Results are added up
 * in the order of the runs. So the number of threads changes only the time.
 */
#include "lab/simulate.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/threads.h"
#include "base/time.h"
#include "lab/checkpoints.h"
#include "lab/play.h"
#include "policy/policy.h"

typedef struct laboratory {
    lotor_play play;
    lotor_run_randomness *streams; /* per run */
    double *regrets;               /* runs x times */
    lotor_run_totals *totals;      /* per run */
    unsigned char *done;
    lotor_threads threads;       /* a task is a run */
    atomic_uint_fast64_t rounds; /* played so far */
    lotor_favourite favourite;   /* of run 0: only the thread that plays it writes here */
} laboratory;

static bool report(void *context, uint64_t rounds)
{
    laboratory *lab = context;
    atomic_fetch_add(&lab->rounds, rounds);
    return lotor_threads_are_stopped(&lab->threads);
}

/* What each thread does. */
static void play_runs(void *context, lotor_threads *threads)
{
    laboratory *lab = context;
    lotor_message why = {"a run failed"};
    uint64_t run;
    while (lotor_threads_next(threads, &run)) {
        const lotor_status status = lotor_play_run(
            &lab->play, &lab->streams[run], lab->regrets + run * lab->play.time_count,
            &lab->totals[run], run == 0 ? &lab->favourite : NULL, &why);
        lab->done[run] = status == LOTOR_OK;
        if (status != LOTOR_OK && status != LOTOR_STOPPED) {
            lotor_threads_fail(threads, status, &why);
        }
    }
}

static void tell_progress(void *context, lotor_threads *threads)
{
    const laboratory *lab = context;
    const lotor_experiment *trial = lab->play.trial;
    const double all = (double)lab->play.params.horizon * (double)trial->runs;
    if (trial->progress &&
        trial->progress(trial->context, (double)atomic_load(&lab->rounds) / all)) {
        lotor_threads_stop(threads);
    }
}

static lotor_status play_all(laboratory *lab, lotor_message *why)
{
    lab->threads = (lotor_threads){
        .wanted = lab->play.trial->threads,
        .tasks = lab->play.trial->runs,
        .work = play_runs,
        .watch = tell_progress,
        .context = lab,
    };
    return lotor_threads_run(&lab->threads, why);
}

/* Mean and standard error of one number per run, over the complete runs and in their order
 * (Welford). */
static uint64_t average(const laboratory *lab,
                        double (*number)(const laboratory *, uint64_t, size_t), size_t i,
                        double *mean, double *standard_error)
{
    double squares = 0.0;
    uint64_t runs = 0;
    *mean = 0.0;
    for (uint64_t run = 0; run < lab->play.trial->runs; run++) {
        if (lab->done[run]) {
            const double value = number(lab, run, i);
            runs++;
            const double off = value - *mean;
            *mean += off / (double)runs;
            squares += off * (value - *mean);
        }
    }
    const double n = (double)runs;
    *standard_error = runs > 1 ? sqrt(squares / (n - 1.0) / n) : NAN;
    *mean = runs > 0 ? *mean : NAN;
    return runs;
}

static double regret_at(const laboratory *lab, uint64_t run, size_t i)
{
    return lab->regrets[run * lab->play.time_count + i];
}

static double paid_per_round(const laboratory *lab, uint64_t run, size_t i)
{
    (void)i;
    return lab->totals[run].paid / (double)lab->play.params.horizon;
}

static double indefinite_rounds(const laboratory *lab, uint64_t run, size_t i)
{
    (void)i;
    return (double)lab->totals[run].indefinite;
}

static void summarize(const laboratory *lab, lotor_experiment_result *out)
{
    for (size_t i = 0; i < lab->play.time_count; i++) {
        lotor_checkpoint *at = &out->checkpoints[i];
        at->t = lab->play.times[i];
        out->runs = average(lab, regret_at, i, &at->mean, &at->standard_error);
    }
    const lotor_checkpoint *last = &out->checkpoints[lab->play.time_count - 1];
    out->checkpoint_count = lab->play.time_count;
    out->regret_mean = last->mean;
    out->regret_stderr = last->standard_error;
    (void)average(lab, paid_per_round, 0, &out->return_mean, &out->return_stderr);
    double ignored;
    (void)average(lab, indefinite_rounds, 0, &out->indefinite, &ignored);
    out->favourite = lab->favourite;
}

static void make_streams(laboratory *lab)
{
    lotor_generator at;
    lotor_generator_seed(&at, lab->play.trial->seed);
    for (uint64_t run = 0; run < lab->play.trial->runs; run++) {
        lotor_run_randomness *mine = &lab->streams[run];
        mine->world = at;
        lotor_generator_jump(&at);
        mine->noise = at;
        mine->choices = lotor_generator_word(&mine->noise);
        lotor_generator_jump(&at);
    }
}

/* The experiment's policy with its noise scale applied. Noise and the privacy part of every
 * confidence width are functions of epsilon, so epsilon is divided by the scale. */
static lotor_status scale_noise(const lotor_experiment *trial, lotor_message *why,
                                lotor_policy_params *params)
{
    *params = trial->policy;
    const bool honest = trial->noise_scale == 0.0 || trial->noise_scale == 1.0;
    if (honest || lotor_ratio_is_infinite(params->epsilon) || params->epsilon.num == 0) {
        return LOTOR_OK;
    }
    return lotor_ratio_from_double(lotor_ratio_to_double(params->epsilon) / trial->noise_scale, why,
                                   &params->epsilon);
}

static lotor_status describe(const laboratory *lab, lotor_message *why,
                             lotor_experiment_result *out)
{
    lotor_generator unused;
    lotor_generator_seed(&unused, 0);
    lotor_policy *policy;
    const lotor_status status = lotor_policy_new_simulated(&lab->play.params, lab->play.noise_scale,
                                                           &unused, 0, why, &policy);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_policy_guarantee(policy, &out->guarantee);
    out->late_release = lotor_policy_late_release(policy);
    lotor_policy_free(policy);
    const double scale = lab->play.trial->noise_scale;
    if (scale != 0.0 && scale != 1.0 && out->guarantee.model != LOTOR_MODEL_NONE) {
        if (out->guarantee.is_private) { /* otherwise the reason that is there is still true */
            out->guarantee.reason = "the noise was multiplied (--noise-scale): the claim is void";
        }
        out->guarantee.is_private = false;
        out->guarantee.model = LOTOR_MODEL_NONE;
        out->guarantee.epsilon = lotor_ratio_to_double(lab->play.trial->policy.epsilon);
    }
    return LOTOR_OK;
}

static lotor_status play_trial(laboratory *lab, lotor_message *why, lotor_experiment_result *out)
{
    const lotor_experiment *trial = lab->play.trial;
    size_t cells;
    if (__builtin_mul_overflow(trial->runs, lab->play.time_count, &cells)) {
        return LOTOR_MEMORY;
    }
    lab->streams = calloc(trial->runs, sizeof *lab->streams);
    lab->regrets = calloc(cells, sizeof *lab->regrets);
    lab->totals = calloc(trial->runs, sizeof *lab->totals);
    lab->done = calloc(trial->runs, 1);
    out->checkpoints = calloc(lab->play.time_count, sizeof *out->checkpoints);
    if (!lab->streams || !lab->regrets || !lab->totals || !lab->done || !out->checkpoints) {
        return LOTOR_MEMORY;
    }
    make_streams(lab);
    lotor_status status = describe(lab, why, out);
    if (status != LOTOR_OK) {
        return status;
    }
    const double start = lotor_time_seconds();
    status = play_all(lab, why);
    out->seconds = lotor_time_seconds() - start;
    summarize(lab, out);
    out->rounds_per_second =
        (double)lab->play.params.horizon * (double)out->runs / fmax(out->seconds, 1e-9);
    return status;
}

lotor_status lotor_trial_check(const lotor_experiment *trial, lotor_message *why)
{
    if (trial->policy.horizon == 0 || trial->runs == 0) {
        return lotor_fail(LOTOR_INVALID, why, "a simulation needs a horizon and at least one run");
    }
    const lotor_algorithm *algorithm = lotor_catalog_find(trial->policy.algorithm);
    const bool linear = algorithm && algorithm->linear;
    if (linear != (trial->linear != NULL) || linear == (trial->world != NULL)) {
        return lotor_fail(LOTOR_INVALID, why, "%s plays %s", trial->policy.algorithm,
                          linear ? "in a linear world, and in no other"
                                 : "with arms, not in a linear world");
    }
    const size_t arms = linear ? trial->linear->actions : trial->world->arms;
    if (trial->policy.arms != arms) {
        return lotor_fail(LOTOR_INVALID, why, "the policy has %zu arms, the world %zu",
                          trial->policy.arms, arms);
    }
    if (linear && trial->policy.dimension != trial->linear->dimension) {
        return lotor_fail(LOTOR_INVALID, why, "the policy has %zu dimensions, the world %zu",
                          trial->policy.dimension, trial->linear->dimension);
    }
    if (!linear && algorithm && lotor_policy_hears_clicks(&trial->policy) &&
        !trial->world->is_binary) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s hears clicks: its world must pay 0 or 1, independently",
                          algorithm->id);
    }
    if (algorithm && algorithm->matrix == LOTOR_MATRIX_WISHART && trial->noise_scale != 0.0 &&
        trial->noise_scale != 1.0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s: Wishart noise can't be multiplied, its size is a whole number of "
                          "degrees; change epsilon instead",
                          algorithm->id);
    }
    if (!(trial->noise_scale >= 0.0 && isfinite(trial->noise_scale))) {
        return lotor_fail(LOTOR_INVALID, why, "the noise scale must be a number above 0, not %g",
                          trial->noise_scale);
    }
    return LOTOR_OK;
}

lotor_status lotor_experiment_run(const lotor_experiment *trial, lotor_message *why,
                                  lotor_experiment_result *out)
{
    memset(out, 0, sizeof *out);
    laboratory lab = {.play = {.trial = trial, .report = report}};
    lab.play.context = &lab;
    lotor_status status = lotor_trial_check(trial, why);
    if (status == LOTOR_OK) {
        status = scale_noise(trial, why, &lab.play.params);
    }
    lab.play.noise_scale = trial->noise_scale == 0.0 ? 1.0 : trial->noise_scale;
    if (status == LOTOR_OK && trial->world) {
        status = lotor_reference_of(&lab.play.params, trial->world, why, &out->reference);
        lab.play.optimum = out->reference.per_round;
    }
    uint64_t *times = NULL;
    if (status == LOTOR_OK) {
        status = lotor_checkpoint_times(lab.play.params.horizon, trial->checkpoints, &times,
                                        &lab.play.time_count);
    }
    if (status == LOTOR_OK) {
        lab.play.times = times;
        status = play_trial(&lab, why, out);
    }
    if (status != LOTOR_OK) {
        if (status == LOTOR_MEMORY) {
            lotor_explain(why, "no memory for this simulation");
        }
        lotor_experiment_result_free(out);
    }
    free(times);
    free(lab.streams);
    free(lab.regrets);
    free(lab.totals);
    free(lab.done);
    return status;
}

void lotor_experiment_result_free(lotor_experiment_result *result)
{
    free(result->checkpoints);
    free(result->favourite.arms);
    memset(result, 0, sizeof *result);
}
