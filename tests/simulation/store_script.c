/* store_script.c - makes random calls of a store and prints the result of each.
 *
 *      store_script_sim SEED CALLS [shared]            the simulated store
 *      store_script_real SEED CALLS PATH|postgres://…   a real store
 *
 * The same seed makes the same calls, so both must print the same: store_script_test.sh compares
 * them. On a shared store there are two connections: one writes while the other reads.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/store/store.h"
#include "simulation/rng.h"

#ifdef ON_SIMULATION
#include "simulation/sim.h"

const char *const sim_fault_names[FAULT_COUNT] = {NULL};

void sim_violate(sim *at, const char *format, ...)
{
    (void)at;
    (void)format;
}

void sim_say(const sim *at, const char *format, ...)
{
    (void)at;
    (void)format;
}
#endif

enum { SERVERS = 3, CAMPAIGNS = 3, STREAMS = 2, LIFE_MS = 30000, CONNECTIONS = 2 };

static lotor_store *stores[CONNECTIONS];
static size_t store_count;
static int writer = -1; /* the connection with an open transaction */
static rng random_of;
static lotor_message why;

static uint64_t draw(uint64_t from, uint64_t to)
{
    return rng_between(&random_of, from, to);
}

/* --- output of callbacks ---------------------------------------------------------------------- */

static lotor_status say_campaign(void *context, const lotor_campaign_row *row)
{
    (void)context;
    printf(" [%" PRIu64 " %s %s %" PRIu64 " %g %d %d]", row->id, row->name, row->spec, row->specs,
           row->created, row->closed, row->seal[0]);
    return LOTOR_OK;
}

static lotor_status say_audit(void *context, const lotor_audit_row *row)
{
    (void)context;
    printf(" [%" PRIu64 " %" PRIu64 " %s %s %s %s %s]", row->number, row->time, row->key,
           row->key_id, row->campaign, row->act, row->change);
    return LOTOR_OK;
}

static lotor_status say_bytes(void *context, const unsigned char *bytes, size_t length)
{
    (void)context;
    printf(" %zu:%d", length, length ? bytes[0] : -1);
    return LOTOR_OK;
}

static lotor_status say_lease(void *context, const lotor_lease *lease)
{
    (void)context;
    printf(" [%" PRIu64 " owner %" PRIu64 " epoch %" PRIu64 " sealed %" PRIu64 " final %" PRIu64
           " due %" PRIu64 " specs %" PRIu64 " releases %" PRIu64 " head %d broken %d live %d]",
           lease->campaign, lease->owner, lease->epoch, lease->sealed, lease->final, lease->due,
           lease->specs, lease->releases, lease->head[0], lease->broken, lease->is_live);
    return LOTOR_OK;
}

static lotor_status say_block(void *context, const lotor_block_row *row)
{
    (void)context;
    printf(" [%" PRIu64 "+%" PRIu64 " holder %" PRIu64 " want %" PRIu64 " %" PRIu64 " %" PRIu64
           " nonce %" PRIu64,
           row->first, row->count, row->holder, row->want, row->until, row->deadline, row->nonce);
    say_bytes(NULL, row->drawn, row->drawn_length);
    if (row->action) {
        say_bytes(NULL, row->action, row->action_length);
    }
    printf("]");
    return LOTOR_OK;
}

static lotor_status say_two(void *context, uint64_t a, uint64_t b)
{
    (void)context;
    printf(" [%" PRIu64 " %" PRIu64 "]", a, b);
    return LOTOR_OK;
}

static lotor_status say_log(void *context, const lotor_log_row *row)
{
    (void)context;
    printf(" [%" PRIu64 ":%" PRIu64 " kind %d %" PRIu64 "..%" PRIu64, row->stream, row->seq,
           (int)row->kind, row->first, row->last);
    say_bytes(NULL, row->bytes, row->length);
    printf("]");
    return LOTOR_OK;
}

static lotor_status say_sticky(void *context, const lotor_sticky_row *row)
{
    (void)context;
    printf(" %d %d %d %d %d", (int)row->until, (int)row->decision, (int)row->nonce,
           (int)row->expires, (int)row->shown_length);
    return LOTOR_OK;
}

