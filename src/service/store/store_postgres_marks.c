/* store_postgres_marks.c - releases, and what servers on one database tell each other. */
#ifdef LOTOR_POSTGRES
#include "service/store/store_postgres.h"

#include <string.h>

#include "base/message.h"

static lotor_status get_link(lotor_postgres *store, lotor_pg_query query,
                             const lotor_pg_arguments *with, lotor_message *why, lotor_head *out)
{
    PGresult *rows;
    bool damaged = false;
    memset(out, 0, sizeof *out);
    lotor_status status = lotor_pg_run(store, query, with, why, &rows);
    if (status == LOTOR_OK && PQntuples(rows) == 1) {
        out->releases = lotor_pg_get_number(rows, 0, 0, &damaged);
        lotor_pg_copy(rows, 0, 1, out->hash, sizeof out->hash, &damaged);
        status = damaged ? lotor_pg_refuse("a release", why) : LOTOR_OK;
    }
    PQclear(rows);
    return status;
}

/* Campaigns are locked before the chain, never after it, so that no two servers wait for each other. */
lotor_status lotor_pg_last_release(lotor_store *base, bool locks, lotor_message *why,
                                   lotor_head *out)
{
    lotor_postgres *store = lotor_postgres_of(base);
    if (locks) {
        PGresult *rows;
        const lotor_status status = lotor_pg_run(store, LOTOR_PG_LOCK_CHAIN, NULL, why, &rows);
        PQclear(rows);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return get_link(store, LOTOR_PG_LAST_RELEASE, NULL, why, out);
}

lotor_status lotor_pg_get_release(lotor_store *base, uint64_t number, lotor_message *why,
                                  lotor_head *out)
{
    lotor_pg_arguments with = {0};
    lotor_pg_number(&with, number);
    return get_link(lotor_postgres_of(base), LOTOR_PG_GET_RELEASE, &with, why, out);
}

lotor_status lotor_pg_put_release(lotor_store *base, const lotor_release *release,
                                  lotor_message *why)
{
    lotor_postgres *store = lotor_postgres_of(base);
    lotor_pg_arguments with = {0}, counted = {0};
    uint64_t rows;
    lotor_pg_number(&with, release->campaign);
    lotor_pg_number(&with, release->number);
    lotor_pg_number(&with, release->time);
    lotor_pg_bytes(&with, release->facts, release->facts_length);
    lotor_pg_bytes(&with, release->digest, sizeof release->digest);
    lotor_pg_bytes(&with, release->hash, sizeof release->hash);
    lotor_pg_number(&counted, release->campaign);
    lotor_status status = lotor_pg_change(store, LOTOR_PG_ADD_RELEASE, &with, why, &rows);
    if (status == LOTOR_OK && rows != 1) {
        status =
            lotor_fail(LOTOR_INVALID, why, "what was to be written breaks a rule of the store");
    }
    return status == LOTOR_OK ? lotor_pg_change(store, LOTOR_PG_COUNT_RELEASE, &counted, why, &rows)
                              : status;
}

static lotor_status tell_release(const PGresult *rows, int row, lotor_on_release_row *told,
                                 void *context, lotor_message *why)
{
    bool damaged = false;
    lotor_release release = {
        .number = lotor_pg_get_number(rows, row, 0, &damaged),
        .campaign = lotor_pg_get_number(rows, row, 1, &damaged),
        .time = lotor_pg_get_number(rows, row, 2, &damaged),
    };
    release.facts = lotor_pg_get_bytes(rows, row, 3, &release.facts_length);
    lotor_pg_copy(rows, row, 4, release.digest, sizeof release.digest, &damaged);
    lotor_pg_copy(rows, row, 5, release.hash, sizeof release.hash, &damaged);
    return damaged ? lotor_pg_refuse("a release", why) : told(context, &release);
}

lotor_status lotor_pg_each_release(lotor_store *base, uint64_t campaign, lotor_on_release_row *told,
                                   void *context, lotor_message *why)
{
    lotor_pg_arguments with = {0};
    PGresult *rows;
    lotor_pg_number(&with, campaign);
    lotor_status status =
        lotor_pg_run(lotor_postgres_of(base), LOTOR_PG_EACH_RELEASE, &with, why, &rows);
    for (int i = 0; status == LOTOR_OK && i < PQntuples(rows); i++) {
        status = tell_release(rows, i, told, context, why);
    }
    PQclear(rows);
    return status;
}

static lotor_mark read_mark(const PGresult *rows, int row, bool *damaged)
{
    return (lotor_mark){
        .campaign = lotor_pg_get_number(rows, row, 0, damaged),
        .version = lotor_pg_get_number(rows, row, 1, damaged),
        .specs = lotor_pg_get_number(rows, row, 2, damaged),
        .answers = lotor_pg_get_number(rows, row, 3, damaged),
        .releases = lotor_pg_get_number(rows, row, 4, damaged),
        .final = lotor_pg_get_number(rows, row, 5, damaged),
        .due = lotor_pg_get_number(rows, row, 6, damaged),
        .touched = lotor_pg_get_number(rows, row, 7, damaged),
    };
}

lotor_status lotor_pg_lock(lotor_store *base, uint64_t campaign, bool waits, lotor_message *why,
                           lotor_mark *out, bool *got)
{
    lotor_pg_arguments with = {0};
    PGresult *rows;
    bool damaged = false;
    lotor_pg_number(&with, campaign);
    lotor_status status = lotor_pg_run(
        lotor_postgres_of(base), waits ? LOTOR_PG_LOCK : LOTOR_PG_TRY_LOCK, &with, why, &rows);
    *got = status == LOTOR_OK && PQntuples(rows) == 1;
    if (*got) {
        *out = read_mark(rows, 0, &damaged);
        status = damaged ? lotor_pg_refuse("a campaign", why) : LOTOR_OK;
    } else if (status == LOTOR_OK && waits) {
        status = lotor_fail(LOTOR_UNKNOWN, why, "the store has no such campaign");
    }
    PQclear(rows);
    return status;
}

lotor_status lotor_pg_put_mark(lotor_store *base, const lotor_mark *mark, lotor_message *why)
{
    lotor_pg_arguments with = {0};
    lotor_pg_number(&with, mark->campaign);
    lotor_pg_number(&with, mark->version);
    lotor_pg_number(&with, mark->answers);
    lotor_pg_number(&with, mark->due);
    return lotor_pg_later(lotor_postgres_of(base), LOTOR_PG_PUT_MARK, &with, why);
}

lotor_status lotor_pg_each_mark(lotor_store *base, uint64_t since, lotor_on_mark *told,
                                void *context, lotor_message *why)
{
    lotor_pg_arguments with = {0};
    PGresult *rows;
    lotor_pg_number(&with, since);
    lotor_status status =
        lotor_pg_run(lotor_postgres_of(base), LOTOR_PG_EACH_MARK, &with, why, &rows);
    for (int i = 0; status == LOTOR_OK && i < PQntuples(rows); i++) {
        bool damaged = false;
        const lotor_mark mark = read_mark(rows, i, &damaged);
        status = damaged ? lotor_pg_refuse("a campaign", why) : told(context, &mark);
    }
    PQclear(rows);
    return status;
}
#else
typedef int lotor_postgres_is_left_out; /* a file must not be empty */
#endif
