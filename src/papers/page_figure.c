/* page_figure.c - writes the section of one figure: what was played, its charts next to the paper's
 * claims, and tables. */
#include "papers/page_figure.h"

#include <inttypes.h>
#include <math.h>

#include "papers/page_chart.h"
#include "papers/page_settings.h"
#include "papers/page_tables.h"
#include "papers/page_world.h"
#include "papers/report_bounds.h"
#include "papers/typeset.h"

void lotor_report_put_name(lotor_text *text, const lotor_figure *figure)
{
    lotor_text_escape(text, figure->paper);
    lotor_text_add(text, ", ");
    lotor_typeset(text, figure->where, LOTOR_TYPESET_HTML);
}

void lotor_page_put_badge(lotor_text *text, lotor_verdict verdict)
{
    static const char *const kinds[LOTOR_VERDICTS] = {"holds", "fails", "unknown", "unknown"};
    static const char *const signs[LOTOR_VERDICTS] = {"✓", "✗", "?", "–"};
    const char *kind = kinds[verdict], *sign = signs[verdict];
    lotor_text_print(text, "<span class=\"badge %s\"><span aria-hidden=\"true\">%s</span> ", kind,
                     sign);
    lotor_text_escape(text, lotor_verdict_name(verdict));
    lotor_text_add(text, "</span>");
}

void lotor_page_put_seconds(lotor_text *text, double seconds)
{
    if (!(seconds >= 0.0 && seconds < 1e9)) {
        lotor_text_add(text, "–");
    } else if (seconds < 99.95) {
        lotor_text_fixed(text, seconds, seconds < 9.995 ? 2 : 1);
        lotor_text_add(text, " s");
    } else {
        const long whole = lround(seconds);
        if (whole >= 3600) {
            lotor_text_print(text, "%ld h %ld min", whole / 3600, whole % 3600 / 60);
        } else {
            lotor_text_print(text, "%ld min %ld s", whole / 60, whole % 60);
        }
    }
}

/* --- charts ----------------------------------------------------------------------------------------- */

static void put_chart(lotor_text *text, const page_chart *drawn)
{
    lotor_text_add(text, "<svg class=\"chart\" role=\"img\" aria-labelledby=\"");
    lotor_text_escape(text, drawn->id);
    lotor_text_add(text, "-title ");
    lotor_text_escape(text, drawn->id);
    lotor_text_print(text, "-text\" viewBox=\"0 0 %d %d\">\n", LOTOR_CHART_WIDTH,
                     lotor_chart_height(&drawn->chart));
    lotor_chart_draw(text, &drawn->chart);
    lotor_text_add(text, "</svg>\n");
}

static void put_charts(lotor_text *text, const lotor_figure_result *played)
{
    lotor_text_print(text, "<figure class=\"charts%s\">\n", played->count > 1 ? " many" : "");
    bool has_own_axes = false;
    for (size_t i = 0; i < played->count; i++) {
        page_chart drawn;
        lotor_page_chart_make(played, i, &drawn);
        has_own_axes = played->count > 1 && drawn.chart.y.low > drawn.chart.y.high;
        put_chart(text, &drawn);
    }
    lotor_text_add(text, "<figcaption>");
    if (played->figure->base.place != LOTOR_FIGURE_WORLD_FORMULA) {
        if (played->runs == 1) {
            lotor_text_add(text, "One run: no error is known, and there are no bands. ");
        } else {
            lotor_text_print(text, "Means of %" PRIu64 " runs; bands: ± one standard error. ",
                             played->runs);
        }
    }
    if (has_own_axes) {
        lotor_text_add(text, "The panels have y axes of their own: compare the numbers, not the "
                             "heights. ");
    }
    lotor_text_add(text, "As <a href=\"");
    lotor_text_escape(text, played->figure->id);
    lotor_text_add(text, ".csv\">numbers</a> or <a href=\"");
    lotor_text_escape(text, played->figure->id);
    lotor_text_add(text, ".svg\">picture</a>.</figcaption></figure>\n");
}

/* --- claims and verdicts ---------------------------------------------------------------------------- */

