/* campaign.c - makes and frees campaigns, and keeps their blocks and pools. See campaign.h. */
#include "service/engine/campaign.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "service/engine/stickies.h"

enum {
    SHOWN_MOST = 65536, /* arms drawn at once, since drawing long lists takes long */
    BLOCK_LEAST = 4,
    LIFE_LEAST_MS = 250,
    LIFE_MOST_MS = 10000
};

static lotor_status refuse_memory(lotor_message *why)
{
    return lotor_fail(LOTOR_MEMORY, why, "no memory for a campaign: try again");
}

lotor_status lotor_campaign_name_arms(lotor_campaign *campaign, const lotor_spec *spec,
                                      lotor_message *why)
{
    for (size_t i = 0; i < spec->arm_count; i++) {
        if (campaign->ids[i] && strcmp(campaign->ids[i], spec->arms[i].id) == 0) {
            continue;
        }
        char *id = strdup(spec->arms[i].id);
        if (!id) {
            return refuse_memory(why);
        }
        /* A name that is replaced here comes from a change that failed, so nobody has seen it. */
        pthread_mutex_lock(&campaign->lock);
        char *old = (char *)campaign->ids[i];
        campaign->ids[i] = id;
        pthread_mutex_unlock(&campaign->lock);
        free(old);
    }
    return LOTOR_OK;
}

/* Finds the parameters of local feedback. Decisions differ only in the slot. */
static lotor_status find_randomizer(lotor_campaign *campaign, const lotor_policy *policy,
                                    lotor_message *why)
{
    const size_t slots = campaign->spec->slots ? campaign->spec->slots : 1;
    uint32_t *arms = malloc(slots * sizeof *arms);
    if (!arms) {
        return refuse_memory(why);
    }
    for (size_t i = 0; i < slots; i++) {
        arms[i] = (uint32_t)i;
    }
    lotor_display display = {.arms = arms, .count = slots, .asked = arms, .asked_count = slots};
    campaign->is_local = lotor_policy_randomizer(policy, &display, &campaign->randomizer);
    const uint32_t value = LOTOR_RECORDS_VALUE;
    display.asked = &value;
    display.asked_count = 1;
    (void)lotor_policy_randomizer(policy, &display, &campaign->value_randomizer);
    free(arms);
    return LOTOR_OK;
}

/* Makes a temporary policy to learn what all policies of the campaign have in common. */
static lotor_status learn_common(lotor_campaign *campaign, const unsigned char *key,
                                 lotor_message *why)
{
    lotor_policy_params params;
    lotor_policy *policy;
    lotor_spec_params(campaign->spec, &params);
    lotor_status status = lotor_spec_policy(campaign->spec, why, &policy);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_policy_guarantee(policy, &campaign->promise);
    lotor_policy_estimator(policy, &campaign->estimator);
    campaign->is_evaluated = lotor_policy_value_estimator(policy, &campaign->value_estimator);
    campaign->is_control_fixed = campaign->spec->control_count > 0;
    status = find_randomizer(campaign, policy, why);
    lotor_policy_free(policy);
    if (status == LOTOR_OK) {
        status = lotor_intake_new(&params, campaign->id, key, why, &campaign->intake);
    }
    if (status == LOTOR_OK && campaign->is_evaluated) {
        lotor_intake_evaluate(campaign->intake);
    }
    if (status == LOTOR_OK && campaign->normalizes) {
        lotor_intake_normalize(campaign->intake, 1.0);
    }
    return status;
}

