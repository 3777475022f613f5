/* scenery.h - what an instance is played with unless one says otherwise: its rewards, and which of its
 * arms may be shown together. For `lotor run` and for lotor_simulate_run, which shall not differ. */
#ifndef LOTOR_LAB_SCENERY_H
#define LOTOR_LAB_SCENERY_H

#include <stdbool.h>
#include <stddef.h>

#include <lotor/policy.h>

#include "world/world.h"

/* Whether it is a log or a data set: it pays what was recorded. */
bool lotor_scenery_is_recorded(const lotor_world *instance);

/* The same means with other rewards: "beta" (a + b = concentration) or "uniform", for a world that is
 * not recorded. The caller frees *out. */
lotor_status lotor_scenery_pay(const lotor_world *instance, const char *rewards,
                               double concentration, lotor_message *why, lotor_world **out);
#define LOTOR_SCENERY_CONCENTRATION 4.0

/* What an instance is usually played with: its vectors or its graph; LOTOR_STRUCTURE_TOP without. */
lotor_structure lotor_scenery_usual(const lotor_world *instance);

/* Whether it brings the vectors or the graph that the structure needs along; and gives them to the
 * parameters, as long as it lives, with one seed, and a path from its first to its last vertex. */
bool lotor_scenery_brings(const lotor_world *instance, lotor_structure structure);
void lotor_scenery_use(const lotor_world *instance, lotor_structure structure,
                       lotor_policy_params *params);

/* Of a linear world. */
enum { LOTOR_SCENERY_DIMENSION = 5 };
size_t lotor_scenery_actions(size_t dimension, bool has_gap);

#endif
