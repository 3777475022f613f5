/* driver_postgres.c - a store in PostgreSQL, for several servers.
 *
 * Nothing belongs to a session: statements have no names, limits are set inside each transaction,
 * and no lock lasts longer than a transaction. So PgBouncer may use its transaction mode, which
 * gives each transaction another connection.
 *
 * Statements go through libpq's pipeline. BEGIN and the limits are sent with the first statement. A
 * statement that is not awaited is sent with the next awaited one, or with COMMIT. So a transaction
 * that only inserts takes one round trip. Each round trip has one Sync, and the next begins after
 * its result was read.
 *
 * Every wait has a time limit. If the database does not reply in time, the connection is closed.
 * After a COMMIT whose reply was lost, was an error, or came with a warning (for example: the
 * standby that it waited for is gone), the outcome is unknown: LOTOR_UNFINISHED.
 */
#ifdef LOTOR_POSTGRES
#include <assert.h>
#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/message.h"
#include "base/time.h"
#include "service/store/driver.h"

enum {
    REPLY_MS = 3000,  /* longer than the database's own limits: see `limits` */
    LONG_MS = 600000, /* for check, copies and making tables */
    CONNECT_MS = 2000,
    BACKOFF_FIRST = 50, /* the pause after the first failed attempt to connect */
    BACKOFF_MOST = 1000,
    PENDING_MOST = 256,
    VALUES_MOST = 12,
    TYPE_WHOLE = 20, /* PostgreSQL's numbers of its types: bigint, double precision, text, bytea */
    TYPE_REAL = 701,
    TYPE_TEXT = 25,
    TYPE_BYTES = 17,
};

typedef struct pg_store {
    lotor_store base;
    char *address;
    PGconn *connection; /* NULL: not connected */
    lotor_begin_kind kind;
    bool is_begun; /* BEGIN was sent */
    /* the transaction failed or the connection was lost, so it can't be committed */
    bool is_undone;
    bool was_warned; /* a warning came since the last COMMIT was sent */
    size_t pending;  /* statements that were sent and whose results were not read yet */
    PGresult *rows;  /* the result of the last awaited statement */
    int row;
    uint64_t retry_at, backoff; /* milliseconds of a clock that never goes back */
} pg_store;

static pg_store *pg(lotor_store *store)
{
    return (pg_store *)store; /* `base` comes first */
}

/* --- the connection --------------------------------------------------------------------------- */

static void drop(pg_store *store)
{
    PQfinish(store->connection);
    store->connection = NULL;
    store->pending = 0;
    store->is_undone = store->base.in_transaction;
}

