/* report_bounds.c - see report_bounds.h. */
#include "papers/report_bounds.h"

#include <math.h>

#include "papers/paper_bounds.h"
#include "papers/reproduce_plan.h"
#include "papers/typeset.h"
#include "papers/verdict_number.h"

/* The table that is being written. */
typedef struct bound_table {
    lotor_text *text;
    size_t rows;
} bound_table;

static void begin(bound_table *self)
{
    if (self->rows++ == 0) {
        lotor_text_add(
            self->text,
            "<details><summary>What is proved about these curves</summary>\n<p "
            "class=\"remark\">Upper "
            "and lower bounds on the expected regret, at the last round. A bound “as T grows” "
            "may be on the wrong side of the curve at a finite T.</p>\n<div class=\"scroll\" "
            "tabindex=\"0\">\n<table class=\"claims\"><thead><tr><th scope=\"col\">curve</th>"
            "<th scope=\"col\">bound</th><th scope=\"col\">value</th><th "
            "scope=\"col\">measured</th>"
            "<th scope=\"col\">holds for</th></tr></thead><tbody>\n");
    }
}

static void put_row(bound_table *self, const char *panel, const lotor_series *series,
                    const lotor_paper_bound *bound)
{
    const lotor_curve_point *end = &series->points[series->count - 1];
    const double value = lotor_paper_bound_value(bound, end->x);
    if (bound->state != LOTOR_PAPER_BOUND_HOLDS || isnan(value)) {
        return;
    }
    begin(self);
    lotor_text *text = self->text;
    lotor_text_add(text, "<tr><th scope=\"row\">");
    lotor_typeset(text, series->label, LOTOR_TYPESET_HTML);
    if (*panel) {
        lotor_text_add(text, "<small>");
        lotor_typeset(text, panel, LOTOR_TYPESET_HTML);
        lotor_text_add(text, "</small>");
    }
    lotor_text_add(text, bound->kind == LOTOR_PAPER_BOUND_UPPER ? "</th><td>at most: "
                                                                : "</th><td>at least: ");
    lotor_typeset(text, bound->name, LOTOR_TYPESET_HTML);
    lotor_text_add(text, "<small>");
    lotor_typeset(text, bound->formula, LOTOR_TYPESET_HTML);
    lotor_text_add(text, "</small></td><td class=\"number\">");
    lotor_typeset_number(text, value, 4);
    lotor_text_add(
        text,
        bound->is_vacuous
            ? "<small>more than the trivial bound: t times the largest loss of a round</small>"
            : "");
    lotor_text_add(text, "</td><td class=\"number\">");
    lotor_text_escape(text, lotor_show_point(end).text);
    lotor_text_add(text, "</td><td>");
    lotor_typeset(text, bound->range, LOTOR_TYPESET_HTML);
    if (bound->remark) {
        lotor_text_add(text, "<small>");
        lotor_typeset(text, bound->remark, LOTOR_TYPESET_HTML);
        lotor_text_add(text, "</small>");
    }
    lotor_text_add(text, "</td></tr>\n");
}

static void put_curve(bound_table *self, const lotor_figure_result *played, size_t panel,
                      size_t curve)
{
    const size_t number = panel * played->figure->curve_count + curve;
    const lotor_figure_cell cell = lotor_figure_cell_at(played->figure, played->is_quick, number);
    const lotor_series *series = &played->panels[panel].series[curve];
    lotor_paper_bounds bounds;
    const lotor_status status = lotor_paper_bounds_of_setting(&cell.setting, NULL, &bounds);
    if (status == LOTOR_MEMORY) {
        self->text->is_out_of_memory = true;
    }
    for (size_t i = 0; status == LOTOR_OK && series->count > 0 && i < bounds.count; i++) {
        put_row(self, played->panels[panel].label, series, &bounds.rows[i]);
    }
    lotor_paper_bounds_clear(&bounds);
}

void lotor_page_put_bounds(lotor_text *text, const lotor_figure_result *played)
{
    const lotor_figure *figure = played->figure;
    bound_table table = {.text = text};
    if (figure->axis != LOTOR_AXIS_ROUND || figure->measure != LOTOR_MEASURE_REGRET) {
        return;
    }
    for (size_t panel = 0; panel < played->count; panel++) {
        for (size_t curve = 0; curve < played->panels[panel].count; curve++) {
            put_curve(&table, played, panel, curve);
        }
    }
    lotor_text_add(text, table.rows > 0 ? "</tbody></table></div></details>\n" : "");
}
