/* reproduce_cell.c - plays one experiment of a figure and makes its points. See
 * reproduce_cell.h. */
#include "papers/reproduce_cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "lab/bounds.h"
#include "papers/reproduce_contexts.h"

bool lotor_figure_run_tell(void *context, double share)
{
    lotor_figure_worker *self = context;
    lotor_figure_run *on = self->on;
    pthread_mutex_lock(&on->mutex);
    on->done += share * self->work - self->told;
    self->told = share * self->work;
    if (!on->stopped && on->how->progress) {
        on->stopped = on->how->progress(on->how->context, fmin(1.0, on->done / on->all));
    }
    const bool stopped = on->stopped;
    pthread_mutex_unlock(&on->mutex);
    return stopped;
}

/* --- experiments ------------------------------------------------------------------------------ */

static lotor_status prepare(lotor_figure_worker *self, const lotor_figure_cell *cell,
                            lotor_message *why, lotor_experiment *out)
{
    const lotor_reproduction *how = self->on->how;
    const lotor_setting *setting = &cell->setting;
    const lotor_simulate_params asked = {
        .runs = setting->runs,
        .seed = how->seed,
        .threads = self->threads,
        .checkpoints = lotor_figure_times(self->on->figure),
        .noise_scale = setting->noise_scale,
        .progress = lotor_figure_run_tell,
        .progress_context = self,
    };
    const lotor_status status = lotor_figure_cell_problem_make(&self->problem, how, setting, why);
    *out = lotor_problem_experiment(&self->problem.setup, &asked);
    return status;
}

/* --- points ----------------------------------------------------------------------------------- */

static lotor_curve_point point_over_rounds(lotor_figure_measure measure,
                                           const lotor_experiment_result *result,
                                           const lotor_checkpoint *at)
{
    const double t = (double)at->t;
    switch (measure) {
    case LOTOR_MEASURE_RETURN:
        return (lotor_curve_point){t, result->reference.per_round - at->mean / t,
                                   at->standard_error / t};
    case LOTOR_MEASURE_REGRET_PER_LOG:
        return (lotor_curve_point){t, at->mean / log(t), at->standard_error / log(t)};
    default:
        return (lotor_curve_point){t, at->mean, at->standard_error};
    }
}

static lotor_curve_point point_at_end(lotor_figure_measure measure,
                                      const lotor_experiment_result *result, double x,
                                      uint64_t horizon)
{
    const double log_t = log((double)horizon);
    switch (measure) {
    case LOTOR_MEASURE_RETURN:
        return (lotor_curve_point){x, result->return_mean, result->return_stderr};
    case LOTOR_MEASURE_REGRET_PER_LOG:
        return (lotor_curve_point){x, result->regret_mean / log_t, result->regret_stderr / log_t};
    default:
        return (lotor_curve_point){x, result->regret_mean, result->regret_stderr};
    }
}

/* With an approximate oracle, the simulator's regret is against the share of the optimum that the
 * oracle promises. It is negative where the oracle finds more. Figures draw the regret against the
 * optimum itself, unless it is not known. */
static void compare_with_optimum(uint64_t horizon, lotor_experiment_result *result)
{
    lotor_reference *reference = &result->reference;
    if (reference->is_bound || !(reference->share > 0.0 && reference->share < 1.0)) {
        return;
    }
    const double best = reference->per_round / reference->share;
    const double more = best - reference->per_round;
    for (size_t i = 0; i < result->checkpoint_count; i++) {
        result->checkpoints[i].mean += more * (double)result->checkpoints[i].t;
    }
    result->regret_mean += more * (double)horizon;
    *reference = (lotor_reference){.per_round = best, .share = 1.0};
}

static lotor_status collect(const lotor_figure_run *on, const lotor_experiment *trial,
                            const lotor_experiment_result *result, const lotor_figure_cell *cell,
                            lotor_message *why, lotor_series *series)
{
    if (on->figure->axis != LOTOR_AXIS_ROUND) {
        return lotor_points_add(
            series, point_at_end(on->figure->measure, result, cell->x, trial->policy.horizon), why);
    }
    lotor_status status = LOTOR_OK;
    double before = 0.0;
    for (size_t i = 0; i < result->checkpoint_count && status == LOTOR_OK; i++) {
        const lotor_checkpoint *at = &result->checkpoints[i];
        if (lotor_round_is_point(on->figure, &cell->setting, at->t, before)) {
            const bool is_sum = on->figure->measure != LOTOR_MEASURE_RETURN || !trial->linear;
            status = lotor_points_add(series,
                                      is_sum ? point_over_rounds(on->figure->measure, result, at)
                                             : point_at_end(on->figure->measure, result,
                                                            (double)at->t, trial->policy.horizon),
                                      why);
            before = (double)at->t;
        }
    }
    return status;
}

/* The lower bound for the regret over the rounds. With scaled noise, the bound without privacy is
 * used. */
static lotor_status bound(const lotor_figure_run *on, const lotor_experiment *trial,
                          lotor_message *why, double *out)
{
    *out = NAN;
    if (!lotor_figure_has_bounds(on->figure) || trial->linear) {
        return LOTOR_OK;
    }
    lotor_policy_params claimed = trial->policy;
    if (trial->noise_scale != 1.0) {
        claimed.epsilon = lotor_ratio_of(1, 0);
    }
    lotor_lower_bound lower;
    const lotor_status status = lotor_lower_bound_of(&claimed, trial->world, why, &lower);
    if (status == LOTOR_OK && isfinite(lower.per_log_t)) {
        *out = lower.per_log_t;
    }
    return status;
}

/* --- one experiment --------------------------------------------------------------------------- */

