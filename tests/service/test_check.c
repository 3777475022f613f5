/* test_check.c - a store that was changed: `lotor check` finds it, and a server serves the other
 * campaigns.
 *
 * An engine makes one store, with releases, open decisions, contexts and feedback that is not
 * entered yet. An older copy of it is kept. Each case changes a fresh copy by SQL.
 */
#include "support/test.h"

#include <inttypes.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/engine/check.h"
#include "service/engine_rig.h"
#include "service/fine.h"

enum { WAIT_MS = 1251, ROUNDS = 40, PATH = 600 };

static engine_rig rig;
static char made[PATH], older[PATH], changed[PATH], key_path[PATH], head_path[PATH];

/* --- the store ----------------------------------------------------------------------------------- */

static void copy_file(const char *from, const char *to)
{
    size_t length;
    char path[PATH + 8];
    unsigned char *bytes = scratch_read(from, &length);
    scratch_write(to, bytes, length);
    free(bytes);
    snprintf(path, sizeof path, "%s-wal", to);
    unlink(path);
    snprintf(path, sizeof path, "%s-shm", to);
    unlink(path);
}

static void show_and_answer(const char *name, const char *context, bool answers)
{
    lotor_ranking ranking = {.user = NULL};
    assert_int_equal(engine_rank_with(&rig, name, NULL, context, NULL, &ranking), LOTOR_CODE_NONE);
    if (answers) {
        engine_must_reward(&rig, ranking.event, "{'rewards': [1]}");
    }
    lotor_ranking_clear(&ranking);
}

#define CONTEXT "{'a': [1, 0], 'b': [0, 1]}"

static void live(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        show_and_answer("one", NULL, i % 2 == 0);
        show_and_answer("two", NULL, true);
    }
    show_and_answer("linear", CONTEXT, true);
}

static int make_store(void **state)
{
    (void)state;
    engine_start(&rig);
    rig.is_on_files = true;
    snprintf(made, sizeof made, "%s", scratch_path(&rig.files, "x.db"));
    snprintf(older, sizeof older, "%s", scratch_path(&rig.files, "older.db"));
    snprintf(changed, sizeof changed, "%s", scratch_path(&rig.files, "changed.db"));
    snprintf(key_path, sizeof key_path, "%s", scratch_path(&rig.files, "x.key"));
    snprintf(head_path, sizeof head_path, "%s", scratch_path(&rig.files, "x.key.head"));
    engine_open(&rig);
    engine_must_create(&rig, ONE_ARM);
    engine_must_create(&rig, "{'name': 'two', 'algorithm': 'batch-klucb', 'arms': ['a', 'b'], "
                             "'epsilon': 1, 'wait_seconds': 1}");
    engine_must_create(&rig, "{'name': 'linear', 'algorithm': 'jdp-batch', 'arms': ['a', 'b'], "
                             "'epsilon': 1, 'dimension': 2, 'horizon': 1000, 'wait_seconds': 1}");
    live(ROUNDS);
    engine_wait(&rig, WAIT_MS);
    live(2);
    fine(lotor_store_backup(rig.store, older, &why));
    live(ROUNDS);
    engine_wait(&rig, WAIT_MS);
    live(4);
    /* Another start reads the log and notes that in its state. More feedback follows. */
    engine_stop(&rig);
    engine_open(&rig);
    rig.now += 2;
    live(4);
    live(1);
    char copy[PATH + 8];
    snprintf(copy, sizeof copy, "%s.copy", made);
    fine(lotor_store_backup(rig.store, copy, &why));
    engine_drop(&rig);
    copy_file(copy, made);
    return 0;
}

static int remove_store(void **state)
{
    (void)state;
    engine_end(&rig);
    return 0;
}

/* --- changes ---------------------------------------------------------------------------------- */

static int see_cell(void *context, int count, char **values, char **names)
{
    (void)names;
    *(uint64_t *)context = count > 0 && values[0] ? strtoull(values[0], NULL, 10) : 0;
    return 0;
}

static sqlite3 *open_changed(void)
{
    sqlite3 *db;
    char attach[PATH + 32];
    copy_file(made, changed);
    assert_int_equal(sqlite3_open(changed, &db), SQLITE_OK);
    snprintf(attach, sizeof attach, "ATTACH '%s' AS older", older);
    assert_int_equal(sqlite3_exec(db, attach, NULL, NULL, NULL), SQLITE_OK);
    return db;
}