/* Waits for the socket. Returns false when the time is over. */
static bool wait_for(const pg_store *store, short events, uint64_t until)
{
    for (;;) {
        const uint64_t now = lotor_time_steady_ms();
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

/* libpq's message about a connection names host, port and user, and ends with a newline.
 * is_readable has made sure that no piece of a password is taken for one of these. */
static lotor_status refuse_connection(pg_store *store, const char *words, lotor_message *why)
{
    char text[200];
    snprintf(text, sizeof text, "%s", words);
    text[strcspn(text, "\n")] = '\0';
    drop(store);
    store->backoff = store->backoff ? 2 * store->backoff : BACKOFF_FIRST;
    store->backoff = store->backoff < BACKOFF_MOST ? store->backoff : BACKOFF_MOST;
    store->retry_at = lotor_time_steady_ms() + store->backoff;
    return lotor_fail(LOTOR_UNFINISHED, why, "the database can't be reached: %s", text);
}

static void on_notice(void *context, const PGresult *notice)
{
    const char *const severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (!severity || strcmp(severity, "WARNING") == 0) {
        ((pg_store *)context)->was_warned = true;
    }
}

static lotor_status connect_once(pg_store *store, lotor_message *why)
{
    const char *const keys[] = {"dbname", "application_name", "client_encoding", NULL};
    const bool serves = store->base.mode == LOTOR_STORE_SERVE;
    const char *const values[] = {store->address, serves ? "lotor serve" : "lotor read", "UTF8",
                                  NULL};
    const uint64_t until = lotor_time_steady_ms() + CONNECT_MS;
    store->connection = PQconnectStartParams(keys, values, 1);
    if (!store->connection) {
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    store->base.connections++;
    PQsetNoticeReceiver(store->connection, on_notice, store);
    PostgresPollingStatusType next = PGRES_POLLING_WRITING;
    while (next != PGRES_POLLING_OK) {
        if (PQstatus(store->connection) == CONNECTION_BAD || next == PGRES_POLLING_FAILED) {
            return refuse_connection(store, PQerrorMessage(store->connection), why);
        }
        if (!wait_for(store, next == PGRES_POLLING_READING ? POLLIN : POLLOUT, until)) {
            return refuse_connection(store, "the database does not reply", why);
        }
        next = PQconnectPoll(store->connection);
    }
    return PQsetnonblocking(store->connection, 1) == 0 &&
                   PQenterPipelineMode(store->connection) == 1
               ? LOTOR_OK
               : refuse_connection(store, PQerrorMessage(store->connection), why);
}

/* True if the connection is still open. Unexpected input is either a changed setting, or the
 * database's last message before it closes the connection. */
static bool is_open(pg_store *store)
{
    bool is_fine = PQstatus(store->connection) == CONNECTION_OK;
    struct pollfd one = {.fd = PQsocket(store->connection), .events = POLLIN};
    for (int i = 0; is_fine && i < 8 && poll(&one, 1, 0) > 0; i++) {
        is_fine =
            PQconsumeInput(store->connection) == 1 && PQstatus(store->connection) == CONNECTION_OK;
    }
    return is_fine;
}

/* Connects if there is no connection, but never inside a transaction. */
static lotor_status connect_store(pg_store *store, lotor_message *why)
{
    if (store->base.in_transaction) {
        return store->connection && !store->is_undone
                   ? LOTOR_OK
                   : lotor_fail(LOTOR_UNFINISHED, why,
                                "the transaction was undone by an earlier error");
    }
    if (store->connection && !is_open(store)) {
        drop(store);
    }
    if (store->connection) {
        return LOTOR_OK;
    }
    if (lotor_time_steady_ms() < store->retry_at) {
        return lotor_fail(LOTOR_UNFINISHED, why, "the database can't be reached at the moment");
    }
    const lotor_status status = connect_once(store, why);
    store->backoff = status == LOTOR_OK ? 0 : store->backoff;
    return status;
}

/* --- results ---------------------------------------------------------------------------------- */

static const struct {
    const char *code; /* the beginning of PostgreSQL's error code */
    lotor_status status;
    const char *words;
} errors[] = {
    {"40001", LOTOR_UNFINISHED, "a transaction of another server interfered: try again"},
    {"40P01", LOTOR_UNFINISHED, "a transaction of another server interfered: try again"},
    {"57014", LOTOR_UNFINISHED, "it took too long: another server or program holds a lock"},
    {"55P03", LOTOR_UNFINISHED, "it took too long: another server or program holds a lock"},
    {"25006", LOTOR_UNFINISHED, "it accepts no changes: it is a standby, or read-only"},
    {"23505", LOTOR_DUPLICATE, "there is already a row with that key"},
    {"23", LOTOR_INVALID, "the new data violates a rule of the store"},
    {"22", LOTOR_INVALID, "the new data has the wrong form"},
    {"42501", LOTOR_UNFINISHED, "this user lacks a permission: grant it access to the tables"},
    {"42", LOTOR_DAMAGED, "the tables are not those of this version"},
    {"53", LOTOR_UNFINISHED, "the database has no room or no connections left"},
};

static lotor_status refuse_result(pg_store *store, const PGresult *result, lotor_message *why)
{
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    code = code ? code : "";
    store->is_undone = store->base.in_transaction;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (strncmp(code, errors[i].code, strlen(errors[i].code)) == 0) {
            return lotor_fail(errors[i].status, why, "the database: %s", errors[i].words);
        }
    }
    /* this field never has values of rows */
    const char *words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    return lotor_fail(LOTOR_UNFINISHED, why, "the database: %.200s",
                      words ? words : "the connection was lost");
}

static uint64_t patience(const pg_store *store)
{
    const bool is_long = store->base.mode == LOTOR_STORE_READ ||
                         (store->base.in_transaction && store->kind == LOTOR_BEGIN_LONG);
    return lotor_time_steady_ms() + (is_long ? LONG_MS : REPLY_MS);
}

/* Sends pending data and reads until there is a result. Returns false if the time is over or the
 * connection is lost. */
static bool has_replied(pg_store *store, uint64_t until)
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

/* Ends the round trip: reads all results and keeps the last one. If several statements failed,
 * the first failure is reported; *failed is its number, from 0. */
static lotor_status finish(pg_store *store, lotor_message *why, size_t *failed)
{
    assert(store->connection);
    const uint64_t until = patience(store);
    const size_t count = store->pending;
    lotor_status status = LOTOR_OK;
    PQclear(store->rows);
    store->rows = NULL;
    store->pending = 0;
    *failed = count;
    bool is_fine = PQpipelineSync(store->connection) == 1;
    /* Each statement's result is followed by a NULL. The last result is that of the Sync. */
    for (size_t i = 0; is_fine && i < 2 * count + 1; i++) {
        is_fine = has_replied(store, until);
        PGresult *const result = is_fine ? PQgetResult(store->connection) : NULL;
        if (result && PQresultStatus(result) == PGRES_FATAL_ERROR && status == LOTOR_OK) {
            status = refuse_result(store, result, why);
            *failed = i / 2;
        }
        if (i + 2 == 2 * count) {
            store->rows = result;
        } else {
            PQclear(result);
        }
    }
    if (!is_fine || PQstatus(store->connection) != CONNECTION_OK) {
        drop(store);
        *failed = count ? count - 1 : 0; /* it is not known which statements were run */
        status = lotor_fail((lotor_status)LOTOR_UNFINISHED, why, "the database does not reply");
    }
    if (status != LOTOR_OK) {
        PQclear(store->rows);
        store->rows = NULL;
    }
    return status;
}

/* --- statements ------------------------------------------------------------------------------- */

static void put_whole(unsigned char *to, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        to[i] = (unsigned char)(value >> (56 - 8 * i));
    }
}

static uint64_t get_whole(const char *from)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 8 | (unsigned char)from[i];
    }
    return value;
}

