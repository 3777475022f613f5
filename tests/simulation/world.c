/* world.c - the scheduler. It makes one step after another, each chosen by the seed:
 *
 *      a server's fiber continues · a server's step begins · a client sends a request
 *      the standby gets more of the log · the clock advances · a fault happens
 */
#include "simulation/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/little.h"
#include "simulation/clients.h"

enum {
    IDLE_TX_MS = 2500, /* the database ends a transaction that is idle for so long */
    DAY_MS = 24 * 3600000,
    CANDIDATES = 64,
    END_MS = 180000,   /* everything is final within this time after the last fault, */
    END_STEPS = 400000 /* and within so many steps */
};

const char *const sim_fault_names[FAULT_COUNT] = {
    [FAULT_CRASH_BEFORE] = "crash-before",
    [FAULT_CRASH_AFTER] = "crash-after",
    [FAULT_CRASH] = "crash",
    [FAULT_REPLY_LOST] = "reply-lost",
    [FAULT_COMMIT_LOST] = "commit-lost",
    [FAULT_WARNING] = "warning",
    [FAULT_LATE] = "late-commit",
    [FAULT_SLOW] = "slow-commit",
    [FAULT_ERROR] = "error",
    [FAULT_CUT] = "cut",
    [FAULT_PAUSE] = "pause",
    [FAULT_SKEW] = "skew",
    [FAULT_SKEW_DAY] = "skew-day",
    [FAULT_JUMP] = "jump",
    [FAULT_RESTART] = "restart",
    [FAULT_FAILOVER] = "failover",
    [FAULT_TAIL] = "lost-tail",
    [FAULT_AWAY] = "standby-away",
    [FAULT_WANTS] = "wants-lost",
    [FAULT_STOP] = "stop",
    [FAULT_DUPLICATE] = "duplicate",
    [FAULT_HEADS] = "heads",
};

const char *const sim_variant_names[VARIANT_COUNT] = {
    [VARIANT_NONE] = "none",
    [VARIANT_NO_FENCE] = "no-fence",
    [VARIANT_NO_SPECS] = "no-specs",
    [VARIANT_TAKE_LIVE] = "take-live",
    [VARIANT_OLD_LOOK] = "old-look",
    [VARIANT_EARLY_READ] = "early-read",
    [VARIANT_MISSED_ROWS] = "missed-rows",
    [VARIANT_LOST_ROWS] = "lost-rows",
    [VARIANT_FORGET_LOG] = "forget-log",
    [VARIANT_FORGET_UNREAD] = "forget-unread",
    [VARIANT_FORGET_BLOCK] = "forget-block",
    [VARIANT_ANY_HOLDER] = "any-holder",
    [VARIANT_STALE_BLOCKS] = "stale-blocks",
    [VARIANT_WARNING_IS_OK] = "warning-is-ok",
    [VARIANT_NO_WAIT] = "no-wait",
    [VARIANT_EARLY_REPLY] = "early-reply",
    [VARIANT_SPLIT_COMMIT] = "split-commit",
    [VARIANT_DIRTY_READ] = "dirty-read",
    [VARIANT_NO_CAP] = "no-cap",
    [VARIANT_NO_CHARGE] = "no-charge",
    [VARIANT_CHARGE_TWICE] = "charge-twice",
    [VARIANT_NO_STICKY] = "no-sticky",
    [VARIANT_NO_HEADS] = "no-heads",
    [VARIANT_LOCAL_CLOCK] = "local-clock",
    [VARIANT_REUSED_NAME] = "reused-name",
};

typedef struct world {
    sim sim;
    reference *model;
    clients *clients;
    lotor_server_key *server_key;
    const world_setup *setup;
    world_result *out;
    bool enabled[FAULT_COUNT];
    uint64_t fault_every;   /* steps between two faults, on average */
    uint64_t client_weight; /* how often clients act, at a busy time */
    uint64_t quiet_until;   /* no client acts until this true time */
    uint64_t quiet_every;   /* requests between two quiet times, on average */
    uint64_t tick_most;
    uint64_t jump_back_at;
} world;

