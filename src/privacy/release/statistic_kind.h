/* statistic_kind.h - the state of a statistic, for the files that define one.
 *
 * For statistic.c, the statistic_*.c files and their tests. statistic.h has the type of the rows.
 */
#ifndef LOTOR_PRIVACY_RELEASE_STATISTIC_KIND_H
#define LOTOR_PRIVACY_RELEASE_STATISTIC_KIND_H

#include <assert.h>

#include "privacy/release/statistic.h"

/* The state of one arm, or of all arms together. */
struct lotor_statistic_part {
    void *state; /* made by the functions of the row; or NULL */
    int64_t sum; /* the sum of values, of reports or of ones; for a hybrid: the first observation */
    uint64_t count;
    uint64_t fed; /* the time of the latest observation */
    bool due;     /* the release of that observation is not on the board yet */
};

struct lotor_statistic {
    const lotor_statistic_kind *kind;
    size_t arms;
    uint64_t scale;   /* of the noise on one released number, in units */
    uint64_t horizon; /* the most values */
    double unit;
    uint64_t begun; /* 1: there was a first observation, and times on the board are one later */
    lotor_statistic_part whole; /* the part that all arms share */
    lotor_statistic_part parts[];
};

/* Posts a release of an arm with its own part. */
static inline lotor_status lotor_statistic_post(const lotor_statistic *statistic, size_t row,
                                                size_t arm, int64_t sum, uint64_t count,
                                                lotor_board *board)
{
    assert(arm < statistic->arms);
    const uint64_t time = statistic->parts[arm].fed + statistic->begun;
    return lotor_board_post(board, row, arm,
                            (lotor_fact){(double)sum * statistic->unit, count, time});
}

/* The plan for statistics in which every value is in one released number: noise l1 / epsilon. */
lotor_status lotor_statistic_plan_once(const lotor_release_params *params, lotor_message *why,
                                       uint64_t *scale, uint64_t *horizon);

/* The plan for statistics that add no noise here: exact sums, and sums of randomized reports. */
lotor_status lotor_statistic_plan_none(const lotor_release_params *params, lotor_message *why,
                                       uint64_t *scale, uint64_t *horizon);

/* statistic_chosen.c: how many batches an arm can have within so many rounds; 0: within 2^62. */
size_t lotor_chosen_rows(uint64_t horizon);

/* The position of the click in a list of `count` items, from 0; `count` if there is no click. */
static inline size_t lotor_statistic_click(const int64_t *values, size_t count)
{
    size_t click = 0;
    while (click < count && values[click] == 0) {
        click++;
    }
    return click;
}

#endif
