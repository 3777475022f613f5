/* verdict.h - decides from a figure's points whether the claims about it hold.
 *
 * A claim has one verdict on each panel of its figure. Panel 0 is the paper's own setting, so its
 * verdicts are those of the paper's claims. The other panels have verdicts of their own.
 */
#ifndef LOTOR_PAPERS_VERDICT_H
#define LOTOR_PAPERS_VERDICT_H

#include "papers/reproduce.h"

typedef enum lotor_verdict {
    LOTOR_VERDICT_HOLDS = 0,
    LOTOR_VERDICT_FAILS = 1,
    LOTOR_VERDICT_OPEN = 2,      /* the points do not decide */
    LOTOR_VERDICT_NEEDS_DATA = 3 /* played on a look-alike of the data, which decides nothing */
} lotor_verdict;

enum { LOTOR_VERDICTS = 4 };

/* "holds", "does not hold", "not decided", "needs MovieLens 1M". */
const char *lotor_verdict_name(lotor_verdict verdict);

typedef struct lotor_figure_finding {
    lotor_verdict verdict;
    char measured[320]; /* the measurement, with numbers */
} lotor_figure_finding;

/* Judges one of the figure's claims on a panel. */
lotor_figure_finding lotor_figure_check_judge(const lotor_figure_result *played,
                                              const lotor_figure_check *check, size_t panel);

/* How many claims of the figure have each verdict on a panel. */
typedef struct lotor_verdict_tally {
    size_t counts[LOTOR_VERDICTS];
    size_t claims;
} lotor_verdict_tally;
lotor_verdict_tally lotor_figure_tally(const lotor_figure_result *played, size_t panel);
void lotor_verdict_tally_add(lotor_verdict_tally *to, const lotor_verdict_tally *more);

/* The verdict on all claims together, in the paper's own setting: fails if one fails; otherwise open
 * or in need of data if one is; open if the figure has no claims. */
lotor_verdict lotor_figure_verdict(const lotor_figure_result *played);

/* Writes what the quick scale left out, "2 of 30 runs, 10,000,000 of 50,000,000 rounds"; "" if the
 * figure was played as in the paper. Unless it is "", every verdict is provisional: it becomes final
 * at the paper's scale. */
enum { LOTOR_PROVISIONAL_ROOM = 120 };
void lotor_figure_provisional(const lotor_figure_result *played, char text[LOTOR_PROVISIONAL_ROOM]);

#endif
