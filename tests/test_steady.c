/* test_steady.c - coins and reports of devices whose time tells nothing.
 *
 * Times would differ with the load of the machine, so the tests count the random words that are
 * read. bench/bench_report_time.c measures times. The laws are tested as in test_exact.c, and the
 * digits after the first word with scripted words.
 */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/wide.h"
#include "privacy/local/bit.h"
#include "privacy/local/cube.h"
#include "privacy/local/position.h"
#include "privacy/local/steady.h"
#include "privacy/noise/exact.h"
#include "support/statistics.h"
#include "support/test_source.h"

static test_source source;

/* The number of words that were read since the source was made. */
static size_t count_words(void)
{
    return (source.refills * LOTOR_SOURCE_WINDOW_BYTES - source.window.left) / sizeof(uint64_t);
}

/* --- laws ------------------------------------------------------------------------------------- */

/* The share of accepted proposals, of SAMPLES, is within six standard deviations of the law, which
 * is less than 10% of the law. */
TEST(proposals_are_accepted_with_their_probability)
{
    static const struct {
        lotor_ratio epsilon;
        unsigned doublings;
    } cases[] = {{{1, 10}, 0}, {{1, 2}, 0}, {{1, 1}, 0}, {{7, 3}, 0}, {{3, 1}, 0},
                 {{1, 1}, 1},  {{7, 3}, 2}, {{4, 1}, 4}, {{4, 1}, 3}};
    test_source_seed(&source, 1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double law =
            ldexp(exp(-lotor_ratio_to_double(cases[c].epsilon)), (int)cases[c].doublings);
        double accepted = 0.0;
        for (size_t i = 0; i < SAMPLES; i++) {
            accepted +=
                lotor_steady_accepts(&source.source, cases[c].epsilon, cases[c].doublings, false);
        }
        const double off = 6.0 * sqrt(law * (1.0 - law) / (double)SAMPLES);
        assert_true(off < 0.1 * law);
        assert_true(fabs(accepted / (double)SAMPLES - law) < off);
    }
}

TEST(what_is_always_accepted_is)
{
    static const lotor_ratio epsilons[] = {{1, 10}, {1, 1}, {9, 1}, {1000, 1}};
    test_source_seed(&source, 2);
    for (size_t e = 0; e < 4; e++) {
        for (size_t i = 0; i < 1000; i++) {
            assert_true(lotor_steady_accepts(&source.source, epsilons[e], 0, true));
            assert_true(lotor_steady_accepts(&source.source, epsilons[e], e > 0, true));
        }
    }
}

static double uniform_mass(int64_t value, const void *bound)
{
    const int64_t most = *(const int64_t *)bound;
    return value >= 0 && value < most ? 1.0 / (double)most : 0.0;
}

TEST(numbers_below_a_bound_are_uniform)
{
    static int64_t drawn[SAMPLES];
    static const int64_t bounds[] = {2, 3, 17, 100};
    for (size_t b = 0; b < 4; b++) {
        test_source_seed(&source, 3 + b);
        for (size_t i = 0; i < SAMPLES; i++) {
            drawn[i] = (int64_t)lotor_steady_below(&source.source, (uint64_t)bounds[b]);
        }
        assert_true(chi_square_test(drawn, SAMPLES, uniform_mass, &bounds[b]) > P_ACCEPT);
    }
}

/* --- the digits after the first word ---------------------------------------------------------- */

/* The words around num/den, and the same words again: the same result as the plain sampler, after
 * the same number of words. */
TEST(a_fraction_is_compared_exactly)
{
    static const uint64_t fractions[][2] = {
        {0, 1}, {1, 1}, {1, 3},          {2, 3},
        {1, 4}, {5, 7}, {3, UINT64_MAX}, {UINT64_MAX - 1, UINT64_MAX}};
    for (size_t f = 0; f < sizeof fractions / sizeof *fractions; f++) {
        const uint64_t num = fractions[f][0], den = fractions[f][1];
        const uint64_t turn = (uint64_t)(((lotor_u128)num << 64) / den);
        for (uint64_t i = 0; i < 49; i++) {
            const uint64_t words[] = {turn + i % 7 - 3, turn + i / 7 - 3};
            test_source_script(&source, words, 2, 4);
            const bool plain = lotor_exact_bernoulli(&source.source, num, den);
            const size_t read = count_words();
            test_source_script(&source, words, 2, 4);
            assert_int_equal(lotor_steady_bernoulli(&source.source, num, den), plain);
            assert_int_equal(count_words(), read);
        }
    }
}

