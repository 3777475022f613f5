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

#include "lab/verify_fraction.h"

/* The parameters to verify at. For a field that is 0/0, each mechanism has its own values. */
typedef struct lotor_verify_request {
    lotor_ratio epsilon;     /* above 0, finite */
    lotor_ratio delta;       /* in (0,1), only for the Gaussian */
    lotor_ratio noise_scale; /* multiplies the noise but not the claim; 0/0 means 1 */
} lotor_verify_request;

/* Receives one finding, which is valid only during the call. */
typedef void lotor_verify_take(void *context, const lotor_verify_finding *finding);

typedef struct lotor_verify_mechanism lotor_verify_mechanism;

/* Verifies one mechanism, and hands over each finding. */
typedef lotor_status lotor_verify_function(const lotor_verify_mechanism *mechanism,
                                           const lotor_verify_request *request, lotor_message *why,
                                           lotor_verify_take *take, void *context);

struct lotor_verify_mechanism {
    const char *id;
    const char *summary;
    bool is_leak;
    lotor_verify_function *verify;
    bool has_delta; /* the claim is (epsilon, delta), not epsilon alone */
};

/* All mechanisms; the last row has no id. */
extern const lotor_verify_mechanism lotor_verify_mechanisms[];

/* NULL if there is no mechanism with this id. */
const lotor_verify_mechanism *lotor_verify_find(const char *id);

/* Verifies one mechanism, at its own parameters or at those that the caller gives. LOTOR_INVALID:
 * the request makes no sense. LOTOR_OVERFLOW: it is too large to compute. LOTOR_DAMAGED: the code
 * does not do what the mathematics here assumes, so nothing is verified. LOTOR_MEMORY: out of
 * memory. */
lotor_verify_function lotor_verify;

/* --- for the mechanisms, which have their own files -------- */

lotor_verify_function lotor_verify_laplace, lotor_verify_gaussian, lotor_verify_linear,
    lotor_verify_sparse, lotor_verify_response, lotor_verify_cube;

/* 1 divided by the scale that is really drawn, times the noise scale that the caller gave. */
lotor_status lotor_verify_decay(uint64_t drawn, const lotor_verify_request *request,
                                lotor_message *why, lotor_ratio *decay);

/* The epsilons to verify at: the one that the caller gave, or those in `own`. */
typedef struct lotor_verify_epsilons {
    lotor_ratio at[4];
    size_t count;
} lotor_verify_epsilons;
lotor_verify_epsilons lotor_verify_which(const lotor_verify_request *request,
                                         const lotor_verify_epsilons *own);

/* ", noise times 99/100", or nothing. */
lotor_fraction_words lotor_verify_scaled(const lotor_verify_request *request);

#endif
