/* big.c - see big.h. Numbers have a sign and a magnitude. They are short, so schoolbook methods are
 * fast enough. */
#include "base/big.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/wide.h"

void lotor_big_set_natural(lotor_big *out, uint64_t value)
{
    out->negative = false;
    out->lost = false;
    out->used = value != 0;
    out->limb[0] = value;
}

void lotor_big_set(lotor_big *out, int64_t value)
{
    const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    lotor_big_set_natural(out, size);
    out->negative = value < 0;
}

void lotor_big_copy(lotor_big *out, const lotor_big *a)
{
    if (out != a) {
        out->negative = a->negative;
        out->lost = a->lost;
        out->used = a->used;
        memcpy(out->limb, a->limb, a->used * sizeof *a->limb);
    }
}

static void trim(lotor_big *a)
{
    while (a->used > 0 && a->limb[a->used - 1] == 0) {
        a->used--;
    }
    a->negative = a->negative && a->used > 0;
}

static int compare_sizes(const lotor_big *a, const lotor_big *b)
{
    if (a->used != b->used) {
        return a->used < b->used ? -1 : 1;
    }
    for (unsigned i = a->used; i-- > 0;) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

/* |out| = |a| + |b|. The caller sets the sign. */
static void add_sizes(lotor_big *out, const lotor_big *a, const lotor_big *b)
{
    const lotor_big *longer = a->used >= b->used ? a : b;
    const lotor_big *shorter = a->used >= b->used ? b : a;
    const unsigned used = longer->used, both = shorter->used;
    lotor_u128 carry = 0;
    for (unsigned i = 0; i < used; i++) {
        carry += (lotor_u128)longer->limb[i] + (i < both ? shorter->limb[i] : 0);
        out->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    out->used = used;
    if (carry != 0) {
        if (used == LOTOR_BIG_LIMBS) {
            out->lost = true;
        } else {
            out->limb[out->used++] = (uint64_t)carry;
        }
    }
}

/* |out| = |a| - |b| for |a| >= |b|. */
static void subtract_sizes(lotor_big *out, const lotor_big *a, const lotor_big *b)
{
    const unsigned used = a->used, both = b->used;
    uint64_t borrow = 0;
    for (unsigned i = 0; i < used; i++) {
        const lotor_u128 step = (lotor_u128)a->limb[i] - (i < both ? b->limb[i] : 0) - borrow;
        out->limb[i] = (uint64_t)step;
        borrow = (uint64_t)(step >> 127);
    }
    out->used = used;
}

static void add_signed(lotor_big *out, const lotor_big *a, const lotor_big *b, bool b_negative)
{
    const bool a_negative = a->negative, lost = a->lost || b->lost;
    if (a_negative == b_negative) {
        out->lost = lost;
        add_sizes(out, a, b);
        out->negative = a_negative;
    } else if (compare_sizes(a, b) >= 0) {
        subtract_sizes(out, a, b);
        out->negative = a_negative;
        out->lost = lost;
    } else {
        subtract_sizes(out, b, a);
        out->negative = b_negative;
        out->lost = lost;
    }
    trim(out);
}

void lotor_big_add(lotor_big *out, const lotor_big *a, const lotor_big *b)
{
    add_signed(out, a, b, b->negative);
}

void lotor_big_subtract(lotor_big *out, const lotor_big *a, const lotor_big *b)
{
    add_signed(out, a, b, !b->negative);
}

void lotor_big_multiply(lotor_big *out, const lotor_big *a, const lotor_big *b)
{
    const unsigned used = a->used + b->used;
    if (a->lost || b->lost || used > LOTOR_BIG_LIMBS) { /* strict: it might fit in one limb less */
        lotor_big_set(out, 0);
        out->lost = true;
        return;
    }
    lotor_big product;
    product.negative = a->negative != b->negative;
    product.lost = false;
    memset(product.limb, 0, used * sizeof *product.limb);
    for (unsigned i = 0; i < a->used; i++) {
        lotor_u128 carry = 0;
        for (unsigned j = 0; j < b->used; j++) {
            carry += (lotor_u128)a->limb[i] * b->limb[j] + product.limb[i + j];
            product.limb[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        product.limb[i + b->used] = (uint64_t)carry;
    }
    product.used = used;
    trim(&product);
    lotor_big_copy(out, &product);
}

void lotor_big_shift_up(lotor_big *out, const lotor_big *a, unsigned bits)
{
    const unsigned whole = bits / 64, part = bits % 64;
    if (a->used == 0 || a->lost || lotor_big_bits(a) + bits > 64U * LOTOR_BIG_LIMBS) {
        const bool lost = a->lost || a->used > 0;
        lotor_big_set(out, 0);
        out->lost = lost;
        return;
    }
    const unsigned used = a->used;
    out->negative = a->negative;
    out->lost = false;
    out->used = used + whole;
    const uint64_t top = part ? a->limb[used - 1] >> (64 - part) : 0;
    for (unsigned i = used; i-- > 0;) {
        const uint64_t below = part && i > 0 ? a->limb[i - 1] >> (64 - part) : 0;
        out->limb[i + whole] = a->limb[i] << part | below;
    }
    memset(out->limb, 0, whole * sizeof *out->limb);
    if (top != 0) {
        out->limb[out->used++] = top;
    }
}

void lotor_big_shift_down(lotor_big *out, const lotor_big *a, unsigned bits)
{
    const unsigned whole = bits / 64, part = bits % 64, used = a->used;
    bool rest = false; /* nonzero bits were cut off: then a negative number goes down by one */
    for (unsigned i = 0; i < used && i < whole; i++) {
        rest = rest || a->limb[i] != 0;
    }
    if (part && whole < used) {
        rest = rest || a->limb[whole] << (64 - part) != 0;
    }
    out->negative = a->negative;
    out->lost = a->lost;
    out->used = used > whole ? used - whole : 0;
    for (unsigned i = 0; i + whole < used; i++) {
        const unsigned from = i + whole;
        const uint64_t above = part && from + 1 < used ? a->limb[from + 1] << (64 - part) : 0;
        out->limb[i] = a->limb[from] >> part | above;
    }
    if (out->negative && rest) {
        static const lotor_big one = {.used = 1, .limb = {1}};
        add_sizes(out, out, &one);
    }
    trim(out);
}

/* |out| = floor(|a| / b) */
static void divide_by_limb(lotor_big *out, const lotor_big *a, uint64_t b)
{
    lotor_u128 rest = 0;
    out->used = a->used;
    for (unsigned i = a->used; i-- > 0;) {
        rest = rest << 64 | a->limb[i];
        out->limb[i] = (uint64_t)(rest / b);
        rest %= b;
    }
}

/* |out| = floor(|a| / |b|), bit by bit: compares the remainder of a with shifted b. `out` must be
 * neither a nor b. */
static void divide_by_bits(lotor_big *out, const lotor_big *a, const lotor_big *b)
{
    lotor_big rest, step;
    lotor_big_copy(&rest, a);
    const unsigned most = lotor_big_bits(a) - lotor_big_bits(b);
    lotor_big_shift_up(&step, b, most);
    out->used = most / 64 + 1;
    memset(out->limb, 0, out->used * sizeof *out->limb);
    for (unsigned bit = most + 1; bit-- > 0;) {
        if (compare_sizes(&rest, &step) >= 0) {
            lotor_big_subtract(&rest, &rest, &step);
            out->limb[bit / 64] |= UINT64_C(1) << (bit % 64);
        }
        lotor_big_shift_down(&step, &step, 1);
    }
}

void lotor_big_divide(lotor_big *out, const lotor_big *a, const lotor_big *b)
{
    lotor_big quotient;
    lotor_big_set(&quotient, 0);
    quotient.lost = a->lost || b->lost || a->negative || lotor_big_sign(b) <= 0;
    if (!quotient.lost && compare_sizes(a, b) >= 0) {
        if (b->used == 1) {
            divide_by_limb(&quotient, a, b->limb[0]);
        } else {
            divide_by_bits(&quotient, a, b);
        }
        trim(&quotient);
    }
    lotor_big_copy(out, &quotient);
}

int lotor_big_sign(const lotor_big *a)
{
    if (a->used == 0) {
        return 0;
    }
    return a->negative ? -1 : 1;
}

int lotor_big_compare(const lotor_big *a, const lotor_big *b)
{
    if (a->negative != b->negative) {
        return a->negative ? -1 : 1;
    }
    const int sizes = compare_sizes(a, b);
    return a->negative ? -sizes : sizes;
}

unsigned lotor_big_bits(const lotor_big *a)
{
    return a->used == 0 ? 0 : 64 * a->used - (unsigned)__builtin_clzll(a->limb[a->used - 1]);
}

double lotor_big_double(const lotor_big *a, unsigned bits)
{
    const unsigned size = lotor_big_bits(a);
    if (size == 0) {
        return 0.0;
    }
    unsigned cut = size > 53 ? size - 53 : 0; /* a double holds the 53 highest bits */
    if (bits > 1074 && cut < bits - 1074) {
        cut = bits - 1074; /* and no bit below 2^-1074 */
    }
    if (cut >= size) {
        return 0.0;
    }
    lotor_big head;
    lotor_big_copy(&head, a);
    head.negative = false;
    lotor_big_shift_down(&head, &head, cut);
    const double value = fmin(ldexp((double)head.limb[0], (int)cut - (int)bits), DBL_MAX);
    return a->negative ? -value : value;
}
