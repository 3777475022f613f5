/* campaign.c - one campaign in memory: what is public of it, its blocks, and its policy when needed. */
#include "service/engine/engine_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "service/little.h"

const lotor_spec *lotor_campaign_spec(const lotor_campaign *campaign)
{
    return campaign->turn.spec ? campaign->turn.spec : campaign->spec;
}

lotor_status lotor_campaign_name_arms(lotor_campaign *campaign, const lotor_spec *spec,
                                      lotor_message *why)
{
    for (size_t i = 0; i < spec->arm_count; i++) {
        if (campaign->ids[i] && strcmp(campaign->ids[i], spec->arms[i].id) == 0) {
            continue;
        }
        char *id = lotor_engine_text(spec->arms[i].id);
        if (!id) {
            return lotor_fail(LOTOR_MEMORY, why, "no memory for the arms' names: try again");
        }
        /* A name that is replaced comes from a change that failed: nobody has seen it. */
        pthread_mutex_lock(&campaign->lock);
        char *old = (char *)campaign->ids[i];
        campaign->ids[i] = id;
        pthread_mutex_unlock(&campaign->lock);
        free(old);
    }
    return LOTOR_OK;
}

/* What local answers need to know; it differs between decisions in its slot alone. */
static lotor_status find_randomizer(lotor_campaign *campaign, const lotor_policy *policy,
                                    lotor_message *why)
{
    size_t slots = campaign->spec->slots ? campaign->spec->slots : 1;
    uint32_t *arms = malloc(slots * sizeof *arms);
    if (!arms) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a campaign: try again");
    }
    for (size_t i = 0; i < slots; i++) {
        arms[i] = (uint32_t)i;
    }
    lotor_kept kept = {.arms = arms, .count = slots, .asked = arms, .asked_count = slots};
    campaign->is_local = lotor_policy_randomizer(policy, &kept, &campaign->randomizer);
    free(arms);
    return LOTOR_OK;
}

lotor_status lotor_campaign_new(lotor_spec *spec, const lotor_policy *policy, lotor_message *why,
                                lotor_campaign **out)
{
    lotor_campaign *campaign = calloc(1, sizeof *campaign);
    if (!campaign || pthread_mutex_init(&campaign->lock, NULL)) {
        free(campaign);
        lotor_spec_free(spec);
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a campaign: try again");
    }
    campaign->spec = spec;
    campaign->together = LOTOR_SHOWN_MOST / (spec->slots ? spec->slots : 1);
    memcpy(campaign->name, spec->name, sizeof campaign->name);
    lotor_serving_find(spec->algorithm, &campaign->serving);
    campaign->arms = spec->capacity;
    campaign->dimension = campaign->serving.is_linear ? spec->dimension : 0;
    campaign->wait = (uint64_t)(spec->wait_seconds * 1000 + 0.5);
    campaign->is_direct = campaign->serving.is_linear || spec->rounds_per_user > 0;
    campaign->hears_clicks = campaign->serving.hears_clicks || spec->clicks;
    campaign->is_early = spec->early_release;
    campaign->rounds_per_user = spec->rounds_per_user;
    campaign->low = spec->low;
    campaign->high = spec->high;
    campaign->width = lotor_policy_width(policy);
    campaign->pool_size = LOTOR_BLOCK_LEAST;
    campaign->turn.fresh_end = &campaign->turn.fresh;
    lotor_policy_guarantee(policy, &campaign->promise);
    lotor_policy_estimator(policy, &campaign->estimator);
    campaign->ids = calloc(campaign->arms, sizeof *campaign->ids);
    campaign->readings = calloc(campaign->arms, sizeof *campaign->readings);
    campaign->shown = calloc(campaign->arms, sizeof *campaign->shown);
    campaign->over = calloc(campaign->arms, sizeof *campaign->over);
    bool has_room = campaign->ids && campaign->readings && campaign->shown && campaign->over;
    lotor_status status = LOTOR_MEMORY;
    if (has_room) {
        status = find_randomizer(campaign, policy, why);
    } else {
        lotor_explain(why, "no memory for a campaign's arms: try again");
    }
    if (!status) {
        status = lotor_campaign_name_arms(campaign, spec, why);
    }
    if (status) {
        lotor_campaign_free(campaign);
        return status;
    }
    lotor_campaign_look(campaign, policy);
    *out = campaign;
    return LOTOR_OK;
}

