/* test_imed_options.c - the rules of learn/imed.h for lists (lag and order), for randomized bits, for
 * means that change (window and alarm), and for boards whose rows are used again.
 *
 * As in test_imed.c, most numbers are worked out by hand: without noise the estimate is sum/n, the
 * evidence n kl(estimate, level), and the first batch has 1 display.
 */
#include "support/test.h"

#include <math.h>

#include "support/imed_rig.h"

/* --- lag (rule 7c) ----------------------------------------------------------------------------- */

static void start_with_lag(double epsilon, size_t arms, size_t slots, double lag)
{
    lotor_imed_setup setup = rig_setup(epsilon);
    setup.lag = lag;
    rig_start_top(setup, arms, slots);
}

/* The 30 displays of arm 1 count 4 times. So arm 0, the best, is recorded until it has 120, and for
 * at least 1/20 of its displays. */
TEST(the_best_leader_is_recorded_more_often)
{
    start_with_lag(log(2.0), 3, 2, 4.0);
    rig_release_all_ones(0, 100);
    rig_release(1, 30, 20.5);
    rig_release(2, 400, -1.0); /* never again */
    rig_expect(0, 100, 20);
    rig.counts[0].open = 20; /* as many: the lower number comes first */
    rig_expect(0, 100, 6);
    rig.counts[0].open = 26; /* 126/4 - 30 is 1.5, and 30/20, too */
    rig_expect(1, 30, 2);
    rig_end();
}

/* Arms 1 and 2 have 200 and 80 turns: arm 2 is recorded until 100/4. Then with 80 and 60 turns it is
 * recorded until 80/4, the turns of arm 1. */
TEST(a_leader_is_recorded_up_to_the_next)
{
    start_with_lag(log(2.0), 4, 3, 4.0);
    rig_release_all_ones(0, 100);
    rig_release(1, 20, 15.5);
    rig_release(2, 15, 5.5);
    rig_release(3, 400, -1.0);
    rig_expect(2, 15, 5);
    rig.counts[1].open = 30;
    rig.counts[2].open = 5;
    rig_expect(2, 15, 5);
    rig_end();
}

/* 11 kl(1/11, 1/2) - 3.5 + 1.3 log 11 = log 48.95, between the weakest leader, of 30 displays, and
 * the best. */
TEST(others_are_compared_with_the_weakest_leader)
{
    start_with_lag(INFINITY, 3, 2, 4.0);
    rig_release(0, 100, 100.0);
    rig_release(1, 30, 15.0);
    rig_release(2, 11, 1.0);
    rig_expect(0, 100, 20); /* the index does not end this */
    rig.counts[0].open = 26;
    rig_expect(1, 30, 2);
    rig.counts[0] = (lotor_imed_counts){.waiting = 900};
    rig_expect(1, 30, 19); /* up to 49 displays */
    rig.counts[1].open = 18;
    rig_expect(1, 30, 1);
    rig.counts[1].open = 19;
    const lotor_imed_plan plan = rig_choose(3, NULL);
    assert_int_equal(plan.recorded, 2);
    rig_expect_order(&plan, (const uint32_t[]){0, 2}, 2);
    rig_end();
}

/* --- the order of a set (rule 8) ---------------------------------------------------------------- */

TEST(lists_are_shown_by_estimate)
{
    rig_start_top(rig_setup(INFINITY), 5, 3);
    rig_release(0, 1000, 300.0);
    rig_release(1, 1000, 900.0);
    rig_release(2, 1000, 600.0);
    rig_release(3, 400, 0.0);
    lotor_imed_plan plan = rig_choose(3, NULL);
    assert_int_equal(plan.recorded, 4); /* a new arm comes last */
    rig_expect_order(&plan, (const uint32_t[]){1, 2, 4}, 3);
    rig_release(4, 1000, 700.0);
    plan = rig_choose(3, NULL);
    rig_expect_order(&plan, (const uint32_t[]){1, 4, 2}, 3);
    rig_release(2, 8000, 8000.0); /* the mean is 0.956 now */
    plan = rig_choose(3, NULL);
    rig_expect_order(&plan, (const uint32_t[]){2, 1, 4}, 3);
    rig_end();
}

