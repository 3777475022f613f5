/* enclosure.c - see enclosure.h. */
#include "base/enclosure.h"

/* a = ceil(a / 2^bits), computed as -floor(-a / 2^bits). */
static void shift_down_rounding_up(lotor_big *a, unsigned bits)
{
    a->negative = !a->negative && a->used > 0;
    lotor_big_shift_down(a, a, bits);
    a->negative = !a->negative && a->used > 0;
}

static void add_one(lotor_big *a)
{
    lotor_big one;
    lotor_big_set(&one, 1);
    lotor_big_add(a, a, &one);
}

void lotor_enclosure_integer(lotor_enclosure *out, int64_t value, unsigned bits)
{
    lotor_big_set(&out->low, value);
    lotor_big_shift_up(&out->low, &out->low, bits);
    lotor_big_copy(&out->high, &out->low);
}

void lotor_enclosure_ratio(lotor_enclosure *out, lotor_ratio ratio, unsigned bits)
{
    lotor_big den;
    lotor_big_set_natural(&den, ratio.den);
    lotor_big_set_natural(&out->low, ratio.num);
    lotor_big_shift_up(&out->low, &out->low, bits);
    lotor_big_divide(&out->low, &out->low, &den);
    lotor_big_copy(&out->high, &out->low);
    add_one(&out->high);
}

void lotor_enclosure_copy(lotor_enclosure *out, const lotor_enclosure *a)
{
    lotor_big_copy(&out->low, &a->low);
    lotor_big_copy(&out->high, &a->high);
}

void lotor_enclosure_add(lotor_enclosure *out, const lotor_enclosure *a, const lotor_enclosure *b)
{
    lotor_big_add(&out->low, &a->low, &b->low);
    lotor_big_add(&out->high, &a->high, &b->high);
}

void lotor_enclosure_subtract(lotor_enclosure *out, const lotor_enclosure *a,
                              const lotor_enclosure *b)
{
    lotor_big low;
    lotor_big_subtract(&low, &a->low, &b->high);
    lotor_big_subtract(&out->high, &a->high, &b->low);
    lotor_big_copy(&out->low, &low);
}

void lotor_enclosure_multiply(lotor_enclosure *out, const lotor_enclosure *a,
                              const lotor_enclosure *b, unsigned bits)
{
    lotor_big low, high;
    lotor_big_multiply(&low, &a->low, a->low.negative ? &b->high : &b->low);
    lotor_big_multiply(&high, &a->high, a->high.negative ? &b->low : &b->high);
    low.lost = low.lost || b->low.negative;
    lotor_big_shift_down(&low, &low, bits);
    shift_down_rounding_up(&high, bits);
    lotor_big_copy(&out->low, &low);
    lotor_big_copy(&out->high, &high);
}

void lotor_enclosure_divide(lotor_enclosure *out, const lotor_enclosure *a,
                            const lotor_enclosure *b, unsigned bits)
{
    lotor_big low, high;
    lotor_big_shift_up(&low, &a->low, bits);
    lotor_big_divide(&low, &low, &b->high);
    lotor_big_shift_up(&high, &a->high, bits);
    lotor_big_divide(&high, &high, &b->low);
    add_one(&high);
    lotor_big_copy(&out->low, &low);
    lotor_big_copy(&out->high, &high);
}

/* a * num / den, both bounds rounded outwards; a >= 0. */
static void scale(lotor_enclosure *a, const lotor_big *num, const lotor_big *den)
{
    lotor_big_multiply(&a->low, &a->low, num);
    lotor_big_divide(&a->low, &a->low, den);
    lotor_big_multiply(&a->high, &a->high, num);
    lotor_big_divide(&a->high, &a->high, den);
    add_one(&a->high);
}

/* e^-(num/den) for num/den <= 1, by the alternating series 1 - r + r^2/2 - .... Its terms decrease,
 * so the error is smaller than the first term left out. */
static void exp_series(lotor_enclosure *out, const lotor_big *num, const lotor_big *den,
                       unsigned bits)
{
    lotor_enclosure term;
    lotor_enclosure_integer(&term, 1, bits);
    lotor_enclosure_copy(out, &term);
    for (uint64_t k = 1; !term.high.lost; k++) {
        lotor_big divisor;
        lotor_big_set_natural(&divisor, k);
        lotor_big_multiply(&divisor, &divisor, den);
        scale(&term, num, &divisor);
        if (lotor_big_bits(&term.high) <= 2) {
            break;
        }
        if (k % 2 == 1) {
            lotor_enclosure_subtract(out, out, &term);
        } else {
            lotor_enclosure_add(out, out, &term);
        }
    }
    lotor_big_subtract(&out->low, &out->low, &term.high);
    lotor_big_add(&out->high, &out->high, &term.high);
}

void lotor_enclosure_exp_minus(lotor_enclosure *out, lotor_ratio ratio, unsigned bits)
{
    lotor_big num, den;
    lotor_big_set_natural(&num, ratio.num);
    lotor_big_set_natural(&den, ratio.den);
    if (ratio.den == 0) {
        den.lost = true;
    }
    unsigned halvings = 0; /* e^-r = (e^-(r / 2^h))^(2^h): the series needs r <= 1 */
    while (!den.lost && lotor_big_compare(&num, &den) > 0) {
        lotor_big_shift_up(&den, &den, 1);
        halvings++;
    }
    exp_series(out, &num, &den, bits);
    for (; halvings > 0; halvings--) {
        lotor_enclosure_multiply(out, out, out, bits);
    }
    out->low.lost = out->low.lost || den.lost;
}

int lotor_enclosure_sign(const lotor_enclosure *a)
{
    if (lotor_enclosure_is_lost(a)) {
        return 0;
    }
    if (lotor_big_sign(&a->low) > 0) {
        return 1;
    }
    return lotor_big_sign(&a->high) < 0 ? -1 : 0;
}

bool lotor_enclosure_is_lost(const lotor_enclosure *a)
{
    return a->low.lost || a->high.lost;
}
