/* test_statistic_scale.c - the noise scale that each kind of statistic claims: the formulas, by
 * hand. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "policy/policy.h"
#include "privacy/release/statistic.h"

enum { UNIT = 1 << 20 };

static lotor_ratio ratio(const char *text)
{
    lotor_ratio read;
    assert_int_equal(lotor_ratio_parse(text, NULL, &read), LOTOR_OK);
    return read;
}

/* By hand, in widths of a reward; a width is UNIT units. The printed ones are in l2 = sqrt(K). */
static const struct {
    const lotor_statistic_kind *kind;
    unsigned slots;
    const char *epsilon, *delta;
    uint64_t horizon;
    double noise_scale, scale;
} golden[] = {
    {&lotor_statistic_exact, 4, "1", "0", 100, 1, 0},
    /* ceil(log2 T) + 1 levels */
    {&lotor_statistic_tree, 1, "1", "0", 8, 1, 4},
    {&lotor_statistic_tree, 1, "0.5", "0", 9, 1, 10},
    {&lotor_statistic_doubling, 4, "0.5", "0", 100, 1, 8},
    {&lotor_statistic_episodes, 1, "0.5", "0", 0, 1, 2},
    {&lotor_statistic_episodes_kept, 1, "0.5", "0", 0, 1, 2},
    /* floor(log2 T) + 1 levels */
    {&lotor_statistic_tree_tight, 1, "1", "0", 7, 1, 3},
    {&lotor_statistic_tree_tight, 1, "1", "0", 8, 1, 4},
    {&lotor_statistic_tree_tight, 1, "0.5", "0", 9, 1, 8},
    {&lotor_statistic_click_batches, 4, "0.5", "0", 0, 1, 8},
    {&lotor_statistic_click_reports, 4, "0.5", "0", 0, 1, 0},
    {&lotor_statistic_cube_reports, 4, "0.5", "0", 0, 1, 0},
    {&lotor_statistic_hybrid, 20, "1", "0", 100, 1, 40},
    {&lotor_statistic_hybrid, 20, "0.2", "0", 0, 1, 200},
    /* K / epsilon */
    {&lotor_statistic_reports, 1, "1", "0", 100, 1, 1},
    {&lotor_statistic_reports, 4, "0.5", "0", 100, 1, 8},
    {&lotor_statistic_reports, 3, "0.1", "0", 0, 1, 30},
    {&lotor_statistic_reports, 2, "3", "0", 100, 1, 2.0 / 3.0},
    /* sqrt(2 K log(1.25/delta)) / epsilon */
    {&lotor_statistic_reports_gaussian, 1, "1", "0.001", 100, 1, 3.776479532659},
    {&lotor_statistic_reports_gaussian, 4, "1", "0.001", 0, 1, 7.552959065318},
    {&lotor_statistic_reports_gaussian, 4, "0.5", "0.00001", 100, 1, 19.37922105042},
    {&lotor_statistic_reports_gaussian, 3, "2", "0.01", 100, 1, 2.691183866991},
    /* sqrt(4 K log(e + epsilon/delta)) / epsilon; in the last, epsilon is nominally 1 */
    {&lotor_statistic_reports_composed, 1, "1", "0.001", 100, 1, 5.257554516299},
    {&lotor_statistic_reports_composed, 4, "0.5", "0.001", 0, 1, 19.95199027636},
    {&lotor_statistic_reports_composed, 4, "2", "0.00001", 100, 1, 6.987441945905},
    {&lotor_statistic_reports_composed, 4, "100", "0.001", 100, 0.01, 0.1051510903260},
    /* max(2 log T, floor(log2 T) + 1) K / epsilon; the levels are more at T = 1, 2 and 4 */
    {&lotor_statistic_vector_tree, 1, "1", "0", 1, 1, 1},
    {&lotor_statistic_vector_tree, 1, "1", "0", 2, 1, 2},
    {&lotor_statistic_vector_tree, 1, "1", "0", 3, 1, 2.197224577336},
    {&lotor_statistic_vector_tree, 2, "1", "0", 4, 1, 6},
    {&lotor_statistic_vector_tree, 3, "0.5", "0", 5, 1, 19.31325494921},
    {&lotor_statistic_vector_tree, 4, "1", "0", 100, 1, 36.84136148790},
    {&lotor_statistic_vector_tree, 4, "0.1", "0", 100000, 1, 921.0340371976},
    {&lotor_statistic_vector_tree, 1, "2", "0", 1048576, 1, 13.86294361120},
};

/* Scales are rounded up: never below the formula, and above by at most a unit of scale and one of
 * l2. */
