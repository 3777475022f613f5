/* test_world_linear.c - the world with contexts: the distribution of its actions, and their
 * rewards.
 *
 * Laws are tested with SAMPLES draws on fixed seeds by Kolmogorov-Smirnov or chi-square: p >
 * P_ACCEPT against the law F itself, p < P_ACCEPT against F^1.1. Averages may be off by DEVIATIONS
 * = 6 standard deviations, which a new seed would exceed once in 5e8; each test states its
 * deviation.
 */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/statistics.h"
#include "world/linear.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define DEVIATIONS    6

enum { MOST = 20 };

/* Dimensions 2 to 5 have special loops; up to 13 points are made by cuts, from 14 on by
 * logarithms. */
static const size_t dimensions[] = {1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 15, 20};

static double samples[SAMPLES];

static double inner(size_t dimension, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < dimension; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static lotor_linear_world make(size_t dimension, size_t actions, double gap)
{
    lotor_linear_world world;
    assert_int_equal(lotor_linear_world_make(dimension, actions, gap, NULL, &world), LOTOR_OK);
    return world;
}

/* The law of one coordinate, t = sin(phi): density proportional to cos(phi)^power in phi, with the
 * power d for the ball and d - 2 for the sphere; between low and high. Simpson's rule on cells of
 * 2^-13 pi, and lines between their ends: off by less than 1e-6. */
enum { CELLS = 1 << 13 };

typedef struct coordinate_law {
    double low, high, tilt;
    double sums[CELLS + 1];
} coordinate_law;

static void make_law(coordinate_law *law, size_t power, double low, double high)
{
    const double width = M_PI / (double)CELLS;
    *law = (coordinate_law){.low = low, .high = high, .tilt = 1};
    for (int i = 0; i < CELLS; i++) {
        const double phi = i * width - M_PI / 2;
        const double p = (double)power;
        const double cell = pow(fabs(cos(phi)), p) + 4 * pow(cos(phi + width / 2), p) +
                            pow(fabs(cos(phi + width)), p);
        law->sums[i + 1] = law->sums[i] + cell;
    }
}

static double below(const coordinate_law *law, double t)
{
    const double place = (asin(fmin(fmax(t, -1), 1)) / M_PI + 0.5) * (double)CELLS;
    const int cell = place >= (double)CELLS ? CELLS - 1 : (int)place;
    return law->sums[cell] + (place - cell) * (law->sums[cell + 1] - law->sums[cell]);
}

static double coordinate_cdf(double t, const void *context)
{
    const coordinate_law *law = context;
    const double first = below(law, law->low), all = below(law, law->high) - first;
    return pow(fmin(fmax((below(law, t) - first) / all, 0), 1), law->tilt);
}

static double power_cdf(double x, const void *law)
{
    return pow(x, *(const double *)law);
}

/* Compares samples[] with the law, and with a slightly different law. */
static void assert_coordinates(coordinate_law *law)
{
    law->tilt = 1;
    assert_true(kolmogorov_test(samples, SAMPLES, coordinate_cdf, law) > P_ACCEPT);
    law->tilt = 1.1;
    assert_true(kolmogorov_test(samples, SAMPLES, coordinate_cdf, law) < P_ACCEPT);
}

/* Theta --------------------------------------------------------------------------------------- */

TEST(theta_is_uniform_on_the_sphere)
{
    static coordinate_law law;
    for (size_t k = 0; k < LENGTH(dimensions); k++) {
        const size_t dimension = dimensions[k];
        const lotor_linear_world world = make(dimension, 2, (double)NAN);
        double theta[MOST], sum[MOST] = {0}, square[MOST] = {0};
        lotor_generator generator;
        lotor_generator_seed(&generator, 100 + dimension);
        for (size_t i = 0; i < SAMPLES; i++) {
            lotor_linear_world_theta(&world, &generator, theta);
            assert_true(fabs(inner(dimension, theta, theta) - 1) < 1e-14);
            samples[i] = theta[dimension - 1];
            for (size_t j = 0; j < dimension; j++) {
                sum[j] += theta[j];
                square[j] += theta[j] * theta[j];
            }
        }
        const double d = (double)dimension, n = SAMPLES;
        for (size_t j = 0; j < dimension; j++) { /* variance 1/d; fourth moment 3/(d (d + 2)) */
            assert_true(fabs(sum[j]) < DEVIATIONS * sqrt(n / d));
            assert_true(fabs(square[j] - n / d) <=
                        DEVIATIONS * sqrt(n * (3 / (d * (d + 2)) - 1 / (d * d))) + 1e-9 * n);
        }
        if (dimension >= 2) {
            make_law(&law, dimension - 2, -1, 1);
            assert_coordinates(&law);
        }
    }
}

/* Ball ---------------------------------------------------------------------------------------- */

/* Radius^d is uniform. */
TEST(the_ball_is_filled_evenly_outwards)
{
    enum { ACTIONS = 20 };
    static double actions[ACTIONS * MOST];
    for (size_t k = 0; k < LENGTH(dimensions); k++) {
        const size_t dimension = dimensions[k];
        const lotor_linear_world world = make(dimension, ACTIONS, (double)NAN);
        double theta[MOST], means[ACTIONS];
        lotor_generator generator;
        lotor_generator_seed(&generator, dimension);
        lotor_linear_world_theta(&world, &generator, theta);
        for (size_t i = 0; i < SAMPLES; i++) {
            if (i % ACTIONS == 0) {
                const double best =
                    lotor_linear_world_round(&world, theta, &generator, actions, means);
                double largest = means[0];
                for (size_t j = 1; j < ACTIONS; j++) {
                    largest = fmax(largest, means[j]);
                }
                assert_true(best == largest);
            }
            const double *action = actions + i % ACTIONS * dimension;
            const double mean = inner(dimension, theta, action);
            assert_true(fabs(mean - means[i % ACTIONS]) < 1e-15 * (double)dimension);
            samples[i] = sqrt(inner(dimension, action, action));
        }
        const double exponent = (double)dimension, wrong = 1.1 * exponent;
        assert_true(kolmogorov_test(samples, SAMPLES, power_cdf, &exponent) > P_ACCEPT);
        assert_true(kolmogorov_test(samples, SAMPLES, power_cdf, &wrong) < P_ACCEPT);
    }
}

/* A coordinate has the same law in any direction: along theta (the means), along the diagonal,
 * along one axis of a pair, and along the last axis. */
TEST(the_ball_looks_the_same_from_all_sides)
{
    static coordinate_law law;
    for (size_t k = 0; k < LENGTH(dimensions); k++) {
        const size_t dimension = dimensions[k];
        const lotor_linear_world world = make(dimension, 2, (double)NAN);
        make_law(&law, dimension, -1, 1);
        for (int side = 0; side < 4; side++) {
            double theta[MOST], actions[2 * MOST], means[2], along[MOST] = {0};
            lotor_generator generator;
            lotor_generator_seed(&generator, 10 * dimension + (size_t)side);
            lotor_linear_world_theta(&world, &generator, theta);
            for (size_t j = 0; j < dimension; j++) {
                along[j] = side == 0 ? theta[j] : side == 1 ? 1 / sqrt((double)dimension) : 0;
            }
            if (side > 1) {
                along[side == 2 ? 0 : dimension - 1] = 1;
            }
            for (size_t i = 0; i < SAMPLES; i++) {
                lotor_linear_world_round(&world, theta, &generator, actions, means);
                samples[i] = inner(dimension, along, actions + i % 2 * dimension);
            }
            assert_coordinates(&law);
        }
    }
}

/* The mean is 0 and the covariance I/(d + 2); two actions of a round have none. E x^4 =
 * 3/((d+2)(d+4)) and E x^2 y^2 = 1/((d+2)(d+4)) give the deviations of the averages. */
TEST(the_ball_has_its_moments)
{
    static double actions[3 * MOST], second[MOST * MOST], across[MOST * MOST];
    for (size_t k = 0; k < LENGTH(dimensions); k++) {
        const size_t dimension = dimensions[k];
        const lotor_linear_world world = make(dimension, 3, (double)NAN);
        const double d = (double)dimension, n = SAMPLES;
        double theta[MOST], means[3], first[MOST] = {0};
        lotor_generator generator;
        lotor_generator_seed(&generator, 50 + dimension);
        lotor_linear_world_theta(&world, &generator, theta);
        memset(second, 0, sizeof second);
        memset(across, 0, sizeof across);
        for (size_t i = 0; i < SAMPLES; i++) {
            lotor_linear_world_round(&world, theta, &generator, actions, means);
            const double *x = actions + dimension, *y = actions + 2 * dimension;
            for (size_t a = 0; a < dimension; a++) {
                first[a] += x[a] / n;
                for (size_t b = 0; b < dimension; b++) {
                    second[a * dimension + b] += x[a] * x[b] / n;
                    across[a * dimension + b] += x[a] * y[b] / n;
                }
            }
        }
        const double variance = 1 / (d + 2), fourth = 1 / ((d + 2) * (d + 4));
        for (size_t a = 0; a < dimension; a++) {
            assert_true(fabs(first[a]) < DEVIATIONS * sqrt(variance / n));
            for (size_t b = 0; b < dimension; b++) {
                const double expected = a == b ? variance : 0;
                const double spread = a == b ? 3 * fourth - variance * variance : fourth;
                assert_true(fabs(second[a * dimension + b] - expected) <
                            DEVIATIONS * sqrt(spread / n));
                assert_true(fabs(across[a * dimension + b]) < DEVIATIONS * variance / sqrt(n));
            }
        }
    }
}

/* Gap ----------------------------------------------------------------------------------------- */

static const size_t with_gap[] = {2, 3, 4, 5, 8, 14, 20};
static const double gaps[] = {0, 0.1, 0.75, 0.76, 1.4};

/* Expects that exactly one action is best, by the gap, and that all are on the sphere and have the
 * stated means. Returns the index of the best action. */
static size_t check_gap_round(const lotor_linear_world *world, const double *theta,
                              const double *actions, const double *means)
{
    const double shorter = 4e-16 * (double)(world->dimension + 8); /* so as not to be too long */
    size_t best = world->actions;
    for (size_t i = 0; i < world->actions; i++) {
        const double *action = actions + i * world->dimension;
        const double square = inner(world->dimension, action, action);
        assert_true(square <= 1 && square > 1 - 2 * shorter);
        assert_true(fabs(inner(world->dimension, theta, action) - means[i]) < shorter);
        if (means[i] == 0.75) {
            assert_int_equal(best, world->actions);
            best = i;
        } else {
            assert_true(means[i] >= -0.75 && means[i] <= 0.75 - world->gap);
        }
    }
    assert_true(best < world->actions);
    return best;
}

TEST(other_means_are_as_on_the_sphere)
{
    static coordinate_law law;
    for (size_t k = 0; k < LENGTH(with_gap); k++) {
        for (size_t g = 0; g < LENGTH(gaps); g++) {
            const size_t dimension = with_gap[k];
            const lotor_linear_world world = make(dimension, 6, gaps[g]);
            double theta[MOST], actions[6 * MOST], means[6];
            lotor_generator generator;
            lotor_generator_seed(&generator, 1000 * dimension + g);
            lotor_linear_world_theta(&world, &generator, theta);
            for (size_t i = 0; i < SAMPLES; i += 5) {
                assert_true(lotor_linear_world_round(&world, theta, &generator, actions, means) ==
                            0.75);
                const size_t best = check_gap_round(&world, theta, actions, means);
                for (size_t other = 0, at = i; other < 6; other++) {
                    if (other != best) {
                        samples[at++] = means[other];
                    }
                }
            }
            make_law(&law, dimension - 2, -0.75, 0.75 - gaps[g]);
            assert_coordinates(&law);
        }
    }
}

static double uniform_mass(int64_t value, const void *law)
{
    const double count = *(const double *)law;
    return value >= 0 && (double)value < count ? 1 / count : 0;
}

static double leaning_mass(int64_t value, const void *law)
{
    return uniform_mass(value, law) * (value == 0 ? 1.1 : value == 1 ? 0.9 : 1);
}

TEST(the_best_is_anywhere)
{
    static int64_t places[SAMPLES];
    static const size_t counts[] = {2, 3, 25};
    for (size_t k = 0; k < LENGTH(counts); k++) {
        for (size_t g = 0; g < LENGTH(gaps); g += 3) {
            const lotor_linear_world world = make(5, counts[k], gaps[g]);
            double theta[5], actions[25 * 5], means[25];
            lotor_generator generator;
            lotor_generator_seed(&generator, counts[k] + g);
            lotor_linear_world_theta(&world, &generator, theta);
            for (size_t i = 0; i < SAMPLES; i++) {
                lotor_linear_world_round(&world, theta, &generator, actions, means);
                places[i] = (int64_t)check_gap_round(&world, theta, actions, means);
            }
            const double count = (double)counts[k];
            assert_true(chi_square_test(places, SAMPLES, uniform_mass, &count) > P_ACCEPT);
            assert_true(chi_square_test(places, SAMPLES, leaning_mass, &count) < P_ACCEPT);
        }
    }
}

/* The part of an action orthogonal to theta is w, uniform on a sphere of one dimension less: mean
 * 0, covariance (I - theta theta')/(d - 1), and w_a^2 w_b^2 has mean at most 3/((d-1)(d+1)). For
 * the best action and the first other one, at gaps for both methods of drawing. */
TEST(directions_across_theta_are_uniform)
{
    static double second[MOST * MOST];
    for (size_t k = 0; k < LENGTH(with_gap); k++) {
        for (int which = 0; which < 3; which++) {
            const size_t dimension = with_gap[k];
            const lotor_linear_world world = make(dimension, 3, which == 2 ? 1.0 : 0.1);
            const double d = (double)dimension, n = SAMPLES;
            double theta[MOST], actions[3 * MOST], means[3], first[MOST] = {0};
            lotor_generator generator;
            lotor_generator_seed(&generator, 70 + dimension);
            lotor_linear_world_theta(&world, &generator, theta);
            memset(second, 0, sizeof second);
            for (size_t i = 0; i < SAMPLES; i++) {
                lotor_linear_world_round(&world, theta, &generator, actions, means);
                const size_t best = check_gap_round(&world, theta, actions, means);
                const size_t shown = which == 0 ? best : best == 0 ? 1 : 0;
                double w[MOST];
                for (size_t a = 0; a < dimension; a++) {
                    w[a] = (actions[shown * dimension + a] - means[shown] * theta[a]) /
                           sqrt(1 - means[shown] * means[shown]);
                    first[a] += w[a] / n;
                }
                for (size_t a = 0; a < dimension; a++) {
                    for (size_t b = 0; b < dimension; b++) {
                        second[a * dimension + b] += w[a] * w[b] / n;
                    }
                }
            }
            const double spread = sqrt(3 / ((d - 1) * (d + 1)) / n);
            for (size_t a = 0; a < dimension; a++) {
                assert_true(fabs(first[a]) < DEVIATIONS / sqrt((d - 1) * n));
                for (size_t b = 0; b < dimension; b++) {
                    const double expected = ((a == b ? 1 : 0) - theta[a] * theta[b]) / (d - 1);
                    assert_true(fabs(second[a * dimension + b] - expected) < DEVIATIONS * spread);
                }
            }
        }
    }
}

/* In high dimensions, and with gaps up to the last double below 1.5, drawing ends and is
 * correct. */
TEST(extreme_gaps_end)
{
    static const double extreme[] = {0x1p-1074, 0.75, 0.75 + 0x1p-52, 1, 1.49, 1.5 - 0x1p-52};
    static const size_t high[] = {2, 3, 4, 5, 100, 1023, 1024};
    for (size_t k = 0; k < LENGTH(high); k++) {
        for (size_t g = 0; g < LENGTH(extreme); g++) {
            const lotor_linear_world world = make(high[k], 4, extreme[g]);
            static double theta[1024], actions[4 * 1024];
            double means[4];
            lotor_generator generator;
            lotor_generator_seed(&generator, k + g);
            lotor_linear_world_theta(&world, &generator, theta);
            for (int i = 0; i < 200; i++) {
                lotor_linear_world_round(&world, theta, &generator, actions, means);
                check_gap_round(&world, theta, actions, means);
            }
        }
    }
}

/* Lengths ------------------------------------------------------------------------------------- */

/* More than 10^6 actions of each kind; squares are added forwards, backwards, and with extra
 * precision. */
TEST(no_action_is_longer_than_one)
{
    enum { ACTIONS = 100, ROUNDS = 800 };
    static double actions[ACTIONS * 1024];
    static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15, 20, 1023, 1024};
    for (size_t k = 0; k < 2 * LENGTH(sizes); k++) {
        const size_t dimension = sizes[k / 2];
        if (k == 1) {
            continue; /* a gap needs two dimensions */
        }
        const lotor_linear_world world = make(dimension, ACTIONS, k % 2 ? 0.1 : (double)NAN);
        static double theta[1024];
        double means[ACTIONS];
        lotor_generator generator;
        lotor_generator_seed(&generator, 31 + k);
        lotor_linear_world_theta(&world, &generator, theta);
        const int rounds = dimension > 100 ? 20 : ROUNDS;
        for (int i = 0; i < rounds; i++) {
            lotor_linear_world_round(&world, theta, &generator, actions, means);
            for (size_t a = 0; a < ACTIONS; a++) {
                const double *action = actions + a * dimension;
                double forwards = 0, backwards = 0;
                long double precise = 0;
                for (size_t j = 0; j < dimension; j++) {
                    const double last = action[dimension - 1 - j];
                    forwards += action[j] * action[j];
                    backwards += last * last;
                    precise += (long double)action[j] * (long double)action[j];
                }
                assert_true(forwards <= 1 && backwards <= 1 && precise <= 1);
                assert_true(fabs(means[a]) <= 1);
            }
        }
    }
}

