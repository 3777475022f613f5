/* test_imed_fading.c - half-lives (rule 14 of learn/imed.md): weights by age (learn/fading.h), and what a
 * learner does with them. Without noise the estimate is sum/n, and the first batch has 1 display.
 */
#include "support/test.h"

#include <math.h>

#include "learn/fading.h"
#include "support/imed_rig.h"

/* --- weights --------------------------------------------------------------------------------------- */

TEST(weights_halve)
{
    const lotor_fading fading = {.half_life = 640};
    assert_true(lotor_fading_weight(&fading, 100.0, 100.0) == 1.0);
    assert_true(lotor_fading_weight(&fading, 100.0, 740.0) == 0.5);
    assert_true(lotor_fading_weight(&fading, 100.0, 2020.0) == 0.125);
    assert_true(lotor_fading_weight(&fading, 100.0, 99.0) == 1.0); /* newer than the weighing */
    assert_true(!lotor_fading_is_over(&fading, 100.0, 5219.0));
    assert_true(lotor_fading_is_over(&fading, 100.0, 5220.0));
    const lotor_fading none = {.half_life = 0};
    assert_true(lotor_fading_weight(&none, 1.0, 1e18) == 1.0);
    assert_true(!lotor_fading_is_over(&none, 1.0, 1e18));
    assert_true(isinf(lotor_fading_length(&none)) && lotor_fading_next(&none, 5) == UINT64_MAX);
}

/* 640/64 = 10 rounds; 100/64 is rounded up. */
TEST(releases_are_weighed_64_times_in_a_half_life)
{
    const lotor_fading fading = {.half_life = 640}, odd = {.half_life = 100},
                       one = {.half_life = 1};
    assert_true(lotor_fading_now(&fading, 19) == 10.0 && lotor_fading_now(&fading, 20) == 20.0);
    assert_int_equal(lotor_fading_next(&fading, 10), 20);
    assert_int_equal(lotor_fading_next(&fading, 19), 20);
    assert_true(lotor_fading_now(&odd, 7) == 6.0 && lotor_fading_now(&one, 7) == 7.0);
    assert_true(lotor_fading_length(&fading) == 640.0);
}

/* With a half-life of 640 seconds, a mark is made every 10 seconds at most. */
TEST(marks_of_the_clock)
{
    lotor_fading fading = {.half_life = 640, .is_by_clock = true};
    assert_true(lotor_fading_now(&fading, 5) == 0.0 && isinf(lotor_fading_length(&fading)));
    assert_true(lotor_fading_tick(&fading, 0, 1000));
    assert_true(!lotor_fading_tick(&fading, 30, 1009));
    assert_true(lotor_fading_tick(&fading, 70, 1020));
    assert_true(!lotor_fading_tick(&fading, 72, 900)); /* a clock that goes back */
    assert_true(lotor_fading_tick(&fading, 75, 1064));
    assert_true(lotor_fading_tick(&fading, 75, 1128)); /* in place of the mark before */
    assert_int_equal(fading.mark_count, 3);
    assert_true(lotor_fading_time(&fading, 70) == 1000.0);
    assert_true(lotor_fading_time(&fading, 71) == 1020.0);
    assert_true(lotor_fading_time(&fading, 75) == 1020.0);
    assert_true(lotor_fading_time(&fading, 76) == 1128.0);
    assert_true(lotor_fading_now(&fading, 76) == 1128.0);
    assert_int_equal(lotor_fading_next(&fading, 76), UINT64_MAX);
    assert_true(lotor_fading_length(&fading) == 375.0); /* 75 rounds in a fifth of a half-life */
    lotor_fading rounds = {.half_life = 640};
    assert_true(!lotor_fading_tick(&rounds, 0, 1000));
}

/* The room for marks is enough for 8 half-lives, however many ticks there are. The length of a
 * half-life follows the rounds of the last one. */
TEST(marks_are_bounded)
{
    lotor_fading fading = {.half_life = 100, .is_by_clock = true};
    for (uint64_t second = 1; second <= 10000; second++) {
        lotor_fading_tick(&fading, second * (second <= 5000 ? 10 : 1) + (second > 5000 ? 45000 : 0),
                          second);
        assert_true(fading.mark_count <= LOTOR_FADING_MARKS);
    }
    const lotor_fading_mark *last = &fading.marks[fading.mark_count - 1];
    assert_true(last->second - fading.marks[0].second >= 800);
    assert_true(lotor_fading_length(&fading) == 100.0);
}

