/* test_errata.c - the numbers in docs/errata.md: counterexamples to steps in the papers' proofs, and
 * what holds instead. tests/test_errata_matroid.c has those of Chandak 2023. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/divergence.h"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.12g, not %.12g", value, expected);
    }
}

/* Wang et al. 2022, after Theorem 11: at p = 1/K the bound has the factor p (1-p)^K. It is between
 * 1/(4K) and 1/(e K), so it falls like 1/K. */
TEST(the_local_lower_bound_of_lists_falls_with_k)
{
    for (double K = 2; K <= 1e6; K *= 2) {
        const double factor = exp(K * log1p(-1 / K)) / K;
        assert_true(factor >= 1 / (4 * K) && factor <= 1 / (exp(1) * K));
    }
}

/* Wang et al. 2022, proof of Theorem 11: d(p || p - gap) <= gap^2 / (p (1-p)) is false. With the
 * arguments swapped it is true. */
TEST(the_divergence_of_lists_has_its_arguments_swapped)
{
    const double p = 0.1, gap = 0.09, bound = gap * gap / (p * (1 - p));
    assert_near(lotor_kl_bernoulli(p, p - gap), 0.14448, 1e-5);
    assert_near(bound, 0.09, 1e-12);
    assert_near(lotor_kl_bernoulli(p - gap, p), 0.07133, 1e-5);
    for (int i = 1; i < 100; i++) {
        for (int j = 1; j < 100; j++) {
            const double high = i / 100.0, low = high * j / 100.0;
            assert_true(lotor_kl_bernoulli(low, high) <=
                        (high - low) * (high - low) / (high * (1 - high)));
        }
    }
}

/* Wang et al. 2022, proof of Theorem 4: a wrong item can be shown while gap <= 2 (c + h), which is
 * 2 w sqrt(log t / n). At the n of the paper, 2 w^2 log t / gap^2, that still holds. It ends at
 * twice as many. */
TEST(a_wrong_item_is_shown_twice_as_often_as_printed)
{
    const double K = 4, epsilon = 0.5, gap = 0.15, t = 1e5;
    const double w = sqrt(1.5) + K / epsilon * sqrt(24);
    const double printed = 2 * log(t) * w * w / (gap * gap);
    assert_near(2 * w * sqrt(log(t) / printed), sqrt(2) * gap, 1e-12);
    assert_near(2 * w * sqrt(log(t) / (2 * printed)), gap, 1e-12);
}

/* True if B^xi >= (1 + xi)^1.5 log^1.5 B, at B = e^u. */
static bool is_large_enough(double u, double xi)
{
    return xi * u >= 1.5 * log1p(xi) + 1.5 * log(u);
}

/* Wang et al. 2022, proof of Theorem 2: "sufficiently large" B, from where on the step above holds. */
TEST(sufficiently_large_is_out_of_reach)
{
    const struct {
        double xi, log_least;
    } cases[] = {{0.5, log(1.205e3)}, {0.2, log(1.483e11)}, {0.1, log(4.884e27)}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double xi = cases[c].xi;
        double low = 1.5 / xi, high = 1e4; /* the difference of both sides rises between these */
        assert_true(!is_large_enough(low, xi) && is_large_enough(high, xi));
        for (int i = 0; i < 100; i++) {
            const double middle = 0.5 * (low + high);
            *(is_large_enough(middle, xi) ? &high : &low) = middle;
        }
        assert_near(high, cases[c].log_least, 2e-3);
        for (double u = 1; u < low; u += 0.01) { /* it fails from B = e up to there */
            assert_false(is_large_enough(u, xi));
        }
    }
    /* The paper's own setting, L = 20 and epsilon = 1, with a gap of 0.15, lambda = 1/2, c1 = 1: B = 6
     * L log t / (epsilon gap / 2) reaches 1.48 10^11 at log t = 9.3 10^7. */
    assert_near(1.483e11 * 0.15 / 2 / (6 * 20), 9.3e7, 1e6);
}

/* In steps of 0.1: the farthest step of a walk that counts, and its farthest place. */
enum { REACH = 90, HALF = 520, PLACES = 2 * HALF + 1 };

/* One more draw of N(0,1), for a walk whose law on steps of 0.1 is `law`. Returns the probability with
 * which the walk is then outside of `limit`; from there it does not come back. */
static double walk_on(double limit, double *law)
{
    static double next[PLACES];
    double outside = 0;
    for (int to = 0; to < PLACES; to++) {
        next[to] = 0;
        for (int from = to > REACH ? to - REACH : 0; from < PLACES && from <= to + REACH; from++) {
            const double z = 0.1 * (to - from);
            next[to] += law[from] * 0.1 * exp(-0.5 * z * z) / sqrt(2 * acos(-1));
        }
        const double share = 10 * limit + 0.5 - abs(to - HALF); /* of this step, inside */
        outside += next[to] * (1 - fmax(0, fmin(1, share)));
        next[to] *= fmax(0, fmin(1, share));
    }
    memcpy(law, next, sizeof next);
    return outside;
}

/* Wang et al. 2022, proof of Theorem 10: the mean of n draws of noise passes 2 sigma sqrt(log t / n) with
 * probability at most 2 t^-2. That is for one n. For all n below t = 100 together it is false. */
TEST(noise_passes_its_bound_at_some_count)
{
    static double law[PLACES];
    const int t = 100;
    double some = 0;
    law[HALF] = 1;
    for (int n = 1; n < t; n++) {
        some += walk_on(2 * sqrt(n * log(t)), law);
    }
    assert_near(erfc(2 * sqrt(log(t)) / sqrt(2)), 1.77e-5, 1e-7); /* for one n */
    assert_near(some, 3.65e-4, 4e-6);
    assert_true(some > 2.0 / (t * t));
}

