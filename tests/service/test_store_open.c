/* test_store_open.c - which stores are opened and which are refused (two servers, other files,
 * damage, forged rows), what the check finds, backups and copies. SQLite only. */
#include "support/test.h"

#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/fine.h"
#include "service/scratch.h"
#include "service/store/store.h"

static scratch files;
static char path[600];

static int start(void **state)
{
    (void)state;
    scratch_start(&files);
    snprintf(path, sizeof path, "%s", scratch_path(&files, "x.db"));
    return sodium_init() < 0;
}

static int end(void **state)
{
    (void)state;
    scratch_end(&files);
    return 0;
}

static lotor_store *open_as(lotor_store_mode mode)
{
    lotor_store *store;
    fine(lotor_store_open(path, mode, NULL, &why, &store));
    return store;
}

static void refuse_as(lotor_store_mode mode, lotor_status status, const char *words)
{
    lotor_store *store = (lotor_store *)(void *)path;
    const lotor_status said = lotor_store_open(path, mode, NULL, &why, &store);
    if (said != status || !strstr(why.text, words)) {
        fail_msg("%s: \"%s\", not %s: \"%s\"", lotor_status_name(said), why.text,
                 lotor_status_name(status), words);
    }
    assert_null(store);
}

/* Runs SQL on the store, without the checks of its tables. */
static void edit(const char *sql)
{
    sqlite3 *db;
    char *words = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_exec(db, "PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON", NULL,
                 NULL, NULL);
    if (sqlite3_exec(db, sql, NULL, NULL, &words) != SQLITE_OK) {
        fail_msg("%s: %s", sql, words);
    }
    sqlite3_close(db);
}

static const unsigned char bytes[100] = "bytes";

/* Campaigns a and b; a has decisions 1 to 50, of which 1 to 20 are final, and three releases. */
static void fill(lotor_store *store)
{
    lotor_lease lease;
    bool done;
    fine(lotor_store_begin(store, &why));
    for (int i = 0; i < 2; i++) {
        lotor_campaign_row row = {.name = i ? "b" : "a", .spec = "{}", .seal = bytes, .created = 1};
        fine(lotor_store_next_campaign(store, &why, &row.id));
        fine(lotor_store_add_campaign(store, &row, bytes, 72, &why));
    }
    fine(lotor_store_take(store, 1, 7, 0, &why, &lease, &done));
    for (uint64_t i = 2; i < 5; i++) {
        const lotor_block_row block = {.first = 10 * i + 1,
                                       .count = 10,
                                       .holder = 7,
                                       .deadline = 100 * i,
                                       .drawn = bytes,
                                       .drawn_length = 100};
        const lotor_log_row row = {.stream = 5,
                                   .seq = i,
                                   .first = 10 * i + 1,
                                   .last = 10 * i + 5,
                                   .bytes = bytes,
                                   .length = 90};
        lotor_release_row release = {.campaign = 1,
                                     .number = i - 1,
                                     .time = 4 * i,
                                     .facts = bytes,
                                     .facts_length = 20,
                                     .stamp = i == 2 ? NULL : bytes, /* an older program made one */
                                     .stamp_length = i == 2 ? 0 : 16};
        fine(lotor_store_add_block(store, 1, &block, &why));
        fine(lotor_store_append(store, 1, &row, &why));
        lotor_release_row_chain(&release, lease.head);
        memcpy(lease.head, release.hash, sizeof lease.head);
        fine(lotor_store_add_release(store, &release, &why));
    }
    const unsigned char user[16] = "user";
    fine(lotor_store_count_user(store, 1, user, 3, &why, &done));
    lease.releases = 3;
    lease.final = 20;
    lease.sealed = 30;
    fine(lotor_store_put_lease(store, &lease, &why, &done));
    assert_true(done);
    fine(lotor_store_put_state(store, 1, 1, bytes, 100, &why));
    fine(lotor_store_put_meta(store, "starts", "3", &why));
    const lotor_audit_row act = {
        .time = 5, .key = "me", .key_id = "", .campaign = "c", .act = "create", .change = "x"};
    fine(lotor_store_add_audit(store, &act, &why));
    fine(lotor_store_add_audit(store, &act, &why));
    fine(lotor_store_commit(store, &why));
}

static void make_filled(void)
{
    const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < 3; i++) {
        char name[620];
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
    lotor_store *store = open_as(LOTOR_STORE_SERVE);
    fill(store);
    fine(lotor_store_check(store, &why));
    fine(lotor_store_quick_check(store, &why));
    lotor_store_close(store);
}

