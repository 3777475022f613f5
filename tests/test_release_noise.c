/* test_release_noise.c - the noise of the outputs is the noise of the guarantee.
 *
 * The test uses only the public outputs. It compares variances of released sums with their
 * formulas, and variances of differences of consecutive releases (to detect reused noise). There
 * are REPEATS = 20,000 streams per mechanism. The sample variance of a sum of Laplace draws has
 * relative deviation at most sqrt(5/REPEATS) = 1.6% (kurtosis at most 6). So 8% is 5 deviations: a
 * false alarm once in a million. Half the noise is off by 75%, one level too few by at least 14%.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "privacy/release/sparse.h"
#include "privacy/release/statistic.h"
#include "privacy/release/tree.h"
#include "support/test_source.h"

enum { REPEATS = 20000, STEPS = 100, UNIT = 1 << 20 };
#define TOLERANCE 0.08

static test_source source;

typedef double variance_formula(uint64_t t, double scale);

static double popcount(uint64_t t)
{
    return (double)__builtin_popcountll(t);
}

/* In units of (sensitivity/epsilon)^2. Tree of STEPS = 100 values: 7 levels (ALGORITHMS, 1). */
static double tree_variance(uint64_t t, double scale)
{
    (void)scale;
    return 2.0 * popcount(t) * 49.0;
}

static double tree_step_variance(uint64_t t, double scale) /* out(t) - out(t-1) */
{
    (void)scale;
    return 2.0 * (__builtin_ctzll(t) + 1) * 49.0;
}

static double hybrid_variance(uint64_t t, double scale)
{
    (void)scale;
    const unsigned k = lotor_tree_levels(t) - 1;
    return 8.0 * (k + 1) + 8.0 * k * k * popcount(t - (UINT64_C(1) << k));
}

/* Within a block of length 2^k the step drops ctz(j) nodes and adds one; at t = 2^k it drops all
 * k-1 nodes of the tree of 2^(k-1) - 1 values (node scale 2(k-1)) and adds one block. */
static double hybrid_step_variance(uint64_t t, double scale)
{
    (void)scale;
    const unsigned k = lotor_tree_levels(t) - 1;
    const uint64_t j = t - (UINT64_C(1) << k);
    if (j == 0) {
        return k == 0 ? 8.0 : 8.0 + 8.0 * (k - 1) * (k - 1) * (k - 1);
    }
    return 8.0 * k * k * (__builtin_ctzll(j) + 1);
}

static double batch_variance(uint64_t t, double scale) /* one noise per closed batch */
{
    (void)scale;
    return 2.0 * (lotor_tree_levels(t + 1) - 1);
}

static double batch_step_variance(uint64_t t, double scale)
{
    (void)scale;
    return ((t + 1) & t) == 0 ? 2.0 : 0.0;
}

static double gaussian_variance(uint64_t t, double scale) /* scale is sigma of one node */
{
    return popcount(t) * scale * scale;
}

static double gaussian_step_variance(uint64_t t, double scale)
{
    return (__builtin_ctzll(t) + 1) * scale * scale;
}

static const struct {
    const char *id;
    variance_formula *variance, *step_variance;
} formulas[] = {
    {"tree", tree_variance, tree_step_variance},
    {"hybrid", hybrid_variance, hybrid_step_variance},
    {"batch", batch_variance, batch_step_variance},
    {"gaussian-tree", gaussian_variance, gaussian_step_variance},
};

static void expect_variance(double sum_of_squares, double expected)
{
    const double measured = sum_of_squares / (double)REPEATS / ((double)UNIT * (double)UNIT);
    assert_true(fabs(measured - expected) <= TOLERANCE * expected);
}

static void check_variances(const lotor_statistic_kind *kind, variance_formula *variance,
                            variance_formula *step_variance, lotor_noise *noise)
{
    const lotor_release_params params = {
        .dimension = 1,
        .horizon = STEPS,
        .epsilon = lotor_ratio_of(1, 1),
        .delta = kind->law == LOTOR_LAW_GAUSSIAN ? lotor_ratio_of(1, 100000) : lotor_ratio_of(0, 1),
        .l1 = UNIT,
        .l2 = UNIT,
        .magnitude = UNIT,
    };
    static double squares[STEPS + 1], step_squares[STEPS + 1];
    memset(squares, 0, sizeof squares);
    memset(step_squares, 0, sizeof step_squares);
    const int64_t zero = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        lotor_statistic *made;
        assert_int_equal(lotor_statistic_new(kind, 1, &params, 1.0, NULL, &made), LOTOR_OK);
        double previous = 0.0;
        for (uint64_t t = 1; t <= STEPS; t++) {
            assert_int_equal(lotor_statistic_add(made, &zero, noise), LOTOR_OK);
            const double released = (double)lotor_statistic_running(made).sum[0];
            squares[t] += released * released;
            step_squares[t] += (released - previous) * (released - previous);
            previous = released;
        }
        lotor_statistic_free(made);
    }
    /* A(1, 1e-5) * sqrt(7 levels): A is 1.084 times the analytic 3.7303, as test_account checks. */
    const double sigma = 1.0843 * 3.7303 * sqrt(7.0);
    for (uint64_t t = 1; t <= STEPS; t++) {
        expect_variance(squares[t], variance(t, sigma));
        expect_variance(step_squares[t], step_variance(t, sigma));
    }
}

