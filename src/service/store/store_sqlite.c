/* store_sqlite.c - statements, columns and errors of the SQLite back end. */
#include "service/store/store_sqlite.h"

#include <string.h>

#include "base/message.h"

static const char *const queries[LOTOR_QUERY_COUNT] = {
    [LOTOR_QUERY_BEGIN] = "BEGIN IMMEDIATE",
    [LOTOR_QUERY_LOOK] = "BEGIN",
    [LOTOR_QUERY_COMMIT] = "COMMIT",
    [LOTOR_QUERY_ROLLBACK] = "ROLLBACK",
    [LOTOR_QUERY_ADD_CAMPAIGN] = "INSERT INTO campaigns (name, spec, created) VALUES (?1, ?2, ?3)",
    [LOTOR_QUERY_ADD_STATE] = "INSERT INTO states (campaign, final, state) VALUES (?1, 0, NULL)",
    [LOTOR_QUERY_EACH_CAMPAIGN] =
        "SELECT id, name, spec, created, closed, final, NULL FROM campaigns "
        "JOIN states ON states.campaign = campaigns.id ORDER BY id",
    [LOTOR_QUERY_GET_STATE] = "SELECT id, name, spec, created, closed, final, state FROM campaigns "
                              "JOIN states ON states.campaign = campaigns.id WHERE id = ?1",
    [LOTOR_QUERY_PUT_STATE] = "UPDATE states SET final = ?2, state = ?3 WHERE campaign = ?1",
    [LOTOR_QUERY_PUT_SPEC] = "UPDATE campaigns SET spec = ?2, closed = ?3 WHERE id = ?1",
    [LOTOR_QUERY_ADD_BLOCK] =
        "INSERT INTO blocks (campaign, first, count, handed, deadline, nonce, drawn, action) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [LOTOR_QUERY_PUT_BLOCK] = "UPDATE blocks SET count = ?3, handed = ?4, deadline = ?5 "
                              "WHERE campaign = ?1 AND first = ?2",
    [LOTOR_QUERY_EACH_BLOCK] = "SELECT first, count, handed, deadline, nonce, drawn, action "
                               "FROM blocks WHERE campaign = ?1 ORDER BY first",
    [LOTOR_QUERY_ADD_ANSWERS] = "INSERT INTO answers (campaign, number, first, last, sealed) "
                                "VALUES (?1, ?2, ?3, ?4, ?5)",
    [LOTOR_QUERY_EACH_ANSWERS] =
        "SELECT number, first, last, sealed FROM answers WHERE campaign = ?1 AND number >= ?2 "
        "ORDER BY number",
    [LOTOR_QUERY_FORGET_BLOCKS] =
        "DELETE FROM blocks WHERE campaign = ?1 AND first <= ?2 AND first + count - 1 <= ?2",
    /* From the front to the first that is still wanted: what is looked at is what goes, and one. */
    [LOTOR_QUERY_FORGET_ANSWERS] =
        "DELETE FROM answers WHERE campaign = ?1 AND number < coalesce((SELECT number FROM answers "
        "WHERE campaign = ?1 AND last > ?2 ORDER BY number LIMIT 1), 9223372036854775807)",
    [LOTOR_QUERY_ADD_RELEASE] =
        "INSERT INTO releases (number, campaign, time, facts, digest, hash) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [LOTOR_QUERY_EACH_RELEASE] =
        "SELECT number, campaign, time, facts, digest, hash FROM releases ORDER BY number",
    [LOTOR_QUERY_EACH_RELEASE_OF] = "SELECT number, campaign, time, facts, digest, hash "
                                    "FROM releases WHERE campaign = ?1 ORDER BY number",
    [LOTOR_QUERY_LAST_RELEASE] = "SELECT number, hash FROM releases ORDER BY number DESC LIMIT 1",
    [LOTOR_QUERY_GET_RELEASE] = "SELECT number, hash FROM releases WHERE number = ?1",
    /* Nobody is counted beyond the cap: then no row changes. */
    [LOTOR_QUERY_COUNT_USER] =
        "INSERT INTO users (campaign, hash, shown) SELECT ?1, ?2, 1 WHERE ?3 > 0 "
        "ON CONFLICT (campaign, hash) DO UPDATE SET shown = shown + 1 WHERE shown < ?3",
    [LOTOR_QUERY_EACH_USER] = "SELECT hash, shown FROM users WHERE campaign = ?1 ORDER BY hash",
    [LOTOR_QUERY_PUT_USER] = "INSERT INTO users (campaign, hash, shown) VALUES (?1, ?2, ?3)",
    [LOTOR_QUERY_GET_META] = "SELECT value FROM meta WHERE key = ?1",
    [LOTOR_QUERY_PUT_META] = "INSERT INTO meta (key, value) VALUES (?1, ?2) "
                             "ON CONFLICT (key) DO UPDATE SET value = ?2",
};

