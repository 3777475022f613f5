/* cube.c - up to 64 rewards in one private report (cube.h; cube.md has the proofs). */
#include "privacy/local/cube.h"

#include <assert.h>
#include <math.h>

#include "base/message.h"
#include "base/random/laws.h"
#include "base/ratio.h"
#include "privacy/local/coin.h"
#include "privacy/local/steady.h"

/* Pascal's triangle: corners[k] is the number of corners that agree with a given corner in k
 * places. The largest number, C(64,32), is below 2^61. */
static void count_corners(size_t slots, uint64_t *corners)
{
    corners[0] = 1;
    for (size_t n = 1; n <= slots; n++) {
        corners[n] = 1;
        for (size_t k = n - 1; k > 0; k--) {
            corners[k] += corners[k - 1];
        }
    }
}

/* B = (2^K/(e^epsilon - 1) + N) / C(K-1, tau-1), and C(K-1, tau-1) = C(K, tau) tau/K. */
static double bias_at(const lotor_cube *law, size_t threshold, double inside)
{
    const double corners = ldexp(1.0, (int)law->slots);
    const double apart = (double)law->corners[threshold] * (double)threshold / (double)law->slots;
    return (corners / expm1(lotor_ratio_to_double(law->epsilon)) + inside) / apart;
}

/* Finds the threshold with the smallest bias, and counts the corners inside and outside. */
static void find_threshold(lotor_cube *law)
{
    uint64_t inside = 0;
    law->bias = INFINITY;
    for (size_t threshold = law->slots; threshold > 0; threshold--) {
        inside += law->corners[threshold]; /* below 2^64: corners[0] is never added */
        const double bias = bias_at(law, threshold, (double)inside);
        if (bias <= law->bias) {
            law->bias = bias;
            law->threshold = threshold;
            law->inside = inside;
        }
    }
    law->outside = 0;
    for (size_t agreeing = 0; agreeing < law->threshold; agreeing++) {
        law->outside += law->corners[agreeing];
    }
    assert(law->threshold >= 1 && law->threshold <= law->slots && law->inside > 0);
    assert(law->outside > 0);
}

lotor_status lotor_cube_make(size_t slots, lotor_ratio epsilon, lotor_message *why, lotor_cube *out)
{
    if (slots == 0 || slots > LOTOR_CUBE_MAX) {
        return lotor_fail(
            LOTOR_INVALID, why,
            "%zu rewards in one report: a report on the cube takes from 1 to %d; show "
            "fewer arms at once, or use cucb-ldp2",
            slots, LOTOR_CUBE_MAX);
    }
    if (epsilon.num == 0 || lotor_ratio_is_infinite(epsilon)) {
        return lotor_fail(LOTOR_INVALID, why,
                          "a report on the cube needs an epsilon above 0 that is not infinite");
    }
    *out = (lotor_cube){.slots = slots, .epsilon = epsilon};
    count_corners(slots, out->corners);
    find_threshold(out);
    const uint64_t whole = epsilon.num / epsilon.den;
    while (out->doublings < whole && out->inside <= out->outside >> 1 >> out->doublings) {
        out->doublings++;
    }
    const double lie = exp(-lotor_ratio_to_double(epsilon));
    out->chance = 1.0 / (1.0 + (double)out->outside / (double)out->inside * lie);
    assert(out->chance > 0.0 && out->chance <= 1.0);
    return LOTOR_OK;
}

/* --- exact reports: the same coins for all rewards, and for all reports (steady.md) --------------- */

/* Decides whether the report is inside. P(inside) : P(outside) = N : (2^K - N) e^-epsilon. Each
 * side is proposed half of the time and accepted in that proportion. */
static bool is_inside(const lotor_cube *law, lotor_source *source)
{
    const uint64_t inside = law->inside << law->doublings; /* with doublings, at most `outside` */
    const uint64_t most = inside > law->outside ? inside : law->outside;
    for (;;) {
        const bool proposed = lotor_steady_below(source, 2) == 0;
        const bool inside_fits = lotor_steady_bernoulli(source, inside, most);
        const bool outside_fits = lotor_steady_bernoulli(source, law->outside, most);
        const bool fits = (proposed & inside_fits) | (!proposed & outside_fits);
        if (lotor_steady_whole(fits) &&
            lotor_steady_accepts(source, law->epsilon, law->doublings, proposed)) {
            return proposed;
        }
    }
}

