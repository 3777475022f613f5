/* verify_fraction.h - exact arithmetic with fractions of 64 bits over 64 bits. */
#ifndef LOTOR_LAB_VERIFY_FRACTION_H
#define LOTOR_LAB_VERIFY_FRACTION_H

#include <stdbool.h>
#include <stdint.h>

#include <lotor/ratio.h>

/* Exact; false when the result does not fit in 64 bits over 64 bits. */
bool lotor_fraction_add(lotor_ratio a, lotor_ratio b, lotor_ratio *out);
bool lotor_fraction_multiply(lotor_ratio a, lotor_ratio b, lotor_ratio *out);
int lotor_fraction_compare(lotor_ratio a, lotor_ratio b); /* -1, 0, 1; infinity is the largest */

/* "3/2", "2", "infinite" */
typedef struct lotor_fraction_words {
    char text[48];
} lotor_fraction_words;
lotor_fraction_words lotor_fraction_text(lotor_ratio ratio);

#endif
