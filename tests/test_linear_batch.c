/* test_linear_batch.c - the linear learner on batches: values by hand, a naive learner, and the
 * coverage of its bound; and the eigenvectors that it uses. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "base/random/laws.h"
#include "learn/eigen.h"
#include "learn/linear.h"
#include "privacy/release/matrix.h"
#include "support/linear_board.h"

enum { MOST = 20, ACTIONS = 12, FIRST = 4 };

static lotor_linear_params params_of(size_t dimension, size_t actions)
{
    return (lotor_linear_params){
        .dimension = dimension,
        .actions = actions,
        .horizon = 100.0,
        .alpha = 8.0 * exp(-4.0), /* l = 4 */
        .reward_noise = 1.0,
        .theta_length = 1.0,
        .bound = sqrt(2.0),
        .regularizer = 1.0,
        .gaussian = 1.0,
        .response = 2.0,
        .releases = 1.0,
        .first_release = FIRST,
    };
}

static lotor_linear_learner *learner_of(const lotor_linear_params *params)
{
    lotor_linear_learner *learner;
    assert_int_equal(lotor_linear_new(&lotor_rule_jdp_batch, params, &learner), LOTOR_OK);
    return learner;
}

static void post(lotor_board *board, size_t arm, double value, uint64_t rounds)
{
    post_later(board, arm, value, rounds, 1);
}

static void release(lotor_board *board, size_t arm, double value, uint64_t rounds)
{
    release_later(board, arm, value, rounds, 1);
}

/* --- by hand -------------------------------------------------------------------------------- */

/* d = 1, l = 4, s = 1, su = 2, S = sigma = lambda = 1: Y = sqrt(j) (2 + 4), R = sqrt(j) (sqrt 6 +
 * sqrt 48). M = 20 after one release: c = 0, k^2 = 1 + 7/20, k beta = sqrt(1.35 (8 + log 20 + log
 * 1.35)), the width of x = 1 is k beta/sqrt 20 + R/20. M = 5: c = 7, V = 12, k = 1, beta = sqrt(8 +
 * log 12), the width beta/sqrt 12 + (7 + R)/12. M = 20 after two: Y = sqrt 72 = 8.485, c = 0, k^2 =
 * 1 + 9.485/20. */
TEST(widths_by_hand)
{
    static const struct {
        double m;
        uint64_t rounds;
        double theta, beta, width;
    } cases[] = {{20.0, FIRST, 0.15, 3.9050454, 1.3420794},
                 {5.0, FIRST, 0.25, 3.2380406, 2.2995495},
                 {20.0, 2 * FIRST, 0.15, 4.0966891, 1.5791506}};
    for (size_t i = 0; i < 3; i++) {
        const lotor_linear_params params = params_of(1, 1);
        lotor_linear_learner *learner = learner_of(&params);
        lotor_board *board = board_of(1);
        post(board, 0, cases[i].m, cases[i].rounds);
        post(board, 1, 3.0, cases[i].rounds);
        const double x = 1.0;
        double beta;
        assert_int_equal(lotor_linear_choose(learner, board, &x), 0);
        assert_true(near(lotor_linear_theta_of(learner, &beta)[0], cases[i].theta));
        assert_true(near(beta, cases[i].beta));
        assert_true(near(lotor_linear_width(learner, &x), cases[i].width));
        lotor_linear_free(learner);
        lotor_board_free(board);
    }
}

/* Before the first release: the longest action; among equals, even up to rounding, the first. These
 * rounds are not counted as failures. */
TEST(nothing_released_shows_the_longest)
{
    const lotor_linear_params params = params_of(2, 4);
    lotor_linear_learner *learner = learner_of(&params);
    lotor_board *board = board_of(2);
    static const double contexts[] = {0.1, 0.0, 0.0, 0.5, -0.5, 0.0, 0.0, 0.5 + 1e-15};
    assert_int_equal(lotor_linear_choose(learner, board, contexts), 1);
    assert_int_equal(lotor_linear_indefinite(learner), 0);
    assert_true(isinf(lotor_linear_width(learner, contexts)));
    lotor_linear_free(learner);
    lotor_board_free(board);
}

/* Invalid numbers are counted, and the longest action is shown; the next good release is used
 * again. */
