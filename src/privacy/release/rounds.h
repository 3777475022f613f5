/* rounds.h - statistics that take a round as a whole, not arm by arm.
 *
 *      click reports  one report of the click's place a round (local/position.md); per shown item the
 *                     board has the sums of both estimates: clicked (statistic 0), observed (1)
 *      click batches  per item batches of 1, 2, 4, ... displays; the latest one's clicks (0) and
 *                     observations (1), each with noise (rounds.md)
 *      cube reports   one report of all rewards a round (local/cube.md); per arm the sum of the
 *                     estimates (0)
 *
 * In lists the values say where the click was: the first one that is not 0. Then nobody looked further.
 */
#ifndef LOTOR_PRIVACY_RELEASE_ROUNDS_H
#define LOTOR_PRIVACY_RELEASE_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "board/board.h"
#include "privacy/noise/noise.h"
#include "privacy/release/scale.h"

/* One kind of them. `insert` takes a round in, or changes nothing; `fact` is an arm's latest release,
 * of time 0 if there is none. */
typedef struct lotor_rounds_kind {
    size_t statistics;
    lotor_status (*make)(size_t arms, const lotor_release_params *params, uint64_t scale,
                         double unit, lotor_message *why, void **out);
    void (*free)(void *state);
    lotor_status (*insert)(void *state, const uint32_t *arms, const int64_t *values, size_t count,
                           uint64_t time, lotor_noise *noise);
    /* of reports: the same of one that came randomized; else NULL */
    void (*take)(void *state, const uint32_t *arms, int64_t report, size_t count, uint64_t time);
    lotor_fact (*fact)(const void *state, size_t statistic, size_t arm);
    uint64_t (*room)(const void *state, size_t arm);
    double (*noise)(const void *state);  /* its scale: see lotor_statistic_noise */
    double (*spread)(const void *state); /* what one report counts for; 1 where there is none */
    void (*save)(const void *state, lotor_writer *writer);
    void (*load)(void *state, lotor_reader *reader);
} lotor_rounds_kind;

extern const lotor_rounds_kind lotor_click_reports, lotor_click_batches, lotor_cube_reports;

typedef struct lotor_rounds {
    const lotor_rounds_kind *kind;
    void *state;
    uint64_t fed; /* the time of the latest round */
    bool due;     /* some of what it released is not on the board yet */
} lotor_rounds;

lotor_status lotor_rounds_new(const lotor_rounds_kind *kind, size_t arms,
                              const lotor_release_params *params, uint64_t scale, double unit,
                              lotor_message *why, lotor_rounds **out);
void lotor_rounds_free(lotor_rounds *rounds);

/* As lotor_statistic_feed_round. */
lotor_status lotor_rounds_feed(lotor_rounds *rounds, const uint32_t *arms, const int64_t *values,
                               size_t count, uint64_t time, lotor_noise *noise, lotor_board *board);

/* As lotor_statistic_take. */
lotor_status lotor_rounds_take(lotor_rounds *rounds, const uint32_t *arms, const int64_t *report,
                               size_t count, uint64_t time, lotor_board *board);

void lotor_rounds_save(const lotor_rounds *rounds, lotor_writer *writer);
void lotor_rounds_load(lotor_rounds *rounds, lotor_reader *reader);

/* Where in a list of `count` the click was: from 0, `count` without one. */
static inline size_t lotor_rounds_click(const int64_t *values, size_t count)
{
    size_t click = 0;
    while (click < count && values[click] == 0) {
        click++;
    }
    return click;
}

#endif
