/* test_local.c - the randomizers for the person's device: their laws, exactly.
 *
 * The probabilities of the specification are computed here a second time and summed over all
 * reports. That shows privacy and unbiasedness without sampling. Then the exact and the simulated
 * samplers are compared with these probabilities, with SAMPLES draws each. They must not fit an
 * epsilon that is 10% off.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "privacy/local/cube.h"
#include "privacy/local/position.h"
#include "support/statistics.h"
#include "support/test_source.h"

static test_source source;
static lotor_generator generator;
static int64_t drawn[SAMPLES];

static lotor_noise noise_of(bool exact, uint64_t seed)
{
    test_source_seed(&source, seed);
    lotor_generator_seed(&generator, seed);
    return exact ? lotor_noise_exact(&source.source) : lotor_noise_simulated(&generator);
}

/* --- positions -------------------------------------------------------------------------------- */

typedef struct place_law {
    size_t slots, place;
    double epsilon;
} place_law;

/* P(report | position). */
static double place_mass(int64_t report, const void *law)
{
    const place_law *at = law;
    const double lies = (double)at->slots;
    if (report < 1 || report > (int64_t)at->slots + 1) {
        return 0.0;
    }
    return (report == (int64_t)at->place ? exp(at->epsilon) : 1.0) / (exp(at->epsilon) + lies);
}

static lotor_position position(size_t slots, lotor_ratio epsilon)
{
    lotor_position made;
    assert_int_equal(lotor_position_make(slots, epsilon, NULL, &made), LOTOR_OK);
    return made;
}

/* Summed over all reports: for every true position, the estimates for the item at k are
 * unbiased. */
TEST(places_are_estimated_without_bias)
{
    static const lotor_ratio epsilons[] = {{1, 10}, {1, 1}, {5, 2}, {30, 1}};
    for (size_t e = 0; e < 4; e++) {
        const double epsilon = lotor_ratio_to_double(epsilons[e]);
        for (size_t K = 1; K <= 8; K++) {
            const lotor_position law = position(K, epsilons[e]);
            const double p = exp(epsilon) / (exp(epsilon) + (double)K);
            const double q = 1.0 / (exp(epsilon) + (double)K);
            assert_true(fabs(law.truth / p - 1.0) < 1e-12);
            assert_true(fabs(law.spread * (p - q) - 1.0) < 1e-12);
            assert_true(fabs(law.share * (p - q) / q - 1.0) < 1e-11);
            for (size_t place = 1; place <= K + 1; place++) {
                const place_law at = {K, place, epsilon};
                for (size_t k = 1; k <= K; k++) { /* the item at k: clicked, observed */
                    double clicked = 0.0, observed = 0.0;
                    for (size_t y = 1; y <= K + 1; y++) {
                        const double mass = place_mass((int64_t)y, &at);
                        clicked += mass * (law.spread * (y == k) - law.share);
                        observed +=
                            mass * (law.spread * (y >= k) - law.share * (double)(K - k + 2));
                    }
                    const double rounding = 1e-13 * law.spread * (double)K;
                    assert_true(fabs(clicked - (place == k)) < rounding);
                    assert_true(fabs(observed - (place >= k)) < rounding);
                }
            }
        }
    }
}

static void draw_places(const place_law *at, lotor_ratio epsilon, bool exact)
{
    const lotor_position law = position(at->slots, epsilon);
    lotor_noise noise = noise_of(exact, 11 + at->place);
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t report;
        assert_int_equal(lotor_position_report(&law, at->place, &noise, &report), LOTOR_OK);
        drawn[i] = (int64_t)report;
    }
}

