/* paper_tally.h - counts the verdicts of a paper's figures, and says them in a headline. */
#ifndef LOTOR_PAPERS_PAPER_TALLY_H
#define LOTOR_PAPERS_PAPER_TALLY_H

#include "base/text.h"
#include "papers/verdict.h"

typedef struct lotor_paper_tally {
    size_t figures;             /* that were played */
    size_t all_figures;         /* that there are */
    lotor_verdict_tally checks; /* of the figures, in the paper's own setting */
    lotor_verdict_tally
        honest; /* the same on the second panels: with the noise that privacy needs */
    /* The paper's claims that figures decide (claims_played.h); empty for papers without claims. */
    lotor_verdict_tally claims, honest_claims;
    bool is_provisional; /* of a figure, something was left out */
    double seconds;
} lotor_paper_tally;

/* Counts the figures of one paper; NULL: of all papers. */
lotor_paper_tally lotor_paper_tally_of(const char *paper, const lotor_figure_result *played,
                                       size_t count);

/* Writes "9 of 11 claims hold", or with second panels "In the paper’s setting 9 of 11 claims hold;
 * with the noise that its privacy claim needs, 2 of 11", and whether that is final. Claims that
 * need data are counted apart. A paper without claims has checks instead. Plain text without a full
 * stop. */
void lotor_paper_put_headline(lotor_text *text, const lotor_paper_tally *tally);

/* Writes how many claims or checks have each of the other verdicts: "1 does not hold, 2 are not decided". ""
 * if all hold. */
void lotor_paper_put_others(lotor_text *text, const lotor_verdict_tally *tally);

#endif
