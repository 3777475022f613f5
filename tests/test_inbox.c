/* test_inbox.c - feedback in any order, late, twice or never: the output stream has the order of
 * the displays, and depends on the feedback only through its values. */
#include "support/test.h"

#include <string.h>

#include "base/random/generator.h"
#include "privacy/intake/inbox.h"
#include "support/words.h"

enum { SLOTS = 3, NUMBERS = 2 };
static const int64_t nothing[NUMBERS] = {-7, 70};

static lotor_inbox *new_inbox(void)
{
    lotor_inbox *inbox = NULL;
    assert_int_equal(lotor_inbox_new(SLOTS, NUMBERS, nothing, &inbox), LOTOR_OK);
    return inbox;
}

static uint64_t show_arm(lotor_inbox *inbox, uint32_t arm)
{
    uint64_t event = 0;
    assert_int_equal(lotor_inbox_show(inbox, &arm, 1, &event), LOTOR_OK);
    return event;
}

static void takes(lotor_inbox *inbox, uint64_t event, uint32_t arm, int64_t first, int64_t second)
{
    lotor_round round;
    assert_true(lotor_inbox_peek(inbox, &round));
    assert_true(round.event == event);
    assert_int_equal(round.arm_count, 1);
    assert_int_equal(round.arms[0], arm);
    assert_true(round.units[0] == first && round.units[1] == second);
    assert_true(lotor_inbox_drop(inbox));
    assert_true(round.units[0] == 0 && round.units[1] == 0); /* wiped in the inbox */
}

static void takes_nothing(lotor_inbox *inbox)
{
    lotor_round round;
    assert_false(lotor_inbox_peek(inbox, &round));
    assert_false(lotor_inbox_drop(inbox));
}

/* show 1, 2, 3, feedback for 2, expire 2, expire 1, feedback for 3, expire 3: the drawing in
 * inbox.h. */
TEST(the_drawing)
{
    const int64_t two[] = {22, 222}, three[] = {33, 333};
    lotor_inbox *inbox = new_inbox();
    assert_true(show_arm(inbox, 10) == 1);
    assert_true(show_arm(inbox, 20) == 2);
    assert_true(show_arm(inbox, 30) == 3);
    takes_nothing(inbox);
    assert_int_equal(lotor_inbox_observe(inbox, 2, two), LOTOR_OK);
    takes_nothing(inbox);
    assert_int_equal(lotor_inbox_expire(inbox, 2), LOTOR_OK);
    takes_nothing(inbox); /* 1 is still open */
    assert_int_equal(lotor_inbox_expire(inbox, 1), LOTOR_OK);
    takes(inbox, 1, 10, -7, 70);
    takes(inbox, 2, 20, 22, 222);
    takes_nothing(inbox);
    assert_int_equal(lotor_inbox_waiting(inbox), 1);
    assert_int_equal(lotor_inbox_observe(inbox, 3, three), LOTOR_OK);
    takes_nothing(inbox); /* a round with feedback is not final */
    assert_int_equal(lotor_inbox_expire(inbox, 3), LOTOR_OK);
    takes(inbox, 3, 30, 33, 333);
    takes_nothing(inbox);
    assert_int_equal(lotor_inbox_waiting(inbox), 0);
    lotor_inbox_free(inbox);
}