static void run_sql(sqlite3 *db, const char *sql)
{
    char *error = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK) {
        fail_msg("%s: %s", sql, error);
    }
}

/* Changes the copy. It must change something, since a case without a change tests nothing. */
static void change(const char *sql)
{
    sqlite3 *db = open_changed();
    const int before = sqlite3_total_changes(db);
    run_sql(db, sql);
    if (sqlite3_total_changes(db) == before) {
        fail_msg("nothing was changed by %s", sql);
    }
    sqlite3_close(db);
}

static lotor_status check(const char *path, bool with_key, lotor_engine_check_counts *counts)
{
    lotor_store *store = NULL;
    lotor_server_key *server_key = NULL;
    lotor_heads *heads = NULL;
    bool were_lost;
    fine(lotor_server_key_open(key_path, false, &why, &server_key));
    fine(lotor_heads_open(head_path, &why, &heads, &were_lost));
    assert_false(were_lost);
    lotor_status status = lotor_store_open(path, LOTOR_STORE_READ, NULL, &why, &store);
    if (status == LOTOR_OK) {
        status = lotor_engine_check(store, with_key ? server_key : NULL, heads, counts, &why);
    }
    lotor_store_close(store);
    lotor_heads_free(heads);
    lotor_server_key_free(server_key);
    return status;
}

static bool is_named(const json_t *readiness, const char *name)
{
    size_t i;
    const json_t *campaign;
    json_array_foreach(json_object_get(readiness, "campaigns"), i, campaign)
    {
        const char *const found = json_string_value(json_object_get(campaign, "name"));
        if (found && strcmp(found, name) == 0) {
            return true;
        }
    }
    return false;
}

/* True if a server on the changed copy refuses it, or serves all campaigns but "one". */
static bool is_noticed_by_server(void)
{
    size_t length;
    unsigned char *heads = scratch_read(head_path, &length);
    char path[PATH];
    memcpy(path, made, sizeof path);
    copy_file(changed, scratch_path(&rig.files, "served.db"));
    snprintf(made, sizeof made, "%s", scratch_path(&rig.files, "served.db"));
    rename(path, scratch_path(&rig.files, "x.db.away"));
    rename(made, path);
    bool is_noticed = engine_try_open(&rig, false) != LOTOR_OK;
    if (!is_noticed) {
        engine_step(&rig);
        json_t *readiness = lotor_engine_readiness(rig.engine);
        is_noticed = is_named(readiness, "one");
        assert_false(is_named(readiness, "two"));
        json_decref(readiness);
        lotor_ranking ranking = {.user = NULL};
        assert_int_equal(engine_rank(&rig, "two", &ranking), LOTOR_CODE_NONE);
        lotor_ranking_clear(&ranking);
        assert_int_equal(engine_rank(&rig, "one", &ranking),
                         is_noticed ? LOTOR_CODE_BROKEN : LOTOR_CODE_NONE);
        lotor_ranking_clear(&ranking);
        engine_drop(&rig);
    }
    memcpy(made, path, sizeof made);
    rename(scratch_path(&rig.files, "x.db.away"), made);
    scratch_write(head_path, heads, length);
    free(heads);
    return is_noticed;
}

/* --- tests ------------------------------------------------------------------------------------ */

TEST(test_a_whole_store_is_fine)
{
    lotor_engine_check_counts counts;
    copy_file(made, changed);
    fine(check(changed, true, &counts));
    assert_int_equal(counts.campaigns, 3);
    assert_true(counts.releases >= 4);
    assert_true(counts.decisions >= 10);
    assert_true(counts.rows >= 10);
    fine(check(changed, false, &counts));
    assert_int_equal(counts.rows, 0);
    assert_false(is_noticed_by_server());
}

#define BACK(table)                                                                                \
    "DELETE FROM main." table " WHERE campaign = 1; "                                              \
    "INSERT INTO main." table " SELECT * FROM older." table " WHERE campaign = 1; "

typedef struct tampering {
    const char *sql, *words;
    bool
        /* not noticed by a server, which reads only the end of the chain and only what it needs */
        only_check;
} tampering;

static void find_all(const tampering *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lotor_engine_check_counts counts;
        change(cases[i].sql);
        const lotor_status said = check(changed, true, &counts);
        if (said == LOTOR_OK || !strstr(why.text, cases[i].words)) {
            fail_msg("%s\n%s: \"%s\", not \"%s\"", cases[i].sql, lotor_status_name(said),
                     said == LOTOR_OK ? "" : why.text, cases[i].words);
        }
        if (is_noticed_by_server() == cases[i].only_check) {
            fail_msg("%s: a server %s it", cases[i].sql,
                     cases[i].only_check ? "notices" : "does not notice");
        }
    }
}

