/* page_paper.c - see page_paper.h. */
#include "papers/page_paper.h"

#include <string.h>

#include "papers/page_figure.h"
#include "papers/paper_tally.h"
#include "papers/papers.h"
#include "papers/report_claims.h"
#include "papers/typeset.h"

static bool is_of(const lotor_figure_result *played, const char *paper)
{
    return strcmp(played->figure->paper, paper) == 0;
}

/* The id of the paper's section: its own, or that of its first figure. */
static void put_id(lotor_text *text, const char *paper, const lotor_figure_result *played,
                   size_t count)
{
    const lotor_paper *known = lotor_paper_find(paper);
    lotor_text_add(text, "paper-");
    for (size_t i = 0; i < count; i++) {
        if (is_of(&played[i], paper)) {
            lotor_text_escape(text, known ? known->id : played[i].figure->id);
            return;
        }
    }
}

/* --- the table at the top ----------------------------------------------------------------------- */

void lotor_page_open_summary(lotor_text *text)
{
    lotor_text_add(
        text,
        "<section aria-labelledby=\"summary\"><h2 id=\"summary\">Summary</h2>\n<div "
        "class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of the papers\"><table "
        "class=\"summary\"><thead><tr><th scope=\"col\">paper</th><th scope=\"col\">claims that "
        "hold</th><th scope=\"col\" class=\"count\">figures</th><th scope=\"col\" "
        "class=\"time\">time</th></tr></thead><tbody>\n");
}

static void put_tally(lotor_text *text, const char *setting, const lotor_verdict_tally *tally)
{
    lotor_text_print(text, "<p>%zu of %zu%s", tally->counts[LOTOR_VERDICT_HOLDS], tally->claims,
                     setting);
    if (tally->counts[LOTOR_VERDICT_HOLDS] < tally->claims) {
        lotor_text_add(text, "<small>");
        lotor_paper_put_others(text, tally);
        lotor_text_add(text, "</small>");
    }
    lotor_text_add(text, "</p>");
}

void lotor_page_put_summary_row(lotor_text *text, const char *paper,
                                const lotor_figure_result *played, size_t count)
{
    const lotor_paper *known = lotor_paper_find(paper);
    const lotor_paper_tally tally = lotor_paper_tally_of(paper, played, count);
    lotor_text_add(text, "<tr><th scope=\"row\"><a href=\"#");
    put_id(text, paper, played, count);
    lotor_text_add(text, "\">");
    lotor_text_escape(text, paper);
    lotor_text_add(text, "</a><small>");
    lotor_text_escape(text, known ? known->title : "");
    lotor_text_add(text, "</small></th><td>");
    const bool has_both = tally.honest.claims > 0;
    put_tally(text, has_both ? " in the paper’s setting" : "",
              tally.claims.claims > 0 ? &tally.claims : &tally.checks);
    if (has_both) {
        put_tally(text, " with the noise that privacy needs",
                  tally.claims.claims > 0 ? &tally.honest_claims : &tally.honest);
    }
    if (tally.is_provisional) {
        lotor_text_add(text, "<span class=\"provisional\">provisional</span>");
    }
    lotor_text_print(text, "</td><td class=\"count\">%zu of %zu</td><td class=\"time\">",
                     tally.figures, tally.all_figures);
    lotor_page_put_seconds(text, tally.seconds);
    lotor_text_add(text, "</td></tr>\n");
}

void lotor_page_close_summary(lotor_text *text)
{
    lotor_text_add(text, "</tbody></table></div></section>\n");
}

/* --- the story ---------------------------------------------------------------------------------- */

static void put_headline(lotor_text *text, const lotor_paper_tally *tally)
{
    lotor_text headline = {0};
    lotor_paper_put_headline(&headline, tally);
    lotor_text_add(text, "<p class=\"headline\">");
    lotor_text_escape(text, headline.bytes);
    lotor_text_add(text, ".</p>\n");
    text->is_out_of_memory = text->is_out_of_memory || headline.is_out_of_memory;
    lotor_text_clear(&headline);
}

/* Lists the claims that do not hold on a panel, with links to their figures. */
static void put_failing(lotor_text *text, const char *paper, const lotor_figure_result *played,
                        size_t count, size_t panel)
{
    enum { MOST = 8 };
    size_t failing = 0;
    for (size_t i = 0; i < count; i++) {
        const lotor_figure *figure = played[i].figure;
        for (size_t j = 0;
             is_of(&played[i], paper) && panel < played[i].count && j < figure->check_count; j++) {
            const lotor_figure_finding finding =
                lotor_figure_check_judge(&played[i], &figure->checks[j], panel);
            if (finding.verdict != LOTOR_VERDICT_FAILS || failing++ >= MOST) {
                continue;
            }
            lotor_text_add(text, failing == 1 ? "<ul class=\"failing\">\n" : "");
            lotor_text_add(text, "<li><a href=\"#");
            lotor_text_escape(text, figure->id);
            lotor_text_add(text, "\">");
            lotor_typeset(text, figure->where, LOTOR_TYPESET_HTML);
            lotor_text_add(text, "</a>: ");
            lotor_typeset(text, figure->checks[j].claim, LOTOR_TYPESET_HTML);
            lotor_text_add(text, "</li>\n");
        }
    }
    if (failing > MOST) {
        lotor_text_print(text, "<li>and %zu more, below</li>\n", failing - MOST);
    }
    lotor_text_add(text, failing > 0 ? "</ul>\n" : "");
}