/* True if a coin of e^-1 that reads these words is true, and that it reads so many. */
static bool falls(uint64_t first, uint64_t second, size_t words)
{
    const uint64_t script[] = {first, second};
    test_source_script(&source, script, 2, 5);
    const bool yes = lotor_steady_accepts(&source.source, lotor_ratio_of(1, 1), 0, false);
    assert_int_equal(count_words(), words);
    return yes;
}

/* The words around 1/k!, for all k that one word is compared with. The first step k with
 * U >= 1/k! decides by being odd. If 1/k! is between two words, the second word decides. */
TEST(factorials_are_compared_exactly)
{
    uint64_t factorial = 1;
    for (unsigned k = 2; k <= 20; k++) {
        factorial *= k;
        const uint64_t last = (uint64_t)((((lotor_u128)1 << 64) - 1) / factorial);
        const bool is_sharp = (uint64_t)(last + 1) * factorial == 0; /* 2^64/k! is whole */
        const bool odd = k & 1;
        assert_true(falls(last + 1, 0, 1) == odd);
        assert_true(falls(last - 1, UINT64_MAX, k < 20 ? 1 : 2) ==
                    !odd); /* step 21 is not passed */
        assert_true(falls(last, 0, is_sharp ? 1 : 2) == !odd);
        assert_true(falls(last, UINT64_MAX, is_sharp ? 1 : 2) == (is_sharp ? !odd : odd));
    }
    assert_true(falls(0, UINT64_MAX, 2));
}

/* --- the number of words ---------------------------------------------------------------------- */

/* An accepted proposal reads as many words if it was sure to be accepted as if it was not. */
TEST(accepted_proposals_read_the_same_number_of_words)
{
    static const struct {
        lotor_ratio epsilon;
        unsigned doublings;
        size_t words;
    } cases[] = {{{1, 1}, 0, 1},  {{1, 2}, 0, 21}, {{3, 1}, 0, 3},
                 {{5, 2}, 0, 23}, {{3, 1}, 2, 3},  {{3, 1}, 3, 24}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (size_t i = 0; i < 2000; i++) {
            const bool always = i & 1;
            test_source_seed(&source, 100 + i);
            if (lotor_steady_accepts(&source.source, cases[c].epsilon, cases[c].doublings,
                                     always)) {
                assert_int_equal(count_words(), cases[c].words);
            } else {
                assert_true(!always && count_words() <= cases[c].words);
            }
        }
    }
}

/* Two samples of numbers of words. */
typedef struct two_samples {
    double counts[2][4096];
    double totals[2];
} two_samples;

static void add_sample(two_samples *samples, bool which, size_t words)
{
    assert_true(words < 4096);
    samples->counts[which][words]++;
    samples->totals[which]++;
}

/* The p-value of the chi-square test that both samples have the same law. The rare large numbers
 * are one cell. */
static double compare_samples(const two_samples *samples)
{
    const double all = samples->totals[0] + samples->totals[1];
    double statistic = 0.0, cells[2] = {0.0}, seen = 0.0;
    int degrees = -1;
    for (size_t words = 0; words < 4096; words++) {
        cells[0] += samples->counts[0][words];
        cells[1] += samples->counts[1][words];
        const double cell = cells[0] + cells[1],
                     smaller = fmin(samples->totals[0], samples->totals[1]);
        const double rest = all - seen - cell;
        if (words < 4095 && (cell * smaller < 20.0 * all || rest * smaller < 20.0 * all)) {
            continue;
        }
        for (int which = 0; which < 2 && cell > 0.0; which++) {
            const double expected = cell * samples->totals[which] / all;
            statistic += (cells[which] - expected) * (cells[which] - expected) / expected;
        }
        degrees += cell > 0.0;
        seen += cell;
        cells[0] = cells[1] = 0.0;
    }
    assert_true(degrees >= 1 && samples->totals[0] > 1000.0 && samples->totals[1] > 1000.0);
    return chi_square_p(statistic, degrees);
}

static const lotor_ratio epsilons[] = {{1, 2}, {1, 1}, {5, 2}};

/* The comparison notices a difference: a coin that is tossed for lies only. */
TEST(the_comparison_of_words_has_power)
{
    two_samples samples = {0};
    test_source_seed(&source, 6);
    for (size_t i = 0; i < SAMPLES; i++) {
        const size_t before = count_words();
        bool lie;
        do {
            lie = lotor_exact_below(&source.source, 2) == 1;
        } while (lie && !lotor_exact_bernoulli_exp(&source.source, 1, 1));
        add_sample(&samples, lie, count_words() - before);
    }
    assert_true(compare_samples(&samples) < P_ACCEPT);
}

