/* page.h - writes figures as one self-contained page, index.html, and as one picture each. */
#ifndef LOTOR_PAPERS_PAGE_H
#define LOTOR_PAPERS_PAGE_H

#include "papers/reproduce.h"

/* One chart per panel, side by side, as an SVG document that follows the reader's light or
 * dark theme. */
lotor_status lotor_page_svg(const lotor_figure_result *played, const char *file,
                            lotor_message *why);

/* Writes DIR/index.html: a summary table (figure, verdict, time), then each figure with charts,
 * settings, seed, time, the paper's claim, the measurements, and the verdict of each check. Figures
 * that are not in `played` are listed as not played. */
lotor_status lotor_page_write(const lotor_figure_result *played, size_t count, const char *folder,
                              lotor_message *why);

#endif
