/* test_plain_combinatorial.c - tests of the plain semi-bandits and cascades in tests/plain.
 *
 * Indices and noises are compared with numbers computed in Python from the papers' formulas. Runs
 * with certain arms are compared with values computed by hand. Short noisy runs are compared with
 * their known mean regret, within 5 standard errors (with new seeds a false alarm once in two
 * million; the seeds are fixed). Then
 * come relations between runs, and the papers' settings.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "plain/game.h"
#include "plain/plain.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

enum { RUNS = 100000 };

static const char *const SEMI_BANDITS[] = {"cucb",    "cucb-ldp1", "cucb-ldp2",
                                           "cucb-dp", "cucb-dp2",  "cucb-ldp-gauss"};
static const char *const CASCADES[] = {"cascade-ucb", "cascade-dp", "cascade-ldp-laplace",
                                       "cascade-ldp-gauss", "cascade-ldp-composed"};

enum { ALL = LENGTH(SEMI_BANDITS) + LENGTH(CASCADES) };

static const char *algorithm_at(size_t i)
{
    return i < LENGTH(SEMI_BANDITS) ? SEMI_BANDITS[i] : CASCADES[i - LENGTH(SEMI_BANDITS)];
}

/* Twenty arms, four shown: 0.7 and 0.3, or for cascades 0.2 and 0.05. */
static plain_setting twenty(const char *algorithm, uint64_t horizon, double epsilon)
{
    static const double shown[20] = {0.7, 0.7, 0.7, 0.7, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3,
                                     0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3};
    static const double listed[20] = {0.2,  0.2,  0.2,  0.2,  0.05, 0.05, 0.05, 0.05, 0.05, 0.05,
                                      0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05};

    return (plain_setting){.algorithm = algorithm,
                           .arms = 20,
                           .means = strncmp(algorithm, "cascade", 7) == 0 ? listed : shown,
                           .horizon = horizon,
                           .epsilon = epsilon,
                           .slots = 4};
}

static plain_setting sure_arms(const char *algorithm, uint64_t horizon, double epsilon)
{
    static const double one_and_zero[] = {1, 0};

    return (plain_setting){.algorithm = algorithm,
                           .arms = 2,
                           .means = one_and_zero,
                           .horizon = horizon,
                           .epsilon = epsilon};
}

static plain_setting sure_pairs(const char *algorithm, uint64_t horizon, double epsilon)
{
    static const double means[] = {1, 0, 1, 0};

    return (plain_setting){.algorithm = algorithm,
                           .arms = 4,
                           .means = means,
                           .horizon = horizon,
                           .epsilon = epsilon,
                           .slots = 2};
}

static void assert_near(plain_setting setting, size_t runs, double errors, double share,
                        double expected)
{
    double standard_error, mean = plain_mean_regret(&setting, runs, &standard_error);

    if (!(fabs(mean - expected) <= errors * standard_error + share * expected)) {
        fail_msg("%s, horizon %llu: regret %g (standard error %g), expected %g", setting.algorithm,
                 (unsigned long long)setting.horizon, mean, standard_error, expected);
    }
}

static void assert_mean(plain_setting setting, double expected)
{
    assert_near(setting, RUNS, 5, 1e-9, expected);
}

static void assert_close(const char *what, double actual, double expected)
{
    if (!(fabs(actual - expected) <= 1e-12 * fabs(expected))) {
        fail_msg("%s: %.17g, expected %.17g", what, actual, expected);
    }
}

/* Formulas ------------------------------------------------------------------------------------ */

/* m = L = 20, K = 4, T = 1e5, epsilon = 0.5, delta = 1e-3; t = 100, sum 10 over n = 25. The table
 * of ALGORITHMS.md, typed a second time in Python. */
