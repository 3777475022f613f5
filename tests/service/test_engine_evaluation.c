/* test_engine_evaluation.c - campaigns that measure their lift: roles in replies, released values, the
 * guarantee, and restarts. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/randomizer.h>

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
    assert_true(engine_number(&rig, name, "final") >= (double)OPEN);
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
    static const char *const algorithms[] = {"lik-imed", "rr-imed"};
    static const char *const words[] = {"one of these statistics",
                                        "The device sends one report of each round"};
    for (size_t i = 0; i < 2; i++) {
        char body[200];
        snprintf(body, sizeof body,
                 "{'name': '%s', 'algorithm': '%s', 'arms': ['a', 'b'], 'epsilon': 1, "
                 "'evaluation': {'share': 0.1}}",
                 algorithms[i], algorithms[i]);
        engine_must_create(&rig, body);
        json_t *promise = lotor_engine_guarantee(rig.engine, algorithms[i], &engine_refusal);
        const char *text = json_string_value(json_object_get(promise, "statement"));
        assert_true(json_is_true(json_object_get(promise, "private")));
        assert_true(json_number_value(json_object_get(promise, "epsilon")) == 1.0);
        assert_non_null(strstr(text, "A share of 0.1 of the rounds"));
        assert_non_null(strstr(text, words[i]));
        json_decref(promise);
    }
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

/* Local campaigns: devices report one randomized bit of the value. At this epsilon one bit of
 * 10^8 is a lie. */
static void serve_local(const char *name, size_t rounds, bool clicks, tally *out)
{
    for (size_t i = 0; i < rounds; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, name, &ranking);
        const size_t role = role_in(&ranking);
        const lotor_randomizer *told = &ranking.randomizer;
        assert_true(ranking.is_local);
        assert_string_equal(told->mechanism, role == 0 ? "bit" : clicks ? "click-bit" : "sum-bit");
        assert_true(role == 0 ? told->slot > 0 : told->slot == 0);
        double rewards[2] = {0};
        size_t click = 0;
        for (size_t k = 0; k < ranking.count; k++) {
            if (strcmp(ranking.arms[k], "a") == 0) {
                rewards[k] = 1;
                click = k + 1;
            }
        }
        out->rounds[role]++;
        out->liked[role] += click > 0;
        lotor_feedback feedback = {.click = click};
        if (!clicks) { /* a round that learns asks for one reward, others for both */
            const size_t first = role == 0 ? told->slot - 1 : 0;
            feedback = (lotor_feedback){rewards + first, role == 0 ? 1 : 2, 0};
        }
        int64_t report[2];
        size_t count;
        char body[32];
        assert_int_equal(lotor_randomizer_report(told, &feedback, NULL, report, &count), LOTOR_OK);
        snprintf(body, sizeof body, "{'report': %d}", (int)report[0]);
        engine_must_reward(&rig, ranking.event, body);
        lotor_ranking_clear(&ranking);
        if (i % 50 == 49) {
            engine_wait(&rig, ALL_OVER);
            engine_step(&rig);
        }
    }
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
}

TEST_WITH(local_campaigns_tell_their_lift, start, end)
{
#define LOCAL(name, more)                                                                          \
    "{'name': '" name "', 'algorithm': 'rr-imed', 'arms': ['a', 'b', 'c', 'd'], 'slots': 2, "      \
    "'epsilon': 18, 'wait_seconds': 1, 'evaluation': {'share': 0.5}" more "}"
    static const char *const creations[] = {LOCAL("r", ""), LOCAL("k", ", 'feedback': 'clicks'")};
    static const char *const names[] = {"r", "k"};
    for (size_t i = 0; i < 2; i++) {
        engine_must_create(&rig, creations[i]);
        tally seen = {0};
        serve_local(names[i], 300, i == 1, &seen);
        engine_stop(&rig);
        engine_open(&rig);
        serve_local(names[i], 100, i == 1, &seen);
        assert_true(seen.rounds[1] > 60 && seen.rounds[2] > 60);
        /* Every final round counts at once, and decisions that were not shown count for nothing. */
        assert_true(engine_number(&rig, names[i], "lift.policy.rounds") == (double)seen.rounds[1]);
        assert_true(engine_number(&rig, names[i], "lift.control.rounds") == (double)seen.rounds[2]);
        const double policy = (double)seen.liked[1] / (double)seen.rounds[1];
        const double control = (double)seen.liked[2] / (double)seen.rounds[2];
        const double found = engine_number(&rig, names[i], "lift.absolute.mean");
        if (i == 1) { /* a bit is whether anything was clicked, so its sum is exact */
            assert_true(fabs(engine_number(&rig, "k", "lift.policy.mean") - policy) <= 1e-5);
            assert_true(fabs(engine_number(&rig, "k", "lift.control.mean") - control) <= 1e-5);
        } else { /* half a reward is rounded by a coin: five standard deviations */
            assert_true(fabs(found - (policy - control)) <= 5 * 2 * 0.5 * sqrt(2.0 / 60));
        }
    }
}

