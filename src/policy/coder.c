/* coder.c - derives two things from a policy's parameters: how feedback is encoded and kept, and
 * how far one round can move the released sums (the sensitivities). */
#include <assert.h>
#include <math.h>

#include "policy/policy.h"

/* How far one round can move the sums in L1, in widths of one reward. */
static uint64_t sensitivity(const lotor_policy_params *params, const lotor_algorithm *algorithm,
                            const lotor_coder *coder)
{
    switch (algorithm->calibration) {
    case LOTOR_CALIBRATION_SLOTS:
        return params->slots;
    case LOTOR_CALIBRATION_ARMS:
        return params->arms;
    case LOTOR_CALIBRATION_FEEDBACK:
        break;
    }
    return coder->feedback->l1(params->slots);
}

lotor_release_params lotor_policy_release_params(const lotor_policy_params *params,
                                                 const lotor_coder *coder, double noise_scale)
{
    const lotor_algorithm *algorithm = lotor_policy_row(params);
    assert(algorithm && params->slots > 0 && params->slots <= params->arms);
    const uint64_t width = lotor_encoding_width(&coder->encoding);
    const double l2_squared = algorithm->calibration == LOTOR_CALIBRATION_SLOTS
                                  ? (double)params->slots
                                  : (double)coder->feedback->l2_squared(params->slots);
    return (lotor_release_params){
        .dimension = 1,
        .horizon = params->horizon,
        .epsilon = params->epsilon,
        .delta = params->delta,
        .l1 = width * sensitivity(params, algorithm, coder),
        .l2 = (uint64_t)ceil((double)width * sqrt(l2_squared)),
        .magnitude = lotor_encoding_magnitude(&coder->encoding),
        .noise_scale = noise_scale,
        .slots = params->slots,
        .least = coder->encoding.least,
        .width = (int64_t)width,
    };
}

lotor_status lotor_policy_make_coder(const lotor_policy_params *params, lotor_message *why,
                                     lotor_coder *out)
{
    const lotor_algorithm *algorithm = lotor_policy_row(params);
    assert(algorithm);
    *out = (lotor_coder){
        .name = algorithm->id,
        .feedback = lotor_feedback_find(lotor_algorithm_feedback(algorithm, params->cascade)),
        .statistic = algorithm->statistic,
        .epsilon = params->epsilon,
        .arms = params->arms,
        .slots = params->slots,
        .dimension = algorithm->linear ? params->dimension : 0,
        .hears_clicks = params->cascade,
        .is_local = lotor_algorithm_model(algorithm) == LOTOR_MODEL_LOCAL,
    };
    assert(out->feedback);
    lotor_status status = lotor_encoding_make(params->low, params->high, why, &out->encoding);
    if (status == LOTOR_OK && algorithm->statistic &&
        out->statistic->report == LOTOR_REPORT_LAPLACE) {
        const lotor_release_params release = lotor_policy_release_params(params, out, 1.0);
        uint64_t horizon;
        status = out->statistic->plan(&release, why, &out->scale, &horizon);
    }
    return status;
}
