/* verify.c - the table of mechanisms that can be verified, and the code they share. See
 * verify.h. */
#include "lab/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"

const lotor_verify_mechanism lotor_verify_mechanisms[] = {
    {.id = "laplace",
     .summary = "discrete Laplace noise on one sum",
     .verify = lotor_verify_laplace},
    {.id = "gaussian",
     .summary = "discrete Gaussian noise on one sum: delta at epsilon",
     .verify = lotor_verify_gaussian,
     .has_delta = true},
    {.id = "tree",
     .summary = "the binary tree counter, driven through its code",
     .verify = lotor_verify_linear},
    {.id = "hybrid",
     .summary = "the hybrid counter, driven through its code",
     .verify = lotor_verify_linear},
    {.id = "batch",
     .summary = "doubling batches, driven through their code",
     .verify = lotor_verify_linear},
    {.id = "sparse",
     .summary = "sparse vector: the first question answered yes, or none",
     .verify = lotor_verify_sparse},
    {.id = "response", .summary = "randomized response of a bit", .verify = lotor_verify_response},
    {.id = "positions",
     .summary = "randomized response of a click's position among K and none",
     .verify = lotor_verify_response},
    {.id = "cube", .summary = "K rewards in one report on the cube", .verify = lotor_verify_cube},
    {.id = "tree-short",
     .summary = "a tree with the noise of one level fewer",
     .is_leak = true,
     .verify = lotor_verify_linear},
    {.id = "sparse-bare-threshold",
     .summary = "sparse vector without noise on the threshold",
     .is_leak = true,
     .verify = lotor_verify_sparse},
    {.id = "sparse-bare-queries",
     .summary = "sparse vector without noise on the queries",
     .is_leak = true,
     .verify = lotor_verify_sparse},
    {.id = "cube-halves",
     .summary = "the cube report by half-spaces, even K: ties count on both sides",
     .is_leak = true,
     .verify = lotor_verify_cube},
    {0},
};

const lotor_verify_mechanism *lotor_verify_find(const char *id)
{
    for (const lotor_verify_mechanism *row = lotor_verify_mechanisms; row->id; row++) {
        if (strcmp(row->id, id) == 0) {
            return row;
        }
    }
    return NULL;
}

static bool is_given(lotor_ratio ratio)
{
    return ratio.num != 0 || ratio.den != 0;
}

lotor_status lotor_verify(const lotor_verify_mechanism *mechanism,
                          const lotor_verify_request *request, lotor_message *why,
                          lotor_verify_take *take, void *context)
{
    const lotor_ratio epsilon = request->epsilon, delta = request->delta;
    const lotor_ratio scale = request->noise_scale;
    if (is_given(epsilon) && (epsilon.num == 0 || epsilon.den == 0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "epsilon is %s: exact verification needs one above 0 and finite",
                          epsilon.den == 0 ? "infinite" : "0");
    }
    if (is_given(delta) && (delta.num == 0 || delta.num >= delta.den)) {
        return lotor_fail(LOTOR_INVALID, why, "delta is %g: it must be above 0 and below 1",
                          lotor_ratio_to_double(delta));
    }
    if (is_given(delta) && !mechanism->has_delta) {
        return lotor_fail(LOTOR_INVALID, why,
                          "%s claims a delta of 0: only gaussian is verified with a delta",
                          mechanism->id);
    }
    if (is_given(scale) && (scale.num == 0 || scale.den == 0)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "the noise scale is %s: it must be above 0 and finite",
                          scale.den == 0 ? "infinite" : "0");
    }
    return mechanism->verify(mechanism, request, why, take, context);
}

lotor_status lotor_verify_decay(uint64_t drawn, const lotor_verify_request *request,
                                lotor_message *why, lotor_ratio *decay)
{
    const lotor_ratio scale = request->noise_scale;
    const lotor_ratio inverse =
        is_given(scale) ? lotor_ratio_of(scale.den, scale.num) : lotor_ratio_of(1, 1);
    if (drawn == 0) {
        return lotor_fail(LOTOR_INVALID, why, "no noise is drawn: there is nothing to verify");
    }
    if (!lotor_fraction_multiply(lotor_ratio_of(1, drawn), inverse, decay)) {
        return lotor_fail(LOTOR_OVERFLOW, why,
                          "the scale %" PRIu64 " times the noise scale does not fit in 64 bits: "
                          "give fewer digits",
                          drawn);
    }
    return LOTOR_OK;
}

lotor_verify_epsilons lotor_verify_which(const lotor_verify_request *request,
                                         const lotor_verify_epsilons *own)
{
    if (is_given(request->epsilon)) {
        return (lotor_verify_epsilons){.at = {request->epsilon}, .count = 1};
    }
    return *own;
}

lotor_fraction_words lotor_verify_scaled(const lotor_verify_request *request)
{
    lotor_fraction_words words = {""};
    const lotor_ratio scale = request->noise_scale;
    if (is_given(scale) && scale.num != scale.den) {
        snprintf(words.text, sizeof words.text, ", noise times %.30s",
                 lotor_fraction_text(scale).text);
    }
    return words;
}