TEST(what_is_no_number_is_counted)
{
    static const double spoiled[] = {NAN, INFINITY, -INFINITY};
    for (size_t d = 2; d <= MOST; d += MOST - 2) {
        const lotor_linear_params params = params_of(d, 3);
        lotor_linear_learner *learner = learner_of(&params);
        lotor_board *board = board_of(d);
        double contexts[3 * MOST] = {0.0}, beta;
        contexts[0] = 0.5;          /* the first coordinate */
        contexts[d + 1] = 0.8;      /* the second one */
        contexts[2 * d + 1] = -0.8; /* as long */
        for (uint64_t i = 0; i < 3; i++) {
            release(board, 0, spoiled[i], FIRST + 2 * i);
            assert_int_equal(lotor_linear_choose(learner, board, contexts), 1);
            assert_int_equal(lotor_linear_indefinite(learner), i + 1);
            assert_true(lotor_linear_theta_of(learner, &beta)[0] == 0.0 && isinf(beta));
            assert_true(isinf(lotor_linear_width(learner, contexts)));
            release(board, 0, -1e3, FIRST + 2 * i + 1); /* indefinite, but that is what c is for */
            assert_int_equal(lotor_linear_choose(learner, board, contexts), 0);
            assert_int_equal(lotor_linear_indefinite(learner), i + 1);
        }
        lotor_linear_free(learner);
        lotor_board_free(board);
    }
}

TEST(nonsense_is_refused)
{
    lotor_linear_params bad = params_of(2, 2);
    lotor_linear_learner *learner;
    bad.regularizer = 0.0;
    assert_int_equal(lotor_linear_new(&lotor_rule_jdp_batch, &bad, &learner), LOTOR_INVALID);
    bad = params_of(2, 2);
    bad.alpha = 1.0;
    assert_int_equal(lotor_linear_new(&lotor_rule_jdp_batch, &bad, &learner), LOTOR_INVALID);
    lotor_eigen_free(NULL);
}

/* --- eigenvectors --------------------------------------------------------------------------- */

static void random_symmetric(lotor_generator *generator, size_t d, double *m)
{
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            m[i * d + j] = m[j * d + i] = lotor_random_gaussian(generator);
        }
    }
}

/* M q = w q, the vectors are orthonormal, and both methods find the same least eigenvalue. Also for
 * a diagonal matrix, for equal eigenvalues, and for zeros. */
TEST(eigenvectors_are_those_of_the_matrix)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 1);
    for (size_t d = 1; d <= MOST; d++) {
        lotor_eigen *both[2];
        assert_int_equal(lotor_eigen_new(d, false, &both[0]), LOTOR_OK);
        assert_int_equal(lotor_eigen_new(d, true, &both[1]), LOTOR_OK);
        for (int trial = 0; trial < 20; trial++) {
            double m[MOST * MOST] = {0.0}, least[2];
            if (trial > 3) {
                random_symmetric(&generator, d, m);
            }
            for (size_t i = 0; i < d && trial > 0 && trial < 4; i++) {
                m[i * d + i] = trial == 1 ? 7.0 : trial == 2 ? (double)i - 3.0 : 1e12 * (double)i;
            }
            const double scale = trial == 3 ? 1e14 : 100.0;
            for (size_t way = 0; way < 2; way++) {
                assert_true(lotor_eigen_make(both[way], m));
                least[way] = INFINITY;
                for (size_t k = 0; k < d; k++) {
                    const double *q = both[way]->vectors + k * d, w = both[way]->values[k];
                    least[way] = fmin(least[way], w);
                    for (size_t i = 0; i < d; i++) {
                        double image = 0.0, product = 0.0;
                        for (size_t j = 0; j < d; j++) {
                            image += m[i * d + j] * q[j];
                            product += q[j] * both[way]->vectors[i * d + j];
                        }
                        assert_true(fabs(image - w * q[i]) < 1e-14 * scale * (double)d);
                        assert_true(fabs(product - (i == k ? 1.0 : 0.0)) < 1e-12);
                    }
                }
            }
            assert_true(fabs(least[0] - least[1]) < 1e-14 * scale * (double)d);
            m[d * d - 1] = NAN;
            assert_false(lotor_eigen_make(both[0], m) || lotor_eigen_make(both[1], m));
        }
        lotor_eigen_free(both[0]);
        lotor_eigen_free(both[1]);
    }
}

