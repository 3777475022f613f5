/* bounds_kl.h - upper confidence bounds for the mean of one arm (bounds_kl.md has the proofs).
 *
 * Each bound is a pure function of the released facts of the arm and of q, the budget of the round.
 * All bounds are for rewards in [0,1].
 */
#ifndef LOTOR_LEARN_BOUNDS_KL_H
#define LOTOR_LEARN_BOUNDS_KL_H

#include <stddef.h>
#include <stdint.h>

/* The q of round t: log t + 3 log log t with t at least 3, rounded down to a multiple of 0.02. So
 * an index depends only on the board and t, and it has to be computed again only when q or the
 * board changes. */
double lotor_kl_budget(uint64_t t);

/* log t on the same grid: log t rounded down to a multiple of 0.02, for the rules of rivals.c. */
double lotor_kl_log(uint64_t t);

/* The Kullback-Leibler divergence of Bernoulli(p) from Bernoulli(v); both in [0,1]. */
double lotor_kl_divergence(double p, double v);

/* Batches that are added up: j batches with n rounds together, and the sum of their released sums.
 * Each released sum has Laplace noise of scale 1/epsilon (epsilon = INFINITY: no noise). */
typedef struct lotor_batch_sums {
    double j, n, sum;
} lotor_batch_sums;

/* Hoeffding's confidence width of the mean of such batches: min over 0 < theta < epsilon of
 * (q + n theta^2/8 - j log(1 - theta^2/epsilon^2)) / (theta n). */
double lotor_kl_width(double j, double n, double epsilon, double q);

/* How many of the latest batches to add up, so that the width is smallest. sizes[0] is the size of
 * the latest of `count` > 0 batches, sizes[1] the size of the batch before it. */
size_t lotor_kl_span(const double *sizes, size_t count, double epsilon, double q);

/* The largest mean in [0,1] that is possible given the batches:
 * min(1, min over 0 < theta < epsilon of (1 - exp(-a)) / (1 - exp(-theta))),
 * a = (q + theta S - j log(1 - theta^2/epsilon^2)) / n; 0 if some a <= 0. */
double lotor_kl_batch_bound(lotor_batch_sums on, double epsilon, double q);

/* The largest v in [0,1] with n kl(ones/n, v) <= q; n > 0, 0 <= ones <= n. */
double lotor_kl_bit_bound(double ones, double n, double q);

/* The bound for bits that are true with probability p = e^epsilon / (1 + e^epsilon):
 * (v - (1-p)) / (2p - 1), with the v of lotor_kl_bit_bound. */
double lotor_kl_response_bound(double ones, double n, double epsilon, double q);

#endif
