/* test_world.c - Bernoulli, continuous and recorded worlds, and the named instances.
 *
 * Every law is tested with SAMPLES draws on a fixed seed, by chi-square or Kolmogorov-Smirnov:
 * p > P_ACCEPT against the law itself, p < P_ACCEPT against the same law with its mean 10% off.
 */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/statistics.h"
#include "support/worlds.h"
#include "world/bernoulli.h"
#include "world/replay.h"
#include "world/world.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static const double pi = 3.14159265358979323846;

/* Laws ---------------------------------------------------------------------------------------- */

typedef struct binomial_law {
    uint64_t n;
    double p;
} binomial_law;

static double binomial_mass(int64_t value, const void *law)
{
    const binomial_law *binomial = law;
    const double n = (double)binomial->n, k = (double)value;
    if (k < 0 || k > n) {
        return 0;
    }
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(binomial->p) +
               (n - k) * log1p(-binomial->p));
}

/* Chi-square p-value of the sums of `rounds` rounds of one arm that is shown among others. */
static double block_p(const lotor_world *world, uint32_t arm, uint64_t rounds, double p)
{
    static int64_t samples[SAMPLES];
    const uint32_t shown[] = {0, arm, 1};
    lotor_generator generator;
    lotor_generator_seed(&generator, 7 + rounds);
    for (size_t i = 0; i < SAMPLES; i++) {
        double sums[3];
        if (i % 2) {
            world->draw(world, &generator, shown, 3, rounds, sums);
        } else {
            world->draw(world, &generator, &arm, 1, rounds, sums + 1);
        }
        samples[i] = (int64_t)sums[1];
        assert_true((double)samples[i] == sums[1]);
    }
    return chi_square_test(samples, SAMPLES, binomial_mass, &(binomial_law){rounds, p});
}

TEST(bernoulli_sums_are_binomial)
{
    const double means[] = {0.75, 0.5, 0.01, 0.97, 0.2};
    const uint64_t rounds[] = {1, 2, 7, 1000, 1000000};
    lotor_world *world;
    assert_int_equal(lotor_world_bernoulli(LENGTH(means), means, NULL, &world), LOTOR_OK);
    assert_string_equal(world->id, "bernoulli");
    assert_true(world->is_binary);
    assert_null(world->vectors);
    for (uint32_t arm = 0; arm < LENGTH(means); arm++) {
        for (size_t r = 0; r < LENGTH(rounds); r++) {
            const double near = means[arm] < 0.9 ? means[arm] * 1.1 : means[arm] * 0.9;
            assert_true(block_p(world, arm, rounds[r], means[arm]) > P_ACCEPT);
            if (rounds[r] > 1) { /* too little to see in one round at a mean of 0.01 */
                assert_true(block_p(world, arm, rounds[r], near) < P_ACCEPT);
            }
        }
    }
    lotor_world_free(world);
}

/* Means 0 and 1 never and always pay. 2^-64 is below the resolution of a word. Means near 1 and
 * tiny ones keep their size: with 2^20 draws, 2^-10 expects 1024, and four deviations are 128. */
TEST(bernoulli_thresholds_reach_both_ends)
{
    const double means[] = {0, 1, 0x1p-10, 1 - 0x1p-10, 0x1p-64, 1 - 0x1p-53};
    const uint64_t thresholds[] = {
        0, UINT64_C(1) << 63,         UINT64_C(1) << 53, (UINT64_C(1) << 63) - (UINT64_C(1) << 53),
        0, (UINT64_C(1) << 63) - 1024};
    const uint32_t shown[] = {0, 1, 2, 3, 4, 5};
    double sums[6], total[6] = {0};
    lotor_world *world;
    lotor_generator generator;
    lotor_generator_seed(&generator, 3);
    assert_int_equal(lotor_world_bernoulli(6, means, NULL, &world), LOTOR_OK);
    assert_memory_equal(lotor_bernoulli_thresholds(world), thresholds, sizeof thresholds);
    for (int i = 0; i < 1 << 20; i++) {
        world->draw(world, &generator, shown, 6, 1, sums);
        for (int arm = 0; arm < 6; arm++) {
            total[arm] += sums[arm];
        }
    }
    assert_true(total[0] == 0 && total[1] == 0x1p20 && total[4] == 0 && total[5] == 0x1p20);
    assert_true(fabs(total[2] - 1024) < 128);
    assert_true(fabs(total[3] - (0x1p20 - 1024)) < 128);
    world->draw(world, &generator, shown, 6, UINT64_MAX, sums);
    assert_true(sums[0] == 0 && sums[1] == (double)UINT64_MAX);
    lotor_world_free(world);
}

