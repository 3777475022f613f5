/* test_engine_blank.c - requests that name eligible arms or a user, or bring contexts, are answered from
 * memory (blank.c): what is shown is recorded and counted, and what is not recorded counts for nothing. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
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

static const char *user; /* who ranks; NULL: nobody */

/* Ranks with eligible arms, without a step. True: it was answered at once, from memory. */
static bool rank_at_once(const char *eligible, const char *context, lotor_ranking *ranking)
{
    engine_job job;
    json_t *arms = eligible ? engine_json(eligible) : NULL;
    json_t *rows = context ? engine_json(context) : NULL;
    memset(ranking, 0, sizeof *ranking);
    ranking->eligible = arms;
    ranking->context = rows;
    ranking->user = user;
    ranking->user_length = user ? strlen(user) : 0;
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

/* A chooser that shows blanks breaks ties by a seed of its own, which nobody knows. Of 32 new arms, 8 campaigns do not
 * show the same: a false alarm comes once in 2^35 runs. */
TEST_WITH(choosers_have_seeds_of_their_own, start, end)
{
    enum { CAMPAIGNS = 8, ARMS = 32 };
    char arms[8 * ARMS] = "", spec[8 * ARMS + 200], shown[CAMPAIGNS][8];
    for (int i = 1; i <= ARMS; i++) {
        char arm[16];
        snprintf(arm, sizeof arm, "%s'a%d'", i > 1 ? ", " : "", i);
        strncat(arms, arm, sizeof arms - strlen(arms) - 1);
    }
    snprintf(spec, sizeof spec,
             "{'name': 'one', 'algorithm': 'lik-imed', 'arms': ['first', %s], " LOUD
             ", 'wait_seconds': 1}",
             arms);
    memmove(arms + 1, arms, strlen(arms) + 1);
    arms[0] = '[';
    strncat(arms, "]", sizeof arms - strlen(arms) - 1);
    bool differ = false;
    for (int i = 0; i < CAMPAIGNS; i++) {
        engine_must_create(&rig, spec);
        warm_up("['first']", NULL);
        lotor_ranking ranking;
        assert_true(rank_at_once(arms, NULL, &ranking));
        snprintf(shown[i], sizeof shown[i], "%s", ranking.arms[0]);
        differ = differ || strcmp(shown[i], shown[0]) != 0;
        lotor_ranking_clear(&ranking);
        engine_end_soundly(&rig);
        start(NULL);
    }
    assert_true(differ);
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

/* --- users ------------------------------------------------------------------------------------- */

#define CAPPED(more)                                                                               \
    "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a'], 'max_arms': 1, " LOUD              \
    ", 'wait_seconds': 60, 'rounds_per_user': 2" more "}"

/* Ranks for a user. The reply must be the same whether the round counts or not. */
static bool rank_for(const char *name, lotor_ranking *ranking)
{
    user = name;
    const bool at_once = rank_at_once(NULL, NULL, ranking);
    user = NULL;
    assert_int_equal(engine_refusal.code, LOTOR_CODE_NONE);
    assert_int_equal(ranking->count, 1);
    assert_true(ranking->takes_feedback);
    assert_int_equal(strlen(ranking->event), LOTOR_TOKEN_LENGTH);
    assert_true(ranking->expires > rig.now);
    return at_once;
}

/* Ranks for a user, and sends a reward. */
static bool visit(const char *name, const char *feedback)
{
    lotor_ranking ranking;
    const bool at_once = rank_for(name, &ranking);
    engine_must_reward(&rig, ranking.event, feedback);
    assert_int_equal(engine_late, 0);
    lotor_ranking_clear(&ranking);
    return at_once;
}

static void end_rounds(void)
{
    engine_wait(&rig, 70000);
    engine_wait(&rig, 100);
}

static uint64_t rounds_of(const char *name)
{
    unsigned char hash[16];
    uint64_t rounds;
    lotor_message why;
    lotor_server_key_user(rig.server_key, 1, name, strlen(name), hash);
    assert_int_equal(lotor_store_user_count(rig.store, 1, hash, &why, &rounds), LOTOR_OK);
    return rounds;
}

/* 20 visits of each of three users: 6 rounds count. Nothing that is public before or after tells how many
 * were refused. */
TEST_WITH(users_are_answered_from_memory, start, end)
{
    engine_must_create(&rig, CAPPED(""));
    int at_once = 0;
    for (int i = 0; i < 60; i++) {
        at_once += visit(i % 3 == 0 ? "ann" : i % 3 == 1 ? "bob" : "cat", "{'rewards': [1]}");
        assert_true(engine_number(&rig, "one", "decisions") == 0);
        assert_true(engine_number(&rig, "one", "arms.0.shown") == 0);
    }
    assert_true(at_once > 40);
    end_rounds();
    assert_int_equal(rounds_of("ann"), 2);
    assert_true(engine_number(&rig, "one", "decisions") == 6);
    assert_true(engine_number(&rig, "one", "final") == 6);
    assert_true(engine_number(&rig, "one", "pending") == 0);
    assert_true(engine_number(&rig, "one", "arms.0.shown") == 6);
    assert_true(engine_number(&rig, "one", "arms.0.mean") > 0.99);
    for (int pass = 0; pass < 2; pass++) {
        visit("ann", "{'rewards': [0]}"); /* counts for nothing, now and later */
        end_rounds();
        assert_true(engine_number(&rig, "one", "decisions") == 6);
        engine_stop(&rig);
        engine_open(&rig);
    }
    assert_int_equal(rounds_of("ann"), 2);
}

static void note_done(lotor_job *job)
{
    *(bool *)job->owner = true;
}

/* A release says how many rounds count until then. The numbers of decisions would tell how many rounds
 * were refused, or not used. */
TEST_WITH(a_release_does_not_tell_how_many_rounds_were_refused, start, end)
{
    engine_must_create(&rig, CAPPED(""));
    for (int i = 0; i < 40; i++) {
        char name[8];
        snprintf(name, sizeof name, "u%d", i < 20 ? 0 : i);
        visit(name, "{'rewards': [1]}");
    }
    end_rounds();
    assert_true(engine_number(&rig, "one", "final") == 22);
    bool is_done = false;
    json_t *reply = NULL, *row;
    lotor_job job = {.done = note_done, .owner = &is_done};
    assert_int_equal(lotor_engine_releases(rig.engine, "one", 0, 100, &reply, &job), LOTOR_PENDING);
    engine_step(&rig);
    assert_true(is_done && reply);
    size_t i;
    json_int_t rounds = 0;
    json_array_foreach(json_object_get(reply, "releases"), i, row)
    {
        const json_t *fact = json_array_get(json_object_get(row, "facts"), 0);
        rounds += json_integer_value(json_object_get(fact, "count"));
        assert_int_equal(json_integer_value(json_object_get(row, "round")), rounds);
        const json_t *shown = json_object_get(json_object_get(row, "shown"), "a");
        assert_int_equal(json_integer_value(shown), rounds);
    }
    assert_true(i > 2 && rounds > 10);
    json_decref(reply);
}

/* The cap holds for rankings of one request, and of one block. */
TEST_WITH(a_user_may_be_in_one_request_several_times, start, end)
{
    engine_must_create(&rig, CAPPED(""));
    for (int round = 0; round < 3; round++) {
        lotor_ranking rankings[5];
        engine_job job;
        memset(rankings, 0, sizeof rankings);
        for (size_t i = 0; i < 5; i++) {
            rankings[i].user = i == 4 ? "bob" : "ann";
            rankings[i].user_length = 3;
        }
        engine_queue_rankings(&rig, "one", rankings, 5, &job);
        while (!job.is_done) {
            engine_step(&rig);
        }
        assert_int_equal(job.job.refusal.code, LOTOR_CODE_NONE);
        for (size_t i = 0; i < 5; i++) {
            assert_true(rankings[i].takes_feedback);
            lotor_ranking_clear(&rankings[i]);
        }
        engine_step(&rig);
    }
    end_rounds();
    assert_int_equal(rounds_of("ann"), 2);
    assert_int_equal(rounds_of("bob"), 2);
    assert_true(engine_number(&rig, "one", "final") == 4);
}

/* A round that is not recorded is not charged. */
TEST_WITH(a_user_does_not_pay_for_what_was_not_recorded, start, end)
{
    engine_must_create(&rig, CAPPED(""));
    for (int i = 0; i < 4; i++) {
        visit("bob", "{'rewards': [0]}");
    }
    engine_step(&rig);
    lotor_ranking ranking;
    assert_true(rank_for("ann", &ranking));
    engine_crash(&rig);
    engine_open(&rig);
    assert_int_equal(engine_reward(&rig, ranking.event, "{'rewards': [1]}"),
                     LOTOR_CODE_NOT_RECORDED);
    lotor_ranking_clear(&ranking);
    end_rounds();
    assert_int_equal(rounds_of("ann"), 0);
    assert_int_equal(rounds_of("bob"), 2);
    for (int i = 0; i < 3; i++) {
        visit("ann", "{'rewards': [1]}");
    }
    end_rounds();
    assert_int_equal(rounds_of("ann"), 2);
    assert_true(engine_number(&rig, "one", "final") == 4);
}

/* One write of a cycle after another fails. A round is counted together with its entry, or not at all. */
TEST_WITH(a_charge_fails_with_its_cycle, start, end)
{
    engine_must_create(&rig, CAPPED(""));
    uint64_t final = 0;
    for (int fault = 1; fault < 25; fault++) {
        char name[16];
        snprintf(name, sizeof name, "u%d", fault);
        for (int i = 0; i < 4; i++) {
            visit(name, "{'rewards': [1]}");
        }
        engine_step(&rig);
        rig.now += 70000;
        engine_step(&rig); /* seals */
        fault_vfs_arm(rig.disk, FAULT_ERROR, (uint64_t)fault);
        for (int i = 0; i < 3; i++) {
            engine_wait(&rig, 300);
        }
        fault_vfs_arm(rig.disk, FAULT_NONE, 0);
        for (int i = 0; i < 8; i++) {
            engine_wait(&rig, 1000);
        }
        final += 2;
        assert_int_equal(rounds_of(name), 2);
        assert_true(engine_number(&rig, "one", "final") == (double) final);
    }
}

/* Rounds that do not count use up the horizon only until they are final. After the horizon nobody has an
 * event, whether below the cap or not. */
TEST_WITH(refused_rounds_give_the_horizon_back, start, end)
{
    engine_must_create(&rig, CAPPED(", 'horizon': 6"));
    lotor_ranking ranking;
    for (int pass = 0; pass < 4; pass++) {
        for (int i = 0; i < 4; i++) {
            char name[8];
            snprintf(name, sizeof name, "u%d", pass);
            user = name;
            rank_at_once(NULL, NULL, &ranking);
            assert_int_equal(engine_refusal.code, LOTOR_CODE_NONE);
            assert_int_equal(ranking.takes_feedback, engine_number(&rig, "one", "final") < 6);
            lotor_ranking_clear(&ranking);
            user = NULL;
            end_rounds();
        }
        assert_true(engine_number(&rig, "one", "final") == (pass < 3 ? 2 * (pass + 1) : 6));
    }
}

/* Contexts and users together: the context is in the record, too. */
TEST_WITH(users_may_bring_contexts, start, end)
{
    engine_must_create(&rig, "{'name': 'one', 'algorithm': 'jdp-batch', 'arms': ['a', 'b'], "
                             "'dimension': 2, 'epsilon': 1, 'delta': 0.001, 'horizon': 10000, "
                             "'wait_seconds': 1, 'rounds_per_user': 3}");
    int at_once = 0;
    for (int i = 0; i < 30; i++) {
        lotor_ranking ranking;
        user = i % 2 ? "ann" : "bob";
        at_once += rank_at_once(NULL, "{'a': [0.5, 0.1], 'b': [0.1, 0.5]}", &ranking);
        user = NULL;
        assert_int_equal(engine_refusal.code, LOTOR_CODE_NONE);
        engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
        lotor_ranking_clear(&ranking);
    }
    assert_true(at_once > 15);
    engine_wait(&rig, ALL_OVER);
    engine_wait(&rig, 100);
    assert_true(engine_number(&rig, "one", "final") == 6);
}

/* In the local model, a device would send a report for an event that does not count. So there a round
 * over the cap has no event, and requests wait for a commit. */
TEST_WITH(local_campaigns_tell_the_device_not_to_report, start, end)
{
    engine_must_create(&rig, "{'name': 'one', 'algorithm': 'rr-klucb', 'arms': ['a', 'b'], "
                             "'epsilon': 1, 'wait_seconds': 1, 'rounds_per_user': 2}");
    for (int i = 0; i < 5; i++) {
        lotor_ranking ranking;
        user = "ann";
        assert_false(rank_at_once(NULL, NULL, &ranking));
        user = NULL;
        assert_int_equal(ranking.takes_feedback, i < 2);
        lotor_ranking_clear(&ranking);
    }
}

/* Two worlds that differ in all feedback of one user, over the cap included. Everything public is the
 * same but the values, and the values differ by the rounds that count, whatever the user sends for the
 * others. */
TEST_WITH(worlds_that_differ_in_a_capped_user, start, end)
{
    double sums[2], finals[2], releases[2];
    for (int world = 0; world < 2; world++) {
        char name[16], path[40], spec[300];
        snprintf(name, sizeof name, "w%d", world);
        snprintf(spec, sizeof spec,
                 "{'name': '%s', 'algorithm': 'batch-klucb', 'arms': ['a'], 'max_arms': 1, " LOUD
                 ", 'wait_seconds': 1, 'rounds_per_user': 2}",
                 name);
        engine_must_create(&rig, spec);
        for (int i = 0; i < 70; i++) {
            lotor_ranking ranking;
            snprintf(path, sizeof path, "u%d", i);
            const bool is_ann = i < 20;
            assert_int_equal(
                engine_rank_with(&rig, name, is_ann ? "ann" : path, NULL, NULL, &ranking),
                LOTOR_CODE_NONE);
            assert_true(ranking.takes_feedback);
            if (!is_ann || world == 1) { /* in one world she never answers */
                engine_must_reward(&rig, ranking.event,
                                   is_ann ? "{'rewards': [1]}" : "{'rewards': [0]}");
            }
            lotor_ranking_clear(&ranking);
        }
        engine_wait(&rig, ALL_OVER);
        engine_wait(&rig, 100);
        lotor_arm_fact sum = {0};
        lotor_message why;
        assert_int_equal(lotor_store_each_release(rig.store, (uint64_t)world + 1, 0,
                                                  engine_add_release, &sum, &why),
                         LOTOR_OK);
        sums[world] = sum.value;
        finals[world] = engine_number(&rig, name, "final");
        releases[world] = engine_number(&rig, name, "releases");
    }
    assert_true(finals[0] == 52 && finals[1] == 52);
    assert_true(releases[0] == releases[1] && releases[0] > 0);
    assert_true(fabs(sums[1] - sums[0] - 2) < 0.05); /* two of the released rounds are hers */
}
