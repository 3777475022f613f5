/* plain.h - a second implementation of every algorithm, as simple as the papers print it.
 *
 * Nothing here uses the library. It has its own random numbers, uses doubles for sums and noise,
 * plays every round, and computes every index in every round. If its regret agrees with the
 * library's, both are probably what the papers mean. bench/ measures the speed of the same code.
 *
 * Any of the first four (ours): batch-klucb, rr-klucb, lik-imed, rr-imed; and adap-ucb (Azize and
 *                             Basu 2022)
 * Finite arms (Sajed 2019):   ucb, se, dp-ucb, dp-se, dp-se2, dp-se2-modified
 * Finite arms (other papers): klucb, imed, ts, moss, exp3, dp-klucb, dp-imed, adap-klucb,
 *                             lazy-dp-ts, ldp-ucb-l, ldp-ucb-b
 * Matroids (Chandak 2023):    omm, cts, cts-beta, dpucb-mat, dpts-mat
 * Semi-bandits (Chen et al. 2020, Wang et al. 2022):
 *                             cucb, cucb-ldp1, cucb-ldp2, cucb-dp, cucb-dp2, cucb-ldp-gauss
 * Cascades (Wang et al. 2022):
 *                             cascade-ucb, cascade-dp, cascade-ldp-laplace, cascade-ldp-gauss,
 *                             cascade-ldp-composed
 * Repaired, or ours:          dp-ucb-tight, dp-se-acc, cucb-dp-lazy, cucb-ldp-box, cascade-dp-lazy,
 *                             cascade-ldp-rr
 * Contextual linear (Shariff and Sheffet 2018):
 *                             linucb, lints, jdp-linucb-gauss, jdp-linucb-wishart,
 *                             jdp-linucb-wishart-shifted, jdp-linucb
 * and our own jdp-batch and jdp-bayes.
 *
 * Rewards are Bernoulli and independent. On a matroid and in a semi-bandit, the reward of every
 * shown arm is observed; in a cascade, those up to the first click. Linear rewards are 1 or -1,
 * with mean <theta, x> for the action x. theta is uniform on the unit sphere, drawn once per run.
 */
#ifndef LOTOR_TESTS_PLAIN_H
#define LOTOR_TESTS_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct plain_setting {
    const char *algorithm;
    size_t arms;         /* linear: actions to choose from in a round */
    const double *means; /* unused for linear */
    uint64_t horizon;
    double epsilon; /* INFINITY: no noise */
    double beta;    /* 0 means 1/horizon; linear: alpha */

    /* Matroids only: arms x dimension integers, row by row, for a linear matroid; else NULL, and
     * any `slots` arms may be shown together (0 means 1). */
    const int *vectors;
    size_t dimension; /* linear: of theta and the actions */
    size_t slots;     /* arms shown in a round, also in semi-bandits and cascades */

    double noise_scale; /* multiplies noise and private widths, not batch sizes; 0 means 1 */

    double delta; /* 0 means 1e-5 for linear, 1e-3 elsewhere */
    bool cascade; /* for algorithms that play any problem: feedback is clicks */
    bool clip;    /* semi-bandits and cascades: no index above 1, even for an unseen arm */

    /* Linear only. Without a gap, actions are uniform in the unit ball. With a gap, they are those
     * of the authors' experiments: one with mean 0.75, the others uniform on the sphere with means
     * between -0.75 and 0.75 - gap. */
    bool has_gap;
    double gap;
} plain_setting;

/* The pseudo-regret of one run: the sum over the rounds of the best feasible set's mean reward,
 * minus that of the played set. NaN: unknown algorithm, impossible world, or no memory. */
double plain_regret(const plain_setting *setting, uint64_t seed);

/* The mean over runs with seeds 1, 2, ..., and its standard error. */
double plain_mean_regret(const plain_setting *setting, size_t runs, double *standard_error);

/* The regret after times[0] <= times[1] <= ... rounds; NaN for times after the horizon. */
void plain_regret_curve(const plain_setting *setting, uint64_t seed, const uint64_t *times,
                        size_t count, double *regrets);

#endif
