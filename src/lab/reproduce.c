/* reproduce.c - playing a figure: its trials one after the other, each on all cores. See reproduce.h.
 *
 * Every trial has the same seed, so that each can be played again on its own with lotor run. Trials
 * that share it are, if anything, lucky together: the standard error of a difference is then smaller
 * than the one that verdicts assume.
 */
#include "lab/reproduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/digits.h"
#include "base/message.h"
#include "lab/bounds.h"
#include "lab/reproduce_plan.h"
#include "lab/simulate.h"
#include "world/movielens.h"

/* Over a linear axis log-spaced times leave gaps at the end: many are noted, and of those that are
 * closer than a hundredth of the axis few are kept. */
enum { LOG_TIMES = 60, LINEAR_TIMES = 600, LINEAR_PARTS = 100 };

enum { LOOK_ALIKE_USERS = 6040, LOOK_ALIKE_MOVIES = 3706, LOOK_ALIKE_SEED = 1 };

/* A figure being played. */
typedef struct stage {
    const lotor_figure *figure;
    const lotor_reproduction *how;
    lotor_world *world;   /* of the last trial, for the next if it plays there too */
    lotor_setting made;   /* what it was made from */
    double done, current; /* work: behind us, and of this trial */
    double all;
    bool stopped;
} stage;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool tell(void *context, double share)
{
    stage *on = context;
    if (on->how->progress) {
        on->stopped = on->how->progress(on->how->context,
                                        fmin(1.0, (on->done + share * on->current) / on->all));
    }
    return on->stopped;
}

/* --- worlds ------------------------------------------------------------------------------------- */

static lotor_status make_two_valued(const lotor_setting *setting, lotor_message *why,
                                    lotor_world **out)
{
    if (setting->slots > setting->arms || setting->arms == 0) {
        return lotor_fail(LOTOR_INVALID, why, "%zu good arms among %zu: there are not as many",
                          setting->slots, setting->arms);
    }
    double *means = calloc(setting->arms, sizeof *means);
    if (!means) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu arms", setting->arms);
    }
    for (size_t i = 0; i < setting->arms; i++) {
        means[i] = i < setting->slots ? setting->high : setting->low;
    }
    const lotor_status status = lotor_world_bernoulli(setting->arms, means, why, out);
    free(means);
    return status;
}

