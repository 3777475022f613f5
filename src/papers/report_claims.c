/* report_claims.c - writes a table of the compared algorithms: the regret, the claim, and the
 * result of an audit of each. */
#include "papers/report_parts.h"

#include <math.h>

#include "papers/reproduce_plan.h"
#include "policy/catalog.h"

static void put_regret(lotor_text *text, const lotor_series *series)
{
    const lotor_point *last = &series->points[series->count - 1];
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

static void put_claim(lotor_text *text, const lotor_claim *claim)
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
    /* A bound of 0 does not count as "holds": there may have been too few trials. */
    const char *kind = "unknown";
    if (claim->verdict == LOTOR_AUDIT_VIOLATED) {
        kind = "fails";
    } else if (claim->verdict == LOTOR_AUDIT_NOTHING_FOUND && claim->found > 0.0) {
        kind = "holds";
    }
    lotor_text_print(text, "<span class=\"badge %s\">", kind);
    lotor_text_escape(text, lotor_audit_verdict_name(claim->verdict));
    lotor_text_add(text, "</span></td>");
}

static void put_version(lotor_text *text, const lotor_played *played, size_t curve)
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
    put_claim(text, &series->claim);
    lotor_text_add(text, "</tr>\n");
}

void lotor_report_put_claims(lotor_text *text, const lotor_played *played)
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
