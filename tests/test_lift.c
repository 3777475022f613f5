/* test_lift.c - the lift over a control, from released sums (policy/lift.c): golden values, how often
 * intervals contain the truth, and how often the rule for "decided" is wrong. */
#include "support/test.h"

#include <math.h>

#include "base/random/generator.h"
#include "policy/serving.h"
#include "privacy/release/schedule.h"

static const lotor_estimator binary = {
    .kind = LOTOR_ESTIMATE_ADDED, .low = 0, .high = 1, .noise = 0, .scale = 1};

static void expect_near(double found, double wanted, double error)
{
    assert_true(fabs(found - wanted) <= error);
}

/* 10,000 rounds each, means 0.5 and 0.4, no noise. The doubt about a mean of 0.5 can't make its
 * variance larger than 0.25. For 0.4 the doubt is 0.005 + 0.0001: 0.25 - 0.0949^2 = 0.24099399. */
TEST(golden)
{
    const lotor_arm_sums half = {.value = 5000, .count = 10000, .draws = 20};
    const lotor_arm_sums less = {.value = 4000, .count = 10000, .draws = 20};
    lotor_lift lift;
    assert_true(lotor_lift_of(&binary, &half, &less, &lift));
    expect_near(lift.measure.mean, 0.5, 1e-12);
    expect_near(lift.control.mean, 0.4, 1e-12);
    expect_near(lift.absolute.mean, 0.1, 1e-12);
    const double error = sqrt((0.25 + 0.24099399) / 10000);
    expect_near(lift.absolute.high - 0.1, 1.959963984540054 * error, 1e-9);
    expect_near(0.1 - lift.absolute.low, 1.959963984540054 * error, 1e-9);
    assert_true(lift.has_relative && lift.is_decided);
    expect_near(lift.relative.mean, 0.25, 1e-12);
    assert_true(lift.relative.low > 0.2 && lift.relative.high < 0.3);
    /* Laplace noise of scale 10 adds 20 * 2 * 100 / 10^8 to the variance of each mean. */
    lotor_estimator noisy = binary;
    noisy.noise = 10;
    assert_true(lotor_lift_of(&noisy, &half, &half, &lift));
    expect_near(lift.absolute.high, 1.959963984540054 * sqrt(2 * (0.25e-4 + 0.4e-4)), 1e-9);
    assert_false(lift.is_decided);
}

TEST(nothing_was_released)
{
    const lotor_arm_sums some = {.value = 1, .count = 3, .draws = 3}, none = {0};
    lotor_lift lift;
    assert_false(lotor_lift_of(&binary, &some, &none, &lift));
    assert_false(lotor_lift_of(&binary, &none, &some, &lift));
}

/* Noise can carry sums anywhere; the numbers stay in order and in their ranges. */
TEST(extreme_sums)
{
    static const double values[] = {-1e300, -5, 0, 3, 1e300};
    lotor_estimator estimator = binary;
    estimator.noise = 2;
    for (size_t i = 0; i < 5; i++) {
        for (size_t j = 0; j < 5; j++) {
            const lotor_arm_sums a = {.value = values[i], .count = 3, .draws = 3};
            const lotor_arm_sums b = {.value = values[j], .count = 3, .draws = 3};
            lotor_lift lift;
            assert_true(lotor_lift_of(&estimator, &a, &b, &lift));
            assert_true(lift.absolute.low <= lift.absolute.mean &&
                        lift.absolute.mean <= lift.absolute.high && lift.absolute.low >= -1 &&
                        lift.absolute.high <= 1);
            assert_true(!lift.has_relative || (lift.relative.low <= lift.relative.mean &&
                                               lift.relative.mean <= lift.relative.high));
        }
    }
}

static double unit(lotor_generator *random)
{
    return (double)(lotor_generator_word(random) >> 11) * 0x1p-53;
}

/* Plays two counters with growing batches and noise until `rounds` rounds each. Returns whether the
 * rule ever decided; *inside says whether the last interval contains the truth. */
