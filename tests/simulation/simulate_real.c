/* simulate_real.c - the clients of the simulation against a real store: a SQLite file or
 * PostgreSQL.
 *
 *      simulate_real [--seeds N] [--first SEED] [--seconds S] [--servers N] [--verbose]
 *                    [postgres://...]
 *      sh tests/service/shared/postgres.sh with simulate_real --servers 3
 *
 * Several servers run in one thread, each in a fiber that stops before and after every transaction.
 * Between two transactions anything may happen, and servers end and start. Time is real. After
 * every commit all tables are read through a second connection and copied into the simulated
 * database, so the reference model sees the same changes as in the simulation. A difference between
 * the two shows where the simulated store is wrong.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "service/little.h"
#include "simulation/clients.h"
#include "simulation/rows.h"

enum { WAIT_MS = 150, END_MS = 30000, KEYS_MOST = 4096 };

typedef struct real_server {
    lotor_store *store;
    lotor_heads *heads;
    char heads_path[256];
    uint64_t begun; /* the mirror's order when the transaction began */
} real_server;

typedef struct real_world {
    sim sim;
    reference *model;
    clients *clients;
    lotor_server_key *server_key;
    lotor_store *reader;
    real_server servers[SIM_SERVERS];
    char folder[128], path[256];
    uint64_t starts;
} real_world;

static real_world all;

const char *const sim_fault_names[FAULT_COUNT] = {NULL};

/* --- functions of a world that clients.c and reference.c call --------------------------------- */

void sim_trace(sim *at, uint64_t word)
{
    (void)at;
    (void)word;
}

uint64_t sim_db_now(const sim *world)
{
    return world->now;
}

static uint64_t clock_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t boot_clock(void *context)
{
    (void)context;
    return clock_ms(CLOCK_MONOTONIC);
}

static void must(lotor_status status, const lotor_message *why)
{
    if (status) {
        fprintf(stderr, "simulate_real: %s\n", why->text);
        exit(2);
    }
}

/* --- the mirror ------------------------------------------------------------------------------- */

/* Rows that were read, to be compared with the mirror's rows. */
typedef struct image {
    db_table table;
    db_key keys[KEYS_MOST];
    db_cell *cells[KEYS_MOST];
    size_t count;
    uint64_t campaign, stream;
} image;

static image seen;
static uint64_t campaigns[256], streams[256];
static size_t campaign_count, stream_count;

static lotor_status keep(db_key key, db_cell *cell)
{
    if (seen.count == KEYS_MOST) {
        fprintf(stderr, "simulate_real: too many rows\n");
        exit(2);
    }
    seen.keys[seen.count] = key;
    seen.cells[seen.count++] = cell;
    return LOTOR_OK;
}

static lotor_status keep_campaign(void *context, const lotor_campaign_row *row)
{
    (void)context;
    campaigns[campaign_count++ % 256] = row->id;
    return keep((db_key){{row->id, 0, 0}}, row_of_campaign(row));
}

static lotor_status keep_lease(void *context, const lotor_lease *lease)
{
    (void)context;
    lotor_lease row;
    memset(&row, 0, sizeof row);
    row = *lease;
    row.is_live = false;
    row.specs = 0;
    return keep((db_key){{lease->campaign, 0, 0}}, row_of_lease(&row));
}

static lotor_status keep_block(void *context, const lotor_block_row *row)
{
    (void)context;
    return keep((db_key){{seen.campaign, row->first, 0}}, row_of_block(row));
}

static lotor_status keep_stream(void *context, uint64_t stream, uint64_t last)
{
    (void)context;
    (void)last;
    streams[stream_count++ % 256] = stream;
    return LOTOR_OK;
}

static lotor_status keep_log(void *context, const lotor_log_row *row)
{
    (void)context;
    return keep((db_key){{seen.campaign, row->stream, row->seq}}, row_of_log(row));
}

