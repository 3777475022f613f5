/* test_plain_linear.c - tests of the plain linear bandits in tests/plain.
 *
 * Constants are compared with numbers computed in Python; draws by their moments; whole games in
 * two dimensions with a second implementation without tree and factors. Then come relations between
 * games, and the setting of another implementation. Sample means are within 5 standard errors (with
 * new seeds a false alarm once in two million; the seeds are fixed).
 */
#include "support/test.h"

#include <math.h>

#include "plain/game.h"
#include "plain/plain.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static const char *const ALGORITHMS[] = {"linucb", "jdp-linucb-gauss", "jdp-linucb-wishart",
                                         "jdp-linucb-wishart-shifted"};

static plain_setting ball(const char *algorithm, uint64_t horizon, double epsilon)
{
    return (plain_setting){
        .algorithm = algorithm, .arms = 20, .horizon = horizon, .epsilon = epsilon, .dimension = 5};
}

static void assert_near(const char *what, double actual, double tolerance, double expected)
{
    if (!(fabs(actual - expected) <= tolerance)) {
        fail_msg("%s: %.17g, expected %.17g within %g", what, actual, expected, tolerance);
    }
}

static void assert_close(const char *what, double actual, double expected)
{
    assert_near(what, actual, 1e-12 * fabs(expected), expected);
}

/* Sums of a sampled variable. */
typedef struct sample {
    double count, sum, squares;
} sample;

static void add(sample *seen, double value)
{
    seen->count++;
    seen->sum += value;
    seen->squares += value * value;
}

static void assert_mean(const char *what, sample seen, double expected)
{
    double mean = seen.sum / seen.count;
    double error = sqrt((seen.squares / seen.count - mean * mean) / (seen.count - 1));

    assert_near(what, mean, 5 * error, expected);
}

/* Formulas ------------------------------------------------------------------------------------ */

/* d = 5, n = 1e5 (m = 18), epsilon = 1, delta = 1e-5, alpha = 1/n; section 6 of ALGORITHMS.md typed
 * a second time in Python. A tenth of the noise has a tenth of the eigenvalues, and lengths in its
 * inverse are sqrt(1/10) of what they were. */
TEST(constants_by_hand)
{
    static const plain_ridge expected[] = {
        {0, 0, 1, 1, 1, 0},
        {437.8140389301255, 0, 296219.3824136927, 148109.69120684636, 444329.07362053904,
         44.03521132585578},
        {2, 811203, 0, 29060996.317315377, 29345967.282222155, 12.902708474151998},
        {2, 811203, -28776025.352408603, 284970.9649067737, 569941.9298135474, 264.0574680345852}};

    for (size_t i = 0; i < LENGTH(ALGORITHMS); i++) {
        plain_setting setting = ball(ALGORITHMS[i], 100000, 1);

        for (int scaled = 0; scaled < 2; scaled++) {
            double scale = scaled && i > 0 ? 0.1 : 1;
            plain_game game = plain_begin(&setting, 1);
            plain_ridge ridge = plain_linear_ridge(&game);

            assert_close("noise", ridge.noise, expected[i].noise * scale);
            assert_true(ridge.degrees == expected[i].degrees);
            assert_close("shift", ridge.shift, expected[i].shift * scale);
            assert_close("rho_min", ridge.rho_min, expected[i].rho_min * scale);
            assert_close("rho_max", ridge.rho_max, expected[i].rho_max * scale);
            assert_close("gamma", ridge.gamma, expected[i].gamma * sqrt(scale));
            setting.noise_scale = 0.1;
        }
    }
}

