/* test_engine.c - running campaigns: what is shown, and what is learned from feedback. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/engine_rig.h"

SCENE_OF_EACH_TEST(engine_end_soundly);

static double number(const char *name, const char *path)
{
    return engine_number(&rig, name, path);
}

/* One round in four has the reward 1, so the released mean of the only arm is 1/4. */
TEST_WITH(a_batch_campaign_learns_from_rewards, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    for (int i = 0; i < 64; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, "one", &ranking);
        assert_true(ranking.takes_feedback);
        assert_int_equal(ranking.count, 1);
        assert_string_equal(ranking.arms[0], "a");
        assert_int_equal(ranking.expires, rig.now + 1000);
        if (i % 4 == 0) {
            engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
        }
    }
    assert_true(isnan(number("one", "arms.0.mean"))); /* nothing is final yet */
    assert_int_equal(number("one", "decisions"), 64);
    engine_wait(&rig, ALL_OVER);
    assert_int_equal(number("one", "final"), 64);
    assert_true(number("one", "arms.0.count") >= 4);
    assert_true(number("one", "releases") >= 1);
    assert_true(fabs(number("one", "arms.0.mean") - 0.25) < 0.01);
}

/* Of two arms, the one with rewards is shown more and more. */
TEST_WITH(what_pays_is_shown_more, start, end)
{
    engine_must_create(&rig, "{'name': 'two', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], " LOUD
                             ", 'wait_seconds': 1}");
    int shown = 0;
    for (int i = 0; i < 400; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, "two", &ranking);
        bool is_b = strcmp(ranking.arms[0], "b") == 0;
        shown += is_b && i >= 200;
        engine_must_reward(&rig, ranking.event, is_b ? "{'rewards': [1]}" : "{'rewards': [0]}");
        engine_wait(&rig, 600);
    }
    assert_true(shown > 150);
    assert_true(number("two", "arms.1.mean") > 0.9);
}

TEST_WITH(the_feedback_for_a_list_is_its_click, start, end)
{
    engine_must_create(&rig, "{'name': 'list', 'algorithm': 'cascade-dp-lazy', 'arms': "
                             "['a','b','c','d'], 'max_arms': 4, 'slots': 2, " LOUD
                             ", 'wait_seconds': 1}");
    lotor_ranking ranking;
    for (int i = 0; i < 200; i++) {
        engine_must_rank(&rig, "list", &ranking);
        assert_int_equal(ranking.count, 2);
        char click[80];
        bool has_c = strcmp(ranking.arms[0], "c") == 0 || strcmp(ranking.arms[1], "c") == 0;
        snprintf(click, sizeof click, "{'click': %s}", has_c ? "'c'" : "null");
        engine_must_reward(&rig, ranking.event, click);
        engine_wait(&rig, 500);
    }
    assert_true(number("list", "arms.2.mean") > 0.9);
    /* An arm that was behind c in its whole latest batch was never examined, so its mean is
     * noise. Such an arm is soon put first, so this can't be true of all three arms. */
    assert_true(number("list", "arms.0.mean") < 0.1 || number("list", "arms.1.mean") < 0.1 ||
                number("list", "arms.3.mean") < 0.1);
    engine_must_rank(&rig, "list", &ranking);
    const char *const all[] = {"a", "b", "c", "d"};
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(ranking.arms[0], all[i]) && strcmp(ranking.arms[1], all[i])) {
            char click[80];
            snprintf(click, sizeof click, "{'click': '%s'}", all[i]);
            assert_int_equal(engine_reward(&rig, ranking.event, click), LOTOR_CODE_BAD_VALUE);
            assert_string_equal(engine_refusal.field, "click");
        }
    }
    assert_int_equal(engine_reward(&rig, ranking.event, "{'rewards': [1, 0]}"),
                     LOTOR_CODE_MISSING_FIELD);
    engine_must_reward(&rig, ranking.event, "{'click': null}"); /* the event is still open */
}

