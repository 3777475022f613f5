/* figure_result_sets.c - functions on sets of arms: see reproduce.h. */
#include "papers/reproduce.h"

bool lotor_set_has(const lotor_arm_set *set, uint32_t arm)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->arms[i] == arm) {
            return true;
        }
    }
    return false;
}

size_t lotor_set_overlap(const lotor_arm_set *one, const lotor_arm_set *other)
{
    size_t both = 0;
    for (size_t i = 0; i < one->count; i++) {
        both += lotor_set_has(other, one->arms[i]);
    }
    return both;
}
