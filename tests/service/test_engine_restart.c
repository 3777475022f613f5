/* test_engine_restart.c - clean stops, crashes, and older copies of the store. */
#include "support/test.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "service/engine/inside.h"
#include "service/engine_rig.h"

SCENE_OF_EACH_TEST(engine_end_soundly);

static double number(const char *path)
{
    return engine_number(&rig, "one", path);
}

static lotor_event event_of(const lotor_ranking *ranking)
{
    lotor_event event;
    assert_true(lotor_server_key_read_token(rig.server_key, ranking->event, &event));
    return event;
}

/* Ranks until the pool has decisions left, and returns the last event. */
static lotor_event rank_some(int count)
{
    lotor_ranking ranking;
    for (int i = 0; i < count; i++) {
        engine_must_rank(&rig, "one", &ranking);
    }
    return event_of(&ranking);
}

/* Decisions that were not handed out are taken back when their block ends. None is handed out
 * twice. */
TEST_WITH(a_clean_stop_gives_the_rest_back, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    rank_some(1);                      /* drawn singly; then the pool is filled */
    lotor_event before = rank_some(1); /* the first of the pool */
    engine_stop(&rig);
    engine_open(&rig);
    assert_int_equal(number("decisions"), 2);
    lotor_event after = rank_some(1);
    assert_true(after.number > before.number);
    assert_true(after.nonce != before.nonce);
    assert_int_equal(number("decisions"), 3);
    engine_wait(&rig, ALL_OVER);
    assert_int_equal(number("final"), 3);
    assert_int_equal(number("pending"), 0);
    engine_crash(&rig);
    engine_open(&rig);
    assert_int_equal(number("final"), 3);
    assert_true(rank_some(1).number > after.number);
}

/* The memory of a clean stop does not grow with the number of campaigns. */
TEST_WITH(a_clean_stop_keeps_no_policy_loaded, start, end)
{
    lotor_ranking ranking;
    engine_must_create(&rig, ONE_ARM);
    engine_must_create(&rig, "{'name': 'two', 'arms': ['a', 'b'], 'epsilon': 1}");
    engine_must_rank(&rig, "one", &ranking);
    engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    engine_must_rank(&rig, "two", &ranking);
    assert_int_equal(rig.engine->policies, 2);
    assert_int_equal(lotor_engine_stop(rig.engine, &rig.why), LOTOR_OK);
    assert_int_equal(rig.engine->policies, 0);
    engine_drop(&rig);
    engine_open(&rig);
    engine_wait(&rig, ALL_OVER);
    assert_int_equal(number("final"), 1);
    assert_int_equal(engine_number(&rig, "two", "decisions"), 1);
}

TEST_WITH(rounds_keep_their_time_over_a_clean_stop, start, end)
{
    lotor_ranking ranking;
    engine_must_create(&rig, ONE_ARM);
    engine_must_rank(&rig, "one", &ranking);
    rig.now += 400;
    engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    engine_stop(&rig);
    engine_open(&rig);
    engine_wait(&rig, ALL_OVER - 401);
    assert_int_equal(number("final"), 0);
    engine_wait(&rig, 1);
    assert_int_equal(number("final"), 1);
}

/* The clock was a year ahead for a moment, and a decision was handed out then. */
TEST_WITH(a_wrong_clock_is_got_over_with_a_restart, start, end)
{
    const uint64_t right = rig.now;
    lotor_ranking ranking;
    engine_must_create(&rig, ONE_ARM);
    rig.now += UINT64_C(365) * 24 * 3600 * 1000;
    engine_must_rank(&rig, "one", &ranking);
    engine_stop(&rig);
    rig.now = right;
    engine_open(&rig);
    engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    assert_int_equal(engine_late, 0);
    engine_must_rank(&rig, "one", &ranking);
    assert_true(ranking.expires <= right + 1000);
    engine_wait(&rig, ALL_OVER);
    assert_int_equal(number("final"), 2);
    assert_true(fabs(number("arms.0.mean") * number("arms.0.count") - 1) < 0.1);
}

