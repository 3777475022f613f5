/* reproduce_trial.h - one trial of a figure. */
#ifndef LOTOR_PAPERS_REPRODUCE_TRIAL_H
#define LOTOR_PAPERS_REPRODUCE_TRIAL_H

#include <pthread.h>

#include "papers/reproduce_plan.h"

/* A figure being played. */
typedef struct lotor_stage {
    const lotor_figure *figure;
    const lotor_reproduction *how;
    lotor_played *out;
    double all;            /* work */
    pthread_mutex_t mutex; /* of what follows, and of calls to how->progress */
    double done;           /* work */
    bool stopped;
} lotor_stage;

/* One thread's place on it. */
typedef struct lotor_player {
    lotor_stage *on;
    lotor_cell_problem problem;
    size_t threads;    /* for its trials */
    double work, told; /* of this trial, and how much of it is counted as done */
} lotor_player;

/* Notes and tells how much of a player's trial is done; true stops. */
bool lotor_stage_tell(void *player, double share);

/* Plays a trial and adds its points. LOTOR_STOPPED when told to stop. Players that play side by side
 * need a series each, and figures that list sets one player only. */
lotor_status lotor_player_play(lotor_player *self, const lotor_cell *cell, lotor_message *why,
                               lotor_series *series);

#endif
