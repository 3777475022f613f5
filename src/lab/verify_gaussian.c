/* verify_gaussian.c - one sum with discrete Gaussian noise: its delta at epsilon, between certified
 * bounds.
 *
 * P(k) = g^(k^2) / Z with g = e^(-1/(2 sigma^2)). At distance D,
 *
 *     delta = sum over k of max(0, P(k) - e^epsilon P(k - D)),
 *
 * and P(k) > e^epsilon P(k - D) exactly if D^2 - 2kD > 2 sigma^2 epsilon. That is a comparison of
 * integers, and it holds for a half-line k <= -j. So with S(j) = sum over k >= j of g^(k^2),
 *
 *     delta = (e^-epsilon S(j) - S(j + D)) / (e^-epsilon Z),
 *
 * where each sum is enclosed term by term. The terms after K add up to at most their first one
 * divided by 1 - g^(2K+3), and 1/(1 - e^-a) <= 1 + 1/a.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <lotor/account.h>

#include "base/enclosure.h"
#include "base/message.h"
#include "base/ratio.h"
#include "base/wide.h"
#include "lab/verify.h"
#include "lab/verify_drive.h"
#include "privacy/release/scale.h"

enum { MOST_SIGMA = 5000, MOST_TERMS = 200000 };

typedef struct gaussian {
    lotor_ratio epsilon, delta;
    lotor_ratio sigma;
    lotor_ratio decay; /* 1/(2 sigma^2): g = e^-decay */
    unsigned bits;
} gaussian;

/* The three sums of one delta, and where two of them begin (at 0 or above). */
typedef struct sums {
    int64_t first, second;
    lotor_enclosure from_first, from_second, from_one;
} sums;

/* Bounds the sum of the term at k and all later ones: term * (1 + ceil(1 / a)), a = decay(2k+1). */
static void bound_rest(const gaussian *law, const lotor_enclosure *term, int64_t k, lotor_big *rest)
{
    const lotor_u128 above = law->decay.den,
                     below = (lotor_u128)law->decay.num * (2 * (uint64_t)k + 1);
    lotor_big factor;
    lotor_big_set_natural(&factor, (uint64_t)((above + below - 1) / below) + 1);
    lotor_big_multiply(rest, &term->high, &factor);
}

static void add_from(lotor_enclosure *sum, const lotor_enclosure *term, int64_t k, int64_t first)
{
    if (k >= first) {
        lotor_enclosure_add(sum, sum, term);
    }
}

static void enclose_sums(const gaussian *law, sums *out)
{
    const unsigned bits = law->bits;
    const int64_t last = out->first > out->second ? out->first : out->second;
    lotor_enclosure g, step, square, term;
    lotor_enclosure_exp_minus(&g, law->decay, bits);
    lotor_enclosure_copy(&step, &g); /* g^(2k+1), the factor from k to k+1 */
    lotor_enclosure_multiply(&square, &g, &g, bits);
    lotor_enclosure_integer(&term, 1, bits);
    lotor_enclosure_integer(&out->from_first, 0, bits);
    lotor_enclosure_copy(&out->from_second, &out->from_first);
    lotor_enclosure_copy(&out->from_one, &out->from_first);
    lotor_big rest;
    for (int64_t k = 0;; k++) {
        bound_rest(law, &term, k, &rest);
        /* Below a few units of the last place, more terms do not tighten the bounds. */
        if (k > last && k > 0 && (rest.lost || lotor_big_bits(&term.high) <= 3)) {
            break;
        }
        add_from(&out->from_first, &term, k, out->first);
        add_from(&out->from_second, &term, k, out->second);
        add_from(&out->from_one, &term, k, 1);
        lotor_enclosure_multiply(&term, &term, &step, bits);
        lotor_enclosure_multiply(&step, &step, &square, bits);
    }
    lotor_big_add(&out->from_first.high, &out->from_first.high, &rest);
    lotor_big_add(&out->from_second.high, &out->from_second.high, &rest);
    lotor_big_add(&out->from_one.high, &out->from_one.high, &rest);
}

