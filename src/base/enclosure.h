/* enclosure.h - a real number between two certified bounds.
 *
 * Fixed point: the number lies in [low, high] / 2^bits. A computation uses the same `bits`
 * throughout. Every operation rounds low down and high up. So a claim about the bounds is proved
 * for the number.
 */
#ifndef LOTOR_BASE_ENCLOSURE_H
#define LOTOR_BASE_ENCLOSURE_H

#include <stdbool.h>
#include <stdint.h>

#include <lotor/ratio.h>

#include "base/big.h"

typedef struct lotor_enclosure {
    lotor_big low, high;
} lotor_enclosure;

void lotor_enclosure_integer(lotor_enclosure *out, int64_t value, unsigned bits);
void lotor_enclosure_ratio(lotor_enclosure *out, lotor_ratio ratio, unsigned bits);

void lotor_enclosure_copy(lotor_enclosure *out, const lotor_enclosure *a);
void lotor_enclosure_add(lotor_enclosure *out, const lotor_enclosure *a, const lotor_enclosure *b);
void lotor_enclosure_subtract(lotor_enclosure *out, const lotor_enclosure *a,
                              const lotor_enclosure *b);

/* a * b for b >= 0 (the low bound of b is not negative). `a` may have any sign. */
void lotor_enclosure_multiply(lotor_enclosure *out, const lotor_enclosure *a,
                              const lotor_enclosure *b, unsigned bits);

/* a / b, if the bounds prove a >= 0 and b > 0. Otherwise the result is lost. */
void lotor_enclosure_divide(lotor_enclosure *out, const lotor_enclosure *a,
                            const lotor_enclosure *b, unsigned bits);

/* e^-ratio, for a finite ratio. For ratios up to 1, the error is a few units of the last place. */
void lotor_enclosure_exp_minus(lotor_enclosure *out, lotor_ratio ratio, unsigned bits);

/* 1: certainly above 0. -1: certainly below 0. 0: the bounds do not tell, or the number is 0 or
 * lost. */
int lotor_enclosure_sign(const lotor_enclosure *a);
bool lotor_enclosure_is_lost(const lotor_enclosure *a);

#endif
