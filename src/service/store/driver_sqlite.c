/* driver_sqlite.c - a store in a SQLite file, for one server.
 *
 * A server holds the lock file STORE.lock with flock: the kernel releases it when the process ends,
 * for whatever reason. The store's file is made with mode 0600, and SQLite gives its log the same
 * mode. A reader opens the file read-only. On a disk where it can't write anything, a reader opens
 * the file as immutable, if there is no log.
 *
 * Statements are prepared once and kept. They are found by the address of their text.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"
#include "base/time.h"
#include "service/server_key/durable.h"
#include "service/store/driver.h"

enum { BUSY_MILLISECONDS = 5000, APPLICATION_ID = 0x6c6f7472 /* "lotr" */, KEPT = 128 };

typedef struct sqlite_store {
    lotor_store base;
    sqlite3 *db;
    struct {
        const char *text;
        sqlite3_stmt *statement;
    } kept[KEPT];          /* at a hash of the text's address, or at the next free place */
    sqlite3_stmt *current; /* the statement that is running or has rows */
    bool is_kept;          /* whether the current statement is one of `kept` */
    int lock;              /* the lock file, or -1 */
    char *path;
} sqlite_store;

static sqlite_store *lite(lotor_store *store)
{
    return (sqlite_store *)store; /* `base` comes first */
}

/* --- errors ----------------------------------------------------------------------------------- */

/* The meaning of SQLite's primary error codes. LOTOR_UNFINISHED: caused by the disk or another
 * program, so the call can be tried again. */
static const struct {
    int code;
    lotor_status status;
    const char *words;
} errors[] = {
    {SQLITE_FULL, LOTOR_UNFINISHED,
     "the disk is full: free some space, and the server continues by itself"},
    {SQLITE_READONLY, LOTOR_UNFINISHED,
     "the file, its folder or the disk is read-only: let this user write there"},
    {SQLITE_IOERR, LOTOR_UNFINISHED, "the disk reports an error: see the system's log"},
    {SQLITE_BUSY, LOTOR_UNFINISHED, "another program holds the store: stop it, or try again"},
    {SQLITE_LOCKED, LOTOR_UNFINISHED, "another program holds the store: stop it, or try again"},
    {SQLITE_PROTOCOL, LOTOR_UNFINISHED, "another program holds the store: stop it, or try again"},
    {SQLITE_CANTOPEN, LOTOR_UNFINISHED,
     "the file can't be opened: check the path, the folder and its permissions"},
    {SQLITE_PERM, LOTOR_UNFINISHED, "this user may not open the file"},
    {SQLITE_NOMEM, LOTOR_MEMORY, "out of memory"},
    {SQLITE_CORRUPT, LOTOR_DAMAGED, "the file is damaged: restore a backup"},
    {SQLITE_NOTADB, LOTOR_DAMAGED, "the file is not a store (it is not a SQLite database)"},
    {SQLITE_FORMAT, LOTOR_DAMAGED, "the file is damaged: restore a backup"},
    {SQLITE_SCHEMA, LOTOR_DAMAGED, "another program changed the store's tables"},
    {SQLITE_CONSTRAINT, LOTOR_INVALID, "the new data violates a rule of the store"},
    {SQLITE_TOOBIG, LOTOR_INVALID, "the new data is too large"},
    {SQLITE_MISMATCH, LOTOR_INVALID, "the new data has the wrong type"},
};

static lotor_status fail(sqlite3 *db, int code, const char *what, lotor_message *why)
{
    if (code == SQLITE_CONSTRAINT_PRIMARYKEY || code == SQLITE_CONSTRAINT_UNIQUE ||
        code == SQLITE_CONSTRAINT_ROWID) {
        return lotor_fail(LOTOR_DUPLICATE, why, "%s: there is already a row with that key", what);
    }
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if ((code & 0xff) == errors[i].code) {
            return lotor_fail(errors[i].status, why, "%s: %s", what, errors[i].words);
        }
    }
    /* The statement does not fit the tables, so they are not ours. SQLite's message has no data
     * in it. */
    return lotor_fail(LOTOR_DAMAGED, why, "%s: %.200s", what,
                      db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
}