/* Every position in lists of 1, 4 and 7, at epsilon 1/2, 1 and 5/2. */
TEST(places_have_their_law)
{
    static const size_t slots[] = {1, 4, 7};
    static const lotor_ratio epsilons[] = {{1, 2}, {1, 1}, {5, 2}};
    for (size_t s = 0; s < 3; s++) {
        for (size_t place = 1; place <= slots[s] + 1; place++) {
            for (int exact = 0; exact <= 1; exact++) {
                const double epsilon = lotor_ratio_to_double(epsilons[s]);
                const place_law at = {slots[s], place, epsilon};
                const place_law less = {slots[s], place, 0.9 * epsilon};
                const place_law more = {slots[s], place, 1.1 * epsilon};
                draw_places(&at, epsilons[s], exact);
                assert_true(chi_square_test(drawn, SAMPLES, place_mass, &at) > P_ACCEPT);
                assert_true(chi_square_test(drawn, SAMPLES, place_mass, &less) < P_ACCEPT);
                assert_true(chi_square_test(drawn, SAMPLES, place_mass, &more) < P_ACCEPT);
            }
        }
    }
}

/* --- corners ---------------------------------------------------------------------------------- */

/* Computed in Python with fractions: K, epsilon, tau, N, B. Ties in B do not occur here. */
static const struct {
    size_t slots;
    lotor_ratio epsilon;
    size_t threshold;
    uint64_t inside;
    double bias;
} corners[] = {
    {1, {1, 1}, 1, 1, 2.163953413739},
    {2, {1, 1}, 2, 1, 3.327906827477},
    {3, {1, 1}, 2, 4, 4.327906827477},
    {4, {1, 1}, 3, 5, 4.770542436636},
    {4, {1, 10}, 3, 5, 52.37777037213},
    {5, {2, 1}, 4, 6, 2.752141141997},
    {8, {1, 2}, 5, 93, 13.9320710037},
    {16, {1, 1}, 9, 26333, 10.01918033588},
    {16, {10, 1}, 15, 17, 1.331697658854},
    {64, {1, 1}, 34, UINT64_C(6529969890317938205), 20.05806973062},
    {64, {20, 1}, 53, UINT64_C(927740240713), 1.568329156657},
    {64, {44, 1}, 63, 65, 1.054529611914},
    {64, {100, 1}, 64, 1, 1.0},
};
enum { CORNERS = sizeof corners / sizeof *corners };

static lotor_cube cube(size_t slots, lotor_ratio epsilon)
{
    lotor_cube made;
    assert_int_equal(lotor_cube_make(slots, epsilon, NULL, &made), LOTOR_OK);
    return made;
}

TEST(thresholds_are_the_best)
{
    for (size_t i = 0; i < CORNERS; i++) {
        const lotor_cube law = cube(corners[i].slots, corners[i].epsilon);
        assert_int_equal(law.threshold, corners[i].threshold);
        assert_true(law.inside == corners[i].inside);
        assert_true(fabs(law.bias / corners[i].bias - 1.0) < 1e-11);
        /* all corners are counted: 2^64 is 0 in 64 bits */
        const uint64_t all = law.slots == 64 ? 0 : UINT64_C(1) << law.slots;
        assert_true(law.inside + law.outside == all);
    }
}

typedef struct corner_law {
    size_t slots, threshold;
    uint64_t truth;
    double epsilon;
} corner_law;

/* P(report | rounded rewards). */
static double corner_mass(int64_t report, const void *law)
{
    const corner_law *at = law;
    double total = 0.0, mine = 0.0;
    for (uint64_t z = 0; z < UINT64_C(1) << at->slots; z++) {
        const size_t agreeing = at->slots - (size_t)__builtin_popcountll(z ^ at->truth);
        const double weight = agreeing >= at->threshold ? 1.0 : exp(-at->epsilon);
        total += weight;
        mine = z == (uint64_t)report ? weight : mine;
    }
    return mine / total;
}

/* Summed over all corners: the ratio between any two inputs is at most e^epsilon, and is attained.
 * Every slot is unbiased, whatever the others are. K up to 6, even and odd. */
