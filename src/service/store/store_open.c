/* store_open.c - opening a SQLite store, transactions, and who may serve it.
 *
 * A server holds STORE.lock (flock: the kernel lets go of it when the process ends, however it ends).
 * The file is made here with mode 0600, and SQLite gives its log the same. A reader opens the file
 * read-only; on a disk where nothing can be written it looks at the file as it stands, if no log is
 * beside it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/store/store_sqlite.h"
#include "service/vault/durable.h"

enum { BUSY_MILLISECONDS = 5000 };

static lotor_status take_lock(lotor_sqlite *store, lotor_message *why)
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
                                  "another server is running on the store %s: one file has one "
                                  "server; stop that one first",
                                  lotor_quote_text(store->path).text)
                     : lotor_fail(LOTOR_UNFINISHED, why, "the store %s can't be locked: %s",
                                  lotor_quote_text(store->path).text, strerror(errno));
    }
    free(name);
    return status;
}

/* Makes an empty file that only its owner can read, unless there is one. */
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
    return lotor_fail(LOTOR_UNFINISHED, why, "the store %s can't be made: %s",
                      lotor_quote_text(path).text, strerror(errno));
}

static lotor_status prepare_files(lotor_sqlite *store, const char *path, lotor_message *why)
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
    /* Two names of one file are one store, with one lock. */
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

static lotor_status open_file(lotor_sqlite *store, const char *path, int how, const char *vfs,
                              lotor_message *why)
{
    const int code = sqlite3_open_v2(path, &store->db, how | SQLITE_OPEN_FULLMUTEX, vfs);
    if (code != SQLITE_OK) {
        return lotor_sqlite_fail(NULL, code, "the store can't be opened", why);
    }
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, BUSY_MILLISECONDS);
    /* The file may come from anybody: no tricks in its schema, no writing to SQLite's own tables. */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 0);
    return lotor_sqlite_run(store->db,
                            "PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON; "
                            "PRAGMA temp_store = MEMORY",
                            why);
}

/* EXTRA and not FULL, and before the log is turned on: with FULL the journal of that change could come
 * back after a power loss, and undo it together with every commit since. For the log both are the same:
 * every commit is synced. One that SQLite overwrites in place is synced faster than one that grows: see
 * store.md. */
static lotor_status set_up_writing(lotor_sqlite *store, lotor_message *why)
{
    int64_t is_wal = 0;
    lotor_status status = lotor_sqlite_run(store->db,
                                           "PRAGMA synchronous = EXTRA; "
                                           "PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL; "
                                           "PRAGMA wal_autocheckpoint = 1000",
                                           why);
    if (status == LOTOR_OK) {
        status = lotor_sqlite_number(
            store->db, "SELECT journal_mode = 'wal' FROM pragma_journal_mode", why, &is_wal);
    }
    if (status == LOTOR_OK && !is_wal) {
        status = lotor_fail(LOTOR_UNFINISHED, why,
                            "the store's folder is on a file system without shared memory: SQLite "
                            "can't keep its log there; put it on a local disk");
    }
    return status;
}

/* Where nothing can be written and no log is left over, the file alone is the store. */
static lotor_status open_unchanging(lotor_sqlite *store, lotor_message *why)
{
    struct stat facts;
    char *log = lotor_path_with(store->path, "-wal");
    const bool has_log = !log || (stat(log, &facts) == 0 && facts.st_size > 0);
    free(log);
    if (has_log) {
        return lotor_fail(LOTOR_UNFINISHED, why,
                          "the store has a log (%s-wal) that can't be read in a folder where this "
                          "user can't write: copy both files elsewhere",
                          lotor_quote_text(store->path).text);
    }
    char *address = malloc(3 * strlen(store->path) + 32);
    if (!address) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    char *next = address + sprintf(address, "file:");
    for (const char *letter = store->path; *letter; letter++) {
        if (strchr("%?#", *letter)) {
            next += sprintf(next, "%%%02x", (unsigned char)*letter);
        } else {
            *next++ = *letter;
        }
    }
    sprintf(next, "?immutable=1");
    sqlite3_close(store->db);
    store->db = NULL;
    const lotor_status status =
        open_file(store, address, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL, why);
    free(address);
    return status;
}

