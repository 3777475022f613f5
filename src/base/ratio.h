/* ratio.h - arithmetic on exact fractions that only the library needs. */
#ifndef LOTOR_BASE_RATIO_H
#define LOTOR_BASE_RATIO_H

#include <stdint.h>

#include <lotor/ratio.h>

/* ceil(a * b / divisor): a noise scale, rounded up (towards more noise). 0 when the divisor is
 * infinite. LOTOR_OVERFLOW when the result needs more than 62 bits or a step on the way more than
 * 128; LOTOR_INVALID when the divisor is 0. *out is written only on success. */
lotor_status lotor_ratio_ceil_product(uint64_t a, uint64_t b, lotor_ratio divisor, uint64_t *out);

#endif
