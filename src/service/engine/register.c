/* register.c - this server among others: its row, the store's clock, and the campaigns and leases
 * that are in the store. */
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "service/engine/budgets.h"
#include "service/engine/inside.h"
#include "service/little.h"

/* --- the clock -------------------------------------------------------------------------------- */

/* Gives the clock to requests. While the clock's bounds may not be used, requests hand out no
 * decisions: see lotor_engine.ahead. */
static void tell_requests(lotor_engine *engine)
{
    const lotor_clock *clock = &engine->clock;
    atomic_store(&engine->fresh_until, 0);
    if (lotor_clock_is_steady(clock, engine->boot)) {
        atomic_store(&engine->ahead, (int64_t)(clock->reading.store - clock->reading.sent));
        atomic_store(&engine->fresh_until, clock->reading.received + LOTOR_CLOCK_FRESH_MS);
    }
}

void lotor_register_clock(lotor_engine *engine)
{
    const uint64_t boot = lotor_engine_boot(engine);
    engine->boot = boot > engine->boot ? boot : engine->boot;
    engine->is_steady = lotor_clock_is_steady(&engine->clock, engine->boot);
    const uint64_t low = lotor_clock_low(&engine->clock, engine->boot);
    const uint64_t high = lotor_clock_high(&engine->clock, engine->boot);
    engine->low = low > engine->low ? low : engine->low;
    engine->high = high > engine->low ? high : engine->low;
}

/* Takes all campaigns over again after the clock was set. Old deadlines may be far off, and a
 * takeover corrects them. */
static void start_again(lotor_engine *engine)
{
    lotor_disown_all(engine);
    engine->low = 0;
}

lotor_status lotor_register_read_clock(lotor_engine *engine, lotor_message *why)
{
    lotor_clock_reading reading = {.sent = lotor_engine_boot(engine)};
    if (engine->store_clock) {
        reading.store = engine->store_clock(engine->clock_context);
    } else {
        const lotor_status status = lotor_store_now(engine->store, why, &reading.store);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    reading.received = lotor_engine_boot(engine);
    if (reading.received > reading.sent + LOTOR_CLOCK_ROUND_TRIP_MS) {
        return LOTOR_OK; /* the reading took too long: the next step reads the clock again */
    }
    engine->boot = reading.received > engine->boot ? reading.received : engine->boot;
    if (lotor_clock_read(&engine->clock, &reading) == LOTOR_CLOCK_JUMPED) {
        start_again(engine);
    }
    tell_requests(engine);
    return LOTOR_OK;
}

static bool is_clock_due(const lotor_engine *engine)
{
    const lotor_clock *clock = &engine->clock;
    const uint64_t last = clock->has_doubt ? clock->doubt.received : clock->reading.received;
    return !clock->has_reading ||
           engine->boot >= last + (clock->has_doubt ? LOTOR_RETRY_MS : LOTOR_BEAT_MS);
}

/* --- campaigns -------------------------------------------------------------------------------- */

void lotor_spec_seal(const lotor_engine *engine, const lotor_campaign_row *row,
                     unsigned char seal[LOTOR_STORE_HASH])
{
    unsigned char numbers[32];
    uint64_t created;
    memcpy(&created, &row->created, sizeof created);
    lotor_put_u64(numbers, row->id);
    lotor_put_u64(numbers + 8, row->specs);
    lotor_put_u64(numbers + 16, created);
    lotor_put_u64(numbers + 24, row->closed);
    const lotor_server_key_part parts[] = {{numbers, sizeof numbers},
                                           {row->name, strlen(row->name) + 1},
                                           {row->spec, strlen(row->spec) + 1}};
    lotor_server_key_tag(engine->server_key, parts, 3, seal);
}

lotor_status lotor_spec_parse(const char *text, lotor_message *why, lotor_spec **out)
{
    json_error_t error;
    lotor_refusal refusal;
    json_t *json = json_loads(text, 0, &error);
    const bool has_memory = json || json_error_code(&error) != json_error_out_of_memory;
    const lotor_code code = json ? lotor_spec_read_kept(json, &refusal, out) : LOTOR_CODE_BAD_JSON;
    json_decref(json);
    if (code == LOTOR_CODE_NONE) {
        return LOTOR_OK;
    }
    return has_memory && code != LOTOR_CODE_INTERNAL
               ? lotor_fail((lotor_status)LOTOR_DAMAGED, why, "its specification can't be read")
               : lotor_fail((lotor_status)LOTOR_MEMORY, why, "no memory for a specification");
}

lotor_status lotor_campaign_copy_row(void *context, const lotor_campaign_row *row)
{
    const size_t name = strlen(row->name) + 1, spec = strlen(row->spec) + 1;
    lotor_campaign_copy *copy = malloc(sizeof *copy + name + spec);
    if (!copy) {
        return LOTOR_MEMORY;
    }
    copy->row = *row;
    copy->row.name = memcpy(copy->text, row->name, name);
    copy->row.spec = memcpy(copy->text + name, row->spec, spec);
    copy->row.seal = memcpy(copy->seal, row->seal, sizeof copy->seal);
    *(lotor_campaign_copy **)context = copy;
    return LOTOR_OK;
}

static lotor_status unwrap_key(void *context, const unsigned char *bytes, size_t length)
{
    struct {
        const lotor_engine *engine;
        uint64_t campaign;
        unsigned char *key;
    } *at = context;
    return length == LOTOR_INTAKE_KEY + LOTOR_SERVER_KEY_OVERHEAD
               ? lotor_server_key_unseal(at->engine->server_key, LOTOR_SEAL_KEY, at->campaign, 0,
                                         bytes, length, at->key)
               : LOTOR_DAMAGED;
}

static lotor_status read_key(lotor_engine *engine, uint64_t campaign, lotor_message *why,
                             unsigned char key[LOTOR_INTAKE_KEY])
{
    struct {
        const lotor_engine *engine;
        uint64_t campaign;
        unsigned char *key;
    } at = {engine, campaign, key};
    const lotor_status status = lotor_store_get_key(engine->store, campaign, unwrap_key, &at, why);
    if (status == LOTOR_DAMAGED || status == LOTOR_UNKNOWN) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "its sealing key can't be opened with this server's key");
    }
    return status;
}

