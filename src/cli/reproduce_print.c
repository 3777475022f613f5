/* reproduce_print.c - prints figures and their verdicts, as text and as JSON. See reproduce.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "cli/reproduce.h"
#include "papers/claims_played.h"

static void put_member(const char *before, const char *key, const char *text)
{
    printf("%s\"%s\": ", before, key);
    lotor_print_json_string(stdout, text);
}

void lotor_reproduce_list(bool json)
{
    fputs(json ? "[" : "", stdout);
    for (size_t i = 0; lotor_figure_at(i); i++) {
        const lotor_figure *figure = lotor_figure_at(i);
        if (!json) {
            printf("%-20s %s, %s: ", figure->id, figure->paper, figure->where);
            puts(figure->title);
            continue;
        }
        put_member(i > 0 ? ", {" : "{", "id", figure->id);
        put_member(", ", "paper", figure->paper);
        put_member(", ", "where", figure->where);
        put_member(", ", "title", figure->title);
        put_member(", ", "claim", figure->claim);
        putchar('}');
    }
    fputs(json ? "]\n" : "", stdout);
}

/* Prints a finding that is not "holds", with its panel if the figure has several. */
static void put_finding(const lotor_figure_result *played, const lotor_figure_check *check,
                        size_t panel)
{
    const lotor_figure_finding finding = lotor_figure_check_judge(played, check, panel);
    if (finding.verdict == LOTOR_VERDICT_HOLDS) {
        return;
    }
    const bool has_panels = played->count > 1;
    char text[900];
    snprintf(text, sizeof text, "%.80s%s%s: %.280s (%s)",
             has_panels ? played->panels[panel].label : "", has_panels ? ": " : "",
             lotor_verdict_name(finding.verdict), check->claim, finding.measured);
    fputs("    ", stdout);
    lotor_print_wrapped(stdout, text, 4, 4);
}

void lotor_reproduce_line(const lotor_figure_entry *place)
{
    const lotor_figure_result *played = &place->played;
    const lotor_verdict_tally tally = lotor_figure_tally(played, 0);
    char left_out[LOTOR_PROVISIONAL_ROOM], claims[40];
    lotor_figure_provisional(played, left_out);
    snprintf(claims, sizeof claims, "%zu of %zu checks hold", tally.counts[LOTOR_VERDICT_HOLDS],
             tally.claims);
    printf("%-20s %-22s %8.1f s%s%s%s\n", place->figure->id, claims, played->seconds,
           place->is_kept ? " (kept)" : "", *left_out ? "  provisional: " : "", left_out);
    for (size_t panel = 0; panel < played->count; panel++) {
        for (size_t i = 0; i < place->figure->check_count; i++) {
            put_finding(played, &place->figure->checks[i], panel);
        }
    }
    fflush(stdout); /* the next figure may take minutes */
}

static void put_tally(const lotor_verdict_tally *tally)
{
    static const char *const words[LOTOR_VERDICTS] = {"", "do not", "not decided",
                                                      "need MovieLens 1M"};
    printf("%zu of %zu hold", tally->counts[LOTOR_VERDICT_HOLDS], tally->claims);
    for (size_t i = LOTOR_VERDICT_FAILS; i < LOTOR_VERDICTS; i++) {
        if (tally->counts[i] > 0) {
            printf(", %zu %s", tally->counts[i], words[i]);
        }
    }
}

/* Prints how many claims of a paper hold in the paper's own setting, and how many checks of its
 * figures. */