/* A block keeps its deadline, whatever happens to its server. */
TEST_WITH(after_a_crash_all_that_was_drawn_counts_as_shown, start, end)
{
    lotor_ranking rankings[40];
    engine_must_create(&rig, ONE_ARM);
    for (int i = 0; i < 40; i++) {
        engine_must_rank(&rig, "one", &rankings[i]);
    }
    for (int i = 0; i < 20; i++) {
        engine_must_reward(&rig, rankings[i].event, "{'rewards': [1]}");
    }
    lotor_event last = event_of(&rankings[39]);
    rig.now += 200;
    engine_crash(&rig);
    engine_open(&rig);
    const double drawn = number("decisions");
    assert_true(drawn >= 40);
    lotor_ranking ranking;
    engine_must_rank(&rig, "one", &ranking);
    assert_true(event_of(&ranking).number > last.number);
    assert_true(event_of(&ranking).nonce != last.nonce);
    for (int i = 20; i < 40; i++) { /* their time is not over */
        engine_must_reward(&rig, rankings[i].event, "{'rewards': [1]}");
        assert_int_equal(engine_late, 0);
    }
    engine_wait(&rig, ALL_OVER - 201);
    assert_int_equal(number("final"), 0);
    engine_wait(&rig, 1);
    assert_int_equal(number("final"), drawn);
    assert_int_equal(number("pending"), 1);
    engine_wait(&rig, 200);
    assert_int_equal(number("pending"), 0);
}

/* Feedback is read from the log again, and counts once. */
TEST_WITH(feedback_survives_a_crash, start, end)
{
    lotor_ranking rankings[64];
    engine_must_create(&rig, ONE_ARM);
    for (int i = 0; i < 64; i++) {
        engine_must_rank(&rig, "one", &rankings[i]);
        engine_must_reward(&rig, rankings[i].event, "{'rewards': [0.5]}");
    }
    for (int crash = 0; crash < 3; crash++) {
        engine_crash(&rig);
        engine_open(&rig);
        for (int i = 0; i < 64; i++) {
            engine_must_reward(&rig, rankings[i].event, "{'rewards': [1]}");
            assert_int_equal(engine_late, 0); /* a repeat */
        }
    }
    engine_wait(&rig, ALL_OVER);
    assert_true(number("final") >= 64);
    double count = number("arms.0.count"); /* the rest of the pools counts as 0 */
    assert_true(count > 32);
    double sum = 0.5 * (count < 64 ? count : 64);
    assert_true(fabs(number("arms.0.mean") * count - sum) < 0.1);
}

static void expect_contexts_survive(const char *specification)
{
    engine_must_create(&rig, specification);
    lotor_ranking ranking;
    assert_int_equal(
        engine_rank_with(&rig, "linear", NULL, "{'a': [1, 0], 'b': [0, 1]}", NULL, &ranking),
        LOTOR_CODE_NONE);
    engine_crash(&rig);
    engine_open(&rig);
    engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    engine_wait(&rig, 1000); /* the block has its own deadline in the store */
    assert_int_equal(engine_number(&rig, "linear", "final"), 0);
    engine_wait(&rig, 1);
    assert_int_equal(engine_number(&rig, "linear", "final"), 1);
}

TEST_WITH(contexts_survive_a_crash, start, end)
{
    expect_contexts_survive("{'name': 'linear', 'algorithm': 'jdp-batch', 'arms': ['a','b'], "
                            "'dimension': 2, 'epsilon': 1, 'delta': 0.001, 'horizon': 1000, "
                            "'wait_seconds': 1}");
}

/* n0 is 2 at this epsilon: there is a release before the crash, and another one after it. */
TEST_WITH(separate_batches_survive_a_crash, start, end)
{
    engine_must_create(&rig, "{'name': 'bayes', 'algorithm': 'jdp-bayes', 'arms': ['a','b'], "
                             "'dimension': 2, 'epsilon': 50, 'delta': 0.001, 'horizon': 1000, "
                             "'wait_seconds': 1}");
    for (int round = 1; round <= 5; round++) {
        lotor_ranking ranking;
        assert_int_equal(
            engine_rank_with(&rig, "bayes", NULL, "{'a': [1, 0], 'b': [0, 0.9]}", NULL, &ranking),
            LOTOR_CODE_NONE);
        engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
        engine_wait(&rig, ALL_OVER);
        assert_int_equal(engine_number(&rig, "bayes", "final"), round);
        engine_crash(&rig);
        engine_open(&rig);
        assert_int_equal(engine_number(&rig, "bayes", "final"), round);
    }
}