/* Shown one by one or together, an arm uses the same words: the rewards are the same. */
TEST(bernoulli_rounds_are_the_same_in_pieces)
{
    const double means[] = {0.3, 0.6, 0.9};
    const uint32_t shown[] = {2, 0, 1, 2};
    lotor_world *world;
    lotor_generator one, other, third;
    lotor_generator_seed(&one, 11);
    lotor_generator_seed(&other, 11);
    lotor_generator_seed(&third, 11);
    assert_int_equal(lotor_world_bernoulli(3, means, NULL, &world), LOTOR_OK);
    const uint64_t *thresholds = lotor_bernoulli_thresholds(world);
    for (int i = 0; i < 1000; i++) {
        double together[4], alone;
        world->draw(world, &one, shown, 4, 1, together);
        for (int k = 0; k < 4; k++) {
            world->draw(world, &other, &shown[k], 1, 1, &alone);
            assert_true(alone == together[k]);
            assert_true(alone == lotor_bernoulli_reward(&third, thresholds[shown[k]]));
        }
    }
    lotor_world_free(world);
}

/* Arms of one round are independent: two arms have four outcomes whose probabilities are
 * products. */
static double pair_mass(int64_t value, const void *law)
{
    const double *means = law;
    return (value & 1 ? means[0] : 1 - means[0]) * (value & 2 ? means[1] : 1 - means[1]);
}

TEST(bernoulli_arms_are_independent)
{
    static int64_t samples[SAMPLES];
    const double means[] = {0.3, 0.6};
    const double wrong[] = {0.33, 0.6};
    const uint32_t shown[] = {0, 1};
    lotor_world *world;
    lotor_generator generator;
    lotor_generator_seed(&generator, 5);
    assert_int_equal(lotor_world_bernoulli(2, means, NULL, &world), LOTOR_OK);
    for (size_t i = 0; i < SAMPLES; i++) {
        double sums[2];
        world->draw(world, &generator, shown, 2, 1, sums);
        samples[i] = (int64_t)(sums[0] + 2 * sums[1]);
    }
    assert_true(chi_square_test(samples, SAMPLES, pair_mass, means) > P_ACCEPT);
    assert_true(chi_square_test(samples, SAMPLES, pair_mass, wrong) < P_ACCEPT);
    lotor_world_free(world);
}

/* Beta laws whose distribution function needs no special function. */
static double power_cdf(double x, const void *law) /* Beta(k, 1) */
{
    return pow(x, *(const double *)law);
}

static double mirrored_cdf(double x, const void *law) /* Beta(1, k) */
{
    return 1 - pow(1 - x, *(const double *)law);
}

static double arcsine_cdf(double x, const void *law) /* Beta(1/2, 1/2), raised to a power */
{
    return pow(2 / pi * asin(sqrt(x)), *(const double *)law);
}

static double kolmogorov_p(const lotor_world *world, uint32_t arm, distribution_function *cdf,
                           const void *law)
{
    static double samples[SAMPLES];
    lotor_generator generator;
    lotor_generator_seed(&generator, 19);
    for (size_t i = 0; i < SAMPLES; i++) {
        world->draw(world, &generator, &arm, 1, 1, &samples[i]);
        assert_true(samples[i] >= 0 && samples[i] <= 1);
    }
    return kolmogorov_test(samples, SAMPLES, cdf, law);
}

