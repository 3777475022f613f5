/* claims_text.c - says in words how a claim is checked: see claims.h. */
#include <stdio.h>
#include <string.h>

#include "papers/claims.h"

enum { FIGURES_ROOM = 1000 };

/* "sajed-6.1, sajed-6. (12 figures)": a word that is not an id means several figures. */
static void write_figures(const char *words, char text[FIGURES_ROOM])
{
    size_t length = 0;
    text[0] = '\0';
    while (*words && length < FIGURES_ROOM) {
        char word[100];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(words, " "), words);
        words += strcspn(words, " ");
        words += strspn(words, " ");
        const lotor_paper_claim_check one = {LOTOR_WAY_FIGURE, word, NULL};
        size_t count = 0;
        for (size_t i = 0; lotor_figure_at(i); i++) {
            count += lotor_paper_claim_check_has_figure(&one, lotor_figure_at(i), NULL);
        }
        length += (size_t)snprintf(text + length, FIGURES_ROOM - length, "%s%s",
                                   length > 0 ? ", " : "", word);
        if (!lotor_figure_find(word) && length < FIGURES_ROOM) {
            length +=
                (size_t)snprintf(text + length, FIGURES_ROOM - length, " (%zu figures)", count);
        }
    }
}

void lotor_paper_claim_check_write(const lotor_paper_claim_check *check,
                                   char text[LOTOR_PAPER_CLAIM_LINE])
{
    char figures[FIGURES_ROOM];
    switch (check->way) {
    case LOTOR_WAY_FIGURE:
        write_figures(check->name, figures);
        snprintf(text, LOTOR_PAPER_CLAIM_LINE,
                 check->part ? "played by %s: \"%s...\"" : "played by %s", figures, check->part);
        break;
    case LOTOR_WAY_TEST:
        snprintf(text, LOTOR_PAPER_CLAIM_LINE, "tested by tests/%s.c: %s", check->name,
                 check->part);
        break;
    case LOTOR_WAY_PROOF:
        snprintf(text, LOTOR_PAPER_CLAIM_LINE, "proved in %s, \"%s\"", check->name, check->part);
        break;
    case LOTOR_WAY_ERRATUM:
        snprintf(text, LOTOR_PAPER_CLAIM_LINE, "see docs/errata.md, %s", check->name);
        break;
    case LOTOR_WAY_CITED:
        snprintf(text, LOTOR_PAPER_CLAIM_LINE, "cited from %s", check->name);
        break;
    case LOTOR_WAY_NONE:
    case LOTOR_WAY_END:
        snprintf(text, LOTOR_PAPER_CLAIM_LINE, "not checked: %s", check->name);
        break;
    }
}
