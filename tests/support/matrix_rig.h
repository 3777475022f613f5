/* matrix_rig.h - a matrix statistic with its board and its noise, and a journal that refuses. */
#ifndef LOTOR_TESTS_MATRIX_RIG_H
#define LOTOR_TESTS_MATRIX_RIG_H

#include <string.h>

#include "board/board.h"
#include "privacy/release/matrix.h"
#include "support/cmocka_all.h"

typedef struct rig {
    lotor_matrix *matrix;
    lotor_board *board;
    lotor_generator generator;
    lotor_noise noise;
} rig;

/* Makes a statistic that is not started yet. */
static inline void rig_prepare(rig *made, const lotor_matrix_params *params, uint64_t seed)
{
    lotor_generator_seed(&made->generator, seed);
    made->noise = lotor_noise_simulated(&made->generator);
    assert_int_equal(lotor_matrix_new(params, NULL, &made->matrix), LOTOR_OK);
    assert_int_equal(lotor_board_new(lotor_matrix_statistics(made->matrix),
                                     lotor_matrix_entries(params->size), &made->board),
                     LOTOR_OK);
}

static inline void rig_free(rig *made)
{
    lotor_matrix_free(made->matrix);
    lotor_board_free(made->board);
}

/* Checks the first entries: `noisy` is the noise of `alone`, which is not 0, plus the sums of
 * `sums`. */
static inline void rig_expect_sum(const rig *noisy, const rig *alone, const rig *sums,
                                  size_t entries)
{
    for (size_t i = 0; i < entries; i++) {
        const double noise = lotor_board_at(alone->board, 0, i)->value;
        assert_true(noise != 0.0);
        assert_true(lotor_board_at(noisy->board, 0, i)->value - noise ==
                    lotor_board_at(sums->board, 0, i)->value);
    }
}

static inline void assert_same_board(const lotor_board *a, const lotor_board *b)
{
    assert_int_equal(a->arms, b->arms);
    assert_int_equal(a->statistics, b->statistics);
    assert_memory_equal(a->facts, b->facts, a->statistics * a->arms * sizeof *a->facts);
}

/* Checks that `other`, with the noise of `made`, continues as `made` does, in rounds from `first`
 * to `last`. */
static inline void rig_expect_alike(rig *made, rig *other,
                                    lotor_status (*feed)(rig *made, uint64_t round), uint64_t first,
                                    uint64_t last)
{
    other->generator = made->generator;
    other->noise = made->noise; /* with the draws that the noise has in stock */
    other->noise.generator = &other->generator;
    for (uint64_t round = first; round <= last; round++) {
        assert_int_equal(feed(made, round), LOTOR_OK);
        assert_int_equal(feed(other, round), LOTOR_OK);
        assert_same_board(made->board, other->board);
    }
}

/* A journal that refuses one call. */
typedef struct refuser {
    size_t calls, refuses; /* the call that it refuses, from 1 */
} refuser;

static inline lotor_status refuse_once(void *context, size_t statistic, size_t arm,
                                       const lotor_fact *fact)
{
    (void)statistic;
    (void)arm;
    (void)fact;
    refuser *journal = context;
    return ++journal->calls == journal->refuses ? LOTOR_MEMORY : LOTOR_OK;
}

/* Checks that the matrix is refused, and that the reason contains the word. */
static inline void expect_refusal(const lotor_matrix_params *params, lotor_status status,
                                  const char *word)
{
    lotor_message why = {{0}};
    lotor_matrix *matrix;
    assert_int_equal(lotor_matrix_new(params, &why, &matrix), status);
    assert_null(matrix);
    assert_non_null(strstr(why.text, word));
    assert_int_equal(lotor_matrix_new(params, NULL, &matrix), status);
}

/* The matrix as a sealed section; the caller frees the bytes. */
static inline unsigned char *matrix_save(const lotor_matrix *matrix, size_t *length)
{
    lotor_writer writer;
    unsigned char *bytes;
    lotor_writer_start(&writer, "matrix");
    lotor_matrix_save(matrix, &writer);
    assert_int_equal(lotor_writer_seal(&writer, &bytes, length), LOTOR_OK);
    return bytes;
}

#endif
