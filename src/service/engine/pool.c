/* pool.c - rank: from the pool of committed decisions, without the disk; else a job for the writer. */
#include "service/engine/engine_parts.h"

#include <stdlib.h>
#include <string.h>

void lotor_ranking_clear(lotor_ranking *ranking)
{
    free(ranking->more);
    ranking->more = NULL;
}

bool lotor_ranking_show(lotor_campaign *campaign, lotor_ranking *ranking, const uint32_t *arms,
                        size_t count)
{
    const size_t room = sizeof ranking->names / sizeof *ranking->names;
    free(ranking->more); /* of a try that came to nothing */
    ranking->more = count > room ? malloc(count * sizeof *ranking->arms) : NULL;
    if (count > room && !ranking->more) {
        return false;
    }
    const char **names = count > room ? ranking->more : ranking->names;
    for (size_t i = 0; i < count; i++) {
        names[i] = campaign->ids[arms[i]];
    }
    ranking->arms = names;
    ranking->count = count;
    ranking->is_local = campaign->is_local;
    return true;
}

/* Asks for a block when half of the last one is used. */
static void ask_for_more(lotor_engine *engine, lotor_campaign *campaign, uint64_t now)
{
    bool wakes = campaign->wants_wake;
    campaign->wants_wake = false;
    if (!campaign->is_low && 2 * campaign->available <= campaign->pool_size) {
        campaign->is_low = true;
        campaign->low_at = now;
        campaign->low_handed = campaign->handed;
        wakes = true;
    }
    if (wakes) {
        lotor_engine_wake(engine);
    }
}

/* Hands out the next decision: from here on its time runs. The event waits in `room` for its MAC. */
static bool hand_out(lotor_campaign *campaign, uint64_t now, lotor_ranking *ranking)
{
    lotor_drawn *drawn = campaign->blocks[campaign->pool];
    while (drawn->handed == drawn->count) {
        drawn = campaign->blocks[++campaign->pool];
    }
    lotor_kept kept;
    size_t slot = lotor_drawn_kept(drawn, drawn->handed, &kept);
    if (!lotor_ranking_show(campaign, ranking, kept.arms, kept.count)) {
        return false;
    }
    uint64_t expires = now + campaign->wait;
    if (!drawn->is_own && expires < campaign->last_expires) {
        expires = campaign->last_expires;
    }
    campaign->last_expires = expires;
    lotor_event event = {campaign->id, drawn->first + drawn->handed, expires, drawn->nonce};
    memcpy(ranking->room, &event, sizeof event);
    ranking->takes_feedback = true;
    ranking->expires = expires;
    if (campaign->is_local) {
        ranking->randomizer = campaign->randomizer;
        ranking->randomizer.slot = slot;
    }
    lotor_shown_add(campaign->shown, drawn, drawn->handed, drawn->handed + 1);
    drawn->expires[drawn->handed++] = expires;
    campaign->available--;
    campaign->handed++;
    return true;
}

/* In a shared store what was not handed out in its time is left to the writer, who takes it back. */
static void skip_too_old(lotor_campaign *campaign, uint64_t now)
{
    while (campaign->available) {
        const lotor_drawn *drawn = campaign->blocks[campaign->pool];
        if (drawn->handed < drawn->count && (drawn->until == 0 || now <= drawn->until)) {
            return;
        }
        campaign->available -= drawn->count - drawn->handed;
        campaign->pool++;
    }
}

bool lotor_pool_take(lotor_engine *engine, lotor_campaign *campaign, uint64_t now,
                     lotor_ranking *rankings, size_t count)
{
    if (engine->is_shared) {
        skip_too_old(campaign, now);
    }
    if (campaign->is_frozen || campaign->available < count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!hand_out(campaign, now, &rankings[i])) {
            return false; /* those before it count as shown to nobody who answers */
        }
    }
    ask_for_more(engine, campaign, now);
    atomic_fetch_add_explicit(&engine->counters.decisions, count, memory_order_relaxed);
    return true;
}

void lotor_ranking_sign(lotor_engine *engine, lotor_ranking *ranking)
{
    lotor_event event;
    memcpy(&event, ranking->room, sizeof event);
    lotor_vault_token(engine->vault, &event, ranking->event);
}

static bool is_plain(const lotor_campaign *campaign, const lotor_ranking *rankings, size_t count)
{
    if (campaign->is_direct) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (rankings[i].eligible || rankings[i].context) {
            return false;
        }
    }
    return true;
}

lotor_when lotor_engine_rank(lotor_engine *engine, const char *name, lotor_ranking *rankings,
                             size_t count, lotor_job *job)
{
    job->refusal.code = LOTOR_CODE_NONE;
    lotor_campaign *campaign = lotor_find_or_refuse(engine, name, &job->refusal);
    if (!campaign || count == 0) {
        return LOTOR_NOW;
    }
    for (size_t i = 0; i < count; i++) {
        rankings[i].more = NULL;
    }
    if (count > campaign->together) {
        lotor_refuse(&job->refusal, LOTOR_CODE_TOO_LARGE, "",
                     "this campaign's lists are long: expected at most %zu rankings at once",
                     campaign->together);
        return LOTOR_NOW;
    }
    bool plain = is_plain(campaign, rankings, count);
    if (plain) {
        pthread_mutex_lock(&campaign->lock);
        bool took = !campaign->closed &&
                    lotor_pool_take(engine, campaign, lotor_engine_now(engine), rankings, count);
        pthread_mutex_unlock(&campaign->lock);
        if (took) {
            for (size_t i = 0; i < count; i++) {
                lotor_ranking_sign(engine, &rankings[i]);
            }
            return LOTOR_NOW;
        }
    }
    return lotor_ask_writer(engine, campaign, rankings, count, plain, job);
}
