/* serving_report.c - reports of the local model: what a device is told, and what comes back.
 *
 * A report is private when it comes (privacy/local/): checking its form, keeping it and adding it up
 * are post-processing, so nothing is added to it here. A forged report can spoil the estimates, but
 * only within what an honest one could be: Laplace reports beyond 64 scales of the range, which an
 * honest device never sends (privacy/local/randomize.c), are refused.
 *
 * Kept as: a bit; a place; a number of units per asked arm; the signs of a cube as the bits of one.
 */
#include "base/message.h"
#include "base/ratio.h"
#include "policy/policy.h"
#include "policy/serving_parts.h"
#include "privacy/local/randomize.h"

static bool is_local(const lotor_policy *policy)
{
    return policy->algorithm->model == LOTOR_MODEL_LOCAL &&
           !lotor_ratio_is_infinite(policy->params.epsilon);
}

/* From 1; 0: all of it is asked for. */
static size_t place_of(const lotor_policy *policy, const lotor_kept *kept)
{
    if (policy->feedback->kind == LOTOR_FEEDBACK_SEMI ||
        policy->feedback->kind == LOTOR_FEEDBACK_CASCADE) {
        return 0;
    }
    size_t place = 0;
    while (place < kept->count && kept->arms[place] != kept->asked[0]) {
        place++;
    }
    return place + 1;
}

static const char *mechanism_of(lotor_statistic_kind kind)
{
    return kind == LOTOR_STATISTIC_BITS            ? LOTOR_RANDOMIZE_BIT
           : kind == LOTOR_STATISTIC_CLICK_REPORTS ? LOTOR_RANDOMIZE_POSITION
           : kind == LOTOR_STATISTIC_CUBE_REPORTS  ? LOTOR_RANDOMIZE_CUBE
                                                   : LOTOR_RANDOMIZE_LAPLACE;
}

bool lotor_policy_randomizer(const lotor_policy *policy, const lotor_kept *kept,
                             lotor_randomizer *out)
{
    if (!is_local(policy)) {
        return false;
    }
    const bool laplace = policy->algorithm->statistic == LOTOR_STATISTIC_REPORTS;
    *out = (lotor_randomizer){
        .mechanism = mechanism_of(policy->algorithm->statistic),
        .slot = place_of(policy, kept),
        .epsilon = policy->params.epsilon,
        .scale = laplace ? lotor_statistic_scale(policy->statistic) : 0,
        .unit = laplace ? policy->encoding.unit : 0.0,
        .low = policy->params.low,
        .high = policy->params.high,
        .slots = policy->params.slots,
    };
    return true;
}

/* How many numbers a report has, as it is sent. */
static size_t numbers_of(const lotor_policy *policy, const lotor_kept *kept)
{
    switch (policy->algorithm->statistic) {
    case LOTOR_STATISTIC_CUBE_REPORTS:
        return policy->params.slots;
    case LOTOR_STATISTIC_REPORTS:
        return kept->asked_count;
    default:
        return 1;
    }
}

/* One number of it, as it is sent. */
static bool is_number(const lotor_policy *policy, int64_t number)
{
    switch (policy->algorithm->statistic) {
    case LOTOR_STATISTIC_CLICK_REPORTS:
        return number >= 1 && (uint64_t)number <= policy->params.slots + 1;
    case LOTOR_STATISTIC_REPORTS: {
        const lotor_report_range range =
            lotor_randomize_range(&policy->encoding, lotor_statistic_scale(policy->statistic));
        return number >= range.least && number <= range.most;
    }
    default:
        return number == 0 || number == 1;
    }
}

static lotor_status refuse_number(const lotor_policy *policy, size_t place, lotor_message *why)
{
    switch (policy->algorithm->statistic) {
    case LOTOR_STATISTIC_CLICK_REPORTS:
        return lotor_fail(LOTOR_RANGE, why,
                          "the report is no place: give 1 to %zu, or %zu for no click",
                          policy->params.slots, policy->params.slots + 1);
    case LOTOR_STATISTIC_REPORTS:
        return lotor_fail(LOTOR_RANGE, why,
                          "number %zu of the report is more than 64 scales outside the range of "
                          "rewards: send what the randomizer gives, in whole units",
                          place);
    default:
        return lotor_fail(LOTOR_RANGE, why, "number %zu of the report is no bit: give 0 or 1",
                          place);
    }
}

lotor_status lotor_policy_encode_report(const lotor_policy *policy, const lotor_kept *kept,
                                        const int64_t *report, size_t count, lotor_message *why,
                                        int64_t *units, size_t *used)
{
    *used = 0;
    const lotor_status status = lotor_policy_check_kept(policy, kept, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (!is_local(policy)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s takes answers, not reports: send rewards, or a click",
                          policy->algorithm->id);
    }
    const size_t wanted = numbers_of(policy, kept);
    if (count != wanted) {
        return lotor_fail(LOTOR_RANGE, why, "%zu numbers were reported where %zu are expected",
                          count, wanted);
    }
    const bool signs = policy->algorithm->statistic == LOTOR_STATISTIC_CUBE_REPORTS;
    uint64_t corner = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_number(policy, report[i])) {
            return refuse_number(policy, i + 1, why);
        }
        if (signs) {
            corner |= (uint64_t)report[i] << i;
        } else {
            units[i] = report[i];
        }
    }
    if (signs) {
        units[0] = (int64_t)corner;
    }
    *used = signs ? 1 : count;
    return LOTOR_OK;
}

/* The same of what was kept. */
static bool is_report(const lotor_policy *policy, const lotor_kept *kept, const int64_t *units,
                      size_t used)
{
    if (policy->algorithm->statistic == LOTOR_STATISTIC_CUBE_REPORTS) {
        const size_t slots = policy->params.slots;
        return used == 1 && (slots >= 64 || (uint64_t)units[0] >> slots == 0);
    }
    bool is = used == numbers_of(policy, kept);
    for (size_t i = 0; is && i < used; i++) {
        is = is_number(policy, units[i]);
    }
    return is;
}

lotor_status lotor_policy_enter_report(lotor_policy *policy, const lotor_kept *kept,
                                       const int64_t *units, size_t used, lotor_message *why)
{
    if (!is_local(policy) || !is_report(policy, kept, units, used)) {
        return lotor_fail(LOTOR_DAMAGED, why, "a kept report is not what was encoded");
    }
    const lotor_status status =
        lotor_statistic_take(policy->statistic, kept->asked, units, kept->asked_count,
                             policy->rounds_ended + 1, policy->board);
    policy->rounds_ended += status == LOTOR_OK;
    return status;
}
