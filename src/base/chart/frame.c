/* frame.c - computes the sizes and positions in a chart: see frame.h. */
#include "base/chart/frame.h"

#include <math.h>
#include <string.h>

#include "base/chart/svg.h"

enum { X_TICKS = 9, Y_TICKS = 6, MOST_END_WIDTH = 140, TOP = 16, PLOT_HEIGHT = 250 };

/* Bounds that differ by less than the width of a line are drawn as one. */
static bool same_bound(double one, double other)
{
    return fabs(one - other) <= 1e-3 * fabs(one);
}

bool lotor_chart_has_bound(const lotor_chart *chart, size_t number)
{
    const double bound = chart->curves[number].lower_bound;
    if (chart->bound == LOTOR_BOUND_NONE || !(bound > 0.0 && bound < 1e100)) {
        return false;
    }
    for (size_t i = 0; i < number; i++) {
        if (same_bound(bound, chart->curves[i].lower_bound)) {
            return false;
        }
    }
    return true;
}

double lotor_chart_bound_at(const lotor_chart *chart, size_t number, double x)
{
    const double bound = chart->curves[number].lower_bound;
    return chart->bound == LOTOR_BOUND_LOG ? bound * log(x) : bound;
}

static lotor_axis_range x_span(const lotor_chart *chart)
{
    lotor_axis_range span = lotor_axis_range_none;
    for (size_t i = 0; i < chart->count; i++) {
        const lotor_curve *curve = &chart->curves[i];
        for (size_t j = 0; j < curve->count; j++) {
            span = lotor_axis_range_with(span, chart->log_x, curve->points[j].x);
        }
    }
    return span;
}

static bool has_positive(const lotor_chart *chart)
{
    for (size_t i = 0; i < chart->count; i++) {
        for (size_t j = 0; j < chart->curves[i].count; j++) {
            if (lotor_axis_shows(true, chart->curves[i].points[j].mean)) {
                return true;
            }
        }
    }
    return false;
}

/* The lowest value on a logarithmic y axis over the rounds. The regret of the first rounds is many
 * powers of ten below the interesting part. So the axis starts at a hundredth of the lowest end of
 * a curve or bound, and values below that are cut off. */
static double lowest_shown(const lotor_chart *chart, double last_x)
{
    lotor_axis_range ends = lotor_axis_range_none;
    for (size_t i = 0; i < chart->count; i++) {
        const lotor_curve *curve = &chart->curves[i];
        if (curve->count > 0) {
            ends = lotor_axis_range_with(ends, true, curve->points[curve->count - 1].mean);
        }
        if (lotor_chart_has_bound(chart, i)) {
            ends = lotor_axis_range_with(ends, true, lotor_chart_bound_at(chart, i, last_x));
        }
    }
    return chart->bound == LOTOR_BOUND_NONE || ends.low > ends.high ? 0.0 : ends.low / 100.0;
}

static lotor_axis_range y_span(const lotor_chart *chart, bool is_log, double last_x)
{
    lotor_axis_range span = lotor_axis_range_none;
    const double lowest = is_log ? lowest_shown(chart, last_x) : 0.0;
    for (size_t i = 0; i < chart->count; i++) {
        const lotor_curve *curve = &chart->curves[i];
        for (size_t j = 0; j < curve->count; j++) {
            const lotor_curve_point *point = &curve->points[j];
            if (!lotor_axis_shows(chart->log_x, point->x)) {
                continue;
            }
            span = lotor_axis_range_with(span, is_log, point->mean);
            span = lotor_axis_range_with(span, is_log, point->mean + point->standard_error);
            if (!is_log) { /* a logarithmic band may reach down to 0 */
                span = lotor_axis_range_with(span, is_log, point->mean - point->standard_error);
            }
        }
        if (lotor_chart_has_bound(chart, i)) {
            span = lotor_axis_range_with(span, is_log, lotor_chart_bound_at(chart, i, last_x));
        }
    }
    if (span.low < lowest && lowest < span.high) {
        span.low = lowest;
    }
    return span;
}

lotor_axis_range lotor_chart_span(const lotor_chart *chart)
{
    return y_span(chart, chart->log_y && has_positive(chart), x_span(chart).high);
}