/* The propensity of a control round; other roles have none. */
TEST_WITH(control_rounds_have_a_propensity, start, end)
{
    static const struct {
        const char *json, *name, *eligible;
        double propensity;
    } campaigns[] = {
        {CAMPAIGN("u", ", 'slots': 2, 'evaluation': {'share': 0.5}"), "u", NULL, 1.0 / 12.0},
        {CAMPAIGN("e", ", 'slots': 2, 'evaluation': {'share': 0.5}"), "e", "['a', 'c', 'd']",
         1.0 / 6.0},
        {CAMPAIGN("f", ", 'slots': 2, 'evaluation': {'share': 0.5, 'control': ['d', 'a', 'b']}"),
         "f", NULL, 1.0},
        {"{'name': 'm', 'arms': [{'id': 'a', 'features': [0]}, {'id': 'b', 'features': [0]}, "
         "{'id': 'c', 'features': [1]}], 'oracle': {'kind': 'partition', 'capacities': {'0': 1, "
         "'1': 1}}, 'epsilon': 5, 'evaluation': {'share': 0.5}}",
         "m", NULL, 0.0},
    };
    for (size_t i = 0; i < sizeof campaigns / sizeof *campaigns; i++) {
        size_t roles[3] = {0};
        engine_must_create(&rig, campaigns[i].json);
        for (size_t k = 0; k < 60; k++) {
            lotor_ranking ranking;
            assert_true(engine_rank_with(&rig, campaigns[i].name, NULL, NULL, campaigns[i].eligible,
                                         &ranking) == LOTOR_CODE_NONE);
            const size_t role = role_in(&ranking);
            const double known = role == 2 ? campaigns[i].propensity : 0.0;
            assert_true(fabs(ranking.propensity - known) <= 1e-12);
            assert_int_equal(ranking.count, 2);
            roles[role]++;
            lotor_ranking_clear(&ranking);
        }
        assert_true(roles[0] > 5 && roles[1] > 2 && roles[2] > 2);
    }
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
        {"{'name': 'p', 'arms': [{'id': 'a', 'features': [0]}, {'id': 'b', 'features': [0]}, "
         "{'id': 'c', 'features': [1]}], 'oracle': {'kind': 'partition', 'capacities': {'0': 1, "
         "'1': 1}}, 'epsilon': 5, 'evaluation': {'share': 0.1, 'control': ['a', 'b']}}",
         "evaluation"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(engine_create(&rig, wrong[i].json) != LOTOR_CODE_NONE);
        assert_string_equal(engine_refusal.field, wrong[i].field);
        assert_true(strlen(engine_refusal.message.text) > 10);
    }
    /* The same specification again is not a conflict; another evaluation is. */
    engine_must_create(&rig, CAMPAIGN("r", ", 'evaluation': {'share': 0.1}"));
    engine_must_create(&rig, CAMPAIGN("r", ", 'evaluation': {'share': 0.1, 'control': 'uniform'}"));
    assert_int_equal(engine_create(&rig, CAMPAIGN("r", ", 'evaluation': {'share': 0.2}")),
                     LOTOR_CODE_EXISTS);
    assert_string_equal(engine_refusal.field, "evaluation");
    assert_int_equal(engine_create(&rig, CAMPAIGN("r", "")), LOTOR_CODE_EXISTS);
    assert_string_equal(engine_refusal.field, "evaluation");
}

/* --- the outlook ------------------------------------------------------------------------------ */

typedef struct outlook {
    bool decided;
    double rounds, seconds; /* -1: null */
    char why[400];
} outlook;

static double number_or_null(const json_t *value)
{
    assert_true(json_is_null(value) || json_is_integer(value));
    return json_is_null(value) ? -1.0 : json_number_value(value);
}