TEST_WITH(local_campaigns_take_reports_alone, start, end)
{
    engine_must_create(&rig, "{'name': 'local', 'algorithm': 'rr-klucb', 'arms': ['a','b'], "
                             "'epsilon': 20, 'wait_seconds': 1}");
    for (int i = 0; i < 100; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, "local", &ranking);
        assert_true(ranking.is_local);
        assert_string_equal(ranking.randomizer.mechanism, "bit");
        assert_int_equal(ranking.randomizer.slot, 1);
        assert_int_equal(engine_reward(&rig, ranking.event, "{'rewards': [1]}"),
                         LOTOR_CODE_RAW_FEEDBACK);
        assert_int_equal(engine_reward(&rig, ranking.event, "{'report': 2}"), LOTOR_CODE_BAD_VALUE);
        assert_string_equal(engine_refusal.field, "report");
        engine_must_reward(&rig, ranking.event,
                           strcmp(ranking.arms[0], "a") ? "{'report': [1]}" : "{'report': 0}");
        engine_wait(&rig, 500);
    }
    assert_int_equal(number("local", "releases"), 0); /* reports are private before they arrive */
    assert_true(number("local", "arms.1.mean") > 0.9);
    assert_true(number("local", "arms.0.mean") < 0.1);
}

TEST_WITH(a_linear_campaign_reads_contexts, start, end)
{
    engine_must_create(&rig, "{'name': 'linear', 'algorithm': 'jdp-batch', 'arms': ['a','b'], "
                             "'dimension': 2, 'epsilon': 1, 'delta': 0.001, 'horizon': 1000, "
                             "'wait_seconds': 1}");
    lotor_ranking ranking;
    assert_int_equal(engine_rank(&rig, "linear", &ranking), LOTOR_CODE_MISSING_FIELD);
    assert_string_equal(engine_refusal.field, "context");
    static const char *const bad[] = {"{'a': [1, 0]}",
                                      "{'a': [1, 0], 'b': [0]}",
                                      "{'a': [1, 0], 'b': [0, 'x']}",
                                      "{'a': [1, 0], 'b': [0, 1], 'c': [1, 1]}",
                                      "{'a': [1, 0], 'b': [30, 1]}",
                                      "[1]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_not_equal(engine_rank_with(&rig, "linear", NULL, bad[i], NULL, &ranking),
                             LOTOR_CODE_NONE);
        assert_string_equal(engine_refusal.field, "context");
    }
    for (int i = 0; i < 50; i++) {
        assert_int_equal(
            engine_rank_with(&rig, "linear", NULL, "{'a': [1, 0], 'b': [0, 1]}", NULL, &ranking),
            LOTOR_CODE_NONE);
        assert_true(ranking.takes_feedback);
        assert_int_equal(ranking.count, 1);
        engine_must_reward(&rig, ranking.event, "{'rewards': [0.5]}");
        engine_wait(&rig, 100);
    }
    assert_int_equal(engine_rank_with(&rig, "linear", NULL, "{'b': [0, 1]}", "['b']", &ranking),
                     LOTOR_CODE_NONE);
    assert_string_equal(ranking.arms[0], "b");
    engine_wait(&rig, ALL_OVER);
    assert_int_equal(number("linear", "final"), 51);
}

TEST_WITH(a_user_counts_so_often, start, end)
{
    engine_must_create(&rig, ONE_ARM_WITH(", 'rounds_per_user': 2"));
    lotor_ranking ranking;
    assert_int_equal(engine_rank(&rig, "one", &ranking), LOTOR_CODE_MISSING_FIELD);
    assert_string_equal(engine_refusal.field, "user");
    for (int i = 0; i < 4; i++) {
        assert_int_equal(engine_rank_with(&rig, "one", "ann", NULL, NULL, &ranking),
                         LOTOR_CODE_NONE);
        assert_int_equal(ranking.count, 1);
        assert_true(ranking.takes_feedback); /* nobody learns whether the round will count */
        assert_int_equal(strlen(ranking.event), LOTOR_TOKEN_LENGTH);
    }
    assert_int_equal(engine_rank_with(&rig, "one", "bob", NULL, NULL, &ranking), LOTOR_CODE_NONE);
    assert_true(ranking.takes_feedback);
    assert_int_equal(number("one", "decisions"), 0); /* displays would tell how many are refused */
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    assert_int_equal(number("one", "decisions"), 3);
    assert_int_equal(number("one", "final"), 3);
    assert_int_equal(number("one", "guarantee.epsilon"), 2000000);
}

