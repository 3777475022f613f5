/* reproduce.c - plays a figure: its experiments one after the other, each on all cores. Experiments
 * with fewer runs than there are threads are played first, several at the same time. See
 * reproduce.h.
 *
 * Every experiment has the same seed, so that each can be repeated with lotor run. Experiments with
 * the same seed are positively correlated, if at all. Then the standard error of a difference is
 * smaller than the one that verdicts assume.
 */
#include "papers/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/threads.h"
#include "base/time.h"
#include "papers/reproduce_audit.h"
#include "papers/reproduce_cell.h"

/* An experiment that is played in advance, and its points. */
typedef struct early_cell {
    size_t number;
    lotor_figure_cell cell;
    lotor_series series; /* the label is borrowed */
} early_cell;

/* All experiments that are played in advance, several at the same time. */
typedef struct early_cells {
    lotor_figure_run *on;
    early_cell *trials;
    size_t count;
    size_t threads; /* per experiment */
} early_cells;

static lotor_series *series_of(const lotor_figure_result *out, const lotor_figure_cell *cell)
{
    return &out->panels[cell->panel].series[cell->curve];
}

/* Finds a complete figure that has an equal experiment, and the cell of that experiment; or
 * NULL. */
static const lotor_figure_result *find_known(const lotor_figure_run *on,
                                             const lotor_figure_cell *cell, lotor_figure_cell *like)
{
    for (size_t i = 0; i < on->how->known_count; i++) {
        const lotor_figure_result *from = on->how->known[i];
        if (from->is_quick == on->out->is_quick && from->seed == on->out->seed &&
            strcmp(from->remark, on->out->remark) == 0 && strcmp(from->data, on->out->data) == 0 &&
            lotor_figure_cell_like(from->figure, on->figure, from->is_quick, cell, like)) {
            return from;
        }
    }
    return NULL;
}

/* --- experiments in advance ------------------------------------------------------------------- */

/* Experiments on MovieLens are not played in advance: their world is large, and only one thread may
 * make the look-alike. */
static bool is_early(const lotor_figure_run *on, size_t number, size_t threads,
                     lotor_figure_cell *cell)
{
    lotor_figure_cell like;
    *cell = lotor_figure_cell_at(on->figure, on->how->is_quick, number);
    return cell->setting.runs < threads && cell->setting.place != LOTOR_FIGURE_WORLD_FORMULA &&
           cell->setting.place != LOTOR_FIGURE_WORLD_MOVIELENS && !on->figure->lists_sets &&
           lotor_figure_cell_first_like(on->figure, on->how->is_quick, number) == number &&
           !find_known(on, cell, &like);
}

/* Sorts the longest experiment first, so that no thread has a long experiment left at the end. */
static int by_work(const void *one, const void *other)
{
    const early_cell *a = one, *b = other;
    const double mine = lotor_figure_cell_work(&a->cell), theirs = lotor_figure_cell_work(&b->cell);
    return mine != theirs ? (mine < theirs) - (mine > theirs)
                          : (a->number > b->number) - (a->number < b->number);
}

/* The work of each thread. */
static void play_some_early(void *context, lotor_threads *threads)
{
    const early_cells *all = context;
    lotor_figure_run *on = all->on;
    uint64_t i;
    while (lotor_threads_next(threads, &i)) {
        lotor_figure_worker self = {.on = on, .threads = all->threads};
        lotor_message why = {""};
        const lotor_status status =
            lotor_figure_worker_play(&self, &all->trials[i].cell, &why, &all->trials[i].series);
        lotor_problem_clear(&self.problem.setup);
        if (status != LOTOR_OK) {
            lotor_threads_fail(threads, status, &why);
            pthread_mutex_lock(&on->mutex);
            on->stopped = true; /* ends the experiments that other threads play */
            pthread_mutex_unlock(&on->mutex);
        }
    }
}

