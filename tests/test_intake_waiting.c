/* test_intake_waiting.c - random operations on the table of waiting feedback, compared with a naive
 * list: both have the same entries after adding, dropping and forgetting. */
#include "support/test.h"

#include <stdbool.h>
#include <string.h>

#include "base/random/generator.h"
#include "privacy/intake/waiting.h"

enum { WIDTH = 3, MOST = 4096, STEPS = 60000 };

typedef struct naive_entry {
    uint64_t decision, nonce;
    size_t used;
    int64_t units[WIDTH];
} naive_entry;

typedef struct naive {
    naive_entry entries[MOST];
    size_t count;
} naive;

static naive_entry *naive_find(naive *model, uint64_t decision, uint64_t nonce)
{
    for (size_t i = 0; i < model->count; i++) {
        if (model->entries[i].decision == decision && model->entries[i].nonce == nonce) {
            return &model->entries[i];
        }
    }
    return NULL;
}

static void naive_drop(naive *model, uint64_t from, uint64_t to)
{
    size_t kept = 0;
    for (size_t i = 0; i < model->count; i++) {
        const uint64_t decision = model->entries[i].decision;
        if (decision < from || decision > to) {
            model->entries[kept++] = model->entries[i];
        }
    }
    model->count = kept;
}

static void expect_same(const lotor_waiting_table *waiting, naive *model)
{
    assert_int_equal(waiting->count, model->count);
    for (size_t i = 0; i < model->count; i++) {
        const naive_entry *entry = &model->entries[i];
        size_t used;
        const int64_t *units =
            lotor_waiting_table_find(waiting, entry->decision, entry->nonce, &used);
        assert_non_null(units);
        assert_int_equal(used, entry->used);
        assert_memory_equal(units, entry->units, used * sizeof *units);
        assert_null(lotor_waiting_table_find(waiting, entry->decision, entry->nonce + 77, &used));
        assert_int_equal(used, 0);
    }
}

static void add_to_both(lotor_waiting_table *waiting, naive *model, uint64_t decision,
                        uint64_t nonce, lotor_generator *random)
{
    const naive_entry *there = naive_find(model, decision, nonce);
    const size_t used = 1 + lotor_generator_word(random) % WIDTH;
    int64_t *units;
    assert_int_equal(lotor_waiting_table_add(waiting, decision, nonce, used, &units), LOTOR_OK);
    assert_int_equal(units == NULL, there != NULL);
    if (units) {
        naive_entry *entry = &model->entries[model->count++];
        *entry = (naive_entry){.decision = decision, .nonce = nonce, .used = used};
        for (size_t i = 0; i < used; i++) {
            units[i] = entry->units[i] = (int64_t)lotor_generator_word(random);
        }
    }
}

/* Decisions are `stride` apart, so that they collide in the table in different ways. */
static void walk(uint64_t seed, uint64_t stride, uint64_t span)
{
    static naive model;
    model.count = 0;
    lotor_waiting_table waiting = lotor_waiting_table_of(WIDTH);
    lotor_generator random;
    lotor_generator_seed(&random, seed);
    uint64_t first = 1;
    for (size_t step = 0; step < STEPS; step++) {
        const uint64_t what = lotor_generator_word(&random) % 100;
        const uint64_t decision = (first + lotor_generator_word(&random) % span) * stride;
        if (what < 60 && model.count < MOST) {
            add_to_both(&waiting, &model, decision, lotor_generator_word(&random) % 3, &random);
        } else if (what < 98) { /* as rounds are entered: in order, some left out */
            const uint64_t dropped = what < 90 ? first * stride : decision;
            lotor_waiting_table_drop(&waiting, dropped);
            naive_drop(&model, dropped, dropped);
            first += what < 90;
        } else {
            const uint64_t final = (first + lotor_generator_word(&random) % 4) * stride;
            lotor_waiting_table_forget(&waiting, final);
            naive_drop(&model, 0, final);
            first = final / stride + 1;
        }
        if (step % 997 == 0) {
            expect_same(&waiting, &model);
        }
    }
    expect_same(&waiting, &model);
    lotor_waiting_table_forget(&waiting, UINT64_MAX);
    naive_drop(&model, 0, UINT64_MAX);
    expect_same(&waiting, &model);
    lotor_waiting_table_clear(&waiting);
}

TEST(agrees_with_a_list)
{
    walk(1, 1, 50);
    walk(2, 1, 2000);
    walk(3, 1024, 2000);
    walk(4, UINT64_C(1) << 40, 500);
    walk(5, UINT64_C(0x9e3779b97f4a7c15) | 1, 8); /* wraps around */
}

/* An idle campaign uses almost no memory. */
TEST(gives_memory_back)
{
    lotor_waiting_table waiting = lotor_waiting_table_of(1);
    int64_t *units;
    assert_true(sizeof waiting <= 64);
    for (uint64_t decision = 1; decision <= 10000; decision++) {
        assert_int_equal(lotor_waiting_table_add(&waiting, decision, 5, 1, &units), LOTOR_OK);
    }
    assert_true(waiting.room >= 10000);
    for (uint64_t decision = 1; decision <= 10000; decision++) {
        lotor_waiting_table_drop(&waiting, decision);
    }
    assert_int_equal(waiting.count, 0);
    assert_int_equal(waiting.room, 0);
    assert_null(waiting.entries);
    lotor_waiting_table_clear(&waiting);
}

/* Dropped entries are wiped: nothing of them is left in the memory that stays allocated. */
TEST(wipes_what_is_dropped)
{
    lotor_waiting_table waiting = lotor_waiting_table_of(2);
    for (uint64_t decision = 1; decision <= 16; decision++) {
        int64_t *units;
        assert_int_equal(lotor_waiting_table_add(&waiting, decision, 5, 2, &units), LOTOR_OK);
        units[0] = units[1] = 0x5ec12e7;
    }
    lotor_waiting_table_drop(&waiting, 3);
    lotor_waiting_table_forget(&waiting, 16);
    assert_non_null(waiting.entries);
    for (size_t i = 0; i < waiting.room * 5; i++) {
        assert_int_equal(waiting.entries[i], 0);
    }
    for (size_t i = 0; i < 2 * waiting.room; i++) {
        assert_int_equal(waiting.slots[i], 0);
    }
    lotor_waiting_table_clear(&waiting);
}
