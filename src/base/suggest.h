/* suggest.h - "did you mean ...?" */
#ifndef LOTOR_BASE_SUGGEST_H
#define LOTOR_BASE_SUGGEST_H

#include <stddef.h>

/* How many letters must be put in, taken out, changed, or swapped with their neighbour to turn one
 * word into the other (optimal string alignment). Words are compared up to 63 letters. */
size_t lotor_edit_distance(const char *left, const char *right);

/* Keeps the nearest of the names that it is shown. */
typedef struct lotor_suggestion {
    const char *word;    /* what was typed */
    const char *nearest; /* NULL while nothing is near enough */
    size_t distance;
} lotor_suggestion;

void lotor_suggest_start(lotor_suggestion *suggestion, const char *word);
void lotor_suggest_offer(lotor_suggestion *suggestion, const char *name);

#endif
