/* writer.c - the writer's turn: jobs, rounds that are due, decisions ahead; one commit; then answers.
 *
 * A drawing sees the rounds that had expired when the request that caused it came, no more and no less:
 * when the writer gets to it depends on how much there is to write, and so on who answered. */
#include "service/engine/engine_parts.h"

#include "base/message.h"

static lotor_job *take_jobs(lotor_engine *engine)
{
    pthread_mutex_lock(&engine->queue_lock);
    lotor_job *jobs = engine->first_job;
    engine->first_job = NULL;
    engine->last_job = &engine->first_job;
    engine->turn.now = lotor_engine_now(engine); /* jobs that come later have later arrivals */
    pthread_mutex_unlock(&engine->queue_lock);
    return jobs;
}

static lotor_status do_job(lotor_engine *engine, lotor_job *job, lotor_message *why)
{
    switch ((lotor_kind)job->kind) {
    case LOTOR_KIND_RANK:
        return lotor_draw_for(engine, job, why);
    case LOTOR_KIND_REWARD:
        return lotor_record(engine, job, why);
    case LOTOR_KIND_RELEASES:
        return lotor_releases(engine, job, why);
    default:
        return lotor_manage(engine, job, why);
    }
}

/* A campaign whose policy can't be loaded waits, and the others go on: nothing of it was changed. */
static bool can_wait(lotor_status status, const lotor_campaign *campaign)
{
    return status && !campaign->policy && !campaign->turn.policy_changed;
}

static lotor_status draw_where_low(lotor_engine *engine, lotor_campaign *campaign,
                                   lotor_message *why)
{
    pthread_mutex_lock(&campaign->lock);
    bool is_low = campaign->is_low && campaign->low_at <= engine->turn.now;
    uint64_t low_at = campaign->low_at;
    pthread_mutex_unlock(&campaign->lock);
    bool is_ours = !engine->is_shared || campaign->turn.is_touched;
    if (!is_low || !is_ours || engine->turn.now < campaign->broken_until) {
        return LOTOR_OK;
    }
    lotor_status status = lotor_expire(engine, campaign, low_at, why);
    return status ? status : lotor_draw_ahead(engine, campaign, why);
}

/* Shared: whoever comes first ends a round, and the server whose decisions it had is the first to try. */
static lotor_status tend_shared(lotor_engine *engine, lotor_campaign *campaign, lotor_message *why)
{
    const uint64_t now = engine->turn.now;
    lotor_status status = LOTOR_OK;
    if (!campaign->turn.is_touched) {
        bool got = false;
        if (campaign->due == 0 || lotor_shared_next(campaign) > now) {
            return LOTOR_OK;
        }
        status = lotor_turn_try(engine, campaign, why, &got);
        if (status || !got) {
            return status;
        }
    }
    if (lotor_shared_wants_void(campaign, now)) {
        status = lotor_campaign_load(engine, campaign, why);
        if (!status) {
            status = lotor_draw_void(engine, campaign, why);
        }
    }
    return status ? status : lotor_expire(engine, campaign, now, why);
}

static lotor_status tend(lotor_engine *engine, bool ends_rounds, lotor_message *why)
{
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        lotor_status status = draw_where_low(engine, campaign, why);
        if (!status && ends_rounds && engine->turn.now >= campaign->broken_until) {
            status = engine->is_shared ? tend_shared(engine, campaign, why)
                                       : lotor_expire(engine, campaign, engine->turn.now, why);
        }
        if (status && !can_wait(status, campaign)) {
            return status;
        }
    }
    return LOTOR_OK;
}

static lotor_status work(lotor_engine *engine, lotor_job *jobs, lotor_message *why)
{
    lotor_status status = engine->is_shared ? lotor_shared_begin(engine, jobs, why) : LOTOR_OK;
    for (lotor_job *job = jobs; !status && job; job = job->next) {
        status = do_job(engine, job, why);
    }
    bool ends_rounds = engine->turn.now >= engine->ended_at + engine->gather;
    if (!status) {
        status = tend(engine, ends_rounds, why);
    }
    if (!status && ends_rounds) {
        engine->ended_at = engine->turn.now;
    }
    return status;
}

/* The head of the chain, beside the key. It comes after the commit: a head that the store had not
 * would look like a rollback. */
