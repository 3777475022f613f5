/* audit_tally.h - the search for an event that tells two worlds apart, for everything that can be
 * audited: algorithms of the catalog (audit.c) and mechanisms of others (audit_mechanism.c).
 *
 * The first half of a pair's trials (at most 50,000) trains the learned attacks, and the others test
 * them. Handwritten events are counted in all trials. The tally keeps the event with the largest
 * bound of all pairs of inputs.
 */
#ifndef LOTOR_LAB_AUDIT_TALLY_H
#define LOTOR_LAB_AUDIT_TALLY_H

#include "lab/audit.h"
#include "lab/audit_trials.h"

typedef struct lotor_audit_tally {
    double delta, miss;  /* miss: the error probability of one confidence bound */
    uint64_t all_trials; /* of the whole audit */
    size_t threads;      /* 0: one per core */
    bool (*progress)(void *context, double share);
    void *progress_context;
    lotor_audit_finding *out; /* claimed epsilon, and then what was found */

    /* Private fields of audit_tally.c. */
    uint64_t before;  /* trials that were played */
    bool is_told;     /* some event was neither rare nor certain */
    bool is_measured; /* and it was one of a pair with enough trials to limit what it can show */
    double at_most;   /* the largest epsilon that events of such pairs can show */
} lotor_audit_tally;

/* Two neighbouring inputs, in words. */
typedef struct lotor_audit_inputs {
    const char *id;
    const char *words[2]; /* "in 10% of the trials when ..." */
} lotor_audit_inputs;

/* The number of events that this subject's trials can show, and the error probability of one bound
 * if all of them, for so many pairs of inputs, share the confidence. */
void lotor_audit_tally_plan(lotor_audit_tally *tally, const lotor_audit_subject *subject,
                            size_t pairs, double confidence);

/* Plays the trials of one pair of inputs, and weighs their events. LOTOR_STOPPED: `progress`
 * returned true. */
lotor_status lotor_audit_tally_play(lotor_audit_tally *tally, const lotor_audit_subject *subject,
                                    const lotor_audit_inputs *inputs, uint64_t trials,
                                    lotor_message *why);

/* Gives the verdict. `is_seen`: enough was seen to say anything. `is_of_claim`: the trials showed
 * everything that the claim is about. */
void lotor_audit_tally_judge(const lotor_audit_tally *tally, bool is_seen, bool is_of_claim);

#endif
