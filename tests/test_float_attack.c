/* test_float_attack.c - the low bits of an output do not reveal the sum behind it (Mironov 2012).
 *
 * Outputs of the integer path are whole units, whatever the noise, so two neighbouring sums have
 * the same possible outputs. As a control, the textbook Laplace mechanism in doubles must fail the
 * same test.
 */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/random/laws.h"
#include "privacy/release/counter.h"
#include "support/test_source.h"

enum { DRAWS = 200000, WINDOW = 64 };

static test_source source;

static lotor_counter *counter_at(uint64_t epsilon)
{
    const lotor_counter_params params = {
        .mechanism = "batch",
        .epsilon = lotor_ratio_of(epsilon, 1),
        .low = 0.0,
        .high = 1.0,
    };
    lotor_counter *counter;
    assert_int_equal(lotor_counter_new_on(&params, &source.source, NULL, &counter), LOTOR_OK);
    return counter;
}

/* The outputs, in units around 0, that a sum of `units` can give. The first batch is one value. */
static void support_of(int units, bool seen[2 * WINDOW + 1])
{
    memset(seen, 0, (2 * WINDOW + 1) * sizeof *seen);
    for (int i = 0; i < DRAWS; i++) {
        lotor_counter *counter = counter_at(1 << 17); /* noise of scale 2^20 / 2^17 = 8 units */
        assert_int_equal(lotor_counter_add(counter, units * 0x1p-20, NULL), LOTOR_OK);
        const double output = lotor_counter_value(counter) * 0x1p20;
        assert_true(output == floor(output)); /* a whole number of units, to the last bit */
        if (fabs(output) <= (double)WINDOW) {
            seen[(int)output + WINDOW] = true;
        }
        lotor_counter_free(counter);
    }
}

/* An output 50 units away has probability above e^(-50/8)/17 = 1.1e-4 from either sum: 200,000
 * draws miss one of the 101 with probability below 101 e^-22 < 1e-7. */
TEST(neighbouring_sums_have_equal_supports)
{
    static bool from_zero[2 * WINDOW + 1], from_three[2 * WINDOW + 1];
    test_source_seed(&source, 1);
    support_of(0, from_zero);
    support_of(3, from_three);
    for (int output = -47; output <= 50; output++) {
        assert_true(from_zero[output + WINDOW]);
        assert_true(from_three[output + WINDOW]);
    }
}

/* Values that differ only below the unit become the same integers, and so give the same outputs. */
TEST(bits_below_the_unit_are_gone_at_the_door)
{
    const double values[] = {0.3, nextafter(0.3, 1.0), 0.3 + 1e-8};
    double outputs[3];
    for (int i = 0; i < 3; i++) {
        test_source_seed(&source, 2);
        lotor_counter *counter = counter_at(1);
        assert_int_equal(lotor_counter_add(counter, values[i], NULL), LOTOR_OK);
        outputs[i] = lotor_counter_value(counter);
        lotor_counter_free(counter);
    }
    assert_true(outputs[0] == outputs[1] && outputs[1] == outputs[2]);
}

/* The control. For |x| < 1, 1 + x in doubles is a multiple of 2^-53, but 0 + x is not. So an output
 * that is not such a multiple can only come from the sum 0. By the law, that is true of 43% of the
 * outputs below 1; the test expects more than a third. */
TEST(the_textbook_laplace_fails_this)
{
    lotor_generator generator;
    lotor_generator_seed(&generator, 3);
    int small = 0, telling = 0;
    for (int i = 0; i < DRAWS; i++) {
        const double from_zero = 0.0 + lotor_random_laplace(&generator, 1.0);
        const double grains = from_zero * 0x1p53;
        small += fabs(from_zero) < 1.0;
        telling += fabs(from_zero) < 1.0 && grains != floor(grains);
        const double from_one = 1.0 + lotor_random_laplace(&generator, 1.0);
        if (from_one > 0.0 && from_one < 1.0) {
            assert_true(from_one * 0x1p53 == floor(from_one * 0x1p53));
        }
    }
    assert_true(telling > small / 3);
}
