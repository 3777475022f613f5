/* report_figure.c - writes a figure's section of the page: its charts and the paper's claims. */
#include "papers/report_parts.h"

#include <inttypes.h>
#include <math.h>

void lotor_report_put_badge(lotor_text *text, lotor_verdict verdict)
{
    const char *kind = "unknown", *sign = "?";
    if (verdict == LOTOR_VERDICT_HOLDS) {
        kind = "holds";
        sign = "✓";
    } else if (verdict == LOTOR_VERDICT_FAILS) {
        kind = "fails";
        sign = "✗";
    }
    lotor_text_print(text, "<span class=\"badge %s\"><span aria-hidden=\"true\">%s</span> ", kind,
                     sign);
    lotor_text_escape(text, lotor_verdict_name(verdict));
    lotor_text_add(text, "</span>");
}

void lotor_report_put_seconds(lotor_text *text, double seconds)
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

static void put_charts(lotor_text *text, const lotor_played *played)
{
    lotor_text_print(text, "<figure class=\"charts%s\">\n", played->count > 1 ? " many" : "");
    bool has_own_axes = false;
    for (size_t i = 0; i < played->count; i++) {
        report_chart_id id = {""};
        const lotor_chart chart = lotor_report_chart_of(played, i, &id);
        has_own_axes = played->count > 1 && chart.y.low > chart.y.high;
        lotor_text_add(text, "<svg class=\"chart\" role=\"img\" aria-labelledby=\"");
        lotor_text_escape(text, id.text);
        lotor_text_add(text, "-title ");
        lotor_text_escape(text, id.text);
        lotor_text_print(text, "-text\" viewBox=\"0 0 %d %d\">\n", LOTOR_CHART_WIDTH,
                         lotor_chart_height(&chart));
        lotor_chart_draw(text, &chart);
        lotor_text_add(text, "</svg>\n");
    }
    lotor_text_add(text, "<figcaption>");
    if (played->figure->base.place != LOTOR_PLACE_FORMULA) {
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

static void put_check(lotor_text *text, const lotor_played *played, const lotor_check *check)
{
    const lotor_finding finding = lotor_check_figure(played, check);
    lotor_text_add(text, "<li>");
    lotor_report_put_badge(text, finding.verdict);
    lotor_text_add(text, "<p class=\"claim\">");
    lotor_text_escape(text, check->claim);
    if (played->count > 1 && check->panel < played->count) {
        lotor_text_add(text, " <span class=\"where\">(");
        lotor_text_escape(text, played->panels[check->panel].label);
        lotor_text_add(text, ")</span>");
    }
    lotor_text_add(text, "</p><p class=\"measured\"><b>Measured:</b> ");
    lotor_text_escape(text, finding.measured);
    lotor_text_add(text, "</p></li>\n");
}

static void put_remark(lotor_text *text, const char *head, const char *remark)
{
    if (remark && remark[0] != '\0') {
        lotor_text_print(text, "<p class=\"remark\"><b>%s:</b> ", head);
        lotor_text_escape(text, remark);
        lotor_text_add(text, "</p>\n");
    }
}

static void put_findings(lotor_text *text, const lotor_played *played)
{
    const lotor_figure *figure = played->figure;
    lotor_text_add(text, "<div class=\"findings\">\n<h3>");
    lotor_text_add(text, figure->audits ? "Our claim" : "The paper’s claim");
    lotor_text_add(text, "</h3><p>");
    lotor_text_escape(text, figure->claim);
    lotor_text_add(text, "</p>\n<h3>Checked</h3>\n");
    if (figure->check_count > 0) {
        lotor_text_add(text, "<ul class=\"checks\">\n");
        for (size_t i = 0; i < figure->check_count; i++) {
            put_check(text, played, &figure->checks[i]);
        }
        lotor_text_add(text, "</ul>\n");
    } else {
        lotor_text_add(text, "<p>Nothing here is checked by computation.</p>\n");
    }
    put_remark(text, "Different here", figure->note);
    put_remark(text, "Data", played->remark);
    lotor_text_add(text, "</div>\n");
}

void lotor_report_put_figure(lotor_text *text, const lotor_played *played)
{
    const lotor_figure *figure = played->figure;
    lotor_text_add(text, "<section class=\"figure\" id=\"");
    lotor_text_escape(text, figure->id);
    lotor_text_add(text, "\">\n<h2>");
    lotor_text_escape(text, figure->paper);
    lotor_text_add(text, ", ");
    lotor_text_escape(text, figure->where);
    lotor_text_add(text, " ");
    lotor_report_put_badge(text, lotor_figure_verdict(played));
    lotor_text_add(text, "</h2>\n<p class=\"what\">");
    lotor_text_escape(text, figure->title);
    lotor_text_add(text, "</p>\n<p class=\"facts\"><code>");
    lotor_text_escape(text, figure->id);
    lotor_text_print(text, "</code> · %s scale · ", played->is_quick ? "quick" : "the paper’s");
    if (figure->base.place != LOTOR_PLACE_FORMULA) {
        lotor_text_grouped(text, played->horizon);
        lotor_text_print(text, " rounds · %" PRIu64 " run%s · ", played->runs,
                         played->runs == 1 ? "" : "s");
    }
    lotor_text_print(text, "seed %" PRIu64 " · took ", played->seed);
    lotor_report_put_seconds(text, played->seconds);
    lotor_text_print(text, "</p>\n<div class=\"body%s\">\n", played->count > 1 ? " wide" : "");
    put_charts(text, played);
    put_findings(text, played);
    lotor_text_add(text, "</div>\n");
    lotor_report_put_sets(text, played);
    lotor_report_put_claims(text, played);
    lotor_text_add(text, "<details open=\"open\"><summary>What was played</summary>\n");
    lotor_report_put_settings(text, played);
    lotor_text_add(text,
                   "</details>\n<p class=\"up\"><a href=\"#top\">Back to the summary</a></p>\n"
                   "</section>\n");
}