TEST_WITH(only_eligible_arms_are_shown, start, end)
{
    engine_must_create(&rig, "{'name': 'four', 'algorithm': 'batch-klucb', 'arms': "
                             "['a','b','c','d'], 'slots': 2, " LOUD ", 'wait_seconds': 1}");
    lotor_ranking ranking;
    for (int i = 0; i < 30; i++) { /* from the pool and drawn singly, alternately */
        engine_must_rank(&rig, "four", &ranking);
        assert_int_equal(engine_rank_with(&rig, "four", NULL, NULL, "['b', 'd']", &ranking),
                         LOTOR_CODE_NONE);
        assert_int_equal(ranking.count, 2);
        for (size_t j = 0; j < 2; j++) {
            assert_true(strcmp(ranking.arms[j], "b") == 0 || strcmp(ranking.arms[j], "d") == 0);
        }
        engine_must_reward(&rig, ranking.event, "{'rewards': [1, 1]}");
        engine_wait(&rig, 100);
    }
    assert_int_equal(engine_rank_with(&rig, "four", NULL, NULL, "['b']", &ranking),
                     LOTOR_CODE_TOO_FEW_ARMS);
    assert_int_equal(engine_rank_with(&rig, "four", NULL, NULL, "['b', 'x']", &ranking),
                     LOTOR_CODE_BAD_VALUE);
    assert_string_equal(engine_refusal.field, "eligible[1]");
    engine_wait(&rig, ALL_OVER); /* decisions that were drawn ahead and not shown delay nothing */
    assert_int_equal(number("four", "decisions"), 60);
    assert_int_equal(number("four", "pending"), 0);
}

static bool shows(const lotor_ranking *ranking, const char *id)
{
    for (size_t i = 0; i < ranking->count; i++) {
        if (strcmp(ranking->arms[i], id) == 0) {
            return true;
        }
    }
    return false;
}

TEST_WITH(arms_come_pause_and_resume, start, end)
{
    engine_must_create(&rig, "{'name': 'arms', 'algorithm': 'batch-klucb', 'arms': ['a','b'], " LOUD
                             ", 'wait_seconds': 1, 'max_arms': 3}");
    lotor_ranking ranking;
    engine_must_rank(&rig, "arms", &ranking);
    assert_int_equal(engine_arms(&rig, "arms", "{'pause': ['a']}"), LOTOR_CODE_NONE);
    for (int i = 0; i < 20; i++) {
        engine_must_rank(&rig, "arms", &ranking);
        assert_false(shows(&ranking, "a"));
    }
    assert_int_equal(engine_arms(&rig, "arms", "{'pause': ['b']}"), LOTOR_CODE_TOO_FEW_ARMS);
    assert_int_equal(engine_arms(&rig, "arms", "{'add': ['c']}"), LOTOR_CODE_NONE);
    assert_int_equal(engine_arms(&rig, "arms", "{'pause': ['b']}"), LOTOR_CODE_NONE);
    engine_must_rank(&rig, "arms", &ranking);
    assert_true(shows(&ranking, "c"));
    assert_int_equal(engine_arms(&rig, "arms", "{'add': ['d']}"), LOTOR_CODE_FULL);
    assert_int_equal(engine_arms(&rig, "arms", "{'resume': ['a'], 'pause': ['c']}"),
                     LOTOR_CODE_NONE);
    engine_must_rank(&rig, "arms", &ranking);
    assert_true(shows(&ranking, "a"));
    engine_wait(&rig, ALL_OVER);
    assert_int_equal(number("arms", "pending"), 0);
    assert_int_equal(number("arms", "decisions"), 23);
}

TEST_WITH(a_closed_campaign_shows_nothing_and_ends_its_rounds, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    lotor_ranking ranking;
    for (int i = 0; i < 16; i++) {
        engine_must_rank(&rig, "one", &ranking);
        engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    }
    engine_must_rank(&rig, "one", &ranking);
    assert_int_equal(engine_close_campaign(&rig, "one"), LOTOR_CODE_NONE);
    assert_int_equal(engine_close_campaign(&rig, "one"), LOTOR_CODE_NONE);
    engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    assert_int_equal(engine_rank(&rig, "one", &ranking), LOTOR_CODE_CLOSED);
    assert_int_equal(engine_arms(&rig, "one", "{'pause': ['a']}"), LOTOR_CODE_CLOSED);
    engine_wait(&rig, ALL_OVER);
    assert_int_equal(number("one", "pending"), 0);
    assert_int_equal(number("one", "closed"), 1);
    assert_true(fabs(number("one", "arms.0.mean") - 1) < 0.01);
}

