/* recover.c - starting on what the store has, and giving back at a clean stop.
 *
 * After a crash nobody knows how many decisions of a pool were handed out: all count as shown, and can
 * be answered for wait_seconds from the start. A store that was put back to an older copy is refused: it
 * would draw again what was released before. */
#include "service/engine/engine_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"

/* --- rollbacks ---------------------------------------------------------------------------------- */

enum { ROLLBACKS_ROOM = 4096 };

static lotor_status read_rollbacks(lotor_engine *engine, lotor_message *why)
{
    char text[ROLLBACKS_ROOM];
    lotor_status status = lotor_store_get_meta(engine->store, "rollbacks", why, text, sizeof text);
    if (status) {
        return status;
    }
    engine->rollbacks = *text ? json_loads(text, 0, NULL) : json_array();
    if (!json_is_array(engine->rollbacks)) {
        return lotor_fail(LOTOR_DAMAGED, why, "the list of accepted rollbacks can't be read");
    }
    size_t i;
    json_t *entry;
    json_array_foreach(engine->rollbacks, i, entry)
    {
        engine->rollback_count +=
            1 + (uint64_t)json_integer_value(json_object_get(entry, "unlisted"));
    }
    return LOTOR_OK;
}

/* An older copy has a shorter chain, another chain, or fewer starts than the head beside the key. */
static lotor_status find_rollback(lotor_engine *engine, lotor_message *why, lotor_head *store,
                                  lotor_head *head, bool *is_behind)
{
    *head = (lotor_head){0};
    /* The file first: other servers may be at both, and the store is never behind what a file says. */
    const lotor_status read = lotor_head_read(engine->head_path, why, head);
    lotor_status status = lotor_store_head(engine->store, why, store);
    if (status) {
        return status;
    }
    if (read == LOTOR_UNKNOWN) { /* lost with releases: nobody knows what it said */
        *is_behind = store->releases > 0 && !engine->is_shared; /* one more server is no news */
        return LOTOR_OK;
    }
    if (read == LOTOR_DAMAGED) {
        *is_behind = true;
        return LOTOR_OK;
    }
    status = read;
    bool has = false;
    if (!status) {
        status = lotor_store_has_head(engine->store, head, why, &has);
    }
    *is_behind = !has || store->starts < head->starts;
    return status;
}

static lotor_status refuse_rollback(const lotor_engine *engine, const lotor_head *store,
                                    const lotor_head *head, lotor_message *why)
{
    (void)engine;
    return lotor_fail(
        LOTOR_RELEASED, why,
        "the store is an older copy (%" PRIu64 " releases, the head file beside the key "
        "says %" PRIu64 ", or is lost): going on may release feedback twice. Put the "
        "newest copy back, or start with --accept-rollback, which the guarantees then "
        "show",
        store->releases, head->releases);
}

/* Which campaigns it touched is told by their ids: the clock may have been set back, too. The copy may be
 * older than an accepted rollback and not list it: the head counts them all. */
static lotor_status accept(lotor_engine *engine, const lotor_head *store, const lotor_head *head,
                           lotor_message *why)
{
    uint64_t lost =
        head->rollbacks > engine->rollback_count ? head->rollbacks - engine->rollback_count : 0;
    engine->rollback_count += lost + 1;
    uint64_t last = engine->campaign_count ? engine->by_place[engine->campaign_count - 1]->id : 0;
    json_t *entry =
        json_pack("{s:f, s:I, s:I, s:I, s:I}", "time", (double)engine->turn.now / 1000,
                  "last_campaign", (json_int_t)last, "unlisted", (json_int_t)lost, "releases_kept",
                  (json_int_t)store->releases, "releases_known", (json_int_t)head->releases);
    char *text = entry && json_array_append_new(engine->rollbacks, entry) == 0
                     ? json_dumps(engine->rollbacks, JSON_COMPACT)
                     : NULL;
    lotor_status status = text && strlen(text) < ROLLBACKS_ROOM
                              ? lotor_store_put_meta(engine->store, "rollbacks", text, why)
                              : lotor_fail((lotor_status)LOTOR_MEMORY, why,
                                           "the accepted rollback could not be noted");
    free(text);
    return status;
}

/* --- campaigns ---------------------------------------------------------------------------------- */

