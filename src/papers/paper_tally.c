/* paper_tally.c - see paper_tally.h. */
#include "papers/paper_tally.h"

#include <string.h>

#include "papers/claims_played.h"

lotor_paper_tally lotor_paper_tally_of(const char *paper, const lotor_figure_result *played,
                                       size_t count)
{
    lotor_paper_tally tally = {.figures = 0};
    for (size_t i = 0; i < count; i++) {
        if (paper && strcmp(played[i].figure->paper, paper) != 0) {
            continue;
        }
        char left_out[LOTOR_PROVISIONAL_ROOM];
        lotor_figure_provisional(&played[i], left_out);
        tally.is_provisional = tally.is_provisional || left_out[0] != '\0';
        const lotor_verdict_tally own = lotor_figure_tally(&played[i], 0);
        lotor_verdict_tally_add(&tally.checks, &own);
        if (played[i].count > 1) {
            const lotor_verdict_tally honest = lotor_figure_tally(&played[i], 1);
            lotor_verdict_tally_add(&tally.honest, &honest);
        }
        tally.seconds += played[i].seconds;
        tally.figures++;
    }
    if (paper) {
        tally.claims = lotor_paper_tally_claims(paper, played, count, 0);
        tally.honest_claims = lotor_paper_tally_claims(paper, played, count, 1);
    }
    const lotor_figure *figure;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        tally.all_figures += !paper || strcmp(figure->paper, paper) == 0;
    }
    return tally;
}

static void put_share(lotor_text *text, const lotor_verdict_tally *tally, const char *one,
                      const char *many)
{
    const size_t judged = tally->claims - tally->counts[LOTOR_VERDICT_NEEDS_DATA];
    lotor_text_print(text, "%zu of %zu", tally->counts[LOTOR_VERDICT_HOLDS], judged);
    lotor_text_add(text, judged == 1 ? one : many);
}

void lotor_paper_put_headline(lotor_text *text, const lotor_paper_tally *tally)
{
    const bool has_claims = tally->claims.claims > 0;
    const lotor_verdict_tally *own = has_claims ? &tally->claims : &tally->checks;
    const lotor_verdict_tally *honest = has_claims ? &tally->honest_claims : &tally->honest;
    const size_t need_data = own->counts[LOTOR_VERDICT_NEEDS_DATA];
    if (own->claims == need_data) {
        lotor_text_add(text, need_data > 0 ? "Nothing can be decided without MovieLens 1M"
                                           : "No claim was checked");
        return;
    }
    if (honest->claims > 0) {
        lotor_text_add(text, "In the paper’s setting ");
    }
    put_share(text, own, has_claims ? " claim holds" : " check holds",
              has_claims ? " claims hold" : " checks hold");
    if (honest->claims > 0) {
        lotor_text_add(text, "; with the noise that its privacy claim needs, ");
        put_share(text, honest, "", "");
    }
    if (need_data > 0) {
        lotor_text_print(text, ", and %zu more need%s MovieLens 1M", need_data,
                         need_data == 1 ? "s" : "");
    }
    lotor_text_add(text, tally->is_provisional ? " (provisional: --scale paper makes it final)"
                                               : " (at the paper’s scale)");
}

static void put_other(lotor_text *text, size_t count, const char *one, const char *many,
                      bool *has_any)
{
    if (count > 0) {
        lotor_text_print(text, "%s%zu %s", *has_any ? ", " : "", count, count == 1 ? one : many);
        *has_any = true;
    }
}

void lotor_paper_put_others(lotor_text *text, const lotor_verdict_tally *tally)
{
    bool has_any = false;
    put_other(text, tally->counts[LOTOR_VERDICT_FAILS], "does not hold", "do not hold", &has_any);
    put_other(text, tally->counts[LOTOR_VERDICT_OPEN], "is not decided", "are not decided",
              &has_any);
    put_other(text, tally->counts[LOTOR_VERDICT_NEEDS_DATA], "needs MovieLens 1M",
              "need MovieLens 1M", &has_any);
}