/* Draws the number of places that agree. All corners of the chosen side are equally likely. */
static size_t draw_agreement(const lotor_cube *law, bool inside, lotor_source *source)
{
    const uint64_t inner = lotor_steady_below(source, law->inside);
    const uint64_t outer = lotor_steady_below(source, law->outside);
    uint64_t rank = lotor_steady_select(inside, inner, outer);
    const size_t first = (size_t)lotor_steady_select(inside, law->threshold, 0);
    size_t agreeing = first;
    bool is_found = false;
    for (size_t k = 0; k <= law->slots; k++) {
        const bool is_past = (k >= first) & (rank >= law->corners[k]) & !is_found;
        is_found = is_found | ((k >= first) & !is_past);
        rank -= lotor_steady_select(is_past, law->corners[k], 0);
        agreeing += is_past;
    }
    assert(agreeing <= law->slots);
    return agreeing;
}

static uint64_t report_exactly(const lotor_cube *law, const uint64_t *parts, size_t count,
                               uint64_t whole, lotor_source *source)
{
    uint64_t corner = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t part = lotor_steady_select(parts[i] < whole, parts[i], whole);
        corner |= (uint64_t)lotor_steady_bernoulli(source, part, whole) << i;
    }
    const bool inside = is_inside(law, source);
    size_t wrong = law->slots - draw_agreement(law, inside, source);
    for (size_t left = law->slots; left > 0; left--) { /* all sets of `wrong` places alike */
        const bool flips = lotor_steady_bernoulli(source, wrong, left);
        corner ^= (uint64_t)flips << (left - 1);
        wrong -= flips;
    }
    assert(wrong == 0);
    return corner;
}

/* --- the same law, up to rounding, in simulations ------------------------------------------------- */

static size_t simulate_agreement(const lotor_cube *law, lotor_noise *noise)
{
    const bool inside = lotor_random_uniform(noise->generator) < law->chance;
    size_t agreeing = inside ? law->threshold : 0;
    uint64_t rank = lotor_coin_below(noise, inside ? law->inside : law->outside);
    while (rank >= law->corners[agreeing]) {
        rank -= law->corners[agreeing];
        agreeing++;
        assert(agreeing <= law->slots);
    }
    return agreeing;
}

/* The rounded rewards: bit i is set if v_i = +1. */
static uint64_t simulate_rounding(const uint64_t *parts, size_t count, uint64_t whole,
                                  lotor_noise *noise)
{
    uint64_t corner = 0;
    for (size_t i = 0; i < count; i++) {
        const bool sure = parts[i] == 0 || parts[i] >= whole; /* above: in a forged state only */
        const bool up = sure ? parts[i] != 0 : lotor_coin_below(noise, whole) < parts[i];
        corner |= (uint64_t)up << i;
    }
    return corner;
}

static uint64_t report_fast(const lotor_cube *law, const uint64_t *parts, size_t count,
                            uint64_t whole, lotor_noise *noise)
{
    uint64_t corner = simulate_rounding(parts, count, whole, noise);
    size_t wrong = law->slots - simulate_agreement(law, noise);
    for (size_t left = law->slots; wrong > 0;
         left--) { /* all sets of `wrong` places are equally likely */
        if (wrong == left || lotor_coin_below(noise, left) < wrong) {
            corner ^= UINT64_C(1) << (left - 1);
            wrong--;
        }
    }
    return corner;
}

lotor_status lotor_cube_report(const lotor_cube *law, const uint64_t *parts, size_t count,
                               uint64_t whole, lotor_noise *noise, uint64_t *report)
{
    assert(count <= law->slots && whole > 0);
    *report = noise->generator ? report_fast(law, parts, count, whole, noise)
                               : report_exactly(law, parts, count, whole, noise->exact);
    return lotor_coin_status(noise);
}
