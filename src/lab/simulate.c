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
#include "lab/meter.h"
#include "lab/play.h"
#include "policy/policy.h"

typedef struct laboratory {
    lotor_play play;
    lotor_run_randomness *streams; /* per run */
    lotor_run_table table;         /* a row for every run, complete or not */
    double *finals;                /* room for a number per run */
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

/* The row of a run. */
static lotor_run_curve curve_of(const laboratory *lab, uint64_t run)
{
    const size_t times = lab->play.time_count, arms = lab->play.params.arms;
    const lotor_run_table *table = &lab->table;
    return (lotor_run_curve){
        .regrets = table->regrets + run * times,
        .rewards = table->rewards + run * times,
        .shown = table->shown ? table->shown + run * arms : NULL,
        .shown_at = table->shown_at ? table->shown_at + run * times * arms : NULL,
    };
}

/* The work of each thread. */
static void play_runs(void *context, lotor_threads *threads)
{
    laboratory *lab = context;
    lotor_message why = {"a run failed"};
    uint64_t run;
    while (lotor_threads_next(threads, &run)) {
        const lotor_run_curve curve = curve_of(lab, run);
        const lotor_status status =
            lotor_play_run(&lab->play, &lab->streams[run], &curve, &lab->totals[run],
                           run == 0 ? &lab->favourite : NULL, &why);
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
 * (Welford 1962). */
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
    return lab->table.regrets[run * lab->play.time_count + i];
}

static double paid_per_round(const laboratory *lab, uint64_t run, size_t i)
{
    (void)i;
    const lotor_run_totals *totals = &lab->totals[run];
    const uint64_t rounds = totals->accepted > 0 ? totals->accepted : lab->play.params.horizon;
    return totals->paid / (double)rounds;
}

static double best_per_round(const laboratory *lab, uint64_t run, size_t i)
{
    (void)i;
    return lab->totals[run].best / (double)lab->play.params.horizon;
}

static double accepted_events(const laboratory *lab, uint64_t run, size_t i)
{
    (void)i;
    return (double)lab->totals[run].accepted;
}

static double error_within(const laboratory *lab, uint64_t run, size_t i)
{
    (void)i;
    return lab->totals[run].paid_error;
}

static double indefinite_rounds(const laboratory *lab, uint64_t run, size_t i)
{
    (void)i;
    return (double)lab->totals[run].indefinite;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The quantile of sorted numbers as NumPy's quantile computes it: they have the shares 0, 1/(count-1),
 * ..., 1, and between two of them it is on the straight line. So the median of an even number of runs
 * is the mean of the two in the middle. */
static double quantile(const double *sorted, uint64_t count, double share)
{
    if (count == 0) {
        return NAN;
    }
    const double place = share * (double)(count - 1), below = floor(place);
    const uint64_t first = (uint64_t)below;
    const double part = place - below;
    if (part == 0.0) { /* also for the last place */
        return sorted[first];
    }
    const double step = sorted[first + 1] - sorted[first];
    return part < 0.5 ? sorted[first] + step * part : sorted[first + 1] - step * (1.0 - part);
}

/* Sorts the final regrets of the complete runs into `sorted`, which has room for all runs. */
static void find_quantiles(const laboratory *lab, double *sorted, lotor_experiment_result *out)
{
    uint64_t count = 0;
    for (uint64_t run = 0; run < lab->play.trial->runs; run++) {
        if (lab->done[run]) {
            sorted[count++] = regret_at(lab, run, lab->play.time_count - 1);
        }
    }
    qsort(sorted, count, sizeof *sorted, compare);
    out->regret_median = quantile(sorted, count, 0.5);
    out->regret_99 = quantile(sorted, count, 0.99);
    out->regret_largest = quantile(sorted, count, 1.0);
}

/* Fields that only own worlds have. */
static void summarize_own(const laboratory *lab, lotor_experiment_result *out)
{
    const lotor_own *own = lab->play.trial->own;
    double ignored;
    (void)average(lab, best_per_round, 0, &out->reference.per_round, &ignored);
    out->reference.share = own->knows_means ? 1.0 : (double)NAN;
    if (own->given.kind == LOTOR_OWN_UNBIASED) {
        /* All runs read the same log, so their differences say little about the error. */
        (void)average(lab, error_within, 0, &out->return_stderr, &ignored);
        (void)average(lab, accepted_events, 0, &out->accepted, &ignored);
    }
}

/* Moves the rows of the complete runs to the beginning. */
static void drop_incomplete(laboratory *lab)
{
    const size_t times = lab->play.time_count, arms = lab->play.params.arms;
    uint64_t kept = 0;
    for (uint64_t run = 0; run < lab->play.trial->runs; run++) {
        if (!lab->done[run]) {
            continue;
        }
        const lotor_run_curve from = curve_of(lab, run), to = curve_of(lab, kept++);
        if (from.regrets == to.regrets) {
            continue;
        }
        memcpy(to.regrets, from.regrets, times * sizeof *to.regrets);
        memcpy(to.rewards, from.rewards, times * sizeof *to.rewards);
        if (to.shown) {
            memcpy(to.shown, from.shown, arms * sizeof *to.shown);
        }
        if (to.shown_at) {
            memcpy(to.shown_at, from.shown_at, times * arms * sizeof *to.shown_at);
        }
    }
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
    find_quantiles(lab, lab->finals, out);
    if (lab->play.trial->own) {
        summarize_own(lab, out);
    }
    out->favourite = lab->favourite;
}

static void make_streams(laboratory *lab)
{
    lotor_generator at;
    lotor_generator_seed(&at, lab->play.trial->seed);
    for (uint64_t run = 0; run < lab->play.trial->runs; run++) {
        lotor_run_randomness *mine = &lab->streams[run];
        mine->run = run;
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
        out->guarantee.model = LOTOR_MODEL_NONE;
        out->guarantee.epsilon = lotor_ratio_to_double(lab->play.trial->policy.epsilon);
    }
    return LOTOR_OK;
}

/* Makes the table of the runs. Counts of arms are left out if there are too many. */
static lotor_status make_table(laboratory *lab)
{
    const lotor_experiment *trial = lab->play.trial;
    lotor_run_table *table = &lab->table;
    size_t cells, counts, counts_at;
    if (__builtin_mul_overflow(trial->runs, lab->play.time_count, &cells)) {
        return LOTOR_MEMORY;
    }
    table->regrets = calloc(cells, sizeof *table->regrets);
    table->rewards = calloc(cells, sizeof *table->rewards);
    if (!table->regrets || !table->rewards) {
        return LOTOR_MEMORY;
    }
    if (trial->linear || __builtin_mul_overflow(trial->runs, lab->play.params.arms, &counts) ||
        (counts > LOTOR_SIMULATE_NUMBERS_MAX && !trial->shown_at)) {
        return LOTOR_OK;
    }
    table->shown = calloc(counts, sizeof *table->shown);
    if (!table->shown) {
        return LOTOR_MEMORY;
    }
    if (trial->shown_at) {
        if (__builtin_mul_overflow(counts, lab->play.time_count, &counts_at)) {
            return LOTOR_MEMORY;
        }
        table->shown_at = calloc(counts_at, sizeof *table->shown_at);
    }
    return !trial->shown_at || table->shown_at ? LOTOR_OK : LOTOR_MEMORY;
}

static void free_table(lotor_run_table *table)
{
    free(table->regrets);
    free(table->rewards);
    free(table->shown);
    free(table->shown_at);
}

static lotor_status play_trial(laboratory *lab, lotor_message *why, lotor_experiment_result *out)
{
    const lotor_experiment *trial = lab->play.trial;
    lotor_status status = make_table(lab);
    if (status != LOTOR_OK) {
        return status;
    }
    lab->streams = calloc(trial->runs, sizeof *lab->streams);
    lab->finals = calloc(trial->runs, sizeof *lab->finals);
    lab->totals = calloc(trial->runs, sizeof *lab->totals);
    lab->done = calloc(trial->runs, 1);
    out->checkpoints = calloc(lab->play.time_count, sizeof *out->checkpoints);
    if (!lab->streams || !lab->finals || !lab->totals || !lab->done || !out->checkpoints) {
        return LOTOR_MEMORY;
    }
    make_streams(lab);
    status = describe(lab, why, out);
    if (status != LOTOR_OK) {
        return status;
    }
    const double start = lotor_time_seconds();
    status = play_all(lab, why);
    out->seconds = lotor_time_seconds() - start;
    summarize(lab, out);
    drop_incomplete(lab);
    out->table = lab->table;
    lab->table = (lotor_run_table){0};
    const double rounds = out->accepted > 0.0 ? out->accepted : (double)lab->play.params.horizon;
    out->rounds_per_second = rounds * (double)out->runs / fmax(out->seconds, 1e-9);
    return status;
}

static lotor_status check_noise_scale(const lotor_experiment *trial,
                                      const lotor_algorithm *algorithm, lotor_message *why)
{
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

/* True if a decision pays the sum of what its arms pay. */
static bool pays_sums(const lotor_policy_params *policy)
{
    return policy->structure < LOTOR_STRUCTURE_PATH ||
           (policy->structure == LOTOR_STRUCTURE_CUSTOM_ORACLE && !policy->value);
}

/* Checks what an own world needs of a policy. */
static lotor_status check_own(const lotor_experiment *trial, const lotor_algorithm *algorithm,
                              lotor_message *why)
{
    const lotor_own *own = trial->own;
    const lotor_policy_params *policy = &trial->policy;
    const bool is_replay = own->given.kind == LOTOR_OWN_UNBIASED;
    if (trial->schedule && trial->schedule->periods > 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "schedule: arms can be added and removed only in worlds with means; of "
                          "own worlds, only in tables of means");
    }
    if (algorithm->linear && own->dimension == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s chooses among actions, and this own world has none: give actions and "
                          "their dimension, or take an algorithm for arms",
                          algorithm->id);
    }
    if (lotor_policy_hears_clicks(policy)) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "%s learns from clicks on lists: of own worlds, it plays only tables of means",
            algorithm->id);
    }
    if (algorithm->starts_exact) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s starts with an observation of each arm before the first round, which "
                          "this own world does not have: use a table of means",
                          algorithm->id);
    }
    if (!algorithm->linear && !pays_sums(policy)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "in this own world a decision pays the sum of its arms, so paths, "
                          "coverage, influence and own values can't be played: use a table of "
                          "means");
    }
    const bool is_custom = policy->structure == LOTOR_STRUCTURE_CUSTOM_MATROID ||
                           policy->structure == LOTOR_STRUCTURE_CUSTOM_ORACLE;
    const bool shows_one = algorithm->linear || (is_custom && policy->rank == 1) ||
                           (policy->structure == LOTOR_STRUCTURE_TOP && policy->slots <= 1);
    const bool is_prompt = !lotor_delay_is_on(&trial->delay) && trial->lost == 0.0;
    if (is_replay && !(shows_one && is_prompt)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "unbiased replay is for one arm a round, and for feedback that comes at "
                          "once: leave %s out",
                          shows_one ? "the delay and the expiry" : "slots and structure");
    }
    const lotor_status status = lotor_own_check_horizon(own, policy->horizon, why);
    return status == LOTOR_OK ? check_noise_scale(trial, algorithm, why) : status;
}