TEST(indices_and_noises_by_hand)
{
    static const double indices[] = {0.9256521769756932, 15.75528291900186,  8.07764145950093,
                                     5861.797955085232,  1466.8921957313232, 13.892367018677112,
                                     0.9256521769756932, 864.4318544245172,  17.746521840197875,
                                     17.200080353469016, 42.876880672038176};
    static const double noises[] = {
        0, 8,  2, 184.20680743952366, 46.051701859880914, 15.105918130636187,
        0, 40, 8, 15.105918130636187, 19.95199027635833};

    for (size_t i = 0; i < ALL; i++) {
        bool lists = i >= LENGTH(SEMI_BANDITS);
        plain_setting setting = twenty(algorithm_at(i), 100000, 0.5);
        plain_game game = plain_begin(&setting, 1);

        game.round = 99;
        plain_width width = lists ? plain_cascade_width(&game) : plain_semi_bandit_width(&game);

        assert_close(setting.algorithm, plain_index(width, 10, 25, false), indices[i]);
        assert_close(setting.algorithm,
                     lists ? plain_cascade_noise(&game) : plain_semi_bandit_noise(&game),
                     noises[i]);
        assert_true(plain_index(width, 10, 25, true) == fmin(1, indices[i]));
        assert_true(plain_index(width, 0, 0, false) == INFINITY);
        assert_true(plain_index(width, 0, 0, true) == 1);
    }
}

/* Of the [K] algorithms only these use delta (default: 1e-3). */
TEST(delta_has_its_default)
{
    static const char *const algorithms[] = {"cascade-ldp-gauss", "cascade-ldp-composed"};

    for (size_t i = 0; i < LENGTH(algorithms); i++) {
        plain_setting setting = twenty(algorithms[i], 1000, 1), given = setting, other = setting;
        given.delta = 1e-3;
        other.delta = 1e-4;
        plain_game games[] = {plain_begin(&setting, 1), plain_begin(&given, 1),
                              plain_begin(&other, 1)};

        assert_true(plain_cascade_noise(&games[0]) == plain_cascade_noise(&games[1]));
        assert_true(plain_cascade_noise(&games[0]) < plain_cascade_noise(&games[2]));
    }
}

/* floor(log2 T) + 1 nodes lie above a round. 2 log T is less at T = 1, 2 and 4: 0, 1.39, 2.77. */
TEST(tree_noise_covers_the_nodes)
{
    static const double factors[] = {1, 2, 2.1972245773362196, 3, 3.2188758248682006};

    for (uint64_t T = 1; T <= LENGTH(factors); T++) {
        plain_setting setting = sure_pairs("cucb-dp", T, 0.5);
        plain_game game = plain_begin(&setting, 1);

        assert_close("cucb-dp", plain_semi_bandit_noise(&game), 2 * 2 * factors[T - 1]);
        setting.algorithm = "cucb-dp2";
        assert_close("cucb-dp2", plain_semi_bandit_noise(&game), 2 * factors[T - 1]);
    }
}

/* Building blocks ----------------------------------------------------------------------------- */

/* At t = 2^k + j the noise is k+1 variables Lap(2/epsilon) and popcount(j) of Lap(2k/epsilon). A
 * Laplace variable of scale b has variance 2b^2 and fourth cumulant 12b^4; so the mean square of n
 * such sums deviates by sqrt((2 variance^2 + cumulants)/n). */
TEST(hybrid_counter_has_its_noise)
{
    enum { COUNTERS = 20000, STEPS = 29 };
    static const struct {
        int t, k, j_digits;
    } cases[] = {{1, 0, 0}, {2, 1, 0}, {3, 1, 1}, {6, 2, 1}, {7, 2, 2}, {8, 3, 0}, {29, 4, 3}};
    plain_random random = {3};
    plain_hybrid exact = {0};
    double squares[STEPS + 1] = {0};

    for (int t = 1; t <= 1000; t++) {
        assert_true(plain_hybrid_add(&exact, t, 0, &random) == t * (t + 1) / 2.0);
    }
    for (int i = 0; i < COUNTERS; i++) {
        plain_hybrid hybrid = {0};

        for (int t = 1; t <= STEPS; t++) {
            double noise = plain_hybrid_add(&hybrid, 1, 0.5, &random) - t;

            squares[t] += noise * noise / (double)COUNTERS;
        }
    }
    for (size_t i = 0; i < LENGTH(cases); i++) { /* scales 1 and k */
        double k = cases[i].k, digits = cases[i].j_digits;
        double variance = 2 * (k + 1) + 2 * k * k * digits;
        double cumulant = 12 * (k + 1) + 12 * k * k * k * k * digits;
        double error = sqrt((2 * variance * variance + cumulant) / (double)COUNTERS);

        if (!(fabs(squares[cases[i].t] - variance) <= 5 * error)) {
            fail_msg("t = %d: %g, expected %g", cases[i].t, squares[cases[i].t], variance);
        }
    }
}

/* Three arms tie: all 6 orders are equally likely, each seen 10000 times in 60000, with a standard
 * deviation of 91. */
