/* statistic.h - what is counted for each arm, and how it is made private: one table of statistics.
 *
 * Feeding an arm's observations makes releases. The board gets each release as (sum, count) of that
 * arm. A statistic is a row of the table LOTOR_STATISTICS below: flags that say how it behaves, and the
 * functions that do the work. To add one, write a file that defines its row (statistic_kind.h) and add
 * its name to the table. Generic code and generic tests loop over the table.
 *
 *      exact         the running sum after every observation, without noise (the baselines)
 *      tree          the same through a binary tree per arm; `tree_tight` and `tree_gaussian` differ
 *                    in their noise
 *      hybrid        as tree, without a horizon
 *      doubling      the sum of the latest full batch of 1, 2, 4, ... observations
 *      growing       the sum of every full batch of 1, 1, 1, 2, 3, 4, 6, ... observations; an arm's
 *                    release number b goes to the board as statistic b, so that all stay
 *      episodes      the sum of the latest full batch of 1, 1, 2, 4, 8, ... observations
 *      batch_total   the sum of all full batches of 1, 2, 4, ... observations
 *      reports       the running sum of reports, each with noise of its own: what a server knows
 *                    when every person adds the noise before sending (the local model)
 *      bits          how many of the reports were 1, and of how many: each bit may be a lie
 *      vector_tree   one binary tree over rounds whose values are vectors, an entry per arm: every
 *                    round releases every arm's sum anew
 *      click_reports one report of the click's place a round (local/position.md); per shown item the
 *                    board has the sums of both estimates: clicked (statistic 0), observed (1)
 *      click_batches per item batches of 1, 2, 4, ... displays; the latest batch's clicks (0) and
 *                    observations (1), each with noise (rounds.md)
 *      cube_reports  one report of all rewards a round (local/cube.md); per arm the sum of the
 *                    estimates (0)
 *
 * The last four take a round as a whole. In lists the values say where the click was: the first one
 * that is not 0. Nobody looked further than the click.
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
#include "privacy/release/schedule.h"

typedef struct lotor_statistic lotor_statistic;
typedef struct lotor_statistic_part lotor_statistic_part; /* statistic_kind.h */

/* What a person's device sends (privacy/local), where the releases are sums of such reports. */
typedef enum lotor_report_form {
    LOTOR_REPORT_NONE = 0,
    LOTOR_REPORT_LAPLACE = 1,  /* a number of units per asked arm */
    LOTOR_REPORT_BIT = 2,      /* 0 or 1 */
    LOTOR_REPORT_POSITION = 3, /* the place of the click, from 1 */
    LOTOR_REPORT_CUBE = 4      /* a sign per slot */
} lotor_report_form;

/* What a counter has made public so far. */
typedef struct lotor_running_sum {
    const int64_t *sum; /* per coordinate, in units; valid until the statistic changes */
    uint64_t covered;   /* how many values it covers */
    uint64_t added;     /* how many values came in: a public number too */
} lotor_running_sum;

/* A row of the table. Every function may be NULL unless its comment says otherwise. */
typedef struct lotor_statistic_kind {
    const char *name;  /* for people: "tree", "doubling batches", "Laplace reports", ... */
    const char *noise; /* for people: "discrete Laplace", ... */
    lotor_law law;     /* of the noise; Laplace where there is none */

    /* How it behaves. */
    bool is_at_once;   /* each observation is released as it comes, and moves its own arm alone */
    bool hears_lists;  /* it hears of every item of a list, with 0 for those after the click; its
                           facts are two per arm: clicked and observed */
    bool records_one;  /* each round is recorded for one arm of the shown list (policy/hold.c) */
    bool releases_all; /* each round releases every arm anew, shown or not */
    bool
        keeps_batches; /* every batch stays on the board as a statistic of its own; else the latest */
    lotor_schedule *schedule; /* how long its batches are; NULL: it has none */
    lotor_report_form report; /* what a device may send in its place (lotor_statistic_take) */

    /* As a public counter (counter.c); `counter` is NULL where it is none. */
    const char *counter; /* the counter's name: "tree", "hybrid", "batch", "gaussian-tree" */
    const char *theorem;
    bool needs_horizon;
    void (*describe)(const void *state, char *sizes, size_t capacity); /* such as "17 levels" */
    lotor_running_sum (*running)(const void *state);

    /* The noise on one released number, in units, and the horizon that holds. Never NULL. */
    lotor_status (*plan)(const lotor_release_params *params, lotor_message *why, uint64_t *scale,
                         uint64_t *horizon);

    /* The state that all arms share. */
    lotor_status (*make)(lotor_statistic *statistic, const lotor_release_params *params,
                         lotor_message *why, void **state);
    void (*free)(void *state);

    /* Those fed arm by arm have `insert`, and perhaps a state for each arm. `insert` puts in `rounds`
     * observations that add up to *sum, or changes nothing; it sets *due (true before the call) to
     * whether that made a release. `load_arm` marks the reader as damaged if the bytes do not fit. */
    lotor_status (*make_arm)(const lotor_statistic *statistic, const lotor_release_params *params,
                             lotor_message *why, void **state);
    void (*free_arm)(void *state);
    lotor_status (*insert)(const lotor_statistic *statistic, lotor_statistic_part *arm,
                           const int64_t *sum, uint64_t rounds, lotor_noise *noise, bool *due);
    void (*save_arm)(const void *state, lotor_writer *writer);
    void (*load_arm)(const lotor_statistic *statistic, void *state, lotor_reader *reader);

    /* Those fed by whole rounds have these instead. `insert_round` takes a round in, or changes nothing;
     * `take_round` does the same with a report that came randomized. */
    lotor_status (*insert_round)(lotor_statistic *statistic, const uint32_t *arms,
                                 const int64_t *values, size_t count, uint64_t time,
                                 lotor_noise *noise);
    void (*take_round)(lotor_statistic *statistic, const uint32_t *arms, int64_t report,
                       size_t count, uint64_t time);
    bool saves_arms; /* the saved form has a part for each arm besides what `save` writes */
    void (*save)(const lotor_statistic *statistic, lotor_writer *writer);
    void (*load)(lotor_statistic *statistic, lotor_reader *reader);

    /* Posts the arm's latest release: the same one each time. Never NULL. */
    lotor_status (*post)(const lotor_statistic *statistic, size_t arm, lotor_board *board);

    uint64_t (*room)(const lotor_statistic *statistic, size_t arm); /* NULL: 1 */
    double (*noise_of)(const lotor_statistic *statistic);           /* NULL: scale times unit */
    double (*spread)(const lotor_statistic *statistic);             /* NULL: 1 */

    /* Whether a loaded board holds what the arm released, after `shown` displays of it. NULL: this
     * is not checked. */
    bool (*fits)(const lotor_statistic *statistic, size_t arm, const lotor_board *board,
                 uint64_t shown);
} lotor_statistic_kind;

