/* test_paper_lemmas.c - lemmas of the five papers that have a number in them, on grids and on random
 * inputs. src/papers/claims_*.c says which claim each test holds. Each test also shows that a slightly
 * stronger claim is false, where there is one. Steps of proofs that fail are in tests/test_errata.c.
 */
#include "support/test.h"

#include <float.h>
#include <lotor/account.h>
#include <math.h>
#include <string.h>

#include "base/random/laws.h"
#include "lab/divergence.h"
#include "privacy/noise/noise.h"
#include "privacy/release/sparse.h"
#include "support/test_source.h"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.12g, not %.12g", value, expected);
    }
}

/* --- Sajed 2019 ------------------------------------------------------------------------------- */

/* Lemma 2.1.2: numbers a_1, ..., a_K >= 0 with sum N: the sum of sqrt(a_i b) is at most sqrt(N K b). */
TEST(roots_are_largest_if_equal)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 1);
    for (int run = 0; run < 1000; run++) {
        const double b = 10 * lotor_random_uniform(&generator);
        const int K = 1 + run % 20;
        double total = 0, roots = 0;
        for (int i = 0; i < K; i++) {
            const double a = lotor_random_exponential(&generator, 1.0);
            total += a;
            roots += sqrt(a * b);
        }
        assert_true(roots <= sqrt(total * K * b) * (1 + 1e-12));
    }
}

/* Lemma 2.1.3: UCB does not prefer a worse arm if the means of both arms are within their widths and
 * the worse one was shown more than 8 log T / gap^2 times. With 4 in place of 8 it can. Also two
 * constants: of the proof of Theorem 2.1.4, and of the end of section 2.2.1. */
TEST(ucb_prefers_a_worse_arm_for_one_of_three_reasons)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 2);
    size_t with_half = 0;
    for (int run = 0; run < 100000; run++) {
        const double T = pow(10, 1 + 6 * lotor_random_uniform(&generator));
        const double t = 2 + (T - 2) * lotor_random_uniform(&generator);
        const double gap = lotor_random_uniform(&generator);
        const double shown = (1 + lotor_random_uniform(&generator)) * 8 * log(T) / (gap * gap);
        const double best_shown = 1 + t * lotor_random_uniform(&generator);
        const double best_width = sqrt(2 * log(t) / best_shown), width = sqrt(2 * log(t) / shown);
        const double half_width = sqrt(2 * log(t) / (shown / 2));
        const double low = lotor_random_uniform(&generator),
                     high = lotor_random_uniform(&generator);
        /* means within their widths, the worse arm's true mean being 0; then the widths are added */
        const double best = gap - low * best_width + best_width;
        assert_true(best > high * width + width);
        with_half += best <= high * half_width + half_width;
    }
    assert_true(with_half > 100);
    double cubes = 0;
    for (double n = 1e6; n >= 2; n--) {
        cubes += 1 / (n * n * n);
    }
    assert_true(cubes < 0.21 && cubes > 0.20 && 1 + cubes < 1.21);
}

/* The probability with which NAS on samples of 1 and -1 with this mean has halted after `most`
 * samples with an estimate that is off by more than alpha. `factor` 1 is the printed width, 2 the one
 * for [-1, 1]. */
static double wrong_estimates(double mean, double alpha, double beta, double factor, int most)
{
    enum { MOST = 600 };
    static double law[2 * MOST + 3], next[2 * MOST + 3];
    double wrong = 0;
    assert_true(most <= MOST);
    memset(law, 0, sizeof law);
    law[MOST + 1] = 1;
    for (int t = 1; t <= most; t++) {
        const double bound = factor * sqrt(log(4.0 * t * t / beta) / (2 * t)) * (1 + 1 / alpha);
        memset(next, 0, sizeof next);
        for (int at = MOST + 1 - t; at <= MOST + 1 + t; at++) {
            const double chance = law[at - 1] * (1 + mean) / 2 + law[at + 1] * (1 - mean) / 2;
            const double average = (double)(at - MOST - 1) / t;
            if (fabs(average) < bound) {
                next[at] = chance;
            } else if (fabs(average - mean) > alpha * mean) {
                wrong += chance;
            }
        }
        memcpy(law, next, sizeof law);
    }
    return wrong;
}

