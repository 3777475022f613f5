/* test_engine_blank.c - requests that name eligible arms or bring contexts are answered from memory
 * (blank.c): what is shown is recorded and counted, and what is not recorded counts for nothing. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "service/engine_rig.h"

SCENE_OF_EACH_TEST(engine_end_soundly);

/* With wait_seconds 60: blanks are handed out for 6 seconds. */
#define LONG_WAIT                                                                                  \
    "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], 'max_arms': 2, " LOUD         \
    ", 'wait_seconds': 60}"
#define TWO_ARMS                                                                                   \
    "{'name': 'one', 'algorithm': 'lik-imed', 'arms': ['a', 'b', 'c'], 'max_arms': 3, " LOUD       \
    ", 'wait_seconds': 1}"
#define LINEAR                                                                                     \
    "{'name': 'one', 'algorithm': 'jdp-batch', 'arms': ['a', 'b'], 'dimension': 2, 'epsilon': 1, " \
    "'delta': 0.001, 'horizon': 10000, 'wait_seconds': 1}"

/* Ranks with eligible arms, without a step. True: it was answered at once, from memory. */
static bool rank_at_once(const char *eligible, const char *context, lotor_ranking *ranking)
{
    engine_job job;
    json_t *arms = eligible ? engine_json(eligible) : NULL;
    json_t *rows = context ? engine_json(context) : NULL;
    memset(ranking, 0, sizeof *ranking);
    ranking->eligible = arms;
    ranking->context = rows;
    engine_queue_ranking(&rig, "one", ranking, &job);
    const bool at_once = job.is_done;
    while (!job.is_done) {
        engine_step(&rig);
    }
    engine_refusal = job.job.refusal;
    json_decref(arms);
    json_decref(rows);
    return at_once;
}

/* Ranks until requests are answered from memory. */
static void warm_up(const char *eligible, const char *context)
{
    for (int i = 0; i < 4; i++) {
        lotor_ranking ranking;
        const bool at_once = rank_at_once(eligible, context, &ranking);
        assert_int_equal(engine_refusal.code, LOTOR_CODE_NONE);
        lotor_ranking_clear(&ranking);
        if (at_once) {
            return;
        }
        engine_step(&rig);
    }
    fail_msg("no request was answered from memory");
}

TEST_WITH(all_feedback_is_counted, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    double sum = 0.0;
    int sent = 0, at_once = 0;
    for (int i = 0; i < 200; i++) {
        lotor_ranking ranking;
        at_once += rank_at_once("['a']", NULL, &ranking);
        assert_int_equal(engine_refusal.code, LOTOR_CODE_NONE);
        const int reward = i % 3 == 0;
        engine_must_reward(&rig, ranking.event, reward ? "{'rewards': [1]}" : "{'rewards': [0]}");
        sum += reward;
        sent++;
        lotor_ranking_clear(&ranking);
        if (i % 20 == 19) {
            engine_wait(&rig, 100);
        }
    }
    assert_true(at_once > 150);
    engine_wait(&rig, ALL_OVER);
    engine_wait(&rig, 100);
    assert_true(engine_number(&rig, "one", "decisions") == sent);
    assert_true(engine_number(&rig, "one", "final") == sent);
    const double mean = engine_number(&rig, "one", "arms.0.mean");
    assert_true(fabs(mean - sum / sent) < 0.1);
}

/* Every released sum must be the sum of the feedback that was acknowledged, restarts included. */
TEST_WITH(restarts_lose_nothing_that_was_recorded, start, end)
{
    engine_must_create(&rig, LONG_WAIT);
    warm_up("['a']", NULL);
    char events[6][LOTOR_TOKEN_LENGTH + 1];
    for (int i = 0; i < 3; i++) {
        lotor_ranking ranking;
        assert_true(rank_at_once("['b']", NULL, &ranking));
        assert_string_equal(ranking.arms[0], "b");
        memcpy(events[i], ranking.event, sizeof ranking.event);
        lotor_ranking_clear(&ranking);
    }
    engine_step(&rig); /* what was shown is in the log now */
    engine_crash(&rig);
    engine_open(&rig);
    for (int i = 0; i < 3; i++) {
        engine_must_reward(&rig, events[i], "{'rewards': [1]}");
        assert_int_equal(engine_late, 0);
    }
    engine_wait(&rig, 70000);
    engine_wait(&rig, 100);
    assert_true(engine_number(&rig, "one", "arms.1.mean") > 0.99);
    assert_true(engine_number(&rig, "one", "arms.1.shown") == 3);
}

TEST_WITH(what_was_not_recorded_counts_for_nothing, start, end)
{
    engine_must_create(&rig, LONG_WAIT);
    warm_up("['a']", NULL);
    engine_step(&rig);
    lotor_ranking ranking;
    assert_true(rank_at_once("['b']", NULL, &ranking));
    engine_crash(&rig); /* before a step */
    engine_open(&rig);
    assert_int_equal(engine_reward(&rig, ranking.event, "{'rewards': [1]}"),
                     LOTOR_CODE_NOT_RECORDED);
    engine_wait(&rig, 70000);
    engine_wait(&rig, 100);
    assert_true(engine_number(&rig, "one", "arms.1.shown") == 0);
    assert_true(isnan(engine_number(&rig, "one", "arms.1.mean")));
    assert_true(engine_number(&rig, "one", "decisions") == engine_number(&rig, "one", "final"));
    lotor_ranking_clear(&ranking);
}

/* Feedback that comes before a step of its own: the record and the feedback are one commit. */
TEST_WITH(feedback_can_come_at_once, start, end)
{
    engine_must_create(&rig, LONG_WAIT);
    warm_up("['a']", NULL);
    lotor_ranking ranking;
    assert_true(rank_at_once("['b']", NULL, &ranking));
    engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    engine_crash(&rig);
    engine_open(&rig);
    engine_wait(&rig, 70000);
    engine_wait(&rig, 100);
    assert_true(engine_number(&rig, "one", "arms.1.mean") > 0.99);
    lotor_ranking_clear(&ranking);
}

