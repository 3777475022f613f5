/* test_linear_bayes.c - the belief of a linear learner on separate batches: values by hand, a naive
 * learner, and releases that come in parts, together or after a reload. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "base/random/laws.h"
#include "learn/eigen.h"
#include "learn/linear.h"
#include "support/linear_board.h"

enum { MOST = 20, ACTIONS = 12, BATCHES = 4, FIRST = 4 };

static lotor_linear_params params_of(size_t dimension, size_t actions)
{
    lotor_linear_params params = linear_params(dimension, actions);
    params.gaussian = 1.0;
    params.response = 2.0;
    params.releases = BATCHES;
    params.first_release = FIRST;
    return params;
}

static lotor_linear_learner *learner_of(const lotor_linear_params *params)
{
    return linear_learner(&lotor_rule_jdp_bayes, params);
}

static lotor_board *batches_of(size_t dimension)
{
    lotor_board *board;
    assert_int_equal(lotor_board_new(BATCHES, (dimension + 1) * (dimension + 2) / 2, &board),
                     LOTOR_OK);
    return board;
}

/* Posts the first `entries` entries of a batch; g is row by row. */
static void post_part(lotor_board *board, size_t batch, size_t d, const double *g, const double *u,
                      size_t entries)
{
    const uint64_t rounds = batch ? (uint64_t)FIRST << (batch - 1) : FIRST;
    const uint64_t time = ((uint64_t)FIRST << batch) + 1;
    size_t entry = 0;
    for (size_t i = 0; i <= d; i++) {
        for (size_t j = 0; j <= i && j < d && entry < entries; j++, entry++) {
            const double value = i < d ? g[i * d + j] : u[j];
            assert_int_equal(
                lotor_board_post(board, batch, entry, (lotor_fact){value, rounds, time}), LOTOR_OK);
        }
    }
}

static void post(lotor_board *board, size_t batch, size_t d, const double *g, const double *u)
{
    post_part(board, batch, d, g, u, SIZE_MAX);
}

/* --- by hand -------------------------------------------------------------------------------- */

/* d = 1, s_G = S = sigma = 1, s_u = 2: s^2 = 4 + 2, and P = 1 at first. G = 20, u = 3: P = 1 +
 * 400/26, h = 60/26. G = -5 says nothing. G = 10, u = 4: P grows by 100/16, h by 40/16. */
TEST(one_dimension_by_hand)
{
    static const struct {
        double g, u, theta, width;
    } cases[] = {{20.0, 3.0, 0.1408451, 0.1235244},
                 {-5.0, 9.0, 0.1408451, 0.1235244},
                 {10.0, 4.0, 0.2124044, 0.1050953}};
    const lotor_linear_params params = params_of(1, 1);
    lotor_linear_learner *learner = learner_of(&params);
    lotor_board *board = batches_of(1);
    for (size_t i = 0; i < 3; i++) {
        const double x = 1.0;
        double beta;
        post(board, i, 1, &cases[i].g, &cases[i].u);
        assert_int_equal(lotor_linear_choose(learner, board, &x), 0);
        assert_true(near(lotor_linear_theta_of(learner, &beta)[0], cases[i].theta));
        assert_true(beta == 0.5);
        assert_true(near(lotor_linear_width(learner, &x), cases[i].width));
    }
    lotor_linear_free(learner);
    lotor_board_free(board);
}

/* d = 2: P = 2 I at first, the spread of the noise is 4, s^2 = 5.5.
 *
 *   eigenvalues 10 and 2: m = 6, |G~ - m I|^2 = 32, rho = 1/8, so 9.5 and 2.5. P = 2 + 9.5^2/15 and
 *       2 + 2.5^2/8. u = (5, -2): h = (5 * 9.5/15, -2 * 2.5/8).
 *   10 and -4: m = 3, rho = 4/98, so 9.7142857 and -3.71, which counts as 0.
 *   4 and 2: |G~ - m I|^2 = 2, less than noise alone has; rho = 1, so 3 and 3.
 *
 * Each along the axes, and turned by 45 degrees: the same, along other directions. */
