/* matrix_plan.c - chooses the unit and the noise of a matrix tree (matrix_plan.h; matrix.md has the
 * proofs). */
#include "privacy/release/matrix_plan.h"

#include <inttypes.h>
#include <math.h>

#include <lotor/account.h>

#include "base/message.h"
#include "base/ratio.h"
#include "privacy/release/tree.h"

enum { FINEST = -20, COARSEST_BITS = 10, LARGEST_SIZE = 4097 };
static const double LEAST_BOUND = 0x1p-5, MOST_BOUND = 0x1p64;
static const double SLACK = 1.0 + 1e-12; /* more than the rounding errors of one expression */

/* The noise in the unit of the entries, before it is rounded up to whole units. */
typedef struct noise_need {
    double printed; /* the sigma of the paper; 0: take only what is proved */
    double rho;     /* what zCDP may spend; INFINITY: no noise */
    double lab;     /* a factor on the noise: 1, unless the lab scales the noise */
} noise_need;

double lotor_matrix_sensitivity(size_t size, double bound, double unit)
{
    return (sqrt(2.0) * bound * bound / unit + 2.0 * (double)size) * SLACK;
}

lotor_status lotor_matrix_check(const lotor_matrix_params *params, lotor_message *why)
{
    if ((unsigned)params->kind > LOTOR_MATRIX_SEPARATE) {
        return lotor_fail(LOTOR_INVALID, why, "no matrix statistic has number %u",
                          (unsigned)params->kind);
    }
    if (params->size < 2 || params->size > LARGEST_SIZE) {
        return lotor_fail(LOTOR_INVALID, why, "a matrix of %zu rows: expected from 2 to %d",
                          params->size, LARGEST_SIZE);
    }
    if (params->horizon == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the horizon is 0: give the largest number of rounds");
    }
    if (!(params->bound >= LEAST_BOUND && params->bound <= MOST_BOUND)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "contexts and rewards of length up to %g: expected from %g to %g; scale "
                          "your contexts",
                          params->bound, LEAST_BOUND, MOST_BOUND);
    }
    if (params->kind == LOTOR_MATRIX_EXACT || lotor_ratio_is_infinite(params->epsilon)) {
        return LOTOR_OK;
    }
    if (params->epsilon.num == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "epsilon must be above 0: at 0 nothing could be released");
    }
    if (params->delta.num == 0 || params->delta.num >= params->delta.den) {
        return lotor_fail(LOTOR_INVALID, why,
                          "delta is %g: the %s needs one above 0 and below 1, such as 1e-5",
                          lotor_ratio_to_double(params->delta), lotor_matrix_name(params->kind));
    }
    return LOTOR_OK;
}

lotor_status lotor_matrix_rho(const lotor_matrix_params *params, lotor_message *why, double *rho,
                              double *lab)
{
    *lab = params->noise_scale == 0.0 ? 1.0 : params->noise_scale;
    *rho = INFINITY;
    if (lotor_ratio_is_infinite(params->epsilon)) {
        return LOTOR_OK;
    }
    const lotor_budget budget = {lotor_ratio_double_below(params->epsilon) * *lab,
                                 lotor_ratio_double_below(params->delta)};
    return lotor_account_zcdp_rho(budget, why, rho);
}

/* Shariff and Sheffet 2018, 4.2: sigma^2 = 16 m bound^4 log^2(4/delta) / epsilon^2. */
static lotor_status need_gaussian(const lotor_matrix_params *params, unsigned levels,
                                  lotor_message *why, noise_need *need)
{
    const lotor_budget budget = {lotor_ratio_double_below(params->epsilon),
                                 lotor_ratio_double_below(params->delta)};
    need->printed = 4.0 * sqrt((double)levels) * params->bound * params->bound *
                    log(4.0 / budget.delta) / budget.epsilon;
    return lotor_account_zcdp_rho(budget, why, &need->rho);
}

