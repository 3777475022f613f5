/* reproduce_print.c - prints figures and their verdicts, as text and as JSON. See reproduce.h. */
#include <math.h>
#include <stdio.h>

#include "cli/print.h"
#include "cli/reproduce.h"

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

void lotor_reproduce_line(const lotor_figure_entry *place)
{
    const lotor_figure_result *played = &place->played;
    printf("%-20s %-18s %8.1f s%s\n", place->figure->id,
           lotor_verdict_name(lotor_figure_verdict(played)), played->seconds,
           place->is_kept ? " (kept)" : "");
    for (size_t i = 0; i < place->figure->check_count; i++) {
        const lotor_figure_check *check = &place->figure->checks[i];
        const lotor_figure_finding finding = lotor_figure_check_judge(played, check);
        if (finding.verdict != LOTOR_VERDICT_HOLDS) {
            char text[600];
            snprintf(text, sizeof text, "%s: %.240s (%s)", lotor_verdict_name(finding.verdict),
                     check->claim, finding.measured);
            fputs("    ", stdout);
            lotor_print_wrapped(stdout, text, 4, 4);
        }
    }
    fflush(stdout); /* the next figure may take an hour */
}

void lotor_reproduce_summary(const lotor_figure_list *shelf, const char *folder, double seconds)
{
    size_t figures = 0, counts[3] = {0};
    for (size_t i = 0; i < shelf->count; i++) {
        const lotor_figure_entry *place = &shelf->places[i];
        if (place->is_asked && place->is_there) {
            figures++;
            counts[lotor_figure_verdict(&place->played)]++;
        }
    }
    if (figures == 0) { /* then there is no page either */
        puts("no figure could be played");
        return;
    }
    printf("%zu figure%s in %.1f s: %zu hold%s, %zu %s not, %zu cannot be checked; see "
           "%s/index.html\n",
           figures, figures == 1 ? "" : "s", seconds, counts[LOTOR_VERDICT_HOLDS],
           counts[LOTOR_VERDICT_HOLDS] == 1 ? "s" : "", counts[LOTOR_VERDICT_FAILS],
           counts[LOTOR_VERDICT_FAILS] == 1 ? "does" : "do", counts[LOTOR_VERDICT_UNKNOWN], folder);
}

static void put_figure(const lotor_figure_entry *place)
{
    const lotor_figure_result *played = &place->played;
    put_member("{", "id", place->figure->id);
    put_member(", ", "verdict", lotor_verdict_name(lotor_figure_verdict(played)));
    printf(", \"seconds\": %.3f, \"kept\": %s", played->seconds, place->is_kept ? "true" : "false");
    put_member(", ", "scale", played->is_quick ? "quick" : "paper");
    printf(", \"seed\": %llu, \"horizon\": %llu, \"runs\": %llu", (unsigned long long)played->seed,
           (unsigned long long)played->horizon, (unsigned long long)played->runs);
    put_member(", ", "remark", played->remark);
    fputs(", \"checks\": [", stdout);
    for (size_t i = 0; i < place->figure->check_count; i++) {
        const lotor_figure_check *check = &place->figure->checks[i];
        const lotor_figure_finding finding = lotor_figure_check_judge(played, check);
        put_member(i > 0 ? ", {" : "{", "claim", check->claim);
        put_member(", ", "verdict", lotor_verdict_name(finding.verdict));
        put_member(", ", "measured", finding.measured);
        putchar('}');
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
