/* records.c - see records.h. */
#include "base/records.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"

enum { MOST_BYTES = 1 << 30, FIRST_ROOM = 1 << 16 };

static lotor_status unreadable(const char *path, int error, lotor_message *why)
{
    char text[128];
    return lotor_fail(error == ENOENT || error == ENOTDIR ? LOTOR_UNKNOWN : LOTOR_INVALID, why,
                      "%s could not be read: %s", lotor_excerpt(path, strlen(path)).text,
                      strerror_r(error, text, sizeof text));
}

/* Doubles the room. A file of more than MOST_BYTES is refused. */
static lotor_status grow(const char *path, size_t *room, char **bytes, lotor_message *why)
{
    if (*room >= MOST_BYTES) {
        return lotor_fail(LOTOR_INVALID, why, "%s is longer than %d bytes: is it the right file?",
                          lotor_excerpt(path, strlen(path)).text, MOST_BYTES);
    }
    const size_t wanted = *room > 0 ? 2 * *room : FIRST_ROOM;
    char *larger = realloc(*bytes, wanted);
    if (!larger) {
        return lotor_fail(LOTOR_MEMORY, why, "not enough memory to read %s",
                          lotor_excerpt(path, strlen(path)).text);
    }
    *bytes = larger;
    *room = wanted;
    return LOTOR_OK;
}

static lotor_status read_all(const char *path, int file, lotor_message *why, char **bytes,
                             size_t *length)
{
    struct stat facts;
    size_t room = FIRST_ROOM / 2;
    if (fstat(file, &facts) == 0 && facts.st_size >= FIRST_ROOM && facts.st_size < MOST_BYTES) {
        room = (size_t)facts.st_size / 2 + 1; /* grow() doubles it: then the whole file fits */
    }
    for (;;) {
        if (*length == room || !*bytes) {
            const lotor_status status = grow(path, &room, bytes, why);
            if (status != LOTOR_OK) {
                return status;
            }
        }
        const ssize_t got = read(file, *bytes + *length, room - *length);
        if (got == 0) {
            return LOTOR_OK;
        }
        if (got < 0 && errno != EINTR) {
            return unreadable(path, errno, why);
        }
        *length += got > 0 ? (size_t)got : 0;
    }
}

lotor_status lotor_records_load(const char *path, lotor_message *why, char **bytes, size_t *length)
{
    *bytes = NULL;
    *length = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return unreadable(path, errno, why);
    }
    const lotor_status status = read_all(path, file, why, bytes, length);
    close(file);
    if (status != LOTOR_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}

lotor_records lotor_records_of(const char *name, const char *bytes, size_t length)
{
    return (lotor_records){.name = name, .rest = {bytes, length}};
}

bool lotor_records_next(lotor_records *records)
{
    while (records->rest.length > 0) {
        if (!lotor_slice_cut(&records->rest, "\n", &records->line)) {
            records->line = records->rest;
            records->rest.length = 0;
        }
        records->line = lotor_slice_trim(records->line);
        records->number++;
        if (records->line.length > 0) {
            return true;
        }
    }
    return false;
}

lotor_status lotor_records_refuse(const lotor_records *records, lotor_message *why,
                                  const char *wrong)
{
    return lotor_fail(LOTOR_INVALID, why, "%s, line %llu: %s: %s",
                      lotor_excerpt(records->name, strlen(records->name)).text,
                      (unsigned long long)records->number,
                      lotor_excerpt(records->line.text, records->line.length).text, wrong);
}

bool lotor_slice_cut(lotor_slice *rest, const char *separator, lotor_slice *field)
{
    const size_t width = strlen(separator);
    const char *at = rest->text;
    size_t left = rest->length;
    while (left >= width) {
        const char *found = memchr(at, separator[0], left - width + 1);
        if (!found) {
            return false;
        }
        if (memcmp(found, separator, width) == 0) {
            *field = (lotor_slice){rest->text, (size_t)(found - rest->text)};
            rest->text = found + width;
            rest->length -= field->length + width;
            return true;
        }
        left -= (size_t)(found + 1 - at);
        at = found + 1;
    }
    return false;
}

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r';
}

lotor_slice lotor_slice_trim(lotor_slice span)
{
    while (span.length > 0 && is_blank(span.text[0])) {
        span.text++;
        span.length--;
    }
    while (span.length > 0 && is_blank(span.text[span.length - 1])) {
        span.length--;
    }
    return span;
}

