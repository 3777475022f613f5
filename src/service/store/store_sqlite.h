/* store_sqlite.h - what the files of the SQLite back end share. Nobody else includes it. */
#ifndef LOTOR_SERVICE_STORE_SQLITE_H
#define LOTOR_SERVICE_STORE_SQLITE_H

#include <sqlite3.h>

#include "service/store/store_backend.h"

/* Statements that are prepared once and kept; their text is in store_sqlite.c. */
typedef enum lotor_query {
    LOTOR_QUERY_BEGIN,
    LOTOR_QUERY_LOOK,
    LOTOR_QUERY_COMMIT,
    LOTOR_QUERY_ROLLBACK,
    LOTOR_QUERY_ADD_CAMPAIGN,
    LOTOR_QUERY_ADD_STATE,
    LOTOR_QUERY_EACH_CAMPAIGN,
    LOTOR_QUERY_GET_STATE,
    LOTOR_QUERY_PUT_STATE,
    LOTOR_QUERY_PUT_SPEC,
    LOTOR_QUERY_ADD_BLOCK,
    LOTOR_QUERY_PUT_BLOCK,
    LOTOR_QUERY_EACH_BLOCK,
    LOTOR_QUERY_ADD_ANSWERS,
    LOTOR_QUERY_EACH_ANSWERS,
    LOTOR_QUERY_FORGET_BLOCKS,
    LOTOR_QUERY_FORGET_ANSWERS,
    LOTOR_QUERY_ADD_RELEASE,
    LOTOR_QUERY_EACH_RELEASE,
    LOTOR_QUERY_EACH_RELEASE_OF,
    LOTOR_QUERY_LAST_RELEASE,
    LOTOR_QUERY_GET_RELEASE,
    LOTOR_QUERY_COUNT_USER,
    LOTOR_QUERY_EACH_USER,
    LOTOR_QUERY_PUT_USER,
    LOTOR_QUERY_GET_META,
    LOTOR_QUERY_PUT_META,
    LOTOR_QUERY_COUNT
} lotor_query;

typedef struct lotor_sqlite {
    lotor_store base;
    sqlite3 *db;
    sqlite3_stmt *statements[LOTOR_QUERY_COUNT];
    int lock; /* the lock file, or -1 */
    char *path;
} lotor_sqlite;

static inline lotor_sqlite *lotor_sqlite_of(lotor_store *store)
{
    return (lotor_sqlite *)store; /* `base` comes first */
}

/* What SQLite said, as a status and a sentence: "WHAT: the disk is full ...". */
lotor_status lotor_sqlite_fail(sqlite3 *db, int code, const char *what, lotor_message *why);

/* Runs some text of statements that give no rows. */
lotor_status lotor_sqlite_run(sqlite3 *db, const char *sql, lotor_message *why);
/* The first number that a statement gives. */
lotor_status lotor_sqlite_number(sqlite3 *db, const char *sql, lotor_message *why, int64_t *out);

/* A kept statement, ready for binding; NULL: *status and the message say why. */
sqlite3_stmt *lotor_query_start(lotor_sqlite *store, lotor_query query, lotor_message *why,
                                lotor_status *status);
/* Runs a statement that gives no rows, and makes it ready again (nothing stays bound). */
lotor_status lotor_query_run(lotor_sqlite *store, sqlite3_stmt *statement, lotor_message *why);
/* The next row: LOTOR_OK and *row says whether there is one. */
lotor_status lotor_query_step(lotor_sqlite *store, sqlite3_stmt *statement, lotor_message *why,
                              bool *row);
/* The same as a loop's condition: whether there is a row, while all is well. NULL: no. */
bool lotor_query_next(lotor_sqlite *store, sqlite3_stmt *statement, lotor_message *why,
                      lotor_status *status);
void lotor_query_end(sqlite3_stmt *statement);

/* Numbers: all but nonces must fit into 63 bits; greater ones are refused by lotor_query_run, for
 * SQLite would take them for negative ones. */
void lotor_bind_number(sqlite3_stmt *statement, int place, uint64_t value);
void lotor_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, size_t length);

/* Columns of a row, with their types checked: a wrong one sets *damaged. */
uint64_t lotor_column_number(sqlite3_stmt *row, int place, bool *damaged);
const char *lotor_column_text(sqlite3_stmt *row, int place, bool *damaged);
/* NULL in the store is NULL here. */
const unsigned char *lotor_column_blob(sqlite3_stmt *row, int place, size_t *length, bool *damaged);
/* A blob of exactly that length. */
void lotor_column_copy(sqlite3_stmt *row, int place, unsigned char *to, size_t length,
                       bool *damaged);