TEST(delta_and_alpha_count)
{
    plain_setting setting = ball("jdp-linucb-gauss", 1000, 1), delta = setting, alpha = setting;
    delta.delta = 0.1;
    alpha.beta = 0.1;
    plain_game games[] = {plain_begin(&setting, 1), plain_begin(&delta, 1), plain_begin(&alpha, 1)};
    plain_ridge ridges[] = {plain_linear_ridge(&games[0]), plain_linear_ridge(&games[1]),
                            plain_linear_ridge(&games[2])};

    assert_close("delta", ridges[1].noise / ridges[0].noise, log(4 / 0.1) / log(4 / 1e-5));
    assert_true(ridges[2].noise == ridges[0].noise);
    assert_close("alpha", ridges[2].rho_min / ridges[0].rho_min,
                 (4 * sqrt(5) + 2 * log(2e4)) / (4 * sqrt(5) + 2 * log(2e6)));
}

TEST(factors_by_hand)
{
    static const double matrix[] = {4, 2, 6, 2, 5, 5, 6, 5, 26}; /* of (2), (1,2), (3,1,4) */
    static const double expected[] = {2, 1, 2, 3, 1, 4}, right[] = {2, 5, 15};
    double lower[9] = {0}, solution[3];

    assert_true(plain_cholesky(matrix, 3, lower));
    assert_memory_equal(lower, expected, sizeof(double));
    assert_memory_equal(lower + 3, expected + 1, 2 * sizeof(double));
    assert_memory_equal(lower + 6, expected + 3, 3 * sizeof(double));
    plain_forward(lower, 3, right, solution);
    assert_true(solution[0] == 1 && solution[1] == 2 && solution[2] == 2.5);

    assert_false(plain_cholesky((double[]){1, 2, 2, 1}, 2, lower));
    assert_false(plain_cholesky((double[]){1, 1, 1, 1}, 2, lower));
    assert_false(plain_cholesky((double[]){-1}, 1, lower));
}

/* The draws ----------------------------------------------------------------------------------- */

/* W(I, k): entries have means k and 0, variances 2k and k, and the determinant of a 3 x 3 one has
 * mean k(k-1)(k-2). */
TEST(wishart_has_its_moments)
{
    static const double degrees[] = {4, 10, 811203};
    plain_random random = {1};

    for (size_t k = 0; k < LENGTH(degrees); k++) {
        double n = degrees[k];
        sample entries[9] = {{0}}, squares[9] = {{0}}, determinant = {0};

        for (int i = 0; i < 50000; i++) {
            double w[9];

            plain_wishart(&random, 3, n, w);
            for (size_t j = 0; j < 9; j++) {
                double centred = w[j] - (j % 4 == 0 ? n : 0);

                assert_true(w[j] == w[j % 3 * 3 + j / 3]);
                add(&entries[j], w[j]);
                add(&squares[j], centred * centred);
            }
            add(&determinant, w[0] * (w[4] * w[8] - w[5] * w[7]) -
                                  w[1] * (w[3] * w[8] - w[5] * w[6]) +
                                  w[2] * (w[3] * w[7] - w[4] * w[6]));
        }
        for (size_t j = 0; j < 9; j++) {
            assert_mean("entry", entries[j], j % 4 == 0 ? n : 0);
            assert_mean("square", squares[j], j % 4 == 0 ? 2 * n : n);
        }
        assert_mean("determinant", determinant, n * (n - 1) * (n - 2));
    }
}

/* In the unit ball P(length <= r) = r^d; E x1 = 0, E x1^2 = 1/(d+2); E x1^2 x2^2 is that of the
 * sphere, 1/(d(d+2)), times E length^4 = d/(d+4). */
TEST(ball_is_filled_evenly)
{
    enum { D = 3 };
    plain_random random = {2};
    sample first = {0}, square = {0}, mixed = {0}, inside = {0};

    for (int i = 0; i < 100000; i++) {
        double x[D], length = 0;

        plain_ball(&random, D, x);
        for (size_t k = 0; k < D; k++) {
            length += x[k] * x[k];
        }
        assert_true(length <= 1 + 1e-12);
        add(&first, x[0]);
        add(&square, x[2] * x[2]);
        add(&mixed, x[0] * x[0] * x[1] * x[1]);
        add(&inside, sqrt(length) <= 0.8);
    }
    assert_mean("first", first, 0);
    assert_mean("square", square, 1.0 / 5);
    assert_mean("mixed", mixed, 1.0 / (5 * 7));
    assert_mean("inside", inside, 0.8 * 0.8 * 0.8);
}

