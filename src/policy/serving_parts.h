/* serving_parts.h - declarations that the serving_*.c files share. */
#ifndef LOTOR_POLICY_SERVING_PARTS_H
#define LOTOR_POLICY_SERVING_PARTS_H

#include "policy/policy.h"

/* serving_report.c: enters a report that a device has randomized. */
lotor_status lotor_policy_enter_report(lotor_policy *policy, const lotor_kept *kept,
                                       const int64_t *units, size_t used, lotor_message *why);

/* The bits of a double, as an integer. */
static inline int64_t lotor_policy_bits_of(double number)
{
    int64_t bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    return bits;
}

#endif