/* The least j with 2 D j > 2 sigma^2 epsilon - D^2: the outputs k <= -j favour the sum 0. */
static bool first_output(const gaussian *law, int64_t distance, int64_t *j)
{
    lotor_ratio square;
    const lotor_ratio inverse = lotor_ratio_of(law->decay.den, law->decay.num);
    if (!lotor_fraction_multiply(inverse, law->epsilon, &square)) {
        return false;
    }
    const lotor_i128 den = square.den, d = distance;
    const lotor_i128 above = (lotor_i128)square.num - d * d * den, below = 2 * d * den;
    lotor_i128 quotient = above / below;
    if (above % below != 0 && above < 0) {
        quotient--;
    }
    *j = (int64_t)quotient + 1;
    return quotient < MOST_TERMS;
}

/* S(j) for any j. For negative j, it is the whole sum minus S(1 - j), which is in `sum`. */
static void sum_from(const lotor_enclosure *sum, int64_t j, const lotor_enclosure *whole,
                     lotor_enclosure *out)
{
    if (j < 0) {
        lotor_enclosure_subtract(out, whole, sum);
    } else {
        lotor_enclosure_copy(out, sum);
    }
}

static bool enclose_delta(const gaussian *law, int64_t distance, int64_t *j, lotor_enclosure *delta)
{
    if (!first_output(law, distance, j)) {
        return false;
    }
    const int64_t second = *j + distance;
    sums all = {.first = *j < 0 ? 1 - *j : *j, .second = second < 0 ? 1 - second : second};
    enclose_sums(law, &all);
    lotor_enclosure whole, one, share, first, after;
    lotor_enclosure_integer(&one, 1, law->bits);
    lotor_enclosure_add(&whole, &all.from_one, &all.from_one);
    lotor_enclosure_add(&whole, &whole, &one);
    lotor_enclosure_exp_minus(&share, law->epsilon, law->bits);
    sum_from(&all.from_first, *j, &whole, &first);
    sum_from(&all.from_second, second, &whole, &after);
    lotor_enclosure_multiply(&first, &first, &share, law->bits);
    lotor_enclosure_subtract(&first, &first, &after);
    lotor_enclosure_multiply(&whole, &whole, &share, law->bits);
    if (first.low.negative) {
        lotor_big_set(&first.low, 0); /* the true value is never negative */
    }
    lotor_enclosure_divide(delta, &first, &whole, law->bits);
    return !lotor_enclosure_is_lost(delta);
}

/* high - low <= low * 10^-13 */
static bool is_tight(const lotor_enclosure *delta)
{
    lotor_big width, tenths;
    lotor_big_subtract(&width, &delta->high, &delta->low);
    lotor_big_set_natural(&tenths, UINT64_C(10000000000000));
    lotor_big_multiply(&width, &width, &tenths);
    return lotor_big_compare(&width, &delta->low) <= 0;
}

typedef struct worst_delta {
    lotor_enclosure delta;
    int64_t distance, output;
    bool holds;
} worst_delta;

/* The largest delta over all distances up to `most`. False: the precision is not sufficient. */
static bool find_worst(const gaussian *law, int64_t most, worst_delta *worst)
{
    lotor_enclosure claim, delta;
    lotor_enclosure_ratio(&claim, law->delta, law->bits);
    worst->distance = 0;
    worst->holds = true;
    for (int64_t distance = 1; distance <= most; distance++) {
        int64_t j;
        if (!enclose_delta(law, distance, &j, &delta)) {
            return false;
        }
        const bool within = lotor_big_compare(&delta.high, &claim.low) <= 0;
        if (!within && lotor_big_compare(&delta.low, &claim.high) <= 0) {
            return false;
        }
        worst->holds = worst->holds && within;
        if (worst->distance == 0 || lotor_big_compare(&delta.high, &worst->delta.high) > 0) {
            lotor_enclosure_copy(&worst->delta, &delta);
            worst->distance = distance;
            worst->output = -j;
        }
    }
    return is_tight(&worst->delta);
}

