/* engine.c - the queue, the writer's thread, and the order of the work in a step. */
#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/time.h"
#include "service/engine/budgets.h"
#include "service/engine/inside.h"
#include "service/engine/stickies.h"
#include "service/little.h"

static uint64_t system_boot_clock(void *context)
{
    (void)context;
    return lotor_time_boot_ms();
}

uint64_t lotor_engine_boot(lotor_engine *engine)
{
    return engine->boot_clock(engine->clock_context);
}

uint64_t lotor_engine_random_id(void)
{
    uint64_t id = 0;
    while (id == 0) {
        randombytes_buf(&id, sizeof id);
        id >>= 1;
    }
    return id;
}

/* Starts a new stream of the log. Later starts have greater stream ids, and so have later
 * streams of one start. The owner reads streams in this order, so the first feedback for an
 * event counts, even after a crash. The server's id is hashed into the stream id, too: a cloned
 * machine has the same random numbers, but not the same server id. */
void lotor_engine_new_stream(lotor_engine *engine)
{
    const uint64_t seed[2] = {engine->server, lotor_engine_random_id()};
    const uint64_t count = engine->streams++ & 0xfff;
    unsigned char hash[crypto_generichash_BYTES];
    crypto_generichash(hash, sizeof hash, (const unsigned char *)seed, sizeof seed, NULL, 0);
    engine->stream =
        (engine->starts & INT32_MAX) << 32 | count << 20 | (lotor_get_u64(hash) & 0xfffff);
    engine->stream += engine->stream == 0; /* stream 0 is for feedback of a migrated store */
}

/* --- jobs ------------------------------------------------------------------------------------- */

lotor_completion lotor_job_no_memory(lotor_job *job)
{
    lotor_refuse(&job->refusal, LOTOR_CODE_INTERNAL, "",
                 "the server has no memory left: try again");
    return LOTOR_COMPLETED;
}

void lotor_engine_wake(lotor_engine *engine)
{
    pthread_mutex_lock(&engine->queue_lock);
    engine->is_woken = true;
    pthread_cond_signal(&engine->queue_wake);
    pthread_mutex_unlock(&engine->queue_lock);
}

static void free_work(lotor_job_work *work)
{
    if (work) {
        lotor_spec_free(work->spec);
        json_decref(work->body);
        lotor_want_free(work->want);
        lotor_feedback_list_free(work->feedback);
        free(work->told);
        free(work->note);
        free(work);
    }
}

void lotor_job_finish(lotor_job *job)
{
    free_work(job->work);
    job->work = NULL;
    job->done(job);
}

void lotor_job_fail(lotor_job *job, lotor_status status)
{
    if (job->refusal.code == LOTOR_CODE_NONE && job->kind != LOTOR_JOB_LOOK) {
        const bool is_ours = status == LOTOR_MEMORY || status == LOTOR_ENTROPY;
        lotor_refuse(&job->refusal, is_ours ? LOTOR_CODE_INTERNAL : LOTOR_CODE_STORE, "",
                     "the store can't be written at the moment: try again");
    }
    lotor_job_finish(job);
}

lotor_completion lotor_engine_queue(lotor_engine *engine, lotor_job *job, lotor_job_kind kind,
                                    lotor_job_work *work)
{
    assert(work && job->done);
    job->kind = (int)kind;
    job->work = work;
    job->next = NULL;
    pthread_mutex_lock(&engine->queue_lock);
    if (engine->is_stopping) {
        pthread_mutex_unlock(&engine->queue_lock);
        free_work(work);
        job->work = NULL;
        lotor_refuse(&job->refusal, LOTOR_CODE_STOPPING, "",
                     "the server is stopping: try again later");
        return LOTOR_COMPLETED;
    }
    work->arrival = lotor_engine_boot(engine);
    const bool was_empty = !engine->first_job;
    *engine->last_job = job;
    engine->last_job = &job->next;
    if (was_empty) {
        pthread_cond_signal(&engine->queue_wake);
    }
    pthread_mutex_unlock(&engine->queue_lock);
    return LOTOR_PENDING;
}

/* Takes all jobs from the queue. The boot clock is read under the queue's lock, so jobs that
 * come later have a later arrival. */
static lotor_job *take_jobs(lotor_engine *engine)
{
    pthread_mutex_lock(&engine->queue_lock);
    lotor_job *jobs = engine->first_job;
    engine->first_job = NULL;
    engine->last_job = &engine->first_job;
    engine->boot = lotor_engine_boot(engine);
    pthread_mutex_unlock(&engine->queue_lock);
    return jobs;
}

