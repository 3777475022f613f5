/* test_engine_arms.c - max_arms is raised while a campaign is in use. Acknowledged feedback is counted
 * once, and arms can be added up to the new number. A restart, a crash or a failing disk at any time
 * changes nothing of that. */
#include "support/stride.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/serving.h"
#include "service/engine_rig.h"

SCENE_OF_EACH_TEST(engine_end_soundly);

#define TWO_WITH(max, more)                                                                        \
    "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], 'max_arms': " max ", " LOUD   \
    ", 'wait_seconds': 1" more "}"
#define TWO TWO_WITH("2", "")

/* How often each arm got the reward 1. */
typedef struct tally {
    double sums[8];
} tally;

static void must(lotor_code code)
{
    if (code != LOTOR_CODE_NONE) {
        fail_msg("%s: %s", engine_refusal.field, engine_refusal.message.text);
    }
}

/* Ranks and rewards: with 1 for every other round. */
static void play(engine_rig *on, tally *told, int rounds, const char *eligible)
{
    for (int i = 0; i < rounds; i++) {
        lotor_ranking ranking;
        must(engine_rank_with(on, "one", NULL, NULL, eligible, &ranking));
        const double reward = i % 2;
        must(engine_reward(on, ranking.event, i % 2 ? "{'rewards': [1]}" : "{'rewards': [0]}"));
        assert_int_equal(engine_late, 0);
        told->sums[ranking.arms[0][0] - 'a'] += reward;
        lotor_ranking_clear(&ranking);
    }
}

static lotor_status add_release(void *context, const lotor_release_row *release)
{
    tally *sums = context;
    for (size_t at = 0; at + 40 <= release->facts_length; at += 40) {
        uint64_t words[5];
        double value;
        memcpy(words, release->facts + at, sizeof words);
        memcpy(&value, &words[2], sizeof value);
        assert_true(words[1] < 8);
        sums->sums[words[1]] += value;
    }
    return LOTOR_OK;
}

/* Plays on, without rewards, until all rewards are released, and compares the sums. */
static void expect_told(engine_rig *on, const tally *told, size_t arms)
{
    char eligible[16];
    bool is_same = false;
    tally sums;
    for (int turn = 0; turn < 40 && !is_same; turn++) {
        for (size_t i = 0; i < arms * 16; i++) {
            lotor_ranking ranking;
            snprintf(eligible, sizeof eligible, "['%c']", (char)('a' + i % arms));
            must(engine_rank_with(on, "one", NULL, NULL, eligible, &ranking));
            lotor_ranking_clear(&ranking);
        }
        engine_wait(on, ALL_OVER);
        engine_wait(on, 100);
        sums = (tally){{0}};
        assert_int_equal(lotor_store_each_release(on->store, 1, 0, add_release, &sums, &on->why),
                         LOTOR_OK);
        is_same = true;
        for (size_t i = 0; i < arms; i++) {
            is_same = is_same && fabs(sums.sums[i] - told->sums[i]) < 0.01;
            assert_true(sums.sums[i] < told->sums[i] + 0.01); /* nothing counts twice */
        }
    }
    assert_true(is_same);
}

static double number(const char *path)
{
    return engine_number(&rig, "one", path);
}

