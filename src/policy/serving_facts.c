/* serving_facts.c - gives the releases of a policy to callers that store or show them (serving.h).
 * Reading releases is post-processing. */
#include <assert.h>

#include "policy/evaluation.h"
#include "policy/policy.h"

/* The journal of the board: passes each new fact on to `told`. */
static lotor_status tell(void *context, size_t statistic, size_t arm, const lotor_fact *fact)
{
    const lotor_policy *policy = context;
    assert(policy->told);
    const lotor_arm_fact released = {statistic, arm, fact->value, fact->count, fact->time};
    return policy->told(policy->told_context, &released);
}

void lotor_policy_on_fact(lotor_policy *policy, lotor_on_fact *told, void *context)
{
    policy->told = told;
    policy->told_context = context;
    lotor_board_set_journal(policy->board, told ? tell : NULL, policy);
    if (policy->evaluation) {
        lotor_evaluation_tell(policy);
    }
}

lotor_status lotor_policy_each_fact(const lotor_policy *policy, lotor_on_fact *told, void *context)
{
    const lotor_board *board = policy->board;
    for (size_t s = 0; s < board->statistics; s++) {
        for (size_t i = 0; i < board->arms; i++) {
            const lotor_fact *fact = lotor_board_at(board, s, i);
            const lotor_arm_fact released = {s, i, fact->value, fact->count, fact->time};
            const lotor_status status = fact->time > 0 ? told(context, &released) : LOTOR_OK;
            if (status != LOTOR_OK) {
                return status;
            }
        }
    }
    return LOTOR_OK;
}

double lotor_policy_mean(const lotor_policy *policy, size_t arm, uint64_t *count)
{
    lotor_estimator estimator;
    lotor_arm_sums reading;
    lotor_estimate estimate;
    lotor_policy_estimator(policy, &estimator);
    lotor_policy_arm_sums(policy, &estimator, arm, &reading);
    *count = reading.count;
    return lotor_estimate_of(&estimator, &reading, &estimate) ? estimate.mean : 0.0;
}