TEST_WITH(test_one_server_and_several_readers, start, end)
{
    refuse_as(LOTOR_STORE_READ, LOTOR_UNKNOWN, "No such file");
    lotor_store *server = open_as(LOTOR_STORE_SERVE);
    assert_true(lotor_store_is_exclusive(server));
    refuse_as(LOTOR_STORE_SERVE, LOTOR_DUPLICATE, "another server is running");
    fill(server);
    lotor_store *reader = open_as(LOTOR_STORE_READ);
    fine(lotor_store_check(reader, &why));
    assert_int_equal(lotor_store_put_meta(reader, "x", "y", &why), LOTOR_UNFINISHED);
    lotor_store_close(reader);
    lotor_store_close(server);
    lotor_store_close(NULL);
    lotor_store_close(open_as(LOTOR_STORE_SERVE));
}

TEST_WITH(test_other_files, start, end)
{
    static const char text[] = "This is some text and no database, but it is long enough to be "
                               "taken for one if nobody looks at its first bytes.............";
    scratch_write(path, text, sizeof text);
    refuse_as(LOTOR_STORE_SERVE, LOTOR_DAMAGED, "not a store");
    unlink(path);
    edit("CREATE TABLE mine (x)");
    refuse_as(LOTOR_STORE_SERVE, LOTOR_DAMAGED, "another program");
    refuse_as(LOTOR_STORE_READ, LOTOR_DAMAGED, "another program");
    make_filled();
    edit("PRAGMA user_version = 6");
    refuse_as(LOTOR_STORE_SERVE, LOTOR_VERSION, "use the newer program");
    refuse_as(LOTOR_STORE_READ, LOTOR_VERSION, "use the newer program");
}

TEST_WITH(test_changed_tables, start, end)
{
    const char *const edits[] = {
        "CREATE TABLE more (x)",
        "CREATE INDEX more ON log (first)",
        "DROP INDEX log_by_last",
        "CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM log; END",
        "CREATE VIEW v AS SELECT * FROM log",
        "ALTER TABLE meta ADD more INTEGER",
        "UPDATE sqlite_master SET sql = replace(sql, '> 0', '>= 0') WHERE name = 'log'",
    };
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        make_filled();
        edit(edits[i]);
        refuse_as(LOTOR_STORE_SERVE, LOTOR_DAMAGED, "another program changed them");
        refuse_as(LOTOR_STORE_READ, LOTOR_DAMAGED, "another program changed them");
    }
}