TEST(two_dimensions_by_hand)
{
    static const struct {
        double values[2], theta[2], widths[2];
    } cases[] = {
        {{10.0, 2.0}, {0.3950104, -0.2247191}, {0.1765928, 0.2998127}},
        {{10.0, -4.0}, {0.3892069, 0.0}, {0.1745804, 0.3535534}},
        {{4.0, 2.0}, {0.5769231, -0.2307692}, {0.2858859, 0.2858859}},
    };
    const double half = sqrt(0.5);
    const double turns[2][2][2] = {{{1.0, 0.0}, {0.0, 1.0}}, {{half, half}, {half, -half}}};
    for (size_t c = 0; c < 3; c++) {
        for (size_t turn = 0; turn < 2; turn++) {
            const double(*axes)[2] = turns[turn];
            const lotor_linear_params params = params_of(2, 2);
            lotor_linear_learner *learner = learner_of(&params);
            lotor_board *board = batches_of(2);
            double g[4] = {0.0}, u[2] = {0.0}, beta;
            for (size_t k = 0; k < 2; k++) {
                for (size_t i = 0; i < 2; i++) {
                    u[i] += (k ? -2.0 : 5.0) * axes[k][i];
                    g[2 * i] += cases[c].values[k] * axes[k][i] * axes[k][0];
                    g[2 * i + 1] += cases[c].values[k] * axes[k][i] * axes[k][1];
                }
            }
            post(board, 0, 2, g, u);
            (void)lotor_linear_choose(learner, board, &axes[0][0]);
            const double *theta = lotor_linear_theta_of(learner, &beta);
            for (size_t k = 0; k < 2; k++) {
                const double along = theta[0] * axes[k][0] + theta[1] * axes[k][1];
                assert_true(near(along, cases[c].theta[k]));
                assert_true(near(lotor_linear_width(learner, axes[k]), cases[c].widths[k]));
            }
            lotor_linear_free(learner);
            lotor_board_free(board);
        }
    }
}

TEST(nothing_released_shows_the_longest)
{
    const lotor_linear_params params = params_of(2, 4);
    lotor_linear_learner *learner = learner_of(&params);
    lotor_board *board = batches_of(2);
    expect_longest_is_shown(learner, board);
    lotor_linear_free(learner);
    lotor_board_free(board);
}

TEST(nonsense_is_refused)
{
    lotor_linear_params bad = params_of(2, 2);
    lotor_linear_learner *learner;
    bad.theta_length = 0.0;
    assert_int_equal(lotor_linear_new(&lotor_rule_jdp_bayes, &bad, &learner), LOTOR_INVALID);
    bad = params_of(0, 2);
    assert_int_equal(lotor_linear_new(&lotor_rule_jdp_bayes, &bad, &learner), LOTOR_INVALID);
}

/* --- releases ------------------------------------------------------------------------------- */

static void random_batch(lotor_generator *generator, size_t d, double *g, double *u)
{
    for (size_t i = 0; i < d; i++) {
        u[i] = 10.0 * lotor_random_gaussian(generator);
        for (size_t j = 0; j <= i; j++) {
            g[i * d + j] = g[j * d + i] =
                6.0 * lotor_random_gaussian(generator) + (i == j ? 10.0 : 0.0);
        }
    }
}

/* Theta of a learner that sees the board for the first time. */
static void fresh_theta(size_t d, const lotor_board *board, const double *contexts, double *theta)
{
    const lotor_linear_params params = params_of(d, ACTIONS);
    lotor_linear_learner *learner = learner_of(&params);
    double beta;
    (void)lotor_linear_choose(learner, board, contexts);
    memcpy(theta, lotor_linear_theta_of(learner, &beta), d * sizeof *theta);
    lotor_linear_free(learner);
}

/* A learner that follows every release equals one that reads them all at once, to the last bit: so
 * a policy continues as before when it is loaded. A part of a release is not used. */
TEST(releases_may_come_in_parts_or_together)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 3);
    for (size_t d = 1; d <= MOST; d += d == 1 ? 2 : 17) {
        const lotor_linear_params params = params_of(d, ACTIONS);
        lotor_linear_learner *learner = learner_of(&params);
        lotor_board *board = batches_of(d);
        double g[MOST * MOST], u[MOST], contexts[ACTIONS * MOST], before[MOST] = {0.0}, same[MOST];
        double beta;
        for (size_t i = 0; i < ACTIONS * d; i++) {
            contexts[i] = lotor_random_gaussian(&generator);
        }
        const size_t last = d * (d + 1) / 2 + d - 1;
        for (size_t batch = 0; batch < BATCHES; batch++) {
            random_batch(&generator, d, g, u);
            for (size_t entries = 1; entries <= last; entries += last > 1 ? last - 1 : 1) {
                post_part(board, batch, d, g, u, entries);
                (void)lotor_linear_choose(learner, board, contexts);
                assert_memory_equal(lotor_linear_theta_of(learner, &beta), before,
                                    d * sizeof *before);
                fresh_theta(d, board, contexts, same);
                assert_memory_equal(same, before, d * sizeof *same);
            }
            post(board, batch, d, g, u);
            (void)lotor_linear_choose(learner, board, contexts);
            memcpy(before, lotor_linear_theta_of(learner, &beta), d * sizeof *before);
            fresh_theta(d, board, contexts, same);
            assert_memory_equal(same, before, d * sizeof *same);
            assert_true(before[0] != 0.0);
        }
        lotor_linear_free(learner);
        lotor_board_free(board);
    }
}

