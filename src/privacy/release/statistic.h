/* statistic.h - one private statistic per arm, released to the board.
 *
 * Feeding an arm's observations makes releases happen; each goes to the board as (sum, count) of
 * that arm:
 *
 *      exact       the running sum after every observation, without noise (the baselines)
 *      tree        the same through a binary tree per arm
 *      doubling    the sum of the latest full batch of 1, 2, 4, ... observations
 *      reports     the running sum of reports, each with noise of its own: what a server knows
 *                  when every person adds the noise before sending (the local model)
 *      vector tree one binary tree over rounds whose values are vectors, an entry per arm: every
 *                  round releases every arm's sum anew
 *      hybrid      as tree, without a horizon
 *      growing     the sum of every full batch of 1, 1, 1, 2, 3, 4, 6, ... observations; an arm's
 *                  release number b goes to the board as statistic b, so that all stay
 *      episodes    the sum of the latest full batch of 1, 1, 2, 4, 8, ... observations
 *      bits        how many of the reports were 1, and of how many: each is one bit that may lie
 *      clicks, cube  reports and batches of a whole round: rounds.h
 */
#ifndef LOTOR_PRIVACY_RELEASE_STATISTIC_H
#define LOTOR_PRIVACY_RELEASE_STATISTIC_H

#include <stdbool.h>
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
    LOTOR_STATISTIC_DOUBLING = 2,
    LOTOR_STATISTIC_REPORTS = 3,          /* Laplace noise */
    LOTOR_STATISTIC_REPORTS_GAUSSIAN = 4, /* as Wang et al. 2022 calibrate it */
    LOTOR_STATISTIC_REPORTS_COMPOSED = 5, /* Laplace noise by their composition theorem */
    LOTOR_STATISTIC_VECTOR_TREE = 6,
    LOTOR_STATISTIC_HYBRID = 7,
    LOTOR_STATISTIC_TREE_TIGHT = 8, /* for the tree's own levels: errata 13 */
    LOTOR_STATISTIC_CLICK_REPORTS = 9,
    LOTOR_STATISTIC_CLICK_BATCHES = 10,
    LOTOR_STATISTIC_CUBE_REPORTS = 11,
    LOTOR_STATISTIC_GROWING = 12,
    LOTOR_STATISTIC_BITS = 13,
    LOTOR_STATISTIC_EPISODES = 14
} lotor_statistic_kind;

/* "exact", "tree", "doubling batches", "Laplace reports", ... */
const char *lotor_statistic_name(lotor_statistic_kind kind);

/* Whether every observation is released by itself, as it comes, and moves its own arm alone. */
bool lotor_statistic_is_at_once(lotor_statistic_kind kind);

/* Whether it takes whole rounds alone: lotor_statistic_feed is not for it. */
bool lotor_statistic_is_by_round(lotor_statistic_kind kind);

/* Whether it hears of every item of a list, with 0 for those that nobody looked at. */
bool lotor_statistic_hears_lists(lotor_statistic_kind kind);

/* Whether its releases are sums of batches alone; whether they are sums of reports, each of which
 * could have been randomized by the person's own device (lotor_statistic_take). */
bool lotor_statistic_is_batched(lotor_statistic_kind kind);
bool lotor_statistic_is_reported(lotor_statistic_kind kind);

/* `params` describe what one round moves over all arms together (l1, l2) and the horizon in rounds;
 * `unit` is the size of a unit on the board. The noise on one released number is *scale units. */
lotor_status lotor_statistic_new(lotor_statistic_kind kind, size_t arms,
                                 const lotor_release_params *params, double unit,
                                 lotor_message *why, lotor_statistic **out);
void lotor_statistic_free(lotor_statistic *statistic);
uint64_t lotor_statistic_scale(const lotor_statistic *statistic);

/* The same in the values' own unit. Of bits and click reports: how likely a lie is; of cube reports:
 * how far each one's estimate is from the middle of the range. */
double lotor_statistic_noise(const lotor_statistic *statistic);

/* What one report counts for, to be right on average: 1/(p-q) of click reports, B of cube reports;
 * else 1. */
double lotor_statistic_spread(const lotor_statistic *statistic);

/* Whether each round is recorded for one arm of the list that is shown (policy/hold.c). */
bool lotor_statistic_records_one(lotor_statistic_kind kind);

/* How many statistics its board has, for rounds up to the horizon (0: none declared). */
size_t lotor_statistic_rows(lotor_statistic_kind kind, uint64_t horizon);

/* Of those that record one arm a round: for how many displays a list stays that is recorded for an arm
 * with `shown` displays so far, and whether such a list can have ended there. */
uint64_t lotor_statistic_displays(lotor_statistic_kind kind, uint64_t shown);
bool lotor_statistic_is_end(lotor_statistic_kind kind, uint64_t shown);

/* Whether a loaded board holds what such a statistic released, and no arm has more observations than
 * `shown` displays. True for the other kinds, which are not looked at. */
bool lotor_statistic_fits(const lotor_statistic *statistic, const lotor_board *board,
                          const uint64_t *shown);

/* The law of its noise; Laplace where there is none. */
lotor_law lotor_statistic_law(lotor_statistic_kind kind);

/* Puts one observation of every arm on the board as it is, before the first round: what the ids of
 * Wang et al. 2022 start with. It protects nobody in it. */
lotor_status lotor_statistic_begin(lotor_statistic *statistic, const int64_t *first,
                                   lotor_board *board);

/* How many more observations of an arm can be fed before the board changes. */
uint64_t lotor_statistic_room(const lotor_statistic *statistic, size_t arm);

/* Feeds `rounds` observations that add up to `sum`: one, or up to `room` of them. `time` is the
 * round that they end with, above the arm's last one; the release is dated with it. On LOTOR_ENTROPY
 * nothing changed. When the board's journal refuses, the observations are in and the release is kept:
 * the same call again only posts it. Nothing is fed twice, and no noise is drawn twice. Not for
 * those by round. */
lotor_status lotor_statistic_feed(lotor_statistic *statistic, size_t arm, int64_t sum,
                                  uint64_t rounds, uint64_t time, lotor_noise *noise,
                                  lotor_board *board);

/* Feeds a whole round: one observation of each of `count` different arms. After a failure the same
 * call again goes on where it stopped, as above. */
lotor_status lotor_statistic_feed_round(lotor_statistic *statistic, const uint32_t *arms,
                                        const int64_t *values, size_t count, uint64_t time,
                                        lotor_noise *noise, lotor_board *board);

/* Takes in a round whose report came randomized, by the same law (local/randomize.h), and adds
 * nothing: what is private was made so before it came here, and adding it up is post-processing. Of
 * Laplace reports and bits one number per arm, of click reports the place (from 1), of cube reports the
 * signs as bits. For those of reports. */
lotor_status lotor_statistic_take(lotor_statistic *statistic, const uint32_t *arms,
                                  const int64_t *report, size_t count, uint64_t time,
                                  lotor_board *board);

void lotor_statistic_save(const lotor_statistic *statistic, lotor_writer *writer);
void lotor_statistic_load(lotor_statistic *statistic, lotor_reader *reader);

/* statistic_scale.c: the noise on one released number, in units, and the horizon that holds. */
lotor_status lotor_statistic_plan(lotor_statistic_kind kind, const lotor_release_params *params,
                                  lotor_message *why, uint64_t *scale, uint64_t *horizon);

#endif
