/* partition.c - the partition matroid: each group has a largest number of arms that can be
 * shown. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "choice/make.h"

typedef struct partition {
    lotor_oracle oracle;
    size_t groups;
    uint32_t *capacity; /* points into `group`, after the arms */
    uint32_t group[];   /* the group of each arm, then the capacity of each group */
} partition;

static size_t partition_pick(const lotor_oracle *oracle, const double *index, const uint32_t *order,
                             void *work, uint32_t *picked)
{
    const partition *const self = (const partition *)oracle;
    uint32_t *const room = work; /* how many more arms each group can have */
    size_t count = 0;
    (void)index;
    memcpy(room, self->capacity, self->groups * sizeof *room);
    for (size_t i = 0; i < oracle->arms && count < oracle->slots; i++) {
        const uint32_t group = self->group[order[i]];
        assert(group < self->groups);
        if (room[group] > 0) {
            room[group]--;
            picked[count++] = order[i];
        }
    }
    return count;
}

static void partition_destroy(lotor_oracle *oracle)
{
    free(oracle);
}

static lotor_status check(size_t arms, const uint32_t *group, size_t groups,
                          const uint32_t *capacity, lotor_message *why)
{
    const lotor_status status = lotor_oracle_check_arms(arms, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (!group) {
        return lotor_oracle_missing("the groups of the arms are", why);
    }
    if (groups == 0) {
        return lotor_fail(LOTOR_INVALID, why, "there are no groups: give at least one");
    }
    if (!capacity) {
        return lotor_oracle_missing("the capacities of the groups are", why);
    }
    for (size_t i = 0; i < arms; i++) {
        if (group[i] >= groups) {
            return lotor_fail(LOTOR_INVALID, why,
                              "arm %zu is in group %lu, but there are %zu groups: number them from "
                              "0 to %zu",
                              i, (unsigned long)group[i], groups, groups - 1);
        }
    }
    return LOTOR_OK;
}

lotor_status lotor_oracle_partition(size_t arms, const uint32_t *group, size_t groups,
                                    const uint32_t *capacity, lotor_message *why,
                                    lotor_oracle **out)
{
    *out = NULL;
    lotor_status status = check(arms, group, groups, capacity, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (groups > (SIZE_MAX - sizeof(partition)) / sizeof(uint32_t) - arms) {
        return lotor_oracle_no_memory(arms, why);
    }
    partition *const self = malloc(sizeof *self + (arms + groups) * sizeof *group);
    if (!self) {
        return lotor_oracle_no_memory(arms, why);
    }
    self->oracle = (lotor_oracle){
        .id = "partition",
        .arms = arms,
        .by_order = true,
        .alpha = 1,
        .beta = 1,
        .work_bytes = groups * sizeof *capacity,
        .pick = partition_pick,
        .destroy = partition_destroy,
    };
    self->groups = groups;
    self->capacity = self->group + arms;
    memcpy(self->group, group, arms * sizeof *group);
    memcpy(self->capacity, capacity, groups * sizeof *capacity);
    status = lotor_oracle_measure(&self->oracle, why);
    if (status != LOTOR_OK) {
        free(self);
        return status;
    }
    *out = &self->oracle;
    return LOTOR_OK;
}