static lotor_status say_want(void *context, const lotor_want_row *row)
{
    (void)context;
    printf(" [%" PRIu64 " server %" PRIu64 " id %" PRIu64 " at %" PRIu64 " count %" PRIu64,
           row->campaign, row->server, row->id, row->at, row->count);
    if (row->body) {
        say_bytes(NULL, row->body, row->body_length);
    }
    if (row->reply) {
        printf(" reply");
        say_bytes(NULL, row->reply, row->reply_length);
    }
    printf("]");
    return LOTOR_OK;
}

static lotor_status say_release(void *context, const lotor_release_row *row)
{
    (void)context;
    printf(" [%" PRIu64 ":%" PRIu64 " time %" PRIu64 " digest %d hash %d", row->campaign,
           row->number, row->time, row->digest[0], row->hash[0]);
    if (row->facts) {
        say_bytes(NULL, row->facts, row->facts_length);
    }
    printf("]");
    return LOTOR_OK;
}

/* --- calls ------------------------------------------------------------------------------------ */

static const unsigned char bytes[64] = {7, 1, 2, 3};

/* The state that the script keeps in order to make calls that fit. It need not be true. */
static lotor_lease leases[CAMPAIGNS + 1];
static uint64_t next_first[CAMPAIGNS + 1], next_release[CAMPAIGNS + 1];

static lotor_status keep_lease(void *context, const lotor_lease *lease)
{
    (void)context;
    if (lease->campaign <= CAMPAIGNS) {
        leases[lease->campaign] = *lease;
    }
    return say_lease(NULL, lease);
}

static lotor_status last_status;

static void say(const char *name, lotor_status status)
{
    last_status = status;
    printf(" = %s %d\n", name, status);
}

static void read_something(lotor_store *store, uint64_t campaign)
{
    lotor_release_row release = {0};
    char value[64] = "";
    bool has = false;
    uint64_t epoch = 0;
    switch (draw(0, 15)) {
    case 0:
        say("each_campaign",
            lotor_store_each_campaign(store, draw(0, 2), say_campaign, NULL, &why));
        break;
    case 1:
        say("get_campaign", lotor_store_get_campaign(store, campaign, say_campaign, NULL, &why));
        break;
    case 2:
        say("get_key", lotor_store_get_key(store, campaign, say_bytes, NULL, &why));
        break;
    case 3:
        say("get_state", lotor_store_get_state(store, campaign, say_bytes, NULL, &why, &epoch));
        break;
    case 4:
        say("each_block", lotor_store_each_block(store, campaign, draw(0, SERVERS), draw(0, 6),
                                                 say_block, NULL, &why));
        break;
    case 5:
        say("find_block",
            lotor_store_find_block(store, campaign, draw(1, 20), say_block, NULL, &why));
        break;
    case 6:
        say("each_open",
            lotor_store_each_open(store, campaign, draw(1, 4), draw(5, 20), say_two, NULL, &why));
        break;
    case 7:
        say("each_stream", lotor_store_each_stream(store, campaign, say_two, NULL, &why));
        break;
    case 8:
        say("each_log", lotor_store_each_log(store, campaign, draw(1, STREAMS), draw(0, 3), say_log,
                                             NULL, &why));
        break;
    case 9:
        say("each_want", lotor_store_each_want(store, draw(1, SERVERS), say_want, NULL, &why));
        break;
    case 10:
        say("each_reply", lotor_store_each_reply(store, draw(1, SERVERS), say_want, NULL, &why));
        break;
    case 11:
        say("each_release",
            lotor_store_each_release(store, campaign, draw(0, 2), say_release, NULL, &why));
        break;
    case 12: {
        lotor_status status = lotor_store_last_release(store, campaign, &why, &release);
        if (status == LOTOR_OK) {
            say_release(NULL, &release);
        }
        say("last_release", status);
        unsigned char hash[LOTOR_STORE_HASH] = {0};
        memcpy(hash, release.hash, sizeof hash);
        status = lotor_store_has_release(store, campaign, draw(0, 2), hash, &why, &has);
        printf(" %d", has);
        say("has_release", status);
        break;
    }
    case 13: {
        lotor_status status =
            lotor_store_get_meta(store, draw(0, 1) ? "a" : "b", &why, value, sizeof value);
        printf(" '%s'", value);
        say("get_meta", status);
        break;
    }
    case 14:
        say("each_audit",
            lotor_store_each_audit(store, draw(0, 3), draw(0, 5), say_audit, NULL, &why));
        break;
    default:
        say("each_lease", lotor_store_each_lease(store, keep_lease, NULL, &why));
    }
}

