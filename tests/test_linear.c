/* test_linear.c - the linear learner: values by hand, a naive learner, and the coverage of its
 * ellipsoid. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/laws.h"
#include "learn/factor.h"
#include "learn/linear.h"
#include "privacy/release/matrix.h"
#include "support/linear_board.h"

static const lotor_linear_rule *const rules[] = {
    &lotor_rule_linucb, &lotor_rule_jdp_gaussian, &lotor_rule_jdp_wishart,
    &lotor_rule_jdp_wishart_shifted, &lotor_rule_jdp_linucb};
enum { RULES = sizeof rules / sizeof *rules };

static lotor_linear_params params_of(size_t dimension, size_t actions)
{
    lotor_linear_params params = linear_params(dimension, actions);
    params.levels = 8.0;
    return params;
}

static void post(lotor_board *board, size_t arm, double value, uint64_t time)
{
    post_later(board, arm, value, time, 0);
}

static void release(lotor_board *board, size_t arm, double value, uint64_t time)
{
    release_later(board, arm, value, time, 0);
}

/* --- by hand -------------------------------------------------------------------------------- */

/* G = [3 1; 1 2], lambda = 1: V = [4 1; 1 3], det V = 11, V^-1 = [3 -1; -1 4]/11; u = (1, 2), so
 * theta = (1, 7)/11. 2 log(2/alpha) = 4, so beta = sqrt(4 + log 11) + 1 = 3.5294061. The indices of
 * (1,0) and (0,1) are 1/11 + beta sqrt(3/11) = 1.9340 and 7/11 + beta sqrt(4/11) = 2.7647; that of
 * (1,1) is 8/11 + beta sqrt(5/11) = 3.1068. (0 - theta)' V (0 - theta) = theta' u = 15/11. */
TEST(a_choice_by_hand)
{
    lotor_linear_params params = params_of(2, 3);
    params.alpha = 2.0 * exp(-2.0);
    lotor_linear_learner *learner = linear_learner(&lotor_rule_linucb, &params);
    lotor_board *board = board_of(2);
    static const double triangle[] = {3.0, 1.0, 2.0, 1.0, 2.0, 99.0};
    for (size_t i = 0; i < 6; i++) {
        post(board, i, triangle[i], 1);
    }
    static const double contexts[][6] = {{1, 0, 0, 1, 1, 1}, {1, 0, 0, 1, 0.1, 0.1}};
    assert_int_equal(lotor_linear_choose(learner, board, contexts[0]), 2);
    assert_int_equal(lotor_linear_choose(learner, board, contexts[1]), 1);
    double beta;
    const double *theta = lotor_linear_theta_of(learner, &beta);
    assert_true(near(beta, 3.5294061) && near(theta[0], 1.0 / 11.0) && near(theta[1], 7.0 / 11.0));
    static const double origin[2];
    assert_true(near(lotor_linear_distance(learner, origin), 15.0 / 11.0));
    assert_true(near(lotor_linear_distance(learner, theta), 0.0));
    assert_int_equal(lotor_linear_indefinite(learner), 0);
    lotor_linear_free(learner);
    lotor_board_free(board);
}

/* The same V and theta. With sigma = 0.3, <theta~, x> has mean <theta, x> and deviation 0.3 |x|_(V^-1):
 *
 *      x = (1,0)     1/11 and 0.3 sqrt(3/11)    above 0 with probability Phi(0.58026) = 0.71913
 *      x = (1,-1)   -6/11 and 0.3 sqrt(9/11)                             Phi(-2.01008) = 0.02221
 *
 * Of 40,000 samples, within five deviations (0.0112 and 0.0037). A sigma that is 10% off would be off
 * by 0.018 and 0.009 or more. */
