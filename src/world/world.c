/* world.c - what the worlds share. See world.h. */
#include "world/world.h"

#include "base/digits.h"
#include "base/message.h"

void lotor_world_free(lotor_world *world)
{
    if (world) {
        world->destroy(world);
    }
}

lotor_status lotor_world_check_means(size_t arms, const double *means, lotor_message *why)
{
    if (arms == 0 || arms > LOTOR_WORLD_ARMS_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "a world has from 1 to %d arms, not %zu",
                          LOTOR_WORLD_ARMS_MAX, arms);
    }
    if (!means) {
        return lotor_fail(LOTOR_INVALID, why, "a world needs the means of its arms");
    }
    for (size_t i = 0; i < arms; i++) {
        if (!(means[i] >= 0 && means[i] <= 1)) {
            char digits[LOTOR_DIGITS_ROOM];
            return lotor_fail(LOTOR_RANGE, why,
                              "the mean of arm %zu (counted from 0) is %s; a mean lies in [0,1]", i,
                              lotor_digits(means[i], digits));
        }
    }
    return LOTOR_OK;
}