/* --- making and freeing ----------------------------------------------------------------------- */

static lotor_status make_locks(lotor_engine *engine, lotor_message *why)
{
    pthread_condattr_t monotonic;
    bool failed = pthread_condattr_init(&monotonic) != 0;
    failed = failed || pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) ||
             pthread_cond_init(&engine->queue_wake, &monotonic) ||
             pthread_mutex_init(&engine->queue_lock, NULL) ||
             pthread_rwlock_init(&engine->table_lock, NULL);
    pthread_condattr_destroy(&monotonic);
    return failed ? lotor_fail(LOTOR_MEMORY, why, "the system could not create a lock") : LOTOR_OK;
}

lotor_status lotor_engine_make(const lotor_engine_setup *setup, lotor_message *why,
                               lotor_engine **out)
{
    lotor_engine *engine = calloc(1, sizeof *engine);
    if (!engine) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the engine");
    }
    lotor_status status = make_locks(engine, why);
    if (status != LOTOR_OK) {
        free(engine);
        return status;
    }
    engine->store = setup->store;
    engine->server_key = setup->server_key;
    engine->heads = setup->heads;
    engine->accept_rollback = setup->accept_rollback;
    engine->allow_weak_epsilon = setup->allow_weak_epsilon;
    engine->boot_clock = setup->boot_clock ? setup->boot_clock : system_boot_clock;
    engine->store_clock = setup->store_clock;
    engine->clock_context = setup->clock_context;
    engine->margin = lotor_store_is_exclusive(setup->store) ? 0 : LOTOR_GRACE_MS;
    engine->last_job = &engine->first_job;
    engine->boot = engine->started_at = lotor_engine_boot(engine);
    engine->server = lotor_engine_random_id();
    *out = engine;
    return LOTOR_OK;
}

lotor_status lotor_engine_new(const lotor_engine_setup *setup, lotor_message *why,
                              lotor_engine **out)
{
    lotor_engine *engine = NULL;
    lotor_status status = lotor_engine_make(setup, why, &engine);
    if (status == LOTOR_OK) {
        status = lotor_sign_in(engine, setup->heads_were_lost, why);
    }
    if (status != LOTOR_OK) {
        lotor_engine_free(engine);
        return status;
    }
    atomic_store(&engine->is_ready, !engine->heads_are_behind);
    *out = engine;
    return LOTOR_OK;
}

/* Frees the work of requests that still wait. Their `done` is not called. */
static void drop_waiting(lotor_engine *engine)
{
    lotor_job *const lists[] = {engine->first_job, engine->held};
    for (size_t i = 0; i < 2; i++) {
        for (lotor_job *job = lists[i]; job; job = job->next) {
            free_work(job->work);
            job->work = NULL;
        }
    }
    for (size_t i = 0; i < engine->campaign_count; i++) {
        for (lotor_want *want = engine->by_place[i]->wants; want; want = want->next) {
            if (want->job) {
                ((lotor_job_work *)want->job->work)->want =
                    NULL; /* it is freed with the campaign */
                free_work(want->job->work);
                want->job->work = NULL;
            }
        }
    }
}

void lotor_engine_free(lotor_engine *engine)
{
    if (!engine) {
        return;
    }
    if (engine->has_thread) { /* like a crash: what was not committed is lost */
        pthread_mutex_lock(&engine->queue_lock);
        engine->is_stopping = engine->is_ending = true;
        pthread_cond_signal(&engine->queue_wake);
        pthread_mutex_unlock(&engine->queue_lock);
        pthread_join(engine->thread, NULL);
    }
    drop_waiting(engine);
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_campaign_free(engine->by_place[i]);
    }
    for (lotor_campaign *next, *campaign = engine->retired; campaign; campaign = next) {
        next = campaign->next_retired;
        lotor_campaign_free(campaign);
    }
    json_decref(engine->rollbacks);
    lotor_budgets_free(engine);
    free(engine->cycle_list);
    free(engine->unreadable);
    free(engine->by_place);
    free(engine->slots);
    free(engine->id_slots);
    pthread_cond_destroy(&engine->queue_wake);
    pthread_mutex_destroy(&engine->queue_lock);
    pthread_rwlock_destroy(&engine->table_lock);
    free(engine);
}

bool lotor_engine_is_ready(lotor_engine *engine)
{
    return atomic_load(&engine->is_ready);
}

/* --- a step ----------------------------------------------------------------------------------- */

