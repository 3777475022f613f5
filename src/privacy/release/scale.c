/* scale.c - computes how much noise a release needs (scale.h). */
#include "privacy/release/scale.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include <lotor/account.h>

#include "base/message.h"
#include "base/ratio.h"

static lotor_status gaussian_scale(const lotor_release_params *params, uint64_t parts,
                                   lotor_message *why, uint64_t *scale)
{
    const lotor_budget budget = {lotor_ratio_double_below(params->epsilon),
                                 lotor_ratio_double_below(params->delta)};
    double rho;
    const lotor_status status = lotor_account_zcdp_rho(budget, why, &rho);
    if (status != LOTOR_OK) {
        return status;
    }
    /* rho is rounded down; the factor covers the three rounding errors of this expression. */
    const double sigma = (double)params->l2 * sqrt((double)parts / (2.0 * rho)) * (1.0 + 1e-12);
    *scale = sigma < 0x1p62 ? (uint64_t)ceil(sigma) : UINT64_C(1) << 62;
    return LOTOR_OK;
}

lotor_status lotor_release_scale(const lotor_release_params *params, lotor_law law, uint64_t parts,
                                 lotor_message *why, uint64_t *scale)
{
    assert(parts > 0);
    *scale = 0;
    if (params->epsilon.num == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "epsilon must be above 0: at 0 nothing could be released");
    }
    if (lotor_ratio_is_infinite(params->epsilon)) {
        return LOTOR_OK;
    }
    lotor_status status = law == LOTOR_LAW_LAPLACE
                              ? lotor_ratio_ceil_product(params->l1, parts, params->epsilon, scale)
                              : gaussian_scale(params, parts, why, scale);
    if (status == LOTOR_OVERFLOW ||
        (status == LOTOR_OK && *scale > lotor_noise_largest_scale(law))) {
        return lotor_fail(LOTOR_OVERFLOW, why,
                          "epsilon %g is too small for this range: the noise would not fit in 64 "
                          "bits; use a larger epsilon or a narrower range",
                          lotor_ratio_to_double(params->epsilon));
    }
    if (status == LOTOR_OK && *scale == 0) {
        *scale = 1; /* a finite epsilon always has noise */
    }
    return status;
}

lotor_status lotor_release_fits(const lotor_release_params *params, uint64_t scale, uint64_t noises,
                                lotor_message *why, uint64_t *horizon)
{
    const uint64_t room = UINT64_C(1) << 61; /* for the sums; the same again for the noise */
    uint64_t noise;
    if (__builtin_mul_overflow(scale, 64 * noises, &noise) || noise > room) {
        return lotor_fail(LOTOR_OVERFLOW, why,
                          "epsilon %g is too small for this range: the noise could pass 64 bits; "
                          "use a larger epsilon or a narrower range",
                          lotor_ratio_to_double(params->epsilon));
    }
    const uint64_t largest = params->magnitude ? room / params->magnitude : room;
    if (params->horizon == 0 && largest < UINT64_C(1) << 24) {
        return lotor_fail(LOTOR_OVERFLOW, why,
                          "only %" PRIu64 " values of this range fit in 64 bits: declare a "
                          "horizon, or shift your values towards 0",
                          largest);
    }
    if (params->horizon > largest) {
        return lotor_fail(LOTOR_OVERFLOW, why,
                          "a sum of %" PRIu64 " values of this range could pass 64 bits: at most "
                          "%" PRIu64 " fit; use a shorter horizon or a narrower range",
                          params->horizon, largest);
    }
    *horizon = params->horizon ? params->horizon : largest;
    assert(*horizon > 0);
    return LOTOR_OK;
}
