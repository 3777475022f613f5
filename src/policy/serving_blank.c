/* serving_blank.c - rounds that are numbered first and filled in later, and the chooser that says
 * what they show (serving.h).
 *
 * A chooser's decisions depend on releases, public counts, its own random numbers, and what the
 * request brings, like every drawing. Which blanks are filled in depends on what was recorded,
 * never on feedback. So a batch ends after the same rounds, whatever anybody answers.
 */
#include <assert.h>

#include "base/message.h"
#include "policy/policy.h"

uint64_t lotor_policy_number(lotor_policy *policy, uint64_t count, uint64_t *first)
{
    assert(!policy->is_chooser && lotor_policy_can_serve(policy));
    if (policy->params.horizon > 0) {
        const uint64_t drawn = policy->rounds - policy->voided;
        const uint64_t left = drawn < policy->params.horizon ? policy->params.horizon - drawn : 0;
        count = count < left ? count : left;
    }
    *first = policy->rounds + 1;
    policy->is_served = policy->is_served || count > 0;
    policy->rounds += count;
    policy->asked += count;
    policy->blanks += count;
    return count;
}

static lotor_status refuse(lotor_message *why)
{
    return lotor_fail(LOTOR_DAMAGED, why, "a record of what was shown does not fit its campaign");
}

/* Counts the displays of a round that learns. False: nothing was counted. */
static bool count_arms(lotor_policy *policy, const lotor_display *display, uint64_t size)
{
    if (lotor_policy_records_one(policy->algorithm)) {
        return display->asked_count == 1 &&
               lotor_policy_count_filled(policy, display->asked[0], size);
    }
    for (size_t i = 0; size == 0 && i < display->asked_count; i++) {
        policy->shown[display->asked[i]]++;
    }
    return size == 0;
}

lotor_status lotor_policy_fill(lotor_policy *policy, const lotor_display *display, uint64_t size,
                               lotor_message *why)
{
    assert(!policy->is_chooser);
    const bool learns =
        lotor_round_role_of(display->asked, display->asked_count) == LOTOR_ROUND_LEARNS;
    if (lotor_coder_check_display(&policy->coder, display, NULL) != LOTOR_OK ||
        policy->blanks == 0 || policy->rounds_ended >= policy->rounds ||
        (!learns && (!policy->evaluation || size > 0)) ||
        (learns && !count_arms(policy, display, size))) {
        return refuse(why);
    }
    policy->measuring += !learns;
    policy->blanks--;
    return LOTOR_OK;
}

void lotor_policy_void(lotor_policy *policy)
{
    assert(policy->blanks > 0 && policy->rounds_ended < policy->rounds);
    policy->blanks--;
    policy->rounds_ended++;
    policy->voided++;
}

void lotor_policy_make_chooser(lotor_policy *policy, uint64_t seed)
{
    policy->is_chooser = true;
    policy->seed = seed;
}

void lotor_chooser_expect(lotor_policy *policy, uint64_t number)
{
    assert(policy->is_chooser && number > 0);
    policy->rounds = number - 1; /* a drawing takes the next number */
}

void lotor_chooser_count(lotor_policy *policy, const lotor_display *display, uint64_t size)
{
    assert(policy->is_chooser);
    if (lotor_round_role_of(display->asked, display->asked_count) == LOTOR_ROUND_LEARNS &&
        lotor_coder_check_display(&policy->coder, display, NULL) == LOTOR_OK) {
        (void)count_arms(policy, display, size);
    }
}

uint64_t lotor_chooser_size(const lotor_policy *policy, const lotor_decision *drawn)
{
    assert(policy->is_chooser);
    const bool learns = lotor_round_role_of(drawn->asked, drawn->asked_count) == LOTOR_ROUND_LEARNS;
    const bool records_one = learns && lotor_policy_records_one(policy->algorithm);
    return records_one ? lotor_policy_batch_size(policy, drawn->asked == &policy->passing.recorded)
                       : 0;
}
