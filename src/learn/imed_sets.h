/* imed_sets.h - the sets of the learner of imed.h (rules 3 to 5 of imed.md): the leaders, the best set
 * that has a given arm, and the evidence against that arm. Also the learner's state, for imed.c and
 * imed_sets.c alone.
 */
#ifndef LOTOR_LEARN_IMED_SETS_H
#define LOTOR_LEARN_IMED_SETS_H

#include "learn/imed.h"

#define LOTOR_IMED_TIE 1e-12 /* differences up to this are rounding */

typedef struct lotor_imed_state {
    lotor_imed_arm known;
    double doubt;             /* the evidence against it, less the caution; of a known arm */
    double index;             /* of an arm that is not a leader */
    double displays;          /* N: all displays */
    double waiting;           /* displays that are not open, and not released */
    bool is_leader, can_show; /* in the best set; in some set that the oracle finds */
} lotor_imed_state;

struct lotor_imed_learner {
    lotor_imed_setup setup;
    size_t arms, slots;
    double first; /* b0 */
    double most;  /* displays in a batch, by the window */
    lotor_fading fading;
    uint64_t posts, seed;
    lotor_imed_memory memory;
    uint64_t stale; /* from this round on, a release is too old */
    bool has_sets, was_masked;
    bool *mask; /* the eligible arms that the sets were found for, if was_masked */
    lotor_imed_state *states;
    lotor_imed_batch *batches; /* of all arms; memory is touched only where it is used */
    double *weights;           /* what the oracle sees */
    double *share;             /* of a gap, per arm: spread_evidence */
    uint64_t *tie;
    uint32_t *order, *moved; /* of the weights; the same with one arm in front */
    uint32_t *leaders, *picked;
    size_t leader_count;
    void *work;
};

static inline bool lotor_imed_is_known(const lotor_imed_state *arm)
{
    return arm->known.released > 0.0;
}

/* A random word for an arm. It depends on the seed and on how many releases there were. */
uint64_t lotor_imed_tie(const lotor_imed_learner *learner, size_t arm);

/* The best set for the learner's weights, of eligible arms alone. */
size_t lotor_imed_best_set(lotor_imed_learner *learner, const bool *eligible, uint32_t *out);

/* Sorts a set that the oracle only cares about as a set, so that the best arm comes first. */
void lotor_imed_sort(const lotor_imed_learner *learner, uint32_t *set, size_t count);

/* Finds the weights, their order and the leaders. */
void lotor_imed_find_leaders(lotor_imed_learner *learner, const bool *eligible);

/* The best set that has arm e, which is not a leader, into `picked`. Returns its size; 0: there is
 * none. */
size_t lotor_imed_set_with(lotor_imed_learner *learner, size_t e, const bool *eligible);

/* The evidence against arm e, which is not a leader; 0 if it has no release. Sets can_show. `best` is
 * the value of the leaders. */
double lotor_imed_evidence(lotor_imed_learner *learner, size_t e, double best,
                           const bool *eligible);

#endif