/* Refuses algorithms and structures that can't choose among some of the arms. */
static bool starts_with_all(const lotor_arm_schedule *schedule)
{
    for (size_t arm = 0; arm < schedule->arms; arm++) {
        if (!schedule->there[arm]) {
            return false;
        }
    }
    return true;
}

static lotor_status check_schedule(const lotor_experiment *trial, const lotor_algorithm *algorithm,
                                   lotor_message *why)
{
    const lotor_structure structure = trial->policy.structure;
    if (algorithm->elimination) {
        return lotor_fail(LOTOR_INVALID, why,
                          "schedule: %s shows its arms in turn, and would wait for a removed arm; "
                          "use an algorithm that does not eliminate arms, such as lik-imed",
                          algorithm->id);
    }
    if (algorithm->own && algorithm->own->choose) {
        return lotor_fail(LOTOR_INVALID, why,
                          "schedule: %s chooses among all arms by itself; give it an index instead",
                          algorithm->id);
    }
    if (!lotor_policy_takes_masks(algorithm, structure)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "schedule: arms can be added and removed for any K arms or a matroid, "
                          "but not for a path, coverage, influence, or an own oracle");
    }
    if (algorithm->starts_exact && !starts_with_all(trial->schedule)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "schedule: %s starts with an observation of every arm, so all arms must "
                          "be there in the first round",
                          algorithm->id);
    }
    const size_t slots = trial->policy.slots > 0 ? trial->policy.slots : 1;
    return lotor_arm_schedule_check(trial->schedule, structure == LOTOR_STRUCTURE_TOP ? slots : 1,
                                    trial->policy.horizon, why);
}

