/* test_randomizer.c - the device's part of the local model through its public header: reports of
 * the right form and law, refusals with their reason, and any number of threads at once.
 *
 * The random bits come from the kernel, so nothing here has a seed. Other tests compare the law of
 * every mechanism with its formula, with seeds (test_serving_reports.c, test_local.c). This test
 * makes sure that the bits are used, and correctly. */
#include "support/test.h"

#include <lotor/randomizer.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static lotor_randomizer told(const char *mechanism)
{
    return (lotor_randomizer){.mechanism = mechanism,
                              .epsilon = lotor_ratio_of(1, 1),
                              .low = 0.0,
                              .high = 1.0,
                              .slots = 3};
}

static lotor_randomizer told_laplace(void)
{
    lotor_randomizer laplace = told("laplace");
    laplace.unit = 0x1p-20;
    laplace.scale = UINT64_C(3) << 20; /* 3 rewards of width 1, at epsilon 1 */
    return laplace;
}

static const double rewards[4] = {1.0, 0.0, 0.5, 0.25};

TEST(reports_have_their_shape)
{
    int64_t report[3];
    size_t count = 99;
    for (int i = 0; i < 200; i++) {
        const lotor_randomizer bit = told("bit"), position = told("position"), cube = told("cube");
        assert_int_equal(
            lotor_randomizer_report(&bit, &(lotor_feedback){rewards, 1, 0}, NULL, report, &count),
            LOTOR_OK);
        assert_int_equal(count, 1);
        assert_in_range(report[0], 0, 1);
        assert_int_equal(
            lotor_randomizer_report(&position, &(lotor_feedback){.click = 2}, NULL, report, &count),
            LOTOR_OK);
        assert_int_equal(count, 1);
        assert_in_range(report[0], 1, 4);
        assert_int_equal(
            lotor_randomizer_report(&cube, &(lotor_feedback){rewards, 2, 0}, NULL, report, &count),
            LOTOR_OK);
        assert_int_equal(count, 3); /* always a sign per slot */
        for (size_t k = 0; k < 3; k++) {
            assert_in_range(report[k], 0, 1);
        }
        const lotor_randomizer laplace = told_laplace();
        assert_int_equal(lotor_randomizer_report(&laplace, &(lotor_feedback){rewards, 2, 0}, NULL,
                                                 report, &count),
                         LOTOR_OK);
        assert_int_equal(count, 2); /* one per asked arm */
        assert_true(llabs((long long)report[0]) <= (INT64_C(64) * 3 + 1) << 20);
    }
}

/* A pointer to no rewards is not a reward: the click counts, and is checked. */
TEST(no_rewards_are_a_click)
{
    int64_t report[3];
    size_t count;
    const lotor_randomizer position = told("position");
    assert_int_equal(
        lotor_randomizer_report(&position, &(lotor_feedback){rewards, 0, 3}, NULL, report, &count),
        LOTOR_OK);
    assert_in_range(report[0], 1, 4);
    assert_int_equal(
        lotor_randomizer_report(&position, &(lotor_feedback){rewards, 0, 4}, NULL, report, &count),
        LOTOR_RANGE);
}

static void assert_refused(const lotor_randomizer *randomizer, lotor_feedback feedback,
                           lotor_status expected, const char *words)
{
    int64_t report[5] = {-7, -7, -7, -7, -7};
    size_t count = 99;
    lotor_message why = {""};
    assert_int_equal(lotor_randomizer_report(randomizer, &feedback, &why, report, &count),
                     expected);
    if (!strstr(why.text, words)) {
        fail_msg("\"%s\" does not say \"%s\"", why.text, words);
    }
    assert_int_equal(count, 0);
    assert_int_equal(lotor_randomizer_report(randomizer, &feedback, NULL, report, &count),
                     expected);
    assert_int_equal(report[3], -7); /* nothing is written beyond the slots */
}