/* The same learner on another board starts again. */
TEST(another_board_is_another_belief)
{
    const lotor_linear_params params = params_of(1, 1);
    lotor_linear_learner *learner = learner_of(&params);
    lotor_board *one = batches_of(1), *other = batches_of(1);
    const double x = 1.0, g = 20.0, u = 3.0;
    double beta;
    post(one, 0, 1, &g, &u);
    post(other, 0, 1, &g, &u);
    (void)lotor_linear_choose(learner, one, &x);
    (void)lotor_linear_choose(learner, other, &x);
    assert_true(near(lotor_linear_theta_of(learner, &beta)[0], 0.1408451));
    lotor_linear_free(learner);
    lotor_board_free(one);
    lotor_board_free(other);
}

/* A batch with a number that is not finite is left out, in G or in u; the next one counts. */
TEST(what_is_no_number_is_left_out)
{
    static const double spoiled[] = {NAN, INFINITY, -INFINITY};
    for (size_t d = 2; d <= MOST; d += MOST - 2) {
        for (size_t i = 0; i < 6; i++) {
            const lotor_linear_params params = params_of(d, 3);
            lotor_linear_learner *learner = learner_of(&params);
            lotor_board *board = batches_of(d), *good = batches_of(d);
            double g[MOST * MOST] = {0.0}, u[MOST] = {0.0}, contexts[3 * MOST] = {0.0}, beta;
            contexts[0] = 0.5;          /* the first coordinate */
            contexts[d + 1] = 0.8;      /* the second one */
            contexts[2 * d + 1] = -0.8; /* as long */
            for (size_t k = 0; k < d; k++) {
                g[k * d + k] = 30.0;
            }
            double *spoilt = i < 3 ? &g[d] : &u[0];
            *spoilt = spoiled[i % 3];
            post(board, 0, d, g, u);
            assert_int_equal(lotor_linear_choose(learner, board, contexts), 1);
            assert_true(lotor_linear_theta_of(learner, &beta)[0] == 0.0 && isinf(beta));
            *spoilt = 0.0;
            u[0] = 30.0;
            post(board, 1, d, g, u);
            post(good, 0, d, g, u);
            assert_int_equal(lotor_linear_choose(learner, board, contexts), 0);
            const double theta = lotor_linear_theta_of(learner, &beta)[0];
            assert_int_equal(lotor_linear_choose(learner, good, contexts), 0);
            assert_true(theta > 0.3 && theta == lotor_linear_theta_of(learner, &beta)[0]);
            lotor_linear_free(learner);
            lotor_board_free(board);
            lotor_board_free(good);
        }
    }
}

/* --- against a naive learner ---------------------------------------------------------------- */

/* Adds a batch to P and h by the formulas of linear_bayes.h: inverses by elimination, in place of
 * eigenvectors. These are used only to clip. */
static void naive_batch(const lotor_linear_params *params, const double *g, const double *u,
                        double *p, double *h)
{
    const size_t d = params->dimension;
    const double n = (double)d, gram = params->gaussian * params->gaussian;
    const double s2 = params->response * params->response +
                      gram * params->theta_length * params->theta_length * (1.0 + 1.0 / n);
    double m = 0.0, away = 0.0, shrunk[MOST * MOST], clipped[MOST * MOST] = {0.0};
    for (size_t i = 0; i < d; i++) {
        m += g[i * d + i] / n;
    }
    for (size_t i = 0; i < d * d; i++) {
        const double off = g[i] - (i / d == i % d ? m : 0.0);
        away += off * off;
    }
    const double noise = gram * (n * n + n - 2.0), rho = noise < away ? noise / away : 1.0;
    for (size_t i = 0; i < d * d; i++) {
        shrunk[i] = (1.0 - rho) * g[i] + (i / d == i % d ? rho * m : 0.0);
    }
    lotor_eigen *eigen;
    assert_int_equal(lotor_eigen_new(d, false, &eigen), LOTOR_OK);
    assert_true(lotor_eigen_make(eigen, shrunk));
    for (size_t k = 0; k < d; k++) {
        for (size_t i = 0; i < d * d; i++) {
            clipped[i] += fmax(0.0, eigen->values[k]) * eigen->vectors[k * d + i / d] *
                          eigen->vectors[k * d + i % d];
        }
    }
    lotor_eigen_free(eigen);
    double middle[MOST * MOST];
    const double sampling = params->reward_noise * params->reward_noise;
    for (size_t i = 0; i < d * d; i++) {
        middle[i] = sampling * clipped[i] + (i / d == i % d ? s2 : 0.0);
    }
    for (size_t k = 0; k <= d; k++) { /* the columns of G, then u */
        long double image[MOST];
        (void)solve_naively(d, middle, k < d ? clipped + k * d : u, image);
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j < d; j++) {
                *(k < d ? &p[i * d + k] : &h[i]) += clipped[i * d + j] * (double)image[j];
            }
        }
    }
}

