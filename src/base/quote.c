/* quote.c - see quote.h. */
#include "base/quote.h"

#include <string.h>

/* The widest character is \xNN. After the last one, "...", a quote and a NUL must fit. */
enum { WIDEST = 4, TAIL = 5 };

size_t lotor_quote_byte(char *at, unsigned char byte)
{
    static const char hexadecimal[] = "0123456789abcdef";
    if (byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\') {
        at[0] = (char)byte;
        return 1;
    }
    at[0] = '\\';
    at[1] = 'x';
    at[2] = hexadecimal[byte >> 4];
    at[3] = hexadecimal[byte & 15];
    return WIDEST;
}

lotor_quoted_text lotor_quote(const char *bytes, size_t length)
{
    lotor_quoted_text quoted;
    size_t used = 0;
    quoted.text[used++] = '"';
    for (size_t i = 0; i < length; i++) {
        if (used + WIDEST + TAIL > sizeof quoted.text) {
            memcpy(quoted.text + used, "...", 3);
            used += 3;
            break;
        }
        used += lotor_quote_byte(quoted.text + used, (unsigned char)bytes[i]);
    }
    quoted.text[used++] = '"';
    quoted.text[used] = '\0';
    return quoted;
}

lotor_quoted_text lotor_quote_text(const char *text)
{
    return lotor_quote(text, strlen(text));
}
