/* test_board.c - released facts are written once, passed to the journal before they are visible,
 * and saved. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "board/board.h"
#include "support/words.h"

static lotor_board *new_board(size_t statistics, size_t arms)
{
    lotor_board *board = NULL;
    assert_int_equal(lotor_board_new(statistics, arms, &board), LOTOR_OK);
    assert_non_null(board);
    return board;
}

static void shows(const lotor_board *board, size_t statistic, size_t arm, lotor_fact expected)
{
    const lotor_fact *fact = lotor_board_at(board, statistic, arm);
    assert_memory_equal(&fact->value, &expected.value, sizeof fact->value);
    assert_true(fact->count == expected.count && fact->time == expected.time);
}

TEST(a_fact_is_written_once)
{
    lotor_board *board = new_board(2, 3);
    const lotor_fact first = {1.5, 4, 10}, later = {2.5, 8, 11};
    shows(board, 1, 2, (lotor_fact){0.0, 0, 0});
    assert_int_equal(lotor_board_post(board, 1, 2, first), LOTOR_OK);
    shows(board, 1, 2, first);
    assert_true(lotor_board_posts(board) == 1);

    assert_int_equal(lotor_board_post(board, 1, 2, first), LOTOR_OK); /* repeated after a crash */
    assert_true(lotor_board_posts(board) == 1);
    const lotor_fact contradictions[] = {
        {1.5000001, 4, 10}, {1.5, 5, 10}, {NAN, 4, 10}, {-1.5, 4, 10}, {1.5, 4, 9}, {0.0, 0, 1},
    };
    for (size_t i = 0; i < sizeof contradictions / sizeof *contradictions; i++) {
        assert_int_equal(lotor_board_post(board, 1, 2, contradictions[i]), LOTOR_RELEASED);
        shows(board, 1, 2, first);
    }
    assert_int_equal(lotor_board_post(board, 1, 2, later), LOTOR_OK);
    shows(board, 1, 2, later);
    assert_int_equal(lotor_board_post(board, 1, 2, first), LOTOR_RELEASED);
    shows(board, 1, 2, later);
    assert_true(lotor_board_posts(board) == 2);

    for (size_t statistic = 0; statistic < 2; statistic++) { /* and no other cell has changed */
        for (size_t arm = 0; arm < 3; arm++) {
            if (statistic != 1 || arm != 2) {
                shows(board, statistic, arm, (lotor_fact){0.0, 0, 0});
            }
        }
    }
    lotor_board_free(board);
}

TEST(a_fact_that_is_no_number_is_still_one_fact)
{
    lotor_board *board = new_board(1, 1);
    assert_int_equal(lotor_board_post(board, 0, 0, (lotor_fact){NAN, 1, 1}), LOTOR_OK);
    assert_int_equal(lotor_board_post(board, 0, 0, (lotor_fact){NAN, 1, 1}), LOTOR_OK);
    assert_int_equal(lotor_board_post(board, 0, 0, (lotor_fact){0.0, 1, 1}), LOTOR_RELEASED);
    assert_true(lotor_board_posts(board) == 1);
    lotor_board_free(board);
}

