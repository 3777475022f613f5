/* engine.c - the engine as a whole: its clock, its queue, its thread. */
#include "service/engine/engine_parts.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/message.h"

static int64_t read_clock(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The farthest that the clock was ahead of the steady one counts: set back, it goes on from there, and
 * does not stand until it has caught up. */
uint64_t lotor_engine_tick(_Atomic int64_t *ahead, int64_t clock, int64_t steady)
{
    int64_t most = atomic_load_explicit(ahead, memory_order_relaxed);
    while (most < clock - steady) {
        if (atomic_compare_exchange_weak_explicit(ahead, &most, clock - steady,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            most = clock - steady;
        }
    }
    return steady + most > 0 ? (uint64_t)(steady + most) : 0;
}

static uint64_t system_clock(void *context)
{
    lotor_engine *engine = context;
    int64_t clock = read_clock(CLOCK_REALTIME); /* first: a pause here must not put it ahead */
    return lotor_engine_tick(&engine->ahead, clock, read_clock(CLOCK_BOOTTIME));
}

/* The clock may be set back; times that were given out stay in order all the same. */
uint64_t lotor_engine_now(lotor_engine *engine)
{
    uint64_t now = engine->clock(engine->clock_context);
    uint64_t latest = atomic_load_explicit(&engine->latest, memory_order_relaxed);
    while (latest < now) {
        if (atomic_compare_exchange_weak_explicit(&engine->latest, &latest, now,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            return now;
        }
    }
    return latest;
}

uint64_t lotor_random_word(void)
{
    uint64_t word;
    randombytes_buf(&word, sizeof word);
    return word;
}

char *lotor_engine_text(const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = malloc(length);
    return copy ? memcpy(copy, text, length) : NULL;
}

lotor_when lotor_no_memory(lotor_job *job)
{
    lotor_refuse(&job->refusal, LOTOR_CODE_INTERNAL, "",
                 "the server has no memory left: try again");
    return LOTOR_NOW;
}

void lotor_engine_wake(lotor_engine *engine)
{
    pthread_mutex_lock(&engine->queue_lock);
    engine->is_woken = true;
    pthread_cond_signal(&engine->queue_wake);
    pthread_mutex_unlock(&engine->queue_lock);
}

void lotor_work_free(lotor_work *work)
{
    if (!work) {
        return;
    }
    lotor_spec_free(work->spec);
    json_decref(work->body);
    for (size_t i = 0; work->asking && i < work->count; i++) {
        free(work->asking[i].eligible);
        if (work->asking[i].context) {
            lotor_wipe_free(work->asking[i].context,
                            work->campaign->arms * work->campaign->dimension * sizeof(double));
        }
    }
    free(work->asking);
    free(work->told);
    lotor_wipe_free(work->numbers.at, work->numbers.count * sizeof *work->numbers.at);
    lotor_wipe_free(work->texts, work->text_count * (LOTOR_NAME_MOST + 1));
    free(work);
}

lotor_when lotor_engine_queue(lotor_engine *engine, lotor_job *job, lotor_kind kind,
                              lotor_work *work)
{
    job->kind = (int)kind;
    job->work = work;
    job->next = NULL;
    pthread_mutex_lock(&engine->queue_lock);
    if (engine->is_stopping) {
        pthread_mutex_unlock(&engine->queue_lock);
        lotor_work_free(work);
        lotor_refuse(&job->refusal, LOTOR_CODE_STOPPING, "", "the server stops: try again later");
        return LOTOR_NOW;
    }
    work->arrival = lotor_engine_now(engine);
    *engine->last_job = job;
    engine->last_job = &job->next;
    pthread_cond_signal(&engine->queue_wake);
    pthread_mutex_unlock(&engine->queue_lock);
    return LOTOR_LATER;
}

static lotor_status make_locks(lotor_engine *engine, lotor_message *why)
{
    pthread_condattr_t monotonic;
    bool failed = pthread_condattr_init(&monotonic) != 0;
    failed = failed || pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) ||
             pthread_cond_init(&engine->queue_wake, &monotonic) ||
             pthread_mutex_init(&engine->queue_lock, NULL) ||
             pthread_rwlock_init(&engine->table_lock, NULL);
    pthread_condattr_destroy(&monotonic);
    return failed ? lotor_fail(LOTOR_MEMORY, why, "the system gave no locks") : LOTOR_OK;
}

lotor_status lotor_engine_new(const lotor_engine_setup *setup, lotor_message *why,
                              lotor_engine **out)
{
    lotor_engine *engine = calloc(1, sizeof *engine);
    if (!engine) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for the engine");
    }
    lotor_status status = make_locks(engine, why);
    if (status) {
        free(engine);
        return status;
    }
    engine->store = setup->store;
    engine->vault = setup->vault;
    engine->is_shared = lotor_store_is_shared(setup->store);
    engine->server = lotor_random_word();
    engine->clock = setup->clock ? setup->clock : system_clock;
    engine->clock_context = setup->clock ? setup->clock_context : engine;
    atomic_init(&engine->ahead, INT64_MIN);
    engine->last_job = &engine->first_job;
    engine->started_at = lotor_engine_now(engine);
    engine->head_path = lotor_engine_text(setup->head_path);
    status = engine->head_path
                 ? lotor_recover(engine, setup->accept_rollback, why)
                 : lotor_fail((lotor_status)LOTOR_MEMORY, why, "no memory for the engine");
    if (status) {
        lotor_engine_free(engine);
        return status;
    }
    atomic_store(&engine->is_ready, !engine->head_is_behind);
    *out = engine;
    return LOTOR_OK;
}

void lotor_engine_free(lotor_engine *engine)
{
    if (!engine) {
        return;
    }
    if (engine->has_thread) { /* as a crash: what was not committed is forgotten */
        pthread_mutex_lock(&engine->queue_lock);
        engine->is_stopping = engine->is_ending = true;
        pthread_cond_signal(&engine->queue_wake);
        pthread_mutex_unlock(&engine->queue_lock);
        pthread_join(engine->thread, NULL);
    }
    for (lotor_job *job = engine->first_job; job; job = job->next) {
        lotor_work_free(job->work);
        job->work = NULL;
    }
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_campaign_put_away(engine, engine->by_place[i]);
        lotor_campaign_free(engine->by_place[i]);
    }
    lotor_numbers_clear(&engine->turn.facts);
    free(engine->turn.facts.at);
    json_decref(engine->rollbacks);
    free(engine->by_place);
    free(engine->slots);
    free(engine->head_path);
    pthread_cond_destroy(&engine->queue_wake);
    pthread_mutex_destroy(&engine->queue_lock);
    pthread_rwlock_destroy(&engine->table_lock);
    free(engine);
}

