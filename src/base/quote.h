/* quote.h - quotes untrusted bytes for a message. */
#ifndef LOTOR_BASE_QUOTE_H
#define LOTOR_BASE_QUOTE_H

#include <stddef.h>

/* Holds any quoted text. */
typedef struct lotor_quoted_text {
    char text[64];
} lotor_quoted_text;

/* Puts the bytes between double quotes. Control characters, quotes, backslashes and non-ASCII bytes
 * become \xNN, so that a message can't move the cursor or forge a line. Long text is cut and ends
 * in "...". */
lotor_quoted_text lotor_quote(const char *bytes, size_t length);
lotor_quoted_text lotor_quote_text(const char *text);

/* Quotes one byte into at[0..3]; returns the number of characters, 1 or 4. */
size_t lotor_quote_byte(char *at, unsigned char byte);

#endif
