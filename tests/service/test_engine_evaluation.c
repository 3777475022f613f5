/* test_engine_evaluation.c - campaigns that measure their lift: roles in replies, released values, the
 * guarantee, and restarts. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "service/engine_rig.h"

SCENE_OF_EACH_TEST(engine_end_soundly);

/* Arm a is always liked, the others never. The noise is far below one reward. */
#define CAMPAIGN(name, more)                                                                       \
    "{'name': '" name "', 'arms': ['a', 'b', 'c', 'd'], " LOUD ", 'wait_seconds': 1" more "}"

/* Ranks and rewards `rounds` people; counts the rounds of each role, and how often each showed a. */
typedef struct tally {
    size_t rounds[3], liked[3];
} tally;

static size_t role_in(const lotor_ranking *ranking)
{
    static const char *const roles[] = {"learn", "measure", "control"};
    assert_non_null(ranking->role);
    size_t role = 0;
    while (strcmp(ranking->role, roles[role]) != 0) {
        role++;
        assert_true(role < 3);
    }
    return role;
}

static void serve(const char *name, size_t rounds, bool clicks, tally *out)
{
    for (size_t i = 0; i < rounds; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, name, &ranking);
        const size_t role = role_in(&ranking);
        const bool likes = strcmp(ranking.arms[0], "a") == 0;
        out->rounds[role]++;
        out->liked[role] += likes;
        if (clicks) {
            engine_must_reward(&rig, ranking.event, likes ? "{'click': 'a'}" : "{'click': null}");
        } else {
            engine_must_reward(&rig, ranking.event,
                               likes ? "{'rewards': [1]}" : "{'rewards': [0]}");
        }
        lotor_ranking_clear(&ranking);
        if (i % 50 == 49) {
            engine_wait(&rig, ALL_OVER);
            engine_step(&rig);
        }
    }
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
}

static void expect_lift(const char *name, const tally *seen)
{
    const double rounds = engine_number(&rig, name, "lift.policy.rounds");
    assert_true(rounds <= (double)seen->rounds[1] && 2 * rounds >= (double)seen->rounds[1]);
    assert_true(rounds == engine_number(&rig, name, "lift.control.rounds"));
    const double policy = engine_number(&rig, name, "lift.policy.mean");
    const double control = engine_number(&rig, name, "lift.control.mean");
    const double gain = engine_number(&rig, name, "lift.absolute.mean");
    assert_true(fabs((gain) - (policy - control)) <= 1e-4);
    assert_true(engine_number(&rig, name, "lift.absolute.interval.low") <= gain);
    assert_true(engine_number(&rig, name, "lift.absolute.interval.high") >= gain);
    assert_true(policy > 0.7 && control < 0.5);
    const double relative = engine_number(&rig, name, "lift.relative.mean");
    assert_true(fabs(relative - gain / control) <= 1e-4);
}

TEST_WITH(a_campaign_tells_its_lift, start, end)
{
    static const char *const creations[] = {
        CAMPAIGN("r", ", 'evaluation': {'share': 0.5}"),
        CAMPAIGN("k",
                 ", 'feedback': 'clicks', 'evaluation': {'share': 0.5, 'control': 'uniform'}")};
    static const char *const names[] = {"r", "k"};
    for (size_t i = 0; i < 2; i++) {
        engine_must_create(&rig, creations[i]);
        assert_true(isnan(engine_number(&rig, names[i], "lift.policy.mean")));
        assert_true(isnan(engine_number(&rig, names[i], "lift.absolute")));
        tally seen = {0};
        serve(names[i], 600, i == 1, &seen);
        assert_true(seen.rounds[0] > 200 && seen.rounds[1] > 80 && seen.rounds[2] > 80);
        expect_lift(names[i], &seen);
        engine_stop(&rig); /* the state is saved and loaded */
        engine_open(&rig);
        serve(names[i], 200, i == 1, &seen);
        expect_lift(names[i], &seen);
        json_t *out = lotor_engine_describe(rig.engine, names[i], &engine_refusal);
        assert_string_equal(
            json_string_value(json_object_get(json_object_get(out, "lift"), "decided")), "better");
        json_decref(out);
    }
}

