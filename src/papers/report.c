/* report.c - writes the page around the figures, and the files. See report.h. */
#include "papers/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/records.h"
#include "papers/report_parts.h"

/* --- files ------------------------------------------------------------------------------------ */

static lotor_status unwritable(const char *file, int error, lotor_message *why)
{
    char text[128];
    return lotor_fail(LOTOR_IO, why,
                      "%s can't be written: %s; give a folder that exists, may be written to and "
                      "has room",
                      lotor_excerpt(file, strlen(file)).text, strerror_r(error, text, sizeof text));
}

static int write_bytes(const lotor_text *text, const char *file)
{
    FILE *out = fopen(file, "we");
    if (!out) {
        return errno;
    }
    const bool is_whole = fwrite(text->bytes, 1, text->length, out) == text->length;
    const int error = is_whole ? 0 : errno;
    return fclose(out) != 0 && !error ? errno : error;
}

/* Writes a whole file or nothing: under another name first, then renames it. */
static lotor_status write_file(const lotor_text *text, const char *file, lotor_message *why)
{
    lotor_status status = lotor_text_status(text, why);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_text partial = {0};
    lotor_text_print(&partial, "%s.partial", file);
    status = lotor_text_status(&partial, why);
    if (status == LOTOR_OK) {
        int error = write_bytes(text, partial.bytes);
        if (!error && rename(partial.bytes, file) != 0) {
            error = errno;
        }
        if (error) {
            unlink(partial.bytes);
            status = unwritable(file, error, why);
        }
    }
    lotor_text_clear(&partial);
    return status;
}

lotor_status lotor_report_svg(const lotor_played *played, const char *file, lotor_message *why)
{
    lotor_text text = {0};
    lotor_report_put_picture(&text, played);
    const lotor_status status = write_file(&text, file, why);
    lotor_text_clear(&text);
    return status;
}

/* --- the page --------------------------------------------------------------------------------- */

typedef struct tally {
    size_t verdicts[3]; /* by lotor_verdict */
    double seconds;
    bool is_one_scale, is_one_seed;
} tally;

static tally count_all(const lotor_played *played, size_t count)
{
    tally all = {.is_one_scale = true, .is_one_seed = true};
    for (size_t i = 0; i < count; i++) {
        const lotor_verdict verdict = lotor_figure_verdict(&played[i]);
        all.verdicts[verdict]++;
        all.seconds += played[i].seconds;
        all.is_one_scale = all.is_one_scale && played[i].is_quick == played[0].is_quick;
        all.is_one_seed = all.is_one_seed && played[i].seed == played[0].seed;
    }
    return all;
}

static void put_head(lotor_text *text, const lotor_played *played, size_t count)
{
    lotor_text_add(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"/>"
                         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>"
                         "<meta name=\"color-scheme\" content=\"light dark\"/>"
                         "<title>Lotor: the papers’ figures, reproduced</title>\n<style>");
    lotor_text_add(text, lotor_report_style());
    lotor_text_add(text, lotor_chart_style());
    lotor_text_add(text, "</style></head>\n<body id=\"top\">\n<header><h1>The papers’ figures, "
                         "reproduced</h1>\n<p class=\"lead-in\">");
    const tally all = count_all(played, count);
    lotor_text_print(text, "%zu figure%s played by Lotor %s", count, count == 1 ? "" : "s",
                     LOTOR_VERSION_TEXT);
    if (count > 0 && all.is_one_scale) {
        lotor_text_print(text, " at %s scale", played[0].is_quick ? "a quick" : "the papers’");
    }
    if (count > 0 && all.is_one_seed) {
        lotor_text_print(text, " with seed %" PRIu64, played[0].seed);
    }
    lotor_text_add(text, ", which took ");
    lotor_report_put_seconds(text, all.seconds);
    lotor_text_print(
        text,
        ". All checked claims hold in %zu of them, at least one does not in %zu, and "
        "%zu cannot be decided. Every verdict is computed from the curves%s. A trial that "
        "several figures have is played, and its time counted, in the first of them."
        "</p></header>\n",
        all.verdicts[0], all.verdicts[1], all.verdicts[2],
        count > 0 && played[0].is_quick
            ? ", and at the quick scale it is about fewer rounds and runs than the "
              "claim: at paper scale it may differ"
            : "");
}

