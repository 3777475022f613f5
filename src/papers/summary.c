/* summary.c - see summary.h. */
#include "papers/summary.h"

#include <inttypes.h>
#include <string.h>

#include "papers/page_figure.h"
#include "papers/paper_tally.h"
#include "papers/papers.h"
#include "papers/report_claims.h"
#include "papers/report_file.h"
#include "papers/typeset.h"

static void put(lotor_text *text, const char *words)
{
    lotor_typeset(text, words, LOTOR_TYPESET_MARKDOWN);
}

static bool is_of(const lotor_figure_result *played, const char *paper)
{
    return strcmp(played->figure->paper, paper) == 0;
}

/* True if no earlier figure is of the same paper. */
static bool is_first_of_paper(const lotor_figure_result *played, size_t number)
{
    for (size_t i = 0; i < number; i++) {
        if (is_of(&played[i], played[number].figure->paper)) {
            return false;
        }
    }
    return true;
}

/* --- the introduction --------------------------------------------------------------------------- */

static void put_introduction(lotor_text *text, const lotor_figure_result *played, size_t count,
                             const lotor_paper_tally *all)
{
    const bool is_quick = count > 0 && played[0].is_quick;
    lotor_text_add(text, "# The papers' experiments, played again\n\n"
                         "This page is for readers of the papers, and for people who choose an "
                         "algorithm by what the papers claim.\n`lotor reproduce ");
    lotor_text_add(text, all->figures == all->all_figures ? "all" : "ID...");
    lotor_text_print(text, " --scale %s` wrote it: ", is_quick ? "quick" : "paper");
    lotor_text_add(
        text,
        "it plays the papers' experiments, and computes every\nverdict and every number below from "
        "the curves and their standard errors. The page [errata.md](errata.md) says where the\n"
        "papers are wrong or vague. Lotor's own proofs are in [mathematics.md](mathematics.md). "
        "For the papers, see\n[references.md](references.md).\n\n");
}

static void put_facts(lotor_text *text, const lotor_figure_result *played, size_t count,
                      const lotor_summary_place *place, const lotor_paper_tally *all)
{
    lotor_text_add(text, "- Date: ");
    put(text, place->date);
    lotor_text_add(text, "\n- Machine: ");
    lotor_text_escape(text, place->processor);
    lotor_text_print(text, ", %zu core%s\n- Version: Lotor %s\n", place->cores,
                     place->cores == 1 ? "" : "s", LOTOR_VERSION_TEXT);
    if (count > 0) {
        lotor_text_print(text, "- Seed: %" PRIu64 "\n- Scale: %s\n", played[0].seed,
                         played[0].is_quick ? "quick" : "paper");
    }
    lotor_text_print(text, "- Figures: %zu of %zu\n- Time: ", all->figures, all->all_figures);
    lotor_page_put_seconds(text, all->seconds);
    lotor_text_add(text, "\n\n");
    if (all->is_provisional) {
        lotor_text_add(text, "Fewer rounds or runs were played than in the papers, so verdicts are "
                             "**provisional**. `--scale paper` makes\nthem final.\n\n");
    }
    lotor_text_add(
        text,
        "A claim holds, or does not hold, if the difference is more than two standard errors (more "
        "if there are few\nruns). Otherwise it is not decided. With one run no error is known, and "
        "a factor of 3 decides. `lotor reproduce\n--help` has the other rules. Where a paper says "
        "\"close\", \"roughly\" or \"like\", each check states\nthe range that we chose.\n\n");
}

/* --- the tally ---------------------------------------------------------------------------------- */

static void put_tally_row(lotor_text *text, const char *paper, const char *setting,
                          const lotor_verdict_tally *claims, const lotor_verdict_tally *tally)
{
    lotor_text_add(text, "| ");
    put(text, paper);
    lotor_text_add(text, setting);
    lotor_text_add(text, " | ");
    if (claims->claims > 0) {
        lotor_text_print(text, "%zu of %zu", claims->counts[LOTOR_VERDICT_HOLDS], claims->claims);
    }
    lotor_text_print(text, " | %zu", tally->claims);
    for (size_t i = 0; i < LOTOR_VERDICTS; i++) {
        lotor_text_print(text, " | %zu", tally->counts[i]);
    }
}

static void put_figures_and_time(lotor_text *text, const lotor_paper_tally *tally)
{
    lotor_text_print(text, " | %zu of %zu | ", tally->figures, tally->all_figures);
    lotor_page_put_seconds(text, tally->seconds);
    lotor_text_add(text, " |\n");
}

