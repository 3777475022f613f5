/* encode.h - a value on its way in becomes a whole number of units.
 *
 * A unit is 2^-20; finer where the declared range is narrower than 1, so that a range always has
 * at least 2^20 steps; coarser where values pass 2^11 in size (2^-31 of the farthest end), so that
 * 2^29 of them can be summed. Rounding moves a sum by half a unit a value at most.
 * Rounding is per value and monotone, so one value can move a sum by at most most - least units:
 * that is the sensitivity, as an integer.
 */
#ifndef LOTOR_PRIVACY_ENCODE_ENCODE_H
#define LOTOR_PRIVACY_ENCODE_ENCODE_H

#include <stdint.h>

#include <lotor/status.h>

typedef struct lotor_encoding {
    double low, high;    /* the declared range */
    double unit;         /* the size of a unit, a power of two */
    double per_unit;     /* 1/unit, so that both ways are one exact multiplication */
    int64_t least, most; /* the range in units */
} lotor_encoding;

/* Refuses (LOTOR_INVALID) ranges that are not finite, empty, or need more than 52 bits. */
lotor_status lotor_encoding_make(double low, double high, lotor_message *why, lotor_encoding *out);

/* Refuses (LOTOR_RANGE) NaN, infinities and values outside the range, naming the value. */
lotor_status lotor_encode(const lotor_encoding *encoding, double value, lotor_message *why,
                          int64_t *units);

double lotor_decode(const lotor_encoding *encoding, int64_t units);

/* most - least: how far replacing one value can move a sum. */
uint64_t lotor_encoding_width(const lotor_encoding *encoding);

/* The largest |units| of one value. */
uint64_t lotor_encoding_magnitude(const lotor_encoding *encoding);

#endif
