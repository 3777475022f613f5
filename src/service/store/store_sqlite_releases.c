/* store_sqlite_releases.c - the rows of the chain in SQLite; what they mean is store_chain.c's. */
#include <string.h>

#include "base/message.h"
#include "service/store/store_sqlite.h"

/* A row of (number, hash), or zeros where there is none. */
static lotor_status get_link(lotor_sqlite *store, sqlite3_stmt *query, lotor_message *why,
                             lotor_head *out)
{
    bool row, damaged = false;
    memset(out, 0, sizeof *out);
    lotor_status status = lotor_query_step(store, query, why, &row);
    if (status == LOTOR_OK && row) {
        out->releases = lotor_column_number(query, 0, &damaged);
        lotor_column_copy(query, 1, out->hash, sizeof out->hash, &damaged);
        status = damaged ? lotor_column_refuse(store, "a release", why) : LOTOR_OK;
    }
    lotor_query_end(query);
    return status;
}

lotor_status lotor_sqlite_last_release(lotor_store *base, bool locks, lotor_message *why,
                                       lotor_head *out)
{
    (void)locks; /* the transaction has the whole file */
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_LAST_RELEASE, why, &status);
    return query ? get_link(store, query, why, out) : status;
}

static lotor_status tell_release(lotor_sqlite *store, sqlite3_stmt *row, lotor_on_release_row *told,
                                 void *context, lotor_message *why)
{
    bool damaged = false;
    lotor_release release = {
        .number = lotor_column_number(row, 0, &damaged),
        .campaign = lotor_column_number(row, 1, &damaged),
        .time = lotor_column_number(row, 2, &damaged),
    };
    release.facts = lotor_column_blob(row, 3, &release.facts_length, &damaged);
    lotor_column_copy(row, 4, release.digest, sizeof release.digest, &damaged);
    lotor_column_copy(row, 5, release.hash, sizeof release.hash, &damaged);
    if (damaged) {
        return lotor_column_refuse(store, "a release", why);
    }
    return told(context, &release);
}

lotor_status lotor_sqlite_each_release(lotor_store *base, uint64_t campaign,
                                       lotor_on_release_row *told, void *context,
                                       lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(
        store, campaign == 0 ? LOTOR_QUERY_EACH_RELEASE : LOTOR_QUERY_EACH_RELEASE_OF, why,
        &status);
    if (!query) {
        return status;
    }
    if (campaign != 0) {
        lotor_bind_number(query, 1, campaign);
    }
    while (lotor_query_next(store, query, why, &status)) {
        status = tell_release(store, query, told, context, why);
    }
    lotor_query_end(query);
    return status;
}

lotor_status lotor_sqlite_get_release(lotor_store *base, uint64_t number, lotor_message *why,
                                      lotor_head *out)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_GET_RELEASE, why, &status);
    if (!query) {
        return status;
    }
    lotor_bind_number(query, 1, number);
    return get_link(store, query, why, out);
}

lotor_status lotor_sqlite_put_release(lotor_store *base, const lotor_release *release,
                                      lotor_message *why)
{
    lotor_sqlite *store = lotor_sqlite_of(base);
    lotor_status status;
    sqlite3_stmt *query = lotor_query_start(store, LOTOR_QUERY_ADD_RELEASE, why, &status);
    if (!query) {
        return status;
    }
    lotor_bind_number(query, 1, release->number);
    lotor_bind_number(query, 2, release->campaign);
    lotor_bind_number(query, 3, release->time);
    lotor_bind_blob(query, 4, release->facts, release->facts_length);
    lotor_bind_blob(query, 5, release->digest, sizeof release->digest);
    lotor_bind_blob(query, 6, release->hash, sizeof release->hash);
    return lotor_query_run(store, query, why);
}
