/* params.c - the parameters of a policy: default values, checks, and the oracle that they
 * describe. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/message.h"
#include "policy/policy.h"

static lotor_status check_horizon(const lotor_policy_params *params,
                                  const lotor_algorithm *algorithm, lotor_message *why)
{
    if (!algorithm->needs_horizon || params->horizon >= 2) {
        return LOTOR_OK;
    }
    if (!algorithm->instead) {
        return lotor_fail(LOTOR_INVALID, why, "%s needs a horizon of at least 2 rounds: give one",
                          algorithm->id);
    }
    return lotor_fail(LOTOR_INVALID, why,
                      "%s needs a horizon of at least 2 rounds: give one, or use %s, which "
                      "needs none",
                      algorithm->id, algorithm->instead);
}

/* Checks that the algorithm is for the structure of the parameters. */
static lotor_status check_structure(const lotor_policy_params *params,
                                    const lotor_algorithm *algorithm, lotor_message *why)
{
    const bool top = params->structure == LOTOR_STRUCTURE_TOP;
    if (params->cascade && !lotor_algorithm_plays(algorithm, LOTOR_PROBLEM_CASCADE)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s is not for cascades: leave `cascade` out, or use an algorithm that "
                          "learns from clicks",
                          algorithm->id);
    }
    const bool any = algorithm->problem == LOTOR_PROBLEM_ANY;
    const lotor_problem played = params->cascade ? LOTOR_PROBLEM_CASCADE : LOTOR_PROBLEM_SEMIBANDIT;
    switch (any ? played : algorithm->problem) {
    case LOTOR_PROBLEM_FINITE:
        return top && params->slots == 1
                   ? LOTOR_OK
                   : lotor_fail(LOTOR_INVALID, why,
                                "%s shows one arm a round: for several at once use lik-imed or "
                                "rr-imed",
                                algorithm->id);
    case LOTOR_PROBLEM_MATROID:
        return params->structure <= LOTOR_STRUCTURE_CUSTOM_MATROID
                   ? LOTOR_OK
                   : lotor_fail(LOTOR_INVALID, why,
                                "%s plays on matroids, which paths, coverage, influence and your "
                                "own oracle need not be: use a cucb algorithm",
                                algorithm->id);
    case LOTOR_PROBLEM_SEMIBANDIT:
        return LOTOR_OK;
    case LOTOR_PROBLEM_CASCADE:
        return top ? LOTOR_OK
                   : lotor_fail(LOTOR_INVALID, why,
                                "%s shows a list of any K items: leave the structure out",
                                algorithm->id);
    case LOTOR_PROBLEM_LINEAR:
    case LOTOR_PROBLEM_ANY:
        break;
    }
    return top && params->slots == 1
               ? LOTOR_OK
               : lotor_fail(LOTOR_INVALID, why,
                            "%s shows one action a round: leave the structure and the slots out",
                            algorithm->id);
}

static lotor_status check_algorithm(const lotor_policy_params *params, lotor_message *why)
{
    const lotor_algorithm *algorithm = lotor_policy_row(params);
    if (!algorithm) {
        return lotor_catalog_refuse(params->catalog, params->algorithm, why);
    }
    if (params->arms == 0 || params->arms > UINT32_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "%zu arms: give from 1 to 2^32 - 1", params->arms);
    }
    if (algorithm->own && algorithm->own->choose && params->structure != LOTOR_STRUCTURE_TOP) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s chooses arms itself, so no structure can choose for it: leave the "
                          "structure out, or give the recipe `index` in place of `choose`",
                          algorithm->id);
    }
    const lotor_status status = check_horizon(params, algorithm, why);
    return status == LOTOR_OK ? check_structure(params, algorithm, why) : status;
}

static lotor_status check_delta(const lotor_policy_params *params, const lotor_algorithm *algorithm,
                                lotor_message *why)
{
    if (algorithm->delta.num == 0 && params->delta.num != 0) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "delta can't be used with %s, whose guarantee is pure (delta 0): leave it out",
            algorithm->id);
    }
    if (params->delta.num >= params->delta.den && params->delta.num != 0) {
        return lotor_fail(LOTOR_INVALID, why, "delta must lie between 0 and 1, not %g",
                          lotor_ratio_to_double(params->delta));
    }
    return LOTOR_OK;
}

