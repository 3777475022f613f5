/* numbers.h - strict parsing of numbers that people type.
 *
 * The text is a range of bytes without a NUL at the end, so that a line of input need not be
 * copied. Numbers are decimal: an optional sign, digits with at most one point, an optional
 * exponent ("12", "+.5", "1e-3"). Nothing may follow. The locale does not matter. Only lists
 * allocate memory. An invalid text gives LOTOR_INVALID and a message that quotes it.
 */
#ifndef LOTOR_CLI_NUMBERS_H
#define LOTOR_CLI_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/status.h>

enum { LOTOR_NUMBER_LIST_MAX = 100000 };

typedef struct lotor_number_list {
    double *items;
    size_t count;
} lotor_number_list;

/* Reads a finite double, correctly rounded. NaN, infinities, hexadecimal numbers and values beyond
 * the largest double are refused. Values below the smallest one become 0. */
lotor_status lotor_parse_double(const char *text, size_t length, lotor_message *why, double *out);

/* The same, but accepts "inf" too. */
lotor_status lotor_parse_extended(const char *text, size_t length, lotor_message *why, double *out);

/* Reads a whole number from 0 to 2^64 - 1. "5e7" and "2.50e1" are whole; "1.5" is not. */
lotor_status lotor_parse_whole(const char *text, size_t length, lotor_message *why, uint64_t *out);

/* Reads "LO,HI": two finite doubles, LO < HI. */
lotor_status lotor_parse_range(const char *text, size_t length, lotor_message *why, double *low,
                               double *high);

/* Reads "0.1,0.2,inf": one to LOTOR_NUMBER_LIST_MAX numbers separated by commas. The caller frees
 * the list, which is empty after a failure (LOTOR_INVALID or LOTOR_MEMORY). */
lotor_status lotor_parse_list(const char *text, size_t length, lotor_message *why,
                              lotor_number_list *out);
void lotor_number_list_free(lotor_number_list *list);

#endif
