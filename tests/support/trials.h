/* trials.h - small trials of the simulator, and what must hold of all. */
#ifndef LOTOR_TESTS_TRIALS_H
#define LOTOR_TESTS_TRIALS_H

#include <stddef.h>
#include <stdint.h>

#include "lab/simulate.h"

/* Seed 3, epsilon 2, 12 checkpoints. */
lotor_trial trial_of(const lotor_world *world, const char *algorithm, uint64_t horizon,
                     uint64_t runs);
lotor_trial linear_trial(const lotor_linear_world *world, const char *algorithm, uint64_t horizon,
                         uint64_t runs);

/* A named instance: the caller's to free. */
lotor_world *world_of(const char *name, size_t arms);

/* Plays it; a refusal fails the test. */
lotor_result simulate(const lotor_trial *trial);

/* To the last bit. */
void expect_same_checkpoints(const lotor_result *a, const lotor_result *b);

#endif
