/* seams.c - replaces random bytes, clocks and locks of the process while a simulated world runs.
 *
 * The linker redirects getrandom, clock_gettime, time and the lock functions to this file (see
 * CMakeLists.txt); libsodium has a hook for random bytes. So the engine has no test code in it.
 */
#include <errno.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "simulation/sim.h"

static sim *world;
static rng outside = {1}; /* random bytes for code that belongs to no server */

static rng *random_of(void)
{
    return world && world->running ? &world->running->random : &outside;
}

static const char *seeded_name(void)
{
    return "seeded";
}

static uint32_t seeded_word(void)
{
    return (uint32_t)rng_word(random_of());
}

static void seeded_bytes(void *const bytes, const size_t count)
{
    rng_fill(random_of(), bytes, count);
}

static randombytes_implementation seeded = {
    .implementation_name = seeded_name, .random = seeded_word, .buf = seeded_bytes};

void sim_seams(sim *now)
{
    world = now;
    outside.state = 1;
    randombytes_set_implementation(&seeded);
}

ssize_t __wrap_getrandom(void *bytes, size_t count, unsigned flags);
ssize_t __wrap_getrandom(void *bytes, size_t count, unsigned flags)
{
    (void)flags;
    rng_fill(random_of(), bytes, count);
    return (ssize_t)count;
}

int __real_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    if (!world || !world->running) {
        return __real_clock_gettime(clock, out);
    }
    uint64_t now = clock == CLOCK_REALTIME ? sim_own_now(world->running)
                                           : world->now - world->running->boot_base;
    out->tv_sec = (time_t)(now / 1000);
    out->tv_nsec = (long)(now % 1000 * 1000000);
    return 0;
}

time_t __real_time(time_t *out);
time_t __wrap_time(time_t *out);
time_t __wrap_time(time_t *out)
{
    if (!world || !world->running) {
        return __real_time(out);
    }
    time_t now = (time_t)(sim_own_now(world->running) / 1000);
    if (out) {
        *out = now;
    }
    return now;
}

/* Ends the program if a lock is held already: the engine must not hold a lock during a call of
 * the store. */
static int refuse_lock(int result)
{
    if (result != EBUSY || !world) {
        return result;
    }
    fprintf(stderr, "simulation: a lock is held during a call of the store\n");
    abort();
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    return refuse_lock(pthread_mutex_trylock(mutex));
}

int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    return refuse_lock(pthread_rwlock_tryrdlock(lock));
}

int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    return refuse_lock(pthread_rwlock_trywrlock(lock));
}