static lotor_status execute(sqlite3 *db, const char *sql, lotor_message *why)
{
    const int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? LOTOR_OK : fail(db, code, "the store", why);
}

/* Gets the first number of a statement's result. */
static lotor_status get_number(sqlite3 *db, const char *sql, lotor_message *why, int64_t *out)
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
               : fail(db, code, "the store can't be read", why);
}

/* --- statements ------------------------------------------------------------------------------- */

/* Translates PostgreSQL's notation to SQLite's: see driver.h. The caller frees the text. */
static char *translate(const char *sql)
{
    static const struct {
        const char *from, *to; /* `to` is never longer than `from` */
    } words[] = {{LOTOR_SQL_NOW, "now_ms()"}, {"lotor_", ""}, {"$", "?"}};
    const size_t length = strlen(sql);
    char *const text = malloc(length + 1);
    char *to = text;
    for (size_t at = 0; text && at < length;) {
        size_t i = 0;
        while (i < 3 && strncmp(sql + at, words[i].from, strlen(words[i].from)) != 0) {
            i++;
        }
        if (i < 3) {
            at += strlen(words[i].from);
            to = stpcpy(to, words[i].to);
        } else {
            *to++ = sql[at++];
        }
    }
    if (text) {
        assert((size_t)(to - text) <= length);
        *to = '\0';
    }
    return text;
}

static lotor_status prepare(sqlite_store *store, const char *sql, lotor_message *why)
{
    size_t place = (uintptr_t)sql / 8 % KEPT;
    for (size_t i = 0; i < KEPT && store->kept[place].text && store->kept[place].text != sql; i++) {
        place = (place + 1) % KEPT;
    }
    if (store->kept[place].text == sql) {
        store->current = store->kept[place].statement;
        store->is_kept = true;
        return LOTOR_OK;
    }
    char *const text = translate(sql);
    const int code = text ? sqlite3_prepare_v3(store->db, text, -1, SQLITE_PREPARE_PERSISTENT,
                                               &store->current, NULL)
                          : SQLITE_NOMEM;
    free(text);
    if (code != SQLITE_OK) {
        store->current = NULL;
        return fail(store->db, code, "the store", why);
    }
    store->is_kept = !store->kept[place].text;
    if (store->is_kept) {
        store->kept[place].text = sql;
        store->kept[place].statement = store->current;
    }
    return LOTOR_OK;
}

static void end(lotor_store *base)
{
    sqlite_store *store = lite(base);
    if (store->current && store->is_kept) {
        sqlite3_reset(store->current);
        sqlite3_clear_bindings(store->current); /* the bindings point to the caller's memory */
    } else if (store->current) {
        sqlite3_finalize(store->current);
    }
    store->current = NULL;
}

static int bind(sqlite3_stmt *statement, int place, const lotor_sql_value *value)
{
    switch (value->kind) {
    case LOTOR_VALUE_WHOLE:
        return sqlite3_bind_int64(statement, place, value->whole);
    case LOTOR_VALUE_REAL:
        return sqlite3_bind_double(statement, place, value->real);
    case LOTOR_VALUE_TEXT:
        return sqlite3_bind_text64(statement, place, value->bytes, value->length, SQLITE_STATIC,
                                   SQLITE_UTF8);
    case LOTOR_VALUE_BYTES:
        return value->bytes ? sqlite3_bind_blob64(statement, place, value->bytes, value->length,
                                                  SQLITE_STATIC)
                            : sqlite3_bind_null(statement, place);
    default:
        return SQLITE_MISMATCH;
    }
}