TEST(samples_have_their_law)
{
    enum { SAMPLES = 40000 };
    static const double contexts[][4] = {{1, 0, -1, 0}, {1, -1, -1, 1}};
    static const double expected[] = {0.71913, 0.02221};
    static const double triangle[] = {3.0, 1.0, 2.0, 1.0, 2.0, 99.0};
    lotor_linear_params params = params_of(2, 2);
    params.reward_noise = 0.3;
    lotor_linear_learner *learner = linear_learner(&lotor_rule_lints, &params);
    lotor_board *board = board_of(2);
    for (size_t i = 0; i < 6; i++) {
        post(board, i, triangle[i], 1);
    }
    for (size_t c = 0; c < 2; c++) {
        size_t first = 0;
        for (uint64_t seed = 1; seed <= SAMPLES; seed++) {
            static const bool both[] = {true, true}, second[] = {false, true};
            lotor_linear_begin(learner, 1 + 7 * c, seed);
            const uint32_t chosen = lotor_linear_choose(learner, board, contexts[c]);
            first += chosen == 0;
            if (seed <= 100) { /* asking again, and with eligible actions */
                assert_int_equal(lotor_linear_choose(learner, board, contexts[c]), chosen);
                assert_int_equal(lotor_linear_choose_among(learner, board, contexts[c], both),
                                 chosen);
                assert_int_equal(lotor_linear_choose_among(learner, board, contexts[c], second), 1);
            }
        }
        const double share = (double)first / (double)SAMPLES, p = expected[c];
        if (!(fabs(share - p) < 5 * sqrt(p * (1 - p) / (double)SAMPLES))) {
            fail_msg("case %zu: %.5f, not %.5f", c, share, p);
        }
    }
    lotor_linear_free(learner);
    lotor_board_free(board);
}

/* Before the first release V = lambda I: the longest action is shown; among equals, the first. */
TEST(nothing_released_shows_the_longest)
{
    const lotor_linear_params params = params_of(2, 3);
    lotor_linear_learner *learner = linear_learner(&lotor_rule_linucb, &params);
    lotor_board *board = board_of(2);
    static const double contexts[] = {0.1, 0.0, 0.0, 0.5, -0.5, 0.0};
    assert_int_equal(lotor_linear_choose(learner, board, contexts), 1);
    assert_int_equal(lotor_linear_indefinite(learner), 0);
    lotor_linear_free(learner);
    lotor_board_free(board);
}

static void expect_bounds(const lotor_linear_rule *rule, const lotor_linear_params *params,
                          lotor_linear_bounds expected)
{
    const lotor_linear_bounds bounds = rule->bounds(params);
    assert_true(near(bounds.shift, expected.shift));
    assert_true(near(bounds.rho_min, expected.rho_min));
    assert_true(near(bounds.rho_max, expected.rho_max));
    assert_true(near(bounds.gamma, expected.gamma));
}

/* d = 4, n = 100, m = 8, bound^2 = 2.
 * Gaussian, s = 1, log(2n/alpha) = 8: Y = 4 (8 + 16) = 96, gamma = sqrt(8/96) (2 + 4) = sqrt 3.
 * Repaired, s = 1, log(4n/alpha) = 8: Y = sqrt 8 (4 + 2 sqrt 8) = 16 + 8 sqrt 2, gamma = sqrt(8/Y)
 * (2 + 4). Wishart, k = 32, log(8n/alpha) = 8: a = 16, b = 2 + 4 = 6; rho = 2 * 10^2 and 2 * 22^2;
 * the tail is 2 + sqrt(2 (8 - log 4)) = 5.6369508, gamma = sqrt 2 times that. Shifted: 4 bound^2 a
 * b = 768, c = 200 - 768 = -568, gamma = sqrt 2 sqrt(16 * 5.6369508) = 13.4306525. */
