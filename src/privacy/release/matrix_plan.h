/* matrix_plan.h - how fine a matrix statistic counts, and how much noise it needs.
 *
 * All of it is public: it depends on the parameters alone, never on data.
 */
#ifndef LOTOR_PRIVACY_RELEASE_MATRIX_PLAN_H
#define LOTOR_PRIVACY_RELEASE_MATRIX_PLAN_H

#include "privacy/release/matrix.h"

typedef struct lotor_matrix_plan {
    unsigned levels;                 /* m = 1 + ceil(log2 horizon); tight: floor */
    double unit;                     /* a power of two: entries are whole multiples of it */
    uint64_t off_diagonal, diagonal; /* gaussian: scales of a node's entries, in units; 0: none */
    double degrees;                  /* wishart: k; 0: none */
} lotor_matrix_plan;

/* How far replacing one round moves the rounded matrix, at most: Frobenius norm, in units. */
double lotor_matrix_sensitivity(size_t size, double bound, double unit);

/* Whether the parameters make sense, for every kind. */
lotor_status lotor_matrix_check(const lotor_matrix_params *params, lotor_message *why);

/* The largest rho with which zCDP proves the budget (INFINITY: no noise is needed), and in *lab the
 * factor of the noise: 1, but for a lab that scales it. There rho is that of the nominal epsilon. */
lotor_status lotor_matrix_rho(const lotor_matrix_params *params, lotor_message *why, double *rho,
                              double *lab);

/* The statuses of lotor_matrix_new, but for LOTOR_MEMORY. Not for batches: matrix_batch.h. */
lotor_status lotor_matrix_plan_make(const lotor_matrix_params *params, lotor_message *why,
                                    lotor_matrix_plan *plan);

#endif