static lotor_status keep_release(void *context, const lotor_release_row *row)
{
    (void)context;
    return keep((db_key){{seen.campaign, row->number, 0}}, row_of_release(row));
}

static lotor_status keep_audit(void *context, const lotor_audit_row *row)
{
    (void)context;
    return keep((db_key){{row->number, 0, 0}}, row_of_audit(row));
}

/* Compares the contents of two rows, without the addresses in them. */
static bool is_same(db_table table, const db_cell *a, const db_cell *b)
{
    if (table == DB_LEASES) {
        lotor_lease x = row_lease(a), y = row_lease(b);
        return x.owner == y.owner && x.epoch == y.epoch && x.sealed == y.sealed &&
               x.final == y.final && x.due == y.due && x.releases == y.releases &&
               x.broken == y.broken;
    }
    if (table == DB_CAMPAIGNS) {
        return row_campaign(a).specs == row_campaign(b).specs;
    }
    if (table == DB_BLOCKS) {
        lotor_block_row x = row_block(a), y = row_block(b);
        return x.nonce == y.nonce && x.count == y.count && x.deadline == y.deadline &&
               x.until == y.until && x.holder == y.holder;
    }
    return true; /* for rows of the log and releases, the key is enough */
}

static bool is_key(db_key a, db_key b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Writes the differing rows whose first key word is `first` (0: all) to the mirror's
 * transaction. */
static void compare(db_tx *tx, db_table table, uint64_t first)
{
    db *base = all.sim.base;
    for (size_t i = 0; i < seen.count; i++) {
        const db_cell *old = db_read(base, tx, table, seen.keys[i]);
        if (!old || !is_same(table, old, seen.cells[i])) {
            db_write(base, tx, table, seen.keys[i], seen.cells[i]);
        } else {
            db_cell_drop(seen.cells[i]);
        }
    }
    for (size_t place = db_from(base, table, (db_key){{first, 0, 0}});
         place < db_count(base, table); place++) {
        const db_row *row = db_at(base, table, place);
        bool is_there = false;
        if (first && row->key.at[0] != first) {
            break;
        }
        for (size_t i = 0; i < seen.count && !is_there; i++) {
            is_there = is_key(row->key, seen.keys[i]);
        }
        if (!is_there && db_sees(row, tx)) {
            db_write(base, tx, table, row->key, NULL);
        }
    }
    seen.count = 0;
}

static void mirror(int server)
{
    lotor_message why = {""};
    sim *at = &all.sim;
    at->now = clock_ms(CLOCK_REALTIME);
    db_tx *tx = db_begin(at->base, server);
    tx->guarded = server >= 0 ? all.servers[server].begun : 0;
    campaign_count = 0;
    must(lotor_store_begin(all.reader, &why), &why);
    must(lotor_store_each_campaign(all.reader, 0, keep_campaign, NULL, &why), &why);
    compare(tx, DB_CAMPAIGNS, 0);
    must(lotor_store_each_lease(all.reader, keep_lease, NULL, &why), &why);
    compare(tx, DB_LEASES, 0);
    must(lotor_store_each_audit(all.reader, 0, UINT64_MAX, keep_audit, NULL, &why), &why);
    compare(tx, DB_AUDIT, 0);
    for (size_t i = 0; i < campaign_count; i++) {
        seen.campaign = campaigns[i];
        must(lotor_store_each_block(all.reader, campaigns[i], 0, 0, keep_block, NULL, &why), &why);
        compare(tx, DB_BLOCKS, campaigns[i]);
        stream_count = 0;
        must(lotor_store_each_stream(all.reader, campaigns[i], keep_stream, NULL, &why), &why);
        for (size_t j = 0; j < stream_count; j++) {
            must(
                lotor_store_each_log(all.reader, campaigns[i], streams[j], 0, keep_log, NULL, &why),
                &why);
        }
        compare(tx, DB_LOG, campaigns[i]);
        must(lotor_store_each_release(all.reader, campaigns[i], 0, keep_release, NULL, &why), &why);
        compare(tx, DB_RELEASES, campaigns[i]);
    }
    lotor_store_rollback(all.reader);
    if (tx->count == 0) {
        db_abort(at->base, tx);
        return;
    }
    db_log(at->base, tx);
    db_harden(at->base, tx->lsn);
    db_show(at->base, tx);
}

/* --- the engine's transactions ---------------------------------------------------------------- */

static int place_of(const lotor_store *store)
{
    for (size_t i = 0; i < all.sim.server_count; i++) {
        if (all.servers[i].store == store) {
            return (int)i;
        }
    }
    return -1;
}

lotor_status __real_lotor_store_begin(lotor_store *store, lotor_message *why);
lotor_status __wrap_lotor_store_begin(lotor_store *store, lotor_message *why);
lotor_status __wrap_lotor_store_begin(lotor_store *store, lotor_message *why)
{
    int place = place_of(store);
    if (place >= 0) {
        if (fiber_current()) {
            fiber_yield();
        }
        all.servers[place].begun = all.sim.base->last_order;
    }
    return __real_lotor_store_begin(store, why);
}

lotor_status __real_lotor_store_commit(lotor_store *store, lotor_message *why);
lotor_status __wrap_lotor_store_commit(lotor_store *store, lotor_message *why);
lotor_status __wrap_lotor_store_commit(lotor_store *store, lotor_message *why)
{
    int place = place_of(store);
    lotor_status status = __real_lotor_store_commit(store, why);
    if (place >= 0) {
        mirror(place);
        if (fiber_current()) {
            fiber_yield();
        }
    }
    return status;
}

/* --- servers ---------------------------------------------------------------------------------- */

static void run_server(void *context)
{
    sim_server *server = context;
    real_server *real = &all.servers[server->place];
    for (;;) {
        lotor_message why = {""};
        if (server->state == SERVER_STARTING) {
            bool was_lost = false;
            must(lotor_heads_open(real->heads_path, &why, &real->heads, &was_lost), &why);
            lotor_engine_setup setup = {.allow_weak_epsilon = true,
                                        .store = real->store,
                                        .server_key = all.server_key,
                                        .heads = real->heads,
                                        .heads_were_lost = was_lost,
                                        .boot_clock = boot_clock};
            must(lotor_engine_new(&setup, &why, &server->engine), &why);
        } else if (server->state == SERVER_STEPPING) {
            must(lotor_engine_step(server->engine, &why), &why);
        } else {
            must(lotor_engine_stop(server->engine, &why), &why);
        }
        mirror(server->place); /* for statements that are their own transaction */
        server->state = SERVER_IDLE;
        fiber_yield();
    }
}

static void go_on(sim_server *server)
{
    all.sim.now = clock_ms(CLOCK_REALTIME);
    all.sim.running = server;
    fiber_resume(server->fiber);
    all.sim.running = NULL;
}

static void start(sim_server *server)
{
    lotor_message why = {""};
    must(lotor_store_open(all.path, LOTOR_STORE_SERVE, NULL, &why,
                          &all.servers[server->place].store),
         &why);
    server->is_crashed = false;
    server->starts++;
    all.starts++;
    server->state = SERVER_STARTING;
    go_on(server);
}

/* Ends a server between two steps: cleanly, or like a crash. */
static void end(sim_server *server, bool cleanly)
{
    real_server *real = &all.servers[server->place];
    if (cleanly) {
        server->state = SERVER_STOPPING;
        while (server->state == SERVER_STOPPING) {
            go_on(server);
        }
    }
    server->is_crashed = true;
    lotor_engine_free(server->engine);
    server->engine = NULL;
    lotor_heads_free(real->heads);
    lotor_store_close(real->store);
    real->store = NULL;
    clients_lose(all.clients, server);
    server->state = SERVER_DOWN;
}

static bool is_busy(const sim_server *server)
{
    return server->state == SERVER_STARTING || server->state == SERVER_STEPPING ||
           server->state == SERVER_STOPPING;
}

/* Does one random step. */
static void do_step(bool acts)
{
    sim *at = &all.sim;
    at->step++;
    at->now = clock_ms(CLOCK_REALTIME);
    sim_server *server = &at->servers[rng_below(&at->schedule, at->server_count)];
    if (acts && rng_one_in(&at->schedule, 3)) {
        clients_act(all.clients);
    } else if (acts && server->state == SERVER_IDLE && rng_one_in(&at->schedule, 2000)) {
        bool cleanly = rng_one_in(&at->schedule, 2);
        sim_say(at, "server %d ends%s", server->place, cleanly ? ", cleanly" : "");
        end(server, cleanly);
    } else if (server->state == SERVER_DOWN) {
        start(server);
    } else if (is_busy(server)) {
        go_on(server);
    } else if (boot_clock(NULL) >= lotor_engine_next(server->engine)) {
        server->state = SERVER_STEPPING;
        go_on(server);
    } else {
        usleep(200);
    }
}

/* --- a run ------------------------------------------------------------------------------------ */

static bool is_settled(char *text, size_t size)
{
    return clients_waiting(all.clients) == 0 && reference_is_settled(all.model, text, size);
}

static void settle(const char *what)
{
    char text[200] = "";
    uint64_t until = clock_ms(CLOCK_MONOTONIC) + END_MS;
    while (!all.sim.is_violated && !is_settled(text, sizeof text)) {
        do_step(false);
        if (clock_ms(CLOCK_MONOTONIC) > until) {
            sim_violate(&all.sim, "%s: %s after %d s", what, text, END_MS / 1000);
        }
    }
}

static void end_run(void)
{
    char text[500] = "";
    settle("after the requests");
    uint64_t until = clock_ms(CLOCK_MONOTONIC) + END_MS;
    bool is_served = false;
    while (!all.sim.is_violated && !is_served) {
        clients_rank_everywhere(all.clients);
        uint64_t pause = clock_ms(CLOCK_MONOTONIC) + 300;
        while (!all.sim.is_violated && clock_ms(CLOCK_MONOTONIC) < pause) {
            do_step(false);
        }
        is_served = clients_ranked(all.clients, text, sizeof text);
        if (!is_served && clock_ms(CLOCK_MONOTONIC) > until) {
            sim_violate(&all.sim, "at the end: %s", text);
        }
    }
    settle("at the end");
    for (size_t i = 0; i < all.sim.server_count; i++) {
        sim_server *server = &all.sim.servers[i];
        while (is_busy(server)) {
            go_on(server);
        }
        end(server, true);
    }
    lotor_message finding = {""};
    if (!all.sim.is_violated && lotor_store_check(all.reader, &finding)) {
        sim_violate(&all.sim, "lotor check: %s", finding.text);
    }
}

static void run(uint64_t seed, const char *address, size_t servers, double seconds, bool is_verbose)
{
    lotor_message why = {""};
    sim *at = &all.sim;
    memset(&all, 0, sizeof all);
    at->seed = seed;
    at->is_verbose = is_verbose;
    at->mode = address ? SIM_SOLO : SIM_EXCLUSIVE;
    at->server_count = address ? servers : 1;
    at->schedule = rng_of(seed, 2);
    at->values = rng_of(seed, 3);
    at->now = clock_ms(CLOCK_REALTIME);
    at->base = db_new(&at->now);
    snprintf(all.folder, sizeof all.folder, "/tmp/lotor-real-XXXXXX");
    if (!mkdtemp(all.folder)) {
        perror("simulate_real: mkdtemp");
        exit(2);
    }
    char key[256];
    snprintf(key, sizeof key, "%s/x.key", all.folder);
    snprintf(all.path, sizeof all.path, address ? "%s" : "%s/x.db", address ? address : all.folder);
    must(lotor_server_key_open(key, true, &why, &all.server_key), &why);
    at->has_jumped =
        true; /* clocks are real here, and are read a moment later than the engine read them */
    at->lacks_users = true; /* no function of the store lists them */
    all.model = reference_new(at, all.server_key);
    at->base->on_commit = reference_commit;
    at->base->context = all.model;
    clients_plan people = {.campaigns = 12, .decisions_most = 120, .wait_ms = WAIT_MS};
    all.clients = clients_new(at, all.model, all.server_key, &people);
    for (size_t i = 0; i < at->server_count; i++) {
        sim_server *server = &at->servers[i];
        *server = (sim_server){.sim = at, .place = (int)i, .state = SERVER_DOWN};
        server->fiber = fiber_new(run_server, server);
        snprintf(all.servers[i].heads_path, sizeof all.servers[i].heads_path, "%s/x%zu.head",
                 all.folder, i);
    }
    lotor_store *first; /* makes the tables, so that they can be read */
    must(lotor_store_open(all.path, LOTOR_STORE_SERVE, NULL, &why, &first), &why);
    lotor_store_close(first);
    must(lotor_store_open(all.path, LOTOR_STORE_READ, NULL, &why, &all.reader), &why);
    uint64_t until = clock_ms(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1000);
    while (clock_ms(CLOCK_MONOTONIC) < until && !at->is_violated) {
        do_step(true);
    }
    if (!at->is_violated) {
        end_run();
    }
    reference_count counts;
    reference_counts(all.model, &counts);
    printf("%s, seed %" PRIu64 ": %" PRIu64 " steps, %" PRIu64 " commits seen, %" PRIu64
           " starts, %" PRIu64 " campaigns, %" PRIu64 " shown, %" PRIu64 " acknowledged, %" PRIu64
           " late, %" PRIu64 " sums compared: %s\n",
           address ? "PostgreSQL" : "SQLite", seed, at->step, at->commits, all.starts,
           counts.campaigns, counts.shown, counts.acknowledged, counts.late, counts.batches,
           at->is_violated ? at->violation : "fine");
    fflush(stdout);
    lotor_store_close(all.reader);
    lotor_server_key_free(all.server_key);
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", all.folder);
    if (system(command)) {
        fprintf(stderr, "simulate_real: %s stays\n", all.folder);
    }
}

int main(int count, char **words)
{
    uint64_t seeds = 1, first = 1, servers = 2;
    double seconds = 10;
    bool is_verbose = false;
    const char *address = getenv("LOTOR_TEST_POSTGRES"); /* an empty database: see postgres.sh */
    for (int i = 1; i < count; i++) {
        bool has_value = i + 1 < count;
        if (strcmp(words[i], "--verbose") == 0) {
            is_verbose = true;
        } else if (strcmp(words[i], "--seeds") == 0 && has_value) {
            seeds = strtoull(words[++i], NULL, 10);
        } else if (strcmp(words[i], "--first") == 0 && has_value) {
            first = strtoull(words[++i], NULL, 10);
        } else if (strcmp(words[i], "--servers") == 0 && has_value) {
            servers = strtoull(words[++i], NULL, 10);
        } else if (strcmp(words[i], "--seconds") == 0 && has_value) {
            seconds = strtod(words[++i], NULL);
        } else if (lotor_store_is_address(words[i])) {
            address = words[i];
        } else {
            fprintf(stderr,
                    "usage: simulate_real [--seeds N] [--first SEED] [--seconds S] [--servers N] "
                    "[--verbose] [postgres://...]\n");
            return 2;
        }
    }
    if (servers < 1 || servers > SIM_SERVERS) {
        fprintf(stderr, "simulate_real: expected from 1 to %d servers\n", SIM_SERVERS);
        return 2;
    }
    if (address && seeds > 1) {
        fprintf(stderr, "simulate_real: one seed needs one empty database\n");
        return 2;
    }
    int code = 0;
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        run(seed, address, (size_t)servers, seconds, is_verbose);
        code = code || all.sim.is_violated;
    }
    return code;
}
