/* audit_threshold.h - from a score of a transcript to an event: the score is at or above a
 * threshold. The threshold is the one with the largest expected bound. */
#ifndef LOTOR_LAB_AUDIT_THRESHOLD_H
#define LOTOR_LAB_AUDIT_THRESHOLD_H

#include <stddef.h>

/* The bound that the event shall show. */
typedef struct lotor_audit_goal {
    double delta, miss; /* as in lotor_audit_bound_of */
    double tested;      /* how many trials of each world will test the event */
} lotor_audit_goal;

/* Finds the threshold by counting. `scores` has `half` scores of world 0, and then as many of world 1; they are
 * sorted. Returns roughly the bound that the event will show. */
double lotor_audit_threshold_find(float *scores, size_t half, const lotor_audit_goal *goal,
                                  float *threshold);

/* The same for scores that are Gaussian: the shares of an event are those of the normal law with the
 * scores' means and deviations. Far in the tails they are more certain than counts. */
double lotor_audit_threshold_find_normal(const float *scores, size_t half,
                                         const lotor_audit_goal *goal, float *threshold);

/* For qsort: sorts numbers in ascending order. */
int lotor_audit_compare(const void *left, const void *right);

#endif
