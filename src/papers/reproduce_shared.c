/* reproduce_shared.c - finds equal experiments, in one figure or in two: see reproduce_plan.h.
 *
 * An experiment depends only on its settings and the seed, so equal experiments give the same
 * numbers. A figure over the rounds keeps the points that it draws. So another figure can copy the
 * curve, or its end, if it draws the same measure.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "papers/reproduce_plan.h"
#include "policy/catalog.h"

static bool is_same_trial(const lotor_setting *one, const lotor_setting *other)
{
    /* A quick test first: most settings differ in one of these fields. */
    if (one->place != other->place || one->epsilon != other->epsilon || one->arms != other->arms ||
        strcmp(one->algorithm, other->algorithm) != 0) {
        return false;
    }
    char mine[LOTOR_DESCRIPTION_ROOM], theirs[LOTOR_DESCRIPTION_ROOM];
    lotor_setting_describe(one, mine);
    lotor_setting_describe(other, theirs);
    return strcmp(mine, theirs) == 0;
}

/* True if anything is played. A formula is not played, so copying would save nothing. */
static bool is_trial(const lotor_setting *setting)
{
    return setting->place != LOTOR_FIGURE_WORLD_FORMULA &&
           lotor_algorithms_find(setting->algorithm) != NULL;
}

size_t lotor_figure_cell_first_like(const lotor_figure *figure, bool is_quick, size_t number)
{
    const lotor_figure_cell cell = lotor_figure_cell_at(figure, is_quick, number);
    if (!is_trial(&cell.setting)) {
        return number;
    }
    for (size_t i = 0; i < number; i++) {
        const lotor_figure_cell before = lotor_figure_cell_at(figure, is_quick, i);
        if (is_trial(&before.setting) && is_same_trial(&before.setting, &cell.setting)) {
            return i;
        }
    }
    return number;
}

/* True if `from` keeps all numbers of an experiment that `figure` draws. */
static bool keeps_as_much(const lotor_figure *from, const lotor_figure *figure)
{
    if (lotor_figure_times(from) != lotor_figure_times(figure) ||
        from->measure != figure->measure || figure->lists_sets) {
        return false;
    }
    const bool over_rounds = figure->axis == LOTOR_AXIS_ROUND;
    if (from->axis == LOTOR_AXIS_ROUND) {
        /* The end of a curve is the number for a figure over a setting. The return is an exception:
         * it is added up in another way, and may differ in the last digits. */
        return over_rounds ? from->log_x == figure->log_x : figure->measure == LOTOR_MEASURE_REGRET;
    }
    return !over_rounds;
}

bool lotor_figure_cell_like(const lotor_figure *from, const lotor_figure *figure, bool is_quick,
                            const lotor_figure_cell *cell, lotor_figure_cell *out)
{
    if (!is_trial(&cell->setting) || !keeps_as_much(from, figure)) {
        return false;
    }
    const size_t count = lotor_figure_cell_count(from, is_quick);
    for (size_t i = 0; i < count; i++) {
        *out = lotor_figure_cell_at(from, is_quick, i);
        if (is_trial(&out->setting) && is_same_trial(&out->setting, &cell->setting)) {
            return true;
        }
    }
    return false;
}

double lotor_figure_work(const lotor_figure *figure, bool is_quick,
                         const lotor_figure *const *before, size_t before_count)
{
    double work = 0.0;
    const size_t count = lotor_figure_cell_count(figure, is_quick);
    for (size_t i = 0; i < count; i++) {
        const lotor_figure_cell cell = lotor_figure_cell_at(figure, is_quick, i);
        bool is_there = lotor_figure_cell_first_like(figure, is_quick, i) < i;
        for (size_t k = 0; k < before_count && !is_there; k++) {
            lotor_figure_cell like;
            is_there = lotor_figure_cell_like(before[k], figure, is_quick, &cell, &like);
        }
        work += is_there ? 0.0 : lotor_figure_cell_work(&cell);
    }
    return work;
}

lotor_status lotor_points_add(lotor_series *series, lotor_curve_point point, lotor_message *why)
{
    lotor_curve_point *more = realloc(series->points, (series->count + 1) * sizeof *more);
    if (!more) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the points of %s", series->label);
    }
    series->points = more;
    series->points[series->count++] = point;
    return LOTOR_OK;
}

lotor_status lotor_points_copy(const lotor_figure *from_figure, const lotor_figure_cell *from,
                               const lotor_series *source, const lotor_figure *figure,
                               const lotor_figure_cell *cell, lotor_message *why, lotor_series *to)
{
    const bool over_rounds = figure->axis == LOTOR_AXIS_ROUND;
    const size_t count = source->count; /* `source` may be `to`, which grows */
    lotor_status status = LOTOR_OK;
    to->lower_bound = over_rounds ? source->lower_bound : NAN;
    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        lotor_curve_point point = source->points[i];
        const bool is_end =
            from_figure->axis == LOTOR_AXIS_ROUND ? i + 1 == count : point.x == from->x;
        if (over_rounds || is_end) {
            point.x = over_rounds ? point.x : cell->x;
            status = lotor_points_add(to, point, why);
        }
    }
    return status;
}
