/* test_matrix_noise.c - the noise of the matrix statistics is the noise of the guarantee.
 *
 * The test looks only at the board: variances of released entries, of differences of consecutive
 * releases (to detect reused noise), and covariances (to detect a draw that is used for two
 * entries). All rounds feed zeros, so the board has only noise.
 *
 * Gaussian: REPEATS = 20,000 trees (EXACT_REPEATS = 4,000 with exact noise). The sample variance of
 * a Gaussian has relative deviation sqrt(2/REPEATS) = 1% (2.2%), a covariance one of 0.7% (1.6%) of
 * the product of the deviations; six deviations are a false alarm once in 5e8. Half the noise is
 * off by 75%, a level too few by 25%, a diagonal that is not doubled by 50%.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lotor/account.h>

#include "base/random/laws.h"
#include "privacy/release/matrix_plan.h"
#include "support/test_source.h"

enum { SIZE = 3, ENTRIES = 6, ROUNDS = 8, REPEATS = 20000, EXACT_REPEATS = 4000 };
static const double zeros[SIZE];

static lotor_matrix_params params_of(lotor_matrix_kind kind)
{
    return (lotor_matrix_params){
        .kind = kind,
        .size = SIZE,
        .horizon = ROUNDS,
        .bound = sqrt(2.0),
        .epsilon = lotor_ratio_of(1, 1),
        .delta = lotor_ratio_of(1, 100000),
    };
}

/* Sums over repeats, by time (0: before the first round), and entry. */
typedef struct moments {
    double sum[ROUNDS + 1][ENTRIES];
    double products[ROUNDS + 1][ENTRIES][ENTRIES];
    double step_squares[ROUNDS + 1][ENTRIES]; /* of the change since the time before */
} moments;

static void add_release(moments *all, size_t t, const lotor_board *board, double *before)
{
    double now[ENTRIES];
    for (size_t i = 0; i < ENTRIES; i++) {
        now[i] = lotor_board_at(board, 0, i)->value;
        all->sum[t][i] += now[i];
        all->step_squares[t][i] += (now[i] - before[i]) * (now[i] - before[i]);
    }
    for (size_t i = 0; i < ENTRIES; i++) {
        for (size_t j = 0; j < ENTRIES; j++) {
            all->products[t][i][j] += now[i] * now[j];
        }
    }
    memcpy(before, now, sizeof now);
}

static void measure(const lotor_matrix_params *params, lotor_noise *noise, size_t repeats,
                    moments *all)
{
    memset(all, 0, sizeof *all);
    for (size_t repeat = 0; repeat < repeats; repeat++) {
        lotor_matrix *matrix;
        lotor_board *board;
        double before[ENTRIES] = {0.0};
        assert_int_equal(lotor_matrix_new(params, NULL, &matrix), LOTOR_OK);
        assert_int_equal(lotor_board_new(1, ENTRIES, &board), LOTOR_OK);
        assert_int_equal(lotor_matrix_start(matrix, noise, board), LOTOR_OK);
        add_release(all, 0, board, before);
        for (uint64_t t = 1; t <= ROUNDS; t++) {
            assert_int_equal(lotor_matrix_feed(matrix, zeros, t, noise, board), LOTOR_OK);
            add_release(all, t, board, before);
        }
        lotor_matrix_free(matrix);
        lotor_board_free(board);
    }
}

static bool is_diagonal(size_t entry)
{
    return entry == 0 || entry == 2 || entry == 5;
}

/* --- Gaussian ------------------------------------------------------------------------------- */

/* By hand: m = 1 + log2 8 = 4; sigma = 4 sqrt 4 * 2 * log(4e5) / 1 = 16 * 12.8992198. */
static const double GOLDEN_SIGMA = 206.387517;

/* The least that zCDP proves: A(1, 1e-5) = 4.045130358, so sqrt 4 * 2 * A; rounding adds less than
 * 3e-5. */
static const double GOLDEN_TIGHT = 16.1805214;

