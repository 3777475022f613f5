/* fuzz_policy_load.c - loads saved policies: the input as it is, and as a payload with the right
 * checksum around it. A loaded policy chooses feasible arms and accepts feedback. A policy with a
 * seed is loaded as a simulation only. */
#include "fuzz.h"

#include <lotor/experimental/lab.h>

#include "policy/policy.h"
#include "support/test_source.h"

enum { ROUNDS = 60 };

/* The functions that a caller must give again when it loads a policy. Matroid: at most two arms,
 * never arm 1. Oracle: the best arm, with its neighbour. */
static bool at_most_two(const void *context, const uint32_t *set, size_t count, uint32_t arm)
{
    (void)context;
    (void)set;
    return count < 2 && arm != 1;
}

static size_t pick_best(const void *context, const double *index, size_t arms, uint32_t *picked)
{
    (void)context;
    uint32_t best = 0;
    for (uint32_t arm = 1; arm < arms; arm++) {
        best = index[arm] > index[best] ? arm : best;
    }
    picked[0] = best;
    picked[1] = best - 1;
    return best % 2 ? 2 : 1;
}

static const lotor_policy_params custom = {
    .independent = at_most_two, .pick = pick_best, .rank = 2, .alpha = 1.0, .oracle_beta = 1.0};

/* Actions along the axes, one for each dimension, with the largest length that is allowed. */
static void fill_actions(const lotor_policy *policy, int round, double *actions)
{
    const size_t dimension = policy->params.dimension;
    for (size_t i = 0; i < policy->params.arms; i++) {
        for (size_t j = 0; j < dimension; j++) {
            const bool along = j == (i + (size_t)round) % dimension;
            actions[i * dimension + j] = along ? policy->params.context_length : 0.0;
        }
    }
}

static void check_decision(const lotor_policy *policy, const lotor_decision *decision)
{
    const size_t slots = policy->params.slots;
    CHECK(decision->count >= 1 && decision->count <= slots && decision->hold >= 1);
    CHECK(decision->asked_count >= 1 && decision->asked_count <= decision->count);
    for (size_t i = 0; i < decision->count; i++) {
        CHECK(decision->arms[i] < policy->params.arms);
    }
    const bool learns =
        lotor_round_role_of(decision->asked, decision->asked_count) == LOTOR_ROUND_LEARNS;
    CHECK(learns ||
          (policy->evaluation && lotor_round_can_record(decision->asked[0], policy->params.arms)));
    for (size_t i = 0; learns && i < decision->asked_count; i++) {
        CHECK(decision->asked[i] < policy->params.arms);
    }
    for (size_t i = 0; i < decision->seed_count; i++) {
        CHECK(decision->seeds[i] < policy->params.vertices);
    }
}

/* Ends the oldest open round. If the policy was loaded with open rounds, these come first. Forged
 * feedback in them may be refused. */
static void end_oldest(lotor_policy *policy)
{
    if (lotor_inbox_waiting(policy->inbox) > 0) {
        (void)lotor_policy_expire(policy, policy->rounds_ended + 1, NULL);
    }
}

static void use(lotor_policy *policy)
{
    const size_t slots = policy->params.slots;
    double *rewards = calloc(slots, sizeof *rewards);
    double *actions = policy->linear
                          ? calloc(policy->params.arms * policy->params.dimension, sizeof *actions)
                          : NULL;
    CHECK(rewards && (actions || !policy->linear));
    for (size_t i = 0; i < slots; i++) {
        rewards[i] = i % 2 ? policy->params.low : policy->params.high;
    }
    for (int t = 0; t < ROUNDS; t++) {
        lotor_decision decision;
        if (actions) {
            fill_actions(policy, t, actions);
        }
        CHECK(lotor_policy_choose(policy, actions, NULL, &decision) == LOTOR_OK);
        check_decision(policy, &decision);
        const lotor_feedback feedback = {rewards, decision.asked_count, (size_t)t % (slots + 1)};
        if (decision.event != 0) {
            CHECK(lotor_policy_observe(policy, decision.event, &feedback, NULL) == LOTOR_OK);
        }
        end_oldest(policy);
        end_oldest(policy); /* fewer and fewer rounds are open */
    }
    lotor_guarantee guarantee;
    lotor_policy_guarantee(policy, &guarantee);
    CHECK(guarantee.epsilon > 0.0);
    free(rewards);
    free(actions);
}

