/* verify_parts.h - what the verifications share: fractions, and the worst so far. */
#ifndef LOTOR_LAB_VERIFY_PARTS_H
#define LOTOR_LAB_VERIFY_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/verify.h"

/* Exact; false when the result does not fit in 64 bits over 64 bits. */
bool lotor_fraction_add(lotor_ratio a, lotor_ratio b, lotor_ratio *out);
bool lotor_fraction_multiply(lotor_ratio a, lotor_ratio b, lotor_ratio *out);
int lotor_fraction_compare(lotor_ratio a, lotor_ratio b); /* -1, 0, 1; infinity is the largest */

/* "3/2", "2", "infinite" */
typedef struct lotor_fraction_words {
    char text[48];
} lotor_fraction_words;
lotor_fraction_words lotor_fraction_text(lotor_ratio ratio);

/* 1 over the scale that is really drawn, times what the lab asks for. */
lotor_status lotor_verify_decay(uint64_t drawn, const lotor_verify_request *request,
                                lotor_message *why, lotor_ratio *decay);

/* The epsilons to verify at: the asked one alone, or `own`. */
typedef struct lotor_verify_epsilons {
    lotor_ratio at[4];
    size_t count;
} lotor_verify_epsilons;
lotor_verify_epsilons lotor_verify_which(const lotor_verify_request *request,
                                         const lotor_verify_epsilons *own);

/* ", noise times 99/100", or nothing. */
lotor_fraction_words lotor_verify_scaled(const lotor_verify_request *request);

/* The mechanisms, in files of their own. */
lotor_status lotor_verify_laplace(const lotor_verify_mechanism *mechanism,
                                  const lotor_verify_request *request, lotor_message *why,
                                  lotor_verify_take *take, void *context);
lotor_status lotor_verify_gaussian(const lotor_verify_mechanism *mechanism,
                                   const lotor_verify_request *request, lotor_message *why,
                                   lotor_verify_take *take, void *context);
lotor_status lotor_verify_linear(const lotor_verify_mechanism *mechanism,
                                 const lotor_verify_request *request, lotor_message *why,
                                 lotor_verify_take *take, void *context);
lotor_status lotor_verify_sparse(const lotor_verify_mechanism *mechanism,
                                 const lotor_verify_request *request, lotor_message *why,
                                 lotor_verify_take *take, void *context);
lotor_status lotor_verify_response(const lotor_verify_mechanism *mechanism,
                                   const lotor_verify_request *request, lotor_message *why,
                                   lotor_verify_take *take, void *context);
lotor_status lotor_verify_cube(const lotor_verify_mechanism *mechanism,
                               const lotor_verify_request *request, lotor_message *why,
                               lotor_verify_take *take, void *context);

#endif
