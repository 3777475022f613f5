/* suggest.h - finds the name that a user probably meant: "did you mean ...?" */
#ifndef LOTOR_BASE_SUGGEST_H
#define LOTOR_BASE_SUGGEST_H

#include <stddef.h>

/* The number of letters to insert, delete, change, or swap with their neighbour, to turn one word
 * into the other (optimal string alignment). Compares at most the first 63 letters. */
size_t lotor_edit_distance(const char *left, const char *right);

/* Remembers the nearest of the names that were offered. A name that differs in more than a third of
 * the letters is not suggested, and neither is an opposite ("unlock" for "lock"). Capital and small
 * letters are the same. */
typedef struct lotor_suggestion {
    const char *word;    /* what the user typed */
    const char *nearest; /* NULL if no name is near enough */
    size_t distance;
} lotor_suggestion;

void lotor_suggestion_start(lotor_suggestion *suggestion, const char *word);
void lotor_suggestion_offer(lotor_suggestion *suggestion, const char *name);

#endif
