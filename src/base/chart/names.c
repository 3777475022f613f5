/* names.c - draws the names of the curves: at their right ends, or in a legend. */
#include "base/chart/frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chart/svg.h"

/* A name, and the point where its curve (or, if `is_bound`, the only lower bound) ends. */
typedef struct name_tag {
    size_t curve;
    bool is_bound;
    double x, y;
} name_tag;

/* Isotonic regression. After the gaps are subtracted, the positions must not decrease. Positions
 * that decrease are merged into a group at their mean. */
void lotor_chart_spread(double *places, size_t count, double gap, double low, double high)
{
    double sums[CHART_MOST_ENDS];
    size_t sizes[CHART_MOST_ENDS], blocks = 0;
    for (size_t i = 0; i < count && i < CHART_MOST_ENDS; i++) {
        sums[blocks] = places[i] - (double)i * gap;
        sizes[blocks++] = 1;
        while (blocks > 1 && sums[blocks - 2] / (double)sizes[blocks - 2] >
                                 sums[blocks - 1] / (double)sizes[blocks - 1]) {
            sums[blocks - 2] += sums[blocks - 1];
            sizes[blocks - 2] += sizes[blocks - 1];
            blocks--;
        }
    }
    const double most = high - gap * (double)(count > 0 ? count - 1 : 0);
    for (size_t block = 0, i = 0; block < blocks; block++) {
        const double mean = sums[block] / (double)sizes[block];
        for (size_t j = 0; j < sizes[block]; j++, i++) {
            places[i] = fmax(low, fmin(most, mean)) + (double)i * gap;
        }
    }
}

/* Writes the whole name, or its beginning if it is wider than `room`. */
static void put_name(lotor_text *text, const char *name, double room)
{
    if (lotor_svg_text_width(name) <= room) {
        lotor_text_escape(text, name);
        return;
    }
    char piece[5] = "";
    unsigned long code;
    for (double width = 0.0; *name != '\0';) {
        const size_t length = lotor_text_character(name, &code);
        const size_t taken = length > 0 ? length : 1;
        memcpy(piece, name, taken);
        piece[taken] = '\0';
        width += lotor_svg_text_width(piece);
        if (width > room - 13.0) {
            break;
        }
        lotor_text_escape(text, piece);
        name += taken;
    }
    lotor_text_add(text, "…");
}

static void put_segment(lotor_text *text, const char *kind, const double from[2],
                        const double to[2])
{
    lotor_text_print(text, "<path class=\"%s\" d=\"", kind);
    lotor_svg_place(text, "M", from[0], from[1]);
    lotor_svg_place(text, "L", to[0], to[1]);
    lotor_text_add(text, "\"/>");
}

static void open_entry(lotor_text *text, name_tag tag)
{
    if (tag.is_bound) {
        lotor_text_add(text, "<g class=\"only\">");
    } else {
        lotor_text_print(text, "<g class=\"c%zu\">", tag.curve % CHART_COLOURS);
    }
}

static void put_label(lotor_text *text, const chart_frame *frame, name_tag tag, double room)
{
    put_name(text, tag.is_bound ? "lower bound" : frame->chart->curves[tag.curve].label, room);
    lotor_text_add(text, "</text>\n");
}

/* --- names at the ends -------------------------------------------------------------------------- */

static int by_height(const void *one, const void *other)
{
    const name_tag *a = one, *b = other;
    return a->y < b->y ? -1 : a->y > b->y ? 1 : a->curve < b->curve ? -1 : a->curve > b->curve;
}

static double within(const lotor_axis_scale *y, double place)
{
    return fmax(y->to, fmin(y->from, place));
}

static size_t collect_ends(const chart_frame *frame, name_tag tags[CHART_MOST_ENDS])
{
    const lotor_chart *chart = frame->chart;
    size_t count = 0;
    for (size_t i = 0; i < chart->count && count < CHART_MOST_ENDS; i++) {
        const lotor_curve *curve = &chart->curves[i];
        const lotor_curve_point *last = &curve->points[lotor_chart_last_shown(frame, curve)];
        tags[count++] = (name_tag){i, false, lotor_axis_scale_at(&frame->x, last->x),
                                   within(&frame->y, lotor_axis_scale_at(&frame->y, last->mean))};
        if (!frame->many_bounds && lotor_chart_has_bound(chart, i) && count < CHART_MOST_ENDS) {
            const double end = lotor_chart_bound_at(chart, i, frame->x.range.high);
            tags[count++] = (name_tag){i, true, frame->x.to,
                                       within(&frame->y, lotor_axis_scale_at(&frame->y, end))};
        }
    }
    qsort(tags, count, sizeof *tags, by_height);
    return count;
}

static void draw_ends(lotor_text *text, const chart_frame *frame)
{
    name_tag tags[CHART_MOST_ENDS] = {{0}};
    double places[CHART_MOST_ENDS];
    const size_t count = collect_ends(frame, tags);
    for (size_t i = 0; i < count; i++) {
        places[i] = tags[i].y;
    }
    lotor_chart_spread(places, count, CHART_LINE - 1, frame->y.to, frame->y.from);
    for (size_t i = 0; i < count; i++) {
        const double from[2] = {tags[i].x + 4.0, tags[i].y},
                     to[2] = {frame->x.to + 13.0, places[i]};
        open_entry(text, tags[i]);
        put_segment(text, "lead", from, to);
        lotor_svg_open_text(text, "name", frame->x.to + 16.0, places[i] + 4.5);
        put_label(text, frame, tags[i], frame->width);
        lotor_text_add(text, "</g>");
    }
}

/* --- the legend --------------------------------------------------------------------------------- */

static void draw_entry(lotor_text *text, const chart_frame *frame, size_t number, name_tag tag)
{
    const size_t row = number / frame->columns;
    const double x = frame->x.from + (double)(number % frame->columns) * frame->entry_width;
    const double y = frame->legend_top + ((double)row + 0.5) * (double)CHART_LINE;
    const double from[2] = {x, y}, to[2] = {x + 26.0, y};
    char kind[32] = "edge";
    if (!tag.is_bound) {
        snprintf(kind, sizeof kind, "line d%zu", tag.curve / CHART_COLOURS % 3);
    }
    open_entry(text, tag);
    put_segment(text, kind, from, to);
    if (!tag.is_bound) {
        lotor_text_add(text, "<path class=\"mark\" d=\"");
        lotor_svg_marker(text, tag.curve, x + 13.0, y);
        lotor_text_add(text, "\"/>");
    }
    lotor_svg_open_text(text, "name", x + 32.0, y + 4.5);
    put_label(text, frame, tag, frame->entry_width - 36.0);
    lotor_text_add(text, "</g>");
}

static void draw_legend(lotor_text *text, const chart_frame *frame)
{
    size_t number = 0;
    for (size_t i = 0; i < frame->chart->count; i++) {
        draw_entry(text, frame, number++, (name_tag){i, false, 0.0, 0.0});
    }
    for (size_t i = 0; i < frame->chart->count && !frame->many_bounds; i++) {
        if (lotor_chart_has_bound(frame->chart, i)) {
            draw_entry(text, frame, number++, (name_tag){i, true, 0.0, 0.0});
        }
    }
}

void lotor_chart_draw_names(lotor_text *text, const chart_frame *frame)
{
    if (frame->names_at_ends) {
        draw_ends(text, frame);
    } else {
        draw_legend(text, frame);
    }
}
