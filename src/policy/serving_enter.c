/* serving_enter.c - answers become numbers to be kept, and kept rounds enter their statistic: see
 * serving.h.
 *
 *      rewards    one number of units per asked arm
 *      a click    its place from 1, 0 for none: the feedback model's numbers follow from it
 *      linear     the bits of the reward; the action is kept beside it
 *      reports    serving_report.c
 *
 * A round enters exactly as if it had waited in the policy's own inbox: the same numbers, in the same
 * order, through the same statistic.
 */
#include <string.h>

#include "base/digits.h"
#include "base/memory.h"
#include "base/message.h"
#include "policy/policy.h"
#include "policy/serving_parts.h"

static bool hears_clicks(const lotor_policy *policy)
{
    return policy->params.cascade;
}

size_t lotor_policy_width(const lotor_policy *policy)
{
    const bool by_arm = !policy->linear && policy->feedback->kind == LOTOR_FEEDBACK_SEMI &&
                        policy->algorithm->statistic != LOTOR_STATISTIC_CUBE_REPORTS;
    return by_arm ? policy->params.slots : 1;
}

lotor_status lotor_policy_check_kept(const lotor_policy *policy, const lotor_kept *kept,
                                     lotor_message *why)
{
    bool fits = kept->asked && kept->asked_count > 0 && kept->asked_count <= policy->params.slots;
    for (size_t i = 0; fits && i < kept->asked_count; i++) {
        fits = kept->asked[i] < policy->params.arms;
        for (size_t j = 0; fits && j < i; j++) {
            fits = kept->asked[j] != kept->asked[i];
        }
    }
    const bool one = policy->feedback->kind != LOTOR_FEEDBACK_SEMI &&
                     policy->feedback->kind != LOTOR_FEEDBACK_CASCADE;
    fits = fits && (!one || kept->asked_count == 1);
    return fits ? LOTOR_OK
                : lotor_fail(LOTOR_INVALID, why, "this is no round that %s could have shown",
                             policy->algorithm->id);
}

/* The values stay out of the message: they are somebody's answer. */
static lotor_status encode_rewards(const lotor_policy *policy, size_t wanted,
                                   const lotor_answer *answer, lotor_message *why, int64_t *units)
{
    if (answer->count != wanted || !answer->rewards) {
        return lotor_fail(LOTOR_RANGE, why, "%zu rewards were given where %zu are expected",
                          answer->rewards ? answer->count : 0, wanted);
    }
    for (size_t i = 0; i < wanted; i++) {
        if (lotor_encode(&policy->encoding, answer->rewards[i], NULL, &units[i]) != LOTOR_OK) {
            char low[LOTOR_DIGITS_ROOM], high[LOTOR_DIGITS_ROOM];
            return lotor_fail(LOTOR_RANGE, why,
                              "reward %zu is not in the declared range %s to %s: send what is",
                              i + 1, lotor_digits(policy->params.low, low),
                              lotor_digits(policy->params.high, high));
        }
    }
    return LOTOR_OK;
}

static lotor_status encode_click(const lotor_policy *policy, const lotor_answer *answer,
                                 lotor_message *why, int64_t *units)
{
    if (answer->count > 0) {
        return lotor_fail(LOTOR_RANGE, why,
                          "rewards were given where a click is expected: give the clicked arm, or "
                          "none");
    }
    if (answer->click > policy->params.slots) {
        return lotor_fail(LOTOR_RANGE, why,
                          "the click is outside the list of %zu: give the place of a shown arm, or "
                          "0 for none",
                          policy->params.slots);
    }
    units[0] = (int64_t)answer->click;
    return LOTOR_OK;
}

