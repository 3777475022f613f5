/* prior.c - a policy that starts with the releases of another one (serving.h). prior.md has the proof:
 * releases are public, so learning from them costs no privacy.
 *
 *      releases of an older policy ─▶ prior facts ─▶ learner ◀─ board ◀─ the policy's own releases
 *
 * The facts are kept with the policy and saved with it, so a policy that is loaded makes the same
 * choices.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "policy/policy.h"

#define VALUE_MOST 1e60 /* beyond any sum of rewards with noise */

struct lotor_prior {
    size_t count;
    lotor_prior_fact facts[];
};

bool lotor_algorithm_takes_prior(const lotor_algorithm *algorithm)
{
    return algorithm->imed && !algorithm->imed->is_local;
}

/* A count is also a double, and is exact as one. */
static bool is_possible(const lotor_policy *policy, const lotor_prior_fact *fact)
{
    return fact->arm < policy->params.arms && fact->count > 0 && fact->count <= UINT64_C(1) << 53 &&
           fabs(fact->value) <= VALUE_MOST && fact->epsilon > 0.0 && isfinite(fact->epsilon);
}

static lotor_status check(const lotor_policy *policy, const lotor_prior_fact *facts, size_t count,
                          lotor_message *why)
{
    if (!lotor_algorithm_takes_prior(policy->algorithm) || policy->params.alarm) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s can't start from the releases of another campaign: use lik-imed, or "
                          "no prior",
                          policy->algorithm->id);
    }
    if (policy->prior || policy->asked > 0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "only a new policy can start from the releases of another one");
    }
    if (count == 0) {
        return lotor_fail(LOTOR_INVALID, why, "the prior has no release");
    }
    size_t of_arm = 0;
    for (size_t i = 0; i < count; i++) {
        of_arm = i > 0 && facts[i].arm == facts[i - 1].arm ? of_arm + 1 : 1;
        if (!is_possible(policy, &facts[i]) || of_arm > LOTOR_PRIOR_MOST ||
            (i > 0 && facts[i].arm < facts[i - 1].arm)) {
            return lotor_fail(LOTOR_INVALID, why,
                              "release %zu of the prior is not possible for this policy", i);
        }
    }
    return LOTOR_OK;
}

static lotor_status teach(lotor_policy *policy, const lotor_prior_fact *facts, size_t count)
{
    lotor_imed_prior *prior = calloc(count ? count : 1, sizeof *prior);
    if (!prior) {
        return LOTOR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        prior[i] = (lotor_imed_prior){facts[i].arm, (double)facts[i].count, facts[i].value,
                                      facts[i].epsilon};
    }
    const lotor_status status = lotor_imed_take_prior(policy->imed, prior, count);
    free(prior);
    return status;
}

lotor_status lotor_policy_take_prior(lotor_policy *policy, const lotor_prior_fact *facts,
                                     size_t count, lotor_message *why)
{
    lotor_status status = check(policy, facts, count, why);
    if (status != LOTOR_OK) {
        return status;
    }
    struct lotor_prior *prior = calloc(1, sizeof *prior + count * sizeof *prior->facts);
    status = prior ? teach(policy, facts, count) : LOTOR_MEMORY;
    if (status != LOTOR_OK) {
        free(prior);
        return lotor_fail(status, why, "no memory for the releases of another campaign");
    }
    prior->count = count;
    for (size_t i = 0; i < count; i++) {
        prior->facts[i] = facts[i];
    }
    policy->prior = prior;
    policy->is_served = true;
    return LOTOR_OK;
}

size_t lotor_policy_prior_count(const lotor_policy *policy)
{
    return policy->prior ? policy->prior->count : 0;
}

/* --- saving ----------------------------------------------------------------------------------- */

enum { SAVED_WORDS = 4 };

void lotor_prior_save(const lotor_policy *policy, lotor_writer *writer)
{
    lotor_write_u64(writer, policy->prior->count);
    for (size_t i = 0; i < policy->prior->count; i++) {
        const lotor_prior_fact *fact = &policy->prior->facts[i];
        lotor_write_u64(writer, fact->arm);
        lotor_write_u64(writer, fact->count);
        lotor_write_double(writer, fact->value);
        lotor_write_double(writer, fact->epsilon);
    }
}

lotor_status lotor_prior_load(lotor_policy *policy, lotor_reader *reader)
{
    const uint64_t count = lotor_read_u64(reader);
    lotor_read_expect(reader, count <= (uint64_t)(reader->end - reader->next) /
                                           ((uint64_t)8 * SAVED_WORDS));
    if (reader->status != LOTOR_OK) {
        return LOTOR_OK;
    }
    lotor_prior_fact *facts = calloc(count ? (size_t)count : 1, sizeof *facts);
    if (!facts) {
        return LOTOR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t arm = lotor_read_u64(reader);
        lotor_read_expect(reader, arm < policy->params.arms);
        facts[i].arm = (uint32_t)arm;
        facts[i].count = lotor_read_u64(reader);
        facts[i].value = lotor_read_double(reader);
        facts[i].epsilon = lotor_read_double(reader);
    }
    lotor_status status = LOTOR_OK;
    if (reader->status == LOTOR_OK) {
        const uint64_t asked = policy->asked;
        policy->asked = 0; /* the learner has made no choice yet */
        status = lotor_policy_take_prior(policy, facts, (size_t)count, NULL);
        policy->asked = asked;
        lotor_read_expect(reader, status == LOTOR_OK || status == LOTOR_MEMORY);
    }
    free(facts);
    return status == LOTOR_MEMORY ? status : (lotor_status)LOTOR_OK;
}
