/* eigen.c - all eigenvalues and eigenvectors of a symmetric matrix; see eigen.h.
 *
 * LAPACK stores matrices by columns. So our lower triangle, stored by rows, is its upper triangle,
 * and its eigenvectors, one per column, are our rows. The code calls the _work functions of
 * LAPACKE, because the others allocate.
 */
#include "learn/eigen.h"

#include <assert.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SWEEPS = 60 }; /* rarely more than 10 are needed */

/* The size of the work memory with which LAPACK is fastest; 0 if LAPACK did not say. */
static size_t ask_work_size(size_t dimension)
{
    const lapack_int n = (lapack_int)dimension;
    double none = 0.0, wanted = 0.0;
    const lapack_int status =
        LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, &none, n, &none, &wanted, -1);
    return status == 0 && wanted >= 1.0 ? (size_t)wanted : 0;
}

lotor_status lotor_eigen_new(size_t dimension, bool use_lapack, lotor_eigen **out)
{
    assert(dimension > 0);
    *out = NULL;
    const size_t work_size = use_lapack ? ask_work_size(dimension) : 0;
    lotor_eigen *eigen = calloc(1, sizeof *eigen);
    if (!eigen) {
        return LOTOR_MEMORY;
    }
    *eigen = (lotor_eigen){
        .dimension = dimension,
        .work_size = work_size,
        .values = calloc(dimension, sizeof *eigen->values),
        .vectors = calloc(dimension * dimension, sizeof *eigen->vectors),
        .work = calloc(work_size ? work_size : dimension * dimension, sizeof *eigen->work),
    };
    if (!eigen->values || !eigen->vectors || !eigen->work) {
        lotor_eigen_free(eigen);
        return LOTOR_MEMORY;
    }
    *out = eigen;
    return LOTOR_OK;
}

void lotor_eigen_free(lotor_eigen *eigen)
{
    if (eigen) {
        free(eigen->values);
        free(eigen->vectors);
        free(eigen->work);
        free(eigen);
    }
}

/* (a, b) <- (c a - s b, s a + c b) */
static inline void rotate(double *a, double *b, double c, double s)
{
    const double first = *a, second = *b;
    *a = c * first - s * second;
    *b = s * first + c * second;
}

/* Rotates rows and columns p < q so that the entries (p, q) and (q, p) become 0. */
static void eliminate(lotor_eigen *eigen, size_t p, size_t q)
{
    assert(p < q && q < eigen->dimension);
    const size_t d = eigen->dimension;
    double *a = eigen->work;
    const double off = a[p * d + q];
    if (off == 0.0) {
        return;
    }
    const double ratio = (a[q * d + q] - a[p * d + p]) / (2.0 * off);
    const double t = copysign(1.0, ratio) / (fabs(ratio) + hypot(1.0, ratio));
    const double c = 1.0 / hypot(1.0, t), s = t * c;
    for (size_t i = 0; i < d; i++) {
        rotate(&a[p * d + i], &a[q * d + i], c, s);
        rotate(&eigen->vectors[p * d + i], &eigen->vectors[q * d + i], c, s);
    }
    for (size_t i = 0; i < d; i++) {
        rotate(&a[i * d + p], &a[i * d + q], c, s);
    }
    a[p * d + q] = a[q * d + p] = 0.0;
}

/* Jacobi's method: sweeps over all pairs until the entries off the diagonal are negligible. */
static bool make_jacobi(lotor_eigen *eigen, const double *matrix)
{
    const size_t d = eigen->dimension;
    double *a = eigen->work;
    memset(eigen->vectors, 0, d * d * sizeof *eigen->vectors);
    for (size_t i = 0; i < d; i++) {
        eigen->vectors[i * d + i] = 1.0;
        for (size_t j = 0; j <= i; j++) {
            a[i * d + j] = a[j * d + i] = matrix[i * d + j];
        }
    }
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        double off = 0.0, on = 0.0;
        for (size_t i = 0; i < d; i++) {
            on = fmax(on, fabs(a[i * d + i]));
            for (size_t j = 0; j < i; j++) {
                off = fmax(off, fabs(a[i * d + j]));
            }
        }
        if (off <= 1e-17 * on) {
            for (size_t i = 0; i < d; i++) {
                eigen->values[i] = a[i * d + i];
            }
            return true;
        }
        for (size_t p = 0; p + 1 < d; p++) {
            for (size_t q = p + 1; q < d; q++) {
                eliminate(eigen, p, q);
            }
        }
    }
    return false;
}

static bool make_lapack(lotor_eigen *eigen, const double *matrix)
{
    const size_t d = eigen->dimension;
    const lapack_int n = (lapack_int)d;
    memcpy(eigen->vectors, matrix, d * d * sizeof *matrix);
    return LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, eigen->vectors, n, eigen->values,
                              eigen->work, (lapack_int)eigen->work_size) == 0;
}

static bool are_finite(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(numbers[i])) {
            return false;
        }
    }
    return true;
}

bool lotor_eigen_make(lotor_eigen *eigen, const double *matrix)
{
    const size_t d = eigen->dimension;
    for (size_t i = 0; i < d; i++) {
        if (!are_finite(matrix + i * d, i + 1)) {
            return false;
        }
    }
    const bool found =
        eigen->work_size > 0 ? make_lapack(eigen, matrix) : make_jacobi(eigen, matrix);
    return found && are_finite(eigen->values, d) && are_finite(eigen->vectors, d * d);
}
