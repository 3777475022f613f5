/* noise.h - the noise that a release adds: integers, exact or simulated.
 *
 * A mechanism hands in exact numbers, in whole units, with a law and a scale, and gets them back
 * with noise. It does not know where the noise comes from. Exact noise reads a byte source.
 * Simulated noise, for the lab, rounds a fast draw to whole units. Scale 0 means no noise (epsilon
 * is infinite).
 *
 * Every number that a mechanism publishes passes through here before it is published. So a script
 * (below) can replace the noise and see all of them: the check of the proofs by coupling
 * (lab/audit_couple.c) does that.
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
#include "base/wide.h"

typedef enum lotor_law {
    LOTOR_LAW_LAPLACE = 0, /* discrete Laplace; the scale is b */
    LOTOR_LAW_GAUSSIAN = 1 /* discrete Gaussian; the scale is sigma */
} lotor_law;

/* The purpose of the noisy number. */
typedef enum lotor_noise_use {
    LOTOR_USE_RELEASE = 0,   /* the noisy number is published */
    LOTOR_USE_THRESHOLD = 1, /* sparse vector: the number is 0, and its noise moves the threshold */
    LOTOR_USE_QUERY = 2      /* sparse vector: only "at or above the threshold?" is published */
} lotor_noise_use;

/* The facts that a script gets about numbers that ask for noise. For Wishart noise `degrees` is above 0, the
 * numbers are the lower triangle of a matrix, and `scale` is the largest square of a vector's
 * length, in units. */
typedef struct lotor_noise_request {
    lotor_noise_use use;
    lotor_law law;
    uint64_t scale;
    size_t count;
    double degrees;
} lotor_noise_request;

/* In place of noise: replaces the exact numbers by what is released. Only checks use it. */
typedef struct lotor_noise_script {
    lotor_status (*add)(struct lotor_noise_script *script, const lotor_noise_request *request,
                        int64_t *numbers);
} lotor_noise_script;

enum { LOTOR_NOISE_STOCK = 64 };

/* Borrows its sources. Made by the functions below. */
typedef struct lotor_noise {
    lotor_source *exact;
    lotor_generator *generator;
    lotor_noise_script *script;
    size_t stocked[2]; /* per law: how many simulated draws of scale 1 are left in `stock` */
    double stock[2][LOTOR_NOISE_STOCK];
} lotor_noise;

lotor_noise lotor_noise_exact(lotor_source *source);
lotor_noise lotor_noise_simulated(lotor_generator *generator);

/* The script says what is released. Coins of local randomizers come from the generator. */
lotor_noise lotor_noise_scripted(lotor_noise_script *script, lotor_generator *generator);
lotor_noise_kind lotor_noise_kind_of(const lotor_noise *noise);

/* The largest scale that the exact samplers accept. */
uint64_t lotor_noise_largest_scale(lotor_law law);

/* Adds independent noise to each of `count` numbers, modulo 2^64. After LOTOR_ENTROPY, `numbers`
 * must not be used. */
lotor_status lotor_noise_add(lotor_noise *noise, lotor_law law, uint64_t scale, size_t count,
                             int64_t *numbers);

/* exact + Laplace noise in 128 bits: for comparisons and bounds, which must not wrap around. */
lotor_status lotor_noise_add_wide(lotor_noise *noise, lotor_noise_use use, uint64_t scale,
                                  int64_t exact, lotor_i128 *out);

/* A simulated value in whole units, clamped to 2^62 in size. */
static inline int64_t lotor_noise_whole(double value)
{
    const double limit = 0x1p62;
    return llrint(value > limit ? limit : value < -limit ? -limit : value);
}

/* Adds noise to one number. Simulations spend most of their draws here, so it takes the draw from
 * the stock. */
static inline lotor_status lotor_noise_add_one(lotor_noise *noise, lotor_law law, uint64_t scale,
                                               int64_t *number)
{
    assert(noise->stocked[law] <= LOTOR_NOISE_STOCK);
    if (noise->stocked[law] == 0) {
        return lotor_noise_add(noise, law, scale, 1, number);
    }
    const int64_t draw =
        lotor_noise_whole(noise->stock[law][--noise->stocked[law]] * (double)scale);
    *number = (int64_t)((uint64_t)*number + (uint64_t)draw);
    return LOTOR_OK;
}

#endif
