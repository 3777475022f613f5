/* serving_report.c - hands reports of the local model to the statistic (privacy/intake/coder.h). */
#include "base/message.h"
#include "policy/policy.h"
#include "policy/serving_parts.h"

bool lotor_policy_randomizer(const lotor_policy *policy, const lotor_kept *kept,
                             lotor_randomizer *out)
{
    return lotor_coder_randomizer(&policy->coder, kept, out);
}

lotor_status lotor_policy_encode_report(const lotor_policy *policy, const lotor_kept *kept,
                                        const int64_t *report, size_t count, lotor_message *why,
                                        int64_t *units, size_t *used)
{
    return lotor_coder_encode_report(&policy->coder, kept, report, count, why, units, used);
}

lotor_status lotor_policy_enter_report(lotor_policy *policy, const lotor_kept *kept,
                                       const int64_t *units, size_t used, lotor_message *why)
{
    if (!lotor_coder_is_report(&policy->coder, kept, units, used)) {
        return lotor_fail(LOTOR_DAMAGED, why, "a kept report is not what was encoded");
    }
    const lotor_status status =
        lotor_statistic_take(policy->statistic, kept->asked, units, kept->asked_count,
                             policy->rounds_ended + 1, policy->board);
    policy->rounds_ended += status == LOTOR_OK;
    return status;
}
