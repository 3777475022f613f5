/* lanes.c - eight generators side by side: see lanes.h. */
#include "base/random/lanes.h"

#include <assert.h>

void lotor_lanes_seed(lotor_lanes *lanes, lotor_generator *generator)
{
    for (size_t i = 0; i < LOTOR_LANES; i++) {
        lotor_generator lane;
        lotor_generator_seed(&lane, lotor_generator_word(generator));
        for (size_t j = 0; j < 4; j++) {
            lanes->state[j][i] = lane.state[j];
        }
    }
    lanes->wide = lotor_lanes_can_be_wide();
}

static LOTOR_INLINE void fill(lotor_lanes *lanes, size_t count, double *restrict out)
{
    lotor_lanes local = *lanes;
    for (size_t i = 0; i < count; i += (size_t)2 * LOTOR_LANES) {
        for (size_t k = 0; k < LOTOR_LANES; k++) {
            lotor_lanes_normals(&local, k, out + i + k, out + i + LOTOR_LANES + k);
        }
    }
    *lanes = local;
}

static void fill_narrow(lotor_lanes *lanes, size_t count, double *out)
{
    fill(lanes, count, out);
}

static LOTOR_WIDE void fill_wide(lotor_lanes *lanes, size_t count, double *out)
{
    fill(lanes, count, out);
}

void lotor_lanes_fill(lotor_lanes *lanes, size_t count, double *out)
{
    assert(count % ((size_t)2 * LOTOR_LANES) == 0);
    if (lanes->wide) {
        fill_wide(lanes, count, out);
    } else {
        fill_narrow(lanes, count, out);
    }
}