/* Chandak 2023, Theorem 4: the smallest failure rate of an attacker who guesses one of two inputs
 * from the output. With the algorithm "tangent": the tangent of that curve at 0. */
static double failure_rate(const lotor_setting *setting)
{
    const bool is_line = setting->algorithm && strcmp(setting->algorithm, "tangent") == 0;
    return is_line ? fmax(0.0, 0.5 - 0.25 * setting->epsilon) : 1.0 / (1.0 + exp(setting->epsilon));
}

/* The curve of the optimal policy: the same return in every round, which is the reference for
 * regret. */
static lotor_status draw_optimum(lotor_figure_worker *self, const lotor_figure_cell *cell,
                                 lotor_message *why, lotor_series *series)
{
    const lotor_figure_run *on = self->on;
    if (on->figure->measure != LOTOR_MEASURE_RETURN || on->figure->axis != LOTOR_AXIS_ROUND ||
        cell->setting.place == LOTOR_FIGURE_WORLD_LINEAR) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s, %s: the optimal policy is for figures of the return over the "
                          "rounds, with arms",
                          on->figure->id, series->label);
    }
    lotor_figure_cell asked = *cell;
    asked.setting.algorithm = "cucb"; /* plays with every oracle, and has no noise */
    lotor_experiment trial;
    lotor_reference best;
    lotor_message reason = {""};
    lotor_status status = prepare(self, &asked, &reason, &trial);
    if (status == LOTOR_OK) {
        status = lotor_reference_of(&trial.policy, trial.world, &reason, &best);
    }
    if (status == LOTOR_OK && best.share < 1.0) {
        status = lotor_fail(LOTOR_INVALID, &reason, "the best set can't be computed exactly");
    }
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "%s, %s: %.240s", on->figure->id, series->label,
                          reason.text);
    }
    double *places;
    size_t count;
    status = lotor_curve_places(on->figure, on->how->is_quick, cell->panel, cell->curve, &places,
                                &count);
    if (status != LOTOR_OK) {
        status = lotor_fail(status, why, "no memory for the points of %s", series->label);
    }
    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        status = lotor_points_add(series, (lotor_curve_point){places[i], best.per_round, 0.0}, why);
    }
    free(places);
    return status;
}

/* Keeps the last set, the best set, and the names of the arms. */
static lotor_status keep_sets(lotor_figure_run *on, const lotor_experiment *trial,
                              lotor_experiment_result *result, lotor_series *series,
                              lotor_message *why)
{
    lotor_figure_result *out = on->out;
    series->shown = (lotor_arm_set){result->favourite.arms, result->favourite.count};
    result->favourite.arms = NULL; /* now owned by the series */
    if (out->best.arms) {
        return LOTOR_OK; /* all curves of a figure with sets have the same world */
    }
    const lotor_status status =
        lotor_best_set(&trial->policy, trial->world->means, why, &out->best.arms, &out->best.count);
    const size_t arms = trial->world->names ? trial->world->arms : 0;
    if (status != LOTOR_OK || arms == 0) {
        return status;
    }
    out->names = calloc(arms, sizeof *out->names);
    for (size_t i = 0; out->names && i < arms; i++) {
        out->names[i] = lotor_copy_text(trial->world->names[i]);
        if (!out->names[i]) {
            break;
        }
        out->name_count = i + 1;
    }
    return out->name_count == arms ? LOTOR_OK
                                   : lotor_fail(LOTOR_MEMORY, why, "no memory for the names");
}

static lotor_status play_cell(lotor_figure_worker *self, const lotor_figure_cell *cell,
                              lotor_message *why, lotor_series *series)
{
    lotor_figure_run *on = self->on;
    if (cell->setting.place == LOTOR_FIGURE_WORLD_FORMULA) {
        return lotor_points_add(
            series, (lotor_curve_point){cell->x, failure_rate(&cell->setting), 0.0}, why);
    }
    if (cell->setting.place == LOTOR_FIGURE_WORLD_CONTEXTS) {
        return lotor_figure_contexts_play(self, cell, why, series);
    }
    if (lotor_setting_is_optimal(&cell->setting)) {
        return draw_optimum(self, cell, why, series);
    }
    lotor_experiment trial;
    lotor_experiment_result result;
    lotor_message reason = {""};
    lotor_status status = prepare(self, cell, &reason, &trial);
    if (status == LOTOR_OK) {
        status = bound(on, &trial, &reason, &series->lower_bound);
    }
    if (status == LOTOR_OK) {
        status = lotor_experiment_run(&trial, &reason, &result);
    }
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "%s, %s: %.240s", on->figure->id, series->label,
                          reason.text);
    }
    compare_with_optimum(trial.policy.horizon, &result);
    status =
        result.runs < trial.runs ? LOTOR_STOPPED : collect(on, &trial, &result, cell, why, series);
    if (status == LOTOR_OK && on->figure->lists_sets && trial.world) {
        status = keep_sets(on, &trial, &result, series, why);
    }
    lotor_experiment_result_free(&result);
    return status;
}

lotor_status lotor_figure_worker_play(lotor_figure_worker *self, const lotor_figure_cell *cell,
                                      lotor_message *why, lotor_series *series)
{
    self->work = lotor_figure_cell_work(cell);
    const lotor_status status =
        lotor_figure_run_tell(self, 0.0) ? LOTOR_STOPPED : play_cell(self, cell, why, series);
    pthread_mutex_lock(&self->on->mutex);
    self->on->done += self->work - self->told;
    pthread_mutex_unlock(&self->on->mutex);
    self->work = self->told = 0.0;
    return status;
}
