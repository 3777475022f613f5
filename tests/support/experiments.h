/* experiments.h - small experiments of the simulator, and checks that all experiments must pass. */
#ifndef LOTOR_TESTS_EXPERIMENTS_H
#define LOTOR_TESTS_EXPERIMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "lab/simulate.h"

/* An experiment with seed 3, epsilon 2 and 12 checkpoints. */
lotor_experiment experiment_of(const lotor_world *world, const char *algorithm, uint64_t horizon,
                               uint64_t runs);
lotor_experiment linear_experiment(const lotor_linear_world *world, const char *algorithm,
                                   uint64_t horizon, uint64_t runs);

/* A named instance; the caller frees it. */
lotor_world *world_of(const char *name, size_t arms);

/* Plays an experiment; fails the test if the library refuses it. */
lotor_experiment_result simulate(const lotor_experiment *trial);

/* Expects equal checkpoints, to the last bit. */
void expect_same_checkpoints(const lotor_experiment_result *a, const lotor_experiment_result *b);

#endif
