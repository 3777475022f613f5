/* serving_parts.h - inside serving: what its files share. */
#ifndef LOTOR_POLICY_SERVING_PARTS_H
#define LOTOR_POLICY_SERVING_PARTS_H

#include "policy/policy.h"

/* serving_report.c: enters a report that came randomized. */
lotor_status lotor_policy_enter_report(lotor_policy *policy, const lotor_kept *kept,
                                       const int64_t *units, size_t used, lotor_message *why);

static inline int64_t lotor_policy_bits_of(double number)
{
    int64_t bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    return bits;
}

#endif