/* By SQLite's primary code. UNFINISHED: the disk's or another program's doing, and it can be tried
 * again. */
static const struct {
    int code;
    lotor_status status;
    const char *words;
} errors[] = {
    {SQLITE_FULL, LOTOR_UNFINISHED, "the disk is full: make room, and it goes on by itself"},
    {SQLITE_READONLY, LOTOR_UNFINISHED,
     "the file, its folder or the disk is read-only: let this user write there"},
    {SQLITE_IOERR, LOTOR_UNFINISHED, "the disk reports an error: look at the system's log"},
    {SQLITE_BUSY, LOTOR_UNFINISHED, "another program holds the store: stop it, or try again"},
    {SQLITE_LOCKED, LOTOR_UNFINISHED, "another program holds the store: stop it, or try again"},
    {SQLITE_PROTOCOL, LOTOR_UNFINISHED, "another program holds the store: stop it, or try again"},
    {SQLITE_CANTOPEN, LOTOR_UNFINISHED,
     "the file can't be opened: look at the path, the folder and who may write there"},
    {SQLITE_PERM, LOTOR_UNFINISHED, "the file may not be opened by this user"},
    {SQLITE_NOMEM, LOTOR_MEMORY, "out of memory"},
    {SQLITE_CORRUPT, LOTOR_DAMAGED, "the file is damaged: put back a backup"},
    {SQLITE_NOTADB, LOTOR_DAMAGED, "the file is not a store (it is not a SQLite database)"},
    {SQLITE_FORMAT, LOTOR_DAMAGED, "the file is damaged: put back a backup"},
    {SQLITE_SCHEMA, LOTOR_DAMAGED, "its tables were changed by another program"},
    {SQLITE_CONSTRAINT, LOTOR_INVALID, "what was to be written breaks a rule of the store"},
    {SQLITE_TOOBIG, LOTOR_INVALID, "what was to be written is too large"},
    {SQLITE_MISMATCH, LOTOR_INVALID, "what was to be written has the wrong type"},
    {SQLITE_RANGE, LOTOR_INVALID, "a number is too large for the store (63 bits)"},
};

lotor_status lotor_sqlite_fail(sqlite3 *db, int code, const char *what, lotor_message *why)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if ((code & 0xff) == errors[i].code) {
            return lotor_fail(errors[i].status, why, "%s: %s", what, errors[i].words);
        }
    }
    /* A statement that does not fit the tables: they are not ours. SQLite's words hold no data. */
    return lotor_fail(LOTOR_DAMAGED, why, "%s: %.200s", what,
                      db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
}

lotor_status lotor_sqlite_run(sqlite3 *db, const char *sql, lotor_message *why)
{
    const int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? LOTOR_OK : lotor_sqlite_fail(db, code, "the store", why);
}

lotor_status lotor_sqlite_number(sqlite3 *db, const char *sql, lotor_message *why, int64_t *out)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
        *out = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE
               ? LOTOR_OK
               : lotor_sqlite_fail(db, code, "the store can't be read", why);
}

sqlite3_stmt *lotor_query_start(lotor_sqlite *store, lotor_query query, lotor_message *why,
                                lotor_status *status)
{
    *status = LOTOR_OK;
    if (!store->statements[query]) {
        const int code =
            sqlite3_prepare_v3(store->db, queries[query], -1, SQLITE_PREPARE_PERSISTENT,
                               &store->statements[query], NULL);
        if (code != SQLITE_OK) {
            *status = lotor_sqlite_fail(store->db, code, "the store", why);
        }
    }
    return store->statements[query];
}