lotor_status lotor_spec_open(const lotor_engine *engine, const lotor_campaign_row *row,
                             lotor_message *why, lotor_spec **spec)
{
    unsigned char seal[LOTOR_STORE_HASH];
    lotor_spec_seal(engine, row, seal);
    if (sodium_memcmp(seal, row->seal, sizeof seal) != 0) {
        return lotor_fail(LOTOR_DAMAGED, why,
                          "its specification was changed in the store, not by a server");
    }
    return lotor_spec_parse(row->spec, why, spec);
}

/* A campaign whose budget is not the one that it joined is not served. It is in the table all the
 * same, so that it can be deleted. */
static lotor_status join_budget(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    const lotor_status status = lotor_budgets_join(engine, campaign, why);
    if (status != LOTOR_DAMAGED) {
        return status;
    }
    campaign->lacks_budget = !campaign->spec->deleted;
    lotor_campaign_trouble(campaign, campaign->lacks_budget ? why->text : "");
    return LOTOR_OK;
}

static lotor_status restore(lotor_engine *engine, const lotor_campaign_row *row, lotor_message *why)
{
    lotor_spec *spec = NULL;
    lotor_campaign *campaign = NULL;
    unsigned char key[LOTOR_INTAKE_KEY];
    lotor_status status = lotor_spec_open(engine, row, why, &spec);
    if (status == LOTOR_OK && spec->deleted) {
        randombytes_buf(key, sizeof key); /* its own key was erased */
    } else if (status == LOTOR_OK) {
        status = read_key(engine, row->id, why, key);
        if (status != LOTOR_OK) {
            lotor_spec_free(spec);
        }
    }
    if (status == LOTOR_OK) {
        status = lotor_campaign_new(row->id, spec, key, why, &campaign);
    }
    lotor_wipe(key, sizeof key);
    if (status == LOTOR_OK) {
        status = join_budget(engine, campaign, why);
        if (status != LOTOR_OK) {
            lotor_campaign_free(campaign);
        }
    }
    if (status == LOTOR_OK && lotor_table_reserve(engine, 1) != LOTOR_OK) {
        lotor_campaign_free(campaign);
        status = lotor_fail(LOTOR_MEMORY, why, "no memory for the campaigns");
    }
    if (status == LOTOR_OK) {
        campaign->created = row->created;
        campaign->specs = row->specs;
        lotor_campaign_set_phase(campaign, row->closed);
        campaign->is_erased = campaign->may_have_left = spec->deleted;
        campaign->lease.campaign = row->id;
        lotor_table_add(engine, campaign);
    }
    return status;
}