/* Groups of a partition do not decide the order. */
TEST(sets_of_a_matroid_are_shown_by_estimate)
{
    static const uint32_t group[] = {0, 0, 1, 1}, capacity[] = {1, 1};
    lotor_oracle *oracle;
    assert_int_equal(lotor_oracle_partition(4, group, 2, capacity, NULL, &oracle), LOTOR_OK);
    rig_start(rig_setup(INFINITY), oracle);
    rig_release(0, 1000, 100.0);
    rig_release(1, 1000, 500.0);
    rig_release(2, 1000, 800.0);
    rig_release(3, 3, 1.0); /* its index is far below */
    const lotor_imed_plan plan = rig_choose(3, NULL);
    assert_int_equal(plan.recorded, 3);
    rig_expect_order(&plan, (const uint32_t[]){1, 3}, 2);
    rig_release(3, 3000, 100.0);
    const lotor_imed_plan leaders = rig_choose(3, NULL);
    rig_expect_order(&leaders, (const uint32_t[]){2, 1}, 2);
    rig_end();
}

/* The edges of a path come in the order of the path, whatever their estimates are. */
TEST(paths_keep_their_order)
{
    static const uint32_t from[] = {1, 0, 2, 0}, to[] = {3, 1, 3, 2};
    for (int i = 0; i < 2; i++) {
        lotor_oracle *oracle;
        assert_int_equal(lotor_oracle_path(4, from, to, 4, 0, 3, NULL, &oracle), LOTOR_OK);
        rig_start(rig_setup(INFINITY), oracle);
        rig_release(0, 1000, i == 0 ? 600.0 : 800.0);
        rig_release(1, 1000, i == 0 ? 800.0 : 600.0);
        rig_release(2, 5, i == 0 ? 2.0 : 1.0);
        rig_release(3, 5, i == 0 ? 1.0 : 2.0);
        const lotor_imed_plan other = rig_choose(3, NULL);
        rig_expect_order(&other, (const uint32_t[]){3, 2}, 2);
        rig.counts[2].waiting = rig.counts[3].waiting = 5;
        const lotor_imed_plan leaders = rig_choose(3, NULL);
        rig_expect_order(&leaders, (const uint32_t[]){1, 0}, 2);
        rig_end();
    }
}

/* --- rewards in another range, and of known variance (rule 13) ---------------------------------- */

TEST(rewards_are_scaled)
{
    lotor_imed_setup setup = rig_setup(INFINITY);
    setup.model.low = -1.0;
    setup.model.high = 3.0;
    rig_start_top(setup, 2, 1);
    rig_release(0, 10, 10.0);
    rig_choose(3, NULL);
    assert_true(fabs(lotor_imed_estimate(rig.learner, 0) - 1.0) < 1e-9);
    assert_true(isnan(lotor_imed_estimate(rig.learner, 1)));
    rig_end();
}

/* Means 1.2 and 1.0 in [0,2], variance 1/4: 80 (0.1)^2/(2/16) - 3.5 + 1.3 log 80 = log 5413.4. */
TEST(a_variance_gives_the_evidence)
{
    lotor_imed_setup setup = rig_setup(INFINITY);
    setup.model.high = 2.0;
    setup.model.variance = 0.25;
    rig_start_top(setup, 2, 1);
    rig_release(0, 1000, 1200.0);
    rig_release(1, 80, 80.0);
    rig.counts[0].waiting = 4413;
    assert_int_equal(rig_choose(3, NULL).recorded, 0);
    rig.counts[0].waiting = 4414;
    assert_int_equal(rig_choose(3, NULL).recorded, 1);
    rig_end();
}

/* --- randomized bits (rule 12) ------------------------------------------------------------------ */

/* With epsilon = log 3 a bit is true with probability 3/4: it is 1 with probability 1/4 + mean/2. */
static void start_local(size_t arms)
{
    lotor_imed_setup setup = rig_setup(log(3.0));
    setup.model.is_local = true;
    setup.statistics = 1;
    rig_start_top(setup, arms, 1);
}

static void expect_estimate(size_t arm, double expected)
{
    assert_true(fabs(lotor_imed_estimate(rig.learner, arm) - expected) < 2e-9);
}

