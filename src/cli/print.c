/* print.c - see print.h. */
#include "cli/print.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/json.h"

void lotor_print_complaint(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout); /* results come before the error message */
    fprintf(stderr, "lotor%s%s: ", command ? " " : "", command ? command : "");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void lotor_print_error(bool json, const char *message)
{
    if (json) {
        fputs("{\"error\": ", stdout);
        lotor_print_json_string(stdout, message);
        fputs("}\n", stdout);
    }
}

size_t lotor_put_whole(char *at, uint64_t value)
{
    char backwards[20];
    size_t digits = 0;
    do {
        backwards[digits++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (size_t i = 0; i < digits; i++) {
        at[i] = backwards[digits - 1 - i];
    }
    return digits;
}

size_t lotor_put_integer(char *at, int64_t value)
{
    if (value >= 0) {
        return lotor_put_whole(at, (uint64_t)value);
    }
    *at = '-';
    return 1 + lotor_put_whole(at + 1, -(uint64_t)value);
}

static size_t drop_zeros(const char *at, size_t length)
{
    while (at[length - 1] == '0') {
        length--;
    }
    return at[length - 1] == '.' ? length - 1 : length;
}

/* For values too large to be scaled exactly: whole numbers digit by digit, others by the C
 * library. */
static size_t put_large(char *at, double value, int decimals)
{
    if (fabs(value) < 9e15 && value == trunc(value)) {
        return lotor_put_integer(at, (int64_t)value);
    }
    char text[LOTOR_NUMBER_ROOM];
    const int length = snprintf(text, sizeof text, "%.*f", decimals, value);
    const size_t kept =
        decimals > 0 && isfinite(value) ? drop_zeros(text, (size_t)length) : (size_t)length;
    memcpy(at, text, kept);
    return kept;
}

/* For tiny values: down to 10^-decimals, in the fewest digits. A double has 15 reliable digits. */
static size_t put_tiny(char *at, double value, int decimals)
{
    const int digits = value != 0 ? decimals + 1 + (int)floor(log10(fabs(value))) : 0;
    if (digits < 1) {
        *at = '0';
        return 1;
    }
    return (size_t)snprintf(at, LOTOR_NUMBER_ROOM, "%.*g", digits < 15 ? digits : 15, value);
}

int lotor_decimals_for(double width, int places)
{
    return width < 1 ? places + (int)ceil(-log10(width)) : places;
}

size_t lotor_put_decimal(char *at, double value, int decimals)
{
    enum { MOST_PLAIN = 15 };
    if (decimals > MOST_PLAIN) {
        return put_tiny(at, value, decimals);
    }
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const double scaled = fabs(value) * powers[decimals];
    if (!(scaled < 9e15)) {
        return put_large(at, value, decimals);
    }
    const uint64_t units = (uint64_t)llround(scaled);
    const uint64_t one = (uint64_t)powers[decimals];
    size_t length = 0;
    if (value < 0 && units > 0) {
        at[length++] = '-';
    }
    length += lotor_put_whole(at + length, units / one);
    uint64_t fraction = units % one;
    if (fraction == 0) {
        return length;
    }
    at[length] = '.';
    for (int i = decimals; i > 0; i--) {
        at[length + (size_t)i] = (char)('0' + fraction % 10);
        fraction /= 10;
    }
    return drop_zeros(at, length + 1 + (size_t)decimals);
}

size_t lotor_put_shortest(char *at, double value)
{
    lotor_json json;
    lotor_json_start(&json, at, LOTOR_NUMBER_ROOM);
    lotor_json_double(&json, NULL, value);
    at[json.length] = '\0';
    return json.length;
}

void lotor_print_wrapped(FILE *stream, const char *text, size_t column, size_t indent)
{
    enum { WIDTH = 78 };
    const char *at = text;
    size_t start = column; /* where the text of the current line began */
    while (*at) {
        const char *rest = at + strspn(at, " ");
        const size_t word = strcspn(rest, " \n");
        if (column > start && column + 1 + word > WIDTH) {
            fprintf(stream, "\n%*s", (int)indent, "");
            start = column = indent;
        } else if (column > start) {
            fputc(' ', stream);
            column++;
        }
        fwrite(rest, 1, word, stream);
        column += word;
        at = rest + word;
        if (*at == '\n') {
            fprintf(stream, "\n%*s", at[1] == '\n' ? 0 : (int)indent, "");
            start = column = indent;
            at++;
        }
    }
    fputc('\n', stream);
}

void lotor_print_guarantee(FILE *stream, const lotor_guarantee *guarantee)
{
    char text[4096];
    const size_t length = lotor_guarantee_text(guarantee, text, sizeof text);
    fputs(text, stream);
    if (length > 0 && length < sizeof text && text[length - 1] != '\n') {
        fputc('\n', stream);
    }
}

void lotor_print_guarantee_json(FILE *stream, const lotor_guarantee *guarantee)
{
    char text[4096];
    const size_t length = lotor_guarantee_json(guarantee, text, sizeof text);
    fputs(length < sizeof text ? text : "null", stream);
}

void lotor_print_json_string(FILE *stream, const char *text)
{
    char quoted[6 * sizeof(lotor_message) + 3]; /* every byte as \u00NN, two quotes and a NUL */
    lotor_json json;
    lotor_json_start(&json, quoted, sizeof quoted);
    lotor_json_string(&json, NULL, text);
    fputs(json.length < sizeof quoted ? quoted : "null", stream);
}
