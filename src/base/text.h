/* text.h - a text that grows, for pages and pictures that are written as a whole.
 *
 * After an allocation fails, further additions do nothing. lotor_text_status reports the failure at
 * the end, so a caller checks only once.
 */
#ifndef LOTOR_BASE_TEXT_H
#define LOTOR_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

/* Start with {0}. For a short text without allocation, set is_fixed, and set `bytes` and `capacity`
 * to an array of the caller. */
typedef struct lotor_text {
    char *bytes; /* ends in NUL; NULL if nothing was added */
    size_t length, capacity;
    bool is_fixed;
    bool is_out_of_memory;
} lotor_text;

void lotor_text_add(lotor_text *text, const char *more);

/* Like printf. Do not print floating-point numbers, whose decimal point depends on the locale: use
 * lotor_text_fixed or lotor_text_number. */
void lotor_text_print(lotor_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds any bytes as the content of an XML or HTML element or attribute. Special characters become
 * entities. Bytes that are not UTF-8, or not allowed in XML, become U+FFFD. NULL adds nothing. */
void lotor_text_escape(lotor_text *text, const char *more);

/* Adds a number with at most `decimals` (0 to 9) digits after the point, without trailing zeros:
 * "2.5". */
void lotor_text_fixed(lotor_text *text, double value, int decimals);

/* Adds a number with at most `digits` significant digits: "0.125", "3.2e7", "inf". */
void lotor_text_number(lotor_text *text, double value, int digits);

/* Adds a whole number, with commas between groups of three digits: "50,000". */
void lotor_text_grouped(lotor_text *text, uint64_t value);

/* LOTOR_OK, or LOTOR_MEMORY if some text is missing. */
lotor_status lotor_text_status(const lotor_text *text, lotor_message *why);

void lotor_text_clear(lotor_text *text);

/* Writes the whole text to a file and replaces its content. Returns 0 or the value of errno. */
int lotor_text_write(const lotor_text *text, const char *file);

/* The length of the UTF-8 character at `at` (not at its NUL), and which it is; 0: not one, or one
 * that XML doesn't allow. */
size_t lotor_text_character(const char *at, unsigned long *code);

#endif
