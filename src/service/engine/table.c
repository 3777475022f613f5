/* table.c - finds campaigns by name and by id. A campaign that is removed is kept until the
 * engine is freed, since requests may still use it. */
#include "base/hash.h"
#include "service/engine/inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t hash_name(const char *name)
{
    const uint64_t value = lotor_hash_bytes(LOTOR_HASH_START, name, strlen(name));
    return (size_t)(value ^ value >> 32);
}

static size_t hash_id(uint64_t id)
{
    return (size_t)(id * 11400714819323198485u >> 32);
}

static void place(uint32_t *slots, size_t slot_count, size_t hash, size_t at)
{
    size_t slot = hash & (slot_count - 1);
    while (slots[slot]) {
        slot = (slot + 1) & (slot_count - 1);
    }
    slots[slot] = (uint32_t)(at + 1);
}

lotor_campaign *lotor_table_find(lotor_engine *engine, const char *name)
{
    lotor_campaign *found = NULL;
    pthread_rwlock_rdlock(&engine->table_lock);
    const size_t mask = engine->slot_count - 1;
    for (size_t slot = hash_name(name) & mask; engine->slot_count && engine->slots[slot];
         slot = (slot + 1) & mask) {
        lotor_campaign *campaign = engine->by_place[engine->slots[slot] - 1];
        if (strcmp(campaign->name, name) == 0) {
            found = campaign;
            break;
        }
    }
    pthread_rwlock_unlock(&engine->table_lock);
    return found;
}

lotor_campaign *lotor_table_find_id(lotor_engine *engine, uint64_t id)
{
    lotor_campaign *found = NULL;
    pthread_rwlock_rdlock(&engine->table_lock);
    const size_t mask = engine->slot_count - 1;
    for (size_t slot = hash_id(id) & mask; engine->slot_count && engine->id_slots[slot];
         slot = (slot + 1) & mask) {
        lotor_campaign *campaign = engine->by_place[engine->id_slots[slot] - 1];
        if (campaign->id == id) {
            found = campaign;
            break;
        }
    }
    pthread_rwlock_unlock(&engine->table_lock);
    return found;
}

static lotor_status more_slots(lotor_engine *engine, size_t wanted)
{
    size_t count = engine->slot_count ? engine->slot_count : 64;
    while (count < 2 * wanted) {
        count *= 2;
    }
    if (count == engine->slot_count) {
        return LOTOR_OK;
    }
    uint32_t *slots = calloc(count, sizeof *slots), *id_slots = calloc(count, sizeof *id_slots);
    if (!slots || !id_slots) {
        free(slots);
        free(id_slots);
        return LOTOR_MEMORY;
    }
    for (size_t i = 0; i < engine->campaign_count; i++) {
        place(slots, count, hash_name(engine->by_place[i]->name), i);
        place(id_slots, count, hash_id(engine->by_place[i]->id), i);
    }
    free(engine->slots);
    free(engine->id_slots);
    engine->slots = slots;
    engine->id_slots = id_slots;
    engine->slot_count = count;
    return LOTOR_OK;
}

lotor_status lotor_table_reserve(lotor_engine *engine, size_t more)
{
    lotor_status status = LOTOR_OK;
    pthread_rwlock_wrlock(&engine->table_lock);
    size_t wanted = engine->campaign_count + more;
    if (wanted > engine->campaign_room) {
        size_t room = 2 * wanted;
        lotor_campaign **places = realloc(engine->by_place, room * sizeof(lotor_campaign *));
        if (places) {
            engine->by_place = places;
            engine->campaign_room = room;
        } else {
            status = LOTOR_MEMORY;
        }
    }
    if (status == LOTOR_OK) {
        status = more_slots(engine, wanted);
    }
    pthread_rwlock_unlock(&engine->table_lock);
    return status;
}

void lotor_table_add(lotor_engine *engine, lotor_campaign *campaign)
{
    pthread_rwlock_wrlock(&engine->table_lock);
    assert(engine->campaign_count < engine->campaign_room);
    assert(engine->campaign_count < engine->slot_count / 2);
    place(engine->slots, engine->slot_count, hash_name(campaign->name), engine->campaign_count);
    place(engine->id_slots, engine->slot_count, hash_id(campaign->id), engine->campaign_count);
    engine->by_place[engine->campaign_count++] = campaign;
    pthread_rwlock_unlock(&engine->table_lock);
}

void lotor_table_remove(lotor_engine *engine, lotor_campaign *campaign)
{
    size_t at = 0;
    pthread_rwlock_wrlock(&engine->table_lock);
    while (engine->by_place[at] != campaign) {
        at++;
        assert(at < engine->campaign_count);
    }
    memmove(engine->by_place + at, engine->by_place + at + 1,
            (--engine->campaign_count - at) * sizeof(lotor_campaign *));
    memset(engine->slots, 0, engine->slot_count * sizeof *engine->slots);
    memset(engine->id_slots, 0, engine->slot_count * sizeof *engine->id_slots);
    for (size_t i = 0; i < engine->campaign_count; i++) {
        place(engine->slots, engine->slot_count, hash_name(engine->by_place[i]->name), i);
        place(engine->id_slots, engine->slot_count, hash_id(engine->by_place[i]->id), i);
    }
    campaign->next_retired = engine->retired;
    engine->retired = campaign;
    pthread_rwlock_unlock(&engine->table_lock);
}

/* Why the campaign of that name can't be read; NULL: there is no such campaign. The caller holds
 * table_lock. */
static const char *why_unreadable(const lotor_engine *engine, const char *name)
{
    for (size_t i = 0; i < engine->unreadable_count; i++) {
        if (strcmp(engine->unreadable[i].name, name) == 0) {
            return engine->unreadable[i].reason;
        }
    }
    return NULL;
}

bool lotor_table_is_left_out(lotor_engine *engine, uint64_t id)
{
    size_t i = 0;
    pthread_rwlock_rdlock(&engine->table_lock);
    while (i < engine->unreadable_count && engine->unreadable[i].id != id) {
        i++;
    }
    const bool is = i < engine->unreadable_count;
    pthread_rwlock_unlock(&engine->table_lock);
    return is;
}

lotor_campaign *lotor_table_find_or_refuse(lotor_engine *engine, const char *name,
                                           lotor_refusal *refusal)
{
    lotor_campaign *campaign = lotor_table_find(engine, name);
    if (!campaign) {
        pthread_rwlock_rdlock(&engine->table_lock);
        const char *reason = why_unreadable(engine, name);
        if (reason) {
            lotor_refuse(refusal, LOTOR_CODE_BROKEN, "", "this campaign can't be served: %s",
                         reason);
        } else {
            lotor_refuse(
                refusal, LOTOR_CODE_NO_SUCH_CAMPAIGN, "",
                "there is no campaign with that name: GET /v1/campaigns lists all campaigns");
        }
        pthread_rwlock_unlock(&engine->table_lock);
    }
    return campaign;
}