/* A round longer than a block has the same distribution as its parts. Nothing is left unwritten,
 * and nothing is written beyond the end. */
TEST(long_rounds_are_filled)
{
    static const size_t sizes[] = {1, 2, 5, 6, 13, 14};
    enum { ACTIONS = 3000 };
    for (size_t k = 0; k < 2 * LENGTH(sizes); k++) {
        const size_t dimension = sizes[k / 2], numbers = ACTIONS * dimension;
        if (k == 1) {
            continue;
        }
        const lotor_linear_world world = make(dimension, ACTIONS, k % 2 ? 0.1 : (double)NAN);
        double *actions = malloc((numbers + 1) * sizeof *actions), theta[MOST];
        double *means = malloc((ACTIONS + 1) * sizeof *means);
        lotor_generator generator;
        assert_true(actions && means);
        for (size_t i = 0; i <= numbers; i++) {
            actions[i] = 77;
        }
        means[ACTIONS] = 77;
        lotor_generator_seed(&generator, k);
        lotor_linear_world_theta(&world, &generator, theta);
        lotor_linear_world_round(&world, theta, &generator, actions, means);
        assert_true(actions[numbers] == 77 && means[ACTIONS] == 77);
        for (size_t i = 0; i < ACTIONS; i++) {
            const double *action = actions + i * dimension;
            assert_true(inner(dimension, action, action) <= 1);
            assert_true(fabs(inner(dimension, action, theta) - means[i]) < 1e-13);
            assert_true(i == 0 || memcmp(action, action - dimension, sizeof *action) != 0);
        }
        free(actions);
        free(means);
    }
}