TEST(late_double_and_unknown_feedback)
{
    const int64_t first[] = {1, 2}, second[] = {3, 4};
    lotor_inbox *inbox = new_inbox();
    assert_int_equal(lotor_inbox_observe(inbox, 1, first), LOTOR_UNKNOWN);
    assert_int_equal(lotor_inbox_expire(inbox, 1), LOTOR_UNKNOWN);
    (void)show_arm(inbox, 5);
    (void)show_arm(inbox, 6);
    assert_int_equal(lotor_inbox_observe(inbox, 0, first), LOTOR_UNKNOWN);
    assert_int_equal(lotor_inbox_observe(inbox, 3, first), LOTOR_UNKNOWN);
    assert_int_equal(lotor_inbox_observe(inbox, UINT64_MAX, first), LOTOR_UNKNOWN);
    assert_int_equal(lotor_inbox_expire(inbox, 0), LOTOR_UNKNOWN);
    assert_int_equal(lotor_inbox_expire(inbox, UINT64_MAX), LOTOR_UNKNOWN);

    assert_int_equal(lotor_inbox_observe(inbox, 1, first), LOTOR_OK);
    assert_int_equal(lotor_inbox_observe(inbox, 1, second), LOTOR_DUPLICATE);
    assert_int_equal(lotor_inbox_expire(inbox, 2), LOTOR_OK);
    assert_int_equal(lotor_inbox_observe(inbox, 2, second), LOTOR_LATE); /* final, still inside */
    assert_int_equal(lotor_inbox_expire(inbox, 1), LOTOR_OK);
    assert_int_equal(lotor_inbox_expire(inbox, 1), LOTOR_OK);
    assert_int_equal(lotor_inbox_observe(inbox, 1, second), LOTOR_LATE);
    takes(inbox, 1, 5, 1, 2);
    takes(inbox, 2, 6, -7, 70);
    assert_int_equal(lotor_inbox_observe(inbox, 2, second), LOTOR_LATE); /* taken out */
    assert_int_equal(lotor_inbox_expire(inbox, 2), LOTOR_OK);
    lotor_inbox_free(inbox);
}

TEST(shapes)
{
    lotor_inbox *inbox = NULL;
    assert_int_equal(lotor_inbox_new(0, 1, nothing, &inbox), LOTOR_INVALID);
    assert_int_equal(lotor_inbox_new(1, 0, nothing, &inbox), LOTOR_INVALID);
    assert_int_equal(lotor_inbox_new(SIZE_MAX, 1, nothing, &inbox), LOTOR_INVALID);
    assert_int_equal(lotor_inbox_new(1, SIZE_MAX, nothing, &inbox), LOTOR_INVALID);
    assert_int_equal(lotor_inbox_new(1, SIZE_MAX / 8, nothing, &inbox), LOTOR_INVALID);
    assert_null(inbox);
    lotor_inbox_free(NULL);

    inbox = new_inbox();
    const uint32_t arms[SLOTS + 1] = {UINT32_MAX, 0, 7, 8};
    uint64_t event = 99;
    assert_int_equal(lotor_inbox_show(inbox, arms, SLOTS + 1, &event), LOTOR_INVALID);
    assert_int_equal(lotor_inbox_show(inbox, arms, SIZE_MAX, &event), LOTOR_INVALID);
    assert_true(event == 99);
    assert_int_equal(lotor_inbox_waiting(inbox), 0);
    for (size_t count = 0; count <= SLOTS; count++) {
        assert_int_equal(lotor_inbox_show(inbox, count ? arms : NULL, count, &event), LOTOR_OK);
        assert_int_equal(lotor_inbox_expire(inbox, event), LOTOR_OK);
        lotor_round round;
        assert_true(lotor_inbox_peek(inbox, &round));
        assert_int_equal(round.arm_count, count);
        assert_memory_equal(round.arms, arms, count * sizeof *arms);
        assert_true(lotor_inbox_drop(inbox));
    }
    lotor_inbox_free(inbox);
}

static size_t below(lotor_generator *random, size_t bound)
{
    return (size_t)(lotor_generator_word(random) % bound);
}

