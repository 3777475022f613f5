/* page_figure.h - writes the section of one figure, and parts that other sections also need. */
#ifndef LOTOR_PAPERS_PAGE_FIGURE_H
#define LOTOR_PAPERS_PAGE_FIGURE_H

#include "base/text.h"
#include "papers/verdict.h"

void lotor_page_put_figure(lotor_text *text, const lotor_figure_result *played);

void lotor_report_put_name(lotor_text *text, const lotor_figure *figure); /* "Paper, Figure 1" */
void lotor_page_put_badge(lotor_text *text, lotor_verdict verdict);

/* Writes "4.2 s" or "1 h 6 min"; "–" if the time is not known. */
void lotor_page_put_seconds(lotor_text *text, double seconds);

#endif
