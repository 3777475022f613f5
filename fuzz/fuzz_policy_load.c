/* fuzz_policy_load.c - saved policies: the input as it is, and as a payload with the right checksum
 * around it. What is loaded goes on choosing feasible arms and taking answers. */
#include "fuzz.h"

#include "policy/policy.h"
#include "support/test_source.h"

enum { ROUNDS = 60 };

static void use(lotor_policy *policy)
{
    const size_t slots = policy->params.slots;
    double *rewards = calloc(slots, sizeof *rewards);
    CHECK(rewards);
    for (size_t i = 0; i < slots; i++) {
        rewards[i] = i % 2 ? policy->params.low : policy->params.high;
    }
    for (int t = 0; t < ROUNDS; t++) {
        lotor_decision decision;
        CHECK(lotor_policy_choose(policy, NULL, NULL, &decision) == LOTOR_OK);
        CHECK(decision.count <= slots && decision.hold >= 1);
        for (size_t i = 0; i < decision.count; i++) {
            CHECK(decision.arms[i] < policy->params.arms);
        }
        const lotor_answer answer = {rewards, slots, 0};
        if (decision.event != 0) {
            (void)lotor_policy_observe(policy, decision.event, &answer, NULL);
            (void)lotor_policy_expire(policy, decision.event, NULL);
        }
    }
    lotor_guarantee guarantee;
    lotor_policy_guarantee(policy, &guarantee);
    CHECK(guarantee.epsilon > 0.0);
    free(rewards);
}

static void try_bytes(const unsigned char *bytes, size_t length)
{
    test_source source;
    test_source_seed(&source, 1);
    lotor_message why = {""};
    lotor_policy *policy;
    const lotor_status status =
        lotor_policy_load_on(bytes, length, NULL, &source.source, &why, &policy);
    if (status != LOTOR_OK) {
        CHECK(!policy && why.text[0] != '\0');
        CHECK(status == LOTOR_DAMAGED || status == LOTOR_VERSION || status == LOTOR_MEMORY);
        return;
    }
    use(policy);
    unsigned char *again;
    size_t again_length;
    CHECK(lotor_policy_save(policy, &again, &again_length) == LOTOR_OK);
    lotor_bytes_free(again, again_length);
    lotor_policy_free(policy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    size_t length;
    unsigned char *sealed = fuzz_envelope("policy", data, size, &length);
    try_bytes(sealed, length);
    free(sealed);
    return 0;
}
