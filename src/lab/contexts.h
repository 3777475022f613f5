/* contexts.h - a small world that shows what plain differential privacy costs where people have
 * contexts. The world, and the proof of its lower bound, are in contexts.c. */
#ifndef LOTOR_LAB_CONTEXTS_H
#define LOTOR_LAB_CONTEXTS_H

#include <lotor/policy.h>

#include "lab/play.h"

/* A run of a contextual linear algorithm. lotor_contexts_run sets arms and dimension. */
typedef struct lotor_contexts {
    lotor_policy_params policy;
    double flip; /* probability that the arm which was not chosen is shown; 0: none */
} lotor_contexts;

/* Plays a run, and writes the regret up to each of the rounds in times[], which increase. The
 * expectation over `flip` is exact. */
lotor_status lotor_contexts_run(const lotor_contexts *setting, const lotor_run_randomness *streams,
                                const double *times, size_t count, lotor_message *why,
                                double *regrets);

/* The probability to show the other arm that makes randomized response epsilon-differentially
 * private. */
double lotor_contexts_flip(double epsilon);

/* The least expected regret per round of a policy with plain (epsilon, delta)-differential
 * privacy. */
double lotor_contexts_least(double epsilon, double delta);

#endif