static void copy_spec_facts(lotor_campaign *campaign, const lotor_spec *spec)
{
    memcpy(campaign->name, spec->name, sizeof campaign->name);
    lotor_serving_find(spec->algorithm, &campaign->serving);
    campaign->arms = spec->capacity;
    campaign->together = SHOWN_MOST / (spec->slots ? spec->slots : 1);
    campaign->dimension = campaign->serving.is_linear ? spec->dimension : 0;
    campaign->wait = (uint64_t)(spec->wait_seconds * 1000 + 0.5);
    campaign->life = campaign->wait / 10;
    campaign->life = campaign->life < LIFE_MOST_MS ? campaign->life : LIFE_MOST_MS;
    campaign->life = campaign->life > LIFE_LEAST_MS ? campaign->life : LIFE_LEAST_MS;
    campaign->counts_users =
        spec->rounds_per_user > 0 || spec->budget[0] || spec->sticky_seconds > 0;
    campaign->sticky = 1000 * spec->sticky_seconds;
    campaign->is_direct = campaign->serving.is_linear || campaign->counts_users;
    campaign->is_early = spec->early_release;
    campaign->normalizes = spec->normalize;
    campaign->rounds_per_user = spec->rounds_per_user;
    campaign->max_open = spec->max_open;
    campaign->share = lotor_ratio_to_double(spec->share);
    memcpy(campaign->prior, spec->prior, sizeof campaign->prior);
    campaign->prior_releases = spec->prior_releases;
}

/* With early_release a block ends when all of it has feedback, so it must be known at once what was
 * shown. A decision that is repeated (sticky_seconds) is in the store. In the local model, a user who
 * is over the cap must not get an event: the device would send one report more (budgets.md). */
static void choose_blanks(lotor_campaign *campaign)
{
    const bool counts_when_drawn = campaign->sticky > 0 || campaign->is_local;
    campaign->takes_blanks = !campaign->is_early && !(campaign->counts_users && counts_when_drawn);
    campaign->counts_at_entry = campaign->counts_users && campaign->takes_blanks;
}

lotor_status lotor_campaign_new(uint64_t id, lotor_spec *spec, const unsigned char *key,
                                lotor_message *why, lotor_campaign **out)
{
    lotor_campaign *campaign = calloc(1, sizeof *campaign);
    if (!campaign || pthread_mutex_init(&campaign->lock, NULL) != 0) {
        free(campaign);
        lotor_spec_free(spec);
        return refuse_memory(why);
    }
    if (pthread_mutex_init(&campaign->chooser_lock, NULL) != 0) {
        pthread_mutex_destroy(&campaign->lock);
        free(campaign);
        lotor_spec_free(spec);
        return refuse_memory(why);
    }
    campaign->id = id;
    campaign->spec = spec;
    campaign->drawn.end = &campaign->drawn.first;
    campaign->blanks.end = &campaign->blanks.first;
    campaign->cycle.fresh_end = &campaign->cycle.fresh;
    campaign->drawn.size = campaign->blanks.size = BLOCK_LEAST;
    copy_spec_facts(campaign, spec);
    campaign->ids = calloc(campaign->arms, sizeof *campaign->ids);
    campaign->readings = calloc(campaign->arms, sizeof *campaign->readings);
    const bool has_weights = campaign->serving.is_linear && spec->dimension <= LOTOR_WEIGHTS_MAX;
    if (has_weights) {
        campaign->weights = calloc(2 * spec->dimension, sizeof *campaign->weights);
    }
    campaign->shown = calloc(campaign->arms, sizeof *campaign->shown);
    campaign->over = calloc(campaign->arms, sizeof *campaign->over);
    const bool has_room = campaign->ids && campaign->readings && campaign->shown &&
                          campaign->over && (campaign->weights || !has_weights);
    lotor_status status = has_room ? learn_common(campaign, key, why) : refuse_memory(why);
    choose_blanks(campaign);
    if (status == LOTOR_OK) {
        status = lotor_campaign_name_arms(campaign, spec, why);
    }
    if (status != LOTOR_OK) {
        lotor_campaign_free(campaign);
        return status;
    }
    *out = campaign;
    return LOTOR_OK;
}

/* The lists of a campaign that have an entry for each arm. */
typedef struct arm_lists {
    const char **ids;
    lotor_arm_sums *readings;
    uint64_t *shown, *over;
} arm_lists;

static void free_lists(arm_lists *lists)
{
    free(lists->ids);
    free(lists->readings);
    free(lists->shown);
    free(lists->over);
}