/* The same feedback in two orders, with the same expiries, gives the same stream, byte by byte. */
TEST(the_order_of_feedback_does_not_matter)
{
    enum { ROUNDS = 100 };
    lotor_generator random;
    lotor_generator_seed(&random, 5);
    for (int turn = 0; turn < 50; turn++) {
        uint64_t order[ROUNDS];
        for (size_t i = 0; i < ROUNDS; i++) {
            const size_t other = below(&random, i + 1);
            order[i] = order[other];
            order[other] = i + 1;
        }
        lotor_inbox *forward = new_inbox(), *shuffled = new_inbox();
        for (uint32_t i = 0; i < ROUNDS; i++) {
            (void)show_arm(forward, i);
            (void)show_arm(shuffled, i);
        }
        for (uint64_t i = 0; i < ROUNDS; i++) {
            const int64_t own[NUMBERS] = {(int64_t)i + 1, -(int64_t)i - 1};
            const int64_t other[NUMBERS] = {(int64_t)order[i], -(int64_t)order[i]};
            assert_int_equal(lotor_inbox_observe(forward, i + 1, own), LOTOR_OK);
            assert_int_equal(lotor_inbox_observe(shuffled, order[i], other), LOTOR_OK);
        }
        for (uint64_t i = 0; i < ROUNDS; i++) {
            assert_int_equal(lotor_inbox_expire(forward, i + 1), LOTOR_OK);
            assert_int_equal(lotor_inbox_expire(shuffled, order[ROUNDS - 1 - i]), LOTOR_OK);
        }
        for (uint64_t i = 1; i <= ROUNDS; i++) {
            takes(forward, i, (uint32_t)i - 1, (int64_t)i, -(int64_t)i);
            takes(shuffled, i, (uint32_t)i - 1, (int64_t)i, -(int64_t)i);
        }
        lotor_inbox_free(forward);
        lotor_inbox_free(shuffled);
    }
}

/* 16 rounds fill the ring. One more makes it grow, with the head at every place. */
TEST(the_ring_grows_wherever_its_head_is)
{
    for (uint64_t head = 0; head < 40; head++) {
        lotor_inbox *inbox = new_inbox();
        for (uint64_t event = 1; event <= head; event++) {
            (void)show_arm(inbox, (uint32_t)event);
            assert_int_equal(lotor_inbox_expire(inbox, event), LOTOR_OK);
            takes(inbox, event, (uint32_t)event, -7, 70);
        }
        for (uint64_t event = head + 1; event <= head + 70; event++) {
            const int64_t units[NUMBERS] = {(int64_t)event, 1};
            assert_true(show_arm(inbox, (uint32_t)event) == event);
            assert_int_equal(lotor_inbox_observe(inbox, event, units), LOTOR_OK);
            assert_int_equal(lotor_inbox_expire(inbox, event), LOTOR_OK);
        }
        for (uint64_t event = head + 1; event <= head + 70; event++) {
            takes(inbox, event, (uint32_t)event, (int64_t)event, 1);
        }
        lotor_inbox_free(inbox);
    }
}

/* --- hostile bytes ---------------------------------------------------------------------------- */

/* The payload is all u64, so a test writes it word by word. */
static lotor_status load_words(const uint64_t *words, size_t count)
{
    size_t length;
    unsigned char *bytes = words_sealed("inbox", words, count, &length);
    lotor_inbox *inbox = new_inbox();
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "inbox", bytes, length, NULL), LOTOR_OK);
    lotor_status status = lotor_inbox_load(inbox, &reader);
    if (status == LOTOR_OK) {
        status = lotor_reader_finish(&reader, NULL);
    }
    lotor_inbox_free(inbox);
    lotor_bytes_free(bytes, length);
    return status;
}

TEST(hostile_bytes_are_refused)
{
    /* slots, numbers, missing x 2, first, waiting, then a round: flags, arms, arm x 2, units x 2 */
    const uint64_t good[] = {SLOTS, NUMBERS, (uint64_t)-7, 70, 9, 1, 3, 2, 100, 200, 5, 6};
    const size_t count = sizeof good / sizeof *good;
    static const words_change bad[] = {
        {0, SLOTS + 1},
        {0, 0},
        {0, UINT64_MAX},
        {1, NUMBERS - 1},
        {1, UINT64_MAX},
        {3, 3}, /* another default */
        {4, 0},
        {4, UINT64_MAX},
        {4, UINT64_MAX - 1}, /* the next event would have no number */

        {5, 0},
        {5, 2},
        {5, UINT64_MAX},
        {6, 4},
        {6, UINT64_MAX},
        {7, 1},
        {7, SLOTS},
        {7, SLOTS + 1},
        {7, UINT64_MAX},
        {8, UINT64_C(1) << 32},
        {5, UINT64_C(1) << 61},
    };
    words_expect_refused(load_words, good, count, bad, sizeof bad / sizeof *bad);
}
