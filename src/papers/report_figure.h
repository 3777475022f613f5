/* report_figure.h - a figure's section of the page, and words that the summary uses, too. */
#ifndef LOTOR_PAPERS_REPORT_FIGURE_H
#define LOTOR_PAPERS_REPORT_FIGURE_H

#include "base/text.h"
#include "papers/reproduce.h"

void lotor_report_put_figure(lotor_text *text, const lotor_played *played);

/* What an audit found against each curve's algorithm, where the figure audits. */
void lotor_report_put_claims(lotor_text *text, const lotor_played *played);

void lotor_report_put_name(lotor_text *text, const lotor_figure *figure); /* "Paper, Figure 1" */
void lotor_report_put_badge(lotor_text *text, lotor_verdict verdict);
void lotor_report_put_seconds(lotor_text *text, double seconds);

#endif
