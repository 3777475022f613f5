/* plain.h - every algorithm a second time, as plainly as the papers print it.
 *
 * Nothing here comes from the library: its own random numbers, doubles for sums and noise, every
 * round played, every index computed in every round. So when the library's regret agrees with
 * this one's, both are likely to be what the papers mean. bench/ times the same code.
 *
 * Finite arms (Sajed 2019):   ucb, se, dp-ucb, dp-se, dp-se2, dp-se2-modified
 * Matroids (Chandak 2023):    omm, cts, cts-beta, dpucb-mat, dpts-mat
 *
 * Rewards are Bernoulli and independent; on a matroid every shown arm's reward is seen.
 */
#ifndef LOTOR_TESTS_PLAIN_H
#define LOTOR_TESTS_PLAIN_H

#include <stddef.h>
#include <stdint.h>

typedef struct plain_setting {
    const char *algorithm;
    size_t arms;
    const double *means;
    uint64_t horizon;
    double epsilon; /* INFINITY: no noise */
    double beta;    /* 0 means 1/horizon */

    /* Matroids only: arms x dimension integers, row by row, for a linear matroid; else NULL, and
     * any `slots` arms may be shown together (0 means 1). */
    const int *vectors;
    size_t dimension;
    size_t slots;

    double noise_scale; /* multiplies noise and private widths, not batch sizes; 0 means 1 */
} plain_setting;

/* The pseudo-regret of one run: the sum over the rounds of the best feasible set's mean reward
 * minus that of the set played. NaN: no such algorithm, or no memory. */
double plain_regret(const plain_setting *setting, uint64_t seed);

/* The same after times[0] <= times[1] <= ... rounds; NaN where the horizon comes first. */
void plain_regret_curve(const plain_setting *setting, uint64_t seed, const uint64_t *times,
                        size_t count, double *regrets);

#endif