void sim_trace(sim *at, uint64_t word)
{
    if (at->trace) { /* 0: the trace has ended */
        at->trace = (at->trace ^ word) * UINT64_C(0x9e3779b97f4a7c15) + 1;
        at->trace ^= at->trace >> 29;
        at->trace += at->trace == 0;
    }
}

/* --- a server in its fiber -------------------------------------------------------------------- */

static uint64_t boot_clock(void *context)
{
    const sim_server *server = context;
    return server->sim->now - server->boot_base;
}

static void start_engine(world *all, sim_server *server)
{
    lotor_message why = {""};
    lotor_engine_setup setup = {.allow_weak_epsilon = true,
                                .store = &server->store,
                                .server_key = all->server_key,
                                .heads = server->heads,
                                .heads_were_lost = !server->has_disk,
                                .boot_clock = boot_clock,
                                .clock_context = server};
    server->result = lotor_engine_new(&setup, &why, &server->engine);
    /* twins have different numbers after the start */
    server->random.state ^= (uint64_t)(server->place + 1) << 56;
    sim_say(&all->sim, "server %d started: %d %s", server->place, server->result, why.text);
    bool is_fine = server->result == LOTOR_OK || server->result == LOTOR_UNFINISHED ||
                   /* the id is used already: the server starts again */
                   server->result == LOTOR_DUPLICATE;
    if (!is_fine && !server->is_crashed) {
        sim_violate(&all->sim, "server %d does not start: %d: %s", server->place, server->result,
                    why.text);
    }
}

static void step_engine(world *all, sim_server *server)
{
    lotor_message why = {""};
    server->result = lotor_engine_step(server->engine, &why);
    if (server->result && server->result != LOTOR_UNFINISHED && !server->is_crashed) {
        sim_violate(&all->sim, "a step of server %d fails: %s", server->place, why.text);
    }
}

static void stop_engine(world *all, sim_server *server)
{
    lotor_message why = {""};
    server->result = lotor_engine_stop(server->engine, &why);
    sim_say(&all->sim, "server %d stopped: %d %s", server->place, server->result, why.text);
}

typedef struct server_context {
    world *all;
    sim_server *server;
} server_context;

static server_context contexts[SIM_SERVERS];

static void run_server(void *context)
{
    world *all = ((server_context *)context)->all;
    sim_server *server = ((server_context *)context)->server;
    for (;;) {
        switch (server->state) {
        case SERVER_STARTING:
            start_engine(all, server);
            break;
        case SERVER_STEPPING:
            step_engine(all, server);
            break;
        case SERVER_STOPPING:
            stop_engine(all, server);
            break;
        default:
            abort();
        }
        server->state = SERVER_IDLE;
        fiber_yield();
    }
}

/* Frees what a server had in memory. Its disk stays. */
static void drop_engine(world *all, sim_server *server)
{
    all->sim.running = server;
    lotor_engine_free(server->engine);
    all->sim.running = NULL;
    server->engine = NULL;
    lotor_heads_free(server->heads);
    server->heads = NULL;
    clients_lose(all->clients, server);
    memset(server->traps, 0, sizeof server->traps);
    server->state = SERVER_DOWN;
    server->down_until = all->sim.now + rng_between(&all->sim.schedule, 0, 6000);
}

static void go_on(world *all, sim_server *server)
{
    all->sim.running = server;
    fiber_resume(server->fiber);
    all->sim.running = NULL;
}

/* Handles a server that crashed in the middle of a call: its calls fail until its engine has
 * returned. */
static void bury(world *all, sim_server *server)
{
    while (server->state != SERVER_IDLE && server->state != SERVER_DOWN) {
        go_on(all, server);
    }
    sim_say(&all->sim, "server %d crashed", server->place);
    drop_engine(all, server);
}

/* Called when the fiber has stopped: in the middle of a call, or the server is idle, down or
 * crashed. */
