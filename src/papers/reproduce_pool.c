/* reproduce_pool.c - see reproduce_pool.h. */
#include "papers/reproduce_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 256 };

typedef struct pool {
    size_t count;
    atomic_size_t next;
    void (*task)(void *context, size_t number);
    void *context;
} pool;

static void *work(void *argument)
{
    pool *self = argument;
    for (;;) {
        const size_t number = atomic_fetch_add(&self->next, 1);
        if (number >= self->count) {
            return NULL;
        }
        self->task(self->context, number);
    }
}

size_t lotor_pool_threads(size_t asked)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t meant = asked > 0 ? asked : (size_t)(cores > 0 ? cores : 1);
    return meant < MOST_THREADS ? meant : MOST_THREADS;
}

void lotor_pool_run(size_t threads, size_t count, void (*task)(void *context, size_t number),
                    void *context)
{
    pool self = {.count = count, .task = task, .context = context};
    pthread_t others[MOST_THREADS];
    size_t started = 0;
    const size_t most = threads < MOST_THREADS ? threads : MOST_THREADS;
    while (started + 1 < most && started + 1 < count &&
           pthread_create(&others[started], NULL, work, &self) == 0) {
        started++;
    }
    (void)work(&self);
    for (size_t i = 0; i < started; i++) {
        pthread_join(others[i], NULL);
    }
}
