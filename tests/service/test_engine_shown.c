/* test_engine_shown.c - how often each arm was shown, and the history of releases: with
 * restarts, crashes, changed arms and failed commits. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "service/engine_rig.h"

enum { ARMS = 3, SLOTS = 2 };

#define THREE_ARMS                                                                                 \
    "{'name': 'shop', 'algorithm': 'batch-klucb', 'arms': ['a', 'b', 'c'], 'slots': 2, " LOUD      \
    ", 'wait_seconds': 1}"

static double shown_in_all(engine_rig *rig, const char *name, size_t arms)
{
    double sum = 0.0;
    for (size_t i = 0; i < arms; i++) {
        char path[32];
        snprintf(path, sizeof path, "arms.%zu.shown", i);
        sum += engine_number(rig, name, path);
    }
    return sum;
}

static void expect_all_counted(engine_rig *rig)
{
    const double decisions = engine_number(rig, "shop", "decisions");
    assert_true(shown_in_all(rig, "shop", ARMS) == (double)SLOTS * decisions);
}

/* Counts what clients saw, by arm; the engine's counts must be the same. */
static void visit(engine_rig *rig, int visits, double seen[ARMS])
{
    for (int i = 0; i < visits; i++) {
        lotor_ranking ranking;
        engine_must_rank(rig, "shop", &ranking);
        for (size_t j = 0; j < ranking.count; j++) {
            seen[ranking.arms[j][0] - 'a']++;
        }
        engine_must_reward(rig, ranking.event, "{'rewards': [1, 0]}");
        lotor_ranking_clear(&ranking);
        if (i % 4 == 3) {
            engine_wait(rig, 400);
        }
    }
}

static void expect_seen(engine_rig *rig, const double seen[ARMS])
{
    for (size_t i = 0; i < ARMS; i++) {
        char path[32];
        snprintf(path, sizeof path, "arms.%zu.shown", i);
        assert_true(engine_number(rig, "shop", path) == seen[i]);
    }
}

TEST(shown_is_what_was_handed_out)
{
    engine_rig rig;
    double seen[ARMS] = {0};
    engine_start(&rig);
    engine_open(&rig);
    engine_must_create(&rig, THREE_ARMS);
    expect_seen(&rig, seen);
    visit(&rig, 30, seen);
    expect_seen(&rig, seen);
    engine_stop(&rig); /* some rounds are over, some are open, some were not handed out */
    engine_open(&rig);
    expect_seen(&rig, seen);
    visit(&rig, 17, seen);
    expect_seen(&rig, seen);
    assert_int_equal(engine_arms(&rig, "shop", "{'pause': ['c']}"), LOTOR_CODE_NONE);
    const double before = seen[2];
    visit(&rig, 9, seen);
    assert_true(seen[2] == before);
    expect_seen(&rig, seen);
    engine_wait(&rig, 5000);
    expect_seen(&rig, seen);
    engine_stop(&rig);
    engine_open(&rig);
    expect_seen(&rig, seen);
    engine_stop(&rig);
    engine_end(&rig);
}

/* After a crash everything drawn counts as shown. The two counts still agree. */
TEST(after_a_crash_both_counts_agree)
{
    engine_rig rig;
    double seen[ARMS] = {0};
    engine_start(&rig);
    engine_open(&rig);
    engine_must_create(&rig, THREE_ARMS);
    for (int life = 0; life < 4; life++) {
        visit(&rig, 7 + life, seen);
        engine_crash(&rig);
        engine_open(&rig);
        expect_all_counted(&rig);
        assert_true(shown_in_all(&rig, "shop", ARMS) >= seen[0] + seen[1] + seen[2]);
        for (size_t i = 0; i < ARMS; i++) {
            char path[32];
            snprintf(path, sizeof path, "arms.%zu.shown", i);
            seen[i] = engine_number(&rig, "shop", path);
        }
    }
    engine_wait(&rig, 5000);
    expect_all_counted(&rig);
    engine_stop(&rig);
    engine_end(&rig);
}

TEST(a_commit_that_fails_counts_nothing)
{
    engine_rig rig;
    double seen[ARMS] = {0};
    engine_start(&rig);
    engine_open(&rig);
    engine_must_create(&rig, THREE_ARMS);
    visit(&rig, 10, seen);
    for (uint64_t operation = 1; operation < 40; operation++) {
        fault_vfs_arm(rig.disk, FAULT_DEAD, operation);
        rig.now += 150;
        lotor_engine_step(rig.engine, &rig.why); /* rounds end, or the disk is full */
        fault_vfs_arm(rig.disk, FAULT_NONE, 0);
        expect_all_counted(&rig);
        visit(&rig, 1, seen);
        expect_seen(&rig, seen);
    }
    engine_wait(&rig, 5000);
    engine_stop(&rig);
    engine_open(&rig);
    expect_seen(&rig, seen);
    engine_stop(&rig);
    engine_end(&rig);
}