/* Rewards and refusals ------------------------------------------------------------------------ */

/* An average of n rewards of mean m deviates by sqrt((1 - m^2)/n). */
TEST(rewards_have_their_mean)
{
    static const double means[] = {-1, -0.9, -0.3, 0, 0.01, 0.75, 1};
    for (size_t k = 0; k < LENGTH(means); k++) {
        lotor_generator generator;
        double sum = 0;
        lotor_generator_seed(&generator, k);
        for (size_t i = 0; i < SAMPLES; i++) {
            const double reward = lotor_linear_world_reward(&generator, means[k]);
            assert_true(reward == 1 || reward == -1);
            sum += reward / (double)SAMPLES;
        }
        const double deviation = sqrt((1 - means[k] * means[k]) / (double)SAMPLES);
        assert_true(fabs(sum - means[k]) <= DEVIATIONS * deviation + 1e-9);
    }
}

TEST(worlds_are_what_was_asked)
{
    const lotor_linear_world ball = make(5, 20, (double)NAN);
    assert_true(ball.dimension == 5 && ball.actions == 20 && !ball.has_gap);
    const lotor_linear_world sphere = make(64, 4096, 0.1);
    assert_true(sphere.dimension == 64 && sphere.actions == 4096 && sphere.has_gap);
    assert_true(sphere.gap == 0.1);
    make(1, 1 << 26, (double)NAN);
    make(1024, 1 << 16, 0);
}