TEST(scales_are_the_formulas)
{
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        const lotor_release_params params = {
            .dimension = 1,
            .horizon = golden[i].horizon,
            .epsilon = ratio(golden[i].epsilon),
            .delta = ratio(golden[i].delta),
            .l1 = UINT64_C(1048576) * golden[i].slots,
            .l2 = (uint64_t)ceil((double)UNIT * sqrt(golden[i].slots)),
            .magnitude = UNIT,
            .noise_scale = golden[i].noise_scale,
            .slots = golden[i].slots,
            .width = UNIT,
        };
        uint64_t scale, horizon;
        lotor_message why;
        assert_int_equal(golden[i].kind->plan(&params, &why, &scale, &horizon), LOTOR_OK);
        const double wanted = golden[i].scale * (double)UNIT;
        assert_true((double)scale >= wanted * (1.0 - 1e-11));
        assert_true((double)scale <= wanted * (1.0 + 1e-11) + 1.0 + golden[i].scale);
        lotor_statistic *made;
        assert_int_equal(lotor_statistic_new(golden[i].kind, 2, &params, 0x1p-20, &why, &made),
                         LOTOR_OK);
        assert_int_equal(lotor_statistic_scale(made), scale);
        lotor_statistic_free(made);
    }
}

/* The same through the algorithms, with 20 arms: the sensitivity that each one uses. */
static const struct {
    const char *id;
    unsigned slots;
    const char *epsilon, *delta;
    uint64_t horizon;
    double scale;
} ids[] = {
    {"cucb-ldp1", 4, "0.5", "0", 100, 8},
    {"cucb-ldp2", 4, "0.5", "0", 100, 2},
    {"cucb-dp", 4, "1", "0", 100, 36.84136148790},
    {"cucb-dp2", 4, "1", "0", 100, 9.210340371976},
    {"cucb-ldp-gauss", 4, "0.5", "0.00001", 100, 19.37922105042},
    {"cascade-ldp-laplace", 4, "0.2", "0", 100, 20},
    {"cascade-ldp-laplace", 1, "0.2", "0", 100, 5},
    {"cascade-ldp-gauss", 4, "1", "0.001", 100, 7.552959065318},
    {"cascade-ldp-composed", 4, "0.5", "0.001", 100, 19.95199027636},
    {"cascade-dp", 4, "1", "0", 100, 40},
    {"cascade-dp", 4, "0.1", "0", 100000, 400},
    {"cucb-dp-lazy", 4, "0.5", "0", 0, 8},
    {"cascade-dp-lazy", 4, "0.5", "0", 0, 10},
    {"cascade-dp-lazy", 2, "0.5", "0", 0, 6},
    {"cascade-dp-lazy", 1, "0.5", "0", 0, 2}, /* one bit alone can move */
    {"cascade-ldp-rr", 4, "1", "0", 0, 4 / 6.718281828459045},
    {"cucb-ldp-box", 4, "1", "0", 0, 4.770542436636 / 2},
    {"dp-ucb-tight", 1, "0.5", "0", 100, 14},
};

static lotor_policy_params policy_params(size_t i)
{
    return (lotor_policy_params){
        .algorithm = ids[i].id,
        .arms = 20,
        .slots = ids[i].slots,
        .horizon = ids[i].horizon,
        .epsilon = ratio(ids[i].epsilon),
        .delta = ratio(ids[i].delta),
    };
}

TEST(ids_are_calibrated_to_their_feedback)
{
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const lotor_policy_params params = policy_params(i);
        lotor_policy *policy;
        lotor_guarantee guarantee;
        assert_int_equal(lotor_policy_new_on(&params, NULL, 1, NULL, &policy), LOTOR_OK);
        lotor_policy_guarantee(policy, &guarantee);
        assert_true(guarantee.scale >= ids[i].scale * (1.0 - 1e-11));
        assert_true(guarantee.scale <= ids[i].scale * (1.0 + 2e-6) + 1e-6);
        lotor_policy_free(policy);
    }
}

TEST(impossible_noise_is_refused)
{
    lotor_release_params params = {
        .dimension = 1,
        .horizon = 100,
        .epsilon = ratio("0.000000000000001"),
        .delta = ratio("0.001"),
        .l1 = UNIT,
        .l2 = UNIT,
        .magnitude = UNIT,
    };
    uint64_t scale, horizon;
    lotor_message why;
    for (size_t k = 0; lotor_statistics[k]; k++) {
        const lotor_statistic_kind *kind = lotor_statistics[k];
        if (kind->plan == lotor_statistic_exact.plan || /* no noise, or only randomized response */
            kind == &lotor_statistic_tree_gaussian) { /* at this delta its noise is small enough */
            continue;
        }
        params.epsilon = ratio("0.000000000000001");
        assert_int_equal(kind->plan(&params, &why, &scale, &horizon), LOTOR_OVERFLOW);
        assert_non_null(strstr(why.text, "epsilon"));
        params.epsilon = ratio("inf"); /* an infinite epsilon, without noise, is accepted */
        assert_int_equal(kind->plan(&params, &why, &scale, &horizon), LOTOR_OK);
        assert_int_equal(scale, 0);
    }
    static const char *const deltas[] = {"0", "1"};
    for (size_t i = 0; i < 2; i++) {
        params.epsilon = ratio("1");
        params.delta = ratio(deltas[i]);
        assert_int_equal(lotor_statistic_reports_gaussian.plan(&params, &why, &scale, &horizon),
                         LOTOR_INVALID);
        assert_int_equal(lotor_statistic_reports_composed.plan(&params, &why, &scale, &horizon),
                         LOTOR_INVALID);
        assert_non_null(strstr(why.text, "delta"));
    }
}
