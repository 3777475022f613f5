/* weight.c - the weights of EXP3 (Auer, Cesa-Bianchi, Freund and Schapire 2002; src/learn/rivals.md).
 *
 * EXP3 adds (reward - low)/p to the sum of the arm that it has drawn, where p is the probability of
 * that draw. A round may get its feedback much later, when the probabilities are others. So p is kept with the
 * round, in the inbox, from the display until the round is final:
 *
 *      draw, p ─▶ inbox: default reward, 1/p ─▶ feedback replaces the reward ─▶ (reward - low)/p ─▶ sum
 *
 * p depends on the board and on public numbers alone. Nothing here is private all the same: the sums
 * are exact.
 */
#include <assert.h>
#include <math.h>

#include "base/message.h"
#include "policy/policy.h"

static double largest_weight(const lotor_policy *policy)
{
    return ceil((double)LOTOR_WEIGHT_UNIT / lotor_index_least_chance(policy->index));
}

int64_t lotor_policy_weight(const lotor_policy *policy, uint32_t arm)
{
    const double weight = (double)LOTOR_WEIGHT_UNIT / lotor_index_chance(policy->index, arm);
    const double largest = largest_weight(policy); /* rounding must not pass the ends */
    return llrint(fmin(largest, fmax(LOTOR_WEIGHT_UNIT, weight)));
}

bool lotor_policy_weight_fits(const lotor_policy *policy, int64_t weight)
{
    return weight >= LOTOR_WEIGHT_UNIT && (double)weight <= largest_weight(policy);
}

int64_t lotor_policy_weigh(const lotor_policy *policy, int64_t units, int64_t weight)
{
    const int64_t least = policy->coder.encoding.least;
    assert(units >= least && units <= policy->coder.encoding.most);
    assert(lotor_policy_weight_fits(policy, weight));
    return llrint((double)(units - least) * ((double)weight / (double)LOTOR_WEIGHT_UNIT));
}

lotor_status lotor_policy_check_weights(const lotor_policy *policy, lotor_message *why)
{
    const double width = (double)lotor_encoding_width(&policy->coder.encoding);
    const double largest = largest_weight(policy);
    if (largest <= 0x1p62 && width * (largest / (double)LOTOR_WEIGHT_UNIT) <= 0x1p62) {
        return LOTOR_OK;
    }
    return lotor_fail(
        LOTOR_OVERFLOW, why,
        "%s divides rewards by probabilities down to %g, and for this range of rewards "
        "the result does not fit in 64 bits: scale the rewards, or use fewer arms or a "
        "shorter horizon",
        policy->algorithm->id, lotor_index_least_chance(policy->index));
}
