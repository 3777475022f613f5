/* reproduce_claims.c - lotor reproduce --claims: prints the claims of the papers, with their verdicts
 * and what checks them, as text and as JSON. See papers/claims.h. */
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/print.h"
#include "cli/reproduce.h"
#include "papers/claims.h"

enum { LINE_ROOM = 1000 };

/* True if the claim is asked for: by its id, by the beginning of it, or because nothing is. */
static bool is_asked(const lotor_arguments *arguments, const lotor_paper_claim *claim)
{
    bool any = arguments->word_count == 0;
    for (size_t i = 0; i < arguments->word_count; i++) {
        const char *word = arguments->words[i];
        any = any || strcmp(word, "all") == 0 || strncmp(claim->id, word, strlen(word)) == 0;
    }
    return any;
}

static bool begins_a_claim(const char *word)
{
    bool any = strcmp(word, "all") == 0;
    for (size_t i = 0; lotor_paper_claim_at(i) && !any; i++) {
        any = *word && strncmp(lotor_paper_claim_at(i)->id, word, strlen(word)) == 0;
    }
    return any;
}

/* --- text ------------------------------------------------------------------------------------- */

static void print_check(const lotor_paper_claim_check *check)
{
    char text[LOTOR_PAPER_CLAIM_LINE];
    lotor_paper_claim_check_write(check, text);
    fputs("    - ", stdout);
    lotor_print_wrapped(stdout, text, 6, 6);
}

static void print_claim(const lotor_paper_claim *claim)
{
    printf("%-28s %-12s %s\n", claim->id, lotor_paper_claim_kind_name(claim->kind),
           lotor_paper_claim_verdict_name(claim->verdict));
    char text[LINE_ROOM];
    snprintf(text, sizeof text, "%s: %s", claim->place, claim->text);
    fputs("    ", stdout);
    lotor_print_wrapped(stdout, text, 4, 4);
    for (size_t i = 0; i < lotor_paper_claim_check_count(claim); i++) {
        print_check(&claim->checks[i]);
    }
}

static void print_tally(const char *whose, const size_t counts[LOTOR_PAPER_CLAIM_VERDICTS])
{
    size_t total = 0, length = 0;
    char text[LINE_ROOM];
    for (size_t i = 0; i < LOTOR_PAPER_CLAIM_VERDICTS; i++) {
        total += counts[i];
    }
    length +=
        (size_t)snprintf(text, sizeof text, "%s: %zu claim%s", whose, total, total == 1 ? "" : "s");
    for (size_t i = 0; i < LOTOR_PAPER_CLAIM_VERDICTS && length < sizeof text; i++) {
        if (counts[i] > 0) {
            length += (size_t)snprintf(text + length, sizeof text - length, "; %s: %zu",
                                       lotor_paper_claim_verdict_name((lotor_paper_claim_verdict)i),
                                       counts[i]);
        }
    }
    lotor_print_wrapped(stdout, text, 0, 4);
}

static void print_text(const lotor_arguments *arguments)
{
    size_t all[LOTOR_PAPER_CLAIM_VERDICTS] = {0}, of_paper[LOTOR_PAPER_CLAIM_VERDICTS] = {0},
           papers = 0;
    const char *paper = "";
    for (size_t i = 0; lotor_paper_claim_at(i); i++) {
        const lotor_paper_claim *claim = lotor_paper_claim_at(i);
        if (!is_asked(arguments, claim)) {
            continue;
        }
        if (strcmp(paper, claim->paper) != 0) {
            if (papers > 0) {
                print_tally(paper, of_paper);
                putchar('\n');
            }
            memset(of_paper, 0, sizeof of_paper);
            paper = claim->paper;
            papers++;
            printf("%s\n\n", paper);
        }
        print_claim(claim);
        putchar('\n');
        of_paper[claim->verdict]++;
        all[claim->verdict]++;
    }
    print_tally(paper, of_paper);
    if (papers > 1) {
        print_tally("All papers", all);
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void put_member(const char *before, const char *key, const char *text)
{
    printf("%s\"%s\": ", before, key);
    if (text) {
        lotor_print_json_string(stdout, text);
    } else {
        fputs("null", stdout);
    }
}

static void put_check(const lotor_paper_claim_check *check)
{
    put_member("{", "way", lotor_paper_claim_way_name(check->way));
    put_member(", ", "name", check->name);
    put_member(", ", "part", check->part);
    fputs(", \"figures\": [", stdout);
    bool any = false;
    for (size_t i = 0; lotor_figure_at(i); i++) {
        if (lotor_paper_claim_check_has_figure(check, lotor_figure_at(i), NULL)) {
            fputs(any ? ", " : "", stdout);
            lotor_print_json_string(stdout, lotor_figure_at(i)->id);
            any = true;
        }
    }
    fputs("]}", stdout);
}

static void print_json(const lotor_arguments *arguments)
{
    bool any = false;
    putchar('[');
    for (size_t i = 0; lotor_paper_claim_at(i); i++) {
        const lotor_paper_claim *claim = lotor_paper_claim_at(i);
        if (!is_asked(arguments, claim)) {
            continue;
        }
        put_member(any ? ",\n{" : "{", "id", claim->id);
        put_member(", ", "paper", claim->paper);
        put_member(", ", "place", claim->place);
        put_member(", ", "kind", lotor_paper_claim_kind_name(claim->kind));
        put_member(", ", "verdict", lotor_paper_claim_verdict_name(claim->verdict));
        put_member(", ", "claim", claim->text);
        fputs(", \"checks\": [", stdout);
        for (size_t j = 0; j < lotor_paper_claim_check_count(claim); j++) {
            fputs(j > 0 ? ", " : "", stdout);
            put_check(&claim->checks[j]);
        }
        fputs("]}", stdout);
        any = true;
    }
    puts("]");
}

int lotor_reproduce_claims(const lotor_arguments *arguments, bool json)
{
    for (size_t i = 0; i < arguments->word_count; i++) {
        if (!begins_a_claim(arguments->words[i])) {
            lotor_message why;
            const lotor_status status = lotor_fail(
                LOTOR_INVALID, &why, "no claim begins with %s; lotor reproduce --claims lists all",
                lotor_quote_text(arguments->words[i]).text);
            return lotor_command_refuse("reproduce", status, why.text);
        }
    }
    if (json) {
        print_json(arguments);
    } else {
        print_text(arguments);
    }
    return LOTOR_EXIT_FINE;
}
