/* test_outlook.c - when the lift will be decided (policy/outlook.c). Seeds are fixed. */
#include "support/test.h"

#include <math.h>

#include "base/random/laws.h"
#include "policy/serving.h"
#include "privacy/release/schedule.h"

static const lotor_estimator binary = {
    .kind = LOTOR_ESTIMATE_ADDED, .low = 0, .high = 1, .noise = 1, .scale = 1};

static lotor_arm_sums sums(double mean, uint64_t count)
{
    return (lotor_arm_sums){.value = mean * (double)count, .count = count, .draws = 10};
}

TEST(nothing_was_released)
{
    const lotor_arm_sums none = {0}, some = sums(0.5, 100);
    lotor_outlook outlook;
    assert_false(lotor_outlook_of(&binary, &none, &some, 1000, &outlook));
    assert_false(lotor_outlook_of(&binary, &some, &none, 1000, &outlook));
}

TEST(a_decided_lift_needs_no_rounds)
{
    const lotor_arm_sums more = sums(0.6, 10000), less = sums(0.4, 10000);
    lotor_outlook outlook;
    assert_true(lotor_outlook_of(&binary, &more, &less, 1000000, &outlook));
    assert_true(outlook.is_decided && !outlook.is_far);
    assert_int_equal(outlook.count, 10000);
}

/* The outlook names the first release after which the rule decides. Both by hand: with 1,000 rounds each,
 * the belief about a difference of 0.05 has the mean 0.0416 and the deviation 0.0204. */
TEST(the_first_release_that_decides)
{
    const lotor_arm_sums more = sums(0.525, 1000), less = sums(0.475, 1000);
    lotor_outlook outlook;
    lotor_lift lift;
    assert_true(lotor_lift_of(&binary, &more, &less, &lift));
    assert_false(lift.is_decided);
    assert_true(lotor_outlook_of(&binary, &more, &less, UINT64_C(1) << 40, &outlook));
    assert_false(outlook.is_decided || outlook.is_far);
    const double trust = 0.0025 / (0.0025 + lift.variance);
    assert_true(fabs(outlook.typical - trust * 0.05) <
                0.002); /* the belief is nearly all above 0 */
    uint64_t before = 0, draws = 10;
    for (uint64_t end = 1000; end < outlook.count;
         end = lotor_schedule_end(lotor_schedule_growing, end)) {
        before = end;
        draws++;
    }
    for (int i = 0; i < 2; i++) {
        const uint64_t count = i ? outlook.count : before;
        const lotor_arm_sums high = {(0.5 + outlook.typical / 2) * (double)count, 0, count, draws};
        const lotor_arm_sums low = {(0.5 - outlook.typical / 2) * (double)count, 0, count, draws};
        assert_true(lotor_lift_of(&binary, &high, &low, &lift));
        assert_int_equal(lift.is_decided, i);
    }
    assert_true(lotor_outlook_of(&binary, &more, &less, outlook.count - 1, &outlook));
    assert_true(outlook.is_far);
}

/* Lists of two in the local model with epsilon 1: values from 0 to 2, and each bit of them may be a lie. */
static lotor_estimator bits_of_lists(void)
{
    const double lie = 1.0 / (1.0 + exp(1.0));
    return (lotor_estimator){.kind = LOTOR_ESTIMATE_BITS,
                             .low = 0,
                             .high = 2,
                             .noise = lie,
                             .scale = 1.0 / (1.0 - 2.0 * lie)};
}

/* How many of `count` bits are expected to be 1. */
static lotor_arm_sums bits(const lotor_estimator *local, double mean, uint64_t count)
{
    const double rate = local->noise + (1.0 - 2.0 * local->noise) * mean / 2.0;
    return (lotor_arm_sums){.value = rate * (double)count, .count = count};
}

/* Sums of the local model are sums of bits, not of values. The means are low, in the middle, and high. */
TEST(the_first_round_that_decides_in_the_local_model)
{
    const lotor_estimator local = bits_of_lists();
    for (int i = 0; i < 3; i++) {
        const double middle = 0.2 + 0.8 * i;
        const lotor_arm_sums more = bits(&local, middle + 0.05, 1000);
        const lotor_arm_sums less = bits(&local, middle - 0.05, 1000);
        lotor_outlook outlook;
        lotor_lift lift;
        assert_true(lotor_outlook_of(&local, &more, &less, UINT64_C(1) << 40, &outlook));
        assert_false(outlook.is_decided || outlook.is_far);
        for (int j = 0; j < 2; j++) { /* batches grow by less than three quarters */
            const uint64_t count = j ? outlook.count : outlook.count * 4 / 7;
            const lotor_arm_sums high = bits(&local, middle + outlook.typical / 2, count);
            const lotor_arm_sums low = bits(&local, middle - outlook.typical / 2, count);
            assert_true(lotor_lift_of(&local, &high, &low, &lift));
            assert_int_equal(lift.is_decided, j);
        }
    }
}

