/* page.c - writes the page around the figures, and the files. See page.h. */
#include "papers/page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/chart/svg.h"
#include "base/message.h"
#include "base/records.h"
#include "papers/page_chart.h"
#include "papers/page_figure.h"

/* --- files ------------------------------------------------------------------------------------ */

static lotor_status unwritable(const char *file, int error, lotor_message *why)
{
    char text[128];
    return lotor_fail(LOTOR_IO, why,
                      "%s can't be written: %s; give a folder that exists, may be written to and "
                      "has room",
                      lotor_excerpt(file, strlen(file)).text, strerror_r(error, text, sizeof text));
}

/* Writes the file under another name and renames it. So the file is either complete or
 * unchanged. */
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
        int error = lotor_text_write(text, partial.bytes);
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

lotor_status lotor_page_svg(const lotor_figure_result *played, const char *file, lotor_message *why)
{
    lotor_text text = {0};
    lotor_page_put_picture(&text, played);
    const lotor_status status = write_file(&text, file, why);
    lotor_text_clear(&text);
    return status;
}

/* --- the page --------------------------------------------------------------------------------- */

/* The style sheet: for a wide screen, a phone, a dark theme, and paper. */
static const char *page_style(void)
{
    return ":root{color-scheme:light dark;--paper:#fff;--ink:#16191d;--soft:#525963;--rule:#dde1e6;"
           "--box:#f6f7f9;--link:#0b5cad;--holds:#0b6b3f;--holds-box:#e2f4ea;--fails:#a3241b;"
           "--fails-box:#fce8e6;--unknown:#6a5200;--unknown-box:#fbf1d0}\n"
           "@media (prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#eceef1;--soft:#a9b0ba;"
           "--rule:#343a42;--box:#1e2227;--link:#7db8f5;--holds:#7fd9a8;--holds-box:#143524;"
           "--fails:#ff9d94;--fails-box:#44191a;--unknown:#f0cf6d;--unknown-box:#3a300f}}\n"
           "*{box-sizing:border-box}html{-webkit-text-size-adjust:100%}"
           "body{margin:0 auto;max-width:1180px;padding:24px 20px 48px;background:var(--paper);"
           "color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,"
           "Arial,sans-serif;overflow-wrap:break-word}\n"
           "h1{font-size:1.75rem;line-height:1.2;margin:0 0 .4em}"
           "h2{font-size:1.35rem;line-height:1.3;margin:0}h3{font-size:1rem;margin:1em 0 .2em}"
           ".findings h3:first-child{margin-top:0}"
           "p{margin:0 0 .6em}a{color:var(--link)}"
           "a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:3px solid "
           "var(--link);outline-offset:2px}\n"
           ".lead-in,.facts,figcaption,.where,.up{color:var(--soft)}"
           ".facts,figcaption,.up{font-size:.9rem}.up{margin-top:.8em}.what{font-size:1.05rem;"
           "margin:.2em 0}"
           "code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\n"
           ".badge{display:inline-block;padding:.05em .6em;border-radius:1em;font-size:.85rem;"
           "font-weight:600;line-height:1.6;white-space:nowrap;vertical-align:middle}"
           ".badge.holds{color:var(--holds);background:var(--holds-box)}"
           ".badge.fails{color:var(--fails);background:var(--fails-box)}"
           ".badge.unknown{color:var(--unknown);background:var(--unknown-box)}\n"
           ".scroll{overflow-x:auto;max-width:100%}"
           "table{border-collapse:collapse;font-size:.93rem}"
           "caption{text-align:left;font-weight:600;padding:.3em 0}"
           "th,td{text-align:left;padding:.35em .9em .35em 0;border-bottom:1px solid var(--rule);"
           "vertical-align:top}thead th{color:var(--soft);font-weight:600}tbody th{font-weight:500}"
           ".summary{width:100%}.summary .time{text-align:right;white-space:nowrap;padding-right:0;"
           "font-variant-numeric:tabular-nums}.summary small,.claims "
           "small{display:block;color:var(--soft)}"
           ".claims .number{white-space:nowrap}"
           ".tables{display:flex;flex-wrap:wrap;gap:12px 40px}.tables td{white-space:nowrap}"
           ".settings td{white-space:normal;max-width:24em}\n"
           "section{margin-top:36px}"
           ".figure{border-top:1px solid var(--rule);padding-top:24px}"
           ".body{display:grid;gap:12px 32px;grid-template-columns:minmax(0,560px) minmax(0,1fr);"
           "align-items:start}.body.wide{grid-template-columns:minmax(0,1fr)}"
           ".charts{margin:0;min-width:0}"
           ".charts.many{display:grid;gap:12px 24px;"
           "grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr))}"
           ".charts .chart{display:block;width:100%;height:auto;max-width:600px}"
           "figcaption{grid-column:1/-1;margin-top:.3em}\n"
           ".checks{list-style:none;margin:.3em 0;padding:0}"
           ".checks li{background:var(--box);border-radius:8px;padding:.6em .8em;margin:0 0 .6em}"
           ".checks p{margin:.25em 0 0}.measured,.remark{font-size:.95rem}"
           "details{margin-top:10px}summary{cursor:pointer;font-weight:600}"
           ".absent{columns:2 22em;padding-left:1.2em}.absent li{break-inside:avoid}\n"
           "@media (max-width:820px){.body{grid-template-columns:minmax(0,1fr)}}"
           "@media (max-width:520px){body{padding:16px 14px 32px}h1{font-size:1.45rem}"
           "h2{font-size:1.2rem}.summary .badge{font-size:.74rem;padding:.05em .5em}"
           ".summary th,.summary td{padding-right:.5em}}\n"
           "@media print{:root{color-scheme:light;--paper:#fff;--ink:#000;--soft:#444;--rule:#bbb;"
           "--box:#fff;--link:#000;--holds:#0b6b3f;--holds-box:#fff;--fails:#a3241b;"
           "--fails-box:#fff;--unknown:#6a5200;--unknown-box:#fff}"
           "body{max-width:none;padding:0;font-size:11pt}.up{display:none}"
           ".badge{border:1px solid currentColor}.checks li{border:1px solid var(--rule)}"
           ".charts,.checks li,table{break-inside:avoid}h2,h3,.what,.facts,summary{"
           "break-after:avoid}.summary{break-inside:auto}tr{break-inside:avoid}.charts .chart{"
           "max-width:440px}.scroll{overflow:visible}}\n";
}