TEST(constants_by_hand)
{
    lotor_linear_params params = params_of(4, 2);
    params.regularizer = 0.25;
    const lotor_linear_bounds plain = {0.25, 0.25, 0.25, 0.0};
    for (size_t i = 0; i < RULES; i++) { /* without noise they are all the same */
        expect_bounds(rules[i], &params, plain);
    }
    params.gaussian = 1.0;
    params.degrees = 32.0;
    expect_bounds(&lotor_rule_linucb, &params, plain);
    params.alpha = 200.0 * exp(-8.0);
    expect_bounds(&lotor_rule_jdp_gaussian, &params,
                  (lotor_linear_bounds){192.0, 96.0, 288.0, sqrt(3.0)});
    params.alpha = 400.0 * exp(-8.0);
    const double y = 16.0 + 8.0 * sqrt(2.0);
    expect_bounds(&lotor_rule_jdp_linucb, &params,
                  (lotor_linear_bounds){2.0 * y, y, 3.0 * y, 6.0 * sqrt(8.0 / y)});
    params.alpha = 800.0 * exp(-8.0);
    expect_bounds(&lotor_rule_jdp_wishart, &params,
                  (lotor_linear_bounds){0.0, 200.0, 968.0, sqrt(2.0) * 5.6369508});
    expect_bounds(&lotor_rule_jdp_wishart_shifted, &params,
                  (lotor_linear_bounds){568.0, 768.0, 1536.0, 13.4306525});
}

static lotor_linear_bounds told;

static lotor_linear_bounds told_bounds(const lotor_linear_params *params)
{
    (void)params;
    return told;
}

TEST(nonsense_is_refused)
{
    const lotor_linear_params good = params_of(3, 4);
    lotor_linear_params bad[13];
    for (size_t i = 0; i < 13; i++) {
        bad[i] = good;
    }
    bad[0].dimension = 0;
    bad[1].actions = 0;
    bad[2].dimension = SIZE_MAX;
    bad[3].actions = SIZE_MAX;
    bad[4].alpha = 0.0;
    bad[5].alpha = NAN;
    bad[6].regularizer = 0.0;
    bad[7].regularizer = NAN;
    bad[8].reward_noise = INFINITY;
    bad[9].theta_length = -1.0;
    bad[10].theta_length = INFINITY;
    bad[11].alpha = 1.0;
    bad[12].reward_noise = -1.0;
    for (size_t i = 0; i < 13; i++) {
        lotor_linear_learner *learner;
        assert_int_equal(lotor_linear_new(&lotor_rule_linucb, &bad[i], &learner), LOTOR_INVALID);
        assert_null(learner);
    }
    lotor_linear_params few = good; /* a = 4 < b: so few degrees bound no eigenvalue from below */
    few.degrees = 2.0;
    for (size_t i = 2; i < 4; i++) {
        lotor_linear_learner *learner;
        assert_int_equal(lotor_linear_new(rules[i], &few, &learner), LOTOR_INVALID);
    }
    /* bounds that are invalid, whatever rule made them */
    static const lotor_linear_bounds none[] = {
        {NAN, 1.0, 2.0, 0.0},      {0.0, 0.0, 2.0, 0.0},     {0.0, 1.0, 0.5, 0.0},
        {0.0, 1.0, INFINITY, 0.0}, {0.0, 1.0, 2.0, -1.0},    {0.0, 1.0, 2.0, NAN},
        {0.0, 1.0, 2.0, INFINITY}, {INFINITY, 1.0, 2.0, 0.0}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        const lotor_linear_rule rule = {"none", "", .bounds = told_bounds};
        lotor_linear_learner *learner;
        told = none[i];
        assert_int_equal(lotor_linear_new(&rule, &good, &learner), LOTOR_INVALID);
        assert_null(learner);
        told = (lotor_linear_bounds){0.0, 1.0, 2.0, 0.0};
        assert_int_equal(lotor_linear_new(&rule, &good, &learner), LOTOR_OK);
        lotor_linear_free(learner);
    }
    lotor_linear_free(NULL);
    lotor_factor_free(NULL);
}

/* --- against a naive learner ---------------------------------------------------------------- */

enum { MOST = 20, ACTIONS = 12 };

/* 2d random outer products (so that V is neither diagonal nor badly conditioned), into v and u and
 * onto the board. */