static Oid type_of(lotor_sql_kind kind)
{
    switch (kind) {
    case LOTOR_VALUE_WHOLE:
        return TYPE_WHOLE;
    case LOTOR_VALUE_REAL:
        return TYPE_REAL;
    case LOTOR_VALUE_TEXT:
        return TYPE_TEXT;
    default:
        return TYPE_BYTES;
    }
}

static bool send(pg_store *store, const char *sql, const lotor_sql_value *values, size_t count)
{
    unsigned char numbers[VALUES_MOST][8];
    const char *pointers[VALUES_MOST] = {NULL};
    int lengths[VALUES_MOST] = {0}, formats[VALUES_MOST] = {0};
    Oid types[VALUES_MOST] = {0};
    assert(count <= VALUES_MOST);
    for (size_t i = 0; i < count; i++) {
        const lotor_sql_value *const value = &values[i];
        const bool is_number = value->kind == LOTOR_VALUE_WHOLE || value->kind == LOTOR_VALUE_REAL;
        uint64_t bits = (uint64_t)value->whole;
        if (value->kind == LOTOR_VALUE_REAL) {
            memcpy(&bits, &value->real, sizeof bits);
        }
        put_whole(numbers[i], bits);
        pointers[i] = is_number ? (const char *)numbers[i] : value->bytes;
        lengths[i] = is_number ? 8 : (int)value->length;
        formats[i] = 1;
        types[i] = type_of(value->kind);
    }
    const bool is_sent = PQsendQueryParams(store->connection, sql, (int)count, types, pointers,
                                           lengths, formats, 1) == 1;
    store->pending += is_sent;
    return is_sent;
}

/* The limits of a transaction. A server that hangs must not hold its locks for long. Nobody
 * should wait longer for a lock than the client waits for the reply. Acknowledged data must be
 * on disk, also on that of a synchronous standby: 'local' and 'remote_write' would not wait for it. */
#define LIMITS(idle, statement, lock, synchronous)                                                 \
    "SELECT set_config('idle_in_transaction_session_timeout', '" idle                              \
    "', true), set_config('statement_timeout', '" statement                                        \
    "', true), set_config('lock_timeout', '" lock                                                  \
    "', true), set_config('synchronous_commit', " synchronous ", true)"
#define DURABLE                                                                                    \
    "CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' "          \
    "ELSE 'on' END"

