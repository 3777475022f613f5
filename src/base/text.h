/* text.h - a text that grows: for pages and pictures that are written whole or not at all.
 *
 * Running out of memory is remembered: adding goes on doing nothing, and the end says so once.
 */
#ifndef LOTOR_BASE_TEXT_H
#define LOTOR_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

/* Starts as {0}; or, for a short one that never allocates, with `bytes` and `capacity` of an array of
 * the caller's, and is_fixed. */
typedef struct lotor_text {
    char *bytes; /* ends in NUL; NULL while nothing was added */
    size_t length, capacity;
    bool is_fixed;
    bool is_out_of_memory;
} lotor_text;

void lotor_text_add(lotor_text *text, const char *more);

/* As printf. No numbers with a point: the locale would choose it; see the two below. */
void lotor_text_print(lotor_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* As the content of an XML or HTML element or attribute, whatever the bytes: what is special becomes
 * an entity, what is not UTF-8 or not allowed in XML becomes U+FFFD. NULL adds nothing. */
void lotor_text_escape(lotor_text *text, const char *more);

/* With at most `decimals` (0 to 9) digits after the point, without zeros at the end: "2.5". */
void lotor_text_fixed(lotor_text *text, double value, int decimals);

/* With at most `digits` significant ones: "0.125", "3.2e7", "inf". */
void lotor_text_number(lotor_text *text, double value, int digits);

/* A whole number in groups of three, from five digits on, with narrow spaces between. */
void lotor_text_grouped(lotor_text *text, uint64_t value);

/* LOTOR_OK, or LOTOR_MEMORY if anything is missing. */
lotor_status lotor_text_status(const lotor_text *text, lotor_message *why);

void lotor_text_clear(lotor_text *text);

/* Writes all of it to a file, in place of what is there. Returns 0 or the value of errno. */
int lotor_text_write(const lotor_text *text, const char *file);

/* The length of the UTF-8 character at `at` (not at its NUL), and which it is; 0: not one, or one
 * that XML doesn't allow. */
size_t lotor_text_character(const char *at, unsigned long *code);

#endif
