/* report_claims.h - the list of all claims of a paper, for the page and for the summary. */
#ifndef LOTOR_PAPERS_REPORT_CLAIMS_H
#define LOTOR_PAPERS_REPORT_CLAIMS_H

#include "base/text.h"
#include "papers/verdict.h"

/* Add a table of all claims: where it is in the paper, what it says, its verdict, and what checks it.
 * Verdicts of claims that figures decide come from the figures that were played. Nothing is added for
 * papers without claims. */
void lotor_page_put_all_claims(lotor_text *text, const char *paper,
                               const lotor_figure_result *played, size_t count);
void lotor_summary_put_all_claims(lotor_text *text, const char *paper,
                                  const lotor_figure_result *played, size_t count);

#endif
