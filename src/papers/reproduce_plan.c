/* reproduce_plan.c - see reproduce_plan.h. */
#include "papers/reproduce_plan.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/hash.h"
#include "base/message.h"
#include "base/records.h"
#include "policy/catalog.h"

enum { DEFAULT_DIMENSION = 5, DEFAULT_ACTIONS = 20 };

size_t lotor_figure_panels(const lotor_figure *figure)
{
    return figure->panels && figure->panel_count > 0 ? figure->panel_count : 1;
}

const char *lotor_figure_panel_label(const lotor_figure *figure, size_t panel)
{
    return figure->panels && panel < figure->panel_count ? figure->panels[panel].label : "";
}

/* The number of values on the axis. If the axis is the rounds, one experiment has all points. */
static size_t count_values(const lotor_figure *figure, bool is_quick)
{
    if (figure->axis == LOTOR_AXIS_ROUND) {
        return 1;
    }
    if (is_quick && figure->quick_values) {
        return figure->quick_value_count;
    }
    const size_t stride = is_quick && figure->quick_stride > 0 ? figure->quick_stride : 1;
    return figure->value_count > 0 ? (figure->value_count - 1) / stride + 1 : 0;
}

static double value_at(const lotor_figure *figure, bool is_quick, size_t number)
{
    if (is_quick && figure->quick_values) {
        return figure->quick_values[number];
    }
    return figure
        ->values[is_quick && figure->quick_stride > 0 ? number * figure->quick_stride : number];
}

size_t lotor_figure_cell_count(const lotor_figure *figure, bool is_quick)
{
    return lotor_figure_panels(figure) * figure->curve_count * count_values(figure, is_quick);
}

/* --- merging of settings ---------------------------------------------------------------------- */

static double number_or(double own, double other)
{
    return own != 0.0 ? own : other;
}

static size_t size_or(size_t own, size_t other)
{
    return own != 0 ? own : other;
}

static uint64_t at_most(uint64_t wanted, uint64_t most)
{
    return most != 0 && most < wanted ? most : wanted;
}

static lotor_setting merge(const lotor_figure *figure, const lotor_setting *own, bool is_quick)
{
    const lotor_setting *base = &figure->base;
    const uint64_t horizon = own->horizon ? own->horizon : base->horizon;
    const uint64_t quick_runs = figure->quick_runs ? figure->quick_runs : base->runs;
    uint64_t runs = is_quick ? quick_runs : base->runs;
    if (own->runs) {
        runs = is_quick ? at_most(own->runs, runs) : own->runs;
    }
    return (lotor_setting){
        .algorithm = own->algorithm ? own->algorithm : base->algorithm,
        .epsilon = number_or(own->epsilon, base->epsilon),
        .delta = number_or(own->delta, base->delta),
        .beta = number_or(own->beta, base->beta),
        .noise_scale = number_or(own->noise_scale, base->noise_scale),
        .place = own->place != LOTOR_FIGURE_WORLD_INSTANCE ? own->place : base->place,
        .instance = own->instance ? own->instance : base->instance,
        .arms = size_or(own->arms, base->arms),
        .slots = size_or(own->slots, base->slots),
        .cascade = own->cascade || base->cascade,
        .high = number_or(own->high, base->high),
        .low = number_or(own->low, base->low),
        .dimension = size_or(own->dimension, base->dimension),
        .has_gap = own->has_gap || base->has_gap,
        .gap = own->has_gap ? own->gap : base->gap,
        .regularizer = number_or(own->regularizer, base->regularizer),
        .horizon = is_quick ? at_most(horizon, figure->quick_horizon) : horizon,
        .runs = runs,
    };
}

