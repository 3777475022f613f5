/* lines.h - standard input, line by line, in constant memory. */
#ifndef LOTOR_CLI_LINES_H
#define LOTOR_CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

enum { LOTOR_LINES_BUFFER = 65536 };

#define LOTOR_UNREADABLE "standard input could not be read: %s"

typedef struct lotor_lines {
    int descriptor;
    int error;       /* errno of a failed read, else 0 */
    bool ended;      /* no more bytes will come */
    bool cut;        /* the last line goes on: its rest is still to be thrown away */
    uint64_t number; /* of the line last handed out, from 1 */
    size_t start, end;
    char buffer[LOTOR_LINES_BUFFER];
} lotor_lines;

/* A line without its end ("\n" or "\r\n") and without the blanks around it. Not ended by a NUL;
 * valid until the next call. */
typedef struct lotor_line {
    const char *text;
    size_t length;
    bool cut; /* the line was longer than the buffer: this is how it begins */
} lotor_line;

void lotor_lines_start(lotor_lines *lines, int descriptor);

/* The next line, or false at the end of the input and after a failed read (lines->error). Standard
 * output is flushed before every read, so that whoever feeds us through a pipe sees the answers to
 * what was fed so far. */
bool lotor_lines_next(lotor_lines *lines, lotor_line *line);

/* The number on a line: LOTOR_RANGE and a sentence that quotes it when there is none. */
lotor_status lotor_line_number(const lotor_line *line, lotor_message *why, double *out);

#endif
