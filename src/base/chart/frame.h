/* frame.h - computes the positions of everything in a chart, and draws the names of its curves.
 * Only for the files of this folder. */
#ifndef LOTOR_BASE_CHART_FRAME_H
#define LOTOR_BASE_CHART_FRAME_H

#include "base/chart/chart.h"

enum {
    CHART_COLOURS = 8,    /* classes c0 ... c7 of the style sheet */
    CHART_LINE = 17,      /* the distance between two lines of text */
    CHART_MOST_ENDS = 12, /* the most names at the ends of curves; more go into a legend */
    CHART_TITLE_LEFT = 30,
    CHART_NOTE_ROOM = 800
};

typedef struct chart_frame {
    const lotor_chart *chart;
    int width, height;
    lotor_axis_scale x, y;
    lotor_ticks x_ticks, y_ticks;
    bool names_at_ends;
    size_t entries;   /* curves and lower bounds that have a name */
    bool has_bounds;  /* lower bounds are drawn */
    bool many_bounds; /* they differ: each has its curve's colour, and no name */
    size_t columns;   /* number of columns of the legend */
    double legend_top, entry_width;
    size_t hidden;    /* points that a logarithmic axis can't show */
    double note_base; /* the height of the first line of the notes */
} chart_frame;

chart_frame lotor_chart_frame_of(const lotor_chart *chart);

/* True if the lower bound of a curve is drawn: it has one, and no earlier curve has the same, or
 * nearly the same. */
bool lotor_chart_has_bound(const lotor_chart *chart, size_t number);
double lotor_chart_bound_at(const lotor_chart *chart, size_t number, double x);

/* The index of the last point that is drawn; curve->count if there is none. */
size_t lotor_chart_last_shown(const chart_frame *frame, const lotor_curve *curve);

/* Draws the names of the curves: at their right ends, or in a legend. */
void lotor_chart_draw_names(lotor_text *text, const chart_frame *frame);

/* Draws the notes below the chart; in notes.c. The number of their lines is part of the frame's
 * height. */
void lotor_chart_draw_notes(lotor_text *text, const chart_frame *frame);
int lotor_chart_note_lines(const chart_frame *frame);

/* The largest vertical distance of two curves in the picture, in units. INFINITY: they have too few
 * points at the same x. */
double lotor_chart_distance(const chart_frame *frame, const lotor_curve *one,
                            const lotor_curve *other);

/* Moves sorted positions apart by at least `gap`, as little as possible, within [low, high]. */
void lotor_chart_spread(double *places, size_t count, double gap, double low, double high);

#endif
