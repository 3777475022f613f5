/* well_formed.c - see well_formed.h. */
#include "support/well_formed.h"

#include <ctype.h>
#include <string.h>

enum { DEEPEST = 64 };

size_t occurrences(const char *text, const char *of)
{
    size_t count = 0;
    for (const char *at = strstr(text, of); at; at = strstr(at + 1, of)) {
        count++;
    }
    return count;
}

static bool starts(const char *at, const char *with)
{
    return strncmp(at, with, strlen(with)) == 0;
}

static bool is_entity(const char *at)
{
    return starts(at, "&amp;") || starts(at, "&lt;") || starts(at, "&gt;") ||
           starts(at, "&quot;") || starts(at, "&#39;");
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || (at[length] != '\0' && strchr("-:", at[length]))) {
        length++;
    }
    return length;
}

/* Skips the attributes of a tag; NULL if they are malformed. No attribute may occur twice. */
static const char *skip_attributes(const char *at)
{
    const char *first = at;
    while (*at == ' ' || *at == '\n') {
        while (*at == ' ' || *at == '\n') {
            at++;
        }
        const size_t length = name_length(at);
        if (length == 0) {
            break;
        }
        for (const char *early = first; early + length + 1 < at; early++) {
            if (*early == ' ' && strncmp(early + 1, at, length) == 0 && early[length + 1] == '=') {
                return NULL;
            }
        }
        at += length;
        if (at[0] != '=' || at[1] != '"') {
            return NULL;
        }
        for (at += 2; *at != '"'; at++) {
            if (*at == '\0' || *at == '<' || (*at == '&' && !is_entity(at))) {
                return NULL;
            }
        }
        at++;
    }
    return at;
}

const char *well_formed_error(const char *text)
{
    const char *names[DEEPEST], *at = text;
    size_t lengths[DEEPEST], depth = 0, roots = 0;
    at += starts(at, "<!DOCTYPE html>") ? strlen("<!DOCTYPE html>") : 0;
    while (*at != '\0') {
        if (*at != '<') {
            const bool is_control = (unsigned char)*at < 0x20 && *at != '\n' && *at != '\t';
            if (is_control || (*at == '&' && !is_entity(at)) ||
                (depth == 0 && !isspace((unsigned char)*at))) {
                return at;
            }
            at++;
        } else if (at[1] == '/') {
            const size_t length = name_length(at + 2);
            if (depth == 0 || length != lengths[depth - 1] ||
                strncmp(at + 2, names[depth - 1], length) != 0 || at[2 + length] != '>') {
                return at;
            }
            depth--;
            at += 3 + length;
        } else {
            const size_t length = name_length(at + 1);
            const char *end = length > 0 ? skip_attributes(at + 1 + length) : NULL;
            roots += depth == 0;
            if (!end || depth == DEEPEST || roots > 1) {
                return at;
            }
            if (starts(end, "/>")) {
                at = end + 2;
            } else if (*end == '>') {
                names[depth] = at + 1;
                lengths[depth++] = length;
                at = end + 1;
            } else {
                return at;
            }
        }
    }
    return depth == 0 && roots == 1 ? NULL : at;
}
