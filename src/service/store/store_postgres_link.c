/* store_postgres_link.c - the connection to PostgreSQL, and what comes back over it.
 *
 * Every wait has an end: a database that does not answer (stopped, cut off) is given up after a while, and
 * the connection with it. */
#ifdef LOTOR_POSTGRES
#include "service/store/store_postgres.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/message.h"

enum {
    CONNECT_MS = 2000,
    READ_MS = 600000,   /* for check and for making tables */
    BACKOFF_FIRST = 50, /* after a failed try to connect */
    BACKOFF_MOST = 1000,
};

uint64_t lotor_pg_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* --- the connection ----------------------------------------------------------------------------- */

void lotor_pg_drop(lotor_postgres *store)
{
    PQfinish(store->connection);
    store->connection = NULL;
    memset(store->prepared, 0, sizeof store->prepared);
    store->is_undone = store->in_transaction;
}

/* Waits for the socket; false: the time is over. */
static bool wait_for(const lotor_postgres *store, short events, uint64_t until)
{
    for (;;) {
        const uint64_t now = lotor_pg_now();
        if (now >= until) {
            return false;
        }
        struct pollfd one = {.fd = PQsocket(store->connection), .events = events};
        const int ready = poll(&one, 1, (int)(until - now));
        if (ready > 0) {
            return true;
        }
        if (ready < 0 && errno != EINTR) {
            return false;
        }
    }
}

/* libpq's words about a connection name host, port and user; they end with a line break. That no piece of
 * a password was taken for one of these was made sure of before (is_readable). */
static lotor_status refuse_connection(lotor_postgres *store, const char *words, lotor_message *why)
{
    char text[200];
    snprintf(text, sizeof text, "%s", words);
    text[strcspn(text, "\n")] = '\0';
    lotor_pg_drop(store);
    store->backoff = store->backoff ? 2 * store->backoff : BACKOFF_FIRST;
    store->backoff = store->backoff < BACKOFF_MOST ? store->backoff : BACKOFF_MOST;
    store->retry_at = lotor_pg_now() + store->backoff;
    return lotor_fail(LOTOR_UNFINISHED, why, "the database can't be reached: %s", text);
}

static lotor_status connect_once(lotor_postgres *store, lotor_message *why)
{
    const char *const keys[] = {"dbname", "application_name", "client_encoding", NULL};
    const bool serves =
        store->base.mode == LOTOR_STORE_SERVE; /* the name is looked for: refuse_in_use */
    const char *const values[] = {store->address, serves ? "lotor" : "lotor read", "UTF8", NULL};
    const uint64_t until = lotor_pg_now() + CONNECT_MS;
    store->connection = PQconnectStartParams(keys, values, 1);
    if (!store->connection) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    PostgresPollingStatusType next = PGRES_POLLING_WRITING;
    while (next != PGRES_POLLING_OK) {
        if (PQstatus(store->connection) == CONNECTION_BAD || next == PGRES_POLLING_FAILED) {
            return refuse_connection(store, PQerrorMessage(store->connection), why);
        }
        if (!wait_for(store, next == PGRES_POLLING_READING ? POLLIN : POLLOUT, until)) {
            return refuse_connection(store, "it does not answer", why);
        }
        next = PQconnectPoll(store->connection);
    }
    return PQsetnonblocking(store->connection, 1) == 0
               ? LOTOR_OK
               : refuse_connection(store, PQerrorMessage(store->connection), why);
}

/* A server that stands still must not hold its locks for long; nor may a lock be waited for longer than
 * the one who waits is there. Nothing is acknowledged that is not on disk. */
static lotor_status set_up(lotor_postgres *store, lotor_message *why)
{
    return lotor_pg_script(store,
                           store->base.mode == LOTOR_STORE_SERVE
                               ? "SET idle_in_transaction_session_timeout = 2500; "
                                 "SET statement_timeout = 2500; "
                                 "SELECT set_config('synchronous_commit', 'on', false) "
                                 "WHERE current_setting('synchronous_commit', true) = 'off'"
                               : "SET statement_timeout = 0",
                           why);
}

lotor_status lotor_pg_connect(lotor_postgres *store, lotor_message *why)
{
    if (store->connection && PQstatus(store->connection) == CONNECTION_OK) {
        return LOTOR_OK;
    }
    if (store->connection) {
        lotor_pg_drop(store);
    }
    if (store->in_transaction) {
        store->is_undone = true;
        return lotor_fail(LOTOR_UNFINISHED, why, "the connection to the database was lost");
    }
    if (lotor_pg_now() < store->retry_at) {
        return lotor_fail(LOTOR_UNFINISHED, why, "the database can't be reached at the moment");
    }
    lotor_status status = connect_once(store, why);
    if (status == LOTOR_OK) {
        status = set_up(store, why);
        if (status != LOTOR_OK && store->connection) {
            lotor_pg_drop(store); /* one without its limits is not used */
        }
    }
    if (status == LOTOR_OK) {
        store->backoff = 0;
    }
    return status;
}

