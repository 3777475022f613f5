/* test_engine_restart.c - stopping, dying, and being put back to an older copy. */
#include "support/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/engine_scene.h"

static engine_scene scene;

static int start(void **state)
{
    (void)state;
    scene_start(&scene);
    scene_open(&scene);
    return 0;
}

static int end(void **state)
{
    (void)state;
    return scene_end_soundly(&scene);
}

static double number(const char *path)
{
    return scene_number(&scene, "one", path);
}

static lotor_event event_of(const lotor_ranking *ranking)
{
    lotor_event event;
    assert_true(lotor_vault_read_token(scene.vault, ranking->event, &event));
    return event;
}

/* Ranks until the pool has something left over, and says what came last. */
static lotor_event rank_some(int count)
{
    lotor_ranking ranking;
    for (int i = 0; i < count; i++) {
        scene_must_rank(&scene, "one", &ranking);
    }
    return event_of(&ranking);
}

static void a_clean_stop_gives_the_rest_back(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM);
    rank_some(1);                      /* drawn for itself; the pool is filled */
    lotor_event before = rank_some(1); /* the first of the pool */
    scene_stop(&scene);
    scene_open(&scene);
    lotor_ranking ranking;
    scene_job job;
    scene_queue_rank(&scene, "one", &ranking, &job);
    assert_true(job.is_done); /* nothing was drawn for it */
    lotor_event after = event_of(&ranking);
    assert_int_equal(after.number, before.number + 1);
    assert_true(after.nonce == before.nonce);
    assert_int_equal(number("decisions"), 3);
    scene_wait(&scene, 1001);
    assert_int_equal(number("final"), 3);
    /* The part that was handed out twice over two lives is not handed out a third time. */
    scene_crash(&scene);
    scene_open(&scene);
    assert_true(rank_some(1).number > after.number);
}

static void rounds_keep_their_time_over_a_clean_stop(void **state)
{
    (void)state;
    lotor_ranking ranking;
    scene_must_create(&scene, ONE_ARM);
    scene_must_rank(&scene, "one", &ranking);
    scene.now += 400;
    scene_must_reward(&scene, ranking.event, "{'rewards': [1]}");
    scene_stop(&scene);
    scene_open(&scene);
    scene_wait(&scene, 600);
    assert_int_equal(number("final"), 0);
    scene_wait(&scene, 1);
    assert_int_equal(number("final"), 1);
}

/* The clock was a year ahead for a moment, and a decision was handed out then. */
static void a_wrong_clock_is_got_over_with_a_restart(void **state)
{
    (void)state;
    const uint64_t right = scene.now;
    lotor_ranking ranking;
    scene_must_create(&scene, ONE_ARM);
    scene.now += UINT64_C(365) * 24 * 3600 * 1000;
    scene_must_rank(&scene, "one", &ranking);
    scene_stop(&scene);
    scene.now = right;
    scene_open(&scene);
    scene_must_reward(&scene, ranking.event, "{'rewards': [1]}");
    scene_must_rank(&scene, "one", &ranking);
    assert_true(ranking.expires <= right + 1000);
    scene_wait(&scene, 1001);
    assert_int_equal(number("final"), 2);
    assert_true(fabs(number("arms.0.mean") * number("arms.0.count") - 1) < 0.1);
}

static void after_a_crash_all_that_was_drawn_counts_as_shown(void **state)
{
    (void)state;
    lotor_ranking rankings[40];
    scene_must_create(&scene, ONE_ARM);
    for (int i = 0; i < 40; i++) {
        scene_must_rank(&scene, "one", &rankings[i]);
    }
    for (int i = 0; i < 20; i++) {
        scene_must_reward(&scene, rankings[i].event, "{'rewards': [1]}");
    }
    lotor_event last = event_of(&rankings[39]);
    scene.now += 200;
    scene_crash(&scene);
    scene_open(&scene);
    lotor_ranking ranking;
    scene_must_rank(&scene, "one", &ranking);
    assert_true(event_of(&ranking).number > last.number);
    assert_true(event_of(&ranking).nonce != last.nonce);
    for (int i = 20; i < 40; i++) { /* their time is not over */
        scene_must_reward(&scene, rankings[i].event, "{'rewards': [1]}");
    }
    scene_wait(&scene, 999); /* the pool's rounds end a second after the start */
    assert_true(number("final") < 40);
    scene_wait(&scene, 2);
    assert_true(number("final") >= 40);
    assert_int_equal(number("pending"), 0);
}