TEST(corners_are_private_and_unbiased)
{
    static const lotor_ratio epsilons[] = {{1, 10}, {1, 1}, {3, 1}};
    for (size_t e = 0; e < 3; e++) {
        for (size_t K = 1; K <= 6; K++) {
            const double epsilon = lotor_ratio_to_double(epsilons[e]);
            const lotor_cube law = cube(K, epsilons[e]);
            const uint64_t all = UINT64_C(1) << K;
            double mass[64][64], worst = 0.0;
            for (uint64_t v = 0; v < all; v++) {
                const corner_law at = {K, law.threshold, v, epsilon};
                for (uint64_t z = 0; z < all; z++) {
                    mass[v][z] = corner_mass((int64_t)z, &at);
                }
                for (size_t i = 0; i < K; i++) {
                    double mean = 0.0;
                    for (uint64_t z = 0; z < all; z++) {
                        mean += mass[v][z] * 0.5 * (1.0 + law.bias * (z >> i & 1 ? 1.0 : -1.0));
                    }
                    assert_true(fabs(mean - (double)(v >> i & 1)) < 1e-12 * law.bias);
                }
            }
            for (uint64_t v = 0; v < all; v++) {
                for (uint64_t w = 0; w < all; w++) {
                    for (uint64_t z = 0; z < all; z++) {
                        worst = fmax(worst, log(mass[v][z] / mass[w][z]));
                    }
                }
            }
            assert_true(fabs(worst - epsilon) < 1e-12);
        }
    }
}

/* Draws reports of the corner `truth`, as rewards of 0 and 1. */
static void draw_corners(const lotor_cube *law, uint64_t truth, bool exact)
{
    lotor_noise noise = noise_of(exact, 31 + truth);
    uint64_t parts[LOTOR_CUBE_MAX];
    for (size_t i = 0; i < law->slots; i++) {
        parts[i] = truth >> i & 1 ? 10 : 0;
    }
    for (size_t i = 0; i < SAMPLES; i++) {
        uint64_t report;
        assert_int_equal(lotor_cube_report(law, parts, law->slots, 10, &noise, &report), LOTOR_OK);
        drawn[i] = (int64_t)report;
    }
}

/* Without doublings in the exact sampler, and with up to 4 of them. */
TEST(corners_have_their_law)
{
    static const struct {
        size_t slots;
        lotor_ratio epsilon;
    } cases[] = {{1, {1, 1}}, {2, {1, 1}}, {3, {1, 1}}, {4, {1, 2}}, {5, {5, 2}}, {6, {9, 2}}};
    unsigned doublings = 0;
    for (size_t c = 0; c < 6; c++) {
        const lotor_cube law = cube(cases[c].slots, cases[c].epsilon);
        const double epsilon = lotor_ratio_to_double(cases[c].epsilon);
        doublings = law.doublings > doublings ? law.doublings : doublings;
        for (int exact = 0; exact <= 1; exact++) {
            const uint64_t truth = 5 % (UINT64_C(1) << law.slots);
            const corner_law at = {law.slots, law.threshold, truth, epsilon};
            corner_law less = at, more = at;
            less.epsilon *= 0.9;
            more.epsilon *= 1.1;
            draw_corners(&law, truth, exact);
            assert_true(chi_square_test(drawn, SAMPLES, corner_mass, &at) > P_ACCEPT);
            assert_true(chi_square_test(drawn, SAMPLES, corner_mass, &less) < P_ACCEPT);
            assert_true(chi_square_test(drawn, SAMPLES, corner_mass, &more) < P_ACCEPT);
        }
    }
    assert_true(doublings >= 3);
}

/* Rewards between 0 and 1, and slots without a reward, which count as 0: each slot's mean is within
 * six standard deviations, B/2 / sqrt(SAMPLES). */
TEST(rewards_in_between_are_rounded_fairly)
{
    const lotor_cube law = cube(4, lotor_ratio_of(1, 1));
    static const uint64_t parts[] = {3, 12, 7};
    static const double means[] = {0.25, 1.0, 7.0 / 12.0, 0.0};
    for (int exact = 0; exact <= 1; exact++) {
        double sums[4] = {0.0};
        lotor_noise noise = noise_of(exact, 41);
        for (size_t i = 0; i < SAMPLES; i++) {
            uint64_t report;
            assert_int_equal(lotor_cube_report(&law, parts, 3, 12, &noise, &report), LOTOR_OK);
            for (size_t slot = 0; slot < 4; slot++) {
                sums[slot] += 0.5 * (1.0 + law.bias * (report >> slot & 1 ? 1.0 : -1.0));
            }
        }
        for (size_t slot = 0; slot < 4; slot++) {
            const double off = 6.0 * 0.5 * law.bias / sqrt(SAMPLES);
            assert_true(fabs(sums[slot] / (double)SAMPLES - means[slot]) < off);
        }
    }
}

