/* audit_batch.c - see audit_batch.h. */
#include "lab/audit_batch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/secure.h"

enum { CHUNK = 64 }; /* trials that a thread takes at a time */

/* What a thread has of its own. */
typedef struct worker {
    lotor_audit_batch *batch;
    lotor_audit_player player;
    lotor_simulation simulation;
    lotor_audit_transcript transcript;
    lotor_audit_reading reading;
    lotor_audit_counts counts[LOTOR_AUDIT_ATTACKS];
    lotor_audit_most most;
} worker;

bool lotor_audit_is_simulated(const lotor_audit *audit)
{
    return audit->is_seeded || audit->algorithm->is_simulation_only;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void lotor_audit_most_take(lotor_audit_most *most, const lotor_audit_most *more)
{
    most->rounds = larger(most->rounds, more->rounds);
    most->releases = larger(most->releases, more->releases);
    most->seen = larger(most->seen, more->seen);
}

lotor_audit_most lotor_audit_most_of(const lotor_audit_player *player, lotor_audit_view view)
{
    const lotor_audit_transcript *transcript = player->transcript;
    return (lotor_audit_most){
        .rounds = player->round,
        .releases = transcript->release_rounds,
        .seen = view == LOTOR_VIEW_ACTIONS   ? transcript->shown_count
                : view == LOTOR_VIEW_REPORTS ? transcript->reports
                                             : transcript->releases,
    };
}

/* --- one thread --------------------------------------------------------------------------------- */

static void count_events(worker *own, uint64_t trial)
{
    lotor_audit_batch *shared = own->batch;
    const unsigned world = trial % 2;
    for (size_t i = 0; i < shared->attacks; i++) {
        const lotor_audit_attack *attack = &lotor_audit_attacks[i];
        own->counts[i].trials[world]++;
        own->counts[i].seen[world] += attack->holds(&own->reading);
    }
    if (shared->learned) {
        lotor_audit_counts *counts = &own->counts[shared->attacks];
        counts->trials[world]++;
        counts->seen[world] += lotor_audit_learned_holds(shared->learned, own->reading.numbers);
    } else {
        memcpy(shared->numbers + (trial - shared->first) * LOTOR_READING_NUMBERS,
               own->reading.numbers, sizeof own->reading.numbers);
    }
}

static lotor_status play_trial(worker *own, uint64_t trial, lotor_message *why)
{
    const lotor_audit_batch *shared = own->batch;
    if (!own->player.source) {
        lotor_simulation_seed(&own->simulation,
                              lotor_mix(shared->seed + trial * UINT64_C(0x9e3779b97f4a7c15)));
    }
    own->player.world = trial % 2;
    const lotor_status status = lotor_audit_play(&own->player, why);
    if (status != LOTOR_OK) {
        return status;
    }
    const lotor_audit_most most = lotor_audit_most_of(&own->player, shared->audit->view);
    lotor_audit_most_take(&own->most, &most);
    lotor_audit_read(&own->transcript, shared->audit->view, &own->reading);
    count_events(own, trial);
    return LOTOR_OK;
}

static lotor_status play_chunks(worker *own, lotor_message *why)
{
    lotor_audit_batch *shared = own->batch;
    for (;;) {
        const uint64_t from = atomic_fetch_add(&shared->next, CHUNK);
        if (from >= shared->end || atomic_load(&shared->stop)) {
            return LOTOR_OK;
        }
        const uint64_t to = from + CHUNK < shared->end ? from + CHUNK : shared->end;
        for (uint64_t trial = from; trial < to; trial++) {
            const lotor_status status = play_trial(own, trial, why);
            if (status != LOTOR_OK) {
                return status;
            }
        }
    }
}

static void add_counts(lotor_audit_counts *sum, const lotor_audit_counts *more)
{
    for (size_t i = 0; i < LOTOR_AUDIT_ATTACKS; i++) {
        for (unsigned world = 0; world < 2; world++) {
            sum[i].trials[world] += more[i].trials[world];
            sum[i].seen[world] += more[i].seen[world];
        }
    }
}

/* The thread's own results go to all. */
static void hand_in(lotor_audit_batch *shared, const worker *own, lotor_status status,
                    const lotor_message *why)
{
    pthread_mutex_lock(&shared->mutex);
    if (status != LOTOR_OK && shared->status == LOTOR_OK) {
        shared->status = status;
        shared->why = *why;
        atomic_store(&shared->stop, true);
    }
    if (own) {
        add_counts(shared->counts, own->counts);
        lotor_audit_most_take(&shared->most, &own->most);
    }
    shared->working--;
    pthread_cond_signal(&shared->changed);
    pthread_mutex_unlock(&shared->mutex);
}

static void *work(void *argument)
{
    lotor_audit_batch *shared = argument;
    lotor_message why = {.text = ""};
    worker *own = calloc(1, sizeof *own);
    lotor_status status = own ? LOTOR_OK : lotor_fail(LOTOR_MEMORY, &why, "no memory for an audit");
    if (status == LOTOR_OK && !lotor_audit_is_simulated(shared->audit)) {
        status = lotor_secure_make(&why, &own->player.source);
    }
    if (status == LOTOR_OK) {
        own->batch = shared;
        own->player.setting = shared->setting;
        own->player.scene = shared->scene;
        own->player.simulation = &own->simulation;
        own->player.transcript = &own->transcript;
        status = play_chunks(own, &why);
    }
    hand_in(shared, own, status, &why);
    if (own) {
        lotor_audit_player_clear(&own->player);
        lotor_secure_free(own->player.source);
    }
    free(own);
    return NULL;
}

/* --- all threads -------------------------------------------------------------------------------- */

static void watch(lotor_audit_batch *shared)
{
    const lotor_audit *audit = shared->audit;
    pthread_mutex_lock(&shared->mutex);
    while (shared->working > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        pthread_cond_timedwait(&shared->changed, &shared->mutex, &until);
        const uint64_t next = atomic_load(&shared->next);
        const uint64_t done = (next < shared->end ? next : shared->end) - shared->first;
        if (audit->progress && audit->progress(audit->context, (double)(shared->before + done) /
                                                                   (double)shared->all)) {
            if (shared->status == LOTOR_OK) {
                shared->status = LOTOR_STOPPED;
            }
            atomic_store(&shared->stop, true);
        }
    }
    pthread_mutex_unlock(&shared->mutex);
}

lotor_status lotor_audit_batch_play(lotor_audit_batch *shared)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t trials = shared->end - shared->first;
    size_t wanted =
        shared->audit->threads ? shared->audit->threads : (size_t)(cores > 0 ? cores : 1);
    wanted = wanted < trials / CHUNK + 1 ? wanted : (size_t)(trials / CHUNK + 1);
    wanted = wanted < LOTOR_AUDIT_MOST_THREADS ? wanted : LOTOR_AUDIT_MOST_THREADS;
    pthread_t threads[LOTOR_AUDIT_MOST_THREADS];
    size_t started = 0;
    atomic_store(&shared->next, shared->first);
    shared->working = wanted;
    while (started < wanted && pthread_create(&threads[started], NULL, work, shared) == 0) {
        started++;
    }
    pthread_mutex_lock(&shared->mutex);
    shared->working -= wanted - started;
    pthread_mutex_unlock(&shared->mutex);
    if (started == 0) {
        shared->working = 1;
        (void)work(shared);
    }
    watch(shared);
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    shared->before += trials;
    return shared->status;
}
