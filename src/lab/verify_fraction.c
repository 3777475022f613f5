/* verify_fraction.c - see verify_fraction.h. */
#include "lab/verify_fraction.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/wide.h"

static lotor_u128 common_divisor(lotor_u128 a, lotor_u128 b)
{
    while (b != 0) {
        const lotor_u128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool reduce(lotor_u128 num, lotor_u128 den, lotor_ratio *out)
{
    const lotor_u128 divisor = common_divisor(num, den);
    if (divisor == 0 || num / divisor > UINT64_MAX || den / divisor > UINT64_MAX) {
        return false;
    }
    *out = lotor_ratio_of((uint64_t)(num / divisor), (uint64_t)(den / divisor));
    return true;
}

bool lotor_fraction_add(lotor_ratio a, lotor_ratio b, lotor_ratio *out)
{
    if (a.den == 0 || b.den == 0) {
        *out = lotor_ratio_of(1, 0);
        return true;
    }
    const lotor_u128 first = (lotor_u128)a.num * b.den, second = (lotor_u128)b.num * a.den;
    return first + second >= first && reduce(first + second, (lotor_u128)a.den * b.den, out);
}

bool lotor_fraction_multiply(lotor_ratio a, lotor_ratio b, lotor_ratio *out)
{
    return reduce((lotor_u128)a.num * b.num, (lotor_u128)a.den * b.den, out);
}

int lotor_fraction_compare(lotor_ratio a, lotor_ratio b)
{
    if (a.den == 0 || b.den == 0) {
        return (a.den == 0) - (b.den == 0);
    }
    const lotor_u128 first = (lotor_u128)a.num * b.den, second = (lotor_u128)b.num * a.den;
    return first < second ? -1 : first > second;
}

lotor_fraction_words lotor_fraction_text(lotor_ratio ratio)
{
    lotor_fraction_words words;
    if (ratio.den == 0) {
        snprintf(words.text, sizeof words.text, "infinite");
    } else if (ratio.den == 1) {
        snprintf(words.text, sizeof words.text, "%" PRIu64, ratio.num);
    } else {
        snprintf(words.text, sizeof words.text, "%" PRIu64 "/%" PRIu64, ratio.num, ratio.den);
    }
    return words;
}
