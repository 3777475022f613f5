/* claims_played.h - the verdicts of claims that figures decide: a claim of a paper holds if all
 * checks that it names hold, on all of its figures. */
#ifndef LOTOR_PAPERS_CLAIMS_PLAYED_H
#define LOTOR_PAPERS_CLAIMS_PLAYED_H

#include "papers/claims.h"
#include "papers/verdict.h"

typedef struct lotor_claim_finding {
    lotor_verdict verdict; /* never "holds" if a figure is missing */
    size_t checks;         /* the checks that were judged, on figures that were played */
    size_t holding;        /* the number of these checks that hold */
    size_t missing;        /* the figures that the claim names and that were not played */
} lotor_claim_finding;

/* Judges a claim on a panel of the figures that were played. Panel 0 is the paper's own setting. Figures without that panel are left
 * out. */
lotor_claim_finding lotor_paper_claim_judge(const lotor_paper_claim *claim,
                                            const lotor_figure_result *played, size_t count,
                                            size_t panel);

/* Counts the verdicts of a paper's claims that figures decide. Counts none if a figure of the paper was
 * not played, because most claims would be undecided without it. */
lotor_verdict_tally lotor_paper_tally_claims(const char *paper, const lotor_figure_result *played,
                                             size_t count, size_t panel);

#endif
