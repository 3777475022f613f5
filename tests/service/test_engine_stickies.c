/* test_engine_stickies.c - campaigns with sticky_seconds: a user gets the same decision and the same
 * event again, until the time is over. */
#include "support/test.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "service/engine_rig.h"
#include "service/store/driver.h"

SCENE_OF_EACH_TEST(engine_end_soundly);

#define CAMPAIGN(more)                                                                             \
    "{'name': 'c', 'arms': ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], 'slots': 3, 'epsilon': 1, "   \
    "'wait_seconds': 60, 'sticky_seconds': 100" more "}"

/* The decision that a user was shown, as one text: the arms and the event. */
typedef struct seen {
    char text[400];
    bool takes_feedback;
} seen;

static seen rank_with(const char *user, const char *eligible)
{
    lotor_ranking ranking;
    seen out = {.text = ""};
    assert_int_equal(engine_rank_with(&rig, "c", user, NULL, eligible, &ranking), LOTOR_CODE_NONE);
    for (size_t i = 0; i < ranking.count; i++) {
        strcat(strcat(out.text, ranking.arms[i]), " ");
    }
    sprintf(out.text + strlen(out.text), "%s %llu %s", ranking.event,
            (unsigned long long)(ranking.takes_feedback ? ranking.expires : 0),
            ranking.role ? ranking.role : "");
    out.takes_feedback = ranking.takes_feedback;
    lotor_ranking_clear(&ranking);
    return out;
}

static seen rank(const char *user)
{
    return rank_with(user, NULL);
}

static bool is_same(seen one, seen other)
{
    return strcmp(one.text, other.text) == 0;
}

/* The kept decisions in the store. */
static uint64_t count_rows(void)
{
    lotor_message why;
    uint64_t rows = UINT64_MAX;
    lotor_status status =
        lotor_sql_select(rig.store, &why, "SELECT count(*) FROM lotor_stickies", NULL, 0);
    while (lotor_next(rig.store, &why, &status)) {
        lotor_row_reader at = {rig.store, "stickies", &why, LOTOR_OK};
        rows = lotor_row_number(&at, 0);
    }
    assert_int_equal(status, LOTOR_OK);
    return rows;
}

TEST_WITH(a_user_gets_the_same_decision_again, start, end)
{
    enum { USERS = 12 };
    seen first[USERS];
    char user[8];
    engine_must_create(&rig, CAMPAIGN(", 'evaluation': {'share': 0.5}"));
    lotor_ranking ranking;
    assert_int_equal(engine_rank(&rig, "c", &ranking), LOTOR_CODE_MISSING_FIELD);
    assert_string_equal(engine_refusal.field, "user");
    assert_non_null(strstr(engine_refusal.message.text, "a budget or sticky decisions"));
    for (int i = 0; i < USERS; i++) {
        snprintf(user, sizeof user, "u%d", i);
        first[i] = rank(user);
        assert_true(first[i].takes_feedback);
    }
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < USERS; i++) {
            snprintf(user, sizeof user, "u%d", i);
            assert_true(is_same(rank(user), first[i]));
            assert_true(i == 0 || !is_same(first[i], first[i - 1]));
        }
        if (round == 0) {
            engine_wait(&rig, 10000);
        } else if (round == 1) {
            engine_crash(&rig);
            engine_open(&rig);
        }
    }
    assert_true(engine_number(&rig, "c", "decisions") == (double)USERS);
    /* when the window is over, there is a new decision, and old rows are deleted */
    engine_wait(&rig, 95000);
    const seen later = rank("u0");
    assert_true(later.takes_feedback && !is_same(later, first[0]));
    assert_true(is_same(rank("u0"), later));
    /* also if nobody uses the campaign any more */
    assert_int_equal(count_rows(), 1);
    for (int i = 0; i < 4; i++) {
        engine_wait(&rig, 60000);
        engine_step(&rig);
    }
    assert_int_equal(count_rows(), 0);
}