TEST_WITH(users_and_arms_survive, start, end)
{
    engine_must_create(
        &rig, "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], 'max_arms': "
              "3, 'epsilon': 1, 'wait_seconds': 1, 'rounds_per_user': 1}");
    lotor_ranking ranking;
    assert_int_equal(engine_rank_with(&rig, "one", "ann", NULL, NULL, &ranking), LOTOR_CODE_NONE);
    assert_true(ranking.takes_feedback);
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    assert_int_equal(number("final"), 1);
    assert_int_equal(engine_arms(&rig, "one", "{'pause': ['a'], 'add': ['c']}"), LOTOR_CODE_NONE);
    engine_crash(&rig);
    engine_open(&rig);
    assert_int_equal(engine_rank_with(&rig, "one", "ann", NULL, NULL, &ranking), LOTOR_CODE_NONE);
    assert_string_not_equal(ranking.arms[0], "a");
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    assert_int_equal(number("final"), 1); /* the second round of the user does not count */
    assert_int_equal(number("arms.0.paused"), 1);
    assert_int_equal(number("arms.2.paused"), 0);
    assert_int_equal(engine_close_campaign(&rig, "one"), LOTOR_CODE_NONE);
    engine_crash(&rig);
    engine_open(&rig);
    assert_int_equal(number("closed"), 1);
}

static void assert_algorithm(const char *name, const char *wanted)
{
    json_t *const campaign = lotor_engine_describe(rig.engine, name, &engine_refusal);
    assert_non_null(campaign);
    assert_string_equal(json_string_value(json_object_get(campaign, "algorithm")), wanted);
    json_decref(campaign);
}

/* The store names every campaign's algorithm: the default is for new campaigns alone. */
TEST_WITH(campaigns_keep_their_algorithm, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    engine_must_create(&rig, "{'name': 'new', 'arms': ['a'], 'epsilon': 1}");
    for (int i = 0; i < 2; i++) {
        assert_algorithm("one", "batch-klucb");
        assert_algorithm("new", "lik-imed");
        engine_crash(&rig);
        engine_open(&rig);
    }
    engine_must_create(&rig, ONE_ARM);
    engine_must_create(&rig, "{'name': 'new', 'arms': ['a'], 'epsilon': 1}");
    engine_must_create(&rig,
                       "{'name': 'new', 'algorithm': 'lik-imed', 'arms': ['a'], 'epsilon': 1}");
    assert_int_equal(engine_create(&rig, "{'name': 'one', 'arms': ['a'], 'max_arms': 1, " LOUD
                                         ", 'wait_seconds': 1}"),
                     LOTOR_CODE_EXISTS);
    assert_algorithm("one", "batch-klucb");
}

/* --- older copies ----------------------------------------------------------------------------- */

/* The file, and the write-ahead log of a running server. */
typedef struct store_copy {
    unsigned char *bytes, *log;
    size_t length, log_length;
} store_copy;

static store_copy take_copy(void)
{
    store_copy copy = {.log_length = 0};
    copy.bytes = fault_vfs_get(rig.disk, "x.db", &copy.length);
    copy.log = fault_vfs_get(rig.disk, "x.db-wal", &copy.log_length);
    assert_non_null(copy.bytes);
    return copy;
}

static void put_back(store_copy copy)
{
    fault_vfs_put(rig.disk, "x.db", copy.bytes, copy.length);
    fault_vfs_put(rig.disk, "x.db-wal", copy.log, copy.log ? copy.log_length : 0);
    free(copy.bytes);
    free(copy.log);
}

/* Makes rounds until something is released. */
static void play_a_batch(void)
{
    double releases = number("releases");
    while (number("releases") == releases) {
        for (int i = 0; i < 8; i++) {
            lotor_ranking ranking;
            engine_must_rank(&rig, "one", &ranking);
            engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
        }
        engine_wait(&rig, ALL_OVER);
    }
}