lotor_status lotor_engine_is_connected(const lotor_engine *engine, lotor_status status,
                                       lotor_message *why)
{
    return status == LOTOR_OK && lotor_store_connections(engine->store) != engine->connections
               ? lotor_fail((lotor_status)LOTOR_UNFINISHED, why,
                            "the connection to the database was lost")
               : status;
}

lotor_status lotor_engine_begin(lotor_engine *engine, lotor_message *why)
{
    const lotor_status status =
        lotor_engine_is_connected(engine, lotor_store_begin(engine->store, why), why);
    if (status != LOTOR_OK) {
        lotor_store_rollback(engine->store);
    }
    return status;
}

lotor_status lotor_engine_commit(lotor_engine *engine, lotor_message *why)
{
    const double from = lotor_time_seconds();
    const lotor_status status = lotor_store_commit(engine->store, why);
    if (status != LOTOR_OK) {
        lotor_store_rollback(engine->store); /* required by store.h; the outcome stays unknown */
    }
    const uint64_t micro = (uint64_t)(1e6 * (lotor_time_seconds() - from));
    size_t bucket = 0; /* upper limits: 250 us, 500 us, 1 ms, ... */
    while (bucket < LOTOR_COMMIT_BUCKETS && micro > (uint64_t)250 << bucket) {
        bucket++;
    }
    atomic_fetch_add_explicit(&engine->counters.commit_buckets[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&engine->counters.commit_microseconds, micro, memory_order_relaxed);
    atomic_fetch_add_explicit(&engine->counters.commits, 1, memory_order_relaxed);
    return status;
}

static void put_away_idle(lotor_engine *engine, uint64_t idle, size_t enough)
{
    for (size_t i = 0; i < engine->campaign_count && engine->policies > enough; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        assert(!campaign->policy || engine->boot >= campaign->used_at);
        if (campaign->policy && engine->boot - campaign->used_at >= idle) {
            lotor_policy_put_away(engine, campaign);
        }
    }
}

/* Unloads policies that were not used for a while. If there are too many policies, unloads those
 * first that were not used in this step. */
static void put_policies_away(lotor_engine *engine)
{
    if (engine->boot >= engine->put_away_at + LOTOR_IDLE_MS / 5) {
        engine->put_away_at = engine->boot;
        put_away_idle(engine, LOTOR_IDLE_MS, 0);
    }
    if (engine->policies > LOTOR_POLICIES_MAX) {
        put_away_idle(engine, 1, LOTOR_POLICIES_MAX / 2);
    }
    if (engine->policies > LOTOR_POLICIES_MAX) {
        put_away_idle(engine, 0, LOTOR_POLICIES_MAX / 2);
    }
}

static void fail_all(lotor_job *jobs, lotor_status status)
{
    for (lotor_job *next, *job = jobs; job; job = next) {
        next = job->next; /* `done` may free the job */
        lotor_job_fail(job, status);
    }
}

/* Does all jobs except rewards, which it returns. */
static lotor_job *do_jobs(lotor_engine *engine, lotor_job *jobs)
{
    lotor_job *rewards = NULL, **end = &rewards;
    for (lotor_job *next, *job = jobs; job; job = next) {
        next = job->next;
        job->next = NULL;
        lotor_job_work *work = job->work;
        work->at = engine->low - (engine->boot > work->arrival ? engine->boot - work->arrival : 0);
        switch ((lotor_job_kind)job->kind) {
        case LOTOR_JOB_REWARD:
            *end = job;
            end = &job->next;
            break;
        case LOTOR_JOB_RANK:
            lotor_front_ask(engine, job);
            break;
        case LOTOR_JOB_RELEASES:
            lotor_releases(engine, job);
            break;
        case LOTOR_JOB_LOOK:
            lotor_describe_look(engine, job);
            break;
        case LOTOR_JOB_AUDIT:
            lotor_audit(engine, job);
            break;
        case LOTOR_JOB_NOTE:
            lotor_audit_note(engine, job);
            break;
        case LOTOR_JOB_BUDGET:
            lotor_budgets_create(engine, job);
            break;
        case LOTOR_JOB_BUDGETS:
            lotor_budgets_show(engine, job);
            break;
        default:
            lotor_manage(engine, job);
        }
    }
    return rewards;
}

/* Stops handing out blocks that are too old. */
static void tidy(lotor_engine *engine)
{
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_front_tidy(engine, engine->by_place[i]);
    }
}

static lotor_status write_heads(lotor_engine *engine)
{
    lotor_message why;
    const lotor_status status = lotor_heads_write(engine->heads, &why);
    engine->heads_are_behind = status != LOTOR_OK;
    return status;
}

