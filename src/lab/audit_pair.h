/* audit_pair.h - pairs of neighbouring inputs: one round's feedback, or context and feedback,
 * differs. */
#ifndef LOTOR_LAB_AUDIT_PAIR_H
#define LOTOR_LAB_AUDIT_PAIR_H

#include "lab/audit.h"

/* The feedback of the replaced round. */
typedef enum lotor_audit_feedback {
    LOTOR_AUDIT_FEEDBACK_LEAST = 0, /* the least reward of every asked arm; no click */
    LOTOR_AUDIT_FEEDBACK_LARGEST,   /* each asked arm pays the most; a click on the first item */
    LOTOR_AUDIT_FEEDBACK_LAST,      /* a click on the last item */
    LOTOR_AUDIT_FEEDBACK_DEFAULT,   /* feedback equal to the default reward */
    LOTOR_AUDIT_FEEDBACK_NOTHING    /* no feedback */
} lotor_audit_feedback;

typedef struct lotor_audit_pair {
    const char *id;
    uint64_t replaced;                /* number of the replaced round, from 1; 0: the exact start */
    lotor_audit_feedback feedback[2]; /* in world 0 and in world 1 */
    bool lacks_context[2];            /* linear: the actions of the round are all 0, not all 1 */
    const char *words[2];             /* "when ...": for the description of events */
    bool reloads;   /* the first releases after it are refused once; then the state is reloaded */
    bool is_list;   /* feedback is a click on a list, also for algorithms that play any problem */
    unsigned share; /* share of the trials, relative to other pairs */
    bool (*fits)(const lotor_algorithm *algorithm, const lotor_audit_request *audit);
} lotor_audit_pair;

/* The last row has an id of NULL. */
extern const lotor_audit_pair lotor_audit_pairs[];

/* Whether the feedback is a click on a list. */
bool lotor_audit_hears_clicks(const lotor_algorithm *algorithm);

#endif
