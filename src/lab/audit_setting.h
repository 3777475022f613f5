/* audit_setting.h - the problem on which an algorithm is audited. It is as small as possible, so
 * that the replaced round has the largest effect, but has at least two releases. */
#ifndef LOTOR_LAB_AUDIT_SETTING_H
#define LOTOR_LAB_AUDIT_SETTING_H

#include "lab/audit_pair.h"
#include "policy/policy.h"

enum { LOTOR_AUDIT_AFTER = 8 };

typedef struct lotor_audit_setting {
    lotor_policy_params params; /* epsilon includes the noise scale; arrays are static */
    uint64_t rounds;            /* the most rounds of a trial */
    bool stops_early;  /* stop after the first released sums: later ones do not contain the round */
    size_t watched;    /* decisions to see before the stop */
    double gate_noise; /* elimination behind a gate: the scale of the gate's noise; else 0 */
    bool is_grown;     /* the horizon may be doubled until something is released */
    bool is_stretched; /* stop LOTOR_AUDIT_AFTER rounds after the release with the replaced round */
} lotor_audit_setting;

lotor_status lotor_audit_setting_of(const lotor_audit_request *audit, lotor_message *why,
                                    lotor_audit_setting *out);

/* The setting in which a pair is played: `common`, or for some pairs more arms, rounds or
 * dimensions. */
lotor_audit_setting lotor_audit_setting_for(const lotor_audit_request *audit,
                                            const lotor_audit_setting *common,
                                            const lotor_audit_pair *pair);

/* Describes the setting in words. */
void lotor_audit_setting_words(const lotor_audit_setting *setting, char *text, size_t capacity);

#endif
