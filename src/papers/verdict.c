/* verdict.c - decides from the points whether a claim holds: see verdict.h.
 *
 * The same rules hold for all claims and at both scales:
 *   - A claim about means is an inequality between them. It is decided only if the difference is more
 *     than two standard errors away from the threshold. With few runs the standard error is itself
 *     uncertain, and the distance must be larger: Student's t, 95%.
 *   - If fewer rounds were played than in the paper, a number at the paper's horizon is known up to a
 *     range (verdict_number.h). A claim is decided only if the whole range decides it in the same
 *     way. Nothing else asks for the paper's rounds or runs.
 *   - One run has no known error. Then only a factor of LOTOR_ONE_RUN beyond the threshold decides:
 *     both runs would have to be off by the square root of that factor, in opposite directions. We
 *     chose the factor ourselves. Every finding that depends on it says so.
 *   - A look-alike of a data set decides nothing about claims on the data set.
 *   - The time at which a curve stops growing is read off its mean, and has no error. Its claims allow
 *     a factor of two or more.
 *   - Papers use words such as "close", "roughly" and "like". We chose the
 *     rule, and the text of each check says it.
 *
 * The errors of different points are treated as independent. Points of different experiments are
 * independent or positively correlated (see reproduce.c), and so are the points of one curve. So
 * the error of a difference is at most overestimated.
 */
#include "papers/verdict.h"

#include <stdio.h>
#include <string.h>

#include "papers/reproduce_plan.h"
#include "papers/verdict_curves.h"
#include "papers/verdict_number.h"

const char *lotor_verdict_name(lotor_verdict verdict)
{
    switch (verdict) {
    case LOTOR_VERDICT_HOLDS:
        return "holds";
    case LOTOR_VERDICT_FAILS:
        return "does not hold";
    case LOTOR_VERDICT_NEEDS_DATA:
        return "needs MovieLens 1M";
    case LOTOR_VERDICT_OPEN:
        break;
    }
    return "not decided";
}

/* --- a check ---------------------------------------------------------------------------------- */

bool lotor_check_needs_second(lotor_figure_check_kind kind)
{
    return kind == LOTOR_CHECK_TIMES_BETTER || kind == LOTOR_CHECK_BELOW ||
           kind == LOTOR_CHECK_CLOSE || kind == LOTOR_CHECK_FAR || kind == LOTOR_CHECK_WIDENS ||
           kind == LOTOR_CHECK_NEVER_ABOVE || kind == LOTOR_CHECK_BELOW_EVERYWHERE ||
           kind == LOTOR_CHECK_MOSTLY_BELOW || kind == LOTOR_CHECK_FINISHES;
}

static const lotor_series *find_series(const lotor_panel *panel, const char *label)
{
    for (size_t i = 0; label && i < panel->count; i++) {
        if (strcmp(panel->series[i].label, label) == 0) {
            return &panel->series[i];
        }
    }
    return NULL;
}

/* Checks every curve, and reports the first one that decides. */
static lotor_figure_finding check_every(const lotor_figure_result *played,
                                        const lotor_figure_check *check, const lotor_panel *panel,
                                        const lotor_series *second)
{
    lotor_figure_finding finding = lotor_finding(LOTOR_VERDICT_OPEN, "there is no curve");
    size_t curves = 0, holding = 0;
    for (size_t i = 0; i < panel->count; i++) {
        if (&panel->series[i] == second) {
            continue;
        }
        const lotor_figure_finding one =
            lotor_verdict_on_curves(played, check, &panel->series[i], second);
        const lotor_verdict both =
            curves > 0 ? lotor_verdict_worse(finding.verdict, one.verdict) : one.verdict;
        if (curves == 0 || both != finding.verdict) {
            finding = one;
        }
        curves++;
        holding += one.verdict == LOTOR_VERDICT_HOLDS;
    }
    if (curves < 2) {
        return finding;
    }
    return lotor_finding(finding.verdict, "%zu of %zu curves; %.240s", holding, curves,
                         finding.measured);
}

lotor_figure_finding lotor_figure_check_judge(const lotor_figure_result *played,
                                              const lotor_figure_check *check, size_t panel)
{
    if (panel >= played->count) {
        return lotor_finding(LOTOR_VERDICT_OPEN, "there is no panel %zu", panel);
    }
    const lotor_panel *on = &played->panels[panel];
    const lotor_series *first = find_series(on, check->first);
    const lotor_series *second = NULL;
    if (check->first && !first) {
        return lotor_finding(LOTOR_VERDICT_OPEN, "there is no curve %.100s", check->first);
    }
    if (lotor_check_needs_second(check->kind)) {
        second = find_series(on, check->second);
        if (!second) {
            return lotor_finding(LOTOR_VERDICT_OPEN, "there is no curve %.100s",
                                 check->second ? check->second : "to compare with");
        }
    }
    const lotor_figure_finding finding = first
                                             ? lotor_verdict_on_curves(played, check, first, second)
                                             : check_every(played, check, on, second);
    return played->is_illustration
               ? lotor_finding(LOTOR_VERDICT_NEEDS_DATA,
                               "on the look-alike, as an illustration: %.240s", finding.measured)
               : finding;
}

/* --- a figure --------------------------------------------------------------------------------- */

lotor_verdict_tally lotor_figure_tally(const lotor_figure_result *played, size_t panel)
{
    lotor_verdict_tally tally = {.claims = played->figure->check_count};
    for (size_t i = 0; i < played->figure->check_count; i++) {
        tally.counts[lotor_figure_check_judge(played, &played->figure->checks[i], panel).verdict]++;
    }
    return tally;
}

void lotor_verdict_tally_add(lotor_verdict_tally *to, const lotor_verdict_tally *more)
{
    for (size_t i = 0; i < LOTOR_VERDICTS; i++) {
        to->counts[i] += more->counts[i];
    }
    to->claims += more->claims;
}

lotor_verdict lotor_figure_verdict(const lotor_figure_result *played)
{
    const lotor_figure *figure = played->figure;
    lotor_verdict verdict = figure->check_count > 0 ? LOTOR_VERDICT_HOLDS : LOTOR_VERDICT_OPEN;
    for (size_t i = 0; i < figure->check_count; i++) {
        verdict = lotor_verdict_worse(
            verdict, lotor_figure_check_judge(played, &figure->checks[i], 0).verdict);
    }
    return verdict;
}

void lotor_figure_provisional(const lotor_figure_result *played, char text[LOTOR_PROVISIONAL_ROOM])
{
    const lotor_setting *paper = &played->figure->base;
    size_t used = 0;
    text[0] = '\0';
    if (played->runs < paper->runs) {
        used = (size_t)snprintf(text, LOTOR_PROVISIONAL_ROOM, "%s of %s runs",
                                lotor_show_number((double)played->runs).text,
                                lotor_show_number((double)paper->runs).text);
    }
    if (played->horizon < paper->horizon) {
        used +=
            (size_t)snprintf(text + used, LOTOR_PROVISIONAL_ROOM - used, "%s%s of %s rounds",
                             used > 0 ? ", " : "", lotor_show_number((double)played->horizon).text,
                             lotor_show_number((double)paper->horizon).text);
    }
    const size_t points = lotor_figure_cell_count(played->figure, played->is_quick);
    const size_t all = lotor_figure_cell_count(played->figure, false);
    if (points < all) {
        (void)snprintf(text + used, LOTOR_PROVISIONAL_ROOM - used, "%s%zu of %zu experiments",
                       used > 0 ? ", " : "", points, all);
    }
}
