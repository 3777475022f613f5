/* chart_parts.h - inside a chart: its measures, and the parts drawn by other files. */
#ifndef LOTOR_PAPERS_CHART_PARTS_H
#define LOTOR_PAPERS_CHART_PARTS_H

#include "papers/chart.h"

enum {
    CHART_COLOURS = 8, /* classes c0 ... c7 of the style sheet */
    CHART_MARKERS = 5,
    CHART_LINE = 17,      /* from one line of text to the next */
    CHART_MOST_ENDS = 12, /* names at the ends of curves; more go into a legend */
    CHART_PLOT_HEIGHT = 250
};

/* Where everything is. */
typedef struct chart_frame {
    const lotor_chart *chart;
    lotor_scale x, y;
    lotor_ticks x_ticks, y_ticks;
    bool names_at_ends;
    size_t entries;   /* curves and lower bounds that have a name */
    bool many_bounds; /* they differ: each has its curve's colour and name */
    size_t columns;   /* of the legend */
    double legend_top, entry_width;
    size_t hidden;    /* points that a logarithmic axis can't show */
    double note_base; /* where that is said */
    int height;
} chart_frame;

chart_frame lotor_chart_frame_of(const lotor_chart *chart);

/* Whether the lower bound of a series is drawn: it has one, and no earlier series has the same. */
bool lotor_chart_has_bound(const lotor_chart *chart, size_t number);
double lotor_chart_bound_at(const lotor_chart *chart, size_t number, double x);

/* The last point that is drawn, or count. */
size_t lotor_chart_last_shown(const chart_frame *frame, const lotor_series *series);

/* About how wide a text is, for an ordinary font. */
double lotor_chart_text_width(const char *text);

/* A marker of the curve around a place, as a part of a path. */
void lotor_chart_marker(lotor_text *text, size_t curve, double x, double y);

/* chart_words.c: a title and a description. */
void lotor_chart_put_words(lotor_text *text, const chart_frame *frame);

/* chart_names.c: names at the ends, or the legend. */
void lotor_chart_draw_names(lotor_text *text, const chart_frame *frame);

/* Moves sorted places apart by at least `gap`, as little as possible, within [low, high]. */
void lotor_chart_spread(double *places, size_t count, double gap, double low, double high);

#endif
