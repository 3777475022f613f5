/* batch.h - sums of whole batches, each released once. */
#ifndef LOTOR_PRIVACY_RELEASE_BATCH_H
#define LOTOR_PRIVACY_RELEASE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "privacy/noise/noise.h"

/* `latest`, `latest_size`, `total`, `covered` and `releases` are public. */
typedef struct lotor_batch {
    uint64_t size, filled; /* the open batch; size 0: none is open */
    uint64_t scale;
    lotor_law law;
    size_t dimension;
    uint64_t releases;
    uint64_t latest_size; /* how many values the latest release covers */
    uint64_t covered;     /* how many all releases cover */
    int64_t *latest;      /* the noisy sum of the latest batch alone */
    int64_t *total;       /* the sum of all releases */
    int64_t *sum;         /* exact, of the open batch; gone once it is released */
    int64_t *draw;
} lotor_batch;

lotor_status lotor_batch_new(size_t dimension, lotor_law law, uint64_t scale, lotor_batch **out);
void lotor_batch_free(lotor_batch *batch);

/* Opens a batch of `size` > 0 values: a public number. LOTOR_UNFINISHED while one is open. */
lotor_status lotor_batch_open(lotor_batch *batch, uint64_t size);

/* Adds one value; *released says whether that filled the batch. LOTOR_RELEASED when no batch is
 * open; on LOTOR_ENTROPY nothing changed. */
lotor_status lotor_batch_insert(lotor_batch *batch, const int64_t *value, lotor_noise *noise,
                                bool *released);

/* The same for `rounds` > 0 values that add up to `sum`, no more than the open batch has room for
 * (else LOTOR_INVALID): what simulations use to skip ahead. */
lotor_status lotor_batch_insert_block(lotor_batch *batch, const int64_t *sum, uint64_t rounds,
                                      lotor_noise *noise, bool *released);

/* The same with noise of the caller's own making, which is in `draw` if this fills the batch. */
lotor_status lotor_batch_insert_drawn(lotor_batch *batch, const int64_t *sum, uint64_t rounds,
                                      bool *released);

/* Whether the batches so far were of sizes 1, 2, 4, ... and the next one is open: what must hold of
 * a loaded doubling series. */
bool lotor_batch_is_doubling(const lotor_batch *batch);

void lotor_batch_save(const lotor_batch *batch, lotor_writer *writer);
void lotor_batch_load(lotor_batch *batch, lotor_reader *reader);

#endif
