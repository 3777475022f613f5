/* test_imed.c - the rules of lik-imed (learn/imed.h) on boards made by hand.
 *
 * Most tests use epsilon = log 2. Then a batch of n displays whose sum is below 0 has the estimate 0,
 * and the evidence against 1 is n log 2; a sum above n has the estimate 1. The first batch has
 * ceil(4/log 2) = 6 displays. Without noise (epsilon = infinity) the estimate is sum/n, the evidence
 * is n kl(estimate, level), and the first batch has 1 display.
 */
#include "support/test.h"

#include <math.h>

#include "support/imed_rig.h"

static void make(size_t arms, size_t slots, double epsilon)
{
    rig_start_top(rig_setup(epsilon), arms, slots);
}

static void expect_set(uint64_t t, const bool *eligible, uint32_t recorded, uint32_t first,
                       uint32_t second)
{
    const lotor_imed_plan plan = rig_choose(t, eligible);
    assert_int_equal(plan.recorded, recorded);
    assert_int_equal(plan.count, 2);
    assert_true((plan.arms[0] == first && plan.arms[1] == second) ||
                (plan.arms[0] == second && plan.arms[1] == first));
}

/* --- index and penalty ------------------------------------------------------------------------- */

/* Arm 1 has 6 displays: 6 log 2 - 3.5 + log 6 = log 11.596. So the leader is recorded up to 12
 * displays. */
TEST(leader_stays_until_the_index_of_another_arm)
{
    make(2, 1, log(2.0));
    rig_release_all_ones(0, 10);
    rig_release(1, 6, -1.0);
    rig_expect(0, 10, 2);
    rig.counts[0].open = 1;
    rig_expect(0, 10, 1);
    rig.counts[0].open = 2; /* its size is 6, since 6 log 2 - 3.5 is 0.66: the growth is capped */
    assert_int_equal(rig_choose(1000000, NULL).recorded, 1);
    assert_int_equal(rig_choose(1000000, NULL).size, 6);
    rig_end();
}

/* 12 log 2 - 3.5 + log 12 + 0.3 log(12/6) = log 1827.34. */
TEST(penalty_grows_with_the_number_of_displays)
{
    make(2, 1, log(2.0));
    rig_release_all_ones(0, 1800);
    rig_release(1, 12, -1.0);
    rig_expect(0, 1800, 28);
    rig.counts[0].open = 27;
    rig_expect(0, 1800, 1);
    rig.counts[0].open = 28;
    assert_int_equal(rig_choose(3, NULL).recorded, 1);
    rig_end();
}

/* Both arms are close: the evidence is below 3.5, and 0.3 log 5000 is above 2.5. The index is
 * log 5000 + 2.5 = log 60912.47. */
TEST(penalty_is_capped)
{
    make(2, 1, INFINITY);
    rig_release(0, 60000, 30030.0);
    rig_release(1, 5000, 2499.0);
    rig_expect(0, 60000, 913);
    rig.counts[0].open = 913;
    rig_expect(1, 5000, 5000); /* no evidence: the batch doubles its displays */
    rig_end();
}

/* --- batch size -------------------------------------------------------------------------------- */

/* d = (12 log 2 - 3.5)/12. The roots of n' d + log n' + 0.3 log(n'/6) = L are 12 + 0.18 for
 * L = log 2000, 12 + 8.27 for log 100000, and 12 + 13.29 for log 1000000. */
TEST(batch_of_another_arm_ends_where_its_index_reaches_log_t)
{
    make(2, 1, log(2.0));
    rig_release_all_ones(0, 2000);
    rig_release(1, 12, -1.0);
    rig_expect(1, 3, 3); /* at least 12/5 */
    assert_int_equal(rig_choose(100000, NULL).size, 9);
    assert_int_equal(rig_choose(100000, NULL).hold, 9);
    assert_int_equal(rig_choose(1000000, NULL).size, 12); /* at most 12 */
    rig.counts[1].open = 5;
    assert_int_equal(rig_choose(100000, NULL).size, 9);
    assert_int_equal(rig_choose(100000, NULL).hold, 4);
    rig.counts[0].waiting = 98000; /* the leader's displays count if there are more than t */
    rig_expect(1, 9, 4);
    rig_end();
}

/* 40 log 2 - 3.5 + log 40 + 0.3 log(40/6) = log 2.35e12, which the leader has passed a little: the
 * batch has the least size, 40/5. */
TEST(batch_of_another_arm_adds_a_fifth)
{
    make(2, 1, log(2.0));
    rig_release_all_ones(0, 100);
    rig_release(1, 40, -1.0);
    rig.counts[0].waiting = UINT64_C(2500000000000);
    rig_expect(1, 8, 8);
    rig_end();
}

/* The open batch has 30 displays when its arm is not a leader any more, and 9 would do: the batch closes
 * with the next display. */
