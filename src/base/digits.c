/* digits.c - see digits.h. */
#include "base/digits.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

const char *lotor_digits(double value, char text[LOTOR_DIGITS_ROOM])
{
    if (!isfinite(value)) {
        const char *infinity = value < 0 ? "-inf" : "inf";
        snprintf(text, LOTOR_DIGITS_ROOM, "%s", isnan(value) ? "nan" : infinity);
        return text;
    }
    char local[LOTOR_DIGITS_ROOM]; /* the decimal point of a locale may take several bytes */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(local, sizeof local, "%.*g", digits, value);
        if (strtod(local, NULL) == value) {
            break;
        }
    }
    char *to = text;
    bool in_point = false;
    for (const char *at = local; *at != '\0'; at++) {
        const bool plain = (*at >= '0' && *at <= '9') || *at == '-' || *at == '+' || *at == 'e';
        if (plain) {
            *to++ = *at;
        } else if (!in_point) {
            *to++ = '.';
        }
        in_point = !plain;
    }
    *to = '\0';
    return text;
}
