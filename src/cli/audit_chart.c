/* audit_chart.c - see audit_chart.h. Epsilon has a logarithmic axis, because leaks are many times
 * the claim. A line goes from 0 (the left edge) to the epsilon that was found. A ring marks the
 * claim. */
#include "cli/audit_chart.h"

#include <math.h>

#include "base/chart/axis.h"
#include "base/chart/svg.h"

enum { WIDTH = 720, NAMES = 210, RIGHT = 700, TOP = 56, LINE = 20, BELOW = 44 };

static const double LEAST = 0.02; /* smaller values are drawn at this value */

static double shown(double epsilon)
{
    return fmax(epsilon, LEAST);
}

static lotor_axis_scale scale_of(const lotor_audit_mark *marks, size_t count)
{
    lotor_axis_range range = {LEAST, 1.0};
    for (size_t i = 0; i < count; i++) {
        const lotor_audit_result *result = marks[i].result;
        range = lotor_axis_range_with(range, true, shown(result->found));
        if (isfinite(result->epsilon)) {
            range = lotor_axis_range_with(range, true, shown(result->epsilon));
        }
    }
    range.high *= 1.3;
    return (lotor_axis_scale){range, true, (double)NAMES + 10.0, RIGHT};
}

static void put_number(lotor_text *text, const char *before, double value)
{
    lotor_text_add(text, before);
    lotor_text_fixed(text, value, 1);
}

static void draw_axis(lotor_text *text, const lotor_axis_scale *scale, double bottom)
{
    const lotor_ticks ticks = lotor_ticks_of(scale->range, true, 6);
    for (size_t i = 0; i < ticks.count; i++) {
        const double x = lotor_axis_scale_at(scale, ticks.at[i]);
        put_number(text, "<path class=\"grid\" d=\"M", x);
        lotor_text_print(text, " %dV", TOP - 12);
        put_number(text, "", bottom);
        put_number(text, "\"/><text class=\"mid\" x=\"", x);
        put_number(text, "\" y=\"", bottom + 17.0);
        lotor_text_add(text, "\">");
        lotor_tick_label(text, &ticks, ticks.at[i]);
        lotor_text_add(text, "</text>\n");
    }
    put_number(text, "<text class=\"mid\" x=\"", 0.5 * (scale->from + scale->to));
    put_number(text, "\" y=\"", bottom + 36.0);
    lotor_text_add(text, "\">epsilon</text>\n");
}

/* Colour classes: c1 for a violated claim, c0 for one that holds, c5 for no claim. */
static const char *colour_of(const lotor_audit_result *result)
{
    if (result->kind == LOTOR_AUDIT_VIOLATED) {
        return "c1";
    }
    return result->kind == LOTOR_AUDIT_CLAIMS_NOTHING ? "c5" : "c0";
}

static void draw_mark(lotor_text *text, const lotor_axis_scale *scale, const lotor_audit_mark *mark,
                      double y)
{
    const lotor_audit_result *result = mark->result;
    lotor_text_print(text, "<g class=\"%s\"><text class=\"name end\" x=\"%d", colour_of(result),
                     NAMES);
    put_number(text, "\" y=\"", y + 4.0);
    lotor_text_add(text, "\">");
    lotor_text_escape(text, mark->label);
    lotor_text_add(text, "</text>");
    if (result->kind != LOTOR_AUDIT_UNSEEN && result->kind != LOTOR_AUDIT_NOTHING_SEEN) {
        const double x = lotor_axis_scale_at(scale, shown(result->found));
        put_number(text, "<path class=\"line\" d=\"M", scale->from);
        put_number(text, " ", y);
        put_number(text, "H", x);
        put_number(text, "\"/><circle class=\"mark\" r=\"4\" cx=\"", x);
        put_number(text, "\" cy=\"", y);
        lotor_text_add(text, "\"/>");
    }
    if (isfinite(result->epsilon)) {
        const double x = lotor_axis_scale_at(scale, shown(result->epsilon));
        put_number(text, "<circle class=\"line\" r=\"6\" cx=\"", x);
        put_number(text, "\" cy=\"", y);
        lotor_text_add(text, "\"/>");
    }
    lotor_text_add(text, "</g>\n");
}

void lotor_audit_chart_draw(lotor_text *text, const lotor_audit_mark *marks, size_t count)
{
    const lotor_axis_scale scale = scale_of(marks, count);
    const int height = TOP + LINE * (int)count + BELOW;
    const double bottom = (double)(height - BELOW);
    lotor_svg_open(text, WIDTH, height, "Privacy audit: claimed against found");
    lotor_svg_open_text(text, "head", 10.0, 20.0);
    lotor_text_add(text, "Privacy audit: claimed (ring) against found (dot: epsilon is at least "
                         "this)</text>\n");
    draw_axis(text, &scale, bottom);
    for (size_t i = 0; i < count; i++) {
        draw_mark(text, &scale, &marks[i], (double)TOP + (double)LINE * ((double)i + 0.5) - 4.0);
    }
    lotor_svg_close(text);
}
