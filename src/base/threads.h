/* threads.h - the one way to spread numbered tasks over several threads.
 *
 *     static void work(void *context, lotor_threads *threads)
 *     {
 *         uint64_t task;
 *         while (lotor_threads_next(threads, &task)) { ... }
 *     }
 *     lotor_threads threads = {.tasks = 1000, .work = work, .context = &all};
 *     status = lotor_threads_run(&threads, why);
 *
 * Each thread calls `work` once, and `work` asks for tasks until there are none left. The resources
 * of one thread (memory, a random source) is a local variable of `work`. Tasks are handed out in
 * the order of their numbers. So that results do not depend on the number of threads, a task writes
 * only to its own place, or adds whole numbers.
 */
#ifndef LOTOR_BASE_THREADS_H
#define LOTOR_BASE_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

enum { LOTOR_MOST_THREADS = 256 };

typedef struct lotor_threads {
    size_t wanted; /* the number of threads; 0: one for each core */
    uint64_t tasks;
    void (*work)(void *context, struct lotor_threads *threads);
    /* NULL: the calling thread works, too. Else the calling thread calls this about ten times per
     * second, and each time a thread ends, to report progress. */
    void (*watch)(void *context, struct lotor_threads *threads);
    void *context;

    /* The rest belongs to threads.c. */
    atomic_uint_fast64_t next;
    atomic_bool is_stopped;
    pthread_mutex_t mutex; /* protects the fields below */
    pthread_cond_t ended;
    size_t working;
    lotor_status status;
    lotor_message why;
} lotor_threads;

/* The number of threads to use if `wanted` are asked for; 0 means one for each core. At least 1, at
 * most LOTOR_MOST_THREADS. */
size_t lotor_threads_count(size_t wanted);

/* Starts the threads and waits until all have ended. If no thread can be started, the calling
 * thread does all the work. Returns the first failure that a thread reported, or LOTOR_OK. */
lotor_status lotor_threads_run(lotor_threads *threads, lotor_message *why);

/* For `work`: the next task. False if there are no more tasks, or the threads are to stop. */
bool lotor_threads_next(lotor_threads *threads, uint64_t *task);

/* The number of tasks that were handed out so far. */
uint64_t lotor_threads_begun(const lotor_threads *threads);

/* Stops all threads after their current task. Keeps the failure if it is the first one. `why` may
 * be NULL. */
void lotor_threads_fail(lotor_threads *threads, lotor_status status, const lotor_message *why);

/* Stops all threads after their current task. This is not a failure. */
void lotor_threads_stop(lotor_threads *threads);

/* True if the threads are to stop. For long tasks that can end early. */
bool lotor_threads_are_stopped(const lotor_threads *threads);

#endif