/* Theorem 2.2.1 with the printed width: at beta = 10^-6 the estimate is wrong 39 times as often. With
 * twice the width it is wrong more rarely than beta. */
TEST(nas_as_printed_fails_too_often)
{
    assert_near(wrong_estimates(0.4, 0.9, 1e-6, 1, 600), 3.9095e-5, 1e-9);
    assert_near(wrong_estimates(0.3, 0.9, 1e-6, 1, 600), 1.0393e-4, 1e-8);
    assert_true(wrong_estimates(0.4, 0.9, 1e-6, 2, 600) < 1e-17);
}

/* Theorem 2.2.2, R = 1: its t1 is meant to give sqrt(2 log(4 t^2/beta)/t) <= mu/2, and does so nowhere
 * on the grid. Twice as much, with 4 for sqrt 8, does. Its t2 is right, and so is the bound at the end
 * of the proof. */
TEST(one_part_of_the_samples_of_nas_is_too_small)
{
    for (double mu = 1; mu > 1e-4; mu /= 2) {
        for (double beta = 0.9; beta > 1e-12; beta /= 5) {
            const double printed = 8 / (mu * mu) * (log(4 / beta) + 4 * log(sqrt(8) / mu));
            const double enough = 16 / (mu * mu) * (log(4 / beta) + 4 * log(4 / mu));
            assert_true(sqrt(2 * log(4 * printed * printed / beta) / printed) > mu / 2);
            assert_true(sqrt(2 * log(4 * enough * enough / beta) / enough) <= mu / 2);
            for (double alpha = 0.999; alpha > 1e-3; alpha /= 3) {
                const double ratio = 1 / (alpha * mu), square = ratio * ratio;
                const double t2 = 4 * square * (log(4 / beta) + 4 * log(2 * ratio));
                const double t = 12 * square * (log(1 / beta) + 4 * log(ratio) + log(324));
                assert_true(sqrt(log(4 * t2 * t2 / beta) / (2 * t2)) / alpha <=
                            mu / 2 * (1 + 1e-9));
                assert_true(sqrt(log(4 * t * t / beta) / (2 * t)) * (2 + 1 / alpha) <= mu);
            }
        }
    }
}

/* Fact 2.2.3: for a >= 1 and 0 < b <= 1/16, log(a x)/x > b if e <= x <= x0, and < b if x >= 2 x0, with x0 =
 * log(a/b)/b. Nothing is said in between; at a = 1, b = 1/16 the change is at 1.52 x0. */
TEST(a_logarithm_over_x_falls_below_b)
{
    for (double b = 1.0 / 16; b > 1e-12; b *= 0.8) {
        for (double a = 1; a < 1e15; a *= 1.7) {
            const double x0 = log(a / b) / b;
            for (double x = exp(1); x < x0; x *= 1.3) {
                assert_true(log(a * x) / x > b);
            }
            assert_true(log(a * x0) / x0 > b);
            for (double x = 2 * x0; x < 1e18; x *= 3) {
                assert_true(log(a * x) / x < b);
            }
        }
    }
    const double x0 = log(16) * 16;
    assert_true(log(1.5 * x0) / (1.5 * x0) > 1.0 / 16 && log(1.54 * x0) / (1.54 * x0) < 1.0 / 16);
}

/* Theorem 3.2.2: of k queries, the first k-1 lie a little more than alpha below the threshold, the last
 * alpha above it. All answers are right with probability 1 - beta, alpha = 6 D (log k + log(2/beta)) /
 * epsilon, D the sensitivity: here 20 units. 4000 series: the deviation is at most 0.0064. A quarter of
 * alpha is too little, and it is what the theorem prints, without D, if a unit is 5 (D = 4): errata 34. */
