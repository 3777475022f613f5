/* audit_setting.h - the problem on which an algorithm is audited: as small as it can be, so that the
 * replaced round weighs as much as it can, with at least two releases. */
#ifndef LOTOR_LAB_AUDIT_SETTING_H
#define LOTOR_LAB_AUDIT_SETTING_H

#include "lab/audit.h"
#include "policy/policy.h"

typedef struct lotor_audit_setting {
    lotor_policy_params params; /* with the noise scale in epsilon; arrays are static */
    uint64_t rounds;            /* of a trial, at most */
    bool stops_early;  /* after the first released sums: nothing later has the round in it */
    size_t watched;    /* decisions that are seen before that */
    double gate_noise; /* elimination behind a gate: the scale of its noise; else 0 */
    bool is_grown;     /* the horizon may be doubled until something is released */
} lotor_audit_setting;

lotor_status lotor_audit_setting_of(const lotor_audit *audit, lotor_message *why,
                                    lotor_audit_setting *out);

/* In words, for people. */
void lotor_audit_setting_words(const lotor_audit_setting *setting, char *text, size_t capacity);

#endif