static bool has_file(const char *folder, const char *name)
{
    char path[4200];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

/* The user's copy, or a look-alike that is made once and kept beside the figures. */
static lotor_status make_movies(const lotor_reproduction *how, size_t arms, lotor_message *why,
                                lotor_world **out)
{
    if (how->movielens) {
        return lotor_world_movielens(how->movielens, arms, why, out);
    }
    char folder[4160];
    const int length = snprintf(folder, sizeof folder, "%s/.movielens", how->scratch);
    if (length < 0 || (size_t)length >= sizeof folder) {
        return lotor_fail(LOTOR_INVALID, why, "the folder's name is longer than %zu bytes",
                          sizeof folder);
    }
    if (!has_file(folder, "ratings.dat") || !has_file(folder, "movies.dat")) {
        const lotor_status status = lotor_world_movielens_generate(
            folder, LOOK_ALIKE_USERS, LOOK_ALIKE_MOVIES, LOOK_ALIKE_SEED, why);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return lotor_world_movielens(folder, arms, why, out);
}

static bool is_same_world(const lotor_setting *one, const lotor_setting *other)
{
    const char *here = one->instance ? one->instance : "";
    const char *there = other->instance ? other->instance : "";
    return one->place == other->place && strcmp(here, there) == 0 && one->arms == other->arms &&
           one->slots == other->slots && one->high == other->high && one->low == other->low;
}

static lotor_status find_world(stage *on, const lotor_setting *setting, lotor_message *why)
{
    if (on->world && is_same_world(setting, &on->made)) {
        return LOTOR_OK;
    }
    lotor_world_free(on->world);
    on->world = NULL;
    on->made = *setting;
    switch (setting->place) {
    case LOTOR_PLACE_TWO_VALUED:
        return make_two_valued(setting, why, &on->world);
    case LOTOR_PLACE_MOVIELENS:
        return make_movies(on->how, setting->arms, why, &on->world);
    default:
        return lotor_world_instance(setting->instance ? setting->instance : "", setting->arms, why,
                                    &on->world);
    }
}

/* --- trials ------------------------------------------------------------------------------------- */

/* Through the decimal that a person would write: 0.1 is one tenth. */
static lotor_status ratio_of(double value, lotor_message *why, lotor_ratio *out)
{
    char text[LOTOR_DIGITS_ROOM];
    *out = lotor_ratio_of(0, 1);
    return value == 0.0 ? LOTOR_OK : lotor_ratio_parse(lotor_digits(value, text), why, out);
}

static lotor_status set_params(const lotor_setting *setting, const lotor_world *world,
                               lotor_message *why, lotor_policy_params *out)
{
    *out = (lotor_policy_params){
        .algorithm = setting->algorithm,
        .arms = world ? world->arms : setting->arms,
        .slots = world ? setting->slots : 0,
        .horizon = setting->horizon,
        .beta = setting->beta,
        .regularizer = setting->regularizer,
        .dimension = world ? 0 : setting->dimension,
    };
    if (world && world->vectors && setting->slots == 0) {
        out->structure = LOTOR_STRUCTURE_LINEAR;
        out->vectors = world->vectors;
        out->dimension = world->dimension;
    }
    const lotor_status status = ratio_of(setting->epsilon, why, &out->epsilon);
    return status == LOTOR_OK ? ratio_of(setting->delta, why, &out->delta) : status;
}

static lotor_status prepare(stage *on, const lotor_cell *cell, lotor_linear_world *linear,
                            lotor_message *why, lotor_trial *out)
{
    const lotor_setting *setting = &cell->setting;
    const bool is_linear = setting->place == LOTOR_PLACE_LINEAR;
    const bool over_rounds = on->figure->axis == LOTOR_AXIS_ROUND;
    *out = (lotor_trial){
        .runs = setting->runs,
        .seed = on->how->seed,
        .threads = on->how->threads,
        .checkpoints = !over_rounds        ? 1
                       : on->figure->log_x ? LOG_TIMES
                                           : LINEAR_TIMES,
        .noise_scale = setting->noise_scale,
        .progress = tell,
        .context = on,
    };
    lotor_status status;
    if (is_linear) {
        status = lotor_linear_world_make(setting->dimension, setting->arms,
                                         setting->has_gap ? setting->gap : NAN, why, linear);
        out->linear = linear;
    } else {
        status = find_world(on, setting, why);
        out->world = on->world;
    }
    return status == LOTOR_OK ? set_params(setting, out->world, why, &out->policy) : status;
}

/* --- points ------------------------------------------------------------------------------------- */

static lotor_point point_over_rounds(lotor_measure measure, const lotor_result *result,
                                     const lotor_checkpoint *at)
{
    const double t = (double)at->t;
    switch (measure) {
    case LOTOR_MEASURE_RETURN:
        return (lotor_point){t, result->reference.per_round - at->mean / t, at->standard_error / t};
    case LOTOR_MEASURE_REGRET_PER_LOG:
        return (lotor_point){t, at->mean / log(t), at->standard_error / log(t)};
    default:
        return (lotor_point){t, at->mean, at->standard_error};
    }
}

static lotor_point point_at_end(lotor_measure measure, const lotor_result *result, double x,
                                uint64_t horizon)
{
    const double log_t = log((double)horizon);
    switch (measure) {
    case LOTOR_MEASURE_RETURN:
        return (lotor_point){x, result->return_mean, result->return_stderr};
    case LOTOR_MEASURE_REGRET_PER_LOG:
        return (lotor_point){x, result->regret_mean / log_t, result->regret_stderr / log_t};
    default:
        return (lotor_point){x, result->regret_mean, result->regret_stderr};
    }
}

/* Whether a time becomes a point. In a linear world the return is known of the whole run alone. */
static bool is_kept(const stage *on, const lotor_trial *trial, uint64_t t, double before)
{
    if (t == trial->policy.horizon) {
        return true;
    }
    if (on->figure->measure == LOTOR_MEASURE_RETURN && trial->linear) {
        return false;
    }
    if (on->figure->measure == LOTOR_MEASURE_REGRET_PER_LOG && t < 2) {
        return false;
    }
    const double apart = (double)trial->policy.horizon / LINEAR_PARTS;
    return on->figure->log_x || before == 0.0 || (double)t - before >= apart;
}

static lotor_status add_point(lotor_series *series, lotor_point point, lotor_message *why)
{
    lotor_point *more = realloc(series->points, (series->count + 1) * sizeof *more);
    if (!more) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the points of %s", series->label);
    }
    series->points = more;
    series->points[series->count++] = point;
    return LOTOR_OK;
}

static lotor_status collect(const stage *on, const lotor_trial *trial, const lotor_result *result,
                            const lotor_cell *cell, lotor_message *why, lotor_series *series)
{
    if (on->figure->axis != LOTOR_AXIS_ROUND) {
        return add_point(
            series, point_at_end(on->figure->measure, result, cell->x, trial->policy.horizon), why);
    }
    lotor_status status = LOTOR_OK;
    double before = 0.0;
    for (size_t i = 0; i < result->checkpoint_count && status == LOTOR_OK; i++) {
        const lotor_checkpoint *at = &result->checkpoints[i];
        if (is_kept(on, trial, at->t, before)) {
            const bool is_sum = on->figure->measure != LOTOR_MEASURE_RETURN || !trial->linear;
            status = add_point(series,
                               is_sum ? point_over_rounds(on->figure->measure, result, at)
                                      : point_at_end(on->figure->measure, result, (double)at->t,
                                                     trial->policy.horizon),
                               why);
            before = (double)at->t;
        }
    }
    return status;
}

/* Beside the regret over the rounds; what is multiplied noise keeps no privacy, and none is asked. */
static lotor_status bound(const stage *on, const lotor_trial *trial, lotor_message *why,
                          double *out)
{
    *out = NAN;
    if (on->figure->axis != LOTOR_AXIS_ROUND || on->figure->measure != LOTOR_MEASURE_REGRET ||
        trial->linear) {
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

/* --- the figure --------------------------------------------------------------------------------- */

static lotor_series *series_of(lotor_played *out, const lotor_cell *cell)
{
    return &out->panels[cell->panel].series[cell->curve];
}

/* The points of an equal trial, at this cell's place on the axis. */
static lotor_status copy_points(const stage *on, const lotor_cell *from, const lotor_cell *cell,
                                lotor_message *why, lotor_played *out)
{
    const lotor_series *source = series_of(out, from);
    lotor_series *series = series_of(out, cell);
    lotor_status status = LOTOR_OK;
    series->lower_bound = source->lower_bound;
    const size_t count = source->count; /* it may be the same series, and grow */
    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        lotor_point point = source->points[i];
        if (on->figure->axis == LOTOR_AXIS_ROUND) {
            status = add_point(series, point, why);
        } else if (point.x == from->x) {
            point.x = cell->x;
            status = add_point(series, point, why);
        }
    }
    return status;
}

/* Chandak 2023, Theorem 4: whoever guesses one of two answers from the output fails at least so
 * often. With the algorithm "tangent": the line that touches it at 0. */
static double failure_rate(const lotor_setting *setting)
{
    const bool is_line = setting->algorithm && strcmp(setting->algorithm, "tangent") == 0;
    return is_line ? fmax(0.0, 0.5 - 0.25 * setting->epsilon) : 1.0 / (1.0 + exp(setting->epsilon));
}

static lotor_status play_cell(stage *on, const lotor_cell *cell, lotor_message *why,
                              lotor_series *series)
{
    if (cell->setting.place == LOTOR_PLACE_FORMULA) {
        return add_point(series, (lotor_point){cell->x, failure_rate(&cell->setting), 0.0}, why);
    }
    lotor_linear_world linear;
    lotor_trial trial;
    lotor_result result;
    lotor_message reason = {""};
    lotor_status status = prepare(on, cell, &linear, &reason, &trial);
    if (status == LOTOR_OK) {
        status = bound(on, &trial, &reason, &series->lower_bound);
    }
    if (status == LOTOR_OK) {
        status = lotor_simulate(&trial, &reason, &result);
    }
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "%s, %s: %.240s", on->figure->id, series->label,
                          reason.text);
    }
    status = result.runs < trial.runs ? LOTOR_UNFINISHED
                                      : collect(on, &trial, &result, cell, why, series);
    lotor_result_free(&result);
    return status;
}

