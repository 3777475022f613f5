/* test_sampler.c - exact noise through the public API. */
#include "support/test.h"

#include <string.h>

#include <lotor/sampler.h>

enum { DRAWS = 20000 };

static lotor_sampler *make(const char *law, uint64_t num, uint64_t den)
{
    lotor_sampler *sampler;
    lotor_message why = {""};
    const lotor_sampler_params params = {.law = law, .size = {num, den}};
    if (lotor_sampler_new(&params, &why, &sampler) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return sampler;
}

/* Expects the true moments within twelve standard errors: a correct law fails once in 10^30
 * runs. */
static void expect_moments(const char *law, uint64_t num, uint64_t den, double mean,
                           double deviation)
{
    lotor_sampler *sampler = make(law, num, den);
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < DRAWS; i++) {
        int64_t drawn;
        assert_int_equal(lotor_sampler_draw(sampler, NULL, &drawn), LOTOR_OK);
        sum += (double)drawn;
        squares += ((double)drawn - mean) * ((double)drawn - mean);
    }
    lotor_sampler_free(sampler);
    const double error = 12.0 * deviation / 141.4; /* sqrt(DRAWS) */
    assert_true(sum / (double)DRAWS > mean - error && sum / (double)DRAWS < mean + error);
    const double variance = deviation * deviation;
    assert_true(squares / (double)DRAWS > 0.7 * variance &&
                squares / (double)DRAWS < 1.4 * variance);
}

TEST(draws_follow_their_law)
{
    expect_moments("discrete-laplace", 3, 1, 0.0, 4.224); /* sqrt(2 r) / (1 - r), r = e^(-1/3) */
    expect_moments("discrete-gaussian", 7, 2, 0.0, 3.5);
    expect_moments("geometric", 1, 4, 3.0, 3.4641); /* sqrt(1 - p) / p */
}

static void expect_refused(const char *law, lotor_ratio size, lotor_status expected,
                           const char *words)
{
    lotor_sampler *sampler;
    lotor_message why = {""};
    const lotor_sampler_params params = {.law = law, .size = size};
    assert_int_equal(lotor_sampler_new(&params, &why, &sampler), expected);
    assert_null(sampler);
    assert_non_null(strstr(why.text, words));
    assert_int_equal(lotor_sampler_new(&params, NULL, &sampler), expected);
}

TEST(what_makes_no_sense_is_refused)
{
    expect_refused("laplace", (lotor_ratio){1, 1}, LOTOR_UNKNOWN,
                   "no exact sampler of \"laplace\"");
    expect_refused(NULL, (lotor_ratio){1, 1}, LOTOR_UNKNOWN, "no exact sampler of no law");
    expect_refused("geometric", (lotor_ratio){2, 1}, LOTOR_INVALID, "");
    expect_refused("discrete-laplace", (lotor_ratio){0, 1}, LOTOR_INVALID, "");
    expect_refused("discrete-gaussian", (lotor_ratio){1, 0}, LOTOR_INVALID, "");
    lotor_sampler_free(NULL);
}
