/* matrix_batches.h - what tests of sums in batches share: small parameters, rounds, and the law of
 * the noise. d = 2, at most 37 rounds. */
#ifndef LOTOR_TESTS_MATRIX_BATCHES_H
#define LOTOR_TESTS_MATRIX_BATCHES_H

#include <math.h>

#include "base/random/laws.h"
#include "privacy/release/matrix_batch.h"
#include "support/matrix_rig.h"

enum { D = 2, SIZE = 3, ENTRIES = 5, ROUNDS = 37 };

static inline lotor_matrix_params batches_params(lotor_matrix_kind kind, uint64_t epsilon)
{
    return (lotor_matrix_params){
        .kind = kind,
        .size = SIZE,
        .horizon = ROUNDS,
        .bound = sqrt(2.0),
        .epsilon = lotor_ratio_of(epsilon, 1),
        .delta = lotor_ratio_of(1, 100000),
        .context = 1.0,
        .reward = 1.0,
        .alpha = 0.05,
    };
}

/* The same without noise. */
static inline lotor_matrix_params batches_endless(lotor_matrix_kind kind)
{
    lotor_matrix_params params = batches_params(kind, 1);
    params.epsilon = lotor_ratio_of(1, 0);
    return params;
}

/* Within the bounds: |x| <= sqrt(2)/2, |y| <= 1. */
static inline const double *round_of(uint64_t t)
{
    static double z[SIZE];
    lotor_generator generator;
    lotor_generator_seed(&generator, 1000 + t);
    for (size_t i = 0; i < SIZE; i++) {
        z[i] = lotor_random_uniform(&generator) - 0.5;
    }
    z[D] *= 2.0;
    return z;
}

static inline lotor_status feed(rig *made, uint64_t t)
{
    return lotor_matrix_feed(made->matrix, round_of(t), t, &made->noise, made->board);
}

/* Adds what a round adds to the sums, in units of 2^-30; y^2 is not there. */
static inline void add_round(uint64_t t, double sums[ENTRIES])
{
    const double *z = round_of(t);
    const double values[ENTRIES] = {z[0] * z[0], z[1] * z[0], z[1] * z[1], z[2] * z[0],
                                    z[2] * z[1]};
    for (size_t i = 0; i < ENTRIES; i++) {
        sums[i] += rint(values[i] * 0x1p30);
    }
}

enum { BATCHES_MAX = 5, NUMBERS_MAX = BATCHES_MAX * ENTRIES };

/* The noise of all batches, drawn many times. */
typedef struct batches_noise {
    size_t repeats;
    double products[NUMBERS_MAX][NUMBERS_MAX]; /* sums; the lower triangle */
} batches_noise;

static inline void batches_noise_add(batches_noise *all, const double *drawn, size_t numbers)
{
    all->repeats++;
    for (size_t i = 0; i < numbers; i++) {
        for (size_t j = 0; j <= i; j++) {
            all->products[i][j] += drawn[i] * drawn[j];
        }
    }
}

/* Checks the noise at epsilon = 50. Each number has the variance by hand, within six deviations of
 * sqrt(2/n). None is correlated with another, by six deviations of 1/sqrt n. Half the noise is off
 * by 75%. */
static inline void batches_noise_check(const batches_noise *all, size_t numbers)
{
    const double count = (double)all->repeats;
    for (size_t i = 0; i < numbers; i++) {
        const double sigma = i % ENTRIES == 1 ? 0.233022994 : 0.329544279;
        const double variance = all->products[i][i] / count / (sigma * sigma);
        assert_true(fabs(variance - 1.0) < 6.0 * sqrt(2.0 / count));
        for (size_t j = 0; j < i; j++) {
            const double scale = sqrt(all->products[i][i] * all->products[j][j]);
            assert_true(fabs(all->products[i][j] / scale) < 6.0 / sqrt(count));
        }
    }
}

#endif
