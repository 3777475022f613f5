/* audit_learn.h - an attack that learns its event: a likelihood ratio, from trials of both worlds.
 *
 * Every number of a reading is cut into bins; how much more often a bin is met in world 0 than in
 * world 1 is its weight; a transcript's score is the sum of its weights (as if the numbers were
 * independent), and the event is a score at or above a threshold. Which of the three readings, and
 * which threshold: those with the largest bound on the trials that it learns from. It must then be
 * tested on others.
 */
#ifndef LOTOR_LAB_AUDIT_LEARN_H
#define LOTOR_LAB_AUDIT_LEARN_H

#include "lab/audit_reading.h"

enum { LOTOR_LEARN_BINS = 24 };

typedef struct lotor_audit_feature {
    size_t number; /* of the reading */
    size_t edge_count;
    float edges[LOTOR_LEARN_BINS];
    float weights[LOTOR_LEARN_BINS + 2]; /* of what is missing, then of the bins */
} lotor_audit_feature;

typedef struct lotor_audit_learned {
    size_t reading; /* which of the three */
    size_t count;   /* features that tell anything */
    lotor_audit_feature features[LOTOR_READING_SIZE + LOTOR_READING_EXTRAS];
    float threshold;
} lotor_audit_learned;

/* `numbers` has a row of LOTOR_READING_NUMBERS for each of `trials` trials; even ones are of world 0,
 * odd ones of world 1. */
lotor_status lotor_audit_learn(const float *numbers, size_t trials, double delta, double miss,
                               lotor_audit_learned *out);

bool lotor_audit_learned_holds(const lotor_audit_learned *learned, const float *numbers);

#endif
