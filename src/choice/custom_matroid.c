/* custom_matroid.c - a matroid that the caller defines by an independence test (Chandak 2023,
 * Algorithm 1). */
#include <assert.h>
#include <stdlib.h>

#include "base/message.h"
#include "choice/make.h"

typedef struct custom_matroid {
    lotor_oracle oracle;
    lotor_custom_independence *independent;
    const void *context;
    bool is_measured; /* false while the constructor measures the rank; then `slots` is final */
} custom_matroid;

static size_t custom_pick(const lotor_oracle *oracle, const double *index, const uint32_t *order,
                          void *work, uint32_t *picked)
{
    const custom_matroid *const self = (const custom_matroid *)oracle;
    size_t count = 0;
    (void)index;
    (void)work;
    for (size_t i = 0; i < oracle->arms && count < oracle->slots; i++) {
        if (self->independent(self->context, picked, count, order[i])) {
            picked[count++] = order[i];
        }
    }
    /* All maximal independent sets of a matroid have the same size. If this set is smaller, the
     * caller's test failed or does not describe a matroid: pick nothing. */
    assert(count <= oracle->slots);
    return self->is_measured && count < oracle->slots ? 0 : count;
}

static void custom_destroy(lotor_oracle *oracle)
{
    free(oracle);
}

/* Sets `slots` to the caller's rank, which must not exceed the rank that a greedy walk finds. */
static lotor_status check_rank(lotor_oracle *oracle, size_t rank, lotor_message *why)
{
    const lotor_status status = lotor_oracle_measure(oracle, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (rank > oracle->slots) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "rank %zu is more than the given test allows, which accepts at most %zu of the "
            "%zu arms together: give at most %zu",
            rank, oracle->slots, oracle->arms, oracle->slots);
    }
    oracle->slots = rank;
    return LOTOR_OK;
}

lotor_status lotor_oracle_custom_matroid(size_t arms, size_t rank,
                                         lotor_custom_independence *independent,
                                         const void *context, lotor_message *why,
                                         lotor_oracle **out)
{
    *out = NULL;
    lotor_status status = lotor_oracle_check_arms(arms, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (rank == 0) {
        return lotor_fail(LOTOR_INVALID, why, "rank 0 shows nothing: give at least 1");
    }
    if (!independent) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the independence test is missing (NULL): give a function");
    }
    custom_matroid *const self = malloc(sizeof *self);
    if (!self) {
        return lotor_oracle_no_memory(arms, why);
    }
    self->oracle = (lotor_oracle){
        .id = "custom",
        .arms = arms,
        .by_order = true,
        .alpha = 1,
        .beta = 1,
        .pick = custom_pick,
        .destroy = custom_destroy,
    };
    self->independent = independent;
    self->context = context;
    self->is_measured = false;
    status = check_rank(&self->oracle, rank, why);
    if (status != LOTOR_OK) {
        free(self);
        return status;
    }
    self->is_measured = true;
    *out = &self->oracle;
    return LOTOR_OK;
}
