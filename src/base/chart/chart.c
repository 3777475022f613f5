/* chart.c - see chart.h: the axes, the bands and the curves. */
#include "base/chart/chart.h"

#include <math.h>
#include <string.h>

#include "base/chart/frame.h"
#include "base/chart/svg.h"

/* A curve with few points has a marker on each. Otherwise markers have this distance. */
enum { FEW_POINTS = 25 };
static const double marker_distance = 80.0;

/* --- the axes ----------------------------------------------------------------------------------- */

static void put_line(lotor_text *text, bool is_vertical, double at, double from, double to)
{
    lotor_svg_place(text, "M", is_vertical ? at : from, is_vertical ? from : at);
    lotor_svg_place(text, "L", is_vertical ? at : to, is_vertical ? to : at);
}

static void put_grid(lotor_text *text, const chart_frame *frame)
{
    lotor_text_add(text, "<path class=\"grid\" d=\"");
    for (size_t i = 0; i < frame->x_ticks.count; i++) {
        put_line(text, true, lotor_axis_scale_at(&frame->x, frame->x_ticks.at[i]), frame->y.from,
                 frame->y.to);
    }
    for (size_t i = 0; i < frame->y_ticks.count; i++) {
        put_line(text, false, lotor_axis_scale_at(&frame->y, frame->y_ticks.at[i]), frame->x.from,
                 frame->x.to);
    }
    lotor_text_add(text, "\"/>\n");
}

/* Short marks at 2 to 9 times the powers of ten. */
static void put_minor(lotor_text *text, const lotor_axis_scale *scale, const lotor_ticks *ticks,
                      bool is_vertical, double from, double to)
{
    for (size_t i = 0; ticks->has_minor && i <= ticks->count; i++) {
        const double power = i == 0 ? ticks->at[0] / 10.0 : ticks->at[i - 1];
        for (int times = 2; times <= 9; times++) {
            const double value = times * power;
            if (value >= scale->range.low && value <= scale->range.high) {
                put_line(text, is_vertical, lotor_axis_scale_at(scale, value), from, to);
            }
        }
    }
}

static void put_axes(lotor_text *text, const chart_frame *frame)
{
    const double left = frame->x.from, bottom = frame->y.from;
    lotor_text_add(text, "<path class=\"axis\" d=\"");
    put_line(text, true, left, bottom, frame->y.to);
    put_line(text, false, bottom, left, frame->x.to);
    put_minor(text, &frame->x, &frame->x_ticks, true, bottom, bottom + 3.0);
    put_minor(text, &frame->y, &frame->y_ticks, false, left - 3.0, left);
    for (size_t i = 0; i < frame->x_ticks.count; i++) {
        put_line(text, true, lotor_axis_scale_at(&frame->x, frame->x_ticks.at[i]), bottom,
                 bottom + 5.0);
    }
    if (!frame->y.is_log && frame->y.range.low < 0.0 && frame->y.range.high > 0.0) {
        put_line(text, false, lotor_axis_scale_at(&frame->y, 0.0), left, frame->x.to);
    }
    lotor_text_add(text, "\"/>\n");
}

static void put_tick_labels(lotor_text *text, const chart_frame *frame)
{
    for (size_t i = 0; i < frame->x_ticks.count; i++) {
        lotor_svg_open_text(text, "mid", lotor_axis_scale_at(&frame->x, frame->x_ticks.at[i]),
                            frame->y.from + 18.0);
        lotor_tick_label(text, &frame->x_ticks, frame->x_ticks.at[i]);
        lotor_text_add(text, "</text>\n");
    }
    for (size_t i = 0; i < frame->y_ticks.count; i++) {
        lotor_svg_open_text(text, "end", frame->x.from - 6.0,
                            lotor_axis_scale_at(&frame->y, frame->y_ticks.at[i]) + 4.5);
        lotor_tick_label(text, &frame->y_ticks, frame->y_ticks.at[i]);
        lotor_text_add(text, "</text>\n");
    }
}

/* Writes the size of the letters, if the words would be wider than `room`. */
static void put_size(lotor_text *text, const char *words, double room)
{
    static const double size = 13.0;
    const double width = lotor_svg_text_width(words);
    if (width > room) {
        lotor_text_add(text, " style=\"font-size:");
        lotor_text_fixed(text, fmax(6.0, size * room / width), 1);
        lotor_text_add(text, "px\"");
    }
}