lotor_status lotor_trial_check(const lotor_experiment *trial, lotor_message *why)
{
    if (trial->policy.horizon == 0 || trial->runs == 0) {
        return lotor_fail(LOTOR_INVALID, why, "a simulation needs a horizon and at least one run");
    }
    const lotor_algorithm *algorithm = lotor_policy_row(&trial->policy);
    const bool linear = algorithm && algorithm->linear;
    if (trial->own) {
        return algorithm ? check_own(trial, algorithm, why) : LOTOR_OK;
    }
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
        return lotor_fail(
            LOTOR_INVALID, why,
            "%s learns from clicks: rewards of its world must be 0 or 1, independently",
            algorithm->id);
    }
    if (algorithm && trial->schedule && trial->schedule->periods > 0) {
        const lotor_status status = check_schedule(trial, algorithm, why);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return check_noise_scale(trial, algorithm, why);
}

/* Cuts the run where the world or the arms change. `pieces` has room for all changes of both. Returns
 * the number of pieces. */
static size_t cut(const lotor_experiment *trial, lotor_play_piece *pieces)
{
    const lotor_changing_world *changing = trial->changing;
    const lotor_arm_schedule *schedule = trial->schedule;
    const size_t worlds = changing ? changing->count : 1;
    const size_t periods = schedule ? schedule->periods : 0;
    size_t count = 0, w = 0, p = 0;
    for (uint64_t first = 0; first < trial->policy.horizon;) {
        pieces[count++] = (lotor_play_piece){
            .first = first,
            .world = changing ? changing->pieces[w].world : trial->world,
            .eligible = periods > 0 ? schedule->there + p * schedule->arms : NULL,
        };
        const uint64_t world_ends =
            w + 1 < worlds ? changing->pieces[w + 1].first : trial->policy.horizon;
        const uint64_t arms_end = p + 1 < periods ? schedule->first[p + 1] : trial->policy.horizon;
        first = world_ends < arms_end ? world_ends : arms_end;
        w += w + 1 < worlds && world_ends == first;
        p += p + 1 < periods && arms_end == first;
    }
    return count;
}

