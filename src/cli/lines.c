/* lines.c - reads standard input line by line, in constant memory.
 *
 * There is one buffer, and a line is returned as a pointer into it. A line that fills the whole
 * buffer is cut: its beginning is returned, and the rest is skipped by the next call.
 */
#include "cli/lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/quote.h"
#include "cli/numbers.h"

void lotor_lines_start(lotor_lines *lines, int descriptor)
{
    lines->descriptor = descriptor;
    lines->error = 0;
    lines->ended = false;
    lines->cut = false;
    lines->number = 0;
    lines->start = 0;
    lines->end = 0;
}

/* Moves the remaining bytes to the front and reads more after them. False: no bytes came. */
static bool refill(lotor_lines *lines)
{
    if (lines->ended) {
        return false;
    }
    if (fflush(stdout) != 0) { /* the output is closed: stop, and let main() report it */
        lines->ended = true;
        lines->start = lines->end;
        return false;
    }
    memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
    lines->end -= lines->start;
    lines->start = 0;
    ssize_t got;
    do {
        got =
            read(lines->descriptor, lines->buffer + lines->end, sizeof lines->buffer - lines->end);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) {
        lines->error = got < 0 ? errno : 0;
        lines->ended = true;
        return false;
    }
    lines->end += (size_t)got;
    return true;
}

static lotor_line tidy(const char *text, size_t length)
{
    if (length > 0 && text[length - 1] == '\r') {
        length--;
    }
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t')) {
        length--;
    }
    while (length > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        length--;
    }
    return (lotor_line){text, length, false};
}

/* Skips to the end of the line that filled the buffer. */
static void drop_rest(lotor_lines *lines)
{
    for (;;) {
        lines->start = lines->end;
        if (!refill(lines)) {
            return;
        }
        const char *newline = memchr(lines->buffer, '\n', lines->end);
        if (newline) {
            lines->start = (size_t)(newline - lines->buffer) + 1;
            return;
        }
    }
}

bool lotor_lines_next(lotor_lines *lines, lotor_line *line)
{
    if (lines->cut) {
        lines->cut = false;
        drop_rest(lines);
    }
    size_t searched = 0;
    for (;;) {
        const char *from = lines->buffer + lines->start;
        const size_t held = lines->end - lines->start;
        const char *newline = memchr(from + searched, '\n', held - searched);
        if (newline) {
            const size_t length = (size_t)(newline - from);
            lines->start += length + 1;
            lines->number++;
            *line = tidy(from, length);
            return true;
        }
        if (held == sizeof lines->buffer) {
            lines->start = lines->end;
            lines->number++;
            lines->cut = true;
            *line = (lotor_line){from, held, true};
            return true;
        }
        searched = held;
        if (!refill(lines)) {
            break;
        }
    }
    const size_t held = lines->end - lines->start;
    if (held == 0 || lines->error) {
        return false;
    }
    *line = tidy(lines->buffer + lines->start, held);
    lines->start = lines->end;
    lines->number++;
    return true;
}

lotor_status lotor_line_number(const lotor_line *line, lotor_message *why, double *out)
{
    if (line->length == 0) {
        return lotor_fail(LOTOR_RANGE, why, "the line is blank: a number was expected");
    }
    if (line->cut) {
        return lotor_fail(LOTOR_RANGE, why, "%s is longer than any number (%d bytes or more)",
                          lotor_quote(line->text, line->length).text, (int)LOTOR_LINES_BUFFER);
    }
    const lotor_status status = lotor_parse_double(line->text, line->length, why, out);
    return status == LOTOR_OK ? LOTOR_OK : LOTOR_RANGE;
}
