/* print.h - what the command writes: numbers, guarantees, complaints. */
#ifndef LOTOR_CLI_PRINT_H
#define LOTOR_CLI_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <lotor/guarantee.h>

/* Room for any number that the functions below write. */
enum { LOTOR_NUMBER_ROOM = 400 };

/* "lotor count: ..." on standard error. `command` may be NULL. */
void lotor_complain(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Where a command was asked for JSON: {"error": "..."} on standard output. Else nothing. */
void lotor_print_error(bool json, const char *message);

/* How many decimals show values that spread over `width`: `places`, and more below 1. */
int lotor_decimals_for(double width, int places);

/* A decimal rounded to at most `decimals` places, without trailing zeros and never "-0"; with an
 * exponent where it is tiny and `decimals` above 15. Returns the length; no NUL is written behind
 * it. */
size_t lotor_put_decimal(char *at, double value, int decimals);
size_t lotor_put_whole(char *at, uint64_t value);
size_t lotor_put_integer(char *at, int64_t value);

/* The shortest decimal that reads back as the same double, ended by a NUL. */
size_t lotor_put_shortest(char *at, double value);

/* The text, broken between words so that lines stay within 78 columns; the first line starts where
 * the cursor is (`column`), the others are indented by `indent`. Ends the last line. */
void lotor_print_wrapped(FILE *stream, const char *text, size_t column, size_t indent);

/* The guarantee, as a few lines of text or as one JSON object. */
void lotor_print_guarantee(FILE *stream, const lotor_guarantee *guarantee);
void lotor_print_guarantee_json(FILE *stream, const lotor_guarantee *guarantee);

/* A text between quotes, escaped for JSON. */
void lotor_print_json_string(FILE *stream, const char *text);

#endif
