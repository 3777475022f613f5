/* factor.h - the Cholesky factor of a symmetric matrix, V = L L', and what a learner asks of it.
 *
 * Plain loops for small matrices, where a call into LAPACK costs more than the work; LAPACK above.
 * Matrices are row by row; only the lower triangle is read. Nothing but lotor_factor_new allocates.
 */
#ifndef LOTOR_LEARN_FACTOR_H
#define LOTOR_LEARN_FACTOR_H

#include <stdbool.h>
#include <stddef.h>

#include <lotor/status.h>

/* Plain loops are the faster ones up to this dimension. */
enum { LOTOR_FACTOR_PLAIN_MOST = 16 };

typedef struct lotor_factor lotor_factor;

/* For matrices of `dimension` rows, and questions about up to `count` vectors at a time. */
lotor_status lotor_factor_new(size_t dimension, size_t count, bool use_lapack, lotor_factor **out);
void lotor_factor_free(lotor_factor *factor);

/* Factors V. False where it is not positive definite (a pivot that is not above 0, or not finite);
 * the others must not be called then. */
bool lotor_factor_make(lotor_factor *factor, const double *v);

double lotor_factor_log_det(const lotor_factor *factor);

/* x = V^-1 b; may be the same vector. */
void lotor_factor_solve(const lotor_factor *factor, const double *b, double *x);

/* squares[i] = x_i' V^-1 x_i for the `count` rows x_i. */
void lotor_factor_squares(lotor_factor *factor, const double *rows, size_t count, double *squares);

#endif