/* A part of the store is older than the rest, in both directions. */
TEST(test_a_partial_rollback_is_found)
{
    static const tampering cases[] = {
        {BACK("states"), "only one of them was restored", false},
        {BACK("leases"), "its lease has 8 releases, but its chain has 10", false},
        {BACK("blocks"), "a block begins at decision", false},
        {BACK("log"), "of its log is missing", false},
        {BACK("releases"), "its lease has 10 releases, but its chain has 8", false},
        {BACK("states") BACK("blocks") BACK("log"), "a block begins at decision", false},
        {BACK("states") BACK("blocks") BACK("log") BACK("leases"),
         "its lease has 8 releases, but its chain has 10", false},
        {BACK("states") BACK("leases"), "its lease has 8 releases", false},
        {BACK("releases") BACK("leases"), "a block begins at decision", false},
        {BACK("releases") BACK("states"), "its lease has 10 releases, but its chain has 8", false},
        {BACK("releases") BACK("states") BACK("leases") BACK("blocks") BACK("log"),
         "this is an older copy", false},
    };
    find_all(cases, sizeof cases / sizeof *cases);
}

TEST(test_an_edited_specification_is_found)
{
    static const tampering cases[] = {
        {"UPDATE main.campaigns SET spec = replace(spec, '1000000', '2000000') WHERE id = 1",
         "\"one\"", false},
        {"UPDATE main.campaigns SET spec = replace(spec, 'klucb', 'ducb') WHERE id = 1", "\"one\"",
         false},
        {"UPDATE main.campaigns SET closed = 1 WHERE id = 1", "\"one\"", false},
        {"UPDATE main.campaigns SET created = created + 1 WHERE id = 1", "\"one\"", false},
        {"UPDATE main.campaigns SET specs = specs + 1 WHERE id = 1", "\"one\"", false},
        {"UPDATE main.campaigns SET seal = (SELECT seal FROM main.campaigns WHERE id = 2) "
         "WHERE id = 1",
         "\"one\"", false},
        {"UPDATE main.campaigns SET spec = (SELECT spec FROM main.campaigns WHERE id = 2), "
         "seal = (SELECT seal FROM main.campaigns WHERE id = 2) WHERE id = 1",
         "\"one\"", false},
    };
    find_all(cases, sizeof cases / sizeof *cases);
}

#define ROW(table, order)                                                                          \
    "rowid = (SELECT rowid FROM main." table " WHERE campaign = 1 ORDER BY " order " LIMIT 1)"

/* The second to last row, so that there are rows before and after it. */
#define SECOND_ROW(table)                                                                          \
    "rowid = (SELECT rowid FROM main." table " WHERE campaign = 1 ORDER BY rowid DESC "            \
    "LIMIT 1 OFFSET 1)"

TEST(test_a_missing_row_is_found)
{
    static const tampering cases[] = {
        {"DELETE FROM main.log WHERE " ROW("log", "rowid"), "of its log is missing", false},
        {"DELETE FROM main.log WHERE " SECOND_ROW("log"), "of its log is missing", false},
        {"DELETE FROM main.log WHERE campaign = 1", "of its log is missing", false},
        {"DELETE FROM main.blocks WHERE " ROW("blocks", "first"), "a block begins at decision",
         false},
        {"DELETE FROM main.blocks WHERE " ROW("blocks", "first DESC"), "a block of open decisions",
         false},
        {"DELETE FROM main.blocks WHERE campaign = 1", "but the last one drawn is", false},
        {"DELETE FROM main.states WHERE campaign = 1", "no state for that campaign", false},
        {"DELETE FROM main.campaign_keys WHERE campaign = 1", "\"one\"", false},
        {"DELETE FROM main.releases WHERE " ROW("releases", "number DESC"),
         "its lease has 10 releases, but its chain has 9", false},
        {"DELETE FROM main.releases WHERE " ROW("releases", "number"),
         "release 1 is missing from the chain", true},
    };
    lotor_engine_check_counts counts;
    find_all(cases, sizeof cases / sizeof *cases);
    /* For a server, these campaigns do not exist at all. */
    change("DELETE FROM main.leases WHERE campaign = 1");
    assert_int_equal(check(changed, true, &counts), LOTOR_DAMAGED);
    assert_non_null(strstr(why.text, "\"one\" has no row in table leases"));
    change("DELETE FROM main.campaigns WHERE id = 1");
    assert_int_equal(check(changed, true, &counts), LOTOR_DAMAGED);
    assert_non_null(strstr(why.text, "rows of a campaign that does not exist"));
}

