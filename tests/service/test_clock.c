/* test_clock.c - the store's clock as a server knows it: alone, and with campaigns while the
 * clock is set. */
#include "support/test.h"

#include <math.h>

#include "service/engine/clock.h"
#include "service/engine_rig.h"

enum { BASE = 1000000 };
static const uint64_t day = UINT64_C(24) * 3600 * 1000;

/* --- alone ------------------------------------------------------------------------------------ */

/* A reading that took `took` milliseconds of the boot clock. */
static lotor_clock_verdict read_at(lotor_clock *clock, uint64_t boot, uint64_t took, uint64_t store)
{
    const lotor_clock_reading reading = {.store = store, .sent = boot, .received = boot + took};
    return lotor_clock_read(clock, &reading);
}

TEST(the_first_reading_is_believed)
{
    lotor_clock clock = {.has_reading = false};
    assert_false(lotor_clock_is_steady(&clock, 0));
    assert_int_equal(read_at(&clock, 100, 0, BASE), LOTOR_CLOCK_FITS);
    assert_true(lotor_clock_is_steady(&clock, 100));
    assert_int_equal(lotor_clock_low(&clock, 150), BASE + 50);
    assert_int_equal(lotor_clock_high(&clock, 150), BASE + 50);
}

/* The store read its clock at some moment between the request and the reply. */
TEST(a_slow_reading_gives_wide_bounds)
{
    lotor_clock clock = {.has_reading = false};
    read_at(&clock, 100, 40, BASE);
    assert_int_equal(lotor_clock_low(&clock, 140), BASE);
    assert_int_equal(lotor_clock_high(&clock, 140), BASE + 40);
    assert_int_equal(lotor_clock_low(&clock, 1140), BASE + 1000);
    assert_int_equal(lotor_clock_high(&clock, 1140), BASE + 1040);
    /* The bounds also hold for the time before the reply came. */
    assert_int_equal(lotor_clock_low(&clock, 90), BASE);
    assert_int_equal(lotor_clock_high(&clock, 90), BASE);
}

