/* audit_attacks.h - handwritten events: worst cases that a person would look for. To add one, add a
 * row to the table. */
#ifndef LOTOR_LAB_AUDIT_ATTACKS_H
#define LOTOR_LAB_AUDIT_ATTACKS_H

#include "lab/audit_reading.h"

typedef struct lotor_audit_attack {
    const char *id;
    const char *words;     /* the event, as a sentence: "... is at or above 1" */
    const char *not_words; /* the absence of the event, as a sentence */
    bool (*holds)(const lotor_audit_reading *reading);
    unsigned views; /* 1 << view for each view that shows the event */
} lotor_audit_attack;

/* The last row has an id of NULL. */
extern const lotor_audit_attack lotor_audit_attacks[];

#endif