static lotor_status next(lotor_store *base, lotor_message *why)
{
    sqlite_store *store = lite(base);
    assert(store->current);
    const int code = sqlite3_step(store->current);
    if (code == SQLITE_ROW) {
        return LOTOR_OK;
    }
    if (code == SQLITE_DONE) {
        return LOTOR_UNKNOWN;
    }
    const bool reads = base->mode == LOTOR_STORE_READ;
    return fail(store->db, code, reads ? "the store can't be read" : "the store can't be written",
                why);
}

static lotor_status run(lotor_store *base, const char *sql, const lotor_sql_value *values,
                        size_t count, bool is_awaited, lotor_message *why)
{
    (void)is_awaited;
    sqlite_store *store = lite(base);
    end(base);
    lotor_status status = prepare(store, sql, why);
    for (size_t i = 0; status == LOTOR_OK && i < count; i++) {
        const int code = bind(store->current, (int)i + 1, &values[i]);
        status = code == SQLITE_OK ? LOTOR_OK : fail(store->db, code, "the store", why);
    }
    if (status == LOTOR_OK && sqlite3_column_count(store->current) == 0) {
        status = next(base, why);
        status = status == LOTOR_UNKNOWN ? LOTOR_OK : status;
        base->changed = (uint64_t)sqlite3_changes(store->db);
        end(base);
    }
    if (status != LOTOR_OK) {
        end(base);
    }
    return status;
}

static lotor_sql_value column(lotor_store *base, int place, lotor_sql_kind kind)
{
    sqlite3_stmt *const row = lite(base)->current;
    assert(row && place >= 0 && place < sqlite3_column_count(row));
    lotor_sql_value value = {.kind = LOTOR_VALUE_BAD};
    switch (sqlite3_column_type(row, place)) {
    case SQLITE_INTEGER:
        value.kind = LOTOR_VALUE_WHOLE;
        value.whole = sqlite3_column_int64(row, place);
        break;
    case SQLITE_FLOAT:
        value.kind = LOTOR_VALUE_REAL;
        value.real = sqlite3_column_double(row, place);
        break;
    case SQLITE_TEXT:
        value.bytes = sqlite3_column_text(row, place);
        value.length = (size_t)sqlite3_column_bytes(row, place);
        value.kind = !value.bytes ? LOTOR_VALUE_MEMORY : LOTOR_VALUE_TEXT;
        if (value.bytes && strlen(value.bytes) != value.length) {
            value.kind = LOTOR_VALUE_BAD;
        }
        break;
    case SQLITE_BLOB:
        value.bytes = sqlite3_column_blob(row, place);
        value.length = (size_t)sqlite3_column_bytes(row, place);
        value.kind = !value.bytes && value.length > 0 ? LOTOR_VALUE_MEMORY : LOTOR_VALUE_BYTES;
        value.bytes = value.bytes ? value.bytes : ""; /* SQLite returns NULL for an empty blob */
        break;
    default: /* SQL's null */
        value.kind = kind == LOTOR_VALUE_BYTES ? LOTOR_VALUE_BYTES : LOTOR_VALUE_BAD;
    }
    return value;
}

static const char *column_name(lotor_store *base, int place)
{
    return sqlite3_column_name(lite(base)->current, place);
}

/* --- transactions ----------------------------------------------------------------------------- */

static const char commit_sql[] = "COMMIT", rollback_sql[] = "ROLLBACK";

static void rollback(lotor_store *base)
{
    sqlite_store *store = lite(base);
    end(base);
    base->in_transaction = false;
    if (!sqlite3_get_autocommit(store->db)) {
        run(base, rollback_sql, NULL, 0, true, NULL);
    }
}

static lotor_status begin(lotor_store *base, lotor_begin_kind kind, lotor_message *why)
{
    (void)kind;
    if (base->in_transaction) {
        return lotor_fail(LOTOR_INVALID, why, "a transaction has begun already");
    }
    /* Prepares COMMIT and ROLLBACK first, so that a lack of memory can't keep the transaction
     * from ending. */
    end(base);
    lotor_status status = prepare(lite(base), commit_sql, why);
    if (status == LOTOR_OK) {
        status = prepare(lite(base), rollback_sql, why);
    }
    if (status == LOTOR_OK) {
        status = run(base, base->mode == LOTOR_STORE_SERVE ? "BEGIN IMMEDIATE" : "BEGIN", NULL, 0,
                     true, why);
    }
    base->in_transaction = status == LOTOR_OK;
    return status;
}

