/* quote.h - showing hostile bytes to a person. */
#ifndef LOTOR_BASE_QUOTE_H
#define LOTOR_BASE_QUOTE_H

#include <stddef.h>

/* Room for any quoted text. */
typedef struct lotor_quoted {
    char text[64];
} lotor_quoted;

/* The bytes between double quotes: control characters, quotes, backslashes and everything outside
 * ASCII become \xNN, so that a message can't move the cursor or forge a line; what is long ends in
 * "...". */
lotor_quoted lotor_quote(const char *bytes, size_t length);
lotor_quoted lotor_quote_text(const char *text);

/* One byte of that, into at[0..3]; returns how many characters it took, 1 or 4. */
size_t lotor_quote_byte(char *at, unsigned char byte);

#endif
