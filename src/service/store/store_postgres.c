/* store_postgres.c - the PostgreSQL back end: its connection, statements and transactions.
 *
 * Every wait has an end: a database that does not answer (stopped, cut off) is given up after a while, and
 * the connection with it. Statements inside a transaction are never sent on another connection. A COMMIT
 * whose answer was lost may have gone well: it is told as a failure, and whoever asks again finds out
 * under the campaign's lock, which the old transaction holds until it is over (shared.md). */
#ifdef LOTOR_POSTGRES
#include "service/store/store_postgres.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/message.h"

enum {
    CONNECT_MS = 2000,
    ANSWER_MS = 3000,   /* the database's own limit comes first: see set_up */
    READ_MS = 600000,   /* for check and for making tables */
    BACKOFF_FIRST = 50, /* after a failed try to connect */
    BACKOFF_MOST = 1000,
};

static uint64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* --- the connection ----------------------------------------------------------------------------- */

static void drop_connection(lotor_postgres *store)
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
        const uint64_t now = milliseconds();
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
    drop_connection(store);
    store->backoff = store->backoff ? 2 * store->backoff : BACKOFF_FIRST;
    store->backoff = store->backoff < BACKOFF_MOST ? store->backoff : BACKOFF_MOST;
    store->retry_at = milliseconds() + store->backoff;
    return lotor_fail(LOTOR_UNFINISHED, why, "the database can't be reached: %s", text);
}

