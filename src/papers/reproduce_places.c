/* reproduce_places.c - finds the x values of a figure's points: see reproduce_plan.h. */
#include <stdlib.h>

#include "lab/checkpoints.h"
#include "papers/reproduce_plan.h"

/* On a linear axis, log-spaced times leave gaps at the end. So many times are recorded, and points
 * that are closer than a hundredth of the axis are dropped. */
enum { LOG_TIMES = 60, LINEAR_TIMES = 600, LINEAR_PARTS = 100 };

size_t lotor_figure_times(const lotor_figure *figure)
{
    if (figure->axis != LOTOR_AXIS_ROUND && !figure->notes_rounds) {
        return 1;
    }
    return figure->log_x ? LOG_TIMES : LINEAR_TIMES;
}

bool lotor_round_is_point(const lotor_figure *figure, const lotor_setting *setting, uint64_t t,
                          double before)
{
    if (t == setting->horizon) {
        return true;
    }
    /* In a linear world the return is known only for the whole run. */
    if (figure->measure == LOTOR_MEASURE_RETURN && setting->place == LOTOR_FIGURE_WORLD_LINEAR) {
        return false;
    }
    if (figure->measure == LOTOR_MEASURE_REGRET_PER_LOG && t < 2) {
        return false;
    }
    const double apart = (double)setting->horizon / (double)LINEAR_PARTS;
    return figure->log_x || before == 0.0 || (double)t - before >= apart;
}

static lotor_status places_over_rounds(const lotor_figure *figure, const lotor_setting *setting,
                                       double **out, size_t *count)
{
    uint64_t *times;
    size_t time_count;
    lotor_status status =
        lotor_checkpoint_times(setting->horizon, lotor_figure_times(figure), &times, &time_count);
    if (status != LOTOR_OK) {
        return status;
    }
    *out = calloc(time_count + 1, sizeof **out);
    status = *out ? LOTOR_OK : LOTOR_MEMORY;
    double before = 0.0;
    for (size_t i = 0; i < time_count && *out; i++) {
        if (lotor_round_is_point(figure, setting, times[i], before)) {
            before = (*out)[(*count)++] = (double)times[i];
        }
    }
    free(times);
    return status;
}

lotor_status lotor_curve_places(const lotor_figure *figure, bool is_quick, size_t panel,
                                size_t curve, double **out, size_t *count)
{
    const size_t values = lotor_figure_cell_count(figure, is_quick) / lotor_figure_panels(figure) /
                          figure->curve_count;
    const size_t first = (panel * figure->curve_count + curve) * values;
    *out = NULL;
    *count = 0;
    if (figure->axis == LOTOR_AXIS_ROUND) {
        const lotor_figure_cell cell = lotor_figure_cell_at(figure, is_quick, first);
        return places_over_rounds(figure, &cell.setting, out, count);
    }
    *out = calloc(values + 1, sizeof **out);
    for (size_t i = 0; i < values && *out; i++) {
        (*out)[(*count)++] = lotor_figure_cell_at(figure, is_quick, first + i).x;
    }
    return *out ? LOTOR_OK : LOTOR_MEMORY;
}
