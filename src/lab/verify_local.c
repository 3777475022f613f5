/* verify_local.c - verifies randomized response and the report on the cube (algorithms rr-klucb,
 * cascade-ldp-rr, cucb-ldp-box): all inputs and outputs, with weights 1 and x = e^-epsilon.
 *
 * Rewards between 0 and 1 are first rounded at random to corners. Then P(z | reward) is a mixture
 * of the rows here, and the ratio of two mixtures is at most the largest ratio of two rows.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "lab/verify_local.h"
#include "lab/verify_parts.h"
#include "lab/verify_table.h"

enum { TRUTH = 0, LIE = 1, TIE = 2 };

/* The noise is scaled by dividing epsilon, as everywhere in the lab. */
static lotor_status plan(const lotor_verify_request *request, lotor_ratio epsilon,
                         lotor_message *why, lotor_poly_claim *claim)
{
    lotor_ratio decay;
    lotor_status status = lotor_verify_decay(1, request, why, &decay);
    claim->epsilon = epsilon;
    if (status == LOTOR_OK && !lotor_fraction_multiply(decay, epsilon, &claim->decay)) {
        status = lotor_fail(LOTOR_OVERFLOW, why, "epsilon has too many digits: give fewer");
    }
    return status;
}

/* 1, x and 1 + x. */
static void set_weights(lotor_verify_table *table)
{
    lotor_poly one;
    lotor_poly_set(&one, 1);
    lotor_poly_set(&table->weights[TRUTH], 1);
    lotor_poly_set(&table->weights[LIE], 0);
    lotor_poly_add_shifted(&table->weights[LIE], &one, 1, 1);
    lotor_poly_copy(&table->weights[TIE], &table->weights[LIE]);
    lotor_poly_add(&table->weights[TIE], &one);
}

static void write_worst(const lotor_verify_worst *worst, lotor_verify_finding *finding)
{
    finding->loss = worst->loss;
    finding->compared = worst->compared;
    finding->holds = worst->holds;
    snprintf(finding->exact, sizeof finding->exact, "%s", worst->exact);
}

/* --- randomized response ---------------------------------------------------------------------- */

/* A report is proposed uniformly. It is kept if it is true, otherwise with probability
 * e^-epsilon. */
static size_t response_weight(const void *law, size_t input, size_t output)
{
    (void)law;
    return input == output ? TRUTH : LIE;
}

static lotor_status verify_response_at(const lotor_verify_mechanism *mechanism,
                                       const lotor_verify_request *request, lotor_ratio epsilon,
                                       size_t answers, lotor_message *why, lotor_verify_take *take,
                                       void *context)
{
    lotor_poly_claim claim;
    lotor_verify_table table = {
        .inputs = answers, .outputs = answers, .weight_of = response_weight};
    lotor_verify_worst worst;
    set_weights(&table);
    lotor_status status = plan(request, epsilon, why, &claim);
    if (status == LOTOR_OK) {
        status = answers == 2 ? lotor_local_drive_bit(epsilon, why)
                              : lotor_local_drive_places(answers, epsilon, why);
    }
    if (status == LOTOR_OK) {
        status = lotor_verify_weigh(&table, &claim, why, &worst);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_verify_finding finding = {.mechanism = mechanism->id, .epsilon = epsilon};
    write_worst(&worst, &finding);
    snprintf(finding.setting, sizeof finding.setting, "%zu answers%s", answers,
             lotor_verify_scaled(request).text);
    snprintf(finding.inputs, sizeof finding.inputs, "answers %zu and %zu", worst.from, worst.to);
    snprintf(finding.output, sizeof finding.output, "%zu", worst.output);
    take(context, &finding);
    return LOTOR_OK;
}

static const lotor_verify_epsilons own_epsilons = {{{1, 2}, {1, 1}, {2, 1}}, 3};

lotor_status lotor_verify_response(const lotor_verify_mechanism *mechanism,
                                   const lotor_verify_request *request, lotor_message *why,
                                   lotor_verify_take *take, void *context)
{
    static const size_t bits[] = {2, 0}, places[] = {3, 5, 17, 0}; /* K = 2, 4, 16, and no click */
    const size_t *answers = strcmp(mechanism->id, "response") == 0 ? bits : places;
    const lotor_verify_epsilons epsilons = lotor_verify_which(request, &own_epsilons);
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < epsilons.count; i++) {
        for (size_t j = 0; status == LOTOR_OK && answers[j] != 0; j++) {
            status = verify_response_at(mechanism, request, epsilons.at[i], answers[j], why, take,
                                        context);
        }
    }
    return status;
}

/* --- the cube --------------------------------------------------------------------------------- */

