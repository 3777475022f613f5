/* big.h - signed integers of up to 2048 bits, without allocation: for certified arithmetic.
 *
 * A result that does not fit is marked `lost`, and so is everything computed from it. So a caller
 * checks `lost` once, on the last result. Every `out` may be one of the operands.
 */
#ifndef LOTOR_BASE_BIG_H
#define LOTOR_BASE_BIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOTOR_BIG_LIMBS = 32 };

/* limb[0] is the lowest limb, and limb[used - 1] is not 0. Zero has used = 0 and is not negative.
 * The limbs from `used` on are undefined. */
typedef struct lotor_big {
    bool negative;
    bool lost;
    unsigned used;
    uint64_t limb[LOTOR_BIG_LIMBS];
} lotor_big;

void lotor_big_set(lotor_big *out, int64_t value);
void lotor_big_set_natural(lotor_big *out, uint64_t value);
void lotor_big_copy(lotor_big *out, const lotor_big *a); /* copies the used limbs only */

void lotor_big_add(lotor_big *out, const lotor_big *a, const lotor_big *b);
void lotor_big_subtract(lotor_big *out, const lotor_big *a, const lotor_big *b);
void lotor_big_multiply(lotor_big *out, const lotor_big *a, const lotor_big *b);

/* Shift up: a * 2^bits. Shift down: a / 2^bits, rounded down (towards minus infinity). */
void lotor_big_shift_up(lotor_big *out, const lotor_big *a, unsigned bits);
void lotor_big_shift_down(lotor_big *out, const lotor_big *a, unsigned bits);

/* floor(a / b) for a >= 0 and b > 0. For other operands the result is lost. */
void lotor_big_divide(lotor_big *out, const lotor_big *a, const lotor_big *b);

/* -1, 0 or 1. */
int lotor_big_sign(const lotor_big *a);
int lotor_big_compare(const lotor_big *a, const lotor_big *b);

/* The number of bits of |a|; 0 for a = 0. */
unsigned lotor_big_bits(const lotor_big *a);

/* a / 2^bits as a double, rounded towards 0: 0 below the least positive double, and at most
 * DBL_MAX. */
double lotor_big_double(const lotor_big *a, unsigned bits);

#endif