static void put_titles(lotor_text *text, const chart_frame *frame)
{
    const lotor_chart *chart = frame->chart;
    const double middle = (frame->y.from + frame->y.to) / 2.0;
    const double x = (frame->x.from + frame->x.to) / 2.0;
    lotor_text_add(text, "<text class=\"mid\" x=\"");
    lotor_text_fixed(text, x, 1);
    lotor_text_add(text, "\" y=\"");
    lotor_text_fixed(text, frame->y.from + 37.0, 1);
    lotor_text_add(text, "\"");
    put_size(text, chart->x_title, 2.0 * fmin(x, frame->width - x));
    lotor_text_add(text, ">");
    lotor_text_escape(text, chart->x_title);
    lotor_text_add(text, "</text>\n<text class=\"mid\" transform=\"translate(14 ");
    lotor_text_fixed(text, middle, 1);
    lotor_text_add(text, ")rotate(-90)\"");
    put_size(text, chart->y_title, 2.0 * fmin(middle, frame->height - middle));
    lotor_text_add(text, ">");
    lotor_text_escape(text, chart->y_title);
    lotor_text_add(text, "</text>\n");
    (void)lotor_svg_lines(text, "head", chart->title, CHART_TITLE_LEFT, 17.0,
                          frame->width - CHART_TITLE_LEFT);
    lotor_chart_draw_notes(text, frame);
}

/* --- the curves --------------------------------------------------------------------------------- */

/* The position of a point in the picture; NaN if it is not shown. */
typedef struct place {
    double x, y, top, bottom; /* top and bottom are of the band; without an error, both are y */
} place;

static place place_of(const chart_frame *frame, const lotor_curve_point *point)
{
    const bool has_place = lotor_axis_shows(frame->x.is_log, point->x) &&
                           lotor_axis_shows(frame->y.is_log, point->mean);
    if (!has_place) {
        return (place){NAN, NAN, NAN, NAN};
    }
    place at = {.x = lotor_axis_scale_at(&frame->x, point->x),
                .y = lotor_axis_scale_at(&frame->y, point->mean)};
    const double error = point->standard_error > 0.0 ? point->standard_error : 0.0;
    at.top = lotor_axis_scale_at(&frame->y, point->mean + error);
    at.bottom = lotor_axis_scale_at(&frame->y, point->mean - error);
    at.top = isnan(at.top) ? frame->y.to : at.top;
    at.bottom = isnan(at.bottom) ? frame->y.from : at.bottom; /* 0 has no logarithm */
    return at;
}

static bool is_shown(place at)
{
    return !isnan(at.x);
}

/* The end of the points from `first` on that are shown without a gap. */
static size_t piece_end(const chart_frame *frame, const lotor_curve *curve, size_t first)
{
    const size_t start = first;
    while (first < curve->count && !(frame->chart->only_points && first > start) &&
           is_shown(place_of(frame, &curve->points[first]))) {
        first++;
    }
    return first;
}

static void put_band(lotor_text *text, const chart_frame *frame, const lotor_curve *curve)
{
    for (size_t first = 0; first < curve->count; first++) {
        const size_t end = piece_end(frame, curve, first);
        if (end - first == 1) {
            const place at = place_of(frame, &curve->points[first]);
            lotor_text_add(text, "<path class=\"bar\" d=\"");
            put_line(text, true, at.x, at.top, at.bottom);
            lotor_text_add(text, "\"/>");
        } else if (end > first) {
            lotor_text_add(text, "<path class=\"band\" d=\"");
            for (size_t i = first; i < end; i++) {
                const place at = place_of(frame, &curve->points[i]);
                lotor_svg_place(text, i == first ? "M" : "L", at.x, at.top);
            }
            for (size_t i = end; i-- > first;) {
                const place at = place_of(frame, &curve->points[i]);
                lotor_svg_place(text, "L", at.x, at.bottom);
            }
            lotor_text_add(text, "z\"/>");
        }
        first = end > first && frame->chart->only_points ? end - 1 : end;
    }
}

