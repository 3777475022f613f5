/* test_stopping.c - stopping rules stop when their formulas say, and estimate correctly. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "base/random/laws.h"
#include "privacy/noise/noise.h"
#include "privacy/release/stopping.h"
#include "support/draw.h"
#include "support/test_source.h"

static test_source source, twin;

static lotor_stopping *rule_of(const char *id, double alpha, double beta, lotor_ratio epsilon,
                               double range)
{
    const lotor_stopping_params params = {id, alpha, beta, epsilon, range};
    lotor_stopping *rule;
    lotor_message why;
    assert_int_equal(lotor_stopping_new_on(&params, &source.source, &why, &rule), LOTOR_OK);
    return rule;
}

/* Feeds one constant until the rule stops; returns the number of samples. */
static uint64_t feed(lotor_stopping *rule, double sample)
{
    bool stopped = false;
    for (int i = 0; i < 10000000 && !stopped; i++) {
        assert_int_equal(lotor_stopping_add(rule, sample, NULL, &stopped), LOTOR_OK);
    }
    assert_true(stopped);
    return lotor_stopping_sample_count(rule);
}

/* Samples that are all 1 with R = 1: the mean is 1 at every t, so the rule stops at the first t
 * with H_t (1 + 1/alpha) <= 1. At alpha = beta = 1/2 (factor 3), solved without this code:
 *   nas          sqrt(2 log(8 t^2) / t) <= 1/3:      t = 234
 *   nas-printed  sqrt(log(8 t^2) / (2t)) <= 1/3:     t = 44
 *   dp-nas       sqrt(2 log(32 t^2) / t) <= 1/3:     t = 263   (no noise: epsilon = infinity)
 *   dp-exp-nas   at t = 2^k, log(32 k^2):            t = 256   (k = 8: sqrt(2*7.62/256) = 0.244) */
TEST(constant_samples_stop_on_time)
{
    const struct {
        const char *id;
        uint64_t samples;
    } cases[] = {{"nas", 234}, {"nas-printed", 44}, {"dp-nas", 263}, {"dp-exp-nas", 256}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_source_seed(&source, 1);
        lotor_stopping *rule = rule_of(cases[i].id, 0.5, 0.5, lotor_ratio_of(1, 0), 1.0);
        double estimate;
        assert_int_equal(lotor_stopping_estimate(rule, &estimate), LOTOR_UNFINISHED);
        assert_int_equal(feed(rule, 1.0), cases[i].samples);
        assert_int_equal(lotor_stopping_estimate(rule, &estimate), LOTOR_OK);
        assert_true(estimate == 1.0);
        bool stopped;
        assert_int_equal(lotor_stopping_add(rule, 1.0, NULL, &stopped), LOTOR_RELEASED);
        assert_true(stopped);
        lotor_stopping_free(rule);
    }
}

/* dp-nas with noise predicted by a second source: Algorithm 7 written out in doubles. Order of
 * draws: B; then at each t the estimate's noise L and the query's noise A. Scales at R = 2, epsilon
 * = 1: 12R = 24 and 4R = 8, in units of 2^-20. */
TEST(dp_nas_is_algorithm_7)
{
    const double alpha = 0.5, beta = 0.1, range = 2.0, unit = 0x1p-20;
    for (uint64_t seed = 10; seed < 20; seed++) {
        test_source_seed(&source, seed);
        test_source_seed(&twin, seed);
        lotor_noise noise = lotor_noise_exact(&twin.source);
        int64_t b, l = 0, a;
        assert_int_equal(draw_noise(&noise, LOTOR_LAW_LAPLACE, 24 << 20, 1, &b), LOTOR_OK);
        uint64_t t = 0;
        for (bool stop = false; !stop;) {
            t++;
            assert_int_equal(draw_noise(&noise, LOTOR_LAW_LAPLACE, 8 << 20, 1, &l), LOTOR_OK);
            assert_int_equal(draw_noise(&noise, LOTOR_LAW_LAPLACE, 24 << 20, 1, &a), LOTOR_OK);
            const double td = (double)t;
            const double h = range * sqrt(2.0 / td * log(16.0 * td * td / beta));
            const double c = 24.0 * log(4.0 / beta) + 24.0 * log(8.0 * td * td / beta) +
                             8.0 / alpha * log(4.0 / beta);
            /* |mean| >= h (1 + 1/alpha) + (c + B - A)/t, mean = -1.5; A is symmetric. */
            stop = 1.5 >= h * (1.0 + 1.0 / alpha) + (c + (double)(b - a) * unit) / td;
        }
        lotor_stopping *rule = rule_of("dp-nas", alpha, beta, lotor_ratio_of(1, 1), range);
        assert_int_equal(feed(rule, -1.5), t);
        double estimate;
        assert_int_equal(lotor_stopping_estimate(rule, &estimate), LOTOR_OK);
        assert_true(fabs(estimate - (-1.5 + (double)l * unit / (double)t)) < 1e-12);
        lotor_stopping_free(rule);
    }
}

/* Within a factor (1 +- alpha) of the mean with probability 1 - beta: 200 runs at beta = 0.1 fail
 * at most 20 times on average, more than 40 times with probability below 1e-5. (The rules are
 * cautious: in fact hardly any run fails.) Mean 0.3 in [-1, 1]. */