/* In three dimensions <theta, x> is uniform on [-1,1] (Archimedes), so a truncated mean is uniform
 * on [-0.75, 0.75 - gap]. The best action is at each of 4 positions equally often, and its part
 * orthogonal to theta has no preferred direction. */
TEST(authors_world)
{
    const double theta[] = {0.6, 0, 0.8};
    plain_setting setting = {
        .algorithm = "linucb", .arms = 4, .dimension = 3, .has_gap = true, .gap = 0.25};
    plain_game game = plain_begin(&setting, 3);
    sample place = {0}, mean = {0}, square = {0}, across = {0};

    for (int i = 0; i < 30000; i++) {
        double actions[12], means[4];
        int best = 0;

        plain_draw_actions(&game, theta, actions, means);
        for (size_t k = 0; k < 4; k++) {
            const double *x = actions + 3 * k;

            assert_near("length", x[0] * x[0] + x[1] * x[1] + x[2] * x[2], 1e-12, 1);
            assert_near("mean", means[k], 1e-12, 0.6 * x[0] + 0.8 * x[2]);
            if (means[k] > 0.5 + 1e-12) {
                assert_near("best", means[k], 1e-12, 0.75);
                add(&place, (double)k);
                add(&across, x[1]);
                best++;
            } else {
                assert_true(means[k] >= -0.75);
                add(&mean, means[k]);
                add(&square, (means[k] + 0.125) * (means[k] + 0.125));
            }
        }
        assert_int_equal(best, 1);
    }
    assert_mean("place", place, 1.5);
    assert_mean("across", across, 0);
    assert_mean("mean", mean, -0.125);
    assert_mean("variance", square, 1.25 * 1.25 / 12);
}

/* Whole games --------------------------------------------------------------------------------- */

/* Two dimensions, the rows summed directly and V inverted by its formula. The noise is drawn in the
 * same order: the node that a round fills, then, for Wishart, the levels that it empties. */
typedef struct direct {
    plain_game game;
    plain_ridge ridge;
    double rows[3][3];
    double noises[12][9];
} direct;

static void direct_noise(direct *play, double *w)
{
    plain_random *random = &play->game.random;
    double s = play->ridge.noise;

    if (play->ridge.degrees > 0) {
        plain_wishart(random, 3, play->ridge.degrees, w);
        for (size_t i = 0; i < 9; i++) {
            w[i] *= s;
        }
        return;
    }
    w[0] = s * sqrt(2) * plain_gaussian(random);
    w[1] = w[3] = s * plain_gaussian(random);
    w[4] = s * sqrt(2) * plain_gaussian(random);
    w[2] = w[6] = s * plain_gaussian(random);
    w[5] = w[7] = s * plain_gaussian(random);
    w[8] = s * sqrt(2) * plain_gaussian(random);
}

static size_t direct_choice(const direct *play, const double *actions)
{
    double M[9], a, b, c, det, radius, top = -INFINITY;
    size_t choice = 0;

    for (size_t i = 0; i < 9; i++) {
        M[i] = play->rows[i / 3][i % 3];
        for (size_t level = 0; level < 12; level++) {
            M[i] += play->noises[level][i];
        }
    }
    a = M[0] + play->ridge.shift;
    b = M[1];
    c = M[4] + play->ridge.shift;
    det = a * c - b * b;
    radius = 2 * log(2 / play->game.beta) + log(det) - 2 * log(play->ridge.rho_min);
    radius = sqrt(fmax(0, radius)) + sqrt(play->ridge.rho_max) + play->ridge.gamma;
    for (size_t k = 0; k < play->game.setting->arms; k++) {
        double x = actions[2 * k], y = actions[2 * k + 1];
        double mean = ((c * x - b * y) * M[2] + (a * y - b * x) * M[5]) / det;
        double width = sqrt((c * x * x - 2 * b * x * y + a * y * y) / det);

        if (mean + radius * width > top) {
            top = mean + radius * width;
            choice = k;
        }
    }
    return choice;
}