static void check_gaussian(lotor_matrix_kind kind, double sigma, lotor_noise *noise, size_t repeats)
{
    static moments all;
    const lotor_matrix_params params = params_of(kind);
    measure(&params, noise, repeats, &all);
    const double count = (double)repeats, tolerance = 6.0 * sqrt(2.0 / count);
    for (size_t t = 1; t <= ROUNDS; t++) {
        const double nodes = (double)__builtin_popcountll(t);
        const double changed = 1.0 + (double)__builtin_ctzll(t);
        for (size_t i = 0; i < ENTRIES; i++) {
            const double node = sigma * sigma * (is_diagonal(i) ? 2.0 : 1.0);
            assert_true(fabs(all.sum[t][i] / count) < 6.0 * sqrt(nodes * node / count));
            assert_true(fabs(all.products[t][i][i] / count / (nodes * node) - 1.0) < tolerance);
            assert_true(fabs(all.step_squares[t][i] / count / (changed * node) - 1.0) < tolerance);
            for (size_t j = 0; j < i; j++) {
                const double scale = sqrt(all.products[t][i][i] * all.products[t][j][j]);
                assert_true(fabs(all.products[t][i][j] / scale) < 6.0 / sqrt(count));
            }
        }
    }
}

TEST(gaussian_noise_has_the_promised_variance)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 1);
    lotor_noise noise = lotor_noise_simulated(&generator);
    check_gaussian(LOTOR_MATRIX_GAUSSIAN, GOLDEN_SIGMA, &noise, REPEATS);
}

TEST(tight_noise_has_the_proved_variance)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 6);
    lotor_noise noise = lotor_noise_simulated(&generator);
    check_gaussian(LOTOR_MATRIX_TIGHT, GOLDEN_TIGHT, &noise, REPEATS);
}

/* Computed by hand, with floor(log2 n) + 1 levels: 3 for n = 5, where the paper has 4. If the lab
 * has divided epsilon by 1/2, the noise is half of that for the whole epsilon, not that for twice
 * the epsilon. */
TEST(tight_sigma_is_what_zcdp_needs)
{
    const double a = GOLDEN_TIGHT / 4.0;
    const struct {
        uint64_t horizon;
        double levels;
    } cases[] = {{1, 1}, {4, 3}, {5, 3}, {7, 3}, {8, 4}, {1000, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lotor_matrix *matrix;
        lotor_matrix_params params = params_of(LOTOR_MATRIX_TIGHT);
        params.horizon = cases[i].horizon;
        assert_int_equal(lotor_matrix_new(&params, NULL, &matrix), LOTOR_OK);
        const lotor_matrix_noise noise = lotor_matrix_noise_of(matrix);
        assert_true(noise.levels == cases[i].levels);
        const double expected = sqrt(cases[i].levels) * 2.0 * a;
        assert_true(noise.sigma > expected && noise.sigma < expected * (1.0 + 4e-6));
        lotor_matrix_free(matrix);
        params.epsilon = lotor_ratio_of(2, 1);
        params.noise_scale = 0.5;
        assert_int_equal(lotor_matrix_new(&params, NULL, &matrix), LOTOR_OK);
        assert_true(fabs(lotor_matrix_noise_of(matrix).sigma / (0.5 * expected) - 1.0) < 4e-6);
        lotor_matrix_free(matrix);
    }
}

/* m |D|_F^2 / (4 sigma^2) <= rho, with nothing to spare: half the noise would prove nothing. */
TEST(tight_noise_spends_the_budget)
{
    static const uint64_t epsilons[] = {1, 10, 100, 1000, 10000};
    for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
        lotor_matrix_params params = params_of(LOTOR_MATRIX_TIGHT);
        params.epsilon = lotor_ratio_of(epsilons[e], 100);
        lotor_matrix_plan plan;
        double rho;
        assert_int_equal(lotor_matrix_plan_make(&params, NULL, &plan), LOTOR_OK);
        const lotor_budget budget = {(double)epsilons[e] / 100.0, 1e-5};
        assert_int_equal(lotor_account_zcdp_rho(budget, NULL, &rho), LOTOR_OK);
        const double moved = lotor_matrix_sensitivity(SIZE, params.bound, plan.unit);
        const double off = (double)plan.off_diagonal, on = (double)plan.diagonal;
        const double spent = 4.0 * moved * moved / (4.0 * off * off);
        assert_true(on * on >= 2.0 * off * off);
        assert_true(spent <= rho * (1.0 + 1e-9) && spent >= rho * 0.999);
    }
}