static bool play(lotor_generator *random, double policy, double control, double noise,
                 uint64_t rounds, bool *inside)
{
    lotor_estimator estimator = binary;
    estimator.noise = noise;
    lotor_arm_sums sums[2] = {{.count = 0}, {.count = 0}};
    const double means[2] = {policy, control};
    bool decided = false;
    lotor_lift lift = {.is_decided = false};
    while (sums[1].count < rounds) {
        for (size_t which = 0; which < 2; which++) {
            const uint64_t size = lotor_schedule_growing(sums[which].count);
            for (uint64_t i = 0; i < size; i++) {
                sums[which].value += unit(random) < means[which];
            }
            const double side = unit(random) < 0.5 ? -1 : 1;
            sums[which].value += side * noise * -log1p(-unit(random));
            sums[which].count += size;
            sums[which].draws++;
        }
        decided |= lotor_lift_of(&estimator, &sums[0], &sums[1], &lift) && lift.is_decided;
    }
    *inside = lift.absolute.low <= policy - control && policy - control <= lift.absolute.high;
    return decided;
}

/* A policy that equals its control, while tastes change: both have the
 * same chance of a click, which moves from `from` to `to`. Roles are coins, so the two counters release
 * at different times. Returns whether the rule ever decided. */
static bool play_drift(lotor_generator *random, double from, double to, size_t people)
{
    enum { BATCHES = 40 };
    double values[2][BATCHES] = {{0}};
    uint64_t sizes[BATCHES], filled[2] = {0}, covered[2] = {0};
    size_t batches[2] = {0};
    for (uint64_t i = 0, n = 0; i < BATCHES; n += sizes[i++]) {
        sizes[i] = lotor_schedule_growing(n);
    }
    lotor_estimator estimator = binary;
    estimator.noise = 1;
    bool decided = false;
    for (size_t t = 0; t < people; t++) {
        const size_t which = unit(random) < 0.5;
        const double likes = from + (to - from) * (double)t / (double)people;
        values[which][batches[which]] += unit(random) < likes;
        if (++filled[which] < sizes[batches[which]]) {
            continue;
        }
        covered[which] += filled[which];
        filled[which] = 0;
        const double side = unit(random) < 0.5 ? -1 : 1;
        values[which][batches[which]++] += side * -log1p(-unit(random));
        lotor_arm_sums sums[2] = {{.count = 0}, {.count = 0}};
        const size_t common = batches[0] < batches[1] ? batches[0] : batches[1];
        for (size_t k = 0; k < 2; k++) {
            for (size_t b = 0; b < common; b++) {
                sums[k].value += values[k][b];
                sums[k].count += sizes[b];
                sums[k].draws++;
            }
        }
        lotor_lift lift;
        decided |= lotor_lift_of(&estimator, &sums[0], &sums[1], &lift) && lift.is_decided;
    }
    assert_true(covered[0] > 0 && covered[1] > 0);
    return decided;
}

/* As above: more than 75 of 1,000 have a probability below 1e-3 with a new seed, if 5% are wrong. */
TEST(a_change_of_taste_is_no_lift)
{
    lotor_generator random;
    lotor_generator_seed(&random, 71);
    size_t wrong = 0;
    for (size_t i = 0; i < 1000; i++) {
        wrong += play_drift(&random, 0.2, 0.6, 5000);
    }
    assert_true(wrong <= 75);
}

/* The same for bits of the local model, with a look after every round. */
static bool play_bits(lotor_generator *random, double policy, double control, double epsilon,
                      uint64_t rounds, bool *inside)
{
    const double lie = 1.0 / (1.0 + exp(epsilon));
    const lotor_estimator bits = {.kind = LOTOR_ESTIMATE_BITS,
                                  .low = 0,
                                  .high = 1,
                                  .noise = lie,
                                  .scale = 1.0 / (1.0 - 2.0 * lie)};
    const double means[2] = {policy, control};
    lotor_arm_sums sums[2] = {{.count = 0}, {.count = 0}};
    bool decided = false;
    lotor_lift lift = {.is_decided = false};
    for (uint64_t t = 0; t < 2 * rounds; t++) {
        const size_t which = unit(random) < 0.5;
        const bool truth = unit(random) < means[which];
        sums[which].value += truth != (unit(random) < lie);
        sums[which].count++;
        sums[which].draws = 1;
        decided |= lotor_lift_of(&bits, &sums[0], &sums[1], &lift) && lift.is_decided;
    }
    *inside = lift.absolute.low <= policy - control && policy - control <= lift.absolute.high;
    return decided;
}

