/* test_bounds_kl.c - compares the bounds of batch-klucb and rr-klucb with values computed by hand,
 * with brute force (tests/plain/klucb.c), and at epsilons where a careless formula overflows. */
#include "support/test.h"

#include <math.h>

#include "base/random/laws.h"
#include "learn/bounds_kl.h"
#include "plain/game.h"
#include "privacy/release/schedule.h"

static void expect_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) {
        fail_msg("%.12g where %.12g is expected", found, expected);
    }
}

/* log t + 3 log log t by hand: at t = 3 it is 1.098612 + 3 * 0.094048 = 1.380756. */
TEST(budgets_stand_on_a_grid)
{
    expect_near(lotor_kl_budget(1), 1.38, 1e-12);
    expect_near(lotor_kl_budget(3), 1.38, 1e-12);
    expect_near(lotor_kl_budget(1000), 12.70, 1e-12); /* 6.907755 + 3 * 1.932645 = 12.705689 */
    for (uint64_t t = 3; t < UINT64_C(1) << 62; t += t / 3 + 1) {
        const double exact = log((double)t) + 3.0 * log(log((double)t)), q = lotor_kl_budget(t);
        assert_true(q <= exact && q > exact - 0.02 - 1e-9 && q >= lotor_kl_budget(t - 1));
    }
}

/* Without noise: sqrt(q/(2n)), and kl-UCB. No success in one try: -log(1-v) = q = log 2 at v =
 * 1/2. */
TEST(by_hand_without_noise)
{
    const double q = log(2.0);
    expect_near(lotor_kl_width(3.0, 8.0, INFINITY, 4.0), 0.5, 1e-15);
    expect_near(lotor_kl_bit_bound(0.0, 1.0, q), 0.5, 1e-12);
    expect_near(lotor_kl_bit_bound(0.0, 10.0, 10.0 * log(4.0)), 0.75, 1e-12);
    expect_near(lotor_kl_bit_bound(7.0, 7.0, 0.1), 1.0, 0.0);
    /* kl(1/2, 4/5) = log(1/(2 sqrt(4/25))) = log 1.25 */
    expect_near(lotor_kl_bit_bound(5.0, 10.0, 10.0 * log(1.25)), 0.8, 1e-10);
    expect_near(
        lotor_kl_batch_bound((lotor_batch_sums){4.0, 10.0, 5.0}, INFINITY, 10.0 * log(1.25)), 0.8,
        1e-9);
    expect_near(lotor_kl_batch_bound((lotor_batch_sums){1.0, 1.0, 0.0}, INFINITY, q), 0.5, 1e-9);
    assert_true(lotor_kl_batch_bound((lotor_batch_sums){1.0, 4.0, 4.0}, INFINITY, q) == 1.0);
}

/* p = 3/4 at epsilon = log 3: v = 4/5 is (4/5 - 1/4)/(1/2) = 1.1, above 1 and not clipped. */
TEST(responses_by_hand)
{
    expect_near(lotor_kl_response_bound(5.0, 10.0, log(3.0), 10.0 * log(1.25)), 1.1, 1e-9);
    expect_near(lotor_kl_response_bound(5.0, 10.0, INFINITY, 10.0 * log(1.25)), 0.8, 1e-9);
    expect_near(lotor_kl_response_bound(5.0, 10.0, 1e5, 10.0 * log(1.25)), 0.8, 1e-9);
    for (double ones = 0.0; ones <= 20.0;
         ones++) { /* kl at the bound is q/n, wherever it is below 1 */
        for (double q = 0.01; q < 40.0; q *= 1.7) {
            const double p = ones / 20.0, v = lotor_kl_bit_bound(ones, 20.0, q);
            assert_true(v >= p && v <= 1.0);
            if (ones > 0.0 && ones < 20.0 && v < 1.0 - 1e-9) {
                const double kl = p * log(p / v) + (1.0 - p) * log((1.0 - p) / (1.0 - v));
                expect_near(20.0 * kl, q, 1e-6 + 1e-4 * q * (v > 0.999));
            }
        }
    }
}

static const double epsilons[] = {1e-3, 0.1, 0.25, 1.0, 3.0, 20.0, 1e3, 1e5, 1e9, INFINITY};
enum { EPSILONS = sizeof epsilons / sizeof *epsilons };

/* The sizes of the first `count` batches, the latest first. */
static void batch_sizes(size_t count, double *sizes)
{
    uint64_t end = 0;
    for (size_t i = 0; i < count; i++) {
        sizes[count - 1 - i] = (double)lotor_schedule_growing(end);
        end += lotor_schedule_growing(end);
    }
}