static void write_campaign(lotor_store *store, uint64_t campaign)
{
    unsigned char seal[LOTOR_STORE_HASH] = {(unsigned char)draw(0, 9)};
    char name[8], spec[24];
    bool done = false;
    snprintf(name, sizeof name, "c%" PRIu64, draw(1, CAMPAIGNS));
    snprintf(spec, sizeof spec, "{\"x\": %" PRIu64 "}", draw(0, 9));
    lotor_campaign_row row = {.id = campaign,
                              .name = name,
                              .spec = spec,
                              .seal = seal,
                              .specs = draw(0, 2),
                              .created = 5,
                              .closed = draw(0, 4) == 0};
    if (draw(0, 1)) {
        lotor_status status = lotor_store_put_spec(store, &row, &why, &done);
        printf(" %d", done);
        say("put_spec", status);
        return;
    }
    row.specs = 0;
    row.closed = false;
    lotor_status status = lotor_store_next_campaign(store, &why, &row.id);
    printf(" %" PRIu64, row.id);
    say("next_campaign", status);
    if (status == LOTOR_OK && row.id <= CAMPAIGNS) {
        say("add_campaign", lotor_store_add_campaign(store, &row, bytes, 8, &why));
        last_status = last_status == LOTOR_DUPLICATE ? LOTOR_OK : last_status;
    }
}

static void write_lease(lotor_store *store, uint64_t campaign)
{
    lotor_lease *known = &leases[campaign], out = {0};
    bool done = false;
    lotor_status status;
    switch (draw(0, 4)) {
    case 0:
    case 1:
        status = lotor_store_take(store, campaign, draw(1, SERVERS),
                                  draw(0, 3) ? known->epoch : draw(0, 5), &why, &out, &done);
        if (status == LOTOR_OK) {
            say_lease(NULL, &out);
        }
        printf(" %d", done);
        say("take", status);
        *known = out.campaign ? out : *known;
        break;
    case 2:
        out = *known;
        out.campaign = campaign;
        out.final = out.sealed;
        out.sealed += draw(0, 4);
        out.due = draw(0, 9);
        out.head[0] = (unsigned char)draw(0, 9);
        status = lotor_store_put_lease(store, &out, &why, &done);
        printf(" %d", done);
        say("put_lease", status);
        out.epoch++;
        *known = done ? out : *known;
        break;
    case 3:
        say("give_lease",
            lotor_store_give_lease(store, campaign, known->owner, known->epoch, &why));
        break;
    default:
        say("set_broken", lotor_store_set_broken(store, campaign, draw(0, 3) == 0, &why));
    }
}

static void write_rows(lotor_store *store, uint64_t campaign)
{
    lotor_status status;
    if (draw(0, 30) == 0) {
        say("erase_left", lotor_store_erase_left(store, campaign, &why));
        return;
    }
    if (writer >= 0 && draw(0, 60) == 0) {
        say("erase", lotor_store_erase(store, campaign, &why));
        return;
    }
    switch (draw(0, 4)) {
    case 0: {
        lotor_block_row row = {.first = draw(0, 5) ? next_first[campaign] + 1 : draw(1, 8),
                               .count = draw(1, 4),
                               .holder = draw(1, SERVERS),
                               .want = draw(0, 3),
                               .until = draw(0, 99),
                               .deadline = draw(0, 99),
                               .nonce = draw(0, 1) ? UINT64_MAX - draw(0, 9) : draw(0, 9),
                               .drawn = bytes,
                               .drawn_length = draw(1, 9),
                               .action = draw(0, 1) ? bytes : NULL};
        row.action_length = row.action ? draw(1, 9) : 0;
        status = lotor_store_add_block(store, campaign, &row, &why);
        next_first[campaign] = row.first + row.count - 1;
        say("add_block", status);
        break;
    }
    case 1: {
        lotor_log_row row = {.stream = draw(1, STREAMS),
                             .seq = draw(1, 8),
                             .kind = draw(0, 1) ? LOTOR_LOG_HANDOUT : LOTOR_LOG_FEEDBACK,
                             .first = draw(1, 10),
                             .bytes = bytes,
                             .length = draw(1, 9)};
        row.last = row.first + draw(0, 5);
        status = lotor_store_append(store, campaign, &row, &why);
        say("append", status);
        break;
    }
    case 2:
        status = lotor_store_forget(store, campaign, draw(0, 9), &why);
        say("forget", status);
        break;
    case 3:
        status = lotor_store_forget_log(store, campaign, draw(1, STREAMS), draw(0, 9), draw(0, 12),
                                        &why);
        say("forget_log", status);
        break;
    default: {
        lotor_release_row row = {.campaign = campaign,
                                 .number = draw(0, 5) ? next_release[campaign] + 1 : draw(1, 3),
                                 .time = draw(1, 99),
                                 .facts = draw(0, 1) ? bytes : NULL};
        row.facts_length = row.facts ? 40 : 0;
        lotor_release_row_chain(&row, leases[campaign].head);
        status = lotor_store_add_release(store, &row, &why);
        next_release[campaign] = row.number;
        say("add_release", status);
    }
    }
}

