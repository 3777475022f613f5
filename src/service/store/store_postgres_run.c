/* store_postgres_run.c - prepared statements, one by one or several in one journey. */
#ifdef LOTOR_POSTGRES
#include "service/store/store_postgres.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"

static void name_query(lotor_pg_query query, char name[static 16])
{
    snprintf(name, 16, "q%d", (int)query);
}

static lotor_status prepare(lotor_postgres *store, lotor_pg_query query, lotor_message *why)
{
    char name[16];
    name_query(query, name);
    if (store->prepared[query]) {
        return LOTOR_OK;
    }
    PGresult *result;
    const lotor_status status = lotor_pg_finish(
        store, PQsendPrepare(store->connection, name, lotor_pg_texts[query], 0, NULL) == 1, why,
        &result);
    PQclear(result);
    store->prepared[query] = status == LOTOR_OK;
    return status;
}

static bool send_query(lotor_postgres *store, lotor_pg_query query, const lotor_pg_arguments *with)
{
    char name[16];
    name_query(query, name);
    return PQsendQueryPrepared(store->connection, name, with->count, with->values, with->lengths,
                               with->formats, 1) == 1;
}

lotor_status lotor_pg_later(lotor_postgres *store, lotor_pg_query query,
                            const lotor_pg_arguments *with, lotor_message *why)
{
    if (store->waiting_count == LOTOR_PG_WAITING) {
        uint64_t rows;
        return lotor_pg_change(store, query, with, why, &rows);
    }
    lotor_pg_arguments *kept = &store->waiting_with[store->waiting_count];
    *kept = with ? *with : (lotor_pg_arguments){0};
    for (int i = 0; i < kept->count; i++) {
        kept->values[i] = (const char *)kept->numbers[i];
    }
    store->waiting[store->waiting_count++] = query;
    return kept->is_too_large
               ? lotor_fail((lotor_status)LOTOR_INVALID, why, "a number is too large for the store")
               : LOTOR_OK;
}

/* The results of a row of statements, of which the last one's is wanted: NULL when one before it failed,
 * and then that one is told. */
static lotor_status finish_row(lotor_postgres *store, size_t count, bool is_sent,
                               lotor_message *why, PGresult **rows)
{
    const uint64_t until = lotor_pg_now() + LOTOR_PG_ANSWER_MS;
    lotor_status status = LOTOR_OK;
    PGresult *last = NULL;
    for (size_t i = 0; is_sent && i < 2 * count + 1; i++) { /* after each NULL, and then the sync */
        is_sent = lotor_pg_is_answered(store, until);
        PGresult *next = is_sent ? PQgetResult(store->connection) : NULL;
        const ExecStatusType kind = next ? PQresultStatus(next) : PGRES_COMMAND_OK;
        if (kind == PGRES_FATAL_ERROR && status == LOTOR_OK) {
            status = lotor_pg_refuse_result(store, next, why);
        }
        if (i + 2 == 2 * count) {
            last = next;
        } else {
            PQclear(next);
        }
    }
    if (!is_sent || PQstatus(store->connection) != CONNECTION_OK ||
        PQexitPipelineMode(store->connection) != 1) {
        PQclear(last);
        lotor_pg_drop(store);
        return status ? status
                      : lotor_fail((lotor_status)LOTOR_UNFINISHED, why,
                                   "the database does not answer");
    }
    if (status != LOTOR_OK) {
        PQclear(last);
        return status;
    }
    *rows = last;
    return LOTOR_OK;
}

/* What waits goes first, in the same packet: one journey instead of several. */
static lotor_status run_row(lotor_postgres *store, lotor_pg_query query,
                            const lotor_pg_arguments *with, lotor_message *why, PGresult **rows)
{
    const size_t count = store->waiting_count;
    bool is_sent = PQenterPipelineMode(store->connection) == 1;
    for (size_t i = 0; is_sent && i < count; i++) {
        is_sent = send_query(store, store->waiting[i], &store->waiting_with[i]);
    }
    is_sent = is_sent && send_query(store, query, with) && PQpipelineSync(store->connection) == 1;
    store->waiting_count = 0;
    return finish_row(store, count + 1, is_sent, why, rows);
}

lotor_status lotor_pg_run(lotor_postgres *store, lotor_pg_query query,
                          const lotor_pg_arguments *with, lotor_message *why, PGresult **rows)
{
    static const lotor_pg_arguments none = {0};
    *rows = NULL;
    with = with ? with : &none;
    if (with->is_too_large) {
        return lotor_fail(LOTOR_INVALID, why, "a number is too large for the store (63 bits)");
    }
    store->was_conflict = false;
    lotor_status status = lotor_pg_connect(store, why);
    if (status == LOTOR_OK && store->in_transaction && store->is_undone) {
        status = lotor_fail(LOTOR_UNFINISHED, why, "an earlier error has undone the change");
    }
    for (size_t i = 0; status == LOTOR_OK && i < store->waiting_count; i++) {
        status = prepare(store, store->waiting[i], why);
    }
    if (status == LOTOR_OK) {
        status = prepare(store, query, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    return store->waiting_count ? run_row(store, query, with, why, rows)
                                : lotor_pg_finish(store, send_query(store, query, with), why, rows);
}

lotor_status lotor_pg_change(lotor_postgres *store, lotor_pg_query query,
                             const lotor_pg_arguments *with, lotor_message *why, uint64_t *rows)
{
    PGresult *result;
    const lotor_status status = lotor_pg_run(store, query, with, why, &result);
    *rows = status == LOTOR_OK ? strtoull(PQcmdTuples(result), NULL, 10) : 0;
    PQclear(result);
    return status;
}

lotor_status lotor_pg_schema(lotor_postgres *store, lotor_message *why, char *value,
                             size_t capacity)
{
    PGresult *result;
    value[0] = '\0';
    lotor_status status = lotor_pg_finish(
        store,
        PQsendQuery(store->connection, "SELECT value FROM lotor_meta WHERE key = 'schema'") == 1,
        why, &result);
    if (status == LOTOR_OK && PQntuples(result) == 1) {
        snprintf(value, capacity, "%s", PQgetvalue(result, 0, 0));
    }
    PQclear(result);
    return status == LOTOR_DAMAGED ? LOTOR_OK : status; /* 42P01: there is no such table */
}
#else
typedef int lotor_postgres_run_is_left_out; /* a file must not be empty */
#endif
