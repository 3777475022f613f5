/* threads.c - see threads.h. */
#include "base/threads.h"

#include <assert.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"

size_t lotor_threads_count(size_t wanted)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t count = wanted > 0 ? wanted : (size_t)(cores > 0 ? cores : 1);
    return count < LOTOR_MOST_THREADS ? count : LOTOR_MOST_THREADS;
}

bool lotor_threads_next(lotor_threads *threads, uint64_t *task)
{
    if (atomic_load(&threads->is_stopped)) {
        return false;
    }
    *task = atomic_fetch_add(&threads->next, 1);
    return *task < threads->tasks;
}

uint64_t lotor_threads_begun(const lotor_threads *threads)
{
    const uint64_t next = atomic_load(&threads->next);
    return next < threads->tasks ? next : threads->tasks;
}

void lotor_threads_fail(lotor_threads *threads, lotor_status status, const lotor_message *why)
{
    assert(status != LOTOR_OK);
    pthread_mutex_lock(&threads->mutex);
    if (threads->status == LOTOR_OK) {
        threads->status = status;
        threads->why = why ? *why : (lotor_message){""};
    }
    pthread_mutex_unlock(&threads->mutex);
    lotor_threads_stop(threads);
}

void lotor_threads_stop(lotor_threads *threads)
{
    atomic_store(&threads->is_stopped, true);
}

bool lotor_threads_are_stopped(const lotor_threads *threads)
{
    return atomic_load(&threads->is_stopped);
}

static void *work(void *argument)
{
    lotor_threads *threads = argument;
    threads->work(threads->context, threads);
    pthread_mutex_lock(&threads->mutex);
    threads->working--;
    pthread_cond_signal(&threads->ended);
    pthread_mutex_unlock(&threads->mutex);
    return NULL;
}

/* Calls `watch` until all threads have ended. */
static void watch(lotor_threads *threads)
{
    pthread_mutex_lock(&threads->mutex);
    while (threads->working > 0) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 100000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        pthread_cond_timedwait(&threads->ended, &threads->mutex, &until);
        pthread_mutex_unlock(&threads->mutex);
        threads->watch(threads->context, threads);
        pthread_mutex_lock(&threads->mutex);
    }
    pthread_mutex_unlock(&threads->mutex);
}

static size_t start(lotor_threads *threads, pthread_t *out)
{
    const size_t most = lotor_threads_count(threads->wanted);
    const size_t useful = threads->tasks < most ? (size_t)threads->tasks : most;
    const size_t count = useful > 0 && !threads->watch ? useful - 1 : useful;
    size_t started = 0;
    while (started < count) {
        pthread_mutex_lock(&threads->mutex);
        const bool is_started = pthread_create(&out[started], NULL, work, threads) == 0;
        threads->working += is_started;
        pthread_mutex_unlock(&threads->mutex);
        if (!is_started) {
            break;
        }
        started++;
    }
    return started;
}

lotor_status lotor_threads_run(lotor_threads *threads, lotor_message *why)
{
    pthread_t started[LOTOR_MOST_THREADS];
    pthread_condattr_t steady;
    atomic_init(&threads->next, 0);
    atomic_init(&threads->is_stopped, false);
    threads->status = LOTOR_OK;
    threads->working = 0;
    pthread_mutex_init(&threads->mutex, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&threads->ended, &steady);
    pthread_condattr_destroy(&steady);
    const size_t count = start(threads, started);
    if (!threads->watch || count == 0) {
        threads->work(threads->context, threads);
    }
    if (threads->watch) {
        watch(threads);
    }
    for (size_t i = 0; i < count; i++) {
        pthread_join(started[i], NULL);
    }
    assert(threads->working == 0);
    pthread_cond_destroy(&threads->ended);
    pthread_mutex_destroy(&threads->mutex);
    if (threads->status != LOTOR_OK) {
        lotor_explain(why, "%s", threads->why.text);
    }
    return threads->status;
}