static void look_after(world *all, sim_server *server, sim_state was)
{
    if (server->is_crashed) {
        bury(all, server);
        return;
    }
    if (server->state != SERVER_IDLE) {
        return;
    }
    if (was == SERVER_STOPPING || (was == SERVER_STARTING && server->result)) {
        sim_store_cut(&server->store);
        server->is_crashed =
            true; /* what happens while an engine is freed is not visible to clients */
        drop_engine(all, server);
    }
}

static void begin(world *all, sim_server *server, sim_state action)
{
    sim *at = &all->sim;
    if (action == SERVER_STARTING) {
        sim_store_connect(at, server);
        server->is_crashed = false;
        server->heads = sim_heads_open(server);
        server->starts++;
        const sim_server *like = server->twin ? server->twin : server;
        uint64_t start = at->variant == VARIANT_REUSED_NAME ? 0 : like->starts;
        server->random = rng_of(at->seed * 1000 + start, 100 + (uint64_t)like->place);
        server->twin = NULL;
        server->boot_base = at->now - rng_between(&at->schedule, 1, 1000000);
    }
    server->state = action;
    go_on(all, server);
    look_after(all, server, action);
}

/* --- faults ----------------------------------------------------------------------------------- */

static bool is_trap(sim_fault fault)
{
    return fault == FAULT_CRASH_BEFORE || fault == FAULT_CRASH_AFTER || fault == FAULT_REPLY_LOST ||
           fault == FAULT_COMMIT_LOST || fault == FAULT_WARNING || fault == FAULT_LATE ||
           fault == FAULT_SLOW || fault == FAULT_ERROR || fault == FAULT_HEADS;
}

static void cut_all(world *all)
{
    for (size_t i = 0; i < all->sim.server_count; i++) {
        sim_store_cut(&all->sim.servers[i].store);
    }
}

static void jump(world *all)
{
    sim *at = &all->sim;
    at->has_jumped = true;
    if (at->db_offset == 0) {
        at->db_offset = DAY_MS;
        all->jump_back_at = at->now + rng_between(&at->schedule, 10, 20000);
    } else {
        at->db_offset = 0;
        all->jump_back_at = 0;
    }
    sim_say(at, "the database's clock jumps to %+" PRId64 " ms", at->db_offset);
}

static void fault(world *all)
{
    sim *at = &all->sim;
    sim_fault kind = (sim_fault)rng_below(&at->schedule, FAULT_COUNT);
    sim_server *server = &at->servers[rng_below(&at->schedule, at->server_count)];
    bool is_up = server->state != SERVER_DOWN;
    if (!all->enabled[kind]) {
        return;
    }
    if (is_trap(kind)) {
        server->traps[kind] = is_up; /* counted when it happens */
        return;
    }
    bool happens = true;
    switch (kind) {
    case FAULT_CRASH:
        happens = is_up;
        if (is_up) {
            sim_crash(server);
            bury(all, server);
        }
        break;
    case FAULT_CUT:
        sim_store_cut(&server->store);
        break;
    case FAULT_PAUSE:
        server->paused_until = at->now + rng_between(&at->schedule, 100, 12000);
        break;
    case FAULT_SKEW:
        server->skew = rng_one_in(&at->schedule, 2) ? 5000 : -5000;
        at->has_jumped = at->has_jumped || at->mode == SIM_EXCLUSIVE;
        break;
    case FAULT_SKEW_DAY:
        server->skew = rng_one_in(&at->schedule, 2) ? DAY_MS : -DAY_MS;
        at->has_jumped = at->has_jumped || at->mode == SIM_EXCLUSIVE;
        break;
    case FAULT_JUMP:
        happens = at->db_offset == 0;
        if (happens) {
            jump(all);
        }
        break;
    case FAULT_RESTART:
        happens = at->mode != SIM_EXCLUSIVE;
        if (happens) {
            cut_all(all);
            db_restart(at->base);
            at->db_down_until = at->now + rng_between(&at->schedule, 0, 3000);
        }
        break;
    case FAULT_FAILOVER:
    case FAULT_TAIL:
        cut_all(all);
        db_fail_over(at->base);
        at->db_down_until = at->now + rng_between(&at->schedule, 0, 3000);
        break;
    case FAULT_AWAY:
        at->away_until = at->now + rng_between(&at->schedule, 100, 9000);
        break;
    case FAULT_WANTS:
        for (size_t i = db_count(at->base, DB_WANTS); i-- > 0;) {
            db_row *row = &at->base->tables[DB_WANTS].rows[i];
            db_cell_drop(row->seen);
            row->seen = NULL;
            if (!row->writer) {
                size_t after = --at->base->tables[DB_WANTS].count - i;
                memmove(row, row + 1, after * sizeof *row);
            }
        }
        break;
    case FAULT_STOP:
        happens = server->state == SERVER_IDLE;
        if (happens) {
            begin(all, server, SERVER_STOPPING);
        }
        break;
    default: /* FAULT_DUPLICATE */
        happens = server->state == SERVER_DOWN && at->server_count > 1;
        if (happens) {
            server->twin = &at->servers[((size_t)server->place + 1) % at->server_count];
            begin(all, server, SERVER_STARTING);
        }
    }
    if (happens) {
        at->faults[kind]++;
        sim_say(at, "fault: %s, server %d", sim_fault_names[kind], server->place);
    }
}

