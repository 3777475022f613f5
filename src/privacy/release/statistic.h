/* statistic.h - what is counted for each arm, and how it is made private: the table of statistics.
 *
 * Feeding observations of an arm causes releases. The board gets each release as (sum, count) of
 * that arm. A statistic is a row of the table LOTOR_STATISTICS below: flags that say how it
 * behaves, and functions that do the work. To add a statistic, write a file that defines its row
 * (statistic_kind.h) and add its name to the table. Generic code and generic tests loop over the
 * table.
 *
 *      exact         the running sum after every observation, without noise (the baselines)
 *      tree          the same through a binary tree per arm; `tree_tight` and `tree_gaussian`
 *                    differ in their noise
 *      hybrid        as tree, without a horizon
 *      doubling      the sum of the latest full batch of 1, 2, 4, ... observations
 *      growing       the sum of every full batch of 1, 1, 1, 2, 3, 4, 6, ... observations; release
 *                    number b of an arm goes to the board as statistic b, so all of them stay there
 *      episodes      the sum of the latest full batch of 1, 1, 2, 4, 8, ... observations
 *      episodes_kept the sum of every such batch; each has a row of its own, as in growing
 *      chosen        the sum of every full batch of an arm; the learner closes batches, from releases
 *                    and public counts alone; each batch has a row of its own, as in growing
 *      batch_total   the sum of all full batches of 1, 2, 4, ... observations
 *      reports       the running sum of reports, each with its own noise: what a server knows if
 *                    every person adds the noise before sending (the local model)
 *      bits          how many reports there were, and how many were 1; each bit may be a lie
 *      vector_tree   one binary tree over rounds whose values are vectors with an entry per arm:
 *                    every round releases the sum of every arm again
 *      click_reports one report of the click's position per round (local/position.md); the board
 *                    has, per shown item, sums of estimates: clicked (statistic 0), observed (1)
 *      click_batches batches of 1, 2, 4, ... displays per item; the clicks (statistic 0) and the
 *                    observations (1) of the latest batch, each with noise (rounds.md)
 *      cube_reports  one report of all rewards per round (local/cube.md); the sum of the estimates
 *                    per arm (statistic 0)
 *
 * The last four take whole rounds. In lists, the first value that is not 0 is the click. Items
 * after the click were not looked at.
 */
#ifndef LOTOR_PRIVACY_RELEASE_STATISTIC_H
#define LOTOR_PRIVACY_RELEASE_STATISTIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "board/board.h"
#include "privacy/noise/noise.h"
#include "privacy/release/claim.h"
#include "privacy/release/scale.h"
#include "privacy/release/schedule.h"

typedef struct lotor_statistic lotor_statistic;
typedef struct lotor_statistic_part lotor_statistic_part; /* statistic_kind.h */

/* The report of a person's device (privacy/local), if the releases are sums of such reports. */
typedef enum lotor_report_form {
    LOTOR_REPORT_NONE = 0,
    LOTOR_REPORT_LAPLACE = 1,  /* a number of units per recorded arm */
    LOTOR_REPORT_BIT = 2,      /* 0 or 1 */
    LOTOR_REPORT_POSITION = 3, /* the position of the click, from 1 */
    LOTOR_REPORT_CUBE = 4      /* a sign per slot */
} lotor_report_form;

/* The numbers that a counter has made public so far. */
typedef struct lotor_running_sum {
    const int64_t *sum; /* per coordinate, in units; valid until the statistic changes */
    uint64_t covered;   /* how many values the sum covers */
    uint64_t added;     /* how many values were added: also public */
} lotor_running_sum;

enum { LOTOR_SKIP_GRAIN = 8 }; /* skips start at counts that are multiples of this */

/* For simulations: observations of one arm that are fed together, while the arm's released sum
 * stays above a line. The line rises by the same amount with every observation. Releases in between
 * are never drawn (dips.md). All numbers are in the unit of the values, except those of `draw`. */