TEST_WITH(a_crash_loses_nothing_that_was_measured, start, end)
{
    engine_must_create(&rig, CAMPAIGN("r", ", 'evaluation': {'share': 0.5, 'control': ['d']}"));
    tally seen = {0};
    serve("r", 300, false, &seen);
    const double before = engine_number(&rig, "r", "lift.policy.rounds");
    assert_true(seen.liked[2] == 0);
    engine_crash(&rig);
    engine_open(&rig);
    serve("r", 50, false, &seen);
    assert_true(engine_number(&rig, "r", "lift.policy.rounds") >= before);
}

/* Open blocks are read from the store again, and feedback for their decisions still counts. */
static void expect_open_rounds_survive(const char *name, const char *json, bool crashes)
{
    enum { OPEN = 40 };
    static lotor_ranking rankings[OPEN];
    engine_must_create(&rig, json);
    size_t roles[3] = {0};
    for (size_t i = 0; i < OPEN; i++) {
        engine_must_rank(&rig, name, &rankings[i]);
        roles[role_in(&rankings[i])]++;
    }
    assert_true(roles[1] > 2 && roles[2] > 2);
    if (crashes) {
        engine_crash(&rig);
    } else {
        engine_stop(&rig);
    }
    engine_open(&rig);
    for (size_t i = 0; i < OPEN; i++) {
        engine_must_reward(&rig, rankings[i].event, "{'rewards': [1]}");
        lotor_ranking_clear(&rankings[i]);
    }
    assert_int_equal(engine_late, 0);
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    assert_true(engine_number(&rig, name, "final") >= OPEN);
    assert_true(engine_number(&rig, name, "lift.policy.rounds") > 2);
}

TEST_WITH(open_rounds_survive_a_stop, start, end)
{
    expect_open_rounds_survive("r", CAMPAIGN("r", ", 'evaluation': {'share': 0.5}"), false);
    /* all were answered, so all mean values are 1 */
    assert_true(engine_number(&rig, "r", "lift.policy.mean") > 0.99);
}

TEST_WITH(open_rounds_survive_a_crash, start, end)
{
    expect_open_rounds_survive("r", CAMPAIGN("r", ", 'evaluation': {'share': 0.5}"), true);
}

static void ignore(lotor_job *job)
{
    (void)job;
}

/* The releases about value are in the chain like all others. */
TEST_WITH(releases_name_what_was_measured, start, end)
{
    engine_must_create(&rig, CAMPAIGN("r", ", 'evaluation': {'share': 0.5}"));
    tally seen = {0};
    serve("r", 100, false, &seen);
    json_t *reply = NULL;
    lotor_job job = {.done = ignore};
    lotor_engine_releases(rig.engine, "r", 0, 1000, &reply, &job);
    engine_step(&rig);
    assert_non_null(reply);
    size_t i, j, about[2] = {0};
    json_t *row, *fact;
    json_array_foreach(json_object_get(reply, "releases"), i, row)
    {
        json_array_foreach(json_object_get(row, "facts"), j, fact)
        {
            const char *of = json_string_value(json_object_get(fact, "value_of"));
            assert_true(!of == json_is_string(json_object_get(fact, "arm")));
            about[0] += of && strcmp(of, "policy") == 0;
            about[1] += of && strcmp(of, "control") == 0;
        }
    }
    assert_true(about[0] >= 4 && about[1] >= 4);
    json_decref(reply);
}

TEST_WITH(campaigns_without_evaluation_have_no_roles, start, end)
{
    engine_must_create(&rig, CAMPAIGN("plain", ""));
    lotor_ranking ranking;
    engine_must_rank(&rig, "plain", &ranking);
    assert_null(ranking.role);
    lotor_ranking_clear(&ranking);
    json_t *out = lotor_engine_describe(rig.engine, "plain", &engine_refusal);
    assert_null(json_object_get(out, "lift"));
    assert_null(json_object_get(out, "evaluation"));
    json_decref(out);
}

