/* matrix_batch_plan.c - chooses the units, the noise and the release times of matrix batches
 * (matrix_batch.h; matrix_batch.md has the proofs). */
#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "base/message.h"
#include "base/ratio.h"
#include "privacy/release/matrix_batch.h"
#include "privacy/release/matrix_plan.h"

enum {
    FINEST_BITS = 30, /* L^2, and L B, have at least 2^bits units */
    COARSEST_BITS = 10,
    PLANNED_RELEASES = 16 /* the first batch is long enough for this many releases */
};
static const double LEAST_LENGTH = 0x1p-64, MOST_LENGTH = 0x1p64;
static const double SLACK = 1.0 + 1e-12; /* more than the rounding errors of one expression */
static const double NEVER = 0x1p60;      /* rounds: longer than any horizon that fits */

static lotor_status check(const lotor_matrix_params *params, lotor_message *why)
{
    const lotor_status status = lotor_matrix_check(params, why);
    if (status != LOTOR_OK) {
        return status;
    }
    const double lengths[] = {params->context, params->reward};
    for (size_t i = 0; i < 2; i++) {
        if (!(lengths[i] >= LEAST_LENGTH && lengths[i] <= MOST_LENGTH)) {
            return lotor_fail(
                LOTOR_INVALID, why, "%s of size up to %g: expected from %g to %g; scale them",
                i == 0 ? "contexts" : "rewards", lengths[i], LEAST_LENGTH, MOST_LENGTH);
        }
    }
    if (!(params->alpha > 0.0 && params->alpha < 1.0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a probability of failure of %g: expected one above 0 and below 1",
                          params->alpha);
    }
    return LOTOR_OK;
}

/* Computes the scales at the units of the plan, from A = 1/sqrt(2 rho):
 *
 *      off the diagonal 1.5 L^2 A, on it sqrt 2 times that, on x y 1.5 sqrt 2 L B A.
 *
 * Each is multiplied by a factor for rounding: the difference of two neighbouring sums is off by up
 * to 1 unit per entry, and 1 more unit covers the errors of doubles. */
static void scale(const lotor_matrix_params *params, double rho, double lab,
                  lotor_matrix_batch_plan *plan, double scales[3])
{
    const double d = (double)(params->size - 1), root_2 = sqrt(2.0);
    const double gram = params->context * params->context;
    const double response = params->context * params->reward;
    const double rounding =
        2.0 * (d * plan->gram_unit / gram + sqrt(d) * plan->response_unit / response) /
        (1.5 * root_2);
    const double a = lab / sqrt(2.0 * rho) * (1.0 + rounding) * SLACK;
    scales[0] = ceil(1.5 * gram / plan->gram_unit * a);
    scales[1] = ceil(root_2 * SLACK * scales[0]);
    scales[2] = ceil(1.5 * root_2 * response / plan->response_unit * a);
}

/* Fills in the units and the scales. Returns false if sums or noise could exceed 2^62: half of that
 * is for the sums, half for the noise of all releases. (A Gaussian exceeds 64 scales with a
 * probability far below e^-64.) */
static bool fits(const lotor_matrix_params *params, double rho, double lab, int bits,
                 lotor_matrix_batch_plan *plan)
{
    const double room = 0x1p61, most_releases = 64.0;
    plan->gram_unit = ldexp(1.0, ilogb(params->context * params->context) - bits);
    plan->response_unit = ldexp(1.0, ilogb(params->context * params->reward) - bits);
    if (!isinf(rho)) {
        double scales[3];
        scale(params, rho, lab, plan, scales);
        for (size_t i = 0; i < 3; i++) {
            if (!(64.0 * most_releases * scales[i] <= room &&
                  scales[i] <= (double)lotor_noise_largest_scale(LOTOR_LAW_GAUSSIAN))) {
                return false;
            }
        }
        plan->off_diagonal = (uint64_t)scales[0];
        plan->diagonal = (uint64_t)scales[1];
        plan->response = (uint64_t)scales[2];
    }
    plan->largest = (UINT64_C(1) << (bits + 1)) + 1; /* L^2 and L B are below 2^(bits + 1) units */
    return (double)plan->largest * (double)params->horizon <= room;
}

/* Half of the least first batch. For a running sum it is Y/L^2: Y bounds the noise of one release
 * if 16 are planned. So the first batch is long enough to contain more than its noise. Separate
 * batches are weighed one by one, so they may be shorter: 0.75 d s, where s is the deviation of
 * (noise on x y) - (noise on x x') theta in one entry, for L = B = |theta| = 1. */
static double half_of_first(const lotor_matrix_params *params, const lotor_matrix_batch_plan *plan)
{
    const double d = (double)(params->size - 1);
    const double sigma =
        (double)plan->off_diagonal * plan->gram_unit / (params->context * params->context);
    if (params->kind == LOTOR_MATRIX_SEPARATE) {
        const double response =
            (double)plan->response * plan->response_unit / (params->context * params->reward);
        return 0.75 * d * sqrt(response * response + sigma * sigma * (1.0 + 1.0 / d));
    }
    const double odds = log(8.0 * (double)PLANNED_RELEASES / params->alpha);
    return sigma * 2.0 * (sqrt(d) + sqrt(odds));
}

/* n0 is twice the least power of two that is at least the half above. */
static void plan_times(const lotor_matrix_params *params, lotor_matrix_batch_plan *plan)
{
    const double bound = half_of_first(params, plan);
    double power = 1.0;
    while (power < bound && power < NEVER) {
        power *= 2.0;
    }
    plan->first = (uint64_t)(2.0 * power);
    plan->releases = 0;
    for (uint64_t t = plan->first; t <= params->horizon; t *= 2) { /* both are far below 2^63 */
        plan->last = t;
        plan->releases++;
    }
    plan->releases += plan->releases == 0;
    assert((plan->first & (plan->first - 1)) == 0 && plan->last <= params->horizon);
}

lotor_status lotor_matrix_batch_plan_make(const lotor_matrix_params *params, lotor_message *why,
                                          lotor_matrix_batch_plan *plan)
{
    *plan = (lotor_matrix_batch_plan){0};
    double rho, lab;
    lotor_status status = check(params, why);
    if (status == LOTOR_OK) {
        status = lotor_matrix_rho(params, why, &rho, &lab);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    for (int bits = FINEST_BITS; bits >= COARSEST_BITS; bits--) {
        if (fits(params, rho, lab, bits, plan)) {
            plan_times(params, plan);
            return LOTOR_OK;
        }
    }
    return lotor_fail(LOTOR_OVERFLOW, why,
                      "%" PRIu64 " rounds at epsilon %g: sums or noise could pass 64 bits; use a "
                      "shorter horizon or a larger epsilon",
                      params->horizon,
                      isinf(rho) ? INFINITY : lotor_ratio_to_double(params->epsilon));
}