/* True for a printable name. In a damaged row, the bytes of the name may be anything. */
static bool is_readable(const char *name)
{
    bool is = *name != '\0';
    for (; is && *name; name++) {
        is = *name > ' ' && *name < 127;
    }
    return is;
}

lotor_status lotor_table_leave_out(lotor_engine *engine, const lotor_campaign_row *row,
                                   const lotor_message *reason)
{
    pthread_rwlock_wrlock(&engine->table_lock);
    lotor_unreadable_campaign *list =
        realloc(engine->unreadable, (engine->unreadable_count + 1) * sizeof *list);
    if (list) {
        lotor_unreadable_campaign *entry = &list[engine->unreadable_count++];
        entry->id = row->id;
        if (is_readable(row->name)) {
            snprintf(entry->name, sizeof entry->name, "%.*s", LOTOR_NAME_MAX, row->name);
        } else {
            snprintf(entry->name, sizeof entry->name, "(number %" PRIu64 ")", row->id);
        }
        snprintf(entry->reason, sizeof entry->reason, "%.*s", (int)sizeof entry->reason - 1,
                 reason->text);
        engine->unreadable = list;
    }
    pthread_rwlock_unlock(&engine->table_lock);
    return list ? LOTOR_OK : LOTOR_MEMORY;
}

/* Reads a new campaign. A campaign that can't be read is left out; if its row is missing, under its
 * number. */
static lotor_status read_campaign(lotor_engine *engine, uint64_t id, lotor_message *why)
{
    lotor_campaign_copy *copy = NULL;
    lotor_status status =
        lotor_store_get_campaign(engine->store, id, lotor_campaign_copy_row, &copy, why);
    if (status == LOTOR_OK) {
        status = restore(engine, &copy->row, why);
    }
    if (status == LOTOR_DAMAGED || status == LOTOR_INVALID || status == LOTOR_OVERFLOW ||
        status == LOTOR_UNKNOWN) {
        const lotor_campaign_row nameless = {.id = id, .name = ""};
        status = lotor_table_leave_out(engine, copy ? &copy->row : &nameless, why);
    }
    free(copy);
    return status;
}

/* --- leases ----------------------------------------------------------------------------------- */

const char lotor_broken_text[] =
    "the store is an older copy: it lacks a release or a deletion that a server has seen. Restore "
    "the newest copy, or start with --accept-rollback";

/* Collects the campaigns that this server does not know yet. Ids are not committed in their
 * order. */
typedef struct lease_reader {
    lotor_engine *engine;
    uint64_t *unknown;
    size_t count, room;
} lease_reader;

static lotor_status note_unknown(lease_reader *reader, uint64_t id)
{
    if (reader->count == reader->room) {
        const size_t room = 2 * reader->room + 16;
        uint64_t *unknown = realloc(reader->unknown, room * sizeof *unknown);
        if (!unknown) {
            return LOTOR_MEMORY;
        }
        reader->unknown = unknown;
        reader->room = room;
    }
    reader->unknown[reader->count++] = id;
    return LOTOR_OK;
}

static lotor_status see_lease(void *context, const lotor_lease *lease)
{
    lease_reader *reader = context;
    lotor_engine *engine = reader->engine;
    lotor_campaign *campaign = lotor_table_find_id(engine, lease->campaign);
    if (!campaign) {
        return lotor_table_is_left_out(engine, lease->campaign)
                   ? LOTOR_OK
                   : note_unknown(reader, lease->campaign);
    }
    if (lease->is_damaged) {
        if (!campaign->lease.is_damaged) {
            lotor_campaign_fails(engine, campaign, LOTOR_DAMAGED,
                                 "its lease in the store was changed, not by a server");
        }
        campaign->lease.is_damaged = true;
        return LOTOR_OK;
    }
    if (campaign->is_owner &&
        (lease->owner != engine->server || lease->epoch != campaign->lease.epoch)) {
        lotor_takeover_disown(engine, campaign);
    }
    if (!campaign->is_owner) {
        engine->has_foreign = engine->has_foreign || lease->owner != 0;
        campaign->lease = *lease;
        pthread_mutex_lock(&campaign->lock);
        campaign->final = lease->final;
        campaign->sealed = lease->sealed;
        campaign->releases = campaign->is_erased ? lease->releases : campaign->releases;
        pthread_mutex_unlock(&campaign->lock);
        if (lease->broken && !engine->accept_rollback && !campaign->is_erased) {
            lotor_campaign_trouble(campaign, lotor_broken_text);
        } else if (lease->owner != 0 && lease->owner != engine->server && lease->is_live &&
                   !campaign->lacks_budget) {
            lotor_campaign_trouble(campaign,
                                   ""); /* its owner serves it: an earlier failure is over */
        }
    }
    campaign->lease.specs = lease->specs; /* compared with campaign->specs below */
    return LOTOR_OK;
}

