/* audit_trials.c - see audit_trials.h. */
#include "lab/audit_trials.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/secure.h"

enum { CHUNK = 64 }; /* trials of one task */

/* The memory of one thread. */
typedef struct worker {
    lotor_audit_trials *batch;
    lotor_audit_player player;
    lotor_generator generator;
    lotor_audit_transcript transcript;
    lotor_audit_reading reading;
    lotor_audit_counts counts[LOTOR_AUDIT_ATTACKS];
    lotor_audit_maxima most;
} worker;

bool lotor_audit_is_simulated(const lotor_audit_request *audit)
{
    return audit->is_seeded || audit->algorithm->is_simulation_only;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void lotor_audit_maxima_take(lotor_audit_maxima *most, const lotor_audit_maxima *more)
{
    most->rounds = larger(most->rounds, more->rounds);
    most->releases = larger(most->releases, more->releases);
    most->seen = larger(most->seen, more->seen);
}

lotor_audit_maxima lotor_audit_maxima_of(const lotor_audit_player *player, lotor_audit_view view)
{
    const lotor_audit_transcript *transcript = player->transcript;
    return (lotor_audit_maxima){
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
    lotor_audit_trials *shared = own->batch;
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
    const lotor_audit_trials *shared = own->batch;
    if (!own->player.source) {
        lotor_generator_seed(&own->generator,
                             lotor_mix(shared->seed + trial * UINT64_C(0x9e3779b97f4a7c15)));
    }
    own->player.world = trial % 2;
    const lotor_status status = lotor_audit_play(&own->player, why);
    if (status != LOTOR_OK) {
        return status;
    }
    const lotor_audit_maxima most = lotor_audit_maxima_of(&own->player, shared->audit->view);
    lotor_audit_maxima_take(&own->most, &most);
    lotor_audit_read(&own->transcript, shared->audit->view, &own->reading);
    count_events(own, trial);
    return LOTOR_OK;
}

static lotor_status play_chunks(worker *own, lotor_threads *threads, lotor_message *why)
{
    const lotor_audit_trials *shared = own->batch;
    uint64_t chunk;
    while (lotor_threads_next(threads, &chunk)) {
        const uint64_t from = shared->first + chunk * CHUNK;
        const uint64_t to = from + CHUNK < shared->end ? from + CHUNK : shared->end;
        for (uint64_t trial = from; trial < to; trial++) {
            const lotor_status status = play_trial(own, trial, why);
            if (status != LOTOR_OK) {
                return status;
            }
        }
    }
    return LOTOR_OK;
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

/* Adds the results of one thread to those of the batch. */
static void hand_in(lotor_audit_trials *shared, const worker *own)
{
    pthread_mutex_lock(&shared->mutex);
    add_counts(shared->counts, own->counts);
    lotor_audit_maxima_take(&shared->most, &own->most);
    pthread_mutex_unlock(&shared->mutex);
}

static void work(void *context, lotor_threads *threads)
{
    lotor_audit_trials *shared = context;
    lotor_message why = {.text = ""};
    worker *own = calloc(1, sizeof *own);
    if (!own) {
        lotor_explain(&why, "no memory for an audit");
        lotor_threads_fail(threads, LOTOR_MEMORY, &why);
        return;
    }
    lotor_status status = LOTOR_OK;
    if (!lotor_audit_is_simulated(shared->audit)) {
        status = lotor_secure_make(&why, &own->player.source);
    }
    if (status == LOTOR_OK) {
        own->batch = shared;
        own->player.setting = shared->setting;
        own->player.pair = shared->pair;
        own->player.generator = &own->generator;
        own->player.transcript = &own->transcript;
        status = play_chunks(own, threads, &why);
    }
    if (status != LOTOR_OK) {
        lotor_threads_fail(threads, status, &why);
    }
    hand_in(shared, own);
    lotor_audit_player_clear(&own->player);
    lotor_secure_free(own->player.source);
    free(own);
}

/* --- all threads -------------------------------------------------------------------------------- */

static void tell_progress(void *context, lotor_threads *threads)
{
    const lotor_audit_trials *shared = context;
    const lotor_audit_request *audit = shared->audit;
    const uint64_t trials = shared->end - shared->first;
    const uint64_t begun = lotor_threads_begun(threads) * CHUNK;
    const uint64_t done = shared->before + (begun < trials ? begun : trials);
    if (audit->progress && audit->progress(audit->context, (double)done / (double)shared->all)) {
        lotor_threads_fail(threads, LOTOR_STOPPED, NULL);
    }
}

lotor_status lotor_audit_trials_play(lotor_audit_trials *shared, lotor_message *why)
{
    const uint64_t trials = shared->end - shared->first;
    lotor_threads threads = {
        .wanted = shared->audit->threads,
        .tasks = (trials + CHUNK - 1) / CHUNK,
        .work = work,
        .watch = tell_progress,
        .context = shared,
    };
    const lotor_status status = lotor_threads_run(&threads, why);
    shared->before += trials;
    return status;
}
