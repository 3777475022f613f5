/* bounds_kl.h - upper confidence bounds of section 8: pure functions of an arm's released facts and of q.
 *
 * All are for rewards in [0,1]. Proofs: bounds_kl.md.
 */
#ifndef LOTOR_LEARN_BOUNDS_KL_H
#define LOTOR_LEARN_BOUNDS_KL_H

#include <stddef.h>
#include <stdint.h>

/* q of round t: log t + 3 log log t, t at least 3, rounded down to a multiple of 0.02, so that an index
 * is a function of the board and t alone and is seldom computed. */
double lotor_kl_budget(uint64_t t);

/* Batches that are added up: j of them, n rounds in all, released sum S; each sum has Laplace noise of
 * scale 1/epsilon (INFINITY: none). */
typedef struct lotor_batches {
    double j, n, sum;
} lotor_batches;

/* Hoeffding's width of their mean: min over 0 < theta < epsilon of
 * (q + n theta^2/8 - j log(1 - theta^2/epsilon^2)) / (theta n). */
double lotor_kl_width(double j, double n, double epsilon, double q);

/* How many of the last batches to add up: the number that minimises the width. sizes[0] is the latest
 * of `count` > 0 batches, sizes[1] the one before it. */
size_t lotor_kl_span(const double *sizes, size_t count, double epsilon, double q);

/* The largest mean in [0,1] that the batches leave possible:
 * min(1, min over 0 < theta < epsilon of (1 - exp(-a)) / (1 - exp(-theta))),
 * a = (q + theta S - j log(1 - theta^2/epsilon^2)) / n; 0 if some a <= 0. */
double lotor_kl_batch_bound(lotor_batches on, double epsilon, double q);

/* The largest v in [0,1] with n kl(ones/n, v) <= q; n > 0, 0 <= ones <= n. */
double lotor_kl_bit_bound(double ones, double n, double q);

/* (v - (1-p)) / (2p - 1) of that v, p = e^epsilon / (1 + e^epsilon): bits that are true with
 * probability p. */
double lotor_kl_response_bound(double ones, double n, double epsilon, double q);

#endif