static bool make_lists(size_t arms, arm_lists *out)
{
    *out = (arm_lists){.ids = calloc(arms, sizeof *out->ids),
                       .readings = calloc(arms, sizeof *out->readings),
                       .shown = calloc(arms, sizeof *out->shown),
                       .over = calloc(arms, sizeof *out->over)};
    if (out->ids && out->readings && out->shown && out->over) {
        return true;
    }
    free_lists(out);
    return false;
}

/* Copies the lists of the campaign into longer ones, and exchanges them. */
static void exchange_lists(lotor_campaign *campaign, arm_lists *longer)
{
    const size_t arms = campaign->arms;
    const arm_lists old = {campaign->ids, campaign->readings, campaign->shown, campaign->over};
    assert(lotor_is_locked(&campaign->lock) && lotor_is_locked(&campaign->chooser_lock));
    memcpy(longer->ids, old.ids, arms * sizeof *old.ids);
    memcpy(longer->readings, old.readings, arms * sizeof *old.readings);
    memcpy(longer->shown, old.shown, arms * sizeof *old.shown);
    memcpy(longer->over, old.over, arms * sizeof *old.over);
    campaign->ids = longer->ids;
    campaign->readings = longer->readings;
    campaign->shown = longer->shown;
    campaign->over = longer->over;
    *longer = old;
}

lotor_status lotor_campaign_grow(lotor_campaign *campaign, size_t arms, lotor_message *why)
{
    assert(arms > campaign->arms && !campaign->policy && !campaign->chooser &&
           !campaign->cycle.over);
    arm_lists lists;
    if (!make_lists(arms, &lists)) {
        return refuse_memory(why);
    }
    for (lotor_want *want = campaign->wants; want; want = want->next) {
        if (!lotor_want_grow(want, arms)) {
            free_lists(&lists);
            return refuse_memory(why);
        }
    }
    pthread_mutex_lock(&campaign->chooser_lock);
    pthread_mutex_lock(&campaign->lock);
    exchange_lists(campaign, &lists);
    campaign->arms = arms;
    lotor_intake_grow(campaign->intake, arms);
    pthread_mutex_unlock(&campaign->lock);
    pthread_mutex_unlock(&campaign->chooser_lock);
    free_lists(&lists);
    return LOTOR_OK;
}

bool lotor_campaign_knows(const lotor_campaign *campaign, const lotor_block *block)
{
    bool knows = true;
    for (size_t place = 0; knows && place < block->count; place++) {
        lotor_display display;
        if (!lotor_block_is_known(block, place)) {
            continue;
        }
        lotor_block_kept(block, place, &display);
        for (size_t i = 0; knows && i < display.count; i++) {
            knows = display.arms[i] < campaign->spec->arm_count;
        }
    }
    return knows;
}

static bool grow_flags(bool **flags, size_t from, size_t to)
{
    bool *const longer = *flags ? realloc(*flags, to * sizeof **flags) : NULL;
    if (*flags && !longer) {
        return false;
    }
    if (longer) {
        memset(longer + from, 0, (to - from) * sizeof *longer);
        *flags = longer;
    }
    return true;
}

bool lotor_want_grow(lotor_want *want, size_t arms)
{
    for (size_t i = 0; want->asking && i < want->count; i++) {
        lotor_want_item *const item = &want->asking[i];
        if (item->arms >= arms) {
            continue;
        }
        if (!grow_flags(&item->eligible, item->arms, arms) ||
            !grow_flags(&item->may_show, item->arms, arms)) {
            return false;
        }
        item->arms = arms;
    }
    return true;
}

bool lotor_want_make_direct(lotor_want *want)
{
    want->asking = calloc(want->count, sizeof *want->asking);
    return want->asking != NULL;
}

