/* spec.h - the specification of a campaign: the checked body of POST /v1/campaigns.
 *
 * The store keeps it as canonical JSON: all fields, with the defaults filled in. The privacy
 * parameters never change after that. Arms can be added, paused and resumed.
 */
#ifndef LOTOR_SERVICE_SPEC_H
#define LOTOR_SERVICE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <lotor/policy.h>

#include "policy/serving.h"
#include "service/refusal.h"

enum {
    /* characters of a campaign's name and of an arm's id: A-Z a-z 0-9 . _ - */
    LOTOR_NAME_MAX = 64,
    LOTOR_ARMS_MAX = 4096,
    LOTOR_FEATURES_MAX = 64,
    LOTOR_OPEN_USUAL = 1000000, /* the default of max_open */
    LOTOR_OPEN_MAX = 10000000,
    LOTOR_BUDGET_SEAL = 64 /* hex digits of a budget's seal */
};

typedef enum lotor_oracle_kind {
    LOTOR_ORACLE_TOP = 0, /* any `slots` arms */
    /* at most capacities[g] arms of group g; a group is a value of one feature */
    LOTOR_ORACLE_PARTITION = 1,
    LOTOR_ORACLE_LINEAR = 2 /* arms whose integer features are linearly independent */
} lotor_oracle_kind;

typedef struct lotor_arm {
    char id[LOTOR_NAME_MAX + 1];
    bool paused;
    bool removed; /* then it is paused, too, and can't be resumed */
} lotor_arm;

typedef struct lotor_spec {
    char name[LOTOR_NAME_MAX + 1];
    char algorithm[32];
    bool early_release;
    bool clicks;               /* "feedback" is "clicks", not "rewards" */
    bool half_life_in_seconds; /* else in rounds */
    lotor_oracle_kind oracle;
    size_t arm_count; /* the arms that the specification names */
    /* "max_arms": how many arms there can be; also the number of arms of the policy. The default is
     * arm_count, plus some room for more arms if the oracle is "top". */
    size_t capacity;
    bool
        has_capacity; /* the body gave max_arms; always in a specification that the store has kept */
    lotor_arm *arms;  /* room for `capacity` arms */
    size_t feature_count;
    int64_t *features; /* arm_count x feature_count, or NULL */
    size_t slots;
    lotor_ratio epsilon, delta;
    size_t feature;       /* partition: the feature whose value is the group */
    uint32_t *group;      /* partition: the group of each arm, from 0 */
    uint32_t *capacities; /* partition: the capacity of each group */
    size_t groups;
    uint64_t horizon; /* 0: none */
    double low, high; /* reward_range */
    double wait_seconds;
    double default_reward;
    uint64_t rounds_per_user; /* 0: no limit, and requests need no user */
    uint64_t max_open;        /* the most decisions that are handed out and not final yet */
    size_t dimension;         /* the length of contexts; linear campaigns only */
    bool normalize;           /* contexts longer than 1 are scaled down */
    /* "evaluation": the share of rounds that measure value (0/1: none), and the control: arms, or
     * none if it is "uniform" */
    lotor_ratio share;
    uint32_t *control;
    size_t control_count;
    uint64_t half_life; /* older releases count less; 0: no */
    /* The phase of the campaign, which operators change: shows nothing for now; read-only and not
     * listed; erased but for what was released. A body of a client may only say "paused". */
    bool paused, archived, deleted;
    char budget[LOTOR_NAME_MAX + 1]; /* the budget that the campaign joins; "": none */
    /* The seal of that budget's row when the campaign was made, in hex; "": not known. Only the
     * store's text has it. A budget that was made again has another seal. */
    char budget_seal[LOTOR_BUDGET_SEAL + 1];
    uint64_t sticky_seconds; /* how long a user gets the same decision again; 0: not at all */
    /* The campaign whose releases this one learns from, too; "": none. And how many of its releases: the
     * server writes that when it creates the campaign. */
    char prior[LOTOR_NAME_MAX + 1];
    uint64_t prior_releases;
    json_t *labels; /* titles, descriptions and metadata: see spec_labels.c; NULL: none */
} lotor_spec;

/* Reads and checks the body of POST /v1/campaigns: unknown fields, types, ranges and names. Also
 * checks that the service offers the algorithm, and that a policy can be made with these
 * parameters. The caller frees *out with lotor_spec_free. */
lotor_code lotor_spec_read(const json_t *body, lotor_refusal *refusal, lotor_spec **out);
/* The same for a specification that the store has kept: it may also be archived or deleted. */
lotor_code lotor_spec_read_kept(const json_t *json, lotor_refusal *refusal, lotor_spec **out);
void lotor_spec_free(lotor_spec *spec);

/* Returns canonical JSON, a new reference, which lotor_spec_read_kept accepts. NULL: no memory. */
json_t *lotor_spec_write(const lotor_spec *spec);
/* The same for the store: also has what clients do not see, the seal of the budget. */
json_t *lotor_spec_write_kept(const lotor_spec *spec);

/* Returns epsilon as it is in the JSON; a new reference. */
json_t *lotor_spec_epsilon(const lotor_spec *spec);
/* Returns a ratio as JSON, which reads back as the same ratio; a new reference. */
json_t *lotor_spec_ratio(lotor_ratio ratio);

/* Fills in the policy's parameters. They point into the specification. */
void lotor_spec_params(const lotor_spec *spec, lotor_policy_params *out);

/* The parameters of lotor_policy_evaluate, which point into the specification. False: the campaign
 * measures no value. */
bool lotor_spec_evaluation(const lotor_spec *spec, lotor_evaluation_params *out);

/* Makes a policy as the specification says. The statuses are those of lotor_policy_new and
 * lotor_policy_evaluate. */
lotor_status lotor_spec_policy(const lotor_spec *spec, lotor_message *why, lotor_policy **out);

/* Returns the index of an arm, or SIZE_MAX. */
size_t lotor_spec_arm(const lotor_spec *spec, const char *id);

/* Applies the body of PATCH: the labels of a campaign, "arms" with the labels of arms, and "max_arms". If it
 * is refused, `spec` does not change. */
lotor_code lotor_spec_edit(lotor_spec *spec, const json_t *body, lotor_refusal *refusal);
/* Raises max_arms to the given number (NULL: it stays). If it is refused, `spec` does not change. */
lotor_code lotor_spec_raise(lotor_spec *spec, const json_t *given, lotor_refusal *refusal);
/* True if a field of a campaign is a label: a text for people that may change at any time. */
bool lotor_spec_is_label(const char *name);
/* Adds the labels of an arm, or of the campaign (""), to an object. Not 0: no memory. */
int lotor_spec_write_labels(const lotor_spec *spec, const char *id, json_t *object);

/* Applies the body of POST .../arms: {"add": [arms], "pause": [ids], "resume": [ids], "remove":
 * [ids]}. If it is refused, `spec` does not change. */
lotor_code lotor_spec_change(lotor_spec *spec, const json_t *body, lotor_refusal *refusal);

#endif