TEST(sparse_vector_is_as_accurate_as_claimed)
{
    enum { QUERIES = 8, SERIES = 4000 };
    const double beta = 0.2;
    test_source source;
    lotor_sparse sparse;
    assert_int_equal(lotor_sparse_make(20, lotor_ratio_of(1, 1), NULL, &sparse), LOTOR_OK);
    assert_int_equal(sparse.scale, 60); /* 3/epsilon of the claim */
    const double alpha = 2.0 * 60 * (log(QUERIES) + log(2 / beta));
    double failures[2] = {0, 0};
    for (int part = 0; part < 2; part++) {
        const int64_t distance = (int64_t)(part == 0 ? alpha : alpha / 4);
        test_source_seed(&source, 50);
        lotor_noise noise = lotor_noise_exact(&source.source);
        for (int run = 0; run < SERIES; run++) {
            bool above = false;
            int i = 0;
            assert_int_equal(lotor_sparse_begin(&sparse, &noise), LOTOR_OK);
            for (; i < QUERIES && !above; i++) {
                const int64_t query = i < QUERIES - 1 ? -distance - 1 : distance;
                assert_int_equal(lotor_sparse_ask(&sparse, query, 0, &noise, &above), LOTOR_OK);
            }
            failures[part] += !(i == QUERIES && above) / (double)SERIES;
        }
    }
    assert_true(failures[0] < beta);
    assert_true(failures[1] > beta + 0.05);
}

/* Chapter 6, footnote: the variances of coins with means in [0.25, 0.75] differ by at most 4/3. */
TEST(variances_of_the_instances_are_similar)
{
    for (double p = 0.25; p <= 0.75; p += 1.0 / 64) {
        assert_true(p * (1 - p) >= 0.1875 && p * (1 - p) <= 0.1875 * 4 / 3);
    }
}

/* --- Chandak 2023 ----------------------------------------------------------------------------- */

/* The left sides of (5.6) and (5.7): of (5.6) with epsilon = infinity. */
static double telescope(const double *gap, int count, double epsilon)
{
    double sum = 1 / fmin(gap[0], epsilon);
    for (int k = 1; k < count; k++) {
        sum += gap[k] * (1 / (gap[k] * fmin(gap[k], epsilon)) -
                         1 / (gap[k - 1] * fmin(gap[k - 1], epsilon)));
    }
    return sum;
}

/* Lemmas 19 and 20. The 2 of Lemma 19 is needed: gaps that fall slowly to a small one reach 1.97. */
TEST(sums_over_falling_gaps_are_bounded)
{
    enum { MOST = 400 };
    static double gap[MOST];
    lotor_generator generator;
    lotor_generator_seed(&generator, 3);
    for (int run = 0; run < 20000; run++) {
        const int K = 1 + run % 12;
        const double epsilon = pow(10, 2 - 6 * lotor_random_uniform(&generator));
        gap[0] = lotor_random_uniform(&generator);
        for (int k = 1; k < K; k++) {
            gap[k] = gap[k - 1] * lotor_random_uniform(&generator);
        }
        assert_true(telescope(gap, K, INFINITY) <= 2 / gap[K - 1] * (1 + 1e-9));
        assert_true(telescope(gap, K, epsilon) <= (2 / gap[K - 1] + K / epsilon) * (1 + 1e-9));
    }
    for (int k = 0; k < MOST; k++) {
        gap[k] = exp(-5.0 * k / (MOST - 1));
    }
    assert_true(telescope(gap, MOST, INFINITY) > 1.97 / gap[MOST - 1]);
}

/* Lemma 21, with l_r = 1/(2^-r min(2^-r, epsilon)) and r up to log2(1/gap): at most 4 times
 * 2/gap + r/epsilon. */
