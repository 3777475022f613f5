/* test_noise_tails.c - the noise of releases has its tails.
 *
 * Noise that is cut at 8 scales has nearly the right variance, and passes a test of the law with
 * 10^5 draws. But a number beyond the cut would reveal the data. So the tests count the draws
 * beyond 6, 8 and 10 scales (Gaussian: 3, 4 and 5 sigma) in millions of draws, and compare the
 * counts with the law.
 *
 * A count x of n draws, each beyond with probability p, is accepted if n KL(x/n || p) <= log(2/a).
 * By Chernoff's bound a right law fails with probability at most a = 10^-6 per count. The seeds are
 * fixed, so this is the probability that a seed is unlucky. If 15 or
 * more are expected and there are none, the count is refused. Each test also cuts its own draws, and
 * must then refuse them.
 */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lab/verify_drive.h"
#include "privacy/noise/noise.h"
#include "support/test_source.h"

enum { DRAWS = 2000000, GAUSSIAN_DRAWS = 30000000, CHUNK = 1000, COUNTS = 3 };
static const double UNLUCKY = 1e-6;

/* --- the verdict ------------------------------------------------------------------------------- */

/* x log(x/y), 0 at x = 0. */
static double weighed_log(double x, double y)
{
    return x > 0.0 ? x * log(x / y) : 0.0;
}

static bool is_plausible(uint64_t beyond, uint64_t draws, double p)
{
    const double n = (double)draws, share = (double)beyond / n;
    const double distance = weighed_log(share, p) + weighed_log(1.0 - share, 1.0 - p);
    return n * distance <= log(2.0 / UNLUCKY);
}

/* The least and the largest plausible count. */
static uint64_t bound(uint64_t draws, double p, bool is_upper)
{
    uint64_t at = (uint64_t)llrint((double)draws * p);
    while (is_upper ? is_plausible(at + 1, draws, p) : at > 0 && is_plausible(at - 1, draws, p)) {
        at = is_upper ? at + 1 : at - 1;
    }
    return at;
}

TEST(verdicts_fit_the_binomial_law)
{
    assert_true(is_plausible(90, DRAWS, 90.0 / (double)DRAWS));
    assert_false(is_plausible(0, DRAWS, 15.0 / (double)DRAWS));
    assert_true(is_plausible(0, DRAWS, 14.0 / (double)DRAWS));
    assert_false(is_plausible(671 * 3 / 4, DRAWS, 671.0 / (double)DRAWS));
    assert_false(is_plausible(671 * 4 / 3, DRAWS, 671.0 / (double)DRAWS));
}

/* --- the laws ---------------------------------------------------------------------------------- */

typedef enum noise_path {
    PATH_EXACT,         /* lotor_noise_add with a byte source */
    PATH_EXACT_WIDE,    /* lotor_noise_add_wide: sparse vector and reports of devices */
    PATH_SIMULATED,     /* lotor_noise_add with a generator */
    PATH_SIMULATED_ONE, /* lotor_noise_add_one, inlined */
} noise_path;

typedef struct sample {
    const char *name;
    lotor_law law;
    noise_path path;
    uint64_t scale;
    uint64_t draws;
    double scales[COUNTS]; /* counts the draws beyond so many scales */
    double cut;            /* the cut that must be seen */
} sample;

/* P(|X| > `scales` scales). A simulated number is a continuous one, rounded to whole units. */
static double tail(const sample *of, double scales)
{
    const double scale = (double)of->scale, least = floor(scales * scale) + 1.0;
    const bool is_exact = of->path == PATH_EXACT || of->path == PATH_EXACT_WIDE;
    if (of->law == LOTOR_LAW_LAPLACE) {
        return is_exact ? 2.0 * exp(-least / scale) / (1.0 + exp(-1.0 / scale))
                        : exp(-(least - 0.5) / scale);
    }
    if (!is_exact) {
        return erfc((least - 0.5) / scale / sqrt(2.0));
    }
    double beyond = 0.0, all = 0.0;
    for (double x = -12.0 * scale; x <= 12.0 * scale; x++) {
        const double mass = exp(-0.5 * (x / scale) * (x / scale));
        all += mass;
        beyond += fabs(x) >= least ? mass : 0.0;
    }
    return beyond / all;
}