static void put_check(lotor_text *text, const lotor_figure_result *played,
                      const lotor_figure_check *check, bool is_provisional)
{
    lotor_text_add(text, "<li><p class=\"claim\">");
    lotor_typeset(text, check->claim, LOTOR_TYPESET_HTML);
    lotor_text_add(text, "</p>");
    for (size_t panel = 0; panel < played->count; panel++) {
        const lotor_figure_finding finding = lotor_figure_check_judge(played, check, panel);
        lotor_text_add(text, "<p class=\"setting\">");
        lotor_page_put_badge(text, finding.verdict);
        if (is_provisional && finding.verdict != LOTOR_VERDICT_NEEDS_DATA) {
            lotor_text_add(text, " <span class=\"provisional\">provisional</span>");
        }
        if (played->count > 1) {
            lotor_text_add(text, panel == 0 ? " <b>in the paper’s setting" : " <b>with ");
            lotor_typeset(text, panel == 0 ? "" : played->panels[panel].label, LOTOR_TYPESET_HTML);
            lotor_text_add(text, "</b>");
        }
        lotor_text_add(text, "</p><p class=\"measured\">");
        lotor_typeset(text, finding.measured, LOTOR_TYPESET_HTML);
        lotor_text_add(text, "</p>");
    }
    lotor_text_add(text, "</li>\n");
}

static void put_remark(lotor_text *text, const char *head, const char *remark)
{
    if (remark && remark[0] != '\0') {
        lotor_text_print(text, "<p class=\"remark\"><b>%s:</b> ", head);
        lotor_typeset(text, remark, LOTOR_TYPESET_HTML);
        lotor_text_add(text, "</p>\n");
    }
}

static void put_findings(lotor_text *text, const lotor_figure_result *played, bool is_provisional)
{
    const lotor_figure *figure = played->figure;
    lotor_text_add(text, "<div class=\"findings\">\n<h4>");
    lotor_text_add(text, figure->audits ? "Our claim" : "The paper’s claim");
    lotor_text_add(text, "</h4><p>");
    lotor_typeset(text, figure->claim, LOTOR_TYPESET_HTML);
    lotor_text_add(text, "</p>\n<h4>Checked</h4>\n");
    if (figure->check_count > 0) {
        lotor_text_add(text, "<ul class=\"checks\">\n");
        for (size_t i = 0; i < figure->check_count; i++) {
            put_check(text, played, &figure->checks[i], is_provisional);
        }
        lotor_text_add(text, "</ul>\n");
    } else {
        lotor_text_add(text, "<p>Nothing here is checked by computation.</p>\n");
    }
    put_remark(text, "Different here", figure->note);
    put_remark(text, "Data", played->remark);
    lotor_text_add(text, "</div>\n");
}

/* --- the whole section ------------------------------------------------------------------------------ */

static void put_facts(lotor_text *text, const lotor_figure_result *played, const char *left_out)
{
    const lotor_figure *figure = played->figure;
    lotor_text_add(text, "<p class=\"facts\"><code>");
    lotor_text_escape(text, figure->id);
    lotor_text_print(text, "</code> · %s scale · ", played->is_quick ? "quick" : "the paper’s");
    if (figure->base.place != LOTOR_FIGURE_WORLD_FORMULA) {
        lotor_text_grouped(text, played->horizon);
        lotor_text_print(text, " rounds · %" PRIu64 " run%s · ", played->runs,
                         played->runs == 1 ? "" : "s");
    }
    lotor_text_print(text, "seed %" PRIu64 " · took ", played->seed);
    lotor_page_put_seconds(text, played->seconds);
    if (left_out[0] != '\0') {
        lotor_text_add(text, " · provisional: ");
        lotor_text_escape(text, left_out);
        lotor_text_add(text, "; final with <code>--scale paper</code>");
    }
    lotor_text_add(text, "</p>\n");
}

void lotor_page_put_figure(lotor_text *text, const lotor_figure_result *played)
{
    const lotor_figure *figure = played->figure;
    char left_out[LOTOR_PROVISIONAL_ROOM];
    lotor_figure_provisional(played, left_out);
    lotor_text_add(text, "<section class=\"figure\" id=\"");
    lotor_text_escape(text, figure->id);
    lotor_text_add(text, "\">\n<h3>");
    lotor_report_put_name(text, figure);
    lotor_text_add(text, " ");
    lotor_page_put_badge(text, lotor_figure_verdict(played));
    lotor_text_add(text, "</h3>\n<p class=\"what\">");
    lotor_typeset(text, figure->title, LOTOR_TYPESET_HTML);
    lotor_text_add(text, "</p>\n");
    put_facts(text, played, left_out);
    lotor_page_put_worlds(text, played);
    lotor_text_print(text, "<div class=\"body%s\">\n", played->count > 1 ? " wide" : "");
    put_charts(text, played);
    put_findings(text, played, left_out[0] != '\0');
    lotor_text_add(text, "</div>\n");
    lotor_page_put_bounds(text, played);
    lotor_page_put_sets(text, played);
    lotor_page_put_audits(text, played);
    lotor_text_add(text, "<details><summary>What was played</summary>\n");
    lotor_page_put_settings(text, played);
    lotor_text_add(text,
                   "</details>\n<p class=\"up\"><a href=\"#top\">Back to the summary</a></p>\n"
                   "</section>\n");
}
