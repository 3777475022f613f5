/* claims_played.c - see claims_played.h. */
#include "papers/claims_played.h"

#include <string.h>

#include "papers/verdict_number.h"

static const lotor_figure_result *find_played(const lotor_figure_result *played, size_t count,
                                              const lotor_figure *figure)
{
    for (size_t i = 0; i < count; i++) {
        if (played[i].figure == figure) {
            return &played[i];
        }
    }
    return NULL;
}

/* Adds the checks of one figure that the claim names. */
static void judge_figure(const lotor_paper_claim *claim, const lotor_figure_result *result,
                         size_t panel, lotor_claim_finding *out)
{
    for (size_t i = 0; i < result->figure->check_count; i++) {
        const lotor_figure_check *check = &result->figure->checks[i];
        if (panel < result->count && lotor_paper_claim_has_figure(claim, result->figure, check)) {
            const lotor_verdict verdict = lotor_figure_check_judge(result, check, panel).verdict;
            out->verdict = out->checks > 0 ? lotor_verdict_worse(out->verdict, verdict) : verdict;
            out->holding += verdict == LOTOR_VERDICT_HOLDS;
            out->checks++;
        }
    }
}

lotor_claim_finding lotor_paper_claim_judge(const lotor_paper_claim *claim,
                                            const lotor_figure_result *played, size_t count,
                                            size_t panel)
{
    lotor_claim_finding finding = {.verdict = LOTOR_VERDICT_OPEN};
    const lotor_figure *figure;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        if (!lotor_paper_claim_has_figure(claim, figure, NULL)) {
            continue;
        }
        const lotor_figure_result *result = find_played(played, count, figure);
        if (result) {
            judge_figure(claim, result, panel, &finding);
        } else {
            finding.missing++;
        }
    }
    if (finding.missing > 0 && finding.verdict == LOTOR_VERDICT_HOLDS) {
        finding.verdict = LOTOR_VERDICT_OPEN; /* the other figures may not hold */
    }
    return finding;
}

/* True if all figures of a paper were played. */
static bool has_all_figures(const char *paper, const lotor_figure_result *played, size_t count)
{
    const lotor_figure *figure;
    for (size_t i = 0; (figure = lotor_figure_at(i)) != NULL; i++) {
        if (strcmp(figure->paper, paper) == 0 && !find_played(played, count, figure)) {
            return false;
        }
    }
    return true;
}

lotor_verdict_tally lotor_paper_tally_claims(const char *paper, const lotor_figure_result *played,
                                             size_t count, size_t panel)
{
    lotor_verdict_tally tally = {.claims = 0};
    if (!has_all_figures(paper, played, count)) {
        return tally;
    }
    const lotor_paper_claim *claim;
    for (size_t i = 0; (claim = lotor_paper_claim_at(i)) != NULL; i++) {
        if (claim->verdict != LOTOR_PAPER_CLAIM_PLAYED || strcmp(claim->paper, paper) != 0) {
            continue;
        }
        const lotor_claim_finding finding = lotor_paper_claim_judge(claim, played, count, panel);
        if (finding.checks > 0) {
            tally.counts[finding.verdict]++;
            tally.claims++;
        }
    }
    return tally;
}
