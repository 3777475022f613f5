/* reproduce_pick.c - selects the figures that the command line names. See reproduce.h. */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/suggest.h"
#include "cli/reproduce.h"

/* Marks the figure with this id; if there is none, all figures whose ids begin with it. */
static bool pick(lotor_figure_list *shelf, const char *word)
{
    const bool all = strcmp(word, "all") == 0;
    const lotor_figure *exact = lotor_figure_find(word);
    const size_t length = strlen(word);
    bool any = false;
    for (size_t i = 0; i < shelf->count; i++) {
        const char *id = shelf->places[i].figure->id;
        const bool begins = length > 0 && strncmp(id, word, length) == 0;
        if (all || (exact ? strcmp(id, word) == 0 : begins)) {
            shelf->places[i].is_asked = true;
            any = true;
        }
    }
    return any;
}

static lotor_status refuse_word(const lotor_figure_list *shelf, const char *word,
                                lotor_message *why)
{
    lotor_suggestion suggestion;
    lotor_suggestion_start(&suggestion, word);
    lotor_suggestion_offer(&suggestion, "all");
    for (size_t i = 0; i < shelf->count; i++) {
        lotor_suggestion_offer(&suggestion, shelf->places[i].figure->id);
    }
    return lotor_fail(LOTOR_INVALID, why,
                      "there is no figure %s%s%s%s; lotor reproduce --list lists all",
                      lotor_quote_text(word).text, suggestion.nearest ? ": did you mean " : "",
                      suggestion.nearest ? suggestion.nearest : "", suggestion.nearest ? "?" : "");
}

lotor_status lotor_figure_list_make(const lotor_arguments *arguments, lotor_message *why,
                                    lotor_figure_list *out)
{
    *out = (lotor_figure_list){0};
    size_t count = 0;
    while (lotor_figure_at(count)) {
        count++;
    }
    out->places = calloc(count + 1, sizeof *out->places);
    if (!out->places) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory");
    }
    out->count = count;
    for (size_t i = 0; i < count; i++) {
        out->places[i].figure = lotor_figure_at(i);
    }
    if (arguments->word_count == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "no figures are given: give ids such as %s, the beginning of some, or "
                          "all; lotor reproduce --list lists them",
                          count > 0 ? out->places[0].figure->id : "sajed-6.1");
    }
    for (size_t i = 0; i < arguments->word_count; i++) {
        if (!pick(out, arguments->words[i])) {
            return refuse_word(out, arguments->words[i], why);
        }
    }
    return LOTOR_OK;
}

void lotor_figure_list_clear(lotor_figure_list *shelf)
{
    for (size_t i = 0; i < shelf->count; i++) {
        lotor_figure_result_clear(&shelf->places[i].played);
    }
    free(shelf->places);
    *shelf = (lotor_figure_list){0};
}

lotor_figure_result *lotor_figure_list_complete(const lotor_figure_list *shelf, bool is_asked,
                                                size_t *count)
{
    lotor_figure_result *complete = calloc(shelf->count + 1, sizeof *complete);
    *count = 0;
    for (size_t i = 0; complete && i < shelf->count; i++) {
        const lotor_figure_entry *place = &shelf->places[i];
        if (place->is_there && (place->is_asked || !is_asked)) {
            complete[(*count)++] = place->played;
        }
    }
    return complete;
}