TEST_WITH(past_the_horizon_nothing_is_learned, start, end)
{
    engine_must_create(&rig, ONE_ARM_WITH(", 'horizon': 10"));
    for (int i = 0; i < 20; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, "one", &ranking);
        assert_int_equal(ranking.count, 1);
        assert_int_equal(ranking.takes_feedback, i < 10);
    }
    engine_wait(&rig, ALL_OVER);
    assert_int_equal(number("one", "final"), 10);
}

/* Decisions that were drawn ahead and not shown use up the horizon only until their block ends. */
TEST_WITH(what_was_taken_back_does_not_count, start, end)
{
    engine_must_create(&rig, "{'name': 'arms', 'algorithm': 'batch-klucb', 'arms': ['a','b'], " LOUD
                             ", 'wait_seconds': 1, 'horizon': 20}");
    int counted = 0, after = 0;
    for (int i = 0; i < 60; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, "arms", &ranking);
        counted += ranking.takes_feedback;
        after += counted == 20;
        const char *change = i % 2 ? "{'resume': ['a']}" : "{'pause': ['a']}";
        assert_int_equal(engine_arms(&rig, "arms", change), LOTOR_CODE_NONE);
        if (i % 3 == 2) {
            engine_wait(&rig, ALL_OVER);
        }
    }
    assert_int_equal(counted, 20);
    assert_true(after > 10); /* the horizon was reached, and holds */
    engine_wait(&rig, ALL_OVER);
    assert_int_equal(number("arms", "final"), 20);
}

/* Arms that were added and paused since then do not make it another campaign. The refusal names the
 * field that differs. */
TEST_WITH(a_campaign_with_added_arms_again_is_fine, start, end)
{
#define TWO_ARMS(arms, more)                                                                       \
    "{'name': 'two', 'arms': " arms ", 'max_arms': 4, 'epsilon': 1, 'wait_seconds': 1" more "}"
    static const struct {
        const char *json, *field;
    } others[] = {
        {TWO_ARMS("['b', 'a']", ""), "arms"},
        {TWO_ARMS("['a', 'b', 'd']", ""), "arms"},
        {TWO_ARMS("['a', 'b']", ", 'slots': 2"), "slots"},
        {TWO_ARMS("['a', 'b']", ", 'early_release': true"), "early_release"},
        {TWO_ARMS("['a', 'b']", ", 'rounds_per_user': 3"), "rounds_per_user"},
        {"{'name': 'two', 'arms': ['a', 'b'], 'max_arms': 4, 'epsilon': 2, 'wait_seconds': 1}",
         "epsilon"},
        {"{'name': 'two', 'arms': ['a', 'b'], 'max_arms': 5, 'epsilon': 1, 'wait_seconds': 1}",
         "max_arms"},
        {TWO_ARMS("[{'id': 'a', 'features': [1]}, {'id': 'b', 'features': [2]}]", ""), "arms"},
    };
    engine_must_create(&rig, TWO_ARMS("['a', 'b']", ""));
    assert_int_equal(engine_arms(&rig, "two", "{'add': ['c'], 'pause': ['a']}"), LOTOR_CODE_NONE);
    engine_must_create(&rig, TWO_ARMS("['a', 'b']", ""));
    engine_must_create(&rig, TWO_ARMS("['a', 'b', 'c']", ""));
    /* without max_arms, whatever the default would be for so many arms */
    engine_must_create(&rig,
                       "{'name': 'two', 'arms': ['a', 'b'], 'epsilon': 1, 'wait_seconds': 1}");
    engine_must_create(&rig,
                       "{'name': 'two', 'arms': ['a', 'b', 'c'], 'epsilon': 1, 'wait_seconds': 1}");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(engine_create(&rig, others[i].json), LOTOR_CODE_EXISTS);
        assert_string_equal(engine_refusal.field, others[i].field);
    }
#undef TWO_ARMS
}