static void vary(const lotor_figure *figure, double value, lotor_setting *setting)
{
    switch (figure->axis) {
    case LOTOR_AXIS_ROUND:
        break;
    case LOTOR_AXIS_EPSILON:
        setting->epsilon = value;
        break;
    case LOTOR_AXIS_PER_EPSILON:
        setting->epsilon = 1.0 / value;
        break;
    case LOTOR_AXIS_ARMS:
        setting->arms = (size_t)value;
        break;
    case LOTOR_AXIS_SLOTS:
        setting->slots = (size_t)value;
        break;
    case LOTOR_AXIS_DIMENSION:
        setting->dimension = (size_t)value;
        if (setting->has_gap) {
            setting->arms = setting->dimension * setting->dimension;
        }
        break;
    case LOTOR_AXIS_GAP:
        setting->has_gap = true;
        setting->gap = value;
        break;
    case LOTOR_AXIS_REGULARIZER:
        setting->regularizer = value;
        break;
    case LOTOR_AXIS_SETTING:
        assert(figure->settings && value >= 1.0);
        setting->instance = figure->settings[(size_t)value - 1].instance;
        setting->epsilon = figure->settings[(size_t)value - 1].epsilon;
        setting->arms = figure->settings[(size_t)value - 1].arms;
        break;
    }
}

bool lotor_setting_is_optimal(const lotor_setting *setting)
{
    return setting->algorithm && strcmp(setting->algorithm, "optimal") == 0;
}

bool lotor_setting_is_computed(const lotor_setting *setting)
{
    return setting->place == LOTOR_FIGURE_WORLD_FORMULA || lotor_setting_is_optimal(setting) ||
           (setting->algorithm && strcmp(setting->algorithm, "plain-dp") == 0);
}

/* Fills in the defaults of the world, and clears fields that the algorithm does not read. */
static void settle(lotor_setting *setting)
{
    const lotor_algorithm *algorithm = lotor_algorithms_find(setting->algorithm);
    setting->noise_scale = number_or(setting->noise_scale, 1.0);
    if (setting->place == LOTOR_FIGURE_WORLD_LINEAR) {
        setting->dimension = size_or(setting->dimension, DEFAULT_DIMENSION);
        setting->arms =
            size_or(setting->arms,
                    setting->has_gap ? setting->dimension * setting->dimension : DEFAULT_ACTIONS);
    }
    if (lotor_setting_is_optimal(setting)) {
        setting->epsilon = setting->delta = setting->beta = 0.0;
        setting->noise_scale = 1.0;
    }
    if (!algorithm) {
        return;
    }
    setting->cascade = setting->cascade && algorithm->problem == LOTOR_PROBLEM_ANY;
    if (algorithm->linear) {
        setting->beta = number_or(setting->beta, 1.0 / (2.0 * (double)setting->horizon));
    }
    const bool is_noisy = lotor_algorithm_has_noise(algorithm);
    if (!is_noisy) {
        setting->epsilon = 0.0;
        setting->noise_scale = 1.0;
    }
    if (algorithm->delta.num == 0) {
        setting->delta = 0.0;
    }
    if (!lotor_algorithm_uses_beta(algorithm)) {
        setting->beta = 0.0;
    }
    if (!algorithm->linear) {
        setting->regularizer = 0.0;
    }
}

lotor_figure_cell lotor_figure_cell_at(const lotor_figure *figure, bool is_quick, size_t number)
{
    const size_t values = count_values(figure, is_quick);
    assert(values > 0 && figure->curve_count > 0);
    lotor_figure_cell cell = {
        .panel = number / values / figure->curve_count,
        .curve = number / values % figure->curve_count,
        .x = NAN,
    };
    cell.setting = merge(figure, &figure->curves[cell.curve].setting, is_quick);
    if (figure->panels && cell.panel < figure->panel_count &&
        figure->panels[cell.panel].noise_scale != 0.0) {
        cell.setting.noise_scale = figure->panels[cell.panel].noise_scale;
    }
    if (figure->axis != LOTOR_AXIS_ROUND) {
        cell.x = value_at(figure, is_quick, number % values);
        vary(figure, cell.x, &cell.setting);
    }
    settle(&cell.setting);
    return cell;
}

/* --- the work of an experiment, and its fingerprint ------------------------------------------- */

