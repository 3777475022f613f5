/* sensitivity.h - macros and functions that the tests of sensitivity share. */
#ifndef LOTOR_TESTS_SENSITIVITY_H
#define LOTOR_TESTS_SENSITIVITY_H

#include "policy/policy.h"
#include "support/cmocka_all.h"

static inline double claimed_scale(const lotor_policy *policy)
{
    lotor_guarantee guarantee;
    lotor_policy_guarantee(policy, &guarantee);
    assert_true(guarantee.is_private);
    return guarantee.scale;
}

/* Two tests of one statistic, whose parameters are shapes[number]: one of its sensitivity, one of
 * its noise. */
#define OF(id, number)                                                                             \
    TEST_OF(id##_claims, noise_covers_what_a_round_moves, &shapes[number]);                        \
    TEST_OF(id##_draws, the_noise_that_is_there_covers_it, &shapes[number])

#endif
