/* verify_poly.h - polynomials with whole coefficients in x = e^-decay, and the sign of a loss. */
#ifndef LOTOR_LAB_VERIFY_POLY_H
#define LOTOR_LAB_VERIFY_POLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/ratio.h>
#include <lotor/status.h>

#include "base/enclosure.h"

enum { LOTOR_POLY_ROOM = 512 };

/* at[i] is the coefficient of x^i. What does not fit, in degree or in 64 bits, is marked lost. */
typedef struct lotor_poly {
    bool lost;
    size_t length; /* at[length - 1] is not 0; 0: the polynomial 0 */
    int64_t at[LOTOR_POLY_ROOM];
} lotor_poly;

void lotor_poly_set(lotor_poly *out, int64_t constant);
void lotor_poly_copy(lotor_poly *out, const lotor_poly *a);
void lotor_poly_add(lotor_poly *sum, const lotor_poly *a); /* sum += a */

/* out += factor * x^power * a; out is not a. */
void lotor_poly_add_shifted(lotor_poly *out, const lotor_poly *a, int64_t factor, size_t power);
void lotor_poly_multiply(lotor_poly *out, const lotor_poly *a,
                         const lotor_poly *b); /* not in place */

/* x^power * a == b, as polynomials. */
bool lotor_poly_is_shift(const lotor_poly *a, size_t power, const lotor_poly *b);

/* Where polynomials are read: x = e^-decay, against a claim of epsilon. */
typedef struct lotor_poly_claim {
    lotor_ratio decay, epsilon;
} lotor_poly_claim;

/* a(x), x enclosed with the same bits. */
void lotor_poly_value(lotor_enclosure *out, const lotor_poly *a, const lotor_enclosure *x,
                      unsigned bits);

/* The sign of p - e^epsilon q at x, proved: 1 means that p breaks the claim. 0 only where the two are
 * equal. LOTOR_OVERFLOW when something was lost, or the sign did not show within the precision. */
lotor_status lotor_poly_loss_sign(const lotor_poly *p, const lotor_poly *q,
                                  const lotor_poly_claim *claim, lotor_message *why, int *sign);

/* The loss log(p/q) as text: a fraction where p/q is a power of x, else a logarithm (in words, where
 * the polynomials are long). And as a double, rounded. q = 0 is an infinite loss. */
void lotor_poly_loss_text(const lotor_poly *p, const lotor_poly *q, const lotor_poly_claim *claim,
                          char *text, size_t capacity, double *loss);

#endif
