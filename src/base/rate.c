/* rate.c - see rate.h. */
#include "base/rate.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

const char *lotor_rate(double rate, const char *unit, char text[LOTOR_RATE_ROOM])
{
    static const struct scale {
        double of;
        const char *name;
    } scales[] = {
        {1e2, "100"},
        {1e3, "100"}, /* with one decimal: 4.7 in 100 is easier to compare with 50 in 100 */
        {1e4, "10,000"},
        {1e5, "100,000"},
        {1e6, "1,000,000"},
        {1e7, "10,000,000"},
        {1e8, "100,000,000"},
        {1e9, "1,000,000,000"},
        {1e10, "10,000,000,000"},
        {1e11, "100,000,000,000"},
        {1e12, "1,000,000,000,000"},
    };
    text[0] = '\0';
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        /* the error of a double must not take one off: 0.29 of 100 is 29 */
        const double count = floor(rate * scales[i].of * (1.0 + 1e-13));
        if (count >= 10.0) {
            const bool has_decimal = i == 1;
            snprintf(text, LOTOR_RATE_ROOM, "%.*f%s in %s", has_decimal,
                     has_decimal ? count / 10.0 : count, unit, scales[i].name);
            return text;
        }
    }
    return NULL;
}