#define NEW_BUDGET                                                                                 \
    "PRAGMA ignore_check_constraints = ON; UPDATE main.meta SET value = '1' WHERE key = "          \
    "'budgets'; "                                                                                  \
    "INSERT INTO main.budgets VALUES (1, 'people', '{}', zeroblob(32), 1); "

/* A server reads only the row of the user who asks. */
TEST(test_bad_values_about_users_are_found)
{
    static const char *const cases[][2] = {
        {"INSERT INTO main.users VALUES (1, zeroblob(16), -1)", "users"},
        {"INSERT INTO main.users VALUES (1, zeroblob(15), 1)", "users"},
        {"INSERT INTO main.users VALUES (1, zeroblob(16), 'x')", "users"},
        {"INSERT INTO main.spend VALUES (1, zeroblob(16), -5000000000, 1)", "spend"},
        {"INSERT INTO main.spend VALUES (1, zeroblob(16), 4611686018427387904, 1)", "spend"},
        {"INSERT INTO main.spend VALUES (1, zeroblob(16), 1, 4611686018427387904)", "spend"},
        {"INSERT INTO main.spend VALUES (1, zeroblob(16), 1, 'x')", "spend"},
        {"INSERT INTO main.stickies VALUES (1, zeroblob(16), 1, 1, 1, -1, x'00')", "stickies"},
        {"INSERT INTO main.stickies VALUES (1, zeroblob(16), 1, -1, 1, 1, x'00')", "stickies"},
        {"INSERT INTO main.stickies VALUES (1, zeroblob(16), 1, 1, 1, 1, 'text')", "stickies"},
        {"INSERT INTO main.stickies VALUES (1, 'ann', 1, 1, 1, 1, x'00')", "stickies"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lotor_engine_check_counts counts;
        char sql[400];
        snprintf(sql, sizeof sql, "%s%s", NEW_BUDGET, cases[i][0]);
        change(sql);
        const lotor_status said = check(changed, true, &counts);
        if (said != LOTOR_DAMAGED || !strstr(why.text, cases[i][1])) {
            fail_msg("%s\n%s: \"%s\"", cases[i][0], lotor_status_name(said), why.text);
        }
    }
}

/* Rows that were moved to another campaign, another key or another time. */
TEST(test_moved_rows_are_found)
{
    static const tampering cases[] = {
        {"UPDATE main.states SET state = (SELECT state FROM main.states WHERE campaign = 2) "
         "WHERE campaign = 1",
         "\"one\"", false},
        {"UPDATE main.campaign_keys SET wrapped = (SELECT wrapped FROM main.campaign_keys "
         "WHERE campaign = 2) WHERE campaign = 1",
         "\"one\"", false},
        {"UPDATE main.log SET seq = 1000 WHERE " ROW("log", "rowid DESC"), "a row of its log",
         false},
        {"UPDATE main.log SET stream = 9 WHERE " ROW("log", "rowid DESC"), "a row of its log",
         false},
        {"UPDATE main.log SET kind = 1 WHERE " ROW("log", "rowid DESC"), "a row of its log", false},
        {"UPDATE main.blocks SET nonce = nonce + 1 WHERE " ROW("blocks", "first"),
         "a block of open decisions", false},
        {"UPDATE main.blocks SET count = count + 1 WHERE " ROW("blocks", "first"),
         "a block begins at decision", false},
        {"UPDATE main.blocks SET deadline = 1 WHERE " ROW("blocks", "first DESC"),
         "has an earlier deadline than the block before it", false},
        {"UPDATE main.blocks SET until = until + 1 WHERE " ROW("blocks", "first"),
         "a block of open decisions", false},
        {"UPDATE main.blocks SET holder = holder + 1 WHERE " ROW("blocks", "first"),
         "a block of open decisions", false},
        {"UPDATE main.blocks SET want = want + 1 WHERE " ROW("blocks", "first"),
         "a block of open decisions", false},
        {"UPDATE main.leases SET final = final + 1, sealed = sealed + 1 WHERE campaign = 1",
         "a block begins at decision", false},
        {"UPDATE main.leases SET sealed = sealed + 1 WHERE campaign = 1",
         "only one of them was restored", false},
        {"UPDATE main.leases SET releases = releases + 1 WHERE campaign = 1",
         "its lease has 11 releases", false},
        {"UPDATE main.leases SET epoch = 0 WHERE campaign = 1", "its lease is older than its state",
         false},
        {"UPDATE main.releases SET time = time + 1 WHERE " ROW("releases", "number DESC"),
         "does not fit the chain", true},
    };
    find_all(cases, sizeof cases / sizeof *cases);
}

/* Flips a bit of a value in a fresh copy. False: there is no such row, or the value is empty. */
static bool flip(const char *table, const char *column, uint64_t row)
{
    sqlite3 *db = open_changed();
    sqlite3_blob *blob = NULL;
    const bool is_there =
        sqlite3_blob_open(db, "main", table, column, (sqlite3_int64)row, 1, &blob) == SQLITE_OK &&
        sqlite3_blob_bytes(blob) > 0;
    if (is_there) {
        const int place = (int)randombytes_uniform((uint32_t)sqlite3_blob_bytes(blob));
        unsigned char byte;
        assert_int_equal(sqlite3_blob_read(blob, &byte, 1, place), SQLITE_OK);
        byte ^= (unsigned char)(1U << randombytes_uniform(8));
        assert_int_equal(sqlite3_blob_write(blob, &byte, 1, place), SQLITE_OK);
    }
    sqlite3_blob_close(blob);
    sqlite3_close(db);
    return is_there;
}

static uint64_t last_row(const char *table)
{
    char sql[100];
    uint64_t row = 0;
    sqlite3 *db = open_changed();
    snprintf(sql, sizeof sql, "SELECT max(rowid) FROM main.%s", table);
    assert_int_equal(sqlite3_exec(db, sql, see_cell, &row, NULL), SQLITE_OK);
    sqlite3_close(db);
    return row;
}

/* Flips one bit of each sealed or hashed value of each row. */
TEST(test_every_flipped_bit_is_found)
{
    static const struct {
        const char *table, *column;
    } cells[] = {
        {"campaigns", "seal"}, {"campaign_keys", "wrapped"}, {"states", "state"},
        {"leases", "head"},    {"blocks", "drawn"},          {"blocks", "action"},
        {"log", "sealed"},     {"releases", "facts"},        {"releases", "digest"},
        {"releases", "hash"},  {"releases", "stamp"},
    };
    int flipped = 0;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        const uint64_t rows = last_row(cells[i].table);
        const int before = flipped;
        for (uint64_t row = 1; row <= rows; row++) {
            lotor_engine_check_counts counts;
            if (!flip(cells[i].table, cells[i].column, row)) {
                continue;
            }
            if (check(changed, true, &counts) == LOTOR_OK) {
                fail_msg("row %" PRIu64 " of %s: a changed bit of %s was not found", row,
                         cells[i].table, cells[i].column);
            }
            flipped++;
        }
        assert_true(flipped > before);
    }
    print_message("%d bits were flipped and found\n", flipped);
}