TEST(beta_arms_have_their_law)
{
    static const struct {
        double mean, concentration;
        distribution_function *cdf;
        double law;
    } cases[] = {{2.0 / 3, 3, power_cdf, 2},    {0.75, 4, power_cdf, 3},
                 {0.5, 2, power_cdf, 1},        {0.25, 4, mirrored_cdf, 3},
                 {1.0 / 3, 3, mirrored_cdf, 2}, {0.5, 1, arcsine_cdf, 1}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const double means[] = {0, 1, cases[i].mean};
        const double wrong = cases[i].law * 1.1;
        lotor_world *world;
        assert_int_equal(lotor_world_beta(3, means, cases[i].concentration, NULL, &world),
                         LOTOR_OK);
        assert_string_equal(world->id, "beta");
        assert_false(world->is_binary);
        assert_true(kolmogorov_p(world, 2, cases[i].cdf, &cases[i].law) > P_ACCEPT);
        assert_true(kolmogorov_p(world, 2, cases[i].cdf, &wrong) < P_ACCEPT);
        lotor_world_free(world);
    }
}

/* Means of 0 and 1 always pay the mean; extreme concentrations stay in [0,1]. */
TEST(beta_arms_at_the_ends)
{
    static const double concentrations[] = {5e-324, 1e-300, 1e-3, 1, 1e15, 1.7e308};
    const double means[] = {0, 1, 5e-324, 0.5, 1 - 0x1p-53};
    for (size_t c = 0; c < LENGTH(concentrations); c++) {
        lotor_world *world;
        lotor_generator generator;
        lotor_generator_seed(&generator, 2);
        assert_int_equal(lotor_world_beta(5, means, concentrations[c], NULL, &world), LOTOR_OK);
        for (int i = 0; i < 200; i++) {
            const uint32_t shown[] = {0, 1, 2, 3, 4};
            double sums[5];
            world->draw(world, &generator, shown, 5, 1, sums);
            assert_true(sums[0] == 0 && sums[1] == 1);
            for (int k = 2; k < 5; k++) {
                assert_true(sums[k] >= 0 && sums[k] <= 1);
            }
        }
        lotor_world_free(world);
    }
}

typedef struct interval {
    double low, high;
} interval;

static double interval_cdf(double x, const void *law)
{
    const interval *range = law;
    return x < range->low ? 0 : x > range->high ? 1 : (x - range->low) / (range->high - range->low);
}

TEST(uniform_arms_have_their_law)
{
    const double means[] = {0.3, 0.5, 0.8, 0, 1};
    static const interval ranges[] = {{0, 0.6}, {0, 1}, {0.6, 1}};
    static const interval wrong[] = {{0, 0.66}, {0.1, 1}, {0.56, 1}};
    lotor_world *world;
    assert_int_equal(lotor_world_uniform(5, means, NULL, &world), LOTOR_OK);
    assert_string_equal(world->id, "uniform");
    assert_false(world->is_binary);
    for (uint32_t arm = 0; arm < 3; arm++) {
        assert_true(kolmogorov_p(world, arm, interval_cdf, &ranges[arm]) > P_ACCEPT);
        assert_true(kolmogorov_p(world, arm, interval_cdf, &wrong[arm]) < P_ACCEPT);
    }
    lotor_generator generator;
    lotor_generator_seed(&generator, 2);
    double sums[2];
    world->draw(world, &generator, (const uint32_t[]){3, 4}, 2, 1, sums);
    assert_true(sums[0] == 0 && sums[1] == 1);
    lotor_world_free(world);
}