TEST(a_reading_may_differ_by_the_tolerance)
{
    enum { MOST = LOTOR_CLOCK_TOLERANCE_MS };
    static const struct {
        uint64_t store;
        lotor_clock_verdict verdict;
    } cases[] = {
        {BASE + 1000, LOTOR_CLOCK_FITS},
        {BASE + 1000 + MOST, LOTOR_CLOCK_FITS},
        {BASE + 1000 + MOST + 1, LOTOR_CLOCK_DOUBTED},
        {BASE + 1000 - MOST, LOTOR_CLOCK_FITS},
        {BASE + 1000 - MOST - 1, LOTOR_CLOCK_DOUBTED},
        {0, LOTOR_CLOCK_DOUBTED},
        {UINT64_MAX / 2, LOTOR_CLOCK_DOUBTED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lotor_clock clock = {.has_reading = false};
        read_at(&clock, 0, 0, BASE);
        assert_int_equal(read_at(&clock, 1000, 0, cases[i].store), cases[i].verdict);
        assert_int_equal(lotor_clock_is_steady(&clock, 1000), cases[i].verdict == LOTOR_CLOCK_FITS);
    }
    /* A reading that took long allows a larger difference. */
    lotor_clock clock = {.has_reading = false};
    read_at(&clock, 0, 0, BASE);
    assert_int_equal(read_at(&clock, 1000, 3000, BASE + 4000 + MOST), LOTOR_CLOCK_FITS);
}

TEST(a_doubt_is_not_used)
{
    lotor_clock clock = {.has_reading = false};
    read_at(&clock, 0, 0, BASE);
    assert_int_equal(read_at(&clock, 1000, 0, BASE + 1000 + day), LOTOR_CLOCK_DOUBTED);
    assert_false(lotor_clock_is_steady(&clock, 1000));
    assert_int_equal(lotor_clock_high(&clock, 1000), BASE + 1000);
    /* It was a single wrong reading, without effect. */
    assert_int_equal(read_at(&clock, 1200, 0, BASE + 1200), LOTOR_CLOCK_FITS);
    assert_true(lotor_clock_is_steady(&clock, 1200));
    assert_false(clock.has_doubt);
}

TEST(a_second_reading_confirms_a_jump)
{
    lotor_clock clock = {.has_reading = false};
    read_at(&clock, 0, 0, BASE);
    assert_int_equal(read_at(&clock, 1000, 0, BASE + 1000 + day), LOTOR_CLOCK_DOUBTED);
    assert_int_equal(read_at(&clock, 1200, 0, BASE + 1200 + day), LOTOR_CLOCK_JUMPED);
    assert_true(lotor_clock_is_steady(&clock, 1200));
    assert_int_equal(lotor_clock_low(&clock, 1200), BASE + 1200 + day);
    assert_int_equal(read_at(&clock, 2200, 0, BASE + 2200 + day), LOTOR_CLOCK_FITS);
    /* And back again. */
    assert_int_equal(read_at(&clock, 3200, 0, BASE + 3200), LOTOR_CLOCK_DOUBTED);
    assert_int_equal(lotor_clock_low(&clock, 3200), BASE + 3200 + day);
    assert_int_equal(read_at(&clock, 3400, 0, BASE + 3400), LOTOR_CLOCK_JUMPED);
    assert_int_equal(lotor_clock_low(&clock, 3400), BASE + 3400);
}

/* Two readings that fit neither each other nor the boot clock confirm nothing. */
TEST(a_wild_clock_is_doubted_for_ever)
{
    lotor_clock clock = {.has_reading = false};
    read_at(&clock, 0, 0, BASE);
    for (uint64_t i = 1; i < 10; i++) {
        assert_int_equal(read_at(&clock, 200 * i, 0, BASE + i * day), LOTOR_CLOCK_DOUBTED);
        assert_false(lotor_clock_is_steady(&clock, 200 * i));
    }
}

TEST(a_stale_reading_is_not_used)
{
    lotor_clock clock = {.has_reading = false};
    read_at(&clock, 0, 10, BASE);
    assert_true(lotor_clock_is_steady(&clock, 10 + LOTOR_CLOCK_FRESH_MS));
    assert_false(lotor_clock_is_steady(&clock, 11 + LOTOR_CLOCK_FRESH_MS));
    assert_int_equal(read_at(&clock, 60000, 0, BASE + 60000), LOTOR_CLOCK_FITS);
    assert_true(lotor_clock_is_steady(&clock, 60000));
}

/* --- under campaigns -------------------------------------------------------------------------- */

static engine_rig rig;
static size_t answered;

static int start(void **state)
{
    (void)state;
    answered = 0;
    engine_start(&rig);
    engine_open(&rig);
    engine_must_create(&rig, ONE_ARM);
    return 0;
}

static int end(void **state)
{
    (void)state;
    return engine_end_soundly(&rig);
}

static double number(const char *path)
{
    return engine_number(&rig, "one", path);
}

static void answer(const lotor_ranking *ranking)
{
    engine_must_reward(&rig, ranking->event, "{'rewards': [1]}");
    answered += 1 - engine_late;
}

static void play(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, "one", &ranking);
        answer(&ranking);
        engine_wait(&rig, 100);
    }
}

/* Lets time pass, with the writer's steps as often as they are due. */
static void let_pass(uint64_t milliseconds)
{
    for (uint64_t i = 0; i < milliseconds; i += 50) {
        engine_wait(&rig, 50);
    }
}