static void direct_round(direct *play, const double *theta)
{
    double actions[20], means[10], best = -1, row[3];
    size_t choice, lowest = 0, round = (size_t)play->game.round + 1;

    plain_draw_actions(&play->game, theta, actions, means);
    choice = direct_choice(play, actions);
    row[0] = actions[2 * choice];
    row[1] = actions[2 * choice + 1];
    row[2] = plain_uniform(&play->game.random) < (1 + means[choice]) / 2 ? 1 : -1;
    for (size_t i = 0; i < 9; i++) {
        play->rows[i / 3][i % 3] += row[i / 3] * row[i % 3];
    }
    for (; round % 2 == 0; round /= 2) {
        lowest++;
    }
    direct_noise(play, play->noises[lowest]);
    for (size_t level = 0; level < lowest; level++) {
        memset(play->noises[level], 0, sizeof play->noises[level]);
        if (play->ridge.degrees > 0) {
            direct_noise(play, play->noises[level]);
        }
    }
    for (size_t k = 0; k < 10; k++) {
        best = fmax(best, means[k]);
    }
    play->game.round++;
    play->game.regret += best - means[choice];
}

static double direct_regret(const plain_setting *setting, uint64_t seed)
{
    direct play = {.game = plain_begin(setting, seed)};
    double theta[2];

    play.ridge = plain_linear_ridge(&play.game);
    plain_sphere(&play.game.random, 2, theta);
    for (size_t level = 0; level < (size_t)plain_tree_levels(setting->horizon); level++) {
        if (play.ridge.degrees > 0) {
            direct_noise(&play, play.noises[level]);
        }
    }
    while (!plain_is_over(&play.game)) {
        direct_round(&play, theta);
    }
    return play.game.regret;
}

/* A small epsilon, and large ones, where choices follow the data. */
TEST(games_agree_with_the_direct_way)
{
    static const double epsilons[] = {0.5, 100, 10000};

    for (size_t i = 0; i < LENGTH(ALGORITHMS); i++) {
        for (size_t k = 0; k < LENGTH(epsilons); k++) {
            plain_setting setting = {.algorithm = ALGORITHMS[i],
                                     .arms = 10,
                                     .horizon = 1500,
                                     .epsilon = epsilons[k],
                                     .dimension = 2};

            assert_near(ALGORITHMS[i], plain_regret(&setting, k + 1), 1e-9,
                        direct_regret(&setting, k + 1));
        }
    }
}

/* One dimension, two actions uniform on [-1,1]: whichever is played first, its sign against theta
 * is a coin, so the regret is the mean of the larger of two means, 1/3. */
TEST(first_round_is_blind)
{

    for (size_t i = 0; i < LENGTH(ALGORITHMS); i++) {
        plain_setting setting = {
            .algorithm = ALGORITHMS[i], .arms = 2, .horizon = 1, .epsilon = 1, .dimension = 1};
        double error, mean = plain_mean_regret(&setting, 50000, &error);

        assert_near(ALGORITHMS[i], mean, 5 * error, 1.0 / 3);
    }
}

/* With the authors' arms all lengths are the same. So a fair choice among four: one in four is the
 * best, the others' means (uniform, in three dimensions) are -0.125 in the mean. */
