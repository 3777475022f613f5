/* test_expiry.c - rounds that become final without feedback: which share loses it, by hand and drawn,
 * and what learners make of it.
 *
 * With a default reward of 0, a learner that gets one reward a round can't tell a world of means m
 * where a share p of the feedback is lost from a world of means m (1 - p). It shows the same arms, so
 * its regret with the true gaps is 1/(1 - p) times that with the smaller gaps.
 */
#include "support/test.h"

#include <lotor/simulate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/expiry.h"
#include "policy/catalog.h"
#include "support/experiments.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static lotor_simulate_params asked(const char *delay, uint64_t expiry, double missing)
{
    return (lotor_simulate_params){
        .delay = delay, .has_expiry = true, .expiry = expiry, .missing = missing};
}

static double lost_of(const char *text, uint64_t expiry, double missing)
{
    const lotor_simulate_params params = asked(text, expiry, missing);
    lotor_message why = {""};
    lotor_delay delay;
    double lost;
    if (lotor_expiry_read(&params, &why, &delay, &lost) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    assert_int_equal(delay.law, LOTOR_DELAY_FIXED);
    assert_int_equal(delay.most, expiry);
    return lost;
}

/* --- the lost share ----------------------------------------------------------------------------- */

TEST(shares_by_hand)
{
    assert_true(lost_of(NULL, 0, 0) == 0);
    assert_true(lost_of(NULL, 0, 0.25) == 0.25);
    assert_true(lost_of("10", 10, 0.5) == 0.5);
    assert_true(lost_of("11", 10, 0.5) == 1);
    assert_true(fabs(lost_of("uniform:1-4", 3, 0) - 0.25) < 1e-15);
    assert_true(fabs(lost_of("uniform:1-4", 1, 0.5) - 0.875) < 1e-15);
    assert_true(lost_of("uniform:1-4", 0, 0) == 1 && lost_of("uniform:1-4", 4, 0) == 0);
    assert_true(fabs(lost_of("geometric:1", 2, 0) - 0.125) < 1e-15); /* a delay of 3 or more */
    assert_true(lost_of("geometric:0", 0, 0) == 0);
    assert_true(fabs(lost_of("pareto:10:2", 9, 0) - 0.25) < 1e-15); /* 10 or more: (1 + 1)^-2 */
    assert_true(fabs(lost_of("list:0=0.5,10=0.3,1e3=0.2", 9, 0) - 0.5) < 1e-15);
    assert_true(fabs(lost_of("list:0=0.5,10=0.3,1e3=0.2", 10, 0) - 0.2) < 1e-15);
    assert_true(lost_of("list:0=0.5,10=0.3,1e3=0.2", 1000, 0) == 0);
}

/* Of 40,000 delays, the share of those beyond the expiry is within five standard errors (a false
 * alarm once in 1.7 million); 10% more is not. */
TEST(drawn_delays_have_these_shares)
{
    enum { DRAWS = 40000 };
    static const struct {
        const char *text;
        uint64_t expiry;
    } cases[] = {{"uniform:3-20", 7},      {"geometric:30", 25}, {"pareto:10:0.5", 50},
                 {"pareto:100:1.5", 100},  {"pareto:1:3", 0},    {"list:0=0.5,10=0.3,1e3=0.2", 9},
                 {"list:7=0.25,3=0.75", 3}};
    for (size_t c = 0; c < LENGTH(cases); c++) {
        const double share = lost_of(cases[c].text, cases[c].expiry, 0);
        lotor_delay delay;
        assert_int_equal(lotor_delay_read(cases[c].text, NULL, &delay), LOTOR_OK);
        size_t late = 0;
        for (uint64_t seed = 0; seed < DRAWS; seed++) {
            lotor_delay_queue queue = lotor_delay_queue_of(&delay, UINT64_MAX / 2, seed);
            const lotor_delayed_rounds one = {.rounds = 1};
            assert_int_equal(lotor_delay_queue_add(&queue, one), LOTOR_OK);
            late += queue.final - 1 > cases[c].expiry;
            lotor_delay_queue_free(&queue);
        }
        const double error = sqrt(share * (1 - share) / (double)DRAWS);
        const double off = fabs((double)late / (double)DRAWS - share);
        if (!(off <= 5 * error)) {
            fail_msg("%s: %g, not %g", cases[c].text, (double)late / (double)DRAWS, share);
        }
        assert_true(fabs((double)late / (double)DRAWS - 1.1 * share) > 5 * error);
    }
}

TEST(losses_are_drawn)
{
    lotor_losses none = lotor_losses_of(0, 1), all = lotor_losses_of(1, 1);
    const lotor_generator before = none.generator;
    assert_int_equal(lotor_losses_draw(&none, 1000), 0);
    assert_memory_equal(&before, &none.generator, sizeof before);
    assert_int_equal(lotor_losses_draw(&all, 1), 1);
    assert_int_equal(lotor_losses_draw(&all, 1000), 1000);
    /* one by one, and many at once: 400,000 rounds, within five standard errors of 0.3 */
    lotor_losses some = lotor_losses_of(0.3, 2);
    uint64_t single = 0;
    for (int i = 0; i < 400000; i++) {
        single += lotor_losses_draw(&some, 1);
    }
    const uint64_t together = lotor_losses_draw(&some, 400000);
    assert_true(fabs((double)single - 120000) < 5 * sqrt(400000 * 0.21));
    assert_true(fabs((double)together - 120000) < 5 * sqrt(400000 * 0.21));
}

TEST(refusals)
{
    static const struct {
        lotor_simulate_params params;
        const char *says;
    } cases[] = {
        {{.missing = 0.1}, "missing 0.1: the first round without feedback would hold up"},
        {{.missing = -0.1, .has_expiry = true}, "missing -0.1: expected the share"},
        {{.missing = 1.5, .has_expiry = true}, "missing 1.5: expected the share"},
        {{.missing = (double)NAN, .has_expiry = true}, "missing"},
        {{.has_expiry = true, .expiry = UINT64_MAX}, "expiry 18446744073709551615: expected"},
        {{.delay = "list:", .has_expiry = true}, "delay \"list:\""},
        {{.delay = "list:0=0.5"}, "add up to 1"},
        {{.delay = "list:0=0.5,1=0.6"}, "add up to 1"},
        {{.delay = "list:0=0.5,1=0.5,"}, "delay"},
        {{.delay = "list:0=nan,1=1"}, "delay"},
        {{.delay = "list:x=1"}, "delay"},
        {{.delay = "pareto:10"}, "delay"},
        {{.delay = "pareto:0:1"}, "delay"},
        {{.delay = "pareto:10:0"}, "delay"},
        {{.delay = "pareto:10:1e9"}, "delay"},
        {{.delay = "pareto:10:"}, "delay"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        lotor_message why = {""};
        lotor_delay delay;
        double lost;
        assert_int_equal(lotor_expiry_read(&cases[i].params, &why, &delay, &lost), LOTOR_INVALID);
        if (!strstr(why.text, cases[i].says)) {
            fail_msg("%zu: %s", i, why.text);
        }
    }
    char many[400] = "list:0=1"; /* 33 delays */
    for (int i = 0; i < 32; i++) {
        const size_t length = strlen(many);
        snprintf(many + length, sizeof many - length, ",1=0");
    }
    lotor_delay delay;
    assert_int_equal(lotor_delay_read(many, NULL, &delay), LOTOR_INVALID);
    many[strlen(many) - 4] = '\0';
    assert_int_equal(lotor_delay_read(many, NULL, &delay), LOTOR_OK);
}

/* --- effect on learners ------------------------------------------------------------------------- */

static void expect_close(const char *what, const char *id, double one, double other, double error)
{
    if (!(fabs(one - other) <= 5 * error + 1e-6)) {
        fail_msg("%s, %s: %g and %g, standard error %g", what, id, one, other, error);
    }
}

/* Lost feedback looks like smaller means: of 200 runs, within five standard errors. All algorithms
 * for one arm, with and without delay, and with and without shortcuts. */
static void expect_smaller_means(const char *id, uint64_t expiry)
{
    static const double means[] = {0.75, 0.5, 0.25}, smaller[] = {0.45, 0.3, 0.15};
    lotor_world *world, *thin;
    assert_int_equal(lotor_world_bernoulli(3, means, NULL, &world), LOTOR_OK);
    assert_int_equal(lotor_world_bernoulli(3, smaller, NULL, &thin), LOTOR_OK);
    lotor_experiment trial = experiment_of(world, id, 1500, 200);
    trial.lost = 0.4;
    trial.delay = (lotor_delay){.most = expiry};
    lotor_experiment_result fast = simulate(&trial);
    trial.exact_rounds = true;
    trial.seed = 4;
    lotor_experiment_result slow = simulate(&trial);
    lotor_experiment plain = experiment_of(thin, id, 1500, 200);
    plain.delay = trial.delay;
    plain.seed = 9;
    lotor_experiment_result other = simulate(&plain);
    expect_close("shortcuts", id, fast.regret_mean, slow.regret_mean,
                 hypot(fast.regret_stderr, slow.regret_stderr));
    expect_close("smaller means", id, 0.6 * fast.regret_mean, other.regret_mean,
                 hypot(0.6 * fast.regret_stderr, other.regret_stderr));
    lotor_experiment_result_free(&fast);
    lotor_experiment_result_free(&slow);
    lotor_experiment_result_free(&other);
    lotor_world_free(world);
    lotor_world_free(thin);
}

TEST(lost_feedback_looks_like_smaller_means)
{
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const lotor_algorithm *row = &lotor_algorithms[c];
        if (lotor_algorithm_plays(row, LOTOR_PROBLEM_FINITE) && !row->starts_exact) {
            expect_smaller_means(row->id, c % 2 == 0 ? 0 : 30);
        }
    }
}

/* Sets of arms lose their feedback together; a cascade hears no click. With and without shortcuts. */
TEST(shortcuts_keep_the_law_of_sets)
{
    static const char *const ids[] = {"omm", "cts", "cucb", "cascade-ucb", "lik-imed", "rr-imed"};
    static const double means[] = {0.8, 0.2, 0.6, 0.4};
    for (size_t i = 0; i < LENGTH(ids); i++) {
        lotor_world *world;
        assert_int_equal(lotor_world_bernoulli(4, means, NULL, &world), LOTOR_OK);
        lotor_experiment trial = experiment_of(world, ids[i], 600, 300);
        trial.policy.slots = 2;
        trial.policy.cascade = strcmp(ids[i], "cascade-ucb") == 0;
        trial.lost = 0.3;
        lotor_experiment_result fast = simulate(&trial);
        trial.exact_rounds = true;
        trial.seed = 4;
        lotor_experiment_result slow = simulate(&trial);
        expect_close("sets", ids[i], fast.regret_mean, slow.regret_mean,
                     hypot(fast.regret_stderr, slow.regret_stderr));
        lotor_experiment_result_free(&fast);
        lotor_experiment_result_free(&slow);
        lotor_world_free(world);
    }
}

/* The default reward counts, whatever it is: if everything is lost and the default is 1, ucb sees only
 * ones, and shows the two arms equally often. */
TEST(the_default_reward_counts)
{
    static const double means[] = {0.9, 0.1};
    lotor_world *world;
    assert_int_equal(lotor_world_bernoulli(2, means, NULL, &world), LOTOR_OK);
    lotor_experiment trial = experiment_of(world, "ucb", 1000, 4);
    trial.lost = 1;
    trial.policy.default_reward = 1;
    for (int exact = 0; exact < 2; exact++) {
        trial.exact_rounds = exact == 1;
        lotor_experiment_result result = simulate(&trial);
        assert_true(fabs(result.regret_mean - 400) < 1);
        lotor_experiment_result_free(&result);
    }
    lotor_world_free(world);
}

/* A linear learner whose feedback is all lost learns nothing. */
TEST(linear_learners_lose_feedback)
{
    lotor_linear_world world;
    assert_int_equal(lotor_linear_world_make(3, 6, 0.2, NULL, &world), LOTOR_OK);
    lotor_experiment trial = linear_experiment(&world, "linucb", 2000, 5);
    lotor_experiment_result all = simulate(&trial);
    trial.lost = 0.5;
    lotor_experiment_result half = simulate(&trial);
    trial.lost = 1;
    lotor_experiment_result none = simulate(&trial);
    assert_true(all.regret_mean < half.regret_mean && half.regret_mean < none.regret_mean);
    lotor_experiment_result_free(&all);
    lotor_experiment_result_free(&half);
    lotor_experiment_result_free(&none);
}

/* The public fields reach the experiment; threads change nothing. */
TEST(public_fields)
{
    static const double means[] = {0.7, 0.4};
    lotor_simulate_params params = {.policy = {.algorithm = "lik-imed", .arms = 2, .horizon = 5000},
                                    .means = means,
                                    .delay = "geometric:1",
                                    .has_expiry = true,
                                    .expiry = 2,
                                    .missing = 0.2,
                                    .runs = 6,
                                    .seed = 3,
                                    .threads = 1};
    lotor_message why = {""};
    lotor_simulate_result *one, *three;
    assert_int_equal(lotor_simulate_run(&params, &why, &one), LOTOR_OK);
    params.threads = 3;
    assert_int_equal(lotor_simulate_run(&params, &why, &three), LOTOR_OK);
    assert_true(fabs(one->lost_share - 0.3) < 1e-15); /* 0.2 + 0.8/8 */
    assert_int_equal(one->point_count, three->point_count);
    for (size_t i = 0; i < one->point_count; i++) {
        assert_true(one->points[i].regret == three->points[i].regret);
    }
    lotor_simulate_free(one);
    lotor_simulate_free(three);
    params.has_expiry = false;
    lotor_simulate_result *none;
    assert_int_equal(lotor_simulate_run(&params, &why, &none), LOTOR_INVALID);
    assert_null(none);
    assert_non_null(strstr(why.text, "give an expiry"));
}