lotor_status lotor_policy_encode(const lotor_policy *policy, const lotor_kept *kept,
                                 const lotor_answer *answer, lotor_message *why, int64_t *units,
                                 size_t *used)
{
    *used = 0;
    lotor_status status = lotor_policy_check_kept(policy, kept, why);
    if (status == LOTOR_OK && policy->algorithm->model == LOTOR_MODEL_LOCAL) {
        status = lotor_fail(LOTOR_INVALID, why,
                            "%s is of the local model: send a report, randomized where the answer "
                            "was given, and never the answer itself",
                            policy->algorithm->id);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const size_t wanted = hears_clicks(policy) ? 1 : kept->asked_count;
    status = hears_clicks(policy) ? encode_click(policy, answer, why, units)
                                  : encode_rewards(policy, wanted, answer, why, units);
    if (status == LOTOR_OK && policy->linear) { /* the number itself is kept */
        units[0] = lotor_policy_bits_of(answer->rewards[0]);
    }
    *used = status == LOTOR_OK ? wanted : 0;
    return status;
}

static lotor_status refuse_units(lotor_message *why)
{
    return lotor_fail(LOTOR_DAMAGED, why, "a kept answer is not what was encoded");
}

/* A click's place, or NULL without one, as the feedback model wants it. */
static lotor_status fill_click(lotor_policy *policy, const int64_t *units, lotor_message *why)
{
    const uint64_t click = units ? (uint64_t)units[0] : 0;
    if (click > policy->params.slots) {
        return refuse_units(why);
    }
    const lotor_feedback feedback = {.click = (size_t)click};
    return policy->feedback->encode(&policy->encoding, policy->params.slots, &feedback, why,
                                    policy->units);
}

/* The sensitivity rests on every number being in the range: of what was kept, too. */
static lotor_status fill_rewards(lotor_policy *policy, const int64_t *units, size_t count,
                                 lotor_message *why)
{
    int64_t missing = 0;
    const lotor_status status =
        lotor_encode(&policy->encoding, policy->params.default_reward, why, &missing);
    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        policy->units[i] = units ? units[i] : missing;
        if (policy->units[i] < policy->encoding.least || policy->units[i] > policy->encoding.most) {
            return refuse_units(why);
        }
    }
    return status;
}

static lotor_status fill_action(lotor_policy *policy, const lotor_kept *kept, const int64_t *units,
                                lotor_message *why)
{
    const size_t dimension = policy->params.dimension;
    for (size_t i = 0; kept->action && i < dimension; i++) {
        policy->units[i] = lotor_policy_bits_of(kept->action[i]);
    }
    double reward = policy->params.default_reward;
    if (units) {
        memcpy(&reward, &units[0], sizeof reward);
    }
    policy->units[dimension] = lotor_policy_bits_of(reward);
    return kept->action && lotor_policy_is_short(policy, kept->action) &&
                   reward >= policy->params.low && reward <= policy->params.high
               ? LOTOR_OK
               : refuse_units(why);
}

/* Into policy->units: what the inbox would have held. */
static lotor_status fill_units(lotor_policy *policy, const lotor_kept *kept, const int64_t *units,
                               size_t used, lotor_message *why)
{
    memset(policy->units, 0, policy->unit_count * sizeof *policy->units);
    const bool single = policy->linear || hears_clicks(policy);
    if (units && used != (single ? 1 : kept->asked_count)) {
        return refuse_units(why);
    }
    if (policy->linear) {
        return fill_action(policy, kept, units, why);
    }
    return hears_clicks(policy) ? fill_click(policy, units, why)
                                : fill_rewards(policy, units, kept->asked_count, why);
}

lotor_status lotor_policy_enter(lotor_policy *policy, const lotor_kept *kept, const int64_t *units,
                                size_t used, lotor_message *why)
{
    lotor_status status = lotor_policy_check_kept(policy, kept, why);
    if (status == LOTOR_OK && policy->rounds_ended >= policy->rounds) {
        status = lotor_fail(LOTOR_INVALID, why, "all rounds that were drawn are over");
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (units && policy->algorithm->model == LOTOR_MODEL_LOCAL) {
        status = lotor_policy_enter_report(policy, kept, units, used, why);
    } else {
        status = fill_units(policy, kept, units, used, why);
        const lotor_round round = {
            .arms = kept->asked,
            .arm_count = kept->asked_count,
            .units = policy->units,
            .answered = units != NULL,
        };
        status = status == LOTOR_OK ? lotor_policy_feed_final(policy, &round) : status;
        lotor_wipe(policy->units, policy->unit_count * sizeof *policy->units);
    }
    if (status != LOTOR_OK && status != LOTOR_DAMAGED) {
        lotor_explain(why, "%s",
                      status == LOTOR_ENTROPY ? "the system gives no random bytes: try again later"
                                              : "the release could not be recorded: try again "
                                                "later");
    }
    return status;
}