static void write_others(lotor_store *store, uint64_t campaign)
{
    lotor_status status = LOTOR_OK;
    uint64_t server = draw(1, SERVERS);
    bool flag = false;
    switch (draw(0, 9)) {
    case 0:
        status = lotor_store_add_server(store, server, LIFE_MS, "script", &why);
        say("add_server", status);
        last_status = status == LOTOR_DUPLICATE ? LOTOR_OK : status; /* nothing failed */
        break;
    case 1: {
        uint64_t others = 0;
        status = lotor_store_beat(store, server, LIFE_MS, &why, &flag, &others);
        printf(" %d %" PRIu64, flag, others);
        say("beat", status);
        break;
    }
    case 2:
        status = lotor_store_remove_server(store, server, &why);
        say("remove_server", status);
        break;
    case 3: {
        lotor_want_row row = {.campaign = campaign,
                              .server = server,
                              .id = draw(1, 6),
                              .at = draw(0, 5),
                              .count = draw(1, 5),
                              .body = draw(0, 1) ? bytes : NULL};
        row.body_length = row.body ? 5 : 0;
        status = lotor_store_add_want(store, &row, &why);
        say("add_want", status);
        break;
    }
    case 4: {
        lotor_want_row row = {
            .server = server, .id = draw(1, 6), .reply = bytes, .reply_length = draw(1, 6)};
        status = lotor_store_put_reply(store, &row, &why);
        say("put_reply", status);
        break;
    }
    case 5:
        status = lotor_store_delete_want(store, server, draw(0, 6), &why);
        say("delete_want", status);
        break;
    case 6: {
        unsigned char hash[16] = {(unsigned char)draw(0, 3)};
        status = lotor_store_count_user(store, campaign, hash, draw(0, 3), &why, &flag);
        printf(" %d", flag);
        say("count_user", status);
        if (status == LOTOR_OK && draw(0, 3) == 0) {
            uint64_t shown = 0;
            status = lotor_store_uncount_user(store, campaign, hash, &why);
            say("uncount_user", status);
            if (status == LOTOR_OK) {
                status = lotor_store_user_count(store, campaign, hash, &why, &shown);
                printf(" %d", (int)shown);
                say("user_count", status);
            }
        }
        if (status == LOTOR_OK) {
            const lotor_charge charge = {.amount = draw(0, 4),
                                         .squares = draw(0, 4),
                                         .most_amount = draw(0, 9),
                                         .most_squares = draw(0, 9)};
            status = lotor_store_charge(store, draw(1, 2), hash, &charge, &why, &flag);
            printf(" %d", flag);
            say("charge", status);
        }
        if (status == LOTOR_OK) {
            const lotor_sticky_row row = {.hash = hash,
                                          .until = draw(0, 9),
                                          .decision = draw(0, 9),
                                          .nonce = draw(0, 9),
                                          .expires = draw(0, 9),
                                          .shown = bytes,
                                          .shown_length = draw(1, 6)};
            status = draw(0, 1) ? lotor_store_put_sticky(store, campaign, &row, &why)
                                : lotor_store_forget_stickies(store, campaign, draw(0, 9), &why);
            say("put_sticky", status);
        }
        if (status == LOTOR_OK) {
            status =
                lotor_store_get_sticky(store, campaign, hash, draw(0, 9), say_sticky, NULL, &why);
            say("get_sticky", status);
        }
        break;
    }
    case 7:
        status = lotor_store_put_state(store, campaign, draw(0, 9), bytes, draw(1, 30), &why);
        say("put_state", status);
        break;
    case 8: {
        const lotor_audit_row row = {.time = draw(0, 9),
                                     .key = "k",
                                     .key_id = "0123abcd",
                                     .campaign = draw(0, 1) ? "c" : "",
                                     .act = "create",
                                     .change = "x"};
        status = lotor_store_add_audit(store, &row, &why);
        say("add_audit", status);
        break;
    }
    default:
        status = lotor_store_put_meta(store, draw(0, 1) ? "a" : "b", draw(0, 2) ? "x" : "", &why);
        say("put_meta", status);
    }
}

