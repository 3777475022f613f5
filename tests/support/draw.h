/* draw.h - noise alone, for tests that work out by hand what a release should be. */
#ifndef LOTOR_TESTS_SUPPORT_DRAW_H
#define LOTOR_TESTS_SUPPORT_DRAW_H

#include <string.h>

#include "privacy/noise/noise.h"

static inline lotor_status draw_noise(lotor_noise *noise, lotor_law law, uint64_t scale,
                                      size_t count, int64_t *out)
{
    memset(out, 0, count * sizeof *out);
    return lotor_noise_add(noise, law, scale, count, out);
}

#endif
