/* audit_scene.h - neighbouring inputs: one round's feedback, or its context and feedback, replaced. */
#ifndef LOTOR_LAB_AUDIT_SCENE_H
#define LOTOR_LAB_AUDIT_SCENE_H

#include "lab/audit.h"

/* What the replaced round answers. */
typedef enum lotor_audit_answer {
    LOTOR_ANSWER_LEAST = 0, /* the least reward of every asked arm; no click */
    LOTOR_ANSWER_MOST,      /* the largest reward of every asked arm; a click on the first item */
    LOTOR_ANSWER_LAST,      /* a click on the last item */
    LOTOR_ANSWER_DEFAULT,   /* what counts when nobody answers, but answered */
    LOTOR_ANSWER_NOTHING    /* no answer at all */
} lotor_audit_answer;

typedef struct lotor_audit_scene {
    const char *id;
    uint64_t replaced;            /* which round, from 1; 0: the exact start */
    lotor_audit_answer answer[2]; /* in world 0 and in world 1 */
    bool lacks_context[2];        /* linear: the round's actions are all 0, not all 1 */
    const char *words[2];         /* "when ...": for events */
    bool reloads; /* the first releases from then on are refused once, the state saved and loaded */
    bool is_list; /* people click on lists: also for those that play any problem */
    unsigned share; /* of the trials */
    bool (*fits)(const lotor_algorithm *algorithm, const lotor_audit *audit);
} lotor_audit_scene;

/* Ended by an id of NULL. */
extern const lotor_audit_scene lotor_audit_scenes[];

/* Whether people answer with clicks on lists. */
bool lotor_audit_hears_clicks(const lotor_algorithm *algorithm);

#endif