void lotor_want_free(lotor_want *want)
{
    if (!want) {
        return;
    }
    for (size_t i = 0; want->asking && i < want->count; i++) {
        free(want->asking[i].eligible);
        free(want->asking[i].may_show);
        free(want->asking[i].context);
    }
    free(want->asking);
    free(want->counted);
    lotor_stickies_free(want);
    free(want->shown);
    lotor_block_free(want->eventless);
    free(want);
}

void lotor_cursors_clear(lotor_campaign *campaign)
{
    for (size_t i = 0; i < campaign->cursor_count; i++) {
        free(campaign->cursors[i].marks);
    }
    free(campaign->cursors);
    campaign->cursors = NULL;
    campaign->cursor_count = 0;
}

void lotor_owner_cycle_clear(lotor_campaign *campaign)
{
    lotor_owner_cycle *cycle = &campaign->cycle;
    for (lotor_block *next, *block = cycle->fresh; block; block = next) {
        next = block->next;
        lotor_block_free(block);
    }
    lotor_policy_free(cycle->copy);
    for (size_t i = 0; i < cycle->release_count; i++) {
        free((void *)cycle->releases[i].facts);
        free((void *)cycle->releases[i].stamp);
    }
    free(cycle->releases);
    lotor_bytes_free(cycle->state, cycle->state_length);
    free(cycle->over);
    *cycle = (lotor_owner_cycle){0};
    cycle->fresh_end = &cycle->fresh;
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        campaign->blocks[i]->is_entered = false;
    }
}

void lotor_campaign_free(lotor_campaign *campaign)
{
    if (!campaign) {
        return;
    }
    lotor_owner_cycle_clear(campaign);
    lotor_cursors_clear(campaign);
    for (lotor_want *next, *want = campaign->wants; want; want = next) {
        next = want->next;
        lotor_want_free(want);
    }
    for (size_t i = campaign->block_first; i < campaign->block_end; i++) {
        lotor_block_free(campaign->blocks[i]);
    }
    for (size_t i = 0; campaign->ids && i < campaign->arms; i++) {
        free((char *)campaign->ids[i]);
    }
    lotor_policy_free(campaign->policy);
    lotor_policy_free(campaign->chooser);
    lotor_fill_list_clear(&campaign->fills);
    lotor_fill_list_clear(&campaign->unrecorded);
    lotor_intake_free(campaign->intake);
    lotor_spec_free(campaign->spec);
    free(campaign->blocks);
    free(campaign->ids);
    free(campaign->readings);
    free(campaign->weights);
    free(campaign->shown);
    free(campaign->over);
    pthread_mutex_destroy(&campaign->lock);
    pthread_mutex_destroy(&campaign->chooser_lock);
    free(campaign);
}

void lotor_campaign_look(lotor_campaign *campaign, const lotor_policy *policy)
{
    /* Weights may take a while, so they are computed into the second half, without the lock. */
    const size_t dimension = campaign->dimension;
    lotor_estimate *fresh = campaign->weights ? campaign->weights + dimension : NULL;
    const bool has_weights = fresh && lotor_policy_weights(policy, fresh);
    pthread_mutex_lock(&campaign->lock);
    for (size_t i = 0; i < campaign->arms; i++) {
        lotor_policy_arm_sums(policy, &campaign->estimator, i, &campaign->readings[i]);
    }
    lotor_policy_value_sums(policy, &campaign->measured, &campaign->controlled);
    campaign->has_weights = has_weights;
    if (has_weights) {
        memcpy(campaign->weights, fresh, dimension * sizeof *fresh);
    }
    pthread_mutex_unlock(&campaign->lock);
}

void lotor_campaign_trouble(lotor_campaign *campaign, const char *text)
{
    pthread_mutex_lock(&campaign->lock);
    snprintf(campaign->trouble, sizeof campaign->trouble, "%s", text);
    pthread_mutex_unlock(&campaign->lock);
}

/* --- known blocks ----------------------------------------------------------------------------- */

