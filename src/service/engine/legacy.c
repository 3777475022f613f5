/* legacy.c - adopts the campaigns of version 0.1 when a server starts: finds them, checks the key,
 * and checks the head file. adopt.c adopts one campaign.
 *
 * The store's migration (store/migrate.c) has no key. It leaves bytes as version 0.1 sealed them,
 * and leaves campaigns without their own key and without a seal over the specification.
 *
 * The head file of version 0.1 names a release of the single chain of that time. The migration
 * keeps the last hashes of that chain (meta legacy_release:NUMBER). After the adoption the head
 * file has a record for each campaign.
 */
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "service/engine/inside.h"
#include "service/little.h"

enum { META_ROOM = 128 };

static lotor_status refuse_memory(lotor_message *why)
{
    return lotor_fail(LOTOR_MEMORY, why, "no memory to adopt a campaign of version 0.1");
}

/* --- the campaigns to adopt ------------------------------------------------------------------- */

bool lotor_is_unadopted(const lotor_campaign_row *row)
{
    return sodium_is_zero(row->seal, LOTOR_STORE_HASH);
}

typedef struct id_list {
    uint64_t *ids;
    size_t count, room;
} id_list;

static lotor_status list_one(void *context, const lotor_campaign_row *row)
{
    id_list *list = context;
    if (!lotor_is_unadopted(row)) {
        return LOTOR_OK;
    }
    if (list->count == list->room) {
        const size_t room = 2 * list->room + 8;
        uint64_t *ids = realloc(list->ids, room * sizeof *ids);
        if (!ids) {
            return LOTOR_MEMORY;
        }
        list->ids = ids;
        list->room = room;
    }
    list->ids[list->count++] = row->id;
    return LOTOR_OK;
}

/* Lists the campaigns that are not adopted yet. The caller frees list->ids, even after a
 * failure. */
static lotor_status list_unadopted(lotor_engine *engine, lotor_message *why, id_list *list)
{
    *list = (id_list){0};
    const lotor_status status = lotor_store_each_campaign(engine->store, 0, list_one, list, why);
    return status == LOTOR_MEMORY ? refuse_memory(why) : status;
}

/* --- the key ---------------------------------------------------------------------------------- */

lotor_status lotor_legacy_open(void *context, lotor_legacy_use use, uint64_t number,
                               const unsigned char *sealed, size_t length, void *plain)
{
    const lotor_legacy_key *key = context;
    return lotor_server_key_unseal(key->server_key, (lotor_seal_use)use, key->campaign, number,
                                   sealed, length, plain);
}

typedef struct old_state {
    lotor_legacy_seal seal;
    uint64_t campaign, final;
    bool opens;
} old_state;

static lotor_status find_final(void *context, const lotor_lease *lease)
{
    old_state *at = context;
    at->final = lease->campaign == at->campaign ? lease->final : at->final;
    return LOTOR_OK;
}

static lotor_status try_state(void *context, const unsigned char *bytes, size_t length)
{
    old_state *at = context;
    const lotor_status status =
        lotor_legacy_seal_try(&at->seal, LOTOR_LEGACY_STATE, at->final, bytes, length);
    at->opens = status == LOTOR_OK;
    return status == LOTOR_DAMAGED ? LOTOR_OK : status;
}

static lotor_status try_campaign(lotor_engine *engine, uint64_t campaign, lotor_message *why,
                                 bool *opens)
{
    lotor_legacy_key key = {engine->server_key, campaign};
    old_state at = {.seal = {lotor_legacy_open, &key}, .campaign = campaign};
    uint64_t epoch;
    lotor_status status = lotor_store_each_lease(engine->store, find_final, &at, why);
    if (status == LOTOR_OK) {
        status = lotor_store_get_state(engine->store, campaign, try_state, &at, why, &epoch);
    }
    *opens = at.opens;
    return status == LOTOR_UNKNOWN ? LOTOR_OK : status;
}

/* One state that can be opened is enough, since others may be damaged. */
lotor_status lotor_legacy_try_key(lotor_engine *engine, lotor_message *why)
{
    id_list list;
    bool opens = false;
    lotor_status status = list_unadopted(engine, why, &list);
    for (size_t i = list.count; status == LOTOR_OK && !opens && i-- > 0;) {
        status = try_campaign(engine, list.ids[i], why, &opens);
    }
    if (status == LOTOR_OK && list.count > 0 && !opens) {
        status = lotor_fail(LOTOR_INVALID, why,
                            "the store was made with another key: give all servers of this store "
                            "the same key file (--key-file)");
    }
    free(list.ids);
    return status;
}

/* --- the head file ---------------------------------------------------------------------------- */

static bool get_old_head(const lotor_engine *engine, lotor_head_record *head)
{
    return lotor_heads_get(engine->heads, LOTOR_HEADS_OLD, head) && head->number > 0;
}

