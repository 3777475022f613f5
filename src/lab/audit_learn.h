/* audit_learn.h - an attack that learns its event, a likelihood ratio, from trials of both worlds.
 *
 * Every number of a reading is divided into bins. The weight of a bin says how much more frequent
 * it is in world 0 than in world 1. The score of a transcript is the sum of its weights, as if the
 * numbers were independent. The event is a score at or above a threshold. Of all readings and
 * thresholds, the attack takes those with the largest bound on its training trials. It must
 * then be tested on other trials.
 */
#ifndef LOTOR_LAB_AUDIT_LEARN_H
#define LOTOR_LAB_AUDIT_LEARN_H

#include <lotor/status.h>

#include "lab/audit_layout.h"
#include "lab/audit_threshold.h"

enum { LOTOR_LEARN_BINS = 24 };

typedef struct lotor_audit_feature {
    size_t number; /* index into the row */
    size_t edge_count;
    float edges[LOTOR_LEARN_BINS];
    float weights[LOTOR_LEARN_BINS + 2]; /* of a missing number, then of the bins */
    double telling; /* how far the counts of the bins differ: a chi-square statistic */
} lotor_audit_feature;

typedef struct lotor_audit_classifier {
    size_t reading; /* which of the readings */
    size_t count;   /* number of features with information */
    lotor_audit_feature features[LOTOR_LAYOUT_SIZE + LOTOR_LAYOUT_EXTRAS];
    float threshold;
} lotor_audit_classifier;

/* Trains the attack. `numbers` has one row per trial. Even trials are of world 0, odd trials of
 * world 1. LOTOR_MEMORY: there is no memory for it. */
lotor_status lotor_audit_learn(const float *numbers, size_t trials,
                               const lotor_audit_layout *layout, const lotor_audit_goal *goal,
                               lotor_audit_classifier *out);

bool lotor_audit_learned_holds(const lotor_audit_classifier *learned, const float *numbers);

#endif