TEST(means_are_copied_and_checked)
{
    double means[] = {0.1, 0.2};
    lotor_message why;
    lotor_world *world;
    assert_int_equal(lotor_world_bernoulli(2, means, &why, &world), LOTOR_OK);
    means[0] = 0.9;
    assert_true(world->means[0] == 0.1 && world->means[1] == 0.2);
    lotor_world_free(world);

    const double bad[] = {-0x1p-1000, 1.5, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < LENGTH(bad); i++) {
        means[1] = bad[i];
        assert_int_equal(lotor_world_bernoulli(2, means, &why, &world), LOTOR_RANGE);
        assert_null(world);
        assert_says(&why, "mean of arm 1");
        assert_int_equal(lotor_world_uniform(2, means, &why, &world), LOTOR_RANGE);
        assert_int_equal(lotor_world_beta(2, means, 1, &why, &world), LOTOR_RANGE);
    }
    assert_int_equal(lotor_world_bernoulli(2, (const double[]){0.5, 1.5}, &why, &world),
                     LOTOR_RANGE);
    assert_string_equal(why.text,
                        "the mean of arm 1 (counted from 0) is 1.5; a mean lies in [0,1]");
    assert_int_equal(lotor_world_bernoulli(0, means, &why, &world), LOTOR_INVALID);
    assert_int_equal(lotor_world_bernoulli(SIZE_MAX, means, &why, &world), LOTOR_INVALID);
    assert_int_equal(lotor_world_bernoulli(2, NULL, &why, &world), LOTOR_INVALID);
    const double concentrations[] = {0, -1, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < LENGTH(concentrations); i++) {
        assert_int_equal(
            lotor_world_beta(1, (const double[]){0.5}, concentrations[i], &why, &world),
            LOTOR_RANGE);
        assert_says(&why, "concentration");
        assert_null(world);
    }
    lotor_world_free(NULL);
}

/* Instances ----------------------------------------------------------------------------------- */

/* By hand from the formulas in Sajed 2019, chapter 6. For K = 3 the middle arm has: linear
 * (0.75 + 0.25)/2; a(2-3)^2 + 0.25 with a = 0.5/4; 0.75 - 0.5/4. For K = 5 steps of 1/4: squares
 * 1/16, 4/16, 9/16 of 0.5 are 0.03125, 0.125, 0.28125. All are exact in binary but 0.7. The printed lists
 * are copied from the text of the chapter. */
TEST(instances_have_their_means)
{
    static const struct {
        const char *name;
        size_t arms;
        double means[5];
    } cases[] = {
        {"c1", 3, {0.75, 0.7, 0.7}},
        {"c1", 5, {0.75, 0.7, 0.7, 0.7, 0.7}},
        {"c2", 3, {0.75, 0.5, 0.25}},
        {"c2", 5, {0.75, 0.625, 0.5, 0.375, 0.25}},
        {"c3", 3, {0.75, 0.375, 0.25}},
        {"c3", 5, {0.75, 0.53125, 0.375, 0.28125, 0.25}},
        {"c4", 3, {0.75, 0.625, 0.25}},
        {"c4", 5, {0.75, 0.71875, 0.625, 0.46875, 0.25}},
        {"c4", 0, {0.75, 0.71875, 0.625, 0.46875, 0.25}},
        {"c2-printed", 0, {0.75, 0.525, 0.5, 0.375, 0.25}},
        {"c2-printed", 5, {0.75, 0.525, 0.5, 0.375, 0.25}},
        {"c4-printed", 0, {0.75, 0.71875, 0.525, 0.46875, 0.25}},
        {"c4-printed", 5, {0.75, 0.71875, 0.525, 0.46875, 0.25}},
        {"c3", 2, {0.75, 0.25}},
        {"c1", 2, {0.75, 0.7}},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        lotor_world *world;
        assert_int_equal(lotor_world_instance(cases[i].name, cases[i].arms, NULL, &world),
                         LOTOR_OK);
        assert_int_equal(world->arms, cases[i].arms ? cases[i].arms : 5);
        assert_memory_equal(world->means, cases[i].means, world->arms * sizeof(double));
        assert_true(world->is_binary);
        assert_null(world->vectors);
        lotor_world_free(world);
    }
}

TEST(instances_stay_between_their_ends)
{
    static const char *const names[] = {"c2", "c3", "c4"};
    for (size_t n = 0; n < LENGTH(names); n++) {
        for (size_t arms = 2; arms < 200; arms++) {
            lotor_world *world;
            assert_int_equal(lotor_world_instance(names[n], arms, NULL, &world), LOTOR_OK);
            assert_true(world->means[0] == 0.75 && world->means[arms - 1] == 0.25);
            for (size_t i = 1; i < arms; i++) {
                assert_true(world->means[i] < world->means[i - 1]);
            }
            lotor_world_free(world);
        }
    }
}