static lotor_status has_old_release(lotor_engine *engine, const lotor_head_record *head,
                                    lotor_message *why, bool *has)
{
    char name[48], found[META_ROOM], wanted[2 * LOTOR_STORE_HASH + 1];
    snprintf(name, sizeof name, "legacy_release:%" PRIu64, head->number);
    sodium_bin2hex(wanted, sizeof wanted, head->hash, sizeof head->hash);
    const lotor_status status = lotor_store_get_meta(engine->store, name, why, found, sizeof found);
    *has = status == LOTOR_OK && strcmp(found, wanted) == 0;
    return status;
}

/* meta legacy_rollback: the head that the store lacks and an operator has accepted. With this
 * value, a start after a crash does not ask or note it again. It also says that the store may
 * have too low counts of decisions that were handed out. */
static lotor_status accept_head(lotor_engine *engine, const lotor_head_record *head, bool *is_older,
                                lotor_message *why)
{
    char name[META_ROOM], accepted[META_ROOM], digits[2 * LOTOR_STORE_HASH + 1];
    sodium_bin2hex(digits, sizeof digits, head->hash, sizeof head->hash);
    snprintf(name, sizeof name, "%" PRIu64 " %s", head->number, digits);
    const lotor_status status =
        lotor_store_get_meta(engine->store, "legacy_rollback", why, accepted, sizeof accepted);
    if (status != LOTOR_OK || strcmp(name, accepted) == 0) {
        return status;
    }
    if (!engine->accept_rollback) {
        return lotor_fail(LOTOR_RELEASED, why,
                          "the store is an older copy: it lacks release %" PRIu64
                          ", which is in the head file. Going on may release feedback twice. "
                          "Restore the newest copy, or start with --accept-rollback, which the "
                          "guarantees then show",
                          head->number);
    }
    *is_older = true;
    return lotor_store_put_meta(engine->store, "legacy_rollback", name, why);
}

lotor_status lotor_legacy_check_head(lotor_engine *engine, lotor_message *why, bool *is_older)
{
    lotor_head_record head = {0};
    bool has = true;
    lotor_status status = LOTOR_OK;
    if (get_old_head(engine, &head)) {
        status = has_old_release(engine, &head, why, &has);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    return has && !*is_older ? LOTOR_OK : accept_head(engine, &head, is_older, why);
}

static lotor_status put_head(void *context, const lotor_lease *lease)
{
    lotor_heads *heads = context;
    lotor_head_record head;
    if (lease->releases == 0 || lotor_heads_get(heads, lease->campaign, &head)) {
        return LOTOR_OK;
    }
    head = (lotor_head_record){.campaign = lease->campaign, .number = lease->releases};
    memcpy(head.hash, lease->head, sizeof head.hash);
    return lotor_heads_put(heads, &head, NULL);
}

/* Replaces the old record by one for each campaign. The old record was checked at this start. */
static lotor_status replace_old_head(lotor_engine *engine, lotor_message *why)
{
    const lotor_head_record none = {.campaign = LOTOR_HEADS_OLD};
    lotor_status status = lotor_store_each_lease(engine->store, put_head, engine->heads, why);
    if (status == LOTOR_OK) {
        status = lotor_heads_put(engine->heads, &none, why);
    }
    if (status == LOTOR_OK) {
        engine->heads_are_behind = lotor_heads_write(engine->heads, NULL) != LOTOR_OK;
    }
    return status;
}

/* --- all campaigns ---------------------------------------------------------------------------- */

/* True for a failure that concerns one campaign only, and must not stop the others. */
static bool is_own_fault(lotor_status status)
{
    return status != LOTOR_OK && status != LOTOR_UNFINISHED && status != LOTOR_MEMORY &&
           status != LOTOR_ENTROPY;
}

static lotor_status adopt_or_leave(lotor_engine *engine, uint64_t campaign, bool was_rolled_back,
                                   lotor_message *why)
{
    lotor_campaign_copy *copy = NULL;
    lotor_status status =
        lotor_store_get_campaign(engine->store, campaign, lotor_campaign_copy_row, &copy, why);
    if (status == LOTOR_OK) {
        status = lotor_adopt_one(engine, &copy->row, was_rolled_back, why);
        status = is_own_fault(status) ? lotor_table_leave_out(engine, &copy->row, why) : status;
    }
    free(copy);
    return status == LOTOR_MEMORY ? refuse_memory(why) : status;
}

lotor_status lotor_adopt(lotor_engine *engine, lotor_message *why)
{
    id_list list;
    lotor_head_record head;
    char rollback[META_ROOM] = "";
    lotor_status status = list_unadopted(engine, why, &list);
    if (status == LOTOR_OK && list.count > 0) {
        status =
            lotor_store_get_meta(engine->store, "legacy_rollback", why, rollback, sizeof rollback);
    }
    for (size_t i = 0; status == LOTOR_OK && i < list.count; i++) {
        status = adopt_or_leave(engine, list.ids[i], *rollback != '\0', why);
    }
    const bool has_any = list.count > 0;
    free(list.ids);
    return status == LOTOR_OK && (has_any || get_old_head(engine, &head))
               ? replace_old_head(engine, why)
               : status;
}