typedef struct recoverer {
    lotor_engine *engine;
    lotor_campaign *campaign;
    bool was_rolled_back;
    lotor_message *why;
} recoverer;

lotor_status lotor_restore_action(lotor_engine *engine, const lotor_campaign *campaign,
                                  const lotor_block *row, lotor_drawn *drawn, lotor_message *why)
{
    size_t length = drawn->count * drawn->dimension * sizeof(double);
    if (!length) {
        return LOTOR_OK;
    }
    lotor_status status =
        row->action_length == length + LOTOR_SEAL_EXTRA
            ? lotor_vault_open_sealed(engine->vault, LOTOR_SEAL_ACTION, campaign->id, row->first,
                                      row->action, row->action_length, drawn->action)
            : LOTOR_DAMAGED;
    return status ? lotor_fail(status, why, "a kept context of campaign %s can't be opened",
                               campaign->name)
                  : LOTOR_OK;
}

/* How many were handed out, and until when those can be answered. */
static lotor_status restore_times(recoverer *recovery, const lotor_block *row, lotor_drawn *drawn)
{
    lotor_campaign *campaign = recovery->campaign;
    bool is_known =
        row->handed != UINT64_MAX && row->handed <= row->count &&
        (row->handed == row->count || !recovery->was_rolled_back); /* the rest may be out since */
    drawn->handed = is_known ? (size_t)row->handed : drawn->count;
    uint64_t from_now = recovery->engine->turn.now + campaign->wait;
    /* A later deadline is of a clock that was wrong: nobody is given longer than from now on. */
    bool is_sane = is_known && row->deadline && row->deadline < from_now;
    uint64_t deadline = is_sane ? row->deadline : from_now;
    deadline = deadline > campaign->last_expires ? deadline : campaign->last_expires;
    for (size_t i = 0; i < drawn->handed; i++) {
        drawn->expires[i] = deadline;
    }
    campaign->last_expires = drawn->handed ? deadline : campaign->last_expires;
    campaign->handed += drawn->handed;
    if (row->handed == UINT64_MAX || row->handed == row->count) {
        return LOTOR_OK;
    }
    lotor_block open = *row; /* it is handed out from here on, and a crash must know that */
    open.handed = UINT64_MAX;
    open.deadline = 0;
    return lotor_store_put_block(recovery->engine->store, campaign->id, &open, recovery->why);
}

static lotor_status restore_block(void *context, const lotor_block *row)
{
    recoverer *recovery = context;
    lotor_campaign *campaign = recovery->campaign;
    if (row->count == 0 || row->first + row->count - 1 <= campaign->final) {
        return LOTOR_OK;
    }
    lotor_drawn *drawn;
    lotor_status status =
        lotor_drawn_unpack(row, campaign->arms, campaign->dimension, recovery->why, &drawn);
    if (status) {
        return status;
    }
    status = lotor_restore_action(recovery->engine, campaign, row, drawn, recovery->why);
    if (!status && lotor_campaign_reserve(campaign, 1)) {
        status = lotor_fail(LOTOR_MEMORY, recovery->why, "no memory for drawn decisions");
    }
    if (!status) {
        status = restore_times(recovery, row, drawn);
    }
    if (status) {
        lotor_drawn_free(drawn);
        return status;
    }
    if (campaign->block_end == campaign->block_first && campaign->final >= row->first) {
        campaign->front = (size_t)(campaign->final - row->first + 1);
    }
    lotor_campaign_add_block(campaign, drawn);
    return LOTOR_OK;
}

static lotor_status count_release(void *context, const lotor_release *release)
{
    (void)release;
    ((lotor_campaign *)context)->releases++;
    return LOTOR_OK;
}

/* The state is opened once, to know that it can be, and to see what is public of it. */
static lotor_status restore_policy(recoverer *recovery, lotor_spec *spec, uint64_t id)
{
    lotor_campaign shell = {.id = id, .lock = PTHREAD_MUTEX_INITIALIZER};
    shell.turn.is_touched = true; /* of a shared store: it is only looked at */
    lotor_status status = lotor_campaign_load(recovery->engine, &shell, recovery->why);
    if (status) {
        lotor_spec_free(spec);
        free(shell.over);
        return status;
    }
    status = lotor_campaign_new(spec, shell.policy, recovery->why, &recovery->campaign);
    if (!status && recovery->campaign->arms != shell.arms) {
        lotor_campaign_free(recovery->campaign);
        status = lotor_fail(LOTOR_DAMAGED, recovery->why,
                            "a campaign's state has other arms than its parameters");
    }
    if (!status) {
        recovery->campaign->ended = recovery->campaign->handed = shell.ended;
        memcpy(recovery->campaign->over, shell.over, shell.arms * sizeof *shell.over);
    }
    free(shell.over);
    lotor_campaign_put_away(recovery->engine, &shell);
    return status;
}

