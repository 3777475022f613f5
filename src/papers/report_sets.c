/* report_sets.c - writes a table of arms: the last set of each curve, and the best set, by name. */
#include "papers/report_parts.h"

static bool is_anywhere(const lotor_played *played, uint32_t arm)
{
    bool is_there = lotor_set_has(&played->best, arm);
    for (size_t i = 0; i < played->count && !is_there; i++) {
        for (size_t j = 0; j < played->panels[i].count && !is_there; j++) {
            is_there = lotor_set_has(&played->panels[i].series[j].shown, arm);
        }
    }
    return is_there;
}

static void put_mark(lotor_text *text, const lotor_set *set, uint32_t arm)
{
    lotor_text_add(text, lotor_set_has(set, arm) ? "<td class=\"mark\">✓</td>" : "<td></td>");
}

static void put_arm(lotor_text *text, const lotor_played *played, uint32_t arm)
{
    lotor_text_add(text, "<tr><th scope=\"row\">");
    lotor_text_escape(text, played->names[arm]);
    lotor_text_add(text, "</th>");
    put_mark(text, &played->best, arm);
    for (size_t i = 0; i < played->count; i++) {
        for (size_t j = 0; j < played->panels[i].count; j++) {
            put_mark(text, &played->panels[i].series[j].shown, arm);
        }
    }
    lotor_text_add(text, "</tr>\n");
}

/* Writes the size of each set, and how many of its arms are in the best set. */
static void put_counts(lotor_text *text, const lotor_played *played)
{
    lotor_text_print(text, "<tr><th scope=\"row\">of the best</th><td>%zu</td>",
                     played->best.count);
    for (size_t i = 0; i < played->count; i++) {
        for (size_t j = 0; j < played->panels[i].count; j++) {
            const lotor_set *shown = &played->panels[i].series[j].shown;
            lotor_text_print(text, "<td>%zu of %zu</td>", lotor_set_overlap(shown, &played->best),
                             played->best.count);
        }
    }
    lotor_text_add(text, "</tr>\n");
}

void lotor_report_put_sets(lotor_text *text, const lotor_played *played)
{
    if (!played->figure->lists_sets || played->best.count == 0) {
        return;
    }
    lotor_text_add(text, "<div class=\"scroll\" tabindex=\"0\">\n<table class=\"sets\"><caption>"
                         "What the first run of each showed most often in its last tenth, the most "
                         "popular first</caption><thead><tr><th scope=\"col\">shown</th>"
                         "<th scope=\"col\">the best</th>");
    for (size_t i = 0; i < played->count; i++) {
        for (size_t j = 0; j < played->panels[i].count; j++) {
            lotor_text_add(text, "<th scope=\"col\">");
            lotor_text_escape(text, played->panels[i].series[j].label);
            lotor_text_add(text, "</th>");
        }
    }
    lotor_text_add(text, "</tr></thead><tbody>\n");
    for (size_t arm = 0; arm < played->name_count; arm++) {
        if (is_anywhere(played, (uint32_t)arm)) {
            put_arm(text, played, (uint32_t)arm);
        }
    }
    put_counts(text, played);
    lotor_text_add(text, "</tbody></table></div>\n");
}
