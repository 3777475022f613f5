/* top.c - the uniform matroid: the best arm, or the K best arms. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "choice/make.h"

static size_t top_pick(const lotor_oracle *oracle, const double *index, const uint32_t *order,
                       void *work, uint32_t *picked)
{
    (void)index;
    (void)work;
    assert(oracle->slots <= oracle->arms);
    memcpy(picked, order, oracle->slots * sizeof *picked);
    return oracle->slots;
}

static void top_destroy(lotor_oracle *oracle)
{
    free(oracle);
}

lotor_status lotor_oracle_top(size_t arms, size_t slots, lotor_message *why, lotor_oracle **out)
{
    *out = NULL;
    const lotor_status status = lotor_oracle_check_arms(arms, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (slots == 0) {
        return lotor_fail(LOTOR_INVALID, why, "0 slots show nothing: give at least 1");
    }
    if (slots > arms) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%zu slots but only %zu arm%s: show at most %zu together", slots, arms,
                          arms == 1 ? "" : "s", arms);
    }
    lotor_oracle *const top = malloc(sizeof *top);
    if (!top) {
        return lotor_oracle_no_memory(arms, why);
    }
    *top = (lotor_oracle){
        .id = slots == 1 ? "best" : "top",
        .arms = arms,
        .slots = slots,
        .by_order = true,
        .takes_first = true,
        .alpha = 1,
        .beta = 1,
        .pick = top_pick,
        .destroy = top_destroy,
    };
    *out = top;
    return LOTOR_OK;
}