static void put_tally(lotor_text *text, const lotor_figure_result *played, size_t count,
                      const lotor_paper_tally *all)
{
    lotor_text_add(text, "## Tally\n\n| paper | claims that hold | checks");
    for (int i = 0; i < LOTOR_VERDICTS; i++) {
        lotor_text_add(text, " | ");
        put(text, lotor_verdict_name((lotor_verdict)i));
    }
    lotor_text_add(text, " | figures | time |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < count; i++) {
        const char *paper = played[i].figure->paper;
        if (!is_first_of_paper(played, i)) {
            continue;
        }
        const lotor_paper_tally tally = lotor_paper_tally_of(paper, played, count);
        const bool has_both = tally.honest.claims > 0;
        put_tally_row(text, paper, has_both ? ", in the paper’s setting" : "", &tally.claims,
                      &tally.checks);
        put_figures_and_time(text, &tally);
        if (has_both) {
            put_tally_row(text, paper, ", with the noise that its privacy claim needs",
                          &tally.honest_claims, &tally.honest);
            lotor_text_add(text, " | | |\n");
        }
    }
    put_tally_row(text, "all, in the papers’ settings", "", &all->claims, &all->checks);
    put_figures_and_time(text, all);
}

/* --- one paper ---------------------------------------------------------------------------------- */

static void put_verdict(lotor_text *text, const lotor_figure_finding *finding, bool is_provisional)
{
    put(text, lotor_verdict_name(finding->verdict));
    if (is_provisional && finding->verdict != LOTOR_VERDICT_NEEDS_DATA) {
        lotor_text_add(text, " (provisional)");
    }
}

/* One row. Papers with two settings have a column for each verdict. */
static void put_claim(lotor_text *text, const lotor_figure_result *played,
                      const lotor_figure_check *check, bool has_both)
{
    char left_out[LOTOR_PROVISIONAL_ROOM];
    lotor_figure_provisional(played, left_out);
    const lotor_figure_finding own = lotor_figure_check_judge(played, check, 0);
    lotor_text_add(text, "| ");
    put(text, played->figure->where);
    lotor_text_add(text, " | ");
    put(text, check->claim);
    lotor_text_add(text, " | ");
    put_verdict(text, &own, left_out[0] != '\0');
    if (!has_both) {
        lotor_text_add(text, " | ");
        put(text, own.measured);
    } else {
        lotor_text_add(text, " | ");
        const bool has_second = played->count > 1;
        const lotor_figure_finding honest =
            lotor_figure_check_judge(played, check, has_second ? 1 : 0);
        if (has_second) {
            put_verdict(text, &honest, left_out[0] != '\0');
        }
        lotor_text_add(text, " | ");
        put(text, own.measured);
        if (has_second) {
            lotor_text_add(text, "<br>with the noise that privacy needs: ");
            put(text, honest.measured);
        }
    }
    lotor_text_add(text, " |\n");
}

static void put_sentences(lotor_text *text, const char *words)
{
    put(text, words);
    lotor_text_add(text, "\n\n");
}

static void put_story(lotor_text *text, const char *paper, const lotor_paper_tally *tally)
{
    const lotor_paper *known = lotor_paper_find(paper);
    if (known) {
        put(text, known->authors);
        lotor_text_add(text, ": *");
        put(text, known->title);
        lotor_text_add(text, "*. ");
        put(text, known->venue);
        lotor_text_add(text, ".\n\n");
    }
    lotor_text_add(text, "**");
    lotor_paper_put_headline(text, tally);
    lotor_text_add(text, ".**\n\n");
    if (known) {
        put_sentences(text, known->proposes);
        put_sentences(text, known->claims);
        put_sentences(text, known->privacy);
    }
}

static void put_paper(lotor_text *text, const char *paper, const lotor_figure_result *played,
                      size_t count)
{
    const lotor_paper_tally tally = lotor_paper_tally_of(paper, played, count);
    const bool has_both = tally.honest.claims > 0;
    lotor_text_add(text, "\n## ");
    put(text, paper);
    lotor_text_add(text, "\n\n");
    put_story(text, paper, &tally);
    if (tally.checks.claims > 0) {
        lotor_text_add(text, "| where | check | ");
        lotor_text_add(text, has_both ? "in the paper’s setting | with the noise that its privacy "
                                        "claim needs | measured |\n|---|---|---|---|---|\n"
                                      : "verdict | measured |\n|---|---|---|---|\n");
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; is_of(&played[i], paper) && j < played[i].figure->check_count; j++) {
            put_claim(text, &played[i], &played[i].figure->checks[j], has_both);
        }
    }
    lotor_summary_put_all_claims(text, paper, played, count);
}

lotor_status lotor_summary_write(const lotor_figure_result *played, size_t count,
                                 const lotor_summary_place *place, const char *folder,
                                 lotor_message *why)
{
    const lotor_paper_tally all = lotor_paper_tally_of(NULL, played, count);
    lotor_text text = {0};
    put_introduction(&text, played, count, &all);
    put_facts(&text, played, count, place, &all);
    put_tally(&text, played, count, &all);
    for (size_t i = 0; i < count; i++) {
        if (is_first_of_paper(played, i)) {
            put_paper(&text, played[i].figure->paper, played, count);
        }
    }
    const lotor_status status = lotor_report_write(&text, folder, "summary.md", why);
    lotor_text_clear(&text);
    return status;
}
