/* test_ellipsoid.c - the ellipsoid with the inverse of V at hand, compared with the plain learner
 * (learn/linear.h), which factors V for every choice.
 *
 * States are random. Condition numbers of V go from 1 to 10^8. Indices must agree within TOLERANCE of
 * the size of their terms, and choices wherever the two highest indices differ by more than that.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random/lanes.h"
#include "base/random/laws.h"
#include "learn/ellipsoid.h"

#define TOLERANCE 1e-9

enum { MOST = 12, ACTIONS = 3 * LOTOR_LANES, STATES = 2000 };

static const size_t dimensions[] = {2, 3, 5, 8, MOST};

typedef struct trial {
    size_t d;
    double v[MOST * MOST], u[MOST], contexts[ACTIONS * MOST];
    lotor_linear_learner *learner;
    lotor_ellipsoid *ellipsoid;
    lotor_board *board;
} trial;

static void make_state(trial *s, size_t d)
{
    const lotor_linear_params params = {.dimension = d,
                                        .actions = ACTIONS,
                                        .horizon = 1e6,
                                        .alpha = 1e-6,
                                        .reward_noise = 1.0,
                                        .theta_length = 1.0,
                                        .bound = sqrt(2.0),
                                        .regularizer = 1.0};
    *s = (trial){.d = d};
    assert_int_equal(lotor_linear_new(&lotor_rule_linucb, &params, &s->learner), LOTOR_OK);
    assert_int_equal(lotor_ellipsoid_new(s->learner, &s->ellipsoid), LOTOR_OK);
    assert_int_equal(lotor_board_new(1, (d + 1) * (d + 2) / 2, &s->board), LOTOR_OK);
}

static void free_state(trial *s)
{
    lotor_linear_free(s->learner);
    lotor_ellipsoid_free(s->ellipsoid);
    lotor_board_free(s->board);
}

static void draw_unit(lotor_generator *generator, size_t d, double *x)
{
    double square = 0;
    for (size_t i = 0; i < d; i++) {
        x[i] = lotor_random_gaussian(generator);
        square += x[i] * x[i];
    }
    for (size_t i = 0; i < d; i++) {
        x[i] /= sqrt(square);
    }
}

static double dot(size_t d, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* Puts V - I and u on the board; the learner adds the I. */
static void post(trial *s, uint64_t time)
{
    size_t arm = 0;
    for (size_t i = 0; i <= s->d; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double value = i == s->d ? (j == s->d ? 1 : s->u[j]) : s->v[i * MOST + j];
            const lotor_fact fact = {value, time, time};
            assert_int_equal(lotor_board_post(s->board, 0, arm++, fact), LOTOR_OK);
        }
    }
}

/* V - I is a sum of products of random vectors. `spread` is the logarithm of how much larger some of
 * them are than others. */
static void draw_state(trial *s, lotor_generator *generator, double spread)
{
    memset(s->v, 0, sizeof s->v);
    memset(s->u, 0, sizeof s->u);
    double hidden[MOST];
    draw_unit(generator, s->d, hidden);
    for (size_t n = 0; n < 2 * s->d; n++) {
        double x[MOST];
        draw_unit(generator, s->d, x);
        const double weight = exp(spread * lotor_random_uniform(generator));
        for (size_t i = 0; i < s->d; i++) {
            for (size_t j = 0; j < s->d; j++) {
                s->v[i * MOST + j] += weight * x[i] * x[j];
            }
            s->u[i] += weight * x[i] * dot(s->d, hidden, x);
        }
    }
}

/* The index by the plain learner, for its latest choice; and the size of its terms. */
static double plain_index(trial *s, const double *x, double *size)
{
    double beta;
    const double *theta = lotor_linear_theta_of(s->learner, &beta);
    const double width = lotor_linear_width(s->learner, x);
    *size = sqrt(dot(s->d, theta, theta)) + width;
    return dot(s->d, theta, x) + width;
}