TEST(exact_noise_has_the_same)
{
    static test_source source;
    test_source_seed(&source, 2);
    lotor_noise noise = lotor_noise_exact(&source.source);
    check_gaussian(LOTOR_MATRIX_GAUSSIAN, GOLDEN_SIGMA, &noise, EXACT_REPEATS);
}

TEST(sigma_is_the_printed_one)
{
    lotor_matrix *matrix;
    lotor_matrix_params params = params_of(LOTOR_MATRIX_GAUSSIAN);
    assert_int_equal(lotor_matrix_new(&params, NULL, &matrix), LOTOR_OK);
    lotor_matrix_noise noise = lotor_matrix_noise_of(matrix);
    assert_true(fabs(noise.sigma - GOLDEN_SIGMA) < 2e-6);
    assert_true(noise.levels == 4.0 && noise.degrees == 0.0);
    lotor_matrix_free(matrix);

    /* m = 1 + ceil(log2 5) = 4, bound^4 = 81, log(4 * 25) = 4.60517019, epsilon = 1/2:
     * sigma = 4 * 2 * 9 * 4.60517019 / 0.5 = 663.144507. */
    params.horizon = 5;
    params.bound = 3.0;
    params.epsilon = lotor_ratio_of(1, 2);
    params.delta = lotor_ratio_of(1, 25);
    assert_int_equal(lotor_matrix_new(&params, NULL, &matrix), LOTOR_OK);
    assert_true(fabs(lotor_matrix_noise_of(matrix).sigma - 663.144507) < 2e-6);
    lotor_matrix_free(matrix);
}

/* m |D|_F^2 / (4 sigma^2) <= rho at every budget, with the actual scales of the two kinds of
 * entries. Up to epsilon = 50 the paper's sigma is the larger one; far above, zCDP needs more. */
TEST(noise_is_never_below_what_is_proved)
{
    static const uint64_t epsilons[] = {1, 10, 100, 1000, 5000, 20000, 100000, 1000000};
    static const uint64_t deltas[] = {2, 10, 1000, 100000, 1000000000};
    size_t printed_larger = 0, proved_larger = 0;
    for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
        for (size_t d = 0; d < sizeof deltas / sizeof *deltas; d++) {
            lotor_matrix_params params = params_of(LOTOR_MATRIX_GAUSSIAN);
            params.epsilon = lotor_ratio_of(epsilons[e], 100);
            params.delta = lotor_ratio_of(1, deltas[d]);
            lotor_matrix_plan plan;
            double rho;
            assert_int_equal(lotor_matrix_plan_make(&params, NULL, &plan), LOTOR_OK);
            const lotor_budget budget = {(double)epsilons[e] / 100.0, 1.0 / (double)deltas[d]};
            assert_int_equal(lotor_account_zcdp_rho(budget, NULL, &rho), LOTOR_OK);
            const double moved = lotor_matrix_sensitivity(SIZE, params.bound, plan.unit);
            const double off = (double)plan.off_diagonal, on = (double)plan.diagonal;
            assert_true(on * on >= 2.0 * off * off);
            assert_true(4.0 * moved * moved / (4.0 * off * off) <= rho * (1.0 + 1e-9));
            const double printed = 16.0 * log(4.0 / budget.delta) / budget.epsilon;
            assert_true(off * plan.unit >= printed * (1.0 - 1e-9));
            const bool is_printed = off * plan.unit < printed * (1.0 + 1e-6) + plan.unit;
            assert_true(is_printed || budget.epsilon > 50.0);
            printed_larger += is_printed;
            proved_larger += !is_printed;
        }
    }
    assert_true(printed_larger >= 25 && proved_larger >= 5);
}

