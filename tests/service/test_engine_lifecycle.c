/* test_engine_lifecycle.c - the phases of a campaign in the engine: what pausing, archiving and
 * deleting do to open rounds, to releases and to restarts. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/engine/check.h"
#include "service/engine_rig.h"
#include "service/place.h"

SCENE_OF_EACH_TEST(engine_end_soundly);

/* Ranks once, and sends a reward of 1 if `answers`. */
static void serve(bool answers, lotor_ranking *ranking)
{
    engine_must_rank(&rig, "one", ranking);
    if (answers) {
        engine_must_reward(&rig, ranking->event, "{'rewards': [1]}");
    }
    lotor_ranking_clear(ranking);
}

TEST_WITH(test_a_pause_ends_no_round, start, end)
{
    lotor_ranking ranking, open[3];
    engine_must_create(&rig, ONE_ARM);
    for (size_t i = 0; i < 3; i++) {
        serve(false, &open[i]);
    }
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_PAUSE), LOTOR_CODE_NONE);
    assert_int_equal(engine_rank(&rig, "one", &ranking), LOTOR_CODE_PAUSED);
    for (size_t i = 0; i < 3; i++) { /* open rounds still take feedback */
        engine_must_reward(&rig, open[i].event, "{'rewards': [1]}");
    }
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    assert_int_equal(engine_number(&rig, "one", "final"), 3);
    assert_true(engine_number(&rig, "one", "releases") > 0);
    assert_true(fabs(engine_number(&rig, "one", "arms.0.mean") - 1) < 0.01);
    assert_int_equal(engine_rank(&rig, "one", &ranking), LOTOR_CODE_PAUSED);
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_RESUME), LOTOR_CODE_NONE);
    serve(true, &ranking);
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    assert_int_equal(engine_number(&rig, "one", "final"), 4);
}

/* A decision that was drawn ahead and not shown before the pause counts for nothing. */
TEST_WITH(test_decisions_in_the_pool_are_taken_back, start, end)
{
    lotor_ranking ranking, many[8];
    engine_must_create(&rig, ONE_ARM);
    assert_int_equal(engine_rank_many(&rig, "one", many, 8), LOTOR_CODE_NONE);
    serve(true, &ranking);
    serve(true, &ranking);
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_PAUSE), LOTOR_CODE_NONE);
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    assert_int_equal(engine_number(&rig, "one", "decisions"), 10);
    assert_int_equal(engine_number(&rig, "one", "final"), 10);
    for (size_t i = 0; i < 8; i++) {
        lotor_ranking_clear(&many[i]);
    }
}

TEST_WITH(test_phases_survive_a_restart, start, end)
{
    lotor_ranking ranking;
    engine_must_create(&rig, ONE_ARM);
    serve(true, &ranking);
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_PAUSE), LOTOR_CODE_NONE);
    engine_stop(&rig);
    engine_open(&rig);
    assert_int_equal(engine_rank(&rig, "one", &ranking), LOTOR_CODE_PAUSED);
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_ARCHIVE), LOTOR_CODE_NONE);
    engine_crash(&rig);
    engine_open(&rig);
    assert_int_equal(engine_rank(&rig, "one", &ranking), LOTOR_CODE_ARCHIVED);
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    assert_int_equal(engine_number(&rig, "one", "final"), 1); /* its rounds end all the same */
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_UNARCHIVE), LOTOR_CODE_NONE);
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_RESUME), LOTOR_CODE_NONE);
    serve(true, &ranking);
}

/* A request that waits when the campaign is paused is refused at once. */
TEST_WITH(test_waiting_requests_are_refused, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    engine_job rank;
    lotor_ranking ranking = {0};
    engine_queue_ranking(&rig, "one", &ranking, &rank);
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_PAUSE), LOTOR_CODE_NONE);
    assert_true(rank.is_done);
    lotor_ranking_clear(&ranking);
}

/* --- deletion --------------------------------------------------------------------------------- */

static void note_done(lotor_job *job)
{
    *(bool *)job->owner = true;
}

static json_t *releases_of(const char *name)
{
    json_t *reply = NULL;
    bool is_done = false;
    lotor_job job = {.done = note_done, .owner = &is_done};
    lotor_engine_releases(rig.engine, name, 0, 1000, &reply, &job);
    engine_step(&rig);
    assert_true(is_done);
    assert_non_null(reply);
    return reply;
}

static lotor_status count_bytes(void *context, const unsigned char *bytes, size_t length)
{
    (void)bytes;
    *(size_t *)context += length;
    return LOTOR_OK;
}

static lotor_status count_block(void *context, const lotor_block_row *row)
{
    *(size_t *)context += (size_t)row->count;
    return LOTOR_OK;
}

static lotor_status count_stream(void *context, uint64_t stream, uint64_t last)
{
    (void)stream;
    *(size_t *)context += (size_t)last;
    return LOTOR_OK;
}