TEST(sums_over_halved_gaps_are_bounded)
{
    for (double epsilon = 1e3; epsilon > 1e-9; epsilon /= 3) {
        double sum = 0, before = 0;
        for (int r = 1; r <= 50; r++) {
            const double part = ldexp(1, -r), l = 1 / (part * fmin(part, epsilon));
            sum += 2 * part * (l - before);
            before = l;
            assert_true(sum <= 4 * (2 / part + r / epsilon));
        }
    }
}

/* The counts l in the proofs of Lemmas 23 (27) and 24 (72), in units of log(Kn): the widths are then
 * below half of the gap and below a third of it. At epsilon >= gap, 21 would not be enough for the first
 * and 28 not for the second. */
TEST(counts_make_widths_smaller_than_gaps)
{
    for (double gap = 1; gap > 1e-6; gap /= 2) {
        for (double epsilon = 1e3; epsilon > 1e-6; epsilon /= 3) {
            const double unit = 1 / (gap * fmin(gap, epsilon));
            const double upper = 27 * unit, sampled = 72 * unit;
            assert_true(sqrt(3 / upper) + 3 / (epsilon * upper) < gap / 2);
            assert_true(sqrt(3 / sampled) + 6 / (epsilon * sampled) < gap / 3);
            assert_true(exp(-gap * gap / 18 * sampled) <= exp(-4) * (1 + 1e-12));
        }
        const double few = 21 / (gap * gap), fewer = 28 / (gap * gap);
        assert_true(sqrt(3 / few) + 3 / (gap * few) > gap / 2);
        assert_true(sqrt(3 / fewer) + 6 / (gap * fewer) > gap / 3);
    }
}

/* --- Wang et al. 2022 ------------------------------------------------------------------------- */

/* Lemma 4 (Kveton et al. 2015) bounds the loss of a list by a sum over its places. A place adds the
 * difference to the best item that belongs there, times the chance that the place is looked at. The loss is
 * between alpha and 1 times this sum. */
TEST(the_loss_of_a_list_is_a_sum_over_its_places)
{
    enum { ITEMS = 7, PLACES = 4 };
    lotor_generator generator;
    lotor_generator_seed(&generator, 4);
    for (int run = 0; run < 20000; run++) {
        double mean[ITEMS];
        int list[ITEMS] = {0}, partner[PLACES];
        for (int i = 0; i < ITEMS; i++) { /* falling means, so the first are best; a random order */
            mean[i] = (i > 0 ? mean[i - 1] : 1) * lotor_random_uniform(&generator);
            const int j = (int)((i + 1) * lotor_random_uniform(&generator));
            list[i] = list[j];
            list[j] = i;
        }
        bool is_paired[PLACES] = {false};
        for (int k = 0; k < PLACES; k++) { /* a best item with itself */
            partner[k] = list[k] < PLACES ? list[k] : -1;
            is_paired[partner[k] < 0 ? 0 : partner[k]] |= partner[k] >= 0;
        }
        double sum = 0, looked = 1, best = 1, shown = 1;
        for (int k = 0, free_item = 0; k < PLACES; k++) {
            while (partner[k] < 0) {
                partner[k] = is_paired[free_item] ? -1 : free_item;
                free_item++;
            }
            sum += (mean[partner[k]] - mean[list[k]]) * looked;
            looked *= 1 - mean[list[k]];
            best *= 1 - mean[k];
            shown *= 1 - mean[list[k]];
        }
        const double loss = shown - best, alpha = pow(1 - mean[0], PLACES - 1);
        assert_true(loss <= sum + 1e-12 && loss >= alpha * sum - 1e-12);
    }
}

/* Lemma 5 (Chan, Shi and Song 2011), by Chernoff: a sum of n Laplace variables of scale 1 passes x < 2 sqrt 2 v^2,
 * v^2 >= n, with probability at most exp(-x^2/(8 v^2)). Far beyond that range this is false. */
