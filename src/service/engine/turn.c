/* turn.c - one turn of the writer, from its first change to the commit, and what comes after: all that
 * it did is published, or all is forgotten. */
#include "service/engine/engine_parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/message.h"
#include "service/little.h"

lotor_status lotor_turn_begin(lotor_engine *engine, lotor_message *why)
{
    if (engine->turn.has_begun) {
        return LOTOR_OK;
    }
    lotor_status status = lotor_store_begin(engine->store, why);
    engine->turn.has_begun = status == LOTOR_OK;
    return status;
}

static lotor_status touch(lotor_engine *engine, lotor_campaign *campaign, bool waits,
                          lotor_message *why, bool *got)
{
    lotor_campaign_turn *turn = &campaign->turn;
    *got = true;
    if (turn->is_touched) {
        return LOTOR_OK;
    }
    lotor_status status = lotor_turn_begin(engine, why);
    if (!status && engine->is_shared) {
        status = lotor_shared_lock(engine, campaign, waits, why, got);
    }
    if (status || !*got) {
        return status;
    }
    turn->is_touched = true;
    turn->next = engine->turn.touched;
    engine->turn.touched = campaign;
    turn->front_block = campaign->block_first;
    turn->front = campaign->front;
    turn->final = campaign->final;
    turn->ended = campaign->ended;
    turn->closed = campaign->closed;
    return LOTOR_OK;
}

lotor_status lotor_turn_touch(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    bool got;
    return touch(engine, campaign, true, why, &got);
}

lotor_status lotor_turn_try(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why,
                            bool *got)
{
    return touch(engine, campaign, false, why, got);
}

static lotor_status seal_and_put(lotor_engine *engine, lotor_campaign *campaign,
                                 const unsigned char *policy, size_t length, lotor_message *why)
{
    size_t arms = campaign->arms, whole = LOTOR_STATE_HEAD + 8 * arms + length;
    unsigned char *plain = malloc(whole), *sealed = malloc(whole + LOTOR_SEAL_EXTRA);
    uint64_t *over = malloc(arms * sizeof *over);
    lotor_status status;
    if (plain && sealed && over) {
        lotor_shown_over(campaign, over);
        lotor_put_u64(plain, campaign->turn.ended);
        lotor_put_u64(plain + 8, arms);
        for (size_t i = 0; i < arms; i++) {
            lotor_put_u64(plain + LOTOR_STATE_HEAD + 8 * i, over[i]);
        }
        memcpy(plain + LOTOR_STATE_HEAD + 8 * arms, policy, length);
        lotor_vault_seal(engine->vault, LOTOR_SEAL_STATE, campaign->id, campaign->turn.final, plain,
                         whole, sealed);
        status = lotor_store_put_state(engine->store, campaign->id, campaign->turn.final, sealed,
                                       whole + LOTOR_SEAL_EXTRA, why);
    } else {
        status = lotor_fail(LOTOR_MEMORY, why, "no memory to save a campaign's state");
    }
    lotor_wipe_free(plain, plain ? whole : 0);
    free(sealed);
    free(over);
    return status;
}

lotor_status lotor_turn_save(lotor_engine *engine, lotor_campaign *campaign,
                             const lotor_policy *policy, lotor_message *why)
{
    unsigned char *bytes;
    size_t length;
    lotor_status status = lotor_policy_save(policy, &bytes, &length);
    if (status) {
        return lotor_fail(status, why, "a campaign's state could not be saved: %s",
                          lotor_status_name(status));
    }
    status = seal_and_put(engine, campaign, bytes, length, why);
    lotor_bytes_free(bytes, length);
    return status;
}

