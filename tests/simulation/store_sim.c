/* store_sim.c - implements all of store.h on the simulated database; linked instead of the real
 * store.
 *
 * Every call stops its fiber before and after its effect. A statement runs without interruption in
 * between, so it sees one snapshot. If another transaction has written a row, the statement waits,
 * and then looks again. A wait ends after three seconds with LOTOR_UNFINISHED, as in the real
 * store.
 */
#include "simulation/sim.h"

#include <assert.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/little.h"
#include "simulation/rows.h"

enum {                    /* milliseconds, as in src/service/store/driver_postgres.c */
       GIVE_UP_MS = 3000, /* no reply from the database */
       LOCK_MS = 2000,    /* the longest wait for a row */
       SLOW_MS = 2400,    /* the longest time for a COMMIT to arrive */
       IDLE_MS = 2500,    /* the database ends idle transactions: see world.c */
       LIVE_MOST_MS =
           60000, /* a server's row with a later end was written under a clock that was ahead */
       DAY_MS = 24 * 3600000,
       MISSED_MS = 20
};

uint64_t sim_db_now(const sim *world)
{
    return world->now + (uint64_t)world->db_offset;
}

uint64_t sim_own_now(const sim_server *server)
{
    return server->sim->now + (uint64_t)server->skew;
}

static bool is(const lotor_store *store, sim_variant variant)
{
    return store->sim->variant == variant;
}

static lotor_status unfinished(lotor_message *why, const char *text)
{
    if (why) {
        snprintf(why->text, sizeof why->text, "%s", text);
    }
    return LOTOR_UNFINISHED;
}

/* --- the connection --------------------------------------------------------------------------- */

void sim_store_connect(sim *world, sim_server *server)
{
    server->store = (lotor_store){.sim = world, .server = server};
}

/* The action of the database with a transaction whose client is gone. An open one ends soon, or
 * after a while. One that waits for the standby keeps waiting. */
static void abandon(lotor_store *store)
{
    db_tx *tx = store->tx;
    store->tx = NULL;
    if (!tx) {
        return;
    }
    bool is_noticed = rng_one_in(&store->sim->schedule, 2) || store->sim->mode == SIM_EXCLUSIVE;
    if (tx->phase == DB_OPEN && is_noticed) {
        db_abort(store->sim->base, tx);
        return;
    }
    tx->is_orphan = true;
    tx->ends_at = store->sim->now + rng_between(&store->sim->schedule, 1, IDLE_MS);
}

void sim_store_cut(lotor_store *store)
{
    abandon(store);
    store->is_cut = true;
    store->connections++; /* for the next connection */
}

void sim_crash(sim_server *server)
{
    abandon(&server->store);
    server->is_crashed = true;
}

static bool take_trap(lotor_store *store, sim_fault fault)
{
    if (!store->server->traps[fault]) {
        return false;
    }
    store->server->traps[fault] = false;
    store->sim->faults[fault]++;
    sim_say(store->sim, "server %d: %s", store->server->place, sim_fault_names[fault]);
    return true;
}

static bool is_gone(const lotor_store *store)
{
    return store->server->is_crashed || store->is_cut;
}

static void stop_here(const lotor_store *store)
{
    if (fiber_current() && !store->server->is_crashed) {
        fiber_yield();
    }
}

bool sim_is_blocked(const sim_server *server)
{
    const sim *world = server->sim;
    if (is_gone(&server->store) || world->now >= server->blocked_until) {
        return false;
    }
    return (server->blocked_tx && db_is_active(world->base, server->blocked_tx)) ||
           (server->blocked_lsn && world->base->durable_lsn < server->blocked_lsn);
}

/* Stops until the other transaction has ended, or the standby has the log up to an lsn. False:
 * it took too long, or the connection ended. */
static bool wait_for(lotor_store *store, uint64_t tx, uint64_t lsn)
{
    sim_server *server = store->server;
    if (!fiber_current()) {
        return false;
    }
    server->blocked_tx = tx;
    server->blocked_lsn = lsn;
    server->blocked_until = store->sim->now + (tx ? LOCK_MS : GIVE_UP_MS);
    while (sim_is_blocked(server)) {
        fiber_yield();
    }
    bool is_late =
        store->sim->now >= server->blocked_until && ((tx && db_is_active(store->sim->base, tx)) ||
                                                     (lsn && store->sim->base->durable_lsn < lsn));
    server->blocked_tx = server->blocked_lsn = server->blocked_until = 0;
    return !is_late && !is_gone(store);
}

/* True if waiting for a transaction would never end. */
static bool is_deadlock(const lotor_store *store, uint64_t blocker)
{
    const sim *world = store->sim;
    for (size_t depth = 0; depth < SIM_SERVERS; depth++) {
        const sim_server *holder = NULL;
        for (size_t i = 0; i < world->server_count; i++) {
            const db_tx *tx = world->servers[i].store.tx;
            holder = tx && tx->id == blocker ? &world->servers[i] : holder;
        }
        if (!holder || !holder->blocked_tx) {
            return false;
        }
        if (holder == store->server || (store->tx && holder->blocked_tx == store->tx->id)) {
            return true;
        }
        blocker = holder->blocked_tx;
    }
    return false;
}

/* Called before a statement. False: the statement fails. The PostgreSQL driver sends statements
 * without a result (start_quiet) together with the next one that has a result. They seem to
 * succeed, and an error is reported by that later call. */
#define start(store, why)       start_call(store, why, false, __func__)
#define start_quiet(store, why) start_call(store, why, true, __func__)
static bool start_call(lotor_store *store, lotor_message *why, bool is_quiet, const char *name)
{
    store->is_quiet =
        is_quiet && store->in_transaction && store->sim->mode != SIM_EXCLUSIVE && !store->is_told;
    if (store->sim->says_calls) {
        sim_say(store->sim, "    server %d: %s", store->server->place, name);
    }
    unfinished(why, "the simulated store refused");
    stop_here(store);
    if (store->server->is_crashed) {
        return false;
    }
    if (store->is_cut && !store->in_transaction && rng_one_in(&store->sim->schedule, 2)) {
        store->is_cut = false; /* it was noticed in time, so no call reports it */
    }
    if (store->is_cut) {
        store->is_cut = store->in_transaction; /* else the next call opens a new connection */
        return false;
    }
    if (store->sim->now < store->sim->db_down_until) {
        sim_store_cut(store);
        store->is_cut = store->in_transaction;
        return false;
    }
    if (store->in_transaction && !store->tx) { /* it failed before, or the database ended it */
        return false;
    }
    if (store->server->traps[FAULT_ERROR] && take_trap(store, FAULT_ERROR)) {
        if (store->tx) {
            db_abort(store->sim->base, store->tx);
            store->tx = NULL;
        }
        return false;
    }
    store->is_auto = !store->in_transaction;
    if (store->is_auto) {
        store->tx = db_begin(store->sim->base, store->server->place);
    }
    store->touched_at = store->sim->now;
    return true;
}

/* The statement failed, so its transaction has ended. */
static lotor_status fail(lotor_store *store)
{
    if (store->tx) {
        db_abort(store->sim->base, store->tx);
        store->tx = NULL;
    }
    if (store->is_quiet) {
        return LOTOR_OK;
    }
    store->is_told = store->in_transaction;
    if (store->deferred && !is_gone(store)) {
        lotor_status status = store->deferred;
        store->deferred = LOTOR_OK;
        return status;
    }
    if (store->is_auto && store->is_cut) {
        store->is_cut = false; /* this call reports it */
    }
    return LOTOR_UNFINISHED;
}

/* A unique key is violated. PostgreSQL ends the transaction, SQLite only the statement. */
static lotor_status duplicate(lotor_store *store)
{
    bool is_auto = store->is_auto;
    if (store->tx && (is_auto || store->sim->mode != SIM_EXCLUSIVE)) {
        db_abort(store->sim->base, store->tx);
        store->tx = NULL;
    }
    stop_here(store);
    if (store->is_quiet) {
        store->deferred = LOTOR_DUPLICATE;
        return LOTOR_OK;
    }
    store->is_told = store->in_transaction && !store->tx;
    if (!is_gone(store)) {
        return LOTOR_DUPLICATE;
    }
    store->is_cut = store->is_cut && !is_auto;
    return LOTOR_UNFINISHED;
}

