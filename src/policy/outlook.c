/* outlook.c - when the lift will be decided, from released sums (serving.h).
 *
 * It uses only released sums and public numbers, so it is post-processing. lift.md has the derivation.
 */
#include <assert.h>
#include <math.h>

#include "policy/serving.h"
#include "privacy/release/schedule.h"

/* The probability that a normal number with this mean and deviation is within [-x, x]. */
static double within(double x, double mean, double deviation)
{
    const double root = deviation * sqrt(2.0);
    return 0.5 * (erf((x - mean) / root) + erf((x + mean) / root));
}

/* The median of the absolute value of a normal number. */
static double median_size(double mean, double deviation)
{
    double low = 0.0, high = fabs(mean) + 2.0 * deviation; /* more than half is below `high` */
    for (int i = 0; i < 100; i++) {
        const double middle = low + (high - low) / 2.0;
        if (within(middle, mean, deviation) < 0.5) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

/* Sums of `count` rounds with this mean, as they will be released. In the local model a sum counts
 * bits: lift.md has the probability of a 1. */
static lotor_arm_sums later(const lotor_estimator *estimator, double mean, uint64_t count,
                            uint64_t draws)
{
    const double range = (estimator->high - estimator->low) * estimator->scale;
    const double each = estimator->kind == LOTOR_ESTIMATE_BITS
                            ? estimator->noise + (mean - estimator->low) / range
                            : mean;
    return (lotor_arm_sums){.value = each * (double)count, .count = count, .draws = draws};
}

bool lotor_outlook_of(const lotor_estimator *estimator, const lotor_arm_sums *measure,
                      const lotor_arm_sums *control, uint64_t most, lotor_outlook *out)
{
    lotor_lift lift;
    *out = (lotor_outlook){.count = measure->count};
    if (!lotor_lift_of(estimator, measure, control, &lift)) {
        return false;
    }
    if (lift.is_decided) {
        out->is_decided = true;
        return true;
    }
    const double width = estimator->high - estimator->low, typical = width / 20.0;
    const double difference = lift.measure.mean - lift.control.mean;
    const double trust = typical * typical / (typical * typical + lift.variance);
    out->typical = fmin(median_size(trust * difference, sqrt(trust * lift.variance)), width);
    /* The two means are moved to that difference, and their middle stays inside of the range. */
    const double half = out->typical / 2.0;
    const double middle =
        fmin(fmax((lift.measure.mean + lift.control.mean) / 2.0, estimator->low + half),
             estimator->high - half);
    uint64_t count = measure->count, draws = measure->draws;
    lotor_lift then = lift;
    while (!then.is_decided) {
        if (count >= most || count >= UINT64_C(1) << 61) {
            out->is_far = true;
            return true;
        }
        count = lotor_schedule_end(lotor_schedule_growing, count);
        draws++;
        const lotor_arm_sums more = later(estimator, middle + half, count, draws);
        const lotor_arm_sums less = later(estimator, middle - half, count, draws);
        if (!lotor_lift_of(estimator, &more, &less, &then)) {
            return false;
        }
    }
    out->is_far = count > most;
    out->count = count;
    assert(out->count > measure->count);
    return true;
}