typedef struct cube {
    size_t slots, threshold;
} cube;

static size_t agreements(size_t slots, size_t input, size_t output)
{
    return slots - (size_t)__builtin_popcountll(input ^ output);
}

/* A proposal is kept if it agrees in at least `threshold` places, else with probability
 * e^-epsilon. */
static size_t cube_weight(const void *law, size_t input, size_t output)
{
    const cube *at = law;
    return agreements(at->slots, input, output) >= at->threshold ? TRUTH : LIE;
}

/* With probability e^epsilon/(1 + e^epsilon) uniform on <z,v> >= 0, else on <z,v> <= 0. Both sides
 * contain the same number of corners, and a tie is in both. */
static size_t halves_weight(const void *law, size_t input, size_t output)
{
    const cube *at = law;
    const size_t twice = 2 * agreements(at->slots, input, output);
    if (twice == at->slots) {
        return TIE;
    }
    return twice > at->slots ? TRUTH : LIE;
}

static void write_corner(size_t corner, size_t slots, char *text)
{
    for (size_t i = 0; i < slots; i++) {
        text[i] = corner >> i & 1 ? '+' : '-';
    }
    text[slots] = '\0';
}

static void write_cube(const lotor_verify_worst *worst, const cube *law, uint64_t compared,
                       bool holds, lotor_verify_finding *finding)
{
    char from[16], to[16], output[16];
    write_corner(worst->from, law->slots, from);
    write_corner(worst->to, law->slots, to);
    write_corner(worst->output, law->slots, output);
    write_worst(worst, finding);
    finding->compared = compared;
    finding->holds = holds;
    snprintf(finding->inputs, sizeof finding->inputs, "corners %s and %s", from, to);
    snprintf(finding->output, sizeof finding->output, "%s", output);
}

/* Finds the worst loss over all thresholds: privacy must not depend on the threshold of the
 * plan. */
static lotor_status verify_cube_at(const lotor_verify_mechanism *mechanism,
                                   const lotor_verify_request *request, lotor_ratio epsilon,
                                   size_t slots, lotor_message *why, lotor_verify_take *take,
                                   void *context)
{
    lotor_poly_claim claim;
    cube law = {.slots = slots};
    lotor_verify_table table = {.inputs = (size_t)1 << slots,
                                .outputs = (size_t)1 << slots,
                                .weight_of = mechanism->is_leak ? halves_weight : cube_weight,
                                .law = &law};
    set_weights(&table);
    lotor_verify_finding finding = {
        .mechanism = mechanism->id, .is_leak = mechanism->is_leak, .epsilon = epsilon};
    uint64_t compared = 0;
    bool holds = true;
    lotor_status status = plan(request, epsilon, why, &claim);
    const size_t thresholds = mechanism->is_leak ? 1 : slots;
    size_t chosen = 0;
    if (status == LOTOR_OK && !mechanism->is_leak) {
        status = lotor_local_drive_cube(slots, epsilon, why, &chosen);
    }
    for (law.threshold = 1; status == LOTOR_OK && law.threshold <= thresholds; law.threshold++) {
        lotor_verify_worst worst;
        status = lotor_verify_weigh(&table, &claim, why, &worst);
        if (status == LOTOR_OK) {
            compared += worst.compared;
            holds = holds && worst.holds;
            if (law.threshold == 1 || worst.loss > finding.loss) {
                write_cube(&worst, &law, compared, holds, &finding);
            }
        }
    }
    finding.compared = compared;
    finding.holds = holds;
    if (status == LOTOR_OK) {
        char kind[48] = "half-spaces";
        if (!mechanism->is_leak) {
            snprintf(kind, sizeof kind, "every threshold (the plan's is %zu)", chosen);
        }
        snprintf(finding.setting, sizeof finding.setting, "%zu rewards, %s%s", slots, kind,
                 lotor_verify_scaled(request).text);
        take(context, &finding);
    }
    return status;
}

lotor_status lotor_verify_cube(const lotor_verify_mechanism *mechanism,
                               const lotor_verify_request *request, lotor_message *why,
                               lotor_verify_take *take, void *context)
{
    static const size_t all[] = {1, 2, 3, 4, 5, 6, 0}, even[] = {2, 4, 6, 0};
    static const lotor_verify_epsilons own = {{{1, 1}}, 1};
    const size_t *slots = mechanism->is_leak ? even : all;
    const lotor_verify_epsilons epsilons = lotor_verify_which(request, &own);
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < epsilons.count; i++) {
        for (size_t j = 0; status == LOTOR_OK && slots[j] != 0; j++) {
            status =
                verify_cube_at(mechanism, request, epsilons.at[i], slots[j], why, take, context);
        }
    }
    return status;
}