/* Chandak 2023, Table 6.1. */
TEST(table_has_its_vectors)
{
    static const double means[] = {0.80, 0.75, 0.60, 0.20, 0.30, 0.40, 0.70};
    static const int64_t vectors[7][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1},
                                          {0, 1, 1}, {2, 0, 0}, {0, 0, 0}};
    for (size_t arms = 0; arms <= 7; arms += 7) {
        lotor_world *world;
        assert_int_equal(lotor_world_instance("table-6.1", arms, NULL, &world), LOTOR_OK);
        assert_int_equal(world->arms, 7);
        assert_int_equal(world->dimension, 3);
        assert_true(world->is_binary);
        assert_memory_equal(world->means, means, sizeof means);
        assert_memory_equal(world->vectors, vectors, sizeof vectors);
        lotor_world_free(world);
    }
}

TEST(instances_refuse)
{
    lotor_message why;
    lotor_world *world;
    static const char *const unknown[] = {"",    "c5",    "C1",        "c",
                                          "c11", "table", "movielens", "\x1b[2J\n"};
    for (size_t i = 0; i < LENGTH(unknown); i++) {
        assert_int_equal(lotor_world_instance(unknown[i], 5, &why, &world), LOTOR_UNKNOWN);
        assert_null(world);
        assert_says(&why, "c1, c2, c3, c4, c2-printed, c4-printed, table-6.1");
        assert_null(strpbrk(why.text, "\x1b\n"));
    }
    assert_int_equal(lotor_world_instance("c1", 1, &why, &world), LOTOR_INVALID);
    assert_says(&why, "from 2 to");
    assert_int_equal(lotor_world_instance("c2", SIZE_MAX, &why, &world), LOTOR_INVALID);
    assert_int_equal(lotor_world_instance("table-6.1", 6, &why, &world), LOTOR_INVALID);
    assert_says(&why, "has 7 arms, not 6");
    static const char *const printed[] = {"c2-printed", "c4-printed"};
    for (size_t i = 0; i < LENGTH(printed); i++) {
        for (size_t arms = 1; arms < 30; arms++) {
            if (arms != 5) {
                assert_int_equal(lotor_world_instance(printed[i], arms, &why, &world),
                                 LOTOR_INVALID);
                assert_null(world);
            }
        }
        assert_says(&why, "has 5 arms, not 29: the paper prints no other list");
    }
    static const char *const unprinted[] = {"c1-printed", "c3-printed", "c2-print", "-printed"};
    for (size_t i = 0; i < LENGTH(unprinted); i++) {
        assert_int_equal(lotor_world_instance(unprinted[i], 5, &why, &world), LOTOR_UNKNOWN);
    }
    assert_int_equal(lotor_world_instance("movielens:/no/such/folder", 0, &why, &world),
                     LOTOR_UNKNOWN);
    assert_says(&why, "/no/such/folder/ratings.dat");
    assert_null(world);
}

/* Replay -------------------------------------------------------------------------------------- */

static lotor_status parse(const char *text, lotor_message *why, lotor_world **world)
{
    return lotor_world_replay_parse("log.csv", text, strlen(text), why, world);
}

TEST(replay_reads_a_log)
{
    lotor_world *world;
    assert_int_equal(parse("# clicks of May\r\n"
                           "2, 1\r\n"
                           "\n"
                           "0,0.5 # a comment\n"
                           "  2 ,0.25\n"
                           "1,.75\n"
                           "0,1e-1\n"
                           "2,1.000\n"
                           "1,25E-2\n"
                           "0,0",
                           NULL, &world),
                     LOTOR_OK);
    assert_string_equal(world->id, "replay");
    assert_int_equal(world->arms, 3);
    assert_false(world->is_binary);
    assert_true(world->means[0] == (0.5 + 0.1) / 3); /* 0.5, 0.1, 0 */
    assert_true(world->means[1] == 0.5);             /* 0.75, 0.25 */
    assert_true(world->means[2] == 0.75);            /* 1, 0.25, 1 */
    lotor_world_free(world);
}

