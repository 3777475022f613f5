/* serving_estimate.c - estimates the mean of an arm from its releases, with a confidence interval
 * (serving.h).
 *
 * It uses only public numbers: released sums, numbers of displays, the number of draws of noise in
 * a sum, and the scale of the noise. serving_estimate.md has the derivation.
 */
#include <assert.h>
#include <math.h>

#include "policy/policy.h"

/* The probability that a 95% interval does not contain the mean. */
static const double miss = 0.05;

void lotor_policy_estimator(const lotor_policy *policy, lotor_estimator *out)
{
    *out = (lotor_estimator){.kind = LOTOR_ESTIMATE_NONE,
                             .low = policy->params.low,
                             .high = policy->params.high,
                             .scale = 1.0};
    if (policy->linear || !policy->statistic || lotor_policy_has_weights(policy->algorithm)) {
        return;
    }
    out->noise = lotor_statistic_noise(policy->statistic);
    const lotor_statistic_kind *kind = policy->algorithm->statistic;
    switch (kind->report) {
    case LOTOR_REPORT_LAPLACE:
        out->kind = LOTOR_ESTIMATE_NOISY_REPORTS;
        break;
    case LOTOR_REPORT_BIT: /* a bit is 1 with probability lie + (1 - 2 lie) x */
        out->kind = LOTOR_ESTIMATE_BITS;
        out->scale = 1.0 / (1.0 - 2.0 * out->noise);
        break;
    case LOTOR_REPORT_CUBE:
        out->kind = LOTOR_ESTIMATE_COINS;
        out->scale = lotor_statistic_spread(policy->statistic);
        break;
    case LOTOR_REPORT_POSITION:
        out->kind = LOTOR_ESTIMATE_CLICK_COINS;
        out->scale = lotor_statistic_spread(policy->statistic);
        break;
    case LOTOR_REPORT_NONE:
        out->kind = kind->keeps_batches ? LOTOR_ESTIMATE_ADDED
                    : kind->hears_lists ? LOTOR_ESTIMATE_CLICKS
                                        : LOTOR_ESTIMATE_LATEST;
        break;
    }
}

void lotor_estimator_add(const lotor_estimator *estimator, const lotor_arm_fact *fact,
                         lotor_arm_sums *reading)
{
    if (estimator->kind == LOTOR_ESTIMATE_ADDED) { /* each batch stays on the board: add them up */
        reading->value += fact->value;
        reading->count += fact->count;
        reading->draws++;
    } else if (fact->statistic == 0) {
        reading->value = fact->value;
        reading->count = fact->count;
        reading->draws = estimator->kind == LOTOR_ESTIMATE_NOISY_REPORTS ? fact->count : 1;
    } else {
        reading->observed = fact->value;
    }
}

void lotor_policy_arm_sums(const lotor_policy *policy, const lotor_estimator *estimator, size_t arm,
                           lotor_arm_sums *out)
{
    *out = (lotor_arm_sums){0};
    if (estimator->kind == LOTOR_ESTIMATE_NONE || arm >= policy->params.arms) {
        return;
    }
    for (size_t s = 0; s < policy->board->statistics; s++) {
        const lotor_fact *fact = lotor_board_at(policy->board, s, arm);
        if (fact->time == 0) {
            break;
        }
        lotor_estimator_add(estimator,
                            &(lotor_arm_fact){s, arm, fact->value, fact->count, fact->time}, out);
    }
}

static bool is_ratio(const lotor_estimator *estimator)
{
    return estimator->kind == LOTOR_ESTIMATE_CLICKS ||
           estimator->kind == LOTOR_ESTIMATE_CLICK_COINS;
}

static double mean_of(const lotor_estimator *estimator, const lotor_arm_sums *reading)
{
    if (is_ratio(estimator)) { /* clicks divided by observations */
        return reading->observed > 0.0 ? fmin(fmax(reading->value / reading->observed, 0.0), 1.0)
                                       : 0.0;
    }
    const double mean = reading->value / (double)reading->count;
    return estimator->kind != LOTOR_ESTIMATE_BITS
               ? mean
               : estimator->low + (estimator->high - estimator->low) * (mean - estimator->noise) *
                                      estimator->scale;
}

/* How far the average of `count` numbers, each within `width`, can be from its expectation, except
 * with probability `failing` (Hoeffding; Azuma if lists change). */
static double spread_of(double width, uint64_t count, double failing)
{
    return width * sqrt(log(2.0 / failing) / (2.0 * (double)count));
}

/* The same for the sum of `draws` Laplace numbers of scale `noise` (Chernoff,
 * serving_estimate.md). */
static double tail_of(double noise, uint64_t draws, double failing)
{
    assert(failing > 0.0 && failing < 1.0);
    const double needed = log(2.0 / failing);
    const double u = sqrt(needed / (needed + (double)draws));
    return noise * (needed - (double)draws * log1p(-u * u)) / u;
}

/* Bounds the ratio of two averages, each of which is within `far` of its expectation. */
static void bound_ratio(const lotor_arm_sums *reading, double far, lotor_estimate *out)
{
    const double clicked = reading->value / (double)reading->count;
    const double observed = reading->observed / (double)reading->count;
    out->low = fmax(clicked - far, 0.0) / fmax(observed + far, 1e-12);
    out->high = observed - far > 0.0 ? (clicked + far) / (observed - far) : 1.0;
}

bool lotor_estimate_of(const lotor_estimator *estimator, const lotor_arm_sums *reading,
                       lotor_estimate *out)
{
    if (estimator->kind == LOTOR_ESTIMATE_NONE || reading->count == 0) {
        return false;
    }
    const double n = (double)reading->count;
    const double width = (estimator->high - estimator->low) * estimator->scale;
    double far;
    out->mean = mean_of(estimator, reading);
    switch (estimator->kind) {
    case LOTOR_ESTIMATE_BITS:
    case LOTOR_ESTIMATE_COINS: /* the width includes the randomness of the reports */
        far = spread_of(width, reading->count, miss);
        break;
    case LOTOR_ESTIMATE_CLICK_COINS:
        bound_ratio(reading, spread_of(estimator->scale, reading->count, miss / 2), out);
        far = -1.0;
        break;
    case LOTOR_ESTIMATE_CLICKS:
        bound_ratio(reading,
                    spread_of(1.0, reading->count, miss / 4) +
                        tail_of(estimator->noise, 1, miss / 4) / n,
                    out);
        far = -1.0;
        break;
    default:
        far = spread_of(width, reading->count, miss / 2) +
              tail_of(estimator->noise, reading->draws, miss / 2) / n;
    }
    if (far >= 0.0) {
        out->low = out->mean - far;
        out->high = out->mean + far;
    }
    const double least = is_ratio(estimator) ? 0.0 : estimator->low;
    const double most = is_ratio(estimator) ? 1.0 : estimator->high;
    out->low = fmin(fmax(out->low, least), most);
    out->high = fmax(fmin(out->high, most), least);
    /* Noise can carry the mean out of the range of rewards, and so out of the interval. */
    out->mean = fmin(fmax(out->mean, out->low), out->high);
    assert(least <= out->low && out->low <= out->high && out->high <= most);
    return true;
}
