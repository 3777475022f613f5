/* draw.c - the writer draws: ahead for the pool, or for one request that can't be served from it. */
#include "service/engine/engine_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* Which arms may be shown: named, not paused, and eligible. */
static lotor_status make_mask(const lotor_campaign *campaign, const bool *eligible,
                              lotor_message *why, bool **out)
{
    const lotor_spec *spec = lotor_campaign_spec(campaign);
    bool *mask = calloc(campaign->arms, sizeof *mask);
    if (!mask) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory to draw");
    }
    for (size_t i = 0; i < spec->arm_count; i++) {
        mask[i] = !spec->arms[i].paused && (!eligible || eligible[i]);
    }
    *out = mask;
    return LOTOR_OK;
}

static size_t slot_of(const lotor_campaign *campaign, const lotor_decision *decision)
{
    lotor_kept kept = {.arms = decision->arms,
                       .count = decision->count,
                       .asked = decision->asked,
                       .asked_count = decision->asked_count};
    lotor_randomizer randomizer;
    return campaign->is_local && lotor_policy_randomizer(campaign->policy, &kept, &randomizer)
               ? randomizer.slot
               : 0;
}

static lotor_status keep_decision(lotor_campaign *campaign, lotor_drawn *drawn,
                                  const lotor_decision *decision, const double *context,
                                  lotor_message *why)
{
    if (drawn->count == 0) {
        drawn->first = decision->event;
        drawn->nonce = lotor_random_word();
    }
    const double *action = context ? context + decision->arms[0] * campaign->dimension : NULL;
    return lotor_drawn_add(drawn, decision, slot_of(campaign, decision), action, why);
}

static void add_fresh(lotor_campaign *campaign, lotor_drawn *drawn)
{
    *campaign->turn.fresh_end = drawn;
    campaign->turn.fresh_end = &drawn->next;
}

/* --- ahead ------------------------------------------------------------------------------------- */

/* About what is handed out in 100 ms, as seen between the last two times that more was wanted. What a
 * crash leaves unshown counts as default answers, so a short burst must not make a large block. */
static size_t block_size(lotor_campaign *campaign)
{
    pthread_mutex_lock(&campaign->lock);
    uint64_t time = campaign->low_at - campaign->drawn_at;
    uint64_t handed = campaign->low_handed - campaign->drawn_handed;
    uint64_t most = 4 * (uint64_t)campaign->pool_size;
    pthread_mutex_unlock(&campaign->lock);
    uint64_t size = handed * LOTOR_AHEAD_MS / (time ? time : 1);
    size = size < most ? size : most;
    size = size < LOTOR_BLOCK_MOST ? size : LOTOR_BLOCK_MOST;
    size = size < campaign->together ? size : campaign->together;
    return size > LOTOR_BLOCK_LEAST ? (size_t)size : LOTOR_BLOCK_LEAST;
}

static lotor_status draw_many(lotor_campaign *campaign, lotor_drawn *drawn, const bool *mask,
                              lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    while (!status && drawn->count < drawn->room) {
        lotor_decision decision;
        status = lotor_policy_draw(campaign->policy, NULL, mask, why, &decision);
        if (status == LOTOR_INVALID) { /* too few arms: those who ask are told */
            return LOTOR_OK;
        }
        if (!status && decision.event == 0) { /* the horizon */
            return LOTOR_OK;
        }
        if (!status) {
            status = keep_decision(campaign, drawn, &decision, NULL, why);
        }
    }
    return status;
}

static void want_no_more(lotor_campaign *campaign)
{
    pthread_mutex_lock(&campaign->lock);
    campaign->is_low = false;
    pthread_mutex_unlock(&campaign->lock);
}

lotor_status lotor_draw_ahead(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    if (campaign->turn.is_void || (campaign->turn.is_touched && campaign->turn.closed)) {
        want_no_more(campaign);
        return LOTOR_OK;
    }
    lotor_status status = lotor_campaign_load(engine, campaign, why);
    if (!status) {
        status = lotor_turn_touch(engine, campaign, why);
    }
    bool *mask = NULL;
    if (!status) {
        status = make_mask(campaign, NULL, why, &mask);
    }
    lotor_drawn *drawn = status ? NULL : lotor_drawn_new(block_size(campaign), 0);
    if (!status && !drawn) {
        status = lotor_fail(LOTOR_MEMORY, why, "no memory to draw ahead");
    }
    if (drawn) {
        campaign->turn.policy_changed = true;
        status = draw_many(campaign, drawn, mask, why);
    }
    free(mask);
    if (status || !drawn || drawn->count == 0) {
        lotor_drawn_free(drawn);
        want_no_more(campaign);
        return status;
    }
    engine->turn.has_changed = true;
    if (engine->is_shared) {
        lotor_shared_stamp(engine, campaign, drawn);
    }
    add_fresh(campaign, drawn);
    return LOTOR_OK;
}

