/* linear_batch.h - confidence widths of a linear learner whose sums are released in batches.
 *
 * After j of J planned releases, let M be the noisy Gram matrix and u the noisy sum of x y. Let s
 * be the scale of the noise on M off the diagonal, and su that of the noise on u. Then, with
 * probability at least 1 - alpha, after all J releases,
 *
 *      |<theta - theta*, x>| <= k beta |x|_(V^-1) + (c S + R) |V^-1 x|
 *
 *      l = log(8J/alpha),  Y = s sqrt(j) (2 sqrt d + 2 sqrt l)
 *      c = max(0, max(2Y, lambda) - least eigenvalue of M),  V = M + c I,  theta = V^-1 u
 *      k^2 = 1 + max(0, lambda + Y - c) / least eigenvalue of V
 *      beta = sigma sqrt(2l + log det V + d log(k^2 / lambda))
 *      R = sqrt(j) (sqrt(d (su^2 + s^2 S^2) + s^2 S^2) + sqrt(2l (su^2 + 2 s^2 S^2)))
 *
 * linear_batch.md has the proof, for discrete Gaussian noise and rounded sums, and its condition. Everything is computed once per release, from the eigenvectors of
 * M.
 */
#ifndef LOTOR_LEARN_LINEAR_BATCH_H
#define LOTOR_LEARN_LINEAR_BATCH_H

#include "learn/linear.h"

typedef struct lotor_linear_batch lotor_linear_batch;

lotor_status lotor_linear_batch_new(const lotor_linear_params *params, lotor_linear_batch **out);
void lotor_linear_batch_free(lotor_linear_batch *batch);

/* How many releases there are when the latest release covers `rounds` rounds. */
unsigned lotor_linear_batch_releases(const lotor_linear_batch *batch, uint64_t rounds);

/* Computes theta and k beta (*beta) from `releases` releases, at least 1. `m` is M (its lower
 * triangle) and becomes V. Returns false if the computation fails. */
bool lotor_linear_batch_make(lotor_linear_batch *batch, unsigned releases, double *m,
                             const double *u, double *theta, double *beta);

/* widths[i] is how far <theta, x_i> may be off, for `count` rows x_i; `count` is at most
 * `actions`. */
void lotor_linear_batch_widths(lotor_linear_batch *batch, const double *rows, size_t count,
                               double *widths);

#endif
