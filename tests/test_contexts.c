/* test_contexts.c - Shariff and Sheffet 2018, Claim 13: what plain privacy costs with contexts. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/contexts.h"
#include "papers/reproduce_plan.h"

/* All pairs of error probabilities on a grid that (epsilon, delta)-privacy allows: the wrong arm is
 * never rarer than the bound, and the bound is reached where both probabilities are equal to it. */
TEST(the_bound_is_the_least_that_privacy_allows)
{
    enum { STEPS = 400 };
    static const struct {
        double epsilon, delta;
    } cases[] = {{0.69, 0.1}, {0.69, 0}, {0.1, 0.24}, {2, 0.01}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double factor = exp(cases[k].epsilon), delta = cases[k].delta;
        const double bound = lotor_contexts_least(cases[k].epsilon, delta);
        double least = 1.0;
        for (int i = 0; i <= STEPS; i++) {
            for (int j = 0; j <= STEPS; j++) {
                const double e0 = (double)i / (double)STEPS, e1 = (double)j / (double)STEPS;
                const bool is_private =
                    1 - e0 <= factor * e1 + delta && e1 <= factor * (1 - e0) + delta &&
                    1 - e1 <= factor * e0 + delta && e0 <= factor * (1 - e1) + delta;
                least = is_private ? fmin(least, (e0 + e1) / 2) : least;
            }
        }
        assert_true(least >= bound - 1e-12);
        assert_true(least <= bound + 2.0 / (double)STEPS);
    }
    /* The claim: more than a constant, for all epsilon < log 2 and delta < 1/4. */
    assert_true(fabs(lotor_contexts_least(log(2.0), 0.25) - 0.25) < 1e-12);
}

static lotor_run_randomness streams_of(uint64_t seed)
{
    lotor_run_randomness streams = {.choices = seed};
    lotor_generator_seed(&streams.world, seed);
    lotor_generator_seed(&streams.noise, seed + 1000);
    return streams;
}

static double regret_of(const char *algorithm, double flip, double rounds)
{
    lotor_contexts asked = {.policy = {.algorithm = algorithm, .horizon = (uint64_t)rounds},
                            .flip = flip};
    if (strcmp(algorithm, "linucb") != 0) {
        asked.policy.epsilon = lotor_ratio_of(69, 100);
        asked.policy.delta = lotor_ratio_of(1, 10);
    }
    const lotor_run_randomness streams = streams_of(5);
    lotor_message why = {""};
    double regret;
    if (lotor_contexts_run(&asked, &streams, &rounds, 1, &why, &regret) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return regret;
}

/* Once linucb has learnt, a round of randomized response costs exactly 1/(1 + e^epsilon). Where linucb
 * loses 1, randomized response loses 1 - flip in place of flip: linear in linucb's own regret. */
TEST(randomized_response_pays_in_every_round)
{
    const double flip = lotor_contexts_flip(0.69), rounds = 20000;
    const double plain = regret_of("linucb", 0, rounds);
    const double respond = regret_of("linucb", flip, rounds);
    assert_true(plain < 50);
    assert_true(fabs(respond - (rounds * flip + plain * (1 - 2 * flip))) < 1e-6);
    assert_true(respond > rounds * lotor_contexts_least(0.69, 0.1));
}

/* Joint privacy: 100,000 rounds cost less than plain privacy does in 1,000. */
TEST(joint_privacy_does_not)
{
    static const char *const algorithms[] = {"jdp-batch", "jdp-linucb"};
    for (size_t i = 0; i < 2; i++) {
        const double regret = regret_of(algorithms[i], 0, 100000);
        assert_true(regret > 0 && regret < 1000 * lotor_contexts_least(0.69, 0.1));
    }
}

/* --- the figure --- */

static lotor_figure short_figure(void)
{
    lotor_figure figure = *lotor_figure_find("shariff-claim-13");
    figure.quick_horizon = 2000;
    return figure;
}

TEST(it_is_kept_and_the_same)
{
    for (uint64_t runs = 1; runs < 3; runs++) {
        lotor_figure figure = short_figure();
        figure.quick_runs = runs;
        const lotor_reproduction how = {.is_quick = true, .seed = 7, .threads = 2, .scratch = "."};
        char file[] = "contextsXXXXXX";
        const int handle = mkstemp(file);
        assert_true(handle >= 0);
        assert_int_equal(close(handle), 0);
        lotor_figure_result played, back;
        lotor_message why = {""};
        assert_int_equal(lotor_figure_play(&figure, &how, &why, &played), LOTOR_OK);
        assert_int_equal(lotor_figure_result_write(&played, file, &why), LOTOR_OK);
        if (lotor_figure_result_read(&figure, &how, file, &why, &back) != LOTOR_OK) {
            fail_msg("%s", why.text);
        }
        for (size_t i = 0; i < figure.curve_count; i++) {
            const lotor_series *one = &played.panels[0].series[i],
                               *other = &back.panels[0].series[i];
            assert_int_equal(one->count, other->count);
            for (size_t k = 0; k < one->count; k++) {
                assert_true(one->points[k].mean == other->points[k].mean);
            }
        }
        lotor_figure_result_clear(&played);
        lotor_figure_result_clear(&back);
        assert_int_equal(unlink(file), 0);
    }
}

static bool stop(void *context, double share)
{
    double *most = context;
    *most = fmax(*most, share);
    return share > 0.3;
}

TEST(it_can_be_stopped)
{
    lotor_figure figure = short_figure();
    double most = 0;
    const lotor_reproduction how = {.is_quick = true,
                                    .seed = 7,
                                    .threads = 1,
                                    .scratch = ".",
                                    .progress = stop,
                                    .context = &most};
    lotor_figure_result played;
    lotor_message why = {""};
    assert_int_equal(lotor_figure_play(&figure, &how, &why, &played), LOTOR_STOPPED);
    assert_true(most > 0.3 && most < 1.0);
    lotor_figure_result_clear(&played);
}

TEST(other_figures_are_refused)
{
    lotor_figure figure = short_figure();
    const lotor_reproduction how = {.is_quick = true, .seed = 7, .threads = 1, .scratch = "."};
    lotor_figure_result played;
    lotor_message why = {""};
    figure.measure = LOTOR_MEASURE_RETURN;
    assert_int_equal(lotor_figure_play(&figure, &how, &why, &played), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "two contexts are for regret over the rounds"));
    lotor_figure_result_clear(&played);
}