TEST(shapes_and_places)
{
    lotor_board *board = NULL;
    assert_int_equal(lotor_board_new(0, 1, &board), LOTOR_INVALID);
    assert_int_equal(lotor_board_new(1, 0, &board), LOTOR_INVALID);
    static const size_t too_large[][2] = {
        {SIZE_MAX, SIZE_MAX},
        {SIZE_MAX, 1},
        {1, SIZE_MAX},
        {SIZE_MAX / 2 + 1, 2},                  /* the product wraps to 0 */
        {(size_t)1 << 32, (size_t)1 << 32},     /* and here */
        {1, SIZE_MAX / sizeof(lotor_fact)},     /* the header no longer fits */
        {1, SIZE_MAX / sizeof(lotor_fact) + 1}, /* the bytes wrap */
    };
    for (size_t i = 0; i < sizeof too_large / sizeof *too_large; i++) {
        assert_int_equal(lotor_board_new(too_large[i][0], too_large[i][1], &board), LOTOR_MEMORY);
        assert_null(board);
    }
    lotor_board_free(NULL);

    board = new_board(2, 3);
    const lotor_fact fact = {1.0, 1, 1};
    assert_int_equal(lotor_board_post(board, 2, 0, fact), LOTOR_INVALID);
    assert_int_equal(lotor_board_post(board, 0, 3, fact), LOTOR_INVALID);
    assert_int_equal(lotor_board_post(board, SIZE_MAX, SIZE_MAX, fact), LOTOR_INVALID);
    assert_int_equal(lotor_board_post(board, 0, 0, (lotor_fact){1.0, 1, 0}), LOTOR_INVALID);
    assert_int_equal(lotor_board_post(board, 0, 0, (lotor_fact){0.0, 0, 0}), LOTOR_INVALID);
    assert_true(lotor_board_posts(board) == 0);
    assert_int_equal(lotor_board_post(board, 1, 2, (lotor_fact){1.0, 1, UINT64_MAX}), LOTOR_OK);
    lotor_board_free(board);
}

typedef struct journal_record {
    const lotor_board *board;
    int calls;
    size_t statistic, arm;
    lotor_fact fact, visible; /* what the journal got, and what the board showed at that moment */
    lotor_status answer;
} journal_record;

static lotor_status keep(void *context, size_t statistic, size_t arm, const lotor_fact *fact)
{
    journal_record *record = context;
    record->calls++;
    record->statistic = statistic;
    record->arm = arm;
    record->fact = *fact;
    record->visible = *lotor_board_at(record->board, statistic, arm);
    return record->answer;
}

TEST(the_journal_comes_first)
{
    lotor_board *board = new_board(2, 2);
    const lotor_fact first = {1.0, 1, 1}, second = {2.0, 3, 2};
    assert_int_equal(lotor_board_post(board, 1, 0, first), LOTOR_OK);
    journal_record record = {.board = board, .answer = LOTOR_OK};
    lotor_board_set_journal(board, keep, &record);

    assert_int_equal(lotor_board_post(board, 1, 0, second), LOTOR_OK);
    assert_int_equal(record.calls, 1);
    assert_true(record.statistic == 1 && record.arm == 0);
    assert_memory_equal(&record.fact, &second, sizeof second);
    assert_memory_equal(&record.visible, &first, sizeof first); /* not yet visible */
    shows(board, 1, 0, second);

    /* A known fact is not passed to the journal. */
    assert_int_equal(lotor_board_post(board, 1, 0, second), LOTOR_OK);
    assert_int_equal(lotor_board_post(board, 1, 0, first), LOTOR_RELEASED);
    assert_int_equal(lotor_board_post(board, 9, 0, first), LOTOR_INVALID);
    assert_int_equal(record.calls, 1);

    const lotor_fact third = {3.0, 7, 3};
    record.answer = LOTOR_MEMORY;
    assert_int_equal(lotor_board_post(board, 1, 0, third), LOTOR_MEMORY);
    assert_int_equal(record.calls, 2);
    shows(board, 1, 0, second);
    assert_true(lotor_board_posts(board) == 2);
    record.answer = LOTOR_OK;
    assert_int_equal(lotor_board_post(board, 1, 0, third), LOTOR_OK); /* and then it may */
    shows(board, 1, 0, third);
    assert_true(lotor_board_posts(board) == 3);

    lotor_board_set_journal(board, NULL, NULL);
    assert_int_equal(lotor_board_post(board, 1, 0, (lotor_fact){4.0, 9, 4}), LOTOR_OK);
    assert_int_equal(record.calls, 3);
    lotor_board_free(board);
}

/* --- saving ----------------------------------------------------------------------------------- */

static void save(const lotor_board *board, unsigned char **bytes, size_t *length)
{
    lotor_writer writer;
    lotor_writer_start(&writer, "board");
    lotor_board_save(board, &writer);
    assert_int_equal(lotor_writer_seal(&writer, bytes, length), LOTOR_OK);
}

