/* table.c - a matroid on few arms, as a table of its independent sets.
 *
 * Ten arms have 1024 subsets. The constructor asks the original oracle which of them are
 * independent: a greedy walk that begins with the members of a set keeps all of them if and only if
 * the set is independent. A pick then needs one table look-up per arm, a few nanoseconds.
 */
#include <assert.h>
#include <stdlib.h>

#include "choice/make.h"

enum { FEW = 10 };

typedef struct table {
    lotor_oracle oracle;
    bool independent[]; /* the sets, as bits of the place: bit i is set if arm i is in the set */
} table;

static size_t table_pick(const lotor_oracle *oracle, const double *index, const uint32_t *order,
                         void *work, uint32_t *picked)
{
    const table *const self = (const table *)oracle;
    const size_t arms = oracle->arms;
    const size_t slots = oracle->slots;
    size_t count = 0;
    size_t set = 0;
    (void)index;
    (void)work;
    for (size_t i = 0; i < arms && count < slots; i++) {
        const size_t larger = set | (size_t)1 << order[i];
        const bool kept = self->independent[larger];
        picked[count] = order[i]; /* if it is not kept, the next arm overwrites it */
        count += kept;
        set = kept ? larger : set;
    }
    return count;
}

static void table_destroy(lotor_oracle *oracle)
{
    free(oracle);
}

/* Asks `oracle` about every set of arms. */
static void fill(const lotor_oracle *oracle, void *work, bool *independent)
{
    assert(oracle->arms <= FEW);
    const size_t arms = oracle->arms;
    uint32_t order[FEW] = {0}, picked[FEW];
    for (size_t set = 0; set < (size_t)1 << arms; set++) {
        size_t members = 0;
        for (size_t i = 0; i < arms; i++) {
            if (set >> i & 1) {
                order[members++] = (uint32_t)i;
            }
        }
        size_t rest = members;
        for (size_t i = 0; i < arms; i++) {
            if (!(set >> i & 1)) {
                order[rest++] = (uint32_t)i;
            }
        }
        assert(rest == arms);
        const size_t count = oracle->pick(oracle, NULL, order, work, picked);
        size_t kept = 0;
        while (kept < members && kept < count && picked[kept] == order[kept]) {
            kept++;
        }
        independent[set] = kept == members;
    }
}

lotor_status lotor_oracle_quicken(lotor_oracle *oracle, lotor_message *why, lotor_oracle **out)
{
    if (oracle->arms > FEW) {
        *out = oracle;
        return LOTOR_OK;
    }
    const size_t sets = (size_t)1 << oracle->arms;
    table *const self = malloc(sizeof *self + sets * sizeof *self->independent);
    void *const work = malloc(oracle->work_bytes + 1);
    if (!self || !work) {
        const lotor_status status = lotor_oracle_no_memory(oracle->arms, why);
        free(self);
        free(work);
        lotor_oracle_free(oracle);
        return status;
    }
    fill(oracle, work, self->independent);
    free(work);
    self->oracle = *oracle;
    self->oracle.work_bytes = 0;
    self->oracle.pick = table_pick;
    self->oracle.destroy = table_destroy;
    lotor_oracle_free(oracle);
    *out = &self->oracle;
    return LOTOR_OK;
}