static void fill(const sample *of, lotor_noise *noise, int64_t *numbers)
{
    memset(numbers, 0, CHUNK * sizeof *numbers);
    if (of->path == PATH_EXACT || of->path == PATH_SIMULATED) {
        assert_int_equal(lotor_noise_add(noise, of->law, of->scale, CHUNK, numbers), LOTOR_OK);
        return;
    }
    for (size_t i = 0; i < CHUNK; i++) {
        if (of->path == PATH_SIMULATED_ONE) {
            assert_int_equal(lotor_noise_add_one(noise, of->law, of->scale, &numbers[i]), LOTOR_OK);
        } else {
            lotor_i128 wide;
            assert_int_equal(lotor_noise_add_wide(noise, LOTOR_USE_QUERY, of->scale, 0, &wide),
                             LOTOR_OK);
            numbers[i] = (int64_t)wide;
        }
    }
}

typedef struct counts {
    uint64_t draws, beyond[COUNTS];
} counts;

static void count(const sample *of, double size, counts *into)
{
    for (size_t k = 0; k < COUNTS; k++) {
        into->beyond[k] += size > of->scales[k] * (double)of->scale;
    }
}

static bool fits(const sample *of, const counts *counted)
{
    bool fine = true;
    for (size_t k = 0; k < COUNTS; k++) {
        fine = fine && is_plausible(counted->beyond[k], counted->draws, tail(of, of->scales[k]));
    }
    return fine;
}

static void print_counts(const sample *of, const counts *counted)
{
    print_message("%-36s %9llu draws; beyond", of->name, (unsigned long long)counted->draws);
    for (size_t k = 0; k < COUNTS; k++) {
        const double p = tail(of, of->scales[k]);
        print_message("%s %.0f: %llu (law %.1f, accepted %llu to %llu)", k > 0 ? ";" : "",
                      of->scales[k], (unsigned long long)counted->beyond[k],
                      (double)counted->draws * p,
                      (unsigned long long)bound(counted->draws, p, false),
                      (unsigned long long)bound(counted->draws, p, true));
    }
    print_message("\n");
}

/* Checks the draws, both tails, and that the same draws are refused if they are cut: moved to the
 * cut, or left out; and if they are 0.9 or 1.1 times as large. */
static void check_tails(const sample *of, uint64_t seed)
{
    static test_source source;
    static int64_t numbers[CHUNK];
    test_source_seed(&source, seed);
    lotor_generator generator;
    lotor_generator_seed(&generator, seed);
    lotor_noise noise = of->path == PATH_EXACT || of->path == PATH_EXACT_WIDE
                            ? lotor_noise_exact(&source.source)
                            : lotor_noise_simulated(&generator);
    const counts none = {.draws = of->draws};
    counts right = none, moved = none, left_out = none, narrow = none, wide = none;
    counts sides[2] = {none, none};
    const double cut = of->cut * (double)of->scale;
    const double least = of->scales[0] * (double)of->scale / 1.1;
    for (uint64_t drawn = 0; drawn < of->draws; drawn += CHUNK) {
        fill(of, &noise, numbers);
        for (size_t i = 0; i < CHUNK; i++) {
            const double size = fabs((double)numbers[i]);
            if (size < least) {
                continue; /* in no count */
            }
            count(of, size, &right);
            count(of, size, &sides[numbers[i] < 0]);
            count(of, floor(0.9 * size), &narrow);
            count(of, floor(1.1 * size), &wide);
            count(of, size < cut ? size : cut, &moved);
            count(of, size <= cut ? size : 0.0, &left_out);
            left_out.draws -= size > cut;
        }
    }
    print_counts(of, &right);
    assert_true(fits(of, &right));
    assert_false(fits(of, &moved));
    assert_false(fits(of, &left_out));
    assert_false(fits(of, &narrow));
    assert_false(fits(of, &wide));
    for (size_t k = 0; k < COUNTS; k++) {
        const double half = 0.5 * tail(of, of->scales[k]);
        assert_true(is_plausible(sides[0].beyond[k], of->draws, half));
        assert_true(is_plausible(sides[1].beyond[k], of->draws, half));
    }
}

static const sample laplaces[] = {
    {"Laplace, exact, scale 1", LOTOR_LAW_LAPLACE, PATH_EXACT, 1, DRAWS, {6, 8, 10}, 8},
    {"Laplace, exact, scale 1000", LOTOR_LAW_LAPLACE, PATH_EXACT, 1000, DRAWS, {6, 8, 10}, 8},
    {"Laplace, exact, scale 2^57 - 1",
     LOTOR_LAW_LAPLACE,
     PATH_EXACT,
     (UINT64_C(1) << 57) - 1,
     DRAWS,
     {6, 8, 10},
     8},
    {"Laplace, exact, 128 bits", LOTOR_LAW_LAPLACE, PATH_EXACT_WIDE, 1000, DRAWS, {6, 8, 10}, 8},
    {"Laplace, simulated", LOTOR_LAW_LAPLACE, PATH_SIMULATED, 1000, DRAWS, {6, 8, 10}, 8},
    {"Laplace, simulated, one by one",
     LOTOR_LAW_LAPLACE,
     PATH_SIMULATED_ONE,
     1000,
     DRAWS,
     {6, 8, 10},
     8},
};

