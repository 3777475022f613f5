/* store_sqlite_users.c - the counts of users, as they are copied to another store. */
#include "service/store/store_sqlite.h"

static lotor_status tell_user(lotor_sqlite *store, sqlite3_stmt *row, lotor_on_user *told,
                              void *context, lotor_message *why)
{
    unsigned char hash[16];
    bool damaged = false;
    lotor_column_copy(row, 0, hash, sizeof hash, &damaged);
    const uint64_t shown = lotor_column_number(row, 1, &damaged);
    return damaged ? lotor_column_refuse(store, "a user's count", why) : told(context, hash, shown);
}

lotor_status lotor_sqlite_each_user(lotor_store *base, uint64_t campaign, lotor_on_user *told,
                                    void *context, lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_EACH_USER, why, &status);
    if (!query) {
        return status;
    }
    lotor_bind_number(query, 1, campaign);
    while (lotor_query_next(store, query, why, &status)) {
        status = tell_user(store, query, told, context, why);
    }
    lotor_query_end(query);
    return status;
}

lotor_status lotor_sqlite_put_user(lotor_store *base, uint64_t campaign,
                                   const unsigned char hash[16], uint64_t shown, lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_PUT_USER, why, &status);
    if (!query) {
        return status;
    }
    lotor_bind_number(query, 1, campaign);
    lotor_bind_blob(query, 2, hash, 16);
    lotor_bind_number(query, 3, shown);
    return lotor_query_run(store, query, why);
}
