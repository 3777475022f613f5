/* audit_outputs.h - the output of any mechanism as numbers, handwritten events and patterns, for the
 * search of audit_tally.h.
 *
 * Nothing is known about the mechanism, so its output is read in many ways:
 *
 *   values       the numbers themselves
 *   steps        each number minus the one before
 *   nodes        number n minus the number at n without its lowest set bit: nodes of a binary tree
 *   differences  of all pairs of the first 15 numbers: noise that two of them share cancels out
 *   sums         of the same pairs: noise with opposite signs cancels out
 *   summary      sum, sum of squares, extremes and their places
 *   grains       the lowest bit that is set in each number: what floating-point arithmetic leaves
 *                behind (Mironov 2012)
 *   fractions    each number without its whole part
 *
 * Learned events read floats. A float has 24 bits, so every number is first centered and scaled. The
 * centers come from a probe, a few runs that are not counted as trials.
 */
#ifndef LOTOR_LAB_AUDIT_OUTPUTS_H
#define LOTOR_LAB_AUDIT_OUTPUTS_H

#include <lotor/audit.h>

#include "lab/audit_trials.h"

enum {
    LOTOR_OUTPUTS_PAIRED = 15, /* numbers that are compared with each other */
    LOTOR_OUTPUTS_ROW = 1536,  /* the most numbers of a row */
    LOTOR_OUTPUTS_CELLED = 12, /* numbers that a coarse pattern reads */
    LOTOR_OUTPUTS_LEVELS = 16  /* the most levels of each of them */
};

/* How outputs are read. */
typedef struct lotor_audit_frame {
    size_t width; /* numbers of an output that are read one by one: the most of the probe */
    lotor_audit_layout layout;
    double centers[LOTOR_OUTPUTS_ROW];
    double scales[LOTOR_OUTPUTS_ROW]; /* powers of 2 */
    size_t celled, levels;
    double edges[LOTOR_OUTPUTS_CELLED][LOTOR_OUTPUTS_LEVELS]; /* levels - 1 of them are used */
} lotor_audit_frame;

/* The reading of one output; also the memory for reading it. */
typedef struct lotor_audit_seen_output {
    uint32_t events;
    uint64_t patterns[LOTOR_PATTERN_KINDS];
    float numbers[LOTOR_OUTPUTS_ROW];
    double exact[LOTOR_OUTPUTS_ROW]; /* the numbers before they are centered */
    double sorted[LOTOR_AUDIT_OUTPUTS_MAX];
} lotor_audit_seen_output;

/* Makes a frame from the outputs of a probe: run i has counts[i] numbers from outputs[i * capacity]
 * on. LOTOR_MEMORY: there is no memory for it. */
lotor_status lotor_audit_frame_make(const double *outputs, const size_t *counts, size_t runs,
                                    size_t capacity, lotor_audit_frame *out);

void lotor_audit_output_read(const lotor_audit_frame *frame, const double *output, size_t count,
                             lotor_audit_seen_output *out);

/* A fingerprint of the bits of all numbers. All NaNs are the same. */
uint64_t lotor_audit_output_pattern(const double *output, size_t count);

/* The handwritten events. */
size_t lotor_audit_output_event_count(void);
const char *lotor_audit_output_event_name(size_t number);
const char *lotor_audit_output_event_words(size_t number, bool of_not);

#endif
