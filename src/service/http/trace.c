/* trace.c - see trace.h. */
#include "service/http/trace.h"

#include <string.h>

#include <sodium.h>

bool lotor_request_id_read(const char *text, char id[LOTOR_REQUEST_ID_ROOM])
{
    id[0] = '\0';
    const size_t length = text ? strnlen(text, LOTOR_REQUEST_ID_ROOM) : 0;
    if (length == 0 || length == LOTOR_REQUEST_ID_ROOM ||
        strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") !=
            length) {
        return false;
    }
    memcpy(id, text, length + 1);
    return true;
}

void lotor_request_id_make(char id[LOTOR_REQUEST_ID_ROOM])
{
    unsigned char bytes[16];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2hex(id, LOTOR_REQUEST_ID_ROOM, bytes, sizeof bytes);
}

/* True if `count` small hexadecimal digits begin here, and then the byte `after`. */
static bool has_digits(const char *text, size_t count, char after)
{
    return strspn(text, "0123456789abcdef") == count && text[count] == after;
}

static bool is_zero(const char *text, size_t count)
{
    return strspn(text, "0") >= count;
}

bool lotor_traceparent_read(const char *text, char trace[LOTOR_TRACEPARENT_ROOM])
{
    enum { VERSION = 0, TRACE = 3, PARENT = 36, FLAGS = 53, LENGTH = 55 };
    trace[0] = '\0';
    if (!text || !has_digits(text + VERSION, 2, '-') || strncmp(text, "ff", 2) == 0 ||
        !has_digits(text + TRACE, 32, '-') || is_zero(text + TRACE, 32) ||
        !has_digits(text + PARENT, 16, '-') || is_zero(text + PARENT, 16)) {
        return false;
    }
    const bool is_first_version = is_zero(text + VERSION, 2);
    if (!has_digits(text + FLAGS, 2, '\0') &&
        (is_first_version || !has_digits(text + FLAGS, 2, '-'))) {
        return false;
    }
    memcpy(trace, text, LENGTH);
    trace[LENGTH] = '\0';
    return true;
}
