/* table.c - campaigns by name and by id. Campaigns are added and never taken out. */
#include "service/engine/engine_parts.h"

#include <stdlib.h>
#include <string.h>

static size_t hash(const char *name)
{
    uint64_t value = 14695981039346656037u; /* FNV-1a: names are the admin's */
    for (; *name; name++) {
        value = (value ^ (unsigned char)*name) * 1099511628211u;
    }
    return (size_t)(value ^ value >> 32);
}

static void place(uint32_t *slots, size_t slot_count, const char *name, size_t at)
{
    size_t slot = hash(name) & (slot_count - 1);
    while (slots[slot]) {
        slot = (slot + 1) & (slot_count - 1);
    }
    slots[slot] = (uint32_t)(at + 1);
}

lotor_campaign *lotor_table_find(lotor_engine *engine, const char *name)
{
    lotor_campaign *found = NULL;
    pthread_rwlock_rdlock(&engine->table_lock);
    if (engine->slot_count) {
        size_t mask = engine->slot_count - 1;
        for (size_t slot = hash(name) & mask; engine->slots[slot]; slot = (slot + 1) & mask) {
            lotor_campaign *campaign = engine->by_place[engine->slots[slot] - 1];
            if (strcmp(campaign->name, name) == 0) {
                found = campaign;
                break;
            }
        }
    }
    pthread_rwlock_unlock(&engine->table_lock);
    return found;
}

lotor_campaign *lotor_table_find_id(lotor_engine *engine, uint64_t id)
{
    pthread_rwlock_rdlock(&engine->table_lock);
    size_t low = 0, high = engine->campaign_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (engine->by_place[middle]->id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    lotor_campaign *found = low < engine->campaign_count ? engine->by_place[low] : NULL;
    pthread_rwlock_unlock(&engine->table_lock);
    return found && found->id == id ? found : NULL;
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
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots) {
        return LOTOR_MEMORY;
    }
    for (size_t i = 0; i < engine->campaign_count; i++) {
        place(slots, count, engine->by_place[i]->name, i);
    }
    free(engine->slots);
    engine->slots = slots;
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
    if (!status) {
        status = more_slots(engine, wanted);
    }
    pthread_rwlock_unlock(&engine->table_lock);
    return status;
}

void lotor_table_add(lotor_engine *engine, lotor_campaign *campaign)
{
    pthread_rwlock_wrlock(&engine->table_lock);
    place(engine->slots, engine->slot_count, campaign->name, engine->campaign_count);
    engine->by_place[engine->campaign_count++] = campaign;
    pthread_rwlock_unlock(&engine->table_lock);
}

lotor_campaign *lotor_find_or_refuse(lotor_engine *engine, const char *name, lotor_refusal *refusal)
{
    lotor_campaign *campaign = lotor_table_find(engine, name);
    if (!campaign) {
        lotor_refuse(refusal, LOTOR_CODE_NO_SUCH_CAMPAIGN, "",
                     "there is no campaign of that name: see GET /v1/campaigns");
    }
    return campaign;
}
