/* store_schema.c - tables, their versions, and the way from one to the next. See store.md.
 *
 * A new version is a new step at the end of the array; a step that was ever shipped is never changed,
 * for the text of the tables is compared with what the steps make.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "service/store/store_sqlite.h"

#define WHOLE    " INTEGER NOT NULL CHECK "
#define TEXT     " TEXT NOT NULL CHECK "
#define BLOB     " BLOB NOT NULL CHECK "
#define CAMPAIGN "  campaign INTEGER NOT NULL REFERENCES campaigns (id),"

/* clang-format off: SQL has a layout of its own. */
const char *const lotor_schema_steps[LOTOR_SCHEMA_VERSION] = {
    /* 0 to 1. The state changes with every commit and the spec hardly ever: two tables. Blocks and
     * answers come at one end and go at the other, so rows lie in the order of their coming. */
    "CREATE TABLE campaigns ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  name" TEXT "(typeof(name) = 'text') UNIQUE,"
    "  spec" TEXT "(typeof(spec) = 'text'),"
    "  created REAL NOT NULL CHECK (typeof(created) = 'real'),"
    "  closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1)));"
    "CREATE TABLE states ("
    "  campaign INTEGER PRIMARY KEY REFERENCES campaigns (id),"
    "  final" WHOLE "(typeof(final) = 'integer' AND final >= 0),"
    "  state BLOB CHECK (typeof(state) IN ('blob', 'null')));"
    "CREATE TABLE blocks (" CAMPAIGN "  first" WHOLE "(typeof(first) = 'integer' AND first > 0),"
    "  count" WHOLE "(typeof(count) = 'integer' AND count >= 0),"
    "  handed INTEGER CHECK (handed IS NULL OR handed BETWEEN 0 AND count),"
    "  deadline" WHOLE "(typeof(deadline) = 'integer' AND deadline >= 0),"
    "  nonce" WHOLE "(typeof(nonce) = 'integer'),"
    "  drawn" BLOB "(typeof(drawn) = 'blob'),"
    "  action BLOB CHECK (typeof(action) IN ('blob', 'null')),"
    "  UNIQUE (campaign, first));"
    "CREATE TABLE answers (" CAMPAIGN "  number" WHOLE
    "(typeof(number) = 'integer' AND number >= 0),"
    "  first" WHOLE "(typeof(first) = 'integer' AND first > 0),"
    "  last" WHOLE "(typeof(last) = 'integer' AND last >= first),"
    "  sealed" BLOB "(typeof(sealed) = 'blob'),"
    "  UNIQUE (campaign, number));"
    "CREATE TABLE releases ("
    "  number INTEGER PRIMARY KEY CHECK (number > 0)," CAMPAIGN "  time" WHOLE
    "(typeof(time) = 'integer' AND time >= 0),"
    "  facts BLOB CHECK (typeof(facts) IN ('blob', 'null')),"
    "  digest" BLOB "(typeof(digest) = 'blob' AND length(digest) = 32),"
    "  hash" BLOB "(typeof(hash) = 'blob' AND length(hash) = 32));"
    "CREATE INDEX releases_by_campaign ON releases (campaign);"
    "CREATE TABLE users (" CAMPAIGN "  hash" BLOB "(typeof(hash) = 'blob' AND length(hash) = 16),"
    "  shown" WHOLE "(typeof(shown) = 'integer' AND shown >= 0),"
    "  PRIMARY KEY (campaign, hash)) WITHOUT ROWID;"
    "CREATE TABLE meta ("
    "  key" TEXT "(typeof(key) = 'text') PRIMARY KEY,"
    "  value" TEXT "(typeof(value) = 'text')) WITHOUT ROWID;",
};
/* clang-format on */

static lotor_status read_marks(sqlite3 *db, int64_t most, int64_t *version, lotor_message *why)
{
    int64_t application = 0, tables = 0;
    lotor_status status = lotor_sqlite_number(db, "PRAGMA application_id", why, &application);
    if (status == LOTOR_OK) {
        status = lotor_sqlite_number(db, "PRAGMA user_version", why, version);
    }
    if (status == LOTOR_OK) {
        status = lotor_sqlite_number(db, "SELECT count(*) FROM sqlite_master", why, &tables);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const bool is_empty = application == 0 && *version == 0 && tables == 0;
    if (!is_empty && (application != LOTOR_APPLICATION_ID || *version < 0)) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "the file is a SQLite database of another program, not a store");
    }
    if (*version > most) {
        return lotor_fail(LOTOR_VERSION, why,
                          "the store has version %" PRId64
                          ", and this program knows versions up to "
                          "%" PRId64 ": use the newer program that wrote it",
                          *version, most);
    }
    return LOTOR_OK;
}

