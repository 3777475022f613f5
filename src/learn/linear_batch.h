/* linear_batch.h - how sure a linear learner can be of sums that are released in batches.
 *
 * After j releases, M the noisy Gram matrix and u the noisy sum of x y, with J planned releases,
 *
 *      l = log(8J/alpha),  Y = s sqrt(j) (2 sqrt d + 2 sqrt l),  s the noise's deviation on M
 *      c = max(0, max(2Y, lambda) - least eigenvalue of M),  V = M + c I,  theta = V^-1 u
 *      k^2 = 1 + max(0, lambda + Y - c) / least eigenvalue of V
 *      beta = sigma sqrt(2l + log det V + d log(k^2 / lambda))
 *      |<theta - theta*, x>| <= k beta |x|_(V^-1) + (c S + R) |V^-1 x|
 *      R = sqrt(j) (sqrt(d (su^2 + s^2 S^2) + s^2 S^2) + sqrt(2l (su^2 + 2 s^2 S^2)))
 *
 * with probability 1 - alpha, su the noise's deviation on u: see linear_batch.md. All of it is found
 * once for a release, from the eigenvectors of M.
 */
#ifndef LOTOR_LEARN_LINEAR_BATCH_H
#define LOTOR_LEARN_LINEAR_BATCH_H

#include "learn/linear.h"

typedef struct lotor_linear_batch lotor_linear_batch;

lotor_status lotor_linear_batch_new(const lotor_linear_params *params, lotor_linear_batch **out);
void lotor_linear_batch_free(lotor_linear_batch *batch);

/* How many releases have come when `rounds` rounds are in one. */
unsigned lotor_linear_batch_releases(const lotor_linear_batch *batch, uint64_t rounds);

/* From `releases` releases, at least 1: M (its lower triangle; it becomes V) and u. False where
 * numbers fail. *beta is k beta. */
bool lotor_linear_batch_make(lotor_linear_batch *batch, unsigned releases, double *m,
                             const double *u, double *theta, double *beta);

/* widths[i]: how far <theta, x_i> may be off, for `count` rows x_i, at most `actions`. */
void lotor_linear_batch_widths(lotor_linear_batch *batch, const double *rows, size_t count,
                               double *widths);

#endif