/* --- the history ------------------------------------------------------------------------------ */

static void note_done(lotor_job *job)
{
    *(bool *)job->owner = true;
}

static json_t *releases(engine_rig *rig, const char *name, uint64_t after, uint64_t limit)
{
    bool is_done = false;
    json_t *reply = NULL;
    lotor_job job = {.done = note_done, .owner = &is_done};
    assert_int_equal(lotor_engine_releases(rig->engine, name, after, limit, &reply, &job),
                     LOTOR_PENDING);
    engine_step(rig);
    assert_true(is_done);
    assert_int_equal(job.refusal.code, LOTOR_CODE_NONE);
    assert_non_null(reply);
    return reply;
}

TEST(pages_are_the_whole)
{
    engine_rig rig;
    double seen[ARMS] = {0};
    engine_start(&rig);
    engine_open(&rig);
    engine_must_create(&rig, ONE_ARM); /* its releases are between the others' */
    engine_must_create(&rig, THREE_ARMS);
    for (int i = 0; i < 12; i++) {
        lotor_ranking ranking;
        visit(&rig, 3, seen);
        engine_must_rank(&rig, "one", &ranking);
        engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
        lotor_ranking_clear(&ranking);
    }
    engine_wait(&rig, 5000);
    json_t *const whole = releases(&rig, "shop", 0, 1000);
    json_t *const rows = json_object_get(whole, "releases");
    assert_true(json_is_null(json_object_get(whole, "next")));
    assert_true(json_array_size(rows) == (size_t)engine_number(&rig, "shop", "releases"));
    assert_true(json_array_size(rows) > 12);
    size_t at = 0;
    for (uint64_t after = 0, more = 1; more;) {
        json_t *const page = releases(&rig, "shop", after, 5);
        json_t *const some = json_object_get(page, "releases");
        for (size_t i = 0; i < json_array_size(some); i++, at++) {
            assert_true(json_equal(json_array_get(some, i), json_array_get(rows, at)));
        }
        const json_t *const next = json_object_get(page, "next");
        more = !json_is_null(next);
        after = (uint64_t)json_integer_value(next);
        json_decref(page);
    }
    assert_int_equal(at, json_array_size(rows));
    /* the last release of an arm is its current value */
    for (size_t i = 0; i < ARMS; i++) {
        json_t *const now = json_array_get(json_object_get(whole, "current"), i);
        const char *const id = json_string_value(json_object_get(now, "id"));
        double count = -1, high = -1;
        for (size_t j = 0; j < json_array_size(rows); j++) {
            json_t *const arms = json_object_get(json_array_get(rows, j), "arms");
            for (size_t k = 0; k < json_array_size(arms); k++) {
                json_t *const arm = json_array_get(arms, k);
                if (strcmp(json_string_value(json_object_get(arm, "id")), id) == 0) {
                    assert_true(json_number_value(json_object_get(arm, "count")) > count);
                    count = json_number_value(json_object_get(arm, "count"));
                    high = json_number_value(
                        json_object_get(json_object_get(arm, "interval"), "high"));
                }
            }
        }
        assert_true(count == json_number_value(json_object_get(now, "count")));
        assert_true(high ==
                    json_number_value(json_object_get(json_object_get(now, "interval"), "high")));
    }
    json_decref(whole);
    engine_stop(&rig);
    engine_end(&rig);
}

/* The decisions that clients saw, in the order of decisions. */
enum { VISITS = 40 };
typedef struct visit_note {
    uint64_t decision;
    const char *arms[SLOTS];
} visit_note;

static void expect_stamp(const json_t *release, const visit_note notes[VISITS], uint64_t from,
                         uint64_t to)
{
    const uint64_t round = (uint64_t)json_integer_value(json_object_get(release, "round"));
    const json_t *const time = json_object_get(release, "time");
    assert_true(json_is_integer(time));
    assert_true((uint64_t)json_integer_value(time) >= from / 1000);
    assert_true((uint64_t)json_integer_value(time) <= to / 1000);
    json_int_t shown[ARMS] = {0};
    for (size_t i = 0; i < VISITS; i++) {
        for (size_t j = 0; notes[i].decision <= round && j < SLOTS; j++) {
            shown[notes[i].arms[j][0] - 'a']++;
        }
    }
    for (size_t i = 0; i < ARMS; i++) {
        const char id[] = {(char)('a' + i), '\0'};
        const json_t *const count = json_object_get(json_object_get(release, "shown"), id);
        assert_true(json_is_integer(count));
        assert_int_equal(json_integer_value(count), shown[i]);
    }
}