/* Shariff and Sheffet 2018, 4.1: k = d + 1 + ceil(224 m epsilon^-2 log(8m/delta) log(2/delta)). */
static double wishart_degrees(const lotor_matrix_params *params, unsigned levels)
{
    const double epsilon = lotor_ratio_double_below(params->epsilon);
    const double delta = lotor_ratio_double_below(params->delta);
    const double m = (double)levels;
    return (double)params->size +
           ceil(SLACK * 224.0 * m / (epsilon * epsilon) * log(8.0 * m / delta) * log(2.0 / delta));
}

/* sigma off the diagonal, in units: the larger of the paper's sigma, if any, and of what zCDP
 * needs. */
static double scale_in_units(const lotor_matrix_params *params, unsigned levels,
                             const noise_need *need, double unit)
{
    const double sensitivity = lotor_matrix_sensitivity(params->size, params->bound, unit);
    const double proved = sensitivity * sqrt((double)levels / (4.0 * need->rho)) * need->lab;
    return ceil(fmax(need->printed / unit, proved) * SLACK);
}

/* Fills in the scales for a unit. Returns false if sums or noise could exceed 2^62: half of that is
 * for the sums, half for the noise. (A Gaussian exceeds 64 scales with a probability far below
 * e^-64. A chi-square of k degrees exceeds 2k + 192 with a probability below e^-64.) An entry has
 * at most 2^50 units, so the error of a product of two doubles is at most an eighth of a unit. */
static bool fits(const lotor_matrix_params *params, const noise_need *need, double unit,
                 lotor_matrix_plan *plan)
{
    const double room = 0x1p61, m = (double)plan->levels;
    const double entry = params->bound * params->bound / unit;
    double noise = 0.0, widest = 0.0;
    plan->unit = unit;
    if (!isinf(need->rho)) {
        const double scale = scale_in_units(params, plan->levels, need, unit);
        widest = ceil(sqrt(2.0) * scale * SLACK);
        noise = 64.0 * m * widest;
        if (!(noise <= room)) {
            return false;
        }
        plan->off_diagonal = (uint64_t)scale;
        plan->diagonal = (uint64_t)widest;
    } else if (plan->degrees > 0.0) {
        noise = m * (2.0 * plan->degrees + 192.0) * entry;
    }
    return entry <= 0x1p50 && (entry + 1.0) * (double)params->horizon <= room && noise <= room &&
           widest <= (double)lotor_noise_largest_scale(LOTOR_LAW_GAUSSIAN);
}

lotor_status lotor_matrix_plan_make(const lotor_matrix_params *params, lotor_message *why,
                                    lotor_matrix_plan *plan)
{
    *plan = (lotor_matrix_plan){0};
    lotor_status status = lotor_matrix_check(params, why);
    if (status != LOTOR_OK) {
        return status;
    }
    const uint64_t n = params->horizon;
    const bool tight = params->kind == LOTOR_MATRIX_TIGHT;
    plan->levels = lotor_tree_levels(n) + (!tight && (n & (n - 1)) != 0 ? 1U : 0U);
    const bool noisy =
        params->kind != LOTOR_MATRIX_EXACT && !lotor_ratio_is_infinite(params->epsilon);
    noise_need need = {.rho = INFINITY, .lab = 1.0};
    if (noisy && tight) {
        status = lotor_matrix_rho(params, why, &need.rho, &need.lab);
    } else if (noisy && params->kind == LOTOR_MATRIX_GAUSSIAN) {
        status = need_gaussian(params, plan->levels, why, &need);
    } else if (noisy) {
        plan->degrees = wishart_degrees(params, plan->levels);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const double coarsest = ldexp(params->bound * params->bound, -COARSEST_BITS);
    for (double unit = ldexp(1.0, FINEST); unit <= coarsest; unit *= 2.0) {
        if (fits(params, &need, unit, plan)) {
            return LOTOR_OK;
        }
    }
    return lotor_fail(LOTOR_OVERFLOW, why,
                      "%" PRIu64 " rounds at epsilon %g: sums or noise could pass 64 bits; use a "
                      "shorter horizon or a larger epsilon",
                      n, noisy ? lotor_ratio_to_double(params->epsilon) : INFINITY);
}
