/* test_forged.c - saved counters with a valid checksum and forged content: they are refused, or
 * load as working counters. No forged content may cause undefined behaviour. */
#include "support/test.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "privacy/release/statistic.h"
#include "support/saved_counter.h"
#include "support/test_source.h"

enum { HEADER = 24, CHECKSUM = 32 };

/* Writes a valid checksum at the end, as an attacker who forges a state would. */
static void seal_again(unsigned char *bytes, size_t length)
{
    crypto_generichash(bytes + length - CHECKSUM, CHECKSUM, bytes, length - CHECKSUM, NULL, 0);
}

/* A copy in a heap buffer of exactly this size, so that a sanitizer detects a read past its end. */
static unsigned char *copy_of(const unsigned char *bytes, size_t length)
{
    unsigned char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    return copy;
}

/* Version 0.1 kept the latest noise in a word of a tree and in a word of a hybrid counter. These
 * words are read and dropped: they are 0 in the bytes that are saved again. */
static void assert_same_but_for_noise(const unsigned char *again, const unsigned char *bytes,
                                      size_t length)
{
    size_t differ = 0;
    for (size_t i = 0; i + CHECKSUM < length; i++) {
        if (again[i] != bytes[i]) {
            assert_int_equal(again[i], 0);
            differ++;
        }
    }
    assert_true(differ <= 2 * sizeof(int64_t));
    if (differ == 0) {
        assert_memory_equal(again, bytes, length);
    }
}

/* A forged state is refused, or loads as a working counter: it takes values up to its horizon
 * without undefined behaviour (the sanitizer builds check this), and saves to the same bytes. */
static void check_forged(unsigned char *bytes, size_t length, size_t *taken)
{
    test_source source;
    test_source_seed(&source, 3);
    lotor_counter *counter;
    const lotor_status status =
        lotor_counter_load_on(bytes, length, &source.source, NULL, &counter);
    if (status != LOTOR_OK) {
        assert_int_equal(status, LOTOR_DAMAGED);
        assert_null(counter);
        return;
    }
    (*taken)++;
    const saved again = save(counter);
    assert_int_equal(again.length, length);
    assert_same_but_for_noise(again.bytes, bytes, length);
    lotor_bytes_free(again.bytes, again.length);

    const uint64_t before = lotor_counter_added_count(counter);
    assert_true(lotor_counter_covered_count(counter) <= before);
    lotor_guarantee guarantee;
    lotor_counter_guarantee(counter, &guarantee);
    assert_true(guarantee.epsilon > 0.0);
    uint64_t added = 0;
    while (added < 40) { /* the value 0.75 may be outside a forged range */
        const lotor_status add = lotor_counter_add(counter, 0.75, NULL);
        if (add != LOTOR_OK) {
            assert_true(add == LOTOR_HORIZON || add == LOTOR_RANGE);
            break;
        }
        added++;
        assert_true(lotor_counter_added_count(counter) == before + added);
        assert_true(lotor_counter_covered_count(counter) <= before + added);
        const double value = lotor_counter_value(counter);
        assert_true(value == value);
    }
    lotor_counter_free(counter);
}

TEST(forged_states_are_refused_or_whole)
{
    const uint64_t words[] = {0,
                              1,
                              2,
                              (uint64_t)INT64_MAX,
                              UINT64_C(1) << 63,
                              UINT64_MAX,
                              UINT64_C(0x7ff0000000000000),
                              UINT64_C(0x3ff0000000000000)};
    for (size_t m = 0; lotor_statistics[m]; m++) {
        if (!lotor_statistics[m]->counter) {
            continue;
        }
        for (uint64_t values = 0; values <= 20; values += values < 8 ? 1 : 3) {
            test_source source;
            test_source_seed(&source, 1);
            lotor_counter *counter =
                counter_of(lotor_statistics[m]->counter, &source.source, values);
            const saved good = save(counter);
            size_t taken = 0;
            check_forged(good.bytes, good.length, &taken);
            assert_int_equal(taken, 1);
            for (size_t at = HEADER; at + 8 <= good.length - CHECKSUM; at++) {
                unsigned char *forged = copy_of(good.bytes, good.length);
                for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
                    for (int i = 0; i < 8; i++) {
                        forged[at + (size_t)i] = (unsigned char)(words[w] >> (8 * i));
                    }
                    seal_again(forged, good.length);
                    check_forged(forged, good.length, &taken);
                }
                memcpy(forged, good.bytes, good.length);
                for (int bit = 0; bit < 8; bit += 7) { /* the lowest and the highest */
                    forged[at] ^= (unsigned char)(1u << bit);
                    seal_again(forged, good.length);
                    check_forged(forged, good.length, &taken);
                }
                free(forged);
            }
            lotor_bytes_free(good.bytes, good.length);
            lotor_counter_free(counter);
        }
    }
}