/* --- commit ----------------------------------------------------------------------------------- */

/* The client stops waiting. The COMMIT will arrive, or is lost. */
static void give_up(lotor_store *store, bool applies)
{
    db_tx *tx = store->tx;
    store->tx = NULL;
    tx->is_orphan = true;
    tx->applies = applies;
    tx->ends_at = store->sim->now + rng_between(&store->sim->schedule, 1, 2 * GIVE_UP_MS);
}

/* Applies only some rows of the transaction. */
static void split(lotor_store *store)
{
    db *base = store->sim->base;
    db_tx *some = db_begin(base, store->server->place);
    db_tx *all = store->tx;
    size_t count = all->count;
    for (size_t i = 0; i < count; i++) {
        db_change change = all->changes[i];
        const db_cell *cell = db_read(base, all, change.table, change.key);
        db_row *row = &base->tables[change.table].rows[db_from(base, change.table, change.key)];
        if (change.table == DB_LEASES) {
            continue;
        }
        db_cell *copy = NULL;
        if (cell) {
            copy = db_cell_new(cell->length);
            memcpy(copy->bytes, cell->bytes, cell->length);
        }
        db_cell_drop(row->written); /* moves to the other transaction */
        row->written = NULL;
        row->writer = NULL;
        all->changes[i] = all->changes[all->count - 1];
        all->count--;
        i--;
        count--;
        db_write(base, some, change.table, change.key, copy);
    }
    db_abort(base, all);
    store->tx = some;
}

/* Logs the transaction and makes it visible. False: it was not applied, or the outcome is
 * unknown. */
static bool apply(lotor_store *store)
{
    sim *world = store->sim;
    db *base = world->base;
    if (store->tx->count == 0) {
        db_abort(base, store->tx);
        store->tx = NULL;
        return true;
    }
    if (fiber_current() && take_trap(store, FAULT_SLOW)) {
        store->server->paused_until = world->now + rng_between(&world->schedule, 200, SLOW_MS);
        stop_here(store);
        if (is_gone(store) || !store->tx) {
            return false;
        }
    }
    if (take_trap(store, FAULT_CRASH_BEFORE)) {
        sim_crash(store->server);
        return false;
    }
    if (take_trap(store, FAULT_COMMIT_LOST)) {
        sim_store_cut(store);
        return false;
    }
    if (take_trap(store, FAULT_LATE)) {
        give_up(store, rng_one_in(&world->schedule, 2));
        store->is_cut = true;
        return false;
    }
    if (is(store, VARIANT_EARLY_REPLY)) {
        give_up(store, true);
        return true;
    }
    if (is(store, VARIANT_SPLIT_COMMIT) && store->server->traps[FAULT_REPLY_LOST]) {
        split(store);
    }
    db_tx *tx = store->tx;
    uint64_t id = tx->id;
    bool is_logged = db_log(base, tx);
    uint64_t lsn = tx->lsn;
    if (is_logged && world->mode == SIM_SYNC && !is(store, VARIANT_NO_WAIT)) {
        if (take_trap(store, FAULT_WARNING)) {
            store->tx = NULL;
            db_show(base, tx);
            store->is_cut = !is(store, VARIANT_WARNING_IS_OK);
            return !store->is_cut;
        }
        bool is_done = wait_for(store, 0, lsn);
        store->tx = NULL;
        if (db_is_active(base,
                         id)) { /* still waiting: it becomes visible when the standby has it */
            tx->is_orphan = true;
            tx->ends_at = UINT64_MAX;
        }
        if (!is_done) {
            store->is_cut = true;
            return false;
        }
    } else {
        store->tx = NULL;
        if (is_logged && world->mode != SIM_ASYNC && world->mode != SIM_SYNC) {
            db_harden(base, lsn);
        }
        db_show(base, tx);
    }
    if (take_trap(store, FAULT_CRASH_AFTER)) {
        sim_crash(store->server);
        return false;
    }
    if (take_trap(store, FAULT_REPLY_LOST)) {
        store->is_cut = true;
        return false;
    }
    return true;
}

/* Called after a statement that succeeded, or was refused without ending the transaction. */
static lotor_status finish(lotor_store *store, lotor_status status)
{
    if (store->is_auto) {
        bool fine = store->tx && apply(store);
        stop_here(store);
        if (!fine || is_gone(store)) {
            store->is_cut = false;
            return LOTOR_UNFINISHED;
        }
        return status;
    }
    stop_here(store);
    if (is_gone(store)) {
        return store->is_quiet ? LOTOR_OK : LOTOR_UNFINISHED;
    }
    store->touched_at = store->sim->now;
    return status;
}

