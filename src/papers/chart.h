/* chart.h - curves with their errors as a picture: SVG, in the reader's light or dark colours.
 *
 * A chart is LOTOR_CHART_WIDTH units wide and as high as it needs; on paper it takes any size. Curves
 * are told apart by colour, by marker and, when there are many, by dashes. Their names stand at their
 * right ends where they are few and short, or else in a legend below the axes.
 */
#ifndef LOTOR_PAPERS_CHART_H
#define LOTOR_PAPERS_CHART_H

#include "papers/axis.h"
#include "papers/reproduce.h"

enum { LOTOR_CHART_WIDTH = 460 };

/* What a series' lower_bound means here. */
typedef enum lotor_bound_shape {
    LOTOR_BOUND_NONE = 0, /* nothing */
    LOTOR_BOUND_LOG,      /* bound * log x */
    LOTOR_BOUND_LEVEL     /* the bound itself, everywhere */
} lotor_bound_shape;

typedef struct lotor_chart {
    const char *id;    /* of the SVG elements: no other chart of the page has it */
    const char *title; /* "" : none */
    const char *x_title, *y_title;
    bool log_x, log_y; /* where no value is positive, log_y is ignored */
    lotor_bound_shape bound;
    const lotor_series *series;
    size_t count;
    lotor_range y; /* what the y axis spans at least: the charts beside it; or lotor_range_none */
} lotor_chart;

/* What the values of the chart (and the lower bounds) span, for charts that share an axis. */
lotor_range lotor_chart_span(const lotor_chart *chart);

/* In units. */
int lotor_chart_height(const lotor_chart *chart);

/* The content of an element <svg> or <g>, with its corner at (0, 0): a title with the id "ID-title"
 * and a description in words, "ID-text", for those who don't see it; then the drawing. */
void lotor_chart_draw(lotor_text *text, const lotor_chart *chart);

/* The style sheet that the drawing needs, once per document. */
const char *lotor_chart_style(void);

#endif