TEST(first_round_is_fair)
{

    for (size_t i = 0; i < 2; i++) {
        plain_setting setting = {.algorithm = ALGORITHMS[i],
                                 .arms = 4,
                                 .horizon = 1,
                                 .epsilon = 1,
                                 .dimension = 3,
                                 .has_gap = true,
                                 .gap = 0.25};
        double error, mean = plain_mean_regret(&setting, 50000, &error);

        assert_near(ALGORITHMS[i], mean, 5 * error, 0.875 * 3 / 4);
    }
}

/* Relations ----------------------------------------------------------------------------------- */

TEST(no_noise_is_linucb)
{
    plain_setting setting = ball("linucb", 500, 1);

    setting.delta = 0.5; /* of no importance */
    for (size_t i = 0; i < LENGTH(ALGORITHMS); i++) {
        plain_setting other = ball(ALGORITHMS[i], 500, INFINITY);

        /* linucb draws noise of deviation 0 too, so that even the random numbers are the same */
        assert_true(plain_regret(&other, 5) == plain_regret(&setting, 5));
        other.epsilon = 1;
        assert_int_equal(plain_regret(&other, 5) != plain_regret(&setting, 5), i > 0);
    }
}

/* Means of 4 games. In the ball a round costs less than 2; LinUCB's regret grows far slower than
 * its horizon. */
TEST(regret_grows_with_privacy)
{
    static const double epsilons[] = {INFINITY, 100, 1};
    plain_setting early = ball("linucb", 1000, 1), late = ball("linucb", 8000, 1);
    double error;

    for (size_t i = 1; i < LENGTH(ALGORITHMS); i++) {
        double before = 0;

        for (size_t k = 0; k < LENGTH(epsilons); k++) {
            plain_setting setting = ball(ALGORITHMS[i], 4000, epsilons[k]);
            double regret = plain_mean_regret(&setting, 4, &error);

            if (!(regret > 1.1 * before && regret < 2 * 4000)) {
                fail_msg("%s at epsilon %g: %g after %g", setting.algorithm, epsilons[k], regret,
                         before);
            }
            before = regret;
        }
    }
    assert_true(plain_mean_regret(&late, 4, &error) < 3 * plain_mean_regret(&early, 4, &error));
}

/* Every round that misses the best action costs at least the gap, and at most 1.5. */
TEST(gap_is_the_least_regret)
{
    plain_setting setting = ball("jdp-linucb-gauss", 1, 1);

    setting.has_gap = true;
    setting.gap = 0.5;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        double regret = plain_regret(&setting, seed);

        assert_true(fabs(regret) < 1e-12 || (regret >= 0.5 - 1e-12 && regret <= 1.5 + 1e-12));
    }
}

TEST(impossible_worlds)
{
    plain_setting setting = ball("linucb", 10, 1);

    setting.has_gap = true;
    assert_true(!isnan(plain_regret(&setting, 1)));
    setting.gap = 1.5;
    assert_true(isnan(plain_regret(&setting, 1)));
    setting.gap = -0.1;
    assert_true(isnan(plain_regret(&setting, 1)));
    setting.gap = 0;
    setting.dimension = 1; /* means are 1 or -1 */
    assert_true(isnan(plain_regret(&setting, 1)));
    setting.has_gap = false;
    assert_true(!isnan(plain_regret(&setting, 1)));
    setting.dimension = 0;
    assert_true(isnan(plain_regret(&setting, 1)));
    setting = ball("linucb", 10, 1);
    setting.arms = 0;
    assert_true(isnan(plain_regret(&setting, 1)));
}

/* The paper's algorithm at full scale --------------------------------------------------------- */

/* d = 5, n = 1e5, epsilon = 1: about 41,000 in another implementation; a run deviates by 600, and
 * 3% is room for the error of both means. */
TEST(full_scale_agrees)
{
    plain_setting setting = ball("jdp-linucb-gauss", 100000, 1);
    double error;

    assert_near("jdp-linucb-gauss", plain_mean_regret(&setting, 5, &error), 0.03 * 41000, 41000);
}
