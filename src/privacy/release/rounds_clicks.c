/* rounds_clicks.c - click reports: what a list's clicks say when every person reports the place of
 * theirs by randomized response (local/position.md).
 *
 * Kept per item as whole numbers: in how many of its displays the report was its own place, in how many
 * its place or a later one, and the sum over its displays of how many places (none included) there are
 * from its own on. Both estimates follow from these. All shown items are counted, whatever the click.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "privacy/local/position.h"
#include "privacy/release/rounds.h"

typedef struct item {
    uint64_t hits, reached, places, displays;
    uint64_t time; /* of its latest display */
} item;

typedef struct clicks {
    lotor_position law;
    size_t items;
    item of[];
} clicks;

static lotor_status make(size_t arms, const lotor_release_params *params, uint64_t scale,
                         double unit, lotor_message *why, void **out)
{
    (void)scale; /* there is no noise but the coins */
    (void)unit;  /* a click is 1 */
    lotor_position law;
    const lotor_status status = lotor_position_make(params->slots, params->epsilon, why, &law);
    if (status != LOTOR_OK) {
        return status;
    }
    size_t bytes;
    clicks *made = NULL;
    if (!__builtin_mul_overflow(arms, sizeof(item), &bytes) &&
        !__builtin_add_overflow(bytes, sizeof *made, &bytes)) {
        made = calloc(1, bytes);
    }
    if (!made) {
        return LOTOR_MEMORY;
    }
    made->law = law;
    made->items = arms;
    *out = made;
    return LOTOR_OK;
}

/* `place`: what was reported, from 1. */
static void take(void *state, const uint32_t *arms, int64_t place, size_t count, uint64_t time)
{
    clicks *mine = state;
    const size_t slots = mine->law.slots, report = (size_t)place;
    for (size_t i = 0; i < count; i++) {
        item *shown = &mine->of[arms[i]];
        shown->hits += report == i + 1;
        shown->reached += report >= i + 1;
        shown->places += slots - i + 1; /* K - k + 2 at place k = i + 1 */
        shown->displays++;
        shown->time = time;
    }
}

static lotor_status insert(void *state, const uint32_t *arms, const int64_t *values, size_t count,
                           uint64_t time, lotor_noise *noise)
{
    clicks *mine = state;
    const size_t slots = mine->law.slots, click = lotor_rounds_click(values, count);
    size_t report;
    const lotor_status status =
        lotor_position_report(&mine->law, click < count ? click + 1 : slots + 1, noise, &report);
    if (status == LOTOR_OK) {
        take(mine, arms, (int64_t)report, count, time);
    }
    return status;
}

static lotor_fact fact(const void *state, size_t statistic, size_t arm)
{
    const clicks *mine = state;
    const item *shown = &mine->of[arm];
    const double seen = (double)(statistic == 0 ? shown->hits : shown->reached);
    const double chances = (double)(statistic == 0 ? shown->displays : shown->places);
    return (lotor_fact){mine->law.spread * seen - mine->law.share * chances, shown->displays,
                        shown->time};
}

static uint64_t room(const void *state, size_t arm)
{
    (void)state;
    (void)arm;
    return 1;
}

static double noise_of(const void *state)
{
    const lotor_position *law = &((const clicks *)state)->law;
    return law->truth * (double)law->slots * exp(-lotor_ratio_double(law->epsilon));
}

static double spread(const void *state)
{
    return ((const clicks *)state)->law.spread;
}

static void save(const void *state, lotor_writer *writer)
{
    const clicks *mine = state;
    for (size_t i = 0; i < mine->items; i++) {
        const item *shown = &mine->of[i];
        lotor_write_u64(writer, shown->hits);
        lotor_write_u64(writer, shown->reached);
        lotor_write_u64(writer, shown->places);
        lotor_write_u64(writer, shown->displays);
        lotor_write_u64(writer, shown->time);
    }
}

static void load(void *state, lotor_reader *reader)
{
    clicks *mine = state;
    for (size_t i = 0; i < mine->items; i++) {
        item *shown = &mine->of[i];
        shown->hits = lotor_read_u64(reader);
        shown->reached = lotor_read_u64(reader);
        shown->places = lotor_read_u64(reader);
        shown->displays = lotor_read_u64(reader);
        shown->time = lotor_read_u64(reader);
        lotor_read_expect(reader, shown->hits <= shown->reached);
        lotor_read_expect(reader, shown->reached <= shown->displays);
        /* a display has from 2 to K + 1 places */
        lotor_read_expect(reader, shown->displays <= shown->places / 2);
        const uint64_t most = mine->law.slots + 1;
        lotor_read_expect(reader,
                          shown->places / most + (shown->places % most > 0) <= shown->displays);
        lotor_read_expect(reader, (shown->time > 0) == (shown->displays > 0));
    }
}

const lotor_rounds_kind lotor_click_reports = {2,    make,     free,   insert, take, fact,
                                               room, noise_of, spread, save,   load};