/* Checks that rounds end in time, and that exactly the acknowledged feedback was released. */
static void expect_all_counted(void)
{
    let_pass(ALL_OVER + 100);
    assert_int_equal(number("pending"), 0);
    const double rounds = number("decisions");
    for (int i = 0; i < 100 && !(number("arms.0.count") >= rounds); i++) {
        for (int j = 0; j < 8; j++) {
            lotor_ranking ranking;
            engine_must_rank(&rig, "one", &ranking);
        }
        let_pass(ALL_OVER + 100);
        assert_int_equal(number("pending"), 0);
    }
    assert_true(number("arms.0.count") >= rounds);
    assert_true(fabs(number("arms.0.mean") * number("arms.0.count") - (double)answered) < 0.1);
}

TEST_WITH(a_day_ahead_for_a_moment, start, end)
{
    lotor_ranking ranking, during;
    engine_job job;
    play(20);
    engine_must_rank(&rig, "one", &ranking);
    rig.skew = (int64_t)day;
    engine_wait(&rig, 1000); /* the clock is read now, and the reading is doubted */
    const double final = number("final");
    engine_queue_rank(&rig, "one", &during, &job);
    engine_step(&rig);
    assert_false(job.is_done); /* nothing is handed out meanwhile */
    answer(&ranking);          /* it is in time by the clock that is used */
    assert_int_equal(engine_late, 0);
    assert_true(number("final") == final);
    rig.skew = 0;
    engine_wait(&rig, 200);
    assert_true(job.is_done);
    assert_int_equal(job.job.refusal.code, LOTOR_CODE_NONE);
    assert_int_equal(during.expires, rig.now + 1000);
    answer(&during);
    play(20);
    assert_int_equal(answered, 42);
    expect_all_counted();
}

/* Open rounds end at once. Feedback for them is late, and is not acknowledged. */
TEST_WITH(a_day_ahead_for_good, start, end)
{
    lotor_ranking ranking;
    play(20);
    engine_must_rank(&rig, "one", &ranking);
    rig.skew = (int64_t)day;
    engine_wait(&rig, 1000);
    engine_wait(&rig, 200);
    assert_int_equal(number("pending"), 0);
    answer(&ranking);
    assert_int_equal(engine_late, 1);
    assert_int_equal(answered, 20);
    engine_must_rank(&rig, "one", &ranking);
    assert_int_equal(ranking.expires, rig.now + day + 1000);
    answer(&ranking);
    assert_int_equal(engine_late, 0);
    play(20);
    expect_all_counted();
}

/* Deadlines of the wrong time are corrected, so nothing waits for a day. */
TEST_WITH(a_day_ahead_and_back, start, end)
{
    lotor_ranking ranking;
    play(20);
    rig.skew = (int64_t)day;
    let_pass(1500);
    play(20);
    engine_must_rank(&rig, "one", &ranking);
    rig.skew = 0;
    let_pass(1500);
    answer(
        /* its event says that it expires tomorrow; it is late when its block has ended */
        &ranking);
    play(20);
    expect_all_counted();
}

/* The same with a crash and a restart while the clock is wrong, and after it was corrected. */
TEST_WITH(a_day_ahead_over_restarts, start, end)
{
    play(20);
    rig.skew = (int64_t)day;
    engine_crash(&rig);
    engine_open(&rig);
    play(20);
    engine_crash(&rig);
    rig.skew = 0;
    engine_open(&rig);
    play(20);
    assert_int_equal(answered, 60);
    expect_all_counted();
}

/* A clock that was set back by a day makes rounds longer, but not by a day. */
TEST_WITH(a_day_behind_for_good, start, end)
{
    play(20);
    rig.skew = -(int64_t)day;
    let_pass(1500);
    play(20);
    assert_int_equal(answered, 40);
    expect_all_counted();
}

/* The clock drifts by less than the tolerance between two readings, again and again. */
TEST_WITH(a_clock_that_drifts_freezes_nothing, start, end)
{
    for (int i = 0; i < 40; i++) {
        rig.skew += i % 3 == 0 ? -4000 : 2500;
        play(1);
        let_pass(900);
    }
    let_pass(LOTOR_CLOCK_TOLERANCE_MS); /* the most by which rounds are late */
    expect_all_counted();
}
