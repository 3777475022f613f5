/* notes.c - notes below a chart: curves that coincide, where bounds are drawn, missing points. */
#include "base/chart/frame.h"

#include <math.h>

#include "base/chart/svg.h"

/* --- curves that look like one ------------------------------------------------------------------ */

/* The height of a point in the picture; NaN if it is not shown. */
static double height_of(const chart_frame *frame, const lotor_curve_point *point)
{
    if (!lotor_axis_shows(frame->x.is_log, point->x) ||
        !lotor_axis_shows(frame->y.is_log, point->mean) || point->mean < frame->y.range.low) {
        return NAN;
    }
    return lotor_axis_scale_at(&frame->y, point->mean);
}

static size_t count_shown(const chart_frame *frame, const lotor_curve *curve)
{
    size_t shown = 0;
    for (size_t i = 0; i < curve->count; i++) {
        shown += isnan(height_of(frame, &curve->points[i])) ? 0 : 1;
    }
    return shown;
}

double lotor_chart_distance(const chart_frame *frame, const lotor_curve *one,
                            const lotor_curve *other)
{
    size_t both = 0, i = 0, j = 0;
    double most = 0.0;
    while (i < one->count && j < other->count) {
        const lotor_curve_point *a = &one->points[i], *b = &other->points[j];
        const double apart = a->x == b->x ? fabs(height_of(frame, a) - height_of(frame, b)) : NAN;
        if (!isnan(apart)) {
            most = fmax(most, apart);
            both++;
        }
        /* If an x is NaN, both go on. */
        i += !(a->x > b->x);
        j += !(b->x > a->x);
    }
    const bool is_known =
        both > 1 && 2 * both >= count_shown(frame, one) && 2 * both >= count_shown(frame, other);
    return is_known ? most : INFINITY;
}

/* Adds a sentence such as "A; B and C coincide." for the curves that look like curve `first`, unless
 * an earlier curve does, too. */
static void add_twins(lotor_text *note, const chart_frame *frame, size_t first)
{
    static const double line = 2.0, same = 0.5; /* the width of a line; too little to see */
    const lotor_chart *chart = frame->chart;
    size_t twins[LOTOR_CHART_MOST_CURVES], count = 0;
    double most = 0.0;
    for (size_t i = 0; i < chart->count; i++) {
        const double apart =
            i == first ? INFINITY
                       : lotor_chart_distance(frame, &chart->curves[first], &chart->curves[i]);
        if (apart > line) {
            continue;
        }
        if (i < first) {
            return;
        }
        most = fmax(most, apart);
        twins[count++] = i;
    }
    if (count == 0) {
        return;
    }
    lotor_text_add(note, note->length > 0 ? " " : "");
    lotor_text_add(note, chart->curves[first].label);
    for (size_t i = 0; i < count; i++) {
        lotor_text_add(note, i + 1 < count ? "; " : " and ");
        lotor_text_add(note, chart->curves[twins[i]].label);
    }
    lotor_text_add(note, most <= same ? " coincide." : " are closer than the width of a line.");
}

/* --- all notes ---------------------------------------------------------------------------------- */

static void add_bounds(lotor_text *note, const chart_frame *frame)
{
    const lotor_chart *chart = frame->chart;
    if (!frame->has_bounds || (!frame->many_bounds && !(chart->bound_from > 0.0))) {
        return;
    }
    lotor_text_add(note, note->length > 0 ? " " : "");
    lotor_text_add(note, frame->many_bounds ? "Dashed: lower bounds" : "Dashed: a lower bound");
    if (chart->bound_from > 0.0) {
        lotor_text_add(note, " for large ");
        lotor_text_add(note, chart->bound == LOTOR_BOUND_NONE ? "x" : "t");
        lotor_text_add(note, " (asymptotic), drawn from ");
        lotor_text_grouped(note, (uint64_t)llround(fmin(chart->bound_from, 1e18)));
        lotor_text_add(note, " on");
    }
    lotor_text_add(note, frame->many_bounds ? ", in the colours of their curves." : ".");
}

static void add_hidden(lotor_text *note, const chart_frame *frame)
{
    if (frame->hidden > 0) {
        lotor_text_add(note, note->length > 0 ? " " : "");
        lotor_text_print(note, "%zu point%s at or below 0 can't be shown on a logarithmic axis.",
                         frame->hidden, frame->hidden == 1 ? "" : "s");
    }
}

static void make_note(const chart_frame *frame, char room[CHART_NOTE_ROOM])
{
    room[0] = '\0';
    lotor_text note = {.bytes = room, .capacity = CHART_NOTE_ROOM, .is_fixed = true};
    for (size_t i = 0; i < frame->chart->count; i++) {
        add_twins(&note, frame, i);
    }
    add_bounds(&note, frame);
    add_hidden(&note, frame);
}

int lotor_chart_note_lines(const chart_frame *frame)
{
    char note[CHART_NOTE_ROOM];
    make_note(frame, note);
    return lotor_svg_lines(NULL, "note", note, 0.0, 0.0, frame->width - CHART_TITLE_LEFT);
}

void lotor_chart_draw_notes(lotor_text *text, const chart_frame *frame)
{
    char note[CHART_NOTE_ROOM];
    make_note(frame, note);
    (void)lotor_svg_lines(text, "note", note, CHART_TITLE_LEFT, frame->note_base,
                          frame->width - CHART_TITLE_LEFT);
}