/* --- against a naive learner ---------------------------------------------------------------- */

/* M = Q diag(w) Q' for a known w, Q a product of reflections: so the least eigenvalue is known without
 * any search. */
static double known_matrix(lotor_generator *generator, size_t d, double *m)
{
    double least = INFINITY;
    memset(m, 0, d * d * sizeof *m);
    for (size_t i = 0; i < d; i++) {
        m[i * d + i] = 40.0 * lotor_random_uniform(generator) - 5.0;
        least = fmin(least, m[i * d + i]);
    }
    for (int reflection = 0; reflection < 3; reflection++) {
        double n[MOST], square = 0.0;
        for (size_t i = 0; i < d; i++) {
            n[i] = lotor_random_gaussian(generator);
            square += n[i] * n[i];
        }
        for (int side = 0; side < 2; side++) { /* rows, then columns */
            for (size_t i = 0; i < d; i++) {
                double along = 0.0;
                for (size_t j = 0; j < d; j++) {
                    along += n[j] * (side ? m[j * d + i] : m[i * d + j]);
                }
                for (size_t j = 0; j < d; j++) {
                    *(side ? &m[j * d + i] : &m[i * d + j]) -= 2.0 * along / square * n[j];
                }
            }
        }
    }
    return least;
}

static void check_choice(lotor_generator *generator, size_t d, unsigned releases, double sigma)
{
    lotor_linear_params params = params_of(d, ACTIONS);
    params.gaussian = sigma;
    params.response = 1.5 * sigma;
    params.releases = 5.0;
    params.regularizer = 0.5;
    params.theta_length = 0.7;
    params.reward_noise = 0.6;
    lotor_linear_learner *learner = learner_of(&params);
    lotor_board *board = board_of(d);
    double m[MOST * MOST], u[MOST], contexts[ACTIONS * MOST];
    const double least = known_matrix(generator, d, m);
    const uint64_t rounds = (uint64_t)FIRST << (releases - 1);
    for (size_t i = 0; i < d; i++) {
        u[i] = 10.0 * lotor_random_gaussian(generator);
        post(board, d * (d + 1) / 2 + i, u[i], rounds);
        for (size_t j = 0; j <= i; j++) {
            post(board, i * (i + 1) / 2 + j, m[i * d + j], rounds);
        }
    }
    for (size_t i = 0; i < ACTIONS * d; i++) {
        contexts[i] = lotor_random_gaussian(generator);
    }
    const double l = 4.0 + log(5.0), j = (double)releases, s2 = sigma * sigma;
    const double y = sigma * sqrt(j) * (2.0 * sqrt((double)d) + 2.0 * sqrt(l));
    const double c = fmax(0.0, fmax(2.0 * y, 0.5) - least);
    for (size_t i = 0; i < d; i++) {
        m[i * d + i] += c;
    }
    long double theta[MOST], image[MOST], indices[ACTIONS], best = -INFINITY;
    const double log_det = (double)solve_naively(d, m, u, theta);
    const double k2 = 1.0 + fmax(0.0, 0.5 + y - c) / (least + c);
    const double beta = 0.6 * sqrt(2.0 * l + log_det + (double)d * log(k2 / 0.5));
    const double r = sqrt(j) * (sqrt((double)d * (2.25 * s2 + 0.49 * s2) + 0.49 * s2) +
                                sqrt(2.0 * l * (2.25 * s2 + 0.98 * s2)));
    const uint32_t chosen = lotor_linear_choose(learner, board, contexts);
    for (size_t i = 0; i < ACTIONS; i++) {
        const double *x = contexts + i * d;
        long double mean = 0.0L, square = 0.0L, length = 0.0L;
        (void)solve_naively(d, m, x, image);
        for (size_t k = 0; k < d; k++) {
            mean += theta[k] * x[k];
            square += image[k] * x[k];
            length += image[k] * image[k];
        }
        const double width =
            sqrt(k2) * beta * sqrt((double)square) + (c * 0.7 + r) * sqrt((double)length);
        assert_true(near(lotor_linear_width(learner, x), width));
        indices[i] = mean + (long double)width;
        best = fmaxl(best, indices[i]);
    }
    assert_true(indices[chosen] >= best - 1e-9L * fabsl(best));
    assert_int_equal(lotor_linear_choose(learner, board, contexts), chosen);
    assert_int_equal(lotor_linear_indefinite(learner), 0);
    lotor_linear_free(learner);
    lotor_board_free(board);
}

