/* epoch.h - what elimination feeds on: sums of all viable arms, released together.
 *
 * In an epoch every viable arm collects the same number of observations. Then either a sparse-vector
 * gate is asked whether the largest gap is above a public threshold, and the epoch goes on or ends,
 * or the sums are released at once; after a release the next epoch starts afresh.
 */
#ifndef LOTOR_PRIVACY_RELEASE_EPOCH_H
#define LOTOR_PRIVACY_RELEASE_EPOCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "board/board.h"
#include "privacy/noise/noise.h"
#include "privacy/release/scale.h"

typedef struct lotor_epoch lotor_epoch;

/* What it does with the observations. */
typedef enum lotor_epoch_kind {
    LOTOR_EPOCH_EXACT = 0, /* no noise, nothing forgotten: successive elimination */
    LOTOR_EPOCH_BATCH = 1, /* noise 1/epsilon on each sum, then afresh */
    LOTOR_EPOCH_GATED = 2, /* epsilon/2 for the gate, epsilon/2 for the sums, then afresh */
    LOTOR_EPOCH_ADDED = 3  /* as batch, and what was released of an arm is added up */
} lotor_epoch_kind;

const char *lotor_epoch_name(lotor_epoch_kind kind);

/* One round feeds one arm and moves it by at most params->l1. */
lotor_status lotor_epoch_new(lotor_epoch_kind kind, size_t arms, const lotor_release_params *params,
                             double unit, lotor_message *why, lotor_epoch **out);
void lotor_epoch_free(lotor_epoch *epoch);
uint64_t lotor_epoch_scale(const lotor_epoch *epoch); /* of a released sum's noise, in units */

/* Observations of an arm in this epoch: a public number. */
uint64_t lotor_epoch_count(const lotor_epoch *epoch, size_t arm);

/* Feeds `rounds` observations of an arm that add up to `sum`. */
void lotor_epoch_feed(lotor_epoch *epoch, size_t arm, int64_t sum, uint64_t rounds);

/* Asks the gate: is the largest difference of two viable arms' sums at or above `threshold` (in the
 * rewards' unit)? The answer goes to the board as statistic 1, arm 0. Nothing changes on
 * LOTOR_ENTROPY. */
lotor_status lotor_epoch_ask(lotor_epoch *epoch, const uint32_t *viable, size_t count,
                             double threshold, uint64_t time, lotor_noise *noise,
                             lotor_board *board);

/* Releases every viable arm's sum to the board (statistic 0) and starts afresh. Nothing changes on
 * LOTOR_ENTROPY. */
lotor_status lotor_epoch_release(lotor_epoch *epoch, const uint32_t *viable, size_t count,
                                 uint64_t time, lotor_noise *noise, lotor_board *board);

void lotor_epoch_save(const lotor_epoch *epoch, lotor_writer *writer);
void lotor_epoch_load(lotor_epoch *epoch, lotor_reader *reader);

#endif