static lotor_status commit(lotor_store *base, lotor_message *why)
{
    if (!base->in_transaction || sqlite3_get_autocommit(lite(base)->db)) {
        /* An earlier failure has undone the whole transaction. Later statements must not count
         * as committed. */
        rollback(base);
        return lotor_fail(LOTOR_UNFINISHED, why,
                          "the store can't be written: an earlier error has undone the change");
    }
    const lotor_status status = run(base, commit_sql, NULL, 0, true, why);
    if (status != LOTOR_OK) {
        rollback(base);
    }
    base->in_transaction = false;
    return status;
}

static lotor_status script(lotor_store *base, const char *sql, lotor_message *why)
{
    return execute(lite(base)->db, sql, why);
}

/* --- tables ----------------------------------------------------------------------------------- */

static lotor_status get_version(lotor_store *base, lotor_message *why, uint64_t *version)
{
    sqlite3 *const db = lite(base)->db;
    int64_t application = 0, number = 0, tables = 0;
    lotor_status status = get_number(db, "PRAGMA application_id", why, &application);
    if (status == LOTOR_OK) {
        status = get_number(db, "PRAGMA user_version", why, &number);
    }
    if (status == LOTOR_OK) {
        status = get_number(db, "SELECT count(*) FROM sqlite_master", why, &tables);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const bool is_empty = application == 0 && number == 0 && tables == 0;
    if (!is_empty && (application != APPLICATION_ID || number <= 0)) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "the file is a SQLite database of another program, not a store");
    }
    *version = (uint64_t)number;
    return LOTOR_OK;
}

/* Checks that both lists are the same, row by row. */
static lotor_status compare_lists(sqlite3 *db, sqlite3_stmt *here, sqlite3_stmt *right,
                                  lotor_message *why)
{
    for (;;) {
        const int left = sqlite3_step(here), wanted = sqlite3_step(right);
        if (left != SQLITE_ROW && left != SQLITE_DONE) {
            return fail(db, left, "the store's tables can't be listed", why);
        }
        const char *is = left == SQLITE_ROW ? (const char *)sqlite3_column_text(here, 0) : "";
        const char *should =
            wanted == SQLITE_ROW ? (const char *)sqlite3_column_text(right, 0) : "";
        if (!is || !should || (wanted != SQLITE_ROW && wanted != SQLITE_DONE)) {
            return lotor_fail(LOTOR_MEMORY, why, "out of memory");
        }
        if (strcmp(is, should) != 0) {
            return lotor_fail(LOTOR_DAMAGED, why,
                              "the store's tables are not those of its version: another program "
                              "changed them; restore a backup");
        }
        if (left == SQLITE_DONE) {
            return LOTOR_OK;
        }
    }
}

/* A store that was migrated from schema 1 still has SQLite's own table of sequences: it is
 * ignored. */
