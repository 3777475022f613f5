/* statistic.h - one private statistic per arm, released to the board.
 *
 * Feeding an arm's observations makes releases happen; each goes to the board as (sum, count) of
 * that arm. `exact` releases the running sum after every observation without noise (the
 * non-private baselines); `tree` the same through a binary tree; `doubling` the sum of the latest
 * full batch of 1, 2, 4, ... observations.
 */
#ifndef LOTOR_PRIVACY_RELEASE_STATISTIC_H
#define LOTOR_PRIVACY_RELEASE_STATISTIC_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "board/board.h"
#include "privacy/noise/noise.h"
#include "privacy/release/scale.h"

typedef struct lotor_statistic lotor_statistic;

typedef enum lotor_statistic_kind {
    LOTOR_STATISTIC_EXACT = 0,
    LOTOR_STATISTIC_TREE = 1,
    LOTOR_STATISTIC_DOUBLING = 2
} lotor_statistic_kind;

/* The name of a kind: "exact", "tree", "doubling batches". */
const char *lotor_statistic_name(lotor_statistic_kind kind);

/* `params` describe what one round moves over all arms together (l1) and the horizon in rounds;
 * `unit` is the size of a unit on the board. The noise on one released number is *scale units. */
lotor_status lotor_statistic_new(lotor_statistic_kind kind, size_t arms,
                                 const lotor_release_params *params, double unit,
                                 lotor_message *why, lotor_statistic **out);
void lotor_statistic_free(lotor_statistic *statistic);
uint64_t lotor_statistic_scale(const lotor_statistic *statistic);

/* How many more observations of an arm can be fed before the board changes. */
uint64_t lotor_statistic_room(const lotor_statistic *statistic, size_t arm);

/* Feeds `rounds` observations that add up to `sum`: one, or up to `room` of them. `time` is the
 * round that they end with, above the arm's last one; the release is dated with it. On LOTOR_ENTROPY
 * nothing changed. When the board's journal refuses, the observations are in and the release is kept:
 * the same call again only posts it. Nothing is fed twice, and no noise is drawn twice. */
lotor_status lotor_statistic_feed(lotor_statistic *statistic, size_t arm, int64_t sum,
                                  uint64_t rounds, uint64_t time, lotor_noise *noise,
                                  lotor_board *board);

void lotor_statistic_save(const lotor_statistic *statistic, lotor_writer *writer);
void lotor_statistic_load(lotor_statistic *statistic, lotor_reader *reader);

#endif