/* Answers are read back, and count once. */
static void answers_survive_a_crash(void **state)
{
    (void)state;
    lotor_ranking rankings[64];
    scene_must_create(&scene, ONE_ARM);
    for (int i = 0; i < 64; i++) {
        scene_must_rank(&scene, "one", &rankings[i]);
        scene_must_reward(&scene, rankings[i].event, "{'rewards': [0.5]}");
    }
    for (int crash = 0; crash < 3; crash++) {
        scene_crash(&scene);
        scene_open(&scene);
        for (int i = 0; i < 64; i++) {
            scene_must_reward(&scene, rankings[i].event, "{'rewards': [1]}");
        }
    }
    scene_wait(&scene, 1001);
    assert_true(number("final") >= 64);
    double count = number("arms.0.count"); /* the rest of the pools counts as 0 */
    assert_true(count > 32);
    double sum = 0.5 * (count < 64 ? count : 64);
    assert_true(fabs(number("arms.0.mean") * count - sum) < 0.1);
}

static void contexts_survive_a_crash(void **state)
{
    (void)state;
    scene_must_create(&scene, "{'name': 'linear', 'algorithm': 'jdp-batch', 'arms': ['a','b'], "
                              "'dimension': 2, 'epsilon': 1, 'delta': 0.001, 'horizon': 1000, "
                              "'wait_seconds': 1}");
    lotor_ranking ranking;
    assert_int_equal(
        scene_rank_with(&scene, "linear", NULL, "{'a': [1, 0], 'b': [0, 1]}", NULL, &ranking),
        LOTOR_CODE_NONE);
    scene_crash(&scene);
    scene_open(&scene);
    scene_must_reward(&scene, ranking.event, "{'rewards': [1]}");
    scene_wait(&scene, 1000); /* it was written with its own deadline */
    assert_int_equal(scene_number(&scene, "linear", "final"), 0);
    scene_wait(&scene, 1);
    assert_int_equal(scene_number(&scene, "linear", "final"), 1);
}

static void users_and_arms_survive(void **state)
{
    (void)state;
    scene_must_create(&scene,
                      "{'name': 'one', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], 'max_arms': "
                      "3, 'epsilon': 1, 'wait_seconds': 1, 'rounds_per_user': 1}");
    lotor_ranking ranking;
    assert_int_equal(scene_rank_with(&scene, "one", "ann", NULL, NULL, &ranking), LOTOR_CODE_NONE);
    assert_true(ranking.takes_feedback);
    assert_int_equal(scene_arms(&scene, "one", "{'pause': ['a'], 'add': ['c']}"), LOTOR_CODE_NONE);
    scene_crash(&scene);
    scene_open(&scene);
    assert_int_equal(scene_rank_with(&scene, "one", "ann", NULL, NULL, &ranking), LOTOR_CODE_NONE);
    assert_false(ranking.takes_feedback);
    assert_string_not_equal(ranking.arms[0], "a");
    assert_int_equal(number("arms.0.paused"), 1);
    assert_int_equal(number("arms.2.paused"), 0);
    assert_int_equal(scene_close_campaign(&scene, "one"), LOTOR_CODE_NONE);
    scene_crash(&scene);
    scene_open(&scene);
    assert_int_equal(number("closed"), 1);
}

/* --- older copies ------------------------------------------------------------------------------- */

typedef struct store_copy {
    unsigned char *bytes;
    size_t length;
} store_copy;

static store_copy take_copy(void)
{
    store_copy copy;
    copy.bytes = fault_vfs_get(scene.disk, "x.db", &copy.length);
    assert_non_null(copy.bytes);
    return copy;
}

static void put_back(store_copy copy)
{
    fault_vfs_put(scene.disk, "x.db", copy.bytes, copy.length);
    free(copy.bytes);
}

/* Plays until something was released. */
static void play_a_batch(void)
{
    double releases = number("releases");
    while (number("releases") == releases) {
        for (int i = 0; i < 8; i++) {
            lotor_ranking ranking;
            scene_must_rank(&scene, "one", &ranking);
            scene_must_reward(&scene, ranking.event, "{'rewards': [1]}");
        }
        scene_wait(&scene, 1001);
    }
}

static bool guarantee_mentions(const char *what)
{
    json_t *promise = lotor_engine_guarantee(scene.engine, "one", &scene_refusal);
    char *text = json_dumps(promise, 0);
    bool found = strstr(text, what) != NULL;
    free(text);
    json_decref(promise);
    return found;
}