/* A header, and propensities, which the bootstrap does not need. */
TEST(replay_reads_headers_and_propensities)
{
    lotor_world *world;
    assert_int_equal(parse("Arm, Reward, Propensity\n0,1,0.5\n1,0.25,.1\n", NULL, &world),
                     LOTOR_OK);
    assert_int_equal(world->arms, 2);
    assert_true(world->means[0] == 1 && world->means[1] == 0.25);
    lotor_world_free(world);
    assert_int_equal(parse("# May\narm,reward\n0,1\n0,0\n", NULL, &world), LOTOR_OK);
    assert_int_equal(world->arms, 1);
    assert_true(world->means[0] == 0.5);
    lotor_world_free(world);
}

static double replay_mass(int64_t value, const void *law) /* in tenths */
{
    const double *mass = law;
    return value >= 0 && value <= 10 ? mass[value] : 0;
}

TEST(replay_draws_each_reward_as_likely)
{
    static int64_t samples[SAMPLES];
    static const double mass[11] = {[0] = 0.5, [3] = 0.25, [10] = 0.25};
    static const double wrong[11] = {[0] = 0.475, [3] = 0.275, [10] = 0.25};
    lotor_world *world;
    lotor_generator generator;
    lotor_generator_seed(&generator, 23);
    assert_int_equal(parse("1,0\n0,0.9\n1,0.3\n1,0\n1,1\n", NULL, &world), LOTOR_OK);
    for (size_t i = 0; i < SAMPLES; i++) {
        double sums[2];
        world->draw(world, &generator, (const uint32_t[]){0, 1}, 2, 1, sums);
        assert_true(sums[0] == 0.9);
        samples[i] = (int64_t)(sums[1] * 10 + 0.5);
    }
    assert_true(chi_square_test(samples, SAMPLES, replay_mass, mass) > P_ACCEPT);
    assert_true(chi_square_test(samples, SAMPLES, replay_mass, wrong) < P_ACCEPT);
    lotor_world_free(world);
}

TEST(replay_of_clicks_is_binomial)
{
    lotor_world *world;
    assert_int_equal(parse("0,0\n1,1\n1,0\n2,1\n1,0\n1,0\n2,1\n", NULL, &world), LOTOR_OK);
    assert_true(world->is_binary);
    assert_true(world->means[0] == 0 && world->means[1] == 0.25 && world->means[2] == 1);
    for (uint64_t rounds = 1; rounds < 1000; rounds *= 9) {
        assert_true(block_p(world, 1, rounds, 0.25) > P_ACCEPT);
        assert_true(block_p(world, 1, rounds, 0.275) < P_ACCEPT);
    }
    lotor_world_free(world);
}

TEST(replay_refuses)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "no rewards"},
        {"\n\n \t\r\n", "no rewards"},
        {"# nothing\n", "no rewards"},
        {"0,1\nhello\n", "\"log.csv\", line 2: \"hello\": expected arm,reward"},
        {"0,1\n\n1;1", "line 3: \"1;1\""},
        {"0", "line 1"},
        {"0,", "line 1"},
        {",1", "line 1"},
        {"0,1,0", "line 1"},
        {"0,1,1.5", "line 1"},
        {"0,1,", "line 1"},
        {"0,1,1,1", "line 1"},
        {"0,1,1\n0,1\n", "line 2: \"0,1\": expected arm,reward"},
        {"0,1\n0,1,1\n", "line 2"},
        {"reward,arm\n1,0\n", "line 1"},
        {"arm,reward\narm,reward\n", "line 2"},
        {"arm,reward,propensity\n0,1\n", "line 2"},
        {"arm,reward\n", "no rewards"},
        {"0,1.01", "line 1"},
        {"0,-0.5", "line 1"},
        {"0,nan", "line 1"},
        {"0,inf", "line 1"},
        {"0,0x1p-1", "line 1"},
        {"0,1e", "line 1"},
        {"0,1e2", "line 1"},
        {"0,e-2", "line 1"},
        {"0,.", "line 1"},
        {"0,1..", "line 1"},
        {"0,1e-99999999999999999999", "line 1"},
        {"0,0.00000000000000000000000000000000000000000000000001", "line 1"},
        {"-1,1", "line 1"},
        {"16777216,1", "line 1"},
        {"99999999999999999999999,1", "line 1"},
        {"0 0,1", "line 1"},
        {"16777215,1", "names arm 16777215, but has only 1 rewards"},
        {"0,1\n2,1\n2,0\n", "no reward of arm 1, but of arm 2"},
        {"1,1\n1,1\n", "no reward of arm 0"},
        {"\x1b[31m,1\n", "\"\\x1b[31m,1\""},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        lotor_message why = {""};
        lotor_world *world = (lotor_world *)&why;
        assert_int_equal(parse(cases[i].text, &why, &world), LOTOR_INVALID);
        assert_null(world);
        assert_says(&why, cases[i].says);
    }
    lotor_world *world;
    lotor_message why;
    assert_int_equal(lotor_world_replay_parse("x", "0,1\n0\0,1\n", 9, &why, &world), LOTOR_INVALID);
    assert_says(&why, "line 2: \"0\\x00,1\"");
    assert_int_equal(lotor_world_replay("/no/such/log", &why, &world), LOTOR_UNKNOWN);
    assert_says(&why, "\"/no/such/log\" could not be read: No such file");
    assert_int_equal(lotor_world_replay("/", &why, &world), LOTOR_INVALID);
    assert_says(&why, "directory");
    assert_null(world);
}

