/* ratio.h - arithmetic on exact fractions that only the library needs. */
#ifndef LOTOR_BASE_RATIO_H
#define LOTOR_BASE_RATIO_H

#include <stdint.h>

#include <lotor/ratio.h>

/* ceil(a * b / divisor): a noise scale, rounded up (towards more noise). 0 when the divisor is
 * infinite. LOTOR_OVERFLOW when the result needs more than 62 bits or a step on the way more than
 * 128; LOTOR_INVALID when the divisor is 0. *out is written only on success. */
lotor_status lotor_ratio_ceil_product(uint64_t a, uint64_t b, lotor_ratio divisor, uint64_t *out);

/* A double that is not above the ratio, and below 1 when the ratio is. */
double lotor_ratio_double_below(lotor_ratio ratio);

/* Half of it, exactly. LOTOR_INVALID when the denominator would not fit. */
lotor_status lotor_ratio_half(lotor_ratio ratio, lotor_message *why, lotor_ratio *out);

#endif
