/* fuzz_board_load.c - loads saved boards. Two bytes choose the shape of the table, and the rest is
 * the payload. A loaded board is saved to the same bytes, and its facts do not contradict each
 * other. */
#include "fuzz.h"

#include "board/board.h"

static void use(lotor_board *board, size_t statistics, size_t arms)
{
    uint64_t filled = 0;
    const uint64_t loaded_posts = lotor_board_posts(board);
    for (size_t statistic = 0; statistic < statistics; statistic++) {
        for (size_t arm = 0; arm < arms; arm++) {
            const lotor_fact fact = *lotor_board_at(board, statistic, arm);
            const uint64_t posts = lotor_board_posts(board);
            if (fact.time == 0) {
                CHECK(fact.value == 0.0 && fact.count == 0);
                continue;
            }
            filled++;
            lotor_fact other = fact;
            other.count++;
            CHECK(lotor_board_post(board, statistic, arm, fact) == LOTOR_OK);
            CHECK(lotor_board_post(board, statistic, arm, other) == LOTOR_RELEASED);
            CHECK(lotor_board_posts(board) == posts);
            if (other.time < UINT64_MAX) {
                other.time++;
                CHECK(lotor_board_post(board, statistic, arm, other) == LOTOR_OK);
            }
        }
    }
    CHECK(filled <= loaded_posts && (filled > 0 || loaded_posts == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    const size_t statistics = 1 + data[0] % 3, arms = 1 + data[1] % 3;
    size_t length;
    unsigned char *bytes = fuzz_envelope("board", data + 2, size - 2, &length);
    lotor_board *board;
    CHECK(lotor_board_new(statistics, arms, &board) == LOTOR_OK);
    lotor_reader reader;
    CHECK(lotor_reader_open(&reader, "board", bytes, length, NULL) == LOTOR_OK);
    lotor_board_load(board, &reader);
    if (lotor_reader_finish(&reader, NULL) == LOTOR_OK) {
        unsigned char *again;
        size_t again_length;
        lotor_writer writer;
        lotor_writer_start(&writer, "board");
        lotor_board_save(board, &writer);
        CHECK(lotor_writer_seal(&writer, &again, &again_length) == LOTOR_OK);
        CHECK(again_length == length && memcmp(again, bytes, length) == 0);
        lotor_bytes_free(again, again_length);
        use(board, statistics, arms);
    }
    lotor_board_free(board);
    free(bytes);
    return 0;
}
