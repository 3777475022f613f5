/* page_chart.c - makes the panels of a figure into charts. See page_chart.h. */
#include "papers/page_chart.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/chart/svg.h"
#include "papers/typeset.h"

static const char *x_title_of(lotor_figure_axis axis)
{
    switch (axis) {
    case LOTOR_AXIS_SETTING:
        return "setting";
    case LOTOR_AXIS_ROUND:
        return "round t";
    case LOTOR_AXIS_EPSILON:
        return "ε";
    case LOTOR_AXIS_PER_EPSILON:
        return "1/ε";
    case LOTOR_AXIS_ARMS:
        return "number of arms";
    case LOTOR_AXIS_SLOTS:
        return "arms chosen per round";
    case LOTOR_AXIS_DIMENSION:
        return "dimension d";
    case LOTOR_AXIS_GAP:
        return "gap";
    case LOTOR_AXIS_REGULARIZER:
        return "regularizer";
    }
    return "x";
}

static const char *y_title_of(const lotor_figure *figure)
{
    const bool over_rounds = figure->axis == LOTOR_AXIS_ROUND;
    switch (figure->measure) {
    case LOTOR_MEASURE_REGRET:
        return over_rounds ? "regret of the first t rounds" : "regret at the end";
    case LOTOR_MEASURE_RETURN:
        return "expected return per round";
    case LOTOR_MEASURE_REGRET_PER_LOG:
        return over_rounds ? "regret / log t" : "regret / log T";
    case LOTOR_MEASURE_PROBABILITY:
        return "probability of failure";
    }
    return "y";
}

static lotor_bound_shape bound_of(const lotor_figure *figure)
{
    if (figure->axis != LOTOR_AXIS_ROUND) {
        return LOTOR_BOUND_NONE;
    }
    if (figure->measure == LOTOR_MEASURE_REGRET) {
        return LOTOR_BOUND_LOG;
    }
    return figure->measure == LOTOR_MEASURE_REGRET_PER_LOG ? LOTOR_BOUND_LEVEL : LOTOR_BOUND_NONE;
}

static lotor_chart plain_chart_of(const lotor_figure_result *played, size_t panel)
{
    const lotor_figure *figure = played->figure;
    const lotor_panel *from = &played->panels[panel];
    assert(from->count <= LOTOR_CHART_MOST_CURVES);
    lotor_chart chart = {.id = "",
                         .title = from->label,
                         .x_title = x_title_of(figure->axis),
                         .y_title = y_title_of(figure),
                         .log_x = figure->log_x && figure->axis != LOTOR_AXIS_SETTING,
                         .only_points = figure->axis == LOTOR_AXIS_SETTING,
                         .log_y = figure->log_y,
                         .bound = bound_of(figure),
                         .count = from->count,
                         .y = lotor_axis_range_none};
    for (size_t i = 0; i < from->count; i++) {
        const lotor_series *series = &from->series[i];
        chart.curves[i] =
            (lotor_curve){series->label, series->points, series->count, series->lower_bound};
    }
    return chart;
}

/* Panels share the y axis, so that they can be compared, unless a linear axis would flatten
 * some. */
static lotor_axis_range shared_span(const lotor_figure_result *played)
{
    lotor_axis_range all = lotor_axis_range_none;
    double least = INFINITY, most = 0.0;
    for (size_t i = 0; i < played->count; i++) {
        const lotor_chart chart = plain_chart_of(played, i);
        const lotor_axis_range span = lotor_chart_span(&chart);
        if (span.low > span.high) {
            continue;
        }
        all = lotor_axis_range_with(lotor_axis_range_with(all, false, span.low), false, span.high);
        least = fmin(least, fmax(fabs(span.low), fabs(span.high)));
        most = fmax(most, fmax(fabs(span.low), fabs(span.high)));
    }
    return played->figure->log_y || most <= 3.0 * least ? all : lotor_axis_range_none;
}

/* Lower bounds are asymptotic. They are drawn for the last factor of ten of the rounds. */
static double bounds_from(const lotor_figure_result *played)
{
    return (double)played->horizon / 10.0;
}

static const char *typeset_into(char *room, size_t capacity, const char *words)
{
    room[0] = '\0';
    lotor_text text = {.bytes = room, .capacity = capacity, .is_fixed = true};
    lotor_typeset(&text, words, LOTOR_TYPESET_PLAIN);
    return room;
}

void lotor_page_chart_make(const lotor_figure_result *played, size_t panel, page_chart *out)
{
    out->chart = plain_chart_of(played, panel);
    out->chart.y = played->count > 1 ? shared_span(played) : lotor_axis_range_none;
    out->chart.bound_from = bounds_from(played);
    out->chart.title = typeset_into(out->title, sizeof out->title, out->chart.title);
    for (size_t i = 0; i < out->chart.count; i++) {
        out->chart.curves[i].label =
            typeset_into(out->labels[i], sizeof out->labels[i], out->chart.curves[i].label);
    }
    snprintf(out->id, sizeof out->id, "%.60s-%zu", played->figure->id, panel + 1);
    out->chart.id = out->id;
}

enum { COLUMNS = 2, GAP = 16, HEAD_BASE = 24 };

/* The height of the charts in one row. */
static int row_height(const lotor_figure_result *played, size_t first)
{
    int height = 0;
    for (size_t i = first; i < first + COLUMNS && i < played->count; i++) {
        page_chart drawn;
        lotor_page_chart_make(played, i, &drawn);
        const int own = lotor_chart_height(&drawn.chart);
        height = own > height ? own : height;
    }
    return height;
}

static void put_panels(lotor_text *text, const lotor_figure_result *played, int top)
{
    for (size_t first = 0; first < played->count; first += COLUMNS) {
        for (size_t i = first; i < first + COLUMNS && i < played->count; i++) {
            page_chart drawn;
            lotor_page_chart_make(played, i, &drawn);
            lotor_text_print(text, "<g transform=\"translate(%d %d)\">\n",
                             GAP + (int)(i - first) * (LOTOR_CHART_WIDTH + GAP), top);
            lotor_chart_draw(text, &drawn.chart);
            lotor_text_add(text, "</g>\n");
        }
        top += row_height(played, first) + GAP;
    }
}

void lotor_page_put_picture(lotor_text *text, const lotor_figure_result *played)
{
    const lotor_figure *figure = played->figure;
    const int columns = played->count > 1 ? COLUMNS : 1;
    const int width = GAP + columns * (LOTOR_CHART_WIDTH + GAP);
    char name[320], title[256];
    snprintf(title, sizeof title, "%s, %s: %s", figure->paper, figure->where, figure->title);
    (void)typeset_into(name, sizeof name, title);
    char head[400];
    snprintf(head, sizeof head, "%s%s", name, played->is_quick ? " (at a quick scale)" : "");
    const int lines = lotor_svg_lines(NULL, "head", head, 0.0, 0.0, width - 2 * GAP);
    const int top = HEAD_BASE + lines * LOTOR_SVG_LINE - LOTOR_SVG_LINE / 2;
    int height = top;
    for (size_t first = 0; first < played->count; first += COLUMNS) {
        height += row_height(played, first) + GAP;
    }
    lotor_svg_open(text, width, height, name);
    (void)lotor_svg_lines(text, "head", head, GAP, HEAD_BASE, width - 2 * GAP);
    put_panels(text, played, top);
    lotor_svg_close(text);
}
