/* promise.c - derives the privacy promise of an algorithm and of a policy.
 *
 * Nothing is private because its row says so. A promise needs all of these, and the first one that
 * is missing is the reason for "not private":
 *
 *   the row     exactly one learner, with a statistic, epochs or a matrix that states its claim;
 *               a claim that covers the feedback; noise for the sensitivity of that feedback; no
 *               observation without noise; the model that the row states; a theorem
 *   the policy  no seed; a finite epsilon; noise that is really added and is enough for that epsilon,
 *               also on what measures value (evaluation.h)
 *
 * The reason that a row gives (`not_private`) is shown in place of a derived one. It can only make
 * a row less private.
 */
#include <assert.h>
#include <math.h>

#include "policy/evaluation.h"
#include "policy/policy.h"

lotor_claim lotor_algorithm_claim(const lotor_algorithm *algorithm)
{
    const bool has_statistic = algorithm->index || algorithm->imed || algorithm->own;
    const lotor_claim unknown = {.mechanism = LOTOR_MECHANISM_UNKNOWN};
    if (lotor_algorithm_learners(algorithm) != 1 || has_statistic != !!algorithm->statistic) {
        return unknown;
    }
    if (has_statistic) {
        return algorithm->statistic->claim;
    }
    return algorithm->elimination ? lotor_epoch_claim(algorithm->epochs)
                                  : lotor_matrix_claim(algorithm->matrix);
}

/* Why the claim does not cover a feedback model; NULL if it does. */
static const char *refuse_feedback(const lotor_claim *claim, const char *id, bool clicks)
{
    const lotor_feedback_model *model = id ? lotor_feedback_find(id) : NULL;
    if (!model) {
        return "its feedback model is unknown, so nothing is known about its sensitivity";
    }
    const bool hears_clicks =
        model->kind == LOTOR_FEEDBACK_CASCADE || model->kind == LOTOR_FEEDBACK_FIRST_SLOT;
    if (hears_clicks != clicks) {
        return "its feedback model is not for this kind of problem";
    }
    if (claim->feedback & 1U << model->kind) {
        return NULL;
    }
    return model->kind == LOTOR_FEEDBACK_CASCADE
               ? "how many positions of a list were looked at depends on the click, and its "
                 "statistic does not hide that"
               : "nothing is proved for its statistic with this feedback model";
}

/* The same for all feedback that the algorithm can get. */
static const char *refuse_all_feedback(const lotor_algorithm *algorithm, const lotor_claim *claim)
{
    const bool any = algorithm->problem == LOTOR_PROBLEM_ANY;
    const char *reason =
        refuse_feedback(claim, algorithm->feedback, algorithm->problem == LOTOR_PROBLEM_CASCADE);
    return reason || !any ? reason : refuse_feedback(claim, algorithm->on_lists, true);
}

/* Why a row is not private, from its parts alone; NULL if it is. */
static const char *refuse(const lotor_algorithm *algorithm, const lotor_claim *claim)
{
    if (claim->mechanism == LOTOR_MECHANISM_EXACT) {
        return "it adds no noise: the non-private baseline";
    }
    if (claim->mechanism == LOTOR_MECHANISM_UNKNOWN || claim->model == LOTOR_MODEL_NONE) {
        return "it is not known which noise it adds: its parts state no claim";
    }
    if (algorithm->starts_exact) {
        return "it starts with one answer for every arm without noise";
    }
    if (claim->mechanism == LOTOR_MECHANISM_PRINTED) {
        return claim->missing ? claim->missing : "nothing is proved for its noise";
    }
    if (algorithm->model != claim->model) {
        return "its row states another model of privacy than its noise has";
    }
    const char *reason = refuse_all_feedback(algorithm, claim);
    if (reason) {
        return reason;
    }
    if (algorithm->calibration != LOTOR_CALIBRATION_FEEDBACK) {
        return "its noise is not calibrated to the sensitivity of its feedback";
    }
    return algorithm->theorem ? NULL : "its row names no theorem that proves it";
}