lotor_status lotor_schema_is_ours(sqlite3 *db, int64_t version, lotor_message *why)
{
    int64_t now = 0;
    return read_marks(db, version, &now, why);
}

static lotor_status take_step(sqlite3 *db, const char *step, int64_t from, lotor_message *why)
{
    char marks[96];
    snprintf(marks, sizeof marks, "PRAGMA application_id = %d; PRAGMA user_version = %" PRId64,
             LOTOR_APPLICATION_ID, from + 1);
    lotor_status status = lotor_sqlite_run(db, "BEGIN IMMEDIATE", why);
    if (status != LOTOR_OK) {
        return status;
    }
    status = lotor_sqlite_run(db, step, why);
    if (status == LOTOR_OK) {
        status = lotor_sqlite_run(db, marks, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_sqlite_run(db, "COMMIT", why);
    }
    if (!sqlite3_get_autocommit(db)) {
        lotor_sqlite_run(db, "ROLLBACK", NULL);
    }
    return status;
}

lotor_status lotor_schema_migrate(sqlite3 *db, const char *const *steps, int64_t version,
                                  bool may_write, lotor_message *why)
{
    int64_t now = 0;
    lotor_status status = read_marks(db, version, &now, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (now < version && !may_write) {
        return lotor_fail(LOTOR_UNFINISHED, why,
                          "the store has version %" PRId64
                          " and would have to be brought to %" PRId64 ": start a server on it once",
                          now, version);
    }
    while (status == LOTOR_OK && now < version) {
        status = take_step(db, steps[now], now, why);
        now++;
    }
    return status;
}

/* Both lists, row by row, are the same. */
static lotor_status compare_lists(sqlite3 *db, sqlite3_stmt *here, sqlite3_stmt *right,
                                  lotor_message *why)
{
    for (;;) {
        const int left = sqlite3_step(here), wanted = sqlite3_step(right);
        if (left != SQLITE_ROW && left != SQLITE_DONE) {
            return lotor_sqlite_fail(db, left, "the store's tables can't be listed", why);
        }
        if (wanted != SQLITE_ROW && wanted != SQLITE_DONE) {
            return lotor_fail(LOTOR_MEMORY, why, "out of memory");
        }
        const char *is = left == SQLITE_ROW ? (const char *)sqlite3_column_text(here, 0) : "";
        const char *should =
            wanted == SQLITE_ROW ? (const char *)sqlite3_column_text(right, 0) : "";
        if (!is || !should) {
            return lotor_fail(LOTOR_MEMORY, why, "out of memory");
        }
        if (strcmp(is, should) != 0) {
            return lotor_fail(LOTOR_DAMAGED, why,
                              "the store's tables are not those of its version: somebody else "
                              "changed them; put back a backup");
        }
        if (left == SQLITE_DONE) {
            return LOTOR_OK;
        }
    }
}

lotor_status lotor_schema_compare(sqlite3 *db, const char *const *steps, int64_t version,
                                  lotor_message *why)
{
    static const char list[] = "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || "
                               "coalesce(sql, '') FROM sqlite_master ORDER BY 1";
    sqlite3 *fresh = NULL;
    sqlite3_stmt *here = NULL, *right = NULL;
    lotor_status status = LOTOR_OK;
    if (sqlite3_open_v2(":memory:", &fresh, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK) {
        status = lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    if (status == LOTOR_OK) {
        status = lotor_schema_migrate(fresh, steps, version, true, why);
    }
    if (status == LOTOR_OK) {
        const int code = sqlite3_prepare_v2(db, list, -1, &here, NULL);
        status = code == SQLITE_OK
                     ? LOTOR_OK
                     : lotor_sqlite_fail(db, code, "the store's tables can't be listed", why);
    }
    if (status == LOTOR_OK && sqlite3_prepare_v2(fresh, list, -1, &right, NULL) != SQLITE_OK) {
        status = lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    if (status == LOTOR_OK) {
        status = compare_lists(db, here, right, why);
    }
    sqlite3_finalize(here);
    sqlite3_finalize(right);
    sqlite3_close(fresh);
    return status;
}