void lotor_setting_describe(const lotor_setting *setting, char text[LOTOR_DESCRIPTION_ROOM])
{
    snprintf(text, LOTOR_DESCRIPTION_ROOM,
             "%s|%.17g|%.17g|%.17g|%.17g|%d|%s|%zu|%zu|%.17g|%.17g|%zu|%d|%.17g|%.17g|%llu|%llu%s",
             setting->algorithm ? setting->algorithm : "", setting->epsilon, setting->delta,
             setting->beta, setting->noise_scale, (int)setting->place,
             setting->instance ? setting->instance : "", setting->arms, setting->slots,
             setting->high, setting->low, setting->dimension, (int)setting->has_gap, setting->gap,
             setting->regularizer, (unsigned long long)setting->horizon,
             (unsigned long long)setting->runs, setting->cascade ? "|clicks" : "");
}

lotor_status lotor_setting_ratio(double value, lotor_message *why, lotor_ratio *out)
{
    char text[LOTOR_DIGITS_ROOM];
    *out = lotor_ratio_of(0, 1);
    return value == 0.0 ? LOTOR_OK : lotor_ratio_parse(lotor_digits(value, text), why, out);
}

double lotor_figure_cell_work(const lotor_figure_cell *cell)
{
    const lotor_setting *setting = &cell->setting;
    const lotor_algorithm *algorithm = lotor_algorithms_find(setting->algorithm);
    if (setting->place == LOTOR_FIGURE_WORLD_CONTEXTS && !lotor_setting_is_computed(setting)) {
        return 20.0 * (double)setting->horizon * (double)setting->runs;
    }
    if (setting->place == LOTOR_FIGURE_WORLD_FORMULA || !algorithm) {
        return 1.0;
    }
    /* Rough measurements, relative to one round of a finite index learner. */
    double cost = 1.0 + 0.05 * (double)(setting->slots + setting->arms);
    if (algorithm->linear) {
        const double d = (double)setting->dimension;
        cost = (double)setting->arms * d * (2.0 + 0.2 * d) / 6.0;
    } else if (setting->place == LOTOR_FIGURE_WORLD_MOVIELENS) {
        cost = 300.0;
    } else if (setting->place == LOTOR_FIGURE_WORLD_INFLUENCE) {
        cost = 100.0 * (double)setting->arms;
    } else if (setting->place == LOTOR_FIGURE_WORLD_COVERAGE) {
        cost = 4.0 * (double)setting->arms;
    } else if (algorithm->elimination) {
        cost = 1e-4; /* whole epochs need one draw */
    } else if (algorithm->problem != LOTOR_PROBLEM_FINITE) {
        cost *= 5.0;
    }
    return (double)setting->horizon * (double)setting->runs * cost + 1.0;
}

static uint64_t mix(uint64_t hash, const char *text)
{
    return lotor_hash_byte(lotor_hash_bytes(hash, text, strlen(text)), 0xff);
}

uint64_t lotor_figure_fingerprint(const lotor_figure *figure, bool is_quick)
{
    char text[LOTOR_DESCRIPTION_ROOM];
    uint64_t hash = LOTOR_HASH_START;
    snprintf(text, sizeof text, "%d|%d|%d", (int)figure->axis, (int)figure->measure,
             (int)figure->log_x);
    hash = mix(hash, text);
    hash = figure->notes_rounds ? mix(hash, "notes rounds") : hash;
    /* Files that were written before 2025's bounds were known have smaller ones. */
    hash = lotor_figure_has_bounds(figure) ? mix(hash, "bounds with privacy") : hash;
    const size_t count = lotor_figure_cell_count(figure, is_quick);
    for (size_t i = 0; i < count; i++) {
        const lotor_figure_cell cell = lotor_figure_cell_at(figure, is_quick, i);
        lotor_setting_describe(&cell.setting, text);
        hash = mix(hash, text);
        snprintf(text, sizeof text, "%.17g", cell.x);
        hash = mix(hash, text);
    }
    return hash;
}

bool lotor_figure_has_bounds(const lotor_figure *figure)
{
    return figure->axis == LOTOR_AXIS_ROUND && (figure->measure == LOTOR_MEASURE_REGRET ||
                                                figure->measure == LOTOR_MEASURE_REGRET_PER_LOG);
}