static void write_head(lotor_engine *engine, bool has_releases)
{
    if (!has_releases && !engine->head_is_behind) {
        return;
    }
    lotor_head head;
    lotor_status status = lotor_store_head(engine->store, NULL, &head);
    head.starts = engine->starts;
    head.rollbacks = engine->rollback_count;
    if (!status) {
        status = lotor_head_write(engine->head_path, &head, NULL);
    }
    engine->head_is_behind = status != LOTOR_OK;
}

static void answer_jobs(lotor_job *jobs, lotor_status status)
{
    while (jobs) {
        lotor_job *next = jobs->next; /* `done` may free the job */
        if (status && jobs->refusal.code == LOTOR_CODE_NONE) {
            lotor_refuse(&jobs->refusal,
                         status == LOTOR_MEMORY || status == LOTOR_ENTROPY ? LOTOR_CODE_INTERNAL
                                                                           : LOTOR_CODE_STORE,
                         "", "the store can't be written at the moment: try again");
        }
        lotor_work_free(jobs->work);
        jobs->work = NULL;
        jobs->done(jobs);
        jobs = next;
    }
}

static void put_away_idle(lotor_engine *engine, uint64_t idle, size_t enough)
{
    for (size_t i = 0; i < engine->campaign_count && engine->policies > enough; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        if (campaign->policy && engine->turn.now - campaign->used_at >= idle) {
            lotor_campaign_put_away(engine, campaign);
        }
    }
}

/* Policies that nobody needed for a while; of too many first those that were not needed just now. */
static void put_policies_away(lotor_engine *engine)
{
    if (engine->turn.now >= engine->put_away_at + LOTOR_IDLE_MS / 5) {
        engine->put_away_at = engine->turn.now;
        put_away_idle(engine, LOTOR_IDLE_MS, 0);
    }
    if (engine->policies > LOTOR_POLICIES_MOST) {
        put_away_idle(engine, 1, LOTOR_POLICIES_MOST / 2);
    }
    if (engine->policies > LOTOR_POLICIES_MOST) {
        put_away_idle(engine, 0, LOTOR_POLICIES_MOST / 2);
    }
}

static lotor_status work_and_commit(lotor_engine *engine, lotor_job *jobs, lotor_message *why)
{
    lotor_status status = work(engine, jobs, why);
    if (!status && engine->turn.has_changed) {
        status = lotor_turn_commit(engine, why);
    } else if (!status && engine->turn.has_begun) {
        lotor_store_rollback(engine->store); /* it only looked */
        engine->turn.has_begun = false;
    }
    return status;
}

/* Shared: a turn that met another server's is done again. */
static lotor_status try_turn(lotor_engine *engine, lotor_job *jobs, lotor_message *why)
{
    lotor_status status = work_and_commit(engine, jobs, why);
    for (int i = 1; status && i < LOTOR_TRIES && lotor_store_was_conflict(engine->store); i++) {
        lotor_turn_forget(engine);
        for (lotor_job *job = jobs; job; job = job->next) {
            job->refusal.code = LOTOR_CODE_NONE;
        }
        status = work_and_commit(engine, jobs, why);
    }
    return status;
}

lotor_status lotor_engine_step(lotor_engine *engine, lotor_message *why)
{
    lotor_job *jobs = take_jobs(engine);
    lotor_status status = LOTOR_OK;
    if (engine->is_shared && engine->turn.now >= engine->polled_at + LOTOR_POLL_MS) {
        status = lotor_shared_poll(engine, why);
    }
    if (!status) {
        status = try_turn(engine, jobs, why);
    }
    bool has_releases = engine->turn.releases > 0;
    bool has_created = engine->turn.created != NULL;
    if (status) {
        lotor_turn_forget(engine);
        atomic_fetch_add_explicit(&engine->counters.failures, 1, memory_order_relaxed);
    } else {
        write_head(engine, has_releases);
        lotor_turn_publish(engine);
        if (engine->is_shared && has_created) {
            lotor_shared_poll(engine, NULL); /* it is there when its maker hears of it */
        }
        put_policies_away(engine);
    }
    atomic_store(&engine->is_ready, status == LOTOR_OK && !engine->head_is_behind);
    answer_jobs(jobs, status);
    return status ? LOTOR_UNFINISHED : LOTOR_OK;
}