/* Feedback for a decision that was shown twice counts once. */
TEST_WITH(a_repeated_decision_counts_once, start, end)
{
    lotor_ranking ranking;
    engine_must_create(&rig, ONE_ARM_WITH(", 'sticky_seconds': 100"));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(engine_rank_with(&rig, "one", "ann", NULL, NULL, &ranking),
                         LOTOR_CODE_NONE);
        engine_must_reward(&rig, ranking.event, i == 0 ? "{'rewards': [1]}" : "{'rewards': [0]}");
        lotor_ranking_clear(&ranking);
    }
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    assert_true(engine_number(&rig, "one", "final") == 1);
    assert_true(fabs(engine_number(&rig, "one", "arms.0.mean") - 1.0) < 0.01);
    assert_true(engine_number(&rig, "one", "arms.0.count") == 1);
}

/* With a cap of 1, the one decision that counts is the one that the user sees again. */
TEST_WITH(with_a_cap_of_one_the_counted_decision_is_repeated, start, end)
{
    engine_must_create(&rig, CAMPAIGN(", 'rounds_per_user': 1"));
    const seen first = rank("ann");
    assert_true(first.takes_feedback);
    for (int i = 0; i < 3; i++) {
        assert_true(is_same(rank("ann"), first));
    }
    engine_wait(&rig, 101000);
    const seen later = rank("ann"); /* it counts for nothing, and is repeated, too */
    assert_false(later.takes_feedback);
    assert_true(is_same(rank("ann"), later));
    json_t *promise = lotor_engine_guarantee(rig.engine, "c", &engine_refusal);
    assert_true(json_number_value(json_object_get(promise, "epsilon")) == 1.0);
    assert_non_null(strstr(json_string_value(json_object_get(promise, "statement")),
                           "only one round of a user counts"));
    json_decref(promise);
}

/* All arms but those of a decision, as `eligible` of a request: at least three. */
static void list_others(seen shown, char others[64])
{
    strcpy(others, "[");
    for (const char *arm = "abcdefgh"; *arm; arm++) {
        if (*arm != shown.text[0]) {
            sprintf(others + strlen(others), "%s'%c'", others[1] ? ", " : "", *arm);
        }
    }
    strcat(others, "]");
}

/* A decision over the cap does not replace the counted one, until its event has expired. */
TEST_WITH(a_decision_without_an_event_does_not_replace_an_open_one, start, end)
{
    char others[64];
    engine_must_create(&rig, CAMPAIGN(", 'rounds_per_user': 1"));
    const seen first = rank("ann");
    list_others(first, others);
    assert_true(first.takes_feedback);
    assert_false(rank_with("ann", others).takes_feedback);
    assert_true(is_same(rank("ann"), first));
    engine_wait(&rig, 75000); /* the event has expired, and the window goes on */
    assert_true(is_same(rank("ann"), first));
    const seen later = rank_with("ann", others);
    assert_false(later.takes_feedback);
    assert_true(is_same(rank("ann"), later));
}

/* Repeating a decision costs nothing of a budget. */
TEST_WITH(a_repeated_decision_costs_nothing, start, end)
{
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 2}");
    engine_must_create(&rig, CAMPAIGN(", 'budget': 'people'"));
    for (int window = 0; window < 3; window++) {
        const seen first = rank("ann");
        assert_int_equal(first.takes_feedback, window < 2);
        for (int i = 0; i < 5; i++) {
            assert_true(is_same(rank("ann"), first));
        }
        engine_wait(&rig, 101000);
    }
}

/* A decision with an arm that was paused since, or that is not eligible now, is drawn again. */
TEST_WITH(arms_that_may_not_be_shown_end_it, start, end)
{
    engine_must_create(&rig, CAMPAIGN(""));
    const seen first = rank("ann");
    assert_true(is_same(rank_with("ann", "['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']"), first));
    char change[40];
    snprintf(change, sizeof change, "{'pause': ['%.1s']}", first.text);
    assert_int_equal(engine_arms(&rig, "c", change), LOTOR_CODE_NONE);
    const seen second = rank("ann");
    assert_false(is_same(second, first));
    assert_true(second.takes_feedback);
    assert_true(is_same(rank("ann"), second));
    change[2] = 'r'; /* resume */
    snprintf(change, sizeof change, "{'resume': ['%.1s']}", first.text);
    assert_int_equal(engine_arms(&rig, "c", change), LOTOR_CODE_NONE);
    assert_true(is_same(rank("ann"), second)); /* the newer one stays */
    char others[64];
    list_others(second, others);
    const seen third = rank_with("ann", others);
    assert_false(is_same(third, second));
    assert_true(is_same(rank("ann"), third));
}