TEST(large_open_batch_closes)
{
    make(2, 1, log(2.0));
    rig_release_all_ones(0, 2000);
    rig_release(1, 12, -1.0);
    rig.counts[1].open = 30;
    const lotor_imed_plan plan = rig_choose(100000, NULL);
    assert_int_equal(plan.recorded, 1);
    assert_int_equal(plan.size, 31);
    assert_int_equal(plan.hold, 1);
    rig_end();
}

TEST(batch_of_a_leader_doubles_its_displays)
{
    make(2, 1, log(2.0));
    rig_release_all_ones(0, 10);
    rig_release(1, 400, -1.0); /* never again */
    rig_expect(0, 10, 10);
    rig.counts[0].open = 3;
    rig_expect(0, 10, 7);
    rig.counts[0].waiting = 16; /* displays that wait count, too */
    rig_expect(0, 26, 23);
    rig_end();
}

/* --- several leaders --------------------------------------------------------------------------- */

/* The leader with the fewest displays is recorded until it has as many as the next, and for at least
 * 1/20 of its displays. */
TEST(leaders_take_turns)
{
    make(3, 2, log(2.0));
    rig_release_all_ones(0, 50);
    rig_release_all_ones(1, 40);
    rig_release(2, 400, -1.0);
    rig_expect(1, 40, 10);
    rig.counts[1].open = 10; /* 50 and 50 displays; the first arm is taken: ceil(50/20) */
    rig_expect(0, 50, 3);
    rig.counts[1].open = 9;
    rig_expect(1, 40, 3); /* 1 would be enough for as many */
    rig.counts[1].open = 39;
    rig.counts[0].waiting = 100;
    rig_expect(1, 40, 1); /* the batch is full before that */
    rig_end();
}

/* Arm 3 is compared with the lowest leader, 1, and takes its place. 4 log 2 is below 3.5: the index
 * is log 4 + 0.3 log(4/6). */
TEST(another_arm_replaces_the_lowest_leader)
{
    make(4, 2, log(2.0));
    rig_release_all_ones(0, 100);
    rig_release(1, 100, 80.5);
    rig_release(2, 400, -1.0);
    rig_release(3, 4, -1.0);
    expect_set(3, NULL, 3, 0, 3);
    rig.counts[3].waiting = 4; /* an arm that waits is not explored */
    expect_set(3, NULL, 0, 0, 1);
    rig_end();
}

/* --- new and waiting arms ---------------------------------------------------------------------- */

TEST(new_arms_come_first)
{
    make(4, 1, log(2.0));
    rig_release_all_ones(0, 6);
    const uint32_t one = rig_choose(3, NULL).recorded;
    assert_true(one >= 1 && one <= 3);
    rig_expect(one, 6, 6);
    rig.counts[3].open = 4; /* an open batch is continued first */
    rig_expect(3, 6, 2);
    rig.counts[3] = (lotor_imed_counts){.waiting = 6};
    rig.counts[2] = (lotor_imed_counts){.waiting = 6};
    rig_expect(1, 6, 6); /* nothing waits for it */
    rig.counts[1] = (lotor_imed_counts){.waiting = 6};
    rig_expect(0, 6, 6); /* now only the leader is left, until its batch is full */
    rig_end();
}

/* The random choice depends on the seed. */
TEST(new_arms_come_in_random_order)
{
    uint64_t found[4] = {0};
    make(4, 1, log(2.0));
    for (uint64_t seed = 0; seed < 400; seed++) {
        const lotor_imed_plan plan =
            lotor_imed_choose(rig.learner, rig.board, rig.counts, 1, 1, seed, NULL);
        assert_int_equal(plan.count, 1);
        assert_int_equal(plan.arms[0], plan.recorded);
        found[plan.recorded]++;
    }
    for (size_t i = 0; i < 4; i++) { /* five standard deviations around 100 */
        assert_true(found[i] > 56 && found[i] < 144);
    }
    rig_end();
}

/* Nothing is released, and every arm waits: the arm of fewest displays, for 1/20 of them. Its next
 * batch is as large as what waits. */
TEST(all_arms_wait)
{
    make(3, 1, log(2.0));
    rig.counts[0] = (lotor_imed_counts){.waiting = 48, .open = 13};
    rig.counts[1] = (lotor_imed_counts){.waiting = 48, .open = 12};
    rig.counts[2] = (lotor_imed_counts){.waiting = 96, .open = 0};
    rig_expect(1, 48, 3);
    assert_int_equal(rig_choose(3, NULL).arms[0], 1);
    rig.counts[1].open = 47; /* 95 displays: the first arm is behind now */
    rig_expect(0, 48, 4);
    rig.counts[0].open = 47;
    rig_expect(0, 48, 1);
    rig_end();
}