static lotor_status play_cells(stage *on, lotor_message *why, lotor_played *out)
{
    const bool is_quick = on->how->is_quick;
    const size_t count = lotor_cell_count(on->figure, is_quick);
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        const lotor_cell cell = lotor_cell_at(on->figure, is_quick, i);
        const size_t like = lotor_cell_first_like(on->figure, is_quick, i);
        if (like < i) {
            const lotor_cell before = lotor_cell_at(on->figure, is_quick, like);
            status = copy_points(on, &before, &cell, why, out);
            continue;
        }
        on->current = lotor_cell_work(&cell);
        status =
            tell(on, 0.0) ? LOTOR_UNFINISHED : play_cell(on, &cell, why, series_of(out, &cell));
        on->done += on->current;
        on->current = 0.0;
    }
    if (status == LOTOR_UNFINISHED) {
        lotor_explain(why, "%s was stopped", on->figure->id);
    }
    return status;
}

lotor_status lotor_figure_play(const lotor_figure *figure, const lotor_reproduction *how,
                               lotor_message *why, lotor_played *out)
{
    const double start = seconds_now();
    lotor_status status = lotor_played_frame(figure, how, why, out);
    if (status != LOTOR_OK) {
        return status;
    }
    stage on = {
        .figure = figure,
        .how = how,
        .all = fmax(1.0, lotor_figure_work(figure, how->is_quick)),
    };
    status = play_cells(&on, why, out);
    lotor_world_free(on.world);
    out->seconds = seconds_now() - start;
    return status;
}