/* --- batches --------------------------------------------------------------------------------------- */

static void start_with_half_life(uint64_t half_life, double epsilon, size_t arms)
{
    lotor_imed_setup setup = rig_setup(epsilon);
    setup.half_life = half_life;
    rig_start_top(setup, arms, 1);
}

/* The first release counts half. So there are 100/2 + 200 displays, 20/2 + 120 of them with a 1. The
 * batch of a leader has as many displays as are known: 250, and half of that after a half-life. Between,
 * they are weighed every 100 rounds: 250 * 2^(-6500/6400) = 123.7. */
TEST(older_releases_count_less)
{
    start_with_half_life(6400, INFINITY, 1);
    rig_release_at(100, 0, 100, 20.0);
    rig_release_at(6500, 0, 200, 120.0);
    static const uint64_t rounds[] = {6500, 6599, 12900, 12999, 13000};
    static const uint64_t sizes[] = {250, 250, 125, 125, 124};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(rig_choose(rounds[i], NULL).size, sizes[i]);
        assert_true(fabs(lotor_imed_estimate(rig.learner, 0) - 130.0 / 250.0) < 1e-3);
    }
    rig_end();
}

/* As in test_imed.c, 80 kl(0.5, 0.6) - 3.5 + 1.3 log 80. After one half-life: 40 kl(0.5, 0.6) - 3.5 is
 * below 0, and arm 1 has log(40^1.3) = log 121. The leader has 1000 displays, and 500 a half-life
 * later. */
TEST(arms_are_explored_again)
{
    start_with_half_life(64, INFINITY, 2);
    rig_release_at(1, 0, 1000, 600.0);
    rig_release_at(2, 1, 400, 40.0);
    assert_int_equal(rig_choose(3, NULL).recorded, 0);
    assert_int_equal(rig_choose(66, NULL).recorded, 0);
    const double evidence = 400.0 * (0.1 * log(0.1 / 0.6) + 0.9 * log(0.9 / 0.4));
    uint64_t round = 3;
    while (rig_choose(round, NULL).recorded == 0) {
        round++;
    }
    /* The index of arm 1 falls below that of the leader. */
    for (uint64_t at = round - 1; at <= round; at++) {
        const double first = exp2(-((double)at - 1.0) / 64.0),
                     second = exp2(-((double)at - 2.0) / 64.0), n = 400.0 * second;
        const double index = fmax(0.0, second * evidence - 3.5) + log(n) + fmin(2.5, 0.3 * log(n));
        assert_true((index < log(1000.0 * first)) == (at == round));
    }
    rig_end();
}

/* After 8 half-lives an arm is new. Its batches before are as large as a first batch at least, which
 * has 6 displays. */
TEST(old_releases_are_forgotten)
{
    start_with_half_life(1024, log(2.0), 2);
    rig_release_at(16, 1, 8, 3.0);
    rig_release_at(8000, 0, 400, 401.0);
    const lotor_imed_plan before = rig_choose(8207, NULL);
    assert_int_equal(before.recorded, 1);
    assert_int_equal(before.size, 6);
    assert_true(!isnan(lotor_imed_estimate(rig.learner, 1)));
    assert_int_equal(rig_choose(8208, NULL).recorded, 1);
    assert_true(isnan(lotor_imed_estimate(rig.learner, 1)));
    rig_end();
}

/* At most a sixteenth of a half-life; but not less than the first batch, which has 6 displays. */
TEST(a_half_life_limits_batches)
{
    static const uint64_t half_lives[] = {1600, 127, 96, 40}, sizes[] = {100, 7, 6, 6};
    for (size_t i = 0; i < 4; i++) {
        start_with_half_life(half_lives[i], log(2.0), 2);
        rig_release_all_ones(0, 400);
        rig_release(1, 400, -1.0);
        rig_expect(0, sizes[i], sizes[i]);
        rig_end();
    }
}