TEST(order_breaks_ties_at_random)
{
    static const double indices[] = {1, 2, 1, INFINITY, 1};
    plain_random random = {4};
    int seen[5][5] = {{0}};

    for (int i = 0; i < 60000; i++) {
        size_t order[5];

        plain_order(&random, indices, 5, order);
        assert_true(order[0] == 3 && order[1] == 1);
        assert_true(order[2] + order[3] + order[4] == 0 + 2 + 4);
        seen[order[2]][order[3]]++;
    }
    for (size_t i = 0; i < 5; i += 2) {
        for (size_t j = 0; j < 5; j += 2) {
            assert_true(i == j || abs(seen[i][j] - 10000) < 5 * 92);
        }
    }
}

/* By hand ------------------------------------------------------------------------------------- */

/* One arm shown, no noise: everything is sqrt(1.5 log t / n). The bad arm comes back at t = 8:
 * with n = (6, 1) 1.766 > 1 + 1.766/sqrt(6) = 1.721 (at 7: 1.709 < 1.764), then, in Python, at
 * 21, 45, 85. With an exact observation of each the good arm comes first; the bad one at t = 7
 * (1.709 > 1 + 1.709/sqrt(7) = 1.646; at 6: 1.639 < 1.669), 20, 43, 84. */
TEST(one_slot_by_hand)
{
    static const struct {
        const char *algorithm;
        double regrets[6];
    } cases[] = {{"cucb", {1, 2, 3, 4, 4, 5}},
                 {"cascade-ucb", {1, 2, 3, 4, 4, 5}},
                 {"cucb-ldp-gauss", {1, 1, 3, 3, 4, 4}},
                 {"cascade-dp", {1, 1, 3, 3, 4, 4}},
                 {"cascade-ldp-laplace", {1, 1, 3, 3, 4, 4}},
                 {"cascade-ldp-gauss", {1, 1, 3, 3, 4, 4}},
                 {"cascade-ldp-composed", {1, 1, 3, 3, 4, 4}}};
    static const uint64_t times[] = {7, 8, 43, 45, 84, 85};

    for (size_t i = 0; i < LENGTH(cases); i++) {
        plain_setting setting = sure_arms(cases[i].algorithm, 85, INFINITY);
        double regrets[LENGTH(times)];

        plain_regret_curve(&setting, 9, times, LENGTH(times), regrets);
        assert_memory_equal(regrets, cases[i].regrets, sizeof regrets);
    }
}

/* Two of four arms, two of them bad. All report: two rounds show each arm once, and cost 2; then
 * without noise the good ones are known, and have the highest index (T = 4: all n = 1, then 2).
 * One reports: two unseen arms are shown in rounds 1 to 3, a bad one with probability 1/2 each;
 * in round 4 the last unseen arm and a good one, or none is known (never: three arms are known). */
TEST(unseen_arms_come_first)
{

    assert_mean(sure_pairs("cucb", 4, INFINITY), 2);
    assert_mean(sure_pairs("cucb-ldp1", 9, INFINITY), 2);
    assert_mean(sure_pairs("cucb-dp", 4, INFINITY), 2);
    assert_mean(sure_pairs("cucb-ldp2", 3, INFINITY), 3);
    assert_mean(sure_pairs("cucb-ldp2", 9, INFINITY), 3.5);
    assert_mean(sure_pairs("cucb-dp2", 4, INFINITY), 3.5);
}

/* Lists of two out of three items, of which only one attracts, always. If it is first in the first
 * list (1 in 3) the two others are still unseen, come next, and cost 1. If it is second, nothing
 * is lost. If it is missing that costs 1, and it comes first in the next list. Then all are known.
 * If positions after the click were seen too the mean would be 1/3. */
TEST(cascade_stops_at_the_click)
{
    static const double means[] = {0, 1, 0};
    plain_setting setting = {.algorithm = "cascade-ucb", .arms = 3, .means = means, .slots = 2};

    setting.horizon = 1;
    assert_mean(setting, 1.0 / 3);
    setting.horizon = 3;
    assert_mean(setting, 2.0 / 3);
}

/* A list's regret is a difference of products: 1 - 0.5 * 0.4 against 1 - 0.5 * 0.7 or
 * 1 - 0.4 * 0.7, all three equally likely in the first round. */
TEST(lists_are_worth_products)
{
    static const double means[] = {0.5, 0.6, 0.3};
    plain_setting setting = {
        .algorithm = "cascade-ucb", .arms = 3, .means = means, .horizon = 1, .slots = 2};

    assert_mean(setting, (0.15 + 0.08) / 3);
}

