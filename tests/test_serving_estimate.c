/* test_serving_estimate.c - the interval around a released mean: two by hand; for every kind of
 * release, how often it contains the truth; and that it would not if the noise were ignored.
 *
 * Seeds are fixed. Per kind there are 60 campaigns of 3 arms and 4000 rounds. Epsilon is small
 * enough for the noise to matter, and large enough for useful intervals. The claim is 95%;
 * Hoeffding and Chernoff bounds are conservative, so the count is above that without a tolerance.
 * If the noise is ignored, the interval misses far more often than 1 in 20. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>

#include "policy/policy.h"

enum { RUNS = 60, ROUNDS = 4000, ARMS = 3 };
static const double means[ARMS] = {0.3, 0.5, 0.6};

TEST(two_by_hand)
{
    lotor_estimate found;
    /* ln 80 = 4.382027; u^2 = 4.382027 / 8.382027, u = 0.723043; -ln(1 - u^2) = 0.739797;
     * tail = 2 (4.382027 + 4 x 0.739797) / 0.723043 = 20.306; sqrt(4.382027 / 200) = 0.148020 */
    const lotor_estimator added = {
        .kind = LOTOR_ESTIMATE_ADDED, .low = 0, .high = 1, .noise = 2, .scale = 1};
    const lotor_arm_sums sums = {.value = 60, .count = 100, .draws = 4};
    assert_true(lotor_estimate_of(&added, &sums, &found));
    assert_true(fabs(found.mean - 0.6) < 1e-12);
    assert_true(fabs(found.low - (0.6 - 0.148020 - 0.20306)) < 5e-5);
    assert_true(fabs(found.high - (0.6 + 0.148020 + 0.20306)) < 5e-5);
    /* 2 sqrt(ln 40 / 400) = 0.192065 */
    const lotor_estimator bits = {
        .kind = LOTOR_ESTIMATE_BITS, .low = 0, .high = 5, .noise = 0.25, .scale = 2};
    const lotor_arm_sums reports = {.value = 110, .count = 200, .draws = 1};
    assert_true(lotor_estimate_of(&bits, &reports, &found));
    assert_true(fabs(found.mean - 3.0) < 1e-12);
    assert_true(fabs(found.low - (3.0 - 5 * 0.192065)) < 1e-5);
    assert_true(fabs(found.high - (3.0 + 5 * 0.192065)) < 1e-5);
}

TEST(nothing_and_the_edges)
{
    lotor_estimate found;
    const lotor_arm_sums none = {0}, far_off = {.value = 500, .count = 100, .draws = 1};
    lotor_estimator estimator = {
        .kind = LOTOR_ESTIMATE_LATEST, .low = -1, .high = 1, .noise = 1, .scale = 1};
    assert_false(lotor_estimate_of(&estimator, &none, &found));
    assert_true(lotor_estimate_of(&estimator, &far_off, &found));
    /* noise can move the mean out of the range */
    assert_true(found.low == 1.0 && found.high == 1.0);
    assert_true(found.mean == 1.0); /* the mean is cut as the interval is */
    const lotor_arm_sums below = {.value = -150, .count = 100, .draws = 1};
    assert_true(lotor_estimate_of(&estimator, &below, &found));
    assert_true(found.low == -1.0 && found.mean == -1.0);
    estimator.kind = LOTOR_ESTIMATE_NONE;
    assert_false(lotor_estimate_of(&estimator, &far_off, &found));
    /* there seem to be no observations: the ratio may be anything up to 1 */
    const lotor_arm_sums unseen = {.value = 1, .observed = -3, .count = 50, .draws = 1};
    estimator = (lotor_estimator){
        .kind = LOTOR_ESTIMATE_CLICKS, .low = 0, .high = 1, .noise = 1, .scale = 1};
    assert_true(lotor_estimate_of(&estimator, &unseen, &found));
    assert_true(found.low == 0.0 && found.high == 1.0);
    /* many clicks and hardly any observations: the interval begins above 0, and so does the mean */
    const lotor_arm_sums clicked = {.value = 45, .observed = -3, .count = 50, .draws = 1};
    assert_true(lotor_estimate_of(&estimator, &clicked, &found));
    assert_true(found.low > 0.0 && found.mean >= found.low && found.mean <= found.high);
}

/* Over a grid of sums, impossible ones included, for every kind. */
TEST(intervals_contain_their_mean)
{
    for (int kind = LOTOR_ESTIMATE_NONE + 1; kind <= LOTOR_ESTIMATE_CLICK_COINS; kind++) {
        for (int value = -300; value <= 300; value += 7) {
            for (int observed = -60; observed <= 60; observed += 6) {
                const lotor_estimator estimator = {.kind = (lotor_estimate_kind)kind,
                                                   .low = -0.5,
                                                   .high = 1,
                                                   .noise = 0.3,
                                                   .scale = 2.5};
                const lotor_arm_sums sums = {
                    .value = value, .observed = observed, .count = 50, .draws = 3};
                lotor_estimate found;
                assert_true(lotor_estimate_of(&estimator, &sums, &found));
                if (!(found.low <= found.mean && found.mean <= found.high)) {
                    fail_msg("kind %d, sum %d, %d observed: %g is not in [%g, %g]", kind, value,
                             observed, found.mean, found.low, found.high);
                }
            }
        }
    }
}

/* More noise or fewer observations never make the interval narrower. */
TEST(it_grows_with_the_noise)
{
    double before = 0.0;
    for (uint64_t draws = 1; draws <= 64; draws *= 2) {
        const lotor_estimator estimator = {
            .kind = LOTOR_ESTIMATE_ADDED, .low = 0, .high = 100, .noise = 3, .scale = 1};
        const lotor_arm_sums reading = {.value = 50000, .count = 1000, .draws = draws};
        lotor_estimate found;
        assert_true(lotor_estimate_of(&estimator, &reading, &found));
        assert_true(found.high - found.low > before);
        before = found.high - found.low;
    }
}

