/* verify_local.c - verifies randomized response and the report on the cube (algorithms rr-klucb,
 * cascade-ldp-rr, cucb-ldp-box): all inputs and outputs, with weights 1 and x = e^-epsilon.
 *
 * Rewards between 0 and 1 are first rounded at random to corners. Then P(z | reward) is a mixture
 * of the rows here, and the ratio of two mixtures is at most the largest ratio of two rows.
 */
#include "lab/verify_local.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "lab/verify.h"
#include "lab/verify_drive.h"
#include "lab/verify_table.h"
#include "privacy/local/bit.h"
#include "privacy/local/cube.h"
#include "privacy/local/position.h"

/* --- running the randomizers coin by coin -------------------------------------------------------- */

/* A coin of e^-epsilon reads about epsilon + 20 words. All dictated words must fit in one buffer. */
static lotor_status check_size(lotor_ratio epsilon, lotor_message *why)
{
    return epsilon.num / 1000 < epsilon.den
               ? LOTOR_OK
               : lotor_fail(LOTOR_OVERFLOW, why,
                            "epsilon %g is too large to drive a randomizer coin by coin: expected "
                            "less than 1000",
                            lotor_ratio_to_double(epsilon));
}

static lotor_status fail_otherwise(bool is_alike, const char *what, lotor_message *why)
{
    return is_alike ? LOTOR_OK
                    : lotor_fail(LOTOR_DAMAGED, why,
                                 "%s does not toss its coins as its definition says: truths are "
                                 "kept, other answers with probability e^-epsilon",
                                 what);
}

/* Dictates the coin of e^-epsilon after a truth was proposed. An epsilon of more than 45 reads the
 * first 45 words of the coin only (steady.md). */
static void dictate_for_truth(lotor_drive *drive, lotor_ratio epsilon, bool yes)
{
    enum { MOST_FACTORS = 45 };
    const uint64_t factors = (epsilon.num - 1) / epsilon.den; /* words before the rest */
    if (factors <= MOST_FACTORS) {
        lotor_drive_exp_coin(drive, epsilon, yes);
    } else {
        lotor_drive_exp_coin(drive, lotor_ratio_of(MOST_FACTORS, 1), yes);
    }
}

/* --- a bit ------------------------------------------------------------------------------------ */

/* The proposed bit is true or a lie, and a lie is kept or drawn again. */
typedef enum proposed_bit { TRUTH_KEPT, LIE_KEPT, LIE_REDRAWN } proposed_bit;

/* The coin of e^-epsilon is tossed for truths, too. Truths are kept however it falls: `coin`. */
static bool sends(lotor_drive *drive, const lotor_bit *law, bool truth, proposed_bit proposal,
                  bool coin)
{
    lotor_drive_clear(drive);
    lotor_drive_coin(drive, truth, 1, truth); /* a reward of 0 or 1 is rounded to itself */
    if (proposal != TRUTH_KEPT) {
        lotor_drive_below(drive, 2, 1);
        lotor_drive_exp_coin(drive, law->epsilon, proposal == LIE_KEPT);
    }
    if (proposal != LIE_KEPT) {
        lotor_drive_below(drive, 2, 0);
        dictate_for_truth(drive, law->epsilon, coin);
    }
    bool sent;
    return lotor_bit_send(law, truth, &drive->source, &sent) == LOTOR_OK &&
           lotor_drive_is_done(drive) && sent == (truth != (proposal == LIE_KEPT));
}

