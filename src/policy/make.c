/* make.c - creates a policy from its parameters, frees it, restarts it, and states its privacy
 * guarantee. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/secure.h"
#include "policy/evaluation.h"
#include "policy/policy.h"

static lotor_rule_params rule_params(const lotor_policy_params *params, double noise_scale)
{
    const double epsilon = lotor_ratio_to_double(params->epsilon);
    return (lotor_rule_params){
        .arms = (double)params->arms,
        .slots = (double)params->slots,
        .horizon = (double)params->horizon,
        .epsilon = epsilon,
        .delta = lotor_ratio_to_double(params->delta),
        .beta = params->beta,
        .nominal_epsilon = epsilon * noise_scale,
        .log_horizon = params->horizon ? log((double)params->horizon) : 0.0,
    };
}

/* Feeds one exact observation of every arm, for algorithms that start with them. */
static lotor_status begin(lotor_policy *policy, lotor_message *why)
{
    const double *first = policy->params.first;
    policy->params.first = NULL;
    if (!first || !policy->algorithm->starts_exact) {
        return LOTOR_OK;
    }
    int64_t *units = calloc(policy->params.arms, sizeof *units);
    lotor_status status = units ? LOTOR_OK : LOTOR_MEMORY;
    for (size_t i = 0; i < policy->params.arms && status == LOTOR_OK; i++) {
        status = lotor_encode(&policy->coder.encoding, first[i], why, &units[i]);
    }
    if (status == LOTOR_OK) {
        status = lotor_statistic_begin(policy->statistic, units, policy->board);
    }
    free(units);
    return status;
}

static lotor_status make_index(lotor_policy *policy, double noise_scale, lotor_message *why)
{
    const lotor_algorithm *algorithm = policy->algorithm;
    const lotor_release_params release =
        lotor_policy_release_params(&policy->params, &policy->coder, noise_scale);
    lotor_status status = lotor_statistic_new(algorithm->statistic, policy->params.arms, &release,
                                              policy->coder.encoding.unit, why, &policy->statistic);
    if (status == LOTOR_OK) {
        lotor_rule_params rule = rule_params(&policy->params, noise_scale);
        rule.spread = lotor_statistic_spread(policy->statistic);
        const lotor_index_setup setup = {
            .rule = algorithm->index,
            .params = rule,
            .oracle = policy->oracle,
            .low = policy->params.low,
            .high = policy->params.high,
            .at_once = algorithm->statistic->is_at_once,
            .ranked = lotor_policy_is_ranked(policy),
            .clip = policy->params.clip,
        };
        status = lotor_index_new(&setup, &policy->index);
    }
    if (status == LOTOR_OK && lotor_policy_has_weights(algorithm)) {
        status = lotor_policy_check_weights(policy, why);
    }
    return status == LOTOR_OK ? begin(policy, why) : status;
}

/* How the statistic shows the releases of an arm. */
static lotor_own_reading reading_of(const lotor_statistic_kind *kind)
{
    if (kind->keeps_batches) {
        return LOTOR_OWN_ADDED;
    }
    if (kind->hears_lists) {
        return LOTOR_OWN_CLICKS;
    }
    return kind->report == LOTOR_REPORT_BIT ? LOTOR_OWN_BITS : LOTOR_OWN_LATEST;
}

static lotor_status make_own(lotor_policy *policy, double noise_scale, lotor_message *why)
{
    const lotor_policy_params *params = &policy->params;
    const lotor_statistic_kind *kind = policy->algorithm->statistic;
    const lotor_release_params release =
        lotor_policy_release_params(params, &policy->coder, noise_scale);
    const lotor_status status = lotor_statistic_new(
        kind, params->arms, &release, policy->coder.encoding.unit, why, &policy->statistic);
    if (status != LOTOR_OK) {
        return status;
    }
    const bool is_chance = /* the noise is the probability of a lie */
        kind->report == LOTOR_REPORT_BIT || kind->report == LOTOR_REPORT_POSITION;
    const double width = is_chance ? 1.0 : params->high - params->low;
    const lotor_own_setup setup = {
        .recipe = policy->algorithm->own,
        .oracle = policy->oracle,
        .reading = reading_of(kind),
        .rows = policy->board->statistics,
        .horizon = params->horizon,
        .epsilon = lotor_ratio_to_double(params->epsilon),
        .delta = lotor_ratio_to_double(params->delta),
        .low = params->low,
        .high = params->high,
        .noise = lotor_statistic_noise(policy->statistic) / width,
        .ranked = lotor_policy_is_ranked(policy),
        .clip = params->clip,
    };
    return lotor_own_new(&setup, &policy->own);
}

