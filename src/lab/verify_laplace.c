/* verify_laplace.c - one sum with discrete Laplace noise.
 *
 * P(k | s) is proportional to x^|k - s| with x = e^(-1/b). So the loss at output k between the sums
 * s and s' is (|k - s'| - |k - s|)/b, a fraction. Outside [s, s'] it is constant. So it is enough
 * to look at the outputs from one distance below to one above.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "lab/verify.h"
#include "lab/verify_drive.h"
#include "privacy/release/scale.h"

typedef struct worst_output {
    int64_t steps; /* the loss, in units of 1/b */
    int64_t from, to, output;
    uint64_t compared;
} worst_output;

/* Compares both sums of a pair at this distance, both ways, at all outputs. One of the sums is
 * 0. */
static worst_output enumerate(int64_t distance)
{
    worst_output worst = {.steps = -1};
    for (int side = 0; side < 2; side++) {
        const int64_t from = side ? distance : 0, to = side ? 0 : distance;
        for (int64_t k = -distance; k <= 2 * distance; k++) {
            const int64_t steps = llabs(k - to) - llabs(k - from);
            if (steps > worst.steps) {
                worst = (worst_output){steps, from, to, k, worst.compared};
            }
            worst.compared++;
        }
    }
    return worst;
}

static lotor_status verify_at(const lotor_verify_mechanism *mechanism,
                              const lotor_verify_request *request, lotor_ratio epsilon,
                              uint64_t distance, lotor_message *why, lotor_verify_take *take,
                              void *context)
{
    const lotor_release_params params = {.l1 = distance, .epsilon = epsilon};
    uint64_t scale, drawn;
    lotor_ratio decay, loss;
    lotor_status status = lotor_release_scale(&params, LOTOR_LAW_LAPLACE, 1, why, &scale);
    if (status == LOTOR_OK) {
        status = lotor_drive_scale(LOTOR_LAW_LAPLACE, scale, why, &drawn);
    }
    if (status == LOTOR_OK) {
        status = lotor_verify_decay(drawn, request, why, &decay);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    const worst_output worst = enumerate((int64_t)distance);
    if (!lotor_fraction_multiply(lotor_ratio_of((uint64_t)worst.steps, 1), decay, &loss)) {
        return lotor_fail(LOTOR_OVERFLOW, why,
                          "the loss does not fit in 64 bits: give fewer digits");
    }
    lotor_verify_finding finding = {
        .mechanism = mechanism->id,
        .epsilon = epsilon,
        .loss = lotor_ratio_to_double(loss),
        .compared = worst.compared,
        .holds = lotor_fraction_compare(loss, epsilon) <= 0,
    };
    snprintf(finding.setting, sizeof finding.setting,
             "distance %" PRIu64 ", scale %" PRIu64 ", drawn %" PRIu64 "%s", distance, scale, drawn,
             lotor_verify_scaled(request).text);
    snprintf(finding.exact, sizeof finding.exact, "%s", lotor_fraction_text(loss).text);
    snprintf(finding.inputs, sizeof finding.inputs, "sums %" PRId64 " and %" PRId64, worst.from,
             worst.to);
    snprintf(finding.output, sizeof finding.output, "%" PRId64, worst.output);
    take(context, &finding);
    return LOTOR_OK;
}

lotor_status lotor_verify_laplace(const lotor_verify_mechanism *mechanism,
                                  const lotor_verify_request *request, lotor_message *why,
                                  lotor_verify_take *take, void *context)
{
    static const lotor_verify_epsilons own = {{{1, 10}, {3, 10}, {1, 1}}, 3};
    static const uint64_t distances[] = {8, UINT64_C(1) << 20}; /* 2^20 units: a reward in [0,1] */
    const lotor_verify_epsilons epsilons = lotor_verify_which(request, &own);
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < epsilons.count; i++) {
        for (size_t j = 0; status == LOTOR_OK && j < sizeof distances / sizeof *distances; j++) {
            status =
                verify_at(mechanism, request, epsilons.at[i], distances[j], why, take, context);
        }
    }
    return status;
}
