/* verify_poly.c - see verify_poly.h.
 *
 * e^-r is transcendental for every fraction r > 0. So a polynomial that is not identically 0 is not
 * 0 at x = e^-r, and tightening the bounds on x ends with a certain sign. Whether p - e^epsilon q
 * is identically 0 can be seen from the coefficients.
 */
#include "lab/verify_poly.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/wide.h"
#include "lab/verify_fraction.h"

void lotor_poly_set(lotor_poly *out, int64_t constant)
{
    out->lost = false;
    out->length = constant != 0;
    out->at[0] = constant;
}

void lotor_poly_copy(lotor_poly *out, const lotor_poly *a)
{
    out->lost = a->lost;
    out->length = a->length;
    memcpy(out->at, a->at, a->length * sizeof *a->at);
}

void lotor_poly_add(lotor_poly *sum, const lotor_poly *a)
{
    lotor_poly_add_shifted(sum, a, 1, 0);
}

void lotor_poly_add_shifted(lotor_poly *out, const lotor_poly *a, int64_t factor, size_t power)
{
    out->lost = out->lost || a->lost;
    if (a->length == 0 || factor == 0) {
        return;
    }
    if (power > LOTOR_POLY_ROOM - a->length) {
        out->lost = true;
        return;
    }
    for (; out->length < a->length + power; out->length++) {
        out->at[out->length] = 0;
    }
    bool lost = false;
    for (size_t i = 0; i < a->length; i++) {
        int64_t term;
        lost |= __builtin_mul_overflow(a->at[i], factor, &term);
        lost |= __builtin_add_overflow(out->at[i + power], term, &out->at[i + power]);
    }
    out->lost = out->lost || lost;
    while (out->length > 0 && out->at[out->length - 1] == 0) {
        out->length--;
    }
}

void lotor_poly_multiply(lotor_poly *out, const lotor_poly *a, const lotor_poly *b)
{
    lotor_poly_set(out, 0);
    for (size_t i = 0; i < b->length; i++) {
        lotor_poly_add_shifted(out, a, b->at[i], i);
    }
    out->lost = out->lost || a->lost || b->lost;
}

bool lotor_poly_is_shift(const lotor_poly *a, size_t power, const lotor_poly *b)
{
    if (a->length == 0 || b->length == 0) {
        return a->length == b->length;
    }
    if (a->length + power != b->length) {
        return false;
    }
    for (size_t i = 0; i < power; i++) {
        if (b->at[i] != 0) {
            return false;
        }
    }
    return memcmp(a->at, b->at + power, a->length * sizeof *a->at) == 0;
}

void lotor_poly_value(lotor_enclosure *out, const lotor_poly *a, const lotor_enclosure *x,
                      unsigned bits)
{
    lotor_enclosure value, step;
    lotor_enclosure_integer(&value, 0, bits);
    for (size_t i = a->length; i-- > 0;) { /* Horner */
        lotor_enclosure_multiply(&value, &value, x, bits);
        lotor_enclosure_integer(&step, a->at[i], bits);
        lotor_enclosure_add(&value, &value, &step);
    }
    value.low.lost = value.low.lost || a->lost;
    lotor_enclosure_copy(out, &value);
}

/* epsilon / decay if that is a whole number: then e^-epsilon is a power of x. */
static bool epsilon_is_power(const lotor_poly_claim *claim, uint64_t *power)
{
    const lotor_u128 above = (lotor_u128)claim->epsilon.num * claim->decay.den;
    const lotor_u128 below = (lotor_u128)claim->epsilon.den * claim->decay.num;
    if (below == 0 || above % below != 0 || above / below > LOTOR_POLY_ROOM) {
        return false;
    }
    *power = (uint64_t)(above / below);
    return true;
}

static size_t lowest_power(const lotor_poly *a)
{
    size_t power = 0;
    while (power < a->length && a->at[power] == 0) {
        power++;
    }
    return power;
}

/* out = a / x^power. Precondition: x^power divides a. */
static void drop_power(lotor_poly *out, const lotor_poly *a, size_t power)
{
    out->lost = a->lost;
    out->length = a->length > power ? a->length - power : 0;
    memmove(out->at, a->at + power, out->length * sizeof *a->at);
}

/* The common sign of all coefficients, which is that of the polynomial for x > 0. 0: they
 * differ. */
static int sign_by_coefficients(const lotor_poly *a)
{
    int sign = 0;
    for (size_t i = 0; i < a->length; i++) {
        const int one = (a->at[i] > 0) - (a->at[i] < 0);
        if (one != 0 && sign == -one) {
            return 0;
        }
        sign = one != 0 ? one : sign;
    }
    return sign;
}

/* The sign of share * p - q, by ever tighter bounds; `share` is e^-epsilon, or 1. */
static int sign_by_bounds(const lotor_poly *p, const lotor_poly *q, lotor_ratio decay,
                          lotor_ratio epsilon)
{
    static const unsigned precisions[] = {128, 256, 512, 896};
    int sign = 0;
    for (size_t i = 0; sign == 0 && i < sizeof precisions / sizeof *precisions; i++) {
        const unsigned bits = precisions[i];
        lotor_enclosure x, share, first, second;
        lotor_enclosure_exp_minus(&x, decay, bits);
        lotor_enclosure_exp_minus(&share, epsilon, bits);
        lotor_poly_value(&first, p, &x, bits);
        lotor_poly_value(&second, q, &x, bits);
        lotor_enclosure_multiply(&first, &first, &share, bits);
        lotor_enclosure_subtract(&first, &first, &second);
        sign = lotor_enclosure_sign(&first);
    }
    return sign;
}