static void put_row(lotor_text *text, const lotor_played *played)
{
    const lotor_figure *figure = played->figure;
    size_t holding = 0;
    for (size_t i = 0; i < figure->check_count; i++) {
        const lotor_finding finding = lotor_check_figure(played, &figure->checks[i]);
        holding += finding.verdict == LOTOR_VERDICT_HOLDS;
    }
    lotor_text_add(text, "<tr><th scope=\"row\"><a href=\"#");
    lotor_text_escape(text, figure->id);
    lotor_text_add(text, "\">");
    lotor_text_escape(text, figure->paper);
    lotor_text_add(text, ", ");
    lotor_text_escape(text, figure->where);
    lotor_text_add(text, "</a><small>");
    lotor_text_escape(text, figure->title);
    lotor_text_add(text, "</small></th><td>");
    lotor_report_put_badge(text, lotor_figure_verdict(played));
    if (figure->check_count > 0) {
        lotor_text_print(text, "<small>%zu of %zu hold%s</small>", holding, figure->check_count,
                         figure->check_count == 1 && holding == 1 ? "s" : "");
    } else {
        lotor_text_add(text, "<small>nothing to check</small>");
    }
    lotor_text_add(text, "</td><td class=\"time\">");
    lotor_report_put_seconds(text, played->seconds);
    lotor_text_add(text, "</td></tr>\n");
}

static void put_summary(lotor_text *text, const lotor_played *played, size_t count)
{
    lotor_text_add(text,
                   "<section aria-label=\"Summary\"><h2>Summary</h2>\n<div class=\"scroll\" "
                   "tabindex=\"0\"><table class=\"summary\"><thead><tr><th scope=\"col\">figure"
                   "</th><th scope=\"col\">claims</th><th scope=\"col\" class=\"time\">time"
                   "</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < count; i++) {
        put_row(text, &played[i]);
    }
    lotor_text_add(text, "</tbody></table></div></section>\n");
}

static bool was_played(const lotor_figure *figure, const lotor_played *played, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(played[i].figure->id, figure->id) == 0) {
            return true;
        }
    }
    return false;
}

static void put_absent(lotor_text *text, const lotor_played *played, size_t count)
{
    size_t absent = 0;
    const lotor_figure *figure;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        if (was_played(figure, played, count)) {
            continue;
        }
        if (absent++ == 0) {
            lotor_text_add(text, "<section class=\"figure\" id=\"not-played\"><h2>Not played</h2>\n"
                                 "<p>Each with <code>lotor reproduce ID</code>.</p>\n"
                                 "<ul class=\"absent\">\n");
        }
        lotor_text_add(text, "<li><code>");
        lotor_text_escape(text, figure->id);
        lotor_text_add(text, "</code> ");
        lotor_text_escape(text, figure->paper);
        lotor_text_add(text, ", ");
        lotor_text_escape(text, figure->where);
        lotor_text_add(text, ": ");
        lotor_text_escape(text, figure->title);
        lotor_text_add(text, "</li>\n");
    }
    lotor_text_add(text, absent > 0 ? "</ul></section>\n" : "");
}

lotor_status lotor_report_page(const lotor_played *played, size_t count, const char *folder,
                               lotor_message *why)
{
    lotor_text text = {0}, file = {0};
    put_head(&text, played, count);
    lotor_text_add(&text, "<main>\n");
    put_summary(&text, played, count);
    for (size_t i = 0; i < count; i++) {
        lotor_report_put_figure(&text, &played[i]);
    }
    put_absent(&text, played, count);
    lotor_text_add(&text, "</main>\n</body>\n</html>\n");
    lotor_text_print(&file, "%s/index.html", folder);
    lotor_status status = lotor_text_status(&file, why);
    status = status == LOTOR_OK ? write_file(&text, file.bytes, why) : status;
    lotor_text_clear(&file);
    lotor_text_clear(&text);
    return status;
}
