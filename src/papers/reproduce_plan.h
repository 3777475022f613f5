/* reproduce_plan.h - splits a figure into experiments, to play it and to read it back. */
#ifndef LOTOR_PAPERS_REPRODUCE_PLAN_H
#define LOTOR_PAPERS_REPRODUCE_PLAN_H

#include "base/records.h"
#include "lab/problem.h"
#include "papers/reproduce.h"

/* A cell: one experiment, with its complete settings and where its points go. Fields that the
 * algorithm does not use are cleared, so that equal settings mean equal experiments. */
typedef struct lotor_figure_cell {
    size_t panel, curve;
    double x; /* the value on the axis; NaN if the axis is the rounds */
    lotor_setting setting;
} lotor_figure_cell;

size_t lotor_figure_panels(const lotor_figure *figure);
const char *lotor_figure_panel_label(const lotor_figure *figure, size_t panel); /* "" for one */

/* Cells are numbered panel by panel, curve by curve, value by value. */
size_t lotor_figure_cell_count(const lotor_figure *figure, bool is_quick);
lotor_figure_cell lotor_figure_cell_at(const lotor_figure *figure, bool is_quick, size_t number);

/* True if the curve is that of the optimal policy, which knows the means. It is computed from the
 * world, without noise and without runs. Only figures that draw the return over the rounds have
 * it. */
bool lotor_setting_is_optimal(const lotor_setting *setting);

/* True if the curve is computed and not played, so that its points have no error: a formula, the
 * optimal policy, or the least regret with plain privacy. */
bool lotor_setting_is_computed(const lotor_setting *setting);

/* The approximate work, in rounds of an index learner. */
double lotor_figure_cell_work(const lotor_figure_cell *cell);

/* Writes all settings as text. Experiments with equal texts are equal, if they also have the same
 * checkpoints. */
enum { LOTOR_DESCRIPTION_ROOM = 512 };
void lotor_setting_describe(const lotor_setting *setting, char text[LOTOR_DESCRIPTION_ROOM]);

/* A number of the setting as a fraction, by way of its shortest decimal: 0.1 gives one tenth. */
lotor_status lotor_setting_ratio(double value, lotor_message *why, lotor_ratio *out);

/* --- x values of the points; in reproduce_places.c --- */

/* The approximate number of checkpoints of an experiment. */
size_t lotor_figure_times(const lotor_figure *figure);

/* True if a checkpoint becomes a point of a figure over the rounds. `before` is the previous point;
 * 0 if there is none. */
bool lotor_round_is_point(const lotor_figure *figure, const lotor_setting *setting, uint64_t t,
                          double before);

/* The x values of all points of a curve, increasing. The caller frees *out. */
lotor_status lotor_curve_places(const lotor_figure *figure, bool is_quick, size_t panel,
                                size_t curve, double **out, size_t *count);

/* --- equal experiments; in reproduce_shared.c --- */

/* The first cell with an equal experiment: this cell or an earlier one. For example, an algorithm
 * without noise is played once, and not for every epsilon and panel. */
size_t lotor_figure_cell_first_like(const lotor_figure *figure, bool is_quick, size_t number);

/* Finds a cell of `from` with an equal experiment, if `from` keeps all numbers that `figure`
 * draws. */
bool lotor_figure_cell_like(const lotor_figure *from, const lotor_figure *figure, bool is_quick,
                            const lotor_figure_cell *cell, lotor_figure_cell *out);

/* Adds the points of an equal experiment to `to`, at this cell's x. `source` and `to` may be the
 * same series. */
lotor_status lotor_points_copy(const lotor_figure *from_figure, const lotor_figure_cell *from,
                               const lotor_series *source, const lotor_figure *figure,
                               const lotor_figure_cell *cell, lotor_message *why, lotor_series *to);
lotor_status lotor_points_add(lotor_series *series, lotor_curve_point point, lotor_message *why);

/* Hash of all settings. If it differs, stored points are discarded. */
uint64_t lotor_figure_fingerprint(const lotor_figure *figure, bool is_quick);

/* True if an experiment of the figure uses MovieLens. */
bool lotor_figure_has_movies(const lotor_figure *figure);

/* True if lower bounds are drawn: the figure shows regret over the rounds. */
bool lotor_figure_has_bounds(const lotor_figure *figure);
void lotor_figure_remark(const lotor_figure *figure, const lotor_reproduction *how, char *text,
                         size_t capacity);

/* A copy in allocated memory. NULL: out of memory. */
char *lotor_copy_text(const char *text);

/* Makes panels and series with labels, but without points. Clear *out in any case. */
lotor_status lotor_figure_result_frame(const lotor_figure *figure, const lotor_reproduction *how,
                                       lotor_message *why, lotor_figure_result *out);

/* --- worlds of the experiments; in reproduce_world.c --- */

/* The problem of an experiment. Its world is kept, in case the next experiment has the same world.
 * Starts as {0}. */
typedef struct lotor_figure_cell_problem {
    lotor_problem_setup setup;
    lotor_setting made; /* the setting from which the world was made */
} lotor_figure_cell_problem;

/* Makes the problem. Clear the setup in any case. */
lotor_status lotor_figure_cell_problem_make(lotor_figure_cell_problem *self,
                                            const lotor_reproduction *how,
                                            const lotor_setting *setting, lotor_message *why);

/* --- graphs; in reproduce_graph.c --- */

/* True if the arms are the edges of a graph: coverage or influence. */
bool lotor_setting_has_graph(const lotor_setting *setting);

/* The edges' means, and the ends of all edges: first the tails, then the heads. The caller frees
 * both in any case. */
lotor_status lotor_figure_graph(const lotor_setting *setting, lotor_message *why, double **means,
                                uint32_t **ends);

/* Sets the structure of a policy on that graph. The policy borrows `ends`. */
void lotor_figure_graph_use(const lotor_setting *setting, const uint32_t *ends,
                            lotor_policy_params *out);

/* True if both files of a folder have as many lines as those of MovieLens 1M. A look-alike differs
 * in the number of movies. */
bool lotor_movies_are_real(const char *folder);

/* Hash of both files of a MovieLens folder; false if one can't be read. */
bool lotor_movies_digest(const char *folder, uint64_t *out);

/* As lotor_figure_result_read, from memory; `name` is for messages. In figure_result_read.c. */
lotor_status lotor_figure_result_parse(const lotor_figure *figure, const lotor_reproduction *how,
                                       lotor_slice bytes, const char *name, lotor_message *why,
                                       lotor_figure_result *out);

#endif