/* Decisions that were drawn and not handed out do not count. */
TEST(a_release_has_its_time_and_what_was_shown)
{
    engine_rig rig;
    visit_note notes[VISITS];
    engine_start(&rig);
    rig.skew = 123456789; /* the store's clock counts, not this machine's */
    engine_open(&rig);
    engine_must_create(&rig, THREE_ARMS);
    const uint64_t from = rig.now + (uint64_t)rig.skew;
    for (int i = 0; i < VISITS; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, "shop", &ranking);
        notes[i] = (visit_note){ranking.number, {ranking.arms[0], ranking.arms[1]}};
        engine_must_reward(&rig, ranking.event, "{'rewards': [1, 0]}");
        lotor_ranking_clear(&ranking);
        engine_wait(&rig, i == VISITS / 2 ? 50000 : 400);
    }
    engine_wait(&rig, 5000);
    json_t *const whole = releases(&rig, "shop", 0, 1000);
    const json_t *const rows = json_object_get(whole, "releases");
    assert_true(json_array_size(rows) > 6);
    json_int_t last = 0, longest = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *const row = json_array_get(rows, i);
        const json_int_t time = json_integer_value(json_object_get(row, "time"));
        expect_stamp(row, notes, from, rig.now + (uint64_t)rig.skew);
        assert_true(time >= last);
        longest = last > 0 && time - last > longest ? time - last : longest;
        last = time;
    }
    assert_true(longest >= 49); /* nothing was committed while nobody asked */
    engine_stop(&rig);
    engine_open(&rig);
    json_t *const again = releases(&rig, "shop", 0, 1000);
    assert_true(json_equal(json_object_get(again, "releases"), rows));
    json_decref(again);
    json_decref(whole);
    engine_stop(&rig);
    engine_end(&rig);
}

/* A release is kept for ever, so it has no long lists. */
TEST(many_arms_have_no_counts_in_a_release)
{
    engine_rig rig;
    lotor_ranking ranking;
    char body[1200];
    int length = snprintf(body, sizeof body,
                          "{'name': 'many', 'algorithm': 'batch-klucb', " LOUD
                          ", 'wait_seconds': 1, 'arms': ['a0'");
    for (int i = 1; i < 65; i++) {
        length += snprintf(body + length, sizeof body - (size_t)length, ", 'a%d'", i);
    }
    snprintf(body + length, sizeof body - (size_t)length, "]}");
    engine_start(&rig);
    engine_open(&rig);
    engine_must_create(&rig, body);
    engine_must_rank(&rig, "many", &ranking);
    lotor_ranking_clear(&ranking);
    engine_wait(&rig, 5000);
    json_t *const reply = releases(&rig, "many", 0, 10);
    const json_t *const row = json_array_get(json_object_get(reply, "releases"), 0);
    assert_true(json_is_integer(json_object_get(row, "time")));
    assert_true(json_is_null(json_object_get(row, "shown")));
    json_decref(reply);
    engine_stop(&rig);
    engine_end(&rig);
}

TEST(those_without_a_history_say_so)
{
    engine_rig rig;
    engine_start(&rig);
    engine_open(&rig);
    engine_must_create(&rig, "{'name': 'local', 'algorithm': 'rr-klucb', 'arms': ['a', 'b'], "
                             "'epsilon': 1, 'wait_seconds': 1}");
    engine_must_create(&rig, "{'name': 'lines', 'algorithm': 'jdp-batch', 'arms': ['a', 'b'], "
                             "'epsilon': 1, 'dimension': 2, 'horizon': 100, 'wait_seconds': 1}");
    for (int i = 0; i < 3; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, "local", &ranking);
        engine_must_reward(&rig, ranking.event, "{'report': 1}");
        lotor_ranking_clear(&ranking);
    }
    engine_wait(&rig, 2000);
    json_t *reply = releases(&rig, "local", 0, 10);
    assert_true(json_is_false(json_object_get(reply, "chain")));
    assert_true(json_is_string(json_object_get(reply, "note")));
    assert_int_equal(json_array_size(json_object_get(reply, "releases")), 0);
    const json_t *const arm = json_array_get(json_object_get(reply, "current"), 0);
    assert_true(json_is_object(json_object_get(arm, "interval")));
    json_decref(reply);
    reply = releases(&rig, "lines", 0, 10);
    assert_true(json_is_true(json_object_get(reply, "chain")));
    assert_true(json_is_string(json_object_get(reply, "note")));
    json_decref(reply);
    lotor_job job = {.done = note_done};
    assert_int_equal(lotor_engine_releases(rig.engine, "none", 0, 10, &reply, &job),
                     LOTOR_COMPLETED);
    assert_int_equal(job.refusal.code, LOTOR_CODE_NO_SUCH_CAMPAIGN);
    engine_stop(&rig);
    engine_end(&rig);
}