static lotor_status compare(lotor_store *base, uint64_t version, lotor_message *why)
{
    static const char list[] =
        "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') "
        "FROM sqlite_master WHERE name <> 'sqlite_sequence' ORDER BY 1";
    sqlite3 *const db = lite(base)->db;
    sqlite3 *fresh = NULL;
    sqlite3_stmt *here = NULL, *right = NULL;
    lotor_status status = LOTOR_OK;
    if (sqlite3_open_v2(":memory:", &fresh, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK) {
        status = lotor_fail((lotor_status)LOTOR_MEMORY, why, "out of memory");
    }
    if (status == LOTOR_OK) {
        static const char *const tables[] = {lotor_sqlite_tables_1, lotor_sqlite_tables_2,
                                             lotor_sqlite_tables_3, lotor_sqlite_tables_4,
                                             lotor_sqlite_tables};
        assert(version >= 1 && version <= LOTOR_SCHEMA_VERSION);
        status = execute(fresh, tables[version - 1], why);
    }
    if (status == LOTOR_OK) {
        const int code = sqlite3_prepare_v2(db, list, -1, &here, NULL);
        status = code == SQLITE_OK ? LOTOR_OK
                                   : fail(db, code, "the store's tables can't be listed", why);
    }
    if (status == LOTOR_OK && sqlite3_prepare_v2(fresh, list, -1, &right, NULL) != SQLITE_OK) {
        status = lotor_fail((lotor_status)LOTOR_MEMORY, why, "out of memory");
    }
    if (status == LOTOR_OK) {
        status = compare_lists(db, here, right, why);
    }
    sqlite3_finalize(here);
    sqlite3_finalize(right);
    sqlite3_close(fresh);
    return status;
}

static lotor_status inspect_once(sqlite3 *db, const char *sql, lotor_message *finding)
{
    sqlite3_stmt *query = NULL;
    lotor_status status = LOTOR_OK;
    int code = sqlite3_prepare_v2(db, sql, -1, &query, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(query);
    }
    if (code == SQLITE_ROW) {
        const char *said = (const char *)sqlite3_column_text(query, 0);
        if (!said || strcmp(said, "ok") != 0) {
            status = lotor_fail((lotor_status)LOTOR_DAMAGED, finding,
                                "SQLite finds the file damaged: %s",
                                lotor_quote_text(said ? said : "").text);
        }
    } else if (code != SQLITE_DONE) {
        status = fail(db, code, "SQLite finds the file damaged", finding);
    }
    sqlite3_finalize(query);
    return status;
}

/* SQLite reports a page that it had no memory for as damaged. So a finding is checked a second
 * time. */
static lotor_status inspect(lotor_store *base, bool is_quick, lotor_message *finding)
{
    const char *const sql = is_quick ? "PRAGMA quick_check(1)" : "PRAGMA integrity_check(1)";
    const lotor_status status = inspect_once(lite(base)->db, sql, finding);
    return status == LOTOR_DAMAGED ? inspect_once(lite(base)->db, sql, finding) : status;
}

/* Nothing to do: the lock file keeps other servers away. */
static lotor_status lock_old(lotor_store *base, lotor_message *why)
{
    (void)base;
    (void)why;
    return LOTOR_OK;
}

/* --- backup ----------------------------------------------------------------------------------- */

/* SQLite's online backup copies all pages in one read transaction. The copy is made under
 * another name, synced, and then linked to its own name. So a copy is either complete or does
 * not exist, and no file is overwritten. The copy is not in the log mode: reading it leaves no
 * files next to it. A server that gets it as its store turns the log on again. */
static lotor_status copy_pages(sqlite_store *store, const char *path, lotor_message *why)
{
    sqlite3 *copy = NULL;
    int code = sqlite3_open_v2(path, &copy, SQLITE_OPEN_READWRITE, NULL);
    if (code == SQLITE_OK) {
        sqlite3_backup *all = sqlite3_backup_init(copy, "main", store->db, "main");
        if (all) {
            code = sqlite3_backup_step(all, -1);
            const int finished = sqlite3_backup_finish(all);
            code = code == SQLITE_DONE ? finished : code;
            code =
                code ? code : sqlite3_exec(copy, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
        } else {
            code = sqlite3_errcode(copy);
        }
    }
    const lotor_status status = code == SQLITE_OK ? LOTOR_OK : fail(NULL, code, "the copy", why);
    sqlite3_close(copy);
    return status;
}

static lotor_status sync_file(const char *path, lotor_message *why)
{
    const int file = open(path, O_RDWR | O_CLOEXEC);
    const bool synced = file >= 0 && fsync(file) == 0;
    const int error = errno;
    if (file >= 0) {
        close(file);
    }
    return synced ? LOTOR_OK
                  : lotor_fail(LOTOR_UNFINISHED, why, "the copy could not be synced: %s",
                               strerror(error));
}

static lotor_status put_in_place(const char *part, const char *path, lotor_message *why)
{
    if (link(part, path) != 0) {
        return lotor_fail(errno == EEXIST ? LOTOR_DUPLICATE : LOTOR_UNFINISHED, why,
                          "the copy %s could not be made: %s", lotor_quote_text(path).text,
                          strerror(errno));
    }
    unlink(part);
    return lotor_sync_folder(path, why);
}

static lotor_status copy_through(sqlite_store *store, const char *part, const char *path,
                                 lotor_message *why)
{
    const int file = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return lotor_fail(LOTOR_UNFINISHED, why, "%s can't be made: %s%s",
                          lotor_quote_text(part).text, strerror(errno),
                          errno == EEXIST ? " (it is left over from an interrupted backup, or "
                                            "another backup is running: remove it)"
                                          : "");
    }
    close(file);
    lotor_status status = copy_pages(store, part, why);
    if (status == LOTOR_OK) {
        status = sync_file(part, why);
    }
    if (status == LOTOR_OK) {
        status = put_in_place(part, path, why);
    }
    if (status != LOTOR_OK) {
        unlink(part);
    }
    return status;
}

static lotor_status backup(lotor_store *base, const char *path, lotor_message *why)
{
    struct stat facts;
    if (lstat(path, &facts) == 0) {
        return lotor_fail(LOTOR_DUPLICATE, why,
                          "%s exists already, and is not overwritten: give another name",
                          lotor_quote_text(path).text);
    }
    char *part = lotor_path_with(path, ".part");
    if (!part) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    const lotor_status status = copy_through(lite(base), part, path, why);
    free(part);
    return status;
}

/* --- deleted content -------------------------------------------------------------------------- */

/* secure_delete has overwritten deleted rows in the newest versions of their pages. Older versions are
 * in the write-ahead log until it is copied into the file and cut. It does not wait for readers, such as
 * a backup: a server must not stand still for them. */
static lotor_status overwrite(lotor_store *base, lotor_message *why)
{
    sqlite3_busy_timeout(lite(base)->db, 0);
    const int code =
        sqlite3_wal_checkpoint_v2(lite(base)->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_busy_timeout(lite(base)->db, BUSY_MILLISECONDS);
    return code == SQLITE_OK ? LOTOR_OK : fail(lite(base)->db, code, "the checkpoint", why);
}

/* --- opening ---------------------------------------------------------------------------------- */

static lotor_status take_lock(sqlite_store *store, lotor_message *why)
{
    char *name = lotor_path_with(store->path, ".lock");
    if (!name) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    lotor_status status = LOTOR_OK;
    store->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (store->lock < 0) {
        status = lotor_fail(LOTOR_UNFINISHED, why, "the lock file %s can't be made: %s",
                            lotor_quote_text(name).text, strerror(errno));
    } else if (flock(store->lock, LOCK_EX | LOCK_NB) != 0) {
        status = errno == EWOULDBLOCK
                     ? lotor_fail(LOTOR_DUPLICATE, why,
                                  "another server is running on the store %s: a SQLite store can "
                                  "have only one server; stop the other one first",
                                  lotor_quote_text(store->path).text)
                     : lotor_fail(LOTOR_UNFINISHED, why, "the store %s can't be locked: %s",
                                  lotor_quote_text(store->path).text, strerror(errno));
    }
    free(name);
    return status;
}

/* Makes an empty file that only its owner can read, unless the file exists. */
static lotor_status make_empty(const char *path, lotor_message *why)
{
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0) {
        close(file);
        return lotor_sync_folder(path, why);
    }
    if (errno == EEXIST) {
        return LOTOR_OK;
    }
    const int error = errno;
    return lotor_fail(LOTOR_UNFINISHED, why, "the store %s can't be made: %s%s",
                      lotor_quote_text(path).text, strerror(error),
                      error == ENOENT ? " (create the folder first)" : "");
}

static lotor_status prepare_files(sqlite_store *store, const char *path, lotor_message *why)
{
    struct stat facts;
    if (store->base.mode == LOTOR_STORE_READ && stat(path, &facts) != 0) {
        return lotor_fail(errno == ENOENT ? LOTOR_UNKNOWN : LOTOR_UNFINISHED, why,
                          "the store %s can't be opened: %s", lotor_quote_text(path).text,
                          strerror(errno));
    }
    if (store->base.mode == LOTOR_STORE_SERVE) {
        const lotor_status status = make_empty(path, why);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    /* Two names of the same file must use the same lock file. */
    char *real = malloc(PATH_MAX);
    if (!real) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    if (!realpath(path, real)) {
        free(real);
        return lotor_fail(LOTOR_UNFINISHED, why, "the store %s can't be opened: %s",
                          lotor_quote_text(path).text, strerror(errno));
    }
    free(store->path);
    store->path = real;
    return store->base.mode == LOTOR_STORE_SERVE ? take_lock(store, why) : LOTOR_OK;
}

static void now_ms(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    (void)values;
    sqlite3_result_int64(context, (int64_t)lotor_time_wall_ms());
}

static lotor_status open_file(sqlite_store *store, const char *path, int how, const char *vfs,
                              lotor_message *why)
{
    int code = sqlite3_open_v2(path, &store->db, how | SQLITE_OPEN_FULLMUTEX, vfs);
    if (code == SQLITE_OK) {
        code = sqlite3_create_function_v2(store->db, "now_ms", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                          NULL, now_ms, NULL, NULL, NULL);
    }
    if (code != SQLITE_OK) {
        return fail(NULL, code, "the store can't be opened", why);
    }
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, BUSY_MILLISECONDS);
    /* The file may come from anybody: its schema is not trusted, and SQLite's own tables can't
     * be written. */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 0);
    return execute(store->db, "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY", why);
}