static void compare_choices(trial *s, bool wide)
{
    double highest = -INFINITY, second = -INFINITY, largest = 0, columns[MOST * LOTOR_LANES];
    size_t best = 0;
    const uint32_t chosen = lotor_linear_choose(s->learner, s->board, s->contexts);
    for (size_t k = 0; k < ACTIONS; k++) {
        const double *x = s->contexts + k * s->d;
        double square, size, indices[LOTOR_LANES];
        const double index = lotor_ellipsoid_index(s->ellipsoid, x, &square);
        const double expected = plain_index(s, x, &size);
        assert_true(fabs(index - expected) <= TOLERANCE * size);
        for (size_t i = 0; i < s->d; i++) {
            for (size_t lane = 0; lane < LOTOR_LANES; lane++) {
                columns[i * LOTOR_LANES + lane] = lane == k % LOTOR_LANES ? x[i] : 0.5;
            }
        }
        lotor_ellipsoid_indices(s->ellipsoid, wide, columns, indices);
        assert_true(fabs(indices[k % LOTOR_LANES] - expected) <= TOLERANCE * size);
        largest = fmax(largest, size);
        if (index > highest) {
            second = highest;
            highest = index;
            best = k;
        } else if (index > second) {
            second = index;
        }
    }
    assert_true(best == chosen || highest - second <= 2 * TOLERANCE * largest);
}

TEST(choices_are_those_of_the_plain_learner)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 1);
    for (size_t n = 0; n < sizeof dimensions / sizeof *dimensions; n++) {
        trial s;
        make_state(&s, dimensions[n]);
        for (uint64_t t = 1; t <= STATES; t++) {
            draw_state(&s, &generator, 18.5 * (double)t / (double)STATES); /* log 10^8 = 18.4 */
            for (size_t k = 0; k < ACTIONS; k++) {
                draw_unit(&generator, s.d, s.contexts + k * s.d);
            }
            post(&s, t);
            lotor_ellipsoid_read(s.ellipsoid, s.board);
            assert_true(s.ellipsoid->definite);
            compare_choices(&s, t % 2 && lotor_lanes_can_be_wide());
        }
        free_state(&s);
    }
}

TEST(both_builds_give_the_same_bits)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 2);
    for (size_t n = 0; n < sizeof dimensions / sizeof *dimensions; n++) {
        trial s;
        make_state(&s, dimensions[n]);
        for (uint64_t t = 1; t <= 100; t++) {
            double columns[MOST * LOTOR_LANES], narrow[LOTOR_LANES], wide[LOTOR_LANES];
            draw_state(&s, &generator, 10);
            post(&s, t);
            lotor_ellipsoid_read(s.ellipsoid, s.board);
            lotor_random_gaussian_fill(&generator, s.d * LOTOR_LANES, columns);
            lotor_ellipsoid_indices(s.ellipsoid, false, columns, narrow);
            lotor_ellipsoid_indices(s.ellipsoid, lotor_lanes_can_be_wide(), columns, wide);
            assert_memory_equal(narrow, wide, sizeof narrow);
        }
        free_state(&s);
    }
}

TEST(an_indefinite_matrix_is_noticed)
{
    trial s;
    make_state(&s, 3);
    s.v[0] = -2.0;
    post(&s, 1);
    lotor_ellipsoid_read(s.ellipsoid, s.board);
    assert_false(s.ellipsoid->definite);
    s.v[0] = 2.0;
    s.u[0] = 1.0;
    post(&s, 2);
    lotor_ellipsoid_read(s.ellipsoid, s.board);
    assert_true(s.ellipsoid->definite && fabs(s.ellipsoid->theta[0] - 1.0 / 3.0) < 1e-15);
    free_state(&s);
}

/* Rounds that are added one by one, against the plain learner on their sums. Actions along few
 * directions make V ill-conditioned: up to 10^5 here, with errors far below TOLERANCE. */
TEST(added_rounds_are_those_of_the_plain_learner)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 3);
    for (size_t n = 0; n < sizeof dimensions / sizeof *dimensions; n++) {
        for (int narrow = 0; narrow < 2; narrow++) {
            trial s;
            make_state(&s, dimensions[n]);
            for (uint64_t t = 1; t <= 20000; t++) {
                double x[MOST];
                draw_unit(&generator, s.d, x);
                for (size_t i = 1; narrow && i < s.d; i++) {
                    x[i] *= 0.01;
                }
                const double y = lotor_random_uniform(&generator) < 0.5 * (1 + x[0]) ? 1 : -1;
                for (size_t i = 0; i < s.d; i++) {
                    for (size_t j = 0; j < s.d; j++) {
                        s.v[i * MOST + j] += x[i] * x[j];
                    }
                    s.u[i] += x[i] * y;
                }
                lotor_ellipsoid_add(s.ellipsoid, x, y);
                if (t % 97 == 0 || t < 20) {
                    for (size_t k = 0; k < ACTIONS; k++) {
                        draw_unit(&generator, s.d, s.contexts + k * s.d);
                    }
                    post(&s, t);
                    compare_choices(&s, false);
                    double beta;
                    (void)lotor_linear_theta_of(s.learner, &beta);
                    assert_true(fabs(s.ellipsoid->beta - beta) <= TOLERANCE * beta);
                }
            }
            free_state(&s);
        }
    }
}