void lotor_query_end(sqlite3_stmt *statement)
{
    if (!statement) {
        return;
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement); /* they point to the caller's memory */
}

lotor_status lotor_query_step(lotor_sqlite *store, sqlite3_stmt *statement, lotor_message *why,
                              bool *row)
{
    const int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    if (code == SQLITE_ROW || code == SQLITE_DONE) {
        return LOTOR_OK;
    }
    return lotor_sqlite_fail(store->db, code,
                             store->base.mode == LOTOR_STORE_READ ? "the store can't be read"
                                                                  : "the store can't be written",
                             why);
}

bool lotor_query_next(lotor_sqlite *store, sqlite3_stmt *statement, lotor_message *why,
                      lotor_status *status)
{
    bool row = false;
    if (statement && *status == LOTOR_OK) {
        *status = lotor_query_step(store, statement, why, &row);
    }
    return *status == LOTOR_OK && row;
}

lotor_status lotor_query_run(lotor_sqlite *store, sqlite3_stmt *statement, lotor_message *why)
{
    bool row;
    const lotor_status status = lotor_query_step(store, statement, why, &row);
    lotor_query_end(statement);
    return status;
}

void lotor_bind_number(sqlite3_stmt *statement, int place, uint64_t value)
{
    /* What does not fit becomes a text, which every column's check refuses. */
    if (value > INT64_MAX) {
        sqlite3_bind_text(statement, place, "too large", -1, SQLITE_STATIC);
    } else {
        sqlite3_bind_int64(statement, place, (int64_t)value);
    }
}

void lotor_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, size_t length)
{
    if (!bytes) {
        sqlite3_bind_null(statement, place);
    } else {
        sqlite3_bind_blob64(statement, place, bytes, length, SQLITE_STATIC);
    }
}

uint64_t lotor_column_number(sqlite3_stmt *row, int place, bool *damaged)
{
    const int64_t value = sqlite3_column_int64(row, place);
    if (sqlite3_column_type(row, place) != SQLITE_INTEGER || value < 0) {
        *damaged = true;
        return 0;
    }
    return (uint64_t)value;
}

const char *lotor_column_text(sqlite3_stmt *row, int place, bool *damaged)
{
    if (sqlite3_column_type(row, place) != SQLITE_TEXT) {
        *damaged = true;
        return "";
    }
    const char *text = (const char *)sqlite3_column_text(row, place);
    if (!text || strlen(text) != (size_t)sqlite3_column_bytes(row, place)) {
        *damaged = true;
        return "";
    }
    return text;
}

const unsigned char *lotor_column_blob(sqlite3_stmt *row, int place, size_t *length, bool *damaged)
{
    const int type = sqlite3_column_type(row, place);
    *length = 0;
    if (type == SQLITE_NULL) {
        return NULL;
    }
    if (type != SQLITE_BLOB) {
        *damaged = true;
        return NULL;
    }
    const void *bytes = sqlite3_column_blob(row, place);
    const int found = sqlite3_column_bytes(row, place);
    if (!bytes && found > 0) {
        *damaged = true; /* no memory: lotor_column_refuse tells it from damage */
        return NULL;
    }
    *length = (size_t)found;
    /* SQLite gives NULL for an empty blob, and that is not none. */
    return bytes ? bytes : (const unsigned char *)"";
}

void lotor_column_copy(sqlite3_stmt *row, int place, unsigned char *to, size_t length,
                       bool *damaged)
{
    size_t found;
    const unsigned char *bytes = lotor_column_blob(row, place, &found, damaged);
    if (!bytes || found != length) {
        *damaged = true;
        memset(to, 0, length);
        return;
    }
    memcpy(to, bytes, length);
}

lotor_status lotor_column_refuse(lotor_sqlite *store, const char *what, lotor_message *why)
{
    if (sqlite3_errcode(store->db) == SQLITE_NOMEM) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    return lotor_fail(LOTOR_DAMAGED, why, "%s: its row is not what was written", what);
}
