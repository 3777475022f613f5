/* ratio.h - epsilon and delta as exact fractions.
 *
 * A number such as 0.1 has no exact double, and a privacy guarantee should not depend on rounding.
 * So Lotor holds epsilon and delta as fractions of two 64-bit integers. Text with more digits than
 * fit (18 decimals) is rounded down. For epsilon and delta that means towards more privacy.
 */
#ifndef LOTOR_RATIO_H
#define LOTOR_RATIO_H

#include <stdbool.h>
#include <stdint.h>

#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* num/den, not negative, in lowest terms. den = 0 (and num = 1) is infinity. An unset field, 0/0,
 * means 0 unless its comment says otherwise. */
typedef struct lotor_ratio {
    uint64_t num;
    uint64_t den;
} lotor_ratio;

/* num/den in lowest terms. lotor_ratio_of(1, 0) is infinity; 0/0 gives 0/1. */
LOTOR_API lotor_ratio lotor_ratio_of(uint64_t num, uint64_t den);

/* Reads "0.1", "2", "1e-5", "5e7", ".5" or "inf". Refused with LOTOR_INVALID and a message: empty
 * text, trailing characters, a sign, NaN, and positive values that would round to 0 (below
 * 1e-18) or do not fit (above 2^63). *out is written only on success. */
LOTOR_API lotor_status lotor_ratio_parse(const char *text, lotor_message *why, lotor_ratio *out);

/* Converts a double. From 1 to 2^63 the result is exact; below 1 it is rounded down to a multiple
 * of 2^-63. 0.1 gives the fraction of that double, not 1/10: prefer text. Infinity gives 1/0.
 * Refused: NaN, negative values, and values that do not fit. */
LOTOR_API lotor_status lotor_ratio_from_double(double value, lotor_message *why, lotor_ratio *out);

/* The nearest double, INFINITY for infinity. */
LOTOR_API double lotor_ratio_to_double(lotor_ratio ratio);

LOTOR_API bool lotor_ratio_is_infinite(lotor_ratio ratio);

#ifdef __cplusplus
}
#endif
#endif
