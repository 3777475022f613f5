/* test_store_open.c - what is opened and what is refused: two servers, other files, newer versions,
 * damage, forged rows; and backups. */
#include "support/cmocka_all.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/scratch.h"
#include "service/store/store_sqlite.h"

static lotor_message why;
static scratch files;
static char path[512];

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
    if (lotor_store_open(path, mode, NULL, &why, &store) != LOTOR_OK) {
        fail_msg("%s", why.text);
    }
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

/* Two campaigns, blocks, answers and three releases. */
static void fill(lotor_store *store)
{
    uint64_t id;
    const unsigned char bytes[100] = "drawn";
    assert_int_equal(lotor_store_begin(store, &why), LOTOR_OK);
    assert_int_equal(lotor_store_add_campaign(store, "a", "{}", 1, &why, &id), LOTOR_OK);
    assert_int_equal(lotor_store_add_campaign(store, "b", "{}", 1, &why, &id), LOTOR_OK);
    for (uint64_t i = 0; i < 3; i++) {
        const lotor_block block = {.first = 10 * i + 1,
                                   .count = 10,
                                   .handed = UINT64_MAX,
                                   .drawn = bytes,
                                   .drawn_length = 100};
        const lotor_answers answers = {
            .number = i, .first = 10 * i + 1, .last = 10 * i + 5, .sealed = bytes, .length = 90};
        lotor_release release = {.campaign = 1, .time = i, .facts = bytes, .facts_length = 20};
        assert_int_equal(lotor_store_add_block(store, 1, &block, &why), LOTOR_OK);
        assert_int_equal(lotor_store_add_answers(store, 1, &answers, &why), LOTOR_OK);
        assert_int_equal(lotor_store_add_release(store, &release, &why), LOTOR_OK);
    }
    assert_int_equal(lotor_store_commit(store, &why), LOTOR_OK);
}

static void make_filled(void)
{
    lotor_store *store = open_as(LOTOR_STORE_SERVE);
    fill(store);
    lotor_store_close(store);
}

/* Some SQL, by another program. */
static void meddle(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    const int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    if (code != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
    sqlite3_close(db);
}

static void test_one_file_has_one_server(void **state)
{
    (void)state;
    lotor_store *store = open_as(LOTOR_STORE_SERVE);
    refuse_as(LOTOR_STORE_SERVE, LOTOR_DUPLICATE, "another server is running");
    char other[600];
    snprintf(other, sizeof other, "%s.link", path);
    assert_int_equal(symlink(path, other), 0);
    lotor_store *second;
    assert_int_equal(lotor_store_open(other, LOTOR_STORE_SERVE, NULL, &why, &second),
                     LOTOR_DUPLICATE);
    fill(store);
    lotor_store *reader = open_as(LOTOR_STORE_READ);
    assert_int_equal(lotor_store_check(reader, &why), LOTOR_OK);
    lotor_head head;
    assert_int_equal(lotor_store_head(reader, &why, &head), LOTOR_OK);
    assert_int_equal(head.releases, 3);
    assert_int_equal(lotor_store_begin(reader, &why), LOTOR_OK);
    assert_int_equal(lotor_store_put_meta(reader, "x", "y", &why), LOTOR_UNFINISHED);
    lotor_store_close(reader);
    lotor_store_close(store);
    lotor_store_close(open_as(LOTOR_STORE_SERVE));
}

static void test_a_killed_server_leaves_no_lock(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        lotor_store *store;
        if (lotor_store_open(path, LOTOR_STORE_SERVE, NULL, &why, &store) != LOTOR_OK) {
            _exit(1);
        }
        fill(store);
        _exit(0); /* as a crash: nothing is closed */
    }
    int code;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    lotor_store *reader = open_as(LOTOR_STORE_READ); /* with the log that was left */
    lotor_head head;
    assert_int_equal(lotor_store_head(reader, &why, &head), LOTOR_OK);
    assert_int_equal(head.releases, 3);
    lotor_store_close(reader);
    lotor_store *store = open_as(LOTOR_STORE_SERVE);
    assert_int_equal(lotor_store_check(store, &why), LOTOR_OK);
    lotor_store_close(store);
}

