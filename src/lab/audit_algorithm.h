/* audit_algorithm.h - the trials of an algorithm of the catalog, as the subject of an audit: each
 * thread has a player, its transcript, and the reading of it. */
#ifndef LOTOR_LAB_AUDIT_ALGORITHM_H
#define LOTOR_LAB_AUDIT_ALGORITHM_H

#include "lab/audit_attacks.h"
#include "lab/audit_trials.h"

/* The largest values of any trial. */
typedef struct lotor_audit_maxima {
    uint64_t rounds;
    uint64_t releases; /* rounds with a release, not counting those at the start */
    uint64_t seen;     /* decisions, releases or reports of the replaced round, by view */
    uint64_t together; /* numbers that are released together with the replaced round */
    uint64_t covered;  /* the number of the replaced round, if a release contains it */
} lotor_audit_maxima;

void lotor_audit_maxima_take(lotor_audit_maxima *most, const lotor_audit_maxima *more);

/* The values of one trial, for an adversary with this view. */
lotor_audit_maxima lotor_audit_maxima_of(const lotor_audit_player *player, lotor_audit_view view);

/* The trials of one pair: the data that the threads share. */
typedef struct lotor_audit_pair_trials {
    const lotor_audit_request *audit;
    const lotor_audit_setting *setting;
    const lotor_audit_pair *pair;
    uint64_t seed;
    lotor_audit_maxima most;
    pthread_mutex_t mutex; /* protects most */
} lotor_audit_pair_trials;

/* The subject whose trials play this pair in its setting. `shared` must outlive the subject. NULL: the
 * caller only needs the list of events. */
lotor_audit_subject lotor_audit_subject_of(const lotor_audit_request *audit,
                                           lotor_audit_pair_trials *shared);

bool lotor_audit_is_simulated(const lotor_audit_request *audit);

#endif
