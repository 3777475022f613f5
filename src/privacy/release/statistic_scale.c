/* statistic_scale.c - how much noise each kind of statistic adds: see statistic.h.
 *
 * A round moves the fed values by at most l1 in L1 and l2 in L2, over all arms together.
 *
 *   tree         every value is in at most `levels` nodes of its arm's tree: l1 levels / epsilon.
 *   doubling     every value is in one batch: l1 / epsilon.
 *   reports      every value is in one report: l1 / epsilon.
 *   vector tree  every round is in at most `levels` nodes: l1 levels / epsilon; Chen et al. 2020
 *                print 2 log T for the levels, which is more from T = 5 on.
 *   tight tree   the same with the levels that the tree has, floor(log2 T) + 1.
 *   hybrid       see hybrid.c.
 *   growing      every value is in one batch: l1 / epsilon.
 *   episodes     every value is in one batch: l1 / epsilon.
 *   bits         no noise is added, bits lie instead: local/bit.c.
 *   click batches  every bit is in one batch: l1 / epsilon (rounds_batches.c).
 *   click and cube reports  no scale: their coins are the noise (local/position.md, local/cube.md).
 *
 * Two are as Wang et al. 2022 print them, and prove nothing here (docs/errata.md):
 *
 *   Gaussian     l2 sqrt(2 log(1.25/delta)) / epsilon      (Algorithms 3 and 4)
 *   composed     l2 sqrt(4 log(e + epsilon/delta)) / epsilon      (Theorem 8)
 */
#include <math.h>

#include "base/message.h"
#include "base/ratio.h"
#include "privacy/release/statistic.h"
#include "privacy/release/tree.h"

/* ceil(log2 horizon) + 1, the number of levels that Sajed 2019, Algorithm 5 calibrates for. The
 * tree has floor(log2 horizon) + 1 levels, which is never more. */
static uint64_t printed_levels(uint64_t horizon)
{
    return lotor_tree_levels(horizon) + ((horizon & (horizon - 1)) != 0 ? 1U : 0U);
}

/* l1 times max(2 log T, levels), rounded up to whole units. */
static uint64_t vector_l1(const lotor_release_params *params)
{
    const double levels = (double)lotor_tree_levels(params->horizon);
    const double factor = fmax(2.0 * log((double)params->horizon), levels);
    const double l1 = ceil((double)params->l1 * factor);
    return l1 < 0x1p62 ? (uint64_t)l1 : UINT64_C(1) << 62;
}

/* l2 * factor / epsilon, rounded up. */
static lotor_status printed_scale(const lotor_release_params *params, lotor_law law, double factor,
                                  lotor_message *why, uint64_t *scale)
{
    const double wanted = ceil((double)params->l2 * factor / lotor_ratio_double(params->epsilon));
    if (!(wanted <= (double)lotor_noise_largest_scale(law))) {
        return lotor_fail(LOTOR_OVERFLOW, why,
                          "epsilon %g is too small for this range: the noise would not fit in 64 "
                          "bits; use a larger epsilon",
                          lotor_ratio_double(params->epsilon));
    }
    *scale = wanted > 1.0 ? (uint64_t)wanted : 1;
    return LOTOR_OK;
}

static lotor_status plan_printed(lotor_statistic_kind kind, const lotor_release_params *params,
                                 lotor_message *why, uint64_t *scale)
{
    if (params->delta.num == 0 || params->delta.num >= params->delta.den) {
        return lotor_fail(LOTOR_INVALID, why, "delta must lie between 0 and 1, not %g",
                          lotor_ratio_double(params->delta));
    }
    const double delta = lotor_ratio_double_below(params->delta);
    *scale = 0;
    if (lotor_ratio_is_infinite(params->epsilon)) {
        return LOTOR_OK;
    }
    if (kind == LOTOR_STATISTIC_REPORTS_GAUSSIAN) {
        return printed_scale(params, LOTOR_LAW_GAUSSIAN, sqrt(2.0 * log(1.25 / delta)), why, scale);
    }
    const double lab = params->noise_scale == 0.0 ? 1.0 : params->noise_scale;
    const double nominal = lotor_ratio_double(params->epsilon) * lab;
    return printed_scale(params, LOTOR_LAW_LAPLACE, sqrt(4.0 * log(exp(1.0) + nominal / delta)),
                         why, scale);
}

/* About how many draws of one scale the noise in a running sum of reports is worth: the root of
 * their number (a sum of n draws passes 64 sqrt(n) scales with probability below e^-32). */
static uint64_t report_noises(const lotor_release_params *params)
{
    const double reports = params->horizon ? (double)params->horizon : 0x1p32;
    return (uint64_t)ceil(sqrt(reports));
}

lotor_status lotor_statistic_plan(lotor_statistic_kind kind, const lotor_release_params *params,
                                  lotor_message *why, uint64_t *scale, uint64_t *horizon)
{
    *scale = 0;
    lotor_status status = LOTOR_OK;
    uint64_t noises = 1;
    lotor_release_params spread = *params;
    switch (kind) {
    case LOTOR_STATISTIC_EXACT:
    case LOTOR_STATISTIC_BITS:
        break;
    case LOTOR_STATISTIC_TREE:
        noises = printed_levels(params->horizon);
        status = lotor_release_scale(params, LOTOR_LAW_LAPLACE, noises, why, scale);
        break;
    case LOTOR_STATISTIC_TREE_TIGHT:
        noises = lotor_tree_levels(params->horizon);
        status = lotor_release_scale(params, LOTOR_LAW_LAPLACE, noises, why, scale);
        break;
    case LOTOR_STATISTIC_CLICK_REPORTS:
    case LOTOR_STATISTIC_CUBE_REPORTS:
        break;
    case LOTOR_STATISTIC_VECTOR_TREE:
        noises = lotor_tree_levels(params->horizon);
        spread.l1 = vector_l1(params);
        status = lotor_release_scale(&spread, LOTOR_LAW_LAPLACE, 1, why, scale);
        break;
    case LOTOR_STATISTIC_DOUBLING:
    case LOTOR_STATISTIC_GROWING:
    case LOTOR_STATISTIC_EPISODES:
    case LOTOR_STATISTIC_CLICK_BATCHES:
        status = lotor_release_scale(params, LOTOR_LAW_LAPLACE, 1, why, scale);
        break;
    case LOTOR_STATISTIC_HYBRID: /* that of a block; hybrid.c checks the rest */
        status = lotor_release_scale(params, LOTOR_LAW_LAPLACE, 2, why, scale);
        break;
    case LOTOR_STATISTIC_REPORTS:
        noises = report_noises(params);
        status = lotor_release_scale(params, LOTOR_LAW_LAPLACE, 1, why, scale);
        break;
    case LOTOR_STATISTIC_REPORTS_GAUSSIAN:
    case LOTOR_STATISTIC_REPORTS_COMPOSED:
        noises = report_noises(params);
        status = plan_printed(kind, params, why, scale);
        break;
    }
    return status == LOTOR_OK ? lotor_release_fits(params, *scale, noises, why, horizon) : status;
}
