/* numbers.c - strict parsing of numbers that people type.
 *
 * A decimal is first split into its parts: sign, digits before the point, digits after it,
 * exponent. With at most 15 digits and a power of ten up to 22, the double is one exact integer
 * multiplied or divided by one exact power, so there is a single rounding (Clinger 1990). That
 * covers nearly every line of input. Other numbers go to strtod as digits and exponent without a
 * point, because strtod takes the decimal point from the locale.
 */
#include "cli/numbers.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/message.h"
#include "base/quote.h"

enum {
    EXACT_DIGITS = 15, /* any integer with this many digits is a double */
    EXACT_POWER = 22,  /* 10^22 is a double */
    /* The midpoint between two doubles has up to 767 digits. Later digits only say: above it or
     * not. */
    SIGNIFICANT = 780,
    FAR_EXPONENT = 5000, /* beyond it, with SIGNIFICANT digits, the value is 0 or infinite */
    WHOLE_DIGITS = 20    /* digits of 2^64 - 1 */
};

static const int64_t EXPONENT_LIMIT = INT64_C(1000000000000000); /* longer than any text */

typedef struct decimal {
    bool negative;
    const char *whole, *fraction;
    size_t whole_length, fraction_length;
    int64_t exponent; /* as written, limited to EXPONENT_LIMIT */
} decimal;

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at)) {
        at++;
    }
    return at;
}

/* Reads the exponent after the letter e. NULL: there is none. */
static const char *cut_exponent(const char *at, const char *end, int64_t *exponent)
{
    const bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) {
        at++;
    }
    if (at == end || !is_digit(*at)) {
        return NULL;
    }
    int64_t size = 0;
    for (; at < end && is_digit(*at); at++) {
        size = size < EXPONENT_LIMIT ? size * 10 + (*at - '0') : EXPONENT_LIMIT;
    }
    *exponent = negative ? -size : size;
    return at;
}

/* Splits the text into the parts of a decimal. False: it is not a decimal. */
static bool cut(const char *text, size_t length, decimal *parts)
{
    const char *at = text;
    const char *const end = text + length;
    parts->negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) {
        at++;
    }
    parts->whole = at;
    at = skip_digits(at, end);
    parts->whole_length = (size_t)(at - parts->whole);
    parts->fraction = at;
    parts->fraction_length = 0;
    if (at < end && *at == '.') {
        parts->fraction = ++at;
        at = skip_digits(at, end);
        parts->fraction_length = (size_t)(at - parts->fraction);
    }
    if (parts->whole_length + parts->fraction_length == 0) {
        return false;
    }
    parts->exponent = 0;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at = cut_exponent(at + 1, end, &parts->exponent);
    }
    return at == end;
}

/* Digit i of the whole and fractional digits together, without the point. */
static char digit_at(const decimal *parts, size_t i)
{
    return i < parts->whole_length ? parts->whole[i] : parts->fraction[i - parts->whole_length];
}

static bool exact_double(const decimal *parts, double *out)
{
    static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const size_t digits = parts->whole_length + parts->fraction_length;
    if (digits > EXACT_DIGITS || parts->exponent > EXACT_POWER || parts->exponent < -EXACT_POWER) {
        return false;
    }
    const int64_t power = parts->exponent - (int64_t)parts->fraction_length;
    if (power > EXACT_POWER || power < -EXACT_POWER) {
        return false;
    }
    int64_t mantissa = 0;
    for (size_t i = 0; i < parts->whole_length; i++) {
        mantissa = mantissa * 10 + (parts->whole[i] - '0');
    }
    for (size_t i = 0; i < parts->fraction_length; i++) {
        mantissa = mantissa * 10 + (parts->fraction[i] - '0');
    }
    const double size =
        power < 0 ? (double)mantissa / powers[-power] : (double)mantissa * powers[power];
    *out = parts->negative ? -size : size;
    return true;
}

/* Converts any decimal: the leading digits, a 1 if nonzero digits were left out, and the
 * exponent. */