static outlook ask(const char *name)
{
    lotor_refusal refusal;
    json_t *const reply = lotor_engine_outlook(rig.engine, name, &refusal);
    assert_non_null(reply);
    outlook out = {.decided = json_is_true(json_object_get(reply, "decided")),
                   .rounds = number_or_null(json_object_get(reply, "rounds")),
                   .seconds = number_or_null(json_object_get(reply, "seconds"))};
    snprintf(out.why, sizeof out.why, "%s", json_string_value(json_object_get(reply, "why")));
    json_decref(reply);
    return out;
}

static void expect_nothing(const char *name, const char *words)
{
    const outlook found = ask(name);
    assert_true(!found.decided && found.rounds == -1.0 && found.seconds == -1.0);
    if (!strstr(found.why, words)) {
        fail_msg("%s: expected \"%s\"", found.why, words);
    }
}

/* Every second person is content, whatever is shown. */
static void serve_without_difference(const char *name, size_t rounds)
{
    for (size_t i = 0; i < rounds; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, name, &ranking);
        engine_must_reward(&rig, ranking.event, i % 2 ? "{'rewards': [1]}" : "{'rewards': [0]}");
        lotor_ranking_clear(&ranking);
        if (i % 50 == 49) {
            engine_wait(&rig, ALL_OVER);
            engine_step(&rig);
        }
    }
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
}

TEST_WITH(an_outlook_says_why_there_is_none, start, end)
{
    lotor_refusal refusal;
    engine_must_create(&rig, CAMPAIGN("plain", ""));
    engine_must_create(&rig, CAMPAIGN("new", ", 'evaluation': {'share': 0.5}"));
    expect_nothing("plain", "create the campaign with an evaluation");
    expect_nothing("new", "Nothing was released about value yet");
    engine_must_create(&rig, CAMPAIGN("fixed", ", 'evaluation': {'share': 0.5, 'control': ['a']}"));
    expect_nothing("fixed", "Nothing was released about value yet");
    assert_int_equal(engine_arms(&rig, "fixed", "{'remove': ['a']}"), LOTOR_CODE_NONE);
    expect_nothing("fixed", "Too few arms of the control can be shown");
    assert_int_equal(engine_close_campaign(&rig, "new"), LOTOR_CODE_NONE);
    expect_nothing("new", "closed");
    assert_null(lotor_engine_outlook(rig.engine, "none", &refusal));
    assert_int_equal(refusal.code, LOTOR_CODE_NO_SUCH_CAMPAIGN);
}

TEST_WITH(an_outlook_counts_rounds_and_seconds, start, end)
{
    engine_must_create(&rig, CAMPAIGN("o", ", 'evaluation': {'share': 0.5}"));
    serve_without_difference("o", 400);
    const outlook first = ask("o");
    assert_true(!first.decided && first.rounds > 0 && first.seconds > 0);
    /* 50 decisions in every 1,251 ms of the store's clock: 40 a second */
    const double rate = first.rounds / first.seconds;
    if (!(rate > 25 && rate < 50)) {
        fail_msg("%g rounds in %g seconds: %s", first.rounds, first.seconds, first.why);
    }
    assert_non_null(strstr(first.why, "half of such campaigns"));
    /* Without traffic the time grows, and the rounds stay. */
    engine_wait(&rig, 1000000);
    const outlook later = ask("o");
    assert_true(later.rounds == first.rounds);
    assert_true(later.seconds > 2 * first.seconds);
    assert_int_equal(engine_act(&rig, "o", LOTOR_ACT_PAUSE), LOTOR_CODE_NONE);
    const outlook paused = ask("o");
    assert_true(paused.rounds == first.rounds && paused.seconds == -1.0);
    assert_non_null(strstr(paused.why, "paused"));
}

TEST_WITH(an_outlook_of_a_decided_lift, start, end)
{
    tally seen = {0};
    engine_must_create(&rig, CAMPAIGN("o", ", 'evaluation': {'share': 0.5, 'control': ['d']}"));
    serve("o", 1200, false, &seen);
    const outlook found = ask("o");
    assert_true(found.decided && found.rounds == 0 && found.seconds == 0);
    assert_int_equal(engine_close_campaign(&rig, "o"), LOTOR_CODE_NONE);
    assert_true(ask("o").decided);
}

TEST_WITH(an_outlook_beyond_the_horizon, start, end)
{
    engine_must_create(&rig, CAMPAIGN("o", ", 'horizon': 500, 'evaluation': {'share': 0.5}"));
    serve_without_difference("o", 400);
    expect_nothing("o", "within 500 rounds, the horizon");
}
