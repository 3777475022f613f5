/* linear_board.h - a linear learner and its board, what every learner must do, and a simple solver
 * for its equations. */
#ifndef LOTOR_TESTS_LINEAR_BOARD_H
#define LOTOR_TESTS_LINEAR_BOARD_H

#include <math.h>

#include "base/random/laws.h"
#include "board/board.h"
#include "learn/linear.h"
#include "support/cmocka_all.h"

/* Parameters without noise. */
static inline lotor_linear_params linear_params(size_t dimension, size_t actions)
{
    return (lotor_linear_params){
        .dimension = dimension,
        .actions = actions,
        .horizon = 100.0,
        .alpha = 0.05,
        .reward_noise = 1.0,
        .theta_length = 1.0,
        .bound = sqrt(2.0),
        .regularizer = 1.0,
    };
}

static inline lotor_linear_learner *linear_learner(const lotor_linear_rule *rule,
                                                   const lotor_linear_params *params)
{
    lotor_linear_learner *learner;
    assert_int_equal(lotor_linear_new(rule, params, &learner), LOTOR_OK);
    return learner;
}

static inline lotor_board *board_of(size_t dimension)
{
    lotor_board *board;
    const size_t size = dimension + 1;
    assert_int_equal(lotor_board_new(1, size * (size + 1) / 2, &board), LOTOR_OK);
    return board;
}

/* One entry that covers `rounds` rounds and was released `later` rounds after them. */
static inline void post_later(lotor_board *board, size_t entry, double value, uint64_t rounds,
                              uint64_t later)
{
    assert_int_equal(lotor_board_post(board, 0, entry, (lotor_fact){value, rounds, rounds + later}),
                     LOTOR_OK);
}

/* A whole release in which one entry changes. */
static inline void release_later(lotor_board *board, size_t entry, double value, uint64_t rounds,
                                 uint64_t later)
{
    for (size_t i = 0; i < board->arms; i++) {
        post_later(board, i, i == entry ? value : lotor_board_at(board, 0, i)->value, rounds,
                   later);
    }
}

/* Checks a learner of 2 dimensions and 4 actions before the first release: it shows the longest
 * action; among equals, even up to rounding, the first. These rounds are not counted as
 * failures. */
static inline void expect_longest_is_shown(lotor_linear_learner *learner, const lotor_board *board)
{
    static const double contexts[] = {0.1, 0.0, 0.0, 0.5, -0.5, 0.0, 0.0, 0.5 + 1e-15};
    assert_int_equal(lotor_linear_choose(learner, board, contexts), 1);
    assert_int_equal(lotor_linear_indefinite(learner), 0);
    assert_true(isinf(lotor_linear_width(learner, contexts)));
}

/* Checks that the learner chose the action with the highest index, chooses it again, and could use
 * every release. */
static inline void expect_highest(uint32_t chosen, const long double *indices, size_t actions,
                                  lotor_linear_learner *learner, const lotor_board *board,
                                  const double *contexts)
{
    long double best = -INFINITY;
    for (size_t i = 0; i < actions; i++) {
        best = fmaxl(best, indices[i]);
    }
    assert_true(indices[chosen] >= best - 1e-9L * fabsl(best));
    assert_int_equal(lotor_linear_choose(learner, board, contexts), chosen);
    assert_int_equal(lotor_linear_indefinite(learner), 0);
}

static inline bool near(double measured, double expected)
{
    return fabs(measured - expected) <= 1e-6 * fmax(1.0, fabs(expected));
}

/* Solves V x = b by Gauss elimination, without exchanges; V is symmetric, and its lower triangle is read.
 * Returns log det V. */
static inline long double solve_naively(size_t d, const double *v, const double *b, long double *x)
{
    enum { MOST_ROWS = 64 };
    static long double rows[MOST_ROWS][MOST_ROWS + 1];
    assert_true(d <= MOST_ROWS);
    long double log_det = 0.0L;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) {
            rows[i][j] = v[(i > j ? i : j) * d + (i > j ? j : i)];
        }
        rows[i][d] = b[i];
    }
    for (size_t i = 0; i < d; i++) {
        log_det += logl(rows[i][i]);
        for (size_t below = i + 1; below < d; below++) {
            const long double factor = rows[below][i] / rows[i][i];
            for (size_t j = i; j <= d; j++) {
                rows[below][j] -= factor * rows[i][j];
            }
        }
    }
    for (size_t i = d; i-- > 0;) {
        x[i] = rows[i][d];
        for (size_t j = i + 1; j < d; j++) {
            x[i] -= rows[i][j] * x[j];
        }
        x[i] /= rows[i][i];
    }
    return log_det;
}

/* A vector of this length in a random direction. */
static inline void random_direction(lotor_generator *generator, size_t d, double length, double *x)
{
    double square = 0.0;
    for (size_t i = 0; i < d; i++) {
        x[i] = lotor_random_gaussian(generator);
        square += x[i] * x[i];
    }
    for (size_t i = 0; i < d; i++) {
        x[i] *= length / sqrt(square);
    }
}

#endif