/* For a long line and a long name, the message shows the beginning and the end of both. */
TEST(replay_shows_the_ends_of_what_is_long)
{
    char line[5001];
    memset(line, '\x80', sizeof line);
    memcpy(line + 4993, ",1 wrong", 8);
    lotor_message why;
    lotor_world *world;
    assert_int_equal(lotor_world_replay_parse("/a/very/long/name/that/goes/on/and/on/and/on/until/"
                                              "it/is/longer/than/what/fits/into/the/room/log.csv",
                                              line, sizeof line, &why, &world),
                     LOTOR_INVALID);
    assert_says(&why, "\"/a/very/long");
    assert_says(&why, "...");
    assert_says(&why, "room/log.csv\", line 1: \"\\x80\\x80");
    assert_says(&why, ",1 wrong\": expected arm,reward");
}

/* A file larger than the first read, so that the buffer grows. */
TEST(replay_reads_files)
{
    enum { LINES = 50000 };
    char name[] = "/tmp/lotor-replay-XXXXXX";
    const int descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    for (int i = 0; i < LINES; i++) {
        fprintf(file, "%d,%d\n", i % 10, i % 4 == 0);
    }
    assert_int_equal(fclose(file), 0);
    lotor_world *world;
    assert_int_equal(lotor_world_replay(name, NULL, &world), LOTOR_OK);
    unlink(name);
    assert_int_equal(world->arms, 10);
    for (size_t arm = 0; arm < 10; arm++) { /* i = arm modulo 10 and 0 modulo 4: even arms, half */
        assert_true(world->means[arm] == (arm % 2 ? 0 : 0.5));
    }
    lotor_world_free(world);
}

/* Memory -------------------------------------------------------------------------------------- */

static lotor_status make_any(int which, lotor_message *why, lotor_world **out)
{
    static const double means[] = {0.1, 0.2, 0.3};
    switch (which) {
    case 0:
        return lotor_world_bernoulli(3, means, why, out);
    case 1:
        return lotor_world_beta(3, means, 2, why, out);
    case 2:
        return lotor_world_uniform(3, means, why, out);
    case 3:
        return lotor_world_instance("c3", 100, why, out);
    case 4:
        return lotor_world_instance("table-6.1", 0, why, out);
    case 5:
        return lotor_world_gaussian(3, means, 0.1, why, out);
    case 6:
        return lotor_world_pareto(3, means, 2, why, out);
    case 7:
        return lotor_world_replay_parse("log", "0,1\n1,0.5\n", 10, why, out);
    default:
        return lotor_world_replay_parse("log", "0,1,1\n1,0.5,1\n", 14, why, out);
    }
}

TEST(every_allocation_can_fail)
{
    for (int which = 0; which < 9; which++) {
        expect_each_allocation(make_any, which, 1);
    }
}
