/* audit_answer.c - see audit_answer.h. */
#include "cli/audit_answer.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/numbers.h"

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == ',';
}

static bool is_nan(const char *text, size_t length)
{
    const size_t sign = length > 0 && (*text == '-' || *text == '+');
    return length - sign == 3 && strncasecmp(text + sign, "nan", 3) == 0;
}

static bool read_number(const char *text, size_t length, double *out)
{
    if (is_nan(text, length)) {
        *out = NAN;
        return true;
    }
    if (lotor_parse_extended(text, length, NULL, out) == LOTOR_OK) {
        return true;
    }
    if (length > 1 && *text == '-' &&
        lotor_parse_extended(text + 1, length - 1, NULL, out) == LOTOR_OK && isinf(*out)) {
        *out = -*out;
        return true;
    }
    return false;
}

lotor_status lotor_audit_answer_read(const char *line, size_t length, size_t capacity,
                                     lotor_message *why, double *numbers, size_t *count)
{
    const size_t end = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
    size_t kept = 0;
    for (size_t at = 0, next; at < end; at = next) {
        next = at + 1;
        if (is_blank(line[at])) {
            continue;
        }
        while (next < end && !is_blank(line[next])) {
            next++;
        }
        if (kept == capacity) {
            return lotor_fail(LOTOR_INVALID, why,
                              "%s has more than %zu numbers: print a part of them, or a summary",
                              lotor_quote(line, length).text, capacity);
        }
        if (!read_number(line + at, next - at, &numbers[kept])) {
            return lotor_fail(LOTOR_INVALID, why,
                              "%s is not a line of numbers, because of %s: print numbers such as "
                              "0.5, 1e-3, nan or -inf, separated by blanks or commas",
                              lotor_quote(line, length).text,
                              lotor_quote(line + at, next - at).text);
        }
        kept++;
    }
    *count = kept;
    return LOTOR_OK;
}