/* The findings: counts, and the claims that do not hold. */
static void put_found(lotor_text *text, const char *paper, const lotor_paper_tally *tally,
                      const lotor_figure_result *played, size_t count)
{
    const bool has_both = tally->honest.claims > 0;
    if (tally->checks.claims == 0) {
        return;
    }
    lotor_text_print(text, "<p>We made %zu check%s%s: %zu hold%s", tally->checks.claims,
                     tally->checks.claims == 1 ? "" : "s",
                     has_both ? " in the paper’s setting" : "",
                     tally->checks.counts[LOTOR_VERDICT_HOLDS],
                     tally->checks.counts[LOTOR_VERDICT_HOLDS] == 1 ? "s" : "");
    if (tally->checks.counts[LOTOR_VERDICT_HOLDS] < tally->checks.claims) {
        lotor_text_add(text, ", ");
        lotor_paper_put_others(text, &tally->checks);
    }
    lotor_text_add(text, tally->checks.counts[LOTOR_VERDICT_FAILS] > 0
                             ? ". These do not hold:</p>\n"
                             : ".</p>\n");
    put_failing(text, paper, played, count, 0);
    if (!has_both) {
        return;
    }
    lotor_text_print(text, "<p>With the noise that the privacy claim needs, %zu of %zu hold",
                     tally->honest.counts[LOTOR_VERDICT_HOLDS], tally->honest.claims);
    if (tally->honest.counts[LOTOR_VERDICT_HOLDS] < tally->honest.claims) {
        lotor_text_add(text, ", ");
        lotor_paper_put_others(text, &tally->honest);
    }
    lotor_text_add(text, tally->honest.counts[LOTOR_VERDICT_FAILS] > 0
                             ? ". These do not hold there:</p>\n"
                             : ".</p>\n");
    put_failing(text, paper, played, count, 1);
}

static void put_sentences(lotor_text *text, const char *words)
{
    lotor_text_add(text, "<p>");
    lotor_typeset(text, words, LOTOR_TYPESET_HTML);
    lotor_text_add(text, "</p>\n");
}

static void put_story(lotor_text *text, const char *paper, const lotor_paper_tally *tally,
                      const lotor_figure_result *played, size_t count)
{
    const lotor_paper *known = lotor_paper_find(paper);
    if (known) {
        lotor_text_add(text, "<p class=\"source\">");
        lotor_text_escape(text, known->authors);
        lotor_text_add(text, ": <cite>");
        lotor_text_escape(text, known->title);
        lotor_text_add(text, "</cite>. ");
        lotor_text_escape(text, known->venue);
        lotor_text_add(text, ".</p>\n");
    }
    put_headline(text, tally);
    lotor_text_add(text, "<div class=\"story\">\n");
    if (known) {
        put_sentences(text, known->proposes);
        put_sentences(text, known->claims);
    }
    put_found(text, paper, tally, played, count);
    if (known) {
        put_sentences(text, known->privacy);
    }
    lotor_text_add(text, "</div>\n");
}

/* --- the figures -------------------------------------------------------------------------------- */

static void put_counts(lotor_text *text, const lotor_verdict_tally *tally)
{
    if (tally->claims == 0) {
        lotor_text_add(text, "<small>nothing to check</small>");
        return;
    }
    lotor_text_print(text, "<small>%zu of %zu hold%s</small>", tally->counts[LOTOR_VERDICT_HOLDS],
                     tally->claims,
                     tally->claims == 1 && tally->counts[LOTOR_VERDICT_HOLDS] == 1 ? "s" : "");
}

static void put_figure_row(lotor_text *text, const lotor_figure_result *played)
{
    const lotor_figure *figure = played->figure;
    const lotor_verdict_tally claims = lotor_figure_tally(played, 0);
    lotor_text_add(text, "<tr><th scope=\"row\"><a href=\"#");
    lotor_text_escape(text, figure->id);
    lotor_text_add(text, "\">");
    lotor_typeset(text, figure->where, LOTOR_TYPESET_HTML);
    lotor_text_add(text, "</a><small>");
    lotor_typeset(text, figure->title, LOTOR_TYPESET_HTML);
    lotor_text_add(text, "</small></th><td>");
    lotor_page_put_badge(text, lotor_figure_verdict(played));
    put_counts(text, &claims);
    lotor_text_add(text, "</td><td class=\"time\">");
    lotor_page_put_seconds(text, played->seconds);
    lotor_text_add(text, "</td></tr>\n");
}

static void put_figure_table(lotor_text *text, const char *paper, const lotor_figure_result *played,
                             size_t count)
{
    lotor_text_add(text, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                         "aria-label=\"Figures\"><table class=\"summary\"><thead><tr>"
                         "<th scope=\"col\">figure</th><th scope=\"col\">claims</th><th "
                         "scope=\"col\" class=\"time\">time</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < count; i++) {
        if (is_of(&played[i], paper)) {
            put_figure_row(text, &played[i]);
        }
    }
    lotor_text_add(text, "</tbody></table></div>\n");
}

void lotor_page_put_paper(lotor_text *text, const char *paper, const lotor_figure_result *played,
                          size_t count)
{
    const lotor_paper_tally tally = lotor_paper_tally_of(paper, played, count);
    lotor_text_add(text, "<section class=\"paper\" id=\"");
    put_id(text, paper, played, count);
    lotor_text_add(text, "\">\n<h2>");
    lotor_text_escape(text, paper);
    lotor_text_add(text, "</h2>\n");
    put_story(text, paper, &tally, played, count);
    put_figure_table(text, paper, played, count);
    lotor_page_put_all_claims(text, paper, played, count);
    for (size_t i = 0; i < count; i++) {
        if (is_of(&played[i], paper)) {
            lotor_page_put_figure(text, &played[i]);
        }
    }
    lotor_text_add(text, "</section>\n");
}