/* Rules about several rows. SQLite's own check finds a violated rule of one column: see below. */
TEST_WITH(test_what_the_check_finds, start, end)
{
    static const struct {
        const char *sql, *words;
    } edits[] = {
        {"UPDATE releases SET facts = x'00' WHERE number = 2", "the facts of release 2"},
        {"UPDATE releases SET digest = hash, facts = NULL WHERE number = 2",
         "release 2 does not fit the chain"},
        {"UPDATE releases SET hash = digest WHERE number = 1", "release 1 does not fit"},
        {"UPDATE releases SET time = 9 WHERE number = 1", "release 1 does not fit"},
        {"UPDATE releases SET stamp = NULL WHERE number = 2", "release 2 does not fit"},
        {"UPDATE releases SET stamp = x'0102030405060708' WHERE number = 1",
         "release 1 does not fit"},
        {"DELETE FROM releases WHERE number = 2", "release 2 is missing"},
        {"UPDATE audit SET change = 'y' WHERE number = 1", "line 1 of the audit log is missing"},
        {"DELETE FROM audit WHERE number = 1", "line 1 of the audit log is missing"},
        {"DELETE FROM audit WHERE number = 2", "the audit log ends with line 1"},
        {"UPDATE meta SET value = '1' WHERE key = 'audit'", "the audit log ends with line 2"},
        {"DELETE FROM releases WHERE number = 3", "its lease has 3 releases"},
        {"DELETE FROM releases", "its lease has 3 releases"},
        {"UPDATE leases SET releases = 2 WHERE campaign = 1", "its lease has 2 releases"},
        {"UPDATE leases SET head = zeroblob(32) WHERE campaign = 1",
         "or ends with another release"},
        /* A partial rollback: leases, blocks and log as they were, releases as they are. */
        {"UPDATE leases SET final = 10, sealed = 10 WHERE campaign = 1",
         "a part of the store is older"},
        {"UPDATE leases SET final = 30 WHERE campaign = 1", "a block begins at decision 21"},
        {"UPDATE leases SET sealed = 60 WHERE campaign = 1", "sealed up to decision 60"},
        {"DELETE FROM blocks WHERE first = 31", "a block begins at decision 41"},
        {"DELETE FROM blocks WHERE first = 21", "a block begins at decision 31"},
        {"UPDATE blocks SET count = 11 WHERE first = 31", "a block begins at decision 41"},
        {"UPDATE blocks SET count = 9 WHERE first = 31", "a block begins at decision 41"},
        {"UPDATE blocks SET deadline = 1 WHERE first = 31",
         "has an earlier deadline than the block before it"},
        {"UPDATE log SET last = 51 WHERE seq = 4", "is about decision 51"},
        {"UPDATE log SET campaign = 2 WHERE seq = 4", "is about decision 45"},
        {"UPDATE log SET campaign = 3 WHERE seq = 4", "table log has rows of a campaign"},
        {"UPDATE blocks SET campaign = 3 WHERE first = 41", "table blocks has rows"},
        {"UPDATE states SET campaign = 3", "table states has rows"},
        {"UPDATE users SET campaign = 3", "table users has rows"},
        {"UPDATE campaign_keys SET campaign = 3 WHERE campaign = 2", "table campaign_keys has"},
        {"DELETE FROM leases WHERE campaign = 2", "has no row in table leases"},
        {"DELETE FROM campaigns WHERE id = 2", "has rows of a campaign that does not exist"},
        {"UPDATE meta SET value = '1' WHERE key = 'campaigns'", "the last campaign id"},
        {"UPDATE meta SET value = 'x' WHERE key = 'campaigns'", "the last campaign id"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        make_filled();
        edit(edits[i].sql);
        lotor_store *store = open_as(LOTOR_STORE_READ);
        const lotor_status status = lotor_store_check(store, &why);
        if (status != LOTOR_DAMAGED || !strstr(why.text, edits[i].words)) {
            fail_msg("%s: %s: %s", edits[i].sql, lotor_status_name(status), why.text);
        }
        lotor_store_close(store);
    }
}

static lotor_status on_campaign(void *context, const lotor_campaign_row *row)
{
    (void)context;
    assert_true(row->id > 0 && row->name && row->spec && row->seal);
    return LOTOR_OK;
}
static lotor_status on_lease(void *context, const lotor_lease *lease)
{
    (void)context;
    assert_true(lease->final <= lease->sealed);
    return LOTOR_OK;
}
static lotor_status on_block(void *context, const lotor_block_row *row)
{
    (void)context;
    assert_true(row->first > 0 && row->count > 0 && row->drawn);
    return LOTOR_OK;
}
static lotor_status on_log(void *context, const lotor_log_row *row)
{
    (void)context;
    assert_true(row->first > 0 && row->last >= row->first && row->bytes);
    return LOTOR_OK;
}
static lotor_status on_release(void *context, const lotor_release_row *release)
{
    (void)context;
    assert_true(release->number > 0);
    return LOTOR_OK;
}
static lotor_status on_bytes(void *context, const unsigned char *from, size_t length)
{
    (void)context;
    (void)length;
    assert_non_null(from);
    return LOTOR_OK;
}

static lotor_status read_all(lotor_store *store)
{
    uint64_t epoch;
    char value[100];
    lotor_status status = lotor_store_each_campaign(store, 0, on_campaign, NULL, &why);
    status = status ? status : lotor_store_each_lease(store, on_lease, NULL, &why);
    status = status ? status : lotor_store_each_block(store, 1, 0, 0, on_block, NULL, &why);
    status = status ? status : lotor_store_each_log(store, 1, 5, 0, on_log, NULL, &why);
    status = status ? status : lotor_store_each_release(store, 1, 0, on_release, NULL, &why);
    status = status ? status : lotor_store_get_state(store, 1, on_bytes, NULL, &why, &epoch);
    status = status ? status : lotor_store_get_key(store, 2, on_bytes, NULL, &why);
    return status ? status : lotor_store_get_meta(store, "starts", &why, value, sizeof value);
}

/* Every column is checked when it is read, and the message names it. */
TEST_WITH(test_forged_rows, start, end)
{
    static const struct {
        const char *table, *column, *values[5];
    } forged[] = {
        {"campaigns", "name", {"x'00'", "CAST(x'610062' AS TEXT)"}},
        {"campaigns", "spec", {"x'00'"}},
        {"campaigns", "seal", {"x'00'", "'text'", "zeroblob(33)"}},
        {"campaigns", "specs", {"-1", "'x'", "1.5"}},
        {"campaigns", "created", {"'x'", "9e999"}},
        {"campaigns", "closed", {"2", "-1"}},
        {"leases", "owner", {"-1", "'x'", "x'01'"}},
        {"leases", "epoch", {"-1"}},
        {"leases", "sealed", {"-1"}},
        {"leases", "final", {"-1", "100"}},
        {"leases", "due", {"-1"}},
        {"leases", "releases", {"-5"}},
        {"leases", "head", {"x''", "'text'"}},
        {"leases", "broken", {"7"}},
        {"blocks", "count", {"0", "-1", "9223372036854775807", "'x'"}},
        {"blocks", "holder", {"-1"}},
        {"blocks", "want", {"-1"}},
        {"blocks", "until", {"-1"}},
        {"blocks", "deadline", {"-1", "1.5"}},
        {"blocks", "nonce", {"'x'", "1.5"}},
        {"blocks", "drawn", {"'x'", "12"}},
        {"blocks", "action", {"'x'", "12"}},
        {"log", "kind", {"3", "-1"}},
        {"log", "first", {"0", "-1", "1000"}},
        {"log", "last", {"0", "-1"}},
        {"log", "sealed", {"'x'", "12"}},
        {"releases", "time", {"-1", "'x'"}},
        {"releases", "facts", {"'x'", "12"}},
        {"releases", "digest", {"x'00'", "'x'"}},
        {"releases", "hash", {"x'00'", "'x'"}},
        {"releases", "stamp", {"'x'", "12"}},
        {"states", "epoch", {"-1"}},
        {"states", "state", {"'x'"}},
        {"campaign_keys", "wrapped", {"'x'"}},
        {"meta", "value", {"x'00'"}},
    };
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        for (size_t j = 0; j < 5 && forged[i].values[j]; j++) {
            char sql[300];
            make_filled();
            snprintf(sql, sizeof sql,
                     "UPDATE %s SET %s = %s WHERE rowid = (SELECT max(rowid) FROM %s)",
                     forged[i].table, forged[i].column, forged[i].values[j], forged[i].table);
            if (strcmp(forged[i].table, "meta") == 0) { /* it has no rowid */
                snprintf(sql, sizeof sql, "UPDATE meta SET value = %s WHERE key = 'starts'",
                         forged[i].values[j]);
            } else if (strcmp(forged[i].table, "leases") == 0) {
                snprintf(sql, sizeof sql, "UPDATE leases SET %s = %s WHERE campaign = 1",
                         forged[i].column, forged[i].values[j]);
            }
            edit(sql);
            lotor_store *store = open_as(LOTOR_STORE_SERVE);
            const lotor_status status = read_all(store);
            /* Damaged rows of campaigns and leases are passed on, so that the others can be
             * read. The check finds them. It names the column itself, or one that is compared
             * with it. */
            const bool is_told =
                strcmp(forged[i].table, "campaigns") == 0 || strcmp(forged[i].table, "leases") == 0;
            const lotor_message said = why;
            const lotor_status checked = lotor_store_check(store, &why);
            const char *const text = is_told ? why.text : said.text;
            if ((is_told ? checked : status) != LOTOR_DAMAGED || !strstr(text, forged[i].table) ||
                (!is_told && !strstr(text, forged[i].column) && !strstr(text, "column final") &&
                 !strstr(text, "column last"))) {
                fail_msg("%s: %s: %s", sql, lotor_status_name(status), text);
            }
            assert_int_equal(checked, LOTOR_DAMAGED);
            lotor_store_close(store);
        }
    }
}

