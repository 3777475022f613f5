/* reconnect.c - checks the campaigns in memory after a new connection to the store.
 *
 * A failover may have lost commits since the last connection. The server doubts every campaign in
 * memory, compares it with the store, and takes it over again. */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/engine/budgets.h"
#include "service/engine/inside.h"

/* Gives up all campaigns, so that they are taken over again. */
void lotor_disown_all(lotor_engine *engine)
{
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        pthread_mutex_lock(&campaign->lock);
        lotor_campaign_pool_stop(campaign);
        pthread_mutex_unlock(&campaign->lock);
        campaign->has_reports = true;
        if (campaign->is_owner) {
            lotor_takeover_disown(engine, campaign);
        }
    }
    engine->poll_at = 0;
}

/* Removes a campaign that the store no longer has, or whose id belongs to another campaign now,
 * because a failover lost its creation. `is_same`: the failover lost its deletion, and its key was
 * wiped here. */
static void retire(lotor_engine *engine, lotor_campaign *campaign, bool is_same)
{
    const lotor_head_record none = {.campaign = campaign->id};
    const lotor_head_record gone = {.campaign = campaign->id | LOTOR_HEADS_DELETED};
    lotor_table_remove(engine, campaign);
    campaign->is_retired = true;
    lotor_campaign_fails(engine, campaign, LOTOR_UNKNOWN,
                         "it was lost when the database was restored to an older state");
    pthread_mutex_lock(&campaign->lock);
    lotor_campaign_pool_stop(campaign);
    pthread_mutex_unlock(&campaign->lock);
    if (!is_same) {
        lotor_heads_put(engine->heads, &gone, NULL);
        lotor_heads_put(engine->heads, &none, NULL); /* another campaign may get its id */
    }
}

typedef struct block_list {
    lotor_campaign *campaign;
    bool is_there[];
} block_list;

static lotor_status see_block(void *context, const lotor_block_row *row)
{
    block_list *list = context;
    const lotor_campaign *campaign = list->campaign;
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        const lotor_block *block = campaign->blocks[i];
        list->is_there[i] =
            list->is_there[i] || (block->first == row->first && block->nonce == row->nonce);
    }
    return LOTOR_OK;
}

/* Forgets blocks that a failover lost. The pool was stopped before. */
static lotor_status forget_lost_blocks(lotor_engine *engine, lotor_campaign *campaign,
                                       lotor_message *why)
{
    block_list *list = calloc(1, sizeof *list + campaign->block_end * sizeof *list->is_there);
    if (!list) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for drawn decisions");
    }
    list->campaign = campaign;
    const lotor_status status =
        lotor_store_each_block(engine->store, campaign->id, 0, 0, see_block, list, why);
    for (size_t i = campaign->block_end; status == LOTOR_OK && i-- > campaign->block_first;) {
        if (!list->is_there[i]) {
            lotor_campaign_drop_block(campaign, i);
        }
    }
    free(list);
    return status;
}

/* LOTOR_UNKNOWN: the campaign was retired. */
static lotor_status recognize(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    lotor_campaign_copy *copy = NULL;
    lotor_status status =
        lotor_store_get_campaign(engine->store, campaign->id, lotor_campaign_copy_row, &copy, why);
    const bool is_same = status == LOTOR_OK && copy->row.created == campaign->created &&
                         strcmp(copy->row.name, campaign->name) == 0;
    free(copy);
    if (status != LOTOR_OK && status != LOTOR_UNKNOWN) {
        return status;
    }
    if (!is_same) {
        retire(engine, campaign, false);
        return LOTOR_UNKNOWN;
    }
    /* The number of its changes may be the same, though a failover lost one of them. */
    status = lotor_manage_read(engine, campaign, why);
    if (status == LOTOR_UNKNOWN) { /* it is read again, with its key */
        retire(engine, campaign, true);
        return LOTOR_UNKNOWN;
    }
    if (status == LOTOR_DAMAGED) { /* only this campaign fails */
        lotor_campaign_fails(engine, campaign, status, why->text);
        status = LOTOR_OK;
    }
    if (status == LOTOR_OK) {
        status = forget_lost_blocks(engine, campaign, why);
    }
    if (status == LOTOR_OK && !lotor_blank_doubt(engine, campaign)) {
        status = lotor_fail((lotor_status)LOTOR_MEMORY, why, "no memory to record the shown arms");
    }
    campaign->is_doubtful = status != LOTOR_OK;
    return status;
}

/* Compares the campaigns in memory with the store. A failover may have lost commits between two
 * connections. All campaigns are taken over again. */
lotor_status lotor_reconnect_compare(lotor_engine *engine, lotor_message *why)
{
    for (size_t i = engine->campaign_count; i-- > 0;) {
        lotor_campaign *campaign = engine->by_place[i];
        if (campaign->is_doubtful) {
            const lotor_status status = recognize(engine, campaign, why);
            if (status != LOTOR_OK && status != LOTOR_UNKNOWN) {
                return status;
            }
        }
    }
    return LOTOR_OK;
}

void lotor_reconnect_doubt(lotor_engine *engine)
{
    engine->connections = lotor_store_connections(engine->store);
    lotor_engine_new_stream(engine);
    lotor_disown_all(engine);
    lotor_budgets_doubt(engine);
    for (size_t i = 0; i < engine->campaign_count; i++) {
        engine->by_place[i]->is_doubtful = true;
    }
}
