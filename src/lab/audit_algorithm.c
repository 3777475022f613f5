/* audit_algorithm.c - see audit_algorithm.h. */
#include "lab/audit_algorithm.h"

#include <stdlib.h>

#include "base/message.h"
#include "base/secure.h"

enum { CHUNK = 64 }; /* trials of one task */

/* The memory of one thread. */
typedef struct worker {
    lotor_audit_pair_trials *shared;
    lotor_audit_player player;
    lotor_generator generator;
    lotor_audit_transcript transcript;
    lotor_audit_reading reading;
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
    most->together = larger(most->together, more->together);
    most->covered = larger(most->covered, more->covered);
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
        .covered = player->covered > 0 ? player->replaced : 0,
    };
}

/* --- one thread --------------------------------------------------------------------------------- */

static lotor_status begin(void *context, lotor_message *why, void **out)
{
    lotor_audit_pair_trials *shared = context;
    worker *own = calloc(1, sizeof *own);
    if (!own) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for an audit");
    }
    if (!lotor_audit_is_simulated(shared->audit)) {
        const lotor_status status = lotor_secure_make(why, &own->player.source);
        if (status != LOTOR_OK) {
            free(own);
            return status;
        }
    }
    own->shared = shared;
    own->player.setting = shared->setting;
    own->player.pair = shared->pair;
    own->player.generator = &own->generator;
    own->player.transcript = &own->transcript;
    *out = own;
    return LOTOR_OK;
}

static lotor_status play(void *context, uint64_t trial, lotor_message *why,
                         lotor_audit_evidence *out)
{
    worker *own = context;
    const lotor_audit_view view = own->shared->audit->view;
    if (!own->player.source) {
        lotor_generator_seed(&own->generator,
                             lotor_mix(own->shared->seed + trial * UINT64_C(0x9e3779b97f4a7c15)));
    }
    own->player.world = trial % 2;
    const lotor_status status = lotor_audit_play(&own->player, why);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_audit_maxima most = lotor_audit_maxima_of(&own->player, view);
    lotor_audit_read(&own->transcript, view, &own->reading);
    most.together = own->reading.together;
    lotor_audit_maxima_take(&own->most, &most);
    *out = (lotor_audit_evidence){.numbers = own->reading.numbers};
    for (size_t i = 0; lotor_audit_attacks[i].id; i++) {
        out->events |= (uint32_t)lotor_audit_attacks[i].holds(&own->reading) << i;
    }
    return LOTOR_OK;
}

static void end(void *context)
{
    worker *own = context;
    pthread_mutex_lock(&own->shared->mutex);
    lotor_audit_maxima_take(&own->shared->most, &own->most);
    pthread_mutex_unlock(&own->shared->mutex);
    lotor_audit_player_clear(&own->player);
    lotor_secure_free(own->player.source);
    free(own);
}

/* --- the subject -------------------------------------------------------------------------------- */

static const char *event_name(size_t event)
{
    return lotor_audit_attacks[event].id;
}

static const char *event_words(size_t event, bool of_not)
{
    return of_not ? lotor_audit_attacks[event].not_words : lotor_audit_attacks[event].words;
}

lotor_audit_subject lotor_audit_subject_of(const lotor_audit_request *audit,
                                           lotor_audit_pair_trials *shared)
{
    lotor_audit_subject subject = {
        .context = shared,
        .layout = &lotor_reading_layout,
        .chunk = CHUNK,
        .begin = begin,
        .play = play,
        .end = end,
        .event_name = event_name,
        .event_words = event_words,
    };
    for (size_t i = 0; lotor_audit_attacks[i].id; i++) {
        subject.event_count++;
        subject.visible |= ((lotor_audit_attacks[i].views >> audit->view) & 1U) << i;
    }
    return subject;
}