TEST(test_another_key_is_told_from_damage)
{
    lotor_engine_check_counts counts;
    lotor_server_key *other = NULL;
    lotor_store *store = NULL;
    copy_file(made, changed);
    fine(lotor_server_key_open(scratch_path(&rig.files, "other.key"), true, &why, &other));
    fine(lotor_store_open(changed, LOTOR_STORE_READ, NULL, &why, &store));
    assert_int_equal(lotor_engine_check(store, other, NULL, &counts, &why), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "another key"));
    lotor_store_close(store);
    lotor_server_key_free(other);
}

TEST(test_an_older_copy_is_found)
{
    lotor_engine_check_counts counts;
    copy_file(older, changed);
    assert_int_equal(check(changed, true, &counts), LOTOR_RELEASED);
    assert_non_null(strstr(why.text, "older copy"));
    assert_int_equal(check(changed, false, &counts), LOTOR_RELEASED);
    assert_true(is_noticed_by_server());
    /* A lower number of starts is enough: this copy lacks no release. */
    change("UPDATE main.meta SET value = '1' WHERE key = 'starts'");
    assert_int_equal(check(changed, true, &counts), LOTOR_RELEASED);
    assert_non_null(strstr(why.text, "older copy"));
}

TEST_GROUP(make_store, remove_store);
