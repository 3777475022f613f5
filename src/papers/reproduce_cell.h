/* reproduce_cell.h - plays one experiment of a figure. */
#ifndef LOTOR_PAPERS_REPRODUCE_CELL_H
#define LOTOR_PAPERS_REPRODUCE_CELL_H

#include <pthread.h>

#include "papers/reproduce_plan.h"

/* A figure being played. */
typedef struct lotor_figure_run {
    const lotor_figure *figure;
    const lotor_reproduction *how;
    lotor_figure_result *out;
    double all;            /* total work */
    pthread_mutex_t mutex; /* protects the fields below, and calls to how->progress */
    double done;           /* finished work */
    bool stopped;
} lotor_figure_run;

/* The state of one thread that plays experiments. */
typedef struct lotor_figure_worker {
    lotor_figure_run *on;
    lotor_figure_cell_problem problem;
    size_t threads;    /* per experiment */
    double work, told; /* of this experiment: its work, and the part in on->done */
} lotor_figure_worker;

/* Records and reports the finished share of a worker's experiment. `player` is the worker. Returns
 * true to stop. */
bool lotor_figure_run_tell(void *player, double share);

/* Plays an experiment and adds its points. LOTOR_STOPPED: `progress` returned true. Workers that
 * run at the same time need different series. A figure that lists sets must use only one worker. */
lotor_status lotor_figure_worker_play(lotor_figure_worker *self, const lotor_figure_cell *cell,
                                      lotor_message *why, lotor_series *series);

#endif