static lotor_status connect_once(lotor_postgres *store, lotor_message *why)
{
    const char *const keys[] = {"dbname", "application_name", "client_encoding", NULL};
    const bool serves =
        store->base.mode == LOTOR_STORE_SERVE; /* the name is looked for: refuse_in_use */
    const char *const values[] = {store->address, serves ? "lotor" : "lotor read", "UTF8", NULL};
    const uint64_t until = milliseconds() + CONNECT_MS;
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

static lotor_status connect_if_lost(lotor_postgres *store, lotor_message *why)
{
    if (store->connection && PQstatus(store->connection) == CONNECTION_OK) {
        return LOTOR_OK;
    }
    if (store->connection) {
        drop_connection(store);
    }
    if (store->in_transaction) {
        store->is_undone = true;
        return lotor_fail(LOTOR_UNFINISHED, why, "the connection to the database was lost");
    }
    if (milliseconds() < store->retry_at) {
        return lotor_fail(LOTOR_UNFINISHED, why, "the database can't be reached at the moment");
    }
    lotor_status status = connect_once(store, why);
    if (status == LOTOR_OK) {
        status = set_up(store, why);
        if (status != LOTOR_OK && store->connection) {
            drop_connection(store); /* one without its limits is not used */
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

static lotor_status refuse_result(lotor_postgres *store, const PGresult *result, lotor_message *why)
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
static bool is_answered(lotor_postgres *store, uint64_t until)
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
        milliseconds() + (store->base.mode == LOTOR_STORE_SERVE ? ANSWER_MS : READ_MS);
    PGresult *last = NULL;
    for (;;) {
        if (!is_answered(store, until)) {
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

static lotor_status finish(lotor_postgres *store, bool is_sent, lotor_message *why, PGresult **out)
{
    PGresult *result = is_sent ? take_result(store) : NULL;
    *out = NULL;
    if (!result) {
        drop_connection(store);
        return lotor_fail(LOTOR_UNFINISHED, why, "the database does not answer");
    }
    const ExecStatusType kind = PQresultStatus(result);
    if (kind == PGRES_COMMAND_OK || kind == PGRES_TUPLES_OK) {
        *out = result;
        return LOTOR_OK;
    }
    const lotor_status status = refuse_result(store, result, why);
    PQclear(result);
    if (PQstatus(store->connection) != CONNECTION_OK) {
        drop_connection(store);
    }
    return status;
}

lotor_status lotor_pg_script(lotor_postgres *store, const char *sql, lotor_message *why)
{
    PGresult *result;
    const lotor_status status =
        finish(store, PQsendQuery(store->connection, sql) == 1, why, &result);
    PQclear(result);
    return status;
}

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
    const lotor_status status =
        finish(store, PQsendPrepare(store->connection, name, lotor_pg_texts[query], 0, NULL) == 1,
               why, &result);
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
    const uint64_t until = milliseconds() + ANSWER_MS;
    lotor_status status = LOTOR_OK;
    PGresult *last = NULL;
    for (size_t i = 0; is_sent && i < 2 * count + 1; i++) { /* after each NULL, and then the sync */
        is_sent = is_answered(store, until);
        PGresult *next = is_sent ? PQgetResult(store->connection) : NULL;
        const ExecStatusType kind = next ? PQresultStatus(next) : PGRES_COMMAND_OK;
        if (kind == PGRES_FATAL_ERROR && status == LOTOR_OK) {
            status = refuse_result(store, next, why);
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
        drop_connection(store);
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
    lotor_status status = connect_if_lost(store, why);
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
                                : finish(store, send_query(store, query, with), why, rows);
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
    lotor_status status = finish(
        store,
        PQsendQuery(store->connection, "SELECT value FROM lotor_meta WHERE key = 'schema'") == 1,
        why, &result);
    if (status == LOTOR_OK && PQntuples(result) == 1) {
        snprintf(value, capacity, "%s", PQgetvalue(result, 0, 0));
    }
    PQclear(result);
    return status == LOTOR_DAMAGED ? LOTOR_OK : status; /* 42P01: there is no such table */
}

/* --- transactions ------------------------------------------------------------------------------- */

static lotor_status begin(lotor_store *base, lotor_message *why)
{
    lotor_postgres *store = lotor_postgres_of(base);
    PGresult *result = NULL;
    if (store->in_transaction) {
        return lotor_fail(LOTOR_INVALID, why, "a transaction has begun already");
    }
    store->waiting_count = 0;
    lotor_status status = connect_if_lost(store, why);
    if (status == LOTOR_OK && base->mode == LOTOR_STORE_SERVE) {
        status = lotor_pg_later(store, LOTOR_PG_BEGIN, NULL, why);
    } else if (status == LOTOR_OK) {
        status = lotor_pg_run(store, LOTOR_PG_LOOK, NULL, why, &result);
        PQclear(result);
    }
    store->in_transaction = status == LOTOR_OK;
    store->is_undone = false;
    return status;
}

static void rollback(lotor_store *base)
{
    lotor_postgres *store = lotor_postgres_of(base);
    if (!store->in_transaction) {
        return;
    }
    const bool was_conflict = store->was_conflict;
    store->in_transaction = store->is_undone = false;
    store->waiting_count = 0;
    if (store->connection && PQtransactionStatus(store->connection) != PQTRANS_IDLE) {
        PGresult *result;
        lotor_pg_run(store, LOTOR_PG_ROLLBACK, NULL, NULL, &result);
        PQclear(result);
    }
    store->was_conflict = was_conflict;
}

static lotor_status commit(lotor_store *base, lotor_message *why)
{
    lotor_postgres *store = lotor_postgres_of(base);
    if (!store->in_transaction || store->is_undone) {
        rollback(base);
        return lotor_fail(LOTOR_UNFINISHED, why,
                          "the store can't be written: an earlier error has undone the change");
    }
    PGresult *result;
    lotor_status status = lotor_pg_run(store, LOTOR_PG_COMMIT, NULL, why, &result);
    /* PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK. */
    if (status == LOTOR_OK && strcmp(PQcmdStatus(result), "COMMIT") != 0) {
        status = lotor_fail(LOTOR_UNFINISHED, why, "the database has undone the change");
    }
    PQclear(result);
    if (status == LOTOR_OK) {
        store->in_transaction = false;
    } else {
        rollback(base);
    }
    return status;
}

/* --- the rest ----------------------------------------------------------------------------------- */

static lotor_status begin_check(lotor_store *base, lotor_message *why, bool *has_begun)
{
    *has_begun = !lotor_postgres_of(base)->in_transaction;
    return *has_begun ? begin(base, why) : LOTOR_OK;
}

/* The database looks after its files and keys itself. */
static lotor_status check(lotor_store *base, lotor_message *finding)
{
    (void)base;
    (void)finding;
    return LOTOR_OK;
}

static lotor_status backup(lotor_store *base, const char *path, lotor_message *why)
{
    (void)base;
    (void)path;
    return lotor_fail(LOTOR_INVALID, why,
                      "a database is copied with its own tools: pg_dump, or pg_basebackup; see "
                      "docs/operations.md");
}

static lotor_status count_servers(lotor_postgres *store, lotor_message *why, bool *any)
{
    PGresult *result;
    const lotor_status status =
        finish(store,
               PQsendQuery(store->connection,
                           "SELECT 1 FROM pg_stat_activity WHERE application_name = 'lotor' "
                           "AND datname = current_database()") == 1,
               why, &result);
    *any = status == LOTOR_OK && PQntuples(result) > 0;
    PQclear(result);
    return status;
}

/* The database forgets a connection a moment after it was closed. */
static lotor_status refuse_in_use(lotor_store *base, lotor_message *why)
{
    const struct timespec moment = {.tv_nsec = 100000000};
    lotor_postgres *store = lotor_postgres_of(base);
    bool any = true;
    lotor_status status = connect_if_lost(store, why);
    for (int i = 0; status == LOTOR_OK && any && i < 10; i++) {
        if (i) {
            nanosleep(&moment, NULL);
        }
        status = count_servers(store, why, &any);
    }
    return status == LOTOR_OK && any
               ? lotor_fail((lotor_status)LOTOR_UNFINISHED, why,
                            "servers are connected to the old database: stop them first, or what "
                            "they release from now on would be released twice")
               : status;
}

static bool was_conflict(const lotor_store *base)
{
    return ((const lotor_postgres *)base)->was_conflict;
}

static void close_store(lotor_store *base)
{
    lotor_postgres *store = lotor_postgres_of(base);
    rollback(base);
    PQfinish(store->connection);
    free(store->address);
    free(store);
}

static const lotor_backend backend = {
    .close = close_store,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .add_campaign = lotor_pg_add_campaign,
    .each_campaign = lotor_pg_each_campaign,
    .get_state = lotor_pg_get_state,
    .put_state = lotor_pg_put_state,
    .put_spec = lotor_pg_put_spec,
    .add_block = lotor_pg_add_block,
    .put_block = lotor_pg_put_block,
    .each_block = lotor_pg_each_block,
    .add_answers = lotor_pg_add_answers,
    .each_answers = lotor_pg_each_answers,
    .forget = lotor_pg_forget,
    .last_release = lotor_pg_last_release,
    .get_release = lotor_pg_get_release,
    .put_release = lotor_pg_put_release,
    .each_release = lotor_pg_each_release,
    .count_user = lotor_pg_count_user,
    .each_user = lotor_pg_each_user,
    .put_user = lotor_pg_put_user,
    .get_meta = lotor_pg_get_meta,
    .put_meta = lotor_pg_put_meta,
    .refuse_in_use = refuse_in_use,
    .begin_check = begin_check,
    .check = check,
    .backup = backup,
    .lock = lotor_pg_lock,
    .put_mark = lotor_pg_put_mark,
    .each_mark = lotor_pg_each_mark,
    .was_conflict = was_conflict,
};

/* libpq's words about an address that it can't read repeat it, with the password. And a password with a
 * bare @ or / in it ends early: the rest would be taken for a host or a port, and told. */
static bool is_readable(const char *address)
{
    const char *const from = strstr(address, "://") + 3, *const at = strchr(from, '@');
    if (at && (at > from + strcspn(from, "/") || strchr(at + 1, '@'))) {
        return false;
    }
    char *words = NULL;
    PQconninfoOption *const options = PQconninfoParse(address, &words);
    const bool is_fine = options != NULL;
    PQconninfoFree(options);
    PQfreemem(words);
    return is_fine;
}

lotor_status lotor_postgres_open(const char *address, lotor_store_mode mode, lotor_message *why,
                                 lotor_store **out)
{
    *out = NULL;
    if (!is_readable(address)) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "the database's address can't be read: expected "
            "postgres://USER@HOST:PORT/DATABASE, with signs like @, / and %% inside a "
            "name or a password written as %%40, %%2F and %%25");
    }
    lotor_postgres *store = calloc(1, sizeof *store);
    if (store) {
        store->base = (lotor_store){&backend, mode};
        store->address = strdup(address);
    }
    if (!store || !store->address) {
        free(store);
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    lotor_status status = connect_if_lost(store, why);
    if (status == LOTOR_OK) {
        status = lotor_pg_migrate(store, why);
    }
    if (status != LOTOR_OK) {
        close_store(&store->base);
        return status;
    }
    *out = &store->base;
    return LOTOR_OK;
}
#else
typedef int lotor_postgres_is_left_out; /* a file must not be empty */
#endif