/* Gets sigma from the library for this distance, and the scale that is really drawn. */
static lotor_status plan(const lotor_verify_request *request, uint64_t most, lotor_message *why,
                         gaussian *law, uint64_t *scale, uint64_t *drawn)
{
    const lotor_release_params params = {.l2 = most, .epsilon = law->epsilon, .delta = law->delta};
    lotor_ratio inverse, square;
    lotor_status status = lotor_release_scale(&params, LOTOR_LAW_GAUSSIAN, 1, why, scale);
    if (status == LOTOR_OK) {
        status = lotor_drive_scale(LOTOR_LAW_GAUSSIAN, *scale, why, drawn);
    }
    if (status == LOTOR_OK) {
        status = lotor_verify_decay(*drawn, request, why, &inverse);
    }
    if (status != LOTOR_OK) {
        return status;
    }
    law->sigma = lotor_ratio_of(inverse.den, inverse.num);
    if (!lotor_fraction_multiply(inverse, inverse, &square) ||
        !lotor_fraction_multiply(square, lotor_ratio_of(1, 2), &law->decay) ||
        *drawn > MOST_SIGMA) {
        return lotor_fail(LOTOR_OVERFLOW, why,
                          "sigma %" PRIu64 " is too large to verify exactly: expected at most %d "
                          "units and few digits; use a larger epsilon",
                          *drawn, MOST_SIGMA);
    }
    return LOTOR_OK;
}

/* Adds what the account says about this noise. The verdict depends only on the enclosures. */
static lotor_status read_account(const gaussian *law, const worst_delta *worst, lotor_message *why,
                                 lotor_verify_finding *finding)
{
    const double rho = lotor_account_zcdp_of_gaussian((double)worst->distance,
                                                      lotor_ratio_double_below(law->sigma));
    const lotor_status status = lotor_account_zcdp_delta(
        rho, lotor_ratio_double_below(law->epsilon), why, &finding->account_delta);
    finding->delta_low = lotor_big_double(&worst->delta.low, law->bits);
    finding->delta_high = nextafter(lotor_big_double(&worst->delta.high, law->bits), INFINITY);
    finding->account_covers = finding->account_delta >= finding->delta_high;
    finding->holds = worst->holds;
    return status;
}

static lotor_status verify_at(const lotor_verify_mechanism *mechanism,
                              const lotor_verify_request *request, lotor_ratio epsilon,
                              lotor_ratio delta, uint64_t most, lotor_message *why,
                              lotor_verify_take *take, void *context)
{
    gaussian law = {.epsilon = epsilon, .delta = delta, .bits = 256};
    uint64_t scale, drawn;
    lotor_status status = plan(request, most, why, &law, &scale, &drawn);
    if (status != LOTOR_OK) {
        return status;
    }
    worst_delta worst;
    while (!find_worst(&law, (int64_t)most, &worst)) {
        law.bits += 256;
        if (law.bits > 768) {
            return lotor_fail(LOTOR_OVERFLOW, why,
                              "768 bits do not enclose this delta: use a larger delta, a smaller "
                              "epsilon or fewer digits");
        }
    }
    lotor_verify_finding finding = {
        .mechanism = mechanism->id,
        .epsilon = epsilon,
        .has_delta = true,
        .delta = delta,
        .loss = NAN,
        .compared = most,
    };
    status = read_account(&law, &worst, why, &finding);
    snprintf(finding.setting, sizeof finding.setting,
             "distance up to %" PRIu64 ", sigma %" PRIu64 ", drawn %" PRIu64 "%s", most, scale,
             drawn, lotor_verify_scaled(request).text);
    snprintf(finding.exact, sizeof finding.exact, "delta in [%.13g, %.13g]",
             nextafter(finding.delta_low, 0), finding.delta_high);
    snprintf(finding.inputs, sizeof finding.inputs, "sums 0 and %" PRId64, worst.distance);
    snprintf(finding.output, sizeof finding.output, "at most %" PRId64, worst.output);
    if (status == LOTOR_OK) {
        take(context, &finding);
    }
    return status;
}

lotor_status lotor_verify_gaussian(const lotor_verify_mechanism *mechanism,
                                   const lotor_verify_request *request, lotor_message *why,
                                   lotor_verify_take *take, void *context)
{
    static const lotor_verify_epsilons own = {{{1, 2}, {1, 1}, {4, 1}}, 3};
    static const uint64_t distances[] = {1, 8};
    const bool asked = request->delta.den != 0;
    const lotor_ratio delta = asked ? request->delta : lotor_ratio_of(1, 100000);
    const lotor_verify_epsilons epsilons = lotor_verify_which(request, &own);
    lotor_status status = LOTOR_OK;
    for (size_t i = 0; i < epsilons.count; i++) {
        for (size_t j = 0; status == LOTOR_OK && j < sizeof distances / sizeof *distances; j++) {
            status = verify_at(mechanism, request, epsilons.at[i], delta, distances[j], why, take,
                               context);
        }
    }
    return status;
}
