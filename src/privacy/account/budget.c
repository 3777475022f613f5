/* budget.c - privacy budgets (epsilon, delta): checks, the attacker's probability of failure, basic
 * composition, and groups. account.md has the proofs and citations.
 */
#include "privacy/account/budget.h"

#include <assert.h>
#include <math.h>

#include "base/message.h"
#include "privacy/account/arithmetic.h"

lotor_status lotor_account_check_size(const char *name, double value, lotor_message *why)
{
    if (isnan(value) || value < 0.0) {
        return lotor_fail(LOTOR_INVALID, why, "%s is %g: expected 0 or more", name, value);
    }
    return LOTOR_OK;
}

lotor_status lotor_account_check_share(const char *name, double value, lotor_message *why)
{
    if (isnan(value) || value < 0.0 || value > 1.0) {
        return lotor_fail(LOTOR_INVALID, why, "%s is %g: expected 0 to 1", name, value);
    }
    return LOTOR_OK;
}

lotor_status lotor_account_check(lotor_budget budget, lotor_message *why)
{
    const lotor_status status = lotor_account_check_size("epsilon", budget.epsilon, why);
    return status != LOTOR_OK ? status : lotor_account_check_share("delta", budget.delta, why);
}

double lotor_account_adversary_failure(lotor_budget budget)
{
    if (lotor_account_check(budget, NULL) != LOTOR_OK) {
        return 0.0;
    }
    /* 1/(1 + e^epsilon), in a form that does not overflow */
    const double opposite = exp(-budget.epsilon);
    return (1.0 - budget.delta) * (opposite / (1.0 + opposite));
}

lotor_status lotor_account_compose_basic(const lotor_budget *parts, size_t count,
                                         lotor_message *why, lotor_budget *out)
{
    if (!parts || count == 0) {
        return lotor_fail(LOTOR_INVALID, why, "no budgets given: expected at least one to add up");
    }
    lotor_budget sum = {0.0, 0.0};
    for (size_t i = 0; i < count; i++) {
        const lotor_status status = lotor_account_check(parts[i], why);
        if (status != LOTOR_OK) {
            return status;
        }
        sum.epsilon = add_up(sum.epsilon, parts[i].epsilon);
        sum.delta = fmin(1.0, add_up(sum.delta, parts[i].delta));
    }
    assert(lotor_account_check(sum, NULL) == LOTOR_OK);
    *out = sum;
    return LOTOR_OK;
}

/* The logarithm of (e^(k epsilon) - 1) / (e^epsilon - 1) = 1 + e^epsilon + ... + e^((k-1) epsilon),
 * as e^((k-1) epsilon) (1 - e^(-k epsilon)) / (1 - e^(-epsilon)). */
static double log_group_factor(double epsilon, double rounds)
{
    assert(epsilon > 0.0 && rounds > 1.0);
    return (rounds - 1.0) * epsilon + log(-expm1(-rounds * epsilon)) - log(-expm1(-epsilon));
}

lotor_status lotor_account_group_privacy(lotor_budget budget, uint64_t rounds, lotor_message *why,
                                         lotor_budget *out)
{
    const lotor_status status = lotor_account_check(budget, why);
    if (status != LOTOR_OK) {
        return status;
    }
    if (rounds == 0) {
        return lotor_fail(LOTOR_INVALID, why, "0 rounds per user: expected at least 1");
    }
    if (rounds == 1) {
        *out = budget;
        return LOTOR_OK;
    }
    double times = (double)rounds;
    if (rounds > 1ull << 53) {
        times = nextafter(times, INFINITY);
    }
    lotor_budget group = {multiply_up(budget.epsilon, times), 0.0};
    if (budget.epsilon == 0.0) {
        group.delta = fmin(1.0, multiply_up(budget.delta, times));
    } else if (budget.delta > 0.0) {
        const double log_delta = log(budget.delta) + log_group_factor(budget.epsilon, times);
        group.delta = fmin(1.0, exp(log_delta) * (1.0 + LOTOR_ACCOUNT_SLACK));
    }
    assert(group.epsilon >= budget.epsilon && group.delta >= budget.delta);
    *out = group;
    return LOTOR_OK;
}
