/* statistic_reports.c - running sums: of exact values, and of reports that each have their own
 * noise.
 *
 * A round moves the fed values by at most l1 in L1 and l2 in L2, over all arms together.
 *
 *   exact      no noise.
 *   reports    every value is in one report: noise l1 / epsilon.
 *
 * Two more are as Wang et al. 2022 print them; nothing is proved for them here (docs/errata.md):
 *
 *   Gaussian   l2 sqrt(2 log(1.25/delta)) / epsilon      (Algorithms 3 and 4)
 *   composed   l2 sqrt(4 log(e + epsilon/delta)) / epsilon      (Theorem 8)
 */
#include <math.h>

#include "base/message.h"
#include "base/ratio.h"
#include "privacy/release/statistic_kind.h"

/* l2 * factor / epsilon, rounded up. */
static lotor_status printed_scale(const lotor_release_params *params, lotor_law law, double factor,
                                  lotor_message *why, uint64_t *scale)
{
    const double wanted =
        ceil((double)params->l2 * factor / lotor_ratio_to_double(params->epsilon));
    if (!(wanted <= (double)lotor_noise_largest_scale(law))) {
        return lotor_fail(LOTOR_OVERFLOW, why,
                          "epsilon %g is too small for this range: the noise would not fit in 64 "
                          "bits; use a larger epsilon",
                          lotor_ratio_to_double(params->epsilon));
    }
    *scale = wanted > 1.0 ? (uint64_t)wanted : 1;
    return LOTOR_OK;
}

/* Reads delta, rounded down, for the two printed calibrations. */
static lotor_status read_delta(const lotor_release_params *params, lotor_message *why,
                               double *delta)
{
    if (params->delta.num == 0 || params->delta.num >= params->delta.den) {
        return lotor_fail(LOTOR_INVALID, why, "delta must lie between 0 and 1, not %g",
                          lotor_ratio_to_double(params->delta));
    }
    *delta = lotor_ratio_double_below(params->delta);
    return LOTOR_OK;
}

/* Checks that running sums of reports fit. The noise in a sum of n reports is worth about sqrt(n)
 * draws: a sum of n draws exceeds 64 sqrt(n) scales with probability below e^-32. */
static lotor_status check_sums(const lotor_release_params *params, uint64_t scale,
                               lotor_message *why, uint64_t *horizon)
{
    const double reports = params->horizon ? (double)params->horizon : 0x1p32;
    return lotor_release_fits(params, scale, (uint64_t)ceil(sqrt(reports)), why, horizon);
}

static lotor_status plan_reports(const lotor_release_params *params, lotor_message *why,
                                 uint64_t *scale, uint64_t *horizon)
{
    const lotor_status status = lotor_release_scale(params, LOTOR_LAW_LAPLACE, 1, why, scale);
    return status == LOTOR_OK ? check_sums(params, *scale, why, horizon) : status;
}

static lotor_status plan_gaussian(const lotor_release_params *params, lotor_message *why,
                                  uint64_t *scale, uint64_t *horizon)
{
    *scale = 0;
    double delta;
    lotor_status status = read_delta(params, why, &delta);
    if (status == LOTOR_OK && !lotor_ratio_is_infinite(params->epsilon)) {
        status =
            printed_scale(params, LOTOR_LAW_GAUSSIAN, sqrt(2.0 * log(1.25 / delta)), why, scale);
    }
    return status == LOTOR_OK ? check_sums(params, *scale, why, horizon) : status;
}

static lotor_status plan_composed(const lotor_release_params *params, lotor_message *why,
                                  uint64_t *scale, uint64_t *horizon)
{
    *scale = 0;
    double delta;
    lotor_status status = read_delta(params, why, &delta);
    if (status == LOTOR_OK && !lotor_ratio_is_infinite(params->epsilon)) {
        const double lab = params->noise_scale == 0.0 ? 1.0 : params->noise_scale;
        const double nominal = lotor_ratio_to_double(params->epsilon) * lab;
        status = printed_scale(params, LOTOR_LAW_LAPLACE,
                               sqrt(4.0 * log(exp(1.0) + nominal / delta)), why, scale);
    }
    return status == LOTOR_OK ? check_sums(params, *scale, why, horizon) : status;
}

static lotor_status insert_exact(const lotor_statistic *statistic, lotor_statistic_part *arm,
                                 const int64_t *sum, uint64_t rounds, lotor_noise *noise, bool *due)
{
    (void)statistic;
    (void)noise;
    (void)due;
    if (__builtin_add_overflow(arm->sum, *sum, &arm->sum)) { /* only sums of weighted rewards can */
        arm->sum = *sum > 0 ? INT64_MAX : INT64_MIN;
    }
    arm->count += rounds;
    return LOTOR_OK;
}

static lotor_status insert_report(const lotor_statistic *statistic, lotor_statistic_part *arm,
                                  const int64_t *sum, uint64_t rounds, lotor_noise *noise,
                                  bool *due)
{
    (void)due;
    int64_t report = *sum;
    const lotor_status status =
        lotor_noise_add_one(noise, statistic->kind->law, statistic->scale, &report);
    if (status == LOTOR_OK) {
        arm->sum = lotor_release_plus(arm->sum, report);
        arm->count += rounds;
    }
    return status;
}

static lotor_status post(const lotor_statistic *statistic, size_t arm, lotor_board *board)
{
    const lotor_statistic_part *part = &statistic->parts[arm];
    return lotor_statistic_post(statistic, 0, arm, part->sum, part->count, board);
}

const lotor_statistic_kind lotor_statistic_exact = {
    .name = "exact",
    .noise = "discrete Laplace",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_EXACT, LOTOR_MODEL_NONE, 0, NULL},
    .is_at_once = true,
    .plan = lotor_statistic_plan_none,
    .insert = insert_exact,
    .post = post,
};

const lotor_statistic_kind lotor_statistic_reports = {
    .name = "Laplace reports",
    .noise = "discrete Laplace",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_LAPLACE, LOTOR_MODEL_LOCAL, LOTOR_CLAIM_REWARDS, NULL},
    .is_at_once = true,
    .report = LOTOR_REPORT_LAPLACE,
    .plan = plan_reports,
    .insert = insert_report,
    .post = post,
};

const lotor_statistic_kind lotor_statistic_reports_gaussian = {
    .name = "Gaussian reports",
    .noise = "discrete Gaussian",
    .law = LOTOR_LAW_GAUSSIAN,
    .claim = {LOTOR_MECHANISM_PRINTED, LOTOR_MODEL_LOCAL, LOTOR_CLAIM_REWARDS,
              "its sigma is proved for epsilon up to 1 only"},
    .is_at_once = true,
    .plan = plan_gaussian,
    .insert = insert_report,
    .post = post,
};

const lotor_statistic_kind lotor_statistic_reports_composed = {
    .name = "Laplace reports",
    .noise = "discrete Laplace",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_PRINTED, LOTOR_MODEL_LOCAL, LOTOR_CLAIM_REWARDS,
              "its noise is proved for epsilon up to 0.9 only"},
    .is_at_once = true,
    .plan = plan_composed,
    .insert = insert_report,
    .post = post,
};
