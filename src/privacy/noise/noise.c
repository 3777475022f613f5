/* noise.c - adds noise to releases (noise.h). No other file draws noise for a release, so only this
 * file has to check that the source still has entropy. */
#include "privacy/noise/noise.h"

#include <assert.h>

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

lotor_noise lotor_noise_scripted(lotor_noise_script *script, lotor_generator *generator)
{
    return (lotor_noise){.script = script, .generator = generator};
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

static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void simulate(lotor_noise *noise, lotor_law law, double scale, size_t count,
                     int64_t *numbers)
{
    for (size_t i = 0; i < count; i++) {
        if (noise->stocked[law] == 0) {
            refill_stock(noise, law);
        }
        const double draw = noise->stock[law][--noise->stocked[law]];
        numbers[i] = plus(numbers[i], lotor_noise_whole(draw * scale));
    }
}

lotor_status lotor_noise_add(lotor_noise *noise, lotor_law law, uint64_t scale, size_t count,
                             int64_t *numbers)
{
    assert(law == LOTOR_LAW_LAPLACE || law == LOTOR_LAW_GAUSSIAN);
    if (noise->script) {
        const lotor_noise_request request = {LOTOR_USE_RELEASE, law, scale, count, 0.0};
        return noise->script->add(noise->script, &request, numbers);
    }
    if (scale == 0) {
        return LOTOR_OK;
    }
    if (noise->generator) {
        simulate(noise, law, (double)scale, count, numbers);
        return LOTOR_OK;
    }
    for (size_t i = 0; i < count; i++) {
        numbers[i] = plus(numbers[i], law == LOTOR_LAW_LAPLACE
                                          ? lotor_exact_laplace(noise->exact, scale, 1)
                                          : lotor_exact_gaussian(noise->exact, scale, 1));
    }
    return noise->exact->status;
}

lotor_status lotor_noise_add_wide(lotor_noise *noise, lotor_noise_use use, uint64_t scale,
                                  int64_t exact, lotor_i128 *out)
{
    if (noise->script) {
        const lotor_noise_request request = {use, LOTOR_LAW_LAPLACE, scale, 1, 0.0};
        int64_t number = exact;
        const lotor_status status = noise->script->add(noise->script, &request, &number);
        *out = number;
        return status;
    }
    int64_t draw = 0;
    const lotor_status status = lotor_noise_add(noise, LOTOR_LAW_LAPLACE, scale, 1, &draw);
    *out = (lotor_i128)exact + draw;
    return status;
}
