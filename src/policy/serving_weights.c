/* serving_weights.c - the weights of a linear learner with confidence intervals (serving.h).
 *
 * It uses only the released matrices and public parameters, so it is post-processing.
 * serving_weights.md says what the intervals mean.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "policy/policy.h"

/* The interval theta +- width, cut to [-longest, longest]. */
static lotor_estimate cut(double theta, double width, double longest)
{
    if (!isfinite(width)) {
        return (lotor_estimate){theta, -INFINITY, INFINITY};
    }
    lotor_estimate out = {fmin(fmax(theta, -longest), longest),
                          fmin(fmax(theta - width, -longest), longest),
                          fmin(fmax(theta + width, -longest), longest)};
    assert(out.low <= out.mean && out.mean <= out.high);
    return out;
}

bool lotor_policy_weights(const lotor_policy *policy, lotor_estimate *out)
{
    if (!policy->linear) {
        return false;
    }
    const size_t dimension = policy->params.dimension;
    double *const theta = calloc(2 * dimension, sizeof *theta);
    if (!theta) {
        return false;
    }
    double *const widths = theta + dimension;
    const bool has = lotor_linear_weights(policy->linear, policy->board, theta, widths);
    for (size_t i = 0; has && i < dimension; i++) {
        out[i] = cut(theta[i], widths[i], policy->params.theta_length);
    }
    free(theta);
    return has;
}