static void test_other_files_are_refused_and_left_alone(void **state)
{
    (void)state;
    refuse_as(LOTOR_STORE_READ, LOTOR_UNKNOWN, "can't be opened");
    assert_int_not_equal(access(path, F_OK), 0); /* reading makes none */
    static const char text[] = "This is a letter, and not a database. It is long enough to be one, "
                               "for SQLite looks at the first hundred bytes of a file.";
    scratch_write(path, text, sizeof text);
    refuse_as(LOTOR_STORE_READ, LOTOR_DAMAGED, "not a store");
    refuse_as(LOTOR_STORE_SERVE, LOTOR_DAMAGED, "not a store");
    size_t length;
    unsigned char *bytes = scratch_read(path, &length);
    assert_int_equal(length, sizeof text);
    assert_memory_equal(bytes, text, length);
    free(bytes);
    unlink(path);
    meddle("CREATE TABLE recipes (name)");
    unsigned char *before = scratch_read(path, &length);
    refuse_as(LOTOR_STORE_READ, LOTOR_DAMAGED, "another program");
    refuse_as(LOTOR_STORE_SERVE, LOTOR_DAMAGED, "another program");
    bytes = scratch_read(path, &length);
    assert_memory_equal(bytes, before, length);
    free(bytes);
    free(before);
    snprintf(path, sizeof path, "%s", files.folder);
    refuse_as(LOTOR_STORE_SERVE, LOTOR_UNFINISHED, "can't be");
    snprintf(path, sizeof path, "%s", scratch_path(&files, "no/such/x.db"));
    refuse_as(LOTOR_STORE_SERVE, LOTOR_UNFINISHED, "can't be made");
}

static void test_a_newer_version_is_refused(void **state)
{
    (void)state;
    make_filled();
    meddle("PRAGMA user_version = 2");
    refuse_as(LOTOR_STORE_READ, LOTOR_VERSION, "the newer program");
    refuse_as(LOTOR_STORE_SERVE, LOTOR_VERSION, "the newer program");
    meddle("PRAGMA user_version = 1");
    lotor_store_close(open_as(LOTOR_STORE_SERVE));
}

static void test_tables_that_were_changed_are_refused(void **state)
{
    (void)state;
    make_filled();
    meddle("CREATE TRIGGER evil AFTER INSERT ON answers BEGIN DELETE FROM releases; END");
    refuse_as(LOTOR_STORE_SERVE, LOTOR_DAMAGED, "not those of its version");
    meddle("DROP TRIGGER evil; DROP INDEX releases_by_campaign");
    refuse_as(LOTOR_STORE_READ, LOTOR_DAMAGED, "not those of its version");
    meddle("CREATE INDEX releases_by_campaign ON releases (campaign)");
    lotor_store_close(open_as(LOTOR_STORE_SERVE));
}

/* Steps of versions that never were: each is taken once, in order, and all of one or nothing. */
static void test_older_versions_are_brought_forward(void **state)
{
    (void)state;
    static const char *const steps[] = {
        "CREATE TABLE old (value)",
        "INSERT INTO old VALUES (7); ALTER TABLE old RENAME TO new",
        "ALTER TABLE new ADD COLUMN more DEFAULT 8; UPDATE new SET value = value + 1",
    };
    static const char *const broken[] = {
        "CREATE TABLE old (value)", "INSERT INTO old VALUES (7); ALTER TABLE nosuch RENAME TO new"};
    sqlite3 *db;
    int64_t value = 0;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(lotor_schema_migrate(db, steps, 1, false, &why), LOTOR_UNFINISHED);
    assert_int_equal(lotor_schema_migrate(db, steps, 1, true, &why), LOTOR_OK);
    assert_int_equal(lotor_schema_migrate(db, broken, 2, true, &why), LOTOR_DAMAGED);
    assert_int_equal(lotor_sqlite_number(db, "SELECT count(*) FROM old", &why, &value), LOTOR_OK);
    assert_int_equal(value, 0);
    assert_int_equal(lotor_sqlite_number(db, "PRAGMA user_version", &why, &value), LOTOR_OK);
    assert_int_equal(value, 1);
    assert_int_equal(lotor_schema_migrate(db, steps, 3, false, &why), LOTOR_UNFINISHED);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lotor_schema_migrate(db, steps, 3, true, &why), LOTOR_OK);
        assert_int_equal(lotor_sqlite_number(db, "SELECT value * 10 + more FROM new", &why, &value),
                         LOTOR_OK);
        assert_int_equal(value, 88);
    }
    assert_int_equal(lotor_schema_compare(db, steps, 3, &why), LOTOR_OK);
    assert_int_equal(lotor_schema_migrate(db, steps, 2, true, &why), LOTOR_VERSION);
    sqlite3_close(db);
}