static bool guarantee_mentions(const char *what)
{
    json_t *promise = lotor_engine_guarantee(rig.engine, "one", &engine_refusal);
    char *text = json_dumps(promise, 0);
    bool found = strstr(text, what) != NULL;
    free(text);
    json_decref(promise);
    return found;
}

TEST_WITH(an_older_copy_is_refused_unless_accepted, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    play_a_batch();
    engine_stop(&rig);
    store_copy old = take_copy();
    engine_open(&rig);
    play_a_batch();
    assert_false(guarantee_mentions("older copy"));
    engine_stop(&rig);
    put_back(old);
    assert_int_equal(engine_try_open(&rig, false), LOTOR_RELEASED);
    assert_non_null(strstr(rig.why.text, "--accept-rollback"));
    assert_int_equal(engine_try_open(&rig, false), LOTOR_RELEASED); /* trying changes nothing */
    assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
    assert_true(guarantee_mentions("older copy"));
    assert_false(guarantee_mentions("rounds per user"));
    engine_stop(&rig);
    engine_open(&rig); /* it stays accepted, and is still shown */
    assert_true(guarantee_mentions("older copy"));
    play_a_batch();
    engine_stop(&rig);
    engine_open(&rig);
    assert_true(guarantee_mentions("older copy"));
    json_t *promise = lotor_engine_guarantee(rig.engine, "one", &engine_refusal);
    assert_int_equal(json_array_size(json_object_get(promise, "not_protected")), 3); /* once */
    assert_int_equal(json_integer_value(json_object_get(promise, "accepted_rollbacks")), 1);
    json_decref(promise);
}

TEST_WITH(an_event_of_a_lost_time_is_unknown, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    lotor_event kept = rank_some(1);
    engine_stop(&rig);
    store_copy old = take_copy();
    engine_open(&rig);
    lotor_ranking lost, ranking;
    for (int i = 0; i < 50; i++) { /* past the decisions that were drawn at the copy */
        engine_must_rank(&rig, "one", &lost);
    }
    assert_true(event_of(&lost).nonce != kept.nonce);
    engine_stop(&rig);
    put_back(old);
    assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
    do { /* up to the same number, in another block */
        engine_must_rank(&rig, "one", &ranking);
    } while (event_of(&ranking).number < event_of(&lost).number);
    assert_int_equal(engine_reward(&rig, lost.event, "{'rewards': [1]}"), LOTOR_CODE_NO_SUCH_EVENT);
    engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
}

/* With an older copy it is not known what was handed out from its pool: nothing more is handed
 * out. */
TEST_WITH(an_older_copy_hands_nothing_out_again, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    rank_some(1);
    lotor_event kept = rank_some(1); /* of the pool, which has more */
    store_copy old = take_copy();
    lotor_event more = rank_some(1);
    assert_true(more.nonce == kept.nonce);
    engine_stop(&rig);
    put_back(old);
    assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
    lotor_event next = rank_some(1);
    assert_true(next.nonce != kept.nonce);
    assert_true(next.number > more.number);
}

/* Also not after a following crash. */
TEST_WITH(an_older_copy_hands_nothing_out_after_a_crash, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    rank_some(2);
    store_copy old = take_copy();
    uint64_t last = rank_some(1).number; /* a client has it */
    engine_stop(&rig);
    put_back(old);
    assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
    engine_crash(&rig);
    engine_open(&rig);
    assert_true(rank_some(1).number > last);
}

/* Events that the copy knows keep their time and count. Events that were drawn after the copy
 * are reported as lost. */
