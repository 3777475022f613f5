/* test_bit.c - one bit by randomized response: its distribution and its noise. */
#include "support/test.h"

#include <math.h>

#include "board/board.h"
#include "privacy/local/bit.h"
#include "privacy/release/statistic.h"
#include "support/statistics.h"
#include "support/test_source.h"

enum { BITS = 400000 };

static test_source source;

static lotor_bit bit_of(uint64_t num, uint64_t den, uint64_t width)
{
    lotor_bit bit;
    assert_int_equal(lotor_bit_make(lotor_ratio_of(num, den), width, NULL, &bit), LOTOR_OK);
    return bit;
}

/* The share of ones among the reports for a reward of `steps` steps. */
static double share_of(const lotor_bit *bit, uint64_t steps, bool simulated)
{
    double ones = 0.0;
    for (size_t i = 0; i < BITS; i++) {
        bool one = false;
        if (simulated) {
            one = lotor_bit_simulate(bit, steps, &source.generator);
        } else {
            assert_int_equal(lotor_bit_send(bit, steps, &source.source, &one), LOTOR_OK);
        }
        ones += one;
    }
    return ones / (double)BITS;
}

/* Computed by hand: at epsilon = 1 a report is false 1/(1+e) = 0.26894142 of the time, at 1/2
 * 0.37754067, at 5 0.00669285. Rewards are thirds, so that rounding to a bit is not by halves. The
 * tolerance is 5 standard deviations (a false alarm once in 3.5 million); a rate that is 10% off is
 * rejected. */
TEST(shares_of_ones_by_hand)
{
    static const struct {
        uint64_t num, den;
        double lie;
    } cases[] = {{1, 1, 0.26894142137}, {1, 2, 0.37754066880}, {5, 1, 0.00669285092}};
    test_source_seed(&source, 1);
    for (size_t c = 0; c < 3; c++) {
        const lotor_bit bit = bit_of(cases[c].num, cases[c].den, 3);
        const double lie = cases[c].lie;
        assert_true(fabs(bit.lie - lie) < 1e-10);
        for (int simulated = 0; simulated < 2; simulated++) {
            for (uint64_t steps = 0; steps <= 3; steps++) {
                const double expected = lie + (1.0 - 2.0 * lie) * (double)steps / 3.0;
                const double off = 5.0 * sqrt(expected * (1.0 - expected) / (double)BITS);
                const double found = share_of(&bit, steps, simulated);
                assert_true(fabs(found - expected) < off);
                assert_true(steps % 3 != 0 || 0.1 * lie > off);
            }
        }
    }
}

/* The largest ratio of the probabilities is e^epsilon, and it is attained. With the sampled shares,
 * log(p1/p0) is within the sampling error of a logarithm, so half as many false reports would be
 * detected. */
TEST(a_bit_is_epsilon_private)
{
    test_source_seed(&source, 2);
    for (int simulated = 0; simulated < 2; simulated++) {
        const lotor_bit bit = bit_of(1, 1, 1 << 20);
        const double most = share_of(&bit, 1 << 20, simulated);
        const double least = share_of(&bit, 0, simulated);
        assert_true(fabs(log(most / least) - 1.0) < 0.02);
        assert_true(fabs(log((1.0 - least) / (1.0 - most)) - 1.0) < 0.02);
    }
}

TEST(without_noise_bits_are_true)
{
    test_source_seed(&source, 3);
    const lotor_bit bit = bit_of(1, 0, 5);
    assert_true(bit.lie == 0.0);
    for (int simulated = 0; simulated < 2; simulated++) {
        assert_true(share_of(&bit, 5, simulated) == 1.0);
        assert_true(share_of(&bit, 0, simulated) == 0.0);
        assert_true(fabs(share_of(&bit, 2, simulated) - 0.4) < 0.004);
    }
    /* At epsilon = 100,000 a false report never occurs, and nothing overflows. */
    const lotor_bit large = bit_of(100000, 1, 5);
    assert_true(share_of(&large, 5, false) == 1.0 && share_of(&large, 0, true) == 0.0);
}

