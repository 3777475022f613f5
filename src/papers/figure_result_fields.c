/* figure_result_fields.c - see figure_result_fields.h. */
#include "papers/figure_result_fields.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"

static bool is_quoted(const char *text)
{
    return strpbrk(text, ",\"\r\n#") || *text == ' ';
}

void lotor_figure_result_put_text(FILE *file, const char *text)
{
    if (!is_quoted(text)) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') {
            fputc('"', file);
        }
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, file);
    }
    fputc('"', file);
}

/* Writes a comma and the number; only the comma if it is not finite. */
void lotor_figure_result_put_number(FILE *file, double value)
{
    char text[LOTOR_DIGITS_ROOM];
    fprintf(file, ",%s", isfinite(value) ? lotor_digits(value, text) : "");
}

bool lotor_figure_result_is_text(lotor_slice span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.text, text, span.length) == 0;
}

/* Takes a field and the comma after it (or the end of the line) off *rest. Compares the field with
 * the written form of `text`. */
bool lotor_figure_result_take_text(lotor_slice *rest, const char *text)
{
    const char *at = rest->text, *end = rest->text + rest->length;
    const bool quoted = is_quoted(text);
    if (quoted && (at == end || *at++ != '"')) {
        return false;
    }
    for (; *text; text++) {
        if (quoted && *text == '"' && (at == end || *at++ != '"')) {
            return false;
        }
        const char expected = *text == '\n' || *text == '\r' ? ' ' : *text;
        if (at == end || *at++ != expected) {
            return false;
        }
    }
    if ((quoted && (at == end || *at++ != '"')) || at == end || *at++ != ',') {
        return false;
    }
    *rest = (lotor_slice){at, (size_t)(end - at)};
    return true;
}

/* Reads a finite decimal. strtod needs the decimal point of the locale. */
bool lotor_figure_result_read_number(lotor_slice span, double *out)
{
    enum { LONGEST = 40 };
    char text[2 * LONGEST];
    const char *point = localeconv()->decimal_point;
    const size_t wide = strlen(point);
    size_t used = 0;
    if (span.length == 0 || span.length > LONGEST || wide == 0 || wide > 8) {
        return false;
    }
    for (size_t i = 0, points = 0; i < span.length; i++) {
        if (span.text[i] == '.' && points++ == 0) {
            memcpy(text + used, point, wide);
            used += wide;
        } else if (memchr("0123456789+-eE", span.text[i], 14)) {
            text[used++] = span.text[i];
        } else {
            return false;
        }
    }
    text[used] = '\0';
    char *end;
    *out = strtod(text, &end);
    return *end == '\0' && end != text && isfinite(*out);
}

bool lotor_figure_result_read_optional(lotor_slice span, double *out)
{
    *out = NAN;
    return span.length == 0 || lotor_figure_result_read_number(span, out);
}