/* By hand: 10,000 bits each, 6,000 and 5,000 of them 1, at a lie of 1/4. The means are (0.6 - 0.25) 2 and
 * (0.5 - 0.25) 2 of the range, and the variance of a mean of bits is four times as large. For 0.6 the doubt
 * is 0.005 + 0.0001: 0.25 - 0.0949^2 = 0.24099399. */
TEST(golden_of_bits)
{
    const lotor_estimator bits = {
        .kind = LOTOR_ESTIMATE_BITS, .low = -2, .high = 6, .noise = 0.25, .scale = 2};
    const lotor_arm_sums more = {.value = 6000, .count = 10000, .draws = 1};
    const lotor_arm_sums half = {.value = 5000, .count = 10000, .draws = 1};
    lotor_lift lift;
    assert_true(lotor_lift_of(&bits, &more, &half, &lift));
    expect_near(lift.measure.mean, -2 + 8 * 0.7, 1e-12);
    expect_near(lift.control.mean, -2 + 8 * 0.5, 1e-12);
    expect_near(lift.absolute.mean, 1.6, 1e-12);
    const double error = 8 * 2 * sqrt((0.25 + 0.24099399) / 10000);
    expect_near(lift.absolute.high - 1.6, 1.959963984540054 * error, 1e-9);
    assert_true(lift.is_decided);
    /* Lies can't carry a mean out of its range. */
    const lotor_arm_sums none = {.value = 0, .count = 10, .draws = 1};
    assert_true(lotor_lift_of(&bits, &none, &half, &lift));
    assert_true(lift.measure.mean == -2);
    lotor_estimator nothing = bits;
    nothing.scale = INFINITY;
    assert_false(lotor_lift_of(&nothing, &more, &half, &lift));
}

TEST(local_intervals_and_decisions_keep_their_promise)
{
    static const struct {
        double policy, control, epsilon;
    } worlds[] = {{0.3, 0.3, 1}, {0.5, 0.5, 4}, {0.05, 0.05, 2}, {0.4, 0.3, 1}, {0.9, 0.2, 3}};
    enum { TRIALS = 1000 };
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++) {
        lotor_generator random;
        lotor_generator_seed(&random, 15 + w);
        size_t outside = 0, decided = 0;
        for (size_t i = 0; i < TRIALS; i++) {
            bool inside;
            decided += play_bits(&random, worlds[w].policy, worlds[w].control, worlds[w].epsilon,
                                 1500, &inside);
            outside += !inside;
        }
        assert_true(outside <= 90); /* 5% and six standard deviations */
        if (worlds[w].policy == worlds[w].control) {
            assert_true(decided <= 90);
        }
        if (worlds[w].policy > 0.8) {
            assert_int_equal(decided, TRIALS);
        }
    }
}

/* With a fixed seed, so the counts are always the same. With a new seed, a count of 2,000 trials with
 * the promised 5% would be above 150 with probability below 1e-6. */
TEST(intervals_and_decisions_keep_their_promise)
{
    static const struct {
        double policy, control, noise;
    } worlds[] = {{0.3, 0.3, 1}, {0.5, 0.5, 10}, {0.02, 0.02, 1}, {0.32, 0.3, 1}, {0.9, 0.2, 4}};
    enum { TRIALS = 2000 };
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++) {
        lotor_generator random;
        lotor_generator_seed(&random, 5 + w);
        size_t outside = 0, decided = 0;
        for (size_t i = 0; i < TRIALS; i++) {
            bool inside;
            decided +=
                play(&random, worlds[w].policy, worlds[w].control, worlds[w].noise, 1500, &inside);
            outside += !inside;
        }
        assert_true(outside <= 150);
        if (worlds[w].policy == worlds[w].control) {
            assert_true(decided <= 150);
        }
        if (worlds[w].policy > 0.8) {
            assert_int_equal(decided, TRIALS); /* a large lift is noticed */
        }
    }
}