/* 64 slots, from a small epsilon to one at which only the true corner is inside. The exact sampler
 * must not try corner after corner, which would never end. Shares of 2,000 reports (20 if a report
 * takes long) are within six standard deviations. */
TEST(large_cubes_are_drawn_too)
{
    static const struct {
        lotor_ratio epsilon;
        size_t reports;
    } cases[] = {{{1, 10}, 2000}, {{1, 1}, 2000}, {{20, 1}, 2000}, {{44, 1}, 20}, {{70, 1}, 2000}};
    uint64_t parts[LOTOR_CUBE_MAX];
    for (size_t i = 0; i < LOTOR_CUBE_MAX; i++) {
        parts[i] = i % 3 == 0;
    }
    for (size_t c = 0; c < 5; c++) {
        const lotor_cube law = cube(64, cases[c].epsilon);
        const double n = (double)cases[c].reports;
        for (int exact = 0; exact <= 1; exact++) {
            lotor_noise noise = noise_of(exact, 51);
            double inside = 0.0;
            for (size_t i = 0; i < cases[c].reports; i++) {
                uint64_t report;
                size_t agreeing = 0;
                assert_int_equal(lotor_cube_report(&law, parts, 64, 1, &noise, &report), LOTOR_OK);
                for (size_t slot = 0; slot < 64; slot++) {
                    agreeing += (report >> slot & 1) == parts[slot];
                }
                inside += agreeing >= law.threshold;
            }
            const double off = 6.0 * sqrt(law.chance * (1.0 - law.chance) / n);
            assert_true(fabs(inside / n - law.chance) <= off + 1e-9);
        }
    }
}

/* --- refusals --------------------------------------------------------------------------------- */

TEST(nonsense_is_refused)
{
    lotor_message why;
    lotor_position place;
    lotor_cube corner;
    const lotor_ratio one = lotor_ratio_of(1, 1), none = lotor_ratio_of(0, 1);
    assert_int_equal(lotor_position_make(0, one, &why, &place), LOTOR_INVALID);
    assert_int_equal(lotor_position_make(3, none, &why, &place), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "epsilon"));
    assert_int_equal(lotor_cube_make(0, one, &why, &corner), LOTOR_INVALID);
    assert_int_equal(lotor_cube_make(65, one, &why, &corner), LOTOR_INVALID);
    assert_non_null(strstr(why.text, "65 rewards"));
    assert_non_null(strstr(why.text, "1 to 64"));
    assert_int_equal(lotor_cube_make(3, none, &why, &corner), LOTOR_INVALID);
    assert_int_equal(lotor_cube_make(3, lotor_ratio_of(1, 0), &why, &corner), LOTOR_INVALID);
}

/* At infinity a position is the true one, without randomness. Without entropy there is no
 * report. */
TEST(coins_are_needed_and_counted)
{
    size_t report = 0;
    uint64_t corner;
    const uint64_t part = 1;
    lotor_noise noise = noise_of(true, 61);
    source.refills_left = 0;
    const lotor_position sure = position(4, lotor_ratio_of(1, 0));
    assert_true(sure.truth == 1.0 && sure.spread == 1.0 && sure.share == 0.0);
    for (size_t place = 1; place <= 5; place++) {
        assert_int_equal(lotor_position_report(&sure, place, &noise, &report), LOTOR_OK);
        assert_int_equal(report, place);
    }
    const lotor_position law = position(4, lotor_ratio_of(1, 1));
    assert_int_equal(lotor_position_report(&law, 2, &noise, &report), LOTOR_ENTROPY);
    const lotor_cube box = cube(4, lotor_ratio_of(1, 1));
    noise = noise_of(true, 62);
    source.refills_left = 0;
    assert_int_equal(lotor_cube_report(&box, &part, 1, 2, &noise, &corner), LOTOR_ENTROPY);
}