lotor_status lotor_policy_refuse_no_delta(const lotor_algorithm *row, lotor_ratio delta,
                                          lotor_message *why)
{
    if (!row || row->delta.num == 0 || delta.num != 0 || delta.den == 0) {
        return LOTOR_OK;
    }
    return lotor_fail(
        LOTOR_INVALID, why,
        "the noise of %s needs a delta above 0, such as 1e-5: leave it out for the default, %g",
        row->id, lotor_ratio_to_double(row->delta));
}

static lotor_status check_length(const char *what, double length, lotor_message *why)
{
    char text[LOTOR_DIGITS_ROOM];
    return length > 0.0 && length <= 0x1p40
               ? LOTOR_OK
               : lotor_fail(LOTOR_INVALID, why, "%s must lie between 0 and 2^40, not %s", what,
                            lotor_digits(length, text));
}

/* Checks the parameters that only contextual problems have. */
static lotor_status check_linear(const lotor_policy_params *params, lotor_message *why)
{
    if (params->dimension == 0 || params->dimension > LOTOR_LINEAR_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "the dimension of a context is from 1 to %d, not %zu",
                          LOTOR_LINEAR_MAX, params->dimension);
    }
    if (params->arms > LOTOR_LINEAR_NUMBERS / params->dimension) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%zu actions of %zu numbers are too many: at most %d numbers a round",
                          params->arms, params->dimension, LOTOR_LINEAR_NUMBERS);
    }
    lotor_status status = check_length("context_length", params->context_length, why);
    if (status == LOTOR_OK) {
        status = check_length("theta_length", params->theta_length, why);
    }
    return status == LOTOR_OK ? check_length("the regularizer", params->regularizer, why) : status;
}

/* Checks the parameters that only lik-imed and rr-imed have. */
static lotor_status check_imed(const lotor_policy_params *params, const lotor_algorithm *algorithm,
                               lotor_message *why)
{
    char text[LOTOR_DIGITS_ROOM];
    const double range = params->high - params->low;
    if (!algorithm->imed || algorithm->imed->is_local) {
        if (params->window > 0 || params->alarm || params->variance != 0.0) {
            return lotor_fail(
                LOTOR_INVALID, why,
                "a window, an alarm and a variance are for lik-imed, not for %s: leave "
                "them out",
                algorithm->id);
        }
    }
    if (params->half_life > 0 && !algorithm->imed) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a half-life is for lik-imed and rr-imed, not for %s: leave it out",
                          algorithm->id);
    }
    if (params->half_life == 0 && params->half_life_in_seconds) {
        return lotor_fail(LOTOR_INVALID, why,
                          "half_life_in_seconds needs a half_life above 0: leave it out");
    }
    if (!(params->caution > 0.0 && params->caution <= 1e6)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the caution must be above 0 and at most 10^6, not %s",
                          lotor_digits(params->caution, text));
    }
    if (!(params->lag >= 1.0 && params->lag <= 1e3)) {
        return lotor_fail(LOTOR_INVALID, why, "the lag must lie between 1 and 1000, not %s",
                          lotor_digits(params->lag, text));
    }
    if (params->window >= UINT64_C(1) << 61) {
        return lotor_fail(LOTOR_INVALID, why, "a window has fewer than 2^61 rounds, not %" PRIu64,
                          params->window);
    }
    if (params->half_life >= UINT64_C(1) << 57) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a half-life has fewer than 2^57 rounds or seconds, not %" PRIu64,
                          params->half_life);
    }
    if (params->half_life > 0 && params->window > 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a window (%" PRIu64 ") and a half-life (%" PRIu64
                          ") both forget: leave one of them out",
                          params->window, params->half_life);
    }
    if (!(params->variance >= 0.0 && params->variance <= range * range / 4.0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "rewards in a range of %g have a variance above 0 and at most %g, not %s",
                          range, range * range / 4.0, lotor_digits(params->variance, text));
    }
    return LOTOR_OK;
}