TEST(sums_of_laplace_noise_have_thin_tails)
{
    for (double n = 1; n < 1e6; n *= 3) {
        for (double square = n; square < 100 * n; square *= 2) {
            for (double share = 0.01; share < 1; share += 0.01) {
                const double x = share * 2 * sqrt(2) * square, s = x / (4 * square);
                assert_true(s < 1 && -s * x - n * log1p(-s * s) <= -x * x / (8 * square));
            }
        }
    }
    assert_true(exp(-40) / 2 > exp(-40.0 * 40 / 8)); /* n = 1, v = 1, x = 40 */
}

/* Lemma 6, and Lemma 16 of Chandak 2023: P(X > t) <= exp(-t^2/2) for a standard Gaussian. exp(-0.6 t^2) is
 * too little. */
TEST(gaussian_noise_has_thin_tails)
{
    for (double t = 1e-3; t < 30; t += 0.01) {
        assert_true(erfc(t / sqrt(2)) / 2 <= exp(-t * t / 2));
    }
    assert_true(erfc(10 / sqrt(2)) / 2 > exp(-0.6 * 100));
}

static double composed(double epsilon, double delta, uint64_t times, double total)
{
    lotor_budget out;
    assert_int_equal(
        lotor_account_compose_same((lotor_budget){epsilon, delta}, times, total, NULL, &out),
        LOTOR_OK);
    return out.epsilon;
}

/* Theorem 7 (Kairouz, Oh and Viswanath 2015), for epsilon up to 0.9. At epsilon = 100 it is false. And
 * Shariff and Sheffet 2018, section 4: m nodes of a tree, for epsilon up to 1; false at 1000. */
TEST(shares_of_a_budget_compose)
{
    static const double epsilons[] = {0.01, 0.1, 0.5, 0.9}, deltas[] = {1e-9, 1e-5, 1e-3, 0.1};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            const double epsilon = epsilons[i], delta = deltas[j];
            for (uint64_t k = 1; k <= 4096; k *= 4) {
                const double each = epsilon / sqrt(4.0 * (double)k * log(exp(1) + epsilon / delta));
                assert_true(composed(each, delta / (2.0 * (double)k), k, delta) <= epsilon);
            }
            for (uint64_t m = 1; m <= 64; m++) {
                const double most = epsilons[i] == 0.9 ? 1 : epsilons[i];
                const double each = most / sqrt(8.0 * (double)m * log(2 / delta));
                assert_true(composed(each, delta / (2.0 * (double)m), m, delta) <= most);
            }
        }
    }
    const double k = 4096, large = 100 / sqrt(4 * k * log(exp(1) + 100 / 1e-3));
    assert_true(composed(large, 1e-3 / (2 * k), 4096, 1e-3) > 100);
    assert_true(composed(1000 / sqrt(8 * 64 * log(2 / 1e-3)), 1e-3 / 128, 64, 1e-3) > 1000);
}

/* Section 7: noise times 0.01. The Gaussian's sigma for epsilon 1 and delta 10^-3, divided by 100, has
 * epsilon 431 at the same delta. */
TEST(a_hundredth_of_the_noise_is_no_privacy)
{
    const double sigma = 0.01 * sqrt(2 * log(1.25 / 1e-3));
    double above, below;
    assert_int_equal(lotor_account_gaussian_delta(1, sigma, 431.5, NULL, &below), LOTOR_OK);
    assert_int_equal(lotor_account_gaussian_delta(1, sigma, 430.5, NULL, &above), LOTOR_OK);
    assert_true(below < 1e-3 && above > 1e-3);
}

/* Lemma 3: sigma = sqrt(2 log(1.25/delta))/epsilon, for any epsilon. At delta = 10^-3 it is enough up to
 * epsilon = 7, and too little at 8. */
