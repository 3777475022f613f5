/* audit_learn.h - an attack that learns its event, a likelihood ratio, from trials of both worlds.
 *
 * Every number of a reading is divided into bins. The weight of a bin says how much more frequent
 * it is in world 0 than in world 1. The score of a transcript is the sum of its weights, as if the
 * numbers were independent. The event is a score at or above a threshold. Of the three readings and
 * all thresholds, the attack takes those with the largest bound on its training trials. It must
 * then be tested on other trials.
 */
#ifndef LOTOR_LAB_AUDIT_LEARN_H
#define LOTOR_LAB_AUDIT_LEARN_H

#include "lab/audit_reading.h"

enum { LOTOR_LEARN_BINS = 24 };

typedef struct lotor_audit_feature {
    size_t number; /* index into the reading */
    size_t edge_count;
    float edges[LOTOR_LEARN_BINS];
    float weights[LOTOR_LEARN_BINS + 2]; /* of a missing number, then of the bins */
} lotor_audit_feature;

typedef struct lotor_audit_classifier {
    size_t reading; /* which of the three readings */
    size_t count;   /* number of features with information */
    lotor_audit_feature features[LOTOR_READING_SIZE + LOTOR_READING_EXTRAS];
    float threshold;
} lotor_audit_classifier;

/* Trains the attack. `numbers` has one row of LOTOR_READING_NUMBERS per trial. Even trials are of
 * world 0, odd trials of world 1. */
lotor_status lotor_audit_learn(const float *numbers, size_t trials, double delta, double miss,
                               lotor_audit_classifier *out);

bool lotor_audit_learned_holds(const lotor_audit_classifier *learned, const float *numbers);

#endif
