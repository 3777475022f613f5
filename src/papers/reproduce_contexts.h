/* reproduce_contexts.h - plays in a world with two contexts whose best arms differ. */
#ifndef LOTOR_PAPERS_REPRODUCE_CONTEXTS_H
#define LOTOR_PAPERS_REPRODUCE_CONTEXTS_H

#include "papers/reproduce_cell.h"

/* Plays an experiment in LOTOR_FIGURE_WORLD_CONTEXTS and adds its points. Apart from linear
 * algorithms of the catalog there are:
 * - "randomized-response": linucb without noise, whose choice is then randomized.
 * - "plain-dp": nothing is played; the least regret that plain differential privacy allows.
 * LOTOR_STOPPED: `progress` returned true. */
lotor_status lotor_figure_contexts_play(lotor_figure_worker *self, const lotor_figure_cell *cell,
                                        lotor_message *why, lotor_series *series);

#endif
