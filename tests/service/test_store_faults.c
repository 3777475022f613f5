/* test_store_faults.c - a disk that fails, fills up or loses power at any moment. Afterwards
 * the store has everything that was committed, and nothing that was not. The commit in between is there
 * completely or not at all.
 *
 * A script of commits runs once on a good disk, and a digest of the whole store is kept after each.
 * Then it runs again for every operation on the disk, with that operation failing.
 */
#include "support/stride.h"
#include "support/test.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/fault_vfs.h"
#include "service/store/driver.h"

enum { TURNS = 7, REOPENED = 5 };

static lotor_message why;

typedef struct run {
    fault_vfs *disk;
    lotor_store *store;
    int done; /* commits that were acknowledged */
} run;

static lotor_status sql(lotor_store *store, const char *text)
{
    return store->driver->script(store, text, &why);
}

static lotor_status open_store(run *at_work)
{
    const lotor_status status = lotor_store_open(
        "x.db", LOTOR_STORE_SERVE, fault_vfs_name(at_work->disk), &why, &at_work->store);
    if (status == LOTOR_OK) {
        return sql(at_work->store, "PRAGMA wal_autocheckpoint = 14");
    }
    return status;
}

static void close_store(run *at_work)
{
    lotor_store_close(at_work->store);
    at_work->store = NULL;
}

/* About what an owner does in one cycle, with a front end's append. */
static lotor_status change(lotor_store *store, int turn)
{
    unsigned char bytes[6000], user[16] = {(unsigned char)(turn % 3)};
    char text[16];
    bool done;
    const uint64_t first = (uint64_t)(10 * turn + 1), campaign = turn < 4 ? 1 : 2;
    const uint64_t before = first - 1, start = turn < 4 ? 0 : 40; /* the range of its decisions */
    const size_t length = 1000 + 700 * (size_t)(turn % 7);
    memset(bytes, 'a' + turn, sizeof bytes);
    snprintf(text, sizeof text, "%d", turn);
    const lotor_block_row block = {.first = first - start,
                                   .count = 10,
                                   .holder = 7,
                                   .deadline = first,
                                   .nonce = ~first,
                                   .drawn = bytes,
                                   .drawn_length = length / 4};
    const lotor_log_row row = {.stream = 5,
                               .seq = first,
                               .first = block.first,
                               .last = block.first + 5,
                               .bytes = bytes,
                               .length = length / 3};
    const lotor_campaign_row fresh = {.id = turn == 0 ? 1 : 2,
                                      .name = turn == 0 ? "a" : "b",
                                      .spec = "{}",
                                      .seal = bytes,
                                      .created = 1};
    lotor_lease lease = {.campaign = campaign, .owner = 7};
    lotor_release_row release = {.campaign = campaign, .facts = bytes, .facts_length = 40};
    lotor_release_row last;
    uint64_t id;
    lotor_status status = LOTOR_OK;
#define then(call) status = status == LOTOR_OK ? (call) : status
    if (turn == 0 || turn == 4) {
        then(lotor_store_next_campaign(store, &why, &id));
        then(lotor_store_add_campaign(store, &fresh, bytes, 72, &why));
        then(lotor_store_take(store, campaign, 7, 0, &why, &lease, &done));
    }
    lease.epoch = 1 + (uint64_t)(turn % 4); /* taken once, then written by each cycle */
    lease.sealed = lease.final = before - start;
    then(lotor_store_last_release(store, campaign, &why, &last));
    memcpy(lease.head, last.hash, sizeof lease.head);
    lease.releases = last.number;
    if (turn % 2 && status == LOTOR_OK) {
        release.number = last.number + 1;
        release.time = lease.final;
        lotor_release_row_chain(&release, last.hash);
        memcpy(lease.head, release.hash, sizeof lease.head);
        lease.releases++;
    }
    then(lotor_store_put_lease(store, &lease, &why, &done));
    then(done ? LOTOR_OK : LOTOR_RANGE);
    then(lotor_store_add_block(store, campaign, &block, &why));
    then(lotor_store_append(store, campaign, &row, &why));
    then(lotor_store_count_user(store, campaign, user, 3, &why, &done));
    then(turn % 2 ? lotor_store_add_release(store, &release, &why) : LOTOR_OK);
    then(lotor_store_forget(store, campaign, lease.final, &why));
    then(lotor_store_forget_log(store, campaign, 5, first, lease.final, &why));
    then(lotor_store_put_state(store, campaign, 1, bytes, length, &why));
    then(lotor_store_put_meta(store, "turn", text, &why));
#undef then
    return status;
}

