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
    uint64_t size,
        filled; /* the open batch: its size, and how many values are in; size 0: none is open */
    uint64_t scale;
    lotor_law law;
    size_t dimension;
    uint64_t releases;
    uint64_t latest_size; /* how many values the latest release covers */
    uint64_t covered;     /* how many values all releases cover */
    int64_t *latest;      /* the noisy sum of the latest batch alone */
    int64_t *total;       /* the sum of all releases */
    int64_t *sum;         /* the exact sum of the open batch; cleared when it is released */
    int64_t *noisy;       /* the release that is being made */
} lotor_batch;

lotor_status lotor_batch_new(size_t dimension, lotor_law law, uint64_t scale, lotor_batch **out);
void lotor_batch_free(lotor_batch *batch);

/* Opens a batch of `size` > 0 values; `size` must be public. LOTOR_UNFINISHED while a batch is
 * open. */
lotor_status lotor_batch_open(lotor_batch *batch, uint64_t size);

/* Adds one value; *released says whether that completed the batch. LOTOR_RELEASED: no batch is
 * open. LOTOR_ENTROPY: nothing changed. */
lotor_status lotor_batch_insert(lotor_batch *batch, const int64_t *value, lotor_noise *noise,
                                bool *released);

/* The same for `rounds` > 0 values with the sum `sum`. LOTOR_INVALID: there are more values than
 * the open batch has room for. Simulations use this to skip ahead. */
lotor_status lotor_batch_insert_sum(lotor_batch *batch, const int64_t *sum, uint64_t rounds,
                                    lotor_noise *noise, bool *released);

/* These two functions add values in two steps, for rounds that must go into several batches or into
 * none. `prepare` adds the noise to the sum, if these values complete the batch. It changes nothing
 * else, so it can be repeated. `commit` needs no noise, and must follow with the same values. */
lotor_status lotor_batch_prepare(lotor_batch *batch, const int64_t *sum, uint64_t rounds,
                                 lotor_noise *noise);
lotor_status lotor_batch_commit(lotor_batch *batch, const int64_t *sum, uint64_t rounds,
                                bool *released);

/* True if the sizes so far were 1, 2, 4, ... and the next batch is open. Must hold for a loaded
 * doubling series. */
bool lotor_batch_is_doubling(const lotor_batch *batch);

void lotor_batch_save(const lotor_batch *batch, lotor_writer *writer);
void lotor_batch_load(lotor_batch *batch, lotor_reader *reader);

#endif
