/* statistic_click_batches.c - click batches: per item, the clicks and the observations in the
 * latest batch of 1, 2, 4, ... displays (rounds.md).
 *
 * Sensitivity. It is public in which rounds an item was displayed, and so are the batches. The
 * click of a round moves the K "observed" and the K "clicked" bits of the shown items by at most K
 * + 1 in L1 (by 1 if K = 1; encode/feedback.c). Each bit is in one released sum. So the noise on
 * each sum is (K + 1) / epsilon.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "privacy/release/batch.h"
#include "privacy/release/statistic_kind.h"

enum { CLICKED = 0, OBSERVED = 1, NUMBERS = 2 };

typedef struct item {
    lotor_batch *batch;
    uint64_t time; /* of the latest release */
} item;

typedef struct batches {
    size_t items;
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

static lotor_status make(lotor_statistic *statistic, const lotor_release_params *params,
                         lotor_message *why, void **state)
{
    (void)why;
    size_t bytes;
    batches *made = NULL;
    if (!__builtin_mul_overflow(statistic->arms, sizeof(item), &bytes) &&
        !__builtin_add_overflow(bytes, sizeof *made, &bytes)) {
        made = calloc(1, bytes);
    }
    if (!made) {
        return LOTOR_MEMORY;
    }
    *made = (batches){.items = statistic->arms, .one = params->width};
    for (size_t i = 0; i < statistic->arms; i++) {
        lotor_status status =
            lotor_batch_new(NUMBERS, LOTOR_LAW_LAPLACE, statistic->scale, &made->of[i].batch);
        if (status == LOTOR_OK) {
            status = lotor_batch_open(made->of[i].batch, 1);
        }
        if (status != LOTOR_OK) {
            free_all(made);
            return status;
        }
    }
    *state = made;
    return LOTOR_OK;
}

/* The number that the item at place i of a list adds to its batch. */
static void read_bits(const batches *mine, size_t i, size_t click, int64_t bits[NUMBERS])
{
    bits[CLICKED] = i == click ? mine->one : 0;
    bits[OBSERVED] = i <= click ? mine->one : 0;
}

/* All noise is drawn first, so that a round is inserted completely or not at all. */
static lotor_status insert_round(lotor_statistic *statistic, const uint32_t *arms,
                                 const int64_t *values, size_t count, uint64_t time,
                                 lotor_noise *noise)
{
    batches *mine = statistic->whole.state;
    assert(count <= mine->items);
    const size_t click = lotor_statistic_click(values, count);
    lotor_status status = LOTOR_OK;
    int64_t bits[NUMBERS];
    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        read_bits(mine, i, click, bits);
        status = lotor_batch_prepare(mine->of[arms[i]].batch, bits, 1, noise);
    }
    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        item *shown = &mine->of[arms[i]];
        read_bits(mine, i, click, bits);
        bool released;
        status = lotor_batch_commit(shown->batch, bits, 1, &released);
        if (released) {
            shown->time = time;
            status = lotor_batch_open(shown->batch, 2 * shown->batch->latest_size);
        }
    }
    lotor_wipe(bits, sizeof bits);
    return status;
}

/* Posts both facts of an item, if a batch of it was released. */
static lotor_status post(const lotor_statistic *statistic, size_t arm, lotor_board *board)
{
    const item *shown = &((const batches *)statistic->whole.state)->of[arm];
    lotor_status status = LOTOR_OK;
    for (size_t s = 0; s < NUMBERS && shown->time > 0 && status == LOTOR_OK; s++) {
        const double value = (double)shown->batch->latest[s] * statistic->unit;
        status = lotor_board_post(board, s, arm,
                                  (lotor_fact){value, shown->batch->latest_size, shown->time});
    }
    return status;
}

static uint64_t room(const lotor_statistic *statistic, size_t arm)
{
    const lotor_batch *batch = ((const batches *)statistic->whole.state)->of[arm].batch;
    return batch->size - batch->filled;
}

static void save(const lotor_statistic *statistic, lotor_writer *writer)
{
    const batches *mine = statistic->whole.state;
    for (size_t i = 0; i < mine->items; i++) {
        lotor_write_u64(writer, mine->of[i].time);
        lotor_batch_save(mine->of[i].batch, writer);
    }
}

static void load(lotor_statistic *statistic, size_t arms, lotor_reader *reader)
{
    batches *mine = statistic->whole.state;
    for (size_t i = 0; i < arms; i++) {
        item *shown = &mine->of[i];
        shown->time = lotor_read_u64(reader);
        lotor_batch_load(shown->batch, reader);
        lotor_read_expect(reader, lotor_batch_is_doubling(shown->batch));
        lotor_read_expect(reader, (shown->time > 0) == (shown->batch->releases > 0));
    }
}

const lotor_statistic_kind lotor_statistic_click_batches = {
    .name = "click batches",
    .noise = "discrete Laplace",
    .law = LOTOR_LAW_LAPLACE,
    .claim = {LOTOR_MECHANISM_LAPLACE, LOTOR_MODEL_CENTRAL, LOTOR_CLAIM_CLICKS, NULL},
    .hears_lists = true,
    .schedule = lotor_schedule_doubling,
    .plan = lotor_statistic_plan_once,
    .make = make,
    .free = free_all,
    .insert_round = insert_round,
    .save = save,
    .load = load,
    .post = post,
    .room = room,
};