/* More values than the horizon, in a state where nothing else limits the horizon. */
TEST(more_values_than_the_horizon)
{
    const char *const mechanisms[] = {"hybrid", "batch"};
    for (size_t i = 0; i < 2; i++) {
        for (int horizon = 17; horizon <= 20; horizon++) {
            test_source source;
            test_source_seed(&source, 1);
            lotor_counter *counter = counter_of(mechanisms[i], &source.source, 18);
            const saved good = save(counter);
            lotor_counter_free(counter);
            good.bytes[HEADER + 8 + strlen(mechanisms[i]) + 8 * 4] = (unsigned char)horizon;
            seal_again(good.bytes, good.length);
            assert_int_equal(
                lotor_counter_load_on(good.bytes, good.length, &source.source, NULL, &counter),
                horizon < 18 ? LOTOR_DAMAGED : LOTOR_OK);
            lotor_counter_free(counter);
            lotor_bytes_free(good.bytes, good.length);
        }
    }
}

/* Words that contradict each other, one at a time. All payloads begin with the mechanism's name
 * (8 bytes of length and the letters), then epsilon and delta (words 0 to 3), horizon 4, low 5,
 * high 6. Then, after 11 values of a horizon of 20:
 *   tree    7 horizon 20, 8 scale, 9 count 11, 10 output
 *   hybrid  7 count 11, 8 output, 9 total, 10 pending, 11 draw, then the tree of the values after 8:
 *           12 horizon 7, 13 scale, 14 count 3, 15 output
 *   batch   7 size 8, 8 filled 4, 9 releases 3, 10 latest size 4, 11 covered 7 */
TEST(numbers_that_contradict_each_other)
{
    static const struct {
        const char *mechanism;
        size_t word;
        int step;
    } forgeries[] = {
        {"tree", 4, 1},     {"tree", 4, -1},    {"tree", 7, 1},    {"tree", 7, -1},
        {"tree", 8, 1},     {"tree", 8, -1},    {"tree", 9, 1},    {"tree", 9, -1},
        {"tree", 9, 8},     {"tree", 10, 1},    {"tree", 10, -1},  {"gaussian-tree", 8, 1},
        {"hybrid", 4, -10}, {"hybrid", 7, 1},   {"hybrid", 7, -1}, {"hybrid", 7, 8},
        {"hybrid", 8, 1},   {"hybrid", 9, 1},   {"hybrid", 12, 1}, {"hybrid", 12, -1},
        {"hybrid", 13, 1},  {"hybrid", 13, -1}, {"hybrid", 14, 1}, {"hybrid", 14, -1},
        {"hybrid", 15, 1},  {"batch", 4, -10},  {"batch", 7, 1},   {"batch", 7, 8},
        {"batch", 8, 4},    {"batch", 9, 1},    {"batch", 9, -1},  {"batch", 10, 1},
        {"batch", 11, 1},   {"batch", 11, -1},
    };
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        test_source source;
        test_source_seed(&source, 1);
        lotor_counter *counter = counter_of(forgeries[i].mechanism, &source.source, 11);
        const saved good = save(counter);
        lotor_counter_free(counter);
        const size_t words = HEADER + 8 + strlen(forgeries[i].mechanism);
        unsigned char *byte = good.bytes + words + 8 * forgeries[i].word;
        *byte = (unsigned char)(*byte + forgeries[i].step);
        seal_again(good.bytes, good.length);
        lotor_counter *loaded;
        const lotor_status status =
            lotor_counter_load_on(good.bytes, good.length, &source.source, NULL, &loaded);
        if (status != LOTOR_DAMAGED || loaded) {
            fail_msg("%s: word %zu changed by %d gave %s", forgeries[i].mechanism,
                     forgeries[i].word, forgeries[i].step, lotor_status_name(status));
        }
        lotor_bytes_free(good.bytes, good.length);
    }
}

TEST_GROUP(test_start_sodium, NULL);
