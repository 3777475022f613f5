/* page_paper.h - writes the section of one paper: its story, its headline and its figures. */
#ifndef LOTOR_PAPERS_PAGE_PAPER_H
#define LOTOR_PAPERS_PAGE_PAPER_H

#include "base/text.h"
#include "papers/reproduce.h"

/* Writes the section of a paper, with those of the figures that are of this paper. */
void lotor_page_put_paper(lotor_text *text, const char *paper, const lotor_figure_result *played,
                          size_t count);

/* The table at the top of the page has a row for each paper. */
void lotor_page_open_summary(lotor_text *text);
void lotor_page_put_summary_row(lotor_text *text, const char *paper,
                                const lotor_figure_result *played, size_t count);
void lotor_page_close_summary(lotor_text *text);

#endif