TEST_WITH(feedback_to_an_older_copy_in_time_is_not_dropped, start, end)
{
    lotor_ranking known, ranking;
    engine_must_create(&rig, ONE_ARM);
    rank_some(1);
    engine_must_rank(&rig, "one", &known);
    store_copy old = take_copy(); /* of a running server */
    lotor_ranking of_the_pool;
    engine_must_rank(&rig, "one", &of_the_pool); /* handed out after the copy, drawn before it */
    assert_true(event_of(&of_the_pool).nonce == event_of(&known).nonce);
    rig.now += 900;
    engine_must_rank(&rig, "one", &ranking);
    assert_true(event_of(&ranking).nonce != event_of(&known).nonce);
    engine_stop(&rig);
    put_back(old);
    assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
    assert_int_equal(engine_reward(&rig, ranking.event, "{'rewards': [1]}"),
                     LOTOR_CODE_NO_SUCH_EVENT);
    rig.now += 100;
    engine_must_reward(&rig, known.event, "{'rewards': [1]}");
    assert_int_equal(engine_late, 0);
    engine_must_reward(&rig, of_the_pool.event, "{'rewards': [1]}");
    assert_int_equal(engine_late, 0);
    while (number("arms.0.count") < 4) {
        rank_some(1);
        engine_wait(&rig, ALL_OVER);
    }
    assert_true(fabs(number("arms.0.mean") * number("arms.0.count") - 2) < 0.1);
}

TEST_WITH(the_head_is_written_with_every_release, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    for (int i = 0; i < 3; i++) {
        play_a_batch();
        lotor_heads *heads;
        lotor_head_record head;
        lotor_release_row last;
        bool was_lost;
        assert_int_equal(
            lotor_heads_open(scratch_path(&rig.files, "x.key.head"), &rig.why, &heads, &was_lost),
            LOTOR_OK);
        assert_int_equal(lotor_store_last_release(rig.store, 1, &rig.why, &last), LOTOR_OK);
        assert_false(was_lost);
        assert_true(lotor_heads_get(heads, 1, &head));
        assert_int_equal(head.number, number("releases"));
        assert_int_equal(head.number, last.number);
        assert_memory_equal(head.hash, last.hash, sizeof head.hash);
        assert_true(lotor_heads_get(heads, 0, &head));
        assert_int_equal(head.number, 1);
        lotor_heads_free(heads);
    }
}

/* A release that can't be written to the head file is not shown, and nothing is released after
 * it. */