lotor_status lotor_store_begin(lotor_store *store, lotor_message *why)
{
    assert(!store->in_transaction);
    if (!start(store, why)) {
        return fail(store);
    }
    store->is_auto = false;
    store->is_told = false;
    store->in_transaction = true;
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_commit(lotor_store *store, lotor_message *why)
{
    assert(store->in_transaction);
    bool fine = start(store, why) && apply(store);
    lotor_status status = store->deferred && !is_gone(store) ? store->deferred : LOTOR_UNFINISHED;
    store->deferred = LOTOR_OK;
    if (store->tx) {
        db_abort(store->sim->base, store->tx);
        store->tx = NULL;
    }
    store->in_transaction = false; /* whatever the outcome */
    stop_here(store);
    if (!fine || is_gone(store)) {
        store->is_cut = false; /* this call reports it; the next one opens a new connection */
        return status;
    }
    return LOTOR_OK;
}

void lotor_store_rollback(lotor_store *store)
{
    if (!store->in_transaction) {
        return;
    }
    if (store->tx) {
        db_abort(store->sim->base, store->tx);
        store->tx = NULL;
    }
    store->in_transaction = false;
    store->is_cut = false;
    store->deferred = LOTOR_OK;
    stop_here(store);
}

void sim_orphans(sim *world)
{
    db *base = world->base;
    bool waits = world->mode == SIM_SYNC && world->variant != VARIANT_NO_WAIT;
    for (db_tx *tx = base->active, *next; tx; tx = next) {
        next = tx->next;
        if (!tx->is_orphan || tx->ends_at > world->now) {
            continue;
        }
        if (tx->phase == DB_OPEN && !tx->applies) {
            db_abort(base, tx);
            continue;
        }
        bool is_logged = tx->phase == DB_LOGGED ? tx->lsn > 0 : db_log(base, tx);
        if (is_logged && waits) { /* waits until the standby has it */
            tx->ends_at = UINT64_MAX;
            continue;
        }
        if (is_logged && world->mode != SIM_ASYNC && world->mode != SIM_SYNC) {
            db_harden(base, tx->lsn);
        }
        db_show(base, tx);
    }
}

void sim_standby(sim *world, uint64_t lsn)
{
    db *base = world->base;
    db_harden(base, lsn);
    for (bool again = true; again;) {
        db_tx *first = NULL;
        for (db_tx *tx = base->active; tx; tx = tx->next) {
            if (tx->phase == DB_LOGGED && tx->lsn && tx->lsn <= lsn &&
                (!first || tx->lsn < first->lsn)) {
                first = tx;
            }
        }
        again = first != NULL;
        if (first) {
            for (size_t i = 0; i < world->server_count; i++) {
                if (world->servers[i].store.tx == first) {
                    world->servers[i].store.tx = NULL;
                }
            }
            db_show(base, first);
        }
    }
}

/* --- rows ------------------------------------------------------------------------------------- */

static db_key key1(uint64_t a)
{
    return (db_key){{a, 0, 0}};
}

static db_key key2(uint64_t a, uint64_t b)
{
    return (db_key){{a, b, 0}};
}

static db_key key3(uint64_t a, uint64_t b, uint64_t c)
{
    return (db_key){{a, b, c}};
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static const db_cell *read(const lotor_store *store, db_table table, db_key key)
{
    if (is(store, VARIANT_DIRTY_READ)) {
        size_t place = db_from(store->sim->base, table, key);
        if (place < db_count(store->sim->base, table)) {
            const db_row *row = db_at(store->sim->base, table, place);
            if (memcmp(&row->key, &key, sizeof key) == 0) {
                return row->writer ? row->written : row->seen;
            }
        }
    }
    return db_read(store->sim->base, store->tx, table, key);
}

static const db_cell *sees(const lotor_store *store, const db_row *row)
{
    return is(store, VARIANT_DIRTY_READ) && row->writer ? row->written : db_sees(row, store->tx);
}

/* Waits until no other transaction has written the row. After that, nothing else runs until the
 * statement has ended. */
static bool lock_row(lotor_store *store, db_table table, db_key key)
{
    for (;;) {
        const db *base = store->sim->base;
        size_t place = db_from(base, table, key);
        const db_row *row = place < db_count(base, table) ? db_at(base, table, place) : NULL;
        if (!row || memcmp(&row->key, &key, sizeof key) != 0 || !row->writer ||
            row->writer == store->tx) {
            return true;
        }
        uint64_t blocker = row->writer->id;
        if (is_deadlock(store, blocker) || !wait_for(store, blocker, 0) || !store->tx) {
            return false;
        }
    }
}

static void put(lotor_store *store, db_table table, db_key key, db_cell *cell)
{
    uint64_t holder = db_write(store->sim->base, store->tx, table, key, cell);
    assert(holder == 0);
    (void)holder;
}

/* Loops over the rows of a table with a given first key word. */
typedef struct walk {
    const lotor_store *store;
    db_table table;
    uint64_t first;
    bool is_all;
    size_t place;
    const db_row *row;
    const db_cell *cell;
} walk;

static walk walk_of(const lotor_store *store, db_table table, uint64_t first)
{
    return (walk){.store = store,
                  .table = table,
                  .first = first,
                  .place = db_from(store->sim->base, table, key1(first))};
}

static walk walk_all(const lotor_store *store, db_table table)
{
    return (walk){.store = store, .table = table, .is_all = true};
}

static bool walk_next(walk *at)
{
    const db *base = at->store->sim->base;
    while (at->place < db_count(base, at->table)) {
        at->row = db_at(base, at->table, at->place++);
        if (!at->is_all && at->row->key.at[0] != at->first) {
            return false;
        }
        at->cell = sees(at->store, at->row);
        if (at->cell) {
            return true;
        }
    }
    return false;
}

/* --- opening ---------------------------------------------------------------------------------- */

bool lotor_store_is_address(const char *path)
{
    return strncmp(path, "postgres", 8) == 0;
}

lotor_status lotor_store_open(const char *path, lotor_store_mode mode, const char *vfs,
                              lotor_message *why, lotor_store **out)
{
    (void)path;
    (void)mode;
    (void)vfs;
    *out = NULL;
    return unfinished(why, "a simulated store is not opened: see sim_store_connect");
}

void lotor_store_close(lotor_store *store)
{
    if (store) {
        sim_store_cut(store);
    }
}

bool lotor_store_is_exclusive(const lotor_store *store)
{
    return store->sim->mode == SIM_EXCLUSIVE;
}

uint64_t lotor_store_connections(const lotor_store *store)
{
    return store->connections;
}

static uint64_t clock_of(const lotor_store *store)
{
    return store->sim->mode == SIM_EXCLUSIVE
               ? sim_own_now(store->server) + (uint64_t)store->sim->db_offset
               : sim_db_now(store->sim);
}

lotor_status lotor_store_now(lotor_store *store, lotor_message *why, uint64_t *now)
{
    if (!start(store, why)) {
        return fail(store);
    }
    *now = is(store, VARIANT_LOCAL_CLOCK) ? sim_own_now(store->server) : clock_of(store);
    return finish(store, LOTOR_OK);
}

/* --- servers ---------------------------------------------------------------------------------- */

static server_cell server_of(const db_cell *cell)
{
    server_cell row;
    memcpy(&row, cell->bytes, sizeof row);
    return row;
}

static bool is_live(const lotor_store *store, uint64_t server)
{
    const db_cell *cell = server ? read(store, DB_SERVERS, key1(server)) : NULL;
    uint64_t until = cell ? server_of(cell).until : 0, now = clock_of(store);
    return until > now && until <= now + LIVE_MOST_MS;
}

static void put_server(lotor_store *store, uint64_t server, uint64_t life_ms)
{
    server_cell row = {.until = clock_of(store) + life_ms};
    put(store, DB_SERVERS, key1(server), row_make(&row, sizeof row, NULL, 0, NULL, 0));
}

/* Deletes rows of servers. False: a row could not be locked. */
static bool delete_servers(lotor_store *store, uint64_t but, bool all)
{
    for (bool again = true; again;) {
        again = false;
        walk at = walk_all(store, DB_SERVERS);
        while (walk_next(&at)) {
            uint64_t id = at.row->key.at[0], until = server_of(at.cell).until;
            bool is_kept =
                until + DAY_MS > clock_of(store) && until <= clock_of(store) + LIVE_MOST_MS;
            if (id == but || (!all && is_kept)) {
                continue;
            }
            if (at.row->writer && at.row->writer != store->tx) {
                continue; /* another transaction deletes it, too */
            }
            put(store, DB_SERVERS, key1(id), NULL);
            again = true;
            break;
        }
    }
    return true;
}

/* Deletes the wants of servers that no longer have a row. */
static void delete_dead_wants(lotor_store *store)
{
    for (bool again = true; again;) {
        again = false;
        walk at = walk_all(store, DB_WANTS);
        while (!again && walk_next(&at)) {
            bool is_locked = at.row->writer && at.row->writer != store->tx;
            if (!is_locked && !read(store, DB_SERVERS, key1(at.row->key.at[0]))) {
                put(store, DB_WANTS, at.row->key, NULL);
                again = true;
            }
        }
    }
}

lotor_status lotor_store_add_server(lotor_store *store, uint64_t server, uint64_t life_ms,
                                    const char *program, lotor_message *why)
{
    (void)program;
    if (!start(store, why) || !lock_row(store, DB_SERVERS, key1(server))) {
        return fail(store);
    }
    bool is_known = read(store, DB_SERVERS, key1(server)) != NULL;
    if (is_known && !is(store, VARIANT_REUSED_NAME)) {
        return finish(store, LOTOR_DUPLICATE);
    }
    put_server(store, server, life_ms);
    if (store->sim->mode == SIM_EXCLUSIVE) {
        delete_servers(store, server, true);
    }
    delete_dead_wants(store);
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_beat(lotor_store *store, uint64_t server, uint64_t life_ms,
                              lotor_message *why, bool *known, uint64_t *others)
{
    if (!start(store, why) || !lock_row(store, DB_SERVERS, key1(server))) {
        return fail(store);
    }
    *known = read(store, DB_SERVERS, key1(server)) != NULL;
    if (*known) {
        put_server(store, server, life_ms);
    }
    delete_servers(store, server, false);
    *others = 0;
    walk at = walk_all(store, DB_SERVERS);
    while (walk_next(&at)) {
        *others += at.row->key.at[0] != server && is_live(store, at.row->key.at[0]);
    }
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_remove_server(lotor_store *store, uint64_t server, lotor_message *why)
{
    if (!start_quiet(store, why) || !lock_row(store, DB_SERVERS, key1(server))) {
        return fail(store);
    }
    put(store, DB_SERVERS, key1(server), NULL);
    return finish(store, LOTOR_OK);
}

/* --- campaigns -------------------------------------------------------------------------------- */

/* The last id is a value of `meta`, whose row stays locked until the transaction ends. */
lotor_status lotor_store_next_campaign(lotor_store *store, lotor_message *why, uint64_t *id)
{
    db_key key = key1(hash_text("campaigns"));
    if (!start(store, why) || !lock_row(store, DB_META, key)) {
        return fail(store);
    }
    char text[24];
    const db_cell *cell = read(store, DB_META, key);
    *id = (cell ? strtoull((const char *)cell->bytes, NULL, 10) : 0) + 1;
    snprintf(text, sizeof text, "%llu", (unsigned long long)*id);
    put(store, DB_META, key, row_make(text, strlen(text) + 1, NULL, 0, NULL, 0));
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_add_campaign(lotor_store *store, const lotor_campaign_row *row,
                                      const unsigned char *key, size_t key_length,
                                      lotor_message *why)
{
    uint64_t name = hash_text(row->name);
    if (!start(store, why) || !lock_row(store, DB_NAMES, key1(name))) {
        return fail(store);
    }
    if (read(store, DB_NAMES, key1(name))) {
        return finish(store, LOTOR_DUPLICATE);
    }
    put(store, DB_NAMES, key1(name), row_make(&row->id, sizeof row->id, NULL, 0, NULL, 0));
    put(store, DB_CAMPAIGNS, key1(row->id), row_of_campaign(row));
    put(store, DB_KEYS, key1(row->id), row_make(key, key_length, NULL, 0, NULL, 0));
    lotor_lease lease = {.campaign = row->id};
    put(store, DB_LEASES, key1(row->id), row_of_lease(&lease));
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_each_campaign(lotor_store *store, uint64_t after, lotor_on_campaign *told,
                                       void *context, lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    lotor_status status = LOTOR_OK;
    walk at = walk_all(store, DB_CAMPAIGNS);
    while (!status && walk_next(&at)) {
        if (at.row->key.at[0] > after) {
            lotor_campaign_row row = row_campaign(at.cell);
            status = told(context, &row);
        }
    }
    lotor_status finished = finish(store, LOTOR_OK);
    return status ? status : finished;
}

lotor_status lotor_store_get_campaign(lotor_store *store, uint64_t campaign,
                                      lotor_on_campaign *told, void *context, lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    const db_cell *cell = read(store, DB_CAMPAIGNS, key1(campaign));
    lotor_status status = LOTOR_UNKNOWN;
    if (cell) {
        lotor_campaign_row row = row_campaign(cell);
        status = told(context, &row);
    }
    lotor_status finished = finish(store, LOTOR_OK);
    return finished ? finished : status;
}

lotor_status lotor_store_put_spec(lotor_store *store, const lotor_campaign_row *row,
                                  lotor_message *why, bool *done)
{
    *done = false;
    if (!start(store, why) || !lock_row(store, DB_CAMPAIGNS, key1(row->id))) {
        return fail(store);
    }
    const db_cell *cell = read(store, DB_CAMPAIGNS, key1(row->id));
    if (cell && row_campaign(cell).specs == row->specs) {
        lotor_campaign_row old = row_campaign(cell), next = *row;
        next.name = old.name;
        next.created = old.created;
        next.specs++;
        put(store, DB_CAMPAIGNS, key1(row->id), row_of_campaign(&next));
        *done = true;
    }
    return finish(store, LOTOR_OK);
}

static lotor_status tell_bytes(const db_cell *cell, size_t skipped, lotor_on_bytes *told,
                               void *context)
{
    return cell ? told(context, cell->bytes + skipped, cell->length - skipped) : LOTOR_UNKNOWN;
}

lotor_status lotor_store_get_key(lotor_store *store, uint64_t campaign, lotor_on_bytes *told,
                                 void *context, lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    lotor_status status = tell_bytes(read(store, DB_KEYS, key1(campaign)), 0, told, context);
    lotor_status finished = finish(store, LOTOR_OK);
    return finished ? finished : status;
}

lotor_status lotor_store_put_key(lotor_store *store, uint64_t campaign, const unsigned char *key,
                                 size_t key_length, lotor_message *why)
{
    if (!start_quiet(store, why) || !lock_row(store, DB_KEYS, key1(campaign))) {
        return fail(store);
    }
    if (read(store, DB_KEYS, key1(campaign))) {
        return duplicate(store);
    }
    put(store, DB_KEYS, key1(campaign), row_make(key, key_length, NULL, 0, NULL, 0));
    return finish(store, LOTOR_OK);
}

/* --- deleting campaigns ----------------------------------------------------------------------- */

static bool is_about(db_table table, const db_row *row, const db_cell *cell, uint64_t campaign)
{
    return (table == DB_WANTS ? row_want(cell).campaign : row->key.at[0]) == campaign;
}

/* One statement: deletes the rows of a campaign that it sees. It waits for rows that others have
 * written. */
static lotor_status erase_rows(lotor_store *store, db_table table, uint64_t campaign,
                               lotor_message *why)
{
    if (!start_quiet(store, why)) {
        return fail(store);
    }
    for (bool again = true; again;) {
        again = false;
        walk at = walk_all(store, table);
        while (!again && walk_next(&at)) {
            if (is_about(table, at.row, at.cell, campaign)) {
                const db_key key = at.row->key;
                if (!lock_row(store, table, key)) {
                    return fail(store);
                }
                put(store, table, key, NULL);
                again = true; /* the wait may have moved rows */
            }
        }
    }
    return finish(store, LOTOR_OK);
}

static lotor_status erase_unfenced(lotor_store *store, uint64_t campaign, lotor_message *why)
{
    static const db_table tables[] = {DB_USERS, DB_STICKIES, DB_LOG, DB_WANTS};
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < sizeof tables / sizeof *tables; i++) {
        status = erase_rows(store, tables[i], campaign, why);
    }
    return status;
}

static lotor_status end_lease(lotor_store *store, uint64_t campaign, lotor_message *why)
{
    if (!start_quiet(store, why) || !lock_row(store, DB_LEASES, key1(campaign))) {
        return fail(store);
    }
    const db_cell *cell = read(store, DB_LEASES, key1(campaign));
    if (cell) {
        lotor_lease row = row_lease(cell);
        row.owner = row.due = 0;
        row.epoch++;
        row.final = row.sealed;
        put(store, DB_LEASES, key1(campaign), row_of_lease(&row));
    }
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_erase(lotor_store *store, uint64_t campaign, lotor_message *why)
{
    static const db_table tables[] = {DB_KEYS, DB_STATES, DB_BLOCKS};
    assert(store->in_transaction);
    lotor_status status = erase_unfenced(store, campaign, why);
    if (status == LOTOR_OK) {
        status = end_lease(store, campaign, why);
    }
    for (size_t i = 0; status == LOTOR_OK && i < sizeof tables / sizeof *tables; i++) {
        status = erase_rows(store, tables[i], campaign, why);
    }
    return status == LOTOR_OK ? erase_unfenced(store, campaign, why) : status;
}

lotor_status lotor_store_erase_left(lotor_store *store, uint64_t campaign, lotor_message *why)
{
    const bool alone = !store->in_transaction;
    lotor_status status = alone ? lotor_store_begin(store, why) : (lotor_status)LOTOR_OK;
    if (status == LOTOR_OK) {
        status = erase_unfenced(store, campaign, why);
    }
    if (alone && status == LOTOR_OK) {
        return lotor_store_commit(store, why);
    }
    if (alone) {
        lotor_store_rollback(store);
    }
    return status;
}

lotor_status lotor_store_overwrite(lotor_store *store, lotor_message *why)
{
    (void)store;
    (void)why;
    return LOTOR_OK;
}

/* --- leases and states ------------------------------------------------------------------------ */

static lotor_lease lease_of(const lotor_store *store, const db_cell *cell)
{
    lotor_lease lease = row_lease(cell);
    const db_cell *campaign = read(store, DB_CAMPAIGNS, key1(lease.campaign));
    lease.specs = campaign ? row_campaign(campaign).specs : 0;
    lease.is_live = is_live(store, lease.owner);
    return lease;
}

lotor_status lotor_store_each_lease(lotor_store *store, lotor_on_lease *told, void *context,
                                    lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    lotor_status status = LOTOR_OK;
    walk at = walk_all(store, DB_LEASES);
    while (!status && walk_next(&at)) {
        lotor_lease lease = lease_of(store, at.cell);
        status = told(context, &lease);
    }
    lotor_status finished = finish(store, LOTOR_OK);
    return status ? status : finished;
}

/* The values that the WHERE of an UPDATE reads from other tables. It is read when the statement begins,
 * even if the statement then waits for the row. PostgreSQL evaluates only the row itself again. */
typedef struct guard {
    uint64_t live[2 * SIM_SERVERS + 8];
    size_t live_count;
    uint64_t specs;
} guard;

static guard guard_of(const lotor_store *store, uint64_t campaign)
{
    guard made = {.live_count = 0};
    walk at = walk_all(store, DB_SERVERS);
    while (walk_next(&at)) {
        if (is_live(store, at.row->key.at[0]) &&
            made.live_count < sizeof made.live / sizeof *made.live) {
            made.live[made.live_count++] = at.row->key.at[0];
        }
    }
    const db_cell *cell = read(store, DB_CAMPAIGNS, key1(campaign));
    made.specs = cell ? row_campaign(cell).specs : 0;
    return made;
}

static bool may_take(lotor_store *store, const guard *known, const db_cell *cell, uint64_t me,
                     uint64_t seen)
{
    if (!cell) {
        return false;
    }
    lotor_lease lease = row_lease(cell);
    bool is_free = true;
    for (size_t i = 0; i < known->live_count; i++) {
        is_free = is_free && known->live[i] != lease.owner;
    }
    is_free = is_free || lease.owner == 0 || lease.owner == me || is(store, VARIANT_TAKE_LIVE);
    return lease.epoch == seen && !lease.broken && is_free;
}

lotor_status lotor_store_take(lotor_store *store, uint64_t campaign, uint64_t me, uint64_t seen,
                              lotor_message *why, lotor_lease *out, bool *got)
{
    *got = false;
    *out = (lotor_lease){0};
    if (!start(store, why)) {
        return fail(store);
    }
    guard known = guard_of(store, campaign);
    if (!read(store, DB_LEASES, key1(campaign))) {
        return finish(store, LOTOR_UNKNOWN);
    }
    if (may_take(store, &known, read(store, DB_LEASES, key1(campaign)), me, seen)) {
        if (!lock_row(store, DB_LEASES, key1(campaign))) {
            return fail(store);
        }
        const db_cell *cell = read(store, DB_LEASES, key1(campaign));
        if (may_take(store, &known, cell, me, seen)) {
            lotor_lease lease = row_lease(cell);
            lease.owner = me;
            lease.epoch++;
            put(store, DB_LEASES, key1(campaign), row_of_lease(&lease));
            *got = true;
        }
    }
    *out = lease_of(store, read(store, DB_LEASES, key1(campaign)));
    store->before_begun = store->last_begun;
    store->last_begun = store->sim->base->last_order;
    return finish(store, LOTOR_OK);
}

static bool may_put(const lotor_store *store, const guard *known, const db_cell *cell,
                    const lotor_lease *lease)
{
    if (!cell) {
        return false;
    }
    lotor_lease row = row_lease(cell);
    bool is_mine = row.owner == lease->owner && row.epoch == lease->epoch;
    is_mine = is_mine || is(store, VARIANT_NO_FENCE) || is(store, VARIANT_TAKE_LIVE);
    return is_mine && (known->specs == lease->specs || is(store, VARIANT_NO_SPECS));
}

lotor_status lotor_store_put_lease(lotor_store *store, const lotor_lease *lease, lotor_message *why,
                                   bool *done)
{
    db_key key = key1(lease->campaign);
    *done = false;
    if (!start(store, why)) {
        return fail(store);
    }
    guard known = guard_of(store, lease->campaign);
    if (!store->tx->guarded) {
        store->tx->guarded = store->sim->base->last_order;
    }
    if (may_put(store, &known, read(store, DB_LEASES, key), lease)) {
        if (!lock_row(store, DB_LEASES, key)) {
            return fail(store);
        }
        const db_cell *cell = read(store, DB_LEASES, key);
        if (may_put(store, &known, cell, lease)) {
            lotor_lease row = row_lease(cell);
            row.epoch++;
            row.sealed = lease->sealed;
            row.final = lease->final;
            row.due = lease->due;
            row.releases = lease->releases;
            memcpy(row.head, lease->head, sizeof row.head);
            put(store, DB_LEASES, key, row_of_lease(&row));
            *done = true;
        }
    }
    store->before_begun = store->last_begun;
    store->last_begun = store->sim->base->last_order;
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_give_lease(lotor_store *store, uint64_t campaign, uint64_t me,
                                    uint64_t epoch, lotor_message *why)
{
    if (!start_quiet(store, why) || !lock_row(store, DB_LEASES, key1(campaign))) {
        return fail(store);
    }
    const db_cell *cell = read(store, DB_LEASES, key1(campaign));
    if (cell) {
        lotor_lease row = row_lease(cell);
        if (row.owner == me && row.epoch == epoch) {
            row.owner = 0;
            put(store, DB_LEASES, key1(campaign), row_of_lease(&row));
        }
    }
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_set_broken(lotor_store *store, uint64_t campaign, bool broken,
                                    lotor_message *why)
{
    if (!start_quiet(store, why) || !lock_row(store, DB_LEASES, key1(campaign))) {
        return fail(store);
    }
    const db_cell *cell = read(store, DB_LEASES, key1(campaign));
    if (cell) {
        lotor_lease row = row_lease(cell);
        row.broken = broken;
        put(store, DB_LEASES, key1(campaign), row_of_lease(&row));
    }
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_get_state(lotor_store *store, uint64_t campaign, lotor_on_bytes *told,
                                   void *context, lotor_message *why, uint64_t *epoch)
{
    if (!start(store, why)) {
        return fail(store);
    }
    const db_cell *cell = read(store, DB_STATES, key1(campaign));
    *epoch = 0;
    if (cell) {
        memcpy(epoch, cell->bytes, sizeof *epoch);
    }
    lotor_status status = tell_bytes(cell, sizeof *epoch, told, context);
    lotor_status finished = finish(store, LOTOR_OK);
    return finished ? finished : status;
}

lotor_status lotor_store_put_state(lotor_store *store, uint64_t campaign, uint64_t epoch,
                                   const unsigned char *state, size_t length, lotor_message *why)
{
    if (!start_quiet(store, why) || !lock_row(store, DB_STATES, key1(campaign))) {
        return fail(store);
    }
    put(store, DB_STATES, key1(campaign), row_make(&epoch, sizeof epoch, state, length, NULL, 0));
    return finish(store, LOTOR_OK);
}

/* --- blocks ----------------------------------------------------------------------------------- */

lotor_status lotor_store_add_block(lotor_store *store, uint64_t campaign,
                                   const lotor_block_row *row, lotor_message *why)
{
    db_key key = key2(campaign, row->first);
    if (!start_quiet(store, why) || !lock_row(store, DB_BLOCKS, key)) {
        return fail(store);
    }
    if (read(store, DB_BLOCKS, key) && !is(store, VARIANT_NO_FENCE) &&
        !is(store, VARIANT_TAKE_LIVE)) {
        return duplicate(store);
    }
    put(store, DB_BLOCKS, key, row_of_block(row));
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_each_block(lotor_store *store, uint64_t campaign, uint64_t holder,
                                    uint64_t after, lotor_on_block *told, void *context,
                                    lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    if (is(store, VARIANT_ANY_HOLDER)) {
        holder = 0;
    }
    lotor_status status = LOTOR_OK;
    walk at = walk_of(store, DB_BLOCKS, campaign);
    while (!status && walk_next(&at)) {
        lotor_block_row row = row_block(at.cell);
        if (row.first > after && (holder == 0 || row.holder == holder)) {
            status = told(context, &row);
        }
    }
    lotor_status finished = finish(store, LOTOR_OK);
    return status ? status : finished;
}

lotor_status lotor_store_find_block(lotor_store *store, uint64_t campaign, uint64_t decision,
                                    lotor_on_block *told, void *context, lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    lotor_block_row best = {0};
    walk at = walk_of(store, DB_BLOCKS, campaign);
    while (walk_next(&at)) {
        lotor_block_row row = row_block(at.cell);
        if (row.first <= decision) {
            best = row;
        }
    }
    bool has_it = best.count > 0 && decision < best.first + best.count;
    lotor_status status = has_it ? told(context, &best) : LOTOR_UNKNOWN;
    lotor_status finished = finish(store, LOTOR_OK);
    return finished ? finished : status;
}

static uint64_t sealed_of(const lotor_store *store, uint64_t campaign)
{
    const db_cell *cell = read(store, DB_LEASES, key1(campaign));
    return cell ? row_lease(cell).sealed : UINT64_MAX;
}

/* Keeps what is open now, for the variants that look at it too early or too late. */
static void note_open(lotor_store *store, uint64_t campaign)
{
    if (is(store, VARIANT_OLD_LOOK) || store->look_campaign != campaign) {
        store->look_count = 0;
    }
    store->look_campaign = campaign;
    uint64_t sealed = sealed_of(store, campaign);
    walk at = walk_of(store, DB_BLOCKS, campaign);
    while (walk_next(&at)) {
        lotor_block_row row = row_block(at.cell);
        bool is_known = false;
        for (size_t i = 0; i < store->look_count && !is_known; i++) {
            is_known = store->look[i].first == row.first;
        }
        if (row.first > sealed && !is_known) {
            size_t place =
                store->look_count < LOOK_MOST ? store->look_count++ : row.first % LOOK_MOST;
            store->look[place].first = row.first;
            store->look[place].nonce = row.nonce;
        }
    }
}

lotor_status lotor_store_each_open(lotor_store *store, uint64_t campaign, uint64_t from,
                                   uint64_t to, lotor_on_open *told, void *context,
                                   lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    lotor_status status = LOTOR_OK;
    if ((is(store, VARIANT_OLD_LOOK) || is(store, VARIANT_STALE_BLOCKS)) &&
        store->look_campaign == campaign) {
        for (size_t i = 0; !status && i < store->look_count; i++) {
            if (store->look[i].first >= from && store->look[i].first <= to) {
                status = told(context, store->look[i].first, store->look[i].nonce);
            }
        }
        lotor_status finished = finish(store, LOTOR_OK);
        return status ? status : finished;
    }
    uint64_t sealed = sealed_of(store, campaign);
    walk at = walk_of(store, DB_BLOCKS, campaign);
    while (!status && walk_next(&at)) {
        lotor_block_row row = row_block(at.cell);
        if (row.first >= from && row.first <= to && row.first > sealed) {
            status = told(context, row.first, row.nonce);
        }
    }
    lotor_status finished = finish(store, LOTOR_OK);
    return status ? status : finished;
}

/* --- the log ---------------------------------------------------------------------------------- */

lotor_status lotor_store_append(lotor_store *store, uint64_t campaign, const lotor_log_row *row,
                                lotor_message *why)
{
    db_key key = key3(campaign, row->stream, row->seq);
    if (!start_quiet(store, why) || !lock_row(store, DB_LOG, key)) {
        return fail(store);
    }
    if (read(store, DB_LOG, key) && !is(store, VARIANT_REUSED_NAME)) {
        return duplicate(store);
    }
    if (is(store, VARIANT_OLD_LOOK) || is(store, VARIANT_STALE_BLOCKS)) {
        note_open(store, campaign);
    }
    if (!is(store, VARIANT_LOST_ROWS) || !rng_one_in(&store->sim->schedule, 20)) {
        put(store, DB_LOG, key, row_of_log(row));
    }
    return finish(store, LOTOR_OK);
}

/* True if a broken variant hides a row of the log from its reader. */
static bool is_hidden(const lotor_store *store, const db_row *row)
{
    if (is(store, VARIANT_MISSED_ROWS)) {
        return row->seen_at + MISSED_MS > store->sim->now;
    }
    return is(store, VARIANT_EARLY_READ) && row->order > store->before_begun;
}

lotor_status lotor_store_each_stream(lotor_store *store, uint64_t campaign, lotor_on_stream *told,
                                     void *context, lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    lotor_status status = LOTOR_OK;
    uint64_t stream = 0, last = 0;
    walk at = walk_of(store, DB_LOG, campaign);
    while (!status && walk_next(&at)) {
        if (is_hidden(store, at.row)) {
            continue;
        }
        if (last && at.row->key.at[1] != stream) {
            status = told(context, stream, last);
        }
        stream = at.row->key.at[1];
        last = at.row->key.at[2];
    }
    if (!status && last) {
        status = told(context, stream, last);
    }
    lotor_status finished = finish(store, LOTOR_OK);
    return status ? status : finished;
}

lotor_status lotor_store_each_log(lotor_store *store, uint64_t campaign, uint64_t stream,
                                  uint64_t after, lotor_on_log *told, void *context,
                                  lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    lotor_status status = LOTOR_OK;
    walk at = walk_of(store, DB_LOG, campaign);
    while (!status && walk_next(&at)) {
        if (at.row->key.at[1] == stream && at.row->key.at[2] > after && !is_hidden(store, at.row)) {
            lotor_log_row row = row_log(at.cell);
            status = told(context, &row);
        }
    }
    lotor_status finished = finish(store, LOTOR_OK);
    return status ? status : finished;
}

lotor_status lotor_store_each_shown(lotor_store *store, uint64_t campaign, uint64_t decision,
                                    lotor_on_log *told, void *context, lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    lotor_status status = LOTOR_OK;
    walk at = walk_of(store, DB_LOG, campaign);
    while (!status && walk_next(&at)) {
        lotor_log_row row = row_log(at.cell);
        if (row.kind == LOTOR_LOG_SHOWN && row.first <= decision && row.last >= decision &&
            !is_hidden(store, at.row)) {
            status = told(context, &row);
        }
    }
    lotor_status finished = finish(store, LOTOR_OK);
    return status ? status : finished;
}

/* Deletes rows one at a time, since each may have to be waited for. */
static bool delete_blocks(lotor_store *store, uint64_t campaign, uint64_t final)
{
    for (;;) {
        walk at = walk_of(store, DB_BLOCKS, campaign);
        bool has_one = false;
        while (!has_one && walk_next(&at)) {
            lotor_block_row row = row_block(at.cell);
            has_one = row.first + row.count - 1 <= final ||
                      (is(store, VARIANT_FORGET_BLOCK) && row.first <= final + 1);
        }
        if (!has_one) {
            return true;
        }
        db_key key = at.row->key;
        if (!lock_row(store, DB_BLOCKS, key)) {
            return false;
        }
        put(store, DB_BLOCKS, key, NULL);
    }
}

lotor_status lotor_store_forget(lotor_store *store, uint64_t campaign, uint64_t final,
                                lotor_message *why)
{
    if (!start_quiet(store, why) || !delete_blocks(store, campaign, final)) {
        return fail(store);
    }
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_forget_log(lotor_store *store, uint64_t campaign, uint64_t stream,
                                    uint64_t seq, uint64_t final, lotor_message *why)
{
    if (!start_quiet(store, why)) {
        return fail(store);
    }
    final += is(store, VARIANT_FORGET_LOG) ? 4 : 0;
    seq = is(store, VARIANT_FORGET_UNREAD) ? UINT64_MAX : seq;
    for (;;) {
        walk at = walk_of(store, DB_LOG, campaign);
        bool has_one = false;
        while (!has_one && walk_next(&at)) {
            has_one = at.row->key.at[1] == stream && at.row->key.at[2] <= seq &&
                      row_log(at.cell).last <= final;
        }
        if (!has_one) {
            return finish(store, LOTOR_OK);
        }
        db_key key = at.row->key;
        if (!lock_row(store, DB_LOG, key)) {
            return fail(store);
        }
        put(store, DB_LOG, key, NULL);
    }
}

/* --- wants ------------------------------------------------------------------------------------ */

lotor_status lotor_store_add_want(lotor_store *store, const lotor_want_row *row, lotor_message *why)
{
    db_key key = key2(row->server, row->id);
    if (!start_quiet(store, why) || !lock_row(store, DB_WANTS, key)) {
        return fail(store);
    }
    if (read(store, DB_WANTS, key)) {
        return duplicate(store);
    }
    lotor_want_row asked = *row;
    asked.reply = NULL;
    put(store, DB_WANTS, key, row_of_want(&asked));
    return finish(store, LOTOR_OK);
}

static bool is_before(const lotor_want_row *a, const lotor_want_row *b)
{
    const uint64_t left[4] = {a->campaign, a->at, a->server, a->id};
    const uint64_t right[4] = {b->campaign, b->at, b->server, b->id};
    for (size_t i = 0; i < 4; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i];
        }
    }
    return false;
}

lotor_status lotor_store_each_want(lotor_store *store, uint64_t owner, lotor_on_want *told,
                                   void *context, lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    lotor_status status = LOTOR_OK;
    lotor_want_row last = {0};
    for (bool again = true; again && !status;) { /* the next want in the order */
        again = false;
        lotor_want_row best = {0};
        walk at = walk_all(store, DB_WANTS);
        while (walk_next(&at)) {
            lotor_want_row row = row_want(at.cell);
            const db_cell *lease = read(store, DB_LEASES, key1(row.campaign));
            if (row.server == owner || row.reply || !lease || row_lease(lease).owner != owner ||
                !is_before(&last, &row)) {
                continue;
            }
            if (!again || is_before(&row, &best)) {
                best = row;
                again = true;
            }
        }
        if (again) {
            status = told(context, &best);
            last = best;
        }
    }
    lotor_status finished = finish(store, LOTOR_OK);
    return status ? status : finished;
}

lotor_status lotor_store_each_reply(lotor_store *store, uint64_t server, lotor_on_want *told,
                                    void *context, lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    lotor_status status = LOTOR_OK;
    walk at = walk_of(store, DB_WANTS, server);
    while (!status && walk_next(&at)) {
        lotor_want_row row = row_want(at.cell);
        if (row.reply) {
            status = told(context, &row);
        }
    }
    lotor_status finished = finish(store, LOTOR_OK);
    return status ? status : finished;
}

lotor_status lotor_store_put_reply(lotor_store *store, const lotor_want_row *row,
                                   lotor_message *why)
{
    db_key key = key2(row->server, row->id);
    if (!start_quiet(store, why) || !lock_row(store, DB_WANTS, key)) {
        return fail(store);
    }
    const db_cell *cell = read(store, DB_WANTS, key);
    if (cell) { /* else no server waits any more */
        lotor_want_row next = row_want(cell);
        next.reply = row->reply;
        next.reply_length = row->reply_length;
        put(store, DB_WANTS, key, row_of_want(&next));
    }
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_delete_want(lotor_store *store, uint64_t server, uint64_t id,
                                     lotor_message *why)
{
    if (!start_quiet(store, why)) {
        return fail(store);
    }
    for (;;) {
        walk at = walk_of(store, DB_WANTS, server);
        bool has_one = false;
        while (!has_one && walk_next(&at)) {
            has_one = id == 0 || at.row->key.at[1] == id;
        }
        if (!has_one) {
            return finish(store, LOTOR_OK);
        }
        db_key key = at.row->key;
        if (!lock_row(store, DB_WANTS, key)) {
            return fail(store);
        }
        put(store, DB_WANTS, key, NULL);
    }
}

/* --- releases --------------------------------------------------------------------------------- */

void lotor_release_row_chain(lotor_release_row *release, const unsigned char head[LOTOR_STORE_HASH])
{
    if (release->facts) {
        crypto_generichash(release->digest, sizeof release->digest, release->facts,
                           release->facts_length, NULL, 0);
    }
    unsigned char bytes[3 * 8];
    lotor_put_u64(bytes, release->number);
    lotor_put_u64(bytes + 8, release->campaign);
    lotor_put_u64(bytes + 16, release->time);
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, LOTOR_STORE_HASH);
    crypto_generichash_update(&state, head, LOTOR_STORE_HASH);
    crypto_generichash_update(&state, bytes, sizeof bytes);
    crypto_generichash_update(&state, release->digest, sizeof release->digest);
    if (release->stamp) {
        crypto_generichash_update(&state, release->stamp, release->stamp_length);
    }
    crypto_generichash_final(&state, release->hash, sizeof release->hash);
}

lotor_status lotor_store_add_release(lotor_store *store, const lotor_release_row *release,
                                     lotor_message *why)
{
    db_key key = key2(release->campaign, release->number);
    if (!start_quiet(store, why) || !lock_row(store, DB_RELEASES, key)) {
        return fail(store);
    }
    if (read(store, DB_RELEASES, key) && !is(store, VARIANT_NO_FENCE) &&
        !is(store, VARIANT_TAKE_LIVE)) {
        return duplicate(store);
    }
    put(store, DB_RELEASES, key, row_of_release(release));
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_each_release(lotor_store *store, uint64_t campaign, uint64_t after,
                                      lotor_on_release_row *told, void *context, lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    lotor_status status = LOTOR_OK;
    walk at = walk_of(store, DB_RELEASES, campaign);
    while (!status && walk_next(&at)) {
        if (at.row->key.at[1] > after) {
            lotor_release_row row = row_release(at.cell);
            status = told(context, &row);
        }
    }
    lotor_status finished = finish(store, LOTOR_OK);
    return status ? status : finished;
}

lotor_status lotor_store_last_release(lotor_store *store, uint64_t campaign, lotor_message *why,
                                      lotor_release_row *out)
{
    if (!start(store, why)) {
        return fail(store);
    }
    *out = (lotor_release_row){.campaign = campaign};
    walk at = walk_of(store, DB_RELEASES, campaign);
    while (walk_next(&at)) {
        *out = row_release(at.cell);
    }
    out->facts = out->stamp = NULL;
    out->facts_length = out->stamp_length = 0;
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_has_release(lotor_store *store, uint64_t campaign, uint64_t number,
                                     const unsigned char hash[LOTOR_STORE_HASH], lotor_message *why,
                                     bool *has)
{
    *has = number == 0;
    if (number == 0) {
        return LOTOR_OK;
    }
    if (!start(store, why)) {
        return fail(store);
    }
    const db_cell *cell = read(store, DB_RELEASES, key2(campaign, number));
    if (cell) {
        lotor_release_row row = row_release(cell);
        *has = memcmp(row.hash, hash, sizeof row.hash) == 0;
    }
    return finish(store, LOTOR_OK);
}

/* --- the audit log ---------------------------------------------------------------------------- */

void lotor_audit_row_chain(lotor_audit_row *row, const unsigned char head[LOTOR_STORE_HASH])
{
    memcpy(row->hash, head, sizeof row->hash);
    lotor_put_u64(row->hash, row->number);
}

lotor_status lotor_store_add_audit(lotor_store *store, const lotor_audit_row *row,
                                   lotor_message *why)
{
    db_key key = key1(hash_text("audit"));
    if (!start(store, why) || !lock_row(store, DB_META, key)) {
        return fail(store);
    }
    char text[24];
    const unsigned char zeros[LOTOR_STORE_HASH] = {0};
    const db_cell *cell = read(store, DB_META, key);
    lotor_audit_row next = *row;
    next.number = (cell ? strtoull((const char *)cell->bytes, NULL, 10) : 0) + 1;
    snprintf(text, sizeof text, "%llu", (unsigned long long)next.number);
    put(store, DB_META, key, row_make(text, strlen(text) + 1, NULL, 0, NULL, 0));
    lotor_audit_row_chain(&next, zeros);
    if (!lock_row(store, DB_AUDIT, key1(next.number))) {
        return fail(store);
    }
    put(store, DB_AUDIT, key1(next.number), row_of_audit(&next));
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_each_audit(lotor_store *store, uint64_t after, uint64_t limit,
                                    lotor_on_audit *told, void *context, lotor_message *why)
{
    if (after > INT64_MAX || limit == 0) {
        return LOTOR_OK; /* without a call of the database */
    }
    if (!start(store, why)) {
        return fail(store);
    }
    lotor_status status = LOTOR_OK;
    uint64_t count = 0;
    walk at = walk_all(store, DB_AUDIT);
    while (!status && walk_next(&at)) {
        if (at.row->key.at[0] > after && count < limit) {
            lotor_audit_row row = row_audit(at.cell);
            status = told(context, &row);
            count++;
        }
    }
    lotor_status finished = finish(store, LOTOR_OK);
    return status ? status : finished;
}

/* --- budgets ---------------------------------------------------------------------------------- */

lotor_status lotor_store_next_budget(lotor_store *store, lotor_message *why, uint64_t *id)
{
    db_key key = key1(hash_text("budgets"));
    if (!start(store, why) || !lock_row(store, DB_META, key)) {
        return fail(store);
    }
    char text[24];
    const db_cell *cell = read(store, DB_META, key);
    *id = (cell ? strtoull((const char *)cell->bytes, NULL, 10) : 0) + 1;
    snprintf(text, sizeof text, "%llu", (unsigned long long)*id);
    put(store, DB_META, key, row_make(text, strlen(text) + 1, NULL, 0, NULL, 0));
    return finish(store, LOTOR_OK);
}

/* Ids are taken in a locked transaction, so no other transaction can have the name at the same time. */
lotor_status lotor_store_add_budget(lotor_store *store, const lotor_budget_row *row,
                                    lotor_message *why)
{
    if (!start(store, why) || !lock_row(store, DB_BUDGETS, key1(row->id))) {
        return fail(store);
    }
    walk at = walk_all(store, DB_BUDGETS);
    while (walk_next(&at)) {
        if (strcmp(row_budget(at.cell).name, row->name) == 0) {
            return finish(store, LOTOR_DUPLICATE);
        }
    }
    put(store, DB_BUDGETS, key1(row->id), row_of_budget(row));
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_each_budget(lotor_store *store, lotor_on_budget *told, void *context,
                                     lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    lotor_status status = LOTOR_OK;
    walk at = walk_all(store, DB_BUDGETS);
    while (!status && walk_next(&at)) {
        lotor_budget_row row = row_budget(at.cell);
        status = told(context, &row);
    }
    lotor_status finished = finish(store, LOTOR_OK);
    return status ? status : finished;
}

/* Writes the row as it is, so that its lock is held. */
lotor_status lotor_store_lock_budget(lotor_store *store, uint64_t budget, lotor_message *why)
{
    if (!start(store, why) || !lock_row(store, DB_BUDGETS, key1(budget))) {
        return fail(store);
    }
    const db_cell *cell = read(store, DB_BUDGETS, key1(budget));
    if (cell) {
        put(store, DB_BUDGETS, key1(budget), row_make(cell->bytes, cell->length, NULL, 0, NULL, 0));
    }
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_charge(lotor_store *store, uint64_t budget, const unsigned char hash[16],
                                const lotor_charge *charge, lotor_message *why, bool *charged)
{
    db_key key = key3(budget, lotor_get_u64(hash), lotor_get_u64(hash + 8));
    if (!start(store, why) || !lock_row(store, DB_SPEND, key)) {
        return fail(store);
    }
    const db_cell *cell = read(store, DB_SPEND, key);
    uint64_t spent[2] = {0, 0};
    if (cell) {
        memcpy(spent, cell->bytes, sizeof spent);
    }
    spent[0] += charge->amount;
    spent[1] += charge->squares;
    *charged = spent[0] <= charge->most_amount ||
               (charge->most_squares > 0 && spent[1] <= charge->most_squares);
    if (*charged && is(store, VARIANT_CHARGE_TWICE)) {
        spent[0] += charge->amount;
        spent[1] += charge->squares;
    }
    if (*charged && !is(store, VARIANT_NO_CHARGE)) {
        for (size_t i = 0; i < 2; i++) {
            spent[i] = spent[i] < LOTOR_SPEND_MOST ? spent[i] : LOTOR_SPEND_MOST;
        }
        put(store, DB_SPEND, key, row_make(spent, sizeof spent, NULL, 0, NULL, 0));
    }
    return finish(store, LOTOR_OK);
}

/* --- stickies --------------------------------------------------------------------------------- */

lotor_status lotor_store_get_sticky(lotor_store *store, uint64_t campaign,
                                    const unsigned char hash[16], uint64_t now,
                                    lotor_on_sticky *told, void *context, lotor_message *why)
{
    if (!start(store, why)) {
        return fail(store);
    }
    lotor_status status = LOTOR_OK;
    const db_cell *cell =
        read(store, DB_STICKIES, key3(campaign, lotor_get_u64(hash), lotor_get_u64(hash + 8)));
    if (cell) {
        lotor_sticky_row row = row_sticky(cell, hash);
        const bool is_found = row.until > now && !is(store, VARIANT_NO_STICKY);
        status = is_found ? told(context, &row) : (lotor_status)LOTOR_OK;
    }
    lotor_status finished = finish(store, LOTOR_OK);
    return status ? status : finished;
}

lotor_status lotor_store_put_sticky(lotor_store *store, uint64_t campaign,
                                    const lotor_sticky_row *row, lotor_message *why)
{
    db_key key = key3(campaign, lotor_get_u64(row->hash), lotor_get_u64(row->hash + 8));
    if (!start_quiet(store, why) || !lock_row(store, DB_STICKIES, key)) {
        return fail(store);
    }
    put(store, DB_STICKIES, key, row_of_sticky(row));
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_forget_stickies(lotor_store *store, uint64_t campaign, uint64_t now,
                                         lotor_message *why)
{
    if (!start_quiet(store, why)) {
        return fail(store);
    }
    const unsigned char unknown[16] = {0};
    walk at = walk_all(store, DB_STICKIES);
    while (walk_next(&at)) {
        db_key key = at.row->key;
        bool is_locked = at.row->writer && at.row->writer != store->tx;
        if (key.at[0] == campaign && !is_locked && row_sticky(at.cell, unknown).until <= now) {
            put(store, DB_STICKIES, key, NULL);
        }
    }
    return finish(store, LOTOR_OK);
}

/* --- users and meta --------------------------------------------------------------------------- */

lotor_status lotor_store_count_user(lotor_store *store, uint64_t campaign,
                                    const unsigned char hash[16], uint64_t cap, lotor_message *why,
                                    bool *counted)
{
    db_key key = key3(campaign, lotor_get_u64(hash), lotor_get_u64(hash + 8));
    if (!start(store, why) || !lock_row(store, DB_USERS, key)) {
        return fail(store);
    }
    const db_cell *cell = read(store, DB_USERS, key);
    uint64_t count = 0;
    if (cell) {
        memcpy(&count, cell->bytes, sizeof count);
    }
    *counted = count < cap || is(store, VARIANT_NO_CAP);
    if (*counted) {
        count++;
        put(store, DB_USERS, key, row_make(&count, sizeof count, NULL, 0, NULL, 0));
    }
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_user_count(lotor_store *store, uint64_t campaign,
                                    const unsigned char hash[16], lotor_message *why,
                                    uint64_t *shown)
{
    if (!start(store, why)) {
        return fail(store);
    }
    const db_cell *cell =
        read(store, DB_USERS, key3(campaign, lotor_get_u64(hash), lotor_get_u64(hash + 8)));
    *shown = 0;
    if (cell) {
        memcpy(shown, cell->bytes, sizeof *shown);
    }
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_uncount_user(lotor_store *store, uint64_t campaign,
                                      const unsigned char hash[16], lotor_message *why)
{
    db_key key = key3(campaign, lotor_get_u64(hash), lotor_get_u64(hash + 8));
    if (!start(store, why) || !lock_row(store, DB_USERS, key)) {
        return fail(store);
    }
    const db_cell *cell = read(store, DB_USERS, key);
    uint64_t count = 0;
    if (cell) {
        memcpy(&count, cell->bytes, sizeof count);
    }
    if (count > 0) {
        count--;
        put(store, DB_USERS, key, row_make(&count, sizeof count, NULL, 0, NULL, 0));
    }
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_get_meta(lotor_store *store, const char *key, lotor_message *why,
                                  char *value, size_t capacity)
{
    if (!start(store, why)) {
        return fail(store);
    }
    const db_cell *cell = read(store, DB_META, key1(hash_text(key)));
    snprintf(value, capacity, "%s", cell ? (const char *)cell->bytes : "");
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_put_meta(lotor_store *store, const char *key, const char *value,
                                  lotor_message *why)
{
    db_key at = key1(hash_text(key));
    if (!start_quiet(store, why) || !lock_row(store, DB_META, at)) {
        return fail(store);
    }
    db_cell *cell = *value ? row_make(value, strlen(value) + 1, NULL, 0, NULL, 0) : NULL;
    put(store, DB_META, at, cell);
    return finish(store, LOTOR_OK);
}

/* --- whole stores: nothing that an engine does ------------------------------------------------ */

lotor_status lotor_store_quick_check(lotor_store *store, lotor_message *finding)
{
    if (!start(store, finding)) {
        return fail(store);
    }
    return finish(store, LOTOR_OK);
}

lotor_status lotor_store_check(lotor_store *store, lotor_message *finding)
{
    return lotor_store_quick_check(store, finding);
}

lotor_status lotor_store_backup(lotor_store *store, const char *path, lotor_message *why)
{
    (void)store;
    (void)path;
    return unfinished(why, "a simulated store has no backup");
}

lotor_status lotor_store_copy(lotor_store *from, lotor_store *to, lotor_message *why)
{
    (void)from;
    (void)to;
    return unfinished(why, "a simulated store is not copied");
}
