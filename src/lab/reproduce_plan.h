/* reproduce_plan.h - a figure taken apart into trials, for playing it and for reading it back. */
#ifndef LOTOR_LAB_REPRODUCE_PLAN_H
#define LOTOR_LAB_REPRODUCE_PLAN_H

#include "lab/reproduce.h"
#include "world/records.h"

/* One trial: where its points go, and all that is played, with nothing left to look up. What the
 * algorithm has no use for is cleared, so that equal settings are equal trials. */
typedef struct lotor_cell {
    size_t panel, curve;
    double x; /* the axis's value; NaN over the rounds */
    lotor_setting setting;
} lotor_cell;

size_t lotor_figure_panels(const lotor_figure *figure);
const char *lotor_figure_panel_label(const lotor_figure *figure, size_t panel); /* "" for one */

/* Numbered panel by panel, curve by curve, value by value. */
size_t lotor_cell_count(const lotor_figure *figure, bool is_quick);
lotor_cell lotor_cell_at(const lotor_figure *figure, bool is_quick, size_t number);

/* The first cell that plays the same trial: itself, or one before it. A learner without noise need
 * not be played again at every epsilon, nor in every panel. */
size_t lotor_cell_first_like(const lotor_figure *figure, bool is_quick, size_t number);

/* About how many rounds of an index learner it takes as long as. */
double lotor_cell_work(const lotor_cell *cell);

/* Of all that is played: another one, and points that were kept are of another figure. */
uint64_t lotor_figure_fingerprint(const lotor_figure *figure, bool is_quick);

/* Whether a trial of it is played on MovieLens; and what is to be remarked on the data. */
bool lotor_figure_has_movies(const lotor_figure *figure);
void lotor_figure_remark(const lotor_figure *figure, const lotor_reproduction *how, char *text,
                         size_t capacity);

/* Panels and series with their labels, and no points yet. Clear *out in any case. */
lotor_status lotor_played_frame(const lotor_figure *figure, const lotor_reproduction *how,
                                lotor_message *why, lotor_played *out);

/* played.c: as lotor_played_read, from memory; the name is for messages. */
lotor_status lotor_played_parse(const lotor_figure *figure, const lotor_reproduction *how,
                                lotor_span bytes, const char *name, lotor_message *why,
                                lotor_played *out);

#endif