void lotor_campaign_free(lotor_campaign *campaign)
{
    if (!campaign) {
        return;
    }
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        lotor_drawn_free(campaign->blocks[i]);
    }
    for (size_t i = 0; campaign->ids && i < campaign->arms; i++) {
        free((char *)campaign->ids[i]);
    }
    lotor_policy_free(campaign->policy);
    lotor_numbers_clear(&campaign->turn.answers);
    free(campaign->turn.answers.at);
    lotor_spec_free(campaign->turn.spec);
    lotor_spec_free(campaign->spec);
    free(campaign->blocks);
    free(campaign->ids);
    free(campaign->readings);
    free(campaign->shown);
    free(campaign->over);
    pthread_mutex_destroy(&campaign->lock);
    free(campaign);
}

/* Of a shared store: what other servers reserved counts as shown. Blocks may be known here of which it was
 * seen since that they are over. */
uint64_t lotor_campaign_shown(const lotor_campaign *campaign)
{
    if (!campaign->is_shared) {
        return campaign->handed;
    }
    const uint64_t final =
        campaign->final > campaign->final_seen ? campaign->final : campaign->final_seen;
    uint64_t shown = campaign->ended;
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        const lotor_drawn *drawn = campaign->blocks[i];
        const uint64_t end = drawn->first + drawn->handed; /* the first that was not */
        const uint64_t from = drawn->first > final ? drawn->first : final + 1;
        shown += end > from ? end - from : 0;
    }
    return shown;
}

void lotor_campaign_look(lotor_campaign *campaign, const lotor_policy *policy)
{
    pthread_mutex_lock(&campaign->lock);
    for (size_t i = 0; i < campaign->arms; i++) {
        lotor_policy_read(policy, &campaign->estimator, i, &campaign->readings[i]);
    }
    pthread_mutex_unlock(&campaign->lock);
}

lotor_status lotor_campaign_reserve(lotor_campaign *campaign, size_t more)
{
    if (campaign->block_room - campaign->block_end >= more) {
        return LOTOR_OK;
    }
    lotor_status status = LOTOR_OK;
    pthread_mutex_lock(&campaign->lock);
    size_t count = campaign->block_end - campaign->block_first;
    size_t room = 2 * (count + more) + 4;
    lotor_drawn **blocks = malloc(room * sizeof(lotor_drawn *));
    if (blocks) {
        if (count) {
            memcpy(blocks, campaign->blocks + campaign->block_first, count * sizeof(lotor_drawn *));
        }
        free(campaign->blocks);
        campaign->blocks = blocks;
        campaign->block_room = room;
        campaign->pool -= campaign->block_first;
        campaign->turn.front_block -= campaign->turn.is_touched ? campaign->block_first : 0;
        campaign->block_first = 0;
        campaign->block_end = count;
    } else {
        status = LOTOR_MEMORY;
    }
    pthread_mutex_unlock(&campaign->lock);
    return status;
}

void lotor_campaign_add_block(lotor_campaign *campaign, lotor_drawn *drawn)
{
    campaign->available += drawn->count - drawn->handed;
    campaign->blocks[campaign->block_end++] = drawn;
}