/* d from 1 to 20 (Jacobi up to 16, LAPACK above), one to five releases. The noise is so small that
 * M needs almost no shift, so large that the shift is nearly all of V, or absent, where lambda is
 * the shift. */
TEST(choices_agree_with_a_naive_learner)
{
    static const double sigmas[] = {0.0, 0.01, 0.3, 2.0};
    lotor_generator generator;
    lotor_generator_seed(&generator, 2);
    for (size_t d = 1; d <= MOST; d++) {
        for (unsigned releases = 1; releases <= 5; releases++) {
            for (size_t i = 0; i < 4; i++) {
                check_choice(&generator, d, releases, sigmas[i]);
            }
        }
    }
}

/* --- coverage of the bound ------------------------------------------------------------------ */

enum { D = 3, CHOICES = 5, ROUNDS = 4000, RUNS = 200 };

/* One run of section 6's world. Returns the largest |<theta - theta*, x>| / width of all actions. */
static double play(uint64_t seed)
{
    const lotor_matrix_params what = {.kind = LOTOR_MATRIX_BATCH,
                                      .size = D + 1,
                                      .horizon = ROUNDS,
                                      .bound = sqrt(2.0),
                                      .epsilon = lotor_ratio_of(1, 1),
                                      .delta = lotor_ratio_of(1, 100000),
                                      .context = 1.0,
                                      .reward = 1.0,
                                      .alpha = 0.05};
    lotor_matrix *matrix;
    assert_int_equal(lotor_matrix_new(&what, NULL, &matrix), LOTOR_OK);
    const lotor_matrix_noise known = lotor_matrix_noise_of(matrix);
    lotor_linear_params params = params_of(D, CHOICES);
    params.alpha = 0.05;
    params.gaussian = known.sigma;
    params.response = known.response;
    params.releases = known.releases;
    params.first_release = known.first;
    lotor_linear_learner *learner = learner_of(&params);
    lotor_board *board = board_of(D);
    lotor_generator world, coins;
    lotor_generator_seed(&world, seed);
    lotor_generator_seed(&coins, ~seed);
    lotor_noise noise = lotor_noise_simulated(&coins);
    double hidden[D], worst = 0.0;
    random_direction(&world, D, 1.0, hidden);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        double contexts[CHOICES * D], z[D + 1], mean = 0.0, beta;
        for (size_t i = 0; i < CHOICES; i++) {
            random_direction(&world, D, cbrt(lotor_random_uniform(&world)), contexts + i * D);
        }
        const uint32_t chosen = lotor_linear_choose(learner, board, contexts);
        const double *theta = lotor_linear_theta_of(learner, &beta);
        for (size_t i = 0; i < CHOICES; i++) {
            double off = 0.0;
            for (size_t k = 0; k < D; k++) {
                off += (theta[k] - hidden[k]) * contexts[i * D + k];
            }
            worst = fmax(worst, fabs(off) / lotor_linear_width(learner, contexts + i * D));
        }
        memcpy(z, contexts + chosen * D, D * sizeof *z);
        for (size_t i = 0; i < D; i++) {
            mean += z[i] * hidden[i];
        }
        z[D] = lotor_random_uniform(&world) < 0.5 * (1.0 + mean) ? 1.0 : -1.0;
        assert_int_equal(lotor_matrix_feed(matrix, z, t, &noise, board), LOTOR_OK);
    }
    assert_int_equal(lotor_linear_indefinite(learner), 0);
    lotor_linear_free(learner);
    lotor_matrix_free(matrix);
    lotor_board_free(board);
    return worst;
}

/* alpha = 0.05: every mean must be within its width in 95% of the runs. It is in all of them (the
 * largest share of a width is 0.61), and within 0.4 of it in 67 of the 200: so the test detects a
 * width that is much too small. */
TEST(means_stay_within_their_widths)
{
    size_t inside = 0, inside_part = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        const double worst = play(100 + run);
        inside += worst <= 1.0;
        inside_part += worst <= 0.4;
    }
    assert_true((double)inside >= 0.95 * RUNS);
    assert_true((double)inside_part < 0.95 * RUNS);
}