/* Makes one call or several in a transaction. After a failure it rolls back, as store.h
 * requires. */
static void act(void)
{
    size_t who = writer >= 0 && draw(0, 3) ? (size_t)writer : draw(0, store_count - 1);
    lotor_store *store = stores[who];
    uint64_t campaign = draw(1, CAMPAIGNS);
    bool is_inside = (int)who == writer;
    printf("%zu%s", who, is_inside ? "*" : "");
    if (writer >= 0 && !is_inside) { /* the other connection writes: this one only reads */
        read_something(store, campaign);
        return;
    }
    if (!is_inside && draw(0, 2) == 0) {
        say("begin", lotor_store_begin(store, &why));
        writer = (int)who;
        return;
    }
    if (is_inside && draw(0, 5) == 0) {
        if (draw(0, 3)) {
            say("commit", lotor_store_commit(store, &why));
        } else {
            lotor_store_rollback(store);
            printf(" rollback\n");
        }
        writer = -1;
        return;
    }
    uint64_t what = draw(0, 7);
    if (what == 0 && is_inside) {
        write_campaign(store, campaign);
    } else if (what == 1 && is_inside) {
        write_lease(store, campaign);
    } else if (what == 2 || what == 3) {
        write_rows(store, campaign);
    } else if (what == 4) {
        write_others(store, campaign);
    } else {
        read_something(store, campaign);
    }
    if (is_inside && last_status != LOTOR_OK && last_status != LOTOR_UNKNOWN) {
        lotor_store_rollback(store);
        printf("%zu rollback\n", who);
        writer = -1;
    }
}

/* Makes campaigns 1 to 3, so that rows have a campaign to belong to. */
static void prepare(void)
{
    for (uint64_t i = 1; i <= CAMPAIGNS; i++) {
        unsigned char seal[LOTOR_STORE_HASH] = {0};
        char name[8];
        snprintf(name, sizeof name, "c%" PRIu64, i);
        lotor_campaign_row row = {.name = name, .spec = "{}", .seal = seal, .created = 5};
        lotor_store_begin(stores[0], &why);
        lotor_store_next_campaign(stores[0], &why, &row.id);
        say("add_campaign", lotor_store_add_campaign(stores[0], &row, bytes, 8, &why));
        lotor_store_commit(stores[0], &why);
        leases[i].campaign = i;
    }
}

static bool open_stores(const char *where)
{
#ifdef ON_SIMULATION
    static sim world;
    bool is_shared = where && strcmp(where, "shared") == 0;
    world.mode = is_shared ? SIM_SOLO : SIM_EXCLUSIVE;
    world.now = 1700000000000;
    world.base = db_new(&world.now);
    store_count = world.server_count = is_shared ? 2 : 1;
    for (size_t i = 0; i < store_count; i++) {
        world.servers[i] = (sim_server){.sim = &world, .place = (int)i};
        sim_store_connect(&world, &world.servers[i]);
        stores[i] = &world.servers[i].store;
    }
    return true;
#else
    store_count = lotor_store_is_address(where) ? 2 : 1;
    for (size_t i = 0; i < store_count; i++) {
        if (lotor_store_open(where, LOTOR_STORE_SERVE, NULL, &why, &stores[i])) {
            fprintf(stderr, "store_script: %s\n", why.text);
            return false;
        }
    }
    return true;
#endif
}

int main(int count, char **words)
{
    if (count < 3) {
        fprintf(stderr, "usage: store_script SEED CALLS [WHERE]\n");
        return 2;
    }
    random_of = rng_of(strtoull(words[1], NULL, 10), 7);
    if (!open_stores(count > 3 ? words[3] : NULL)) {
        return 2;
    }
    prepare();
    for (uint64_t i = strtoull(words[2], NULL, 10); i > 0; i--) {
        act();
    }
#ifndef ON_SIMULATION
    for (size_t i = 0; i < store_count; i++) {
        lotor_store_close(stores[i]);
    }
#endif
    return 0;
}
