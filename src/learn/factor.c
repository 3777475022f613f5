/* factor.c - the Cholesky factor L of a symmetric matrix V; see factor.h.
 *
 * x' V^-1 x = |y|^2 with L y = x. This is solved for all vectors x together, entry by entry. The
 * vectors are transposed first, so the innermost loop runs over vectors, and the compiler can
 * process several at once. We do not use LAPACK's triangular solve: OpenBLAS distributes even the
 * smallest one over threads. This costs more than the work itself, and the lab already runs a
 * simulation on every core.
 *
 * LAPACK stores matrices by columns. So our lower triangle, stored by rows, is its upper one, U =
 * L'. The code calls the _work functions of LAPACKE, because the others allocate.
 */
#include "learn/factor.h"

#include <assert.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lotor_factor {
    size_t dimension;
    bool use_lapack;
    double *lower;      /* L */
    double *reciprocal; /* 1 / each entry on the diagonal of L */
    double *vectors;    /* the vectors of lotor_factor_squares, transposed */
};

lotor_status lotor_factor_new(size_t dimension, size_t count, bool use_lapack, lotor_factor **out)
{
    *out = NULL;
    lotor_factor *factor = calloc(1, sizeof *factor);
    if (!factor) {
        return LOTOR_MEMORY;
    }
    *factor = (lotor_factor){
        .dimension = dimension,
        .use_lapack = use_lapack,
        .lower = calloc(dimension * dimension, sizeof *factor->lower),
        .reciprocal = calloc(dimension, sizeof *factor->reciprocal),
        .vectors = calloc(dimension * count, sizeof *factor->vectors),
    };
    if (!factor->lower || !factor->reciprocal || !factor->vectors) {
        lotor_factor_free(factor);
        return LOTOR_MEMORY;
    }
    *out = factor;
    return LOTOR_OK;
}

void lotor_factor_free(lotor_factor *factor)
{
    if (factor) {
        free(factor->lower);
        free(factor->reciprocal);
        free(factor->vectors);
        free(factor);
    }
}

/* Computes L row by row (the Cholesky-Banachiewicz algorithm). */
static bool make_plain(lotor_factor *factor, const double *v)
{
    const size_t d = factor->dimension;
    for (size_t i = 0; i < d; i++) {
        double *row = factor->lower + i * d;
        double pivot = v[i * d + i];
        for (size_t j = 0; j < i; j++) {
            const double *above = factor->lower + j * d;
            double sum = v[i * d + j];
            for (size_t k = 0; k < j; k++) {
                sum -= row[k] * above[k];
            }
            row[j] = sum * factor->reciprocal[j];
            pivot -= row[j] * row[j];
        }
        if (!(pivot > 0.0 && pivot < INFINITY)) {
            return false;
        }
        row[i] = sqrt(pivot);
        factor->reciprocal[i] = 1.0 / row[i];
    }
    return true;
}

static bool make_lapack(lotor_factor *factor, const double *v)
{
    const size_t d = factor->dimension;
    const lapack_int n = (lapack_int)d;
    memcpy(factor->lower, v, d * d * sizeof *v);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, factor->lower, n) != 0) {
        return false;
    }
    for (size_t i = 0; i < d; i++) { /* LAPACK does not refuse NaN */
        const double root = factor->lower[i * d + i];
        if (!(root > 0.0 && root < INFINITY)) {
            return false;
        }
        factor->reciprocal[i] = 1.0 / root;
    }
    return true;
}

bool lotor_factor_make(lotor_factor *factor, const double *v)
{
    return factor->use_lapack ? make_lapack(factor, v) : make_plain(factor, v);
}

/* Takes one logarithm for many pivots, as long as their product fits into a double. */
double lotor_factor_log_det(const lotor_factor *factor)
{
    double sum = 0.0, product = 1.0;
    for (size_t i = 0; i < factor->dimension; i++) {
        const double root = factor->lower[i * factor->dimension + i];
        assert(root > 0.0);
        const double next = product * root;
        if (next > 1e-300 && next < 1e300) {
            product = next;
        } else {
            sum += log(product) + log(root);
            product = 1.0;
        }
    }
    return 2.0 * (sum + log(product));
}

void lotor_factor_spread(const lotor_factor *factor, const double *z, double *x)
{
    const size_t d = factor->dimension;
    memmove(x, z, d * sizeof *x);
    for (size_t i = d; i-- > 0;) {
        const double *row = factor->lower + i * d;
        x[i] *= factor->reciprocal[i];
        for (size_t j = 0; j < i; j++) {
            x[j] -= row[j] * x[i];
        }
    }
}

/* L y = b, then L' x = y. */
void lotor_factor_solve(const lotor_factor *factor, const double *b, double *x)
{
    const size_t d = factor->dimension;
    for (size_t i = 0; i < d; i++) {
        const double *row = factor->lower + i * d;
        double sum = b[i];
        for (size_t j = 0; j < i; j++) {
            sum -= row[j] * x[j];
        }
        x[i] = sum * factor->reciprocal[i];
    }
    lotor_factor_spread(factor, x, x);
}

/* sums[k] += weight * entries[k] */
static inline void add_scaled(double weight, const double *restrict entries, size_t count,
                              double *restrict sums)
{
    for (size_t k = 0; k < count; k++) {
        sums[k] += weight * entries[k];
    }
}

void lotor_factor_squares(lotor_factor *factor, const double *rows, size_t count, double *squares)
{
    assert(rows && squares);
    const size_t d = factor->dimension;
    double *restrict vectors = factor->vectors;
    double *restrict sums = squares;
    for (size_t j = 0; j < d; j++) {
        for (size_t i = 0; i < count; i++) {
            vectors[j * count + i] = rows[i * d + j];
        }
    }
    memset(sums, 0, count * sizeof *sums);
    for (size_t i = 0; i < d; i++) {
        const double *lower = factor->lower + i * d;
        double *entries = vectors + i * count;
        for (size_t j = 0; j < i; j++) {
            add_scaled(-lower[j], vectors + j * count, count, entries);
        }
        for (size_t k = 0; k < count; k++) {
            entries[k] *= factor->reciprocal[i];
            sums[k] += entries[k] * entries[k];
        }
    }
}
