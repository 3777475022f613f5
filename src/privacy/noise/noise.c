/* noise.c - see noise.h. The only place that draws for a release, and so the only one that
 * checks whether the source still had entropy. */
#include "privacy/noise/noise.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/random/laws.h"
#include "privacy/noise/exact.h"
#include "privacy/noise/mutant.h"

lotor_noise lotor_noise_exact(lotor_source *source)
{
    return (lotor_noise){.exact = source};
}

lotor_noise lotor_noise_simulated(lotor_simulation *simulation)
{
    return (lotor_noise){.simulation = simulation};
}

lotor_noise_kind lotor_noise_kind_of(const lotor_noise *noise)
{
    return noise->exact ? LOTOR_NOISE_EXACT : LOTOR_NOISE_SIMULATION;
}

uint64_t lotor_noise_largest_scale(lotor_law law)
{
    return law == LOTOR_LAW_LAPLACE ? (UINT64_C(1) << 57) - 1 : (UINT64_C(1) << 47) - 1;
}

static int64_t whole(double value)
{
    const double limit = 0x1p62;
    return llrint(value > limit ? limit : value < -limit ? -limit : value);
}

static void refill_stock(lotor_noise *noise)
{
    lotor_random_laplace_fill(noise->simulation, LOTOR_NOISE_STOCK, noise->stock);
    noise->stocked = LOTOR_NOISE_STOCK;
}

static void simulate(lotor_noise *noise, lotor_law law, double scale, size_t count, int64_t *out)
{
    for (size_t i = 0; i < count; i++) {
        if (law == LOTOR_LAW_GAUSSIAN) {
            out[i] = whole(lotor_random_gaussian(noise->simulation) * scale);
            continue;
        }
        if (noise->stocked == 0) {
            refill_stock(noise);
        }
        out[i] = whole(noise->stock[--noise->stocked] * scale);
    }
}

lotor_status lotor_noise_draw(lotor_noise *noise, lotor_law law, uint64_t scale, size_t count,
                              int64_t *out)
{
    const uint64_t drawn = LOTOR_MUTANT_SCALE(scale); /* the scale itself, but in a mutant */
    if (noise->stocked > 0 && count == 1 && law == LOTOR_LAW_LAPLACE) { /* the lab's hottest draw */
        *out = whole(noise->stock[--noise->stocked] * (double)drawn);
        return LOTOR_OK;
    }
    if (drawn == 0) {
        memset(out, 0, count * sizeof *out);
        return LOTOR_OK;
    }
    if (noise->simulation) {
        simulate(noise, law, (double)drawn, count, out);
        return LOTOR_OK;
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = law == LOTOR_LAW_LAPLACE ? lotor_exact_laplace(noise->exact, drawn, 1)
                                          : lotor_exact_gaussian(noise->exact, drawn, 1);
    }
    return noise->exact->status;
}
