/* linear_bayes.h - what a Bayesian believes about theta, from batches that are released one by one.
 *
 * At first theta is Gaussian with variance S^2/d in each direction. Batch k is on the board as
 * statistic k. It has the noisy Gram matrix G~ and the noisy sum u~ of x y. Let s_G be the standard
 * deviation of the noise on G~ off the diagonal, s_u that of the noise on u~, and sigma that of a
 * reward. For each batch:
 *
 *      m = trace(G~)/d,  rho = min(1, s_G^2 (d^2 + d - 2) / |G~ - m I|_F^2)
 *      G = (1 - rho) G~ + rho m I, with its negative eigenvalues replaced by 0
 *
 * The precision P of theta and its mean P^-1 h are then
 *
 *      s^2 = s_u^2 + s_G^2 S^2 (1 + 1/d)
 *      P = d/S^2 I + sum of G (sigma^2 G + s^2 I)^-1 G,  h = sum of G (sigma^2 G + s^2 I)^-1 u~
 *
 * linear_bayes.md says why. This is an approximation, and no bound is proved for it. It reads the
 * board alone, so it is post-processing.
 */
#ifndef LOTOR_LEARN_LINEAR_BAYES_H
#define LOTOR_LEARN_LINEAR_BAYES_H

#include "learn/linear.h"

typedef struct lotor_linear_bayes lotor_linear_bayes;

lotor_status lotor_linear_bayes_new(const lotor_linear_params *params, lotor_linear_bayes **out);
void lotor_linear_bayes_free(lotor_linear_bayes *bayes);

/* Forgets all batches. */
void lotor_linear_bayes_restart(lotor_linear_bayes *bayes);

/* Adds the batches that are completely on the board and were not added before, in their order.
 * Fills `p` (the lower triangle of P) and `h`. Returns how many batches P is made of. A batch with
 * a number that is not finite is left out. Allocates nothing. */
size_t lotor_linear_bayes_read(lotor_linear_bayes *bayes, const lotor_board *board, double *p,
                               double *h);

#endif