/* synchronous is EXTRA, not FULL, and is set before the log is turned on. With FULL, the journal
 * of that change could reappear after a power loss, and undo the change together with all
 * commits since. In the log mode EXTRA and FULL are the same: every commit is synced. The log is
 * overwritten in place, since syncing a file that grows takes longer: see store.md. */
static lotor_status set_up_writing(sqlite_store *store, lotor_message *why)
{
    int64_t is_wal = 0;
    lotor_status status = execute(store->db,
                                  "PRAGMA synchronous = EXTRA; "
                                  "PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL; "
                                  "PRAGMA wal_autocheckpoint = 1000",
                                  why);
    if (status == LOTOR_OK) {
        status = get_number(store->db, "SELECT journal_mode = 'wal' FROM pragma_journal_mode", why,
                            &is_wal);
    }
    if (status == LOTOR_OK && !is_wal) {
        status = lotor_fail((lotor_status)LOTOR_UNFINISHED, why,
                            "the store's folder is on a file system without shared memory: SQLite "
                            "can't keep its log there; put it on a local disk");
    }
    return status;
}

/* If nothing can be written and there is no log, the file alone is the store. */
static lotor_status open_unchanging(sqlite_store *store, lotor_message *why)
{
    struct stat facts;
    char *log = lotor_path_with(store->path, "-wal");
    const bool has_log = !log || (stat(log, &facts) == 0 && facts.st_size > 0);
    free(log);
    if (has_log) {
        return lotor_fail(
            LOTOR_UNFINISHED, why,
            "the store has a log (%s-wal), which can't be read in a folder where this "
            "user can't write: copy both files to another folder",
            lotor_quote_text(store->path).text);
    }
    char *address = malloc(3 * strlen(store->path) + 32);
    if (!address) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    char *to = address + sprintf(address, "file:");
    for (const char *letter = store->path; *letter; letter++) {
        if (strchr("%?#", *letter)) {
            to += sprintf(to, "%%%02x", (unsigned char)*letter);
        } else {
            *to++ = *letter;
        }
    }
    sprintf(to, "?immutable=1");
    sqlite3_close(store->db);
    store->db = NULL;
    const lotor_status status =
        open_file(store, address, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL, why);
    free(address);
    return status;
}