TEST_WITH(contexts_are_answered_from_memory, start, end)
{
    engine_must_create(&rig, LINEAR);
    const char *context = "{'a': [0.5, 0.1], 'b': [0.1, 0.5]}";
    warm_up(NULL, context);
    int at_once = 0;
    for (int i = 0; i < 60; i++) {
        lotor_ranking ranking;
        at_once += rank_at_once(NULL, context, &ranking);
        assert_int_equal(engine_refusal.code, LOTOR_CODE_NONE);
        engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
        lotor_ranking_clear(&ranking);
    }
    assert_true(at_once > 40);
    engine_wait(&rig, ALL_OVER);
    engine_wait(&rig, 100);
    assert_true(engine_number(&rig, "one", "decisions") == engine_number(&rig, "one", "final"));
    lotor_ranking ranking;
    rank_at_once(NULL, "{'a': [5, 5], 'b': [0.1, 0.5]}", &ranking);
    assert_int_equal(engine_refusal.code, LOTOR_CODE_BAD_VALUE);
    assert_string_equal(engine_refusal.field, "context");
    lotor_ranking_clear(&ranking);
}

/* A long context is scaled down on request; a choice by it is the choice by its direction. */
TEST_WITH(long_contexts_are_scaled_down_on_request, start, end)
{
    lotor_ranking ranking;
    engine_must_create(&rig, LINEAR);
    assert_int_equal(
        engine_rank_with(&rig, "one", NULL, "{'a': [3, 4], 'b': [0, 1]}", NULL, &ranking),
        LOTOR_CODE_BAD_VALUE);
    engine_must_create(
        &rig,
        "{'name': 'scaled', 'algorithm': 'jdp-batch', 'arms': ['a', 'b'], 'dimension': 2, "
        "'epsilon': 1, 'delta': 0.001, 'horizon': 10000, 'wait_seconds': 1, 'normalize': true}");
    for (int i = 0; i < 40; i++) {
        const char *context =
            i % 2 ? "{'a': [1e308, -1e308], 'b': [0, 0]}" : "{'a': [3, 4], 'b': [0, 1]}";
        assert_int_equal(engine_rank_with(&rig, "scaled", NULL, context, NULL, &ranking),
                         LOTOR_CODE_NONE);
        engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
        lotor_ranking_clear(&ranking);
    }
    engine_wait(&rig, ALL_OVER);
    engine_wait(&rig, 100);
    assert_true(engine_number(&rig, "scaled", "final") == 40);
    lotor_refusal refusal;
    json_t *guarantee = lotor_engine_guarantee(rig.engine, "scaled", &refusal);
    assert_non_null(
        strstr(json_string_value(json_object_get(guarantee, "statement")), "scales contexts"));
    json_decref(guarantee);
    assert_int_equal(engine_create(&rig, "{'name': 'x', 'arms': ['a', 'b'], 'epsilon': 1, "
                                         "'normalize': true}"),
                     LOTOR_CODE_BAD_VALUE);
    assert_string_equal(engine_refusal.field, "normalize");
}

TEST_WITH(mistakes_are_refused_as_before, start, end)
{
    engine_must_create(&rig, TWO_ARMS);
    warm_up("['a', 'b']", NULL);
    lotor_ranking ranking;
    assert_true(rank_at_once("['nobody']", NULL, &ranking));
    assert_int_equal(engine_refusal.code, LOTOR_CODE_BAD_VALUE);
    assert_true(rank_at_once("[]", NULL, &ranking));
    assert_int_equal(engine_refusal.code, LOTOR_CODE_TOO_FEW_ARMS);
    assert_int_equal(engine_arms(&rig, "one", "{'pause': ['c']}"), LOTOR_CODE_NONE);
    warm_up("['a', 'b']", NULL);
    assert_true(rank_at_once("['c']", NULL, &ranking));
    assert_int_equal(engine_refusal.code, LOTOR_CODE_TOO_FEW_ARMS);
    assert_int_equal(engine_close_campaign(&rig, "one"), LOTOR_CODE_NONE);
    assert_true(rank_at_once("['a']", NULL, &ranking));
    assert_int_equal(engine_refusal.code, LOTOR_CODE_CLOSED);
}

TEST_WITH(shown_is_what_clients_saw, start, end)
{
    engine_must_create(&rig, TWO_ARMS);
    double seen[3] = {0};
    for (int i = 0; i < 90; i++) {
        lotor_ranking ranking;
        rank_at_once(i % 3 == 0 ? "['a', 'b']" : i % 3 == 1 ? "['b', 'c']" : NULL, NULL, &ranking);
        assert_int_equal(engine_refusal.code, LOTOR_CODE_NONE);
        seen[ranking.arms[0][0] - 'a']++;
        if (i % 2) {
            engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
        }
        lotor_ranking_clear(&ranking);
        if (i % 10 == 9) {
            engine_wait(&rig, 100);
        }
    }
    for (int pass = 0; pass < 3; pass++) {
        for (size_t i = 0; i < 3; i++) {
            char path[32];
            snprintf(path, sizeof path, "arms.%zu.shown", i);
            assert_true(engine_number(&rig, "one", path) == seen[i]);
        }
        assert_true(engine_number(&rig, "one", "decisions") == seen[0] + seen[1] + seen[2]);
        if (pass == 0) {
            engine_stop(&rig);
            engine_open(&rig);
        }
        engine_wait(&rig, ALL_OVER);
        engine_wait(&rig, 100);
    }
}