bool lotor_campaign_reserve(lotor_campaign *campaign, size_t more)
{
    if (campaign->block_room - campaign->block_end >= more) {
        return true;
    }
    const size_t count = campaign->block_end - campaign->block_first;
    const size_t room = 2 * (count + more) + 4;
    lotor_block **blocks = malloc(room * sizeof(lotor_block *));
    if (!blocks) {
        return false;
    }
    if (count) {
        memcpy(blocks, campaign->blocks + campaign->block_first, count * sizeof(lotor_block *));
    }
    free(campaign->blocks);
    campaign->blocks = blocks;
    campaign->block_room = room;
    campaign->block_first = 0;
    campaign->block_end = count;
    return true;
}

/* The index of the first block that begins after the decision. */
static size_t place_after(const lotor_campaign *campaign, uint64_t decision)
{
    size_t low = campaign->block_first, high = campaign->block_end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (campaign->blocks[middle]->first <= decision) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

lotor_status lotor_campaign_add_block(lotor_campaign *campaign, lotor_block *block,
                                      lotor_message *why)
{
    if (!lotor_campaign_reserve(campaign, 1)) {
        lotor_block_free(block);
        return refuse_memory(why);
    }
    const size_t place = place_after(campaign, block->first);
    memmove(campaign->blocks + place + 1, campaign->blocks + place,
            (campaign->block_end - place) * sizeof(lotor_block *));
    campaign->blocks[place] = block;
    campaign->block_end++;
    return LOTOR_OK;
}

lotor_block *lotor_campaign_find_block(const lotor_campaign *campaign, uint64_t decision)
{
    const size_t place = place_after(campaign, decision);
    lotor_block *block = place > campaign->block_first ? campaign->blocks[place - 1] : NULL;
    return block && decision - block->first < block->count ? block : NULL;
}

void lotor_campaign_forget_others(lotor_campaign *campaign, uint64_t decision, uint64_t nonce)
{
    const lotor_block *block = lotor_campaign_find_block(campaign, decision);
    while (block && block->nonce != nonce) {
        lotor_campaign_drop_block(campaign, place_after(campaign, decision) - 1);
        block = lotor_campaign_find_block(campaign, decision);
    }
}

lotor_pool *lotor_campaign_pool(lotor_campaign *campaign, const lotor_block *block)
{
    return block->is_blank ? &campaign->blanks : &campaign->drawn;
}

/* Removes a block from its pool's list. The caller holds the lock. */
static void unlist(lotor_campaign *campaign, lotor_block *block)
{
    lotor_pool *pool = lotor_campaign_pool(campaign, block);
    lotor_block **at = &pool->first;
    while (*at && *at != block) {
        at = &(*at)->next;
    }
    if (*at) {
        *at = block->next;
        if (pool->end == &block->next) {
            pool->end = at;
        }
        pool->available -= block->count - block->handed;
    }
    block->next = NULL;
    block->is_pooled = false;
    block->is_stopped = true;
    block->is_reported = block->is_reported || block->is_blank; /* blanks need no handout */
}

void lotor_campaign_drop_block(lotor_campaign *campaign, size_t place)
{
    lotor_block *block = campaign->blocks[place];
    pthread_mutex_lock(&campaign->lock);
    if (block->is_pooled) {
        unlist(campaign, block);
    }
    pthread_mutex_unlock(&campaign->lock);
    if (place == campaign->block_first) {
        campaign->block_first++;
    } else {
        memmove(campaign->blocks + place, campaign->blocks + place + 1,
                (campaign->block_end - place - 1) * sizeof(lotor_block *));
        campaign->block_end--;
    }
    lotor_block_free(block);
}

void lotor_campaign_pool_put(lotor_campaign *campaign, lotor_block *block)
{
    lotor_pool *pool = lotor_campaign_pool(campaign, block);
    block->next = NULL;
    block->is_pooled = true;
    *pool->end = block;
    pool->end = &block->next;
    pool->available += block->count - block->handed;
}

void lotor_campaign_pool_stop(lotor_campaign *campaign)
{
    while (campaign->drawn.first) {
        unlist(campaign, campaign->drawn.first);
    }
    while (campaign->blanks.first) {
        unlist(campaign, campaign->blanks.first);
    }
    campaign->drawn.is_low = campaign->blanks.is_low = false;
}

void lotor_campaign_count_shown(uint64_t *shown, const lotor_block *block, size_t from, size_t to)
{
    for (size_t place = from; place < to; place++) {
        lotor_display display;
        if (!lotor_block_is_known(block, place)) {
            continue;
        }
        lotor_block_kept(block, place, &display);
        for (size_t i = 0; i < display.count; i++) {
            shown[display.arms[i]]++;
        }
    }
}

static void uncount_shown(uint64_t *shown, const lotor_block *block, size_t from, size_t to)
{
    for (size_t place = from; place < to; place++) {
        lotor_display display;
        lotor_block_kept(block, place, &display);
        for (size_t i = 0; i < display.count; i++) {
            shown[display.arms[i]]--;
        }
    }
}

/* Counts the filled-in decisions that are not counted yet. The caller holds the lock. Where users are
 * counted at the entry, displays are not public: the displays less the final rounds would tell how many
 * rounds were refused. */
static void count_filled(lotor_campaign *campaign, lotor_block *block)
{
    if (campaign->counts_at_entry) {
        return;
    }
    if (block->counted == 0) {
        lotor_campaign_count_shown(campaign->shown, block, 0, block->count);
        campaign->decisions += block->filled;
    }
    block->counted = block->filled;
}

bool lotor_campaign_fill(lotor_campaign *campaign, lotor_block *block, const lotor_fill *fill)
{
    const size_t place = (size_t)(fill->number - block->first);
    assert(block->is_blank && place < block->count);
    if (lotor_block_is_known(block, place)) {
        return true;
    }
    count_filled(campaign, block);
    const bool fits = lotor_block_fill(block, fill);
    if (fits && !campaign->counts_at_entry) {
        lotor_campaign_count_shown(campaign->shown, block, place, place + 1);
        campaign->decisions++;
        block->counted = block->filled;
    }
    return fits;
}

void lotor_campaign_uncount(lotor_campaign *campaign, lotor_block *block)
{
    for (size_t place = 0; block->counted > 0 && place < block->count; place++) {
        if (block->blanks[place].is_shown) {
            uncount_shown(campaign->shown, block, place, place + 1);
            campaign->decisions--;
        }
    }
    block->counted = 0;
}

void lotor_campaign_count_entered(lotor_campaign *campaign, const lotor_block *block)
{
    assert(block->is_blank);
    pthread_mutex_lock(&campaign->lock);
    for (size_t place = 0; campaign->counts_at_entry && place < block->count; place++) {
        if (block->blanks[place].is_recorded && !block->blanks[place].is_refused) {
            lotor_campaign_count_shown(campaign->shown, block, place, place + 1);
            campaign->decisions++;
        }
    }
    pthread_mutex_unlock(&campaign->lock);
}

void lotor_campaign_uncount_lost(lotor_campaign *campaign, lotor_block *block)
{
    assert(block->is_blank);
    pthread_mutex_lock(&campaign->lock);
    for (size_t place = 0; block->counted > 0 && place < block->count; place++) {
        if (block->blanks[place].is_shown && !block->blanks[place].is_recorded) {
            uncount_shown(campaign->shown, block, place, place + 1);
            campaign->decisions--;
        }
    }
    pthread_mutex_unlock(&campaign->lock);
}

void lotor_campaign_count(lotor_campaign *campaign, lotor_block *block, size_t shown)
{
    pthread_mutex_lock(&campaign->lock);
    if (block->is_blank) {
        count_filled(campaign, block);
    } else if (block->counted < shown) {
        lotor_campaign_count_shown(campaign->shown, block, block->counted, shown);
        campaign->decisions += shown - block->counted;
    } else {
        uncount_shown(campaign->shown, block, shown, block->counted);
        campaign->decisions -= block->counted - shown;
    }
    block->counted = block->is_blank ? block->counted : shown;
    pthread_mutex_unlock(&campaign->lock);
}