/* --- taking back -------------------------------------------------------------------------------- */

lotor_status lotor_draw_void(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    if (campaign->turn.is_void) {
        return LOTOR_OK;
    }
    bool is_shared =
        engine->is_shared; /* then blocks behind the pool may have a rest that is too old */
    pthread_mutex_lock(&campaign->lock);
    bool has_rest = campaign->available > 0;
    for (size_t i = campaign->block_first; is_shared && i < campaign->block_end; i++) {
        has_rest = has_rest || campaign->blocks[i]->handed < campaign->blocks[i]->count;
    }
    campaign->is_frozen = campaign->is_frozen || has_rest;
    pthread_mutex_unlock(&campaign->lock);
    if (!has_rest) {
        return LOTOR_OK;
    }
    campaign->turn.is_void = true; /* the pool stands still until the turn is over */
    campaign->turn.policy_changed = true;
    engine->turn.has_changed = true;
    lotor_status status = LOTOR_OK;
    size_t from = is_shared ? campaign->turn.front_block : campaign->pool;
    for (size_t i = from; !status && i < campaign->block_end; i++) {
        const lotor_drawn *drawn = campaign->blocks[i];
        for (size_t place = drawn->handed; place < drawn->count; place++) {
            lotor_kept kept;
            lotor_drawn_kept(drawn, place, &kept);
            lotor_policy_void(campaign->policy, kept.asked, kept.asked_count);
        }
        lotor_block row = {.first = drawn->first, .count = drawn->handed, .handed = UINT64_MAX};
        if (is_shared) {
            row.deadline = drawn->deadline;
            row.changed = campaign->turn.version;
        }
        if (drawn->handed < drawn->count) {
            status = lotor_store_put_block(engine->store, campaign->id, &row, why);
        }
    }
    return status;
}

/* --- for one request ---------------------------------------------------------------------------- */

typedef struct draw_request {
    lotor_engine *engine;
    lotor_campaign *campaign;
    lotor_job *job;
    lotor_work *work;
    lotor_drawn *drawn;
    size_t served; /* of its rankings, from the pool */
} draw_request;

/* What the caller did wrong is a refusal; the rest is ours. */
static lotor_status refuse_or_fail(draw_request *request, lotor_status status, lotor_message *why)
{
    if (status == LOTOR_INVALID) {
        lotor_refuse(&request->job->refusal, LOTOR_CODE_TOO_FEW_ARMS, "eligible", "%s", why->text);
        return LOTOR_OK;
    }
    if (status == LOTOR_RANGE) {
        lotor_refuse(&request->job->refusal, LOTOR_CODE_BAD_VALUE, "context", "%s", why->text);
        return LOTOR_OK;
    }
    return status;
}

static bool is_refused(const draw_request *request)
{
    return request->job->refusal.code != LOTOR_CODE_NONE;
}

static lotor_status look(draw_request *request, size_t i, bool *mask, lotor_message *why,
                         lotor_decision *out)
{
    lotor_status status = lotor_policy_look(request->campaign->policy,
                                            request->work->asking[i].context, mask, why, out);
    return refuse_or_fail(request, status, why);
}

static lotor_status show(draw_request *request, size_t i, const lotor_decision *decision,
                         uint64_t expires, lotor_message *why)
{
    lotor_campaign *campaign = request->campaign;
    lotor_ranking *ranking = &request->work->rankings[i];
    ranking->takes_feedback = decision->event != 0;
    ranking->expires = expires;
    ranking->event[0] = '\0';
    if (!lotor_ranking_show(campaign, ranking, decision->arms, decision->count)) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for an answer");
    }
    if (campaign->is_local) {
        ranking->randomizer = campaign->randomizer;
        ranking->randomizer.slot = slot_of(campaign, decision);
    }
    if (decision->event) {
        lotor_event event = {campaign->id, decision->event, expires, request->drawn->nonce};
        lotor_vault_token(request->engine->vault, &event, ranking->event);
    }
    return LOTOR_OK;
}

/* Whether this user's feedback is still wanted. */
static lotor_status count_user(draw_request *request, size_t i, lotor_message *why, bool *counted)
{
    uint64_t cap = request->campaign->spec->rounds_per_user;
    *counted = true;
    return cap ? lotor_store_count_user(request->engine->store, request->campaign->id,
                                        request->work->asking[i].user, cap, why, counted)
               : LOTOR_OK;
}

