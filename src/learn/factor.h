/* factor.h - the Cholesky factor of a symmetric matrix, V = L L', and what the learners compute
 * with it.
 *
 * Small matrices are factored by plain loops, because a call of LAPACK costs more than the work;
 * larger ones by LAPACK. Matrices are stored row by row; only the lower triangle is read. Only
 * lotor_factor_new allocates.
 */
#ifndef LOTOR_LEARN_FACTOR_H
#define LOTOR_LEARN_FACTOR_H

#include <stdbool.h>
#include <stddef.h>

#include <lotor/status.h>

/* Up to this dimension, plain loops are faster. */
enum { LOTOR_FACTOR_PLAIN_MAX = 16 };

typedef struct lotor_factor lotor_factor;

/* For matrices of `dimension` rows, and calls of lotor_factor_squares with up to `count`
 * vectors. */
lotor_status lotor_factor_new(size_t dimension, size_t count, bool use_lapack, lotor_factor **out);
void lotor_factor_free(lotor_factor *factor);

/* Factors V. Returns false if V is not positive definite (a pivot is not above 0, or not finite);
 * then the functions below must not be called. */
bool lotor_factor_make(lotor_factor *factor, const double *v);

double lotor_factor_log_det(const lotor_factor *factor);

/* x = V^-1 b; x and b may be the same vector. */
void lotor_factor_solve(const lotor_factor *factor, const double *b, double *x);

/* x = L'^-1 z, so that x x' = V^-1 on average if z is standard Gaussian; x and z may be the same
 * vector. */
void lotor_factor_spread(const lotor_factor *factor, const double *z, double *x);

/* squares[i] = x_i' V^-1 x_i for the `count` rows x_i. */
void lotor_factor_squares(lotor_factor *factor, const double *rows, size_t count, double *squares);

#endif