static lotor_status open_all(sqlite_store *store, const char *path, const char *vfs,
                             lotor_message *why)
{
    const bool serves = store->base.mode == LOTOR_STORE_SERVE;
    lotor_status status = vfs ? LOTOR_OK : prepare_files(store, path, why);
    if (status == LOTOR_OK) {
        status = open_file(
            store, store->path,
            serves ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY, vfs, why);
    }
    int64_t unused;
    if (status == LOTOR_OK) {
        status = get_number(store->db, "PRAGMA user_version", why, &unused);
    }
    if (status == LOTOR_UNFINISHED && !serves && !vfs && store->db) {
        status = open_unchanging(store, why);
    }
    if (serves && store->db && sqlite3_db_readonly(store->db, "main") == 1) {
        return fail(NULL, SQLITE_READONLY, "the store can't be written", why);
    }
    /* Refuses a file of another program before anything in it is changed. */
    uint64_t version = 0;
    if (status == LOTOR_OK && serves) {
        status = get_version(&store->base, why, &version);
    }
    if (status == LOTOR_OK && serves) {
        status = lotor_schema_refuse_newer(version, why);
    }
    return status == LOTOR_OK && serves ? set_up_writing(store, why) : status;
}

static void close_store(lotor_store *base)
{
    sqlite_store *store = lite(base);
    end(base);
    for (size_t i = 0; i < KEPT; i++) {
        sqlite3_finalize(store->kept[i].statement);
    }
    sqlite3_close(store->db);
    if (store->lock >= 0) {
        close(store->lock); /* the lock file stays: removing it would race with the next server */
    }
    free(store->path);
    free(store);
}

