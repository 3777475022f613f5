/* lines.h - reads standard input line by line, in constant memory. */
#ifndef LOTOR_CLI_LINES_H
#define LOTOR_CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

enum { LOTOR_LINES_BUFFER = 65536 };

#define LOTOR_LINES_UNREADABLE "standard input could not be read: %s"

typedef struct lotor_lines {
    int descriptor;
    int error;       /* errno of a failed read, else 0 */
    bool ended;      /* no more bytes will come */
    bool cut;        /* the last line was cut: its rest must still be skipped */
    uint64_t number; /* of the last returned line, from 1 */
    size_t start, end;
    char buffer[LOTOR_LINES_BUFFER];
} lotor_lines;

/* A line without its end ("\n" or "\r\n") and without the blanks around it. It has no NUL at the
 * end, and is valid until the next call. */
typedef struct lotor_line {
    const char *text;
    size_t length;
    bool cut; /* the line was longer than the buffer: this is its beginning */
} lotor_line;

void lotor_lines_start(lotor_lines *lines, int descriptor);

/* Reads the next line. False at the end of the input, and after a failed read (lines->error).
 * Flushes standard output before every read, so that a program that feeds us through a pipe sees
 * all results so far. */
bool lotor_lines_next(lotor_lines *lines, lotor_line *line);

/* Reads the number on a line. LOTOR_RANGE: there is none; the message quotes the line. */
lotor_status lotor_line_number(const lotor_line *line, lotor_message *why, double *out);

#endif
