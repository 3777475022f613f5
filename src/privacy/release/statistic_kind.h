/* statistic_kind.h - what the files that define a statistic see of it: its state, part by part.
 *
 * For statistic.c, the statistic_*.c files and tests of these. The type of the rows is in statistic.h.
 */
#ifndef LOTOR_PRIVACY_RELEASE_STATISTIC_KIND_H
#define LOTOR_PRIVACY_RELEASE_STATISTIC_KIND_H

#include "privacy/release/statistic.h"

/* What is kept of one arm, or of all arms together. */
struct lotor_statistic_part {
    void *state; /* as the row's functions make it; or NULL */
    int64_t sum; /* exact, or of reports, or ones; with a hybrid: the first observation */
    uint64_t count;
    uint64_t fed; /* the time of the latest observation */
    bool due;     /* that observation made a release that is not on the board yet */
};

struct lotor_statistic {
    const lotor_statistic_kind *kind;
    size_t arms;
    uint64_t scale;   /* of the noise on one released number, in units */
    uint64_t horizon; /* values at most */
    double unit;
    uint64_t begun; /* 1: there was a first observation, and times on the board are one later */
    lotor_statistic_part whole; /* what all arms share */
    lotor_statistic_part parts[];
};

/* Posts a release of an arm that is kept by itself. */
static inline lotor_status lotor_statistic_post(const lotor_statistic *statistic, size_t row,
                                                size_t arm, int64_t sum, uint64_t count,
                                                lotor_board *board)
{
    const uint64_t time = statistic->parts[arm].fed + statistic->begun;
    return lotor_board_post(board, row, arm,
                            (lotor_fact){(double)sum * statistic->unit, count, time});
}

/* The plan of those whose every value is in one released number: noise l1 / epsilon. */
lotor_status lotor_statistic_plan_once(const lotor_release_params *params, lotor_message *why,
                                       uint64_t *scale, uint64_t *horizon);

/* The plan of those that add no noise, or have coins for it. */
lotor_status lotor_statistic_plan_none(const lotor_release_params *params, lotor_message *why,
                                       uint64_t *scale, uint64_t *horizon);

/* Where in a list of `count` the click was: from 0, `count` without one. */
static inline size_t lotor_statistic_click(const int64_t *values, size_t count)
{
    size_t click = 0;
    while (click < count && values[click] == 0) {
        click++;
    }
    return click;
}

#endif
