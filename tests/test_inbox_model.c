/* test_inbox_model.c - random sequences of show, observe, expire, take, save and load, compared
 * with a naive inbox, an array of all rounds: the same statuses and the same stream. */
#include "support/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/generator.h"
#include "privacy/intake/inbox.h"

enum { SLOTS = 3, NUMBERS = 2, MOST_ROUNDS = 4000 };
static const int64_t nothing[NUMBERS] = {-7, 70};

static lotor_inbox *new_inbox(void)
{
    lotor_inbox *inbox = NULL;
    assert_int_equal(lotor_inbox_new(SLOTS, NUMBERS, nothing, &inbox), LOTOR_OK);
    return inbox;
}

typedef struct naive_round {
    uint32_t arms[SLOTS];
    size_t arm_count;
    int64_t units[NUMBERS];
    bool answered, final;
} naive_round;

typedef struct naive {
    naive_round rounds[MOST_ROUNDS];
    size_t shown, taken;
} naive;

static lotor_status naive_answer(naive *model, uint64_t event, const int64_t *units)
{
    if (event == 0 || event > model->shown) {
        return LOTOR_UNKNOWN;
    }
    naive_round *round = &model->rounds[event - 1];
    if (round->final) {
        return LOTOR_LATE;
    }
    if (round->answered) {
        return LOTOR_DUPLICATE;
    }
    round->answered = true;
    memcpy(round->units, units, sizeof round->units);
    return LOTOR_OK;
}

static lotor_status naive_expire(naive *model, uint64_t event)
{
    if (event == 0 || event > model->shown) {
        return LOTOR_UNKNOWN;
    }
    model->rounds[event - 1].final = true;
    return LOTOR_OK;
}

static size_t below(lotor_generator *random, size_t bound)
{
    return (size_t)(lotor_generator_word(random) % bound);
}

/* Mostly an open round; sometimes any number. */
static uint64_t some_event(lotor_generator *random, const naive *model)
{
    switch (below(random, 8)) {
    case 0:
        return below(random, model->shown + 3);
    case 1:
        return lotor_generator_word(random);
    case 2:
        return model->taken + 1; /* the oldest, which holds up all others */
    default:
        return model->taken + below(random, model->shown - model->taken + 2);
    }
}

static void show_in_both(lotor_inbox *inbox, naive *model, lotor_generator *random)
{
    naive_round *round = &model->rounds[model->shown++];
    round->arm_count = below(random, SLOTS + 1);
    for (size_t i = 0; i < round->arm_count; i++) {
        round->arms[i] = (uint32_t)lotor_generator_word(random);
    }
    memcpy(round->units, nothing, sizeof nothing);
    uint64_t event;
    assert_int_equal(lotor_inbox_show(inbox, round->arms, round->arm_count, &event), LOTOR_OK);
    assert_true(event == model->shown);
}

static void take_from_both(lotor_inbox *inbox, naive *model)
{
    lotor_round taken;
    const bool due = model->taken < model->shown && model->rounds[model->taken].final;
    assert_int_equal(lotor_inbox_peek(inbox, &taken), due);
    if (due) {
        const naive_round *round = &model->rounds[model->taken++];
        assert_true(taken.event == model->taken);
        assert_int_equal(taken.arm_count, round->arm_count);
        assert_memory_equal(taken.arms, round->arms, round->arm_count * sizeof *round->arms);
        assert_memory_equal(taken.units, round->units, sizeof round->units);
    }
    assert_int_equal(lotor_inbox_drop(inbox), due);
}

/* Saves, loads into a new inbox, and continues with the new one. */
static lotor_inbox *through_bytes(lotor_inbox *inbox)
{
    lotor_writer writer;
    unsigned char *bytes;
    size_t length;
    lotor_writer_start(&writer, "inbox");
    lotor_inbox_save(inbox, &writer);
    assert_int_equal(lotor_writer_seal(&writer, &bytes, &length), LOTOR_OK);
    lotor_inbox_free(inbox);

    lotor_inbox *loaded = new_inbox();
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "inbox", bytes, length, NULL), LOTOR_OK);
    assert_int_equal(lotor_inbox_load(loaded, &reader), LOTOR_OK);
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_OK);
    lotor_bytes_free(bytes, length);
    return loaded;
}

/* `hold` controls how many rounds are open: the ring starts at 16 and must grow with its head
 * anywhere. */
static void random_walk(uint64_t seed, size_t hold, bool reload)
{
    lotor_generator random;
    lotor_generator_seed(&random, seed);
    naive *model = calloc(1, sizeof *model);
    assert_non_null(model);
    lotor_inbox *inbox = new_inbox();
    size_t longest = 0;
    while (model->shown < MOST_ROUNDS) {
        const size_t waiting = model->shown - model->taken;
        longest = waiting > longest ? waiting : longest;
        const size_t action = below(&random, waiting > hold ? 10 : 14);
        const uint64_t event = some_event(&random, model);
        const int64_t units[NUMBERS] = {(int64_t)lotor_generator_word(&random),
                                        (int64_t)lotor_generator_word(&random)};
        if (action < 3) {
            assert_int_equal(lotor_inbox_observe(inbox, event, units),
                             naive_answer(model, event, units));
        } else if (action < 6) {
            assert_int_equal(lotor_inbox_expire(inbox, event), naive_expire(model, event));
        } else if (action < 8) {
            take_from_both(inbox, model);
        } else if (action < 9 && reload) {
            inbox = through_bytes(inbox);
        } else if (action >= 9) {
            show_in_both(inbox, model, &random);
        }
        assert_int_equal(lotor_inbox_waiting(inbox), model->shown - model->taken);
    }
    for (uint64_t event = model->shown; event > 0; event--) {
        assert_int_equal(lotor_inbox_expire(inbox, event), naive_expire(model, event));
    }
    while (model->taken < model->shown) {
        take_from_both(inbox, model);
    }
    assert_false(lotor_inbox_drop(inbox));
    assert_true(longest >= hold);
    lotor_inbox_free(inbox);
    free(model);
}

TEST(random_walks_agree_with_the_model)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        random_walk(seed, 4, false);
        random_walk(seed, 40, false);
        random_walk(seed, 300, false);
    }
}

TEST(saving_and_loading_on_the_way_changes_nothing)
{
    for (uint64_t seed = 11; seed <= 14; seed++) {
        random_walk(seed, 4, true);
        random_walk(seed, 40, true);
    }
}