TEST(what_makes_no_sense_is_refused)
{
    const lotor_feedback one = {rewards, 1, 0}, four = {rewards, 4, 0};
    lotor_randomizer bad = told("bit");
    bad.epsilon = (lotor_ratio){0, 0};
    assert_refused(&bad, one, LOTOR_INVALID, "needs an epsilon above 0 that is not infinite");
    bad.epsilon = lotor_ratio_of(1, 0);
    assert_refused(&bad, one, LOTOR_INVALID, "needs an epsilon above 0 that is not infinite");
    bad = told("truth");
    assert_refused(&bad, one, LOTOR_INVALID, "there is no mechanism 'truth'");
    bad = told(NULL);
    assert_refused(&bad, one, LOTOR_INVALID, "there is no mechanism ''");
    bad = told("bit");
    bad.high = NAN;
    assert_refused(&bad, one, LOTOR_INVALID, "");
    static const size_t slots[][2] = {{0, 0}, {0, 4097}, {4, 3}, {0, SIZE_MAX}};
    for (size_t i = 0; i < 4; i++) {
        bad = told("position");
        bad.slot = slots[i][0];
        bad.slots = slots[i][1];
        assert_refused(&bad, (lotor_feedback){.click = 0}, LOTOR_INVALID,
                       "slots must be from 1 to 4096");
    }
    bad = told_laplace();
    bad.scale--; /* one unit less than what its epsilon needs */
    assert_refused(&bad, one, LOTOR_INVALID, "does not give the stated epsilon");
    const lotor_randomizer laplace = told_laplace();
    assert_refused(&laplace, four, LOTOR_RANGE, "the number of rewards is 4: expected 1 to 3");
    /* The bit of a value is about the whole list, and its range must fit in 64 bits. */
    const lotor_randomizer sum = told("sum-bit"), click = told("click-bit");
    assert_refused(&sum, one, LOTOR_RANGE, "the number of rewards is 1: expected 3");
    assert_refused(&sum, four, LOTOR_RANGE, "the number of rewards is 4: expected 3");
    assert_refused(&sum, (lotor_feedback){.click = 4}, LOTOR_RANGE, "from 1 to 3");
    assert_refused(&click, one, LOTOR_RANGE, "the number of rewards is 1: expected 0");
    assert_refused(&click, (lotor_feedback){.click = 4}, LOTOR_RANGE, "from 1 to 3");
    const lotor_randomizer position = told("position");
    assert_refused(&position, one, LOTOR_RANGE, "the number of rewards is 1: expected 0");
    assert_refused(&position, (lotor_feedback){.click = 4}, LOTOR_RANGE, "from 1 to 3");
}

/* The message about invalid feedback never contains the feedback, because messages may be
 * logged. */
TEST(no_message_contains_the_feedback)
{
    static const char *const mechanisms[] = {"bit", "laplace", "cube", "sum-bit"};
    const double outside[] = {0.5, -37.625, 0.25};
    for (size_t i = 0; i < 4; i++) {
        lotor_randomizer asks = i == 1 ? told_laplace() : told(mechanisms[i]);
        const lotor_feedback feedback =
            i == 0 ? (lotor_feedback){outside + 1, 1, 0} : (lotor_feedback){outside, 3, 0};
        assert_refused(&asks, feedback, LOTOR_RANGE,
                       i == 0 ? "reward number 1 is not in the randomizer's range 0 to 1"
                              : "reward number 2 is not in the randomizer's range 0 to 1");
        lotor_message why;
        int64_t report[3];
        size_t count;
        (void)lotor_randomizer_report(&asks, &feedback, &why, report, &count);
        assert_null(strstr(why.text, "37"));
    }
    const lotor_randomizer position = told("position");
    lotor_message why;
    int64_t report[3];
    size_t count;
    (void)lotor_randomizer_report(&position, &(lotor_feedback){.click = 37}, &why, report, &count);
    assert_null(strstr(why.text, "37"));
}

enum { THREADS = 8, REPORTS = 2500 };

static void *toss(void *argument)
{
    size_t *ones = argument;
    const lotor_randomizer bit = told("bit");
    for (int i = 0; i < REPORTS; i++) {
        int64_t report[3];
        size_t count;
        if (lotor_randomizer_report(&bit, &(lotor_feedback){rewards, 1, 0}, NULL, report, &count) !=
            LOTOR_OK) {
            return argument;
        }
        *ones += report[0] == 1;
    }
    return NULL;
}

/* A reward of 1 is reported truthfully with probability e/(1 + e) = 0.7311. The share in 20000 bits
 * has a standard deviation of 0.0031; 0.022 is seven of them, a false alarm of 3e-12. An error of
 * 10% would be 0.073. */
TEST(threads_toss_their_own_coins)
{
    pthread_t threads[THREADS];
    size_t ones[THREADS] = {0}, all = 0;
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, toss, &ones[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
        all += ones[i];
    }
    const double share = (double)all / (THREADS * REPORTS);
    assert_true(fabs(share - exp(1.0) / (1.0 + exp(1.0))) < 0.022);
}
