/* plot.h - regret curves as a picture, drawn by gnuplot. */
#ifndef LOTOR_PAPERS_PLOT_H
#define LOTOR_PAPERS_PLOT_H

#include <stddef.h>

#include <lotor/status.h>

#include "lab/simulate.h"

typedef struct lotor_curve {
    const char *label;
    const lotor_checkpoint *points;
    size_t count;
    double lower_bound; /* times log t, drawn dashed (equal ones once); NaN: none */
} lotor_curve;

typedef struct lotor_plot {
    const char *title;
    const lotor_curve *curves;
    size_t curve_count;
} lotor_plot;

/* Whether lotor_plot_write has a chance, asked before hours of work. LOTOR_INVALID: the name ends in
 * neither .svg nor .png. LOTOR_IO: gnuplot is not installed, or the file can't be written. */
lotor_status lotor_plot_check(const char *file, lotor_message *why);

/* Draws the curves, each with a band of one standard error, into `file`. LOTOR_IO: also
 * if gnuplot failed, with what it said; then no new file is left behind, and an old one is touched only
 * if writing itself failed. */
lotor_status lotor_plot_write(const lotor_plot *plot, const char *file, lotor_message *why);

#endif