/* True if other servers may ask this one: they ask the owner of a campaign alone. */
static bool expects_wants(const lotor_engine *engine)
{
    bool is_owner = false;
    for (size_t i = 0; i < engine->campaign_count && engine->others > 0 && !is_owner; i++) {
        is_owner = engine->by_place[i]->is_owner;
    }
    return is_owner;
}

/* The work of an owner: takes campaigns over, reads other servers' wants, and runs cycles. While
 * the head file can't be written, nothing is released, and no release is shown that is not in
 * it. */
static lotor_status own(lotor_engine *engine, lotor_message *why)
{
    enum { TURNS_MOST = 4 };
    if (engine->heads_are_behind && write_heads(engine) != LOTOR_OK) {
        for (size_t i = 0; i < engine->campaign_count; i++) {
            lotor_front_refuse_waiting(engine, engine->by_place[i]);
        }
        return lotor_fail(LOTOR_UNFINISHED, why, "the head file can't be written");
    }
    lotor_status status = lotor_takeover(engine, why);
    if (status == LOTOR_OK) {
        status = lotor_stickies_tidy(engine, why);
    }
    if (status == LOTOR_OK && expects_wants(engine) &&
        engine->boot >= engine->wants_at + LOTOR_WANTS_POLL_MS) {
        engine->wants_at = engine->boot;
        status = lotor_remote_take_wants(engine, why);
    }
    engine->has_more = true;
    for (int i = 0; status == LOTOR_OK && engine->has_more && i < TURNS_MOST; i++) {
        status = lotor_owner_cycles(engine, why, &engine->has_more);
    }
    return status;
}

/* The work of a front end: sends wants to the owners on other servers, and reads their replies. */
static lotor_status ask_owners(lotor_engine *engine, lotor_message *why)
{
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; status == LOTOR_OK && i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        if (!campaign->is_owner) {
            status = lotor_remote_send(engine, campaign, why);
        }
    }
    if (status == LOTOR_OK && engine->waiting > 0 &&
        engine->boot >= engine->reply_at + LOTOR_REPLY_POLL_MS) {
        engine->reply_at = engine->boot;
        status = lotor_remote_take_replies(engine, why);
    }
    return status;
}

lotor_status lotor_engine_step(lotor_engine *engine, lotor_message *why)
{
    lotor_job *jobs = take_jobs(engine);
    lotor_status status = lotor_register_tend(engine, why);
    if (status == LOTOR_OK) {
        status = lotor_lifecycle_tend(engine, why);
    }
    if (status != LOTOR_OK) {
        fail_all(jobs, status);
        fail_all(lotor_append_unhold(engine, UINT64_MAX), status);
        lotor_front_expire(engine);
    } else {
        lotor_job *rewards = do_jobs(engine, jobs);
        tidy(engine);
        status = lotor_append(engine, rewards, why);
        const lotor_status owned = own(engine, why);
        status = status == LOTOR_OK ? owned : status;
        const lotor_status asked = ask_owners(engine, why);
        status = status == LOTOR_OK ? asked : status;
        lotor_front_expire(engine);
        put_policies_away(engine);
    }
    atomic_store(&engine->lacks_heads, engine->heads_are_behind);
    if (status != LOTOR_OK) { /* a failover may have lost the last rows; a new stream has no gap */
        lotor_engine_new_stream(engine);
        atomic_fetch_add_explicit(&engine->counters.failures, 1, memory_order_relaxed);
    }
    atomic_store(&engine->is_ready, status == LOTOR_OK && !engine->heads_are_behind);
    return status == LOTOR_OK ? LOTOR_OK : LOTOR_UNFINISHED;
}

static void sooner(uint64_t *due, uint64_t when)
{
    *due = when < *due ? when : *due;
}

uint64_t lotor_engine_next(lotor_engine *engine)
{
    if (engine->has_more) {
        return engine->boot;
    }
    uint64_t due = engine->beat_at + LOTOR_BEAT_MS;
    sooner(&due, engine->clock.has_doubt ? engine->boot + LOTOR_RETRY_MS : UINT64_MAX);
    sooner(&due, engine->heads_are_behind ? engine->boot + LOTOR_RETRY_MS : UINT64_MAX);
    sooner(&due, lotor_append_next(engine));
    sooner(&due, engine->waiting ? engine->reply_at + LOTOR_REPLY_POLL_MS : UINT64_MAX);
    sooner(&due, expects_wants(engine) ? engine->wants_at + LOTOR_WANTS_POLL_MS : UINT64_MAX);
    sooner(&due, lotor_register_next_poll(engine));
    for (size_t i = 0; i < engine->campaign_count; i++) {
        sooner(&due, lotor_owner_cycle_next(engine, engine->by_place[i]));
    }
    return due;
}