/* 100 kl(0.5, 0.7) - 3.5 + log 100 + 0.3 log(100/4) = log 48460.4. */
TEST(bits_by_hand)
{
    start_local(2);
    rig_release(0, 1000, 700.0);
    rig_release(1, 100, 50.0);
    rig.counts[0].waiting = 47450;
    rig_expect(0, UINT64_C(1) << 61, 10); /* 1000/100 */
    rig.counts[0].waiting = 47460;
    rig_expect(0, UINT64_C(1) << 61, 1);
    expect_estimate(0, 0.9);
    expect_estimate(1, 0.5);
    rig.counts[0].waiting = 47461;
    rig_expect(1, UINT64_C(1) << 61, 1);
    rig_release(1, 250, 124.0);
    rig.counts[0].waiting = 0;
    rig_release(0, 1099, 700.0);
    rig_expect(0, UINT64_C(1) << 61, 10); /* rounded down */
    expect_estimate(1, 0.492);
    rig_end();
}

TEST(estimates_of_bits_are_clipped)
{
    start_local(2);
    rig_release(0, 99, 90.0);
    rig_release(1, 100, 10.0);
    rig_expect(0, UINT64_C(1) << 61, 1);
    expect_estimate(0, 1.0);
    expect_estimate(1, 0.0);
    rig_end();
}

/* The evidence is below 3.5, so a batch would have as many displays as there are. */
TEST(close_arms_are_explored_until_enough_reports_are_under_way)
{
    start_local(2);
    rig_release(0, 10000, 7000.0);
    rig_release(1, 250, 170.0);
    rig_expect(1, UINT64_C(1) << 61, 2);
    rig.counts[1].waiting = 249;
    rig_expect(1, UINT64_C(1) << 61, 2);
    rig.counts[1].waiting = 250;
    assert_int_equal(rig_choose(3, NULL).recorded, 0);
    rig_end();
}

/* As in bits_by_hand. The leader has 100,000 displays: n' d + pen(n') reaches log 100000 at 100 + 11.2,
 * so a batch would have the least size, 20; and log 1000000 at 100 + 48.2. */
TEST(arms_are_explored_until_enough_reports_are_under_way)
{
    static const uint64_t rounds[] = {3, 1000000}, sizes[] = {20, 49};
    start_local(2);
    rig_release(0, 1000, 700.0);
    rig_release(1, 100, 50.0);
    rig.counts[0].waiting = 99000;
    for (size_t i = 0; i < 2; i++) {
        rig.counts[1].waiting = sizes[i] - 1;
        assert_int_equal(rig_choose(rounds[i], NULL).recorded, 1);
        rig.counts[1].waiting = sizes[i];
        assert_int_equal(rig_choose(rounds[i], NULL).recorded, 0);
    }
    rig_end();
}

/* --- a window (rule 14) ------------------------------------------------------------------------- */

static void start_with_window(uint64_t window, double epsilon, size_t arms)
{
    lotor_imed_setup setup = rig_setup(epsilon);
    setup.window = window;
    rig_start_top(setup, arms, 1);
}

/* Arm 1 was released in round 20. From round 120 on it is new. Arm 0 has a second release, so it only
 * forgets its first. */
TEST(a_window_forgets)
{
    start_with_window(100, log(2.0), 2);
    rig_release_at(10, 0, 10, -1.0);
    rig_release_at(20, 1, 400, -1.0);
    rig_release_at(50, 0, 10, 11.0);
    const lotor_imed_plan before = rig_choose(109, NULL);
    const double half = lotor_imed_estimate(rig.learner, 0);
    assert_true(half > 0.2 && half < 0.8); /* of one batch without and one with all ones */
    assert_int_equal(before.recorded, 0);
    assert_int_equal(rig_choose(119, NULL).recorded, 0);
    assert_true(lotor_imed_estimate(rig.learner, 0) > 0.99);
    assert_true(!isnan(lotor_imed_estimate(rig.learner, 1)));
    const lotor_imed_plan after = rig_choose(120, NULL);
    assert_int_equal(after.recorded, 1);
    assert_int_equal(after.size, 6);
    assert_true(isnan(lotor_imed_estimate(rig.learner, 1)));
    rig_release_at(130, 1, 6, -1.0);
    assert_int_equal(rig_choose(131, NULL).recorded, 0);
    rig_end();
}