TEST(the_classical_gaussian_fails_for_a_large_epsilon)
{
    for (double epsilon = 0.25; epsilon <= 10; epsilon += 0.25) {
        double delta;
        assert_int_equal(lotor_account_gaussian_delta(1, sqrt(2 * log(1.25 / 1e-3)) / epsilon,
                                                      epsilon, NULL, &delta),
                         LOTOR_OK);
        assert_true(epsilon > 7 || delta <= 1e-3);
        assert_true(epsilon < 8 || delta > 1e-3);
    }
}

/* --- Chen et al. 2020 ------------------------------------------------------------------------- */

/* Fact 1: the largest of K differences, and their sum. */
TEST(the_largest_difference_is_at_most_the_sum)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 5);
    for (int run = 0; run < 1000; run++) {
        const int K = 1 + run % 10;
        double most = 0, sum = 0;
        for (int i = 0; i < K; i++) {
            const double difference = fabs(2 * lotor_random_uniform(&generator) - 1);
            most = fmax(most, difference);
            sum += difference;
        }
        assert_true(most <= sum && sum <= K * most * (1 + 1e-12));
    }
}

/* Theorems 5 and 6: 64 (e^epsilon - 1)^2 <= 128 epsilon^2 up to epsilon = 1/2. It is true up to 0.657. */
TEST(local_lower_bounds_of_sets_for_small_epsilon)
{
    for (double epsilon = 1e-6; epsilon < 0.657; epsilon *= 1.01) {
        assert_true(expm1(epsilon) * expm1(epsilon) <= 2 * epsilon * epsilon);
    }
    assert_true(expm1(0.658) * expm1(0.658) > 2 * 0.658 * 0.658);
}

/* Proof of Theorem 8, in units of B1: from n_max on, the excess Delta_i(n) is not positive. */
TEST(counts_of_sets_end_the_excess)
{
    for (double K = 1; K < 100; K *= 2) {
        for (double gap = 1; gap > 1e-4; gap /= 3) {
            for (double epsilon = 10; epsilon > 1e-4; epsilon /= 7) {
                for (double T = 10; T < 1e12; T *= 30) {
                    const double l = log(T);
                    const double n = fmax(256 * K * K * l / (gap * gap),
                                          96 * K * K * l * l * l / (epsilon * gap));
                    assert_true(4 * sqrt(l / n) + 24 * K * l * l * l / (n * epsilon) <=
                                gap / (2 * K) * (1 + 1e-12));
                }
            }
        }
    }
}

/* src/lab/bounds.md has larger lower bounds than Theorems 11 and 12 of Wang et al. 2022 and Theorem 5
 * of Chen et al. 2020, so these follow. Compared are the terms of one item (without the factor
 * (1-p)^(K-1) that both have), and of one arm with means 1/2 and 1/2 - gap. */
TEST(lower_bounds_here_are_above_those_of_the_papers)
{
    static const double epsilons[] = {1e-3, 0.01, 0.1, 0.5, 1, 2, 5};
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        const double epsilon = epsilons[i], tell = expm1(epsilon) * expm1(epsilon);
        for (double p = 0.01; p < 1; p += 0.01) {
            for (double gap = p / 100; gap < p; gap += p / 100) {
                const double local = gap / lotor_divergence_local(p - gap, p, epsilon);
                const double central = gap / lotor_divergence_central(p - gap, p, epsilon);
                assert_true(local >= p * (1 - p) / (2 * fmin(4, exp(2 * epsilon)) * tell * gap));
                assert_true(central >= 1 / (200 * epsilon));
                assert_true(central >= p * (1 - p) / gap);
            }
        }
        for (double gap = 0.005; gap < 0.35; gap += 0.005) {
            const double local = gap / lotor_divergence_local(0.5 - gap, 0.5, epsilon);
            assert_true(local >= 1 / (64 * tell * gap));
        }
    }
}