TEST(laplace_noise_has_its_tails)
{
    for (size_t i = 0; i < sizeof laplaces / sizeof *laplaces; i++) {
        check_tails(&laplaces[i], 300 + i);
    }
}

static const sample gaussians[] = {
    {"Gaussian, exact", LOTOR_LAW_GAUSSIAN, PATH_EXACT, 1000, GAUSSIAN_DRAWS, {3, 4, 5}, 5},
    {"Gaussian, simulated", LOTOR_LAW_GAUSSIAN, PATH_SIMULATED, 1000, GAUSSIAN_DRAWS, {3, 4, 5}, 5},
    {"Gaussian, simulated, one by one",
     LOTOR_LAW_GAUSSIAN,
     PATH_SIMULATED_ONE,
     1000,
     GAUSSIAN_DRAWS,
     {3, 4, 5},
     5},
};

TEST(gaussian_noise_has_its_tails)
{
    for (size_t i = 0; i < sizeof gaussians / sizeof *gaussians; i++) {
        check_tails(&gaussians[i], 400 + i);
    }
}

/* --- dictated draws ---------------------------------------------------------------------------- */

/* No number of draws shows a cut at 8 sigma, or at 30 scales. But the sampler does not choose where
 * its words come from: with the words of such a draw, it must make that draw. */
TEST(far_laplace_draws_are_possible)
{
    static const uint64_t scales[] = {1000, UINT64_C(1) << 50};
    static lotor_drive drive;
    for (size_t i = 0; i < 2; i++) {
        const int64_t scale = (int64_t)scales[i];
        for (int64_t far = -64; far <= 64; far++) {
            const int64_t wanted = far * scale + far;
            lotor_drive_start(&drive);
            lotor_drive_draw(&drive, wanted, scales[i]);
            lotor_drive_draw(&drive, -wanted, scales[i]);
            lotor_noise noise = lotor_drive_noise(&drive);
            int64_t number = 5;
            lotor_i128 wide;
            assert_int_equal(lotor_noise_add(&noise, LOTOR_LAW_LAPLACE, scales[i], 1, &number),
                             LOTOR_OK);
            assert_int_equal(number, 5 + wanted);
            assert_int_equal(lotor_noise_add_wide(&noise, LOTOR_USE_QUERY, scales[i], 5, &wide),
                             LOTOR_OK);
            assert_true(wide == 5 - wanted);
            assert_true(lotor_drive_is_done(&drive));
        }
    }
}

/* A discrete Gaussian draw (exact.c) uses random words in this order: those of a discrete Laplace
 * candidate of scale t = sigma + 1, then those of some coins. The exponent is
 * (|Y| t - sigma^2)^2 / (2 sigma^2 t^2). Each of its whole units but the last has a coin of e^-1. The
 * last coin is for the rest. */
TEST(far_gaussian_draws_are_possible)
{
    static const uint64_t NO = UINT64_MAX, YES = UINT64_C(1) << 62;
    static test_source source;
    static uint64_t words[2048];
    const int64_t sigma = 1000, t = sigma + 1;
    for (int64_t far = -40; far <= 40; far++) {
        const bool is_negative = far < 0;
        const int64_t turns = is_negative ? -far : far, size = turns * t + 1; /* the offset is 1 */
        size_t count = 0;
        words[count++] = (2 + is_negative) * (UINT64_MAX / (uint64_t)(2 * t)) + 4000;
        words[count++] = NO;
        for (int64_t i = 0; i < turns; i++) {
            words[count++] = YES;
        }
        words[count++] = NO;
        const int64_t distance = size * t - sigma * sigma;
        const int64_t units = (distance * distance - 1) / (2 * sigma * sigma * t * t);
        for (int64_t i = 0; i < units; i++) {
            words[count++] = YES;
        }
        words[count++] = NO;
        test_source_script(&source, words, count, 1);
        lotor_noise noise = lotor_noise_exact(&source.source);
        int64_t number = 0;
        assert_int_equal(lotor_noise_add(&noise, LOTOR_LAW_GAUSSIAN, (uint64_t)sigma, 1, &number),
                         LOTOR_OK);
        assert_int_equal(number, is_negative ? -size : size);
        assert_int_equal(test_source_words(&source), count);
    }
}