/* First divides both by the highest common power of x, so that less cancels. */
static int sign_of_difference(const lotor_poly *p, const lotor_poly *q,
                              const lotor_poly_claim *claim)
{
    lotor_poly first, second;
    const size_t low_p = lowest_power(p), low_q = lowest_power(q);
    size_t common = low_p < low_q ? low_p : low_q;
    if (p->length == 0) {
        common = low_q;
    } else if (q->length == 0) {
        common = low_p;
    }
    drop_power(&first, p, common);
    drop_power(&second, q, common);
    return sign_by_bounds(&first, &second, claim->decay, claim->epsilon);
}

/* The same if e^-epsilon = x^power: then there is one polynomial, often with coefficients of one
 * sign. */
static int sign_of_one(const lotor_poly *p, const lotor_poly *q, size_t power,
                       const lotor_poly_claim *claim)
{
    lotor_poly zero, all;
    lotor_poly_set(&all, 0);
    lotor_poly_set(&zero, 0);
    lotor_poly_add_shifted(&all, p, 1, power);
    lotor_poly_add_shifted(&all, q, -1, 0);
    if (all.lost) {
        return sign_of_difference(p, q, claim);
    }
    const int sign = sign_by_coefficients(&all);
    if (sign != 0) {
        return sign;
    }
    drop_power(&all, &all, lowest_power(&all));
    return sign_by_bounds(&all, &zero, claim->decay, lotor_ratio_of(0, 1));
}

lotor_status lotor_poly_loss_sign(const lotor_poly *p, const lotor_poly *q,
                                  const lotor_poly_claim *claim, lotor_message *why, int *sign)
{
    *sign = 0;
    if (p->lost || q->lost) {
        return lotor_fail(LOTOR_OVERFLOW, why,
                          "the polynomials of this setting are too large for exact verification: "
                          "use a larger epsilon or fewer digits");
    }
    uint64_t power = 0;
    const bool is_power = epsilon_is_power(claim, &power);
    /* Take y with x = y^u and e^-epsilon = y^v, v not a multiple of u. Then the two sides have no
     * power of y in common, and are equal only if both are 0. */
    if ((p->length == 0 && q->length == 0) || (is_power && lotor_poly_is_shift(p, power, q))) {
        return LOTOR_OK;
    }
    *sign = is_power ? sign_of_one(p, q, power, claim) : sign_of_difference(p, q, claim);
    return *sign != 0 ? LOTOR_OK
                      : lotor_fail(LOTOR_OVERFLOW, why,
                                   "896 bits do not tell two probabilities apart: use a smaller "
                                   "epsilon or fewer digits");
}

static size_t count_terms(const lotor_poly *a)
{
    size_t terms = 0;
    for (size_t i = 0; i < a->length; i++) {
        terms += a->at[i] != 0;
    }
    return terms;
}

/* Writes a polynomial, such as "1 + 2x - x^3". */
static void write_poly(const lotor_poly *a, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < a->length && used < capacity; i++) {
        const int64_t factor = a->at[i];
        if (factor == 0) {
            continue;
        }
        const uint64_t size = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
        const char *sign = factor < 0 ? " - " : " + ";
        if (used == 0) {
            sign = factor < 0 ? "-" : "";
        }
        char number[24] = "", power[24] = "";
        if (size != 1 || i == 0) {
            snprintf(number, sizeof number, "%" PRIu64, size);
        }
        if (i > 0) {
            snprintf(power, sizeof power, i == 1 ? "x" : "x^%zu", i);
        }
        used += (size_t)snprintf(text + used, capacity - used, "%s%s%s", sign, number, power);
    }
}

static double value_double(const lotor_poly *a, const lotor_poly_claim *claim)
{
    const unsigned bits = 512;
    lotor_enclosure x, value;
    lotor_enclosure_exp_minus(&x, claim->decay, bits);
    lotor_poly_value(&value, a, &x, bits);
    return lotor_big_double(&value.low, bits);
}

void lotor_poly_loss_text(const lotor_poly *p, const lotor_poly *q, const lotor_poly_claim *claim,
                          char *text, size_t capacity, double *loss)
{
    if (q->length == 0) {
        snprintf(text, capacity, "infinite");
        *loss = INFINITY;
        return;
    }
    const size_t power = q->length - p->length;
    if (q->length >= p->length && lotor_poly_is_shift(p, power, q)) {
        lotor_ratio exact;
        if (!lotor_fraction_multiply(claim->decay, lotor_ratio_of(power, 1), &exact)) {
            exact = lotor_ratio_of(1, 0); /* too many digits: never state a smaller loss */
        }
        snprintf(text, capacity, "%s", lotor_fraction_text(exact).text);
        *loss = lotor_ratio_to_double(exact);
        return;
    }
    *loss = log(value_double(p, claim) / value_double(q, claim));
    if (count_terms(p) <= 4 && count_terms(q) <= 4) {
        char above[64], below[64];
        write_poly(p, above, sizeof above);
        write_poly(q, below, sizeof below);
        snprintf(text, capacity, "log((%s) / (%s)), x = e^-%s", above, below,
                 lotor_fraction_text(claim->decay).text);
    } else {
        snprintf(text, capacity, "log of a ratio of polynomials of degrees %zu and %zu in e^-%s",
                 p->length - 1, q->length - 1, lotor_fraction_text(claim->decay).text);
    }
}