lotor_status lotor_local_drive_bit(lotor_ratio epsilon, lotor_message *why)
{
    lotor_bit law;
    lotor_status status = lotor_bit_make(epsilon, 1, why, &law);
    if (status == LOTOR_OK) {
        status = check_size(epsilon, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_drive drive;
    lotor_drive_start(&drive);
    bool is_alike = true;
    for (int i = 0; i < 12; i++) { /* two truths, two falls of the coin, three proposals */
        is_alike = is_alike && sends(&drive, &law, i % 2, (proposed_bit)(i / 4), i / 2 % 2);
    }
    return fail_otherwise(is_alike, "randomized response", why);
}

/* --- the position of a click ------------------------------------------------------------------ */

/* A place is proposed by how far it is after the true place, counted around the list. */
static bool reports(lotor_drive *drive, const lotor_position *law, size_t place, size_t ahead,
                    bool kept, bool coin)
{
    const size_t places = law->slots + 1;
    lotor_drive_clear(drive);
    if (ahead > 0) {
        lotor_drive_below(drive, places, ahead);
        lotor_drive_exp_coin(drive, law->epsilon, kept);
    }
    if (ahead == 0 || !kept) {
        lotor_drive_below(drive, places, 0);
        dictate_for_truth(drive, law->epsilon, coin);
    }
    lotor_noise noise = lotor_drive_noise(drive);
    size_t report;
    const size_t expected = 1 + (place - 1 + (kept ? ahead : 0)) % places;
    return lotor_position_report(law, place, &noise, &report) == LOTOR_OK &&
           lotor_drive_is_done(drive) && report == expected;
}

lotor_status lotor_local_drive_places(size_t answers, lotor_ratio epsilon, lotor_message *why)
{
    lotor_position law;
    lotor_status status = lotor_position_make(answers - 1, epsilon, why, &law);
    if (status == LOTOR_OK) {
        status = check_size(epsilon, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    lotor_drive drive;
    lotor_drive_start(&drive);
    bool is_alike = true;
    for (size_t place = 1; place <= answers; place++) {
        for (size_t ahead = 0; ahead < answers; ahead++) {
            for (int i = 0; i < 4; i++) {
                is_alike = is_alike && reports(&drive, &law, place, ahead, i < 2, i % 2);
            }
        }
    }
    return fail_otherwise(is_alike, "randomized response of places", why);
}

/* --- the cube --------------------------------------------------------------------------------- */

/* Dictates the coins that choose the side, inside or outside. Before that, the same side is
 * proposed and rejected `redrawn` times. The coins of the other side say `coin`. */
static void dictate_side(lotor_drive *drive, const lotor_cube *law, bool inside, int redrawn,
                         bool coin)
{
    const uint64_t most = law->inside > law->outside ? law->inside : law->outside;
    for (int left = redrawn; left >= 0; left--) {
        const bool inside_fits = law->inside == most || (inside ? left == 0 : coin);
        const bool outside_fits = law->outside == most || (inside ? coin : left == 0);
        lotor_drive_below(drive, 2, !inside);
        lotor_drive_coin(drive, law->inside, most, inside_fits);
        lotor_drive_coin(drive, law->outside, most, outside_fits);
        if (inside && inside_fits) {
            dictate_for_truth(drive, law->epsilon, coin);
        } else if (!inside && outside_fits) {
            lotor_drive_exp_coin(drive, law->epsilon, left == 0);
        }
    }
}

/* The number of corners of the same side that agree in fewer coordinates. */
static uint64_t rank_of(const lotor_cube *law, bool inside, size_t agreeing)
{
    uint64_t rank = 0;
    for (size_t a = inside ? law->threshold : 0; a < agreeing; a++) {
        rank += law->corners[a];
    }
    return rank;
}

/* Dictates the rank of a corner of its side. The rank on the other side, which is not used, is 0. */
static void dictate_rank(lotor_drive *drive, const lotor_cube *law, bool inside, uint64_t rank)
{
    lotor_drive_below(drive, law->inside, inside ? rank : 0);
    lotor_drive_below(drive, law->outside, inside ? 0 : rank);
}

/* Dictates which coordinates are wrong: a coin for each coordinate. */
static void dictate_places(lotor_drive *drive, size_t slots, size_t wrong_places)
{
    size_t wrong = (size_t)__builtin_popcountll(wrong_places);
    for (size_t left = slots; left > 0; left--) {
        const bool is_wrong = wrong_places >> (left - 1) & 1;
        lotor_drive_coin(drive, wrong, left, is_wrong);
        wrong -= is_wrong;
    }
}

/* True if the randomizer sends `report` when the words for it are dictated. `last`: dictate the
 * last of the corners with this number of agreements, not the first. */
static bool reaches(lotor_drive *drive, const lotor_cube *law, size_t corner, size_t report,
                    bool last, int redrawn)
{
    const size_t slots = law->slots;
    const size_t agreeing = slots - (size_t)__builtin_popcountll(corner ^ report);
    const bool inside = agreeing >= law->threshold;
    if (redrawn && inside && law->inside >= law->outside) {
        redrawn = 0; /* in this case the inside is never redrawn */
    }
    lotor_drive_clear(drive);
    uint64_t parts[LOTOR_CUBE_MAX], reported;
    for (size_t i = 0; i < slots; i++) { /* a reward of 0 or 1 is rounded to itself */
        parts[i] = corner >> i & 1;
        lotor_drive_coin(drive, parts[i], 1, parts[i]);
    }
    dictate_side(drive, law, inside, redrawn, last);
    dictate_rank(drive, law, inside,
                 rank_of(law, inside, agreeing) + (last ? law->corners[agreeing] - 1 : 0));
    dictate_places(drive, slots, corner ^ report);
    lotor_noise noise = lotor_drive_noise(drive);
    return lotor_cube_report(law, parts, slots, 1, &noise, &reported) == LOTOR_OK &&
           lotor_drive_is_done(drive) && reported == report;
}

/* True if the plan's numbers of corners are the same as when all corners are counted. */
static bool counts_alike(const lotor_cube *law)
{
    uint64_t inside = 0, outside = 0;
    for (size_t corner = 0; corner >> law->slots == 0; corner++) {
        const size_t agreeing = law->slots - (size_t)__builtin_popcountll(corner);
        inside += agreeing >= law->threshold;
        outside += agreeing < law->threshold;
    }
    return inside == law->inside && outside == law->outside;
}

lotor_status lotor_local_drive_cube(size_t slots, lotor_ratio epsilon, lotor_message *why,
                                    size_t *threshold)
{
    lotor_cube law;
    lotor_status status = lotor_cube_make(slots, epsilon, why, &law);
    if (status == LOTOR_OK) {
        status = check_size(epsilon, why);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    *threshold = law.threshold;
    lotor_drive drive;
    lotor_drive_start(&drive);
    bool is_alike = counts_alike(&law);
    const size_t corners = (size_t)1 << slots;
    for (size_t at = 0; law.doublings == 0 && is_alike && at < corners * corners; at++) {
        for (int i = 0; i < 4; i++) {
            is_alike = is_alike && reaches(&drive, &law, at / corners, at % corners, i & 1, i >> 1);
        }
    }
    return fail_otherwise(is_alike, "the report on the cube", why);
}

enum { TRUTH = 0, LIE = 1, TIE = 2 };

/* The noise is scaled by dividing epsilon, as everywhere in src/lab. */
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

/* A proposal is kept if it agrees in at least `threshold` coordinates, otherwise with probability
 * e^-epsilon. */
static size_t cube_weight(const void *law, size_t input, size_t output)
{
    const cube *at = law;
    return agreements(at->slots, input, output) >= at->threshold ? TRUTH : LIE;
}

/* With probability e^epsilon/(1 + e^epsilon) uniform on <z,v> >= 0, otherwise on <z,v> <= 0. Both
 * sides contain the same number of corners. Corners with <z,v> = 0 are in both. */
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