static const char *const limits[] = {
    [LOTOR_BEGIN_USUAL] = LIMITS("2500", "2500", "2000", DURABLE),
    [LOTOR_BEGIN_QUICK] = LIMITS("2500", "2500", "2000", "'off'"),
    [LOTOR_BEGIN_LONG] = LIMITS("0", "0", "0", DURABLE),
};

static bool send_begin(pg_store *store)
{
    const bool reads = store->base.mode == LOTOR_STORE_READ;
    store->is_begun = true;
    return send(store,
                reads ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
                      : "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
                NULL, 0) &&
           send(store, limits[reads ? LOTOR_BEGIN_LONG : store->kind], NULL, 0);
}

static lotor_status run(lotor_store *base, const char *sql, const lotor_sql_value *values,
                        size_t count, bool is_awaited, lotor_message *why)
{
    pg_store *const store = pg(base);
    size_t failed;
    PQclear(store->rows);
    store->rows = NULL;
    store->row = -1;
    lotor_status status = connect_store(store, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if ((base->in_transaction && !store->is_begun && !send_begin(store)) ||
        !send(store, sql, values, count)) {
        drop(store);
        return lotor_fail(LOTOR_UNFINISHED, why, "the connection to the database was lost");
    }
    if (!is_awaited && store->pending < PENDING_MOST) {
        return LOTOR_OK;
    }
    status = finish(store, why, &failed);
    if (status == LOTOR_OK) {
        base->changed = strtoull(PQcmdTuples(store->rows), NULL, 10);
    }
    return status;
}

static lotor_status next(lotor_store *base, lotor_message *why)
{
    pg_store *const store = pg(base);
    (void)why;
    return ++store->row < PQntuples(store->rows) ? LOTOR_OK : LOTOR_UNKNOWN;
}

static lotor_sql_value column(lotor_store *base, int place, lotor_sql_kind kind)
{
    const pg_store *const store = pg(base);
    assert(store->rows && store->row >= 0 && store->row < PQntuples(store->rows));
    const char *const found = PQgetvalue(store->rows, store->row, place);
    lotor_sql_value value = {.kind = LOTOR_VALUE_BAD};
    value.length = (size_t)PQgetlength(store->rows, store->row, place);
    if (PQgetisnull(store->rows, store->row, place)) {
        value.kind = kind == LOTOR_VALUE_BYTES ? LOTOR_VALUE_BYTES : LOTOR_VALUE_BAD;
        return value;
    }
    switch (PQftype(store->rows, place)) {
    case TYPE_WHOLE:
        value.kind = value.length == 8 ? LOTOR_VALUE_WHOLE : LOTOR_VALUE_BAD;
        value.whole = value.length == 8 ? (int64_t)get_whole(found) : 0;
        break;
    case TYPE_REAL:
        value.kind = value.length == 8 ? LOTOR_VALUE_REAL : LOTOR_VALUE_BAD;
        const uint64_t bits = value.length == 8 ? get_whole(found) : 0;
        memcpy(&value.real, &bits, sizeof bits);
        break;
    case TYPE_TEXT:
        value.kind = strlen(found) == value.length ? LOTOR_VALUE_TEXT : LOTOR_VALUE_BAD;
        value.bytes = found;
        break;
    case TYPE_BYTES:
        value.kind = LOTOR_VALUE_BYTES;
        value.bytes = found;
        break;
    default:
        break;
    }
    return value;
}

static const char *column_name(lotor_store *base, int place)
{
    return PQfname(pg(base)->rows, place);
}

static void end(lotor_store *base)
{
    PQclear(pg(base)->rows);
    pg(base)->rows = NULL;
}

/* --- transactions ----------------------------------------------------------------------------- */

static lotor_status begin(lotor_store *base, lotor_begin_kind kind, lotor_message *why)
{
    pg_store *const store = pg(base);
    if (base->in_transaction) {
        return lotor_fail(LOTOR_INVALID, why, "a transaction has begun already");
    }
    const lotor_status status = connect_store(store, why);
    base->in_transaction = status == LOTOR_OK;
    store->is_begun = store->is_undone = false;
    store->kind = kind;
    return status;
}

static void rollback(lotor_store *base)
{
    pg_store *const store = pg(base);
    lotor_message unused;
    size_t failed;
    end(base);
    if (store->connection && store->pending > 0) {
        /* after a failed statement the rest of the pipeline is not run, nor would a ROLLBACK be */
        finish(store, &unused, &failed);
    }
    if (store->connection && store->is_begun &&
        PQtransactionStatus(store->connection) != PQTRANS_IDLE) {
        if (!send(store, "ROLLBACK", NULL, 0) || finish(store, &unused, &failed) != LOTOR_OK) {
            drop(store);
        }
    }
    end(base);
    base->in_transaction = store->is_begun = store->is_undone = false;
}

/* If the outcome of a transaction is unknown, the connection is not used again. */
static lotor_status end_unknown(pg_store *store, const char *words, lotor_message *why)
{
    drop(store);
    rollback(&store->base);
    return lotor_fail(LOTOR_UNFINISHED, why, "the database: %s", words);
}

static lotor_status commit(lotor_store *base, lotor_message *why)
{
    pg_store *const store = pg(base);
    size_t failed = 0;
    if (!base->in_transaction || store->is_undone || !store->connection) {
        rollback(base);
        return lotor_fail(LOTOR_UNFINISHED, why,
                          "the store can't be written: an earlier error has undone the change");
    }
    if (!store->is_begun) {
        base->in_transaction = false;
        return LOTOR_OK; /* the transaction has no statements */
    }
    store->was_warned = false;
    if (!send(store, "COMMIT", NULL, 0)) {
        return end_unknown(store, "the connection was lost", why);
    }
    const size_t last = store->pending - 1;
    const lotor_status status = finish(store, why, &failed);
    if (status != LOTOR_OK && failed < last && store->connection) {
        rollback(base); /* a statement before COMMIT failed, so nothing was applied */
        return status;
    }
    if (status != LOTOR_OK) {
        return end_unknown(store, "it did not confirm the change, which may or may not be applied",
                           why);
    }
    /* PostgreSQL replies to the COMMIT of a failed transaction with ROLLBACK. */
    if (strcmp(PQcmdStatus(store->rows), "COMMIT") != 0) {
        return end_unknown(store, "it has undone the change", why);
    }
    if (store->was_warned) {
        return end_unknown(store, "it confirmed the change with a warning: it may be lost", why);
    }
    end(base);
    base->in_transaction = false;
    return LOTOR_OK;
}

/* Leaves the pipeline mode, which does not allow several statements in one text. */
static lotor_status script(lotor_store *base, const char *sql, lotor_message *why)
{
    pg_store *const store = pg(base);
    const uint64_t until = patience(store);
    lotor_status status = run(base, "SELECT 1", NULL, 0, true, why); /* reads all pending results */
    if (status != LOTOR_OK) {
        return status;
    }
    end(base);
    bool is_fine =
        PQexitPipelineMode(store->connection) == 1 && PQsendQuery(store->connection, sql) == 1;
    for (bool is_over = false; is_fine && !is_over;) {
        is_fine = has_replied(store, until);
        PGresult *const result = is_fine ? PQgetResult(store->connection) : NULL;
        if (result && PQresultStatus(result) == PGRES_FATAL_ERROR && status == LOTOR_OK) {
            status = refuse_result(store, result, why);
        }
        is_over = !result;
        PQclear(result);
    }
    if (!is_fine || PQenterPipelineMode(store->connection) != 1) {
        drop(store);
        return lotor_fail(LOTOR_UNFINISHED, why, "the database does not reply");
    }
    return status;
}

/* --- tables ----------------------------------------------------------------------------------- */

static lotor_status get_version(lotor_store *base, lotor_message *why, uint64_t *version)
{
    char text[24] = "", *stop = text;
    uint64_t tables = 0;
    *version = 0;
    lotor_status status = lotor_sql_select(
        base, why, "SELECT count(*) FROM pg_class WHERE oid = to_regclass('lotor_meta')", NULL, 0);
    while (lotor_next(base, why, &status)) {
        lotor_row_reader at = {base, "pg_class", why, LOTOR_OK};
        tables = lotor_row_number(&at, 0);
        status = at.status;
    }
    if (status == LOTOR_OK && tables > 0) {
        status = lotor_store_get_meta(base, "schema", why, text, sizeof text);
        *version = strtoull(text, &stop, 10);
        if (status == LOTOR_OK && (*version == 0 || *stop != '\0')) {
            status =
                lotor_fail((lotor_status)LOTOR_DAMAGED, why, "the store's version is not a number");
        }
    }
    return status;
}

/* Describes all columns, triggers and rules of the tables as one text, whose hash is known. */
static const char description[] =
    "SELECT coalesce(string_agg(concat_ws(' ', c.relname, c.relpersistence, (SELECT count(*) "
    "FROM pg_trigger t WHERE t.tgrelid = c.oid), (SELECT count(*) FROM pg_rewrite r WHERE "
    "r.ev_class = c.oid), (SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, "
    "a.atttypmod), a.attnotnull), ', ' ORDER BY a.attnum) FROM pg_attribute a WHERE "
    "a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)), '; ' "
    "ORDER BY CAST(c.relname AS text) COLLATE \"C\"), '') FROM pg_class c WHERE c.oid IN ("
    "to_regclass('lotor_servers'), to_regclass('lotor_campaigns'), "
    "to_regclass('lotor_campaign_keys'), to_regclass('lotor_leases'), to_regclass('lotor_states'), "
    "to_regclass('lotor_blocks'), to_regclass('lotor_log'), to_regclass('lotor_wants'), "
    "to_regclass('lotor_releases'), to_regclass('lotor_users'), to_regclass('lotor_spend'), "
    "to_regclass('lotor_meta'), to_regclass('lotor_audit'), to_regclass('lotor_budgets'), "
    "to_regclass('lotor_stickies'))";
#define DESCRIPTION_HASH "5d1597eb5d218bdfacf126f9f7581bce"

static lotor_status compare(lotor_store *base, uint64_t version, lotor_message *why)
{
    unsigned char hash[16];
    char digits[33] = "";
    if (version != LOTOR_SCHEMA_VERSION) {
        return LOTOR_OK; /* for an older version, PostgreSQL reports what is missing */
    }
    lotor_status status = lotor_sql_select(base, why, description, NULL, 0);
    while (lotor_next(base, why, &status)) {
        lotor_row_reader at = {base, "pg_class", why, LOTOR_OK};
        const char *const text = lotor_row_text(&at, 0);
        status = at.status;
        crypto_generichash(hash, sizeof hash, (const unsigned char *)text, strlen(text), NULL, 0);
        sodium_bin2hex(digits, sizeof digits, hash, sizeof hash);
    }
    return status == LOTOR_OK && strcmp(digits, DESCRIPTION_HASH) != 0
               ? lotor_fail((lotor_status)LOTOR_DAMAGED, why,
                            "the store's tables are not those of its version (%s): another program "
                            "changed them; restore a backup",
                            digits)
               : status;
}

/* Nothing to do: PostgreSQL checks its files itself. */
static lotor_status inspect(lotor_store *base, bool is_quick, lotor_message *finding)
{
    (void)base;
    (void)is_quick;
    (void)finding;
    return LOTOR_OK;
}

static lotor_status backup(lotor_store *base, const char *path, lotor_message *why)
{
    (void)base;
    (void)path;
    return lotor_fail(LOTOR_INVALID, why,
                      "a PostgreSQL store is copied with the tools of the database: pg_dump or "
                      "pg_basebackup; see docs/operations.md");
}

/* Servers of version 1 have the application name "lotor". A closed connection stays in the list
 * for a moment. A transaction sees the same list again, unless it clears its snapshot. */
static lotor_status lock_old(lotor_store *base, lotor_message *why)
{
    const struct timespec moment = {.tv_nsec = 100000000};
    uint64_t servers = 1;
    lotor_status status = lotor_sql_change(
        base, why, NULL, "LOCK TABLE lotor_meta IN ACCESS EXCLUSIVE MODE", NULL, 0);
    for (int i = 0; status == LOTOR_OK && servers > 0 && i < 10; i++) {
        if (i > 0) {
            nanosleep(&moment, NULL);
            status = lotor_sql_change(base, why, NULL, "SELECT pg_stat_clear_snapshot()", NULL, 0);
        }
        if (status == LOTOR_OK) {
            status =
                lotor_sql_select(base, why,
                                 "SELECT count(*) FROM pg_stat_activity WHERE application_name = "
                                 "'lotor' AND datname = current_database()",
                                 NULL, 0);
        }
        while (lotor_next(base, why, &status)) {
            lotor_row_reader at = {base, "pg_stat_activity", why, LOTOR_OK};
            servers = lotor_row_number(&at, 0);
            status = at.status;
        }
    }
    return status == LOTOR_OK && servers > 0
               ? lotor_fail(
                     (lotor_status)LOTOR_UNFINISHED, why,
                     "the store has version 1, and servers of that version are running on it: stop "
                     "them all, then start this one, which migrates it to version %d",
                     LOTOR_SCHEMA_VERSION)
               : status;
}

static lotor_status lock_2(lotor_store *base, lotor_message *why)
{
    return lotor_sql_change(base, why, NULL, "LOCK TABLE lotor_meta IN ACCESS EXCLUSIVE MODE", NULL,
                            0);
}

/* --- opening ---------------------------------------------------------------------------------- */

static void close_store(lotor_store *base)
{
    pg_store *const store = pg(base);
    end(base);
    PQfinish(store->connection);
    free(store->address);
    free(store);
}

static const lotor_store_driver driver = {
    .is_exclusive = false,
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
    .tables = lotor_postgres_tables,
    .from_2 = lotor_postgres_from_2,
    .from_3 = lotor_postgres_from_3,
    .from_4 = lotor_postgres_from_4,
    .old_renamed = "ALTER TABLE lotor_campaigns RENAME TO lotor_old_campaigns; "
                   "ALTER TABLE lotor_states RENAME TO lotor_old_states; "
                   "ALTER TABLE lotor_blocks RENAME TO lotor_old_blocks; "
                   "ALTER TABLE lotor_answers RENAME TO lotor_old_answers; "
                   "ALTER TABLE lotor_releases RENAME TO lotor_old_releases; "
                   "ALTER TABLE lotor_users RENAME TO lotor_old_users; "
                   "ALTER TABLE lotor_meta RENAME TO lotor_old_meta; "
                   "ALTER TABLE lotor_old_states ADD final bigint; "
                   "UPDATE lotor_old_states SET final = (SELECT final FROM lotor_marks m "
                   "WHERE m.campaign = lotor_old_states.campaign); DROP TABLE lotor_marks; ",
    .old_dropped = "DROP TABLE lotor_old_states, lotor_old_blocks, lotor_old_answers, "
                   "lotor_old_releases, lotor_old_users, lotor_old_meta, "
                   "lotor_old_campaigns; ",
    .version = get_version,
    .compare = compare,
    .inspect = inspect,
    .backup = backup,
    .lock_old = lock_old,
    .lock_2 = lock_2,
};

/* libpq's message about a bad address repeats the address, with the password. A password with an
 * unescaped @ or / ends early: the rest would be taken for a host or a port, and appear in
 * messages. */
static bool is_readable(const char *address)
{
    const char *const scheme_end = strstr(address, "://");
    assert(scheme_end);
    const char *const from = scheme_end + 3, *const at = strchr(from, '@');
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
    pg_store *store = calloc(1, sizeof *store);
    if (store) {
        store->base = (lotor_store){.driver = &driver, .mode = mode};
        store->address = strdup(address);
    }
    if (!store || !store->address) {
        free(store);
        return lotor_fail(LOTOR_MEMORY, why, "out of memory");
    }
    const lotor_status status = connect_store(store, why);
    if (status != LOTOR_OK) {
        close_store(&store->base);
        return status;
    }
    *out = &store->base;
    return LOTOR_OK;
}

bool lotor_postgres_is_up(const char *address)
{
    const char *const keys[] = {"dbname", "connect_timeout", NULL};
    const char *const values[] = {address, "2", NULL};
    return PQpingParams(keys, values, 1) == PQPING_OK;
}
#else
#include "base/message.h"
#include "service/store/driver.h"

lotor_status lotor_postgres_open(const char *address, lotor_store_mode mode, lotor_message *why,
                                 lotor_store **out)
{
    (void)address;
    (void)mode;
    *out = NULL;
    return lotor_fail(LOTOR_INVALID, why,
                      "this lotor was built without PostgreSQL: install libpq's development files "
                      "(Debian: libpq-dev) and build it again, or give --store a file");
}

bool lotor_postgres_is_up(const char *address)
{
    (void)address;
    return true;
}
#endif