static void put_curve(lotor_text *text, const chart_frame *frame, size_t number)
{
    const lotor_curve *curve = &frame->chart->curves[number];
    bool is_down = false, has_any = false;
    for (size_t i = 0; i < curve->count && !frame->chart->only_points; i++) {
        const place at = place_of(frame, &curve->points[i]);
        if (is_shown(at)) {
            if (!has_any) {
                lotor_text_print(text, "<path class=\"line d%zu\" d=\"",
                                 number / CHART_COLOURS % 3);
            }
            lotor_svg_place(text, is_down ? "L" : "M", at.x, at.y);
            has_any = true;
        }
        is_down = is_shown(at);
    }
    lotor_text_add(text, has_any ? "\"/>" : "");
}

static void put_markers(lotor_text *text, const chart_frame *frame, size_t number)
{
    const lotor_curve *curve = &frame->chart->curves[number];
    const size_t last = lotor_chart_last_shown(frame, curve);
    /* If curves coincide, their markers are at different positions. */
    double next = frame->x.from + 24.0 + (double)(number * 23 % 80);
    const double end =
        last < curve->count ? lotor_axis_scale_at(&frame->x, curve->points[last].x) : 0.0;
    bool after_gap = true;
    lotor_text_add(text, last < curve->count ? "<path class=\"mark\" d=\"" : "");
    for (size_t i = 0; i < curve->count; i++) {
        const place at = place_of(frame, &curve->points[i]);
        const bool before_gap =
            i + 1 == curve->count || !is_shown(place_of(frame, &curve->points[i + 1]));
        const bool is_alone = after_gap && before_gap;
        const bool is_due = at.x >= next && at.x < end - marker_distance / 3.0;
        const bool is_marked =
            curve->count <= FEW_POINTS || frame->chart->only_points || is_due || i == last;
        if (is_shown(at) && (is_marked || is_alone)) {
            lotor_svg_marker(text, number, at.x, at.y);
            next = at.x + marker_distance;
        }
        after_gap = !is_shown(at);
    }
    lotor_text_add(text, last < curve->count ? "\"/>" : "");
}

static void put_bound(lotor_text *text, const chart_frame *frame, size_t number)
{
    enum { PIECES = 60 };
    lotor_axis_range x = frame->x.range;
    x.low = fmax(x.low, fmin(frame->chart->bound_from, x.high));
    bool is_down = false;
    if (frame->many_bounds) {
        lotor_text_print(text, "<g class=\"c%zu\"><title>lower bound of ", number % CHART_COLOURS);
        lotor_text_escape(text, frame->chart->curves[number].label);
        lotor_text_add(text, "</title>");
    } else {
        lotor_text_add(text, "<g class=\"only\"><title>lower bound</title>");
    }
    lotor_text_add(text, "<path class=\"edge\" d=\"");
    for (int i = 0; i <= PIECES; i++) {
        const double share = (double)i / (double)PIECES;
        const double at =
            frame->x.is_log ? x.low * pow(x.high / x.low, share) : x.low + share * (x.high - x.low);
        const double y =
            at >= 1.0 || frame->chart->bound == LOTOR_BOUND_LEVEL
                ? lotor_axis_scale_at(&frame->y, lotor_chart_bound_at(frame->chart, number, at))
                : NAN;
        if (!isnan(y)) {
            lotor_svg_place(text, is_down ? "L" : "M", lotor_axis_scale_at(&frame->x, at), y);
            is_down = true;
        }
    }
    lotor_text_add(text, is_down ? "\"/></g>\n" : "M0 0\"/></g>\n");
}

/* Cuts off everything beyond the axes. Markers may extend beyond them by half. */
static void open_clip(lotor_text *text, const chart_frame *frame)
{
    lotor_text_add(text, "<clipPath id=\"");
    lotor_text_escape(text, frame->chart->id);
    lotor_text_add(text, "-clip\"><path d=\"");
    lotor_svg_place(text, "M", frame->x.from - 5.0, frame->y.to - 5.0);
    lotor_svg_place(text, "L", frame->x.to + 5.0, frame->y.to - 5.0);
    const double bottom = frame->y.from + (frame->y.is_log ? 0.0 : 5.0); /* no marker is at log 0 */
    lotor_svg_place(text, "L", frame->x.to + 5.0, bottom);
    lotor_svg_place(text, "L", frame->x.from - 5.0, bottom);
    lotor_text_add(text, "z\"/></clipPath>\n<g clip-path=\"url(#");
    lotor_text_escape(text, frame->chart->id);
    lotor_text_add(text, "-clip)\">\n");
}