static lotor_status check_numbers(const lotor_policy_params *params, lotor_message *why)
{
    char text[LOTOR_DIGITS_ROOM], low[LOTOR_DIGITS_ROOM], high[LOTOR_DIGITS_ROOM];
    const lotor_algorithm *algorithm = lotor_policy_row(params);
    assert(algorithm);
    if (lotor_algorithm_has_noise(algorithm) && params->epsilon.num == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s adds noise and needs an epsilon above 0 (infinity adds none)",
                          algorithm->id);
    }
    lotor_status status = check_delta(params, algorithm, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (!(params->beta > 0.0 && params->beta < 1.0)) {
        return lotor_fail(LOTOR_INVALID, why, "beta must lie between 0 and 1, not %s",
                          lotor_digits(params->beta, text));
    }
    if (!(params->default_reward >= params->low && params->default_reward <= params->high)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the default reward %s is not in the range %s to %s of rewards",
                          lotor_digits(params->default_reward, text),
                          lotor_digits(params->low, low), lotor_digits(params->high, high));
    }
    if (params->cascade &&
        (params->low != 0.0 || params->high != 1.0 || params->default_reward != 0.0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s learns from clicks: leave the range of rewards and their default out",
                          algorithm->id);
    }
    status = check_imed(params, algorithm, why);
    return status == LOTOR_OK && algorithm->linear ? check_linear(params, why) : status;
}

/* Memory is allocated for every vertex, so the vertex numbers must not be much larger than the
 * number of edges. */
static lotor_status check_vertices(const lotor_policy_params *params, lotor_message *why)
{
    if (lotor_structure_has_edges(params->structure) &&
        params->vertices / LOTOR_VERTICES_PER_EDGE > params->arms) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "%zu vertices but only %zu edges: number the vertices without large holes",
            params->vertices, params->arms);
    }
    return LOTOR_OK;
}

static lotor_status make_oracle(const lotor_policy_params *params, lotor_message *why,
                                lotor_oracle **oracle)
{
    const lotor_status status = check_vertices(params, why);
    if (status != LOTOR_OK) {
        return status;
    }
    switch (params->structure) {
    case LOTOR_STRUCTURE_TOP:
        return lotor_oracle_top(params->arms, params->slots, why, oracle);
    case LOTOR_STRUCTURE_PARTITION:
        return lotor_oracle_partition(params->arms, params->group, params->groups, params->capacity,
                                      why, oracle);
    case LOTOR_STRUCTURE_GRAPHIC:
        return lotor_oracle_graphic(params->arms, params->from, params->to, params->vertices, why,
                                    oracle);
    case LOTOR_STRUCTURE_LINEAR:
        return lotor_oracle_linear(params->arms, params->dimension, params->vectors, why, oracle);
    case LOTOR_STRUCTURE_CUSTOM_MATROID:
        return lotor_oracle_custom_matroid(params->arms, params->rank, params->independent,
                                           params->context, why, oracle);
    case LOTOR_STRUCTURE_PATH:
        return lotor_oracle_path(params->arms, params->from, params->to, params->vertices,
                                 params->source, params->sink, why, oracle);
    case LOTOR_STRUCTURE_COVERAGE:
        return lotor_oracle_coverage(params->arms, params->from, params->to, params->vertices,
                                     params->seeds, why, oracle);
    case LOTOR_STRUCTURE_INFLUENCE:
        return lotor_oracle_influence(params->arms, params->from, params->to, params->vertices,
                                      params->seeds, LOTOR_POLICY_INFLUENCE_SAMPLES, why, oracle);
    case LOTOR_STRUCTURE_CUSTOM_ORACLE:
        return lotor_oracle_custom_oracle(params->arms, params->rank, params->alpha,
                                          params->oracle_beta, params->pick, params->value,
                                          params->context, why, oracle);
    }
    return lotor_fail(LOTOR_INVALID, why, "there is no structure %d", (int)params->structure);
}

/* A copy of an array, or NULL if there is nothing to copy. Sets *failed if there is no memory. */
static void *copy(const void *array, size_t count, size_t size, bool *failed)
{
    size_t bytes;
    if (!array || count == 0) {
        return NULL;
    }
    void *made = __builtin_mul_overflow(count, size, &bytes) ? NULL : malloc(bytes);
    if (!made) {
        *failed = true;
        return NULL;
    }
    return memcpy(made, array, bytes);
}

