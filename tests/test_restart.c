/* test_restart.c - a restarted matrix equals a new one: the same bytes when saved, and with the
 * same noise the same releases. */
#include "support/test.h"

#include <math.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "privacy/release/matrix.h"
#include "support/words.h"

enum { SIZE = 3, ROUNDS = 40 };

static const lotor_matrix_kind kinds[] = {LOTOR_MATRIX_EXACT,   LOTOR_MATRIX_GAUSSIAN,
                                          LOTOR_MATRIX_WISHART, LOTOR_MATRIX_TIGHT,
                                          LOTOR_MATRIX_BATCH,   LOTOR_MATRIX_SEPARATE};

static lotor_matrix *make(lotor_matrix_kind kind)
{
    const lotor_matrix_params params = {
        .kind = kind,
        .size = SIZE,
        .horizon = ROUNDS,
        .bound = sqrt(2.0),
        .epsilon = lotor_ratio_of(50, 1),
        .delta = lotor_ratio_of(1, 100000),
        .context = 1.0,
        .reward = 1.0,
        .alpha = 0.05,
    };
    lotor_matrix *matrix;
    assert_int_equal(lotor_matrix_new(&params, NULL, &matrix), LOTOR_OK);
    return matrix;
}

/* Plays rounds on a new board, with the noise of a seed. The caller frees the board. */
static lotor_board *play(lotor_matrix *matrix, uint64_t seed, uint64_t rounds)
{
    lotor_generator generator;
    lotor_board *board;
    lotor_generator_seed(&generator, seed);
    lotor_noise noise = lotor_noise_simulated(&generator);
    assert_int_equal(
        lotor_board_new(lotor_matrix_statistics(matrix), lotor_matrix_entries(SIZE), &board),
        LOTOR_OK);
    assert_int_equal(lotor_matrix_start(matrix, &noise, board), LOTOR_OK);
    for (uint64_t t = 1; t <= rounds; t++) {
        const double z[SIZE] = {0.5, t % 2 ? 0.25 : -0.5, t % 3 ? 1.0 : 0.0};
        assert_int_equal(lotor_matrix_feed(matrix, z, t, &noise, board), LOTOR_OK);
    }
    return board;
}

static void save(const lotor_matrix *matrix, unsigned char **bytes, size_t *length)
{
    lotor_writer writer;
    lotor_writer_start(&writer, "matrix");
    lotor_matrix_save(matrix, &writer);
    assert_int_equal(lotor_writer_seal(&writer, bytes, length), LOTOR_OK);
}

static void expect_same_bytes(const lotor_matrix *a, const lotor_matrix *b)
{
    unsigned char *one, *other;
    size_t length, same;
    save(a, &one, &length);
    save(b, &other, &same);
    bytes_expect_same(one, length, other, same);
}

/* Restarts after every number of rounds, the whole horizon included. */
TEST(as_new)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (uint64_t before = 0; before <= ROUNDS; before++) {
            lotor_matrix *used = make(kinds[k]), *fresh = make(kinds[k]);
            lotor_board_free(play(used, 7, before));
            lotor_matrix_restart(used);
            expect_same_bytes(used, fresh);
            lotor_board *a = play(used, 8, ROUNDS), *b = play(fresh, 8, ROUNDS);
            assert_true(lotor_board_posts(a) > 0);
            assert_int_equal(lotor_board_posts(a), lotor_board_posts(b));
            assert_memory_equal(a->facts, b->facts, a->statistics * a->arms * sizeof *a->facts);
            expect_same_bytes(used, fresh);
            lotor_board_free(a);
            lotor_board_free(b);
            lotor_matrix_free(used);
            lotor_matrix_free(fresh);
        }
    }
}
