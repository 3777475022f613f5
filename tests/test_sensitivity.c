/* test_sensitivity.c - a counter's noise fits how much one value can change it.
 *
 * The scale is width * parts / epsilon, with the width of the declared range and not its largest
 * value: [5,7] needs twice the noise of [0,1], and [-1,1] as much as [5,7].
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "privacy/noise/noise.h"
#include "privacy/release/counter.h"
#include "privacy/release/scale.h"
#include "support/draw.h"
#include "support/test_source.h"

static test_source source, twin;

static const struct {
    double low, high;
} ranges[] = {{0, 1}, {-1, 1}, {-3, -1}, {5, 7}, {0, 10}, {-0.25, 0.25}};

/* Parts at horizon 8: the tree has 4 levels, the hybrid's blocks get half of epsilon. */
static const struct {
    const char *id;
    double parts;
} mechanisms[] = {{"tree", 4}, {"hybrid", 2}, {"batch", 1}};

static lotor_counter_params params_of(const char *mechanism, double low, double high)
{
    return (lotor_counter_params){
        .mechanism = mechanism,
        .epsilon = lotor_ratio_of(1, 2),
        .horizon = 8,
        .low = low,
        .high = high,
    };
}

static lotor_counter *make(const lotor_counter_params *params)
{
    lotor_counter *counter;
    lotor_message why;
    assert_int_equal(lotor_counter_new_on(params, &source.source, &why, &counter), LOTOR_OK);
    return counter;
}

static double scale_of(const lotor_counter_params *params)
{
    lotor_counter *counter = make(params);
    lotor_guarantee guarantee;
    lotor_counter_guarantee(counter, &guarantee);
    lotor_counter_free(counter);
    return guarantee.scale;
}

TEST(scales_follow_the_width)
{
    test_source_seed(&source, 1);
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        const double width = ranges[r].high - ranges[r].low;
        for (size_t m = 0; m < sizeof mechanisms / sizeof *mechanisms; m++) {
            const lotor_counter_params params =
                params_of(mechanisms[m].id, ranges[r].low, ranges[r].high);
            assert_true(scale_of(&params) == width * mechanisms[m].parts / 0.5);
        }
        lotor_counter_params params = params_of("gaussian-tree", ranges[r].low, ranges[r].high);
        params.epsilon = lotor_ratio_of(1, 1);
        params.delta = lotor_ratio_of(1, 100000);
        /* A(1, 1e-5) = 1.0843 * 3.7303 (test_account_gaussian), times sqrt(4 levels). */
        assert_true(fabs(scale_of(&params) / (width * 1.0843 * 3.7303 * 2.0) - 1.0) < 1e-3);
    }
}

/* The claimed scale is the one that is drawn: the first output minus its value. */
TEST(the_claimed_scale_is_drawn)
{
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        for (size_t m = 0; m < sizeof mechanisms / sizeof *mechanisms; m++) {
            const lotor_counter_params params =
                params_of(mechanisms[m].id, ranges[r].low, ranges[r].high);
            test_source_seed(&source, 2);
            test_source_seed(&twin, 2);
            lotor_counter *counter = make(&params);
            assert_int_equal(lotor_counter_add(counter, ranges[r].low, NULL), LOTOR_OK);
            const double width = ranges[r].high - ranges[r].low;
            const double unit = width < 1.0 ? 0x1p-21 : 0x1p-20;
            const uint64_t scale = (uint64_t)(width * mechanisms[m].parts / 0.5 / unit);
            lotor_noise noise = lotor_noise_exact(&twin.source);
            int64_t drawn;
            assert_int_equal(draw_noise(&noise, LOTOR_LAW_LAPLACE, scale, 1, &drawn), LOTOR_OK);
            const double expected = ranges[r].low + (double)drawn * unit;
            assert_true(fabs(lotor_counter_value(counter) - expected) < 1e-9);
            lotor_counter_free(counter);
        }
    }
}

/* With any budget, finite epsilon means noise of at least one unit. (A delta close to 1 once
 * rounded to 1 and gave no noise.) */
TEST(a_finite_epsilon_is_never_free_of_noise)
{
    test_source_seed(&source, 3);
    lotor_counter_params params = params_of("gaussian-tree", 0, 1);
    params.epsilon = lotor_ratio_of(1, 1);
    assert_int_equal(lotor_ratio_parse("0.999999999999999999", NULL, &params.delta), LOTOR_OK);
    assert_true(scale_of(&params) >= 0x1p-20);
    params.epsilon = lotor_ratio_of(UINT64_C(1) << 62, 1);
    params.delta = lotor_ratio_of(1, 2);
    assert_true(scale_of(&params) >= 0x1p-20);
    params = params_of("tree", 0, 1);
    params.epsilon = lotor_ratio_of(UINT64_C(1) << 62, 1);
    assert_true(scale_of(&params) >= 0x1p-20);
    params.delta = lotor_ratio_of(1, 1);
    params.mechanism = "gaussian-tree";
    lotor_message why;
    assert_non_null(lotor_counter_check(&params, &why));
    assert_non_null(strstr(why.text, "delta"));
}

/* Refused when the counter is made: sums or noise that could exceed 64 bits, and ranges so far from
 * 0 that hardly any value fits. */
TEST(what_could_overflow_is_refused_at_the_start)
{
    test_source_seed(&source, 4);
    lotor_counter *counter;
    lotor_message why;
    lotor_counter_params params = params_of("tree", 0, 1);
    params.horizon = (UINT64_C(1) << 41) + 1; /* 2^41 values of 2^20 units are 2^61 */
    assert_int_equal(lotor_counter_new_on(&params, &source.source, &why, &counter), LOTOR_OVERFLOW);
    assert_non_null(strstr(why.text, "2199023255553"));
    params.horizon = UINT64_C(1) << 41;
    params.epsilon = lotor_ratio_of(1, 1000);
    assert_int_equal(lotor_counter_new_on(&params, &source.source, &why, &counter), LOTOR_OK);
    lotor_counter_free(counter);

    params.epsilon = lotor_ratio_of(1, UINT64_C(1000000000000)); /* 42 * 64 * 42 * 2^20 * 10^12 */
    assert_int_equal(lotor_counter_new_on(&params, &source.source, &why, &counter), LOTOR_OVERFLOW);
    assert_non_null(strstr(why.text, "epsilon"));

    /* 42 levels at scale 42 * 2^46: drawn without trouble, but 64 scales of 42 of them pass
     * 2^61. */
    params.epsilon = lotor_ratio_of(1, UINT64_C(1) << 26);
    assert_int_equal(lotor_counter_new_on(&params, &source.source, &why, &counter), LOTOR_OVERFLOW);
    assert_non_null(strstr(why.text, "epsilon"));

    params = params_of("hybrid", 4294967294.0, 4294967295.0);
    params.horizon = 0;
    assert_int_equal(lotor_counter_new_on(&params, &source.source, &why, &counter), LOTOR_OVERFLOW);
    assert_non_null(strstr(why.text, "horizon"));
    params.horizon = 100;
    assert_int_equal(lotor_counter_new_on(&params, &source.source, &why, &counter), LOTOR_OK);
    lotor_counter_free(counter);
}
