/* expiry.c - rounds become final when their time is over, answered or not, in the order of display; a
 * final round enters its statistic, and what that releases goes into the chain. */
#include "service/engine/engine_parts.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "service/little.h"

/* How many decisions of the block from `at` on are over. */
static size_t count_over(lotor_campaign *campaign, const lotor_drawn *drawn, size_t at,
                         uint64_t limit)
{
    if (drawn->deadline) { /* shared: a block is over as a whole */
        return drawn->deadline < limit ? lotor_shared_count(campaign, drawn) - at : 0;
    }
    size_t end = at;
    pthread_mutex_lock(&campaign->lock);
    while (end < drawn->handed && (drawn->expires[end] < limit ||
                                   (campaign->is_early && drawn->used && drawn->used[end]))) {
        end++;
    }
    pthread_mutex_unlock(&campaign->lock);
    return end - at;
}

static lotor_status keep_fact(void *context, const lotor_released *released)
{
    lotor_turn *turn = context;
    int64_t fact[5] = {(int64_t)released->statistic, (int64_t)released->arm, 0,
                       (int64_t)released->count, (int64_t)released->time};
    memcpy(&fact[2], &released->value, sizeof fact[2]);
    return lotor_numbers_add(&turn->facts, fact, 5) ? LOTOR_OK : LOTOR_MEMORY;
}

/* One row of the chain: what this round released, as the policy told it. */
static lotor_status add_release(lotor_engine *engine, lotor_campaign *campaign, uint64_t number,
                                lotor_message *why)
{
    lotor_numbers *facts = &engine->turn.facts;
    size_t length = 8 * facts->count;
    unsigned char *bytes = malloc(length);
    if (!bytes) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a release");
    }
    for (size_t i = 0; i < facts->count; i++) {
        lotor_put_u64(bytes + 8 * i, (uint64_t)facts->at[i]);
    }
    lotor_release release = {.campaign = campaign->id, .time = number};
    crypto_generichash(release.digest, sizeof release.digest, bytes, length, NULL, 0);
    if (!campaign->serving.is_linear) { /* of a matrix the digest is enough */
        release.facts = bytes;
        release.facts_length = length;
    }
    lotor_status status = lotor_store_add_release(engine->store, &release, why);
    free(bytes);
    engine->turn.releases++;
    campaign->turn.releases++;
    return status;
}

static lotor_status enter(lotor_engine *engine, lotor_campaign *campaign, const lotor_drawn *drawn,
                          size_t place, lotor_message *why)
{
    lotor_kept kept;
    size_t used;
    lotor_drawn_kept(drawn, place, &kept);
    const int64_t *units = lotor_drawn_units(drawn, place, &used);
    engine->turn.facts.count = 0;
    lotor_status status = lotor_policy_enter(campaign->policy, &kept, units, used, why);
    if (!status && engine->turn.facts.count && !campaign->is_local) {
        status = add_release(engine, campaign, drawn->first + place, why);
    }
    return status;
}

static lotor_status enter_all(lotor_engine *engine, lotor_campaign *campaign,
                              const lotor_drawn *drawn, size_t count, lotor_message *why)
{
    lotor_campaign_turn *turn = &campaign->turn;
    turn->policy_changed = turn->has_entered = true;
    engine->turn.has_changed = true;
    engine->turn.entered += count;
    lotor_policy_on_release(campaign->policy, keep_fact, &engine->turn);
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = enter(engine, campaign, drawn, turn->front, why);
        turn->final = drawn->first + turn->front++;
        turn->ended++;
    }
    lotor_policy_on_release(campaign->policy, NULL, NULL);
    if (status) {
        campaign->broken_until = engine->turn.now + LOTOR_BROKEN_MS;
    }
    return status;
}

/* Of a shared store: the log is read, and what nobody was shown is taken back before rounds end, for it is
 * none. */
static lotor_status prepare_shared(lotor_engine *engine, lotor_campaign *campaign,
                                   lotor_message *why)
{
    lotor_status status = lotor_shared_read(engine, campaign, why);
    return !status && lotor_shared_wants_void(campaign, engine->turn.now)
               ? lotor_draw_void(engine, campaign, why)
               : status;
}

lotor_status lotor_expire(lotor_engine *engine, lotor_campaign *campaign, uint64_t limit,
                          lotor_message *why)
{
    if (campaign->block_first == campaign->block_end) {
        return LOTOR_OK;
    }
    lotor_campaign_turn *turn = &campaign->turn;
    for (;;) {
        size_t block = turn->is_touched ? turn->front_block : campaign->block_first;
        size_t at = turn->is_touched ? turn->front : campaign->front;
        if (block == campaign->block_end) {
            return LOTOR_OK;
        }
        const lotor_drawn *drawn = campaign->blocks[block];
        size_t over = count_over(campaign, drawn, at, limit);
        if (over == 0 && at < lotor_shared_count(campaign, drawn)) {
            return LOTOR_OK;
        }
        lotor_status status = lotor_campaign_load(engine, campaign, why);
        if (!status) {
            status = lotor_turn_touch(engine, campaign, why);
        }
        if (!status && engine->is_shared) {
            status = prepare_shared(engine, campaign, why);
            over = count_over(campaign, drawn, at, limit);
        }
        if (!status) {
            status = enter_all(engine, campaign, drawn, over, why);
        }
        if (status) {
            return status;
        }
        if (turn->front == lotor_shared_count(campaign, drawn)) {
            turn->front_block++;
            turn->front = 0;
        }
    }
}

uint64_t lotor_expiry_next(lotor_campaign *campaign)
{
    uint64_t due = UINT64_MAX;
    if (campaign->block_first == campaign->block_end) {
        return due;
    }
    pthread_mutex_lock(&campaign->lock);
    const lotor_drawn *drawn = campaign->blocks[campaign->block_first];
    if (campaign->front < drawn->handed) {
        due = drawn->expires[campaign->front];
    } else {
        campaign->wants_wake = true;
    }
    pthread_mutex_unlock(&campaign->lock);
    return due;
}