TEST(worlds_refuse)
{
    static const struct {
        size_t dimension, actions;
        double gap;
        lotor_status status;
        const char *says;
    } cases[] = {
        {5, 20, -0.1, LOTOR_RANGE, "the gap is -0.1; it lies in [0, 1.5)"},
        {5, 20, 1.5, LOTOR_RANGE, "the gap is 1.5; it lies in [0, 1.5)"},
        {5, 20, (double)INFINITY, LOTOR_RANGE, "the gap is inf; it lies in [0, 1.5)"},
        {0, 20, (double)NAN, LOTOR_INVALID,
         "actions in the ball have from 1 to 1024 dimensions, not 0"},
        {1025, 20, (double)NAN, LOTOR_INVALID,
         "actions in the ball have from 1 to 1024 dimensions, not 1025"},
        {1, 20, 0.1, LOTOR_INVALID, "actions with a gap have from 2 to 1024 dimensions, not 1"},
        {5, 1, (double)NAN, LOTOR_INVALID,
         "in 5 dimensions a round has from 2 to 13421772 actions, not 1"},
        {1024, 65537, 0, LOTOR_INVALID,
         "in 1024 dimensions a round has from 2 to 65536 actions, not 65537"},
        {2, SIZE_MAX / 2 + 2, 0, LOTOR_INVALID, "from 2 to 33554432 actions"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        lotor_message why = {""};
        lotor_linear_world world;
        assert_int_equal(lotor_linear_world_make(cases[i].dimension, cases[i].actions, cases[i].gap,
                                                 &why, &world),
                         cases[i].status);
        if (!strstr(why.text, cases[i].says)) {
            fail_msg("\"%s\" does not say \"%s\"", why.text, cases[i].says);
        }
        assert_int_equal(lotor_linear_world_make(cases[i].dimension, cases[i].actions, cases[i].gap,
                                                 NULL, &world),
                         cases[i].status);
    }
}
