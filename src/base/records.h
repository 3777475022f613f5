/* records.h - reads a text file into memory, splits it into lines and fields, and reports bad
 * lines.
 *
 * Files come from the user and may hold anything: NULs, no newline at the end, no line at all.
 * Nothing here needs a NUL after the text.
 */
#ifndef LOTOR_BASE_RECORDS_H
#define LOTOR_BASE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

/* A range of bytes. */
typedef struct lotor_slice {
    const char *text;
    size_t length;
} lotor_slice;

/* A file being read. */
typedef struct lotor_records {
    const char *name; /* for messages */
    lotor_slice rest;
    lotor_slice line; /* the current line, without its end and the blanks around it */
    uint64_t number;  /* of the current line, from 1 */
} lotor_records;

/* Reads the whole file, at most 1 GiB; the caller frees *bytes. LOTOR_UNKNOWN: there is no such
 * file. LOTOR_INVALID: the file can't be read. Each message names the file. */
lotor_status lotor_records_load(const char *path, lotor_message *why, char **bytes, size_t *length);

lotor_records lotor_records_of(const char *name, const char *bytes, size_t length);

/* Moves to the next line that is not blank; false at the end. */
bool lotor_records_next(lotor_records *records);

/* Returns LOTOR_INVALID. The message has the file, the line's number, its text, and `wrong`. */
lotor_status lotor_records_refuse(const lotor_records *records, lotor_message *why,
                                  const char *wrong);

/* Removes a field from the front of *rest: the bytes before the first `separator`. *rest keeps what
 * follows the separator. False, and nothing changed, if there is no separator. */
bool lotor_slice_cut(lotor_slice *rest, const char *separator, lotor_slice *field);
lotor_slice lotor_slice_trim(lotor_slice span);

/* Reads a whole number: digits only, at most `most`. */
bool lotor_slice_whole(lotor_slice span, uint64_t most, uint64_t *out);

/* The same, and also takes a power of ten: 1e4, 5e7. */
bool lotor_slice_count(lotor_slice span, uint64_t most, uint64_t *out);

/* Reads a decimal such as 0.25, .5 or 1e-3, in [0,1]. */
bool lotor_slice_share(lotor_slice text, double *out);

/* The same for any number from 0 to the largest double, such as 2.5, 1000 or 1e4. */
bool lotor_slice_number(lotor_slice text, double *out);

/* Untrusted bytes, made safe to show: between double quotes, with \xNN for everything but printable
 * ASCII. The middle of long text is left out. */
typedef struct lotor_excerpt_text {
    char text[100];
} lotor_excerpt_text;
lotor_excerpt_text lotor_excerpt(const char *bytes, size_t length);

#endif
