/* ratio.c - epsilon and delta as exact fractions: reading, reducing, scaling.
 *
 * Decimal text is already a fraction: "0.125" is 125/10^3. Up to 18 decimals are kept, and fewer if
 * the numerator would exceed 2^63. Further digits are cut off, which rounds down. Nothing here uses
 * strtod, so neither the locale nor binary rounding matters.
 */
#include "base/ratio.h"

#include <math.h>
#include <stddef.h>

#include "base/message.h"

typedef unsigned __int128 wide;

enum { DECIMALS = 18 };                     /* 10^18 < 2^63 < 10^19 */
static const uint64_t LARGEST = 1ull << 63; /* largest numerator, and so largest value */
static const int64_t EXPONENT_END = 1000000000000000000;

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

lotor_ratio lotor_ratio_of(uint64_t num, uint64_t den)
{
    if (num == 0) {
        return (lotor_ratio){0, 1};
    }
    const uint64_t divisor = greatest_divisor(num, den);
    return (lotor_ratio){num / divisor, den / divisor};
}

bool lotor_ratio_is_infinite(lotor_ratio ratio)
{
    return ratio.den == 0 && ratio.num != 0;
}

/* Parsed decimal text: 0.d1 d2 d3 ... times 10^magnitude, d1 not 0. */
typedef struct decimal {
    const char *digits; /* at d1; a point may lie between the digits */
    const char *end;    /* after the last digit */
    int64_t magnitude;
    bool is_zero;
} decimal;

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* True if `text` equals `word` but for the case of ASCII letters, in any locale. `word` is in lower
 * case. */
static bool is_word(const char *text, const char *word)
{
    for (; *text != '\0' && *word != '\0'; text++, word++) {
        const char small = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
        if (small != *word) {
            return false;
        }
    }
    return *text == *word;
}

/* Reads the digits after the 'e'. Huge exponents saturate; the caller refuses them or gets zero. */
static bool read_exponent(const char *text, int64_t *exponent)
{
    const bool negative = *text == '-';
    if (*text == '-' || *text == '+') {
        text++;
    }
    if (!is_digit(*text)) {
        return false;
    }
    int64_t size = 0;
    for (; is_digit(*text); text++) {
        size = size < EXPONENT_END / 10 ? size * 10 + (*text - '0') : EXPONENT_END;
    }
    *exponent = negative ? -size : size;
    return *text == '\0';
}

/* False unless `text` consists of digits, at most one point among them, and maybe an exponent. */
static bool read_decimal(const char *text, decimal *out)
{
    *out = (decimal){.is_zero = true};
    int64_t before_point = 0;  /* digits from d1 to the point */
    int64_t leading_zeros = 0; /* between the point and d1 */
    bool seen_digit = false, seen_point = false;
    const char *at = text;
    for (; is_digit(*at) || (*at == '.' && !seen_point); at++) {
        if (*at == '.') {
            seen_point = true;
            continue;
        }
        seen_digit = true;
        if (out->is_zero && *at != '0') {
            out->is_zero = false;
            out->digits = at;
        }
        if (!seen_point && !out->is_zero) {
            before_point++;
        }
        if (seen_point && out->is_zero) {
            leading_zeros++;
        }
    }
    out->end = at;
    int64_t exponent = 0;
    if (!seen_digit) {
        return false;
    }
    if (*at == 'e' || *at == 'E') {
        if (!read_exponent(at + 1, &exponent)) {
            return false;
        }
    } else if (*at != '\0') {
        return false;
    }
    out->magnitude = before_point - leading_zeros + exponent;
    return true;
}

/* Takes the digits down to 10^-18 and cuts off the rest. Keeps as many decimals as leave the
 * numerator at most 2^63. Magnitude must be in -17..19: then there are at most 37 digits, which fit
 * 128 bits. */
static bool decimal_to_ratio(const decimal *from, lotor_ratio *out)
{
    wide number = 0;
    int decimals = -(int)from->magnitude;
    const char *at = from->digits;
    while (decimals < DECIMALS) {
        while (at < from->end && *at == '.') {
            at++;
        }
        if (at == from->end && decimals >= 0) {
            break;
        }
        const int digit = at < from->end ? *at++ - '0' : 0;
        number = number * 10 + (unsigned)digit;
        decimals++;
    }
    for (; decimals > 0 && (number > LARGEST || number % 10 == 0); decimals--) {
        number /= 10;
    }
    if (number > LARGEST) {
        return false;
    }
    uint64_t den = 1;
    for (; decimals > 0; decimals--) {
        den *= 10;
    }
    *out = lotor_ratio_of((uint64_t)number, den);
    return true;
}