static void random_problem(lotor_generator *generator, size_t d, double shift, lotor_board *board,
                           uint64_t time, double *v, double *u)
{
    double sums[(MOST + 1) * (MOST + 1)] = {0.0};
    for (size_t round = 0; round < 2 * d; round++) {
        double z[MOST + 1];
        for (size_t i = 0; i <= d; i++) {
            z[i] = lotor_random_gaussian(generator);
        }
        for (size_t i = 0; i <= d; i++) {
            for (size_t j = 0; j <= i; j++) {
                sums[i * (d + 1) + j] += z[i] * z[j];
            }
        }
    }
    for (size_t i = 0; i <= d; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double sum = sums[i * (d + 1) + j];
            post(board, i * (i + 1) / 2 + j, sum, time);
            if (i < d) {
                v[i * d + j] = sum + (i == j ? shift : 0.0);
            } else if (j < d) {
                u[j] = sum;
            }
        }
    }
}

static void check_choice(lotor_generator *generator, const lotor_linear_rule *rule,
                         const lotor_linear_params *params)
{
    const size_t d = params->dimension;
    const lotor_linear_bounds bounds = rule->bounds(params);
    lotor_linear_learner *learner = linear_learner(rule, params);
    lotor_board *board = board_of(d);
    for (uint64_t time = 1; time <= 20; time++) {
        double v[MOST * MOST], u[MOST], contexts[ACTIONS * MOST], beta;
        long double theta[MOST], image[MOST], indices[ACTIONS], best = -INFINITY;
        random_problem(generator, d, bounds.shift, board, time, v, u);
        for (size_t i = 0; i < ACTIONS * d; i++) {
            contexts[i] = lotor_random_gaussian(generator);
        }
        const long double log_det = solve_naively(d, v, u, theta);
        const long double inside = 2.0L * logl(2.0L / (long double)params->alpha) + log_det -
                                   (long double)d * logl(bounds.rho_min);
        const long double width = (long double)params->reward_noise * sqrtl(fmaxl(0.0L, inside)) +
                                  (long double)params->theta_length * sqrtl(bounds.rho_max) +
                                  (long double)bounds.gamma;
        for (size_t i = 0; i < ACTIONS; i++) {
            long double mean = 0.0L, square = 0.0L;
            (void)solve_naively(d, v, contexts + i * d, image);
            for (size_t j = 0; j < d; j++) {
                mean += theta[j] * contexts[i * d + j];
                square += image[j] * contexts[i * d + j];
            }
            indices[i] = mean + width * sqrtl(square);
            best = fmaxl(best, indices[i]);
        }
        const uint32_t chosen = lotor_linear_choose(learner, board, contexts);
        assert_true(chosen < ACTIONS);
        assert_true(indices[chosen] >= best - 1e-9L * fabsl(best));
        const double *learned = lotor_linear_theta_of(learner, &beta);
        assert_true(near(beta, (double)width));
        for (size_t j = 0; j < d; j++) {
            assert_true(near(learned[j], (double)theta[j]));
        }
    }
    assert_int_equal(lotor_linear_indefinite(learner), 0);
    lotor_linear_free(learner);
    lotor_board_free(board);
}

/* Every rule, d from 1 to 20 (plain loops up to 16, LAPACK above), with 20 boards each. */
TEST(choices_agree_with_a_naive_learner)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 1);
    for (size_t d = 1; d <= MOST; d++) {
        for (size_t i = 0; i < RULES; i++) {
            lotor_linear_params params = params_of(d, ACTIONS);
            params.reward_noise = 0.5;
            params.theta_length = 0.3;
            params.gaussian = 0.01; /* little, so that means and widths both matter */
            params.degrees = 40.0;
            check_choice(&generator, rules[i], &params);
        }
    }
}