/* One word of the simulation makes one Gaussian draw, of which LOTOR_NOISE_STOCK are made at a
 * time: the tree takes one per entry and round. */
TEST(each_entry_is_drawn_once_a_round)
{
    lotor_generator generator, counted;
    lotor_generator_seed(&generator, 3);
    lotor_generator_seed(&counted, 3);
    lotor_noise noise = lotor_noise_simulated(&generator);
    const lotor_matrix_params params = params_of(LOTOR_MATRIX_GAUSSIAN);
    lotor_matrix *matrix;
    lotor_board *board;
    assert_int_equal(lotor_matrix_new(&params, NULL, &matrix), LOTOR_OK);
    assert_int_equal(lotor_board_new(1, ENTRIES, &board), LOTOR_OK);
    size_t words = 0;
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        assert_int_equal(lotor_matrix_feed(matrix, zeros, t, &noise, board), LOTOR_OK);
        assert_int_equal(lotor_matrix_feed(matrix, zeros, t, &noise, board), LOTOR_OK);
        for (; words < ENTRIES * t; words += LOTOR_NOISE_STOCK) {
            for (size_t i = 0; i < LOTOR_NOISE_STOCK; i++) {
                (void)lotor_generator_word(&counted);
            }
        }
        assert_memory_equal(&generator, &counted, sizeof counted);
        assert_int_equal(noise.stocked[LOTOR_LAW_GAUSSIAN], words - ENTRIES * t);
    }
    assert_int_equal(lotor_matrix_feed(matrix, zeros, ROUNDS + 1, &noise, board), LOTOR_HORIZON);
    assert_memory_equal(&generator, &counted, sizeof counted);
    lotor_matrix_free(matrix);
    lotor_board_free(board);
}

/* --- sensitivity ---------------------------------------------------------------------------- */

static void random_vector(lotor_generator *generator, size_t size, double length, double *z)
{
    double square = 0.0;
    for (size_t i = 0; i < size; i++) {
        z[i] = lotor_random_uniform(generator) - 0.5;
        square += z[i] * z[i];
    }
    for (size_t i = 0; i < size; i++) {
        z[i] *= length / sqrt(square) * (1.0 - 1e-15);
    }
}

/* The numbers that one round puts on the board, in units, whole matrix. */
static void rounded(const lotor_matrix_params *params, double unit, const double *z, double *out)
{
    lotor_matrix *matrix;
    lotor_board *board;
    assert_int_equal(lotor_matrix_new(params, NULL, &matrix), LOTOR_OK);
    assert_int_equal(lotor_board_new(1, lotor_matrix_entries(params->size), &board), LOTOR_OK);
    lotor_noise noise = lotor_noise_exact(NULL); /* scale 0: nothing is drawn */
    assert_int_equal(lotor_matrix_feed(matrix, z, 1, &noise, board), LOTOR_OK);
    for (size_t i = 0; i < params->size; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double units = lotor_board_at(board, 0, i * (i + 1) / 2 + j)->value / unit;
            assert_true(units == rint(units));
            out[i * params->size + j] = out[j * params->size + i] = units;
        }
    }
    lotor_matrix_free(matrix);
    lotor_board_free(board);
}

/* 4,000 random pairs each, half of them orthogonal (the worst case), at the coarsest units (2^10 in
 * bound^2), where rounding shows most, and at fine ones. The bound is nearly reached. */