lotor_promise lotor_algorithm_promise(const lotor_algorithm *algorithm)
{
    const lotor_claim claim = lotor_algorithm_claim(algorithm);
    const char *derived = refuse(algorithm, &claim);
    return (lotor_promise){
        .model =
            claim.mechanism == LOTOR_MECHANISM_EXACT || claim.mechanism == LOTOR_MECHANISM_UNKNOWN
                ? LOTOR_MODEL_NONE
                : claim.model,
        .reason = algorithm->not_private ? algorithm->not_private : derived,
    };
}

/* The inputs of the proof: the budget, and how far one round's feedback can move the sums. The
 * calibration of the row is not asked. */
static lotor_claim_setting setting_of(const lotor_policy *policy)
{
    const lotor_policy_params *params = &policy->params;
    const lotor_feedback_model *feedback = policy->coder.feedback;
    const double width = (double)lotor_encoding_width(&policy->coder.encoding);
    return (lotor_claim_setting){
        .epsilon = lotor_ratio_to_double(params->epsilon),
        .delta = lotor_ratio_to_double(params->delta),
        .l1 = width * (double)feedback->l1(params->slots),
        .l2 = width * sqrt((double)feedback->l2_squared(params->slots)),
        .horizon = params->horizon,
        .slots = params->slots,
        .context = params->context_length,
        .reward = fmax(fabs(params->low), fabs(params->high)),
        .dimension = params->dimension,
    };
}

/* The noise that the parts of the policy were made with. */
static lotor_claim_noise noise_of(const lotor_policy *policy, lotor_mechanism mechanism)
{
    if (policy->matrix) {
        const lotor_matrix_noise noise = lotor_matrix_noise_of(policy->matrix);
        return (lotor_claim_noise){
            .scale = noise.sigma,
            .diagonal = noise.diagonal,
            .response = noise.response,
            .degrees = noise.degrees,
        };
    }
    if (policy->epochs) {
        return (lotor_claim_noise){.scale = (double)lotor_epoch_scale(policy->epochs),
                                   .gate = (double)lotor_epoch_gate_scale(policy->epochs)};
    }
    switch (mechanism) {
    case LOTOR_MECHANISM_BIT:
    case LOTOR_MECHANISM_POSITION:
        return (lotor_claim_noise){.scale = lotor_statistic_noise(policy->statistic)};
    case LOTOR_MECHANISM_CUBE:
        return (lotor_claim_noise){.scale = lotor_statistic_spread(policy->statistic)};
    default:
        return (lotor_claim_noise){.scale = (double)lotor_statistic_scale(policy->statistic)};
    }
}

/* Why the noise of a policy is not enough; NULL if it is. */
static const char *refuse_noise(const lotor_policy *policy)
{
    const lotor_mechanism mechanism = lotor_algorithm_claim(policy->algorithm).mechanism;
    const lotor_claim_setting setting = setting_of(policy);
    const lotor_claim_noise noise = noise_of(policy, mechanism);
    if (policy->noise_scale != 1.0 && isfinite(setting.epsilon)) {
        return "the noise was multiplied (--noise-scale): the claim is void";
    }
    return lotor_claim_refuse(mechanism, &setting, &noise);
}

lotor_promise lotor_policy_promise(const lotor_policy *policy)
{
    lotor_promise promise = lotor_algorithm_promise(policy->algorithm);
    if (policy->seeded) {
        promise.reason = "simulation: protects nobody, because its noise comes from a seed";
        promise.is_seed_reason = true;
    }
    if (!promise.reason) {
        promise.reason = refuse_noise(policy);
    }
    if (!promise.reason && policy->evaluation) { /* a round feeds one of them: evaluation.md */
        promise.reason = lotor_evaluation_refuse(policy);
    }
    if (lotor_ratio_is_infinite(policy->params.epsilon)) {
        promise.model = LOTOR_MODEL_NONE;
    }
    return promise;
}
