/* sparse.h - sparse vector: many queries "is it above?" for the privacy cost of one. */
#ifndef LOTOR_PRIVACY_RELEASE_SPARSE_H
#define LOTOR_PRIVACY_RELEASE_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

#include <lotor/ratio.h>

#include "base/bytes.h"
#include "privacy/noise/noise.h"

typedef struct lotor_sparse {
    uint64_t scale;          /* of both noises: 3 * sensitivity / epsilon, in units */
    int64_t threshold_noise; /* secret; drawn once per series of queries */
    bool running;            /* a series was begun and has not stopped yet */
} lotor_sparse;

/* LOTOR_INVALID and LOTOR_OVERFLOW as lotor_release_scale. */
lotor_status lotor_sparse_make(uint64_t sensitivity, lotor_ratio epsilon, lotor_message *why,
                               lotor_sparse *out);

/* Begins a new series, which costs epsilon again: draws the threshold's noise. */
lotor_status lotor_sparse_begin(lotor_sparse *sparse, lotor_noise *noise);

/* Asks whether the private query is at or above the public threshold. Both are in units. The series
 * stops at the first yes; then LOTOR_RELEASED, until a new series is begun. LOTOR_ENTROPY: there is
 * no answer. */
lotor_status lotor_sparse_ask(lotor_sparse *sparse, int64_t query, int64_t threshold,
                              lotor_noise *noise, bool *above);

void lotor_sparse_save(const lotor_sparse *sparse, lotor_writer *writer);
void lotor_sparse_load(lotor_sparse *sparse, lotor_reader *reader);

#endif
