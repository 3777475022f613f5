/* test_agreement_sets.c - compares semi-bandits and cascades with tests/plain: see
 * support/agreement.h. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>

#include "policy/catalog.h"
#include "support/agreement.h"

enum { ROWS = 64 };

typedef struct setting {
    size_t arms, slots;
    uint64_t horizon;
    lotor_ratio epsilon;
    double noise_scale;
    bool clip;
} setting;

/* Half of the arms have high means, half low ones, no two the same. So random sets cost much, and
 * confusing arms of similar rank costs little. */
static void spread_means(size_t arms, double *means)
{
    for (size_t i = 0; i < arms; i++) {
        means[i] = 0.1 + 0.02 * (double)i + (i % 2 ? 0.5 : 0.0);
    }
}

/* The value of a set: in a cascade the probability of a click. */
static double value_of(unsigned set, const setting *at, const double *means, bool is_cascade)
{
    double sum = 0.0, missed = 1.0;
    for (size_t i = 0; i < at->arms; i++) {
        if (set >> i & 1) {
            sum += means[i];
            missed *= 1.0 - means[i];
        }
    }
    return is_cascade ? 1.0 - missed : sum;
}

/* The regret of showing random sets, averaged over all sets. */
static double random_regret(const setting *at, const double *means, bool is_cascade)
{
    double best = 0.0, sum = 0.0, sets = 0.0;
    for (unsigned set = 0; set < 1U << at->arms; set++) {
        if ((size_t)__builtin_popcount(set) == at->slots) {
            const double value = value_of(set, at, means, is_cascade);
            best = fmax(best, value);
            sum += value;
            sets += 1.0;
        }
    }
    return (best - sum / sets) * (double)at->horizon;
}

typedef struct tally {
    bool learned[ROWS]; /* in some setting its regret is below half of that of random sets */
    bool varied[ROWS];  /* in some setting its runs differ */
} tally;

static void compare_row(const lotor_algorithm *row, const setting *at, tally *seen)
{
    double means[8];
    lotor_world *world;
    spread_means(at->arms, means);
    assert_int_equal(lotor_world_bernoulli(at->arms, means, NULL, &world), LOTOR_OK);
    const plain_setting plain = {.algorithm = row->id,
                                 .arms = at->arms,
                                 .means = means,
                                 .horizon = at->horizon,
                                 .epsilon = lotor_ratio_to_double(at->epsilon),
                                 .slots = at->slots,
                                 .noise_scale = at->noise_scale,
                                 .clip = at->clip};
    const lotor_experiment trial = {.world = world,
                                    .runs = 600,
                                    .seed = 5,
                                    .checkpoints = 2,
                                    .noise_scale = at->noise_scale,
                                    .policy = {.algorithm = row->id,
                                               .arms = at->arms,
                                               .slots = at->slots,
                                               .horizon = at->horizon,
                                               .epsilon = at->epsilon,
                                               .clip = at->clip}};
    const estimate found = library_estimate(&trial);
    const estimate expected = plain_estimate(&plain, 150);
    char what[160];
    snprintf(what, sizeof what, "%s, %zu of %zu arms, epsilon %g, noise scale %g%s", row->id,
             at->slots, at->arms, plain.epsilon, at->noise_scale, at->clip ? ", clipped" : "");
    expect_agreement(what, expected, found);
    const size_t c = (size_t)(row - lotor_algorithms);
    const double random = random_regret(at, means, row->problem == LOTOR_PROBLEM_CASCADE);
    seen->learned[c] = seen->learned[c] || expected.mean < 0.5 * random;
    seen->varied[c] = seen->varied[c] || (expected.error > 0.1 && found.error > 0.1);
    lotor_world_free(world);
}

static void compare_all(lotor_problem problem, const setting *settings, size_t count)
{
    tally seen = {{false}, {false}};
    assert_true(lotor_algorithms_size <= ROWS);
    for (size_t c = 0; c < lotor_algorithms_size; c++) {
        const lotor_algorithm *row = &lotor_algorithms[c];
        if (row->problem != problem) {
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            if (settings[i].noise_scale == 1.0 || row->starts_exact) {
                compare_row(row, &settings[i], &seen);
            }
        }
        if (!seen.learned[c] || !seen.varied[c]) {
            fail_msg("%s never learns, or always the same", row->id);
        }
    }
}

static const lotor_ratio infinite = {1, 0};

/* No noise; much noise; and an epsilon so large that even algorithms with very large widths learn.
 * One slot, several, all but one. Scaled noise is for the algorithms of Wang et al. 2022. */
TEST(semi_bandits_agree)
{
    const setting settings[] = {
        {6, 2, 1500, infinite, 1.0, false},   {6, 2, 1500, {1, 1}, 1.0, false},
        {8, 3, 1500, {30, 1}, 1.0, false},    {5, 1, 1000, {20, 1}, 1.0, false},
        {6, 2, 1500, {10000, 1}, 1.0, false}, {8, 7, 1000, {100, 1}, 1.0, false},
        {6, 3, 1500, {500, 1}, 1.0, true},    {6, 2, 1000, {1, 2}, 0.01, false},
    };
    compare_all(LOTOR_PROBLEM_SEMIBANDIT, settings, sizeof settings / sizeof *settings);
}

TEST(cascades_agree)
{
    const setting settings[] = {
        {6, 2, 1500, infinite, 1.0, false},    {6, 2, 1500, {1, 1}, 1.0, false},
        {8, 3, 1500, {100, 1}, 1.0, false},    {5, 1, 1000, {20, 1}, 1.0, false},
        {6, 2, 1500, {100000, 1}, 1.0, false}, {6, 3, 1500, {500, 1}, 1.0, true},
        {6, 2, 1500, {1, 2}, 0.01, false},     {8, 4, 1000, {2, 1}, 0.01, true},
    };
    compare_all(LOTOR_PROBLEM_CASCADE, settings, sizeof settings / sizeof *settings);
}
