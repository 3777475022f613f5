/* page_chart.h - makes the panels of a figure into charts. */
#ifndef LOTOR_PAPERS_PAGE_CHART_H
#define LOTOR_PAPERS_PAGE_CHART_H

#include "base/chart/chart.h"
#include "papers/reproduce.h"

/* A chart with room for its texts. The chart points into them, so it must not be copied. */
typedef struct page_chart {
    lotor_chart chart;
    char id[96];
    char title[200];
    char labels[LOTOR_CHART_MOST_CURVES][96];
} page_chart;

/* Makes the chart of one panel. It also points to the points of `played`. */
void lotor_page_chart_make(const lotor_figure_result *played, size_t panel, page_chart *out);

/* Draws all panels as one separate SVG document. */
void lotor_page_put_picture(lotor_text *text, const lotor_figure_result *played);

#endif
