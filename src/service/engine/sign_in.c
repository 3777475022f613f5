/* sign_in.c - the start of a server. It checks that the store belongs to this key and is not an
 * older copy, reads the list of accepted rollbacks, and adds the server's row. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/engine/inside.h"
#include "service/little.h"

enum { META_ROOM = 1 << 20 };

static lotor_status parse_rollbacks(lotor_engine *engine, const char *text, lotor_message *why)
{
    engine->rollbacks = *text ? json_loads(text, 0, NULL) : json_array();
    if (!json_is_array(engine->rollbacks)) {
        return lotor_fail(LOTOR_DAMAGED, why, "the list of accepted rollbacks can't be read");
    }
    size_t i;
    json_t *entry;
    json_array_foreach(engine->rollbacks, i, entry)
    {
        const json_int_t unlisted = json_integer_value(json_object_get(entry, "unlisted"));
        engine->rollback_count += 1 + (uint64_t)unlisted;
    }
    return LOTOR_OK;
}

static lotor_status read_rollbacks(lotor_engine *engine, lotor_message *why)
{
    char *text = malloc(META_ROOM);
    if (!text) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the list of accepted rollbacks");
    }
    lotor_status status = lotor_store_get_meta(engine->store, "rollbacks", why, text, META_ROOM);
    if (status == LOTOR_OK) {
        status = parse_rollbacks(engine, text, why);
    }
    free(text);
    return status;
}

lotor_status lotor_sign_in_rollback(lotor_engine *engine, json_t *entry, lotor_message *why)
{
    pthread_rwlock_wrlock(&engine->table_lock);
    const bool fine = entry && json_array_append_new(engine->rollbacks, entry) == 0;
    char *text = fine ? json_dumps(engine->rollbacks, JSON_COMPACT) : NULL;
    pthread_rwlock_unlock(&engine->table_lock);
    const lotor_status status =
        text && strlen(text) < META_ROOM
            ? lotor_store_put_meta(engine->store, "rollbacks", text, why)
            : lotor_fail((lotor_status)LOTOR_MEMORY, why, "no memory to note a rollback");
    free(text);
    if (status == LOTOR_OK) {
        engine->rollback_count++;
    } else if (fine) {
        pthread_rwlock_wrlock(&engine->table_lock);
        json_array_remove(engine->rollbacks, json_array_size(engine->rollbacks) - 1);
        pthread_rwlock_unlock(&engine->table_lock);
    }
    return status;
}

lotor_status lotor_sign_in_heads(lotor_engine *engine, lotor_message *why)
{
    lotor_head_record head = {.number = engine->starts};
    lotor_put_u64(head.hash, engine->rollback_count);
    return lotor_heads_put(engine->heads, &head, why);
}

/* Records that an older copy was accepted. The record names campaigns by their ids, because the
 * clock may have been set back, too. The copy may be older than an earlier accepted rollback, and
 * then does not list it. But the heads count all of them. */
static lotor_status accept_older_copy(lotor_engine *engine, lotor_message *why)
{
    char text[24], budgets[24];
    lotor_head_record head = {0};
    lotor_heads_get(engine->heads, 0, &head);
    const uint64_t count = lotor_get_u64(head.hash);
    const uint64_t lost = count > engine->rollback_count ? count - engine->rollback_count : 0;
    lotor_status status = lotor_store_get_meta(engine->store, "campaigns", why, text, sizeof text);
    if (status == LOTOR_OK) {
        status = lotor_store_get_meta(engine->store, "budgets", why, budgets, sizeof budgets);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    engine->rolled_back = strtoull(text, NULL, 10);
    json_t *entry =
        json_pack("{s:f, s:I, s:I, s:I}", "time", (double)engine->low / 1000, "last_campaign",
                  (json_int_t)engine->rolled_back, "last_budget",
                  (json_int_t)strtoull(budgets, NULL, 10), "unlisted", (json_int_t)lost);
    engine->rollback_count += lost;
    return lotor_sign_in_rollback(engine, entry, why);
}

static lotor_status has_releases(void *context, const lotor_lease *lease)
{
    *(bool *)context = *(bool *)context || lease->releases > 0;
    return LOTOR_OK;
}

/* True if the store lacks a campaign that the head file names: its creation is newer than the copy. Its id
 * is then above the last one of the store. A missing row below that is damage of one campaign.
 * `forgets`: the records of such campaigns are emptied, since other campaigns may get their ids. */
static lotor_status find_missing(lotor_engine *engine, bool forgets, lotor_message *why,
                                 bool *is_missing)
{
    char text[24];
    lotor_head_record head;
    lotor_status status = lotor_store_get_meta(engine->store, "campaigns", why, text, sizeof text);
    const uint64_t last = status == LOTOR_OK ? strtoull(text, NULL, 10) : 0;
    for (size_t i = 0; status == LOTOR_OK && lotor_heads_at(engine->heads, i, &head); i++) {
        const uint64_t id = head.campaign & ~LOTOR_HEADS_DELETED;
        if (head.campaign != LOTOR_HEADS_OLD && id > last && head.number > 0) {
            const lotor_head_record none = {.campaign = head.campaign};
            *is_missing = true;
            status = forgets ? lotor_heads_put(engine->heads, &none, why) : LOTOR_OK;
        }
    }
    return status;
}

/* Finds out whether an exclusive store is an older copy: it has fewer starts than the head file,
 * or the head file is lost. */
static lotor_status check_starts(lotor_engine *engine, bool heads_were_lost, lotor_message *why,
                                 bool *is_older)
{
    char text[24];
    lotor_head_record head;
    *is_older = false;
    lotor_status status = lotor_store_get_meta(engine->store, "starts", why, text, sizeof text);
    if (status != LOTOR_OK) {
        return status;
    }
    engine->starts = strtoull(text, NULL, 10);
    if (!lotor_store_is_exclusive(engine->store)) {
        /* other servers also count starts, so the releases of each campaign are compared instead */
    } else if (lotor_heads_get(engine->heads, 0, &head)) {
        *is_older = engine->starts < head.number;
        engine->starts = *is_older ? head.number : engine->starts;
    } else if (heads_were_lost) {
        status = lotor_store_each_lease(engine->store, has_releases, is_older, why);
    }
    if (status == LOTOR_OK) {
        status = find_missing(engine, false, why, is_older);
    }
    if (status == LOTOR_OK && *is_older && !engine->accept_rollback) {
        return lotor_fail(
            LOTOR_RELEASED, why,
            "the store is an older copy than this server has seen, or the head file next to the "
            "key is lost. Going on may release feedback twice. Restore the newest copy, or start "
            "with --accept-rollback, which the guarantees then show");
    }
    return status;
}

lotor_status lotor_sign_in_check_key(lotor_engine *engine, lotor_message *why, bool *is_new)
{
    char mine[LOTOR_SERVER_KEY_NAME + 1], kept[64];
    lotor_server_key_name(engine->server_key, mine);
    const lotor_status status = lotor_store_get_meta(engine->store, "key", why, kept, sizeof kept);
    if (status == LOTOR_OK && *kept && strcmp(kept, mine) != 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the store was made with another key: give all servers of this store the "
                          "same key file (--key-file)");
    }
    *is_new = !*kept;
    return status;
}

