/* text.c - see text.h. */
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* Makes room for `count` more bytes and the NUL. NULL: there is no room. */
static char *more_room(lotor_text *text, size_t count)
{
    if (text->is_out_of_memory) {
        return NULL;
    }
    if (text->capacity - text->length <= count) {
        const bool fits = !text->is_fixed && count < SIZE_MAX / 4 && text->length < SIZE_MAX / 4;
        const size_t capacity = (text->length + count) * 2 + 64;
        char *larger = fits ? realloc(text->bytes, capacity) : NULL;
        if (!larger) {
            text->is_out_of_memory = true;
            return NULL;
        }
        text->bytes = larger;
        text->capacity = capacity;
    }
    return text->bytes + text->length;
}

static void add_bytes(lotor_text *text, const char *bytes, size_t count)
{
    char *to = more_room(text, count);
    if (to) {
        memcpy(to, bytes, count);
        to[count] = '\0';
        text->length += count;
    }
}

void lotor_text_add(lotor_text *text, const char *more)
{
    add_bytes(text, more, strlen(more));
}

void lotor_text_print(lotor_text *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    char *to = length < 0 ? NULL : more_room(text, (size_t)length);
    if (!to) {
        text->is_out_of_memory = true;
        return;
    }
    va_start(values, format);
    vsnprintf(to, (size_t)length + 1, format, values);
    va_end(values);
    text->length += (size_t)length;
}

/* True if XML 1.0 allows this character. */
static bool is_allowed(unsigned long code)
{
    return code == '\t' || code == '\n' || code == '\r' ||
           (code >= 0x20 && code != 0x7f && !(code >= 0x80 && code < 0xa0) &&
            !(code >= 0xd800 && code < 0xe000) && code != 0xfffe && code != 0xffff &&
            code <= 0x10ffff);
}

/* The length of a UTF-8 character by its first byte. 0: no character begins with this byte. */
static size_t length_by_first(unsigned char first)
{
    if (first < 0x80) {
        return 1;
    }
    if (first < 0xc2 || first > 0xf4) {
        return 0;
    }
    if (first < 0xe0) {
        return 2;
    }
    return first < 0xf0 ? 3 : 4;
}

size_t lotor_text_character(const char *at, unsigned long *code)
{
    const unsigned char first = (unsigned char)*at;
    const size_t length = length_by_first(first);
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned long value = length == 1 ? first : first & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) { /* a NUL ends the loop: it is not a continuation byte */
        const unsigned char next = (unsigned char)at[i];
        if ((next & 0xc0) != 0x80) {
            return 0;
        }
        value = value << 6 | (next & 0x3f);
    }
    *code = value;
    return length > 0 && value >= least[length] && is_allowed(value) ? length : 0;
}

/* The entity of a character that is special in XML; NULL: it is not special. */
static const char *entity_of(unsigned long code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void lotor_text_escape(lotor_text *text, const char *more)
{
    unsigned long code;
    while (more && *more != '\0') {
        const size_t length = lotor_text_character(more, &code);
        const char *entity = length == 0 ? "\xef\xbf\xbd" : entity_of(code);
        if (entity) {
            lotor_text_add(text, entity);
        } else {
            add_bytes(text, more, length);
        }
        more += length > 0 ? length : 1;
    }
}

void lotor_text_fixed(lotor_text *text, double value, int decimals)
{
    double power = 1.0;
    for (int i = 0; i < decimals; i++) {
        power *= 10.0;
    }
    if (!(fabs(value) * power < 1e17)) {
        lotor_text_number(text, value, 6);
        return;
    }
    const long long whole = llround(value * power);
    unsigned long long size = whole < 0 ? -(unsigned long long)whole : (unsigned long long)whole;
    for (; decimals > 0 && size % 10 == 0; decimals--) { /* without trailing zeros */
        size /= 10;
    }
    /* Pictures have many thousand numbers, and printf would take most of the time. */
    char digits[32];
    size_t at = sizeof digits;
    for (int i = 0; i <= decimals || size > 0; i++) {
        if (i > 0 && i == decimals) {
            digits[--at] = '.';
        }
        digits[--at] = (char)('0' + size % 10);
        size /= 10;
    }
    if (whole < 0) {
        digits[--at] = '-';
    }
    add_bytes(text, digits + at, sizeof digits - at);
}

void lotor_text_number(lotor_text *text, double value, int digits)
{
    char raw[64], plain[64];
    snprintf(raw, sizeof raw, "%.*g", digits, value);
    size_t length = 0;
    for (const char *at = raw; *at != '\0'; at++) {
        const bool in_exponent = length > 0 && strchr("e-", plain[length - 1]) && at - raw > 1;
        if (*at == '+' || (*at == '0' && in_exponent)) {
            continue; /* 1e+07 is 1e7 */
        }
        if (strchr("0123456789-einfa", *at)) {
            plain[length++] = *at;
        } else if (length == 0 || plain[length - 1] != '.') {
            plain[length++] = '.'; /* the locale's decimal point may have several bytes */
        }
    }
    add_bytes(text, plain, length);
}

void lotor_text_grouped(lotor_text *text, uint64_t value)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            lotor_text_add(text, ",");
        }
        add_bytes(text, &digits[i], 1);
    }
}

lotor_status lotor_text_status(const lotor_text *text, lotor_message *why)
{
    if (text->is_out_of_memory) {
        return lotor_fail(LOTOR_MEMORY, why,
                          "there is no memory for the text, of which %zu bytes were written: free "
                          "some, or ask for fewer figures",
                          text->length);
    }
    return LOTOR_OK;
}

void lotor_text_clear(lotor_text *text)
{
    if (!text->is_fixed) {
        free(text->bytes);
    }
    *text = (lotor_text){0};
}

int lotor_text_write(const lotor_text *text, const char *file)
{
    FILE *out = fopen(file, "we");
    if (!out) {
        return errno;
    }
    const bool is_whole = fwrite(text->bytes, 1, text->length, out) == text->length;
    const int error = is_whole ? 0 : errno;
    return fclose(out) != 0 && !error ? errno : error;
}