static lotor_status restore(void *context, const lotor_stored_campaign *row)
{
    recoverer *recovery = context;
    lotor_engine *engine = recovery->engine;
    lotor_refusal refusal;
    lotor_spec *spec = NULL;
    json_t *json = json_loads(row->spec, 0, NULL);
    lotor_code code = json ? lotor_spec_read(json, &refusal, &spec) : LOTOR_CODE_BAD_JSON;
    json_decref(json);
    if (code) {
        return lotor_fail(LOTOR_DAMAGED, recovery->why,
                          "the parameters of campaign %s can't be read", row->name);
    }
    lotor_status status = restore_policy(recovery, spec, row->id);
    if (status) {
        return status;
    }
    lotor_campaign *campaign = recovery->campaign;
    campaign->id = row->id;
    campaign->created = row->created;
    campaign->closed = row->closed;
    campaign->final = row->final;
    campaign->is_shared = engine->is_shared;
    if (lotor_table_reserve(engine, 1)) {
        lotor_campaign_free(campaign);
        return lotor_fail(LOTOR_MEMORY, recovery->why, "no memory for the campaigns");
    }
    lotor_table_add(engine, campaign);
    return LOTOR_OK;
}

lotor_status lotor_restore_campaign(lotor_engine *engine, const lotor_stored_campaign *row,
                                    lotor_message *why)
{
    recoverer recovery = {engine, NULL, false, why};
    const lotor_status status = restore(&recovery, row);
    if (!status) {
        lotor_shown_restore(recovery.campaign);
    }
    return status;
}

/* After the list was read: the store may be asked and changed again. */
static lotor_status restore_rounds(recoverer *recovery)
{
    lotor_engine *engine = recovery->engine;
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; !status && i < engine->campaign_count; i++) {
        lotor_campaign *campaign = recovery->campaign = engine->by_place[i];
        status = lotor_store_each_block(engine->store, campaign->id, restore_block, recovery,
                                        recovery->why);
        campaign->handed -= campaign->front; /* those are among the ended ones */
        lotor_shown_restore(campaign);
        if (!status) {
            status = lotor_record_read(engine, campaign, recovery->why);
        }
        if (!status) {
            status = lotor_store_each_release(engine->store, campaign->id, count_release, campaign,
                                              recovery->why);
        }
    }
    return status;
}

static lotor_status count_start(lotor_engine *engine, const lotor_head *store,
                                const lotor_head *head, lotor_message *why)
{
    engine->starts = 1 + (store->starts > head->starts ? store->starts : head->starts);
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, engine->starts);
    return lotor_store_put_meta(engine->store, "starts", text, why);
}

static lotor_status find_last(void *context, const lotor_stored_campaign *row)
{
    uint64_t *last = context;
    *last = row->id > *last ? row->id : *last;
    return LOTOR_OK;
}

/* A store that came by `lotor move` does not name its key yet: a wrong one must not become its name. */
static lotor_status try_key(lotor_engine *engine, lotor_message *why)
{
    uint64_t last = 0;
    lotor_status status = lotor_store_each_campaign(engine->store, find_last, &last, why);
    if (status || !last) {
        return status;
    }
    lotor_campaign shell = {.id = last, .lock = PTHREAD_MUTEX_INITIALIZER};
    shell.turn.is_touched = true; /* it is only looked at */
    status = lotor_campaign_load(engine, &shell, why);
    free(shell.over);
    lotor_campaign_put_away(engine, &shell);
    return status;
}

