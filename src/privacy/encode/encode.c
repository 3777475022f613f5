/* encode.c - turns values into whole numbers of units; encode.h describes the units. */
#include "privacy/encode/encode.h"

#include <assert.h>
#include <math.h>

#include "base/digits.h"
#include "base/message.h"

/* A range has at least 2^UNIT_BITS steps; an end far from 0 has at most 2^MAGNITUDE_BITS units,
 * unless the range is narrow; no end may have more than 2^LARGEST_BITS units. */
enum { UNIT_BITS = 20, MAGNITUDE_BITS = 31, LARGEST_BITS = 52 };

lotor_status lotor_encoding_make(double low, double high, lotor_message *why, lotor_encoding *out)
{
    assert(out);
    const double width = high - low;
    if (!isfinite(low) || !isfinite(high) || !isfinite(width) || !(low < high)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%g,%g is not a range: give two finite numbers, the lower one first", low,
                          high);
    }
    const double farthest = fmax(fabs(low), fabs(high));
    int width_exponent, farthest_exponent; /* width and farthest are below 2^exponent */
    (void)frexp(width, &width_exponent);
    (void)frexp(farthest, &farthest_exponent);
    const int coarse = farthest_exponent - MAGNITUDE_BITS;
    const int fine = width_exponent - 1 - UNIT_BITS;
    const int wanted = coarse > -UNIT_BITS ? coarse : -UNIT_BITS;
    const int unit_exponent = wanted < fine ? wanted : fine;
    if (unit_exponent < -900 || unit_exponent > 900) { /* sums of units must stay normal doubles */
        return lotor_fail(LOTOR_INVALID, why,
                          "the range %g,%g is too %s for double precision: scale your values", low,
                          high, unit_exponent < 0 ? "narrow" : "wide");
    }
    const double largest = ldexp(farthest, -unit_exponent);
    if (!(largest <= ldexp(1.0, LARGEST_BITS))) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the range %g,%g is too far from 0 for its width: in units of 2^%d it "
                          "does not fit; shift or scale your values",
                          low, high, unit_exponent);
    }
    *out = (lotor_encoding){
        .low = low,
        .high = high,
        .unit = ldexp(1.0, unit_exponent),
        .per_unit = ldexp(1.0, -unit_exponent),
        .least = llrint(ldexp(low, -unit_exponent)),
        .most = llrint(ldexp(high, -unit_exponent)),
    };
    assert(out->least < out->most && out->unit * out->per_unit == 1.0);
    return LOTOR_OK;
}

lotor_status lotor_encode(const lotor_encoding *encoding, double value, lotor_message *why,
                          int64_t *units)
{
    if (!(value >= encoding->low && value <= encoding->high)) { /* NaN is refused here, too */
        char low[LOTOR_DIGITS_ROOM], high[LOTOR_DIGITS_ROOM];
        return lotor_fail(LOTOR_RANGE, why, "the value is not in the declared range %s to %s",
                          lotor_digits(encoding->low, low), lotor_digits(encoding->high, high));
    }
    /* The sensitivity relies on least <= units <= most. Clamping keeps that true even if the caller
     * changed the rounding mode of the processor. */
    const int64_t rounded = llrint(value * encoding->per_unit);
    *units = rounded < encoding->least  ? encoding->least
             : rounded > encoding->most ? encoding->most
                                        : rounded;
    assert(*units >= encoding->least && *units <= encoding->most);
    return LOTOR_OK;
}

double lotor_decode(const lotor_encoding *encoding, int64_t units)
{
    return (double)units * encoding->unit;
}

uint64_t lotor_encoding_width(const lotor_encoding *encoding)
{
    return (uint64_t)(encoding->most - encoding->least);
}

uint64_t lotor_encoding_magnitude(const lotor_encoding *encoding)
{
    const uint64_t below = (uint64_t)(encoding->least < 0 ? -encoding->least : encoding->least);
    const uint64_t above = (uint64_t)(encoding->most < 0 ? -encoding->most : encoding->most);
    return below > above ? below : above;
}