/* Finds the world, the arms and the reference of every round. The caller frees the pieces. */
static lotor_status find_pieces(const lotor_experiment *trial, lotor_play *play, lotor_message *why,
                                lotor_reference *reference)
{
    const size_t most = (trial->changing ? trial->changing->count : 1) +
                        (trial->schedule ? trial->schedule->periods : 0);
    lotor_play_piece *pieces = calloc(most, sizeof *pieces);
    const size_t count = pieces ? cut(trial, pieces) : 0;
    play->pieces = pieces;
    play->piece_count = count;
    lotor_referee *referee = NULL;
    lotor_status status = pieces ? lotor_referee_new(&play->params, why, &referee) : LOTOR_MEMORY;
    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        lotor_reference found =
            lotor_referee_measure(referee, pieces[i].world->means, pieces[i].eligible);
        pieces[i].optimum = found.per_round;
        found.is_bound = found.is_bound || (i > 0 && reference->is_bound);
        *reference = found;
    }
    lotor_referee_free(referee);
    if (status == LOTOR_OK && count > 1) {
        reference->per_round = lotor_meter_best(play) / (double)play->params.horizon;
    }
    return status;
}

/* Finds the set that is best in hindsight for a table of rewards. The caller frees it. */
static lotor_status find_hindsight(const lotor_experiment *trial, lotor_play *play,
                                   lotor_message *why, uint32_t **best)
{
    if (!trial->own || trial->own->given.kind != LOTOR_OWN_REWARDS) {
        return LOTOR_OK;
    }
    double *means = calloc(trial->own->given.arms, sizeof *means);
    if (!means) {
        return LOTOR_MEMORY;
    }
    lotor_own_average(trial->own, play->params.horizon, means);
    const lotor_status status = lotor_best_set(&play->params, means, why, best, &play->best_count);
    play->best = *best;
    free(means);
    return status;
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
        status = find_pieces(trial, &lab.play, why, &out->reference);
    }
    uint32_t *best = NULL;
    if (status == LOTOR_OK) {
        status = find_hindsight(trial, &lab.play, why, &best);
    }
    if (status == LOTOR_OK) {
        status = lotor_policy_make_dips(&lab.play.params, &lab.play.dips);
    }
    uint64_t *times = NULL;
    if (status == LOTOR_OK) {
        status = lotor_checkpoints_read(trial->checkpoints_at, trial->checkpoints,
                                        lab.play.params.horizon, why, &times, &lab.play.time_count);
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
    free(best);
    free((void *)lab.play.pieces);
    lotor_policy_free_dips(lab.play.dips);
    free(lab.streams);
    free_table(&lab.table);
    free(lab.finals);
    free(lab.totals);
    free(lab.done);
    return status;
}

void lotor_experiment_result_free(lotor_experiment_result *result)
{
    free(result->checkpoints);
    free(result->favourite.arms);
    free_table(&result->table);
    memset(result, 0, sizeof *result);
}