/* The index of arm 1 is far below that of the leader, but its batch waits. */
TEST(waiting_arms_are_not_explored)
{
    make(3, 1, log(2.0));
    rig_release_all_ones(0, 1000);
    rig_release(1, 6, -1.0);
    rig_release(2, 400, -1.0);
    assert_int_equal(rig_choose(3, NULL).recorded, 1);
    rig.counts[1] = (lotor_imed_counts){.waiting = 6};
    rig_expect(0, 1000, 1000);
    rig.counts[1] = (lotor_imed_counts){.open = 2}; /* an open batch does not matter */
    assert_int_equal(rig_choose(3, NULL).recorded, 1);
    rig_end();
}

/* A leader is recorded even if its batches wait. */
TEST(leaders_are_recorded_while_they_wait)
{
    make(2, 1, log(2.0));
    rig_release_all_ones(0, 10);
    rig_release(1, 400, -1.0);
    rig.counts[0] = (lotor_imed_counts){.waiting = 10, .open = 19};
    rig_expect(0, 20, 1);
    rig_end();
}

/* --- subsets ----------------------------------------------------------------------------------- */

TEST(only_eligible_arms_count)
{
    make(5, 2, log(2.0));
    rig_release_all_ones(0, 100);
    rig_release(1, 100, 90.5);
    rig_release(2, 100, 50.5);
    rig_release(3, 400, -1.0);
    const bool all[RIG_ARMS] = {true, true, true, true, true};
    expect_set(3, all, 4, 0, 4); /* a new arm */
    const bool known[RIG_ARMS] = {true, true, true, true, false};
    expect_set(3, known, 0, 0, 1);
    const bool low[RIG_ARMS] = {false, true, false, true, false};
    expect_set(3, low, 1, 1, 3); /* both are leaders */
    const bool fresh[RIG_ARMS] = {false, false, true, true, true};
    expect_set(3, fresh, 4, 2, 4);
    rig.counts[4].waiting = 6;
    expect_set(3, fresh, 2, 2, 3);
    rig_end();
}

/* Arm 0 is paused. Against arm 1, whose estimate is about 0, there is no evidence against arm 2. */
TEST(evidence_is_against_eligible_leaders)
{
    make(3, 1, log(2.0));
    rig_release_all_ones(0, 100);
    rig_release(1, 100, 1.0);
    rig_release(2, 12, -1.0);
    const bool all[RIG_ARMS] = {true, true, true}, some[RIG_ARMS] = {false, true, true};
    assert_int_equal(rig_choose(3, all).recorded, 0);
    const lotor_imed_plan plan = rig_choose(3, some);
    assert_int_equal(plan.recorded, 2);
    assert_int_equal(plan.size, 12);
    assert_int_equal(rig_choose(3, all).recorded, 0); /* and back */
    assert_int_equal(rig_choose(3, some).recorded, 2);
    assert_int_equal(rig_choose(3, NULL).recorded, 0);
    assert_int_equal(rig_choose(3, some).recorded, 2);
    rig_release(2, 1000, -1.0); /* the same mask, another release */
    assert_int_equal(rig_choose(3, some).recorded, 1);
    rig_end();
}

/* --- sets with several new arms ---------------------------------------------------------------- */

/* Two paths of two edges: 0 and 1, or 2 and 3. */
static void make_paths(void)
{
    static const uint32_t from[] = {0, 1, 0, 2}, to[] = {1, 3, 2, 3};
    lotor_oracle *oracle;
    assert_int_equal(lotor_oracle_path(4, from, to, 4, 0, 3, NULL, &oracle), LOTOR_OK);
    rig_start(rig_setup(INFINITY), oracle);
}

/* The second path must rise by 0.2: 0.1 for each edge, since they are alike. The evidence is
 * 200 kl(0.5, 0.6), the index log 712.6. */
TEST(a_gap_is_spread)
{
    make_paths();
    rig_release(0, 700, 420.0);
    rig_release(1, 700, 420.0);
    rig_release(2, 100, 50.0);
    rig_release(3, 100, 50.0);
    rig_expect(0, 700, 13);
    rig.counts[0].open = rig.counts[1].open = 13;
    expect_set(3, NULL, 2, 2, 3);
    rig_end();
}

/* The second path must rise by 0.15. In proportion to 0.009 and 0.0025, edge 2 would rise by 0.117
 * from 0.9: it rises by 0.1, and edge 3 by 0.05. 10 kl(0.9, 1 - 1e-9) = 17.472,
 * 100 kl(0.5, 0.55) = 0.503; less 3.5, plus 1.3 log 10: log 38582660. */
TEST(a_share_is_capped)
{
    make_paths();
    rig_release(0, 38000000, 28500000.0);
    rig_release(1, 40000000, 32000000.0);
    rig_release(2, 10, 9.0);
    rig_release(3, 100, 50.0);
    assert_int_equal(rig_choose(3, NULL).recorded, 0);
    rig.counts[0].open = 582600;
    assert_int_equal(rig_choose(3, NULL).recorded, 0);
    rig.counts[0].open = 582720;
    expect_set(3, NULL, 2, 2, 3);
    rig_end();
}
