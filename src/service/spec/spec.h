/* spec.h - what a campaign is: the body of POST /v1/campaigns, checked.
 *
 * Written back as canonical JSON (all fields, defaults filled in), which is what the store keeps. The
 * privacy parameters never change afterwards; arms can be added, paused and resumed.
 */
#ifndef LOTOR_SERVICE_SPEC_H
#define LOTOR_SERVICE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <lotor/policy.h>

#include "service/refusal.h"

enum {
    LOTOR_NAME_MOST =
        64, /* characters of a campaign's name and of an arm's id: A-Z a-z 0-9 . _ - */
    LOTOR_ARMS_MOST = 4096,
    LOTOR_FEATURES_MOST = 64,
    LOTOR_OPEN_USUAL = 1000000, /* open decisions of a campaign, unless its spec says how many */
    LOTOR_OPEN_MOST = 10000000
};

typedef enum lotor_oracle_kind {
    LOTOR_ORACLE_TOP = 0,       /* any `slots` arms */
    LOTOR_ORACLE_PARTITION = 1, /* at most capacity[g] arms whose feature number `feature` is g */
    LOTOR_ORACLE_LINEAR = 2     /* arms whose (integer) features are linearly independent */
} lotor_oracle_kind;

typedef struct lotor_arm {
    char id[LOTOR_NAME_MOST + 1];
    bool paused;
} lotor_arm;

typedef struct lotor_spec {
    char name[LOTOR_NAME_MOST + 1];
    char algorithm[32];
    size_t arm_count; /* named ones */
    size_t
        capacity; /* "max_arms": room for named ones; default: arm_count, rounded up to leave room
                         for a few more where the oracle is top; the policy has so many arms */
    lotor_arm *arms; /* capacity */
    size_t feature_count;
    int64_t *features; /* arm_count x feature_count, or NULL */
    size_t slots;
    lotor_ratio epsilon, delta;
    lotor_oracle_kind oracle;
    size_t feature;       /* partition: which one is the group */
    uint32_t *group;      /* partition: of each arm, numbered from 0 */
    uint32_t *capacities; /* partition: of each group */
    size_t groups;
    uint64_t horizon; /* 0: none */
    double low, high; /* reward_range */
    double wait_seconds;
    double default_reward;
    uint64_t rounds_per_user; /* 0: not capped, and users are not asked for */
    bool early_release;
    uint64_t max_open; /* decisions that were handed out and are not final yet, at most */
    bool clicks;       /* "feedback": "clicks" (else "rewards") */
    size_t dimension;  /* linear campaigns */
} lotor_spec;

/* Reads and checks the body of POST /v1/campaigns: unknown fields, types, ranges, names, an algorithm
 * that is offered, and that a policy can be made of it. The caller frees *out with lotor_spec_free. */
lotor_code lotor_spec_read(const json_t *body, lotor_refusal *refusal, lotor_spec **out);
void lotor_spec_free(lotor_spec *spec);

/* Canonical JSON, a new reference; lotor_spec_read takes it back. NULL: no memory. */
json_t *lotor_spec_write(const lotor_spec *spec);

/* Its epsilon as JSON has it; a new reference. */
json_t *lotor_spec_epsilon(const lotor_spec *spec);

/* The policy's parameters; they point into the spec. */
void lotor_spec_params(const lotor_spec *spec, lotor_policy_params *out);

/* The place of an arm, or SIZE_MAX. */
size_t lotor_spec_arm(const lotor_spec *spec, const char *id);

/* POST .../arms: {"add": [ids], "pause": [ids], "resume": [ids]}: changes `spec`, or nothing at all. */
lotor_code lotor_spec_change(lotor_spec *spec, const json_t *body, lotor_refusal *refusal);

#endif
