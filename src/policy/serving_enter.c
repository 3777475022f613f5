/* serving_enter.c - hands the service's rounds to the statistic (serving.h). privacy/intake/coder.h
 * says what the service keeps of a round.
 *
 * A round enters exactly as if it had waited in the policy's own inbox: the same numbers, in the
 * same order, through the same statistic.
 */
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/secure.h"
#include "policy/evaluation.h"
#include "policy/policy.h"

static int64_t bits_of(double number)
{
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* --- reports of the local model ------------------------------------------------------------------ */

bool lotor_policy_randomizer(const lotor_policy *policy, const lotor_display *display,
                             lotor_randomizer *out)
{
    return lotor_coder_randomizer(&policy->coder, display, out);
}

lotor_status lotor_policy_encode_report(const lotor_policy *policy, const lotor_display *display,
                                        const int64_t *report, size_t count, lotor_message *why,
                                        int64_t *units, size_t *used)
{
    return lotor_coder_encode_report(&policy->coder, display, report, count, why, units, used);
}

static lotor_status enter_report(lotor_policy *policy, const lotor_display *display,
                                 const int64_t *units, size_t used, lotor_message *why)
{
    if (!lotor_coder_is_report(&policy->coder, display, units, used)) {
        return lotor_fail(LOTOR_DAMAGED, why, "a kept report is not what was encoded");
    }
    const lotor_status status =
        lotor_statistic_feed_report(policy->statistic, display->asked, units, display->asked_count,
                                    policy->rounds_ended + 1, policy->board);
    policy->rounds_ended += status == LOTOR_OK;
    return status;
}

size_t lotor_policy_width(const lotor_policy *policy)
{
    return lotor_coder_width(&policy->coder);
}

lotor_status lotor_policy_encode(const lotor_policy *policy, const lotor_display *display,
                                 const lotor_feedback *feedback, lotor_message *why, int64_t *units,
                                 size_t *used)
{
    return lotor_coder_encode(&policy->coder, display, feedback, why, units, used);
}

static lotor_status refuse_units(lotor_message *why)
{
    return lotor_fail(LOTOR_DAMAGED, why, "a kept answer is not what was encoded");
}

/* Fills policy->units from the position of a click; NULL: no feedback, which counts as no click. */
static lotor_status fill_click(lotor_policy *policy, const int64_t *units, lotor_message *why)
{
    const uint64_t click = units ? (uint64_t)units[0] : 0;
    if (click > policy->params.slots) {
        return refuse_units(why);
    }
    const lotor_feedback feedback = {.click = (size_t)click};
    return policy->coder.feedback->encode(&policy->coder.encoding, policy->params.slots, &feedback,
                                          why, policy->units);
}

/* Fills policy->units from rewards; NULL: the default reward. The sensitivity relies on every
 * number being in the range, so kept numbers are checked again. */
static lotor_status fill_rewards(lotor_policy *policy, const int64_t *units, size_t count,
                                 lotor_message *why)
{
    assert(count <= policy->unit_count);
    int64_t missing = 0;
    const lotor_status status =
        lotor_encode(&policy->coder.encoding, policy->params.default_reward, why, &missing);
    for (size_t i = 0; i < count && status == LOTOR_OK; i++) {
        policy->units[i] = units ? units[i] : missing;
        if (policy->units[i] < policy->coder.encoding.least ||
            policy->units[i] > policy->coder.encoding.most) {
            return refuse_units(why);
        }
    }
    return status;
}

/* Fills policy->units from a context and a reward; NULL: the default reward. */
static lotor_status fill_action(lotor_policy *policy, const lotor_display *display,
                                const int64_t *units, lotor_message *why)
{
    const size_t dimension = policy->params.dimension;
    for (size_t i = 0; display->action && i < dimension; i++) {
        policy->units[i] = bits_of(display->action[i]);
    }
    double reward = policy->params.default_reward;
    if (units) {
        memcpy(&reward, &units[0], sizeof reward);
    }
    policy->units[dimension] = bits_of(reward);
    return display->action && lotor_policy_is_short(policy, display->action) &&
                   reward >= policy->params.low && reward <= policy->params.high
               ? LOTOR_OK
               : refuse_units(why);
}

/* Fills policy->units with the numbers that the inbox would have held. */
static lotor_status fill_units(lotor_policy *policy, const lotor_display *display,
                               const int64_t *units, size_t used, lotor_message *why)
{
    memset(policy->units, 0, policy->unit_count * sizeof *policy->units);
    const bool single = policy->linear || policy->coder.hears_clicks;
    if (units && used != (single ? 1 : display->asked_count)) {
        return refuse_units(why);
    }
    if (policy->linear) {
        return fill_action(policy, display, units, why);
    }
    return policy->coder.hears_clicks ? fill_click(policy, units, why)
                                      : fill_rewards(policy, units, display->asked_count, why);
}

lotor_status lotor_policy_enter(lotor_policy *policy, const lotor_display *display,
                                const int64_t *units, size_t used, lotor_message *why)
{
    lotor_status status = lotor_secure_refuse_child(policy->owned, "policy", why);
    if (status == LOTOR_OK) {
        status = lotor_coder_check_display(&policy->coder, display, why);
    }
    if (status == LOTOR_OK && policy->rounds_ended >= policy->rounds) {
        status = lotor_fail(LOTOR_INVALID, why, "all rounds that were drawn are over");
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (lotor_round_role_of(display->asked, display->asked_count) != LOTOR_ROUND_LEARNS) {
        status = lotor_evaluation_enter(policy, display, units, used, why);
    } else if (units && policy->coder.is_local) {
        status = enter_report(policy, display, units, used, why);
    } else {
        status = fill_units(policy, display, units, used, why);
        const lotor_round round = {
            .arms = display->asked,
            .arm_count = display->asked_count,
            .units = policy->units,
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
    assert(policy->rounds_ended <= policy->rounds);
    return status;
}