/* --- statements --------------------------------------------------------------------------------- */

static const struct {
    const char *code; /* the beginning of PostgreSQL's code */
    lotor_status status;
    const char *words;
} errors[] = {
    {"40001", LOTOR_UNFINISHED, "another server's transaction came in between: try again"},
    {"40P01", LOTOR_UNFINISHED, "another server's transaction came in between: try again"},
    {"57014", LOTOR_UNFINISHED, "it took too long: another server or program holds a lock"},
    {"55P03", LOTOR_UNFINISHED, "it took too long: another server or program holds a lock"},
    {"23", LOTOR_INVALID, "what was to be written breaks a rule of the store"},
    {"22", LOTOR_INVALID, "what was to be written has the wrong form"},
    {"42501", LOTOR_UNFINISHED, "this user may not do that: grant it the rights to its tables"},
    {"42", LOTOR_DAMAGED, "its tables are not those of this version"},
    {"53", LOTOR_UNFINISHED, "the database has no room or no connections left"},
};

lotor_status lotor_pg_refuse_result(lotor_postgres *store, const PGresult *result,
                                    lotor_message *why)
{
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    code = code ? code : "";
    store->was_conflict = strcmp(code, "40001") == 0 || strcmp(code, "40P01") == 0;
    store->is_undone = store->in_transaction;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (strncmp(code, errors[i].code, strlen(errors[i].code)) == 0) {
            return lotor_fail(errors[i].status, why, "the database: %s", errors[i].words);
        }
    }
    const char *words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY); /* no values in it */
    return lotor_fail(LOTOR_UNFINISHED, why, "the database: %.200s",
                      words ? words : "the connection was lost");
}

/* Sends what waits, and reads until there is a result. */
bool lotor_pg_is_answered(lotor_postgres *store, uint64_t until)
{
    for (;;) {
        const int left = PQflush(store->connection);
        if (left < 0) {
            return false;
        }
        if (left == 0 && !PQisBusy(store->connection)) {
            return true;
        }
        if (!wait_for(store, (short)(POLLIN | (left ? POLLOUT : 0)), until) ||
            !PQconsumeInput(store->connection)) {
            return false;
        }
    }
}

/* The last result of what was sent; NULL: the connection is gone. */
static PGresult *take_result(lotor_postgres *store)
{
    const uint64_t until =
        lotor_pg_now() + (store->base.mode == LOTOR_STORE_SERVE ? LOTOR_PG_ANSWER_MS : READ_MS);
    PGresult *last = NULL;
    for (;;) {
        if (!lotor_pg_is_answered(store, until)) {
            PQclear(last);
            return NULL;
        }
        PGresult *next = PQgetResult(store->connection);
        if (!next) {
            return last;
        }
        if (last && PQresultStatus(last) == PGRES_FATAL_ERROR) {
            PQclear(next); /* of several statements the first failure is told */
        } else {
            PQclear(last);
            last = next;
        }
    }
}

lotor_status lotor_pg_finish(lotor_postgres *store, bool is_sent, lotor_message *why,
                             PGresult **out)
{
    PGresult *result = is_sent ? take_result(store) : NULL;
    *out = NULL;
    if (!result) {
        lotor_pg_drop(store);
        return lotor_fail(LOTOR_UNFINISHED, why, "the database does not answer");
    }
    const ExecStatusType kind = PQresultStatus(result);
    if (kind == PGRES_COMMAND_OK || kind == PGRES_TUPLES_OK) {
        *out = result;
        return LOTOR_OK;
    }
    const lotor_status status = lotor_pg_refuse_result(store, result, why);
    PQclear(result);
    if (PQstatus(store->connection) != CONNECTION_OK) {
        lotor_pg_drop(store);
    }
    return status;
}

lotor_status lotor_pg_script(lotor_postgres *store, const char *sql, lotor_message *why)
{
    PGresult *result;
    const lotor_status status =
        lotor_pg_finish(store, PQsendQuery(store->connection, sql) == 1, why, &result);
    PQclear(result);
    return status;
}
#else
typedef int lotor_postgres_link_is_left_out; /* a file must not be empty */
#endif
