/* client_reply.c - parses the status line and the headers of an HTTP reply (RFC 9112). See
 * client_reply.h. */
#include "service/client/client_reply.h"

#include <string.h>
#include <strings.h>

/* Parses "HTTP/1.1 200 ...". Returns 0 if the line is something else. */
static unsigned read_status(const char *line, size_t length)
{
    if (length < 12 || memcmp(line, "HTTP/1.", 7) != 0 || line[8] != ' ') {
        return 0;
    }
    unsigned status = 0;
    for (size_t i = 9; i < 12; i++) {
        if (line[i] < '0' || line[i] > '9') {
            return 0;
        }
        status = 10 * status + (unsigned)(line[i] - '0');
    }
    return status >= 100 && (length == 12 || line[12] == ' ') ? status : 0;
}

/* If the line is the header `name` (with its colon), returns true and gives the value. */
static bool is_header(const char *line, size_t length, const char *name, const char **value,
                      size_t *value_length)
{
    const size_t skipped = strlen(name);
    if (length < skipped || strncasecmp(line, name, skipped) != 0) {
        return false;
    }
    const char *from = line + skipped, *to = line + length;
    while (from < to && (*from == ' ' || *from == '\t')) {
        from++;
    }
    while (to > from && (to[-1] == ' ' || to[-1] == '\t')) {
        to--;
    }
    *value = from;
    *value_length = (size_t)(to - from);
    return true;
}

static bool read_length(const char *digits, size_t count, size_t *out)
{
    size_t length = 0;
    if (count == 0 || count > 9) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (digits[i] < '0' || digits[i] > '9') {
            return false;
        }
        length = 10 * length + (size_t)(digits[i] - '0');
    }
    *out = length;
    return length <= LOTOR_REPLY_MAX;
}

typedef struct head {
    bool has_length, has_chunks, closes;
    size_t length;
} head;

static bool read_header_line(const char *line, size_t length, head *out)
{
    const char *value;
    size_t value_length;
    if (is_header(line, length, "content-length:", &value, &value_length)) {
        const size_t before = out->length;
        if (!read_length(value, value_length, &out->length) ||
            (out->has_length && out->length != before)) {
            return false;
        }
        out->has_length = true;
    } else if (is_header(line, length, "transfer-encoding:", &value, &value_length)) {
        out->has_chunks = true;
    } else if (is_header(line, length, "connection:", &value, &value_length)) {
        out->closes = value_length == 5 && strncasecmp(value, "close", 5) == 0;
    }
    return true;
}

lotor_reply_progress lotor_reply_read(const char *bytes, size_t length, bool ended,
                                      lotor_reply_form *out)
{
    *out = (lotor_reply_form){0};
    head found = {0};
    size_t at = 0;
    for (bool is_first = true;; is_first = false) {
        const char *end = at < length ? memchr(bytes + at, '\n', length - at) : NULL;
        if (!end) {
            return length > LOTOR_REPLY_HEADER_MAX ? LOTOR_REPLY_BAD : LOTOR_REPLY_PART;
        }
        const char *line = bytes + at;
        size_t line_length = (size_t)(end - line);
        at += line_length + 1;
        if (line_length > 0 && line[line_length - 1] == '\r') {
            line_length--;
        }
        if (is_first) {
            out->status = read_status(line, line_length);
            if (out->status == 0) {
                return LOTOR_REPLY_BAD;
            }
        } else if (line_length == 0) {
            break;
        } else if (!read_header_line(line, line_length, &found)) {
            return LOTOR_REPLY_BAD;
        }
    }
    if (found.has_chunks || out->status < 200) {
        return LOTOR_REPLY_BAD;
    }
    out->body_at = at;
    out->closes = found.closes;
    if (out->status == 204 || out->status == 304) {
        return LOTOR_REPLY_WHOLE;
    }
    if (!found.has_length) {
        out->body_length = length - at;
        out->closes = true;
        return ended ? LOTOR_REPLY_WHOLE : LOTOR_REPLY_PART;
    }
    out->body_length = found.length;
    return length - at < found.length ? LOTOR_REPLY_PART : LOTOR_REPLY_WHOLE;
}