/* What somebody with SQL could do to a store, and what check says to it. */
static void test_forged_rows_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *words;
    } forged[] = {
        {"UPDATE releases SET facts = x'00' WHERE number = 2", "the facts of release 2"},
        {"UPDATE releases SET time = 99 WHERE number = 2", "release 2 does not fit"},
        {"UPDATE releases SET campaign = 2 WHERE number = 3", "release 3 does not fit"},
        {"UPDATE releases SET hash = zeroblob(32) WHERE number = 1", "release 1 does not fit"},
        {"DELETE FROM releases WHERE number = 2", "release 2 is missing"},
        {"DELETE FROM releases WHERE number = 1", "release 1 is missing"},
        {"UPDATE blocks SET count = 11 WHERE first = 11", "decision 21 begins before"},
        {"UPDATE blocks SET count = 9223372036854775807 WHERE first = 21", "too long"},
        {"UPDATE answers SET last = 31 WHERE number = 0", "answers 0 are to decision 31"},
        {"PRAGMA foreign_keys = OFF; DELETE FROM campaigns WHERE id = 2", "table: \"states\""},
        {"DELETE FROM states WHERE campaign = 2", "has no state: \"b\""},
        {"PRAGMA ignore_check_constraints = ON; UPDATE blocks SET first = 'x' WHERE first = 1",
         "not what was written"},
        {"INSERT INTO meta VALUES ('starts', 'many')", "count of starts"},
    };
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        make_filled();
        meddle(forged[i].sql);
        lotor_store *store = open_as(LOTOR_STORE_READ);
        const lotor_status status = lotor_store_check(store, &why);
        if (status != LOTOR_DAMAGED || !strstr(why.text, forged[i].words)) {
            fail_msg("%s: %s: %s", forged[i].sql, lotor_status_name(status), why.text);
        }
        lotor_store_close(store);
        unlink(path);
    }
}

/* Any page of the file overwritten: refused, found by check, or nothing that anybody reads. */
static void test_damaged_pages_are_found(void **state)
{
    (void)state;
    make_filled();
    size_t length;
    int found = 0, opened = 0;
    unsigned char *bytes = scratch_read(path, &length);
    unsigned char *damaged = malloc(length);
    assert_non_null(damaged);
    for (size_t at = 0; at < length; at += 1024) {
        memcpy(damaged, bytes, length);
        memset(damaged + at, 0xa5, 700);
        scratch_write(path, damaged, length);
        lotor_store *store;
        lotor_status status = lotor_store_open(path, LOTOR_STORE_READ, NULL, &why, &store);
        if (status == LOTOR_OK) {
            opened++;
            status = lotor_store_check(store, &why);
        }
        assert_true(status == LOTOR_OK || status == LOTOR_DAMAGED);
        found += status == LOTOR_DAMAGED;
        lotor_store_close(store);
    }
    assert_true(opened > 0);
    assert_true(found > (int)(length / 4096) / 2); /* the rest lies in the empty middle of pages */
    for (size_t cut = 0; cut < length; cut += 4096) {
        scratch_write(path, bytes, cut);
        lotor_store *store;
        lotor_status status = lotor_store_open(path, LOTOR_STORE_READ, NULL, &why, &store);
        assert_int_equal(status, cut == 0 ? LOTOR_UNFINISHED : LOTOR_DAMAGED);
    }
    free(damaged);
    free(bytes);
}