static lotor_status draw_one(draw_request *request, size_t i, bool *mask, lotor_message *why)
{
    lotor_campaign *campaign = request->campaign;
    const double *context = request->work->asking[i].context;
    lotor_decision decision;
    bool counted;
    lotor_status status = count_user(request, i, why, &counted);
    if (status) {
        return status;
    }
    campaign->turn.policy_changed = true;
    status = counted ? lotor_policy_draw(campaign->policy, context, mask, why, &decision)
                     : lotor_policy_look(campaign->policy, context, mask, why, &decision);
    if (status) {
        return status;
    }
    uint64_t expires = request->work->arrival + campaign->wait;
    if (!request->engine->is_shared && expires < campaign->turn.last_expires) {
        expires = campaign->turn.last_expires;
    }
    if (decision.event) {
        campaign->turn.last_expires = expires;
        request->engine->turn.has_changed = true;
        request->engine->turn.decisions++;
        status = keep_decision(campaign, request->drawn, &decision, context, why);
        if (!status) {
            request->drawn->expires[request->drawn->handed++] = expires;
        }
    }
    return status ? status : show(request, i, &decision, expires, why);
}

/* All are looked at first, so that a refusal leaves nothing behind. */
static lotor_status draw_all(draw_request *request, lotor_message *why)
{
    lotor_work *work = request->work;
    lotor_status status = LOTOR_OK;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = request->served; !status && !is_refused(request) && i < work->count; i++) {
            bool *mask = NULL;
            lotor_decision decision;
            status = make_mask(request->campaign, work->asking[i].eligible, why, &mask);
            if (!status) {
                status =
                    pass ? draw_one(request, i, mask, why) : look(request, i, mask, why, &decision);
            }
            free(mask);
        }
    }
    return status;
}

/* What the pool has left; the rest is drawn. */
static size_t serve_from_pool(lotor_engine *engine, lotor_work *work)
{
    lotor_campaign *campaign = work->campaign;
    pthread_mutex_lock(&campaign->lock);
    size_t count = campaign->available < work->count ? campaign->available : work->count;
    bool took = (count || !engine->is_shared) &&
                lotor_pool_take(engine, campaign, work->arrival, work->rankings, count);
    pthread_mutex_unlock(&campaign->lock);
    for (size_t i = 0; took && i < count; i++) {
        lotor_ranking_sign(engine, &work->rankings[i]);
    }
    return took ? count : 0;
}

/* Somebody asked and the pool was empty: it is to be filled, with what was over when they asked. */
static void want_more(lotor_engine *engine, lotor_campaign *campaign, uint64_t now, size_t count)
{
    /* What is drawn ahead in a shared store is taken back soon: not for one request now and then. */
    bool is_rare = engine->is_shared && now - campaign->asked_at > LOTOR_LIFE_MS / 2;
    campaign->asked_at = now;
    pthread_mutex_lock(&campaign->lock);
    if (!is_rare) {
        campaign->is_low = true;
        campaign->low_at = now;
        campaign->low_handed = campaign->handed + count;
    }
    pthread_mutex_unlock(&campaign->lock);
}

static lotor_status prepare(draw_request *request, lotor_message *why)
{
    lotor_campaign *campaign = request->campaign;
    lotor_status status = lotor_campaign_load(request->engine, campaign, why);
    if (status) {
        lotor_refuse(&request->job->refusal, LOTOR_CODE_STORE, "",
                     "the campaign's state can't be read at the moment: try again");
        return LOTOR_OK;
    }
    status = lotor_turn_touch(request->engine, campaign, why);
    if (!status) {
        status = lotor_expire(request->engine, campaign, request->work->arrival, why);
    }
    if (!status && !request->work->is_plain) { /* the next who needs the pool asks again */
        want_no_more(campaign);
        status = lotor_draw_void(request->engine, campaign, why);
    }
    if (!status && !(request->drawn = lotor_drawn_new(request->work->count, campaign->dimension))) {
        status = lotor_fail(LOTOR_MEMORY, why, "no memory to draw");
    }
    pthread_mutex_lock(&campaign->lock);
    if (campaign->turn.last_expires < campaign->last_expires) {
        campaign->turn.last_expires = campaign->last_expires;
    }
    pthread_mutex_unlock(&campaign->lock);
    return status;
}

lotor_status lotor_draw_for(lotor_engine *engine, lotor_job *job, lotor_message *why)
{
    lotor_work *work = job->work;
    lotor_campaign *campaign = work->campaign;
    if (campaign->turn.is_touched ? campaign->turn.closed : campaign->closed) {
        lotor_refuse(&job->refusal, LOTOR_CODE_CLOSED, "", "the campaign is closed");
        return LOTOR_OK;
    }
    size_t served = work->is_plain ? serve_from_pool(engine, work) : 0;
    if (served == work->count) {
        return LOTOR_OK;
    }
    draw_request request = {engine, campaign, job, work, NULL, served};
    lotor_status status = prepare(&request, why);
    if (!status && request.drawn && !is_refused(&request)) {
        status = draw_all(&request, why);
    }
    if (status || !request.drawn || request.drawn->count == 0) {
        lotor_drawn_free(request.drawn);
        return status;
    }
    if (engine->is_shared) {
        lotor_shared_stamp(engine, campaign, request.drawn);
    }
    add_fresh(campaign, request.drawn);
    if (work->is_plain) {
        want_more(engine, campaign, work->arrival, work->count - served);
    }
    return LOTOR_OK;
}