typedef struct tally {
    size_t verdicts[3]; /* the number of figures with each lotor_verdict */
    double seconds;
    bool is_one_scale, is_one_seed;
} tally;

static tally count_all(const lotor_figure_result *played, size_t count)
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

static void put_head(lotor_text *text, const lotor_figure_result *played, size_t count)
{
    lotor_text_add(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"/>"
                         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>"
                         "<meta name=\"color-scheme\" content=\"light dark\"/>"
                         "<title>Lotor: the papers’ figures, reproduced</title>\n<style>");
    lotor_text_add(text, page_style());
    lotor_text_add(text, lotor_svg_style());
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
    lotor_page_put_seconds(text, all.seconds);
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

static void put_row(lotor_text *text, const lotor_figure_result *played)
{
    const lotor_figure *figure = played->figure;
    size_t holding = 0;
    for (size_t i = 0; i < figure->check_count; i++) {
        const lotor_figure_finding finding = lotor_figure_check_judge(played, &figure->checks[i]);
        holding += finding.verdict == LOTOR_VERDICT_HOLDS;
    }
    lotor_text_add(text, "<tr><th scope=\"row\"><a href=\"#");
    lotor_text_escape(text, figure->id);
    lotor_text_add(text, "\">");
    lotor_report_put_name(text, figure);
    lotor_text_add(text, "</a><small>");
    lotor_text_escape(text, figure->title);
    lotor_text_add(text, "</small></th><td>");
    lotor_page_put_badge(text, lotor_figure_verdict(played));
    if (figure->check_count > 0) {
        lotor_text_print(text, "<small>%zu of %zu hold%s</small>", holding, figure->check_count,
                         figure->check_count == 1 && holding == 1 ? "s" : "");
    } else {
        lotor_text_add(text, "<small>nothing to check</small>");
    }
    lotor_text_add(text, "</td><td class=\"time\">");
    lotor_page_put_seconds(text, played->seconds);
    lotor_text_add(text, "</td></tr>\n");
}

static void put_summary(lotor_text *text, const lotor_figure_result *played, size_t count)
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
            lotor_text_add(text, "<section class=\"figure\" id=\"not-played\"><h2>Not played</h2>\n"
                                 "<p>Each with <code>lotor reproduce ID</code>.</p>\n"
                                 "<ul class=\"absent\">\n");
        }
        lotor_text_add(text, "<li><code>");
        lotor_text_escape(text, figure->id);
        lotor_text_add(text, "</code> ");
        lotor_report_put_name(text, figure);
        lotor_text_add(text, ": ");
        lotor_text_escape(text, figure->title);
        lotor_text_add(text, "</li>\n");
    }
    lotor_text_add(text, absent > 0 ? "</ul></section>\n" : "");
}

lotor_status lotor_page_write(const lotor_figure_result *played, size_t count, const char *folder,
                              lotor_message *why)
{
    lotor_text text = {0}, file = {0};
    put_head(&text, played, count);
    lotor_text_add(&text, "<main>\n");
    put_summary(&text, played, count);
    for (size_t i = 0; i < count; i++) {
        lotor_page_put_figure(&text, &played[i]);
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
