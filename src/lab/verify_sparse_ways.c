/* verify_sparse_ways.c - see verify_sparse.h.
 *
 * Let z be the threshold's noise; a query q is above the threshold if q + A >= z. With x =
 * e^(-1/b),
 *
 *     P(z) = (1-x)/(1+x) x^|z|
 *     P(A >= k) = x^k/(1+x) for k >= 0,  1 - x^(1-k)/(1+x) for k <= 0
 *
 * So (1+x) P(yes) and (1+x) P(no) are polynomials. The sum over z is split into a finite middle and
 * two tails, where every |z - q| is z - q or q - z. With w = x^t at distance t along the tail, the
 * product is a polynomial in w, and w^c adds up to 1/(1 - x^c). Everything is put over the
 * denominator (1+x)^(n+1) (1-x^2)(1-x^3)...(1-x^(n+1)), for n questions (the factor 1-x of P(z)
 * cancels).
 */
#include "lab/verify_sparse.h"

#include <string.h>

enum { POWERS = LOTOR_SPARSE_ASKED + 2 }; /* of w: one for each noise, and the constant */

typedef struct tail {
    size_t powers; /* the highest power of w that may occur */
    lotor_poly of[POWERS];
} tail;

/* Multiplies a tail by plain + factor * x^power * w. */
static void multiply_tail(tail *by, const lotor_poly *plain, int64_t factor, size_t power)
{
    for (size_t c = by->powers + 1; c-- > 0;) {
        lotor_poly next;
        lotor_poly_set(&next, 0);
        if (c < by->powers) {
            lotor_poly_multiply(&next, &by->of[c], plain);
        }
        if (c > 0) {
            lotor_poly_add_shifted(&next, &by->of[c - 1], factor, power);
        }
        lotor_poly_copy(&by->of[c], &next);
    }
    by->powers++;
}

typedef struct plane {
    lotor_sparse_kind kind;
    lotor_poly zero, one, sum; /* 0, 1, 1 + x */
} plane;

static void make_plane(plane *out, lotor_sparse_kind kind)
{
    out->kind = kind;
    lotor_poly_set(&out->zero, 0);
    lotor_poly_set(&out->one, 1);
    lotor_poly_set(&out->sum, 1);
    lotor_poly_add_shifted(&out->sum, &out->one, 1, 1);
}

/* (1+x) P(q + A >= z), or (1+x) P(q + A < z) for no; 1 or 0 if queries have no noise. */
static void answer_at(const plane *on, int64_t q, int64_t z, bool yes, lotor_poly *out)
{
    if (on->kind == LOTOR_SPARSE_BARE_QUERIES) {
        lotor_poly_set(out, (q >= z) == yes);
        return;
    }
    const bool is_tail = (z >= q) == yes; /* the smaller of the two probabilities is x^distance */
    const size_t distance = (size_t)(z >= q ? z - q : q - z + 1);
    lotor_poly_copy(out, is_tail ? &on->zero : &on->sum);
    lotor_poly_add_shifted(out, &on->one, is_tail ? 1 : -1, distance);
}

/* The product of all answers at one z. */
static void answers_at(const plane *on, const lotor_sparse_answers *answers, int64_t z,
                       lotor_poly *out)
{
    lotor_poly factor, product;
    lotor_poly_set(out, 1);
    for (size_t i = 0; i < answers->refused + answers->accepted; i++) {
        const bool yes = i == answers->refused;
        answer_at(on, yes ? answers->yes : answers->no[i], z, yes, &factor);
        lotor_poly_multiply(&product, out, &factor);
        lotor_poly_copy(out, &product);
    }
}

/* Multiplies by one answer along a tail that starts at z and goes down (every q >= z) or up (every
 * q < z). */
static void answer_along(const plane *on, tail *by, int64_t q, int64_t z, bool yes, bool up)
{
    if (on->kind == LOTOR_SPARSE_BARE_QUERIES) {
        multiply_tail(by, up == yes ? &on->zero : &on->one, 0, 0);
        return;
    }
    const size_t distance = (size_t)(up ? z - q : q - z + 1);
    const bool is_tail = up == yes;
    multiply_tail(by, is_tail ? &on->zero : &on->sum, is_tail ? 1 : -1, distance);
}

/* The sum over a tail, times the product of 1 - x^c over c = 1..noises. */
static void add_tail(const plane *on, const lotor_sparse_answers *answers, int64_t z, bool up,
                     size_t noises, lotor_poly *sum)
{
    tail by = {.powers = 1};
    lotor_poly_copy(&by.of[0], &on->one);
    multiply_tail(&by, &on->zero, 1, (size_t)(up ? z : -z)); /* x^|z| */
    for (size_t i = 0; i < answers->refused + answers->accepted; i++) {
        const bool yes = i == answers->refused;
        answer_along(on, &by, yes ? answers->yes : answers->no[i], z, yes, up);
    }
    for (size_t c = 1; c < by.powers; c++) {
        lotor_poly product = by.of[c], next;
        for (size_t other = 1; other <= noises; other++) {
            if (other != c) {
                lotor_poly_copy(&next, &product);
                lotor_poly_add_shifted(&next, &product, -1, other);
                lotor_poly_copy(&product, &next);
            }
        }
        lotor_poly_add(sum, &product);
    }
}

void lotor_sparse_ways(const lotor_sparse_answers *answers, lotor_sparse_kind kind, lotor_poly *out)
{
    plane on;
    make_plane(&on, kind);
    if (kind == LOTOR_SPARSE_BARE_THRESHOLD) {
        answers_at(&on, answers, 0, out);
        return;
    }
    int64_t low = 0, high = 0;
    for (size_t i = 0; i < answers->refused + answers->accepted; i++) {
        const int64_t q = i == answers->refused ? answers->yes : answers->no[i];
        low = q < low ? q : low;
        high = q > high ? q : high;
    }
    const size_t noises = answers->refused + answers->accepted + 1;
    lotor_poly middle, at, product;
    lotor_poly_set(&middle, 0);
    for (int64_t z = low + 1; z <= high; z++) {
        answers_at(&on, answers, z, &at);
        lotor_poly_add_shifted(&middle, &at, 1, (size_t)(z < 0 ? -z : z));
    }
    for (size_t c = 1; c <= noises; c++) {
        lotor_poly_copy(&product, &middle);
        lotor_poly_add_shifted(&product, &middle, -1, c);
        lotor_poly_copy(&middle, &product);
    }
    lotor_poly_copy(out, &middle);
    add_tail(&on, answers, low, false, noises, out);
    add_tail(&on, answers, high + 1, true, noises, out);
}