static lotor_status check_key(lotor_engine *engine, lotor_message *why)
{
    char mine[LOTOR_SERVER_KEY_NAME + 1];
    bool is_new = false;
    lotor_status status = lotor_sign_in_check_key(engine, why, &is_new);
    if (status == LOTOR_OK && is_new) { /* a wrong key must not become the store's key */
        status = lotor_legacy_try_key(engine, why);
    }
    lotor_server_key_name(engine->server_key, mine);
    return status == LOTOR_OK && is_new ? lotor_store_put_meta(engine->store, "key", mine, why)
                                        : status;
}

static lotor_status sign_in(lotor_engine *engine, bool is_older, lotor_message *why)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, engine->starts + 1);
    lotor_status status = lotor_store_begin(engine->store, why);
    if (status == LOTOR_OK) {
        status = lotor_store_put_meta(engine->store, "starts", text, why);
    }
    if (status == LOTOR_OK) {
        status = check_key(engine, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_legacy_check_head(engine, why, &is_older);
    }
    if (status == LOTOR_OK && is_older) {
        status = accept_older_copy(engine, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_store_add_server(engine->store, engine->server, LOTOR_LEASE_MS,
                                        lotor_version(), why);
    }
    if (status == LOTOR_OK && engine->accept_rollback) {
        status = lotor_audit_write(engine, NULL, "", "accept-rollback",
                                   "a server was started with --accept-rollback", why);
    }
    if (status != LOTOR_OK) {
        lotor_store_rollback(engine->store);
        return status;
    }
    engine->starts++;
    lotor_engine_new_stream(engine);
    return lotor_engine_commit(engine, why);
}

lotor_status lotor_sign_in(lotor_engine *engine, bool heads_were_lost, lotor_message *why)
{
    enum { TRIES = 3 };
    bool is_older = false;
    engine->connections = lotor_store_connections(engine->store);
    bool is_new = false;
    /* With a wrong key, the head file next to that key is wrong, too. The key is the cause. */
    lotor_status status = lotor_sign_in_check_key(engine, why, &is_new);
    if (status == LOTOR_OK) {
        status = read_rollbacks(engine, why);
    }
    if (status == LOTOR_OK) {
        status = check_starts(engine, heads_were_lost, why, &is_older);
    }
    if (status == LOTOR_OK) {
        status = lotor_register_read_clock(engine, why);
        lotor_register_clock(engine);
    }
    if (status == LOTOR_OK) {
        status = sign_in(engine, is_older, why);
    }
    /* the id is taken, for example on a cloned machine: try another one */
    for (int i = 1; status == LOTOR_DUPLICATE && i < TRIES; i++) {
        engine->server = lotor_engine_random_id();
        status = sign_in(engine, is_older, why);
    }
    if (status == LOTOR_OK && engine->accept_rollback) {
        status = find_missing(engine, true, why, &is_older);
    }
    if (status == LOTOR_OK) {
        status = lotor_sign_in_heads(engine, why);
    }
    if (status == LOTOR_OK) {
        engine->heads_are_behind = lotor_heads_write(engine->heads, NULL) != LOTOR_OK;
        status = lotor_adopt(engine, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_register_poll_first(engine, why);
        lotor_engine_new_stream(engine);
    }
    if (status == LOTOR_OK && engine->accept_rollback) {
        status = lotor_takeover_accept_erased(engine, why);
    }
    return status == LOTOR_OK ? lotor_takeover(engine, why) : status;
}
