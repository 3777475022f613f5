/* audit_line.h - an attack that learns a linear function of the released numbers.
 *
 * Gaussian noise hides a shift of the sums best from events about single numbers. The likelihood
 * ratio of two shifted Gaussians is a linear function of all numbers. If their noise is
 * independent, each number counts with the difference of its means in the two worlds, divided by
 * its variance. If the layout says that numbers are correlated, the weights are the inverse of
 * their covariance times the differences of the means (Fisher's discriminant): then noise that two
 * numbers share cancels out. The attack learns these weights and a threshold from training trials,
 * for each linear reading of the layout, and takes the reading with the largest bound. It must then
 * be tested on other trials. A claim with a delta is about Gaussian noise, so there the threshold
 * is found by the normal law.
 */
#ifndef LOTOR_LAB_AUDIT_LINE_H
#define LOTOR_LAB_AUDIT_LINE_H

#include <lotor/status.h>

#include "lab/audit_layout.h"
#include "lab/audit_threshold.h"

typedef struct lotor_audit_line {
    size_t reading;
    lotor_audit_part part;            /* the numbers of the reading */
    float weights[LOTOR_LAYOUT_SIZE]; /* 0: the number tells nothing */
    float threshold;
} lotor_audit_line;

/* The contract of lotor_audit_learn. */
lotor_status lotor_audit_line_learn(const float *numbers, size_t trials,
                                    const lotor_audit_layout *layout, const lotor_audit_goal *goal,
                                    lotor_audit_line *out);

bool lotor_audit_line_holds(const lotor_audit_line *line, const float *numbers);

#endif