/* Servers on one database have the same key, or they could not read what the others sealed. */
static lotor_status check_key(lotor_engine *engine, lotor_message *why)
{
    char mine[LOTOR_VAULT_NAME + 1], kept[64];
    lotor_vault_name(engine->vault, mine);
    lotor_status status = lotor_store_get_meta(engine->store, "key", why, kept, sizeof kept);
    if (!status && *kept && strcmp(kept, mine) != 0) {
        status = lotor_fail(LOTOR_INVALID, why,
                            "the store was made with another key: give every server on it the same "
                            "key file (--key-file)");
    }
    if (!status && !*kept) {
        status = try_key(engine, why);
        return status ? status : lotor_store_put_meta(engine->store, "key", mine, why);
    }
    return status;
}

/* Everything that starting changes is one commit. */
static lotor_status start(lotor_engine *engine, bool was_rolled_back, const lotor_head *store,
                          const lotor_head *head, lotor_message *why)
{
    recoverer recovery = {engine, NULL, was_rolled_back, why};
    lotor_status status = lotor_store_begin(engine->store, why);
    if (status) {
        return status;
    }
    status = count_start(engine, store, head, why);
    if (!status && engine->is_shared) {
        status = check_key(engine, why);
    }
    if (!status) {
        status = engine->is_shared
                     ? lotor_shared_poll(engine, why)
                     : lotor_store_each_campaign(engine->store, restore, &recovery, why);
    }
    if (!status && was_rolled_back) {
        status = accept(engine, store, head, why);
    }
    if (!status && !engine->is_shared) { /* else when a campaign is first locked */
        status = restore_rounds(&recovery);
    }
    if (status) {
        lotor_store_rollback(engine->store);
        return status;
    }
    return lotor_store_commit(engine->store, why);
}

lotor_status lotor_recover(lotor_engine *engine, bool accept_rollback, lotor_message *why)
{
    engine->turn.now = lotor_engine_now(engine);
    lotor_head store, head;
    bool is_behind = false;
    lotor_status status = read_rollbacks(engine, why);
    if (!status) {
        status = find_rollback(engine, why, &store, &head, &is_behind);
    }
    if (!status && is_behind && !accept_rollback) {
        status = refuse_rollback(engine, &store, &head, why);
    }
    if (!status) {
        status = start(engine, is_behind, &store, &head, why);
    }
    if (!status) {
        status = lotor_store_head(engine->store, why, &store);
    }
    if (!status) {
        store.starts = engine->starts;
        store.rollbacks = engine->rollback_count;
        status = lotor_head_write(engine->head_path, &store, why);
    }
    if (status == LOTOR_DAMAGED && is_behind) { /* that it is lost was accepted: a new one */
        unlink(engine->head_path);
        status = lotor_head_write(engine->head_path, &store, why);
    }
    return status;
}

/* --- a clean stop ------------------------------------------------------------------------------- */

static lotor_status give_back(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    pthread_mutex_lock(&campaign->lock);
    campaign->is_frozen = true; /* what is handed out from here on would not be known */
    pthread_mutex_unlock(&campaign->lock);
    lotor_status status = LOTOR_OK;
    for (size_t i = campaign->block_first; !status && i < campaign->block_end; i++) {
        const lotor_drawn *drawn = campaign->blocks[i];
        lotor_block row = {.first = drawn->first,
                           .count = drawn->count,
                           .handed = drawn->handed,
                           .deadline = drawn->handed ? drawn->expires[drawn->handed - 1] : 0,
                           .nonce = drawn->nonce};
        status = lotor_store_put_block(engine->store, campaign->id, &row, why);
    }
    return status;
}

/* Of a shared store the rest is taken back: another server will not hand it out. */
static lotor_status take_back(lotor_engine *engine, lotor_message *why)
{
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        pthread_mutex_lock(&campaign->lock);
        campaign->wants_void = campaign->is_frozen = true;
        campaign->is_low = false;
        pthread_mutex_unlock(&campaign->lock);
    }
    return lotor_engine_step(engine, why);
}

lotor_status lotor_give_back(lotor_engine *engine, lotor_message *why)
{
    if (engine->is_shared) {
        return take_back(engine, why);
    }
    lotor_status status = lotor_store_begin(engine->store, why);
    for (size_t i = 0; !status && i < engine->campaign_count; i++) {
        status = give_back(engine, engine->by_place[i], why);
    }
    if (!status) {
        return lotor_store_commit(engine->store, why);
    }
    lotor_store_rollback(engine->store);
    return status;
}
