/* store.c - opens a store in either database, makes or migrates its tables, and runs
 * transactions. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/message.h"
#include "service/store/driver.h"

bool lotor_store_is_address(const char *path)
{
    return strncmp(path, "postgres://", 11) == 0 || strncmp(path, "postgresql://", 13) == 0;
}

lotor_status lotor_schema_refuse_newer(uint64_t version, lotor_message *why)
{
    return version <= LOTOR_SCHEMA_VERSION
               ? LOTOR_OK
               : lotor_fail(LOTOR_VERSION, why,
                            "the store has version %" PRIu64
                            ", and this program knows versions up to %d: use the newer program "
                            "that wrote it",
                            version, LOTOR_SCHEMA_VERSION);
}

/* --- tables ----------------------------------------------------------------------------------- */

/* Makes the tables, or migrates them to this program's version, in one transaction. */
static lotor_status bring_forward(lotor_store *store, uint64_t version, lotor_message *why)
{
    lotor_status status = store->driver->begin(store, LOTOR_BEGIN_LONG, why);
    if (status == LOTOR_OK) {
        if (version == 0) {
            status = store->driver->script(store, store->driver->tables, why);
        } else {
            status =
                version == 1 ? lotor_store_migrate(store, why) : lotor_store_migrate_2(store, why);
        }
    }
    return lotor_sql_leave(store, true, status, why);
}

static lotor_status refuse_to_change(const lotor_store *store, uint64_t version, lotor_message *why)
{
    return version == 0 && !store->driver->is_exclusive
               ? lotor_fail(LOTOR_UNKNOWN, why, "there is no store in the database yet")
               : lotor_fail(LOTOR_UNFINISHED, why,
                            "the store has version %" PRIu64
                            " and must be migrated to version %d: start a server on it once",
                            version, LOTOR_SCHEMA_VERSION);
}

/* Several servers may start at the same time on one database. A server whose attempt fails looks
 * again, since another server may have made the tables. */
lotor_status lotor_schema_open(lotor_store *store, lotor_message *why)
{
    const struct timespec moment = {.tv_nsec = 100000000};
    enum { TRIES = 20 };
    uint64_t version = 0;
    lotor_status status = store->driver->version(store, why, &version);
    for (int i = 0; status == LOTOR_OK && version < LOTOR_SCHEMA_VERSION; i++) {
        if (store->mode == LOTOR_STORE_READ) {
            return refuse_to_change(store, version, why);
        }
        const uint64_t before = version;
        lotor_message unused;
        const lotor_status done = bring_forward(store, version, why);
        status = store->driver->version(store, done == LOTOR_OK ? why : &unused, &version);
        if (done != LOTOR_OK && (status != LOTOR_OK || version == before)) {
            if (store->driver->is_exclusive || before != 0 || i == TRIES) {
                return done;
            }
            status = LOTOR_OK;
            nanosleep(&moment, NULL);
        }
    }
    if (status == LOTOR_OK) {
        status = lotor_schema_refuse_newer(version, why);
    }
    return status == LOTOR_OK ? store->driver->compare(store, LOTOR_SCHEMA_VERSION, why) : status;
}

lotor_status lotor_store_open(const char *path, lotor_store_mode mode, const char *vfs,
                              lotor_message *why, lotor_store **out)
{
    assert(path && out);
    *out = NULL;
    lotor_store *store = NULL;
    lotor_status status = lotor_store_is_address(path)
                              ? lotor_postgres_open(path, mode, why, &store)
                              : lotor_sqlite_open(path, mode, vfs, why, &store);
    if (status == LOTOR_OK) {
        status = lotor_schema_open(store, why);
    }
    if (status != LOTOR_OK) {
        lotor_store_close(store);
        return status;
    }
    *out = store;
    return LOTOR_OK;
}

bool lotor_store_is_up(const char *path)
{
    return !lotor_store_is_address(path) || lotor_postgres_is_up(path);
}

void lotor_store_close(lotor_store *store)
{
    if (store) {
        lotor_store_rollback(store);
        store->driver->close(store);
    }
}

bool lotor_store_is_exclusive(const lotor_store *store)
{
    return store->driver->is_exclusive;
}

uint64_t lotor_store_connections(const lotor_store *store)
{
    return store->connections;
}

/* --- transactions ----------------------------------------------------------------------------- */

lotor_status lotor_store_begin(lotor_store *store, lotor_message *why)
{
    return store->driver->begin(store, LOTOR_BEGIN_USUAL, why);
}

lotor_status lotor_store_commit(lotor_store *store, lotor_message *why)
{
    return store->driver->commit(store, why);
}

void lotor_store_rollback(lotor_store *store)
{
    if (store->in_transaction) {
        store->driver->rollback(store);
    }
}

/* --- whole stores ----------------------------------------------------------------------------- */

lotor_status lotor_store_quick_check(lotor_store *store, lotor_message *finding)
{
    const lotor_status status = store->driver->compare(store, LOTOR_SCHEMA_VERSION, finding);
    return status == LOTOR_OK ? store->driver->inspect(store, true, finding) : status;
}

lotor_status lotor_store_backup(lotor_store *store, const char *path, lotor_message *why)
{
    return store->driver->backup(store, path, why);
}
