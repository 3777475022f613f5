/* digits.h - a double as text that reads back as the same double. */
#ifndef LOTOR_BASE_DIGITS_H
#define LOTOR_BASE_DIGITS_H

enum { LOTOR_DIGITS_ROOM = 40 };

/* Writes the fewest digits, from 15 to 17, that read back as `value`. The decimal point is "." in
 * every locale. Writes "inf", "-inf" or "nan" for other values. Returns `text`. */
const char *lotor_digits(double value, char text[LOTOR_DIGITS_ROOM]);

#endif