bool lotor_chart_needs_log_y(const lotor_chart *chart)
{
    static const double most_ratio = 12.0;
    const double last_x = x_span(chart).high;
    lotor_axis_range ends = lotor_axis_range_none;
    for (size_t i = 0; i < chart->count; i++) {
        const lotor_curve *curve = &chart->curves[i];
        if (curve->count > 0) {
            const double end = curve->points[curve->count - 1].mean;
            if (end < -1e-6) { /* negative, and not only by rounding */
                return false;
            }
            ends = lotor_axis_range_with(ends, true, end);
        }
        if (lotor_chart_has_bound(chart, i)) {
            ends = lotor_axis_range_with(ends, true, lotor_chart_bound_at(chart, i, last_x));
        }
    }
    return ends.high > most_ratio * ends.low && ends.low <= ends.high;
}

/* The range of the y axis. A logarithmic axis gets a margin. A linear axis starts at 0, unless that
 * squeezes the curves. */
static lotor_axis_range y_range(const lotor_chart *chart, bool is_log, double last_x)
{
    lotor_axis_range range = y_span(chart, is_log, last_x);
    if (chart->y.low <= chart->y.high) {
        range = lotor_axis_range_with(range, is_log, chart->y.low);
        range = lotor_axis_range_with(range, is_log, chart->y.high);
    }
    range = lotor_axis_range_open(range, is_log);
    if (is_log) {
        const double air = pow(range.high / range.low, 0.04);
        return (lotor_axis_range){range.low / air, range.high * air};
    }
    if (range.low > 0.0 && range.low < 0.5 * range.high) {
        range.low = 0.0;
    } else if (range.high < 0.0 && range.high > 0.5 * range.low) {
        range.high = 0.0;
    }
    return lotor_axis_range_to_ticks(range, Y_TICKS);
}

static lotor_axis_range x_range(const lotor_chart *chart)
{
    const lotor_axis_range range = lotor_axis_range_open(x_span(chart), chart->log_x);
    if (chart->bound != LOTOR_BOUND_NONE) { /* the x axis is the rounds */
        return range;
    }
    if (chart->log_x) {
        const double air = pow(range.high / range.low, 0.03);
        return (lotor_axis_range){range.low / air, range.high * air};
    }
    const double air = (range.high - range.low) * 0.03;
    return (lotor_axis_range){range.low - air, range.high + air};
}

size_t lotor_chart_last_shown(const chart_frame *frame, const lotor_curve *curve)
{
    for (size_t i = curve->count; i-- > 0;) {
        if (lotor_axis_shows(frame->x.is_log, curve->points[i].x) &&
            lotor_axis_shows(frame->y.is_log, curve->points[i].mean)) {
            return i;
        }
    }
    return curve->count;
}

static size_t count_hidden(const chart_frame *frame)
{
    size_t hidden = 0;
    for (size_t i = 0; i < frame->chart->count; i++) {
        const lotor_curve *curve = &frame->chart->curves[i];
        for (size_t j = 0; j < curve->count; j++) {
            const lotor_curve_point *point = &curve->points[j];
            hidden +=
                (frame->x.is_log && point->x <= 0.0) || (frame->y.is_log && point->mean <= 0.0);
        }
    }
    return hidden;
}

static double ticks_width(const lotor_ticks *ticks)
{
    double width = 0.0;
    for (size_t i = 0; i < ticks->count; i++) {
        char room[96] = "";
        lotor_text label = {.bytes = room, .capacity = sizeof room, .is_fixed = true};
        lotor_tick_label(&label, ticks, ticks->at[i]);
        width = fmax(width, lotor_svg_text_width(room));
    }
    return width;
}

/* True if the names can be at the ends of the curves: all curves reach the right side, and the
 * names are few and short. */
static bool names_fit_at_ends(const chart_frame *frame, double widest)
{
    if (frame->entries > CHART_MOST_ENDS || widest > (double)MOST_END_WIDTH) {
        return false;
    }
    for (size_t i = 0; i < frame->chart->count; i++) {
        const lotor_curve *curve = &frame->chart->curves[i];
        const size_t last = lotor_chart_last_shown(frame, curve);
        if (last == curve->count ||
            !(lotor_axis_scale_at(&frame->x, curve->points[last].x) > 0.85)) {
            return false;
        }
    }
    return true;
}