TEST(what_makes_no_sense_is_refused)
{
    lotor_bit bit;
    lotor_message why = {""};
    assert_int_equal(lotor_bit_make(lotor_ratio_of(0, 1), 5, &why, &bit), LOTOR_INVALID);
    assert_int_equal(lotor_bit_make(lotor_ratio_of(1, 1), 0, &why, &bit), LOTOR_INVALID);
}

/* Without entropy nothing is sent. */
TEST(no_entropy_no_bit)
{
    test_source_seed(&source, 4);
    const lotor_bit bit = bit_of(1, 1, 3);
    source.window.left = 0;
    source.refills_left = 0;
    bool one;
    assert_int_equal(lotor_bit_send(&bit, 1, &source.source, &one), LOTOR_ENTROPY);
}

/* --- many rewards at once ------------------------------------------------------------------------ */

typedef struct bulk {
    uint64_t rounds,
        largest; /* of the rewards, so many are the largest, and the others the smallest */
} bulk;

/* Feeds the same rewards 20,000 times: the ones among their bits are the sum of two binomial numbers,
 * with mean k (1-q) + (n-k) q and variance n q (1-q), where q is the chance of a lie. Both are within 6
 * standard deviations, those of the variance for a normal law; and a variance that is 10% off would be
 * noticed. */
static void expect_law_of_ones(lotor_statistic *statistic, lotor_board *board, bulk fed, double lie,
                               lotor_noise *noise, uint64_t *time)
{
    enum { TIMES = 20000, LEAST = -2, WIDTH = 5 };
    const double n = (double)fed.rounds, k = (double)fed.largest;
    const double mean = k * (1.0 - lie) + (n - k) * lie, variance = n * lie * (1.0 - lie);
    const int64_t sum = LEAST * (int64_t)fed.rounds + WIDTH * (int64_t)fed.largest;
    double before = lotor_board_at(board, 0, 1)->value, sums = 0.0, squares = 0.0;
    for (int i = 0; i < TIMES; i++) {
        assert_int_equal(lotor_statistic_feed(statistic, 1, sum, fed.rounds, ++*time, noise, board),
                         LOTOR_OK);
        const double now = lotor_board_at(board, 0, 1)->value, ones = now - before;
        assert_true(ones >= 0.0 && ones <= n);
        before = now;
        sums += ones - mean;
        squares += (ones - mean) * (ones - mean);
    }
    assert_true(fabs(sums / (double)TIMES) <= 6.0 * sqrt(variance / (double)TIMES));
    const double fourth = 3.0 + (1.0 - 6.0 * lie * (1.0 - lie)) / fmax(variance, 1e-300);
    const double off = 6.0 * variance * sqrt((fourth - 1.0) / (double)TIMES);
    assert_true(fabs(squares / (double)TIMES - variance) <= off);
    assert_true(variance < 1.0 || off < 0.1 * variance);
}

TEST(bits_in_bulk)
{
    static const lotor_ratio epsilons[] = {{1, 10}, {1, 1}, {3, 1}, {8, 1}, {1, 0}};
    static const bulk cases[] = {{2, 1}, {50, 15}, {50, 0}, {50, 50}, {4000, 100}, {100000, 99999}};
    test_source_seed(&source, 5);
    for (size_t e = 0; e < 5; e++) {
        const lotor_release_params params = {.dimension = 1,
                                             .epsilon = epsilons[e],
                                             .l1 = 5,
                                             .l2 = 5,
                                             .magnitude = 3,
                                             .slots = 1,
                                             .least = -2,
                                             .width = 5};
        lotor_statistic *statistic;
        lotor_board *board;
        uint64_t time = 0, count = 0;
        assert_int_equal(
            lotor_statistic_new(&lotor_statistic_bits, 2, &params, 1.0, NULL, &statistic),
            LOTOR_OK);
        assert_int_equal(lotor_board_new(1, 2, &board), LOTOR_OK);
        lotor_noise noise = lotor_noise_simulated(&source.generator);
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            const double lie = 1.0 / (1.0 + exp(lotor_ratio_to_double(epsilons[e])));
            expect_law_of_ones(statistic, board, cases[c], lie, &noise, &time);
            count += 20000 * cases[c].rounds;
            assert_int_equal(lotor_board_at(board, 0, 1)->count, count);
        }
        lotor_statistic_free(statistic);
        lotor_board_free(board);
    }
}
