/* test_linear_allocation.c - the k-th allocation fails, for every k, for a matrix statistic and a
 * linear learner: the call returns a status and leaks nothing. Rounds allocate nothing. */
#include "support/test.h"

#include <math.h>

#include "learn/linear.h"
#include "privacy/release/matrix.h"
#include "support/failing_memory.h"

enum { ROUNDS = 8, ACTIONS = 3 };

/* Makes both objects and plays up to ROUNDS rounds. False: an allocation failed. */
static bool live(lotor_matrix_kind kind, size_t d, lotor_board *board)
{
    static const lotor_linear_rule *const rules[] = {[LOTOR_MATRIX_BATCH] = &lotor_rule_jdp_batch,
                                                     [LOTOR_MATRIX_SEPARATE] =
                                                         &lotor_rule_jdp_bayes};
    const lotor_linear_rule *rule = kind >= LOTOR_MATRIX_BATCH ? rules[kind] : &lotor_rule_linucb;
    const lotor_matrix_params what = {.kind = kind,
                                      .size = d + 1,
                                      .horizon = ROUNDS,
                                      .bound = sqrt(2.0),
                                      .epsilon =
                                          lotor_ratio_of(kind >= LOTOR_MATRIX_BATCH ? 1000 : 1, 1),
                                      .delta = lotor_ratio_of(1, 1000),
                                      .context = 1.0,
                                      .reward = 1.0,
                                      .alpha = 0.05};
    const lotor_linear_params params = {.dimension = d,
                                        .actions = ACTIONS,
                                        .horizon = ROUNDS,
                                        .alpha = 0.05,
                                        .reward_noise = 1.0,
                                        .theta_length = 1.0,
                                        .bound = sqrt(2.0),
                                        .regularizer = 1e6,
                                        .releases = 3.0,
                                        .first_release = 2};
    lotor_matrix *matrix;
    lotor_linear_learner *learner = NULL;
    lotor_status status = lotor_matrix_new(&what, NULL, &matrix);
    if (status == LOTOR_OK) {
        status = lotor_linear_new(rule, &params, &learner);
    }
    assert_true(status == LOTOR_OK || status == LOTOR_MEMORY);
    if (status == LOTOR_OK) {
        lotor_generator generator;
        lotor_generator_seed(&generator, 1);
        lotor_noise noise = lotor_noise_simulated(&generator);
        const size_t asked = failing_memory_stop();
        failing_memory_start(0);
        assert_int_equal(lotor_matrix_start(matrix, &noise, board), LOTOR_OK);
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            const double contexts[ACTIONS * 20] = {0.5, 0.25}, z[21] = {0.5, 0.25};
            (void)lotor_linear_choose(learner, board, contexts);
            assert_int_equal(lotor_matrix_feed(matrix, z, t, &noise, board), LOTOR_OK);
        }
        assert_int_equal(failing_memory_stop(), 0);
        assert_true(lotor_board_posts(board) > 0);
        assert_true(asked > 0);
    }
    lotor_matrix_free(matrix);
    lotor_linear_free(learner);
    return status == LOTOR_OK;
}

TEST(every_allocation_may_fail)
{
    for (int kind = 0; kind <= LOTOR_MATRIX_SEPARATE; kind++) {
        for (size_t d = 2; d <= 20; d += 18) {
            size_t failures = 0;
            for (bool works = false; !works; failures += !works) {
                lotor_board *board;
                const size_t rows = kind == LOTOR_MATRIX_SEPARATE ? 3 : 1; /* rounds 2, 4, 8 */
                assert_int_equal(lotor_board_new(rows, lotor_matrix_entries(d + 1), &board),
                                 LOTOR_OK);
                const size_t before = failing_memory_live();
                failing_memory_start(failures + 1);
                works = live((lotor_matrix_kind)kind, d, board);
                (void)failing_memory_stop();
                assert_int_equal(failing_memory_live(), before);
                lotor_board_free(board);
            }
            assert_true(failures >= 13);
        }
    }
}