static lotor_status load(lotor_board *board, const unsigned char *bytes, size_t length)
{
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "board", bytes, length, NULL), LOTOR_OK);
    lotor_board_load(board, &reader);
    return lotor_reader_finish(&reader, NULL);
}

TEST(saved_and_loaded)
{
    lotor_board *board = new_board(2, 3);
    const lotor_fact facts[] = {{0.1, 1, 1}, {-1e308, UINT64_MAX, 5}, {INFINITY, 0, UINT64_MAX}};
    assert_int_equal(lotor_board_post(board, 0, 0, facts[0]), LOTOR_OK);
    assert_int_equal(lotor_board_post(board, 1, 1, facts[1]), LOTOR_OK);
    assert_int_equal(lotor_board_post(board, 1, 2, facts[2]), LOTOR_OK);
    unsigned char *bytes, *again;
    size_t length, again_length;
    save(board, &bytes, &length);
    lotor_board *loaded = new_board(2, 3);
    assert_int_equal(load(loaded, bytes, length), LOTOR_OK);
    shows(loaded, 0, 0, facts[0]);
    shows(loaded, 1, 1, facts[1]);
    shows(loaded, 1, 2, facts[2]);
    shows(loaded, 0, 1, (lotor_fact){0.0, 0, 0});
    assert_true(lotor_board_posts(loaded) == 3);
    save(loaded, &again, &again_length);
    assert_int_equal(length, again_length);
    assert_memory_equal(bytes, again, length);
    /* Facts released before the save can't change afterwards. */
    assert_int_equal(lotor_board_post(loaded, 1, 1, (lotor_fact){0.0, 1, 5}), LOTOR_RELEASED);

    /* A board of another shape, even with the same number of cells, refuses the bytes. */
    lotor_board *turned = new_board(3, 2), *larger = new_board(2, 4);
    assert_int_equal(load(turned, bytes, length), LOTOR_DAMAGED);
    assert_int_equal(load(larger, bytes, length), LOTOR_DAMAGED);
    lotor_board_free(turned);
    lotor_board_free(larger);
    lotor_board_free(loaded);
    lotor_board_free(board);
    lotor_bytes_free(bytes, length);
    lotor_bytes_free(again, again_length);
}

static lotor_status load_words(const uint64_t *words, size_t count)
{
    size_t length;
    unsigned char *bytes = words_sealed("board", words, count, &length);
    lotor_board *board = new_board(1, 2);
    const lotor_status status = load(board, bytes, length);
    lotor_board_free(board);
    lotor_bytes_free(bytes, length);
    return status;
}

TEST(damaged_boards_are_refused)
{
    /* statistics, arms, posts, rows that are used, then value, count, time for each of two cells;
     * 1.0 is 3ff0... */
    const uint64_t one = UINT64_C(0x3ff0000000000000);
    const uint64_t good[] = {1, 2, 2, 1, one, 3, 4, one, 3, 5};
    const size_t count = sizeof good / sizeof *good;
    static const words_change bad[] = {
        {0, 2}, {0, 0}, {0, UINT64_MAX}, {1, 1}, {1, UINT64_MAX},
        {2, 0}, {2, 1},                                  /* fewer posts than facts */
        {3, 0}, {3, 2}, {3, UINT64_MAX}, {6, 0}, {9, 0}, /* a value that was never released */
    };
    words_expect_refused(load_words, good, count, bad, sizeof bad / sizeof *bad);
    const uint64_t empty_row[] = {1, 2, 1, 1, 0, 0, 0, 0, 0, 0};
    assert_int_equal(load_words(empty_row, sizeof empty_row / sizeof *empty_row), LOTOR_DAMAGED);
    const uint64_t longer[] = {1, 2, 2, 1, one, 3, 4, one, 3, 5, 0};
    assert_int_equal(load_words(longer, count + 1), LOTOR_DAMAGED);
}