/* At most a sixteenth of the window; but not less than the first batch, which has 6 displays. */
TEST(a_window_limits_batches)
{
    static const uint64_t windows[] = {1600, 112, 96, 40}, sizes[] = {100, 7, 6, 6};
    for (size_t i = 0; i < 4; i++) {
        start_with_window(windows[i], log(2.0), 2);
        rig_release_all_ones(0, 400);
        rig_release(1, 400, -1.0);
        rig_expect(0, sizes[i], sizes[i]);
        rig.counts[0].open = sizes[i] - 1;
        rig_expect(0, sizes[i], 1);
        rig.counts[0].open = 200; /* it closes with the next display */
        rig_expect(0, 201, 1);
        rig_end();
    }
}

/* --- an alarm (rule 14) ------------------------------------------------------------------------- */

static lotor_imed_setup setup_with_alarm(void)
{
    lotor_imed_setup setup = rig_setup(INFINITY);
    setup.has_alarm = true;
    return setup;
}

/* Two batches of 20 displays, with 18 and 8 ones: with means of their own they are more likely by
 * 20 kl(0.9, 0.65) + 20 kl(0.4, 0.65) = 2 + log 51.2. */
static void start_with_change(void)
{
    rig_start_top(setup_with_alarm(), 2, 1);
    rig_release_at(5, 1, 300, 30.0);
    rig_release_at(10, 0, 20, 18.0);
    rig_release_at(20, 0, 20, 8.0);
}

/* Both arms forget: arm 1 is new then. */
TEST(an_alarm_drops_what_was_before_a_change)
{
    start_with_change();
    rig_release_at(30, 1, 200, 20.0); /* after the change */
    assert_int_equal(rig_choose(51, NULL).recorded, 0);
    assert_true(fabs(lotor_imed_estimate(rig.learner, 0) - 0.4) < 1e-6);
    assert_true(fabs(lotor_imed_estimate(rig.learner, 1) - 0.1) < 1e-6);
    const lotor_imed_memory memory = lotor_imed_memory_of(rig.learner);
    assert_int_equal(memory.forgotten, 10);
    assert_int_equal(memory.checked, 30);
    rig_end();
    start_with_change();
    assert_int_equal(rig_choose(51, NULL).recorded, 1);
    assert_true(isnan(lotor_imed_estimate(rig.learner, 1)));
    rig_end();
}

TEST(an_alarm_needs_evidence)
{
    start_with_change();
    rig_choose(52, NULL);
    assert_true(fabs(lotor_imed_estimate(rig.learner, 0) - 0.65) < 0.01);
    assert_int_equal(lotor_imed_memory_of(rig.learner).forgotten, 0);
    assert_int_equal(lotor_imed_memory_of(rig.learner).checked, 20);
    rig_end();
    lotor_imed_setup setup = rig_setup(INFINITY); /* without an alarm nothing is forgotten */
    rig_start_top(setup, 2, 1);
    rig_release(0, 200, 180.0);
    rig_release(0, 200, 20.0);
    rig_choose(3, NULL);
    assert_true(fabs(lotor_imed_estimate(rig.learner, 0) - 0.5) < 0.01);
    rig_end();
}

/* 40 releases without a change; then one. */
TEST(an_alarm_is_quiet_without_a_change)
{
    lotor_imed_setup setup = setup_with_alarm();
    setup.statistics = 64;
    rig_start_top(setup, 1, 1);
    for (uint64_t i = 1; i <= 40; i++) {
        rig_release_at(100 * i, 0, 100, i % 2 == 0 ? 45.0 : 55.0);
        rig_choose(100 * i + 1, NULL);
    }
    assert_int_equal(lotor_imed_memory_of(rig.learner).forgotten, 0);
    rig_release_at(4100, 0, 100, 85.0);
    rig_choose(4101, NULL);
    assert_int_equal(lotor_imed_memory_of(rig.learner).forgotten, 4000);
    rig_end();
}

/* 20 ones, then k batches of one 0. The split before the first 0 has the evidence 20 log((20+k)/20) + k
 * log((20+k)/k): 15.5, 16.7 and 18.0 for k = 7, 8 and 9; the others have less than 14. The alarm needs
 * 2 + log 442413 = 15.0, and does not try the ninth split. */
