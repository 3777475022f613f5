/* eigen.h - all eigenvalues and eigenvectors of a symmetric matrix.
 *
 * Small matrices are solved with Jacobi rotations, larger ones with LAPACK. Matrices are stored row
 * by row; only the lower triangle is read. Only lotor_eigen_new allocates.
 */
#ifndef LOTOR_LEARN_EIGEN_H
#define LOTOR_LEARN_EIGEN_H

#include <stdbool.h>
#include <stddef.h>

#include <lotor/status.h>

/* Callers only read it. The result is valid until the next lotor_eigen_make. */
typedef struct lotor_eigen {
    size_t dimension;
    double *values;  /* the `dimension` eigenvalues, in no particular order */
    double *vectors; /* row k is the eigenvector of values[k], of length 1 */
    double *work;
    size_t work_size; /* the size of `work` for LAPACK; 0: use Jacobi's method */
} lotor_eigen;

lotor_status lotor_eigen_new(size_t dimension, bool use_lapack, lotor_eigen **out);
void lotor_eigen_free(lotor_eigen *eigen);

/* Returns false if the matrix has an entry that is not finite, or if the method did not
 * converge. */
bool lotor_eigen_make(lotor_eigen *eigen, const double *matrix);

#endif