static lotor_status add_block(lotor_engine *engine, lotor_campaign *campaign,
                              const lotor_drawn *drawn, lotor_message *why)
{
    bool is_handed = drawn->handed == drawn->count;
    lotor_block row = {.first = drawn->first,
                       .count = drawn->count,
                       .handed = is_handed ? drawn->count : UINT64_MAX,
                       .deadline = is_handed ? drawn->expires[drawn->count - 1] : 0,
                       .nonce = drawn->nonce};
    if (engine->is_shared) {
        row.deadline = drawn->deadline;
        row.owner = engine->server;
        row.until = drawn->until;
        row.changed = campaign->turn.version;
    }
    unsigned char *packed, *sealed = NULL;
    lotor_status status = lotor_drawn_pack(drawn, why, &packed, &row.drawn_length);
    if (status) {
        return status;
    }
    row.drawn = packed;
    if (drawn->dimension) {
        size_t length = drawn->count * drawn->dimension * sizeof(double);
        sealed = malloc(length + LOTOR_SEAL_EXTRA);
        if (sealed) {
            lotor_vault_seal(engine->vault, LOTOR_SEAL_ACTION, campaign->id, drawn->first,
                             drawn->action, length, sealed);
            row.action = sealed;
            row.action_length = length + LOTOR_SEAL_EXTRA;
        } else {
            status = lotor_fail(LOTOR_MEMORY, why, "no memory to keep a context");
        }
    }
    if (!status) {
        status = lotor_store_add_block(engine->store, campaign->id, &row, why);
    }
    free(packed);
    free(sealed);
    return status;
}

static lotor_status write_spec(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    json_t *json = lotor_spec_write(lotor_campaign_spec(campaign));
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    lotor_status status =
        text ? lotor_store_put_spec(engine->store, campaign->id, text, campaign->turn.closed, why)
             : lotor_fail((lotor_status)LOTOR_MEMORY, why, "no memory to keep a campaign");
    free(text);
    json_decref(json);
    return status;
}

/* What a turn changed in a campaign, into the store. Answers come before what makes them unneeded. */
static lotor_status write_campaign(lotor_engine *engine, lotor_campaign *campaign,
                                   lotor_message *why)
{
    lotor_campaign_turn *turn = &campaign->turn;
    size_t blocks = 0;
    lotor_status status = LOTOR_OK;
    for (lotor_drawn *drawn = turn->fresh; !status && drawn; drawn = drawn->next, blocks++) {
        status = add_block(engine, campaign, drawn, why);
    }
    if (!status && turn->answers.count) {
        status = lotor_record_write(engine, campaign, why);
    }
    if (!status && turn->policy_changed) {
        status = lotor_turn_save(engine, campaign, campaign->policy, why);
    }
    if (!status && turn->final != campaign->final) {
        status = lotor_store_forget(engine->store, campaign->id, turn->final, why);
    }
    if (!status && turn->spec_changed) {
        status = write_spec(engine, campaign, why);
    }
    if (!status && engine->is_shared) {
        status = lotor_shared_write(engine, campaign, why);
    }
    return status ? status : lotor_campaign_reserve(campaign, blocks); /* publishing can't fail */
}

