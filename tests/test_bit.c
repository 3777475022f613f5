/* test_bit.c - one bit by randomized response: its distribution and its noise. */
#include "support/test.h"

#include <math.h>

#include "privacy/local/bit.h"
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
    return ones / BITS;
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
                const double off = 5.0 * sqrt(expected * (1.0 - expected) / BITS);
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
