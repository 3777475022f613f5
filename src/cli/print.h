/* print.h - prints numbers, guarantees and error messages. */
#ifndef LOTOR_CLI_PRINT_H
#define LOTOR_CLI_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <lotor/guarantee.h>

/* Enough room for any number that the functions below write. */
enum { LOTOR_NUMBER_ROOM = 400 };

/* Prints "lotor count: ..." on standard error. `command` may be NULL. */
void lotor_print_complaint(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* If JSON was asked for, prints {"error": "..."} on standard output. */
void lotor_print_error(bool json, const char *message);

/* The number of decimals for values in a range of this width: `places`, and more if width < 1. */
int lotor_decimals_for(double width, int places);

/* Writes a decimal rounded to at most `decimals` places, without trailing zeros and never "-0".
 * Uses an exponent if the value is tiny and `decimals` is above 15. Returns the length; writes no
 * NUL. */
size_t lotor_put_decimal(char *at, double value, int decimals);
size_t lotor_put_whole(char *at, uint64_t value);
size_t lotor_put_integer(char *at, int64_t value);

/* Writes the shortest decimal that reads back as the same double, with a NUL at the end. */
size_t lotor_put_shortest(char *at, double value);

/* Prints text, broken between words into lines of at most 78 columns. The first line starts at the
 * cursor (`column`); the others are indented by `indent`. Ends the last line. */
void lotor_print_wrapped(FILE *stream, const char *text, size_t column, size_t indent);

/* Print the guarantee as a few lines of text, or as one JSON object. */
void lotor_print_guarantee(FILE *stream, const lotor_guarantee *guarantee);
void lotor_print_guarantee_json(FILE *stream, const lotor_guarantee *guarantee);

/* Prints text in quotes, escaped for JSON. */
void lotor_print_json_string(FILE *stream, const char *text);

#endif