static void put_curves(lotor_text *text, const chart_frame *frame)
{
    const lotor_chart *chart = frame->chart;
    open_clip(text, frame);
    for (size_t i = 0; i < chart->count; i++) {
        lotor_text_print(text, "<g class=\"c%zu\">", i % CHART_COLOURS);
        put_band(text, frame, &chart->curves[i]);
        lotor_text_add(text, "</g>\n");
    }
    for (size_t i = 0; i < chart->count; i++) {
        if (lotor_chart_has_bound(chart, i)) {
            put_bound(text, frame, i);
        }
    }
    for (size_t i = 0; i < chart->count; i++) {
        lotor_text_print(text, "<g class=\"curve c%zu\"><title>", i % CHART_COLOURS);
        lotor_text_escape(text, chart->curves[i].label);
        lotor_text_add(text, "</title>");
        put_curve(text, frame, i);
        put_markers(text, frame, i);
        lotor_text_add(text, "</g>\n");
    }
    lotor_text_add(text, "</g>\n");
}

/* --- the chart ----------------------------------------------------------------------------------- */

/* Writes a number with four significant digits: "22,440", "0.0125". */
static void put_rounded(lotor_text *text, double value)
{
    if (fabs(value) >= 1e4 && fabs(value) < 1e15) {
        const double unit = pow(10.0, floor(log10(fabs(value))) - 3.0);
        lotor_text_add(text, value < 0.0 ? "-" : "");
        lotor_text_grouped(text, (uint64_t)(round(fabs(value) / unit) * unit));
    } else if (fabs(value) >= 1e3 && fabs(value) < 1e4) {
        lotor_text_add(text, value < 0.0 ? "-" : "");
        lotor_text_grouped(text, (uint64_t)llround(fabs(value)));
    } else {
        lotor_text_number(text, value, 4);
    }
}

/* Describes the chart in words, for people who can't see it. */
static void put_words(lotor_text *text, const chart_frame *frame)
{
    const lotor_chart *chart = frame->chart;
    lotor_text_add(text, "<title id=\"");
    lotor_text_escape(text, chart->id);
    lotor_text_add(text, "-title\">");
    lotor_text_escape(text, chart->y_title);
    lotor_text_add(text, " over ");
    lotor_text_escape(text, chart->x_title);
    lotor_text_add(text, chart->title[0] != '\0' ? ": " : "");
    lotor_text_escape(text, chart->title);
    lotor_text_add(text, "</title>\n<desc id=\"");
    lotor_text_escape(text, chart->id);
    lotor_text_print(text, "-text\">A chart of %zu curve%s.", chart->count,
                     chart->count == 1 ? "" : "s");
    for (size_t i = 0; i < chart->count; i++) {
        const lotor_curve *curve = &chart->curves[i];
        const size_t last = lotor_chart_last_shown(frame, curve);
        lotor_text_add(text, " ");
        lotor_text_escape(text, curve->label);
        if (last < curve->count) {
            lotor_text_add(text, " ends at ");
            put_rounded(text, curve->points[last].mean);
        } else {
            lotor_text_add(text, " has no points");
        }
        lotor_text_add(text, i + 1 < chart->count ? ";" : ".");
    }
    lotor_text_add(text, "</desc>\n");
}

void lotor_chart_draw(lotor_text *text, const lotor_chart *chart)
{
    const chart_frame frame = lotor_chart_frame_of(chart);
    put_words(text, &frame);
    put_grid(text, &frame);
    put_axes(text, &frame);
    put_tick_labels(text, &frame);
    put_titles(text, &frame);
    put_curves(text, &frame);
    lotor_chart_draw_names(text, &frame);
}

void lotor_chart_draw_alone(lotor_text *text, const lotor_chart *chart, const char *heading)
{
    enum { MARGIN = 16 };
    const chart_frame frame = lotor_chart_frame_of(chart);
    const int top =
        MARGIN + CHART_LINE * lotor_svg_lines(NULL, "head", heading, 0.0, 0.0, frame.width);
    lotor_svg_open(text, frame.width + 2 * MARGIN, top + frame.height + MARGIN, heading);
    (void)lotor_svg_lines(text, "head", heading, MARGIN, MARGIN + CHART_LINE - 4, frame.width);
    lotor_text_print(text, "<g transform=\"translate(%d %d)\">\n", MARGIN, top);
    lotor_chart_draw(text, chart);
    lotor_text_add(text, "</g>\n");
    lotor_svg_close(text);
}
