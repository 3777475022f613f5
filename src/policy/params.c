/* params.c - parameters of a policy: defaults, checks, and the oracle that they describe. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/message.h"
#include "policy/policy.h"

static lotor_status check_algorithm(const lotor_policy_params *params, lotor_message *why)
{
    const lotor_algorithm *algorithm = lotor_catalog_find(params->algorithm);
    if (!algorithm) {
        return lotor_fail(LOTOR_UNKNOWN, why, "there is no algorithm '%.40s'",
                          params->algorithm ? params->algorithm : "");
    }
    if (params->arms == 0 || params->arms > UINT32_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "%zu arms: give at least 1", params->arms);
    }
    if (algorithm->needs_horizon && params->horizon < 2) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s needs a horizon of at least 2 rounds: give one, or use %s, which "
                          "needs none",
                          algorithm->id, algorithm->instead);
    }
    const bool shows_one = params->structure == LOTOR_STRUCTURE_TOP && params->slots == 1;
    if (algorithm->problem == LOTOR_PROBLEM_FINITE && !shows_one) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s shows one arm a round: for several at once use dpucb-mat or dpts-mat",
                          algorithm->id);
    }
    return LOTOR_OK;
}

static lotor_status check_numbers(const lotor_policy_params *params, lotor_message *why)
{
    char text[LOTOR_DIGITS_ROOM], low[LOTOR_DIGITS_ROOM], high[LOTOR_DIGITS_ROOM];
    const lotor_algorithm *algorithm = lotor_catalog_find(params->algorithm);
    if (algorithm->model != LOTOR_MODEL_NONE && params->epsilon.num == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s is private and needs an epsilon above 0 (infinity adds no noise)",
                          algorithm->id);
    }
    if (params->delta.num != 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "delta makes no sense for %s, whose promise is pure: leave it out",
                          algorithm->id);
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
    return LOTOR_OK;
}

static lotor_status make_oracle(const lotor_policy_params *params, lotor_message *why,
                                lotor_oracle **oracle)
{
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
    case LOTOR_STRUCTURE_CUSTOM:
        return lotor_oracle_custom(params->arms, params->rank, params->independent, params->context,
                                   why, oracle);
    }
    return lotor_fail(LOTOR_INVALID, why, "there is no structure %d", (int)params->structure);
}

/* A copy of an array, or NULL when there is nothing to copy; *failed is set without memory. */
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

/* Keeps only the arrays that the structure uses, as copies. */
static lotor_status copy_arrays(lotor_policy_params *params)
{
    const lotor_structure structure = params->structure;
    const bool partition = structure == LOTOR_STRUCTURE_PARTITION;
    const bool graphic = structure == LOTOR_STRUCTURE_GRAPHIC;
    const bool linear = structure == LOTOR_STRUCTURE_LINEAR;
    const size_t arms = params->arms;
    bool failed = false;
    params->group = copy(partition ? params->group : NULL, arms, sizeof(uint32_t), &failed);
    params->capacity =
        copy(partition ? params->capacity : NULL, params->groups, sizeof(uint32_t), &failed);
    params->from = copy(graphic ? params->from : NULL, arms, sizeof(uint32_t), &failed);
    params->to = copy(graphic ? params->to : NULL, arms, sizeof(uint32_t), &failed);
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

static void fill_defaults(lotor_policy_params *params)
{
    if (params->slots == 0) {
        params->slots = 1;
    }
    if (params->low == 0.0 && params->high == 0.0) {
        params->high = 1.0;
    }
    if (params->beta == 0.0) {
        params->beta = params->horizon > 1 ? 1.0 / (double)params->horizon : 0.5;
    }
    const lotor_algorithm *algorithm = lotor_catalog_find(params->algorithm);
    if (algorithm) {
        params->algorithm = algorithm->id; /* the catalog's own text outlives the caller's */
    }
    if (algorithm && algorithm->model == LOTOR_MODEL_NONE) {
        params->epsilon = lotor_ratio_of(1, 0);
    }
    params->epsilon = lotor_ratio_of(params->epsilon.num, params->epsilon.den);
    params->delta = lotor_ratio_of(params->delta.num, params->delta.den);
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
        memset(out, 0, sizeof *out); /* nothing of the caller's to free */
    }
    if (status == LOTOR_OK) {
        out->slots = (*oracle)->slots;
    } else {
        lotor_oracle_free(*oracle);
        *oracle = NULL;
    }
    return status;
}