TEST_WITH(no_release_is_shown_before_its_head_is_written, start, end)
{
    struct rlimit usual, none;
    bool is_shown = false;
    engine_must_create(&rig, ONE_ARM);
    play_a_batch();
    const double before = number("releases");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    none = usual;
    none.rlim_cur = 0; /* the store of these tests is in memory, so only the head file is refused */
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    rig.is_patient = true; /* steps may fail */
    for (int i = 0; i < 40; i++) {
        lotor_ranking ranking;
        if (engine_rank(&rig, "one", &ranking) == LOTOR_CODE_NONE) {
            engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
        }
        engine_wait(&rig, ALL_OVER);
        is_shown = is_shown || number("releases") != before;
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
    json_t *told = lotor_engine_readiness(rig.engine);
    assert_non_null(strstr(json_string_value(json_object_get(told, "reason")),
                           "the head file can't be written"));
    json_decref(told);
    assert_false(is_shown);
    engine_wait(&rig, ALL_OVER);
    rig.is_patient = false;
    play_a_batch();
    assert_true(number("releases") > before);
}

TEST_WITH(an_older_copy_has_older_counts_of_users, start, end)
{
    engine_must_create(&rig, ONE_ARM_WITH(", 'rounds_per_user': 2"));
    engine_stop(&rig);
    store_copy old = take_copy();
    engine_open(&rig);
    engine_stop(&rig);
    put_back(old);
    assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
    assert_true(guarantee_mentions("counts of rounds per user are those of the copy"));
}

/* A clock that was set back makes the campaign look younger than the copy. */
TEST_WITH(an_older_copy_is_told_of_whatever_the_clock_says, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    engine_stop(&rig);
    store_copy old = take_copy();
    engine_open(&rig);
    play_a_batch();
    engine_stop(&rig);
    put_back(old);
    rig.now -= 3600 * 1000;
    assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
    assert_true(guarantee_mentions("older copy"));
    engine_must_create(&rig, "{'name': 'new', 'algorithm': 'batch-klucb', 'arms': ['a'], "
                             "'epsilon': 1, 'wait_seconds': 1}");
    json_t *promise = lotor_engine_guarantee(rig.engine, "new", &engine_refusal);
    char *text = json_dumps(promise, 0);
    assert_null(strstr(text, "older copy")); /* this campaign was created later */
    free(text);
    json_decref(promise);
}

/* The copy does not know that it was accepted before. Three drawings are more than two. */
TEST_WITH(the_same_copy_put_back_twice_is_told_of_twice, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    engine_stop(&rig);
    store_copy old = take_copy(), same = take_copy();
    engine_open(&rig);
    engine_stop(&rig);
    put_back(old);
    assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
    assert_false(guarantee_mentions("times before that"));
    play_a_batch(); /* the head file is written again */
    engine_stop(&rig);
    put_back(same);
    assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
    assert_true(guarantee_mentions("and 1 times before that"));
    engine_stop(&rig);
    engine_open(&rig);
    assert_true(guarantee_mentions("and 1 times before that"));
}

TEST_WITH(a_damaged_head_can_be_accepted, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    play_a_batch();
    engine_stop(&rig);
    FILE *file = fopen(scratch_path(&rig.files, "x.key.head"), "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(engine_try_open(&rig, false), LOTOR_RELEASED);
    assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
    engine_stop(&rig);
    engine_open(&rig);
}

TEST_WITH(a_lost_head_counts_as_an_older_copy, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    engine_stop(&rig);
    unlink(scratch_path(&rig.files, "x.key.head"));
    engine_open(&rig); /* nothing was released yet */
    play_a_batch();
    engine_stop(&rig);
    unlink(scratch_path(&rig.files, "x.key.head"));
    assert_int_equal(engine_try_open(&rig, false), LOTOR_RELEASED);
    assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
}

/* Without a release in between, the number of starts shows it. */
TEST_WITH(an_empty_store_with_an_old_key_is_refused, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    engine_stop(&rig);
    store_copy old = take_copy();
    engine_open(&rig);
    engine_stop(&rig);
    put_back(old);
    assert_int_equal(engine_try_open(&rig, false), LOTOR_RELEASED);
}

TEST_WITH(another_key_opens_nothing, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    engine_stop(&rig);
    unlink(scratch_path(&rig.files, "x.key"));
    assert_int_not_equal(engine_try_open(&rig, false), LOTOR_OK);
    assert_non_null(strstr(rig.why.text, "key"));
}

/* --- half-lives ------------------------------------------------------------------------------------ */

/* Plays `count` rounds in which only this arm pays, and returns how often it was shown. */
static int play_for(const char *paid, int count)
{
    int shown = 0;
    for (int i = 0; i < count; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, "one", &ranking);
        const bool is_paid = strcmp(ranking.arms[0], paid) == 0;
        shown += is_paid;
        engine_must_reward(&rig, ranking.event, is_paid ? "{'rewards': [1]}" : "{'rewards': [0]}");
        engine_wait(&rig, i % 10 == 9 ? ALL_OVER : 1);
    }
    return shown;
}

/* After a long break with a stop and a crash, both arms are new: their releases are older than 8
 * half-lives. So the other arm is found as fast as the first was. The age of a release comes from the
 * rows of the store, so it does not matter how long a server has been running. */
TEST_WITH(a_half_life_in_seconds_survives_restarts, start, end)
{
    engine_must_create(&rig, "{'name': 'one', 'algorithm': 'lik-imed', 'arms': ['a', 'b'], " LOUD
                             ", 'wait_seconds': 1, 'half_life': '1h'}");
    play_for("a", 200);
    assert_true(play_for("a", 100) > 80);
    engine_stop(&rig);
    rig.now += 4 * 3600 * 1000;
    engine_open(&rig);
    engine_wait(&rig, 1);
    engine_crash(&rig);
    rig.now += 5 * 3600 * 1000;
    engine_open(&rig);
    play_for("b", 60);
    assert_true(play_for("b", 100) > 80);
}

/* Shows some rounds. Arm a has a reward of 1 if it is paid; everything else has 0. Returns how often b is shown. */
static int play_block(int rounds, bool is_paid)
{
    int shown = 0;
    for (int i = 0; i < rounds; i++) {
        lotor_ranking ranking;
        engine_must_rank(&rig, "one", &ranking);
        const bool is_a = strcmp(ranking.arms[0], "a") == 0;
        shown += !is_a;
        engine_must_reward(&rig, ranking.event,
                           is_a && is_paid ? "{'rewards': [1]}" : "{'rewards': [0]}");
    }
    return shown;
}

/* A release is as old as the deadline of its block, whenever an owner enters that block. Here arm a is the best, but
 * the owner enters the rounds that say so nine half-lives later. After the next rounds they are forgotten: arm b is
 * as good as unknown, and is shown. By the owner's clock they would be new, and b would not be shown. */
TEST_WITH(a_late_owner_ages_releases_by_their_blocks, start, end)
{
    for (int is_late = 0; is_late < 2; is_late++) {
        engine_must_create(&rig,
                           "{'name': 'one', 'algorithm': 'lik-imed', 'arms': ['a', 'b'], " LOUD
                           ", 'max_arms': 2, 'wait_seconds': 1, 'half_life': '1h'}");
        assert_in_range(play_block(64, true), 20, 44);
        if (is_late) {
            engine_stop(&rig);
            rig.now += 9 * 3600 * 1000;
            engine_open(&rig);
        } else {
            engine_wait(&rig, ALL_OVER);
            engine_step(&rig);
            rig.now += 9 * 3600 * 1000;
        }
        engine_step(&rig);
        engine_step(&rig);
        assert_int_equal(engine_number(&rig, "one", "final"), 64);
        assert_int_equal(play_block(20, false),
                         0); /* the releases count: nothing has aged them yet */
        engine_wait(&rig, ALL_OVER);
        engine_step(&rig);
        assert_int_equal(engine_number(&rig, "one", "final"), 84);
        assert_true(play_block(20, false) > 10);
        engine_end(&rig);
        start(NULL);
    }
}

/* --- budgets and older copies ----------------------------------------------------------------- */

#define IN_BUDGET                                                                                  \
    "'algorithm': 'batch-klucb', 'arms': ['a'], 'max_arms': 1, 'epsilon': 1, 'wait_seconds': 1, "  \
    "'budget': 'people'}"

/* True if a round of the user counts. It is over then. */
static bool counts(const char *name, const char *user)
{
    lotor_ranking ranking;
    assert_int_equal(engine_rank_with(&rig, name, user, NULL, NULL, &ranking), LOTOR_CODE_NONE);
    lotor_ranking_clear(&ranking);
    engine_wait(&rig, 0); /* records the round */
    const double before = engine_number(&rig, name, "final");
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    return engine_number(&rig, name, "final") > before;
}

static bool is_refused(const char *name)
{
    lotor_ranking ranking;
    return engine_rank_with(&rig, name, "ann", NULL, NULL, &ranking) == LOTOR_CODE_BROKEN;
}

static bool budget_mentions(const char *what)
{
    json_t *reply;
    assert_int_equal(engine_get_budget(&rig, "people", &reply), LOTOR_CODE_NONE);
    const char *text = json_string_value(json_object_get(reply, "statement"));
    const bool found = strstr(text, what) != NULL;
    json_decref(reply);
    return found;
}

/* Ann has spent her budget in `one`, and a release of it was seen. A copy from before, of the same
 * start, does not know that. So `two` is not served either. */
TEST_WITH(an_older_copy_does_not_give_a_budget_back, start, end)
{
    engine_must_create_budget(&rig, "{'name': 'people', 'epsilon': 1}");
    engine_must_create(&rig, "{'name': 'one', " IN_BUDGET);
    engine_must_create(&rig, "{'name': 'two', " IN_BUDGET);
    store_copy old = take_copy();
    assert_true(counts("one", "ann"));
    assert_false(counts("two", "ann"));
    for (int i = 0; i < 30; i++) {
        char user[8];
        snprintf(user, sizeof user, "u%d", i);
        counts("one", user);
    }
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    engine_stop(&rig);
    put_back(old);
    engine_open(&rig);
    assert_true(is_refused("one"));
    assert_true(is_refused("two"));
    engine_stop(&rig);
    engine_open(&rig); /* trying changes nothing */
    assert_true(is_refused("two"));
    assert_false(budget_mentions("the operator accepted"));
    engine_stop(&rig);
    assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
    assert_true(counts("two", "ann")); /* as the operator accepted */
    for (int i = 0; i < 2; i++) {
        assert_true(budget_mentions("older copy, and the operator accepted that (1 time)"));
        json_t *promise = lotor_engine_guarantee(rig.engine, "two", &engine_refusal);
        char *text = json_dumps(promise, 0);
        assert_non_null(strstr(text, "The spending of the budget people is that of the copy"));
        free(text);
        json_decref(promise);
        engine_stop(&rig);
        engine_open(&rig);
        assert_true(counts("one", i == 0 ? "bob" : "cat"));
    }
}

/* The head file next to another key knows another store, so the releases of this one seem to be lost.
 * To accept a rollback would not help. */
TEST_WITH(another_key_with_its_own_head_file_is_named, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    play_a_batch();
    engine_stop(&rig);
    lotor_heads *heads;
    bool was_lost;
    const lotor_head_record many_starts = {.number = 1000};
    assert_int_equal(unlink(scratch_path(&rig.files, "x.key")), 0); /* a new key is made */
    const char *const path = scratch_path(&rig.files, "x.key.head");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(lotor_heads_open(path, &rig.why, &heads, &was_lost), LOTOR_OK);
    assert_int_equal(lotor_heads_put(heads, &many_starts, &rig.why), LOTOR_OK);
    assert_int_equal(lotor_heads_write(heads, &rig.why), LOTOR_OK);
    lotor_heads_free(heads);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(engine_try_open(&rig, i == 1), LOTOR_INVALID);
        assert_non_null(strstr(rig.why.text, "another key"));
        assert_null(strstr(rig.why.text, "--accept-rollback"));
    }
}

