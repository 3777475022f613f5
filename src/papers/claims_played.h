/* claims_played.h - the verdicts of claims that figures decide: a claim of a paper holds if all
 * checks that it names hold, on all of its figures. */
#ifndef LOTOR_PAPERS_CLAIMS_PLAYED_H
#define LOTOR_PAPERS_CLAIMS_PLAYED_H

#include "papers/claims.h"
#include "papers/verdict.h"

typedef struct lotor_claim_finding {
    lotor_verdict verdict; /* never "holds" if a figure is missing */
    size_t checks;         /* judged, on figures that were played */
    size_t holding;        /* of these */
    size_t missing;        /* figures that the claim names and that were not played */
} lotor_claim_finding;

/* Judges a claim on a panel of the figures that were played. Panel 0 is the paper's own setting. Figures without that panel are left
 * out. */
lotor_claim_finding lotor_paper_claim_judge(const lotor_paper_claim *claim,
                                            const lotor_figure_result *played, size_t count,
                                            size_t panel);

/* Counts the claims of a paper that figures decide, by their verdicts. Counts none if a figure of the
 * paper was not played: then most claims are open for want of it. */
lotor_verdict_tally lotor_paper_tally_claims(const char *paper, const lotor_figure_result *played,
                                             size_t count, size_t panel);

#endif
