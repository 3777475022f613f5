/* page_tables.h - writes the tables that some figures have: sets of arms, and audits. */
#ifndef LOTOR_PAPERS_PAGE_TABLES_H
#define LOTOR_PAPERS_PAGE_TABLES_H

#include "base/text.h"
#include "papers/reproduce.h"

/* The arms that each curve ended with, next to the best set. Only if the figure lists sets. */
void lotor_page_put_sets(lotor_text *text, const lotor_figure_result *played);

/* The results of audits of each curve's algorithm. Only if the figure has audits. */
void lotor_page_put_audits(lotor_text *text, const lotor_figure_result *played);

#endif