static void an_older_copy_is_refused_unless_accepted(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM);
    play_a_batch();
    scene_stop(&scene);
    store_copy old = take_copy();
    scene_open(&scene);
    play_a_batch();
    assert_false(guarantee_mentions("older copy"));
    scene_stop(&scene);
    put_back(old);
    assert_int_equal(scene_try_open(&scene, false), LOTOR_RELEASED);
    assert_non_null(strstr(scene.why.text, "--accept-rollback"));
    assert_int_equal(scene_try_open(&scene, false), LOTOR_RELEASED); /* trying changes nothing */
    assert_int_equal(scene_try_open(&scene, true), LOTOR_OK);
    assert_true(guarantee_mentions("older copy"));
    assert_false(guarantee_mentions("rounds per user"));
    play_a_batch();
    scene_stop(&scene);
    scene_open(&scene); /* it is accepted for good, and still said */
    assert_true(guarantee_mentions("older copy"));
}

static void an_event_of_a_lost_time_is_unknown(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM);
    lotor_event kept = rank_some(1);
    scene_stop(&scene);
    store_copy old = take_copy();
    scene_open(&scene);
    lotor_ranking lost, ranking;
    for (int i = 0; i < 50; i++) { /* past what was drawn at the copy */
        scene_must_rank(&scene, "one", &lost);
    }
    assert_true(event_of(&lost).nonce != kept.nonce);
    scene_stop(&scene);
    put_back(old);
    assert_int_equal(scene_try_open(&scene, true), LOTOR_OK);
    do { /* up to the same number, in another block */
        scene_must_rank(&scene, "one", &ranking);
    } while (event_of(&ranking).number < event_of(&lost).number);
    assert_int_equal(scene_reward(&scene, lost.event, "{'rewards': [1]}"),
                     LOTOR_CODE_NO_SUCH_EVENT);
    scene_must_reward(&scene, ranking.event, "{'rewards': [1]}");
}

/* After an older copy nobody knows what was handed out of its pool. */
static void an_older_copy_hands_nothing_out_again(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM);
    rank_some(1);
    lotor_event kept = rank_some(1); /* of the pool, which has more */
    scene_stop(&scene);
    store_copy old = take_copy();
    scene_open(&scene);
    assert_true(rank_some(1).nonce == kept.nonce);
    scene_stop(&scene);
    put_back(old);
    assert_int_equal(scene_try_open(&scene, true), LOTOR_OK);
    assert_true(rank_some(1).nonce != kept.nonce);
}

/* Nor after a crash that follows. */
static void an_older_copy_hands_nothing_out_after_a_crash(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM);
    rank_some(2);
    scene_stop(&scene);
    store_copy old = take_copy();
    scene_open(&scene);
    uint64_t last = rank_some(1).number; /* somebody has it */
    scene_stop(&scene);
    put_back(old);
    assert_int_equal(scene_try_open(&scene, true), LOTOR_OK);
    scene_crash(&scene);
    scene_open(&scene);
    assert_true(rank_some(1).number > last);
}

/* What was handed out after the copy was made has its time, too. */
static void an_answer_to_an_older_copy_is_not_dropped_in_time(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM);
    rank_some(2); /* one for itself, one of the pool */
    scene_stop(&scene);
    store_copy old = take_copy();
    scene.now += 900;
    scene_open(&scene);
    lotor_ranking ranking;
    scene_must_rank(&scene, "one", &ranking);
    scene_stop(&scene);
    put_back(old);
    assert_int_equal(scene_try_open(&scene, true), LOTOR_OK);
    scene_wait(&scene, 500);
    scene_must_reward(&scene, ranking.event, "{'rewards': [1]}");
    while (number("arms.0.count") < 3) {
        rank_some(1);
        scene_wait(&scene, 1001);
    }
    assert_true(fabs(number("arms.0.mean") * number("arms.0.count") - 1) < 0.1);
}

static void the_head_is_written_with_every_release(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM);
    for (int i = 0; i < 3; i++) {
        play_a_batch();
        lotor_head head, chain;
        assert_int_equal(
            lotor_head_read(scratch_path(&scene.files, "x.key.head"), &scene.why, &head), LOTOR_OK);
        assert_int_equal(lotor_store_head(scene.store, &scene.why, &chain), LOTOR_OK);
        assert_int_equal(head.releases, number("releases"));
        assert_memory_equal(head.hash, chain.hash, sizeof head.hash);
        assert_int_equal(head.starts, 1);
    }
}

static void an_older_copy_has_older_counts_of_users(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM_WITH(", 'rounds_per_user': 2"));
    scene_stop(&scene);
    store_copy old = take_copy();
    scene_open(&scene);
    scene_stop(&scene);
    put_back(old);
    assert_int_equal(scene_try_open(&scene, true), LOTOR_OK);
    assert_true(guarantee_mentions("counts of rounds per user were put back"));
}