TEST(an_alarm_tries_the_last_eight_splits)
{
    for (uint64_t k = 7; k <= 9; k++) {
        lotor_imed_setup setup = setup_with_alarm();
        setup.statistics = 16;
        rig_start_top(setup, 1, 1);
        rig_release(0, 20, 20.0);
        for (uint64_t i = 0; i < k; i++) {
            rig_release(0, 1, 0.0);
        }
        rig_choose(442413, NULL);
        assert_int_equal(lotor_imed_memory_of(rig.learner).forgotten, k <= 8);
        rig_end();
    }
}

/* A new learner that gets the memory of another goes on in the same way: it forgets the same, and does
 * not look again at what was looked at. */
TEST(memory_of_an_alarm)
{
    start_with_change();
    lotor_imed_remember(rig.learner, (lotor_imed_memory){.forgotten = 0, .checked = 20});
    rig_choose(51, NULL);
    assert_int_equal(lotor_imed_memory_of(rig.learner).forgotten, 0);
    assert_true(fabs(lotor_imed_estimate(rig.learner, 0) - 0.65) < 0.01);
    rig_end();
    start_with_change();
    lotor_imed_remember(rig.learner, (lotor_imed_memory){.forgotten = 10, .checked = 20});
    assert_int_equal(rig_choose(1000000, NULL).recorded, 1);
    assert_true(fabs(lotor_imed_estimate(rig.learner, 0) - 0.4) < 1e-6);
    rig_end();
}

/* --- rows that are used again ------------------------------------------------------------------- */

/* A learner that has read nothing plans like the one that has read every release. */
static void expect_same_as_new(const lotor_imed_setup *setup, uint64_t t)
{
    lotor_imed_learner *new_one;
    lotor_imed_setup copy = *setup;
    copy.oracle = rig.oracle;
    assert_int_equal(lotor_imed_new(&copy, &new_one), LOTOR_OK);
    lotor_imed_remember(new_one, lotor_imed_memory_of(rig.learner));
    const lotor_imed_plan a = rig_choose(t, NULL);
    const lotor_imed_plan b = lotor_imed_choose(new_one, rig.board, rig.counts, t, t, 1, NULL);
    assert_int_equal(a.recorded, b.recorded);
    assert_int_equal(a.size, b.size);
    assert_int_equal(a.hold, b.hold);
    rig_expect_order(&a, b.arms, b.count);
    for (size_t arm = 0; arm < rig.oracle->arms; arm++) {
        const double mine = lotor_imed_estimate(rig.learner, arm);
        const double other = lotor_imed_estimate(new_one, arm);
        assert_true(mine == other || (isnan(mine) && isnan(other)));
    }
    lotor_imed_free(new_one);
}

/* 3 rows, and 30 releases each of two arms, in steps of `unread` releases without a choice. */
static void fill_few_rows(uint64_t window, bool has_alarm, uint64_t unread)
{
    lotor_imed_setup setup = rig_setup(INFINITY);
    setup.statistics = 3;
    setup.window = window;
    setup.has_alarm = has_alarm;
    rig_start_top(setup, 3, 1);
    rig_release_at(1, 2, 40, 2.0);
    for (uint64_t i = 1; i <= 60; i++) {
        rig_release_at(10 * i, i % 2, 10 + i, (double)(i * 7 % (9 + i)));
        if (i % unread == 0) {
            expect_same_as_new(&setup, 10 * i + 5);
        }
    }
    rig_end();
}

TEST(rows_are_used_again)
{
    for (uint64_t unread = 1; unread <= 11; unread++) {
        fill_few_rows(0, false, unread);
        fill_few_rows(90, false, unread);
        fill_few_rows(400, true, unread);
    }
}

/* The last three of five releases are on the board: 60 displays with 30 ones. */
TEST(the_last_rows_count)
{
    static const double sums[] = {20.0, 20.0, 1.0, 13.0, 16.0};
    lotor_imed_setup setup = rig_setup(INFINITY);
    setup.statistics = 3;
    rig_start_top(setup, 1, 1);
    for (size_t i = 0; i < 5; i++) {
        rig_release(0, 20, sums[i]);
        if (i == 0) {
            rig_choose(3, NULL); /* the others are read at once */
        }
    }
    rig_expect(0, 60, 60);
    assert_true(fabs(lotor_imed_estimate(rig.learner, 0) - 0.5) < 0.01);
    rig_end();
}
