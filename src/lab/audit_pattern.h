/* audit_pattern.h - an attack that learns which whole outputs tell two worlds apart.
 *
 * A trial has patterns: fingerprints of its whole output, fine (every bit) or coarse. The first half
 * of the training trials says how much more frequent a pattern is in world 0 than in world 1. The
 * second half chooses the kind of pattern and the threshold. This is the best event for outputs with
 * few possible values, and for numbers whose noise depends on each other in any way. It must then
 * be tested on other trials.
 */
#ifndef LOTOR_LAB_AUDIT_PATTERN_H
#define LOTOR_LAB_AUDIT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

#include "lab/audit_threshold.h"

enum { LOTOR_PATTERN_KINDS = 2 };

typedef struct lotor_audit_known_pattern {
    uint64_t pattern;
    float weight;   /* log of how much more frequent it is in world 0 */
    uint32_t trial; /* the first training trial that has it */
} lotor_audit_known_pattern;

typedef struct lotor_audit_patterns {
    size_t kind;
    size_t count;                     /* known patterns; all others have weight 0 */
    lotor_audit_known_pattern *known; /* sorted by pattern */
    float threshold;
} lotor_audit_patterns;

/* Trains the attack. `patterns` has LOTOR_PATTERN_KINDS patterns per trial. Even trials are of world
 * 0, odd trials of world 1. The caller frees out->known, which is NULL after LOTOR_MEMORY. */
lotor_status lotor_audit_patterns_learn(const uint64_t *patterns, size_t trials,
                                        const lotor_audit_goal *goal, lotor_audit_patterns *out);

bool lotor_audit_patterns_hold(const lotor_audit_patterns *learned, const uint64_t *patterns);

#endif
