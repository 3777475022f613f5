/* laplace.c - many Laplace draws at once.
 *
 * The logarithm uses plain arithmetic without calls or branches, so that the compiler can compute
 * several at a time: u = 2^e m with m in [sqrt(1/2), sqrt(2)), and with q = (m-1)/(m+1), |q| <
 * 0.172,
 *
 *      log u = e log 2 + 2 (q + q^3/3 + q^5/5 + ... + q^15/15)
 *
 * The omitted terms are below 1e-13 of the result, far below what any simulation can detect.
 */
#include <string.h>

#include "base/random/laws.h"

static inline double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* -log(u) for u in (0,1). */
static inline double minus_log(double u)
{
    const uint64_t root_half = UINT64_C(0x3fe6a09e667f3bcd);
    const uint64_t offset = bits_of(u) - root_half;
    const double m = double_of(bits_of(u) - (offset & UINT64_C(0xfff0000000000000)));
    /* e as a double, by adding it to the bits of 1.5 * 2^52 */
    const uint64_t exponent = (uint64_t)((int64_t)offset >> 52);
    const double e = double_of(exponent + UINT64_C(0x4338000000000000)) - 0x1.8p52;
    const double q = (m - 1.0) / (m + 1.0);
    const double s = q * q;
    double sum = 1.0 / 15.0;
    sum = sum * s + 1.0 / 13.0;
    sum = sum * s + 1.0 / 11.0;
    sum = sum * s + 1.0 / 9.0;
    sum = sum * s + 1.0 / 7.0;
    sum = sum * s + 1.0 / 5.0;
    sum = sum * s + 1.0 / 3.0;
    sum = sum * s + 1.0;
    return -(e * 0.69314718055994530942 + 2.0 * q * sum);
}

enum { BLOCK = 32 };

static void fill_block(lotor_generator *generator, size_t count, double *out)
{
    uint64_t words[BLOCK];
    for (size_t i = 0; i < count; i++) {
        words[i] = lotor_generator_word(generator);
    }
    for (size_t i = 0; i < count; i++) {
        /* u has 52 bits, and is at the centre of its cell in (0,1); another bit is the sign. */
        const double from_one = double_of((words[i] >> 12) | UINT64_C(0x3ff0000000000000));
        const double size = minus_log(from_one - (1.0 - 0x1p-53));
        out[i] = double_of(bits_of(size) | words[i] << 63);
    }
}

void lotor_random_laplace_fill(lotor_generator *generator, size_t count, double *out)
{
    while (count > 0) {
        const size_t now = count < BLOCK ? count : BLOCK;
        fill_block(generator, now, out);
        out += now;
        count -= now;
    }
}