TEST_WITH(arms_can_be_added_up_to_the_new_number, start, end)
{
    tally told = {{0}};
    engine_must_create(&rig, TWO);
    assert_int_equal(engine_arms(&rig, "one", "{'add': ['c']}"), LOTOR_CODE_FULL);
    assert_non_null(strstr(engine_refusal.message.text, "PATCH"));
    play(&rig, &told, 40, NULL);
    must(engine_edit(&rig, "one", "{'max_arms': 4, 'title': 'More'}"));
    assert_true(number("max_arms") == 4);
    play(&rig, &told, 10, NULL);
    must(engine_arms(&rig, "one", "{'add': ['c', 'd']}"));
    assert_int_equal(engine_arms(&rig, "one", "{'add': ['e']}"), LOTOR_CODE_FULL);
    play(&rig, &told, 20, NULL);
    play(&rig, &told, 10, "['c', 'd']");
    must(engine_edit(&rig, "one", "{'max_arms': 8}"));
    must(engine_arms(&rig, "one", "{'add': ['e'], 'remove': ['a']}"));
    play(&rig, &told, 10, "['e', 'b']");
    must(engine_arms(&rig, "one", "{'add': ['f']}"));
    const lotor_code code = engine_arms(&rig, "one", "{'resume': ['b']}");
    assert_int_equal(code, LOTOR_CODE_NONE);
    engine_wait(&rig, ALL_OVER);
    assert_true(number("final") == number("decisions"));
    assert_true(told.sums[2] + told.sums[3] > 0 && told.sums[4] > 0);
}

/* Calls `between` between any two steps. All acknowledged rewards must be released once. */
static void expect_survives(void (*between)(engine_rig *on))
{
    tally told = {{0}};
    engine_must_create(&rig, TWO);
    play(&rig, &told, 25, NULL);
    play(&rig, &told, 6, "['a']");
    between(&rig);
    play(&rig, &told, 5, "['b']");
    must(engine_edit(&rig, "one", "{'max_arms': 5}"));
    between(&rig);
    play(&rig, &told, 5, NULL);
    play(&rig, &told, 6, "['a']");
    must(engine_arms(&rig, "one", "{'add': ['c']}"));
    between(&rig);
    play(&rig, &told, 12, "['c', 'b']");
    between(&rig);
    must(engine_edit(&rig, "one", "{'max_arms': 6}"));
    play(&rig, &told, 9, NULL);
    between(&rig);
    expect_told(&rig, &told, 3);
}

static void crash(engine_rig *on)
{
    engine_crash(on);
    engine_open(on);
}

static void stop(engine_rig *on)
{
    engine_stop(on);
    engine_open(on);
}

static void nothing(engine_rig *on)
{
    (void)on;
}

static void idle(engine_rig *on)
{
    engine_wait(on, 100);
}

TEST_WITH(nothing_is_lost, start, end)
{
    expect_survives(nothing);
}

TEST_WITH(nothing_is_lost_with_pauses, start, end)
{
    expect_survives(idle);
}

TEST_WITH(nothing_is_lost_by_restarts, start, end)
{
    expect_survives(stop);
}

TEST_WITH(nothing_is_lost_by_crashes, start, end)
{
    expect_survives(crash);
}

/* The power goes at one operation of the disk after another, while max_arms is raised, an arm is added
 * and rounds of all arms are open. So the specification may be written, and the state not yet. */
static bool try_at(fault_kind kind, fault_left left, uint64_t at)
{
    engine_rig on;
    tally told = {{0}};
    engine_start(&on);
    engine_open(&on);
    engine_must_create(&on, TWO);
    play(&on, &told, 21, NULL);
    play(&on, &told, 6, "['a']");
    fault_vfs_arm(on.disk, kind, at);
    bool is_raised = engine_edit(&on, "one", "{'max_arms': 4}") == LOTOR_CODE_NONE;
    bool is_added = is_raised && engine_arms(&on, "one", "{'add': ['c']}") == LOTOR_CODE_NONE;
    engine_step(&on);
    const bool fired = fault_vfs_fired(on.disk);
    engine_drop(&on);
    fault_vfs_restart(on.disk, left, at);
    fault_vfs_arm(on.disk, FAULT_NONE, 0);
    engine_open(&on);
    assert_true(!is_raised || engine_number(&on, "one", "max_arms") == 4);
    must(engine_edit(&on, "one", "{'max_arms': 4}")); /* the same number is fine */
    if (!is_added) {
        const lotor_code code = engine_arms(&on, "one", "{'add': ['c']}");
        assert_true(code == LOTOR_CODE_NONE || code == LOTOR_CODE_EXISTS);
    }
    play(&on, &told, 8, "['c']");
    expect_told(&on, &told, 3);
    engine_end_soundly(&on);
    return fired;
}