static double general_double(const decimal *parts)
{
    char text[SIGNIFICANT + 32];
    const size_t digits = parts->whole_length + parts->fraction_length;
    size_t first = 0;
    while (first < digits && digit_at(parts, first) == '0') {
        first++;
    }
    if (first == digits) {
        return parts->negative ? -0.0 : 0.0;
    }
    size_t used = 0, i = first;
    for (; i < digits && used < SIGNIFICANT; i++) {
        text[used++] = digit_at(parts, i);
    }
    int64_t power = parts->exponent - (int64_t)parts->fraction_length + (int64_t)(digits - i);
    for (; i < digits; i++) {
        if (digit_at(parts, i) != '0') {
            text[used++] = '1';
            power--;
            break;
        }
    }
    if (power > FAR_EXPONENT) {
        power = FAR_EXPONENT;
    } else if (power < -FAR_EXPONENT) {
        power = -FAR_EXPONENT;
    }
    snprintf(text + used, sizeof text - used, "e%d", (int)power);
    const double size = strtod(text, NULL);
    return parts->negative ? -size : size;
}

static bool same_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

/* 1 or -1 for "inf", "+infinity", "-inf", ...; 0 for any other text. */
static int infinity_sign(const char *text, size_t length)
{
    int sign = 1;
    if (length > 0 && (*text == '-' || *text == '+')) {
        sign = *text == '-' ? -1 : 1;
        text++;
        length--;
    }
    return same_word(text, length, "inf") || same_word(text, length, "infinity") ? sign : 0;
}

static lotor_status refuse(const char *text, size_t length, lotor_message *why)
{
    const lotor_quoted_text quoted = lotor_quote(text, length);
    const size_t sign = length > 0 && (*text == '-' || *text == '+');
    if (length == 0) {
        return lotor_fail(LOTOR_INVALID, why, "\"\" is empty: a number was expected");
    }
    if (same_word(text + sign, length - sign, "nan") || infinity_sign(text, length) != 0) {
        return lotor_fail(LOTOR_INVALID, why, "%s is not a finite number", quoted.text);
    }
    if (length > sign + 1 && text[sign] == '0' &&
        (text[sign + 1] == 'x' || text[sign + 1] == 'X')) {
        return lotor_fail(LOTOR_INVALID, why, "%s is hexadecimal: a decimal number was expected",
                          quoted.text);
    }
    return lotor_fail(LOTOR_INVALID, why, "%s is not a number (write it like 12, 0.5 or 1e-3)",
                      quoted.text);
}

lotor_status lotor_parse_double(const char *text, size_t length, lotor_message *why, double *out)
{
    decimal parts;
    if (!cut(text, length, &parts)) {
        return refuse(text, length, why);
    }
    if (exact_double(&parts, out)) {
        return LOTOR_OK;
    }
    const double value = general_double(&parts);
    if (isinf(value)) {
        return lotor_fail(LOTOR_INVALID, why, "%s is too large: numbers go up to about 1.8e308",
                          lotor_quote(text, length).text);
    }
    *out = value;
    return LOTOR_OK;
}

lotor_status lotor_parse_extended(const char *text, size_t length, lotor_message *why, double *out)
{
    if (infinity_sign(text, length) == 1) {
        *out = INFINITY;
        return LOTOR_OK;
    }
    return lotor_parse_double(text, length, why, out);
}

/* The value of a decimal without a fraction that fits: its first `places` digits, with zeros
 * appended if it has fewer. */
static bool whole_value(const decimal *parts, uint64_t *out)
{
    const size_t digits = parts->whole_length + parts->fraction_length;
    size_t first = 0, last = digits;
    while (first < digits && digit_at(parts, first) == '0') {
        first++;
    }
    while (last > first && digit_at(parts, last - 1) == '0') {
        last--;
    }
    if (first == last) {
        *out = 0;
        return true;
    }
    /* Digit i has the value 10^(places - 1 - i). */
    const int64_t places = (int64_t)parts->whole_length + parts->exponent;
    if (places < (int64_t)last || places - (int64_t)first > WHOLE_DIGITS) {
        return false;
    }
    uint64_t value = 0;
    for (size_t i = first; i < (size_t)places; i++) {
        const uint64_t digit = i < last ? (uint64_t)(digit_at(parts, i) - '0') : 0;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, digit, &value)) {
            return false;
        }
    }
    *out = value;
    return true;
}

