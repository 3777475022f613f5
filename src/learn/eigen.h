/* eigen.h - all eigenvalues and eigenvectors of a symmetric matrix.
 *
 * Jacobi's rotations for small matrices; LAPACK above. Matrices are row by row; only the lower triangle
 * is read. Nothing but lotor_eigen_new allocates.
 */
#ifndef LOTOR_LEARN_EIGEN_H
#define LOTOR_LEARN_EIGEN_H

#include <stdbool.h>
#include <stddef.h>

#include <lotor/status.h>

/* Read-only for callers; good until the next lotor_eigen_make. */
typedef struct lotor_eigen {
    size_t dimension;
    double *values;  /* dimension, in no order */
    double *vectors; /* row k: of length 1, for values[k] */
    double *work;
    size_t work_size; /* of LAPACK; 0: by Jacobi */
} lotor_eigen;

lotor_status lotor_eigen_new(size_t dimension, bool use_lapack, lotor_eigen **out);
void lotor_eigen_free(lotor_eigen *eigen);

/* False where the matrix has something that is not finite, or nothing was found. */
bool lotor_eigen_make(lotor_eigen *eigen, const double *matrix);

#endif
