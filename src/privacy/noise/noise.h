/* noise.h - what a release adds: integers, exact or simulated.
 *
 * A mechanism asks for noise of a law and a scale in whole units and does not know where it
 * comes from. Exact noise reads a byte source; simulated noise rounds a fast draw to units, for
 * the lab. Scale 0 is no noise (epsilon at infinity).
 */
#ifndef LOTOR_PRIVACY_NOISE_NOISE_H
#define LOTOR_PRIVACY_NOISE_NOISE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/guarantee.h>

#include "base/random/simulation.h"
#include "base/source.h"

typedef enum lotor_law {
    LOTOR_LAW_LAPLACE = 0, /* discrete Laplace; the scale is b */
    LOTOR_LAW_GAUSSIAN = 1 /* discrete Gaussian; the scale is sigma */
} lotor_law;

enum { LOTOR_NOISE_STOCK = 64 };

/* Borrows one of the two; made by the functions below. */
typedef struct lotor_noise {
    lotor_source *exact;
    lotor_simulation *simulation;
    size_t stocked[2]; /* per law: simulated draws of scale 1, made many at a time for speed */
    double stock[2][LOTOR_NOISE_STOCK];
} lotor_noise;

lotor_noise lotor_noise_exact(lotor_source *source);
lotor_noise lotor_noise_simulated(lotor_simulation *simulation);
lotor_noise_kind lotor_noise_kind_of(const lotor_noise *noise);

/* The largest scale that the exact samplers take. */
uint64_t lotor_noise_largest_scale(lotor_law law);

/* Draws `count` independent values. Fails with LOTOR_ENTROPY, and then `out` must not be used. */
lotor_status lotor_noise_draw(lotor_noise *noise, lotor_law law, uint64_t scale, size_t count,
                              int64_t *out);

/* A simulated value in whole units; no double passes 2^62. */
static inline int64_t lotor_noise_whole(double value)
{
    const double limit = 0x1p62;
    return llrint(value > limit ? limit : value < -limit ? -limit : value);
}

/* One value: the lab's hottest draw takes it from the stock. */
static inline lotor_status lotor_noise_draw_one(lotor_noise *noise, lotor_law law, uint64_t scale,
                                                int64_t *out)
{
    if (noise->stocked[law] == 0) {
        return lotor_noise_draw(noise, law, scale, 1, out);
    }
    *out = lotor_noise_whole(noise->stock[law][--noise->stocked[law]] * (double)scale);
    return LOTOR_OK;
}

#endif
