/* chart.h - draws curves with their errors as an SVG picture, in the reader's light or dark
 * colours.
 *
 * A chart is as high as its content needs, and can be scaled to any size on paper. Curves differ in
 * colour and marker and, if there are many, in dashes. If the names are few and short, they are at
 * the right ends of the curves. Otherwise they are in a legend below the axes. Notes below say which
 * curves coincide, where lower bounds are drawn, and which points are missing.
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

/* The meaning of a curve's lower bound. */
typedef enum lotor_bound_shape {
    LOTOR_BOUND_NONE = 0, /* nothing: bounds are not drawn */
    LOTOR_BOUND_LOG,      /* bound * log x */
    LOTOR_BOUND_LEVEL     /* the bound itself, everywhere */
} lotor_bound_shape;

typedef struct lotor_chart {
    const char *id;    /* prefix of the ids of the SVG elements; unique on the page */
    const char *title; /* "": no title */
    const char *x_title, *y_title;
    bool log_x, log_y; /* log_y is ignored if no value is positive */
    bool only_points;  /* neighbours on the x axis have nothing to do with each other: no lines */
    lotor_bound_shape bound;
    double bound_from; /* the bounds are drawn from this x on, and a note says so; 0: everywhere */
    lotor_curve curves[LOTOR_CHART_MOST_CURVES];
    size_t count;
    lotor_axis_range
        y;     /* the y axis shows at least this range: that of charts next to this one; or none */
    int width; /* in units; 0: LOTOR_CHART_WIDTH */
} lotor_chart;

/* The range of the chart's values and lower bounds, for charts that share an axis. */
lotor_axis_range lotor_chart_span(const lotor_chart *chart);

/* True if a linear y axis would put the lowest curves on the x axis, because the curves end so far
 * apart. False if a curve ends below 0. */
bool lotor_chart_needs_log_y(const lotor_chart *chart);

/* The height of the chart, in units. */
int lotor_chart_height(const lotor_chart *chart);

/* Writes the content of an element <svg> or <g>, with its corner at (0, 0). It starts with a title
 * with the id "ID-title", and a description in words, "ID-text", for people who can't see the
 * drawing. The document needs lotor_svg_style() once. */
void lotor_chart_draw(lotor_text *text, const lotor_chart *chart);

/* Writes a separate document: the heading, on as many lines as it needs, and the chart below. */
void lotor_chart_draw_alone(lotor_text *text, const lotor_chart *chart, const char *heading);

#endif