TEST(neighbours_differ_by_at_most_the_sensitivity)
{
    static const double bounds[] = {0x1p-5, 1.0, 1000.0};
    lotor_generator generator;
    lotor_generator_seed(&generator, 4);
    for (size_t b = 0; b < 3; b++) {
        for (size_t size = 2; size <= 12; size += 5) {
            lotor_matrix_params params = params_of(LOTOR_MATRIX_EXACT);
            params.size = size;
            params.bound = bounds[b];
            lotor_matrix_plan plan;
            assert_int_equal(lotor_matrix_plan_make(&params, NULL, &plan), LOTOR_OK);
            const double most = lotor_matrix_sensitivity(size, params.bound, plan.unit);
            double largest = 0.0;
            for (int pair = 0; pair < 4000; pair++) {
                double z[12], w[12], zz[144], ww[144], square = 0.0, product = 0.0;
                random_vector(&generator, size, params.bound, z);
                random_vector(&generator, size, params.bound, w);
                for (size_t i = 0; i < size && pair % 2; i++) {
                    product += z[i] * w[i] / (params.bound * params.bound);
                }
                double length = 0.0;
                for (size_t i = 0; i < size; i++) {
                    w[i] -= product * z[i];
                    length += w[i] * w[i];
                }
                for (size_t i = 0; i < size; i++) {
                    w[i] *= params.bound / sqrt(length) * (1.0 - 1e-15);
                }
                rounded(&params, plan.unit, z, zz);
                rounded(&params, plan.unit, w, ww);
                for (size_t i = 0; i < size * size; i++) {
                    square += (zz[i] - ww[i]) * (zz[i] - ww[i]);
                }
                largest = fmax(largest, sqrt(square));
            }
            assert_true(largest <= most && largest > 0.98 * (most - 2.0 * (double)size));
        }
    }
}

/* --- Wishart -------------------------------------------------------------------------------- */

/* m = 4, delta = 1/100,000, epsilon = 100: k = 3 + ceil(224 * 4 / 10,000 * log(3.2e6) * log(2e5)) =
 * 3 + ceil(0.0896 * 14.97866 * 12.20607) = 3 + ceil(16.3816) = 20. */
enum { GOLDEN_DEGREES = 20 };

/* Entries of W(b^2 I, k): mean k b^2 on the diagonal, variance 2 k b^4 there and k b^4 off it; at
 * all times the sum of m = 4 of them. A step at t renews 1 + ctz(t) of the levels, so the change
 * has twice so many variances. 20,000 trees: the excess kurtosis of a diagonal sum is 12/(mk) =
 * 0.15, off it 6/(mk), so the deviation of a variance is below sqrt(2.15/20,000) = 1.04%: six are
 * 6.3%. */
TEST(wishart_noise_is_on_all_levels_at_all_times)
{
    static moments all;
    lotor_generator generator;
    lotor_generator_seed(&generator, 5);
    lotor_noise noise = lotor_noise_simulated(&generator);
    lotor_matrix_params params = params_of(LOTOR_MATRIX_WISHART);
    params.epsilon = lotor_ratio_of(100, 1);
    measure(&params, &noise, REPEATS, &all);
    const double b2 = 2.0, m = 4.0, k = (double)GOLDEN_DEGREES, count = (double)REPEATS;
    for (size_t t = 0; t <= ROUNDS; t++) {
        for (size_t i = 0; i < ENTRIES; i++) {
            const double mean = is_diagonal(i) ? m * k * b2 : 0.0;
            const double node = k * b2 * b2 * (is_diagonal(i) ? 2.0 : 1.0);
            const double measured = all.sum[t][i] / count;
            assert_true(fabs(measured - mean) < 6.0 * sqrt(m * node / count));
            const double variance = all.products[t][i][i] / count - measured * measured;
            assert_true(fabs(variance / (m * node) - 1.0) < 0.063);
            if (t > 0) {
                const double changed = 2.0 * (1.0 + (double)__builtin_ctzll(t));
                const double step = all.step_squares[t][i] / count;
                assert_true(fabs(step / (changed * node) - 1.0) < 0.07);
            }
        }
    }
}

TEST(degrees_are_the_printed_ones)
{
    lotor_matrix *matrix;
    lotor_matrix_params params = params_of(LOTOR_MATRIX_WISHART);
    params.epsilon = lotor_ratio_of(100, 1);
    assert_int_equal(lotor_matrix_new(&params, NULL, &matrix), LOTOR_OK);
    assert_true(lotor_matrix_noise_of(matrix).degrees == (double)GOLDEN_DEGREES);
    assert_true(lotor_matrix_noise_of(matrix).sigma == 0.0);
    lotor_matrix_free(matrix);
}