lotor_status lotor_column_refuse(lotor_sqlite *store, const char *what, lotor_message *why);

/* Schema: steps[v] makes version v + 1 from version v, in one transaction each. Refuses newer ones
 * (LOTOR_VERSION) and other programs' files (LOTOR_DAMAGED). */
extern const char *const lotor_schema_steps[LOTOR_SCHEMA_VERSION];
enum { LOTOR_APPLICATION_ID = 0x6c6f7472 }; /* "lotr" */
lotor_status lotor_schema_is_ours(sqlite3 *db, int64_t version, lotor_message *why);
lotor_status lotor_schema_migrate(sqlite3 *db, const char *const *steps, int64_t version,
                                  bool may_write, lotor_message *why);
/* Whether tables and indexes are those of the steps, to the letter, and nothing else is there. */
lotor_status lotor_schema_compare(sqlite3 *db, const char *const *steps, int64_t version,
                                  lotor_message *why);

/* The back end; store_open.c has the list of its calls. */
void lotor_sqlite_close(lotor_store *base);
lotor_status lotor_sqlite_begin(lotor_store *base, lotor_message *why);
lotor_status lotor_sqlite_commit(lotor_store *base, lotor_message *why);
void lotor_sqlite_rollback(lotor_store *base);
lotor_status lotor_sqlite_add_campaign(lotor_store *base, const char *name, const char *spec,
                                       double created, lotor_message *why, uint64_t *id);
lotor_status lotor_sqlite_each_campaign(lotor_store *base, lotor_on_campaign *told, void *context,
                                        lotor_message *why);
lotor_status lotor_sqlite_get_state(lotor_store *base, uint64_t campaign, lotor_on_campaign *told,
                                    void *context, lotor_message *why);
lotor_status lotor_sqlite_put_state(lotor_store *base, uint64_t campaign, uint64_t final,
                                    const unsigned char *state, size_t length, lotor_message *why);
lotor_status lotor_sqlite_put_spec(lotor_store *base, uint64_t campaign, const char *spec,
                                   bool closed, lotor_message *why);
lotor_status lotor_sqlite_add_block(lotor_store *base, uint64_t campaign, const lotor_block *block,
                                    lotor_message *why);
lotor_status lotor_sqlite_put_block(lotor_store *base, uint64_t campaign, const lotor_block *block,
                                    lotor_message *why);
lotor_status lotor_sqlite_each_block(lotor_store *base, uint64_t campaign, uint64_t changed,
                                     lotor_on_block *told, void *context, lotor_message *why);
lotor_status lotor_sqlite_add_answers(lotor_store *base, uint64_t campaign,
                                      const lotor_answers *answers, lotor_message *why);
lotor_status lotor_sqlite_each_answers(lotor_store *base, uint64_t campaign, uint64_t from,
                                       lotor_on_answers *told, void *context, lotor_message *why);
lotor_status lotor_sqlite_forget(lotor_store *base, uint64_t campaign, uint64_t final,
                                 lotor_message *why);
lotor_status lotor_sqlite_count_user(lotor_store *base, uint64_t campaign,
                                     const unsigned char hash[16], uint64_t cap, lotor_message *why,
                                     bool *counted);
lotor_status lotor_sqlite_each_user(lotor_store *base, uint64_t campaign, lotor_on_user *told,
                                    void *context, lotor_message *why);
lotor_status lotor_sqlite_put_user(lotor_store *base, uint64_t campaign,
                                   const unsigned char hash[16], uint64_t shown,
                                   lotor_message *why);
lotor_status lotor_sqlite_get_meta(lotor_store *base, const char *key, lotor_message *why,
                                   char *value, size_t capacity);
lotor_status lotor_sqlite_put_meta(lotor_store *base, const char *key, const char *value,
                                   lotor_message *why);
lotor_status lotor_sqlite_backup(lotor_store *base, const char *path, lotor_message *why);
lotor_status lotor_sqlite_last_release(lotor_store *base, bool locks, lotor_message *why,
                                       lotor_head *out);
lotor_status lotor_sqlite_each_release(lotor_store *base, uint64_t campaign,
                                       lotor_on_release_row *told, void *context,
                                       lotor_message *why);
lotor_status lotor_sqlite_get_release(lotor_store *base, uint64_t number, lotor_message *why,
                                      lotor_head *out);
lotor_status lotor_sqlite_put_release(lotor_store *base, const lotor_release *release,
                                      lotor_message *why);
lotor_status lotor_sqlite_begin_check(lotor_store *base, lotor_message *why, bool *has_begun);
lotor_status lotor_sqlite_check(lotor_store *base, lotor_message *finding);

#endif