static lotor_status play_earlies(early_cells *all, size_t cells, lotor_message *why)
{
    const lotor_figure_run *on = all->on;
    const size_t threads = lotor_threads_count(on->how->threads);
    all->trials = calloc(cells, sizeof *all->trials);
    if (!all->trials) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for %zu trials", cells);
    }
    for (size_t i = 0; i < cells; i++) {
        early_cell *next = &all->trials[all->count];
        if (is_early(on, i, threads, &next->cell)) {
            next->number = i;
            next->series.label = series_of(on->out, &next->cell)->label;
            all->count++;
        }
    }
    if (all->count == 0) {
        return LOTOR_OK;
    }
    qsort(all->trials, all->count, sizeof *all->trials, by_work);
    all->threads = all->count < threads ? threads / all->count : 1;
    lotor_threads side_by_side = {
        .wanted = threads, .tasks = all->count, .work = play_some_early, .context = all};
    return lotor_threads_run(&side_by_side, why);
}

static void free_earlies(early_cells *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free(all->trials[i].series.points);
    }
    free(all->trials);
}

/* --- the figure ------------------------------------------------------------------------------- */

/* Gets the points of an experiment: from an equal experiment here or in another figure, from those
 * played in advance, or by playing it now. */
static lotor_status fill_cell(lotor_figure_worker *self, const early_cells *before, size_t number,
                              lotor_message *why)
{
    const lotor_figure_run *on = self->on;
    const bool is_quick = on->how->is_quick;
    const lotor_figure_cell cell = lotor_figure_cell_at(on->figure, is_quick, number);
    lotor_series *series = series_of(on->out, &cell);
    const size_t first = lotor_figure_cell_first_like(on->figure, is_quick, number);
    if (first < number) {
        const lotor_figure_cell earlier = lotor_figure_cell_at(on->figure, is_quick, first);
        return lotor_points_copy(on->figure, &earlier, series_of(on->out, &earlier), on->figure,
                                 &cell, why, series);
    }
    lotor_figure_cell like;
    const lotor_figure_result *known = find_known(on, &cell, &like);
    if (known) {
        return lotor_points_copy(known->figure, &like, series_of(known, &like), on->figure, &cell,
                                 why, series);
    }
    for (size_t i = 0; i < before->count; i++) {
        if (before->trials[i].number == number) {
            return lotor_points_copy(on->figure, &cell, &before->trials[i].series, on->figure,
                                     &cell, why, series);
        }
    }
    return lotor_figure_worker_play(self, &cell, why, series);
}

static double work_of(const lotor_figure *figure, const lotor_reproduction *how)
{
    double work = lotor_figure_work(figure, how->is_quick, NULL, 0);
    if (how->known_count > 0) {
        const lotor_figure **figures = calloc(how->known_count, sizeof(lotor_figure *));
        for (size_t i = 0; figures && i < how->known_count; i++) {
            figures[i] = how->known[i]->figure;
        }
        work = figures ? lotor_figure_work(figure, how->is_quick, figures, how->known_count) : work;
        free(figures);
    }
    return fmax(1.0, work);
}

lotor_status lotor_figure_play(const lotor_figure *figure, const lotor_reproduction *how,
                               lotor_message *why, lotor_figure_result *out)
{
    const double start = lotor_time_seconds();
    lotor_status status = lotor_figure_result_frame(figure, how, why, out);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_figure_run on = {.figure = figure, .how = how, .out = out, .all = work_of(figure, how)};
    lotor_figure_worker self = {.on = &on, .threads = how->threads};
    early_cells before = {.on = &on};
    const size_t count = lotor_figure_cell_count(figure, how->is_quick);
    pthread_mutex_init(&on.mutex, NULL);
    status = play_earlies(&before, count, why);
    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        status = fill_cell(&self, &before, i, why);
    }
    if (status == LOTOR_OK && figure->audits) { /* not in the estimated work */
        status = lotor_figure_audit(figure, how, lotor_figure_run_tell, &self, why, out);
    }
    if (status == LOTOR_STOPPED) {
        lotor_explain(why, "%s was stopped", figure->id);
    }
    free_earlies(&before);
    pthread_mutex_destroy(&on.mutex);
    lotor_problem_clear(&self.problem.setup);
    out->seconds = lotor_time_seconds() - start;
    return status;
}
