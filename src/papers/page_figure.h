/* page_figure.h - writes the section of one figure, and parts that the summary also needs. */
#ifndef LOTOR_PAPERS_PAGE_FIGURE_H
#define LOTOR_PAPERS_PAGE_FIGURE_H

#include "base/text.h"
#include "papers/reproduce.h"

void lotor_page_put_figure(lotor_text *text, const lotor_figure_result *played);

/* Writes the table of audits: what was found against each curve's algorithm. Only if the figure has
 * audits. */
void lotor_page_put_claims(lotor_text *text, const lotor_figure_result *played);

void lotor_report_put_name(lotor_text *text, const lotor_figure *figure); /* "Paper, Figure 1" */
void lotor_page_put_badge(lotor_text *text, lotor_verdict verdict);
void lotor_page_put_seconds(lotor_text *text, double seconds);

#endif
