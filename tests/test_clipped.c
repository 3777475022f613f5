/* test_clipped.c - worlds whose rewards are clipped to [0,1]: Gaussian and Pareto arms. Their means
 * after clipping by hand and by simulation, and simulations that measure regret with them.
 *
 * Averages of SAMPLES draws agree with the exact numbers within five standard errors: with new seeds
 * a false alarm would come once in 1.7 million averages. The same averages reject numbers that are
 * 10% off.
 */
#include "support/test.h"

#include <lotor/simulate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/simulate.h"
#include "support/experiments.h"
#include "support/statistics.h"
#include "world/change.h"
#include "world/world.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static lotor_world *world_with(const char *rewards, size_t arms, const double *means)
{
    lotor_world *plain, *out;
    lotor_message why = {""};
    assert_int_equal(lotor_world_bernoulli(arms, means, NULL, &plain), LOTOR_OK);
    if (lotor_world_rewards(plain, rewards, 4, &why, &out) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    lotor_world_free(plain);
    return out;
}

/* Pareto of shape 2 and mean m: the least reward is m/2, a share of (m/2)^2 is above 1, and clipping
 * takes (m/2)^2 from the mean. */
TEST(pareto_by_hand)
{
    const double means[] = {0.5, 1, 0, 0.2};
    lotor_world *world = world_with("pareto:2", 4, means);
    assert_string_equal(world->id, "pareto");
    assert_false(world->is_binary);
    assert_true(world->targets[0] == 0.5 && world->targets[1] == 1);
    assert_true(fabs(world->means[0] - 0.4375) < 1e-15);
    assert_true(fabs(world->means[1] - 0.75) < 1e-15);
    assert_true(world->means[2] == 0);
    assert_true(fabs(world->means[3] - 0.19) < 1e-15);
    assert_true(fabs(world->clipped - 0.25) < 1e-15);
    lotor_world_free(world);
}

/* Gaussian of standard deviation 1: at mean 0 half of the rewards are below 0, and Phi(-1) = 0.158655
 * above 1; the mean is phi(0) - (phi(1) - Phi(-1)) = 0.398942 - 0.241971 + 0.158655. At mean 1/2
 * clipping is symmetric. A tiny standard deviation clips nothing inside. */
TEST(gaussian_by_hand)
{
    lotor_world *world = world_with("gaussian:1", 3, (const double[]){0, 0.5, 1});
    assert_string_equal(world->id, "gaussian");
    assert_true(fabs(world->means[0] - 0.315627) < 1e-6);
    assert_true(fabs(world->means[1] - 0.5) < 1e-15);
    assert_true(fabs(world->means[2] - (1 - world->means[0])) < 1e-15);
    assert_true(fabs(world->clipped - 0.658655) < 1e-6);
    lotor_world_free(world);
    world = world_with("gaussian:1e-6", 2, (const double[]){0.3, 0.7});
    assert_true(fabs(world->means[0] - 0.3) < 1e-12 && fabs(world->means[1] - 0.7) < 1e-12);
    assert_true(world->clipped == 0);
    lotor_world_free(world);
    world = world_with("gaussian", 1, (const double[]){0}); /* 0.1: half is clipped */
    assert_true(fabs(world->means[0] - 0.1 * 0.39894228) < 1e-9);
    assert_true(fabs(world->clipped - 0.5) < 1e-9);
    lotor_world_free(world);
}

static bool agrees(double average, double exact, double deviation)
{
    return fabs(average - exact) <= 5 * deviation / sqrt(SAMPLES);
}

/* The mean of what is paid, and the share of zeros and ones. */
static void expect_law(const char *rewards, double target)
{
    lotor_world *world = world_with(rewards, 2, (const double[]){target, target});
    lotor_generator generator;
    lotor_generator_seed(&generator, 23);
    double sum = 0, squares = 0;
    size_t ends = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        double reward;
        const uint32_t arm = i % 2;
        world->draw(world, &generator, &arm, 1, 1, &reward);
        assert_true(reward >= 0 && reward <= 1);
        sum += reward;
        squares += reward * reward;
        ends += reward == 0 || reward == 1;
    }
    const double mean = sum / (double)SAMPLES;
    const double deviation = sqrt(squares / (double)SAMPLES - mean * mean);
    const double share = (double)ends / (double)SAMPLES;
    const double clipped = world->clipped;
    assert_true(agrees(mean, world->means[0], deviation));
    assert_false(agrees(mean, 1.1 * world->means[0], deviation));
    assert_true(agrees(share, clipped, sqrt(clipped * (1 - clipped))));
    if (clipped > 0.01) {
        assert_false(agrees(share, 1.1 * clipped, sqrt(clipped * (1 - clipped))));
    }
    lotor_world_free(world);
}