TEST(estimates_are_as_close_as_promised)
{
    static const char *const ids[] = {"nas", "dp-nas", "dp-exp-nas"};
    lotor_generator generator;
    lotor_generator_seed(&generator, 5);
    test_source_seed(&source, 5);
    for (size_t i = 0; i < 3; i++) {
        int failures = 0;
        for (int run = 0; run < 200; run++) {
            lotor_stopping *rule = rule_of(ids[i], 0.5, 0.1, lotor_ratio_of(1, 1), 1.0);
            bool stopped = false;
            while (!stopped) {
                const double sample = lotor_random_uniform(&generator) < 0.65 ? 1.0 : -1.0;
                assert_int_equal(lotor_stopping_add(rule, sample, NULL, &stopped), LOTOR_OK);
            }
            double estimate;
            assert_int_equal(lotor_stopping_estimate(rule, &estimate), LOTOR_OK);
            failures += fabs(estimate - 0.3) > 0.5 * 0.3;
            lotor_stopping_free(rule);
        }
        assert_true(failures <= 40);
    }
}

TEST(parameters_are_refused_by_name)
{
    const lotor_ratio one = lotor_ratio_of(1, 1);
    const struct {
        lotor_stopping_params params;
        const char *names;
    } cases[] = {
        {{"dp-nsa", 0.1, 0.1, one, 1.0}, "dp-nsa"},
        {{NULL, 0.1, 0.1, one, 1.0}, "rule"},
        {{"dp-nas", 0.0, 0.1, one, 1.0}, "alpha"},
        {{"dp-nas", 1.0, 0.1, one, 1.0}, "alpha"},
        {{"dp-nas", NAN, 0.1, one, 1.0}, "alpha"},
        {{"dp-nas", 0.1, 1.5, one, 1.0}, "1.5"},
        {{"dp-nas", 0.1, 0.1, one, 0.0}, "range"},
        {{"dp-nas", 0.1, 0.1, one, INFINITY}, "range"},
        {{"dp-nas", 0.1, 0.1, {0, 1}, 1.0}, "epsilon"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lotor_message why = {""};
        assert_non_null(lotor_stopping_check(&cases[i].params, &why));
        assert_non_null(strstr(why.text, cases[i].names));
    }
    const lotor_stopping_params fine = {"nas", 0.1, 0.1, {0, 1}, 1.0}; /* needs no epsilon */
    lotor_message why;
    assert_null(lotor_stopping_check(&fine, &why));
}

TEST(samples_outside_are_refused)
{
    test_source_seed(&source, 6);
    lotor_stopping *rule = rule_of("dp-nas", 0.1, 0.1, lotor_ratio_of(1, 1), 1.0);
    bool stopped;
    lotor_message why;
    assert_int_equal(lotor_stopping_add(rule, 1.5, &why, &stopped), LOTOR_RANGE);
    assert_string_equal(why.text, "the value is not in the declared range -1 to 1");
    assert_int_equal(lotor_stopping_add(rule, NAN, &why, &stopped), LOTOR_RANGE);
    assert_int_equal(lotor_stopping_sample_count(rule), 0);
    lotor_stopping_free(rule);
}

/* Without entropy the sample is not read, and can be given again. */
TEST(without_entropy_nothing_changes)
{
    test_source_exhaust(&source, 7, 1);
    lotor_stopping *rule = rule_of("dp-nas", 0.1, 0.1, lotor_ratio_of(1, 1), 1.0);
    bool stopped;
    lotor_status status = LOTOR_OK;
    uint64_t samples = 0;
    while (status == LOTOR_OK) {
        samples = lotor_stopping_sample_count(rule);
        status = lotor_stopping_add(rule, 0.01, NULL, &stopped);
        assert_false(stopped);
    }
    assert_int_equal(status, LOTOR_ENTROPY);
    assert_int_equal(lotor_stopping_sample_count(rule), samples);
    lotor_stopping_free(rule);
}

/* The gate's noise is drawn before the first sample: without entropy no rule is made. */
TEST(without_entropy_there_is_no_rule)
{
    test_source_exhaust(&source, 7, 0);
    const lotor_stopping_params params = {"dp-nas", 0.1, 0.1, lotor_ratio_of(1, 1), 1.0};
    lotor_stopping *rule;
    lotor_message why = {""};
    assert_int_equal(lotor_stopping_new_on(&params, &source.source, &why, &rule), LOTOR_ENTROPY);
    assert_null(rule);
    assert_string_equal(why.text, "the system gives no random bytes");
}

TEST(guarantees_name_their_scale)
{
    test_source_seed(&source, 8);
    lotor_guarantee guarantee;
    lotor_stopping *rule = rule_of("dp-exp-nas", 0.1, 0.1, lotor_ratio_of(1, 2), 3.0);
    lotor_stopping_guarantee(rule, &guarantee);
    assert_true(guarantee.is_private);
    assert_true(guarantee.epsilon == 0.5);
    assert_true(guarantee.scale == 12.0 * 3.0 / 0.5);
    assert_int_equal(guarantee.model, LOTOR_MODEL_CENTRAL);
    lotor_stopping_free(rule);
    rule = rule_of("nas", 0.1, 0.1, lotor_ratio_of(1, 2), 3.0);
    lotor_stopping_guarantee(rule, &guarantee);
    assert_false(guarantee.is_private);
    assert_non_null(guarantee.reason);
    assert_true(isinf(guarantee.epsilon));
    lotor_stopping_free(rule);
    rule = rule_of("dp-nas", 0.1, 0.1, lotor_ratio_of(1, 0), 3.0);
    lotor_stopping_guarantee(rule, &guarantee);
    assert_false(guarantee.is_private);
    assert_string_equal(guarantee.reason, "epsilon is infinite: no noise is added");
    assert_string_equal(guarantee.mechanism, "dp-nas, no noise");
    lotor_stopping_free(rule);
}