/* Closed form against golden sections. */
TEST(widths_agree_with_brute_force)
{
    for (size_t e = 0; e < EPSILONS; e++) {
        for (double n = 1.0; n < 1e9; n *= 7.0) {
            for (double j = 1.0; j <= 30.0; j += 9.0) {
                for (double q = 1.38; q < 60.0; q *= 2.3) {
                    const double plain = plain_klucb_width(j, n, epsilons[e], q);
                    const double found = lotor_kl_width(j, n, epsilons[e], q);
                    expect_near(found, plain, 1e-8 * plain);
                }
            }
        }
    }
}

/* The search that ends early finds the best number of batches. */
TEST(spans_are_the_best_of_all)
{
    double sizes[110];
    for (double epsilon = 1e-4; epsilon < 1e7; epsilon *= 1.6) {
        for (size_t count = 1; count <= 100; count += count < 20 ? 1 : 9) {
            batch_sizes(count, sizes);
            for (double q = 1.38; q < 100.0; q *= 1.35) {
                const size_t found = lotor_kl_span(sizes, count, epsilon, q);
                double n = 0.0, least = INFINITY, taken = NAN;
                for (size_t j = 1; j <= count; j++) {
                    n += sizes[j - 1];
                    const double width = lotor_kl_width((double)j, n, epsilon, q);
                    least = fmin(least, width);
                    taken = j == found ? width : taken;
                }
                /* up to rounding: beyond 80 batches the first ones change nothing */
                if (!(taken <= least * (1.0 + 1e-13))) {
                    fail_msg("epsilon %g, %zu batches, q %g: %zu is not best", epsilon, count, q,
                             found);
                }
            }
        }
    }
    assert_int_equal(lotor_kl_span(sizes, 77, INFINITY, 10.0), 77);
}

/* Compares with another definition: bisection for the largest mean, with golden sections for the
 * supremum. Sums are from far below 0 to above n. */
TEST(bounds_agree_with_brute_force)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 5);
    size_t inside = 0;
    for (int turn = 0; turn < 6000; turn++) {
        const double epsilon = epsilons[lotor_generator_word(&generator) % EPSILONS];
        const double n = floor(exp(18.0 * lotor_random_uniform(&generator))) + 1.0;
        const double j = fmin(n, floor(12.0 * lotor_random_uniform(&generator)) + 1.0);
        const double q = 1.38 + 30.0 * lotor_random_uniform(&generator);
        const double mean = lotor_random_uniform(&generator);
        const double noise = isinf(epsilon) ? 0.0 : sqrt(j) * lotor_random_laplace(&generator, 1.0);
        const double sum = turn % 7 == 0 ? 0.0 : mean * mean * n + noise / epsilon;
        const double plain = plain_klucb_batch_bound(j, n, sum, epsilon, q);
        const double found = lotor_kl_batch_bound((lotor_batch_sums){j, n, sum}, epsilon, q);
        if (!(found >= 0.0 && found <= 1.0 && fabs(found - plain) <= 1e-6)) {
            fail_msg("epsilon %g, j %g, n %g, sum %g, q %g: %.12g where brute force has %.12g",
                     epsilon, j, n, sum, q, found, plain);
        }
        inside += plain > 1e-6 && plain < 1.0 - 1e-6;
    }
    assert_true(inside > 2000); /* not all at the ends */
}

/* Bounds are monotone in every argument, and finite for huge numbers. */
TEST(bounds_are_monotone_and_finite)
{
    for (size_t e = 0; e < EPSILONS; e++) {
        double previous = 0.0;
        for (double sum = -1e7; sum <= 2e6; sum += 1e4) {
            const double bound =
                lotor_kl_batch_bound((lotor_batch_sums){5.0, 1e6, sum}, epsilons[e], 20.0);
            assert_true(bound >= previous - 1e-9 && bound <= 1.0);
            previous = bound;
        }
        assert_true(lotor_kl_batch_bound((lotor_batch_sums){3.0, 0x1p61, 0x1p60}, epsilons[e],
                                         130.0) < 1.0);
        assert_true(lotor_kl_batch_bound((lotor_batch_sums){1.0, 1.0, -1e300}, epsilons[e], 2.0) >=
                    0.0);
        assert_true(lotor_kl_width(100.0, 0x1p62, epsilons[e], 140.0) > 0.0);
    }
    /* far below 0: no mean above 0 is possible */
    assert_true(lotor_kl_batch_bound((lotor_batch_sums){1.0, 100.0, -1e4}, 1.0, 5.0) == 0.0);
    /* at epsilon = 1e5 the bound is the one without noise, nearly */
    const lotor_batch_sums batches = {8.0, 1000.0, 300.0};
    expect_near(lotor_kl_batch_bound(batches, 1e5, 10.0),
                lotor_kl_batch_bound(batches, INFINITY, 10.0), 1e-6);
}