TEST(means_after_clipping_are_exact)
{
    static const char *const laws[] = {"gaussian:0.1", "gaussian:0.5", "gaussian:1", "pareto",
                                       "pareto:1.2",   "pareto:2",     "pareto:10"};
    static const double targets[] = {0.02, 0.3, 0.5, 0.95};
    for (size_t i = 0; i < LENGTH(laws); i++) {
        for (size_t j = 0; j < LENGTH(targets); j++) {
            expect_law(laws[i], targets[j]);
        }
    }
}

static double gaussian_cdf(double x, const void *law)
{
    const double *at = law; /* mean, standard deviation */
    return 0.5 * erfc((at[0] - x) / at[1] / sqrt(2));
}

static double pareto_cdf(double x, const void *law)
{
    const double *at = law; /* least value, shape */
    return x < at[0] ? 0 : 1 - pow(at[0] / x, at[1]);
}

/* Inside (0,1) nothing is clipped: arms that are far from both ends have their law. */
static double law_p(const char *rewards, double target, distribution_function *cdf,
                    const double *law)
{
    static double samples[SAMPLES];
    lotor_world *world = world_with(rewards, 1, &target);
    lotor_generator generator;
    lotor_generator_seed(&generator, 29);
    for (size_t i = 0; i < SAMPLES; i++) {
        const uint32_t arm = 0;
        world->draw(world, &generator, &arm, 1, 1, &samples[i]);
    }
    lotor_world_free(world);
    return kolmogorov_test(samples, SAMPLES, cdf, law);
}

TEST(laws_inside)
{
    static const double gaussian[] = {0.5, 0.05}, wide[] = {0.5, 0.055};
    assert_true(law_p("gaussian:0.05", 0.5, gaussian_cdf, gaussian) > P_ACCEPT);
    assert_true(law_p("gaussian:0.05", 0.5, gaussian_cdf, wide) < P_ACCEPT);
    static const double pareto[] = {0.09, 10}, heavy[] = {0.09, 9};
    assert_true(law_p("pareto:10", 0.1, pareto_cdf, pareto) > P_ACCEPT);
    assert_true(law_p("pareto:10", 0.1, pareto_cdf, heavy) < P_ACCEPT);
}

/* The means before clipping change, and each piece is clipped again. */
TEST(worlds_that_change)
{
    lotor_world *world = world_with("pareto:2", 2, (const double[]){0.5, 1});
    lotor_change change;
    lotor_changing_world changing;
    assert_int_equal(lotor_change_read("swaps:2", NULL, &change), LOTOR_OK);
    assert_int_equal(lotor_changing_world_make(world, &change, 10, 1, NULL, &changing), LOTOR_OK);
    assert_int_equal(changing.count, 2);
    assert_true(changing.pieces[1].world->targets[0] == 1);
    assert_true(fabs(changing.pieces[1].world->means[0] - 0.75) < 1e-15);
    assert_true(fabs(changing.pieces[1].world->means[1] - 0.4375) < 1e-15);
    lotor_changing_world_clear(&changing);
    lotor_world_free(world);
}