static void test_a_backup_is_a_store(void **state)
{
    (void)state;
    char copy[600];
    snprintf(copy, sizeof copy, "%s.copy", path);
    lotor_store *store = open_as(LOTOR_STORE_SERVE);
    fill(store);
    lotor_store *reader = open_as(LOTOR_STORE_READ);
    assert_int_equal(lotor_store_backup(reader, copy, &why), LOTOR_OK);
    assert_int_equal(lotor_store_backup(reader, copy, &why), LOTOR_DUPLICATE);
    assert_non_null(strstr(why.text, "not overwritten"));
    lotor_head before, after;
    assert_int_equal(lotor_store_head(store, &why, &before), LOTOR_OK);
    lotor_release more = {.campaign = 2};
    assert_int_equal(lotor_store_begin(store, &why), LOTOR_OK);
    assert_int_equal(lotor_store_add_release(store, &more, &why), LOTOR_OK);
    assert_int_equal(lotor_store_commit(store, &why), LOTOR_OK);
    lotor_store *restored;
    assert_int_equal(lotor_store_open(copy, LOTOR_STORE_SERVE, NULL, &why, &restored), LOTOR_OK);
    assert_int_equal(lotor_store_check(restored, &why), LOTOR_OK);
    assert_int_equal(lotor_store_head(restored, &why, &after), LOTOR_OK);
    assert_memory_equal(&before, &after, sizeof before);
    bool has;
    assert_int_equal(lotor_store_head(store, &why, &after), LOTOR_OK);
    assert_int_equal(lotor_store_has_head(restored, &after, &why, &has), LOTOR_OK);
    assert_false(has); /* so a server with the newer head refuses it */
    assert_int_equal(lotor_store_has_head(store, &before, &why, &has), LOTOR_OK);
    assert_true(has);
    lotor_store_close(restored);
    lotor_store_close(reader);
    lotor_store_close(store);
    snprintf(copy, sizeof copy, "%s/no/such/copy", files.folder);
    reader = open_as(LOTOR_STORE_READ);
    assert_int_equal(lotor_store_backup(reader, copy, &why), LOTOR_UNFINISHED);
    lotor_store_close(reader);
}

/* Nothing of a deleted row stays in the file: SQLite overwrites it. */
static void test_deleted_rows_are_overwritten(void **state)
{
    (void)state;
    static const char canary[] = "these bytes must go when the round is final";
    lotor_store *store = open_as(LOTOR_STORE_SERVE);
    fill(store);
    const lotor_answers answers = {.number = 9,
                                   .first = 21,
                                   .last = 22,
                                   .sealed = (const unsigned char *)canary,
                                   .length = sizeof canary};
    assert_int_equal(lotor_store_begin(store, &why), LOTOR_OK);
    assert_int_equal(lotor_store_add_answers(store, 1, &answers, &why), LOTOR_OK);
    assert_int_equal(lotor_store_commit(store, &why), LOTOR_OK);
    for (int is_gone = 0; is_gone < 2; is_gone++) {
        lotor_store_close(store);
        size_t length;
        unsigned char *bytes = scratch_read(path, &length);
        assert_int_equal(memmem(bytes, length, canary, sizeof canary) == NULL, is_gone);
        free(bytes);
        store = open_as(LOTOR_STORE_SERVE);
        assert_int_equal(lotor_store_begin(store, &why), LOTOR_OK);
        assert_int_equal(lotor_store_forget(store, 1, 25, &why), LOTOR_OK);
        assert_int_equal(lotor_store_commit(store, &why), LOTOR_OK);
    }
    lotor_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_file_has_one_server, start, end),
        cmocka_unit_test_setup_teardown(test_a_killed_server_leaves_no_lock, start, end),
        cmocka_unit_test_setup_teardown(test_other_files_are_refused_and_left_alone, start, end),
        cmocka_unit_test_setup_teardown(test_a_newer_version_is_refused, start, end),
        cmocka_unit_test_setup_teardown(test_tables_that_were_changed_are_refused, start, end),
        cmocka_unit_test_setup_teardown(test_older_versions_are_brought_forward, start, end),
        cmocka_unit_test_setup_teardown(test_forged_rows_are_found, start, end),
        cmocka_unit_test_setup_teardown(test_damaged_pages_are_found, start, end),
        cmocka_unit_test_setup_teardown(test_a_backup_is_a_store, start, end),
        cmocka_unit_test_setup_teardown(test_deleted_rows_are_overwritten, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
