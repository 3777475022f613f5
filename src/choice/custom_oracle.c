/* custom_oracle.c - an (alpha, beta)-approximation that the caller provides (Chen et al. 2020,
 * section 2). */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "choice/make.h"

typedef struct custom_oracle {
    lotor_oracle oracle;
    lotor_custom_pick *approximate;
    lotor_custom_value *value;
    const void *context;
} custom_oracle;

/* Are these different, existing arms? `seen` has a bit for each arm. */
static bool is_set(size_t arms, const uint32_t *picked, size_t count, unsigned char *seen)
{
    memset(seen, 0, (arms + 7) / 8);
    for (size_t i = 0; i < count; i++) {
        if (picked[i] >= arms) {
            return false;
        }
        const unsigned bit = 1U << picked[i] % 8;
        if (seen[picked[i] / 8] & bit) {
            return false;
        }
        seen[picked[i] / 8] |= (unsigned char)bit;
    }
    return true;
}

static size_t own_pick(const lotor_oracle *oracle, const double *index, const uint32_t *order,
                       void *work, uint32_t *picked)
{
    const custom_oracle *const self = (const custom_oracle *)oracle;
    const size_t count = self->approximate(self->context, index, oracle->arms, picked);
    (void)order;
    return count <= oracle->slots && is_set(oracle->arms, picked, count, work) ? count : 0;
}

static double own_value(const lotor_oracle *oracle, const double *weights, const uint32_t *set,
                        size_t count, void *work)
{
    const custom_oracle *const self = (const custom_oracle *)oracle;
    (void)work;
    return self->value(self->context, weights, set, count);
}

static void own_destroy(lotor_oracle *oracle)
{
    free(oracle);
}

static lotor_status check(size_t arms, size_t most, double alpha, double beta,
                          lotor_custom_pick *approximate, lotor_message *why)
{
    const lotor_status status = lotor_oracle_check_arms(arms, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (most == 0) {
        return lotor_fail(LOTOR_INVALID, why, "at most 0 arms show nothing: give at least 1");
    }
    if (most > arms) {
        return lotor_fail(LOTOR_INVALID, why,
                          "at most %zu arms together, but there are only %zu: give at most %zu",
                          most, arms, arms);
    }
    if (!(alpha > 0 && alpha <= 1)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "alpha, the share of the best that the oracle finds, is above 0 and at "
                          "most 1, not %g",
                          alpha);
    }
    if (!(beta > 0 && beta <= 1)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "beta, the probability that the oracle finds its share, is above 0 and "
                          "at most 1, not %g",
                          beta);
    }
    if (!approximate) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the function that picks is missing (NULL): give one");
    }
    return LOTOR_OK;
}

lotor_status lotor_oracle_custom_oracle(size_t arms, size_t most, double alpha, double beta,
                                        lotor_custom_pick *approximate, lotor_custom_value *value,
                                        const void *context, lotor_message *why, lotor_oracle **out)
{
    *out = NULL;
    const lotor_status status = check(arms, most, alpha, beta, approximate, why);
    if (status != LOTOR_OK) {
        return status;
    }
    custom_oracle *const self = malloc(sizeof *self);
    if (!self) {
        return lotor_oracle_no_memory(arms, why);
    }
    self->oracle = (lotor_oracle){
        .id = "own",
        .arms = arms,
        .slots = most,
        .alpha = alpha,
        .beta = beta,
        .work_bytes = (arms + 7) / 8,
        .pick = own_pick,
        .value = value ? own_value : NULL,
        .destroy = own_destroy,
    };
    self->approximate = approximate;
    self->value = value;
    self->context = context;
    *out = &self->oracle;
    return LOTOR_OK;
}
