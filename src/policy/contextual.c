/* contextual.c - rounds of a linear learner: the caller gives contexts, one action is shown, and
 * its reward comes back.
 *
 * The context of the shown action is personal data. It waits in the inbox together with the default
 * reward, as the bits of the doubles. Feedback replaces the reward. When the round is final, the
 * matrix statistic turns both into whole numbers.
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/digits.h"
#include "base/memory.h"
#include "base/message.h"
#include "policy/policy.h"

static double square_of(const double *numbers, size_t count)
{
    double square = 0.0;
    for (size_t i = 0; i < count; i++) {
        square += numbers[i] * numbers[i];
    }
    return square;
}

/* Is the action at most as long as declared? The tolerance is what rounding can do to an action
 * that was divided by its own length: d 2^-52 of the square. The noise covers this (matrix.md,
 * matrix_batch.md). */
bool lotor_policy_is_short(const lotor_policy *policy, const double *action)
{
    const double longest = policy->params.context_length;
    const size_t dimension = policy->params.dimension;
    return square_of(action, dimension) <=
           longest * longest * (1.0 + (double)dimension * DBL_EPSILON);
}

static lotor_status check_contexts(const lotor_policy *policy, const double *contexts,
                                   lotor_message *why)
{
    const size_t dimension = policy->params.dimension;
    const double longest = policy->params.context_length;
    if (!contexts) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s chooses among the actions of a round: give %zu of them, %zu numbers "
                          "each",
                          policy->algorithm->id, policy->params.arms, dimension);
    }
    for (size_t i = 0; i < policy->params.arms; i++) {
        const double *action = contexts + i * dimension;
        if (!lotor_policy_is_short(policy, action)) {
            char most[LOTOR_DIGITS_ROOM];
            return lotor_fail(LOTOR_RANGE, why,
                              "action %zu (counted from 0) is longer than the declared %s, or not "
                              "made of numbers: scale the actions down, all alike",
                              i, lotor_digits(longest, most));
        }
    }
    return LOTOR_OK;
}

static int64_t bits_of(double number)
{
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static double number_of(int64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

lotor_status lotor_policy_choose_action(lotor_policy *policy, const double *contexts,
                                        lotor_message *why, lotor_decision *out)
{
    const lotor_status status = check_contexts(policy, contexts, why);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_linear_begin(policy->linear, policy->asked + 1, policy->seed);
    policy->single = lotor_linear_choose(policy->linear, policy->board, contexts);
    assert(policy->single < policy->params.arms);
    *out = (lotor_decision){
        .arms = &policy->single, .count = 1, .asked = &policy->single, .asked_count = 1, .hold = 1};
    const size_t dimension = policy->params.dimension;
    for (size_t i = 0; i < dimension; i++) {
        policy->units[i] = bits_of(contexts[policy->single * dimension + i]);
    }
    policy->units[dimension] = bits_of(policy->params.default_reward);
    return LOTOR_OK;
}

lotor_status lotor_policy_observe_action(lotor_policy *policy, uint64_t event,
                                         const lotor_feedback *feedback, lotor_message *why)
{
    if (feedback->count != 1) {
        return lotor_fail(LOTOR_RANGE, why, "the number of rewards is %zu: expected 1",
                          feedback->count);
    }
    int64_t units; /* not used: lotor_encode only checks the range; the reward itself is kept */
    const lotor_status status =
        lotor_encode(&policy->coder.encoding, feedback->rewards[0], why, &units);
    lotor_wipe(&units, sizeof units);
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_round round;
    const lotor_status found = lotor_inbox_find(policy->inbox, event, &round);
    if (found == LOTOR_OK) {
        const size_t dimension = policy->params.dimension;
        memcpy(policy->units, round.units, dimension * sizeof *policy->units);
        policy->units[dimension] = bits_of(feedback->rewards[0]);
    }
    return LOTOR_OK;
}

/* Reads the context of a round and, after it, the reward. */
static void unpack(const lotor_policy *policy, const lotor_round *round, double *numbers)
{
    assert(policy->params.dimension <= LOTOR_LINEAR_MAX);
    for (size_t i = 0; i <= policy->params.dimension; i++) {
        numbers[i] = number_of(round->units[i]);
    }
}

lotor_status lotor_policy_feed_action(lotor_policy *policy, const lotor_round *round)
{
    double numbers[LOTOR_LINEAR_MAX + 1];
    unpack(policy, round, numbers);
    const lotor_status status = lotor_matrix_feed(policy->matrix, numbers, policy->rounds_ended + 1,
                                                  &policy->noise, policy->board);
    lotor_wipe(numbers, (policy->params.dimension + 1) * sizeof *numbers);
    return status;
}

lotor_status lotor_policy_feed_numbers(lotor_policy *policy, const double *numbers)
{
    assert(policy->matrix && !policy->noise.exact && policy->rounds == policy->rounds_ended);
    const lotor_status status = lotor_matrix_feed(policy->matrix, numbers, policy->rounds_ended + 1,
                                                  &policy->noise, policy->board);
    policy->asked += status == LOTOR_OK;
    policy->rounds += status == LOTOR_OK;
    policy->rounds_ended += status == LOTOR_OK;
    return status;
}

uint64_t lotor_policy_late_release(const lotor_policy *policy)
{
    const uint64_t first = policy->matrix ? lotor_matrix_noise_of(policy->matrix).first : 0;
    return first > policy->params.horizon ? first : 0;
}

bool lotor_policy_actions_fit(const lotor_policy *policy)
{
    const uint64_t first = policy->rounds_ended + 1;
    lotor_round round;
    for (uint64_t event = first; lotor_inbox_find(policy->inbox, event, &round) == LOTOR_OK;
         event++) {
        double numbers[LOTOR_LINEAR_MAX + 1];
        unpack(policy, &round, numbers);
        const double reward = numbers[policy->params.dimension];
        const bool fits = lotor_policy_is_short(policy, numbers) && reward >= policy->params.low &&
                          reward <= policy->params.high;
        lotor_wipe(numbers, (policy->params.dimension + 1) * sizeof *numbers);
        if (!fits) {
            return false;
        }
    }
    return true;
}
