/* page.c - writes the page around the papers. See page.h. */
#include "papers/page.h"

#include <inttypes.h>
#include <string.h>

#include "base/chart/svg.h"
#include "papers/page_chart.h"
#include "papers/page_figure.h"
#include "papers/page_paper.h"
#include "papers/page_style.h"
#include "papers/paper_tally.h"
#include "papers/report_file.h"
#include "papers/typeset.h"

lotor_status lotor_page_svg(const lotor_figure_result *played, const char *file, lotor_message *why)
{
    lotor_text text = {0};
    lotor_page_put_picture(&text, played);
    const lotor_status status = lotor_report_write_file(&text, file, why);
    lotor_text_clear(&text);
    return status;
}

/* --- the head ----------------------------------------------------------------------------------- */

static void put_facts(lotor_text *text, const lotor_figure_result *played, size_t count)
{
    const lotor_paper_tally all = lotor_paper_tally_of(NULL, played, count);
    bool is_one_scale = true, is_one_seed = true;
    for (size_t i = 0; i < count; i++) {
        is_one_scale = is_one_scale && played[i].is_quick == played[0].is_quick;
        is_one_seed = is_one_seed && played[i].seed == played[0].seed;
    }
    lotor_text_print(text, "<p class=\"facts\">%zu figure%s played by Lotor %s", count,
                     count == 1 ? "" : "s", LOTOR_VERSION_TEXT);
    if (count > 0 && is_one_scale) {
        lotor_text_print(text, " at %s scale", played[0].is_quick ? "a quick" : "the papers’");
    }
    if (count > 0 && is_one_seed) {
        lotor_text_print(text, " with seed %" PRIu64, played[0].seed);
    }
    lotor_text_add(text, ", which took ");
    lotor_page_put_seconds(text, all.seconds);
    lotor_text_add(text, ". An experiment that several figures have is played, and its time "
                         "counted, in the first of them.");
    if (all.is_provisional) {
        lotor_text_add(text, " At the quick scale every verdict is provisional: <code>lotor "
                             "reproduce all --scale paper</code> makes it final.");
    }
    lotor_text_add(text, "</p></div>\n");
}

static void put_head(lotor_text *text, const lotor_figure_result *played, size_t count)
{
    lotor_text_add(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"/>"
                         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>"
                         "<meta name=\"color-scheme\" content=\"light dark\"/>"
                         "<title>Lotor: the papers’ figures, reproduced</title>\n<style>");
    lotor_text_add(text, lotor_page_style());
    lotor_text_add(text, lotor_svg_style());
    lotor_text_add(
        text,
        "</style></head>\n<body id=\"top\">\n<main>\n<div class=\"head\"><h1>The papers’ figures, "
        "reproduced</h1>\n"
        "<p class=\"lead-in\">This page is for readers of the papers, and for people who choose an "
        "algorithm by what the papers claim. <code>lotor reproduce</code> played the papers’ "
        "experiments, and computed a verdict on each claim from the curves and their errors. A "
        "claim that is within the errors is not decided. Where a paper says “close”, “roughly” or "
        "“like”, each check states the range that we chose.</p>\n");
    put_facts(text, played, count);
}

/* --- missing figures ----------------------------------------------------------------------------- */

static bool was_played(const lotor_figure *figure, const lotor_figure_result *played, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(played[i].figure->id, figure->id) == 0) {
            return true;
        }
    }
    return false;
}

static void put_absent(lotor_text *text, const lotor_figure_result *played, size_t count)
{
    size_t absent = 0;
    const lotor_figure *figure;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        if (was_played(figure, played, count)) {
            continue;
        }
        if (absent++ == 0) {
            lotor_text_add(text, "<section class=\"paper\" id=\"not-played\"><h2>Not played</h2>\n"
                                 "<p>Each with <code>lotor reproduce ID</code>.</p>\n"
                                 "<ul class=\"absent\">\n");
        }
        lotor_text_add(text, "<li><code>");
        lotor_text_escape(text, figure->id);
        lotor_text_add(text, "</code> ");
        lotor_report_put_name(text, figure);
        lotor_text_add(text, ": ");
        lotor_typeset(text, figure->title, LOTOR_TYPESET_HTML);
        lotor_text_add(text, "</li>\n");
    }
    lotor_text_add(text, absent > 0 ? "</ul></section>\n" : "");
}

/* --- the page ------------------------------------------------------------------------------------ */

/* True if no earlier figure is of the same paper. */
static bool is_first_of_paper(const lotor_figure_result *played, size_t number)
{
    for (size_t i = 0; i < number; i++) {
        if (strcmp(played[i].figure->paper, played[number].figure->paper) == 0) {
            return false;
        }
    }
    return true;
}

static void put_summary(lotor_text *text, const lotor_figure_result *played, size_t count)
{
    lotor_page_open_summary(text);
    for (size_t i = 0; i < count; i++) {
        if (is_first_of_paper(played, i)) {
            lotor_page_put_summary_row(text, played[i].figure->paper, played, count);
        }
    }
    lotor_page_close_summary(text);
}

lotor_status lotor_page_write(const lotor_figure_result *played, size_t count, const char *folder,
                              lotor_message *why)
{
    lotor_text text = {0};
    put_head(&text, played, count);
    put_summary(&text, played, count);
    for (size_t i = 0; i < count; i++) {
        if (is_first_of_paper(played, i)) {
            lotor_page_put_paper(&text, played[i].figure->paper, played, count);
        }
    }
    put_absent(&text, played, count);
    lotor_text_add(&text, "</main>\n</body>\n</html>\n");
    const lotor_status status = lotor_report_write(&text, folder, "index.html", why);
    lotor_text_clear(&text);
    return status;
}