/* Gives up a campaign for which only other servers have had requests for a while, so that one of
 * them takes it. */
static lotor_status hand_over(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    enum { ASKS_LEAST = 10 };
    if (!campaign->is_owner || engine->boot < campaign->asks_since + LOTOR_HAND_OVER_MS) {
        return LOTOR_OK;
    }
    pthread_mutex_lock(&campaign->lock);
    const uint64_t handed = campaign->drawn.handed + campaign->blanks.handed;
    pthread_mutex_unlock(&campaign->lock);
    const bool is_idle = handed == campaign->asks_handed && campaign->own_asks == 0;
    const bool is_foreign = is_idle && campaign->foreign_asks >= ASKS_LEAST;
    campaign->asks_since = engine->boot;
    campaign->asks_handed = handed;
    campaign->own_asks = campaign->foreign_asks = 0;
    if (!is_foreign) {
        return LOTOR_OK;
    }
    const uint64_t epoch = campaign->lease.epoch;
    lotor_takeover_disown(engine, campaign);
    campaign->lease.owner = 0;
    campaign->retry_at = engine->boot + LOTOR_HAND_OVER_MS;
    return lotor_store_give_lease(engine->store, campaign->id, engine->server, epoch, why);
}

static lotor_status note_campaign(void *context, const lotor_campaign_row *row)
{
    return note_unknown(context, row->id);
}

static lotor_status leave_out_row(void *context, const lotor_campaign_row *row)
{
    const lotor_message reason = {"its lease is missing in the store: see `lotor check`"};
    return lotor_table_leave_out(context, row, &reason);
}

/* The first poll. If a campaign's row existed before the leases were read, and it has no lease,
 * it is damaged. */
lotor_status lotor_register_poll_first(lotor_engine *engine, lotor_message *why)
{
    lease_reader reader = {.engine = engine};
    lotor_status status = lotor_store_each_campaign(engine->store, 0, note_campaign, &reader, why);
    if (status == LOTOR_OK) {
        status = lotor_register_tend(engine, why);
    }
    for (size_t i = 0; status == LOTOR_OK && i < reader.count; i++) {
        const uint64_t id = reader.unknown[i];
        if (!lotor_table_find_id(engine, id) && !lotor_table_is_left_out(engine, id)) {
            status = lotor_store_get_campaign(engine->store, id, leave_out_row, engine, why);
        }
    }
    free(reader.unknown);
    return status;
}

/* Reads all leases. New campaigns get into the table; then their leases are read, too. */
static lotor_status read_leases(lotor_engine *engine, lotor_message *why)
{
    lease_reader reader = {.engine = engine};
    lotor_status status = lotor_store_each_lease(engine->store, see_lease, &reader, why);
    const size_t count = reader.count;
    for (size_t i = 0; status == LOTOR_OK && i < count; i++) {
        status = read_campaign(engine, reader.unknown[i], why);
    }
    if (status == LOTOR_OK && count > 0) {
        reader.count = 0;
        status = lotor_store_each_lease(engine->store, see_lease, &reader, why);
    }
    free(reader.unknown);
    return status;
}

/* Gives up a campaign if another one of its budget lacks a release, so that the takeover refuses it. */
static void doubt_budget(lotor_engine *engine, lotor_campaign *campaign)
{
    bool is_broken = false;
    for (size_t i = 0; i < engine->campaign_count && campaign->is_owner; i++) {
        const lotor_campaign *const other = engine->by_place[i];
        is_broken = is_broken || (other->lease.broken && lotor_budgets_share(campaign, other));
    }
    if (is_broken && !engine->accept_rollback) {
        lotor_takeover_disown(engine, campaign);
    }
}