TEST(exact_noise_has_the_promised_variance)
{
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        test_source_seed(&source, 20 + i);
        lotor_noise noise = lotor_noise_exact(&source.source);
        check_variances(lotor_statistic_counter(formulas[i].id), formulas[i].variance,
                        formulas[i].step_variance, &noise);
    }
}

TEST(simulated_noise_has_the_same)
{
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        lotor_generator generator;
        lotor_generator_seed(&generator, 30 + i);
        lotor_noise noise = lotor_noise_simulated(&generator);
        check_variances(lotor_statistic_counter(formulas[i].id), formulas[i].variance,
                        formulas[i].step_variance, &noise);
    }
}

TEST(every_counter_has_a_formula)
{
    for (size_t m = 0; lotor_statistics[m]; m++) {
        if (!lotor_statistics[m]->counter) {
            continue;
        }
        size_t found = 0;
        for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
            found += strcmp(formulas[i].id, lotor_statistics[m]->counter) == 0;
        }
        assert_int_equal(found, 1);
    }
}

/* --- sparse vector -------------------------------------------------------------------------- */

/* P(A - B >= gap) for independent discrete Laplace A, B of scale b, by direct summation. */
static double above_probability(int64_t gap, double b)
{
    double total = 0.0, mass = 0.0;
    const int reach = (int)(30.0 * b);
    for (int x = -reach; x <= reach; x++) {
        mass += exp(-abs(x) / b);
    }
    for (int x = -reach; x <= reach; x++) {
        const int64_t y = x - gap; /* B <= A - gap */
        const double ratio = exp(-1.0 / b);
        const double cdf = y < 0 ? exp((double)y / b) / (1.0 + ratio)
                                 : 1.0 - exp(-((double)y + 1.0) / b) / (1.0 + ratio);
        total += exp(-abs(x) / b) / mass * cdf;
    }
    return total;
}

/* The scale is 3 * 10 / (1/2) = 60 units. 20,000 queries: deviation at most 0.0036, so 0.018 is
 * five; half the noise moves the answer at a gap of 100 from 0.26 to below 0.13. */
TEST(sparse_answers_at_the_promised_rate)
{
    lotor_sparse sparse;
    assert_int_equal(lotor_sparse_make(10, lotor_ratio_of(1, 2), NULL, &sparse), LOTOR_OK);
    assert_int_equal(sparse.scale, 60);
    test_source_seed(&source, 40);
    lotor_noise noise = lotor_noise_exact(&source.source);
    static const int64_t gaps[] = {-100, 0, 20, 100, 300};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        int yes = 0;
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            bool above;
            assert_int_equal(lotor_sparse_begin(&sparse, &noise), LOTOR_OK);
            assert_int_equal(lotor_sparse_ask(&sparse, 7, 7 + gaps[i], &noise, &above), LOTOR_OK);
            yes += above;
        }
        assert_true(fabs((double)yes / (double)REPEATS - above_probability(gaps[i], 60.0)) < 0.018);
    }
}

/* The threshold's noise is drawn once per series, and the query's noise for each query: two queries
 * in one series are correlated. P(both no) at gap 0 would be 1/4 if the threshold's noise were
 * drawn again; with one B it is E[P(A < B)^2] = 1/3 for a continuous law, within 0.01 at scale
 * 60. */
TEST(sparse_keeps_its_threshold)
{
    lotor_sparse sparse;
    assert_int_equal(lotor_sparse_make(10, lotor_ratio_of(1, 2), NULL, &sparse), LOTOR_OK);
    test_source_seed(&source, 41);
    lotor_noise noise = lotor_noise_exact(&source.source);
    int both_no = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        bool first, second = true;
        assert_int_equal(lotor_sparse_begin(&sparse, &noise), LOTOR_OK);
        assert_int_equal(lotor_sparse_ask(&sparse, 0, 0, &noise, &first), LOTOR_OK);
        if (!first) {
            assert_int_equal(lotor_sparse_ask(&sparse, 0, 0, &noise, &second), LOTOR_OK);
        }
        both_no += !second;
    }
    assert_true(fabs((double)both_no / (double)REPEATS - 1.0 / 3.0) < 0.0225);
}

TEST(sparse_halts_at_the_first_yes)
{
    lotor_sparse sparse;
    assert_int_equal(lotor_sparse_make(10, lotor_ratio_of(1, 0), NULL, &sparse), LOTOR_OK);
    test_source_seed(&source, 42);
    lotor_noise noise = lotor_noise_exact(&source.source);
    bool above;
    assert_int_equal(lotor_sparse_ask(&sparse, 1, 0, &noise, &above), LOTOR_RELEASED);
    assert_int_equal(lotor_sparse_begin(&sparse, &noise), LOTOR_OK);
    assert_int_equal(lotor_sparse_ask(&sparse, 4, 5, &noise, &above), LOTOR_OK);
    assert_false(above);
    assert_int_equal(lotor_sparse_ask(&sparse, 5, 5, &noise, &above), LOTOR_OK);
    assert_true(above);
    assert_int_equal(lotor_sparse_ask(&sparse, 5, 5, &noise, &above), LOTOR_RELEASED);
    assert_int_equal(lotor_sparse_begin(&sparse, &noise), LOTOR_OK);
    assert_int_equal(lotor_sparse_ask(&sparse, INT64_MAX, INT64_MIN, &noise, &above), LOTOR_OK);
    assert_true(above);
}