/* A clearer difference is decided sooner; the sign makes no difference. */
TEST(clearer_is_sooner)
{
    uint64_t before = UINT64_MAX;
    for (int i = 0; i <= 6; i++) {
        const lotor_arm_sums more = sums(0.5 + 0.005 * i, 1000), less = sums(0.5 - 0.005 * i, 1000);
        lotor_outlook outlook, mirrored;
        assert_true(lotor_outlook_of(&binary, &more, &less, UINT64_C(1) << 50, &outlook));
        assert_true(lotor_outlook_of(&binary, &less, &more, UINT64_C(1) << 50, &mirrored));
        assert_int_equal(outlook.count, mirrored.count);
        assert_true(outlook.count <= before);
        before = outlook.count;
    }
    assert_true(before < 10000);
}

/* Noise can carry sums anywhere. */
TEST(extreme_sums)
{
    static const double values[] = {-1e300, -5, 0, 3, 1e300};
    for (size_t i = 0; i < 5; i++) {
        for (size_t j = 0; j < 5; j++) {
            const lotor_arm_sums a = {.value = values[i], .count = 3, .draws = 3};
            const lotor_arm_sums b = {.value = values[j], .count = 3, .draws = 3};
            lotor_outlook outlook;
            assert_true(lotor_outlook_of(&binary, &a, &b, UINT64_MAX, &outlook));
            assert_true(outlook.typical >= 0 && outlook.typical <= 1);
        }
    }
}

/* One campaign, from release to release. */
typedef struct campaign {
    lotor_generator *coins;
    double means[2];
    lotor_arm_sums sums[2];
} campaign;

/* Plays until the next release. The sum of many values is nearly normal. */
static void next_release(campaign *at)
{
    for (int i = 0; i < 2; i++) {
        lotor_arm_sums *const one = &at->sums[i];
        const uint64_t end = lotor_schedule_end(lotor_schedule_growing, one->count);
        const double n = (double)(end - one->count), p = at->means[i];
        const double u = (double)(lotor_generator_word(at->coins) >> 11) * 0x1p-53 - 0.5;
        const double laplace = (u < 0 ? 1 : -1) * binary.noise * log1p(-2 * fabs(u));
        one->value += n * p + sqrt(n * p * (1 - p)) * lotor_random_gaussian(at->coins) + laplace;
        one->count = end;
        one->draws++;
    }
}

/* 2,000 campaigns whose differences have the law that the rule expects. Each is asked at about 3,000
 * rounds of each kind. The standard error of a share of one half is 0.011. */
TEST(half_of_all_campaigns_are_decided_by_then)
{
    enum { CAMPAIGNS = 2000 };
    lotor_generator coins;
    int asked = 0, in_time = 0;
    lotor_generator_seed(&coins, 20);
    for (int i = 0; i < CAMPAIGNS; i++) {
        const double difference = 0.05 * lotor_random_gaussian(&coins);
        campaign at = {.coins = &coins, .means = {0.5 + difference / 2, 0.5 - difference / 2}};
        lotor_outlook outlook;
        bool is_decided = false;
        while (at.sums[0].count < 3000) {
            next_release(&at);
            assert_true(lotor_outlook_of(&binary, &at.sums[0], &at.sums[1], UINT64_MAX, &outlook));
            is_decided = is_decided || outlook.is_decided;
        }
        if (is_decided || outlook.is_far) {
            continue;
        }
        asked++;
        while (!is_decided && at.sums[0].count < outlook.count) {
            lotor_lift lift;
            next_release(&at);
            assert_true(lotor_lift_of(&binary, &at.sums[0], &at.sums[1], &lift));
            is_decided = lift.is_decided;
        }
        in_time += is_decided;
    }
    print_message("%d campaigns were asked, %.1f%% were decided by then\n", asked,
                  100.0 * in_time / asked);
    assert_true(asked > CAMPAIGNS / 4);
    assert_true(in_time > 0.35 * asked && in_time < 0.65 * asked);
}