/* --- the scheduler ---------------------------------------------------------------------------- */

typedef enum choice { GO_ON, STEP, START, CLIENT, STANDBY, TICK } choice;

typedef struct candidate {
    choice what;
    sim_server *server;
    uint64_t weight;
} candidate;

static bool is_running(const sim_server *server)
{
    return server->state == SERVER_STARTING || server->state == SERVER_STEPPING ||
           server->state == SERVER_STOPPING;
}

static bool is_due(const sim_server *server)
{
    return server->state == SERVER_IDLE && server->engine &&
           boot_clock((void *)(uintptr_t)server) >= lotor_engine_next(server->engine);
}

static size_t list_choices(world *all, candidate *list)
{
    sim *at = &all->sim;
    size_t count = 0;
    for (size_t i = 0; i < at->server_count; i++) {
        sim_server *server = &at->servers[i];
        if (server->paused_until > at->now) {
            continue;
        }
        if (is_running(server)) {
            if (!sim_is_blocked(server)) {
                list[count++] = (candidate){GO_ON, server, 40};
            }
        } else if (server->state == SERVER_DOWN) {
            if (server->down_until <= at->now) {
                list[count++] = (candidate){START, server, 4};
            }
        } else if (is_due(server)) {
            list[count++] = (candidate){STEP, server, 20};
        }
    }
    if (at->base->durable_lsn < at->base->last_lsn && at->away_until <= at->now) {
        list[count++] = (candidate){STANDBY, NULL, at->mode == SIM_SYNC ? 30 : 5};
    }
    return count;
}

/* The next time at which something can happen, if nothing can happen now. */
static uint64_t next_time(world *all)
{
    sim *at = &all->sim;
    uint64_t next = at->now + 1000;
    for (size_t i = 0; i < at->server_count; i++) {
        const sim_server *server = &at->servers[i];
        uint64_t when = UINT64_MAX;
        if (server->paused_until > at->now) {
            when = server->paused_until;
        } else if (is_running(server)) {
            when = server->blocked_until;
        } else if (server->state == SERVER_DOWN) {
            when = server->down_until;
        } else if (server->engine) {
            when = lotor_engine_next(server->engine);
            when = when > UINT64_MAX - server->boot_base ? UINT64_MAX : when + server->boot_base;
        }
        next = when > at->now && when < next ? when : next;
    }
    for (const db_tx *tx = at->base->active; tx; tx = tx->next) {
        if (tx->is_orphan && tx->ends_at > at->now && tx->ends_at < next) {
            next = tx->ends_at;
        }
    }
    if (all->quiet_until > at->now && all->quiet_until < next) {
        next = all->quiet_until;
    }
    return next;
}

