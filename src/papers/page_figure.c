/* page_figure.c - writes the section of one figure: its charts next to the paper's claims. If the
 * figure has them, two tables follow: the arms that each curve ended with, and what the audits
 * found. */
#include "papers/page_figure.h"

#include <inttypes.h>
#include <math.h>

#include "papers/page_chart.h"
#include "papers/page_settings.h"
#include "papers/reproduce_plan.h"
#include "policy/catalog.h"

void lotor_report_put_name(lotor_text *text, const lotor_figure *figure)
{
    lotor_text_escape(text, figure->paper);
    lotor_text_add(text, ", ");
    lotor_text_escape(text, figure->where);
}

void lotor_page_put_badge(lotor_text *text, lotor_verdict verdict)
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

/* --- charts and verdicts ---------------------------------------------------------------------------- */

static void put_charts(lotor_text *text, const lotor_figure_result *played)
{
    lotor_text_print(text, "<figure class=\"charts%s\">\n", played->count > 1 ? " many" : "");
    bool has_own_axes = false;
    for (size_t i = 0; i < played->count; i++) {
        page_chart_id id = {""};
        const lotor_chart chart = lotor_page_chart_of(played, i, &id);
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

static void put_check(lotor_text *text, const lotor_figure_result *played,
                      const lotor_figure_check *check)
{
    const lotor_figure_finding finding = lotor_figure_check_judge(played, check);
    lotor_text_add(text, "<li>");
    lotor_page_put_badge(text, finding.verdict);
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

static void put_findings(lotor_text *text, const lotor_figure_result *played)
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

/* --- the arms that each curve ended with, next to the best set -------------------------------------- */

static bool is_anywhere(const lotor_figure_result *played, uint32_t arm)
{
    bool is_there = lotor_set_has(&played->best, arm);
    for (size_t i = 0; i < played->count && !is_there; i++) {
        for (size_t j = 0; j < played->panels[i].count && !is_there; j++) {
            is_there = lotor_set_has(&played->panels[i].series[j].shown, arm);
        }
    }
    return is_there;
}

static void put_tick(lotor_text *text, const lotor_arm_set *set, uint32_t arm)
{
    lotor_text_add(text, lotor_set_has(set, arm) ? "<td class=\"mark\">✓</td>" : "<td></td>");
}

static void put_arm(lotor_text *text, const lotor_figure_result *played, uint32_t arm)
{
    lotor_text_add(text, "<tr><th scope=\"row\">");
    lotor_text_escape(text, played->names[arm]);
    lotor_text_add(text, "</th>");
    put_tick(text, &played->best, arm);
    for (size_t i = 0; i < played->count; i++) {
        for (size_t j = 0; j < played->panels[i].count; j++) {
            put_tick(text, &played->panels[i].series[j].shown, arm);
        }
    }
    lotor_text_add(text, "</tr>\n");
}

/* Writes the size of the best set, and how many arms of it each curve showed. */
static void put_counts(lotor_text *text, const lotor_figure_result *played)
{
    lotor_text_print(text, "<tr><th scope=\"row\">of the best</th><td>%zu</td>",
                     played->best.count);
    for (size_t i = 0; i < played->count; i++) {
        for (size_t j = 0; j < played->panels[i].count; j++) {
            const lotor_arm_set *shown = &played->panels[i].series[j].shown;
            lotor_text_print(text, "<td>%zu of %zu</td>", lotor_set_overlap(shown, &played->best),
                             played->best.count);
        }
    }
    lotor_text_add(text, "</tr>\n");
}

static void put_sets(lotor_text *text, const lotor_figure_result *played)
{
    if (!played->figure->lists_sets || played->best.count == 0) {
        return;
    }
    lotor_text_add(text, "<div class=\"scroll\" tabindex=\"0\">\n<table class=\"sets\"><caption>"
                         "What the first run of each showed most often in its last tenth, the most "
                         "popular first</caption><thead><tr><th scope=\"col\">shown</th>"
                         "<th scope=\"col\">the best</th>");
    for (size_t i = 0; i < played->count; i++) {
        for (size_t j = 0; j < played->panels[i].count; j++) {
            lotor_text_add(text, "<th scope=\"col\">");
            lotor_text_escape(text, played->panels[i].series[j].label);
            lotor_text_add(text, "</th>");
        }
    }
    lotor_text_add(text, "</tr></thead><tbody>\n");
    for (size_t arm = 0; arm < played->name_count; arm++) {
        if (is_anywhere(played, (uint32_t)arm)) {
            put_arm(text, played, (uint32_t)arm);
        }
    }
    put_counts(text, played);
    lotor_text_add(text, "</tbody></table></div>\n");
}

/* --- comparison of algorithms: regret, claim, and what the audit found ------------------------------ */

static void put_regret(lotor_text *text, const lotor_series *series)
{
    const lotor_curve_point *last = &series->points[series->count - 1];
    lotor_text_add(text, "<td class=\"number\">");
    lotor_text_grouped(text, (uint64_t)llround(fmax(0.0, last->mean)));
    if (!isnan(last->standard_error)) {
        lotor_text_add(text, " ± ");
        if (last->standard_error < 9.5) {
            const double error = last->standard_error < 1e-9 ? 0.0 : last->standard_error;
            lotor_text_number(text, error, 2);
        } else {
            lotor_text_grouped(text, (uint64_t)llround(last->standard_error));
        }
    }
    lotor_text_add(text, "</td>");
}

static void put_claim_cells(lotor_text *text, const lotor_claim_audit *claim)
{
    lotor_text_add(text, "<td class=\"number\">");
    if (isinf(claim->epsilon)) {
        lotor_text_add(text, "–");
    } else {
        lotor_text_number(text, claim->epsilon, 4);
    }
    if (claim->delta > 0.0) {
        lotor_text_add(text, ", δ ");
        lotor_text_number(text, claim->delta, 4);
    }
    lotor_text_add(text, "</td><td class=\"number\">≥ ");
    lotor_text_number(text, claim->found, 3);
    lotor_text_add(text, "</td><td>");
    /* If the audit had too few trials to see anything, the claim does not count as confirmed. */
    const char *kind = claim->verdict == LOTOR_AUDIT_VIOLATED ? "fails"
                       : claim->verdict == LOTOR_AUDIT_NOTHING_FOUND && claim->found > 0.0
                           ? "holds"
                           : "unknown";
    lotor_text_print(text, "<span class=\"badge %s\">", kind);
    lotor_text_escape(text, lotor_audit_verdict_name(claim->verdict));
    lotor_text_add(text, "</span></td>");
}

static void put_version(lotor_text *text, const lotor_figure_result *played, size_t curve)
{
    const lotor_series *series = &played->panels[0].series[curve];
    const lotor_algorithm *row =
        lotor_catalog_find(played->figure->curves[curve].setting.algorithm);
    if (!row || series->count == 0) {
        return;
    }
    lotor_text_add(text, "<tr><th scope=\"row\"><code>");
    lotor_text_escape(text, row->id);
    lotor_text_add(text, "</code><small>");
    lotor_text_escape(text, row->paper);
    lotor_text_print(text, "</small></th><td>%s</td>", lotor_model_name(row->model));
    put_regret(text, series);
    put_claim_cells(text, &series->claim);
    lotor_text_add(text, "</tr>\n");
}

void lotor_page_put_claims(lotor_text *text, const lotor_figure_result *played)
{
    if (!played->figure->audits) {
        return;
    }
    lotor_text_add(
        text,
        "<p class=\"remark\">The versions side by side: the regret at the end (at the largest "
        "ε), what is claimed, and which ε an audit with simulated noise found at least "
        "(confidence 0.99999 each). An audit can refute a claim, not prove one; it plays "
        "a small setting of its own, and takes a larger δ where the usual one is too "
        "rare to be seen.</p>\n<div class=\"scroll\" tabindex=\"0\">\n<table "
        "class=\"claims\"><thead><tr><th scope=\"col\">algorithm</th><th "
        "scope=\"col\">trust</th><th scope=\"col\">regret</th><th scope=\"col\">claimed "
        "ε</th><th scope=\"col\">found ε</th><th scope=\"col\">audit</th></tr></thead>"
        "<tbody>\n");
    for (size_t i = 0; i < played->figure->curve_count; i++) {
        put_version(text, played, i);
    }
    lotor_text_add(text, "</tbody></table></div>\n");
}

/* --- the whole section ------------------------------------------------------------------------------ */

void lotor_page_put_figure(lotor_text *text, const lotor_figure_result *played)
{
    const lotor_figure *figure = played->figure;
    lotor_text_add(text, "<section class=\"figure\" id=\"");
    lotor_text_escape(text, figure->id);
    lotor_text_add(text, "\">\n<h2>");
    lotor_report_put_name(text, figure);
    lotor_text_add(text, " ");
    lotor_page_put_badge(text, lotor_figure_verdict(played));
    lotor_text_add(text, "</h2>\n<p class=\"what\">");
    lotor_text_escape(text, figure->title);
    lotor_text_add(text, "</p>\n<p class=\"facts\"><code>");
    lotor_text_escape(text, figure->id);
    lotor_text_print(text, "</code> · %s scale · ", played->is_quick ? "quick" : "the paper’s");
    if (figure->base.place != LOTOR_FIGURE_WORLD_FORMULA) {
        lotor_text_grouped(text, played->horizon);
        lotor_text_print(text, " rounds · %" PRIu64 " run%s · ", played->runs,
                         played->runs == 1 ? "" : "s");
    }
    lotor_text_print(text, "seed %" PRIu64 " · took ", played->seed);
    lotor_page_put_seconds(text, played->seconds);
    lotor_text_print(text, "</p>\n<div class=\"body%s\">\n", played->count > 1 ? " wide" : "");
    put_charts(text, played);
    put_findings(text, played);
    lotor_text_add(text, "</div>\n");
    put_sets(text, played);
    lotor_page_put_claims(text, played);
    lotor_text_add(text, "<details open=\"open\"><summary>What was played</summary>\n");
    lotor_page_put_settings(text, played);
    lotor_text_add(text,
                   "</details>\n<p class=\"up\"><a href=\"#top\">Back to the summary</a></p>\n"
                   "</section>\n");
}
