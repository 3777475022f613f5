/* audit_attacks.h - events by hand: worst cases that a person would look for. Adding one is adding a
 * row. */
#ifndef LOTOR_LAB_AUDIT_ATTACKS_H
#define LOTOR_LAB_AUDIT_ATTACKS_H

#include "lab/audit_reading.h"

typedef struct lotor_audit_attack {
    const char *id;
    const char *words;     /* the event, as a sentence: "... is at or above 1" */
    const char *not_words; /* and its absence */
    bool (*holds)(const lotor_audit_reading *reading);
    unsigned views; /* 1 << view for each in which it can be seen */
} lotor_audit_attack;

/* Ended by an id of NULL. */
extern const lotor_audit_attack lotor_audit_attacks[];

#endif