bool lotor_structure_has_edges(lotor_structure structure)
{
    return structure == LOTOR_STRUCTURE_GRAPHIC || structure == LOTOR_STRUCTURE_PATH ||
           structure == LOTOR_STRUCTURE_COVERAGE || structure == LOTOR_STRUCTURE_INFLUENCE;
}

/* Replaces the arrays that the structure uses by copies, and the others by NULL. */
static lotor_status copy_arrays(lotor_policy_params *params)
{
    const lotor_structure structure = params->structure;
    const bool partition = structure == LOTOR_STRUCTURE_PARTITION;
    const bool graph = lotor_structure_has_edges(structure);
    const bool linear = structure == LOTOR_STRUCTURE_LINEAR;
    const size_t arms = params->arms;
    bool failed = false;
    params->group = copy(partition ? params->group : NULL, arms, sizeof(uint32_t), &failed);
    params->capacity =
        copy(partition ? params->capacity : NULL, params->groups, sizeof(uint32_t), &failed);
    params->from = copy(graph ? params->from : NULL, arms, sizeof(uint32_t), &failed);
    params->to = copy(graph ? params->to : NULL, arms, sizeof(uint32_t), &failed);
    params->vectors =
        copy(linear ? params->vectors : NULL, arms, params->dimension * sizeof(int64_t), &failed);
    if (failed) {
        lotor_policy_params_free(params);
        return LOTOR_MEMORY;
    }
    return LOTOR_OK;
}

void lotor_policy_params_free(lotor_policy_params *params)
{
    free((void *)params->group);
    free((void *)params->capacity);
    free((void *)params->from);
    free((void *)params->to);
    free((void *)params->vectors);
    params->group = params->capacity = params->from = params->to = NULL;
    params->vectors = NULL;
}

static void set_default(double *field, double value)
{
    *field = *field == 0.0 ? value : *field;
}

static void fill_defaults(lotor_policy_params *params)
{
    const lotor_algorithm *algorithm = lotor_policy_row(params);
    if (algorithm) {
        params->algorithm = algorithm->id; /* the caller's text may be freed; the catalog's stays */
    }
    if (algorithm && !lotor_algorithm_has_noise(algorithm)) {
        params->epsilon = lotor_ratio_of(1, 0);
    }
    params->cascade = lotor_policy_hears_clicks(params);
    if (algorithm && params->delta.num == 0) {
        params->delta = algorithm->delta;
    }
    params->epsilon = lotor_ratio_of(params->epsilon.num, params->epsilon.den);
    params->delta = lotor_ratio_of(params->delta.num, params->delta.den);
    if (params->slots == 0) {
        params->slots = 1;
    }
    if (params->seeds == 0) {
        params->seeds = 1;
    }
    if (params->low == 0.0 && params->high == 0.0) {
        params->low = algorithm && algorithm->linear ? -1.0 : 0.0;
        params->high = 1.0;
    }
    set_default(&params->beta, params->horizon > 1 ? 1.0 / (double)params->horizon : 0.5);
    set_default(&params->alpha, 1.0);
    set_default(&params->oracle_beta, 1.0);
    set_default(&params->context_length, 1.0);
    set_default(&params->theta_length, 1.0);
    set_default(&params->regularizer, 1.0);
    set_default(&params->caution, 3.5);
    set_default(&params->lag, params->cascade ? 4.0 : 1.0);
}

lotor_status lotor_policy_complete(const lotor_policy_params *params, lotor_message *why,
                                   lotor_policy_params *out, lotor_oracle **oracle)
{
    *oracle = NULL;
    *out = *params;
    fill_defaults(out);
    lotor_status status = check_algorithm(out, why);
    if (status == LOTOR_OK) {
        status = check_numbers(out, why);
    }
    if (status == LOTOR_OK) {
        status = make_oracle(out, why, oracle);
    }
    if (status == LOTOR_OK) {
        status = copy_arrays(out);
    } else {
        memset(out, 0, sizeof *out); /* so that the caller's arrays are not freed */
    }
    if (status == LOTOR_OK) {
        out->slots = (*oracle)->slots;
        assert(out->slots > 0 && out->slots <= out->arms && (*oracle)->arms == out->arms);
    } else {
        lotor_oracle_free(*oracle);
        *oracle = NULL;
    }
    return status;
}