lotor_status lotor_parse_whole(const char *text, size_t length, lotor_message *why, uint64_t *out)
{
    decimal parts;
    if (!cut(text, length, &parts)) {
        return refuse(text, length, why);
    }
    uint64_t value;
    if (!whole_value(&parts, &value) || (parts.negative && value != 0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s is not a whole number from 0 to 18446744073709551615",
                          lotor_quote(text, length).text);
    }
    *out = value;
    return LOTOR_OK;
}

/* Removes blanks from both ends. */
static void trim(const char **text, size_t *length)
{
    while (*length > 0 && (**text == ' ' || **text == '\t')) {
        (*text)++;
        (*length)--;
    }
    while (*length > 0 && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t')) {
        (*length)--;
    }
}

lotor_status lotor_parse_range(const char *text, size_t length, lotor_message *why, double *low,
                               double *high)
{
    const char *comma = length > 0 ? memchr(text, ',', length) : NULL;
    if (!comma) {
        return lotor_fail(LOTOR_INVALID, why, "%s is not a range: write LO,HI, such as 0,5 or -1,1",
                          lotor_quote(text, length).text);
    }
    const char *left = text, *right = comma + 1;
    size_t left_length = (size_t)(comma - text), right_length = length - left_length - 1;
    trim(&left, &left_length);
    trim(&right, &right_length);
    double from = 0, to = 0;
    lotor_status status = lotor_parse_double(left, left_length, why, &from);
    if (status == LOTOR_OK) {
        status = lotor_parse_double(right, right_length, why, &to);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    if (!(from < to)) {
        return lotor_fail(LOTOR_INVALID, why, "%s is an empty range: LO must be below HI",
                          lotor_quote(text, length).text);
    }
    *low = from;
    *high = to;
    return LOTOR_OK;
}

static size_t count_items(const char *text, size_t length)
{
    size_t items = 1;
    for (size_t i = 0; i < length; i++) {
        items += text[i] == ',';
    }
    return items;
}

static lotor_status fill_list(const char *text, size_t length, lotor_message *why,
                              lotor_number_list *list)
{
    const char *at = text;
    size_t left = length;
    for (size_t i = 0; i < list->count; i++) {
        const char *comma = left > 0 ? memchr(at, ',', left) : NULL;
        const size_t whole_item = comma ? (size_t)(comma - at) : left;
        const char *item = at;
        size_t item_length = whole_item;
        trim(&item, &item_length);
        if (item_length == 0) {
            return lotor_fail(LOTOR_INVALID, why, "item %zu of the list %s is empty", i + 1,
                              lotor_quote(text, length).text);
        }
        const lotor_status status = lotor_parse_extended(item, item_length, why, &list->items[i]);
        if (status != LOTOR_OK) {
            return status;
        }
        at += whole_item + (comma != NULL);
        left -= whole_item + (comma != NULL);
    }
    return LOTOR_OK;
}

lotor_status lotor_parse_list(const char *text, size_t length, lotor_message *why,
                              lotor_number_list *out)
{
    *out = (lotor_number_list){NULL, 0};
    const size_t count = count_items(text, length);
    if (count > LOTOR_NUMBER_LIST_MAX) {
        return lotor_fail(LOTOR_INVALID, why, "the list has %zu items: expected at most %d", count,
                          (int)LOTOR_NUMBER_LIST_MAX);
    }
    lotor_number_list list = {calloc(count, sizeof *list.items), count};
    if (!list.items) {
        return lotor_fail(LOTOR_MEMORY, why, "no memory for a list of %zu numbers", count);
    }
    const lotor_status status = fill_list(text, length, why, &list);
    if (status != LOTOR_OK) {
        lotor_number_list_free(&list);
        return status;
    }
    *out = list;
    return LOTOR_OK;
}

void lotor_number_list_free(lotor_number_list *list)
{
    if (list) {
        free(list->items);
        *list = (lotor_number_list){NULL, 0};
    }
}
