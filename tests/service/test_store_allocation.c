/* test_store_allocation.c - the k-th allocation fails, for every k: the store and the server key
 * report it, leak nothing and can be used again. SQLite's own allocations fail, too, through
 * SQLite's allocator interface. */
#include "support/test.h"

#include <sodium.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/scratch.h"
#include "service/server_key/server_key.h"
#include "service/store/heads.h"
#include "service/store/store.h"
#include "support/failing_memory.h"

static scratch files;
static char path[600], key[600], head[600], copy[600];

static int start(void **state)
{
    (void)state;
    scratch_start(&files);
    snprintf(path, sizeof path, "%s", scratch_path(&files, "x.db"));
    snprintf(key, sizeof key, "%s", scratch_path(&files, "key"));
    snprintf(head, sizeof head, "%s", scratch_path(&files, "key.head"));
    snprintf(copy, sizeof copy, "%s", scratch_path(&files, "copy"));
    return sodium_init() < 0;
}

static int end(void **state)
{
    (void)state;
    scratch_end(&files);
    return 0;
}

static lotor_status on_campaign(void *context, const lotor_campaign_row *row)
{
    (void)context;
    return row->id > 0 ? LOTOR_OK : LOTOR_DAMAGED;
}

static lotor_status on_lease(void *context, const lotor_lease *lease)
{
    *(lotor_lease *)context = *lease; /* the last one */
    return LOTOR_OK;
}

static lotor_status change(lotor_store *store, lotor_message *why)
{
    const unsigned char bytes[5000] = "bytes";
    char name[32];
    lotor_campaign_row row = {.name = name, .spec = "{}", .seal = bytes, .created = 1};
    const lotor_block_row block = {.first = 1, .count = 9, .drawn = bytes, .drawn_length = 100};
    const lotor_log_row entry = {.stream = 1, .first = 1, .last = 1, .bytes = bytes, .length = 99};
    lotor_release_row release = {.number = 1, .facts = bytes, .facts_length = 9};
    lotor_lease lease = {0};
    bool done = false;
    lotor_status status = lotor_store_next_campaign(store, why, &row.id);
    snprintf(name, sizeof name, "%d", (int)row.id);
    status = status ? status : lotor_store_add_campaign(store, &row, bytes, 72, why);
    status = status ? status : lotor_store_take(store, row.id, 7, 0, why, &lease, &done);
    release.campaign = row.id;
    release.time = lease.final = lease.sealed = 0;
    lotor_release_row_chain(&release, lease.head);
    lease.releases = 1;
    memcpy(lease.head, release.hash, sizeof lease.head);
    status = status ? status : lotor_store_put_lease(store, &lease, why, &done);
    status = status ? status : lotor_store_add_block(store, row.id, &block, why);
    status = status ? status : lotor_store_append(store, row.id, &entry, why);
    status = status ? status : lotor_store_put_state(store, row.id, 1, bytes, sizeof bytes, why);
    status = status ? status : lotor_store_add_release(store, &release, why);
    status = status ? status : lotor_store_each_campaign(store, 0, on_campaign, NULL, why);
    return status ? status : lotor_store_each_lease(store, on_lease, &lease, why);
}

static lotor_status use_store(lotor_store *store, lotor_message *why)
{
    lotor_status status = lotor_store_begin(store, why);
    status = status ? status : change(store, why);
    status = status ? status : lotor_store_commit(store, why);
    if (status != LOTOR_OK) {
        lotor_store_rollback(store);
    }
    return status;
}

static lotor_status use_heads(lotor_message *why)
{
    lotor_heads *heads = NULL;
    const lotor_head_record record = {.campaign = 1, .number = 1};
    bool lost;
    lotor_status status = lotor_heads_open(head, why, &heads, &lost);
    status = status ? status : lotor_heads_put(heads, &record, why);
    status = status ? status : lotor_heads_write(heads, why);
    lotor_heads_free(heads);
    return status;
}

static lotor_status use_all(lotor_message *why)
{
    lotor_store *store = NULL;
    lotor_server_key *server_key = NULL;
    unlink(copy);
    lotor_status status = lotor_server_key_open(key, true, why, &server_key);
    status = status ? status : lotor_store_open(path, LOTOR_STORE_SERVE, NULL, why, &store);
    status = status ? status : use_store(store, why);
    status = status ? status : lotor_store_check(store, why);
    status = status ? status : lotor_store_backup(store, copy, why);
    status = status ? status : use_heads(why);
    lotor_store_close(store);
    lotor_server_key_free(server_key);
    return status;
}

TEST_WITH(test_our_allocations_fail, start, end)
{
    size_t failed = 0;
    for (bool is_reached = true; is_reached; failed += is_reached) {
        const size_t live = failing_memory_live();
        lotor_message why = {""};
        failing_memory_start(failed + 1);
        const lotor_status status = use_all(&why);
        is_reached = failing_memory_stop() > failed;
        if (status != (is_reached ? LOTOR_MEMORY : LOTOR_OK)) {
            fail_msg("allocation %d: %s: %s", (int)failed + 1, lotor_status_name(status), why.text);
        }
        assert_int_equal(failing_memory_live(), live);
        unlink(key);
        unlink(head);
    }
    assert_true(failed >= 3); /* the store, the key file, the head file */
}

/* SQLite's allocator, with a failure at a given number. */
static sqlite3_mem_methods usual;
static atomic_long countdown;

static void *fail_malloc(int size)
{
    return atomic_fetch_sub(&countdown, 1) == 1 ? NULL : usual.xMalloc(size);
}

static void *fail_realloc(void *memory, int size)
{
    return atomic_fetch_sub(&countdown, 1) == 1 ? NULL : usual.xRealloc(memory, size);
}

TEST_WITH(test_sqlites_allocations_fail, start, end)
{
    lotor_message why = {""};
    lotor_store *store;
    assert_int_equal(use_all(&why), LOTOR_OK);
    long failed = 0;
    for (long fails = 1, passed = 0; passed < 3; fails += 1 + fails / 64) {
        countdown = fails;
        lotor_status status = lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &store);
        status = status ? status : use_store(store, &why);
        status = status ? status : lotor_store_check(store, &why);
        const bool reached = countdown <= 0;
        countdown = 0;
        if (status != LOTOR_OK && status != LOTOR_MEMORY && status != LOTOR_UNFINISHED) {
            fail_msg("allocation %ld: %s: %s", fails, lotor_status_name(status), why.text);
        }
        failed += status != LOTOR_OK;
        passed += !reached;
        lotor_store_close(store);
        if (fails % 7 == 0) {
            assert_int_equal(lotor_store_open(path, LOTOR_STORE_READ, NULL, &why, &store),
                             LOTOR_OK);
            assert_int_equal(lotor_store_check(store, &why), LOTOR_OK);
            lotor_store_close(store);
        }
    }
    assert_true(failed > 50);
}

static int replace_memory(void **state)
{
    (void)state;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual) != SQLITE_OK) {
        return 1;
    }
    sqlite3_mem_methods failing = usual;
    failing.xMalloc = fail_malloc;
    failing.xRealloc = fail_realloc;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) != SQLITE_OK;
}

TEST_GROUP(replace_memory, NULL);