/* clang-format off */
static const lotor_store_driver driver = {
    .is_exclusive = true,
    .close = close_store,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .run = run,
    .next = next,
    .column = column,
    .column_name = column_name,
    .end = end,
    .script = script,
    .tables = lotor_sqlite_tables,
    .from_2 = lotor_sqlite_from_2,
    .from_3 = lotor_sqlite_from_3,
    .from_4 = lotor_sqlite_from_4,
    .old_renamed =
        "ALTER TABLE campaigns RENAME TO old_campaigns; ALTER TABLE states RENAME TO old_states; "
        "ALTER TABLE blocks RENAME TO old_blocks; ALTER TABLE answers RENAME TO old_answers; "
        "ALTER TABLE releases RENAME TO old_releases; ALTER TABLE users RENAME TO old_users; "
        "ALTER TABLE meta RENAME TO old_meta; ",
    .old_dropped = "DROP TABLE old_states; DROP TABLE old_blocks; DROP TABLE old_answers; "
                   "DROP TABLE old_releases; DROP TABLE old_users; DROP TABLE old_meta; "
                   "DROP TABLE old_campaigns; ",
    .version = get_version,
    .compare = compare,
    .inspect = inspect,
    .backup = backup,
    .overwrite = overwrite,
    .lock_old = lock_old,
    .lock_2 = lock_old,
};
/* clang-format on */

lotor_status lotor_sqlite_open(const char *path, lotor_store_mode mode, const char *vfs,
                               lotor_message *why, lotor_store **out)
{
    *out = NULL;
    sqlite_store *store = calloc(1, sizeof *store);
    if (store) {
        store->path = lotor_path_with(path, "");
    }
    if (!store || !store->path) {
        free(store);
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    store->base = (lotor_store){.driver = &driver, .mode = mode};
    store->lock = -1;
    const lotor_status status = open_all(store, path, vfs, why);
    if (status != LOTOR_OK) {
        close_store(&store->base);
        return status;
    }
    *out = &store->base;
    return LOTOR_OK;
}