static lotor_status take_turn(run *at_work, int turn)
{
    lotor_status status = lotor_store_begin(at_work->store, &why);
    if (status != LOTOR_OK) {
        return status;
    }
    status = change(at_work->store, turn);
    if (status == LOTOR_OK) {
        return lotor_store_commit(at_work->store, &why);
    }
    lotor_store_rollback(at_work->store);
    return status;
}

/* How many cycles are in the store. */
static int turns_of(lotor_store *store)
{
    char turn[16];
    assert_int_equal(lotor_store_get_meta(store, "turn", &why, turn, sizeof turn), LOTOR_OK);
    return turn[0] ? atoi(turn) + 1 : 0;
}

/* Runs the script from cycle at_work->done on, to its end or the first failure. Halfway the store
 * is closed and opened again, which empties its log. */
static lotor_status play(run *at_work)
{
    lotor_status status = at_work->store ? LOTOR_OK : open_store(at_work);
    while (status == LOTOR_OK && at_work->done < TURNS) {
        if (at_work->done == REOPENED) {
            close_store(at_work);
            status = open_store(at_work);
            /* A refused commit may have been applied after all: then the cycle counts. */
            at_work->done = status == LOTOR_OK ? turns_of(at_work->store) : REOPENED;
        }
        if (status == LOTOR_OK) {
            status = take_turn(at_work, at_work->done);
            at_work->done += status == LOTOR_OK;
        }
    }
    return status;
}

/* One hash of everything in the store. */
typedef struct digest {
    crypto_generichash_state hash;
    lotor_store *store;
    uint64_t campaigns;
} digest;

static void eat(digest *all, const void *bytes, size_t length)
{
    crypto_generichash_update(&all->hash, (const unsigned char *)&length, sizeof length);
    crypto_generichash_update(&all->hash, bytes, length);
}

static lotor_status eat_block(void *context, const lotor_block_row *row)
{
    const uint64_t numbers[] = {row->first, row->count, row->holder, row->deadline, row->nonce};
    eat(context, numbers, sizeof numbers);
    eat(context, row->drawn, row->drawn_length);
    return LOTOR_OK;
}

static lotor_status eat_log(void *context, const lotor_log_row *row)
{
    const uint64_t numbers[] = {row->stream, row->seq, row->first, row->last};
    eat(context, numbers, sizeof numbers);
    eat(context, row->bytes, row->length);
    return LOTOR_OK;
}

static lotor_status eat_release(void *context, const lotor_release_row *release)
{
    eat(context, release->hash, sizeof release->hash);
    return LOTOR_OK;
}

static lotor_status eat_bytes(void *context, const unsigned char *bytes, size_t length)
{
    eat(context, bytes, length);
    return LOTOR_OK;
}

static lotor_status eat_campaign(void *context, const lotor_campaign_row *row)
{
    digest *all = context;
    eat(all, row->name, strlen(row->name));
    all->campaigns = row->id;
    return LOTOR_OK;
}

static lotor_status eat_lease(void *context, const lotor_lease *lease)
{
    const uint64_t numbers[] = {lease->campaign, lease->owner, lease->epoch,
                                lease->sealed,   lease->final, lease->releases};
    eat(context, numbers, sizeof numbers);
    return LOTOR_OK;
}

/* The number of cycles in the store, and its digest. */
static int take_digest(lotor_store *store, unsigned char out[32])
{
    digest all = {.store = store};
    uint64_t epoch;
    crypto_generichash_init(&all.hash, NULL, 0, 32);
    assert_int_equal(lotor_store_each_campaign(store, 0, eat_campaign, &all, &why), LOTOR_OK);
    assert_int_equal(lotor_store_each_lease(store, eat_lease, &all, &why), LOTOR_OK);
    for (uint64_t i = 1; i <= all.campaigns; i++) {
        assert_int_equal(lotor_store_get_state(store, i, eat_bytes, &all, &why, &epoch), LOTOR_OK);
        assert_int_equal(lotor_store_get_key(store, i, eat_bytes, &all, &why), LOTOR_OK);
        assert_int_equal(lotor_store_each_block(store, i, 0, 0, eat_block, &all, &why), LOTOR_OK);
        assert_int_equal(lotor_store_each_log(store, i, 5, 0, eat_log, &all, &why), LOTOR_OK);
        assert_int_equal(lotor_store_each_release(store, i, 0, eat_release, &all, &why), LOTOR_OK);
    }
    lotor_status status =
        lotor_sql_select(store, &why, "SELECT coalesce(sum(shown), 0) FROM lotor_users", NULL, 0);
    while (lotor_next(store, &why, &status)) {
        lotor_row_reader at = {store, "users", &why, LOTOR_OK};
        const uint64_t users = lotor_row_number(&at, 0);
        eat(&all, &users, sizeof users);
    }
    assert_int_equal(status, LOTOR_OK);
    crypto_generichash_final(&all.hash, out, 32);
    return turns_of(store);
}

