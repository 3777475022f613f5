/* verify.h - computes privacy losses exactly, on small inputs, without sampling or tolerance.
 *
 * Every probability of a discrete mechanism is a polynomial with integer coefficients in x = e^-d,
 * where d is a fraction; or it is a series of such terms with a proven remainder. So "P(E) <=
 * e^epsilon P'(E)" is the sign of a polynomial, decided in integers: see verify.md. Scales, levels
 * and shares come from the library's own planning functions. The noise that is really drawn is
 * found by running the samplers on chosen random words.
 */
#ifndef LOTOR_LAB_VERIFY_H
#define LOTOR_LAB_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lotor/verify.h>

/* The parameters of a verification; 0/0 means the built-in settings of each mechanism. */
typedef struct lotor_verify_request {
    lotor_ratio epsilon;     /* above 0, finite */
    lotor_ratio delta;       /* in (0,1), only for the Gaussian */
    lotor_ratio noise_scale; /* multiplies the noise but not the claim; 0/0 means 1 */
} lotor_verify_request;

/* Receives one finding, which is valid only during the call. */
typedef void lotor_verify_take(void *context, const lotor_verify_finding *finding);

typedef struct lotor_verify_mechanism {
    const char *id;
    const char *summary;
    bool is_leak;
    lotor_status (*verify)(const struct lotor_verify_mechanism *mechanism,
                           const lotor_verify_request *request, lotor_message *why,
                           lotor_verify_take *take, void *context);
    bool has_delta; /* the claim is (epsilon, delta) */
} lotor_verify_mechanism;

/* All mechanisms; the last row has no id. */
extern const lotor_verify_mechanism lotor_verify_mechanisms[];

/* NULL if there is no mechanism with this id. */
const lotor_verify_mechanism *lotor_verify_find(const char *id);

/* Verifies one mechanism, in its built-in settings or in those of the request. LOTOR_INVALID: the
 * request is out of range. LOTOR_OVERFLOW: it is too large to compute. LOTOR_DAMAGED: the code does
 * not match the formulas that are verified here, so nothing is verified. LOTOR_MEMORY: out of
 * memory. */
lotor_status lotor_verify(const lotor_verify_mechanism *mechanism,
                          const lotor_verify_request *request, lotor_message *why,
                          lotor_verify_take *take, void *context);

#endif