static void put_paper(const char *paper, const lotor_figure_result *played, size_t count)
{
    lotor_verdict_tally checks = {.claims = 0}, honest = {.claims = 0};
    const lotor_verdict_tally claims = lotor_paper_tally_claims(paper, played, count, 0);
    size_t figures = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(played[i].figure->paper, paper) == 0) {
            const lotor_verdict_tally more = lotor_figure_tally(&played[i], 0);
            lotor_verdict_tally_add(&checks, &more);
            if (played[i].count > 1) {
                const lotor_verdict_tally other = lotor_figure_tally(&played[i], 1);
                lotor_verdict_tally_add(&honest, &other);
            }
            figures++;
        }
    }
    printf("%s, %zu figure%s\n", paper, figures, figures == 1 ? "" : "s");
    if (claims.claims > 0) {
        printf("    claims: ");
        put_tally(&claims);
        putchar('\n');
    }
    printf("    checks: ");
    put_tally(&checks);
    putchar('\n');
    if (honest.claims > 0) {
        printf("    checks with the noise that the privacy claim needs: ");
        put_tally(&honest);
        putchar('\n');
    }
}

void lotor_reproduce_summary(const lotor_figure_list *shelf, const char *folder, double seconds)
{
    size_t count;
    lotor_figure_result *played = lotor_figure_list_complete(shelf, true, &count);
    if (!played || count == 0) { /* then there is no page either */
        puts(played ? "no figure could be played" : "no memory for a summary");
        free(played);
        return;
    }
    putchar('\n');
    char left_out[LOTOR_PROVISIONAL_ROOM] = "";
    for (size_t i = 0; i < count && !*left_out; i++) {
        lotor_figure_provisional(&played[i], left_out);
    }
    for (size_t i = 0; i < count; i++) { /* figures are sorted by paper */
        if (i == 0 || strcmp(played[i - 1].figure->paper, played[i].figure->paper) != 0) {
            put_paper(played[i].figure->paper, played, count);
        }
    }
    printf("%zu figure%s in %.1f s%s; see %s/index.html\n", count, count == 1 ? "" : "s", seconds,
           *left_out ? "; verdicts are provisional, and final with --scale paper" : "", folder);
    free(played);
}

static void put_check(const lotor_figure_result *played, const lotor_figure_check *check)
{
    const lotor_figure_finding finding = lotor_figure_check_judge(played, check, 0);
    put_member("{", "claim", check->claim);
    put_member(", ", "verdict", lotor_verdict_name(finding.verdict));
    put_member(", ", "measured", finding.measured);
    for (size_t panel = 0; panel < played->count && played->count > 1; panel++) {
        const lotor_figure_finding here = lotor_figure_check_judge(played, check, panel);
        put_member(panel > 0 ? ", {" : ", \"panels\": [{", "panel", played->panels[panel].label);
        put_member(", ", "verdict", lotor_verdict_name(here.verdict));
        put_member(", ", "measured", here.measured);
        fputs(panel + 1 < played->count ? "}" : "}]", stdout);
    }
    putchar('}');
}

static void put_figure(const lotor_figure_entry *place)
{
    const lotor_figure_result *played = &place->played;
    char left_out[LOTOR_PROVISIONAL_ROOM];
    lotor_figure_provisional(played, left_out);
    put_member("{", "id", place->figure->id);
    put_member(", ", "paper", place->figure->paper);
    put_member(", ", "verdict", lotor_verdict_name(lotor_figure_verdict(played)));
    put_member(", ", "provisional", left_out);
    printf(", \"seconds\": %.3f, \"kept\": %s", played->seconds, place->is_kept ? "true" : "false");
    put_member(", ", "scale", played->is_quick ? "quick" : "paper");
    printf(", \"seed\": %llu, \"horizon\": %llu, \"runs\": %llu", (unsigned long long)played->seed,
           (unsigned long long)played->horizon, (unsigned long long)played->runs);
    put_member(", ", "remark", played->remark);
    fputs(", \"checks\": [", stdout);
    for (size_t i = 0; i < place->figure->check_count; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        put_check(played, &place->figure->checks[i]);
    }
    fputs("]}", stdout);
}

void lotor_reproduce_json(const lotor_figure_list *shelf)
{
    bool any = false;
    putchar('[');
    for (size_t i = 0; i < shelf->count; i++) {
        if (shelf->places[i].is_asked && shelf->places[i].is_there) {
            fputs(any ? ",\n" : "", stdout);
            put_figure(&shelf->places[i]);
            any = true;
        }
    }
    puts("]");
}