static void note_done(lotor_job *job)
{
    *(bool *)job->owner = true;
}

/* One batch: the same user twice, and another one. */
TEST_WITH(a_user_twice_in_one_batch, start, end)
{
    lotor_ranking rankings[3];
    memset(rankings, 0, sizeof rankings);
    engine_must_create(&rig, CAMPAIGN(""));
    for (size_t i = 0; i < 3; i++) {
        rankings[i].user = i == 1 ? "bob" : "ann";
        rankings[i].user_length = 3;
    }
    bool is_done = false;
    lotor_job job = {.done = note_done, .owner = &is_done};
    assert_int_equal(lotor_engine_rank(rig.engine, "c", rankings, 3, &job), LOTOR_PENDING);
    engine_step(&rig);
    assert_true(is_done);
    assert_int_equal(job.refusal.code, LOTOR_CODE_NONE);
    assert_string_equal(rankings[0].event, rankings[2].event);
    assert_string_not_equal(rankings[0].event, rankings[1].event);
    assert_string_equal(rankings[0].arms[0], rankings[2].arms[0]);
    for (size_t i = 0; i < 3; i++) {
        lotor_ranking_clear(&rankings[i]);
    }
    assert_true(engine_number(&rig, "c", "decisions") == 2);
}

/* The same in one batch: the second ranking of the user can't show the first decision, and is over
 * the cap. */
TEST_WITH(a_batch_keeps_the_decision_with_an_event, start, end)
{
    json_t *eligible = engine_json("['a', 'b', 'c', 'd', 'e', 'f', 'g']");
    lotor_ranking rankings[2];
    memset(rankings, 0, sizeof rankings);
    engine_must_create(&rig, CAMPAIGN(", 'rounds_per_user': 1"));
    for (size_t i = 0; i < 2; i++) {
        rankings[i].user = "ann";
        rankings[i].user_length = 3;
    }
    rankings[1].eligible = eligible;
    bool is_done = false;
    lotor_job job = {.done = note_done, .owner = &is_done};
    assert_int_equal(lotor_engine_rank(rig.engine, "c", rankings, 2, &job), LOTOR_PENDING);
    engine_step(&rig);
    assert_true(is_done && rankings[0].takes_feedback && !rankings[1].takes_feedback);
    const seen again = rank("ann");
    assert_true(again.takes_feedback && strstr(again.text, rankings[0].event));
    json_decref(eligible);
    for (size_t i = 0; i < 2; i++) {
        lotor_ranking_clear(&rankings[i]);
    }
}

/* Changes the store of a stopped server: one row. */
static void change_row(const char *text)
{
    sqlite3 *sql = NULL;
    assert_int_equal(sqlite3_open_v2("x.db", &sql, SQLITE_OPEN_READWRITE, fault_vfs_name(rig.disk)),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, "PRAGMA ignore_check_constraints = ON", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, text, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_changes(sql), 1);
    sqlite3_close(sql);
}

/* A row that was changed in the store is not used. */
TEST_WITH(an_edited_row_is_not_used, start, end)
{
    engine_must_create(&rig, CAMPAIGN(""));
    const seen ann = rank("ann"), bob = rank("bob");
    engine_stop(&rig);
    change_row("UPDATE stickies SET decision = decision + 1 WHERE decision = 1");
    engine_open(&rig);
    assert_false(is_same(rank("ann"), ann));
    assert_true(is_same(rank("bob"), bob));
}

/* A row with values that no server writes is like none. The user gets a new decision, which replaces
 * the row, and other users are not affected. */
TEST_WITH(a_damaged_row_is_replaced, start, end)
{
    static const char *const damages[] = {"expires = -1", "shown = x''", "shown = 'text'",
                                          "decision = 'x'", "nonce = x'01'"};
    engine_must_create(&rig, CAMPAIGN(""));
    seen ann = rank("ann");
    const seen bob = rank("bob");
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char text[120];
        snprintf(text, sizeof text, "UPDATE stickies SET %s WHERE decision <> 2", damages[i]);
        engine_stop(&rig);
        change_row(text);
        engine_open(&rig);
        const seen other = rank("ann");
        assert_false(is_same(other, ann));
        assert_true(is_same(rank("ann"), other));
        assert_true(is_same(rank("bob"), bob));
        ann = other;
    }
}