bool lotor_engine_is_ready(lotor_engine *engine)
{
    return atomic_load(&engine->is_ready);
}

/* When the writer must look again though nobody calls it. */
static uint64_t next_look(lotor_engine *engine)
{
    uint64_t now = lotor_engine_now(engine);
    uint64_t due = engine->head_is_behind ? now + LOTOR_RETRY_MS : UINT64_MAX;
    if (engine->is_shared && engine->polled_at + LOTOR_POLL_MS < due) {
        due = engine->polled_at + LOTOR_POLL_MS;
    }
    for (size_t i = 0; i < engine->campaign_count; i++) {
        lotor_campaign *campaign = engine->by_place[i];
        uint64_t next =
            engine->is_shared ? lotor_shared_next(campaign) : lotor_expiry_next(campaign);
        next += next != UINT64_MAX; /* over when its time has passed */
        if (campaign->broken_until > now) {
            next = campaign->broken_until;
        }
        due = next < due ? next : due;
    }
    uint64_t gathered = engine->ended_at + engine->gather;
    if (due != UINT64_MAX && due < gathered) {
        due = gathered;
    }
    if (engine->policies && engine->ended_at + LOTOR_IDLE_MS < due) {
        due = now + LOTOR_IDLE_MS; /* to put policies away */
    }
    return due;
}

/* Sleeps until there is a job, a wake, the end, or `due`. */
static void sleep_until(lotor_engine *engine, uint64_t due)
{
    while (!engine->first_job && !engine->is_woken && !engine->is_ending) {
        if (due == UINT64_MAX) {
            pthread_cond_wait(&engine->queue_wake, &engine->queue_lock);
            continue;
        }
        uint64_t now = lotor_engine_now(engine);
        if (now >= due) {
            return;
        }
        uint64_t left = due - now < 1000 ? due - now : 1000; /* the clock may jump */
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
        lotor_status status = lotor_engine_step(engine, &why);
        uint64_t due = status ? lotor_engine_now(engine) + LOTOR_RETRY_MS : next_look(engine);
        pthread_mutex_lock(&engine->queue_lock);
        if (status) {
            engine->is_woken = false; /* what a wake asked for is asked for still */
        }
        sleep_until(engine, due);
        engine->is_woken = false;
        bool ends = engine->is_ending;
        pthread_mutex_unlock(&engine->queue_lock);
        if (ends) {
            return NULL;
        }
    }
}

lotor_status lotor_engine_start(lotor_engine *engine, lotor_message *why)
{
    engine->gather = LOTOR_GATHER_MS;
    if (pthread_create(&engine->thread, NULL, write_for_ever, engine)) {
        return lotor_fail(LOTOR_MEMORY, why, "the system gave no thread for the writer");
    }
    engine->has_thread = true;
    return LOTOR_OK;
}

lotor_status lotor_engine_stop(lotor_engine *engine, lotor_message *why)
{
    pthread_mutex_lock(&engine->queue_lock);
    engine->is_stopping = true; /* nothing is queued from here on */
    engine->is_ending = true;
    pthread_cond_signal(&engine->queue_wake);
    pthread_mutex_unlock(&engine->queue_lock);
    if (engine->has_thread) {
        pthread_join(engine->thread, NULL);
        engine->has_thread = false;
    }
    engine->gather = 0;
    lotor_status status = lotor_engine_step(engine, why);
    return status ? status : lotor_give_back(engine, why);
}