/* Both methods of factoring agree, on both sides of the dimension at which the learner changes. */
TEST(lapack_and_plain_loops_agree)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 2);
    for (size_t d = 1; d <= MOST; d++) {
        lotor_board *board = board_of(d);
        lotor_factor *plain, *lapack;
        assert_int_equal(lotor_factor_new(d, ACTIONS, false, &plain), LOTOR_OK);
        assert_int_equal(lotor_factor_new(d, ACTIONS, true, &lapack), LOTOR_OK);
        for (uint64_t time = 1; time <= 20; time++) {
            double v[MOST * MOST] = {0.0}, u[MOST], rows[ACTIONS * MOST];
            double x[2][MOST], squares[2][ACTIONS];
            random_problem(&generator, d, 0.5, board, time, v, u);
            for (size_t i = 0; i < ACTIONS * d; i++) {
                rows[i] = lotor_random_gaussian(&generator);
            }
            assert_true(lotor_factor_make(plain, v) && lotor_factor_make(lapack, v));
            assert_true(near(lotor_factor_log_det(plain), lotor_factor_log_det(lapack)));
            lotor_factor_solve(plain, u, x[0]);
            lotor_factor_solve(lapack, u, x[1]);
            lotor_factor_squares(plain, rows, ACTIONS, squares[0]);
            lotor_factor_squares(lapack, rows, ACTIONS, squares[1]);
            for (size_t i = 0; i < d; i++) {
                assert_true(near(x[0][i], x[1][i]));
            }
            for (size_t i = 0; i < ACTIONS; i++) {
                assert_true(near(squares[0][i], squares[1][i]));
            }
            static const double spoiled[] = {-1e9, NAN, INFINITY, -INFINITY, 0.0};
            for (size_t i = 0; i < 5; i++) { /* the last pivot */
                v[d * d - 1] = spoiled[i];
                assert_false(lotor_factor_make(plain, v));
                assert_false(lotor_factor_make(lapack, v));
            }
        }
        lotor_factor_free(plain);
        lotor_factor_free(lapack);
        lotor_board_free(board);
    }
}

/* Pivots whose product is far outside the range of a double. */
TEST(log_det_neither_overflows_nor_underflows)
{
    static const double scales[] = {1e-100, 1.0, 1e100};
    for (size_t s = 0; s < 3; s++) {
        double v[MOST * MOST] = {0.0};
        for (size_t i = 0; i < MOST; i++) {
            v[i * MOST + i] = scales[s];
        }
        lotor_factor *factor;
        assert_int_equal(lotor_factor_new(MOST, 1, false, &factor), LOTOR_OK);
        assert_true(lotor_factor_make(factor, v));
        assert_true(near(lotor_factor_log_det(factor), (double)MOST * log(scales[s])));
        lotor_factor_free(factor);
    }
}

/* --- V that is not positive definite -------------------------------------------------------- */

/* A board and a learner, saved and loaded into others. */
static void reload(const lotor_board *board, const lotor_linear_learner *learner,
                   lotor_board *other_board, lotor_linear_learner *other)
{
    lotor_writer writer;
    unsigned char *bytes;
    size_t length;
    lotor_writer_start(&writer, "linear");
    lotor_board_save(board, &writer);
    lotor_linear_save(learner, &writer);
    assert_int_equal(lotor_writer_seal(&writer, &bytes, &length), LOTOR_OK);
    lotor_reader reader;
    assert_int_equal(lotor_reader_open(&reader, "linear", bytes, length, NULL), LOTOR_OK);
    lotor_board_load(other_board, &reader);
    lotor_linear_load(other, &reader);
    assert_int_equal(lotor_reader_finish(&reader, NULL), LOTOR_OK);
    lotor_bytes_free(bytes, length);
}

/* The noise made the first entry so negative that no shift helps, or no number: the longest action,
 * and counted; the next good release is used again. */
TEST(an_indefinite_round_shows_the_longest_and_is_counted)
{
    static const double spoiled[] = {-5.0, NAN, -INFINITY, INFINITY};
    for (size_t d = 2; d <= MOST; d += MOST - 2) {
        const lotor_linear_params params = params_of(d, 3);
        lotor_linear_learner *learner = linear_learner(&lotor_rule_linucb, &params);
        lotor_board *board = board_of(d);
        double contexts[3 * MOST] = {0.0}, beta;
        contexts[0] = 0.5;          /* the first coordinate */
        contexts[d + 1] = 0.8;      /* the second one */
        contexts[2 * d + 1] = -0.8; /* as long */
        for (uint64_t i = 0; i < 4; i++) {
            release(board, 0, spoiled[i], 2 * i + 1);
            assert_int_equal(lotor_linear_choose(learner, board, contexts), 1);
            assert_int_equal(lotor_linear_choose(learner, board, contexts), 1);
            assert_int_equal(lotor_linear_indefinite(learner), 2 * i + 2);
            assert_true(lotor_linear_theta_of(learner, &beta)[0] == 0.0 && isinf(beta));
            release(board, 0, -0.99,
                    2 * i + 2); /* V_11 = 0.01: its direction is the widest by far */
            assert_int_equal(lotor_linear_choose(learner, board, contexts), 0);
            assert_int_equal(lotor_linear_indefinite(learner), 2 * i + 2);
        }
        lotor_linear_free(learner);
        lotor_board_free(board);
    }
}

