/* verify_poly.h - polynomials with integer coefficients in x = e^-decay, and the sign of a loss. */
#ifndef LOTOR_LAB_VERIFY_POLY_H
#define LOTOR_LAB_VERIFY_POLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

#include "base/enclosure.h"

enum { LOTOR_POLY_ROOM = 512 };

/* at[i] is the coefficient of x^i. If a degree or a coefficient does not fit, the result is marked
 * lost. */
typedef struct lotor_poly {
    bool lost;
    size_t length; /* at[length - 1] is not 0; 0: the polynomial 0 */
    int64_t at[LOTOR_POLY_ROOM];
} lotor_poly;

void lotor_poly_set(lotor_poly *out, int64_t constant);
void lotor_poly_copy(lotor_poly *out, const lotor_poly *a);
void lotor_poly_add(lotor_poly *sum, const lotor_poly *a); /* sum += a */

/* out += factor * x^power * a; `out` must not be `a`. */
void lotor_poly_add_shifted(lotor_poly *out, const lotor_poly *a, int64_t factor, size_t power);
void lotor_poly_multiply(lotor_poly *out, const lotor_poly *a,
                         const lotor_poly *b); /* `out` must be neither `a` nor `b` */

/* x^power * a == b, as polynomials. */
bool lotor_poly_is_shift(const lotor_poly *a, size_t power, const lotor_poly *b);

/* The point at which polynomials are evaluated, x = e^-decay, and the claimed epsilon. */
typedef struct lotor_poly_claim {
    lotor_ratio decay, epsilon;
} lotor_poly_claim;

/* Encloses a(x); x is enclosed with the same bits. */
void lotor_poly_value(lotor_enclosure *out, const lotor_poly *a, const lotor_enclosure *x,
                      unsigned bits);

/* The proved sign of p - e^epsilon q at x: 1 means that p violates the claim; 0 means that both are
 * equal. LOTOR_OVERFLOW: a number did not fit, or the precision was not enough to find the sign. */
lotor_status lotor_poly_loss_sign(const lotor_poly *p, const lotor_poly *q,
                                  const lotor_poly_claim *claim, lotor_message *why, int *sign);

/* The loss log(p/q) as text, and as a rounded double. The text is a fraction if p/q is a power of
 * x, else a logarithm (in words if the polynomials are long). If q = 0, the loss is infinite. */
void lotor_poly_loss_text(const lotor_poly *p, const lotor_poly *q, const lotor_poly_claim *claim,
                          char *text, size_t capacity, double *loss);

#endif