TEST_WITH(the_same_campaign_again_is_fine, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    engine_must_create(&rig, ONE_ARM);
    assert_int_equal(engine_create(&rig, ONE_ARM_WITH(", 'early_release': true")),
                     LOTOR_CODE_EXISTS);
    json_t *list = lotor_engine_list(rig.engine, false, &engine_refusal);
    assert_int_equal(json_array_size(json_object_get(list, "campaigns")), 1);
    json_decref(list);
    lotor_ranking ranking;
    assert_int_equal(engine_rank(&rig, "none", &ranking), LOTOR_CODE_NO_SUCH_CAMPAIGN);
    assert_null(lotor_engine_describe(rig.engine, "none", &engine_refusal));
    assert_int_equal(engine_close_campaign(&rig, "none"), LOTOR_CODE_NO_SUCH_CAMPAIGN);
}

/* Many rankings at once: more than the pool has; short and long lists. */
TEST_WITH(many_rankings_at_once, start, end)
{
    char spec[4096] =
        "{'name': 'long', 'algorithm': 'batch-klucb', 'slots': 100, 'wait_seconds': 1, "
        "'epsilon': 1, 'arms': [";
    for (int i = 0; i < 120; i++) {
        char arm[16];
        snprintf(arm, sizeof arm, "%s'x%d'", i ? "," : "", i);
        strcat(spec, arm);
    }
    strcat(spec, "]}");
    engine_must_create(&rig, spec);
    enum { MANY = 50 };
    lotor_ranking *rankings = calloc(MANY, sizeof *rankings);
    for (int round = 0; round < 3; round++) {
        lotor_ranking single;
        engine_must_rank(&rig, "long", &single);
        assert_int_equal(single.count, 100);
        lotor_ranking_clear(&single);
        assert_int_equal(engine_rank_many(&rig, "long", rankings, MANY), LOTOR_CODE_NONE);
        for (size_t i = 0; i < MANY; i++) {
            assert_int_equal(rankings[i].count, 100);
            assert_int_equal(rankings[i].arms[99][0], 'x');
            for (size_t j = 0; j < i; j++) {
                assert_string_not_equal(rankings[i].event, rankings[j].event);
            }
            lotor_ranking_clear(&rankings[i]);
        }
    }
    assert_int_equal(number("long", "decisions"), 3 * (MANY + 1));
    /* So many arms at once that drawing them would delay other requests. */
    enum { TOO_MANY = 65536 / 100 + 1 };
    lotor_ranking *const more = calloc(TOO_MANY, sizeof *more);
    assert_int_equal(engine_rank_many(&rig, "long", more, TOO_MANY), LOTOR_CODE_TOO_LARGE);
    assert_non_null(strstr(engine_refusal.message.text, "at most 655 rankings"));
    assert_int_equal(number("long", "decisions"), 3 * (MANY + 1));
    free(more);
    free(rankings);
}

/* max_open limits the decisions that are shown or drawn ahead and not final. Later there is room
 * again. */
TEST_WITH(so_many_decisions_may_be_open, start, end)
{
    enum { MOST = 10 };
    engine_must_create(&rig, ONE_ARM_WITH(", 'max_open': 10"));
    for (int round = 0; round < 3; round++) {
        lotor_ranking rankings[MOST + 1];
        for (int i = 0; i < MOST; i++) {
            engine_must_rank(&rig, "one", &rankings[i]);
            assert_true(rankings[i].takes_feedback);
        }
        for (int i = 0; i < 3; i++) {
            assert_int_equal(engine_rank(&rig, "one", &rankings[MOST]), LOTOR_CODE_TOO_MANY_OPEN);
            assert_non_null(strstr(engine_refusal.message.text, "max_open"));
        }
        /* feedback does not make room, since that would reveal it */
        for (int i = 0; i < MOST; i++) {
            engine_must_reward(&rig, rankings[i].event, "{'rewards': [1]}");
        }
        assert_int_equal(engine_rank(&rig, "one", &rankings[MOST]), LOTOR_CODE_TOO_MANY_OPEN);
        engine_wait(&rig, ALL_OVER - 1);
        assert_int_equal(engine_rank(&rig, "one", &rankings[MOST]), LOTOR_CODE_TOO_MANY_OPEN);
        engine_wait(&rig, 1);
        assert_int_equal(number("one", "final"), MOST * (round + 1));
    }
    assert_true(fabs(number("one", "arms.0.mean") - 1) < 0.01);
}

