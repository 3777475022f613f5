/* fuzz_lines.c - reads standard input line by line, and compares the lines with those of a simple
 * reader of the whole text. */
#include "fuzz.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/lines.h"

/* The simple reader: a line ends before a newline, and has no carriage return and no blanks around
 * it. */
static bool next_plain(const char **at, const char *end, const char **line, size_t *length)
{
    if (*at == end) {
        return false;
    }
    const char *const newline = memchr(*at, '\n', (size_t)(end - *at));
    *line = *at;
    *length = (size_t)((newline ? newline : end) - *at);
    *at = newline ? newline + 1 : end;
    if (*length > 0 && (*line)[*length - 1] == '\r') {
        --*length;
    }
    while (*length > 0 && strchr(" \t", (*line)[*length - 1]) && (*line)[*length - 1]) {
        --*length;
    }
    while (*length > 0 && (**line == ' ' || **line == '\t')) {
        ++*line;
        --*length;
    }
    return true;
}

static void check_number(const lotor_line *line)
{
    lotor_message why = {""};
    double value = 77.0;
    const lotor_status status = lotor_line_number(line, &why, &value);
    CHECK(status == LOTOR_OK ? isfinite(value) : status == LOTOR_RANGE && why.text[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lotor_lines lines;
    lotor_line line;
    const int file = memfd_create("lines", 0);
    CHECK(file >= 0 && write(file, data, size) == (ssize_t)size && lseek(file, 0, SEEK_SET) == 0);
    const char *at = (const char *)data, *const end = at + size, *plain;
    size_t length;
    uint64_t number = 0;
    lotor_lines_start(&lines, file);
    while (lotor_lines_next(&lines, &line)) {
        CHECK(next_plain(&at, end, &plain, &length));
        CHECK(line.length == length && memcmp(line.text, plain, length) == 0 && !line.cut);
        CHECK(lines.number == ++number);
        check_number(&line);
    }
    CHECK(!next_plain(&at, end, &plain, &length) && lines.error == 0);
    close(file);
    return 0;
}
