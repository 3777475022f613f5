/* audit_outputs_words.h - which number of a row is what (audit_outputs.h), and learned events of
 * outputs in words. */
#ifndef LOTOR_LAB_AUDIT_OUTPUTS_WORDS_H
#define LOTOR_LAB_AUDIT_OUTPUTS_WORDS_H

#include "lab/audit_outputs.h"

/* The readings, in the order of the row. */
enum {
    LOTOR_OUTPUTS_VALUES,
    LOTOR_OUTPUTS_STEPS,
    LOTOR_OUTPUTS_NODES,
    LOTOR_OUTPUTS_DIFFERENCES,
    LOTOR_OUTPUTS_SUMS,
    LOTOR_OUTPUTS_SUMMARY,
    LOTOR_OUTPUTS_GRAINS,
    LOTOR_OUTPUTS_FRACTIONS,
    LOTOR_OUTPUTS_READINGS
};

enum {
    LOTOR_SUMMARY_SUM,
    LOTOR_SUMMARY_SQUARES,
    LOTOR_SUMMARY_LEAST,
    LOTOR_SUMMARY_MOST,
    LOTOR_SUMMARY_RANGE,
    LOTOR_SUMMARY_LEAST_PLACE,
    LOTOR_SUMMARY_MOST_PLACE,
    LOTOR_SUMMARY_SIZE
};

/* The extras. */
enum {
    LOTOR_OUTPUT_COUNT,
    LOTOR_OUTPUT_NANS,
    LOTOR_OUTPUT_INFINITIES,
    LOTOR_OUTPUT_ZEROS,
    LOTOR_OUTPUT_REPEATS,
    LOTOR_EXTRAS_OF_OUTPUT
};

enum { LOTOR_PATTERN_FINE, LOTOR_PATTERN_COARSE };

/* Says a learned event, or its absence, as a sentence; see `describe` of lotor_audit_subject. */
void lotor_audit_output_describe(const lotor_audit_frame *frame, const lotor_audit_lesson *lesson,
                                 const float *numbers, size_t which, bool of_not, char *text,
                                 size_t capacity);

#endif
