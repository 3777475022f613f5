/* report_bounds.h - the bounds that papers prove about the curves of a figure, for the page. */
#ifndef LOTOR_PAPERS_REPORT_BOUNDS_H
#define LOTOR_PAPERS_REPORT_BOUNDS_H

#include "base/text.h"
#include "papers/reproduce.h"

/* Adds a table with the bounds of each curve at its last round, next to the measured regret. A row
 * says for which t the bound holds. Nothing is added for figures that do not draw regret over the
 * rounds, and for figures without bounds. */
void lotor_page_put_bounds(lotor_text *text, const lotor_figure_result *played);

#endif
