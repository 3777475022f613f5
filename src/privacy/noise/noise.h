/* noise.h - the noise that a release adds: integers, exact or simulated.
 *
 * A mechanism asks for noise of some law and scale, in whole units. It does not know where the
 * noise comes from. Exact noise reads a byte source. Simulated noise, for the lab, rounds a fast
 * draw to whole units. Scale 0 means no noise (epsilon is infinite).
 */
#ifndef LOTOR_PRIVACY_NOISE_NOISE_H
#define LOTOR_PRIVACY_NOISE_NOISE_H

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/guarantee.h>

#include "base/random/generator.h"
#include "base/source.h"

typedef enum lotor_law {
    LOTOR_LAW_LAPLACE = 0, /* discrete Laplace; the scale is b */
    LOTOR_LAW_GAUSSIAN = 1 /* discrete Gaussian; the scale is sigma */
} lotor_law;

enum { LOTOR_NOISE_STOCK = 64 };

/* Borrows one of the two sources. Made by the functions below. */
typedef struct lotor_noise {
    lotor_source *exact;
    lotor_generator *generator;
    size_t stocked[2]; /* per law: how many simulated draws of scale 1 are left in `stock` */
    double stock[2][LOTOR_NOISE_STOCK];
} lotor_noise;

lotor_noise lotor_noise_exact(lotor_source *source);
lotor_noise lotor_noise_simulated(lotor_generator *generator);
lotor_noise_kind lotor_noise_kind_of(const lotor_noise *noise);

/* The largest scale that the exact samplers accept. */
uint64_t lotor_noise_largest_scale(lotor_law law);

/* Draws `count` independent values. After LOTOR_ENTROPY, `out` must not be used. */
lotor_status lotor_noise_draw(lotor_noise *noise, lotor_law law, uint64_t scale, size_t count,
                              int64_t *out);

/* A simulated value in whole units, clamped to 2^62 in size. */
static inline int64_t lotor_noise_whole(double value)
{
    const double limit = 0x1p62;
    return llrint(value > limit ? limit : value < -limit ? -limit : value);
}

/* Draws one value. Simulations spend most of their draws here, so it takes the value from the
 * stock. */
static inline lotor_status lotor_noise_draw_one(lotor_noise *noise, lotor_law law, uint64_t scale,
                                                int64_t *out)
{
    assert(noise->stocked[law] <= LOTOR_NOISE_STOCK);
    if (noise->stocked[law] == 0) {
        return lotor_noise_draw(noise, law, scale, 1, out);
    }
    *out = lotor_noise_whole(noise->stock[law][--noise->stocked[law]] * (double)scale);
    return LOTOR_OK;
}

#endif
