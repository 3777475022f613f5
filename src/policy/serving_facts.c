/* serving_facts.c - what was released, for whoever keeps or shows it: see serving.h. Reading it is
 * post-processing. */
#include <math.h>

#include "policy/policy.h"

static lotor_status tell(void *context, size_t statistic, size_t arm, const lotor_fact *fact)
{
    const lotor_policy *policy = context;
    const lotor_released released = {statistic, arm, fact->value, fact->count, fact->time};
    return policy->told(policy->told_context, &released);
}

void lotor_policy_on_release(lotor_policy *policy, lotor_on_release *told, void *context)
{
    policy->told = told;
    policy->told_context = context;
    lotor_board_set_journal(policy->board, told ? tell : NULL, policy);
}

lotor_status lotor_policy_each_fact(const lotor_policy *policy, lotor_on_release *told,
                                    void *context)
{
    const lotor_board *board = policy->board;
    for (size_t s = 0; s < board->statistics; s++) {
        for (size_t i = 0; i < board->arms; i++) {
            const lotor_fact *fact = lotor_board_at(board, s, i);
            const lotor_released released = {s, i, fact->value, fact->count, fact->time};
            const lotor_status status = fact->time > 0 ? told(context, &released) : LOTOR_OK;
            if (status != LOTOR_OK) {
                return status;
            }
        }
    }
    return LOTOR_OK;
}

/* Of batches that stay, all of them. */
static lotor_fact add_up(const lotor_policy *policy, size_t arm)
{
    lotor_fact sum = *lotor_board_at(policy->board, 0, arm);
    const bool stay = policy->algorithm->statistic == LOTOR_STATISTIC_GROWING;
    for (size_t s = 1; stay && s < policy->board->statistics; s++) {
        const lotor_fact *fact = lotor_board_at(policy->board, s, arm);
        if (fact->time == 0) {
            break;
        }
        sum.value += fact->value;
        sum.count += fact->count;
    }
    return sum;
}

double lotor_policy_mean(const lotor_policy *policy, size_t arm, uint64_t *count)
{
    *count = 0;
    if (policy->linear || arm >= policy->params.arms) {
        return 0.0;
    }
    const lotor_fact sum = add_up(policy, arm);
    *count = sum.count;
    if (sum.count == 0) {
        return 0.0;
    }
    const lotor_statistic_kind kind = policy->algorithm->statistic;
    if (lotor_statistic_hears_lists(kind)) { /* clicks among those who looked */
        const double observed = lotor_board_at(policy->board, 1, arm)->value;
        return observed > 0.0 ? fmin(fmax(sum.value / observed, 0.0), 1.0) : 0.0;
    }
    const double mean = sum.value / (double)sum.count;
    if (kind != LOTOR_STATISTIC_BITS) {
        return mean;
    }
    /* a bit is 1 with probability lie + (1 - 2 lie) x, x the reward in [0,1] */
    const double lie = lotor_statistic_noise(policy->statistic);
    const double low = policy->params.low, high = policy->params.high;
    return low + (high - low) * (mean - lie) / (1.0 - 2.0 * lie);
}