typedef struct lotor_skip {
    const struct lotor_dips *dips;
    double margin; /* how far the released sum is above the line now */
    double loss;   /* how fast the line rises, less the mean of an observation; at least 0 */
    double width;  /* of the range of an observation */
    uint64_t most; /* the most observations */
    int64_t (*draw)(void *context, uint32_t arm, uint64_t rounds); /* their sum, in units */
    void *context;
    uint32_t arm;
} lotor_skip;

/* A row of the table. Every function may be NULL unless its comment says otherwise. */
typedef struct lotor_statistic_kind {
    const char *name;  /* shown to users: "tree", "doubling batches", "Laplace reports", ... */
    const char *noise; /* shown to users: "discrete Laplace", ... */
    lotor_law law;     /* of the noise; Laplace if there is none */
    lotor_claim claim; /* what is proved about it; a row without a claim is not private */

    /* How the statistic behaves. */
    bool is_at_once;    /* each observation is released at once, and changes only its own arm */
    bool hears_lists;   /* gets whole lists, 0 after the click; has two facts per arm */
    bool records_one;   /* each round is recorded for one arm of the shown list (policy/hold.c) */
    bool releases_all;  /* each round releases every arm again, shown or not */
    bool keeps_batches; /* every batch stays on the board as its own statistic */
    bool is_closed_outside;   /* batches end where lotor_statistic_close says; it has no schedule */
    lotor_schedule *schedule; /* the sizes of its batches; NULL: it has no batches */
    lotor_report_form
        report; /* what a device can send in its place (lotor_statistic_feed_report) */

    /* The public counter that this row is (counter.c); `counter` is NULL if it is none. */
    const char *counter; /* the counter's name: "tree", "hybrid", "batch", "gaussian-tree" */
    const char *theorem;
    bool needs_horizon;
    void (*describe)(const void *state, char *sizes, size_t capacity); /* such as "17 levels" */
    lotor_running_sum (*running)(const void *state);

    /* The scale of the noise on one released number, in units, and the largest number of values.
     * Never NULL. */
    lotor_status (*plan)(const lotor_release_params *params, lotor_message *why, uint64_t *scale,
                         uint64_t *horizon);

    /* The state that all arms share. It is freed with `free`. */
    lotor_status (*make)(lotor_statistic *statistic, const lotor_release_params *params,
                         lotor_message *why, void **state);
    void (*free)(void *state);

    /* Statistics that are fed arm by arm have `insert`, and may have a state per arm. `insert` adds
     * `rounds` observations with the sum *sum, or changes nothing. It sets *due (true before the
     * call) to whether this made a release. `load_arm` marks the reader as damaged if the bytes do
     * not fit. */
    lotor_status (*make_arm)(const lotor_statistic *statistic, const lotor_release_params *params,
                             lotor_message *why, void **state);
    void (*free_arm)(void *state);
    lotor_status (*insert)(const lotor_statistic *statistic, lotor_statistic_part *arm,
                           const int64_t *sum, uint64_t rounds, lotor_noise *noise, bool *due);
    uint64_t (*skip)(const lotor_statistic *statistic, lotor_statistic_part *arm,
                     const lotor_skip *skip, lotor_noise *noise); /* lotor_statistic_skip */
    void (*save_arm)(const void *state, lotor_writer *writer);
    void (*load_arm)(const lotor_statistic *statistic, void *state, lotor_reader *reader);

    /* Statistics that are fed whole rounds have these functions instead. `insert_round` adds a
     * round, or changes nothing. `take_round` does the same with a report that a device has
     * randomized. */
    lotor_status (*insert_round)(lotor_statistic *statistic, const uint32_t *arms,
                                 const int64_t *values, size_t count, uint64_t time,
                                 lotor_noise *noise);
    void (*take_round)(lotor_statistic *statistic, const uint32_t *arms, int64_t report,
                       size_t count, uint64_t time);
    bool saves_arms; /* the saved form has a part for each arm, besides what `save` writes */
    void (*save)(const lotor_statistic *statistic, lotor_writer *writer);
    void (*load)(lotor_statistic *statistic, size_t arms,
                 lotor_reader *reader); /* the first arms */

    /* Posts the latest release of an arm. Repeated calls post the same release. Never NULL. */
    lotor_status (*post)(const lotor_statistic *statistic, size_t arm, lotor_board *board);

    /* The numbers that lotor_statistic_room, lotor_statistic_noise and lotor_statistic_spread return. */
    uint64_t (*room)(const lotor_statistic *statistic, size_t arm); /* NULL: 1 */
    double (*noise_of)(const lotor_statistic *statistic);           /* NULL: scale times unit */
    double (*spread)(const lotor_statistic *statistic);             /* NULL: 1 */

    /* True if a loaded board holds what the arm released, after `shown` displays of the arm. NULL:
     * not checked. */
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
    row(episodes_kept)                                                         \
    row(batch_total)                                                           \
    row(chosen)           /* statistic_chosen.c */                             \
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

/* The row that is the public counter of that name, or NULL. */
const lotor_statistic_kind *lotor_statistic_counter(const char *name);

/* True if the statistic takes only whole rounds; then lotor_statistic_feed is not for it. */
static inline bool lotor_statistic_is_by_round(const lotor_statistic_kind *kind)
{
    return kind->insert_round != NULL;
}

/* How many statistics (rows) its board needs for rounds up to the horizon (0: no horizon is
 * declared). */
size_t lotor_statistic_rows(const lotor_statistic_kind *kind, uint64_t horizon);

/* For statistics that record one arm per round: for how many displays a list stays that is recorded
 * for an arm with `shown` displays so far; and whether such a list can have ended there. */
uint64_t lotor_statistic_displays(const lotor_statistic_kind *kind, uint64_t shown);
bool lotor_statistic_is_end(const lotor_statistic_kind *kind, uint64_t shown);

/* Of those with `is_closed_outside`: the batch of an arm that is open to displays ends after `size`
 * displays. `size` must be a function of releases and of public counts, and the last of these
 * displays must not have been fed yet. If 65 closed batches of the arm wait already, the batch stays
 * open: close it with a later display. lotor_statistic_reopen undoes the latest close, if its batch
 * is not released. lotor_statistic_waiting counts the displays in batches that are closed and not
 * released, lotor_statistic_covered those in released ones. All are public numbers. */
void lotor_statistic_close(lotor_statistic *statistic, size_t which, uint64_t size);
void lotor_statistic_reopen(lotor_statistic *statistic, size_t which);
uint64_t lotor_statistic_waiting(const lotor_statistic *statistic, size_t which);
uint64_t lotor_statistic_covered(const lotor_statistic *statistic, size_t which);

/* How many observations of an arm were fed, without one whose release is not on the board yet: its
 * round has not ended. Of `chosen` and of `bits`. */
uint64_t lotor_statistic_fed_count(const lotor_statistic *statistic, size_t which);

/* `params` says how far one round can move the sums of all arms together (l1, l2), and the horizon
 * in rounds. `unit` is the size of a unit on the board. lotor_statistic_scale is the scale of the
 * noise on one released number, in units. */
lotor_status lotor_statistic_new(const lotor_statistic_kind *kind, size_t arms,
                                 const lotor_release_params *params, double unit,
                                 lotor_message *why, lotor_statistic **out);
void lotor_statistic_free(lotor_statistic *statistic);
uint64_t lotor_statistic_scale(const lotor_statistic *statistic);

/* The same in the unit of the values. For bits and click reports: the probability of a lie. For
 * cube reports: how far the estimate from one report is from the middle of the range. */
double lotor_statistic_noise(const lotor_statistic *statistic);

/* The weight of one report in an unbiased estimate: 1/(p-q) for click reports, B for cube reports,
 * otherwise 1. */
double lotor_statistic_spread(const lotor_statistic *statistic);

/* True if a loaded board holds what the statistic released, and no arm has more observations than
 * `shown` displays. Always true for rows without `fits`. */
bool lotor_statistic_fits(const lotor_statistic *statistic, const lotor_board *board,
                          const uint64_t *shown);

/* Puts one observation of every arm on the board without noise, before the first round. The
 * algorithms of Wang et al. 2022 start like this. It protects nobody whose observation is used. */
lotor_status lotor_statistic_begin(lotor_statistic *statistic, const int64_t *first,
                                   lotor_board *board);

/* How many more observations of an arm can be fed before the board changes. */
uint64_t lotor_statistic_room(const lotor_statistic *statistic, size_t arm);

/* Feeds `rounds` observations with the sum `sum`: one observation, or up to lotor_statistic_room of
 * them. `time` is the last of these rounds, and must be above the arm's previous time; it becomes
 * the time of the release. LOTOR_ENTROPY: nothing changed. If the board's journal refuses, the
 * observations are in and the release is kept; call it again with the same arguments, and it only
 * posts. Nothing is fed twice, and no noise is drawn twice. Bits take several observations only in
 * simulations, and only of rewards that are the smallest or the largest one. Not for statistics
 * that take whole rounds. */
lotor_status lotor_statistic_feed(lotor_statistic *statistic, size_t arm, int64_t sum,
                                  uint64_t rounds, uint64_t time, lotor_noise *noise,
                                  lotor_board *board);

/* Feeds observations of skip->arm after round `time`, while its released sum stays above the line,
 * and posts the last release. *rounds says how many; each is one round. 0: feed one observation by
 * lotor_statistic_feed instead. Only for rows with `skip`, and only with simulated noise. */
lotor_status lotor_statistic_skip(lotor_statistic *statistic, const lotor_skip *skip, uint64_t time,
                                  lotor_noise *noise, lotor_board *board, uint64_t *rounds);

/* Feeds a whole round: one observation of each of `count` different arms. After a failure, call it
 * again with the same arguments: it continues where it stopped, as above. */
lotor_status lotor_statistic_feed_round(lotor_statistic *statistic, const uint32_t *arms,
                                        const int64_t *values, size_t count, uint64_t time,
                                        lotor_noise *noise, lotor_board *board);

/* Feeds a round whose report a device has randomized, by the same law (local/randomize.h). No noise
 * is added: the report is private already, and summing it is post-processing. Laplace reports and
 * bits have one number per arm; a click report is the position (from 1); a cube report is the signs
 * as bits. Only for rows with a report form. */
lotor_status lotor_statistic_feed_report(lotor_statistic *statistic, const uint32_t *arms,
                                         const int64_t *report, size_t count, uint64_t time,
                                         lotor_board *board);

void lotor_statistic_save(const lotor_statistic *statistic, lotor_writer *writer);
void lotor_statistic_load(lotor_statistic *statistic, lotor_reader *reader);

/* Loads a statistic that was saved with fewer arms: they become the first `arms` arms of this one, which
 * is new. The others stay as they are in a new statistic. Not for rows that release all arms together. */
void lotor_statistic_load_first(lotor_statistic *statistic, size_t arms, lotor_reader *reader);

/* A statistic of one arm as a counter, without a board: for rows with a counter name. The values of
 * its stream have params->dimension numbers. After LOTOR_HORIZON and LOTOR_ENTROPY nothing
 * changed. */
lotor_status lotor_statistic_add(lotor_statistic *statistic, const int64_t *value,
                                 lotor_noise *noise);
lotor_running_sum lotor_statistic_running(const lotor_statistic *statistic);
void lotor_statistic_describe(const lotor_statistic *statistic, char *sizes, size_t capacity);
void lotor_statistic_save_counter(const lotor_statistic *statistic, lotor_writer *writer);
void lotor_statistic_load_counter(lotor_statistic *statistic, lotor_reader *reader);

#endif