/* A changed byte anywhere is refused or harmless, and never causes a crash. */
TEST_WITH(test_damaged_pages, start, end)
{
    make_filled();
    edit("PRAGMA wal_checkpoint(TRUNCATE)");
    size_t length, found = 0;
    unsigned char *const whole = scratch_read(path, &length);
    for (int i = 0; i < 400; i++) {
        const size_t at = randombytes_uniform((uint32_t)length);
        const unsigned char before = whole[at];
        whole[at] = (unsigned char)(before + 1 + randombytes_uniform(255));
        scratch_write(path, whole, length);
        whole[at] = before;
        lotor_store *store;
        lotor_status status = lotor_store_open(path, LOTOR_STORE_READ, NULL, &why, &store);
        status = status ? status : lotor_store_quick_check(store, &why);
        status = status ? status : lotor_store_check(store, &why);
        status = status ? status : read_all(store);
        found += status != LOTOR_OK;
        lotor_store_close(store);
    }
    assert_true(found > 10);
    free(whole);
}

TEST_WITH(test_a_backup_is_whole, start, end)
{
    char copy[620];
    lotor_store *server = open_as(LOTOR_STORE_SERVE), *store;
    fill(server);
    snprintf(copy, sizeof copy, "%s.copy", path);
    lotor_store *reader = open_as(LOTOR_STORE_READ);
    fine(lotor_store_backup(reader, copy, &why));
    assert_int_equal(lotor_store_backup(reader, copy, &why), LOTOR_DUPLICATE);
    lotor_store_close(reader);
    fine(lotor_store_open(copy, LOTOR_STORE_READ, NULL, &why, &store));
    fine(lotor_store_check(store, &why));
    fine(read_all(store));
    lotor_store_close(store);
    lotor_store_close(server);
}
