/* encode.h - turns a value into a whole number of units, and says how far one value can move a sum.
 *
 * The size of a unit depends on the declared range:
 *   - 2^-20 by default;
 *   - finer if the range is narrower than 1, so that every range has at least 2^20 steps;
 *   - coarser if values exceed 2^11 in size (2^-31 of the farthest end), so that 2^29 values can be
 *     summed.
 *
 * Rounding moves a sum by at most half a unit per value. Each value is rounded on its own, and
 * rounding is monotone. So replacing one value moves a sum by at most most - least units: this
 * integer is the sensitivity.
 */
#ifndef LOTOR_PRIVACY_ENCODE_ENCODE_H
#define LOTOR_PRIVACY_ENCODE_ENCODE_H

#include <stdint.h>

#include <lotor/status.h>

typedef struct lotor_encoding {
    double low, high;    /* the declared range */
    double unit;         /* the size of a unit, a power of two */
    double per_unit;     /* 1/unit: encoding and decoding are each one exact multiplication */
    int64_t least, most; /* the range in units */
} lotor_encoding;

/* Refuses (LOTOR_INVALID) a range that is not finite, is empty, or needs more than 52 bits. */
lotor_status lotor_encoding_make(double low, double high, lotor_message *why, lotor_encoding *out);

/* Refuses (LOTOR_RANGE) NaN, infinities and values outside the range. The message does not
 * contain the value: it may be personal, and messages reach logs. */
lotor_status lotor_encode(const lotor_encoding *encoding, double value, lotor_message *why,
                          int64_t *units);

double lotor_decode(const lotor_encoding *encoding, int64_t units);

/* most - least: how far replacing one value can move a sum, in units. */
uint64_t lotor_encoding_width(const lotor_encoding *encoding);

/* The largest |units| of one value. */
uint64_t lotor_encoding_magnitude(const lotor_encoding *encoding);

#endif