static void try_all(fault_kind kind, fault_left left)
{
    uint64_t at = 1;
    for (; at < 400; at++) {
        if (!try_at(kind, left, at)) {
            break;
        }
    }
    assert_true(at > 5 && at < 400);
}

TEST(the_power_goes_and_all_is_written)
{
    try_all(FAULT_POWER, FAULT_KEEP_ALL);
}

TEST(the_power_goes_and_what_was_not_synced_is_lost)
{
    try_all(FAULT_POWER, FAULT_LOSE_ALL);
}

TEST_WITH(what_is_refused, start, end)
{
    static const struct {
        const char *body, *text;
    } cases[] = {
        {"{'max_arms': 3}", "can only be raised"},
        {"{'max_arms': 0}", "1"},
        {"{'max_arms': 4097}", "4096"},
        {"{'max_arms': '9'}", "whole number"},
        {"{'max_arms': 4.5}", "whole number"},
        {"{'max_arms': 9, 'title': 7}", ""},
    };
    engine_must_create(&rig, TWO_WITH("4", ""));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lotor_code code = engine_edit(&rig, "one", cases[i].body);
        assert_true(code == LOTOR_CODE_BAD_VALUE);
        if (*cases[i].text) {
            assert_string_equal(engine_refusal.field, "max_arms");
            assert_non_null(strstr(engine_refusal.message.text, cases[i].text));
        }
        assert_true(number("max_arms") == 4);
    }
    must(engine_edit(&rig, "one", "{'max_arms': 4}"));
    assert_int_equal(engine_arms(&rig, "one", "{'max_arms': 9}"), LOTOR_CODE_BAD_VALUE);
    assert_non_null(strstr(engine_refusal.message.text, "PATCH"));
    must(engine_close_campaign(&rig, "one"));
    assert_int_equal(engine_edit(&rig, "one", "{'max_arms': 9}"), LOTOR_CODE_CLOSED);
    must(engine_edit(&rig, "one", "{'title': 'Closed'}"));
    engine_must_create(
        &rig, "{'name': 'groups', 'oracle': {'kind': 'partition', 'capacities': {'0': 1, '1': 1}}, "
              "'arms': [{'id': 'a', 'features': [0]}, {'id': 'b', 'features': [1]}], "
              "'epsilon': 1, 'slots': 2}");
    assert_int_equal(engine_edit(&rig, "groups", "{'max_arms': 3}"), LOTOR_CODE_BAD_VALUE);
    assert_non_null(strstr(engine_refusal.message.text, "fixed"));
    must(engine_edit(&rig, "groups", "{'max_arms': 2}"));
}

/* Creating the campaign again with the number that it had is fine. */
TEST_WITH(a_body_with_the_old_number_fits, start, end)
{
    engine_must_create(&rig, TWO_WITH("3", ""));
    must(engine_edit(&rig, "one", "{'max_arms': 5}"));
    must(engine_create(&rig, TWO_WITH("3", "")));
    must(engine_create(&rig, TWO_WITH("5", "")));
    assert_true(number("max_arms") == 5);
    assert_int_equal(engine_create(&rig, TWO_WITH("6", "")), LOTOR_CODE_EXISTS);
    assert_string_equal(engine_refusal.field, "max_arms");
}

static void ignore(lotor_job *job)
{
    (void)job;
}