lotor_drawn *lotor_campaign_block(const lotor_campaign *campaign, uint64_t number)
{
    size_t low = campaign->block_first, high = campaign->block_end;
    while (low < high) { /* the last block that starts at or before the number */
        size_t middle = low + (high - low) / 2;
        if (campaign->blocks[middle]->first <= number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low-- > campaign->block_first) {
        lotor_drawn *drawn = campaign->blocks[low];
        if (drawn->count) {
            return number - drawn->first < drawn->count ? drawn : NULL;
        }
    }
    return NULL;
}

void lotor_campaign_put_away(lotor_engine *engine, lotor_campaign *campaign)
{
    if (campaign->policy) {
        lotor_policy_free(campaign->policy);
        campaign->policy = NULL;
        engine->policies--;
    }
}

typedef struct state_loader {
    lotor_engine *engine;
    lotor_campaign *campaign;
    uint64_t ended;
    lotor_message *why;
} state_loader;

/* How many rounds are over, how often each arm was shown in them, the policy. */
static lotor_status read_state(state_loader *loading, const unsigned char *plain, size_t length)
{
    lotor_campaign *campaign = loading->campaign;
    uint64_t arms = length >= LOTOR_STATE_HEAD ? lotor_get_u64(plain + 8) : UINT64_MAX;
    if (arms > LOTOR_ARMS_MOST || length < LOTOR_STATE_HEAD + 8 * arms ||
        (campaign->over && arms != campaign->arms)) {
        return lotor_fail(LOTOR_DAMAGED, loading->why, "a campaign's state is not what was saved");
    }
    if (!campaign->over && !(campaign->over = calloc(arms ? arms : 1, sizeof *campaign->over))) {
        return lotor_fail(LOTOR_MEMORY, loading->why, "no memory for a campaign's state");
    }
    loading->ended = lotor_get_u64(plain);
    for (size_t i = 0; i < arms; i++) {
        campaign->over[i] = lotor_get_u64(plain + LOTOR_STATE_HEAD + 8 * i);
    }
    campaign->arms = (size_t)arms;
    return lotor_policy_load(plain + LOTOR_STATE_HEAD + 8 * arms,
                             length - LOTOR_STATE_HEAD - 8 * arms, NULL, loading->why,
                             &campaign->policy);
}

static lotor_status open_state(void *context, const lotor_stored_campaign *row)
{
    state_loader *loading = context;
    if (row->state_length < LOTOR_SEAL_EXTRA + 8) {
        return lotor_fail(LOTOR_DAMAGED, loading->why, "campaign %s has no saved state", row->name);
    }
    size_t length = row->state_length - LOTOR_SEAL_EXTRA;
    unsigned char *plain = malloc(length);
    if (!plain) {
        return lotor_fail(LOTOR_MEMORY, loading->why, "no memory for a campaign's state");
    }
    lotor_status status = lotor_vault_open_sealed(loading->engine->vault, LOTOR_SEAL_STATE, row->id,
                                                  row->final, row->state, row->state_length, plain);
    if (status) {
        lotor_explain(
            loading->why,
            "the state of campaign %s can't be opened with this key: use the key file that "
            "was made with the store",
            row->name);
    } else {
        status = read_state(loading, plain, length);
    }
    lotor_wipe_free(plain, length);
    return status;
}

lotor_status lotor_campaign_load(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    if (engine->is_shared && !campaign->turn.is_touched) {
        lotor_status touched = lotor_turn_touch(engine, campaign, why);
        if (touched) {
            return touched;
        }
    }
    campaign->used_at = engine->turn.now;
    if (campaign->policy) {
        return LOTOR_OK;
    }
    if (engine->turn.now < campaign->broken_until) {
        return lotor_fail(LOTOR_UNFINISHED, why, "the campaign's state could not be loaded");
    }
    state_loader loading = {engine, campaign, 0, why};
    lotor_status status =
        lotor_store_get_state(engine->store, campaign->id, open_state, &loading, why);
    if (status || !campaign->policy) {
        campaign->broken_until = engine->turn.now + LOTOR_BROKEN_MS;
        if (!status) {
            status = lotor_fail(LOTOR_DAMAGED, why, "a campaign has no state");
        }
        return status;
    }
    pthread_mutex_lock(&campaign->lock);
    campaign->ended = loading.ended;
    pthread_mutex_unlock(&campaign->lock);
    campaign->turn.ended = loading.ended; /* of a shared store: others ended some */
    engine->policies++;
    return LOTOR_OK;
}