bool lotor_figure_has_movies(const lotor_figure *figure)
{
    bool has = figure->base.place == LOTOR_FIGURE_WORLD_MOVIELENS;
    for (size_t i = 0; i < figure->curve_count; i++) {
        has = has || figure->curves[i].setting.place == LOTOR_FIGURE_WORLD_MOVIELENS;
    }
    return has;
}

void lotor_figure_remark(const lotor_figure *figure, const lotor_reproduction *how, char *text,
                         size_t capacity)
{
    if (!lotor_figure_has_movies(figure)) {
        snprintf(text, capacity, "%s", "");
    } else if (how->movielens) {
        snprintf(text, capacity, "on the MovieLens files in %s",
                 lotor_excerpt(how->movielens, strlen(how->movielens)).text);
    } else {
        snprintf(text, capacity, "on a generated look-alike of MovieLens 1M, not on the data set");
    }
}

char *lotor_copy_text(const char *text)
{
    const size_t room = strlen(text) + 1;
    char *copy = malloc(room);
    return copy ? memcpy(copy, text, room) : NULL;
}

/* --- panels and series without points --------------------------------------------------------- */

static lotor_status frame_panel(const lotor_figure *figure, bool is_quick, size_t number,
                                lotor_panel *panel)
{
    const size_t values = count_values(figure, is_quick);
    panel->label = lotor_copy_text(lotor_figure_panel_label(figure, number));
    panel->series = calloc(figure->curve_count, sizeof *panel->series);
    if (!panel->label || !panel->series) {
        return LOTOR_MEMORY;
    }
    panel->count = figure->curve_count;
    for (size_t i = 0; i < figure->curve_count; i++) {
        panel->series[i].lower_bound = NAN;
        const size_t cell = (number * figure->curve_count + i) * values;
        panel->series[i].runs = lotor_figure_cell_at(figure, is_quick, cell).setting.runs;
        panel->series[i].label = lotor_copy_text(figure->curves[i].label);
        if (!panel->series[i].label) {
            return LOTOR_MEMORY;
        }
    }
    return LOTOR_OK;
}

lotor_status lotor_figure_result_frame(const lotor_figure *figure, const lotor_reproduction *how,
                                       lotor_message *why, lotor_figure_result *out)
{
    const bool is_quick = how->is_quick;
    const lotor_setting as_it_is = {0};
    const lotor_setting base = merge(figure, &as_it_is, is_quick);
    *out = (lotor_figure_result){
        .figure = figure,
        .is_quick = is_quick,
        .seed = how->seed,
        .horizon = base.horizon,
        .runs = base.runs,
        .panels = calloc(lotor_figure_panels(figure), sizeof *out->panels),
    };
    lotor_status status = out->panels ? LOTOR_OK : LOTOR_MEMORY;
    while (status == LOTOR_OK && out->count < lotor_figure_panels(figure)) {
        status = frame_panel(figure, is_quick, out->count, &out->panels[out->count]);
        out->count++;
    }
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "no memory for the points of %s", figure->id);
    }
    lotor_figure_remark(figure, how, out->remark, sizeof out->remark);
    out->is_illustration = lotor_figure_has_movies(figure) &&
                           !(how->movielens && lotor_movies_are_real(how->movielens));
    uint64_t digest;
    if (how->movielens && lotor_figure_has_movies(figure) &&
        lotor_movies_digest(how->movielens, &digest)) {
        snprintf(out->data, sizeof out->data, "%016llx", (unsigned long long)digest);
    }
    return LOTOR_OK;
}

void lotor_figure_result_clear(lotor_figure_result *played)
{
    for (size_t i = 0; i < played->count; i++) {
        lotor_panel *panel = &played->panels[i];
        for (size_t j = 0; j < panel->count; j++) {
            free(panel->series[j].label);
            free(panel->series[j].points);
            free(panel->series[j].shown.arms);
        }
        free(panel->series);
        free(panel->label);
    }
    free(played->panels);
    free(played->best.arms);
    for (size_t i = 0; i < played->name_count; i++) {
        free(played->names[i]);
    }
    free(played->names);
    *played = (lotor_figure_result){0};
}