static void check_choice(lotor_generator *generator, size_t d, size_t releases, double sigma)
{
    lotor_linear_params params = params_of(d, ACTIONS);
    params.gaussian = sigma;
    params.response = 1.5 * sigma;
    params.theta_length = 0.7;
    params.reward_noise = 0.6;
    lotor_linear_learner *learner = learner_of(&params);
    lotor_board *board = batches_of(d);
    double p[MOST * MOST] = {0.0}, h[MOST] = {0.0}, contexts[ACTIONS * MOST];
    for (size_t i = 0; i < d; i++) {
        p[i * d + i] = (double)d / 0.49;
    }
    for (size_t batch = 0; batch < releases; batch++) {
        double g[MOST * MOST], u[MOST];
        random_batch(generator, d, g, u);
        post(board, batch, d, g, u);
        naive_batch(&params, g, u, p, h);
    }
    for (size_t i = 0; i < ACTIONS * d; i++) {
        contexts[i] = lotor_random_gaussian(generator);
    }
    long double theta[MOST], image[MOST], indices[ACTIONS];
    (void)solve_naively(d, p, h, theta);
    const uint32_t chosen = lotor_linear_choose(learner, board, contexts);
    for (size_t i = 0; i < ACTIONS; i++) {
        const double *x = contexts + i * d;
        long double mean = 0.0L, square = 0.0L;
        (void)solve_naively(d, p, x, image);
        for (size_t k = 0; k < d; k++) {
            mean += theta[k] * x[k];
            square += image[k] * x[k];
        }
        assert_true(near(lotor_linear_width(learner, x), 0.5 * sqrt((double)square)));
        indices[i] = mean + 0.5L * sqrtl(square);
    }
    expect_highest(chosen, indices, ACTIONS, learner, board, contexts);
    lotor_linear_free(learner);
    lotor_board_free(board);
}

/* d from 1 to 20 (Jacobi and plain loops up to 16, LAPACK above), one to four releases, from hardly
 * any noise to noise that shrinks every matrix to a multiple of I. */
TEST(choices_agree_with_a_naive_learner)
{
    static const double sigmas[] = {0.01, 0.3, 2.0, 50.0};
    lotor_generator generator;
    lotor_generator_seed(&generator, 2);
    for (size_t d = 1; d <= MOST; d++) {
        for (size_t releases = 1; releases <= BATCHES; releases++) {
            for (size_t i = 0; i < 4; i++) {
                check_choice(&generator, d, releases, sigmas[i]);
            }
        }
    }
}

/* Without noise, G (sigma^2 G)^-1 G is G/sigma^2, also where G is singular: the belief is that of
 * Bayesian regression. P = 2 + (1, 0; 0, 0)/0.25 and h = (0.5, 0)/0.25. */
TEST(no_noise_is_bayesian_regression)
{
    lotor_linear_params params = params_of(2, 1);
    params.gaussian = params.response = 0.0;
    params.reward_noise = 0.5;
    lotor_linear_learner *learner = learner_of(&params);
    lotor_board *board = batches_of(2);
    const double g[4] = {1.0, 0.0, 0.0, 0.0}, u[2] = {0.5, 0.0}, x[2] = {0.0, 1.0};
    double beta;
    post(board, 0, 2, g, u);
    assert_int_equal(lotor_linear_choose(learner, board, x), 0);
    assert_true(near(lotor_linear_theta_of(learner, &beta)[0], 2.0 / 6.0));
    assert_true(lotor_linear_theta_of(learner, &beta)[1] == 0.0);
    assert_true(near(lotor_linear_width(learner, x), 0.5 / sqrt(2.0)));
    lotor_linear_free(learner);
    lotor_board_free(board);
}
