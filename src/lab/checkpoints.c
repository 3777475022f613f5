/* checkpoints.c - see checkpoints.h. */
#include "lab/checkpoints.h"

#include <math.h>
#include <stdlib.h>

lotor_status lotor_checkpoint_times(uint64_t horizon, size_t wanted, uint64_t **times,
                                    size_t *count)
{
    if (wanted == 0) {
        wanted = 50;
    }
    uint64_t *made = calloc(wanted, sizeof *made);
    if (!made) {
        return LOTOR_MEMORY;
    }
    size_t kept = 0;
    for (size_t i = 0; i < wanted; i++) {
        const double share = wanted > 1 ? (double)i / (double)(wanted - 1) : 1.0;
        const double exact = pow((double)horizon, share);
        const uint64_t t = i + 1 == wanted ? horizon : (uint64_t)llround(exact);
        if (t <= horizon && (kept == 0 || t > made[kept - 1])) {
            made[kept++] = t;
        }
    }
    *times = made;
    *count = kept;
    return LOTOR_OK;
}