lotor_status lotor_register_poll(lotor_engine *engine, lotor_message *why)
{
    engine->has_foreign = false;
    lotor_status status = lotor_reconnect_compare(engine, why);
    if (status != LOTOR_OK) {
        return status;
    }
    engine->poll_at = engine->boot;
    status = read_leases(engine, why);
    for (size_t i = 0; status == LOTOR_OK && i < engine->campaign_count; i++) {
        doubt_budget(engine, engine->by_place[i]);
        status = hand_over(engine, engine->by_place[i], why);
    }
    for (size_t i = 0; status == LOTOR_OK && i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        if (campaign->lease.specs != campaign->specs) {
            status = lotor_manage_read(engine, campaign, why);
            if (status == LOTOR_DAMAGED || status == LOTOR_UNKNOWN) { /* only this campaign fails */
                lotor_campaign_fails(engine, campaign, status, why->text);
                status = LOTOR_OK;
            }
        }
        if (campaign->is_early && campaign->is_owner && engine->others > 0 &&
            campaign->block_first < campaign->block_end) {
            campaign->is_due = true; /* feedback on other servers may end a block early */
        }
        pthread_mutex_lock(&campaign->lock);
        const bool is_looked_at = campaign->is_looked_at;
        campaign->is_looked_at = false;
        pthread_mutex_unlock(&campaign->lock);
        if (status == LOTOR_OK && is_looked_at && !campaign->is_owner) {
            /* for display only, so a failure does not matter */
            lotor_state_look(engine, campaign, NULL);
        }
    }
    return status;
}

/* --- this server ------------------------------------------------------------------------------ */

/* Gives this server's requests its new id. Wants that were sent to owners are sent again. */
static void rename_wants(lotor_engine *engine, lotor_campaign *campaign)
{
    for (lotor_want *want = campaign->wants; want; want = want->next) {
        if (want->job) {
            engine->waiting -= want->is_sent && want->asking;
            want->is_sent = false;
            want->server = engine->server;
        }
    }
    lotor_remote_forget(engine, campaign);
}

/* The store is an older copy and does not know this server, so it continues under a new id. */
static lotor_status rename_server(lotor_engine *engine, lotor_message *why)
{
    lotor_disown_all(engine);
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        while (campaign->block_first < campaign->block_end) {
            lotor_campaign_drop_block(campaign, campaign->block_end - 1);
        }
    }
    engine->server = lotor_engine_random_id();
    for (size_t i = 0; i < engine->campaign_count; i++) {
        rename_wants(engine, engine->by_place[i]);
    }
    lotor_engine_new_stream(engine);
    return lotor_store_add_server(engine->store, engine->server, LOTOR_LEASE_MS, lotor_version(),
                                  why);
}

static lotor_status beat(lotor_engine *engine, lotor_message *why)
{
    bool is_known = false;
    const lotor_status status = lotor_store_beat(engine->store, engine->server, LOTOR_LEASE_MS, why,
                                                 &is_known, &engine->others);
    if (status == LOTOR_OK && !is_known) {
        return rename_server(engine, why);
    }
    engine->beat_at = engine->boot;
    return status;
}

/* On an exclusive store no other server changes anything. */
uint64_t lotor_register_next_poll(const lotor_engine *engine)
{
    if (engine->poll_at == 0) {
        return engine->boot;
    }
    if (engine->margin == 0) {
        return UINT64_MAX;
    }
    const bool is_alone = engine->others == 0 && !engine->has_foreign;
    return engine->poll_at + (is_alone ? LOTOR_ALONE_POLL_MS : LOTOR_POLL_MS);
}

lotor_status lotor_register_tend(lotor_engine *engine, lotor_message *why)
{
    lotor_status status = is_clock_due(engine) ? lotor_register_read_clock(engine, why) : LOTOR_OK;
    lotor_register_clock(engine);
    if (status == LOTOR_OK && engine->is_steady &&
        engine->boot >= engine->beat_at + LOTOR_BEAT_MS) {
        status = beat(engine, why);
    }
    if (lotor_store_connections(engine->store) != engine->connections) {
        lotor_reconnect_doubt(engine);
    }
    return status == LOTOR_OK && engine->boot >= lotor_register_next_poll(engine)
               ? lotor_register_poll(engine, why)
               : status;
}

lotor_status lotor_register_leave(lotor_engine *engine, lotor_message *why)
{
    lotor_status status = lotor_store_begin(engine->store, why);
    for (size_t i = 0; status == LOTOR_OK && i < engine->campaign_count; i++) {
        const lotor_campaign *campaign = engine->by_place[i];
        if (campaign->is_owner) {
            status = lotor_store_give_lease(engine->store, campaign->id, engine->server,
                                            campaign->lease.epoch, why);
        }
    }
    if (status == LOTOR_OK) {
        status = lotor_store_delete_want(engine->store, engine->server, 0, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_remove_server(engine->store, engine->server, why);
    }
    if (status != LOTOR_OK) {
        lotor_store_rollback(engine->store);
        return status;
    }
    return lotor_engine_commit(engine, why);
}