/* The table: row(NAME) is the row lotor_statistic_NAME. */
/* clang-format off */
#define LOTOR_STATISTICS(row)                                                  \
    row(exact)            /* statistic_reports.c */                            \
    row(reports)                                                               \
    row(reports_gaussian) /* as Wang et al. 2022 calibrate it */               \
    row(reports_composed) /* Laplace noise by their composition theorem */     \
    row(bits)             /* statistic_bits.c */                               \
    row(tree)             /* statistic_trees.c: with the paper's levels */     \
    row(tree_tight)       /* with the tree's own levels: errata 13 */          \
    row(tree_gaussian)                                                         \
    row(hybrid)           /* statistic_hybrid.c */                             \
    row(doubling)         /* statistic_batches.c */                            \
    row(growing)                                                               \
    row(episodes)                                                              \
    row(batch_total)                                                           \
    row(vector_tree)      /* statistic_vector.c */                             \
    row(click_reports)    /* statistic_clicks.c */                             \
    row(click_batches)    /* statistic_click_batches.c */                      \
    row(cube_reports)     /* statistic_cube.c */
/* clang-format on */

#define LOTOR_STATISTIC_ROW(name) extern const lotor_statistic_kind lotor_statistic_##name;
LOTOR_STATISTICS(LOTOR_STATISTIC_ROW)
#undef LOTOR_STATISTIC_ROW

/* All rows, ended by NULL. */
extern const lotor_statistic_kind *const lotor_statistics[];

/* The row that is the public counter of that name; or NULL. */
const lotor_statistic_kind *lotor_statistic_counter(const char *name);

/* Whether it takes whole rounds alone: lotor_statistic_feed is not for it. */
static inline bool lotor_statistic_is_by_round(const lotor_statistic_kind *kind)
{
    return kind->insert_round != NULL;
}

/* How many statistics its board has, for rounds up to the horizon (0: none declared). */
size_t lotor_statistic_rows(const lotor_statistic_kind *kind, uint64_t horizon);

/* Of those that record one arm a round: for how many displays a list stays that is recorded for an arm
 * with `shown` displays so far, and whether such a list can have ended there. */
uint64_t lotor_statistic_displays(const lotor_statistic_kind *kind, uint64_t shown);
bool lotor_statistic_is_end(const lotor_statistic_kind *kind, uint64_t shown);

/* `params` describe what one round moves over all arms together (l1, l2) and the horizon in rounds;
 * `unit` is the size of a unit on the board. The noise on one released number is *scale units. */
lotor_status lotor_statistic_new(const lotor_statistic_kind *kind, size_t arms,
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

/* Whether a loaded board holds what the statistic released, and no arm has more observations than
 * `shown` displays. True for rows without `fits`. */
bool lotor_statistic_fits(const lotor_statistic *statistic, const lotor_board *board,
                          const uint64_t *shown);

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
 * signs as bits. For rows with a form of report. */
lotor_status lotor_statistic_take(lotor_statistic *statistic, const uint32_t *arms,
                                  const int64_t *report, size_t count, uint64_t time,
                                  lotor_board *board);

void lotor_statistic_save(const lotor_statistic *statistic, lotor_writer *writer);
void lotor_statistic_load(lotor_statistic *statistic, lotor_reader *reader);

/* A statistic of one arm as a counter, without a board: for rows that have a counter's name. The values
 * of its stream have params->dimension numbers. Nothing changes on LOTOR_HORIZON and LOTOR_ENTROPY. */
lotor_status lotor_statistic_add(lotor_statistic *statistic, const int64_t *value,
                                 lotor_noise *noise);
lotor_running_sum lotor_statistic_running(const lotor_statistic *statistic);
void lotor_statistic_describe(const lotor_statistic *statistic, char *sizes, size_t capacity);
void lotor_statistic_save_counter(const lotor_statistic *statistic, lotor_writer *writer);
void lotor_statistic_load_counter(lotor_statistic *statistic, lotor_reader *reader);

#endif
