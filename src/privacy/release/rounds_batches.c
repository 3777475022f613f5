/* rounds_batches.c - click batches: per item the clicks and the observations in its latest batch of 1,
 * 2, 4, ... displays (rounds.md).
 *
 * Sensitivity. Which rounds an item was displayed in is public, and so are the batches. A round's click
 * moves the K "observed" and the K "clicked" bits of the shown items by at most K + 1 in L1 (K = 1: by
 * 1; encode/feedback.c), and each bit is in one released sum: noise (K + 1) / epsilon on each.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "privacy/release/batch.h"
#include "privacy/release/rounds.h"

enum { CLICKED = 0, OBSERVED = 1, NUMBERS = 2 };

typedef struct item {
    lotor_batch *batch;
    uint64_t time; /* of its latest release */
} item;

typedef struct batches {
    size_t items;
    uint64_t scale;
    double unit;
    int64_t one; /* a click, in units */
    item of[];
} batches;

static void free_all(void *state)
{
    batches *mine = state;
    for (size_t i = 0; i < mine->items; i++) {
        lotor_batch_free(mine->of[i].batch);
    }
    free(mine);
}

static lotor_status make(size_t arms, const lotor_release_params *params, uint64_t scale,
                         double unit, lotor_message *why, void **out)
{
    (void)why;
    size_t bytes;
    batches *made = NULL;
    if (!__builtin_mul_overflow(arms, sizeof(item), &bytes) &&
        !__builtin_add_overflow(bytes, sizeof *made, &bytes)) {
        made = calloc(1, bytes);
    }
    if (!made) {
        return LOTOR_MEMORY;
    }
    *made = (batches){.items = arms, .scale = scale, .unit = unit, .one = params->width};
    for (size_t i = 0; i < arms; i++) {
        lotor_status status =
            lotor_batch_new(NUMBERS, LOTOR_LAW_LAPLACE, scale, &made->of[i].batch);
        if (status == LOTOR_OK) {
            status = lotor_batch_open(made->of[i].batch, 1);
        }
        if (status != LOTOR_OK) {
            free_all(made);
            return status;
        }
    }
    *out = made;
    return LOTOR_OK;
}

/* All draws come first, so that a round goes in as a whole or not at all. */
static lotor_status draw(batches *mine, const uint32_t *arms, size_t count, lotor_noise *noise)
{
    for (size_t i = 0; i < count; i++) {
        lotor_batch *batch = mine->of[arms[i]].batch;
        if (batch->filled + 1 == batch->size) {
            const lotor_status status =
                lotor_noise_draw(noise, batch->law, batch->scale, NUMBERS, batch->draw);
            if (status != LOTOR_OK) {
                return status;
            }
        }
    }
    return LOTOR_OK;
}

static lotor_status insert(void *state, const uint32_t *arms, const int64_t *values, size_t count,
                           uint64_t time, lotor_noise *noise)
{
    batches *mine = state;
    const size_t click = lotor_rounds_click(values, count);
    lotor_status status = draw(mine, arms, count, noise);
    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        item *shown = &mine->of[arms[i]];
        const int64_t bits[NUMBERS] = {
            [CLICKED] = i == click ? mine->one : 0,
            [OBSERVED] = i <= click ? mine->one : 0,
        };
        bool released;
        status = lotor_batch_insert_drawn(shown->batch, bits, 1, &released);
        if (released) {
            shown->time = time;
            status = lotor_batch_open(shown->batch, 2 * shown->batch->latest_size);
        }
    }
    return status;
}

static lotor_fact fact(const void *state, size_t statistic, size_t arm)
{
    const batches *mine = state;
    const lotor_batch *batch = mine->of[arm].batch;
    const double value = (double)batch->latest[statistic] * mine->unit;
    return (lotor_fact){value, batch->latest_size, mine->of[arm].time};
}

static uint64_t room(const void *state, size_t arm)
{
    const lotor_batch *batch = ((const batches *)state)->of[arm].batch;
    return batch->size - batch->filled;
}

static double noise_of(const void *state)
{
    const batches *mine = state;
    return (double)mine->scale * mine->unit;
}

static double spread(const void *state)
{
    (void)state;
    return 1.0;
}

static void save(const void *state, lotor_writer *writer)
{
    const batches *mine = state;
    for (size_t i = 0; i < mine->items; i++) {
        lotor_write_u64(writer, mine->of[i].time);
        lotor_batch_save(mine->of[i].batch, writer);
    }
}

static void load(void *state, lotor_reader *reader)
{
    batches *mine = state;
    for (size_t i = 0; i < mine->items; i++) {
        item *shown = &mine->of[i];
        shown->time = lotor_read_u64(reader);
        lotor_batch_load(shown->batch, reader);
        lotor_read_expect(reader, lotor_batch_is_doubling(shown->batch));
        lotor_read_expect(reader, (shown->time > 0) == (shown->batch->releases > 0));
    }
}

const lotor_rounds_kind lotor_click_batches = {2,    make,     free_all, insert, NULL, fact,
                                               room, noise_of, spread,   save,   load};
