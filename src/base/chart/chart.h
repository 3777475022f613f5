/* chart.h - curves with their errors as a picture: SVG, in the reader's light or dark colours.
 *
 * A chart is as high as it needs; on paper it takes any size. Curves are told apart by colour, by marker
 * and, when there are many, by dashes. Their names stand at their right ends where they are few and
 * short, or else in a legend below the axes.
 */
#ifndef LOTOR_BASE_CHART_CHART_H
#define LOTOR_BASE_CHART_CHART_H

#include "base/chart/axis.h"

enum { LOTOR_CHART_WIDTH = 460, LOTOR_CHART_MOST_CURVES = 64 };

typedef struct lotor_curve_point {
    double x, mean, standard_error; /* NaN: the error is not known */
} lotor_curve_point;

typedef struct lotor_curve {
    const char *label;
    const lotor_curve_point *points;
    size_t count;
    double lower_bound; /* see lotor_bound_shape; NaN: none */
} lotor_curve;

/* What the lower bound of a curve means. */
typedef enum lotor_bound_shape {
    LOTOR_BOUND_NONE = 0, /* nothing: bounds are not drawn */
    LOTOR_BOUND_LOG,      /* bound * log x */
    LOTOR_BOUND_LEVEL     /* the bound itself, everywhere */
} lotor_bound_shape;

typedef struct lotor_chart {
    const char *id;    /* of the SVG elements: no other chart of the page has it */
    const char *title; /* "" : none */
    const char *x_title, *y_title;
    bool log_x, log_y; /* where no value is positive, log_y is ignored */
    lotor_bound_shape bound;
    lotor_curve curves[LOTOR_CHART_MOST_CURVES];
    size_t count;
    lotor_axis_range
        y;     /* what the y axis spans at least: the charts beside it; or lotor_axis_range_none */
    int width; /* in units; 0: LOTOR_CHART_WIDTH */
} lotor_chart;

/* What the values of the chart (and the lower bounds) span, for charts that share an axis. */
lotor_axis_range lotor_chart_span(const lotor_chart *chart);

/* True if the curves end so far apart that on a linear y axis the lowest ones would lie on the x axis,
 * and none ends below 0. */
bool lotor_chart_needs_log_y(const lotor_chart *chart);

/* In units. */
int lotor_chart_height(const lotor_chart *chart);

/* The content of an element <svg> or <g>, with its corner at (0, 0): a title with the id "ID-title"
 * and a description in words, "ID-text", for those who don't see it; then the drawing. The document
 * needs lotor_svg_style() once. */
void lotor_chart_draw(lotor_text *text, const lotor_chart *chart);

/* A document of its own: the heading, on as many lines as it needs, and the chart below. */
void lotor_chart_draw_alone(lotor_text *text, const lotor_chart *chart, const char *heading);

#endif