/* Regret is against the best mean after clipping: of shape 2, the mean 1 becomes 0.75. */
TEST(regret_uses_the_means_after_clipping)
{
    static const double means[] = {0.9, 1};
    const lotor_simulate_params params = {.policy = {.algorithm = "ucb", .arms = 2, .horizon = 2},
                                          .means = means,
                                          .rewards = "pareto:2",
                                          .runs = 2,
                                          .seed = 5};
    lotor_simulate_result *result;
    lotor_message why = {""};
    assert_int_equal(lotor_simulate_run(&params, &why, &result), LOTOR_OK);
    assert_true(fabs(result->best_per_round - 0.75) < 1e-12);
    /* two rounds show each arm once: 0.9 - 0.45^2 is lost against 0.75 */
    assert_true(fabs(result->regret - (0.75 - 0.6975)) < 1e-12);
    assert_true(fabs(result->clipped_share - 0.25) < 1e-12);
    assert_true(isnan(result->lower_bound)); /* nothing is proved for such rewards */
    lotor_simulate_free(result);
}

/* With and without shortcuts: means of 300 runs agree within five standard errors. */
TEST(shortcuts_keep_the_law)
{
    static const char *const laws[] = {"gaussian:0.3", "pareto:1.5"};
    static const char *const ids[] = {"batch-klucb", "dp-se", "ucb", "rr-imed", "dp-ucb"};
    for (size_t l = 0; l < LENGTH(laws); l++) {
        lotor_world *world = world_with(laws[l], 3, (const double[]){0.2, 0.4, 0.7});
        for (size_t i = 0; i < LENGTH(ids); i++) {
            lotor_experiment trial = experiment_of(world, ids[i], 2000, 300);
            lotor_experiment_result fast = simulate(&trial);
            trial.exact_rounds = true;
            trial.seed = 4;
            lotor_experiment_result slow = simulate(&trial);
            const double error = hypot(fast.regret_stderr, slow.regret_stderr);
            if (!(fabs(fast.regret_mean - slow.regret_mean) <= 5 * error + 1e-6)) {
                fail_msg("%s, %s: %g and %g", ids[i], laws[l], fast.regret_mean, slow.regret_mean);
            }
            lotor_experiment_result_free(&fast);
            lotor_experiment_result_free(&slow);
        }
        lotor_world_free(world);
    }
}

TEST(refusals)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"gold", "rewards \"gold\": choose from bernoulli, beta, uniform, gaussian:S"},
        {"", "choose from"},
        {"gaussian:", "choose from"},
        {"gaussian:x", "choose from"},
        {"gaussian:-0.1", "choose from"},
        {"gaussian:nan", "choose from"},
        {"gaussian:inf", "choose from"},
        {"gaussian:1e999", "choose from"},
        {"uniform:1", "choose from"},
        {"beta:", "choose from"},
        {"gaussians", "choose from"},
        {"gaussian:0", "between 1e-06 and 1, not 0"},
        {"gaussian:1.5", "between 1e-06 and 1, not 1.5"},
        {"pareto:1", "between 1.01 and 1000, not 1:"},
        {"pareto:1e9", "between 1.01 and 1000, not 1000000000"},
    };
    lotor_world *plain, *world;
    assert_int_equal(lotor_world_bernoulli(1, (const double[]){0.5}, NULL, &plain), LOTOR_OK);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        lotor_message why = {""};
        assert_int_not_equal(lotor_world_rewards(plain, cases[i].text, 4, &why, &world), LOTOR_OK);
        assert_null(world);
        assert_non_null(strstr(why.text, "rewards "));
        if (!strstr(why.text, cases[i].says)) {
            fail_msg("%s: %s", cases[i].text, why.text);
        }
    }
    lotor_world_free(plain);
    const double means[] = {0.5, (double)NAN};
    lotor_message why = {""};
    assert_int_equal(lotor_world_gaussian(2, means, 0.1, &why, &world), LOTOR_RANGE);
    assert_null(world);
    assert_int_equal(lotor_world_pareto(2, means, 2, &why, &world), LOTOR_RANGE);
    assert_int_equal(lotor_world_gaussian(2, means, (double)NAN, &why, &world), LOTOR_RANGE);
    assert_int_equal(lotor_world_pareto(2, means, (double)NAN, &why, &world), LOTOR_RANGE);
    assert_null(world);
}
