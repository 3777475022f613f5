/* records.h - a text file in memory, cut into lines and fields; and refusals that show the line.
 *
 * Files are the user's and may hold anything: NULs, no newline at the end, no line at all. Nothing
 * here needs a NUL behind the text.
 */
#ifndef LOTOR_BASE_RECORDS_H
#define LOTOR_BASE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

/* A stretch of bytes. */
typedef struct lotor_span {
    const char *text;
    size_t length;
} lotor_span;

/* A file being read. */
typedef struct lotor_records {
    const char *name; /* for messages */
    lotor_span rest;
    lotor_span line; /* the current one, without its end and the blanks around it */
    uint64_t number; /* of the current one, from 1 */
} lotor_records;

/* The whole file, at most 1 GiB; the caller frees *bytes. LOTOR_UNKNOWN when there is none,
 * LOTOR_INVALID when it can't be read, each with a message that names it. */
lotor_status lotor_records_load(const char *path, lotor_message *why, char **bytes, size_t *length);

lotor_records lotor_records_of(const char *name, const char *bytes, size_t length);

/* Moves to the next line that is not blank; false at the end. */
bool lotor_records_next(lotor_records *records);

/* LOTOR_INVALID, and a message: the file, the line's number, its text, and what is wrong. */
lotor_status lotor_records_refuse(const lotor_records *records, lotor_message *why,
                                  const char *wrong);

/* Cuts what stands before the first `separator` off the front of *rest (which keeps what follows);
 * false, and nothing changed, when there is none. */
bool lotor_span_cut(lotor_span *rest, const char *separator, lotor_span *field);
lotor_span lotor_span_trim(lotor_span span);

/* Digits only, at most `most`. */
bool lotor_span_whole(lotor_span span, uint64_t most, uint64_t *out);

/* A decimal such as 0.25, .5 or 1e-3, in [0,1]. */
bool lotor_span_share(lotor_span text, double *out);

/* Bytes of a stranger as they can be shown: between double quotes, everything but printable ASCII
 * as \xNN, the middle left out when it is long. */
typedef struct lotor_excerpt_text {
    char text[100];
} lotor_excerpt_text;
lotor_excerpt_text lotor_excerpt(const char *bytes, size_t length);

#endif