TEST_WITH(the_guarantee_says_what_measures, start, end)
{
    engine_must_create(&rig, CAMPAIGN("r", ", 'evaluation': {'share': 0.1}"));
    json_t *promise = lotor_engine_guarantee(rig.engine, "r", &engine_refusal);
    const char *text = json_string_value(json_object_get(promise, "statement"));
    assert_true(json_is_true(json_object_get(promise, "private")));
    assert_non_null(strstr(text, "A share of 0.1 of the rounds"));
    assert_non_null(strstr(text, "one of these statistics"));
    json_decref(promise);
}

/* Linear campaigns measure the reward of the chosen action. */
TEST_WITH(contexts, start, end)
{
    engine_must_create(&rig, "{'name': 'x', 'algorithm': 'jdp-batch', 'arms': ['a', 'b'], "
                             "'epsilon': 1, 'delta': 1e-6, 'horizon': 1000, 'dimension': 2, "
                             "'wait_seconds': 1, 'evaluation': {'share': 0.5}}");
    size_t roles[3] = {0};
    for (size_t i = 0; i < 200; i++) {
        lotor_ranking ranking;
        assert_true(engine_rank_with(&rig, "x", NULL, "{'a': [1, 0], 'b': [0, 1]}", NULL,
                                     &ranking) == LOTOR_CODE_NONE);
        roles[role_in(&ranking)]++;
        engine_must_reward(&rig, ranking.event, "{'rewards': [0.5]}");
        lotor_ranking_clear(&ranking);
        if (i % 20 == 19) {
            engine_wait(&rig, ALL_OVER);
            engine_step(&rig);
        }
    }
    assert_true(roles[0] > 60 && roles[1] > 20 && roles[2] > 20);
    assert_true(engine_number(&rig, "x", "lift.policy.rounds") > 10);
    assert_true(!isnan(engine_number(&rig, "x", "lift.absolute.mean")));
}

TEST_WITH(refusals, start, end)
{
    static const struct {
        const char *json, *field;
    } wrong[] = {
        {CAMPAIGN("r", ", 'evaluation': 0.1"), "evaluation"},
        {CAMPAIGN("r", ", 'evaluation': {}"), "evaluation.share"},
        {CAMPAIGN("r", ", 'evaluation': {'share': 0}"), "evaluation.share"},
        {CAMPAIGN("r", ", 'evaluation': {'share': 0.6}"), "evaluation.share"},
        {CAMPAIGN("r", ", 'evaluation': {'share': 'x'}"), "evaluation.share"},
        {CAMPAIGN("r", ", 'evaluation': {'share': 0.1, 'shares': 1}"), "evaluation.shares"},
        {CAMPAIGN("r", ", 'evaluation': {'share': 0.1, 'control': 'best'}"), "evaluation.control"},
        {CAMPAIGN("r", ", 'evaluation': {'share': 0.1, 'control': []}"), "evaluation.control"},
        {CAMPAIGN("r", ", 'evaluation': {'share': 0.1, 'control': ['z']}"),
         "evaluation.control[0]"},
        {CAMPAIGN("r", ", 'evaluation': {'share': 0.1, 'control': ['a', 'a']}"),
         "evaluation.control[1]"},
        {CAMPAIGN("r", ", 'slots': 2, 'evaluation': {'share': 0.1, 'control': ['a']}"),
         "evaluation.control"},
        {CAMPAIGN("r", ", 'algorithm': 'rr-imed', 'evaluation': {'share': 0.1}"), "evaluation"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(engine_create(&rig, wrong[i].json) != LOTOR_CODE_NONE);
        assert_string_equal(engine_refusal.field, wrong[i].field);
        assert_true(strlen(engine_refusal.message.text) > 10);
    }
    /* The same specification again is no conflict; another evaluation is. */
    engine_must_create(&rig, CAMPAIGN("r", ", 'evaluation': {'share': 0.1}"));
    engine_must_create(&rig, CAMPAIGN("r", ", 'evaluation': {'share': 0.1, 'control': 'uniform'}"));
    assert_int_equal(engine_create(&rig, CAMPAIGN("r", ", 'evaluation': {'share': 0.2}")),
                     LOTOR_CODE_EXISTS);
    assert_string_equal(engine_refusal.field, "evaluation");
    assert_int_equal(engine_create(&rig, CAMPAIGN("r", "")), LOTOR_CODE_EXISTS);
    assert_string_equal(engine_refusal.field, "evaluation");
}