/* How much the store has of campaign 1: of its key, its state, its blocks and its log. */
static size_t private_bytes(void)
{
    size_t found = 0;
    uint64_t epoch;
    lotor_store_get_key(rig.store, 1, count_bytes, &found, NULL);
    lotor_store_get_state(rig.store, 1, count_bytes, &found, NULL, &epoch);
    assert_int_equal(lotor_store_each_block(rig.store, 1, 0, 0, count_block, &found, NULL),
                     LOTOR_OK);
    assert_int_equal(lotor_store_each_stream(rig.store, 1, count_stream, &found, NULL), LOTOR_OK);
    return found;
}

static void expect_deleted(json_t *releases, const char *event)
{
    lotor_ranking ranking;
    assert_int_equal(engine_rank(&rig, "one", &ranking), LOTOR_CODE_DELETED);
    assert_int_equal(engine_reward(&rig, event, "{'rewards': [1]}"), LOTOR_CODE_DELETED);
    assert_int_equal(engine_arms(&rig, "one", "{'pause': ['a']}"), LOTOR_CODE_DELETED);
    static const lotor_act acts[] = {LOTOR_ACT_CLOSE, LOTOR_ACT_PAUSE, LOTOR_ACT_RESUME,
                                     LOTOR_ACT_ARCHIVE, LOTOR_ACT_UNARCHIVE};
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        assert_int_equal(engine_act(&rig, "one", acts[i]), LOTOR_CODE_DELETED);
    }
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_DELETE), LOTOR_CODE_NONE);
    assert_int_equal(engine_create(&rig, ONE_ARM), LOTOR_CODE_EXISTS);
    assert_non_null(strstr(engine_refusal.message.text, "was deleted"));
    assert_int_equal(private_bytes(), 0);
    json_t *now = releases_of("one");
    assert_true(
        json_equal(json_object_get(now, "releases"), json_object_get(releases, "releases")));
    json_decref(now);
    assert_int_equal(engine_number(&rig, "one", "releases"),
                     json_array_size(json_object_get(releases, "releases")));
    assert_int_equal(engine_number(&rig, "one", "decisions"), 0);
    json_t *promise = lotor_engine_guarantee(rig.engine, "one", &engine_refusal);
    assert_string_equal(json_string_value(json_object_get(promise, "level")), "very weak");
    assert_non_null(strstr(json_string_value(json_object_get(promise, "statement")), "deleted"));
    json_decref(promise);
}

/* Releases something, and leaves open rounds with and without feedback. */
static json_t *live_a_while(lotor_ranking *open)
{
    for (size_t i = 0; i < 20; i++) {
        serve(i % 2 == 0, open);
    }
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    serve(true, open);
    serve(false, open);
    json_t *releases = releases_of("one");
    assert_true(json_array_size(json_object_get(releases, "releases")) > 0);
    assert_true(private_bytes() > 0);
    return releases;
}

TEST_WITH(test_a_deletion_leaves_the_releases, start, end)
{
    lotor_ranking open, other;
    engine_must_create(&rig, ONE_ARM);
    engine_must_create(&rig,
                       "{'name': 'two', 'algorithm': 'batch-klucb', 'arms': ['a'], " LOUD "}");
    json_t *releases = live_a_while(&open);
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_DELETE), LOTOR_CODE_NONE);
    expect_deleted(releases, open.event);
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    expect_deleted(releases, open.event);
    engine_stop(&rig);
    engine_open(&rig);
    expect_deleted(releases, open.event);
    engine_crash(&rig);
    engine_open(&rig);
    expect_deleted(releases, open.event);
    engine_must_rank(&rig, "two", &other); /* others go on */
    engine_must_reward(&rig, other.event, "{'rewards': [1]}");
    lotor_ranking_clear(&other);
    json_decref(releases);
}

/* A power loss right after the deletion was acknowledged brings nothing back. */
TEST_WITH(test_a_deletion_survives_a_crash, start, end)
{
    lotor_ranking open;
    engine_must_create(&rig, ONE_ARM);
    json_t *releases = live_a_while(&open);
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_ARCHIVE), LOTOR_CODE_NONE);
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_DELETE), LOTOR_CODE_NONE);
    engine_crash(&rig);
    engine_open(&rig);
    expect_deleted(releases, open.event);
    json_decref(releases);
}

/* True if a first display to ann would be counted. */
static bool count_ann(void)
{
    unsigned char hash[16];
    bool counted = false;
    lotor_server_key_user(rig.server_key, 1, "ann", 3, hash);
    assert_int_equal(lotor_store_begin(rig.store, NULL), LOTOR_OK);
    assert_int_equal(lotor_store_count_user(rig.store, 1, hash, 1, NULL, &counted), LOTOR_OK);
    lotor_store_rollback(rig.store);
    return counted;
}

