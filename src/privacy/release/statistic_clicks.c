/* statistic_clicks.c - click reports: every person reports the position of their click by
 * randomized response (local/position.md).
 *
 * Three whole numbers are kept per item. The first two count the displays in which the report was
 * the item's own place, and in which it was that place or a later one. The third is the sum, over
 * the displays, of the number of places from the item's place on ("no click" included). Both
 * estimates are computed from these. All shown items are counted, whatever the click.
 */
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "privacy/local/position.h"
#include "privacy/release/statistic_kind.h"

/* The names of the three numbers: hits, reached, places. */
typedef struct item {
    uint64_t hits, reached, places, displays;
    uint64_t time; /* of the latest display */
} item;

typedef struct clicks {
    lotor_position law;
    size_t items;
    item of[];
} clicks;

static lotor_status make(lotor_statistic *statistic, const lotor_release_params *params,
                         lotor_message *why, void **state)
{
    lotor_position law;
    const lotor_status status = lotor_position_make(params->slots, params->epsilon, why, &law);
    if (status != LOTOR_OK) {
        return status;
    }
    size_t bytes;
    clicks *made = NULL;
    if (!__builtin_mul_overflow(statistic->arms, sizeof(item), &bytes) &&
        !__builtin_add_overflow(bytes, sizeof *made, &bytes)) {
        made = calloc(1, bytes);
    }
    if (!made) {
        return LOTOR_MEMORY;
    }
    made->law = law;
    made->items = statistic->arms;
    *state = made;
    return LOTOR_OK;
}

/* `place` is the reported place, from 1. */
static void take_round(lotor_statistic *statistic, const uint32_t *arms, int64_t place,
                       size_t count, uint64_t time)
{
    clicks *mine = statistic->whole.state;
    const size_t slots = mine->law.slots, report = (size_t)place;
    assert(place >= 1 && report <= slots + 1 && count <= slots);
    for (size_t i = 0; i < count; i++) {
        item *shown = &mine->of[arms[i]];
        shown->hits += report == i + 1;
        shown->reached += report >= i + 1;
        shown->places += slots - i + 1; /* K - k + 2 at place k = i + 1 */
        shown->displays++;
        assert(shown->hits <= shown->reached && shown->reached <= shown->displays);
        shown->time = time;
    }
}

static lotor_status insert_round(lotor_statistic *statistic, const uint32_t *arms,
                                 const int64_t *values, size_t count, uint64_t time,
                                 lotor_noise *noise)
{
    clicks *mine = statistic->whole.state;
    const size_t slots = mine->law.slots, click = lotor_statistic_click(values, count);
    size_t report;
    const lotor_status status =
        lotor_position_report(&mine->law, click < count ? click + 1 : slots + 1, noise, &report);
    if (status == LOTOR_OK) {
        take_round(statistic, arms, (int64_t)report, count, time);
    }
    return status;
}

/* Fact 0 is the estimate of the clicks, fact 1 that of the observations. */
static lotor_fact fact(const clicks *mine, size_t row, size_t arm)
{
    const item *shown = &mine->of[arm];
    const double seen = (double)(row == 0 ? shown->hits : shown->reached);
    const double chances = (double)(row == 0 ? shown->displays : shown->places);
    return (lotor_fact){mine->law.spread * seen - mine->law.share * chances, shown->displays,
                        shown->time};
}

/* Posts both facts of an item, if it was displayed at all. */
static lotor_status post(const lotor_statistic *statistic, size_t arm, lotor_board *board)
{
    lotor_status status = LOTOR_OK;
    for (size_t s = 0; s < 2 && status == LOTOR_OK; s++) {
        const lotor_fact release = fact(statistic->whole.state, s, arm);
        status = release.time > 0 ? lotor_board_post(board, s, arm, release) : LOTOR_OK;
    }
    return status;
}

static double noise_of(const lotor_statistic *statistic)
{
    const lotor_position *law = &((const clicks *)statistic->whole.state)->law;
    return law->truth * (double)law->slots * exp(-lotor_ratio_to_double(law->epsilon));
}

static double spread(const lotor_statistic *statistic)
{
    return ((const clicks *)statistic->whole.state)->law.spread;
}

static void save(const lotor_statistic *statistic, lotor_writer *writer)
{
    const clicks *mine = statistic->whole.state;
    for (size_t i = 0; i < mine->items; i++) {
        const item *shown = &mine->of[i];
        lotor_write_u64(writer, shown->hits);
        lotor_write_u64(writer, shown->reached);
        lotor_write_u64(writer, shown->places);
        lotor_write_u64(writer, shown->displays);
        lotor_write_u64(writer, shown->time);
    }
}

static void load(lotor_statistic *statistic, size_t arms, lotor_reader *reader)
{
    clicks *mine = statistic->whole.state;
    for (size_t i = 0; i < arms; i++) {
        item *shown = &mine->of[i];
        shown->hits = lotor_read_u64(reader);
        shown->reached = lotor_read_u64(reader);
        shown->places = lotor_read_u64(reader);
        shown->displays = lotor_read_u64(reader);
        shown->time = lotor_read_u64(reader);
        lotor_read_expect(reader, shown->hits <= shown->reached);
        lotor_read_expect(reader, shown->reached <= shown->displays);
        /* a display has 2 to K + 1 places from the item's place on */
        lotor_read_expect(reader, shown->displays <= shown->places / 2);
        const uint64_t most = mine->law.slots + 1;
        lotor_read_expect(reader,
                          shown->places / most + (shown->places % most > 0) <= shown->displays);
        lotor_read_expect(reader, (shown->time > 0) == (shown->displays > 0));
    }
}

const lotor_statistic_kind lotor_statistic_click_reports = {
    .name = "click reports",
    .noise = "randomized response (scale: chance of a lie) as",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_POSITION, LOTOR_MODEL_LOCAL, LOTOR_CLAIM_CLICKS, NULL},
    .hears_lists = true,
    .report = LOTOR_REPORT_POSITION,
    .plan = lotor_statistic_plan_none,
    .make = make,
    .free = free,
    .insert_round = insert_round,
    .take_round = take_round,
    .save = save,
    .load = load,
    .post = post,
    .noise_of = noise_of,
    .spread = spread,
};