static lotor_status open_all(lotor_sqlite *store, const char *path, const char *vfs,
                             lotor_message *why)
{
    const bool serves = store->base.mode == LOTOR_STORE_SERVE;
    lotor_status status = vfs ? LOTOR_OK : prepare_files(store, path, why);
    if (status == LOTOR_OK) {
        status = open_file(
            store, store->path,
            serves ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY, vfs, why);
    }
    int64_t version;
    if (status == LOTOR_OK) {
        status = lotor_sqlite_number(store->db, "PRAGMA user_version", why, &version);
    }
    if (status == LOTOR_UNFINISHED && !serves && !vfs && store->db) {
        status = open_unchanging(store, why);
    }
    if (serves && store->db && sqlite3_db_readonly(store->db, "main") == 1) {
        return lotor_sqlite_fail(NULL, SQLITE_READONLY, "the store can't be written", why);
    }
    /* Another program's file is refused before anything of it is changed. */
    if (status == LOTOR_OK && serves) {
        status = lotor_schema_is_ours(store->db, LOTOR_SCHEMA_VERSION, why);
    }
    if (status == LOTOR_OK && serves) {
        status = set_up_writing(store, why);
    }
    if (status == LOTOR_OK) {
        status =
            lotor_schema_migrate(store->db, lotor_schema_steps, LOTOR_SCHEMA_VERSION, serves, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_schema_compare(store->db, lotor_schema_steps, LOTOR_SCHEMA_VERSION, why);
    }
    return status;
}

static const lotor_backend backend = {
    .close = lotor_sqlite_close,
    .begin = lotor_sqlite_begin,
    .commit = lotor_sqlite_commit,
    .rollback = lotor_sqlite_rollback,
    .add_campaign = lotor_sqlite_add_campaign,
    .each_campaign = lotor_sqlite_each_campaign,
    .get_state = lotor_sqlite_get_state,
    .put_state = lotor_sqlite_put_state,
    .put_spec = lotor_sqlite_put_spec,
    .add_block = lotor_sqlite_add_block,
    .put_block = lotor_sqlite_put_block,
    .each_block = lotor_sqlite_each_block,
    .add_answers = lotor_sqlite_add_answers,
    .each_answers = lotor_sqlite_each_answers,
    .forget = lotor_sqlite_forget,
    .last_release = lotor_sqlite_last_release,
    .get_release = lotor_sqlite_get_release,
    .put_release = lotor_sqlite_put_release,
    .each_release = lotor_sqlite_each_release,
    .count_user = lotor_sqlite_count_user,
    .each_user = lotor_sqlite_each_user,
    .put_user = lotor_sqlite_put_user,
    .get_meta = lotor_sqlite_get_meta,
    .put_meta = lotor_sqlite_put_meta,
    .begin_check = lotor_sqlite_begin_check,
    .check = lotor_sqlite_check,
    .backup = lotor_sqlite_backup,
};

lotor_status lotor_sqlite_open(const char *path, lotor_store_mode mode, const char *vfs,
                               lotor_message *why, lotor_store **out)
{
    *out = NULL;
    lotor_sqlite *store = calloc(1, sizeof *store);
    if (store) {
        store->path = lotor_path_with(path, "");
    }
    if (!store || !store->path) {
        free(store);
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    store->base = (lotor_store){&backend, mode};
    store->lock = -1;
    const lotor_status status = open_all(store, path, vfs, why);
    if (status != LOTOR_OK) {
        lotor_sqlite_close(&store->base);
        return status;
    }
    *out = &store->base;
    return LOTOR_OK;
}

void lotor_sqlite_close(lotor_store *base)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_sqlite_rollback(&store->base);
    for (int i = 0; i < LOTOR_QUERY_COUNT; i++) {
        sqlite3_finalize(store->statements[i]);
    }
    sqlite3_close(store->db);
    if (store->lock >= 0) {
        close(store->lock); /* the file stays: removing it would race with the next server */
    }
    free(store->path);
    free(store);
}

lotor_status lotor_sqlite_begin(lotor_store *base, lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(
        store, store->base.mode == LOTOR_STORE_SERVE ? LOTOR_QUERY_BEGIN : LOTOR_QUERY_LOOK, why,
        &status);
    return query ? lotor_query_run(store, query, why) : status;
}

lotor_status lotor_sqlite_commit(lotor_store *base, lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    if (sqlite3_get_autocommit(store->db)) {
        /* An earlier failure has undone it all: what came after would else count as committed. */
        return lotor_fail(LOTOR_UNFINISHED, why,
                          "the store can't be written: an earlier error has undone the change");
    }
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_COMMIT, why, &status);
    status = query ? lotor_query_run(store, query, why) : status;
    if (status != LOTOR_OK) {
        lotor_sqlite_rollback(&store->base);
    }
    return status;
}

void lotor_sqlite_rollback(lotor_store *base)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    if (!store->db || sqlite3_get_autocommit(store->db)) {
        return;
    }
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_ROLLBACK, NULL, &status);
    if (query) {
        lotor_query_run(store, query, NULL);
    }
}
