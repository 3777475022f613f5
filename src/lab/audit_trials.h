/* audit_trials.h - plays many trials of one pair of neighbouring inputs, on all cores.
 *
 * Even trials are played in world 0, odd trials in world 1. With a seed, the random numbers of a
 * trial depend only on its number. So the number of threads changes only the time.
 */
#ifndef LOTOR_LAB_AUDIT_TRIALS_H
#define LOTOR_LAB_AUDIT_TRIALS_H

#include <pthread.h>

#include "base/threads.h"
#include "lab/audit_attacks.h"
#include "lab/audit_learn.h"

enum { LOTOR_AUDIT_ATTACKS = 16 }; /* handwritten attacks, at most; then the learned one */

/* The largest values of any trial. */
typedef struct lotor_audit_maxima {
    uint64_t rounds;
    uint64_t releases; /* rounds with a release, not counting those at the start */
    uint64_t seen;     /* decisions, releases or reports of the replaced round, by view */
} lotor_audit_maxima;

void lotor_audit_maxima_take(lotor_audit_maxima *most, const lotor_audit_maxima *more);

/* The values of one trial, for an adversary with this view. */
lotor_audit_maxima lotor_audit_maxima_of(const lotor_audit_player *player, lotor_audit_view view);

typedef struct lotor_audit_trials {
    const lotor_audit_request *audit;
    const lotor_audit_setting *setting;
    const lotor_audit_pair *pair;
    const lotor_audit_classifier *learned; /* the trials test this attack; NULL: they train one */
    size_t attacks;                        /* number of handwritten attacks */
    uint64_t first, end;                   /* numbers of the trials: first <= n < end */
    uint64_t seed;
    float *numbers;       /* readings of the training trials */
    uint64_t before, all; /* for progress: finished trials, and all trials of the audit */

    /* Totals of the trials. */
    lotor_audit_counts counts[LOTOR_AUDIT_ATTACKS];
    lotor_audit_maxima most;
    pthread_mutex_t mutex; /* protects counts and most */
} lotor_audit_trials;

/* Plays trials [first, end), and adds to the counts. LOTOR_STOPPED if the audit's progress function
 * says so. */
lotor_status lotor_audit_trials_play(lotor_audit_trials *shared, lotor_message *why);

bool lotor_audit_is_simulated(const lotor_audit_request *audit);

#endif