static void pass_time(world *all, uint64_t to)
{
    sim *at = &all->sim;
    at->now = to;
    if (all->jump_back_at && at->now >= all->jump_back_at) {
        jump(all);
    }
    sim_orphans(at);
    for (size_t i = 0; i < at->server_count; i++) {
        lotor_store *store = &at->servers[i].store;
        if (store->tx && store->tx->phase == DB_OPEN && store->in_transaction &&
            at->now > store->touched_at + IDLE_TX_MS && !at->servers[i].blocked_tx) {
            db_abort(at->base, store->tx); /* idle_in_transaction_session_timeout */
            store->tx = NULL;
            store->is_cut = true;
        }
    }
}

static void act(world *all)
{
    sim *at = &all->sim;
    clients_act(all->clients);
    if (rng_one_in(&at->schedule, all->quiet_every)) {
        all->quiet_until = at->now + rng_between(&at->schedule, 100, 15000);
    }
}

static void do_step(world *all)
{
    sim *at = &all->sim;
    candidate list[CANDIDATES];
    all->out->steps = ++at->step; /* the parent process sees it if this process crashes */
    if (!at->no_faults && rng_one_in(&at->schedule, all->fault_every)) {
        fault(all);
        return;
    }
    size_t count = list_choices(all, list);
    bool is_quiet = all->quiet_until > at->now || at->no_faults;
    if (!is_quiet) {
        list[count++] = (candidate){CLIENT, NULL, all->client_weight};
    }
    if (count == 0) {
        pass_time(all, next_time(all));
        return;
    }
    list[count++] = (candidate){TICK, NULL, 8};
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += list[i].weight;
    }
    uint64_t drawn = rng_below(&at->schedule, sum);
    size_t chosen = 0;
    while (drawn >= list[chosen].weight) {
        drawn -= list[chosen++].weight;
    }
    sim_server *server = list[chosen].server;
    sim_state was = server ? server->state : SERVER_DOWN;
    switch (list[chosen].what) {
    case GO_ON:
        go_on(all, server);
        look_after(all, server, was);
        break;
    case STEP:
        begin(all, server, SERVER_STEPPING);
        break;
    case START:
        begin(all, server, SERVER_STARTING);
        break;
    case CLIENT:
        act(all);
        break;
    case STANDBY: {
        uint64_t lag = at->base->last_lsn - at->base->durable_lsn;
        sim_standby(at, at->base->durable_lsn + rng_between(&at->schedule, 1, lag));
        break;
    }
    default:
        pass_time(all, at->now + rng_between(&at->schedule, 1, all->tick_most));
    }
}

/* --- a run ------------------------------------------------------------------------------------------- */

/* Gives a broken variant the faults under which it shows. */
static void focus(world *all)
{
    sim *at = &all->sim;
    sim_fault needed[2] = {FAULT_COUNT, FAULT_COUNT};
    switch (at->variant) {
    case VARIANT_OLD_LOOK:
    case VARIANT_STALE_BLOCKS:
        at->mode = SIM_SOLO;
        needed[0] = FAULT_SLOW;
        /* a crash after a slow commit would hide it */
        memset(all->enabled, 0, sizeof all->enabled);
        break;
    case VARIANT_NO_HEADS:
        at->mode = SIM_ASYNC;
        needed[0] = FAULT_TAIL;
        break;
    case VARIANT_WARNING_IS_OK:
        at->mode = SIM_SYNC;
        needed[0] = FAULT_WARNING;
        needed[1] = FAULT_FAILOVER;
        break;
    case VARIANT_NO_FENCE:
    case VARIANT_TAKE_LIVE:
        at->mode = SIM_SOLO;
        needed[0] = FAULT_PAUSE;
        break;
    case VARIANT_SPLIT_COMMIT:
        needed[0] = FAULT_REPLY_LOST;
        break;
    default:
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        if (needed[i] != FAULT_COUNT) {
            all->enabled[needed[i]] = !all->setup->without[needed[i]];
        }
    }
    all->fault_every = 100;
    at->server_count = at->mode != SIM_EXCLUSIVE && at->server_count < 2 ? 2 : at->server_count;
}