/* A learner that has read every release plans like one that reads them all at once. */
TEST(reading_at_once_is_the_same)
{
    lotor_imed_setup setup = rig_setup(1.0);
    setup.half_life = 100;
    setup.statistics = 5;
    rig_start_top(setup, 3, 1);
    for (uint64_t i = 1; i <= 90; i++) {
        rig_release_at(10 * i, i % 3, 10 + i % 7, (double)(i * 7 % 13));
        const lotor_imed_plan a = rig_choose(10 * i + 5, NULL);
        lotor_imed_learner *other;
        setup.oracle = rig.oracle;
        assert_int_equal(lotor_imed_new(&setup, &other), LOTOR_OK);
        const lotor_imed_plan b =
            lotor_imed_choose(other, rig.board, rig.counts, 10 * i + 5, 10 * i + 5, 1, NULL);
        assert_int_equal(a.recorded, b.recorded);
        assert_int_equal(a.size, b.size);
        assert_int_equal(a.hold, b.hold);
        lotor_imed_free(other);
    }
    rig_end();
}

/* --- the clock ------------------------------------------------------------------------------------- */

/* The releases are of rounds 10 and 20. Between them a half-life of 3600 seconds passed. */
TEST(ages_in_seconds)
{
    lotor_imed_setup setup = rig_setup(INFINITY);
    setup.half_life = 3600;
    setup.is_by_clock = true;
    rig_start_top(setup, 1, 1);
    lotor_imed_tick(rig.learner, 0, 50000);
    rig_release_at(10, 0, 100, 20.0);
    lotor_imed_tick(rig.learner, 19, 53600);
    rig_release_at(20, 0, 20, 12.0);
    rig_choose(21, NULL);
    assert_true(fabs(lotor_imed_estimate(rig.learner, 0) - 22.0 / 70.0) < 1e-3);
    lotor_imed_tick(rig.learner, 20, 50000 + 8 * 3600); /* round 10 is forgotten */
    rig_choose(21, NULL);
    assert_true(fabs(lotor_imed_estimate(rig.learner, 0) - 0.6) < 1e-3);
    lotor_imed_tick(rig.learner, 20, 53600 + 8 * 3600);
    rig_choose(21, NULL);
    assert_true(isnan(lotor_imed_estimate(rig.learner, 0)));
    rig_end();
}

/* 1,000 rounds a half-life: batches have at most 62 displays. At first the rate is not known. */
TEST(a_half_life_in_seconds_limits_batches)
{
    lotor_imed_setup setup = rig_setup(INFINITY);
    setup.half_life = 6400;
    setup.is_by_clock = true;
    rig_start_top(setup, 1, 1);
    rig_release(0, 400, 200.0);
    assert_int_equal(rig_choose(401, NULL).size, 400);
    lotor_imed_tick(rig.learner, 400, 1000);
    lotor_imed_tick(rig.learner, 500, 1640);
    assert_int_equal(rig_choose(501, NULL).size, 62);
    rig_end();
}

/* --- randomized bits ------------------------------------------------------------------------------- */

/* With epsilon = log 3 a bit is 1 with probability 1/4 + mean/2. The first 100 bits, 40 of them 1, count
 * half after 10 rounds; 30 of the next 50 bits are 1. */
TEST(bits_fade)
{
    lotor_imed_setup setup = rig_setup(log(3.0));
    setup.model.is_local = true;
    setup.statistics = 1;
    setup.half_life = 10;
    rig_start_top(setup, 1, 1);
    rig_choose(1, NULL);
    rig_release_at(100, 0, 100, 40.0);
    rig_choose(101, NULL);
    assert_true(fabs(lotor_imed_estimate(rig.learner, 0) - 0.3) < 1e-9);
    rig_choose(107, NULL);
    rig_release_at(110, 0, 150, 70.0);
    rig_choose(111, NULL);
    const double n = 50.0 + 50.0, ones = 20.0 + 30.0;
    assert_true(fabs(lotor_imed_estimate(rig.learner, 0) - (ones / n - 0.25) / 0.5) < 1e-9);
    rig_choose(1000, NULL); /* less than one bit after 8 half-lives */
    assert_true(isnan(lotor_imed_estimate(rig.learner, 0)));
    rig_end();
}