/* Sajed 2019, Theorem 4.1.3: the number of samples after which Algorithm 8 has halted. */
static double halted_by(double ratio, double spread, double beta, double epsilon)
{
    const double logarithm = log(log(ratio) / beta);
    return 2000 * (ratio * ratio * logarithm + spread * logarithm / epsilon +
                   ratio * log(1 / beta) / epsilon);
}

/* Here ratio = R/(alpha |mu|) and spread = R/|mu|. */
TEST(the_stopping_time_is_negative_near_one)
{
    assert_near(halted_by(1 / (0.99 * 0.999), 1 / 0.999, 0.08, 1), -2903, 0.5);

    /* From a ratio of e on, the first two facts of the proof hold. */
    for (double ratio = exp(1); ratio < 1e9; ratio *= 1.5) {
        for (double beta = 0.08; beta > 1e-15; beta /= 3) {
            const double logarithm = log(log(ratio) / beta);
            double t = 1000 * ratio * ratio * logarithm;
            assert_true(log(4 * log2(t) / beta) / t <= 1 / (18 * ratio * 18 * ratio));
            for (double epsilon = 1; epsilon > 1e-6; epsilon /= 10) {
                t = 1000 * ratio * logarithm / epsilon; /* alpha = 1 */
                assert_true(log(4 * log2(t) / beta) / t <= epsilon / (288 * ratio));
            }
        }
    }
}

/* Sajed 2019, Fact A.3.2: for a >= 1 and 0 < b <= 1/16, log(a log x)/x > b if e <= x <= x0, and < b
 * if x >= 2 x0, with x0 = log(a log(1/b))/b. The first half fails at a = 1 and x = e. Only the second
 * half is used. */
TEST(half_of_a_fact_fails)
{
    const double e = exp(1), b = 1.0 / 16;
    assert_near(log(log(16)) / b, 16.3165, 1e-4); /* x0: so x = e is in the range */
    assert_near(log(log(e)) / e, 0, 1e-15);
    assert_true(log(log(e)) / e < b);
    for (double smaller = b; smaller > 1e-12; smaller *= 0.9) {
        for (double a = 1; a < 1e15; a *= 1.7) {
            for (double x = 2 * log(a * log(1 / smaller)) / smaller; x < 1e16; x *= 3) {
                assert_true(log(a * log(x)) / x < smaller);
            }
        }
    }
}

/* Sajed 2019, Algorithm 9: the length of an epoch. */
static double epoch_length(int epoch, double arms, double epsilon, double beta)
{
    const double gap = ldexp(1, -epoch), square = (double)epoch * epoch;
    return fmax(32 * log(8 * arms * square / beta) / (gap * gap),
                8 * log(4 * arms * square / beta) / (epsilon * gap)) +
           1;
}

/* Sajed 2019, proof of Lemma 5.1.2: R_e <= R_(e+1)/2 fails when arms are dropped. With K for |S| the
 * sum that follows from it is right. */
TEST(epochs_do_not_always_double)
{
    const double first = epoch_length(1, 20, 0.01, 1e-3), second = epoch_length(2, 2, 0.01, 1e-3);
    assert_near(first, 18064.7, 0.1);
    assert_near(second / 2, 16598.1, 0.1);
    for (double K = 2; K < 1e4; K *= 3) {
        for (double epsilon = 10; epsilon > 1e-6; epsilon /= 10) {
            for (double beta = 0.5; beta > 1e-12; beta /= 10) {
                double sum = 0;
                for (int e = 1; e <= 20; e++) {
                    sum += ceil(epoch_length(e, K, epsilon, beta));
                    const double last = 32 * log(8 * K * e * e / beta) * ldexp(1, 2 * e) +
                                        8 * log(4 * K * e * e / beta) / epsilon * ldexp(1, e);
                    assert_true(sum <= 2 * last);
                }
            }
        }
    }
}

/* The probability that the noise of the threshold and that of one query, Laplace of scale b, add up to
 * more than x, or to less than -x. */
static double two_noises_pass(double x, double b)
{
    return exp(-x / b) * (2 + x / b) / 4;
}

/* Sajed 2019, Theorem 3.2.2: Algorithm 4 adds noise of scale 3 D/epsilon, D the sensitivity, and the
 * proof takes 3/epsilon. A single query, a little more than alpha above the threshold: the answer is
 * wrong if the noise is below -alpha. */
TEST(sparse_vector_leaves_out_its_sensitivity)
{
    const double epsilon = 1, beta = 0.2, printed = 6 * log(2 / beta) / epsilon;
    assert_near(two_noises_pass(printed, 3 * 1 / epsilon), 0.01651, 1e-5);
    assert_near(two_noises_pass(printed, 3 * 4 / epsilon), 0.24913, 1e-5); /* above beta */
    for (double smaller = beta; smaller > 1e-12; smaller *= 0.7) {
        for (double D = 0.01; D < 1e6; D *= 3) {
            const double alpha = 6 * D * log(2 / smaller) / epsilon, b = 3 * D / epsilon;
            assert_true(two_noises_pass(alpha, b) < smaller);
            /* The step of the proof: each of the two noises alone is below alpha/2. */
            assert_near(2 * exp(-alpha / 2 / b), smaller, 1e-12);
        }
    }
}
