/* epoch.h - the sums that elimination learns from: those of all viable arms, released together.
 *
 * In an epoch every viable arm collects the same number of observations. Then either a
 * sparse-vector gate is asked whether the largest gap is above a public threshold, and the epoch
 * continues or ends; or the sums are released at once. After a release a new epoch starts with
 * empty sums.
 */
#ifndef LOTOR_PRIVACY_RELEASE_EPOCH_H
#define LOTOR_PRIVACY_RELEASE_EPOCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "board/board.h"
#include "privacy/noise/noise.h"
#include "privacy/release/claim.h"
#include "privacy/release/scale.h"

typedef struct lotor_epoch lotor_epoch;

/* The use of the observations. */
typedef enum lotor_epoch_kind {
    LOTOR_EPOCH_EXACT = 0, /* no noise, and sums are kept: successive elimination */
    LOTOR_EPOCH_BATCH = 1, /* noise 1/epsilon on each sum; each epoch starts with empty sums */
    LOTOR_EPOCH_GATED = 2, /* the same, with epsilon/2 for the gate and epsilon/2 for the sums */
    LOTOR_EPOCH_ADDED = 3  /* as batch, but the releases of an arm are added up */
} lotor_epoch_kind;

/* The name for users, and what is proved. A number that is not a kind has the name "unknown epochs"
 * and no claim. */
const char *lotor_epoch_name(lotor_epoch_kind kind);
lotor_claim lotor_epoch_claim(lotor_epoch_kind kind);

/* One round feeds one arm, and can move its sum by at most params->l1. */
lotor_status lotor_epoch_new(lotor_epoch_kind kind, size_t arms, const lotor_release_params *params,
                             double unit, lotor_message *why, lotor_epoch **out);
void lotor_epoch_free(lotor_epoch *epoch);
uint64_t lotor_epoch_scale(const lotor_epoch *epoch); /* of the noise on a released sum, in units */
uint64_t lotor_epoch_gate_scale(const lotor_epoch *epoch); /* of sparse vector; 0: no gate */

/* How many observations of an arm there are in this epoch: a public number. */
uint64_t lotor_epoch_count(const lotor_epoch *epoch, size_t arm);

/* Feeds `rounds` observations of an arm with the sum `sum`. */
void lotor_epoch_feed(lotor_epoch *epoch, size_t arm, int64_t sum, uint64_t rounds);

/* Asks the gate: is the largest difference of two viable arms' sums at or above `threshold` (in the
 * unit of the rewards)? The result goes to the board as statistic 1, arm 0. LOTOR_ENTROPY: nothing
 * changed. */
lotor_status lotor_epoch_ask(lotor_epoch *epoch, const uint32_t *viable, size_t count,
                             double threshold, uint64_t time, lotor_noise *noise,
                             lotor_board *board);

/* Releases the sum of every viable arm to the board (statistic 0) and starts a new epoch.
 * LOTOR_ENTROPY: nothing changed. */
lotor_status lotor_epoch_release(lotor_epoch *epoch, const uint32_t *viable, size_t count,
                                 uint64_t time, lotor_noise *noise, lotor_board *board);

void lotor_epoch_save(const lotor_epoch *epoch, lotor_writer *writer);
void lotor_epoch_load(lotor_epoch *epoch, lotor_reader *reader);

#endif