/* The same for a served policy, whose rounds the caller keeps. */
static void use_served(lotor_policy *policy)
{
    const size_t arms = policy->params.arms, dimension = policy->params.dimension;
    double *actions = policy->linear ? calloc(arms * dimension, sizeof *actions) : NULL;
    bool *eligible = calloc(arms, sizeof *eligible);
    CHECK(eligible && (actions || !policy->linear));
    for (int t = 0; t < ROUNDS; t++) {
        if (actions) {
            fill_actions(policy, t, actions);
        }
        for (size_t i = 0; i < arms; i++) {
            eligible[i] = i % 7 != (size_t)t % 7;
        }
        lotor_decision decision;
        const lotor_status status =
            lotor_policy_draw(policy, actions, t % 2 ? eligible : NULL, NULL, &decision);
        if (status != LOTOR_OK) {
            CHECK(status == LOTOR_INVALID && t % 2); /* too few arms are eligible */
            continue;
        }
        check_decision(policy, &decision);
        const lotor_display display = {decision.arms, decision.count, decision.asked,
                                       decision.asked_count,
                                       actions ? actions + decision.arms[0] * dimension : NULL};
        if (decision.event != 0 && t % 5 == 0) {
            lotor_policy_take_back(policy, decision.asked, decision.asked_count);
        } else if (decision.event != 0) {
            (void)lotor_policy_enter(policy, &display, NULL, 0, NULL);
        }
    }
    free(actions);
    free(eligible);
}

/* Uses a policy if it was loaded, and frees it. */
static void try_loaded(lotor_status status, lotor_policy *policy, const lotor_message *why)
{
    if (status != LOTOR_OK) {
        CHECK(!policy && why->text[0] != '\0');
        CHECK(status == LOTOR_DAMAGED || status == LOTOR_VERSION || status == LOTOR_MEMORY);
        return;
    }
    if (policy->is_served) {
        use_served(policy);
    } else {
        use(policy);
    }
    unsigned char *again;
    size_t again_length;
    CHECK(lotor_policy_save(policy, &again, &again_length) == LOTOR_OK);
    lotor_bytes_free(again, again_length);
    lotor_policy_free(policy);
}

static void try_bytes(const unsigned char *bytes, size_t length)
{
    test_source source;
    test_source_seed(&source, 1);
    lotor_message why = {""};
    lotor_policy *policy;
    const lotor_status status =
        lotor_policy_load_on(bytes, length, &custom, &source.source, &why, &policy);
    try_loaded(status, policy, &why);
}

/* The input as the state of a policy with a seed. Inputs of the corpus end before the generator, so
 * one is appended: four words, and no stocked noise of either law. */
static void try_seeded(const uint8_t *data, size_t size)
{
    unsigned char *payload = calloc(1, size + 6 * 8);
    CHECK(payload);
    if (size > 0) {
        memcpy(payload, data, size);
    }
    payload[size] = 1;
    size_t length;
    unsigned char *sealed = fuzz_envelope(LOTOR_SEEDED_KIND, payload, size + 6 * 8, &length);
    lotor_message why = {""};
    lotor_policy *policy;
    CHECK(lotor_policy_load(sealed, length, &custom, &why, &policy) == LOTOR_INVALID && !policy);
    const lotor_status status = lotor_lab_policy_load(sealed, length, &custom, &why, &policy);
    try_loaded(status, policy, &why);
    free(sealed);
    free(payload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    size_t length;
    unsigned char *sealed = fuzz_envelope("policy", data, size, &length);
    try_bytes(sealed, length);
    free(sealed);
    sealed = fuzz_envelope("served", data, size, &length);
    try_bytes(sealed, length);
    free(sealed);
    sealed = fuzz_envelope("valued", data, size, &length);
    try_bytes(sealed, length);
    free(sealed);
    try_seeded(data, size);
    return 0;
}