/* Exact means --------------------------------------------------------------------------------- */

/* P(X - Y > x) for two Laplace variables of scale b, x >= 0. */
static double over(double x, double b)
{
    return exp(-x / b) * (2 + x / b) / 4;
}

/* All arms known once, the third round shows those of the highest noisy rewards; the tree is at
 * its second step, with one node. One slot: the bad arm wins with P(X - Y > 1). Two slots: the mean
 * number of bad arms among the best two of four, integrated numerically in Python for the scales
 * K/epsilon = 2 and 2K log(3)/epsilon. */
TEST(third_round_shows_the_noise)
{

    assert_mean(sure_arms("cucb-ldp1", 3, 1), 1 + over(1, 1));
    assert_mean(sure_arms("cucb-ldp2", 3, 1), 1 + over(1, 1));
    assert_mean(sure_arms("cucb-dp", 3, 1), 1 + over(1, 2 * log(3)));
    assert_mean(sure_arms("cucb-dp2", 3, 1), 1 + over(1, 2 * log(3)));
    assert_mean(sure_pairs("cucb-ldp1", 3, 1), 2 + 0.7966801073547842);
    assert_mean(sure_pairs("cucb-dp", 3, 1), 2 + 0.905741363314581);
}

/* One slot, epsilon = 1. The exact first observations put the good arm first; in round 2 it has
 * (2 + X)/2 and n = 2 against 0 and n = 1, so it loses if X < 2(width(1) - width(2) - 1). */
TEST(second_round_shows_noise_and_width)
{
    double shrinks = 1 - sqrt(0.5), log2_ = log(2), sampling = sqrt(1.5 * log2_);
    double deviation = sqrt(2 * log(1250)), composed = log(exp(1) + 1000), x;

    x = 2 * (shrinks * (sampling + sqrt(24 * log2_)) - 1);
    assert_true(x > 0);
    assert_mean(sure_arms("cascade-ldp-laplace", 2, 1), 1 - exp(-x) / 2);

    x = 2 * (shrinks * (sampling + deviation * sqrt(2 * log(16))) - 1);
    assert_mean(sure_arms("cascade-ldp-gauss", 2, 1), erfc(-x / deviation / sqrt(2)) / 2);

    x = 2 * (shrinks * (sampling + 4 * sqrt(6 * composed * log2_)) - 1);
    assert_mean(sure_arms("cascade-ldp-composed", 2, 1), 1 - exp(-x / sqrt(4 * composed)) / 2);

    x = 2 * (shrinks * (sampling + 2 * deviation * sqrt(log2_)) - 1);
    assert_mean(sure_arms("cucb-ldp-gauss", 2, 1), erfc(-x / deviation / sqrt(2)) / 2);

    /* Two items, so epsilon/2 each: Lap(4). Its width falls like 1/n. */
    x = 2 * (shrinks * sampling + 3 * 2 * pow(log2_, 2.5) / 2 - 1);
    assert_true(x > 0);
    assert_mean(sure_arms("cascade-dp", 2, 1), 1 - exp(-x / 4) / 2);
}

/* Relations ----------------------------------------------------------------------------------- */

/* All but the composed one know epsilon only through noise_scale/epsilon. */
TEST(noise_scale_is_one_over_epsilon)
{

    for (size_t i = 0; i < ALL; i++) {
        plain_setting setting = twenty(algorithm_at(i), 1000, 2);
        plain_setting scaled = twenty(algorithm_at(i), 1000, 1), unscaled = scaled;
        bool is_composed = strcmp(setting.algorithm, "cascade-ldp-composed") == 0;
        bool is_private = i != 0 && i != LENGTH(SEMI_BANDITS);

        scaled.noise_scale = 0.5;
        assert_int_equal(plain_regret(&setting, 5) == plain_regret(&scaled, 5), !is_composed);
        assert_int_equal(plain_regret(&setting, 5) != plain_regret(&unscaled, 5), is_private);
    }
}

/* Without noise the private cascades are cascade-ucb, and cucb-ldp-gauss is cucb, but for their
 * first observations: those save cucb-ldp-gauss 16 displays of gap 0.4, 1% of the regret. Three of
 * the cascades draw the same random numbers, and so play the same game. */