/* Requests that were read before max_arms was raised, and are answered after it. */
TEST_WITH(requests_that_wait, start, end)
{
    enum { WAITING = 4 };
    static const char *const named[WAITING] = {"['a']", "['b', 'a']", NULL, "['b']"};
    engine_must_create(&rig, TWO);
    lotor_ranking rankings[WAITING];
    engine_job jobs[WAITING];
    lotor_job edit = {.done = ignore};
    json_t *eligible[WAITING];
    memset(rankings, 0, sizeof rankings);
    for (size_t i = 0; i < WAITING / 2; i++) {
        eligible[i] = named[i] ? engine_json(named[i]) : NULL;
        rankings[i].eligible = eligible[i];
        engine_queue_ranking(&rig, "one", &rankings[i], &jobs[i]);
    }
    json_t *body = engine_json("{'max_arms': 300}");
    assert_int_equal(lotor_engine_edit(rig.engine, "one", body, &edit), LOTOR_PENDING);
    json_decref(body);
    for (size_t i = WAITING / 2; i < WAITING; i++) {
        eligible[i] = named[i] ? engine_json(named[i]) : NULL;
        rankings[i].eligible = eligible[i];
        engine_queue_ranking(&rig, "one", &rankings[i], &jobs[i]);
    }
    for (int i = 0; i < 8; i++) {
        engine_wait(&rig, 20);
    }
    for (size_t i = 0; i < WAITING; i++) {
        assert_true(jobs[i].is_done);
        assert_int_equal(jobs[i].job.refusal.code, LOTOR_CODE_NONE);
        assert_int_equal(rankings[i].count, 1);
        must(engine_reward(&rig, rankings[i].event, "{'rewards': [1]}"));
        lotor_ranking_clear(&rankings[i]);
        json_decref(eligible[i]);
    }
    assert_true(number("max_arms") == 300);
}

/* Every algorithm whose campaigns can have more arms than now. */
TEST_WITH(every_offered_algorithm, start, end)
{
    for (size_t i = 0; lotor_serving_id(i); i++) {
        lotor_serving_info info;
        char body[600], name[16], context[100];
        assert_true(lotor_serving_find(lotor_serving_id(i), &info));
        const bool is_local = info.model == LOTOR_MODEL_LOCAL;
        snprintf(name, sizeof name, "c%zu", i);
        snprintf(body, sizeof body,
                 "{'name': '%s', 'algorithm': '%s', 'arms': ['a', 'b'], 'max_arms': 2, "
                 "'epsilon': 1, 'wait_seconds': 1%s%s%s%s}",
                 name, info.id, info.needs_horizon ? ", 'horizon': 1000" : "",
                 info.has_delta ? ", 'delta': 0.001" : "", info.is_linear ? ", 'dimension': 2" : "",
                 info.shows_one ? "" : ", 'slots': 1");
        engine_must_create(&rig, body);
        snprintf(context, sizeof context, "%s", info.is_linear ? "{'a': [1, 0], 'b': [0, 1]}" : "");
        lotor_ranking ranking;
        for (int round = 0; round < 6; round++) {
            must(engine_rank_with(&rig, name, NULL, *context ? context : NULL, NULL, &ranking));
            if (!is_local && !info.hears_clicks) {
                must(engine_reward(&rig, ranking.event, "{'rewards': [1]}"));
            }
            lotor_ranking_clear(&ranking);
        }
        must(engine_edit(&rig, name, "{'max_arms': 7}"));
        must(engine_arms(&rig, name, "{'add': ['c'], 'pause': ['a']}"));
        engine_stop(&rig);
        engine_open(&rig);
        snprintf(context, sizeof context, "%s",
                 info.is_linear ? "{'a': [1, 0], 'b': [0, 1], 'c': [0.5, 0.5]}" : "");
        for (int round = 0; round < 4; round++) {
            must(engine_rank_with(&rig, name, NULL, *context ? context : NULL, "['c']", &ranking));
            assert_string_equal(ranking.arms[0], "c");
            lotor_ranking_clear(&ranking);
        }
        engine_wait(&rig, ALL_OVER);
        engine_wait(&rig, 100);
        assert_true(engine_number(&rig, name, "final") == 10);
        must(engine_close_campaign(&rig, name));
    }
}
