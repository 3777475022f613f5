/* make.c - a policy: its parts made and wired, its promise stated, and freed. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/secure.h"
#include "policy/policy.h"

static lotor_status make_learner(lotor_policy *policy, lotor_message *why)
{
    const lotor_policy_params *params = &policy->params;
    const lotor_algorithm *algorithm = policy->algorithm;
    const lotor_rule_params rule = {
        .arms = (double)params->arms,
        .slots = (double)params->slots,
        .horizon = (double)params->horizon,
        .epsilon = lotor_ratio_double(params->epsilon),
        .beta = params->beta,
    };
    const uint64_t width = lotor_encoding_width(&policy->encoding);
    const lotor_release_params release = {
        .dimension = 1,
        .horizon = params->horizon,
        .epsilon = params->epsilon,
        .l1 = width * policy->feedback->l1(params->slots),
        .magnitude = lotor_encoding_magnitude(&policy->encoding),
    };
    if (algorithm->index) {
        const lotor_status status =
            lotor_statistic_new(algorithm->statistic, params->arms, &release, policy->encoding.unit,
                                why, &policy->statistic);
        return status != LOTOR_OK
                   ? status
                   : lotor_index_new(algorithm->index, &rule, policy->oracle, params->low,
                                     params->high, algorithm->statistic != LOTOR_STATISTIC_DOUBLING,
                                     &policy->index);
    }
    const lotor_status status = lotor_epoch_new(algorithm->epochs, params->arms, &release,
                                                policy->encoding.unit, why, &policy->epochs);
    return status != LOTOR_OK
               ? status
               : lotor_elimination_new(algorithm->elimination, &rule, params->arms,
                                       params->high - params->low, &policy->elimination);
}

static lotor_status make_inbox(lotor_policy *policy)
{
    const size_t slots = policy->params.slots;
    const size_t contributions = policy->feedback->contributions(slots);
    policy->units = calloc(contributions, sizeof *policy->units);
    if (!policy->units) {
        return LOTOR_MEMORY;
    }
    for (size_t i = 0; i < contributions; i++) {
        const lotor_status status =
            lotor_encode(&policy->encoding, policy->params.default_reward, NULL, &policy->units[i]);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return lotor_inbox_new(slots, contributions, policy->units, &policy->inbox);
}

static lotor_status make_parts(lotor_policy *policy, lotor_message *why)
{
    const size_t arms = policy->params.arms;
    lotor_status status =
        lotor_encoding_make(policy->params.low, policy->params.high, why, &policy->encoding);
    if (status == LOTOR_OK) {
        policy->shown = calloc(arms, sizeof *policy->shown);
        status = policy->shown ? LOTOR_OK : LOTOR_MEMORY;
    }
    if (status == LOTOR_OK) {
        status = lotor_board_new(2, arms, &policy->board);
    }
    if (status == LOTOR_OK) {
        status = make_inbox(policy);
    }
    return status == LOTOR_OK ? make_learner(policy, why) : status;
}

static lotor_status make(const lotor_policy_params *params, lotor_noise noise, uint64_t seed,
                         lotor_message *why, lotor_policy **out)
{
    *out = NULL;
    lotor_policy *policy = calloc(1, sizeof *policy);
    if (!policy) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a policy");
    }
    lotor_status status = lotor_policy_complete(params, why, &policy->params, &policy->oracle);
    if (status == LOTOR_OK) {
        policy->algorithm = lotor_catalog_find(params->algorithm);
        policy->feedback = lotor_feedback_find(policy->algorithm->feedback);
        policy->noise = noise;
        policy->seed = seed;
        status = make_parts(policy, why);
    }
    if (status != LOTOR_OK) {
        if (status == LOTOR_MEMORY) {
            lotor_explain(why, "no memory for a policy");
        }
        lotor_policy_free(policy);
        return status;
    }
    *out = policy;
    return LOTOR_OK;
}

lotor_status lotor_policy_new_simulated(const lotor_policy_params *params,
                                        lotor_simulation *simulation, uint64_t seed,
                                        lotor_message *why, lotor_policy **out)
{
    return make(params, lotor_noise_simulated(simulation), seed, why, out);
}

lotor_status lotor_policy_new_on(const lotor_policy_params *params, lotor_source *source,
                                 uint64_t seed, lotor_message *why, lotor_policy **out)
{
    return make(params, lotor_noise_exact(source), seed, why, out);
}

lotor_status lotor_policy_new(const lotor_policy_params *params, lotor_message *why,
                              lotor_policy **out)
{
    *out = NULL;
    lotor_source *source;
    lotor_status status = lotor_secure_new(&source);
    if (status != LOTOR_OK) {
        return lotor_fail(status, why, "the system gives no secure random source");
    }
    status = lotor_policy_new_on(params, source, lotor_source_word(source), why, out);
    if (*out) {
        (*out)->owned = source;
    } else {
        lotor_secure_free(source);
    }
    return status;
}

const char *lotor_policy_check(const lotor_policy_params *params, lotor_message *why)
{
    lotor_policy *policy;
    if (lotor_policy_new_on(params, NULL, 0, why, &policy) != LOTOR_OK) {
        return why->text;
    }
    lotor_policy_free(policy);
    return NULL;
}

void lotor_policy_free(lotor_policy *policy)
{
    if (!policy) {
        return;
    }
    lotor_index_free(policy->index);
    lotor_elimination_free(policy->elimination);
    lotor_statistic_free(policy->statistic);
    lotor_epoch_free(policy->epochs);
    lotor_inbox_free(policy->inbox);
    lotor_board_free(policy->board);
    lotor_oracle_free(policy->oracle);
    lotor_secure_free(policy->owned);
    if (policy->units) {
        lotor_wipe_free(policy->units, policy->feedback->contributions(policy->params.slots) *
                                           sizeof *policy->units);
    }
    lotor_policy_params_free(&policy->params);
    free(policy->shown);
    free(policy);
}

void lotor_policy_guarantee(const lotor_policy *policy, lotor_guarantee *out)
{
    const lotor_algorithm *algorithm = policy->algorithm;
    const bool none = lotor_ratio_is_infinite(policy->params.epsilon);
    const bool is_private = algorithm->model != LOTOR_MODEL_NONE && !none;
    const uint64_t scale = policy->statistic ? lotor_statistic_scale(policy->statistic)
                                             : lotor_epoch_scale(policy->epochs);
    *out = (lotor_guarantee){
        .is_private = is_private,
        .reason = is_private               ? NULL
                  : algorithm->not_private ? algorithm->not_private
                                           : "epsilon is infinite: no noise is added",
        .model = is_private ? algorithm->model : LOTOR_MODEL_NONE,
        .epsilon = lotor_ratio_double(policy->params.epsilon),
        .unit = "one round's feedback",
        .scale = (double)scale * policy->encoding.unit,
        .theorem = algorithm->theorem,
        .assumes = "neighbours differ in one round's feedback; what is shown, when, and when "
                   "rounds expire is public; a saved state stays secret and is loaded once",
        .regret = algorithm->regret,
        .noise = lotor_noise_kind_of(&policy->noise),
    };
    snprintf(out->mechanism, sizeof out->mechanism, "%s on %s, %s noise", algorithm->id,
             lotor_algorithm_statistic(algorithm), is_private ? "discrete Laplace" : "no");
}
