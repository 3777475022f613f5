/* summary.h - writes the verdicts as a Markdown page: a tally per paper, then all claims. */
#ifndef LOTOR_PAPERS_SUMMARY_H
#define LOTOR_PAPERS_SUMMARY_H

#include "papers/reproduce.h"

/* When and where the figures were played. */
typedef struct lotor_summary_place {
    char date[16];      /* "2026-11-17" */
    char processor[96]; /* the model's name; "an unknown processor" */
    size_t cores;
} lotor_summary_place;

/* Today's date (UTC) and this machine, without its name. */
lotor_summary_place lotor_summary_here(void);

/* Writes DIR/summary.md. It is the same page as docs/papers.md, and links to pages in docs/. */
lotor_status lotor_summary_write(const lotor_figure_result *played, size_t count,
                                 const lotor_summary_place *place, const char *folder,
                                 lotor_message *why);

#endif