/* --- the thread ------------------------------------------------------------------------------- */

/* Sleeps until there is a job, a wake-up, the end, or until `due`. The caller holds the queue's
 * lock. */
static void sleep_until(lotor_engine *engine, uint64_t due)
{
    assert(lotor_is_locked(&engine->queue_lock));
    while (!engine->first_job && !engine->is_woken && !engine->is_ending) {
        const uint64_t now = lotor_engine_boot(engine);
        if (now >= due) {
            return;
        }
        const uint64_t left = due - now < 1000 ? due - now : 1000;
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += (long)(left % 1000) * 1000000;
        until.tv_sec += (time_t)(left / 1000) + until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&engine->queue_wake, &engine->queue_lock, &until);
    }
}

static void *write_for_ever(void *context)
{
    lotor_engine *engine = context;
    for (;;) {
        lotor_message why;
        const lotor_status status = lotor_engine_step(engine, &why);
        const uint64_t due =
            status != LOTOR_OK ? engine->boot + LOTOR_RETRY_MS : lotor_engine_next(engine);
        pthread_mutex_lock(&engine->queue_lock);
        if (status != LOTOR_OK) {
            /* the failed step did not use it up, but a retry comes anyway */
            engine->is_woken = false;
        }
        sleep_until(engine, due);
        engine->is_woken = false;
        const bool ends = engine->is_ending;
        pthread_mutex_unlock(&engine->queue_lock);
        if (ends) {
            return NULL;
        }
    }
}

lotor_status lotor_engine_start(lotor_engine *engine, lotor_message *why)
{
    engine->gather = LOTOR_GATHER_MS;
    if (pthread_create(&engine->thread, NULL, write_for_ever, engine) != 0) {
        return lotor_fail(LOTOR_MEMORY, why, "the system could not start the writer's thread");
    }
    engine->has_thread = true;
    return LOTOR_OK;
}

/* Stops handing out, and appends the handouts. */
static lotor_status report_all(lotor_engine *engine, lotor_message *why)
{
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        pthread_mutex_lock(&campaign->lock);
        lotor_campaign_pool_stop(campaign);
        pthread_mutex_unlock(&campaign->lock);
        campaign->has_reports = true;
    }
    return lotor_append(engine, NULL, why);
}

/* Saves all states with the log rows that came since, so that the next start notices missing
 * rows. */
static lotor_status save_all(lotor_engine *engine, lotor_message *why)
{
    engine->is_leaving = true;
    for (size_t i = 0; i < engine->campaign_count; i++) {
        engine->by_place[i]->is_due = engine->by_place[i]->is_owner;
    }
    return lotor_owner_cycles(engine, why, &engine->has_more);
}

static void refuse_held(lotor_engine *engine)
{
    for (lotor_job *next, *job = lotor_append_unhold(engine, UINT64_MAX); job; job = next) {
        next = job->next;
        lotor_refuse(&job->refusal, LOTOR_CODE_STOPPING, "",
                     "the server is stopping: try again later");
        lotor_job_finish(job);
    }
}

static void refuse_waiting(lotor_engine *engine)
{
    refuse_held(engine);
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        for (lotor_want *next, *want = campaign->wants; want; want = next) {
            next = want->next;
            if (want->job) {
                lotor_refuse(&want->refusal, LOTOR_CODE_STOPPING, "",
                             "the server is stopping: try again later");
                lotor_front_refuse(engine, campaign, want);
            }
        }
    }
}

lotor_status lotor_engine_stop(lotor_engine *engine, lotor_message *why)
{
    pthread_mutex_lock(&engine->queue_lock);
    engine->is_stopping = true; /* nothing can be queued any more */
    engine->is_ending = true;
    pthread_cond_signal(&engine->queue_wake);
    pthread_mutex_unlock(&engine->queue_lock);
    if (engine->has_thread) {
        pthread_join(engine->thread, NULL);
        engine->has_thread = false;
    }
    engine->gather = 0;
    lotor_status status = lotor_engine_step(engine, why);
    refuse_waiting(engine);
    if (status == LOTOR_OK) {
        status = report_all(engine, why);
    }
    if (status == LOTOR_OK) {
        status = save_all(engine, why);
    }
    return status == LOTOR_OK ? lotor_register_leave(engine, why) : status;
}
