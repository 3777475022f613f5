/* report_claims.c - see report_claims.h. */
#include "papers/report_claims.h"

#include <stdio.h>
#include <string.h>

#include "papers/claims_played.h"
#include "papers/typeset.h"

static size_t count_claims(const char *paper)
{
    size_t count = 0;
    const lotor_paper_claim *claim;
    for (size_t i = 0; (claim = lotor_paper_claim_at(i)) != NULL; i++) {
        count += strcmp(claim->paper, paper) == 0;
    }
    return count;
}

/* Adds the verdict: the fixed one, or that of the figures. */
static void put_verdict(lotor_text *text, const lotor_paper_claim *claim,
                        const lotor_figure_result *played, size_t count, lotor_typeset_form form)
{
    if (claim->verdict != LOTOR_PAPER_CLAIM_PLAYED) {
        lotor_typeset(text, lotor_paper_claim_verdict_name(claim->verdict), form);
        return;
    }
    const lotor_claim_finding finding = lotor_paper_claim_judge(claim, played, count, 0);
    if (finding.checks == 0) {
        lotor_typeset(text, "not played", form);
        return;
    }
    lotor_typeset(text, lotor_verdict_name(finding.verdict), form);
    char checks[100];
    snprintf(checks, sizeof checks, " (%zu of %zu checks hold%s)", finding.holding, finding.checks,
             finding.missing > 0 ? "; not all figures were played" : "");
    lotor_typeset(text, checks, form);
}

static void put_row(lotor_text *text, const lotor_paper_claim *claim,
                    const lotor_figure_result *played, size_t count, lotor_typeset_form form)
{
    const bool is_html = form == LOTOR_TYPESET_HTML;
    lotor_text_add(text, is_html ? "<tr><th scope=\"row\">" : "| ");
    lotor_typeset(text, claim->place, form);
    lotor_text_add(text, is_html ? "</th><td>" : " | ");
    lotor_typeset(text, claim->text, form);
    lotor_text_add(text, is_html ? "</td><td>" : " | ");
    put_verdict(text, claim, played, count, form);
    lotor_text_add(text, is_html ? "</td><td>" : " | ");
    for (size_t i = 0; i < lotor_paper_claim_check_count(claim); i++) {
        char line[LOTOR_PAPER_CLAIM_LINE];
        lotor_paper_claim_check_write(&claim->checks[i], line);
        lotor_text_add(text, i == 0 ? "" : is_html ? "<br/>" : "<br>");
        lotor_typeset(text, line, form);
    }
    lotor_text_add(text, is_html ? "</td></tr>\n" : " |\n");
}

static void put_rows(lotor_text *text, const char *paper, const lotor_figure_result *played,
                     size_t count, lotor_typeset_form form)
{
    const lotor_paper_claim *claim;
    for (size_t i = 0; (claim = lotor_paper_claim_at(i)) != NULL; i++) {
        if (strcmp(claim->paper, paper) == 0) {
            put_row(text, claim, played, count, form);
        }
    }
}

void lotor_page_put_all_claims(lotor_text *text, const char *paper,
                               const lotor_figure_result *played, size_t count)
{
    const size_t claims = count_claims(paper);
    if (claims == 0) {
        return;
    }
    lotor_text_print(
        text,
        "<details><summary>All %zu claims of the paper, and what checks them</summary>\n"
        "<div class=\"scroll\" tabindex=\"0\">\n<table class=\"claims\"><thead><tr>"
        "<th scope=\"col\">where</th><th scope=\"col\">claim</th><th scope=\"col\">"
        "verdict</th><th scope=\"col\">checked by</th></tr></thead><tbody>\n",
        claims);
    put_rows(text, paper, played, count, LOTOR_TYPESET_HTML);
    lotor_text_add(text, "</tbody></table></div></details>\n");
}

void lotor_summary_put_all_claims(lotor_text *text, const char *paper,
                                  const lotor_figure_result *played, size_t count)
{
    const size_t claims = count_claims(paper);
    if (claims == 0) {
        return;
    }
    lotor_text_add(text, "\n### All claims of ");
    lotor_typeset(text, paper, LOTOR_TYPESET_MARKDOWN);
    lotor_text_print(text,
                     "\n\nAll %zu claims: numbered ones, and sentences about experiments.\n\n"
                     "| where | claim | verdict | checked by |\n|---|---|---|---|\n",
                     claims);
    put_rows(text, paper, played, count, LOTOR_TYPESET_MARKDOWN);
}
