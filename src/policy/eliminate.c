/* eliminate.c - policies that eliminate arms: which arm is next, and when something is released. */
#include <assert.h>

#include "policy/policy.h"

/* The viable arm that was shown least, counting rounds that are still open; the first of them if
 * several were. An arm that is viable now always was. So the numbers of displays of viable arms
 * differ by at most one, and this also holds within every epoch. */
uint32_t lotor_policy_next_in_turn(const lotor_policy *policy)
{
    size_t count;
    const uint32_t *viable = lotor_elimination_viable(policy->elimination, &count);
    assert(count > 0);
    uint32_t best = viable[0];
    for (size_t i = 1; i < count; i++) {
        const uint32_t arm = viable[i];
        if (policy->shown[arm] < policy->shown[best]) {
            best = arm;
        }
    }
    return best;
}

bool lotor_policy_is_viable(const lotor_policy *policy, uint32_t arm)
{
    size_t count;
    const uint32_t *viable = lotor_elimination_viable(policy->elimination, &count);
    for (size_t i = 0; i < count; i++) {
        if (viable[i] == arm) {
            return true;
        }
    }
    return false;
}

/* Called when all viable arms have the observations of the plan: asks the gate, or releases the
 * sums. Then the learner makes a new plan. */
static lotor_status act_on_plan(lotor_policy *policy)
{
    size_t count;
    const uint32_t *viable = lotor_elimination_viable(policy->elimination, &count);
    const lotor_elimination_plan *plan = lotor_elimination_next(policy->elimination);
    const uint64_t time = policy->rounds_ended;
    lotor_status status;
    if (!lotor_elimination_wants_release(policy->elimination)) {
        status = lotor_epoch_ask(policy->epochs, viable, count, plan->threshold, time,
                                 &policy->noise, policy->board);
        if (status == LOTOR_OK) {
            lotor_elimination_read_gate(policy->elimination, policy->board);
        }
        return status;
    }
    status =
        lotor_epoch_release(policy->epochs, viable, count, time, &policy->noise, policy->board);
    if (status == LOTOR_OK) {
        lotor_elimination_read_sums(policy->elimination, policy->board);
    }
    return status;
}

/* Does every viable arm have the observations of the plan, and is there more than one viable
 * arm? */
static bool is_due(const lotor_policy *policy)
{
    size_t count;
    const uint32_t *viable = lotor_elimination_viable(policy->elimination, &count);
    const uint64_t wanted = lotor_elimination_next(policy->elimination)->rounds;
    for (size_t i = 0; i < count; i++) {
        if (lotor_epoch_count(policy->epochs, viable[i]) < wanted) {
            return false;
        }
    }
    return count > 1;
}

lotor_status lotor_policy_settle(lotor_policy *policy)
{
    while (policy->elimination && is_due(policy)) {
        const lotor_status status = act_on_plan(policy);
        if (status != LOTOR_OK) {
            return status;
        }
    }
    return LOTOR_OK;
}