static void count_commit(lotor_engine *engine, const struct timespec *from)
{
    struct timespec to;
    clock_gettime(CLOCK_MONOTONIC, &to);
    uint64_t micro =
        (uint64_t)((to.tv_sec - from->tv_sec) * 1000000 + (to.tv_nsec - from->tv_nsec) / 1000);
    size_t bucket = 0; /* 250 us, 500 us, 1 ms, ... */
    while (bucket < LOTOR_COMMIT_BUCKETS && micro > (uint64_t)250 << bucket) {
        bucket++;
    }
    atomic_fetch_add_explicit(&engine->counters.commit_buckets[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&engine->counters.commit_microseconds, micro, memory_order_relaxed);
    atomic_fetch_add_explicit(&engine->counters.commits, 1, memory_order_relaxed);
}

lotor_status lotor_turn_commit(lotor_engine *engine, lotor_message *why)
{
    size_t created = 0;
    lotor_status status = LOTOR_OK;
    for (lotor_campaign *campaign = engine->turn.touched; !status && campaign;
         campaign = campaign->turn.next) {
        status = write_campaign(engine, campaign, why);
    }
    for (lotor_campaign *campaign = engine->turn.created; campaign;
         campaign = campaign->turn.next) {
        created++;
    }
    if (!status && created && lotor_table_reserve(engine, created)) {
        status = lotor_fail(LOTOR_MEMORY, why, "no memory for another campaign");
    }
    if (!status) {
        struct timespec from;
        clock_gettime(CLOCK_MONOTONIC, &from);
        status = lotor_store_commit(engine->store, why);
        count_commit(engine, &from);
        engine->turn.has_begun = status != LOTOR_OK && engine->turn.has_begun;
    }
    return status;
}

/* Blocks whose decisions are all final, and those that were taken back. The caller has the lock. */
static lotor_drawn *drop_blocks(lotor_campaign *campaign)
{
    lotor_drawn *dropped = NULL;
    campaign->front = campaign->turn.front;
    while (campaign->block_first < campaign->block_end) {
        lotor_drawn *drawn = campaign->blocks[campaign->block_first];
        bool is_behind = campaign->block_first < campaign->turn.front_block;
        if (!is_behind && campaign->front < drawn->count) {
            break;
        }
        campaign->front = is_behind ? campaign->turn.front : 0;
        campaign->block_first++;
        drawn->next = dropped;
        dropped = drawn;
    }
    if (campaign->pool < campaign->block_first) {
        campaign->pool = campaign->block_first;
    }
    return dropped;
}

/* Answers that were entered are in their statistic; a block may stay for long after, since some of it
 * was not handed out. The caller has the lock. */
static void wipe_entered(lotor_campaign *campaign, const lotor_drawn *first, size_t front)
{
    if (campaign->block_first == campaign->block_end) {
        return;
    }
    lotor_drawn *drawn = campaign->blocks[campaign->block_first];
    size_t from = first && drawn == first ? front : 0;
    if (drawn->units && campaign->front > from) {
        lotor_wipe(drawn->units + from * drawn->width,
                   (campaign->front - from) * drawn->width * sizeof *drawn->units);
    }
}

/* What nobody was shown is no decision any more. */
static void cut_pool(lotor_campaign *campaign)
{
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        campaign->blocks[i]->count = campaign->blocks[i]->handed;
    }
    campaign->available = 0;
    campaign->is_low = false;
    campaign->is_frozen = false;
}

static void note_drawing(lotor_campaign *campaign, size_t size)
{
    campaign->pool_size = size;
    campaign->is_low = false;
    campaign->drawn_at = campaign->low_at;
    campaign->drawn_handed = campaign->low_handed;
}

static void publish(lotor_engine *engine, lotor_campaign *campaign)
{
    lotor_campaign_turn *turn = &campaign->turn;
    lotor_shown_over(campaign, campaign->over);
    if (engine->is_shared) {
        lotor_shared_publish(campaign);
    }
    pthread_mutex_lock(&campaign->lock);
    if (turn->is_void) {
        cut_pool(campaign);
    }
    for (lotor_drawn *drawn = turn->fresh; drawn; drawn = drawn->next) {
        if (drawn->handed) {
            campaign->handed += drawn->handed;
            lotor_shown_add(campaign->shown, drawn, 0, drawn->handed);
            uint64_t expires = drawn->expires[drawn->handed - 1];
            campaign->last_expires =
                expires > campaign->last_expires ? expires : campaign->last_expires;
        } else {
            note_drawing(campaign, drawn->count);
        }
        lotor_campaign_add_block(campaign, drawn);
    }
    const lotor_drawn *first = campaign->block_first < campaign->block_end
                                   ? campaign->blocks[campaign->block_first]
                                   : NULL;
    size_t front = campaign->front;
    lotor_drawn *dropped = drop_blocks(campaign);
    wipe_entered(campaign, first, front);
    campaign->final = turn->final;
    campaign->ended = turn->ended;
    campaign->releases += turn->releases;
    campaign->closed = turn->closed;
    lotor_spec *old = turn->spec ? campaign->spec : NULL;
    if (turn->spec) {
        campaign->spec = turn->spec;
        turn->spec = NULL;
    }
    pthread_mutex_unlock(&campaign->lock);
    lotor_spec_free(old);
    while (dropped) {
        lotor_drawn *next = dropped->next;
        lotor_drawn_free(dropped);
        dropped = next;
    }
    if (turn->has_entered) {
        lotor_campaign_look(campaign, campaign->policy);
    }
    turn->fresh = NULL;
}

