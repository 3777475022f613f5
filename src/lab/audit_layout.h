/* audit_layout.h - the order of a trial's numbers in a row, for the learned attacks.
 *
 * The output of a trial can be read in several ways: as released values, as their differences, and
 * so on. Each reading is a range of the row. Further numbers, the extras, belong to all readings.
 * Missing numbers are NaN.
 */
#ifndef LOTOR_LAB_AUDIT_LAYOUT_H
#define LOTOR_LAB_AUDIT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

enum {
    LOTOR_LAYOUT_READINGS = 8, /* the most readings */
    LOTOR_LAYOUT_SIZE = 256,   /* the most numbers of a reading */
    LOTOR_LAYOUT_EXTRAS = 8    /* the most extras */
};

typedef struct lotor_audit_part {
    size_t start, size;
} lotor_audit_part;

typedef struct lotor_audit_layout {
    size_t row; /* numbers of a row */
    size_t reading_count;
    size_t linear_count; /* so many readings, the first ones, are summed up with learned weights */
    lotor_audit_part readings[LOTOR_LAYOUT_READINGS];
    lotor_audit_part extras;
    bool is_correlated; /* the learned weights take all correlations of the numbers into account */
    bool has_patterns;  /* trials also have patterns (audit_pattern.h) */
} lotor_audit_layout;

#endif