/* A clock that was set back makes the campaign look younger than the copy. */
static void an_older_copy_is_told_of_whatever_the_clock_says(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM);
    scene_stop(&scene);
    store_copy old = take_copy();
    scene_open(&scene);
    play_a_batch();
    scene_stop(&scene);
    put_back(old);
    scene.now -= 3600 * 1000;
    assert_int_equal(scene_try_open(&scene, true), LOTOR_OK);
    assert_true(guarantee_mentions("older copy"));
    scene_must_create(&scene, "{'name': 'new', 'algorithm': 'batch-klucb', 'arms': ['a'], "
                              "'epsilon': 1, 'wait_seconds': 1}");
    json_t *promise = lotor_engine_guarantee(scene.engine, "new", &scene_refusal);
    char *text = json_dumps(promise, 0);
    assert_null(strstr(text, "older copy")); /* it came after */
    free(text);
    json_decref(promise);
}

/* The copy does not know that it was put back before; three drawings are more than two. */
static void the_same_copy_put_back_twice_is_told_of_twice(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM);
    scene_stop(&scene);
    store_copy old = take_copy(), same = take_copy();
    scene_open(&scene);
    scene_stop(&scene);
    put_back(old);
    assert_int_equal(scene_try_open(&scene, true), LOTOR_OK);
    assert_false(guarantee_mentions("times before that"));
    play_a_batch(); /* the head is written again */
    scene_stop(&scene);
    put_back(same);
    assert_int_equal(scene_try_open(&scene, true), LOTOR_OK);
    assert_true(guarantee_mentions("and 1 times before that"));
    scene_stop(&scene);
    scene_open(&scene);
    assert_true(guarantee_mentions("and 1 times before that"));
}

static void a_damaged_head_can_be_accepted(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM);
    play_a_batch();
    scene_stop(&scene);
    FILE *file = fopen(scratch_path(&scene.files, "x.key.head"), "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(scene_try_open(&scene, false), LOTOR_RELEASED);
    assert_int_equal(scene_try_open(&scene, true), LOTOR_OK);
    scene_stop(&scene);
    scene_open(&scene);
}

static void a_lost_head_counts_as_an_older_copy(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM);
    scene_stop(&scene);
    unlink(scratch_path(&scene.files, "x.key.head"));
    scene_open(&scene); /* nothing was released yet */
    play_a_batch();
    scene_stop(&scene);
    unlink(scratch_path(&scene.files, "x.key.head"));
    assert_int_equal(scene_try_open(&scene, false), LOTOR_RELEASED);
    assert_int_equal(scene_try_open(&scene, true), LOTOR_OK);
}

/* Without a release in between, the number of starts tells. */
static void an_empty_store_beside_an_old_key_is_refused(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM);
    scene_stop(&scene);
    store_copy old = take_copy();
    scene_open(&scene);
    scene_stop(&scene);
    put_back(old);
    assert_int_equal(scene_try_open(&scene, false), LOTOR_RELEASED);
}

static void another_key_opens_nothing(void **state)
{
    (void)state;
    scene_must_create(&scene, ONE_ARM);
    scene_stop(&scene);
    unlink(scratch_path(&scene.files, "x.key"));
    assert_int_not_equal(scene_try_open(&scene, false), LOTOR_OK);
    assert_non_null(strstr(scene.why.text, "key"));
}

#define with_scene(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_scene(a_clean_stop_gives_the_rest_back),
        with_scene(rounds_keep_their_time_over_a_clean_stop),
        with_scene(a_wrong_clock_is_got_over_with_a_restart),
        with_scene(after_a_crash_all_that_was_drawn_counts_as_shown),
        with_scene(answers_survive_a_crash),
        with_scene(contexts_survive_a_crash),
        with_scene(users_and_arms_survive),
        with_scene(an_older_copy_is_refused_unless_accepted),
        with_scene(an_event_of_a_lost_time_is_unknown),
        with_scene(an_older_copy_hands_nothing_out_again),
        with_scene(an_older_copy_has_older_counts_of_users),
        with_scene(an_older_copy_hands_nothing_out_after_a_crash),
        with_scene(an_answer_to_an_older_copy_is_not_dropped_in_time),
        with_scene(the_head_is_written_with_every_release),
        with_scene(an_older_copy_is_told_of_whatever_the_clock_says),
        with_scene(the_same_copy_put_back_twice_is_told_of_twice),
        with_scene(a_damaged_head_can_be_accepted),
        with_scene(a_lost_head_counts_as_an_older_copy),
        with_scene(an_empty_store_beside_an_old_key_is_refused),
        with_scene(another_key_opens_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
