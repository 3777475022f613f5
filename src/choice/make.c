/* make.c - functions for all oracles, and what the constructors of oracles share; see make.h. */
#include "choice/make.h"

#include <assert.h>
#include <stdlib.h>

#include "base/message.h"

void lotor_oracle_free(lotor_oracle *oracle)
{
    if (oracle) {
        oracle->destroy(oracle);
    }
}

double lotor_oracle_value(const lotor_oracle *oracle, const double *weights, const uint32_t *set,
                          size_t count, void *work)
{
    if (oracle->value) {
        return oracle->value(oracle, weights, set, count, work);
    }
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += weights[set[i]];
    }
    return sum;
}

const uint32_t *lotor_oracle_seeds(const lotor_oracle *oracle, const void *work)
{
    return oracle->seeds > 0 ? work
                             : NULL; /* the work memory begins with the seeds: see greedy.h */
}

lotor_status lotor_oracle_check_arms(size_t arms, lotor_message *why)
{
    if (arms == 0) {
        return lotor_fail(LOTOR_INVALID, why, "there are no arms: give at least one");
    }
    if (arms > UINT32_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "%zu arms are too many: give at most %lu", arms,
                          (unsigned long)UINT32_MAX);
    }
    return LOTOR_OK;
}

lotor_status lotor_oracle_missing(const char *what, lotor_message *why)
{
    return lotor_fail(LOTOR_INVALID, why, "%s missing (NULL): give one entry for each", what);
}

lotor_status lotor_oracle_no_memory(size_t arms, lotor_message *why)
{
    return lotor_fail(LOTOR_MEMORY, why, "no memory for an oracle over %zu arms", arms);
}

lotor_status lotor_oracle_measure(lotor_oracle *oracle, lotor_message *why)
{
    const size_t arms = oracle->arms;
    uint32_t *const order = calloc(2 * arms, sizeof *order);
    void *const work = malloc(oracle->work_bytes + 1);
    if (!order || !work) {
        free(order);
        free(work);
        return lotor_oracle_no_memory(arms, why);
    }
    for (size_t i = 0; i < arms; i++) {
        order[i] = (uint32_t)i;
    }
    oracle->slots = arms; /* so that the pick looks at all arms */
    oracle->slots = oracle->pick(oracle, NULL, order, work, order + arms);
    assert(oracle->slots <= arms);
    free(order);
    free(work);
    if (oracle->slots == 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "none of the %zu arms can be shown, not even alone: the %s matroid has "
                          "rank 0 (zero vectors, self-loops or capacities of 0 only)",
                          arms, oracle->id);
    }
    return LOTOR_OK;
}