/* Caps ---------------------------------------------------------------------------------------- */

/* x = m t + sqrt(1 - m^2) w with w orthogonal to t. */
static void join(size_t d, const double *t, double m, const double *w, double *x)
{
    for (size_t i = 0; i < d; i++) {
        x[i] = m * t[i] + sqrt(1 - m * m) * w[i];
    }
}

static void make_orthogonal(size_t d, const double *t, double *w)
{
    const double along = dot(d, t, w);
    for (size_t i = 0; i < d; i++) {
        w[i] -= along * t[i];
    }
    const double length = sqrt(dot(d, w, w));
    for (size_t i = 0; i < d; i++) {
        w[i] /= length;
    }
}

/* Moves w along the gradient of the index, so that the action is one of the highest of its mean. */
static void climb(const trial *s, const double *t, double m, double *w)
{
    for (int step = 0; step < 8; step++) {
        double x[MOST], square;
        join(s->d, t, m, w, x);
        (void)lotor_ellipsoid_index(s->ellipsoid, x, &square);
        for (size_t i = 0; i < s->d; i++) {
            w[i] = s->ellipsoid->theta[i] + s->ellipsoid->beta / sqrt(square) *
                                                dot(s->d, s->ellipsoid->inverse + i * s->d, x);
        }
        make_orthogonal(s->d, t, w);
    }
}

/* No action outside the interval reaches the index, and the interval is often a small part. */
TEST(caps_leave_out_only_what_is_lower)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 4);
    for (size_t n = 1; n < 4; n++) { /* 3, 5 and 8 dimensions */
        trial s;
        uint64_t reached = 0, outside = 0, empty = 0, close = 0;
        make_state(&s, dimensions[n]);
        for (uint64_t time = 1; time <= STATES; time++) {
            double t[MOST], w[MOST], x[MOST], square, low, high;
            draw_state(&s, &generator, 18.5 * lotor_random_uniform(&generator));
            draw_unit(&generator, s.d, t);
            const double weight = time % 2 ? exp(20 * lotor_random_uniform(&generator)) : 0;
            for (size_t i = 0; i < s.d; i++) { /* as after many rounds with the best actions */
                for (size_t j = 0; j < s.d; j++) {
                    s.v[i * MOST + j] += weight * ((i == j) + 4 * t[i] * t[j]);
                }
                s.u[i] += 5 * weight * t[i];
            }
            post(&s, time);
            lotor_ellipsoid_read(s.ellipsoid, s.board);
            assert_true(s.ellipsoid->definite);
            draw_unit(&generator, s.d, w);
            make_orthogonal(s.d, t, w);
            join(s.d, t, 0.75, w, x);
            const double index = lotor_ellipsoid_index(s.ellipsoid, x, &square);
            lotor_ellipsoid_cap(s.ellipsoid, t, index, square, -0.75, 0.75, &low, &high);
            empty += low > high;
            close += low > 0.7;
            for (int k = 0; k < 100; k++) {
                const double m = -0.75 + 1.5 * lotor_random_uniform(&generator);
                draw_unit(&generator, s.d, w);
                make_orthogonal(s.d, t, w);
                if (k % 2) {
                    climb(&s, t, m, w);
                }
                join(s.d, t, m, w, x);
                double other;
                const bool is_in = m >= low && m <= high;
                const bool is_high = lotor_ellipsoid_index(s.ellipsoid, x, &other) >= index;
                assert_true(is_in || !is_high);
                reached += is_high;
                outside += !is_in;
            }
        }
        assert_true(reached > 1000 && outside > 10000 && close > STATES / 20 && empty < STATES);
        free_state(&s);
    }
}