bool lotor_slice_whole(lotor_slice span, uint64_t most, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < span.length; i++) {
        const unsigned digit = (unsigned char)span.text[i] - (unsigned)'0';
        if (digit > 9 || digit > most || value > (most - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return span.length > 0;
}

bool lotor_slice_count(lotor_slice span, uint64_t most, uint64_t *out)
{
    const char *mark = span.length > 0 ? memchr(span.text, 'e', span.length) : NULL;
    const size_t digits = mark ? (size_t)(mark - span.text) : span.length;
    uint64_t exponent = 0;
    if (!lotor_slice_whole((lotor_slice){span.text, digits}, most, out) ||
        (mark &&
         !lotor_slice_whole((lotor_slice){mark + 1, span.length - digits - 1}, 19, &exponent))) {
        return false;
    }
    for (; exponent > 0; exponent--) {
        if (*out > most / 10) {
            return false;
        }
        *out *= 10;
    }
    return true;
}

static size_t put_digits(char *at, lotor_slice digits)
{
    for (size_t i = 0; i < digits.length; i++) {
        if (digits.text[i] < '0' || digits.text[i] > '9') {
            return 0;
        }
        at[i] = digits.text[i];
    }
    return digits.length;
}

/* Passes the digits to strtod without the decimal point, because the point depends on the locale:
 * 0.25 becomes 025e-2. */
static bool read_decimal(lotor_slice text, bool takes_exponent, double *out)
{
    enum { LONGEST = 40 };
    char plain[LONGEST + 8];
    lotor_slice mantissa, fraction, whole, exponent = text;
    uint64_t power = 0;
    bool is_small = true;

    if (text.length == 0 || text.length > LONGEST) {
        return false;
    }
    if (lotor_slice_cut(&exponent, "e", &mantissa) || lotor_slice_cut(&exponent, "E", &mantissa)) {
        is_small = exponent.length > 0 && exponent.text[0] == '-';
        if (!is_small && !takes_exponent) {
            return false;
        }
        exponent = (lotor_slice){exponent.text + is_small, exponent.length - is_small};
        if (!lotor_slice_whole(exponent, 999, &power)) {
            return false;
        }
    } else {
        mantissa = text;
    }
    fraction = mantissa;
    if (!lotor_slice_cut(&fraction, ".", &whole)) {
        whole = mantissa;
        fraction.length = 0;
    }
    size_t used = put_digits(plain, whole);
    used += put_digits(plain + used, fraction);
    if (used == 0 || used != whole.length + fraction.length) {
        return false;
    }
    const long places = (is_small ? -(long)power : (long)power) - (long)fraction.length;
    snprintf(plain + used, sizeof plain - used, "e%ld", places);
    *out = strtod(plain, NULL);
    return isfinite(*out);
}

/* Numbers with a positive exponent are outside [0,1]. */
bool lotor_slice_share(lotor_slice text, double *out)
{
    return read_decimal(text, false, out) && *out <= 1;
}

bool lotor_slice_number(lotor_slice text, double *out)
{
    return read_decimal(text, true, out);
}

/* The number of bytes, from the front or from the back, whose quoted form fits into `room`
 * letters. */
static size_t fitting(const char *bytes, size_t length, size_t room, bool from_back)
{
    char scratch[4];
    size_t count = 0;
    while (count < length) {
        const char byte = bytes[from_back ? length - 1 - count : count];
        const size_t width = lotor_quote_byte(scratch, (unsigned char)byte);
        if (width > room) {
            break;
        }
        room -= width;
        count++;
    }
    return count;
}

lotor_excerpt_text lotor_excerpt(const char *bytes, size_t length)
{
    enum { QUOTES_AND_END = 3, DOTS = 3 };
    lotor_excerpt_text excerpt;
    const size_t room = sizeof excerpt.text - QUOTES_AND_END;
    size_t front = fitting(bytes, length, room, false);
    size_t back = 0;
    if (front < length) { /* show more of the end: a path's file name, a line's last field */
        front = fitting(bytes, length, (room - DOTS) / 3, false);
        back = fitting(bytes, length, (room - DOTS) * 2 / 3, true);
    }

    size_t used = 0;
    excerpt.text[used++] = '"';
    for (size_t i = 0; i < front; i++) {
        used += lotor_quote_byte(excerpt.text + used, (unsigned char)bytes[i]);
    }
    if (back > 0) {
        memcpy(excerpt.text + used, "...", DOTS);
        used += DOTS;
    }
    for (size_t i = length - back; i < length; i++) {
        used += lotor_quote_byte(excerpt.text + used, (unsigned char)bytes[i]);
    }
    excerpt.text[used++] = '"';
    excerpt.text[used] = '\0';
    return excerpt;
}
