/* matrix_plan.h - the unit in which a matrix statistic counts, and the noise that it needs.
 *
 * All of it is public: it depends only on the parameters, never on data.
 */
#ifndef LOTOR_PRIVACY_RELEASE_MATRIX_PLAN_H
#define LOTOR_PRIVACY_RELEASE_MATRIX_PLAN_H

#include "privacy/release/matrix.h"

typedef struct lotor_matrix_plan {
    unsigned levels; /* m = 1 + ceil(log2 horizon); tight: floor in place of ceil */
    double unit;     /* a power of two: entries are whole multiples of it */
    uint64_t off_diagonal,
        diagonal;   /* gaussian: noise scales of a node's entries, in units; 0: none */
    double degrees; /* wishart: k; 0: none */
} lotor_matrix_plan;

/* The most by which replacing one round moves the rounded matrix: Frobenius norm, in units. */
double lotor_matrix_sensitivity(size_t size, double bound, double unit);

/* Checks the parameters of all kinds. */
lotor_status lotor_matrix_check(const lotor_matrix_params *params, lotor_message *why);

/* The largest rho for which rho-zCDP implies the budget, by lotor_account_zcdp_rho (INFINITY: no
 * noise is needed). The number *lab is a factor on the noise: 1, unless the lab scales the noise;
 * then rho is that of the nominal epsilon. */
lotor_status lotor_matrix_rho(const lotor_matrix_params *params, lotor_message *why, double *rho,
                              double *lab);

/* The statuses of lotor_matrix_new, except LOTOR_MEMORY. Not for batches, which are in
 * matrix_batch.h. */
lotor_status lotor_matrix_plan_make(const lotor_matrix_params *params, lotor_message *why,
                                    lotor_matrix_plan *plan);

#endif