static double count_names(chart_frame *frame)
{
    const lotor_chart *chart = frame->chart;
    double widest = 0.0;
    size_t bounds = 0;
    for (size_t i = 0; i < chart->count; i++) {
        widest = fmax(widest, lotor_svg_text_width(chart->curves[i].label));
        bounds += lotor_chart_has_bound(chart, i);
    }
    frame->has_bounds = bounds > 0;
    frame->many_bounds = bounds > 1;
    frame->entries = chart->count + (bounds == 1);
    return bounds == 1 ? fmax(widest, lotor_svg_text_width("lower bound")) : widest;
}

static bool is_cut(const chart_frame *frame)
{
    for (size_t i = 0; i < frame->chart->count; i++) {
        const lotor_curve *curve = &frame->chart->curves[i];
        for (size_t j = 0; j < curve->count; j++) {
            const double mean = curve->points[j].mean;
            if (mean > 0.0 && mean < frame->y.range.low) {
                return true;
            }
        }
    }
    return false;
}

/* Makes as many ticks on the x axis as their labels have room for. Half of the last label may
 * extend beyond the axis. */
static void place_x(chart_frame *frame, double ends)
{
    for (size_t about = X_TICKS; about >= 3; about--) {
        frame->x_ticks = lotor_ticks_of(frame->x.range, frame->x.is_log, about);
        const double width = ticks_width(&frame->x_ticks);
        frame->x.to = frame->width - fmax(ends, width / 2.0 + 2.0);
        frame->x.to = fmax(frame->x.from + 100.0, frame->x.to);
        const double room = frame->x.to - frame->x.from;
        if ((double)frame->x_ticks.count * (width + 12.0) <= room + width) {
            break;
        }
    }
}

chart_frame lotor_chart_frame_of(const lotor_chart *chart)
{
    chart_frame frame = {.chart = chart,
                         .width = chart->width > 0 ? chart->width : LOTOR_CHART_WIDTH};
    const bool log_y = chart->log_y && has_positive(chart);
    /* Positions are shares of the width at first, to see which curves end early. */
    frame.x = (lotor_axis_scale){x_range(chart), chart->log_x, 0.0, 1.0};
    frame.y = (lotor_axis_scale){y_range(chart, log_y, frame.x.range.high), log_y, 1.0, 0.0};
    frame.y_ticks = lotor_ticks_of(frame.y.range, log_y, log_y ? Y_TICKS + 2 : Y_TICKS);
    const double widest = count_names(&frame);
    frame.names_at_ends = names_fit_at_ends(&frame, widest);
    const int title_lines =
        lotor_svg_lines(NULL, "head", chart->title, 0.0, 0.0, frame.width - CHART_TITLE_LEFT);
    const double top = TOP + (title_lines > 0 ? CHART_LINE * title_lines + 4 : 0);
    frame.x.from = 30.0 + ticks_width(&frame.y_ticks);
    place_x(&frame, frame.names_at_ends ? widest + 22.0 : 12.0);
    frame.y.from = top + (double)frame.width * (double)PLOT_HEIGHT / (double)LOTOR_CHART_WIDTH;
    frame.y.to = top;
    double bottom = frame.y.from + 42.0;
    if (!frame.names_at_ends && frame.entries > 0) {
        const double room = frame.width - frame.x.from;
        const double columns = floor(room / (widest + 44.0));
        frame.columns = (size_t)fmax(1.0, fmin(3.0, columns));
        frame.entry_width = room / (double)frame.columns;
        frame.legend_top = bottom + 6.0;
        const size_t rows = (frame.entries + frame.columns - 1) / frame.columns;
        bottom = frame.legend_top + (double)rows * (double)CHART_LINE;
    }
    /* If the axis cuts off low points anyway, points at 0 are not mentioned separately. */
    frame.hidden = log_y && is_cut(&frame) ? 0 : count_hidden(&frame);
    frame.note_base = bottom + (double)CHART_LINE - 4.0;
    const int note_lines = lotor_chart_note_lines(&frame);
    bottom += note_lines > 0 ? CHART_LINE * note_lines + 2.0 : 0.0;
    frame.height = (int)ceil(bottom + 6.0);
    return frame;
}

int lotor_chart_height(const lotor_chart *chart)
{
    return lotor_chart_frame_of(chart).height;
}