/* A campaign that was made after the copy, and whose release was seen: the copy lacks it. */
TEST_WITH(a_copy_without_a_campaign_of_the_head_file_is_older, start, end)
{
    engine_must_create(&rig, "{'name': 'two', 'arms': ['a'], 'epsilon': 1}");
    store_copy old = take_copy();
    engine_must_create(&rig, ONE_ARM);
    play_a_batch();
    engine_stop(&rig);
    put_back(old);
    assert_int_equal(engine_try_open(&rig, false), LOTOR_RELEASED);
    assert_non_null(strstr(rig.why.text, "--accept-rollback"));
    assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
    engine_must_create(&rig, ONE_ARM); /* the id of the lost campaign: it is served */
    play_a_batch();
    engine_stop(&rig);
    engine_open(&rig);
    play_a_batch();
}

/* A copy that is older than a deletion brings the campaign back. It is not served, and can be deleted
 * again. */
TEST_WITH(a_copy_does_not_undo_a_deletion, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    engine_must_create(&rig, "{'name': 'two', 'arms': ['a'], 'epsilon': 1}");
    for (int i = 0; i < 2; i++) {
        store_copy old = take_copy();
        assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_DELETE), LOTOR_CODE_NONE);
        engine_stop(&rig);
        put_back(old);
        engine_open(&rig);
        lotor_ranking ranking;
        assert_int_equal(engine_rank(&rig, "one", &ranking), LOTOR_CODE_BROKEN);
        assert_non_null(strstr(engine_refusal.message.text, "older copy"));
        engine_must_rank(&rig, "two", &ranking);
        lotor_ranking_clear(&ranking);
        if (i == 0) { /* an operator may want it back */
            engine_stop(&rig);
            assert_int_equal(engine_try_open(&rig, true), LOTOR_OK);
            play_a_batch();
        }
    }
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_DELETE), LOTOR_CODE_NONE);
    engine_stop(&rig);
    engine_open(&rig);
    json_t *reply = lotor_engine_readiness(rig.engine);
    assert_int_equal(json_array_size(json_object_get(reply, "campaigns")), 0);
    json_decref(reply);
}