/* The same coins read the same number of words for every reward. Over SAMPLES reports, the number
 * of words has the same law for truths and for lies. */
TEST(a_bit_reads_the_same_words_for_truth_and_lie)
{
    enum { WIDTH = 7 };
    for (size_t e = 0; e < 3; e++) {
        lotor_bit law;
        bool sent;
        assert_int_equal(lotor_bit_make(epsilons[e], WIDTH, NULL, &law), LOTOR_OK);
        for (uint64_t seed = 0; seed < 200; seed++) {
            size_t words = 0;
            for (uint64_t steps = 0; steps <= WIDTH; steps++) {
                test_source_seed(&source, seed);
                assert_int_equal(lotor_bit_send(&law, steps, &source.source, &sent), LOTOR_OK);
                assert_true(steps == 0 || count_words() == words);
                words = count_words();
            }
        }
        two_samples samples = {0};
        test_source_seed(&source, 7 + e);
        for (size_t i = 0; i < SAMPLES; i++) {
            const size_t before = count_words();
            const bool truth = i & 1;
            assert_int_equal(lotor_bit_send(&law, truth ? WIDTH : 0, &source.source, &sent),
                             LOTOR_OK);
            add_sample(&samples, sent != truth, count_words() - before);
        }
        assert_true(compare_samples(&samples) > P_ACCEPT);
    }
}

TEST(a_position_reads_the_same_words_for_truth_and_lie)
{
    enum { SLOTS = 4 };
    for (size_t e = 0; e < 3; e++) {
        lotor_position law;
        size_t report;
        lotor_noise noise = lotor_noise_exact(&source.source);
        assert_int_equal(lotor_position_make(SLOTS, epsilons[e], NULL, &law), LOTOR_OK);
        for (uint64_t seed = 0; seed < 200; seed++) {
            size_t words = 0;
            for (size_t place = 1; place <= SLOTS + 1; place++) {
                test_source_seed(&source, seed);
                assert_int_equal(lotor_position_report(&law, place, &noise, &report), LOTOR_OK);
                assert_true(place == 1 || count_words() == words);
                words = count_words();
            }
        }
        two_samples samples = {0};
        test_source_seed(&source, 10 + e);
        for (size_t i = 0; i < SAMPLES; i++) {
            const size_t before = count_words(), place = 1 + i % (SLOTS + 1);
            assert_int_equal(lotor_position_report(&law, place, &noise, &report), LOTOR_OK);
            add_sample(&samples, report != place, count_words() - before);
        }
        assert_true(compare_samples(&samples) > P_ACCEPT);
    }
}

/* Here a lie is a report on the side that is less likely. */
TEST(a_cube_reads_the_same_words_for_truth_and_lie)
{
    static const struct {
        size_t slots;
        lotor_ratio epsilon;
    } cases[] = {{1, {1, 1}}, {4, {1, 2}}, {5, {5, 2}}, {6, {9, 2}}};
    enum { WHOLE = 10 };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        lotor_cube law;
        uint64_t report, parts[LOTOR_CUBE_MAX];
        lotor_noise noise = lotor_noise_exact(&source.source);
        assert_int_equal(lotor_cube_make(cases[c].slots, cases[c].epsilon, NULL, &law), LOTOR_OK);
        for (uint64_t seed = 0; seed < 200; seed++) {
            size_t words = 0;
            for (uint64_t rewards = 0; rewards < 8; rewards++) {
                for (size_t i = 0; i < law.slots; i++) {
                    parts[i] = rewards == 7 ? 3 + i : (rewards >> (i % 3) & 1) * WHOLE;
                }
                test_source_seed(&source, seed);
                assert_int_equal(lotor_cube_report(&law, parts, law.slots, WHOLE, &noise, &report),
                                 LOTOR_OK);
                assert_true(rewards == 0 || count_words() == words);
                words = count_words();
            }
        }
        two_samples samples = {0};
        memset(parts, 0, sizeof parts);
        test_source_seed(&source, 20 + c);
        for (size_t i = 0; i < SAMPLES; i++) {
            const size_t before = count_words();
            assert_int_equal(lotor_cube_report(&law, parts, law.slots, WHOLE, &noise, &report),
                             LOTOR_OK);
            const size_t agreeing = law.slots - (size_t)__builtin_popcountll(report);
            add_sample(&samples, agreeing < law.threshold, count_words() - before);
        }
        assert_true(compare_samples(&samples) > P_ACCEPT);
    }
}
