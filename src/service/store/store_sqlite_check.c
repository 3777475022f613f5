/* store_sqlite_check.c - what SQLite itself can say about damage. */
#include <string.h>

#include "base/message.h"
#include "base/quote.h"
#include "service/store/store_sqlite.h"

/* The first line of a pragma that says nothing, or "ok", when all is well. */
static lotor_status check_pragma(lotor_sqlite *store, const char *sql, const char *what,
                                 lotor_message *finding)
{
    sqlite3_stmt *query = NULL;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &query, NULL);
    lotor_status status = LOTOR_OK;
    if (code == SQLITE_OK) {
        code = sqlite3_step(query);
    }
    if (code == SQLITE_ROW) {
        const char *said = (const char *)sqlite3_column_text(query, 0);
        if (!said || strcmp(said, "ok") != 0) {
            status = lotor_fail(LOTOR_DAMAGED, finding, "%s: %s", what,
                                lotor_quote_text(said ? said : "").text);
        }
    } else if (code != SQLITE_DONE) {
        status = lotor_sqlite_fail(store->db, code, what, finding);
    }
    sqlite3_finalize(query);
    return status;
}

lotor_status lotor_sqlite_begin_check(lotor_store *base, lotor_message *why, bool *has_begun)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    *has_begun = sqlite3_get_autocommit(store->db) != 0;
    return *has_begun ? lotor_sqlite_run(store->db, "BEGIN", why) : LOTOR_OK;
}

lotor_status lotor_sqlite_check(lotor_store *base, lotor_message *finding)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status =
        check_pragma(store, "PRAGMA integrity_check(1)", "SQLite finds the file damaged", finding);
    if (status == LOTOR_OK) {
        status = check_pragma(store, "PRAGMA foreign_key_check",
                              "a row belongs to a campaign that is not there: table", finding);
    }
    if (status == LOTOR_OK) {
        status = check_pragma(store,
                              "SELECT name FROM campaigns WHERE id NOT IN "
                              "(SELECT campaign FROM states)",
                              "a campaign has no state", finding);
    }
    return status;
}