TEST(no_noise_is_no_privacy)
{
    enum { HORIZON = 20000 };
    double error, plain;
    plain_setting cascade = twenty("cascade-ucb", HORIZON, INFINITY);
    plain_setting cucb = twenty("cucb", HORIZON, INFINITY);
    plain_setting same[] = {twenty("cascade-dp", HORIZON, INFINITY),
                            twenty("cascade-ldp-laplace", HORIZON, INFINITY),
                            twenty("cascade-ldp-composed", HORIZON, INFINITY)};

    plain = plain_mean_regret(&cascade, 20, &error);
    assert_near(same[0], 20, 4, 0.02, plain);
    assert_near(twenty("cascade-ldp-gauss", HORIZON, INFINITY), 20, 4, 0.02, plain);
    for (size_t i = 1; i < LENGTH(same); i++) {
        assert_true(plain_regret(&same[i], 6) == plain_regret(&same[0], 6));
    }
    plain = plain_mean_regret(&cucb, 20, &error);
    assert_near(twenty("cucb-ldp-gauss", HORIZON, INFINITY), 20, 4, 0.02, plain);
}

/* At most K gaps of 0.4, or the whole value of the best list minus the worst, in every round. The
 * regret of 4 runs rises from one epsilon to the next, by far more than its error. cucb-ldp1 and
 * cucb-ldp2 have no width at epsilon = infinity, and may be locked in there: they start at 10. */
TEST(regret_grows_with_privacy)
{
    static const double epsilons[] = {INFINITY, 10, 1};
    enum { HORIZON = 10000 };
    double worst[] = {4 * 0.4, pow(0.95, 4) - pow(0.8, 4)};

    for (size_t i = 0; i < ALL; i++) {
        bool is_private = i != 0 && i != LENGTH(SEMI_BANDITS);
        double before = 0, error;

        for (size_t k = i == 1 || i == 2 ? 1 : 0; k < LENGTH(epsilons) && is_private; k++) {
            plain_setting setting = twenty(algorithm_at(i), HORIZON, epsilons[k]);
            double regret = plain_mean_regret(&setting, 4, &error);

            if (!(regret > 1.02 * before &&
                  regret <= (double)HORIZON * worst[i >= LENGTH(SEMI_BANDITS)])) {
                fail_msg("%s at epsilon %g: %g after %g", setting.algorithm, epsilons[k], regret,
                         before);
            }
            before = regret;
        }
    }
}

/* With a cap at 1 nearly all arms tie; arms of mean 0.7 and 0.3 then come equally often. */
TEST(cap_makes_ties)
{

    for (size_t i = 0; i < ALL; i++) {
        plain_setting setting = twenty(algorithm_at(i), 1000, 1), capped = setting;

        capped.clip = true;
        assert_true(plain_regret(&setting, 5) != plain_regret(&capped, 5));
    }
    plain_setting setting = twenty("cucb-dp2", 1000, 1);
    setting.clip = true;
    assert_near(setting, 40, 5, 0, 1000 * 4 * 0.4 * 16 / 20);
}

TEST(odd_settings)
{
    static const double means[] = {0.5, 0.7};

    for (size_t i = 0; i < ALL; i++) { /* as many slots as arms, or more: no choice */
        plain_setting setting = {.algorithm = algorithm_at(i),
                                 .arms = 2,
                                 .means = means,
                                 .horizon = 20,
                                 .epsilon = 1,
                                 .slots = 5};

        assert_true(fabs(plain_regret(&setting, 1)) < 1e-12);
        setting.slots = 0; /* one */
        assert_true(plain_regret(&setting, 1) > 0);
        assert_true(plain_regret(&setting, 1) <= 20 * 0.2 + 1e-12);
    }
}

/* The papers' settings ------------------------------------------------------------------------ */

/* T = 1e5, epsilon = 1, from another implementation: within 4 standard errors, and 2% for the
 * error of those means. "Best local" was 25,700 among the cascades. */
TEST(full_scale_agrees)
{
    assert_near(twenty("cucb-dp", 100000, 1), 2, 0, 0.02, 125000);
    assert_near(twenty("cucb-ldp2", 100000, 1), 8, 4, 0.02, 9200);
    assert_near(twenty("cascade-dp", 100000, 1), 4, 4, 0.02, 29800);
    assert_near(twenty("cascade-ldp-laplace", 100000, 1), 5, 4, 0.02, 25700);
    assert_near(twenty("cascade-ldp-gauss", 100000, 1), 5, 4, 0.02, 25700);
}