TEST(the_count_is_saved)
{
    const lotor_linear_params params = params_of(2, 2);
    lotor_linear_learner *learner = linear_learner(&lotor_rule_linucb, &params);
    lotor_linear_learner *other = linear_learner(&lotor_rule_linucb, &params);
    lotor_board *board = board_of(2);
    static const double contexts[] = {1.0, 0.0, 0.0, 0.9};
    assert_int_equal(lotor_linear_choose(other, board, contexts), 0);
    release(board, 0, -5.0, 1);
    for (int i = 0; i < 3; i++) {
        (void)lotor_linear_choose(learner, board, contexts);
    }
    reload(board, learner, board, other);
    assert_int_equal(lotor_linear_indefinite(other), 3);
    (void)lotor_linear_choose(other, board, contexts);
    assert_int_equal(lotor_linear_indefinite(other), 4);
    lotor_linear_free(learner);
    lotor_linear_free(other);
    lotor_board_free(board);
}

/* A loaded board can have the same number of posts as the one before, but other content. */
TEST(a_loaded_learner_reads_the_board_again)
{
    const lotor_linear_params params = params_of(2, 2);
    lotor_linear_learner *learner = linear_learner(&lotor_rule_linucb, &params);
    lotor_board *board = board_of(2), *other = board_of(2);
    static const double contexts[] = {1.0, 0.0, 0.0, 0.9};
    release(board, 0, -5.0, 1);
    release(other, 0, 50.0, 1);
    assert_int_equal(lotor_linear_choose(learner, board, contexts), 0);
    reload(other, learner, board, learner);
    assert_int_equal(lotor_linear_choose(learner, board, contexts), 1);
    assert_int_equal(lotor_linear_indefinite(learner), 1);
    lotor_linear_free(learner);
    lotor_board_free(board);
    lotor_board_free(other);
}

/* A release that is only partly on the board is not used; the one before is used until all of it is
 * there. */
TEST(half_a_release_waits)
{
    const lotor_linear_params params = params_of(2, 2);
    lotor_linear_learner *learner = linear_learner(&lotor_rule_linucb, &params);
    lotor_board *board = board_of(2);
    static const double contexts[] = {1.0, 0.0, 0.0, 0.9};
    release(board, 0, 50.0, 1); /* the first direction is known: the second is wider */
    assert_int_equal(lotor_linear_choose(learner, board, contexts), 1);
    post(board, 0, 0.0, 2);
    post(board, 1, 0.0, 2);
    assert_int_equal(lotor_linear_choose(learner, board, contexts), 1);
    lotor_linear_learner *fresh = linear_learner(&lotor_rule_linucb, &params);
    assert_int_equal(lotor_linear_choose(fresh, board, contexts), 0); /* the longest */
    assert_int_equal(lotor_linear_indefinite(fresh), 0);
    for (size_t i = 2; i < board->arms; i++) {
        post(board, i, 0.0, 2);
    }
    assert_int_equal(lotor_linear_choose(learner, board, contexts), 0);
    assert_int_equal(lotor_linear_choose(fresh, board, contexts), 0);
    lotor_linear_free(fresh);
    lotor_linear_free(learner);
    lotor_board_free(board);
}

/* --- coverage of the ellipsoid -------------------------------------------------------------- */

enum { D = 3, CHOICES = 5, ROUNDS = 2000, RUNS = 200 };

/* One run of section 6's world: actions uniform in the unit ball, theta on the unit sphere, rewards of
 * +1 or -1. Returns the largest |theta* - theta|_V / beta of all rounds; INFINITY where V was not
 * positive definite. */