/* Chooses the world of a run: number of servers, kinds and rate of faults, load. */
static void plan(world *all)
{
    sim *at = &all->sim;
    rng choose = rng_of(at->seed, 1);
    static const sim_mode modes[] = {SIM_EXCLUSIVE, SIM_SOLO, SIM_SOLO,  SIM_SYNC,
                                     SIM_SYNC,      SIM_SYNC, SIM_ASYNC, SIM_ASYNC};
    static const uint64_t every[] = {60, 150, 400, 1000, 4000};
    at->mode = modes[rng_below(&choose, sizeof modes / sizeof *modes)];
    at->server_count = at->mode == SIM_EXCLUSIVE ? 1 : (size_t)rng_between(&choose, 1, 12) / 4 + 1;
    at->server_count = at->mode != SIM_EXCLUSIVE && at->server_count < 2 ? 2 : at->server_count;
    all->fault_every = every[rng_below(&choose, 5)];
    bool is_faultless = rng_one_in(&choose, 8);
    bool is_bare =
        rng_one_in(&choose, 4); /* few kinds of faults, since some can hide the effects of others */
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        bool is_on = rng_one_in(&choose, is_bare ? 8 : 2);
        all->enabled[i] = is_on && !is_faultless && !all->setup->without[i];
    }
    all->enabled[FAULT_WARNING] = all->enabled[FAULT_WARNING] && at->mode == SIM_SYNC;
    all->enabled[FAULT_CUT] = all->enabled[FAULT_CUT] && at->mode != SIM_EXCLUSIVE;
    all->enabled[FAULT_LATE] = all->enabled[FAULT_LATE] && at->mode != SIM_EXCLUSIVE;
    all->enabled[FAULT_AWAY] = all->enabled[FAULT_AWAY] && at->mode == SIM_SYNC;
    all->enabled[FAULT_FAILOVER] = all->enabled[FAULT_FAILOVER] && at->mode == SIM_SYNC;
    all->enabled[FAULT_TAIL] = all->enabled[FAULT_TAIL] && at->mode == SIM_ASYNC;
    bool may_jump = rng_one_in(&choose, 2); /* drawn in any case: see --without */
    all->enabled[FAULT_JUMP] = all->enabled[FAULT_JUMP] && may_jump;
    focus(all);
    static const uint64_t weights[] = {3, 10, 40, 120};
    all->client_weight = weights[rng_below(&choose, 4)];
    all->quiet_every = rng_one_in(&choose, 2) ? 12 : rng_between(&choose, 4, 200);
    all->tick_most = rng_one_in(&choose, 2) ? 3 : 40;
    clients_plan people = {.campaigns = rng_one_in(&choose, 2) ? 4 : 30,
                           .decisions_most = rng_one_in(&choose, 2) ? 40 : 200,
                           .one_arm = all->setup->one_arm,
                           .is_calm = rng_one_in(&choose, 2),
                           .wait_ms = rng_one_in(&choose, 3) ? 500 : 0};
    all->clients = clients_new(at, all->model, all->server_key, &people);
}

static void start_world(world *all)
{
    sim *at = &all->sim;
    for (size_t i = 0; i < at->server_count; i++) {
        sim_server *server = &at->servers[i];
        server->sim = at;
        server->place = (int)i;
        server->state = SERVER_DOWN;
        server->down_until = at->now + (i ? rng_between(&at->schedule, 0, 3000) : 0);
        sim_store_connect(at, server);
        contexts[i] = (server_context){all, server};
        server->fiber = fiber_new(run_server, &contexts[i]);
    }
}

/* Ends all faults and repairs the world. */
static void calm_down(world *all)
{
    sim *at = &all->sim;
    at->no_faults = true;
    for (size_t i = 0; i < at->server_count; i++) {
        sim_server *server = &at->servers[i];
        memset(server->traps, 0, sizeof server->traps);
        server->paused_until = 0;
        server->skew = 0;
    }
    if (at->db_offset) {
        jump(all);
    }
    at->away_until = at->db_down_until = 0;
}

