/* audit_batch.h - many trials of one scene, on all cores.
 *
 * Even trials are played in world 0, odd ones in world 1. With a seed, trial n has random numbers of
 * its own by n: threads change nothing but the time.
 */
#ifndef LOTOR_LAB_AUDIT_BATCH_H
#define LOTOR_LAB_AUDIT_BATCH_H

#include <pthread.h>

#include "base/threads.h"
#include "lab/audit_attacks.h"
#include "lab/audit_learn.h"

enum { LOTOR_AUDIT_ATTACKS = 16 }; /* by hand, at most; the learned one comes behind them */

/* The most of it that a trial showed. */
typedef struct lotor_audit_most {
    uint64_t rounds;
    uint64_t releases; /* rounds with a release, not counting what is there at the start */
    uint64_t seen;     /* what the view is of: decisions, releases, or reports of the round */
} lotor_audit_most;

void lotor_audit_most_take(lotor_audit_most *most, const lotor_audit_most *more);

/* What a trial showed, to whoever has this view. */
lotor_audit_most lotor_audit_most_of(const lotor_audit_player *player, lotor_audit_view view);

typedef struct lotor_audit_batch {
    const lotor_audit *audit;
    const lotor_audit_setting *setting;
    const lotor_audit_scene *scene;
    const lotor_audit_learned *learned; /* to be tested; or NULL: to be taught */
    size_t attacks;                     /* by hand */
    uint64_t first, end;                /* numbers of its trials */
    uint64_t seed;
    float *numbers;       /* of the trials that teach */
    uint64_t before, all; /* trials of the audit that are over, and its trials, for progress */

    /* What they add up to. */
    lotor_audit_counts counts[LOTOR_AUDIT_ATTACKS];
    lotor_audit_most most;
    pthread_mutex_t mutex; /* protects counts and most */
} lotor_audit_batch;

/* Plays trials [first, end); counts are added to those that are there. LOTOR_STOPPED if the
 * audit's progress function says so. */
lotor_status lotor_audit_batch_play(lotor_audit_batch *shared, lotor_message *why);

bool lotor_audit_is_simulated(const lotor_audit *audit);

#endif
