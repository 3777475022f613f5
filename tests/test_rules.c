/* test_rules.c - every index rule is the formula of its paper.
 *
 * Golden indices were worked out by hand (to ten digits) from the formulas of the papers, for three
 * settings; what a learner relies on besides, widths that never fall in t, is checked over a grid.
 */
#include "support/cmocka_all.h"

#include <math.h>
#include <string.h>

#include "learn/index.h"
#include "policy/catalog.h"

typedef struct setting {
    lotor_rule_params params;
    double t, n, mean;
} setting;

/* The third is a lab's: its noise was scaled by 0.01, so that epsilon 2 is nominally 0.02. */
static const setting settings[] = {
    {{.arms = 20,
      .slots = 4,
      .horizon = 1e5,
      .epsilon = 0.5,
      .delta = 1e-3,
      .beta = 1e-5,
      .nominal_epsilon = 0.5,
      .log_horizon = 11.512925464970229},
     1,
     1,
     0.0},
    {{.arms = 20,
      .slots = 4,
      .horizon = 1e5,
      .epsilon = 0.5,
      .delta = 1e-3,
      .beta = 1e-5,
      .nominal_epsilon = 0.5,
      .log_horizon = 11.512925464970229},
     1000,
     16,
     0.25},
    {{.arms = 5,
      .slots = 2,
      .horizon = 1e6,
      .epsilon = 2,
      .delta = 1e-5,
      .beta = 1e-2,
      .nominal_epsilon = 0.02,
      .log_horizon = 13.815510557964274},
     50000,
     900,
     0.625},
};
enum { SETTINGS = 3 };

static const struct {
    const lotor_index_rule *rule;
    double index[SETTINGS];
} golden[] = {
    {&lotor_rule_ucb, {0, 1.179230547, 0.7800611226}},
    {&lotor_rule_dp_ucb, {7545.940685, 472.8005233, 3.182447712}},
    {&lotor_rule_dpucb_mat, {35.31039865, 13.9381247, 0.8592754183}},
    {&lotor_rule_dpts_mat, {33.27106467, 12.69107446, 0.6633764182}},
    {&lotor_rule_cts, {0, 0.25, 0.625}},
    {&lotor_rule_cts_beta, {0, 0.25, 0.625}},
    {&lotor_rule_cucb, {0, 1.05473726, 0.7592868713}},
    {&lotor_rule_cucb_ldp1, {76.7764146, 19.44410365, 1.120589625}},
    {&lotor_rule_cucb_ldp2, {38.3882073, 9.847051824, 0.9754347847}},
    {&lotor_rule_cucb_dp, {146504.4767, 9158.208177, 36.0460768}},
    {&lotor_rule_cucb_dp2, {36631.83271, 2291.167928, 18.46645376}},
    {&lotor_rule_cucb_ldp_gauss, {0, 20.90588414, 1.510527814}},
    {&lotor_rule_cascade_dp, {0, 2024.897399, 5.38935652}},
    {&lotor_rule_cascade_ldp_laplace, {0, 26.80632958, 1.296434357}},
    {&lotor_rule_cascade_ldp_gauss, {17.78585941, 25.77058437, 1.689137298}},
    {&lotor_rule_cascade_ldp_composed, {0, 65.27917719, 2.853784743}},
};
enum { RULES = sizeof golden / sizeof *golden };

static void indices_are_the_papers(void **state)
{
    (void)state;
    for (size_t r = 0; r < RULES; r++) {
        for (size_t s = 0; s < SETTINGS; s++) {
            const setting *at = &settings[s];
            const lotor_widths widths = golden[r].rule->widths(&at->params, at->t);
            const double index = at->mean + widths.root / sqrt(at->n) + widths.linear / at->n;
            assert_true(fabs(index - golden[r].index[s]) <= 1e-9 * (1.0 + golden[r].index[s]));
        }
    }
}

/* No rule of the catalog is left out above. */
static void every_rule_is_in_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < lotor_catalog_size; i++) {
        const lotor_index_rule *rule = lotor_catalog[i].index;
        size_t found = !rule || lotor_index_rule_is_bound(rule); /* bounds: test_bounds_kl.c */
        for (size_t r = 0; r < RULES; r++) {
            found += golden[r].rule == lotor_catalog[i].index;
        }
        assert_int_equal(found, 1);
    }
}

/* What windows and holds of the index learner rest on. Finite, so that no index is a NaN. */
static void widths_never_fall(void **state)
{
    (void)state;
    static const double epsilons[] = {1e-6, 0.1, 1.0, 1e5, INFINITY};
    static const double horizons[] = {2, 3, 100, 1e9};
    for (size_t r = 0; r < RULES; r++) {
        for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
            for (size_t h = 0; h < sizeof horizons / sizeof *horizons; h++) {
                lotor_rule_params params = settings[0].params;
                params.epsilon = params.nominal_epsilon = epsilons[e];
                params.horizon = horizons[h];
                params.log_horizon = log(horizons[h]);
                lotor_widths last = {0.0, 0.0};
                for (double t = 1; t < 1e12; t = t < 100 ? t + 1 : floor(t * 1.01)) {
                    const lotor_widths now = golden[r].rule->widths(&params, t);
                    assert_true(now.root >= last.root && now.linear >= last.linear);
                    assert_true(isfinite(now.root) && isfinite(now.linear));
                    last = now;
                }
            }
        }
    }
}

/* At epsilon = infinity only the sampling part is left: Chen et al. 2020 have none in their local
 * rules, and sqrt(4 log(mT)) in the central ones. */
static void without_noise_only_sampling_is_left(void **state)
{
    (void)state;
    lotor_rule_params params = settings[1].params;
    params.epsilon = params.nominal_epsilon = INFINITY;
    const double sampling = sqrt(1.5 * log(1000.0)), central = sqrt(4.0 * log(20.0 * 1e5));
    const struct {
        const lotor_index_rule *rule;
        double root;
    } left[] = {
        {&lotor_rule_cucb_ldp1, 0.0},
        {&lotor_rule_cucb_ldp2, 0.0},
        {&lotor_rule_cucb_dp, central},
        {&lotor_rule_cucb_dp2, central},
        {&lotor_rule_cucb_ldp_gauss, sampling},
        {&lotor_rule_cascade_dp, sampling},
        {&lotor_rule_cascade_ldp_laplace, sampling},
        {&lotor_rule_cascade_ldp_gauss, sampling},
        {&lotor_rule_cascade_ldp_composed, sampling},
    };
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        const lotor_widths widths = left[i].rule->widths(&params, 1000.0);
        assert_true(fabs(widths.root - left[i].root) < 1e-12 && widths.linear == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_are_the_papers),
        cmocka_unit_test(every_rule_is_in_the_table),
        cmocka_unit_test(widths_never_fall),
        cmocka_unit_test(without_noise_only_sampling_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
