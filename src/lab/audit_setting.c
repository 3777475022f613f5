/* audit_setting.c - see audit_setting.h. Settings depend on the kind of problem and learner, not on
 * the algorithm's id: a new algorithm needs no change here. */
#include "lab/audit_setting.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/message.h"

enum {
    SHORT = 8,         /* rounds: a full tree of four levels */
    SHORTEST = 2,      /* rounds, if a round is in several nodes of several arms */
    TABLE_ROUNDS = 32, /* for the matroid of Table 6.1: batches of 1, 2, 4 and 8 per arm */
    LONGEST = 1 << 14, /* for elimination, whose first batch may be long */
    LATE_ROUNDS = 64,  /* if the replaced round is a late one: batches of 1 to 16 per arm */
    LATE_SPARE = 2,    /* arms that are not shown, so that some can be masked */
    TURNED_ROUNDS = 2, /* for contexts of a higher dimension in a tree: two levels */
    WATCHED = 16,      /* decisions after the first batch */
    TABLE_ARMS = 7,
    TABLE_DIMENSION = 3
};

/* Chandak 2023, Table 6.1. */
static const int64_t table_vectors[TABLE_ARMS * TABLE_DIMENSION] = {
    1, 0, 0, /**/ 0, 1, 0, /**/ 0, 0, 1, /**/ 1, 0, 1, /**/ 0, 1, 1, /**/ 2, 0, 0, /**/ 0, 0, 0,
};

lotor_ratio lotor_audit_delta_of(const lotor_algorithm *algorithm)
{
    const bool has_delta = algorithm->delta.num != 0;
    return has_delta && lotor_algorithm_is_private(algorithm) ? lotor_ratio_of(1, 50)
                                                              : algorithm->delta;
}

/* For the view of decisions there must be a choice: one arm more than are shown. */
static void set_problem(const lotor_audit_request *audit, lotor_audit_setting *out)
{
    const size_t spare = audit->view == LOTOR_VIEW_ACTIONS ? 1 : 0;
    lotor_policy_params *params = &out->params;
    switch (audit->algorithm->problem) {
    case LOTOR_PROBLEM_FINITE:
        params->arms = 1 + spare;
        break;
    case LOTOR_PROBLEM_MATROID:
        params->arms = TABLE_ARMS;
        params->structure = LOTOR_STRUCTURE_LINEAR;
        params->vectors = table_vectors;
        params->dimension = TABLE_DIMENSION;
        out->rounds = TABLE_ROUNDS;
        break;
    case LOTOR_PROBLEM_LINEAR:
        params->arms = 2;
        params->dimension = 1;
        out->is_grown = true;
        break;
    case LOTOR_PROBLEM_CASCADE:
        params->arms = 3;
        params->slots = 2;
        break;
    default: /* sets of arms */
        params->arms = 2 + spare;
        params->slots = 2;
        break;
    }
}

static void set_learner(const lotor_audit_request *audit, lotor_audit_setting *out)
{
    const lotor_algorithm *algorithm = audit->algorithm;
    if (algorithm->statistic && algorithm->statistic->releases_all &&
        audit->view != LOTOR_VIEW_ACTIONS) { /* decisions need more rounds to change */
        out->rounds = SHORTEST;
    }
    if (algorithm->elimination) {
        out->params.arms = 2;
        out->params.horizon = LONGEST;
        out->params.beta = 0.99; /* the certainty of its choices does not affect its privacy */
        out->rounds = LONGEST;
        out->stops_early = true;
        out->watched = audit->view == LOTOR_VIEW_ACTIONS ? WATCHED : 0;
    }
}

lotor_status lotor_audit_setting_of(const lotor_audit_request *audit, lotor_message *why,
                                    lotor_audit_setting *out)
{
    const lotor_algorithm *algorithm = audit->algorithm;
    *out = (lotor_audit_setting){
        .params = {.algorithm = algorithm->id,
                   .catalog = algorithm->catalog,
                   .epsilon = audit->epsilon,
                   .delta = audit->delta.num ? audit->delta : lotor_audit_delta_of(algorithm)},
        .rounds = SHORT,
    };
    set_problem(audit, out);
    set_learner(audit, out);
    if (audit->horizon > 0) {
        out->rounds = audit->horizon;
        out->params.horizon = audit->horizon;
        out->is_grown = false;
    } else if (out->params.horizon == 0) {
        out->params.horizon = out->rounds;
    }
    const bool scaled = audit->noise_scale != 1.0 && !lotor_ratio_is_infinite(audit->epsilon);
    if (scaled && audit->epsilon.num != 0) {
        const lotor_status status = lotor_ratio_from_double(
            lotor_ratio_to_double(audit->epsilon) / audit->noise_scale, why, &out->params.epsilon);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    if (algorithm->elimination && algorithm->epochs == LOTOR_EPOCH_GATED) {
        out->gate_noise = 6.0 / lotor_ratio_to_double(out->params.epsilon);
    }
    return LOTOR_OK;
}

/* Batches are released after a number of rounds that grows with the dimension. The trial stops at
 * the first release, so that more rounds cost nothing. */
static void turn(const lotor_algorithm *algorithm, const lotor_audit_pair *pair,
                 lotor_audit_setting *out)
{
    const bool has_batches =
        algorithm->matrix == LOTOR_MATRIX_BATCH || algorithm->matrix == LOTOR_MATRIX_SEPARATE;
    out->params.beta = 0.99; /* the certainty of the choices does not affect the privacy */
    if (has_batches) {
        out->rounds *= 4;
        out->stops_early = true;
    } else {
        out->rounds = pair->replaced_last > 0 ? LATE_ROUNDS : TURNED_ROUNDS;
    }
}

lotor_audit_setting lotor_audit_setting_for(const lotor_audit_request *audit,
                                            const lotor_audit_setting *common,
                                            const lotor_audit_pair *pair)
{
    const lotor_algorithm *algorithm = audit->algorithm;
    lotor_audit_setting setting = *common;
    const bool is_late = pair->replaced_last > 0;
    if (pair->is_turned) {
        setting.params.dimension = LOTOR_AUDIT_DIMENSION;
        turn(algorithm, pair, &setting);
    } else if (is_late && !algorithm->elimination) {
        const size_t slots = setting.params.slots ? setting.params.slots : 1;
        setting.params.arms =
            setting.params.structure == LOTOR_STRUCTURE_TOP ? slots + LATE_SPARE : TABLE_ARMS;
        setting.rounds = LATE_ROUNDS;
    }
    setting.is_stretched = is_late && !setting.stops_early;
    if (audit->horizon > 0) {
        setting.rounds = audit->horizon;
    } else if (!algorithm->elimination) {
        setting.params.horizon = setting.rounds;
    }
    return setting;
}

void lotor_audit_setting_words(const lotor_audit_setting *setting, char *text, size_t capacity)
{
    const lotor_policy_params *params = &setting->params;
    const bool table = params->structure == LOTOR_STRUCTURE_LINEAR;
    const bool linear = lotor_policy_row(params)->linear != NULL;
    const size_t slots = params->slots ? params->slots : 1;
    if (table) {
        snprintf(text, capacity, "Table 6.1 (7 vectors, 3 shown), %" PRIu64 " rounds",
                 setting->rounds);
    } else if (linear) {
        snprintf(text, capacity, "2 actions of dimension 1, %" PRIu64 " rounds", setting->rounds);
    } else {
        snprintf(text, capacity, "%zu arm%s, %zu shown, %s%" PRIu64 " rounds", params->arms,
                 params->arms == 1 ? "" : "s", slots, setting->stops_early ? "up to " : "",
                 setting->rounds);
    }
}