/* Prints why servers can't serve some campaigns. */
static void say_troubles(world *all)
{
    for (size_t i = 0; i < all->sim.server_count; i++) {
        sim_server *server = &all->sim.servers[i];
        if (!server->engine || !all->sim.is_verbose) {
            continue;
        }
        all->sim.running = server;
        json_t *told = lotor_engine_readiness(server->engine);
        all->sim.running = NULL;
        char *text = json_dumps(told, 0);
        sim_say(&all->sim, "server %d: %s", server->place, text ? text : "");
        free(text);
        json_decref(told);
    }
}

/* Runs until everything is final and every request has its reply. False: it takes too long. */
static bool settle(world *all, const char *what)
{
    sim *at = &all->sim;
    uint64_t until = at->now + END_MS, steps = at->step + END_STEPS;
    char text[200] = "";
    while (!at->is_violated) {
        bool are_up = true;
        for (size_t i = 0; i < at->server_count; i++) {
            are_up = are_up && at->servers[i].engine && at->servers[i].state != SERVER_STARTING;
        }
        if (are_up && clients_waiting(all->clients) == 0 &&
            reference_is_settled(all->model, text, sizeof text)) {
            return true;
        }
        if (at->now > until || at->step > steps) {
            say_troubles(all);
            sim_violate(at, "%s: %s after %d s%s%s", what,
                        are_up ? text[0] ? text : "requests wait" : "a server does not start",
                        END_MS / 1000, at->step > steps ? " (steps)" : "",
                        clients_waiting(all->clients) ? ", requests wait" : "");
            return false;
        }
        do_step(all);
    }
    return false;
}

static void end_world(world *all)
{
    sim *at = &all->sim;
    char text[500];
    calm_down(all);
    if (!settle(all, "after the faults")) {
        return;
    }
    uint64_t until = at->now + END_MS;
    bool is_served = false;
    while (!at->is_violated && !is_served) {
        clients_rank_everywhere(all->clients);
        uint64_t pause = at->now + 2000;
        while (!at->is_violated && (at->now < pause || clients_waiting(all->clients)) &&
               at->now < until + 60000) {
            do_step(all);
        }
        is_served = clients_ranked(all->clients, text, sizeof text);
        if (!is_served && at->now > until) {
            say_troubles(all);
            sim_violate(at, "at the end: %s", text);
        }
    }
    for (size_t i = 0; i < 60 && !at->is_violated && clients_cover(all->clients); i++) {
        uint64_t pause = at->now + 3000;
        while (!at->is_violated && at->now < pause) {
            do_step(all);
        }
    }
    settle(all, "at the end");
}

void world_run(const world_setup *setup, lotor_server_key *server_key, world_result *out)
{
    static world all;
    memset(&all, 0, sizeof all);
    all.setup = setup;
    memset(out, 0, sizeof *out);
    all.out = out;
    all.server_key = server_key;
    sim *at = &all.sim;
    at->seed = setup->seed;
    at->variant = setup->variant;
    at->is_verbose = setup->is_verbose;
    at->says_calls = setup->says_calls;
    at->now = UINT64_C(1700000000000);
    at->schedule = rng_of(setup->seed, 2);
    at->values = rng_of(setup->seed + setup->values * 7919, 3);
    at->trace = 1;
    at->base = db_new(&at->now);
    all.model = reference_new(at, server_key);
    at->base->on_commit = reference_commit;
    at->base->on_rollback = reference_rollback;
    at->base->context = all.model;
    sim_seams(at);
    plan(&all);
    start_world(&all);
    while (at->step < setup->steps && !at->is_violated) {
        do_step(&all);
    }
    if (!at->is_violated) {
        end_world(&all);
    }
    sim_seams(NULL);
    out->steps = at->step;
    out->commits = at->commits;
    out->simulated_ms = at->now - UINT64_C(1700000000000);
    memcpy(out->faults, at->faults, sizeof out->faults);
    reference_counts(all.model, &out->counts);
    out->trace = at->trace;
    out->mode = at->mode;
    out->servers = at->server_count;
    out->is_violated = at->is_violated;
    out->violated_step = at->violated_step;
    memcpy(out->violation, at->violation, sizeof out->violation);
    /* The process ends after a run (simulate.c), so fibers in the middle of a call are not
     * freed. */
}
