/* lift.c - how much better a policy is than its control, from released sums (serving.h).
 *
 * It uses only public numbers, so it is post-processing. lift.md has the derivation.
 */
#include <assert.h>
#include <math.h>

#include "policy/serving.h"

static const double two_sided = 1.959963984540054; /* the 97.5% quantile of a normal number */
static const double miss = 0.05; /* the probability that a rule or an interval is wrong */

/* A mean with the variance of its error. */
typedef struct mean_error {
    double mean, variance;
} mean_error;

/* Bits that may be lies are numbers in [0, 1] with an expectation in [lie, 1 - lie]. The mean of the
 * values follows from that of the bits, and the variance of the bits includes that of the lies. */
static mean_error mean_of_bits(const lotor_estimator *estimator, const lotor_arm_sums *sums)
{
    const double n = (double)sums->count, lie = estimator->noise;
    const double factor = (estimator->high - estimator->low) * estimator->scale;
    const double mean = fmin(fmax(sums->value / n, lie), 1.0 - lie);
    const double doubt = sqrt(0.25 / n) + 1.0 / n;
    const double from_middle = fmax(fabs(mean - 0.5) - doubt, 0.0);
    const double spread = fmax(0.25 - from_middle * from_middle, 0.0);
    return (mean_error){estimator->low + factor * (mean - lie), factor * factor * spread / n};
}

/* The variance of a number in [low, high] with this mean is at most (mean - low) (high - mean). The
 * mean is not known: it is moved to the middle by one standard error, and at least by 1/n. Each draw of
 * Laplace noise has the variance 2 noise^2. */
static mean_error mean_of_sums(const lotor_estimator *estimator, const lotor_arm_sums *sums)
{
    const double n = (double)sums->count, width = estimator->high - estimator->low;
    const double noise = 2.0 * (double)sums->draws * estimator->noise * estimator->noise / (n * n);
    const double middle = estimator->low + width / 2.0;
    /* Noise can carry the mean out of the range; the nearest number of the range is nearer to the truth. */
    const double mean = fmin(fmax(sums->value / n, estimator->low), estimator->high);
    const double doubt = sqrt(width * width / 4.0 / n + noise) + width / n;
    const double from_middle = fmax(fabs(mean - middle) - doubt, 0.0);
    const double spread = width * width / 4.0 - from_middle * from_middle;
    return (mean_error){mean, fmax(spread, 0.0) / n + noise};
}

static mean_error mean_of(const lotor_estimator *estimator, const lotor_arm_sums *sums)
{
    return estimator->kind == LOTOR_ESTIMATE_BITS ? mean_of_bits(estimator, sums)
                                                  : mean_of_sums(estimator, sums);
}

static lotor_estimate interval_of(double mean, double error, double low, double high)
{
    const double far = two_sided * error;
    lotor_estimate out = {fmin(fmax(mean, low), high), fmin(fmax(mean - far, low), high),
                          fmin(fmax(mean + far, low), high)};
    assert(out.low <= out.mean && out.mean <= out.high);
    return out;
}

/* Robbins' rule for a sequence of differences: reject "no difference" if the mixture of likelihood
 * ratios over differences with a normal law of standard deviation `typical` reaches 1/miss. */
static bool is_decided(double difference, double variance, double typical)
{
    const double ratio = typical * typical / variance; /* what is learnt, in units of the law */
    const double z2 = difference * difference / variance;
    return z2 * ratio / (1.0 + ratio) >= 2.0 * log(1.0 / miss) + log1p(ratio);
}

/* The ratio of two means, by the variance of policy - (1 + lift) control (Fieller). */
static bool relate(const mean_error *measure, const mean_error *control, lotor_estimate *out)
{
    const double z2 = two_sided * two_sided;
    const double a = control->mean * control->mean - z2 * control->variance;
    if (!(a > 0.0) || !(control->mean > 0.0)) {
        return false;
    }
    const double b = measure->mean * control->mean;
    const double c = measure->mean * measure->mean - z2 * measure->variance;
    const double root = sqrt(fmax(b * b - a * c, 0.0));
    *out = (lotor_estimate){measure->mean / control->mean - 1.0, (b - root) / a - 1.0,
                            (b + root) / a - 1.0};
    out->low = fmin(out->low, out->mean);
    out->high = fmax(out->high, out->mean);
    return isfinite(out->low) && isfinite(out->high);
}

bool lotor_lift_of(const lotor_estimator *estimator, const lotor_arm_sums *measure,
                   const lotor_arm_sums *control, lotor_lift *out)
{
    const bool is_known =
        estimator->kind == LOTOR_ESTIMATE_ADDED || estimator->kind == LOTOR_ESTIMATE_BITS;
    if (!is_known || !isfinite(estimator->scale) || measure->count == 0 || control->count == 0) {
        return false;
    }
    const double width = estimator->high - estimator->low;
    const mean_error shown = mean_of(estimator, measure), other = mean_of(estimator, control);
    const double variance = shown.variance + other.variance;
    const double difference = shown.mean - other.mean;
    *out = (lotor_lift){
        .measure = interval_of(shown.mean, sqrt(shown.variance), estimator->low, estimator->high),
        .control = interval_of(other.mean, sqrt(other.variance), estimator->low, estimator->high),
        .absolute = interval_of(difference, sqrt(variance), -width, width),
        .variance = variance,
        .is_decided = variance > 0.0 && is_decided(difference, variance, width / 20.0),
    };
    out->has_relative = relate(&shown, &other, &out->relative);
    return true;
}