lotor_status lotor_ratio_parse(const char *text, lotor_message *why, lotor_ratio *out)
{
    if (!text || *text == '\0') {
        return lotor_fail(LOTOR_INVALID, why,
                          "no number given: expected one such as 0.1, 1e-5 or inf");
    }
    if (is_word(text, "inf") || is_word(text, "infinity")) {
        *out = lotor_ratio_of(1, 0);
        return LOTOR_OK;
    }
    if (*text == '-') {
        return lotor_fail(LOTOR_INVALID, why, "'%.40s' is below 0: expected 0 or more", text);
    }
    decimal parts;
    if (!read_decimal(text, &parts)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "'%.40s' is not a number: expected one such as 0.1, 1e-5 or inf", text);
    }
    if (parts.is_zero) {
        *out = lotor_ratio_of(0, 1);
        return LOTOR_OK;
    }
    if (parts.magnitude <= -DECIMALS) {
        return lotor_fail(LOTOR_INVALID, why,
                          "'%.40s' is too small: the smallest that can be held is 1e-18 (or 0)",
                          text);
    }
    if (parts.magnitude > 19 || !decimal_to_ratio(&parts, out)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "'%.40s' is too large: the largest is 2^63; write inf for no noise",
                          text);
    }
    return LOTOR_OK;
}

lotor_status lotor_ratio_from_double(double value, lotor_message *why, lotor_ratio *out)
{
    if (isnan(value) || value < 0.0) {
        return lotor_fail(LOTOR_INVALID, why, "%g is not a number of 0 or more", value);
    }
    if (isinf(value)) {
        *out = lotor_ratio_of(1, 0);
        return LOTOR_OK;
    }
    if (value > 0x1p63) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%g is too large: the largest is 2^63; use infinity for no noise", value);
    }
    if (value >= 1.0) {
        const double whole = floor(value); /* at most 52 bits are after the point */
        const uint64_t part = (uint64_t)ldexp(value - whole, 52);
        if (part == 0) {
            *out = lotor_ratio_of((uint64_t)whole, 1);
            return LOTOR_OK;
        }
        const uint64_t common = greatest_divisor(part, 1ull << 52);
        const uint64_t den = (1ull << 52) / common;
        *out = (lotor_ratio){(uint64_t)whole * den + part / common, den};
        return LOTOR_OK;
    }
    const uint64_t parts = (uint64_t)ldexp(value, 63); /* the conversion rounds down */
    if (parts == 0 && value > 0.0) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%g is too small: the smallest that can be held is 2^-63 (or 0)", value);
    }
    *out = lotor_ratio_of(parts, 1ull << 63);
    return LOTOR_OK;
}

static int bit_length(uint64_t value)
{
    return 64 - __builtin_clzll(value);
}

/* One division in 128 bits gives at least 62 bits of the quotient. A remainder sets its last bit,
 * so that the conversion to double rounds once and correctly. */
double lotor_ratio_to_double(lotor_ratio ratio)
{
    if (ratio.num == 0) {
        return 0.0;
    }
    if (ratio.den == 0) {
        return INFINITY;
    }
    const int shift = 63 - bit_length(ratio.num) + bit_length(ratio.den);
    const wide scaled = (wide)ratio.num << shift;
    uint64_t quotient = (uint64_t)(scaled / ratio.den);
    if (scaled % ratio.den != 0) {
        quotient |= 1;
    }
    return ldexp((double)quotient, -shift);
}

lotor_status lotor_ratio_ceil_product(uint64_t a, uint64_t b, lotor_ratio divisor, uint64_t *out)
{
    if (lotor_ratio_is_infinite(divisor)) {
        *out = 0;
        return LOTOR_OK;
    }
    if (divisor.num == 0) {
        return LOTOR_INVALID;
    }
    wide product = (wide)a * b;
    const uint64_t common = greatest_divisor(divisor.num, (uint64_t)(product % divisor.num));
    product /= common;
    const uint64_t by = divisor.num / common;
    if (__builtin_mul_overflow(product, (wide)divisor.den, &product)) {
        return LOTOR_OVERFLOW;
    }
    const wide result = product / by + (product % by != 0);
    if (result >> 62 != 0) {
        return LOTOR_OVERFLOW;
    }
    *out = (uint64_t)result;
    return LOTOR_OK;
}

lotor_status lotor_ratio_half(lotor_ratio ratio, lotor_message *why, lotor_ratio *out)
{
    if (ratio.num % 2 == 0) {
        ratio.num /= 2;
    } else if (__builtin_mul_overflow(ratio.den, 2, &ratio.den)) {
        return lotor_fail(LOTOR_INVALID, why, "epsilon has too many digits: give at most 18");
    }
    *out = ratio;
    return LOTOR_OK;
}

double lotor_ratio_double_below(lotor_ratio ratio)
{
    const double nearest = lotor_ratio_to_double(ratio);
    return isinf(nearest) || nearest == 0.0 ? nearest : nextafter(nearest, 0.0);
}