/* --- coverage --------------------------------------------------------------------------------- */

typedef struct tally {
    size_t intervals, held, held_without; /* without: the noise, or the randomization, is ignored */
    size_t telling;                       /* intervals that are smaller than the range */
} tally;

static void play_round(lotor_policy *policy, lotor_generator *people)
{
    lotor_decision decision;
    double rewards[ARMS];
    assert_int_equal(lotor_policy_choose(policy, NULL, NULL, &decision), LOTOR_OK);
    const bool lists = policy->params.cascade;
    const size_t count = lists ? decision.count : decision.asked_count;
    lotor_feedback feedback = {rewards, count, 0};
    for (size_t i = 0; i < count; i++) {
        const uint32_t arm = lists ? decision.arms[i] : decision.asked[i];
        const double u = (double)(lotor_generator_word(people) >> 11) * 0x1p-53;
        rewards[i] = u < means[arm] ? 1.0 : 0.0;
        feedback.click = feedback.click == 0 && rewards[i] > 0.0 ? i + 1 : feedback.click;
    }
    if (lists) {
        feedback.rewards = NULL;
        feedback.count = 0;
    }
    const uint64_t event = decision.event;
    assert_int_equal(lotor_policy_observe(policy, event, &feedback, NULL), LOTOR_OK);
    assert_int_equal(lotor_policy_expire(policy, event, NULL), LOTOR_OK);
}

static void count(const lotor_policy *policy, tally *out)
{
    lotor_estimator honest;
    lotor_policy_estimator(policy, &honest);
    lotor_estimator bare = honest;
    if (honest.kind == LOTOR_ESTIMATE_BITS || honest.kind == LOTOR_ESTIMATE_COINS ||
        honest.kind == LOTOR_ESTIMATE_CLICK_COINS) {
        bare.scale = 1.0;
    } else {
        bare.noise = 0.0;
    }
    for (size_t i = 0; i < ARMS; i++) {
        lotor_arm_sums reading;
        lotor_estimate wide, narrow;
        lotor_policy_arm_sums(policy, &honest, i, &reading);
        if (!lotor_estimate_of(&honest, &reading, &wide)) {
            continue;
        }
        assert_true(lotor_estimate_of(&bare, &reading, &narrow));
        /* the same mean, without the width for the randomization */
        if (bare.kind == LOTOR_ESTIMATE_BITS) {
            const double half = (wide.high - wide.low) / 2 / honest.scale;
            narrow = (lotor_estimate){wide.mean, wide.mean - half, wide.mean + half};
        }
        uint64_t observations;
        assert_true(lotor_policy_mean(policy, i, &observations) == wide.mean);
        assert_int_equal(observations, reading.count);
        out->intervals++;
        out->telling += wide.high - wide.low < 0.8;
        out->held += wide.low <= means[i] && means[i] <= wide.high;
        out->held_without += narrow.low <= means[i] && means[i] <= narrow.high;
    }
}

static void expect_coverage(const char *algorithm, size_t slots, lotor_ratio epsilon,
                            lotor_estimate_kind kind)
{
    tally found = {0};
    for (uint64_t run = 1; run <= RUNS; run++) {
        const lotor_policy_params params = {.algorithm = algorithm,
                                            .arms = ARMS,
                                            .slots = slots,
                                            .horizon = ROUNDS,
                                            .epsilon = epsilon};
        lotor_generator people, noise;
        lotor_policy *policy;
        lotor_message why;
        lotor_generator_seed(&people, run);
        lotor_generator_seed(&noise, 1000 + run);
        if (lotor_policy_new_simulated(&params, 1.0, &noise, run, &why, &policy)) {
            fail_msg("%s: %s", algorithm, why.text);
        }
        lotor_estimator estimator;
        lotor_policy_estimator(policy, &estimator);
        assert_int_equal(estimator.kind, kind);
        for (int t = 0; t < ROUNDS; t++) {
            play_round(policy, &people);
        }
        count(policy, &found);
        lotor_policy_free(policy);
    }
    print_message("%-16s %zu intervals, %zu telling, %.1f%% hold; without noise %.1f%%\n",
                  algorithm, found.intervals, found.telling,
                  100.0 * (double)found.held / (double)found.intervals,
                  100.0 * (double)found.held_without / (double)found.intervals);
    assert_true(found.intervals > RUNS);
    assert_true(4 * found.telling >= found.intervals);
    assert_true((double)found.held >= 0.95 * (double)found.intervals);
    assert_true((double)found.held_without < 0.9 * (double)found.intervals);
}

TEST(every_kind_holds)
{
    const lotor_ratio tenth = lotor_ratio_of(1, 10);
    expect_coverage("batch-klucb", 1, tenth, LOTOR_ESTIMATE_ADDED);
    expect_coverage("dpucb-mat", 2, lotor_ratio_of(1, 20), LOTOR_ESTIMATE_LATEST);
    expect_coverage("cucb-ldp1", 2, lotor_ratio_of(1, 2), LOTOR_ESTIMATE_NOISY_REPORTS);
    expect_coverage("rr-klucb", 1, lotor_ratio_of(1, 4), LOTOR_ESTIMATE_BITS);
    expect_coverage("cucb-ldp-box", 2, lotor_ratio_of(1, 4), LOTOR_ESTIMATE_COINS);
    expect_coverage("cascade-dp-lazy", 2, tenth, LOTOR_ESTIMATE_CLICKS);
    expect_coverage("cascade-ldp-rr", 2, lotor_ratio_of(1, 2), LOTOR_ESTIMATE_CLICK_COINS);
}
