/* noise.c - draws noise for releases (noise.h). No other file draws noise for a release, so only
 * this file has to check that the source still has entropy. */
#include "privacy/noise/noise.h"

#include <assert.h>
#include <string.h>

#include "base/random/laws.h"
#include "privacy/noise/exact.h"

lotor_noise lotor_noise_exact(lotor_source *source)
{
    return (lotor_noise){.exact = source};
}

lotor_noise lotor_noise_simulated(lotor_generator *generator)
{
    return (lotor_noise){.generator = generator};
}

lotor_noise_kind lotor_noise_kind_of(const lotor_noise *noise)
{
    return noise->exact ? LOTOR_NOISE_EXACT : LOTOR_NOISE_SIMULATION;
}

uint64_t lotor_noise_largest_scale(lotor_law law)
{
    return law == LOTOR_LAW_LAPLACE ? (UINT64_C(1) << 57) - 1 : (UINT64_C(1) << 47) - 1;
}

static void refill_stock(lotor_noise *noise, lotor_law law)
{
    if (law == LOTOR_LAW_LAPLACE) {
        lotor_random_laplace_fill(noise->generator, LOTOR_NOISE_STOCK, noise->stock[law]);
    } else {
        lotor_random_gaussian_fill(noise->generator, LOTOR_NOISE_STOCK, noise->stock[law]);
    }
    noise->stocked[law] = LOTOR_NOISE_STOCK;
}

static void simulate(lotor_noise *noise, lotor_law law, double scale, size_t count, int64_t *out)
{
    for (size_t i = 0; i < count; i++) {
        if (noise->stocked[law] == 0) {
            refill_stock(noise, law);
        }
        out[i] = lotor_noise_whole(noise->stock[law][--noise->stocked[law]] * scale);
    }
}

lotor_status lotor_noise_draw(lotor_noise *noise, lotor_law law, uint64_t scale, size_t count,
                              int64_t *out)
{
    assert(law == LOTOR_LAW_LAPLACE || law == LOTOR_LAW_GAUSSIAN);
    if (scale == 0) {
        memset(out, 0, count * sizeof *out);
        return LOTOR_OK;
    }
    if (noise->generator) {
        simulate(noise, law, (double)scale, count, out);
        return LOTOR_OK;
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = law == LOTOR_LAW_LAPLACE ? lotor_exact_laplace(noise->exact, scale, 1)
                                          : lotor_exact_gaussian(noise->exact, scale, 1);
    }
    return noise->exact->status;
}