static void end_campaign(lotor_campaign *campaign)
{
    lotor_numbers answers = campaign->turn.answers;
    lotor_numbers_clear(&answers);
    campaign->turn = (lotor_campaign_turn){.answers = answers};
    campaign->turn.fresh_end = &campaign->turn.fresh;
}

static void end_turn(lotor_engine *engine)
{
    lotor_numbers facts = engine->turn.facts;
    uint64_t now = engine->turn.now;
    engine->turn = (lotor_turn){.facts = facts, .now = now};
}

static void add_up(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

void lotor_turn_publish(lotor_engine *engine)
{
    lotor_turn *turn = &engine->turn;
    for (lotor_campaign *next, *campaign = turn->touched; campaign; campaign = next) {
        next = campaign->turn.next;
        publish(engine, campaign);
        end_campaign(campaign);
    }
    for (lotor_campaign *next, *campaign = turn->created; campaign; campaign = next) {
        next = campaign->turn.next;
        end_campaign(campaign);
        if (engine
                ->is_shared) { /* it comes into the table as those of other servers do, in order */
            lotor_campaign_free(campaign);
        } else {
            lotor_table_add(engine, campaign);
        }
    }
    add_up(&engine->counters.answers, turn->answers);
    add_up(&engine->counters.rounds, turn->entered);
    add_up(&engine->counters.releases, turn->releases);
    add_up(&engine->counters.decisions, turn->decisions);
    end_turn(engine);
}

/* Answers that were taken in this turn are as if they had not come. */
static void forget_answers(lotor_campaign *campaign)
{
    const lotor_numbers *answers = &campaign->turn.answers;
    for (size_t i = 0; i < answers->count; i += 2 + (size_t)answers->at[i + 1]) {
        uint64_t number = (uint64_t)answers->at[i];
        lotor_drawn *drawn = lotor_campaign_block(campaign, number);
        size_t place = (size_t)(number - drawn->first);
        drawn->used[place] = 0;
        lotor_wipe(drawn->units + place * drawn->width, drawn->width * sizeof *drawn->units);
    }
}

static void forget(lotor_engine *engine, lotor_campaign *campaign)
{
    lotor_campaign_turn *turn = &campaign->turn;
    if (engine->is_shared) {
        lotor_shared_forget(campaign);
    } else {
        forget_answers(campaign);
    }
    for (lotor_drawn *next, *drawn = turn->fresh; drawn; drawn = next) {
        next = drawn->next;
        lotor_drawn_free(drawn);
    }
    if (turn->is_void && !engine->is_shared) {
        pthread_mutex_lock(&campaign->lock);
        campaign->is_frozen = false;
        pthread_mutex_unlock(&campaign->lock);
    }
    lotor_spec_free(turn->spec);
    turn->spec = NULL;
    if (turn->policy_changed) { /* the store has it as it was */
        lotor_campaign_put_away(engine, campaign);
    }
    end_campaign(campaign);
}

void lotor_turn_forget(lotor_engine *engine)
{
    if (engine->turn.has_begun) {
        lotor_store_rollback(engine->store);
    }
    for (lotor_campaign *next, *campaign = engine->turn.touched; campaign; campaign = next) {
        next = campaign->turn.next;
        forget(engine, campaign);
    }
    for (lotor_campaign *next, *campaign = engine->turn.created; campaign; campaign = next) {
        next = campaign->turn.next;
        lotor_campaign_free(campaign);
    }
    end_turn(engine);
}