static double play(lotor_matrix_kind kind, const lotor_linear_rule *rule, uint64_t seed)
{
    const lotor_matrix_params what = {.kind = kind,
                                      .size = D + 1,
                                      .horizon = ROUNDS,
                                      .bound = sqrt(2.0),
                                      .epsilon = lotor_ratio_of(1, 1),
                                      .delta = lotor_ratio_of(1, 100000)};
    lotor_matrix *matrix;
    assert_int_equal(lotor_matrix_new(&what, NULL, &matrix), LOTOR_OK);
    const lotor_matrix_noise known = lotor_matrix_noise_of(matrix);
    lotor_linear_params params = params_of(D, CHOICES);
    params.horizon = ROUNDS;
    params.levels = known.levels;
    params.gaussian = known.sigma;
    params.degrees = known.degrees;
    lotor_linear_learner *learner = linear_learner(rule, &params);
    lotor_board *board = board_of(D);
    lotor_generator world, coins;
    lotor_generator_seed(&world, seed);
    lotor_generator_seed(&coins, ~seed);
    lotor_noise noise = lotor_noise_simulated(&coins);
    double hidden[D], worst = 0.0;
    random_direction(&world, D, 1.0, hidden);
    assert_int_equal(lotor_matrix_start(matrix, &noise, board), LOTOR_OK);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        double contexts[CHOICES * D], z[D + 1], mean = 0.0, beta;
        for (size_t i = 0; i < CHOICES; i++) {
            random_direction(&world, D, cbrt(lotor_random_uniform(&world)), contexts + i * D);
        }
        const uint32_t chosen = lotor_linear_choose(learner, board, contexts);
        (void)lotor_linear_theta_of(learner, &beta);
        worst = fmax(worst, sqrt(lotor_linear_distance(learner, hidden)) / beta);
        memcpy(z, contexts + chosen * D, D * sizeof *z);
        for (size_t i = 0; i < D; i++) {
            mean += z[i] * hidden[i];
        }
        z[D] = lotor_random_uniform(&world) < 0.5 * (1.0 + mean) ? 1.0 : -1.0;
        assert_int_equal(lotor_matrix_feed(matrix, z, t, &noise, board), LOTOR_OK);
    }
    worst = lotor_linear_indefinite(learner) ? INFINITY : worst;
    lotor_linear_free(learner);
    lotor_matrix_free(matrix);
    lotor_board_free(board);
    return worst;
}

/* alpha = 0.05: theta* must be inside in all rounds of 95% of the runs, whatever the noise. It is
 * inside in all of them, since the bound is conservative. The largest ratio is 0.81 without noise,
 * 0.79 with Gaussian and 0.996 with Wishart noise, where the bias of the known shift is nearly all
 * of beta. With half of beta, it is inside in all rounds of 111 of 200 runs without noise, and of
 * none with noise: so the test detects a beta that is half too small. */
TEST(theta_stays_inside_the_ellipsoid)
{
    static const struct {
        lotor_matrix_kind kind;
        const lotor_linear_rule *rule;
        size_t runs;
    } cases[] = {
        {LOTOR_MATRIX_EXACT, &lotor_rule_linucb, RUNS},
        {LOTOR_MATRIX_GAUSSIAN, &lotor_rule_jdp_gaussian, RUNS},
        {LOTOR_MATRIX_TIGHT, &lotor_rule_jdp_linucb, RUNS},
        {LOTOR_MATRIX_WISHART, &lotor_rule_jdp_wishart, RUNS / 4},
        {LOTOR_MATRIX_WISHART, &lotor_rule_jdp_wishart_shifted, RUNS / 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double inside = 0.0, inside_half = 0.0;
        for (size_t run = 0; run < cases[i].runs; run++) {
            const double worst = play(cases[i].kind, cases[i].rule, 100 + run);
            inside += worst <= 1.0;
            inside_half += worst <= 0.5;
        }
        const double needed = 0.95 * (double)cases[i].runs;
        assert_true(inside >= needed);
        assert_true(inside_half < needed);
    }
}
