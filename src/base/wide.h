/* wide.h - unsigned integers of 128 and 256 bits, with the few operations that exact sampling
 * needs. */
#ifndef LOTOR_BASE_WIDE_H
#define LOTOR_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 lotor_u128;
__extension__ typedef __int128 lotor_i128;

/* limb[0] is the lowest. */
typedef struct lotor_u256 {
    uint64_t limb[4];
} lotor_u256;

/* a * b for b of 64 bits. Precondition: the product fits. */
static inline lotor_u256 lotor_u256_times(lotor_u256 a, uint64_t b)
{
    lotor_u256 product;
    lotor_u128 carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += (lotor_u128)a.limb[i] * b;
        product.limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return product;
}

static inline lotor_u256 lotor_u256_add(lotor_u256 a, lotor_u256 b)
{
    lotor_u256 sum;
    lotor_u128 carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += (lotor_u128)a.limb[i] + b.limb[i];
        sum.limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return sum;
}

/* a - b. Precondition: a >= b. */
static inline lotor_u256 lotor_u256_minus(lotor_u256 a, lotor_u256 b)
{
    lotor_u256 difference;
    unsigned long long borrow = 0;
    for (int i = 0; i < 4; i++) {
        const lotor_u128 step = (lotor_u128)a.limb[i] - b.limb[i] - borrow;
        difference.limb[i] = (uint64_t)step;
        borrow = (unsigned long long)(step >> 127);
    }
    return difference;
}

static inline bool lotor_u256_less(lotor_u256 a, lotor_u256 b)
{
    for (int i = 3; i >= 0; i--) {
        if (a.limb[i] != b.limb[i]) {
            return a.limb[i] < b.limb[i];
        }
    }
    return false;
}

/* a * 2^64. Precondition: the product fits. */
static inline lotor_u256 lotor_u256_shift_word(lotor_u256 a)
{
    return (lotor_u256){{0, a.limb[0], a.limb[1], a.limb[2]}};
}

/* The full product of two 128-bit integers. */
static inline lotor_u256 lotor_u256_product(lotor_u128 a, lotor_u128 b)
{
    const lotor_u256 wide_a = {{(uint64_t)a, (uint64_t)(a >> 64), 0, 0}};
    return lotor_u256_add(lotor_u256_times(wide_a, (uint64_t)b),
                          lotor_u256_shift_word(lotor_u256_times(wide_a, (uint64_t)(b >> 64))));
}

#endif