static unsigned char right[TURNS + 1][32];

static int learn_what_is_right(void **state)
{
    (void)state;
    assert_true(sodium_init() >= 0);
    run script = {.disk = fault_vfs_new()};
    assert_int_equal(open_store(&script), LOTOR_OK);
    assert_int_equal(take_digest(script.store, right[0]), 0);
    for (int turn = 0; turn < TURNS; turn++) {
        assert_int_equal(take_turn(&script, turn), LOTOR_OK);
        assert_int_equal(take_digest(script.store, right[turn + 1]), turn + 1);
        assert_memory_not_equal(right[turn], right[turn + 1], 32);
    }
    close_store(&script);
    fault_vfs_free(script.disk);
    return 0;
}

/* Checks that the store is as it was after one of the cycles from `least` to `most`; returns which
 * one. */
static int assert_is_right(run *at_work, int least, int most)
{
    unsigned char found[32];
    const int turns = take_digest(at_work->store, found);
    assert_in_range(turns, least, most);
    assert_memory_equal(found, right[turns], 32);
    const lotor_status status = lotor_store_check(at_work->store, &why);
    if (status != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
    return turns;
}

/* False: the script has fewer operations. */
static bool lose_power_at(uint64_t at, fault_left left, uint64_t seed)
{
    run script = {.disk = fault_vfs_new()};
    fault_vfs_arm(script.disk, FAULT_POWER, at);
    const lotor_status status = play(&script);
    close_store(&script);
    const bool fired = fault_vfs_fired(script.disk);
    assert_true(fired || status == LOTOR_OK);
    fault_vfs_restart(script.disk, left, seed);
    if (open_store(&script) != LOTOR_OK) {
        fail_msg("power lost at %llu: %s", (unsigned long long)at, why.text);
    }
    const int most = script.done < TURNS ? script.done + 1 : TURNS;
    script.done = assert_is_right(&script, script.done, most);
    if (left == FAULT_LOSE_ALL) { /* and the script continues */
        assert_int_equal(play(&script), LOTOR_OK);
        assert_is_right(&script, TURNS, TURNS);
    }
    close_store(&script);
    fault_vfs_free(script.disk);
    return fired;
}

TEST(test_power_lost_at_every_operation)
{
    uint64_t at = 1;
    for (bool fired = true; fired; at += test_stride(3)) {
        fired = lose_power_at(at, FAULT_KEEP_ALL, 0);
        lose_power_at(at, FAULT_LOSE_ALL, 0);
        lose_power_at(at, FAULT_KEEP_SOME, at);
    }
    assert_in_range(at, 150, 2000); /* else the script is not what this test expects */
}

/* A sync fails, and then the power is lost. The disk may have lost what the sync was for, or may
 * have kept it although the commit was refused. */
TEST(test_power_lost_after_an_error)
{
    bool fired = true;
    for (uint64_t at = 1; fired; at += test_stride(3)) {
        run script = {.disk = fault_vfs_new()};
        fault_vfs_arm(script.disk, FAULT_ERROR, at);
        for (int tries = 0; tries < 2 && play(&script) != LOTOR_OK; tries++) {
        }
        fired = fault_vfs_fired(script.disk);
        const int done = script.done;
        fault_vfs_arm(script.disk, FAULT_POWER, 1);
        close_store(&script);
        fault_vfs_restart(script.disk, (fault_left)(at % 3), at);
        assert_int_equal(open_store(&script), LOTOR_OK);
        assert_is_right(&script, done, done < TURNS ? done + 1 : TURNS);
        close_store(&script);
        fault_vfs_free(script.disk);
    }
}

/* The k-th operation fails and the next ones don't: the refused cycle is tried again. */
TEST(test_one_error_is_survived)
{
    bool fired = true;
    int refused = 0;
    for (uint64_t at = 1; fired; at += test_stride(3)) {
        run script = {.disk = fault_vfs_new()};
        fault_vfs_arm(script.disk, FAULT_ERROR, at);
        for (int tries = 0; play(&script) != LOTOR_OK; tries++) {
            assert_in_range(tries, 0, 1);
            refused++;
            if (script.store) {
                assert_is_right(&script, script.done, script.done);
            }
        }
        fired = fault_vfs_fired(script.disk);
        assert_is_right(&script, TURNS, TURNS);
        close_store(&script);
        fault_vfs_free(script.disk);
    }
    assert_in_range(refused, 50 / test_stride(3), 2000);
}

/* The disk stays broken for a while. Every attempt is refused with this message, and nothing
 * changes. When the disk works again, the script continues. */
static void survive(fault_kind kind, uint64_t at, const char *words, bool *fired)
{
    run script = {.disk = fault_vfs_new()};
    fault_vfs_arm(script.disk, kind, at);
    for (int tries = 0; tries < 3; tries++) {
        const lotor_status status = play(&script);
        if (status != LOTOR_OK) {
            if (status != LOTOR_UNFINISHED) {
                fail_msg("at %llu: %s", (unsigned long long)at, why.text);
            }
            if (script.store && script.done != REOPENED && !strstr(why.text, words)) {
                fail_msg("at %llu: \"%s\" lacks \"%s\"", (unsigned long long)at, why.text, words);
            }
        }
        if (script.store) {
            assert_is_right(&script, script.done, script.done);
        }
    }
    *fired = fault_vfs_fired(script.disk);
    fault_vfs_arm(script.disk, FAULT_NONE, 0);
    if (play(&script) != LOTOR_OK) {
        fail_msg("at %llu: %s", (unsigned long long)at, why.text);
    }
    assert_is_right(&script, TURNS, TURNS);
    close_store(&script);
    fault_vfs_free(script.disk);
}

TEST(test_a_full_disk)
{
    bool fired = true;
    for (uint64_t at = 1; fired; at += test_stride(7)) {
        survive(FAULT_FULL, at, "the disk is full", &fired);
    }
}

TEST(test_a_disk_that_takes_nothing)
{
    bool fired = true;
    for (uint64_t at = 1; fired; at += test_stride(7)) {
        survive(FAULT_DEAD, at, "the disk reports an error", &fired);
    }
}

TEST(test_a_read_only_disk)
{
    run script = {.disk = fault_vfs_new()};
    fault_vfs_read_only(script.disk, true);
    assert_int_equal(open_store(&script), LOTOR_UNFINISHED); /* there is nothing to read, either */
    fault_vfs_read_only(script.disk, false);
    assert_int_equal(play(&script), LOTOR_OK);
    close_store(&script);
    fault_vfs_read_only(script.disk, true);
    assert_int_equal(open_store(&script), LOTOR_UNFINISHED);
    if (!strstr(why.text, "read-only")) {
        fail_msg("%s", why.text);
    }
    fault_vfs_read_only(script.disk, false);
    assert_int_equal(open_store(&script), LOTOR_OK);
    assert_is_right(&script, TURNS, TURNS);
    close_store(&script);
    fault_vfs_free(script.disk);
}

/* Without the syncs that SQLite requests, the same disk loses commits: so the test can notice a
 * lost commit. */
TEST(test_the_disk_is_not_too_kind)
{
    run script = {.disk = fault_vfs_new()};
    unsigned char found[32];
    assert_int_equal(open_store(&script), LOTOR_OK);
    assert_int_equal(sql(script.store, "PRAGMA synchronous = NORMAL"), LOTOR_OK);
    assert_int_equal(sql(script.store, "PRAGMA wal_autocheckpoint = 0"), LOTOR_OK);
    assert_int_equal(take_turn(&script, 0), LOTOR_OK);
    fault_vfs_arm(script.disk, FAULT_POWER, 1);
    close_store(&script);
    fault_vfs_restart(script.disk, FAULT_LOSE_ALL, 0);
    assert_int_equal(open_store(&script), LOTOR_OK);
    assert_int_equal(take_digest(script.store, found), 0);
    close_store(&script);
    fault_vfs_free(script.disk);
}

TEST_GROUP(learn_what_is_right, NULL);