/* The same for blanks, with which requests that name a user are answered. */
TEST_WITH(so_many_direct_decisions_may_be_open, start, end)
{
    engine_must_create(&rig, ONE_ARM_WITH(", 'max_open': 10, 'rounds_per_user': 100"));
    for (int round = 0; round < 2; round++) {
        lotor_ranking ranking;
        for (int i = 0; i < 10; i++) {
            assert_int_equal(engine_rank_with(&rig, "one", "ann", NULL, NULL, &ranking),
                             LOTOR_CODE_NONE);
        }
        assert_int_equal(engine_rank_with(&rig, "one", "ann", NULL, NULL, &ranking),
                         LOTOR_CODE_TOO_MANY_OPEN);
        engine_wait(&rig, ALL_OVER);
        engine_step(&rig);
        assert_int_equal(number("one", "final"), 10 * (round + 1));
    }
}

/* A refused user was shown nothing, so the refusal does not count for the cap. */
TEST_WITH(a_refusal_uses_nothing_of_a_users_cap, start, end)
{
    engine_must_create(&rig, ONE_ARM_WITH(", 'max_open': 1, 'rounds_per_user': 2"));
    lotor_ranking ranking;
    assert_int_equal(engine_rank_with(&rig, "one", "ann", NULL, NULL, &ranking), LOTOR_CODE_NONE);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(engine_rank_with(&rig, "one", "ann", NULL, NULL, &ranking),
                         LOTOR_CODE_TOO_MANY_OPEN);
    }
    for (int i = 0; i < 3; i++) {
        engine_wait(&rig, ALL_OVER);
        engine_step(&rig);
        assert_int_equal(number("one", "final"), i < 2 ? i + 1 : 2);
        assert_int_equal(engine_rank_with(&rig, "one", "ann", NULL, NULL, &ranking),
                         LOTOR_CODE_NONE);
    }
}

TEST_WITH(numbers_for_the_operator, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    lotor_ranking ranking;
    engine_must_rank(&rig, "one", &ranking);
    engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    char *text = lotor_engine_metrics(rig.engine);
    assert_non_null(strstr(text, "\nlotor_decisions_total 1\n"));
    assert_non_null(strstr(text, "\nlotor_feedback_total 2\n")); /* a repeat is acknowledged, too */
    assert_non_null(strstr(text, "\nlotor_rounds_open 1\n"));
    assert_non_null(strstr(text, "\nlotor_campaigns 1\n"));
    assert_non_null(strstr(text, "\nlotor_commit_seconds_bucket{le=\"0.00025\"}"));
    /* The start, the campaign, its takeover, the first block, the next one, two rewards. */
    assert_non_null(strstr(text, "\nlotor_commits_total 7\n"));
    assert_non_null(strstr(text, "\nlotor_commit_seconds_bucket{le=\"+Inf\"} 7\n"));
    assert_non_null(strstr(text, "\nlotor_commit_seconds_count 7\n"));
    assert_true(lotor_engine_is_ready(rig.engine));
    assert_non_null(strstr(text, "\nlotor_campaign_decisions_total{campaign=\"one\"} 1\n"));
    assert_non_null(strstr(text, "\nlotor_campaign_releases_total{campaign=\"one\"} 0\n"));
    assert_non_null(strstr(text, "\nlotor_campaign_rounds_open{campaign=\"one\"} 1\n"));
    free(text);
}

/* With early_release a round is final when it is answered: how many are open would tell who
 * answered. */
TEST_WITH(open_rounds_of_early_campaigns_are_not_told, start, end)
{
    engine_must_create(&rig, "{'name': 'early', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], "
                             "'epsilon': 1, 'early_release': true}");
    lotor_ranking ranking;
    engine_must_rank(&rig, "early", &ranking);
    char *text = lotor_engine_metrics(rig.engine);
    assert_non_null(strstr(text, "\nlotor_campaign_decisions_total{campaign=\"early\"} 1\n"));
    assert_null(strstr(text, "lotor_campaign_rounds_open{campaign=\"early\"}"));
    free(text);
}
