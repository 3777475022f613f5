/* page_chart.h - makes the panels of a figure into charts. */
#ifndef LOTOR_PAPERS_PAGE_CHART_H
#define LOTOR_PAPERS_PAGE_CHART_H

#include "base/chart/chart.h"
#include "papers/reproduce.h"

/* Room for the id of a chart. */
typedef struct page_chart_id {
    char text[96];
} page_chart_id;

/* Makes the chart of one panel. The chart points to `id`, and to the points of `played`. */
lotor_chart lotor_page_chart_of(const lotor_figure_result *played, size_t panel, page_chart_id *id);

/* Draws all panels as one separate SVG document. */
void lotor_page_put_picture(lotor_text *text, const lotor_figure_result *played);

#endif