TEST_WITH(test_users_are_erased, start, end)
{
    lotor_ranking ranking;
    engine_must_create(&rig, ONE_ARM_WITH(", 'rounds_per_user': 2"));
    assert_int_equal(engine_rank_with(&rig, "one", "ann", NULL, NULL, &ranking), LOTOR_CODE_NONE);
    lotor_ranking_clear(&ranking);
    engine_wait(&rig, ALL_OVER);
    engine_step(&rig);
    assert_false(count_ann());
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_DELETE), LOTOR_CODE_NONE);
    assert_true(count_ann()); /* her row is gone */
}

/* Feedback that waited for the owner is refused, and the campaign is not taken over again. */
TEST_WITH(test_waiting_requests_hear_of_a_deletion, start, end)
{
    engine_must_create(&rig, ONE_ARM);
    engine_job rank;
    lotor_ranking ranking = {0};
    engine_queue_ranking(&rig, "one", &ranking, &rank);
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_DELETE), LOTOR_CODE_NONE);
    assert_true(rank.is_done);
    lotor_ranking_clear(&ranking);
    json_t *ready = lotor_engine_readiness(rig.engine);
    assert_int_equal(json_array_size(json_object_get(ready, "campaigns")), 0);
    json_decref(ready);
}

/* --- copies ----------------------------------------------------------------------------------- */

/* Checks a store with the key and the head file, as `lotor check` does. */
static void check_copy(engine_rig *files, const char *path)
{
    lotor_store *store = NULL;
    lotor_server_key *key = NULL;
    lotor_heads *heads = NULL;
    lotor_engine_check_counts counts;
    bool was_lost = false;
    lotor_message why = {""};
    char place[600];
    snprintf(place, sizeof place, "%s", path);
    lotor_status status = lotor_store_open(place, LOTOR_STORE_READ, NULL, &why, &store);
    if (status == LOTOR_OK) {
        status = lotor_server_key_open(scratch_path(&files->files, "x.key"), false, &why, &key);
    }
    if (status == LOTOR_OK) {
        status =
            lotor_heads_open(scratch_path(&files->files, "x.key.head"), &why, &heads, &was_lost);
    }
    if (status == LOTOR_OK) {
        status = lotor_engine_check(store, key, heads, &counts, &why);
    }
    if (status != LOTOR_OK) {
        fail_msg("%s: %s", place, why.text);
    }
    assert_int_equal(counts.campaigns, 1);
    assert_true(counts.releases > 0);
    assert_int_equal(counts.decisions + counts.rows, 0);
    lotor_heads_free(heads);
    lotor_server_key_free(key);
    lotor_store_close(store);
}

/* A store with a deleted campaign can be checked, backed up and moved. */
TEST(test_copies_of_a_deleted_campaign)
{
    lotor_ranking open;
    lotor_store *from = NULL, *to = NULL;
    char old[600], backup[600], moved[600];
    engine_start(&rig);
    rig.is_on_files = true;
    place_clear();
    engine_open(&rig);
    engine_must_create(&rig, ONE_ARM);
    json_decref(live_a_while(&open));
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_DELETE), LOTOR_CODE_NONE);
    engine_stop(&rig);
    snprintf(old, sizeof old, "%s", place_of(&rig.files));
    snprintf(backup, sizeof backup, "%s", scratch_path(&rig.files, "backup.db"));
    snprintf(moved, sizeof moved, "%s", scratch_path(&rig.files, "moved.db"));
    check_copy(&rig, old);
    assert_int_equal(lotor_store_open(old, LOTOR_STORE_READ, NULL, NULL, &from), LOTOR_OK);
    assert_int_equal(lotor_store_backup(from, backup, NULL), LOTOR_OK);
    check_copy(&rig, backup);
    assert_int_equal(lotor_store_open(moved, LOTOR_STORE_SERVE, NULL, NULL, &to), LOTOR_OK);
    assert_int_equal(lotor_store_copy(from, to, NULL), LOTOR_OK);
    lotor_store_close(to);
    lotor_store_close(from);
    check_copy(&rig, moved);
    engine_end(&rig);
}

/* A store in which a part of an older copy was put back is noticed. */
TEST_WITH(test_a_key_that_comes_back_is_noticed, start, end)
{
    lotor_engine_check_counts counts;
    engine_must_create(&rig, ONE_ARM);
    assert_int_equal(engine_act(&rig, "one", LOTOR_ACT_DELETE), LOTOR_CODE_NONE);
    const unsigned char key[72] = "a key of before";
    assert_int_equal(lotor_store_put_key(rig.store, 1, key, sizeof key, NULL), LOTOR_OK);
    assert_int_equal(lotor_engine_check(rig.store, rig.server_key, rig.heads, &counts, &rig.why),
                     LOTOR_DAMAGED);
    assert_non_null(strstr(rig.why.text, "it was deleted"));
    assert_int_equal(lotor_store_begin(rig.store, NULL), LOTOR_OK);
    assert_int_equal(lotor_store_erase(rig.store, 1, NULL), LOTOR_OK);
    assert_int_equal(lotor_store_commit(rig.store, NULL), LOTOR_OK);
}
