/* digits.h - a double as text that reads back as the same double. */
#ifndef LOTOR_BASE_DIGITS_H
#define LOTOR_BASE_DIGITS_H

enum { LOTOR_DIGITS_ROOM = 40 };

/* Writes the fewest digits, of 15 to 17, that read back as `value`, with a point whatever the
 * locale; "inf", "-inf" or "nan" where it is not finite. Returns `text`. */
const char *lotor_digits(double value, char text[LOTOR_DIGITS_ROOM]);

#endif
