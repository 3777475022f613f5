/* ratio.h - arithmetic on exact fractions, for internal use. */
#ifndef LOTOR_BASE_RATIO_H
#define LOTOR_BASE_RATIO_H

#include <stdint.h>

#include <lotor/ratio.h>

/* ceil(a * b / divisor): a noise scale, rounded up (towards more noise). 0 if the divisor is
 * infinite. LOTOR_OVERFLOW: the result needs more than 62 bits, or an intermediate value more than
 * 128. LOTOR_INVALID: the divisor is 0. *out is written only on success. */
lotor_status lotor_ratio_ceil_product(uint64_t a, uint64_t b, lotor_ratio divisor, uint64_t *out);

/* A double that is not above the ratio; and below 1 if the ratio is below 1. */
double lotor_ratio_double_below(lotor_ratio ratio);

/* Half of the ratio, exactly. LOTOR_INVALID: the denominator would not fit. */
lotor_status lotor_ratio_half(lotor_ratio ratio, lotor_message *why, lotor_ratio *out);

#endif
