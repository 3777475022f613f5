/* page_tables.c - see page_tables.h. */
#include "papers/page_tables.h"

#include <math.h>

#include "papers/typeset.h"
#include "papers/verdict_number.h"
#include "policy/catalog.h"

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

void lotor_page_put_sets(lotor_text *text, const lotor_figure_result *played)
{
    if (!played->figure->lists_sets || played->best.count == 0) {
        return;
    }
    lotor_text_add(text, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Sets "
                         "of arms\">\n<table class=\"sets\"><caption>"
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
    lotor_curve_point last = series->points[series->count - 1];
    last.mean = fmax(0.0, last.mean);
    lotor_text_add(text, "<td class=\"number\">");
    lotor_typeset(text, lotor_show_point(&last).text, LOTOR_TYPESET_HTML);
    lotor_text_add(text, "</td>");
}

static void put_claim_cells(lotor_text *text, const lotor_claim_audit *claim)
{
    lotor_text_add(text, "<td class=\"number\">");
    if (isinf(claim->epsilon)) {
        lotor_text_add(text, "–");
    } else {
        lotor_typeset_number(text, claim->epsilon, 4);
    }
    if (claim->delta > 0.0) {
        lotor_text_add(text, ", δ ");
        lotor_typeset_number(text, claim->delta, 4);
    }
    lotor_text_add(text, "</td><td class=\"number\">≥ ");
    lotor_typeset_number(text, claim->found, 3);
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
        lotor_algorithms_find(played->figure->curves[curve].setting.algorithm);
    if (!row || series->count == 0) {
        return;
    }
    lotor_text_add(text, "<tr><th scope=\"row\"><code>");
    lotor_text_escape(text, row->id);
    lotor_text_add(text, "</code><small>");
    lotor_text_escape(text, row->paper);
    lotor_text_print(text, "</small></th><td>%s</td>",
                     lotor_model_name(lotor_algorithm_model(row)));
    put_regret(text, series);
    put_claim_cells(text, &series->claim);
    lotor_text_add(text, "</tr>\n");
}

void lotor_page_put_audits(lotor_text *text, const lotor_figure_result *played)
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
        "rare to be seen.</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
        "aria-label=\"Audits\">\n<table "
        "class=\"claims\"><thead><tr><th scope=\"col\">algorithm</th><th "
        "scope=\"col\">trust</th><th scope=\"col\">regret</th><th scope=\"col\">claimed "
        "ε</th><th scope=\"col\">found ε</th><th scope=\"col\">audit</th></tr></thead>"
        "<tbody>\n");
    for (size_t i = 0; i < played->figure->curve_count; i++) {
        put_version(text, played, i);
    }
    lotor_text_add(text, "</tbody></table></div>\n");
}
