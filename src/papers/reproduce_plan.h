/* reproduce_plan.h - a figure taken apart into trials, for playing it and for reading it back. */
#ifndef LOTOR_PAPERS_REPRODUCE_PLAN_H
#define LOTOR_PAPERS_REPRODUCE_PLAN_H

#include "base/records.h"
#include "lab/problem.h"
#include "papers/reproduce.h"

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

/* About how many rounds of an index learner it takes as long as. */
double lotor_cell_work(const lotor_cell *cell);

/* All that is played, as text: equal texts are equal trials, if they also note the same rounds. */
enum { LOTOR_DESCRIPTION_ROOM = 512 };
void lotor_setting_describe(const lotor_setting *setting, char text[LOTOR_DESCRIPTION_ROOM]);

/* A number of the setting as a fraction, through the decimal that a person would write: 0.1 is one
 * tenth. */
lotor_status lotor_setting_ratio(double value, lotor_message *why, lotor_ratio *out);

/* --- reproduce_places.c: at which x there are points --- */

/* How many rounds a trial of the figure notes, about. */
size_t lotor_figure_times(const lotor_figure *figure);

/* Whether a round that was noted becomes a point over the rounds; `before` is the last one that did,
 * 0 at first. */
bool lotor_round_is_point(const lotor_figure *figure, const lotor_setting *setting, uint64_t t,
                          double before);

/* The x of all points of a curve, increasing; the caller frees *out. */
lotor_status lotor_curve_places(const lotor_figure *figure, bool is_quick, size_t panel,
                                size_t curve, double **out, size_t *count);

/* --- reproduce_shared.c: equal trials --- */

/* The first cell that plays the same trial: itself, or one before it. A learner without noise need
 * not be played again at every epsilon, nor in every panel. */
size_t lotor_cell_first_like(const lotor_figure *figure, bool is_quick, size_t number);

/* A cell of `from` that plays the same trial and keeps what `figure` draws of it. */
bool lotor_cell_like(const lotor_figure *from, const lotor_figure *figure, bool is_quick,
                     const lotor_cell *cell, lotor_cell *out);

/* Adds the points of such a trial to `to`, at this cell's place on the axis; it may be the same
 * series. */
lotor_status lotor_points_copy(const lotor_figure *from_figure, const lotor_cell *from,
                               const lotor_series *source, const lotor_figure *figure,
                               const lotor_cell *cell, lotor_message *why, lotor_series *to);
lotor_status lotor_points_add(lotor_series *series, lotor_point point, lotor_message *why);

/* Of all that is played: another one, and points that were kept are of another figure. */
uint64_t lotor_figure_fingerprint(const lotor_figure *figure, bool is_quick);

/* Whether a trial of it is played on MovieLens; and what is to be remarked on the data. */
bool lotor_figure_has_movies(const lotor_figure *figure);
void lotor_figure_remark(const lotor_figure *figure, const lotor_reproduction *how, char *text,
                         size_t capacity);

/* In memory of its own; NULL: there is none. */
char *lotor_copy_text(const char *text);

/* Panels and series with their labels, and no points yet. Clear *out in any case. */
lotor_status lotor_played_frame(const lotor_figure *figure, const lotor_reproduction *how,
                                lotor_message *why, lotor_played *out);

/* --- reproduce_world.c: where trials are played --- */

/* The problem of a trial. Its world is kept for the next trial, if that is played in the same world.
 * Starts as {0}. */
typedef struct lotor_cell_problem {
    lotor_problem_setup setup;
    lotor_setting made; /* what the world was made from */
} lotor_cell_problem;

/* Clear the setup in any case. */
lotor_status lotor_cell_problem_make(lotor_cell_problem *self, const lotor_reproduction *how,
                                     const lotor_setting *setting, lotor_message *why);

/* Of both files of a MovieLens folder; false where one can't be read. */
bool lotor_movies_digest(const char *folder, uint64_t *out);

/* played_read.c: as lotor_played_read, from memory; the name is for messages. */
lotor_status lotor_played_parse(const lotor_figure *figure, const lotor_reproduction *how,
                                lotor_span bytes, const char *name, lotor_message *why,
                                lotor_played *out);

#endif