static lotor_status make_imed(lotor_policy *policy, double noise_scale, lotor_message *why)
{
    const lotor_policy_params *params = &policy->params;
    const lotor_release_params release =
        lotor_policy_release_params(params, &policy->coder, noise_scale);
    policy->counts = calloc(params->arms, sizeof *policy->counts);
    if (!policy->counts) {
        return LOTOR_MEMORY;
    }
    const lotor_status status =
        lotor_statistic_new(policy->algorithm->statistic, params->arms, &release,
                            policy->coder.encoding.unit, why, &policy->statistic);
    const lotor_imed_setup setup = {
        .oracle = policy->oracle,
        .model = {.epsilon = lotor_ratio_to_double(params->epsilon),
                  .low = params->low,
                  .high = params->high,
                  .variance = params->variance,
                  .is_local = policy->algorithm->imed->is_local},
        .statistics = policy->board->statistics,
        .caution = params->caution,
        .lag = params->lag,
        .window = params->window,
        .half_life = params->half_life,
        .is_by_clock = params->half_life_in_seconds,
        .has_alarm = params->alarm,
    };
    return status == LOTOR_OK ? lotor_imed_new(&setup, &policy->imed) : status;
}

static lotor_status make_elimination(lotor_policy *policy, lotor_message *why)
{
    const lotor_algorithm *algorithm = policy->algorithm;
    const lotor_policy_params *params = &policy->params;
    const lotor_release_params release =
        lotor_policy_release_params(&policy->params, &policy->coder, 1.0);
    const lotor_rule_params rule = rule_params(params, 1.0);
    const lotor_status status = lotor_epoch_new(algorithm->epochs, params->arms, &release,
                                                policy->coder.encoding.unit, why, &policy->epochs);
    return status != LOTOR_OK
               ? status
               : lotor_elimination_new(algorithm->elimination, &rule, params->arms,
                                       params->high - params->low, &policy->elimination);
}

