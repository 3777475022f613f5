/* audit_pair.h - pairs of neighbouring inputs: one round's feedback, or context and feedback,
 * differs. A row of the table also says how its rounds are played. */
#ifndef LOTOR_LAB_AUDIT_PAIR_H
#define LOTOR_LAB_AUDIT_PAIR_H

#include "lab/audit.h"

enum {
    LOTOR_AUDIT_OPEN = 4,     /* the most rounds that are open at a time */
    LOTOR_AUDIT_DIMENSION = 4 /* of contexts that are turned */
};

/* The feedback of the replaced round. */
typedef enum lotor_audit_feedback {
    LOTOR_AUDIT_FEEDBACK_LEAST = 0, /* the least reward of every asked arm; no click */
    LOTOR_AUDIT_FEEDBACK_LARGEST,   /* each asked arm pays the most; a click on the first item */
    LOTOR_AUDIT_FEEDBACK_LAST,      /* a click on the last item */
    LOTOR_AUDIT_FEEDBACK_FIRST,     /* the first asked arm pays the most, the others the least */
    LOTOR_AUDIT_FEEDBACK_DEFAULT,   /* feedback equal to the default reward */
    LOTOR_AUDIT_FEEDBACK_NOTHING    /* no feedback */
} lotor_audit_feedback;

typedef struct lotor_audit_pair {
    const char *id;
    uint64_t replaced;      /* number of the replaced round, from 1; 0: the exact start */
    uint64_t replaced_last; /* not 0: the replaced round is drawn from `replaced` to this one */
    lotor_audit_feedback feedback[2]; /* in world 0 and in world 1 */
    bool lacks_context[2];            /* linear: the actions of the round are all 0, not all 1 */
    bool is_turned; /* linear: contexts of LOTOR_AUDIT_DIMENSION, 60 degrees apart in the worlds */
    const char *words[2]; /* "when ...": for the description of events */
    size_t open;          /* so many rounds are open at a time; 0 means 1 */
    bool is_served; /* through policy/serving.h, and in each round random arms are not eligible */
    bool reloads;   /* the first releases after it are refused once; then the state is reloaded */
    bool is_list;   /* feedback is a click on a list, also for algorithms that play any problem */
    unsigned share; /* share of the trials, relative to other pairs */
    bool (*fits)(const lotor_algorithm *algorithm, const lotor_audit_request *audit);
} lotor_audit_pair;

/* The last row has an id of NULL. */
extern const lotor_audit_pair lotor_audit_pairs[];

/* True if the feedback is a click on a list. */
bool lotor_audit_hears_clicks(const lotor_algorithm *algorithm);

#endif
