/* store_postgres.c - the PostgreSQL back end: transactions, opening and closing.
 *
 * Statements inside a transaction are never sent on another connection. A COMMIT whose answer was lost may
 * have gone well: it is told as a failure, and whoever asks again finds out under the campaign's lock, which
 * the old transaction holds until it is over (shared.md). */
#ifdef LOTOR_POSTGRES
#include "service/store/store_postgres.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/message.h"

/* --- transactions ------------------------------------------------------------------------------- */

static lotor_status begin(lotor_store *base, lotor_message *why)
{
    lotor_postgres *store = lotor_postgres_of(base);
    PGresult *result = NULL;
    if (store->in_transaction) {
        return lotor_fail(LOTOR_INVALID, why, "a transaction has begun already");
    }
    store->waiting_count = 0;
    lotor_status status = lotor_pg_connect(store, why);
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
    const lotor_status status = lotor_pg_finish(
        store,
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
    lotor_status status = lotor_pg_connect(store, why);
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
    lotor_status status = lotor_pg_connect(store, why);
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