static lotor_status make_linear(lotor_policy *policy, double noise_scale, lotor_message *why)
{
    const lotor_policy_params *params = &policy->params;
    const double largest = fmax(fabs(params->low), fabs(params->high));
    const lotor_matrix_params matrix = {
        .kind = policy->algorithm->matrix,
        .size = params->dimension + 1,
        .horizon = params->horizon,
        .bound = hypot(params->context_length, largest),
        .epsilon = params->epsilon,
        .delta = params->delta,
        .noise_scale = noise_scale,
        .context = params->context_length,
        .reward = largest,
        .alpha = params->beta,
    };
    lotor_status status = LOTOR_OK;
    if (policy->matrix) { /* lotor_policy_restart kept the matrix */
        lotor_matrix_restart(policy->matrix);
    } else {
        status = lotor_matrix_new(&matrix, why, &policy->matrix);
    }
    if (status == LOTOR_OK) {
        status = lotor_board_new(lotor_matrix_statistics(policy->matrix),
                                 lotor_matrix_entries(params->dimension + 1), &policy->board);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const lotor_matrix_noise noise = lotor_matrix_noise_of(policy->matrix);
    const lotor_linear_params rule = {
        .dimension = params->dimension,
        .actions = params->arms,
        .horizon = (double)params->horizon,
        .alpha = params->beta,
        .reward_noise = 0.5 * (params->high - params->low), /* rewards are bounded (Hoeffding) */
        .theta_length = params->theta_length,
        .bound = matrix.bound,
        .regularizer = params->regularizer,
        .levels = noise.levels,
        .gaussian = noise.sigma,
        .degrees = noise.degrees,
        .response = noise.response,
        .releases = noise.releases,
        .first_release = noise.first,
    };
    status = lotor_linear_new(policy->algorithm->linear, &rule, &policy->linear);
    if (status == LOTOR_INVALID) {
        return lotor_fail(
            status, why,
            "%s has no confidence set at epsilon %g over %" PRIu64 " rounds: the noise "
            "is too small for its bounds; use a smaller epsilon, or linucb",
            policy->algorithm->id, lotor_ratio_to_double(params->epsilon), params->horizon);
    }
    return status == LOTOR_OK ? lotor_matrix_start(policy->matrix, &policy->noise, policy->board)
                              : status;
}

/* Makes the inbox. A round without feedback counts as no click, or as the default reward. */
static lotor_status make_inbox(lotor_policy *policy)
{
    const size_t slots = policy->params.slots;
    policy->unit_count = policy->algorithm->linear ? policy->params.dimension + 1
                                                   : policy->coder.feedback->contributions(slots);
    policy->unit_count += lotor_policy_has_weights(policy->algorithm); /* each round has its own */
    policy->units = calloc(policy->unit_count, sizeof *policy->units);
    if (!policy->units) {
        return LOTOR_MEMORY;
    }
    const bool cascade = policy->coder.feedback->kind == LOTOR_FEEDBACK_CASCADE;
    lotor_status status = LOTOR_OK;
    if (cascade) {
        const lotor_feedback no_click = {.click = 0};
        status = policy->coder.feedback->encode(&policy->coder.encoding, slots, &no_click, NULL,
                                                policy->units);
    }
    for (size_t i = 0; i < policy->unit_count && !cascade && status == LOTOR_OK; i++) {
        status = lotor_encode(&policy->coder.encoding, policy->params.default_reward, NULL,
                              &policy->units[i]);
    }
    return status == LOTOR_OK
               ? lotor_inbox_new(slots, policy->unit_count, policy->units, &policy->inbox)
               : status;
}

/* The number of statistics on the board. Statistic 1 is for the gate; it exists even if there is no
 * gate. */
static size_t board_rows(const lotor_policy *policy)
{
    const lotor_statistic_kind *kind = policy->algorithm->statistic;
    size_t rows = kind ? lotor_statistic_rows(kind, policy->params.horizon) : 0;
    if (kind && policy->params.half_life > 0 && kind->is_closed_outside &&
        rows < LOTOR_FADING_ROWS) {
        rows = LOTOR_FADING_ROWS;
    }
    return rows > 2 ? rows : 2;
}

static lotor_status make_parts(lotor_policy *policy, double noise_scale, lotor_message *why)
{
    lotor_status status = lotor_policy_make_coder(&policy->params, why, &policy->coder);
    if (status == LOTOR_OK) {
        policy->shown = calloc(policy->params.arms, sizeof *policy->shown);
        policy->places = calloc(policy->params.slots + 1, sizeof *policy->places);
        status = policy->shown && policy->places ? LOTOR_OK : LOTOR_MEMORY;
    }
    if (status == LOTOR_OK && !policy->algorithm->linear) { /* linear: the matrix plans the board */
        status = lotor_board_new(board_rows(policy), policy->params.arms, &policy->board);
    }
    if (status == LOTOR_OK && lotor_policy_records_one(policy->algorithm)) {
        status = lotor_policy_make_held(policy);
    }
    if (status == LOTOR_OK) {
        status = make_inbox(policy);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (policy->algorithm->imed || policy->algorithm->own) {
        return policy->algorithm->imed ? make_imed(policy, noise_scale, why)
                                       : make_own(policy, noise_scale, why);
    }
    return policy->algorithm->index         ? make_index(policy, noise_scale, why)
           : policy->algorithm->elimination ? make_elimination(policy, why)
                                            : make_linear(policy, noise_scale, why);
}

/* Refuses real noise for algorithms without an exact sampler: their noise would protect nobody. */
static lotor_status check_noise(const lotor_policy *policy, lotor_message *why)
{
    if (!policy->algorithm->is_simulation_only || policy->noise.generator) {
        return LOTOR_OK;
    }
    return lotor_fail(LOTOR_INVALID, why,
                      "%s can only be simulated: there is no exact sampler for Wishart "
                      "noise; use jdp-batch",
                      policy->algorithm->id);
}

lotor_status lotor_policy_new_with(const lotor_policy_params *params, double noise_scale,
                                   lotor_noise noise, uint64_t seed, lotor_message *why,
                                   lotor_policy **out)
{
    *out = NULL;
    lotor_policy *policy = calloc(1, sizeof *policy);
    if (!policy) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a policy");
    }
    assert(noise_scale > 0.0);
    lotor_status status = lotor_policy_complete(params, why, &policy->params, &policy->oracle);
    if (status == LOTOR_OK) {
        policy->algorithm = lotor_policy_row(params);
        policy->noise = noise;
        policy->noise_scale = noise_scale;
        policy->seed = seed;
        status = check_noise(policy, why);
    }
    if (status == LOTOR_OK) {
        status = make_parts(policy, noise_scale, why);
    }
    if (status != LOTOR_OK) {
        if (status == LOTOR_MEMORY) {
            lotor_explain(why, "no memory for a policy");
        }
        lotor_policy_free(policy);
        return status;
    }
    assert((policy->statistic != NULL) == (policy->index || policy->imed || policy->own));
    assert((policy->epochs != NULL) == (policy->elimination != NULL));
    assert((policy->matrix != NULL) == (policy->linear != NULL));
    *out = policy;
    return LOTOR_OK;
}

lotor_status lotor_policy_new_simulated(const lotor_policy_params *params, double noise_scale,
                                        lotor_generator *generator, uint64_t seed,
                                        lotor_message *why, lotor_policy **out)
{
    return lotor_policy_new_with(params, noise_scale, lotor_noise_simulated(generator), seed, why,
                                 out);
}

lotor_status lotor_policy_new_on(const lotor_policy_params *params, lotor_source *source,
                                 uint64_t seed, lotor_message *why, lotor_policy **out)
{
    return lotor_policy_new_with(params, 1.0, lotor_noise_exact(source), seed, why, out);
}

lotor_status lotor_policy_new(const lotor_policy_params *params, lotor_message *why,
                              lotor_policy **out)
{
    *out = NULL;
    lotor_source *source;
    lotor_status status =
        lotor_policy_refuse_no_delta(lotor_policy_row(params), params->delta, why);
    if (status == LOTOR_OK) {
        status = lotor_secure_make(why, &source);
    }
    if (status != LOTOR_OK) {
        return status;
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
    if (lotor_policy_refuse_no_delta(lotor_policy_row(params), params->delta, why) != LOTOR_OK ||
        lotor_policy_new_on(params, NULL, 0, why, &policy) != LOTOR_OK) {
        return why->text;
    }
    lotor_policy_free(policy);
    return NULL;
}

/* Frees everything but the parameters and the oracle, which lotor_policy_restart keeps. */
static void free_parts(lotor_policy *policy)
{
    lotor_index_free(policy->index);
    lotor_own_free(policy->own);
    lotor_imed_free(policy->imed);
    free(policy->counts);
    lotor_elimination_free(policy->elimination);
    lotor_statistic_free(policy->statistic);
    lotor_epoch_free(policy->epochs);
    lotor_linear_free(policy->linear);
    lotor_matrix_free(policy->matrix);
    lotor_inbox_free(policy->inbox);
    lotor_board_free(policy->board);
    if (policy->units) {
        lotor_wipe_free(policy->units, policy->unit_count * sizeof *policy->units);
    }
    lotor_policy_free_held(policy);
    lotor_evaluation_free(policy->evaluation);
    free(policy->prior);
    free(policy->shown);
    free(policy->places);
}

void lotor_policy_free(lotor_policy *policy)
{
    if (!policy) {
        return;
    }
    free_parts(policy);
    lotor_oracle_free(policy->oracle);
    lotor_secure_free(policy->owned);
    free(policy->seeded);
    lotor_policy_params_free(&policy->params);
    free(policy);
}

lotor_status lotor_policy_restart(lotor_policy *policy, const double *first, uint64_t seed,
                                  lotor_message *why)
{
    lotor_matrix *matrix = policy->matrix; /* kept: planning it takes longer than a short game */
    policy->matrix = NULL;
    free_parts(policy);
    lotor_policy fresh = {
        .algorithm = policy->algorithm,
        .params = policy->params,
        .oracle = policy->oracle,
        .noise = {.exact = policy->noise.exact,
                  .generator = policy->noise.generator,
                  .script = policy->noise.script},
        .noise_scale = 1.0,
        .owned = policy->owned,
        .seeded = policy->seeded,
        .seed = seed,
        .matrix = matrix,
    };
    fresh.params.first = first;
    *policy = fresh;
    return make_parts(policy, 1.0, why);
}

/* The scale of the noise on one released number, in the unit of the rewards. For randomized bits it
 * is the probability of a lie. */
static double noise_of(const lotor_policy *policy)
{
    if (policy->matrix) { /* Wishart noise has no single scale */
        const double sigma = lotor_matrix_noise_of(policy->matrix).sigma;
        return policy->algorithm->matrix == LOTOR_MATRIX_WISHART ? NAN : sigma;
    }
    return policy->statistic
               ? lotor_statistic_noise(policy->statistic)
               : (double)lotor_epoch_scale(policy->epochs) * policy->coder.encoding.unit;
}

static const char *law_of(const lotor_algorithm *algorithm)
{
    if (algorithm->linear) {
        return algorithm->matrix == LOTOR_MATRIX_WISHART ? "Wishart" : "discrete Gaussian";
    }
    return algorithm->statistic ? algorithm->statistic->noise : "discrete Laplace";
}

static const char *assumptions_of(const lotor_algorithm *algorithm)
{
    if (algorithm->own && lotor_algorithm_model(algorithm) == LOTOR_MODEL_LOCAL) {
        return "neighbours differ in one round's feedback; the own function reads only the board "
               "that "
               "it is given; each answer gets its noise where the person trusts it: this object "
               "plays "
               "that side too, and holds raw answers until their round and all before it have "
               "expired; "
               "what is shown, when, and when rounds expire is public; a saved state stays secret "
               "and "
               "is loaded once";
    }
    if (algorithm->own) {
        return "neighbours differ in one round's feedback; the own function reads only the board "
               "that "
               "it is given; what is shown, when, and when rounds expire is public; a saved state "
               "stays "
               "secret and is loaded once";
    }
    switch (lotor_algorithm_model(algorithm)) {
    case LOTOR_MODEL_JOINT:
        return "neighbours differ in one round's actions and reward; what a person is shown may "
               "depend on their own actions; when rounds expire is public; a saved state stays "
               "secret and is loaded once";
    case LOTOR_MODEL_LOCAL:
        return "neighbours differ in one round's feedback; each answer gets its noise where the "
               "person trusts it: this object plays that side too, and holds raw answers until "
               "their round and all before it have expired; what is shown, when, and when rounds "
               "expire is public; a saved state stays secret and is loaded once";
    case LOTOR_MODEL_CENTRAL:
    case LOTOR_MODEL_NONE:
        break;
    }
    return "neighbours differ in one round's feedback; what is shown, when, and when rounds expire "
           "is public; a saved state stays secret and is loaded once";
}

size_t lotor_policy_arms(const lotor_policy *policy)
{
    return policy->params.arms;
}

/* For a linear matroid, params.dimension has another meaning: 0 then. */
size_t lotor_policy_dimension(const lotor_policy *policy)
{
    return policy->linear ? policy->params.dimension : 0;
}

const char *lotor_policy_algorithm(const lotor_policy *policy)
{
    return policy->algorithm->id;
}

/* The known facts about the regret. The proofs are about learners that forget nothing. */
static const char *regret_of(const lotor_policy *policy)
{
    const lotor_policy_params *params = &policy->params;
    if (lotor_policy_late_release(policy) > 0) {
        return "nothing is learnt: the first release would come after the last round; use a larger "
               "epsilon or a longer horizon";
    }
    return params->half_life > 0 || params->window > 0 || params->alarm
               ? "measured in worlds that change; forgetting costs rewards if nothing changes"
               : policy->algorithm->regret;
}

void lotor_policy_guarantee(const lotor_policy *policy, lotor_guarantee *out)
{
    const lotor_algorithm *algorithm = policy->algorithm;
    const lotor_promise promise = lotor_policy_promise(policy);
    const bool has_noise = promise.model != LOTOR_MODEL_NONE;
    *out = (lotor_guarantee){
        .is_private = !promise.reason,
        .reason = promise.reason,
        .model = promise.model,
        .epsilon = lotor_ratio_to_double(policy->params.epsilon),
        .delta = has_noise ? lotor_ratio_to_double(policy->params.delta) : 0.0,
        .scale = has_noise ? noise_of(policy) : 0.0,
        .theorem = promise.reason ? NULL : algorithm->theorem,
        .assumes = assumptions_of(algorithm),
        .regret = regret_of(policy),
        .noise = lotor_noise_kind_of(&policy->noise),
        .is_seed_reason = promise.is_seed_reason,
    };
    snprintf(out->unit, sizeof out->unit, "%s",
             algorithm->linear ? "one round's context and reward" : "one round's feedback");
    snprintf(out->mechanism, sizeof out->mechanism, "%s on %s, %s noise", algorithm->id,
             lotor_algorithm_statistic(algorithm), has_noise ? law_of(algorithm) : "no");
}
